//! Writing a run as comma-separated values: one row per body and sampled step.

use crate::failure::Failure;
use crate::particles::has_ending;
use carom_scenes::SceneWorld;
use std::fs::File;
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
pub(crate) struct Table<'o> {
    /// None for standard output.
    path: Option<PathBuf>,
    writer: BufWriter<Box<dyn Write + 'o>>,
}

impl<'o> Table<'o> {
    /// Creates the file, or takes `out` for `-`.
    pub(crate) fn open(path: &Path, out: &'o mut dyn Write) -> Result<Table<'o>, Failure> {
        if path == Path::new("-") {
            return Ok(Table { path: None, writer: BufWriter::new(Box::new(out)) });
        }
        let file = File::create(path).map_err(|error| Failure::Create { path: path.to_owned(), error })?;
        Ok(Table { path: Some(path.to_owned()), writer: BufWriter::new(Box::new(file)) })
    }

    pub(crate) fn write(&mut self, work: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
        work(&mut self.writer).map_err(|error| match &self.path {
            Some(path) => Failure::Write { path: path.clone(), error },
            None => Failure::from(error),
        })
    }

    /// Makes sure that everything has arrived, and gives back the name of the file.
    pub(crate) fn close(mut self) -> Result<Option<PathBuf>, Failure> {
        self.write(|out| out.flush())?;
        Ok(self.path)
    }
}
