//! Impacts of balls that touch others: all contacts press at once, as elastic bodies do.
//!
//! Hertz: `F = k c^(3/2)` with `k = 4/3 E* sqrt(R*)`, where `c` is the compression of a contact, `1/E* = 2/E'` for
//! bodies of one modulus `E' = E / (1 - nu^2)` and `1/R* = 1/R_a + 1/R_b`.
//!
//! With `s` the speed of approach along the normal, `c' = s` while a contact is compressed and `c' = s / e^2` while it
//! expands: of the work `2/5 k c^(5/2)` that was stored the share `e^2` comes back, so two balls part at `e` times the
//! speed at which they met. A gap is a negative compression.
//!
//! The whole takes less than a millisecond: normals stay, finite forces do nothing, and bodies do not move. What comes
//! out of it are velocities. Where all touch, they depend neither on `E'` nor on the speed, which only set the time that it
//! takes; gaps count by their ratio to the compression.
//!
//! Forces are zero before and after. Velocities half a step behind compressions make each step second order (leapfrog)
//! and keep the energy of elastic balls.

use crate::math::{DVec3, max, min};

/// Steps in the time that one impact of two bodies takes.
const STEPS: f64 = 256.0;
/// The time of an impact over `c / s`, its greatest compression by its speed: `2 I` with `I` the integral of
/// `(1 - x^(5/2))^(-1/2)` from 0 to 1.
const DURATION: f64 = 2.943_275;
/// Contacts expand `1/e` times as fast as they are compressed, and steps are shorter by that, down to this share.
const LEAST_SHARE: f64 = 0.125;
/// A wave takes less than one such time to pass a contact, there and back.
const MOST_PASSES: f64 = 4.0;

/// A body that takes part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    pub(crate) inv_mass: f64,
    pub(crate) inv_inertia: f64,
    pub(crate) radius: f64,
}

impl Part {
    /// Something that does not move, flat as seen from a ball.
    pub(crate) const FIXED: Part = Part {
        velocity: DVec3::ZERO,
        angular_velocity: DVec3::ZERO,
        inv_mass: 0.0,
        inv_inertia: 0.0,
        radius: f64::INFINITY,
    };
}

/// A contact that takes part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Press {
    /// Places of the two bodies.
    pub(crate) parts: [usize; 2],
    /// Unit normal from the first to the second.
    pub(crate) normal: DVec3,
    /// In m; negative while there is a gap.
    pub(crate) compression: f64,
    pub(crate) stiffness: f64,
    pub(crate) restitution: f64,
    pub(crate) friction: f64,
    /// Sum over the impact in N s.
    pub(crate) impulse: f64,
    /// Greatest speed of approach while it pressed, in m/s.
    pub(crate) approach: f64,
}

/// `k` in `F = k c^(3/2)` of two bodies with a modulus and radii, the second of which may be infinite.
pub(crate) fn stiffness(modulus: f64, radius_a: f64, radius_b: f64) -> f64 {
    let radius = 1.0 / (1.0 / radius_a + 1.0 / radius_b);
    4.0 / 3.0 * (0.5 * modulus) * radius.sqrt()
}

/// The greatest compression of two bodies with a sum of inverse masses that meet at a speed:
/// `2/5 k c^(5/2) = 1/2 m s^2`.
pub(crate) fn greatest_compression(stiffness: f64, inverse_mass: f64, speed: f64) -> f64 {
    let ratio = 1.25 * speed * speed / (stiffness * inverse_mass);
    fifth_root(ratio * ratio)
}

/// `x^(1/5)` by Newton's method, which from above its end only falls.
fn fifth_root(x: f64) -> f64 {
    let mut root = max(x, 1.0);
    if x <= 0.0 {
        return 0.0;
    }
    for _ in 0..1000 {
        let square = root * root;
        let next = 0.8 * root + 0.2 * x / (square * square);
        if next >= root {
            break;
        }
        root = next;
    }
    root
}

/// Lets all contacts press until none does any more. `speed` is that of the contact which began it.
pub(crate) fn press_all(parts: &mut [Part], presses: &mut [Press], speed: f64) {
    let time = |press: &Press| {
        let inverse = parts[press.parts[0]].inv_mass + parts[press.parts[1]].inv_mass;
        DURATION * greatest_compression(press.stiffness, inverse, speed) / speed
    };
    let shortest = presses.iter().map(time).fold(f64::INFINITY, min);
    let restitution = presses.iter().map(|press| press.restitution).filter(|&e| e > 0.0).fold(1.0, min);
    let steps = STEPS / max(restitution, LEAST_SHARE);
    let h = shortest / steps;
    if !(h > 0.0 && h.is_finite()) {
        return;
    }
    for _ in 0..(MOST_PASSES * steps) as usize * (presses.len() + 1) {
        for press in &mut *presses {
            press.follow(parts, h);
        }
        let mut is_anyone_pressing = false;
        for press in &mut *presses {
            is_anyone_pressing |= press.push(parts, h);
        }
        if !is_anyone_pressing {
            break;
        }
    }
}

impl Press {
    fn approach_speed(&self, parts: &[Part]) -> f64 {
        (parts[self.parts[0]].velocity - parts[self.parts[1]].velocity).dot(self.normal)
    }

