//! A rigid body as particles see it during a step: where its velocity takes it, and what they have done to it.

use crate::{contact, single};
use carom2d::math::{Rot, Vec2};
use carom2d::shape::Geometry;
use carom2d::{BodyId, BodyKind, BodyRef, World};
use glam::{DVec2, dvec2};

/// A body near some particles, in double precision.
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    pub(crate) id: BodyId,
    /// Centre of mass, and where that is on the body.
    pub(crate) center: DVec2,
    /// Where the centre was when the step began, and is in the world until that steps.
    start: DVec2,
    local_center: DVec2,
    rotation: Rot,
    velocity: DVec2,
    spin: f64,
    /// Inverse mass along x and y, and inverse moment of inertia; 0 for what does not give way.
    inv_mass: DVec2,
    inv_inertia: f64,
    /// Acceleration in m/s^2 that the world will add by itself.
    gravity: DVec2,
    /// Sums of what particles did, in N s and N m s.
    impulse: DVec2,
    angular_impulse: f64,
}

impl Mover {
    pub(crate) fn of(body: &BodyRef<'_>) -> Mover {
        let (velocity, spin) = (body.velocity(), body.angular_velocity());
        let inverse = |value: f32, locked: bool| {
            let moves = body.kind() == BodyKind::Dynamic && !locked && value > 0.0 && value.is_finite();
            if moves { 1.0 / f64::from(value) } else { 0.0 }
        };
        let locked = body.locked();
        Mover {
            id: body.id(),
            center: body.center().as_dvec2(),
            start: body.center().as_dvec2(),
            local_center: body.local_center().as_dvec2(),
            rotation: body.rotation(),
            velocity: velocity.as_dvec2(),
            spin: spin.into(),
            inv_mass: dvec2(inverse(body.mass(), locked.x), inverse(body.mass(), locked.y)),
            inv_inertia: inverse(body.inertia(), locked.rotation),
            gravity: DVec2::ZERO,
            impulse: DVec2::ZERO,
            angular_impulse: 0.0,
        }
    }

    /// A body that falls while particles push it, as it will in the step of the world.
    pub(crate) fn falling(body: &BodyRef<'_>, gravity: Vec2) -> Mover {
        let mut mover = Mover::of(body);
        if body.kind() == BodyKind::Dynamic {
            let free = dvec2(f64::from(u8::from(mover.inv_mass.x > 0.0)), f64::from(u8::from(mover.inv_mass.y > 0.0)));
            mover.gravity = free * gravity.as_dvec2() * f64::from(body.gravity_scale());
        }
        mover
    }

    /// How far any point of a piece of a body may get within `dt`, in metres, if particles make it no more than twice
    /// as fast.
    pub(crate) fn reach(body: &BodyRef<'_>, piece: &Geometry, dt: f64) -> f32 {
        let turning = body.angular_velocity().abs() * piece.extent(body.local_center());
        (2.0 * f64::from(body.velocity().length() + turning) * dt) as f32
    }

    /// The normal out of a piece of the body towards a particle that overlaps it, and how deep.
    pub(crate) fn overlap(&self, geometry: &Geometry, position: DVec2, radius: f64) -> Option<(DVec2, f64)> {
        // Relative to the centre of mass, where single precision is finest.
        let away = position - self.center;
        let turned = self.rotation.inv_rotate(single(away));
        let at = turned + single(self.local_center);
        if !at.is_finite() {
            return None;
        }
        let (normal, depth) = contact(geometry, at, radius as f32)?;
        Some((self.rotation.rotate(normal).as_dvec2(), depth.into()))
    }

    /// Velocity of the point at an arm from the centre of mass, in m/s.
    pub(crate) fn velocity_at(&self, arm: DVec2) -> DVec2 {
        self.velocity + self.spin * dvec2(-arm.y, arm.x)
    }

    /// How much an impulse along `normal` at an arm changes the speed there along it, in 1/kg.
    pub(crate) fn give(&self, arm: DVec2, normal: DVec2) -> f64 {
        let lever = arm.perp_dot(normal);
        (normal * normal).dot(self.inv_mass) + self.inv_inertia * lever * lever
    }

    /// Takes an impulse at an arm from the centre of mass.
    pub(crate) fn push(&mut self, impulse: DVec2, arm: DVec2) {
        let angular = arm.perp_dot(impulse);
        self.velocity += self.inv_mass * impulse;
        self.spin += self.inv_inertia * angular;
        self.impulse += impulse;
        // About where the centre is in the world: the body gets there what the particles lost here.
        self.angular_impulse += angular + (self.center - self.start).perp_dot(impulse);
    }

    /// Falls for `h` seconds, as the world will have it.
    pub(crate) fn fall(&mut self, h: f64) {
        self.velocity += h * self.gravity;
    }

    /// Moves on for `h` seconds.
    pub(crate) fn advance(&mut self, h: f64) {
        self.center += h * self.velocity;
        self.rotation = self.rotation.turned((h * self.spin) as f32);
    }

    /// Gives the body in the world what particles have done to it.
    pub(crate) fn hand_over(&self, world: &mut World) {
        if self.impulse == DVec2::ZERO && self.angular_impulse == 0.0 {
            return;
        }
        if let Some(mut body) = world.get_body_mut(self.id) {
            // Refused only if the body would lose its numbers; then it keeps its velocity.
            body.apply_impulse(single(self.impulse)).ok();
            body.apply_angular_impulse(self.angular_impulse as f32).ok();
        }
    }

    /// Gives the body in the world what particles have done to it before a step of `dt` seconds: what carries its
    /// weight as a force during that step, so that weight and buoyancy cancel at every moment and not only on average,
    /// and the rest at once.
    pub(crate) fn hand_over_carried(&self, world: &mut World, dt: f64) {
        if self.impulse == DVec2::ZERO && self.angular_impulse == 0.0 {
            return;
        }
        let Some(mut body) = world.get_body_mut(self.id) else { return };
        let carried = if self.gravity == DVec2::ZERO {
            DVec2::ZERO
        } else {
            let weight = f64::from(body.get().mass()) * self.gravity.length() * dt;
            let up = -self.gravity.normalize();
            let along = self.impulse.dot(up);
            // What pulls down carries nothing.
            up * if along > weight {
                weight
            } else if along > 0.0 {
                along
            } else {
                0.0
            }
        };
        // A force during the step acts on average where the centre is half-way.
        let shift = 0.5 * dt * body.get().velocity().as_dvec2();
        // Refused only if the body would lose its numbers; then it keeps its velocity.
        body.apply_force(single(carried / dt)).ok();
        body.apply_impulse(single(self.impulse - carried)).ok();
        body.apply_angular_impulse((self.angular_impulse - shift.perp_dot(carried)) as f32).ok();
    }
}
