//! The data of the solver, and the softness of its constraints.
//!
//! Constraints are rebuilt from the contacts at each step, by colour, in blocks of [`LANES`] that
//! are solved side by side. The stages in `stage/` run over these blocks.

mod batch;
mod block;
pub(crate) mod friction;
pub(crate) mod impacts;
pub(crate) mod impulse;
mod sparse;
pub(crate) mod system;
pub(crate) mod two_points;

use crate::body::BodySim;
use crate::collide::EdgeRule;
use crate::error::DefError;
use crate::impact::queue::RestitutionQueue;
use crate::math::{Vec2, cross};
use crate::stage::turn::Turning;
use carom_wide::{Wide, Wide2};

pub(crate) use batch::{Batch, Coupled};
pub(crate) use block::{
    BlockExtras, BlockPoint, Common, ContactBlock, InverseMasses, Moved, Traits, Velocities, at, separation,
};
pub(crate) use sparse::{Factor, order};

/// How constraints are solved. See `docs/solvers.md` for what each costs and how exact it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Solver {
    /// Sub-steps with soft constraints, one after the other. Fast, and good enough for almost everything.
    #[default]
    SoftStep,
    /// Sub-steps in which all constraints are solved at once, exactly. For long chains, extreme mass ratios
    /// and energy that must not leak; costs several times as much, in heaps tens of times.
    Direct,
    /// Sequential impulses over the whole step: the textbook method, to compare with and to learn from.
    Sequential(Sequential),
}

impl Solver {
    /// How it wants the reference edges of contacts to be chosen.
    pub(crate) fn edge_rule(&self) -> EdgeRule {
        match *self {
            Solver::SoftStep | Solver::Direct => EdgeRule::Steady,
            Solver::Sequential(Sequential { edge_weight: weight, edge_handicap: handicap, .. }) => {
                EdgeRule::Weighed { weight, handicap }
            }
        }
    }
}

/// How the textbook solver corrects positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Correction {
    /// By a speed added to that of the bodies, which stays with them.
    Bias,
    /// By a speed that moves them once and is forgotten.
    #[default]
    Split,
    /// Likewise, and the step is cut at each first impact, where two bodies that were apart begin to touch, so
    /// that overlaps hardly arise.
    FirstImpact,
}

/// Settings of the textbook solver. Its names for them are in parentheses.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct Sequential {
    /// Passes over all contacts per step, 1 to 1000. Default 10. Where they still change speeds noticeably, up to ten times as
    /// many are made. More make stacks stiffer.
    pub iterations: u32,
    /// Overlap in metres that is left alone (kappa), 0 to 1. Default 0.0001: points that are a little apart are looked
    /// after as well, so no overlap is needed to keep a contact. Raising it leaves boxes tilted by up to this over
    /// their width.
    pub slop: f32,
    /// Share of the remaining overlap that a step takes away (epsilon), 0 to 1. Default 0.2.
    pub push: f32,
    /// How the overlap is taken away. Default: split impulses.
    pub correction: Correction,
    /// The edge that carries the normal of a contact stays until another one's overlap is below this share of its own
    /// (eta), 0 to 1. Default 0.95. At 1 the least overlap decides, and may decide otherwise at each step; at 0 the edge
    /// stays until the shapes come apart.
    pub edge_weight: f32,
    /// That other edge must be better, besides, by this share of half of what its shape measures across it (kappa again,
    /// but no length here), 0 to 1. Default 0.01. Raising it favours long edges: shapes are thin across them.
    pub edge_handicap: f32,
}

impl Default for Sequential {
    fn default() -> Sequential {
        Sequential {
            iterations: 10,
            slop: 1.0e-4,
            push: 0.2,
            correction: Correction::Split,
            edge_weight: 0.95,
            edge_handicap: 0.01,
        }
    }
}

impl Sequential {
    pub(crate) fn validate(&self) -> Result<(), DefError> {
        if !(1..=1000).contains(&self.iterations) {
            return Err(DefError::field("Sequential.iterations", self.iterations, "a whole number from 1 to 1000"));
        }
        let shares = [
            ("Sequential.slop", self.slop),
            ("Sequential.push", self.push),
            ("Sequential.edge_weight", self.edge_weight),
            ("Sequential.edge_handicap", self.edge_handicap),
        ];
        for (field, value) in shares {
            if !(0.0..=1.0).contains(&value) {
                return Err(DefError::field(field, value, "a number from 0 to 1"));
            }
        }
        Ok(())
    }
}

