//! A ball drops through a sensor and bounces until it sleeps: every event, as it happens.

use carom2d::prelude::*;

fn main() -> Result<(), DefError> {
    let mut world = World::new(WorldDef::default());

    let ground = world.add_body(BodyDef::fixed())?;
    world.add_shape(ground, ShapeDef { position: vec2(0.0, -0.5), ..ShapeDef::rectangle(20.0, 1.0) })?;
    // A sensor reports what passes through it and stops nothing.
    let gate = ShapeDef { position: vec2(0.0, 2.0), sensor: true, ..ShapeDef::rectangle(4.0, 0.5) };
    world.add_shape(ground, gate)?;

    let ball = world.add_body(BodyDef { position: vec2(0.0, 4.0), ..BodyDef::dynamic() })?;
    world.add_shape(ball, ShapeDef { restitution: 0.5, ..ShapeDef::circle(0.25) })?;

    for step in 1..=360 {
        world.step(1.0 / 60.0);
        let time = f64::from(step) / 60.0;
        let events = world.events();
        for event in &events.sensor_begin {
            println!("{time:.2} s: {:?} enters {:?}", event.visitor, event.sensor);
        }
        for event in &events.sensor_end {
            println!("{time:.2} s: {:?} leaves {:?}", event.visitor, event.sensor);
        }
        for hit in &events.contact_hit {
            println!("{time:.2} s: a hit at {:.2} m/s, {:.2} N s", hit.approach_speed, hit.impulse);
        }
        for body in &events.body_slept {
            println!("{time:.2} s: {body:?} falls asleep");
        }
    }
    Ok(())
}
