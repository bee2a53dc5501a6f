//! Progress of long work, for those who watch.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

/// A bar on standard error, for work of more than a second, if a terminal is attached.
pub(crate) struct Progress {
    /// How many steps or groups there are.
    length: u32,
    template: &'static str,
    start: Instant,
    bar: Option<ProgressBar>,
    watched: bool,
}

impl Progress {
    pub(crate) fn new(steps: u32) -> Progress {
        Progress::with_template(steps, "{bar:40} {pos}/{len} steps, {eta} left")
    }

    /// For groups of checks, whose lengths differ too much to say how long the rest will take.
    pub(crate) fn of_groups(groups: u32) -> Progress {
        Progress::with_template(groups, "{bar:40} {pos}/{len} groups, {msg}")
    }

    pub(crate) fn of_families(families: u32) -> Progress {
        Progress::with_template(families, "{bar:40} {pos}/{len} families, {msg}")
    }

    fn with_template(length: u32, template: &'static str) -> Progress {
        Progress { length, template, start: Instant::now(), bar: None, watched: io::stderr().is_terminal() }
    }

    pub(crate) fn at(&mut self, step: u32) {
        if self.bar.is_none() && self.watched && self.start.elapsed() > Duration::from_secs(1) {
            let style = ProgressStyle::with_template(self.template);
            let bar = ProgressBar::new(self.length.into());
            self.bar = Some(style.map_or(bar.clone(), |style| bar.with_style(style)));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(step.into());
        }
    }

    /// The same, with what comes next.
    pub(crate) fn at_group(&mut self, group: u32, name: &str) {
        self.at(group);
        if let Some(bar) = &self.bar {
            bar.set_message(name.to_string());
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
