//! Particle scenes on the command line: run, check and compare.

mod shared;

use shared::{BALL_SCENE as SCENE, empty_folder, name, picture_size, ran};
use std::fs;
use std::path::{Path, PathBuf};

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
    for part in [
        "one ball falls",
        "25 (0.25 s simulated)",
        "particles             2",
        "integrator            Symplectic Euler",
        "collisions            simple",
        " in all",
        "kinetic",
        "potential",
    ] {
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
    let (png, mp4, gif, bin, other) = (at("a.png"), at("a.MP4"), at("a.gif"), at("a.bin"), at("a.xyz"));
    let nowhere = at("no/such/folder.csv");
    let bad: [(&[&str], &str); 24] = [
        (&["run", scene, "--out", &mp4, "--size", "63x64"], "64x64"),
        (&["run", scene, "--out", &png, "--overlay", "contacts,islands"], "the overlay islands"),
        (&["run", scene, "--out", &png, "--overlay", "tree"], "contacts, normals, aabbs, velocity, centers, ids"),
        (&["run", scene, "--out", &png, "--fps", "30"], "--fps is for movies"),
        (&["run", scene, "--out", &gif, "--every", "2"], "--every is for CSV"),
        (&["run", scene, "--size", "64x64"], "--size is for pictures"),
        (&["run", scene, "--out", &bin, "--theme", "dark"], "--theme is for pictures"),
        (&["run", scene, "--out", "-", "--plain"], "--plain is for pictures"),
        (&["run", scene, "--out", &other], ".csv, .bin or .xml"),
        (&["run", scene, "--out", ""], "--out"),
        (&["run", scene, "--out", &bin, "--every", "2"], "--every is for CSV"),
        (&["run", scene, "--out", &nowhere], "cannot create"),
        (&["run", scene, "--broad-phase", "tree"], "--broad-phase is for scenes of rigid bodies"),
        (&["run", scene, "--gravity", "0,0"], "--gravity is for scenes of rigid bodies"),
        (&["run", scene, "--profile"], "--profile is for scenes of rigid bodies"),
        (&["run", "cloth", "--gravity", "0,0"], "--gravity is for scenes of rigid bodies"),
        (&["check", "stack"], ".json, .xml or .scene"),
        (&["check", &bin], ".json, .xml or .scene"),
        (&["compare", "stack", &bin], "ends in .xml"),
        (&["compare", "clot", &bin], "cloth"),
        (&["compare", scene], "FILE.bin"),
        (&["compare", scene, scene, "--size", "64x64"], "--size is for pictures"),
        (&["compare", scene, scene, "--out", &bin], ".png, .gif or .mp4"),
        (&["compare", scene, scene, "--step", "3"], "--step is for an --out that ends in .png"),
    ];
    for (args, part) in bad {
        let (code, out, err) = ran(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.starts_with("error: ") && err.contains(part), "{args:?}: {err}");
    }
    let left: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [Path::new(scene)], "nothing is left behind");
}

/// The colour of a pixel.
fn pixel(path: &Path, x: usize, y: usize) -> [u8; 3] {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let width = reader.next_frame(&mut bytes).unwrap().width as usize;
    bytes[3 * (y * width + x)..][..3].try_into().unwrap()
}

