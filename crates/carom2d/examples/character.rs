//! A character walks up a slope, climbs a step and ends on a raft. `cargo run --example character -p carom2d`

use carom2d::prelude::*;
use carom2d::{Character, CharacterDef, ExplosionDef};

fn main() -> Result<(), DefError> {
    let mut world = World::new(WorldDef::default());
    let ground = world.add_body(BodyDef::fixed())?;
    world.add_shape(ground, ShapeDef { position: vec2(0.0, -0.5), ..ShapeDef::rectangle(24.0, 1.0) })?;
    world.add_shape(ground, ShapeDef::convex(&[vec2(2.0, 0.0), vec2(5.0, 1.5), vec2(8.0, 1.5), vec2(8.0, 0.0)]))?;
    world.add_shape(ground, ShapeDef { position: vec2(7.5, 1.65), ..ShapeDef::rectangle(1.0, 0.3) })?;

    // A pool to the right, with a raft in it.
    let pool = Aabb::new(vec2(12.0, -8.0), vec2(30.0, -0.3));
    let water = FluidDef { density: 100.0, linear_drag: 300.0, ..FluidDef::default() };
    world.add_fluid(FluidDef { region: FluidRegion::Box(pool), ..water })?;
    let raft = world.add_body(BodyDef { position: vec2(14.1, -0.3), ..BodyDef::dynamic() })?;
    world.add_shape(raft, ShapeDef { density: 40.0, ..ShapeDef::rectangle(4.0, 0.6) })?;

    let mut hero = Character::new(CharacterDef::default(), vec2(0.0, 1.0))?;
    let (dt, mut fall) = (1.0 / 60.0, 0.0);
    for step in 0..=300 {
        world.step(dt);
        let walk = if hero.position().x < 14.0 { 4.0 } else { 0.0 };
        fall = world.move_character(&mut hero, vec2(walk, fall - 10.0 * dt), dt)?.velocity.y;
        if hero.ground().is_some() {
            fall = 0.0;
        }
        if step % 30 == 0 {
            let (p, on) = (hero.position(), hero.ground().map(|ground| ground.body));
            let on = on.map_or("in the air", |body| if body == raft { "on the raft" } else { "on the ground" });
            println!("{:4.1} s: {:5.2}, {:4.2} m, {on}", step as f32 * dt, p.x, p.y);
        }
    }
    // The end: something explodes under the raft.
    let blast = ExplosionDef { center: vec2(14.0, -1.0), radius: 2.0, impulse_per_length: 300.0, ..Default::default() };
    println!("the explosion moves {} body", world.explode(&blast)?);
    Ok(())
}
