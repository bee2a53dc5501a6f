//! The stages of a step, one file each, in the order of [`Stage`].

pub(crate) mod batches;
pub(crate) mod color;
pub(crate) mod contacts;
pub(crate) mod continuous;
pub(crate) mod crammed;
pub(crate) mod direct;
pub(crate) mod finalize;
pub(crate) mod first_impact;
pub(crate) mod foresee;
pub(crate) mod groups;
pub(crate) mod hinges;
pub(crate) mod integrate;
pub(crate) mod islands;
pub(crate) mod joints;
pub(crate) mod pairs;
pub(crate) mod pins;
pub(crate) mod prepare;
pub(crate) mod recover;
pub(crate) mod restitution;
pub(crate) mod sensors;
pub(crate) mod sequential;
pub(crate) mod side_by_side;
pub(crate) mod sleep;
pub(crate) mod solve;
pub(crate) mod store_impulses;
pub(crate) mod warm_start;

use crate::hooks::Hooks;
use crate::math::{Vec2, max, min};
use crate::solver::{Softness, Solver};
use crate::world::WorldDef;
use carom_threads::Crew;
use carom_wide::Width;
use std::fmt;

/// The stages of a step, in order. Timers, profiles and overlays go by these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Broad phase: moved boxes give new pairs.
    Pairs,
    /// Narrow phase: manifolds of all awake contacts.
    Contacts,
    /// Wake what is touched; join and cut islands.
    Islands,
    /// Give each new constraint a colour that shares no moving body.
    Color,
    /// Masses, softness and cached impulses, in wide blocks by colour.
    Prepare,
    /// Forces and gravity change velocities.
    IntegrateVelocity,
    /// Impacts rebound.
    Restitution,
    /// Apply the impulses of the last sub-step again.
    WarmStart,
    /// Constraints with position feedback.
    Solve,
    /// Velocities change positions.
    IntegratePosition,
    /// Constraints without position feedback, and friction.
    Relax,
    /// All of it from the masses on, for small islands, group by group.
    Groups,
    /// Impulses go back to the contacts; touch and hit events.
    StoreImpulses,
    /// New poses and boxes.
    Finalize,
    /// Fast bodies back to where they met something.
    Continuous,
    /// Islands at rest fall asleep.
    Sleep,
    /// Overlaps with sensors.
    Sensors,
}

/// How many stages there are.
pub(crate) const STAGE_COUNT: usize = 17;

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; STAGE_COUNT] = [
        Stage::Pairs,
        Stage::Contacts,
        Stage::Islands,
        Stage::Color,
        Stage::Prepare,
        Stage::IntegrateVelocity,
        Stage::Restitution,
        Stage::WarmStart,
        Stage::Solve,
        Stage::IntegratePosition,
        Stage::Relax,
        Stage::Groups,
        Stage::StoreImpulses,
        Stage::Finalize,
        Stage::Continuous,
        Stage::Sleep,
        Stage::Sensors,
    ];

    /// The stage's name, as in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Pairs => "pairs",
            Stage::Contacts => "contacts",
            Stage::Islands => "islands",
            Stage::Color => "color",
            Stage::Prepare => "prepare",
            Stage::IntegrateVelocity => "integrate_velocity",
            Stage::WarmStart => "warm_start",
            Stage::Restitution => "restitution",
            Stage::Solve => "solve",
            Stage::IntegratePosition => "integrate_position",
            Stage::Relax => "relax",
            Stage::Groups => "groups",
            Stage::StoreImpulses => "store_impulses",
            Stage::Finalize => "finalize",
            Stage::Continuous => "continuous",
            Stage::Sleep => "sleep",
            Stage::Sensors => "sensors",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The numbers that are the same for all bodies and constraints of one step.
#[derive(Clone, Copy)]
pub(crate) struct StepContext<'h> {
    pub(crate) dt: f32,
    pub(crate) substeps: u32,
    /// Length of a sub-step, and its inverse.
    pub(crate) h: f32,
    pub(crate) inv_h: f32,
    pub(crate) gravity: Vec2,
    /// The speed that gravity gives in a sub-step.
    pub(crate) fall: f32,
    pub(crate) max_speed: f32,
    /// Largest angular speed: an eighth of a turn per sub-step, beyond which the linearised contact
    /// geometry means nothing.
    pub(crate) max_angular_speed: f32,
    pub(crate) push_out_speed: f32,
    pub(crate) restitution_speed: f32,
    /// Stiffness and damping ratio of contacts between bodies of equal mass.
    contact_hertz: f32,
    contact_damping: f32,
    equal_softness: Softness,
    fixed_softness: Softness,
    /// The instructions that wide stages use.
    pub(crate) width: Width,
    /// What the caller wants to be asked.
    pub(crate) hooks: Option<&'h dyn Hooks>,
    /// Who shares the work.
    pub(crate) crew: &'h Crew<'h>,
}

impl<'h> StepContext<'h> {
    pub(crate) fn new(
        def: &WorldDef,
        width: Width,
        dt: f32,
        hooks: Option<&'h dyn Hooks>,
        crew: &'h Crew<'h>,
    ) -> StepContext<'h> {
        // The textbook solver makes passes instead of sub-steps.
        let substeps = if matches!(def.solver, Solver::Sequential(_)) { 1 } else { def.substeps };
        let h = dt / substeps as f32;
        let inv_h = substeps as f32 / dt;
        let hertz = min(def.contact_hertz, 0.25 * inv_h);
        StepContext {
            dt,
            substeps,
            h,
            inv_h,
            gravity: def.gravity,
            fall: def.gravity.length() * h,
            max_speed: def.max_speed,
            max_angular_speed: 0.25 * std::f32::consts::PI * inv_h,
            push_out_speed: def.push_out_speed,
            restitution_speed: def.restitution_speed,
            contact_hertz: hertz,
            contact_damping: def.contact_damping,
            equal_softness: Softness::new(hertz, def.contact_damping, h),
            fixed_softness: Softness::new(2.0 * hertz, def.contact_damping, h),
            width,
            hooks,
            crew,
        }
    }

    /// Most that a body can turn against another in a step: constraints at odds may leave any speed, but no step turns a
    /// body by more than half of this.
    pub(crate) fn most_turned(&self) -> f32 {
        2.0 * self.max_angular_speed * self.dt
    }

    /// The softness of a contact between bodies with these inverse masses.
    ///
    /// Nothing moves a wall, so a contact with one can be twice as stiff as one between equals. To a
    /// light body a heavy one is as good as a wall.
    pub(crate) fn softness(&self, inv_mass_a: f32, inv_mass_b: f32) -> Softness {
        let (low, high) = (min(inv_mass_a, inv_mass_b), max(inv_mass_a, inv_mass_b));
        if low == high {
            self.equal_softness
        } else if low == 0.0 {
            self.fixed_softness
        } else {
            Softness::new(self.contact_hertz * (2.0 - low / high), self.contact_damping, self.h)
        }
    }
}
