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

/// Every option by its long name; `--` ends the options, and the values are those of the original.
#[test]
fn long_names_mean_the_same() {
    let folder = with_scene("long");
    for place in ["pngs", "movie"] {
        fs::create_dir(folder.join(place)).unwrap();
    }
    let run = &["--scene", "ball.xml", "--paused", "0", "--display", "0"];
    let write = &["--generate", "1", "--outputfile", "long.bin", "--moviedir", "movie", "--"];
    let (code, _, err) = fosssim(&folder, &[&run[..], write].concat());
    assert_eq!((code, err.as_str()), (0, ""));
    let (code, ..) = fosssim(&folder, &["-s", "ball.xml", "-p", "1", "-d", "0", "-g", "0", "-o", "short.bin"]);
    assert_eq!(code, 0);
    assert_eq!(fs::read(folder.join("long.bin")).unwrap(), fs::read(folder.join("short.bin")).unwrap());
    for place in ["pngs", "movie"] {
        assert_eq!(fs::read_dir(folder.join(place)).unwrap().count(), 25, "{place}");
    }
    let (code, out, _) = fosssim(&folder, &["--scene=ball.xml", "--display=0", "--inputfile=long.bin"]);
    assert!(code == 0 && out.contains("Overall success: Passed."), "{out}");
    let (code, out, _) = fosssim(&folder, &["--version"]);
    assert!(code == 0 && out.contains(env!("CARGO_PKG_VERSION")), "{out}");
    let (code, out, _) = fosssim(&folder, &["--help"]);
    assert_eq!(code, 0);
    for name in ["scene", "paused", "display", "generate", "outputfile", "inputfile", "moviedir", "help", "version"] {
        assert!(out.contains(&format!("--{name}")), "no --{name} in:\n{out}");
    }
}

