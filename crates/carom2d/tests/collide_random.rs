//! Contacts of random pairs against GJK, against brute force and against themselves.
#![allow(clippy::disallowed_methods)] // References may use the platform's sine.

use carom_core::Rng;
use carom2d::collide::{FAR_END, LINEAR_SLOP, Manifold, Reference, SPECULATIVE_DISTANCE, collide};
use carom2d::math::{Pose, Vec2, vec2};
use carom2d::shape::{Circle, Geometry, Polygon, Proxy, distance};
use std::f32::consts::TAU;

/// Shapes of 0.1 to 6 m, of every kind.
fn random_geometry(rng: &mut Rng) -> Geometry {
    let size = [0.2, 1.0, 3.0][rng.below(3) as usize];
    let spot = |rng: &mut Rng| size * vec2(rng.range(-1.0, 1.0), rng.range(-1.0, 1.0));
    loop {
        let result = match rng.below(7) {
            0 => Circle::new(spot(rng), size * rng.range(0.05, 1.0)).map(Geometry::from),
            1 => Geometry::capsule(spot(rng), spot(rng), size * rng.range(0.05, 0.5)),
            2 => Geometry::segment(spot(rng), spot(rng)),
            3 => Geometry::rectangle(size * rng.range(0.1, 2.0), size * rng.range(0.1, 2.0)),
            4 => Polygon::regular(3 + rng.below(14) as usize, size * rng.range(0.1, 1.0)).map(Geometry::from),
            5 => Geometry::convex(&(0..3 + rng.below(9)).map(|_| spot(rng)).collect::<Vec<_>>()),
            _ => Geometry::rounded(
                &(0..3 + rng.below(9)).map(|_| spot(rng)).collect::<Vec<_>>(),
                size * rng.range(0.02, 0.5),
            ),
        };
        if let Ok(geometry) = result {
            return geometry;
        }
    }
}

struct Pair {
    a: Geometry,
    b: Geometry,
    proxy_a: Proxy,
    proxy_b: Proxy,
    pose: Pose,
    /// The larger size, at least 1 m: what f32 errors are measured by.
    scale: f32,
}

/// Pairs at random, a third each: anywhere, brought to within 0.1 m of touching, and with
/// axis-aligned poses on a grid, where everything ties.
struct Pairs {
    rng: Rng,
    pool: Vec<(Geometry, Proxy)>,
}

impl Pairs {
    fn new(seed: u64) -> Pairs {
        let mut rng = Rng::new(seed);
        let pool = (0..3000)
            .map(|_| {
                let geometry = random_geometry(&mut rng);
                let proxy = geometry.proxy().unwrap();
                (geometry, proxy)
            })
            .collect();
        Pairs { rng, pool }
    }

    fn next(&mut self) -> Pair {
        let Pairs { rng, pool } = self;
        let (a, proxy_a) = pool[rng.below(pool.len() as u32) as usize].clone();
        let (b, proxy_b) = pool[rng.below(pool.len() as u32) as usize].clone();
        let size = a.extent(a.centroid()) + b.extent(b.centroid());
        let mut pose = Pose::new(Vec2::ZERO, rng.range(-TAU, TAU));
        if rng.below(5) == 0 {
            pose = Pose::new(Vec2::ZERO, TAU / 4.0 * rng.below(4) as f32);
        }
        let angle = rng.range(0.0, TAU);
        let apart = size * rng.range(0.0, 1.2) * vec2(angle.cos(), angle.sin());
        pose.p = a.centroid() + apart - pose.q.rotate(b.centroid());
        match rng.below(3) {
            0 => {
                let found = distance(&proxy_a, &proxy_b, pose);
                pose.p -= found.normal * (found.distance + rng.range(-0.1, 0.1) * rng.f32() * rng.f32());
            }
            1 => pose.p = (pose.p * 4.0).round() * 0.25,
            _ => {}
        }
        Pair { a, b, proxy_a, proxy_b, pose, scale: if size > 1.0 { size } else { 1.0 } }
    }
}

impl Pair {
    fn show(&self) -> String {
        format!("{:?}\n{:?}\n{:?}", self.a, self.b, self.pose)
    }
}

