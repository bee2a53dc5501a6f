//! The properties of a particle system and of what is in it. Masses, radii, edges and half-planes can only be
//! read: a system keeps them as it was made.

use super::error::Refusal;
use super::path::Place;
use super::row::{Outcome, Property, Set};
use super::value::{Expected, Value, Word};
use carom_particles::forces::Penalty;
use carom_particles::{
    BroadPhase, CollisionHandling, ContinuousCollisions, Edge, FixedAtHalfPlane, HalfPlane, Integrator, Motion,
    ParticleSystem, SimpleCollisions,
};
use carom_scenes::{Color, ParticleRun, Run};

static INTEGRATOR_NAMES: [&str; 6] = [
    "explicit-euler",
    "symplectic-euler",
    "implicit-euler",
    "linearized-implicit-euler",
    "velocity-verlet",
    "runge-kutta-4",
];
static COLLISION_NAMES: [&str; 4] = ["none", "simple", "penalty", "continuous"];
static BROAD_PHASE_NAMES: [&str; 2] = ["grid", "all_pairs"];
static FIXED_NAMES: [&str; 2] = ["keep", "reflect"];
const IMPULSES: &str = "systems whose system.collisions is simple or continuous have it";
const SIMPLE: &str = "systems whose system.collisions is simple have it";
const PENALTY: &str = "systems whose system.collisions is penalty have it";

