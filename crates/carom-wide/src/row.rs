//! Bodies lie in memory one after the other, a row of eight numbers each; lanes want a number of many bodies.
//!
//! Reading rows and transposing them beats reading number by number: a row is two loads, and transposing four rows
//! takes eight shuffles.

use std::marker::PhantomData;

use crate::lanes::{LANES, Lanes, part_bits};

/// Numbers of 32 bits side by side. Implemented by [`quads!`](crate::quads!).
///
/// # Safety
/// The type begins with [`Quads::NUMBERS`] numbers without anything between them, and is aligned to at least 4 bytes.
pub unsafe trait Quads: Copy {
    /// How many numbers there are. What comes after them is left alone.
    const NUMBERS: usize;
}

/// Eight numbers and nothing else. Implemented by [`row!`](crate::row!).
///
/// # Safety
/// [`Quads::NUMBERS`] is 8, and the type has 32 bytes.
pub unsafe trait Row: Quads {}

/// What [`Quads`] may consist of: 32 bits, all patterns of which are good. For [`quads!`](crate::quads!) only.
///
/// # Safety
/// The type has 32 bits and no pattern of them is invalid.
pub unsafe trait Number {}

// SAFETY: every pattern of 32 bits is a number of these types.
unsafe impl Number for f32 {}
// SAFETY: likewise.
unsafe impl Number for u32 {}
// SAFETY: likewise.
unsafe impl Number for [u16; 2] {}

/// Declares that a struct begins with certain numbers, by naming them in order. Does not compile unless it does, which
/// is what makes it safe.
///
/// ```
/// #[derive(Clone, Copy)]
/// #[repr(C, align(16))]
/// struct Place { x: f32, y: f32, height: f32, kind: u32, name: char }
///
/// carom_wide::quads!(Place: x, y, height, kind);
/// ```
#[macro_export]
macro_rules! quads {
    ($quads:ty: $($($field:ident).+),+ $(,)?) => {
        const _: () = {
            const fn check<N: $crate::Number>(_: &N) {}
            #[allow(dead_code)]
            const fn numbers(quads: &$quads) {
                $(check(&quads.$($field).+);)+
            }
            let offsets = [$(::core::mem::offset_of!($quads, $($field).+)),+];
            assert!(align_of::<$quads>() >= 4);
            let mut i = 0;
            while i < offsets.len() {
                assert!(offsets[i] == 4 * i);
                i += 1;
            }
        };
        // SAFETY: the lines above have checked it.
        unsafe impl $crate::Quads for $quads {
            const NUMBERS: usize = [$(stringify!($($field).+)),+].len();
        }
    };
}

/// Declares a struct as a [`Row`], by naming its eight numbers in order. Does not compile unless the struct consists
/// of exactly these, which is what makes it safe.
///
/// ```
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Pair { x: f32, y: f32 }
///
/// #[derive(Clone, Copy)]
/// #[repr(C, align(32))]
/// struct State { velocity: Pair, spin: f32, flags: u32, place: Pair, direction: Pair }
///
/// carom_wide::row!(State: velocity.x, velocity.y, spin, flags, place.x, place.y, direction.x, direction.y);
/// ```
///
/// ```compile_fail
/// #[derive(Clone, Copy)]
/// #[repr(C, align(32))]
/// struct Holey { a: f32, b: f32, c: f32, d: f32, e: f32, f: f32, g: f32 }
///
/// carom_wide::row!(Holey: a, b, c, d, e, f, g);
/// ```
#[macro_export]
macro_rules! row {
    ($row:ty: $($($field:ident).+),+ $(,)?) => {
        $crate::quads!($row: $($($field).+),+);
        const _: () = assert!(<$row as $crate::Quads>::NUMBERS == 8 && size_of::<$row>() == 32);
        // SAFETY: the lines above have checked it.
        unsafe impl $crate::Row for $row {}
    };
}

