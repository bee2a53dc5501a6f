//! `carom record` and `carom replay`: what was done to a world, in a file.

use crate::failure::{Failure, shown};
use crate::progress::Progress;
use carom_render::WholeFile;
use carom_scenes::{Entry, Run, find_entry, is_scene_file, open};
use carom2d::{RecordDef, Replay, ReplayError};
use clap::ArgAction;
use std::fs::File;
use std::io::{self, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, clap::Args)]
pub(crate) struct RecordArgs {
    /// Name of a built-in scene, or a scene file, of rigid bodies in the plane
    scene: String,

    /// The file to write
    file: PathBuf,

    /// How many steps to make [default: the scene's own length]
    #[arg(long, value_name = "N")]
    steps: Option<u32>,

    /// After every how many steps to write a fingerprint, which says when and where a replay differs; 0 for never
    #[arg(long, value_name = "K", default_value_t = 1)]
    check_every: u32,

    /// How many threads share the work, 1 to 64; the recording is the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: Option<u32>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ReplayArgs {
    /// A file that `carom record` or `World::record_to` wrote
    file: PathBuf,

    /// Compare with the fingerprints in the recording: exit code 1, and the first step and body that differ, if one does
    #[arg(long, action = ArgAction::SetTrue)]
    verify: bool,

    /// Play no further than to this step, as the world counts them
    #[arg(long, value_name = "STEP")]
    until: Option<u64>,

    /// How many threads share the work, 1 to 64; the result is the same [default: as in recording]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: Option<u32>,
}

/// The file of a recording, which the world writes to and this program brings to its end.
#[derive(Clone)]
struct Output(Arc<Mutex<Option<WholeFile>>>);

impl Output {
    fn with<T>(&self, act: impl FnOnce(&mut WholeFile) -> io::Result<T>) -> io::Result<T> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.as_mut().map_or(Err(io::ErrorKind::NotConnected.into()), act)
    }
}

impl Output {
    fn finish(&self) -> io::Result<()> {
        let file = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        file.map_or(Ok(()), WholeFile::finish)
    }
}

/// Does something to a world that is recorded. If it panics, the recording is the report of that: it is kept, and the panic
/// goes on. `act` must own the world, so that the panic drops it and all is written.
fn or_crash_report<T>(path: &Path, output: &Output, act: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(act)).unwrap_or_else(|panic| {
        match output.finish() {
            Ok(()) => eprintln!("what led to this is in {0}: carom replay {0} plays it", shown(path)),
            Err(error) => eprintln!("cannot write {}: {error}", shown(path)),
        }
        resume_unwind(panic)
    })
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.with(|file| file.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.with(|file| file.flush())
    }
}

/// Runs a scene and writes what was done to its world.
pub(crate) fn record(args: &RecordArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let run = match find_entry(&args.scene) {
        Ok(Entry::Rigid(scene)) => Run::Rigid(Box::new(scene.build(&carom_scenes::BuildOptions::default())?)),
        Ok(_) => return Err(not_in_the_plane()),
        Err(_) if is_scene_file(&args.scene) => open(&args.scene)?,
        Err(error) => return Err(error.into()),
    };
    let Run::Rigid(mut run) = run else { return Err(not_in_the_plane()) };
    if let Some(threads) = args.threads {
        let def = carom2d::WorldDef { threads, ..*run.world.def() };
        run.world.set_def(def)?;
    }
    let create = |error| Failure::Create { path: args.file.clone(), error };
    let write = |error| Failure::Write { path: args.file.clone(), error };
    let output = Output(Arc::new(Mutex::new(Some(WholeFile::create(&args.file).map_err(create)?))));
    run.world.record_to(output.clone(), RecordDef { check_every: args.check_every }).map_err(write)?;
    let steps = args.steps.unwrap_or(run.about().steps);
    let run = or_crash_report(&args.file, &output, move || {
        let mut progress = Progress::new(steps);
        for step in 1..=steps {
            run.step();
            progress.at(step);
        }
        drop(progress);
        run.world.stop_recording().map(|()| run)
    });
    let run = run.map_err(write)?;
    output.finish().map_err(write)?;
    let bytes = std::fs::metadata(&args.file).map_or(0, |file| file.len());
    writeln!(out, "{}: {steps} steps, {} kB", shown(&args.file), bytes.div_ceil(1000))?;
    writeln!(out, "hash {:#018x}", run.world.state_hash())?;
    Ok(())
}

fn not_in_the_plane() -> Failure {
    Failure::Usage("only scenes of rigid bodies in the plane can be recorded".to_owned())
}

/// Plays a recording.
pub(crate) fn replay(args: &ReplayArgs, out: &mut dyn Write) -> Result<(), Failure> {
    let failure = |error| of_replay(&args.file, error);
    let file = File::open(&args.file).map_err(|error| Failure::Read { path: args.file.clone(), error })?;
    let mut replay = Replay::open(BufReader::new(file)).map_err(failure)?;
    replay.set_checked(args.verify);
    if let Some(threads) = args.threads {
        replay.set_threads(threads)?;
    }
    let mut played = 0_u64;
    while args.until.is_none_or(|until| replay.world().step_count() < until) {
        match replay.step() {
            Ok(true) => played += 1,
            Ok(false) => break,
            Err(error @ ReplayError::Differs(_)) => {
                writeln!(out, "{}: {error}", shown(&args.file))?;
                return Err(Failure::NotPassed);
            }
            Err(error) => {
                // What came before it was played, and may be what is asked for.
                let world = replay.world();
                writeln!(out, "{played} steps played, to step {}", world.step_count())?;
                writeln!(out, "hash {:#018x}", world.state_hash())?;
                return Err(failure(error));
            }
        }
    }
    let world = replay.world();
    let same = if args.verify { ", the same bits" } else { "" };
    writeln!(out, "{}: {played} steps played, to step {}{same}", shown(&args.file), world.step_count())?;
    writeln!(out, "  bodies                {} ({} awake)", world.body_count(), world.awake_body_count())?;
    writeln!(out, "hash {:#018x}", world.state_hash())?;
    Ok(())
}

fn of_replay(path: &Path, error: ReplayError) -> Failure {
    match error {
        ReplayError::Read(error) => Failure::Read { path: path.to_owned(), error },
        error => Failure::Recording { path: path.to_owned(), error },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom2d::ReplayError;

    /// A program that panics while it records leaves a file that is played up to there.
    #[test]
    fn a_panic_leaves_a_report() {
        let path = std::env::temp_dir().join(format!("carom-test-crash-{}.rec", std::process::id()));
        let output = Output(Arc::new(Mutex::new(Some(WholeFile::create(&path).unwrap()))));
        let scene = carom_scenes::find("falling_bricks").unwrap();
        let mut run = scene.build(&carom_scenes::BuildOptions::default()).unwrap();
        run.world.record_to(output.clone(), RecordDef::default()).unwrap();
        let crash = catch_unwind(AssertUnwindSafe(|| {
            or_crash_report(&path, &output, move || {
                (0..30).for_each(|_| run.step());
                panic!("a test");
            })
        }));
        assert!(crash.is_err());
        let mut replay = Replay::open(File::open(&path).unwrap()).unwrap();
        let mut steps = 0;
        let end = loop {
            match replay.step() {
                Ok(true) => steps += 1,
                end => break end,
            }
        };
        std::fs::remove_file(&path).unwrap();
        assert!(steps == 30 && matches!(end, Err(ReplayError::CutOff)), "{steps} steps, {end:?}");
    }
}
