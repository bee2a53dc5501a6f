//! Cuts off what is far outside, in double precision: coordinates may have any size.

use carom2d::math::{Vec2, vec2};

/// A point in pixels.
pub(super) type Point = [f64; 2];

/// Cuts a convex polygon to a box; `spare` is memory to work with.
pub(super) fn clip(corners: &mut Vec<Point>, spare: &mut Vec<Point>, low: Vec2, high: Vec2) {
    for (axis, sign, limit) in [(0, 1.0, low.x), (1, 1.0, low.y), (0, -1.0, high.x), (1, -1.0, high.y)] {
        let limit = f64::from(limit);
        let depth = |point: Point| sign * (point[axis] - limit);
        std::mem::swap(corners, spare);
        corners.clear();
        for (i, &point) in spare.iter().enumerate() {
            let next = spare[(i + 1) % spare.len()];
            let (d, e) = (depth(point), depth(next));
            if d >= 0.0 {
                corners.push(point);
            }
            if (d >= 0.0) != (e >= 0.0) {
                let share = d / (d - e);
                let mut cut = [point[0] + (next[0] - point[0]) * share, point[1] + (next[1] - point[1]) * share];
                cut[axis] = limit;
                corners.push(cut);
            }
        }
    }
}

/// The part of a line within a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Part {
    pub(super) a: Vec2,
    pub(super) b: Vec2,
    /// How much of the line is missing before `a`, in pixels.
    pub(super) skipped: f64,
}

/// Cuts a line to a box. None if nothing of it is there.
pub(super) fn clip_line(a: Vec2, b: Vec2, low: Vec2, high: Vec2) -> Option<Part> {
    if !(a.is_finite() && b.is_finite()) {
        return None;
    }
    let wide = |v: Vec2| -> Point { [f64::from(v.x), f64::from(v.y)] };
    let (from, to, low, high) = (wide(a), wide(b), wide(low), wide(high));
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..2 {
        let speed = to[axis] - from[axis];
        let (to_low, to_high) = (low[axis] - from[axis], high[axis] - from[axis]);
        if speed == 0.0 {
            if to_low > 0.0 || to_high < 0.0 {
                return None;
            }
            continue;
        }
        let (near, far) = if speed > 0.0 { (to_low, to_high) } else { (to_high, to_low) };
        enter = if near / speed > enter { near / speed } else { enter };
        leave = if far / speed < leave { far / speed } else { leave };
    }
    if enter > leave {
        return None;
    }
    let along = [to[0] - from[0], to[1] - from[1]];
    let at = |share: f64| vec2((from[0] + along[0] * share) as f32, (from[1] + along[1] * share) as f32);
    let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
    Some(Part {
        a: if enter > 0.0 { at(enter) } else { a },
        b: if leave < 1.0 { at(leave) } else { b },
        skipped: enter * length,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOW: Vec2 = Vec2::new(0.0, 0.0);
    const HIGH: Vec2 = Vec2::new(100.0, 50.0);

    #[test]
    fn what_covers_the_box_becomes_the_box() {
        for far in [1.0e3, 1.0e9, 1.0e38] {
            let mut corners = vec![[-far, -far], [far, -far], [far, far], [-far, far]];
            clip(&mut corners, &mut Vec::new(), LOW, HIGH);
            corners.sort_by(|a, b| a.partial_cmp(b).unwrap());
            corners.dedup();
            assert_eq!(corners, [[0.0, 0.0], [0.0, 50.0], [100.0, 0.0], [100.0, 50.0]]);
        }
        let mut outside = vec![[200.0, 0.0], [300.0, 0.0], [300.0, 10.0]];
        clip(&mut outside, &mut Vec::new(), LOW, HIGH);
        assert!(outside.is_empty());
    }

    #[test]
    fn lines_are_cut_at_the_border() {
        let part = clip_line(vec2(-1.0e6, 25.0), vec2(1.0e6, 25.0), LOW, HIGH).unwrap();
        assert_eq!((part.a, part.b), (vec2(0.0, 25.0), vec2(100.0, 25.0)));
        assert!((part.skipped - 1.0e6).abs() < 1.0e-3);
        let whole = clip_line(vec2(1.0, 2.0), vec2(3.0, 4.0), LOW, HIGH).unwrap();
        assert_eq!(whole, Part { a: vec2(1.0, 2.0), b: vec2(3.0, 4.0), skipped: 0.0 });
        assert_eq!(clip_line(vec2(-9.0, 0.0), vec2(0.0, 90.0), LOW, HIGH), None, "passes the corner");
        assert_eq!(clip_line(vec2(-9.0, 5.0), vec2(-9.0, 40.0), LOW, HIGH), None);
        assert_eq!(clip_line(vec2(f32::NAN, 5.0), vec2(9.0, 40.0), LOW, HIGH), None);
    }
}
