//! Fills the blocks of the solver with what their contacts are now.

use super::masses::{Loads, Points, Weigh, inverse, negligible_response};
use crate::body::{BodyKind, NONE};
use crate::collide::{LINEAR_SLOP, SPECULATIVE_DISTANCE};
use crate::contact::{Contact, ContactPoint, Impact, SOLVED_BYTES};
use crate::impact::queue::passes_of;
use crate::math::{Vec2, max};
use crate::motion::Motions;
use crate::solver::{BlockExtras, BodyMass, Common, ContactBlock, Mobility, Traits};
use crate::stage::StepContext;
use crate::stage::foresee::BOUNCY;
use crate::stage::restitution::slowest_rebound;
use crate::world::WorldState;
use carom_core::PoolSlot;
use carom_threads::Parts;
use carom_wide::{LANES, Places, Wide, prefetch_at};

/// What there is among the contacts of some blocks.
#[derive(Clone, Copy, Default)]
pub(crate) struct Filled {
    /// Some may rebound.
    pub(crate) rebounds: bool,
    /// The normals of some turn.
    pub(crate) turns: bool,
}

/// Fills blocks with what their contacts are now.
pub(crate) struct Filling<'a> {
    /// Without its contacts.
    pub(crate) world: &'a WorldState,
    pub(crate) motions: &'a Motions,
    pub(crate) context: &'a StepContext<'a>,
    pub(crate) contacts: Unchanging<'a>,
    /// Of the bodies that the blocks are about.
    pub(crate) masses: &'a [BodyMass],
    /// The place of each awake body among them; none where it is the same.
    pub(crate) batch_indices: Option<&'a [u32]>,
    pub(crate) warmth: f32,
    pub(crate) growth: f32,
}

/// The bodies on one side of a block, as [`Places`] has them.
#[derive(Clone, Copy)]
struct Bodies {
    lanes: [u32; LANES],
    present: u16,
    writable: u16,
}

impl Bodies {
    const NONE: Bodies = Bodies { lanes: [0; LANES], present: 0, writable: 0 };
}

/// Contacts that can be read while other threads may write to other contacts of the same pool.
#[derive(Clone, Copy)]
pub(crate) struct Unchanging<'a>(&'a Parts<'a, PoolSlot<Contact>>);

impl<'a> Unchanging<'a> {
    /// # Safety
    /// While this lives, no thread may write to a contact that is read through it.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn of(contacts: &'a Parts<'a, PoolSlot<Contact>>) -> Self {
        Unchanging(contacts)
    }

    #[inline(always)]
    #[allow(unsafe_code)]
    fn contact(self, index: u32) -> &'a Contact {
        // SAFETY: the caller of `of` promised that no thread writes to it.
        unsafe { self.0.look(index as usize) }.value()
    }
}

/// What does not rebound touches from this distance in metres on. A box that lands flat would else be stopped on one side and
/// not on the other, as rounding has it.
pub(crate) const TOUCH: f32 = 0.02 * LINEAR_SLOP;

/// An overlap in metres that does not show, and that contacts have anyway.
const UNSEEN: f32 = 0.1 * LINEAR_SLOP;

