//! What acts on the bodies of a scene file from outside: fluids, force fields, and the inside of soft bodies.

use super::error::Problem;
use super::json::{Kind, Value};
use super::object::{Object, choice, found_instead, number, vector, vectors, whole};
use super::read::MAX_CONCAVE_POINTS;
use super::write::{Fields, list_of, number as number_text, vector as vector_text, vectors as vectors_text};
use crate::companions::SceneField;
use carom2d::prelude::*;
use carom2d::{PointGravity, Radial, SoftBody, Uniform, Vortex, Wind};
use std::collections::BTreeMap;

/// The fields of each kind of fluid.
const FLUID: &[&str] = &["kind", "density", "linear_drag", "quadratic_drag", "flow"];
pub(super) const BELOW: &[&[&str]] = &[FLUID, &["level"]];
pub(super) const BOX: &[&[&str]] = &[FLUID, &["min", "max"]];
pub(super) const REGION: &[&[&str]] = &[FLUID, &["points"]];
/// The fields of each kind of force field.
pub(super) const UNIFORM: &[&[&str]] = &[&["kind", "acceleration"]];
pub(super) const POINT_GRAVITY: &[&[&str]] = &[&["kind", "center", "strength", "softening"]];
pub(super) const RADIAL: &[&[&str]] = &[&["kind", "center", "radius", "acceleration"]];
pub(super) const VORTEX: &[&[&str]] = &[&["kind", "center", "radius", "acceleration"]];
pub(super) const WIND: &[&[&str]] = &[&["kind", "velocity", "density", "drag"]];
/// The fields of a soft body.
pub(super) const SOFT_BODY: &[&[&str]] = &[&["parts", "radius", "area"]];

/// The fields of an object, and what it is called in messages.
type Form = (&'static [&'static [&'static str]], &'static str);

const FLUIDS: [(&str, Form); 3] = [
    ("below", (BELOW, "a fluid below a height")),
    ("box", (BOX, "a fluid in a box")),
    ("region", (REGION, "a fluid in a region")),
];
const FIELDS: [(&str, Form); 5] = [
    ("uniform", (UNIFORM, "a uniform field")),
    ("point_gravity", (POINT_GRAVITY, "a field of point gravity")),
    ("radial", (RADIAL, "a radial field")),
    ("vortex", (VORTEX, "a vortex")),
    ("wind", (WIND, "wind")),
];

/// An object of one of several kinds, with the fields of its kind.
fn of_kind<'a>(
    value: Value<'a>,
    what: &str,
    kinds: &[(&'static str, Form)],
) -> Result<(Object<'a>, &'static str), Problem> {
    if value.kind() != Kind::Object {
        return Err(found_instead(value, &format!("{what}, which is an object in braces")));
    }
    let Some(kind) = value.fields().find(|field| field.name == "kind") else {
        let names: Vec<String> = kinds.iter().map(|(name, _)| format!("{name:?}")).collect();
        let message = format!("missing; {what} needs one of {}", names.join(", "));
        return Err(Problem::at(value.at, message).in_field("kind"));
    };
    let words: Vec<(&'static str, &'static str)> = kinds.iter().map(|&(name, _)| (name, name)).collect();
    let word = choice(kind.value, &words)?;
    let (fields, what) = kinds.iter().find(|(name, _)| *name == word).map_or((FLUIDS[0].1.0, ""), |(_, form)| *form);
    Ok((Object::new(value, what, fields)?, word))
}

fn elements<'a>(value: Value<'a>, what: &str) -> Result<impl Iterator<Item = Value<'a>>, Problem> {
    if value.kind() != Kind::Array {
        return Err(found_instead(value, &format!("an array of {what}, in brackets")));
    }
    Ok(value.elements())
}

// ---- fluids -------------------------------------------------------------------------------------

/// Adds all fluids.
pub(super) fn read_fluids(world: &mut World, value: Value<'_>) -> Result<(), Problem> {
    for element in elements(value, "fluids")? {
        let (object, kind) = of_kind(element, "a fluid", &FLUIDS)?;
        let own = FluidDef::default();
        let region = match kind {
            "below" => FluidRegion::Below(object.number("level")?.unwrap_or(0.0)),
            "box" => FluidRegion::Box(Aabb::new(
                vector(object.required("min", "the lower left corner of the box, in m")?)?,
                vector(object.required("max", "the upper right corner of the box, in m")?)?,
            )),
            _ => {
                let points = object.required("points", "the corners of the region, in m")?;
                FluidRegion::Polygon(vectors(points, MAX_CONCAVE_POINTS)?)
            }
        };
        let def = FluidDef {
            region,
            density: object.number("density")?.unwrap_or(own.density),
            linear_drag: object.number("linear_drag")?.unwrap_or(own.linear_drag),
            quadratic_drag: object.number("quadratic_drag")?.unwrap_or(own.quadratic_drag),
            flow: object.vector("flow")?.unwrap_or(own.flow),
        };
        world.add_fluid(def).map_err(|error| object.refused(error))?;
    }
    Ok(())
}

pub(super) fn write_fluids(world: &World) -> Vec<String> {
    let own = FluidDef::default();
    let text = |fluid: &FluidDef| {
        let mut fields = Fields::default();
        match &fluid.region {
            FluidRegion::Below(level) => {
                fields.text("kind", "below");
                fields.number("level", *level, 0.0);
            }
            FluidRegion::Box(Aabb { min, max }) => {
                fields.text("kind", "box");
                fields.add("min", vector_text(*min));
                fields.add("max", vector_text(*max));
            }
            FluidRegion::Polygon(points) => {
                fields.text("kind", "region");
                fields.add("points", vectors_text(points));
            }
        }
        fields.number("density", fluid.density, own.density);
        fields.number("linear_drag", fluid.linear_drag, own.linear_drag);
        fields.number("quadratic_drag", fluid.quadratic_drag, own.quadratic_drag);
        fields.vector("flow", fluid.flow, own.flow);
        fields.inline()
    };
    world.fluids().filter_map(|id| world.fluid(id)).map(text).collect()
}

