//! The properties of a scene in space and of its bodies. What a body is made of can be changed while it moves; its shape
//! stays as it was made.

use super::error::Refusal;
use super::path::Place;
use super::row::{Outcome, Property, Set};
use super::value::{Value, Word};
use carom_scenes::{Run, SolidRun};
use carom3d::math::{DVec3, Quat};
use carom3d::{BodyMut, BodyRef, Integrator, Material, SpinFrame, WorldDef};

/// In the order of [`Integrator::ALL`].
static INTEGRATOR_NAMES: [&str; 5] = ["rk4", "verlet", "symplectic", "euler", "implicit"];

/// The properties of `world`.
pub(super) static WORLD_ROWS: &[Property] = &[
    Property::new("gravity", "gravity in m/s^2", |run, _| Some(vector(def(run)?.gravity)))
        .set(Set::Triple(|run, _, value| change_def(run, |def| def.gravity = DVec3::from_array(value)))),
    Property::new("integrator", "how states follow from forces", |run, _| {
        let index = Integrator::ALL.iter().position(|&other| Some(other) == def(run).map(|def| def.integrator))?;
        Some(Value::Word(Word::nth(&INTEGRATOR_NAMES, index)))
    })
    .set(Set::Word(&INTEGRATOR_NAMES, |run, _, index| change_def(run, |def| def.integrator = Integrator::ALL[index]))),
    Property::new(
        "contact_modulus",
        "stiffness in Pa of balls that touch; inf: one impact after the other",
        |run, _| Some(def(run)?.contact_modulus.into()),
    )
    .set(Set::Double(|run, _, value| change_def(run, |def| def.contact_modulus = value))),
    Property::new("restitution_speed", "speed in m/s below which nothing rebounds", |run, _| {
        Some(def(run)?.restitution_speed.into())
    })
    .set(Set::Double(|run, _, value| change_def(run, |def| def.restitution_speed = value))),
    Property::new("rest_iterations", "most rounds in which resting contacts are balanced", |run, _| {
        Some(def(run)?.rest_iterations.into())
    })
    .set(Set::Whole(1, 1000, |run, _, value| change_def(run, |def| def.rest_iterations = value as u32))),
    Property::new("sleeping", "may bodies fall asleep?", |run, _| Some(def(run)?.sleeping.into()))
        .set(Set::Flag(|run, _, value| change_def(run, |def| def.sleeping = value))),
    Property::new("sleep_speed", "speed in m/s below which a body is at rest", |run, _| {
        Some(def(run)?.sleep_speed.into())
    })
    .set(Set::Double(|run, _, value| change_def(run, |def| def.sleep_speed = value))),
    Property::new("sleep_delay", "rest in s before bodies fall asleep", |run, _| Some(def(run)?.sleep_delay_s.into()))
        .set(Set::Double(|run, _, value| change_def(run, |def| def.sleep_delay_s = value))),
    Property::new("spin_frame", "about which axes the scene's angular velocities are meant", |run, _| {
        Some(Value::Text(spin_frame_name(solid(run)?.spin_frame()).to_owned()))
    }),
    Property::new("dt", "length of a step in s", |run, _| Some(Value::Number(solid(run)?.about().dt))),
    Property::new("time", "simulated time in s", |run, _| Some(Value::Number(solid(run)?.scene.world.time_s()))),
    Property::new("bodies", "how many bodies there are", |run, _| count(solid(run)?.scene.world.body_count())),
    Property::new("awake", "how many of them are awake", |run, _| count(solid(run)?.scene.world.awake_count())),
    Property::new("springs", "how many springs there are", |run, _| count(solid(run)?.scene.world.spring_count())),
    Property::new("kinetic_energy", "in J", |run, _| Some(Value::Number(solid(run)?.scene.world.kinetic_energy()))),
    Property::new("potential_energy", "of gravity and springs, in J", |run, _| {
        Some(Value::Number(solid(run)?.scene.world.potential_energy()))
    }),
    Property::new("momentum", "in N s", |run, _| Some(vector(solid(run)?.scene.world.momentum()))),
];

