//! Parts of chains and concave polygons against shapes with edges.
//!
//! As in `polygon.rs`, with two differences. No way out leads through a cut. And a contact whose
//! normal the whole does not have where the part touches (a cut, or the end of a link seen from
//! the side) is replaced by one with the part's own solid edge, and only over that edge. What
//! sticks into the part through a cut, and is mostly elsewhere, is left to the part it is in.

use super::polygon::{Axis, Outline, OutlinePair, Side, choose_reference, contact_with, edge_separation, inverse};
use super::{EdgeRule, LINEAR_SLOP, Lease, Manifold, Reference};
use crate::math::{Pose, Vec2, max, min};
use crate::shape::Part;

/// A way out that is longer by this (metres) than the one through a cut is not for this part to
/// show, unless it holds the middle of the other shape.
pub(super) const BEYOND_CUT: f32 = 4.0 * LINEAR_SLOP;

/// The contact of `a` and `b`, of which at least one is a part; and a lease while an edge keeps them out of reach.
pub(super) fn outlines(
    a: &Outline,
    b: &Outline,
    b_in_a: Pose,
    margin: f32,
    hint: Reference,
    rule: EdgeRule,
) -> (Manifold, Lease) {
    let reach = margin + a.radius + b.radius;
    let axes_a = match axes(a, b, b_in_a, reach) {
        Ok(axes) => axes,
        Err(gap) => return (Manifold::default(), Lease::apart_by_a(a, b, b_in_a, gap)),
    };
    let a_in_b = inverse(b_in_a);
    let axes_b = match axes(b, a, a_in_b, reach) {
        Ok(axes) => axes,
        Err(gap) => return (Manifold::default(), Lease::apart_by_b(a, b, b_in_a, gap)),
    };
    (within_reach(&OutlinePair { a, b, b_in_a, a_in_b }, [&axes_a, &axes_b], margin, hint, rule), Lease::NONE)
}

fn within_reach(pair: &OutlinePair, axes: [&Axes; 2], margin: f32, hint: Reference, rule: EdgeRule) -> Manifold {
    let (OutlinePair { a, b, b_in_a, a_in_b }, [axes_a, axes_b]) = (*pair, axes);
    let (middle_a, middle_b) = (a_in_b.point(middle(a.vertices)), b_in_a.point(middle(b.vertices)));
    let passes = |part: Option<&Part>, middle: Vec2| part.is_some_and(|part| part.lets_pass(middle));
    if passes(a.part, middle_b) || passes(b.part, middle_a) {
        return Manifold::default();
    }
    let (axis_a, axis_b) = (axes_a.nearest, axes_b.nearest);
    // Two middle parts, without an edge of the outline: the parts around them see to it.
    if axis_a.separation == f32::MIN && axis_b.separation == f32::MIN {
        return Manifold::default();
    }
    let reference = choose_reference(pair, [axis_a, axis_b], hint, rule);
    let apart = axis_a.separation > 0.0 || axis_b.separation > 0.0;
    let side = if apart { Side::Corners } else { Side::Deepest };
    let manifold = contact_with(pair, reference, side, margin);
    if manifold.count == 0 {
        return manifold;
    }
    let refused_by_a = a.part.is_some_and(|part| !part.admits(manifold.normal));
    let refused_by_b = b.part.is_some_and(|part| !part.admits(-b_in_a.q.inv_rotate(manifold.normal)));
    let own_edge = match (refused_by_a, refused_by_b, axes_a.solid, axes_b.solid) {
        (false, false, _, _) => reference,
        (true, _, Some(edge), _) => Reference::A(edge as u8),
        (_, true, _, Some(edge)) => Reference::B(edge as u8),
        _ => return Manifold::default(),
    };
    let replaced = refused_by_a || refused_by_b;
    let manifold = if replaced { contact_with(pair, own_edge, Side::Nothing, margin) } else { manifold };
    let holds = |part: Option<&Part>, middle: Vec2| part.is_none_or(|part| part.holds(middle));
    let shortest = max(axes_a.any, axes_b.any);
    let deepest = manifold.points().iter().fold(f32::MAX, |deepest, point| min(deepest, point.separation));
    if deepest < shortest - (a.radius + b.radius) - BEYOND_CUT && !(holds(a.part, middle_b) && holds(b.part, middle_a))
    {
        return Manifold::default();
    }
    manifold
}

/// Where one shape is farthest from another.
struct Axes {
    /// The edge with the largest separation; a cut counts only when it separates the shapes. Of
    /// separation `f32::MIN` when no edge counts.
    nearest: Axis,
    /// The same of solid edges alone, where there are some.
    solid: Option<usize>,
    /// The largest separation along any edge, cuts included.
    any: f32,
}

/// Or how far beyond their reach the shapes are.
fn axes(one: &Outline, two: &Outline, two_in_one: Pose, reach: f32) -> Result<Axes, f32> {
    let mut nearest = Axis { edge: 0, separation: f32::MIN };
    let mut solid: Option<Axis> = None;
    let mut any = f32::MIN;
    for edge in 0..one.normals.len() {
        let axis = Axis { edge, separation: edge_separation(one, two, two_in_one, edge) };
        if axis.separation > reach {
            return Err(axis.separation - reach);
        }
        any = max(any, axis.separation);
        let is_solid = one.part.is_none_or(|part| part.is_solid(edge));
        if is_solid && solid.is_none_or(|best| axis.separation > best.separation) {
            solid = Some(axis);
        }
        if (is_solid || axis.separation > 0.0) && axis.separation > nearest.separation {
            nearest = axis;
        }
    }
    Ok(Axes { nearest, solid: solid.map(|axis| axis.edge), any })
}

/// The mean of some points.
fn middle(points: &[Vec2]) -> Vec2 {
    points.iter().fold(Vec2::ZERO, |sum, &point| sum + point) * (1.0 / points.len() as f32)
}
