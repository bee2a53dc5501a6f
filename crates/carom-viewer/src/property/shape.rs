//! The properties of a shape: its outline, its surface, and whom it meets.

use super::error::Refusal;
use super::outline::{self, Rectangle};
use super::path::Place;
use super::row::{Outcome, Property, Set};
use super::value::{Expected, Value, Word};
use super::world::rigid_mut;
use carom_scenes::Run;
use carom2d::prelude::*;
use carom2d::shape::Polygon;
use carom2d::{ShapeMut, ShapeRef};

const RECTANGLES: &str = "rectangles have it";
const POLYGONS: &str = "rectangles and polygons have it";
const ENDS: &str = "capsules and segments have it";
const ROUND: &str = "circles, capsules and, for their corners, rectangles and polygons have it";

/// The properties of `body.N.shape.M`.
pub(super) static ROWS: &[Property] = &[
    Property::new("kind", "what it is", |run, at| {
        let kind = outline::kind(geometry(run, at)?);
        let index = outline::KINDS.iter().position(|&name| name == kind)?;
        Some(Value::Word(Word::nth(&outline::KINDS, index)))
    }),
    Property::new("outline", "its geometry in words; setting it makes another shape of it", |run, at| {
        Some(Value::Text(outline::describe(geometry(run, at)?)))
    })
    .set(Set::Text(outline::EXPECTED, |run, at, text| {
        let geometry = outline::geometry(text)?;
        Ok(shape_mut(run, at)?.set_geometry(geometry)?)
    })),
    Property::new("center", "centre of its area on the body, in m", |run, at| {
        Some(geometry(run, at)?.centroid().into())
    })
    .set(Set::Vector(set_center)),
    Property::new("radius", "radius in m; of the corners, if it has some", |run, at| {
        let geometry = geometry(run, at)?;
        let round = matches!(geometry, Geometry::Circle(_) | Geometry::Capsule(_) | Geometry::Polygon(_));
        round.then(|| geometry.rounding().into())
    })
    .set(Set::Number(set_radius))
    .only(ROUND),
    Property::new("width", "width in m", |run, at| Some(rectangle(run, at)?.width.into()))
        .set(Set::Number(|run, at, value| reshape(run, at, |rectangle| rectangle.width = value)))
        .only(RECTANGLES),
    Property::new("height", "height in m", |run, at| Some(rectangle(run, at)?.height.into()))
        .set(Set::Number(|run, at, value| reshape(run, at, |rectangle| rectangle.height = value)))
        .only(RECTANGLES),
    Property::new("angle", "angle on the body in radians", |run, at| Some(rectangle(run, at)?.angle.into()))
        .set(Set::Number(|run, at, value| reshape(run, at, |rectangle| rectangle.angle = value)))
        .only(RECTANGLES),
    Property::new("a", "one end on the body, in m", |run, at| Some(ends(run, at)?[0].into()))
        .set(Set::Vector(|run, at, value| set_end(run, at, 0, value)))
        .only(ENDS),
    Property::new("b", "other end on the body, in m", |run, at| Some(ends(run, at)?[1].into()))
        .set(Set::Vector(|run, at, value| set_end(run, at, 1, value)))
        .only(ENDS),
    Property::new("vertices", "corners on the body, in m; setting them takes their convex hull", |run, at| {
        let vertices = polygon(run, at)?.vertices().iter();
        Some(Value::List(vertices.map(|&vertex| vertex.into()).collect()))
    })
    .set(Set::Points(set_vertices))
    .only(POLYGONS),
    Property::new("friction", "friction coefficient", |run, at| Some(shape(run, at)?.material().friction.into()))
        .set(Set::Number(|run, at, value| surface(run, at, |material| material.friction = value))),
    Property::new("restitution", "rebound speed over impact speed, 0 to 1", |run, at| {
        Some(shape(run, at)?.material().restitution.into())
    })
    .set(Set::Number(|run, at, value| surface(run, at, |material| material.restitution = value))),
    Property::new("rolling_resistance", "resistance to rolling as a fraction of the radius", |run, at| {
        Some(shape(run, at)?.material().rolling_resistance.into())
    })
    .set(Set::Number(|run, at, value| surface(run, at, |material| material.rolling_resistance = value))),
    Property::new("surface_speed", "speed of the surface along itself in m/s, as on a conveyor belt", |run, at| {
        Some(shape(run, at)?.material().surface_speed.into())
    })
    .set(Set::Number(|run, at, value| surface(run, at, |material| material.surface_speed = value))),
    Property::new("density", "mass per area in kg/m^2", |run, at| Some(shape(run, at)?.density().into()))
        .set(Set::Number(|run, at, value| Ok(shape_mut(run, at)?.set_density(value)?))),
    Property::new("sensor", "does it report overlaps and push nothing?", |run, at| {
        Some(shape(run, at)?.is_sensor().into())
    })
    .set(Set::Flag(|run, at, value| {
        shape_mut(run, at)?.set_sensor(value);
        Ok(())
    })),
    Property::new(
        "one_way",
        "direction on the body from which alone it holds things; (0, 0) for all sides",
        |run, at| Some(shape(run, at)?.one_way().unwrap_or(Vec2::ZERO).into()),
    )
    .set(Set::Vector(|run, at, value| {
        let direction = (value != Vec2::ZERO).then_some(value);
        Ok(shape_mut(run, at)?.set_one_way(direction)?)
    })),
    Property::new("filter.category", "what it is, in bits", |run, at| {
        Some(Value::Bits(shape(run, at)?.filter().category))
    })
    .set(Set::Bits(|run, at, value| filter(run, at, |filter| filter.category = value))),
    Property::new("filter.mask", "what it meets, in bits", |run, at| Some(Value::Bits(shape(run, at)?.filter().mask)))
        .set(Set::Bits(|run, at, value| filter(run, at, |filter| filter.mask = value))),
    Property::new("filter.group", "shapes of the same group always (above 0) or never (below 0) meet", |run, at| {
        Some(Value::Whole(shape(run, at)?.filter().group.into()))
    })
    .set(Set::Whole(i32::MIN as i128, i32::MAX as i128, |run, at, value| {
        filter(run, at, |filter| filter.group = value as i32)
    })),
    Property::new("contact_events", "does it report contacts?", |run, at| {
        Some(shape(run, at)?.def().contact_events.into())
    })
    .set(Set::Flag(|run, at, value| replace(run, at, |def| def.contact_events = value))),
    Property::new("aabb_events", "does it report boxes that begin to overlap?", |run, at| {
        Some(shape(run, at)?.def().aabb_events.into())
    })
    .set(Set::Flag(|run, at, value| replace(run, at, |def| def.aabb_events = value))),
    Property::new("user_data", "a number for the program that made it", |run, at| {
        Some(shape(run, at)?.user_data().into())
    })
    .set(Set::Bits(|run, at, value| {
        shape_mut(run, at)?.set_user_data(value);
        Ok(())
    })),
    Property::new("area", "area in m^2", |run, at| Some(geometry(run, at)?.area().into())),
    Property::new("mass", "area times density in kg", |run, at| {
        let shape = shape(run, at)?;
        Some(shape.geometry().mass(shape.density()).mass.into())
    }),
    Property::new("aabb.min", "lower left corner of the box around it, in m", |run, at| {
        Some(shape(run, at)?.aabb().min.into())
    }),
    Property::new("aabb.max", "upper right corner of the box around it, in m", |run, at| {
        Some(shape(run, at)?.aabb().max.into())
    }),
    Property::new("overlaps", "number of shapes that the sensor overlaps", |run, at| {
        let shape = shape(run, at)?;
        shape.is_sensor().then(|| shape.overlaps().len().into())
    })
    .only("sensors have it"),
];

