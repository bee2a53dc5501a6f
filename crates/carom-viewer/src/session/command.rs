//! What a person may change in a world.

use crate::console::Edit;
use carom_scenes::{Color, PoolGame, Run, SceneWorld};
use carom2d::math::Vec2;
use carom2d::{BodyDef, BodyId, ShapeDef, WorldDef};
use carom3d::math::DVec3;

/// A change. Carried out on the same state it always has the same effect.
#[derive(Clone, Debug)]
pub(crate) enum Command {
    /// Gravity, in m/s^2.
    Gravity(Vec2),
    /// The settings of the world.
    World(Box<WorldDef>),
    /// A new body.
    Create(Box<NewBody>),
    /// A body goes.
    Delete(BodyId),
    /// A body is put somewhere else.
    Place {
        /// Which.
        body: BodyId,
        /// Where its origin goes.
        position: Vec2,
    },
    /// Something explodes at a point.
    Explode(Vec2),
    /// Something that has a path.
    Edit(Edit),
    /// A move in the game of pool.
    Pool(PoolMove),
}

/// What a player does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PoolMove {
    /// Strikes the white ball in a direction, at a speed in m/s.
    Strike { direction: DVec3, speed: f64 },
    /// Puts the white ball back to its place.
    PutBack,
    /// Racks all balls.
    Rack,
}

/// A body to be made.
#[derive(Clone, Debug)]
pub(crate) struct NewBody {
    body: BodyDef,
    shape: ShapeDef,
    color: Option<Color>,
}

/// What a command made or has to say.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Created {
    /// A new body.
    pub(crate) body: Option<BodyId>,
    /// An answer in words.
    pub(crate) note: String,
}

impl Command {
    pub(crate) fn create(body: BodyDef, shape: ShapeDef, color: Option<Color>) -> Command {
        Command::Create(Box::new(NewBody { body, shape, color }))
    }

    /// In a word or two, for undo.
    pub(crate) fn label(&self) -> String {
        match self {
            Command::Gravity(_) => "gravity".to_owned(),
            Command::World(_) => "world settings".to_owned(),
            Command::Create(_) => "create".to_owned(),
            Command::Delete(_) => "delete".to_owned(),
            Command::Place { .. } => "move".to_owned(),
            Command::Explode(_) => "explosion".to_owned(),
            Command::Edit(edit) => edit.label(),
            Command::Pool(PoolMove::Strike { .. }) => "strike".to_owned(),
            Command::Pool(PoolMove::PutBack) => "put the ball back".to_owned(),
            Command::Pool(PoolMove::Rack) => "rack".to_owned(),
        }
    }

    /// Do changes with this label come in floods, from sliders and drags?
    pub(crate) fn is_continuous(label: &str) -> bool {
        !["create", "delete", "throw", "strike", "rack", "explosion"].contains(&label)
            && !label.starts_with("add")
            && !label.starts_with("remove")
    }

    /// May it find only half way through that it cannot be done?
    pub(crate) fn may_fail_halfway(&self) -> bool {
        matches!(self, Command::Create(_) | Command::Edit(_))
    }

    /// Carries it out.
    pub(crate) fn apply(&self, run: &mut Run) -> Result<Created, String> {
        if let Run::Rigid(run) = run {
            // What follows is another future than that of a recording.
            run.leave_recording();
        }
        if let Command::Edit(edit) = self {
            let note = edit.apply(run).map_err(|error| error.to_string())?;
            return Ok(Created { body: None, note });
        }
        match run {
            Run::Solid(run) if matches!(self, Command::Pool(_)) => {
                let game = PoolGame::of(run).ok_or("this is no game of pool")?;
                self.play_pool(game, &mut run.scene)
            }
            Run::Rigid(run) => self.apply_to_bodies(run).map_err(|error| error.to_string()),
            _ => Err("this scene has no rigid bodies".to_owned()),
        }
    }

    fn apply_to_bodies(&self, run: &mut SceneWorld) -> Result<Created, carom2d::DefError> {
        let mut created = Created::default();
        match self {
            Command::Gravity(gravity) => run.world.set_gravity(*gravity)?,
            Command::World(def) => run.world.set_def(**def)?,
            Command::Create(new) => {
                let id = run.world.add_body(new.body)?;
                run.world.add_shape(id, new.shape.clone())?;
                if let Some(color) = new.color {
                    run.set_color(id, color);
                }
                created.body = Some(id);
            }
            Command::Delete(body) => run.world.remove_body(*body)?,
            Command::Place { body, position } => {
                if let Some(mut body) = run.world.get_body_mut(*body) {
                    body.set_position(*position)?;
                    body.wake();
                }
            }
            Command::Explode(center) => run.explode(*center)?,
            Command::Edit(_) | Command::Pool(_) => {}
        }
        Ok(created)
    }

    fn play_pool(&self, game: PoolGame, scene: &mut carom3d::Scene) -> Result<Created, String> {
        let is_done = match self {
            Command::Pool(PoolMove::Strike { direction, speed }) => game.strike(scene, *direction, *speed),
            Command::Pool(PoolMove::PutBack) => {
                game.put_back(scene);
                true
            }
            Command::Pool(PoolMove::Rack) => {
                game.rack(scene);
                true
            }
            _ => false,
        };
        let refused = || "the cue needs a direction along the table".to_owned();
        is_done.then(Created::default).ok_or_else(refused)
    }
}
