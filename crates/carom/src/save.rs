//! Writing a run as a scene file.

use crate::failure::{Failure, shown};
use carom_render::WholeFile;
use carom_scenes::{ParticleRun, SceneWorld, file};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A scene file to be.
pub(crate) struct Save {
    path: PathBuf,
    file: WholeFile,
}

impl Save {
    /// Makes sure that the file can be written. It may be the very scene that is run, and stays until there is
    /// something to replace it.
    pub(crate) fn open(path: &Path) -> Result<Save, Failure> {
        let file = WholeFile::create(path).map_err(|error| Failure::Create { path: path.to_owned(), error })?;
        Ok(Save { path: path.to_owned(), file })
    }

    /// Writes the file; gives back its name.
    fn replace(mut self, text: &str) -> Result<PathBuf, Failure> {
        match self.file.write_all(text.as_bytes()).and_then(|()| self.file.finish()) {
            Ok(()) => Ok(self.path),
            Err(error) => Err(Failure::Write { path: self.path, error }),
        }
    }

    /// Writes a run of particles as it is now, and says in words what was written.
    pub(crate) fn close_particles(self, run: &ParticleRun) -> Result<String, Failure> {
        let text = run.scene.to_xml().map_err(|error| Failure::Usage(error.to_string()))?;
        let path = self.replace(&text)?;
        let count = run.scene.system.particle_count();
        Ok(format!("{}: {count} particles, {} kB", shown(path), text.len().div_ceil(1000)))
    }

    /// Writes the run as it is now, and says in words what was written.
    pub(crate) fn close(self, run: &SceneWorld) -> Result<String, Failure> {
        let text = file::write(run);
        let path = self.replace(&text)?;
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
        Ok(format!("{}: {} bodies{drops}, {} kB{note}", shown(path), run.world.body_count(), text.len().div_ceil(1000)))
    }
}
