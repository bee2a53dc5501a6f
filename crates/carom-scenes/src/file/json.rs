//! A reader of JSON in which every value knows where it stands.
//!
//! [`check`] goes over a whole text once and refuses what is not JSON (RFC 8259), or nested too deep.
//! From then on a [`Value`] is nothing but the place where it starts, and what is in it is found by
//! walking over the text again. So nothing is built in memory, whatever the text holds, and an error
//! found long after parsing, such as a radius that the engine refuses, can still name line and column.

use super::error::{Problem, shown};
use std::borrow::Cow;
use std::ops::Range;

/// Arrays and objects inside each other. Scenes have seven.
const MAX_DEPTH: usize = 64;

/// Goes over the whole text. What passes can be read as a [`Value`].
pub(super) fn check(text: &str) -> Result<Value<'_>, Problem> {
    let mut scanner = Scanner::new(text);
    scanner.run(usize::MAX)?;
    let mut at = 0;
    skip_blanks(text.as_bytes(), &mut at);
    Ok(Value { text, at })
}

/// Which value or place of an object the byte at `at` belongs to, such as `bodies[3].kind`.
pub(super) fn path_at(text: &str, at: usize) -> String {
    let mut scanner = Scanner::new(text);
    // An error before that is the one whose path is asked for.
    scanner.run(at).ok();
    scanner.path()
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn skip_blanks(text: &[u8], at: &mut usize) {
    while text.get(*at).is_some_and(|&byte| is_blank(byte)) {
        *at += 1;
    }
}

/// An array or object that has been opened and not closed yet.
enum Level {
    /// With the name of the field at hand, without quotes; none between fields.
    Object(usize, Option<Range<usize>>),
    /// With the index of the element at hand.
    Array(usize, usize),
}

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    ValueOrEnd,
    Name,
    NameOrEnd,
    /// A comma, or the end of what is open.
    Comma,
}

/// Checks the grammar.
struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    open: Vec<Level>,
}

