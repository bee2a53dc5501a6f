//! Blocks, pills and marbles fall into a box.

use super::SolidScene;
use super::builder::Builder;
use crate::color::Color;
use crate::script::{Unmet, require};
use carom_core::Rng;
use carom3d::math::{DVec3, Quat, dvec3};
use carom3d::{BodyDef, Material, Scene, WorldDef};

pub(super) const SCENE: SolidScene = SolidScene {
    name: "toy_box",
    summary: "blocks, pills and marbles fall into an open box and come to rest on each other",
    seconds: 8.0,
    make,
    check,
};

const TOYS: usize = 72;
/// Half the width, half the depth and the height of the box.
const BOX: DVec3 = dvec3(1.3, 0.9, 0.9);

fn make() -> Scene {
    let mut builder = Builder::new(WorldDef::default(), 240.0, dvec3(1.1, 4.6, 3.4), dvec3(0.0, 0.4, 0.0));
    let wood = Material { friction: 0.5, restitution: 0.1, rolling_resistance: 0.02 };
    builder.floor(dvec3(0.0, 0.0, 0.0), wood);
    let pine = builder.surface(Color { r: 214, g: 182, b: 138 }, 0.1);
    let (x, y, z, thick) = (BOX.x, BOX.y, BOX.z, 0.05);
    let fixed = |half: DVec3, position: DVec3| BodyDef {
        kind: carom3d::BodyKind::Fixed,
        position,
        material: wood,
        ..BodyDef::cuboid(half)
    };
    for side in [-1.0, 1.0] {
        builder.solid(fixed(dvec3(thick, 0.5 * y, z), dvec3(side * (x + thick), 0.5 * y, 0.0)), pine);
        builder.solid(fixed(dvec3(x + 2.0 * thick, 0.5 * y, thick), dvec3(0.0, 0.5 * y, side * (z + thick))), pine);
    }
    let colors = Color::PALETTE.map(|color| builder.surface(color, 0.5));
    let mut rng = Rng::new(12);
    for i in 0..TOYS {
        let mut random = || dvec3(rng.f64() - 0.5, rng.f64() - 0.5, rng.f64() - 0.5);
        let (layer, spot) = (i / 12, i % 12);
        let cell = dvec3((spot % 4) as f64 - 1.5, 0.0, (spot / 4) as f64 - 1.0) * 0.56;
        let position = cell + dvec3(0.0, 1.3 + 0.56 * layer as f64, 0.0) + random() * 0.08;
        let orientation = Quat::from_rotation_vector(random() * 3.0);
        let def = match i % 3 {
            0 => BodyDef::cuboid(dvec3(0.14, 0.18, 0.14)),
            1 => BodyDef::capsule(0.13, 0.11),
            _ => BodyDef::sphere(0.15),
        };
        let def = BodyDef { position, orientation, material: wood, ..def };
        let surface = colors[(i * 5 / 3) % colors.len()];
        if i % 3 == 2 {
            builder.ball(def, surface);
        } else {
            builder.solid(def, surface);
        }
    }
    builder.scene()
}

/// Most toys are in the box, and hardly anything moves.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let world = &scene.world;
    let toys: Vec<_> = scene.bodies().filter(|&id| world.body(id).kind() == carom3d::BodyKind::Dynamic).collect();
    let is_inside = |place: DVec3| place.x.abs() < BOX.x && place.z.abs() < BOX.z && place.y > 0.05 && place.y < 1.2;
    let inside = toys.iter().filter(|&&id| is_inside(world.body(id).position())).count();
    require(inside * 10 >= TOYS * 9, || format!("only {inside} of {TOYS} toys are in the box"))?;
    let energy = world.kinetic_energy();
    require(energy < 0.5, || format!("the toys still have {energy} J"))
}
