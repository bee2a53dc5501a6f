//! How a file is understood: numbers, defaults, endings.

use super::texts::scene;
use super::{file_of_repository, read, refused};
use carom_scenes::file;
use carom_scenes::{OpenError, Run, open, open_bytes};
use carom2d::prelude::*;
use std::path::PathBuf;

#[test]
fn numbers_are_read_to_the_nearest() {
    let positions = |text: &str| {
        let run = read(&scene("", &format!(r#"{{"kind": "fixed", "position": [{text}, 0]}}"#)));
        run.world.body(run.world.bodies().next().unwrap()).position().x
    };
    // Halfway between two neighbours in f32, and a little above: rounding by way of f64 would lose the latter.
    assert_eq!(positions("1.000000059604644775390625").to_bits(), 1.0f32.to_bits());
    assert_eq!(positions("1.00000005960464477539062500000000000001").to_bits(), 1.0f32.to_bits() + 1);
    assert_eq!(positions("-0").to_bits(), (-0.0f32).to_bits());
    assert_eq!(positions("1E+2"), 100.0);
    assert_eq!(positions("1e-400"), 0.0);
}

#[test]
fn steps_of_a_sixtieth_are_exact() {
    let dt = |text: &str| read(&scene(&format!("\"dt\": {text},"), "")).about().dt;
    assert_eq!(dt("\"1/60\"").to_bits(), (1.0f64 / 60.0).to_bits());
    assert_eq!(dt("0.016666666666666666").to_bits(), (1.0f64 / 60.0).to_bits());
    assert_eq!(dt("0.02").to_bits(), 0.02f64.to_bits());
    let run = read(&scene("\"dt\": \"1/240\",", ""));
    assert_eq!((run.dt(), run.world.def().fixed_step_s), (1.0 / 240.0, 1.0 / 240.0));
    assert!(file::write(&run).contains("\"dt\": \"1/240\""));
}

#[test]
fn what_is_left_out_has_its_default() {
    let run = file::read("some/folder/little.json", scene("", r#"{"kind": "dynamic"}"#).as_bytes()).unwrap();
    assert_eq!((run.about().name.as_ref(), run.about().summary.as_ref(), run.about().steps), ("little", "", 600));
    assert_eq!(*run.world.def(), WorldDef::default());
    assert_eq!(run.world.body(run.world.bodies().next().unwrap()).def(), BodyDef::default());
    let run = read(&scene("", r#"{"kind": "fixed", "shapes": [{"kind": "circle", "radius": 2, "center": [3, 0]}]}"#));
    let camera = run.about().camera;
    assert!(camera.center == vec2(3.0, 0.0) && camera.half_height > 2.0, "all is in view: {camera:?}");
    let shape = run.world.shape(run.world.shapes().next().unwrap()).def();
    assert_eq!(ShapeDef { outline: shape.outline.clone(), ..ShapeDef::circle(1.0) }, shape);
}

#[test]
fn a_mark_at_the_start_is_ignored() {
    let text = format!("\u{FEFF}{}", scene("", ""));
    read(&text);
    let error = refused("\u{FEFF}\n {".as_bytes());
    assert_eq!((error.line, error.column), (2, 3));
}

#[test]
fn opens_files_by_their_ending() {
    const XML: &[u8] = br#"<scene><description text="one&#10;ball"/><duration time="0.1"/>
        <integrator type="explicit-euler" dt="0.01"/>
        <particle m="1" px="0" py="0" vx="0" vy="0" fixed="0" radius="0.1"/></scene>"#;
    let run = open_bytes("a/ball.XML", XML).unwrap();
    assert!(matches!(&run, Run::Particles(run) if run.scene.system.particle_count() == 1));
    assert_eq!((run.about().name.as_ref(), run.about().summary.as_ref()), ("ball", "one ball"));
    let run = open_bytes("some.Json", scene("", "").as_bytes()).unwrap();
    assert!(run.as_rigid().is_some() && run.about().name == "some");
    assert!(matches!(open_bytes("x.json", XML), Err(OpenError::Scene(_))));
    assert!(matches!(open_bytes("x.xml", b"{}"), Err(OpenError::Scene(_))));
    for name in ["stack", "x.txt", "json", ".json", "", "x.json.gz"] {
        assert!(!carom_scenes::is_scene_file(name), "{name}");
        assert!(matches!(open_bytes(name, b""), Err(OpenError::Ending(_))), "{name}");
    }
    assert!(carom_scenes::is_scene_file("a/b.json") && carom_scenes::is_scene_file("B.XML"));

    let missing = file_of_repository("scenes/no_such_scene.json");
    let Err(error @ OpenError::Read { .. }) = open(&missing) else { panic!("there is no such file") };
    assert!(error.to_string().contains("no_such_scene.json"), "{error}");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("folder.json");
    std::fs::create_dir_all(&folder).unwrap();
    assert!(matches!(open(&folder), Err(OpenError::Read { .. })));
}