/// Which row each lane of a block stands for, if any, and which of them it may change.
#[derive(Clone, Copy, Debug)]
pub struct Places {
    /// Zero where a lane has no row.
    lanes: [u32; LANES],
    /// No place is higher.
    highest: u32,
    /// One bit per lane.
    present: u16,
    writable: u16,
}

impl Places {
    /// No lane has a row.
    pub const NOWHERE: Places = Places { lanes: [0; LANES], highest: 0, present: 0, writable: 0 };

    /// The rows of all lanes at once: zero where a lane has none. `present` and `writable` have one bit per lane.
    #[inline]
    pub fn of(lanes: [u32; LANES], present: u16, writable: u16) -> Places {
        Places { lanes, highest: lanes.iter().fold(0, |highest, &place| highest.max(place)), present, writable }
    }

    /// Gives a lane its row.
    #[inline]
    pub fn set(&mut self, lane: usize, place: u32, writable: bool) {
        self.lanes[lane] = place;
        self.highest = self.highest.max(place);
        self.present |= 1 << lane;
        self.writable |= u16::from(writable) << lane;
    }

    /// The row of a lane.
    #[inline]
    pub fn get(&self, lane: usize) -> Option<u32> {
        (self.present >> lane & 1 != 0).then_some(self.lanes[lane])
    }

    /// The rows of all lanes; zero, which may be another lane's row, where a lane has none.
    #[inline]
    pub fn all(&self) -> &[u32; LANES] {
        &self.lanes
    }

    /// Whether the row of a lane may be changed.
    #[inline]
    pub fn is_writable(&self, lane: usize) -> bool {
        self.writable >> lane & 1 != 0
    }

    /// The lanes whose rows may be changed, one bit each.
    #[inline(always)]
    pub fn writable(&self) -> u16 {
        self.writable
    }

    /// True when no lane has a row.
    #[inline(always)]
    pub fn is_nowhere(&self) -> bool {
        self.present == 0
    }
}

/// Rows that lanes read and write.
///
/// Several threads may work on the same rows, each with a [share](Rows::share) of its own, as long as none changes a row
/// that another looks at.
#[derive(Debug)]
pub struct Rows<'r, R> {
    start: *mut R,
    length: usize,
    rows: PhantomData<&'r mut [R]>,
}

// SAFETY: this stands for `&mut [R]`.
unsafe impl<R: Send> Send for Rows<'_, R> {}
// SAFETY: a shared reference to it allows no more than reading, like `&&mut [R]`.
unsafe impl<R: Sync> Sync for Rows<'_, R> {}

impl<'r, R: Row> Rows<'r, R> {
    /// All rows of a slice.
    #[inline(always)]
    pub fn of(rows: &'r mut [R]) -> Rows<'r, R> {
        Rows { start: rows.as_mut_ptr(), length: rows.len(), rows: PhantomData }
    }

    /// The same rows for another thread.
    ///
    /// # Safety
    /// While there are several shares, no row may be changed through one and looked at through another.
    #[inline(always)]
    pub unsafe fn share(&self) -> Rows<'r, R> {
        Rows { start: self.start, length: self.length, rows: PhantomData }
    }

    /// One row. Panics if it is not there.
    #[inline(always)]
    pub fn get(&self, place: u32) -> R {
        assert!((place as usize) < self.length);
        // SAFETY: there is such a row, and nothing else changes it: by the borrow, or by the contract of `share`.
        unsafe { self.start.add(place as usize).read() }
    }

    /// Writes one row. Panics if it is not there.
    #[inline(always)]
    pub fn set(&mut self, place: u32, row: R) {
        assert!((place as usize) < self.length);
        // SAFETY: likewise, and nothing else reads it.
        unsafe { self.start.add(place as usize).write(row) };
    }
}

#[inline(always)]
fn all<L: Lanes>() -> u32 {
    (1 << L::COUNT) - 1
}

