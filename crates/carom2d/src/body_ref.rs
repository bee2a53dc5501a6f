//! Reading and changing one body: `world.body(id)` and `world.body_mut(id)`.

use crate::attach::ShapeId;
use crate::body::{BodyDef, BodyId, BodyKind, BodyState, LockedAxes, NONE, mass, position, spin, velocity};
use crate::contact_ref::ContactRef;
use crate::error::{DefError, finite, finite2, non_negative};
use crate::joint::JointId;
use crate::math::{Aabb, Pose, Rot, Vec2, cross, cross_sv};
use crate::record::Call;
use crate::sets::{DISABLED, FIRST_SLEEPING};
use crate::shape::MAX_COORDINATE;
use crate::world::{World, WorldState};

impl World {
    /// A body to read.
    ///
    /// # Panics
    /// If the handle is stale. [`World::get_body`] returns an `Option` instead.
    #[track_caller]
    pub fn body(&self, id: BodyId) -> BodyRef<'_> {
        match self.get_body(id) {
            Some(body) => body,
            None => panic!("{}", DefError::stale(id)),
        }
    }

    /// A body to read, if the handle is valid.
    pub fn get_body(&self, id: BodyId) -> Option<BodyRef<'_>> {
        self.state.get_body(id)
    }

    /// A body to change.
    ///
    /// # Panics
    /// If the handle is stale. [`World::get_body_mut`] returns an `Option` instead.
    #[track_caller]
    pub fn body_mut(&mut self, id: BodyId) -> BodyMut<'_> {
        if !self.state.bodies.contains(id) {
            panic!("{}", DefError::stale(id));
        }
        BodyMut { world: &mut self.state, id }
    }

    /// A body to change, if the handle is valid.
    pub fn get_body_mut(&mut self, id: BodyId) -> Option<BodyMut<'_>> {
        if self.state.bodies.contains(id) { Some(BodyMut { world: &mut self.state, id }) } else { None }
    }
}

impl WorldState {
    pub(crate) fn get_body(&self, id: BodyId) -> Option<BodyRef<'_>> {
        self.bodies.contains(id).then_some(BodyRef { world: self, id })
    }
}

/// Where a body is and how it moves, in the engine's own numbers: what [`BodyRef::motion`] reads can be
/// put back to the bit by [`BodyMut::set_motion`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Motion {
    /// Position of the centre of mass in metres.
    pub center: Vec2,
    /// The rotation as cosine and sine.
    pub rotation: Rot,
    /// Velocity of the centre of mass in m/s.
    pub velocity: Vec2,
    /// Angular velocity in rad/s.
    pub angular_velocity: f32,
}

/// A body to read.
#[derive(Clone, Copy, Debug)]
pub struct BodyRef<'w> {
    world: &'w WorldState,
    id: BodyId,
}

impl<'w> BodyRef<'w> {
    fn index(&self) -> u32 {
        self.id.index()
    }

