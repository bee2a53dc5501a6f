//! A net of pins.

use super::quiet;
use crate::measure;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, at_most, require};
use crate::setup::Setup;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "joint_grid",
    summary: "a net of 10000 discs and 19800 pins hangs from seven of them and swings",
    group: Group::Benchmark,
    steps: 500,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(49.5, -58.0), half_height: 64.0 },
    known_gap: None,
    world: || WorldDef { sleeping: false, ..WorldDef::default() },
    build,
};

const SIDE: u8 = 100;

#[derive(Clone, Debug)]
struct JointGrid;

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    // Discs meet everything but discs, and there is nothing else.
    let filter = Filter { category: 2, mask: !2, group: 0 };
    let disc = ShapeDef { filter, ..quiet(ShapeDef::circle(0.4)) };
    let pin = |a: BodyId, b: BodyId, half: Vec2| JointDef {
        frame_a: Pose::at(half),
        frame_b: Pose::at(-half),
        ..JointDef::revolute(a, b)
    };
    let mut column: Vec<BodyId> = Vec::new();
    for k in 0..SIDE {
        let left = std::mem::take(&mut column);
        for i in 0..SIDE {
            let held = i == 0 && (47..=53).contains(&k);
            let kind = if held { BodyKind::Fixed } else { BodyKind::Dynamic };
            let position = vec2(f32::from(k), -f32::from(i));
            let body = setup.add(BodyDef { kind, position, ..BodyDef::default() }, disc.clone())?;
            if let Some(&above) = column.last() {
                setup.world.add_joint(pin(above, body, vec2(0.0, -0.5)))?;
            }
            if let Some(&beside) = left.get(usize::from(i)) {
                setup.world.add_joint(pin(beside, body, vec2(0.5, 0.0)))?;
            }
            column.push(body);
        }
    }
    Ok(Box::new(JointGrid))
}

impl Script for JointGrid {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        let contacts = world.contact_count();
        require(contacts == 0, || format!("there are {contacts} contacts, expected none"))?;
        // Ten thousand discs hang from seven: the pins give way, and must not tear.
        at_most("the widest gap of a pin in m", measure::widest_gap(world), 1.0)
    }
}
