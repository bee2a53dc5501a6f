//! Scenes of particles and in space, as a person uses them.

use super::*;
use crate::hands::Picked;
use carom_render::Overlay;
use carom_scenes::{ParticleRun, PoolGame, SolidRun};
use carom3d::math::{DVec3, dvec3};
use carom3d::{Integrator, SpinFrame};

type TestApp = Harness<'static, Option<App>>;

fn solid(harness: &TestApp) -> &SolidRun {
    app(harness).session.run().as_solid().unwrap()
}

fn particles(harness: &TestApp) -> &ParticleRun {
    app(harness).session.run().as_particles().unwrap()
}

fn orbit(harness: &TestApp) -> carom_render::Orbit {
    app(harness).stage.last().unwrap().1.orbit.unwrap()
}

/// Where a point in space is in the window.
fn seen(harness: &TestApp, point: DVec3) -> Pos2 {
    on_screen(harness, orbit(harness).project(point).unwrap())
}

fn place_of(harness: &TestApp, particle: usize) -> Vec2 {
    let place = particles(harness).scene.system.positions()[particle];
    vec2(place.x as f32, place.y as f32)
}

/// Goes back and plays again: the same bits must come out.
fn assert_replays(harness: &mut TestApp) {
    let (step, hash) = (app(harness).session.step_index(), app(harness).session.run().state_hash());
    app_mut(harness).session.jump(step.saturating_sub(40));
    app_mut(harness).session.jump(step);
    assert_eq!(app(harness).session.run().state_hash(), hash, "the past is as it was");
}

#[test]
fn a_particle_is_pulled_thrown_put_and_inspected() {
    let mut harness = harness("cloth");
    click(&mut harness, "Pause");
    let free = (0..particles(&harness).scene.system.particle_count())
        .rev()
        .find(|&index| crate::hands::is_free(app(&harness).session.run(), index))
        .unwrap();
    let start = place_of(&harness, free);
    let at = on_screen(&harness, start);
    // Paused, it is put where the hand goes.
    drag(&mut harness, at, at + egui::vec2(30.0, 0.0), 5);
    let put = place_of(&harness, free);
    assert!(put.x > start.x && (put.y - start.y).abs() < 0.1 * (put.x - start.x), "{start} to {put}");
    let from = place_of(&harness, free);
    let at = on_screen(&harness, from);
    press(&mut harness, at, true);
    harness.key_press(Key::Space);
    assert!(matches!(app(&harness).session.pull(), Some(Pull::Particle(hold)) if hold.body == free));
    for i in 1..=20 {
        harness.event(Event::PointerMoved(at + egui::vec2(4.0 * i as f32, -4.0 * i as f32)));
        harness.run_steps(1);
    }
    let pulled = place_of(&harness, free);
    let Some(Pull::Particle(hold)) = app(&harness).session.pull() else { panic!("it is held") };
    let hand = hold.target;
    // The springs of the cloth hold it back.
    assert!((pulled - hand).length() < 0.5 * (from - hand).length(), "from {from} to {pulled}, hand at {hand}");
    press(&mut harness, at + egui::vec2(80.0, -80.0), false);
    assert!(app(&harness).session.pull().is_none());
    let velocity = particles(&harness).scene.system.velocities()[free];
    assert!(velocity.length() > 0.2, "and flies: {velocity}");
    harness.run_steps(10);
    harness.key_press(Key::Space);
    harness.run_steps(1);
    assert_replays(&mut harness);

    let at = on_screen(&harness, place_of(&harness, free));
    click_at(&mut harness, at);
    assert_eq!(app(&harness).stage.picked, Some(Picked::Particle(free)));
    assert_eq!(app(&harness).settings.panel, Some(Panel::Body));
    harness.run_steps(2);
    assert!(harness.query_by_label(&format!("Particle {free}")).is_some());
    harness.key_press(Key::Escape);
    harness.run_steps(1);
    assert_eq!(app(&harness).stage.picked, None);
}

