//! Impacts rebound.
//!
//! A pair of bouncy surfaces that meets within this sub-step, approaching at `u < 0`, leaves at
//! `-e u`. The impulse `P = -(1 + e) u / K` is applied at once, pair after pair, and then again for
//! pairs that the impulses have thrown together, until nothing approaches: a blow travels through a
//! row of touching balls as it does in a cradle. No such impulse adds energy: the normal one changes
//! it by `P u (1 - e) / 2 <= 0`, friction takes some more. What is left after the last pass is
//! stopped by the solver.
//!
//! Two refinements keep bounces accurate to second order in the sub-step `h`:
//!
//! - Time of impact. The surfaces meet at `t = -s / u`, inside the sub-step, or in the past if the
//!   contact was found late. Positions are integrated with the new velocity over all of `h`, so the
//!   share before `t` is taken back: `x -= t * dv`.
//! - Speed of impact. The velocity in hand is that of the end of the sub-step, forces included; at
//!   `t` it was `u + a (t - h)`.
//!
//! A body at rest meets the floor at the speed that gravity gave it since the last sub-step. That
//! is no impact: approach speeds below `2 |a| h` are left to the solver, and so are
//!
//! - those that the load of a resting contact alone would stop twice over, `2 K P_n`;
//! - those that would end in a hop too short to be seen: with `T` the step or two sub-steps, whichever is longer,
//!   `e u < (1 - e) g T / 2` is a flight of less than `(1 - e) T`;
//! - those slower than the share `1 - e` of what the contact has stopped in this step already, if `e > 0`. In a crowd that
//!   is pushed about, neighbours press bodies together again and again within a step, and surfaces that return little are
//!   still in the same impact then. Elastic ones may meet as often as they like.
//!
//! What hangs on a pin from something fixed can only swing about it: the pin takes a part of every blow. Were the bodies to
//! rebound as if they were free, the pin would afterwards take the energy of what it does not allow, in a cradle a share
//! of `r^2 / L^2` of all of it at each hit. So such a body has the inverse mass `1 / (I + m p^2)`, about the pivot `p`.
//!
//! No body spins faster than `SpeedLimits` allows. What a hit would have a body spin faster, e^2 of that energy becomes flight
//! of both away from each other: in a gas light rods reach that speed, and would be a leak. Angular momentum is not kept then.
//!
//! The solver stops what it takes to overlap at the end of the sub-step, by a straight path or by arms of another moment. What
//! does not meet by its true path is therefore taken to be farther away by as much as the solver is off.
//!
//! Nearly all contacts that could rebound do not, in a given sub-step. Which of them may is asked of a whole block at
//! once; only those are looked at one by one. Contacts of one colour share no body, so it does not matter that all of
//! them are asked before the first of them rebounds.

use super::StepContext;
use super::exact::{RIGID_HERTZ, Sort, sort_of};
use crate::body::{Body, BodyId, BodyKind, BodySim, BodyState, NONE};
use crate::collide::{LINEAR_SLOP, Reference};
use crate::joint::{Joint, JointId};
use crate::math::{Rot, Vec2, clamp, cross, cross_sv, max, min, right_perp, vec2};
use crate::solver::{
    BlockExtras, Constraints, ContactBlock, DriveBlock, Moved, Movers, Solver, Velocities, at, response, separation,
};
use crate::world::World;
use carom_core::Pool;
use carom_threads::Parts;
use carom_wide::{LANES, Lanes, Lanes2, Places, Rows, Task, each_part, is_sparse, part_bits};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

/// Passes over the contacts per sub-step; a row of touching balls needs one for every two.
const MAX_PASSES: u32 = 12;
/// Passes for a light body between heavy ones, which are two hits each. One of `R` times its mass that drives it against
/// a wall needs `pi sqrt(R)` hits to be turned round, so this is for `R` = 16,000.
const MOST_PASSES: u32 = 200;
/// The mass ratio from which [`MAX_PASSES`] are not enough.
const HEAVY: f32 = 58.0;
/// Passes for what does not rebound at all: what falls onto a body that rests on the ground gives up the share
/// `m_b / (m_a + m_b)` of its speed in each.
const DULL_PASSES: u32 = 40;
/// Passes for the dullest: the two points of a contact alone may take three, one after the other.
const LEAST_PASSES: u32 = 3;

/// In how many passes a contact with this restitution may rebound. A row of bodies hands on the share `e` of a blow from
/// each to the next, so of dull ones few are worth following it: until it is a hundredth. What does not rebound at all was
/// found late, which is rare, and is set right as far as it goes.
///
/// A light body may be hit to and fro between a heavy one and another, or a wall, many times. Only such contacts, by the
/// inverse masses, get more passes: in a crowd of equal bodies, hits that follow each other for longer are noise.
fn rebound_passes(restitution: f32, is_foreseen: bool, inv_masses: [f32; 2]) -> u32 {
    if restitution == 0.0 {
        return if is_foreseen { DULL_PASSES } else { MAX_PASSES };
    }
    let (mut passes, mut share) = (LEAST_PASSES, restitution);
    while share > 0.01 && passes < MAX_PASSES {
        passes += 1;
        share *= restitution;
    }
    let [a, b] = inv_masses;
    if passes == MAX_PASSES && max(a, b) > HEAVY * min(a, b) { MOST_PASSES } else { passes }
}

/// Fewer blocks than this are not worth another thread: in most passes there is nothing to be done about most of them.
const LEAST_LOOKS: usize = 48;

