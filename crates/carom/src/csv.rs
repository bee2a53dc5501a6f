//! Writing a run as comma-separated values: one row per body and sampled step.

use crate::failure::Failure;
use crate::particles::has_ending;
use carom_render::WholeFile;
use carom_scenes::SceneWorld;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Does a path ask for a table: a file that ends in .csv, or standard output?
pub(crate) fn is_meant(path: &Path) -> bool {
    path == Path::new("-") || (has_ending(path, "csv") && !path.is_dir())
}

/// The first line.
const HEADER: &str = "step,time,body,x,y,angle,vx,vy,omega";

/// Writes the header.
pub(crate) fn header(out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{HEADER}")
}

/// Writes a row for each body as it is now. Numbers have the fewest digits that still give back the
/// same bits when they are read.
pub(crate) fn rows(out: &mut dyn Write, run: &SceneWorld) -> io::Result<()> {
    let step = run.step_index();
    let time = run.about().seconds(step);
    for id in run.world.bodies() {
        let body = run.world.body(id);
        let (position, velocity) = (body.position(), body.velocity());
        // Adding zero turns a negative zero into a plain one.
        writeln!(
            out,
            "{step},{time},{},{},{},{},{},{},{}",
            id.index(),
            position.x + 0.0,
            position.y + 0.0,
            body.angle() + 0.0,
            velocity.x + 0.0,
            velocity.y + 0.0,
            body.angular_velocity() + 0.0,
        )?;
    }
    Ok(())
}

/// The file or the stream that the samples go to.
pub(crate) enum Table<'o> {
    File(WholeFile, PathBuf),
    Output(BufWriter<&'o mut dyn Write>),
}

impl<'o> Table<'o> {
    /// Creates the file, or takes `out` for `-`.
    pub(crate) fn open(path: &Path, out: &'o mut dyn Write) -> Result<Table<'o>, Failure> {
        if path == Path::new("-") {
            return Ok(Table::Output(BufWriter::new(out)));
        }
        let file = WholeFile::create(path).map_err(|error| Failure::Create { path: path.to_owned(), error })?;
        Ok(Table::File(file, path.to_owned()))
    }

    pub(crate) fn write(&mut self, work: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        match self {
            Table::File(file, path) => work(file).map_err(|error| Failure::Write { path: path.clone(), error }),
            Table::Output(out) => work(out).map_err(Failure::from),
        }
    }

    /// Makes sure that everything has arrived, and gives back the name of the file.
    pub(crate) fn close(self) -> Result<Option<PathBuf>, Failure> {
        match self {
            Table::File(file, path) => match file.finish() {
                Ok(()) => Ok(Some(path)),
                Err(error) => Err(Failure::Write { path, error }),
            },
            Table::Output(mut out) => Ok(out.flush().map(|()| None)?),
        }
    }
}
