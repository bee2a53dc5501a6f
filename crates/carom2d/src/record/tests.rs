//! Hostile recordings: whole, with the right checksums, and not written by a world. And differences, which cannot be made
//! from outside.

use super::{RecordDef, Replay, ReplayError, Survey, checksum};
use crate::prelude::*;
use carom_core::Rng;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

const DT: f32 = 1.0 / 60.0;

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A heap of `count` boxes on a floor.
fn heap(count: u32) -> World {
    let mut world = World::new(WorldDef::default());
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    world.add_shape(ground, ShapeDef::rectangle(100.0, 1.0)).unwrap();
    for i in 0..count {
        let position = vec2((i % 40) as f32 - 20.0, 1.0 + 1.1 * (i / 40) as f32);
        let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
        world.add_shape(body, ShapeDef::rectangle(0.9, 0.9)).unwrap();
    }
    world
}

fn recording_of(world: &mut World, steps: u32, mut act: impl FnMut(&mut World, u32)) -> Vec<u8> {
    let shared = Shared::default();
    world.record_to(shared.clone(), RecordDef::default()).unwrap();
    for step in 0..steps {
        act(world, step);
        world.step(DT);
    }
    world.stop_recording().unwrap();
    shared.0.lock().unwrap().clone()
}

/// The step after which a replay first differs and the body that does are named, to the body in small worlds and to a few
/// neighbours in large ones.
#[test]
fn the_first_difference_is_found() {
    for (count, most) in [(200, 1), (3000, 4)] {
        let bytes = recording_of(&mut heap(count), 12, |_, _| {});
        for (after, body) in [(0_u64, 3_u32), (7, count / 2), (11, count)] {
            let mut replay = Replay::open(bytes.as_slice()).unwrap();
            (0..after).for_each(|_| assert!(replay.step().unwrap()));
            let id = replay.world.state.bodies.id_at(body).unwrap();
            // The least that can be: one bit of a velocity.
            let velocity = replay.world.body(id).velocity();
            let changed = vec2(f32::from_bits(velocity.x.to_bits() ^ 1), velocity.y);
            replay.world.body_mut(id).set_velocity(changed).unwrap();
            let Err(ReplayError::Differs(difference)) = replay.step() else { panic!("no difference in {body}") };
            assert_eq!(difference.step, after + 1);
            assert!(difference.bodies.contains(&id) && difference.bodies.len() <= most, "{id:?}: {difference:?}");
            let message = ReplayError::Differs(difference).to_string();
            assert!(message.contains(&format!("step {} is the first", after + 1)), "{message}");
        }
    }
}

/// What a recording holds is known without playing it, also of one that was cut off; and it is played into another world, and
/// on by a clone, to the same bits.
#[test]
fn recordings_are_surveyed_and_played_into_other_worlds() {
    let mut world = heap(20);
    let bytes = recording_of(&mut world, 30, |_, _| {});
    let survey = |bytes: &[u8]| Replay::open(bytes).unwrap().survey().unwrap();
    assert_eq!(survey(&bytes), Survey { steps: 30, dt: DT, is_whole: true });
    let cut = survey(&bytes[..bytes.len() - 1]);
    assert!(!cut.is_whole && cut.steps < 30, "{cut:?}");

    let mut replay = Replay::open(bytes.as_slice()).unwrap();
    let mut other = replay.world().clone();
    (0..10).for_each(|_| assert!(replay.step_into(&mut other).unwrap()));
    let (mut clone, mut again) = (replay.clone(), other.clone());
    while replay.step_into(&mut other).unwrap() {}
    while clone.step_into(&mut again).unwrap() {}
    assert_eq!(other.state_hash(), world.state_hash());
    assert_eq!(again.state_hash(), world.state_hash());
}

/// The blocks after the beginning, without length and checksum.
fn blocks(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut rest = &bytes[12..];
    let mut blocks = Vec::new();
    while let Some((head, body)) = rest.split_at_checked(16) {
        let length = u64::from_le_bytes(head[..8].try_into().unwrap()) as usize;
        blocks.push(body[..length].to_vec());
        rest = &body[length..];
    }
    blocks
}

fn sealed(begin: &[u8], blocks: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = begin.to_vec();
    for block in blocks {
        bytes.extend_from_slice(&(block.len() as u64).to_le_bytes());
        bytes.extend_from_slice(&checksum(block).to_le_bytes());
        bytes.extend_from_slice(block);
    }
    bytes
}

/// Whatever the records say, nothing panics, nothing takes memory that the bytes do not have, and the world that is left is
/// a valid one.
#[test]
fn hostile_recordings_are_refused_or_harmless() {
    let mut world = heap(20);
    let bytes = recording_of(&mut world, 25, |world, step| {
        let bodies: Vec<BodyId> = world.bodies().collect();
        let body = bodies[1 + step as usize % 20];
        match step % 8 {
            0 => world.body_mut(body).apply_impulse(vec2(1.0, 2.0)).unwrap(),
            1 => {
                let points = [vec2(0.4, 0.0), vec2(0.1, 0.1), vec2(0.0, 0.4), vec2(-0.2, -0.2)];
                world.add_shape(body, ShapeDef::concave(&points)).unwrap();
            }
            2 => {
                let joint = JointDef::revolute(bodies[0], body).at(world, vec2(0.0, 3.0)).unwrap();
                world.add_joint(joint).unwrap();
            }
            3 => drop(world.add_fluid(FluidDef::default()).unwrap()),
            4 => drop(world.advance(0.05).unwrap()),
            5 => world.apply_field(&crate::Uniform { acceleration: vec2(1.0, 0.0) }, DT).unwrap(),
            6 => {
                let shape = world.body(body).shapes().next().unwrap();
                world.shape_mut(shape).set_geometry(Geometry::circle(0.3).unwrap()).unwrap();
            }
            _ => {
                let mut snapshot = Vec::new();
                world.save(&mut snapshot);
                world.restore(&snapshot).unwrap();
            }
        }
    });
    let blocks = blocks(&bytes);
    assert!(blocks.len() >= 2);
    assert_eq!(sealed(&bytes[..12], &blocks), bytes);
    let mut rng = Rng::new(21);
    let (mut steps, mut refused) = (0_u64, 0);
    for _ in 0..1500 {
        let mut hostile = blocks.clone();
        for _ in 0..1 + rng.below(3) {
            // The snapshot in the first block has a checksum of its own.
            let block = 1 + rng.below(hostile.len() as u32 - 1) as usize;
            let place = rng.below(hostile[block].len() as u32) as usize;
            let block = &mut hostile[block];
            match rng.below(5) {
                0 => block[place] = rng.next_u32() as u8,
                1 => block[place] = [0, 1, 3, 0x7f, 0x80, 0xff][rng.below(6) as usize],
                2 if block.len() > 1 => drop(block.remove(place)),
                3 => block.insert(place, rng.next_u32() as u8),
                _ => block[place] ^= 1 << rng.below(8),
            }
        }
        let hostile = sealed(&bytes[..12], &hostile);
        let mut replay = Replay::open(hostile.as_slice()).unwrap();
        replay.set_checked(false);
        let end = loop {
            match replay.step() {
                Ok(true) => steps += 1,
                end => break end,
            }
        };
        replay.world.validate();
        refused += u32::from(end.is_err());
        assert!(!matches!(end, Err(ReplayError::Read(_) | ReplayError::Foreign | ReplayError::Damaged)));
    }
    assert!(refused > 100 && steps > 10_000, "{refused} refused, {steps} steps");
}
