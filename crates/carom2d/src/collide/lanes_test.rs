//! What lanes find is to the bit what is found one by one, with all instructions that the machine has.

use super::discs::DiscsSideBySide;
use super::edges::{FoundEdges, SearchSideBySide};
use super::form::{Form, Pairing};
use super::wide::LanePoses;
use super::{EdgeRule, Lease, Manifold, ManifoldPoint, Reference, SPECULATIVE_DISTANCE, search};
use crate::math::{Pose, Rot, Vec2, vec2};
use crate::shape::{Geometry, Polygon};
use carom_core::Rng;
use carom_wide::{LANES, Lanes, Lanes2, Task, Wide, Wide2, Width, each_part};

fn random_form(rng: &mut Rng) -> Geometry {
    let offset = if rng.below(3) == 0 { vec2(rng.range(-2.0, 2.0), rng.range(-2.0, 2.0)) } else { Vec2::ZERO };
    let polygon = |rng: &mut Rng| Polygon::regular(3 + rng.below(2) as usize, rng.range(0.2, 0.8)).unwrap();
    let shape = match rng.below(6) {
        0 => Geometry::circle(rng.range(0.1, 0.8)).unwrap(),
        1 => Geometry::capsule(vec2(-0.4, 0.0), vec2(rng.range(-0.2, 1.0), 0.1), rng.range(0.05, 0.3)).unwrap(),
        2 => Geometry::segment(vec2(-0.7, 0.0), vec2(0.7, 0.2)).unwrap(),
        3 => Geometry::rectangle(rng.range(0.2, 1.5), rng.range(0.2, 1.5)).unwrap(),
        4 => polygon(rng).into(),
        _ => polygon(rng).with_radius(0.1).unwrap().into(),
    };
    shape.transformed(Pose::new(offset, rng.range(-0.1, 0.1)))
}

/// One pair per lane, all of one kind.
struct Pairs<'a> {
    pairing: Pairing,
    forms: [[&'a Form; LANES]; 2],
    poses: [Pose; LANES],
    hints: [Reference; LANES],
}

/// The manifolds that lanes found, and leases; nothing where they leave it to others.
impl Task for &Pairs<'_> {
    type Output = Vec<Option<(Manifold, Lease)>>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let numbers = |number: fn(&Pose) -> f32| Wide(self.poses.each_ref().map(number));
        let (x, y, c, s) = (numbers(|p| p.p.x), numbers(|p| p.p.y), numbers(|p| p.q.c), numbers(|p| p.q.s));
        let hint_a = self.hints.map(|hint| if let Reference::A(edge) = hint { f32::from(edge) } else { -1.0 });
        let hint_b = self.hints.map(|hint| if let Reference::B(edge) = hint { f32::from(edge) } else { -1.0 });
        let mut all = Vec::new();
        for first in each_part::<L>(LANES) {
            let p = Lanes2 { x: L::load(&x, first), y: L::load(&y, first) };
            let b_in_a = LanePoses { p, c: L::load(&c, first), s: L::load(&s, first) };
            let mut normal = Wide2::ZERO;
            let (mut points, mut separations) = ([Wide2::ZERO; 2], [Wide::ZERO; 2]);
            let (mut edges, mut limits) = (FoundEdges::default(), [Wide::ZERO; 2]);
            let (present, known, apart);
            if self.pairing == Pairing::Edges {
                let found = SearchSideBySide::<L>::find(
                    |lane| self.forms[0][first + lane],
                    |lane| self.forms[1][first + lane],
                    [L::load(&Wide(hint_a), first), L::load(&Wide(hint_b), first)],
                    &b_in_a,
                    SPECULATIVE_DISTANCE,
                );
                found.contact.normal.store(&mut normal, first);
                for place in 0..2 {
                    found.contact.points[place].store(&mut points[place], first);
                    found.contact.separations[place].store(&mut separations[place], first);
                }
                found.apart_for.distance_squared.store(&mut limits[0], first);
                found.apart_for.turn_squared.store(&mut limits[1], first);
                edges.store(first, &found);
                (present, known, apart) = (found.contact.present, found.known, found.apart);
            } else {
                let (mut discs, mut others, mut disc_first) = (self.forms[1], self.forms[0], 0);
                for lane in 0..LANES {
                    if !discs[lane].is_disc() {
                        (discs[lane], others[lane]) = (others[lane], discs[lane]);
                        disc_first |= 1 << lane;
                    }
                }
                let found = DiscsSideBySide::<L>::find(
                    self.pairing,
                    |lane| discs[first + lane],
                    |lane| others[first + lane],
                    disc_first >> first & ((1 << L::COUNT) - 1),
                    &b_in_a,
                    SPECULATIVE_DISTANCE,
                );
                found.normal.store(&mut normal, first);
                found.point.store(&mut points[0], first);
                found.separation.store(&mut separations[0], first);
                found.apart.distance_squared.store(&mut limits[0], first);
                found.apart.turn_squared.store(&mut limits[1], first);
                (present, known, apart) = ([found.present, 0], found.known, !found.present);
            }
            for lane in first..first + L::COUNT {
                let bit = |bits: u32| bits >> (lane - first) & 1 != 0;
                if !bit(known) {
                    all.push(None);
                    continue;
                }
                let mut lease = Lease::NONE;
                if bit(apart) {
                    lease.set_apart(self.poses[lane], limits[0].0[lane], limits[1].0[lane]);
                }
                let (mut manifold, mut ids) = (Manifold::default(), [0; 2]);
                if bit(present[0] | present[1]) {
                    if self.pairing == Pairing::Edges {
                        let [a, b] = self.forms.map(|forms| forms[lane]);
                        ids = edges.write(lane, a, b, self.poses[lane], &mut lease);
                        manifold.reference = edges.reference(lane);
                    }
                    manifold.normal = vec2(normal.x.0[lane], normal.y.0[lane]);
                }
                for place in (0..2).filter(|&place| bit(present[place])) {
                    let point = vec2(points[place].x.0[lane], points[place].y.0[lane]);
                    let separation = separations[place].0[lane];
                    manifold.points[manifold.count as usize] = ManifoldPoint { point, separation, id: ids[place] };
                    manifold.count += 1;
                }
                all.push(Some((manifold, lease)));
            }
        }
        all
    }
}