/// Points of fast impacts that were found late: the overlap is no deeper than the approach explains. They are set right
/// like a rebound, with a restitution of zero if need be.
#[inline(always)]
pub(crate) fn found_late<L: Lanes>(separation: L, approach_velocity: L, dt: f32) -> L::Mask {
    let path = approach_velocity * L::splat(dt);
    let overlaps = L::splat(0.0).greater(separation);
    let is_fast = L::splat(-LINEAR_SLOP).greater(path);
    L::both(overlaps, L::both(separation.at_least(path), is_fast))
}

/// The slowest approach from which surfaces of this restitution rebound.
pub(crate) fn slowest_rebound(restitution: f32, context: &StepContext) -> f32 {
    // What does not rebound was found late, at any speed.
    // What gravity takes in half the longest flight that cannot be seen.
    let unseen = max(context.fall, 0.5 * context.gravity.length() * context.dt);
    let hop = if restitution > 0.0 { unseen * (1.0 - restitution) / restitution } else { 0.0 };
    max(hop, context.restitution_speed)
}

pub(crate) fn apply_restitution(world: &mut World, context: &StepContext) {
    if matches!(world.def.solver, Solver::Sequential(_)) {
        // It aims at the speed of the rebound itself.
        return;
    }
    let awake = &mut world.sets.sets[crate::sets::AWAKE as usize];
    let Constraints { blows, blocks, extras, drives, gears, .. } = &mut world.constraints;
    let (bodies, joints) = (&world.bodies, &world.joints);
    // Gears hand blows on.
    let hinges = gears.is_empty().then_some(Hinges { bodies, joints, sims: &awake.sims });
    rebound(blows, blocks, extras, drives, &mut awake.states, hinges, context);
}

/// Where bodies are pinned to what does not move.
#[derive(Clone, Copy)]
pub(super) struct Hinges<'a> {
    bodies: &'a Pool<Body, BodyId>,
    joints: &'a Pool<Joint, JointId>,
    sims: &'a [BodySim],
}

impl Hinges<'_> {
    /// From the centre of mass of an awake body to the pin about which alone it can move, if it is held by one.
    fn pivot(&self, index: u32, state: &BodyState) -> Option<Vec2> {
        let sim = self.sims.get(index as usize)?;
        let &[joint] = self.bodies[sim.body].joints.as_slice() else { return None };
        let def = &self.joints[joint].def;
        let is_b = def.body_b.index() == sim.body;
        let (other, frame) = if is_b { (def.body_a, def.frame_b) } else { (def.body_b, def.frame_a) };
        // A pin that may break has to feel the blow.
        let holds = sort_of(&def.kind) == Sort::PlainPin
            && def.hertz >= RIGID_HERTZ
            && def.break_force == f32::INFINITY
            && def.break_torque == f32::INFINITY
            && self.bodies[other.index()].kind == BodyKind::Fixed;
        holds.then(|| state.delta_rotation.rotate(sim.rotation.rotate(frame.p - sim.local_center)))
    }
}

/// Lets the contacts of some blocks rebound that may.
#[allow(unsafe_code)]
pub(super) fn rebound(
    blows: &mut Blows,
    blocks: &mut [ContactBlock],
    extras: &[BlockExtras],
    drives: &[DriveBlock],
    states: &mut [BodyState],
    hinges: Option<Hinges<'_>>,
    context: &StepContext,
) {
    if blows.looks.is_empty() {
        return;
    }
    let crew = context.crew;
    blows.start(states.len());
    let Blows { looks, colors, struck, time } = blows;
    let (rows, parts) = (Rows::of(states), Parts::of(blocks));
    for pass in 0..MOST_PASSES {
        let any = AtomicBool::new(false);
        for color in colors.iter() {
            *time += 1;
            let time = *time;
            let looks = &mut looks[color.clone()];
            let grain = crew.grain(looks.len(), LEAST_LOOKS);
            crew.for_chunks(looks, grain, |_, looks| {
                // SAFETY: contacts of one colour share no body that they may move (`World::validate` checks it).
                let states = unsafe { rows.share() };
                let (blocks, struck) = (&parts, &*struck);
                let about = About { drives, extras, hinges, context };
                if context.width.run(Rebounds { about, pass, time, looks, blocks, struck, states }) {
                    any.store(true, Ordering::Relaxed);
                }
            });
        }
        if !any.into_inner() {
            break;
        }
    }
}

/// Who may rebound, when bodies were struck, and when blocks were looked at: a block none of whose bodies has been
/// struck since has nothing new to show. In a heap this leaves few to look at after the first pass.
#[derive(Debug, Default)]
pub(crate) struct Blows {
    /// The blocks with contacts that may rebound, in the order of solving.
    looks: Vec<Look>,
    /// Where the looks of each colour begin and end.
    colors: Vec<Range<usize>>,
    /// When each awake body was last struck; time counts colours, from 1 in each step.
    struck: Vec<AtomicU32>,
    time: u32,
}

/// A block, and when it was last looked at in this sub-step; 0 if it was not.
#[derive(Clone, Copy, Debug)]
struct Look {
    block: u32,
    /// How many passes there are for the bounciest contact of the block.
    passes: u32,
    time: u32,
}

impl Clone for Blows {
    /// Nothing of it outlives a step.
    fn clone(&self) -> Blows {
        Blows::default()
    }
}

