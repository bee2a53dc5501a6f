//! Reading and changing one joint: `world.joint(id)` and `world.joint_mut(id)`.

use crate::body::BodyId;
use crate::error::DefError;
use crate::joint::exact;
use crate::joint::pins::PinKind;
use crate::joint::{Joint, JointDef, JointId, JointKind, MAX_ROWS, Motor};
use crate::math::{Pose, Rot, Vec2, cross_sv};
use crate::record::Call;
use crate::world::{World, WorldState};

impl World {
    /// A joint to read.
    ///
    /// # Panics
    /// If the handle is stale. [`World::get_joint`] returns an `Option` instead.
    #[track_caller]
    pub fn joint(&self, id: JointId) -> JointRef<'_> {
        match self.get_joint(id) {
            Some(joint) => joint,
            None => panic!("{}", DefError::stale(id)),
        }
    }

    /// A joint to read, if the handle is valid.
    pub fn get_joint(&self, id: JointId) -> Option<JointRef<'_>> {
        self.state.get_joint(id)
    }

    /// A joint to change.
    ///
    /// # Panics
    /// If the handle is stale. [`World::get_joint_mut`] returns an `Option` instead.
    #[track_caller]
    pub fn joint_mut(&mut self, id: JointId) -> JointMut<'_> {
        if !self.state.joints.contains(id) {
            panic!("{}", DefError::stale(id));
        }
        JointMut { world: &mut self.state, id }
    }

    /// A joint to change, if the handle is valid.
    pub fn get_joint_mut(&mut self, id: JointId) -> Option<JointMut<'_>> {
        if self.state.joints.contains(id) { Some(JointMut { world: &mut self.state, id }) } else { None }
    }
}

impl WorldState {
    pub(crate) fn get_joint(&self, id: JointId) -> Option<JointRef<'_>> {
        self.joints.get(id).map(|record| JointRef { world: self, id, record })
    }
}

impl WorldState {
    /// The rotation of a joint's frame b as seen from its frame a.
    pub(crate) fn joint_rotation(&self, index: u32) -> Rot {
        let def = &self.joints[index].def;
        let q_a = self.sim(def.body_a.index()).rotation.compose(def.frame_a.q);
        let q_b = self.sim(def.body_b.index()).rotation.compose(def.frame_b.q);
        q_a.inv_mul(q_b)
    }
}

/// `angle` plus or minus whole turns, as near to `reference` as can be.
fn unwound(angle: f32, reference: f32) -> f32 {
    angle + TURN * ((reference - angle) / TURN).round()
}

/// A full turn in radians.
const TURN: f32 = 2.0 * std::f32::consts::PI;
/// More turns than this cannot be told apart in an angle of single precision.
const MAX_TURNS: i32 = 1_000_000;

/// A joint to read.
#[derive(Clone, Copy, Debug)]
pub struct JointRef<'w> {
    world: &'w WorldState,
    id: JointId,
    record: &'w Joint,
}

impl<'w> JointRef<'w> {
    /// The handle.
    pub fn id(&self) -> JointId {
        self.id
    }

