//! `carom bench` as a user meets it.

use std::process::Command;

/// Exit code, standard output, standard error.
fn bench(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_carom")).arg("bench").args(args).output().expect("carom starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("carom prints UTF-8");
    (output.status.code().expect("carom was not killed"), text(output.stdout), text(output.stderr))
}

#[test]
fn a_scene_is_timed_as_json() {
    let (code, out, err) = bench(&["stack", "pyramid", "--steps", "20", "--repeats", "2", "--json"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&report["clock"], &report["repeats"]), (&"wall".into(), &2.into()));
    let scenes = report["scenes"].as_array().unwrap();
    let names: Vec<&str> = scenes.iter().map(|scene| scene["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["stack", "pyramid"]);
    for scene in scenes {
        assert_eq!((&scene["threads"], &scene["steps"]), (&1.into(), &20.into()));
        assert!(scene["carom_ms"].as_f64().unwrap() > 0.0, "{scene}");
    }
    // Ten boxes on a floor: nine contacts between them and one with the floor.
    let work = &scenes[0]["carom"];
    assert_eq!(
        (&work["bodies"], &work["awake"], &work["contacts"], &work["touching"], &work["joints"]),
        (&11.into(), &10.into(), &10.into(), &10.into(), &0.into())
    );
    let (deepest, fastest) = (work["deepest_m"].as_f64().unwrap(), work["fastest_m_s"].as_f64().unwrap());
    assert!((0.0..0.02).contains(&deepest) && (0.0..0.1).contains(&fastest), "{work}");
}

#[test]
fn a_scene_is_timed_as_a_table() {
    let (code, out, err) = bench(&["stack", "--steps", "10", "--repeats", "1"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let lines: Vec<Vec<&str>> = out.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(lines.len(), 2, "{out}");
    assert_eq!(lines[0][..4], ["scene", "threads", "steps", "ms/step"]);
    assert_eq!(lines[1][..3], ["stack", "1", "10"]);
    assert!(lines[1][3].parse::<f64>().unwrap() > 0.0, "{out}");
}

#[test]
fn what_cannot_be_had_ends_with_two_and_says_why() {
    let refused = |args: &[&str], word: &str| {
        let (code, out, err) = bench(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains(word), "{args:?}: {err}");
    };
    refused(&["wahser"], "did you mean \"washer\"?");
    refused(&["cloth"], "cloth is no scene of rigid bodies");
    refused(&["stack", "--threads", "0"], "at least one thread");
    refused(&["stack", "--steps", "1"], "--steps");
    refused(&["stack", "--repeats", "0"], "--repeats");
    refused(&["stack", "--growth"], "cannot be used with");
    refused(&["--growth", "--peers"], "cannot be used with");
    refused(&["--overlaps", "--peers"], "cannot be used with");
    if cfg!(not(feature = "peers")) {
        refused(&["stack", "--peers"], "cargo build --release -p carom --features peers");
        refused(&["stack", "--overlaps"], "cargo build --release -p carom --features peers");
    }
}
