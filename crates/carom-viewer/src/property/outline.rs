//! Outlines in words, such as `circle 0.5` or `rectangle 2 1 at (0, 3) angle 0.5`.

use super::error::Refusal;
use super::token::{Token, flatten, tokens};
use super::value::{self, Expected, points_of, single, written_single};
use carom2d::math::{atan2, vec2};
use carom2d::prelude::*;
use carom2d::shape::{ChainEnds, Polygon};

/// The kinds of shapes, by name.
pub(super) static KINDS: [&str; 8] =
    ["circle", "rectangle", "polygon", "capsule", "segment", "ellipse", "chain", "concave"];

/// What stands first in the words for a shape.
pub(crate) const WORDS: [&str; 11] =
    ["circle", "rectangle", "box", "polygon", "regular", "capsule", "segment", "ellipse", "chain", "loop", "concave"];

/// Examples of the words for a shape.
pub(crate) const EXPECTED: &str = "a shape such as circle 0.5, rectangle 2 1, polygon (0,0) (1,0) (0,1), \
    regular 6 0.5, capsule (0,0) (1,0) 0.3, segment (0,0) (1,0), ellipse 1 0.5, chain (1,0) (0,0), \
    loop (0,0) (0,1) (1,0) or concave (0,0) (2,0) (1,0.5) (1,2)";

/// What may follow the outline: where it is on the body, and what it is made of.
pub(super) const OPTIONS: [&str; 9] =
    ["at", "angle", "radius", "density", "friction", "restitution", "rolling_resistance", "surface_speed", "sensor"];

/// The words for a shape, or for a body, in their parts.
#[derive(Debug)]
pub(super) struct Phrase<'a> {
    /// The first word.
    pub(super) kind: &'a str,
    /// The numbers that follow it.
    pub(super) numbers: Vec<&'a str>,
    /// What comes then: names with their values.
    pub(super) options: Vec<(&'a str, String)>,
}

