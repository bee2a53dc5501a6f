//! Files are written whole or not at all: full disks, folders that must not be written to, signals.
#![cfg(unix)]

mod shared;

use shared::{empty_folder, name, ran};
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const CAROM: &str = env!("CARGO_BIN_EXE_carom");

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Saving over a scene on a full disk used to lose the old one. A limit on the size of files fails like a full disk.
#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = empty_folder("full");
    let mut cases = vec!["out.csv", "out.json", "out.gif", "out.mp4", "out.png"];
    for file in &cases {
        fs::write(folder.join(file), "old").unwrap();
    }
    cases.push("new.csv");
    for file in &cases {
        let path = folder.join(file);
        let mut args = vec!["run", "pyramid", "--steps", "60", "--out", name(&path)];
        if !file.ends_with("csv") && !file.ends_with("json") {
            args.extend(["--size", "320x180"]);
        }
        // One block of 512 bytes or 1024 bytes, as the shell has it.
        let output = Command::new("sh")
            .args(["-c", "trap '' XFSZ; ulimit -f 1; exec \"$@\"", "sh", CAROM])
            .args(&args)
            .output()
            .unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{file}: {err}");
        assert!(err.contains(file) && err.contains("is as it was"), "{file}: {err}");
        if *file != "new.csv" {
            assert_eq!(fs::read_to_string(&path).unwrap(), "old", "{file}");
        }
    }
    cases.pop();
    cases.sort_unstable();
    assert_eq!(names(&folder), cases);
}

/// As root every folder may be written to, and there is nothing to see.
#[test]
fn a_folder_that_must_not_be_written_to_is_said_at_once() {
    use std::os::unix::fs::PermissionsExt;
    let folder = empty_folder("read-only");
    let path = folder.join("out.json");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o555)).unwrap();
    if fs::write(folder.join("probe"), "").is_err() {
        let (code, _, err) = ran(&["run", "falling_bricks", "--steps", "1", "--out", name(&path)]);
        assert!(code == 2 && err.contains("cannot create"), "{code} {err}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
    }
    fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    // This no user may write to.
    if Path::new("/proc/self").exists() {
        let (code, _, err) = ran(&["run", "falling_bricks", "--steps", "1", "--out", "/proc/carom-out.json"]);
        assert!(code == 2 && err.contains("cannot create /proc/carom-out.json"), "{code} {err}");
    }
}

fn wait_for(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(60), "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// True when this process, and so what it starts, ignores a signal.
fn is_ignored(number: u32) -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return false };
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    ignored.and_then(|bits| u64::from_str_radix(bits.trim(), 16).ok()).is_some_and(|bits| bits >> (number - 1) & 1 != 0)
}

#[test]
fn signals_leave_the_old_file_and_nothing_else() {
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1)] {
        if is_ignored(number) {
            println!(
                "skipped: SIG{signal} is ignored here, as in a job in the background, and so it is by what is started"
            );
            continue;
        }
        for (scene, file) in
            [("pyramid", "out.csv"), ("cloth", "out.bin"), ("pyramid", "out.gif"), ("pyramid", "out.mp4")]
        {
            let folder = empty_folder(&format!("signal-{signal}-{file}"));
            let path = folder.join(file);
            fs::write(&path, "old").unwrap();
            let mut child = Command::new(CAROM)
                .args(["run", scene, "--steps", "10000000", "--out", name(&path)])
                .args(if file.ends_with('4') || file.ends_with('f') {
                    &["--size", "64x36", "--fps", "1"][..]
                } else {
                    &[]
                })
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap();
            wait_for("temporary file", || names(&folder).len() == 2);
            Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status().unwrap();
            let status = child.wait().unwrap();
            assert_eq!(status.signal(), Some(number.cast_signed()), "{file}: ends as the signal wants");
            assert_eq!(names(&folder), [file], "{signal}");
            assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        }
    }
}

/// A film into a folder that is cut short has left whole pictures, and nothing else.
#[test]
fn frames_are_whole_when_a_signal_comes() {
    let folder = empty_folder("frames");
    let out = folder.join("");
    let mut child = Command::new(CAROM)
        .args(["run", "pyramid", "--steps", "10000000", "--size", "640x360", "--fps", "1", "--out", name(&out)])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("third frame", || folder.join("frame00003.png").exists());
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    for (i, file) in names(&folder).iter().enumerate() {
        assert_eq!(*file, format!("frame{:05}.png", i + 1));
        let file = std::io::BufReader::new(fs::File::open(folder.join(file)).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
    }
}

/// `nohup carom ...` outlasts its terminal.
#[test]
fn signals_that_are_ignored_stay_so() {
    if !Path::new("/proc/self/status").exists() {
        return;
    }
    let folder = empty_folder("nohup");
    let path = folder.join("out.csv");
    let mut child = Command::new("sh")
        .args([
            "-c",
            "trap '' HUP; exec \"$@\"",
            "sh",
            CAROM,
            "run",
            "pyramid",
            "--steps",
            "10000000",
            "--out",
            name(&path),
        ])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for("temporary file", || names(&folder).len() == 1);
    Command::new("kill").args(["-HUP", &child.id().to_string()]).status().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "still at work");
    Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(15));
    assert!(names(&folder).is_empty());
}
