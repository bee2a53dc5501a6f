//! The draw list: what to draw, before anybody knows how.

use crate::ball::Ball;
use crate::color::Rgba;
use carom2d::math::{Aabb, Vec2};

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stroke {
    /// In what colour.
    pub color: Rgba,
    /// How wide, in pixels, whatever the zoom.
    pub width: f32,
    /// With gaps of twice the width, instead of solid.
    pub dashed: bool,
}

impl Stroke {
    /// A solid line.
    pub fn solid(color: Rgba, width: f32) -> Stroke {
        Stroke { color, width, dashed: false }
    }

    /// A line with gaps.
    pub fn dashed(color: Rgba, width: f32) -> Stroke {
        Stroke { color, width, dashed: true }
    }
}

/// How a shape is drawn. The outline lies within the shape's edge, so that shapes which touch do not
/// cover each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Style {
    /// The inside.
    pub fill: Option<Rgba>,
    /// The edge.
    pub outline: Option<Stroke>,
}

impl Style {
    /// Only an inside.
    pub fn filled(color: Rgba) -> Style {
        Style { fill: Some(color), outline: None }
    }

    /// Only an edge.
    pub fn outlined(stroke: Stroke) -> Style {
        Style { fill: None, outline: Some(stroke) }
    }
}

/// Something to draw. Positions and radii are in metres, widths and letters in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Item<'l> {
    /// A convex polygon, counter-clockwise.
    Polygon {
        /// Its corners.
        points: &'l [Vec2],
        /// Inside and edge.
        style: Style,
    },
    /// A disc.
    Circle {
        /// Where.
        center: Vec2,
        /// Radius in metres.
        radius: f32,
        /// Inside and edge.
        style: Style,
    },
    /// Everything within a radius of a segment.
    Capsule {
        /// Centre of one end.
        a: Vec2,
        /// Centre of the other end.
        b: Vec2,
        /// Radius in metres.
        radius: f32,
        /// Inside and edge.
        style: Style,
    },
    /// A line with round ends.
    Line {
        /// From.
        a: Vec2,
        /// To.
        b: Vec2,
        /// How.
        stroke: Stroke,
    },
    /// A dot whose size does not depend on the zoom.
    Point {
        /// Where.
        at: Vec2,
        /// Radius in pixels.
        radius: f32,
        /// In what colour.
        color: Rgba,
    },
    /// A lit ball.
    Ball(&'l Ball),
    /// A line of text.
    Text {
        /// Where the anchor is.
        at: Vec2,
        /// Which point of the text that is: (0, 0) its bottom left corner, (1, 1) its top right.
        anchor: Vec2,
        /// The letters.
        text: &'l str,
        /// Height of the letters in pixels, as fonts measure it.
        size: f32,
        /// In what colour.
        color: Rgba,
        /// A rim around the letters that keeps them apart from what is behind.
        halo: Rgba,
    },
}

/// What to draw, from back to front, for one view. Clearing it keeps its memory for the next frame.
#[derive(Clone, Debug, Default)]
pub struct DrawList {
    background: Option<Rgba>,
    entries: Vec<Entry>,
    points: Vec<Vec2>,
    letters: String,
    balls: Vec<Ball>,
}

/// An [`Item`] whose points and letters lie in the list's common stores.
#[derive(Clone, Copy, Debug)]
enum Entry {
    Polygon { first: usize, end: usize, style: Style },
    Ball(usize),
    Text { first: usize, end: usize, at: Vec2, anchor: Vec2, size: f32, color: Rgba, halo: Rgba },
    Other(Item<'static>),
}

impl DrawList {
    /// Forgets everything, and paints the background first from now on.
    pub fn begin(&mut self, background: Rgba) {
        self.background = Some(background);
        self.entries.clear();
        self.points.clear();
        self.letters.clear();
        self.balls.clear();
    }

    /// The colour behind everything; none when the list is to be drawn over something.
    pub fn background(&self) -> Option<Rgba> {
        self.background
    }

    /// How many things there are to draw.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Is there nothing to draw?
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Everything, from back to front.
    pub fn items(&self) -> impl Iterator<Item = Item<'_>> {
        self.entries.iter().map(|entry| match *entry {
            Entry::Polygon { first, end, style } => Item::Polygon { points: &self.points[first..end], style },
            Entry::Text { first, end, at, anchor, size, color, halo } => {
                Item::Text { at, anchor, text: &self.letters[first..end], size, color, halo }
            }
            Entry::Ball(index) => Item::Ball(&self.balls[index]),
            Entry::Other(item) => item,
        })
    }

    /// Adds a convex polygon with its corners in counter-clockwise order.
    pub fn polygon(&mut self, corners: impl IntoIterator<Item = Vec2>, style: Style) {
        let first = self.points.len();
        self.points.extend(corners);
        self.entries.push(Entry::Polygon { first, end: self.points.len(), style });
    }

    /// Adds a box along the axes.
    pub fn aabb(&mut self, aabb: Aabb, style: Style) {
        let Aabb { min, max } = aabb;
        self.polygon([min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)], style);
    }

    /// Adds a disc.
    pub fn circle(&mut self, center: Vec2, radius: f32, style: Style) {
        self.entries.push(Entry::Other(Item::Circle { center, radius, style }));
    }

    /// Adds everything within `radius` of the segment from `a` to `b`.
    pub fn capsule(&mut self, a: Vec2, b: Vec2, radius: f32, style: Style) {
        self.entries.push(Entry::Other(Item::Capsule { a, b, radius, style }));
    }

    /// Adds a line.
    pub fn line(&mut self, a: Vec2, b: Vec2, stroke: Stroke) {
        self.entries.push(Entry::Other(Item::Line { a, b, stroke }));
    }

    /// Adds a dot of a radius in pixels.
    pub fn point(&mut self, at: Vec2, radius: f32, color: Rgba) {
        self.entries.push(Entry::Other(Item::Point { at, radius, color }));
    }

    /// Adds a lit ball.
    pub fn ball(&mut self, ball: Ball) {
        self.entries.push(Entry::Ball(self.balls.len()));
        self.balls.push(ball);
    }

    /// Adds a line of text; see [`Item::Text`].
    pub fn text(&mut self, at: Vec2, anchor: Vec2, text: &str, size: f32, color: Rgba, halo: Rgba) {
        let first = self.letters.len();
        self.letters.push_str(text);
        self.entries.push(Entry::Text { first, end: self.letters.len(), at, anchor, size, color, halo });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom2d::math::vec2;

    #[test]
    fn gives_back_what_was_added_in_order() {
        let style = Style::filled(Rgba::WHITE);
        let mut list = DrawList::default();
        for _ in 0..2 {
            list.begin(Rgba::BLACK);
            list.aabb(Aabb::new(vec2(0.0, 0.0), vec2(2.0, 1.0)), style);
            list.text(vec2(1.0, 1.0), Vec2::ZERO, "seven", 12.0, Rgba::BLACK, Rgba::WHITE);
            list.circle(vec2(1.0, 0.0), 2.0, style);
            let items: Vec<Item<'_>> = list.items().collect();
            assert_eq!(items.len(), 3);
            assert!(
                matches!(items[0], Item::Polygon { points, .. } if points.len() == 4 && points[2] == vec2(2.0, 1.0))
            );
            assert!(matches!(items[1], Item::Text { text: "seven", .. }));
            assert!(matches!(items[2], Item::Circle { radius: 2.0, .. }));
        }
    }
}
