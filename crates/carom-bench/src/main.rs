//! `carom bench` by itself, for those who do not want to build the viewer with it.
#![forbid(unsafe_code)]

use clap::Parser;
use std::io::Write;
use std::process::ExitCode;

/// Time carom's benchmark scenes: the same as `carom bench`
#[derive(Debug, Parser)]
#[command(name = "carom-bench", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    args: carom_bench::Args,
}

fn main() -> ExitCode {
    let mut out = std::io::stdout().lock();
    match carom_bench::execute(&Cli::parse().args, &mut out) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            writeln!(std::io::stderr(), "error: {error}").ok();
            ExitCode::from(2)
        }
    }
}
