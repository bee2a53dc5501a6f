//! Scenes of SFGE, the game engine for which p2 was written: entities with components, in pixels.
//!
//! x = px / 100, y = (720 - py) / 100, angle = -degrees * pi / 180
//!
//! A screen has 1280 by 720 pixels, 100 of them to a metre, y down and angles clockwise. Velocities are in m/s, y down.
//! Gravity, the step and the quadtree are those of p2, which no file states. What is drawn is what collides: a `SHAPE2D`
//! counts only in an entity without a collider, as something to look at. Scripts are not run here: the Python package does,
//! by `carom.sfge`. What a file has besides this is skipped, and the summary of the scene names it. `docs/scene-format.md`
//! describes the format.

use super::error::Problem;
use super::json::{Kind, Value};
use super::object::{Object, flag, found_instead, line, number, vector, whole};
use super::read::{DEFAULT_STEPS, stem};
use super::{MAX_NAME, MAX_SUMMARY, one_line};
use crate::color::Color;
use crate::coursework;
use crate::scene::{About, SceneWorld};
use carom2d::prelude::*;
use std::borrow::Cow;
use std::collections::BTreeSet;

const SCENE: &[&[&str]] = &[&["name", "entities", "systems"]];
const ENTITY: &[&[&str]] = &[&["name", "components"]];
const SYSTEM: &[&[&str]] = &[&["name", "systemClassName", "script_path"]];
const TRANSFORM: &[&[&str]] = &[&["name", "type", "position", "scale", "angle"]];
const SHAPE: &[&[&str]] = &[&["name", "type", "shape_type", "radius", "size"]];
const BODY: &[&[&str]] =
    &[&["name", "type", "body_type", "gravity_scale", "mass", "restitution", "offset", "velocity"]];
const SCRIPT: &[&[&str]] = &[&["name", "type", "script_path"]];
const COLLIDER: &[&[&str]] = &[&["name", "type", "collider_type", "radius", "size", "bouncing", "sensor"]];

/// Numbers of the types of components.
const TRANSFORM_TYPE: i128 = 1;
const SHAPE_TYPE: i128 = 4;
const BODY_TYPE: i128 = 8;
const COLLIDER_TYPE: i128 = 16;
const SCRIPT_TYPE: i128 = 64;

/// Metres per pixel.
const METRES: f32 = 0.01;
/// Bodies per quad and depth of p2's quadtree.
const CAPACITY: u32 = 5;
const MAX_DEPTH: u32 = 5;

/// Is this a scene of SFGE, and not one of carom's own?
pub(super) fn is_meant(root: Value<'_>) -> bool {
    let has = |name: &str| root.fields().any(|field| field.name == name);
    !has("format") && (has("entities") || has("systems"))
}

pub(super) fn read(name: &str, root: Value<'_>) -> Result<SceneWorld, Problem> {
    let mut skipped = Skipped::default();
    let object = skipped.object(root, "a scene", SCENE)?;
    let own_name = object.read("name", |value| line(value, MAX_NAME))?;
    let mut world = World::try_new(WorldDef {
        gravity: coursework::GRAVITY,
        broad_phase: BroadPhaseKind::Quadtree(QuadtreeDef {
            center: coursework::MIDDLE,
            half_extents: coursework::MIDDLE,
            capacity: CAPACITY,
            max_depth: MAX_DEPTH,
        }),
        fixed_step_s: coursework::DT,
        ..WorldDef::default()
    })
    .map_err(|error| object.refused(error))?;
    let mut moving = Vec::new();
    for entity in elements(object.get("entities"), "an array of entities, in brackets")? {
        let body = Entity::read(entity, &mut skipped)?.build(&mut world)?;
        moving.extend(body.filter(|&id| world.body(id).kind() == BodyKind::Dynamic));
    }
    for system in elements(object.get("systems"), "an array of systems, in brackets")? {
        skipped.system(system)?;
    }
    let about = About {
        name: Cow::Owned(own_name.unwrap_or_else(|| stem(name))),
        summary: Cow::Owned(skipped.summary()),
        steps: DEFAULT_STEPS,
        // The same step in double precision.
        dt: 0.02,
        camera: coursework::CAMERA,
    };
    let mut run = SceneWorld::new(about, world);
    for (i, id) in moving.into_iter().enumerate() {
        run.set_color(id, Color::nth(i));
    }
    Ok(run)
}

/// The elements of an array that may be missing.
fn elements<'a>(value: Option<Value<'a>>, expected: &str) -> Result<Vec<Value<'a>>, Problem> {
    match value {
        None => Ok(Vec::new()),
        Some(value) if value.kind() == Kind::Array => Ok(value.elements().collect()),
        Some(value) => Err(found_instead(value, expected)),
    }
}

