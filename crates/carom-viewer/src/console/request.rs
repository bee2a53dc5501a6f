//! What a person asks for in one line.

use super::command::{self, Command};
use crate::property::{Edit, PropertyError, shown};
use carom_scenes::closest;
use std::fmt;

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Nothing: the line is blank.
    Nothing,
    /// The value of a property.
    Get(String),
    /// What is below a path; empty for the run itself.
    List(String),
    /// A change of the run.
    Edit(Edit),
    /// To go on showing a property.
    Watch(String),
    /// To show a property no longer, or none of them.
    Unwatch(Option<String>),
    /// A scene, or the names of all.
    Scene(Option<String>),
    /// To stop time.
    Pause,
    /// To let time go on.
    Resume,
    /// To make this many steps.
    Step(u32),
    /// To go back to the start of the scene.
    Restart,
    /// To empty the console.
    Clear,
    /// An explanation of a command or a property, or of everything.
    Help(Option<String>),
}

/// The most steps that one line may ask for.
pub const MOST_STEPS: u32 = 100_000;

/// The longest line, in bytes.
pub const LONGEST_LINE: usize = 4096;

/// The first names of paths.
const ROOTS: [&str; 7] = ["world", "body", "joint", "system", "particle", "edge", "half_plane"];

impl Request {
    /// Reads a line.
    pub fn parse(line: &str) -> Result<Request, ConsoleError> {
        let line = line.trim();
        if line.len() > LONGEST_LINE {
            return Err(ConsoleError::TooLong);
        }
        if let Some((path, value)) = line.split_once('=')
            && is_path(path.trim())
        {
            return set(&format!("{path} {value}"));
        }
        let (word, rest) = split(line);
        let name = word.to_ascii_lowercase();
        match (command::find(&name), is_path(word)) {
            (Some(command), _) => Request::of(command, rest),
            (None, true) if rest.is_empty() => Ok(Request::Get(path(word))),
            (None, true) => Err(ConsoleError::Usage(usage("set"))),
            (None, false) if word.is_empty() => Ok(Request::Nothing),
            (None, false) => {
                let names = command::all().map(|command| command.name);
                Err(ConsoleError::Unknown { word: word.to_owned(), suggestion: closest(word, names) })
            }
        }
    }

    fn of(command: &'static Command, rest: &str) -> Result<Request, ConsoleError> {
        let wrong = || ConsoleError::Usage(usage(command.name));
        let none = || if rest.is_empty() { Ok(()) } else { Err(wrong()) };
        // One word, or none.
        let optional = || match split(rest) {
            (_, more) if !more.is_empty() => Err(wrong()),
            ("", _) => Ok(None),
            (word, _) => Ok(Some(word)),
        };
        let one = || optional()?.ok_or_else(wrong);
        match command.name {
            "get" => Ok(Request::Get(path(one()?))),
            "set" => set(rest),
            "list" => Ok(Request::List(path(optional()?.unwrap_or_default()))),
            "watch" => Ok(Request::Watch(path(one()?))),
            "unwatch" => Ok(Request::Unwatch(Some(path(one()?)).filter(|path| path != "all"))),
            "spawn" if rest.is_empty() => Err(wrong()),
            "spawn" => Ok(Request::Edit(Edit::spawn(rest)?)),
            "add" => {
                let (body, shape) = split(rest);
                let index = body.strip_prefix("body.").and_then(|index| index.parse().ok());
                let Some(body) = index.filter(|_| !shape.is_empty()) else { return Err(wrong()) };
                Ok(Request::Edit(Edit::Add { body, shape: shape.to_owned() }))
            }
            "remove" => Ok(Request::Edit(Edit::Remove { path: path(one()?) })),
            "gravity" if rest.is_empty() => Ok(Request::Get("world.gravity".to_owned())),
            "gravity" => Ok(Request::Edit(Edit::set("world.gravity", rest))),
            "scene" => Ok(Request::Scene(optional()?.map(str::to_owned))),
            "pause" => none().map(|()| Request::Pause),
            "resume" => none().map(|()| Request::Resume),
            "step" => match optional()?.map(str::parse) {
                None => Ok(Request::Step(1)),
                Some(Ok(count)) if (1..=MOST_STEPS).contains(&count) => Ok(Request::Step(count)),
                Some(_) => Err(ConsoleError::Steps(rest.to_owned())),
            },
            "restart" => none().map(|()| Request::Restart),
            "clear" => none().map(|()| Request::Clear),
            _ => Ok(Request::Help(optional()?.map(str::to_owned))),
        }
    }
}

/// A path and a value, perhaps with an equals sign between them.
fn set(rest: &str) -> Result<Request, ConsoleError> {
    let (name, value) = split(rest);
    let value = value.strip_prefix('=').unwrap_or(value).trim();
    if name.is_empty() || value.is_empty() {
        return Err(ConsoleError::Usage(usage("set")));
    }
    Ok(Request::Edit(Edit::set(path(name), value)))
}

/// The first word, and what follows it.
pub(super) fn split(text: &str) -> (&str, &str) {
    let text = text.trim();
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    (word, rest.trim())
}

/// Does a word look like a path?
pub(super) fn is_path(word: &str) -> bool {
    let first = word.split('.').next().unwrap_or_default();
    !word.contains(char::is_whitespace) && (ROOTS.contains(&first) || word.len() > 1 && word.contains('.'))
}

/// A path without the dot at its end that completing it leaves.
fn path(word: &str) -> String {
    word.trim_end_matches('.').to_owned()
}

fn usage(name: &'static str) -> Usage {
    Usage { name }
}

/// How a command is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    name: &'static str,
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match command::find(self.name) {
            Some(command) => write!(f, "{}, such as {}", command.usage(), command.example),
            None => f.write_str(self.name),
        }
    }
}

/// Why a line is not understood.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConsoleError {
    /// There is no such command.
    Unknown {
        /// The word.
        word: String,
        /// The command that was probably meant.
        suggestion: Option<&'static str>,
    },
    /// A command needs something else.
    Usage(Usage),
    /// No number of steps.
    Steps(String),
    /// The line is longer than [`LONGEST_LINE`].
    TooLong,
    /// The words for a property or a shape are wrong.
    Property(PropertyError),
}

impl fmt::Display for ConsoleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ConsoleError::Unknown { word, suggestion } => {
                write!(f, "there is no command {:?}", shown(word))?;
                match suggestion {
                    Some(name) => write!(f, "; did you mean {name:?}?"),
                    None => f.write_str("; help says which there are"),
                }
            }
            ConsoleError::Usage(usage) => write!(f, "expected {usage}"),
            ConsoleError::Steps(text) => {
                write!(f, "{:?} is no number of steps; expected a whole number from 1 to {MOST_STEPS}", shown(text))
            }
            ConsoleError::TooLong => write!(f, "the line is too long; expected at most {LONGEST_LINE} bytes"),
            ConsoleError::Property(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ConsoleError {}

impl From<PropertyError> for ConsoleError {
    fn from(error: PropertyError) -> ConsoleError {
        ConsoleError::Property(error)
    }
}
