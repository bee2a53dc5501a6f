//! From a run to the text of a file.
//!
//! What has its default is left out, so the text says what is special about a scene. Numbers have the
//! fewest digits that give back the same bits. Where a plain form (an angle, a rectangle) would not give
//! back the same bits, the exact one is written instead.

use super::read::{BODY_KINDS, CONTINUOUS, CORRECTIONS, MIXES, about_center, fitting_camera};
use super::{FORMAT, MAX_NAME, MAX_SUMMARY, VERSION, joints, media, one_line, water};
use crate::color::Color;
use crate::scene::{Camera, SceneWorld};
use carom2d::prelude::*;
use carom2d::shape::{ChainEnds, MAX_COORDINATE, Polygon};
use carom2d::{BodyRef, ShapeRef};
use std::collections::BTreeMap;
use std::fmt::{Display, LowerExp, Write};

pub(super) fn write(run: &SceneWorld) -> String {
    let about = run.about();
    let colors: BTreeMap<BodyId, Color> = run.colors().collect();
    let bodies: Vec<String> = run
        .world
        .bodies()
        .filter_map(|id| run.world.get_body(id))
        .map(|body| body_text(&run.world, body, &colors))
        .collect();
    let mut scene = Fields::default();
    scene.text("format", FORMAT);
    scene.add("version", VERSION.to_string());
    scene.text("name", &one_line(&about.name, MAX_NAME));
    scene.text("summary", &one_line(&about.summary, MAX_SUMMARY));
    scene.add("steps", about.steps.to_string());
    scene.add("dt", step_text(about.dt));
    scene.add("camera", camera_text(about.camera, &run.world));
    scene.add("world", world_fields(run).block(1));
    scene.add("bodies", list(&bodies, 1));
    let joints = joints::write(&run.world);
    if !joints.is_empty() {
        scene.add("joints", list(&joints, 1));
    }
    let companions = &run.companions;
    for (name, texts) in [
        ("fluids", media::write_fluids(&run.world)),
        ("fields", media::write_fields(&companions.fields)),
        ("soft_bodies", media::write_soft_bodies(&run.world, &companions.soft_bodies)),
    ] {
        if !texts.is_empty() {
            scene.add(name, list(&texts, 1));
        }
    }
    if let Some(fluid) = &companions.fluid {
        scene.add("particle_fluid", water::write(fluid));
    }
    scene.block(0) + "\n"
}

