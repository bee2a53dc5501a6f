//! Particle scenes on the command line: run, check and compare.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Exit code, standard output, standard error.
fn ran(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_carom")).args(args).output().expect("carom starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("carom prints UTF-8");
    (output.status.code().expect("carom was not killed"), text(output.stdout), text(output.stderr))
}

/// An empty folder of one test.
fn empty_folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("particles").join(name);
    fs::remove_dir_all(&path).ok();
    fs::create_dir_all(&path).unwrap();
    path
}

fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// A ball that falls onto the ground within 25 steps, and one that stays where it is.
const SCENE: &str = r#"<scene>
  <description text="one ball falls"/>
  <duration time="0.25"/>
  <integrator type="symplectic-euler" dt="0.01"/>
  <collision type="simple" COR="0.5"/>
  <simplegravity fx="0.0" fy="-10.0"/>
  <particle m="2.0" px="0.0" py="0.2" vx="0.1" vy="0.0" fixed="0" radius="0.1"/>
  <particle m="1.0" px="3.0" py="1.0" vx="0.0" vy="0.0" fixed="1" radius="0.1"/>
  <halfplane px="0.0" py="0.0" nx="0.0" ny="1.0"/>
</scene>
"#;

/// A fresh folder and the scene in it.
fn with_scene(test: &str) -> (PathBuf, PathBuf) {
    let folder = empty_folder(test);
    let scene = folder.join("ball.xml");
    fs::write(&scene, SCENE).unwrap();
    (folder, scene)
}

