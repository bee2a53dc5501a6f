//! `carom compare`: grading a trajectory of a particle scene, step by step.

use crate::failure::Failure;
use crate::particles::{is_scene_file, load};
use crate::progress::Progress;
use carom_particles::{TrajectoryError, compare_with};
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The particle scene that the trajectory belongs to, which ends in .xml
    scene: PathBuf,

    /// The trajectory, as `carom run SCENE.xml --out FILE.bin` and FOSSSim write it
    #[arg(value_name = "FILE.bin")]
    file: PathBuf,
}

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    if !is_scene_file(&args.scene) {
        return Err(Failure::Usage(format!(
            "{} is no particle scene\n`carom compare` takes a scene that ends in .xml, then a trajectory",
            args.scene.display()
        )));
    }
    let scene = load(&args.scene)?;
    let unreadable = |error| Failure::Read { path: args.file.clone(), error };
    let file = File::open(&args.file).map_err(unreadable)?;
    let mut progress = Progress::new(u32::try_from(scene.steps()).unwrap_or(u32::MAX));
    let report =
        compare_with(&scene, BufReader::new(file), |_, step| progress.at(u32::try_from(step.step).unwrap_or(u32::MAX)));
    drop(progress);
    let report = report.map_err(|error| match error {
        TrajectoryError::Io { error, .. } => unreadable(error),
        error => Failure::Trajectory { path: args.file.clone(), error },
    })?;
    if report.has_trailing_bytes {
        writeln!(io::stderr(), "note: {} goes on after the scene's last step", args.file.display()).ok();
    }
    // The verdict is in the exit code too, and stays there when nobody reads the report to its end.
    match writeln!(out, "{report}").and_then(|()| out.flush()).map_err(Failure::from) {
        Ok(()) | Err(Failure::ReaderGone) if report.passed() => Ok(()),
        Ok(()) | Err(Failure::ReaderGone) => Err(Failure::NotPassed),
        Err(failure) => Err(failure),
    }
}
