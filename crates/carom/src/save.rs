//! Writing a run as a scene file.

use crate::failure::Failure;
use carom_scenes::{ParticleRun, SceneWorld, file};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A scene file to be.
pub(crate) struct Save {
    path: PathBuf,
    file: File,
}

impl Save {
    /// Opens the file, and leaves alone what it holds until there is something to replace it: it may be the
    /// very scene that is run.
    pub(crate) fn open(path: &Path) -> Result<Save, Failure> {
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = file.map_err(|error| Failure::Create { path: path.to_owned(), error })?;
        Ok(Save { path: path.to_owned(), file })
    }

    fn replace(&mut self, text: &str) -> Result<(), Failure> {
        let written = self.file.set_len(0).and_then(|()| self.file.write_all(text.as_bytes()));
        written.map_err(|error| Failure::Write { path: self.path.clone(), error })
    }

    /// Writes a run of particles as it is now, and says in words what was written.
    pub(crate) fn close_particles(mut self, run: &ParticleRun) -> Result<String, Failure> {
        let text = run.scene.to_xml().map_err(|error| Failure::Usage(error.to_string()))?;
        self.replace(&text)?;
        let (path, count) = (self.path.display(), run.scene.system.particle_count());
        Ok(format!("{path}: {count} particles, {} kB", text.len().div_ceil(1000)))
    }

    /// Writes the run as it is now, and says in words what was written.
    pub(crate) fn close(mut self, run: &SceneWorld) -> Result<String, Failure> {
        let text = file::write(run);
        self.replace(&text)?;
        let mut note = String::new();
        if run.is_scripted() {
            note.push_str("\nnote: this scene also moves or makes bodies by itself; the file holds the bodies alone");
        }
        if let Some(particles) = &run.companions.particles {
            let count = particles.system.particle_count();
            note.push_str(&format!(
                "\nnote: there are {count} particles among the bodies; the file does not hold them"
            ));
        }
        let drops = run
            .companions
            .fluid
            .as_ref()
            .map_or(String::new(), |water| format!(", {} particles of a fluid", water.fluid.particle_count()));
        Ok(format!(
            "{}: {} bodies{drops}, {} kB{note}",
            self.path.display(),
            run.world.body_count(),
            text.len().div_ceil(1000)
        ))
    }
}
