//! Concave polygons: whatever their form, their pieces are convex and fill them exactly.

use carom_core::Rng;
use carom2d::DefError;
use carom2d::math::{Vec2, cross, sin_cos, vec2};
use carom2d::shape::{Concave, Geometry, MAX_POLYGON_VERTICES};
use std::f32::consts::TAU;

fn polar(angle: f32, radius: f32) -> Vec2 {
    let (s, c) = sin_cos(angle);
    radius * vec2(c, s)
}

/// Rays of random length.
fn star(rng: &mut Rng, count: usize) -> Vec<Vec2> {
    (0..count).map(|i| polar(TAU * i as f32 / count as f32, rng.range(1.0, 3.0))).collect()
}

/// A band that winds around the origin several times.
fn spiral(count: usize) -> Vec<Vec2> {
    let half = count / 2;
    let arm = |i: usize, out: f32| polar(0.15 * i as f32, 1.0 + 0.03 * i as f32 + out);
    (0..half).map(|i| arm(i, 0.0)).chain((0..half).rev().map(|i| arm(i, 0.4))).collect()
}

/// A back with many teeth.
fn comb(teeth: usize) -> Vec<Vec2> {
    let mut points = vec![vec2(0.0, 0.0), vec2(teeth as f32, 0.0)];
    for i in (0..teeth).rev() {
        let x = i as f32;
        points.extend([vec2(x + 0.9, 0.5), vec2(x + 0.8, 5.0), vec2(x + 0.2, 5.0), vec2(x + 0.1, 0.5)]);
    }
    points
}

/// Random points joined by a tour from which all crossings have been taken out (2-opt).
fn tangle(rng: &mut Rng, count: usize) -> Vec<Vec2> {
    let mut points: Vec<Vec2> = (0..count).map(|_| vec2(rng.range(-5.0, 5.0), rng.range(-5.0, 5.0))).collect();
    let side = |a: Vec2, b: Vec2, c: Vec2| cross(b - a, c - a) > 0.0;
    loop {
        let mut crossed = false;
        for i in 0..count - 1 {
            for j in i + 2..count {
                let (a, b, c, d) = (points[i], points[i + 1], points[j], points[(j + 1) % count]);
                if (i, j) != (0, count - 1) && side(a, b, c) != side(a, b, d) && side(c, d, a) != side(c, d, b) {
                    points[i + 1..=j].reverse();
                    crossed = true;
                }
            }
        }
        if !crossed {
            return points;
        }
    }
}

fn area(ring: &[Vec2]) -> f64 {
    let corner = |i: usize| (f64::from(ring[i % ring.len()].x), f64::from(ring[i % ring.len()].y));
    (0..ring.len()).map(|i| 0.5 * (corner(i).0 * corner(i + 1).1 - corner(i).1 * corner(i + 1).0)).sum()
}

fn inside(ring: &[Vec2], p: Vec2) -> bool {
    let mut odd = false;
    for i in 0..ring.len() {
        let (a, b) = (ring[i], ring[(i + 1) % ring.len()]);
        if (a.y > p.y) != (b.y > p.y) {
            let x = f64::from(a.x)
                + (f64::from(p.y) - f64::from(a.y)) * (f64::from(b.x) - f64::from(a.x))
                    / (f64::from(b.y) - f64::from(a.y));
            odd ^= f64::from(p.x) < x;
        }
    }
    odd
}

