//! The tree against a plain search, and against input that wants to make it deep.

use super::*;
use crate::{Rng, math};

/// Bounds of two axes, for the tests only.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Rect {
    min: [f32; 2],
    max: [f32; 2],
}

impl Bounds for Rect {
    type Cost = f32;

    fn union(&self, other: &Self) -> Self {
        Self {
            min: [math::min(self.min[0], other.min[0]), math::min(self.min[1], other.min[1])],
            max: [math::max(self.max[0], other.max[0]), math::max(self.max[1], other.max[1])],
        }
    }

    fn overlaps(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.min[axis] <= other.max[axis] && other.min[axis] <= self.max[axis])
    }

    fn contains(&self, other: &Self) -> bool {
        (0..2).all(|axis| self.min[axis] <= other.min[axis] && other.max[axis] <= self.max[axis])
    }

    fn cost(&self) -> f32 {
        (self.max[0] - self.min[0]) + (self.max[1] - self.min[1])
    }
}

fn square(x: f32, y: f32, size: f32) -> Rect {
    Rect { min: [x, y], max: [x + size, y + size] }
}

fn random_square(rng: &mut Rng) -> Rect {
    let size = rng.range(0.1, 3.0);
    square(rng.range(0.0, 60.0), rng.range(0.0, 60.0), size)
}

fn found(tree: &Bvh<Rect>, bounds: &Rect, mask: u64) -> Vec<u32> {
    let mut users = Vec::new();
    tree.query(bounds, mask, &mut |user| {
        users.push(user);
        true
    });
    users.sort_unstable();
    users
}

#[test]
fn queries_find_what_a_plain_search_finds() {
    let mut rng = Rng::new(10);
    let mut tree: Bvh<Rect> = Bvh::new();
    // (proxy, bounds, category, user)
    let mut model: Vec<(u32, Rect, u64, u32)> = Vec::new();
    for user in 0..8000 {
        let pick = rng.below(model.len().max(1) as u32) as usize;
        let grow = user % 4000 < 2000;
        match rng.below(100) {
            action if model.is_empty() || action < if grow { 40 } else { 10 } => {
                let (bounds, category) = (random_square(&mut rng), 1 << rng.below(8));
                model.push((tree.insert(bounds, category, user), bounds, category, user));
            }
            0..45 => tree.remove(model.swap_remove(pick).0),
            45..70 => {
                model[pick].1 = random_square(&mut rng);
                tree.set_bounds(model[pick].0, model[pick].1);
            }
            70..90 => {
                let Rect { min, max } = model[pick].1;
                let by = rng.range(0.0, 1.0);
                model[pick].1 = Rect { min: [min[0] - by, min[1]], max: [max[0], max[1] + by] };
                tree.enlarge(model[pick].0, model[pick].1);
            }
            _ => {
                model[pick].2 = 1 << rng.below(8) | 1 << rng.below(8);
                tree.set_category(model[pick].0, model[pick].2);
            }
        }
        assert_eq!(tree.len(), model.len());
        if user % 10 == 0 {
            tree.validate();
            for &(proxy, bounds, category, user) in &model {
                assert_eq!((tree.bounds(proxy), tree.category(proxy), tree.user(proxy)), (bounds, category, user));
            }
            let area = square(rng.range(0.0, 50.0), rng.range(0.0, 50.0), 15.0);
            let mask = rng.next_u64() & 0xFF;
            let mut expected: Vec<u32> =
                model.iter().filter(|leaf| leaf.1.overlaps(&area) && leaf.2 & mask != 0).map(|leaf| leaf.3).collect();
            expected.sort_unstable();
            assert_eq!(found(&tree, &area, mask), expected);
            assert_eq!(tree.nodes().filter(|node| node.leaf.is_some()).count(), model.len());
            assert_eq!(tree.nodes().map(|node| node.depth).max().unwrap_or(0), tree.height());
        }
    }
    for leaf in model.drain(..) {
        tree.remove(leaf.0);
    }
    tree.validate();
    assert!(tree.is_empty() && tree.height() == 0 && tree.nodes().count() == 0 && tree.inner_cost().is_none());
    assert!(found(&tree, &square(0.0, 0.0, 99.0), u64::MAX).is_empty());
}