fn deepest(manifold: &Manifold) -> f32 {
    manifold.points().iter().fold(f32::MAX, |low, point| if point.separation < low { point.separation } else { low })
}

fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Larger than any gap in here.
const WIDE: f32 = 100.0;

#[test]
fn a_million_pairs_agree_with_gjk() {
    const COUNT: usize = 1_000_000;
    let mut pairs = Pairs::new(1);
    let (mut worst_apart, mut worst_overlap) = (0.0_f32, 0.0_f32);
    let (mut apart, mut overlapping, mut tight) = (0, 0, 0);
    for _ in 0..COUNT {
        let pair = pairs.next();
        let manifold = collide(&pair.a, &pair.b, pair.pose, WIDE, Reference::None);
        assert!(manifold.count >= 1, "no contact\n{}", pair.show());
        assert!((manifold.normal.length() - 1.0).abs() < 1.0e-5);
        let separation = deepest(&manifold);
        let gjk = distance(&pair.proxy_a, &pair.proxy_b, pair.pose).distance;
        let tolerance = 1.0e-4 * pair.scale;
        if gjk > 0.0 {
            // Apart: the deepest point is as far away as the shapes are.
            apart += 1;
            let error = (separation - gjk).abs() / pair.scale;
            worst_apart = larger(worst_apart, error);
            assert!(error <= 1.0e-4, "separation {separation}, GJK {gjk}\n{manifold:?}\n{}", pair.show());
        } else {
            overlapping += 1;
            worst_overlap = larger(worst_overlap, separation);
            assert!(separation <= tolerance, "separation {separation}, GJK 0\n{manifold:?}\n{}", pair.show());
        }
        if separation < 0.0 {
            // The normal is a way out: after going it there is no overlap left.
            let out = |extra: f32| {
                let pose = Pose { p: pair.pose.p + manifold.normal * (extra - separation), q: pair.pose.q };
                distance(&pair.proxy_a, &pair.proxy_b, pose).distance
            };
            assert!(out(tolerance) > 0.0, "no way out by {separation}\n{manifold:?}\n{}", pair.show());
            if out(1.0e-5 * pair.scale) <= 0.0 {
                tight += 1;
            }
        }
    }
    println!(
        "{apart} apart: worst disagreement {worst_apart:e} of the size; {overlapping} overlapping: \
         largest separation {worst_overlap:e} m; {tight} exits needed more than 1e-5 of the size"
    );
    assert!(apart > COUNT / 5 && overlapping > COUNT / 5);
}

#[test]
fn the_way_out_is_the_shortest() {
    // The overlap along a direction u is h_A(u) + h_B(-u) with the support functions h. Its
    // minimum over all directions is the penetration depth; scan them.
    let support = |proxy: &Proxy, u: Vec2| {
        proxy.points[..proxy.count].iter().map(|p| p.dot(u)).fold(f32::MIN, larger) + proxy.radius
    };
    let mut pairs = Pairs::new(2);
    let mut worst = 0.0_f32;
    for _ in 0..30_000 {
        let pair = pairs.next();
        let separation = deepest(&collide(&pair.a, &pair.b, pair.pose, WIDE, Reference::None));
        if separation >= 0.0 {
            continue;
        }
        for i in 0..180 {
            let angle = TAU * i as f32 / 180.0;
            let u = vec2(angle.cos(), angle.sin());
            let along =
                support(&pair.proxy_a, u) - pair.pose.p.dot(u) + support(&pair.proxy_b, -pair.pose.q.inv_rotate(u));
            worst = larger(worst, (-separation - along) / pair.scale);
            assert!(
                -separation <= along + 1.0e-4 * pair.scale,
                "depth {} but {along} along {u}\n{}",
                -separation,
                pair.show()
            );
        }
    }
    println!("depth above the shortest way out by at most {worst:e} of the size");
}

