//! The properties of a world of rigid bodies: its settings, and sums over all that is in it.

use super::path::Place;
use super::row::{Outcome, Property, Set};
use super::value::{Value, Word};
use carom_scenes::{Run, SceneWorld, measure};
use carom2d::prelude::*;

const MIXES: [Mix; 5] = [Mix::GeometricMean, Mix::Product, Mix::Mean, Mix::Min, Mix::Max];
static MIX_NAMES: [&str; 5] = ["geometric_mean", "product", "mean", "min", "max"];
static SOLVER_NAMES: [&str; 3] = ["soft_step", "direct", "sequential"];
const CORRECTIONS: [Correction; 3] = [Correction::Bias, Correction::Split, Correction::FirstImpact];
static CORRECTION_NAMES: [&str; 3] = ["bias", "split", "first_impact"];
const SEQUENTIAL: &str = "worlds whose world.solver is sequential have it";
static BROAD_PHASE_NAMES: [&str; 2] = ["tree", "quadtree"];
const QUADTREES: &str = "worlds whose world.broad_phase is quadtree have it";
const MOST: i128 = u32::MAX as i128;

/// The properties of `world`.
pub(super) static ROWS: &[Property] = &[
    Property::new("gravity", "acceleration of gravity in m/s^2", |run, _| Some(def(run)?.gravity.into()))
        .set(Set::Vector(|run, _, gravity| Ok(rigid_mut(run)?.world.set_gravity(gravity)?))),
    Property::new("substeps", "solver sub-steps per step; more make stacks stiffer", |run, _| {
        Some(def(run)?.substeps.into())
    })
    .set(Set::Whole(1, 64, |run, _, value| change(run, |def| def.substeps = value as u32))),
    Property::new("friction_mix", "how friction coefficients combine", |run, _| Some(mix(def(run)?.friction_mix)))
        .set(Set::Word(&MIX_NAMES, |run, _, index| change(run, |def| def.friction_mix = MIXES[index]))),
    Property::new("restitution_mix", "how restitution coefficients combine", |run, _| {
        Some(mix(def(run)?.restitution_mix))
    })
    .set(Set::Word(&MIX_NAMES, |run, _, index| change(run, |def| def.restitution_mix = MIXES[index]))),
    Property::new("restitution_speed", "approach speed in m/s below which nothing rebounds", |run, _| {
        Some(def(run)?.restitution_speed.into())
    })
    .set(Set::Number(|run, _, value| change(run, |def| def.restitution_speed = value))),
    Property::new("hit_speed", "approach speed in m/s above which a contact reports a hit", |run, _| {
        Some(def(run)?.hit_speed.into())
    })
    .set(Set::Number(|run, _, value| change(run, |def| def.hit_speed = value))),
    Property::new("contact_hertz", "stiffness of contacts as a frequency in Hz", |run, _| {
        Some(def(run)?.contact_hertz.into())
    })
    .set(Set::Number(|run, _, value| change(run, |def| def.contact_hertz = value))),
    Property::new("contact_damping", "damping ratio of contacts", |run, _| Some(def(run)?.contact_damping.into()))
        .set(Set::Number(|run, _, value| change(run, |def| def.contact_damping = value))),
    Property::new("push_out_speed", "fastest that overlapping bodies are pushed apart, in m/s", |run, _| {
        Some(def(run)?.push_out_speed.into())
    })
    .set(Set::Number(|run, _, value| change(run, |def| def.push_out_speed = value))),
    Property::new("max_speed", "fastest that any body may move, in m/s", |run, _| Some(def(run)?.max_speed.into()))
        .set(Set::Number(|run, _, value| change(run, |def| def.max_speed = value))),
    Property::new("continuous", "are fast bodies kept from passing through others?", |run, _| {
        Some((def(run)?.continuous == Continuous::On).into())
    })
    .set(Set::Flag(|run, _, value| {
        change(run, |def| def.continuous = if value { Continuous::On } else { Continuous::Off })
    })),
    Property::new("solver", "how constraints are solved", |run, _| {
        let index = match def(run)?.solver {
            Solver::SoftStep => 0,
            Solver::Direct => 1,
            Solver::Sequential(_) => 2,
        };
        Some(Value::Word(Word::nth(&SOLVER_NAMES, index)))
    })
    .set(Set::Word(&SOLVER_NAMES, set_solver)),
    Property::new("sequential.iterations", "passes over all contacts per step", |run, _| {
        Some(sequential(run)?.iterations.into())
    })
    .set(Set::Whole(1, 1000, |run, _, value| change_sequential(run, |settings| settings.iterations = value as u32)))
    .only(SEQUENTIAL),
    Property::new("sequential.slop", "overlap in m that is left alone, 0 to 1", |run, _| {
        Some(sequential(run)?.slop.into())
    })
    .set(Set::Number(|run, _, value| change_sequential(run, |settings| settings.slop = value)))
    .only(SEQUENTIAL),
    Property::new("sequential.push", "share of the remaining overlap that a step takes away, 0 to 1", |run, _| {
        Some(sequential(run)?.push.into())
    })
    .set(Set::Number(|run, _, value| change_sequential(run, |settings| settings.push = value)))
    .only(SEQUENTIAL),
    Property::new("sequential.correction", "how the overlap is taken away", |run, _| {
        let own = sequential(run)?.correction;
        let index = CORRECTIONS.iter().position(|&correction| correction == own)?;
        Some(Value::Word(Word::nth(&CORRECTION_NAMES, index)))
    })
    .set(Set::Word(&CORRECTION_NAMES, |run, _, index| {
        change_sequential(run, |settings| settings.correction = CORRECTIONS[index])
    }))
    .only(SEQUENTIAL),
    Property::new("sequential.edge_weight", "weight of the edge in use against others, 0 to 1", |run, _| {
        Some(sequential(run)?.edge_weight.into())
    })
    .set(Set::Number(|run, _, value| change_sequential(run, |settings| settings.edge_weight = value)))
    .only(SEQUENTIAL),
    Property::new("sequential.edge_handicap", "what another edge must be better by, 0 to 1", |run, _| {
        Some(sequential(run)?.edge_handicap.into())
    })
    .set(Set::Number(|run, _, value| change_sequential(run, |settings| settings.edge_handicap = value)))
    .only(SEQUENTIAL),
    Property::new("sleeping", "may bodies fall asleep?", |run, _| Some(def(run)?.sleeping.into()))
        .set(Set::Flag(|run, _, value| change(run, |def| def.sleeping = value))),
    Property::new("sleep_delay_s", "how long an island rests before it falls asleep, in s", |run, _| {
        Some(def(run)?.sleep_delay_s.into())
    })
    .set(Set::Number(|run, _, value| change(run, |def| def.sleep_delay_s = value))),
    Property::new("broad_phase", "what finds the pairs that are near; changes no result", |run, _| {
        let index = usize::from(def(run)?.broad_phase != BroadPhaseKind::Tree);
        Some(Value::Word(Word::nth(&BROAD_PHASE_NAMES, index)))
    })
    .set(Set::Word(&BROAD_PHASE_NAMES, set_broad_phase)),
    Property::new("quadtree.center", "middle of the quadtree's region in m", |run, _| {
        Some(quadtree(run)?.center.into())
    })
    .set(Set::Vector(|run, _, value| change_quadtree(run, |def| def.center = value)))
    .only(QUADTREES),
    Property::new("quadtree.half_extents", "half the width and height of the quadtree's region in m", |run, _| {
        Some(quadtree(run)?.half_extents.into())
    })
    .set(Set::Vector(|run, _, value| change_quadtree(run, |def| def.half_extents = value)))
    .only(QUADTREES),
    Property::new("quadtree.capacity", "shapes that a quad holds before it splits", |run, _| {
        Some(quadtree(run)?.capacity.into())
    })
    .set(Set::Whole(1, MOST, |run, _, value| change_quadtree(run, |def| def.capacity = value as u32)))
    .only(QUADTREES),
    Property::new("quadtree.max_depth", "depth of the deepest quads", |run, _| Some(quadtree(run)?.max_depth.into()))
        .set(Set::Whole(0, 24, |run, _, value| change_quadtree(run, |def| def.max_depth = value as u32)))
        .only(QUADTREES),
    Property::new("fixed_step_s", "length of the steps of World::advance in s; scenes step by world.dt", |run, _| {
        Some(def(run)?.fixed_step_s.into())
    })
    .set(Set::Number(|run, _, value| change(run, |def| def.fixed_step_s = value))),
    Property::new("max_catch_up", "most steps that one World::advance makes", |run, _| {
        Some(def(run)?.max_catch_up.into())
    })
    .set(Set::Whole(1, MOST, |run, _, value| change(run, |def| def.max_catch_up = value as u32))),
    Property::new("scene", "name of the scene", |run, _| Some(Value::Text(run.about().name.clone().into_owned()))),
    Property::new("time", "simulated time so far in s", |run, _| Some(run.time().into())),
    Property::new("step", "steps made so far", |run, _| Some(run.step_index().into())),
    Property::new("dt", "length of a step in s", |run, _| Some(run.as_rigid()?.dt().into())),
    Property::new("bodies", "number of bodies", |run, _| Some(world(run)?.body_count().into())),
    Property::new("awake_bodies", "number of bodies that are awake", |run, _| {
        Some(world(run)?.awake_body_count().into())
    }),
    Property::new("shapes", "number of shapes", |run, _| Some(world(run)?.shape_count().into())),
    Property::new("contacts", "number of contacts, touching or only near", |run, _| {
        Some(world(run)?.contact_count().into())
    }),
    Property::new("touching", "number of contacts that touch, without sensors", |run, _| {
        Some(measure::touching_contacts(world(run)?).into())
    }),
    Property::new("islands", "number of islands of touching bodies", |run, _| Some(world(run)?.island_count().into())),
    Property::new("sleeping_islands", "number of islands that are asleep", |run, _| {
        Some(world(run)?.sleeping_island_count().into())
    }),
    Property::new("colors", "number of colours that the constraints of the last step needed", |run, _| {
        Some(world(run)?.color_count().into())
    }),
    Property::new("energy.kinetic", "kinetic energy of all bodies in J", |run, _| {
        Some(measure::kinetic_energy(world(run)?).into())
    }),
    Property::new(
        "energy.potential",
        "energy of all bodies in the field of gravity, in J; 0 at the origin",
        |run, _| Some(potential_energy(world(run)?).into()),
    ),
    Property::new("energy.total", "kinetic and potential energy in J", |run, _| {
        let world = world(run)?;
        Some((measure::kinetic_energy(world) + potential_energy(world)).into())
    }),
    Property::new("momentum", "momentum of all bodies in N s", |run, _| {
        let [x, y] = measure::momentum(world(run)?);
        Some(Value::Vector(x, y))
    }),
    Property::new("top_speed", "speed of the fastest body in m/s", |run, _| {
        Some(measure::top_speed(world(run)?).into())
    }),
    Property::new("penetration", "deepest overlap of two shapes in m", |run, _| {
        Some(measure::deepest_penetration(world(run)?).into())
    }),
    Property::new("hash", "fingerprint of the state: the same on every machine", |run, _| {
        Some(Value::Bits(run.state_hash()))
    }),
];

