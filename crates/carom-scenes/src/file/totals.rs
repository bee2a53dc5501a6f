//! How much a scene may have of everything, counted before anything is built.
//!
//! A body or a shape takes about a kilobyte in a world and fifty bytes of text. So a file that is short enough may still be
//! far too much, and one that is wrong at its end must not be found out only when all before it has been built.

use super::error::Problem;
use super::json::Value;

/// The most of each thing.
const MAX_BODIES: usize = 100_000;
const MAX_SHAPES: usize = 200_000;
const MAX_JOINTS: usize = 200_000;
/// Points of all chains, polygons and holes together: each becomes a part of a shape.
const MAX_POINTS: usize = 200_000;
/// Fluids, force fields and soft bodies, each.
const MAX_MEDIA: usize = 10_000;

/// Things of one kind.
struct Total {
    what: &'static str,
    most: usize,
    count: usize,
}

impl Total {
    fn of(what: &'static str, most: usize) -> Total {
        Total { what, most, count: 0 }
    }

    /// Counts all elements of an array; fails at the first that is too much.
    fn add<'v>(&mut self, array: Value<'v>) -> Result<impl Iterator<Item = Value<'v>> + use<'v>, Problem> {
        for element in array.elements() {
            if self.count == self.most {
                let Total { what, most, .. } = self;
                return Err(Problem::at(element.at, format!("a scene may have up to {most} {what}; this is one more")));
            }
            self.count += 1;
        }
        Ok(array.elements())
    }
}

/// Fails if a scene, of this or of another format, has too much of anything.
pub(super) fn check(root: Value<'_>) -> Result<(), Problem> {
    let mut shapes = Total::of("shapes", MAX_SHAPES);
    let mut points = Total::of("points of chains and polygons", MAX_POINTS);
    for field in root.fields() {
        match &*field.name {
            "bodies" => {
                for body in Total::of("bodies", MAX_BODIES).add(field.value)? {
                    check_shapes(body, &mut shapes, &mut points)?;
                }
            }
            "entities" => drop(Total::of("entities", MAX_BODIES).add(field.value)?),
            "joints" => drop(Total::of("joints", MAX_JOINTS).add(field.value)?),
            "fluids" | "fields" | "soft_bodies" => drop(Total::of("of these", MAX_MEDIA).add(field.value)?),
            _ => {}
        }
    }
    Ok(())
}

fn check_shapes(body: Value<'_>, shapes: &mut Total, points: &mut Total) -> Result<(), Problem> {
    for list in body.fields().filter(|field| field.name == "shapes") {
        for shape in shapes.add(list.value)? {
            for field in shape.fields() {
                match &*field.name {
                    "points" | "vertices" => drop(points.add(field.value)?),
                    "holes" => {
                        for hole in field.value.elements() {
                            drop(points.add(hole)?);
                        }
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(())
}