impl<'a> Scanner<'a> {
    fn new(text: &'a str) -> Scanner<'a> {
        Scanner { text, bytes: text.as_bytes(), at: 0, open: Vec::new() }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Goes on to the end of the text, or to the first place at or after `stop` where a value, a name
    /// or a comma may stand.
    fn run(&mut self, stop: usize) -> Result<(), Problem> {
        let mut next = Next::Value;
        loop {
            skip_blanks(self.bytes, &mut self.at);
            if self.at >= stop {
                return Ok(());
            }
            next = match next {
                Next::ValueOrEnd if self.peek() == Some(b']') => self.close(),
                Next::Value | Next::ValueOrEnd => self.value()?,
                Next::NameOrEnd if self.peek() == Some(b'}') => self.close(),
                Next::Name | Next::NameOrEnd => self.name()?,
                Next::Comma if self.open.is_empty() => return self.end(),
                Next::Comma => self.comma()?,
            };
        }
    }

    fn close(&mut self) -> Next {
        self.open.pop();
        self.at += 1;
        Next::Comma
    }

    /// Nothing may follow the one value of a text.
    fn end(&self) -> Result<(), Problem> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.expected("the end of the file")),
        }
    }

    fn value(&mut self) -> Result<Next, Problem> {
        match self.peek() {
            Some(b'{') => {
                self.push(Level::Object(self.at, None))?;
                return Ok(Next::NameOrEnd);
            }
            Some(b'[') => {
                self.push(Level::Array(self.at, 0))?;
                return Ok(Next::ValueOrEnd);
            }
            Some(b'"') => {
                self.string()?;
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') if self.word("true") => {}
            Some(b'f') if self.word("false") => {}
            Some(b'n') if self.word("null") => {}
            _ => return Err(self.no_value()),
        }
        Ok(Next::Comma)
    }

    fn push(&mut self, level: Level) -> Result<(), Problem> {
        if self.open.len() == MAX_DEPTH {
            let message = format!("arrays and objects are nested more than {MAX_DEPTH} deep; a scene needs 7");
            return Err(Problem::at(self.at, message));
        }
        self.open.push(level);
        self.at += 1;
        Ok(())
    }

    /// The name of a field and the colon after it.
    fn name(&mut self) -> Result<Next, Problem> {
        if self.peek() != Some(b'"') {
            return Err(match self.peek() {
                Some(b'}') => Problem::at(self.at, "expected a field after the comma, found }; remove the comma"),
                _ => self.expected("the name of a field in double quotes"),
            });
        }
        let name = self.string()?;
        skip_blanks(self.bytes, &mut self.at);
        if self.peek() != Some(b':') {
            return Err(self.expected("a colon after the name of a field"));
        }
        self.at += 1;
        if let Some(Level::Object(_, current)) = self.open.last_mut() {
            *current = Some(name);
        }
        Ok(Next::Value)
    }

    fn comma(&mut self) -> Result<Next, Problem> {
        let byte = self.peek();
        match self.open.last_mut() {
            Some(Level::Object(_, name)) => match byte {
                Some(b',') => {
                    *name = None;
                    self.at += 1;
                    Ok(Next::Name)
                }
                Some(b'}') => Ok(self.close()),
                _ => Err(self.expected("a comma or }")),
            },
            Some(Level::Array(_, index)) => match byte {
                Some(b',') => {
                    *index += 1;
                    self.at += 1;
                    Ok(Next::Value)
                }
                Some(b']') => Ok(self.close()),
                _ => Err(self.expected("a comma or ]")),
            },
            None => Err(self.expected("the end of the file")),
        }
    }

    /// Goes over `true`, `false` or `null`, if it is that and no longer word.
    fn word(&mut self, word: &str) -> bool {
        let rest = &self.bytes[self.at..];
        let follower = rest.get(word.len());
        let found = rest.starts_with(word.as_bytes()) && !follower.is_some_and(u8::is_ascii_alphanumeric);
        if found {
            self.at += word.len();
        }
        found
    }

    /// An optional minus, digits without a leading zero, then fraction and exponent if there are any.
    fn number(&mut self) -> Result<(), Problem> {
        let start = self.at;
        let wrong = |what: &str| Problem::at(start, format!("this number {what}; expected one such as -12.5 or 1e-3"));
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let leading_zero = self.peek() == Some(b'0');
        match self.digits() {
            0 => return Err(wrong("has no digit after its minus")),
            1 => {}
            _ if leading_zero => return Err(wrong("starts with a zero too many")),
            _ => {}
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(wrong("has no digit after its point"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.peek(), Some(b'+' | b'-')) {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(wrong("has no digit in its exponent"));
            }
        }
        if self.peek().is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_')) {
            return Err(wrong("is followed by something else"));
        }
        Ok(())
    }

    /// Goes over digits and counts them.
    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// Goes over a string; returns what is between the quotes.
    fn string(&mut self) -> Result<Range<usize>, Problem> {
        let start = self.at;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(start + 1..self.at - 1);
                }
                Some(b'\\') => self.escape()?,
                Some(0x20..) => self.at += 1,
                Some(b'\n' | b'\r') => {
                    let message = "a text goes over the end of its line; close it with \", or write \\n for a new line";
                    return Err(Problem::at(self.at, message));
                }
                Some(_) => {
                    let message = "a control character stands in a text; write it as \\u and four hexadecimal digits";
                    return Err(Problem::at(self.at, message));
                }
                None => return Err(Problem::at(start, "a text starts here and is never closed with \"")),
            }
        }
    }

    /// Goes over a backslash and what belongs to it.
    fn escape(&mut self) -> Result<(), Problem> {
        let start = self.at;
        self.at += 2;
        match self.bytes.get(start + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => Ok(()),
            Some(b'u') => match unicode_escape(self.text, start) {
                Some((_, length)) => {
                    self.at = start + length;
                    Ok(())
                }
                None => Err(Problem::at(start, "expected \\u and four hexadecimal digits that give a character")),
            },
            _ => Err(Problem::at(start, "expected one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u after a backslash")),
        }
    }

    /// Something other than what is found was expected.
    fn expected(&self, what: &str) -> Problem {
        let rest = self.text.get(self.at..).unwrap_or("");
        let hint = match rest.as_bytes() {
            [] => return self.cut_short(what),
            [b'/', b'/' | b'*', ..] | [b'#', ..] => "; JSON has no comments",
            [b'\'', ..] => "; texts stand in double quotes",
            [b',', ..] => "; remove the comma, or put in what is missing",
            _ => "",
        };
        Problem::at(self.at, format!("expected {what}, found {}{hint}", first_word(rest)))
    }

    /// No value where one should be.
    fn no_value(&self) -> Problem {
        let rest = self.text.get(self.at..).unwrap_or("");
        match rest.as_bytes() {
            [b']' | b'}', ..] if matches!(self.open.last(), Some(Level::Array(_, index)) if *index > 0) => {
                let found = first_word(rest);
                Problem::at(self.at, format!("expected an element after the comma, found {found}; remove the comma"))
            }
            [b'N' | b'n' | b'I' | b'i' | b'+' | b'.', ..] => Problem::at(
                self.at,
                format!(
                    "expected a value, found {}; numbers are written as -12.5 or 1e-3, infinity as \"inf\"",
                    first_word(rest)
                ),
            ),
            _ => self.expected("a value"),
        }
    }

    /// The text ends where something was expected.
    fn cut_short(&self, what: &str) -> Problem {
        let opening = self.open.last().map(|level| match *level {
            Level::Object(at, _) => ('{', at),
            Level::Array(at, _) => ('[', at),
        });
        let still_open = match opening {
            Some((sign, at)) => {
                let line = self.bytes[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
                format!("; the {sign} of line {line} is still open")
            }
            None => String::new(),
        };
        Problem::at(self.at, format!("expected {what}, but the file ends here{still_open}"))
    }

    /// Where it is; far down, only how it begins.
    fn path(&self) -> String {
        const MAX_SHOWN: usize = 100;
        let mut path = String::new();
        for level in &self.open {
            if path.len() > MAX_SHOWN {
                path.push_str("...");
                break;
            }
            match level {
                Level::Object(_, Some(name)) => {
                    if !path.is_empty() {
                        path.push('.');
                    }
                    path.push_str(&shown(&self.text[name.clone()]));
                }
                Level::Object(_, None) => {}
                Level::Array(_, index) => path.push_str(&format!("[{index}]")),
            }
        }
        path
    }
}

