//! The app as a person uses it: buttons are found by their names, the pointer goes where a hand would.

mod space;

use crate::app::{App, Sheet, Start};
use crate::session::{Command, Pull};
use crate::settings::{Panel, Settings};
use crate::tool::Tool;
use carom_particles::{Grader, Scene, Trajectory, write_trajectory};
use carom_scenes::{Run, SceneWorld, entries, measure};
use carom2d::math::{Vec2, vec2};
use carom2d::{BodyId, Correction, Solver};
use eframe::egui::accesskit::Role;
use eframe::egui::{self, Event, Key, Modifiers, PointerButton, Pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable;

const DESKTOP: egui::Vec2 = egui::vec2(1280.0, 800.0);
const PHONE: egui::Vec2 = egui::vec2(390.0, 844.0);

fn harness_of(scene: &str, size: egui::Vec2) -> Harness<'static, Option<App>> {
    harness_from(Start::scene(scene).unwrap(), size)
}

fn harness_from(start: Start, size: egui::Vec2) -> Harness<'static, Option<App>> {
    let mut start = Some(start);
    let show = move |ui: &mut egui::Ui, app: &mut Option<App>| {
        let app = app.get_or_insert_with(|| {
            App::with_settings(ui.ctx(), start.take().unwrap(), Settings { hint_seen: true, ..Settings::default() })
        });
        app.frame(ui);
    };
    let mut harness = Harness::builder().with_size(size).with_step_dt(1.0 / 60.0).build_ui_state(show, None);
    harness.run_steps(2);
    harness
}

fn harness(scene: &str) -> Harness<'static, Option<App>> {
    harness_of(scene, DESKTOP)
}

fn app<'h>(harness: &'h Harness<'_, Option<App>>) -> &'h App {
    harness.state().as_ref().unwrap()
}

fn app_mut<'h>(harness: &'h mut Harness<'_, Option<App>>) -> &'h mut App {
    harness.state_mut().as_mut().unwrap()
}

fn rigid<'h>(harness: &'h Harness<'_, Option<App>>) -> &'h SceneWorld {
    app(harness).session.run().as_rigid().unwrap()
}

fn click(harness: &mut Harness<'_, Option<App>>, label: &str) {
    harness.get_by_label(label).click();
    harness.run_steps(3);
}

/// Where a point of the world is in the window.
fn on_screen(harness: &Harness<'_, Option<App>>, world: Vec2) -> Pos2 {
    let (rect, view) = app(harness).stage.last().unwrap();
    let at = view.to_pixels(world);
    rect.min + egui::vec2(at.x, at.y)
}

fn press(harness: &mut Harness<'_, Option<App>>, at: Pos2, pressed: bool) {
    harness.event(Event::PointerMoved(at));
    let button = Event::PointerButton { pos: at, button: PointerButton::Primary, pressed, modifiers: Modifiers::NONE };
    harness.event(button);
    harness.run_steps(1);
}

fn click_at(harness: &mut Harness<'_, Option<App>>, at: Pos2) {
    press(harness, at, true);
    press(harness, at, false);
    // Far enough in time not to be half of a double click.
    harness.run_steps(30);
}

fn drag(harness: &mut Harness<'_, Option<App>>, from: Pos2, to: Pos2, steps: u32) {
    press(harness, from, true);
    for i in 1..=steps {
        let t = i as f32 / steps as f32;
        harness.event(Event::PointerMoved(from.lerp(to, t)));
        harness.run_steps(1);
    }
    press(harness, to, false);
}

fn first_brick(harness: &Harness<'_, Option<App>>) -> BodyId {
    measure::dynamic_bodies(&rigid(harness).world).next().unwrap()
}

#[test]
fn time_passes_pauses_and_goes_on_step_by_step() {
    let mut harness = harness("falling_bricks");
    harness.run_steps(30);
    let step = app(&harness).session.step_index();
    assert!(step >= 20, "{step}");
    click(&mut harness, "Pause");
    let step = app(&harness).session.step_index();
    harness.run_steps(10);
    assert_eq!(app(&harness).session.step_index(), step, "paused");
    click(&mut harness, "Step");
    assert_eq!(app(&harness).session.step_index(), step + 1);
    click(&mut harness, "Step back");
    assert_eq!(app(&harness).session.step_index(), step);
    click(&mut harness, "Play");
    harness.run_steps(10);
    assert!(app(&harness).session.step_index() > step);
    click(&mut harness, "Restart");
    assert!(app(&harness).session.step_index() < 10);
}

