//! Wall-clock time per stage of a step.

use web_time::Instant;

/// A stopwatch with `N` stages. Off by default, and then each call costs one branch.
///
/// Nothing in a simulation reads it back: time varies from run to run, results may not.
#[derive(Clone, Debug)]
pub struct Timers<const N: usize> {
    /// Whether time is taken at all. Default: false.
    pub enabled: bool,
    last: Option<Instant>,
    seconds: [f64; N],
}

impl<const N: usize> Default for Timers<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Timers<N> {
    /// A stopwatch that is off and at zero.
    pub const fn new() -> Self {
        Self { enabled: false, last: None, seconds: [0.0; N] }
    }

    /// Begins a lap. What passed since the last one is counted nowhere.
    #[inline]
    pub fn start(&mut self) {
        if self.enabled {
            self.last = Some(Instant::now());
        }
    }

    /// Adds the time since the last [`start`](Self::start) or `lap` to a stage and begins the next lap.
    #[inline]
    pub fn lap(&mut self, stage: usize) {
        if self.enabled {
            let now = Instant::now();
            if let Some(last) = self.last.replace(now) {
                self.seconds[stage] += now.duration_since(last).as_secs_f64();
            }
        }
    }

    /// Seconds per stage since the last [`reset`](Self::reset).
    pub const fn seconds(&self) -> [f64; N] {
        self.seconds
    }

    /// Sets all stages to zero and forgets the lap under way.
    pub fn reset(&mut self) {
        self.last = None;
        self.seconds = [0.0; N];
    }
}

/// Says how long something took.
///
/// As with [`Timers`], no result may depend on it.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Seconds since it began.
    pub fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn counts_only_when_enabled_and_started() {
        let mut timers: Timers<2> = Timers::new();
        timers.start();
        std::thread::sleep(Duration::from_millis(2));
        timers.lap(0);
        assert_eq!(timers.seconds(), [0.0; 2], "off by default");

        timers.enabled = true;
        timers.lap(0);
        assert_eq!(timers.seconds(), [0.0; 2], "nothing was started");
        std::thread::sleep(Duration::from_millis(2));
        timers.lap(1);
        let seconds = timers.clone().seconds();
        assert!(seconds[0] == 0.0 && seconds[1] >= 0.002, "{seconds:?}");

        timers.reset();
        timers.lap(1);
        assert_eq!(timers.seconds(), [0.0; 2]);
    }
}
