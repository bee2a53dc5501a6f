//! Contact constraints side by side: one block holds one contact per lane.
//!
//! Passes over the blocks are bound by memory as much as by arithmetic, so a block holds what every pass needs and
//! nothing else: 30 cache lines for 16 contacts. What few contacts need lies in [`BlockExtras`], and is read only where
//! [`Traits`] say that a contact of the block needs it. What contacts mostly have in common, masses above all, is
//! stored once per block where they do.

use crate::body::{BodyState, NONE};
use crate::collide::Reference;
use crate::math::{Vec2, vec2};
use carom_wide::{LANES, Lanes, Lanes2, Places, Rows, Wide, Wide2, gather, gather_high, gather_low, scatter_low};

carom_wide::row!(
    BodyState:
    velocity.x,
    velocity.y,
    angular_velocity,
    flags,
    delta_position.x,
    delta_position.y,
    delta_rotation.c,
    delta_rotation.s,
);

/// One point of each of a block's contacts. Lanes without such a point have zero masses, so their
/// impulses stay zero.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockPoint {
    /// From the centres of mass to the point, at the start of the step.
    pub(crate) anchor_a: Wide2,
    pub(crate) anchor_b: Wide2,
    /// Impulses of the sub-step.
    pub(crate) normal_impulse: Wide,
    pub(crate) tangent_impulse: Wide,
    /// Separation at the start of the step, less what the cores' anchors contribute to it.
    pub(crate) base_separation: Wide,
    /// Effective masses along normal and tangent: the inverse of `K = J M^-1 J^T`.
    pub(crate) normal_mass: Wide,
    pub(crate) tangent_mass: Wide,
    /// How much velocity the biased pass gives back per impulse: `K impulse_scale / mass_scale` of the softness.
    pub(crate) softening: Wide,
    /// Sums of the impulses over the step.
    pub(crate) total_impulse: Wide,
    pub(crate) total_tangent: Wide,
}

/// What some contact of a block has, so that the others need not be looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traits {
    /// Two points.
    pub(crate) two_points: bool,
    /// A shape with a rounding radius.
    pub(crate) rounded: bool,
    /// A body with a locked axis, whose inverse mass depends on the direction.
    pub(crate) locked: bool,
    /// A surface that moves.
    pub(crate) belt: bool,
    /// Rolling resistance.
    pub(crate) rolling: bool,
    /// Something else in [`Common`] than another contact.
    pub(crate) varied: bool,
    /// A body that a joint holds. Known from the first warm start on.
    pub(crate) jointed: bool,
    /// A load of many bodies, so that the difference of its points is followed slowly.
    pub(crate) column: bool,
    /// An impact, in this sub-step or the last one.
    pub(crate) impacted: bool,
    /// A body that slides on a wall, in this sub-step.
    pub(crate) sliding: bool,
}

/// What the contacts of a block mostly have in common: `T` is a number, or one per lane.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Common<T> {
    /// Inverse masses along x, and, but for locked axes, along y.
    pub(crate) inv_mass_a: T,
    pub(crate) inv_inertia_a: T,
    pub(crate) inv_mass_b: T,
    pub(crate) inv_inertia_b: T,
    pub(crate) friction: T,
    pub(crate) bias_rate: T,
    pub(crate) mass_scale: T,
    /// Fastest push apart, as a negative number.
    pub(crate) push_out: T,
    /// Points that are no farther apart than this touch, once they are where the sub-step takes them.
    pub(crate) touch: T,
}

impl Common<Wide> {
    fn set(&mut self, lane: usize, from: &Common<f32>) {
        self.inv_mass_a.0[lane] = from.inv_mass_a;
        self.inv_inertia_a.0[lane] = from.inv_inertia_a;
        self.inv_mass_b.0[lane] = from.inv_mass_b;
        self.inv_inertia_b.0[lane] = from.inv_inertia_b;
        self.friction.0[lane] = from.friction;
        self.bias_rate.0[lane] = from.bias_rate;
        self.mass_scale.0[lane] = from.mass_scale;
        self.push_out.0[lane] = from.push_out;
        self.touch.0[lane] = from.touch;
    }