impl Blows {
    /// Lists the blocks with contacts that may rebound.
    pub(crate) fn list(&mut self, colors: &[Range<usize>], extras: &[BlockExtras]) {
        self.clear();
        for color in colors {
            let first = self.looks.len();
            let rebounding = color.clone().filter(|&block| extras[block].rebounding != 0);
            self.looks.extend(rebounding.map(|block| Look {
                block: block as u32,
                passes: extras[block].rebound_passes,
                time: 0,
            }));
            if self.looks.len() > first {
                self.colors.push(first..self.looks.len());
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        self.looks.clear();
        self.colors.clear();
        self.struck.clear();
        self.time = 0;
    }

    fn start(&mut self, bodies: usize) {
        self.struck.resize_with(bodies, AtomicU32::default);
        for look in &mut self.looks {
            look.time = 0;
        }
    }
}

/// What does not change while contacts rebound.
#[derive(Clone, Copy)]
struct About<'a> {
    drives: &'a [DriveBlock],
    extras: &'a [BlockExtras],
    hinges: Option<Hinges<'a>>,
    context: &'a StepContext<'a>,
}

/// Lets some blocks of one colour rebound. True if anything did.
struct Rebounds<'a> {
    about: About<'a>,
    /// The pass, and the time now.
    pass: u32,
    time: u32,
    looks: &'a mut [Look],
    blocks: &'a Parts<'a, ContactBlock>,
    struck: &'a [AtomicU32],
    states: Rows<'a, BodyState>,
}

impl Task for Rebounds<'_> {
    type Output = bool;

    #[inline(always)]
    #[allow(unsafe_code)]
    fn run<L: Lanes>(self) -> bool {
        let Rebounds { about, pass, time, looks, blocks, struck, mut states } = self;
        let About { extras, context, .. } = about;
        let mut any = false;
        for look in looks {
            if pass >= look.passes {
                continue;
            }
            let extras = &extras[look.block as usize];
            // SAFETY: every block is looked at by one thread.
            let block = unsafe { blocks.item(look.block as usize) };
            // Lanes without a body look at some body that is nobody's: one look too many at most.
            let since = |body: &u32| struck[*body as usize].load(Ordering::Relaxed) >= look.time;
            let is_struck = |places: &Places| places.all()[..block.count as usize].iter().any(since);
            if look.time > 0 && !is_struck(&block.bodies_a) && !is_struck(&block.bodies_b) {
                continue;
            }
            let last_look = std::mem::replace(&mut look.time, time);
            let mut impacts = if is_sparse::<L>(block.count as usize) {
                find_impacts::<L::Narrow>(block, extras, &states, context)
            } else {
                find_impacts::<L>(block, extras, &states, context)
            };
            while impacts != 0 {
                let lane = impacts.trailing_zeros() as usize;
                impacts &= impacts - 1;
                // A second look may move the point away once more: contacts in the same block, which are others with
                // other numbers of threads, must not be the reason for it.
                let is_new = |places: &Places| {
                    places.get(lane).is_some_and(|body| struck[body as usize].load(Ordering::Relaxed) >= last_look)
                };
                if last_look > 0 && !is_new(&block.bodies_a) && !is_new(&block.bodies_b)
                    || pass >= LEAST_PASSES && pass >= passes_of(block, extras, lane)
                    || !rebound_contact(&about, block, extras, lane, &mut states)
                {
                    continue;
                }
                any = true;
                for places in [&block.bodies_a, &block.bodies_b] {
                    if let Some(body) = places.get(lane).filter(|_| places.is_writable(lane)) {
                        struck[body as usize].store(time, Ordering::Relaxed);
                    }
                }
            }
        }
        any
    }
}

/// In how many passes a contact may rebound.
pub(crate) fn passes_of(block: &ContactBlock, extras: &BlockExtras, lane: usize) -> u32 {
    let [(a, _), (b, _)] = block.inv_masses(extras, lane);
    rebound_passes(extras.restitution.0[lane], extras.impacts >> lane & 1 != 0, [a.x, b.x])
}