/// The first few characters that belong together, to be shown in a message.
fn first_word(text: &str) -> String {
    let is_sign = |c: char| !(c.is_alphanumeric() || c == '_');
    match text.chars().next() {
        None => "nothing".to_owned(),
        Some(c) if c.is_control() => format!("the character {:#04x}", u32::from(c)),
        Some(c) if is_sign(c) => c.to_string(),
        Some(_) => shown(text.split(is_sign).next().unwrap_or("")),
    }
}

/// The character of a `\u....` at `at`, or of two of them that make one character, and its length in the
/// text. None if it is not such a thing.
fn unicode_escape(text: &str, at: usize) -> Option<(char, usize)> {
    let unit = |at: usize| {
        let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
        digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then(|| u32::from_str_radix(digits, 16).ok())?
    };
    let first = unit(at)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 6));
    }
    let second = unit(at + 6)?;
    if !(0xD800..0xDC00).contains(&first) || !(0xDC00..0xE000).contains(&second) {
        return None;
    }
    let c = char::from_u32(0x1_0000 + ((first - 0xD800) << 10) + (second - 0xDC00))?;
    Some((c, 12))
}

/// What sort of value it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    Text,
    Number,
    Flag,
    Null,
}

/// A value in a text that [`check`] has passed.
#[derive(Clone, Copy)]
pub(super) struct Value<'a> {
    text: &'a str,
    pub(super) at: usize,
}

