//! Broad phase: a box around every path, in a tree, and contacts for those whose boxes meet.
//!
//! Boxes are somewhat larger than the paths need and stay until a path leaves its box. Few that leave are taken out of
//! the tree and put in again; if many do, it is cheaper to rebuild the tree, along a curve that fills space.

use crate::body::{Activity, NONE};
use crate::math::{Aabb, DVec3, max3, min, min3};
use crate::world::World;
use carom_core::Bounds;
use carom_threads::Crew;

/// How far the box of a mover in the tree reaches beyond its path, as a fraction of its radius.
pub(crate) const BOX_MARGIN: f64 = 0.1;
/// How many steps ahead it reaches in the direction of motion, up to a radius.
const AHEAD: f64 = 4.0;
/// When more than one in so many leave their boxes, and more than a few, the tree is rebuilt.
const REBUILD_SHARE: usize = 16;
const REBUILD_LEAST: usize = 64;
/// Fewer movers than this are not worth another thread.
const LEAST_SHARED: usize = 64;

impl World {
    /// Gives those of some movers whose paths left their boxes new ones, and makes contacts with everything there.
    pub(crate) fn update_boxes(&mut self, movers: &[u32], crew: &Crew<'_>) {
        let mut left = std::mem::take(&mut self.scratch.left);
        left.clear();
        for &mover in movers {
            if self.outgrow_box(mover) {
                left.push(mover);
            }
        }
        if left.len() > REBUILD_LEAST && left.len() * REBUILD_SHARE > self.mover_tree.len() {
            self.rebuild_tree(&mut left);
        } else {
            for &mover in &left {
                let record = &self.movers[mover];
                self.mover_tree.set_bounds(record.proxy, record.fat_aabb);
            }
        }
        self.find_all_partners(&left, crew);
        self.reboxed.extend_from_slice(&left);
        self.scratch.left = left;
    }

    /// Makes the box of a mover larger if its path left it. True if so.
    fn outgrow_box(&mut self, mover: u32) -> bool {
        let record = &mut self.movers[mover];
        let needed = record.path.aabb(record.radius);
        // What is frozen is not in the tree, though springs may still pull at it.
        if record.activity == Activity::Frozen || record.fat_aabb.contains(&needed) {
            return false;
        }
        record.fat_aabb = needed.grown(BOX_MARGIN * record.radius);
        // Fast movers leave a tight box in every step: make room in the direction of motion.
        let ahead = record.path.points[3] - record.path.points[0];
        let room = AHEAD * ahead.length();
        if room > 0.0 {
            let ahead = ahead * (AHEAD * min(2.0 * record.radius / room, 1.0));
            record.fat_aabb.min += min3(ahead, DVec3::ZERO);
            record.fat_aabb.max += max3(ahead, DVec3::ZERO);
        }
        true
    }

    /// Rebuilds the tree from the boxes of the movers, and sorts those that left theirs along the same curve: who
    /// is near in space is then near in memory, too.
    fn rebuild_tree(&mut self, left: &mut [u32]) {
        let movers = &self.movers;
        let of_all = movers.iter().map(|(_, mover)| mover.fat_aabb).reduce(|all, aabb| all.union(&aabb));
        let Some(of_all) = of_all else { return };
        let curve = Curve::over(&of_all);
        self.mover_tree.rebuild(|mover| movers[mover].fat_aabb, |aabb| curve.place(aabb.center()));
        left.sort_by_cached_key(|&mover| (curve.place(movers[mover].fat_aabb.center()), mover));
    }

    /// Makes contacts between some movers and everything whose box meets theirs. Threads look, in any order; contacts are
    /// made in the order of the list.
    fn find_all_partners(&mut self, movers: &[u32], crew: &Crew<'_>) {
        let mut lists = std::mem::take(&mut self.scratch.partners);
        let world = &*self;
        crew.for_lists(&mut lists, movers.len(), crew.grain(movers.len(), LEAST_SHARED), |range, list| {
            list.clear();
            for &mover in &movers[range] {
                world.look_for_partners(mover, list);
            }
        });
        for &(mover, body) in lists.iter().flatten() {
            self.add_contact(mover, body);
        }
        self.scratch.partners = lists;
    }

    /// Makes contacts with everything whose box meets this mover's.
    pub(crate) fn find_partners(&mut self, mover: u32) {
        self.find_all_partners(&[mover], &Crew::ALONE);
    }

    /// Lists the bodies whose boxes meet a mover's and that it has no contact with.
    fn look_for_partners(&self, mover: u32, found: &mut Vec<(u32, u32)>) {
        let fat_aabb = self.movers[mover].fat_aabb;
        self.mover_tree.query(&fat_aabb, 1, &mut |other| {
            if other != mover && !self.has_contact(mover, other, NONE) {
                found.push((mover, self.movers[other].body));
            }
            true
        });
        self.fixed_tree.query(&fat_aabb, 1, &mut |body| {
            if !self.has_contact(mover, NONE, body) {
                found.push((mover, body));
            }
            true
        });
        for &plane in &self.planes {
            if self.is_near(mover, plane) {
                found.push((mover, plane));
            }
        }
    }
}

/// A curve through all of a box: Morton's, which takes the bits of the three coordinates in turn.
pub(crate) struct Curve {
    origin: DVec3,
    scale: DVec3,
}

impl Curve {
    /// Cells along each axis: as many as three numbers in 63 bits can count.
    const CELLS: f64 = 2_097_152.0;

    pub(crate) fn over(aabb: &Aabb) -> Curve {
        let size = aabb.max - aabb.min;
        let scale_of = |size: f64| if size > 0.0 { Curve::CELLS / size } else { 0.0 };
        Curve { origin: aabb.min, scale: DVec3::new(scale_of(size.x), scale_of(size.y), scale_of(size.z)) }
    }

    /// How far along the curve a point is.
    pub(crate) fn place(&self, point: DVec3) -> u64 {
        let cell = (point - self.origin) * self.scale;
        // The casts keep to whole numbers from 0 on.
        let [x, y, z] = cell.to_array().map(|cell| spread(min(cell, Curve::CELLS - 1.0) as u64));
        x << 2 | y << 1 | z
    }
}

/// Puts two zero bits between the lowest 21 bits of a number.
fn spread(bits: u64) -> u64 {
    let mut bits = bits & 0x1F_FFFF;
    for (shift, mask) in [
        (32, 0x001F_0000_0000_FFFF),
        (16, 0x001F_0000_FF00_00FF),
        (8, 0x100F_00F0_0F00_F00F),
        (4, 0x10C3_0C30_C30C_30C3),
        (2, 0x1249_2492_4924_9249),
    ] {
        bits = (bits | bits << shift) & mask;
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_spread() {
        for i in 0..21 {
            assert_eq!(spread(1 << i), 1 << (3 * i));
        }
        assert_eq!(spread(0x1F_FFFF).count_ones(), 21);
    }

    #[test]
    fn near_points_are_near_on_the_curve() {
        let aabb = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
        let curve = Curve::over(&aabb);
        assert_eq!(curve.place(DVec3::ZERO), 0);
        assert_eq!(curve.place(DVec3::ONE), (1 << 63) - 1);
        assert!(curve.place(DVec3::splat(0.49)) < curve.place(DVec3::splat(0.51)));
    }
}
