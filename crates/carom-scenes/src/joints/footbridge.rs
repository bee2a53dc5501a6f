//! Three footbridges on springs, and walkers who keep three different steps.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, near, require};
use crate::setup::{Setup, dynamic_at};
use carom_core::math::sin;
use carom2d::math::max;
use carom2d::prelude::*;
use std::f32::consts::PI;

pub(crate) const SCENE: Scene = Scene {
    name: "footbridge",
    summary: "three bridges on springs, one walked in step with its own swing: that one leaps",
    group: Group::Joints,
    steps: 1200,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 0.1), half_height: 5.4 },
    known_gap: None,
    world: || WorldDef { sleeping: false, ..WorldDef::default() },
    build,
};

const PLANKS: usize = 12;
const LENGTH: f32 = 1.0;
/// Of the springs: how often a plank swings on its own in a second, and how soon it stops.
const HERTZ: f32 = 1.0;
const DAMPING: f32 = 0.05;
/// How often walkers step in a second, on each bridge.
const STEPS: [f32; 3] = [0.6, 1.0, 1.6];
/// Most force of their steps on a plank for each kg of it, in N.
const FORCE: f32 = 2.2;
const SUSPENSION: f32 = 1.2;

#[derive(Clone, Debug)]
struct Footbridge {
    /// The planks of each bridge, from left to right.
    planks: [Vec<BodyId>; 3],
    /// Height of each deck.
    decks: [f32; 3],
    /// How far the middle of each bridge went up and down, in the last five seconds, in metres.
    swings: [f32; 3],
    step: u32,
}

/// What part of the walkers' force a plank gets: most in the middle.
fn share(plank: usize) -> f32 {
    sin(PI * (plank as f32 + 0.5) / PLANKS as f32)
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let mut planks = [const { Vec::new() }; 3];
    let mut decks = [0.0; 3];
    for (bridge, row) in planks.iter_mut().enumerate() {
        let top = 4.6 - 3.3 * bridge as f32;
        let girder = setup.block(vec2(0.0, top), LENGTH * PLANKS as f32 + 0.6, 0.25)?;
        // Under its own weight a plank hangs lower by g / (2 pi f)^2; the springs are shorter by that much.
        let sag = 10.0 / (4.0 * PI * PI * HERTZ * HERTZ);
        let deck = top - SUSPENSION;
        decks[bridge] = deck;
        for i in 0..PLANKS {
            let x = LENGTH * (i as f32 + 0.5 - 0.5 * PLANKS as f32);
            let plank = ShapeDef::rectangle(LENGTH - 0.04, 0.2);
            let plank = setup.add_colored(dynamic_at(vec2(x, deck)), plank, Color::nth(1 + 2 * bridge))?;
            let kind = JointKind::Distance(Distance {
                min: 0.0,
                max: f32::INFINITY,
                spring: Some((Spring::new(HERTZ, DAMPING), SUSPENSION - sag)),
                motor: None,
            });
            let hung = JointDef { frame_a: Pose::at(vec2(x, 0.0)), ..JointDef::new(girder, plank, kind) };
            setup.world.add_joint(hung)?;
            if let Some(&before) = row.last() {
                setup.pin(before, plank, vec2(x - 0.5 * LENGTH, deck))?;
            }
            row.push(plank);
        }
    }
    Ok(Box::new(Footbridge { planks, decks, swings: [0.0; 3], step: 0 }))
}

/// How far a mass on a spring swings under a force of some frequency, in metres: the textbook's answer.
fn response(hertz: f32) -> f64 {
    let (own, forced) = (f64::from(2.0 * PI * HERTZ), f64::from(2.0 * PI * hertz));
    let (stiff, damped) = (own * own - forced * forced, 2.0 * f64::from(DAMPING) * own * forced);
    f64::from(FORCE) / (stiff * stiff + damped * damped).sqrt()
}

impl Script for Footbridge {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, step: u32) {
        for (row, hertz) in self.planks.iter().zip(STEPS) {
            let beat = sin(2.0 * PI * hertz * step as f32 * SCENE.dt);
            for (i, &id) in row.iter().enumerate() {
                if let Some(mut plank) = world.get_body_mut(id) {
                    let force = FORCE * share(i) * beat * plank.get().mass();
                    plank.apply_force(vec2(0.0, force)).ok();
                }
            }
        }
    }

    fn after_step(&mut self, world: &World) {
        self.step += 1;
        if self.step + 300 > SCENE.steps {
            for (bridge, row) in self.planks.iter().enumerate() {
                if let Some(middle) = world.get_body(row[PLANKS / 2]) {
                    let swing = (middle.position().y - self.decks[bridge]).abs();
                    self.swings[bridge] = max(swing, self.swings[bridge]);
                }
            }
        }
    }

    fn check(&self, _: &World) -> Result<(), Unmet> {
        for (swing, hertz) in self.swings.into_iter().zip(STEPS) {
            let expected = response(hertz) * f64::from(share(PLANKS / 2));
            near(&format!("the swing at {hertz} Hz in m"), swing, expected, 0.2 * expected)?;
        }
        let [slow, resonant, fast] = self.swings;
        require(resonant > 4.0 * slow && resonant > 4.0 * fast, || {
            format!("the bridges swing by {slow}, {resonant} and {fast} m: no resonance")
        })
    }
}
