//! A patch of ice and a one-way platform. `cargo run --example hooks -p carom2d`

use carom2d::prelude::*;
use carom2d::{ContactView, Hooks};

/// Shapes that carry this number are icy.
const ICE: u64 = 1;

struct Rink;

impl Hooks for Rink {
    fn modify_contact(&self, contact: &mut ContactView) {
        if contact.a().shape_data == ICE || contact.b().shape_data == ICE {
            contact.friction = 0.0;
        }
    }
}

fn main() -> Result<(), DefError> {
    let mut world = World::new(WorldDef::default());
    let ground = world.add_body(BodyDef::fixed())?;
    world.add_shape(ground, ShapeDef { position: vec2(-5.0, -0.5), ..ShapeDef::rectangle(10.0, 1.0) })?;
    let ice = ShapeDef { position: vec2(5.0, -0.5), user_data: ICE, ..ShapeDef::rectangle(10.0, 1.0) };
    world.add_shape(ground, ice)?;

    // No code is needed for a platform that is open from below.
    let up = Some(vec2(0.0, 1.0));
    world.add_shape(ground, ShapeDef { position: vec2(-5.0, 2.0), one_way: up, ..ShapeDef::rectangle(2.0, 0.2) })?;

    let slider = BodyDef { position: vec2(-2.0, 0.25), velocity: vec2(6.0, 0.0), ..BodyDef::dynamic() };
    let jumper = BodyDef { position: vec2(-5.0, 0.5), velocity: vec2(0.0, 9.0), ..BodyDef::dynamic() };
    let (slider, jumper) = (world.add_body(slider)?, world.add_body(jumper)?);
    world.add_shape(slider, ShapeDef::rectangle(0.5, 0.5))?;
    world.add_shape(jumper, ShapeDef::rectangle(0.6, 1.0))?;

    for step in 0..=120 {
        if step % 20 == 0 {
            let (slider, jumper) = (world.body(slider), world.body(jumper));
            let (x, speed, height) = (slider.position().x, slider.velocity().x, jumper.position().y);
            println!("slider at {x:5.2} m, {speed:4.2} m/s; jumper at {height:4.2} m");
        }
        world.step_with(1.0 / 60.0, &Rink);
    }
    Ok(())
}
