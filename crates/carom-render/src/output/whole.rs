//! Files that are written whole or not at all.
//!
//! Bytes go to a temporary file in the folder of the file to be, `.carom-XXXXXX.tmp`. [`WholeFile::finish`] writes them
//! to disk and renames the file, which replaces what was there in one operation. A full disk, a folder that must not be
//! written to, an error half-way or a power cut leave the old file as it was; the temporary file is removed when it is
//! dropped, or by [`remove_unfinished`] when a signal ends the program.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{Builder, NamedTempFile};

/// A file that takes the place of an older one when it is complete.
///
/// Links are followed; the permissions of an older file are kept. Devices and pipes are written to directly.
#[derive(Debug)]
pub struct WholeFile {
    /// Where the bytes will be, with links followed.
    path: PathBuf,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Temporary(BufWriter<Unfinished>),
    Direct(BufWriter<File>),
}

/// A temporary file that is on the list of [`remove_unfinished`].
#[derive(Debug)]
struct Unfinished(Option<NamedTempFile>);

/// The temporary files of this process.
struct List {
    paths: Vec<PathBuf>,
    /// The program ends: no further files.
    closed: bool,
}

static LIST: Mutex<List> = Mutex::new(List { paths: Vec::new(), closed: false });

fn list() -> MutexGuard<'static, List> {
    LIST.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary files of all [`WholeFile`]s that are not finished, and refuses to make or finish others. For
/// programs that are about to end because of a signal.
pub fn remove_unfinished() {
    let mut list = list();
    list.closed = true;
    for path in list.paths.drain(..) {
        fs::remove_file(path).ok();
    }
}

fn interrupted() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "the program was asked to end")
}

impl WholeFile {
    /// Opens a temporary file beside `path`. Fails if there could be no file at `path`, or the one there must not be
    /// written to.
    pub fn create(path: &Path) -> io::Result<WholeFile> {
        if let Ok(old) = fs::metadata(path) {
            // The folder alone decides on a rename; what the file itself forbids has to be asked for.
            let file = OpenOptions::new().write(true).open(path)?;
            if !old.is_file() {
                return Ok(WholeFile { path: path.to_owned(), bytes: Bytes::Direct(BufWriter::new(file)) });
            }
        }
        let path = follow(path)?;
        if path.file_name().is_none() {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut builder = Builder::new();
        builder.prefix(".carom-").suffix(".tmp");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        // A signal between these lines must find the file on the list.
        let mut list = list();
        if list.closed {
            return Err(interrupted());
        }
        let file =
            builder.tempfile_in(folder_of(&path)).map_err(|error| io::Error::new(error.kind(), plain(&error)))?;
        list.paths.push(file.path().to_owned());
        drop(list);
        Ok(WholeFile { path, bytes: Bytes::Temporary(BufWriter::new(Unfinished(Some(file)))) })
    }

    /// Writes everything to disk and takes the place of the file that was there.
    pub fn finish(self) -> io::Result<()> {
        self.complete(|file, path| file.persist(path).map(drop).map_err(|error| error.error))
    }

    /// The same, if there is no such file yet: [`io::ErrorKind::AlreadyExists`] otherwise.
    pub fn finish_new(self) -> io::Result<()> {
        self.complete(|file, path| file.persist_noclobber(path).map(drop).map_err(|error| error.error))
    }

    fn complete(self, rename: impl FnOnce(NamedTempFile, &Path) -> io::Result<()>) -> io::Result<()> {
        let writer = match self.bytes {
            Bytes::Direct(mut file) => return file.flush(),
            Bytes::Temporary(writer) => writer,
        };
        let mut unfinished = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
        if let Some(file) = &unfinished.0 {
            keep_permissions(file.as_file(), &self.path);
            file.as_file().sync_all()?;
        }
        {
            // Either the file is renamed or a signal removes it.
            let mut list = list();
            if list.closed {
                return Err(interrupted());
            }
            let Some(file) = unfinished.0.take() else { return Ok(()) };
            list.paths.retain(|path| path != file.path());
            rename(file, &self.path)?;
        }
        // So that the name, too, outlasts a power cut. Not every file system can do that.
        #[cfg(unix)]
        File::open(folder_of(&self.path)).and_then(|folder| folder.sync_all()).ok();
        Ok(())
    }
}

/// Writes a file whole or not at all.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(bytes)?;
    file.finish()
}

