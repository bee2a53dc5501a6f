//! Shapes attached to bodies: what the user describes ([`ShapeDef`]) and how the engine keeps them.
//!
//! The geometry itself is in [`crate::shape`] and knows nothing of bodies.

use crate::broad::BroadFilter;
use crate::error::{DefError, finite, non_negative};
use crate::filter::Filter;
use crate::material::Material;
use crate::math::{Aabb, Pose, Vec2, min};
use crate::shape::{Chain, ChainEnds, Concave, Geometry, Polygon};

carom_core::define_id! {
    /// A handle to a shape attached to a body.
    pub struct ShapeId;
}

/// The outline of a shape before it is checked: what a [`ShapeDef`] holds.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Outline {
    /// Width and height of a rectangle about the shape's position.
    Rectangle(f32, f32),
    /// Radius of a circle about the shape's position.
    Circle(f32),
    /// Two points and a radius around the line between them.
    Capsule(Vec2, Vec2, f32),
    /// Two points; no thickness, no mass.
    Segment(Vec2, Vec2),
    /// The convex hull of these points, in any order.
    Convex(Vec<Vec2>),
    /// Half the width and half the height of an ellipse about the shape's position.
    Ellipse(f32, f32),
    /// A line through these points, solid from the right of the way it runs, without mass; and
    /// what comes before the first and after the last.
    Chain(Vec<Vec2>, ChainEnds),
    /// A polygon of any form, and the holes in it; each clockwise or counter-clockwise.
    Concave(Vec<Vec2>, Vec<Vec<Vec2>>),
    /// A geometry made beforehand.
    Geometry(Box<Geometry>),
}

/// Describes a shape to attach to a body.
///
/// ```
/// use carom2d::prelude::*;
/// let rubber = ShapeDef { friction: 0.9, restitution: 0.8, ..ShapeDef::circle(0.5) };
/// let plank = ShapeDef { position: vec2(0.0, 1.0), ..ShapeDef::rectangle(4.0, 0.2) };
/// # let _ = (rubber, plank);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ShapeDef {
    /// The outline, about the shape's own position.
    pub outline: Outline,
    /// Rounding radius in metres around rectangles and convex hulls of up to 16 corners, growing
    /// them. Default 0.
    pub rounding: f32,
    /// Position on the body in metres. Default: the body's origin.
    pub position: Vec2,
    /// Angle on the body in radians. Default 0.
    pub angle: f32,
    /// Mass per area in kg/m^2, at least 0. Default 1.
    pub density: f32,
    /// See [`Material::friction`]. Default 0.6.
    pub friction: f32,
    /// See [`Material::restitution`]. Default 0.
    pub restitution: f32,
    /// See [`Material::rolling_resistance`]. Default 0.
    pub rolling_resistance: f32,
    /// See [`Material::surface_speed`]. Default 0.
    pub surface_speed: f32,
    /// Which other shapes it may meet. Default: all.
    pub filter: Filter,
    /// A sensor reports overlaps and pushes nothing: see [`SensorEvent`](crate::SensorEvent). Default false.
    pub sensor: bool,
    /// Makes it a one-way platform: it holds only what comes to lie on the side this direction points to,
    /// and lets pass what comes from elsewhere. In the body's coordinates, of any length from 1e-6 to 1e6;
    /// (0, 1) for a platform to jump onto from below. Default none: solid all around.
    pub one_way: Option<Vec2>,
    /// Report contact begin, end and hit events. Default true.
    pub contact_events: bool,
    /// Report when bounding boxes begin and stop overlapping, too. Default false.
    pub aabb_events: bool,
    /// Anything the user likes. Default 0.
    pub user_data: u64,
}

impl ShapeDef {
    /// A shape with this outline and default material.
    pub fn new(outline: Outline) -> ShapeDef {
        let material = Material::default();
        ShapeDef {
            outline,
            rounding: 0.0,
            position: Vec2::ZERO,
            angle: 0.0,
            density: 1.0,
            friction: material.friction,
            restitution: material.restitution,
            rolling_resistance: material.rolling_resistance,
            surface_speed: material.surface_speed,
            filter: Filter::ALL,
            sensor: false,
            one_way: None,
            contact_events: true,
            aabb_events: false,
            user_data: 0,
        }
    }