/// The properties of `system`.
pub(super) static SYSTEM_ROWS: &[Property] = &[
    Property::new("integrator", "how steps are made", |run, _| {
        let name = system(run)?.integrator().name();
        let index = INTEGRATOR_NAMES.iter().position(|&other| other == name)?;
        Some(Value::Word(Word::nth(&INTEGRATOR_NAMES, index)))
    })
    .set(Set::Word(&INTEGRATOR_NAMES, |run, _, index| {
        let integrator = Integrator::from_name(INTEGRATOR_NAMES[index]).ok_or(Refusal::Absent)?;
        system_mut(run)?.set_integrator(integrator);
        Ok(())
    })),
    Property::new("collisions", "what happens when things meet", |run, _| {
        let index = match system(run)?.collisions() {
            CollisionHandling::None => 0,
            CollisionHandling::Simple(_) => 1,
            CollisionHandling::Penalty(_) => 2,
            CollisionHandling::Continuous(_) => 3,
            _ => return None,
        };
        Some(Value::Word(Word::nth(&COLLISION_NAMES, index)))
    })
    .set(Set::Word(&COLLISION_NAMES, set_collisions)),
    Property::new("restitution", "rebound speed over impact speed", |run, _| {
        Some(restitution(system(run)?.collisions())?.into())
    })
    .set(Set::Double(set_restitution))
    .only(IMPULSES),
    Property::new("fixed_at_half_plane", "what a fixed particle does that meets a half-plane", |run, _| {
        let CollisionHandling::Simple(simple) = system(run)?.collisions() else { return None };
        let index = usize::from(simple.fixed_at_half_plane == FixedAtHalfPlane::Reflect);
        Some(Value::Word(Word::nth(&FIXED_NAMES, index)))
    })
    .set(Set::Word(&FIXED_NAMES, |run, _, index| {
        let system = system_mut(run)?;
        let CollisionHandling::Simple(simple) = system.collisions() else { return Err(Refusal::Absent) };
        let fixed_at_half_plane = [FixedAtHalfPlane::Keep, FixedAtHalfPlane::Reflect][index];
        system.set_collisions(CollisionHandling::Simple(SimpleCollisions { fixed_at_half_plane, ..simple }));
        Ok(())
    }))
    .only(SIMPLE),
    Property::new("stiffness", "stiffness of the penalty force in N/m", |run, _| {
        Some(penalty(system(run)?)?.stiffness.into())
    })
    .set(Set::Double(|run, _, value| set_penalty(run, value, |penalty| penalty.stiffness = value)))
    .only(PENALTY),
    Property::new("thickness", "distance in m at which the penalty force sets in", |run, _| {
        Some(penalty(system(run)?)?.thickness.into())
    })
    .set(Set::Double(|run, _, value| set_penalty(run, value, |penalty| penalty.thickness = value)))
    .only(PENALTY),
    Property::new("broad_phase", "what finds the pairs that are near; changes no result", |run, _| {
        let index = usize::from(system(run)?.broad_phase() == BroadPhase::AllPairs);
        Some(Value::Word(Word::nth(&BROAD_PHASE_NAMES, index)))
    })
    .set(Set::Word(&BROAD_PHASE_NAMES, |run, _, index| {
        system_mut(run)?.set_broad_phase([BroadPhase::Grid, BroadPhase::AllPairs][index]);
        Ok(())
    })),
    Property::new("background", "colour behind everything", |run, _| Some(mixed(particles(run)?.scene.background)))
        .set(Set::Color(|run, _, color| {
            particles_mut(run)?.scene.background = parted(color);
            Ok(())
        })),
    Property::new("scene", "name of the scene", |run, _| Some(Value::Text(run.about().name.clone().into_owned()))),
    Property::new("description", "what it shows", |run, _| {
        Some(Value::Text(particles(run)?.scene.description.clone()))
    }),
    Property::new("time", "simulated time so far in s", |run, _| Some(run.time().into())),
    Property::new("step", "steps made so far", |run, _| Some(run.step_index().into())),
    Property::new("dt", "length of a step in s", |run, _| Some(particles(run)?.scene.dt.into())),
    Property::new("duration", "how long the scene runs, in s", |run, _| Some(particles(run)?.scene.duration.into())),
    Property::new("particles", "number of particles", |run, _| Some(system(run)?.particle_count().into())),
    Property::new("edges", "number of edges", |run, _| Some(system(run)?.edges().len().into())),
    Property::new("half_planes", "number of half-planes", |run, _| Some(system(run)?.half_planes().len().into())),
    Property::new("springs", "number of springs", |run, _| Some(system(run)?.forces().springs.len().into())),
    Property::new("contacts", "number of collisions in the last step", |run, _| {
        Some(particles(run)?.contacts().len().into())
    }),
    Property::new("converged", "did Newton's method converge in the last step?", |run, _| {
        Some(system(run)?.has_converged().into())
    }),
    Property::new("finite", "are all positions and velocities finite?", |run, _| Some(system(run)?.is_finite().into())),
    Property::new("energy.kinetic", "kinetic energy in J", |run, _| Some(system(run)?.kinetic_energy().into())),
    Property::new("energy.potential", "potential energy in J", |run, _| Some(system(run)?.potential_energy().into())),
    Property::new("energy.total", "kinetic and potential energy in J", |run, _| {
        let system = system(run)?;
        Some((system.kinetic_energy() + system.potential_energy()).into())
    }),
    Property::new("momentum", "momentum of all particles in N s", |run, _| {
        let system = system(run)?;
        let along = |axis: usize| system.masses().iter().zip(system.velocities()).map(|(m, v)| m * v[axis]).sum();
        Some(Value::Vector(along(0), along(1)))
    }),
    Property::new("hash", "fingerprint of the state: the same on every machine", |run, _| {
        Some(Value::Bits(run.state_hash()))
    }),
];

