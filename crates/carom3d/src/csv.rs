//! Trajectories as tables, with all digits it takes to read the same numbers back.

use crate::body::BodyId;
use crate::scene::Scene;
use crate::world::World;
use std::io::{self, Write};
use std::num::NonZeroU64;

/// The first line.
pub const CSV_HEADER: &str = "time,body,px,py,pz,vx,vy,vz,qw,qx,qy,qz,wx,wy,wz";

/// Writes the header.
pub fn write_csv_header(out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{CSV_HEADER}")
}

/// Writes a row for each body of the present state, numbered from 0. Bodies that are no longer there are left out.
pub fn write_csv_rows(world: &World, bodies: impl IntoIterator<Item = BodyId>, out: &mut impl Write) -> io::Result<()> {
    for (number, id) in bodies.into_iter().enumerate() {
        let Some(body) = world.get_body(id) else { continue };
        let state = body.state();
        let (p, v, q, w) = (state.position, state.velocity, state.orientation, state.angular_velocity);
        write!(out, "{:?},{number},{:?},{:?},{:?},{:?},{:?},{:?}", world.time_s(), p.x, p.y, p.z, v.x, v.y, v.z)?;
        writeln!(out, ",{:?},{:?},{:?},{:?},{:?},{:?},{:?}", q.w, q.x, q.y, q.z, w.x, w.y, w.z)?;
    }
    Ok(())
}

/// Runs a scene for `steps` steps and writes the start, every `every`-th step and the last.
pub fn write_csv(scene: &Scene, steps: u64, every: NonZeroU64, out: &mut impl Write) -> io::Result<()> {
    let mut scene = scene.clone();
    let bodies: Vec<BodyId> = scene.bodies().collect();
    write_csv_header(out)?;
    write_csv_rows(&scene.world, bodies.iter().copied(), out)?;
    for step in 1..=steps {
        scene.step();
        if step.is_multiple_of(every.get()) || step == steps {
            write_csv_rows(&scene.world, bodies.iter().copied(), out)?;
        }
    }
    Ok(())
}
