//! Convex polygons and lines, made smaller or cut, and the rims of ellipses.

use carom2d::math::{Vec2, cross, left_perp, sin_cos, vec2};
use carom2d::shape::{ChainEnds, Ellipse, Geometry};

/// Points on the rim of an ellipse in the frame of its body, counter-clockwise, made smaller by `less` metres.
pub fn ellipse_rim(ellipse: &Ellipse, less: f32, count: usize) -> impl Iterator<Item = Vec2> + use<> {
    let Ellipse { center, half_axes, rotation } = *ellipse;
    let half = half_axes - Vec2::splat(less);
    (0..count).map(move |i| {
        let (s, c) = sin_cos(std::f32::consts::TAU * i as f32 / count as f32);
        center + rotation.rotate(vec2(c * half.x, s * half.y))
    })
}

/// The lines that a chain or a concave polygon is drawn by, in the frame of its body; none for others.
pub fn outline_lines(geometry: &Geometry) -> Vec<(Vec2, Vec2)> {
    let ring = |points: &[Vec2]| -> Vec<(Vec2, Vec2)> {
        (0..points.len()).map(|i| (points[i], points[(i + 1) % points.len()])).collect()
    };
    match geometry {
        Geometry::Chain(chain) => {
            let mut lines = ring(chain.points());
            if chain.ends() != ChainEnds::Loop {
                lines.pop();
            }
            lines
        }
        Geometry::Concave(concave) => {
            std::iter::once(concave.outline()).chain(concave.holes().iter().map(Vec::as_slice)).flat_map(ring).collect()
        }
        _ => Vec::new(),
    }
}

/// Moves the edges of a convex polygon inwards by `width`. False, and nothing is done, if that leaves
/// nothing of it.
pub(crate) fn inset(corners: &mut [Vec2], width: f32) -> bool {
    let count = corners.len();
    let twice_area: f32 = (0..count).map(|i| cross(corners[i], corners[(i + 1) % count])).sum();
    let turn = if twice_area < 0.0 { -1.0 } else { 1.0 };
    // Pointing inwards.
    let normal = |i: usize| left_perp((corners[(i + 1) % count] - corners[i]).normalize_or_zero()) * turn;
    let mut moved = Vec::with_capacity(count);
    for i in 0..count {
        let (before, after) = (normal((i + count - 1) % count), normal(i));
        // The corner where both edges meet after they moved; blunt where they are nearly opposite.
        let reach = carom_core::math::max(1.0 + before.dot(after), 0.2);
        moved.push(corners[i] + (before + after) * (width / reach));
    }
    // An edge that changed its direction has passed through the polygon.
    let passed = (0..count).any(|i| {
        let j = (i + 1) % count;
        (moved[j] - moved[i]).dot(corners[j] - corners[i]) <= 0.0 && corners[i] != corners[j]
    });
    if count < 3 || (passed && count <= 8) {
        return false;
    }
    corners.copy_from_slice(&moved);
    true
}

/// Cuts a convex polygon to a box.
pub(crate) fn clip(corners: &[Vec2], low: Vec2, high: Vec2, out: &mut Vec<Vec2>) {
    out.clear();
    out.extend_from_slice(corners);
    if corners.iter().all(|p| p.x >= low.x && p.y >= low.y && p.x <= high.x && p.y <= high.y) {
        return;
    }
    let sides: [(Vec2, f32); 4] = [(Vec2::X, low.x), (Vec2::Y, low.y), (Vec2::NEG_X, -high.x), (Vec2::NEG_Y, -high.y)];
    for (inwards, least) in sides {
        let before = std::mem::take(out);
        let depth = |p: Vec2| p.dot(inwards) - least;
        for (i, &p) in before.iter().enumerate() {
            let next = before[(i + 1) % before.len()];
            let (d, e) = (depth(p), depth(next));
            if d >= 0.0 {
                out.push(p);
            }
            if (d >= 0.0) != (e >= 0.0) {
                out.push(p + (next - p) * (d / (d - e)));
            }
        }
    }
}

/// The part of a line within a box.
pub(crate) fn clip_line(a: Vec2, b: Vec2, low: Vec2, high: Vec2) -> Option<(Vec2, Vec2)> {
    if !(a.is_finite() && b.is_finite()) {
        return None;
    }
    let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
    let along = b - a;
    for (position, speed, low, high) in [(a.x, along.x, low.x, high.x), (a.y, along.y, low.y, high.y)] {
        if speed == 0.0 {
            if position < low || position > high {
                return None;
            }
            continue;
        }
        let (t, u) = ((low - position) / speed, (high - position) / speed);
        let (near, far) = if t < u { (t, u) } else { (u, t) };
        enter = carom_core::math::max(enter, near);
        leave = carom_core::math::min(leave, far);
    }
    (enter <= leave).then(|| (a + along * enter, a + along * leave))
}
