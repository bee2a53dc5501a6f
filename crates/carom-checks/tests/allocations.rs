//! A step of a world that has found its pace asks the system for no memory: what grows with bodies and contacts
//! is kept from step to step.

#![allow(unsafe_code)]

use carom2d::prelude::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// Counts what the current thread asks for, so that tests beside this one do not count.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // While a thread ends, nothing is left to count with.
    COUNT.try_with(|count| count.set(count.get() + 1)).ok();
}

// SAFETY: every call is handed on unchanged to the system's allocator, which keeps the promises; counting neither
// allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: what the caller promises is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: what the caller promises is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: what the caller promises is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const DT: f32 = 1.0 / 60.0;

/// How often the world asks for memory in `steps` steps, after as many as `warm_up` to find its pace.
fn allocations(world: &mut World, warm_up: u32, steps: u32) -> usize {
    (0..warm_up).for_each(|_| world.step(DT));
    let before = COUNT.get();
    (0..steps).for_each(|_| world.step(DT));
    COUNT.get() - before
}

/// A pyramid of boxes, `base` at the bottom.
fn pyramid(base: u16, sleeping: bool) -> World {
    let mut world = World::new(WorldDef { sleeping, ..WorldDef::default() });
    let ground = world.add_body(BodyDef::fixed()).unwrap();
    world.add_shape(ground, ShapeDef::segment(vec2(-100.0, 0.0), vec2(100.0, 0.0))).unwrap();
    for row in 0..base {
        for place in 0..base - row {
            let position = vec2(0.5 * f32::from(row) + f32::from(place), 0.5 + f32::from(row));
            let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
            world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).unwrap();
        }
    }
    world
}

/// A square drum that a motor turns, with boxes in it.
fn tumbler(side: u16) -> World {
    let mut world = World::new(WorldDef::default());
    let frame = world.add_body(BodyDef::fixed()).unwrap();
    let drum = world.add_body(BodyDef::dynamic()).unwrap();
    for (position, width, height) in [
        (vec2(5.0, 0.0), 1.0, 10.0),
        (vec2(-5.0, 0.0), 1.0, 10.0),
        (vec2(0.0, 5.0), 10.0, 1.0),
        (vec2(0.0, -5.0), 10.0, 1.0),
    ] {
        world.add_shape(drum, ShapeDef { position, density: 50.0, ..ShapeDef::rectangle(width, height) }).unwrap();
    }
    let pin = Revolute { motor: Some(Motor::new(0.5, 1.0e8)), ..Revolute::default() };
    world.add_joint(JointDef::new(frame, drum, JointKind::Revolute(pin))).unwrap();
    for row in 0..side {
        for column in 0..side {
            let position = vec2(0.4 * f32::from(column) - 3.0, 0.4 * f32::from(row) - 3.0);
            let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
            world.add_shape(body, ShapeDef::rectangle(0.25, 0.25)).unwrap();
        }
    }
    world
}

#[test]
fn a_heap_that_stands_asks_for_no_memory() {
    let mut world = pyramid(20, false);
    // It takes some seconds to stand still: until then single contacts come and go.
    let count = allocations(&mut world, 240, 100);
    assert_eq!(world.awake_body_count(), 210);
    assert!(world.contact_count() > 400, "{} contacts", world.contact_count());
    assert_eq!(count, 0, "in 100 steps");
}

#[test]
fn a_heap_that_is_stirred_asks_for_no_memory() {
    let mut world = tumbler(15);
    // A minute, in which the lists grow to what the fullest moment needs.
    let count = allocations(&mut world, 3600, 100);
    assert_eq!(world.awake_body_count(), 226);
    assert!(world.contact_count() > 300, "{} contacts", world.contact_count());
    assert_eq!(count, 0, "in 100 steps");
}

#[test]
fn a_world_asleep_asks_for_no_memory() {
    let mut world = pyramid(10, true);
    let count = allocations(&mut world, 300, 100);
    assert_eq!((world.awake_body_count(), count), (0, 0));
}

/// Saving into the same buffer and going back again and again, as rollback does. (The first step after it rebuilds what
/// other steps keep, and may ask for memory.)
#[test]
fn saving_again_asks_for_no_memory() {
    let mut world = pyramid(20, false);
    (0..240).for_each(|_| world.step(DT));
    let mut states = vec![Vec::new(); 8];
    let (mut saving, mut restoring) = (0, 0);
    for round in 0..20 {
        for state in &mut states {
            let before = COUNT.get();
            world.save(state);
            saving += if round < 8 { 0 } else { COUNT.get() - before };
            world.step(DT);
        }
        let before = COUNT.get();
        world.restore(&states[0]).expect("a snapshot of this world");
        restoring += if round < 8 { 0 } else { COUNT.get() - before };
    }
    // Restoring asks for one block, 12 times here.
    assert!(saving == 0 && restoring <= 12, "{saving} in saving, {restoring} in restoring");
}
