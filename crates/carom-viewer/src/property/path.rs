//! Paths such as `body.3.shape.0.friction`, and where they lead.

use super::error::PropertyError;
use super::row::Property;
use super::value::Value;
use super::{body, joint, outline, particle, shape, solid, world};
use carom_scenes::{ParticleRun, Run, SceneWorld, SolidRun, closest};
use carom2d::shape::Geometry;
use carom2d::{BodyId, JointId, ShapeId};

/// Something that has properties, or a numbered list of such things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Root,
    World,
    Bodies,
    Body(BodyId),
    Shapes(BodyId),
    Shape(ShapeId),
    Vertices(ShapeId),
    Vertex(ShapeId, usize),
    Joints,
    Joint(JointId),
    System,
    Particles,
    Particle(usize),
    Edges,
    Edge(usize),
    HalfPlanes,
    HalfPlane(usize),
    Space,
    Spheres,
    Sphere(usize),
}

impl Place {
    /// The table of what it has.
    pub(super) fn rows(self) -> &'static [Property] {
        match self {
            Place::World => world::ROWS,
            Place::Body(_) => body::ROWS,
            Place::Shape(_) => shape::ROWS,
            Place::Vertex(..) => shape::VERTEX_ROWS,
            Place::Joint(_) => joint::ROWS,
            Place::System => particle::SYSTEM_ROWS,
            Place::Particle(_) => particle::PARTICLE_ROWS,
            Place::Edge(_) => particle::EDGE_ROWS,
            Place::HalfPlane(_) => particle::HALF_PLANE_ROWS,
            Place::Space => solid::WORLD_ROWS,
            Place::Sphere(_) => solid::BODY_ROWS,
            Place::Root
            | Place::Bodies
            | Place::Shapes(_)
            | Place::Vertices(_)
            | Place::Joints
            | Place::Particles
            | Place::Edges
            | Place::HalfPlanes
            | Place::Spheres => &[],
        }
    }

    /// The names of the places below it, numbered ones left out.
    pub(super) fn branches(self, run: &Run) -> &'static [&'static str] {
        match (self, run) {
            (Place::Root, Run::Rigid(run)) if run.world.joint_count() > 0 => &["world", "body", "joint"],
            (Place::Root, Run::Rigid(_) | Run::Solid(_)) => &["world", "body"],
            (Place::Root, Run::Particles(_)) => &["system", "particle", "edge", "half_plane"],
            (Place::Body(_), _) => &["shape"],
            (Place::Shape(id), Run::Rigid(run)) if vertex_count(run, id) > 0 => &["vertex"],
            _ => &[],
        }
    }

    /// The numbers of the things in a list; nothing for what is no list.
    pub(super) fn indices(self, run: &Run) -> Option<Vec<usize>> {
        Some(match (self, run) {
            (Place::Bodies, Run::Rigid(run)) => run.world.bodies().map(|id| id.index() as usize).collect(),
            (Place::Joints, Run::Rigid(run)) => run.world.joints().map(|id| id.index() as usize).collect(),
            (Place::Shapes(id), Run::Rigid(run)) => (0..shapes(run, id).count()).collect(),
            (Place::Vertices(id), Run::Rigid(run)) => (0..vertex_count(run, id)).collect(),
            (Place::Particles, Run::Particles(run)) => (0..run.scene.system.particle_count()).collect(),
            (Place::Edges, Run::Particles(run)) => (0..run.scene.system.edges().len()).collect(),
            (Place::HalfPlanes, Run::Particles(run)) => (0..run.scene.system.half_planes().len()).collect(),
            (Place::Spheres, Run::Solid(run)) => (0..run.scene.bodies().count()).collect(),
            _ => return None,
        })
    }

    /// The place of this name, or number, right below.
    pub(super) fn enter(self, run: &Run, name: &str) -> Option<Place> {
        match run {
            Run::Rigid(run) => self.enter_world(run, name),
            Run::Particles(run) => self.enter_system(run, name),
            Run::Solid(run) => self.enter_space(run, name),
        }
    }

    fn enter_world(self, run: &SceneWorld, name: &str) -> Option<Place> {
        match (self, name) {
            (Place::Root, "world") => Some(Place::World),
            (Place::Root, "body") => Some(Place::Bodies),
            (Place::Bodies, _) => {
                let index = u32::try_from(index(name)?).ok()?;
                run.world.bodies().find(|id| id.index() == index).map(Place::Body)
            }
            (Place::Root, "joint") if run.world.joint_count() > 0 => Some(Place::Joints),
            (Place::Joints, _) => {
                let index = u32::try_from(index(name)?).ok()?;
                run.world.joints().find(|id| id.index() == index).map(Place::Joint)
            }
            (Place::Body(id), "shape") => Some(Place::Shapes(id)),
            (Place::Shapes(id), _) => shapes(run, id).nth(index(name)?).map(Place::Shape),
            (Place::Shape(id), "vertex") if vertex_count(run, id) > 0 => Some(Place::Vertices(id)),
            (Place::Vertices(id), _) => {
                let index = index(name)?;
                (index < vertex_count(run, id)).then_some(Place::Vertex(id, index))
            }
            _ => None,
        }
    }

    fn enter_system(self, run: &ParticleRun, name: &str) -> Option<Place> {
        let system = &run.scene.system;
        let below = |count: usize| index(name).filter(|&index| index < count);
        match (self, name) {
            (Place::Root, "system") => Some(Place::System),
            (Place::Root, "particle") => Some(Place::Particles),
            (Place::Root, "edge") => Some(Place::Edges),
            (Place::Root, "half_plane") => Some(Place::HalfPlanes),
            (Place::Particles, _) => below(system.particle_count()).map(Place::Particle),
            (Place::Edges, _) => below(system.edges().len()).map(Place::Edge),
            (Place::HalfPlanes, _) => below(system.half_planes().len()).map(Place::HalfPlane),
            _ => None,
        }
    }

    fn enter_space(self, run: &SolidRun, name: &str) -> Option<Place> {
        match (self, name) {
            (Place::Root, "world") => Some(Place::Space),
            (Place::Root, "body") => Some(Place::Spheres),
            (Place::Spheres, _) => index(name).filter(|&index| index < run.scene.bodies().count()).map(Place::Sphere),
            _ => None,
        }
    }

    /// What it is, in a few words.
    pub(super) fn summary(self, run: &Run) -> Value {
        let text = match (self, run) {
            (Place::Body(id), Run::Rigid(run)) => body::summary(run, id),
            (Place::Shape(id), Run::Rigid(run)) => {
                run.world.get_shape(id).map_or(String::new(), |shape| outline::describe(shape.geometry()))
            }
            (Place::Joint(id), Run::Rigid(run)) => joint::summary(run, id),
            (
                Place::Bodies | Place::Joints | Place::Particles | Place::Edges | Place::HalfPlanes | Place::Spheres,
                _,
            ) => self.indices(run).map_or(String::new(), |indices| format!("{} of them", indices.len())),
            (Place::World | Place::System | Place::Space, _) => {
                format!("{}, step {}", run.about().name, run.step_index())
            }
            (Place::Vertex(..) | Place::Particle(_) | Place::Sphere(_), _) => {
                let own = self.rows().iter().find(|row| ["", "position"].contains(&row.name));
                return own.and_then(|row| (row.get)(run, self)).unwrap_or(Value::Text(String::new()));
            }
            (Place::Edge(index), Run::Particles(run)) => {
                let ends = run.scene.system.edges().get(index).map(|edge| edge.ends);
                ends.map_or(String::new(), |[a, b]| format!("from particle {a} to {b}"))
            }
            (Place::HalfPlane(_), _) => "half-plane".to_owned(),
            _ => String::new(),
        };
        Value::Text(text)
    }

    /// The names of all properties and branches that are there.
    pub(super) fn names(self, run: &Run) -> Vec<String> {
        let rows = self.rows().iter().filter(|row| !row.name.is_empty() && (row.get)(run, self).is_some());
        let branches = self.branches(run).iter().copied();
        rows.map(|row| row.name).chain(branches).map(str::to_owned).collect()
    }
}

