//! What threads agree by: the standard library's, or in a model (`--cfg loom`) those of loom, which runs it with every order of
//! its threads and every value that a weak ordering lets them read.

#[cfg(loom)]
mod kind {
    pub(crate) use loom::cell::UnsafeCell;
    pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
    pub(crate) use loom::sync::{Arc, Mutex, MutexGuard};
    pub(crate) use loom::thread::{self, JoinHandle};

    /// A moment. In a model time is what other threads do.
    pub(crate) fn wait(_spins: &mut u32) {
        thread::yield_now();
    }
}

#[cfg(not(loom))]
mod kind {
    pub(crate) use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
    pub(crate) use std::sync::{Arc, Mutex, MutexGuard};
    pub(crate) use std::thread::{self, JoinHandle};

    /// As loom has it: the pointer is handed to closures, so that a model sees each access.
    pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) const fn new(value: T) -> UnsafeCell<T> {
            UnsafeCell(std::cell::UnsafeCell::new(value))
        }

        #[inline(always)]
        pub(crate) fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
            read(self.0.get())
        }

        #[inline(always)]
        pub(crate) fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
            write(self.0.get())
        }
    }

    /// How often a thread looks for work before it gives its core to others, and how often it looks again before it does
    /// so once more. To look costs the thread next door little, where two of them share a core; to ask the system for a
    /// change costs it much.
    const SPINS: u32 = 2000;
    const MORE_SPINS: u32 = 100;

    /// A moment, longer when the wait has been long: others may need the core.
    #[inline]
    pub(crate) fn wait(spins: &mut u32) {
        if *spins < SPINS {
            *spins += 1;
            std::hint::spin_loop();
        } else {
            *spins -= MORE_SPINS;
            thread::yield_now();
        }
    }
}

pub(crate) use kind::*;
