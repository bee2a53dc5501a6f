//! The balance of forces between bodies that stay together.
//!
//! Each contact carries a load that is constant through what is left of the step, `h` seconds. With `n` the normal from
//! a to b, velocities at the end of the step and loads as b feels them:
//!
//! - the normal force `lambda` keeps the two from approaching faster than closes the gap. With `u` the speed of approach
//!   and `k = 1/m_a + 1/m_b`: `lambda += (u - gap/h) / (h k)`, at least 0;
//! - friction `phi`, along the surface, ends the slip `s` of the points in contact as far as it can. With
//!   `k_t = k + r_a^2/I_a + r_b^2/I_b`: `phi += s / (h k_t)`, at most `mu lambda`;
//! - rolling resistance, a torque `tau`, ends the difference `w` of the angular velocities as far as it can. With
//!   `k_r = 1/I_a + 1/I_b`: `tau += w / (h k_r)`, at most `rho lambda`, where `rho` is a length.
//!
//! Contacts are corrected one after the other, round after round, from the loads of the last step on.

use crate::contact::Load;
use crate::held_point::HeldPoint;
use crate::math::{DVec3, max};

/// Resting contacts and their movers, close together in memory for the many rounds over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    pub(crate) contacts: Vec<HeldContact>,
    /// The first stands for everything fixed.
    pub(crate) bodies: Vec<HeldBody>,
    /// Velocities of the bodies at the start, by place.
    pub(crate) starts: Vec<StartState>,
    /// Points of contacts between bodies that are not both round.
    pub(crate) points: Vec<HeldPoint>,
    h: f64,
    /// Counts the corrections, so that what happened before what can be told.
    moment: u32,
}

/// Up to so many points are balanced in so many times the rounds.
const FEW_POINTS: usize = 256;
const FEW_POINTS_ROUNDS: u32 = 4;

/// The place of everything fixed.
pub(crate) const FIXED_PLACE: u32 = 0;

/// A contact in the balance.
#[derive(Clone, Debug)]
pub(crate) struct HeldContact {
    /// Where its bodies are on the list.
    pub(crate) places: [u32; 2],
    pub(crate) normal: DVec3,
    /// At this speed of approach what gap there is closes by the end of the step.
    pub(crate) allowed_speed: f64,
    /// Coefficient of friction.
    pub(crate) friction: f64,
    /// Most torque of rolling resistance per normal force, in m.
    pub(crate) rolling: f64,
    /// Changes of speed below this are not followed up.
    pub(crate) tolerance: f64,
    /// Speeds of approach below this are left to the forces.
    pub(crate) stop_tolerance: f64,
    pub(crate) load: Load,
    /// `h k`, `h k_t` and `h k_r`, speeds per load; [`Balance::add`] finds them.
    pub(crate) speeds_per_load: [f64; 3],
    /// Index of the contact.
    pub(crate) index: u32,
    /// The moment at which there was nothing to correct.
    pub(crate) settled_at: u32,
}

/// The velocities of a mover at the start.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct StartState {
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
}

/// A mover in the balance.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldBody {
    /// At the end of the step.
    pub(crate) velocity: DVec3,
    /// At the end of the step.
    pub(crate) angular_velocity: DVec3,
    pub(crate) radius: f64,
    pub(crate) inv_mass: f64,
    pub(crate) inv_inertia: f64,
    /// Index of the mover.
    pub(crate) mover: u32,
    /// The moment at which its velocities last changed.
    pub(crate) changed_at: u32,
}

impl Balance {
    /// Empties the lists for a balance over `h` seconds.
    pub(crate) fn clear(&mut self, h: f64) {
        self.contacts.clear();
        self.bodies.clear();
        self.bodies.push(HeldBody::default());
        self.starts.clear();
        self.starts.push(StartState::default());
        self.points.clear();
        self.h = h;
        self.moment = 1;
    }

    /// Adds a body and returns its place.
    pub(crate) fn add_body(&mut self, body: HeldBody, start: StartState) -> u32 {
        self.bodies.push(body);
        self.starts.push(start);
        self.bodies.len() as u32 - 1
    }

    /// Adds a contact whose bodies are on the list.
    pub(crate) fn add(&mut self, mut held: HeldContact) {
        let [a, b] = held.places.map(|place| &self.bodies[place as usize]);
        let k = a.inv_mass + b.inv_mass;
        let k_t = k + a.radius * a.radius * a.inv_inertia + b.radius * b.radius * b.inv_inertia;
        held.speeds_per_load = [k, k_t, a.inv_inertia + b.inv_inertia].map(|k| self.h * k);
        self.contacts.push(held);
    }

