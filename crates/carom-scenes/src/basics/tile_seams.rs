//! A floor of flush tiles is as smooth as one slab: nothing may trip over the seams.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most};
use crate::setup::{Setup, dynamic_at};
use carom2d::math::max;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "tile_seams",
    summary: "a box, a capsule and a disc glide at 10 m/s over 200 flush tiles without tripping",
    group: Group::Basics,
    steps: 1100,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(28.5, 6.0), half_height: 16.5 },
    known_gap: None,
    world: || WorldDef { sleeping: false, ..WorldDef::default() },
    build,
};

const TILES: u32 = 200;
const SPEED: f32 = 10.0;

/// One thing that glides, and the worst of its ride so far.
#[derive(Clone, Debug)]
struct Glider {
    name: &'static str,
    body: BodyId,
    start_height: f32,
    hop: f32,
    speed_change: f32,
}

#[derive(Clone, Debug)]
struct TileSeams {
    gliders: Vec<Glider>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    for i in 0..TILES {
        let center = vec2(0.5 + i as f32, -0.5);
        let tile = ShapeDef { friction: 0.0, ..ShapeDef::rectangle(1.0, 1.0) };
        setup.add(BodyDef { position: center, ..BodyDef::fixed() }, tile)?;
    }
    let shapes = [
        ("the box", 0.5, ShapeDef::rectangle(1.0, 1.0)),
        ("the capsule", 0.3, ShapeDef::capsule(vec2(-0.3, 0.0), vec2(0.3, 0.0), 0.3)),
        ("the disc", 0.5, ShapeDef::circle(0.5)),
    ];
    let mut gliders = Vec::new();
    for (i, (name, start_height, shape)) in shapes.into_iter().enumerate() {
        let position = vec2(2.0 + 4.0 * i as f32, start_height);
        let body = BodyDef { velocity: vec2(SPEED, 0.0), ..dynamic_at(position) };
        // Whatever happens to one of them must not disturb the others.
        let filter = Filter { group: -1, ..Filter::ALL };
        let body = setup.add_colored(body, ShapeDef { friction: 0.0, filter, ..shape }, Color::nth(i))?;
        gliders.push(Glider { name, body, start_height, hop: 0.0, speed_change: 0.0 });
    }
    Ok(Box::new(TileSeams { gliders }))
}

impl Script for TileSeams {
    fn after_step(&mut self, world: &World) {
        for glider in &mut self.gliders {
            if let Some(body) = world.get_body(glider.body) {
                glider.hop = max(body.position().y - glider.start_height, glider.hop);
                glider.speed_change = max((body.velocity().x - SPEED).abs(), glider.speed_change);
            }
        }
    }

    fn check(&self, _: &World) -> Result<(), Unmet> {
        for Glider { name, hop, speed_change, .. } in &self.gliders {
            at_most(&format!("the highest hop of {name} in m"), *hop, 1.0e-3)?;
            at_most(&format!("the change of speed of {name} in m/s"), *speed_change, 1.0e-3 * f64::from(SPEED))?;
        }
        Ok(())
    }
}
