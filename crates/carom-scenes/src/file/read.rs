//! From the text of a file to a scene at its start.
//!
//! What a file leaves out has the engine's default. What the engine refuses is reported at the value it
//! refused. `docs/scene-format.md` describes the format.

use super::error::{Problem, any_of};
use super::json::{self, Kind, Value};
use super::object::{
    Object, bits, choice, count, found_instead, line, number, number_or_infinity, vector, vectors, whole,
};
use super::{FORMAT, MAX_BYTES, MAX_NAME, MAX_SUMMARY, VERSION, joints, media, sfge, totals, water};
use crate::color::Color;
use crate::scene::{About, Camera, SceneWorld};
use carom_core::text::SceneError;
use carom2d::math::{cross_sv, max, max2, min2};
use carom2d::prelude::*;
use carom2d::shape::{Capsule, ChainEnds, Circle, Ellipse, MAX_POLYGON_VERTICES, Polygon, Segment};
use carom2d::{Motion, Outline};
use std::borrow::Cow;
use std::path::Path;

/// The fields of each kind of object.
pub(super) const SCENE: &[&[&str]] = &[
    &["$schema", "format", "version", "name", "summary", "steps", "dt", "camera", "world", "bodies", "joints"],
    MEDIA,
];
const MEDIA: &[&str] = &["fluids", "fields", "soft_bodies", "particle_fluid"];
pub(super) const CAMERA: &[&[&str]] = &[&["center", "half_height"]];
pub(super) const WORLD: &[&[&str]] = &[&[
    "gravity",
    "substeps",
    "friction_mix",
    "restitution_mix",
    "restitution_speed",
    "hit_speed",
    "contact_hertz",
    "contact_damping",
    "push_out_speed",
    "max_speed",
    "continuous",
    "sleeping",
    "sleep_delay_s",
    "solver",
    "broad_phase",
    "fixed_step_s",
    "max_catch_up",
]];
pub(super) const QUADTREE: &[&[&str]] = &[&["kind", "center", "half_extents", "capacity", "max_depth"]];
pub(super) const SEQUENTIAL: &[&[&str]] =
    &[&["kind", "iterations", "slop", "push", "correction", "edge_weight", "edge_handicap"]];
pub(super) const BODY: &[&[&str]] = &[&[
    "kind",
    "position",
    "center",
    "angle",
    "rotation",
    "velocity",
    "center_velocity",
    "angular_velocity",
    "mass",
    "inertia",
    "linear_damping",
    "angular_damping",
    "gravity_scale",
    "locked",
    "sleep_speed",
    "can_sleep",
    "bullet",
    "awake",
    "enabled",
    "user_data",
    "color",
    "shapes",
]];
const SURFACE: &[&str] = &[
    "density",
    "friction",
    "restitution",
    "rolling_resistance",
    "surface_speed",
    "filter",
    "sensor",
    "one_way",
    "contact_events",
    "aabb_events",
    "user_data",
];
pub(super) const CIRCLE: &[&[&str]] = &[&["kind", "center", "radius"], SURFACE];
pub(super) const RECTANGLE: &[&[&str]] = &[&["kind", "width", "height", "center", "angle", "rounding"], SURFACE];
pub(super) const CAPSULE: &[&[&str]] = &[&["kind", "a", "b", "radius"], SURFACE];
pub(super) const SEGMENT: &[&[&str]] = &[&["kind", "a", "b"], SURFACE];
pub(super) const POLYGON: &[&[&str]] = &[&["kind", "vertices", "rounding", "normals", "centroid"], SURFACE];
pub(super) const ELLIPSE: &[&[&str]] =
    &[&["kind", "half_width", "half_height", "center", "angle", "rotation"], SURFACE];
pub(super) const CHAIN: &[&[&str]] = &[&["kind", "points", "loop", "ghosts"], SURFACE];
pub(super) const CONCAVE: &[&[&str]] = &[&["kind", "points", "holes"], SURFACE];
pub(super) const FILTER: &[&[&str]] = &[&["category", "mask", "group"]];

