//! Every built-in scene in space, run to its end and held to what it promises.

use carom_scenes::{Entry, OpenError, Run, SolidScene, entries, find_entry, is_scene_file, open_bytes};
use std::time::Instant;

fn scenes() -> impl Iterator<Item = &'static SolidScene> {
    entries().filter_map(|entry| match entry {
        Entry::Solid(scene) => Some(scene),
        _ => None,
    })
}

#[test]
fn scenes_keep_their_promises() {
    for scene in scenes() {
        let mut run = scene.build();
        let start = Instant::now();
        for _ in 0..run.about().steps {
            run.step();
        }
        let per_step_ms = 1e3 * start.elapsed().as_secs_f64() / f64::from(run.about().steps);
        println!("{:16} {:5} bodies {per_step_ms:8.3} ms/step", scene.name, run.scene.world.body_count());
        run.check().unwrap_or_else(|unmet| panic!("{}: {unmet}", scene.name));
    }
}

#[test]
fn scenes_are_well_formed() {
    let names: Vec<&str> = entries().map(Entry::name).collect();
    for scene in scenes() {
        assert_eq!(names.iter().filter(|&&name| name == scene.name).count(), 1, "{}", scene.name);
        assert!(scene.summary.len() <= 100 && !scene.summary.contains('\n'), "{}", scene.name);
        assert_eq!(find_entry(scene.name).unwrap().group().name(), "solid");
        let run = scene.build();
        let seconds = run.about().seconds(run.about().steps);
        assert!((8.0..=12.0).contains(&seconds), "{} lasts {seconds} s", scene.name);
        let own = &run.scene;
        assert_eq!(own.bodies().count(), own.spheres.len() + own.solids.len(), "{}", scene.name);
        assert!(own.spheres.iter().all(|sphere| sphere.surface < own.surfaces.len()), "{}", scene.name);
        assert!(own.solids.iter().all(|solid| solid.surface < own.surfaces.len()), "{}", scene.name);
        assert!(run.check().is_err() || scene.name == "cradle_3d", "{} promises nothing", scene.name);
    }
}

#[test]
fn a_clone_goes_on_like_the_original() {
    for scene in scenes() {
        let mut run = Run::Solid(Box::new(scene.build()));
        for _ in 0..100 {
            run.step();
        }
        let mut copy = run.clone();
        for _ in 0..100 {
            run.step();
            copy.step();
        }
        assert_eq!(run.state_hash(), copy.state_hash(), "{}", scene.name);
        assert_eq!(run.step_index(), 200);
    }
}

const FALLING: &str = r#"<scene>
    <camera>
        <fov v=".785"/> <near_clip v=".01"/> <far_clip v="200"/>
        <position x="0" y="0" z="9"/> <orientation a="0" x="0" y="1" z="0"/>
    </camera>
    <background_color r="0" g="0" b="0"/> <refractive_index v="1"/>
    <gravity x="0" y="-9.8" z="0"/>
    <material name="red"><diffuse r="1" g="0" b="0"/></material>
    <sphere material="red">
        <position x="0" y="5" z="0"/> <radius v="1"/>
        <body><id i="1"/><mass v="1"/></body>
    </sphere>
</scene>"#;

#[test]
fn scene_files_are_opened_by_their_ending() {
    assert!(is_scene_file("a/b.scene") && is_scene_file("B.SCENE") && !is_scene_file("scene"));
    let mut run = open_bytes("some/ball.scene", FALLING.as_bytes()).unwrap();
    assert_eq!((run.about().name.as_ref(), run.about().summary.as_ref()), ("ball", "1 sphere"));
    assert_eq!((run.about().steps, run.about().dt), (12_000, 1.0 / 600.0));
    for _ in 0..600 {
        run.step();
    }
    assert_eq!(run.time(), 1.0);
    let solid = run.as_solid().unwrap();
    let ball = solid.scene.bodies().next().unwrap();
    assert!((solid.scene.world.body(ball).position().y - 0.1).abs() < 1.0e-9);
    assert!(run.as_rigid().is_none());

    let broken = FALLING.replace("<radius v=\"1\"/>", "<radius v=\"one\"/>");
    let Err(OpenError::Scene(error)) = open_bytes("x.scene", broken.as_bytes()) else { panic!("it is broken") };
    assert_eq!((error.line, error.place.as_str()), (10, "<radius> attribute \"v\""), "{error}");
}

#[test]
fn another_step_gives_as_many_seconds() {
    let run = find_entry("pool_break").unwrap().build().unwrap();
    let Run::Solid(run) = run else { panic!("pool_break is in space") };
    let seconds = run.about().seconds(run.about().steps);
    let run = run.with_dt(1.0 / 60.0);
    assert_eq!((run.about().dt, run.about().seconds(run.about().steps)), (1.0 / 60.0, seconds));
    assert!(run.built_in().is_some());
}
