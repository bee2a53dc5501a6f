//! Asking the world: rays, points, boxes, shapes.
//!
//! Queries see every shape of an enabled body where it is now, sensors only on request. Results that
//! are lists come in the order of shape indices, or along the ray.

use crate::attach::{Shape, ShapeId};
use crate::broad::BroadVisitor;
use crate::error::{DefError, finite, finite2};
use crate::filter::Filter;
use crate::math::{Aabb, Pose, Vec2, max2, min2};
use crate::shape::{Geometry, geometry_cast, geometry_distance, overlap};
use crate::world::World;

/// Which shapes a query sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryFilter {
    /// What the query is, and what it looks for: it sees a shape if each one's mask contains a
    /// category bit of the other. Default: sees all.
    pub filter: Filter,
    /// Sees sensors, too. Default false.
    pub sensors: bool,
}

impl Default for QueryFilter {
    fn default() -> QueryFilter {
        QueryFilter { filter: Filter { category: u64::MAX, mask: u64::MAX, group: 0 }, sensors: false }
    }
}

impl QueryFilter {
    pub(crate) fn sees(&self, shape: &Shape) -> bool {
        (self.sensors || !shape.sensor) && self.filter.allows(&shape.filter)
    }
}

/// Where a ray or a moving shape met a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastResult {
    /// What was met.
    pub shape: ShapeId,
    /// Where, in world coordinates.
    pub point: Vec2,
    /// Unit normal of the surface there, against the motion; zero when the start overlaps the shape.
    pub normal: Vec2,
    /// How far along the translation, 0 to 1.
    pub fraction: f32,
}

/// The point of a shape closest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// The shape.
    pub shape: ShapeId,
    /// Its closest point, in world coordinates; the given point itself if it lies inside.
    pub point: Vec2,
    /// Distance in metres; 0 inside.
    pub distance: f32,
}

/// Walks the broad phase with one closure for boxes and one for shapes that share what they borrow.
struct Search<'a, S> {
    state: S,
    descend: &'a dyn Fn(&S, &Aabb) -> bool,
    shape: &'a dyn Fn(&mut S, u32) -> bool,
}

impl<S> BroadVisitor for Search<'_, S> {
    fn descend(&mut self, aabb: &Aabb) -> bool {
        (self.descend)(&self.state, aabb)
    }

    fn shape(&mut self, shape: u32) -> bool {
        (self.shape)(&mut self.state, shape)
    }
}

impl World {
    pub(crate) fn search<S>(
        &self,
        state: S,
        descend: &dyn Fn(&S, &Aabb) -> bool,
        shape: &dyn Fn(&mut S, u32) -> bool,
    ) -> S {
        let mut search = Search { state, descend, shape };
        self.broad.walk(&mut search);
        search.state
    }

    fn shape_id(&self, index: u32) -> ShapeId {
        self.owner_id(index)
    }

    pub(crate) fn shape_and_pose(&self, index: u32) -> (&Shape, Pose) {
        let shape = &self.shapes[index];
        (shape, self.sim(shape.body).pose())
    }

    fn ray_hit(&self, index: u32, origin: Vec2, translation: Vec2, limit: f32) -> Option<CastResult> {
        let (shape, pose) = self.shape_and_pose(index);
        let hit = shape.geometry.ray(pose.inv_point(origin), pose.q.inv_rotate(translation), limit)?;
        Some(CastResult {
            shape: self.shape_id(index),
            point: origin + translation * hit.fraction,
            normal: pose.q.rotate(hit.normal),
            fraction: hit.fraction,
        })
    }

    /// The first shape that a ray from `origin` along `translation` meets, if any. A ray that starts
    /// inside a shape meets it at fraction 0.
    pub fn ray_closest(
        &self,
        origin: Vec2,
        translation: Vec2,
        filter: QueryFilter,
    ) -> Result<Option<CastResult>, DefError> {
        check_ray(origin, translation)?;
        Ok(self.search(
            None::<CastResult>,
            &|best, aabb| aabb.meets_ray(origin, translation, best.map_or(1.0, |hit| hit.fraction)),
            &|best, index| {
                let limit = best.map_or(1.0, |hit| hit.fraction);
                if filter.sees(&self.shapes[index])
                    && let Some(hit) = self.ray_hit(index, origin, translation, limit)
                    && best.is_none_or(|old| (hit.fraction, hit.shape) < (old.fraction, old.shape))
                {
                    *best = Some(hit);
                }
                true
            },
        ))
    }

    /// All shapes that a ray meets, nearest first.
    pub fn ray_all(&self, origin: Vec2, translation: Vec2, filter: QueryFilter) -> Result<Vec<CastResult>, DefError> {
        check_ray(origin, translation)?;
        let mut hits = self.search(
            Vec::new(),
            &|_, aabb| aabb.meets_ray(origin, translation, 1.0),
            &|hits: &mut Vec<CastResult>, index| {
                if filter.sees(&self.shapes[index]) {
                    hits.extend(self.ray_hit(index, origin, translation, 1.0));
                }
                true
            },
        );
        // Of a shape with parts only the first counts: the ray is inside from there, or behind.
        hits.sort_by(|a, b| a.shape.cmp(&b.shape).then(a.fraction.total_cmp(&b.fraction)));
        hits.dedup_by_key(|hit| hit.shape);
        hits.sort_by(|a, b| a.fraction.total_cmp(&b.fraction).then(a.shape.cmp(&b.shape)));
        Ok(hits)
    }

    /// Does a ray meet anything? Cheaper than asking for the first.
    pub fn ray_any(&self, origin: Vec2, translation: Vec2, filter: QueryFilter) -> Result<bool, DefError> {
        check_ray(origin, translation)?;
        Ok(self.search(false, &|found, aabb| !found && aabb.meets_ray(origin, translation, 1.0), &|found, index| {
            *found = filter.sees(&self.shapes[index]) && self.ray_hit(index, origin, translation, 1.0).is_some();
            !*found
        }))
    }

