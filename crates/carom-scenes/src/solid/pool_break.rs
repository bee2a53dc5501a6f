//! The break: a ball hits fifteen others.

use super::SolidScene;
use super::builder::Builder;
use crate::color::Color;
use crate::script::{Unmet, require};
use carom3d::math::{DVec3, dvec3};
use carom3d::{BodyDef, Material, Scene, WorldDef};

pub(super) const SCENE: SolidScene = SolidScene {
    name: "pool_break",
    summary: "the white ball breaks a rack of fifteen on a cloth with friction; all roll until they rest",
    seconds: 12.0,
    make,
    check,
};

const RADIUS: f64 = 0.0285;
/// Half the length and half the width of the table.
const TABLE: [f64; 2] = [1.27, 0.635];
const CUSHION: f64 = 0.05;

fn make() -> Scene {
    let mut builder = Builder::new(WorldDef::default(), 600.0, dvec3(-2.0, 1.75, 1.9), dvec3(-0.08, -0.12, 0.0));
    let cloth = builder.surface(Color { r: 38, g: 120, b: 84 }, 0.0);
    let wood = builder.surface(Color { r: 124, g: 78, b: 46 }, 0.1);
    let [x, z] = TABLE;
    let felt = Material { friction: 0.2, restitution: 0.5, rolling_resistance: 0.01 };
    let rubber = Material { friction: 0.14, restitution: 0.85, rolling_resistance: 0.0 };
    let floor = |x: f64, z: f64| dvec3(x, 0.0, z);
    builder.wall([floor(-x, -z), floor(-x, z), floor(x, z), floor(x, -z)], felt, cloth);
    cushions(&mut builder, rubber, wood);

    let ball = Material { friction: 0.06, restitution: 0.95, rolling_resistance: 0.0 };
    let at = |x: f64, z: f64| BodyDef {
        position: dvec3(x, RADIUS, z),
        mass: 0.17,
        material: ball,
        ..BodyDef::sphere(RADIUS)
    };
    let white = builder.surface(Color { r: 244, g: 241, b: 232 }, 0.8);
    builder.ball(BodyDef { velocity: dvec3(7.0, 0.0, 0.045), ..at(-0.75, 0.0) }, white);
    // Rows of a triangle, a hair apart: a rack is never perfect.
    let (along, across) = (3.0_f64.sqrt() * RADIUS * 1.002, 2.0 * RADIUS * 1.002);
    let black = Color { r: 34, g: 34, b: 38 };
    for row in 0..5 {
        for i in 0..=row {
            let color = if (row, i) == (2, 1) { black } else { Color::nth(row * 2 + i) };
            let surface = builder.surface(color, 0.8);
            let z = (i as f64 - 0.5 * row as f64) * across;
            builder.ball(at(0.55 + row as f64 * along, z), surface);
        }
    }
    builder.scene()
}

/// Walls around the table, with a top.
fn cushions(builder: &mut Builder, rubber: Material, wood: usize) {
    const TOP: f64 = 0.09;
    let [x, z] = TABLE;
    let corners = [dvec3(-x, 0.0, -z), dvec3(x, 0.0, -z), dvec3(x, 0.0, z), dvec3(-x, 0.0, z)];
    for i in 0..4 {
        let (a, b) = (corners[i], corners[(i + 1) % 4]);
        let up = CUSHION * DVec3::Y;
        // Seen from the middle of the table, b is to the right of a.
        builder.wall([a, b, b + up, a + up], rubber, wood);
        let out = |p: DVec3| p + dvec3(TOP * p.x.signum(), 0.0, TOP * p.z.signum()) + up;
        builder.wall([a + up, b + up, out(b), out(a)], rubber, wood);
    }
}

/// The rack is broken, and every ball lies on the table or has jumped off it and fallen.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let places: Vec<_> = scene.bodies().map(|id| scene.world.body(id).position()).collect();
    let on_table = places.iter().filter(|place| place.y > -0.01).count();
    require(on_table >= 14, || format!("only {on_table} of 16 balls are on the table"))?;
    let middle = places[1..].iter().fold(DVec3::ZERO, |sum, &place| sum + place) / 15.0;
    let spread = places[1..].iter().filter(|place| (**place - middle).length() > 8.0 * RADIUS).count();
    require(spread >= 8, || format!("only {spread} balls left the rack"))
}