/// A field of an object.
pub(super) struct Field<'a> {
    /// Where its name starts.
    pub(super) at: usize,
    pub(super) name: Cow<'a, str>,
    pub(super) value: Value<'a>,
}

impl<'a> Value<'a> {
    pub(super) fn kind(self) -> Kind {
        match self.text.as_bytes().get(self.at) {
            Some(b'{') => Kind::Object,
            Some(b'[') => Kind::Array,
            Some(b'"') => Kind::Text,
            Some(b't' | b'f') => Kind::Flag,
            Some(b'n') | None => Kind::Null,
            Some(_) => Kind::Number,
        }
    }

    /// The value as it is written.
    pub(super) fn source(self) -> &'a str {
        &self.text[self.at..self.end()]
    }

    /// The value in a message.
    pub(super) fn shown(self) -> String {
        shown(self.source())
    }

    /// What is between the quotes of a text, with its escapes resolved; none for other values.
    pub(super) fn as_text(self) -> Option<Cow<'a, str>> {
        (self.kind() == Kind::Text).then(|| unescape(self.text, self.at + 1, self.end() - 1))
    }

    /// The fields of an object, in the order of the text; none for other values.
    pub(super) fn fields(self) -> impl Iterator<Item = Field<'a>> {
        let mut at = self.at + 1;
        let is_object = self.kind() == Kind::Object;
        std::iter::from_fn(move || {
            let at_name = next_item(self.text, &mut at).filter(|_| is_object)?;
            let name_end = end_of(self.text.as_bytes(), at_name);
            let name = unescape(self.text, at_name + 1, name_end - 1);
            let mut colon = name_end;
            skip_blanks(self.text.as_bytes(), &mut colon);
            let mut start = colon + 1;
            skip_blanks(self.text.as_bytes(), &mut start);
            let value = Value { text: self.text, at: start };
            at = value.end();
            Some(Field { at: at_name, name, value })
        })
    }

    /// The elements of an array; none for other values.
    pub(super) fn elements(self) -> impl Iterator<Item = Value<'a>> {
        let mut at = self.at + 1;
        let is_array = self.kind() == Kind::Array;
        std::iter::from_fn(move || {
            let start = next_item(self.text, &mut at).filter(|_| is_array)?;
            let value = Value { text: self.text, at: start };
            at = value.end();
            Some(value)
        })
    }

    fn end(self) -> usize {
        end_of(self.text.as_bytes(), self.at)
    }
}

/// The place of the next field or element after `at`; none at the end of what is open.
fn next_item(text: &str, at: &mut usize) -> Option<usize> {
    let bytes = text.as_bytes();
    skip_blanks(bytes, at);
    if bytes.get(*at) == Some(&b',') {
        *at += 1;
        skip_blanks(bytes, at);
    }
    match bytes.get(*at) {
        None | Some(b']' | b'}') => None,
        Some(_) => Some(*at),
    }
}

/// Where the value that starts at `at` ends, in a text without errors.
fn end_of(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    let mut depth = 0usize;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => {
                at += 1;
                while bytes.get(at).is_some_and(|&byte| byte != b'"') {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                at += 1;
            }
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                // A number ends at the bracket that closes its array.
                if depth == 0 {
                    return at;
                }
                depth -= 1;
                at += 1;
            }
            b',' | b' ' | b'\t' | b'\n' | b'\r' if depth == 0 => return at,
            _ => {
                at += 1;
                continue;
            }
        }
        if depth == 0 {
            return at.min(bytes.len());
        }
    }
    at.min(bytes.len())
}

