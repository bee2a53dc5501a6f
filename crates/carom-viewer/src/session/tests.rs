//! A session is driven as a person would, and its past played again.

use super::*;
use carom_scenes::{SceneWorld, find_entry};
use carom2d::math::vec2;
use carom2d::{BodyDef, ShapeDef};

const MEMORY: usize = 32 << 20;

pub(super) fn session(scene: &str) -> Session {
    Session::new(find_entry(scene).unwrap().build().unwrap(), MEMORY)
}

pub(super) fn steps(session: &mut Session, count: u32) {
    for _ in 0..count {
        session.make_step();
    }
}

pub(super) fn rigid(session: &Session) -> &SceneWorld {
    session.run().as_rigid().unwrap()
}

pub(super) fn brick(session: &Session) -> BodyId {
    carom_scenes::measure::dynamic_bodies(&rigid(session).world).next().unwrap()
}

#[test]
fn a_session_makes_the_steps_that_the_scene_makes() {
    let mut session = session("falling_bricks");
    let mut plain = find_entry("falling_bricks").unwrap().build().unwrap();
    for _ in 0..90 {
        session.advance(1.0 / 60.0);
        plain.step();
    }
    assert_eq!(session.step_index(), 90);
    assert_eq!(session.run().state_hash(), plain.state_hash());
}

#[test]
fn the_past_comes_back_bit_for_bit_with_everything_that_was_done() {
    let mut session = session("falling_bricks");
    let mut hashes = vec![session.run().state_hash()];
    let body = brick(&session);
    for step in 0..400_u32 {
        if step == 50 {
            let at = rigid(&session).world.body(body).center();
            session.grab(body, at);
        }
        if (50..80).contains(&step) {
            session.drag(vec2(0.05 * step as f32 - 3.0, 2.0));
        }
        if step == 80 {
            session.release();
        }
        if step == 150 {
            session.command(Command::Gravity(vec2(9.0, 1.0))).unwrap();
        }
        if step == 220 {
            session.command(Command::Delete(body)).unwrap();
        }
        if step == 300 {
            let def = BodyDef { position: vec2(0.0, 3.0), ..BodyDef::dynamic() };
            session.command(Command::create(def, ShapeDef::circle(0.4), None)).unwrap();
        }
        // The state of a step has the changes that were made at it.
        hashes[step as usize] = session.run().state_hash();
        session.make_step();
        hashes.push(session.run().state_hash());
    }
    for step in [399, 10, 70, 79, 80, 81, 150, 151, 220, 299, 300, 301, 0, 400, 123] {
        session.jump(step);
        assert_eq!(session.step_index(), step);
        assert_eq!(session.run().state_hash(), hashes[step as usize], "step {step}");
    }
    // Played again from the middle, the same things happen again.
    session.jump(40);
    session.set_paused(false);
    for step in 41..=400 {
        session.make_step();
        assert_eq!(session.run().state_hash(), hashes[step], "step {step} played again");
    }
    assert!(session.is_live());
}

#[test]
fn a_change_in_the_past_makes_another_future() {
    let mut session = session("falling_bricks");
    steps(&mut session, 200);
    session.jump(100);
    assert_eq!(session.range(), (0, 200));
    session.command(Command::Gravity(vec2(0.0, 10.0))).unwrap();
    assert_eq!(session.range(), (0, 100));
    assert!(session.is_live());
    steps(&mut session, 300);
    let top = rigid(&session).world.body(brick(&session)).position().y;
    assert!(top > 2.0, "bricks fall upwards: {top}");
}

#[test]
fn undo_and_redo() {
    let mut session = session("falling_bricks");
    steps(&mut session, 30);
    let before = session.run().state_hash();
    let body = brick(&session);
    session.command(Command::Delete(body)).unwrap();
    let deleted = session.run().state_hash();
    steps(&mut session, 50);
    let later = session.run().state_hash();
    assert_ne!(before, deleted);
    assert_eq!(session.undo().as_deref(), Some("delete"));
    assert_eq!((session.run().state_hash(), session.step_index()), (before, 30));
    assert_eq!(session.range(), (0, 30));
    assert_eq!(session.redo().as_deref(), Some("delete"));
    assert_eq!((session.run().state_hash(), session.step_index()), (later, 80));
    session.jump(30);
    assert_eq!(session.run().state_hash(), deleted, "the past is whole after redo");
    session.jump(80);
    assert_eq!(session.run().state_hash(), later);
    assert_eq!(session.undo().as_deref(), Some("delete"));
    assert_eq!(session.undo(), None);
    session.command(Command::Gravity(vec2(1.0, 0.0))).unwrap();
    assert_eq!(session.redo(), None, "a new change takes the place of what was undone");
}

