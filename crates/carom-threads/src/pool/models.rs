//! The pool in every order of its threads: `scripts/loom`.
//!
//! A model is small, since the number of orders grows fast: the caller and one helper, a handful of blocks. With two helpers,
//! which look for work until the caller lets them rest, loom finds orders in which they take turns at that for ever; a fair
//! system has none. Loom reports a data race on what the work writes or on the loop itself, a thread that waits for ever, and
//! a block that is done twice.

use super::{Pool, Work};
use crate::sync::UnsafeCell;
use loom::sync::atomic::{AtomicUsize, Ordering};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Explores a model with at most this many places where a thread is interrupted that could have gone on. Defects of
/// schedulers need few of them (Musuvathi and Qadeer, Iterative context bounding, PLDI 2007).
fn explore(preemptions: usize, model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.max_branches = 20_000;
    builder.check(model);
}

/// Cells that blocks write without asking anybody: a block that two threads do, or that is read too early, is a race.
struct Cells(Vec<UnsafeCell<u32>>);

// SAFETY: loom watches every access.
unsafe impl Sync for Cells {}

impl Cells {
    fn new(count: usize) -> Cells {
        Cells((0..count).map(|_| UnsafeCell::new(0)).collect())
    }

    fn add(&self, index: usize) {
        // SAFETY: loom watches every access.
        self.0[index].with_mut(|cell| unsafe { *cell += 1 });
    }

    fn all(&self) -> Vec<u32> {
        // SAFETY: loom watches every access.
        self.0.iter().map(|cell| cell.with(|cell| unsafe { *cell })).collect()
    }
}

fn run(pool: &Pool, blocks: usize, work: impl Fn(usize) + Sync) {
    let work: &Work<'_> = &work;
    pool.run(blocks, work);
}

/// Loops one after the other, in one call of the pool: each block is done once, and the caller reads what helpers wrote.
#[test]
fn each_block_is_done_once_and_seen() {
    explore(2, || {
        let pool = Pool::start(1);
        let cells = Cells::new(2);
        let guard = pool.try_hold(usize::MAX).expect("no other crew has it");
        for round in 1..=2 {
            run(&pool, 2, |block| cells.add(block));
            assert_eq!(cells.all(), [round; 2]);
        }
        pool.rest();
        drop(guard);
    });
}

/// A pool that went to sleep is woken, whenever that happens.
#[test]
fn a_pool_is_called_again() {
    explore(2, || {
        let pool = Pool::start(1);
        let cells = Cells::new(2);
        for call in 1..=2 {
            let guard = pool.try_hold(usize::MAX).expect("no other crew has it");
            run(&pool, 2, |block| cells.add(block));
            assert_eq!(cells.all(), [call; 2]);
            pool.rest();
            drop(guard);
        }
    });
}

/// More blocks than threads: each takes those of the other, too.
#[test]
fn threads_take_the_blocks_of_others() {
    explore(2, || {
        let pool = Pool::start(1);
        let cells = Cells::new(5);
        let guard = pool.try_hold(usize::MAX).expect("no other crew has it");
        run(&pool, 5, |block| cells.add(block));
        assert_eq!(cells.all(), [1; 5]);
        pool.rest();
        drop(guard);
    });
}

/// A block that panics ends the loop no sooner, and the caller hears of it.
#[test]
fn a_panic_waits_for_the_others() {
    // Thousands of panics are wanted, and none of their messages.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    explore(2, || {
        let pool = Pool::start(1);
        let cells = Cells::new(3);
        let guard = pool.try_hold(usize::MAX).expect("no other crew has it");
        let result = catch_unwind(AssertUnwindSafe(|| {
            run(&pool, 3, |block| {
                cells.add(block);
                assert!(block != 1, "one");
            });
        }));
        assert!(result.is_err());
        assert_eq!(cells.all(), [1; 3]);
        run(&pool, 3, |block| cells.add(block));
        assert_eq!(cells.all(), [2; 3]);
        pool.rest();
        drop(guard);
    });
    std::panic::set_hook(hook);
}

/// A loop within a block is done by the thread that asks for it.
#[test]
fn loops_within_loops_end() {
    explore(2, || {
        let pool = Pool::start(1);
        let count = AtomicUsize::new(0);
        let guard = pool.try_hold(usize::MAX).expect("no other crew has it");
        run(&pool, 2, |_| {
            run(&pool, 2, |_| {
                count.fetch_add(1, Ordering::Relaxed);
            });
        });
        assert_eq!(count.load(Ordering::Relaxed), 4);
        pool.rest();
        drop(guard);
    });
}
