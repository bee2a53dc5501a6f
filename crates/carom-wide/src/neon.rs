//! Four lanes in a NEON register.
//!
//! SAFETY of all blocks here: this is compiled only for machines that have the instructions.
#![allow(clippy::undocumented_unsafe_blocks, reason = "the header says it once for all of them")]

use crate::lanes::{LANES, Lanes, Wide, operators};
use std::arch::aarch64::*;

const COUNT: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Neon(float32x4_t);

operators!(Neon);

impl Neon {
    #[inline(always)]
    fn plus(self, other: Neon) -> Neon {
        Neon(unsafe { vaddq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn minus(self, other: Neon) -> Neon {
        Neon(unsafe { vsubq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn product(self, other: Neon) -> Neon {
        Neon(unsafe { vmulq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn negated(self) -> Neon {
        Neon(unsafe { vnegq_f32(self.0) })
    }
}

/// Rows become columns.
#[inline(always)]
fn transposed(rows: [float32x4_t; 4]) -> [float32x4_t; 4] {
    unsafe {
        let (low01, high01) = (vzip1q_f32(rows[0], rows[1]), vzip2q_f32(rows[0], rows[1]));
        let (low23, high23) = (vzip1q_f32(rows[2], rows[3]), vzip2q_f32(rows[2], rows[3]));
        [low_halves(low01, low23), high_halves(low01, low23), low_halves(high01, high23), high_halves(high01, high23)]
    }
}

/// The first two lanes of each.
#[inline(always)]
fn low_halves(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    unsafe { vreinterpretq_f32_u64(vzip1q_u64(vreinterpretq_u64_f32(a), vreinterpretq_u64_f32(b))) }
}

/// The last two lanes of each.
#[inline(always)]
fn high_halves(a: float32x4_t, b: float32x4_t) -> float32x4_t {
    unsafe { vreinterpretq_f32_u64(vzip2q_u64(vreinterpretq_u64_f32(a), vreinterpretq_u64_f32(b))) }
}

/// The bit that stands for each lane.
#[inline(always)]
fn lane_bits() -> uint32x4_t {
    unsafe { vld1q_u32([1, 2, 4, 8].as_ptr()) }
}

impl Lanes for Neon {
    const COUNT: usize = COUNT;
    type Mask = uint32x4_t;
    type Narrow = Neon;

    #[inline(always)]
    fn splat(x: f32) -> Neon {
        Neon(unsafe { vdupq_n_f32(x) })
    }

    #[inline(always)]
    fn load(from: &Wide, first: usize) -> Neon {
        assert!(first.is_multiple_of(COUNT) && first < LANES);
        // SAFETY: four numbers from a multiple of four below 16 on are inside.
        Neon(unsafe { vld1q_f32(from.0.as_ptr().add(first)) })
    }

    #[inline(always)]
    fn store(self, to: &mut Wide, first: usize) {
        assert!(first.is_multiple_of(COUNT) && first < LANES);
        // SAFETY: as in `load`.
        unsafe { vst1q_f32(to.0.as_mut_ptr().add(first), self.0) }
    }

    #[inline(always)]
    fn max(self, other: Neon) -> Neon {
        // `vmaxq_f32` prefers NaN, and positive zero.
        Neon::select(self.greater(other), self, other)
    }

    #[inline(always)]
    fn min(self, other: Neon) -> Neon {
        Neon::select(other.greater(self), self, other)
    }

    #[inline(always)]
    fn divided_by(self, other: Neon) -> Neon {
        Neon(unsafe { vdivq_f32(self.0, other.0) })
    }

    #[inline(always)]
    fn sqrt(self) -> Neon {
        Neon(unsafe { vsqrtq_f32(self.0) })
    }

    #[inline(always)]
    fn at_least(self, other: Neon) -> uint32x4_t {
        unsafe { vcgeq_f32(self.0, other.0) }
    }

    #[inline(always)]
    fn greater(self, other: Neon) -> uint32x4_t {
        unsafe { vcgtq_f32(self.0, other.0) }
    }

    #[inline(always)]
    fn both(a: uint32x4_t, b: uint32x4_t) -> uint32x4_t {
        unsafe { vandq_u32(a, b) }
    }

    #[inline(always)]
    fn select(mask: uint32x4_t, yes: Neon, no: Neon) -> Neon {
        Neon(unsafe { vbslq_f32(mask, yes.0, no.0) })
    }

    #[inline(always)]
    fn bits(mask: uint32x4_t) -> u32 {
        unsafe { vaddvq_u32(vandq_u32(mask, lane_bits())) }
    }

    #[inline(always)]
    fn mask(bits: u32) -> uint32x4_t {
        unsafe { vtstq_u32(vdupq_n_u32(bits), lane_bits()) }
    }

    #[inline(always)]
    fn with_bits(self, mask: uint32x4_t, bits: u32) -> Neon {
        unsafe {
            let set = vandq_u32(mask, vdupq_n_u32(bits));
            Neon(vreinterpretq_f32_u32(vorrq_u32(vreinterpretq_u32_f32(self.0), set)))
        }
    }

    #[inline(always)]
    fn without_bits(self, bits: u32) -> Neon {
        Neon(unsafe { vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(self.0), vdupq_n_u32(bits))) })
    }

    #[inline(always)]
    fn has_bits(self, bits: u32) -> uint32x4_t {
        unsafe { vtstq_u32(vreinterpretq_u32_f32(self.0), vdupq_n_u32(bits)) }
    }

    #[inline(always)]
    unsafe fn load_columns(places: impl Fn(usize) -> *const f32) -> [Neon; 4] {
        let (row0, row1, row2, row3) = (places(0), places(1), places(2), places(3));
        // SAFETY: readable, says the caller.
        let rows = unsafe { [vld1q_f32(row0), vld1q_f32(row1), vld1q_f32(row2), vld1q_f32(row3)] };
        let [x, y, z, w] = transposed(rows);
        [Neon(x), Neon(y), Neon(z), Neon(w)]
    }

    #[inline(always)]
    unsafe fn store_columns(columns: [Neon; 4], places: impl Fn(usize) -> *mut f32) {
        let rows = transposed([columns[0].0, columns[1].0, columns[2].0, columns[3].0]);
        // SAFETY: writable, says the caller.
        unsafe {
            vst1q_f32(places(0), rows[0]);
            vst1q_f32(places(1), rows[1]);
            vst1q_f32(places(2), rows[2]);
            vst1q_f32(places(3), rows[3]);
        }
    }
}
