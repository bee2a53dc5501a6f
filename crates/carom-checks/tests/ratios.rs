//! Heavy bodies on light ones: what carries them is not pressed into what it stands on.

use carom_core::Rng;
use carom_core::math::{max, min};
use carom2d::prelude::*;

/// A box of given mass.
#[derive(Clone, Copy, Debug)]
struct Brick {
    place: Vec2,
    size: Vec2,
    mass: f32,
}

/// Light boxes on the floor, and one on top that is 1e2 to 1e5 times as heavy as each of them: at rest, or some height above.
#[derive(Clone, Debug)]
struct Pile {
    bricks: Vec<Brick>,
    ratio: f32,
}

fn log_range(rng: &mut Rng, low: f32, high: f32) -> f32 {
    // Halves of the interval's logarithm, one for each random bit.
    let (mut low, mut high) = (low, high);
    for bit in 0..20 {
        let middle = (low * high).sqrt();
        if rng.next_u32() >> bit & 1 == 0 { high = middle } else { low = middle }
    }
    low
}

/// Boxes of 0.1 to 3 m. The heavy one has its centre well above what carries it: one light box, a column of up to five, or two
/// or three side by side.
fn draw_pile(rng: &mut Rng, drop: f32) -> Pile {
    let (p, q) = (log_range(rng, 0.1, 3.0), log_range(rng, 0.1, 3.0));
    // No taller than wide: slender columns fall.
    let light = vec2(max(p, q), min(p, q));
    let (columns, rows) = match rng.below(3) {
        0 => (1, 1),
        1 => (1, 2 + rng.below(4)),
        _ => (2 + rng.below(2), 1),
    };
    let ratio = log_range(rng, 1.0e2, 1.0e5);
    let mut bricks = Vec::new();
    for column in 0..columns {
        for row in 0..rows {
            let x = 1.5 * light.x * (column as f32 - 0.5 * (columns as f32 - 1.0));
            bricks.push(Brick { place: vec2(x, light.y * (row as f32 + 0.5)), size: light, mass: 1.0 });
        }
    }
    let size = if columns == 1 {
        let side = log_range(rng, 0.1, 3.0);
        vec2(side, min(side, light.x))
    } else {
        vec2(1.5 * light.x * columns as f32, log_range(rng, 0.1, 1.0) * light.x)
    };
    let place = vec2(rng.range(-0.2, 0.2) * light.x, light.y * rows as f32 + 0.5 * size.y + drop);
    bricks.push(Brick { place, size, mass: ratio });
    Pile { bricks, ratio }
}

fn add_pile(world: &mut World, pile: &Pile, origin: f32, side: f32) -> Vec<BodyId> {
    let add = |brick: &Brick| {
        let position = vec2(origin + side * brick.place.x, brick.place.y);
        let body = world.add_body(BodyDef { position, mass: Some(brick.mass), ..BodyDef::dynamic() }).unwrap();
        world.add_shape(body, ShapeDef { friction: 0.6, ..ShapeDef::rectangle(brick.size.x, brick.size.y) }).unwrap();
        body
    };
    pile.bricks.iter().map(add).collect()
}

fn with_floor(def: WorldDef, friction: f32) -> World {
    let mut world = World::new(def);
    let floor = world.add_body(BodyDef { position: vec2(0.0, -1.0), ..BodyDef::fixed() }).unwrap();
    world.add_shape(floor, ShapeDef { friction, ..ShapeDef::rectangle(2000.0, 2.0) }).unwrap();
    world
}

fn restless() -> WorldDef {
    WorldDef { sleeping: false, ..WorldDef::default() }
}

/// The deepest overlap of any two shapes that touch.
fn deepest(world: &World) -> f32 {
    let depths = world.contacts().flat_map(|contact| contact.points().map(|point| -point.separation));
    depths.fold(0.0, max)
}

fn fastest(world: &World, bodies: &[BodyId]) -> f32 {
    bodies.iter().map(|&id| world.body(id).velocity().length()).fold(0.0, max)
}

/// A light box under one of 1e4 times its mass was pressed into the floor by 0.24 m.
#[test]
fn what_carries_a_heavy_box_stays_where_it_was_built() {
    for seed in 0..60 {
        let pile = draw_pile(&mut Rng::new(seed), 0.0);
        let mut world = with_floor(restless(), 0.6);
        let bodies = add_pile(&mut world, &pile, 0.0, 1.0);
        for step in 0..240 {
            world.step(1.0 / 60.0);
            assert!(deepest(&world) < 2.0e-3, "{seed}, step {step}: {} m deep, {pile:?}", deepest(&world));
        }
        assert!(fastest(&world, &bodies) < 1.0e-3, "{seed}: {} m/s, {pile:?}", fastest(&world, &bodies));
        for (&id, brick) in bodies.iter().zip(&pile.bricks) {
            let moved = world.body(id).position().distance(brick.place);
            assert!(moved < 5.0e-3, "{seed}: {brick:?} moved by {moved} m, ratio {}", pile.ratio);
        }
    }
}

/// Dropped from up to 3 m, a heavy box may push light ones away, but it comes to rest and presses nothing into anything.
#[test]
fn a_heavy_box_that_is_dropped_comes_to_rest() {
    for seed in 100..160 {
        let mut rng = Rng::new(seed);
        let drop = rng.range(0.0, 3.0);
        let pile = draw_pile(&mut rng, drop);
        let mut world = with_floor(restless(), 0.6);
        let bodies = add_pile(&mut world, &pile, 0.0, 1.0);
        for step in 0..480 {
            world.step(1.0 / 60.0);
            assert!(step < 360 || deepest(&world) < 2.0e-3, "{seed}, step {step}: {} m deep", deepest(&world));
        }
        assert!(fastest(&world, &bodies) < 1.0e-2, "{seed}: {} m/s, {pile:?}", fastest(&world, &bodies));
    }
}

