//! Questions about a world: what a ray meets, what is at a place, what is near.

use crate::body::BodyId;
use crate::collide::core::{Core, CoreKind};
use crate::collide::{meet, nearest, touch};
use crate::error::{DefError, non_negative, point};
use crate::math::{Aabb, DVec3, Quat, max, min, unit_or};
use crate::shape::Shape;
use crate::world::World;
use carom_core::{Bounds, Visitor};

/// Where a ray met a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CastResult {
    /// What was met.
    pub body: BodyId,
    /// Where, in world coordinates.
    pub point: DVec3,
    /// Unit normal of the surface there, against the ray; zero when the ray starts inside.
    pub normal: DVec3,
    /// How far along the translation, 0 to 1.
    pub fraction: f64,
}

/// The point of a body closest to another point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// The body.
    pub body: BodyId,
    /// Its closest point, in world coordinates; the given point itself if it lies inside.
    pub point: DVec3,
    /// Distance in metres; 0 inside.
    pub distance: f64,
}

/// Walks a tree with one closure for boxes and one for leaves.
struct Search<'a> {
    descend: &'a mut dyn FnMut(&Aabb) -> bool,
    leaf: &'a mut dyn FnMut(u32) -> bool,
}

impl Visitor<Aabb> for Search<'_> {
    fn descend(&mut self, bounds: &Aabb, _: u64) -> bool {
        (self.descend)(bounds)
    }

    fn leaf(&mut self, user: u32, _: &Aabb) -> bool {
        (self.leaf)(user)
    }
}

impl World {
    /// The bodies, by index and in no particular order, whose boxes `descend` says yes to, and all planes.
    fn candidates(&self, mut descend: impl FnMut(&Aabb) -> bool) -> Vec<u32> {
        let mut found = self.planes.clone();
        let descend: &mut dyn FnMut(&Aabb) -> bool = &mut descend;
        let mut leaf = |mover: u32| {
            found.push(self.movers[mover].body);
            true
        };
        self.mover_tree.walk(&mut Search { descend, leaf: &mut leaf });
        let mut leaf = |body: u32| {
            found.push(body);
            true
        };
        self.fixed_tree.walk(&mut Search { descend, leaf: &mut leaf });
        found
    }

    fn shape_and_pose(&self, body: u32) -> (Shape, DVec3, Quat) {
        let record = &self.bodies[body];
        let (position, orientation) = match self.movers.get_at(record.mover) {
            Some(mover) => (mover.state.position, mover.state.orientation),
            None => (record.position, record.orientation),
        };
        (record.shape, position, orientation)
    }

    /// Handles of bodies, lowest index first.
    fn ids_of(&self, mut bodies: Vec<u32>) -> Vec<BodyId> {
        bodies.sort_unstable();
        bodies.into_iter().filter_map(|body| self.bodies.id_at(body)).collect()
    }

    /// The first body that a ray from `origin` along `translation` meets, if any. A ray that starts inside a body meets
    /// it at fraction 0. Planes and triangles are met from both sides.
    ///
    /// ```
    /// use carom3d::prelude::*;
    /// let mut world = World::new(WorldDef::default());
    /// let ball = world.add_body(BodyDef { position: dvec3(0.0, 0.0, -10.0), ..BodyDef::sphere(1.0) })?;
    /// let hit = world.ray_closest(DVec3::ZERO, dvec3(0.0, 0.0, -90.0))?.expect("the ball is in the way");
    /// assert_eq!((hit.body, hit.normal), (ball, DVec3::Z));
    /// assert!((hit.fraction - 0.1).abs() < 1.0e-12);
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn ray_closest(&self, origin: DVec3, translation: DVec3) -> Result<Option<CastResult>, DefError> {
        Ok(self.ray_all(origin, translation)?.into_iter().next())
    }

    /// All bodies that a ray meets, nearest first.
    pub fn ray_all(&self, origin: DVec3, translation: DVec3) -> Result<Vec<CastResult>, DefError> {
        point("ray origin", origin)?;
        point("ray translation", translation)?;
        let mut hits = Vec::new();
        for body in self.candidates(|aabb| meets_ray(aabb, origin, translation)) {
            let (shape, position, orientation) = self.shape_and_pose(body);
            let hit = ray_hit(&shape, position, orientation, origin, translation);
            if let (Some((fraction, normal)), Some(id)) = (hit, self.bodies.id_at(body)) {
                hits.push(CastResult { body: id, point: origin + translation * fraction, normal, fraction });
            }
        }
        hits.sort_by(|one, two| one.fraction.total_cmp(&two.fraction).then(one.body.cmp(&two.body)));
        Ok(hits)
    }