    fn state(&self) -> &'w BodyState {
        self.world.state(self.index()).unwrap_or(&BodyState::REST)
    }

    /// The handle.
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// What moves the body.
    pub fn kind(&self) -> BodyKind {
        self.world.bodies[self.index()].kind
    }

    /// Position of the body's origin in metres.
    pub fn position(&self) -> Vec2 {
        self.pose().p
    }

    /// Angle in radians, in (-pi, pi].
    pub fn angle(&self) -> f32 {
        self.rotation().angle()
    }

    /// The rotation as cosine and sine.
    pub fn rotation(&self) -> Rot {
        self.world.sim(self.index()).rotation
    }

    /// Position and rotation of the body's origin.
    pub fn pose(&self) -> Pose {
        self.world.sim(self.index()).pose()
    }

    /// The pose between the last two steps, for drawing: where [`World::advance`] left off.
    pub fn interpolated_pose(&self) -> Pose {
        let sim = self.world.sim(self.index());
        self.world.clock.interpolate(sim)
    }

    /// Position of the centre of mass in metres.
    pub fn center(&self) -> Vec2 {
        self.world.sim(self.index()).center
    }

    /// Centre of mass in body coordinates.
    pub fn local_center(&self) -> Vec2 {
        self.world.sim(self.index()).local_center
    }

    /// Velocity of the centre of mass in m/s. Zero while asleep.
    pub fn velocity(&self) -> Vec2 {
        if self.is_enabled() { self.state().velocity } else { self.world.bodies[self.index()].parked_velocity.0 }
    }

    /// Angular velocity in rad/s.
    pub fn angular_velocity(&self) -> f32 {
        if self.is_enabled() {
            self.state().angular_velocity
        } else {
            self.world.bodies[self.index()].parked_velocity.1
        }
    }

    /// Velocity in m/s of the material point at a world position.
    pub fn velocity_at(&self, point: Vec2) -> Vec2 {
        self.velocity() + cross_sv(self.angular_velocity(), point - self.center())
    }

    /// Mass in kg; infinity unless the body is dynamic.
    pub fn mass(&self) -> f32 {
        if self.kind() == BodyKind::Dynamic { self.world.bodies[self.index()].mass } else { f32::INFINITY }
    }

    /// Moment of inertia about the centre of mass in kg m^2; infinity for bodies that cannot turn.
    pub fn inertia(&self) -> f32 {
        let inverse = self.world.sim(self.index()).inv_inertia;
        if inverse > 0.0 { self.world.bodies[self.index()].inertia } else { f32::INFINITY }
    }

    /// Kinetic energy in J; zero unless the body is dynamic.
    pub fn kinetic_energy(&self) -> f32 {
        if self.kind() != BodyKind::Dynamic {
            return 0.0;
        }
        let w = self.angular_velocity();
        let spin = if w == 0.0 || self.inertia().is_infinite() { 0.0 } else { 0.5 * self.inertia() * w * w };
        0.5 * self.mass() * self.velocity().length_squared() + spin
    }

    /// A point in body coordinates, in world coordinates.
    pub fn world_point(&self, local: Vec2) -> Vec2 {
        self.pose().point(local)
    }

    /// A world point in body coordinates.
    pub fn local_point(&self, world: Vec2) -> Vec2 {
        self.pose().inv_point(world)
    }

    /// The force accumulated for the next step, in N.
    pub fn force(&self) -> Vec2 {
        self.world.sim(self.index()).force
    }

    /// The torque accumulated for the next step, in N m.
    pub fn torque(&self) -> f32 {
        self.world.sim(self.index()).torque
    }

    /// Linear damping in 1/s.
    pub fn linear_damping(&self) -> f32 {
        self.world.sim(self.index()).linear_damping
    }

    /// Angular damping in 1/s.
    pub fn angular_damping(&self) -> f32 {
        self.world.sim(self.index()).angular_damping
    }

    /// Factor on gravity.
    pub fn gravity_scale(&self) -> f32 {
        self.world.sim(self.index()).gravity_scale
    }

    /// Motions the body may not make.
    pub fn locked(&self) -> LockedAxes {
        self.world.bodies[self.index()].locked
    }

    /// Speed in m/s below which the body counts as at rest.
    pub fn sleep_speed(&self) -> f32 {
        self.world.bodies[self.index()].sleep_speed
    }

    /// May the body fall asleep?
    pub fn can_sleep(&self) -> bool {
        self.world.bodies[self.index()].can_sleep
    }

    /// Must the body pass through no other body? See [`BodyDef::bullet`].
    pub fn is_bullet(&self) -> bool {
        self.world.bodies[self.index()].bullet
    }

    /// Does the body move or could it at once? False for fixed, sleeping and disabled bodies.
    pub fn is_awake(&self) -> bool {
        self.world.is_awake(self.index())
    }

    /// Is the body asleep?
    pub fn is_sleeping(&self) -> bool {
        self.world.bodies[self.index()].set >= FIRST_SLEEPING
    }

    /// Does the body take part?
    pub fn is_enabled(&self) -> bool {
        self.world.bodies[self.index()].set != DISABLED
    }

    /// Was the body put aside because its numbers left the range of `f32`? Enabling it clears this.
    pub fn is_frozen(&self) -> bool {
        self.world.bodies[self.index()].frozen
    }

    /// What the user stored.
    pub fn user_data(&self) -> u64 {
        self.world.bodies[self.index()].user_data
    }

    /// A definition of the body as it is now. Position and velocity are those of its origin and have
    /// been rounded on the way; [`BodyRef::motion`] has them to the bit.
    pub fn def(&self) -> BodyDef {
        let (record, sim) = (&self.world.bodies[self.index()], self.world.sim(self.index()));
        let arm = sim.rotation.rotate(sim.local_center);
        BodyDef {
            kind: record.kind,
            position: self.position(),
            angle: self.angle(),
            velocity: self.velocity() - cross_sv(self.angular_velocity(), arm),
            angular_velocity: self.angular_velocity(),
            mass: record.mass_by_hand,
            inertia: record.inertia_by_hand,
            linear_damping: sim.linear_damping,
            angular_damping: sim.angular_damping,
            gravity_scale: sim.gravity_scale,
            locked: record.locked,
            sleep_speed: record.sleep_speed,
            can_sleep: record.can_sleep,
            bullet: record.bullet,
            awake: !self.is_sleeping(),
            enabled: self.is_enabled(),
            user_data: record.user_data,
        }
    }

    /// Where the body is and how it moves, to the bit.
    pub fn motion(&self) -> Motion {
        Motion {
            center: self.center(),
            rotation: self.rotation(),
            velocity: self.velocity(),
            angular_velocity: self.angular_velocity(),
        }
    }

    /// The attached shapes, in order of attachment.
    pub fn shapes(&self) -> impl Iterator<Item = ShapeId> + use<'w> {
        let world = self.world;
        let whole = move |shape: &&u32| world.shapes[**shape].owner == NONE;
        world.bodies[self.index()].shapes.iter().filter(whole).filter_map(move |&shape| world.shapes.id_at(shape))
    }

    /// The box around all shapes of the body, without any margin. None for a body without shapes.
    pub fn aabb(&self) -> Option<Aabb> {
        let boxes = self.shapes().filter_map(|shape| Some(self.world.get_shape(shape)?.aabb()));
        boxes.reduce(|all, shape| all.union(&shape))
    }

    /// The joints of the body, in order of their making.
    pub fn joints(&self) -> impl Iterator<Item = JointId> + use<'w> {
        let world = self.world;
        world.bodies[self.index()].joints.iter().filter_map(move |&joint| world.joints.id_at(joint))
    }

    /// The contacts of the body, touching or only near.
    pub fn contacts(&self) -> impl Iterator<Item = ContactRef<'w>> + use<'w> {
        self.world.contacts_of(self.index())
    }
}

