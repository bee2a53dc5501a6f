//! The properties of a joint.

use super::error::Refusal;
use super::path::Place;
use super::row::{Outcome, Property, Set};
use super::value::Value;
use super::world::rigid_mut;
use carom_scenes::{Run, SceneWorld};
use carom2d::prelude::*;
use carom2d::{JointMut, JointRef};

const MOTOR: &str = "joints with a motor have it";
const LIMITS: &str = "joints with limits have them";
const SPRING: &str = "joints with a spring have it";
const TARGET: &str = "mouse joints have it";

/// The properties of `joint.N`.
pub(super) static ROWS: &[Property] = &[
    Property::new("kind", "what it does", |run, at| Some(Value::Text(joint(run, at)?.kind().name().to_owned()))),
    Property::new("body_a", "index of its first body", |run, at| Some(joint(run, at)?.body_a().index().into())),
    Property::new("body_b", "index of its second body", |run, at| Some(joint(run, at)?.body_b().index().into())),
    Property::new(
        "angle",
        "angle of its second frame against the first in radians, counted on beyond a turn",
        |run, at| Some(joint(run, at)?.angle().into()),
    ),
    Property::new("offset", "place of its second frame in the first, in m", |run, at| {
        Some(joint(run, at)?.offset().into())
    }),
    Property::new("length", "distance between its frames in m", |run, at| Some(joint(run, at)?.length().into())),
    Property::new("angular_speed", "angular velocity of its second body against the first in rad/s", |run, at| {
        Some(joint(run, at)?.angular_speed().into())
    }),
    Property::new("force", "force on its second body over the last step, in N", |run, at| {
        Some(joint(run, at)?.force().into())
    }),
    Property::new("torque", "torque on its second body over the last step, in N m", |run, at| {
        Some(joint(run, at)?.torque().into())
    }),
    Property::new("motor_speed", "speed of its motor in m/s or rad/s", |run, at| Some(motor(run, at)?.speed.into()))
        .set(Set::Number(|run, at, value| Ok(joint_mut(run, at)?.set_motor_speed(value)?)))
        .only(MOTOR),
    Property::new("motor_max_force", "most force of its motor in N, or torque in N m", |run, at| {
        Some(motor(run, at)?.max_force.into())
    })
    .set(Set::Number(|run, at, value| Ok(joint_mut(run, at)?.set_motor_max_force(value)?)))
    .only(MOTOR),
    Property::new("limits.lower", "lowest angle in radians, or place in m", |run, at| {
        Some(limits(&mut kind(run, at)?)?.lower.into())
    })
    .set(Set::Number(|run, at, value| change_kind(run, at, |kind| limits(kind).map(|limits| limits.lower = value))))
    .only(LIMITS),
    Property::new("limits.upper", "highest angle in radians, or place in m", |run, at| {
        Some(limits(&mut kind(run, at)?)?.upper.into())
    })
    .set(Set::Number(|run, at, value| change_kind(run, at, |kind| limits(kind).map(|limits| limits.upper = value))))
    .only(LIMITS),
    Property::new("spring.hertz", "swings of its spring per second", |run, at| {
        Some(spring(&mut kind(run, at)?)?.hertz.into())
    })
    .set(Set::Number(|run, at, value| change_kind(run, at, |kind| spring(kind).map(|spring| spring.hertz = value))))
    .only(SPRING),
    Property::new("spring.damping_ratio", "how soon its swinging ends: 0 never, 1 without overshoot", |run, at| {
        Some(spring(&mut kind(run, at)?)?.damping_ratio.into())
    })
    .set(Set::Number(|run, at, value| {
        change_kind(run, at, |kind| spring(kind).map(|spring| spring.damping_ratio = value))
    }))
    .only(SPRING),
    Property::new("target", "the place in the world that it pulls to, in m", |run, at| match kind(run, at)? {
        JointKind::Mouse(mouse) => Some(mouse.target.into()),
        _ => None,
    })
    .set(Set::Vector(|run, at, value| Ok(joint_mut(run, at)?.set_target(value)?)))
    .only(TARGET),
    Property::new("hertz", "stiffness of what is rigid, as a frequency in Hz", |run, at| {
        Some(joint(run, at)?.def().hertz.into())
    })
    .set(Set::Number(|run, at, value| {
        let mut joint = joint_mut(run, at)?;
        let damping_ratio = joint.get().def().damping_ratio;
        Ok(joint.set_stiffness(value, damping_ratio)?)
    })),
    Property::new("damping_ratio", "damping ratio of what is rigid", |run, at| {
        Some(joint(run, at)?.def().damping_ratio.into())
    })
    .set(Set::Number(|run, at, value| {
        let mut joint = joint_mut(run, at)?;
        let hertz = joint.get().def().hertz;
        Ok(joint.set_stiffness(hertz, value)?)
    })),
    Property::new("enabled", "does it act?", |run, at| Some(joint(run, at)?.is_enabled().into())).set(Set::Flag(
        |run, at, value| {
            joint_mut(run, at)?.set_enabled(value);
            Ok(())
        },
    )),
    Property::new("break_force", "force in N at which it breaks", |run, at| {
        Some(joint(run, at)?.def().break_force.into())
    })
    .set(Set::Number(|run, at, value| {
        let mut joint = joint_mut(run, at)?;
        let torque = joint.get().def().break_torque;
        Ok(joint.set_break(value, torque)?)
    })),
    Property::new("break_torque", "torque in N m at which it breaks", |run, at| {
        Some(joint(run, at)?.def().break_torque.into())
    })
    .set(Set::Number(|run, at, value| {
        let mut joint = joint_mut(run, at)?;
        let force = joint.get().def().break_force;
        Ok(joint.set_break(force, value)?)
    })),
];