    /// Changes the compression as the bodies move.
    fn follow(&mut self, parts: &[Part], h: f64) {
        let speed = self.approach_speed(parts);
        if self.compression > 0.0 && speed < 0.0 {
            let share = self.restitution * self.restitution;
            self.compression = if share > 0.0 { max(self.compression + speed * h / share, 0.0) } else { 0.0 };
        } else {
            self.compression += speed * h;
        }
        if self.compression > 0.0 {
            self.approach = max(self.approach, speed);
        }
    }

    /// Changes velocities by the force of a step. False if there is none.
    fn push(&mut self, parts: &mut [Part], h: f64) -> bool {
        if self.compression <= 0.0 {
            return false;
        }
        let mut impulse = self.stiffness * self.compression * self.compression.sqrt() * h;
        if self.restitution == 0.0 {
            // What never expands stops, and no more.
            let inverse = parts[self.parts[0]].inv_mass + parts[self.parts[1]].inv_mass;
            impulse = min(impulse, max(self.approach_speed(parts), 0.0) / inverse);
        }
        self.impulse += impulse;
        let rubbing = self.rubbing(parts, impulse);
        let total = self.normal * impulse + rubbing;
        for (part, sign) in self.parts.into_iter().zip([-1.0, 1.0]) {
            let part = &mut parts[part];
            part.velocity += total * (sign * part.inv_mass);
            if part.inv_inertia > 0.0 {
                // Both feel opposite forces on opposite sides.
                part.angular_velocity += rubbing.cross(self.normal) * (part.radius * part.inv_inertia);
            }
        }
        true
    }

    /// The impulse of friction on the second body: against the slip, and no more than ends it.
    fn rubbing(&self, parts: &[Part], impulse: f64) -> DVec3 {
        if self.friction == 0.0 {
            return DVec3::ZERO;
        }
        let [a, b] = self.parts.map(|part| &parts[part]);
        let surface = |part: &Part, side: f64| match part.inv_inertia > 0.0 {
            true => part.velocity + part.angular_velocity.cross(self.normal * (side * part.radius)),
            false => part.velocity,
        };
        let slip = surface(a, 1.0) - surface(b, -1.0);
        let slip = slip - self.normal * slip.dot(self.normal);
        let speed = slip.length();
        if speed == 0.0 {
            return DVec3::ZERO;
        }
        let turn =
            |part: &Part| if part.inv_inertia > 0.0 { part.radius * part.radius * part.inv_inertia } else { 0.0 };
        let inverse = a.inv_mass + b.inv_mass + turn(a) + turn(b);
        slip * (min(self.friction * impulse, speed / inverse) / speed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::dvec3;

    fn ball(mass: f64, radius: f64, velocity: DVec3) -> Part {
        let inv_inertia = 2.5 / (mass * radius * radius);
        Part { velocity, angular_velocity: DVec3::ZERO, inv_mass: 1.0 / mass, inv_inertia, radius }
    }

    fn press(parts: [usize; 2], normal: DVec3, restitution: f64) -> Press {
        let stiffness = stiffness(5.0e9, 0.03, 0.03);
        Press { parts, normal, compression: 0.0, stiffness, restitution, friction: 0.0, impulse: 0.0, approach: 0.0 }
    }

    #[test]
    fn roots_are_roots() {
        for x in [0.0, 1.0e-30, 3.0e-12, 0.5, 1.0, 7.0, 1.0e9] {
            let root = fifth_root(x);
            assert!((root * root * root * root * root - x).abs() <= 1.0e-14 * x, "{x}: {root}");
        }
    }

    /// Two balls part at e times the speed at which they met, whatever their masses.
    #[test]
    fn two_balls_part_as_newton_says() {
        for (mass, restitution) in [(1.0, 1.0), (0.01, 1.0), (7.0, 0.9), (1.0, 0.5), (2.0, 0.1), (1.0, 0.0)] {
            let mut parts = [ball(1.0, 0.03, dvec3(3.0, 1.0, 0.0)), ball(mass, 0.03, DVec3::ZERO)];
            let mut presses = [press([0, 1], DVec3::X, restitution)];
            press_all(&mut parts, &mut presses, 3.0);
            let speed = parts[1].velocity.x - parts[0].velocity.x;
            assert!((speed - 3.0 * restitution).abs() < 3.0e-4 * 3.0, "e {restitution}, mass {mass}: {speed}");
            assert!((parts[0].velocity.x + mass * parts[1].velocity.x - 3.0).abs() < 1.0e-12);
            assert_eq!(parts[0].velocity.y, 1.0);
        }
    }

    /// Where the compression is greatest, all energy of approach is stored.
    #[test]
    fn the_greatest_compression_holds_the_energy() {
        for (inverse, speed) in [(2.0, 4.0), (12.0, 0.1), (0.5, 30.0)] {
            let k = stiffness(5.0e9, 0.03, 0.03);
            let depth = greatest_compression(k, inverse, speed);
            let (stored, brought) = (0.4 * k * depth * depth * depth.sqrt(), 0.5 * speed * speed / inverse);
            assert!((stored / brought - 1.0).abs() < 1.0e-12, "{stored} {brought}");
        }
    }
}
