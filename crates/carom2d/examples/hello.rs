//! A brick falls on the ground and comes to rest.

use carom2d::prelude::*;

fn main() -> Result<(), DefError> {
    let mut world = World::new(WorldDef::default());

    let ground = world.add_body(BodyDef::fixed())?;
    world.add_shape(ground, ShapeDef::rectangle(100.0, 1.0))?;

    let brick = world.add_body(BodyDef { position: vec2(0.0, 4.0), ..BodyDef::dynamic() })?;
    world.add_shape(brick, ShapeDef { friction: 0.4, ..ShapeDef::rectangle(1.0, 0.5) })?;

    for second in 0..=3 {
        let body = world.body(brick);
        let state = if body.is_sleeping() { "at rest" } else { "moving" };
        println!("{second} s: height {:.3} m, speed {:.3} m/s, {state}", body.position().y, body.velocity().length());
        for _ in 0..60 {
            world.step(1.0 / 60.0);
        }
    }
    Ok(())
}
