//! Hills made of one chain of a thousand links, over which things glide as over a curve.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, find_body, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::math::{max, sin_cos};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "chain_hills",
    summary: "a disc, a box, a capsule and a pebble glide over hills of a thousand links, and keep their energy",
    group: Group::Shapes,
    steps: 600,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(30.0, 2.0), half_height: 18.0 },
    known_gap: None,
    world: || WorldDef { sleeping: false, ..WorldDef::default() },
    build,
};

const LINKS: u32 = 1000;
const LENGTH: f32 = 60.0;

/// Two valleys between three hills; the outer ones are higher.
fn height(x: f32) -> f32 {
    let (s, _) = sin_cos(std::f32::consts::TAU * (x - 7.5) / 30.0);
    let middle = (x - 0.5 * LENGTH) / (0.5 * LENGTH);
    -2.5 * s + 6.0 * middle * middle * middle * middle
}

/// One thing that glides, its energy per mass at the start, and how much of it was lost or won at most.
#[derive(Clone, Debug)]
struct Glider {
    name: &'static str,
    body: BodyId,
    energy: f32,
    change: f32,
}

#[derive(Clone, Debug)]
struct ChainHills {
    gliders: Vec<Glider>,
}

/// Energy over mass in m^2/s^2.
fn energy(world: &World, id: BodyId) -> Result<f32, Unmet> {
    let body = find_body(world, id)?;
    let spin = body.inertia() * body.angular_velocity() * body.angular_velocity() / body.mass();
    Ok(10.0 * body.center().y + 0.5 * (body.velocity().length_squared() + spin))
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    // From right to left: the solid side of a chain is on the right of the way it runs.
    let points: Vec<Vec2> =
        (0..=LINKS).rev().map(|i| LENGTH * i as f32 / LINKS as f32).map(|x| vec2(x, height(x))).collect();
    setup.add(BodyDef::fixed(), ShapeDef { friction: 0.0, ..ShapeDef::chain(&points) })?;
    let shapes = [
        ("the disc", 0.5, ShapeDef::circle(0.5)),
        ("the box", 0.4, ShapeDef { rounding: 0.1, ..ShapeDef::rectangle(0.8, 0.6) }),
        ("the capsule", 0.3, ShapeDef::capsule(vec2(-0.4, 0.0), vec2(0.4, 0.0), 0.3)),
        ("the pebble", 0.4, ShapeDef::ellipse(0.6, 0.4)),
    ];
    let mut gliders = Vec::new();
    for (i, (name, above, shape)) in shapes.into_iter().enumerate() {
        let x = 7.0 + 2.0 * i as f32;
        let slope = (height(x + 0.01) - height(x - 0.01)) / 0.02;
        let across = vec2(-slope, 1.0) / (1.0 + slope * slope).sqrt();
        let body =
            BodyDef { angle: carom2d::math::atan2(slope, 1.0), ..dynamic_at(vec2(x, height(x)) + across * above) };
        // Each for itself.
        let filter = Filter { group: -1, ..Filter::ALL };
        let id = setup.add_colored(body, ShapeDef { friction: 0.0, filter, ..shape }, Color::nth(i))?;
        gliders.push(Glider { name, body: id, energy: 10.0 * setup.world.body(id).center().y, change: 0.0 });
    }
    Ok(Box::new(ChainHills { gliders }))
}

impl Script for ChainHills {
    fn after_step(&mut self, world: &World) {
        for glider in &mut self.gliders {
            if let Ok(now) = energy(world, glider.body) {
                glider.change = max((now - glider.energy).abs(), glider.change);
            }
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        for Glider { name, body, change, .. } in &self.gliders {
            let p = find_body(world, *body)?.center();
            require(p.y > height(p.x), || format!("{name} fell through the ground at {p}"))?;
            // What half a metre of height is worth; the hills are five metres high.
            at_most(&format!("the change of energy of {name} per mass"), *change, 5.0)?;
        }
        Ok(())
    }
}
