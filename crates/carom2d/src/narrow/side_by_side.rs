//! Contacts, sixteen at a time: where their points are in the world.
//!
//! The stage `contacts` collects contacts of a kind and has them looked at here: those whose leases are of edges, and
//! those of circles, and boxes and capsules that are searched. What turns out not to be known side by side is looked at one by one, as all others are.

use super::batches::LaneMotionRefs;
use crate::collide::{
    ApartFor, DiscsSideBySide, EdgesSideBySide, Form, FoundEdges, LaneContact, LanePoses, Lease, Pairing, Reference,
    SPECULATIVE_DISTANCE, SearchSideBySide,
};
use crate::contact::ContactManifold;
use crate::math::{Aabb, Pose, Rot, vec2};
use crate::motion::Motion;
use crate::stage::contacts::{Forecast, GRAZE, NewPoint, keep_points, set_points};
use crate::stage::foresee::{Outlook, VISIBLE, least_seen};
use crate::stage::recover::SHALLOWEST;
use crate::stage::restitution::found_late;
use carom_wide::{LANES, Lanes, Lanes2, Task, Wide, Wide2, each_part, gather_quad, part_bits};

/// What was found of the contacts of a batch, in the world.
pub(crate) struct Seen {
    normal: Wide2,
    points: [SeenPoint; 2],
    /// The points that there are: one bit per lane, that of the first lane lowest.
    present: [u32; 2],
    /// The points, near enough to be one or not, that would be visibly deep by the end of the step.
    closing: [u32; 2],
    /// Lanes in which all this is so. In the others it says nothing.
    pub(crate) known: u32,
    /// Lanes with a point that may be deep, or was found late.
    deep: u32,
    /// Lanes with a near point that overlaps now, and those with one that will by the end of the step, as it approaches.
    overlaps: u32,
    will_overlap: u32,
}

/// One point per contact, as in [`ContactPoint`](crate::contact::ContactPoint).
#[derive(Clone, Copy)]
struct SeenPoint {
    anchor_a: Wide2,
    anchor_b: Wide2,
    separation: Wide,
    approach_velocity: Wide,
}

impl Seen {
    pub(crate) const NOTHING: Seen = Seen {
        normal: Wide2::ZERO,
        points: [SeenPoint::ZERO; 2],
        present: [0; 2],
        closing: [0; 2],
        known: 0,
        deep: 0,
        overlaps: 0,
        will_overlap: 0,
    };

    /// Takes down contacts of two edges, given in the frames of a.
    #[inline(always)]
    fn add_contact<L: Lanes>(&mut self, first: usize, bodies: [&LaneMotions<L>; 2], contact: &LaneContact<L>, dt: f32) {
        let normal = bodies[0].pose.rotate(contact.normal);
        normal.store(&mut self.normal, first);
        for place in 0..2 {
            let (point, separation) = (contact.points[place], contact.separations[place]);
            self.add_point(first, place, bodies, normal, (point, separation, contact.present[place]), dt);
        }
    }

    /// Takes down one point per lane, given in the frames of a: where it is, its separation, and in which lanes.
    #[inline(always)]
    fn add_point<L: Lanes>(
        &mut self,
        first: usize,
        place: usize,
        [a, b]: [&LaneMotions<L>; 2],
        normal: Lanes2<L>,
        (point, separation, present): (Lanes2<L>, L, u32),
        dt: f32,
    ) {
        let to = &mut self.points[place];
        let anchor_a = a.pose.rotate(point - a.local_center);
        let anchor_b = anchor_a + (a.center - b.center);
        anchor_a.store(&mut to.anchor_a, first);
        anchor_b.store(&mut to.anchor_b, first);
        separation.store(&mut to.separation, first);
        let approach_velocity = (b.velocity_at(anchor_b) - a.velocity_at(anchor_a)).dot(normal);
        approach_velocity.store(&mut to.approach_velocity, first);
        let present = present & all::<L>();
        self.present[place] |= present << first;
        let is_deep = L::bits(L::splat(-SHALLOWEST).greater(separation));
        self.deep |= (present & (is_deep | L::bits(found_late(separation, approach_velocity, dt)))) << first;
        let near = present & L::bits(L::splat(SPECULATIVE_DISTANCE).at_least(separation));
        let overlapping = |separation: L| (near & L::bits(L::splat(-GRAZE).greater(separation))) << first;
        self.overlaps |= overlapping(separation);
        self.will_overlap |= overlapping(separation + approach_velocity * L::splat(dt));
        let way = approach_velocity * L::splat(dt);
        let closes = L::bits(L::splat(-VISIBLE).greater(separation + way));
        let lands =
            L::bits(L::both(L::splat(0.0).greater(separation + way), L::splat(-SPECULATIVE_DISTANCE).greater(way)));
        self.closing[place] |= ((closes | lands) & all::<L>()) << first;
    }

