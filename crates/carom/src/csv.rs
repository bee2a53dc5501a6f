//! Writing a run as comma-separated values: one row per body and sampled step.

use carom_scenes::SceneWorld;
use std::io::{self, Write};

/// The first line.
const HEADER: &str = "step,time,body,x,y,angle,vx,vy,omega";

/// Writes the header.
pub(crate) fn header(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{HEADER}")
}

/// Writes a row for each body as it is now. Numbers have the fewest digits that still give back the
/// same bits when they are read.
pub(crate) fn rows(out: &mut dyn Write, run: &SceneWorld) -> io::Result<()> {
    let step = run.step_index();
    let time = run.scene().seconds(step);
    for id in run.world.bodies() {
        let body = run.world.body(id);
        let (position, velocity) = (body.position(), body.velocity());
        // Adding zero turns a negative zero into a plain one.
        writeln!(
            out,
            "{step},{time},{},{},{},{},{},{},{}",
            id.index(),
            position.x + 0.0,
            position.y + 0.0,
            body.angle() + 0.0,
            velocity.x + 0.0,
            velocity.y + 0.0,
            body.angular_velocity() + 0.0,
        )?;
    }
    Ok(())
}
