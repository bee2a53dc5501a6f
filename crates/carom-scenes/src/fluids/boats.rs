//! A harbour: boats with their cargo, crates and a buoy that float, and a stone that does not.

use crate::color::Color;
use crate::scene::{Camera, Group, Scene};
use crate::script::{Script, Unmet, find_body, near, require};
use crate::setup::{Setup, dynamic_at};
use carom2d::BodyRef;
use carom2d::math::cross;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "boats",
    summary: "boats with cargo, crates and a buoy float as deep as Archimedes says; a stone sinks",
    group: Group::Fluids,
    steps: 900,
    dt: Scene::SIXTIETH,
    camera: Camera { center: Vec2::new(0.0, 0.2), half_height: 5.6 },
    known_gap: None,
    world: WorldDef::default,
    build,
};

/// Where the water is.
const BASIN: Aabb = Aabb { min: Vec2::new(-9.0, -4.0), max: Vec2::new(9.0, 0.0) };
const CRATE: f32 = 0.8;
/// Densities of the loose crates against that of the water.
const CRATES: [f32; 3] = [0.3, 0.5, 0.8];

#[derive(Clone, Debug)]
struct Boats {
    boats: Vec<BodyId>,
    cargo: Vec<BodyId>,
    /// Each with its density.
    crates: Vec<(BodyId, f32)>,
    stone: BodyId,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    setup.world.add_fluid(FluidDef {
        region: FluidRegion::Box(BASIN),
        linear_drag: 1.2,
        quadratic_drag: 0.4,
        ..FluidDef::default()
    })?;
    // The quays and the bed.
    setup.block(vec2(BASIN.min.x - 3.0, -2.0), 6.0, 5.4)?;
    setup.block(vec2(BASIN.max.x + 3.0, -2.0), 6.0, 5.4)?;
    setup.block(vec2(0.0, BASIN.min.y - 1.0), 30.0, 2.0)?;

    let (mut boats, mut cargo) = (Vec::new(), Vec::new());
    for (x, length, color) in [(-4.2, 4.4, Color::RED), (3.6, 5.2, Color::BLUE)] {
        let boat = boat(setup, vec2(x, 0.4), length, color)?;
        boats.push(boat);
        for i in 0..3u8 {
            let at = vec2(x - 0.75 + 0.6 * f32::from(i), 0.95);
            let shape = ShapeDef { density: 0.4, friction: 0.8, ..ShapeDef::rectangle(0.5, 0.5) };
            cargo.push(setup.add_colored(dynamic_at(at), shape, Color::ORANGE)?);
        }
    }
    let mut crates = Vec::new();
    for (i, density) in CRATES.into_iter().enumerate() {
        let at = vec2([-7.6, -0.9, 7.6][i], 2.0 + 0.6 * i as f32);
        let body = BodyDef { angle: 0.2 * i as f32, ..dynamic_at(at) };
        let shape = ShapeDef { density, ..ShapeDef::rectangle(CRATE, CRATE) };
        crates.push((setup.add_colored(body, shape, Color::SAND)?, density));
    }
    // A buoy stands upright because its foot is heavy.
    let buoy = setup.add_colored(
        dynamic_at(vec2(0.4, 0.6)),
        ShapeDef { density: 0.25, ..ShapeDef::circle(0.35) },
        Color::YELLOW,
    )?;
    setup
        .world
        .add_shape(buoy, ShapeDef { density: 0.2, position: vec2(0.0, 0.6), ..ShapeDef::rectangle(0.14, 0.7) })?;
    setup
        .world
        .add_shape(buoy, ShapeDef { density: 5.0, position: vec2(0.0, -0.4), ..ShapeDef::rectangle(0.24, 0.16) })?;