/// The fields of an object in the making.
#[derive(Default)]
pub(super) struct Fields(Vec<(&'static str, String)>);

impl Fields {
    pub(super) fn add(&mut self, name: &'static str, value: String) {
        self.0.push((name, value));
    }

    pub(super) fn text(&mut self, name: &'static str, value: &str) {
        self.add(name, quoted(value));
    }

    /// A number, unless it is the default.
    pub(super) fn number(&mut self, name: &'static str, value: f32, default: f32) {
        if value.to_bits() != default.to_bits() {
            self.add(name, number(value));
        }
    }

    /// Two numbers, unless they are the default.
    pub(super) fn vector(&mut self, name: &'static str, value: Vec2, default: Vec2) {
        if !same_bits(value, default) {
            self.add(name, vector(value));
        }
    }

    pub(super) fn flag(&mut self, name: &'static str, value: bool, default: bool) {
        if value != default {
            self.add(name, value.to_string());
        }
    }

    pub(super) fn whole(&mut self, name: &'static str, value: u32, default: u32) {
        if value != default {
            self.add(name, value.to_string());
        }
    }

    pub(super) fn bits(&mut self, name: &'static str, value: u64, default: u64) {
        if value != default {
            // Above 2^53 programs that know only floating point would round it.
            let exact = value < 1 << 53;
            self.add(name, if exact { value.to_string() } else { format!("\"{value:#x}\"") });
        }
    }

    /// All on one line.
    pub(super) fn inline(&self) -> String {
        let fields: Vec<String> = self.0.iter().map(|(name, value)| format!("\"{name}\": {value}")).collect();
        format!("{{{}}}", fields.join(", "))
    }

    /// A line for each, inside `depth` other blocks.
    pub(super) fn block(&self, depth: usize) -> String {
        let indent = "  ".repeat(depth + 1);
        let lines: Vec<String> = self.0.iter().map(|(name, value)| format!("{indent}\"{name}\": {value}")).collect();
        format!("{{\n{}\n{}}}", lines.join(",\n"), "  ".repeat(depth))
    }
}

/// An array with a line for each element, inside `depth` blocks.
pub(super) fn list(elements: &[String], depth: usize) -> String {
    if elements.is_empty() {
        return "[]".to_owned();
    }
    let indent = "  ".repeat(depth + 1);
    let lines: Vec<String> = elements.iter().map(|element| format!("{indent}{element}")).collect();
    format!("[\n{}\n{}]", lines.join(",\n"), "  ".repeat(depth))
}

/// The shortest digits that give back the same number.
pub(super) fn digits<T: Display + LowerExp>(value: T, magnitude: f64) -> String {
    if magnitude == 0.0 || (1.0e-5..1.0e16).contains(&magnitude) { format!("{value}") } else { format!("{value:e}") }
}

pub(super) fn number(value: f32) -> String {
    if value == f32::INFINITY { "\"inf\"".to_owned() } else { digits(value, f64::from(value).abs()) }
}

pub(super) fn vector(value: Vec2) -> String {
    format!("[{}, {}]", number(value.x), number(value.y))
}

pub(super) fn vectors(values: &[Vec2]) -> String {
    let values: Vec<String> = values.iter().map(|&value| vector(value)).collect();
    list_of(&values)
}

/// An array on one line.
pub(super) fn list_of(elements: &[String]) -> String {
    format!("[{}]", elements.join(", "))
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => write!(out, "\\u{:04x}", u32::from(c)).unwrap_or(()),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(super) fn same_bits(a: Vec2, b: Vec2) -> bool {
    a.x.to_bits() == b.x.to_bits() && a.y.to_bits() == b.y.to_bits()
}

fn step_text(dt: f64) -> String {
    // What a world makes of a step that is no length of time.
    let dt = if dt.is_nan() { 1.0e-6 } else { dt.clamp(1.0e-6, 1.0) };
    let rate = (1.0 / dt).round();
    if 1.0 / rate == dt { format!("\"1/{rate}\"") } else { digits(dt, dt) }
}

fn camera_text(camera: Camera, world: &World) -> String {
    let usable = camera.center.is_finite() && (1.0e-6..=1.0e8).contains(&camera.half_height);
    let camera = if usable { camera } else { fitting_camera(world) };
    let mut fields = Fields::default();
    fields.add("center", vector(camera.center));
    fields.add("half_height", number(camera.half_height));
    fields.inline()
}

fn world_fields(run: &SceneWorld) -> Fields {
    let (def, own) = (run.world.def(), WorldDef { fixed_step_s: run.dt(), ..WorldDef::default() });
    let mut fields = Fields::default();
    fields.add("gravity", vector(def.gravity));
    fields.whole("substeps", def.substeps, own.substeps);
    for (name, mix, default) in [
        ("friction_mix", def.friction_mix, own.friction_mix),
        ("restitution_mix", def.restitution_mix, own.restitution_mix),
    ] {
        if mix != default {
            fields.text(name, word(&MIXES, mix));
        }
    }
    fields.number("restitution_speed", def.restitution_speed, own.restitution_speed);
    fields.number("hit_speed", def.hit_speed, own.hit_speed);
    fields.number("contact_hertz", def.contact_hertz, own.contact_hertz);
    fields.number("contact_damping", def.contact_damping, own.contact_damping);
    fields.number("push_out_speed", def.push_out_speed, own.push_out_speed);
    fields.number("max_speed", def.max_speed, own.max_speed);
    if def.continuous != own.continuous {
        fields.text("continuous", word(&CONTINUOUS, def.continuous));
    }
    fields.flag("sleeping", def.sleeping, own.sleeping);
    fields.number("sleep_delay_s", def.sleep_delay_s, own.sleep_delay_s);
    match &def.solver {
        Solver::SoftStep => {}
        Solver::Direct => fields.text("solver", "direct"),
        Solver::Sequential(settings) => fields.add("solver", sequential_text(settings)),
    }
    if let BroadPhaseKind::Quadtree(quadtree) = &def.broad_phase {
        fields.add("broad_phase", quadtree_text(quadtree));
    }
    fields.number("fixed_step_s", def.fixed_step_s, own.fixed_step_s);
    fields.whole("max_catch_up", def.max_catch_up, own.max_catch_up);
    fields
}

fn sequential_text(settings: &Sequential) -> String {
    let own = Sequential::default();
    let mut fields = Fields::default();
    fields.text("kind", "sequential");
    fields.whole("iterations", settings.iterations, own.iterations);
    fields.number("slop", settings.slop, own.slop);
    fields.number("push", settings.push, own.push);
    if settings.correction != own.correction {
        fields.text("correction", word(&CORRECTIONS, settings.correction));
    }
    fields.number("edge_weight", settings.edge_weight, own.edge_weight);
    fields.number("edge_handicap", settings.edge_handicap, own.edge_handicap);
    fields.inline()
}

fn quadtree_text(def: &QuadtreeDef) -> String {
    let own = QuadtreeDef::default();
    let mut fields = Fields::default();
    fields.text("kind", "quadtree");
    fields.vector("center", def.center, own.center);
    fields.vector("half_extents", def.half_extents, own.half_extents);
    fields.whole("capacity", def.capacity, own.capacity);
    fields.whole("max_depth", def.max_depth, own.max_depth);
    fields.inline()
}

/// The word for one of several choices.
fn word<T: PartialEq + Copy>(choices: &[(&'static str, T)], chosen: T) -> &'static str {
    choices.iter().find(|(_, choice)| *choice == chosen).map_or("", |(name, _)| name)
}

fn body_text(world: &World, body: BodyRef<'_>, colors: &BTreeMap<BodyId, Color>) -> String {
    let (def, own) = (body.def(), BodyDef::default());
    let mut fields = Fields::default();
    fields.text("kind", word(&BODY_KINDS, def.kind));
    add_motion(&mut fields, body, &def);
    for (name, value) in [("mass", def.mass), ("inertia", def.inertia)] {
        if let Some(value) = value {
            fields.add(name, number(value));
        }
    }
    fields.number("linear_damping", def.linear_damping, own.linear_damping);
    fields.number("angular_damping", def.angular_damping, own.angular_damping);
    fields.number("gravity_scale", def.gravity_scale, own.gravity_scale);
    if def.locked != own.locked {
        let axes = [("\"x\"", def.locked.x), ("\"y\"", def.locked.y), ("\"rotation\"", def.locked.rotation)];
        let names: Vec<&str> = axes.iter().filter(|(_, locked)| *locked).map(|(name, _)| *name).collect();
        fields.add("locked", format!("[{}]", names.join(", ")));
    }
    fields.number("sleep_speed", def.sleep_speed, own.sleep_speed);
    fields.flag("can_sleep", def.can_sleep, own.can_sleep);
    fields.flag("bullet", def.bullet, own.bullet);
    fields.flag("awake", def.awake, own.awake);
    fields.flag("enabled", def.enabled, own.enabled);
    fields.bits("user_data", def.user_data, own.user_data);
    if let Some(Color { r, g, b }) = colors.get(&body.id()) {
        fields.add("color", format!("\"#{r:02x}{g:02x}{b:02x}\""));
    }
    let shapes: Vec<String> = body.shapes().filter_map(|id| world.get_shape(id)).map(shape_text).collect();
    if !shapes.is_empty() {
        fields.add("shapes", list(&shapes, 3));
    }
    fields.block(2)
}

/// Where a body is and how it moves: in the plain terms of its origin and angle where reading those gives
/// back the same bits, else in the engine's own.
fn add_motion(fields: &mut Fields, body: BodyRef<'_>, def: &BodyDef) {
    let (motion, local_center) = (body.motion(), body.local_center());
    // What a body has at its centre if that is where its origin is.
    let (position, velocity) =
        if local_center == Vec2::ZERO { (motion.center, motion.velocity) } else { (def.position, def.velocity) };
    let velocity = if motion.angular_velocity == 0.0 { motion.velocity } else { velocity };
    let (center, center_velocity) =
        about_center(position, velocity, motion.rotation, motion.angular_velocity, local_center);
    let allowed = position.x.abs() <= MAX_COORDINATE && position.y.abs() <= MAX_COORDINATE;
    if allowed && same_bits(center, motion.center) {
        fields.add("position", vector(position));
    } else {
        fields.add("center", vector(motion.center));
    }
    let turned = Rot::from_angle(def.angle);
    if same_bits(turned.x_axis(), motion.rotation.x_axis()) {
        fields.number("angle", def.angle, 0.0);
    } else {
        fields.add("rotation", vector(motion.rotation.x_axis()));
    }
    if same_bits(center_velocity, motion.velocity) {
        fields.vector("velocity", velocity, Vec2::ZERO);
    } else {
        fields.add("center_velocity", vector(motion.velocity));
    }
    fields.number("angular_velocity", motion.angular_velocity, 0.0);
}

fn shape_text(shape: ShapeRef<'_>) -> String {
    let def = shape.def();
    let mut fields = Fields::default();
    match shape.geometry() {
        Geometry::Circle(circle) => {
            fields.text("kind", "circle");
            fields.vector("center", circle.center, Vec2::ZERO);
            fields.add("radius", number(circle.radius));
        }
        Geometry::Capsule(capsule) => {
            fields.text("kind", "capsule");
            fields.add("a", vector(capsule.a));
            fields.add("b", vector(capsule.b));
            fields.add("radius", number(capsule.radius));
        }
        Geometry::Segment(segment) => {
            fields.text("kind", "segment");
            fields.add("a", vector(segment.a));
            fields.add("b", vector(segment.b));
        }
        Geometry::Polygon(polygon) => add_polygon(&mut fields, polygon),
        Geometry::Ellipse(ellipse) => {
            fields.text("kind", "ellipse");
            fields.add("half_width", number(ellipse.half_axes.x));
            fields.add("half_height", number(ellipse.half_axes.y));
            fields.vector("center", ellipse.center, Vec2::ZERO);
            let angle = ellipse.rotation.angle();
            if same_bits(Rot::from_angle(angle).x_axis(), ellipse.rotation.x_axis()) {
                fields.number("angle", angle, 0.0);
            } else {
                fields.add("rotation", vector(ellipse.rotation.x_axis()));
            }
        }
        Geometry::Chain(chain) => {
            fields.text("kind", "chain");
            fields.add("points", vectors(chain.points()));
            match chain.ends() {
                ChainEnds::Open => {}
                ChainEnds::Loop => fields.flag("loop", true, false),
                ChainEnds::Ghosts(before, after) => fields.add("ghosts", vectors(&[before, after])),
            }
        }
        Geometry::Concave(concave) => {
            fields.text("kind", "concave");
            fields.add("points", vectors(concave.outline()));
            if !concave.holes().is_empty() {
                let holes: Vec<String> = concave.holes().iter().map(|hole| vectors(hole)).collect();
                fields.add("holes", format!("[{}]", holes.join(", ")));
            }
        }
        // A world has them inside of their wholes only.
        Geometry::Part(_) => {}
    }
    let own = ShapeDef::circle(1.0);
    fields.number("density", def.density, own.density);
    fields.number("friction", def.friction, own.friction);
    fields.number("restitution", def.restitution, own.restitution);
    fields.number("rolling_resistance", def.rolling_resistance, own.rolling_resistance);
    fields.number("surface_speed", def.surface_speed, own.surface_speed);
    if def.filter != own.filter {
        fields.add("filter", filter_text(&def.filter, &own.filter));
    }
    fields.flag("sensor", def.sensor, own.sensor);
    if let Some(direction) = def.one_way {
        fields.add("one_way", vector(direction));
    }
    fields.flag("contact_events", def.contact_events, own.contact_events);
    fields.flag("aabb_events", def.aabb_events, own.aabb_events);
    fields.bits("user_data", def.user_data, own.user_data);
    fields.inline()
}

pub(super) fn filter_text(filter: &Filter, own: &Filter) -> String {
    let mut fields = Fields::default();
    fields.bits("category", filter.category, own.category);
    fields.bits("mask", filter.mask, own.mask);
    if filter.group != own.group {
        fields.add("group", filter.group.to_string());
    }
    fields.inline()
}

/// A polygon as a rectangle if it was made as one, else by its corners, and if those do not say it all,
/// with its normals.
fn add_polygon(fields: &mut Fields, polygon: &Polygon) {
    let rounding = polygon.radius();
    if let Some(def) = as_rectangle(polygon) {
        let carom2d::Outline::Rectangle(width, height) = def.outline else { return };
        fields.text("kind", "rectangle");
        fields.add("width", number(width));
        fields.add("height", number(height));
        fields.vector("center", def.position, Vec2::ZERO);
        fields.number("angle", def.angle, 0.0);
        fields.number("rounding", rounding, 0.0);
        return;
    }
    fields.text("kind", "polygon");
    fields.add("vertices", vectors(polygon.vertices()));
    fields.number("rounding", rounding, 0.0);
    let sharp = Polygon::convex(polygon.vertices());
    let again = sharp.and_then(|sharp| if rounding == 0.0 { Ok(sharp) } else { sharp.with_radius(rounding) });
    if again.as_ref() != Ok(polygon) {
        fields.add("normals", vectors(polygon.normals()));
        fields.add("centroid", vector(polygon.centroid()));
    }
}

/// The rectangle that gives this polygon, if one does.
fn as_rectangle(polygon: &Polygon) -> Option<ShapeDef> {
    let &[first, second, third, last] = polygon.vertices() else { return None };
    let angle = if polygon.normals()[1] == Vec2::X {
        0.0
    } else {
        let axis = polygon.normals()[1];
        Rot { c: axis.x, s: axis.y }.angle()
    };
    // The centroid of a rounded rectangle has been computed, and rounded.
    let position = if polygon.radius() == 0.0 { polygon.centroid() } else { 0.5 * (first + third) };
    let (width, height) = ((second - first).length(), (last - first).length());
    // A rectangle off the origin has lost the last digits of its sides; few digits come first.
    let (short_width, short_height) = (few_digits(width), few_digits(height));
    let candidates = [(short_width, short_height), (width, height), (short_width, height), (width, short_height)];
    candidates.into_iter().find_map(|(width, height)| {
        let rounding = polygon.radius();
        let def = ShapeDef { position, angle, rounding, ..ShapeDef::rectangle(width, height) };
        let same = def.build().is_ok_and(|geometry| geometry == Geometry::Polygon(*polygon));
        same.then_some(def)
    })
}

/// The number rounded to six significant digits.
fn few_digits(value: f32) -> f32 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
