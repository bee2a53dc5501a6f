//! Families of problems: each is drawn from a seed, many instances at a time. The worst instance and the number that
//! pass are what counts, beside other engines in the same run.
//!
//! | file | holds |
//! |---|---|
//! | `problem.rs` | a problem that any engine can play, and who plays it |
//! | `run.rs` | instances on threads; what came out, for carom and for peers |
//! | `report.rs` | that as text and as JSON |
//! | `cli.rs` | arguments of `carom validate --families` |
//! | `standing.rs`, `holding.rs`, `striking.rs`, `moving.rs`, `invariance.rs` | the families A, B, C, D and E |
//!
//! Instance `k` of a family depends on the seed, the family's name and `k` alone: not on which other families are
//! run, nor on how many instances.
//!
//! Conventions unless a family says otherwise: g = 10 m/s^2, 60 Hz, 4 sub-steps, no sleeping, friction 0.6, density 1,
//! restitution at any speed. Peers have their defaults, but for the number of sub-steps and the restitution speed.

pub mod cli;
mod holding;
mod invariance;
mod moving;
mod problem;
mod report;
mod run;
mod standing;
mod striking;

pub use problem::{Player, Problem};
pub use report::{json, text};
pub use run::{Failure, MeasureReport, PlayerReport, Report, run};

use carom_core::Rng;
use carom_core::{StateHash, math};
use carom_peers::Unsupported;

/// A family of problems.
#[derive(Debug)]
pub struct Family {
    /// Letter and number, such as `A1`.
    pub name: &'static str,
    /// What it is, in a word or two; words of it select the family.
    pub title: &'static str,
    /// How many instances are drawn unless another number is asked for.
    pub instances: u32,
    /// Whether the problems are about standing, and what that is held against.
    pub standing: Standing,
    /// What is measured; the first is the one that is told as the family's own.
    pub measures: &'static [Measure],
    /// Which of carom's solvers must meet the gates, all of them.
    pub own: &'static [Player],
    /// Whether Box2D and Rapier can play it.
    pub peers: bool,
    /// Draws an instance and plays it. Every player is given the same random numbers.
    pub play: fn(&mut Rng, Player) -> Result<Outcome, Unsupported>,
}

/// Whether an instance must stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nothing that could fall.
    NotAsked,
    /// Every instance must stand.
    Always,
    /// Must stand wherever a peer stands. Rigid-body statics says that all do; without peers that is the gate.
    WherePeersStand,
    /// Must stand wherever a peer stands. Without peers only what is measured while standing is judged.
    WherePeersStandOnly,
}

/// Something measured of every instance. Smaller is better.
#[derive(Clone, Copy, Debug)]
pub struct Measure {
    /// What it is, with its unit.
    pub name: &'static str,
    /// What it may not exceed; none where only the goal is stated.
    pub gate: Option<f64>,
    /// What would be excellent.
    pub goal: Option<f64>,
    /// What is held against the gate.
    pub holds: Holds,
}

/// What of a measure is held against its gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Every instance.
    Each,
    /// The median of all instances.
    Median,
    /// The median of all instances may also not exceed that of Box2D by more than 5 %, where Box2D is in the run.
    MedianBesideBox2d,
}

impl Measure {
    /// A measure of which every instance must pass the gate.
    pub const fn new(name: &'static str, gate: f64, goal: f64) -> Measure {
        Measure { name, gate: Some(gate), goal: Some(goal), holds: Holds::Each }
    }

    /// A measure with a gate and no goal beyond it.
    pub const fn gate(name: &'static str, gate: f64) -> Measure {
        Measure { name, gate: Some(gate), goal: None, holds: Holds::Each }
    }

    /// A measure that is only told.
    pub const fn goal(name: &'static str, goal: f64) -> Measure {
        Measure { name, gate: None, goal: Some(goal), holds: Holds::Each }
    }

    /// Does the value of an instance pass? A value that is not a number does not.
    fn passes(&self, value: f64) -> bool {
        self.holds != Holds::Each || self.gate.is_none_or(|gate| value <= gate)
    }
}

/// What a player made of an instance.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// By measure; none where the instance has no such thing. Infinite where it fell or exploded.
    pub values: Vec<Option<f64>>,
    /// False if it fell.
    pub stands: bool,
    /// The instance, in words.
    pub note: String,
}

/// All families.
pub const FAMILIES: &[&[Family]] =
    &[standing::FAMILIES, holding::FAMILIES, striking::FAMILIES, moving::FAMILIES, invariance::FAMILIES];

/// Those that any of the words asks for, or all if there are none: a family's name, its letter, or a word of its
/// title, in any case and singular or plural.
pub fn select(words: &[String]) -> Vec<&'static Family> {
    let asked = |family: &&Family| words.is_empty() || words.iter().any(|word| is_called(family, word));
    FAMILIES.iter().copied().flatten().filter(asked).collect()
}

fn is_called(family: &Family, word: &str) -> bool {
    let word = word.to_lowercase();
    let name = family.name.to_lowercase();
    let singular = word.strip_suffix('s').unwrap_or(&word);
    let title = |part: &str| part == word || part.strip_suffix('s').unwrap_or(part) == singular;
    !word.is_empty() && (name == word || name[..1] == word || family.title.split([' ', ',']).any(title))
}

/// The random numbers of an instance.
fn rng_of(seed: u64, family: &str, instance: u32) -> Rng {
    let mut hash = StateHash::new();
    hash.write_u64(seed);
    family.bytes().for_each(|byte| hash.write_u32(u32::from(byte)));
    hash.write_u32(instance);
    Rng::new(hash.finish())
}

/// Uniform in `low..=high`.
fn whole(rng: &mut Rng, low: u32, high: u32) -> u32 {
    low + rng.below(high - low + 1)
}

/// One of several.
fn one_of<T: Copy>(rng: &mut Rng, choices: &[T]) -> T {
    choices[rng.below(choices.len() as u32) as usize]
}

/// Between `low` and `high`, so that every factor is as likely: the logarithm is uniform.
fn log_range(rng: &mut Rng, low: f32, high: f32) -> f32 {
    // Halving the interval's logarithm by square roots needs no logarithm: 24 random bits choose the halves.
    let (mut low, mut high) = (f64::from(low), f64::from(high));
    let bits = rng.next_u32();
    for bit in 0..24 {
        let middle = (low * high).sqrt();
        if bits >> bit & 1 == 0 { high = middle } else { low = middle }
    }
    low as f32
}

/// The larger of two, or infinite if either is not a number.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::INFINITY } else { math::max64(a, b) }
}
