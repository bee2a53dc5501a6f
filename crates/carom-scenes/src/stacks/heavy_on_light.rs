//! Heavy boxes on light ones, which iterative solvers find hard.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, find_body, near};
use crate::setup::{Setup, dynamic_at};
use carom2d::math::max;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "heavy_on_light",
    summary: "boxes of 10 and 100 times the mass rest on light ones and hardly sink in",
    group: Group::Stacks,
    steps: 600,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 1.0), half_height: 3.0 },
    known_gap: None,
    world: || WorldDef { sleeping: false, ..WorldDef::default() },
    build,
};

/// How many times heavier the upper box is, and how far the pair may overlap, in metres.
const PAIRS: [(f32, f64); 2] = [(10.0, 0.005), (100.0, 0.04)];

#[derive(Clone, Debug)]
struct HeavyOnLight {
    /// Light below, heavy above.
    pairs: Vec<[BodyId; 2]>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 40.0, 1.0)?;
    let mut pairs = Vec::new();
    for (i, (ratio, _)) in PAIRS.into_iter().enumerate() {
        let x = 3.0 * i as f32 - 1.5;
        let light = setup.add_colored(dynamic_at(vec2(x, 0.5)), ShapeDef::rectangle(1.0, 1.0), Color::SAND)?;
        let shape = ShapeDef { density: ratio, ..ShapeDef::rectangle(1.0, 1.0) };
        let heavy = setup.add_colored(dynamic_at(vec2(x, 1.5)), shape, Color::nth(i))?;
        pairs.push([light, heavy]);
    }
    Ok(Box::new(HeavyOnLight { pairs }))
}

impl Script for HeavyOnLight {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for (&[light, heavy], (ratio, limit)) in self.pairs.iter().zip(PAIRS) {
            let (light, heavy) = (find_body(world, light)?, find_body(world, heavy)?);
            let points = light.contacts().flat_map(|contact| contact.points());
            let overlap = points.map(|point| -point.separation).fold(0.0, max);
            at_most(&format!("the overlap in m under {ratio} times the mass"), overlap, limit)?;
            near(&format!("the height of the box of {ratio} times the mass"), heavy.position().y, 1.5, 2.0 * limit)?;
        }
        Ok(())
    }
}
