//! Casts: the first time a moving point or a moving shape meets another shape.
//!
//! [`cast()`] moves shape b along a straight line towards shape a by conservative
//! advancement. The distance s(t) between two convex shapes in relative translation is a
//! convex function of t, so its tangent never lies above it: going on to where the tangent
//! meets the wanted distance never overshoots. That is Newton's method from the safe side,
//! and ends after a few steps.
//!
//! B. Mirtich, "Impulse-based dynamic simulation of rigid body systems", thesis, Berkeley
//! (1996). G. van den Bergen, "Ray casting against general convex objects" (2004).

use super::Geometry;
use super::distance::{Proxy, core_distance, ellipse_gap};
use crate::collide::LINEAR_SLOP;
use crate::math::{Pose, Vec2, max, min, unit_and_length};

/// Where a ray first meets a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// How far along: the point is `origin + fraction * translation`. From 0 to the largest
    /// fraction asked for.
    pub fraction: f32,
    /// The point on the surface, in metres.
    pub point: Vec2,
    /// The unit normal of the surface, against the ray; zero when the ray starts inside.
    pub normal: Vec2,
}

/// Where a moving shape b first meets a shape a.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastHit {
    /// How far along the translation b can go, from 0 to the largest fraction asked for.
    pub fraction: f32,
    /// The point of contact on the surface of a, in metres.
    pub point: Vec2,
    /// The unit normal from a to b; zero when their cores overlap at the start.
    pub normal: Vec2,
}

impl RayHit {
    /// The answer to a ray that starts in a shape.
    pub(super) fn inside(origin: Vec2) -> RayHit {
        RayHit { fraction: 0.0, point: origin, normal: Vec2::ZERO }
    }

    /// The earliest of several; the first named when they tie.
    pub(super) fn first(hits: impl IntoIterator<Item = Option<RayHit>>) -> Option<RayHit> {
        let mut first: Option<RayHit> = None;
        for hit in hits.into_iter().flatten() {
            if first.is_none_or(|earlier| hit.fraction < earlier.fraction) {
                first = Some(hit);
            }
        }
        first
    }
}

/// A ray from outside against a circle.
pub(super) fn ray_circle(
    center: Vec2,
    radius: f32,
    origin: Vec2,
    translation: Vec2,
    max_fraction: f32,
) -> Option<RayHit> {
    let (direction, length) = unit_and_length(translation);
    if length == 0.0 {
        return None;
    }
    // From the point of the ray nearest to the centre, half a chord back to the surface. The
    // textbook quadratic cancels when the circle is far away.
    let from_center = origin - center;
    let along = -from_center.dot(direction);
    let nearest = from_center + direction * along;
    let half_chord_squared = radius * radius - nearest.length_squared();
    if along < 0.0 || half_chord_squared < 0.0 {
        return None;
    }
    let half_chord = half_chord_squared.sqrt();
    let distance = max(along - half_chord, 0.0);
    if distance > max_fraction * length {
        return None;
    }
    let (normal, _) = unit_and_length(nearest - direction * half_chord);
    Some(RayHit { fraction: min(distance / length, max_fraction), point: center + normal * radius, normal })
}

/// A ray against the front of the edge from `a` to `b`.
pub(super) fn ray_edge(
    a: Vec2,
    b: Vec2,
    normal: Vec2,
    origin: Vec2,
    translation: Vec2,
    max_fraction: f32,
) -> Option<RayHit> {
    let denominator = normal.dot(translation);
    if denominator >= 0.0 {
        return None;
    }
    let fraction = normal.dot(a - origin) / denominator;
    if !(0.0..=max_fraction).contains(&fraction) {
        return None;
    }
    let point = origin + translation * fraction;
    let edge = b - a;
    let along = (point - a).dot(edge);
    if along < 0.0 || along > edge.length_squared() {
        return None;
    }
    Some(RayHit { fraction, point, normal })
}

