//! One scheduler for all stages of a step.
//!
//! A [`Team`] is a number of threads; at the start of a step it is called together as a [`Crew`], which shares
//! out loops until it is dropped at the end of the step. A loop over `count` things is cut into blocks; each thread,
//! the caller included, takes those of its own share, and then whatever others have left.
//!
//! - **The result cannot depend on timing.** A loop's blocks may run in any order and on any thread, so the work
//!   given must write to its own part only. The safe functions ([`Crew::for_chunks`] and its relatives) make sure
//!   of it by handing out disjoint pieces.
//! - **No thread waits for one that the system has suspended.** The caller waits for blocks, not for threads:
//!   a helper that wakes up late finds nothing left to take, and that is all.
//! - **Idle helpers sleep.** Between steps they are parked and cost nothing. Within a step they spin, and give
//!   their core away when the wait is long.
//! - Where no thread can be started (in a browser, or when the system refuses), the caller does everything.

#![warn(missing_docs)]

mod pool;
mod sync;
mod tuner;

use pool::Pool;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, OnceLock};
use sync::MutexGuard;
pub use tuner::{Grain, Sharing, Tuner};

/// The largest number of threads in a team.
pub const MAX_THREADS: usize = 64;

/// How much smaller the smallest piece is that a crew of [`Grain::Fine`] hands out.
const FINER: usize = 8;

/// A number of threads that work together. Clones share their threads; a clone that calls them while they are busy
/// for another works alone.
#[derive(Clone)]
pub struct Team {
    threads: usize,
    /// Started when they are first called.
    pool: Arc<OnceLock<Pool>>,
}

impl Team {
    /// A team of this many threads, counting the one that calls; at least 1 and at most [`MAX_THREADS`]. Threads are
    /// started when they are first called together.
    pub fn new(threads: usize) -> Team {
        let threads = if cfg!(target_family = "wasm") { 1 } else { threads.clamp(1, MAX_THREADS) };
        Team { threads, pool: Arc::default() }
    }

    /// How many threads the machine can run at once; 1 where it does not tell.
    pub fn available() -> usize {
        std::thread::available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS))
    }

    /// How many threads there are, counting the one that calls.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Calls the threads together until the crew is dropped.
    pub fn call(&self) -> Crew<'_> {
        self.call_as(Sharing { threads: self.threads, grain: Grain::Coarse })
    }

    /// Calls some of the threads together until the crew is dropped.
    pub fn call_as(&self, sharing: Sharing) -> Crew<'_> {
        if self.threads == 1 || sharing.threads <= 1 {
            return Crew::ALONE;
        }
        let pool = self.pool.get_or_init(|| Pool::start(self.threads - 1));
        let helpers = pool.helpers().min(sharing.threads - 1);
        let hold = pool.try_hold(helpers);
        Crew { hold: hold.map(|guard| Hold { pool, helpers, grain: sharing.grain, _guard: guard }) }
    }
}

impl Default for Team {
    /// A team of one.
    fn default() -> Team {
        Team::new(1)
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Team").field("threads", &self.threads).finish()
    }
}

/// Threads that are awake and share out loops.
pub struct Crew<'t> {
    /// Nothing where the caller is alone.
    hold: Option<Hold<'t>>,
}

/// Keeps a pool awake, and others from using it.
struct Hold<'t> {
    pool: &'t Pool,
    /// How many of its helpers are awake.
    helpers: usize,
    grain: Grain,
    _guard: MutexGuard<'t, ()>,
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.pool.rest();
    }
}

impl Crew<'_> {
    /// The calling thread alone.
    pub const ALONE: Crew<'static> = Crew { hold: None };

    /// How many threads share the work, counting the caller.
    pub fn threads(&self) -> usize {
        self.hold.as_ref().map_or(1, |hold| 1 + hold.helpers)
    }

    /// Calls `work` with ranges that cover `0..count` once, each of at most `grain` indices and all but the last of
    /// exactly that many. Returns when all are done. A panic in `work` reaches the caller, after the other blocks.
    /// A loop within a loop is run by the thread that asks for it.
    pub fn for_ranges(&self, count: usize, grain: usize, work: impl Fn(Range<usize>) + Sync) {
        let grain = grain.max(1);
        let blocks = count.div_ceil(grain);
        let block = |index: usize| work(index * grain..count.min((index + 1) * grain));
        match &self.hold {
            Some(hold) if blocks > 1 => hold.pool.run(blocks, &block),
            _ => (0..blocks).for_each(block),
        }
    }

    /// Calls `work` with consecutive pieces of `items`, each of at most `grain`, and the index of the first item of
    /// the piece.
    pub fn for_chunks<T: Send>(&self, items: &mut [T], grain: usize, work: impl Fn(usize, &mut [T]) + Sync) {
        let count = items.len();
        let parts = Parts::of(items);
        self.for_ranges(count, grain, |range| {
            // SAFETY: the ranges of a loop are disjoint, and `items` is borrowed until the loop has ended.
            work(range.start, unsafe { parts.piece(range) });
        });
    }

    /// The same for two slices, with a list of its own for each piece, as [`Crew::for_lists`] has it.
    pub fn for_zipped_lists<T: Send, U: Send, L: Default + Send>(
        &self,
        items: &mut [T],
        others: &mut [U],
        lists: &mut Vec<L>,
        grain: usize,
        work: impl Fn(usize, &mut [T], &mut [U], &mut L) + Sync,
    ) {
        let count = items.len().min(others.len());
        let (left, right) = (Parts::of(items), Parts::of(others));
        self.for_lists(lists, count, grain, |range, list| {
            // SAFETY: as in `for_chunks`, for both.
            let (items, others) = unsafe { (left.piece(range.clone()), right.piece(range.clone())) };
            work(range.start, items, others, list);
        });
    }

    /// Calls `work` as [`Crew::for_ranges`] does, with a list of its own for each range. Afterwards `lists` has as many
    /// lists as there were ranges, in their order: gone through one after the other they hold what one thread would
    /// have found, in the same order. Lists are not cleared before, so that their memory can be used again.
    pub fn for_lists<L: Default + Send>(
        &self,
        lists: &mut Vec<L>,
        count: usize,
        grain: usize,
        work: impl Fn(Range<usize>, &mut L) + Sync,
    ) {
        let grain = grain.max(1);
        lists.resize_with(count.div_ceil(grain), L::default);
        self.for_chunks(lists, 1, |index, list| {
            work(index * grain..count.min((index + 1) * grain), &mut list[0]);
        });
    }

    /// How many of `count` things to give to a thread at a time, so that all have several turns, but none less
    /// than `least`: what is handed out must be worth the handing out. All of them where the caller is alone, or
    /// where there is not enough for two.
    pub fn grain(&self, count: usize, least: usize) -> usize {
        let threads = self.threads();
        let least = match self.hold.as_ref().map(|hold| hold.grain) {
            Some(Grain::Fine) => least.div_ceil(FINER),
            _ => least,
        };
        if threads == 1 || count < 2 * least { count.max(1) } else { count.div_ceil(4 * threads).max(least).max(1) }
    }

    /// The same for two slices of one length, cut at the same places. Of a longer one the rest is left out.
    pub fn for_zipped<T: Send, U: Send>(
        &self,
        items: &mut [T],
        others: &mut [U],
        grain: usize,
        work: impl Fn(usize, &mut [T], &mut [U]) + Sync,
    ) {
        let count = items.len().min(others.len());
        let (left, right) = (Parts::of(items), Parts::of(others));
        self.for_ranges(count, grain, |range| {
            // SAFETY: as in `for_chunks`, for both.
            let (items, others) = unsafe { (left.piece(range.clone()), right.piece(range.clone())) };
            work(range.start, items, others);
        });
    }
}

