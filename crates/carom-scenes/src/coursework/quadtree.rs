//! Discs in a quadtree that follows them.

use super::{CAMERA, DT, MIDDLE, SCREEN};
use crate::color::Color;
use crate::scene::{Group, Scene};
use crate::script::{Script, Unmet, require, steer};
use crate::setup::{Setup, kinematic_at, weightless};
use carom_core::Rng;
use carom2d::prelude::*;

pub(crate) const SCENE: Scene = Scene {
    name: "quadtree",
    summary: "256 discs drift through a quadtree that splits at two per quad, five levels deep",
    group: Group::Coursework,
    steps: 500,
    dt: DT,
    camera: CAMERA,
    known_gap: None,
    world: || WorldDef {
        broad_phase: BroadPhaseKind::Quadtree(QuadtreeDef {
            center: MIDDLE,
            half_extents: MIDDLE,
            capacity: 2,
            max_depth: MAX_DEPTH,
        }),
        ..weightless()
    },
    build,
};

const DISCS: u16 = 256;
const RADIUS: f32 = 0.1;
const MAX_DEPTH: u32 = 5;

#[derive(Clone, Debug)]
struct Quadtree {
    discs: Vec<BodyId>,
    /// Pairs of shapes whose boxes overlapped before the step, found by trying all.
    before: Vec<(ShapeId, ShapeId)>,
    /// The first thing that went wrong.
    fault: Option<String>,
}

fn build(setup: &mut Setup) -> Result<Box<dyn Script>, DefError> {
    let mut rng = Rng::new(256);
    let mut discs = Vec::new();
    for i in 0..DISCS {
        let position = vec2(rng.range(RADIUS, 12.8 - RADIUS), rng.range(RADIUS, 7.2 - RADIUS));
        let velocity = vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
        // Kinematic bodies meet nothing but sensors.
        let shape = ShapeDef { sensor: true, ..ShapeDef::circle(RADIUS) };
        let body = BodyDef { velocity, ..kinematic_at(position) };
        discs.push(setup.add_colored(body, shape, Color::nth(i.into()))?);
    }
    Ok(Box::new(Quadtree { discs, before: Vec::new(), fault: None }))
}

/// All pairs of shapes whose boxes in the broad phase overlap, by trying each against each.
fn brute_force(world: &World) -> Vec<(ShapeId, ShapeId)> {
    let boxes: Vec<(ShapeId, Aabb)> =
        world.shapes().filter_map(|shape| Some((shape, world.fat_aabb(shape)?))).collect();
    let mut pairs = Vec::new();
    for (i, (a, box_a)) in boxes.iter().enumerate() {
        let others = boxes[i + 1..].iter().filter(|(_, box_b)| box_a.overlaps(box_b));
        pairs.extend(others.map(|&(b, _)| (*a, b)));
    }
    pairs
}

/// What is wrong with the broad phase and the pairs it found in this step, if anything.
fn fault(world: &World, before: &[(ShapeId, ShapeId)]) -> Option<String> {
    let boxes = world.broad_phase().boxes();
    let stored: usize = boxes.iter().map(|quad| quad.count as usize).sum();
    if stored != world.shape_count() {
        return Some(format!("the quads hold {stored} shapes, not {}", world.shape_count()));
    }
    if matches!(world.def().broad_phase, BroadPhaseKind::Quadtree(_)) && world.broad_phase().depth() > MAX_DEPTH {
        return Some(format!("the quadtree is {} levels deep", world.broad_phase().depth()));
    }
    // Pairs are found before a step and dropped after it, so those remain that overlapped both times.
    let after = brute_force(world);
    let expected: Vec<_> = after.iter().filter(|pair| before.binary_search(pair).is_ok()).copied().collect();
    let mut found: Vec<_> = world.contacts().map(|contact| (contact.shape_a(), contact.shape_b())).collect();
    found.sort_unstable();
    (found != expected).then(|| format!("found {} pairs instead of {}", found.len(), expected.len()))
}

impl Script for Quadtree {
    fn is_active(&self) -> bool {
        true
    }

    fn before_step(&mut self, world: &mut World, _: u32) {
        self.before = brute_force(world);
        self.before.sort_unstable();
        // Turn round at the edges of the screen.
        for &disc in &self.discs {
            let Some(body) = world.get_body(disc) else { continue };
            let (position, mut velocity) = (body.position(), body.velocity());
            for axis in 0..2 {
                let outward = (position[axis] > SCREEN.max[axis] - RADIUS && velocity[axis] > 0.0)
                    || (position[axis] < SCREEN.min[axis] + RADIUS && velocity[axis] < 0.0);
                velocity[axis] = if outward { -velocity[axis] } else { velocity[axis] };
            }
            if velocity != body.velocity() {
                steer(world, disc, velocity);
            }
        }
    }

    fn after_step(&mut self, world: &World) {
        if self.fault.is_none() {
            self.fault = fault(world, &self.before);
        }
    }

    fn check(&self, world: &World) -> Result<(), Unmet> {
        let inside =
            self.discs.iter().filter_map(|&disc| world.get_body(disc)).all(|b| SCREEN.contains_point(b.position()));
        require(inside, || "a disc left the screen".to_owned())?;
        require(self.fault.is_none(), || self.fault.clone().unwrap_or_default())
    }
}
