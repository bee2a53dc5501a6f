//! The definition of a world, its clock and its counters.

use super::rows::{Reader, Writer};
use super::{SnapshotError, Staged, bit, bits, ensure};
use crate::ablation::LeftOut;
use crate::advance::{Clock, Load};
use crate::body::BodyId;
use crate::material::Mix;
use crate::math::{Vec2, vec2};
use crate::solver::{Correction, Sequential, Solver};
use crate::world::{Continuous, WorldDef, WorldState};
use carom_core::Id;

/// All single numbers of a world.
#[derive(Debug, Default)]
pub(super) struct Settings {
    pub(super) def: WorldDef,
    pub(super) rest_gravity: Vec2,
    pub(super) last_h: f32,
    pub(super) last_substeps: u32,
    pub(super) longest_h: f32,
    pub(super) bounces: bool,
    pub(super) left_out: LeftOut,
    pub(super) step_count: u64,
    pub(super) clock: Clock,
}

const MIXES: [Mix; 5] = [Mix::GeometricMean, Mix::Product, Mix::Mean, Mix::Min, Mix::Max];
const CORRECTIONS: [Correction; 3] = [Correction::Bias, Correction::Split, Correction::FirstImpact];

fn place<T: PartialEq>(all: &[T], one: T) -> u32 {
    all.iter().position(|other| *other == one).unwrap_or(all.len()) as u32
}

fn at<T: Copy>(all: &[T], place: u32, what: &'static str) -> Result<T, SnapshotError> {
    all.get(place as usize).copied().ok_or(SnapshotError::Corrupt(what))
}

fn solver_words(solver: &Solver) -> [u32; 8] {
    match *solver {
        Solver::SoftStep => [0; 8],
        Solver::Direct => [1, 0, 0, 0, 0, 0, 0, 0],
        Solver::Sequential(Sequential { iterations, slop, push, correction, edge_weight, edge_handicap }) => {
            let [slop, push, weight, handicap] = [slop, push, edge_weight, edge_handicap].map(f32::to_bits);
            [2, iterations, place(&CORRECTIONS, correction), slop, push, weight, handicap, 0]
        }
    }
}

fn solver(words: [u32; 8]) -> Result<Solver, SnapshotError> {
    let float = |place: usize| f32::from_bits(words[place]);
    Ok(match words[0] {
        0 => Solver::SoftStep,
        1 => Solver::Direct,
        2 => Solver::Sequential(Sequential {
            iterations: words[1],
            slop: float(3),
            push: float(4),
            correction: at(&CORRECTIONS, words[2], "the solver")?,
            edge_weight: float(5),
            edge_handicap: float(6),
        }),
        _ => return Err(SnapshotError::Corrupt("the solver")),
    })
}

const DEF_WORDS: usize = 15;

fn def_words(def: &WorldDef) -> [u32; DEF_WORDS] {
    let WorldDef {
        gravity,
        substeps,
        friction_mix,
        restitution_mix,
        restitution_speed,
        hit_speed,
        contact_hertz,
        contact_damping,
        push_out_speed,
        max_speed,
        continuous,
        sleeping,
        sleep_delay_s,
        solver: _,
        broad_phase: _,
        threads: _,
        fixed_step_s,
        max_catch_up,
    } = *def;
    [
        gravity.x.to_bits(),
        gravity.y.to_bits(),
        substeps,
        place(&MIXES, friction_mix),
        place(&MIXES, restitution_mix),
        restitution_speed.to_bits(),
        hit_speed.to_bits(),
        contact_hertz.to_bits(),
        contact_damping.to_bits(),
        push_out_speed.to_bits(),
        max_speed.to_bits(),
        bits([continuous == Continuous::On, sleeping]),
        sleep_delay_s.to_bits(),
        fixed_step_s.to_bits(),
        max_catch_up,
    ]
}

