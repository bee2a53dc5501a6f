//! The command line of the original FOSSSim.

mod shared;

use shared::{BALL_SCENE as SCENE, empty_folder, name, picture_size};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs `carom fosssim` in a folder and without a display; returns its exit code, standard output, standard error.
fn fosssim(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
    command.current_dir(folder).arg("fosssim").args(args).env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    let output = command.output().expect("carom starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("carom prints UTF-8");
    (output.status.code().expect("carom was not killed"), text(output.stdout), text(output.stderr))
}

/// A fresh folder with a scene in it.
fn with_scene(test: &str) -> PathBuf {
    let folder = empty_folder(test);
    fs::write(folder.join("ball.xml"), SCENE).unwrap();
    folder
}

#[test]
fn writes_and_grades_trajectories_as_the_course_does() {
    let folder = with_scene("grade");
    let (code, out, err) = fosssim(&folder, &["-s", "ball.xml", "-d", "0", "-o", "out.bin"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for line in [
        "Scene: ball.xml",
        "Integrator: Symplectic Euler",
        "Collision Handling: Simple Collision Handling",
        "Description: one ball falls",
        &"-".repeat(50),
    ] {
        assert!(out.lines().any(|found| found == line), "no {line:?} in:\n{out}");
    }
    let (code, out, _) = fosssim(&folder, &["--scene", "ball.xml", "--display", "0", "--inputfile", "out.bin"]);
    assert_eq!(code, 0);
    assert!(out.contains("Overall success: Passed."), "{out}");
    let residuals = fs::read_to_string(folder.join("residual.txt")).unwrap();
    assert_eq!(residuals.lines().count(), 4);
    assert!(residuals.lines().all(|line| line.starts_with("1   ")), "{residuals}");

    // A wrong trajectory is graded too, and the exit code does not tell.
    let mut bytes = fs::read(folder.join("out.bin")).unwrap();
    // In the first coordinate of the second frame, which begins after eight numbers and a count.
    bytes[8 * 8 + 4 + 6] ^= 0x10;
    fs::write(folder.join("wrong.bin"), &bytes).unwrap();
    let (code, out, _) = fosssim(&folder, &["-s", "ball.xml", "-d", "0", "-i", "wrong.bin"]);
    assert_eq!(code, 0);
    assert!(out.contains("Overall success: Failed."), "{out}");
}

#[test]
fn bad_usage_and_bad_files_end_with_1() {
    let folder = with_scene("bad");
    fs::write(folder.join("bad.xml"), "<scene><duration/></scene>").unwrap();
    fs::write(folder.join("short.bin"), [0; 30]).unwrap();
    for (args, part) in [
        (&["-d", "0"][..], "--scene"),
        (&["-s", "ball.xml", "-d", "0", "-i", "a.bin", "-o", "b.bin"], "cannot be used with"),
        (&["-s", "ball.xml", "-d", "2"], "0, 1"),
        (&["-s", "none.xml", "-d", "0"], "none.xml"),
        (&["-s", "bad.xml", "-d", "0"], "ERROR IN XMLSCENEPARSER: "),
        (&["-s", "ball.xml", "-d", "0", "-i", "short.bin"], "short.bin"),
        (&["-s", "ball.xml", "-d", "0", "-g", "1"], "there is no folder pngs"),
        (&["-s", "ball.xml", "-d", "0", "-m", "none"], "there is no folder none"),
        (&["-s", "ball.xml", "-d", "0", "-o", "none/out.bin"], "cannot create"),
    ] {
        let (code, _, err) = fosssim(&folder, args);
        assert_eq!(code, 1, "{args:?}");
        assert!(err.contains(part), "{args:?}: {err}");
    }
    let (code, out, _) = fosssim(&folder, &["-h"]);
    assert_eq!(code, 0);
    assert!(out.contains("--moviedir"), "{out}");
}

#[test]
fn a_window_needs_a_display() {
    let folder = with_scene("window");
    let (code, _, err) = fosssim(&folder, &["-s", "ball.xml"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("display"), "{err}");
}

#[test]
fn writes_a_picture_of_every_step() {
    let folder = with_scene("pictures");
    for place in ["pngs", "movie"] {
        fs::create_dir(folder.join(place)).unwrap();
    }
    let (code, _, err) = fosssim(&folder, &["-s", "ball.xml", "-d", "0", "-g", "1", "-m", "movie"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let files = |place: &str| {
        let mut names: Vec<String> = fs::read_dir(folder.join(place))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    let (png, svg) = (files("pngs"), files("movie"));
    assert_eq!((png.len(), svg.len()), (25, 25), "one for each step");
    assert_eq!((png[0].as_str(), png[24].as_str()), ("frame00001.png", "frame00025.png"));
    assert_eq!(svg[0], "frame00000000000000000001.svg");
    assert_eq!(picture_size(&folder.join("pngs/frame00001.png")), (512, 512));

    // Each SVG shows its own step: the ball has fallen.
    let height = |step: u32| {
        let text = fs::read_to_string(folder.join(format!("movie/frame{step:020}.svg"))).unwrap();
        let circle = text.lines().find(|line| line.starts_with("<circle")).unwrap().to_owned();
        let cy = circle.split("cy=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
        assert!(!text.contains("<text"), "no time in it:\n{text}");
        cy.parse::<f32>().unwrap()
    };
    assert!(height(10) > height(1) + 1.0);
}

/// The original's verdicts on trajectories with planted errors.
#[test]
fn grades_as_the_original_does() {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let data = std::env::var_os("CAROM_SHARED").map_or_else(beside, PathBuf::from);
    let cases = data.join("fosssim/compare_cases");
    let Ok(verdicts) = fs::read_to_string(cases.join("verdicts.csv")) else {
        eprintln!("SKIPPED: no shared folder; set CAROM_SHARED to the one that holds fosssim/");
        return;
    };
    let cases = cases.canonicalize().unwrap();
    let scene = data.join("fosssim/scenes/T2M1/CORTests/test00.xml").canonicalize().unwrap();
    let folder = empty_folder("verdicts");
    let mut graded = 0;
    for line in verdicts.lines().skip(1) {
        let mut fields = line.split(',');
        let file = cases.join(format!("{}.bin", fields.next().unwrap()));
        let verdict = if fields.next() == Some("PASS") { "Passed" } else { "Failed" };
        let (code, out, err) = fosssim(&folder, &["-s", name(&scene), "-d", "0", "-i", name(&file)]);
        assert_eq!(code, 0, "{line}: {err}");
        assert!(out.contains(&format!("Overall success: {verdict}.")), "{line}:\n{out}");
        graded += 1;
    }
    assert!(graded > 0);
}
