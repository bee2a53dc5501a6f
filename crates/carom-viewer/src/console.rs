//! The console: what is typed into it, what it answers, what it watches. It knows of no window.
//!
//! A line either is answered at once, or becomes an [`Action`] for the program around the console: to make an
//! [`Edit`] of the run, to load a scene, to stop time.
//!
//! | file          | what                                |
//! |---------------|-------------------------------------|
//! | `request.rs`  | what a person asks for in one line  |
//! | `command.rs`  | the commands, as help tells of them |
//! | `complete.rs` | completing a line                   |

mod command;
mod complete;
mod request;

#[cfg(test)]
mod tests;

pub use crate::property::Edit;
pub use complete::Completion;
pub use request::{ConsoleError, LONGEST_LINE, MOST_STEPS, Request, Usage};

use crate::property::{self, PropertyError, Value};
use carom_scenes::Run;
use std::collections::VecDeque;

/// How many lines are kept.
const MOST_LINES: usize = 1000;
/// How many lines that were typed are kept.
const MOST_HISTORY: usize = 200;
/// How many lines one listing may have.
const MOST_LISTED: usize = 200;
/// How many properties can be watched.
pub const MOST_WATCHES: usize = 32;

/// What the program around the console is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Action {
    /// Nothing: all is said.
    None,
    /// Make a change, write it down, and hand what came of it to [`Console::answer`].
    Edit(Edit),
    /// Load the built-in scene of this name.
    Scene(String),
    /// Stop time, or let it go on.
    Pause(bool),
    /// Make this many steps.
    Step(u32),
    /// Go back to the start of the scene.
    Restart,
}

/// What kind of line it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// The user typed it.
    Typed,
    /// An answer.
    Answer,
    /// What went wrong.
    Error,
}

/// A line of the console.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What kind of line it is.
    pub tone: Tone,
    /// What it says.
    pub text: String,
}

/// A property that is watched.
#[derive(Clone, Debug)]
struct Watch {
    path: String,
    /// What [`Console::changes`] last saw of it.
    seen: Option<String>,
}

/// The console.
#[derive(Clone, Debug, Default)]
pub struct Console {
    lines: VecDeque<Line>,
    /// What was typed, oldest first.
    history: VecDeque<String>,
    /// How far back in the history the reader is; 0 is the line being typed.
    back: usize,
    /// The line being typed, while the reader is elsewhere.
    draft: String,
    watches: Vec<Watch>,
}

impl Console {
    /// An empty console.
    pub fn new() -> Console {
        Console::default()
    }

