//! The joints of a scene file, read and written.
//!
//! A file names bodies and joints by their place in its lists. Gears may name joints that come later; they
//! are added last, and written last.

use super::error::Problem;
use super::json::{Kind, Value};
use super::object::{Object, bits, choice, found_instead, number, number_or_infinity, vector, whole};
use super::write::{Fields, number as number_text, same_bits, vector as vector_text};
use carom2d::JointRef;
use carom2d::prelude::*;
use std::collections::BTreeMap;

/// As many turns as the engine lets a joint count.
const MAX_TURNS: i32 = 1_000_000;

/// The fields of each kind of joint.
const COMMON: &[&str] = &[
    "kind",
    "position_a",
    "angle_a",
    "rotation_a",
    "position_b",
    "angle_b",
    "rotation_b",
    "turns",
    "collide_connected",
    "enabled",
    "hertz",
    "damping_ratio",
    "break_force",
    "break_torque",
    "user_data",
];
const BODIES: &[&str] = &["body_a", "body_b", "at", "angle"];
pub(super) const DISTANCE: &[&[&str]] = &[COMMON, BODIES, &["min", "max", "spring", "motor"]];
pub(super) const REVOLUTE: &[&[&str]] = &[COMMON, BODIES, &["limits", "motor", "spring", "target_angle"]];
pub(super) const PRISMATIC: &[&[&str]] = &[COMMON, BODIES, &["limits", "motor", "spring", "target"]];
pub(super) const WELD: &[&[&str]] = &[COMMON, BODIES, &["linear", "angular"]];
pub(super) const WHEEL: &[&[&str]] = &[COMMON, BODIES, &["spring", "target", "limits", "motor"]];
pub(super) const DRIVE: &[&[&str]] =
    &[COMMON, BODIES, &["linear", "max_force", "velocity", "angular", "max_torque", "angular_velocity"]];
pub(super) const MOUSE: &[&[&str]] = &[COMMON, BODIES, &["target", "spring", "max_force"]];
pub(super) const GEAR: &[&[&str]] = &[COMMON, &["joint_a", "joint_b", "ratio"]];
pub(super) const FILTER_JOINT: &[&[&str]] = &[COMMON, BODIES];
pub(super) const PULLEY: &[&[&str]] = &[COMMON, BODIES, &["pulley_a", "pulley_b", "length", "ratio"]];
/// The fields of their parts.
pub(super) const SPRING: &[&[&str]] = &[&["hertz", "damping_ratio"]];
pub(super) const DISTANCE_SPRING: &[&[&str]] = &[&["hertz", "damping_ratio", "length"]];
pub(super) const MOTOR: &[&[&str]] = &[&["speed", "max_force"]];

