//! Reading and changing one body: `world.body(id)` and `world.body_mut(id)`.

use crate::body::{Activity, BodyId, BodyKind, BodyState, Mover, NONE, orientation};
use crate::error::{DefError, finite, finite3, non_negative, point, positive, velocity};
use crate::material::Material;
use crate::math::{DVec3, Quat};
use crate::shape::Shape;
use crate::spring::SpringId;
use crate::world::World;

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
        self.bodies.contains(id).then_some(BodyRef { world: self, id })
    }

    /// A body to change.
    ///
    /// # Panics
    /// If the handle is stale. [`World::get_body_mut`] returns an `Option` instead.
    #[track_caller]
    pub fn body_mut(&mut self, id: BodyId) -> BodyMut<'_> {
        if !self.bodies.contains(id) {
            panic!("{}", DefError::stale(id));
        }
        BodyMut { world: self, id }
    }

    /// A body to change, if the handle is valid.
    pub fn get_body_mut(&mut self, id: BodyId) -> Option<BodyMut<'_>> {
        if self.bodies.contains(id) { Some(BodyMut { world: self, id }) } else { None }
    }
}

/// A body to read.
#[derive(Clone, Copy, Debug)]
pub struct BodyRef<'w> {
    world: &'w World,
    id: BodyId,
}

impl<'w> BodyRef<'w> {
    fn mover(&self) -> Option<&'w Mover> {
        self.world.movers.get_at(self.world.bodies[self.id.index()].mover)
    }

    /// The handle.
    pub fn id(&self) -> BodyId {
        self.id
    }

    /// What it looks like. A plane's normal has unit length; a triangle's corners are relative to the position.
    pub fn shape(&self) -> Shape {
        self.world.bodies[self.id.index()].shape
    }

    /// What moves it.
    pub fn kind(&self) -> BodyKind {
        match self.mover() {
            None => BodyKind::Fixed,
            Some(mover) if mover.mass.is_infinite() => BodyKind::Kinematic,
            Some(_) => BodyKind::Dynamic,
        }
    }

    /// Position, orientation and velocities.
    pub fn state(&self) -> BodyState {
        let body = &self.world.bodies[self.id.index()];
        let fixed = || BodyState { position: body.position, orientation: body.orientation, ..BodyState::default() };
        self.mover().map_or_else(fixed, |mover| mover.state)
    }

    /// Position in metres.
    pub fn position(&self) -> DVec3 {
        self.state().position
    }

    /// Orientation, of unit length.
    pub fn orientation(&self) -> Quat {
        self.state().orientation
    }

    /// Position and orientation between the last two steps, for drawing: where [`World::advance`] left off.
    pub fn interpolated_pose(&self) -> (DVec3, Quat) {
        match self.world.bodies[self.id.index()].mover {
            NONE => (self.position(), self.orientation()),
            mover => self.world.interpolated(mover),
        }
    }

    /// Velocity of the centre in m/s. Zero while asleep.
    pub fn velocity(&self) -> DVec3 {
        self.state().velocity
    }

    /// Angular velocity in rad/s, about the axes of the world.
    pub fn angular_velocity(&self) -> DVec3 {
        self.state().angular_velocity
    }

    /// Velocity in m/s of the material point at a world position.
    pub fn velocity_at(&self, point: DVec3) -> DVec3 {
        let state = self.state();
        state.velocity_at(point - state.position)
    }

    /// Radius in metres; none unless it is a sphere.
    pub fn radius(&self) -> Option<f64> {
        match self.shape() {
            Shape::Sphere { radius } => Some(radius),
            _ => None,
        }
    }

    /// Mass in kg; infinity unless the body is dynamic.
    pub fn mass(&self) -> f64 {
        self.mover().map_or(f64::INFINITY, |mover| mover.mass)
    }

    /// Moments of inertia about the body's own axes through the centre, in kg m^2; infinity unless the body is dynamic.
    pub fn inertia(&self) -> DVec3 {
        self.mover().map_or(DVec3::splat(f64::INFINITY), |mover| mover.inertia.moments())
    }

    /// Angular momentum about the centre in kg m^2/s; zero unless the body is dynamic.
    pub fn spin(&self) -> DVec3 {
        match self.mover() {
            Some(mover) if self.kind() == BodyKind::Dynamic && !self.is_frozen() => {
                mover.inertia.momentum(mover.state.orientation, mover.state.angular_velocity)
            }
            _ => DVec3::ZERO,
        }
    }

    /// Kinetic energy in J, of translation and rotation; zero unless the body is dynamic.
    pub fn kinetic_energy(&self) -> f64 {
        if self.kind() != BodyKind::Dynamic {
            return 0.0;
        }
        let state = self.state();
        0.5 * (self.mass() * state.velocity.length_squared() + self.spin().dot(state.angular_velocity))
    }

    /// A point in body coordinates, in world coordinates.
    pub fn world_point(&self, local: DVec3) -> DVec3 {
        let state = self.state();
        state.position + state.orientation.rotate(local)
    }

    /// A world point in body coordinates.
    pub fn local_point(&self, world: DVec3) -> DVec3 {
        let state = self.state();
        state.orientation.inv_rotate(world - state.position)
    }

    /// The surface.
    pub fn material(&self) -> Material {
        self.world.bodies[self.id.index()].material
    }

    /// The force that bodies it rests on exert on it, in N, as of the last step.
    pub fn contact_force(&self) -> DVec3 {
        self.mover().map_or(DVec3::ZERO, |mover| mover.contact_force)
    }

    /// Is the body in motion, or could it be at once? False for fixed, sleeping and frozen bodies.
    pub fn is_awake(&self) -> bool {
        self.mover().is_some_and(Mover::is_awake)
    }

    /// Is the body asleep?
    pub fn is_sleeping(&self) -> bool {
        self.mover().is_some_and(|mover| matches!(mover.activity, Activity::Asleep { .. }))
    }

    /// Was the body put aside because its numbers went out of range? Giving it a position brings it back.
    pub fn is_frozen(&self) -> bool {
        self.mover().is_some_and(|mover| mover.activity == Activity::Frozen)
    }

    /// The springs attached to it, in order of attachment.
    pub fn springs(&self) -> impl Iterator<Item = SpringId> + use<'w> {
        let world = self.world;
        world.bodies[self.id.index()].springs.iter().filter_map(move |&spring| world.springs.id_at(spring))
    }

    /// What the user stored.
    pub fn user_data(&self) -> u64 {
        self.world.bodies[self.id.index()].user_data
    }
}

