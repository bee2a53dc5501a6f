//! A chain of light links with a heavy bob.

use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, find_body, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::math::max;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "chain_and_bob",
    summary: "a chain of twenty links swings a bob of twenty times the weight of one",
    group: Group::Joints,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, -3.6), half_height: 5.0 },
    known_gap: None,
    world: || WorldDef { substeps: 8, ..WorldDef::default() },
    build,
};

const LINKS: u8 = 20;
const LINK: f32 = 0.3;
const RADIUS: f32 = 0.8;

#[derive(Clone, Debug)]
struct ChainAndBob {
    bob: BodyId,
    /// Widest gap of a pin, and longest distance of the bob from the hook, so far, in metres.
    gap: f32,
    reach: f32,
    /// Farthest to the left that the bob got.
    left: f32,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let hook = setup.block(vec2(0.0, 0.15), 1.6, 0.3)?;
    // Links of one chain pass through each other; the bob is beyond their reach.
    let mut before = hook;
    for i in 0..LINKS {
        let x = LINK * (f32::from(i) + 0.5);
        let half = vec2(0.5 * LINK - 0.05, 0.0);
        let link = super::ghost(ShapeDef { density: 3.0, ..ShapeDef::capsule(-half, half, 0.06) });
        let color = if i % 2 == 0 { Color::BLUE } else { Color::STONE };
        let link = setup.add_colored(dynamic_at(vec2(x, 0.0)), link, color)?;
        setup.pin(before, link, vec2(x - 0.5 * LINK, 0.0))?;
        before = link;
    }
    let end = LINK * f32::from(LINKS);
    let bob = ShapeDef { density: 1.2, ..ShapeDef::circle(RADIUS) };
    let bob = setup.add_colored(dynamic_at(vec2(end + RADIUS, 0.0)), bob, Color::VIOLET)?;
    setup.pin(before, bob, vec2(end, 0.0))?;
    Ok(Box::new(ChainAndBob { bob, gap: 0.0, reach: 0.0, left: 0.0 }))
}

impl Script for ChainAndBob {
    fn after_step(&mut self, world: &World) {
        self.gap = max(measure::widest_gap(world), self.gap);
        if let Some(bob) = world.get_body(self.bob) {
            self.reach = max(bob.position().length(), self.reach);
            self.left = max(-bob.position().x, self.left);
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        find_body(world, self.bob)?;
        let length = LINK * f32::from(LINKS) + RADIUS;
        require(self.left > 0.8 * length, || format!("the bob swung to the left by {} m only", self.left))?;
        at_most("the widest gap of a pin in m", self.gap, 0.05)?;
        at_most("the farthest that the bob was from the hook in m", self.reach, 1.08 * f64::from(length))
    }
}
