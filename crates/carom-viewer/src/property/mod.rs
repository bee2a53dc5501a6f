//! Every property of a run by its path: read, set, listed and completed while the run goes on.
//!
//! ```text
//! world.gravity.y                 body.3.velocity         body.3.shape.0.friction
//! world.energy.kinetic            body.3.locked.x         body.3.shape.0.vertex.2
//! joint.2.motor_speed             joint.2.force           joint.2.limits.upper
//! system.integrator               particle.5.position     edge.0.color
//! world.integrator                body.2.velocity         body.2.mass            (in space)
//! ```
//!
//! The engine's structures stay plain; this is a layer of tables on top of them, which costs nothing while nobody
//! asks. A number in a path is the index of the body's handle, so it goes on to name another body when that one
//! is removed and its place taken. Shapes count in the order in which they were attached.
//!
//! | file          | what                                                            |
//! |---------------|-----------------------------------------------------------------|
//! | `path.rs`     | paths, and the things that have properties                      |
//! | `row.rs`      | one property: how it is read and set                            |
//! | `world.rs`    | the table of a world                                            |
//! | `body.rs`     | the table of a body                                             |
//! | `shape.rs`    | the tables of a shape and of a corner                           |
//! | `joint.rs`    | the table of a joint                                            |
//! | `particle.rs` | the tables of a particle system, its particles, edges and planes |
//! | `solid.rs`    | the tables of a scene in space and of its bodies                |
//! | `value.rs`    | values, written and read                                        |
//! | `outline.rs`  | shapes in words                                                 |
//! | `token.rs`    | words and numbers of a text                                     |
//! | `edit.rs`     | changes that can be written down and made again                 |
//! | `error.rs`    | what can be wrong                                               |

mod body;
mod edit;
mod error;
mod joint;
mod outline;
mod particle;
mod path;
mod row;
mod shape;
mod solid;
mod token;
mod value;
mod world;

#[cfg(test)]
pub(crate) mod tests;

pub use edit::Edit;
pub use error::PropertyError;
pub use value::{Value, Word};

pub(crate) use body::joints;
pub(crate) use error::shown;
pub(crate) use outline::WORDS as SHAPE_WORDS;
pub(crate) use solid::spin_frame_name;

use carom_scenes::Run;
use path::{Part, Place, Target, Walk, below, joined, walk};
use row::Set;

/// The most paths that [`complete`] answers with.
pub const MOST_COMPLETIONS: usize = 200;

/// The value of a property.
pub fn get(run: &Run, path: &str) -> Result<Value, PropertyError> {
    Ok(Target::of(run, &walk(run, path)?)?.value())
}

/// Sets a property to what a text says, and returns the value that is then in force: a fixed body, for example,
/// keeps its velocity of zero whatever it is told.
pub fn set(run: &mut Run, path: &str, text: &str) -> Result<Value, PropertyError> {
    let target = Target::of(run, &walk(run, path)?)?;
    set_target(run, &target, text)?;
    get(run, path)
}

fn set_target(run: &mut Run, target: &Target, text: &str) -> Result<(), PropertyError> {
    let Target { place, row, part, value, path } = target;
    if matches!(row.set, Set::Never) {
        return Err(PropertyError::ReadOnly { path: path.clone() });
    }
    let refused = |refusal: error::Refusal| refusal.at(path, text, row.only);
    let whole = match (part, value.as_vector()) {
        (Some(part), Some([x, y])) => {
            value::double(text).map_err(|expected| refused(expected.into()))?;
            // With the text itself, so that it is rounded once, to the precision of the property.
            match part {
                Part::X => format!("{} {}", text.trim(), Value::Number(y)),
                Part::Y => format!("{} {}", Value::Number(x), text.trim()),
            }
        }
        _ => text.to_owned(),
    };
    row.set.apply(run, *place, &whole).map_err(refused)
}

/// What is known of a property besides its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Description {
    /// One line of what it is, with its unit.
    pub about: &'static str,
    /// What can be set; nothing if it can only be read.
    pub expected: Option<String>,
}

/// What is known of a property besides its value.
pub fn describe(run: &Run, path: &str) -> Result<Description, PropertyError> {
    let target = Target::of(run, &walk(run, path)?)?;
    let expected = match (target.part, &target.row.set) {
        (_, Set::Never) => None,
        (Some(_), _) => Some(value::NUMBER.to_owned()),
        (None, set) => set.expected().map(|expected| expected.into_owned()),
    };
    Ok(Description { about: target.row.about, expected })
}

/// What is right below a path, by name and value: the properties of a thing, the things in a list, the parts of a
/// vector. Things that have no value of their own are told in a few words. Empty for a value without parts.
pub fn list(run: &Run, path: &str) -> Result<Vec<(String, Value)>, PropertyError> {
    let walk = walk(run, path)?;
    let Walk { place, rest, .. } = walk;
    match Target::of(run, &walk) {
        Ok(target) => {
            let parts = target.value().as_vector().into_iter().flatten();
            Ok(["x", "y"].into_iter().map(str::to_owned).zip(parts.map(Value::Number)).collect())
        }
        Err(PropertyError::Group { .. }) if rest.is_empty() => Ok(children(run, place)),
        Err(PropertyError::Group { .. }) => {
            let rows = place.rows().iter().filter_map(|row| Some((below(row.name, rest)?, row)));
            Ok(rows.filter_map(|(name, row)| Some((name.to_owned(), (row.get)(run, place)?))).collect())
        }
        Err(error) => Err(error),
    }
}

