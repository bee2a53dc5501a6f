//! Sixteen lanes in an AVX-512 register.
//!
//! SAFETY of all blocks here: only `Width::run` names this type, when the machine has AVX-512F.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the header says it once for all of them")]

use crate::lanes::{LANES, Lanes, Wide, operators};
use std::arch::x86_64::*;

const COUNT: usize = 16;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Avx512(__m512);

operators!(Avx512);

impl Avx512 {
    #[inline(always)]
    fn plus(self, other: Avx512) -> Avx512 {
        Avx512(unsafe { _mm512_add_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: Avx512) -> Avx512 {
        Avx512(unsafe { _mm512_sub_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn product(self, other: Avx512) -> Avx512 {
        Avx512(unsafe { _mm512_mul_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn negated(self) -> Avx512 {
        let sign = unsafe { _mm512_set1_epi32(i32::MIN) };
        Avx512(unsafe { _mm512_castsi512_ps(_mm512_xor_epi32(_mm512_castps_si512(self.0), sign)) })
    }
}

/// # Safety
/// All pointers must be readable for four `f32` and aligned to 16 bytes.
#[inline(always)]
unsafe fn four(quarters: [*const f32; 4]) -> __m512 {
    unsafe {
        let row = _mm512_castps128_ps512(_mm_loadu_ps(quarters[0]));
        let row = _mm512_insertf32x4::<1>(row, _mm_loadu_ps(quarters[1]));
        let row = _mm512_insertf32x4::<2>(row, _mm_loadu_ps(quarters[2]));
        _mm512_insertf32x4::<3>(row, _mm_loadu_ps(quarters[3]))
    }
}

/// # Safety
/// All pointers must be writable for four `f32` and aligned to 16 bytes.
#[inline(always)]
unsafe fn store_four(four: __m512, quarters: [*mut f32; 4]) {
    unsafe {
        _mm_storeu_ps(quarters[0], _mm512_castps512_ps128(four));
        _mm_storeu_ps(quarters[1], _mm512_extractf32x4_ps::<1>(four));
        _mm_storeu_ps(quarters[2], _mm512_extractf32x4_ps::<2>(four));
        _mm_storeu_ps(quarters[3], _mm512_extractf32x4_ps::<3>(four));
    }
}

/// Rows become columns, in each quarter of the registers for itself.
#[inline(always)]
fn transposed(rows: [__m512; 4]) -> [__m512; 4] {
    unsafe {
        let (low01, high01) = (_mm512_unpacklo_ps(rows[0], rows[1]), _mm512_unpackhi_ps(rows[0], rows[1]));
        let (low23, high23) = (_mm512_unpacklo_ps(rows[2], rows[3]), _mm512_unpackhi_ps(rows[2], rows[3]));
        [
            _mm512_shuffle_ps::<0x44>(low01, low23),
            _mm512_shuffle_ps::<0xee>(low01, low23),
            _mm512_shuffle_ps::<0x44>(high01, high23),
            _mm512_shuffle_ps::<0xee>(high01, high23),
        ]
    }
}

impl Lanes for Avx512 {
    const COUNT: usize = COUNT;
    type Mask = __mmask16;
    type Narrow = crate::sse2::Sse2;

    #[inline(always)]
    fn splat(x: f32) -> Avx512 {
        Avx512(unsafe { _mm512_set1_ps(x) })
    }

    #[inline(always)]
    fn load(from: &Wide, first: usize) -> Avx512 {
        assert!(first.is_multiple_of(COUNT) && first < LANES);
        // SAFETY: the whole block, which is aligned to its size.
        Avx512(unsafe { _mm512_load_ps(from.0.as_ptr()) })
    }

    #[inline(always)]
    fn store(self, to: &mut Wide, first: usize) {
        assert!(first.is_multiple_of(COUNT) && first < LANES);
        // SAFETY: as in `load`.
        unsafe { _mm512_store_ps(to.0.as_mut_ptr(), self.0) }
    }

    #[inline(always)]
    fn max(self, other: Avx512) -> Avx512 {
        Avx512(unsafe { _mm512_max_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn min(self, other: Avx512) -> Avx512 {
        Avx512(unsafe { _mm512_min_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn divided_by(self, other: Avx512) -> Avx512 {
        Avx512(unsafe { _mm512_div_ps(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Avx512 {
        Avx512(unsafe { _mm512_sqrt_ps(self.0) })
    }

    #[inline(always)]
    fn at_least(self, other: Avx512) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_GE_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    fn greater(self, other: Avx512) -> __mmask16 {
        unsafe { _mm512_cmp_ps_mask::<_CMP_GT_OQ>(self.0, other.0) }
    }

    #[inline(always)]
    fn both(a: __mmask16, b: __mmask16) -> __mmask16 {
        a & b
    }

    #[inline(always)]
    fn select(mask: __mmask16, yes: Avx512, no: Avx512) -> Avx512 {
        Avx512(unsafe { _mm512_mask_blend_ps(mask, no.0, yes.0) })
    }

    #[inline(always)]
    fn bits(mask: __mmask16) -> u32 {
        u32::from(mask)
    }

    #[inline(always)]
    fn mask(bits: u32) -> __mmask16 {
        bits as __mmask16
    }

    #[inline(always)]
    fn with_bits(self, mask: __mmask16, bits: u32) -> Avx512 {
        unsafe {
            let before = _mm512_castps_si512(self.0);
            let after = _mm512_mask_or_epi32(before, mask, before, _mm512_set1_epi32(bits as i32));
            Avx512(_mm512_castsi512_ps(after))
        }
    }

    #[inline(always)]
    fn without_bits(self, bits: u32) -> Avx512 {
        unsafe {
            let keep = _mm512_set1_epi32(!bits as i32);
            Avx512(_mm512_castsi512_ps(_mm512_and_epi32(_mm512_castps_si512(self.0), keep)))
        }
    }

    #[inline(always)]
    fn has_bits(self, bits: u32) -> __mmask16 {
        unsafe { _mm512_test_epi32_mask(_mm512_castps_si512(self.0), _mm512_set1_epi32(bits as i32)) }
    }

    #[inline(always)]
    unsafe fn load_columns(places: impl Fn(usize) -> *const f32) -> [Avx512; 4] {
        // Rows i, i + 4, i + 8 and i + 12 share a register, so that transposing its quarters puts all lanes in order.
        // SAFETY: readable and aligned, says the caller.
        let fours = unsafe {
            [
                four([places(0), places(4), places(8), places(12)]),
                four([places(1), places(5), places(9), places(13)]),
                four([places(2), places(6), places(10), places(14)]),
                four([places(3), places(7), places(11), places(15)]),
            ]
        };
        let [x, y, z, w] = transposed(fours);
        [Avx512(x), Avx512(y), Avx512(z), Avx512(w)]
    }

    #[inline(always)]
    unsafe fn store_columns(columns: [Avx512; 4], places: impl Fn(usize) -> *mut f32) {
        let fours = transposed([columns[0].0, columns[1].0, columns[2].0, columns[3].0]);
        // SAFETY: writable and aligned, says the caller.
        unsafe {
            store_four(fours[0], [places(0), places(4), places(8), places(12)]);
            store_four(fours[1], [places(1), places(5), places(9), places(13)]);
            store_four(fours[2], [places(2), places(6), places(10), places(14)]);
            store_four(fours[3], [places(3), places(7), places(11), places(15)]);
        }
    }
}