    /// Gives a contact its new manifold; `ids` are the features of both points, whether they are there or not.
    #[inline]
    pub(crate) fn write(
        &self,
        lane: usize,
        ids: [u16; 2],
        reference: Reference,
        keeps_frames: bool,
        manifold: &mut ContactManifold,
    ) {
        let normal = vec2(self.normal.x.0[lane], self.normal.y.0[lane]);
        let point = |place: usize| self.points[place].get(lane);
        match self.present.map(|bits| bits >> lane & 1 != 0) {
            [true, true] => {
                let known = keep_points(manifold, &ids);
                set_points(manifold, normal, &[point(0), point(1)], known && keeps_frames);
            }
            [true, false] => {
                keep_points(manifold, &ids[..1]);
                set_points(manifold, normal, &[point(0)], false);
            }
            [false, _] => {
                keep_points(manifold, &ids[1..]);
                set_points(manifold, normal, &[point(1)], false);
            }
        }
        manifold.reference = reference;
    }

    /// True when a contact may be one that will not be made: none for which `View::is_ghost` is true is left out.
    #[inline]
    fn is_doubtful(&self, lane: usize) -> bool {
        (self.will_overlap & !self.overlaps) >> lane & 1 != 0
    }

    /// True when the shapes would overlap visibly by the end of the step if nothing stopped them. Where the points are the
    /// nearest ones of convex shapes and nothing turns, no others are so deep along the normal.
    #[inline]
    pub(crate) fn closes(&self, lane: usize) -> bool {
        (self.closing[0] | self.closing[1]) >> lane & 1 != 0
    }

    /// What is known of a contact before it is judged.
    #[inline]
    pub(crate) fn forecast(&self, lane: usize) -> Forecast {
        Forecast { doubtful: self.is_doubtful(lane), shallow: self.deep >> lane & 1 == 0, outlook: self.outlook(lane) }
    }

    #[inline]
    fn outlook(&self, lane: usize) -> Outlook {
        let absent = [0, 1].map(|place| self.closing[place] & !self.present[place]);
        match (self.closes(lane), (absent[0] | absent[1]) >> lane & 1 != 0) {
            (false, _) => Outlook::Open,
            (true, false) => Outlook::Closes,
            (true, true) => Outlook::Swings,
        }
    }

    /// True when a contact has points.
    #[inline]
    pub(crate) fn touches(&self, lane: usize) -> bool {
        (self.present[0] | self.present[1]) >> lane & 1 != 0
    }
}

impl SeenPoint {
    const ZERO: SeenPoint = SeenPoint {
        anchor_a: Wide2::ZERO,
        anchor_b: Wide2::ZERO,
        separation: Wide::ZERO,
        approach_velocity: Wide::ZERO,
    };

    #[inline]
    fn get(&self, lane: usize) -> NewPoint {
        let vector = |wide: &Wide2| vec2(wide.x.0[lane], wide.y.0[lane]);
        NewPoint {
            anchor_a: vector(&self.anchor_a),
            anchor_b: vector(&self.anchor_b),
            separation: self.separation.0[lane],
            approach_velocity: self.approach_velocity.0[lane],
        }
    }
}

/// Looks at `count` contacts by their leases.
pub(crate) struct LookAtLeases<'a> {
    pub(crate) leases: [&'a Lease; LANES],
    pub(crate) motions: &'a LaneMotionRefs<'a>,
    pub(crate) count: usize,
    pub(crate) dt: f32,
    /// Nothing at first. Written where it lies: it is a kilobyte.
    pub(crate) seen: &'a mut Seen,
}

impl Task for LookAtLeases<'_> {
    type Output = SeenCorners;

    #[inline(always)]
    fn run<L: Lanes>(self) -> SeenCorners {
        let (seen, mut corners) = (self.seen, SeenCorners { present: 0, high: [0; 2] });
        for first in each_part::<L>(self.count) {
            let (a, b) = LaneMotions::<L>::gather_both(self.motions, first);
            let b_in_a = a.pose.inv_mul(&b.pose);
            let found = EdgesSideBySide::find(|lane| self.leases[first + lane], &b_in_a, SPECULATIVE_DISTANCE);
            seen.add_contact(first, [&a, &b], &found.contact, self.dt);
            seen.known |= (found.known & all::<L>()) << first;
            corners.present |= (found.at_corners & all::<L>()) << first;
            corners.high[0] |= (found.high_corners[0] & all::<L>()) << first;
            corners.high[1] |= (found.high_corners[1] & all::<L>()) << first;
        }
        corners
    }
}