#[test]
fn dragging_the_timeline_goes_back_and_play_goes_on_from_there_bit_for_bit() {
    let mut harness = harness("falling_bricks");
    harness.run_steps(150);
    harness.key_press(Key::Space);
    harness.run_steps(2);
    let (end, hash) = (app(&harness).session.step_index(), app(&harness).session.run().state_hash());
    let bar = harness.get_by_label("timeline").rect();
    let at = |share: f32| Pos2::new(bar.left() + share * bar.width(), bar.center().y);
    drag(&mut harness, at(0.98), at(0.3), 6);
    harness.run_steps(5);
    let back = app(&harness).session.step_index();
    assert!(back > 0 && back < end / 2, "went back to {back} of {end}");
    assert!(app(&harness).session.is_paused());
    assert_eq!(app(&harness).session.range().1, end, "what came after is still known");
    harness.key_press(Key::Space);
    while app(&harness).session.step_index() < end {
        harness.run_steps(1);
    }
    app_mut(&mut harness).session.jump(end);
    assert_eq!(app(&harness).session.run().state_hash(), hash);
}

#[test]
fn a_brick_is_dragged_and_thrown() {
    let mut harness = harness("falling_bricks");
    harness.run_steps(240);
    let brick = first_brick(&harness);
    let start = rigid(&harness).world.body(brick).position();
    let from = on_screen(&harness, start);
    let to = on_screen(&harness, vec2(0.0, 2.5));
    drag(&mut harness, from, to, 20);
    harness.run_steps(2);
    let body = rigid(&harness).world.body(brick);
    assert!((body.position() - start).length() > 1.0, "it came along: {} to {}", start, body.position());
    assert!(body.velocity().length() > 1.0, "and it flies: {}", body.velocity());
    assert!(app(&harness).session.pull().is_none());
}

#[test]
fn a_clicked_brick_is_inspected_and_its_friction_changed() {
    let mut harness = harness("falling_bricks");
    harness.run_steps(240);
    let brick = first_brick(&harness);
    let at = on_screen(&harness, rigid(&harness).world.body(brick).position());
    click_at(&mut harness, at);
    assert_eq!(app(&harness).selected, Some(brick));
    assert_eq!(app(&harness).settings.panel, Some(Panel::Body));
    assert!(harness.query_by_label(&format!("Body {}", brick.index())).is_some());
    let shape = rigid(&harness).world.body(brick).shapes().next().unwrap();
    let before = rigid(&harness).world.shape(shape).material().friction;
    let sliders: Vec<egui::Rect> = harness.get_all_by_label("friction").map(|node| node.rect()).collect();
    let slider = sliders[0];
    drag(&mut harness, slider.left_center() + egui::vec2(20.0, 0.0), slider.left_center() + egui::vec2(90.0, 0.0), 5);
    let after = rigid(&harness).world.shape(shape).material().friction;
    assert_ne!(before, after, "the slider changes friction");
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(2);
    assert_eq!(rigid(&harness).world.shape(shape).material().friction, before, "and undo changes it back");
}

#[test]
fn a_platform_lets_pass_what_the_inspector_says() {
    let mut harness = harness("one_way_platforms");
    harness.run_steps(240);
    let platform = rigid(&harness).world.bodies().nth(1).unwrap();
    let at = on_screen(&harness, rigid(&harness).world.body(platform).position() + vec2(8.0, 0.0));
    click_at(&mut harness, at);
    assert_eq!(app(&harness).selected, Some(platform));
    let shape = rigid(&harness).world.body(platform).shapes().next().unwrap();
    assert_eq!(rigid(&harness).world.shape(shape).one_way(), Some(Vec2::Y));
    click(&mut harness, "one-way");
    assert_eq!(rigid(&harness).world.shape(shape).one_way(), None);
    click(&mut harness, "one-way");
    assert_eq!(rigid(&harness).world.shape(shape).one_way(), Some(Vec2::Y));
}

#[test]
fn gravity_turns_by_keys_and_by_its_arrow() {
    let mut harness = harness("falling_bricks");
    for (key, x, y) in [(Key::ArrowRight, 1, 0), (Key::ArrowUp, 0, 1), (Key::ArrowLeft, -1, 0), (Key::ArrowDown, 0, -1)]
    {
        harness.key_press(key);
        harness.run_steps(2);
        let gravity = app(&harness).gravity();
        assert!((gravity - vec2(x as f32, y as f32) * 10.0).length() < 1.0e-3, "{key:?}: {gravity}");
    }
    harness.key_press(Key::F);
    harness.run_steps(2);
    assert!(app(&harness).gravity().y > 9.0);
    let dial = harness.get_all_by_label("gravity").next().unwrap().rect();
    drag(&mut harness, dial.center() + egui::vec2(0.0, -12.0), dial.center() + egui::vec2(20.0, 0.0), 4);
    let gravity = app(&harness).gravity();
    assert!(gravity.x > 5.0 && gravity.y.abs() < 1.0, "{gravity}");
}

