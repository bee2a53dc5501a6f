//! The helper threads, and how a loop is shared out among them.
//!
//! Each thread has a share of every loop, the same part of it each time, and takes the blocks of others when its own
//! are done: what a thread worked on in one loop is still in its cache when the next loop goes over the same things.
//!
//! All of it hangs on one number for each share, [`Shared::shares`]: which loop is running, and how many blocks of the
//! share no thread has taken yet. A thread that lowers it has taken a block. The loop itself may be read only by a thread
//! that has taken a block of it, and the caller does not leave before all blocks are done: so a loop that is looked at is
//! always still there.
//!
//! The work is borrowed from the caller, so neither side may unwind past this: panics of blocks are caught and kept for
//! the caller, and if anything else should unwind, the process is aborted ([`AbortOnUnwind`]).

use crate::sync::{
    Arc, AtomicBool, AtomicU32, AtomicU64, AtomicUsize, JoinHandle, Mutex, MutexGuard, UnsafeCell, thread, wait,
};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::sync::{PoisonError, TryLockError};

#[cfg(all(test, loom))]
mod models;

/// The work of a loop: called with the index of a block.
type Work<'w> = dyn Fn(usize) + Sync + 'w;

/// A loop that is being run.
#[derive(Clone, Copy)]
struct Loop {
    work: *const Work<'static>,
    blocks: usize,
    /// How many threads have a share of it, the caller counted.
    threads: usize,
}

/// Keeps what one thread writes often away from what others read.
#[repr(align(128))]
struct Apart<T>(T);

struct Shared {
    /// One for each thread, the caller's first. Number of the loop in the upper half, blocks of the share that are left
    /// to take in the lower.
    shares: Box<[Apart<AtomicU64>]>,
    /// Blocks of the loop that helpers have done.
    done: Apart<AtomicU32>,
    /// How many helpers are awake, from the call of a crew to its end: the first of them. None between two crews.
    awake: Apart<AtomicUsize>,
    quit: AtomicBool,
    /// True while a loop is shared out.
    running: AtomicBool,
    current: UnsafeCell<Option<Loop>>,
    /// True when a block panicked, and the payload of the first panic.
    panicked: AtomicBool,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: `current` is written by the caller before it offers blocks (release) and read by who has taken a block
// (acquire). The caller writes it again only after all blocks are done, so no reader is left by then.
unsafe impl Sync for Shared {}
// SAFETY: the pointer in `current` is only followed under the rule above, on any thread: the work is `Sync`.
unsafe impl Send for Shared {}

/// Helper threads, asleep unless a crew is at work.
pub(crate) struct Pool {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    /// Held by the crew.
    busy: Mutex<()>,
}

impl Pool {
    /// Starts up to `helpers` threads; fewer where the system refuses.
    pub(crate) fn start(helpers: usize) -> Pool {
        let shared = Arc::new(Shared {
            shares: (0..=helpers).map(|_| Apart(AtomicU64::new(0))).collect(),
            done: Apart(AtomicU32::new(0)),
            awake: Apart(AtomicUsize::new(0)),
            quit: AtomicBool::new(false),
            running: AtomicBool::new(false),
            current: UnsafeCell::new(None),
            panicked: AtomicBool::new(false),
            panic: Mutex::new(None),
        });
        let mut threads = Vec::new();
        for helper in 1..=helpers {
            let shared = Arc::clone(&shared);
            match thread::Builder::new().name("carom".into()).spawn(move || help(&shared, helper)) {
                Ok(thread) => threads.push(thread),
                Err(_) => break,
            }
        }
        Pool { shared, threads, busy: Mutex::new(()) }
    }

    pub(crate) fn helpers(&self) -> usize {
        self.threads.len()
    }

    /// Wakes the first `helpers` of the helpers, unless they are busy with another loop or there are none.
    pub(crate) fn try_hold(&self, helpers: usize) -> Option<MutexGuard<'_, ()>> {
        let helpers = helpers.min(self.threads.len());
        if helpers == 0 {
            return None;
        }
        let guard = match self.busy.try_lock() {
            Ok(guard) => guard,
            // A crew that panicked left nothing half done: its loop had ended.
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return None,
        };
        self.shared.awake.0.store(helpers, Ordering::Release);
        for thread in &self.threads[..helpers] {
            thread.thread().unpark();
        }
        Some(guard)
    }

    /// Lets the helpers sleep.
    pub(crate) fn rest(&self) {
        self.shared.awake.0.store(0, Ordering::Release);
    }

