//! Casts: where a moving shape meets the shapes of a world.

use super::{CastResult, QueryFilter, check_geometry, nearest_of_each};
use crate::collide::LINEAR_SLOP;
use crate::error::{DefError, finite, finite2};
use crate::math::{Aabb, Pose, Vec2, left_perp, max};
use crate::shape::{Geometry, Meeting, Sweep, geometry_cast, geometry_distance, time_of_impact};
use crate::world::{World, WorldState};

/// The gap left between shapes that meet: that of casts without turning.
const GAP: f32 = 0.1 * LINEAR_SLOP;
/// How close to it is close enough, as a fraction of it.
const GAP_TOLERANCE: f32 = 0.25;
/// A shape without corners is advanced by a bound of its speed, which halves the error of a grazing pass at worst.
const MAX_ITERATIONS: usize = 256;
/// In how many steps a shape is followed that leaves what it touches.
const PARTING_STEPS: u32 = 64;

impl World {
    /// The first shape that a geometry meets when it moves from a pose along `translation`, if any.
    /// It does not turn on the way.
    pub fn cast_shape(
        &self,
        geometry: &Geometry,
        pose: Pose,
        translation: Vec2,
        filter: QueryFilter<'_>,
    ) -> Result<Option<CastResult>, DefError> {
        check_geometry(geometry, pose)?;
        finite2("translation", translation)?;
        Ok(self.state.first_met(geometry.aabb(pose), translation, filter, &|index, limit| {
            self.state.met_by(index, geometry, pose, translation, limit)
        }))
    }

    /// All shapes that a geometry meets when it moves from a pose along `translation`, nearest first, as if each
    /// were alone. It does not turn on the way.
    pub fn cast_shape_all(
        &self,
        geometry: &Geometry,
        pose: Pose,
        translation: Vec2,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<CastResult>, DefError> {
        check_geometry(geometry, pose)?;
        finite2("translation", translation)?;
        let start = geometry.aabb(pose);
        let (half, center) = (start.half_extents(), start.center());
        let mut hits = self.state.search(
            Vec::new(),
            &|_, aabb| Aabb::new(aabb.min - half, aabb.max + half).meets_ray(center, translation, 1.0),
            &|hits: &mut Vec<CastResult>, index| {
                if filter.sees(&self.state, index) {
                    hits.extend(self.state.met_by(index, geometry, pose, translation, 1.0));
                }
                true
            },
        );
        nearest_of_each(&mut hits);
        Ok(hits)
    }

    /// The first shape that a geometry meets that moves and turns as a sweep says, if any. The geometry is given in
    /// the coordinates of the sweep's body.
    ///
    /// ```
    /// use carom2d::prelude::*;
    /// use carom2d::shape::{Polygon, Sweep};
    /// let mut world = World::new(WorldDef::default());
    /// let post = world.add_body(BodyDef { position: vec2(1.0, 1.0), ..BodyDef::fixed() })?;
    /// world.add_shape(post, ShapeDef::circle(0.1))?;
    /// // A bar of 3 m, lying along x, turns by a quarter about its middle.
    /// let bar = Geometry::from(Polygon::rectangle(3.0, 0.1)?);
    /// let sweep = Sweep { turn: 1.6, ..Sweep::along(Pose::IDENTITY, Vec2::ZERO) };
    /// let hit = world.cast_sweep(&bar, &sweep, QueryFilter::default())?.expect("it meets the post");
    /// assert!((hit.fraction * 1.6 - 0.68).abs() < 0.02);
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn cast_sweep(
        &self,
        geometry: &Geometry,
        sweep: &Sweep,
        filter: QueryFilter<'_>,
    ) -> Result<Option<CastResult>, DefError> {
        check_geometry(geometry, sweep.pose_at(0.0))?;
        finite2("sweep.translation", sweep.translation)?;
        finite2("sweep.local_center", sweep.local_center)?;
        finite("sweep.turn", sweep.turn)?;
        // A disc about the centre holds the geometry however it turns.
        let reach = Vec2::splat(geometry.extent(sweep.local_center));
        let around = Aabb::new(sweep.center - reach, sweep.center + reach);
        Ok(self.state.first_met(around, sweep.translation, filter, &|index, limit| {
            self.state.met_by_sweep(index, geometry, sweep, limit)
        }))
    }
}

impl WorldState {
    /// The first shape for which `meet` answers, among those that a box reaches on its way. `meet` gets the index of a
    /// shape and the fraction beyond which nothing counts.
    fn first_met(
        &self,
        start: Aabb,
        translation: Vec2,
        filter: QueryFilter<'_>,
        meet: &dyn Fn(u32, f32) -> Option<CastResult>,
    ) -> Option<CastResult> {
        let (half, center) = (start.half_extents(), start.center());
        self.search(
            None::<CastResult>,
            &|best, aabb| {
                let limit = best.map_or(1.0, |hit| hit.fraction);
                Aabb::new(aabb.min - half, aabb.max + half).meets_ray(center, translation, limit)
            },
            &|best, index| {
                let limit = best.map_or(1.0, |hit| hit.fraction);
                if filter.sees(self, index)
                    && let Some(hit) = meet(index, limit)
                    && best.is_none_or(|old| (hit.fraction, hit.shape) < (old.fraction, old.shape))
                {
                    *best = Some(hit);
                }
                true
            },
        )
    }