/// What a file has that has no effect here, each thing once.
#[derive(Default)]
struct Skipped {
    scripts: BTreeSet<String>,
    others: BTreeSet<String>,
}

impl Skipped {
    /// An object of which the fields that are not known are noted.
    fn object<'a>(
        &mut self,
        value: Value<'a>,
        what: &'static str,
        names: &'static [&'static [&'static str]],
    ) -> Result<Object<'a>, Problem> {
        Object::extensible(value, what, names, &mut |name| {
            self.others.insert(format!("{name} of {what}"));
        })
    }

    fn system(&mut self, value: Value<'_>) -> Result<(), Problem> {
        let object = self.object(value, "a system", SYSTEM)?;
        let named = match object.get("systemClassName") {
            Some(value) => value,
            None => object.required("script_path", "a systemClassName or a script_path")?,
        };
        self.scripts.insert(line(named, MAX_NAME)?);
        Ok(())
    }

    /// What the scene says of itself.
    fn summary(&self) -> String {
        let mut text = "an SFGE scene".to_owned();
        for (words, things) in [("; not run: ", &self.scripts), ("; without effect: ", &self.others)] {
            if !things.is_empty() {
                let things: Vec<&str> = things.iter().map(String::as_str).collect();
                text.push_str(words);
                text.push_str(&things.join(", "));
            }
        }
        one_line(&text, MAX_SUMMARY)
    }
}

/// The components of an entity.
struct Entity<'a> {
    value: Value<'a>,
    transform: Option<Object<'a>>,
    body: Option<Object<'a>>,
    shapes: Vec<Object<'a>>,
    colliders: Vec<Object<'a>>,
}

impl<'a> Entity<'a> {
    fn read(value: Value<'a>, skipped: &mut Skipped) -> Result<Entity<'a>, Problem> {
        let object = skipped.object(value, "an entity", ENTITY)?;
        let mut entity = Entity { value, transform: None, body: None, shapes: Vec::new(), colliders: Vec::new() };
        for component in elements(object.get("components"), "an array of components, in brackets")? {
            entity.add(component, skipped)?;
        }
        Ok(entity)
    }

    fn add(&mut self, value: Value<'a>, skipped: &mut Skipped) -> Result<(), Problem> {
        let twice = |what: &str| Problem::at(value.at, format!("an entity has one {what}; remove the other one"));
        match component_type(value)? {
            TRANSFORM_TYPE => {
                let transform = skipped.object(value, "a transform", TRANSFORM)?;
                if transform.read("scale", pair)?.is_some_and(|scale| scale != Vec2::ONE) {
                    // SFGE scales pictures by it and leaves colliders alone.
                    skipped.others.insert("scale of a transform".to_owned());
                }
                self.transform.replace(transform).map_or(Ok(()), |_| Err(twice("transform")))
            }
            BODY_TYPE => {
                let body = skipped.object(value, "a body", BODY)?;
                self.body.replace(body).map_or(Ok(()), |_| Err(twice("body")))
            }
            SHAPE_TYPE => {
                self.shapes.push(skipped.object(value, "a shape", SHAPE)?);
                Ok(())
            }
            COLLIDER_TYPE => {
                let collider = skipped.object(value, "a collider", COLLIDER)?;
                if let Some(bouncing) = collider.get("bouncing") {
                    skipped.others.insert("bouncing of a collider".to_owned());
                    (bouncing.kind() == Kind::Flag || number(bouncing).is_ok())
                        .then_some(())
                        .ok_or_else(|| found_instead(bouncing, "true, false or a number"))?;
                }
                self.colliders.push(collider);
                Ok(())
            }
            SCRIPT_TYPE => {
                let script = skipped.object(value, "a script", SCRIPT)?;
                let path = script.required("script_path", "a script_path")?;
                skipped.scripts.insert(line(path, MAX_NAME)?);
                Ok(())
            }
            other => {
                skipped.others.insert(format!("components of type {other}"));
                Ok(())
            }
        }
    }

    /// Adds its body to the world, if it has something to show or to move.
    fn build(&self, world: &mut World) -> Result<Option<BodyId>, Problem> {
        if self.body.is_none() && !self.colliders.is_empty() {
            let message = "an entity with a collider needs a body, which is a component of the type 8";
            return Err(Problem::at(self.value.at, message));
        }
        let def = self.body_def()?;
        if self.body.is_none() && self.shapes.is_empty() {
            return Ok(None);
        }
        let refused = |error: DefError| match &self.body {
            Some(body) => body.refused(error),
            None => Problem::at(self.value.at, error.to_string()),
        };
        let id = world.add_body(def).map_err(refused)?;
        for shape in self.shape_defs()? {
            world.add_shape(id, shape).map_err(refused)?;
        }
        Ok(Some(id))
    }

    fn body_def(&self) -> Result<BodyDef, Problem> {
        let (mut place, mut angle) = (Vec2::ZERO, 0.0);
        if let Some(transform) = &self.transform {
            place = transform.read("position", pair)?.unwrap_or(place);
            // Adding 0 turns -0 into 0.
            angle = 0.0 - transform.number("angle")?.unwrap_or(0.0).to_radians();
        }
        let Some(body) = &self.body else {
            return Ok(BodyDef { position: coursework::pixel(place.x, place.y), angle, ..BodyDef::fixed() });
        };
        place += body.read("offset", pair)?.unwrap_or(Vec2::ZERO);
        let kind = match body.read("body_type", |value| whole(value, 0, 2))? {
            Some(0) => BodyKind::Fixed,
            Some(1) => BodyKind::Kinematic,
            _ => BodyKind::Dynamic,
        };
        let velocity = body.read("velocity", pair)?.unwrap_or(Vec2::ZERO);
        let mass = body.number("mass")?.unwrap_or(1.0);
        Ok(BodyDef {
            kind,
            position: coursework::pixel(place.x, place.y),
            angle,
            // Fixed bodies have none, whatever the file says.
            velocity: if kind == BodyKind::Fixed { Vec2::ZERO } else { vec2(velocity.x, 0.0 - velocity.y) },
            gravity_scale: body.number("gravity_scale")?.unwrap_or(1.0),
            mass: (kind == BodyKind::Dynamic).then_some(mass),
            ..BodyDef::default()
        })
    }

    fn shape_defs(&self) -> Result<Vec<ShapeDef>, Problem> {
        if self.colliders.is_empty() {
            let unfelt = Filter { mask: 0, ..Filter::default() };
            let picture = |shape| Ok(ShapeDef { sensor: true, filter: unfelt, ..outline(shape, "shape_type")? });
            return self.shapes.iter().map(picture).collect();
        }
        let restitution = self.body.as_ref().map_or(Ok(None), |body| body.number("restitution"))?.unwrap_or(1.0);
        let collider = |collider: &Object<'a>| {
            let sensor = collider.read("sensor", truth)?.unwrap_or(false);
            Ok(ShapeDef { sensor, restitution, friction: 0.0, ..outline(collider, "collider_type")? })
        };
        self.colliders.iter().map(collider).collect()
    }
}