/// The words of each choice.
pub(super) const BODY_KINDS: [(&str, BodyKind); 3] =
    [("fixed", BodyKind::Fixed), ("kinematic", BodyKind::Kinematic), ("dynamic", BodyKind::Dynamic)];
pub(super) const CORRECTIONS: [(&str, Correction); 3] =
    [("bias", Correction::Bias), ("split", Correction::Split), ("first_impact", Correction::FirstImpact)];
pub(super) const MIXES: [(&str, Mix); 5] = [
    ("geometric_mean", Mix::GeometricMean),
    ("product", Mix::Product),
    ("mean", Mix::Mean),
    ("min", Mix::Min),
    ("max", Mix::Max),
];
pub(super) const CONTINUOUS: [(&str, Continuous); 2] = [("on", Continuous::On), ("off", Continuous::Off)];

/// Points of which a polygon's hull may be taken: enough to be convenient, too few to keep anybody waiting.
const MAX_POINTS: usize = 256;
/// The same for chains, of which every point counts, and for concave polygons, which take time to cut up.
const MAX_CHAIN_POINTS: usize = 1 << 16;
pub(super) const MAX_CONCAVE_POINTS: usize = 10_000;
const MAX_HOLES: usize = 1000;
/// Bodies whose text is longer than this, in bytes, are tried out before they are added.
const LONG_TEXT: usize = 1 << 20;
/// How many steps a scene runs that does not say.
pub(super) const DEFAULT_STEPS: u32 = 600;
const DEFAULT_DT: f64 = 1.0 / 60.0;

pub(super) fn read(name: &str, text: &[u8]) -> Result<SceneWorld, SceneError> {
    if text.len() > MAX_BYTES {
        let message = format!("a scene may have up to {MAX_BYTES} bytes; this file has more");
        return Err(Problem::at(0, message).locate(name, ""));
    }
    let text = text.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(text);
    let text = match std::str::from_utf8(text) {
        Ok(text) => text,
        Err(error) => return Err(not_text(text, error.valid_up_to()).locate(name, &good_part(text))),
    };
    parse(name, text).map_err(|problem| problem.locate(name, text))
}

/// The text up to the first byte that is no part of one.
fn good_part(text: &[u8]) -> String {
    let length = std::str::from_utf8(text).map_or_else(|error| error.valid_up_to(), str::len);
    String::from_utf8_lossy(&text[..length]).into_owned()
}

fn not_text(text: &[u8], at: usize) -> Problem {
    let byte = text.get(at).copied().unwrap_or(0);
    let advice = match text {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "this is UTF-16; save it as UTF-8",
        _ => "is this a scene file, saved as UTF-8?",
    };
    Problem::at(at, format!("expected text in UTF-8, found the byte {byte:#04x}; {advice}"))
}

fn parse(name: &str, text: &str) -> Result<SceneWorld, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::at(
            0,
            format!(
                "the file is empty; the smallest scene is {{\"format\": \"{FORMAT}\", \"version\": {VERSION}, \"bodies\": []}}"
            ),
        ));
    }
    let root = json::check(text)?;
    if sfge::is_meant(root) {
        totals::check(root)?;
        return sfge::read(name, root);
    }
    check_format(root)?;
    totals::check(root)?;
    let object = Object::new(root, "a scene", SCENE)?;
    object.read("$schema", |value| value.as_text().ok_or_else(|| found_instead(value, "a text")))?;
    let dt = object.read("dt", step_length)?.unwrap_or(DEFAULT_DT);
    let mut world = read_world(object.get("world"), dt as f32)?;
    let colors = read_bodies(&mut world, object.required("bodies", "an array of bodies, which may be empty")?)?;
    let bodies: Vec<BodyId> = world.bodies().collect();
    if let Some(joints) = object.get("joints") {
        joints::read(&mut world, &bodies, joints)?;
    }
    if let Some(fluids) = object.get("fluids") {
        let asleep = joints::Asleep::note(&world, &bodies);
        media::read_fluids(&mut world, fluids)?;
        asleep.restore(&mut world);
    }
    let about = About {
        name: match object.read("name", |value| line(value, MAX_NAME))? {
            Some(name) => Cow::Owned(name),
            None => Cow::Owned(stem(name)),
        },
        summary: Cow::Owned(object.read("summary", |value| line(value, MAX_SUMMARY))?.unwrap_or_default()),
        steps: object.read("steps", count)?.unwrap_or(DEFAULT_STEPS),
        dt,
        camera: match object.get("camera") {
            Some(value) => read_camera(value)?,
            None => fitting_camera(&world),
        },
    };
    let mut run = SceneWorld::new(about, world);
    for (id, color) in colors {
        run.set_color(id, color);
    }
    run.companions.fields = object.read("fields", media::read_fields)?.unwrap_or_default();
    let read_soft_bodies = |value| media::read_soft_bodies(&run.world, &bodies, value);
    run.companions.soft_bodies = object.read("soft_bodies", read_soft_bodies)?.unwrap_or_default();
    let gravity = run.world.gravity();
    run.companions.fluid = object.read("particle_fluid", |value| water::read(gravity, value))?.map(Box::new);
    Ok(run)
}