impl<'a> Phrase<'a> {
    /// Takes the words apart. Each option is a word followed by numbers or by one more word.
    pub(super) fn parse(text: &'a str) -> Result<Phrase<'a>, Expected> {
        let tokens = tokens(text).ok_or("numbers separated by spaces or single commas, and points in parentheses")?;
        let Some((Token::Item(kind), rest)) = tokens.split_first() else { return Err(EXPECTED.into()) };
        let numeric = |tokens: &[Token<'_>]| tokens.iter().take_while(|token| token.is_numeric()).count();
        let (numbers, mut rest) = rest.split_at(numeric(rest));
        let mut options = Vec::new();
        while let Some((&Token::Item(name), after)) = rest.split_first() {
            let count = numeric(after).max(1);
            if after.len() < count {
                return Err(format!("a value after {name}").into());
            }
            let (values, next) = after.split_at(count);
            options.push((name, flatten(values).join(" ")));
            rest = next;
        }
        if rest.is_empty() { Ok(Phrase { kind, numbers: flatten(numbers), options }) } else { Err(EXPECTED.into()) }
    }

    /// The shape without its options.
    pub(super) fn outline(&self) -> Result<ShapeDef, Refusal> {
        let numbers = &self.numbers;
        let all: Vec<f32> = numbers.iter().map(|number| single(number)).collect::<Result<_, _>>()?;
        match (self.kind, &all[..]) {
            ("circle", &[radius]) => Ok(ShapeDef::circle(radius)),
            ("circle", _) => expected("circle and a radius, such as circle 0.5"),
            ("rectangle" | "box", &[width, height]) => Ok(ShapeDef::rectangle(width, height)),
            ("rectangle" | "box", _) => expected("rectangle, a width and a height, such as rectangle 2 1"),
            ("capsule", &[ax, ay, bx, by, radius]) => Ok(ShapeDef::capsule(vec2(ax, ay), vec2(bx, by), radius)),
            ("capsule", _) => expected("capsule, two points and a radius, such as capsule (0,0) (1,0) 0.3"),
            ("segment", &[ax, ay, bx, by]) => Ok(ShapeDef::segment(vec2(ax, ay), vec2(bx, by))),
            ("segment", _) => expected("segment and two points, such as segment (0,0) (1,0)"),
            ("regular", &[_, radius]) => {
                let sides = value::whole(numbers[0], 3, 16)?;
                Ok(ShapeDef::convex(Polygon::regular(sides as usize, radius)?.vertices()))
            }
            ("regular", _) => expected("regular, a number of sides and a radius, such as regular 6 0.5"),
            ("ellipse", &[half_width, half_height]) => Ok(ShapeDef::ellipse(half_width, half_height)),
            ("ellipse", _) => expected("ellipse, half its width and half its height, such as ellipse 1 0.5"),
            ("chain", _) => match points_of(numbers) {
                Ok(points) => Ok(ShapeDef::chain(&points)),
                Err(_) => expected("chain and points, such as chain (1,0) (0,0); it is solid from its right"),
            },
            ("loop", _) => match points_of(numbers) {
                Ok(points) => Ok(ShapeDef::chain_loop(&points)),
                Err(_) => expected("loop and points, such as loop (0,0) (0,1) (1,0); it is solid from its right"),
            },
            ("concave", _) => match points_of(numbers) {
                Ok(points) => Ok(ShapeDef::concave(&points)),
                Err(_) => expected("concave and points, such as concave (0,0) (2,0) (1,0.5) (1,2)"),
            },
            ("polygon", _) => match points_of(numbers) {
                Ok(points) => Ok(ShapeDef::convex(&points)),
                Err(_) => expected("polygon and points, such as polygon (0,0) (1,0) (0,1)"),
            },
            _ => expected(EXPECTED),
        }
    }
}

fn expected<T>(what: &'static str) -> Result<T, Refusal> {
    Err(Refusal::Expected(what.into()))
}

/// The shape that some words describe, on its body.
pub(super) fn shape_def(text: &str) -> Result<ShapeDef, Refusal> {
    let phrase = Phrase::parse(text)?;
    let mut def = phrase.outline()?;
    for (name, value) in &phrase.options {
        set_option(&mut def, name, value)?;
    }
    Ok(def)
}

/// The outline that some words describe, without anything that is no outline.
pub(super) fn geometry(text: &str) -> Result<Geometry, Refusal> {
    let phrase = Phrase::parse(text)?;
    let foreign = phrase.options.iter().find(|(name, _)| !["at", "angle", "radius"].contains(name));
    if let Some((name, _)) = foreign {
        return Err(Expected::from(format!("an outline, with at, angle and radius at most, but not {name}")).into());
    }
    Ok(shape_def(text)?.build()?)
}

fn set_option(def: &mut ShapeDef, name: &str, value: &str) -> Result<(), Refusal> {
    match name {
        "at" => def.position = value::single_vector(value)?,
        "angle" => def.angle = single(value)?,
        "radius" if matches!(def.outline, carom2d::Outline::Rectangle(..) | carom2d::Outline::Convex(_)) => {
            def.rounding = single(value)?;
        }
        "radius" => return expected("a radius only for the corners of rectangles and polygons"),
        "density" => def.density = single(value)?,
        "friction" => def.friction = single(value)?,
        "restitution" => def.restitution = single(value)?,
        "rolling_resistance" => def.rolling_resistance = single(value)?,
        "surface_speed" => def.surface_speed = single(value)?,
        "sensor" => def.sensor = value::flag(value)?,
        _ => return Err(Expected::from(format!("options {}, but not {name}", OPTIONS.join(", "))).into()),
    }
    Ok(())
}

/// A rectangle anywhere on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rectangle {
    pub(super) width: f32,
    pub(super) height: f32,
    pub(super) center: Vec2,
    pub(super) angle: f32,
    /// Of the corners.
    pub(super) radius: f32,
}

impl Rectangle {
    /// The rectangle that a geometry is, if it is one but for rounding.
    pub(super) fn of(geometry: &Geometry) -> Option<Rectangle> {
        let Geometry::Polygon(polygon) = geometry else { return None };
        let &[a, b, c, d] = polygon.vertices() else { return None };
        let (along, across) = (b - a, d - a);
        let (width, height) = (along.length(), across.length());
        let tolerance = 1.0e-5 * (width + height);
        let is_parallelogram = (c - b - across).length() <= tolerance;
        let is_right = along.dot(across).abs() <= tolerance * carom2d::math::min(width, height);
        if !(is_parallelogram && is_right) {
            return None;
        }
        let (center, angle) = (0.5 * (a + c), atan2(along.y, along.x));
        let measured = Rectangle { width, height, center, angle, radius: polygon.radius() };
        // Where rounder numbers make the very same corners, these are what it was made of.
        let rounder = measured.rounded();
        Some(if rounder.geometry().as_ref() == Ok(geometry) { rounder } else { measured })
    }