    /// Takes from bodies what speed of approach they have at the start beyond what closes their gap.
    pub(crate) fn stop_approach(&mut self, rounds: u32) {
        let Balance { contacts, bodies, starts, points, h, .. } = self;
        for _ in 0..rounds {
            let mut is_done = true;
            for held in &*contacts {
                let [a, b] = held.places.map(|place| place as usize);
                let approach = (starts[a].velocity - starts[b].velocity).dot(held.normal);
                let excess = approach - held.allowed_speed;
                if excess <= held.stop_tolerance {
                    continue;
                }
                is_done = false;
                let impulse = held.normal * (excess / held.speeds_per_load[0] * *h);
                for (place, impulse) in [(a, -impulse), (b, impulse)] {
                    let change = impulse * bodies[place].inv_mass;
                    starts[place].velocity += change;
                    bodies[place].velocity += change;
                }
            }
            for held in points.iter_mut() {
                is_done &= held.stop(bodies, starts);
            }
            if is_done {
                break;
            }
        }
    }

    /// Balances the loads.
    pub(crate) fn solve(&mut self, rounds: u32) {
        let Balance { contacts, bodies, points, h, moment, .. } = self;
        // The points of a body pull at each other and take longer to agree than spheres; where there are few, that
        // costs next to nothing.
        let rounds = if points.is_empty() || points.len() > FEW_POINTS { rounds } else { FEW_POINTS_ROUNDS * rounds };
        for round in 0..rounds {
            let mut is_balanced = true;
            // Back and forth, so that impulses from the end of the list reach its start at once.
            if round % 2 == 0 {
                for held in contacts.iter_mut() {
                    is_balanced &= held.correct(bodies, *h, moment);
                }
                for held in points.iter_mut() {
                    is_balanced &= held.correct(bodies, *h, moment);
                }
            } else {
                for held in points.iter_mut().rev() {
                    is_balanced &= held.correct(bodies, *h, moment);
                }
                for held in contacts.iter_mut().rev() {
                    is_balanced &= held.correct(bodies, *h, moment);
                }
            }
            if is_balanced {
                break;
            }
        }
    }
}

impl HeldContact {
    /// Corrects the load of one contact. True if there was nothing to correct.
    #[inline]
    fn correct(&mut self, bodies: &mut [HeldBody], h: f64, moment: &mut u32) -> bool {
        let [a, b] = self.places.map(|place| place as usize);
        let (body_a, body_b) = (&bodies[a], &bodies[b]);
        // Settled, and nothing has happened to its bodies since: the greater part of a heap, most of the time.
        if body_a.changed_at <= self.settled_at && body_b.changed_at <= self.settled_at {
            return true;
        }
        let (n, [hk, hk_t, hk_r]) = (self.normal, self.speeds_per_load);
        let relative = body_a.velocity - body_b.velocity;
        let approach = relative.dot(n);
        let mut wanted = self.load;
        wanted.normal = max(self.load.normal + (approach - self.allowed_speed) / hk, 0.0);
        if self.friction > 0.0 {
            // Both arms are along the normal.
            let turning = body_a.angular_velocity * body_a.radius + body_b.angular_velocity * body_b.radius;
            let slip = relative - n * approach + turning.cross(n);
            wanted.friction = limited(self.load.friction + slip / hk_t, self.friction * wanted.normal);
        }
        if self.rolling > 0.0 {
            let turning = body_a.angular_velocity - body_b.angular_velocity;
            wanted.rolling = limited(self.load.rolling + turning / hk_r, self.rolling * wanted.normal);
        }
        let change = wanted - self.load;
        let tolerance_squared = self.tolerance * self.tolerance;
        let is_small = |change_squared: f64, hk: f64| change_squared * (hk * hk) <= tolerance_squared;
        if is_small(change.normal * change.normal, hk)
            && is_small(change.friction.length_squared(), hk_t)
            && (self.rolling == 0.0 || is_small(change.rolling.length_squared(), hk_r * body_a.radius))
        {
            self.settled_at = *moment;
            return true;
        }
        self.load = wanted;
        *moment += 1;
        let impulse = (n * change.normal + change.friction) * h;
        let turning = change.friction.cross(n) * h;
        let rolling = change.rolling * h;
        for (place, impulse, rolling) in [(a, -impulse, -rolling), (b, impulse, rolling)] {
            let body = &mut bodies[place];
            body.velocity += impulse * body.inv_mass;
            body.angular_velocity += (turning * body.radius + rolling) * body.inv_inertia;
            body.changed_at = *moment;
        }
        // What stands for all that is fixed never changes.
        bodies[FIXED_PLACE as usize].changed_at = 0;
        false
    }
}

/// A vector of at most a length.
#[inline]
pub(crate) fn limited(v: DVec3, limit: f64) -> DVec3 {
    let length_squared = v.length_squared();
    if length_squared > limit * limit { v * (limit / length_squared.sqrt()) } else { v }
}
