//! `carom serve`: the viewer's web page, for browsers on this machine.
//!
//! A connection has a thread and carries one request. That is all a page of a dozen files needs, and a
//! browser that opens connections ahead of time, and sends nothing yet, delays nobody.

use crate::failure::Failure;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder to serve; scripts/web builds the default one
    #[arg(value_name = "DIR", default_value = "web/dist")]
    folder: PathBuf,

    /// The port on 127.0.0.1 to listen at; 0 takes any that is free
    #[arg(long, value_name = "N", default_value_t = 8000)]
    port: u16,
}

/// How many connections there may be at a time; one more is closed at once.
const CONNECTIONS: usize = 64;

/// How long the other side may say nothing, or take nothing.
const PATIENCE: Duration = Duration::from_secs(30);

/// How many bytes a request may have.
const REQUEST_LIMIT: u64 = 16 * 1024;

/// Prints the address and answers requests until the program is ended.
pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let site = Arc::new(Site::open(&args.folder)?);
    let failure = |error| Failure::Listen { port: args.port, error };
    let listener = TcpListener::bind(("127.0.0.1", args.port)).map_err(failure)?;
    let address = listener.local_addr().map_err(failure)?;
    writeln!(out, "{} is at http://{address}/ until Ctrl-C", args.folder.display())?;
    out.flush()?;
    loop {
        match listener.accept() {
            // Each thread holds the site, and the first holder is here.
            Ok((stream, _)) if Arc::strong_count(&site) <= CONNECTIONS => {
                let site = Arc::clone(&site);
                // Without a thread the connection is closed, and the browser tries again.
                std::thread::Builder::new().spawn(move || serve(&stream, &site)).ok();
            }
            Ok(_) => {}
            // Too many open files, or a visitor who left at the door: neither lasts.
            Err(_) => std::thread::sleep(Duration::from_millis(50)),
        }
    }
}

/// Answers the request of one connection. Whoever asked may go at any time, which concerns nobody else.
fn serve(stream: &TcpStream, site: &Site) {
    let talk = || -> io::Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let (answer, with_body) = match Request::read(stream)? {
            Some(request) => (site.answer(&request), request.method != "HEAD"),
            None => (Answer::text("400 Bad Request", "this is not a request of HTTP"), true),
        };
        answer.write(stream, with_body)
    };
    talk().ok();
}

/// The part of a request that matters here.
struct Request {
    method: String,
    /// The path with what follows it, as the browser wrote it.
    url: String,
}

impl Request {
    /// Reads all headers, for a connection closed with something unread in it loses the answer.
    fn read(stream: &TcpStream) -> io::Result<Option<Request>> {
        let mut lines = BufReader::new(stream.take(REQUEST_LIMIT)).lines();
        let Some(first) = lines.next() else { return Ok(None) };
        let first = first?;
        for line in lines {
            if line?.is_empty() {
                let parts: Vec<&str> = first.split(' ').collect();
                return Ok(match parts[..] {
                    [method, url, version] if version.starts_with("HTTP/1.") => {
                        Some(Request { method: method.to_owned(), url: url.to_owned() })
                    }
                    _ => None,
                });
            }
        }
        Ok(None)
    }
}

/// What goes back to the browser.
struct Answer {
    status: &'static str,
    mime_type: &'static str,
    /// Further headers, each ending its line.
    headers: String,
    body: Body,
}

enum Body {
    Text(String),
    File(File, u64),
}

impl Answer {
    fn text(status: &'static str, message: &str) -> Answer {
        let body = Body::Text(format!("{message}\n"));
        Answer { status, mime_type: "text/plain; charset=utf-8", headers: String::new(), body }
    }

    fn file(path: &Path) -> io::Result<Answer> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Answer {
            status: "200 OK",
            mime_type: mime_type(path),
            headers: String::new(),
            body: Body::File(file, length),
        })
    }

    fn write(self, mut stream: &TcpStream, with_body: bool) -> io::Result<()> {
        let length = match &self.body {
            Body::Text(text) => text.len() as u64,
            Body::File(_, length) => *length,
        };
        // Somebody who builds the page again wants to see it, so nothing may be kept without asking;
        // the page has its own way of working offline.
        let head = format!(
            "HTTP/1.1 {}\r\nContent-Type: {}\r\nContent-Length: {length}\r\nCache-Control: no-cache\r\n\
             X-Content-Type-Options: nosniff\r\nConnection: close\r\n{}\r\n",
            self.status, self.mime_type, self.headers
        );
        stream.write_all(head.as_bytes())?;
        match self.body {
            _ if !with_body => {}
            Body::Text(text) => stream.write_all(text.as_bytes())?,
            Body::File(file, length) => {
                io::copy(&mut file.take(length), &mut stream)?;
            }
        }
        stream.flush()
    }
}