/// The value of `body.N.shape.M.vertex.K`.
pub(super) static VERTEX_ROWS: &[Property] =
    &[Property::new("", "corner on the body, in m; it may go wherever the polygon stays convex", |run, at| {
        Some(vertex(run, at)?.into())
    })
    .set(Set::Vector(set_vertex))];

fn shape(run: &Run, at: Place) -> Option<ShapeRef<'_>> {
    match at {
        Place::Shape(id) | Place::Vertex(id, _) => run.as_rigid()?.world.get_shape(id),
        _ => None,
    }
}

fn shape_mut(run: &mut Run, at: Place) -> Result<ShapeMut<'_>, Refusal> {
    match at {
        Place::Shape(id) | Place::Vertex(id, _) => rigid_mut(run)?.world.get_shape_mut(id).ok_or(Refusal::Absent),
        _ => Err(Refusal::Absent),
    }
}

fn geometry(run: &Run, at: Place) -> Option<&Geometry> {
    Some(shape(run, at)?.geometry())
}

fn rectangle(run: &Run, at: Place) -> Option<Rectangle> {
    Rectangle::of(geometry(run, at)?)
}

fn polygon(run: &Run, at: Place) -> Option<&Polygon> {
    match geometry(run, at)? {
        Geometry::Polygon(polygon) => Some(polygon),
        _ => None,
    }
}

fn ends(run: &Run, at: Place) -> Option<[Vec2; 2]> {
    match geometry(run, at)? {
        Geometry::Capsule(capsule) => Some([capsule.a, capsule.b]),
        Geometry::Segment(segment) => Some([segment.a, segment.b]),
        _ => None,
    }
}

