//! Dominoes in a spiral: a ball hits the outermost, and all fall.

use super::SolidScene;
use super::builder::Builder;
use crate::color::Color;
use crate::script::{Unmet, require};
use carom_core::math::{atan2_64, sin_cos64};
use carom3d::math::{DVec3, Quat, dvec3};
use carom3d::{BodyDef, Material, Scene, WorldDef};
use std::f64::consts::TAU;

pub(super) const SCENE: SolidScene = SolidScene {
    name: "domino_spiral",
    summary: "a ball rolls into ninety dominoes in a spiral, and they fall one after the other",
    seconds: 12.0,
    make,
    check,
};

const DOMINOES: usize = 90;
const HALF: DVec3 = dvec3(0.04, 0.3, 0.15);
/// From domino to domino along the spiral.
const GAP: f64 = 0.3;
/// The outermost radius, and how much it shrinks in a turn.
const OUTER: f64 = 2.5;
const PITCH: f64 = 0.72;

/// Where the spiral is after an angle.
fn spiral(angle: f64) -> DVec3 {
    let radius = OUTER - PITCH * angle / TAU;
    let (sin, cos) = sin_cos64(angle);
    dvec3(radius * cos, 0.0, radius * sin)
}

/// Places and directions along the spiral, at equal distances.
fn places() -> Vec<(DVec3, DVec3)> {
    let mut angle = 0.0;
    (0..DOMINOES)
        .map(|_| {
            let here = spiral(angle);
            let along = spiral(angle + 1.0e-4) - here;
            angle += GAP / (OUTER - PITCH * angle / TAU);
            (here, along / along.length())
        })
        .collect()
}

fn make() -> Scene {
    let mut builder = Builder::new(WorldDef::default(), 240.0, dvec3(0.6, 4.3, 6.4), dvec3(0.0, -0.15, 0.1));
    let wood = Material { friction: 0.35, restitution: 0.1, rolling_resistance: 0.0 };
    builder.floor(dvec3(0.0, 0.0, 0.0), Material { friction: 0.6, ..wood });
    let places = places();
    for (i, &(place, along)) in places.iter().enumerate() {
        let share = i as f64 / (DOMINOES - 1) as f64;
        let surface = builder.surface(rainbow(share), 0.35);
        // The thin side along the spiral.
        let orientation = Quat::from_axis_angle(DVec3::Y, atan2_64(-along.z, along.x));
        let position = place + DVec3::Y * HALF.y;
        builder.solid(BodyDef { position, orientation, mass: 0.2, material: wood, ..BodyDef::cuboid(HALF) }, surface);
    }
    let steel = builder.surface(Color { r: 176, g: 186, b: 198 }, 0.9);
    let (first, along) = places[0];
    let radius = 0.16;
    let position = first - along * 1.1 + DVec3::Y * radius;
    let velocity = along * 2.6;
    let angular_velocity = DVec3::Y.cross(velocity) / radius;
    builder.ball(
        BodyDef { position, velocity, angular_velocity, mass: 0.4, material: wood, ..BodyDef::sphere(radius) },
        steel,
    );
    builder.scene()
}

/// From red over yellow and green to blue.
fn rainbow(share: f64) -> Color {
    let stops =
        [[196.0, 62.0, 52.0], [232.0, 160.0, 48.0], [88.0, 152.0, 84.0], [58.0, 110.0, 178.0], [120.0, 82.0, 160.0]];
    let place = share * (stops.len() - 1) as f64;
    // The cast keeps to whole numbers that there are.
    let (i, t) = ((place as usize).min(stops.len() - 2), place - (place as usize).min(stops.len() - 2) as f64);
    let part = |c: usize| (stops[i][c] + t * (stops[i + 1][c] - stops[i][c])).round() as u8;
    Color { r: part(0), g: part(1), b: part(2) }
}

/// All have fallen.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let standing =
        scene.solids.iter().filter(|solid| scene.world.body(solid.body).orientation().rotate(DVec3::Y).y > 0.9);
    let standing = standing.count();
    require(standing == 0, || format!("{standing} of {DOMINOES} dominoes still stand"))?;
    for (i, solid) in scene.solids.iter().enumerate() {
        let place = scene.world.body(solid.body).position();
        require(place.y > 0.0 && place.length() < 4.5, || format!("domino {i} is at {place}"))?;
    }
    Ok(())
}
