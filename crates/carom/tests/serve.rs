//! `carom serve` as a browser meets it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

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
            assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        }
    }
    assert_eq!(served.ask("GET", "/").0, 200);
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
}