/// The lanes of a block that may rebound now, one bit each: none is missing, some may turn out not to.
#[inline(always)]
fn find_impacts<L: Lanes>(
    block: &ContactBlock,
    extras: &BlockExtras,
    states: &Rows<'_, BodyState>,
    context: &StepContext,
) -> u32 {
    let mut impacts = 0;
    for first in each_part::<L>(block.count as usize) {
        let a = Velocities::<L>::read(states, &block.bodies_a, first);
        let b = Velocities::<L>::read(states, &block.bodies_b, first);
        let normal = Lanes2::load(&block.normal, first);
        let count = if block.traits.two_points { 2 } else { 1 };
        let bent = part_bits::<L>(extras.bent, first);
        let rebounding = part_bits::<L>(extras.rebounding, first);
        let read_moved = || [&block.bodies_a, &block.bodies_b].map(|places| Moved::<L>::read(states, places, first));
        let moved = (bent != 0).then(read_moved);
        // Of straight paths, and of those that bend.
        let (mut velocities, mut fast) = ([[L::splat(0.0); 2]; 2], [[0; 2]; 2]);
        for (i, point) in block.points[..count].iter().enumerate() {
            let (arm_a, arm_b) = (Lanes2::load(&point.anchor_a, first), Lanes2::load(&point.anchor_b, first));
            let straight = (b.velocity_at(arm_b) - a.velocity_at(arm_a)).dot(normal);
            velocities[i] = [straight; 2];
            if let Some([moved_a, moved_b]) = &moved {
                // Turning bends the path of a core by `w^2 r h^2 / 2` at most, and changes its velocity by `w^2 r h`. Cores
                // have turned since the moment that their anchors belong to.
                let (mut core_a, mut core_b) = (arm_a, arm_b);
                if block.traits.rounded {
                    core_a = core_a - normal.scale(L::load(&extras.rounding_a, first));
                    core_b = core_b + normal.scale(L::load(&extras.rounding_b, first));
                }
                let bent = wide_bend(&a, core_a, context.h) + wide_bend(&b, core_b, context.h);
                let turned = b.velocity_at(core_b.rotated(moved_b.c, moved_b.s))
                    - a.velocity_at(core_a.rotated(moved_a.c, moved_a.s));
                velocities[i][1] = straight.min(turned.dot(normal)) - bent * L::splat(context.inv_h);
            }
            let slowest = -L::load(&extras.slowest_rebound, first);
            fast[i][0] = L::bits(slowest.greater(straight)) & rebounding & !bent;
            if bent != 0 {
                fast[i][1] = L::bits(slowest.greater(velocities[i][1])) & bent;
            }
            if fast[i] == [0; 2] {
                continue;
            }
            let mut there = L::load(&point.normal_impulse, first);
            if block.traits.struck {
                there = there.max(L::load(&extras.blows[i], first));
            }
            let restitution = L::load(&extras.restitution, first);
            let is_impact = L::mask(part_bits::<L>(extras.impacts, first));
            let lost = L::select(restitution.greater(L::splat(0.0)), L::splat(1.0) - restitution, L::splat(0.0));
            let stopped = L::select(is_impact, L::splat(0.0), lost) * L::load(&point.total_impulse, first);
            // What it takes to stop the point, less a little for rounding, against what the load would.
            let there = (there + there).max(stopped) * L::splat(-1.0 + 0.5e-4);
            let mass = L::load(&point.normal_mass, first);
            for (fast, velocity) in fast[i].iter_mut().zip(velocities[i]) {
                *fast &= L::bits(there.greater(velocity * mass));
            }
        }
        if fast == [[0; 2]; 2] {
            continue;
        }
        let [moved_a, moved_b] = &moved.unwrap_or_else(read_moved);
        for i in 0..count {
            let separation = separation(block, extras, i, [moved_a, moved_b], first);
            for path in 0..if bent != 0 { 2 } else { 1 } {
                let meets = L::splat(0.0).at_least(separation + velocities[i][path] * L::splat(context.h));
                impacts |= (fast[i][path] & L::bits(meets)) << first;
            }
        }
    }
    impacts
}

/// By how much turning bends the paths of cores within a sub-step, at most.
#[inline(always)]
fn wide_bend<L: Lanes>(body: &Velocities<L>, core: Lanes2<L>, h: f32) -> L {
    let turn = body.angular_velocity * L::splat(h);
    turn * turn * core.dot(core).sqrt()
}

/// One end of a contact: the body's state and what impulses do to it.
struct End {
    state: BodyState,
    inv_mass: Vec2,
    inv_inertia: f32,
    /// From the centre of mass to the point about which it turns, if it is pinned there. It has no inverse mass then.
    pivot: Vec2,
    /// How much spin a velocity across the arm of the pin becomes.
    swing: f32,
    /// By how much it is to be turned back.
    turn: f32,
}

impl End {
    fn read(states: &Rows<'_, BodyState>, index: u32, (inv_mass, inv_inertia): (Vec2, f32)) -> End {
        let state = if index == NONE { BodyState::REST } else { states.get(index) };
        End { state, inv_mass, inv_inertia, pivot: Vec2::ZERO, swing: 0.0, turn: 0.0 }
    }

    /// What is pinned turns about its pin.
    fn hang(&mut self, index: u32, hinges: Option<Hinges<'_>>) {
        if self.state.flags & BodyState::JOINTED == 0 || self.inv_mass.x != self.inv_mass.y || self.inv_mass.x <= 0.0 {
            return;
        }
        if let Some(pivot) = hinges.and_then(|hinges| hinges.pivot(index, &self.state)) {
            // With w = 1 / m and i = 1 / I: 1 / (I + m p^2), also of what cannot turn by itself.
            let (w, i) = (self.inv_mass.x, self.inv_inertia);
            let share = 1.0 / (w + i * pivot.length_squared());
            (self.inv_mass, self.inv_inertia, self.pivot, self.swing) = (Vec2::ZERO, i * w * share, pivot, i * share);
        }
    }

    /// What a change of velocity of the free body does to a point at an arm, at time `t` of the sub-step: what a pin leaves
    /// of it. The time matters, because the sub-step goes on as if the body had been on its way from the impact all along:
    /// what hits at its lowest point has gained nothing, and gains nothing after it.
    fn kicked(&self, kick: Vec2, arm: Vec2, t: f32) -> Vec2 {
        if self.pivot == Vec2::ZERO {
            return kick;
        }
        let pivot = Rot::IDENTITY.turned(self.state.angular_velocity * t).rotate(self.pivot);
        cross_sv(-cross(pivot, kick) * self.swing, arm - pivot)
    }

    /// Slows its spin down to `limit`; the energy that this takes, in joules. What is pinned cannot fly instead, and is left to
    /// `SpeedLimits`.
    fn cut_spin(&mut self, limit: f32) -> f32 {
        let spin = self.state.angular_velocity;
        if spin.abs() <= limit || self.inv_inertia <= 0.0 || self.pivot != Vec2::ZERO {
            return 0.0;
        }
        self.state.angular_velocity = limit.copysign(spin);
        0.5 * (spin * spin - limit * limit) / self.inv_inertia
    }

