//! Draws problem families, as `carom validate --families` does, without building the rest of the command line.
//! `cargo run --release -p carom-checks [--features peers] --example families -- A1 --seed 1 --instances 24`
//! With the feature `peers`, other engines play unless `--alone` is given.

use carom_checks::families::cli::{Args, FamilyError, execute};
use clap::Parser;
use std::process::ExitCode;

#[derive(Parser)]
struct Options {
    #[arg(value_name = "WORD")]
    words: Vec<String>,
    #[command(flatten)]
    args: Args,
    #[arg(long)]
    json: bool,
    #[arg(long)]
    alone: bool,
    #[arg(long, hide = true)]
    markdown: bool,
}

fn main() -> ExitCode {
    let given = std::env::args_os().chain(["--families".into()]);
    let Options { words, mut args, json, alone, .. } = Options::parse_from(given);
    args.peers = cfg!(feature = "peers") && !alone;
    match execute(&args, &words, json, &mut std::io::stdout(), |_, _, _| {}) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error @ (FamilyError::Usage(_) | FamilyError::Io(_))) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}