    /// Runs a loop of blocks, to its end. Only who holds the pool may call this, or a block of theirs.
    pub(crate) fn run(&self, blocks: usize, work: &Work<'_>) {
        let shared = &*self.shared;
        let count = u32::try_from(blocks).expect("fewer than 2^32 blocks");
        if shared.running.swap(true, Ordering::Acquire) {
            // A loop within a loop: the others are busy with the outer one.
            return (0..blocks).for_each(work);
        }
        // Until all blocks are done the work must not be freed, so this frame must not be left.
        let stay = AbortOnUnwind;
        let work: *const Work<'_> = work;
        // SAFETY: only the lifetime changes. The pointer is followed by who has taken a block, and this function
        // returns when all blocks are done.
        let work: *const Work<'static> = unsafe { std::mem::transmute(work) };
        let threads = 1 + shared.awake.0.load(Ordering::Relaxed);
        // SAFETY: all blocks of the last loop are done, so no thread reads `current`.
        shared.current.with_mut(|current| unsafe { *current = Some(Loop { work, blocks, threads }) });
        shared.done.0.store(0, Ordering::Relaxed);
        let last = shared.shares[0].0.load(Ordering::Relaxed) >> 32;
        let number = (last + 1) & u64::from(u32::MAX);
        for (share, left) in shared.shares[..threads].iter().enumerate() {
            let blocks = first_of(share + 1, blocks, threads) - first_of(share, blocks, threads);
            left.0.store(number << 32 | blocks as u64, Ordering::Release);
        }

        let own = shared.work_off(0, threads);
        let mut spins = 0;
        while shared.done.0.load(Ordering::Acquire) != count - own {
            wait(&mut spins);
        }
        std::mem::forget(stay);
        shared.running.store(false, Ordering::Release);
        if shared.panicked.swap(false, Ordering::Relaxed) {
            let first = shared.panic.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(panic) = first {
                resume_unwind(panic);
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.shared.quit.store(true, Ordering::Release);
        for thread in &self.threads {
            thread.thread().unpark();
        }
        for thread in self.threads.drain(..) {
            // A helper has nothing to say: panics of its blocks have been passed on.
            let _ = thread.join();
        }
    }
}

/// The first block of a share of a loop.
#[inline]
fn first_of(share: usize, blocks: usize, threads: usize) -> usize {
    share * blocks / threads
}

impl Shared {
    /// Does the blocks of a thread's own share that are left, and then those of others. Returns how many it did.
    #[inline]
    fn work_off(&self, own: usize, threads: usize) -> u32 {
        let mut done = 0;
        for share in (own..threads).chain(0..own) {
            while self.take_and_do(share) {
                done += 1;
            }
        }
        done
    }

    /// Takes a block of a share of the current loop and does it; false when none is left.
    #[inline]
    fn take_and_do(&self, share: usize) -> bool {
        let claim = &self.shares[share].0;
        let mut seen = claim.load(Ordering::Acquire);
        loop {
            let left = seen & u64::from(u32::MAX);
            if left == 0 {
                return false;
            }
            match claim.compare_exchange_weak(seen, seen - 1, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => {
                    self.do_block(share, left as usize);
                    return true;
                }
                Err(now) => seen = now,
            }
        }
    }

    /// Keeps the payload of a panic for the caller, unless there is one already. A later payload is dropped here; as that
    /// is foreign code, it may panic in turn, and then its own payload is leaked.
    fn keep_first(&self, panic: Box<dyn Any + Send>) {
        let mut later = Some(panic);
        {
            let mut first = self.panic.lock().unwrap_or_else(PoisonError::into_inner);
            if first.is_none() {
                *first = later.take();
            }
        }
        self.panicked.store(true, Ordering::Relaxed);
        if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(later))) {
            std::mem::forget(again);
        }
    }

    /// Does the block that was taken when `left` blocks of the share were left.
    fn do_block(&self, share: usize, left: usize) {
        // SAFETY: this thread has taken a block and has not told that it is done, so the loop is not over: no thread
        // writes `current`, and the work it points to is still borrowed by `run`.
        let (work, blocks, threads) = self.current.with(|current| unsafe {
            let current = (*current).expect("a block was taken from a loop");
            (&*current.work, current.blocks, current.threads)
        });
        let block = first_of(share + 1, blocks, threads) - left;
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| work(block))) {
            self.keep_first(panic);
        }
    }
}

/// Aborts the process when it is dropped, which happens only when something unwinds that must not.
struct AbortOnUnwind;

impl Drop for AbortOnUnwind {
    fn drop(&mut self) {
        std::process::abort();
    }
}

/// The life of a helper.
fn help(shared: &Shared, own: usize) {
    // A helper that died within a block would leave the caller waiting for it.
    let stay = AbortOnUnwind;
    let mut spins = 0;
    while !shared.quit.load(Ordering::Acquire) {
        let awake = shared.awake.0.load(Ordering::Acquire);
        let done = if own <= awake { shared.work_off(own, 1 + awake) } else { 0 };
        if done > 0 {
            // Told once: all of them belong to one loop, which could not end before.
            shared.done.0.fetch_add(done, Ordering::Release);
            spins = 0;
        } else if own <= awake {
            wait(&mut spins);
        } else {
            spins = 0;
            thread::park();
        }
    }
    std::mem::forget(stay);
}
