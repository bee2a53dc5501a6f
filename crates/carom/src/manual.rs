//! `carom completions` and `carom man`: what shells and `man` know of the command line, made from its definition.

use crate::failure::Failure;
use carom_render::write_whole;
use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct CompletionArgs {
    /// Which shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ManArgs {
    /// Write carom.1, carom-run.1 and so on into this folder, which is made if it is not there [default: print carom.1]
    #[arg(value_name = "DIR")]
    folder: Option<PathBuf>,
}

pub(crate) fn completions(args: &CompletionArgs, command: &mut Command, out: &mut dyn Write) -> Result<(), Failure> {
    // The generator panics where writing fails, so it writes into memory.
    let mut text = Vec::new();
    clap_complete::generate(args.shell, command, "carom", &mut text);
    Ok(out.write_all(&text)?)
}

pub(crate) fn man(args: &ManArgs, mut command: Command, out: &mut dyn Write) -> Result<(), Failure> {
    // Only then do subcommands know their whole names, such as carom-run.
    command.build();
    let Some(folder) = &args.folder else { return Ok(Man::new(command).render(out)?) };
    std::fs::create_dir_all(folder).map_err(|error| Failure::Create { path: folder.clone(), error })?;
    let others = command.get_subcommands().filter(|other| other.get_name() != "help").cloned().collect::<Vec<_>>();
    for command in std::iter::once(command).chain(others) {
        let page = Man::new(command);
        let path = folder.join(page.get_filename());
        let mut text = Vec::new();
        page.render(&mut text)?;
        write_whole(&path, &text).map_err(|error| Failure::Write { path: path.clone(), error })?;
        writeln!(out, "{}", path.display())?;
    }
    Ok(())
}