#[test]
fn changes_of_a_slider_are_undone_together() {
    let mut session = session("falling_bricks");
    let start = session.run().state_hash();
    for i in 0..20 {
        session.command(Command::Gravity(vec2(0.1 * i as f32, -9.0))).unwrap();
        session.make_step();
    }
    assert!(session.undo().is_some());
    assert_eq!((session.step_index(), session.run().state_hash()), (0, start));
    assert_eq!(session.undo(), None);
}

#[test]
fn a_command_that_fails_changes_nothing() {
    let mut session = session("falling_bricks");
    steps(&mut session, 10);
    let before = session.run().state_hash();
    let body = brick(&session);
    assert!(session.command(Command::Gravity(vec2(f32::NAN, 0.0))).is_err());
    assert!(session.command(Command::Place { body, position: Vec2::INFINITY }).is_err());
    let hopeless = Command::create(BodyDef::dynamic(), ShapeDef::circle(-1.0), None);
    assert!(session.command(hopeless).is_err());
    assert_eq!(session.run().state_hash(), before);
    assert_eq!(session.undo(), None);
}

#[test]
fn a_held_brick_follows_the_hand_and_keeps_its_throw() {
    let mut session = session("falling_bricks");
    steps(&mut session, 300);
    let body = brick(&session);
    let at = rigid(&session).world.body(body).position();
    session.grab(body, at);
    session.drag(at);
    steps(&mut session, 1);
    let moved = (rigid(&session).world.body(body).position() - at).length();
    assert!(moved < 0.02, "taking hold makes no jump: {moved}");
    let goal = vec2(0.0, 3.0);
    session.drag(goal);
    steps(&mut session, 120);
    let miss = (rigid(&session).world.body(body).position() - goal).length();
    assert!(miss < 0.2, "it hangs near the hand: {miss}");
    for i in 0..20 {
        session.drag(goal + vec2(0.1 * i as f32, 0.0));
        session.make_step();
    }
    session.release();
    session.make_step();
    let speed = rigid(&session).world.body(body).velocity().x;
    assert!(speed > 2.0, "it flies on: {speed}");
}

#[test]
fn while_time_stands_still_a_body_goes_where_it_is_put() {
    let mut session = session("falling_bricks");
    session.set_paused(true);
    let body = brick(&session);
    let at = rigid(&session).world.body(body).position();
    session.grab(body, at + vec2(0.1, 0.0));
    session.drag(at + vec2(1.1, 0.5));
    session.release();
    let now = rigid(&session).world.body(body).position();
    assert!((now - (at + vec2(1.0, 0.5))).length() < 1.0e-5);
    assert_eq!(session.step_index(), 0);
    session.undo();
    assert_eq!(rigid(&session).world.body(body).position(), at);
}

#[test]
fn memory_has_a_limit_and_the_last_minutes_stay() {
    let run = find_entry("pyramid").unwrap().build().unwrap();
    let size = history::bytes_of(&run);
    let mut session = Session::new(run, 40 * size);
    steps(&mut session, 3000);
    let (keyframes, bytes) = session.kept();
    assert!(bytes <= 60 * size && keyframes >= 5, "{keyframes} keyframes, {bytes} bytes");
    let (first, last) = session.range();
    assert_eq!(last, 3000);
    assert!(first <= 3000 - 600);
    session.jump(first);
    assert_eq!(session.step_index(), first);
}

#[test]
fn slow_motion_and_hurry() {
    let mut session = session("stack");
    session.set_speed(0.25);
    for _ in 0..60 {
        session.advance(1.0 / 60.0);
    }
    assert_eq!(session.step_index(), 15);
    session.set_speed(4.0);
    for _ in 0..30 {
        session.advance(1.0 / 60.0);
    }
    assert_eq!(session.step_index(), 135);
    session.set_speed(f64::NAN);
    assert_eq!(session.speed(), 1.0);
    session.set_paused(true);
    session.advance(1.0);
    assert_eq!(session.step_index(), 135);
}