    /// Applies an impulse that acts at time `t` of the sub-step.
    fn push(&mut self, arm: Vec2, impulse: Vec2, t: f32) {
        let dw = self.inv_inertia * cross(arm - self.pivot, impulse);
        self.state.angular_velocity += dw;
        if self.pivot == Vec2::ZERO {
            let dv = vec2(self.inv_mass.x * impulse.x, self.inv_mass.y * impulse.y);
            self.state.velocity += dv;
            self.state.delta_position -= dv * t;
            self.turn -= dw * t;
        } else {
            // On the circle about the pin: along its tangent the pin would open, and be closed with a jerk.
            self.state.velocity -= cross_sv(dw, self.pivot);
            let pivot_at = |turn: f32| Rot::IDENTITY.turned(turn).rotate(self.pivot);
            self.state.delta_position += pivot_at(self.turn) - pivot_at(self.turn - dw * t);
            self.turn -= dw * t;
        }
    }

    fn write(&self, states: &mut Rows<'_, BodyState>, index: u32) {
        if index != NONE && self.state.flags & BodyState::MOVABLE != 0 {
            let delta_rotation = self.state.delta_rotation.turned(self.turn);
            states.set(index, BodyState { delta_rotation, ..self.state });
        }
    }
}

/// A point that is about to rebound.
#[derive(Clone, Copy, Default)]
struct Impact {
    /// Time of impact from the start of the sub-step, and the approach velocity then.
    t: f32,
    u: f32,
    /// From the centres of mass to the point, at that time: one point of space, seen from both.
    arms: (Vec2, Vec2),
    impulse: f32,
}

/// How the bodies of a contact move during a sub-step, if nothing stops them.
struct Flight<'a> {
    a: &'a End,
    b: &'a End,
    normal: Vec2,
    roundings: [f32; 2],
    reference: Reference,
    /// How far b moves against a, and how far each turns, until the moment that the anchors belong to.
    lead: Vec2,
    lead_turns: [f32; 2],
    /// Acceleration of b against a along the normal.
    acceleration: f32,
    h: f32,
}

/// Where the bodies of a contact are at a time of the sub-step. Both points of a contact look at its start and its end.
#[derive(Clone, Copy)]
struct Moment {
    t: f32,
    rotation_a: Rot,
    rotation_b: Rot,
    /// How far b has moved against a.
    moved: Vec2,
}