#[test]
fn swapping_the_shapes_mirrors_the_contact() {
    let mut pairs = Pairs::new(3);
    let (mut worst_point, mut worst_separation, mut different) = (0.0_f32, 0.0_f32, 0);
    for round in 0..300_000 {
        let pair = pairs.next();
        let margin = if round % 2 == 0 { WIDE } else { SPECULATIVE_DISTANCE };
        let inverse = pair.pose.inv_mul(Pose::IDENTITY);
        let ab = collide(&pair.a, &pair.b, pair.pose, margin, Reference::None);
        let ba = collide(&pair.b, &pair.a, inverse, margin, Reference::None);
        let tolerance = 1.0e-5 * pair.scale;
        let normal = -pair.pose.q.rotate(ba.normal);
        // Two ways out of the same length, or a gap of just the margin: rounding chooses. So
        // it does where two centres almost coincide.
        let tie = ab.count != ba.count || (ab.normal - normal).length() > 1.0e-5;
        if tie {
            different += 1;
            let near = if ab.count == 0 {
                (deepest(&ba) - margin).abs()
            } else if ba.count == 0 {
                (deepest(&ab) - margin).abs()
            } else if ab.count != ba.count {
                0.0
            } else {
                (deepest(&ab) - deepest(&ba)).abs()
            };
            assert!(near <= tolerance, "{near}\n{ab:?}\n{ba:?}\n{}", pair.show());
            continue;
        }
        for point in ab.points() {
            let twin = ba.points().iter().find(|twin| twin.id == point.id.swap_bytes());
            let twin = twin.unwrap_or_else(|| panic!("no twin of {point:?}\n{ab:?}\n{ba:?}\n{}", pair.show()));
            worst_point = larger(worst_point, (pair.pose.point(twin.point) - point.point).length() / pair.scale);
            worst_separation = larger(worst_separation, (twin.separation - point.separation).abs() / pair.scale);
            assert!(worst_point <= 1.0e-5 && worst_separation <= 1.0e-5, "{ab:?}\n{ba:?}\n{}", pair.show());
        }
    }
    println!("points within {worst_point:e}, separations within {worst_separation:e} of the size; {different} ties");
    assert!(different < 3_000);
}

#[test]
fn points_beyond_the_margin_are_left_out() {
    let mut pairs = Pairs::new(4);
    for _ in 0..200_000 {
        let pair = pairs.next();
        let wide = collide(&pair.a, &pair.b, pair.pose, WIDE, Reference::None);
        let near = collide(&pair.a, &pair.b, pair.pose, SPECULATIVE_DISTANCE, Reference::None);
        // Of an edge with one end within the margin, the other end may be farther off.
        let is_near = wide.points().iter().any(|p| p.separation <= SPECULATIVE_DISTANCE);
        let reach = if is_near { FAR_END * SPECULATIVE_DISTANCE } else { SPECULATIVE_DISTANCE };
        let kept: Vec<_> = wide.points().iter().filter(|p| p.separation <= reach).copied().collect();
        assert_eq!(near.points(), kept, "{}", pair.show());
        if near.count == 0 {
            assert_eq!(near, Manifold::default());
        } else {
            assert_eq!((near.normal, near.reference), (wide.normal, wide.reference));
        }
    }
}

#[test]
fn a_hint_costs_at_most_its_tolerance() {
    // Whatever the hint, even nonsense, the depth is right to 0.1 slop and the rest holds.
    let mut pairs = Pairs::new(5);
    let mut worst = 0.0_f32;
    for _ in 0..200_000 {
        let pair = pairs.next();
        let edge = pairs.rng.below(20) as u8;
        let hint = if pairs.rng.below(2) == 0 { Reference::A(edge) } else { Reference::B(edge) };
        let free = deepest(&collide(&pair.a, &pair.b, pair.pose, WIDE, Reference::None));
        let hinted = deepest(&collide(&pair.a, &pair.b, pair.pose, WIDE, hint));
        worst = larger(worst, (free - hinted).abs());
        assert!(
            (free - hinted).abs() <= 0.1 * LINEAR_SLOP + 1.0e-4 * pair.scale,
            "{free} {hinted} {hint:?}\n{}",
            pair.show()
        );
    }
    println!("a hint moved the deepest point by at most {worst:e} m");
}