/// The fields of a joint, what it is called in messages, and its kind before anything is known of it.
type Form = (&'static [&'static [&'static str]], &'static str, Blank);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blank {
    Distance,
    Revolute,
    Prismatic,
    Weld,
    Wheel,
    Motor,
    Mouse,
    Gear,
    Pulley,
    Filter,
}

const KINDS: [(&str, Form); 10] = [
    ("distance", (DISTANCE, "a distance joint", Blank::Distance)),
    ("revolute", (REVOLUTE, "a revolute joint", Blank::Revolute)),
    ("prismatic", (PRISMATIC, "a prismatic joint", Blank::Prismatic)),
    ("weld", (WELD, "a weld joint", Blank::Weld)),
    ("wheel", (WHEEL, "a wheel joint", Blank::Wheel)),
    ("motor", (DRIVE, "a motor joint", Blank::Motor)),
    ("mouse", (MOUSE, "a mouse joint", Blank::Mouse)),
    ("gear", (GEAR, "a gear joint", Blank::Gear)),
    ("pulley", (PULLEY, "a pulley joint", Blank::Pulley)),
    ("filter", (FILTER_JOINT, "a filter joint", Blank::Filter)),
];

// ---- reading ------------------------------------------------------------------------------------

/// Adds all joints between the bodies, which are given in the order of the file.
pub(super) fn read(world: &mut World, bodies: &[BodyId], value: Value<'_>) -> Result<(), Problem> {
    if value.kind() != Kind::Array {
        return Err(found_instead(value, "an array of joints, in brackets"));
    }
    let asleep = Asleep::note(world, bodies);
    let mut joints: Vec<Option<JointId>> = Vec::new();
    let mut gears = Vec::new();
    for element in value.elements() {
        let (object, blank) = joint_object(element)?;
        joints.push(match read_kind(&object, blank)? {
            Some(kind) => Some(add(world, &object, between(&object, bodies, kind)?)?),
            None => {
                gears.push(object);
                None
            }
        });
    }
    for object in gears {
        let def = read_gear(world, &object, &joints)?;
        add(world, &object, def)?;
    }
    asleep.restore(world);
    Ok(())
}

/// Adding a joint or a fluid wakes bodies; those that are asleep in the file are put to sleep again.
pub(super) struct Asleep(Vec<BodyId>);

impl Asleep {
    pub(super) fn note(world: &World, bodies: &[BodyId]) -> Asleep {
        let sleeps = |id: &BodyId| world.get_body(*id).is_some_and(|body| body.is_sleeping());
        Asleep(bodies.iter().copied().filter(sleeps).collect())
    }

    /// What hangs on something awake stays awake.
    pub(super) fn restore(self, world: &mut World) {
        let mut restless = Vec::new();
        for id in world.bodies() {
            if world.get_body(id).is_some_and(|body| body.is_awake()) && self.0.binary_search(&id).is_err() {
                restless.extend(world.island_of(id));
            }
        }
        restless.sort_unstable();
        for id in self.0 {
            let island = world.island_of(id);
            if island.is_none_or(|island| restless.binary_search(&island).is_err())
                && let Some(mut body) = world.get_body_mut(id)
            {
                body.sleep();
            }
        }
    }
}

/// The joint with the fields of its kind.
fn joint_object(value: Value<'_>) -> Result<(Object<'_>, Blank), Problem> {
    if value.kind() != Kind::Object {
        return Err(found_instead(value, "a joint, which is an object in braces"));
    }
    let Some(kind) = value.fields().find(|field| field.name == "kind") else {
        let names: Vec<String> = KINDS.iter().map(|(name, _)| format!("{name:?}")).collect();
        let message = format!("missing; a joint needs one of {}", names.join(", "));
        return Err(Problem::at(value.at, message).in_field("kind"));
    };
    let (names, what, blank) = choice(kind.value, &KINDS)?;
    Ok((Object::new(value, what, names)?, blank))
}

fn add(world: &mut World, object: &Object<'_>, def: JointDef) -> Result<JointId, Problem> {
    let own = JointDef::new(def.body_a, def.body_b, def.kind);
    let mut def = JointDef {
        collide_connected: object.flag("collide_connected")?.unwrap_or(own.collide_connected),
        enabled: object.flag("enabled")?.unwrap_or(own.enabled),
        hertz: object.number("hertz")?.unwrap_or(own.hertz),
        damping_ratio: object.number("damping_ratio")?.unwrap_or(own.damping_ratio),
        break_force: object.read("break_force", number_or_infinity)?.unwrap_or(own.break_force),
        break_torque: object.read("break_torque", number_or_infinity)?.unwrap_or(own.break_torque),
        user_data: object.read("user_data", bits)?.unwrap_or(own.user_data),
        ..def
    };
    match object.get("at") {
        Some(at) => {
            for other in ["position_a", "angle_a", "rotation_a", "position_b", "angle_b", "rotation_b"] {
                object.exclusive("at", other)?;
            }
            let pose = Pose::new(vector(at)?, object.number("angle")?.unwrap_or(0.0));
            def = def.at_pose(world, pose).map_err(|error| object.refused(error))?;
        }
        None => {
            if let Some(angle) = object.get("angle") {
                let message = "an angle is there only together with at; use angle_a and angle_b";
                return Err(Problem::at(angle.at, message));
            }
            def.frame_a = read_frame(object, ["position_a", "angle_a", "rotation_a"])?;
            def.frame_b = read_frame(object, ["position_b", "angle_b", "rotation_b"])?;
        }
    }
    let id = world.add_joint(def).map_err(|error| object.refused(error))?;
    let most = i64::from(MAX_TURNS);
    let turns = object.read("turns", |value| whole(value, -most, MAX_TURNS as u64))?;
    if let (Some(turns), Some(mut joint)) = (turns, world.get_joint_mut(id)) {
        joint.set_turns(turns as i32).map_err(|error| object.refused(error))?;
    }
    Ok(id)
}

fn read_frame(object: &Object<'_>, [position, angle, rotation]: [&str; 3]) -> Result<Pose, Problem> {
    object.exclusive(angle, rotation)?;
    let q = match object.vector(rotation)? {
        Some(Vec2 { x: c, y: s }) => Rot { c, s },
        None => object.number(angle)?.map_or(Pose::IDENTITY.q, Rot::from_angle),
    };
    Ok(Pose { p: object.vector(position)?.unwrap_or(Vec2::ZERO), q })
}

/// Which of a list is meant by a number.
fn index(value: Value<'_>, count: usize, what: &str) -> Result<usize, Problem> {
    let number = whole(value, 0, u64::from(u32::MAX))? as usize;
    if number < count {
        return Ok(number);
    }
    let expected = match count {
        0 => format!("one of the {what}, of which there are none"),
        count => format!("one of the {what}, counted from 0 to {}", count - 1),
    };
    Err(found_instead(value, &expected))
}

/// A joint between the bodies that the object names.
fn between(object: &Object<'_>, bodies: &[BodyId], kind: JointKind) -> Result<JointDef, Problem> {
    let body = |name: &str| {
        let value = object.required(name, "two bodies, each by its place in the list of bodies")?;
        index(value, bodies.len(), "bodies").map(|index| bodies[index])
    };
    Ok(JointDef::new(body("body_a")?, body("body_b")?, kind))
}

/// A gear: its bodies are the second ones of its joints.
fn read_gear(world: &World, object: &Object<'_>, joints: &[Option<JointId>]) -> Result<JointDef, Problem> {
    let joint = |name: &str| {
        let value = object.required(name, "two joints, each by its place in the list of joints")?;
        let id = joints[index(value, joints.len(), "joints")?];
        let found = id.and_then(|id| world.get_joint(id)).map(|joint| (joint.id(), joint.body_b()));
        found.ok_or_else(|| found_instead(value, "a revolute or prismatic joint, which this gear is not"))
    };
    let ((joint_a, body_a), (joint_b, body_b)) = (joint("joint_a")?, joint("joint_b")?);
    let ratio = number(object.required("ratio", "a ratio, such as that of the wheels' radii")?)?;
    Ok(JointDef::new(body_a, body_b, JointKind::Gear(Gear { joint_a, joint_b, ratio })))
}

/// What a joint does; none for gears, which have to wait for other joints.
fn read_kind(object: &Object<'_>, blank: Blank) -> Result<Option<JointKind>, Problem> {
    let strength = |name: &str| object.read(name, number_or_infinity).map(|found| found.unwrap_or(f32::INFINITY));
    let place = |name: &str| object.number(name).map(|found| found.unwrap_or(0.0));
    let motor = || object.read("motor", read_motor);
    let limits = || object.read("limits", read_limits);
    let spring = |name: &str, own: Option<Spring>| Ok(object.read(name, read_spring)?.unwrap_or(own));
    let kind = match blank {
        Blank::Distance => JointKind::Distance(Distance {
            min: place("min")?,
            max: strength("max")?,
            spring: object.read("spring", read_distance_spring)?,
            motor: motor()?,
        }),
        Blank::Revolute => JointKind::Revolute(Revolute {
            limits: limits()?,
            motor: motor()?,
            spring: spring("spring", None)?,
            target_angle: place("target_angle")?,
        }),
        Blank::Prismatic => JointKind::Prismatic(Prismatic {
            limits: limits()?,
            motor: motor()?,
            spring: spring("spring", None)?,
            target: place("target")?,
        }),
        Blank::Weld => JointKind::Weld(Weld { linear: spring("linear", None)?, angular: spring("angular", None)? }),
        Blank::Wheel => JointKind::Wheel(Wheel {
            spring: spring("spring", Wheel::default().spring)?,
            target: place("target")?,
            limits: limits()?,
            motor: motor()?,
        }),
        Blank::Motor => {
            let own = Drive::default();
            JointKind::Motor(Drive {
                linear: spring("linear", own.linear)?,
                max_force: strength("max_force")?,
                velocity: object.vector("velocity")?.unwrap_or(own.velocity),
                angular: spring("angular", own.angular)?,
                max_torque: strength("max_torque")?,
                angular_velocity: place("angular_velocity")?,
            })
        }
        Blank::Mouse => JointKind::Mouse(Mouse {
            target: vector(object.required("target", "a target in the world")?)?,
            spring: object.read("spring", |value| spring_of(value, SPRING))?.map_or(Mouse::default().spring, |s| s.0),
            max_force: strength("max_force")?,
        }),
        Blank::Gear => return Ok(None),
        Blank::Filter => JointKind::Filter,
        Blank::Pulley => JointKind::Pulley(Pulley {
            pulley_a: vector(object.required("pulley_a", "the place of the first pulley")?)?,
            pulley_b: vector(object.required("pulley_b", "the place of the second pulley")?)?,
            length: number(object.required("length", "the length of the rope")?)?,
            ratio: object.number("ratio")?.unwrap_or(1.0),
        }),
    };
    Ok(Some(kind))
}

fn read_motor(value: Value<'_>) -> Result<Motor, Problem> {
    let object = Object::new(value, "a motor", MOTOR)?;
    let motor = Motor {
        speed: object.number("speed")?.unwrap_or(0.0),
        max_force: number_or_infinity(object.required("max_force", "a most force or torque, or \"inf\"")?)?,
    };
    motor.validate().map_err(|error| object.refused(error))?;
    Ok(motor)
}

fn read_limits(value: Value<'_>) -> Result<Limits, Problem> {
    let Vec2 { x: lower, y: upper } = vector(value)?;
    let limits = Limits { lower, upper };
    limits.validate().map_err(|_| found_instead(value, "the lower limit, then the upper one"))?;
    Ok(limits)
}

/// A spring, or the word for none.
fn read_spring(value: Value<'_>) -> Result<Option<Spring>, Problem> {
    if value.as_text().as_deref() == Some("none") {
        return Ok(None);
    }
    if value.kind() != Kind::Object {
        return Err(found_instead(value, "a spring such as {\"hertz\": 2, \"damping_ratio\": 0.7}, or \"none\""));
    }
    Ok(Some(spring_of(value, SPRING)?.0))
}

fn read_distance_spring(value: Value<'_>) -> Result<(Spring, f32), Problem> {
    let (spring, object) = spring_of(value, DISTANCE_SPRING)?;
    Ok((spring, number(object.required("length", "its length at rest")?)?))
}

fn spring_of<'a>(value: Value<'a>, names: &'static [&'static [&'static str]]) -> Result<(Spring, Object<'a>), Problem> {
    let own = Spring::default();
    let object = Object::new(value, "a spring", names)?;
    let spring = Spring {
        hertz: object.number("hertz")?.unwrap_or(own.hertz),
        damping_ratio: object.number("damping_ratio")?.unwrap_or(own.damping_ratio),
    };
    spring.validate().map_err(|error| object.refused(error))?;
    Ok((spring, object))
}

// ---- writing ------------------------------------------------------------------------------------

/// The joints in the order in which they are written and, when read, added: gears last.
pub(super) fn in_order(world: &World) -> Vec<JointRef<'_>> {
    let all = || world.joints().filter_map(|id| world.get_joint(id));
    let is_gear = |joint: &JointRef<'_>| matches!(joint.kind(), JointKind::Gear(_));
    all().filter(|joint| !is_gear(joint)).chain(all().filter(is_gear)).collect()
}