// ---- force fields -------------------------------------------------------------------------------

pub(super) fn read_fields(value: Value<'_>) -> Result<Vec<SceneField>, Problem> {
    elements(value, "force fields")?.map(read_field).collect()
}

fn read_field(value: Value<'_>) -> Result<SceneField, Problem> {
    let (object, kind) = of_kind(value, "a force field", &FIELDS)?;
    let center = |object: &Object<'_>| Ok(object.vector("center")?.unwrap_or(Vec2::ZERO));
    let needed = |name: &str, expected: &str| number(object.required(name, expected)?);
    let at_least_zero = |name: &str, default: f32| match object.get(name) {
        None => Ok(default),
        Some(value) => match number(value)? {
            found if found >= 0.0 => Ok(found),
            _ => Err(found_instead(value, "a number of at least 0")),
        },
    };
    let radius = || {
        let value = object.required("radius", "where it ends, in m")?;
        let found = number(value)?;
        if found > 0.0 { Ok(found) } else { Err(found_instead(value, "a length above 0 m")) }
    };
    const STRONG: &str = "an acceleration in m/s^2";
    Ok(match kind {
        "uniform" => SceneField::Uniform(Uniform { acceleration: vector(object.required("acceleration", STRONG)?)? }),
        "point_gravity" => SceneField::PointGravity(PointGravity {
            center: center(&object)?,
            strength: needed("strength", "an acceleration at 1 m, in m^3/s^2")?,
            softening: at_least_zero("softening", 0.0)?,
        }),
        "radial" => SceneField::Radial(Radial {
            center: center(&object)?,
            radius: radius()?,
            acceleration: needed("acceleration", STRONG)?,
        }),
        "vortex" => SceneField::Vortex(Vortex {
            center: center(&object)?,
            radius: radius()?,
            acceleration: needed("acceleration", STRONG)?,
        }),
        _ => SceneField::Wind(Wind {
            velocity: object.vector("velocity")?.unwrap_or(Vec2::ZERO),
            density: at_least_zero("density", 1.0)?,
            drag: at_least_zero("drag", 1.0)?,
        }),
    })
}

pub(super) fn write_fields(fields: &[SceneField]) -> Vec<String> {
    fields.iter().map(|field| field_text(field).inline()).collect()
}

fn field_text(field: &SceneField) -> Fields {
    let mut fields = Fields::default();
    match field {
        SceneField::Uniform(field) => {
            fields.text("kind", "uniform");
            fields.add("acceleration", vector_text(field.acceleration));
        }
        SceneField::PointGravity(field) => {
            fields.text("kind", "point_gravity");
            fields.vector("center", field.center, Vec2::ZERO);
            fields.add("strength", number_text(field.strength));
            fields.number("softening", field.softening, 0.0);
        }
        SceneField::Radial(Radial { center, radius, acceleration })
        | SceneField::Vortex(Vortex { center, radius, acceleration }) => {
            fields.text("kind", if matches!(field, SceneField::Radial(_)) { "radial" } else { "vortex" });
            fields.vector("center", *center, Vec2::ZERO);
            fields.add("radius", number_text(*radius));
            fields.add("acceleration", number_text(*acceleration));
        }
        SceneField::Wind(field) => {
            fields.text("kind", "wind");
            fields.vector("velocity", field.velocity, Vec2::ZERO);
            fields.number("density", field.density, 1.0);
            fields.number("drag", field.drag, 1.0);
        }
    }
    fields
}

// ---- soft bodies --------------------------------------------------------------------------------

/// The insides of soft bodies, whose discs are among the bodies, which are given in the order of the file.
pub(super) fn read_soft_bodies(world: &World, bodies: &[BodyId], value: Value<'_>) -> Result<Vec<SoftBody>, Problem> {
    let mut soft_bodies = Vec::new();
    for element in elements(value, "soft bodies")? {
        let object = Object::new(element, "a soft body", SOFT_BODY)?;
        let parts = object.required("parts", "its discs, by their places in bodies")?;
        let last = bodies.len().saturating_sub(1) as u64;
        let body = |value: Value<'_>| match whole(value, 0, last)? {
            place if (place as usize) < bodies.len() => Ok(bodies[place as usize]),
            _ => Err(found_instead(value, "the place of a body")),
        };
        let parts = elements(parts, "places of bodies")?.map(body).collect::<Result<Vec<BodyId>, Problem>>()?;
        let radius = number(object.required("radius", "the radius of its discs, in m")?)?;
        let area = number(object.required("area", "the area that it keeps, in m^2")?)?;
        soft_bodies.push(SoftBody::around(world, &parts, radius, area).map_err(|error| object.refused(error))?);
    }
    Ok(soft_bodies)
}

pub(super) fn write_soft_bodies(world: &World, soft_bodies: &[SoftBody]) -> Vec<String> {
    let places: BTreeMap<BodyId, usize> = world.bodies().enumerate().map(|(place, id)| (id, place)).collect();
    let text = |soft: &SoftBody| {
        // One that has lost a disc has burst: there is nothing to keep.
        let parts = soft.parts().iter().map(|id| places.get(id).map(usize::to_string)).collect::<Option<Vec<_>>>()?;
        let mut fields = Fields::default();
        fields.add("parts", list_of(&parts));
        fields.add("radius", number_text(soft.radius()));
        fields.add("area", number_text(soft.rest_area()));
        Some(fields.inline())
    };
    soft_bodies.iter().filter_map(text).collect()
}
