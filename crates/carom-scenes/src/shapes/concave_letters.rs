//! Letters are concave, and some have holes.

use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, all_inside, at_most};
use crate::setup::{Setup, dynamic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "concave_letters",
    summary: "the name of the engine falls into a box, letter by letter, and hooks into itself",
    group: Group::Shapes,
    steps: 600,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 6.5), half_height: 7.5 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Inside of the box.
const ROOM: Aabb = Aabb { min: Vec2::new(-9.0, 0.0), max: Vec2::new(9.0, 60.0) };
const ROWS: u32 = 4;

/// A letter on a field of 4 by 5: its outline, and its hole if it has one.
struct Letter {
    outline: &'static [Vec2],
    hole: &'static [Vec2],
}

const fn p(x: f32, y: f32) -> Vec2 {
    Vec2::new(x, y)
}

const LETTERS: [Letter; 5] = [
    // C
    Letter {
        outline: &[
            p(0.8, 0.0),
            p(4.0, 0.0),
            p(4.0, 1.0),
            p(1.2, 1.0),
            p(1.0, 1.2),
            p(1.0, 3.8),
            p(1.2, 4.0),
            p(4.0, 4.0),
            p(4.0, 5.0),
            p(0.8, 5.0),
            p(0.0, 4.2),
            p(0.0, 0.8),
        ],
        hole: &[],
    },
    // A
    Letter {
        outline: &[
            p(0.0, 0.0),
            p(1.0, 0.0),
            p(1.35, 1.2),
            p(2.65, 1.2),
            p(3.0, 0.0),
            p(4.0, 0.0),
            p(2.5, 5.0),
            p(1.5, 5.0),
        ],
        hole: &[p(1.65, 2.2), p(2.35, 2.2), p(2.0, 3.6)],
    },
    // R
    Letter {
        outline: &[
            p(0.0, 0.0),
            p(1.0, 0.0),
            p(1.0, 1.9),
            p(1.5, 1.9),
            p(2.9, 0.0),
            p(4.1, 0.0),
            p(2.6, 2.1),
            p(3.3, 2.3),
            p(3.8, 3.0),
            p(3.8, 4.0),
            p(3.0, 5.0),
            p(0.0, 5.0),
        ],
        hole: &[p(1.0, 2.8), p(2.6, 2.8), p(2.9, 3.1), p(2.9, 3.8), p(2.6, 4.1), p(1.0, 4.1)],
    },
    // O
    Letter {
        outline: &[
            p(0.9, 0.0),
            p(3.1, 0.0),
            p(4.0, 0.9),
            p(4.0, 4.1),
            p(3.1, 5.0),
            p(0.9, 5.0),
            p(0.0, 4.1),
            p(0.0, 0.9),
        ],
        hole: &[p(1.3, 1.0), p(2.7, 1.0), p(3.0, 1.3), p(3.0, 3.7), p(2.7, 4.0), p(1.3, 4.0), p(1.0, 3.7), p(1.0, 1.3)],
    },
    // M
    Letter {
        outline: &[
            p(0.0, 0.0),
            p(1.0, 0.0),
            p(1.0, 3.0),
            p(2.0, 1.4),
            p(3.0, 3.0),
            p(3.0, 0.0),
            p(4.0, 0.0),
            p(4.0, 5.0),
            p(3.1, 5.0),
            p(2.0, 3.2),
            p(0.9, 5.0),
            p(0.0, 5.0),
        ],
        hole: &[],
    },
];

#[derive(Clone, Debug)]
struct ConcaveLetters;

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(ROOM, 1.0, Material::default())?;
    for row in 0..ROWS {
        for (i, letter) in LETTERS.iter().enumerate() {
            // About its middle, at six tenths of a metre to the unit.
            let place = |points: &[Vec2]| points.iter().map(|&q| 0.6 * (q - p(2.0, 2.5))).collect::<Vec<Vec2>>();
            let holes: Vec<Vec<Vec2>> = if letter.hole.is_empty() { vec![] } else { vec![place(letter.hole)] };
            let shape = ShapeDef::with_holes(&place(letter.outline), &holes);
            let x = 3.4 * (i as f32 - 2.0) + if row % 2 == 0 { -0.3 } else { 0.3 };
            let angle = 0.1 * row as f32;
            let body = BodyDef { angle, ..dynamic_at(vec2(x, 2.0 + 4.0 * row as f32)) };
            setup.add_colored(body, shape, Color::nth(i))?;
        }
    }
    Ok(Box::new(ConcaveLetters))
}

impl Script for ConcaveLetters {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        all_inside(world, ROOM)?;
        at_most("the deepest overlap", measure::deepest_penetration(world), 0.03)?;
        at_most("the speed of the fastest letter", measure::top_speed(world), 0.05)
    }
}
