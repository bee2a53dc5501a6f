//! Trigonometry with the same bits on every target.
//!
//! Platform maths libraries round the last bits as they please. These functions use only operations that IEEE 754
//! defines to the bit (`+ - * /`, comparisons, the exact remainder) in a written order, without fused
//! multiply-add, so one source gives one result everywhere.
//!
//! The angle is first brought to `r` in [-pi/4, pi/4] by subtracting `n` quarter turns, with pi/2 split into parts of
//! 33 bits so that `n` times a part is exact. There the Taylor series converge fast enough to be used as they are.
//! The `f32` functions work in `f64` and round once.
//!
//! Symbols: `n` number of quarter turns, `r` reduced angle (`r_lo` its rounding error), `z` = r², `t` = ratio of the
//! sides in [0, 1], `u` = tangent of what is left after the table in `atan2`.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI, TAU};

/// pi/2 = sum of the four parts, to 150 bits; the first three have 33 bits each.
const HALF_PI_PARTS: [f64; 4] =
    [1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32];
/// pi/2 less its first part, in one number: enough for results in `f32`.
const HALF_PI_TAIL: f64 = 6.077100506506192e-11;
/// pi/2 less its nearest `f64`.
const FRAC_PI_2_LO: f64 = 6.123233995736766e-17;

/// Adding and subtracting 1.5 * 2^52 rounds to an integer, and leaves that integer in the low bits of the sum.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// Up to here the quarter turns fit in 20 bits, so that their products with 33-bit parts are exact.
const REDUCTION_LIMIT: f64 = 1.6e6;