#[test]
fn a_fixed_particle_stays_and_the_view_moves() {
    let mut harness = harness("cloth");
    click(&mut harness, "Pause");
    let count = particles(&harness).scene.system.particle_count();
    let fixed = (0..count).find(|&index| !crate::hands::is_free(app(&harness).session.run(), index)).unwrap();
    let start = place_of(&harness, fixed);
    let at = on_screen(&harness, start);
    drag(&mut harness, at, at + egui::vec2(40.0, 0.0), 5);
    assert_eq!(place_of(&harness, fixed), start);
    assert!((on_screen(&harness, start) - at).length() > 20.0, "the picture moved instead");
}

#[test]
fn tools_and_dials_of_the_plane_are_not_shown_elsewhere() {
    for scene in ["cloth", "cradle_3d"] {
        let mut harness = harness(scene);
        for name in ["Circle", "Box", "Polygon", "Erase", "Explode", "gravity"] {
            assert!(harness.query_by_label(name).is_none(), "{scene}: {name}");
        }
        for key in [Key::C, Key::B, Key::P, Key::X] {
            harness.key_press(key);
            harness.run_steps(1);
            assert_eq!(app(&harness).stage.tool, Tool::Hand, "{scene}: {key:?}");
        }
    }
    let harness = harness("falling_bricks");
    assert!(harness.query_by_label("Circle").is_some() && harness.query_by_label("gravity").is_some());
}

/// Overlays that were switched on with bodies stay on with particles, where some of them show something: those have their keys
/// there too. The others, and all in space, are not offered.
#[test]
fn overlays_are_offered_where_they_show_something() {
    for scene in ["cloth", "cradle_3d"] {
        let mut harness = harness(scene);
        let is_plane = scene == "cloth";
        for overlay in Overlay::ALL {
            let is_there = is_plane && overlay.is_for_particles();
            assert_eq!(app(&harness).has_overlay(overlay), is_there, "{scene}: {}", overlay.name());
        }
        app_mut(&mut harness).settings.show(Overlay::Contacts, true);
        for (key, overlay) in
            [(Key::Num1, Overlay::Contacts), (Key::Num3, Overlay::Impulses), (Key::Num9, Overlay::Velocity)]
        {
            let before = app(&harness).settings.shows(overlay);
            harness.key_press(key);
            harness.run_steps(1);
            let changed = app(&harness).settings.shows(overlay) != before;
            assert_eq!(changed, is_plane && overlay.is_for_particles(), "{scene}: {key:?}");
        }
    }
}

#[test]
fn a_ball_in_space_is_put_inspected_and_set() {
    let mut harness = harness("cradle_3d");
    click(&mut harness, "Pause");
    let ball = solid(&harness).scene.bodies().next().unwrap();
    let start = solid(&harness).scene.world.body(ball).position();
    let at = seen(&harness, start);
    drag(&mut harness, at, at + egui::vec2(0.0, -40.0), 6);
    let put = solid(&harness).scene.world.body(ball).position();
    assert!(put.y > start.y + 0.05, "paused, it is put: {start} to {put}");
    let at = seen(&harness, put);
    click_at(&mut harness, at);
    assert_eq!(app(&harness).stage.picked, Some(Picked::Body(ball)));
    harness.run_steps(2);
    assert!(harness.query_by_label("Body 0").is_some() && harness.query_by_label("angular_velocity").is_some());

    app_mut(&mut harness).settings.panel = Some(Panel::Console);
    harness.run_steps(2);
    for line in [
        "set body.0.velocity 1, -2, 0.5",
        "body.0.angular_velocity = 0 3 0",
        "set body.0.mass 2.5",
        "set body.0.restitution 0.25",
        "set world.gravity 0, -1.62, 0",
        "set world.integrator verlet",
        "set world.contact_modulus 1e9",
    ] {
        harness.get_by_label("console input").focus();
        harness.run_steps(1);
        harness.get_by_label("console input").type_text(line);
        harness.run_steps(1);
        harness.key_press(Key::Enter);
        harness.run_steps(2);
    }
    let world = &solid(&harness).scene.world;
    let body = world.body(ball);
    assert_eq!((body.velocity(), body.angular_velocity()), (dvec3(1.0, -2.0, 0.5), dvec3(0.0, 3.0, 0.0)));
    assert_eq!((body.mass(), body.material().restitution), (2.5, 0.25));
    assert_eq!(world.def().gravity, dvec3(0.0, -1.62, 0.0));
    assert_eq!((world.def().integrator, world.def().contact_modulus), (Integrator::VelocityVerlet, 1.0e9));
    let mut run = app(&harness).session.run().clone();
    let hash = run.state_hash();
    for (path, bad) in [
        ("body.0.velocity", "1, 2"),
        ("body.0.velocity", "1, 2, nan"),
        ("body.0.position", "1e300, 0, 0"),
        ("body.0.mass", "-1"),
        ("body.0.orientation", "0, 0, 0, 0"),
        ("body.0.radius", "2"),
        ("world.integrator", "magic"),
        ("world.rest_iterations", "0"),
    ] {
        assert!(crate::property::set(&mut run, path, bad).is_err(), "{path} {bad}");
    }
    assert_eq!(run.state_hash(), hash, "what is refused changes nothing");
}