    fn get(&self, lane: usize) -> Common<f32> {
        Common {
            inv_mass_a: self.inv_mass_a.0[lane],
            inv_inertia_a: self.inv_inertia_a.0[lane],
            inv_mass_b: self.inv_mass_b.0[lane],
            inv_inertia_b: self.inv_inertia_b.0[lane],
            friction: self.friction.0[lane],
            bias_rate: self.bias_rate.0[lane],
            mass_scale: self.mass_scale.0[lane],
            push_out: self.push_out.0[lane],
            touch: self.touch.0[lane],
        }
    }
}

impl<L: Lanes> Common<L> {
    /// Of a part of a block.
    #[inline(always)]
    pub(crate) fn load(block: &ContactBlock, extras: &BlockExtras, first: usize) -> Common<L> {
        if block.traits.varied {
            let from = &extras.varied;
            Common {
                inv_mass_a: L::load(&from.inv_mass_a, first),
                inv_inertia_a: L::load(&from.inv_inertia_a, first),
                inv_mass_b: L::load(&from.inv_mass_b, first),
                inv_inertia_b: L::load(&from.inv_inertia_b, first),
                friction: L::load(&from.friction, first),
                bias_rate: L::load(&from.bias_rate, first),
                mass_scale: L::load(&from.mass_scale, first),
                push_out: L::load(&from.push_out, first),
                touch: L::load(&from.touch, first),
            }
        } else {
            let from = &block.common;
            Common {
                inv_mass_a: L::splat(from.inv_mass_a),
                inv_inertia_a: L::splat(from.inv_inertia_a),
                inv_mass_b: L::splat(from.inv_mass_b),
                inv_inertia_b: L::splat(from.inv_inertia_b),
                friction: L::splat(from.friction),
                bias_rate: L::splat(from.bias_rate),
                mass_scale: L::splat(from.mass_scale),
                push_out: L::splat(from.push_out),
                touch: L::splat(from.touch),
            }
        }
    }
}

/// Up to [`LANES`] contacts of one colour.
#[derive(Clone, Debug)]
#[repr(C)]
pub(crate) struct ContactBlock {
    /// Bodies in the awake set; none where nothing moves.
    pub(crate) bodies_a: Places,
    pub(crate) bodies_b: Places,
    /// How many lanes hold a contact: the first ones.
    pub(crate) count: u16,
    pub(crate) traits: Traits,
    /// Of all contacts, unless they are [`Traits::varied`].
    pub(crate) common: Common<f32>,
    pub(crate) normal: Wide2,
    /// What an impulse at one point does to the normal velocity at the other: `K12`.
    pub(crate) coupling: Wide,
    pub(crate) points: [BlockPoint; 2],
}

const _: () = assert!(size_of::<ContactBlock>() == 30 * 64);

/// What few contacts need. But for `varied`, zero where no contact of the block has the trait.
#[derive(Clone, Debug)]
pub(crate) struct BlockExtras {
    /// Contact indices; `NONE` in unused lanes.
    pub(crate) contact: [u32; LANES],
    /// Lanes that may rebound, one bit each.
    pub(crate) rebounding: u16,
    /// The slowest approach in m/s from which each of them rebounds.
    pub(crate) slowest_rebound: Wide,
    /// In how many passes the bounciest of them may.
    pub(crate) rebound_passes: u32,
    /// Those of them that rebound well or were found late: their paths are followed as they bend.
    pub(crate) bent: u16,
    /// Those of them whose impact was foreseen or is handed on.
    pub(crate) impacts: u16,
    /// Lanes whose normals turn within the step.
    pub(crate) turning: u16,
    /// Lanes that took an impact in this sub-step, and the impulses of their points that the next one may expect.
    pub(crate) impacted: u16,
    pub(crate) expected: [Wide; 2],
    /// Lanes whose body slides on a wall in this sub-step.
    pub(crate) sliding: u16,
    /// Impulses of the impacts in the last sub-step, if there were any.
    pub(crate) impact_impulses: [Wide; 2],
    /// Of those that may rebound.
    pub(crate) restitution: Wide,
    pub(crate) reference: [Reference; LANES],
    /// Of those whose paths are followed as they bend: how far b moves against a until the moment that their anchors belong
    /// to, if that was foreseen, and how far each of them turns.
    pub(crate) lead: Wide2,
    pub(crate) lead_turns: [Wide; 2],
    pub(crate) traits: Traits,
    /// Of contacts that are [`Traits::varied`].
    pub(crate) varied: Common<Wide>,
    /// Rounding radii of the shapes: how far the surfaces are from the cores that turn.
    pub(crate) rounding_a: Wide,
    pub(crate) rounding_b: Wide,
    /// Inverse masses along y.
    pub(crate) inv_mass_y_a: Wide,
    pub(crate) inv_mass_y_b: Wide,
    /// Per point, a response to impulses that is none: rounding errors of what cannot move.
    pub(crate) negligible: [Wide; 2],
    pub(crate) surface_speed: Wide,
    pub(crate) rolling_resistance: Wide,
    pub(crate) rolling_mass: Wide,
    pub(crate) rolling_impulse: Wide,
    /// Half of the share of the difference between the two points of a [`Traits::column`] that is not followed.
    pub(crate) delay: Wide,
}

