//! A pyramid of boxes, twenty at the base.

use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most};
use crate::setup::{Places, Setup, dynamic_at};
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "pyramid",
    summary: "210 boxes piled up to a pyramid that neither creeps nor sinks",
    group: Group::Stacks,
    steps: 600,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 9.0), half_height: 12.5 },
    known_gap: None,
    world: || WorldDef { sleeping: false, ..WorldDef::default() },
    build,
};

/// Boxes that should stay where they are.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) boxes: Places,
    /// Largest allowed change of x and y, in metres.
    pub(crate) limit: Vec2,
    /// Largest allowed speed in the end, in m/s.
    pub(crate) speed: f64,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let boxes = pile(setup, 20)?;
    Ok(Box::new(Standing { boxes, limit: vec2(0.02, 0.035), speed: 1.0e-4 }))
}

/// A ground and a pyramid of unit boxes on it, row by row from below, `base` of them in the lowest.
/// Neighbours touch exactly.
pub(crate) fn pile(setup: &mut Setup, base: u16) -> Result<Places, DefError> {
    let mut boxes = Places::default();
    setup.add(
        BodyDef { position: vec2(0.0, -1.0), ..BodyDef::fixed() },
        ShapeDef { contact_events: false, ..ShapeDef::rectangle(200.0, 2.0) },
    )?;
    for row in 0..base {
        for column in row..base {
            let x = 0.5 * f32::from(row + 1) + f32::from(column - row) - 0.5 * f32::from(base);
            let position = vec2(x, f32::from(row) + 0.5);
            let shape = ShapeDef { contact_events: false, ..ShapeDef::rectangle(1.0, 1.0) };
            boxes.remember(setup.add(dynamic_at(position), shape)?, position);
        }
    }
    Ok(boxes)
}

impl Script for Standing {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        let shift = self.boxes.largest_shift(world);
        at_most("the sideways creep in m", shift.x, self.limit.x.into())?;
        at_most("the sink in m", shift.y, self.limit.y.into())?;
        at_most("the top speed in m/s", crate::measure::top_speed(world), self.speed)
    }
}