/// A ball that is turned and spins: about which axes makes a difference.
const TURNED: &str = r#"<scene><camera><fov v=".785"/><near_clip v=".01"/><far_clip v="200"/><position x="0" y="0" z="9"/>
<orientation a="0" x="0" y="1" z="0"/></camera><background_color r="0" g="0" b="0"/><refractive_index v="1"/>
<material name="red"/><sphere material="red"><position x="0" y="0" z="0"/><radius v="1"/><orientation a="1" x="1" y="0.5"
z="0"/><body><id i="1"/><mass v="1"/><angular_velocity x="0" y="1.5" z="0"/></body></sphere></scene>"#;

#[test]
fn integrator_and_spin_are_chosen_in_the_panel() {
    let run = carom_scenes::open_bytes("turned.scene", TURNED.as_bytes()).unwrap();
    let mut harness = harness_from(Start { run, ..Start::scene("cradle_3d").unwrap() }, DESKTOP);
    app_mut(&mut harness).settings.panel = Some(Panel::World);
    harness.run_steps(2);
    let choose = |harness: &mut TestApp, combo: &str, choice: &str| {
        harness.get_by_role_and_label(Role::ComboBox, combo).click();
        harness.run_steps(3);
        harness.get_all_by_label(choice).last().unwrap().click();
        harness.run_steps(3);
    };
    choose(&mut harness, "integrator", "symplectic-euler");
    assert_eq!(solid(&harness).scene.world.def().integrator, Integrator::SymplecticEuler);
    let start = app(&harness).session.start().as_solid().unwrap().clone();
    choose(&mut harness, "spin of the scene", "axes of the body");
    assert_eq!(solid(&harness).spin_frame(), SpinFrame::Body);
    let body = start.scene.bodies().next().unwrap();
    let (old, turned) = (start.scene.world.body(body), app(&harness).session.start().as_solid().unwrap());
    let expected = old.orientation().rotate(old.angular_velocity());
    assert!((expected - old.angular_velocity()).length() > 0.5);
    assert_eq!(turned.scene.world.body(body).angular_velocity(), expected);
}