/// The properties of `particle.N`.
pub(super) static PARTICLE_ROWS: &[Property] = &[
    Property::new("position", "position of its centre in m", |run, at| {
        let position = system(run)?.positions().get(index(at)?)?;
        Some(Value::Vector(position.x, position.y))
    })
    .set(Set::DoubleVector(|run, at, value| set_state(run, at, Some(value), None))),
    Property::new("velocity", "velocity in m/s", |run, at| {
        let velocity = system(run)?.velocities().get(index(at)?)?;
        Some(Value::Vector(velocity.x, velocity.y))
    })
    .set(Set::DoubleVector(|run, at, value| set_state(run, at, None, Some(value)))),
    Property::new("fixed", "do forces leave it alone?", |run, at| {
        Some((*system(run)?.motions().get(index(at)?)? == Motion::Fixed).into())
    })
    .set(Set::Flag(|run, at, fixed| {
        let particle = index(at).ok_or(Refusal::Absent)?;
        Ok(system_mut(run)?.set_motion(particle, if fixed { Motion::Fixed } else { Motion::Free })?)
    })),
    Property::new("color", "colour in pictures", |run, at| {
        Some(mixed(*particles(run)?.scene.particle_colors.get(index(at)?)?))
    })
    .set(Set::Color(|run, at, color| paint(index(at), &mut particles_mut(run)?.scene.particle_colors, color))),
    Property::new("mass", "mass in kg", |run, at| Some((*system(run)?.masses().get(index(at)?)?).into())),
    Property::new("radius", "radius in m", |run, at| Some((*system(run)?.radii().get(index(at)?)?).into())),
    Property::new("tag", "a word for programs", |run, at| {
        Some(Value::Text(particles(run)?.scene.particle_tags.get(index(at)?)?.clone()))
    }),
    Property::new("speed", "speed in m/s", |run, at| Some(system(run)?.velocities().get(index(at)?)?.length().into())),
    Property::new("kinetic_energy", "kinetic energy in J", |run, at| {
        let (system, index) = (system(run)?, index(at)?);
        let velocity = system.velocities().get(index)?;
        Some((0.5 * system.masses().get(index)? * velocity.length_squared()).into())
    }),
    Property::new("momentum", "momentum in N s", |run, at| {
        let (system, index) = (system(run)?, index(at)?);
        let momentum = *system.velocities().get(index)? * *system.masses().get(index)?;
        Some(Value::Vector(momentum.x, momentum.y))
    }),
];

/// The properties of `edge.N`.
pub(super) static EDGE_ROWS: &[Property] = &[
    Property::new("ends", "the particles at its ends", |run, at| {
        Some(Value::List(edge(run, at)?.ends.into_iter().map(Value::from).collect()))
    }),
    Property::new("radius", "half its thickness in m", |run, at| Some(edge(run, at)?.radius.into())),
    Property::new("color", "colour in pictures", |run, at| {
        Some(mixed(*particles(run)?.scene.edge_colors.get(index(at)?)?))
    })
    .set(Set::Color(|run, at, color| paint(index(at), &mut particles_mut(run)?.scene.edge_colors, color))),
];

/// The properties of `half_plane.N`.
pub(super) static HALF_PLANE_ROWS: &[Property] = &[
    Property::new("point", "a point of its surface, in m", |run, at| {
        let point = half_plane(run, at)?.point;
        Some(Value::Vector(point.x, point.y))
    }),
    Property::new("normal", "points out of the solid", |run, at| {
        let normal = half_plane(run, at)?.normal;
        Some(Value::Vector(normal.x, normal.y))
    }),
    Property::new("color", "colour in pictures", |run, at| {
        Some(mixed(*particles(run)?.scene.half_plane_colors.get(index(at)?)?))
    })
    .set(Set::Color(|run, at, color| paint(index(at), &mut particles_mut(run)?.scene.half_plane_colors, color))),
];

fn particles(run: &Run) -> Option<&ParticleRun> {
    match run {
        Run::Particles(run) => Some(run),
        Run::Rigid(_) | Run::Solid(_) => None,
    }
}

fn particles_mut(run: &mut Run) -> Result<&mut ParticleRun, Refusal> {
    match run {
        Run::Particles(run) => Ok(run),
        Run::Rigid(_) | Run::Solid(_) => Err(Refusal::Absent),
    }
}

fn system(run: &Run) -> Option<&ParticleSystem> {
    Some(&particles(run)?.scene.system)
}

fn system_mut(run: &mut Run) -> Result<&mut ParticleSystem, Refusal> {
    Ok(&mut particles_mut(run)?.scene.system)
}

fn index(at: Place) -> Option<usize> {
    match at {
        Place::Particle(index) | Place::Edge(index) | Place::HalfPlane(index) => Some(index),
        _ => None,
    }
}