impl Flight<'_> {
    /// Where the bodies are at time `t` of the sub-step.
    fn moment(&self, t: f32) -> Moment {
        let Flight { a, b, lead_turns, .. } = *self;
        let turned = |end: &End, lead_turn: f32| {
            let turn = end.state.angular_velocity * t - lead_turn;
            end.state.delta_rotation.turned(turn)
        };
        let moved = b.state.delta_position - a.state.delta_position + (b.state.velocity - a.state.velocity) * t;
        Moment { t, rotation_a: turned(a, lead_turns[0]), rotation_b: turned(b, lead_turns[1]), moved }
    }

    /// The gap at a point at some moment, and the arms to it.
    ///
    /// A corner keeps its place on its own body; where it meets the other body's edge depends on when.
    fn at(&self, (anchor_a, anchor_b): (Vec2, Vec2), base_separation: f32, moment: &Moment) -> (f32, (Vec2, Vec2)) {
        let Flight { normal, roundings, lead, lead_turns, .. } = *self;
        let Moment { t, rotation_a, rotation_b, moved } = *moment;
        let (core_a, core_b) = (anchor_a - normal * roundings[0], anchor_b + normal * roundings[1]);
        let (now_a, now_b) = (rotation_a.rotate(core_a), rotation_b.rotate(core_b));
        // The blocks turn the cores from the start of the step on, wherever the anchors belong to.
        let ahead = |core: Vec2, turn: f32| Rot::IDENTITY.turned(turn).rotate(core) - core;
        let ahead = if lead_turns == [0.0; 2] {
            Vec2::ZERO
        } else {
            ahead(core_b, lead_turns[1]) - ahead(core_a, lead_turns[0])
        };
        // Bodies in free flight follow a parabola, of which the velocity in hand is the tangent at the end.
        let left = self.h - t;
        let gap = (moved + now_b - now_a + ahead).dot(normal) + base_separation + 0.5 * self.acceleration * left * left;
        let arms = (now_a + normal * roundings[0], now_b - normal * roundings[1]);
        (gap, self.one_point(arms, anchor_a - anchor_b + moved - lead))
    }

    /// How fast b leaves a at a point.
    fn velocity(&self, (arm_a, arm_b): (Vec2, Vec2)) -> f32 {
        (self.b.state.velocity_at(arm_b) - self.a.state.velocity_at(arm_a)).dot(self.normal)
    }

    /// The gap at the end of the sub-step as the solver reckons it. If it is negative, the solver stops the point: with the arms
    /// of the block and a straight path before the bodies move, or with the turned cores of the block after it.
    fn gap_of_solver(&self, (anchor_a, anchor_b): (Vec2, Vec2), base_separation: f32) -> f32 {
        let (a, b, normal, h) = (&self.a.state, &self.b.state, self.normal, self.h);
        let (core_a, core_b) = (anchor_a - normal * self.roundings[0], anchor_b + normal * self.roundings[1]);
        let gap = |rotation_a: Rot, rotation_b: Rot| {
            let between = rotation_b.rotate(core_b) - rotation_a.rotate(core_a);
            (b.delta_position - a.delta_position + between).dot(normal) + base_separation
        };
        let before = gap(a.delta_rotation, b.delta_rotation) + self.velocity((anchor_a, anchor_b)) * h;
        let turned = |state: &BodyState| state.delta_rotation.turned(state.angular_velocity * h);
        let after = gap(turned(a), turned(b)) + (b.velocity - a.velocity).dot(normal) * h;
        min(before, after)
    }

    /// By how much turning bends the path of a point within a sub-step: `w^2 r h^2` at most.
    fn bend(&self, (anchor_a, anchor_b): (Vec2, Vec2)) -> f32 {
        let bend = |end: &End, arm: Vec2| {
            let turn = end.state.angular_velocity * self.h;
            turn * turn * (arm.x.abs() + arm.y.abs())
        };
        bend(self.a, anchor_a) + bend(self.b, anchor_b)
    }

    /// When a point meets the other surface within the sub-step, or since `earliest`, by Newton's method: time, velocity at
    /// the end of the sub-step, and arms. Otherwise how much farther away it stays than the solver reckons, so that nothing
    /// stops it.
    fn meeting(
        &self,
        anchors: (Vec2, Vec2),
        base_separation: f32,
        [start, end]: &[Moment; 2],
        earliest: f32,
    ) -> Result<Meeting, f32> {
        let last = self.at(anchors, base_separation, end);
        let reckoned = self.gap_of_solver(anchors, base_separation);
        if min(last.0, reckoned) > 0.0 {
            return Err(0.0);
        }
        let (ends_apart, leaves) = (last.0 > 0.0, self.velocity(last.1) >= 0.0);
        // What overlaps and rests must still be carried: only a stop that can be seen is spared it.
        let is_stopped = ends_apart || self.velocity(anchors) * self.h < -TOGETHER;
        let stays_away = if is_stopped { max(0.0, max(0.0, last.0) - reckoned) } else { 0.0 };
        if ends_apart && !leaves {
            return Err(stays_away);
        }
        let first = self.at(anchors, base_separation, start);
        // From where the chord says, but from the start if the path turns round before, or if the point is late.
        let (mut t, mut seen) = (0.0, first);
        if first.0 > 0.0 && !ends_apart {
            let chord = self.h * first.0 / (first.0 - last.0);
            let there = self.at(anchors, base_separation, &self.moment(chord));
            if self.velocity(there.1) < 0.0 {
                (t, seen) = (chord, there);
            }
        }
        // A body that was hit before in this sub-step has a path that is true from that moment on only; if it seems to leave
        // at the start, the end tells.
        let mut met = if ends_apart || leaves { None } else { Some((self.h, last.1)) };
        let rounds = if self.bend(anchors) < STRAIGHT { 1 } else { MEETING_ROUNDS };
        for round in 0..=rounds {
            let velocity = self.velocity(seen.1) + self.acceleration * (t - self.h);
            if velocity >= 0.0 {
                break;
            }
            // What dips in and out again within the sub-step must have been in.
            if !ends_apart || seen.0 <= TOGETHER {
                met = Some((t, seen.1));
            }
            let next = clamp(t - seen.0 / velocity, earliest, self.h);
            if next == t || round == rounds {
                break;
            }
            t = next;
            seen = self.at(anchors, base_separation, &self.moment(t));
        }
        met.map_or(Err(stays_away), |(t, arms)| Ok((t, self.velocity(arms), arms)))
    }

    /// The same on a straight path from the start of the sub-step, where anchors belong to the start of the step: good enough
    /// where little comes back.
    fn meeting_straight(&self, anchors: (Vec2, Vec2), base_separation: f32, earliest: f32) -> Result<Meeting, f32> {
        let Flight { a, b, normal, roundings, .. } = *self;
        let (out_a, out_b) = (normal * roundings[0], normal * roundings[1]);
        let now_a = a.state.delta_rotation.rotate(anchors.0 - out_a);
        let now_b = b.state.delta_rotation.rotate(anchors.1 + out_b);
        let moved = b.state.delta_position - a.state.delta_position;
        let gap = (moved + now_b - now_a).dot(normal) + base_separation;
        let arms = (now_a + out_a, now_b - out_b);
        let velocity = self.velocity(arms);
        if velocity >= 0.0 || gap + velocity * self.h > 0.0 {
            return Err(0.0);
        }
        let t = clamp(-gap / velocity, earliest, self.h);
        let between = anchors.0 - anchors.1 + moved + (b.state.velocity - a.state.velocity) * t;
        let arms = self.one_point(arms, between);
        Ok((t, self.velocity(arms), arms))
    }

    /// The arms to a corner, from both bodies: it is on its own body where it is, and on the other one what lies between
    /// their centres farther. Round surfaces meet where their own arms are.
    fn one_point(&self, (arm_a, arm_b): (Vec2, Vec2), between: Vec2) -> (Vec2, Vec2) {
        match self.reference {
            Reference::A(_) => (arm_b + between, arm_b),
            Reference::B(_) => (arm_a, arm_a - between),
            Reference::None => (arm_a, arm_b),
        }
    }
}

/// Time of impact, velocity at the end of the sub-step, and the arms of both bodies.
type Meeting = (f32, f32, (Vec2, Vec2));

/// A path that bends by less than this, in metres, is straight: one step of Newton's method finds its end.
const STRAIGHT: f32 = 1.0e-3 * LINEAR_SLOP;
/// Steps of Newton's method for the time of impact. The path along the normal bends by the turning within a sub-step only.
const MEETING_ROUNDS: u32 = 3;