#[test]
fn scenes_are_found_and_opened() {
    let mut harness = harness("falling_bricks");
    harness.get_by_label("search scenes").focus();
    harness.run_steps(1);
    harness.get_by_label("search scenes").type_text("domino");
    harness.run_steps(2);
    click(&mut harness, "Dominoes");
    assert_eq!(app(&harness).scene_name(), "dominoes");
    click(&mut harness, "Next scene");
    assert_ne!(app(&harness).scene_name(), "dominoes");
    click(&mut harness, "Previous scene");
    assert_eq!(app(&harness).scene_name(), "dominoes");
}

#[test]
fn overlays_are_switched_on_in_the_menu() {
    let mut harness = harness("falling_bricks");
    click(&mut harness, "Show");
    click(&mut harness, "Contacts");
    click(&mut harness, "Velocity");
    assert_eq!(app(&harness).settings.overlays, ["contacts", "velocity"]);
    click(&mut harness, "Contacts");
    assert_eq!(app(&harness).settings.overlays, ["velocity"]);
    harness.run_steps(60);
}

/// Each solver is chosen by its name and shows its own settings; the past keeps the solver that it was made with.
#[test]
fn solvers_are_chosen_in_the_panel_of_the_world() {
    let mut harness = harness("falling_bricks");
    app_mut(&mut harness).settings.panel = Some(Panel::World);
    harness.run_steps(30);
    let solver = |harness: &Harness<'_, Option<App>>| rigid(harness).world.def().solver;
    let shows = |harness: &Harness<'_, Option<App>>, label: &str| harness.query_all_by_label(label).next().is_some();
    assert_eq!(solver(&harness), Solver::SoftStep);
    assert!(shows(&harness, "sub-steps") && !shows(&harness, "passes"));
    let before = app(&harness).session.step_index();

    click(&mut harness, "Sequential");
    assert!(shows(&harness, "passes") && !shows(&harness, "sub-steps"));
    let Solver::Sequential(own) = solver(&harness) else { panic!("{:?}", solver(&harness)) };
    for label in ["passes", "overlap left alone, m", "weight of the edge in use", "handicap of short edges"] {
        let bar = harness.get_by_role_and_label(Role::Slider, label).rect();
        drag(&mut harness, bar.left_center() + egui::vec2(3.0, 0.0), bar.center(), 5);
    }
    let Solver::Sequential(changed) = solver(&harness) else { panic!("{:?}", solver(&harness)) };
    assert!(changed.iterations > own.iterations && changed.slop > own.slop, "{changed:?}");
    assert!(changed.edge_weight < own.edge_weight && changed.edge_handicap > own.edge_handicap, "{changed:?}");
    harness.get_by_role_and_label(Role::ComboBox, "overlap is undone").click();
    harness.run_steps(3);
    click(&mut harness, "at the first impact");
    assert!(matches!(solver(&harness), Solver::Sequential(now) if now.correction == Correction::FirstImpact));
    harness.run_steps(30);

    click(&mut harness, "Soft steps");
    assert_eq!(solver(&harness), Solver::SoftStep);
    assert!(shows(&harness, "sub-steps"));
    click(&mut harness, "Direct");
    assert_eq!(solver(&harness), Solver::Direct);
    harness.run_steps(30);
    app_mut(&mut harness).session.jump(before);
    assert_eq!(solver(&harness), Solver::SoftStep);
    harness.run_steps(2);
}

#[test]
fn bodies_are_made_deleted_and_brought_back() {
    let mut harness = harness("falling_bricks");
    harness.key_press(Key::Space);
    harness.run_steps(2);
    let count = |harness: &Harness<'_, Option<App>>| rigid(harness).world.body_count();
    let before = count(&harness);
    click(&mut harness, "Circle");
    let from = on_screen(&harness, vec2(-1.0, -3.0));
    let to = on_screen(&harness, vec2(-0.3, -3.0));
    drag(&mut harness, from, to, 4);
    assert_eq!(count(&harness), before + 1, "a circle");
    click(&mut harness, "Box");
    let (from, to) = (on_screen(&harness, vec2(1.0, -4.0)), on_screen(&harness, vec2(2.0, -3.0)));
    drag(&mut harness, from, to, 4);
    assert_eq!(count(&harness), before + 2, "a box");
    click(&mut harness, "Polygon");
    for (x, y) in [(-3.0, -4.0), (-2.0, -4.0), (-2.0, -3.2), (-3.0, -3.0)] {
        let at = on_screen(&harness, vec2(x, y));
        click_at(&mut harness, at);
    }
    harness.key_press(Key::Enter);
    harness.run_steps(2);
    assert_eq!(count(&harness), before + 3, "a polygon");
    click(&mut harness, "Erase");
    let at = on_screen(&harness, vec2(1.5, -3.5));
    click_at(&mut harness, at);
    assert_eq!(count(&harness), before + 2, "the box is gone");
    for left in [before + 3, before + 2, before + 1, before] {
        harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        harness.run_steps(2);
        assert_eq!(count(&harness), left);
    }
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Y);
    harness.run_steps(2);
    assert_eq!(count(&harness), before + 1);
}