    let stone = ShapeDef {
        density: 3.0,
        ..ShapeDef::convex(&[vec2(-0.5, -0.3), vec2(0.4, -0.4), vec2(0.55, 0.1), vec2(0.1, 0.45), vec2(-0.4, 0.3)])
    };
    let stone = setup.add_colored(dynamic_at(vec2(-0.4, 4.6)), stone, Color::STONE)?;
    Ok(Box::new(Boats { boats, cargo, crates, stone }))
}

/// A hull with raised ends and a mast, lowest where it is heaviest.
fn boat(setup: &mut Setup, at: Vec2, length: f32, color: Color) -> Result<BodyId, DefError> {
    let half = 0.5 * length;
    let hull = ShapeDef {
        density: 0.35,
        friction: 0.8,
        ..ShapeDef::concave(&[
            vec2(-0.7 * half, -0.8),
            vec2(0.7 * half, -0.8),
            vec2(half, 0.6),
            vec2(half - 0.35, 0.6),
            vec2(half - 0.5, 0.25),
            vec2(0.35 - half, 0.25),
            vec2(0.3 - half, 0.5),
            vec2(-half, 0.5),
        ])
    };
    let id = setup.add_colored(dynamic_at(at), hull, color)?;
    let keel = ShapeDef { density: 4.0, position: vec2(0.0, -0.7), ..ShapeDef::rectangle(length * 0.5, 0.12) };
    setup.world.add_shape(id, keel)?;
    let mast = ShapeDef { density: 0.1, position: vec2(0.3 * half, 1.3), ..ShapeDef::rectangle(0.1, 2.2) };
    setup.world.add_shape(id, mast)?;
    let sail = ShapeDef {
        density: 0.02,
        sensor: true,
        ..ShapeDef::convex(&[vec2(0.3 * half - 0.1, 0.8), vec2(0.3 * half - 0.1, 2.35), vec2(0.3 * half - 1.2, 0.8)])
    };
    setup.world.add_shape(id, sail)?;
    Ok(id)
}

impl Script for Boats {
    fn check(&self, world: &World) -> Result<(), Unmet> {
        for (i, &id) in self.boats.iter().enumerate() {
            let boat = find_body(world, id)?;
            let (angle, height) = (boat.angle(), boat.position().y);
            require(angle.abs() < 0.15, || format!("boat {i} leans by {angle} rad"))?;
            require((-0.4..0.8).contains(&height), || format!("boat {i} is at the height {height} m"))?;
        }
        for (i, &id) in self.cargo.iter().enumerate() {
            let height = find_body(world, id)?.position().y;
            require(height > 0.2, || format!("crate {i} fell overboard: it is at the height {height} m"))?;
        }
        for &(id, density) in &self.crates {
            // Squares float on edge where they are about half as dense as water; the part below it is the same.
            let body = find_body(world, id)?;
            let below = part_below(body);
            near(
                &format!("the part below water of a crate of density {density}"),
                below,
                density.into(),
                0.05 * f64::from(density),
            )?;
            require(body.velocity().length() < 0.1, || format!("the crate of density {density} still bobs"))?;
        }
        let depth = find_body(world, self.stone)?.position().y;
        require(depth < BASIN.min.y + 0.6, || format!("the stone is at {depth} m, and not on the bed"))
    }
}

/// Which part of a crate lies below the height 0, from 0 to 1.
fn part_below(body: BodyRef<'_>) -> f32 {
    let half = 0.5 * CRATE;
    let corners =
        [(-half, -half), (half, -half), (half, half), (-half, half)].map(|(x, y)| body.world_point(vec2(x, y)));
    let mut below = Vec::new();
    for (i, &a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        if a.y <= 0.0 {
            below.push(a);
        }
        if (a.y <= 0.0) != (b.y <= 0.0) {
            below.push(a + (b - a) * (a.y / (a.y - b.y)));
        }
    }
    let twice: f32 = (0..below.len()).map(|i| cross(below[i], below[(i + 1) % below.len()])).sum();
    0.5 * twice / (CRATE * CRATE)
}