/// The gap left between the shapes at a hit: small enough to count as touching, large enough
/// for the next query to see two separate shapes.
const TARGET_DISTANCE: f32 = 0.1 * LINEAR_SLOP;
/// How close to the target is close enough.
const TARGET_TOLERANCE: f32 = 0.25 * TARGET_DISTANCE;
/// Newton's method converges quadratically head on, and halves the error of a grazing cast.
const MAX_ITERATIONS: usize = 32;

/// How far shape b can move along `translation_b` before it meets shape a.
///
/// `b_in_a` is the pose of b and `translation_b` its way (metres), both in the frame of a, as
/// is the hit. The cast ends at `max_fraction` of the way. At a hit a gap of 0.5 mm is left;
/// the shapes never overlap there. Shapes that overlap at the start give fraction 0, with a
/// normal unless their cores overlap; shapes that are closer than the gap and approach give
/// fraction 0, too; shapes that touch and separate pass.
pub fn cast(a: &Proxy, b: &Proxy, b_in_a: Pose, translation_b: Vec2, max_fraction: f32) -> Option<CastHit> {
    let radii = a.radius + b.radius;
    advance(translation_b, max_fraction, |way| {
        let core = core_distance(a, b, Pose { p: b_in_a.p + way, q: b_in_a.q });
        (core.distance - radii, core.point_a + core.normal * a.radius, core.normal)
    })
}

/// How far geometry b can move along `translation_b` before it meets geometry a: [`cast()`] for
/// any two geometries. Links of a chain are met from their front only.
pub fn geometry_cast(
    a: &Geometry,
    b: &Geometry,
    b_in_a: Pose,
    translation_b: Vec2,
    max_fraction: f32,
) -> Option<CastHit> {
    match (a.proxy(), b.proxy()) {
        (Some(proxy_a), Some(proxy_b)) => {
            let passes = |link: &Geometry, way: Vec2| matches!(link, Geometry::Part(part) if part.polygon().is_none() && part.normals()[0].dot(way) >= 0.0);
            if passes(a, translation_b) || passes(b, -b_in_a.q.inv_rotate(translation_b)) {
                return None;
            }
            cast(&proxy_a, &proxy_b, b_in_a, translation_b, max_fraction)
        }
        _ if a.is_compound() || b.is_compound() => {
            let mut first: Option<CastHit> = None;
            a.each_part(&mut |a| {
                b.each_part(&mut |b| {
                    let limit = first.map_or(max_fraction, |hit| hit.fraction);
                    if let Some(hit) = geometry_cast(a, b, b_in_a, translation_b, limit)
                        && first.is_none_or(|earlier| hit.fraction < earlier.fraction)
                    {
                        first = Some(hit);
                    }
                });
            });
            first
        }
        (proxy_a, proxy_b) => advance(translation_b, max_fraction, |way| {
            let gap = ellipse_gap(a, proxy_a, b, proxy_b, Pose { p: b_in_a.p + way, q: b_in_a.q });
            (gap.separation, gap.point, if gap.separation > 0.0 { gap.normal } else { Vec2::ZERO })
        }),
    }
}

/// Advances until the separation is the target distance. `look` tells separation, point on a and
/// normal for a part of the way.
fn advance(translation_b: Vec2, max_fraction: f32, look: impl Fn(Vec2) -> (f32, Vec2, Vec2)) -> Option<CastHit> {
    let mut fraction = 0.0_f32;
    for _ in 0..MAX_ITERATIONS {
        let (separation, point, normal) = look(translation_b * fraction);
        let hit = CastHit { fraction, point, normal };
        // Only a start in overlap comes here: the advance stays outside.
        if separation <= 0.0 {
            return Some(hit);
        }
        let approach = -normal.dot(translation_b);
        if approach <= 0.0 {
            return None;
        }
        if separation <= TARGET_DISTANCE + TARGET_TOLERANCE {
            return Some(hit);
        }
        let advance = (separation - TARGET_DISTANCE) / approach;
        // Far out the step can drop below the resolution of the fraction.
        if fraction + advance <= fraction {
            return Some(hit);
        }
        fraction += advance;
        if fraction > max_fraction {
            return None;
        }
    }
    // A cast that grazes the target distance for longer than this passes by.
    None
}
