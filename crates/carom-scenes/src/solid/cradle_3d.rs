//! Newton's cradle: what comes in on one side goes out on the other.

use super::SolidScene;
use super::builder::Builder;
use crate::color::Color;
use crate::script::{Unmet, require};
use carom_core::math::sin_cos64;
use carom3d::math::dvec3;
use carom3d::{BodyDef, Material, Scene, SpringDef, WorldDef};

pub(super) const SCENE: SolidScene = SolidScene {
    name: "cradle_3d",
    summary: "Newton's cradle: two of five steel balls swing, and hand their swing on through the others",
    seconds: 10.0,
    make,
    check,
};

const BALLS: usize = 5;
const RADIUS: f64 = 0.2;
/// From the bar down to the centres, and from a centre out to the bars on either side.
const DROP: f64 = 1.3;
const HALF_WIDTH: f64 = 0.55;
/// How far the first balls are lifted, as an angle in radians.
const LIFT: f64 = 0.65;

/// Where the ball number `i` hangs at rest.
fn place(i: usize) -> f64 {
    (i as f64 - 2.0) * 2.0 * RADIUS
}

fn make() -> Scene {
    let bar = DROP + RADIUS + 0.35;
    let mut builder = Builder::new(WorldDef::default(), 600.0, dvec3(1.6, 1.5, 4.2), dvec3(-0.1, 0.93, 0.0));
    let steel = builder.surface(Color { r: 176, g: 186, b: 198 }, 0.9);
    let brass = builder.surface(Color::BRASS, 0.9);
    let floor = builder.floor(dvec3(0.0, 0.0, 0.0), Material::default());
    let rail = builder.surface(Color { r: 96, g: 72, b: 54 }, 0.2);
    for z in [-HALF_WIDTH, HALF_WIDTH] {
        let (reach, half) = (3.6 * RADIUS + 0.5, 0.025);
        let corner = |x: f64, y: f64| dvec3(x, bar + y, z);
        builder.wall(
            [corner(-reach, -half), corner(reach, -half), corner(reach, half), corner(-reach, half)],
            Material::default(),
            rail,
        );
    }
    let length = (DROP * DROP + HALF_WIDTH * HALF_WIDTH).sqrt();
    for i in 0..BALLS {
        let angle = if i < 2 { LIFT } else { 0.0 };
        let (sin, cos) = sin_cos64(angle);
        let position = dvec3(place(i) - DROP * sin, bar - DROP * cos, 0.0);
        let ball = builder.ball(BodyDef { position, ..BodyDef::sphere(RADIUS) }, if i < 2 { brass } else { steel });
        for z in [-HALF_WIDTH, HALF_WIDTH] {
            let anchor = dvec3(place(i), bar, z);
            builder.spring(SpringDef {
                offsets: [anchor, dvec3(0.0, 0.0, 0.0)],
                rest_length: length,
                stiffness: 2.0e5,
                damping: 2.0,
                ..SpringDef::between(floor, ball)
            });
        }
    }
    builder.scene()
}

/// The balls still swing, in line, and keep their order.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let places: Vec<_> = scene.bodies().map(|id| scene.world.body(id).position()).collect();
    for (i, place) in places.iter().enumerate() {
        require(place.z.abs() < 0.02, || format!("ball {i} is {} m out of line", place.z))?;
    }
    for (i, pair) in places.windows(2).enumerate() {
        let apart = pair[1].x - pair[0].x;
        require(apart > 1.99 * RADIUS, || format!("balls {i} and {} are {apart} m apart", i + 1))?;
    }
    let energy = scene.world.kinetic_energy();
    let spread = places[BALLS - 1].x - places[0].x;
    require(energy > 0.5 || spread > 9.0 * RADIUS, || format!("hardly anything moves: {energy} J"))
}
