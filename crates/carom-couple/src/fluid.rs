//! A fluid among rigid bodies: they float in it, sink, splash and are carried along.

use crate::mover::Mover;
use crate::{for_each_in, pieces_of};
use carom_particles::fluid::{Fluid, Nearby, Obstacles};
use carom2d::shape::Geometry;
use carom2d::{Filter, World};
use glam::DVec2;
use std::collections::BTreeMap;

/// A fluid that flows among the bodies of a world. A clone goes on bit for bit like the original.
///
/// ```
/// use carom_couple::CoupledFluid;
/// use carom_particles::fluid::{Fluid, FluidDef};
/// use carom2d::prelude::*;
/// use glam::dvec2;
///
/// let mut world = World::new(WorldDef::default());
/// let basin = world.add_body(BodyDef::fixed())?;
/// for (x, y, width, height) in [(0.0, -0.5, 4.0, 1.0), (-1.5, 1.0, 1.0, 4.0), (1.5, 1.0, 1.0, 4.0)] {
///     world.add_shape(basin, ShapeDef { position: vec2(x, y), ..ShapeDef::rectangle(width, height) })?;
/// }
/// let cork = world.add_body(BodyDef { position: vec2(0.0, 1.5), ..BodyDef::dynamic() })?;
/// world.add_shape(cork, ShapeDef { density: 0.25, ..ShapeDef::rectangle(0.5, 0.5) })?;
/// let mut water = Fluid::new(FluidDef::default())?;
/// water.fill(dvec2(-1.0, 0.0), dvec2(1.0, 1.0))?;
/// let mut water = CoupledFluid::new(water);
/// for _ in 0..120 {
///     water.step(&mut world, 1.0 / 60.0);
///     world.step(1.0 / 60.0);
/// }
/// assert!(world.body(cork).position().y > 0.9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct CoupledFluid {
    /// The fluid. It may be changed between steps; its gravity is that of the world.
    pub fluid: Fluid,
    /// Which shapes the fluid may meet. Default: all. Sensors never.
    pub filter: Filter,
    bodies: Bodies,
}

/// The bodies near a fluid, during a step.
#[derive(Clone, Debug, Default)]
struct Bodies {
    movers: Vec<Mover>,
    /// Convex pieces of shapes, each with the place of its body among the movers.
    pieces: Vec<(Geometry, usize)>,
    /// Particles and pieces that may meet in this step, by their places, in order.
    near: Vec<(usize, usize)>,
    /// Where the pieces near each particle begin in `near`; one more at the end.
    first: Vec<usize>,
    by_x: Vec<usize>,
}

impl CoupledFluid {
    /// Puts a fluid among rigid bodies.
    pub fn new(fluid: Fluid) -> CoupledFluid {
        CoupledFluid { fluid, filter: Filter::ALL, bodies: Bodies::default() }
    }

    /// Moves the fluid by `dt` seconds and pushes bodies by what it did. To be called before each [`World::step`],
    /// with the same `dt`: until then a force acts on the bodies, which that step uses up.
    ///
    /// Cannot fail. Like a step of the world it does nothing for a `dt` below a microsecond, and takes one above a
    /// second for a second. A body that the fluid touches wakes.
    pub fn step(&mut self, world: &mut World, dt: f32) {
        if dt.is_nan() || dt < 1.0e-6 {
            return;
        }
        let dt = if dt < 1.0 { f64::from(dt) } else { 1.0 };
        // The gravity of a world is finite.
        self.fluid.set_gravity(world.gravity().as_dvec2()).ok();
        let steps = self.fluid.steps_for(dt);
        let h = dt / f64::from(steps);
        self.bodies.gather(world, &self.fluid, self.filter, dt);
        for _ in 0..steps {
            for mover in &mut self.bodies.movers {
                mover.fall(h);
            }
            self.fluid.step(h, &mut self.bodies);
            for mover in &mut self.bodies.movers {
                mover.advance(h);
            }
        }
        for mover in &self.bodies.movers {
            mover.hand_over_carried(world, dt);
        }
    }
}

impl Bodies {
    /// Finds which particles may meet which shapes before the step is over.
    fn gather(&mut self, world: &World, fluid: &Fluid, filter: Filter, dt: f64) {
        let Bodies { movers, pieces, near, first, by_x } = self;
        movers.clear();
        pieces.clear();
        near.clear();
        let (positions, velocities) = (fluid.positions(), fluid.velocities());
        by_x.clear();
        by_x.extend((0..positions.len()).filter(|&i| positions[i].is_finite() && velocities[i].is_finite()));
        // The index settles ties.
        by_x.sort_by(|&i, &j| positions[i].x.total_cmp(&positions[j].x).then(i.cmp(&j)));
        let gained = fluid.def().gravity.length() * dt;
        let reach_of = |i: usize| fluid.reach() + 2.0 * (velocities[i].length() + gained) * dt;
        let farthest = by_x.iter().map(|&i| reach_of(i)).fold(0.0, |a, b| if b > a { b } else { a });

        let mut places = BTreeMap::new();
        for id in world.shapes() {
            let shape = world.shape(id);
            let body = world.body(shape.body());
            if shape.is_sensor() || !shape.filter().allows(&filter) || !body.is_enabled() {
                continue;
            }
            for piece in pieces_of(shape.geometry()) {
                let own = Mover::reach(&body, &piece, dt) + (gained * dt) as f32;
                let aabb = piece.aabb(body.pose()).grown(own);
                let (min, max) = (aabb.min.as_dvec2(), aabb.max.as_dvec2());
                let before = near.len();
                for_each_in(by_x, positions, &aabb, farthest, |i| {
                    let (p, margin) = (positions[i], DVec2::splat(reach_of(i)));
                    if (p + margin).cmpge(min).all() && (p - margin).cmple(max).all() {
                        near.push((i, pieces.len()));
                    }
                });
                if near.len() > before {
                    let place = *places.entry(body.id()).or_insert_with(|| {
                        movers.push(Mover::falling(&body, world.gravity()));
                        movers.len() - 1
                    });
                    pieces.push((piece, place));
                }
            }
        }
        near.sort_unstable();
        first.clear();
        first.extend((0..=positions.len()).scan(0, |at, i| {
            *at += near[*at..].iter().take_while(|&&(particle, _)| particle < i).count();
            Some(*at)
        }));
    }
}

impl Obstacles for Bodies {
    fn find(&self, particle: usize, position: DVec2, reach: f64, found: &mut Vec<Nearby>) {
        for &(_, piece) in &self.near[self.first[particle]..self.first[particle + 1]] {
            let (geometry, obstacle) = &self.pieces[piece];
            if let Some((normal, depth)) = self.movers[*obstacle].overlap(geometry, position, reach) {
                found.push(Nearby { obstacle: *obstacle, normal, distance: reach - depth });
            }
        }
    }

    fn velocity_at(&self, obstacle: usize, point: DVec2) -> DVec2 {
        let mover = &self.movers[obstacle];
        mover.velocity_at(point - mover.center)
    }

    fn give(&self, obstacle: usize, point: DVec2, normal: DVec2) -> f64 {
        let mover = &self.movers[obstacle];
        mover.give(point - mover.center, normal)
    }

    fn push(&mut self, obstacle: usize, point: DVec2, impulse: DVec2) {
        let mover = &mut self.movers[obstacle];
        let arm = point - mover.center;
        mover.push(impulse, arm);
    }
}
