//! Four lanes in a 128-bit vector of WebAssembly.
//!
//! A module with these instructions runs only where there are some, so nothing is asked when it runs, and all but
//! reading and writing memory is safe.

use crate::lanes::{LANES, Lanes, Wide, operators};
use std::arch::wasm32::*;

const COUNT: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Simd128(v128);

operators!(Simd128);

impl Simd128 {
    #[inline(always)]
    fn plus(self, other: Simd128) -> Simd128 {
        Simd128(f32x4_add(self.0, other.0))
    }

    #[inline(always)]
    fn minus(self, other: Simd128) -> Simd128 {
        Simd128(f32x4_sub(self.0, other.0))
    }

    #[inline(always)]
    fn product(self, other: Simd128) -> Simd128 {
        Simd128(f32x4_mul(self.0, other.0))
    }

    #[inline(always)]
    fn negated(self) -> Simd128 {
        Simd128(f32x4_neg(self.0))
    }
}

/// Rows become columns.
#[inline(always)]
fn transposed(rows: [v128; 4]) -> [v128; 4] {
    let (low01, high01) = (low_by_turns(rows[0], rows[1]), high_by_turns(rows[0], rows[1]));
    let (low23, high23) = (low_by_turns(rows[2], rows[3]), high_by_turns(rows[2], rows[3]));
    [
        i64x2_shuffle::<0, 2>(low01, low23),
        i64x2_shuffle::<1, 3>(low01, low23),
        i64x2_shuffle::<0, 2>(high01, high23),
        i64x2_shuffle::<1, 3>(high01, high23),
    ]
}

/// The first two lanes of each, by turns.
#[inline(always)]
fn low_by_turns(a: v128, b: v128) -> v128 {
    i32x4_shuffle::<0, 4, 1, 5>(a, b)
}

/// The last two lanes of each, by turns.
#[inline(always)]
fn high_by_turns(a: v128, b: v128) -> v128 {
    i32x4_shuffle::<2, 6, 3, 7>(a, b)
}

impl Lanes for Simd128 {
    const COUNT: usize = COUNT;
    type Mask = v128;
    type Narrow = Simd128;

    #[inline(always)]
    fn splat(x: f32) -> Simd128 {
        Simd128(f32x4_splat(x))
    }

    #[inline(always)]
    fn load(from: &Wide, first: usize) -> Simd128 {
        assert!(first.is_multiple_of(COUNT) && first < LANES);
        // SAFETY: four numbers from a multiple of four below 16 on are inside, and aligned with the block.
        Simd128(unsafe { v128_load(from.0.as_ptr().add(first).cast()) })
    }

    #[inline(always)]
    fn store(self, to: &mut Wide, first: usize) {
        assert!(first.is_multiple_of(COUNT) && first < LANES);
        // SAFETY: as in `load`.
        unsafe { v128_store(to.0.as_mut_ptr().add(first).cast(), self.0) }
    }

    #[inline(always)]
    fn max(self, other: Simd128) -> Simd128 {
        // Gives its first where they are not ordered, or both zero; and so does `pmin`.
        Simd128(f32x4_pmax(other.0, self.0))
    }

    #[inline(always)]
    fn min(self, other: Simd128) -> Simd128 {
        Simd128(f32x4_pmin(other.0, self.0))
    }

    #[inline(always)]
    fn divided_by(self, other: Simd128) -> Simd128 {
        Simd128(f32x4_div(self.0, other.0))
    }

    #[inline(always)]
    fn sqrt(self) -> Simd128 {
        Simd128(f32x4_sqrt(self.0))
    }

    #[inline(always)]
    fn at_least(self, other: Simd128) -> v128 {
        f32x4_ge(self.0, other.0)
    }

    #[inline(always)]
    fn greater(self, other: Simd128) -> v128 {
        f32x4_gt(self.0, other.0)
    }

    #[inline(always)]
    fn both(a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }

    #[inline(always)]
    fn select(mask: v128, yes: Simd128, no: Simd128) -> Simd128 {
        Simd128(v128_bitselect(yes.0, no.0, mask))
    }

    #[inline(always)]
    fn bits(mask: v128) -> u32 {
        u32::from(i32x4_bitmask(mask))
    }

    #[inline(always)]
    fn mask(bits: u32) -> v128 {
        let lanes = u32x4(1, 2, 4, 8);
        i32x4_eq(v128_and(u32x4_splat(bits), lanes), lanes)
    }

    #[inline(always)]
    fn with_bits(self, mask: v128, bits: u32) -> Simd128 {
        Simd128(v128_or(self.0, v128_and(mask, u32x4_splat(bits))))
    }

    #[inline(always)]
    fn without_bits(self, bits: u32) -> Simd128 {
        Simd128(v128_andnot(self.0, u32x4_splat(bits)))
    }

    #[inline(always)]
    fn has_bits(self, bits: u32) -> v128 {
        i32x4_ne(v128_and(self.0, u32x4_splat(bits)), u32x4_splat(0))
    }

    #[inline(always)]
    unsafe fn load_columns(places: impl Fn(usize) -> *const f32) -> [Simd128; 4] {
        let (row0, row1, row2, row3) = (places(0), places(1), places(2), places(3));
        // SAFETY: readable and aligned, says the caller.
        let rows =
            unsafe { [v128_load(row0.cast()), v128_load(row1.cast()), v128_load(row2.cast()), v128_load(row3.cast())] };
        let [x, y, z, w] = transposed(rows);
        [Simd128(x), Simd128(y), Simd128(z), Simd128(w)]
    }

    #[inline(always)]
    unsafe fn store_columns(columns: [Simd128; 4], places: impl Fn(usize) -> *mut f32) {
        let rows = transposed([columns[0].0, columns[1].0, columns[2].0, columns[3].0]);
        // SAFETY: writable and aligned, says the caller.
        unsafe {
            v128_store(places(0).cast(), rows[0]);
            v128_store(places(1).cast(), rows[1]);
            v128_store(places(2).cast(), rows[2]);
            v128_store(places(3).cast(), rows[3]);
        }
    }
}
