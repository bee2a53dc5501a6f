//! Scenes in space: those built in, and runs of these and of those from files.

mod ball_pit;
mod builder;
mod cradle_3d;
mod domino_spiral;
mod dzhanibekov;
mod pool_break;
mod run;
mod toy_box;

pub use pool_break::PoolGame;
pub use run::SolidRun;

use crate::script::Unmet;

/// A built-in scene in space.
#[derive(Debug)]
pub struct SolidScene {
    /// Short name in lower case, unique.
    pub name: &'static str,
    /// One line of what it shows.
    pub summary: &'static str,
    /// How many seconds it runs unless told otherwise.
    pub seconds: f64,
    /// Makes it.
    pub(crate) make: fn() -> carom3d::Scene,
    /// What must hold at its end, besides that nothing was lost.
    pub(crate) check: fn(&carom3d::Scene) -> Result<(), Unmet>,
}

impl SolidScene {
    /// The scene at its start.
    pub fn build(&'static self) -> SolidRun {
        SolidRun::of_built_in(self)
    }
}

static ALL: [SolidScene; 6] =
    [cradle_3d::SCENE, pool_break::SCENE, ball_pit::SCENE, domino_spiral::SCENE, dzhanibekov::SCENE, toy_box::SCENE];

/// Every built-in scene in space.
pub(crate) fn all() -> &'static [SolidScene] {
    &ALL
}
