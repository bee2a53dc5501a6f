//! Lanes as arrays: for machines that have no file of their own, and to hold the others against.

use crate::lanes::{LANES, Lanes, Wide, operators};

const COUNT: usize = 4;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Plain([f32; COUNT]);

operators!(Plain);

impl Plain {
    /// The number in the first lane.
    #[inline(always)]
    pub(crate) fn first(self) -> f32 {
        self.0[0]
    }

    #[inline(always)]
    fn zip<T: Copy + Default>(self, other: Plain, f: impl Fn(f32, f32) -> T) -> [T; COUNT] {
        let mut out = [T::default(); COUNT];
        for i in 0..COUNT {
            out[i] = f(self.0[i], other.0[i]);
        }
        out
    }

    #[inline(always)]
    fn plus(self, other: Plain) -> Plain {
        Plain(self.zip(other, |a, b| a + b))
    }

    #[inline(always)]
    fn minus(self, other: Plain) -> Plain {
        Plain(self.zip(other, |a, b| a - b))
    }

    #[inline(always)]
    fn product(self, other: Plain) -> Plain {
        Plain(self.zip(other, |a, b| a * b))
    }

    #[inline(always)]
    fn negated(self) -> Plain {
        Plain(self.zip(self, |a, _| -a))
    }
}

/// Lanes of a mask are all ones or all zeros, which compilers turn into vectors more readily than `bool`.
fn truth(is: bool) -> u32 {
    0u32.wrapping_sub(u32::from(is))
}

impl Lanes for Plain {
    const COUNT: usize = COUNT;
    type Mask = [u32; COUNT];
    type Narrow = Plain;

    #[inline(always)]
    fn splat(x: f32) -> Plain {
        Plain([x; COUNT])
    }

    #[inline(always)]
    fn load(from: &Wide, first: usize) -> Plain {
        let first = first % LANES;
        Plain([from.0[first], from.0[first + 1], from.0[first + 2], from.0[first + 3]])
    }

    #[inline(always)]
    fn store(self, to: &mut Wide, first: usize) {
        to.0[first..first + COUNT].copy_from_slice(&self.0);
    }

    #[inline(always)]
    fn max(self, other: Plain) -> Plain {
        Plain(self.zip(other, |a, b| if a > b { a } else { b }))
    }

    #[inline(always)]
    fn min(self, other: Plain) -> Plain {
        Plain(self.zip(other, |a, b| if a < b { a } else { b }))
    }

    #[inline(always)]
    fn divided_by(self, other: Plain) -> Plain {
        Plain(self.zip(other, |a, b| a / b))
    }

    #[inline(always)]
    fn sqrt(self) -> Plain {
        Plain(self.zip(self, |a, _| a.sqrt()))
    }

    #[inline(always)]
    fn at_least(self, other: Plain) -> [u32; COUNT] {
        self.zip(other, |a, b| truth(a >= b))
    }

    #[inline(always)]
    fn greater(self, other: Plain) -> [u32; COUNT] {
        self.zip(other, |a, b| truth(a > b))
    }

    #[inline(always)]
    fn both(a: [u32; COUNT], b: [u32; COUNT]) -> [u32; COUNT] {
        [a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]]
    }

    #[inline(always)]
    fn select(mask: [u32; COUNT], yes: Plain, no: Plain) -> Plain {
        let mut out = no;
        for i in 0..COUNT {
            out.0[i] = f32::from_bits((yes.0[i].to_bits() & mask[i]) | (no.0[i].to_bits() & !mask[i]));
        }
        out
    }

    #[inline(always)]
    fn bits(mask: [u32; COUNT]) -> u32 {
        (mask[0] & 1) | (mask[1] & 2) | (mask[2] & 4) | (mask[3] & 8)
    }

    #[inline(always)]
    fn mask(bits: u32) -> [u32; COUNT] {
        [truth(bits & 1 != 0), truth(bits & 2 != 0), truth(bits & 4 != 0), truth(bits & 8 != 0)]
    }

    #[inline(always)]
    fn with_bits(self, mask: [u32; COUNT], bits: u32) -> Plain {
        let mut out = self;
        for i in 0..COUNT {
            out.0[i] = f32::from_bits(self.0[i].to_bits() | (mask[i] & bits));
        }
        out
    }

    #[inline(always)]
    fn without_bits(self, bits: u32) -> Plain {
        Plain(self.zip(self, |a, _| f32::from_bits(a.to_bits() & !bits)))
    }

    #[inline(always)]
    fn has_bits(self, bits: u32) -> [u32; COUNT] {
        self.zip(self, |a, _| truth(a.to_bits() & bits != 0))
    }

    #[inline(always)]
    unsafe fn load_columns(places: impl Fn(usize) -> *const f32) -> [Plain; 4] {
        let mut columns = [Plain([0.0; COUNT]); 4];
        for lane in 0..COUNT {
            // SAFETY: readable for four numbers, says the caller.
            let row = unsafe { places(lane).cast::<[f32; 4]>().read() };
            for (column, number) in columns.iter_mut().zip(row) {
                column.0[lane] = number;
            }
        }
        columns
    }

    #[inline(always)]
    unsafe fn store_columns(columns: [Plain; 4], places: impl Fn(usize) -> *mut f32) {
        for lane in 0..COUNT {
            let row = [columns[0].0[lane], columns[1].0[lane], columns[2].0[lane], columns[3].0[lane]];
            // SAFETY: writable for four numbers, says the caller.
            unsafe { places(lane).cast::<[f32; 4]>().write(row) };
        }
    }
}