/// Lets a contact rebound, if it does. True if it did.
fn rebound_contact(
    &About { drives, hinges, context, .. }: &About<'_>,
    block: &mut ContactBlock,
    extras: &BlockExtras,
    lane: usize,
    states: &mut Rows<'_, BodyState>,
) -> bool {
    let [index_a, index_b] = block.bodies(lane);
    let normal = at(&block.normal, lane);
    let [inverse_a, inverse_b] = block.inv_masses(extras, lane);
    let mut a = End::read(states, index_a, inverse_a);
    let mut b = End::read(states, index_b, inverse_b);
    a.hang(index_a, hinges);
    b.hang(index_b, hinges);
    let pivots = (a.pivot, b.pivot);
    let levers = |arms: (Vec2, Vec2)| (arms.0 - pivots.0, arms.1 - pivots.1);

    let movers = Movers::of((a.inv_mass, a.inv_inertia), (b.inv_mass, b.inv_inertia));

    // Which points meet within the sub-step, when, and how fast.
    let restitution = extras.restitution.0[lane];
    // By forces and gravity, b minus a.
    let kick = |index: u32| {
        let drive = drives.get(index as usize / LANES);
        drive.map_or(Vec2::ZERO, |drive| at(&drive.kick, index as usize % LANES))
    };
    let (kick_a, kick_b) = (kick(index_a), kick(index_b));
    let kick = (kick_b - kick_a).dot(normal);
    let acceleration = kick * context.inv_h;
    let slowest = max(extras.slowest_rebound.0[lane], -2.0 * kick);
    // A number of each lane is a cache line of its own: what is zero, or not asked for, is not read.
    let traits = block.traits;
    let bent = extras.bent >> lane & 1 != 0;
    let [turn_a, turn_b] = &extras.lead_turns;
    let flight = Flight {
        a: &a,
        b: &b,
        normal,
        roundings: if traits.rounded { [extras.rounding_a.0[lane], extras.rounding_b.0[lane]] } else { [0.0; 2] },
        reference: extras.reference[lane],
        lead: if bent { at(&extras.lead, lane) } else { Vec2::ZERO },
        lead_turns: if bent { [turn_a.0[lane], turn_b.0[lane]] } else { [0.0; 2] },
        acceleration,
        h: context.h,
    };
    let mut impacts = [None::<Impact>; 2];
    let mut responses = [0.0; 2];
    let ends = if bent { Some([flight.moment(0.0), flight.moment(context.h)]) } else { None };
    for (i, (impact, point)) in impacts.iter_mut().zip(&mut block.points).enumerate() {
        if point.normal_mass.0[lane] <= 0.0 {
            continue;
        }
        let anchors = (at(&point.anchor_a, lane), at(&point.anchor_b, lane));
        // A contact is found at most one step late.
        let base = point.base_separation.0[lane];
        let meeting = match &ends {
            Some(ends) => flight.meeting(anchors, base, ends, -context.dt),
            None => flight.meeting_straight(anchors, base, -context.dt),
        };
        let (t, velocity, arms) = match meeting {
            Ok(meeting) => meeting,
            Err(farther) => {
                // If it turns away before it meets, nothing is to stop it. (A second look adds nothing.)
                point.base_separation.0[lane] += farther;
                continue;
            }
        };
        let k = response(movers, normal, levers(arms), levers(arms));
        let negligible = if traits.locked { extras.negligible[i].0[lane] } else { 0.0 };
        let k = if k > negligible { k } else { 0.0 };
        let blow = if traits.struck { extras.blows[i].0[lane] } else { 0.0 };
        let is_impact = extras.impacts >> lane & 1 != 0;
        let goes_on = is_impact || restitution == 0.0;
        let stopped = if goes_on { 0.0 } else { (1.0 - restitution) * point.total_impulse.0[lane] };
        let slowest = max(slowest, k * max(2.0 * max(point.normal_impulse.0[lane], blow), stopped));
        let (mut velocity, mut acceleration) = (velocity, acceleration);
        if pivots != (Vec2::ZERO, Vec2::ZERO) {
            // Forces have pushed the bodies as if they were free.
            let held = (b.kicked(kick_b, arms.1, t) - a.kicked(kick_a, arms.0, t)).dot(normal);
            (velocity, acceleration) = (velocity + held - kick, held * context.inv_h);
        }
        let u = velocity + acceleration * (t - context.h);
        if velocity < -slowest && u < -0.5 * slowest && u < 0.0 && k > 0.0 {
            *impact = Some(Impact { t, u, arms, impulse: 0.0 });
            responses[i] = k;
        }
    }
    drop_later(&mut impacts);
    let coupling = match &impacts {
        [Some(first), Some(second)] => response(movers, normal, levers(first.arms), levers(second.arms)),
        _ => 0.0,
    };
    rebound_impulses(&mut impacts, restitution, [responses[0], coupling, responses[1]]);

    let mut any = false;
    let tangent = right_perp(normal);
    let friction = block.common(extras, lane).friction;
    let surface_speed = if traits.belt { extras.surface_speed.0[lane] } else { 0.0 };
    for (impact, point) in impacts.iter().zip(&mut block.points) {
        let Some(impact) = impact else { continue };
        if impact.impulse <= 0.0 {
            continue;
        }
        any = true;
        a.push(impact.arms.0, -normal * impact.impulse, impact.t);
        b.push(impact.arms.1, normal * impact.impulse, impact.t);
        point.total_impulse.0[lane] += impact.impulse;
    }
    if let Some(last) = impacts.iter().flatten().last().filter(|_| any) {
        let surplus = a.cut_spin(context.max_angular_speed) + b.cut_spin(context.max_angular_speed);
        if surplus > 0.0 {
            fly_apart(&mut a, &mut b, normal, restitution * restitution * surplus, last.t);
        }
    }
    for (impact, point) in impacts.iter().zip(&mut block.points) {
        let Some(impact) = impact else { continue };
        // Friction of the impact, bounded by its own normal impulse.
        let bound = friction * max(impact.impulse, 0.0);
        if bound > 0.0 && point.tangent_mass.0[lane] > 0.0 {
            let velocity = b.state.velocity_at(impact.arms.1) - a.state.velocity_at(impact.arms.0);
            let slip = velocity.dot(tangent) - surface_speed;
            let impulse =
                clamp(-slip / response(movers, tangent, levers(impact.arms), levers(impact.arms)), -bound, bound);
            a.push(impact.arms.0, -tangent * impulse, impact.t);
            b.push(impact.arms.1, tangent * impulse, impact.t);
            point.total_tangent.0[lane] += impulse;
        }
    }
    if any {
        a.write(states, index_a);
        b.write(states, index_b);
    }
    any
}

