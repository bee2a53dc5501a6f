//! What hooks answered in a step, and hooks that answer the same again.
//!
//! Hooks are code, which a recording cannot hold; their answers are numbers. A step may ask about a pair of shapes more than
//! once, in an order that is fixed for this pair, so an answer is known by the pair and by how often it was asked about
//! before. Most answers change nothing, and are not kept.

use super::wire::{Source, Wire};
use crate::hooks::{ContactView, Hooks, Pair, PairView, Response};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What is asked about: a question (0: may they meet? 1: what is the contact like?) and the slots of two shapes.
type Topic = (u8, u32, u32);

/// A contact as a hook left it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    /// Friction, restitution, rolling resistance and surface speed, as bits.
    numbers: [u32; 4],
    passes: bool,
}

impl Change {
    fn of(view: &ContactView) -> Change {
        let ContactView { friction, restitution, rolling_resistance, surface_speed, response, .. } = view;
        let numbers = [friction, restitution, rolling_resistance, surface_speed].map(|number| number.to_bits());
        Change { numbers, passes: *response == Response::Pass }
    }

    fn apply(self, view: &mut ContactView) {
        [view.friction, view.restitution, view.rolling_resistance, view.surface_speed] =
            self.numbers.map(f32::from_bits);
        view.response = if self.passes { Response::Pass } else { Response::Push };
    }
}

/// An answer that changed something.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answer {
    topic: Topic,
    /// How often the topic had come up in the step.
    turn: u32,
    /// None: the pair does not meet.
    change: Option<Change>,
}

impl Wire for Answer {
    fn put(&self, to: &mut Vec<u8>) {
        let (question, a, b) = self.topic;
        question.put(to);
        a.put(to);
        b.put(to);
        self.turn.put(to);
        if let Some(change) = self.change {
            change.numbers.iter().for_each(|number| number.put(to));
            change.passes.put(to);
        }
    }

    fn get(from: &mut Source<'_>) -> Option<Answer> {
        let topic = (u8::get(from)?, u32::get(from)?, u32::get(from)?);
        let turn = u32::get(from)?;
        let change = match topic.0 {
            0 => None,
            1 => {
                let mut numbers = [0; 4];
                for number in &mut numbers {
                    *number = u32::get(from)?;
                }
                Some(Change { numbers, passes: bool::get(from)? })
            }
            _ => return None,
        };
        Some(Answer { topic, turn, change })
    }
}

/// The questions of a step, in the order in which they were asked, with the answers that changed something.
#[derive(Debug, Default)]
pub(super) struct Answers(Mutex<Vec<(Topic, Option<Option<Change>>)>>);

impl Answers {
    fn list(&self) -> MutexGuard<'_, Vec<(Topic, Option<Option<Change>>)>> {
        // A hook that panics leaves what was answered before it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the answers of a step, in the order of their topics.
    pub(super) fn take(&self) -> Vec<Answer> {
        let mut list = self.list();
        // Stable: turns stay in order.
        list.sort_by_key(|(topic, _)| *topic);
        let mut answers = Vec::new();
        let (mut last, mut turn) = (None, 0);
        for (topic, answer) in list.drain(..) {
            turn = if last == Some(topic) { turn + 1 } else { 0 };
            last = Some(topic);
            if let Some(change) = answer {
                answers.push(Answer { topic, turn, change });
            }
        }
        answers
    }
}

/// Hooks of the caller, whose answers are noted.
pub(super) struct Listening<'h> {
    pub(super) hooks: &'h dyn Hooks,
    pub(super) answers: &'h Answers,
}

impl Hooks for Listening<'_> {
    fn filter_pair(&self, pair: &PairView) -> Pair {
        let answer = self.hooks.filter_pair(pair);
        let topic = (0, pair.a.shape.index(), pair.b.shape.index());
        self.answers.list().push((topic, (answer == Pair::Ignore).then_some(None)));
        answer
    }

    fn modify_contact(&self, contact: &mut ContactView) {
        let before = Change::of(contact);
        self.hooks.modify_contact(contact);
        let after = Change::of(contact);
        let topic = (1, contact.a().shape.index(), contact.b().shape.index());
        self.answers.list().push((topic, (after != before).then_some(Some(after))));
    }
}

/// Hooks that answer as recorded.
pub(super) struct Repeating {
    /// By topic and turn.
    answers: Vec<Answer>,
    /// Of the topics in `answers`, in order: how often each has come up.
    turns: Vec<(Topic, AtomicU32)>,
}

impl Repeating {
    pub(super) fn new(mut answers: Vec<Answer>) -> Repeating {
        answers.sort_by_key(|answer| (answer.topic, answer.turn));
        let mut turns: Vec<(Topic, AtomicU32)> = Vec::new();
        for answer in &answers {
            if turns.last().is_none_or(|(topic, _)| *topic != answer.topic) {
                turns.push((answer.topic, AtomicU32::new(0)));
            }
        }
        Repeating { answers, turns }
    }

    fn next(&self, topic: Topic) -> Option<&Answer> {
        let place = self.turns.binary_search_by_key(&topic, |(topic, _)| *topic).ok()?;
        let turn = self.turns[place].1.fetch_add(1, Ordering::Relaxed);
        let place = self.answers.binary_search_by_key(&(topic, turn), |answer| (answer.topic, answer.turn)).ok()?;
        self.answers.get(place)
    }
}

impl Hooks for Repeating {
    fn filter_pair(&self, pair: &PairView) -> Pair {
        match self.next((0, pair.a.shape.index(), pair.b.shape.index())) {
            Some(_) => Pair::Ignore,
            None => Pair::Meet,
        }
    }

    fn modify_contact(&self, contact: &mut ContactView) {
        let answer = self.next((1, contact.a().shape.index(), contact.b().shape.index()));
        if let Some(change) = answer.and_then(|answer| answer.change) {
            change.apply(contact);
        }
    }
}