/// The explosion of p2: nothing happens until E is pressed; then each disc leaves with ten times its distance from the
/// middle per second. The tool does the same about another point, and both can be undone.
#[test]
fn explosions_are_set_off_by_a_key_and_a_tool() {
    let speeds = |harness: &Harness<'_, Option<App>>, center: Vec2| {
        let world = &rigid(harness).world;
        let error = |id: BodyId| {
            let body = world.body(id);
            (body.velocity() - 10.0 * (body.position() - center)).length()
        };
        measure::dynamic_bodies(world).map(error).fold(0.0, carom_core::math::max)
    };
    let mut harness = harness("explosion");
    harness.run_steps(60);
    assert!(app(&harness).session.step_index() > 30);
    assert_eq!(measure::top_speed(&rigid(&harness).world), 0.0, "they wait");
    click(&mut harness, "Pause");
    harness.key_press(Key::E);
    harness.run_steps(2);
    assert!(speeds(&harness, vec2(6.4, 3.6)) < 1.0e-3);
    harness.key_press_modifiers(Modifiers::COMMAND, Key::Z);
    harness.run_steps(2);
    assert_eq!(measure::top_speed(&rigid(&harness).world), 0.0, "undone");

    click(&mut harness, "Explode");
    let center = vec2(6.6, 3.4);
    let at = on_screen(&harness, center);
    click_at(&mut harness, at);
    // To a pixel.
    assert!(speeds(&harness, center) < 10.0 * 0.02, "{}", speeds(&harness, center));
    harness.key_press(Key::R);
    harness.run_steps(2);
    assert_eq!(measure::top_speed(&rigid(&harness).world), 0.0, "started again");
}

/// Where a quadtree finds pairs, the panel of the world counts what is in its quads.
#[test]
fn quads_are_counted() {
    let mut harness = harness("quadtree");
    app_mut(&mut harness).settings.panel = Some(Panel::World);
    click(&mut harness, "Pause");
    let levels = crate::panels::quad_levels(&rigid(&harness).world);
    assert_eq!(levels.iter().map(|level| level.shapes).sum::<u32>(), 256);
    assert_eq!((levels[0].quads, levels[1].quads), (1, 4));
    assert!(levels.len() > 3 && levels.iter().all(|level| level.most <= level.shapes), "{levels:?}");
    assert!(harness.query_all_by_label("quads of level 1").next().is_some());
}

/// As `carom fosssim -p 1` begins: nothing moves until it is asked for.
#[test]
fn a_scene_may_begin_paused() {
    let mut start = Some(Start { paused: true, ..Start::scene("cloth").unwrap() });
    let show = move |ui: &mut egui::Ui, app: &mut Option<App>| {
        app.get_or_insert_with(|| App::with_settings(ui.ctx(), start.take().unwrap(), Settings::default())).frame(ui);
    };
    let mut harness = Harness::builder().with_size(DESKTOP).with_step_dt(1.0 / 60.0).build_ui_state(show, None);
    harness.run_steps(30);
    assert!(app(&harness).session.is_paused() && app(&harness).session.step_index() == 0);
    harness.key_press(Key::Space);
    harness.run_steps(30);
    assert!(app(&harness).session.step_index() > 10);
}