#[test]
fn identical_boxes_make_a_flat_tree() {
    let mut tree: Bvh<Rect> = Bvh::new();
    let proxies: Vec<u32> = (0..5000).map(|user| tree.insert(square(1.0, 1.0, 1.0), 1, user)).collect();
    tree.validate();
    assert!(tree.height() <= 20, "height {}", tree.height());
    // Take most of them away again, in an order that empties one side first, and move the others about.
    for &proxy in &proxies[..4000] {
        tree.remove(proxy);
    }
    for &proxy in &proxies[4000..] {
        tree.set_bounds(proxy, square(1.0, 1.0, 1.0));
    }
    tree.validate();
    assert!(tree.height() <= 20, "height {}", tree.height());
    assert_eq!(found(&tree, &square(1.5, 1.5, 0.1), 1), (4000..5000).collect::<Vec<_>>());
}

#[test]
fn hostile_orders_stay_shallow() {
    // Sorted along a line; nested in each other, from inside out and from outside in; growing exponentially.
    type Place = fn(u32) -> Rect;
    let cases: [(&str, Place, u32); 5] = [
        ("line", |i| square(i as f32, 0.0, 1.5), 4000),
        ("points on a line", |i| square(i as f32, i as f32, 0.0), 4000),
        ("nested growing", |i| square(-(i as f32), -(i as f32), 2.0 * i as f32), 4000),
        ("nested shrinking", |i| square(i as f32 - 4000.0, i as f32 - 4000.0, 8000.0 - 2.0 * i as f32), 4000),
        ("exponential", |i| square(f32::from_bits((i / 20 + 27) << 23), 0.0, 1e-30), 4000),
    ];
    for (name, place, count) in cases {
        let mut tree: Bvh<Rect> = Bvh::new();
        for i in 0..count {
            tree.insert(place(i), 1, i);
        }
        tree.validate();
        println!("{name}: height {}", tree.height());
        assert!(tree.height() <= 48, "{name}: height {}", tree.height());
    }
}

#[test]
fn random_boxes_make_a_good_tree() {
    let mut rng = Rng::new(11);
    let mut tree: Bvh<Rect> = Bvh::new();
    for user in 0..10_000 {
        tree.insert(square(rng.range(0.0, 300.0), rng.range(0.0, 300.0), 1.0), 1, user);
    }
    // Visits per query tell the quality: a perfect grid of 10,000 boxes needs about as many leaves as it hits,
    // and twice the height on the way.
    struct Count(Rect, u32, u32);
    impl Visitor<Rect> for Count {
        fn descend(&mut self, bounds: &Rect, _category: u64) -> bool {
            self.1 += 1;
            self.0.overlaps(bounds)
        }
        fn leaf(&mut self, _user: u32, _bounds: &Rect) -> bool {
            self.2 += 1;
            true
        }
    }
    let (mut visits, mut hits) = (0, 0);
    for _ in 0..1000 {
        let mut count = Count(square(rng.range(0.0, 300.0), rng.range(0.0, 300.0), 1.0), 0, 0);
        tree.walk(&mut count);
        visits += count.1;
        hits += count.2;
    }
    println!("visits {visits}, hits {hits}, height {}, cost {:?}", tree.height(), tree.inner_cost());
    assert!(visits < 60_000, "{visits} visits for {hits} hits");
    assert!(tree.height() <= 26, "height {}", tree.height());
}

#[test]
fn a_visit_can_end_the_walk() {
    let mut tree: Bvh<Rect> = Bvh::new();
    for user in 0..100 {
        tree.insert(square(0.0, 0.0, 1.0), 1, user);
    }
    let mut visits = 0;
    tree.query(&square(0.0, 0.0, 1.0), 1, &mut |_| {
        visits += 1;
        visits < 5
    });
    assert_eq!(visits, 5);
    assert!(found(&tree, &square(0.0, 0.0, 1.0), 2).is_empty(), "no leaf has the category");
}

#[test]
fn the_stack_spills_in_order() {
    let mut stack = Stack::new();
    (0..200).for_each(|index| stack.push(index));
    assert!((50..200).rev().all(|index| stack.pop() == Some(index)));
    (50..120).for_each(|index| stack.push(index));
    assert!((0..120).rev().all(|index| stack.pop() == Some(index)));
    assert_eq!(stack.pop(), None);
}

#[test]
fn nodes_are_compact() {
    assert_eq!(size_of::<Node<Rect>>(), 40);
}