impl ContactBlock {
    pub(crate) const EMPTY: ContactBlock = ContactBlock {
        bodies_a: Places::NOWHERE,
        bodies_b: Places::NOWHERE,
        count: 0,
        traits: Traits {
            two_points: false,
            rounded: false,
            locked: false,
            belt: false,
            rolling: false,
            varied: false,
            jointed: false,
            column: false,
            impacted: false,
            sliding: false,
        },
        common: Common {
            inv_mass_a: 0.0,
            inv_inertia_a: 0.0,
            inv_mass_b: 0.0,
            inv_inertia_b: 0.0,
            friction: 0.0,
            bias_rate: 0.0,
            mass_scale: 0.0,
            push_out: 0.0,
            touch: 0.0,
        },
        normal: Wide2::ZERO,
        coupling: Wide::ZERO,
        points: [BlockPoint {
            anchor_a: Wide2::ZERO,
            anchor_b: Wide2::ZERO,
            normal_impulse: Wide::ZERO,
            tangent_impulse: Wide::ZERO,
            base_separation: Wide::ZERO,
            normal_mass: Wide::ZERO,
            tangent_mass: Wide::ZERO,
            softening: Wide::ZERO,
            total_impulse: Wide::ZERO,
            total_tangent: Wide::ZERO,
        }; 2],
    };

    /// The lanes that hold a contact.
    #[inline]
    pub(crate) fn lanes(&self) -> std::ops::Range<usize> {
        0..self.count as usize
    }

    /// Places of a contact's bodies in the awake set; `NONE` where nothing moves.
    #[inline]
    pub(crate) fn bodies(&self, lane: usize) -> [u32; 2] {
        [self.bodies_a.get(lane).unwrap_or(NONE), self.bodies_b.get(lane).unwrap_or(NONE)]
    }

    /// What a contact may have in common with the others.
    #[inline]
    pub(crate) fn common(&self, extras: &BlockExtras, lane: usize) -> Common<f32> {
        if self.traits.varied { extras.varied.get(lane) } else { self.common }
    }

    /// Sets it for a lane, given that it is set for all lanes before.
    #[inline]
    pub(crate) fn set_common(&mut self, extras: &mut BlockExtras, lane: usize, common: Common<f32>) {
        if lane == 0 {
            self.common = common;
        } else if !self.traits.varied && common != self.common {
            self.vary(extras);
        }
        if self.traits.varied {
            extras.varied.set(lane, &common);
        }
    }

    /// Lets every lane have its own.
    pub(crate) fn vary(&mut self, extras: &mut BlockExtras) {
        if !self.traits.varied {
            self.traits.varied = true;
            for lane in 0..LANES {
                extras.varied.set(lane, &self.common);
            }
        }
    }

    /// Inverse masses per axis and inverse inertias of a contact's bodies.
    #[inline]
    pub(crate) fn inv_masses(&self, extras: &BlockExtras, lane: usize) -> [(Vec2, f32); 2] {
        let Common { inv_mass_a: x_a, inv_inertia_a, inv_mass_b: x_b, inv_inertia_b, .. } = self.common(extras, lane);
        let (y_a, y_b) =
            if self.traits.locked { (extras.inv_mass_y_a.0[lane], extras.inv_mass_y_b.0[lane]) } else { (x_a, x_b) };
        [(vec2(x_a, y_a), inv_inertia_a), (vec2(x_b, y_b), inv_inertia_b)]
    }
}