    fn rounded(&self) -> Rectangle {
        let round = |number: f32| format!("{number:.5e}").parse().unwrap_or(number);
        Rectangle {
            width: round(self.width),
            height: round(self.height),
            center: vec2(round(self.center.x), round(self.center.y)),
            angle: round(self.angle),
            radius: self.radius,
        }
    }

    /// The rectangle as a shape, made as the engine makes those that are described to it.
    pub(super) fn geometry(&self) -> Result<Geometry, DefError> {
        let Rectangle { width, height, center, angle, radius } = *self;
        ShapeDef { position: center, angle, rounding: radius, ..ShapeDef::rectangle(width, height) }.build()
    }
}

/// The name of the kind of a geometry.
pub(super) fn kind(geometry: &Geometry) -> &'static str {
    match geometry {
        Geometry::Circle(_) => "circle",
        Geometry::Capsule(_) => "capsule",
        Geometry::Segment(_) => "segment",
        Geometry::Polygon(_) if Rectangle::of(geometry).is_some() => "rectangle",
        Geometry::Polygon(_) => "polygon",
        Geometry::Ellipse(_) => "ellipse",
        Geometry::Chain(_) => "chain",
        Geometry::Concave(_) => "concave",
        Geometry::Part(_) => "part",
    }
}

/// A geometry in words that [`geometry`] understands.
pub(super) fn describe(geometry: &Geometry) -> String {
    let number = written_single;
    let point = |p: Vec2| format!("({}, {})", number(p.x), number(p.y));
    match geometry {
        Geometry::Circle(circle) if circle.center == Vec2::ZERO => format!("circle {}", number(circle.radius)),
        Geometry::Circle(circle) => format!("circle {} at {}", number(circle.radius), point(circle.center)),
        Geometry::Capsule(capsule) => {
            format!("capsule {} {} {}", point(capsule.a), point(capsule.b), number(capsule.radius))
        }
        Geometry::Segment(segment) => format!("segment {} {}", point(segment.a), point(segment.b)),
        Geometry::Ellipse(ellipse) => {
            let (half, angle) = (ellipse.half_axes, ellipse.rotation.angle());
            let mut text = format!("ellipse {} {}", number(half.x), number(half.y));
            if ellipse.center != Vec2::ZERO {
                text += &format!(" at {}", point(ellipse.center));
            }
            if angle != 0.0 {
                text += &format!(" angle {}", number(angle));
            }
            text
        }
        Geometry::Chain(chain) => {
            let word = if chain.ends() == ChainEnds::Loop { "loop" } else { "chain" };
            let points: Vec<String> = chain.points().iter().map(|&corner| point(corner)).collect();
            format!("{word} {}", points.join(" "))
        }
        Geometry::Concave(concave) if concave.holes().is_empty() => {
            let points: Vec<String> = concave.outline().iter().map(|&corner| point(corner)).collect();
            format!("concave {}", points.join(" "))
        }
        // There are no words for holes.
        Geometry::Concave(concave) => format!("a concave polygon with {} holes", concave.holes().len()),
        Geometry::Part(_) => "a part".to_owned(),
        Geometry::Polygon(polygon) => {
            let mut text = match Rectangle::of(geometry) {
                Some(rectangle) => describe_rectangle(&rectangle),
                None => {
                    let points: Vec<String> = polygon.vertices().iter().map(|&vertex| point(vertex)).collect();
                    format!("polygon {}", points.join(" "))
                }
            };
            if polygon.radius() > 0.0 {
                text += &format!(" radius {}", number(polygon.radius()));
            }
            text
        }
    }
}

fn describe_rectangle(rectangle: &Rectangle) -> String {
    let number = written_single;
    let mut text = format!("rectangle {} {}", number(rectangle.width), number(rectangle.height));
    if rectangle.center != Vec2::ZERO {
        text += &format!(" at ({}, {})", number(rectangle.center.x), number(rectangle.center.y));
    }
    if rectangle.angle != 0.0 {
        text += &format!(" angle {}", number(rectangle.angle));
    }
    text
}
