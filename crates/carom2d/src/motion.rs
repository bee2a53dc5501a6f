//! Poses and velocities side by side, as the narrow phase reads them, and after it in the same step the filling of pins.
//!
//! A contact asks for two bodies at random. What it wants of each is spread over [`Body`](crate::body::Body),
//! [`BodySim`] and [`BodyState`], some six cache lines; here it is one. The list is rebuilt in each step, in the order of
//! the awake set.

use crate::body::{BodySim, BodyState, NONE};
use crate::math::{Pose, Vec2, cross_sv};
use crate::sets::SolverSet;
use carom_threads::{Crew, Parts};
use carom_wide::prefetch_at;

/// Fewer bodies than this are not worth another thread.
const LEAST_BODIES: usize = 512;

/// Where a body is and how it moves: a cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Motion {
    /// Of the body's origin.
    pub(crate) pose: Pose,
    /// The centre of mass, in the world and in body coordinates.
    pub(crate) center: Vec2,
    pub(crate) local_center: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) angular_velocity: f32,
    /// See [`BodySim::extent`].
    pub(crate) extent: f32,
    body: u32,
    /// Something carries it, or it does not move by forces at all.
    pub(crate) carried: bool,
}

const _: () = assert!(size_of::<Motion>() == 64);

carom_wide::quads!(
    Motion:
    pose.p.x,
    pose.p.y,
    pose.q.c,
    pose.q.s,
    center.x,
    center.y,
    local_center.x,
    local_center.y,
    velocity.x,
    velocity.y,
    angular_velocity,
    extent,
);

impl Motion {
    /// Of no body.
    pub(crate) const NONE: Motion = Motion {
        pose: Pose::IDENTITY,
        center: Vec2::ZERO,
        local_center: Vec2::ZERO,
        velocity: Vec2::ZERO,
        angular_velocity: 0.0,
        extent: 0.0,
        body: NONE,
        carried: true,
    };

    pub(crate) fn new(sim: &BodySim, state: &BodyState) -> Motion {
        Motion {
            pose: sim.pose(),
            center: sim.center,
            local_center: sim.local_center,
            velocity: state.velocity,
            angular_velocity: state.angular_velocity,
            extent: sim.extent,
            body: sim.body,
            carried: state.flags & BodyState::MOVABLE == 0 || state.flags & BodyState::CARRIED != 0,
        }
    }

    /// The velocity of the material point at `arm` from the centre of mass.
    #[inline]
    pub(crate) fn velocity_at(&self, arm: Vec2) -> Vec2 {
        self.velocity + cross_sv(self.angular_velocity, arm)
    }
}

/// The motions of the awake bodies.
#[derive(Clone, Debug, Default)]
pub(crate) struct Motions {
    motions: Vec<Motion>,
    /// Where the motion of a body is. Entries of bodies that are not awake are stale: what they point to is another
    /// body's, or nothing.
    places: Vec<u32>,
}

impl Motions {
    /// Lists all bodies of the awake set. There are `body_count` bodies in all, free places counted.
    #[allow(unsafe_code)]
    pub(crate) fn update(&mut self, awake: &SolverSet, body_count: usize, crew: &Crew) {
        self.places.resize(body_count, NONE);
        self.motions.resize(awake.sims.len(), Motion::NONE);
        let places = Parts::of(&mut self.places);
        crew.for_chunks(&mut self.motions, crew.grain(awake.sims.len(), LEAST_BODIES), |first, motions| {
            let bodies = awake.sims[first..].iter().zip(&awake.states[first..]);
            for ((place, motion), (sim, state)) in (first as u32..).zip(motions).zip(bodies) {
                // SAFETY: no body is in the set twice (`World::validate` checks it).
                *unsafe { places.item(sim.body as usize) } = place;
                *motion = Motion::new(sim, state);
            }
        });
    }

    /// The motion of a body that has this place in the awake set now; none if it had another one when motions were listed.
    #[inline]
    pub(crate) fn at(&self, place: u32, body: u32) -> Option<&Motion> {
        self.motions.get(place as usize).filter(|motion| motion.body == body)
    }

    /// Tells the machine that the body of a place will be asked for soon.
    #[inline]
    pub(crate) fn fetch(&self, place: u32) {
        prefetch_at(self.motions.as_ptr().wrapping_add(place as usize), size_of::<Motion>());
    }

    /// The motion of a body; none if it is not awake.
    #[inline]
    pub(crate) fn get(&self, body: u32) -> Option<&Motion> {
        let place = *self.places.get(body as usize)?;
        self.motions.get(place as usize).filter(|motion| motion.body == body)
    }
}
