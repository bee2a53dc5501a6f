//! An ellipse against anything: one point.
//!
//! The normal is the direction along which the gap is largest: that of an edge, or at a corner
//! one that `shape/ellipse.rs` finds. Shapes apart are nearest at the edge with the largest gap
//! or at one of its ends; when they overlap any corner may show a shorter way out.

use super::polygon::Outline;
use super::smooth::BEYOND_CUT;
use super::{LINEAR_SLOP, Manifold, Reference};
use crate::math::Vec2;
use crate::shape::{Figure, Gap};

/// How far beyond the end of a part's edge (metres) still counts as over it: rounding must not
/// open a crack between neighbours.
const OVER_EDGE: f32 = 0.1 * LINEAR_SLOP;

/// The contact of a circle or an ellipse with an ellipse, both in one frame.
pub(super) fn against_figure(a: &Figure, ellipse: &Figure, margin: f32) -> Manifold {
    contact(a.gap(ellipse), margin)
}

/// The contact of a shape with edges and an ellipse, in the frame of the shape.
pub(super) fn against_outline(a: &Outline, ellipse: &Figure, margin: f32) -> Manifold {
    if a.part.is_some_and(|part| part.lets_pass(ellipse.center())) {
        return Manifold::default();
    }
    let reach = margin + a.radius;
    let count = a.vertices.len();
    let mut best: Option<Gap> = None;
    let mut better = |gap: Gap| {
        if best.is_none_or(|best| gap.separation > best.separation) {
            best = Some(gap);
        }
    };
    let mut nearest_edge = 0;
    let mut largest = f32::MIN;
    for edge in 0..count {
        let (start, normal) = (a.vertices[edge], a.normals[edge]);
        let (separation, nearest) = ellipse.gap_to_line(start, normal);
        let solid = a.part.is_none_or(|part| part.is_solid(edge));
        if separation > reach {
            return Manifold::default();
        }
        if separation > largest {
            (nearest_edge, largest) = (edge, separation);
        }
        if solid {
            // The plane of a part ends with its edge; what is beyond is a neighbour's.
            let end = a.vertices[(edge + 1) % count];
            let span = end - start;
            let (along, length) = ((nearest - start).dot(span), span.length());
            let slack = OVER_EDGE * length;
            if a.part.is_none() || along >= -slack && along <= length * length + slack {
                better(Gap { normal, separation, point: nearest - normal * separation });
            }
        }
    }
    for vertex in 0..count {
        let beside_nearest = vertex == nearest_edge || vertex == (nearest_edge + 1) % count;
        if largest > 0.0 && !beside_nearest {
            continue;
        }
        let normals = match a.part {
            Some(part) => part.corner_normals(vertex),
            None => Some((a.normals[(vertex + count - 1) % count], a.normals[vertex])),
        };
        let corner = Figure::of_disc(a.vertices[vertex], 0.0);
        if let Some(gap) = normals.and_then(|(before, after)| corner.gap_between(ellipse, before, after)) {
            better(gap);
        }
    }
    let Some(gap) = best else { return Manifold::default() };
    if gap.separation < largest - BEYOND_CUT && a.part.is_some_and(|part| !part.holds(ellipse.center())) {
        return Manifold::default();
    }
    contact(
        Gap { normal: gap.normal, separation: gap.separation - a.radius, point: gap.point + gap.normal * a.radius },
        margin,
    )
}

fn contact(gap: Gap, margin: f32) -> Manifold {
    if gap.separation > margin {
        return Manifold::default();
    }
    let middle: Vec2 = gap.point + gap.normal * (0.5 * gap.separation);
    Manifold::single(gap.normal, middle, gap.separation, 0, Reference::None)
}
