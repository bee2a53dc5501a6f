//! A moon, and a leaf in the wind. `cargo run --example fields -p carom2d`

use carom2d::prelude::*;
use carom2d::{FieldBody, PointGravity, Push, Wind};

const DT: f32 = 1.0 / 60.0;

fn main() -> Result<(), DefError> {
    let mut space = World::new(WorldDef { gravity: Vec2::ZERO, ..WorldDef::default() });
    let planet = PointGravity { center: Vec2::ZERO, strength: 1000.0, softening: 0.0 };
    // At this speed it goes round in a circle of 10 m, in 2 pi seconds.
    let moon = BodyDef { position: vec2(10.0, 0.0), velocity: vec2(0.0, 10.0), ..BodyDef::dynamic() };
    let moon = space.add_body(moon)?;
    space.add_shape(moon, ShapeDef::circle(0.5))?;
    for step in 0..=377 {
        if step % 47 == 0 {
            let position = space.body(moon).position();
            println!("moon at {:6.2}, {:6.2}: {:.3} m out", position.x, position.y, position.length());
        }
        space.apply_field(&planet, DT)?;
        space.step(DT);
    }

    // A leaf falls through wind from the left, and a field of our own lifts it near the ground.
    let mut garden = World::new(WorldDef::default());
    let leaf = garden.add_body(BodyDef { position: vec2(0.0, 4.0), angle: 0.4, ..BodyDef::dynamic() })?;
    garden.add_shape(leaf, ShapeDef { density: 0.2, ..ShapeDef::ellipse(0.4, 0.05) })?;
    // The stem is heavy for the wind that it catches, so the leaf turns.
    let stem = ShapeDef::capsule(vec2(0.4, 0.0), vec2(0.7, 0.0), 0.02);
    garden.add_shape(leaf, ShapeDef { density: 2.0, ..stem })?;
    let updraught = |body: &FieldBody| {
        let near = (2.0 - body.center().y).clamp(0.0, 2.0);
        Push::force(vec2(0.0, 8.0 * near * body.mass()))
    };
    let wind = Wind { velocity: vec2(3.0, 0.0), density: 0.2, drag: 1.0 };
    for step in 0..=240 {
        if step % 30 == 0 {
            let leaf = garden.body(leaf);
            println!("leaf at {:5.2}, {:4.2} m, {:5.2} rad", leaf.position().x, leaf.position().y, leaf.angle());
        }
        garden.apply_field(&updraught, DT)?;
        garden.apply_field(&wind, DT)?;
        garden.step(DT);
    }
    Ok(())
}
