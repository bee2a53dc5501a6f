//! Recordings: what was done to a world is done again to the last bit, whatever it was and wherever; bytes that are no
//! recording are errors.

mod random;

use carom_core::Rng;
use carom2d::prelude::*;
use carom2d::{
    ContactView, ExplosionDef, Hooks, Measure, Pair, PairView, RecordDef, Replay, ReplayError, Response, Width,
};
use random::{DT, act, random_body, random_joint, random_shape, random_world};
use std::io::{self, Write};
use std::sync::{Arc, Mutex};

/// Memory that a world writes to and a test reads.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Shared {
    fn bytes(&self) -> Vec<u8> {
        self.0.lock().unwrap().clone()
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Hooks that do all that hooks can, by what they are shown and by a number.
struct Moody(u64);

impl Moody {
    fn draw(&self, a: u32, b: u32, x: f32) -> u64 {
        let word = u64::from(a) << 40 ^ u64::from(b) << 20 ^ u64::from(x.to_bits()) ^ self.0;
        Rng::new(word).next_u64()
    }
}

impl Hooks for Moody {
    fn filter_pair(&self, pair: &PairView) -> Pair {
        let draw = self.draw(pair.a.shape.index(), pair.b.shape.index(), pair.b.pose.p.x);
        if draw.is_multiple_of(9) { Pair::Ignore } else { Pair::Meet }
    }

    fn modify_contact(&self, contact: &mut ContactView) {
        let draw = self.draw(contact.a().shape.index(), contact.b().shape.index(), contact.b().pose.p.y);
        match draw % 16 {
            0 => contact.friction = 0.01,
            1 => contact.restitution = 0.7,
            2 => contact.surface_speed = f32::NAN,
            3 => contact.rolling_resistance = 0.1,
            4 => contact.response = Response::Pass,
            _ => {}
        }
    }
}

/// Any call that changes a world, with numbers that are right or wrong.
fn call(world: &mut World, rng: &mut Rng) {
    let bodies: Vec<BodyId> = world.bodies().collect();
    let shapes: Vec<ShapeId> = world.shapes().collect();
    let joints: Vec<JointId> = world.joints().collect();
    let fluids: Vec<FluidId> = world.fluids().collect();
    let number = [0.0, 1.0, -1.0, 0.3, 25.0, 1.0e9, f32::NAN, f32::INFINITY][rng.below(8) as usize];
    let small = rng.range(-2.0, 2.0);
    let vector = vec2(small, rng.range(-2.0, 2.0));
    let flag = rng.below(2) == 0;
    let body = bodies[rng.below(bodies.len() as u32) as usize];
    let other = bodies[rng.below(bodies.len() as u32) as usize];
    let shape = shapes[rng.below(shapes.len() as u32) as usize];
    let is_moving = world.body(body).kind() == BodyKind::Dynamic;
    // Refused calls are recorded like others.
    match rng.below(60) {
        0 => drop(world.add_body(BodyDef { mass: (number > 0.5).then_some(number), ..random_body(rng) })),
        1 if bodies.len() > 30 && is_moving => world.remove_body(body).unwrap(),
        2 => drop(world.add_shape(body, ShapeDef { friction: number, ..random_shape(rng) })),
        3 => drop(world.add_shapes(body, &[random_shape(rng), random_shape(rng)])),
        4 if shapes.len() > 30 => world.remove_shape(shape).unwrap(),
        5 if body != other => {
            let joint = random_joint(world, rng, body, other);
            world.add_joint(joint).unwrap();
        }
        6 if !joints.is_empty() => world.remove_joint(joints[0]).unwrap(),
        7 => drop(world.add_fluid(FluidDef { density: number, ..FluidDef::default() })),
        8 if !fluids.is_empty() => {
            world
                .set_fluid(
                    fluids[0],
                    FluidDef { flow: vector, region: FluidRegion::Below(small), ..FluidDef::default() },
                )
                .unwrap();
        }
        9 if !fluids.is_empty() => world.remove_fluid(fluids[0]).unwrap(),
        10 => drop(world.set_gravity(vec2(number, -9.0))),
        11 => world.set_gravity(vec2(0.0, -10.0)).unwrap(),
        12 => world.set_def(WorldDef { hit_speed: small.abs(), substeps: 2 + rng.below(4), ..*world.def() }).unwrap(),
        14 => {
            world.explode(&ExplosionDef { center: vector, radius: 3.0, ..ExplosionDef::default() }).unwrap();
        }
        20 => world.body_mut(body).set_kind([BodyKind::Dynamic, BodyKind::Kinematic][rng.below(2) as usize]),
        21 => drop(world.body_mut(body).set_position(vec2(number, 5.0))),
        22 => drop(world.body_mut(body).set_angle(number)),
        23 => drop(world.body_mut(body).set_pose(Pose::new(vector + vec2(0.0, 6.0), small))),
        24 => {
            let motion = world.body(other).motion();
            world.body_mut(body).set_motion(motion).ok();
        }
        25 => drop(world.body_mut(body).set_velocity(vector)),
        26 => drop(world.body_mut(body).set_angular_velocity(number)),
        27 => drop(world.body_mut(body).move_to(Pose::new(vector, small), 0.5)),
        28 => drop(world.body_mut(body).apply_force(10.0 * vector)),
        29 => drop(world.body_mut(body).apply_force_at(vector, vector * number)),
        30 => drop(world.body_mut(body).apply_torque(number)),
        31 => drop(world.body_mut(body).apply_impulse(vector)),
        32 => drop(world.body_mut(body).apply_impulse_at(vector, vector)),
        33 => drop(world.body_mut(body).apply_angular_impulse(small)),
        34 => drop(world.body_mut(body).set_mass(flag.then_some(small.abs() + 0.1))),
        35 => drop(world.body_mut(body).set_inertia(flag.then_some(number))),
        36 => drop(world.body_mut(body).set_linear_damping(number)),
        37 => drop(world.body_mut(body).set_angular_damping(small)),
        38 => drop(world.body_mut(body).set_gravity_scale(small)),
        39 => world.body_mut(body).set_locked(LockedAxes { x: flag, y: false, rotation: !flag }),
        40 => drop(world.body_mut(body).set_sleep_speed(number)),
        41 => world.body_mut(body).set_can_sleep(flag),
        42 => world.body_mut(body).set_bullet(flag),
        43 => world.body_mut(body).wake(),
        44 => world.body_mut(body).sleep(),
        45 => world.body_mut(body).set_enabled(flag),
        46 => world.body_mut(body).set_user_data(rng.next_u64()),
        47 => drop(world.shape_mut(shape).replace(random_shape(rng))),
        48 => drop(world.shape_mut(shape).add_vertex(0.5 * vector)),
        49 => drop(world.shape_mut(shape).set_radius(small)),
        50 => world.shape_mut(shape).set_filter(Filter { group: rng.below(3) as i32 - 1, ..Filter::ALL }),
        51 => world.shape_mut(shape).set_sensor(flag),
        52 => drop(world.shape_mut(shape).set_one_way(flag.then_some(vector))),
        53 => drop(world.shape_mut(shape).set_material(Material { friction: number, ..Material::default() })),
        54 => drop(world.shape_mut(shape).set_density(small)),
        55 => world.shape_mut(shape).set_user_data(rng.next_u64()),
        56 if !joints.is_empty() => {
            let mut joint = world.joint_mut(joints[rng.below(joints.len() as u32) as usize]);
            match rng.below(11) {
                0 => drop(joint.set_kind(JointKind::Weld(Weld::default()))),
                8 => joint.set_enabled(flag),
                9 => drop(joint.set_kind(JointKind::Filter)),
                1 => drop(joint.set_motor_speed(number)),
                2 => drop(joint.set_target(vector)),
                3 => drop(joint.set_stiffness(30.0 + number, 1.0)),
                4 => drop(joint.set_break(number, number)),
                5 => drop(joint.set_frames(Pose::at(vector), Pose::IDENTITY)),
                6 => drop(joint.set_turns(rng.below(3) as i32)),
                7 => joint.set_collide_connected(flag),
                _ => joint.set_user_data(rng.next_u64()),
            }
        }
        57 => drop(world.add_shape(body, ShapeDef::geometry(Geometry::circle(0.3).unwrap()))),
        // A handle that names nothing.
        58 => drop(world.remove_body(BodyId::from_bits(u64::MAX))),
        _ => {}
    }
}

/// Does a course do without a measure against jitter? Contacts then lack what `World::validate` looks for.
fn leaves_out(seed: u64) -> bool {
    seed % 6 == 5
}

/// Does something and steps, in one of the ways that there are. Returns the hash after each call.
fn course(world: &mut World, seed: u64, steps: u32) -> Vec<u64> {
    let mut rng = Rng::new(seed ^ 0x5eed);
    let (mut hashes, mut snapshot) = (Vec::new(), Vec::new());
    if leaves_out(seed) {
        world.leave_out(Measure::TwoPoints);
    }
    for step in 0..steps {
        if world.shapes().count() > 10 && world.body_count() > 10 {
            act(world, seed, step);
            for _ in 0..rng.below(4) {
                call(world, &mut rng);
            }
        }
        match rng.below(8) {
            0 | 1 => world.step_with(DT, &Moody(seed)),
            2 => drop(world.advance(rng.range(0.0, 0.06)).unwrap()),
            3 => drop(world.advance_with(0.04, &Moody(seed)).unwrap()),
            4 => {
                let push = rng.range(-1.0, 1.0);
                let before_step = |world: &mut World| {
                    let body = world.bodies().last().unwrap();
                    world.body_mut(body).apply_force(vec2(push, 0.0)).unwrap();
                };
                world.advance_each(0.03, before_step).unwrap();
            }
            _ => world.step([DT, DT, 0.01, 0.0, f32::NAN][rng.below(5) as usize]),
        }
        hashes.push(world.state_hash());
        if step % 40 == 10 {
            world.save(&mut snapshot);
        }
        if step % 40 == 25 {
            world.restore(&snapshot).unwrap();
        }
    }
    hashes
}

/// A recording of some steps, and the world at its end.
fn recorded(seed: u64, steps: u32, def: RecordDef) -> (Vec<u8>, World) {
    let mut world = random_world(&mut Rng::new(seed));
    (0..seed % 50).for_each(|_| world.step(DT));
    let shared = Shared::default();
    world.record_to(shared.clone(), def).unwrap();
    assert!(world.is_recording());
    course(&mut world, seed, steps);
    world.stop_recording().unwrap();
    assert!(!world.is_recording());
    (shared.bytes(), world)
}

/// Any sequence of calls, on any number of threads, at any lane width: the same world at the end, byte for byte, and the same
/// fingerprints on the way. Recording itself changes nothing.
#[test]
fn what_was_recorded_is_played_to_the_last_bit() {
    let widths: Vec<Width> = Width::all().collect();
    for seed in 0..24 {
        let (bytes, mut world) = recorded(seed, 90, RecordDef::default());
        let mut unrecorded = random_world(&mut Rng::new(seed));
        (0..seed % 50).for_each(|_| unrecorded.step(DT));
        course(&mut unrecorded, seed, 90);
        assert_eq!(unrecorded.state_hash(), world.state_hash(), "seed {seed}: recording changed the world");

        let mut replay = Replay::open(bytes.as_slice()).unwrap();
        replay.set_threads(1 + (seed % 3) as u32).unwrap();
        replay.set_width(widths[seed as usize % widths.len()]);
        let mut steps = 0;
        while replay.step().unwrap_or_else(|error| panic!("seed {seed}, after {steps} steps: {error}")) {
            steps += 1;
        }
        assert!(replay.is_over() && steps > 80, "{steps} steps");
        let mut again = replay.into_world();
        if !leaves_out(seed) {
            world.validate();
            again.validate();
        }
        assert_eq!(again.step_count(), world.step_count(), "seed {seed}");
        let (mut expected, mut found) = (Vec::new(), Vec::new());
        world.save(&mut expected);
        again.save(&mut found);
        assert!(found == expected, "seed {seed}: another world at the end");
        // It goes on alike.
        (0..20).for_each(|_| {
            world.step(DT);
            again.step(DT);
        });
        assert_eq!(world.state_hash(), again.state_hash(), "seed {seed}");
    }
}

/// Whatever is done to the bytes, a replay ends with an error or, where the damage is not read, as it should; what comes
/// before the damage is played.
#[test]
fn damaged_recordings_are_errors() {
    let (bytes, _) = recorded(3, 40, RecordDef { check_every: 10 });
    let play = |bytes: &[u8]| -> Result<u32, ReplayError> {
        let mut replay = Replay::open(bytes)?;
        let mut steps = 0;
        while replay.step()? {
            steps += 1;
        }
        Ok(steps)
    };
    let whole = play(&bytes).unwrap();
    assert!(whole >= 40);
    let mut rng = Rng::new(11);
    for round in 0..600 {
        let mut wrong = bytes.clone();
        let place = rng.below(wrong.len() as u32) as usize;
        match round % 4 {
            0 => wrong[place] ^= 1 << rng.below(8),
            1 => wrong.truncate(place),
            2 => wrong.insert(place, 0),
            _ => drop(wrong.remove(place)),
        }
        assert!(play(&wrong).is_err(), "round {round}, at {place}");
    }
    assert!(matches!(play(b""), Err(ReplayError::Foreign)));
    assert!(matches!(play(b"GIF89a and so on"), Err(ReplayError::Foreign)));
    assert!(matches!(play(&bytes[..5]), Err(ReplayError::CutOff)));
    assert!(matches!(play(&bytes[..bytes.len() - 1]), Err(ReplayError::CutOff)));
    let longer = [bytes.as_slice(), b"x"].concat();
    assert!(matches!(play(&longer), Err(ReplayError::Corrupt(_))));
    let mut newer = bytes.clone();
    newer[8] = 200;
    assert!(matches!(play(&newer), Err(ReplayError::Version { found: 200, .. })));
}

/// Takes some bytes and then no more.
struct Full(usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > self.0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0 -= bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A disk that is full is reported at the end, and does nothing to the world.
#[test]
fn errors_of_writing_stop_the_recording_and_not_the_world() {
    let mut alone = random_world(&mut Rng::new(5));
    let mut world = random_world(&mut Rng::new(5));
    assert_eq!(world.record_to(Full(100), RecordDef::default()).unwrap_err().kind(), io::ErrorKind::StorageFull);
    assert!(!world.is_recording());
    world.record_to(Full(120_000), RecordDef::default()).unwrap();
    assert_eq!(course(&mut world, 5, 300), course(&mut alone, 5, 300));
    assert_eq!(world.stop_recording().unwrap_err().kind(), io::ErrorKind::StorageFull);
    world.stop_recording().unwrap();
}

/// A recording of a crash ends with the step in which it happened.
#[test]
fn a_panic_leaves_a_recording_up_to_it() {
    struct Bomb(u64);
    impl Hooks for Bomb {
        fn modify_contact(&self, contact: &mut ContactView) {
            assert!(self.0 < 30, "a hook that panics");
            contact.friction = 0.2;
        }
    }
    let shared = Shared::default();
    let out = shared.clone();
    let crash = std::panic::catch_unwind(move || {
        let mut world = random_world(&mut Rng::new(9));
        world.record_to(out, RecordDef::default()).unwrap();
        (0..100).for_each(|step| world.step_with(DT, &Bomb(step)));
    });
    assert!(crash.is_err());
    let bytes = shared.bytes();
    let mut replay = Replay::open(bytes.as_slice()).unwrap();
    for _ in 0..31 {
        assert!(replay.step().unwrap());
    }
    assert!(matches!(replay.step(), Err(ReplayError::CutOff)));
    assert_eq!(replay.world().step_count(), 31);
}

/// What sleeps costs nothing, and fingerprints have a limit: a step of a large world at rest is a few bytes.
#[test]
fn recordings_are_small() {
    let mut world = World::new(WorldDef::default());
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    world.add_shape(ground, ShapeDef::rectangle(10_000.0, 1.0)).unwrap();
    for i in 0..2000 {
        let at = vec2(2.0 * i as f32 - 2000.0, 1.0);
        let body = world.add_body(BodyDef { position: at, ..BodyDef::dynamic() }).unwrap();
        world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).unwrap();
    }
    let shared = Shared::default();
    world.record_to(shared.clone(), RecordDef::default()).unwrap();
    let start = shared.bytes().len();
    (0..120).for_each(|_| world.step(DT));
    assert_eq!(world.awake_body_count(), 0);
    (0..1000).for_each(|_| world.step(DT));
    world.stop_recording().unwrap();
    let count = shared.bytes().len() - start;
    assert!(count < 120 * 2300 + 1000 * 160, "{count} bytes");
}