/// Where a link leads to in the end, also if nothing is there yet.
fn follow(path: &Path) -> io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST_LINKS: u32 = 40;
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(target) => path = folder_of(&path).join(target),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// What the system said, without the name of the temporary file.
fn plain(error: &io::Error) -> String {
    let inner = error.get_ref().and_then(std::error::Error::source);
    inner.map_or_else(|| error.to_string(), ToString::to_string)
}

/// Gives the new file the owner and permissions of the old one, as far as that is allowed.
fn keep_permissions(file: &File, old: &Path) {
    let Ok(old) = fs::metadata(old) else { return };
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, fchown};
        let is_same = file.metadata().is_ok_and(|new| (new.uid(), new.gid()) == (old.uid(), old.gid()));
        if !is_same {
            fchown(file, Some(old.uid()), Some(old.gid())).ok();
        }
    }
    file.set_permissions(old.permissions()).ok();
}

impl Unfinished {
    fn file(&mut self) -> io::Result<&mut File> {
        self.0.as_mut().map(NamedTempFile::as_file_mut).ok_or_else(interrupted)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(file) = self.0.take() {
            list().paths.retain(|path| path != file.path());
        }
    }
}

impl Write for Unfinished {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file()?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file()?.flush()
    }
}

impl Seek for Unfinished {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file()?.seek(to)
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.bytes {
            Bytes::Temporary(file) => file.write(bytes),
            Bytes::Direct(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.bytes {
            Bytes::Temporary(file) => file.flush(),
            Bytes::Direct(file) => file.flush(),
        }
    }
}

impl Seek for WholeFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.bytes {
            Bytes::Temporary(file) => file.seek(to),
            Bytes::Direct(file) => file.seek(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_old_file_stays_until_the_new_one_is_finished() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        write_whole(&path, b"old").unwrap();
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(&[b'n'; 100_000]).unwrap();
        file.flush().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.finish().unwrap();
        assert_eq!(fs::read(&path).unwrap(), [b'n'; 100_000]);
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[test]
    fn what_is_not_finished_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let mut file = WholeFile::create(&path).unwrap();
        file.write_all(b"half").unwrap();
        assert_eq!(names(folder.path()).len(), 1, "the temporary file is in the same folder");
        drop(file);
        assert!(names(folder.path()).is_empty());
        assert!(WholeFile::create(&folder.path().join("none/a.txt")).is_err());
        assert!(WholeFile::create(folder.path()).is_err(), "a folder is no file");
    }

    #[test]
    fn new_files_replace_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        WholeFile::create(&path).unwrap().finish_new().unwrap();
        write_whole(&path, b"old").unwrap();
        let error = WholeFile::create(&path).unwrap().finish_new().unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["a.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.txt"), folder.path().join("link"));
        symlink("a.txt", &link).unwrap();
        // To a file that is not there yet, too.
        write_whole(&link, b"one").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        let usual = folder.path().join("usual");
        fs::write(&usual, b"").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&path), mode(&usual), "readable by whom files are by default");
        fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
        write_whole(&link, b"two").unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode(&path) & 0o777), (b"two".to_vec(), 0o640));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        symlink("round", folder.path().join("round")).unwrap();
        assert!(WholeFile::create(&folder.path().join("round")).is_err());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_are_written_to() {
        write_whole(Path::new("/dev/null"), b"gone").unwrap();
        assert!(write_whole(Path::new("/dev/full"), b"no room").is_err());
        assert!(fs::metadata("/dev/null").is_ok_and(|device| !device.is_file()));
    }
}
