//! The vocabulary: what can be done with lanes.

use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// How many lanes a block has in memory. Registers hold a part of them.
pub const LANES: usize = 16;

/// One number per lane of a block, as it lies in memory: one cache line.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(64))]
pub struct Wide(pub [f32; LANES]);

impl Wide {
    /// Zero in every lane.
    pub const ZERO: Wide = Wide([0.0; LANES]);

    /// The same number in every lane.
    #[inline]
    pub const fn splat(x: f32) -> Wide {
        Wide([x; LANES])
    }
}

impl Default for Wide {
    fn default() -> Wide {
        Wide::ZERO
    }
}

/// One vector of the plane per lane of a block, as it lies in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wide2 {
    /// First components.
    pub x: Wide,
    /// Second components.
    pub y: Wide,
}

impl Wide2 {
    /// Zero in every lane.
    pub const ZERO: Wide2 = Wide2 { x: Wide::ZERO, y: Wide::ZERO };
}

/// What [`Lanes`] requires and no other crate can name.
pub trait Sealed {}

/// A register of lanes, or what stands for one.
///
/// The types that implement it are private: a program gets one by [`Width::run`](crate::Width::run) only, on a
/// machine that has the instructions. That is why all of this is safe to call. The trait is sealed, because unsafe code
/// relies on [`Lanes::COUNT`] and on which places the functions ask for:
///
/// ```compile_fail
/// fn only_lanes<L: carom_wide::Lanes>() {}
/// struct Mine;
/// impl carom_wide::Sealed for Mine {}
/// ```
pub trait Lanes:
    Sealed
    + Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// How many lanes; a divisor of [`LANES`].
    const COUNT: usize;

    /// A truth value per lane.
    type Mask: Copy;

    /// Fewer lanes of the same machine, for blocks that are mostly empty.
    type Narrow: Lanes;

    /// The same number in every lane.
    fn splat(x: f32) -> Self;

    /// The lanes of a block from `first` on, a multiple of [`Lanes::COUNT`] below [`LANES`].
    fn load(from: &Wide, first: usize) -> Self;

    /// Writes these lanes to those of a block from `first` on.
    fn store(self, to: &mut Wide, first: usize);

    /// The larger of two numbers in each lane; the second where they are not ordered, or both zero.
    fn max(self, other: Self) -> Self;

    /// The smaller of two numbers in each lane; the second where they are not ordered, or both zero.
    fn min(self, other: Self) -> Self;

    /// The quotient, correctly rounded.
    fn divided_by(self, other: Self) -> Self;

    /// The square root, correctly rounded.
    fn sqrt(self) -> Self;

    /// Lanes where this number is greater or equal.
    fn at_least(self, other: Self) -> Self::Mask;

    /// Lanes where this number is greater.
    fn greater(self, other: Self) -> Self::Mask;

    /// Lanes where the numbers are equal.
    #[inline(always)]
    fn equals(self, other: Self) -> Self::Mask {
        Self::both(self.at_least(other), other.at_least(self))
    }

    /// Lanes where both masks are set.
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;

    /// In each lane `yes` where the mask is set, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;

    /// One bit per lane, that of the first lane lowest.
    fn bits(mask: Self::Mask) -> u32;

    /// The mask with these bits.
    fn mask(bits: u32) -> Self::Mask;

    /// The numbers with the bits of `bits` set in lanes where the mask is: for flags, which are no numbers.
    fn with_bits(self, mask: Self::Mask, bits: u32) -> Self;

    /// The numbers with the bits of `bits` cleared in all lanes.
    fn without_bits(self, bits: u32) -> Self;

    /// Lanes where a bit of `bits` is set.
    fn has_bits(self, bits: u32) -> Self::Mask;

    /// Four numbers from each of [`Lanes::COUNT`] places, transposed: the first numbers, the second, and so on.
    ///
    /// # Safety
    /// Every pointer for a lane below [`Lanes::COUNT`] must be readable for four `f32` and aligned to 4 bytes.
    unsafe fn load_columns(places: impl Fn(usize) -> *const f32) -> [Self; 4];

    /// The reverse. Lanes are written one after the other, in an order that depends on the type: where the places of two
    /// lanes overlap, it is not specified whose numbers stay.
    ///
    /// # Safety
    /// Every pointer for a lane below [`Lanes::COUNT`] must be writable for four `f32` and aligned to 4 bytes.
    unsafe fn store_columns(columns: [Self; 4], places: impl Fn(usize) -> *mut f32);

    /// One over the number in each lane, correctly rounded.
    #[inline(always)]
    fn recip(self) -> Self {
        Self::splat(1.0).divided_by(self)
    }

    /// Limited to `-bound..=bound`, for `bound` of at least zero.
    #[inline(always)]
    fn clamp_symmetric(self, bound: Self) -> Self {
        (-bound).max(self.min(bound))
    }
}