/// The name of a file without its folder and ending.
pub(super) fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem().map_or(Cow::Borrowed(name), |stem| stem.to_string_lossy());
    super::one_line(&stem, MAX_NAME)
}

/// Which format it is, and which version, comes before what its fields are: later ones may have others.
fn check_format(root: Value<'_>) -> Result<(), Problem> {
    if root.kind() != Kind::Object {
        return Err(found_instead(root, "a scene, which is an object in braces"));
    }
    let find = |name: &str, expected: &str| {
        let field = root.fields().find(|field| field.name == name);
        let missing = || Problem::at(root.at, format!("missing; a scene starts with {expected}")).in_field(name);
        field.map(|field| field.value).ok_or_else(missing)
    };
    let format = find("format", &format!("\"format\": \"{FORMAT}\""))?;
    if format.as_text().as_deref() != Some(FORMAT) {
        return Err(found_instead(format, &format!("{FORMAT:?}")));
    }
    let version = find("version", &format!("\"version\": {VERSION}"))?;
    match whole(version, 0, u64::from(u32::MAX))? {
        found if found == i128::from(VERSION) => Ok(()),
        found => Err(Problem::at(
            version.at,
            format!("expected version {VERSION}, found {found}; another carom wrote it: a newer one may read it"),
        )),
    }
}

/// A length of time in seconds, or a text such as "1/60".
fn step_length(value: Value<'_>) -> Result<f64, Problem> {
    let found = match (value.kind(), value.as_text()) {
        (Kind::Number, _) => value.source().parse::<f64>().ok(),
        (_, Some(text)) => text
            .strip_prefix("1/")
            .filter(|rate| rate.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|rate| rate.parse::<u32>().ok())
            .map(|rate| 1.0 / f64::from(rate)),
        _ => None,
    };
    found
        .filter(|dt| (1.0e-6..=1.0).contains(dt))
        .ok_or_else(|| found_instead(value, "seconds from 1e-6 to 1, or a text such as \"1/60\""))
}

fn read_camera(value: Value<'_>) -> Result<Camera, Problem> {
    let object = Object::new(value, "a camera", CAMERA)?;
    let half = object.required("half_height", "half the height of the view, in metres")?;
    let half_height = number(half)?;
    if !(1.0e-6..=1.0e8).contains(&half_height) {
        return Err(found_instead(half, "half the height of the view in metres, from 1e-6 to 1e8"));
    }
    Ok(Camera { center: object.vector("center")?.unwrap_or(Vec2::ZERO), half_height })
}

