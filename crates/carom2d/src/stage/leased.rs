//! Contacts on lease, sixteen at a time: where their points are in the world.
//!
//! The stage `contacts` collects contacts whose leases are of edges and has them looked at here. Those that turn out not
//! to be known by their leases are looked at one by one, as all others are.

use super::contacts::keep_points;
use crate::collide::{EdgesSideBySide, LanePoses, Lease, Reference, SPECULATIVE_DISTANCE};
use crate::contact::ContactManifold;
use crate::math::vec2;
use crate::motion::Motion;
use carom_wide::{LANES, Lanes, Lanes2, Task, Wide, Wide2, each_part, gather_quad};

/// What the leases of a batch say, in the world.
pub(super) struct Leased {
    normal: Wide2,
    points: [LeasedPoint; 2],
    /// As in [`EdgesSideBySide`], for all lanes of a block.
    present: [u32; 2],
    pub(super) known: u32,
}

/// One point per contact, as in [`ContactPoint`](crate::contact::ContactPoint).
#[derive(Clone, Copy)]
struct LeasedPoint {
    anchor_a: Wide2,
    anchor_b: Wide2,
    separation: Wide,
    approach_velocity: Wide,
}

/// Computes it, for `count` leases and the motions of their bodies.
pub(super) struct Look<'a> {
    pub(super) leases: [&'a Lease; LANES],
    pub(super) motions: &'a [[Motion; LANES]; 2],
    pub(super) count: usize,
}

impl Task for Look<'_> {
    type Output = Leased;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Leased {
        let point = LeasedPoint {
            anchor_a: Wide2::ZERO,
            anchor_b: Wide2::ZERO,
            separation: Wide::ZERO,
            approach_velocity: Wide::ZERO,
        };
        let mut leased = Leased { normal: Wide2::ZERO, points: [point; 2], present: [0; 2], known: 0 };
        for first in each_part::<L>(self.count) {
            self.look::<L>(&mut leased, first);
        }
        leased
    }
}

impl Look<'_> {
    #[inline(always)]
    fn look<L: Lanes>(&self, leased: &mut Leased, first: usize) {
        let [a, b] = [LaneMotions::<L>::gather(&self.motions[0], first), LaneMotions::gather(&self.motions[1], first)];
        let b_in_a = a.pose.inv_mul(&b.pose);
        let found = EdgesSideBySide::find(|lane| self.leases[first + lane], &b_in_a, SPECULATIVE_DISTANCE);
        let normal = a.pose.rotate(found.normal);
        normal.store(&mut leased.normal, first);
        let between = a.center - b.center;
        for (i, to) in leased.points.iter_mut().enumerate() {
            let anchor_a = a.pose.rotate(found.points[i] - a.local_center);
            let anchor_b = anchor_a + between;
            anchor_a.store(&mut to.anchor_a, first);
            anchor_b.store(&mut to.anchor_b, first);
            found.separations[i].store(&mut to.separation, first);
            (b.velocity_at(anchor_b) - a.velocity_at(anchor_a)).dot(normal).store(&mut to.approach_velocity, first);
            leased.present[i] |= found.present[i] << first;
        }
        leased.known |= found.known << first;
    }
}

/// One [`Motion`] per lane.
struct LaneMotions<L> {
    pose: LanePoses<L>,
    center: Lanes2<L>,
    local_center: Lanes2<L>,
    velocity: Lanes2<L>,
    angular_velocity: L,
}

impl<L: Lanes> LaneMotions<L> {
    #[inline(always)]
    fn gather(motions: &[Motion; LANES], first: usize) -> LaneMotions<L> {
        let motion = |lane: usize| &motions[first + lane];
        let [x, y, c, s] = gather_quad::<0, L, Motion>(motion);
        let [center_x, center_y, local_x, local_y] = gather_quad::<1, L, Motion>(motion);
        let [velocity_x, velocity_y, angular_velocity, _] = gather_quad::<2, L, Motion>(motion);
        LaneMotions {
            pose: LanePoses { p: Lanes2 { x, y }, c, s },
            center: Lanes2 { x: center_x, y: center_y },
            local_center: Lanes2 { x: local_x, y: local_y },
            velocity: Lanes2 { x: velocity_x, y: velocity_y },
            angular_velocity,
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

impl Leased {
    /// Gives a contact its new manifold.
    #[inline]
    pub(super) fn write(&self, lane: usize, lease: &Lease, reference: Reference, manifold: &mut ContactManifold) {
        let ids = lease.ids();
        let present = self.present.map(|bits| bits >> lane & 1 != 0);
        match present {
            [true, true] => keep_points(manifold, &ids),
            [true, false] => keep_points(manifold, &ids[..1]),
            [false, _] => keep_points(manifold, &ids[1..]),
        }
        let vector = |wide: &Wide2| vec2(wide.x.0[lane], wide.y.0[lane]);
        manifold.normal = vector(&self.normal);
        manifold.reference = reference;
        let there = self.points.iter().zip(present).filter(|(_, present)| *present);
        for (point, (from, _)) in manifold.points.iter_mut().zip(there) {
            point.anchor_a = vector(&from.anchor_a);
            point.anchor_b = vector(&from.anchor_b);
            point.separation = from.separation.0[lane];
            point.approach_velocity = from.approach_velocity.0[lane];
        }
    }
}