/// The definition, with threads and broad phase of another one.
fn def(words: [u32; DEF_WORDS], solver: Solver, own: &WorldDef) -> Result<WorldDef, SnapshotError> {
    let float = |place: usize| f32::from_bits(words[place]);
    let def = WorldDef {
        gravity: vec2(float(0), float(1)),
        substeps: words[2],
        friction_mix: at(&MIXES, words[3], "the definition of the world")?,
        restitution_mix: at(&MIXES, words[4], "the definition of the world")?,
        restitution_speed: float(5),
        hit_speed: float(6),
        contact_hertz: float(7),
        contact_damping: float(8),
        push_out_speed: float(9),
        max_speed: float(10),
        continuous: if bit(words[11], 0) { Continuous::On } else { Continuous::Off },
        sleeping: bit(words[11], 1),
        sleep_delay_s: float(12),
        solver,
        broad_phase: own.broad_phase,
        threads: own.threads,
        fixed_step_s: float(13),
        max_catch_up: words[14],
    };
    def.validate().map_err(|_| SnapshotError::Corrupt("the definition of the world"))?;
    Ok(def)
}

pub(super) fn write(world: &WorldState, writer: &mut Writer<'_>) {
    writer.row(&def_words(&world.def), &mut def_words(&WorldDef::default()));
    writer.row(&solver_words(&world.def.solver), &mut [0; 8]);
    let WorldState { rest_gravity, last_h, last_substeps, longest_h, bounces, left_out, step_count, clock, .. } = world;
    let floats = [rest_gravity.x, rest_gravity.y, *last_h, *longest_h].map(f32::to_bits);
    floats
        .into_iter()
        .chain([*last_substeps, u32::from(*bounces), u32::from(left_out.0)])
        .for_each(|word| writer.word(word));
    writer.double(*step_count);
    let Clock { pending_s, alpha, owed, frame: _ } = clock;
    writer.double(pending_s.to_bits());
    writer.word(alpha.to_bits());
    writer.count(owed.len());
    for Load { body, force, torque } in owed {
        writer.double(body.to_bits());
        [force.x, force.y, *torque].into_iter().for_each(|float| writer.word(float.to_bits()));
    }
}

impl Staged {
    pub(super) fn read_settings(&mut self, world: &WorldState, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let words = reader.row(&mut def_words(&WorldDef::default()));
        let solver = solver(reader.row(&mut [0; 8]))?;
        let settings = &mut self.settings;
        settings.def = def(words, solver, &world.def)?;
        let [x, y, last_h, longest_h] = std::array::from_fn(|_| f32::from_bits(reader.word()));
        (settings.rest_gravity, settings.last_h, settings.longest_h) = (vec2(x, y), last_h, longest_h);
        ensure(settings.rest_gravity.is_finite(), "gravity")?;
        // No step is longer than a second.
        ensure((0.0..=1.0).contains(&last_h) && (0.0..=1.0).contains(&longest_h), "the length of the last step")?;
        settings.last_substeps = reader.word();
        ensure(settings.last_substeps <= 64, "the number of sub-steps")?;
        settings.bounces = reader.word() != 0;
        settings.left_out = LeftOut(reader.word() as u8);
        settings.step_count = reader.double();
        let clock = &mut settings.clock;
        clock.pending_s = f64::from_bits(reader.double());
        clock.alpha = f32::from_bits(reader.word());
        let is_share = (0.0..=1.0).contains(&clock.alpha);
        ensure(is_share && (-1.0..=f64::from(f32::MAX)).contains(&clock.pending_s), "the clock")?;
        clock.owed.clear();
        clock.frame.clear();
        for _ in 0..reader.count(5)? {
            let id = BodyId::from_bits(reader.double());
            let body = BodyId::new(id.index(), id.generation(), world.bodies.origin());
            let [x, y, torque] = std::array::from_fn(|_| f32::from_bits(reader.word()));
            let load = Load { body, force: vec2(x, y), torque };
            ensure(clock.owed.last().is_none_or(|last| last.body < body), "the forces of a frame")?;
            clock.owed.push(load);
        }
        Ok(())
    }
}
