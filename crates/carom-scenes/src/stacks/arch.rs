//! An arch of wedges.

use super::pyramid::Standing;
use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::Script;
use crate::setup::{Places, Setup, dynamic_at};
use carom_core::math::sin_cos;
use carom2d::prelude::*;
use std::f32::consts::PI;

pub(crate) const SCENE: Scene = Scene {
    name: "arch",
    summary: "fifteen wedges without mortar make an arch that carries a tower",
    group: Group::Stacks,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 4.2), half_height: 5.0 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const STONES: u8 = 15;
const INSIDE: f32 = 4.0;
const OUTSIDE: f32 = 5.3;

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.block(vec2(0.0, -0.5), 24.0, 1.0)?;
    let mut stones = Places::default();
    for i in 0..STONES {
        let at = |k: u8, radius: f32| {
            let (sine, cosine) = sin_cos(PI * f32::from(k) / f32::from(STONES));
            radius * vec2(cosine, sine)
        };
        let corners = [at(i, INSIDE), at(i, OUTSIDE), at(i + 1, OUTSIDE), at(i + 1, INSIDE)];
        let middle = 0.25 * (corners[0] + corners[1] + corners[2] + corners[3]);
        let stone = ShapeDef { friction: 0.6, ..ShapeDef::convex(&corners.map(|corner| corner - middle)) };
        let color = if i == STONES / 2 { Color::RED } else { Color::nth(1 + usize::from(i % 2)) };
        stones.remember(setup.add_colored(dynamic_at(middle), stone, color)?, middle);
    }
    // The keystone's upper side is level; the tower stands on it.
    let (_, cosine) = sin_cos(0.5 * PI / f32::from(STONES));
    for i in 0..4u8 {
        let place = vec2(0.0, OUTSIDE * cosine + 0.6 * (f32::from(i) + 0.5));
        let block = setup.add_colored(dynamic_at(place), ShapeDef::rectangle(0.9, 0.6), Color::BLUE)?;
        stones.remember(block, place);
    }
    Ok(Box::new(Standing { boxes: stones, limit: vec2(0.05, 0.08), speed: 1.0e-3 }))
}