impl BlockExtras {
    pub(crate) const EMPTY: BlockExtras = BlockExtras {
        contact: [NONE; LANES],
        rebounding: 0,
        slowest_rebound: Wide::ZERO,
        rebound_passes: 0,
        bent: 0,
        impacts: 0,
        turning: 0,
        impacted: 0,
        sliding: 0,
        expected: [Wide::ZERO; 2],
        impact_impulses: [Wide::ZERO; 2],
        restitution: Wide::ZERO,
        reference: [Reference::None; LANES],
        lead: Wide2::ZERO,
        lead_turns: [Wide::ZERO; 2],
        traits: ContactBlock::EMPTY.traits,
        varied: Common {
            inv_mass_a: Wide::ZERO,
            inv_inertia_a: Wide::ZERO,
            inv_mass_b: Wide::ZERO,
            inv_inertia_b: Wide::ZERO,
            friction: Wide::ZERO,
            bias_rate: Wide::ZERO,
            mass_scale: Wide::ZERO,
            push_out: Wide::ZERO,
            touch: Wide::ZERO,
        },
        rounding_a: Wide::ZERO,
        rounding_b: Wide::ZERO,
        inv_mass_y_a: Wide::ZERO,
        inv_mass_y_b: Wide::ZERO,
        negligible: [Wide::ZERO; 2],
        surface_speed: Wide::ZERO,
        rolling_resistance: Wide::ZERO,
        rolling_mass: Wide::ZERO,
        rolling_impulse: Wide::ZERO,
        delay: Wide::ZERO,
    };

    /// Takes the traits away, with what contacts had by them. It is much to write: only what is there is cleared.
    pub(crate) fn clear(&mut self) {
        let traits = std::mem::replace(&mut self.traits, ContactBlock::EMPTY.traits);
        if traits.rounded {
            (self.rounding_a, self.rounding_b) = (Wide::ZERO, Wide::ZERO);
        }
        if traits.locked {
            (self.inv_mass_y_a, self.inv_mass_y_b) = (Wide::ZERO, Wide::ZERO);
            self.negligible = [Wide::ZERO; 2];
        }
        if traits.belt {
            self.surface_speed = Wide::ZERO;
        }
        if traits.column {
            self.delay = Wide::ZERO;
        }
        if traits.rolling {
            (self.rolling_resistance, self.rolling_mass, self.rolling_impulse) = (Wide::ZERO, Wide::ZERO, Wide::ZERO);
        }
    }
}

/// One vector of a block.
#[inline]
pub(crate) fn at(wide: &Wide2, lane: usize) -> Vec2 {
    vec2(wide.x.0[lane], wide.y.0[lane])
}

/// How the bodies of one side of a part move.
#[derive(Clone, Copy)]
pub(crate) struct Velocities<L> {
    pub(crate) velocity: Lanes2<L>,
    pub(crate) angular_velocity: L,
    /// [`BodyState::flags`]; no number.
    pub(crate) flags: L,
}

/// How far the bodies of one side of a part have come since the step began.
#[derive(Clone, Copy)]
pub(crate) struct Moved<L> {
    pub(crate) position: Lanes2<L>,
    pub(crate) c: L,
    pub(crate) s: L,
}

/// How the bodies of one side of a part answer impulses.
#[derive(Clone, Copy)]
pub(crate) struct InverseMasses<L> {
    pub(crate) mass: Lanes2<L>,
    pub(crate) inertia: L,
}

impl<L: Lanes> Moved<L> {
    #[inline(always)]
    pub(crate) fn read(states: &Rows<'_, BodyState>, places: &Places, first: usize) -> Moved<L> {
        let [x, y, c, s] = gather_high(states, places, first, &BodyState::REST);
        Moved { position: Lanes2 { x, y }, c, s }
    }
}

impl<L: Lanes> InverseMasses<L> {
    /// Of both sides.
    #[inline(always)]
    pub(crate) fn load(
        block: &ContactBlock,
        extras: &BlockExtras,
        common: &Common<L>,
        first: usize,
    ) -> [InverseMasses<L>; 2] {
        let (x_a, x_b) = (common.inv_mass_a, common.inv_mass_b);
        let (mut y_a, mut y_b) = (x_a, x_b);
        if block.traits.locked {
            (y_a, y_b) = (L::load(&extras.inv_mass_y_a, first), L::load(&extras.inv_mass_y_b, first));
        }
        [
            InverseMasses { mass: Lanes2 { x: x_a, y: y_a }, inertia: common.inv_inertia_a },
            InverseMasses { mass: Lanes2 { x: x_b, y: y_b }, inertia: common.inv_inertia_b },
        ]
    }
}

