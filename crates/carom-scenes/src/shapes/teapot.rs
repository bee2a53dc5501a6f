//! Tea for two, on a shelf.

use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, find_body, require};
use crate::setup::{Setup, dynamic_at, fixed_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "teapot",
    summary: "a teapot with a hole in its handle is set down on a shelf between two cups, into which sugar falls",
    group: Group::Shapes,
    steps: 300,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 2.1), half_height: 2.2 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Upper side of the shelf.
const SHELF: f32 = 1.6;
const SUGAR: f32 = 0.11;

const fn p(x: f32, y: f32) -> Vec2 {
    Vec2::new(x, y)
}

/// From the left of the bottom, counter-clockwise: belly, spout, lid with its knob, handle.
const POT: [Vec2; 20] = [
    p(-0.55, 0.0),
    p(0.55, 0.0),
    p(0.85, 0.35),
    p(1.12, 0.5),
    p(1.5, 1.1),
    p(1.3, 1.15),
    p(1.05, 0.8),
    p(0.83, 0.78),
    p(0.6, 1.08),
    p(0.14, 1.22),
    p(0.14, 1.36),
    p(-0.14, 1.36),
    p(-0.14, 1.22),
    p(-0.6, 1.08),
    p(-0.7, 0.98),
    p(-1.2, 1.06),
    p(-1.42, 0.8),
    p(-1.32, 0.42),
    p(-0.84, 0.3),
    p(-0.7, 0.15),
];
/// What fingers go through.
const HANDLE: [Vec2; 5] = [p(-0.9, 0.46), p(-0.82, 0.85), p(-1.1, 0.92), p(-1.26, 0.76), p(-1.2, 0.52)];
const CUP: [Vec2; 8] = [
    p(-0.26, 0.0),
    p(0.26, 0.0),
    p(0.36, 0.5),
    p(0.29, 0.5),
    p(0.2, 0.08),
    p(-0.2, 0.08),
    p(-0.29, 0.5),
    p(-0.36, 0.5),
];

#[derive(Clone, Debug)]
struct Tea {
    pot: BodyId,
    cups: Vec<BodyId>,
    /// Each with its cup.
    sugar: Vec<(BodyId, BodyId)>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 30.0, 1.0)?;
    setup.block(vec2(0.0, SHELF - 0.06), 5.6, 0.12)?;
    for x in [-2.1, 2.1] {
        let bracket = [vec2(-0.12, -0.12), vec2(0.12, -0.12), vec2(0.0, -0.6)];
        setup.add(fixed_at(vec2(x, SHELF)), ShapeDef::convex(&bracket))?;
    }
    let pot = ShapeDef::with_holes(&POT, &[HANDLE.to_vec()]);
    let pot = setup.add_colored(dynamic_at(vec2(0.0, SHELF + 0.05)), pot, Color::BLUE)?;
    let (mut cups, mut sugar) = (Vec::new(), Vec::new());
    for x in [-2.1, 2.1] {
        let cup = setup.add_colored(dynamic_at(vec2(x, SHELF + 0.05)), ShapeDef::concave(&CUP), Color::RED)?;
        cups.push(cup);
        for i in 0..2u8 {
            let at = vec2(x - 0.05 + 0.1 * f32::from(i), SHELF + 1.2 + 0.5 * f32::from(i));
            let lump = BodyDef { angle: 0.3 + f32::from(i), ..dynamic_at(at) };
            sugar.push((setup.add_colored(lump, ShapeDef::rectangle(SUGAR, SUGAR), Color::SAND)?, cup));
        }
    }
    Ok(Box::new(Tea { pot, cups, sugar }))
}

impl Script for Tea {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for (name, id) in [("teapot", self.pot), ("left cup", self.cups[0]), ("right cup", self.cups[1])] {
            let body = find_body(world, id)?;
            at_most(&format!("the tilt of the {name} in rad"), body.angle().abs(), 0.01)?;
            at_most(&format!("the {name} above or below the shelf in m"), (body.position().y - SHELF).abs(), 0.01)?;
        }
        for &(lump, cup) in &self.sugar {
            let at = find_body(world, cup)?.local_point(find_body(world, lump)?.position());
            require(at.x.abs() < 0.3 && (0.0..0.5).contains(&at.y), || format!("sugar is at {at}, beside its cup"))?;
        }
        at_most("the top speed in m/s", measure::top_speed(world), 1.0e-3)
    }
}
