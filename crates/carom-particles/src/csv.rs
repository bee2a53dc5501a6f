//! Trajectories as tables: step,particle,x,y,vx,vy with all digits it takes to read the same numbers back.

use crate::scene::Scene;
use crate::system::ParticleSystem;
use std::io::{self, Write};
use std::num::NonZeroU64;

/// The first line.
pub const CSV_HEADER: &str = "step,particle,x,y,vx,vy";

/// Writes the header.
pub fn write_csv_header(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{CSV_HEADER}")
}

/// Writes a row for each particle of the present state.
pub fn write_csv_rows(system: &ParticleSystem, step: u64, out: &mut impl Write) -> io::Result<()> {
    for (i, (x, v)) in system.positions().iter().zip(system.velocities()).enumerate() {
        writeln!(out, "{step},{i},{:?},{:?},{:?},{:?}", x.x, x.y, v.x, v.y)?;
    }
    Ok(())
}

/// Runs a scene for `steps` steps and writes the start, every `every`-th step and the last.
pub fn write_csv(scene: &Scene, steps: u64, every: NonZeroU64, out: &mut impl Write) -> io::Result<()> {
    let mut system = scene.system.clone();
    write_csv_header(out)?;
    write_csv_rows(&system, 0, out)?;
    for step in 1..=steps {
        system.step(scene.dt);
        if step.is_multiple_of(every.get()) || step == steps {
            write_csv_rows(&system, step, out)?;
        }
    }
    Ok(())
}
