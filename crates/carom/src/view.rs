//! `carom view`: a scene in a window.

use crate::failure::Failure;
use crate::picture::ThemeName;
use crate::solid;
use carom_particles::Trajectory;
use carom_scenes::{Run, find_entry, is_scene_file, open};
use carom_viewer::{Screenshot, Start, ViewError};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// The scene that is opened where none is named.
pub(crate) const WELCOME: &str = "falling_bricks";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The name of a built-in scene, or a scene file that ends in .json, .xml or .scene
    #[arg(default_value = WELCOME)]
    scene: String,

    /// Compare a trajectory with the scene, as `carom compare` does, and show it
    ///
    /// At each step missed collisions are drawn in green, superfluous ones in red, wrong ones in red beside the
    /// right one in green, and particles that are off have a ring. A panel has the verdict, the residuals and a
    /// list of the steps to jump to.
    #[arg(long, value_name = "FILE.bin")]
    compare: Option<PathBuf>,

    /// Write a picture of the window to this PNG file, then close it
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,

    /// Take the picture after so many seconds of simulated time [default: 1]
    #[arg(long, value_name = "S", value_parser = crate::run::seconds, requires = "screenshot")]
    after: Option<f64>,

    /// Light or dark [default: as the system has it]
    #[arg(long, value_name = "THEME")]
    theme: Option<ThemeName>,

    #[command(flatten)]
    space: solid::SpaceArgs,

    /// Nothing but Falling Bricks, with gravity to turn
    #[arg(long)]
    play: bool,
}

pub(crate) fn execute(args: &Args) -> Result<(), Failure> {
    if args.play && args.scene != WELCOME {
        return Err(Failure::Usage(format!("--play is for the scene {WELCOME}")));
    }
    let run = if is_scene_file(&args.scene) { open(&args.scene)? } else { find_entry(&args.scene)?.build()? };
    let run = match run {
        Run::Solid(run) => Run::Solid(Box::new(args.space.applied_to(*run)?)),
        other => {
            args.space.refuse()?;
            other
        }
    };
    solid::tell_notes(&run);
    let dark = args.theme.map(|theme| theme == ThemeName::Dark);
    let trajectory = args.compare.as_deref().map(|path| trajectory_of(&args.scene, &run, path)).transpose()?;
    let start = Start { run, trajectory, play: args.play, dark, message: None, paused: false };
    let screenshot = args.screenshot.clone().map(|path| Screenshot { path, after: args.after.unwrap_or(1.0) });
    Ok(carom_viewer::open_window(start, screenshot)?)
}

/// Reads a trajectory of a run that was opened by this name.
pub(crate) fn trajectory_of(scene: &str, run: &Run, path: &Path) -> Result<(String, Trajectory), Failure> {
    let Some(run) = run.as_particles() else {
        return Err(Failure::Usage(format!("{scene} is no particle scene\n--compare takes a trajectory of one")));
    };
    let file = File::open(path).map_err(|error| Failure::Read { path: path.to_owned(), error })?;
    let trajectory = Trajectory::read(&run.scene, BufReader::new(file));
    let trajectory = trajectory.map_err(|error| Failure::of_trajectory(path, error))?;
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
    Ok((name, trajectory))
}

/// Opens Falling Bricks, as `carom` alone does. None where there is no display.
pub(crate) fn welcome() -> Option<Result<(), Failure>> {
    if !carom_viewer::has_display() {
        return None;
    }
    let start = match Start::scene(WELCOME) {
        Ok(start) => start,
        Err(error) => return Some(Err(Failure::Usage(error))),
    };
    match carom_viewer::open_window(start, None) {
        // A display that is named but not there.
        Err(ViewError::NoDisplay | ViewError::Window(_)) => None,
        result => Some(result.map_err(Failure::from)),
    }
}
