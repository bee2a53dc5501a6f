//! The folder that is served: which names of this machine and which of its files a request may ask for.

use super::http::{Answer, Refusal, Request};
use crate::failure::Failure;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};

/// A folder whose files may be read, and no others.
#[derive(Debug)]
pub(super) struct Site {
    /// Without symbolic links, so that it is the beginning of the true path of everything inside.
    pub(super) root: PathBuf,
    /// Names of this machine, in lower case, besides localhost and its addresses.
    pub(super) names: Vec<String>,
}

/// What the path of a request leads to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    File(PathBuf),
    /// A folder named without the slash at its end, which the links in its page need: its name with it.
    Folder(String),
    Nowhere,
}

impl Site {
    pub(super) fn open(folder: &Path) -> Result<Site, Failure> {
        if !folder.is_dir() {
            let what = if folder.exists() { "is not a folder" } else { "is not there" };
            return Err(Failure::Usage(format!(
                "{} {what}\nin a checkout, `scripts/web` builds the viewer's page in web/dist",
                folder.display()
            )));
        }
        match folder.canonicalize() {
            Ok(root) => Ok(Site { root, names: Vec::new() }),
            Err(error) => Err(Failure::Read { path: folder.to_owned(), error }),
        }
    }

    /// Lets through what is meant for this machine. An address is: a client that asks by it has reached what it names, and no
    /// other page's name leads here by it.
    pub(super) fn admit(&self, request: Request) -> Result<Request, Refusal> {
        let Some(host) = request.host.as_deref() else { return Ok(request) };
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let is_address = match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
            Some(name) => name.parse::<Ipv6Addr>().is_ok(),
            None => name.parse::<Ipv4Addr>().is_ok(),
        };
        // RFC 6761: no resolver lets another machine have these.
        let is_local = name == "localhost" || name.ends_with(".localhost");
        let is_known = is_address || is_local || self.names.iter().any(|known| known == name);
        if is_known { Ok(request) } else { Err(Refusal::Misdirected) }
    }

    pub(super) fn answer(&self, request: &Request) -> Answer {
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            let answer = Answer::text("405 Method Not Allowed", "only GET and HEAD are answered here");
            return Answer { headers: "Allow: GET, HEAD\r\n".to_owned(), ..answer };
        }
        let missing = |_| Answer::text("404 Not Found", "there is no such file");
        match self.find(&request.url) {
            Place::File(path) => Answer::file(&path).unwrap_or_else(missing),
            Place::Folder(location) => {
                let answer = Answer::text("301 Moved Permanently", "a folder's name ends in a slash");
                Answer { headers: format!("Location: {location}\r\n"), ..answer }
            }
            Place::Nowhere => missing(io::ErrorKind::NotFound.into()),
        }
    }

    /// Names are taken literally: nothing hidden, nothing upwards, nothing through a link that leads out.
    pub(super) fn find(&self, url: &str) -> Place {
        let path = url.split(['?', '#']).next().unwrap_or_default();
        let Some(names) = path.strip_prefix('/') else { return Place::Nowhere };
        let (names, page) = match names.strip_suffix('/') {
            Some(folder) => (folder, "index.html"),
            None if names.is_empty() => ("index.html", ""),
            None => (names, ""),
        };
        let mut target = self.root.clone();
        for name in names.split('/') {
            match decoded(name).filter(|name| is_plain(name)) {
                Some(name) => target.push(name),
                None => return Place::Nowhere,
            }
        }
        if !page.is_empty() {
            target.push(page);
        }
        match target.canonicalize() {
            Ok(real) if !real.starts_with(&self.root) => Place::Nowhere,
            Ok(real) if real.is_file() => Place::File(real),
            Ok(real) if real.is_dir() => Place::Folder(format!("{path}/")),
            _ => Place::Nowhere,
        }
    }
}

/// Whether a name stays in its folder on any system: not empty, not hidden, not `.` or `..`, no drive, no separator.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0'])
}

/// A part of a URL with its `%20` and the like resolved; nothing if that is not text.
pub(super) fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        let byte = if byte == b'%' { hex_digit(rest.next()?)? * 16 + hex_digit(rest.next()?)? } else { byte };
        bytes.push(byte);
    }
    String::from_utf8(bytes).ok()
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}