    /// A rectangle of full `width` and `height` in metres.
    pub fn rectangle(width: f32, height: f32) -> ShapeDef {
        ShapeDef::new(Outline::Rectangle(width, height))
    }

    /// A circle of the given radius in metres.
    pub fn circle(radius: f32) -> ShapeDef {
        ShapeDef::new(Outline::Circle(radius))
    }

    /// All points within `radius` of the line from `a` to `b`.
    pub fn capsule(a: Vec2, b: Vec2, radius: f32) -> ShapeDef {
        ShapeDef::new(Outline::Capsule(a, b, radius))
    }

    /// A line from `a` to `b`, solid from both sides.
    pub fn segment(a: Vec2, b: Vec2) -> ShapeDef {
        ShapeDef::new(Outline::Segment(a, b))
    }

    /// The convex hull of some points.
    pub fn convex(points: &[Vec2]) -> ShapeDef {
        ShapeDef::new(Outline::Convex(points.to_vec()))
    }

    /// An ellipse of the given half width and half height in metres.
    pub fn ellipse(half_width: f32, half_height: f32) -> ShapeDef {
        ShapeDef::new(Outline::Ellipse(half_width, half_height))
    }

    /// A line through some points, solid from the right of the way it runs: a floor runs from right to left.
    pub fn chain(points: &[Vec2]) -> ShapeDef {
        ShapeDef::new(Outline::Chain(points.to_vec(), ChainEnds::Open))
    }

    /// A closed line through some points, solid from its right: clockwise, it holds things inside.
    pub fn chain_loop(points: &[Vec2]) -> ShapeDef {
        ShapeDef::new(Outline::Chain(points.to_vec(), ChainEnds::Loop))
    }

    /// A polygon of any form, clockwise or counter-clockwise, that does not cross itself.
    pub fn concave(points: &[Vec2]) -> ShapeDef {
        ShapeDef::with_holes(points, &[])
    }

    /// A polygon of any form with holes in it.
    pub fn with_holes(points: &[Vec2], holes: &[Vec<Vec2>]) -> ShapeDef {
        ShapeDef::new(Outline::Concave(points.to_vec(), holes.to_vec()))
    }

    /// A geometry made beforehand.
    pub fn geometry(geometry: Geometry) -> ShapeDef {
        ShapeDef::new(Outline::Geometry(Box::new(geometry)))
    }

    /// The material part of the definition.
    pub fn material(&self) -> Material {
        Material {
            friction: self.friction,
            restitution: self.restitution,
            rolling_resistance: self.rolling_resistance,
            surface_speed: self.surface_speed,
        }
    }

    /// The geometry in body coordinates, or what is wrong with the definition.
    pub fn build(&self) -> Result<Geometry, DefError> {
        crate::body::position("ShapeDef.position", self.position)?;
        finite("ShapeDef.angle", self.angle)?;
        non_negative("ShapeDef.rounding", self.rounding)?;
        density("ShapeDef.density", self.density)?;
        validate_material(&self.material())?;
        one_way("ShapeDef.one_way", self.one_way)?;
        let rounded = |polygon: Polygon| -> Result<Geometry, DefError> {
            Ok(Geometry::Polygon(if self.rounding > 0.0 { polygon.with_radius(self.rounding)? } else { polygon }))
        };
        let local = match &self.outline {
            Outline::Rectangle(width, height) => rounded(Polygon::rectangle(*width, *height)?)?,
            Outline::Circle(radius) => Geometry::circle(*radius)?,
            Outline::Capsule(a, b, radius) => Geometry::capsule(*a, *b, *radius)?,
            Outline::Segment(a, b) => Geometry::segment(*a, *b)?,
            Outline::Convex(points) if self.rounding > 0.0 => rounded(Polygon::convex(points)?)?,
            Outline::Convex(points) => Geometry::convex(points)?,
            Outline::Ellipse(half_width, half_height) => Geometry::ellipse(*half_width, *half_height)?,
            Outline::Chain(points, ends) => Chain::new(points, *ends)?.into(),
            Outline::Concave(points, holes) => Concave::new(points, holes)?.into(),
            Outline::Geometry(geometry) => (**geometry).clone(),
        };
        let placed = if self.position == Vec2::ZERO && self.angle == 0.0 {
            local
        } else {
            local.transformed(Pose::new(self.position, self.angle))
        };
        if let Geometry::Part(_) = placed {
            return Err(DefError::field("ShapeDef.outline", "a part", "a whole chain or concave polygon"));
        }
        placed.validate()?;
        Ok(placed)
    }
}

