//! Adding and removing joints, and keeping them where they belong: on the lists of their bodies, in the
//! islands, and, while something can move, among the coloured constraints.

use super::{Joint, JointDef, JointId, JointKind, MAX_ROWS};
use crate::body::{BodyKind, NONE};
use crate::error::DefError;
use crate::math::Vec2;
use crate::record::Call;
use crate::sets::DISABLED;
use crate::world::{World, WorldState};

impl World {
    /// Adds a joint between two bodies, and wakes them. They stop colliding unless
    /// [`JointDef::collide_connected`] says otherwise.
    pub fn add_joint(&mut self, def: JointDef) -> Result<JointId, DefError> {
        self.note(|| Call::AddJoint { def });
        def.validate()?;
        self.state.check_body(def.body_a)?;
        self.state.check_body(def.body_b)?;
        if def.body_a == def.body_b {
            return Err(DefError::field("JointDef.body_b", def.body_b, "another body than JointDef.body_a"));
        }
        self.state.check_gear(&def)?;
        let (a, b) = (def.body_a.index(), def.body_b.index());
        let id = self.state.joints.insert(Joint {
            def,
            impulses: [0.0; MAX_ROWS],
            force: Vec2::ZERO,
            torque: 0.0,
            angle: 0.0,
            gear_start: None,
            slot: None,
            island_edge: NONE,
        });
        let index = id.index();
        self.state.joints[index].angle = self.state.joint_rotation(index).angle();
        for body in [a, b] {
            self.state.bodies[body].joints.push(index);
            self.state.note_joints(body);
        }
        if matches!(def.kind, JointKind::Gear(_)) {
            self.state.gears.push(index);
            self.state.gears.sort_unstable();
            self.state.joint_kind_changes += 1;
        }
        self.state.wake(a);
        self.state.wake(b);
        self.state.link_joint(index);
        if def.enabled && !def.collide_connected {
            self.state.destroy_contacts_between(a, b);
        }
        Ok(id)
    }

    /// Removes a joint, and the gears that depend on it. Its bodies wake.
    pub fn remove_joint(&mut self, id: JointId) -> Result<(), DefError> {
        self.note(|| Call::RemoveJoint { id });
        self.state.check_joint(id)?;
        self.state.destroy_joint(id.index());
        Ok(())
    }

    /// True when the handle names a joint of this world.
    pub fn contains_joint(&self, id: JointId) -> bool {
        self.state.joints.contains(id)
    }

    /// Handles of all joints, in the order of their indices.
    pub fn joints(&self) -> impl Iterator<Item = JointId> + '_ {
        self.state.joints.ids()
    }

    /// How many joints there are.
    pub fn joint_count(&self) -> usize {
        self.state.joints.len()
    }
}

impl WorldState {
    pub(crate) fn check_joint(&self, id: JointId) -> Result<(), DefError> {
        if self.joints.contains(id) { Ok(()) } else { Err(DefError::stale(id)) }
    }

    /// Checks that a gear ties two joints that have something to tie.
    pub(crate) fn check_gear(&self, def: &JointDef) -> Result<(), DefError> {
        let JointKind::Gear(gear) = def.kind else { return Ok(()) };
        for (field, id, body) in
            [("Gear.joint_a", gear.joint_a, def.body_a), ("Gear.joint_b", gear.joint_b, def.body_b)]
        {
            self.check_joint(id)?;
            let joint = &self.joints[id.index()].def;
            if !matches!(joint.kind, JointKind::Revolute(_) | JointKind::Prismatic(_)) {
                return Err(DefError::field(field, joint.kind.name(), "a revolute or prismatic joint"));
            }
            if joint.body_b != body {
                return Err(DefError::field(
                    field,
                    joint.body_b,
                    "a joint whose body_b is the gear's body of that side",
                ));
            }
        }
        Ok(())
    }

    pub(crate) fn destroy_joint(&mut self, index: u32) {
        let Some(id) = self.joints.id_at(index) else { return };
        let gears = self.gears.iter().copied().filter(|&gear| self.gear_needs(gear, id));
        for gear in gears.collect::<Vec<u32>>() {
            self.destroy_joint(gear);
        }
        self.unlink_joint(index);
        let def = self.joints[index].def;
        self.joint_kind_changes += u64::from(matches!(def.kind, JointKind::Gear(_)));
        self.gears.retain(|&gear| gear != index);
        let bodies = [def.body_a.index(), def.body_b.index()];
        for body in bodies {
            self.bodies[body].joints.retain(|&joint| joint != index);
            self.note_joints(body);
        }
        // Only now: waking one wakes the other, and with it all joints that it has.
        for body in bodies {
            self.wake(body);
        }
        self.joints.remove(id);
        if def.enabled && !def.collide_connected {
            self.let_meet(bodies);
        }
    }

    /// Lets two bodies look for each other that no joint keeps apart any more.
    pub(crate) fn let_meet(&mut self, bodies: [u32; 2]) {
        for body in bodies {
            for slot in 0..self.bodies[body].shapes.len() {
                self.mark_moved(self.bodies[body].shapes[slot]);
            }
        }
    }

    /// True for a gear that ties the given joint.
    pub(crate) fn gear_needs(&self, gear: u32, joint: JointId) -> bool {
        matches!(self.joints[gear].def.kind, JointKind::Gear(gear) if gear.joint_a == joint || gear.joint_b == joint)
    }

    /// True when a joint keeps two bodies from colliding.
    pub(crate) fn joined(&self, a: u32, b: u32) -> bool {
        let (a, b) = if self.bodies[a].joints.len() <= self.bodies[b].joints.len() { (a, b) } else { (b, a) };
        self.bodies[a].joints.iter().any(|&joint| {
            let def = &self.joints[joint].def;
            def.enabled && !def.collide_connected && (def.body_a.index() == b || def.body_b.index() == b)
        })
    }

