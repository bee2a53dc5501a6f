//! Where the bytes of one file go: to disk or into memory.

use crate::error::RenderError;
#[cfg(not(target_arch = "wasm32"))]
use crate::output::whole::WholeFile;
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file on disk, or the same bytes in memory.
#[derive(Debug)]
pub(crate) enum Store {
    #[cfg(not(target_arch = "wasm32"))]
    Disk(WholeFile, PathBuf),
    Memory(Cursor<Vec<u8>>),
}

impl Store {
    #[cfg(not(target_arch = "wasm32"))]
    pub(super) fn create(path: &Path) -> Result<Store, RenderError> {
        let file = WholeFile::create(path).map_err(|error| RenderError::Create { path: path.to_owned(), error })?;
        Ok(Store::Disk(file, path.to_owned()))
    }

    /// There are no files in the browser.
    #[cfg(target_arch = "wasm32")]
    pub(super) fn create(path: &Path) -> Result<Store, RenderError> {
        Err(RenderError::Create { path: path.to_owned(), error: io::ErrorKind::Unsupported.into() })
    }

    pub(super) fn memory() -> Store {
        Store::Memory(Cursor::new(Vec::new()))
    }

    /// What errors call it.
    pub(super) fn name(&self) -> PathBuf {
        match self {
            #[cfg(not(target_arch = "wasm32"))]
            Store::Disk(_, path) => path.clone(),
            Store::Memory(_) => PathBuf::from("in memory"),
        }
    }

    /// Puts a file on disk in its place. Hands out what is in memory; nothing for a file on disk.
    pub(super) fn finish(self) -> Result<Vec<u8>, RenderError> {
        match self {
            #[cfg(not(target_arch = "wasm32"))]
            Store::Disk(file, path) => match file.finish() {
                Ok(()) => Ok(Vec::new()),
                Err(error) => Err(RenderError::Write { path, error }),
            },
            Store::Memory(bytes) => Ok(bytes.into_inner()),
        }
    }
}

impl Write for Store {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            #[cfg(not(target_arch = "wasm32"))]
            Store::Disk(file, _) => file.write(bytes),
            Store::Memory(memory) => memory.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            #[cfg(not(target_arch = "wasm32"))]
            Store::Disk(file, _) => file.flush(),
            Store::Memory(memory) => memory.flush(),
        }
    }
}

impl Seek for Store {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            #[cfg(not(target_arch = "wasm32"))]
            Store::Disk(file, _) => file.seek(to),
            Store::Memory(memory) => memory.seek(to),
        }
    }
}
