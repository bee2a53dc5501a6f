//! A column of water without its dam.

use super::water::{is_level, pour};
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, require};
use crate::setup::Setup;
use carom_particles::fluid::Fluid;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "dam_break",
    summary: "a column of water collapses, runs up the far wall, sloshes back and levels out",
    group: Group::Fluids,
    steps: 1500,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 1.1), half_height: 1.5 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

const BASIN: Aabb = Aabb { min: Vec2::new(-2.0, 0.0), max: Vec2::new(2.0, 5.0) };
/// Twice as high as wide, as in the experiments of Martin and Moyce (1952).
const DAM: Aabb = Aabb { min: BASIN.min, max: Vec2::new(-1.0, 2.0) };
const SPACING: f64 = 0.04;

#[derive(Clone, Debug)]
struct DamBreak;

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.room(BASIN, 1.0, Material::default())?;
    setup.companions.fluid = Some(pour(SPACING, 0.02, DAM)?);
    Ok(Box::new(DamBreak))
}

impl Script for DamBreak {
    fn check(&self, _world: &World) -> Result<(), Unmet> {
        Ok(())
    }

    fn check_fluid(&self, _world: &World, fluid: &Fluid) -> Result<(), Unmet> {
        for p in fluid.positions() {
            let inside = p.x > BASIN.min.x.into() && p.x < BASIN.max.x.into() && p.y > 0.0;
            require(inside, || format!("a drop left the basin: it is at {p}"))?;
        }
        is_level(fluid, 4.0, &[-1.85, -1.4, -0.8, -0.3, 0.3, 0.8, 1.4, 1.85])
    }
}