/// A trajectory that is graded is drawn as it is, with what is wrong with it, in the pictures that are asked for.
#[test]
fn draws_what_it_grades() {
    let folder = with_scene("draws");
    let svg_of = |args: &[&str]| {
        fs::create_dir_all(folder.join("movie")).unwrap();
        let (code, out, err) = fosssim(&folder, &[&["-s", "ball.xml", "-d", "0", "-m", "movie"], args].concat());
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(out.lines().any(|line| line == "-".repeat(50)), "{out}");
        let text = |step: u32| fs::read_to_string(folder.join(format!("movie/frame{step:020}.svg"))).unwrap();
        let pictures: Vec<String> = (1..=25).map(text).collect();
        fs::remove_dir_all(folder.join("movie")).unwrap();
        pictures
    };
    let simulated = svg_of(&["-o", "out.bin"]);
    assert_eq!(svg_of(&["-i", "out.bin"]), simulated, "nothing is wrong, so nothing is marked");
    // The first ball is 0.2 m aside in the fourth frame: wrong in step 3, and step 4, which starts there, goes wrong too.
    let mut bytes = fs::read(folder.join("out.bin")).unwrap();
    let at = 8 * 8 + 2 * (8 * 8 + 4);
    let at = at + 4;
    let x = f64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    bytes[at..at + 8].copy_from_slice(&(x + 0.2).to_le_bytes());
    fs::write(folder.join("wrong.bin"), &bytes).unwrap();
    fs::create_dir(folder.join("pngs")).unwrap();
    let graded = svg_of(&["-i", "wrong.bin", "-g", "1"]);
    let circles = |picture: &String| picture.matches("<circle").count();
    let rings: Vec<usize> = graded.iter().zip(&simulated).map(|(a, b)| circles(a) - circles(b)).collect();
    // Two outlines for each ring: a rim, and the ring.
    assert!(rings[2] > 0 && rings[3] > 0, "{rings:?}");
    assert!(rings.iter().enumerate().all(|(i, &rings)| rings == 0 || [2, 3].contains(&i)), "{rings:?}");
    assert_eq!(fs::read_dir(folder.join("pngs")).unwrap().count(), 25);
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

/// The folder with scenes, pictures and verdicts of the original, if it is there.
fn reference_data() -> Option<PathBuf> {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let data = std::env::var_os("CAROM_SHARED").map_or_else(beside, PathBuf::from).join("fosssim");
    if !data.is_dir() {
        eprintln!("SKIPPED: no shared folder; set CAROM_SHARED to the one that holds fosssim/");
        return None;
    }
    Some(data.canonicalize().unwrap())
}

/// The original's verdicts on trajectories with planted errors.
#[test]
fn grades_as_the_original_does() {
    let Some(data) = reference_data() else { return };
    let cases = data.join("compare_cases");
    let verdicts = fs::read_to_string(cases.join("verdicts.csv")).unwrap();
    let scene = data.join("scenes/T2M1/CORTests/test00.xml");
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

/// The colours of a PNG, row by row.
fn pixels(path: &Path) -> Vec<[u8; 3]> {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", name(path))));
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((frame.width as usize, frame.height as usize), (SIDE, SIDE), "{}", name(path));
    let channels = frame.color_type.samples();
    bytes.chunks_exact(channels).map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
}

const SIDE: usize = 512;

/// The pixels up to two away from one, itself among them.
fn around(at: usize) -> impl Iterator<Item = usize> {
    let near = |middle: usize| middle.saturating_sub(2)..(middle + 3).min(SIDE);
    let (x, y) = (at % SIDE, at / SIDE);
    near(y).flat_map(move |y| near(x).map(move |x| y * SIDE + x))
}

/// The pictures of the original, by their names: where one has a single colour around a pixel, ours has that colour there.
/// Edges may differ, which are smooth here, and the letters of the time.
#[test]
fn pictures_are_those_of_the_original() {
    let Some(data) = reference_data() else { return };
    for (prefix, scene, frames) in [
        ("T1M1_SimpleGravity_test03", "T1M1/SimpleGravityTests/test03explicit", &[1, 50, 400][..]),
        ("T1M1_helloworld", "T1M1/StarterTests/helloworld", &[1, 2]),
        ("T2M1_COR_test00", "T2M1/CORTests/test00", &[1, 68, 96]),
        ("T2M1_COR_test03", "T2M1/CORTests/test03", &[1, 50, 500]),
        ("T2M1_Halfplane_test00", "T2M1/HalfplaneTests/test00", &[1, 100]),
        ("T2M1_VertexEdge_test03", "T2M1/VertexEdgeTests/test03", &[1, 200]),
    ] {
        let folder = empty_folder(&format!("pictures_{prefix}"));
        fs::create_dir(folder.join("pngs")).unwrap();
        let scene = data.join(format!("scenes/{scene}.xml"));
        let (code, _, err) = fosssim(&folder, &["-s", name(&scene), "-d", "0", "-g", "1"]);
        assert_eq!((code, err.as_str()), (0, ""));
        for frame in frames {
            let theirs = pixels(&data.join(format!("frames/{prefix}_frame{frame:05}.png")));
            let ours = pixels(&folder.join(format!("pngs/frame{frame:05}.png")));
            let mut compared = 0;
            for (at, &color) in theirs.iter().enumerate() {
                let is_text = at % SIDE < 80 && at / SIDE < 26;
                if !is_text && around(at).all(|other| theirs[other] == color) {
                    compared += 1;
                    let is_same = ours[at].iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 2);
                    let place = (at % SIDE, at / SIDE);
                    assert!(is_same, "{prefix}, frame {frame}: {:?} instead of {color:?} at {place:?}", ours[at]);
                }
            }
            assert!(compared > SIDE * SIDE * 9 / 10, "{prefix}, frame {frame}: {compared} pixels");
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}

/// What the original marks in the pictures of trajectories with planted errors is marked here, in the same pictures, at the
/// same places and in the same colours; nothing is in the others.
#[test]
fn marks_are_those_of_the_original() {
    let Some(data) = reference_data() else { return };
    let scene = data.join("scenes/T2M1/CORTests/test00.xml");
    let is_red = |[r, g, b]: [u8; 3]| r > 180 && g < 60 && b < 90;
    let is_green = |[r, g, b]: [u8; 3]| g > 140 && r < 60 && b < 90;
    for (prefix, case, frames) in [
        ("missed", "missed", &[67, 68, 69][..]),
        ("superfluous", "superfluous", &[10, 11, 12]),
        ("wrongn", "n_off_1e-3", &[68]),
        ("poserr", "x_off_1e-09_at_step5", &[5, 6, 7]),
    ] {
        let folder = empty_folder(&format!("marks_{prefix}"));
        fs::create_dir(folder.join("pngs")).unwrap();
        let file = data.join(format!("compare_cases/{case}.bin"));
        let (code, _, err) = fosssim(&folder, &["-s", name(&scene), "-d", "0", "-g", "1", "-i", name(&file)]);
        assert_eq!((code, err.as_str()), (0, ""));
        for frame in frames {
            let theirs = pixels(&data.join(format!("frames/cmp_{prefix}_frame{frame:05}.png")));
            let ours = pixels(&folder.join(format!("pngs/frame{frame:05}.png")));
            for (color, has) in [("red", &is_red as &dyn Fn([u8; 3]) -> bool), ("green", &is_green)] {
                let count = |picture: &[[u8; 3]]| picture.iter().filter(|&&pixel| has(pixel)).count();
                let [marked, found] = [count(&theirs), count(&ours)];
                let what = format!("{case}, frame {frame}: {found} {color} pixels, {marked} in the original");
                // Of a right and a wrong vector in one place the original shows the one that it draws last.
                assert_eq!(marked > 0 || case == "n_off_1e-3", found > 0, "{what}");
                let is_missing = |at: &usize| has(theirs[*at]) && !around(*at).any(|other| has(ours[other]));
                assert_eq!((0..theirs.len()).find(is_missing), None, "{what}");
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }
}
