//! The Dzhanibekov effect: a body spun about its middle axis turns over, again and again.

use super::SolidScene;
use super::builder::Builder;
use crate::color::Color;
use crate::script::{Unmet, require};
use carom3d::math::{DVec3, dvec3};
use carom3d::{BodyDef, Scene, WorldDef};

pub(super) const SCENE: SolidScene = SolidScene {
    name: "dzhanibekov",
    summary: "three weightless boxes, spun about each of their axes: that about the middle one flips",
    seconds: 8.0,
    make,
    check,
};

const HALF: DVec3 = dvec3(0.25, 0.5, 0.75);
const SPEED: f64 = 5.0;

fn make() -> Scene {
    let def = WorldDef { gravity: dvec3(0.0, 0.0, 0.0), sleeping: false, ..WorldDef::default() };
    let mut builder = Builder::new(def, 240.0, dvec3(0.0, 2.2, 6.4), dvec3(0.0, -0.05, 0.0));
    let axes = [
        (DVec3::X, Color::BRASS),
        (DVec3::Y, Color { r: 196, g: 62, b: 52 }),
        (DVec3::Z, Color { r: 58, g: 110, b: 178 }),
    ];
    for (i, (axis, color)) in axes.into_iter().enumerate() {
        let surface = builder.surface(color, 0.4);
        // None is spun about its axis to the last digit.
        let off = dvec3(1.0, 1.0, 1.0) * 2.0e-3;
        let position = dvec3(2.1 * (i as f64 - 1.0), 0.0, 0.0);
        builder.solid(BodyDef { position, angular_velocity: axis * SPEED + off, ..BodyDef::cuboid(HALF) }, surface);
    }
    builder.scene()
}

/// Each keeps energy and angular momentum; the middle one has turned over, the others spin as they did.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let start = make();
    for (i, (id, before)) in scene.bodies().zip(start.bodies()).enumerate() {
        let (body, before) = (scene.world.body(id), start.world.body(before));
        let energy = body.kinetic_energy() / before.kinetic_energy();
        require((energy - 1.0).abs() < 1.0e-9, || format!("box {i} has {energy} of its energy"))?;
        let off = (body.spin() - before.spin()).length() / before.spin().length();
        require(off < 1.0e-6, || format!("the angular momentum of box {i} is off by {off}"))?;
        if i == 1 {
            // About its own axes it now spins the other way round.
            let about = body.orientation().inv_rotate(body.angular_velocity()).y;
            require(about < -0.9 * SPEED, || format!("the middle box spins at {about} rad/s about its axis"))?;
        } else {
            let axis = [DVec3::X, DVec3::Y, DVec3::Z][i];
            let lean = body.orientation().rotate(axis).dot(axis);
            require(lean > 0.999, || format!("box {i} leans by {lean}"))?;
        }
    }
    Ok(())
}