fn world(run: &Run) -> Option<&World> {
    Some(&run.as_rigid()?.world)
}

fn def(run: &Run) -> Option<&WorldDef> {
    Some(world(run)?.def())
}

fn mix(mix: Mix) -> Value {
    Value::Word(Word::nth(&MIX_NAMES, MIXES.iter().position(|&other| other == mix).unwrap_or(0)))
}

fn quadtree(run: &Run) -> Option<QuadtreeDef> {
    match def(run)?.broad_phase {
        BroadPhaseKind::Quadtree(def) => Some(def),
        BroadPhaseKind::Tree => None,
    }
}

fn sequential(run: &Run) -> Option<Sequential> {
    match def(run)?.solver {
        Solver::Sequential(settings) => Some(settings),
        Solver::SoftStep | Solver::Direct => None,
    }
}

fn change_sequential(run: &mut Run, edit: impl FnOnce(&mut Sequential)) -> Outcome {
    let mut settings = sequential(run).ok_or(super::error::Refusal::Absent)?;
    edit(&mut settings);
    change(run, |def| def.solver = Solver::Sequential(settings))
}

/// The settings of the textbook solver stay as they are if it is the solver already.
fn set_solver(run: &mut Run, _: Place, index: usize) -> Outcome {
    let solver = match index {
        0 => Solver::SoftStep,
        1 => Solver::Direct,
        _ => Solver::Sequential(sequential(run).unwrap_or_default()),
    };
    change(run, |def| def.solver = solver)
}

