//! How bodies moved in a step.

use crate::body::NONE;
use crate::collide::SPECULATIVE_DISTANCE;
use crate::math::{Aabb, Rot, Vec2, max, min};
use crate::shape::Sweep;
use crate::stage::finalize::{FAST, FastBody};
use crate::world::WorldState;
use std::f32::consts::TAU;

/// A body that may have been met.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Other {
    pub(crate) body: u32,
    /// How it moved.
    pub(crate) sweep: Sweep,
    /// Its rotations before and after.
    rotations: [Rot; 2],
}

impl Other {
    pub(crate) const NONE: Other = Other {
        body: NONE,
        sweep: Sweep {
            center: Vec2::ZERO,
            translation: Vec2::ZERO,
            rotation: Rot::IDENTITY,
            turn: 0.0,
            local_center: Vec2::ZERO,
        },
        rotations: [Rot::IDENTITY; 2],
    };

    pub(crate) fn new(world: &WorldState, fast: &[FastBody], body: u32) -> Other {
        let turn = match fast.binary_search_by_key(&body, |fast| fast.body) {
            Ok(place) => fast[place].turn(world),
            Err(_) => turn_of(world, body, 0.0),
        };
        let sweep = sweep_of(world, body, turn);
        Other { body, sweep, rotations: [0.0, 1.0].map(|fraction| sweep.rotation_at(fraction)) }
    }
}

impl Default for Other {
    fn default() -> Other {
        Other::NONE
    }
}

impl FastBody {
    /// By how much it turned, in radians, full turns counted.
    pub(crate) fn turn(&self, world: &WorldState) -> f32 {
        self.turn.unwrap_or_else(|| turn_of(world, self.body, self.spin))
    }
}

/// The angle by which a body turned in this step, about `spin` radians: full turns count.
pub(crate) fn turn_of(world: &WorldState, body: u32, spin: f32) -> f32 {
    let sim = world.sim(body);
    let rotation = sim.rotation_before.inv_mul(sim.rotation);
    let still = sim.rotation == sim.rotation_before || rotation == Rot::IDENTITY;
    let angle = if still { 0.0 } else { rotation.angle() };
    // Below half a turn there is nothing to doubt, and an impact may have changed the spin.
    if spin.abs() <= 3.0 { angle } else { angle + TAU * ((spin - angle) / TAU).round() }
}

/// How a body moved in this step.
pub(crate) fn sweep_of(world: &WorldState, body: u32, turn: f32) -> Sweep {
    let sim = world.sim(body);
    Sweep {
        center: sim.center_before,
        translation: sim.center - sim.center_before,
        rotation: sim.rotation_before,
        turn,
        local_center: sim.local_center,
    }
}

/// A box around everything that a shape passes over on its way to `end`, its box there, with a body that
/// reaches `extent` far from its centre.
pub(crate) fn path_box(end: Aabb, extent: f32, sweep: &Sweep) -> Aabb {
    let shifted = Aabb::new(end.min - sweep.translation, end.max - sweep.translation);
    // Turning takes no point farther than along its arc.
    end.union(&shifted).grown(extent * min(2.0, sweep.turn.abs()))
}

/// True when a body may have passed through something that moves as `other` does: what moves with it, like
/// clothes in a drum, cannot have.
pub(crate) fn moves_far(world: &WorldState, body: u32, sweep: &Sweep, other: &Other) -> bool {
    let sim = world.sim(body);
    let Other { sweep: other, rotations: [before, after], .. } = other;
    let arm = sweep.center - other.center;
    let seen_before = before.inv_rotate(arm);
    let seen_after = after.inv_rotate(arm + (sweep.translation - other.translation));
    let motion = (seen_after - seen_before).length() + (sweep.turn - other.turn).abs() * sim.extent;
    // Where both turn far, the ends alone say little.
    other.turn.abs() > 1.0 || motion > max(FAST * sim.thickness, 0.5 * SPECULATIVE_DISTANCE)
}
