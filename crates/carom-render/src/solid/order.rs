//! What in space is behind what: flat pieces and things between them, from back to front.
//!
//! The plane of a piece parts all others into those on the eye's side, which it cannot hide, and those beyond, which
//! cannot hide it; pieces that reach through are cut in two. What is left between the planes is sorted by nearness.

use super::middle;
use carom3d::math::DVec3;

/// A flat convex piece of a surface.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    /// Three corners or more.
    pub(super) corners: Vec<DVec3>,
    /// Of what it is a piece.
    pub(super) face: usize,
}

/// Something that is no flat piece: a ball, or part of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thing {
    /// What it is.
    pub(super) index: usize,
    /// Where its middle is.
    pub(super) middle: DVec3,
    /// Of two balls, the one of which the square of the distance less that of the radius is smaller is in front:
    /// between them lies the plane where both are equal.
    pub(super) nearness: f64,
}

/// What comes next.
#[derive(Debug)]
pub(super) enum Next<'o> {
    Piece(&'o Piece),
    Thing(usize),
}

/// Planes are nested no deeper than this; beyond it distance decides.
const DEEPEST: usize = 1000;

/// More pieces than this are sorted by distance alone: planes would cut them into many times as many.
const MOST_PIECES: usize = 3000;

/// Calls `draw` with everything, from back to front as seen from `eye`.
pub(super) fn back_to_front(pieces: Vec<Piece>, things: Vec<Thing>, eye: DVec3, draw: &mut dyn FnMut(Next<'_>)) {
    let depth = if pieces.len() > MOST_PIECES { 0 } else { DEEPEST };
    walk(pieces, things, eye, depth, draw);
}

fn walk(mut pieces: Vec<Piece>, things: Vec<Thing>, eye: DVec3, depth: usize, draw: &mut dyn FnMut(Next<'_>)) {
    if pieces.is_empty() || depth == 0 {
        return by_distance(&pieces, things, eye, draw);
    }
    let root = pieces.remove(0);
    let Some(plane) = Plane::of(&root) else { return walk(pieces, things, eye, depth - 1, draw) };
    // The eye is above.
    let plane = if plane.height(eye) < 0.0 { plane.flipped() } else { plane };
    let (mut near, mut far) = (Vec::new(), Vec::new());
    for piece in pieces {
        plane.part(piece, &mut near, &mut far);
    }
    let (near_things, far_things) = things.into_iter().partition(|thing| plane.height(thing.middle) >= 0.0);
    walk(far, far_things, eye, depth - 1, draw);
    draw(Next::Piece(&root));
    walk(near, near_things, eye, depth - 1, draw);
}

/// The best that can be done without planes.
fn by_distance(pieces: &[Piece], things: Vec<Thing>, eye: DVec3, draw: &mut dyn FnMut(Next<'_>)) {
    let pieces = pieces.iter().map(|piece| ((middle(&piece.corners) - eye).length_squared(), Next::Piece(piece)));
    let things = things.iter().map(|thing| (thing.nearness, Next::Thing(thing.index)));
    let mut all: Vec<(f64, Next<'_>)> = pieces.chain(things).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    for (_, next) in all {
        draw(next);
    }
}

#[derive(Clone, Copy, Debug)]
struct Plane {
    point: DVec3,
    normal: DVec3,
}

impl Plane {
    fn of(piece: &Piece) -> Option<Plane> {
        let [a, b, c, ..] = piece.corners[..] else { return None };
        let normal = (b - a).cross(c - a);
        let length = normal.length();
        (length > 0.0 && length.is_finite()).then(|| Plane { point: a, normal: normal / length })
    }

    fn flipped(self) -> Plane {
        Plane { normal: -self.normal, ..self }
    }

    fn height(&self, point: DVec3) -> f64 {
        (point - self.point).dot(self.normal)
    }

    /// Puts a piece on its side, or parts of it on both.
    fn part(&self, piece: Piece, near: &mut Vec<Piece>, far: &mut Vec<Piece>) {
        let heights: Vec<f64> = piece.corners.iter().map(|&corner| self.height(corner)).collect();
        let size = (piece.corners[1] - piece.corners[0]).length() + (piece.corners[2] - piece.corners[0]).length();
        // What reaches through by less than rounding is not cut.
        let slack = 1.0e-7 * size;
        if heights.iter().all(|&height| height >= -slack) {
            return near.push(piece);
        }
        if heights.iter().all(|&height| height <= slack) {
            return far.push(piece);
        }
        let half = |sign: f64| {
            let count = heights.len();
            let mut corners = Vec::with_capacity(count + 1);
            for i in 0..count {
                let j = (i + 1) % count;
                let (a, b) = (sign * heights[i], sign * heights[j]);
                if a >= 0.0 {
                    corners.push(piece.corners[i]);
                }
                if (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0) {
                    corners.push(piece.corners[i] + (piece.corners[j] - piece.corners[i]) * (a / (a - b)));
                }
            }
            Piece { corners, face: piece.face }
        };
        for (sign, side) in [(1.0, near), (-1.0, far)] {
            let half = half(sign);
            if half.corners.len() > 2 {
                side.push(half);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom3d::math::dvec3;

    fn square(z: f64, face: usize) -> Piece {
        let corner = |x: f64, y: f64| dvec3(x, y, z);
        Piece { corners: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)], face }
    }

    fn order(pieces: Vec<Piece>, things: Vec<Thing>, eye: DVec3) -> Vec<String> {
        let mut order = Vec::new();
        back_to_front(pieces, things, eye, &mut |next| {
            order.push(match next {
                Next::Piece(piece) => format!("face {}", piece.face),
                Next::Thing(index) => format!("thing {index}"),
            });
        });
        order
    }

    #[test]
    fn a_ball_is_before_or_behind_a_wall_whatever_its_distance() {
        let eye = dvec3(0.0, 0.0, 10.0);
        // Far to the side, yet on this side of the wall.
        let thing = |index, z: f64| {
            let middle = dvec3(30.0, 0.0, z);
            Thing { index, middle, nearness: (middle - eye).length_squared() }
        };
        let found =
            order(vec![square(0.0, 0), square(5.0, 1)], vec![thing(0, 1.0), thing(1, -1.0), thing(2, 6.0)], eye);
        assert_eq!(found, ["thing 1", "face 0", "thing 0", "face 1", "thing 2"]);
        let found = order(vec![square(0.0, 0), square(5.0, 1)], vec![thing(0, 1.0)], -eye);
        assert_eq!(found, ["face 1", "thing 0", "face 0"]);
    }

    #[test]
    fn what_reaches_through_is_cut() {
        let through =
            Piece { corners: vec![dvec3(0.0, -1.0, -1.0), dvec3(0.0, 1.0, -1.0), dvec3(0.0, 0.0, 1.0)], face: 1 };
        let found = order(vec![square(0.0, 0), through], Vec::new(), dvec3(3.0, 0.0, 9.0));
        assert_eq!(found, ["face 1", "face 0", "face 1"]);
        let flat = Piece { corners: vec![DVec3::ZERO; 3], face: 7 };
        assert!(order(vec![flat], Vec::new(), DVec3::Z).is_empty(), "what has no area is not seen");
    }
}
