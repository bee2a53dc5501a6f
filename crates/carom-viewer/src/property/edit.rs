//! Changes of a run that can be written down and made again.

use super::error::{PropertyError, Refusal};
use super::outline::{OPTIONS, Phrase, shape_def};
use super::path::{Place, Target, walk_from};
use super::{add_shape, remove, set, set_target};
use carom_scenes::{Run, SceneWorld};
use carom2d::{BodyDef, BodyId, World};
use serde::{Deserialize, Serialize};

/// A change of a run. Made of the same state it always has the same effect, bit for bit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Edit {
    /// Sets a property.
    Set {
        /// Which, such as `body.3.velocity`.
        path: String,
        /// To what, such as `1, 0`.
        value: String,
    },
    /// Attaches a shape to a body.
    Add {
        /// Index of the body.
        body: u32,
        /// The shape in words, such as `circle 0.5 at (1, 0)`.
        shape: String,
    },
    /// Removes a body or a shape.
    Remove {
        /// Which, such as `body.3` or `body.3.shape.0`.
        path: String,
    },
    /// Makes a dynamic body of one shape.
    Spawn {
        /// The shape in words, such as `circle 0.5`.
        shape: String,
        /// Properties of the body with their values, such as `position` and `0, 5`. They are set in this order.
        properties: Vec<(String, String)>,
    },
}

impl Edit {
    /// Sets a property.
    pub fn set(path: impl Into<String>, value: impl ToString) -> Edit {
        Edit::Set { path: path.into(), value: value.to_string() }
    }

    /// Makes a body of what was typed, such as `circle 0.5 at (0, 5) velocity 1 0 friction 0.9`. Where an option is
    /// both, it is the body's: `at` and `angle` place the body, not the shape on it.
    pub fn spawn(text: &str) -> Result<Edit, PropertyError> {
        let refused = |refusal: Refusal| refusal.at("spawn", text, "");
        let phrase = Phrase::parse(text).map_err(|expected| refused(expected.into()))?;
        phrase.outline().map_err(refused)?;
        let mut shape = format!("{} {}", phrase.kind, phrase.numbers.join(" "));
        let mut properties = Vec::new();
        for (name, value) in phrase.options {
            match name {
                "at" => properties.push(("position".to_owned(), value)),
                "angle" => properties.push((name.to_owned(), value)),
                _ if OPTIONS.contains(&name) => shape += &format!(" {name} {value}"),
                _ => properties.push((name.to_owned(), value)),
            }
        }
        Ok(Edit::Spawn { shape, properties })
    }

    /// In a word or two. Edits of the same thing have the same label.
    pub fn label(&self) -> String {
        match self {
            Edit::Set { path, .. } => path.trim().to_owned(),
            Edit::Add { body, .. } => format!("add to body.{body}"),
            Edit::Remove { path } => format!("remove {}", path.trim()),
            Edit::Spawn { .. } => "create".to_owned(),
        }
    }

    /// Makes the change, and says what is now in force. Changes nothing on an error.
    pub fn apply(&self, run: &mut Run) -> Result<String, PropertyError> {
        match self {
            Edit::Set { path, value } => {
                let value = set(run, path, value)?;
                Ok(format!("{} = {value}", path.trim()))
            }
            Edit::Add { body, shape } => {
                let path = add_shape(run, *body, shape)?;
                Ok(format!("{path} added"))
            }
            Edit::Remove { path } => {
                remove(run, path)?;
                Ok(format!("{} removed", path.trim()))
            }
            Edit::Spawn { shape, properties } => {
                try_in_empty_world(run, shape, properties)?;
                let id = spawn(run, shape, properties)?;
                Ok(format!("body.{} added", id.index()))
            }
        }
    }
}

/// Finds out whether a body can be made as described, where a half-made one does no harm.
fn try_in_empty_world(run: &Run, shape: &str, properties: &[(String, String)]) -> Result<(), PropertyError> {
    let world = &run.as_rigid().ok_or(PropertyError::NoBodies)?.world;
    let refused =
        |error: carom2d::DefError| PropertyError::Refused { path: "spawn".to_owned(), reason: error.to_string() };
    let empty = World::try_new(*world.def()).map_err(refused)?;
    let mut trial = Run::Rigid(Box::new(SceneWorld::new(run.about().clone(), empty)));
    spawn(&mut trial, shape, properties).map(|_| ())
}

fn spawn(run: &mut Run, shape: &str, properties: &[(String, String)]) -> Result<BodyId, PropertyError> {
    let refused = |refusal: Refusal| refusal.at("spawn", shape, "");
    let def = shape_def(shape).map_err(refused)?;
    let world = &mut run.as_rigid_mut().ok_or(PropertyError::NoBodies)?.world;
    let id = world.add_body(BodyDef::dynamic()).map_err(|error| refused(error.into()))?;
    world.add_shape(id, def).map_err(|error| refused(error.into()))?;
    for (name, value) in properties {
        let target = Target::of(run, &walk_from(run, Place::Body(id), "spawn", name)?)?;
        set_target(run, &target, value)?;
    }
    Ok(id)
}
