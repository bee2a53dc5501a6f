//! Sweeps of random shapes, which move and turn, against distances at a thousand moments.

use carom_core::Rng;
use carom2d::math::{Rot, Vec2, vec2};
use carom2d::shape::{Geometry, Meeting, Polygon, Proxy, Sweep, distance, time_of_impact};

const GAP: f32 = 1.0e-3;
const MOMENTS: usize = 1000;

fn random_geometry(rng: &mut Rng) -> Geometry {
    let size = |rng: &mut Rng| rng.range(0.02, 0.5);
    let point = |rng: &mut Rng| vec2(rng.range(-0.5, 0.5), rng.range(-0.5, 0.5));
    match rng.below(5) {
        0 => Geometry::circle(size(rng)).unwrap(),
        1 => Geometry::capsule(point(rng), point(rng) + vec2(1.0, 0.0), size(rng)).unwrap(),
        2 => Geometry::segment(point(rng), point(rng) + vec2(0.0, 1.0)).unwrap(),
        3 => Polygon::regular(3 + rng.below(14) as usize, size(rng)).unwrap().into(),
        _ => Geometry::rectangle(2.0 * size(rng), 0.1 * size(rng)).unwrap(),
    }
}

fn random_sweep(rng: &mut Rng, place: f32, speed: f32, spin: f32) -> Sweep {
    Sweep {
        center: vec2(rng.range(-place, place), rng.range(-place, place)),
        translation: vec2(rng.range(-speed, speed), rng.range(-speed, speed)),
        rotation: Rot::from_angle(rng.range(-3.0, 3.0)),
        turn: rng.range(-spin, spin),
        local_center: vec2(rng.range(-0.3, 0.3), rng.range(-0.3, 0.3)),
    }
}

fn gap_at(a: &Proxy, sweep_a: &Sweep, b: &Proxy, sweep_b: &Sweep, fraction: f32) -> f32 {
    distance(a, b, sweep_a.pose_at(fraction).inv_mul(sweep_b.pose_at(fraction))).distance
}

/// At the answer the shapes are at the gap, and never closer before.
#[test]
fn meets_at_the_gap_and_not_before() {
    let mut rng = Rng::new(26);
    let (mut met, mut passed, mut together) = (0, 0, 0);
    for case in 0..4000 {
        let (a, b) = (random_geometry(&mut rng).proxy().unwrap(), random_geometry(&mut rng).proxy().unwrap());
        // Some turn several times, some not at all.
        let spin = [0.0, 1.0, 4.0, 15.0][case % 4];
        let (sweep_a, sweep_b) = (random_sweep(&mut rng, 2.0, 3.0, spin), random_sweep(&mut rng, 2.0, 3.0, 0.5 * spin));
        let gap = |fraction: f32| gap_at(&a, &sweep_a, &b, &sweep_b, fraction);
        let free_until = match time_of_impact(&a, &sweep_a, &b, &sweep_b, GAP, 1.0) {
            Meeting::FromStart => {
                together += 1;
                assert!(gap(0.0) <= 1.3 * GAP, "case {case}: apart by {} at the start", gap(0.0));
                continue;
            }
            Meeting::At(fraction) => {
                met += 1;
                let left = gap(fraction);
                assert!(left > 0.7 * GAP && left <= 1.3 * GAP, "case {case}: {left} m left at {fraction}");
                fraction
            }
            Meeting::Never => {
                passed += 1;
                1.0
            }
        };
        for moment in 0..MOMENTS {
            let fraction = free_until * moment as f32 / MOMENTS as f32;
            let left = gap(fraction);
            assert!(left > 0.98 * GAP, "case {case}: {left} m left at {fraction}, before {free_until}");
        }
    }
    assert!(met > 300 && passed > 300 && together > 50, "{met} met, {passed} passed, {together} were together");
}

/// A rod that spins close by a wall without touching it takes no more steps than the search allows.
#[test]
fn a_spin_past_a_wall_is_no_meeting() {
    let rod = Geometry::rectangle(1.0, 0.02).unwrap().proxy().unwrap();
    let wall = Geometry::rectangle(0.02, 10.0).unwrap().proxy().unwrap();
    let reach = vec2(0.5, 0.01).length();
    for clearance in [1.1e-3, 2.0e-3, 1.0e-2, 0.1] {
        let still = Sweep {
            center: vec2(reach + 0.01 + clearance, 0.0),
            translation: Vec2::ZERO,
            rotation: Rot::IDENTITY,
            turn: 0.0,
            local_center: Vec2::ZERO,
        };
        for turn in [1.0, 3.1, 6.3, 25.0] {
            for start in 0..32 {
                let rotation = Rot::from_angle(0.2 * start as f32);
                let spin = Sweep { center: Vec2::ZERO, rotation, turn, ..still };
                let meeting = time_of_impact(&wall, &still, &rod, &spin, 5.0e-4, 1.0);
                assert_eq!(meeting, Meeting::Never, "clearance {clearance}, turn {turn}, start {start}");
            }
        }
    }
}

/// Parts of a sweep put together are the sweep.
#[test]
fn parts_of_a_sweep_fit_together() {
    let mut rng = Rng::new(5);
    for _ in 0..100 {
        let sweep = random_sweep(&mut rng, 2.0, 3.0, 6.0);
        let (from, to) = (0.3, 0.8);
        let part = sweep.between(from, to);
        for share in [0.0, 0.5, 1.0] {
            let (whole, seen) = (sweep.pose_at(from + (to - from) * share), part.pose_at(share));
            assert!((whole.p - seen.p).length() < 1.0e-5 && (whole.q.s - seen.q.s).abs() < 1.0e-5);
        }
    }
}
