//! `carom check`: is a file what it should be?

use crate::failure::Failure;
use crate::particles::{is_scene_file, load};
use carom_particles::short_number;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A particle scene, which ends in .xml
    file: PathBuf,
}

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let name = args.file.display();
    if !is_scene_file(&args.file) {
        return Err(Failure::Usage(format!(
            "cannot tell what {name} should hold\n`carom check` takes particle scenes, which end in .xml"
        )));
    }
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
