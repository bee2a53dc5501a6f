//! The definition of a world.

use crate::broad::BroadPhaseKind;
use crate::error::{DefError, finite2, non_negative};
use crate::material::Mix;
use crate::math::{Vec2, vec2};
use crate::solver::Solver;
use carom_threads::{MAX_THREADS, Team, Tuner};

/// Whether bodies that move far in a step are kept from passing through others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Continuous {
    /// Fast bodies may pass through thin ones. Spares a little time where much is fast.
    Off,
    /// A body that moved or turned far against its size is put back to where it met something: a fixed
    /// or a kinematic body, or any body if it is a [bullet](crate::BodyDef::bullet). There the next step finds
    /// it, at the speed it had.
    #[default]
    On,
}

/// Describes a world. All lengths are in metres, masses in kilograms, times in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct WorldDef {
    /// Acceleration of gravity in m/s^2. Default (0, -10).
    pub gravity: Vec2,
    /// Solver sub-steps per step, 1 to 64. Default 4. More make stacks stiffer and impacts finer, at
    /// proportional cost.
    pub substeps: u32,
    /// How friction coefficients combine. Default: geometric mean.
    pub friction_mix: Mix,
    /// How restitution coefficients combine. Default: maximum.
    pub restitution_mix: Mix,
    /// Approach speed in m/s below which nothing rebounds. Default 0: the engine itself tells
    /// resting from bouncing by the speed that gravity adds within two sub-steps.
    pub restitution_speed: f32,
    /// Approach speed in m/s above which a contact reports a hit. Default 1.
    pub hit_speed: f32,
    /// Stiffness of contacts as a frequency in Hz; limited to 0.175 of the sub-step rate, which is 42 Hz at 60 steps of
    /// 4 sub-steps a second. Default 42. Raising it shrinks the overlap of things under load, down to the limit.
    pub contact_hertz: f32,
    /// Damping ratio of contacts. Default 14: overlaps vanish without a bounce, in a tenth of a second. Raising it damps the
    /// sway of tall stacks in proportion, and lets overlaps last in proportion.
    pub contact_damping: f32,
    /// Fastest that overlapping bodies are pushed apart, in m/s. Default 3.
    pub push_out_speed: f32,
    /// Fastest that any body may move, in m/s. Default 400.
    pub max_speed: f32,
    /// Are fast bodies kept from passing through others? Default: on.
    pub continuous: Continuous,
    /// May bodies fall asleep? Default true.
    pub sleeping: bool,
    /// How long an island must rest before it falls asleep, in seconds. Default 0.5.
    pub sleep_delay_s: f32,
    /// How constraints are solved. Default: in soft sub-steps.
    pub solver: Solver,
    /// Which broad phase finds pairs. Default: the bounding-volume tree. Results do not depend on it.
    pub broad_phase: BroadPhaseKind,
    /// Threads that share the work of a step, 1 to 64, the one that calls included, or [`WorldDef::AUTO_THREADS`]: as many as
    /// help, by the time that steps take, and never more than the machine runs at once. Default 1. Results do not depend on
    /// it. Worlds of few bodies use one in any case; so do worlds in a browser.
    pub threads: u32,
    /// Length of the steps that [`World::advance`](crate::World::advance) makes, in seconds. Default 1/60.
    pub fixed_step_s: f32,
    /// Most steps that one call of [`World::advance`](crate::World::advance) makes. Default 8. Time beyond that is dropped,
    /// so that a slow machine slows down instead of stalling.
    pub max_catch_up: u32,
}

impl Default for WorldDef {
    fn default() -> WorldDef {
        WorldDef {
            gravity: vec2(0.0, -10.0),
            substeps: 4,
            friction_mix: Mix::GeometricMean,
            restitution_mix: Mix::Max,
            restitution_speed: 0.0,
            hit_speed: 1.0,
            contact_hertz: 42.0,
            contact_damping: 14.0,
            push_out_speed: 3.0,
            max_speed: 400.0,
            continuous: Continuous::On,
            sleeping: true,
            sleep_delay_s: 0.5,
            solver: Solver::SoftStep,
            broad_phase: BroadPhaseKind::Tree,
            threads: 1,
            fixed_step_s: 1.0 / 60.0,
            max_catch_up: 8,
        }
    }
}

impl WorldDef {
    /// For [`WorldDef::threads`]: as many as help.
    pub const AUTO_THREADS: u32 = 0;

    /// How many threads a step may use.
    pub(crate) fn most_threads(&self) -> usize {
        if self.threads == WorldDef::AUTO_THREADS { Team::available() } else { self.threads as usize }
    }

    /// Finds out how to use them best.
    pub(crate) fn tuner(&self) -> Tuner {
        let most = self.most_threads();
        if self.threads == WorldDef::AUTO_THREADS { Tuner::up_to(most) } else { Tuner::exactly(most) }
    }

    /// Checks every field.
    pub fn validate(&self) -> Result<(), DefError> {
        finite2("WorldDef.gravity", self.gravity)?;
        if !(1..=64).contains(&self.substeps) {
            return Err(DefError::field("WorldDef.substeps", self.substeps, "a whole number from 1 to 64"));
        }
        non_negative("WorldDef.restitution_speed", self.restitution_speed)?;
        non_negative("WorldDef.hit_speed", self.hit_speed)?;
        if !(1.0..=1.0e4).contains(&self.contact_hertz) {
            return Err(DefError::field("WorldDef.contact_hertz", self.contact_hertz, "a number from 1 to 1e4 Hz"));
        }
        if !(0.1..=100.0).contains(&self.contact_damping) {
            return Err(DefError::field("WorldDef.contact_damping", self.contact_damping, "a number from 0.1 to 100"));
        }
        non_negative("WorldDef.push_out_speed", self.push_out_speed)?;
        if !(self.max_speed > 0.0 && self.max_speed <= 1.0e6) {
            return Err(DefError::field("WorldDef.max_speed", self.max_speed, "a number above 0, at most 1e6 m/s"));
        }
        non_negative("WorldDef.sleep_delay_s", self.sleep_delay_s)?;
        if !(self.fixed_step_s > 0.0 && self.fixed_step_s <= 1.0) {
            return Err(DefError::field("WorldDef.fixed_step_s", self.fixed_step_s, "a number above 0, at most 1 s"));
        }
        if self.max_catch_up == 0 {
            return Err(DefError::field("WorldDef.max_catch_up", self.max_catch_up, "a whole number of at least 1"));
        }
        if self.threads > MAX_THREADS as u32 {
            let expected = "a whole number from 1 to 64, or 0 for as many as help";
            return Err(DefError::field("WorldDef.threads", self.threads, expected));
        }
        if let Solver::Sequential(settings) = &self.solver {
            settings.validate()?;
        }
        self.broad_phase.validate()
    }
}
