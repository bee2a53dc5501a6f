//! Completing a line that is being typed.

use super::command;
use super::request::{is_path, split};
use crate::property::{self, SHAPE_WORDS, Value};
use carom_scenes::Run;

/// What a line may become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The line with as much put in as all candidates have in common.
    pub line: String,
    /// Where the cursor goes, in characters.
    pub cursor: usize,
    /// The words that fit.
    pub candidates: Vec<String>,
}

/// Completes the word before the cursor, which counts in characters.
pub(super) fn complete(line: &str, cursor: usize, run: &Run, watches: &[String]) -> Completion {
    let end = line.char_indices().nth(cursor).map_or(line.len(), |(byte, _)| byte);
    let (left, right) = line.split_at(end);
    let start = left.rfind(|c: char| c.is_whitespace() || c == '=').map_or(0, |byte| {
        let width = left[byte..].chars().next().map_or(1, char::len_utf8);
        byte + width
    });
    let (before, typed) = left.split_at(start);
    let mut candidates = fitting(before, typed, run, watches);
    candidates.retain(|candidate| candidate.starts_with(typed));
    let left = match common_start(&candidates) {
        Some(common) => format!("{before}{common}"),
        None => left.to_owned(),
    };
    Completion { cursor: left.chars().count(), line: format!("{left}{right}"), candidates }
}

/// The words that may stand after `before`, and perhaps some others.
fn fitting(before: &str, typed: &str, run: &Run, watches: &[String]) -> Vec<String> {
    let owned = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let commands = || command::all().map(|command| command.name.to_owned());
    let paths = || property::complete(run, typed);
    let before = before.trim().trim_end_matches('=');
    let (first, rest) = split(before);
    let count = before.split_whitespace().count();
    match (first.to_ascii_lowercase().as_str(), count) {
        (_, 0) => commands().chain(paths()).collect(),
        ("get" | "set" | "list" | "watch" | "remove" | "add", 1) => paths(),
        ("help", 1) => commands().chain(paths()).collect(),
        ("unwatch", 1) => watches.iter().cloned().chain(["all".to_owned()]).collect(),
        ("scene", 1) => carom_scenes::entries().map(|entry| entry.name().to_owned()).collect(),
        ("spawn", 1) | ("add", 2) => owned(&SHAPE_WORDS),
        ("set", 2) => values(run, rest, typed),
        (_, 1) if is_path(first) => values(run, first, typed),
        _ => Vec::new(),
    }
}

/// What a property may be set to; where there is no end to it, what it is.
fn values(run: &Run, path: &str, typed: &str) -> Vec<String> {
    match property::get(run, path) {
        Ok(Value::Word(word)) => word.choices().iter().map(|&choice| choice.to_owned()).collect(),
        Ok(Value::Flag(_)) => vec!["true".to_owned(), "false".to_owned()],
        Ok(value) if typed.is_empty() => vec![value.to_string()],
        _ => Vec::new(),
    }
}

/// What all words begin with. A word that stands alone and needs no dot gets a space.
fn common_start(words: &[String]) -> Option<String> {
    let (first, others) = words.split_first()?;
    if others.is_empty() {
        let is_command = command::find(first).is_some_and(|command| !command.arguments.is_empty());
        return Some(if is_command { format!("{first} ") } else { first.clone() });
    }
    let shared = |word: &String| first.chars().zip(word.chars()).take_while(|(a, b)| a == b).count();
    let count = others.iter().map(shared).min()?;
    Some(first.chars().take(count).collect())
}