/// One half of the rows of a part of a block, transposed; `rest` stands for rows that are not there.
///
/// `HALF` is 0 for the first four numbers, 1 for the others.
#[inline(always)]
fn gather_half<L: Lanes, R: Row, const HALF: usize>(
    rows: &Rows<'_, R>,
    places: &Places,
    first: usize,
    rest: &R,
) -> [L; 4] {
    const { assert!(HALF < 2) };
    let lanes = &places.lanes[first..first + L::COUNT];
    let present = part_bits::<L>(places.present, first);
    if present == 0 {
        // SAFETY: a row has eight numbers.
        let [x, y, z, w] = unsafe { std::ptr::from_ref(rest).cast::<[f32; 4]>().add(HALF).read() };
        return [L::splat(x), L::splat(y), L::splat(z), L::splat(w)];
    }
    assert!((places.highest as usize) < rows.length);
    let base = rows.start.cast_const();
    if present == all::<L>() {
        // SAFETY: no place is above `highest`, which is a row; a row is 32 bytes, aligned to 16 or more.
        unsafe { L::load_columns(|lane| base.add(lanes[lane] as usize).cast::<f32>().add(4 * HALF)) }
    } else {
        // SAFETY: likewise, and `rest` is a row as well.
        unsafe {
            L::load_columns(|lane| {
                let there = base.add(lanes[lane] as usize);
                let row = if present >> lane & 1 != 0 { there } else { std::ptr::from_ref(rest) };
                row.cast::<f32>().add(4 * HALF)
            })
        }
    }
}

/// The rows of the part of a block that begins at lane `first`, transposed: the first numbers of all rows, then the
/// second ones, and so on. `rest` stands for rows that are not there.
#[inline(always)]
pub fn gather<L: Lanes, R: Row>(rows: &Rows<'_, R>, places: &Places, first: usize, rest: &R) -> [L; 8] {
    let [a, b, c, d] = gather_half::<L, R, 0>(rows, places, first, rest);
    let [e, f, g, h] = gather_half::<L, R, 1>(rows, places, first, rest);
    [a, b, c, d, e, f, g, h]
}

/// The first four numbers only.
#[inline(always)]
pub fn gather_low<L: Lanes, R: Row>(rows: &Rows<'_, R>, places: &Places, first: usize, rest: &R) -> [L; 4] {
    gather_half::<L, R, 0>(rows, places, first, rest)
}

/// The last four numbers only.
#[inline(always)]
pub fn gather_high<L: Lanes, R: Row>(rows: &Rows<'_, R>, places: &Places, first: usize, rest: &R) -> [L; 4] {
    gather_half::<L, R, 1>(rows, places, first, rest)
}

/// The rows of a run of [`Lanes::COUNT`], transposed.
#[inline(always)]
pub fn gather_run<L: Lanes, R: Row>(rows: &[R]) -> [L; 8] {
    assert!(rows.len() == L::COUNT);
    let base = rows.as_ptr();
    // SAFETY: there are as many rows as lanes, of eight numbers, aligned to 16 or more.
    unsafe {
        let [a, b, c, d] = L::load_columns(|lane| base.add(lane).cast::<f32>());
        let [e, f, g, h] = L::load_columns(|lane| base.add(lane).cast::<f32>().add(4));
        [a, b, c, d, e, f, g, h]
    }
}

/// The first four numbers of a run of [`Lanes::COUNT`] rows, transposed.
#[inline(always)]
pub fn gather_run_low<L: Lanes, R: Row>(rows: &[R]) -> [L; 4] {
    assert!(rows.len() == L::COUNT);
    let base = rows.as_ptr();
    // SAFETY: as in `gather_run`.
    unsafe { L::load_columns(|lane| base.add(lane).cast::<f32>()) }
}