impl fmt::Debug for Crew<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Crew").field("threads", &self.threads()).finish()
    }
}

/// A slice whose items several threads may change, each its own.
///
/// For loops in which it is not the position that decides who may change what: constraints of one colour share no
/// body, so they may be solved at the same time although their bodies lie anywhere.
pub struct Parts<'s, T> {
    start: *mut T,
    length: usize,
    _slice: std::marker::PhantomData<&'s mut [T]>,
}

// SAFETY: a `Parts` only hands out references through functions whose callers promise that no two threads hold the
// same item; what may be sent to a thread as `&mut T` may be reached this way.
unsafe impl<T: Send> Send for Parts<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for Parts<'_, T> {}

impl<'s, T> Parts<'s, T> {
    /// All items of a slice.
    pub fn of(items: &'s mut [T]) -> Parts<'s, T> {
        Parts { start: items.as_mut_ptr(), length: items.len(), _slice: std::marker::PhantomData }
    }

    /// How many items there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// True when there is no item.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Where an item is, or would be: only for prefetching into the cache.
    #[inline(always)]
    pub fn pointer(&self, index: usize) -> *const T {
        self.start.wrapping_add(index)
    }

    /// Where an item is, for those who change different fields of it at the same time. Panics if there is no such item.
    #[inline(always)]
    pub fn pointer_mut(&self, index: usize) -> *mut T {
        assert!(index < self.length, "item {index} of {}", self.length);
        self.start.wrapping_add(index)
    }

    /// One item. Panics if there is no such item.
    ///
    /// # Safety
    ///
    /// While the reference lives, there must be no other one to the same item.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn item(&self, index: usize) -> &'s mut T {
        assert!(index < self.length, "item {index} of {}", self.length);
        // SAFETY: within the slice, which is borrowed for 's; the caller promises that the item is not shared.
        unsafe { &mut *self.start.add(index) }
    }

    /// A look at one item. Panics if there is no such item. Several threads may look at one item at the same time, which
    /// is why items must be [`Sync`]:
    ///
    /// ```compile_fail
    /// let mut cells = [std::cell::Cell::new(1)];
    /// let parts = carom_threads::Parts::of(&mut cells);
    /// let cell = unsafe { parts.look(0) };
    /// ```
    ///
    /// # Safety
    ///
    /// While the reference lives, there must be no mutable one to the same item.
    #[inline(always)]
    pub unsafe fn look(&self, index: usize) -> &'s T
    where
        T: Sync,
    {
        assert!(index < self.length, "item {index} of {}", self.length);
        // SAFETY: within the slice, which is borrowed for 's; the caller promises that the item does not change.
        unsafe { &*self.start.add(index) }
    }

    /// A copy of one item. Panics if there is no such item.
    ///
    /// # Safety
    ///
    /// There must be no mutable reference to the item at that time.
    #[inline(always)]
    pub unsafe fn read(&self, index: usize) -> T
    where
        T: Copy,
    {
        assert!(index < self.length, "item {index} of {}", self.length);
        // SAFETY: within the slice, which is borrowed for 's; the caller promises that the item does not change.
        unsafe { *self.start.add(index) }
    }

    /// Consecutive items. Panics if they are not all there.
    ///
    /// # Safety
    ///
    /// While the reference lives, there must be no other one to any of these items.
    #[inline(always)]
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn piece(&self, range: Range<usize>) -> &'s mut [T] {
        assert!(range.start <= range.end && range.end <= self.length, "items {range:?} of {}", self.length);
        // SAFETY: within the slice, which is borrowed for 's; the caller promises that the items are not shared.
        unsafe { std::slice::from_raw_parts_mut(self.start.add(range.start), range.len()) }
    }
}
