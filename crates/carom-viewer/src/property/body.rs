//! The properties of a rigid body.

use super::error::Refusal;
use super::path::{Place, shapes};
use super::row::{Outcome, Property, Set};
use super::value::{Value, Word};
use super::world::rigid_mut;
use carom_scenes::{Run, SceneWorld};
use carom2d::math::cross;
use carom2d::prelude::*;
use carom2d::{BodyMut, BodyRef, JointRef};

const KINDS: [BodyKind; 3] = [BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic];
pub(super) static KIND_NAMES: [&str; 3] = ["fixed", "kinematic", "dynamic"];
const DYNAMIC: &str = "dynamic bodies have it";

/// The properties of `body.N`.
pub(super) static ROWS: &[Property] = &[
    Property::new("kind", "what moves it: nothing, its velocity alone, or forces and collisions", |run, at| {
        Some(kind(body(run, at)?.kind()))
    })
    .set(Set::Word(&KIND_NAMES, |run, at, index| {
        body_mut(run, at)?.set_kind(KINDS[index]);
        Ok(())
    })),
    Property::new("position", "position of its origin in m", |run, at| Some(body(run, at)?.position().into()))
        .set(Set::Vector(|run, at, value| Ok(body_mut(run, at)?.set_position(value)?))),
    Property::new("angle", "angle in radians, counter-clockwise", |run, at| Some(body(run, at)?.angle().into()))
        .set(Set::Number(|run, at, value| Ok(body_mut(run, at)?.set_angle(value)?))),
    Property::new("angle_degrees", "angle in degrees, counter-clockwise", |run, at| {
        Some((f64::from(body(run, at)?.angle()).to_degrees() as f32).into())
    })
    .set(Set::Number(|run, at, value| Ok(body_mut(run, at)?.set_angle(f64::from(value).to_radians() as f32)?))),
    Property::new("velocity", "velocity of its centre of mass in m/s", |run, at| {
        Some(body(run, at)?.velocity().into())
    })
    .set(Set::Vector(|run, at, value| Ok(body_mut(run, at)?.set_velocity(value)?))),
    Property::new("angular_velocity", "angular velocity in rad/s, counter-clockwise", |run, at| {
        Some(body(run, at)?.angular_velocity().into())
    })
    .set(Set::Number(|run, at, value| Ok(body_mut(run, at)?.set_angular_velocity(value)?))),
    Property::new("mass", "mass in kg; inf makes it fixed, auto is the sum over the shapes", |run, at| {
        Some(body(run, at)?.mass().into())
    })
    .set(Set::Automatic(|run, at, value| Ok(body_mut(run, at)?.set_mass(value)?))),
    Property::new(
        "inertia",
        "moment of inertia about the centre of mass in kg m^2; inf keeps it from turning",
        |run, at| Some(body(run, at)?.inertia().into()),
    )
    .set(Set::Automatic(|run, at, value| Ok(body_mut(run, at)?.set_inertia(value)?))),
    Property::new("linear_damping", "linear damping in 1/s", |run, at| Some(body(run, at)?.linear_damping().into()))
        .set(Set::Number(|run, at, value| Ok(body_mut(run, at)?.set_linear_damping(value)?))),
    Property::new("angular_damping", "angular damping in 1/s", |run, at| Some(body(run, at)?.angular_damping().into()))
        .set(Set::Number(|run, at, value| Ok(body_mut(run, at)?.set_angular_damping(value)?))),
    Property::new("gravity_scale", "factor on gravity; negative makes it rise", |run, at| {
        Some(body(run, at)?.gravity_scale().into())
    })
    .set(Set::Number(|run, at, value| Ok(body_mut(run, at)?.set_gravity_scale(value)?))),
    Property::new("locked.x", "may it not move along x?", |run, at| Some(body(run, at)?.locked().x.into()))
        .set(Set::Flag(|run, at, value| lock(run, at, |locked| locked.x = value))),
    Property::new("locked.y", "may it not move along y?", |run, at| Some(body(run, at)?.locked().y.into()))
        .set(Set::Flag(|run, at, value| lock(run, at, |locked| locked.y = value))),
    Property::new("locked.rotation", "may it not turn?", |run, at| Some(body(run, at)?.locked().rotation.into()))
        .set(Set::Flag(|run, at, value| lock(run, at, |locked| locked.rotation = value))),
    Property::new("enabled", "does it take part?", |run, at| Some(body(run, at)?.is_enabled().into())).set(Set::Flag(
        |run, at, value| {
            body_mut(run, at)?.set_enabled(value);
            Ok(())
        },
    )),
    Property::new("awake", "does it move, or could it at once?", |run, at| Some(body(run, at)?.is_awake().into()))
        .set(Set::Flag(set_awake)),
    Property::new("sleeping", "is it asleep?", |run, at| Some(body(run, at)?.is_sleeping().into()))
        .set(Set::Flag(|run, at, value| set_awake(run, at, !value))),
    Property::new("can_sleep", "may it fall asleep?", |run, at| Some(body(run, at)?.can_sleep().into())).set(
        Set::Flag(|run, at, value| {
            body_mut(run, at)?.set_can_sleep(value);
            Ok(())
        }),
    ),
    Property::new("bullet", "must it pass through no other body?", |run, at| Some(body(run, at)?.is_bullet().into()))
        .set(Set::Flag(|run, at, value| {
            body_mut(run, at)?.set_bullet(value);
            Ok(())
        })),
    Property::new("sleep_speed", "speed in m/s below which it counts as at rest", |run, at| {
        Some(body(run, at)?.sleep_speed().into())
    })
    .set(Set::Number(|run, at, value| Ok(body_mut(run, at)?.set_sleep_speed(value)?))),
    Property::new("force", "force in N through the centre of mass for the next step", |run, at| {
        Some(body(run, at)?.force().into())
    })
    .set(Set::Vector(|run, at, value| {
        let mut body = body_mut(run, at)?;
        let before = body.get().force();
        Ok(body.apply_force(value - before)?)
    })),
    Property::new("torque", "torque in N m for the next step", |run, at| Some(body(run, at)?.torque().into())).set(
        Set::Number(|run, at, value| {
            let mut body = body_mut(run, at)?;
            let before = body.get().torque();
            Ok(body.apply_torque(value - before)?)
        }),
    ),
    Property::new("color", "colour in pictures", |run, at| Some(color(run, at)?.into())).set(Set::Color(
        |run, at, value| {
            let id = body_mut(run, at)?.get().id();
            rigid_mut(run)?.set_color(id, value);
            Ok(())
        },
    )),
    Property::new("user_data", "a number for the program that made it", |run, at| {
        Some(body(run, at)?.user_data().into())
    })
    .set(Set::Bits(|run, at, value| {
        body_mut(run, at)?.set_user_data(value);
        Ok(())
    })),
    Property::new("center", "position of its centre of mass in m", |run, at| Some(body(run, at)?.center().into())),
    Property::new("local_center", "centre of mass in its own coordinates, in m", |run, at| {
        Some(body(run, at)?.local_center().into())
    }),
    Property::new("speed", "speed of its centre of mass in m/s", |run, at| {
        Some(body(run, at)?.velocity().length().into())
    }),
    Property::new("kinetic_energy", "kinetic energy in J", |run, at| Some(body(run, at)?.kinetic_energy().into())),
    Property::new("momentum", "momentum in N s", |run, at| {
        let body = dynamic(run, at)?;
        Some((body.mass() * body.velocity()).into())
    })
    .only(DYNAMIC),
    Property::new("angular_momentum", "angular momentum about the origin of the world in N m s", |run, at| {
        Some(angular_momentum(dynamic(run, at)?).into())
    })
    .only(DYNAMIC),
    Property::new("frozen", "was it put aside because its numbers left the range?", |run, at| {
        Some(body(run, at)?.is_frozen().into())
    }),
    Property::new("contacts", "number of its contacts, touching or only near", |run, at| {
        Some(body(run, at)?.contacts().count().into())
    }),
    Property::new("touching", "number of its contacts that touch, without sensors", |run, at| {
        let touching = body(run, at)?.contacts().filter(|contact| contact.is_touching() && !contact.is_sensor());
        Some(touching.count().into())
    }),
    Property::new("island", "number of its island: bodies with the same number hang together", |run, at| {
        let body = body(run, at)?;
        Some(run.as_rigid()?.world.island_of(body.id())?.into())
    })
    .only(DYNAMIC),
    Property::new("joints", "number of its joints", |run, at| {
        let id = body(run, at)?.id();
        Some(joints(run.as_rigid()?, id).count().into())
    }),
    Property::new("shapes", "number of its shapes", |run, at| Some(body(run, at)?.shapes().count().into())),
];