/// A view of everything, in a picture of the usual proportions.
pub(crate) fn fitting_camera(world: &World) -> Camera {
    const WIDTH_PER_HEIGHT: f32 = 16.0 / 9.0;
    const MARGIN: f32 = 1.1;
    let boxes = world.shapes().filter_map(|id| world.get_shape(id)).map(|shape| shape.aabb());
    let Some(all) = boxes.reduce(|a, b| Aabb::new(min2(a.min, b.min), max2(a.max, b.max))) else {
        return Camera { center: Vec2::ZERO, half_height: 5.0 };
    };
    let half = all.half_extents();
    Camera { center: all.center(), half_height: max(MARGIN * max(half.y, half.x / WIDTH_PER_HEIGHT), 1.0e-3) }
}

fn read_world(value: Option<Value<'_>>, dt: f32) -> Result<World, Problem> {
    let own = WorldDef { fixed_step_s: dt, ..WorldDef::default() };
    let Some(value) = value else {
        return World::try_new(own).map_err(|error| Problem::at(0, error.to_string()));
    };
    let object = Object::new(value, "a world", WORLD)?;
    let (broad_phase, quadtree) = match object.get("broad_phase") {
        Some(value) => read_broad_phase(value)?,
        None => (own.broad_phase, None),
    };
    let (solver, sequential) = match object.get("solver") {
        Some(value) => read_solver(value)?,
        None => (own.solver, None),
    };
    let def = WorldDef {
        gravity: object.vector("gravity")?.unwrap_or(own.gravity),
        substeps: object.read("substeps", count)?.unwrap_or(own.substeps),
        friction_mix: object.read("friction_mix", |value| choice(value, &MIXES))?.unwrap_or(own.friction_mix),
        restitution_mix: object.read("restitution_mix", |value| choice(value, &MIXES))?.unwrap_or(own.restitution_mix),
        restitution_speed: object.number("restitution_speed")?.unwrap_or(own.restitution_speed),
        hit_speed: object.number("hit_speed")?.unwrap_or(own.hit_speed),
        contact_hertz: object.number("contact_hertz")?.unwrap_or(own.contact_hertz),
        contact_damping: object.number("contact_damping")?.unwrap_or(own.contact_damping),
        push_out_speed: object.number("push_out_speed")?.unwrap_or(own.push_out_speed),
        max_speed: object.number("max_speed")?.unwrap_or(own.max_speed),
        continuous: object.read("continuous", |value| choice(value, &CONTINUOUS))?.unwrap_or(own.continuous),
        sleeping: object.flag("sleeping")?.unwrap_or(own.sleeping),
        sleep_delay_s: object.number("sleep_delay_s")?.unwrap_or(own.sleep_delay_s),
        solver,
        broad_phase,
        // The user knows the machine; a file does not.
        threads: own.threads,
        fixed_step_s: object.number("fixed_step_s")?.unwrap_or(own.fixed_step_s),
        max_catch_up: object.read("max_catch_up", count)?.unwrap_or(own.max_catch_up),
    };
    World::try_new(def).map_err(|error| {
        let about = |part: &str| matches!(&error, DefError::Field { field, .. } if field.starts_with(part));
        let quadtree = quadtree.as_ref().filter(|_| about("QuadtreeDef"));
        let sequential = sequential.as_ref().filter(|_| about("Sequential"));
        quadtree.or(sequential).unwrap_or(&object).refused(error)
    })
}

/// The solver, and the object that describes it if there is one.
fn read_solver(value: Value<'_>) -> Result<(Solver, Option<Object<'_>>), Problem> {
    let own = Sequential::default();
    let kinds = [("soft_step", Solver::SoftStep), ("direct", Solver::Direct), ("sequential", Solver::Sequential(own))];
    if value.kind() != Kind::Object {
        return Ok((choice(value, &kinds)?, None));
    }
    let object = Object::new(value, "a solver", SEQUENTIAL)?;
    choice(object.required("kind", "\"sequential\"")?, &[("sequential", ())])?;
    let settings = Sequential {
        iterations: object.read("iterations", count)?.unwrap_or(own.iterations),
        slop: object.number("slop")?.unwrap_or(own.slop),
        push: object.number("push")?.unwrap_or(own.push),
        correction: object.read("correction", |value| choice(value, &CORRECTIONS))?.unwrap_or(own.correction),
        edge_weight: object.number("edge_weight")?.unwrap_or(own.edge_weight),
        edge_handicap: object.number("edge_handicap")?.unwrap_or(own.edge_handicap),
    };
    Ok((Solver::Sequential(settings), Some(object)))
}

