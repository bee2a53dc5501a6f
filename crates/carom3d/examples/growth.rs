//! How the cost of a step grows with the number of spheres in a box of triangles.
//!
//! `cargo run --release -p carom3d --example growth [MOST SPHERES] [FEWEST SPHERES] [THREADS]`
//!
//! Three states are measured: a gas without gravity, balls that fall and collide, and the heap they make. From 100
//! spheres to 100,000 on one thread unless other numbers are given.

use carom_core::Rng;
use carom3d::prelude::*;
use std::time::Instant;

const RADIUS: f64 = 0.1;
const DT: f64 = 1.0 / 60.0;
/// Triangles along each edge of a wall, times two.
const TILES: usize = 8;

fn main() {
    let count_of = |number: usize| std::env::args().nth(number).and_then(|word| word.parse().ok());
    let (most, least): (usize, usize) = (count_of(1).unwrap_or(100_000), count_of(2).unwrap_or(100));
    let threads = count_of(3).unwrap_or(1) as u32;
    println!(
        "{:>8} {:<8} {:>8} {:>8} {:>10} {:>8} {:>9} {:>7}  stages in ms",
        "spheres", "state", "ms/step", "median", "us/sphere", "impacts", "contacts", "awake"
    );
    let mut count = least;
    while count <= most {
        // Fewer steps where each takes long.
        let steps = |wanted: usize| wanted.min(2_000_000 / count).max(5);
        measure("gas", &mut gas(count, threads), steps(60));
        let mut balls = falling(count, threads);
        measure("falling", &mut balls, steps(90));
        for _ in 0..steps(900) {
            balls.step(DT);
        }
        measure("heap", &mut balls, steps(30));
        count *= 10;
    }
}

/// Makes some steps and prints what the cheapest of them cost, and the middle one: other programs slow some of them
/// down. The stages are means.
fn measure(state: &str, world: &mut World, steps: usize) {
    let (mut times_ms, mut impacts) = (Vec::new(), 0);
    world.set_profiling(true);
    for _ in 0..steps {
        let start = Instant::now();
        world.step(DT);
        times_ms.push(start.elapsed().as_secs_f64() * 1.0e3);
        impacts += world.events().impacts.len();
    }
    times_ms.sort_by(f64::total_cmp);
    let ms = times_ms[0];
    let spheres = world.bodies().filter(|&id| world.body(id).kind() == BodyKind::Dynamic).count();
    let stages: Vec<String> =
        world.stage_times().map(|(stage, s)| format!("{stage} {:.2}", s * 1.0e3 / steps as f64)).collect();
    println!(
        "{spheres:>8} {state:<8} {ms:>8.3} {:>8.3} {:>10.3} {:>8} {:>9} {:>7}  {}",
        times_ms[steps / 2],
        ms * 1.0e3 / spheres as f64,
        impacts / steps,
        world.contact_count(),
        world.awake_count(),
        stages.join(", "),
    );
    world.set_profiling(false);
}

/// Elastic spheres that fly about; a tenth of the box is filled.
fn gas(count: usize, threads: u32) -> World {
    let mut world = World::new(WorldDef { gravity: DVec3::ZERO, threads, ..WorldDef::default() });
    scatter(&mut world, count, 3.0, Material::default());
    world
}

/// Balls that fall into a heap.
fn falling(count: usize, threads: u32) -> World {
    let mut world = World::new(WorldDef { threads, ..WorldDef::default() });
    scatter(&mut world, count, 1.0, Material { friction: 0.4, restitution: 0.5, rolling_resistance: 0.01 });
    world
}

/// Spheres on a grid inside a box of triangles, with random velocities.
fn scatter(world: &mut World, count: usize, speed: f64, material: Material) {
    let mut rng = Rng::new(count as u64);
    let side = (1..).find(|side: &usize| side * side * side >= count).unwrap_or(1);
    let spacing = 3.5 * RADIUS;
    let half = 0.5 * spacing * side as f64;
    add_box(world, half, material);
    for i in 0..count {
        let cell = dvec3((i % side) as f64, (i / (side * side)) as f64, (i / side % side) as f64);
        let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5) * 2.0;
        let position = (cell + DVec3::splat(0.5) + random() * 0.15) * spacing - DVec3::splat(half);
        let def = BodyDef { position, velocity: random() * speed, material, ..BodyDef::sphere(RADIUS) };
        world.add_body(def).expect("a sphere inside the box");
    }
}

/// The six walls of a cube around the origin, each a grid of triangles.
fn add_box(world: &mut World, half: f64, material: Material) {
    let at = |i: usize| half * (2.0 * i as f64 / TILES as f64 - 1.0);
    for axis in 0..3 {
        for side in [-half, half] {
            for (i, j) in (0..TILES * TILES).map(|tile| (tile % TILES, tile / TILES)) {
                let corner = |u: usize, v: usize| {
                    let mut corner = [side; 3];
                    corner[(axis + 1) % 3] = at(i + u);
                    corner[(axis + 2) % 3] = at(j + v);
                    DVec3::from_array(corner)
                };
                let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
                for triangle in [BodyDef::triangle(a, b, c), BodyDef::triangle(a, c, d)] {
                    world.add_body(BodyDef { material, ..triangle }).expect("corners not in a line");
                }
            }
        }
    }
}
