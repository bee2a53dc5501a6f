//! Several lanes of `f32`, computed side by side.
//!
//! The solver is written once, over the small vocabulary of [`Lanes`], and compiled for every set of vector
//! instructions; which of them runs is decided when the program does ([`Width`]). Only operations that
//! IEEE 754 defines to the last bit are in the vocabulary (add, subtract, multiply, divide, square root,
//! compare, select), so that the result does not depend on how many lanes the machine computes at a time: no
//! fused multiply-add, no reciprocal estimates, no sum across lanes.
//!
//! ```
//! use carom_wide::{Lanes, Task, Wide, Width, each_part};
//!
//! struct Double<'a>(&'a mut Wide);
//!
//! impl Task for Double<'_> {
//!     type Output = ();
//!     #[inline(always)]
//!     fn run<L: Lanes>(self) {
//!         for first in each_part::<L>(16) {
//!             let x = L::load(self.0, first);
//!             (x + x).store(self.0, first);
//!         }
//!     }
//! }
//!
//! let mut numbers = Wide::splat(1.5);
//! Width::best().run(Double(&mut numbers));
//! assert_eq!(numbers, Wide::splat(3.0));
//! ```
//!
//! Numbers lie in memory in blocks of [`LANES`], whatever the width, and a narrow machine goes through a block
//! in several parts. So what a block holds, and what is decided per block, is the same everywhere.
//!
//! | file | instructions | lanes |
//! |---|---|---|
//! | `plain.rs` | whatever the compiler makes of arrays | 4 |
//! | `sse2.rs` | every x86-64 has them | 4 |
//! | `avx2.rs` | x86-64 since about 2013 | 8 |
//! | `avx512.rs` | AVX-512F | 16 |
//! | `neon.rs` | every 64-bit ARM has them | 4 |
//! | `wasm.rs` | WebAssembly compiled with `-C target-feature=+simd128` | 4 |
//! | `row.rs` | bodies to lanes and back | |
//! | `angle.rs` | the angle of a rotation | |
//! | `boxes.rs` | eight boxes against one, compiled for the machine that the program is | |
//!
//! This crate and the scheduler of threads are the only ones with unsafe code: instructions that a machine may
//! lack, and rows that are read through pointers. Each such place says what makes it right.

mod angle;
mod boxes;
mod lanes;
mod plain;
mod row;
mod width;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
mod neon;
#[cfg(target_arch = "x86_64")]
mod sse2;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
mod wasm;

#[cfg(test)]
mod tests;

pub use angle::{angle, angles};
pub use boxes::overlapping;
pub use lanes::{LANES, Lanes, Lanes2, Wide, Wide2, each_part, is_sparse, part_bits};
pub use row::{
    Number, Places, Quads, Row, Rows, gather, gather_high, gather_low, gather_quad, gather_run, gather_run_low,
    prefetch, prefetch_at, scatter_low, scatter_quad, scatter_run, scatter_run_low,
};
pub use width::{Task, Width};