    /// The bodies that contain a point. Planes and triangles have no inside.
    pub fn bodies_at(&self, place: DVec3) -> Result<Vec<BodyId>, DefError> {
        point("point", place)?;
        let mut found = self.candidates(|aabb| aabb.overlaps(&Aabb { min: place, max: place }));
        found.retain(|&body| {
            let (shape, position, orientation) = self.shape_and_pose(body);
            shape.is_solid() && closest_on(&shape, position, orientation, place).1 == 0.0
        });
        Ok(self.ids_of(found))
    }

    /// The bodies whose bounding boxes overlap a box, and the planes that cut it.
    pub fn bodies_in_aabb(&self, aabb: Aabb) -> Result<Vec<BodyId>, DefError> {
        point("aabb.min", aabb.min)?;
        point("aabb.max", aabb.max)?;
        let mut found = self.candidates(|bounds| bounds.overlaps(&aabb));
        found.retain(|&body| {
            let (shape, position, orientation) = self.shape_and_pose(body);
            match shape.aabb(position, orientation) {
                Some(bounds) => bounds.overlaps(&aabb),
                None => aabb.meets_plane(position, self.bodies[body].normal),
            }
        });
        Ok(self.ids_of(found))
    }

    /// The bodies that overlap a shape at a pose. The shape may be anything but a plane.
    pub fn bodies_overlapping(
        &self,
        shape: Shape,
        position: DVec3,
        orientation: Quat,
    ) -> Result<Vec<BodyId>, DefError> {
        let shape = shape.checked()?;
        point("position", position)?;
        let orientation = crate::body::orientation("orientation", orientation)?;
        let (Some(bounds), Some(core)) = (shape.aabb(position, orientation), Core::of(&shape, position, orientation))
        else {
            return Err(DefError::field("shape", shape, "any shape but a plane"));
        };
        let mut found = self.candidates(|aabb| aabb.overlaps(&bounds));
        found.retain(|&body| {
            let (shape, position, orientation) = self.shape_and_pose(body);
            let meeting = match Core::of(&shape, position, orientation) {
                Some(other) => meet::cores(&core, &other, 0.0),
                None => meet::with_plane(&core, position, self.bodies[body].normal, 0.0),
            };
            meeting.count > 0
        });
        Ok(self.ids_of(found))
    }

    /// The body nearest to a point, within `max_distance` metres, if any. Of equally near ones that with the lowest
    /// index.
    pub fn closest_point(&self, place: DVec3, max_distance: f64) -> Result<Option<ClosestPoint>, DefError> {
        point("point", place)?;
        non_negative("max distance", max_distance)?;
        let bounds = Aabb::of_sphere(place, min(max_distance, crate::error::MAX_COORDINATE));
        let mut best: Option<ClosestPoint> = None;
        for id in self.ids_of(self.candidates(|aabb| aabb.overlaps(&bounds))) {
            let (shape, position, orientation) = self.shape_and_pose(id.index());
            let (nearest, distance) = closest_on(&shape, position, orientation, place);
            if distance <= max_distance && best.is_none_or(|best| distance < best.distance) {
                best = Some(ClosestPoint { body: id, point: nearest, distance });
            }
        }
        Ok(best)
    }
}

/// Whether a ray meets a box.
fn meets_ray(aabb: &Aabb, origin: DVec3, translation: DVec3) -> bool {
    let middle = aabb.center();
    slabs(origin - middle, translation, aabb.half_extents()).is_some()
}

/// Where a ray enters a box around the origin: fraction and axis, and none of the latter if it starts inside.
fn slabs(origin: DVec3, translation: DVec3, half: DVec3) -> Option<(f64, Option<usize>)> {
    let (mut enter, mut leave, mut axis) = (0.0, 1.0, None);
    for i in 0..3 {
        if translation[i] == 0.0 {
            if origin[i].abs() > half[i] {
                return None;
            }
            continue;
        }
        let (one, two) = ((-half[i] - origin[i]) / translation[i], (half[i] - origin[i]) / translation[i]);
        if min(one, two) > enter {
            (enter, axis) = (min(one, two), Some(i));
        }
        leave = min(leave, max(one, two));
    }
    (enter <= leave).then_some((enter, axis))
}