    /// The lines, oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &Line> + ExactSizeIterator {
        self.lines.iter()
    }

    /// What was typed, oldest first.
    pub fn history(&self) -> impl DoubleEndedIterator<Item = &str> + ExactSizeIterator {
        self.history.iter().map(String::as_str)
    }

    /// Appends a line.
    pub fn print(&mut self, tone: Tone, text: impl Into<String>) {
        self.lines.push_back(Line { tone, text: text.into() });
        while self.lines.len() > MOST_LINES {
            self.lines.pop_front();
        }
    }

    /// Says what came of an action.
    pub fn answer<E: std::fmt::Display>(&mut self, outcome: Result<String, E>) {
        match outcome {
            Ok(text) => self.print(Tone::Answer, text),
            Err(error) => self.print(Tone::Error, error.to_string()),
        }
    }

    /// Takes a line that was typed: answers it, or says what the program around the console is to do about it.
    pub fn execute(&mut self, line: &str, run: &Run) -> Action {
        self.remember(line);
        match Request::parse(line) {
            Ok(request) => self.carry_out(request, run),
            Err(error) => {
                self.print(Tone::Error, error.to_string());
                Action::None
            }
        }
    }

    fn remember(&mut self, line: &str) {
        (self.back, self.draft) = (0, String::new());
        let line = line.trim();
        if line.is_empty() || line.len() > LONGEST_LINE {
            return;
        }
        self.print(Tone::Typed, line);
        if self.history.back().is_none_or(|last| last != line) {
            self.history.push_back(line.to_owned());
        }
        while self.history.len() > MOST_HISTORY {
            self.history.pop_front();
        }
    }

    fn carry_out(&mut self, request: Request, run: &Run) -> Action {
        match request {
            Request::Nothing => {}
            Request::Get(path) => self.tell(run, &path),
            Request::List(path) => self.list(run, &path),
            Request::Edit(edit) => return Action::Edit(edit),
            Request::Watch(path) => {
                let outcome = self.watch(&path, run);
                self.answer(outcome.map(|value| format!("watching {path} = {value}")));
            }
            Request::Unwatch(path) => {
                let outcome = self.unwatch(path.as_deref());
                self.answer(outcome);
            }
            Request::Scene(Some(name)) => match carom_scenes::find_entry(&name) {
                Ok(entry) => return Action::Scene(entry.name().to_owned()),
                Err(error) => self.print(Tone::Error, error.to_string()),
            },
            Request::Scene(None) => {
                for entry in carom_scenes::entries() {
                    self.print(Tone::Answer, format!("{:24} {}", entry.name(), entry.summary()));
                }
            }
            Request::Pause => return Action::Pause(true),
            Request::Resume => return Action::Pause(false),
            Request::Step(count) => return Action::Step(count),
            Request::Restart => return Action::Restart,
            Request::Clear => self.lines.clear(),
            Request::Help(topic) => self.help(topic.as_deref(), run),
        }
        Action::None
    }

    /// Says the value of a property, or what is in a group of them.
    fn tell(&mut self, run: &Run, path: &str) {
        match property::get(run, path) {
            Ok(value) => self.print(Tone::Answer, format!("{path} = {value}")),
            Err(PropertyError::Group { .. }) => self.list(run, path),
            Err(error) => self.print(Tone::Error, error.to_string()),
        }
    }

    fn list(&mut self, run: &Run, path: &str) {
        let found = match property::list(run, path) {
            Ok(found) => found,
            Err(error) => return self.print(Tone::Error, error.to_string()),
        };
        if found.is_empty() {
            // A value without parts, or a list without things.
            return match property::get(run, path) {
                Ok(_) => self.tell(run, path),
                Err(_) => self.print(Tone::Answer, format!("{path} is empty")),
            };
        }
        for (name, value) in found.iter().take(MOST_LISTED) {
            self.print(Tone::Answer, format!("{name} = {value}"));
        }
        if found.len() > MOST_LISTED {
            self.print(Tone::Answer, format!("and {} more", found.len() - MOST_LISTED));
        }
    }

    fn help(&mut self, topic: Option<&str>, run: &Run) {
        let Some(topic) = topic else {
            for command in command::all() {
                self.print(Tone::Answer, format!("{:40} {}", command.usage(), command.about));
            }
            return;
        };
        if let Some(command) = command::find(&topic.to_ascii_lowercase()) {
            let (usage, about, example) = (command.usage(), command.about, command.example);
            return self.print(Tone::Answer, format!("{usage}: {about}, such as {example}"));
        }
        match property::describe(run, topic) {
            Ok(description) => {
                let access = match description.expected {
                    Some(expected) => format!("can be set to {expected}"),
                    None => "can be read, but not set".to_owned(),
                };
                self.print(Tone::Answer, format!("{topic}: {}; {access}", description.about));
            }
            Err(PropertyError::Group { .. }) => self.list(run, topic),
            Err(error) => self.print(Tone::Error, error.to_string()),
        }
    }

    /// The line that was typed before the one shown, if there is one. `current` is what stands in the field now.
    pub fn older(&mut self, current: &str) -> Option<&str> {
        if self.back >= self.history.len() {
            return None;
        }
        if self.back == 0 {
            self.draft = current.to_owned();
        }
        self.back += 1;
        self.history.get(self.history.len() - self.back).map(String::as_str)
    }

    /// The line that was typed after the one shown; after the last, what was being typed.
    pub fn newer(&mut self) -> Option<&str> {
        self.back = self.back.checked_sub(1)?;
        match self.back {
            0 => Some(&self.draft),
            back => self.history.get(self.history.len() - back).map(String::as_str),
        }
    }

    /// Completes the word before the cursor, which counts in characters.
    pub fn complete(&self, line: &str, cursor: usize, run: &Run) -> Completion {
        let watches: Vec<String> = self.watches().map(str::to_owned).collect();
        complete::complete(line, cursor, run, &watches)
    }

    /// The paths that are watched.
    pub fn watches(&self) -> impl ExactSizeIterator<Item = &str> {
        self.watches.iter().map(|watch| watch.path.as_str())
    }

    /// Begins to watch a property and returns its value. The oldest watch goes when there are too many.
    pub fn watch(&mut self, path: &str, run: &Run) -> Result<Value, PropertyError> {
        let path = path.trim();
        let value = property::get(run, path)?;
        if self.watches().all(|other| other != path) {
            self.watches.push(Watch { path: path.to_owned(), seen: None });
        }
        if self.watches.len() > MOST_WATCHES {
            self.watches.remove(0);
        }
        Ok(value)
    }

    /// Ceases to watch a property, or all. Says so, or that it was not watched.
    pub fn unwatch(&mut self, path: Option<&str>) -> Result<String, String> {
        let before = self.watches.len();
        self.watches.retain(|watch| path.is_some_and(|path| path.trim() != watch.path));
        match path {
            Some(path) if self.watches.len() == before => Err(format!("{} is not watched", property::shown(path))),
            Some(path) => Ok(format!("{path} is no longer watched")),
            None => Ok("nothing is watched".to_owned()),
        }
    }

    /// The values of all that is watched. What has gone since, or is not in this run, is an error.
    pub fn watched(&self, run: &Run) -> Vec<(String, Result<Value, PropertyError>)> {
        self.watches().map(|path| (path.to_owned(), property::get(run, path))).collect()
    }

    /// Those of the watched values that have changed since this was last asked; at first, all.
    pub fn changes(&mut self, run: &Run) -> Vec<(String, Result<Value, PropertyError>)> {
        let mut changed = Vec::new();
        for watch in &mut self.watches {
            let value = property::get(run, &watch.path);
            let text = value.as_ref().map_or_else(PropertyError::to_string, Value::to_string);
            if watch.seen.as_ref() != Some(&text) {
                watch.seen = Some(text);
                changed.push((watch.path.clone(), value));
            }
        }
        changed
    }
}
