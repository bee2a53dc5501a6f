//! `carom serve` as a browser meets it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A running `carom serve --port 0`, ended when dropped.
struct Served {
    program: Child,
    address: String,
}

impl Served {
    fn new(folder: &Path) -> Served {
        let mut program = Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(["serve", "--port", "0"])
            .arg(folder)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(program.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split_once("http://").unwrap().1.split_once('/').unwrap().0.to_owned();
        Served { program, address }
    }

    /// Status, headers and body of the answer to a request, whose path goes out as it is.
    fn ask(&self, method: &str, path: &str) -> (u16, String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", self.address).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        (head.split(' ').nth(1).unwrap().parse().unwrap(), head.to_ascii_lowercase(), answer[end + 4..].to_vec())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.program.kill().ok();
        self.program.wait().ok();
    }
}

/// A folder of one test with a page, a module of 100,000 bytes and a folder, and a secret beside it.
fn site(name: &str) -> PathBuf {
    let top = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::remove_dir_all(&top).ok();
    let root = top.join("site");
    std::fs::create_dir_all(root.join("app")).unwrap();
    std::fs::write(root.join("index.html"), "<p>hello</p>").unwrap();
    std::fs::write(root.join("module.wasm"), vec![7; 100_000]).unwrap();
    std::fs::write(root.join("app/start.js"), "1").unwrap();
    std::fs::write(top.join("secret"), "secret").unwrap();
    root
}

#[test]
fn serves_files_with_their_types_and_lengths() {
    let served = Served::new(&site("serve_files"));
    let (status, head, body) = served.ask("GET", "/");
    assert_eq!((status, body.as_slice()), (200, b"<p>hello</p>".as_slice()));
    assert!(head.contains("content-type: text/html; charset=utf-8"), "{head}");

    let (status, head, body) = served.ask("GET", "/module.wasm?again");
    assert_eq!((status, body.len()), (200, 100_000));
    for part in ["content-type: application/wasm", "content-length: 100000", "cache-control: no-cache", "nosniff"] {
        assert!(head.contains(part), "no {part} in\n{head}");
    }
    assert!(served.ask("GET", "/app/start.js").1.contains("content-type: text/javascript"));
}

#[test]
fn answers_head_without_a_body_and_nothing_else() {
    let served = Served::new(&site("serve_methods"));
    let (status, head, body) = served.ask("HEAD", "/module.wasm");
    assert_eq!((status, body.len()), (200, 0));
    assert!(head.contains("content-length: 100000"), "{head}");
    let (status, head, _) = served.ask("POST", "/");
    assert_eq!(status, 405);
    assert!(head.contains("allow: get, head"), "{head}");
}

#[test]
fn missing_files_and_paths_that_lead_out_are_not_found() {
    let root = site("serve_outside");
    #[cfg(unix)]
    std::os::unix::fs::symlink("../secret", root.join("link")).unwrap();
    let served = Served::new(&root);
    for path in ["/none", "/app/", "/../secret", "/%2e%2e/secret", "/..%2fsecret", "/app/../../secret", "/link"] {
        let (status, _, body) = served.ask("GET", path);
        assert_eq!(status, 404, "{path}");
        assert!(!String::from_utf8(body).unwrap().contains("secret"), "{path}");
    }
    let (status, head, _) = served.ask("GET", "/app");
    assert_eq!(status, 301);
    assert!(head.contains("location: /app/"), "{head}");
}

#[test]
fn a_reader_that_does_not_read_holds_up_nobody() {
    let served = Served::new(&site("serve_slow"));
    let mut silent = Vec::new();
    for _ in 0..16 {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        write!(stream, "GET /module.wasm HTTP/1.1\r\n").unwrap();
        silent.push(stream);
    }
    assert_eq!(served.ask("GET", "/").0, 200);
}

#[test]
fn what_is_no_request_is_refused() {
    let served = Served::new(&site("serve_nonsense"));
    let long = "x".repeat(20_000);
    for request in ["", "\r\n\r\n", "hello\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/1.1\r\n", &long] {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // A server that has heard enough may have hung up already.
        stream.write_all(request.as_bytes()).ok();
        stream.shutdown(Shutdown::Write).ok();
        let mut answer = String::new();
        // What was sent beyond the limit may cut the answer short.
        if stream.read_to_string(&mut answer).is_ok() {
            let status = if request.len() > 16 * 1024 { 431 } else { 400 };
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
        }
    }
    assert_eq!(served.ask("GET", "/").0, 200);
}

/// Sends bytes as they are, and returns the answer.
fn send(address: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    stream.write_all(bytes).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// A header that is no text used to get no answer at all, and a `Host` was not looked at.
#[test]
fn headers_are_checked_and_answered() {
    let served = Served::new(&site("serve_headers"));
    let request = |rest: &[u8]| [b"GET / HTTP/1.1\r\n", rest, b"\r\n\r\n"].concat();
    for (headers, status) in [
        (b"Host: localhost".as_slice(), 200),
        (b"Host: localhost\r\nX-Name: \xff\xfe", 200),
        (b"Host: \xff", 400),
        (b"Host: localhost\r\n\xff\xfe", 400),
        (b"Host: localhost\r\nHost: localhost", 400),
        (b"Accept: text/html", 400),
        (b"Host: rebound.example", 421),
    ] {
        let answer = send(&served.address, &request(headers));
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{headers:?}: {answer}");
    }
}

/// Sixty-four connections that each sent a byte now and then shut everybody out for as long as they liked. Now they are
/// closed when their time is over, and one client has no more than its share.
#[test]
fn connections_that_drip_are_ended() {
    let served = Served::new(&site("serve_drip"));
    let start = Instant::now();
    let mut dripping: Vec<TcpStream> = (0..64).map(|_| TcpStream::connect(&served.address).unwrap()).collect();
    let is_answered = || {
        let mut stream = TcpStream::connect(&served.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(5))).unwrap();
        write!(stream, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").ok();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok();
        answer.starts_with("HTTP/1.1 200 ")
    };
    while !is_answered() {
        dripping.iter_mut().for_each(|stream| stream.write_all(b"G").unwrap_or_default());
        std::thread::sleep(Duration::from_millis(200));
        assert!(start.elapsed() < Duration::from_secs(40), "still shut out");
    }
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Exit code and standard error.
fn fails(args: &[&str], folder: &Path) -> (Option<i32>, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_carom")).arg("serve").args(args).current_dir(folder).output().unwrap();
    assert!(output.stdout.is_empty());
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn says_what_to_do_without_a_folder_or_a_port() {
    let root = site("serve_failures");
    let (code, error) = fails(&[], &root);
    assert_eq!(code, Some(2));
    assert!(error.contains("web/dist is not there") && error.contains("scripts/web"), "{error}");
    let (code, error) = fails(&["index.html"], &root);
    assert_eq!(code, Some(2));
    assert!(error.contains("index.html is not a folder"), "{error}");

    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let (code, error) = fails(&["--port", &port, "."], &root);
    assert_eq!(code, Some(2));
    assert!(error.contains(&format!("cannot listen at port {port}")) && error.contains("--port"), "{error}");
    for (host, part) in [("localhorst", "--host"), ("192.0.2.1", "--host takes an address of this machine")] {
        let (code, error) = fails(&["--port", "0", "--host", host, "."], &root);
        assert!(code == Some(2) && error.contains(part), "{host}: {error}");
    }
}

/// From the whole network: both addresses are said, and what a phone cannot do there.
#[test]
fn serves_other_machines_when_asked() {
    let root = site("serve_network");
    let mut program = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["serve", "--port", "0", "--host", "0.0.0.0"])
        .arg(&root)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let first = lines.next().unwrap().unwrap();
    let own = first.split_once("http://").unwrap().1.split_once('/').unwrap().0.to_owned();
    assert!(own.starts_with("127.0.0.1:"), "an address that a browser here finds: {first}");
    let mut told = lines.next().unwrap().unwrap();
    let served = Served { program, address: own };
    assert_eq!(served.ask("GET", "/").0, 200);
    // Without a network there is no second address.
    if let Some(address) = told.strip_prefix("other machines find it at http://") {
        let other = address.trim_end_matches('/');
        let mut stream = TcpStream::connect(other).unwrap();
        write!(stream, "GET / HTTP/1.1\r\nHost: {other}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        told = lines.next().unwrap().unwrap();
    }
    assert!(told.starts_with("note: ") && told.contains("HTTPS"), "{told}");
}

/// `--open` hands the address to the system, here a program of that name that keeps it.
#[cfg(target_os = "linux")]
#[test]
fn opens_the_browser_when_asked() {
    use std::os::unix::fs::PermissionsExt;
    let root = site("serve_open");
    let (tools, kept) = (root.join("app"), root.join("opened.txt"));
    let opener = tools.join("xdg-open");
    std::fs::write(&opener, format!("#!/bin/sh\necho \"$1\" > '{0}.new' && mv '{0}.new' '{0}'\n", kept.display()))
        .unwrap();
    std::fs::set_permissions(&opener, PermissionsExt::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap());
    let program = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["serve", "--port", "0", "--open"])
        .arg(&root)
        .env("PATH", path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut served = Served { program, address: String::new() };
    let mut line = String::new();
    BufReader::new(served.program.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let start = Instant::now();
    while !kept.exists() {
        assert!(start.elapsed() < Duration::from_secs(30), "nothing was opened");
        std::thread::sleep(Duration::from_millis(10));
    }
    let opened = std::fs::read_to_string(&kept).unwrap();
    assert!(line.contains(opened.trim()) && opened.starts_with("http://127.0.0.1:"), "{opened}");

    // Where there is no such program it says so, and serves.
    let mut program = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["serve", "--port", "0", "--open"])
        .arg(&root)
        .env("PATH", root.join("none"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut note = String::new();
    BufReader::new(program.stderr.take().unwrap()).read_line(&mut note).unwrap();
    program.kill().unwrap();
    program.wait().unwrap();
    assert!(note.starts_with("note: xdg-open opened no browser"), "{note}");
}
