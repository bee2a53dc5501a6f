//! A point of a contact in the balance of forces, where bodies of any shape meet.
//!
//! With `n` the normal from a to b, `t_1` and `t_2` two directions along the surface, `r` the arms from the centres to
//! the point and velocities at the end of the step, the speed along a direction `d` is
//! `u = d . (v_a - v_b) + (r_a x d) . w_a - (r_b x d) . w_b`, and a unit of force changes it by `h k` with
//! `k = 1/m_a + 1/m_b + (r_a x d) . I_a^-1 (r_a x d) + (r_b x d) . I_b^-1 (r_b x d)`.
//! The normal force keeps `u` along `n` at or below what closes the gap and is at least 0; friction brings `u` along
//! `t_1` and `t_2` to zero and is at most `mu` times the normal force.

use crate::balance::{HeldBody, StartState};
use crate::body::Mover;
use crate::math::{DVec3, max, unit_or};

/// A point of a contact in the balance.
#[derive(Clone, Debug)]
pub(crate) struct HeldPoint {
    /// Index of the contact, and the number of the point in it.
    pub(crate) contact: u32,
    pub(crate) number: usize,
    /// Where its bodies are on the list.
    pub(crate) places: [u32; 2],
    /// `n`, `t_1` and `t_2`.
    pub(crate) directions: [DVec3; 3],
    /// `r x d` for each body and direction.
    pub(crate) crosses: [[DVec3; 3]; 2],
    /// `I^-1 (r x d)` for each body and direction.
    pub(crate) turns: [[DVec3; 3]; 2],
    /// `k` for each direction.
    pub(crate) k: [f64; 3],
    /// At this speed of approach what gap there is closes by the end of the step.
    pub(crate) allowed_speed: f64,
    /// Coefficient of friction.
    pub(crate) friction: f64,
    /// Changes of speed below this are not followed up.
    pub(crate) tolerance: f64,
    /// Forces along the directions, as b feels them, in N.
    pub(crate) loads: [f64; 3],
    /// Impulses at the start of the step, as b feels them, in N s.
    pub(crate) impulses: [f64; 3],
}

impl HeldPoint {
    /// Two directions along the surface.
    pub(crate) fn directions(normal: DVec3) -> [DVec3; 3] {
        // The axis least along the normal, so that the product is well away from zero.
        let least = normal.abs();
        let axis = if least.x <= least.y && least.x <= least.z {
            DVec3::X
        } else if least.y <= least.z {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let first = unit_or(normal.cross(axis), DVec3::X);
        [normal, first, normal.cross(first)]
    }

    /// Finds `r x d`, `I^-1 (r x d)` and `k` for two bodies, of which the second may be fixed.
    pub(crate) fn fill(&mut self, bodies: [Option<&Mover>; 2], arms: [DVec3; 2]) {
        self.k = [0.0; 3];
        for (side, mover) in bodies.into_iter().enumerate() {
            for (i, &direction) in self.directions.iter().enumerate() {
                let cross = arms[side].cross(direction);
                let turn = mover.map_or(DVec3::ZERO, |mover| mover.inertia.respond(mover.state.orientation, cross));
                self.crosses[side][i] = cross;
                self.turns[side][i] = turn;
                self.k[i] += mover.map_or(0.0, |mover| mover.inv_mass) + cross.dot(turn);
            }
        }
    }

    fn speed(&self, i: usize, velocities: [(DVec3, DVec3); 2]) -> f64 {
        let [(v_a, w_a), (v_b, w_b)] = velocities;
        (v_a - v_b).dot(self.directions[i]) + self.crosses[0][i].dot(w_a) - self.crosses[1][i].dot(w_b)
    }

    /// What loads or impulses along the directions should be after a look at the speeds: the normal one at least 0, the
    /// others within the cone of friction.
    fn within_cone(&self, normal: f64, along: [f64; 2]) -> [f64; 2] {
        let limit = self.friction * normal;
        let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
        if length > limit { along.map(|part| part * (limit / length)) } else { along }
    }

    /// Takes speed of approach at the start beyond what closes the gap, with the friction that this causes. True if there
    /// was nothing to take.
    pub(crate) fn stop(&mut self, bodies: &mut [HeldBody], starts: &mut [StartState]) -> bool {
        let [a, b] = self.places.map(|place| place as usize);
        let speed = |point: &HeldPoint, i: usize, starts: &[StartState]| {
            point.speed(i, [a, b].map(|place| (starts[place].velocity, starts[place].angular_velocity)))
        };
        let excess = speed(self, 0, starts) - self.allowed_speed;
        let normal = max(self.impulses[0] + excess / self.k[0], 0.0);
        let mut is_done = self.give_impulse(0, normal - self.impulses[0], bodies, starts);
        if self.friction > 0.0 && normal > 0.0 {
            let along = [1, 2].map(|i| self.impulses[i] + speed(self, i, starts) / self.k[i]);
            let along = self.within_cone(normal, along);
            for i in [1, 2] {
                is_done &= self.give_impulse(i, along[i - 1] - self.impulses[i], bodies, starts);
            }
        }
        is_done
    }

    fn give_impulse(&mut self, i: usize, change: f64, bodies: &mut [HeldBody], starts: &mut [StartState]) -> bool {
        if change.abs() * self.k[i] <= self.tolerance {
            return true;
        }
        self.impulses[i] += change;
        for (side, impulse) in [-change, change].into_iter().enumerate() {
            let place = self.places[side] as usize;
            let (velocity, turn) =
                (self.directions[i] * (impulse * bodies[place].inv_mass), self.turns[side][i] * impulse);
            starts[place].velocity += velocity;
            starts[place].angular_velocity += turn;
            bodies[place].velocity += velocity;
            bodies[place].angular_velocity += turn;
        }
        false
    }

    /// Corrects the loads of the point. True if there was nothing to correct.
    pub(crate) fn correct(&mut self, bodies: &mut [HeldBody], h: f64, moment: &mut u32) -> bool {
        let [a, b] = self.places.map(|place| place as usize);
        let speed = |point: &HeldPoint, i: usize, bodies: &[HeldBody]| {
            point.speed(i, [a, b].map(|place| (bodies[place].velocity, bodies[place].angular_velocity)))
        };
        let excess = speed(self, 0, bodies) - self.allowed_speed;
        let normal = max(self.loads[0] + excess / (h * self.k[0]), 0.0);
        let mut is_balanced = self.load(0, normal - self.loads[0], bodies, h, moment);
        if self.friction > 0.0 {
            let along = [1, 2].map(|i| self.loads[i] + speed(self, i, bodies) / (h * self.k[i]));
            let along = self.within_cone(normal, along);
            for i in [1, 2] {
                is_balanced &= self.load(i, along[i - 1] - self.loads[i], bodies, h, moment);
            }
        }
        is_balanced
    }

    fn load(&mut self, i: usize, change: f64, bodies: &mut [HeldBody], h: f64, moment: &mut u32) -> bool {
        if change.abs() * h * self.k[i] <= self.tolerance {
            return true;
        }
        self.loads[i] += change;
        *moment += 1;
        for (side, impulse) in [-change * h, change * h].into_iter().enumerate() {
            let body = &mut bodies[self.places[side] as usize];
            body.velocity += self.directions[i] * (impulse * body.inv_mass);
            body.angular_velocity += self.turns[side][i] * impulse;
            body.changed_at = *moment;
        }
        // What stands for all that is fixed never changes.
        bodies[crate::balance::FIXED_PLACE as usize].changed_at = 0;
        false
    }
}
