//! Loops that are shared out do what the plain loops do, whatever the threads do meanwhile.

use carom_threads::{Crew, MAX_THREADS, Parts, Team};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// How often something is done, which Miri, some thousand times slower than the machine, does less often.
const fn often(times: usize) -> usize {
    if cfg!(miri) { times.div_ceil(50) } else { times }
}

#[test]
fn every_index_is_visited_once() {
    for threads in if cfg!(miri) { vec![1, 3] } else { vec![1, 2, 3, 8] } {
        let team = Team::new(threads);
        let crew = team.call();
        for count in [0, 1, 2, 7, 64, often(1000)] {
            for grain in [0, 1, 3, 64, 5000] {
                let visits: Vec<AtomicUsize> = (0..count).map(|_| AtomicUsize::new(0)).collect();
                crew.for_ranges(count, grain, |range| {
                    assert!(range.len() <= grain.max(1));
                    for index in range {
                        visits[index].fetch_add(1, Ordering::Relaxed);
                    }
                });
                assert!(visits.iter().all(|visits| visits.load(Ordering::Relaxed) == 1), "{threads} {count} {grain}");
            }
        }
    }
}

/// Many short loops, one after the other, each reading what the last one wrote elsewhere.
#[test]
fn each_loop_sees_what_the_last_one_wrote() {
    let team = Team::new(4);
    let mut numbers: Vec<u64> = (0..257).collect();
    let mut expected = numbers.clone();
    for round in 0..often(3000) as u64 {
        let crew = team.call();
        let before = numbers.clone();
        crew.for_chunks(&mut numbers, 8, |start, piece| {
            for (offset, number) in piece.iter_mut().enumerate() {
                let other = before[(start + offset + 101) % before.len()];
                *number = number.wrapping_mul(3).wrapping_add(other ^ round);
            }
        });
        let before = expected.clone();
        for (index, number) in expected.iter_mut().enumerate() {
            *number = number.wrapping_mul(3).wrapping_add(before[(index + 101) % before.len()] ^ round);
        }
    }
    assert_eq!(numbers, expected);
}

/// What is found in parts comes in the order in which one thread would have found it.
#[test]
fn lists_come_in_order() {
    for threads in [1, 3] {
        let team = Team::new(threads);
        let crew = team.call();
        let mut lists: Vec<Vec<usize>> = vec![Vec::new(); 40];
        for count in [0, 1, 10, 1000] {
            for grain in [crew.grain(count, 16), 3] {
                lists.iter_mut().for_each(Vec::clear);
                crew.for_lists(&mut lists, count, grain, |range, list| list.extend(range.filter(|i| i % 3 == 0)));
                let found: Vec<usize> = lists.iter().flatten().copied().collect();
                let expected: Vec<usize> = (0..count).filter(|i| i % 3 == 0).collect();
                assert_eq!(found, expected, "{threads} threads, {count} things");
            }
        }
    }
}

#[test]
fn two_slices_are_cut_at_the_same_places() {
    let crew_of = Team::new(3);
    let crew = crew_of.call();
    let mut left: Vec<usize> = vec![0; 100];
    let mut right: Vec<usize> = vec![0; 90];
    crew.for_zipped(&mut left, &mut right, 7, |start, left, right| {
        assert_eq!(left.len(), right.len());
        for offset in 0..left.len() {
            left[offset] = start + offset;
            right[offset] = 2 * (start + offset);
        }
    });
    assert!((0..90).all(|index| left[index] == index && right[index] == 2 * index));
    assert!(left[90..].iter().all(|&number| number == 0));
}

/// Items that lie anywhere, as the bodies of one colour do.
#[test]
fn scattered_items_can_be_changed() {
    let team = Team::new(2);
    let crew = team.call();
    let mut items = vec![0_u32; 1009];
    let parts = Parts::of(&mut items);
    assert!(!parts.is_empty() && parts.len() == 1009);
    crew.for_ranges(1009, 10, |range| {
        for index in range {
            // SAFETY: multiplication by 500 permutes the numbers below the prime 1009.
            unsafe { *parts.item(index * 500 % 1009) += index as u32 };
        }
    });
    assert!((0..1009).all(|index| items[index * 500 % 1009] == index as u32));
}

#[test]
fn a_panic_reaches_the_caller_and_the_team_goes_on() {
    let team = Team::new(3);
    for _ in 0..often(20) {
        let crew = team.call();
        let done = AtomicUsize::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            crew.for_ranges(40, 1, |range| {
                assert!(range.start != 17, "seventeen");
                done.fetch_add(1, Ordering::Relaxed);
            });
        }));
        let payload = result.expect_err("the panic of a block is passed on");
        assert_eq!(payload.downcast_ref::<&str>(), Some(&"seventeen"));
        assert_eq!(done.load(Ordering::Relaxed), 39);
    }
    let sum = AtomicU64::new(0);
    team.call().for_ranges(100, 9, |range| {
        sum.fetch_add(range.sum::<usize>() as u64, Ordering::Relaxed);
    });
    assert_eq!(sum.into_inner(), 4950);
}

