//! A tokenizer for the XML that scenes are written in.
//!
//! Written by hand because the scenes are not quite XML: attributes may follow each other without white space
//! (`vx="0"vy="0"`), which the usual crates rightly refuse. It knows elements, attributes, comments, CDATA, processing
//! instructions and document types. The last four and all text are skipped. Entities are never defined and never
//! expanded, but for the five of XML itself and character numbers, each of which gives one character.
//!
//! It looks at every byte a fixed number of times and keeps nothing but the attributes of the element at hand.

use super::error::{Problem, shown};
use std::ops::Range;

/// Elements inside each other.
pub(super) const MAX_DEPTH: usize = 100;
/// Attributes of one element.
const MAX_ATTRIBUTES: usize = 256;

/// An element's start, with its attributes.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    pub(super) name: Range<usize>,
    /// Name and value of each attribute, in the order of the file.
    pub(super) attributes: Vec<[Range<usize>; 2]>,
    /// How many elements it is inside.
    pub(super) depth: usize,
}

/// Reads a text from one element to the next.
pub(super) struct Tokenizer<'a> {
    text: &'a [u8],
    at: usize,
    /// Names of the elements that are open.
    open: Vec<Range<usize>>,
}

impl<'a> Tokenizer<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        let at = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Tokenizer { text, at, open: Vec::new() }
    }

    /// Reads up to and including the next element's start. False at the end of the text.
    pub(super) fn next(&mut self, element: &mut Element) -> Result<bool, Problem> {
        loop {
            self.skip_text()?;
            if self.at == self.text.len() {
                return match self.open.last() {
                    None => Ok(false),
                    Some(name) => Err(self.unclosed(name.clone())),
                };
            }
            let rest = &self.text[self.at..];
            if rest.starts_with(b"<!--") {
                self.skip_past(4, b"-->", "a comment")?;
            } else if rest.starts_with(b"<![CDATA[") {
                self.skip_past(9, b"]]>", "a CDATA section")?;
            } else if rest.starts_with(b"<?") {
                self.skip_past(2, b"?>", "a processing instruction")?;
            } else if rest.starts_with(b"<!") {
                self.skip_declaration()?;
            } else if rest.starts_with(b"</") {
                self.close()?;
            } else {
                self.start(element)?;
                return Ok(true);
            }
        }
    }

    /// The bytes of a range.
    pub(super) fn bytes(&self, range: &Range<usize>) -> &'a [u8] {
        &self.text[range.clone()]
    }

    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(is_blank) {
            self.at += 1;
        }
    }

    /// Skips to the next `<`. Outside of all elements only white space may be skipped.
    fn skip_text(&mut self) -> Result<(), Problem> {
        self.skip_blanks();
        if self.open.is_empty() && self.peek().is_some_and(|byte| byte != b'<') {
            let found = shown(&self.text[self.at..]);
            return Err(Problem::at(self.at, format!("expected an element such as <scene>, found {found}")));
        }
        while self.peek().is_some_and(|byte| byte != b'<') {
            self.at += 1;
        }
        Ok(())
    }

    fn skip_past(&mut self, opening: usize, closing: &[u8], what: &str) -> Result<(), Problem> {
        let from = self.at + opening;
        match self.text[from..].windows(closing.len()).position(|window| window == closing) {
            Some(length) => {
                self.at = from + length + closing.len();
                Ok(())
            }
            None => {
                let closing = String::from_utf8_lossy(closing);
                Err(Problem::at(self.at, format!("{what} starts here and is never closed with {closing}")))
            }
        }
    }

    /// Skips a document type or the like, whose brackets may hold further declarations.
    fn skip_declaration(&mut self) -> Result<(), Problem> {
        let start = self.at;
        let mut brackets = 0usize;
        while let Some(byte) = self.peek() {
            self.at += 1;
            match byte {
                b'[' => brackets += 1,
                b']' => brackets = brackets.saturating_sub(1),
                b'>' if brackets == 0 => return Ok(()),
                _ => {}
            }
        }
        Err(Problem::at(start, "a declaration starts here and is never closed with >"))
    }

    fn close(&mut self) -> Result<(), Problem> {
        let start = self.at;
        self.at += 2;
        let name = self.name();
        self.skip_blanks();
        if self.peek() != Some(b'>') {
            return Err(self.expected("> after the name of a closing tag"));
        }
        self.at += 1;
        let shown_name = String::from_utf8_lossy(self.bytes(&name)).into_owned();
        match self.open.pop() {
            None => Err(Problem::at(start, format!("</{shown_name}> closes nothing"))),
            Some(open) if self.bytes(&open) != self.bytes(&name) => {
                let (line, open) = (self.line_of(open.start), String::from_utf8_lossy(self.bytes(&open)).into_owned());
                Err(Problem::at(
                    start,
                    format!("expected </{open}> for the <{open}> of line {line}, found </{shown_name}>"),
                ))
            }
            Some(_) => Ok(()),
        }
    }

    fn start(&mut self, element: &mut Element) -> Result<(), Problem> {
        let start = self.at;
        self.at += 1;
        element.attributes.clear();
        element.depth = self.open.len();
        element.name = self.name();
        if element.name.is_empty() {
            return Err(self.expected("the name of an element after <"));
        }
        let name = String::from_utf8_lossy(self.bytes(&element.name)).into_owned();
        self.attributes(element).map_err(|problem| problem.in_element(&name))?;
        match (self.peek(), self.text.get(self.at + 1)) {
            (Some(b'>'), _) => {
                self.at += 1;
                if self.open.len() == MAX_DEPTH {
                    let message = format!("elements are nested more than {MAX_DEPTH} deep");
                    return Err(Problem::at(start, message).in_element(&name));
                }
                self.open.push(element.name.clone());
                Ok(())
            }
            (Some(b'/'), Some(b'>')) => {
                self.at += 2;
                Ok(())
            }
            _ => Err(self.expected("an attribute, > or />").in_element(&name)),
        }
    }

    fn attributes(&mut self, element: &mut Element) -> Result<(), Problem> {
        loop {
            self.skip_blanks();
            let name = self.name();
            if name.is_empty() {
                return Ok(());
            }
            if element.attributes.len() == MAX_ATTRIBUTES {
                return Err(Problem::at(name.start, format!("more than {MAX_ATTRIBUTES} attributes")));
            }
            let shown_name = shown(self.bytes(&name)).trim_matches('"').to_owned();
            self.skip_blanks();
            if self.peek() != Some(b'=') {
                return Err(self.expected("= after the name of an attribute").in_attribute(&shown_name));
            }
            self.at += 1;
            self.skip_blanks();
            let Some(quote @ (b'"' | b'\'')) = self.peek() else {
                return Err(self.expected("a quoted value, as in m=\"1\"").in_attribute(&shown_name));
            };
            let start = self.at + 1;
            let Some(length) = self.text[start..].iter().position(|&byte| byte == quote) else {
                let message = "the value starts here and is never closed with a quote";
                return Err(Problem::at(self.at, message).in_attribute(&shown_name));
            };
            self.at = start + length + 1;
            element.attributes.push([name, start..start + length]);
        }
    }

    fn name(&mut self) -> Range<usize> {
        let start = self.at;
        while self.peek().is_some_and(is_name) {
            self.at += 1;
        }
        start..self.at
    }

    fn expected(&self, what: &str) -> Problem {
        match self.peek() {
            Some(_) => {
                let line = self.text[self.at..].split(|&byte| byte == b'\n').next().unwrap_or_default();
                Problem::at(self.at, format!("expected {what}, found {}", shown(line)))
            }
            None => Problem::at(self.at, format!("expected {what}, found the end of the file")),
        }
    }

    fn unclosed(&self, name: Range<usize>) -> Problem {
        let (line, name) = (self.line_of(name.start), String::from_utf8_lossy(self.bytes(&name)).into_owned());
        let message = format!("the file ends before </{name}>, for the <{name}> of line {line}");
        Problem::at(self.at, message).in_element(&name)
    }

    fn line_of(&self, offset: usize) -> usize {
        self.text[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1
    }
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

fn is_name(byte: u8) -> bool {
    !is_blank(byte) && !matches!(byte, 0 | b'/' | b'<' | b'>' | b'=' | b'?' | b'!' | b'"' | b'\'')
}

/// A value as text, with the five entities of XML and character numbers replaced and all else as it stands.
pub(super) fn text(value: &[u8]) -> String {
    let value = String::from_utf8_lossy(value);
    let mut out = String::with_capacity(value.len());
    let mut rest = &*value;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        rest = &rest[start..];
        match entity(rest) {
            Some((c, length)) => {
                out.push(c);
                rest = &rest[length..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

/// The character that `&...;` stands for, and how long that was.
fn entity(text: &str) -> Option<(char, usize)> {
    const LONGEST: usize = 12;
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = text.get(1..end)?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((c, end + 1))
}