/// The joints that hold a body.
pub(crate) fn joints(run: &SceneWorld, id: BodyId) -> impl Iterator<Item = JointRef<'_>> {
    run.world.joints().map(|joint| run.world.joint(joint)).filter(move |joint| {
        let def = joint.def();
        def.body_a == id || def.body_b == id
    })
}

fn body(run: &Run, at: Place) -> Option<BodyRef<'_>> {
    match at {
        Place::Body(id) => run.as_rigid()?.world.get_body(id),
        _ => None,
    }
}

fn body_mut(run: &mut Run, at: Place) -> Result<BodyMut<'_>, Refusal> {
    match at {
        Place::Body(id) => rigid_mut(run)?.world.get_body_mut(id).ok_or(Refusal::Absent),
        _ => Err(Refusal::Absent),
    }
}

fn dynamic(run: &Run, at: Place) -> Option<BodyRef<'_>> {
    body(run, at).filter(|body| body.kind() == BodyKind::Dynamic)
}

fn kind(kind: BodyKind) -> Value {
    Value::Word(Word::nth(&KIND_NAMES, KINDS.iter().position(|&other| other == kind).unwrap_or(0)))
}

fn color(run: &Run, at: Place) -> Option<carom_scenes::Color> {
    let id = body(run, at)?.id();
    Some(run.as_rigid()?.color(id))
}