/// Random forms near each other, with whatever was the reference at a pose nearby; and leases that hold say what a
/// search says.
#[test]
fn lanes_find_what_is_found_one_by_one() {
    let mut rng = Rng::new(5);
    let alone = |a: &Geometry, b: &Geometry, pose: Pose, hint: Reference| {
        search(a, b, pose, SPECULATIVE_DISTANCE, hint, EdgeRule::Steady).0
    };
    let (mut touching, mut known, mut held, mut count) = (0, 0, 0, 0);
    for round in 0..100 {
        let wanted = [Pairing::Edges, Pairing::Discs, Pairing::DiscAndSegment, Pairing::DiscAndPolygon, Pairing::Edges];
        let pairing = wanted[round % wanted.len()];
        let mut shapes = Vec::new();
        while shapes.len() < LANES {
            let (a, b) = (random_form(&mut rng), random_form(&mut rng));
            if Pairing::of(&Form::new(&a), &Form::new(&b)) != pairing {
                continue;
            }
            // From the middle outwards until they hardly touch, and a little back or on.
            let mut pose = Pose::new(a.centroid() - b.centroid(), rng.range(-3.2, 3.2));
            let away = Rot::from_angle(rng.range(-3.0, 3.0)).x_axis();
            if rng.below(4) == 0 {
                pose.q = Rot::IDENTITY;
            }
            while alone(&a, &b, pose, Reference::None).count > 0 {
                pose.p += away * 0.02;
            }
            let deepest = if rng.below(2) == 0 { 0.03 } else { 0.2 };
            pose.p -= away * rng.range(-0.02, deepest);
            let before = Pose { p: pose.p + vec2(rng.range(-0.03, 0.03), rng.range(-0.03, 0.03)), q: pose.q };
            let hint = alone(&a, &b, before, Reference::None).reference;
            shapes.push((a, b, pose, hint));
        }
        let forms: Vec<[Form; 2]> = shapes.iter().map(|(a, b, ..)| [Form::new(a), Form::new(b)]).collect();
        let pairs = Pairs {
            pairing,
            forms: [0, 1].map(|side| std::array::from_fn(|lane| &forms[lane][side])),
            poses: std::array::from_fn(|lane| shapes[lane].2),
            hints: std::array::from_fn(|lane| shapes[lane].3),
        };
        for width in Width::all() {
            for ((a, b, pose, hint), found) in shapes.iter().zip(width.run(&pairs)) {
                count += 1;
                let Some((manifold, lease)) = found else { continue };
                let expected = alone(a, b, *pose, *hint);
                assert_eq!(manifold, expected, "{width}: {a:?} and {b:?} at {pose:?} after {hint:?}");
                known += 1;
                touching += u32::from(manifold.count > 0);
                for size in [1.0e-4, 1.0e-3, 1.0e-2] {
                    let p = pose.p + vec2(rng.range(-size, size), rng.range(-size, size));
                    let moved = Pose { p, q: pose.q.turned(rng.range(-size, size)) };
                    if let Some(leased) = lease.manifold(moved, SPECULATIVE_DISTANCE, manifold.reference) {
                        held += 1;
                        let expected = alone(a, b, moved, manifold.reference);
                        assert_eq!(leased, expected, "{width}: {a:?} and {b:?} at {moved:?} by {lease:?}");
                    }
                }
            }
        }
    }
    // Otherwise there would be little to compare.
    assert!(known > count / 10 * 9 && touching > count / 4 && held > count / 4, "{known} {touching} {held} of {count}");
}