/// Turns `energy` into flight, by an impulse `P` along the normal through both centres, at time `t` of the sub-step: with the
/// inverse mass `w` of both against each other, and the velocity `v` of b against a, `P^2 w / 2 + P v` is the energy.
fn fly_apart(a: &mut End, b: &mut End, normal: Vec2, energy: f32, t: f32) {
    let center = (Vec2::ZERO, Vec2::ZERO);
    let w = response(Movers::of((a.inv_mass, 0.0), (b.inv_mass, 0.0)), normal, center, center);
    let v = (b.state.velocity - a.state.velocity).dot(normal);
    if w > 0.0 {
        let impulse = normal * (((v * v + 2.0 * w * energy).sqrt() - v) / w);
        a.push(a.pivot, -impulse, t);
        b.push(b.pivot, impulse, t);
    }
}

/// Of two points, leaves the one that meets first, unless both meet at the same time: whether the other one meets at all
/// is another question once the first has. The next pass asks it.
fn drop_later(impacts: &mut [Option<Impact>; 2]) {
    if let [Some(first), Some(second)] = impacts {
        // How far the later one is from the other surface at the time of the earlier.
        let left = if first.t <= second.t { (first.t - second.t) * second.u } else { (second.t - first.t) * first.u };
        if left > TOGETHER {
            impacts[usize::from(first.t <= second.t)] = None;
        }
    }
}

/// Two points of a contact meet together if the second one has no farther to go, in metres, when the first one meets. What is
/// no farther away than this has met.
const TOGETHER: f32 = 0.1 * LINEAR_SLOP;

/// The impulses that send the impacting points away at `-e u`.
///
/// Two points of one contact are solved together, or a box that lands flat would start to spin:
/// `K P = -(1 + e) u` with the 2x2 matrix `K`. Where that would need a pull, the faster point
/// rebounds alone and the next pass looks at the other.
fn rebound_impulses(impacts: &mut [Option<Impact>; 2], restitution: f32, [k11, k12, k22]: [f32; 3]) {
    let gain = 1.0 + restitution;
    match impacts {
        [Some(first), Some(second)] => {
            let (d1, d2) = (-gain * first.u, -gain * second.u);
            let det = k11 * k22 - k12 * k12;
            if det > 1.0e-4 * k11 * k22 {
                let inv_det = 1.0 / det;
                first.impulse = (k22 * d1 - k12 * d2) * inv_det;
                second.impulse = (k11 * d2 - k12 * d1) * inv_det;
            }
            if !(first.impulse > 0.0 && second.impulse > 0.0) {
                let first_faster = first.u <= second.u;
                first.impulse = if first_faster { d1 / k11 } else { 0.0 };
                second.impulse = if first_faster { 0.0 } else { d2 / k22 };
            }
        }
        [Some(only), None] => only.impulse = -gain * only.u / k11,
        [None, Some(only)] => only.impulse = -gain * only.u / k22,
        [None, None] => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(u: f32) -> Option<Impact> {
        Some(Impact { u, ..Impact::default() })
    }

    /// Both points of a unit box landing flat get the same impulse, and together they stop or turn
    /// its fall: 2 P = (1 + e) m u.
    #[test]
    fn flat_landing_shares_the_impulse() {
        // Unit box, mass 1, inertia 1/6, points at x = -0.5 and 0.5: K = 1 + 6/4, K12 = 1 - 6/4.
        let mut impacts = [hit(-3.0), hit(-3.0)];
        rebound_impulses(&mut impacts, 0.5, [2.5, -0.5, 2.5]);
        let [first, second] = impacts.map(|impact| impact.unwrap().impulse);
        assert_eq!(first, second);
        assert!((first + second - 1.5 * 3.0).abs() < 1.0e-5);
    }

    /// No impulse ever pulls.
    #[test]
    fn impulses_push() {
        for (u1, u2, k12) in [(-5.0, -0.1, 0.9), (-0.1, -5.0, 0.9), (-1.0, -1.0, 1.0), (-2.0, -1.0, -0.9)] {
            let mut impacts = [hit(u1), hit(u2)];
            rebound_impulses(&mut impacts, 1.0, [1.0, k12, 1.0]);
            let impulses = impacts.map(|impact| impact.unwrap().impulse);
            assert!(impulses.iter().all(|&impulse| impulse >= 0.0) && impulses.iter().any(|&impulse| impulse > 0.0));
        }
    }
}
