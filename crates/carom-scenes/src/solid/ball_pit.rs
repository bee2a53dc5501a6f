//! Balls rain into a bowl.

use super::SolidScene;
use super::builder::Builder;
use crate::color::Color;
use crate::script::{Unmet, require};
use carom_core::Rng;
use carom_core::math::sin_cos64;
use carom3d::math::dvec3;
use carom3d::{BodyDef, Material, Scene, WorldDef};
use std::f64::consts::{FRAC_PI_2, TAU};

pub(super) const SCENE: SolidScene = SolidScene {
    name: "ball_pit",
    summary: "three hundred balls of three sizes rain into a bowl made of triangles and come to rest",
    seconds: 10.0,
    make,
    check,
};

const BALLS: usize = 300;
/// Radius of the bowl, and how many triangles it has: twice around times up.
const BOWL: f64 = 2.4;
const AROUND: usize = 24;
const UP: usize = 6;

fn make() -> Scene {
    let mut builder = Builder::new(WorldDef::default(), 240.0, dvec3(2.2, 4.6, 7.4), dvec3(0.0, 1.25, 0.0));
    let clay = builder.surface(Color { r: 214, g: 202, b: 184 }, 0.1);
    let wall = Material { friction: 0.4, restitution: 0.4, rolling_resistance: 0.02 };
    builder.floor(dvec3(0.0, -0.02, 0.0), wall);
    bowl(&mut builder, wall, clay);
    let colors = Color::PALETTE.map(|color| builder.surface(color, 0.7));
    let material = Material { friction: 0.3, restitution: 0.5, rolling_resistance: 0.02 };
    let mut rng = Rng::new(5);
    for i in 0..BALLS {
        let radius = [0.11, 0.14, 0.18][i % 3];
        // A column of layers, nine balls each, that cannot touch.
        let (layer, spot) = (i / 9, i % 9);
        let mut side = |k: usize| 0.52 * (k as f64 - 1.0) + f64::from(rng.range(-0.06, 0.06));
        let position = dvec3(side(spot % 3), 2.6 + 0.45 * layer as f64, side(spot / 3));
        let mass = 400.0 * radius * radius * radius;
        builder
            .ball(BodyDef { position, mass, material, ..BodyDef::sphere(radius) }, colors[(i * 7 / 3) % colors.len()]);
    }
    builder.scene()
}

/// Half a sphere, open above, its lowest point at the origin.
fn bowl(builder: &mut Builder, material: Material, surface: usize) {
    let point = |around: usize, up: usize| {
        let (sin, cos) = sin_cos64(TAU * around as f64 / AROUND as f64);
        let (out, down) = sin_cos64(FRAC_PI_2 * up as f64 / UP as f64);
        dvec3(BOWL * out * cos, BOWL * (1.0 - down), BOWL * out * sin)
    };
    for up in 0..UP {
        for around in 0..AROUND {
            let (a, b) = (point(around, up), point(around, up + 1));
            let (d, c) = (point(around + 1, up), point(around + 1, up + 1));
            // Seen from within.
            if up > 0 {
                builder.triangle([a, d, c], material, surface);
            }
            builder.triangle([a, c, b], material, surface);
        }
    }
}

/// Hardly a ball has left the bowl, and nothing moves much.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let mut inside = 0;
    for id in scene.bodies() {
        let place = scene.world.body(id).position();
        let level = dvec3(place.x, 0.0, place.z);
        inside += usize::from(place.y > 0.0 && level.length() < BOWL + 0.2);
        require(place.y > -0.1, || format!("a ball fell through the floor: {place}"))?;
        require(place.y < BOWL, || format!("a ball is still in the air: {place}"))?;
    }
    require(inside > BALLS * 9 / 10, || format!("only {inside} of {BALLS} balls are in the bowl"))?;
    let energy = scene.world.kinetic_energy();
    require(energy < 3.0, || format!("the balls still have {energy} J"))
}