/// A body to change. Every setter checks its value first and changes nothing on an error.
#[derive(Debug)]
pub struct BodyMut<'w> {
    world: &'w mut World,
    id: BodyId,
}

impl BodyMut<'_> {
    /// The same body to read.
    pub fn get(&self) -> BodyRef<'_> {
        BodyRef { world: self.world, id: self.id }
    }

    /// Wakes the body and calls `work` with its moving part, if it has one.
    fn change(&mut self, work: impl FnOnce(&mut Mover)) {
        let mover = self.world.bodies[self.id.index()].mover;
        if mover != NONE {
            self.world.wake(mover);
            work(&mut self.world.movers[mover]);
        }
    }

    /// Puts the body at a position, in metres. What touched it wakes.
    pub fn set_position(&mut self, value: DVec3) -> Result<(), DefError> {
        point("position", value)?;
        self.world.teleport(self.id.index(), value);
        Ok(())
    }

    /// Turns the body to an orientation. Planes and triangles have none.
    pub fn set_orientation(&mut self, value: Quat) -> Result<(), DefError> {
        let value = orientation("orientation", value)?;
        let body = &mut self.world.bodies[self.id.index()];
        if body.shape.is_solid() {
            body.orientation = value;
            self.world.clusters_are_stale = true;
            self.change(|mover| mover.state.orientation = value);
            if !matches!(self.get().shape(), Shape::Sphere { .. }) {
                // It touches others now, and comes to others.
                let position = self.get().position();
                self.world.teleport(self.id.index(), position);
            }
        }
        Ok(())
    }

    /// Sets the velocity in m/s. Fixed bodies stay where they are.
    pub fn set_velocity(&mut self, value: DVec3) -> Result<(), DefError> {
        velocity("velocity", value)?;
        self.change(|mover| mover.state.velocity = value);
        Ok(())
    }

    /// Sets the angular velocity in rad/s, about the axes of the world.
    pub fn set_angular_velocity(&mut self, value: DVec3) -> Result<(), DefError> {
        velocity("angular velocity", value)?;
        self.change(|mover| mover.state.angular_velocity = value);
        Ok(())
    }

    /// Adds a force in N through the centre for the next step, or the next frame of [`World::advance`]. Wakes the body.
    pub fn apply_force(&mut self, force: DVec3) -> Result<(), DefError> {
        finite3("force", force)?;
        self.change(|mover| mover.force += force);
        Ok(())
    }

    /// Adds a force in N at a world point for the next step: all of it accelerates the centre, and its torque turns
    /// the body. Wakes the body.
    pub fn apply_force_at(&mut self, force: DVec3, point: DVec3) -> Result<(), DefError> {
        finite3("force", force)?;
        finite3("point", point)?;
        self.change(|mover| {
            mover.force += force;
            mover.torque += (point - mover.state.position).cross(force);
        });
        Ok(())
    }

    /// Adds a torque in N m for the next step. Wakes the body.
    pub fn apply_torque(&mut self, torque: DVec3) -> Result<(), DefError> {
        finite3("torque", torque)?;
        self.change(|mover| mover.torque += torque);
        Ok(())
    }

    /// Changes the velocity at once by an impulse in N s through the centre. Wakes the body.
    pub fn apply_impulse(&mut self, impulse: DVec3) -> Result<(), DefError> {
        let position = self.get().position();
        self.apply_impulse_at(impulse, position)
    }

    /// Changes the velocities at once by an impulse in N s at a world point. Wakes the body.
    pub fn apply_impulse_at(&mut self, impulse: DVec3, point: DVec3) -> Result<(), DefError> {
        finite3("impulse", impulse)?;
        finite3("point", point)?;
        if let Some(mover) = self.get().mover() {
            let mut struck = mover.clone();
            struck.strike(impulse, (point - mover.state.position).cross(impulse));
            let BodyState { velocity: v, angular_velocity: w, .. } = struck.state;
            velocity("impulse", v)?;
            velocity("impulse", w)?;
            self.change(|mover| mover.state = struck.state);
        }
        Ok(())
    }

    /// Sets the mass in kg. Does nothing unless the body is dynamic.
    pub fn set_mass(&mut self, value: f64) -> Result<(), DefError> {
        positive("mass", value)?;
        if self.get().kind() == BodyKind::Dynamic && !self.get().is_frozen() {
            let shape = self.get().shape();
            self.change(|mover| mover.set_mass(&shape, value));
        }
        Ok(())
    }

    /// Sets the surface.
    pub fn set_material(&mut self, value: Material) -> Result<(), DefError> {
        value.validate()?;
        let body = self.id.index();
        self.world.bodies[body].material = value;
        let touches = |contact: &crate::contact::Contact| contact.body_a == body || contact.body_b == body;
        let contacts: Vec<u32> =
            self.world.contacts.iter().filter(|(_, c)| touches(c)).map(|(id, _)| id.index()).collect();
        for contact in contacts {
            self.world.mix_materials(contact);
            self.world.wake(self.world.contacts[contact].mover_a);
        }
        Ok(())
    }

    /// Sets the drag in 1/s.
    pub fn set_linear_damping(&mut self, value: f64) -> Result<(), DefError> {
        non_negative("linear damping", value)?;
        self.change(|mover| mover.linear_damping = value);
        Ok(())
    }

    /// Sets the drag on turning in 1/s.
    pub fn set_angular_damping(&mut self, value: f64) -> Result<(), DefError> {
        non_negative("angular damping", value)?;
        self.change(|mover| mover.angular_damping = value);
        Ok(())
    }

    /// Sets the factor on gravity.
    pub fn set_gravity_scale(&mut self, value: f64) -> Result<(), DefError> {
        finite("gravity scale", value)?;
        self.change(|mover| mover.gravity_scale = value);
        Ok(())
    }

    /// Allows or forbids sleep. Forbidding wakes the body.
    pub fn set_can_sleep(&mut self, value: bool) {
        self.change(|mover| mover.can_sleep = value);
    }

    /// Wakes the body with all it rests on.
    pub fn wake(&mut self) {
        self.change(|_| {});
    }

    /// Stores anything the user likes.
    pub fn set_user_data(&mut self, value: u64) {
        self.world.bodies[self.id.index()].user_data = value;
    }
}
