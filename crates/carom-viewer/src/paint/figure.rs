//! Shapes as the pen sees them.

use super::rim::Rim;
use super::stamp::LARGEST;
use carom_core::math::{max, min};
use carom2d::math::Vec2;

/// A convex shape in pixels of the screen. What can be stamped is known by its sizes, the rest by its rim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Figure {
    /// A small box.
    Rectangle { center: Vec2, along: Vec2, size: Vec2 },
    /// A small disc.
    Disc { center: Vec2, radius: f32 },
    /// What is within a small radius of a segment.
    Capsule { a: Vec2, b: Vec2, radius: f32 },
    /// A small shape about as wide as it is long, whose rim is known.
    Round { center: Vec2, thickness: f32 },
    /// Any other whose rim is known.
    Convex { thickness: f32 },
}

impl Figure {
    /// The box with these corners, if they are those of a small one.
    pub(super) fn rectangle(corners: &[Vec2]) -> Option<Figure> {
        // How far, in pixels, corners may be from where those of a box would be.
        const NEAR: f32 = 0.05;
        let &[a, b, c, d] = corners else { return None };
        let (width, height) = ((b - a).length(), (c - b).length());
        let bent = (a + (c - b) - d).abs().max_element();
        // Width and height times the cosine of the angle between them, over the longer one.
        let skew = (b - a).dot(c - b).abs() / max(max(width, height), 1.0);
        if width > LARGEST || height > LARGEST || bent > NEAR || skew > NEAR {
            return None;
        }
        Some(Figure::Rectangle {
            center: 0.5 * (a + c),
            along: (b - a).normalize_or(Vec2::X),
            size: Vec2::new(width, height),
        })
    }

    /// A spot of some area, in square pixels, that is too small to have a shape.
    pub(super) fn spot(center: Vec2, area: f32) -> Figure {
        Figure::Rectangle { center, along: Vec2::X, size: Vec2::splat(area.sqrt()) }
    }

    /// The shape with this rim and thickness.
    pub(super) fn of_rim(rim: &Rim, thickness: f32) -> Figure {
        // Below this, triangles from the middle to the edges get so sharp that an edge is missed by its
        // neighbours' ramps.
        const ROUND: f32 = 0.3;
        let corners = rim.corners();
        let center = corners.iter().map(|corner| corner.at).sum::<Vec2>() / corners.len() as f32;
        let farthest = corners.iter().map(|corner| (corner.at - center).length_squared()).fold(0.0, max).sqrt();
        if farthest < LARGEST && rim.nearest_edge(center) > ROUND * farthest {
            Figure::Round { center, thickness }
        } else {
            Figure::Convex { thickness }
        }
    }

    /// Twice how far its edges can move inwards, in pixels.
    pub(super) fn thickness(&self) -> f32 {
        match *self {
            Figure::Rectangle { size, .. } => min(size.x, size.y),
            Figure::Disc { radius, .. } | Figure::Capsule { radius, .. } => 2.0 * radius,
            Figure::Round { thickness, .. } | Figure::Convex { thickness } => thickness,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom2d::math::vec2;

    #[test]
    fn knows_a_box_by_its_corners() {
        let corners = [vec2(3.0, 1.0), vec2(11.0, 7.0), vec2(8.0, 11.0), vec2(0.0, 5.0)];
        let figure = Figure::rectangle(&corners).unwrap();
        let Figure::Rectangle { center, along, size } = figure else { panic!("{figure:?}") };
        assert_eq!((center, along, size), (vec2(5.5, 6.0), vec2(0.8, 0.6), vec2(10.0, 5.0)));
        assert_eq!(figure.thickness(), 5.0);
    }

    #[test]
    fn knows_what_is_no_small_box() {
        let square = [vec2(0.0, 0.0), vec2(9.0, 0.0), vec2(9.0, 9.0), vec2(0.0, 9.0)];
        assert_eq!(Figure::rectangle(&square[..3]), None);
        assert_eq!(Figure::rectangle(&square.map(|corner| 5.0 * corner)), None, "large");
        let skewed = square.map(|corner| corner + vec2(0.2 * corner.y, 0.0));
        assert_eq!(Figure::rectangle(&skewed), None, "a parallelogram");
        let mut bent = square;
        bent[2] += vec2(0.5, 0.5);
        assert_eq!(Figure::rectangle(&bent), None, "a kite");
    }

    #[test]
    fn tells_round_from_long() {
        let of = |points: &[Vec2]| {
            let mut rim = Rim::default();
            let measure = rim.set_polygon(points.iter().copied()).unwrap();
            Figure::of_rim(&rim, rim.thickness(measure, 3.0))
        };
        let triangle = [vec2(0.0, 0.0), vec2(20.0, 0.0), vec2(10.0, 17.0)];
        assert!(matches!(of(&triangle), Figure::Round { .. }));
        assert!(matches!(of(&triangle.map(|corner| corner * vec2(1.0, 0.2))), Figure::Convex { .. }));
        assert!(matches!(of(&triangle.map(|corner| corner * 9.0)), Figure::Convex { .. }));
    }
}
