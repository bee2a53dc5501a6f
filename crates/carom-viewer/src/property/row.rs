//! One property: its name, how it is read and how it is set.

use super::error::Refusal;
use super::path::Place;
use super::value::{self, Expected, Value};
use carom_scenes::{Color, Run};
use carom2d::math::Vec2;

/// What came of an attempt to set something.
pub(super) type Outcome = Result<(), Refusal>;
/// Sets a property of the thing at a place.
pub(super) type Change<T> = fn(&mut Run, Place, T) -> Outcome;

/// A property of all things of a kind. The tables of these are the whole truth: reading, setting, listing,
/// completing, suggesting and explaining all go by them.
pub(super) struct Property {
    /// The name. Dots make groups, as in `locked.x`; the empty name stands for the thing's own value.
    pub(super) name: &'static str,
    /// One line of what it is, with its unit.
    pub(super) about: &'static str,
    /// Reads it; nothing where the thing does not have it.
    pub(super) get: fn(&Run, Place) -> Option<Value>,
    /// Sets it.
    pub(super) set: Set,
    /// Which things have it, if not all do.
    pub(super) only: &'static str,
}

/// How a property is set, by the kind of value it takes.
pub(super) enum Set {
    Never,
    Number(Change<f32>),
    /// A number, or the word `auto`.
    Automatic(Change<Option<f32>>),
    Double(Change<f64>),
    Vector(Change<Vec2>),
    DoubleVector(Change<[f64; 2]>),
    /// A vector in space.
    Triple(Change<[f64; 3]>),
    /// The parts w, x, y, z of a quaternion.
    Quaternion(Change<[f64; 4]>),
    Points(fn(&mut Run, Place, &[Vec2]) -> Outcome),
    Flag(Change<bool>),
    /// One of these words, by its place among them.
    Word(&'static [&'static str], Change<usize>),
    /// A whole number between two limits, both included.
    Whole(i128, i128, Change<i128>),
    Bits(Change<u64>),
    Color(Change<Color>),
    /// Words that the setter itself makes sense of, and what it expects.
    Text(&'static str, fn(&mut Run, Place, &str) -> Outcome),
}

const AUTOMATIC: &str = "a number such as 2.5, inf, or auto for what follows from the shapes";

impl Property {
    /// A property that can be read.
    pub(super) const fn new(
        name: &'static str,
        about: &'static str,
        get: fn(&Run, Place) -> Option<Value>,
    ) -> Property {
        Property { name, about, get, set: Set::Never, only: "" }
    }

    /// The same, able to be set.
    pub(super) const fn set(self, set: Set) -> Property {
        Property { set, ..self }
    }

    /// The same, for some things only.
    pub(super) const fn only(self, only: &'static str) -> Property {
        Property { only, ..self }
    }
}

impl Set {
    /// Sets the property to what a text says.
    pub(super) fn apply(&self, run: &mut Run, at: Place, text: &str) -> Outcome {
        match self {
            Set::Never => Err(Refusal::Absent),
            Set::Number(set) => set(run, at, value::single(text)?),
            Set::Automatic(set) if text.trim().eq_ignore_ascii_case("auto") => set(run, at, None),
            Set::Automatic(set) => set(run, at, Some(value::single(text).map_err(|_| Expected::from(AUTOMATIC))?)),
            Set::Double(set) => set(run, at, value::double(text)?),
            Set::Vector(set) => set(run, at, value::single_vector(text)?),
            Set::DoubleVector(set) => set(run, at, value::double_vector(text)?),
            Set::Triple(set) => set(run, at, value::doubles(text, value::TRIPLE)?),
            Set::Quaternion(set) => set(run, at, value::doubles(text, value::QUATERNION)?),
            Set::Points(set) => set(run, at, &value::points(text)?),
            Set::Flag(set) => set(run, at, value::flag(text)?),
            Set::Word(choices, set) => set(run, at, value::word(text, choices)?),
            Set::Whole(min, max, set) => set(run, at, value::whole(text, *min, *max)?),
            Set::Bits(set) => set(run, at, value::bits(text)?),
            Set::Color(set) => set(run, at, value::color(text)?),
            Set::Text(_, set) => set(run, at, text.trim()),
        }
    }

    /// What the setter expects; nothing if there is none.
    pub(super) fn expected(&self) -> Option<Expected> {
        Some(match self {
            Set::Never => return None,
            Set::Number(_) | Set::Double(_) => value::NUMBER.into(),
            Set::Automatic(_) => AUTOMATIC.into(),
            Set::Vector(_) | Set::DoubleVector(_) => value::VECTOR.into(),
            Set::Triple(_) => value::TRIPLE.into(),
            Set::Quaternion(_) => value::QUATERNION.into(),
            Set::Points(_) => value::POINTS.into(),
            Set::Flag(_) => value::FLAG.into(),
            Set::Word(choices, _) => format!("one of {}", choices.join(", ")).into(),
            Set::Whole(min, max, _) => format!("a whole number from {min} to {max}").into(),
            Set::Bits(_) => value::BITS.into(),
            Set::Color(_) => value::COLOR.into(),
            Set::Text(expected, _) => (*expected).into(),
        })
    }
}
