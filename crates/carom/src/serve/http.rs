//! The part of HTTP that a page of files needs: requests as they are read, and answers.

use super::REQUEST_LIMIT;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// The part of a request that matters here.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Request {
    pub(super) method: String,
    /// The path with what follows it, as the browser wrote it.
    pub(super) url: String,
    /// The name by which the browser knows this machine. Only requests of HTTP/1.0 may do without.
    pub(super) host: Option<String>,
}

/// Why a request is not answered as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It is not one.
    Malformed(&'static str),
    /// It has more bytes than any browser sends.
    TooLong,
    /// It is for another machine, by its `Host`.
    Misdirected,
}

impl Refusal {
    pub(super) fn answer(self) -> Answer {
        match self {
            Refusal::Malformed(what) => Answer::text("400 Bad Request", what),
            Refusal::TooLong => Answer::text("431 Request Header Fields Too Large", "the request is too long"),
            Refusal::Misdirected => Answer::text(
                "421 Misdirected Request",
                "this machine is not known by that name; `carom serve --name NAME` adds one",
            ),
        }
    }
}

impl Request {
    /// Reads all headers. Fails if they do not arrive; what arrives and is wrong is a refusal.
    pub(super) fn read(from: &mut impl Read) -> io::Result<Result<Request, Refusal>> {
        let (mut bytes, mut buffer) = (Vec::new(), [0; 2048]);
        loop {
            let looked_at = bytes.len().saturating_sub(3);
            let count = match from.read(&mut buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if count == 0 {
                return Ok(Err(Refusal::Malformed("this is not a request of HTTP")));
            }
            bytes.extend_from_slice(&buffer[..count]);
            if let Some(end) = end_of_head(&bytes, looked_at) {
                return Ok(if end > REQUEST_LIMIT { Err(Refusal::TooLong) } else { Request::parse(&bytes[..end]) });
            }
            if bytes.len() > REQUEST_LIMIT {
                return Ok(Err(Refusal::TooLong));
            }
        }
    }

    /// Reads the lines of a request up to the empty one.
    pub(super) fn parse(head: &[u8]) -> Result<Request, Refusal> {
        let mut lines = head.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line));
        let first = lines.next().and_then(|line| str::from_utf8(line).ok());
        let (method, url, version) = match first.map(|line| line.split(' ').collect::<Vec<&str>>()).as_deref() {
            Some(&[method, url, version]) if version.starts_with("HTTP/1.") => (method, url, version),
            _ => return Err(Refusal::Malformed("this is not a request of HTTP")),
        };
        let mut host = None;
        for line in lines.filter(|line| !line.is_empty()) {
            let Some(colon) = line.iter().position(|&byte| byte == b':') else {
                return Err(Refusal::Malformed("a header has no colon"));
            };
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            // RFC 9112, 5.1: no space before the colon, and no line that continues another one.
            if name.is_empty() || !name.iter().all(|byte| byte.is_ascii_graphic()) {
                return Err(Refusal::Malformed("the name of a header is none"));
            }
            if value.iter().any(|&byte| byte.is_ascii_control() && byte != b'\t') {
                return Err(Refusal::Malformed("a header has control characters"));
            }
            if name.eq_ignore_ascii_case(b"host") {
                let name = str::from_utf8(value).map_err(|_| Refusal::Malformed("Host is not text"))?;
                if host.replace(name.to_ascii_lowercase()).is_some() {
                    return Err(Refusal::Malformed("there is more than one Host"));
                }
            }
        }
        if host.is_none() && version != "HTTP/1.0" {
            return Err(Refusal::Malformed("there is no Host"));
        }
        Ok(Request { method: method.to_owned(), url: url.to_owned(), host })
    }
}

/// Where the empty line after the headers ends, looking from a place on.
fn end_of_head(bytes: &[u8], from: usize) -> Option<usize> {
    (from..bytes.len()).find_map(|at| {
        let rest = &bytes[at..];
        let ends = [b"\n\r\n".as_slice(), b"\n\n"].into_iter().find(|end| rest.starts_with(end));
        ends.map(|end| at + end.len())
    })
}

/// What goes back to the browser.
pub(super) struct Answer {
    pub(super) status: &'static str,
    pub(super) mime_type: &'static str,
    /// Further headers, each ending its line.
    pub(super) headers: String,
    pub(super) body: Body,
}

pub(super) enum Body {
    Text(String),
    File(File, u64),
}

impl Answer {
    pub(super) fn text(status: &'static str, message: &str) -> Answer {
        let body = Body::Text(format!("{message}\n"));
        Answer { status, mime_type: "text/plain; charset=utf-8", headers: String::new(), body }
    }

    pub(super) fn file(path: &Path) -> io::Result<Answer> {
        let file = File::open(path)?;
        let length = file.metadata()?.len();
        Ok(Answer {
            status: "200 OK",
            mime_type: mime_type(path),
            headers: String::new(),
            body: Body::File(file, length),
        })
    }

    pub(super) fn length(&self) -> u64 {
        match &self.body {
            Body::Text(text) => text.len() as u64,
            Body::File(_, length) => *length,
        }
    }

    pub(super) fn write(self, stream: &mut impl Write, with_body: bool) -> io::Result<()> {
        let length = self.length();
        // After the page is built again, it should be seen, so nothing may be kept without asking;
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
                io::copy(&mut file.take(length), stream)?;
            }
        }
        stream.flush()
    }
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