    /// The definition, with all changes since.
    pub fn def(&self) -> &'w JointDef {
        &self.record.def
    }

    /// What the joint does.
    pub fn kind(&self) -> &'w JointKind {
        &self.record.def.kind
    }

    /// The first body.
    pub fn body_a(&self) -> BodyId {
        self.record.def.body_a
    }

    /// The second body.
    pub fn body_b(&self) -> BodyId {
        self.record.def.body_b
    }

    /// Is it switched on? See [`JointDef::enabled`].
    pub fn is_enabled(&self) -> bool {
        self.record.def.enabled
    }

    /// Anything the user likes.
    pub fn user_data(&self) -> u64 {
        self.record.def.user_data
    }

    /// Where the joint's frame on the first body is, in world coordinates.
    pub fn frame_a(&self) -> Pose {
        self.world.sim(self.body_a().index()).pose().compose(self.record.def.frame_a)
    }

    /// Where the joint's frame on the second body is, in world coordinates.
    pub fn frame_b(&self) -> Pose {
        self.world.sim(self.body_b().index()).pose().compose(self.record.def.frame_b)
    }

    /// Angle of frame b against frame a in radians, counted on beyond half a turn.
    pub fn angle(&self) -> f32 {
        unwound(self.world.joint_rotation(self.id.index()).angle(), self.record.angle)
    }

    /// How many whole turns [`JointRef::angle`] counts beyond the angle between the frames, which is at most
    /// half a turn either way.
    pub fn turns(&self) -> i32 {
        let within = self.world.joint_rotation(self.id.index()).angle();
        ((self.angle() - within) / TURN).round() as i32
    }

    /// Place of frame b in frame a, in metres. Its x is how far a slide or a suspension is out.
    pub fn offset(&self) -> Vec2 {
        self.frame_a().inv_point(self.frame_b().p)
    }

    /// Distance between the two frames in metres.
    pub fn length(&self) -> f32 {
        self.offset().length()
    }

    /// Angular velocity of b against a in rad/s.
    pub fn angular_speed(&self) -> f32 {
        let world = self.world;
        let spin = |id: BodyId| world.get_body(id).expect("bodies outlive their joints").angular_velocity();
        spin(self.body_b()) - spin(self.body_a())
    }

    /// Velocity of frame b in frame a, in m/s along the axes of frame a.
    pub fn velocity(&self) -> Vec2 {
        let world = self.world;
        let [a, b] = [self.body_a(), self.body_b()].map(|id| world.get_body(id).expect("bodies outlive their joints"));
        let (frame_a, frame_b) = (self.frame_a(), self.frame_b());
        let carried = a.velocity() + cross_sv(a.angular_velocity(), frame_b.p - a.center());
        frame_a.q.inv_rotate(b.velocity_at(frame_b.p) - carried)
    }

    /// Force in N that the joint put on the second body, at its frame, over the last step. The first body
    /// got the opposite, but for pulleys and gears.
    pub fn force(&self) -> Vec2 {
        self.record.force
    }

    /// Torque in N m that the joint put on the second body about its frame, over the last step.
    pub fn torque(&self) -> f32 {
        self.record.torque
    }
}

/// A joint to change. Every change wakes the bodies.
#[derive(Debug)]
pub struct JointMut<'w> {
    world: &'w mut WorldState,
    id: JointId,
}

