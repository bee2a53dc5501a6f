//! What a step costs where there is little to do: a world of ten bodies, and one of fifty thousand that all sleep.
//!
//! ```sh
//! cargo run --release -p carom2d --example small_worlds
//! ```

use carom2d::prelude::*;
use std::time::Instant;

const DT: f32 = 1.0 / 60.0;

fn main() -> Result<(), DefError> {
    let mut stacked = floor(WorldDef { sleeping: false, ..WorldDef::default() })?;
    for row in 0..9u8 {
        add_box(&mut stacked, vec2(0.0, f32::from(row) + 0.5), true)?;
    }
    report("ten bodies in a stack", &mut stacked);

    let mut flying = floor(WorldDef { gravity: Vec2::ZERO, sleeping: false, ..WorldDef::default() })?;
    for column in 0..9u8 {
        add_box(&mut flying, vec2(2.0 * f32::from(column), 20.0), true)?;
    }
    report("ten bodies apart", &mut flying);

    let mut asleep = floor(WorldDef::default())?;
    for place in 0..50_000u16 {
        add_box(&mut asleep, vec2(f32::from(place % 500) * 1.5 - 375.0, f32::from(place / 500) * 1.5 + 1.0), false)?;
    }
    report("50,000 bodies asleep", &mut asleep);

    let mut one_awake = asleep;
    add_box(&mut one_awake, vec2(-500.0, 0.5), true)?;
    one_awake.set_def(WorldDef { sleep_delay_s: 1.0e9, ..WorldDef::default() })?;
    report("one awake beside them", &mut one_awake);
    Ok(())
}

fn floor(def: WorldDef) -> Result<World, DefError> {
    let mut world = World::new(def);
    let floor = world.add_body(BodyDef { position: vec2(0.0, -0.5), ..BodyDef::fixed() })?;
    world.add_shape(floor, ShapeDef::rectangle(1.0e4, 1.0))?;
    Ok(world)
}

fn add_box(world: &mut World, position: Vec2, awake: bool) -> Result<(), DefError> {
    let body = world.add_body(BodyDef { position, awake, ..BodyDef::dynamic() })?;
    world.add_shape(body, ShapeDef::rectangle(1.0, 1.0))?;
    Ok(())
}

/// Prints the cost of a step, after the world has settled: the least of many short rounds, most of which nothing
/// else on the machine interrupts.
fn report(name: &str, world: &mut World) {
    const ROUND: u32 = 50;
    for _ in 0..ROUND {
        world.step(DT);
    }
    let mut least = f64::INFINITY;
    for _ in 0..200 {
        let start = Instant::now();
        for _ in 0..ROUND {
            world.step(DT);
        }
        let each = start.elapsed().as_secs_f64() * 1.0e6 / f64::from(ROUND);
        least = if each < least { each } else { least };
    }
    println!(
        "{name:24} {least:8.2} us per step, {} awake, {} contacts",
        world.awake_body_count(),
        world.contact_count()
    );
}