fn vertex(run: &Run, at: Place) -> Option<Vec2> {
    let Place::Vertex(_, index) = at else { return None };
    polygon(run, at)?.vertices().get(index).copied()
}

fn surface(run: &mut Run, at: Place, change: impl FnOnce(&mut Material)) -> Outcome {
    let mut shape = shape_mut(run, at)?;
    let mut material = shape.get().material();
    change(&mut material);
    Ok(shape.set_material(material)?)
}

fn filter(run: &mut Run, at: Place, change: impl FnOnce(&mut Filter)) -> Outcome {
    let mut shape = shape_mut(run, at)?;
    let mut filter = shape.get().filter();
    change(&mut filter);
    shape.set_filter(filter);
    Ok(())
}

/// For what has no setter of its own. Contacts begin again.
fn replace(run: &mut Run, at: Place, change: impl FnOnce(&mut ShapeDef)) -> Outcome {
    let mut shape = shape_mut(run, at)?;
    let mut def = shape.get().def();
    change(&mut def);
    Ok(shape.replace(def)?)
}

fn reshape(run: &mut Run, at: Place, change: impl FnOnce(&mut Rectangle)) -> Outcome {
    let mut rectangle = rectangle(run, at).ok_or(Refusal::Absent)?;
    change(&mut rectangle);
    Ok(shape_mut(run, at)?.set_geometry(rectangle.geometry()?)?)
}

fn set_center(run: &mut Run, at: Place, center: Vec2) -> Outcome {
    let mut shape = shape_mut(run, at)?;
    let before = shape.get().geometry().clone();
    let moved = match before {
        Geometry::Circle(circle) => Geometry::Circle(carom2d::shape::Circle { center, ..circle }),
        _ => before.transformed(Pose::new(center - before.centroid(), 0.0)),
    };
    Ok(shape.set_geometry(moved)?)
}

fn set_radius(run: &mut Run, at: Place, radius: f32) -> Outcome {
    let mut shape = shape_mut(run, at)?;
    let mut geometry = shape.get().geometry().clone();
    match &mut geometry {
        Geometry::Circle(circle) => circle.radius = radius,
        Geometry::Capsule(capsule) => capsule.radius = radius,
        Geometry::Polygon(polygon) => *polygon = polygon.with_radius(radius)?,
        _ => return Err(Refusal::Absent),
    }
    Ok(shape.set_geometry(geometry)?)
}

fn set_end(run: &mut Run, at: Place, end: usize, value: Vec2) -> Outcome {
    let mut shape = shape_mut(run, at)?;
    let mut geometry = shape.get().geometry().clone();
    match (&mut geometry, end) {
        (Geometry::Capsule(capsule), 0) => capsule.a = value,
        (Geometry::Capsule(capsule), _) => capsule.b = value,
        (Geometry::Segment(segment), 0) => segment.a = value,
        (Geometry::Segment(segment), _) => segment.b = value,
        _ => return Err(Refusal::Absent),
    }
    Ok(shape.set_geometry(geometry)?)
}

fn set_vertices(run: &mut Run, at: Place, points: &[Vec2]) -> Outcome {
    let radius = polygon(run, at).ok_or(Refusal::Absent)?.radius();
    let hull = Polygon::convex(points)?;
    let polygon = in_order(hull, points).unwrap_or(hull).with_radius(radius)?;
    Ok(shape_mut(run, at)?.set_geometry(Geometry::Polygon(polygon))?)
}

fn set_vertex(run: &mut Run, at: Place, value: Vec2) -> Outcome {
    let Place::Vertex(_, index) = at else { return Err(Refusal::Absent) };
    let polygon = polygon(run, at).ok_or(Refusal::Absent)?;
    let radius = polygon.radius();
    let mut points = polygon.vertices().to_vec();
    *points.get_mut(index).ok_or(Refusal::Absent)? = value;
    let hull = Polygon::convex(&points)?;
    let concave = || Refusal::Expected(Expected::from("a corner that leaves the polygon convex, corner by corner"));
    let polygon = in_order(hull, &points).ok_or_else(concave)?.with_radius(radius)?;
    Ok(shape_mut(run, at)?.set_geometry(Geometry::Polygon(polygon))?)
}

/// The hull with its corners numbered like the points, if these are exactly the corners in their order. A corner
/// that is dragged thus keeps its number.
fn in_order(hull: Polygon, points: &[Vec2]) -> Option<Polygon> {
    let first = hull.vertices().iter().position(|vertex| Some(vertex) == points.first())?;
    let [vertices, normals] = [hull.vertices(), hull.normals()].map(|all| [&all[first..], &all[..first]].concat());
    if vertices != points {
        return None;
    }
    Polygon::from_parts(&vertices, &normals, hull.centroid(), hull.radius()).ok()
}
