//! Every width against single numbers.

use super::*;

const NUMBERS: [f32; LANES] = [
    0.0,
    -0.0,
    1.5,
    -2.25,
    3.0e-39,
    1.0e38,
    f32::INFINITY,
    0.1,
    -0.0,
    0.0,
    f32::NAN,
    f32::NEG_INFINITY,
    1.0 / 3.0,
    -7.0e-45,
    2.0,
    -1.0e-20,
];
const OTHERS: [f32; LANES] = [
    -0.0,
    0.0,
    0.3,
    7.5,
    -1.0,
    1.0e38,
    2.0,
    f32::NAN,
    -0.0,
    0.0,
    1.0,
    f32::INFINITY,
    1.0 / 3.0,
    5.0e-45,
    f32::NAN,
    1.0e-30,
];

const SOME_LANES: u16 = 0b1011_0001_1100_1010;

/// What each operation gives.
#[derive(Clone, Debug)]
struct Answers {
    wide: Vec<(&'static str, Wide)>,
    bits: Vec<(&'static str, u32)>,
}

struct EveryOperation;

impl Task for EveryOperation {
    type Output = Answers;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Answers {
        let (a, b) = (Wide(NUMBERS), Wide(OTHERS));
        let names =
            ["+", "-", "*", "/", "neg", "max", "min", "sqrt", "recip", "select", "clamp", "set", "clear", "has"];
        let mut wide: Vec<(&str, Wide)> = names.iter().map(|&name| (name, Wide::ZERO)).collect();
        let mut bits = vec![("greater", 0), ("at least", 0), ("equals", 0), ("mask", 0)];
        for first in each_part::<L>(LANES) {
            let (x, y) = (L::load(&a, first), L::load(&b, first));
            let answers = [
                x + y,
                x - y,
                x * y,
                x.divided_by(y),
                -x,
                x.max(y),
                x.min(y),
                x.sqrt(),
                x.recip(),
                L::select(x.greater(y), x, y),
                x.clamp_symmetric(L::splat(1.0)),
                x.with_bits(x.greater(y), 5),
                x.without_bits(5),
                L::select(x.has_bits(5), x, y),
            ];
            for (answer, (_, to)) in answers.into_iter().zip(&mut wide) {
                answer.store(to, first);
            }
            bits[0].1 |= L::bits(x.greater(y)) << first;
            bits[1].1 |= L::bits(x.at_least(y)) << first;
            bits[2].1 |= L::bits(x.equals(y)) << first;
            bits[3].1 |= L::bits(L::mask(part_bits::<L>(SOME_LANES, first))) << first;
        }
        Answers { wide, bits }
    }
}

/// Every operation gives in each lane the bits of the scalar operation, at every width.
#[test]
fn lanes_compute_like_scalars() {
    for width in Width::all() {
        let Answers { wide, bits } = width.run(EveryOperation);
        for i in 0..LANES {
            let (x, y) = (NUMBERS[i], OTHERS[i]);
            let least = if x < 1.0 { x } else { 1.0 };
            let scalars = [
                x + y,
                x - y,
                x * y,
                x / y,
                -x,
                if x > y { x } else { y },
                if x < y { x } else { y },
                x.sqrt(),
                1.0 / x,
                if x > y { x } else { y },
                if -1.0 > least { -1.0 } else { least },
                f32::from_bits(x.to_bits() | if x > y { 5 } else { 0 }),
                f32::from_bits(x.to_bits() & !5),
                if x.to_bits() & 5 != 0 { x } else { y },
            ];
            for (&(name, wide), scalar) in wide.iter().zip(scalars) {
                // No two machines agree which NaN an operation gives, and nothing asks.
                let same = wide.0[i].to_bits() == scalar.to_bits() || (wide.0[i].is_nan() && scalar.is_nan());
                assert!(same, "{width}: {name} of {x} and {y} is {}, not {scalar}", wide.0[i]);
            }
            for (&(name, bits), truth) in bits.iter().zip([x > y, x >= y, x == y, SOME_LANES >> i & 1 != 0]) {
                assert_eq!(bits >> i & 1 != 0, truth, "{width}: {x} {name} {y}");
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
struct State {
    numbers: Six,
    flags: u32,
    last: f32,
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
struct Six {
    a: f32,
    b: f32,
    c: f32,
    d: f32,
    e: f32,
    f: f32,
}

row!(State: numbers.a, numbers.b, numbers.c, numbers.d, numbers.e, numbers.f, flags, last);

fn state(i: u32) -> State {
    let x = i as f32;
    State {
        numbers: Six { a: x, b: x + 0.1, c: x + 0.2, d: f32::NAN, e: x + 0.4, f: x + 0.5 },
        flags: 0xffff_0000 | i,
        last: -x,
    }
}

/// Reads rows, changes one number of each, writes them back.
struct ThereAndBack<'a> {
    rows: &'a mut [State],
    places: &'a Places,
}

impl Task for ThereAndBack<'_> {
    type Output = [Wide; 8];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [Wide; 8] {
        let mut columns = [Wide::ZERO; 8];
        for first in each_part::<L>(LANES) {
            let found: [L; 8] = gather(&Rows::of(self.rows), self.places, first, &state(1000));
            for (column, to) in found.into_iter().zip(&mut columns) {
                column.store(to, first);
            }
            let [a, b, c, d]: [L; 4] = gather_low(&Rows::of(self.rows), self.places, first, &state(1000));
            scatter_low(&mut Rows::of(self.rows), self.places, first, [a + L::splat(0.5), b, c, d]);
        }
        columns
    }
}

#[test]
fn rows_become_lanes_and_rows_again() {
    // All lanes there and writable; some not there; some not writable; none there in a part; none at all.
    let patterns: [(u16, u16); 5] =
        [(0xffff, 0xffff), (0x7b31, 0xffff), (0xffff, 0x8f01), (0xf0f3, 0x0f31), (0, 0xffff)];
    for width in Width::all() {
        for (present, writable) in patterns {
            let mut places = Places::NOWHERE;
            let place = |lane: usize| (lane * 7 % 16) as u32;
            for lane in (0..LANES).filter(|lane| present >> lane & 1 != 0) {
                places.set(lane, place(lane), writable >> lane & 1 != 0);
                assert_eq!(places.get(lane), Some(place(lane)));
                assert_eq!(places.is_writable(lane), writable >> lane & 1 != 0);
            }
            let mut rows: Vec<State> = (0..16).map(state).collect();
            let columns = width.run(ThereAndBack { rows: &mut rows, places: &places });
            for lane in 0..LANES {
                let there = places.get(lane);
                let from = state(there.unwrap_or(1000));
                let Six { a, b, c, d, e, f } = from.numbers;
                let row = [a, b, c, d, e, f, f32::from_bits(from.flags), from.last];
                for (column, number) in columns.iter().zip(row) {
                    assert_eq!(column.0[lane].to_bits(), number.to_bits(), "{width}, lane {lane}");
                }
                if let Some(place) = there {
                    let change = if places.is_writable(lane) { 0.5 } else { 0.0 };
                    let now = rows[place as usize];
                    assert_eq!((now.numbers.a, now.numbers.b), (a + change, b), "{width}, lane {lane}");
                    assert_eq!((now.flags, now.last), (from.flags, from.last));
                }
            }
        }
    }
}

/// Writes runs of rows back, with the numbers in reverse.
struct Reverse<'a>(&'a mut [State]);

impl Task for Reverse<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        for run in self.0.chunks_exact_mut(L::COUNT) {
            let [a, b, c, d, e, f, g, h]: [L; 8] = gather_run(run);
            prefetch(&run[0]);
            scatter_run(run, [h, g, f, e, d, c, b, a]);
        }
    }
}

#[test]
fn runs_of_rows_become_lanes_and_rows_again() {
    for width in Width::all() {
        let mut rows: Vec<State> = (0..32).map(state).collect();
        width.run(Reverse(&mut rows));
        for (i, row) in (0..).zip(rows) {
            let before = state(i);
            assert_eq!((row.numbers.a, row.numbers.c), (before.last, before.numbers.f), "{width}");
            assert_eq!((row.flags, row.last), (before.numbers.b.to_bits(), before.numbers.a), "{width}");
            assert_eq!(row.numbers.b.to_bits(), before.flags, "{width}");
        }
    }
}

/// A place that is no row is a fault of the program, which must not reach memory.
#[test]
#[should_panic]
fn places_outside_are_refused() {
    let mut places = Places::NOWHERE;
    places.set(3, 16, true);
    let mut rows: Vec<State> = (0..16).map(state).collect();
    Width::best().run(ThereAndBack { rows: &mut rows, places: &places });
}

/// The same where all places are given at once: the highest is known, wherever it is.
#[cfg(panic = "unwind")]
#[test]
fn places_given_at_once_are_refused_likewise() {
    let refused = (0..LANES).filter(|&lane| {
        let mut lanes = [3; LANES];
        lanes[lane] = 16;
        let places = Places::of(lanes, u16::MAX, u16::MAX);
        assert_eq!((places.all(), places.get(lane), places.is_writable(lane)), (&lanes, Some(16), true));
        let mut rows: Vec<State> = (0..16).map(state).collect();
        let run = std::panic::AssertUnwindSafe(|| {
            Width::best().run(ThereAndBack { rows: &mut rows, places: &places });
        });
        std::panic::catch_unwind(run).is_err()
    });
    assert_eq!(refused.count(), LANES);
}

#[test]
fn places_given_at_once_may_be_none() {
    let places = Places::of([0; LANES], 0b100, 0);
    assert_eq!((places.get(1), places.get(2), places.is_writable(2)), (None, Some(0), false));
}

struct Plane;

impl Task for Plane {
    type Output = [Wide; 5];

    #[inline(always)]
    fn run<L: Lanes>(self) -> [Wide; 5] {
        let mut out = [Wide::ZERO; 5];
        for first in each_part::<L>(LANES) {
            let v = Lanes2 { x: L::splat(3.0), y: L::splat(4.0) };
            let turned = v.rotated(L::splat(0.0), L::splat(1.0));
            let answers = [v.dot(v), v.dot(v.right_perp()), v.cross(v.right_perp()), turned.x, turned.y];
            for (answer, to) in answers.into_iter().zip(&mut out) {
                answer.store(to, first);
            }
        }
        out
    }
}

#[test]
fn vectors_follow_the_plane() {
    for width in Width::all() {
        assert_eq!(width.run(Plane), [25.0, 0.0, -25.0, -4.0, 3.0].map(Wide::splat), "{width}");
    }
}