fn joint(run: &Run, at: Place) -> Option<JointRef<'_>> {
    match at {
        Place::Joint(id) => run.as_rigid()?.world.get_joint(id),
        _ => None,
    }
}

fn joint_mut(run: &mut Run, at: Place) -> Result<JointMut<'_>, Refusal> {
    match at {
        Place::Joint(id) => rigid_mut(run)?.world.get_joint_mut(id).ok_or(Refusal::Absent),
        _ => Err(Refusal::Absent),
    }
}

fn kind(run: &Run, at: Place) -> Option<JointKind> {
    joint(run, at).map(|joint| *joint.kind())
}

/// Changes part of what a joint does; refused where it has no such part.
fn change_kind(run: &mut Run, at: Place, change: impl FnOnce(&mut JointKind) -> Option<()>) -> Outcome {
    let mut joint = joint_mut(run, at)?;
    let mut kind = *joint.get().kind();
    change(&mut kind).ok_or(Refusal::Absent)?;
    Ok(joint.set_kind(kind)?)
}

fn motor(run: &Run, at: Place) -> Option<Motor> {
    match kind(run, at)? {
        JointKind::Distance(joint) => joint.motor,
        JointKind::Revolute(joint) => joint.motor,
        JointKind::Prismatic(joint) => joint.motor,
        JointKind::Wheel(joint) => joint.motor,
        _ => None,
    }
}

fn limits(kind: &mut JointKind) -> Option<&mut Limits> {
    match kind {
        JointKind::Revolute(joint) => joint.limits.as_mut(),
        JointKind::Prismatic(joint) => joint.limits.as_mut(),
        JointKind::Wheel(joint) => joint.limits.as_mut(),
        _ => None,
    }
}

fn spring(kind: &mut JointKind) -> Option<&mut Spring> {
    match kind {
        JointKind::Distance(joint) => joint.spring.as_mut().map(|(spring, _)| spring),
        JointKind::Revolute(joint) => joint.spring.as_mut(),
        JointKind::Prismatic(joint) => joint.spring.as_mut(),
        JointKind::Wheel(joint) => joint.spring.as_mut(),
        JointKind::Mouse(joint) => Some(&mut joint.spring),
        _ => None,
    }
}

/// What a joint is, in a few words.
pub(super) fn summary(run: &SceneWorld, id: JointId) -> String {
    let Some(joint) = run.world.get_joint(id) else { return String::new() };
    let [a, b] = [joint.body_a(), joint.body_b()].map(|body| body.index());
    format!("{} between body {a} and body {b}", joint.kind().name())
}