/// In which lanes a contact is that of two corners, and which: see [`EdgesSideBySide`].
pub(crate) struct SeenCorners {
    present: u32,
    high: [u32; 2],
}

impl SeenCorners {
    #[inline]
    pub(crate) fn get(&self, lane: usize) -> Option<[usize; 2]> {
        (self.present >> lane & 1 != 0).then(|| self.high.map(|high| (high >> lane & 1) as usize))
    }
}

/// One bit for each lane of a part.
#[inline(always)]
fn all<L: Lanes>() -> u32 {
    (1 << L::COUNT) - 1
}

/// Searches for the contacts of `count` pairs of forms with edges.
pub(crate) struct LookAtEdges<'a> {
    pub(crate) forms: [[&'a Form; LANES]; 2],
    /// The edges of a and of b that were the references before, negative where there is none.
    pub(crate) hints: &'a [Wide; 2],
    pub(crate) motions: &'a LaneMotionRefs<'a>,
    pub(crate) count: usize,
    pub(crate) dt: f32,
    /// Nothing at first. Written where it lies: it is four kilobytes.
    pub(crate) found: &'a mut SeenEdges,
}

/// What comes of it.
pub(crate) struct SeenEdges {
    pub(crate) seen: Seen,
    pub(crate) apart: SeenApart,
    /// Lanes that are apart.
    pub(crate) are_apart: u32,
    pub(crate) edges: FoundEdges,
}

impl SeenEdges {
    pub(crate) fn nothing() -> SeenEdges {
        SeenEdges { seen: Seen::NOTHING, apart: SeenApart::NOTHING, are_apart: 0, edges: FoundEdges::default() }
    }
}

impl Task for LookAtEdges<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let found_all = self.found;
        for first in each_part::<L>(self.count) {
            let (a, b) = LaneMotions::<L>::gather_both(self.motions, first);
            let b_in_a = a.pose.inv_mul(&b.pose);
            let found = SearchSideBySide::find(
                |lane| self.forms[0][first + lane],
                |lane| self.forms[1][first + lane],
                [L::load(&self.hints[0], first), L::load(&self.hints[1], first)],
                &b_in_a,
                SPECULATIVE_DISTANCE,
            );
            found_all.seen.add_contact(first, [&a, &b], &found.contact, self.dt);
            found_all.seen.known |= (found.known & all::<L>()) << first;
            found_all.apart.store(first, &b_in_a, &found.apart_for);
            found_all.are_apart |= (found.apart & all::<L>()) << first;
            found_all.edges.store(first, &found);
        }
    }
}

/// Looks at `count` contacts of discs and what they meet.
pub(crate) struct LookAtDiscs<'a> {
    pub(crate) pairing: Pairing,
    pub(crate) discs: [&'a Form; LANES],
    pub(crate) others: [&'a Form; LANES],
    /// Lanes in which the disc is a.
    pub(crate) disc_first: u32,
    pub(crate) motions: &'a LaneMotionRefs<'a>,
    pub(crate) count: usize,
    pub(crate) dt: f32,
    /// Nothing at first, written where they lie.
    pub(crate) seen: &'a mut Seen,
    pub(crate) apart: &'a mut SeenApart,
}

impl Task for LookAtDiscs<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let (seen, seen_apart) = (self.seen, self.apart);
        for first in each_part::<L>(self.count) {
            let (a, b) = LaneMotions::<L>::gather_both(self.motions, first);
            let b_in_a = a.pose.inv_mul(&b.pose);
            let found = DiscsSideBySide::find(
                self.pairing,
                |lane| self.discs[first + lane],
                |lane| self.others[first + lane],
                self.disc_first >> first & all::<L>(),
                &b_in_a,
                SPECULATIVE_DISTANCE,
            );
            let normal = a.pose.rotate(found.normal);
            normal.store(&mut seen.normal, first);
            seen.add_point(first, 0, [&a, &b], normal, (found.point, found.separation, found.present), self.dt);
            seen.known |= (found.known & all::<L>()) << first;
            seen_apart.store(first, &b_in_a, &found.apart);
        }
    }
}

