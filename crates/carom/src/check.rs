//! `carom check`: is a file what it should be?

use crate::failure::{Failure, shown};
use crate::particles::{is_scene_file, load};
use crate::solid;
use carom_particles::short_number;
use carom_scenes::{Run, open};
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A scene file: rigid bodies in .json, particles in .xml, balls in space in .scene
    file: PathBuf,
}

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    if is_scene_file(&args.file) {
        return check_particles(args, out);
    }
    let name = shown(&args.file);
    let run = match open(&args.file)? {
        Run::Rigid(run) => run,
        Run::Solid(run) => return solid::check(&name, &run, out),
        Run::Particles(_) => return Err(Failure::Usage(format!("{name} holds nothing that can be checked"))),
    };
    let about = run.about();
    writeln!(
        out,
        "{name}: valid (bodies {}, shapes {}, steps {} of {} s)",
        run.world.body_count(),
        run.world.shape_count(),
        about.steps,
        short_number(about.dt),
    )?;
    Ok(())
}

fn check_particles(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let name = shown(&args.file);
    let scene = load(&args.file)?;
    let system = &scene.system;
    writeln!(
        out,
        "{name}: valid (particles {}, edges {}, half-planes {}, steps {} of {} s)",
        system.particle_count(),
        system.edges().len(),
        system.half_planes().len(),
        scene.steps(),
        short_number(scene.dt),
    )?;
    Ok(())
}
