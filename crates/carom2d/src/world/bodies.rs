//! Adding and removing bodies, and changing what they are between steps.

use super::{World, WorldState};
use crate::body::{Body, BodyDef, BodyId, BodyKind, BodySim, BodyState, NONE};
use crate::contact::contact_of;
use crate::error::DefError;
use crate::math::{Pose, Rot, Vec2};
use crate::record::Call;
use crate::sets::DISABLED;

/// A body that may have moved: see [`World::moved_bodies`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MovedBody {
    /// The body.
    pub body: BodyId,
    /// Where its origin is now.
    pub pose: Pose,
    /// Did it fall asleep? It is not named again until it wakes.
    pub fell_asleep: bool,
}

impl World {
    /// Adds a body. It has no shape yet; give it some with [`World::add_shape`].
    pub fn add_body(&mut self, def: BodyDef) -> Result<BodyId, DefError> {
        self.note(|| Call::AddBody { def });
        def.validate()?;
        let infinite = def.mass.is_some_and(f32::is_infinite);
        let kind = if def.kind == BodyKind::Dynamic && infinite { BodyKind::Fixed } else { def.kind };
        let id = self.state.bodies.insert(Body {
            kind,
            set: NONE,
            index: NONE,
            shapes: Vec::new(),
            contact_head: NONE,
            contact_count: 0,
            joints: Vec::new(),
            mass: 0.0,
            inertia: 0.0,
            mass_by_hand: def.mass.filter(|m| m.is_finite()),
            inertia_by_hand: def.inertia,
            locked: def.locked,
            sleep_speed: def.sleep_speed,
            can_sleep: def.can_sleep,
            bullet: def.bullet,
            frozen: false,
            jointed: false,
            parked_velocity: (Vec2::ZERO, 0.0),
            user_data: def.user_data,
        });
        let body = id.index();
        let rotation = Rot::from_angle(def.angle);
        let sim = BodySim {
            body,
            center: def.position,
            rotation,
            center_before: def.position,
            rotation_before: rotation,
            local_center: Vec2::ZERO,
            inv_mass: Vec2::ZERO,
            inv_inertia: 0.0,
            force: Vec2::ZERO,
            torque: 0.0,
            linear_damping: def.linear_damping,
            angular_damping: def.angular_damping,
            gravity_scale: def.gravity_scale,
            extent: 0.0,
            thickness: f32::INFINITY,
            sleep_time_s: 0.0,
            room: 0.0,
        };
        let mut state = BodyState::REST;
        if kind != BodyKind::Fixed {
            state.velocity = def.velocity;
            state.angular_velocity = def.angular_velocity;
        }
        if kind == BodyKind::Dynamic {
            (state.velocity, state.angular_velocity) = def.locked.apply(state.velocity, state.angular_velocity);
        }
        if kind == BodyKind::Dynamic {
            self.state.islands.add_node(body);
        }
        if def.enabled {
            self.state.put_in_set(body, WorldState::home_set(kind), sim, state);
            self.state.update_mass(body);
            if !def.awake && kind == BodyKind::Dynamic {
                self.state.put_to_sleep(&[body]);
                self.state.log.body_slept.pop();
            }
        } else {
            self.state.bodies[body].parked_velocity = (state.velocity, state.angular_velocity);
            self.state.put_in_set(body, DISABLED, sim, state);
            self.state.update_mass(body);
        }
        Ok(id)
    }

    /// Removes a body with its shapes, contacts and joints. What rested on it wakes.
    pub fn remove_body(&mut self, id: BodyId) -> Result<(), DefError> {
        self.note(|| Call::RemoveBody { id });
        self.state.check_body(id)?;
        let body = id.index();
        for joint in self.state.bodies[body].joints.clone() {
            self.state.destroy_joint(joint);
        }
        for shape in self.state.bodies[body].shapes.clone() {
            // Parts go with their owner.
            if self.state.shapes.get_at(shape).is_some_and(|record| record.owner == NONE) {
                self.state.detach(shape);
            }
        }
        self.state.destroy_contacts(body);
        if self.state.bodies[body].kind == BodyKind::Dynamic {
            self.state.islands.remove_node(body);
        }
        self.state.take_from_set(body);
        self.state.bodies.remove(id);
        Ok(())
    }

    /// True when the handle names a body of this world.
    pub fn contains_body(&self, id: BodyId) -> bool {
        self.state.bodies.contains(id)
    }

    /// Handles of all bodies, in the order of their indices.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.state.bodies.ids()
    }

    /// How many bodies there are.
    pub fn body_count(&self) -> usize {
        self.state.bodies.len()
    }

    /// How many bodies are awake: dynamic or kinematic, and neither asleep nor disabled.
    pub fn awake_body_count(&self) -> usize {
        self.state.sets.awake().sims.len()
    }

    /// Handles of the bodies that are awake, in the order in which the engine keeps them: that of their waking, except that
    /// the last one takes the place of one that leaves. It is the same in every run.
    pub fn awake_bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.state.sets.awake().sims.iter().filter_map(|sim| self.state.bodies.id_at(sim.body))
    }

    /// The bodies that may have moved since the step before the last one, or since the last call of [`World::advance`], each
    /// once: those that are awake, as [`World::awake_bodies`] has them, and then those that fell asleep, in the order of
    /// their indices. What is not named is where it was, unless the caller moved it.
    ///
    /// ```
    /// use carom2d::prelude::*;
    /// let mut world = World::new(WorldDef::default());
    /// let ball = world.add_body(BodyDef { user_data: 7, ..BodyDef::dynamic() })?;
    /// world.add_shape(ball, ShapeDef::circle(0.5))?;
    /// world.step(1.0 / 60.0);
    /// for moved in world.moved_bodies() {
    ///     println!("entity {} is at {}", world.body(moved.body).user_data(), moved.pose.p);
    /// }
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn moved_bodies(&self) -> impl Iterator<Item = MovedBody> + '_ {
        let moved = |body, fell_asleep| Some(MovedBody { body, pose: self.get_body(body)?.pose(), fell_asleep });
        let sleeps = |&body: &BodyId| self.get_body(body).is_some_and(|body| body.is_sleeping());
        let mut slept: Vec<BodyId> = self.events.body_slept.iter().copied().filter(sleeps).collect();
        // In a frame of several steps a body may fall asleep twice.
        slept.sort_unstable_by_key(|body| body.index());
        slept.dedup();
        self.awake_bodies()
            .filter_map(move |body| moved(body, false))
            .chain(slept.into_iter().filter_map(move |body| moved(body, true)))
    }
}