    fn gather_shapes(&self, region: &Aabb, filter: QueryFilter, test: &dyn Fn(&Shape, Pose) -> bool) -> Vec<ShapeId> {
        let mut found =
            self.search(Vec::new(), &|_, aabb| aabb.overlaps(region), &|found: &mut Vec<ShapeId>, index| {
                let (shape, pose) = self.shape_and_pose(index);
                if filter.sees(shape) && test(shape, pose) {
                    found.push(self.shape_id(index));
                }
                true
            });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The shapes that contain a point.
    pub fn shapes_at(&self, point: Vec2, filter: QueryFilter) -> Result<Vec<ShapeId>, DefError> {
        finite2("point", point)?;
        Ok(self.gather_shapes(&Aabb::new(point, point), filter, &|shape, pose| {
            shape.geometry.contains(pose.inv_point(point))
        }))
    }

    /// The shapes whose bounding boxes overlap a box; of chains and concave polygons, that of one of their
    /// parts.
    pub fn shapes_in_aabb(&self, aabb: Aabb, filter: QueryFilter) -> Result<Vec<ShapeId>, DefError> {
        if !aabb.is_valid() {
            return Err(DefError::field("aabb", aabb, "finite corners, min not above max"));
        }
        Ok(self.gather_shapes(&aabb, filter, &|shape, pose| shape.geometry.aabb(pose).overlaps(&aabb)))
    }

    /// The shapes that overlap a geometry at a pose.
    pub fn shapes_overlapping(
        &self,
        geometry: &Geometry,
        pose: Pose,
        filter: QueryFilter,
    ) -> Result<Vec<ShapeId>, DefError> {
        check_geometry(geometry, pose)?;
        Ok(self.gather_shapes(&geometry.aabb(pose), filter, &|shape, shape_pose| {
            overlap(&shape.geometry, shape_pose, geometry, pose)
        }))
    }

    /// The first shape that a geometry meets when it moves from a pose along `translation`, if any.
    /// It does not turn on the way.
    pub fn cast_shape(
        &self,
        geometry: &Geometry,
        pose: Pose,
        translation: Vec2,
        filter: QueryFilter,
    ) -> Result<Option<CastResult>, DefError> {
        check_geometry(geometry, pose)?;
        finite2("translation", translation)?;
        let start = geometry.aabb(pose);
        let (half, center) = (start.half_extents(), start.center());
        Ok(self.search(
            None::<CastResult>,
            &|best, aabb| {
                let limit = best.map_or(1.0, |hit| hit.fraction);
                Aabb::new(aabb.min - half, aabb.max + half).meets_ray(center, translation, limit)
            },
            &|best, index| {
                let limit = best.map_or(1.0, |hit| hit.fraction);
                let (shape, shape_pose) = self.shape_and_pose(index);
                if !filter.sees(shape) {
                    return true;
                }
                let local = shape_pose.q.inv_rotate(translation);
                let hit = geometry_cast(&shape.geometry, geometry, shape_pose.inv_mul(pose), local, limit);
                if let Some(hit) = hit {
                    let hit = CastResult {
                        shape: self.shape_id(index),
                        point: shape_pose.point(hit.point),
                        normal: shape_pose.q.rotate(hit.normal),
                        fraction: hit.fraction,
                    };
                    if best.is_none_or(|old| (hit.fraction, hit.shape) < (old.fraction, old.shape)) {
                        *best = Some(hit);
                    }
                }
                true
            },
        ))
    }

    /// The shape nearest to a point, within `max_distance` metres, if any.
    pub fn closest_point(
        &self,
        point: Vec2,
        max_distance: f32,
        filter: QueryFilter,
    ) -> Result<Option<ClosestPoint>, DefError> {
        finite2("point", point)?;
        finite("max_distance", max_distance)?;
        let near = |aabb: &Aabb, limit: f32| {
            let nearest = max2(aabb.min, min2(point, aabb.max));
            (nearest - point).length() <= limit
        };
        Ok(self.search(
            None::<ClosestPoint>,
            &|best, aabb| near(aabb, best.map_or(max_distance, |found| found.distance)),
            &|best, index| {
                let (shape, pose) = self.shape_and_pose(index);
                if !filter.sees(shape) {
                    return true;
                }
                let closest = pose.point(shape.geometry.closest_point(pose.inv_point(point)));
                let distance = (closest - point).length();
                let found = ClosestPoint { shape: self.shape_id(index), point: closest, distance };
                if distance <= max_distance
                    && best.is_none_or(|old| (distance, found.shape) < (old.distance, old.shape))
                {
                    *best = Some(found);
                }
                true
            },
        ))
    }

    /// Distance between two shapes in metres, 0 when they overlap.
    pub fn shape_distance(&self, a: ShapeId, b: ShapeId) -> Result<f32, DefError> {
        self.check_shape(a)?;
        self.check_shape(b)?;
        let ((shape_a, pose_a), (shape_b, pose_b)) = (self.shape_and_pose(a.index()), self.shape_and_pose(b.index()));
        Ok(geometry_distance(&shape_a.geometry, pose_a, &shape_b.geometry, pose_b).distance)
    }
}

fn check_ray(origin: Vec2, translation: Vec2) -> Result<(), DefError> {
    finite2("origin", origin)?;
    finite2("translation", translation)?;
    Ok(())
}

fn check_geometry(geometry: &Geometry, pose: Pose) -> Result<(), DefError> {
    geometry.validate()?;
    if pose.is_finite() { Ok(()) } else { Err(DefError::field("pose", pose, "finite numbers")) }
}