#[test]
fn one_walks_and_looks_around_in_the_first_person() {
    let mut harness = harness("ball_pit");
    click(&mut harness, "Pause");
    click(&mut harness, "First person");
    assert!(app(&harness).stage.eye.first_person);
    let start = orbit(&harness);
    let key = |key: Key, pressed: bool| Event::Key {
        key,
        physical_key: None,
        pressed,
        repeat: false,
        modifiers: Modifiers::NONE,
    };
    for (code, direction) in [
        (Key::W, start.ray(vec2(0.0, 0.0))),
        (Key::D, start.ray(vec2(1.0, 0.0)) - start.ray(vec2(0.0, 0.0))),
        (Key::A, start.ray(vec2(0.0, 0.0)) - start.ray(vec2(1.0, 0.0))),
        (Key::E, DVec3::Y),
    ] {
        let before = orbit(&harness);
        harness.event(key(code, true));
        harness.run_steps(20);
        harness.event(key(code, false));
        harness.run_steps(2);
        let way = orbit(&harness).eye() - before.eye();
        let along = way.dot(direction) / (way.length() * direction.length());
        assert!(way.length() > 0.02 * start.distance && along > 0.7, "{code:?}: {way}");
        assert_eq!((orbit(&harness).yaw, orbit(&harness).pitch), (before.yaw, before.pitch));
    }
    let before = orbit(&harness);
    let (rect, _) = app(&harness).stage.last().unwrap();
    let from = rect.right_top() + egui::vec2(-30.0, 30.0);
    drag(&mut harness, from, from + egui::vec2(-100.0, 30.0), 6);
    let after = orbit(&harness);
    assert!((after.eye() - before.eye()).length() < 1.0e-9 && after.yaw != before.yaw, "the head turns, the eye stays");
    harness.key_press(Key::V);
    harness.run_steps(1);
    assert!(!app(&harness).stage.eye.first_person);
}

#[test]
fn pool_is_played_with_the_cue() {
    let mut harness = harness("pool_break");
    let game = PoolGame::of(solid(&harness)).unwrap();
    harness.run_steps(60);
    click(&mut harness, "Rack");
    harness.run_steps(90);
    assert!(game.is_at_rest(&solid(&harness).scene));
    assert!(harness.query_by_label("0 of 15 potted").is_some());
    let ball = solid(&harness).scene.world.body(game.cue_ball).position();
    let before = orbit(&harness);
    let from = seen(&harness, ball);
    let to = seen(&harness, ball - dvec3(0.5, 0.0, 0.02));
    press(&mut harness, from, true);
    assert!(app(&harness).stage.cue.is_some() && app(&harness).session.pull().is_none());
    for i in 1..=8 {
        harness.event(Event::PointerMoved(from.lerp(to, i as f32 / 8.0)));
        harness.run_steps(1);
    }
    assert_eq!(orbit(&harness), before, "the view stays while one aims");
    press(&mut harness, to, false);
    assert!(app(&harness).stage.cue.is_none());
    let velocity = solid(&harness).scene.world.body(game.cue_ball).velocity();
    assert!(velocity.x > 4.0 && velocity.y.abs() < 0.1 && velocity.z.abs() < 0.1 * velocity.x, "{velocity}");
    harness.run_steps(120);
    let start = app(&harness).session.start().as_solid().unwrap();
    let moved = |id: &carom3d::BodyId| {
        let way = solid(&harness).scene.world.body(*id).position() - start.scene.world.body(*id).position();
        way.length() > 0.05
    };
    assert!(solid(&harness).scene.bodies().filter(moved).count() >= 10, "the rack is broken");
    harness.key_press(Key::Space);
    harness.run_steps(1);
    assert_replays(&mut harness);
}

#[test]
fn a_key_takes_a_picture() {
    let mut harness = harness("cradle_3d");
    click(&mut harness, "Pause");
    let folder = std::env::temp_dir().join(format!("carom-screenshots-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    app_mut(&mut harness).files.folder = folder.clone();
    for key in [Key::F12, Key::F, Key::F] {
        harness.key_press(key);
        harness.run_steps(2);
    }
    let name = format!("cradle_3d-{}", app(&harness).session.step_index());
    for suffix in ["", "-2", "-3"] {
        let bytes = std::fs::read(folder.join(format!("{name}{suffix}.png"))).unwrap();
        assert!(bytes.starts_with(b"\x89PNG") && bytes.len() > 1000);
    }
    std::fs::remove_dir_all(&folder).ok();
}