/// The number that says which component it is.
fn component_type(value: Value<'_>) -> Result<i128, Problem> {
    if value.kind() != Kind::Object {
        return Err(found_instead(value, "a component, which is an object in braces"));
    }
    let Some(field) = value.fields().find(|field| field.name == "type") else {
        let message =
            "missing; a component needs 1 (transform), 4 (shape), 8 (body), 16 (collider), 64 (script) or another type";
        return Err(Problem::at(value.at, message).in_field("type"));
    };
    whole(field.value, 0, u64::from(u32::MAX))
}

/// A circle or a rectangle, by the number in the field `kind`.
fn outline(object: &Object<'_>, kind: &str) -> Result<ShapeDef, Problem> {
    let chosen = object.required(kind, "a type: 1 for a circle, 2 for a rectangle")?;
    match whole(chosen, 1, 2)? {
        1 => {
            let radius = object.required("radius", "a radius in pixels")?;
            Ok(ShapeDef::circle(METRES * length(radius, number(radius)?)?))
        }
        _ => {
            let size = object.required("size", "a size in pixels, such as [100, 50]")?;
            let Vec2 { x, y } = pair(size)?;
            Ok(ShapeDef::rectangle(METRES * length(size, x)?, METRES * length(size, y)?))
        }
    }
}

/// A length in pixels that the engine can take.
fn length(value: Value<'_>, pixels: f32) -> Result<f32, Problem> {
    let fits = (1.0e-3..=1.0e7).contains(&pixels);
    if fits { Ok(pixels) } else { Err(found_instead(value, "a length from 1e-3 to 1e7 pixels")) }
}

/// Two numbers: `[1, 2]`, or `{"x": 1, "y": 2}`.
fn pair(value: Value<'_>) -> Result<Vec2, Problem> {
    if value.kind() != Kind::Object {
        return vector(value);
    }
    let object = Object::new(value, "a vector", &[&["x", "y"]])?;
    Ok(vec2(number(object.required("x", "an x")?)?, number(object.required("y", "a y")?)?))
}

/// True or false, also as 1 or 0.
fn truth(value: Value<'_>) -> Result<bool, Problem> {
    match value.kind() {
        Kind::Number => Ok(whole(value, 0, 1)? == 1),
        _ => flag(value),
    }
}
