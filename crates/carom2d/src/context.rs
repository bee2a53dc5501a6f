//! What is the same for all bodies and constraints of a step.

use crate::ablation::{LeftOut, Measure};
use crate::collide::EdgeRule;
use crate::hooks::Hooks;
use crate::math::{Vec2, max, min};
use crate::solver::{Softness, Solver};
use crate::world::WorldDef;
use carom_threads::Crew;
use carom_wide::Width;

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

/// What a solver asks of the stages that it shares with others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Method {
    /// The step is cut into sub-steps.
    pub(crate) substeps: bool,
    /// Contacts and joints are soft, and solved side by side: there are groups, exact mechanisms and load paths beside the
    /// passes, and deep overlaps are moved apart.
    pub(crate) soft: bool,
    /// Contacts that will be made within the step get their points now.
    pub(crate) foresees: bool,
    /// Bodies that carry a load, or hang on joints, are marked: they do not fly freely.
    pub(crate) marks_loaded: bool,
    /// The share of its error by which a joint is corrected in a step, where that does not follow from its stiffness.
    pub(crate) joint_push: Option<f32>,
    /// How reference edges of contacts are chosen.
    pub(crate) edge_rule: EdgeRule,
}

impl Method {
    /// The one place where stages learn which solver is running.
    fn of(solver: &Solver) -> Method {
        let soft = Method {
            substeps: true,
            soft: true,
            foresees: true,
            marks_loaded: true,
            joint_push: None,
            edge_rule: solver.edge_rule(),
        };
        match solver {
            Solver::SoftStep => soft,
            Solver::Direct => Method { soft: false, marks_loaded: false, ..soft },
            Solver::Sequential(settings) => {
                Method { substeps: false, soft: false, foresees: false, joint_push: Some(settings.push), ..soft }
            }
        }
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
    /// What the solver asks of the stages.
    pub(crate) method: Method,
    /// Sub-steps begin with the impulses of the last one.
    pub(crate) warm_starts: bool,
    /// Velocities are solved once more after positions have moved.
    pub(crate) relaxes: bool,
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
        let method = Method::of(&def.solver);
        let substeps = if method.substeps { def.substeps } else { 1 };
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
            method,
            warm_starts: true,
            relaxes: true,
            keeps_frames: method.soft,
            slow_load_squared: SWAY * a1 / SWAY_DAMPING * fall * fall,
            equal_softness: Softness::new(hertz, def.contact_damping, h),
            fixed_softness: Softness::new(2.0 * hertz, def.contact_damping, h),
            width,
            hooks,
            crew,
        }
    }

    /// Does without measures against jitter.
    pub(crate) fn leave_out(&mut self, left_out: LeftOut) {
        self.keeps_frames &= !left_out.contains(Measure::KeptFrames);
        self.warm_starts = !left_out.contains(Measure::WarmStarting);
        self.relaxes = !left_out.contains(Measure::Relaxing);
        if left_out.contains(Measure::Softness) {
            self.harden();
        }
    }

    /// The same for one thread.
    pub(crate) fn alone(&self) -> StepContext<'h> {
        StepContext { crew: &Crew::ALONE, ..*self }
    }

    /// Makes contacts hard: a fifth of an overlap is taken back in a sub-step, and none of the impulses.
    fn harden(&mut self) {
        let hard = Softness { bias_rate: 0.2 * self.inv_h, mass_scale: 1.0, impulse_scale: 0.0, softening: 0.0 };
        (self.equal_softness, self.fixed_softness) = (hard, hard);
    }

    /// The softness of a joint of this stiffness and damping ratio.
    pub(crate) fn joint_softness(&self, hertz: f32, damping_ratio: f32) -> Softness {
        match self.method.joint_push {
            Some(push) => {
                Softness { bias_rate: push * self.inv_h, mass_scale: 1.0, impulse_scale: 0.0, softening: 0.0 }
            }
            None => Softness::new(min(hertz, 0.25 * self.inv_h), damping_ratio, self.h),
        }
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