/// Four numbers of one item per lane, from the number `FIRST` on, transposed.
#[inline(always)]
pub fn gather_quad<'i, const FIRST: usize, L: Lanes, Q: Quads + 'i>(item: impl Fn(usize) -> &'i Q) -> [L; 4] {
    const { assert!(FIRST + 4 <= Q::NUMBERS) };
    // SAFETY: there are that many numbers, aligned to 4 bytes.
    unsafe { L::load_columns(|lane| std::ptr::from_ref(item(lane)).cast::<f32>().add(FIRST)) }
}

/// Writes four numbers to one item per lane, from the number `FIRST` on.
///
/// # Safety
/// Every pointer must be one to a different item that nothing else reads or writes meanwhile.
#[inline(always)]
pub unsafe fn scatter_quad<const FIRST: usize, L: Lanes, Q: Quads>(columns: [L; 4], item: impl Fn(usize) -> *mut Q) {
    const { assert!(FIRST + 4 <= Q::NUMBERS) };
    // SAFETY: there are that many numbers, aligned to 4 bytes; the rest is what the caller promises.
    unsafe { L::store_columns(columns, |lane| item(lane).cast::<f32>().add(FIRST)) }
}

/// Writes a run of rows.
#[inline(always)]
pub fn scatter_run<L: Lanes, R: Row>(rows: &mut [R], [a, b, c, d, e, f, g, h]: [L; 8]) {
    assert!(rows.len() == L::COUNT);
    let base = rows.as_mut_ptr();
    // SAFETY: as in `gather_run`.
    unsafe {
        L::store_columns([a, b, c, d], |lane| base.add(lane).cast::<f32>());
        L::store_columns([e, f, g, h], |lane| base.add(lane).cast::<f32>().add(4));
    }
}

/// Writes the first four numbers of a run of rows.
#[inline(always)]
pub fn scatter_run_low<L: Lanes, R: Row>(rows: &mut [R], columns: [L; 4]) {
    assert!(rows.len() == L::COUNT);
    let base = rows.as_mut_ptr();
    // SAFETY: as in `gather_run`.
    unsafe { L::store_columns(columns, |lane| base.add(lane).cast::<f32>()) }
}

/// Tells the machine that something will be read soon. Changes nothing but the time that this takes.
#[inline(always)]
pub fn prefetch<T>(what: &T) {
    prefetch_at(std::ptr::from_ref(what), size_of::<T>());
}

/// The same for the first `bytes` bytes at a place that another thread may be writing to, or that is not there.
#[inline(always)]
pub fn prefetch_at<T>(place: *const T, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    for line in (0..bytes).step_by(64) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing, wherever it points to; every x86-64 has it.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast::<i8>().wrapping_add(line)) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (place, bytes);
}

/// Writes the first four numbers back to those rows that may be changed. Where two lanes have the same row, it is not
/// specified whose numbers stay.
#[inline(always)]
pub fn scatter_low<L: Lanes, R: Row>(rows: &mut Rows<'_, R>, places: &Places, first: usize, columns: [L; 4]) {
    let writable = part_bits::<L>(places.writable & places.present, first);
    if writable == 0 {
        return;
    }
    assert!((places.highest as usize) < rows.length);
    let lanes = &places.lanes[first..first + L::COUNT];
    let base = rows.start;
    if writable == all::<L>() {
        // SAFETY: as in `gather_half`; lanes may share a place.
        unsafe { L::store_columns(columns, |lane| base.add(lanes[lane] as usize).cast::<f32>()) };
    } else {
        // Numbers of all lanes that must not be changed go to one place, which is never read.
        #[repr(align(16))]
        struct Nowhere([f32; 4]);
        let mut nowhere = Nowhere([0.0; 4]);
        let nowhere = nowhere.0.as_mut_ptr();
        // SAFETY: likewise, and `nowhere` has four numbers.
        unsafe {
            L::store_columns(columns, |lane| {
                let there = base.add(lanes[lane] as usize).cast::<f32>();
                if writable >> lane & 1 != 0 { there } else { nowhere }
            });
        }
    }
}