/// Checks everything that pieces must be.
fn check(name: &str, rng: &mut Rng, outline: &[Vec2], holes: &[Vec<Vec2>]) -> Concave {
    let concave = Concave::new(outline, holes).unwrap_or_else(|error| panic!("{name}: {error}"));
    let whole = area(outline).abs() - holes.iter().map(|hole| area(hole).abs()).sum::<f64>();
    let mut sum = 0.0;
    let mut solid_edges = 0;
    for part in concave.parts() {
        let vertices = part.vertices();
        let count = vertices.len();
        assert!((3..=MAX_POLYGON_VERTICES).contains(&count), "{name}");
        for i in 0..count {
            let (a, b, c) = (vertices[i], vertices[(i + 1) % count], vertices[(i + 2) % count]);
            let wide = |p: Vec2| (f64::from(p.x), f64::from(p.y));
            let ((ax, ay), (bx, by), (cx, cy)) = (wide(a), wide(b), wide(c));
            assert!((bx - ax) * (cy - by) - (by - ay) * (cx - bx) > 0.0, "{name}: {vertices:?} is not convex");
            solid_edges += usize::from(part.is_solid(i));
        }
        sum += area(vertices);
    }
    assert!((sum / whole - 1.0).abs() < 1.0e-6, "{name}: areas {sum} and {whole}");
    // Each edge of the outline belongs to one piece, flat corners aside, which are left out.
    assert!(solid_edges <= outline.len() + holes.iter().map(Vec::len).sum::<usize>(), "{name}");
    // The areas add up, so pieces that cover everything cannot overlap.
    let aabb = Geometry::from(concave.clone()).aabb(carom2d::math::Pose::IDENTITY);
    let grain = 1.0e-5 * (aabb.max - aabb.min).length();
    for _ in 0..300 {
        let p = vec2(rng.range(aabb.min.x, aabb.max.x), rng.range(aabb.min.y, aabb.max.y));
        let expected = inside(outline, p) && !holes.iter().any(|hole| inside(hole, p));
        let covering = concave
            .parts()
            .iter()
            .filter(|part| part.polygon().unwrap().vertices().len() > 2)
            .filter(|part| Geometry::Part((*part).clone()).contains(p));
        let covering = covering.count();
        let rings = std::iter::once(outline).chain(holes.iter().map(Vec::as_slice));
        let at_edge =
            rings.flat_map(|ring| (0..ring.len()).map(move |i| (ring[i], ring[(i + 1) % ring.len()]))).any(|(a, b)| {
                let t = ((p - a).dot(b - a) / (b - a).length_squared()).clamp(0.0, 1.0);
                (a + (b - a) * t - p).length() < grain
            });
        assert!(at_edge || (covering > 0) == expected, "{name}: {p} is covered by {covering} pieces");
        // Two only where a cut runs through the point.
        assert!(covering <= 2, "{name}: {p} is covered by {covering} pieces");
    }
    concave
}

#[test]
fn pieces_fill_random_polygons() {
    let mut rng = Rng::new(7);
    for count in [3, 4, 5, 8, 17, 60, 500, 3000] {
        let points = star(&mut rng, count);
        check(&format!("star {count}"), &mut rng, &points, &[]);
    }
    for count in [8, 40, 400, 2000] {
        check(&format!("spiral {count}"), &mut rng, &spiral(count), &[]);
    }
    for teeth in [1, 2, 10, 300] {
        check(&format!("comb {teeth}"), &mut rng, &comb(teeth), &[]);
    }
    for round in 0..60 {
        let count = 4 + rng.below(60) as usize;
        let points = tangle(&mut rng, count);
        check(&format!("tangle {round} of {count}"), &mut rng, &points, &[]);
    }
    let points = tangle(&mut rng, 400);
    check("large tangle", &mut rng, &points, &[]);
}

#[test]
fn pieces_go_around_holes() {
    let mut rng = Rng::new(8);
    for holes in [1_usize, 2, 5, 40] {
        let outline: Vec<Vec2> = star(&mut rng, 50).iter().map(|p| *p * (5.0 + holes as f32)).collect();
        // On a grid within the shortest ray, turned at random.
        let side = (holes as f32).sqrt().ceil() as usize;
        let mut rings = Vec::new();
        for k in 0..holes {
            let (i, j) = ((k % side) as f32, (k / side) as f32);
            let middle = (vec2(i, j) - Vec2::splat(0.5 * (side as f32 - 1.0))) * 0.9;
            let count = 3 + rng.below(9) as usize;
            let turn = rng.range(0.0, TAU);
            let hole = (0..count).map(|i| middle + polar(turn + TAU * i as f32 / count as f32, rng.range(0.15, 0.4)));
            rings.push(hole.collect::<Vec<Vec2>>());
        }
        check(&format!("{holes} holes"), &mut rng, &outline, &rings);
    }
    // A frame, and a frame in line with its hole.
    let square = |half: f32| vec![vec2(-half, -half), vec2(half, -half), vec2(half, half), vec2(-half, half)];
    let frame = check("frame", &mut rng, &square(2.0), &[square(1.0)]);
    assert!(!Geometry::from(frame).contains(Vec2::ZERO));
}

#[test]
fn the_winding_of_the_input_does_not_matter() {
    let mut rng = Rng::new(9);
    for _ in 0..20 {
        let mut points = tangle(&mut rng, 30);
        let there = Concave::new(&points, &[]).unwrap();
        points.reverse();
        assert_eq!(there, Concave::new(&points, &[]).unwrap());
        points.rotate_left(7);
        assert_eq!(there, Concave::new(&points, &[]).unwrap());
    }
}

