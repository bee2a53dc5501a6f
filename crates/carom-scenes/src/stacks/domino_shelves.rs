//! Dominoes on three shelves; the last of each starts a ball for the next.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, require};
use crate::setup::{Setup, dynamic_at, fixed_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "domino_shelves",
    summary: "dominoes topple along three shelves, and balls carry the impact from each to the next",
    group: Group::Stacks,
    steps: 1200,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 4.0), half_height: 5.2 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const SPACING: f32 = 0.5;
const WIDTH: f32 = 0.12;
const HEIGHT: f32 = 1.0;
const BALL: f32 = 0.35;
/// Heights of the shelves' upper sides, from the first to fall to the last.
const SHELVES: [f32; 3] = [6.4, 3.2, 0.0];
const PER_SHELF: u8 = 20;
/// From the last domino of a shelf to its end, in metres: room for a ball.
const EDGE: f32 = 1.0;
/// Half the way along the dominoes of a shelf.
const HALF: f32 = 0.5 * SPACING * (PER_SHELF - 1) as f32;

#[derive(Clone, Debug)]
struct DominoShelves {
    /// Each with the way it is to fall: 1 to the right, -1 to the left.
    dominoes: Vec<(BodyId, f32)>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let mut dominoes = Vec::new();
    for (shelf, &height) in SHELVES.iter().enumerate() {
        let way = if shelf % 2 == 0 { 1.0 } else { -1.0 };
        let is_last = shelf + 1 == SHELVES.len();
        let length = if is_last { 40.0 } else { 2.0 * (HALF + EDGE) };
        setup.block(vec2(0.0, height - 0.15), length, 0.3)?;
        for i in 0..PER_SHELF {
            let position = vec2(way * (SPACING * f32::from(i) - HALF), height + 0.5 * HEIGHT);
            let shape = ShapeDef::rectangle(WIDTH, HEIGHT);
            // The very first leans too far to stand.
            let angle = if shelf == 0 && i == 0 { -0.2 } else { 0.0 };
            let body = BodyDef { angle, ..dynamic_at(position) };
            dominoes.push((setup.add_colored(body, shape, Color::nth(i.into()))?, way));
        }
        if is_last {
            continue;
        }
        // At the end of the shelf waits a ball that the last domino pushes over the edge. It falls along a
        // curved wall, which turns it back on to the next shelf.
        // Smooth, or the domino would only clamp it.
        let ball = ShapeDef { density: 2.0, friction: 0.02, ..ShapeDef::circle(BALL) };
        let waiting = vec2(way * (HALF + 0.5 * WIDTH + BALL + 0.1), height + BALL);
        setup.add_colored(dynamic_at(waiting), ball, Color::STONE)?;
        let below = SHELVES[shelf + 1];
        let radius = 0.5 * (height - below + 2.0 * BALL + 0.3);
        let middle = vec2(way * (HALF + EDGE), below + radius);
        // From above the upper shelf around to the floor of the lower one, solid from the side of the dominoes.
        let mut curve: Vec<Vec2> = (0..=16u8)
            .map(|k| {
                let turn = Rot::from_angle(std::f32::consts::PI * (f32::from(k) / 16.0 - 0.5));
                middle + radius * vec2(way * turn.c, turn.s)
            })
            .collect();
        // A chain is solid from its right.
        if way > 0.0 {
            curve.reverse();
        }
        let wall = ShapeDef { friction: 0.2, ..ShapeDef::chain(&curve) };
        setup.add(fixed_at(Vec2::ZERO), wall)?;
    }
    Ok(Box::new(DominoShelves { dominoes }))
}

impl Script for DominoShelves {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for (i, &(domino, way)) in self.dominoes.iter().enumerate() {
            let angle = find_body(world, domino)?.angle();
            require(-way * angle > 0.5, || format!("domino {i} still stands at {angle} rad"))?;
        }
        Ok(())
    }
}