/// The smaller of two. If either is NaN, `b`.
#[inline]
pub const fn min(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The larger of two. If either is NaN, `b`.
#[inline]
pub const fn max(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The smaller of two. If either is NaN, `b`.
#[inline]
pub const fn min64(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger of two. If either is NaN, `b`.
#[inline]
pub const fn max64(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The sine of an angle in radians. Within 1 ulp up to |x| = 1e6; beyond, in [-1, 1]. NaN if x is not finite.
#[inline]
pub fn sin(x: f32) -> f32 {
    sin_cos(x).0
}

/// The cosine of an angle in radians. Within 1 ulp up to |x| = 1e6; beyond, in [-1, 1]. NaN if x is not finite.
#[inline]
pub fn cos(x: f32) -> f32 {
    sin_cos(x).1
}

/// Sine and cosine of an angle in radians; as precise as [`sin`] and [`cos`].
#[inline]
pub fn sin_cos(x: f32) -> (f32, f32) {
    let x = fold_huge(f64::from(x));
    let rounded = x * FRAC_2_PI + ROUNDER;
    let n = rounded - ROUNDER;
    let r = x - n * HALF_PI_PARTS[0] - n * HALF_PI_TAIL;

    // Taylor series to r^11 and r^12: the first term left out is below 2^-36 of the result.
    let z = r * r;
    let mut s = -1.0 / 39_916_800.0;
    s = s * z + 1.0 / 362_880.0;
    s = s * z - 1.0 / 5_040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    let sin_r = r * (1.0 + z * s);
    let mut c = 1.0 / 479_001_600.0;
    c = c * z - 1.0 / 3_628_800.0;
    c = c * z + 1.0 / 40_320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    let cos_r = 1.0 - z * (0.5 - z * c);

    let (sin, cos) = turn(sin_r, cos_r, rounded.to_bits());
    (sin as f32, cos as f32)
}

/// The sine of an angle in radians. Within 2 ulp up to |x| = 1e5; beyond 1.6e6 only in [-1, 1]. NaN if x is not
/// finite.
#[inline]
pub fn sin64(x: f64) -> f64 {
    sin_cos64(x).0
}

/// The cosine of an angle in radians. Within 2 ulp up to |x| = 1e5; beyond 1.6e6 only in [-1, 1]. NaN if x is not
/// finite.
#[inline]
pub fn cos64(x: f64) -> f64 {
    sin_cos64(x).1
}

/// Sine and cosine of an angle in radians; as precise as [`sin64`] and [`cos64`].
#[inline]
pub fn sin_cos64(x: f64) -> (f64, f64) {
    // Below 2^-27 the next terms are lost in rounding. This also keeps the sign of zero.
    if x.abs() < 1.0 / (1u64 << 27) as f64 {
        return (x, 1.0);
    }
    let x = fold_huge(x);
    let rounded = x * FRAC_2_PI + ROUNDER;
    let n = rounded - ROUNDER;
    // The first difference is exact; the errors of the next two are kept, since r may be tiny where x is not.
    let [part_0, part_1, part_2, part_3] = HALF_PI_PARTS;
    let (r_1, error_1) = two_sum(x - n * part_0, -(n * part_1));
    let (r_2, error_2) = two_sum(r_1, -(n * part_2));
    let (r, r_lo) = two_sum(r_2, error_1 + error_2 - n * part_3);

    // Taylor series to r^17 and r^18, with r_lo to first order: sin' = cos, cos' = -sin.
    let z = r * r;
    let mut s = 1.0 / 355_687_428_096_000.0;
    s = s * z - 1.0 / 1_307_674_368_000.0;
    s = s * z + 1.0 / 6_227_020_800.0;
    s = s * z - 1.0 / 39_916_800.0;
    s = s * z + 1.0 / 362_880.0;
    s = s * z - 1.0 / 5_040.0;
    s = s * z + 1.0 / 120.0;
    s = s * z - 1.0 / 6.0;
    let sin_r = r + (r * z * s + r_lo * (1.0 - 0.5 * z));
    let mut c = -1.0 / 6_402_373_705_728_000.0;
    c = c * z + 1.0 / 20_922_789_888_000.0;
    c = c * z - 1.0 / 87_178_291_200.0;
    c = c * z + 1.0 / 479_001_600.0;
    c = c * z - 1.0 / 3_628_800.0;
    c = c * z + 1.0 / 40_320.0;
    c = c * z - 1.0 / 720.0;
    c = c * z + 1.0 / 24.0;
    // 1 - z/2 is rounded; what it lost goes in with the small terms.
    let head = 1.0 - 0.5 * z;
    let cos_r = head + ((1.0 - head - 0.5 * z) + (z * z * c - r * r_lo));

    turn(sin_r, cos_r, rounded.to_bits())
}

/// The angle of the direction (x, y) in [-pi, pi], within 1 ulp. Zeros, signs and infinities as IEEE 754 says.
#[inline]
pub fn atan2(y: f32, x: f32) -> f32 {
    atan2_64(f64::from(y), f64::from(x)) as f32
}

/// The angle of the direction (x, y) in [-pi, pi], within 2 ulp. Zeros, signs and infinities as IEEE 754 says.
pub fn atan2_64(y: f64, x: f64) -> f64 {
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    let (mut adjacent, mut opposite) = (x.abs(), y.abs());
    let steep = opposite > adjacent;
    if steep {
        std::mem::swap(&mut adjacent, &mut opposite);
    }

    // The angle from the nearer axis, in [0, pi/4].
    let from_axis = if opposite == 0.0 {
        0.0
    } else if adjacent == f64::INFINITY {
        if opposite == f64::INFINITY { FRAC_PI_4 } else { 0.0 }
    } else {
        // Only the ratio counts: scale by a power of two where the sums below would overflow or lose bits.
        if adjacent > SCALE_ABOVE {
            adjacent *= SCALE_DOWN;
            opposite *= SCALE_DOWN;
        } else if adjacent < SCALE_BELOW {
            adjacent *= SCALE_UP;
            opposite *= SCALE_UP;
        }
        atan_of_ratio(opposite, adjacent)
    };

    // Measured from the positive x axis, and then on the side of y.
    let angle = match (steep, x.is_sign_negative()) {
        (false, false) => from_axis,
        (true, false) => FRAC_PI_2 - (from_axis - FRAC_PI_2_LO),
        (true, true) => FRAC_PI_2 + (from_axis + FRAC_PI_2_LO),
        (false, true) => PI - (from_axis - 2.0 * FRAC_PI_2_LO),
    };
    if y.is_sign_negative() { -angle } else { angle }
}

const SCALE_ABOVE: f64 = f64::from_bits((1023 + 900) << 52); // 2^900
const SCALE_BELOW: f64 = f64::from_bits((1023 - 900) << 52); // 2^-900
const SCALE_UP: f64 = f64::from_bits((1023 + 200) << 52); // 2^200
const SCALE_DOWN: f64 = f64::from_bits((1023 - 200) << 52); // 2^-200

/// atan(k/8) for k = 0..=8: the nearest number, and what it misses.
const ATAN_EIGHTHS: [(f64, f64); 9] = [
    (0.0, 0.0),
    (0.12435499454676144, -3.1253241424539383e-18),
    (0.24497866312686414, 1.0698755618734451e-17),
    (0.35877067027057225, -2.4623815582638635e-17),
    (0.4636476090008061, 2.2698777452961687e-17),
    (0.5585993153435624, -5.4556305485916264e-18),
    (0.6435011087932844, 1.5834785051444286e-17),
    (0.7188299996216245, -2.1478388444456983e-17),
    (FRAC_PI_4, 3.061616997868383e-17),
];

/// atan(opposite / adjacent) for 0 < opposite <= adjacent, both finite.
#[inline]
fn atan_of_ratio(opposite: f64, adjacent: f64) -> f64 {
    // Turn by the nearest angle of the table: atan(t) = atan(c) + atan((t - c) / (1 + t c)) with c = k/8.
    let k = (opposite / adjacent * 8.0 + 0.5) as usize;
    let (table, table_lo) = ATAN_EIGHTHS[k];
    let c = k as f64 * 0.125;
    let u = (opposite - c * adjacent) / (adjacent + c * opposite);

    // |u| <= 1/16: the series to u^13 leaves 2^-59.
    let z = u * u;
    let mut p = 1.0 / 13.0;
    p = p * z - 1.0 / 11.0;
    p = p * z + 1.0 / 9.0;
    p = p * z - 1.0 / 7.0;
    p = p * z + 1.0 / 5.0;
    p = p * z - 1.0 / 3.0;
    table + (u + (u * z * p + table_lo))
}

/// Angles too large for the exact reduction go through the remainder by the nearest number to a full turn: the
/// result is some angle, the same everywhere. (`%` is exact by definition, so no platform can differ.)
#[inline]
fn fold_huge(x: f64) -> f64 {
    if x.abs() <= REDUCTION_LIMIT {
        x
    } else if x.is_finite() {
        x % TAU
    } else {
        f64::NAN
    }
}

/// Sine and cosine of r + n pi/2, where the low two bits of `n_bits` are those of n.
#[inline]
fn turn(sin_r: f64, cos_r: f64, n_bits: u64) -> (f64, f64) {
    let (sin, cos) = if n_bits & 1 == 0 { (sin_r, cos_r) } else { (cos_r, sin_r) };
    let sin_sign = (n_bits & 2) << 62;
    let cos_sign = (n_bits.wrapping_add(1) & 2) << 62;
    (f64::from_bits(sin.to_bits() ^ sin_sign), f64::from_bits(cos.to_bits() ^ cos_sign))
}

/// a + b as the rounded sum and its exact error.
#[inline]
fn two_sum(a: f64, b: f64) -> (f64, f64) {
    let sum = a + b;
    let b_part = sum - a;
    let a_part = sum - b_part;
    (sum, (a - a_part) + (b - b_part))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::disallowed_methods)]

    use super::*;
    use crate::Rng;

    /// How many floats lie between two: the distance on the number line of bit patterns.
    fn ulps(a: f32, b: f32) -> u64 {
        let place = |x: f32| {
            let magnitude = i64::from(x.to_bits() & 0x7FFF_FFFF);
            if x.is_sign_negative() { -magnitude } else { magnitude }
        };
        if a.is_nan() && b.is_nan() { 0 } else { place(a).abs_diff(place(b)) }
    }

    fn ulps64(a: f64, b: f64) -> u64 {
        let place = |x: f64| {
            let magnitude = (x.to_bits() & (u64::MAX >> 1)) as i64;
            if x.is_sign_negative() { -magnitude } else { magnitude }
        };
        if a.is_nan() && b.is_nan() { 0 } else { place(a).abs_diff(place(b)) }
    }

    #[test]
    fn single_sine_and_cosine_are_within_one_ulp() {
        let mut rng = Rng::new(3);
        let (mut worst, mut inexact) = (0, 0);
        let mut check = |x: f32| {
            let (sin, cos) = sin_cos(x);
            let error = ulps(sin, f64::from(x).sin() as f32).max(ulps(cos, f64::from(x).cos() as f32));
            worst = worst.max(error);
            inexact += u64::from(error > 0);
            assert!(error <= 1, "{error} ulp at {x:?}");
        };
        for _ in 0..300_000 {
            check(rng.range(-4.0, 4.0));
            check(rng.range(-1e6, 1e6));
            // All magnitudes up to 2^20 alike.
            check(f32::from_bits(rng.below(147 << 23)) * if rng.below(2) == 0 { 1.0 } else { -1.0 });
        }
        // Next to the multiples of pi/2, where the reduction cancels most.
        for n in -600_000..600_000 {
            let near = (f64::from(n) * FRAC_PI_2) as f32;
            check(near);
        }
        println!("sin_cos f32: at most {worst} ulp, {inexact} of 2.1 million not the nearest");
    }

    #[test]
    fn double_sine_and_cosine_are_within_two_ulp() {
        let mut rng = Rng::new(4);
        let mut worst = 0;
        let mut check = |x: f64| {
            let (sin, cos) = sin_cos64(x);
            let error = ulps64(sin, x.sin()).max(ulps64(cos, x.cos()));
            worst = worst.max(error);
            assert!(error <= 2, "{error} ulp at {x:?}");
        };
        for _ in 0..200_000 {
            check((rng.f64() - 0.5) * 8.0);
            check((rng.f64() - 0.5) * 2e5);
            check(f64::from_bits(rng.next_u64() % ((1023 + 16) << 52)));
        }
        for n in -60_000..60_000 {
            let near = f64::from(n) * FRAC_PI_2;
            check(near);
            check(f64::from_bits(near.to_bits() + 1));
        }
        println!("sin_cos f64: at most {worst} ulp from the platform's");
    }

    #[test]
    fn angles_of_directions_are_precise() {
        let mut rng = Rng::new(5);
        let (mut worst, mut worst64) = (0, 0);
        let mut check = |y: f64, x: f64| {
            let error64 = ulps64(atan2_64(y, x), y.atan2(x));
            assert!(error64 <= 2, "{error64} ulp at {y:?}, {x:?}");
            let (y, x) = (y as f32, x as f32);
            let error = ulps(atan2(y, x), f64::from(y).atan2(f64::from(x)) as f32);
            assert!(error <= 1, "{error} ulp at {y:?}, {x:?}");
            (worst, worst64) = (worst.max(error), worst64.max(error64));
        };
        for _ in 0..300_000 {
            check(rng.f64() - 0.5, rng.f64() - 0.5);
            // Any two bit patterns: all exponents and signs, subnormals, infinities and NaN.
            check(f64::from_bits(rng.next_u64()), f64::from_bits(rng.next_u64()));
            let (y, x) = (f32::from_bits(rng.next_u32()), f32::from_bits(rng.next_u32()));
            check(f64::from(y), f64::from(x));
        }
        println!("atan2 f32: at most {worst} ulp; f64: at most {worst64} ulp from the platform's");
    }

    #[test]
    fn special_directions_match_ieee() {
        let values = [0.0, -0.0, 1.0, -1.0, f64::MIN_POSITIVE, 5e-324, -5e-324, f64::MAX, f64::MIN];
        let values = values.into_iter().chain([f64::INFINITY, f64::NEG_INFINITY, f64::NAN]);
        for y in values.clone() {
            for x in values.clone() {
                let (ours, platform) = (atan2_64(y, x), y.atan2(x));
                assert!(ulps64(ours, platform) == 0, "atan2({y:?}, {x:?}) = {ours:?}, not {platform:?}");
                assert!(ours.is_nan() || ours.is_sign_negative() == y.is_sign_negative());
                let (y, x) = (y as f32, x as f32);
                let (ours, nearest) = (atan2(y, x), f64::from(y).atan2(f64::from(x)) as f32);
                assert!(ulps(ours, nearest) == 0, "atan2({y:?}, {x:?}) = {ours:?}, not {nearest:?}");
            }
        }
    }

    #[test]
    fn special_angles() {
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
        assert!(sin(-0.0).is_sign_negative() && sin64(-0.0).is_sign_negative());
        assert!(sin(0.0).is_sign_positive() && sin64(0.0).is_sign_positive());
        // The nearest f32 to pi/2 is 4.37e-8 too large.
        let quarter = std::f32::consts::FRAC_PI_2;
        assert_eq!(sin_cos(quarter), (1.0, -4.371_139e-8));
        assert_eq!(sin_cos(-quarter), (-1.0, -4.371_139e-8));
        assert_eq!(sin_cos64(FRAC_PI_2), (1.0, FRAC_PI_2_LO));
        for x in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
            assert!(sin(x).is_nan() && cos(x).is_nan());
            assert!(sin64(x.into()).is_nan() && cos64(x.into()).is_nan());
        }
        let mut rng = Rng::new(6);
        for _ in 0..10_000 {
            let x = f64::from_bits(((1023 + 20) << 52) + rng.next_u64() % (1003 << 52));
            let (sin, cos) = sin_cos64(x);
            assert!(sin.abs() <= 1.0 && cos.abs() <= 1.0 && (sin * sin + cos * cos - 1.0).abs() < 1e-15, "{x:?}");
            let (sin, cos) = sin_cos(x as f32);
            assert!((sin.abs() <= 1.0 && cos.abs() <= 1.0) || (x as f32).is_infinite(), "{x:?}");
        }
    }

    #[test]
    fn minimum_and_maximum_prefer_the_second_on_ties_and_nan() {
        assert_eq!((min(1.0, 2.0), max(1.0, 2.0), min64(1.0, 2.0), max64(1.0, 2.0)), (1.0, 2.0, 1.0, 2.0));
        assert!(min(0.0, -0.0).is_sign_negative() && min(-0.0, 0.0).is_sign_positive());
        assert_eq!((min(f32::NAN, 1.0), max64(f64::NAN, 1.0)), (1.0, 1.0));
    }

    /// A target that rounds or orders anything differently fails here. The table holds the bits of this code's own
    /// results; after a deliberate change of the functions, print it again from the failure message.
    #[test]
    fn bits_are_the_same_on_every_target() {
        let mut rng = Rng::new(7);
        let mut found = Vec::new();
        for &scale in &[1e-3, 1.0, 100.0, 1e6, 1e30] {
            let x = rng.f64() * scale;
            let y = -rng.f64() * scale;
            let (sin, cos) = sin_cos(x as f32);
            found.push(u64::from(sin.to_bits()) << 32 | u64::from(cos.to_bits()));
            found.push(u64::from(atan2(y as f32, x as f32).to_bits()));
            let (sin, cos) = sin_cos64(x);
            found.extend([sin.to_bits(), cos.to_bits(), atan2_64(x, y).to_bits()]);
        }
        let listing: Vec<String> = found.iter().map(|bits| format!("{bits:#018x}")).collect();
        assert!(found == GOLDEN, "found [{}]", listing.join(", "));

        // And many more by their hash.
        let mut hash = crate::StateHash::new();
        for _ in 0..20_000 {
            let (x, y) = ((rng.f64() - 0.5) * 2e4, (rng.f64() - 0.5) * 2e4);
            let (sin, cos) = sin_cos64(x);
            hash.write_f64(sin);
            hash.write_f64(cos);
            hash.write_f64(atan2_64(y, x));
            hash.write_f32(atan2(y as f32, x as f32));
            hash.write_f32(sin_cos(y as f32).0);
            hash.write_f32(sin_cos(y as f32).1);
        }
        assert_eq!(hash.finish(), GOLDEN_HASH, "found {:#018x}", hash.finish());
    }

    #[rustfmt::skip]
    const GOLDEN: [u64; 25] = [
        0x3939772b3f800000, 0x00000000bfa56406, 0x3f272ee557847daa, 0x3feffffff79a28cb, 0x4006e73e064d7cf8,
        0x3f350ed03f34fb16, 0x00000000bf4f8573, 0x3fe6a1d9e96577ae, 0x3fe69f62d268a5fd, 0x40030d293f98c9a6,
        0xbf0e97f3bf549c33, 0x00000000bf7074ea, 0xbfe1d2fed4dcd307, 0xbfea93861a71ffe1, 0x400414a4f9122641,
        0x3f7fd14f3d1a966b, 0x00000000bf51c184, 0x3feff6db18212b68, 0x3fa82f48a1c7a94b, 0x40031f09c6463c2a,
        0x3e7e0e433f77fef5, 0x00000000befa8ab8, 0xbfe04b1b042de2a7, 0x3feb8a95a5b80a39, 0x40007b288c5da74d,
    ];
    const GOLDEN_HASH: u64 = 0xa968_97f9_849e_c47c;
}
