//! Asking the world: rays, points, boxes, shapes.
//!
//! Queries see every shape of an enabled body where it is now, sensors only on request. Results that
//! are lists come in the order of shape indices, or along the ray. Casts of shapes are in `query/cast.rs`.

mod cast;

use crate::attach::{Shape, ShapeId};
use crate::body::BodyId;
use crate::broad::BroadVisitor;
use crate::error::{DefError, finite, finite2};
use crate::filter::Filter;
use crate::math::{Aabb, Pose, Vec2, max2, min2};
use crate::shape::{Geometry, geometry_distance, overlap};
use crate::shape_ref::ShapeRef;
use crate::world::{World, WorldState};
use std::fmt;

/// Which shapes a query sees: those that every field lets through.
///
/// ```
/// use carom2d::prelude::*;
/// let mut world = World::new(WorldDef::default());
/// let player = world.add_body(BodyDef::dynamic())?;
/// world.add_shape(player, ShapeDef::circle(0.5))?;
/// let wall = world.add_body(BodyDef { position: vec2(3.0, 0.0), ..BodyDef::fixed() })?;
/// let wall_shape = world.add_shape(wall, ShapeDef { user_data: 7, ..ShapeDef::rectangle(1.0, 4.0) })?;
/// // What the player sees to the right, not counting itself and what the game marked as glass.
/// let filter = QueryFilter {
///     exclude_bodies: &[player],
///     predicate: Some(&|shape| shape.user_data() != 1),
///     ..QueryFilter::default()
/// };
/// let hit = world.ray_closest(Vec2::ZERO, vec2(10.0, 0.0), filter)?;
/// assert_eq!(hit.map(|hit| hit.shape), Some(wall_shape));
/// # Ok::<(), DefError>(())
/// ```
#[derive(Clone, Copy)]
pub struct QueryFilter<'q> {
    /// What the query is, and what it looks for: it sees a shape if each one's mask contains a
    /// category bit of the other. Default: sees all.
    pub filter: Filter,
    /// Sees sensors, too. Default false.
    pub sensors: bool,
    /// Bodies whose shapes it does not see. Default: none.
    pub exclude_bodies: &'q [BodyId],
    /// Shapes that it does not see. Default: none.
    pub exclude_shapes: &'q [ShapeId],
    /// Is asked about every shape that the other fields let through, and may be asked more than once about a shape
    /// with parts. Default: sees all.
    pub predicate: Option<&'q ShapePredicate<'q>>,
}

/// Decides whether a query sees a shape.
pub type ShapePredicate<'q> = dyn Fn(ShapeRef<'_>) -> bool + Sync + 'q;

impl Default for QueryFilter<'_> {
    fn default() -> Self {
        let filter = Filter { category: u64::MAX, mask: u64::MAX, group: 0 };
        QueryFilter { filter, sensors: false, exclude_bodies: &[], exclude_shapes: &[], predicate: None }
    }
}

impl fmt::Debug for QueryFilter<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("QueryFilter")
            .field("filter", &self.filter)
            .field("sensors", &self.sensors)
            .field("exclude_bodies", &self.exclude_bodies)
            .field("exclude_shapes", &self.exclude_shapes)
            .field("predicate", &self.predicate.map(|_| "Fn"))
            .finish()
    }
}

/// Two predicates are equal if they are the same function at the same place.
impl PartialEq for QueryFilter<'_> {
    fn eq(&self, other: &Self) -> bool {
        let same_predicate = match (self.predicate, other.predicate) {
            (None, None) => true,
            (Some(a), Some(b)) => std::ptr::addr_eq(a, b),
            _ => false,
        };
        same_predicate
            && (self.filter, self.sensors) == (other.filter, other.sensors)
            && (self.exclude_bodies, self.exclude_shapes) == (other.exclude_bodies, other.exclude_shapes)
    }
}

impl QueryFilter<'_> {
    pub(crate) fn sees(&self, world: &WorldState, index: u32) -> bool {
        let shape = &world.shapes[index];
        (self.sensors || !shape.sensor)
            && self.filter.allows(&shape.filter)
            && (self.exclude_bodies.is_empty() || !self.excludes_body(world, shape))
            && (self.exclude_shapes.is_empty() || !self.exclude_shapes.contains(&world.owner_id(index)))
            && self.predicate.is_none_or(|sees| world.get_shape(world.owner_id(index)).is_some_and(sees))
    }

    fn excludes_body(&self, world: &WorldState, shape: &Shape) -> bool {
        world.bodies.id_at(shape.body).is_some_and(|body| self.exclude_bodies.contains(&body))
    }
}

/// How a visit goes on after a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// With all others.
    Continue,
    /// With those that a ray meets before this one.
    Nearer,
    /// Not at all.
    Stop,
}