/// The shapes of a body, in order of attachment.
pub(super) fn shapes(run: &SceneWorld, id: BodyId) -> impl Iterator<Item = ShapeId> {
    run.world.get_body(id).into_iter().flat_map(|body| body.shapes())
}

fn vertex_count(run: &SceneWorld, id: ShapeId) -> usize {
    match run.world.get_shape(id).map(|shape| shape.geometry()) {
        Some(Geometry::Polygon(polygon)) => polygon.vertices().len(),
        _ => 0,
    }
}

/// A number as it stands in paths: digits alone.
fn index(name: &str) -> Option<usize> {
    let digits = name.bytes().all(|byte| byte.is_ascii_digit());
    if digits { name.parse().ok() } else { None }
}

/// A part of a vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    X,
    Y,
}

/// Where a path leads through places, and what of it is left.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    /// The last place it came to.
    pub(super) place: Place,
    /// The path to there.
    pub(super) prefix: String,
    /// The name of a property of that place, or of a group of properties; may be empty.
    pub(super) rest: &'a str,
}

impl Walk<'_> {
    /// The whole path.
    pub(super) fn path(&self) -> String {
        joined(&self.prefix, self.rest)
    }
}

/// Two parts of a path with a dot between them, if there are two.
pub(super) fn joined(prefix: &str, rest: &str) -> String {
    let dot = if prefix.is_empty() || rest.is_empty() { "" } else { "." };
    format!("{prefix}{dot}{rest}")
}

/// Follows a path as far as places go. Fails where a list has nothing of the number.
pub(super) fn walk<'a>(run: &Run, path: &'a str) -> Result<Walk<'a>, PropertyError> {
    walk_from(run, Place::Root, "", path)
}

