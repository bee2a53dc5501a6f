//! The properties of a scene in space. They can be read, not set.

use super::path::Place;
use super::row::Property;
use super::value::Value;
use carom_scenes::{Run, SolidRun};
use carom3d::BodyRef;
use carom3d::math::DVec3;

/// The properties of `world`.
pub(super) static WORLD_ROWS: &[Property] = &[
    Property::new("gravity", "gravity in m/s^2", |run, _| Some(vector(solid(run)?.scene.world.def().gravity))),
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
    Property::new("position", "position of its centre in m", |run, at| Some(vector(body(run, at)?.position()))),
    Property::new("velocity", "velocity in m/s", |run, at| Some(vector(body(run, at)?.velocity()))),
    Property::new("orientation", "a quaternion: w, x, y, z", |run, at| {
        let q = body(run, at)?.orientation();
        Some(Value::List([q.w, q.x, q.y, q.z].map(Value::Number).to_vec()))
    }),
    Property::new("angular_velocity", "angular velocity in rad/s", |run, at| {
        Some(vector(body(run, at)?.angular_velocity()))
    }),
    Property::new("mass", "mass in kg", |run, at| Some(Value::Number(body(run, at)?.mass()))),
    Property::new("radius", "radius in m", |run, at| Some(Value::Number(body(run, at)?.radius()?))),
    Property::new("awake", "is it awake?", |run, at| Some(Value::Flag(body(run, at)?.is_awake()))),
    Property::new("kinetic_energy", "in J", |run, at| Some(Value::Number(body(run, at)?.kinetic_energy()))),
];

fn solid(run: &Run) -> Option<&SolidRun> {
    run.as_solid()
}

fn body(run: &Run, at: Place) -> Option<BodyRef<'_>> {
    let Place::Sphere(index) = at else { return None };
    let scene = &solid(run)?.scene;
    scene.world.get_body(scene.bodies().nth(index)?)
}

fn vector(v: DVec3) -> Value {
    Value::List([v.x, v.y, v.z].map(Value::Number).to_vec())
}

fn count(number: usize) -> Option<Value> {
    Some(Value::Whole(number as i128))
}