/// Asks whether `count` contacts whose leases are on shapes that are apart stay idle; both of their bodies are awake.
pub(crate) struct LookAtIdle<'a> {
    pub(crate) leases: [&'a Lease; LANES],
    /// The fat boxes of a and of b.
    pub(crate) boxes: [[&'a Aabb; LANES]; 2],
    pub(crate) motions: &'a LaneMotionRefs<'a>,
    pub(crate) count: usize,
    /// Lanes whose surfaces rebound, and those in which something carries both bodies.
    pub(crate) bouncy: u16,
    pub(crate) carried: u16,
    pub(crate) foresees: bool,
    pub(crate) dt: f32,
}

/// One bit per lane.
#[derive(Clone, Copy, Default)]
pub(crate) struct Idle {
    /// Nothing has to be done about these.
    pub(crate) stays: u32,
    /// Nor about these, unless they may meet within the step.
    pub(crate) stays_unless_met: u32,
}

impl Task for LookAtIdle<'_> {
    type Output = Idle;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Idle {
        let mut idle = Idle::default();
        for first in each_part::<L>(self.count) {
            let (a, b) = LaneMotions::<L>::gather_both(self.motions, first);
            let holds = self.hold::<L>(&a.pose.inv_mul(&b.pose), first) & self.boxes_overlap::<L>(first);
            if holds == 0 {
                continue;
            }
            let (bouncy, carried) = (part_bits::<L>(self.bouncy, first), part_bits::<L>(self.carried, first));
            let mut meets = is_seen_to_meet(&a, &b, carried, self.dt) & are_near_then(&a, &b, self.dt) & !bouncy;
            if bouncy != 0 {
                meets |= is_fast(&a, &b, self.dt) & bouncy;
            }
            if !self.foresees {
                meets = 0;
            }
            idle.stays |= (holds & !meets) << first;
            idle.stays_unless_met |= (holds & meets) << first;
        }
        idle
    }
}

impl LookAtIdle<'_> {
    /// As [`Lease::holds`].
    #[inline(always)]
    fn hold<L: Lanes>(&self, b_in_a: &LanePoses<L>, first: usize) -> u32 {
        let [x, y, c, s] = gather_quad::<0, L, Lease>(|lane| self.leases[first + lane]);
        let [distance_squared, turn_squared, ..] = gather_quad::<4, L, Lease>(|lane| self.leases[first + lane]);
        let moved = b_in_a.p - Lanes2 { x, y };
        let turned = Lanes2 { x: b_in_a.c - c, y: b_in_a.s - s };
        L::bits(distance_squared.at_least(moved.dot(moved))) & L::bits(turn_squared.at_least(turned.dot(turned)))
    }

    /// As [`Aabb::overlaps`].
    #[inline(always)]
    fn boxes_overlap<L: Lanes>(&self, first: usize) -> u32 {
        let [min_ax, min_ay, max_ax, max_ay] = gather_quad::<0, L, Aabb>(|lane| self.boxes[0][first + lane]);
        let [min_bx, min_by, max_bx, max_by] = gather_quad::<0, L, Aabb>(|lane| self.boxes[1][first + lane]);
        let x = L::both(max_bx.at_least(min_ax), max_ax.at_least(min_bx));
        let y = L::both(max_by.at_least(min_ay), max_ay.at_least(min_by));
        L::bits(L::both(x, y))
    }
}

#[inline(always)]
fn select<L: Lanes>(mask: L::Mask, yes: Lanes2<L>, no: Lanes2<L>) -> Lanes2<L> {
    Lanes2 { x: L::select(mask, yes.x, no.x), y: L::select(mask, yes.y, no.y) }
}

#[inline(always)]
fn absolute<L: Lanes>(x: L) -> L {
    x.max(-x)
}

/// As `View::is_near_then`, one bit per lane.
#[inline(always)]
fn are_near_then<L: Lanes>(a: &LaneMotions<L>, b: &LaneMotions<L>, dt: f32) -> u32 {
    let centers = b.center - a.center + (b.velocity - a.velocity).scale(L::splat(dt));
    let reach = a.extent + b.extent;
    let has_none = L::splat(0.0).at_least(a.extent.min(b.extent));
    L::bits((reach * reach).at_least(centers.dot(centers))) | L::bits(has_none)
}

