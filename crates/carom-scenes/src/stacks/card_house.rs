//! A house of cards.

use crate::color::Color;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most};
use crate::setup::{Places, Setup, dynamic_at};
use carom_core::math::sin_cos;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "card_house",
    summary: "a house of cards on four floors that friction alone holds up",
    group: Group::Stacks,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 1.9), half_height: 2.5 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const FLOORS: u8 = 4;
const CARD: f32 = 0.9;
const THICKNESS: f32 = 0.03;
/// How far cards lean, in radians.
const LEAN: f32 = 0.36;

#[derive(Clone, Debug)]
struct CardHouse {
    cards: Places,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.add(
        BodyDef { position: vec2(0.0, -0.25), ..BodyDef::fixed() },
        ShapeDef { friction: 0.8, ..ShapeDef::rectangle(12.0, 0.5) },
    )?;
    let (sine, cosine) = sin_cos(LEAN);
    // Between the outermost corners of a leaning card.
    let (wide, high) = (CARD * sine + THICKNESS * cosine, CARD * cosine + THICKNESS * sine);
    let mut cards = Places::default();
    let mut card = |place: Vec2, angle: f32, length: f32, color: Color| {
        let shape = ShapeDef { friction: 0.8, ..ShapeDef::rectangle(THICKNESS, length) };
        let id = setup.add_colored(BodyDef { angle, ..dynamic_at(place) }, shape, color)?;
        cards.remember(id, place);
        Ok::<(), DefError>(())
    };
    let spacing = 2.0 * wide;
    for floor in 0..FLOORS {
        let base = f32::from(floor) * (high + THICKNESS);
        let tents = FLOORS - floor;
        for tent in 0..tents {
            let x = spacing * (f32::from(tent) - 0.5 * f32::from(tents - 1));
            for side in [-1.0, 1.0] {
                card(
                    vec2(x + 0.5 * side * wide, base + 0.5 * high),
                    side * LEAN,
                    CARD,
                    Color::nth(usize::from(floor)),
                )?;
            }
        }
        for tent in 0..tents.saturating_sub(1) {
            let x = spacing * (f32::from(tent) - 0.5 * f32::from(tents - 2));
            // Lying cards end where the next begins.
            let flat = 0.5 * std::f32::consts::PI;
            card(vec2(x, base + high + 0.5 * THICKNESS), flat, spacing - 0.005, Color::SAND)?;
        }
    }
    Ok(Box::new(CardHouse { cards }))
}

impl Script for CardHouse {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        let shift = self.cards.largest_shift(world);
        at_most("the sideways creep in m", shift.x, 0.05)?;
        at_most("the sink in m", shift.y, 0.05)?;
        at_most("the top speed in m/s", measure::top_speed(world), 1.0e-3)
    }
}
