//! Boxes meet at their corners long before the discs in them do.

use super::{CAMERA, DT, MIDDLE};
use crate::color::Color;
use crate::scene::{Group, Scene};
use crate::script::{EventCounts, Script, Unmet, drive_to, require};
use crate::setup::{Setup, kinematic_at, weightless};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "aabbs",
    summary: "two discs: first only their bounding boxes meet, then the discs themselves",
    group: Group::Coursework,
    steps: 320,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

const RADIUS: f32 = 0.5;
/// Steps of each of the two passes.
const PASS: u32 = 150;

/// Where the moving disc is, seen from the other: first past its corner along a diagonal, at a
/// distance of 1.06 m between the centres, then straight through it.
fn place(step: u32) -> Vec2 {
    if step < PASS {
        let along = 4.0 * step as f32 / PASS as f32 - 2.0;
        vec2(0.75 + along, 0.75 - along)
    } else {
        let along = 4.0 * (step - PASS) as f32 / PASS as f32 - 2.5;
        vec2(-along, 0.0)
    }
}

#[derive(Clone, Debug)]
struct Aabbs {
    mover: BodyId,
    first: EventCounts,
    second: EventCounts,
    step: u32,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let disc = || ShapeDef { sensor: true, aabb_events: true, ..ShapeDef::circle(RADIUS) };
    setup.add_colored(kinematic_at(MIDDLE), disc(), Color::BLUE)?;
    let mover = setup.add_colored(kinematic_at(MIDDLE + place(0)), disc(), Color::RED)?;
    Ok(Box::new(Aabbs { mover, first: EventCounts::default(), second: EventCounts::default(), step: 0 }))
}

impl Script for Aabbs {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, step: u32) {
        self.step = step;
        drive_to(world, self.mover, MIDDLE + place(step + 1), DT);
    }

    fn after_step(&mut self, world: &World) {
        let counts = if self.step < PASS { &mut self.first } else { &mut self.second };
        counts.add(world.events());
    }

    fn check(&self, _: &World) -> Result<(), Unmet> {
        let corner = EventCounts { aabb_begin: 1, aabb_end: 1, ..EventCounts::default() };
        require(self.first == corner, || {
            format!("past the corner only the boxes should meet, once: found {:?}", self.first)
        })?;
        // Two sensors that overlap report each other, so there are two events for one meeting.
        let through = EventCounts { aabb_begin: 1, aabb_end: 1, sensor_begin: 2, sensor_end: 2 };
        require(self.second == through, || {
            format!("on the way through boxes and discs should meet, once: found {:?}", self.second)
        })
    }
}