#[test]
#[should_panic(expected = "is not a proxy")]
fn a_removed_proxy_is_noticed() {
    let mut tree: Bvh<Rect> = Bvh::new();
    let proxy = tree.insert(square(0.0, 0.0, 1.0), 1, 0);
    tree.remove(proxy);
    tree.bounds(proxy);
}

#[test]
fn a_rebuilt_tree_keeps_its_keys_and_finds_the_same() {
    let mut rng = Rng::new(21);
    let mut tree = Bvh::new();
    let mut proxies = Vec::new();
    for user in 0..200 {
        let at = [rng.range(0.0, 50.0), rng.range(0.0, 50.0)];
        proxies.push(tree.insert(Rect { min: at, max: at.map(|x| x + 1.0) }, 1 << (user % 3), user));
    }
    for user in (0..200).step_by(7) {
        tree.remove(proxies[user]);
    }
    let moved = |user: u32| {
        let at = [(user * 37 % 101) as f32, (user * 53 % 97) as f32];
        Rect { min: at, max: at.map(|x| x + 2.0) }
    };
    // Rows from left to right; several leaves have the same place.
    tree.rebuild(moved, |rect| (rect.min[1] / 10.0) as u64 * 64 + (rect.min[0] / 2.0) as u64);
    tree.validate();
    let asked = Rect { min: [20.0, 20.0], max: [60.0, 45.0] };
    let mut found = Vec::new();
    tree.query(&asked, 0b10, &mut |user| {
        found.push(user);
        true
    });
    found.sort_unstable();
    let expected: Vec<u32> =
        (0..200).filter(|user| user % 7 != 0 && user % 3 == 1 && moved(*user).overlaps(&asked)).collect();
    assert_eq!(found, expected);
    assert_eq!(tree.bounds(proxies[1]), moved(1));

    let mut empty: Bvh<Rect> = Bvh::new();
    empty.rebuild(moved, |_| 0);
    empty.validate();
}

/// A tree that was written and read visits in the same order, and goes on like the other.
#[test]
fn a_tree_comes_back_from_a_snapshot() {
    use crate::{SnapshotReader, SnapshotWriter};
    let mut rng = Rng::new(17);
    let mut boxes: Vec<Option<Rect>> = Vec::new();
    let mut tree: Bvh<Rect> = Bvh::new();
    let mut proxies = Vec::new();
    for user in 0..200 {
        let square = random_square(&mut rng);
        boxes.push(Some(square));
        proxies.push(tree.insert(square, 1 << (user % 5), user));
    }
    for user in (0..200).step_by(7) {
        tree.remove(proxies[user]);
        boxes[user] = None;
    }
    for user in (1..200).step_by(7) {
        let square = random_square(&mut rng);
        boxes[user] = Some(square);
        tree.set_bounds(proxies[user], square);
    }
    let write = |tree: &Bvh<Rect>| {
        let mut bytes = Vec::new();
        tree.write(&mut SnapshotWriter::new(&mut bytes), |writer, bounds| {
            bounds.min.iter().chain(&bounds.max).for_each(|number| writer.word(number.to_bits().into()));
        });
        bytes
    };
    let read = |bytes: &[u8]| {
        let leaf = |user: u32| boxes.get(user as usize).copied().flatten();
        let bounds = |reader: &mut SnapshotReader<'_>| {
            let mut number = || reader.word().map(|word| f32::from_bits(word as u32));
            Ok(Rect { min: [number()?, number()?], max: [number()?, number()?] })
        };
        Bvh::read(&mut SnapshotReader::new(bytes, 0), leaf, bounds, square(0.0, 0.0, 0.0))
    };
    let bytes = write(&tree);
    let mut other = read(&bytes).unwrap();
    other.validate();
    assert!(tree.nodes().eq(other.nodes()) && write(&other) == bytes);
    for _ in 0..50 {
        let square = random_square(&mut rng);
        assert_eq!(tree.insert(square, 1, 1000), other.insert(square, 1, 1000));
    }
    assert!(tree.nodes().eq(other.nodes()));
    for _ in 0..20_000 {
        let mut wrong = bytes.clone();
        let place = rng.below(wrong.len() as u32) as usize;
        wrong[place] = rng.next_u32() as u8;
        if let Ok(tree) = read(&wrong) {
            tree.validate();
        }
    }
}
