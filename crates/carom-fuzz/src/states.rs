//! Snapshots and recordings. Their checksums are made right again, or no change would come past them.

use crate::oracle::{finite, in_time};
use carom2d::prelude::*;
use carom2d::{ContactView, FluidDef, Hooks, RecordDef, Replay};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

const DT: f32 = 1.0 / 60.0;

/// Before the first block of a recording: magic bytes and version.
const RECORDING_HEAD: usize = 12;
/// Length and checksum of a block.
const BLOCK_HEAD: usize = 16;
/// Magic bytes and version, length and checksum of a snapshot.
const SNAPSHOT_HEAD: usize = 28;

/// The checksum of snapshots and of the blocks of recordings.
fn checksum(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mix = |sum: u64, word: u64| (sum ^ word).wrapping_mul(FACTOR).rotate_left(29);
    let word = |bytes: &[u8]| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    };
    let mut sums = [1, 2, 3, 4];
    let blocks = bytes.chunks_exact(32);
    let rest = blocks.remainder();
    for block in blocks {
        for (sum, bytes) in sums.iter_mut().zip(block.chunks_exact(8)) {
            *sum = mix(*sum, word(bytes));
        }
    }
    let sum = sums.into_iter().chain(rest.chunks(8).map(word)).fold(bytes.len() as u64, mix);
    let sum = (sum ^ sum >> 32).wrapping_mul(FACTOR);
    sum ^ sum >> 29
}

/// A snapshot whose length and checksum are those of its bytes.
fn sealed_snapshot(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    if bytes.len() >= SNAPSHOT_HEAD {
        let (head, body) = bytes.split_at_mut(SNAPSHOT_HEAD);
        head[12..20].copy_from_slice(&(body.len() as u64).to_le_bytes());
        head[20..28].copy_from_slice(&checksum(body).to_le_bytes());
    }
    bytes
}

/// A recording whose checksums are those of its blocks. A length that is too large ends with the bytes.
pub fn sealed_recording(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut at = RECORDING_HEAD;
    let mut is_first = true;
    while let Some(rest) = bytes.get_mut(at..).filter(|rest| rest.len() > BLOCK_HEAD) {
        let (head, body) = rest.split_at_mut(BLOCK_HEAD);
        let length = head.first_chunk().map_or(0, |length| u64::from_le_bytes(*length));
        let length = usize::try_from(length).unwrap_or(usize::MAX).clamp(1, body.len());
        if is_first {
            seal_start(&mut body[..length]);
            is_first = false;
        }
        head[..8].copy_from_slice(&(length as u64).to_le_bytes());
        head[8..].copy_from_slice(&checksum(&body[..length]).to_le_bytes());
        at += BLOCK_HEAD + length;
    }
    bytes
}

/// Seals the snapshot within the first block, which follows the threads and the broad phase.
fn seal_start(block: &mut [u8]) {
    let Some(start) = block.windows(8).position(|bytes| bytes == b"carom2d\x1b") else { return };
    let Some(length) = block[..start].last_chunk().map(|length| u64::from_le_bytes(*length)) else { return };
    let Some(end) = usize::try_from(length).ok().and_then(|length| start.checked_add(length)) else { return };
    if let Some(snapshot) = block.get_mut(start..end) {
        let sealed = sealed_snapshot(snapshot);
        snapshot.copy_from_slice(&sealed);
    }
}

/// A world with a little of everything.
fn world() -> World {
    let mut world = World::new(WorldDef::default());
    let mut add = |def: BodyDef, shapes: &[ShapeDef]| {
        let body = world.add_body(def).expect("a body");
        world.add_shapes(body, shapes).expect("its shapes");
        body
    };
    let at = |x: f32, y: f32| BodyDef { position: vec2(x, y), ..BodyDef::dynamic() };
    let chain = [vec2(8.0, 1.0), vec2(3.0, 0.0), vec2(-3.0, 0.0), vec2(-8.0, 1.0)];
    let ground = add(BodyDef::fixed(), &[ShapeDef::chain(&chain)]);
    let a = add(at(0.0, 0.5), &[ShapeDef::rectangle(1.0, 1.0)]);
    let b = add(at(0.2, 1.5), &[ShapeDef::circle(0.5), ShapeDef::ellipse(0.3, 0.6)]);
    let corners = [vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(0.3, 0.3), vec2(0.0, 1.0)];
    add(at(-1.5, 0.6), &[ShapeDef::concave(&corners)]);
    add(at(1.5, 0.6), &[ShapeDef { sensor: true, ..ShapeDef::capsule(vec2(-0.3, 0.0), vec2(0.3, 0.0), 0.2) }]);
    add(BodyDef { velocity: vec2(1.0, 0.0), ..BodyDef::kinematic() }, &[ShapeDef::segment(Vec2::ZERO, Vec2::X)]);
    for def in [JointDef::revolute(a, b), JointDef::rope(ground, b, 3.0), JointDef::weld(ground, a)] {
        let def = def.at(&world, vec2(0.1, 1.0)).expect("a place");
        world.add_joint(JointDef { break_force: 500.0, ..def }).expect("a joint");
    }
    world.add_fluid(FluidDef::default()).expect("a fluid");
    world
}

