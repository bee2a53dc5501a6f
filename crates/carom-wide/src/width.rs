//! Which instructions run.

use crate::lanes::Lanes;
use crate::plain::Plain;
use std::fmt;

/// Work that can be done with lanes of any kind.
pub trait Task {
    /// What it gives.
    type Output;

    /// Does the work. This function and all that it calls with lanes must be `#[inline(always)]`: they are compiled
    /// within a function for the instructions, and what is not inlined there is compiled without them, which is
    /// slower than no lanes at all. So no closure may touch lanes: closures are inlined at the compiler's pleasure.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// A set of vector instructions that this machine has. Results do not depend on it, to the last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Width(Instructions);

/// Private, so that a [`Width`] is proof that the machine has the instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Instructions {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Sse2,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
    Neon,
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Simd128,
}

impl Width {
    /// The widest.
    pub fn best() -> Width {
        Width::all().last().unwrap_or(Width(Instructions::Plain))
    }

    /// What suits lists that hardly fill registers of sixteen lanes: eight. Lanes that hold nothing still cost time, most of
    /// it in bringing numbers together and apart again. What has no more than eight lanes stays as it is.
    pub fn for_few(self) -> Width {
        #[cfg(target_arch = "x86_64")]
        if self.0 == Instructions::Avx512 && is_x86_feature_detected!("avx2") {
            return Width(Instructions::Avx2);
        }
        self
    }

    /// All that this machine has, from the narrowest to the widest.
    pub fn all() -> impl Iterator<Item = Width> {
        let all = [
            (Instructions::Plain, true),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Sse2, true),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx2, is_x86_feature_detected!("avx2")),
            #[cfg(target_arch = "x86_64")]
            (Instructions::Avx512, is_x86_feature_detected!("avx512f")),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            (Instructions::Neon, true),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            (Instructions::Simd128, true),
        ];
        all.into_iter().filter(|&(_, present)| present).map(|(instructions, _)| Width(instructions))
    }

    /// Does some work with these instructions.
    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self.0 {
            Instructions::Plain => task.run::<Plain>(),
            #[cfg(target_arch = "x86_64")]
            Instructions::Sse2 => task.run::<crate::sse2::Sse2>(),
            // SAFETY: `all` makes this value only where the machine has the instructions.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => unsafe { run_avx2(task) },
            // SAFETY: likewise.
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => unsafe { run_avx512(task) },
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Instructions::Neon => task.run::<crate::neon::Neon>(),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Instructions::Simd128 => task.run::<crate::wasm::Simd128>(),
        }
    }

    /// The name of the instructions.
    pub fn name(self) -> &'static str {
        match self.0 {
            Instructions::Plain => "plain",
            #[cfg(target_arch = "x86_64")]
            Instructions::Sse2 => "sse2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512 => "avx512",
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            Instructions::Neon => "neon",
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            Instructions::Simd128 => "simd128",
        }
    }
}

impl fmt::Display for Width {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<T: Task>(task: T) -> T::Output {
    task.run::<crate::avx2::Avx2>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn run_avx512<T: Task>(task: T) -> T::Output {
    task.run::<crate::avx512::Avx512>()
}