#[test]
fn draws_and_films_runs() {
    let (folder, scene) = with_scene("films");
    let draw = |file: &str, more: &[&str]| {
        let path = folder.join(file);
        let args = [&["run", name(&scene), "--size", "160x90", "--out", name(&path)], more].concat();
        let (code, out, err) = ran(&args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        assert!(out.starts_with("wrote ") && out.contains(file), "{out}");
        path
    };
    let png = draw("a.png", &["--steps", "0"]);
    assert_eq!(picture_size(&png), (160, 90));
    // The camera sees particles from x = 0 to 3 and y = 0.2 to 1 with a fifth to spare: 1.0125 m up and down.
    assert_eq!(pixel(&png, 80, 5), [255, 255, 255], "sky");
    assert_eq!(pixel(&png, 80, 80), [0, 0, 0], "the ground, from y = 0 down");
    assert_eq!(pixel(&png, 80 + 67, 45 - 17), [0xA6, 0x4B, 0x00], "the fixed ball");
    let dark = draw("dark.png", &["--steps", "0", "--theme", "dark"]);
    assert!(pixel(&dark, 80, 5).iter().all(|&channel| channel < 40));
    // 0.25 s at steps of 0.01 s.
    let file = fs::File::open(draw("a.mp4", &[])).unwrap();
    let length = file.metadata().unwrap().len();
    let mp4 = mp4::Mp4Reader::read_header(std::io::BufReader::new(file), length).unwrap();
    assert_eq!(mp4.tracks().values().next().unwrap().sample_count(), 15);
    let gif = fs::File::open(draw("a.gif", &["--fps", "50", "--seconds", "0.1"])).unwrap();
    let mut decoder = gif::DecodeOptions::new().read_info(gif).unwrap();
    let mut frames = 0;
    while decoder.read_next_frame().unwrap().is_some() {
        frames += 1;
    }
    assert_eq!(frames, 5);
    let frames = draw("frames/", &["--fps", "100"]);
    assert_eq!(fs::read_dir(&frames).unwrap().count(), 25);
    assert!(frames.join("frame00025.png").is_file());
}

#[test]
fn built_in_scenes_run_by_name() {
    let folder = empty_folder("built_in");
    let (code, out, err) = ran(&["run", "vortex"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for part in ["vortex: ", "2400 (10 s simulated)", "ended as it should    yes"] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
    let png = folder.join("cloth.png");
    let (code, out, _) = ran(&["run", "cloth", "--steps", "10", "--size", "160x90", "--out", name(&png)]);
    assert!(code == 0 && out.contains("cloth.png: 160x90"), "{out}");
    let bin = folder.join("jelly.bin");
    assert_eq!(ran(&["run", "jelly", "--out", name(&bin)]).0, 0);
    let (code, out, _) = ran(&["compare", "jelly", name(&bin)]);
    assert!(code == 0 && out.contains("Overall success: Passed."), "{out}");
    let (code, out, _) = ran(&["gallery", name(&folder), "--scenes", "galaxy", "--size", "160x90"]);
    assert!(code == 0 && out.contains("galaxy.png: 160x90"), "{out}");
}

/// Bytes of a frame of [`SCENE`] without collisions: two particles of four floats, and a count.
const FRAME: usize = 2 * 4 * 8 + 4;

#[test]
fn draws_what_is_wrong() {
    let (folder, scene) = with_scene("marks");
    let file = folder.join("ball.bin");
    assert_eq!(ran(&["run", name(&scene), "--out", name(&file)]).0, 0);
    let mut bytes = fs::read(&file).unwrap();
    // The fixed ball is a little too far to the right in step 5.
    bytes[5 * FRAME + 16..][..8].copy_from_slice(&3.001_f64.to_le_bytes());
    let doctored = folder.join("doctored.bin");
    fs::write(&doctored, &bytes).unwrap();

    let draw = |trajectory: &Path, png: &str, more: &[&str]| {
        let png = folder.join(png);
        let args = ["compare", name(&scene), name(trajectory), "--size", "640x360", "--out", name(&png)];
        let (code, out, err) = ran(&[&args[..], more].concat());
        assert_eq!((code, err.as_str()), (i32::from(trajectory == doctored), ""), "{out}");
        assert!(out.starts_with("wrote ") && out.trim_end().ends_with("ed."), "{out}");
        (png, out)
    };
    let (marked, out) = draw(&doctored, "a.png", &[]);
    assert!(out.lines().next().unwrap().ends_with("step 5"), "the first step with something wrong: {out}");
    // A ring of twice the radius about the ball at (3, 1). The view is 2.025 m high about (1.5, 0.6).
    let has_red = |png: &Path| {
        let left_of_ball = 320 + (1.5 * 360.0 / 2.025) as usize - (0.2 * 360.0 / 2.025) as usize;
        let row = 180 - (0.4 * 360.0 / 2.025) as usize;
        (left_of_ball - 4..left_of_ball + 4).any(|x| {
            let [r, g, b] = pixel(png, x, row);
            r > 180 && g < 90 && b < 90
        })
    };
    assert!(has_red(&marked));
    assert!(!has_red(&draw(&doctored, "b.png", &["--step", "3"]).0));
    assert!(!has_red(&draw(&file, "c.png", &["--step", "5"]).0), "nothing is wrong with the original");
    assert!(!draw(&file, "d.png", &[]).1.contains("step"), "the end");
    let (gif, out) = draw(&doctored, "a.gif", &["--fps", "20"]);
    assert!(gif.is_file() && out.contains("5 frames"), "{out}");
    let (code, _, err) = ran(&["compare", name(&scene), name(&file), "--out", name(&marked), "--step", "26"]);
    assert!(code == 2 && err.contains("there is no step 26; the scene has 25"), "{err}");

    // A trajectory that cannot be read leaves no picture behind.
    let cut = folder.join("cut.bin");
    fs::write(&cut, &bytes[..7 * FRAME]).unwrap();
    let png = folder.join("cut.png");
    assert_eq!(ran(&["compare", name(&scene), name(&cut), "--out", name(&png)]).0, 2);
    assert!(!png.exists());
}

#[test]
fn writes_residuals() {
    let (folder, scene) = with_scene("residuals");
    let (file, text) = (folder.join("ball.bin"), folder.join("residual.txt"));
    assert_eq!(ran(&["run", name(&scene), "--out", name(&file)]).0, 0);
    let residuals = |code: i32| {
        assert_eq!(ran(&["compare", name(&scene), name(&file), "--residuals", name(&text)]).0, code);
        fs::read_to_string(&text).unwrap()
    };
    assert_eq!(residuals(0), "1   0\n".repeat(4));
    let mut bytes = fs::read(&file).unwrap();
    bytes[5 * FRAME + 16..][..8].copy_from_slice(&3.25_f64.to_le_bytes());
    fs::write(&file, &bytes).unwrap();
    let lines: Vec<String> = residuals(1).lines().map(str::to_owned).collect();
    // Off by a quarter of a metre in step 5, and as much in step 6, which starts there.
    assert_eq!(lines[0], "0   0.5");
    assert_eq!(lines[2], "0   0.25");
    assert_eq!((lines.len(), lines[1].as_str(), lines[3].as_str()), (4, "1   0", "1   0"));
    let nowhere = folder.join("no/such/place.txt");
    let (code, out, err) = ran(&["compare", name(&scene), name(&file), "--residuals", name(&nowhere)]);
    assert!((code, out.as_str()) == (2, "") && err.contains("cannot create"), "{err}");
}

#[test]
fn absurd_numbers_of_steps_are_refused() {
    let folder = empty_folder("absurd");
    let (xml, bin) = (folder.join("long.xml"), folder.join("long.bin"));
    // Without particles, a trajectory of any length is an empty file.
    let empty = SCENE.lines().filter(|line| !line.contains("<particle") && !line.contains("<collision"));
    let empty = empty.collect::<Vec<_>>().join("\n");
    fs::write(&bin, []).unwrap();
    for (time, dt) in [("1e300", "0.01"), ("1e9", "0.001"), ("1", "1e-300"), ("1e300", "1e-300")] {
        let text = empty.replace("time=\"0.25\"", &format!("time=\"{time}\""));
        fs::write(&xml, text.replace("dt=\"0.01\"", &format!("dt=\"{dt}\""))).unwrap();
        let gif = folder.join("long.gif");
        for args in
            [&["run", name(&xml)][..], &["run", name(&xml), "--out", name(&gif)], &["compare", name(&xml), name(&bin)]]
        {
            let (code, out, err) = ran(args);
            assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
            assert!(err.contains("too many") && err.contains("100000000"), "{args:?}: {err}");
        }
        assert!(!gif.exists());
        let (code, out, _) = ran(&["run", name(&xml), "--steps", "5"]);
        assert!(code == 0 && out.contains("steps                 5 "), "{out}");
    }
}

/// What cannot be compared is refused before there is a window.
#[test]
fn the_viewer_refuses_what_it_cannot_compare() {
    let (folder, scene) = with_scene("view");
    let file = folder.join("ball.bin");
    assert_eq!(ran(&["run", name(&scene), "--out", name(&file)]).0, 0);
    let bytes = fs::read(&file).unwrap();
    let (short, kind, missing) = (folder.join("short.bin"), folder.join("kind.bin"), folder.join("missing.bin"));
    fs::write(&short, &bytes[..bytes.len() - 1]).unwrap();
    let mut other = bytes.clone();
    other[64..68].copy_from_slice(&1_i32.to_le_bytes());
    other[68..72].copy_from_slice(&9_i32.to_le_bytes());
    fs::write(&kind, other).unwrap();
    let more = folder.join("more.xml");
    let third = r#"<particle m="1" px="5" py="0" vx="0" vy="0" fixed="1"/></scene>"#;
    fs::write(&more, SCENE.replace("</scene>", third)).unwrap();
    for (scene, file, part) in [
        (name(&scene), &short, "ends at frame 25; the scene has frames 0 to 25"),
        (name(&scene), &kind, "kind 9; expected 0, 1 or 2"),
        (name(&scene), &missing, "cannot read"),
        (name(&scene), &folder, "cannot read"),
        (name(&more), &file, "is it a trajectory of this scene"),
        ("stack", &file, "stack is no particle scene"),
        ("cradle_3d", &file, "cradle_3d is no particle scene"),
    ] {
        let (code, out, err) = ran(&["view", scene, "--compare", name(file)]);
        assert_eq!((code, out.as_str()), (2, ""), "{scene} {}: {err}", file.display());
        assert!(err.starts_with("error: ") && err.contains(part), "{scene} {}: {err}", file.display());
    }
}

#[test]
fn help_tells_of_particle_scenes() {
    for (args, part) in [
        (&["--help"][..], "compare"),
        (&["run", "--help"], ".xml"),
        (&["check", "--help"], ".xml"),
        (&["compare", "--help"], "FILE.bin"),
        (&["compare", "--help"], "--residuals"),
        (&["view", "--help"], "--compare"),
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

/// A scene that is built in, or the end of a run, as XML: the same run goes on from there.
#[test]
fn writes_scenes() {
    let (folder, scene) = with_scene("xml");
    let file = folder.join("cloth.xml");
    let (code, out, err) = ran(&["run", "cloth", "--steps", "0", "--out", name(&file)]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with("wrote ") && out.contains("particles"), "{out}");
    let hash = |scene: &str| {
        let (_, out, _) = ran(&["run", scene, "--steps", "50", "--hash"]);
        out.lines().find(|line| line.starts_with("hash ")).unwrap().to_owned()
    };
    assert_eq!(hash(name(&file)), hash("cloth"));
    // The file that is read may be the one that is written.
    for _ in 0..2 {
        assert_eq!(ran(&["run", name(&scene), "--steps", "3", "--out", name(&scene)]).0, 0);
    }
    let (_, out, _) = ran(&["run", name(&scene), "--steps", "4", "--hash"]);
    let (folder, unchanged) = with_scene("xml_straight");
    let (_, straight, _) = ran(&["run", name(&unchanged), "--steps", "10", "--hash"]);
    let position = |out: &str| {
        out.lines().find(|line| line.contains("kinetic energy")).unwrap().split(',').next().unwrap().to_owned()
    };
    assert_eq!(position(&out), position(&straight));
    let (code, _, err) = ran(&["run", name(&unchanged), "--every", "2", "--out", name(&folder.join("x.xml"))]);
    assert!(code == 2 && err.contains("--every is for CSV"), "{err}");
}

/// Two particles on a spring start in one place: a warning and exit code 1, and finite numbers in what is written.
#[test]
fn particles_out_of_range_are_told() {
    let folder = empty_folder("frozen");
    let ball = r#"<particle m="1" px="0" py="0" vx="0" vy="0" fixed="0" radius="0.1"/>"#;
    let scene = format!(
        r#"<scene><duration time="1"/><integrator type="explicit-euler" dt="0.1"/>{ball}{ball}
        <edge i="0" j="1"/><springforce edge="0" k="1" l0="1" b="0"/></scene>"#
    );
    let (path, table) = (folder.join("nan.xml"), folder.join("nan.csv"));
    std::fs::write(&path, scene).unwrap();
    let (code, _, err) = ran(&["run", name(&path), "--out", name(&table)]);
    assert_eq!(code, 1, "{err}");
    assert!(err.starts_with("error: 2 of the particles left the range of numbers"), "{err}");
    let text = std::fs::read_to_string(&table).unwrap();
    assert!(text.lines().count() == 23 && !text.to_lowercase().contains("nan"), "{text}");
}
