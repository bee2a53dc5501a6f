//! People who fall down the stairs.

use crate::color::Color;
use crate::measure;
use crate::ragdoll::{Part, Person, add_person};
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_alive, at_most, require};
use crate::setup::Setup;
use carom2d::math::max;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "ragdolls",
    summary: "six people of eleven bones and ten joints tumble down the stairs and lie still",
    group: Group::Joints,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 3.3), half_height: 4.0 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const PEOPLE: u8 = 6;
const STAIRS: u8 = 9;

#[derive(Clone, Debug)]
struct Ragdolls {
    /// Widest gap of a pin, and farthest that one was beyond its limits, so far.
    gap: f32,
    overturn: f32,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 14.0, 1.0)?;
    for side in [-1.0, 1.0] {
        setup.block(vec2(6.5 * side, 3.5), 1.0, 9.0)?;
    }
    // All from the left wall on: what overlaps has no seams, neither to see nor to get caught in.
    for stair in 0..STAIRS {
        let (height, width) = (0.3 * f32::from(STAIRS - stair), 1.7 + 0.6 * f32::from(stair));
        setup.block(vec2(-6.0 + 0.5 * width, 0.5 * height), width, height)?;
    }

    for i in 0..PEOPLE {
        let person = Person {
            position: vec2(-5.2 + 0.55 * f32::from(i), 2.9 + 0.55 * f32::from(i)),
            group: i32::from(i) + 1,
            friction: 0.05,
            spring: Spring::new(2.0, 0.5),
            contact_events: true,
        };
        for (id, part) in add_person(setup.world, &person)? {
            let shirt = Color::nth(usize::from(i));
            let color = match part {
                Part::Head | Part::Hand => Color::SAND,
                Part::Torso | Part::Arm => shirt,
                Part::Hip | Part::Thigh | Part::Shin => Color::STONE,
            };
            setup.colors.insert(id, color);
            let push = vec2(2.2, 0.0);
            setup.world.body_mut(id).set_velocity(push)?;
        }
    }
    Ok(Box::new(Ragdolls { gap: 0.0, overturn: 0.0 }))
}

impl Script for Ragdolls {
    fn after_step(&mut self, world: &World) {
        self.gap = max(measure::widest_gap(world), self.gap);
        self.overturn = max(measure::worst_overturn(world), self.overturn);
    }

    fn invariant(&self, world: &World) -> Result<(), Unmet> {
        all_alive(world)?;
        at_most("the speed of the fastest bone in m/s", measure::top_speed(world), 25.0)
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        let awake = world.awake_body_count();
        require(awake == 0, || format!("{awake} bones do not rest"))?;
        at_most("the widest gap of a pin in m", self.gap, 0.005)?;
        at_most("the farthest that a pin was beyond its limits in degrees", self.overturn.to_degrees(), 2.0)
    }
}