/// The broad phase, and the object that describes it if there is one.
fn read_broad_phase(value: Value<'_>) -> Result<(BroadPhaseKind, Option<Object<'_>>), Problem> {
    let own = QuadtreeDef::default();
    let kinds = [("tree", BroadPhaseKind::Tree), ("quadtree", BroadPhaseKind::Quadtree(own))];
    if value.kind() != Kind::Object {
        return Ok((choice(value, &kinds)?, None));
    }
    let object = Object::new(value, "a broad phase", QUADTREE)?;
    choice(object.required("kind", "\"quadtree\"")?, &[("quadtree", ())])?;
    let def = QuadtreeDef {
        center: object.vector("center")?.unwrap_or(own.center),
        half_extents: object.vector("half_extents")?.unwrap_or(own.half_extents),
        capacity: object.read("capacity", count)?.unwrap_or(own.capacity),
        max_depth: object.read("max_depth", count)?.unwrap_or(own.max_depth),
    };
    Ok((BroadPhaseKind::Quadtree(def), Some(object)))
}

/// Adds all bodies; returns the colours of those that have one.
fn read_bodies(world: &mut World, value: Value<'_>) -> Result<Vec<(BodyId, Color)>, Problem> {
    if value.kind() != Kind::Array {
        return Err(found_instead(value, "an array of bodies, in brackets"));
    }
    // Many bodies take much more memory than their text. What is wrong with one of them is found out first, body by body.
    if value.source().len() > LONG_TEXT {
        let mut trial = World::new(WorldDef::default());
        for element in value.elements() {
            let (id, _) = add_body(&mut trial, element)?;
            trial.remove_body(id).ok();
        }
    }
    let mut colors = Vec::new();
    for element in value.elements() {
        let (id, color) = add_body(world, element)?;
        colors.extend(color.map(|color| (id, color)));
    }
    Ok(colors)
}

/// Adds a body with its shapes.
fn add_body(world: &mut World, value: Value<'_>) -> Result<(BodyId, Option<Color>), Problem> {
    let object = Object::new(value, "a body", BODY)?;
    let id = world.add_body(read_body(&object)?).map_err(|error| object.refused(error))?;
    if let Some(shapes) = object.get("shapes") {
        read_shapes(world, id, shapes)?;
    }
    place(world, id, &object)?;
    Ok((id, object.read("color", read_color)?))
}

fn read_body(object: &Object<'_>) -> Result<BodyDef, Problem> {
    let kind = choice(object.required("kind", "\"fixed\", \"kinematic\" or \"dynamic\"")?, &BODY_KINDS)?;
    object.exclusive("position", "center")?;
    object.exclusive("angle", "rotation")?;
    object.exclusive("velocity", "center_velocity")?;
    let own = BodyDef { kind, ..BodyDef::default() };
    Ok(BodyDef {
        kind,
        position: object.vector("position")?.unwrap_or(own.position),
        angle: object.number("angle")?.unwrap_or(own.angle),
        velocity: object.vector("velocity")?.unwrap_or(own.velocity),
        angular_velocity: object.number("angular_velocity")?.unwrap_or(own.angular_velocity),
        mass: object.read("mass", number_or_infinity)?,
        inertia: object.read("inertia", number_or_infinity)?,
        linear_damping: object.number("linear_damping")?.unwrap_or(own.linear_damping),
        angular_damping: object.number("angular_damping")?.unwrap_or(own.angular_damping),
        gravity_scale: object.number("gravity_scale")?.unwrap_or(own.gravity_scale),
        locked: object.read("locked", read_locked)?.unwrap_or(own.locked),
        sleep_speed: object.number("sleep_speed")?.unwrap_or(own.sleep_speed),
        can_sleep: object.flag("can_sleep")?.unwrap_or(own.can_sleep),
        bullet: object.flag("bullet")?.unwrap_or(own.bullet),
        awake: object.flag("awake")?.unwrap_or(own.awake),
        enabled: object.flag("enabled")?.unwrap_or(own.enabled),
        user_data: object.read("user_data", bits)?.unwrap_or(own.user_data),
    })
}

