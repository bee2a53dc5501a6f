//! Progress of long work, for those who watch.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// A bar on standard error, for runs of more than a second that somebody watches.
pub(crate) struct Progress {
    steps: u32,
    start: Instant,
    bar: Option<ProgressBar>,
    watched: bool,
}

impl Progress {
    pub(crate) fn new(steps: u32) -> Progress {
        Progress { steps, start: Instant::now(), bar: None, watched: io::stderr().is_terminal() }
    }

    pub(crate) fn at(&mut self, step: u32) {
        if self.bar.is_none() && self.watched && self.start.elapsed() > Duration::from_secs(1) {
            let style = ProgressStyle::with_template("{bar:40} {pos}/{len} steps, {eta} left");
            let bar = ProgressBar::new(self.steps.into());
            self.bar = Some(style.map_or(bar.clone(), |style| bar.with_style(style)));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(step.into());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
