//! The stages of a step, one file each, in the order of [`Stage`].

pub(crate) mod ablation;
pub(crate) mod batches;
pub(crate) mod burdens;
pub(crate) mod close;
pub(crate) mod color;
pub(crate) mod contacts;
pub(crate) mod continuous;
pub(crate) mod crammed;
pub(crate) mod direct;
pub(crate) mod exact;
pub(crate) mod finalize;
pub(crate) mod first_impact;
pub(crate) mod foresee;
pub(crate) mod groups;
pub(crate) mod hinges;
pub(crate) mod integrate;
pub(crate) mod islands;
pub(crate) mod joints;
pub(crate) mod kinematic;
pub(crate) mod pairs;
pub(crate) mod pins;
pub(crate) mod preload;
pub(crate) mod prepare;
pub(crate) mod recover;
pub(crate) mod restitution;
pub(crate) mod sensors;
pub(crate) mod sequential;
pub(crate) mod side_by_side;
pub(crate) mod sleep;
pub(crate) mod solve;
pub(crate) mod store_impulses;
pub(crate) mod turn;
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

/// The stiffest contacts, as a frequency against that of the sub-steps.
///
/// A pass over the contacts reaches only the next bodies, so what takes a whole stack along is hardly touched by one: a share
/// `k << 1` of its speed `v` and of its displacement `q` is answered in a sub-step `h`. With `p` what the impulses
/// carried from sub-step to sub-step do to it, and with the names of [`Softness`],
///
/// ```text
/// h v' = p        q' = v        h p' = -impulse_scale p - k ((1 + mass_scale) v + mass_scale bias_rate q)
/// ```
///
/// which by Routh's criterion is stable for `(h w)^2 < 1 + mass_scale`, nearly 2: up to 0.22 sub-steps per turn. The
/// damping of a slow sway goes with `h w (1 + mass_scale - (h w)^2)`. At 0.175 it is 0.77 of the most there is, and the
/// stack sinks in by half as much as where the damping is best.
const STIFFEST: f32 = 0.175;
/// Damping ratio of the sway of a column, of which contacts that carry many bodies are to make sure: its amplitude falls to
/// 3 % in a period.
///
/// A column of `N` square boxes of mass `m` and side `s` bends in its contacts. Two points with `K = 5 / m` each and the
/// frequency `w` resist with `k_rot = w^2 m s^2 / 10` per radian, which makes it a beam that sways with
///
/// ```text
/// w_N = 3.516 sqrt(k_rot / (m s^2)) / N^2 = 1.11 w / N^2
/// ```
///
/// (3.516 is that of a beam clamped at one end). Damping over stiffness of a contact is `(1 + mass_scale) / (mass_scale
/// bias_rate)`, nearly `2 a1 / w` with the `a1` of [`Softness`]; the sway needs `2 zeta / w_N`. Up to `N^2 = 1.11 a1 / zeta`
/// bodies the first is more. A contact that carries more than that follows the difference of its two points, in depth and in
/// load, by the share `1.11 a1 / (zeta N^2)` only: that leaves its place at rest and its sinking as they are, and damps its
/// rocking as much as the sway needs. 40 boxes sway with a period of half a minute.
const SWAY_DAMPING: f32 = 0.5;
/// Frequency of the sway of a column over that of its contacts, times the square of its bodies.
const SWAY: f32 = 1.11;
/// By how much contacts may become stiffer from step to step.
const FADING: f32 = 0.99;

/// The numbers that are the same for all bodies and constraints of one step.
#[derive(Clone, Copy)]
pub(crate) struct StepContext<'h> {
    pub(crate) dt: f32,
    pub(crate) substeps: u32,
    /// Length of a sub-step, and its inverse.
    pub(crate) h: f32,
    pub(crate) inv_h: f32,
    /// The longest sub-step of late, this one included.
    pub(crate) longest_h: f32,
    pub(crate) gravity: Vec2,
    /// The speed that gravity gives in a sub-step.
    pub(crate) fall: f32,
    pub(crate) max_speed: f32,
    /// Largest angular speed: an eighth of a turn per sub-step, beyond which the linearised contact
    /// geometry means nothing.
    pub(crate) max_angular_speed: f32,
    pub(crate) push_out_speed: f32,
    pub(crate) restitution_speed: f32,
    /// Loaded contacts keep their frame while only their softness moves them.
    pub(crate) keeps_frames: bool,
    /// Square of the load from which on the rocking of contacts is damped, as a speed: what it would give to one body.
    pub(crate) slow_load_squared: f32,
    /// Of contacts between movable bodies, and of those with a wall.
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
        longest_h: f32,
        hooks: Option<&'h dyn Hooks>,
        crew: &'h Crew<'h>,
    ) -> StepContext<'h> {
        // The textbook solver makes passes instead of sub-steps.
        let substeps = if matches!(def.solver, Solver::Sequential(_)) { 1 } else { def.substeps };
        let h = dt / substeps as f32;
        let inv_h = substeps as f32 / dt;
        // Steps of changing lengths would make contacts stiff and soft by turns, which shakes stacks down.
        let longest_h = max(h, FADING * longest_h);
        let hertz = min(def.contact_hertz, STIFFEST / longest_h);
        let fall = def.gravity.length() * h;
        let a1 = 2.0 * def.contact_damping + h * 2.0 * std::f32::consts::PI * hertz;
        StepContext {
            dt,
            substeps,
            h,
            inv_h,
            longest_h,
            gravity: def.gravity,
            fall,
            max_speed: def.max_speed,
            max_angular_speed: 0.25 * std::f32::consts::PI * inv_h,
            push_out_speed: def.push_out_speed,
            restitution_speed: def.restitution_speed,
            keeps_frames: def.solver == Solver::SoftStep,
            slow_load_squared: SWAY * a1 / SWAY_DAMPING * fall * fall,
            equal_softness: Softness::new(hertz, def.contact_damping, h),
            fixed_softness: Softness::new(2.0 * hertz, def.contact_damping, h),
            width,
            hooks,
            crew,
        }
    }

    /// Makes contacts hard: a fifth of an overlap is taken back in a sub-step, and none of the impulses.
    pub(crate) fn harden(&mut self) {
        let hard = Softness { bias_rate: 0.2 * self.inv_h, mass_scale: 1.0, impulse_scale: 0.0, softening: 0.0 };
        (self.equal_softness, self.fixed_softness) = (hard, hard);
    }

    /// Most that a body can turn against another in a step: constraints at odds may leave any speed, but no step turns a
    /// body by more than half of this.
    pub(crate) fn most_turned(&self) -> f32 {
        2.0 * self.max_angular_speed * self.dt
    }

    /// The softness of a contact between bodies with these inverse masses. Nothing moves a wall, so a contact with one can
    /// be twice as stiff.
    pub(crate) fn softness(&self, inv_mass_a: f32, inv_mass_b: f32) -> Softness {
        if inv_mass_a == 0.0 || inv_mass_b == 0.0 { self.fixed_softness } else { self.equal_softness }
    }
}
