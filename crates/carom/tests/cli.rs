//! The command line as a user meets it.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

fn carom(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_carom")).args(args).output().expect("carom starts")
}

/// Exit code, standard output, standard error.
fn ran(args: &[&str]) -> (i32, String, String) {
    let output = carom(args);
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("carom prints UTF-8");
    (output.status.code().expect("carom was not killed"), text(output.stdout), text(output.stderr))
}

/// A path for a file of one test.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn lists_scenes_one_line_each() {
    let (code, out, err) = ran(&["scenes"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let column = out.lines().next().unwrap().find("six bricks").unwrap();
    for line in out.lines() {
        let (name, summary) = line.split_at(column);
        assert!(name.ends_with("  ") && !name.trim().contains(' ') && !summary.starts_with(' '), "{line}");
    }
    for name in ["falling_bricks", "washer", "p2_quadtree"] {
        assert!(out.lines().any(|line| line.starts_with(&format!("{name} "))), "{name}");
    }
}

#[test]
fn lists_scenes_as_json() {
    let (code, out, _) = ran(&["scenes", "--json"]);
    assert_eq!(code, 0);
    let list: serde_json::Value = serde_json::from_str(&out).unwrap();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), ran(&["scenes"]).1.lines().count());
    let washer = list.iter().find(|scene| scene["name"] == "washer").unwrap();
    assert_eq!(
        (&washer["bodies"], &washer["steps"], &washer["group"]),
        (&8102.into(), &500.into(), &"benchmark".into())
    );
    assert_eq!(washer["dt"].as_f64().unwrap(), 1.0 / 60.0);
    assert!(list.iter().all(|scene| scene["summary"].is_string()));
}

#[test]
fn runs_something_when_nothing_is_asked() {
    let (code, out, err) = ran(&[]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("falling_bricks") && out.contains("carom scenes") && out.contains("carom --help"), "{out}");
}

#[test]
fn sums_up_a_run() {
    let (code, out, err) = ran(&["run", "stack", "--steps", "30"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for part in ["steps", "30 (0.50 s simulated)", "11 (10 awake)", "touching", "mm", " J", "ms per step"] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
    let (_, whole, _) = ran(&["run", "stack"]);
    assert!(whole.contains("ended as it should    yes"), "{whole}");
}

#[test]
fn writes_csv() {
    let path = scratch("stack.csv");
    let (code, _, err) = ran(&["run", "stack", "--steps", "25", "--every", "10", "--out", path.to_str().unwrap()]);
    assert_eq!((code, err.as_str()), (0, ""));
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("step,time,body,x,y,angle,vx,vy,omega"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    // Steps 0, 10, 20 and the last, 25, of 11 bodies.
    assert_eq!(rows.len(), 4 * 11);
    let steps: Vec<&str> = rows.iter().step_by(11).map(|row| row[0]).collect();
    assert_eq!(steps, ["0", "10", "20", "25"]);
    assert_eq!(rows[1], ["0", "0", "1", "0", "0.5", "0", "0", "0", "0"]);
    for row in &rows {
        assert_eq!(row.len(), 9);
        for number in &row[3..] {
            let value: f32 = number.parse().unwrap();
            assert_eq!(&value.to_string(), number, "shortest digits that give back the same number");
        }
    }
    // A last step that is sampled anyway appears once.
    ran(&["run", "stack", "--steps", "20", "--every", "10", "--out", path.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1 + 3 * 11);
}

#[test]
fn writes_csv_to_standard_output() {
    let (code, out, err) = ran(&["run", "stack", "--steps", "0", "--out", "-", "--hash"]);
    assert_eq!(code, 0);
    assert_eq!(out.lines().count(), 1 + 11, "{out}");
    assert!(err.starts_with("hash 0x"), "the table stays clean: {err}");
}

#[test]
fn hashes_are_repeatable() {
    let hash = |args: &[&str]| {
        let (code, out, _) = ran(&[&["run", "falling_bricks", "--steps", "100", "--hash"], args].concat());
        assert_eq!(code, 0);
        out.lines().last().unwrap().to_owned()
    };
    let first = hash(&[]);
    let digits = first.strip_prefix("hash 0x").expect("a hash line");
    assert!(digits.len() == 16 && digits.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c)), "{first}");
    assert_eq!(hash(&[]), first);
    assert_eq!(hash(&["--broad-phase", "quadtree"]), first);
    assert_eq!(hash(&["--broad-phase", "tree", "--profile"]), first);
    assert_eq!(hash(&["--gravity", "0,-10"]), first);
    assert_ne!(hash(&["--gravity", "-10,0"]), first);
}

#[test]
fn shows_where_the_time_went() {
    let (code, out, _) = ran(&["run", "pyramid", "--steps", "5", "--profile"]);
    assert_eq!(code, 0);
    for stage in ["stage", "pairs", "contacts", "solve", "total"] {
        assert!(out.lines().any(|line| line.starts_with(stage)), "no {stage} in:\n{out}");
    }
}

#[test]
fn an_unknown_scene_is_explained() {
    let (code, out, err) = ran(&["run", "faling_bricks"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error: ") && err.contains("falling_bricks") && err.contains("carom scenes"), "{err}");
}

#[test]
fn bad_usage_is_explained() {
    let bad: [&[&str]; 12] = [
        &["run"],
        &["dance"],
        &["run", "stack", "--threads", "4"],
        &["run", "stack", "--every", "0"],
        &["run", "stack", "--steps", "-1"],
        &["run", "stack", "--steps", "99999999999"],
        &["run", "stack", "--gravity", "down"],
        &["run", "stack", "--gravity", "nan,0"],
        &["run", "stack", "--broad-phase", "grid"],
        &["run", "stack", "--steps", "1", "--out", "picture.xyz"],
        &["run", "stack", "--steps", "1", "--out", "/nowhere/at/all.csv"],
        &["run", "stack", "--steps", "1", "--out", ""],
    ];
    for args in bad {
        let (code, out, err) = ran(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.starts_with("error: "), "{args:?}: {err}");
    }
    assert!(ran(&["run", "stack", "--out", "picture.xyz"]).2.contains(".csv"), "says which endings work");
}

#[test]
fn help_and_version_work() {
    for args in [&["--help"][..], &["run", "--help"], &["scenes", "--help"], &["--version"]] {
        let (code, out, err) = ran(args);
        assert!(code == 0 && !out.is_empty() && err.is_empty(), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for args in [&["run", "pyramid", "--out", "-"][..], &["scenes", "--json"], &["run", "stack"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(0) && err.is_empty(), "{args:?}: {err}");
    }
}