/// Checks a density.
pub(crate) fn density(field: &'static str, value: f32) -> Result<f32, DefError> {
    if value.is_finite() && (0.0..=1.0e9).contains(&value) {
        Ok(value)
    } else {
        Err(DefError::field(field, value, "a number from 0 to 1e9 (for infinite mass use BodyDef::fixed())"))
    }
}

/// Checks a one-way direction.
pub(crate) fn one_way(field: &'static str, value: Option<Vec2>) -> Result<(), DefError> {
    match value {
        Some(direction) if !(1.0e-6..=1.0e6).contains(&direction.length()) => {
            Err(DefError::field(field, direction, "a direction of a length from 1e-6 to 1e6"))
        }
        _ => Ok(()),
    }
}

/// Checks a material.
pub(crate) fn validate_material(material: &Material) -> Result<(), DefError> {
    if !(0.0..=1.0e6).contains(&material.friction) {
        return Err(DefError::field("ShapeDef.friction", material.friction, "a number from 0 to 1e6"));
    }
    if !(0.0..=1.0).contains(&material.restitution) {
        return Err(DefError::field("ShapeDef.restitution", material.restitution, "a number from 0 to 1"));
    }
    if !(0.0..=1.0e6).contains(&material.rolling_resistance) {
        let expected = "a number from 0 to 1e6";
        return Err(DefError::field("ShapeDef.rolling_resistance", material.rolling_resistance, expected));
    }
    if material.surface_speed.is_nan() || material.surface_speed.abs() > 1.0e6 {
        return Err(DefError::field("ShapeDef.surface_speed", material.surface_speed, "a number from -1e6 to 1e6 m/s"));
    }
    Ok(())
}

/// An attached shape.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Index of the body.
    pub(crate) body: u32,
    /// In body coordinates.
    pub(crate) geometry: Geometry,
    pub(crate) material: Material,
    pub(crate) density: f32,
    pub(crate) filter: Filter,
    pub(crate) sensor: bool,
    pub(crate) one_way: Option<Vec2>,
    pub(crate) contact_events: bool,
    pub(crate) aabb_events: bool,
    /// How much the fat box exceeds the tight one.
    pub(crate) margin: f32,
    /// The box the broad phase knows; it changes only when the shape leaves it. The tight box is computed when it is
    /// asked for: see [`World::tight_aabb`](crate::World::tight_aabb).
    pub(crate) fat_aabb: Aabb,
    /// Key in the broad phase, `NONE` while the body is disabled.
    pub(crate) proxy: u32,
    /// Listed in `World::moved` already.
    pub(crate) moved: bool,
    /// Has looked for partners at least once; shapes of bodies made asleep have not.
    pub(crate) paired: bool,
    /// The shape that this one is a part of; `NONE` for whole shapes.
    pub(crate) owner: u32,
    /// The parts of this one, while it has some.
    pub(crate) parts: Vec<u32>,
    pub(crate) user_data: u64,
}

impl Shape {
    /// The filter that the broad phase sorts by. Groups override categories and masks, so their members
    /// must find and be found whatever these are.
    pub(crate) fn broad_filter(&self) -> BroadFilter {
        let Filter { category, mask, group } = self.filter;
        if group == 0 { BroadFilter { category, mask } } else { BroadFilter::ALL }
    }
}

/// Largest amount by which a fat box exceeds the shape's own box, in metres.
const MAX_MARGIN: f32 = 0.05;
/// ... and as a fraction of the shape's extent, so that small things do not get large boxes.
const MARGIN_PER_EXTENT: f32 = 0.125;

/// The fattening margin of a geometry.
pub(crate) fn fat_margin(geometry: &Geometry) -> f32 {
    min(MAX_MARGIN, MARGIN_PER_EXTENT * geometry.extent(geometry.centroid()))
}