/// The properties of a thing, then the things below it. The root's lists may be long and are only counted.
fn children(run: &Run, place: Place) -> Vec<(String, Value)> {
    let rows = place.rows().iter();
    let mut found: Vec<_> = rows.filter_map(|row| Some((row.name.to_owned(), (row.get)(run, place)?))).collect();
    let mut add = |name: String, below: Option<Place>| {
        found.extend(below.map(|below| (name, below.summary(run))));
    };
    for index in place.indices(run).unwrap_or_default() {
        add(index.to_string(), place.enter(run, &index.to_string()));
    }
    for &branch in place.branches(run) {
        let below = place.enter(run, branch);
        match below.and_then(|below| below.indices(run)) {
            Some(indices) if place != Place::Root => {
                for index in indices {
                    let thing = below.and_then(|below| below.enter(run, &index.to_string()));
                    add(format!("{branch}.{index}"), thing);
                }
            }
            _ => add(branch.to_owned(), below),
        }
    }
    found
}

/// The paths that begin with what was typed, up to the next dot, at most [`MOST_COMPLETIONS`] of them. Those that go
/// on end with a dot.
pub fn complete(run: &Run, partial: &str) -> Vec<String> {
    let partial = partial.trim_start();
    let (head, _) = partial.rsplit_once('.').unwrap_or_default();
    let Ok(walk) = walk(run, head) else { return Vec::new() };
    // What is typed of the name: a name of properties may have dots of its own.
    let skipped = if walk.prefix.is_empty() { 0 } else { walk.prefix.len() + 1 };
    let Some(typed) = partial.get(skipped..) else { return Vec::new() };
    let mut found: Vec<String> = Vec::new();
    for name in continuations(run, walk.place) {
        if found.len() >= MOST_COMPLETIONS || !name.starts_with(typed) {
            continue;
        }
        let end = name[typed.len()..].find('.').map_or(name.len(), |dot| typed.len() + dot + 1);
        let path = joined(&walk.prefix, &name[..end]);
        // The parts of a vector come after the vector itself.
        let whole = path.trim_end_matches('.');
        if found.last().is_none_or(|last| *last != path && last != whole) {
            found.push(path);
        }
    }
    found
}

/// Everything that may follow a place, with a dot at the end of what goes on.
fn continuations(run: &Run, place: Place) -> impl Iterator<Item = String> {
    let parts = |name: &str| [joined(name, "x"), joined(name, "y")];
    let rows = place.rows().iter().filter_map(move |row| {
        let value = (row.get)(run, place)?;
        let parts = value.as_vector().map(|_| parts(row.name));
        let own = (!row.name.is_empty()).then(|| row.name.to_owned());
        Some(own.into_iter().chain(parts.into_iter().flatten()))
    });
    let ends = move |index: usize| match place {
        Place::Vertices(_) => index.to_string(),
        _ => format!("{index}."),
    };
    let indices = place.indices(run).into_iter().flatten().map(ends);
    let branches = place.branches(run).iter().map(|branch| format!("{branch}."));
    rows.flatten().chain(indices).chain(branches)
}

/// Attaches a shape to a body and returns its path. The text is such as `circle 0.5`, `rectangle 2 1 at (0, 1)`,
/// `polygon (0,0) (1,0) (0,1) density 2`, `regular 6 0.5` or `capsule (0,0) (1,0) 0.3`.
pub fn add_shape(run: &mut Run, body: u32, text: &str) -> Result<String, PropertyError> {
    let path = format!("body.{body}");
    let Walk { place: Place::Body(id), .. } = walk(run, &path)? else { return Err(PropertyError::NoBodies) };
    let refused = |refusal: error::Refusal| refusal.at(&format!("{path}.shape"), text, "");
    let def = outline::shape_def(text).map_err(refused)?;
    let world = &mut run.as_rigid_mut().ok_or(PropertyError::NoBodies)?.world;
    world.add_shape(id, def).map_err(|error| refused(error.into()))?;
    let last = world.get_body(id).map_or(0, |body| body.shapes().count().saturating_sub(1));
    Ok(format!("{path}.shape.{last}"))
}

/// Removes the body, shape or joint at a path.
pub fn remove(run: &mut Run, path: &str) -> Result<(), PropertyError> {
    let walk = walk(run, path)?;
    let permanent = || PropertyError::Permanent { path: path.trim().to_owned() };
    if !walk.rest.is_empty() {
        return Err(permanent());
    }
    let world = &mut run.as_rigid_mut().ok_or(PropertyError::NoBodies)?.world;
    let removed = match walk.place {
        Place::Body(id) => world.remove_body(id),
        Place::Shape(id) => world.remove_shape(id),
        Place::Joint(id) => world.remove_joint(id),
        _ => return Err(permanent()),
    };
    removed.map_err(|error| PropertyError::Refused { path: walk.path(), reason: error.to_string() })
}
