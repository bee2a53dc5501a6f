//! Eight lanes in an AVX register.
//!
//! SAFETY of all blocks here: only `Width::run` names this type, when the machine has AVX2.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the header says it once for all of them")]

use crate::lanes::{LANES, Lanes, Wide, operators};
use std::arch::x86_64::*;

const COUNT: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx2(__m256);

operators!(Avx2);

impl Avx2 {
    #[inline(always)]
    fn plus(self, other: Avx2) -> Avx2 {
        Avx2(unsafe { _mm256_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: Avx2) -> Avx2 {
        Avx2(unsafe { _mm256_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn product(self, other: Avx2) -> Avx2 {
        Avx2(unsafe { _mm256_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn negated(self) -> Avx2 {
        Avx2(unsafe { _mm256_xor_ps(self.0, _mm256_set1_ps(-0.0)) })
    }
}

/// # Safety
/// Both pointers must be readable for four `f32` and aligned to 16 bytes.
#[inline(always)]
unsafe fn pair(low: *const f32, high: *const f32) -> __m256 {
    unsafe { _mm256_insertf128_ps::<1>(_mm256_castps128_ps256(_mm_loadu_ps(low)), _mm_loadu_ps(high)) }
}

/// # Safety
/// Both pointers must be writable for four `f32` and aligned to 16 bytes.
#[inline(always)]
unsafe fn store_pair(pair: __m256, low: *mut f32, high: *mut f32) {
    unsafe {
        _mm_storeu_ps(low, _mm256_castps256_ps128(pair));
        _mm_storeu_ps(high, _mm256_extractf128_ps::<1>(pair));
    }
}

/// Rows become columns, in each half of the registers for itself.
#[inline(always)]
fn transposed(rows: [__m256; 4]) -> [__m256; 4] {
    unsafe {
        let (low01, high01) = (_mm256_unpacklo_ps(rows[0], rows[1]), _mm256_unpackhi_ps(rows[0], rows[1]));
        let (low23, high23) = (_mm256_unpacklo_ps(rows[2], rows[3]), _mm256_unpackhi_ps(rows[2], rows[3]));
        [
            _mm256_shuffle_ps::<0x44>(low01, low23),
            _mm256_shuffle_ps::<0xee>(low01, low23),
            _mm256_shuffle_ps::<0x44>(high01, high23),
            _mm256_shuffle_ps::<0xee>(high01, high23),
        ]
    }
}

impl Lanes for Avx2 {
    const COUNT: usize = COUNT;
    type Mask = __m256;
    type Narrow = crate::sse2::Sse2;

    #[inline(always)]
    fn splat(x: f32) -> Avx2 {
        Avx2(unsafe { _mm256_set1_ps(x) })
    }

    #[inline(always)]
    fn load(from: &Wide, first: usize) -> Avx2 {
        assert!(first.is_multiple_of(COUNT) && first < LANES);
        // SAFETY: eight numbers from 0 or 8 on are inside, and aligned with the block.
        Avx2(unsafe { _mm256_load_ps(from.0.as_ptr().add(first)) })
    }

    #[inline(always)]
    fn store(self, to: &mut Wide, first: usize) {
        assert!(first.is_multiple_of(COUNT) && first < LANES);
        // SAFETY: as in `load`.
        unsafe { _mm256_store_ps(to.0.as_mut_ptr().add(first), self.0) }
    }

    #[inline(always)]
    fn max(self, other: Avx2) -> Avx2 {
        Avx2(unsafe { _mm256_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn min(self, other: Avx2) -> Avx2 {
        Avx2(unsafe { _mm256_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn divided_by(self, other: Avx2) -> Avx2 {
        Avx2(unsafe { _mm256_div_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Avx2 {
        Avx2(unsafe { _mm256_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn at_least(self, other: Avx2) -> __m256 {
        unsafe { _mm256_cmp_ps::<_CMP_GE_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    fn greater(self, other: Avx2) -> __m256 {
        unsafe { _mm256_cmp_ps::<_CMP_GT_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    fn both(a: __m256, b: __m256) -> __m256 {
        unsafe { _mm256_and_ps(a, b) }
    }

    #[inline(always)]
    fn select(mask: __m256, yes: Avx2, no: Avx2) -> Avx2 {
        Avx2(unsafe { _mm256_blendv_ps(no.0, yes.0, mask) })
    }

    #[inline(always)]
    fn bits(mask: __m256) -> u32 {
        unsafe { _mm256_movemask_ps(mask) as u32 }
    }

    #[inline(always)]
    fn mask(bits: u32) -> __m256 {
        unsafe {
            let lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(bits as i32), lanes), lanes))
        }
    }

    #[inline(always)]
    fn with_bits(self, mask: __m256, bits: u32) -> Avx2 {
        Avx2(unsafe { _mm256_or_ps(self.0, _mm256_and_ps(mask, _mm256_castsi256_ps(_mm256_set1_epi32(bits as i32)))) })
    }

    #[inline(always)]
    fn without_bits(self, bits: u32) -> Avx2 {
        Avx2(unsafe { _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_set1_epi32(bits as i32)), self.0) })
    }

    #[inline(always)]
    fn has_bits(self, bits: u32) -> __m256 {
        unsafe {
            let found = _mm256_and_si256(_mm256_castps_si256(self.0), _mm256_set1_epi32(bits as i32));
            let none = _mm256_cmpeq_epi32(found, _mm256_setzero_si256());
            _mm256_castsi256_ps(_mm256_xor_si256(none, _mm256_set1_epi32(-1)))
        }
    }

    #[inline(always)]
    unsafe fn load_columns(places: impl Fn(usize) -> *const f32) -> [Avx2; 4] {
        // Rows i and i + 4 share a register, so that transposing its halves puts all lanes in order.
        // SAFETY: readable and aligned, says the caller.
        let pairs = unsafe {
            [
                pair(places(0), places(4)),
                pair(places(1), places(5)),
                pair(places(2), places(6)),
                pair(places(3), places(7)),
            ]
        };
        let [x, y, z, w] = transposed(pairs);
        [Avx2(x), Avx2(y), Avx2(z), Avx2(w)]
    }

    #[inline(always)]
    unsafe fn store_columns(columns: [Avx2; 4], places: impl Fn(usize) -> *mut f32) {
        let pairs = transposed([columns[0].0, columns[1].0, columns[2].0, columns[3].0]);
        // SAFETY: writable and aligned, says the caller.
        unsafe {
            store_pair(pairs[0], places(0), places(4));
            store_pair(pairs[1], places(1), places(5));
            store_pair(pairs[2], places(2), places(6));
            store_pair(pairs[3], places(3), places(7));
        }
    }
}