fn edge(run: &Run, at: Place) -> Option<&Edge> {
    system(run)?.edges().get(index(at)?)
}

fn half_plane(run: &Run, at: Place) -> Option<&HalfPlane> {
    system(run)?.half_planes().get(index(at)?)
}

fn restitution(collisions: CollisionHandling) -> Option<f64> {
    match collisions {
        CollisionHandling::Simple(simple) => Some(simple.restitution),
        CollisionHandling::Continuous(continuous) => Some(continuous.restitution),
        _ => None,
    }
}

fn penalty(system: &ParticleSystem) -> Option<Penalty> {
    match system.collisions() {
        CollisionHandling::Penalty(penalty) => Some(penalty),
        _ => None,
    }
}

/// The settings that the old handler and the new one have in common stay.
fn set_collisions(run: &mut Run, _: Place, index: usize) -> Outcome {
    let system = system_mut(run)?;
    let restitution = restitution(system.collisions()).unwrap_or(1.0);
    let simple = match system.collisions() {
        CollisionHandling::Simple(simple) => simple,
        _ => SimpleCollisions { restitution, ..SimpleCollisions::default() },
    };
    system.set_collisions(match index {
        0 => CollisionHandling::None,
        1 => CollisionHandling::Simple(simple),
        2 => CollisionHandling::Penalty(penalty(system).unwrap_or_default()),
        _ => CollisionHandling::Continuous(ContinuousCollisions { restitution }),
    });
    Ok(())
}

fn set_restitution(run: &mut Run, _: Place, value: f64) -> Outcome {
    finite(value)?;
    let system = system_mut(run)?;
    system.set_collisions(match system.collisions() {
        CollisionHandling::Simple(simple) => {
            CollisionHandling::Simple(SimpleCollisions { restitution: value, ..simple })
        }
        CollisionHandling::Continuous(_) => CollisionHandling::Continuous(ContinuousCollisions { restitution: value }),
        _ => return Err(Refusal::Absent),
    });
    Ok(())
}

fn set_penalty(run: &mut Run, value: f64, change: impl FnOnce(&mut Penalty)) -> Outcome {
    finite(value)?;
    let system = system_mut(run)?;
    let mut penalty = penalty(system).ok_or(Refusal::Absent)?;
    change(&mut penalty);
    system.set_collisions(CollisionHandling::Penalty(penalty));
    Ok(())
}

/// Particle systems take any numbers; a person's slip should not fill one with infinities.
fn finite(value: f64) -> Outcome {
    if value.is_finite() { Ok(()) } else { Err(Expected::from("a finite number").into()) }
}

fn set_state(run: &mut Run, at: Place, position: Option<[f64; 2]>, velocity: Option<[f64; 2]>) -> Outcome {
    let particle = index(at).ok_or(Refusal::Absent)?;
    let system = system_mut(run)?;
    let mut state = system.state().clone();
    for (vectors, value) in [(&mut state.positions, position), (&mut state.velocities, velocity)] {
        if let (Some(vector), Some(value)) = (vectors.get_mut(particle), value) {
            value.into_iter().try_for_each(finite)?;
            [vector.x, vector.y] = value;
        }
    }
    system.set_state(&state.positions, &state.velocities);
    Ok(())
}

fn paint(index: Option<usize>, colors: &mut [carom_particles::Color], color: Color) -> Outcome {
    *index.and_then(|index| colors.get_mut(index)).ok_or(Refusal::Absent)? = parted(color);
    Ok(())
}

/// A colour of three bytes for one of three fractions.
fn mixed(color: carom_particles::Color) -> Value {
    let byte = |part: f64| (255.0 * part).round() as u8;
    Value::Color(Color { r: byte(color.r), g: byte(color.g), b: byte(color.b) })
}

fn parted(color: Color) -> carom_particles::Color {
    let part = |byte: u8| f64::from(byte) / 255.0;
    carom_particles::Color { r: part(color.r), g: part(color.g), b: part(color.b) }
}
