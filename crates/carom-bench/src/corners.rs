//! What polygons of many corners cost: their extreme corners, their separations, and a step of a world of them.

use crate::cli::{BenchError, Plan};
use crate::measure::time_steps;
use carom_core::Rng;
use carom_core::math::{min64, sin_cos64};
use carom2d::math::{Pose, Rot, right_perp, unit_and_length};
use carom2d::prelude::*;
use carom2d::shape::Rim;
use std::hint::black_box;
use std::io::Write;

const CORNERS: [usize; 8] = [4, 8, 16, 32, 64, 128, 256, 1000];
/// Questions per timing.
const QUESTIONS: usize = 2000;
/// Polygons of a world, and steps that are timed.
const BODIES: usize = 20;
const STEPS: u32 = 120;

/// Measures and prints a table.
pub(crate) fn execute(plan: &Plan, out: &mut dyn Write) -> Result<(), BenchError> {
    writeln!(out, "nanoseconds per question, the fastest of {} runs; microseconds per step", plan.repeats)?;
    writeln!(
        out,
        "{:>7} {:>9} {:>9} {:>9} {:>9} {:>11} {:>11} {:>8} {:>9} {:>6}",
        "corners", "support", "all", "apart", "all", "overlapping", "all", "step us", "contacts", "pieces"
    )?;
    for corners in CORNERS {
        let rim = Rim::new(&circle(corners))?;
        let poses = [poses(2.1, 3.0), poses(0.5, 1.9)];
        let directions: Vec<Vec2> = poses[0].iter().map(|pose| pose.q.x_axis()).collect();
        let support = time(plan, &directions, |&d| rim.support(d));
        let all_supports = time(plan, &directions, |&d| farthest(rim.corners(), d));
        let [apart, overlapping] = [0, 1].map(|k| time(plan, &poses[k], |&pose| rim.separation(&rim, pose)));
        // Trying everything is slow: fewer questions do.
        let few = |k: usize| &poses[k][..poses[k].len() / 20];
        let [all_apart, all_overlapping] = [0, 1].map(|k| time(plan, few(k), |&pose| all_axes(&rim, pose)));
        let (step, contacts) = time_world(plan, corners)?;
        let pieces = ShapeDef::convex(&circle(corners)).build()?.parts().len().max(1);
        writeln!(
            out,
            "{corners:>7} {support:>9.1} {all_supports:>9.1} {apart:>9.0} {all_apart:>9.0} {overlapping:>11.0} \
             {all_overlapping:>11.0} {step:>8.1} {contacts:>9} {pieces:>6}"
        )?;
    }
    Ok(())
}

/// A regular polygon about the origin, of radius 1.
fn circle(corners: usize) -> Vec<Vec2> {
    let corner = |i: usize| {
        let (s, c) = sin_cos64(std::f64::consts::TAU * i as f64 / corners as f64);
        vec2(c as f32, s as f32)
    };
    (0..corners).map(corner).collect()
}

/// Random poses at distances from `near` to `far`.
fn poses(near: f32, far: f32) -> Vec<Pose> {
    let mut rng = Rng::new(1000);
    let pose = |_| {
        let place = Rot::from_angle(rng.range(-3.0, 3.0)).x_axis() * rng.range(near, far);
        Pose { p: place, q: Rot::from_angle(rng.range(-3.0, 3.0)) }
    };
    (0..QUESTIONS).map(pose).collect()
}

/// Nanoseconds per question, of the fastest run.
fn time<Q, A>(plan: &Plan, questions: &[Q], answer: impl Fn(&Q) -> A) -> f64 {
    let run = |_| {
        let ask = || questions.iter().for_each(|question| drop(black_box(answer(black_box(question)))));
        plan.clock.time(ask) * 1.0e6 / questions.len() as f64
    };
    (0..plan.repeats).map(run).fold(f64::INFINITY, min64)
}

/// The corner farthest along a direction, of all.
fn farthest(corners: &[Vec2], direction: Vec2) -> usize {
    let mut best = 0;
    for i in 1..corners.len() {
        if corners[i].dot(direction) > corners[best].dot(direction) {
            best = i;
        }
    }
    best
}

/// The textbook: all edges of both against all corners of the other.
fn all_axes(rim: &Rim, pose: Pose) -> f32 {
    let corners = rim.corners();
    let placed: Vec<Vec2> = corners.iter().map(|&corner| pose.point(corner)).collect();
    let over = |edges: &[Vec2], corners: &[Vec2]| {
        let mut best = f32::MIN;
        for (i, &from) in edges.iter().enumerate() {
            let (along, _) = unit_and_length(edges[(i + 1) % edges.len()] - from);
            let normal = right_perp(along);
            let least = (corners[farthest(corners, -normal)] - from).dot(normal);
            best = if least > best { least } else { best };
        }
        best
    };
    let (own, others) = (over(corners, &placed), over(&placed, corners));
    if own > others { own } else { others }
}

/// Microseconds per step of a world in which polygons of so many corners fall into a bin, and its contacts at the end.
fn time_world(plan: &Plan, corners: usize) -> Result<(f64, usize), BenchError> {
    let mut best = (f64::INFINITY, 0);
    for _ in 0..plan.repeats {
        let mut world = World::new(WorldDef { sleeping: false, ..WorldDef::default() });
        let bin = world.add_body(BodyDef::fixed())?;
        for (x, y, width, height) in [(0.0, -0.5, 12.0, 1.0), (-5.5, 10.0, 1.0, 22.0), (5.5, 10.0, 1.0, 22.0)] {
            world.add_shape(bin, ShapeDef { position: vec2(x, y), ..ShapeDef::rectangle(width, height) })?;
        }
        for i in 0..BODIES {
            let position = vec2(2.2 * (i % 4) as f32 - 3.3, 1.2 + 2.2 * (i / 4) as f32);
            let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() })?;
            world.add_shape(body, ShapeDef::convex(&circle(corners)))?;
        }
        let ms = time_steps(plan.clock, STEPS, || world.step(1.0 / 60.0));
        if ms * 1000.0 < best.0 {
            best = (ms * 1000.0, world.contact_count());
        }
    }
    Ok(best)
}
