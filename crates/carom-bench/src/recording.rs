//! A scene as a list of operations that any engine can follow.
//!
//! What carom's own scene builds is read back from its world, body by body. What the scene does while it runs
//! is found out beforehand, in a world in which no time passes: after each of its acts the world is compared
//! with what is known of it. Only bodies that the scene itself moves, the kinematic ones, go on in the
//! meantime, so that a scene that steers one by its position steers it as it would.
//!
//! A scene whose acts depend on what other bodies are doing cannot be recorded like this. None of the
//! benchmark scenes is of that kind.

use carom_peers::{Peer, Settings, Unsupported};
use carom_scenes::{BuildOptions, Scene, SceneWorld};
use carom2d::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// One change of a world.
#[derive(Clone, Debug)]
pub enum Operation {
    /// Adds a body with its shapes; it gets the next number.
    AddBody(Box<BodyDef>, Vec<ShapeDef>),
    /// Joins the bodies of two numbers.
    AddJoint(usize, usize, Box<JointDef>),
    /// Removes the body of a number with its shapes and joints.
    RemoveBody(usize),
    /// Gives a body another velocity and angular velocity.
    SetVelocity(usize, Vec2, f32),
}

/// Everything that happens to a world but physics.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The settings of the world.
    pub world: WorldDef,
    /// Length of a step in seconds.
    pub dt: f32,
    /// How the world is built.
    pub start: Vec<Operation>,
    /// What happens before each step; nothing before those that are beyond the end.
    pub acts: Vec<Vec<Operation>>,
}

impl Recording {
    /// Records `steps` steps of a scene.
    pub fn of(scene: &'static Scene, steps: u32) -> Result<Recording, DefError> {
        let mut run = scene.build(&BuildOptions::default())?;
        let mut known = Known::default();
        let (world, dt) = (*run.world.def(), run.dt());
        let start = known.changes(&run.world);
        let mut acts = Vec::new();
        if run.is_scripted() {
            for _ in 0..steps {
                run.act();
                acts.push(known.changes(&run.world));
                move_driven(&mut run);
            }
        }
        Ok(Recording { world, dt, start, acts })
    }

    /// What an engine that plays this has to be told, on so many threads. Everything else is its own default.
    pub fn settings(&self, threads: usize) -> Settings {
        Settings { world: self.world, dt: self.dt, threads, restitution_speed: None }
    }

    /// Every shape that is ever added.
    pub fn shapes(&self) -> impl Iterator<Item = &ShapeDef> {
        let operations = self.start.iter().chain(self.acts.iter().flatten());
        operations.flat_map(|operation| match operation {
            Operation::AddBody(_, shapes) => shapes.as_slice(),
            _ => &[],
        })
    }

    /// Builds the world in an engine.
    pub fn build(&self, peer: &mut (impl Peer + ?Sized)) -> Result<(), Unsupported> {
        self.start.iter().try_for_each(|operation| play(operation, peer))
    }

    /// Does in an engine what happens before the step of this number, and makes the step.
    pub fn step(&self, peer: &mut (impl Peer + ?Sized), step: usize) -> Result<(), Unsupported> {
        let acts = self.acts.get(step).map_or(&[][..], Vec::as_slice);
        acts.iter().try_for_each(|operation| play(operation, peer))?;
        peer.step(self.dt);
        Ok(())
    }
}

fn play(operation: &Operation, peer: &mut (impl Peer + ?Sized)) -> Result<(), Unsupported> {
    match operation {
        Operation::AddBody(body, shapes) => peer.add_body(body, shapes)?,
        Operation::AddJoint(a, b, joint) => peer.add_joint(*a, *b, joint)?,
        Operation::RemoveBody(body) => peer.remove_body(*body),
        Operation::SetVelocity(body, velocity, spin) => peer.set_velocity(*body, *velocity, *spin),
    }
    Ok(())
}

/// What is known of a world.
#[derive(Default)]
struct Known {
    /// The number of each body.
    numbers: BTreeMap<BodyId, usize>,
    joints: BTreeSet<JointId>,
    /// Velocity and angular velocity of the kinematic bodies.
    driven: BTreeMap<BodyId, (Vec2, f32)>,
    next: usize,
}

impl Known {
    /// What has changed in the world since. New bodies come in the order of their indices: that of their
    /// addition, unless the place of a removed body is used again.
    fn changes(&mut self, world: &World) -> Vec<Operation> {
        let mut changes = Vec::new();
        self.numbers.retain(|&id, &mut number| {
            let stays = world.contains_body(id);
            if !stays {
                changes.push(Operation::RemoveBody(number));
            }
            stays
        });
        self.joints.retain(|&id| world.contains_joint(id));
        self.driven.retain(|&id, _| world.contains_body(id));
        for id in world.bodies() {
            let body = world.body(id);
            let is_new = !self.numbers.contains_key(&id);
            if is_new {
                self.numbers.insert(id, self.next);
                self.next += 1;
                let shapes = body.shapes().map(|shape| world.shape(shape).def()).collect();
                changes.push(Operation::AddBody(Box::new(body.def()), shapes));
            }
            if body.kind() == BodyKind::Kinematic {
                let velocity = (body.velocity(), body.angular_velocity());
                let before = self.driven.insert(id, velocity);
                if !is_new && before != Some(velocity) {
                    changes.push(Operation::SetVelocity(self.numbers[&id], velocity.0, velocity.1));
                }
            }
        }
        for id in world.joints() {
            if self.joints.insert(id) {
                let joint = world.joint(id);
                let (a, b) = (self.numbers[&joint.body_a()], self.numbers[&joint.body_b()]);
                changes.push(Operation::AddJoint(a, b, Box::new(*joint.def())));
            }
        }
        changes
    }
}

/// Moves kinematic bodies to where a step brings them.
fn move_driven(run: &mut SceneWorld) {
    let dt = run.dt();
    let driven = |id: &BodyId| run.world.body(*id).kind() == BodyKind::Kinematic;
    let driven: Vec<BodyId> = run.world.bodies().filter(driven).collect();
    for id in driven {
        let mut body = run.world.body_mut(id);
        let (velocity, spin) = (body.get().velocity(), body.get().angular_velocity());
        let (position, angle) = (body.get().position() + velocity * dt, body.get().angle() + spin * dt);
        // Out of the range of numbers a body stays where it is.
        body.set_position(position).ok();
        if spin != 0.0 {
            body.set_angle(angle).ok();
        }
    }
}