/// As `View::is_seen_to_meet` has it of two bodies that are awake, with the same roundings, one bit per lane.
#[inline(always)]
fn is_seen_to_meet<L: Lanes>(a: &LaneMotions<L>, b: &LaneMotions<L>, carried: u32, dt: f32) -> u32 {
    let from_a = a.extent.greater(b.extent);
    let center = (select(from_a, a.center, b.center), select(from_a, b.center, a.center));
    let velocity = (select(from_a, a.velocity, b.velocity), select(from_a, b.velocity, a.velocity));
    let (spin_a, spin_b) = (a.angular_velocity, b.angular_velocity);
    let spin = (L::select(from_a, spin_a, spin_b), L::select(from_a, spin_b, spin_a));
    let arm = center.1 - center.0;
    let slip = velocity.1 - Lanes2 { x: velocity.0.x - spin.0 * arm.y, y: velocity.0.y + spin.0 * arm.x };
    let extent = L::select(from_a, b.extent, a.extent);
    let drift = absolute(slip.x) + absolute(slip.y) + absolute(spin.1 - spin.0) * extent;
    let (least, least_carried) = (L::splat(least_seen(false)), L::splat(least_seen(true)));
    L::bits((drift * L::splat(dt)).greater(L::select(L::mask(carried), least_carried, least)))
}

/// As `View::is_fast_pair` has it of surfaces that rebound, one bit per lane.
#[inline(always)]
fn is_fast<L: Lanes>(a: &LaneMotions<L>, b: &LaneMotions<L>, dt: f32) -> u32 {
    let way = b.velocity - a.velocity;
    let turning = absolute(a.angular_velocity) * a.extent + absolute(b.angular_velocity) * b.extent;
    let travel = way.dot(way).sqrt() + turning;
    L::bits((travel * L::splat(dt)).greater(L::splat(SPECULATIVE_DISTANCE)))
}

/// For how long shapes stay apart that are, one pair per lane: what a [`Lease`] needs.
pub(crate) struct SeenApart {
    p: Wide2,
    c: Wide,
    s: Wide,
    distance_squared: Wide,
    turn_squared: Wide,
}

impl SeenApart {
    pub(crate) const NOTHING: SeenApart = SeenApart {
        p: Wide2::ZERO,
        c: Wide::ZERO,
        s: Wide::ZERO,
        distance_squared: Wide::ZERO,
        turn_squared: Wide::ZERO,
    };

    #[inline(always)]
    fn store<L: Lanes>(&mut self, first: usize, b_in_a: &LanePoses<L>, apart: &ApartFor<L>) {
        b_in_a.p.store(&mut self.p, first);
        b_in_a.c.store(&mut self.c, first);
        b_in_a.s.store(&mut self.s, first);
        apart.distance_squared.store(&mut self.distance_squared, first);
        apart.turn_squared.store(&mut self.turn_squared, first);
    }

    /// Where b is in the frame of a.
    #[inline]
    pub(crate) fn b_in_a(&self, lane: usize) -> Pose {
        let p = vec2(self.p.x.0[lane], self.p.y.0[lane]);
        Pose { p, q: Rot { c: self.c.0[lane], s: self.s.0[lane] } }
    }

    #[inline]
    pub(crate) fn write(&self, lane: usize, lease: &mut Lease) {
        lease.set_apart(self.b_in_a(lane), self.distance_squared.0[lane], self.turn_squared.0[lane]);
    }
}

/// One [`Motion`] per lane.
struct LaneMotions<L> {
    pose: LanePoses<L>,
    center: Lanes2<L>,
    local_center: Lanes2<L>,
    velocity: Lanes2<L>,
    angular_velocity: L,
    extent: L,
}

impl<L: Lanes> LaneMotions<L> {
    #[inline(always)]
    fn gather_both([a, b]: &LaneMotionRefs, first: usize) -> (LaneMotions<L>, LaneMotions<L>) {
        (LaneMotions::gather(a, first), LaneMotions::gather(b, first))
    }

    #[inline(always)]
    fn gather(motions: &[&Motion; LANES], first: usize) -> LaneMotions<L> {
        let motion = |lane: usize| motions[first + lane];
        let [x, y, c, s] = gather_quad::<0, L, Motion>(motion);
        let [center_x, center_y, local_x, local_y] = gather_quad::<4, L, Motion>(motion);
        let [velocity_x, velocity_y, angular_velocity, extent] = gather_quad::<8, L, Motion>(motion);
        LaneMotions {
            pose: LanePoses { p: Lanes2 { x, y }, c, s },
            center: Lanes2 { x: center_x, y: center_y },
            local_center: Lanes2 { x: local_x, y: local_y },
            velocity: Lanes2 { x: velocity_x, y: velocity_y },
            angular_velocity,
            extent,
        }
    }

    #[inline(always)]
    fn velocity_at(&self, arm: Lanes2<L>) -> Lanes2<L> {
        Lanes2 {
            x: self.velocity.x - self.angular_velocity * arm.y,
            y: self.velocity.y + self.angular_velocity * arm.x,
        }
    }
}