/// A rigid constraint softened into a spring and damper, in the form the solver needs.
///
/// For a constraint error `C` the exact spring would pull with stiffness `k = m w^2` and damping
/// `c = 2 m zeta w`, where `w = 2 pi hertz`. Integrated implicitly over a sub-step `h`, each pass
/// becomes
///
/// ```text
/// impulse = -mass * mass_scale * (velocity + bias_rate * C) - impulse_scale * accumulated_impulse
/// a1 = 2 zeta + h w,  a2 = h w a1,  a3 = 1 / (1 + a2)
/// bias_rate = w / a1,  mass_scale = a2 a3,  impulse_scale = a3
/// ```
///
/// which is stable for any stiffness (E. Catto, "Soft Constraints", 2011; "Solver2D", 2024).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Softness {
    pub(crate) bias_rate: f32,
    pub(crate) mass_scale: f32,
    pub(crate) impulse_scale: f32,
    /// `impulse_scale / mass_scale`.
    pub(crate) softening: f32,
}

impl Softness {
    pub(crate) fn new(hertz: f32, damping_ratio: f32, h: f32) -> Softness {
        let omega = 2.0 * std::f32::consts::PI * hertz;
        let a1 = 2.0 * damping_ratio + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        let mass_scale = a2 * a3;
        Softness { bias_rate: omega / a1, mass_scale, impulse_scale: a3, softening: a3 / mass_scale }
    }
}

/// What two bodies oppose to an impulse between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Movers {
    inv_mass: Vec2,
    inv_inertia_a: f32,
    inv_inertia_b: f32,
}

impl Movers {
    /// From inverse mass and inverse inertia of both.
    pub(crate) fn of(a: (Vec2, f32), b: (Vec2, f32)) -> Movers {
        Movers { inv_mass: a.0 + b.0, inv_inertia_a: a.1, inv_inertia_b: b.1 }
    }
}

/// `K`: how fast a unit impulse along `u` at one pair of anchors moves the surfaces apart along `u` at
/// another. With `at` and `seen` the same it is the inverse of the effective mass there.
pub(crate) fn response(movers: Movers, u: Vec2, at: (Vec2, Vec2), seen: (Vec2, Vec2)) -> f32 {
    movers.inv_mass.x * u.x * u.x
        + movers.inv_mass.y * u.y * u.y
        + movers.inv_inertia_a * cross(at.0, u) * cross(seen.0, u)
        + movers.inv_inertia_b * cross(at.1, u) * cross(seen.1, u)
}

/// What constraints ask of an awake body beside its state: 16 bytes, side by side in the order of the awake set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyMass {
    /// Per axis: a locked axis has none.
    pub(crate) inv_mass: Vec2,
    pub(crate) inv_inertia: f32,
    pub(crate) mobility: Mobility,
}

/// How a body may be moved by constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mobility {
    /// Not at all: it is kinematic.
    None,
    /// In some directions.
    Some,
    /// In all directions.
    Full,
}

impl BodyMass {
    /// Of no body.
    pub(crate) const NONE: BodyMass = BodyMass { inv_mass: Vec2::ZERO, inv_inertia: 0.0, mobility: Mobility::None };

    pub(crate) fn of(sim: &BodySim, movable: bool) -> BodyMass {
        let full = sim.inv_mass.x > 0.0 && sim.inv_mass.y > 0.0 && sim.inv_inertia > 0.0;
        let mobility = match (movable, full) {
            (false, _) => Mobility::None,
            (true, false) => Mobility::Some,
            (true, true) => Mobility::Full,
        };
        BodyMass { inv_mass: sim.inv_mass, inv_inertia: sim.inv_inertia, mobility }
    }
}

