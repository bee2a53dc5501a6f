//! What the pointer does, and bodies in the making.

use carom_scenes::Color;
use carom2d::math::{Vec2, vec2};
use carom2d::shape::Geometry;
use carom2d::{BodyDef, BodyKind, ShapeDef};
use serde::{Deserialize, Serialize};

/// What the pointer does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Tool {
    /// Drags and throws bodies, selects them, moves the view.
    #[default]
    Hand,
    /// Makes a circle: from the middle outwards.
    Circle,
    /// Makes a box: from corner to corner.
    Box,
    /// Makes a polygon: corner by corner.
    Polygon,
    /// Deletes what is clicked.
    Erase,
    /// Lets something explode where it is clicked.
    Explode,
}

impl Tool {
    pub(crate) const ALL: [Tool; 6] = [Tool::Hand, Tool::Circle, Tool::Box, Tool::Polygon, Tool::Erase, Tool::Explode];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Tool::Hand => "Hand",
            Tool::Circle => "Circle",
            Tool::Box => "Box",
            Tool::Polygon => "Polygon",
            Tool::Erase => "Erase",
            Tool::Explode => "Explode",
        }
    }

    pub(crate) fn help(self) -> &'static str {
        match self {
            Tool::Hand => {
                "Hand (H): drag a body to throw it, click it to see and change it; drag empty space to look around"
            }
            Tool::Circle => "Circle (C): drag from the middle outwards",
            Tool::Box => "Box (B): drag from corner to corner",
            Tool::Polygon => "Polygon (P): click corner by corner; Enter, double click or the first corner ends it",
            Tool::Erase => "Erase (X): click a body to delete it",
            Tool::Explode => "Explode: click where it happens; E lets it happen in the middle of the scene",
        }
    }
}

/// How new bodies are made.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct NewBodies {
    /// New bodies do not move.
    pub(crate) fixed: bool,
    pub(crate) density: f32,
    pub(crate) friction: f32,
    pub(crate) restitution: f32,
}

impl Default for NewBodies {
    fn default() -> NewBodies {
        let shape = ShapeDef::circle(1.0);
        NewBodies { fixed: false, density: 1.0, friction: shape.friction, restitution: shape.restitution }
    }
}

/// A body in the making.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Draft {
    /// Nothing yet.
    #[default]
    None,
    /// From where to where the pointer was dragged.
    Drag { from: Vec2, to: Vec2 },
    /// Corners so far.
    Corners(Vec<Vec2>),
}

/// Nothing smaller than this is made, in metres.
const SMALLEST: f32 = 0.01;

impl Draft {
    /// The body that would be made now. `next` is where the pointer is: a corner that is not set yet.
    pub(crate) fn shape(&self, tool: Tool, next: Option<Vec2>) -> Option<(Vec2, ShapeDef)> {
        match (self, tool) {
            (Draft::Drag { from, to }, Tool::Circle) => {
                let radius = (*to - *from).length();
                (radius >= SMALLEST).then(|| (*from, ShapeDef::circle(radius)))
            }
            (Draft::Drag { from, to }, Tool::Box) => {
                let size = (*to - *from).abs();
                let enough = size.x >= SMALLEST && size.y >= SMALLEST;
                enough.then(|| (0.5 * (*from + *to), ShapeDef::rectangle(size.x, size.y)))
            }
            (Draft::Corners(corners), Tool::Polygon) => {
                let points: Vec<Vec2> = corners.iter().copied().chain(next).collect();
                // The body's origin is the middle of its corners.
                let middle = points.iter().fold(vec2(0.0, 0.0), |sum, p| sum + *p) / points.len().max(1) as f32;
                let local: Vec<Vec2> = points.iter().map(|p| *p - middle).collect();
                let geometry = Geometry::convex(&local).ok()?;
                Some((middle, ShapeDef::geometry(geometry)))
            }
            _ => None,
        }
        .filter(|(_, shape)| shape.build().is_ok())
    }
}

impl NewBodies {
    /// What is made of a draft.
    pub(crate) fn make(&self, position: Vec2, shape: ShapeDef, index: usize) -> (BodyDef, ShapeDef, Option<Color>) {
        let kind = if self.fixed { BodyKind::Fixed } else { BodyKind::Dynamic };
        let body = BodyDef { kind, position, ..BodyDef::dynamic() };
        let shape = ShapeDef { density: self.density, friction: self.friction, restitution: self.restitution, ..shape };
        (body, shape, (!self.fixed).then(|| Color::nth(index)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drafts_become_shapes_when_they_are_large_enough() {
        let drag = Draft::Drag { from: vec2(1.0, 1.0), to: vec2(4.0, 5.0) };
        let (at, _) = drag.shape(Tool::Box, None).unwrap();
        assert_eq!(at, vec2(2.5, 3.0));
        let (at, circle) = drag.shape(Tool::Circle, None).unwrap();
        assert_eq!((at, circle), (vec2(1.0, 1.0), ShapeDef::circle(5.0)));
        let point = Draft::Drag { from: vec2(1.0, 1.0), to: vec2(1.0, 1.0) };
        assert!(point.shape(Tool::Box, None).is_none() && point.shape(Tool::Circle, None).is_none());
        assert!(Draft::None.shape(Tool::Polygon, Some(vec2(0.0, 0.0))).is_none());
    }

    #[test]
    fn corners_make_their_hull_and_in_a_row_they_make_nothing() {
        let square = [vec2(0.0, 0.0), vec2(2.0, 0.0), vec2(2.0, 2.0)];
        let draft = Draft::Corners(square.to_vec());
        assert!(draft.shape(Tool::Polygon, None).is_some());
        assert!(draft.shape(Tool::Polygon, Some(vec2(0.0, 2.0))).is_some());
        let row = Draft::Corners(vec![vec2(0.0, 0.0), vec2(1.0, 0.0)]);
        assert!(row.shape(Tool::Polygon, None).is_none());
        assert!(row.shape(Tool::Polygon, Some(vec2(2.0, 0.0))).is_none());
        assert!(row.shape(Tool::Polygon, Some(vec2(2.0, f32::NAN))).is_none());
    }
}
