//! A box thrown at another, and a sensor that passes through everything.

use super::{CAMERA, DT, heavy, pixel};
use crate::color::Color;
use crate::measure;
use crate::scene::{Group, Scene};
use crate::script::{EventCounts, Script, Unmet, at_most, find_body, near, require};
use crate::setup::{Setup, dynamic_at, fixed_at, kinematic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "collisions",
    summary: "a thrown box hits a fixed one and lands; a sensor passes through all of them",
    group: Group::Coursework,
    steps: 350,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: heavy,
    build,
};

#[derive(Clone, Debug)]
struct Collisions {
    thrown: BodyId,
    floor: BodyId,
    obstacle: BodyId,
    sensor: BodyId,
    met_obstacle: bool,
    counts: EventCounts,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let square = || ShapeDef::rectangle(1.0, 1.0);
    let floor = setup.block(pixel(640.0, 600.0), 10.0, 1.0)?;
    let obstacle = setup.add(fixed_at(pixel(900.0, 430.0)), square())?;
    let body = BodyDef { velocity: vec2(5.0, 2.0), ..dynamic_at(pixel(350.0, 350.0)) };
    let thrown = setup.add_colored(body, ShapeDef { restitution: 0.2, ..square() }, Color::RED)?;
    // Arrives when the box has come to rest, low enough to meet the floor, too.
    let body = BodyDef { velocity: vec2(4.0, 0.0), ..kinematic_at(pixel(-1000.0, 510.0)) };
    let sensor = setup.add(body, ShapeDef { sensor: true, ..square() })?;
    let counts = EventCounts::default();
    Ok(Box::new(Collisions { thrown, floor, obstacle, sensor, met_obstacle: false, counts }))
}

/// Do these two touch now?
fn touch(world: &World, a: BodyId, b: BodyId) -> bool {
    let of = |shape| world.shape(shape).body();
    world.get_body(a).is_some_and(|body| {
        body.contacts()
            .any(|contact| contact.is_touching() && (of(contact.shape_a()) == b || of(contact.shape_b()) == b))
    })
}

impl Script for Collisions {
    fn after_step(&mut self, world: &World) {
        self.met_obstacle |= touch(world, self.thrown, self.obstacle);
        self.counts.add(world.events());
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        require(self.met_obstacle, || "the thrown box never hit the fixed one".to_owned())?;
        require(touch(world, self.thrown, self.floor), || "the thrown box does not lie on the floor".to_owned())?;
        near("the height in m of the box on the floor", find_body(world, self.thrown)?.position().y, 2.2, 0.01)?;
        at_most("the top speed in m/s", measure::top_speed(world), 1.0e-3)?;
        let sensor = find_body(world, self.sensor)?;
        near("the way in m of the sensor", sensor.position().x, -10.0 + 4.0 * 7.0, 1.0e-3)?;
        // The floor, the fixed box and the thrown one: each begins once and ends once.
        let expected = EventCounts { sensor_begin: 3, sensor_end: 3, ..EventCounts::default() };
        require(self.counts == expected, || format!("expected three sensor begins and ends, found {:?}", self.counts))
    }
}