/// Puts a body in place once its shapes have told where its centre of mass is: in one go, because each
/// shape moves the centre a little and would leave its rounding behind.
fn place(world: &mut World, id: BodyId, object: &Object<'_>) -> Result<(), Problem> {
    let Some(mut body) = world.get_body_mut(id) else { return Ok(()) };
    let local_center = body.get().local_center();
    let rotation = match object.vector("rotation")? {
        Some(Vec2 { x: c, y: s }) => Rot { c, s },
        None => Rot::from_angle(object.number("angle")?.unwrap_or(0.0)),
    };
    let angular_velocity = object.number("angular_velocity")?.unwrap_or(0.0);
    let position = object.vector("position")?.unwrap_or(Vec2::ZERO);
    let velocity = object.vector("velocity")?.unwrap_or(Vec2::ZERO);
    let (center, velocity) = about_center(position, velocity, rotation, angular_velocity, local_center);
    let motion = Motion {
        center: object.vector("center")?.unwrap_or(center),
        rotation,
        velocity: object.vector("center_velocity")?.unwrap_or(velocity),
        angular_velocity,
    };
    body.set_motion(motion).map_err(|error| object.refused(error))
}

/// Where the centre of mass is and how fast it moves, from the same of the body's origin.
pub(super) fn about_center(
    position: Vec2,
    velocity: Vec2,
    rotation: Rot,
    angular_velocity: f32,
    local_center: Vec2,
) -> (Vec2, Vec2) {
    // Adding nothing would still turn -0 into 0.
    if local_center == Vec2::ZERO {
        return (position, velocity);
    }
    let arm = rotation.rotate(local_center);
    let velocity = if angular_velocity == 0.0 { velocity } else { velocity + cross_sv(angular_velocity, arm) };
    (position + arm, velocity)
}

fn read_locked(value: Value<'_>) -> Result<LockedAxes, Problem> {
    if value.kind() != Kind::Array {
        return Err(found_instead(value, "an array of \"x\", \"y\" and \"rotation\""));
    }
    let mut locked = LockedAxes::default();
    for element in value.elements() {
        match choice(element, &[("x", 0), ("y", 1), ("rotation", 2)])? {
            0 => locked.x = true,
            1 => locked.y = true,
            _ => locked.rotation = true,
        }
    }
    Ok(locked)
}