impl Filling<'_> {
    /// Fills a run of blocks.
    pub(crate) fn fill(&self, blocks: &mut [ContactBlock], extras: &mut [BlockExtras]) -> Filled {
        let mut filled = Filled::default();
        for index in 0..blocks.len() {
            // Contacts of a colour lie all over the pool. Fetching those of the next block while this one is filled, one for
            // each, hides most of the time that it takes.
            let next = extras.get(index + 1).map_or([NONE; LANES], |next| next.contact);
            self.fill_block(&mut blocks[index], &mut extras[index], &next);
            filled.rebounds |= extras[index].rebounding != 0;
            filled.turns |= extras[index].turning != 0;
        }
        filled
    }

    fn contact(&self, index: u32) -> &Contact {
        self.contacts.contact(index)
    }

    /// The place of a body among those that the blocks are about.
    #[inline]
    fn batch_index(&self, body: u32) -> u32 {
        let place = self.world.awake_index(body);
        self.batch_indices.map_or(place, |batch_indices| batch_indices.get(place as usize).copied().unwrap_or(NONE))
    }

    fn fill_block(&self, block: &mut ContactBlock, extras: &mut BlockExtras, next: &[u32; LANES]) {
        (extras.rebounding, extras.bent, extras.rebound_passes, extras.turning) = (0, 0, 0, 0);
        extras.impacts = 0;
        extras.clear();
        let mut bodies = [Bodies::NONE; 2];
        let had_two_points = std::mem::take(&mut block.traits).two_points;
        block.count = extras.contact.iter().take_while(|&&index| index != NONE).count() as u16;
        let mut points = Points { points: [[&ContactPoint::NONE; LANES]; 2], present: [0; 2], softening: Wide::ZERO };
        for lane in block.lanes() {
            if next[lane] != NONE {
                prefetch_at(self.contacts.0.pointer(next[lane] as usize), SOLVED_BYTES);
            }
            self.fill_lane((&mut *block, &mut *extras), &mut points, &mut bodies, lane);
        }
        [block.bodies_a, block.bodies_b] =
            bodies.map(|Bodies { lanes, present, writable }| Places::of(lanes, present, writable));
        block.traits = Traits { varied: block.traits.varied, ..extras.traits };
        if had_two_points && !block.traits.two_points {
            block.points[1] = ContactBlock::EMPTY.points[1];
        }
        if block.traits.locked {
            for lane in block.lanes() {
                let contact = self.contact(extras.contact[lane]);
                extras.inv_mass_y_a.0[lane] = self.world.sim(contact.body_a).inv_mass.y;
                extras.inv_mass_y_b.0[lane] = self.world.sim(contact.body_b).inv_mass.y;
            }
        }
        let (warmth, dt) = (self.warmth, self.context.dt);
        let loads = Loads {
            slow_squared: self.context.slow_load_squared,
            per_substep: 1.0 / self.world.last_substeps.max(1) as f32,
        };
        extras.rebounding |= self.context.width.run(Weigh { block, extras, points: &points, loads, warmth, dt });
        if self.growth > 1.0 {
            self.grow_steady(block, &points);
        }
        if !self.world.preloads.is_empty() {
            let WorldState { preloads, burdens, .. } = self.world;
            preloads.press(block, extras, |index| self.contact(index), burdens, self.context.h);
        }
        let mut rebounding = extras.rebounding;
        while rebounding != 0 {
            let lane = rebounding.trailing_zeros() as usize;
            rebounding &= rebounding - 1;
            let contact = self.contact(extras.contact[lane]);
            let restitution = contact.material.restitution;
            (extras.restitution.0[lane], extras.reference[lane]) = (restitution, contact.manifold.reference);
            // What does not rebound was found late, which is rare.
            let is_next = contact.impact == Impact::PassedOn && restitution == 0.0;
            let bent = restitution >= BOUNCY || restitution == 0.0 && !is_next || contact.impact == Impact::Foreseen;
            if bent {
                self.fill_lead(extras, lane, contact);
            }
            extras.bent |= u16::from(bent) << lane;
            extras.impacts |= u16::from(contact.is_impact()) << lane;
            // What does not rebound, and would not overlap visibly, is left to the solver.
            let unseen = match contact.impact {
                Impact::Near | Impact::Landed if restitution == 0.0 => UNSEEN,
                Impact::PassedOn if restitution == 0.0 => SPECULATIVE_DISTANCE,
                _ => 0.0,
            };
            let slowest = slowest_rebound(restitution, self.context);
            extras.slowest_rebound.0[lane] = max(slowest, unseen / self.context.dt);
            extras.rebound_passes = extras.rebound_passes.max(passes_of(block, extras, lane));
        }
    }

    /// How far the bodies of a contact move and turn until the moment that its points belong to.
    fn fill_lead(&self, extras: &mut BlockExtras, lane: usize, contact: &Contact) {
        let time = if contact.is_foreseen() { contact.lead_s } else { 0.0 };
        let motion = |body: u32| {
            let motion = self.motions.get(body).filter(|_| time > 0.0);
            motion.map_or((Vec2::ZERO, 0.0), |motion| (motion.velocity * time, motion.angular_velocity * time))
        };
        let ((way_a, turn_a), (way_b, turn_b)) = (motion(contact.body_a), motion(contact.body_b));
        (extras.lead.x.0[lane], extras.lead.y.0[lane]) = (way_b.x - way_a.x, way_b.y - way_a.y);
        (extras.lead_turns[0].0[lane], extras.lead_turns[1].0[lane]) = (turn_a, turn_b);
    }

    /// Steady loads grow with the sub-step. Of one that varied in the last step, as in a stack that still shakes, what is sure
    /// grows: its mean, less what the last impulse is off it. If none of it did, a stack would fall a little in each long
    /// step, and go on shaking. Impacts must not grow: that in the last of two or more sub-steps is twice the mean or more.
    fn grow_steady(&self, block: &mut ContactBlock, points: &Points<'_>) {
        let count = self.world.last_substeps as f32;
        for lane in block.lanes() {
            for (to, from) in block.points.iter_mut().zip(&points.points) {
                let from = from[lane];
                let (last, mean) = (from.normal_impulse, from.total_impulse / count);
                let sure = mean - (last - mean).abs();
                if last > 0.0 && self.growth * sure > last {
                    let factor = self.growth * sure / last;
                    to.normal_impulse.0[lane] *= factor;
                    to.tangent_impulse.0[lane] *= factor;
                }
            }
        }
    }

    /// True when a contact that does not rebound will take an impact within the step. Bodies with joints are stopped by the
    /// solver, together with the bodies jointed to them.
    #[inline]
    fn is_impacted(&self, contact: &Contact) -> bool {
        let is_free = |body: u32| !self.world.bodies[body].jointed;
        contact.is_impact() && is_free(contact.body_a) && is_free(contact.body_b)
    }

    /// All of a lane but for its points, which are only listed.
    fn fill_lane<'s>(
        &'s self,
        (block, extras): (&mut ContactBlock, &mut BlockExtras),
        points: &mut Points<'s>,
        [bodies_a, bodies_b]: &mut [Bodies; 2],
        lane: usize,
    ) {
        let Filling { world, context, warmth, .. } = *self;
        let contact = self.contact(extras.contact[lane]);
        let traits = &mut extras.traits;
        let mut end = |body: u32, bodies: &mut Bodies| {
            let batch_index = self.batch_index(body);
            let mass = match self.masses.get(batch_index as usize) {
                Some(mass) => {
                    bodies.lanes[lane] = batch_index;
                    bodies.present |= 1 << lane;
                    bodies.writable |= u16::from(mass.mobility != Mobility::None) << lane;
                    *mass
                }
                // Fixed, or asleep beside a moving platform.
                None => BodyMass::of(world.sim(body), world.bodies[body].kind == BodyKind::Dynamic),
            };
            traits.locked |= mass.mobility == Mobility::Some;
            mass
        };
        let a = end(contact.body_a, bodies_a);
        let b = end(contact.body_b, bodies_b);
        let manifold = &contact.manifold;
        block.normal.x.0[lane] = manifold.normal.x;
        block.normal.y.0[lane] = manifold.normal.y;
        let material = &contact.material;
        if contact.rounded {
            let [rounding_a, rounding_b] = contact.roundings;
            traits.rounded = true;
            extras.rounding_a.0[lane] = rounding_a;
            extras.rounding_b.0[lane] = rounding_b;
            extras.turning |= u16::from(contact.impact == Impact::Turning) << lane;
        }
        if material.surface_speed != 0.0 {
            traits.belt = true;
            extras.surface_speed.0[lane] = material.surface_speed;
        }
        if material.rolling_resistance != 0.0 {
            traits.rolling = true;
            extras.rolling_resistance.0[lane] = material.rolling_resistance;
            extras.rolling_mass.0[lane] = inverse(a.inv_inertia + b.inv_inertia);
            extras.rolling_impulse.0[lane] = contact.rolling_impulse * warmth;
        }
        let softness = context.softness(a.inv_mass.x + a.inv_mass.y, b.inv_mass.x + b.inv_mass.y);
        extras.rebounding |= u16::from(material.restitution > 0.0 || self.is_impacted(contact)) << lane;
        points.softening.0[lane] = softness.softening;
        traits.two_points |= manifold.count > 1;
        for (i, point) in manifold.points[..manifold.count as usize].iter().enumerate() {
            points.points[i][lane] = point;
            points.present[i] |= 1 << lane;
            if traits.locked {
                extras.negligible[i].0[lane] = negligible_response(world, contact, point);
            }
        }
        let common = Common {
            inv_mass_a: a.inv_mass.x,
            inv_inertia_a: a.inv_inertia,
            inv_mass_b: b.inv_mass.x,
            inv_inertia_b: b.inv_inertia,
            friction: material.friction,
            bias_rate: softness.bias_rate,
            mass_scale: softness.mass_scale,
            push_out: -context.push_out_speed,
            touch: if material.restitution > 0.0 { 0.0 } else { TOUCH },
        };
        block.set_common(extras, lane, common);
    }
}