/// Few pieces where few will do.
#[test]
fn letters_take_few_pieces() {
    let l = [vec2(0.0, 0.0), vec2(2.0, 0.0), vec2(2.0, 1.0), vec2(1.0, 1.0), vec2(1.0, 3.0), vec2(0.0, 3.0)];
    let concave = Concave::new(&l, &[]).unwrap();
    assert_eq!(concave.parts().len(), 2);
    // Area 4: a foot of 2 by 1 and a stem of 1 by 2 on it, I about the common centre in closed form.
    let mass = Geometry::from(concave).mass(1.0);
    assert!((mass.mass - 4.0).abs() < 1.0e-6);
    assert!((mass.center - vec2(0.75, 1.25)).length() < 1.0e-6);
    let foot = 2.0 * (4.0 + 1.0) / 12.0 + 2.0 * (0.25_f32 * 0.25 + 0.75 * 0.75);
    let stem = 2.0 * (1.0 + 4.0) / 12.0 + 2.0 * (0.25_f32 * 0.25 + 0.75 * 0.75);
    assert!((mass.inertia - foot - stem).abs() < 1.0e-5);
    let convex = Geometry::convex(&(0..200).map(|i| polar(TAU * i as f32 / 200.0, 1.0)).collect::<Vec<_>>()).unwrap();
    assert!(convex.parts().len() <= 40, "{} pieces", convex.parts().len());
}

fn message(outline: &[Vec2], holes: &[Vec<Vec2>]) -> String {
    match Concave::new(outline, holes) {
        Err(error @ DefError::Field { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_polygon_is_refused() {
    let square = |x: f32, half: f32| {
        vec![vec2(x - half, -half), vec2(x + half, -half), vec2(x + half, half), vec2(x - half, half)]
    };
    assert!(message(&[], &[]).contains("at least three points"));
    assert!(message(&square(0.0, 1.0)[..2], &[]).contains("at least three points"));
    assert!(message(&[vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0)], &[]).contains("points 1 and 2"));
    assert!(message(&[vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(2.0, 0.0)], &[]).contains("area"));
    assert!(message(&[vec2(0.0, 0.0), vec2(f32::NAN, 0.0), vec2(2.0, 3.0)], &[]).contains("finite"));
    // A bow tie with one side larger: edges 0 and 2.
    let bow = [vec2(0.0, 0.0), vec2(2.0, 2.0), vec2(2.0, 0.0), vec2(0.0, 1.0)];
    let text = message(&bow, &[]);
    assert!(text.contains("edge 0 of the outline") && text.contains("edge 2 of the outline"), "{text}");
    // A corner on another edge, and the same corner twice.
    let touch = [vec2(0.0, 0.0), vec2(4.0, 0.0), vec2(4.0, 4.0), vec2(2.0, 0.0), vec2(0.0, 4.0)];
    assert!(message(&touch, &[]).contains("neither cross nor touch"));
    // A spike without width.
    let spike = [vec2(0.0, 0.0), vec2(2.0, 0.0), vec2(2.0, 2.0), vec2(5.0, 2.0), vec2(1.0, 2.0), vec2(0.0, 2.0)];
    assert!(message(&spike, &[]).contains("neither cross nor touch"));
    assert!(message(&square(0.0, 2.0), &[square(5.0, 1.0)]).contains("inside of the outline"));
    assert!(message(&square(0.0, 2.0), &[square(2.0, 1.0)]).contains("hole"));
    assert!(message(&square(0.0, 4.0), &[square(0.0, 1.0), square(0.5, 1.0)]).contains("hole"));
    assert!(message(&square(0.0, 4.0), &[square(0.0, 2.0), square(0.0, 1.0)]).contains("in each other"));
    assert!(message(&square(0.0, 4.0), &[square(0.0, 1.0)[..2].to_vec()]).contains("at least three"));
}

/// Ten thousand vertices in less than a second, whatever their form.
#[test]
fn large_polygons_take_little_time() {
    let mut rng = Rng::new(10);
    let (star, spiral, comb) = (star(&mut rng, 10_000), spiral(10_000), comb(2500));
    for (name, points) in [("star", star), ("spiral", spiral), ("comb", comb)] {
        let start = std::time::Instant::now();
        let concave = Concave::new(&points, &[]).unwrap();
        let seconds = start.elapsed().as_secs_f64();
        println!("{name}: {} pieces of {} vertices in {seconds:.3} s", concave.parts().len(), points.len());
        // A machine under load is given five times as long.
        assert!(seconds < 5.0, "{name}: {seconds} s");
    }
}
