//! How a world's steps are shared out best, found by trying.
//!
//! Whether one more thread helps depends on the machine (do two threads share a core? how long does a number take from one
//! core to another?), on what else it is doing, and on the world. None of it is known, but it shows: in how long steps take.
//! So a [`Tuner`] has some steps made another way from time to time, between as many before and after that are made as they
//! were, and goes over to the other way if its fastest step was clearly faster than the fastest of both. One that brought
//! nothing is tried less and less often.
//!
//! The tuner reads no clock: who steps tells it what a step took. No result depends on what it says.

use crate::MAX_THREADS;

/// How small the pieces are that loops are cut into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Grain {
    /// Pieces that are worth handing out where threads share cores, or wait long for each other.
    #[default]
    Coarse,
    /// Pieces an eighth as large at least, where handing them out costs little beside them.
    Fine,
}

/// How the loops of a step are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sharing {
    /// How many threads share them, the caller counted.
    pub threads: usize,
    /// How small the pieces are.
    pub grain: Grain,
}

/// Looks for the sharing with which steps are fastest.
#[derive(Clone, Debug)]
pub struct Tuner {
    /// The fewest and the most threads.
    threads: [usize; 2],
    best: Sharing,
    phase: Phase,
    /// Steps of the phase that were made.
    steps: u32,
    /// How long the shortest of them took, in seconds.
    shortest: f64,
    /// The same of the steps before the trial, and of those of the trial.
    before: f64,
    tried: f64,
    /// Steps from one trial to the next.
    pause: u32,
    /// Which change is tried next.
    change: usize,
}

/// What the steps under way are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Pause,
    Before,
    Trial(Sharing),
    After(Sharing),
}

/// Steps of each part of a trial.
const TRIAL: u32 = 8;
/// Steps between two trials, at least and at most.
const SHORT_PAUSE: u32 = 8;
const LONG_PAUSE: u32 = 1024;
/// The share of the time that another way may take to be taken for faster: what differs by less may be noise.
const CLEARLY: f64 = 0.97;
/// Threads to begin with: more are soon found out to help.
const FIRST: usize = 4;

/// What can be changed about a sharing. Each is tried in turn.
const CHANGES: [fn(Sharing) -> Sharing; 3] = [
    |sharing| Sharing { threads: 2 * sharing.threads, ..sharing },
    |sharing| Sharing { threads: sharing.threads / 2, ..sharing },
    |sharing| Sharing { grain: if sharing.grain == Grain::Fine { Grain::Coarse } else { Grain::Fine }, ..sharing },
];

impl Tuner {
    /// For as many threads as help, at most this many.
    pub fn up_to(most: usize) -> Tuner {
        let most = most.clamp(1, MAX_THREADS);
        Tuner::new([1, most], most.min(FIRST))
    }

    /// For exactly this many threads.
    pub fn exactly(threads: usize) -> Tuner {
        let threads = threads.clamp(1, MAX_THREADS);
        Tuner::new([threads; 2], threads)
    }

    fn new(threads: [usize; 2], first: usize) -> Tuner {
        Tuner {
            threads,
            best: Sharing { threads: first, grain: Grain::Coarse },
            phase: Phase::Pause,
            steps: 0,
            shortest: f64::INFINITY,
            before: f64::INFINITY,
            tried: f64::INFINITY,
            pause: SHORT_PAUSE,
            change: 0,
        }
    }

    /// True if there is anything to be chosen. If not, nothing has to be told.
    pub fn has_choice(&self) -> bool {
        self.threads[1] > 1
    }

    /// How the next step is to be shared out.
    pub fn sharing(&self) -> Sharing {
        match self.phase {
            Phase::Trial(sharing) => sharing,
            _ => self.best,
        }
    }

    /// Takes note of how long a step took that was shared out as [`Tuner::sharing`] says.
    pub fn note(&mut self, seconds: f64) {
        self.steps += 1;
        if seconds < self.shortest {
            self.shortest = seconds;
        }
        let steps = if self.phase == Phase::Pause { self.pause } else { TRIAL };
        if self.steps < steps {
            return;
        }
        let shortest = std::mem::replace(&mut self.shortest, f64::INFINITY);
        self.steps = 0;
        self.phase = match self.phase {
            Phase::Pause => Phase::Before,
            Phase::Before => {
                self.before = shortest;
                self.next_change().map_or(Phase::Pause, Phase::Trial)
            }
            Phase::Trial(sharing) => {
                self.tried = shortest;
                Phase::After(sharing)
            }
            Phase::After(sharing) => {
                let is_faster = self.tried < CLEARLY * self.before && self.tried < CLEARLY * shortest;
                self.judge(sharing, is_faster);
                Phase::Pause
            }
        };
    }