fn read_color(value: Value<'_>) -> Result<Color, Problem> {
    let text = value.as_text();
    let digits = text.as_deref().and_then(|text| text.strip_prefix('#'));
    let digits = digits.filter(|digits| digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    match digits.and_then(|digits| u32::from_str_radix(digits, 16).ok()) {
        Some(bits) => Ok(Color { r: (bits >> 16) as u8, g: (bits >> 8) as u8, b: bits as u8 }),
        None => Err(found_instead(value, "a colour such as \"#d94841\": red, green and blue as two digits each")),
    }
}

fn read_shapes(world: &mut World, body: BodyId, value: Value<'_>) -> Result<(), Problem> {
    if value.kind() != Kind::Array {
        return Err(found_instead(value, "an array of shapes, in brackets"));
    }
    // Many at a time, so that the body's mass is seldom made up; not all, for the memory of it.
    const AT_ONCE: usize = 1 << 16;
    let mut attach = |defs: &mut Vec<ShapeDef>| {
        let added = world.add_shapes(body, defs);
        defs.clear();
        added.map_err(|error| Problem::at(value.at, error.to_string()))
    };
    let mut defs = Vec::new();
    for element in value.elements() {
        let object = shape_object(element)?;
        let outline = read_outline(&object)?;
        let def = read_surface(&object, outline)?;
        // What is wrong with it must be told here, where the place is known.
        def.build().map_err(|error| object.refused(error))?;
        defs.push(def);
        if defs.len() == AT_ONCE {
            attach(&mut defs)?;
        }
    }
    attach(&mut defs)?;
    Ok(())
}

/// The shape with the fields of its kind.
fn shape_object(value: Value<'_>) -> Result<Object<'_>, Problem> {
    type Form = (&'static str, &'static [&'static [&'static str]]);
    const KINDS: [(&str, Form); 8] = [
        ("circle", ("a circle", CIRCLE)),
        ("rectangle", ("a rectangle", RECTANGLE)),
        ("capsule", ("a capsule", CAPSULE)),
        ("segment", ("a segment", SEGMENT)),
        ("polygon", ("a polygon", POLYGON)),
        ("ellipse", ("an ellipse", ELLIPSE)),
        ("chain", ("a chain", CHAIN)),
        ("concave", ("a concave polygon", CONCAVE)),
    ];
    if value.kind() != Kind::Object {
        return Err(found_instead(value, "a shape, which is an object in braces"));
    }
    let Some(kind) = value.fields().find(|field| field.name == "kind") else {
        let expected = format!("missing; a shape needs {}", any_of(KINDS.iter().map(|(name, _)| *name)));
        return Err(Problem::at(value.at, expected).in_field("kind"));
    };
    let (what, names) = choice(kind.value, &KINDS)?;
    Object::new(value, what, names)
}

/// The outline of a shape, as a definition with everything else at its default.
fn read_outline(object: &Object<'_>) -> Result<ShapeDef, Problem> {
    let kind = object.required("kind", "a kind")?.as_text();
    let point = |name: &str, expected: &str| vector(object.required(name, expected)?);
    let size = |name: &str, expected: &str| number(object.required(name, expected)?);
    let geometry: Result<Geometry, DefError> = match kind.as_deref() {
        Some("circle") => {
            let center = object.vector("center")?.unwrap_or(Vec2::ZERO);
            Circle::new(center, size("radius", "a radius in metres")?).map(Geometry::Circle)
        }
        Some("capsule") => {
            let (a, b) = (point("a", "the centre of one end")?, point("b", "the centre of the other end")?);
            Capsule::new(a, b, size("radius", "a radius in metres")?).map(Geometry::Capsule)
        }
        Some("segment") => Segment::new(point("a", "one end")?, point("b", "the other end")?).map(Geometry::Segment),
        Some("rectangle") => {
            let (width, height) = (size("width", "a width in metres")?, size("height", "a height in metres")?);
            return Ok(ShapeDef {
                position: object.vector("center")?.unwrap_or(Vec2::ZERO),
                angle: object.number("angle")?.unwrap_or(0.0),
                rounding: object.number("rounding")?.unwrap_or(0.0),
                ..ShapeDef::new(Outline::Rectangle(width, height))
            });
        }
        Some("ellipse") => {
            let half_width = size("half_width", "half its width in metres")?;
            let half_axes = vec2(half_width, size("half_height", "half its height in metres")?);
            object.exclusive("angle", "rotation")?;
            let center = object.vector("center")?.unwrap_or(Vec2::ZERO);
            let turned = object.vector("rotation")?.map(|Vec2 { x: c, y: s }| Rot { c, s });
            Ellipse::new(center, half_axes, object.number("angle")?.unwrap_or(0.0))
                .map(|own| Geometry::Ellipse(Ellipse { rotation: turned.unwrap_or(own.rotation), ..own }))
        }
        Some("chain") => read_chain(object)?,
        Some("concave") => read_concave(object)?,
        _ => read_polygon(object)?.map(Geometry::Polygon),
    };
    geometry.map(ShapeDef::geometry).map_err(|error| object.refused(error))
}

/// A chain, or why the engine refuses it.
fn read_chain(object: &Object<'_>) -> Result<Result<Geometry, DefError>, Problem> {
    let points = vectors(object.required("points", "its points")?, MAX_CHAIN_POINTS)?;
    object.exclusive("loop", "ghosts")?;
    let ends = match object.get("ghosts") {
        Some(value) => match vectors(value, 2)?[..] {
            [before, after] => ChainEnds::Ghosts(before, after),
            _ => return Err(found_instead(value, "two points: before the first and after the last")),
        },
        None if object.flag("loop")?.unwrap_or(false) => ChainEnds::Loop,
        None => ChainEnds::Open,
    };
    Ok(Geometry::chain(&points, ends))
}

/// A concave polygon, or why the engine refuses it.
fn read_concave(object: &Object<'_>) -> Result<Result<Geometry, DefError>, Problem> {
    let points = vectors(object.required("points", "its outline")?, MAX_CONCAVE_POINTS)?;
    let mut room = MAX_CONCAVE_POINTS - points.len();
    let mut holes = Vec::new();
    if let Some(value) = object.get("holes") {
        if value.kind() != Kind::Array {
            return Err(found_instead(value, "an array of holes, each an array of points"));
        }
        for element in value.elements() {
            if holes.len() == MAX_HOLES {
                return Err(Problem::at(element.at, format!("expected at most {MAX_HOLES} of these")));
            }
            let hole = vectors(element, room)?;
            room -= hole.len();
            holes.push(hole);
        }
    }
    Ok(Geometry::with_holes(&points, &holes))
}

/// A polygon, or why the engine refuses it.
fn read_polygon(object: &Object<'_>) -> Result<Result<Polygon, DefError>, Problem> {
    let points = object.required("vertices", "its corners")?;
    let points = vectors(points, MAX_POINTS)?;
    let rounding = object.number("rounding")?.unwrap_or(0.0);
    let normals = object.read("normals", |value| vectors(value, MAX_POLYGON_VERTICES))?;
    let Some(normals) = normals else {
        if let Some(centroid) = object.get("centroid") {
            return Err(Problem::at(centroid.at, "a centroid is there only together with normals; remove it"));
        }
        return Ok(Polygon::convex(&points).and_then(|polygon| {
            // The engine's own way: with no rounding there is nothing to recompute.
            if rounding == 0.0 { Ok(polygon) } else { polygon.with_radius(rounding) }
        }));
    };
    let centroid = vector(object.required("centroid", "its centroid where it has normals")?)?;
    Ok(Polygon::from_parts(&points, &normals, centroid, rounding))
}

/// Everything about a shape but its outline.
fn read_surface(object: &Object<'_>, own: ShapeDef) -> Result<ShapeDef, Problem> {
    Ok(ShapeDef {
        density: object.number("density")?.unwrap_or(own.density),
        friction: object.number("friction")?.unwrap_or(own.friction),
        restitution: object.number("restitution")?.unwrap_or(own.restitution),
        rolling_resistance: object.number("rolling_resistance")?.unwrap_or(own.rolling_resistance),
        surface_speed: object.number("surface_speed")?.unwrap_or(own.surface_speed),
        filter: object.read("filter", read_filter)?.unwrap_or(own.filter),
        sensor: object.flag("sensor")?.unwrap_or(own.sensor),
        one_way: object.vector("one_way")?.or(own.one_way),
        contact_events: object.flag("contact_events")?.unwrap_or(own.contact_events),
        aabb_events: object.flag("aabb_events")?.unwrap_or(own.aabb_events),
        user_data: object.read("user_data", bits)?.unwrap_or(own.user_data),
        ..own
    })
}

pub(super) fn read_filter(value: Value<'_>) -> Result<Filter, Problem> {
    let object = Object::new(value, "a filter", FILTER)?;
    let own = Filter::default();
    let group = |value| whole(value, i64::from(i32::MIN), i32::MAX as u64).map(|number| number as i32);
    Ok(Filter {
        category: object.read("category", bits)?.unwrap_or(own.category),
        mask: object.read("mask", bits)?.unwrap_or(own.mask),
        group: object.read("group", group)?.unwrap_or(own.group),
    })
}