/// Checks a world that bytes made, which need not be one that calls lead to: a shape may be outside of its box.
fn check(world: &World) {
    for id in world.bodies() {
        let body = world.body(id);
        let (at, velocity) = (body.position(), body.velocity());
        finite("a state", [at.x, at.y, velocity.x, velocity.y, body.angular_velocity()].map(f64::from));
    }
}

fn saved(world: &World) -> Vec<u8> {
    let mut bytes = Vec::new();
    world.save(&mut bytes);
    bytes
}

/// Restores a snapshot. One that is refused leaves the world as it was; one that is taken goes on.
pub(crate) fn snapshot(bytes: &[u8]) -> usize {
    let mut world = world();
    (0..3).for_each(|_| world.step(DT));
    let mut right = Vec::new();
    world.save(&mut right);
    let before = world.state_hash();
    let result = in_time("restoring", || world.restore(&sealed_snapshot(bytes)));
    if result.is_err() {
        assert_eq!(world.state_hash(), before, "a snapshot that is refused has changed the world");
        world.step(DT);
        check(&world);
        world.validate();
        return 0;
    }
    let mut again = Vec::new();
    world.save(&mut again);
    for _ in 0..8 {
        in_time("a step after a snapshot", || world.step(DT));
        check(&world);
    }
    // Whatever it was, the way back is open.
    world.restore(&right).expect("a snapshot of this world");
    assert_eq!(world.state_hash(), before, "going back leads elsewhere");
    world.validate();
    1
}

/// Snapshots of the world as it falls, and asleep.
pub(crate) fn snapshot_seeds() -> Vec<Vec<u8>> {
    let mut world = world();
    let mut seeds = Vec::new();
    for steps in [0, 1, 20, 100, 300] {
        (0..steps).for_each(|_| world.step(DT));
        let mut bytes = Vec::new();
        world.save(&mut bytes);
        seeds.push(bytes);
    }
    let mut empty = Vec::new();
    World::new(WorldDef::default()).save(&mut empty);
    seeds.push(empty);
    seeds
}

/// Plays a recording, as far as it goes.
pub(crate) fn recording(bytes: &[u8]) -> usize {
    let bytes = sealed_recording(bytes);
    let Ok(mut replay) = Replay::open(bytes.as_slice()) else { return 0 };
    replay.set_checked(bytes.len().is_multiple_of(2));
    // A recording that begins as a world did goes on as a world does, unless it goes to a snapshot.
    let is_world = saved(replay.world()) == saved(&world());
    let has_restored = bytes.windows(8).filter(|bytes| *bytes == b"carom2d\x1b").count() > 1;
    let mut steps = 0;
    // A recording of many bytes has many steps; these are enough.
    while steps < 200 {
        let made = in_time("a step of a replay", || replay.step());
        // Between two steps, velocities may be no numbers: the next step freezes the body.
        if matches!(made, Ok(true)) {
            check(replay.world());
        }
        if is_world && !has_restored {
            replay.world().validate();
        }
        match made {
            Ok(true) => steps += 1,
            Ok(false) | Err(_) => break,
        }
    }
    1 + steps
}

/// Bytes that a recording is written to.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Makes all surfaces smooth.
struct Smooth;

impl Hooks for Smooth {
    fn modify_contact(&self, contact: &mut ContactView) {
        contact.friction = 0.0;
    }
}

/// Recordings of calls of every sort.
pub(crate) fn recording_seeds() -> Vec<Vec<u8>> {
    let record = |act: fn(&mut World)| {
        let out = Shared::default();
        let mut world = world();
        world.record_to(out.clone(), RecordDef { check_every: 2 }).expect("memory");
        act(&mut world);
        world.stop_recording().expect("memory");
        let bytes = out.0.lock().unwrap_or_else(PoisonError::into_inner);
        bytes.clone()
    };
    vec![
        record(|world| (0..5).for_each(|_| world.step(DT))),
        record(|world| (0..3).for_each(|_| world.step_with(DT, &Smooth))),
        record(|world| {
            let body = world.add_body(BodyDef { position: vec2(0.0, 4.0), ..BodyDef::dynamic() }).expect("a body");
            let shape = world.add_shape(body, ShapeDef::circle(0.5)).expect("a shape");
            world.advance(0.05).expect("a frame");
            world.body_mut(body).apply_impulse(vec2(0.0, 1.0)).expect("an impulse");
            world.shape_mut(shape).set_density(2.0).expect("a density");
            world.step(DT);
            world.remove_body(body).expect("a body");
            world.step(DT);
        }),
        record(|world| {
            let mut bytes = Vec::new();
            world.save(&mut bytes);
            world.step(DT);
            world.restore(&bytes).expect("a snapshot");
            world.apply_field(&carom2d::Uniform { acceleration: vec2(1.0, 0.0) }, DT).expect("a field");
            world.set_gravity(vec2(0.0, 3.0)).expect("gravity");
            world.step(DT);
        }),
    ]
}