impl JointMut<'_> {
    /// The joint to read.
    pub fn get(&self) -> JointRef<'_> {
        self.world.get_joint(self.id).expect("the joint that is being changed exists")
    }

    /// Changes what the joint does: limits, motors, springs, targets, or its kind altogether. Gears stay
    /// gears, and joints that gears depend on keep their kind.
    pub fn set_kind(&mut self, kind: JointKind) -> Result<(), DefError> {
        self.world.note(|| Call::SetJointKind { id: self.id, kind });
        let index = self.id.index();
        let before = self.world.joints[index].def;
        let def = JointDef { kind, ..before };
        def.validate()?;
        let same = std::mem::discriminant(&kind) == std::mem::discriminant(&before.kind);
        let gear = |kind: &JointKind| matches!(kind, JointKind::Gear(_));
        let depended_on = self.world.gears.iter().any(|&gear| self.world.gear_needs(gear, self.id));
        if !same && (gear(&kind) || gear(&before.kind) || depended_on) {
            return Err(DefError::field("JointKind", kind.name(), "the same kind: a gear has to do with this joint"));
        }
        if let (JointKind::Gear(now), JointKind::Gear(then)) = (&kind, &before.kind) {
            self.world.check_gear(&def)?;
            if now != then {
                self.world.joints[index].gear_start = None;
            }
        }
        if !same {
            self.world.joints[index].impulses = [0.0; MAX_ROWS];
        }
        // A filter has no place in islands and colours.
        let filter = |kind: &JointKind| matches!(kind, JointKind::Filter);
        let held = filter(&kind) != filter(&before.kind);
        if held {
            self.wake();
            self.world.unlink_joint(index);
        }
        self.world.joints[index].def = def;
        if held {
            [def.body_a, def.body_b].into_iter().for_each(|body| self.world.note_joints(body.index()));
            self.world.link_joint(index);
        }
        self.world.joint_kind_changes += u64::from(PinKind::of_kind(&kind) != PinKind::of_kind(&before.kind));
        self.world.joint_kind_changes += u64::from(exact::sort_of(&kind) != exact::sort_of(&before.kind));
        self.wake();
        Ok(())
    }

    /// Changes the speed of the joint's motor; an error where it has none.
    pub fn set_motor_speed(&mut self, speed: f32) -> Result<(), DefError> {
        self.change_motor(|motor| motor.speed = speed)
    }

    /// Changes the strength of the joint's motor; an error where it has none.
    pub fn set_motor_max_force(&mut self, max_force: f32) -> Result<(), DefError> {
        self.change_motor(|motor| motor.max_force = max_force)
    }

    fn change_motor(&mut self, change: impl FnOnce(&mut Motor)) -> Result<(), DefError> {
        let mut kind = self.world.joints[self.id.index()].def.kind;
        let motor = match &mut kind {
            JointKind::Distance(joint) => joint.motor.as_mut(),
            JointKind::Revolute(joint) => joint.motor.as_mut(),
            JointKind::Prismatic(joint) => joint.motor.as_mut(),
            JointKind::Wheel(joint) => joint.motor.as_mut(),
            _ => None,
        };
        let Some(motor) = motor else {
            return Err(DefError::field("motor", kind.name(), "a joint that was given a motor"));
        };
        change(motor);
        self.set_kind(kind)
    }

    /// Moves the place that a mouse joint pulls to; an error for other joints.
    pub fn set_target(&mut self, target: Vec2) -> Result<(), DefError> {
        match self.world.joints[self.id.index()].def.kind {
            JointKind::Mouse(mouse) => self.set_kind(JointKind::Mouse(crate::joint::Mouse { target, ..mouse })),
            kind => Err(DefError::field("target", kind.name(), "a mouse joint")),
        }
    }

    /// Changes stiffness and damping ratio of what is rigid.
    pub fn set_stiffness(&mut self, hertz: f32, damping_ratio: f32) -> Result<(), DefError> {
        self.world.note(|| Call::SetStiffness { id: self.id, hertz, ratio: damping_ratio });
        self.world.joint_kind_changes += 1;
        self.change(|def| (def.hertz, def.damping_ratio) = (hertz, damping_ratio))
    }

    /// Changes the force and torque at which the joint breaks.
    pub fn set_break(&mut self, force: f32, torque: f32) -> Result<(), DefError> {
        self.world.note(|| Call::SetBreak { id: self.id, force, torque });
        self.change(|def| (def.break_force, def.break_torque) = (force, torque))
    }

    /// Changes where the joint sits on its bodies.
    pub fn set_frames(&mut self, frame_a: Pose, frame_b: Pose) -> Result<(), DefError> {
        self.world.note(|| Call::SetFrames { id: self.id, frame_a, frame_b });
        self.world.joint_kind_changes += 1;
        self.change(|def| (def.frame_a, def.frame_b) = (frame_a, frame_b))?;
        let index = self.id.index();
        self.world.joints[index].angle = self.world.joint_rotation(index).angle();
        self.mesh_again();
        Ok(())
    }

    /// Changes how many whole turns [`JointRef::angle`] counts, up to a million either way, without moving
    /// anything: for a joint that is to go on where another left off.
    pub fn set_turns(&mut self, turns: i32) -> Result<(), DefError> {
        self.world.note(|| Call::SetTurns { id: self.id, turns });
        if !(-MAX_TURNS..=MAX_TURNS).contains(&turns) {
            return Err(DefError::field("turns", turns, "a whole number from -1000000 to 1000000"));
        }
        let index = self.id.index();
        self.world.joints[index].angle = self.world.joint_rotation(index).angle() + TURN * turns as f32;
        self.mesh_again();
        self.wake();
        Ok(())
    }

    /// Changes whether the two bodies may collide.
    pub fn set_collide_connected(&mut self, collide: bool) {
        self.world.note(|| Call::SetCollideConnected { id: self.id, collide });
        let def = &mut self.world.joints[self.id.index()].def;
        if std::mem::replace(&mut def.collide_connected, collide) == collide {
            return;
        }
        let bodies = [def.body_a.index(), def.body_b.index()];
        self.wake();
        if !self.world.joints[self.id.index()].def.enabled {
            // It keeps no bodies apart.
        } else if collide {
            self.world.let_meet(bodies);
        } else {
            self.world.destroy_contacts_between(bodies[0], bodies[1]);
        }
    }

    /// Switches the joint on or off: see [`JointDef::enabled`]. One that is switched on takes up where its bodies are now;
    /// its angle is then within half a turn, and gears that depend on it mesh anew.
    ///
    /// ```
    /// use carom2d::prelude::*;
    /// let mut world = World::new(WorldDef::default());
    /// let wall = world.add_body(BodyDef::fixed())?;
    /// let bob = world.add_body(BodyDef { position: vec2(1.0, 0.0), ..BodyDef::dynamic() })?;
    /// world.add_shape(bob, ShapeDef::circle(0.1))?;
    /// let pin = world.add_joint(JointDef::revolute(wall, bob).at(&world, Vec2::ZERO)?)?;
    /// world.joint_mut(pin).set_enabled(false);
    /// world.step(1.0 / 60.0);
    /// assert_eq!(world.body(bob).velocity().x, 0.0); // it falls straight down
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn set_enabled(&mut self, enabled: bool) {
        self.world.note(|| Call::SetJointEnabled { id: self.id, enabled });
        let index = self.id.index();
        let def = self.world.joints[index].def;
        if def.enabled == enabled {
            return;
        }
        let bodies = [def.body_a.index(), def.body_b.index()];
        // While it still holds them together: they sleep as one.
        self.wake();
        self.world.joint_kind_changes += 1;
        let joint = &mut self.world.joints[index];
        joint.def.enabled = enabled;
        joint.impulses = [0.0; MAX_ROWS];
        bodies.into_iter().for_each(|body| self.world.note_joints(body));
        if enabled {
            self.world.joints[index].angle = self.world.joint_rotation(index).angle();
            self.mesh_again();
            self.world.link_joint(index);
            if !def.collide_connected {
                self.world.destroy_contacts_between(bodies[0], bodies[1]);
            }
        } else {
            let joint = &mut self.world.joints[index];
            joint.keep(Vec2::ZERO, 0.0, joint.angle);
            self.world.unlink_joint(index);
            if !def.collide_connected {
                self.world.let_meet(bodies);
            }
        }
    }

    /// Attaches anything the user likes.
    pub fn set_user_data(&mut self, value: u64) {
        self.world.note(|| Call::SetJointData { id: self.id, value });
        self.world.joints[self.id.index()].def.user_data = value;
    }

    fn change(&mut self, change: impl FnOnce(&mut JointDef)) -> Result<(), DefError> {
        let mut def = self.world.joints[self.id.index()].def;
        change(&mut def);
        def.validate()?;
        self.world.joints[self.id.index()].def = def;
        self.wake();
        Ok(())
    }

    /// Restarts gears from where the joint is now: the jump was no motion.
    fn mesh_again(&mut self) {
        for slot in 0..self.world.gears.len() {
            let gear = self.world.gears[slot];
            if self.world.gear_needs(gear, self.id) {
                self.world.joints[gear].gear_start = None;
            }
        }
    }

    fn wake(&mut self) {
        let def = self.world.joints[self.id.index()].def;
        self.world.wake(def.body_a.index());
        self.world.wake(def.body_b.index());
    }
}