    /// Goes over to what was faster, and tries more of the same soon.
    fn judge(&mut self, sharing: Sharing, is_faster: bool) {
        if is_faster {
            self.best = sharing;
            self.pause = SHORT_PAUSE;
        } else {
            self.change = (self.change + 1) % CHANGES.len();
            self.pause = (self.pause + self.pause / 2).min(LONG_PAUSE);
        }
    }

    /// The next way to try, if there is another one.
    fn next_change(&mut self) -> Option<Sharing> {
        let [least, most] = self.threads;
        for _ in 0..CHANGES.len() {
            let mut sharing = CHANGES[self.change](self.best);
            sharing.threads = sharing.threads.clamp(least, most);
            // One thread shares nothing out.
            if sharing.threads == 1 {
                sharing.grain = Grain::Coarse;
            }
            if sharing != self.best {
                return Some(sharing);
            }
            self.change = (self.change + 1) % CHANGES.len();
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps with the time that `cost` has for them, and a little noise; the sharing after them, and the mean cost of the
    /// last half.
    fn settle(tuner: &mut Tuner, steps: u32, cost: impl Fn(Sharing) -> f64) -> (Sharing, f64) {
        let (mut noise, mut sum) = (1_u32, 0.0);
        for step in 0..steps {
            noise = noise.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
            let seconds = cost(tuner.sharing());
            tuner.note(seconds * (1.0 + 0.1 * f64::from(noise >> 8) / f64::from(1 << 24)));
            sum += if step >= steps / 2 { seconds } else { 0.0 };
        }
        (tuner.best, sum / f64::from(steps - steps / 2))
    }

    /// Work that is shared out, and what each thread costs: the best number follows from both.
    fn cost(work: f64, each: f64) -> impl Fn(Sharing) -> f64 {
        move |sharing| work / sharing.threads as f64 + each * sharing.threads as f64
    }

    #[test]
    fn finds_as_many_threads_as_help() {
        for (work, each, expected) in [(1.0, 0.0, 16), (1.0, 0.02, 8), (1.0, 1.0, 1), (1.0, 0.24, 2)] {
            let (found, mean) = settle(&mut Tuner::up_to(16), 4000, cost(work, each));
            assert_eq!(found.threads, expected, "{work} {each}");
            let best = cost(work, each)(found);
            assert!(mean < 1.05 * best, "trials cost {mean} where {best} would do");
        }
    }

    #[test]
    fn follows_a_world_that_changes() {
        let mut tuner = Tuner::up_to(8);
        assert_eq!(settle(&mut tuner, 1000, cost(1.0, 0.0)).0.threads, 8);
        assert_eq!(settle(&mut tuner, 5000, cost(1.0, 1.0)).0.threads, 1);
        assert_eq!(settle(&mut tuner, 10_000, cost(1.0, 0.0)).0.threads, 8);
    }

    #[test]
    fn a_number_that_was_asked_for_is_kept() {
        let mut tuner = Tuner::exactly(3);
        let mut seen = [false; 2];
        for _ in 0..2000 {
            let sharing = tuner.sharing();
            assert_eq!(sharing.threads, 3);
            seen[usize::from(sharing.grain == Grain::Fine)] = true;
            tuner.note(if sharing.grain == Grain::Fine { 0.5 } else { 1.0 });
        }
        assert_eq!((seen, tuner.best.grain), ([true; 2], Grain::Fine));
    }

    #[test]
    fn noise_decides_nothing_for_long() {
        let (_, mean) = settle(&mut Tuner::up_to(4), 4000, |sharing| [0.0, 1.4, 1.0, 1.4, 1.4][sharing.threads]);
        assert!(mean < 1.05, "{mean}");
    }

    #[test]
    fn one_thread_has_no_choice() {
        assert!(!Tuner::exactly(1).has_choice() && !Tuner::up_to(1).has_choice() && Tuner::up_to(2).has_choice());
        let mut tuner = Tuner::exactly(1);
        settle(&mut tuner, 100, |_| 1.0);
        assert_eq!(tuner.sharing(), Sharing { threads: 1, grain: Grain::Coarse });
    }
}
