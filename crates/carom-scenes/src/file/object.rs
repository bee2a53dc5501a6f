//! An object of a scene file with the fields it may have, and what their values must be.

use super::error::{Problem, any_of, shown};
use super::json::{Kind, Value};
use crate::closest::closest;
use carom2d::DefError;
use carom2d::math::{Vec2, vec2};

/// An object whose fields are known, each there at most once.
pub(super) struct Object<'a> {
    value: Value<'a>,
    /// What it is, such as "a body".
    what: &'static str,
    /// The fields it may have, in groups.
    names: &'static [&'static [&'static str]],
    /// Their values, in the same order.
    slots: Vec<Option<Value<'a>>>,
}

impl<'a> Object<'a> {
    pub(super) fn new(
        value: Value<'a>,
        what: &'static str,
        names: &'static [&'static [&'static str]],
    ) -> Result<Object<'a>, Problem> {
        Object::filled(value, what, names, |object, name, at| Err(object.unknown(name, at)))
    }

    /// An object of a format that others extend: fields that are not known are noted, except for those whose names
    /// resemble known ones.
    pub(super) fn extensible(
        value: Value<'a>,
        what: &'static str,
        names: &'static [&'static [&'static str]],
        note: &mut dyn FnMut(&str),
    ) -> Result<Object<'a>, Problem> {
        Object::filled(value, what, names, |object, name, at| match closest(name, object.names()) {
            Some(_) => Err(object.unknown(name, at)),
            None => {
                note(name);
                Ok(())
            }
        })
    }

    fn filled(
        value: Value<'a>,
        what: &'static str,
        names: &'static [&'static [&'static str]],
        mut on_unknown: impl FnMut(&Object<'a>, &str, usize) -> Result<(), Problem>,
    ) -> Result<Object<'a>, Problem> {
        if value.kind() != Kind::Object {
            return Err(found_instead(value, &format!("{what}, which is an object in braces")));
        }
        let mut object = Object { value, what, names, slots: vec![None; names.iter().map(|group| group.len()).sum()] };
        for field in value.fields() {
            let Some(slot) = object.slot(&field.name) else {
                on_unknown(&object, &field.name, field.at)?;
                continue;
            };
            if object.slots[slot].is_some() {
                let message = "this field is there twice in one object; remove one of them";
                return Err(Problem::at(field.at, message).in_field(&field.name));
            }
            object.slots[slot] = Some(field.value);
        }
        Ok(object)
    }

    fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.names.iter().flat_map(|group| group.iter().copied())
    }

    fn slot(&self, name: &str) -> Option<usize> {
        self.names().position(|known| known == name)
    }

    fn unknown(&self, name: &str, at: usize) -> Problem {
        let what = self.what;
        let advice = match closest(name, self.names()) {
            Some(known) => format!("did you mean {known:?}?"),
            None => format!("{what} may have {}", any_of(self.names())),
        };
        Problem::at(at, format!("{what} has no such field; {advice}")).in_field(name)
    }

