//! The data of the solver, and the softness of its constraints.
//!
//! Constraints are rebuilt from the contacts at each step, by colour, in blocks of [`LANES`] that
//! are solved side by side. The stages in `stage/` run over these blocks.

mod block;

use crate::collide::Reference;
use crate::math::{Vec2, cross};
use carom_wide::Wide;

pub(crate) use block::{BlockPoint, ContactBlock, gather, mark_loaded, scatter};

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
}

impl Softness {
    pub(crate) fn new(hertz: f32, damping_ratio: f32, h: f32) -> Softness {
        let omega = 2.0 * std::f32::consts::PI * hertz;
        let a1 = 2.0 * damping_ratio + h * omega;
        let a2 = h * omega * a1;
        let a3 = 1.0 / (1.0 + a2);
        Softness { bias_rate: omega / a1, mass_scale: a2 * a3, impulse_scale: a3 }
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

/// A contact that may rebound: the few numbers that the restitution stage needs, one record each
/// because most contacts have none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rebound {
    /// Where the contact's constraint is: for the record of the impulse.
    pub(crate) block: u32,
    pub(crate) lane: u32,
    pub(crate) restitution: f32,
    /// Relative acceleration along the normal by forces and gravity, b minus a.
    pub(crate) acceleration: f32,
    /// Whose edge the other shape's corners hit.
    pub(crate) reference: Reference,
    pub(crate) count: u32,
}

/// Overlap in metres beyond which a contact only recovers, without keeping any speed from it.
pub(crate) const DEEP_OVERLAP: f32 = 0.05;

/// The impulses with which the biased pass pushed at a block whose contacts overlap deeply.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recovery {
    pub(crate) block: u32,
    pub(crate) deltas: [Wide; 2],
}

/// A body that moved far against its size in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastBody {
    pub(crate) body: u32,
    /// By how much it turned, in radians, full turns counted.
    pub(crate) turn: f32,
    /// What accelerated it, if it flew freely through the whole step; zero otherwise.
    pub(crate) acceleration: Vec2,
}

/// Everything that the solver builds anew in each step; kept to reuse its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Constraints {
    pub(crate) blocks: Vec<ContactBlock>,
    /// Where each colour's blocks begin and end, in the order of solving.
    pub(crate) colors: Vec<std::ops::Range<usize>>,
    /// In the order of solving.
    pub(crate) rebounds: Vec<Rebound>,
    pub(crate) recoveries: Vec<Recovery>,
    /// Active contacts that are left out of this step.
    pub(crate) crowded: Vec<u32>,
    /// Contacts that begin or cease to be active, with their order; and those to be destroyed.
    pub(crate) changed: Vec<(u64, u32)>,
    pub(crate) apart: Vec<(u64, u32)>,
    /// Bodies that may have passed through something, in no order.
    pub(crate) fast: Vec<FastBody>,
}
