//! Scenes in space on the command line: run, check, draw.

mod shared;

use carom3d::{Integrator, Scene, SceneOptions, SpinFrame, WorldDef, write_csv};
use shared::{empty_folder, name, ran};
use std::fs;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

/// Two balls: one falls onto a plane and bounces, one hangs on a spring and spins. The texture is not there.
const SCENE: &str = r#"<scene>
  <camera>
    <fov v=".785"/> <near_clip v=".01"/> <far_clip v="200"/>
    <position x="0" y="2" z="12"/> <orientation a="0" x="0" y="1" z="0"/>
  </camera>
  <background_color r=".4" g=".4" b=".4"/> <refractive_index v="1"/>
  <gravity x="0" y="-9.8" z="0"/>
  <material name="ball" texture="images/none.png"><diffuse r=".8" g=".2" b=".2"/></material>
  <sphere material="ball"><position x="-2" y="3" z="0"/><radius v="1"/><body><id i="1"/><mass v="1"/></body></sphere>
  <sphere material="ball">
    <position x="2" y="2" z="0"/><radius v="1"/>
    <body><id i="2"/><mass v="1"/><angular_velocity x="0" y="3" z="0"/></body>
  </sphere>
  <plane_body><id i="3"/><position x="0" y="0" z="0"/><normal x="0" y="1" z="0"/></plane_body>
  <spring>
    <constant v="100"/><equilibrium v="2"/><body1 i="2"/><body2 i="3"/><offset2 x="2" y="5" z="0"/>
  </spring>
</scene>
"#;

/// A fresh folder and the scene in it.
fn with_scene(test: &str) -> (PathBuf, PathBuf) {
    let folder = empty_folder(test);
    let scene = folder.join("balls.scene");
    fs::write(&scene, SCENE).unwrap();
    (folder, scene)
}

