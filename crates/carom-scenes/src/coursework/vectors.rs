//! Vector arithmetic, shown by markers that go where the results point.

use super::{CAMERA, DT, MIDDLE};
use crate::color::Color;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, at_most, drive_to, find_body};
use crate::setup::{Setup, kinematic_at, weightless};
use carom_core::math::max;
use carom2d::math::{Rot, right_perp};
use carom2d::prelude::*;
use std::f32::consts::TAU;

pub(crate) const SCENE: Scene = Scene {
    name: "vectors",
    summary: "markers show sum, difference, multiple, fraction and projection of a turning vector",
    group: Group::Coursework,
    steps: 400,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: weightless,
    build,
};

/// Steps for a full turn, through all four quadrants.
const TURN: f32 = 300.0;
/// The vector that stays.
const B: Vec2 = Vec2::new(1.2, 0.5);

/// The vector that turns.
fn turning(step: u32) -> Vec2 {
    Rot::from_angle(TAU * step as f32 / TURN).rotate(vec2(1.6, 0.0))
}

/// The direction of the screen's diagonal.
fn axis() -> Vec2 {
    let diagonal = vec2(12.8, 7.2);
    diagonal / diagonal.length()
}

/// Where the markers belong, as seen from the middle: a, b, a + b, a - b, 1.5 a, a / 2, and the
/// projection of a on the diagonal.
fn results(a: Vec2) -> [Vec2; 7] {
    [a, B, a + B, a - B, a * 1.5, a / 2.0, axis() * a.dot(axis())]
}

#[derive(Clone, Debug)]
struct Vectors {
    markers: Vec<BodyId>,
    /// Number of the step under way.
    step: u32,
    /// Largest distance of a marker from where it belongs, in metres.
    misplaced: f32,
    /// Largest part of a - projection along the diagonal, in metres.
    slanted: f32,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    // Points along the diagonal, to see what is projected on.
    for i in -4..=4i8 {
        let dot = ShapeDef { sensor: true, ..ShapeDef::circle(0.03) };
        setup.add(BodyDef { position: MIDDLE + axis() * f32::from(i), ..BodyDef::fixed() }, dot)?;
    }
    let mut markers = Vec::new();
    for (i, place) in results(turning(0)).into_iter().enumerate() {
        let shape = ShapeDef { sensor: true, ..ShapeDef::circle(0.1) };
        markers.push(setup.add_colored(kinematic_at(MIDDLE + place), shape, Color::nth(i))?);
    }
    Ok(Box::new(Vectors { markers, step: 0, misplaced: 0.0, slanted: 0.0 }))
}

impl Script for Vectors {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, step: u32) {
        self.step = step + 1;
        for (&marker, place) in self.markers.iter().zip(results(turning(self.step))) {
            drive_to(world, marker, MIDDLE + place, DT);
        }
    }

    fn after_step(&mut self, world: &World) {
        let a = turning(self.step);
        for (&marker, place) in self.markers.iter().zip(results(a)) {
            if let Some(body) = world.get_body(marker) {
                self.misplaced = max((body.position() - MIDDLE - place).length(), self.misplaced);
            }
        }
        if let Some(projection) = self.markers.last().and_then(|&id| world.get_body(id)) {
            let projection = projection.position() - MIDDLE;
            let along = (a - projection).dot(axis()).abs();
            let aside = projection.dot(right_perp(axis())).abs();
            self.slanted = max(max(along, aside), self.slanted);
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        for &marker in &self.markers {
            find_body(world, marker)?;
        }
        at_most("the largest distance in m of a marker from its place", self.misplaced, 1.0e-5)?;
        at_most("the error in m of the projection", self.slanted, 1.0e-5)
    }
}
