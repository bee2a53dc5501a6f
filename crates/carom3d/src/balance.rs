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
use crate::math::{DVec3, max};

/// Resting contacts and their movers, close together in memory for the many rounds over them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Balance {
    pub(crate) contacts: Vec<HeldContact>,
    /// The first stands for everything fixed.
    pub(crate) bodies: Vec<HeldBody>,
}

/// The place of everything fixed.
pub(crate) const FIXED_PLACE: u32 = 0;

/// A contact in the balance.
#[derive(Clone, Debug)]
pub(crate) struct HeldContact {
    /// Index of the contact.
    pub(crate) index: u32,
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
    pub(crate) load: Load,
    /// `k`, `k_t` and `k_r`; [`Balance::add`] finds them.
    pub(crate) k: [f64; 3],
}

/// A mover in the balance.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeldBody {
    /// Index of the mover.
    pub(crate) mover: u32,
    pub(crate) radius: f64,
    pub(crate) inv_mass: f64,
    pub(crate) inv_inertia: f64,
    pub(crate) start_velocity: DVec3,
    /// At the end of the step.
    pub(crate) velocity: DVec3,
    /// At the end of the step.
    pub(crate) angular_velocity: DVec3,
}

impl Balance {
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.bodies.clear();
        self.bodies.push(HeldBody::default());
    }

    /// Adds a contact whose bodies are on the list.
    pub(crate) fn add(&mut self, mut held: HeldContact) {
        let [a, b] = held.places.map(|place| &self.bodies[place as usize]);
        let k = a.inv_mass + b.inv_mass;
        let k_t = k + a.radius * a.radius * a.inv_inertia + b.radius * b.radius * b.inv_inertia;
        held.k = [k, k_t, a.inv_inertia + b.inv_inertia];
        self.contacts.push(held);
    }

    /// Takes from bodies what speed of approach they have at the start beyond what closes their gap.
    pub(crate) fn stop_approach(&mut self, rounds: u32) {
        for _ in 0..rounds {
            let mut is_done = true;
            for held in &self.contacts {
                let [a, b] = held.places.map(|place| place as usize);
                let approach = (self.bodies[a].start_velocity - self.bodies[b].start_velocity).dot(held.normal);
                let excess = approach - held.allowed_speed;
                if excess <= held.tolerance {
                    continue;
                }
                is_done = false;
                let impulse = held.normal * (excess / held.k[0]);
                for (place, impulse) in [(a, -impulse), (b, impulse)] {
                    let body = &mut self.bodies[place];
                    let change = impulse * body.inv_mass;
                    body.start_velocity += change;
                    body.velocity += change;
                }
            }
            if is_done {
                break;
            }
        }
    }

    /// Balances the loads over `h` seconds.
    pub(crate) fn solve(&mut self, rounds: u32, h: f64) {
        for round in 0..rounds {
            let mut is_balanced = true;
            // Back and forth: what is far down the list is heard of at once.
            if round % 2 == 0 {
                for held in &mut self.contacts {
                    is_balanced &= held.correct(&mut self.bodies, h);
                }
            } else {
                for held in self.contacts.iter_mut().rev() {
                    is_balanced &= held.correct(&mut self.bodies, h);
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
    fn correct(&mut self, bodies: &mut [HeldBody], h: f64) -> bool {
        let [a, b] = self.places.map(|place| place as usize);
        let (body_a, body_b) = (&bodies[a], &bodies[b]);
        let (n, [k, k_t, k_r]) = (self.normal, self.k);
        let excess = (body_a.velocity - body_b.velocity).dot(n) - self.allowed_speed;
        let mut wanted = self.load;
        wanted.normal = max(self.load.normal + excess / (h * k), 0.0);
        if self.friction > 0.0 {
            // Both arms are along the normal.
            let turning = body_a.angular_velocity * body_a.radius + body_b.angular_velocity * body_b.radius;
            let slip = body_a.velocity - body_b.velocity + turning.cross(n);
            let slip = slip - n * slip.dot(n);
            wanted.friction = limited(self.load.friction + slip / (h * k_t), self.friction * wanted.normal);
        }
        if self.rolling > 0.0 {
            let turning = body_a.angular_velocity - body_b.angular_velocity;
            wanted.rolling = limited(self.load.rolling + turning / (h * k_r), self.rolling * wanted.normal);
        }
        let change = wanted - self.load;
        let is_small = |change: f64| change * h <= self.tolerance;
        if is_small(change.normal.abs() * k)
            && is_small(change.friction.length() * k_t)
            && (self.rolling == 0.0 || is_small(change.rolling.length() * k_r * body_a.radius))
        {
            return true;
        }
        self.load = wanted;
        let impulse = (n * change.normal + change.friction) * h;
        let turning = change.friction.cross(n) * h;
        let rolling = change.rolling * h;
        for (place, impulse, rolling) in [(a, -impulse, -rolling), (b, impulse, rolling)] {
            let body = &mut bodies[place];
            body.velocity += impulse * body.inv_mass;
            body.angular_velocity += (turning * body.radius + rolling) * body.inv_inertia;
        }
        false
    }
}

/// A vector of at most a length.
#[inline]
fn limited(v: DVec3, limit: f64) -> DVec3 {
    let length = v.length();
    if length > limit { v * (limit / length) } else { v }
}