impl WorldState {
    pub(crate) fn check_body(&self, id: BodyId) -> Result<(), DefError> {
        if self.bodies.contains(id) { Ok(()) } else { Err(DefError::stale(id)) }
    }

    pub(crate) fn destroy_contacts(&mut self, body: u32) {
        while self.bodies[body].contact_head != NONE {
            self.destroy_contact(contact_of(self.bodies[body].contact_head), true);
        }
    }

    /// Changes what moves a body, between steps.
    pub(crate) fn change_kind(&mut self, body: u32, kind: BodyKind) {
        let before = self.bodies[body].kind;
        if before == kind {
            return;
        }
        self.wake(body);
        self.destroy_contacts(body);
        self.unlink_joints(body);
        if before == BodyKind::Dynamic {
            self.islands.remove_node(body);
        }
        let enabled = self.bodies[body].set != DISABLED;
        self.bodies[body].kind = kind;
        if kind == BodyKind::Dynamic {
            self.islands.add_node(body);
        }
        let (mut sim, mut state) = self.take_from_set(body);
        sim.sleep_time_s = 0.0;
        sim.force = Vec2::ZERO;
        sim.torque = 0.0;
        match kind {
            BodyKind::Fixed => {
                state = BodyState::REST;
                self.bodies[body].parked_velocity = (Vec2::ZERO, 0.0);
            }
            BodyKind::Dynamic => {
                let locked = self.bodies[body].locked;
                (state.velocity, state.angular_velocity) = locked.apply(state.velocity, state.angular_velocity);
            }
            BodyKind::Kinematic => {}
        }
        self.put_in_set(body, if enabled { WorldState::home_set(kind) } else { DISABLED }, sim, state);
        self.update_mass(body);
        self.renew_proxies(body);
        self.relink_joints(body);
    }

    /// Takes a body out of the simulation, or brings it back.
    pub(crate) fn change_enabled(&mut self, body: u32, enabled: bool) {
        let disabled = self.bodies[body].set == DISABLED;
        if enabled != disabled {
            return;
        }
        if enabled {
            let (velocity, angular_velocity) = self.bodies[body].parked_velocity;
            let kind = self.bodies[body].kind;
            self.bodies[body].frozen = false;
            let (sim, mut state) = self.take_from_set(body);
            state.velocity = velocity;
            state.angular_velocity = angular_velocity;
            self.put_in_set(body, WorldState::home_set(kind), sim, state);
        } else {
            self.wake(body);
            self.destroy_contacts(body);
            self.unlink_joints(body);
            let (mut sim, state) = self.take_from_set(body);
            sim.force = Vec2::ZERO;
            sim.torque = 0.0;
            self.bodies[body].parked_velocity = (state.velocity, state.angular_velocity);
            self.put_in_set(body, DISABLED, sim, state);
        }
        self.renew_proxies(body);
        self.relink_joints(body);
    }

    /// Rebuilds the broad phase entries of a body, after its kind, place or presence changed.
    fn renew_proxies(&mut self, body: u32) {
        let sim = self.sim_mut(body);
        sim.room = 0.0;
        let pose = sim.pose();
        let record = &self.bodies[body];
        let (kind, present) = (record.kind, record.set != DISABLED);
        for shape in record.shapes.clone() {
            let record = &mut self.shapes[shape];
            if record.proxy != NONE {
                self.broad.remove(record.proxy);
                record.proxy = NONE;
            }
            if present && record.parts.is_empty() {
                record.fat_aabb = record.fattened(pose);
                record.proxy = self.broad.insert(shape, &record.fat_aabb, record.broad_filter(), kind);
                if !record.moved {
                    record.moved = true;
                    self.moved.push(shape);
                }
                self.note_fat_box(shape);
            }
        }
    }

    /// Puts a body at a pose, between steps, and wakes what it touched.
    pub(crate) fn teleport(&mut self, body: u32, pose: Pose) {
        self.wake(body);
        self.wake_touching(body);
        self.wake_joined(body);
        let sim = self.sim_mut(body);
        sim.rotation = pose.q;
        sim.center = pose.point(sim.local_center);
        sim.forget_before();
        for shape in self.bodies[body].shapes.clone() {
            self.refresh_proxy(shape, pose, true);
        }
        if !self.is_awake(body) {
            self.wake_near(body);
        }
    }

    /// Wakes every body that has a contact with this one, touching or not.
    pub(crate) fn wake_near(&mut self, body: u32) {
        let mut key = self.bodies[body].contact_head;
        while key != NONE {
            let contact = &self.contacts[contact_of(key)];
            key = contact.edges[crate::contact::side_of(key)].next;
            let other = contact.other_body(body);
            self.wake(other);
        }
    }
}
