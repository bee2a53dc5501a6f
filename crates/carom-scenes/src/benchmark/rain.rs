//! People rain on five floors.

use super::attach_box;
use crate::ragdoll::{BONE_COUNT, PIN_COUNT, Person, add_person};
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, require};
use crate::setup::Setup;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "rain",
    summary: "a thousand people of eleven bones fall on five floors; some vanish and fall again",
    group: Group::Benchmark,
    steps: 1000,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 112.0), half_height: 120.0 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const FLOORS: u8 = 5;
const COLUMNS: usize = 40;
/// People who fall side by side.
const ABREAST: u8 = 5;

#[derive(Clone, Debug)]
struct Rain {
    /// The bones of everybody in a column.
    columns: Vec<Vec<BodyId>>,
    /// The column that vanishes next.
    next: usize,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let ground = setup.world.add_body(BodyDef::fixed())?;
    for floor in 0..FLOORS {
        for tile in 0..501u16 {
            let center = vec2(0.5 * f32::from(tile) - 125.0, 45.0 * f32::from(floor));
            attach_box(setup.world, ground, center, Vec2::splat(0.25))?;
        }
    }
    Ok(Box::new(Rain { columns: Vec::new(), next: 0 }))
}

/// Five people above each floor.
fn fill(world: &mut World, column: usize) -> Result<Vec<BodyId>, DefError> {
    let mut bones = Vec::new();
    for floor in 0..FLOORS {
        for k in 0..ABREAST {
            let x = 6.25 * (column as f32 + 0.5) - 125.0 + 0.5 * f32::from(k);
            let person = Person {
                position: vec2(x, 40.0 + 45.0 * f32::from(floor)),
                group: i32::from(k) + 1,
                friction: 0.05,
                spring: Spring::new(5.0, 0.5),
                contact_events: false,
            };
            bones.extend(add_person(world, &person)?.map(|(id, _)| id));
        }
    }
    Ok(bones)
}

impl Script for Rain {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, step: u32) {
        if !step.is_multiple_of(8) {
            return;
        }
        let column = if self.columns.len() < COLUMNS {
            self.columns.push(Vec::new());
            self.columns.len() - 1
        } else {
            let column = self.next;
            self.next = (column + 1) % COLUMNS;
            // The caller may have removed some of them already.
            for id in self.columns[column].drain(..) {
                world.remove_body(id).ok();
            }
            column
        };
        // All numbers are in range: this cannot fail.
        self.columns[column] = fill(world, column).unwrap_or_default();
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        let people = COLUMNS * usize::from(FLOORS * ABREAST);
        let expected = (1 + people * BONE_COUNT, people * PIN_COUNT);
        let found = (world.body_count(), world.joint_count());
        require(found == expected, || format!("bodies and joints are {found:?}, expected {expected:?}"))?;
        // Who falls on a floor stays above it, but for those who roll off its ends.
        for (column, bones) in self.columns.iter().enumerate() {
            let per_floor = bones.len() / usize::from(FLOORS);
            for (i, &id) in bones.iter().enumerate() {
                let Some(body) = world.get_body(id) else { continue };
                let (floor, height) = (i / per_floor, body.center().y);
                let stays = height > 45.0 * floor as f32 || body.center().x.abs() > 120.0;
                require(stays, || format!("{id:?} of column {column} fell through floor {floor}: {height}"))?;
            }
        }
        Ok(())
    }
}