/// The first lanes of the parts that hold the first `count` lanes of a block.
#[inline(always)]
pub fn each_part<L: Lanes>(count: usize) -> impl Iterator<Item = usize> {
    (0..count.min(LANES)).step_by(L::COUNT)
}

/// True when the first `count` lanes of a block are better gone through with [`Lanes::Narrow`].
#[inline(always)]
pub fn is_sparse<L: Lanes>(count: usize) -> bool {
    count <= L::COUNT / 2
}

/// Of one bit per lane of a block, those of the part that begins at lane `first`.
#[inline(always)]
pub fn part_bits<L: Lanes>(lanes: u16, first: usize) -> u32 {
    u32::from(lanes) >> first & ((1 << L::COUNT) - 1)
}

/// One vector of the plane per lane.
#[derive(Clone, Copy, Debug)]
pub struct Lanes2<L> {
    /// First components.
    pub x: L,
    /// Second components.
    pub y: L,
}

impl<L: Lanes> Lanes2<L> {
    /// The lanes of a block from `first` on.
    #[inline(always)]
    pub fn load(from: &Wide2, first: usize) -> Lanes2<L> {
        Lanes2 { x: L::load(&from.x, first), y: L::load(&from.y, first) }
    }

    /// Writes these lanes to those of a block from `first` on.
    #[inline(always)]
    pub fn store(self, to: &mut Wide2, first: usize) {
        self.x.store(&mut to.x, first);
        self.y.store(&mut to.y, first);
    }

    /// The scalar product in each lane.
    #[inline(always)]
    pub fn dot(self, other: Self) -> L {
        self.x * other.x + self.y * other.y
    }

    /// The cross product `a.x b.y - a.y b.x` in each lane.
    #[inline(always)]
    pub fn cross(self, other: Self) -> L {
        self.x * other.y - self.y * other.x
    }

    /// Every component multiplied by the lane's number.
    #[inline(always)]
    pub fn scale(self, s: L) -> Self {
        Lanes2 { x: self.x * s, y: self.y * s }
    }

    /// Component by component product.
    #[inline(always)]
    pub fn times(self, other: Self) -> Self {
        Lanes2 { x: self.x * other.x, y: self.y * other.y }
    }

    /// Turned by -90 degrees.
    #[inline(always)]
    pub fn right_perp(self) -> Self {
        Lanes2 { x: self.y, y: -self.x }
    }

    /// Turned by the rotation with this cosine and sine.
    #[inline(always)]
    pub fn rotated(self, c: L, s: L) -> Self {
        Lanes2 { x: c * self.x - s * self.y, y: s * self.x + c * self.y }
    }
}

impl<L: Lanes> Add for Lanes2<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Lanes2 { x: self.x + other.x, y: self.y + other.y }
    }
}

impl<L: Lanes> Sub for Lanes2<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Lanes2 { x: self.x - other.x, y: self.y - other.y }
    }
}

impl<L: Lanes> Neg for Lanes2<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Lanes2 { x: -self.x, y: -self.y }
    }
}

/// Seals a type of lanes, and defines its operators from its functions `plus`, `minus`, `product` and `negated`.
macro_rules! operators {
    ($lanes:ident) => {
        impl crate::lanes::Sealed for $lanes {}

        impl std::ops::Add for $lanes {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.plus(other)
            }
        }

        impl std::ops::Sub for $lanes {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.minus(other)
            }
        }

        impl std::ops::Mul for $lanes {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.product(other)
            }
        }

        impl std::ops::Neg for $lanes {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                self.negated()
            }
        }

        impl std::ops::AddAssign for $lanes {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl std::ops::SubAssign for $lanes {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = *self - other;
            }
        }
    };
}
pub(crate) use operators;
