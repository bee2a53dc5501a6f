//! Where the scenes and references are.

use std::path::{Path, PathBuf};

/// The shared folder: `CAROM_SHARED`, or `shared` beside this crate's workspace. Says so when there is none.
pub(crate) fn shared_folder(test: &str) -> Option<PathBuf> {
    let named = std::env::var_os("CAROM_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared"));
    let found = named.into_iter().chain(beside).find(|folder| folder.join("fosssim/scenes").is_dir());
    if found.is_none() {
        eprintln!("SKIPPED {test}: no shared folder; set CAROM_SHARED to the one that holds fosssim/");
    }
    found
}

/// All files below a folder with an extension, sorted.
pub(crate) fn files_below(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
