//! Files that a scene names: where they are looked for, and how much of them is read.
//!
//! Names are relative. They are looked for in the scene's folder and the one above, and never lead out of these: neither
//! by `..`, nor from the root, nor through a link.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

/// Why there are no bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Missing {
    /// There is no folder to look into.
    NotLookedFor,
    /// It is nowhere.
    NotFound,
    /// The name leads elsewhere, or what is there cannot be read.
    Refused(String),
}

/// The folders of a scene. None for a scene that is no file.
#[derive(Clone, Debug, Default)]
pub(super) struct Folders {
    roots: Vec<PathBuf>,
}

impl Folders {
    /// The folder of a scene and the one above.
    pub(super) fn of_scene(folder: Option<&Path>) -> Folders {
        let Some(folder) = folder else { return Folders::default() };
        // The folder of a bare name is the present one.
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Folders { roots: vec![folder.to_owned(), folder.join("..")] }
    }

    /// With another folder that is looked into first: that of a file which names others.
    pub(super) fn beside(&self, file: &Path) -> Folders {
        let own = file.parent().map(Path::to_owned);
        Folders { roots: own.into_iter().chain(self.roots.iter().cloned()).collect() }
    }

    /// Reads a file that is named in a scene, of at most so many bytes.
    pub(super) fn read(&self, name: &str, most: usize) -> Result<(PathBuf, Vec<u8>), Missing> {
        let path = relative(name)?;
        if self.roots.is_empty() {
            return Err(Missing::NotLookedFor);
        }
        for root in &self.roots {
            let full = root.join(&path);
            if !full.is_file() {
                continue;
            }
            if !self.is_inside(&full) {
                return Err(Missing::Refused("it is a link that leads out of the scene's folder".to_owned()));
            }
            return match read_up_to(&full, most) {
                Ok(Some(bytes)) => Ok((full, bytes)),
                Ok(None) => Err(Missing::Refused(format!("it is longer than {most} bytes"))),
                Err(error) => Err(Missing::Refused(format!("it cannot be read: {error}"))),
            };
        }
        Err(Missing::NotFound)
    }

    fn is_inside(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else { return false };
        self.roots.iter().filter_map(|root| root.canonicalize().ok()).any(|root| real.starts_with(root))
    }
}

/// A name as a path that only leads down. Both kinds of slashes part folders.
fn relative(name: &str) -> Result<PathBuf, Missing> {
    let path = PathBuf::from(name.replace('\\', "/"));
    let leads_down = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let has_drive = name.contains(':');
    if leads_down && !has_drive && !name.trim().is_empty() && !name.contains('\0') {
        Ok(path)
    } else {
        Err(Missing::Refused("expected a relative name that does not lead out of the scene's folder".to_owned()))
    }
}

fn read_up_to(path: &Path, most: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    // One byte more than allowed tells that there is more.
    File::open(path)?.take(most as u64 + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() <= most).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_only_lead_down() {
        for name in ["a.png", "images/a b.png", "./a.png", "images\\a.png"] {
            assert!(relative(name).is_ok(), "{name}");
        }
        for name in ["", " ", "/etc/passwd", "../a.png", "a/../../b", "C:\\a.png", "\\\\server\\a", "a\0b", ".."] {
            assert!(matches!(relative(name), Err(Missing::Refused(_))), "{name}");
        }
    }
}