/// The keys of FOSSSim: space, s, c, i, q, + and -, arrows.
#[test]
fn the_keys_of_fosssim_work_on_particle_scenes() {
    let mut harness = harness("cloth");
    let press = |harness: &mut Harness<'_, Option<App>>, key: Key| {
        harness.key_press(key);
        harness.run_steps(1);
    };
    press(&mut harness, Key::Space);
    assert!(app(&harness).session.is_paused());
    let step = app(&harness).session.step_index();
    press(&mut harness, Key::S);
    assert_eq!(app(&harness).session.step_index(), step + 1);

    let camera = |harness: &Harness<'_, Option<App>>| app(harness).stage.last().unwrap().1.camera;
    let start = camera(&harness);
    press(&mut harness, Key::Plus);
    assert!((camera(&harness).half_height * 1.1 - start.half_height).abs() < 1.0e-4 * start.half_height);
    press(&mut harness, Key::Minus);
    assert!((camera(&harness).half_height - start.half_height).abs() < 1.0e-4 * start.half_height);
    press(&mut harness, Key::ArrowRight);
    assert!((camera(&harness).center.x - start.center.x - 0.2 * start.half_height).abs() < 1.0e-3);
    press(&mut harness, Key::ArrowUp);
    assert!((camera(&harness).center.y - start.center.y - 0.2 * start.half_height).abs() < 1.0e-3);
    press(&mut harness, Key::C);
    assert_eq!(camera(&harness), start);
    assert_eq!(app(&harness).stage.tool, Tool::Hand, "C chooses no tool here");

    let file = std::path::Path::new("output.svg");
    std::fs::remove_file(file).ok();
    press(&mut harness, Key::I);
    let picture = std::fs::read_to_string(file).unwrap();
    std::fs::remove_file(file).unwrap();
    let circles = picture.matches("<circle").count();
    let run = app(&harness).session.run().as_particles().unwrap();
    assert!(picture.starts_with("<?xml") || picture.starts_with("<svg"), "{}", &picture[..40]);
    let visible = app(&harness).stage.last().unwrap().1.visible();
    let seen = run.scene.system.positions().iter().filter(|p| visible.contains_point(vec2(p.x as f32, p.y as f32)));
    let seen = seen.count();
    assert!(seen > 100 && circles >= seen, "{circles} circles of {seen} particles");

    // The key goes down and stays down: its release would be a frame of its own, without the command.
    let down = Event::Key { key: Key::Q, physical_key: None, pressed: true, repeat: false, modifiers: Modifiers::NONE };
    harness.event(down);
    harness.step();
    let commands = &harness.output().viewport_output[&egui::ViewportId::ROOT].commands;
    assert!(commands.contains(&egui::ViewportCommand::Close), "{commands:?}");
}

#[test]
fn the_console_reads_sets_and_explains() {
    let mut harness = harness("falling_bricks");
    app_mut(&mut harness).settings.panel = Some(Panel::Console);
    harness.run_steps(2);
    let brick = first_brick(&harness);
    let type_line = |harness: &mut Harness<'_, Option<App>>, line: &str| {
        harness.get_by_label("console input").focus();
        harness.run_steps(1);
        harness.get_by_label("console input").type_text(line);
        harness.run_steps(1);
        harness.key_press(Key::Enter);
        harness.run_steps(2);
    };
    type_line(&mut harness, &format!("set body.{}.shape.0.friction 0.9", brick.index()));
    let shape = rigid(&harness).world.body(brick).shapes().next().unwrap();
    assert_eq!(rigid(&harness).world.shape(shape).material().friction, 0.9);
    type_line(&mut harness, "world.gravity = 1, -2");
    assert_eq!(app(&harness).gravity(), vec2(1.0, -2.0));
    type_line(&mut harness, "pause");
    assert!(app(&harness).session.is_paused());
    type_line(&mut harness, "set body.99.speed 1");
    type_line(&mut harness, "scene stack");
    assert_eq!(app(&harness).scene_name(), "stack");
}

#[test]
fn the_view_moves_zooms_and_fits_again() {
    let mut harness = harness("falling_bricks");
    let center = |harness: &Harness<'_, Option<App>>| app(harness).stage.last().unwrap().1.camera;
    let before = center(&harness);
    let (rect, _) = app(&harness).stage.last().unwrap();
    let corner = rect.left_bottom() + egui::vec2(60.0, -60.0);
    drag(&mut harness, corner, corner + egui::vec2(50.0, -30.0), 5);
    let moved = center(&harness);
    assert!(moved.center != before.center && moved.half_height == before.half_height);
    harness.event(Event::PointerMoved(rect.center()));
    let wheel = Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: egui::vec2(0.0, 3.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    };
    harness.event(wheel);
    harness.run_steps(20);
    assert!(center(&harness).half_height < moved.half_height, "zoomed in");
    harness.key_press(Key::A);
    harness.run_steps(2);
    assert_eq!(center(&harness), before);
}