/// How far a point of each contact is from touching, where the bodies have come since the step began.
///
/// The cores turn with their bodies; the rounding around them does not, or a wheel would lift its contact point as it
/// rolls.
#[inline(always)]
pub(crate) fn separation<L: Lanes>(
    block: &ContactBlock,
    extras: &BlockExtras,
    i: usize,
    [a, b]: [&Moved<L>; 2],
    first: usize,
) -> L {
    let point = &block.points[i];
    let normal = Lanes2::<L>::load(&block.normal, first);
    let (mut core_a, mut core_b) = (Lanes2::load(&point.anchor_a, first), Lanes2::load(&point.anchor_b, first));
    if block.traits.rounded {
        core_a = core_a - normal.scale(L::load(&extras.rounding_a, first));
        core_b = core_b + normal.scale(L::load(&extras.rounding_b, first));
    }
    let cores = b.position - a.position + core_b.rotated(b.c, b.s) - core_a.rotated(a.c, a.s);
    cores.dot(normal) + L::load(&point.base_separation, first)
}

impl<L: Lanes> Velocities<L> {
    #[inline(always)]
    pub(crate) fn read(states: &Rows<'_, BodyState>, places: &Places, first: usize) -> Velocities<L> {
        let [x, y, angular_velocity, flags] = gather_low(states, places, first, &BodyState::REST);
        Velocities { velocity: Lanes2 { x, y }, angular_velocity, flags }
    }

    /// With the distance moved.
    #[inline(always)]
    pub(crate) fn read_all(states: &Rows<'_, BodyState>, places: &Places, first: usize) -> (Velocities<L>, Moved<L>) {
        let [x, y, angular_velocity, flags, moved_x, moved_y, c, s] = gather(states, places, first, &BodyState::REST);
        (
            Velocities { velocity: Lanes2 { x, y }, angular_velocity, flags },
            Moved { position: Lanes2 { x: moved_x, y: moved_y }, c, s },
        )
    }

    /// Writes velocities and flags back, to movable bodies only.
    #[inline(always)]
    pub(crate) fn write(self, states: &mut Rows<'_, BodyState>, places: &Places, first: usize) {
        let columns = [self.velocity.x, self.velocity.y, self.angular_velocity, self.flags];
        scatter_low(states, places, first, columns);
    }

    /// Velocity of the material points at the given arms.
    #[inline(always)]
    pub(crate) fn velocity_at(&self, arm: Lanes2<L>) -> Lanes2<L> {
        Lanes2 {
            x: self.velocity.x - self.angular_velocity * arm.y,
            y: self.velocity.y + self.angular_velocity * arm.x,
        }
    }

    /// Applies an impulse at the given arms.
    #[inline(always)]
    pub(crate) fn push(&mut self, inverse: &InverseMasses<L>, arm: Lanes2<L>, impulse: Lanes2<L>) {
        self.velocity = self.velocity + inverse.mass.times(impulse);
        self.angular_velocity += inverse.inertia * arm.cross(impulse);
    }

    /// The same with the opposite sign.
    #[inline(always)]
    pub(crate) fn pull(&mut self, inverse: &InverseMasses<L>, arm: Lanes2<L>, impulse: Lanes2<L>) {
        self.velocity = self.velocity - inverse.mass.times(impulse);
        self.angular_velocity -= inverse.inertia * arm.cross(impulse);
    }

    /// In each lane `yes` where the mask is set, `no` elsewhere; flags of `yes`.
    #[inline(always)]
    pub(crate) fn select(mask: L::Mask, yes: Velocities<L>, no: Velocities<L>) -> Velocities<L> {
        Velocities {
            velocity: Lanes2 {
                x: L::select(mask, yes.velocity.x, no.velocity.x),
                y: L::select(mask, yes.velocity.y, no.velocity.y),
            },
            angular_velocity: L::select(mask, yes.angular_velocity, no.angular_velocity),
            flags: yes.flags,
        }
    }

    /// Marks the bodies of contacts that carry a load: they do not fly freely in the next sub-step.
    #[inline(always)]
    pub(crate) fn mark_loaded(&mut self, load: L) {
        self.flags = self.flags.with_bits(load.greater(L::splat(0.0)), BodyState::LOADED);
    }
}