/// What the library itself writes.
fn table(scene: &Path, dt: f64, steps: u64, every: u64) -> String {
    let scene = Scene { dt, ..Scene::from_file(scene, SceneOptions::default()).unwrap() };
    let mut bytes = Vec::new();
    write_csv(&scene, steps, NonZeroU64::new(every).unwrap(), &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

#[test]
fn writes_the_table_of_the_library() {
    let (folder, scene) = with_scene("csv");
    let out = folder.join("balls.csv");
    let (code, said, _) = ran(&["run", name(&scene), "--out", name(&out), "--steps", "100", "--every", "30"]);
    assert_eq!((code, said), (0, format!("wrote {}\n", out.display())));
    let written = fs::read_to_string(&out).unwrap();
    assert_eq!(written.lines().next(), Some("time,body,px,py,pz,vx,vy,vz,qw,qx,qy,qz,wx,wy,wz"));
    assert_eq!(written.lines().count(), 1 + 2 * 5, "0, 30, 60, 90 and the last");
    assert_eq!(written, table(&scene, 1.0 / 600.0, 100, 30));

    let (code, said, _) = ran(&["run", name(&scene), "--out", "-", "--steps", "7", "--dt", "0.01"]);
    assert_eq!((code, said), (0, table(&scene, 0.01, 7, 1)));
}

/// All numbers of a table.
fn numbers(table: &str) -> Vec<f64> {
    table.lines().skip(1).flat_map(|line| line.split(',').map(|cell| cell.parse().unwrap())).collect()
}

#[test]
fn spin_frame_and_integrator_are_options() {
    let folder = empty_folder("options");
    let scene = folder.join("spinning.scene");
    let turned = r#"<orientation a="1" x="1" y="0.5" z="0"/><angular_velocity"#;
    fs::write(&scene, SCENE.replace("<angular_velocity", turned)).unwrap();
    let library = |integrator: Integrator, spin_frame: SpinFrame| {
        let options = SceneOptions { spin_frame, ..SceneOptions::default() };
        let mut scene = Scene::from_file(&scene, options).unwrap();
        scene.world.set_def(WorldDef { integrator, ..*scene.world.def() }).unwrap();
        let mut bytes = Vec::new();
        write_csv(&scene, 200, NonZeroU64::MIN, &mut bytes).unwrap();
        numbers(&String::from_utf8(bytes).unwrap())
    };
    let mut seen: Vec<Vec<f64>> = Vec::new();
    for integrator in Integrator::ALL {
        for (frame, word) in [(SpinFrame::World, "world"), (SpinFrame::Body, "body")] {
            let kind = integrator.short_name();
            let options = ["--steps", "200", "--out", "-", "--integrator", kind, "--spin-frame", word];
            let args: Vec<&str> = ["run", name(&scene)].into_iter().chain(options).collect();
            let (code, said, _) = ran(&args);
            let (found, expected) = (numbers(&said), library(integrator, frame));
            assert_eq!((code, found.len()), (0, expected.len()), "{kind} {word}");
            let off = found
                .iter()
                .zip(&expected)
                .map(|(a, b)| (a - b).abs())
                .fold(0.0_f64, |worst, off| if off > worst { off } else { worst });
            assert!(off < 1.0e-9, "{kind} {word}: {off}");
            assert!(!seen.contains(&found), "{kind} {word} is like another");
            seen.push(found);
        }
    }
    for (args, expected) in [
        (["run", "stack", "--integrator", "rk4"], "--integrator is for scenes in space"),
        (["run", "cloth", "--spin-frame", "body"], "--spin-frame is for scenes in space"),
    ] {
        let (code, _, error) = ran(&args);
        assert!(code == 2 && error.contains(expected), "{error}");
    }
}

#[test]
fn the_reference_scenes_are_as_in_the_library() {
    let named = std::env::var_os("CAROM_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared"));
    let Some(shared) = named.into_iter().chain(beside).find(|folder| folder.join("p5/scenes").is_dir()) else {
        eprintln!("SKIPPED: no shared folder; set CAROM_SHARED to the one that holds p5/");
        return;
    };
    let scenes =
        ["collision", "collision_stress", "damping_test", "newtons_cradle", "pool", "rotation_test", "spring_rotation"];
    for scene in scenes {
        let path = shared.join(format!("p5/scenes/{scene}.scene"));
        let (code, out, err) = ran(&["run", name(&path), "--out", "-", "--steps", "300", "--every", "50"]);
        assert_eq!(code, 0, "{err}");
        assert!(out == table(&path, 1.0 / 600.0, 300, 50), "{scene} differs");
        let (code, out, _) = ran(&["check", name(&path)]);
        assert!(code == 0 && out.contains("valid (spheres "), "{out}");
    }
}

#[test]
fn sums_up_a_run_and_tells_what_is_missing_once() {
    let (_, scene) = with_scene("summary");
    let (code, out, err) = ran(&["run", name(&scene), "--seconds", "1", "--hash"]);
    assert_eq!(code, 0);
    for part in ["balls: 2 spheres, 1 plane, 1 spring", "600 (1.00 s simulated)", "springs               1", "hash 0x"]
    {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
    assert_eq!(err.matches("none.png").count(), 1, "{err}");
    assert!(err.starts_with("note: balls:"), "{err}");
    let hash = |more: &[&str]| ran(&[&["run", name(&scene), "--steps", "50", "--hash"], more].concat()).1;
    let last = |text: String| text.lines().last().unwrap().to_owned();
    assert_eq!(last(hash(&[])), last(hash(&[])));
    assert_ne!(last(hash(&[])), last(hash(&["--dt", "0.002"])));
    assert_eq!(last(hash(&[])), last(hash(&["--threads", "3"])));
    let (_, profile, _) = ran(&["run", name(&scene), "--steps", "5", "--profile"]);
    assert!(profile.contains("ms/step"), "{profile}");
}

/// Explicit Euler lets stiff springs gain energy until nothing is left to compute with: the summary says what became of the
/// balls.
#[test]
fn frozen_bodies_are_told() {
    let (code, out, _) = ran(&["run", "cradle_3d", "--seconds", "0.2", "--integrator", "euler"]);
    assert!(code == 0 && out.contains("frozen                5 bodies"), "{out}");
    let (_, out, _) = ran(&["run", "cradle_3d", "--seconds", "0.2"]);
    assert!(!out.contains("frozen"), "{out}");
}

#[test]
fn built_in_scenes_run_too() {
    let (code, out, err) = ran(&["run", "cradle_3d", "--seconds", "0.5"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("cradle_3d: Newton's cradle") && out.contains("300 (0.50 s simulated)"), "{out}");
    let (_, list, _) = ran(&["scenes"]);
    assert!(list.lines().any(|line| line.starts_with("ball_pit") && line.contains("solid")), "{list}");
}

#[test]
fn threads_share_the_work_and_change_nothing() {
    let rows = |threads: &str| {
        let (code, out, err) =
            ran(&["run", "ball_pit", "--steps", "60", "--every", "20", "--out", "-", "--threads", threads]);
        assert_eq!(code, 0, "{err}");
        out
    };
    let alone = rows("1");
    assert!(alone.lines().count() > 100, "{alone}");
    assert!(alone == rows("2") && alone == rows("5"));
}

#[test]
fn draws_pictures_and_movies() {
    let (folder, scene) = with_scene("pictures");
    for (file, start, frames) in
        [("a.png", &b"\x89PNG"[..], None), ("a.gif", b"GIF89a", Some(15)), ("a.mp4", b"", Some(15))]
    {
        let path = folder.join(file);
        let mut args = vec!["run", name(&scene), "--seconds", "0.5", "--out", name(&path), "--size", "64x48"];
        if frames.is_some() {
            args.extend(["--fps", "30"]);
        }
        let (code, out, _) = ran(&args);
        assert_eq!(code, 0, "{out}");
        assert!(fs::read(&path).unwrap().starts_with(start), "{file}");
        if let Some(frames) = frames {
            assert!(out.contains(&format!("{frames} frames of 64x48")), "{out}");
        }
    }
    let frames = folder.join("frames").join("");
    let (code, _, _) =
        ran(&["run", name(&scene), "--seconds", "0.2", "--out", name(&frames), "--fps", "20", "--size", "64x48"]);
    assert_eq!((code, fs::read_dir(&frames).unwrap().count()), (0, 4));
}

#[test]
fn a_broken_file_is_told_by_line_and_column() {
    let (folder, _) = with_scene("broken");
    let path = folder.join("broken.scene");
    for (text, place) in [
        (SCENE.replace("<mass v=\"1\"/></body></sphere>", "<mass v=\"heavy\"/></body></sphere>"), ":9:"),
        (SCENE.replace("<body2 i=\"3\"/>", "<body2 i=\"99\"/>"), ":"),
        (SCENE.replace("</scene>", ""), ":"),
        (String::new(), ":1:1"),
    ] {
        fs::write(&path, &text).unwrap();
        for command in ["check", "run"] {
            let (code, out, err) = ran(&[command, name(&path)]);
            assert_eq!((code, out.as_str()), (2, ""), "{err}");
            let rest = err.strip_prefix(&format!("error: {}", path.display())).unwrap_or_else(|| panic!("{err}"));
            assert!(rest.starts_with(place), "{err}");
            let numbers: Vec<&str> = rest.split(':').skip(1).take(2).collect();
            assert!(numbers.iter().all(|number| number.parse::<u32>().is_ok()), "line and column: {err}");
        }
    }
}

#[test]
fn refuses_what_does_not_belong_together() {
    let (_, scene) = with_scene("usage");
    let scene = name(&scene);
    for (args, part) in [
        (&["run", scene, "--gravity", "0,1"][..], "--gravity is for scenes in the plane"),
        (&["run", scene, "--dt", "0"], "expected a number of seconds"),
        (&["run", scene, "--threads", "65"], "65 is not in 1..=64"),
        (&["run", "cloth", "--threads", "2"], "--threads is for scenes of rigid bodies"),
        (&["run", scene, "--out", "x.json"], ".png, .gif, .mp4 or .csv"),
        (&["run", scene, "--out", "x.png", "--overlay", "ids"], "--overlay is for scenes in the plane"),
        (&["run", "stack", "--dt", "0.01"], "--dt is for scenes in space"),
        (&["run", "cloth", "--dt", "0.01"], "--dt is for scenes in space"),
        (&["check", "no/such.scene"], "cannot read"),
    ] {
        let (code, _, err) = ran(args);
        assert!(code == 2 && err.contains(part), "{args:?}: {err}");
    }
}