#[test]
fn a_ball_in_space_is_pulled_and_thrown() {
    let mut harness = harness("pool_break");
    click(&mut harness, "Pause");
    let scene = |harness: &Harness<'_, Option<App>>| match app(harness).session.run() {
        Run::Solid(run) => run.scene.world.clone(),
        _ => panic!("a scene in space"),
    };
    let (rect, view) = app(&harness).stage.last().unwrap();
    let orbit = view.orbit.unwrap();
    let world = scene(&harness);
    let seen_first = |id: &carom3d::BodyId| {
        let place = world.body(*id).position();
        let hit = world.ray_closest(orbit.eye(), (place - orbit.eye()) * 2.0).unwrap();
        world.body(*id).kind() == carom3d::BodyKind::Dynamic && hit.is_some_and(|hit| hit.body == *id)
    };
    let ball = world.bodies().find(seen_first).expect("a ball is in sight");
    let at = on_screen(&harness, orbit.project(world.body(ball).position()).unwrap());
    assert!(rect.contains(at));
    let before = scene(&harness).body(ball).position();
    press(&mut harness, at, true);
    assert!(matches!(app(&harness).session.pull(), Some(Pull::Space(hold)) if hold.body == ball));
    harness.key_press(Key::Space);
    for i in 1..=12 {
        harness.event(Event::PointerMoved(at + egui::vec2(-5.0 * i as f32, 0.0)));
        harness.run_steps(1);
    }
    press(&mut harness, at + egui::vec2(-60.0, 0.0), false);
    assert!(app(&harness).session.pull().is_none(), "let go");
    let world = scene(&harness);
    assert!(world.body(ball).position().distance(before) > 0.01, "the ball followed the hand");
    assert_eq!(app(&harness).stage.last().unwrap().1.orbit.unwrap(), orbit, "the view stayed where it was");
    // What was thrown is part of the past: going back and playing again gives the same.
    click(&mut harness, "Pause");
    let (step, hash) = (app(&harness).session.step_index(), app(&harness).session.run().state_hash());
    app_mut(&mut harness).session.seek(step - 20);
    app_mut(&mut harness).session.seek(step);
    assert_eq!(app(&harness).session.run().state_hash(), hash);
}