/// The same from some place on, which messages call by a name.
pub(super) fn walk_from<'a>(
    run: &Run,
    mut place: Place,
    name_of_place: &str,
    path: &'a str,
) -> Result<Walk<'a>, PropertyError> {
    let path = path.trim();
    let mut used = 0;
    loop {
        let rest = &path[used..];
        let name = rest.split('.').next().unwrap_or_default();
        match place.enter(run, name) {
            Some(next) if !name.is_empty() => {
                place = next;
                used = (used + name.len() + 1).min(path.len());
            }
            _ => {
                let prefix = joined(name_of_place, path[..used].trim_end_matches('.'));
                return match place.indices(run) {
                    Some(indices) if !name.is_empty() => {
                        let (index, present) = (name.to_owned(), ranges(&indices));
                        Err(PropertyError::Missing { list: prefix, index, present })
                    }
                    _ => Ok(Walk { place, prefix, rest }),
                };
            }
        }
    }
}

/// Numbers in words: `0 to 7, 9`. Long lists are cut short.
fn ranges(indices: &[usize]) -> String {
    const MOST: usize = 6;
    let mut found: Vec<(usize, usize)> = Vec::new();
    for &index in indices {
        match found.last_mut() {
            Some((_, last)) if *last + 1 == index => *last = index,
            _ => found.push((index, index)),
        }
    }
    let mut words: Vec<String> = found.iter().take(MOST).map(|&(first, last)| range(first, last)).collect();
    if found.len() > MOST {
        words.push("and more".to_owned());
    }
    words.join(", ")
}

fn range(first: usize, last: usize) -> String {
    if first == last { first.to_string() } else { format!("{first} to {last}") }
}

/// A property of something.
pub(super) struct Target {
    pub(super) place: Place,
    pub(super) row: &'static Property,
    /// Which part of the vector is meant, if it is not the whole.
    pub(super) part: Option<Part>,
    /// The present value of the whole.
    pub(super) value: Value,
    /// The whole path.
    pub(super) path: String,
}

impl Target {
    /// The property that is left at the end of a walk.
    pub(super) fn of(run: &Run, walk: &Walk<'_>) -> Result<Target, PropertyError> {
        let (place, rest) = (walk.place, walk.rest);
        let find = |name: &str| place.rows().iter().find(|row| row.name == name);
        let part_of = |letter: &str, part| {
            let name = if rest == letter { "" } else { rest.strip_suffix(letter)?.strip_suffix('.')? };
            find(name).map(|row| (row, Some(part)))
        };
        let whole = find(rest).map(|row| (row, None));
        let found = whole.or_else(|| part_of("x", Part::X)).or_else(|| part_of("y", Part::Y));
        let Some((row, part)) = found else { return Err(unknown(run, walk)) };
        let path = walk.path();
        match (row.get)(run, place) {
            None => Err(PropertyError::Absent { path, only: row.only }),
            Some(value) if part.is_some() && value.as_vector().is_none() => Err(unknown(run, walk)),
            Some(value) => Ok(Target { place, row, part, value, path }),
        }
    }

    /// The value of what is meant.
    pub(super) fn value(&self) -> Value {
        match (self.part, self.value.as_vector()) {
            (Some(Part::X), Some([x, _])) => Value::Number(x),
            (Some(Part::Y), Some([_, y])) => Value::Number(y),
            _ => self.value.clone(),
        }
    }
}

/// What to say of a name that is no property.
fn unknown(run: &Run, walk: &Walk<'_>) -> PropertyError {
    let (place, rest) = (walk.place, walk.rest);
    let mut names = place.names(run);
    if rest.is_empty() {
        names.extend(place.indices(run).iter().flatten().map(usize::to_string));
        return PropertyError::Group { path: walk.path(), names };
    }
    let below: Vec<String> = names.iter().filter_map(|name| below(name, rest)).map(str::to_owned).collect();
    if !below.is_empty() {
        return PropertyError::Group { path: walk.path(), names: below };
    }
    // Of a name that leads nowhere, what follows it does not matter.
    let first = rest.split('.').next().unwrap_or_default();
    let leads_on = names.iter().any(|name| name == first || self::below(name, first).is_some());
    let name = if leads_on || first.is_empty() { rest } else { first };
    let vector = place.rows().iter().find(|row| row.name == first).and_then(|row| (row.get)(run, place)?.as_vector());
    let parts = vector.map(|_| [joined(first, "x"), joined(first, "y")]);
    let candidates = names.iter().chain(parts.iter().flatten()).map(String::as_str);
    let suggestion = closest(name, candidates).map(str::to_owned);
    PropertyError::Unknown { parent: walk.prefix.clone(), name: name.to_owned(), suggestion, names }
}

/// What of a dotted name comes after `group` and a dot.
pub(super) fn below<'a>(name: &'a str, group: &str) -> Option<&'a str> {
    name.strip_prefix(group)?.strip_prefix('.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_words() {
        assert_eq!(ranges(&[]), "");
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0 to 2, 5, 7 to 8");
        assert_eq!(ranges(&[0, 2, 4, 6, 8, 10, 12]), "0, 2, 4, 6, 8, 10, and more");
    }
}