fn lock(run: &mut Run, at: Place, change: impl FnOnce(&mut LockedAxes)) -> Outcome {
    let mut body = body_mut(run, at)?;
    let mut locked = body.get().locked();
    change(&mut locked);
    body.set_locked(locked);
    Ok(())
}

fn set_awake(run: &mut Run, at: Place, awake: bool) -> Outcome {
    let mut body = body_mut(run, at)?;
    if awake {
        body.wake();
    } else {
        body.sleep();
    }
    Ok(())
}

/// m (x cross v) + I w. What cannot turn has infinite inertia and no turning.
fn angular_momentum(body: BodyRef<'_>) -> f32 {
    let spin = body.angular_velocity();
    let own = if spin == 0.0 || body.inertia().is_infinite() { 0.0 } else { body.inertia() * spin };
    body.mass() * cross(body.center(), body.velocity()) + own
}

/// What a body is, in a few words.
pub(super) fn summary(run: &SceneWorld, id: BodyId) -> String {
    let Some(body) = run.world.get_body(id) else { return String::new() };
    let mut outlines = shapes(run, id).filter_map(|id| run.world.get_shape(id));
    let first = outlines.next().map(|shape| super::outline::kind(shape.geometry()));
    let what = match (first, outlines.count()) {
        (None, _) => "without a shape".to_owned(),
        (Some(kind), 0) => kind.to_owned(),
        (Some(_), more) => format!("with {} shapes", more + 1),
    };
    format!("{} {what}", kind(body.kind()))
}