#[test]
fn sums_up_a_run() {
    let (_, scene) = with_scene("summary");
    let (code, out, err) = ran(&["run", name(&scene)]);
    assert_eq!((code, err.as_str()), (0, ""));
    for part in
        ["one ball falls", "25 (0.25 s simulated)", "particles             2", " in all", "kinetic", "potential"]
    {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
    assert!(!out.contains(", 0 in all"), "the ball met the ground:\n{out}");
    assert!(!out.contains("not finite") && !out.contains("not converged"), "{out}");
    let (_, out, _) = ran(&["run", name(&scene), "--seconds", "0.1"]);
    assert!(out.contains("10 (0.1 s simulated)"), "{out}");
    let (_, out, _) = ran(&["run", name(&scene), "--steps", "40"]);
    assert!(out.contains("40 (0.4 s simulated)"), "{out}");
}

#[test]
fn writes_csv() {
    let (folder, scene) = with_scene("csv");
    let table = folder.join("ball.csv");
    let steps = |args: &[&str]| {
        let (code, out, err) = ran(&[&["run", name(&scene), "--out", name(&table)], args].concat());
        assert_eq!((code, err.as_str()), (0, ""));
        assert_eq!(out, format!("wrote {}\n", table.display()));
        let text = fs::read_to_string(&table).unwrap();
        assert_eq!(text.lines().next(), Some("step,particle,x,y,vx,vy"));
        let rows: Vec<Vec<String>> = text.lines().skip(1).map(|l| l.split(',').map(str::to_owned).collect()).collect();
        for (i, row) in rows.iter().enumerate() {
            assert!(row.len() == 6 && row[1] == (i % 2).to_string(), "{row:?}");
            for number in &row[2..] {
                assert_eq!(&format!("{:?}", number.parse::<f64>().unwrap()), number);
            }
        }
        rows.iter().step_by(2).map(|row| row[0].parse().unwrap()).collect::<Vec<u32>>()
    };
    assert_eq!(steps(&[]), (0..=25).collect::<Vec<_>>());
    assert_eq!(steps(&["--every", "10"]), [0, 10, 20, 25]);
    assert_eq!(steps(&["--every", "10", "--steps", "30"]), [0, 10, 20, 30]);
    assert_eq!(steps(&["--steps", "0"]), [0]);

    let (code, out, err) = ran(&["run", name(&scene), "--out", "-", "--steps", "1", "--hash"]);
    assert_eq!(code, 0);
    assert_eq!(out.lines().count(), 1 + 2 * 2, "{out}");
    assert!(err.starts_with("hash 0x") && err.lines().count() == 1, "the table stays clean: {err}");
}

#[test]
fn hashes_tell_states_apart() {
    let (_, scene) = with_scene("hash");
    let hash = |steps| ran(&["run", name(&scene), "--hash", "--steps", steps]).1.lines().last().unwrap().to_owned();
    assert!(hash("9").starts_with("hash 0x"));
    assert_eq!(hash("9"), hash("9"));
    assert_ne!(hash("9"), hash("10"));
}

#[test]
fn own_trajectories_pass_and_doctored_ones_fail() {
    let (folder, scene) = with_scene("compare");
    let file = folder.join("ball.bin");
    let (code, out, _) = ran(&["run", name(&scene), "--out", name(&file)]);
    assert_eq!((code, out), (0, format!("wrote {}\n", file.display())));
    let (code, out, err) = ran(&["compare", name(&scene), name(&file)]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(out.ends_with("Collisions Passed: Yes.\nOverall success: Passed.\n"), "{out}");

    let bytes = fs::read(&file).unwrap();
    // Two particles of four floats, and no collision in the first frames.
    let frame = 2 * 4 * 8 + 4;
    assert_eq!(bytes[..frame][frame - 4..], [0; 4]);

    let mut moved = bytes.clone();
    moved[5 * frame..][..8].copy_from_slice(&7.0_f64.to_le_bytes());
    fs::write(&file, &moved).unwrap();
    let (code, out, err) = ran(&["compare", name(&scene), name(&file)]);
    assert_eq!((code, err.as_str()), (1, ""), "{out}");
    assert!(out.contains("Overall success: Failed."), "{out}");

    let mut superfluous = bytes.clone();
    superfluous[6 * frame - 4] = 1;
    superfluous.splice(6 * frame..6 * frame, [0; 36]);
    fs::write(&file, &superfluous).unwrap();
    let (code, out, _) = ran(&["compare", name(&scene), name(&file)]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("step 5\n  Superfluous collision: Particle 0 - Particle 0"), "{out}");

    fs::write(&file, [&bytes[..], b"more"].concat()).unwrap();
    let (code, out, err) = ran(&["compare", name(&scene), name(&file)]);
    assert_eq!(code, 0, "{out}");
    assert!(err.starts_with("note: ") && err.contains("goes on"), "{err}");

    for cut in [0, 1, frame, bytes.len() - 1] {
        fs::write(&file, &bytes[..cut]).unwrap();
        let (code, out, err) = ran(&["compare", name(&scene), name(&file)]);
        assert_eq!((code, out.as_str()), (2, ""), "{cut}");
        assert!(err.starts_with("error: ") && err.contains("ball.bin: the trajectory ends at frame"), "{err}");
    }
}

#[test]
fn checks_files() {
    let (folder, scene) = with_scene("check");
    let (code, out, err) = ran(&["check", name(&scene)]);
    assert_eq!((code, err.as_str()), (0, ""));
    let expected = "valid (particles 2, edges 0, half-planes 1, steps 25 of 0.01 s)";
    assert_eq!(out, format!("{}: {expected}\n", scene.display()));

    let bad = folder.join("bad.xml");
    for (text, place) in [
        (SCENE.replace("symplectic-euler", "magic"), ":4:"),
        (SCENE.replace("py=\"0.2\"", "py=\"up\""), ":7:"),
        (SCENE.replace("</scene>", ""), ":"),
        (SCENE[..200].to_owned(), ":"),
        (String::new(), ":1:1: "),
        ("nonsense \0 <<<".to_owned(), ":1:"),
    ] {
        fs::write(&bad, &text).unwrap();
        for args in [&["check", name(&bad)][..], &["run", name(&bad)], &["compare", name(&bad), name(&bad)]] {
            let (code, out, err) = ran(args);
            assert_eq!((code, out.as_str()), (2, ""), "{args:?}: {text}");
            assert!(err.starts_with(&format!("error: {}{place}", bad.display())), "{args:?}: {err}");
        }
    }
}

#[test]
fn files_that_cannot_be_read_are_explained() {
    let (folder, scene) = with_scene("unreadable");
    let [missing, directory] = [folder.join("missing.xml"), folder.join("folder.xml")];
    fs::create_dir(&directory).unwrap();
    for (path, hint) in [(&missing, "check its name"), (&directory, "name a file in this folder")] {
        let path = name(path);
        for args in [&["run", path][..], &["check", path], &["compare", path, path], &["compare", name(&scene), path]] {
            let (code, out, err) = ran(args);
            assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
            assert!(err.starts_with("error: cannot read ") && err.contains(path) && err.contains(hint), "{err}");
        }
    }
}

#[test]
fn bad_usage_is_explained() {
    let (folder, scene) = with_scene("usage");
    let scene = name(&scene);
    let at = |file: &str| name(&folder.join(file)).to_owned();
    let (png, mp4, frames, bin, other) = (at("a.png"), at("a.MP4"), at("frames/"), at("a.bin"), at("a.xyz"));
    let nowhere = at("no/such/folder.csv");
    let bad: [(&[&str], &str); 17] = [
        (&["run", scene, "--out", &png], "particle scenes are not there yet"),
        (&["run", scene, "--out", &mp4], "particle scenes are not there yet"),
        (&["run", scene, "--out", &frames], "particle scenes are not there yet"),
        (&["run", scene, "--size", "64x64"], "particle scenes are not there yet"),
        (&["run", scene, "--overlay", "contacts"], "particle scenes are not there yet"),
        (&["run", scene, "--out", &png, "--fps", "30"], "particle scenes are not there yet"),
        (&["run", scene, "--out", &other], ".csv or .bin"),
        (&["run", scene, "--out", ""], "--out"),
        (&["run", scene, "--out", &bin, "--every", "2"], "--every is for CSV"),
        (&["run", scene, "--out", &nowhere], "cannot create"),
        (&["run", scene, "--broad-phase", "tree"], "--broad-phase is for built-in scenes"),
        (&["run", scene, "--gravity", "0,0"], "--gravity is for built-in scenes"),
        (&["run", scene, "--profile"], "--profile is for built-in scenes"),
        (&["check", "stack"], "end in .xml"),
        (&["check", &bin], "end in .xml"),
        (&["compare", "stack", &bin], "ends in .xml"),
        (&["compare", scene], "FILE.bin"),
    ];
    for (args, part) in bad {
        let (code, out, err) = ran(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.starts_with("error: ") && err.contains(part), "{args:?}: {err}");
    }
    let left: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [Path::new(scene)], "nothing is left behind");
}

#[test]
fn help_tells_of_particle_scenes() {
    for (args, part) in [
        (&["--help"][..], "compare"),
        (&["run", "--help"], "FILE.xml"),
        (&["check", "--help"], ".xml"),
        (&["compare", "--help"], "FILE.bin"),
    ] {
        let (code, out, err) = ran(args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        assert!(out.contains(part), "{args:?}: {out}");
    }
}

/// The folder of scenes and references: in `CAROM_SHARED`, or in `../shared` seen from the workspace. Says so when
/// there is none.
fn fosssim(test: &str) -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("CAROM_SHARED").map_or_else(beside, PathBuf::from);
    let folder = shared.join("fosssim");
    if folder.join("scenes").is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED {test}: no shared folder; set CAROM_SHARED to the one that holds fosssim/");
    None
}

#[test]
fn verdicts_are_those_of_the_original() {
    let Some(folder) = fosssim("comparison cases") else { return };
    let scene = folder.join("scenes/T2M1/CORTests/test00.xml");
    let verdicts = fs::read_to_string(folder.join("compare_cases/verdicts.csv")).unwrap();
    let mut count = 0;
    for line in verdicts.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let file = folder.join(format!("compare_cases/{}.bin", fields[0]));
        let (code, out, err) = ran(&["compare", name(&scene), name(&file)]);
        assert_eq!((code, err.as_str()), (i32::from(fields[1] != "PASS"), ""), "{line}\n{out}");
        let collisions = if fields[2] == "yes" { "Collisions Passed: Yes." } else { "Collisions Passed: No." };
        assert!(out.contains(collisions), "{line}\n{out}");
        for message in ["Missed", "Superfluous", "wrong normal"] {
            assert_eq!(out.contains(message), fields[7].contains(message), "{line}\n{out}");
        }
        count += 1;
    }
    assert!(count >= 8, "{count} cases");
}

#[test]
fn trajectories_of_the_original_pass() {
    let Some(folder) = fosssim("trajectories of the original") else { return };
    let mut count = 0;
    for entry in fs::read_dir(folder.join("bin")).unwrap() {
        let file = entry.unwrap().path();
        let scene = file.file_stem().unwrap().to_str().unwrap().replace("__", "/");
        let scene = folder.join(format!("scenes/{scene}.xml"));
        let (code, out, err) = ran(&["compare", name(&scene), name(&file)]);
        assert_eq!((code, err.as_str()), (0, ""), "{}\n{out}", file.display());
        assert!(out.contains("Overall success: Passed."), "{}\n{out}", file.display());
        count += 1;
    }
    assert!(count > 0, "there are trajectories");
}
