//! The angle of a rotation.
//!
//! Of the rotation with cosine `c` and sine `s`, `t` is the smaller of `|c|` and `|s|` over the larger, and `atan t` is
//! `t` times a polynomial in `t^2`. One number alone is computed as a lane among others, so that it has the same bits.

use crate::lanes::Lanes;
use crate::plain::Plain;
use std::f32::consts::{FRAC_PI_2, PI};

/// `atan t / t` by powers of `t^2`, for `t` from 0 to 1: off by less than 1.7e-8, the least that any polynomial of this
/// degree with a first number of 1 can be (found by the exchange algorithm of Remez).
#[rustfmt::skip]
const ATAN: [f32; 9] = [
    1.0, -0.333_331_53, 0.199_937_73, -0.142_110_56, 0.106_660_046, -0.075_522_15, 0.043_211_866, -0.016_367_93,
    0.002_920_693,
];

/// A full turn in radians.
const TURN: f32 = 2.0 * PI;
/// Adding and subtracting 1.5 * 2^23 rounds to an integer.
const ROUNDER: f32 = 12_582_912.0;
const SIGN: u32 = 1 << 31;

/// The angle of the rotation with this cosine and sine, within 4e-7 rad, plus or minus whole turns: as near to `near` as
/// can be. More than four million turns are no longer told apart.
#[inline(always)]
pub fn angles<L: Lanes>(c: L, s: L, near: L) -> L {
    let angle = principal_angles(c, s);
    let rounder = L::splat(ROUNDER);
    let turns = (near - angle) * L::splat(1.0 / TURN);
    angle + L::splat(TURN) * ((turns + rounder) - rounder)
}

/// The same for a single rotation, to the bit.
#[inline]
pub fn angle(c: f32, s: f32, near: f32) -> f32 {
    angles(Plain::splat(c), Plain::splat(s), Plain::splat(near)).first()
}

/// From minus to plus half a turn.
#[inline(always)]
fn principal_angles<L: Lanes>(c: L, s: L) -> L {
    let zero = L::splat(0.0);
    let (adjacent, opposite) = (c.without_bits(SIGN), s.without_bits(SIGN));
    let steep = opposite.greater(adjacent);
    let longer = L::select(steep, opposite, adjacent);
    let shorter = L::select(steep, adjacent, opposite);
    // No rotation at all counts as none.
    let t = shorter.divided_by(L::select(longer.greater(zero), longer, L::splat(1.0)));
    let from_axis = t * series(t * t);
    let upright = L::select(steep, L::splat(FRAC_PI_2) - from_axis, from_axis);
    let upper = L::select(c.at_least(zero), upright, L::splat(PI) - upright);
    L::select(s.at_least(zero), upper, -upper)
}

/// The polynomial, by pairs: the processor need not wait for one term after the other.
#[inline(always)]
fn series<L: Lanes>(z: L) -> L {
    let z2 = z * z;
    let z4 = z2 * z2;
    let low = pair::<L>(0, z) + pair::<L>(2, z) * z2;
    let high = pair::<L>(4, z) + pair::<L>(6, z) * z2;
    low + (high + L::splat(ATAN[8]) * z4) * z4
}

#[inline(always)]
fn pair<L: Lanes>(first: usize, z: L) -> L {
    L::splat(ATAN[first]) + L::splat(ATAN[first + 1]) * z
}

#[cfg(test)]
#[allow(clippy::disallowed_methods)] // It is the platform that this is held against.
mod tests {
    use super::*;
    use crate::{LANES, Task, Wide, Width, each_part};

    struct Angles<'a> {
        c: &'a Wide,
        s: &'a Wide,
        near: &'a Wide,
    }

    impl Task for Angles<'_> {
        type Output = Wide;

        #[inline(always)]
        fn run<L: Lanes>(self) -> Wide {
            let mut out = Wide::ZERO;
            for first in each_part::<L>(LANES) {
                let near = L::load(self.near, first);
                angles(L::load(self.c, first), L::load(self.s, first), near).store(&mut out, first);
            }
            out
        }
    }

    #[test]
    fn angles_are_right_and_the_same_at_every_width() {
        let mut worst = 0.0f64;
        // Miri is some thousand times slower than the machine.
        let every = if cfg!(miri) { 1000 } else { 1 };
        for block in (0..20_000).step_by(every) {
            let exact: [f64; LANES] = std::array::from_fn(|i| f64::from(block * 16 + i as u32) * 2e-5 - 3.2);
            let c = Wide(exact.map(|angle| angle.cos() as f32));
            let s = Wide(exact.map(|angle| angle.sin() as f32));
            let near = Wide(exact.map(|angle| angle as f32 + 2.9));
            let alone = Wide(std::array::from_fn(|i| angle(c.0[i], s.0[i], near.0[i])));
            for (i, exact) in exact.iter().enumerate() {
                worst = worst.max((f64::from(alone.0[i]) - exact).abs());
            }
            for width in Width::all() {
                let found = width.run(Angles { c: &c, s: &s, near: &near });
                assert_eq!(found.0.map(f32::to_bits), alone.0.map(f32::to_bits), "{width}, block {block}");
            }
        }
        println!("worst error {worst:.2e} rad");
        assert!(worst < 4.0e-7, "off by {worst:.2e} rad");
    }

    #[test]
    fn small_angles_are_as_precise_as_their_sine() {
        for exponent in 0..120 {
            let s = f32::from_bits((127 - 8 - exponent) << 23);
            let found = angle((1.0 - s * s).sqrt(), s, 0.0);
            let exact = f64::from(s).asin();
            assert!((f64::from(found) - exact).abs() <= 1.5e-7 * exact, "asin {s:e} = {exact:e}, not {found:e}");
            assert_eq!(angle((1.0 - s * s).sqrt(), -s, 0.0), -found);
        }
    }

    #[test]
    fn whole_turns_are_counted() {
        for turns in [-1_000_000, -7, -1, 0, 1, 2, 1000] {
            let near = turns as f32 * TURN;
            let found = angle(0.8, 0.6, near + 2.0);
            assert!((found - (near + 0.643_501_1)).abs() <= 3.0e-7 * (1.0 + near.abs()), "{turns} turns: {found}");
        }
        assert_eq!(angle(-1.0, 0.0, 3.0), PI);
        assert_eq!(angle(-1.0, 0.0, -3.0), -PI);
        assert_eq!(angle(0.0, 0.0, 0.0), 0.0);
    }
}