/// A text for each joint.
pub(super) fn write(world: &World) -> Vec<String> {
    let bodies: BTreeMap<BodyId, usize> = world.bodies().enumerate().map(|(place, id)| (id, place)).collect();
    let order = in_order(world);
    let joints: BTreeMap<JointId, usize> = order.iter().enumerate().map(|(place, joint)| (joint.id(), place)).collect();
    order.iter().map(|joint| joint_text(joint, &bodies, &joints)).collect()
}

fn joint_text(joint: &JointRef<'_>, bodies: &BTreeMap<BodyId, usize>, joints: &BTreeMap<JointId, usize>) -> String {
    let def = joint.def();
    let own = JointDef::new(def.body_a, def.body_b, def.kind);
    let mut fields = Fields::default();
    fields.text("kind", def.kind.name());
    if let JointKind::Gear(gear) = &def.kind {
        for (name, id) in [("joint_a", gear.joint_a), ("joint_b", gear.joint_b)] {
            fields.add(name, joints[&id].to_string());
        }
    } else {
        fields.add("body_a", bodies[&def.body_a].to_string());
        fields.add("body_b", bodies[&def.body_b].to_string());
    }
    add_frame(&mut fields, ["position_a", "angle_a", "rotation_a"], def.frame_a);
    add_frame(&mut fields, ["position_b", "angle_b", "rotation_b"], def.frame_b);
    add_kind(&mut fields, &def.kind);
    let turns = joint.turns().clamp(-MAX_TURNS, MAX_TURNS);
    if turns != 0 {
        fields.add("turns", turns.to_string());
    }
    fields.flag("collide_connected", def.collide_connected, own.collide_connected);
    fields.flag("enabled", def.enabled, own.enabled);
    fields.number("hertz", def.hertz, own.hertz);
    fields.number("damping_ratio", def.damping_ratio, own.damping_ratio);
    fields.number("break_force", def.break_force, own.break_force);
    fields.number("break_torque", def.break_torque, own.break_torque);
    fields.bits("user_data", def.user_data, own.user_data);
    fields.inline()
}