/// The properties of `body.N`.
pub(super) static BODY_ROWS: &[Property] = &[
    Property::new("position", "position of its centre in m", |run, at| Some(vector(body(run, at)?.position())))
        .set(Set::Triple(|run, at, value| change(run, at, |body| body.set_position(DVec3::from_array(value))))),
    Property::new("velocity", "velocity in m/s", |run, at| Some(vector(body(run, at)?.velocity())))
        .set(Set::Triple(|run, at, value| change(run, at, |body| body.set_velocity(DVec3::from_array(value))))),
    Property::new("orientation", "a quaternion: w, x, y, z", |run, at| {
        let q = body(run, at)?.orientation();
        Some(Value::List([q.w, q.x, q.y, q.z].map(Value::Number).to_vec()))
    })
    .set(Set::Quaternion(|run, at, [w, x, y, z]| change(run, at, |body| body.set_orientation(Quat { w, x, y, z })))),
    Property::new("angular_velocity", "angular velocity in rad/s", |run, at| {
        Some(vector(body(run, at)?.angular_velocity()))
    })
    .set(Set::Triple(|run, at, value| change(run, at, |body| body.set_angular_velocity(DVec3::from_array(value))))),
    Property::new("mass", "mass in kg", |run, at| Some(Value::Number(body(run, at)?.mass())))
        .set(Set::Double(|run, at, value| change(run, at, |body| body.set_mass(value)))),
    Property::new("friction", "friction of its surface", |run, at| Some(body(run, at)?.material().friction.into()))
        .set(Set::Double(|run, at, value| change_material(run, at, |material| material.friction = value))),
    Property::new("restitution", "rebound speed over impact speed", |run, at| {
        Some(body(run, at)?.material().restitution.into())
    })
    .set(Set::Double(|run, at, value| change_material(run, at, |material| material.restitution = value))),
    Property::new("rolling_resistance", "resistance to rolling, as a fraction of the radius", |run, at| {
        Some(body(run, at)?.material().rolling_resistance.into())
    })
    .set(Set::Double(|run, at, value| change_material(run, at, |material| material.rolling_resistance = value))),
    Property::new("radius", "radius in m", |run, at| Some(Value::Number(body(run, at)?.radius()?))),
    Property::new("awake", "is it awake?", |run, at| Some(Value::Flag(body(run, at)?.is_awake()))),
    Property::new("kinetic_energy", "in J", |run, at| Some(Value::Number(body(run, at)?.kinetic_energy()))),
];

pub(crate) fn spin_frame_name(frame: SpinFrame) -> &'static str {
    match frame {
        SpinFrame::World => "world",
        SpinFrame::Body => "body",
    }
}

fn solid(run: &Run) -> Option<&SolidRun> {
    run.as_solid()
}

fn solid_mut(run: &mut Run) -> Result<&mut SolidRun, Refusal> {
    match run {
        Run::Solid(run) => Ok(run),
        Run::Rigid(_) | Run::Particles(_) => Err(Refusal::Absent),
    }
}

fn def(run: &Run) -> Option<&WorldDef> {
    Some(solid(run)?.scene.world.def())
}

fn change_def(run: &mut Run, change: impl FnOnce(&mut WorldDef)) -> Outcome {
    let world = &mut solid_mut(run)?.scene.world;
    let mut def = *world.def();
    change(&mut def);
    Ok(world.set_def(def)?)
}

fn body(run: &Run, at: Place) -> Option<BodyRef<'_>> {
    let Place::Sphere(index) = at else { return None };
    let scene = &solid(run)?.scene;
    scene.world.get_body(scene.bodies().nth(index)?)
}

fn change(run: &mut Run, at: Place, change: impl FnOnce(&mut BodyMut<'_>) -> Result<(), carom3d::DefError>) -> Outcome {
    let Place::Sphere(index) = at else { return Err(Refusal::Absent) };
    let scene = &mut solid_mut(run)?.scene;
    let id = scene.bodies().nth(index).ok_or(Refusal::Absent)?;
    let mut body = scene.world.get_body_mut(id).ok_or(Refusal::Absent)?;
    Ok(change(&mut body)?)
}

fn change_material(run: &mut Run, at: Place, alter: impl FnOnce(&mut Material)) -> Outcome {
    change(run, at, |body| {
        let mut material = body.get().material();
        alter(&mut material);
        body.set_material(material)
    })
}

fn vector(v: DVec3) -> Value {
    Value::List([v.x, v.y, v.z].map(Value::Number).to_vec())
}

fn count(number: usize) -> Option<Value> {
    Some(Value::Whole(number as i128))
}
