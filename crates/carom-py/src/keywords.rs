//! Keyword arguments as the engine's definitions: the names are those of the definitions' fields.

use crate::convert::{each_keyword, flag, maybe_number, number, pair, point, text, whole};
use crate::error::refused;
use carom2d::math::Pose;
use carom2d::prelude::*;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

type Value<'a, 'py> = &'a Bound<'py, PyAny>;
type Keywords<'a, 'py> = Option<&'a Bound<'py, PyDict>>;

/// A word out of a few.
fn choice<T: Copy>(name: &str, value: Value<'_, '_>, known: &[(&str, T)]) -> PyResult<T> {
    let word = text(name, value)?;
    known.iter().find(|(known, _)| *known == word).map(|&(_, choice)| choice).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        PyValueError::new_err(format!("{name} is {word:?}; expected one of {}", names.join(", ")))
    })
}

/// The names of the kinds of bodies.
pub(crate) const BODY_KINDS: [(&str, BodyKind); 3] =
    [("fixed", BodyKind::Fixed), ("kinematic", BodyKind::Kinematic), ("dynamic", BodyKind::Dynamic)];

const MIXES: [(&str, Mix); 5] = [
    ("geometric_mean", Mix::GeometricMean),
    ("product", Mix::Product),
    ("mean", Mix::Mean),
    ("min", Mix::Min),
    ("max", Mix::Max),
];

/// What a kind of body is called.
pub(crate) fn kind_name(kind: BodyKind) -> &'static str {
    BODY_KINDS.iter().find(|entry| entry.1 == kind).map_or("", |entry| entry.0)
}

/// A kind of body by its name.
pub(crate) fn body_kind(value: Value<'_, '_>) -> PyResult<BodyKind> {
    choice("kind", value, &BODY_KINDS)
}

/// What a mixing rule is called.
pub(crate) fn mix_name(mix: Mix) -> &'static str {
    MIXES.iter().find(|entry| entry.1 == mix).map_or("", |entry| entry.0)
}

// ---- worlds -------------------------------------------------------------------------------------

pub(crate) const WORLD_NAMES: [&str; 18] = [
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
    "threads",
    "fixed_step_s",
    "max_catch_up",
];

