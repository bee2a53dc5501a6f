//! The protocol by which every engine is timed, and what is noted beside the time.

use carom_peers::Work;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Which time counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The time that passes.
    #[default]
    Wall,
    /// The time that the process computes, whoever else wants the processor meanwhile. For one thread only:
    /// two threads that share the work compute as long as one.
    Cpu,
}

impl Clock {
    /// Time since some moment.
    fn now(self) -> Moment {
        match self {
            Clock::Wall => Moment::Wall(Instant::now()),
            Clock::Cpu => Moment::Cpu(computed()),
        }
    }

    /// How many milliseconds some work takes.
    pub(crate) fn time(self, work: impl FnOnce()) -> f64 {
        let start = self.now();
        work();
        start.elapsed().as_secs_f64() * 1.0e3
    }
}

#[derive(Clone, Copy)]
enum Moment {
    Wall(Instant),
    Cpu(Duration),
}

impl Moment {
    fn elapsed(self) -> Duration {
        match self {
            Moment::Wall(start) => start.elapsed(),
            Moment::Cpu(start) => computed().saturating_sub(start),
        }
    }
}

/// How long this process has been computing, all threads together.
#[cfg(unix)]
fn computed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Where nobody tells how long a process has been computing, time that passes is the next best.
#[cfg(not(unix))]
fn computed() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// A time, and the work that took it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    /// Milliseconds per step.
    pub(crate) ms: f64,
    pub(crate) work: Work,
}

impl Timed {
    /// The faster of two repeats. The work is the same in both.
    pub(crate) fn or_faster(self, other: Timed) -> Timed {
        if other.ms < self.ms { other } else { self }
    }
}

/// One repeat: makes the first of `steps` steps, then times all others.
pub(crate) fn time_steps(clock: Clock, steps: u32, mut step: impl FnMut()) -> f64 {
    step();
    clock.time(|| (1..steps).for_each(|_| step())) / f64::from(steps.saturating_sub(1).max(1))
}
