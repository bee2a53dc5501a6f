//! The carom command line.
//!
//! One file per subcommand. They return a [`Failure`] that says what to do; only `main` turns it into
//! a message and an exit code: 0 done, 1 the check, comparison or validation failed, 2 bad usage or input.
#![forbid(unsafe_code)]

mod check;
mod compare;
mod csv;
#[cfg(test)]
mod documented;
mod failure;
mod fosssim;
mod gallery;
mod hash;
mod interrupt;
mod manual;
mod particles;
mod picture;
mod progress;
mod record;
mod report;
mod run;
mod save;
mod scenes;
mod serve;
mod simulate;
mod solid;
mod validate;
mod view;

use carom_render::{Format, Settings};
use carom_scenes::{Entry, find};
use clap::{CommandFactory, Parser, Subcommand};
use failure::Failure;
use picture::PictureArgs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

/// A deterministic physics engine: see its scenes, run them, film them, write down what happens.
///
/// Without a command, carom opens the viewer on Falling Bricks. Where there is no display it simulates the
/// scene and writes falling-bricks.png and falling-bricks.mp4 into the current folder.
#[derive(Debug, Parser)]
#[command(name = "carom", version, max_term_width = 100, after_help = EXIT_CODES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

const EXIT_CODES: &str = "Exit codes: 0 done, 1 the check, comparison or validation failed, 2 bad usage or input.";

#[derive(Debug, Subcommand)]
enum Command {
    /// List every built-in scene, one line each
    Scenes(scenes::Args),
    /// Open a scene in the viewer
    View(view::Args),
    /// Run a scene without a window
    Run(run::Args),
    /// Say whether a scene file is valid, or where it is not
    Check(check::Args),
    /// Grade a trajectory of a particle scene: exit code 0 passed, 1 failed, 2 unreadable
    ///
    /// Each step is made again from the file's frame before it. The report names missed and superfluous
    /// collisions and those with a wrong normal, step by step, and tells how far positions and
    /// velocities are off: sums must be below 1e-6, single ones below 1e-10.
    Compare(compare::Args),
    /// Run a scene and write what was done to its world, to be played again: calls, answers of hooks, fingerprints
    Record(record::RecordArgs),
    /// Play a recording: exit code 0 played, 1 it differs (--verify), 2 unreadable
    Replay(record::ReplayArgs),
    /// Print the hashes of built-in scenes after some steps: the same on every machine
    Hash(hash::Args),
    /// Write a picture of each scene, a GIF of falling_bricks, and a page that shows them, into a folder
    Gallery(gallery::Args),
    /// Measure problems with known answers: the accuracy sheet, beside the errors of other engines
    ///
    /// Exit code 0 if every gate is passed, 1 if one is missed.
    Validate(validate::Args),
    /// Time the benchmark scenes, and compare with other engines
    ///
    /// Each run starts in a fresh world; its first step is not timed, all others are, and of several runs the
    /// fastest counts. Beside the time stand the bodies awake, the contacts, the deepest overlap and the
    /// fastest body at the end. `scripts/bench` builds and runs the same, compiled for this machine.
    Bench(carom_bench::Args),
    /// FOSSSim's own command line: run, draw, write and grade particle scenes as the original program does
    ///
    /// Exit codes are the original's: 0 done, whatever the verdict on a trajectory, 1 anything else.
    #[command(version)]
    Fosssim(fosssim::Args),
    /// Serve the viewer's web page, or any folder, to browsers on this machine or on others
    Serve(serve::Args),
    /// Print what a shell needs to complete carom's commands and options
    ///
    /// For example `carom completions bash > ~/.local/share/bash-completion/completions/carom`, or, for zsh, into
    /// a file `_carom` in a folder of `$fpath`.
    Completions(manual::CompletionArgs),
    /// Print the manual page, or write one for each command into a folder
    Man(manual::ManArgs),
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    interrupt::watch();
    let mut exit_code: fn(&Failure) -> u8 = Failure::exit_code;
    let mut out = std::io::stdout().lock();
    let result = match cli.command {
        Some(Command::Scenes(args)) => scenes::execute(&args, &mut out),
        Some(Command::View(args)) => view::execute(&args),
        Some(Command::Run(args)) => run::execute(&args, &mut out),
        Some(Command::Check(args)) => check::execute(&args, &mut out),
        Some(Command::Compare(args)) => compare::execute(&args, &mut out),
        Some(Command::Record(args)) => record::record(&args, &mut out),
        Some(Command::Replay(args)) => record::replay(&args, &mut out),
        Some(Command::Hash(args)) => hash::execute(&args, &mut out),
        Some(Command::Gallery(args)) => gallery::execute(&args, &mut out),
        Some(Command::Validate(args)) => validate::execute(&args, &mut out),
        Some(Command::Bench(args)) => carom_bench::execute(&args, &mut out).map_err(Failure::from),
        Some(Command::Fosssim(args)) => {
            exit_code = |_| fosssim::FAILED;
            fosssim::execute(&args, &mut out)
        }
        Some(Command::Serve(args)) => serve::execute(&args, &mut out),
        Some(Command::Completions(args)) => manual::completions(&args, &mut Cli::command(), &mut out),
        Some(Command::Man(args)) => manual::man(&args, Cli::command(), &mut out),
        None => view::welcome().unwrap_or_else(|| welcome(&mut out)),
    };
    // What was printed must have arrived before the exit code says that all went well.
    match result.and_then(|()| out.flush().map_err(Failure::from)) {
        Ok(()) | Err(Failure::ReaderGone) => ExitCode::SUCCESS,
        // The report on standard output has said all there is to say.
        Err(failure @ Failure::NotPassed) => ExitCode::from(exit_code(&failure)),
        Err(failure) => {
            // Standard error may have no reader either; the exit code still says it.
            writeln!(std::io::stderr(), "error: {}", failure::printable(&failure.to_string())).ok();
            ExitCode::from(exit_code(&failure))
        }
    }
}

/// Prints help, the version, or what is wrong with the arguments.
fn usage(error: &clap::Error) -> ExitCode {
    // A reader that has gone needs no message either.
    error.print().ok();
    let as_fosssim = std::env::args_os().nth(1).is_some_and(|command| command == "fosssim");
    match error.exit_code() {
        0 => ExitCode::SUCCESS,
        _ if as_fosssim => ExitCode::from(fosssim::FAILED),
        code => ExitCode::from(u8::try_from(code).unwrap_or(2)),
    }
}

/// What `carom` does on its own where there is no window: Falling Bricks as a movie, and how it ended.
fn welcome(out: &mut dyn Write) -> Result<(), Failure> {
    let scene = find("falling_bricks")?;
    let settings = Settings { seconds: scene.seconds(scene.steps), ..PictureArgs::default().settings() };
    writeln!(out, "There is no display to open a window on, so here is a picture and a movie.")?;
    writeln!(out, "{}: {}", scene.name, scene.summary)?;
    for (name, format) in [("falling-bricks.png", Format::Png), ("falling-bricks.mp4", Format::Mp4)] {
        let note = gallery::film(Entry::Rigid(scene).build()?, scene.steps, Path::new(name), format, &settings)?;
        writeln!(out, "wrote {note}")?;
    }
    writeln!(out)?;
    writeln!(out, "`carom scenes` lists what else there is, `carom --help` what else it can do.")?;
    Ok(())
}
