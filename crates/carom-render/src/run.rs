//! A run of any kind as a draw list.

use crate::list::DrawList;
use crate::particles::draw_particles;
use crate::poses::Poses;
use crate::scene::{Look, draw};
use crate::solid::draw_solid;
use crate::subject::Subject;
use crate::view::View;

/// Draws a run of any kind into `list`, replacing what was there.
pub fn draw_run<'r>(list: &mut DrawList, run: impl Into<Subject<'r>>, view: &View, look: &Look, poses: Poses<'_>) {
    match run.into() {
        Subject::Rigid(run) => draw(list, run, view, look, poses),
        Subject::Particles(run) => draw_particles(list, run, view, look, poses, []),
        Subject::Solid(run) => draw_solid(list, run, view, look, poses),
    }
}
