//! What a medium, water or air, does to a body that moves through it.
//!
//! Drag depends on the velocity that it changes. Taken at the start of a step, strong drag would throw a body
//! back faster than it came. So it is taken at the end: `v' = v + dt/m (F - D(v') v')`, with `F` all other
//! forces. Of a body that moves along a line that is solved exactly. With `p` and `q` the impulses that linear
//! and quadratic drag would have at `u = v + dt F / m`, and `v' = s u`, it reads
//!
//! ```text
//! s (1 + a + b s) = 1,     a = |p| / (m |u|),    b = |q| / (m |u|)
//! ```
//!
//! In general `a = p.p / (m p.u)`, the same with rotation. Then `s p + s^2 q` takes energy from the motion
//! against the medium whatever the coefficients are, and the speed at which drag and other forces balance is
//! the true one, whatever the step is.

use crate::body::{BodySim, BodyState};
use crate::math::{Rot, Vec2};
use crate::shape::boundary::{AreaMoments, Boundary};
use crate::shape::double::Double2;

/// A force and a torque about the centre of mass.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrench {
    pub(crate) force: Double2,
    pub(crate) torque: f64,
}

impl Wrench {
    pub(crate) const ZERO: Wrench = Wrench { force: Double2::ZERO, torque: 0.0 };

    pub(crate) fn add(&mut self, force: Double2, torque: f64) {
        self.force += force;
        self.torque += torque;
    }

    pub(crate) fn add_at(&mut self, force: Double2, arm: Double2) {
        self.add(force, arm.cross(force));
    }
}

/// A body halfway through the step, at the velocity that all forces so far will have given it at the end.
///
/// Forces that depend on the position are taken halfway: drift, kick, drift. That keeps the energy of what
/// floats and orbits, where forces of the start would feed it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halfway {
    pub(crate) center: Vec2,
    pub(crate) rotation: Rot,
    pub(crate) local_center: Vec2,
    pub(crate) velocity: Vec2,
    pub(crate) angular_velocity: f32,
    inv_mass: Vec2,
    inv_inertia: f32,
    dt: f32,
}

impl Halfway {
    pub(crate) fn of(sim: &BodySim, state: &BodyState, gravity: Vec2, dt: f32) -> Halfway {
        Halfway {
            center: sim.center + state.velocity * (0.5 * dt),
            rotation: sim.rotation.turned(state.angular_velocity * (0.5 * dt)),
            local_center: sim.local_center,
            velocity: state.velocity + sim.acceleration(gravity) * dt,
            angular_velocity: state.angular_velocity + sim.torque * sim.inv_inertia * dt,
            inv_mass: sim.inv_mass,
            inv_inertia: sim.inv_inertia,
            dt,
        }
    }
}

/// A medium that flows at a velocity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Medium {
    pub(crate) velocity: Vec2,
    /// Force per area and speed.
    pub(crate) linear: f64,
    /// Force per width and square of the speed.
    pub(crate) quadratic: f64,
}

/// Drag on a body as it would be at the velocity of its end, without the step's length in mind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drag {
    linear: Wrench,
    quadratic: Wrench,
}

impl Drag {
    pub(crate) const NONE: Drag = Drag { linear: Wrench::ZERO, quadratic: Wrench::ZERO };
}

impl Medium {
    /// Adds the drag on a shape. Linear drag acts on the whole area inside the medium; quadratic drag on the
    /// faces that go ahead, by their width across the motion.
    pub(crate) fn add_drag(&self, body: &Halfway, boundary: &Boundary, moments: &AreaMoments, drag: &mut Drag) {
        let relative = Double2::from(body.velocity - self.velocity);
        let spin = f64::from(body.angular_velocity);
        if self.linear > 0.0 {
            // The integral of -k (v + w x r) over the area.
            let AreaMoments { area, first, second } = *moments;
            let turning = Double2::new(-spin * first.y, spin * first.x);
            let force = (relative * area + turning) * -self.linear;
            drag.linear.add(force, -self.linear * (first.cross(relative) + spin * second));
        }
        self.add_face_drag(body, boundary, drag);
    }

    /// Adds the quadratic part alone.
    pub(crate) fn add_face_drag(&self, body: &Halfway, boundary: &Boundary, drag: &mut Drag) {
        if self.quadratic.is_nan() || self.quadratic <= 0.0 {
            return;
        }
        let relative = Double2::from(body.velocity - self.velocity);
        let spin = f64::from(body.angular_velocity);
        boundary.each_face(relative, &mut |arm, normal| {
            let velocity = relative + Double2::new(-spin * arm.y, spin * arm.x);
            let ahead = normal.dot(velocity);
            if ahead > 0.0 {
                drag.quadratic.add_at(velocity * (-self.quadratic * ahead), arm);
            }
        });
    }

    /// What drag does in the step, by the formula in the header.
    pub(crate) fn settle(&self, body: &Halfway, drag: &Drag) -> Wrench {
        let dt = f64::from(body.dt);
        let relative = Double2::from(body.velocity - self.velocity);
        let (inv_mass, inv_inertia) = (Double2::from(body.inv_mass), f64::from(body.inv_inertia));
        // How much of the velocity the impulse of a wrench would take.
        let share = |wrench: &Wrench| {
            let Wrench { force, torque } = *wrench;
            let power = -(force.dot(relative) + torque * f64::from(body.angular_velocity));
            let kick = force.x * force.x * inv_mass.x + force.y * force.y * inv_mass.y + torque * torque * inv_inertia;
            if power > 0.0 { dt * kick / power } else { 0.0 }
        };
        let (a, b) = (share(&drag.linear), share(&drag.quadratic));
        // The root of b s^2 + (1 + a) s - 1 in the form that does not cancel.
        let s = 2.0 / (1.0 + a + ((1.0 + a) * (1.0 + a) + 4.0 * b).sqrt());
        Wrench {
            force: drag.linear.force * s + drag.quadratic.force * (s * s),
            torque: drag.linear.torque * s + drag.quadratic.torque * (s * s),
        }
    }
}

impl BodySim {
    /// Adds a wrench for the next step; nothing if it is out of the range of numbers.
    pub(crate) fn push(&mut self, wrench: &Wrench) {
        let (force, torque) = (wrench.force.single(), wrench.torque as f32);
        if force.is_finite() && torque.is_finite() {
            self.force += force;
            self.torque += torque;
        }
    }
}
