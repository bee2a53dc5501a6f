//! What is checked besides the absence of panics: that a step ends in time, that memory is in proportion, that numbers are
//! finite.

use std::cell::Cell;

/// The longest that a step may take, in seconds of this thread's processor time. The most work that an engine promises to
/// stop after are the 100,000 impacts of a step in 3D (docs/robustness.md), which took 2.8 s with assertions on a busy machine.
const LONGEST_STEP_S: f64 = 10.0;

/// How much slower code is that a fuzzer watches, with the address sanitizer.
const SLOWDOWN: f64 = if cfg!(fuzzing) { 20.0 } else { 1.0 };

/// Memory that any input may take, in bytes: a world and its tables.
const FREE_BYTES: usize = 32 << 20;

/// Memory beyond that, for each byte of the input. A chain takes 70 times its text (docs/robustness.md), and the worlds here
/// are kept twice.
const BYTES_PER_BYTE: usize = 200;

/// The processor time of this thread in seconds.
pub fn now_s() -> f64 {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.tv_sec as f64 + 1.0e-9 * time.tv_nsec as f64
    }
    #[cfg(not(unix))]
    {
        use std::sync::OnceLock;
        use std::time::Instant;
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed().as_secs_f64()
    }
}

/// Makes a step, or something that should take no longer. Panics if it takes too long.
pub(crate) fn in_time<T>(what: &str, act: impl FnOnce() -> T) -> T {
    let start = now_s();
    let result = act();
    let spent = now_s() - start;
    assert!(spent <= LONGEST_STEP_S * SLOWDOWN, "{what} took {spent:.2} s");
    result
}

/// Panics unless all numbers are finite.
pub(crate) fn finite(what: &str, numbers: impl IntoIterator<Item = f64>) {
    for number in numbers {
        assert!(number.is_finite(), "{what} is {number}");
    }
}

thread_local! {
    static IN_USE: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

/// Tells that this thread has taken memory, or given it back. An allocator calls it; without one, memory is not checked.
pub fn note_memory(change: isize) {
    // While a thread ends, nothing is left to count with.
    let _ = IN_USE.try_with(|in_use| {
        let now = in_use.get() + change;
        in_use.set(now);
        MOST.try_with(|most| most.set(most.get().max(now)))
    });
}

/// Watches the memory that is taken.
pub(crate) struct Memory {
    before: isize,
}

impl Memory {
    pub(crate) fn start() -> Memory {
        let before = IN_USE.get();
        MOST.set(before);
        Memory { before }
    }

    /// Panics if too much was taken since.
    pub(crate) fn check(self, what: &str, input: usize) {
        let taken = usize::try_from(MOST.get() - self.before).unwrap_or(0);
        let most = FREE_BYTES + BYTES_PER_BYTE * input;
        assert!(taken <= most, "{what} took {taken} bytes for {input}; {most} are allowed");
    }
}