/// Where a joint sits on a body: by an angle where that gives back the same bits.
fn add_frame(fields: &mut Fields, [position, angle, rotation]: [&'static str; 3], frame: Pose) {
    fields.vector(position, frame.p, Vec2::ZERO);
    let turn = frame.q.angle();
    if same_bits(frame.q.x_axis(), Pose::IDENTITY.q.x_axis()) {
        return;
    }
    if same_bits(Rot::from_angle(turn).x_axis(), frame.q.x_axis()) {
        fields.add(angle, number_text(turn));
    } else {
        fields.add(rotation, vector_text(frame.q.x_axis()));
    }
}

fn add_kind(fields: &mut Fields, kind: &JointKind) {
    match kind {
        JointKind::Distance(joint) => {
            fields.number("min", joint.min, 0.0);
            fields.number("max", joint.max, f32::INFINITY);
            if let Some((spring, length)) = joint.spring {
                let mut inner = spring_fields(spring);
                inner.add("length", number_text(length));
                fields.add("spring", inner.inline());
            }
            add_motor(fields, joint.motor);
        }
        JointKind::Revolute(joint) => {
            add_limits(fields, joint.limits);
            add_motor(fields, joint.motor);
            add_spring(fields, "spring", joint.spring, None);
            fields.number("target_angle", joint.target_angle, 0.0);
        }
        JointKind::Prismatic(joint) => {
            add_limits(fields, joint.limits);
            add_motor(fields, joint.motor);
            add_spring(fields, "spring", joint.spring, None);
            fields.number("target", joint.target, 0.0);
        }
        JointKind::Weld(joint) => {
            add_spring(fields, "linear", joint.linear, None);
            add_spring(fields, "angular", joint.angular, None);
        }
        JointKind::Wheel(joint) => {
            add_spring(fields, "spring", joint.spring, Wheel::default().spring);
            fields.number("target", joint.target, 0.0);
            add_limits(fields, joint.limits);
            add_motor(fields, joint.motor);
        }
        JointKind::Motor(joint) => {
            let own = Drive::default();
            add_spring(fields, "linear", joint.linear, own.linear);
            fields.number("max_force", joint.max_force, own.max_force);
            fields.vector("velocity", joint.velocity, own.velocity);
            add_spring(fields, "angular", joint.angular, own.angular);
            fields.number("max_torque", joint.max_torque, own.max_torque);
            fields.number("angular_velocity", joint.angular_velocity, own.angular_velocity);
        }
        JointKind::Mouse(joint) => {
            fields.add("target", vector_text(joint.target));
            add_spring(fields, "spring", Some(joint.spring), Some(Mouse::default().spring));
            fields.number("max_force", joint.max_force, f32::INFINITY);
        }
        JointKind::Gear(joint) => fields.add("ratio", number_text(joint.ratio)),
        JointKind::Pulley(joint) => {
            fields.add("pulley_a", vector_text(joint.pulley_a));
            fields.add("pulley_b", vector_text(joint.pulley_b));
            fields.add("length", number_text(joint.length));
            fields.number("ratio", joint.ratio, 1.0);
        }
        JointKind::Filter => {}
    }
}

fn add_limits(fields: &mut Fields, limits: Option<Limits>) {
    if let Some(Limits { lower, upper }) = limits {
        fields.add("limits", vector_text(vec2(lower, upper)));
    }
}

fn add_motor(fields: &mut Fields, motor: Option<Motor>) {
    if let Some(motor) = motor {
        let mut inner = Fields::default();
        inner.number("speed", motor.speed, 0.0);
        inner.add("max_force", number_text(motor.max_force));
        fields.add("motor", inner.inline());
    }
}

fn add_spring(fields: &mut Fields, name: &'static str, spring: Option<Spring>, own: Option<Spring>) {
    match spring {
        _ if spring == own => {}
        Some(spring) => fields.add(name, spring_fields(spring).inline()),
        None => fields.text(name, "none"),
    }
}

fn spring_fields(spring: Spring) -> Fields {
    let mut fields = Fields::default();
    fields.add("hertz", number_text(spring.hertz));
    fields.add("damping_ratio", number_text(spring.damping_ratio));
    fields
}