pub(super) fn rigid_mut(run: &mut Run) -> Result<&mut SceneWorld, super::error::Refusal> {
    run.as_rigid_mut().ok_or(super::error::Refusal::Absent)
}

fn change(run: &mut Run, change: impl FnOnce(&mut WorldDef)) -> Outcome {
    let world = &mut rigid_mut(run)?.world;
    let mut def = *world.def();
    change(&mut def);
    Ok(world.set_def(def)?)
}

fn change_quadtree(run: &mut Run, edit: impl FnOnce(&mut QuadtreeDef)) -> Outcome {
    let mut quadtree = quadtree(run).ok_or(super::error::Refusal::Absent)?;
    edit(&mut quadtree);
    change(run, |def| def.broad_phase = BroadPhaseKind::Quadtree(quadtree))
}

/// A quadtree that is there stays as it is; a new one covers what the scene shows.
fn set_broad_phase(run: &mut Run, _: Place, index: usize) -> Outcome {
    let fitting = || {
        let built_in = run.as_rigid().and_then(SceneWorld::built_in);
        built_in.map_or_else(QuadtreeDef::default, |scene| scene.quadtree())
    };
    let kind = match index {
        0 => BroadPhaseKind::Tree,
        _ => BroadPhaseKind::Quadtree(quadtree(run).unwrap_or_else(fitting)),
    };
    change(run, |def| def.broad_phase = kind)
}

/// -m g . x over all dynamic bodies, with g as each of them feels it.
fn potential_energy(world: &World) -> f64 {
    let gravity = world.gravity();
    let of_body = |id| {
        let body = world.body(id);
        let (center, weight) = (body.center(), f64::from(body.mass()) * f64::from(body.gravity_scale()));
        -weight * (f64::from(gravity.x) * f64::from(center.x) + f64::from(gravity.y) * f64::from(center.y))
    };
    measure::dynamic_bodies(world).map(of_body).sum()
}