/// Resolves the escapes of a text that has passed.
fn unescape(text: &str, start: usize, end: usize) -> Cow<'_, str> {
    let raw = &text[start..end];
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(backslash) = rest.find('\\') {
        out.push_str(&rest[..backslash]);
        let (c, length) = match rest.as_bytes().get(backslash + 1) {
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(b'u') => unicode_escape(rest, backslash).unwrap_or(('\u{FFFD}', 6)),
            Some(&sign) => (char::from(sign), 2),
            None => ('\u{FFFD}', 1),
        };
        out.push(c);
        rest = &rest[backslash + length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> (usize, String, String) {
        match check(text) {
            Ok(_) => panic!("{text:?} passed"),
            Err(problem) => (problem.at, path_at(text, problem.at), problem.message),
        }
    }

    #[test]
    fn takes_what_json_is() {
        for text in [
            "{}",
            " [ ] ",
            "\"\"",
            "null",
            "-0",
            "1.5e+10",
            "[1,-2.5, 3E-1 ,true,false,null,\"\\u00e9\\ud83d\\ude00\\\"\"]",
            "{\"a\" : {\"b\":[{}, []]}, \"c\":0}",
        ] {
            assert!(check(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn refuses_what_json_is_not() {
        for text in [
            "",
            " ",
            "{",
            "[",
            "]",
            "[1,]",
            "[,1]",
            "[1 2]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{1:1}",
            "01",
            "-",
            "1.",
            ".5",
            "+1",
            "1e",
            "1e+",
            "0x10",
            "1_000",
            "NaN",
            "Infinity",
            "-Infinity",
            "nul",
            "truee",
            "'a'",
            "\"a",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\ud800\"",
            "\"\\ud800\\u0041\"",
            "\"\\udc00\"",
            "\"\n\"",
            "1 2",
            "{} {}",
            "[1] // x",
            "{\"a\":1 \"b\":2}",
            "\u{FEFF}{}",
            "[1}",
            "{\"a\":1]",
        ] {
            assert!(check(text).is_err(), "{text}");
        }
    }

    #[test]
    fn says_where() {
        assert_eq!(problem("{\"a\": [1, {\"b\": x}]}"), (16, "a[1].b".into(), "expected a value, found x".into()));
        assert_eq!(problem("[[1, 2], [3, 4,]]").1, "[1][2]");
        let (at, path, message) = problem("{\"a\": {\n\"b\": 1,\n");
        assert_eq!((at, path.as_str()), (16, "a"));
        assert!(message.contains("{ of line 1 is still open"), "{message}");
    }

    #[test]
    fn depth_is_limited() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(check(&nested(MAX_DEPTH)).is_ok());
        assert!(problem(&nested(MAX_DEPTH + 1)).2.contains("nested"));
        assert!(problem(&"[".repeat(1_000_000)).2.contains("nested"));
        assert!(problem(&"{\"a\":".repeat(1_000_000)).2.contains("nested"));
    }

    #[test]
    fn walks_over_values() {
        let text = " {\"one\" : [1, \"],}\\\"\", {\"x\": [[]]}, true] ,\"t\\u0077o\":-3e5}";
        let root = check(text).ok().unwrap();
        let fields: Vec<Field<'_>> = root.fields().collect();
        assert_eq!(fields.iter().map(|field| field.name.as_ref()).collect::<Vec<_>>(), ["one", "two"]);
        let elements: Vec<&str> = fields[0].value.elements().map(Value::source).collect();
        assert_eq!(elements, ["1", "\"],}\\\"\"", "{\"x\": [[]]}", "true"]);
        assert_eq!(fields[1].value.source(), "-3e5");
        assert_eq!(fields[0].value.elements().nth(1).unwrap().as_text().unwrap(), "],}\"");
        assert_eq!(path_at(text, fields[0].value.elements().nth(2).unwrap().at), "one[2]");
        assert_eq!(path_at(text, fields[1].value.at), "t\\u0077o");
        assert!(fields[1].value.elements().next().is_none() && fields[1].value.fields().next().is_none());
    }
}
