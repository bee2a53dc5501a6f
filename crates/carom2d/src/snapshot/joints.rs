//! Joints, in the order of their slots, and the lists of their colours.

use super::contacts::{read_colors, write_colors};
use super::rows::{Reader, Writer};
use super::{SnapshotError, Staged, bit, bits, ensure};
use crate::body::{BodyId, BodyKind, NONE};
use crate::joint::{
    Distance, Drive, Gear, Joint, JointDef, JointId, JointKind, Limits, MAX_ROWS, Motor, Mouse, Prismatic, Pulley,
    Revolute, Spring, Weld, Wheel,
};
use crate::math::{Pose, Rot, Vec2, vec2};
use crate::sets::{AWAKE, DISABLED};
use crate::world::WorldState;
use carom_core::Id;

/// What a kind of joint has, all of a joint's definition, and what changes.
const KIND: usize = 9;
const TRAITS: usize = 17 + KIND;
const STATE: usize = MAX_ROWS + 6;

fn two(double: u64) -> [u32; 2] {
    [double as u32, (double >> 32) as u32]
}

fn double(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// Numbers of a kind of joint, in order, and which of its options it has.
#[derive(Default)]
struct Numbers {
    words: [u32; KIND],
    count: usize,
    options: u32,
    option_count: u32,
}

impl Numbers {
    fn number(&mut self, number: f32) {
        self.word(number.to_bits());
    }

    fn word(&mut self, word: u32) {
        self.words[self.count] = word;
        self.count += 1;
    }

    fn vector(&mut self, vector: Vec2) {
        self.number(vector.x);
        self.number(vector.y);
    }

    fn pair(&mut self, pair: Option<[f32; 2]>) {
        self.options |= u32::from(pair.is_some()) << self.option_count;
        self.option_count += 1;
        pair.unwrap_or_default().into_iter().for_each(|number| self.number(number));
    }

    fn spring(&mut self, spring: Option<Spring>) {
        self.pair(spring.map(|Spring { hertz, damping_ratio }| [hertz, damping_ratio]));
    }

    fn motor(&mut self, motor: Option<Motor>) {
        self.pair(motor.map(|Motor { speed, max_force }| [speed, max_force]));
    }

    fn limits(&mut self, limits: Option<Limits>) {
        self.pair(limits.map(|Limits { lower, upper }| [lower, upper]));
    }

    fn next(&mut self) -> f32 {
        self.count += 1;
        f32::from_bits(self.words[self.count - 1])
    }

    fn next_vector(&mut self) -> Vec2 {
        let x = self.next();
        vec2(x, self.next())
    }

    fn next_pair(&mut self) -> Option<[f32; 2]> {
        let is_there = bit(self.options, self.option_count);
        self.option_count += 1;
        let pair = [self.next(), self.next()];
        is_there.then_some(pair)
    }

    fn next_spring(&mut self) -> Option<Spring> {
        self.next_pair().map(|[hertz, damping_ratio]| Spring { hertz, damping_ratio })
    }

    fn next_motor(&mut self) -> Option<Motor> {
        self.next_pair().map(|[speed, max_force]| Motor { speed, max_force })
    }

    fn next_limits(&mut self) -> Option<Limits> {
        self.next_pair().map(|[lower, upper]| Limits { lower, upper })
    }
}

/// A tag with the options, and numbers.
fn kind_words(kind: &JointKind) -> (u32, [u32; KIND]) {
    let mut to = Numbers::default();
    let tag = match *kind {
        JointKind::Distance(Distance { min, max, spring, motor }) => {
            to.number(min);
            to.number(max);
            to.spring(spring.map(|(spring, _)| spring));
            to.number(spring.map_or(0.0, |(_, length)| length));
            to.motor(motor);
            0
        }
        JointKind::Revolute(Revolute { limits, motor, spring, target_angle }) => {
            to.limits(limits);
            to.motor(motor);
            to.spring(spring);
            to.number(target_angle);
            1
        }
        JointKind::Prismatic(Prismatic { limits, motor, spring, target }) => {
            to.limits(limits);
            to.motor(motor);
            to.spring(spring);
            to.number(target);
            2
        }
        JointKind::Weld(Weld { linear, angular }) => {
            to.spring(linear);
            to.spring(angular);
            3
        }
        JointKind::Wheel(Wheel { spring, target, limits, motor }) => {
            to.spring(spring);
            to.number(target);
            to.limits(limits);
            to.motor(motor);
            4
        }
        JointKind::Motor(Drive { linear, max_force, velocity, angular, max_torque, angular_velocity }) => {
            to.spring(linear);
            to.number(max_force);
            to.vector(velocity);
            to.spring(angular);
            to.number(max_torque);
            to.number(angular_velocity);
            5
        }
        JointKind::Mouse(Mouse { target, spring, max_force }) => {
            to.vector(target);
            to.spring(Some(spring));
            to.number(max_force);
            6
        }
        JointKind::Gear(Gear { joint_a, joint_b, ratio }) => {
            let ids = [two(joint_a.to_bits()), two(joint_b.to_bits())].concat();
            ids.into_iter().for_each(|word| to.word(word));
            to.number(ratio);
            7
        }
        JointKind::Pulley(Pulley { pulley_a, pulley_b, length, ratio }) => {
            to.vector(pulley_a);
            to.vector(pulley_b);
            to.number(length);
            to.number(ratio);
            8
        }
        JointKind::Filter => 9,
    };
    (tag | to.options << 4, to.words)
}

fn kind(tag: u32, words: &[u32; KIND], origin: u32) -> Result<JointKind, SnapshotError> {
    let from = &mut Numbers { words: *words, options: tag >> 4, ..Numbers::default() };
    Ok(match tag & 15 {
        0 => {
            let (min, max, spring) = (from.next(), from.next(), from.next_spring());
            let length = from.next();
            let spring = spring.map(|spring| (spring, length));
            JointKind::Distance(Distance { min, max, spring, motor: from.next_motor() })
        }
        1 => JointKind::Revolute(Revolute {
            limits: from.next_limits(),
            motor: from.next_motor(),
            spring: from.next_spring(),
            target_angle: from.next(),
        }),
        2 => JointKind::Prismatic(Prismatic {
            limits: from.next_limits(),
            motor: from.next_motor(),
            spring: from.next_spring(),
            target: from.next(),
        }),
        3 => JointKind::Weld(Weld { linear: from.next_spring(), angular: from.next_spring() }),
        4 => JointKind::Wheel(Wheel {
            spring: from.next_spring(),
            target: from.next(),
            limits: from.next_limits(),
            motor: from.next_motor(),
        }),
        5 => JointKind::Motor(Drive {
            linear: from.next_spring(),
            max_force: from.next(),
            velocity: from.next_vector(),
            angular: from.next_spring(),
            max_torque: from.next(),
            angular_velocity: from.next(),
        }),
        6 => {
            let (target, spring) = (from.next_vector(), from.next_spring());
            let spring = spring.ok_or(SnapshotError::Corrupt("the spring of a joint"))?;
            JointKind::Mouse(Mouse { target, spring, max_force: from.next() })
        }
        7 => {
            let id = |low: usize| {
                let id = JointId::from_bits(double(words[low], words[low + 1]));
                JointId::new(id.index(), id.generation(), origin)
            };
            JointKind::Gear(Gear { joint_a: id(0), joint_b: id(2), ratio: f32::from_bits(words[4]) })
        }
        8 => JointKind::Pulley(Pulley {
            pulley_a: from.next_vector(),
            pulley_b: from.next_vector(),
            length: from.next(),
            ratio: from.next(),
        }),
        9 => JointKind::Filter,
        _ => return Err(SnapshotError::Corrupt("the kind of a joint")),
    })
}

fn traits(def: &JointDef) -> [u32; TRAITS] {
    let JointDef {
        body_a,
        body_b,
        kind,
        frame_a,
        frame_b,
        collide_connected,
        enabled,
        hertz,
        damping_ratio,
        break_force,
        break_torque,
        user_data,
    } = def;
    let (tag, kind) = kind_words(kind);
    let [user_low, user_high] = two(*user_data);
    let frame = |frame: &Pose| [frame.p.x, frame.p.y, frame.q.c, frame.q.s].map(f32::to_bits);
    let mut words = [0; TRAITS];
    words[..5].copy_from_slice(&[
        tag | u32::from(*collide_connected) << 8 | u32::from(*enabled) << 9,
        // Bodies outlive their joints, so their generations are known.
        body_a.index(),
        body_b.index(),
        user_low,
        user_high,
    ]);
    words[5..9].copy_from_slice(&[*hertz, *damping_ratio, *break_force, *break_torque].map(f32::to_bits));
    words[9..13].copy_from_slice(&frame(frame_a));
    words[13..17].copy_from_slice(&frame(frame_b));
    words[17..].copy_from_slice(&kind);
    words
}

/// A definition, with handles of the owner that `origin` names to bodies of these generations.
fn def(words: &[u32; TRAITS], generations: &[u32], origin: u32) -> Result<JointDef, SnapshotError> {
    let float = |place: usize| f32::from_bits(words[place]);
    let frame =
        |from: usize| Pose { p: vec2(float(from), float(from + 1)), q: Rot { c: float(from + 2), s: float(from + 3) } };
    let body = |index: u32| {
        let generation = generations.get(index as usize).ok_or(SnapshotError::Corrupt("the body of a joint"))?;
        Ok(BodyId::new(index, *generation, origin))
    };
    let def = JointDef {
        body_a: body(words[1])?,
        body_b: body(words[2])?,
        kind: kind(words[0] & 0xff, words.last_chunk().expect("more than a kind"), origin)?,
        frame_a: frame(9),
        frame_b: frame(13),
        collide_connected: bit(words[0], 8),
        enabled: bit(words[0], 9),
        hertz: float(5),
        damping_ratio: float(6),
        break_force: float(7),
        break_torque: float(8),
        user_data: double(words[3], words[4]),
    };
    def.validate().map_err(|_| SnapshotError::Corrupt("the definition of a joint"))?;
    Ok(def)
}

fn state(joint: &Joint) -> [u32; STATE] {
    let Joint { def: _, impulses, force, torque, angle, gear_start, slot: _, island_edge: _ } = joint;
    let mut words = [0; STATE];
    words[..MAX_ROWS].copy_from_slice(&impulses.map(f32::to_bits));
    let floats = [force.x, force.y, *torque, *angle, gear_start.unwrap_or(0.0)];
    words[MAX_ROWS..STATE - 1].copy_from_slice(&floats.map(f32::to_bits));
    words[STATE - 1] = bits([gear_start.is_some()]);
    words
}

fn set_state(words: &[u32; STATE], joint: &mut Joint) {
    let float = |place: usize| f32::from_bits(words[place]);
    joint.impulses = std::array::from_fn(float);
    joint.force = vec2(float(MAX_ROWS), float(MAX_ROWS + 1));
    (joint.torque, joint.angle) = (float(MAX_ROWS + 2), float(MAX_ROWS + 3));
    joint.gear_start = (words[STATE - 1] != 0).then(|| float(MAX_ROWS + 4));
}

pub(super) fn write(world: &WorldState, writer: &mut Writer<'_>) {
    let (mut expected_traits, mut expected_state) = ([0; TRAITS], [0; STATE]);
    for (_, joint) in world.joints.iter() {
        writer.row(&traits(&joint.def), &mut expected_traits);
        writer.row(&state(joint), &mut expected_state);
    }
    write_colors(&world.joint_colors, writer);
}

impl Staged {
    pub(super) fn read_joints(&mut self, reader: &mut Reader<'_>) -> Result<(), SnapshotError> {
        let (mut expected_traits, mut expected_state) = ([0; TRAITS], [0; STATE]);
        let origin = self.bodies.origin();
        for index in 0..self.slots.joints.generations.len() as u32 {
            if !self.slots.joints.is_used(index) {
                continue;
            }
            let traits = reader.row(&mut expected_traits);
            let joint = &mut self.joints[index];
            joint.def = def(&traits, &self.slots.bodies.generations, origin)?;
            set_state(&reader.row(&mut expected_state), joint);
            (joint.slot, joint.island_edge) = (None, NONE);
            let is_on = joint.is_on();
            // It is on two lists, and these are those of its bodies.
            let def = &joint.def;
            let is_listed = |body: BodyId| self.bodies.get(body).is_some_and(|body| body.joints.contains(&index));
            let listed = self.listings[index as usize] == 2 && def.body_a != def.body_b;
            ensure(listed && is_listed(def.body_a) && is_listed(def.body_b), "the bodies of a joint")?;
            for body in [def.body_a, def.body_b] {
                self.bodies[body.index()].jointed |= is_on;
            }
        }
        let mut coloured = 0;
        for (_, joint) in self.joints.iter() {
            self.check_gear(&joint.def)?;
            coloured += usize::from(self.is_coloured(joint));
        }
        let mut colors = std::mem::take(&mut self.joint_colors);
        colors.clear();
        let result = read_colors(reader, |color, index| {
            let joint = self.joints.get_at(index).filter(|joint| joint.slot.is_none() && self.is_coloured(joint));
            let def = &joint.ok_or(SnapshotError::Corrupt("a coloured joint"))?.def;
            let [a, b] = [def.body_a, def.body_b]
                .map(|body| (self.bodies[body.index()].kind == BodyKind::Dynamic).then_some(body.index()));
            let slot = colors.place(index, color, a, b);
            self.joints[index].slot = slot;
            ensure(slot.is_some(), "the colour of a joint")
        });
        let count = colors.constraint_count();
        self.joint_colors = colors;
        result?;
        ensure(count == coloured, "the number of coloured joints")
    }

    /// As `World::check_gear`.
    fn check_gear(&self, def: &JointDef) -> Result<(), SnapshotError> {
        let JointKind::Gear(gear) = def.kind else { return Ok(()) };
        let fits = |id: JointId, body: BodyId| {
            self.joints.get(id).is_some_and(|joint| {
                let ties = matches!(joint.def.kind, JointKind::Revolute(_) | JointKind::Prismatic(_));
                ties && joint.def.body_b == body
            })
        };
        ensure(fits(gear.joint_a, def.body_a) && fits(gear.joint_b, def.body_b), "the joints of a gear")
    }

    /// Joints have colours while they act on something that is awake and can be moved. Gears have none.
    fn is_coloured(&self, joint: &Joint) -> bool {
        let ends = [joint.def.body_a, joint.def.body_b].map(|body| &self.bodies[body.index()]);
        let acts = ends.iter().all(|body| body.set != DISABLED);
        let moves = ends.iter().any(|body| body.set == AWAKE && body.kind == BodyKind::Dynamic);
        joint.is_on() && acts && moves && !matches!(joint.def.kind, JointKind::Gear(_))
    }
}