/// A payload that panics when it is dropped, with another one of these, a number of times.
struct Mine(u32);

impl Drop for Mine {
    fn drop(&mut self) {
        if self.0 > 0 {
            std::panic::panic_any(Mine(self.0 - 1));
        }
    }
}

/// When several blocks panicked and the payload of the second panicked in its `Drop`, the loop was left while helpers
/// still ran the closure that it had borrowed: safe code read freed memory.
#[test]
fn payloads_that_panic_when_dropped_do_not_end_the_loop_early() {
    let quiet = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for threads in [2, 4] {
        let team = Team::new(threads);
        for round in 0..often(50) {
            let crew = team.call();
            let started = AtomicUsize::new(0);
            let ended = AtomicUsize::new(0);
            let result = catch_unwind(AssertUnwindSafe(|| {
                crew.for_ranges(24, 1, |range| {
                    started.fetch_add(1, Ordering::SeqCst);
                    if (range.start + round) % 3 != 0 {
                        // All threads are within the loop when the first panics come.
                        std::thread::yield_now();
                        ended.fetch_add(1, Ordering::SeqCst);
                        std::panic::panic_any(Mine(3));
                    }
                    std::thread::sleep(std::time::Duration::from_micros(200));
                    ended.fetch_add(1, Ordering::SeqCst);
                });
            }));
            // All blocks ran, and none is still running: what they borrow may be freed.
            assert_eq!((started.into_inner(), ended.into_inner()), (24, 24), "{threads} threads, round {round}");
            let payload = result.expect_err("the first panic is passed on");
            assert_eq!(payload.downcast_ref::<Mine>().map(|mine| mine.0), Some(3));
            std::mem::forget(payload);
        }
        // The helpers are still there.
        let sum = AtomicUsize::new(0);
        team.call().for_ranges(100, 1, |range| {
            sum.fetch_add(range.start, Ordering::Relaxed);
        });
        assert_eq!(sum.into_inner(), 4950);
    }
    std::panic::set_hook(quiet);
}

/// A clone works alone while the threads are busy, and so does a loop within a step of another world.
#[test]
fn a_busy_team_is_not_waited_for() {
    let team = Team::new(2);
    let clone = team.clone();
    let crew = team.call();
    let other = clone.call();
    assert_eq!((crew.threads(), other.threads()), (2, 1));
    let count = AtomicUsize::new(0);
    crew.for_ranges(10, 1, |_| {
        other_loop(&clone, &count);
    });
    assert_eq!(count.into_inner(), 50);
    drop((crew, other));
    assert_eq!(clone.call().threads(), 2);
}

/// A loop within a loop does all of its work too.
#[test]
fn loops_can_be_nested() {
    let team = Team::new(3);
    let crew = team.call();
    for _ in 0..often(200) {
        let count = AtomicUsize::new(0);
        crew.for_ranges(8, 1, |_| {
            crew.for_ranges(9, 2, |range| {
                count.fetch_add(range.len(), Ordering::Relaxed);
            });
        });
        assert_eq!(count.into_inner(), 72);
    }
}

fn other_loop(team: &Team, count: &AtomicUsize) {
    team.call().for_ranges(5, 1, |range| {
        count.fetch_add(range.len(), Ordering::Relaxed);
    });
}

#[test]
fn teams_have_at_least_one_thread_and_not_too_many() {
    assert_eq!(Team::new(0).threads(), 1);
    assert_eq!(Team::default().threads(), 1);
    assert_eq!(Team::new(usize::MAX).threads(), MAX_THREADS);
    assert_eq!(Crew::ALONE.threads(), 1);
    assert!(Team::available() >= 1);
}

/// Helpers of a team that is not at work use no processor time.
#[cfg(target_os = "linux")]
#[test]
fn idle_helpers_sleep() {
    let team = Team::new(4);
    team.call().for_ranges(100, 1, |_| {});
    let mut states = Vec::new();
    // A helper on its way to sleep may be caught running.
    for _ in 0..50 {
        std::thread::sleep(std::time::Duration::from_millis(20));
        states = helper_states();
        if states.len() >= 3 && states.iter().all(|&state| state == 'S') {
            return;
        }
    }
    panic!("helpers are {states:?}");
}

/// What the system says the threads named "carom" of this process are doing.
#[cfg(target_os = "linux")]
fn helper_states() -> Vec<char> {
    let tasks = std::fs::read_dir("/proc/self/task").expect("a list of threads");
    tasks
        .flatten()
        .filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok())
        .filter_map(|stat| stat.split_once("(carom) ").and_then(|(_, rest)| rest.chars().next()))
        .collect()
}