/// On ice nothing acts along the floor: whatever a heavy box does to light ones, the momentum along it stays.
#[test]
fn heavy_and_light_boxes_keep_their_momentum() {
    for seed in 200..230 {
        let mut rng = Rng::new(seed);
        let drop = rng.range(0.0, 1.0);
        let pile = draw_pile(&mut rng, drop);
        let mut world = with_floor(restless(), 0.0);
        let bodies = add_pile(&mut world, &pile, 0.0, 1.0);
        let heavy = bodies[bodies.len() - 1];
        world.body_mut(heavy).set_velocity(vec2(rng.range(-2.0, 2.0), 0.0)).unwrap();
        let momentum = |world: &World| -> f64 {
            bodies.iter().map(|&id| f64::from(world.body(id).mass() * world.body(id).velocity().x)).sum()
        };
        let before = momentum(&world);
        for _ in 0..120 {
            world.step(1.0 / 60.0);
        }
        let off = (momentum(&world) - before).abs() / f64::from(pile.ratio);
        assert!(off < 1.0e-4, "{seed}: off by {off} of the mass times 1 m/s");
    }
}

/// Seen in a mirror, piles stay where they stay, and do so whatever else there is in the world.
#[test]
fn piles_do_not_know_of_mirrors_and_neighbours() {
    for seed in 300..312 {
        let pile = draw_pile(&mut Rng::new(seed), 0.0);
        let places = |side: f32, neighbour: bool| {
            let mut world = with_floor(restless(), 0.6);
            let bodies = add_pile(&mut world, &pile, 0.0, side);
            if neighbour {
                add_pile(&mut world, &draw_pile(&mut Rng::new(seed + 50), 0.5), 100.0, 1.0);
            }
            (0..60).for_each(|_| world.step(1.0 / 60.0));
            bodies.iter().map(|&id| world.body(id).position()).collect::<Vec<Vec2>>()
        };
        let alone = places(1.0, false);
        assert_eq!(alone, places(1.0, true), "{seed}");
        for (here, there) in alone.iter().zip(places(-1.0, false)) {
            assert!((*here - vec2(-there.x, there.y)).length() < 1.0e-4, "{seed}: {here} and {there}");
        }
    }
}

/// Many piles at once are the same to the bit on any number of threads and with any broad phase.
#[test]
fn piles_are_the_same_for_all_threads() {
    let hash = |threads: u32, broad_phase: BroadPhaseKind| {
        let mut world = with_floor(WorldDef { threads, broad_phase, ..WorldDef::default() }, 0.6);
        for number in 0..60_u8 {
            let mut rng = Rng::new(400 + u64::from(number));
            let drop = rng.range(0.0, 1.0);
            add_pile(&mut world, &draw_pile(&mut rng, drop), 15.0 * f32::from(number) - 450.0, 1.0);
        }
        (0..120).for_each(|_| world.step(1.0 / 60.0));
        world.state_hash()
    };
    let expected = hash(1, BroadPhaseKind::Tree);
    assert_eq!(hash(3, BroadPhaseKind::Tree), expected);
    assert_eq!(hash(2, BroadPhaseKind::Quadtree(QuadtreeDef::default())), expected);
}

/// Boxes whose densities differ by up to a thousand fall into a bin and come to rest there: what heavy ones squeeze is not shot
/// out of it, nor through its walls. Not all do: of 1200 heaps (seeds 500 to 899, 1000 to 1399 and 2000 to 2399) a box was shot out
/// of two, and nine more were awake after 40 s, in cycles of a few steps of light boxes squeezed by heavy ones. One in
/// 36 may.
#[test]
fn heaps_of_heavy_and_light_boxes_come_to_rest() {
    let late: Vec<u64> = (500..536).filter(|&seed| !heap_comes_to_rest(seed)).collect();
    assert!(late.len() <= 1, "these heaps do not come to rest in 20 s: {late:?}");
}

fn heap_comes_to_rest(seed: u64) -> bool {
    let mut rng = Rng::new(seed);
    let mut world = with_floor(WorldDef::default(), 0.6);
    let walls = world.add_body(BodyDef::fixed()).unwrap();
    for x in [-4.5, 4.5] {
        world.add_shape(walls, ShapeDef { position: vec2(x, 10.0), ..ShapeDef::rectangle(1.0, 20.0) }).unwrap();
    }
    let bodies: Vec<BodyId> = (0..30_u8)
        .map(|i| {
            let position = vec2(rng.range(-3.0, 3.0), 1.0 + 0.6 * f32::from(i));
            let angle = rng.range(0.0, 6.0);
            let body = world.add_body(BodyDef { position, angle, ..BodyDef::dynamic() }).unwrap();
            let density = log_range(&mut rng, 1.0, 1.0e3);
            let shape = ShapeDef::rectangle(rng.range(0.4, 1.0), rng.range(0.4, 1.0));
            world.add_shape(body, ShapeDef { density, friction: 0.6, ..shape }).unwrap();
            body
        })
        .collect();
    for _ in 0..1200 {
        world.step(1.0 / 60.0);
        if bodies.iter().all(|&id| world.body(id).is_sleeping()) {
            return bodies.iter().all(|&id| {
                let place = world.body(id).position();
                place.x.abs() < 4.0 && place.y > 0.0
            });
        }
    }
    false
}