/// A folder whose files may be read, and no others.
#[derive(Debug)]
struct Site {
    /// Without symbolic links, so that it is the beginning of the true path of everything inside.
    root: PathBuf,
}

/// What the path of a request leads to.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    File(PathBuf),
    /// A folder named without the slash at its end, which the links in its page need: its name with it.
    Folder(String),
    Nowhere,
}

impl Site {
    fn open(folder: &Path) -> Result<Site, Failure> {
        if !folder.is_dir() {
            let what = if folder.exists() { "is not a folder" } else { "is not there" };
            return Err(Failure::Usage(format!(
                "{} {what}\nin a checkout, `scripts/web` builds the viewer's page in web/dist",
                folder.display()
            )));
        }
        match folder.canonicalize() {
            Ok(root) => Ok(Site { root }),
            Err(error) => Err(Failure::Read { path: folder.to_owned(), error }),
        }
    }

    fn answer(&self, request: &Request) -> Answer {
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
    fn find(&self, url: &str) -> Place {
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
fn decoded(part: &str) -> Option<String> {
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

/// Browsers compile WebAssembly while it arrives only if it has its own type, and scripts run only with theirs.
fn mime_type(path: &Path) -> &'static str {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    match ending.to_ascii_lowercase().as_str() {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" | "map" => "application/json",
        "webmanifest" => "application/manifest+json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "gif" => "image/gif",
        "ico" => "image/x-icon",
        "mp4" => "video/mp4",
        "txt" | "csv" | "md" => "text/plain; charset=utf-8",
        "xml" => "text/xml; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Site, decoded};
    use std::path::PathBuf;

    /// A folder with `index.html`, `a b.txt`, `sub/index.html` and `.hidden`, beside a file `secret`.
    fn site(name: &str) -> Site {
        let top = std::env::temp_dir().join(format!("carom-serve-{name}-{}", std::process::id()));
        std::fs::remove_dir_all(&top).ok();
        let root = top.join("site");
        std::fs::create_dir_all(root.join("sub")).unwrap();
        for file in ["index.html", "a b.txt", "sub/index.html", ".hidden", "../secret"] {
            std::fs::write(root.join(file), file).unwrap();
        }
        Site::open(&root).unwrap()
    }

    fn remove(site: &Site) {
        std::fs::remove_dir_all(site.root.parent().unwrap()).unwrap();
    }

    #[test]
    fn finds_files_and_pages_of_folders() {
        let site = site("finds");
        let file = |name: &str| Place::File(site.root.join(name));
        assert_eq!(site.find("/"), file("index.html"));
        assert_eq!(site.find("/?x=1#y"), file("index.html"));
        assert_eq!(site.find("/index.html"), file("index.html"));
        assert_eq!(site.find("/a%20b.txt"), file("a b.txt"));
        assert_eq!(site.find("/sub/"), file("sub/index.html"));
        assert_eq!(site.find("/sub"), Place::Folder("/sub/".to_owned()));
        assert_eq!(site.find("/none"), Place::Nowhere);
        remove(&site);
    }

    #[test]
    fn nothing_leads_out_of_the_folder() {
        let site = site("inside");
        for path in [
            "",
            "index.html",
            "*",
            "//index.html",
            "/../secret",
            "/..%2fsecret",
            "/%2e%2e/secret",
            "/sub/../../secret",
            "/sub/..\\..\\secret",
            "/sub%2findex.html",
            "/./index.html",
            "/.hidden",
            "/index.html%00",
            "/%ff",
            "/%2",
            "/%zz",
            "/C:/secret",
            "//",
        ] {
            assert_eq!(site.find(path), Place::Nowhere, "{path}");
        }
        remove(&site);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_only_inside() {
        let site = site("links");
        std::os::unix::fs::symlink(site.root.join("index.html"), site.root.join("inside")).unwrap();
        std::os::unix::fs::symlink("../secret", site.root.join("outside")).unwrap();
        std::os::unix::fs::symlink("..", site.root.join("up")).unwrap();
        assert_eq!(site.find("/inside"), Place::File(site.root.join("index.html")));
        for path in ["/outside", "/up", "/up/", "/up/secret"] {
            assert_eq!(site.find(path), Place::Nowhere, "{path}");
        }
        remove(&site);
    }

    #[test]
    fn decodes_only_text() {
        assert_eq!(decoded("a%2Fb%c3%a9").as_deref(), Some("a/bé"));
        for bad in ["%", "%1", "%g0", "%+1", "%ff"] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }

    #[test]
    fn says_what_is_missing() {
        let message = Site::open(&PathBuf::from("no/such/folder")).unwrap_err().to_string();
        assert!(message.contains("no/such/folder is not there") && message.contains("scripts/web"), "{message}");
    }
}