    fn met_by(&self, index: u32, geometry: &Geometry, pose: Pose, translation: Vec2, limit: f32) -> Option<CastResult> {
        let (shape, shape_pose) = self.shape_and_pose(index);
        let local = shape_pose.q.inv_rotate(translation);
        let hit = geometry_cast(&shape.geometry, geometry, shape_pose.inv_mul(pose), local, limit)?;
        Some(CastResult {
            shape: self.shape_id(index),
            point: shape_pose.point(hit.point),
            normal: shape_pose.q.rotate(hit.normal),
            fraction: hit.fraction,
        })
    }

    fn met_by_sweep(&self, index: u32, geometry: &Geometry, sweep: &Sweep, limit: f32) -> Option<CastResult> {
        let (shape, shape_pose) = self.shape_and_pose(index);
        let mut first: Option<f32> = None;
        geometry.each_part(&mut |part| {
            let limit = first.unwrap_or(limit);
            let fraction = meeting(&shape.geometry, shape_pose, part, sweep, limit);
            first = fraction.or(first);
        });
        let fraction = first?;
        let nearest = geometry_distance(&shape.geometry, shape_pose, geometry, sweep.pose_at(fraction));
        let is_apart = nearest.distance > 0.0;
        let normal = if is_apart { nearest.normal } else { Vec2::ZERO };
        Some(CastResult { shape: self.shape_id(index), point: nearest.point_a, normal, fraction })
    }
}

/// When a convex geometry that moves first meets a convex one that does not: a fraction of the sweep up to `limit`.
/// What touches at the start and leaves is met when it comes back.
fn meeting(fixed: &Geometry, pose: Pose, moving: &Geometry, sweep: &Sweep, limit: f32) -> Option<f32> {
    let mut from = 0.0;
    if let Some(parted) = leave(fixed, pose, moving, sweep, limit)? {
        from = parted;
    }
    let rest = sweep.between(from, 1.0);
    let left = 1.0 - from;
    let within = (limit - from) / left;
    let found = match (fixed.proxy(), moving.proxy()) {
        (Some(a), Some(b)) => {
            let still = Sweep::along(pose, Vec2::ZERO);
            match time_of_impact(&a, &still, &b, &rest, GAP, within) {
                Meeting::Never => None,
                Meeting::FromStart => Some(0.0),
                Meeting::At(fraction) => Some(fraction),
            }
        }
        _ => advance(fixed, pose, moving, &rest, within),
    };
    found.map(|fraction| from + fraction * left)
}

/// How long a geometry that is as close as the gap from the start goes away without coming closer: `Some(None)` where
/// it is not that close or does not leave, `None` where it does not meet the other at all.
fn leave(fixed: &Geometry, pose: Pose, moving: &Geometry, sweep: &Sweep, limit: f32) -> Option<Option<f32>> {
    let enough = GAP * (1.0 + GAP_TOLERANCE);
    let look = |fraction: f32| geometry_distance(fixed, pose, moving, sweep.pose_at(fraction));
    let start = look(0.0);
    if start.distance > enough || start.distance <= 0.0 {
        return Some(None);
    }
    let arm = start.point_b - sweep.center;
    if start.normal.dot(sweep.translation + left_perp(arm) * sweep.turn) < 0.0 {
        return Some(None);
    }
    for step in 1..=PARTING_STEPS {
        let fraction = step as f32 / PARTING_STEPS as f32;
        if fraction > limit {
            return None;
        }
        let distance = look(fraction).distance;
        if distance <= 0.0 {
            return Some(None);
        }
        if distance > enough {
            return Some(Some(fraction));
        }
    }
    None
}

/// [`time_of_impact`] for shapes without corners: goes on by the time that the gap lasts at the greatest speed.
fn advance(fixed: &Geometry, pose: Pose, moving: &Geometry, sweep: &Sweep, limit: f32) -> Option<f32> {
    let rim_speed = sweep.turn.abs() * moving.extent(sweep.local_center);
    let mut fraction = 0.0;
    for _ in 0..MAX_ITERATIONS {
        let nearest = geometry_distance(fixed, pose, moving, sweep.pose_at(fraction));
        if nearest.distance <= GAP * (1.0 + GAP_TOLERANCE) {
            return Some(fraction);
        }
        let closing = max(-nearest.normal.dot(sweep.translation), 0.0) + rim_speed;
        let step = (nearest.distance - GAP) / closing;
        // Far out the step can drop below the resolution of the fraction.
        if fraction + step <= fraction {
            return Some(fraction);
        }
        fraction += step;
        // Where it never closes the step is infinite.
        if fraction > limit || fraction.is_nan() {
            return None;
        }
    }
    Some(fraction)
}