    pub(crate) fn destroy_contacts_between(&mut self, a: u32, b: u32) {
        let mut between = Vec::new();
        let mut key = self.bodies[a].contact_head;
        while key != NONE {
            let index = crate::contact::contact_of(key);
            let contact = &self.contacts[index];
            key = contact.edges[crate::contact::side_of(key)].next;
            if contact.other_body(a) == b && !contact.sensor {
                between.push(index);
            }
        }
        for index in between {
            self.destroy_contact(index, true);
        }
    }

    /// Notes whether a joint that is switched on holds the body.
    pub(crate) fn note_joints(&mut self, body: u32) {
        let jointed = self.bodies[body].joints.iter().any(|&joint| self.joints[joint].is_on());
        self.bodies[body].jointed = jointed;
    }

    /// The body at the other end.
    pub(crate) fn joined_body(&self, joint: u32, body: u32) -> u32 {
        let def = &self.joints[joint].def;
        if def.body_a.index() == body { def.body_b.index() } else { def.body_a.index() }
    }

    /// True while the joint is switched on and both bodies take part.
    pub(crate) fn joint_acts(&self, index: u32) -> bool {
        let joint = &self.joints[index];
        let def = &joint.def;
        joint.is_on() && [def.body_a, def.body_b].iter().all(|body| self.bodies[body.index()].set != DISABLED)
    }

    /// Puts a joint into the islands and among the constraints, as far as it acts.
    pub(crate) fn link_joint(&mut self, index: u32) {
        if !self.joint_acts(index) {
            return;
        }
        let def = &self.joints[index].def;
        let (a, b) = (def.body_a.index(), def.body_b.index());
        let dynamic = |body: u32| self.bodies[body].kind == BodyKind::Dynamic;
        if self.joints[index].island_edge == NONE && dynamic(a) && dynamic(b) {
            // One of them may sleep while the other does not: what hangs together wakes together.
            if self.is_awake(a) != self.is_awake(b) {
                self.wake(a);
                self.wake(b);
            }
            self.joints[index].island_edge = self.islands.link(a, b);
        }
        self.color_joint(index);
    }

    pub(crate) fn unlink_joint(&mut self, index: u32) {
        self.uncolor_joint(index);
        let edge = std::mem::replace(&mut self.joints[index].island_edge, NONE);
        if edge != NONE {
            self.islands.unlink(edge);
        }
    }

    /// Gives a joint a colour, if it has none and one of its bodies is awake and movable.
    pub(crate) fn color_joint(&mut self, index: u32) {
        let joint = &self.joints[index];
        if joint.slot.is_some() || matches!(joint.def.kind, JointKind::Gear(_)) || !self.joint_acts(index) {
            return;
        }
        let end = |body: u32| (self.bodies[body].kind == BodyKind::Dynamic).then_some(body);
        let (a, b) = (joint.def.body_a.index(), joint.def.body_b.index());
        if self.joint_moves(index) {
            let slot = self.joint_colors.add(index, end(a), end(b));
            self.joints[index].slot = Some(slot);
        }
    }

    /// True when one of the joint's bodies is awake and movable.
    pub(crate) fn joint_moves(&self, index: u32) -> bool {
        let def = &self.joints[index].def;
        let moves = |body: u32| self.bodies[body].kind == BodyKind::Dynamic && self.is_awake(body);
        moves(def.body_a.index()) || moves(def.body_b.index())
    }

    pub(crate) fn uncolor_joint(&mut self, index: u32) {
        let Some(slot) = self.joints[index].slot.take() else { return };
        let joints = &mut self.joints;
        self.joint_colors.remove(slot, &mut |moved, slot| joints[moved].slot = Some(slot));
    }

    /// Takes the joints of a body out of islands and colours, before its kind or presence changes.
    pub(crate) fn unlink_joints(&mut self, body: u32) {
        for slot in 0..self.bodies[body].joints.len() {
            self.unlink_joint(self.bodies[body].joints[slot]);
        }
    }

    /// Brings them back afterwards, and wakes the other bodies.
    pub(crate) fn relink_joints(&mut self, body: u32) {
        for slot in 0..self.bodies[body].joints.len() {
            let joint = self.bodies[body].joints[slot];
            self.wake(self.joined_body(joint, body));
            self.link_joint(joint);
        }
    }

    /// Wakes the bodies at the other end of a body's joints, and those that gears tie to these joints.
    pub(crate) fn wake_joined(&mut self, body: u32) {
        for slot in 0..self.bodies[body].joints.len() {
            let joint = self.bodies[body].joints[slot];
            if self.joints[joint].is_on() {
                self.wake(self.joined_body(joint, body));
                self.wake_geared(joint);
            }
        }
    }

    /// Wakes the bodies of the joints that gears tie to a joint, however many gears are between them.
    fn wake_geared(&mut self, joint: u32) {
        if self.gears.is_empty() {
            return;
        }
        let mut joints = vec![joint];
        let mut next = 0;
        while let Some(&joint) = joints.get(next) {
            next += 1;
            for &gear in &self.gears {
                let JointKind::Gear(gear) = self.joints[gear].def.kind else { continue };
                let tied = [gear.joint_a.index(), gear.joint_b.index()];
                if tied.contains(&joint) {
                    joints.extend(tied.iter().filter(|tied| !joints.contains(tied)).copied().collect::<Vec<u32>>());
                }
            }
        }
        for joint in joints {
            let def = self.joints[joint].def;
            self.wake(def.body_a.index());
            self.wake(def.body_b.index());
        }
    }
}
