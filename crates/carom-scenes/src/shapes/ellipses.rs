//! Ellipses of all proportions, from discs to needles.

use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_inside, at_most};
use crate::setup::{Setup, dynamic_at};
use carom_core::Rng;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "ellipses",
    summary: "pebbles, from round to flat, fall into a box and settle on their sides",
    group: Group::Shapes,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 4.0), half_height: 5.0 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Inside of the box.
const ROOM: Aabb = Aabb { min: Vec2::new(-6.0, 0.0), max: Vec2::new(6.0, 40.0) };

#[derive(Clone, Debug)]
struct Ellipses;

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(ROOM, 0.5, Material::default())?;
    let mut rng = Rng::new(12);
    for i in 0..80_usize {
        let (column, row) = ((i % 8) as f32, (i / 8) as f32);
        let half_width = rng.range(0.3, 0.6);
        let half_height = half_width * rng.range(0.3, 1.0);
        let position = vec2(-4.9 + 1.4 * column, 1.0 + 1.4 * row);
        let body = BodyDef { angle: rng.range(-3.0, 3.0), angular_damping: 0.5, ..dynamic_at(position) };
        let shape = ShapeDef { rolling_resistance: 0.02, ..ShapeDef::ellipse(half_width, half_height) };
        setup.add_colored(body, shape, Color::nth(i))?;
    }
    Ok(Box::new(Ellipses))
}

impl Script for Ellipses {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, ROOM)?;
        at_most("the deepest overlap", measure::deepest_penetration(world), 0.02)?;
        at_most("the speed of the fastest pebble in m/s", measure::top_speed(world), 0.2)
    }
}