#[test]
fn a_scene_in_space_is_gone_around_stepped_and_looked_back_at() {
    let mut harness = harness("cradle_3d");
    let orbit = |harness: &Harness<'_, Option<App>>| app(harness).stage.last().unwrap().1.orbit.unwrap();
    let own = orbit(&harness);
    let (rect, _) = app(&harness).stage.last().unwrap();
    drag(&mut harness, rect.center(), rect.center() + egui::vec2(120.0, 40.0), 6);
    let turned = orbit(&harness);
    assert!(turned.yaw != own.yaw && turned.pitch > own.pitch && turned.target == own.target, "{turned:?}");
    harness.event(Event::PointerMoved(rect.center()));
    let button = |pressed, pos| Event::PointerButton {
        pos,
        button: PointerButton::Secondary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    harness.event(button(true, rect.center()));
    harness.run_steps(1);
    for i in 1..=5 {
        harness.event(Event::PointerMoved(rect.center() + egui::vec2(20.0 * i as f32, 0.0)));
        harness.run_steps(1);
    }
    harness.event(button(false, rect.center() + egui::vec2(100.0, 0.0)));
    harness.run_steps(1);
    assert!(orbit(&harness).target != own.target && orbit(&harness).yaw == turned.yaw, "the right button moves");
    harness.event(Event::PointerMoved(rect.center()));
    harness.event(Event::MouseWheel {
        unit: egui::MouseWheelUnit::Line,
        delta: egui::vec2(0.0, 3.0),
        phase: egui::TouchPhase::Move,
        source: egui::MouseWheelSource::Wheel,
        modifiers: Modifiers::NONE,
    });
    harness.run_steps(20);
    assert!(orbit(&harness).distance < own.distance, "the wheel comes nearer");
    harness.key_press(Key::A);
    harness.run_steps(2);
    assert_eq!(orbit(&harness), own);

    click(&mut harness, "Pause");
    let step = app(&harness).session.step_index();
    assert!(step > 20, "time passed: {step}");
    let hash = app(&harness).session.run().state_hash();
    click(&mut harness, "Step");
    assert_eq!(app(&harness).session.step_index(), step + 1);
    click(&mut harness, "Step back");
    assert_eq!(app(&harness).session.run().state_hash(), hash, "the past is as it was");
    harness.key_press(Key::CloseBracket);
    harness.run_steps(1);
    assert_eq!(app(&harness).session.speed(), 2.0);
    for panel in Panel::ALL {
        app_mut(&mut harness).settings.panel = Some(panel);
        harness.run_steps(2);
    }
    let read = |path: &str| crate::property::get(app(&harness).session.run(), path);
    assert!(read("body.0.position").is_ok() && read("world.kinetic_energy").is_ok());
    assert!(read("body.9.position").is_err());
}

#[test]
fn falling_bricks_alone_turns_gravity_to_its_four_sides() {
    let mut harness = harness_of("falling_bricks", PHONE);
    app_mut(&mut harness).set_play(true);
    harness.run_steps(3);
    assert!(harness.query_by_label("timeline").is_none(), "no panels");
    for (name, x, y) in [("right", 1.0, 0.0), ("up", 0.0, 1.0), ("left", -1.0, 0.0), ("down", 0.0, -1.0)] {
        click(&mut harness, &format!("gravity {name}"));
        assert!((app(&harness).gravity() - vec2(x, y) * 9.81).length() < 1.0e-3, "{name}");
        harness.run_steps(240);
        let world = &rigid(&harness).world;
        let towards = vec2(x, y);
        let lowest = measure::dynamic_bodies(world).map(|id| world.body(id).position().dot(towards));
        assert!(lowest.fold(f32::MIN, f32::max) > 3.5, "{name}: nothing lies on the new floor");
    }
    harness.key_press(Key::Escape);
    harness.run_steps(3);
    assert!(!app(&harness).is_playing());
    assert!(harness.query_by_label("timeline").is_some());
}

#[test]
fn a_phone_shows_panels_as_sheets() {
    let mut harness = harness_of("falling_bricks", PHONE);
    assert!(app(&harness).phone);
    click(&mut harness, "Scenes");
    assert_eq!(app(&harness).sheet, Some(Sheet::Scenes));
    click(&mut harness, "Close");
    assert_eq!(app(&harness).sheet, None);
    click(&mut harness, "More");
    click(&mut harness, "World");
    assert_eq!(app(&harness).sheet, Some(Sheet::Panel(Panel::World)));
}

#[test]
fn every_scene_and_every_panel_can_be_shown_in_any_size() {
    let mut harness = harness("falling_bricks");
    for (i, entry) in entries().enumerate() {
        // Thousands of bodies take long; four of the large scenes say nothing more than one.
        if entry.group().name() == "benchmark" && entry.name() != "smash" {
            continue;
        }
        app_mut(&mut harness).open(entry.name());
        app_mut(&mut harness).settings.panel = Some(Panel::ALL[i % 4]);
        harness.set_size([DESKTOP, PHONE, egui::vec2(320.0, 360.0)][i % 3]);
        harness.run_steps(4);
        assert_eq!(app(&harness).scene_name(), entry.name());
    }
}

#[test]
fn rubbish_is_refused_in_words() {
    let mut harness = harness("falling_bricks");
    for (name, bytes) in [("a.json", &b"{]"[..]), ("b.xml", b"<scene>"), ("c.png", b"\x89PNG"), ("", b"")] {
        app_mut(&mut harness).load_bytes(name, bytes);
        harness.run_steps(2);
        assert_eq!(app(&harness).scene_name(), "falling_bricks", "{name}");
    }
    app_mut(&mut harness).open("no_such_scene");
    harness.run_steps(2);
    assert!(harness.query_by_label_contains("no_such_scene").is_some(), "it says so");
    app_mut(&mut harness).set_tilt(Some(vec2(f32::NAN, 1.0)));
    harness.run_steps(2);
}

#[test]
fn what_was_saved_can_be_opened() {
    let mut harness = harness("falling_bricks");
    harness.run_steps(100);
    let text = carom_scenes::file::write(rigid(&harness));
    let positions: Vec<Vec2> =
        rigid(&harness).world.bodies().map(|id| rigid(&harness).world.body(id).position()).collect();
    app_mut(&mut harness).load_bytes("saved.json", text.as_bytes());
    app_mut(&mut harness).session.set_paused(true);
    let world = &rigid(&harness).world;
    let again: Vec<Vec2> = world.bodies().map(|id| world.body(id).position()).collect();
    assert_eq!(positions, again);
}

#[test]
fn tools_are_chosen_by_keys_and_left_by_escape() {
    let mut harness = harness("stack");
    for (key, tool) in [(Key::C, Tool::Circle), (Key::B, Tool::Box), (Key::P, Tool::Polygon), (Key::X, Tool::Erase)] {
        harness.key_press(key);
        harness.run_steps(1);
        assert_eq!(app(&harness).stage.tool, tool);
        harness.key_press(Key::Escape);
        harness.run_steps(1);
        assert_eq!(app(&harness).stage.tool, Tool::Hand);
    }
}

/// Two fixed balls that overlap and approach: they collide in every one of 40 steps.
const COLLIDING: &str = r#"<scene><duration time="0.4"/><integrator type="symplectic-euler" dt="0.01"/>
    <collision type="simple"/>
    <particle m="1" px="-0.2" py="0" vx="0.01" vy="0" fixed="1" radius="0.3"/>
    <particle m="1" px="0.2" py="0.1" vx="-0.01" vy="0" fixed="1" radius="0.3"/></scene>"#;

/// A trajectory of that scene with something wrong: step 7 lacks its collision, 20 has another n, at 31 a ball is off.
fn wrong_trajectory() -> (Scene, Vec<u8>) {
    let scene = Scene::from_xml("colliding.xml", COLLIDING.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    write_trajectory(&scene, scene.steps(), &mut bytes).unwrap();
    // Two balls, a count and, but for the start, a collision.
    let (start, frame) = (2 * 32 + 4, 2 * 32 + 4 + 36);
    let at = |step: usize| start + (step - 1) * frame;
    assert_eq!(bytes.len(), at(41));
    bytes[at(31)..][..8].copy_from_slice(&0.5_f64.to_le_bytes());
    bytes[at(20) + start + 12..][..8].copy_from_slice(&0.3_f64.to_le_bytes());
    bytes.drain(at(7) + start..at(8));
    bytes[at(7) + start - 4..at(7) + start].fill(0);
    (scene, bytes)
}

#[test]
fn a_trajectory_is_compared_step_by_step() {
    let (scene, bytes) = wrong_trajectory();
    let mut harness = harness("falling_bricks");
    app_mut(&mut harness).load_bytes("wrong.bin", &bytes);
    harness.run_steps(2);
    assert!(harness.query_by_label_contains("open its scene first").is_some(), "there is nothing to compare it with");
    app_mut(&mut harness).load_bytes("colliding.xml", COLLIDING.as_bytes());
    app_mut(&mut harness).load_bytes("half.bin", &bytes[..bytes.len() / 2]);
    harness.run_steps(2);
    assert!(harness.query_by_label_contains("half.bin: the trajectory ends at frame").is_some());
    assert!(app(&harness).comparison.is_none());
    app_mut(&mut harness).load_bytes("wrong.bin", &bytes);
    harness.run_steps(60);
    assert!(harness.query_by_label("Failed").is_some() && harness.query_by_label("wrong.bin").is_some());
    assert!(
        app(&harness).session.is_paused() && app(&harness).session.step_index() == 40,
        "it ends where the file ends"
    );

    // Whatever way a step is come to, what is shown is what is wrong with it.
    let trajectory = Trajectory::read(&scene, &bytes[..]).unwrap();
    let shows = |harness: &Harness<'_, Option<App>>, step: u32| {
        let comparison = app(harness).comparison.as_ref().unwrap();
        assert_eq!(app(harness).session.step_index(), step);
        let expected = trajectory.grade(&mut Grader::new(&scene), u64::from(step)).unwrap_or_default();
        assert_eq!(*comparison.shown(), expected);
        let [(marks, opacity)] = &comparison.marks(false)[..] else { panic!("the marks of one step") };
        assert_eq!((marks.is_empty(), *opacity), (expected.is_clean(), 1.0), "step {step}");
        let frame = trajectory.frame(u64::from(step)).unwrap();
        let run = app(harness).session.run().as_particles().unwrap();
        assert_eq!((run.scene.system.positions(), run.contacts()), (&frame.positions[..], &frame.contacts[..]));
    };
    click(&mut harness, "step 7: 1 missed");
    shows(&harness, 7);
    assert!(harness.query_by_label_contains("Missed collision: Particle 0 - Particle 1").is_some());
    click(&mut harness, "Step back");
    shows(&harness, 6);
    click(&mut harness, "step 20: 1 wrong");
    shows(&harness, 20);
    // The ball that is off makes the step after it wrong as well.
    click(&mut harness, "step 32: 1 superfluous, 1 off");
    shows(&harness, 32);
    click(&mut harness, "Step");
    shows(&harness, 33);
    let bar = harness.get_by_label("timeline").rect();
    let at = |share: f32| Pos2::new(bar.left() + share * bar.width(), bar.center().y);
    drag(&mut harness, at(0.8), at(0.1), 7);
    harness.run_steps(2);
    shows(&harness, app(&harness).session.step_index());
    click(&mut harness, "To the end");
    shows(&harness, 40);
    click(&mut harness, "Step");
    shows(&harness, 40);

    // While time passes marks stay for a while, and none come from the future.
    click(&mut harness, "step 7: 1 missed");
    app_mut(&mut harness).session.set_speed(0.25);
    click(&mut harness, "Play");
    harness.run_steps(20);
    let step = app(&harness).session.step_index();
    assert!((9..20).contains(&step), "{step}");
    let comparison = app(&harness).comparison.as_ref().unwrap();
    let drawn = comparison.marks(true).iter().filter(|(marks, _)| !marks.is_empty()).count();
    assert_eq!(drawn, 1, "step 7 is still to be seen");
    click(&mut harness, "Pause");
    shows(&harness, app(&harness).session.step_index());

    let hash = app(&harness).session.run().state_hash();
    let change = Command::Gravity(vec2(1.0, 0.0));
    let refusal = app_mut(&mut harness).session.command(change).unwrap_err();
    assert!(refusal.contains("close the comparison"), "{refusal}");
    assert_eq!(app(&harness).session.run().state_hash(), hash, "a trajectory is as its file has it");
    click(&mut harness, "Close the comparison");
    assert!(app(&harness).comparison.is_none() && app(&harness).session.run().last_step().is_none());
    assert!(harness.query_by_label("Comparison").is_none());
}
