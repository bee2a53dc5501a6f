//! Four lanes in an SSE2 register.
//!
//! SAFETY of all blocks here: the instructions are part of every x86-64.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the header says it once for all of them")]

use crate::lanes::{LANES, Lanes, Wide, operators};
use std::arch::x86_64::*;

const COUNT: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sse2(__m128);

operators!(Sse2);

impl Sse2 {
    #[inline(always)]
    fn plus(self, other: Sse2) -> Sse2 {
        Sse2(unsafe { _mm_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: Sse2) -> Sse2 {
        Sse2(unsafe { _mm_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn product(self, other: Sse2) -> Sse2 {
        Sse2(unsafe { _mm_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn negated(self) -> Sse2 {
        Sse2(unsafe { _mm_xor_ps(self.0, _mm_set1_ps(-0.0)) })
    }
}

/// Rows become columns.
#[inline(always)]
fn transposed(rows: [__m128; 4]) -> [__m128; 4] {
    unsafe {
        let (low01, high01) = (_mm_unpacklo_ps(rows[0], rows[1]), _mm_unpackhi_ps(rows[0], rows[1]));
        let (low23, high23) = (_mm_unpacklo_ps(rows[2], rows[3]), _mm_unpackhi_ps(rows[2], rows[3]));
        [
            _mm_movelh_ps(low01, low23),
            _mm_movehl_ps(low23, low01),
            _mm_movelh_ps(high01, high23),
            _mm_movehl_ps(high23, high01),
        ]
    }
}

impl Lanes for Sse2 {
    const COUNT: usize = COUNT;
    type Mask = __m128;
    type Narrow = Sse2;

    #[inline(always)]
    fn splat(x: f32) -> Sse2 {
        Sse2(unsafe { _mm_set1_ps(x) })
    }

    #[inline(always)]
    fn load(from: &Wide, first: usize) -> Sse2 {
        assert!(first.is_multiple_of(COUNT) && first < LANES);
        // SAFETY: four numbers from a multiple of four below 16 on are inside, and aligned with the block.
        Sse2(unsafe { _mm_load_ps(from.0.as_ptr().add(first)) })
    }

    #[inline(always)]
    fn store(self, to: &mut Wide, first: usize) {
        assert!(first.is_multiple_of(COUNT) && first < LANES);
        // SAFETY: as in `load`.
        unsafe { _mm_store_ps(to.0.as_mut_ptr().add(first), self.0) }
    }

    #[inline(always)]
    fn max(self, other: Sse2) -> Sse2 {
        Sse2(unsafe { _mm_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn min(self, other: Sse2) -> Sse2 {
        Sse2(unsafe { _mm_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn divided_by(self, other: Sse2) -> Sse2 {
        Sse2(unsafe { _mm_div_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Sse2 {
        Sse2(unsafe { _mm_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn at_least(self, other: Sse2) -> __m128 {
        unsafe { _mm_cmpge_ps(self.0, other.0) }
    }

    #[inline(always)]
    fn greater(self, other: Sse2) -> __m128 {
        unsafe { _mm_cmpgt_ps(self.0, other.0) }
    }

    #[inline(always)]
    fn both(a: __m128, b: __m128) -> __m128 {
        unsafe { _mm_and_ps(a, b) }
    }

    #[inline(always)]
    fn select(mask: __m128, yes: Sse2, no: Sse2) -> Sse2 {
        Sse2(unsafe { _mm_or_ps(_mm_and_ps(mask, yes.0), _mm_andnot_ps(mask, no.0)) })
    }

    #[inline(always)]
    fn bits(mask: __m128) -> u32 {
        unsafe { _mm_movemask_ps(mask) as u32 }
    }

    #[inline(always)]
    fn mask(bits: u32) -> __m128 {
        unsafe {
            let lanes = _mm_setr_epi32(1, 2, 4, 8);
            _mm_castsi128_ps(_mm_cmpeq_epi32(_mm_and_si128(_mm_set1_epi32(bits as i32), lanes), lanes))
        }
    }

    #[inline(always)]
    fn with_bits(self, mask: __m128, bits: u32) -> Sse2 {
        Sse2(unsafe { _mm_or_ps(self.0, _mm_and_ps(mask, _mm_castsi128_ps(_mm_set1_epi32(bits as i32)))) })
    }

    #[inline(always)]
    fn without_bits(self, bits: u32) -> Sse2 {
        Sse2(unsafe { _mm_andnot_ps(_mm_castsi128_ps(_mm_set1_epi32(bits as i32)), self.0) })
    }

    #[inline(always)]
    fn has_bits(self, bits: u32) -> __m128 {
        unsafe {
            let found = _mm_and_si128(_mm_castps_si128(self.0), _mm_set1_epi32(bits as i32));
            let none = _mm_cmpeq_epi32(found, _mm_setzero_si128());
            _mm_castsi128_ps(_mm_xor_si128(none, _mm_set1_epi32(-1)))
        }
    }

    #[inline(always)]
    unsafe fn load_columns(places: impl Fn(usize) -> *const f32) -> [Sse2; 4] {
        let (row0, row1, row2, row3) = (places(0), places(1), places(2), places(3));
        // SAFETY: readable and aligned, says the caller.
        let rows = unsafe { [_mm_loadu_ps(row0), _mm_loadu_ps(row1), _mm_loadu_ps(row2), _mm_loadu_ps(row3)] };
        let [x, y, z, w] = transposed(rows);
        [Sse2(x), Sse2(y), Sse2(z), Sse2(w)]
    }

    #[inline(always)]
    unsafe fn store_columns(columns: [Sse2; 4], places: impl Fn(usize) -> *mut f32) {
        let rows = transposed([columns[0].0, columns[1].0, columns[2].0, columns[3].0]);
        // SAFETY: writable and aligned, says the caller.
        unsafe {
            _mm_storeu_ps(places(0), rows[0]);
            _mm_storeu_ps(places(1), rows[1]);
            _mm_storeu_ps(places(2), rows[2]);
            _mm_storeu_ps(places(3), rows[3]);
        }
    }
}