/// Where a ray or a moving shape met a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// The first shape that a ray from `origin` along `translation` meets, if any; both of numbers up to 1e9 m. A ray that starts
    /// inside a shape meets it at fraction 0.
    pub fn ray_closest(
        &self,
        origin: Vec2,
        translation: Vec2,
        filter: QueryFilter<'_>,
    ) -> Result<Option<CastResult>, DefError> {
        check_ray(origin, translation)?;
        Ok(self.state.search(
            None::<CastResult>,
            &|best, aabb| aabb.meets_ray(origin, translation, best.map_or(1.0, |hit| hit.fraction)),
            &|best, index| {
                let limit = best.map_or(1.0, |hit| hit.fraction);
                if filter.sees(&self.state, index)
                    && let Some(hit) = self.state.ray_hit(index, origin, translation, limit)
                    && best.is_none_or(|old| (hit.fraction, hit.shape) < (old.fraction, old.shape))
                {
                    *best = Some(hit);
                }
                true
            },
        ))
    }

    /// All shapes that a ray meets, nearest first.
    pub fn ray_all(
        &self,
        origin: Vec2,
        translation: Vec2,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<CastResult>, DefError> {
        check_ray(origin, translation)?;
        let mut hits = self.state.search(
            Vec::new(),
            &|_, aabb| aabb.meets_ray(origin, translation, 1.0),
            &|hits: &mut Vec<CastResult>, index| {
                if filter.sees(&self.state, index) {
                    hits.extend(self.state.ray_hit(index, origin, translation, 1.0));
                }
                true
            },
        );
        nearest_of_each(&mut hits);
        Ok(hits)
    }

    /// Does a ray meet anything? Cheaper than asking for the first.
    pub fn ray_any(&self, origin: Vec2, translation: Vec2, filter: QueryFilter<'_>) -> Result<bool, DefError> {
        check_ray(origin, translation)?;
        Ok(self.state.search(
            false,
            &|found, aabb| !found && aabb.meets_ray(origin, translation, 1.0),
            &|found, index| {
                *found =
                    filter.sees(&self.state, index) && self.state.ray_hit(index, origin, translation, 1.0).is_some();
                !*found
            },
        ))
    }

    /// Shows every shape that a ray meets to `visit`, which says how to go on. The order is that in which the broad
    /// phase finds them: always the same for the same world, and another one with another broad phase. See
    /// [`World::ray_all`] for the order along the ray.
    ///
    /// ```
    /// use carom2d::prelude::*;
    /// # let world = World::new(WorldDef::default());
    /// // Are there at least three shapes in the way?
    /// let mut count = 0;
    /// world.visit_ray(Vec2::ZERO, vec2(50.0, 0.0), QueryFilter::default(), |_| {
    ///     count += 1;
    ///     if count < 3 { Visit::Continue } else { Visit::Stop }
    /// })?;
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn visit_ray(
        &self,
        origin: Vec2,
        translation: Vec2,
        filter: QueryFilter<'_>,
        mut visit: impl FnMut(CastResult) -> Visit,
    ) -> Result<(), DefError> {
        check_ray(origin, translation)?;
        let mut seen = Vec::new();
        self.state.search(
            (1.0, &mut visit, &mut seen),
            &|(limit, ..), aabb| *limit >= 0.0 && aabb.meets_ray(origin, translation, *limit),
            &|(limit, visit, seen), index| {
                if !filter.sees(&self.state, index) || self.state.is_seen_again(seen, index) {
                    return true;
                }
                // Of a shape with parts the first along the ray is shown, once.
                let owner = self.state.owner_of(index);
                let Some(hit) = self.state.ray_hit(owner, origin, translation, *limit) else { return true };
                match visit(hit) {
                    Visit::Continue => {}
                    Visit::Nearer => *limit = hit.fraction,
                    Visit::Stop => *limit = -1.0,
                }
                *limit >= 0.0
            },
        );
        Ok(())
    }

    /// Shows every shape whose bounding box overlaps a box to `visit`, in the order in which the broad phase finds
    /// them. See [`World::shapes_in_aabb`] for a list in the order of handles.
    pub fn visit_aabb(
        &self,
        aabb: Aabb,
        filter: QueryFilter<'_>,
        mut visit: impl FnMut(ShapeId) -> Visit,
    ) -> Result<(), DefError> {
        check_aabb(aabb)?;
        let mut seen = Vec::new();
        self.state.search(
            (true, &mut visit, &mut seen),
            &|(goes_on, ..), other| *goes_on && other.overlaps(&aabb),
            &|(goes_on, visit, seen), index| {
                let (shape, pose) = self.state.shape_and_pose(index);
                if filter.sees(&self.state, index)
                    && shape.geometry.aabb(pose).overlaps(&aabb)
                    && !self.state.is_seen_again(seen, index)
                {
                    *goes_on = visit(self.state.shape_id(index)) != Visit::Stop;
                }
                *goes_on
            },
        );
        Ok(())
    }

    /// The shapes that contain a point.
    pub fn shapes_at(&self, point: Vec2, filter: QueryFilter<'_>) -> Result<Vec<ShapeId>, DefError> {
        finite2("point", point)?;
        Ok(self.state.gather_shapes(&Aabb::new(point, point), filter, &|shape, pose| {
            shape.geometry.contains(pose.inv_point(point))
        }))
    }

    /// The shapes whose bounding boxes overlap a box; of chains and concave polygons, that of one of their
    /// parts.
    pub fn shapes_in_aabb(&self, aabb: Aabb, filter: QueryFilter<'_>) -> Result<Vec<ShapeId>, DefError> {
        check_aabb(aabb)?;
        Ok(self.state.gather_shapes(&aabb, filter, &|shape, pose| shape.geometry.aabb(pose).overlaps(&aabb)))
    }

    /// The shapes that overlap a geometry at a pose.
    pub fn shapes_overlapping(
        &self,
        geometry: &Geometry,
        pose: Pose,
        filter: QueryFilter<'_>,
    ) -> Result<Vec<ShapeId>, DefError> {
        check_geometry(geometry, pose)?;
        Ok(self.state.gather_shapes(&geometry.aabb(pose), filter, &|shape, shape_pose| {
            overlap(&shape.geometry, shape_pose, geometry, pose)
        }))
    }

    /// The shape nearest to a point, within `max_distance` metres, if any.
    pub fn closest_point(
        &self,
        point: Vec2,
        max_distance: f32,
        filter: QueryFilter<'_>,
    ) -> Result<Option<ClosestPoint>, DefError> {
        finite2("point", point)?;
        finite("max_distance", max_distance)?;
        let near = |aabb: &Aabb, limit: f32| {
            let nearest = max2(aabb.min, min2(point, aabb.max));
            (nearest - point).length() <= limit
        };
        Ok(self.state.search(
            None::<ClosestPoint>,
            &|best, aabb| near(aabb, best.map_or(max_distance, |found| found.distance)),
            &|best, index| {
                if !filter.sees(&self.state, index) {
                    return true;
                }
                let (shape, pose) = self.state.shape_and_pose(index);
                let closest = pose.point(shape.geometry.closest_point(pose.inv_point(point)));
                let distance = (closest - point).length();
                let found = ClosestPoint { shape: self.state.shape_id(index), point: closest, distance };
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
        self.state.check_shape(a)?;
        self.state.check_shape(b)?;
        let ((shape_a, pose_a), (shape_b, pose_b)) =
            (self.state.shape_and_pose(a.index()), self.state.shape_and_pose(b.index()));
        Ok(geometry_distance(&shape_a.geometry, pose_a, &shape_b.geometry, pose_b).distance)
    }
}

impl WorldState {
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

    pub(crate) fn ray_one(&self, index: u32, origin: Vec2, translation: Vec2) -> Result<Option<CastResult>, DefError> {
        check_ray(origin, translation)?;
        Ok(self.ray_hit(index, origin, translation, 1.0))
    }

    /// Was another part of the same shape seen before? Notes it.
    fn is_seen_again(&self, seen: &mut Vec<u32>, index: u32) -> bool {
        let owner = self.owner_of(index);
        if owner == index {
            return false;
        }
        let again = seen.contains(&owner);
        if !again {
            seen.push(owner);
        }
        again
    }

    fn gather_shapes(
        &self,
        region: &Aabb,
        filter: QueryFilter<'_>,
        test: &dyn Fn(&Shape, Pose) -> bool,
    ) -> Vec<ShapeId> {
        let mut found =
            self.search(Vec::new(), &|_, aabb| aabb.overlaps(region), &|found: &mut Vec<ShapeId>, index| {
                let (shape, pose) = self.shape_and_pose(index);
                if filter.sees(self, index) && test(shape, pose) {
                    found.push(self.shape_id(index));
                }
                true
            });
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Keeps the first hit of each shape, nearest first: a shape with parts is met by each of them.
fn nearest_of_each(hits: &mut Vec<CastResult>) {
    hits.sort_by(|a, b| a.shape.cmp(&b.shape).then(a.fraction.total_cmp(&b.fraction)));
    hits.dedup_by_key(|hit| hit.shape);
    hits.sort_by(|a, b| a.fraction.total_cmp(&b.fraction).then(a.shape.cmp(&b.shape)));
}

/// Rays begin and end within a range in which the squares of distances, and their products with lengths, are finite.
fn check_ray(origin: Vec2, translation: Vec2) -> Result<(), DefError> {
    const FARTHEST: f32 = 1.0e9;
    for (field, value) in [("origin", origin), ("translation", translation)] {
        // A comparison with NaN is false.
        if !(value.x.abs() <= FARTHEST && value.y.abs() <= FARTHEST) {
            return Err(DefError::field(field, value, "numbers between -1e9 and 1e9 m"));
        }
    }
    Ok(())
}

fn check_aabb(aabb: Aabb) -> Result<(), DefError> {
    if aabb.is_valid() { Ok(()) } else { Err(DefError::field("aabb", aabb, "finite corners, min not above max")) }
}

fn check_geometry(geometry: &Geometry, pose: Pose) -> Result<(), DefError> {
    geometry.validate()?;
    let excess = (pose.q.c * pose.q.c + pose.q.s * pose.q.s - 1.0).abs();
    if pose.is_finite() && excess <= 1.0e-3 {
        Ok(())
    } else {
        Err(DefError::field("pose", pose, "a finite place and a rotation of unit length"))
    }
}
