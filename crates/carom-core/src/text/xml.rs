//! A tokenizer for the XML that scenes are written in.
//!
//! Written by hand because the scenes are not quite XML: attributes may follow each other without white space
//! (`vx="0"vy="0"`), which the usual crates rightly refuse. It knows elements, attributes, comments, CDATA, processing
//! instructions and document types. All but elements and attributes are skipped, as is text. Entities are never defined and
//! never expanded, but for the five of XML itself and character numbers, each of which gives one character; nothing
//! outside the text is ever looked at.
//!
//! It looks at every byte a fixed number of times and keeps nothing but the attributes of the element at hand and the
//! names of those around it, in a stack of its own: no nesting can exhaust the machine's.

use super::{Problem, shown};
use std::ops::Range;

/// What a format allows.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// Elements inside each other.
    pub max_depth: usize,
    /// Attributes of one element.
    pub max_attributes: usize,
    /// Document types are skipped; otherwise they are refused.
    pub document_types: bool,
    /// Several attributes of one element may have the same name.
    pub repeated_attributes: bool,
}

/// What was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tag {
    /// An element starts.
    Start,
    /// An element that starts and ends at once.
    Empty,
    /// An element ends.
    End,
}

/// An element's start, with its attributes.
#[derive(Clone, Debug, Default)]
pub struct Element {
    /// Of the element.
    pub name: Range<usize>,
    /// Name and value of each attribute, in the order of the file.
    pub attributes: Vec<[Range<usize>; 2]>,
    /// How many elements it is inside.
    pub depth: usize,
}

impl Element {
    /// Where its `<` is.
    pub fn offset(&self) -> usize {
        self.name.start.saturating_sub(1)
    }
}

/// Reads a text from one tag to the next.
#[derive(Debug)]
pub struct Tokenizer<'a> {
    text: &'a [u8],
    rules: Rules,
    at: usize,
    /// Names of the elements that are open.
    open: Vec<Range<usize>>,
}

impl<'a> Tokenizer<'a> {
    /// Starts at the beginning of a text.
    pub fn new(text: &'a [u8], rules: Rules) -> Self {
        let at = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        Tokenizer { text, rules, at, open: Vec::new() }
    }

    /// Reads up to and including the next tag; none at the end of the text. Where it starts an element, `element` has it.
    pub fn next(&mut self, element: &mut Element) -> Result<Option<Tag>, Problem> {
        loop {
            self.skip_text()?;
            if self.at == self.text.len() {
                return match self.open.last() {
                    None => Ok(None),
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
                return self.close().map(|()| Some(Tag::End));
            } else {
                return self.start(element).map(Some);
            }
        }
    }

    /// The bytes of a range.
    pub fn bytes(&self, range: &Range<usize>) -> &'a [u8] {
        &self.text[range.clone()]
    }

    /// How far it has come.
    pub fn offset(&self) -> usize {
        self.at
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
        if !self.rules.document_types {
            return Err(Problem::at(start, "document types and other declarations are not supported"));
        }
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

    fn start(&mut self, element: &mut Element) -> Result<Tag, Problem> {
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
                if self.open.len() == self.rules.max_depth {
                    let message = format!("elements are nested more than {} deep", self.rules.max_depth);
                    return Err(Problem::at(start, message).in_element(&name));
                }
                self.open.push(element.name.clone());
                Ok(Tag::Start)
            }
            (Some(b'/'), Some(b'>')) => {
                self.at += 2;
                Ok(Tag::Empty)
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
            if element.attributes.len() == self.rules.max_attributes {
                return Err(Problem::at(name.start, format!("more than {} attributes", self.rules.max_attributes)));
            }
            let shown_name = shown(self.bytes(&name)).trim_matches('"').to_owned();
            let is_repeated = || element.attributes.iter().any(|[other, _]| self.bytes(other) == self.bytes(&name));
            if !self.rules.repeated_attributes && is_repeated() {
                return Err(Problem::at(name.start, "given twice").in_attribute(&shown_name));
            }
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
pub fn decode(value: &[u8]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: Rules = Rules { max_depth: 4, max_attributes: 3, document_types: false, repeated_attributes: false };
    const LENIENT: Rules = Rules { max_depth: 4, max_attributes: 3, document_types: true, repeated_attributes: true };

    /// Tags and names of elements as they come.
    fn tags(text: &str, rules: Rules) -> Result<String, String> {
        let mut tokenizer = Tokenizer::new(text.as_bytes(), rules);
        let (mut element, mut out) = (Element::default(), String::new());
        while let Some(tag) = tokenizer.next(&mut element).map_err(|problem| problem.locate("x", b"").message)? {
            let name = String::from_utf8_lossy(tokenizer.bytes(&element.name)).into_owned();
            out += &match tag {
                Tag::Start => format!("<{name} {} {}>", element.depth, element.attributes.len()),
                Tag::Empty => format!("<{name} {} {}/>", element.depth, element.attributes.len()),
                Tag::End => "</>".to_owned(),
            };
        }
        Ok(out)
    }

    #[test]
    fn elements_come_in_order_and_all_else_is_skipped() {
        let text = "\u{feff}<?xml version='1.0'?>\n<a b='1'c=\"2\">text<!-- <x> --><d/><![CDATA[</a>]]>\n<e>]]</e></a>\n<!-- end -->";
        assert_eq!(tags(text, STRICT).unwrap(), "<a 0 2><d 1 0/><e 1 0></></>");
    }

    #[test]
    fn rules_are_kept() {
        let doctype = "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a/>";
        assert_eq!(tags(doctype, LENIENT).unwrap(), "<a 0 0/>");
        assert!(tags(doctype, STRICT).unwrap_err().contains("document types"));
        assert_eq!(tags("<a b='1' b='2'/>", LENIENT).unwrap(), "<a 0 2/>");
        assert!(tags("<a b='1' b='2'/>", STRICT).unwrap_err().contains("given twice"));
        assert!(tags("<a b='' c='' d='' e=''/>", LENIENT).unwrap_err().contains("more than 3"));
        assert!(tags(&"<a>".repeat(100_000), LENIENT).unwrap_err().contains("more than 4 deep"));
    }

    #[test]
    fn entities_are_characters() {
        assert_eq!(decode(b"a&amp;b&#65;&#x42;&lt;&quot;&nbsp;& &#xFFFFFFFF;"), "a&bAB<\"&nbsp;& &#xFFFFFFFF;");
    }
}