/// Changes one field of the settings of a world. False if there is none of this name.
pub(crate) fn world_field(def: &mut WorldDef, name: &str, value: Value<'_, '_>) -> PyResult<bool> {
    match name {
        "gravity" => def.gravity = point(name, value)?,
        "substeps" => def.substeps = whole(name, value)?,
        "friction_mix" => def.friction_mix = choice(name, value, &MIXES)?,
        "restitution_mix" => def.restitution_mix = choice(name, value, &MIXES)?,
        "restitution_speed" => def.restitution_speed = number(name, value)?,
        "hit_speed" => def.hit_speed = number(name, value)?,
        "contact_hertz" => def.contact_hertz = number(name, value)?,
        "contact_damping" => def.contact_damping = number(name, value)?,
        "push_out_speed" => def.push_out_speed = number(name, value)?,
        "max_speed" => def.max_speed = number(name, value)?,
        "continuous" => def.continuous = if flag(name, value)? { Continuous::On } else { Continuous::Off },
        "sleeping" => def.sleeping = flag(name, value)?,
        "sleep_delay_s" => def.sleep_delay_s = number(name, value)?,
        "solver" => {
            let known = [
                ("soft_step", Solver::SoftStep),
                ("direct", Solver::Direct),
                ("sequential", Solver::Sequential(Sequential::default())),
            ];
            def.solver = choice(name, value, &known)?;
        }
        "broad_phase" => {
            let known =
                [("tree", BroadPhaseKind::Tree), ("quadtree", BroadPhaseKind::Quadtree(QuadtreeDef::default()))];
            def.broad_phase = choice(name, value, &known)?;
        }
        "threads" => def.threads = whole(name, value)?,
        "fixed_step_s" => def.fixed_step_s = number(name, value)?,
        "max_catch_up" => def.max_catch_up = whole(name, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The settings of a world, by keywords.
pub(crate) fn world_def(keywords: Keywords<'_, '_>) -> PyResult<WorldDef> {
    let mut def = WorldDef::default();
    each_keyword("World", &WORLD_NAMES, keywords, |name, value| world_field(&mut def, name, value))?;
    Ok(def)
}

/// One field of the settings of a world, as Python reads it.
pub(crate) fn read_world_field<'py>(py: Python<'py>, def: &WorldDef, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let solver = match def.solver {
        Solver::SoftStep => "soft_step",
        Solver::Direct => "direct",
        Solver::Sequential(_) => "sequential",
    };
    let broad_phase = match def.broad_phase {
        BroadPhaseKind::Tree => "tree",
        BroadPhaseKind::Quadtree(_) => "quadtree",
    };
    Ok(match name {
        "gravity" => Bound::new(py, crate::vector::vector(def.gravity))?.into_any(),
        "substeps" => def.substeps.into_pyobject(py)?.into_any(),
        "friction_mix" => mix_name(def.friction_mix).into_pyobject(py)?.into_any(),
        "restitution_mix" => mix_name(def.restitution_mix).into_pyobject(py)?.into_any(),
        "restitution_speed" => def.restitution_speed.into_pyobject(py)?.into_any(),
        "hit_speed" => def.hit_speed.into_pyobject(py)?.into_any(),
        "contact_hertz" => def.contact_hertz.into_pyobject(py)?.into_any(),
        "contact_damping" => def.contact_damping.into_pyobject(py)?.into_any(),
        "push_out_speed" => def.push_out_speed.into_pyobject(py)?.into_any(),
        "max_speed" => def.max_speed.into_pyobject(py)?.into_any(),
        "continuous" => (def.continuous == Continuous::On).into_pyobject(py)?.to_owned().into_any(),
        "sleeping" => def.sleeping.into_pyobject(py)?.to_owned().into_any(),
        "sleep_delay_s" => def.sleep_delay_s.into_pyobject(py)?.into_any(),
        "solver" => solver.into_pyobject(py)?.into_any(),
        "broad_phase" => broad_phase.into_pyobject(py)?.into_any(),
        "threads" => def.threads.into_pyobject(py)?.into_any(),
        "fixed_step_s" => def.fixed_step_s.into_pyobject(py)?.into_any(),
        _ => def.max_catch_up.into_pyobject(py)?.into_any(),
    })
}

// ---- bodies -------------------------------------------------------------------------------------

const BODY_NAMES: [&str; 17] = [
    "kind",
    "position",
    "angle",
    "velocity",
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
];

/// Locked axes from their letters: "x", "y", "rotation", or several of them.
pub(crate) fn locked_axes(value: Value<'_, '_>) -> PyResult<LockedAxes> {
    let words: Vec<String> = match value.extract::<String>() {
        Ok(word) => vec![word],
        Err(_) => value
            .extract()
            .map_err(|_| PyTypeError::new_err("locked takes names of axes: \"x\", \"y\", \"rotation\", or a list"))?,
    };
    let mut locked = LockedAxes::default();
    for word in words {
        match word.as_str() {
            "x" => locked.x = true,
            "y" => locked.y = true,
            "rotation" => locked.rotation = true,
            _ => {
                return Err(PyValueError::new_err(format!(
                    "locked is {word:?}; expected \"x\", \"y\" or \"rotation\""
                )));
            }
        }
    }
    Ok(locked)
}

/// The names of locked axes.
pub(crate) fn locked_names(locked: LockedAxes) -> Vec<&'static str> {
    [("x", locked.x), ("y", locked.y), ("rotation", locked.rotation)]
        .into_iter()
        .filter_map(|(name, on)| on.then_some(name))
        .collect()
}

/// A body, by keywords.
pub(crate) fn body_def(kind: BodyKind, keywords: Keywords<'_, '_>) -> PyResult<BodyDef> {
    let mut def = BodyDef { kind, ..BodyDef::dynamic() };
    each_keyword("a body", &BODY_NAMES, keywords, |name, value| {
        match name {
            "position" => def.position = point(name, value)?,
            "angle" => def.angle = number(name, value)?,
            "velocity" => def.velocity = point(name, value)?,
            "angular_velocity" => def.angular_velocity = number(name, value)?,
            "mass" => def.mass = maybe_number(name, value)?,
            "inertia" => def.inertia = maybe_number(name, value)?,
            "linear_damping" => def.linear_damping = number(name, value)?,
            "angular_damping" => def.angular_damping = number(name, value)?,
            "gravity_scale" => def.gravity_scale = number(name, value)?,
            "locked" => def.locked = locked_axes(value)?,
            "sleep_speed" => def.sleep_speed = number(name, value)?,
            "can_sleep" => def.can_sleep = flag(name, value)?,
            "bullet" => def.bullet = flag(name, value)?,
            "awake" => def.awake = flag(name, value)?,
            "enabled" => def.enabled = flag(name, value)?,
            "user_data" => def.user_data = whole(name, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(def)
}

// ---- shapes -------------------------------------------------------------------------------------

const SHAPE_NAMES: [&str; 16] = [
    "rounding",
    "position",
    "angle",
    "density",
    "friction",
    "restitution",
    "rolling_resistance",
    "surface_speed",
    "category",
    "mask",
    "group",
    "sensor",
    "one_way",
    "contact_events",
    "aabb_events",
    "user_data",
];

/// Changes one part of a filter. False if there is none of this name.
pub(crate) fn filter_field(filter: &mut Filter, name: &str, value: Value<'_, '_>) -> PyResult<bool> {
    match name {
        "category" => filter.category = whole(name, value)?,
        "mask" => filter.mask = whole(name, value)?,
        "group" => filter.group = whole(name, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Adds keywords to the definition of a shape.
pub(crate) fn shape_def(mut def: ShapeDef, keywords: Keywords<'_, '_>) -> PyResult<ShapeDef> {
    each_keyword("a shape", &SHAPE_NAMES, keywords, |name, value| {
        match name {
            "rounding" => def.rounding = number(name, value)?,
            "position" => def.position = point(name, value)?,
            "angle" => def.angle = number(name, value)?,
            "density" => def.density = number(name, value)?,
            "friction" => def.friction = number(name, value)?,
            "restitution" => def.restitution = number(name, value)?,
            "rolling_resistance" => def.rolling_resistance = number(name, value)?,
            "surface_speed" => def.surface_speed = number(name, value)?,
            "sensor" => def.sensor = flag(name, value)?,
            "one_way" => def.one_way = if value.is_none() { None } else { Some(point(name, value)?) },
            "contact_events" => def.contact_events = flag(name, value)?,
            "aabb_events" => def.aabb_events = flag(name, value)?,
            "user_data" => def.user_data = whole(name, value)?,
            _ => return filter_field(&mut def.filter, name, value),
        }
        Ok(true)
    })?;
    // A definition is checked where it is made, so that the error points there.
    def.build().map_err(refused)?;
    Ok(def)
}

/// What a query sees, by keywords.
pub(crate) fn query_filter(keywords: Keywords<'_, '_>) -> PyResult<QueryFilter<'static>> {
    let mut filter = QueryFilter::default();
    each_keyword("a query", &["category", "mask", "group", "sensors"], keywords, |name, value| {
        if name == "sensors" {
            filter.sensors = flag(name, value)?;
            return Ok(true);
        }
        filter_field(&mut filter.filter, name, value)
    })?;
    Ok(filter)
}

// ---- joints -------------------------------------------------------------------------------------

/// A pose: a point, or x, y and angle.
pub(crate) fn pose(name: &str, value: Value<'_, '_>) -> PyResult<Pose> {
    if value.len().is_ok_and(|count| count == 3) {
        let part = |index: usize| number(name, &value.get_item(index)?);
        return Ok(Pose::new(vec2(part(0)?, part(1)?), part(2)?));
    }
    if value.len().is_ok_and(|count| count == 2)
        && let Ok(angle) = value.get_item(1)?.extract::<f64>()
        && let Ok(place) = point(name, &value.get_item(0)?)
    {
        return Ok(Pose::new(place, angle as f32));
    }
    point(name, value).map(Pose::at)
}

fn limits(name: &str, value: Value<'_, '_>) -> PyResult<Option<Limits>> {
    if value.is_none() {
        return Ok(None);
    }
    pair(name, value).map(|(lower, upper)| Some(Limits::new(lower, upper)))
}

fn motor(name: &str, value: Value<'_, '_>) -> PyResult<Option<Motor>> {
    if value.is_none() {
        return Ok(None);
    }
    pair(name, value).map(|(speed, max_force)| Some(Motor::new(speed, max_force)))
}

/// A spring: its frequency and damping ratio, or its frequency alone.
fn spring(name: &str, value: Value<'_, '_>) -> PyResult<Option<Spring>> {
    if value.is_none() {
        return Ok(None);
    }
    if let Ok(hertz) = value.extract::<f64>() {
        return Ok(Some(Spring { hertz: hertz as f32, ..Spring::default() }));
    }
    pair(name, value).map(|(hertz, damping_ratio)| Some(Spring::new(hertz, damping_ratio)))
}

fn certain_spring(name: &str, value: Value<'_, '_>) -> PyResult<Spring> {
    spring(name, value)?.ok_or_else(|| PyTypeError::new_err(format!("{name} is None; expected a spring")))
}

/// The kinds of joints, with their settings at the start. A gear's joints follow by keywords.
pub(crate) const JOINT_KINDS: [&str; 12] = [
    "revolute",
    "distance",
    "rope",
    "prismatic",
    "weld",
    "wheel",
    "motor",
    "mouse",
    "gear",
    "pulley",
    "spring",
    "filter",
];

/// Changes one setting of a kind of joint. False if it has none of this name.
pub(crate) fn joint_setting(kind: &mut JointKind, name: &str, value: Value<'_, '_>) -> PyResult<bool> {
    match (kind, name) {
        (JointKind::Distance(joint), "length") => {
            let length = number(name, value)?;
            match &mut joint.spring {
                Some((_, rest)) => *rest = length,
                None => (joint.min, joint.max) = (if joint.min == 0.0 { 0.0 } else { length }, length),
            }
        }
        (JointKind::Distance(joint), "min") => joint.min = number(name, value)?,
        (JointKind::Distance(joint), "max") => joint.max = number(name, value)?,
        (JointKind::Distance(joint), "spring") => {
            let rest = joint.spring.map_or(joint.max, |(_, rest)| rest);
            joint.spring = spring(name, value)?.map(|spring| (spring, rest));
        }
        (JointKind::Distance(joint), "motor") => joint.motor = motor(name, value)?,
        (JointKind::Revolute(joint), "limits") => joint.limits = limits(name, value)?,
        (JointKind::Revolute(joint), "motor") => joint.motor = motor(name, value)?,
        (JointKind::Revolute(joint), "spring") => joint.spring = spring(name, value)?,
        (JointKind::Revolute(joint), "target_angle") => joint.target_angle = number(name, value)?,
        (JointKind::Prismatic(joint), "limits") => joint.limits = limits(name, value)?,
        (JointKind::Prismatic(joint), "motor") => joint.motor = motor(name, value)?,
        (JointKind::Prismatic(joint), "spring") => joint.spring = spring(name, value)?,
        (JointKind::Prismatic(joint), "target") => joint.target = number(name, value)?,
        (JointKind::Weld(joint), "linear") => joint.linear = spring(name, value)?,
        (JointKind::Weld(joint), "angular") => joint.angular = spring(name, value)?,
        (JointKind::Wheel(joint), "spring") => joint.spring = spring(name, value)?,
        (JointKind::Wheel(joint), "target") => joint.target = number(name, value)?,
        (JointKind::Wheel(joint), "limits") => joint.limits = limits(name, value)?,
        (JointKind::Wheel(joint), "motor") => joint.motor = motor(name, value)?,
        (JointKind::Motor(joint), "linear") => joint.linear = spring(name, value)?,
        (JointKind::Motor(joint), "max_force") => joint.max_force = number(name, value)?,
        (JointKind::Motor(joint), "velocity") => joint.velocity = point(name, value)?,
        (JointKind::Motor(joint), "angular") => joint.angular = spring(name, value)?,
        (JointKind::Motor(joint), "max_torque") => joint.max_torque = number(name, value)?,
        (JointKind::Motor(joint), "angular_velocity") => joint.angular_velocity = number(name, value)?,
        (JointKind::Mouse(joint), "target") => joint.target = point(name, value)?,
        (JointKind::Mouse(joint), "spring") => joint.spring = certain_spring(name, value)?,
        (JointKind::Mouse(joint), "max_force") => joint.max_force = number(name, value)?,
        (JointKind::Gear(joint), "ratio") => joint.ratio = number(name, value)?,
        (JointKind::Pulley(joint), "pulley_a") => joint.pulley_a = point(name, value)?,
        (JointKind::Pulley(joint), "pulley_b") => joint.pulley_b = point(name, value)?,
        (JointKind::Pulley(joint), "length") => joint.length = number(name, value)?,
        (JointKind::Pulley(joint), "ratio") => joint.ratio = number(name, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The names of the settings of a kind of joint.
pub(crate) fn joint_names(kind: &JointKind) -> &'static [&'static str] {
    match kind {
        JointKind::Distance(_) => &["length", "min", "max", "spring", "motor"],
        JointKind::Revolute(_) => &["limits", "motor", "spring", "target_angle"],
        JointKind::Prismatic(_) => &["limits", "motor", "spring", "target"],
        JointKind::Weld(_) => &["linear", "angular"],
        JointKind::Wheel(_) => &["spring", "target", "limits", "motor"],
        JointKind::Motor(_) => &["linear", "max_force", "velocity", "angular", "max_torque", "angular_velocity"],
        JointKind::Mouse(_) => &["target", "spring", "max_force"],
        JointKind::Gear(_) => &["ratio"],
        JointKind::Pulley(_) => &["pulley_a", "pulley_b", "length", "ratio"],
        JointKind::Filter => &[],
    }
}

/// Changes what all joints have. False if there is none of this name.
pub(crate) fn joint_common(def: &mut JointDef, name: &str, value: Value<'_, '_>) -> PyResult<bool> {
    match name {
        "frame_a" => def.frame_a = pose(name, value)?,
        "frame_b" => def.frame_b = pose(name, value)?,
        "collide_connected" => def.collide_connected = flag(name, value)?,
        "enabled" => def.enabled = flag(name, value)?,
        "hertz" => def.hertz = number(name, value)?,
        "damping_ratio" => def.damping_ratio = number(name, value)?,
        "break_force" => def.break_force = number(name, value)?,
        "break_torque" => def.break_torque = number(name, value)?,
        "user_data" => def.user_data = whole(name, value)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// The names of what all joints have.
pub(crate) const COMMON_JOINT_NAMES: [&str; 10] = [
    "at",
    "frame_a",
    "frame_b",
    "collide_connected",
    "enabled",
    "hertz",
    "damping_ratio",
    "break_force",
    "break_torque",
    "user_data",
];