/// Where a ray first meets a shape, as a fraction, and the normal there.
fn ray_hit(
    shape: &Shape,
    position: DVec3,
    orientation: Quat,
    origin: DVec3,
    translation: DVec3,
) -> Option<(f64, DVec3)> {
    match *shape {
        Shape::Sphere { radius } => ray_sphere(position, radius, origin, translation),
        Shape::Cuboid { half_extents } => {
            let (from, way) = (orientation.inv_rotate(origin - position), orientation.inv_rotate(translation));
            let (fraction, axis) = slabs(from, way, half_extents)?;
            let mut normal = [0.0; 3];
            if let Some(axis) = axis {
                normal[axis] = -way[axis].signum();
            }
            Some((fraction, orientation.rotate(DVec3::from_array(normal))))
        }
        Shape::Capsule { half_length, radius } => {
            let along = orientation.rotate(DVec3::Y);
            ray_capsule(position, along, half_length, radius, origin, translation)
        }
        Shape::Plane { normal } => {
            let (height, fall) = ((origin - position).dot(normal), -translation.dot(normal));
            let fraction = if fall == 0.0 { return None } else { height / fall };
            (0.0..=1.0).contains(&fraction).then_some((fraction, against(normal, translation)))
        }
        Shape::Triangle { corners } => {
            let corners = corners.map(|corner| position + corner);
            ray_triangle(&corners, origin, translation)
        }
    }
}

/// A normal on the side that a ray comes from.
fn against(normal: DVec3, translation: DVec3) -> DVec3 {
    if normal.dot(translation) > 0.0 { -normal } else { normal }
}

fn ray_sphere(center: DVec3, radius: f64, origin: DVec3, translation: DVec3) -> Option<(f64, DVec3)> {
    let from = origin - center;
    if from.length_squared() <= radius * radius {
        return Some((0.0, DVec3::ZERO));
    }
    // |from + s translation| = radius, the smaller root, from the point nearest to the centre: that loses no digits for
    // rays from far away.
    let length_squared = translation.length_squared();
    if length_squared == 0.0 {
        return None;
    }
    let middle = -from.dot(translation) / length_squared;
    let off_squared = (from + translation * middle).length_squared();
    if off_squared > radius * radius {
        return None;
    }
    let fraction = middle - ((radius * radius - off_squared) / length_squared).sqrt();
    (0.0..=1.0).contains(&fraction).then(|| (fraction, unit_or(from + translation * fraction, DVec3::Y)))
}

/// The nearest of the cylinder between the ends and the spheres around them.
fn ray_capsule(
    center: DVec3,
    along: DVec3,
    half_length: f64,
    radius: f64,
    origin: DVec3,
    translation: DVec3,
) -> Option<(f64, DVec3)> {
    let ends = [center - along * half_length, center + along * half_length];
    let [nearest, _] = nearest::of_segments(ends, [origin; 2]);
    if (nearest - origin).length_squared() <= radius * radius {
        return Some((0.0, DVec3::ZERO));
    }
    let mut best: Option<(f64, DVec3)> = None;
    let mut consider = |hit: Option<(f64, DVec3)>| {
        if let Some(hit) = hit.filter(|hit| best.is_none_or(|best| hit.0 < best.0)) {
            best = Some(hit);
        }
    };
    for end in ends {
        consider(ray_sphere(end, radius, origin, translation));
    }
    let across = |v: DVec3| v - along * v.dot(along);
    let side = ray_sphere(DVec3::ZERO, radius, across(origin - center), across(translation));
    consider(side.filter(|(fraction, _)| {
        let height = (origin + translation * *fraction - center).dot(along);
        *fraction > 0.0 && height.abs() <= half_length
    }));
    best
}

/// Möller and Trumbore, Fast, Minimum Storage Ray/Triangle Intersection, 1997; from both sides.
fn ray_triangle([a, b, c]: &[DVec3; 3], origin: DVec3, translation: DVec3) -> Option<(f64, DVec3)> {
    let (edge_b, edge_c, from) = (*b - *a, *c - *a, origin - *a);
    let p = translation.cross(edge_c);
    let determinant = edge_b.dot(p);
    if determinant == 0.0 {
        return None;
    }
    let q = from.cross(edge_b);
    let (u, v) = (from.dot(p) / determinant, translation.dot(q) / determinant);
    let fraction = edge_c.dot(q) / determinant;
    let is_hit = u >= 0.0 && v >= 0.0 && u + v <= 1.0 && (0.0..=1.0).contains(&fraction);
    is_hit.then(|| (fraction, against(touch::triangle_normal(&[*a, *b, *c]), translation)))
}

/// The point of a shape closest to another, and how far it is.
fn closest_on(shape: &Shape, position: DVec3, orientation: Quat, place: DVec3) -> (DVec3, f64) {
    let Some(core) = Core::of(shape, position, orientation) else {
        let Shape::Plane { normal } = *shape else { return (position, f64::INFINITY) };
        let height = (place - position).dot(normal);
        return (place - normal * height, height.abs());
    };
    // Where a point lies in a core there are no nearest points.
    let Some([_, nearest]) = nearest::of_thin([place; 2], &core) else { return (place, 0.0) };
    let distance = (nearest - place).length() - core.radius;
    let is_inside = distance <= 0.0 && !matches!(core.kind, CoreKind::Triangle { .. });
    if is_inside { (place, 0.0) } else { (place + (nearest - place) * (distance / (distance + core.radius)), distance) }
}