/// A body to change. Every setter checks its value first and changes nothing on an error.
#[derive(Debug)]
pub struct BodyMut<'w> {
    world: &'w mut WorldState,
    id: BodyId,
}

impl BodyMut<'_> {
    fn index(&self) -> u32 {
        self.id.index()
    }

    /// The same body to read.
    pub fn get(&self) -> BodyRef<'_> {
        BodyRef { world: self.world, id: self.id }
    }

    /// Changes what moves the body.
    pub fn set_kind(&mut self, kind: BodyKind) {
        self.world.note(|| Call::SetKind { id: self.id, kind });
        self.world.change_kind(self.index(), kind);
    }

    /// Puts the body's origin at a position, in metres. What touched it wakes.
    pub fn set_position(&mut self, value: Vec2) -> Result<(), DefError> {
        self.world.note(|| Call::SetPosition { id: self.id, value });
        position("position", value)?;
        let pose = Pose { p: value, q: self.get().rotation() };
        self.world.teleport(self.index(), pose);
        Ok(())
    }

    /// Turns the body about its origin to an angle, in radians.
    pub fn set_angle(&mut self, value: f32) -> Result<(), DefError> {
        self.world.note(|| Call::SetAngle { id: self.id, value });
        finite("angle", value)?;
        let pose = Pose { p: self.get().position(), q: Rot::from_angle(value) };
        self.world.teleport(self.index(), pose);
        Ok(())
    }

    /// Puts the body at a pose.
    pub fn set_pose(&mut self, value: Pose) -> Result<(), DefError> {
        self.world.note(|| Call::SetPose { id: self.id, value });
        position("pose", value.p)?;
        let norm = value.q.c * value.q.c + value.q.s * value.q.s;
        if norm.is_nan() || (norm - 1.0).abs() > 1.0e-3 {
            return Err(DefError::field("pose", value.q, "a rotation of unit length"));
        }
        self.world.teleport(self.index(), Pose { p: value.p, q: value.q.normalized() });
        Ok(())
    }

    /// Puts the body where [`BodyRef::motion`] found one, to the bit.
    ///
    /// What touched the body wakes, and so does the body itself, unless it was made asleep and no step has
    /// seen it yet: then it stays asleep, and the velocities are ignored.
    pub fn set_motion(&mut self, value: Motion) -> Result<(), DefError> {
        self.world.note(|| Call::SetMotion { id: self.id, value });
        // As far as a step lets bodies get.
        let in_range = |x: f32| x.abs() <= 2.0 * MAX_COORDINATE;
        if !(in_range(value.center.x) && in_range(value.center.y)) {
            return Err(DefError::field("Motion.center", value.center, "coordinates between -2e7 and 2e7 m"));
        }
        let rotation = value.rotation;
        let excess = (rotation.c * rotation.c + rotation.s * rotation.s - 1.0).abs();
        if excess.is_nan() || excess > 1.0e-5 {
            let expected = "cosine and sine of an angle, to six digits or more";
            return Err(DefError::field("Motion.rotation", rotation, expected));
        }
        velocity("Motion.velocity", value.velocity)?;
        spin("Motion.angular_velocity", value.angular_velocity)?;

        let body = self.index();
        let record = &self.world.bodies[body];
        let shapes = record.shapes.clone();
        let unseen = record.contact_head == NONE
            && record.joints.is_empty()
            && shapes.iter().all(|&shape| !self.world.shapes[shape].paired);
        let stays_asleep = unseen && record.set >= FIRST_SLEEPING;
        if !stays_asleep {
            self.world.wake(body);
            self.world.wake_touching(body);
            self.world.wake_joined(body);
        }
        let sim = self.world.sim_mut(body);
        sim.center = value.center;
        sim.rotation = rotation;
        sim.forget_before();
        let pose = sim.pose();
        for shape in shapes {
            if stays_asleep {
                self.world.place_proxy(shape, pose);
            } else {
                self.world.refresh_proxy(shape, pose, true);
            }
        }
        if !stays_asleep {
            self.change_velocity(value.velocity, value.angular_velocity);
            if !self.world.is_awake(body) {
                self.world.wake_near(body);
            }
        }
        Ok(())
    }

    /// Sets the velocity of the centre of mass in m/s, up to 1e6 along each axis. Fixed bodies stay where they are. Wakes the
    /// body unless the velocity is zero.
    ///
    /// A kinematic body moves by exactly that in a step. If it is given velocities that change smoothly from step to
    /// step, as a platform that swings is, it also speeds up within the step, so that what rests on it follows.
    pub fn set_velocity(&mut self, value: Vec2) -> Result<(), DefError> {
        self.world.note(|| Call::SetVelocity { id: self.id, value });
        velocity("velocity", value)?;
        let spin = self.get().angular_velocity();
        self.change_velocity(value, spin);
        Ok(())
    }

    /// Sets the angular velocity in rad/s, up to 1e6.
    pub fn set_angular_velocity(&mut self, value: f32) -> Result<(), DefError> {
        self.world.note(|| Call::SetAngularVelocity { id: self.id, value });
        spin("angular velocity", value)?;
        let velocity = self.get().velocity();
        self.change_velocity(velocity, value);
        Ok(())
    }

    /// Gives a kinematic body the velocity with which it reaches `target` after `dt` seconds.
    pub fn move_to(&mut self, target: Pose, dt: f32) -> Result<(), DefError> {
        self.world.note(|| Call::MoveTo { id: self.id, target, dt });
        position("target", target.p)?;
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(DefError::field("dt", dt, "a number above 0"));
        }
        let sim = self.world.sim(self.index());
        let center = target.point(sim.local_center);
        let to_velocity = (center - sim.center) * (1.0 / dt);
        let to_spin = sim.rotation.inv_mul(target.q).angle() / dt;
        velocity("target", to_velocity)?;
        spin("target", to_spin)?;
        self.change_velocity(to_velocity, to_spin);
        Ok(())
    }

    fn change_velocity(&mut self, velocity: Vec2, angular_velocity: f32) {
        let body = self.index();
        let record = &mut self.world.bodies[body];
        if record.kind == BodyKind::Fixed {
            return;
        }
        let (velocity, angular_velocity) = match record.kind {
            BodyKind::Dynamic => record.locked.apply(velocity, angular_velocity),
            _ => (velocity, angular_velocity),
        };
        if record.set == DISABLED {
            record.parked_velocity = (velocity, angular_velocity);
            return;
        }
        let kinematic = record.kind == BodyKind::Kinematic;
        let moves = velocity != Vec2::ZERO || angular_velocity != 0.0;
        if moves {
            self.world.wake(body);
            if kinematic {
                // What lies on a platform that starts must start with it, and so must what is joined to it.
                self.world.wake_touching(body);
                self.world.wake_joined(body);
            }
        }
        if kinematic {
            self.world.note_velocity(body);
        }
        if let Some(state) = self.world.state_mut(body) {
            state.velocity = velocity;
            state.angular_velocity = angular_velocity;
        }
    }

    /// Adds a force in N through the centre of mass for the next step, or the next frame of [`World::advance`]. Wakes
    /// the body.
    pub fn apply_force(&mut self, force: Vec2) -> Result<(), DefError> {
        self.world.note(|| Call::ApplyForce { id: self.id, force });
        finite2("force", force)?;
        self.accumulate(force, 0.0);
        Ok(())
    }

    /// Adds a force in N at a world point, likewise. Wakes the body.
    pub fn apply_force_at(&mut self, force: Vec2, point: Vec2) -> Result<(), DefError> {
        self.world.note(|| Call::ApplyForceAt { id: self.id, force, point });
        finite2("force", force)?;
        finite2("point", point)?;
        let torque = cross(point - self.get().center(), force);
        self.accumulate(force, torque);
        Ok(())
    }

    /// Adds a torque in N m, counter-clockwise, likewise. Wakes the body.
    pub fn apply_torque(&mut self, torque: f32) -> Result<(), DefError> {
        self.world.note(|| Call::ApplyTorque { id: self.id, torque });
        finite("torque", torque)?;
        self.accumulate(Vec2::ZERO, torque);
        Ok(())
    }

    fn accumulate(&mut self, force: Vec2, torque: f32) {
        let body = self.index();
        if self.world.bodies[body].kind != BodyKind::Dynamic || self.world.bodies[body].set == DISABLED {
            return;
        }
        self.world.wake(body);
        let sim = self.world.sim_mut(body);
        sim.force += force;
        sim.torque += torque;
    }

    /// Changes the velocity at once by an impulse in N s through the centre of mass. Wakes the body.
    pub fn apply_impulse(&mut self, impulse: Vec2) -> Result<(), DefError> {
        self.world.note(|| Call::ApplyImpulse { id: self.id, impulse });
        finite2("impulse", impulse)?;
        self.strike(impulse, 0.0)
    }

    /// Changes the velocities at once by an impulse in N s at a world point. Wakes the body.
    pub fn apply_impulse_at(&mut self, impulse: Vec2, point: Vec2) -> Result<(), DefError> {
        self.world.note(|| Call::ApplyImpulseAt { id: self.id, impulse, point });
        finite2("impulse", impulse)?;
        finite2("point", point)?;
        let angular = cross(point - self.get().center(), impulse);
        self.strike(impulse, angular)
    }

    /// Changes the angular velocity at once by an angular impulse in N m s. Wakes the body.
    pub fn apply_angular_impulse(&mut self, impulse: f32) -> Result<(), DefError> {
        self.world.note(|| Call::ApplyAngularImpulse { id: self.id, impulse });
        finite("angular impulse", impulse)?;
        self.strike(Vec2::ZERO, impulse)
    }

    fn strike(&mut self, impulse: Vec2, angular: f32) -> Result<(), DefError> {
        let body = self.index();
        if self.world.bodies[body].kind != BodyKind::Dynamic {
            return Ok(());
        }
        let sim = self.world.sim(body);
        let velocity = self.get().velocity() + sim.inv_mass * impulse;
        let spin = self.get().angular_velocity() + sim.inv_inertia * angular;
        finite2("impulse", velocity)?;
        finite("impulse", spin)?;
        self.world.wake(body);
        self.change_velocity(velocity, spin);
        Ok(())
    }

    /// Sets the mass in kg instead of the sum over the shapes; `None` goes back to that sum.
    /// Infinity makes the body fixed; [`BodyMut::set_kind`] makes it dynamic again.
    pub fn set_mass(&mut self, value: Option<f32>) -> Result<(), DefError> {
        self.world.note(|| Call::SetMass { id: self.id, value });
        mass("mass", value)?;
        let body = self.index();
        if value.is_some_and(f32::is_infinite) {
            self.world.change_kind(body, BodyKind::Fixed);
        } else {
            self.world.bodies[body].mass_by_hand = value;
            self.world.wake(body);
            self.world.update_mass(body);
        }
        Ok(())
    }

    /// Sets the moment of inertia in kg m^2 about the centre of mass; `None` goes back to the
    /// shapes'. Infinity keeps the body from turning.
    pub fn set_inertia(&mut self, value: Option<f32>) -> Result<(), DefError> {
        self.world.note(|| Call::SetInertia { id: self.id, value });
        mass("inertia", value)?;
        let body = self.index();
        self.world.bodies[body].inertia_by_hand = value;
        self.world.wake(body);
        self.world.update_mass(body);
        Ok(())
    }

    /// Sets the linear damping in 1/s.
    pub fn set_linear_damping(&mut self, value: f32) -> Result<(), DefError> {
        self.world.note(|| Call::SetLinearDamping { id: self.id, value });
        let value = non_negative("linear damping", value)?;
        let body = self.index();
        self.world.sim_mut(body).linear_damping = value;
        Ok(())
    }

    /// Sets the angular damping in 1/s.
    pub fn set_angular_damping(&mut self, value: f32) -> Result<(), DefError> {
        self.world.note(|| Call::SetAngularDamping { id: self.id, value });
        let value = non_negative("angular damping", value)?;
        let body = self.index();
        self.world.sim_mut(body).angular_damping = value;
        Ok(())
    }

    /// Sets the factor on gravity. Wakes the body.
    pub fn set_gravity_scale(&mut self, value: f32) -> Result<(), DefError> {
        self.world.note(|| Call::SetGravityScale { id: self.id, value });
        let value = finite("gravity scale", value)?;
        let body = self.index();
        self.world.wake(body);
        self.world.sim_mut(body).gravity_scale = value;
        Ok(())
    }

    /// Locks or frees motions. Locked velocities become zero.
    pub fn set_locked(&mut self, value: LockedAxes) {
        self.world.note(|| Call::SetLocked { id: self.id, value });
        let body = self.index();
        self.world.wake(body);
        self.world.bodies[body].locked = value;
        self.world.update_mass(body);
        let (velocity, spin) = (self.get().velocity(), self.get().angular_velocity());
        self.change_velocity(velocity, spin);
    }

    /// Sets the speed in m/s below which the body counts as at rest.
    pub fn set_sleep_speed(&mut self, value: f32) -> Result<(), DefError> {
        self.world.note(|| Call::SetSleepSpeed { id: self.id, value });
        let value = non_negative("sleep speed", value)?;
        let body = self.index();
        self.world.bodies[body].sleep_speed = value;
        Ok(())
    }

    /// Allows or forbids sleep. Forbidding wakes the body.
    pub fn set_can_sleep(&mut self, value: bool) {
        self.world.note(|| Call::SetCanSleep { id: self.id, value });
        let body = self.index();
        self.world.bodies[body].can_sleep = value;
        if !value {
            self.world.wake(body);
        }
    }

    /// Says whether the body must pass through no other body. See [`BodyDef::bullet`].
    pub fn set_bullet(&mut self, value: bool) {
        self.world.note(|| Call::SetBullet { id: self.id, value });
        let body = self.index();
        self.world.bodies[body].bullet = value;
    }

    /// Wakes the body with all it touches.
    pub fn wake(&mut self) {
        self.world.note(|| Call::Wake { id: self.id });
        let body = self.index();
        self.world.wake(body);
    }

    /// Puts the body to sleep at once, with everything in its island. Does nothing to fixed and
    /// disabled bodies.
    pub fn sleep(&mut self) {
        self.world.note(|| Call::Sleep { id: self.id });
        let body = self.index();
        if !self.world.is_awake(body) {
            return;
        }
        let bodies = self.world.island_bodies(body);
        self.world.put_to_sleep(&bodies);
    }

    /// Takes the body out of the simulation, or brings it back with the velocity it had.
    pub fn set_enabled(&mut self, value: bool) {
        self.world.note(|| Call::SetEnabled { id: self.id, value });
        let body = self.index();
        self.world.change_enabled(body, value);
    }

    /// Stores anything the user likes.
    pub fn set_user_data(&mut self, value: u64) {
        self.world.note(|| Call::SetBodyData { id: self.id, value });
        let body = self.index();
        self.world.bodies[body].user_data = value;
    }
}