    /// A field's value, if the field is there. `name` must be one of those given to [`Object::new`].
    pub(super) fn get(&self, name: &str) -> Option<Value<'a>> {
        self.slots[self.slot(name)?]
    }

    /// A field's value.
    pub(super) fn required(&self, name: &str, expected: &str) -> Result<Value<'a>, Problem> {
        self.get(name).ok_or_else(|| {
            let message = format!("missing; {} needs {expected}", self.what);
            Problem::at(self.value.at, message).in_field(name)
        })
    }

    /// Fails if two fields are there that say the same in different ways.
    pub(super) fn exclusive(&self, name: &str, other: &str) -> Result<(), Problem> {
        match (self.get(name), self.get(other)) {
            (Some(_), Some(second)) => {
                Err(Problem::at(second.at, format!("{name:?} says the same in another way; remove one of them")))
            }
            _ => Ok(()),
        }
    }

    /// What a field reads as, if it is there.
    pub(super) fn read<T>(
        &self,
        name: &str,
        read: impl FnOnce(Value<'a>) -> Result<T, Problem>,
    ) -> Result<Option<T>, Problem> {
        self.get(name).map(read).transpose()
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f32>, Problem> {
        self.read(name, number)
    }

    pub(super) fn vector(&self, name: &str) -> Result<Option<Vec2>, Problem> {
        self.read(name, vector)
    }

    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>, Problem> {
        self.read(name, flag)
    }

    /// What the engine refused, at the value that it refused.
    pub(super) fn refused(&self, error: DefError) -> Problem {
        let DefError::Field { field, value, expected } = error else {
            return Problem::at(self.value.at, error.to_string());
        };
        let expected = expected
            .replace("BodyDef::fixed()", "a body of the kind \"fixed\"")
            .replace("Capsule.a", "a")
            .replace("Segment.a", "a")
            .replace("Distance.min", "min")
            .replace("JointDef.body_a", "body_a")
            .replace("Gear.joint_a", "joint_a");
        let name = field.rsplit('.').next().unwrap_or(field);
        // The engine's names for what a file has under others.
        let candidates: &[&str] = match name {
            "points" => &["vertices", "points"],
            "box" => &["max"],
            "rest area" => &["area"],
            "x" => &["half_width"],
            "y" => &["half_height"],
            "length" => &["b"],
            "position" => &["position", "center"],
            "center" => &["center", "position"],
            "velocity" => &["center_velocity", "velocity"],
            "radius" => &["radius", "rounding"],
            "frame_a" => &["at", "position_a", "rotation_a"],
            "frame_b" => &["at", "position_b", "rotation_b"],
            "spring length" => &["spring"],
            _ => &[],
        };
        let given = candidates.iter().chain([&name]).find_map(|name| self.get(name));
        match given {
            Some(given) => Problem::at(given.at, format!("expected {expected}, found {}", given.shown())),
            None => Problem::at(self.value.at, format!("{name} is {}; expected {expected}", shown(&value))),
        }
    }
}

/// Something else was expected than this value.
pub(super) fn found_instead(value: Value<'_>, expected: &str) -> Problem {
    Problem::at(value.at, format!("expected {expected}, found {}", value.shown()))
}

/// A number in single precision.
pub(super) fn number(value: Value<'_>) -> Result<f32, Problem> {
    let found = if value.kind() == Kind::Number { value.source().parse::<f32>().ok() } else { None };
    match found {
        Some(number) if number.is_finite() => Ok(number),
        Some(_) => Err(found_instead(value, "a number between -3.4e38 and 3.4e38")),
        None => Err(found_instead(value, "a number")),
    }
}

/// A number in double precision.
pub(super) fn number64(value: Value<'_>) -> Result<f64, Problem> {
    let found = if value.kind() == Kind::Number { value.source().parse::<f64>().ok() } else { None };
    match found {
        Some(number) if number.is_finite() => Ok(number),
        Some(_) => Err(found_instead(value, "a number between -1.7e308 and 1.7e308")),
        None => Err(found_instead(value, "a number")),
    }
}

/// A number in single precision, or "inf".
pub(super) fn number_or_infinity(value: Value<'_>) -> Result<f32, Problem> {
    match (value.kind(), value.as_text().as_deref()) {
        (Kind::Number, _) => number(value),
        (_, Some("inf")) => Ok(f32::INFINITY),
        _ => Err(found_instead(value, "a number or \"inf\"")),
    }
}

/// Two numbers.
pub(super) fn vector(value: Value<'_>) -> Result<Vec2, Problem> {
    let wrong = || found_instead(value, "two numbers such as [1, 2.5]");
    let mut elements = value.elements();
    let (Some(x), Some(y), None) = (elements.next(), elements.next(), elements.next()) else {
        return Err(wrong());
    };
    Ok(vec2(number(x)?, number(y)?))
}

/// A list of points or directions, not longer than `most`.
pub(super) fn vectors(value: Value<'_>, most: usize) -> Result<Vec<Vec2>, Problem> {
    if value.kind() != Kind::Array {
        return Err(found_instead(value, "an array such as [[0, 0], [1, 0], [0, 1]]"));
    }
    let mut found = Vec::new();
    for element in value.elements() {
        if found.len() == most {
            return Err(Problem::at(element.at, format!("expected at most {most} of these")));
        }
        found.push(vector(element)?);
    }
    Ok(found)
}

/// True or false.
pub(super) fn flag(value: Value<'_>) -> Result<bool, Problem> {
    match value.source() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(found_instead(value, "true or false")),
    }
}

/// A whole number between two others; `1e3` and `2.0` are whole, too.
pub(super) fn whole(value: Value<'_>, lowest: i64, highest: u64) -> Result<i128, Problem> {
    let source = value.source();
    let found = match value.kind() {
        Kind::Number => source.parse::<i128>().ok().or_else(|| {
            let number = source.parse::<f64>().ok()?;
            // Larger ones are no longer exact.
            (number.fract() == 0.0 && number.abs() < 9.0e15).then_some(number as i128)
        }),
        _ => None,
    };
    let in_range = |&number: &i128| number >= i128::from(lowest) && number <= i128::from(highest);
    found.filter(in_range).ok_or_else(|| found_instead(value, &format!("a whole number from {lowest} to {highest}")))
}

/// A whole number of 32 bits.
pub(super) fn count(value: Value<'_>) -> Result<u32, Problem> {
    // In range, so the cast changes nothing.
    whole(value, 0, u64::from(u32::MAX)).map(|number| number as u32)
}

/// 64 bits: a whole number, or hexadecimal digits in a text, because many programs that write JSON round
/// what is above 2^53.
pub(super) fn bits(value: Value<'_>) -> Result<u64, Problem> {
    let Some(text) = value.as_text() else {
        return whole(value, 0, u64::MAX).map(|number| number as u64);
    };
    let digits = text.strip_prefix("0x").filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).ok_or_else(|| {
        found_instead(value, "a whole number, or a text such as \"0xff\" of up to 16 hexadecimal digits")
    })
}

/// A text on one line of at most `most` characters.
pub(super) fn line(value: Value<'_>, most: usize) -> Result<String, Problem> {
    let text = value.as_text().filter(|text| !text.chars().any(char::is_control) && text.chars().count() <= most);
    match text {
        Some(text) => Ok(text.into_owned()),
        None => Err(found_instead(value, &format!("a text of at most {most} characters on one line"))),
    }
}

/// One of several words, with what each stands for.
pub(super) fn choice<T: Copy>(value: Value<'_>, choices: &[(&'static str, T)]) -> Result<T, Problem> {
    let word = value.as_text();
    let word = word.as_deref().unwrap_or("");
    if let Some((_, chosen)) = choices.iter().find(|(name, _)| *name == word) {
        return Ok(*chosen);
    }
    let names = || choices.iter().map(|(name, _)| *name);
    let suggestion = closest(word, names());
    let advice = suggestion.map_or(String::new(), |name| format!("; did you mean {name:?}?"));
    Err(Problem::at(value.at, format!("expected {}, found {}{advice}", any_of(names()), value.shown())))
}