/// The bodies of a batch, parallel to its states: all awake ones, or some of them.
#[derive(Clone, Copy)]
pub(crate) struct BodyList<'a> {
    pub(crate) awake: &'a [BodySim],
    /// Their places among the awake ones; none where it is all of them.
    pub(crate) places: Option<&'a [u32]>,
}

impl<'a> BodyList<'a> {
    pub(crate) fn all(awake: &'a [BodySim]) -> BodyList<'a> {
        BodyList { awake, places: None }
    }

    pub(crate) fn len(&self) -> usize {
        self.places.map_or(self.awake.len(), <[u32]>::len)
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&'a BodySim> {
        match self.places {
            None => self.awake.get(index),
            Some(places) => self.awake.get(*places.get(index)? as usize),
        }
    }

    /// Some of them, one after the other.
    #[inline]
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> BodyList<'a> {
        match self.places {
            None => BodyList::all(&self.awake[range]),
            Some(places) => BodyList { awake: self.awake, places: Some(&places[range]) },
        }
    }

    pub(crate) fn iter(self) -> impl Iterator<Item = &'a BodySim> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }
}

/// What forces do to sixteen awake bodies in a sub-step, and what constraints did in the last one, side by side.
#[derive(Clone, Debug)]
pub(crate) struct DriveBlock {
    /// Changes of velocity.
    pub(crate) kick: Wide2,
    pub(crate) angular_kick: Wide,
    /// What damping leaves.
    pub(crate) keep: Wide,
    pub(crate) angular_keep: Wide,
    /// Velocities before the first impulse of a sub-step, and what its impulses added: see `stage/warm_start.rs`.
    pub(crate) free: Wide2,
    pub(crate) free_spin: Wide,
    pub(crate) carried: Wide2,
    pub(crate) carried_spin: Wide,
    /// All bodies have [`Mobility::Full`]: nothing is to be looked at one by one.
    pub(crate) full: bool,
}

impl DriveBlock {
    /// Of no bodies.
    pub(crate) const EMPTY: DriveBlock = DriveBlock {
        kick: Wide2::ZERO,
        angular_kick: Wide::ZERO,
        keep: Wide::ZERO,
        angular_keep: Wide::ZERO,
        free: Wide2::ZERO,
        free_spin: Wide::ZERO,
        carried: Wide2::ZERO,
        carried_spin: Wide::ZERO,
        full: false,
    };
}

/// The bodies and contacts of a step that are in no group, ready to be solved.
#[derive(Debug, Default)]
pub(crate) struct Constraints {
    /// The share of their impulses that constraints begin with. Cached impulses are those of a sub-step; in one of another
    /// length forces act for another time. Never more than they were: they may be those of an impact.
    pub(crate) warmth: f32,
    /// By how much the sub-step is longer than the last one; 1 if it is not. Steady loads of contacts grow by it.
    pub(crate) growth: f32,
    /// One for each awake body; none at all if all bodies are in groups.
    pub(crate) masses: Vec<BodyMass>,
    /// One for each sixteen awake bodies, and one for the rest.
    pub(crate) drives: Vec<DriveBlock>,
    /// In the order of solving.
    pub(crate) blocks: Vec<ContactBlock>,
    /// Where each colour's blocks begin and end.
    pub(crate) colors: Vec<std::ops::Range<usize>>,
    /// How many of the colours are solved by passes. The others are solved exactly (`stage/burdens.rs`).
    pub(crate) passed: usize,
    /// One for each block.
    pub(crate) extras: Vec<BlockExtras>,
    /// Contacts whose normals turn within the step.
    pub(crate) turning: Vec<Turning>,
    /// Block and lane of contacts whose bodies overlap deeply, in order.
    pub(crate) recoveries: Vec<(usize, usize)>,
    /// How many deep overlaps each awake body has, where there are any.
    pub(crate) crowding: Vec<u16>,
    /// Active contacts that are left out of this step.
    pub(crate) crowded: Vec<u32>,
    /// Blocks that may rebound, and when their bodies were hit.
    pub(crate) rebounds: RestitutionQueue,
}

impl Constraints {
    /// How many of the blocks are solved by passes: the first ones.
    pub(crate) fn passed_blocks(&self) -> usize {
        self.colors[..self.passed].last().map_or(0, |color| color.end)
    }
}
