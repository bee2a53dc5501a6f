//! The part of XML that scenes are written in: elements, attributes, comments and text, which is skipped.
//!
//! Document types are refused, so there is nothing to expand but the five entities of XML and character numbers, and
//! nothing outside the file is ever looked at. The tree is built in one pass with a stack of its own: no nesting can
//! exhaust the machine's.

use super::error::{Problem, shown};

/// Elements inside each other.
const MAX_DEPTH: usize = 32;
/// Attributes of one element.
const MAX_ATTRIBUTES: usize = 32;

/// An element with all that is in it.
#[derive(Debug, Default)]
pub(super) struct Element<'a> {
    pub(super) name: &'a str,
    /// Where its `<` is.
    pub(super) offset: usize,
    pub(super) attributes: Vec<Attribute<'a>>,
    pub(super) children: Vec<Element<'a>>,
}

#[derive(Debug)]
pub(super) struct Attribute<'a> {
    pub(super) name: &'a str,
    /// As it stands in the file.
    pub(super) value: &'a str,
    /// Where its value is.
    pub(super) offset: usize,
}

/// Reads a text that consists of one element.
pub(super) fn parse(text: &str) -> Result<Element<'_>, Problem> {
    let mut reader = Reader { text, at: 0 };
    reader.skip("\u{feff}");
    // The elements that are open, outermost first.
    let mut open: Vec<Element<'_>> = Vec::new();
    loop {
        reader.skip_to_markup(open.is_empty())?;
        let done = if reader.rest().is_empty() {
            return Err(match open.last() {
                Some(element) => {
                    Problem::at(reader.at, "the file ends before this element does").in_element(element.name)
                }
                None => Problem::at(reader.at, "expected an element such as <scene>, found the end of the file"),
            });
        } else if reader.rest().starts_with("</") {
            let element = reader.end_tag(open.pop())?;
            Some(element)
        } else {
            let (element, is_closed) = reader.start_tag(open.len())?;
            if is_closed {
                Some(element)
            } else {
                open.push(element);
                None
            }
        };
        if let Some(element) = done {
            match open.last_mut() {
                Some(parent) => parent.children.push(element),
                None => {
                    reader.expect_end()?;
                    return Ok(element);
                }
            }
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes past `token` if it is next.
    fn skip(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn skip_blanks(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    /// Goes to the next tag, past text, comments and instructions. Outside of all elements there may be no text.
    fn skip_to_markup(&mut self, is_outside: bool) -> Result<(), Problem> {
        loop {
            self.skip_blanks();
            if is_outside && !self.rest().is_empty() && !self.rest().starts_with('<') {
                return Err(self.expected("an element such as <scene>"));
            }
            self.at += self.rest().find('<').unwrap_or(self.rest().len());
            let start = self.at;
            let closing = if self.skip("<!--") {
                "-->"
            } else if self.skip("<?") {
                "?>"
            } else if self.skip("<![CDATA[") {
                "]]>"
            } else if self.rest().starts_with("<!") {
                return Err(Problem::at(start, "document types and other declarations are not supported"));
            } else {
                return Ok(());
            };
            match self.rest().find(closing) {
                Some(length) => self.at += length + closing.len(),
                None => return Err(Problem::at(start, format!("starts here and is never closed with {closing}"))),
            }
        }
    }

    fn name(&mut self) -> &'a str {
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
        let length = self.rest().find(|c| !is_name(c)).unwrap_or(self.rest().len());
        let name = &self.rest()[..length];
        self.at += length;
        name
    }

    fn end_tag(&mut self, open: Option<Element<'a>>) -> Result<Element<'a>, Problem> {
        let start = self.at;
        self.at += 2;
        let name = self.name();
        self.skip_blanks();
        if !self.skip(">") {
            return Err(self.expected("> after the name of a closing tag"));
        }
        match open {
            Some(element) if element.name == name => Ok(element),
            Some(element) => {
                let (found, wanted) = (shown(name), element.name);
                Err(Problem::at(start, format!("expected </{wanted}>, found the end of {found}")).in_element(wanted))
            }
            None => Err(Problem::at(start, format!("the end of {} closes nothing", shown(name)))),
        }
    }

    /// An element without what is inside, and whether it is closed at once.
    fn start_tag(&mut self, depth: usize) -> Result<(Element<'a>, bool), Problem> {
        let offset = self.at;
        self.at += 1;
        let mut element = Element { name: self.name(), offset, ..Element::default() };
        if element.name.is_empty() {
            return Err(self.expected("the name of an element after <"));
        }
        if depth == MAX_DEPTH {
            let message = format!("elements are nested more than {MAX_DEPTH} deep");
            return Err(Problem::at(offset, message).in_element(element.name));
        }
        loop {
            self.skip_blanks();
            if self.skip("/>") {
                return Ok((element, true));
            }
            if self.skip(">") {
                return Ok((element, false));
            }
            let attribute = self.attribute().map_err(|problem| problem.in_element(element.name))?;
            let is_double = element.attributes.iter().any(|other| other.name == attribute.name);
            if is_double || element.attributes.len() == MAX_ATTRIBUTES {
                let message = if is_double { "given twice" } else { "too many attributes" };
                let problem = Problem::at(attribute.offset, message);
                return Err(problem.in_attribute(attribute.name).in_element(element.name));
            }
            element.attributes.push(attribute);
        }
    }

    fn attribute(&mut self) -> Result<Attribute<'a>, Problem> {
        let name = self.name();
        if name.is_empty() {
            return Err(self.expected("an attribute, > or />"));
        }
        self.skip_blanks();
        if !self.skip("=") {
            return Err(self.expected("= after the name of an attribute").in_attribute(name));
        }
        self.skip_blanks();
        let quote = if self.skip("\"") {
            '"'
        } else if self.skip("'") {
            '\''
        } else {
            return Err(self.expected("a quoted value").in_attribute(name));
        };
        let offset = self.at;
        let Some(length) = self.rest().find(quote) else {
            return Err(Problem::at(offset, "starts here and is never closed with a quote").in_attribute(name));
        };
        let value = &self.rest()[..length];
        self.at += length + 1;
        Ok(Attribute { name, value, offset })
    }

    /// After the root there may be nothing but comments.
    fn expect_end(&mut self) -> Result<(), Problem> {
        self.skip_to_markup(true)?;
        if self.rest().is_empty() { Ok(()) } else { Err(self.expected("nothing after the end of the scene")) }
    }

    fn expected(&self, what: &str) -> Problem {
        let found = match self.rest() {
            "" => "the end of the file".to_owned(),
            rest => shown(rest),
        };
        Problem::at(self.at, format!("expected {what}, found {found}"))
    }
}

/// A value as text, with the five entities of XML and character numbers replaced and all else as it stands.
pub(super) fn decode(value: &str) -> String {
    let mut parts = value.split('&');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(';').and_then(|(name, rest)| Some((entity(name)?, rest))) {
            Some((c, rest)) => {
                out.push(c);
                out.push_str(rest);
            }
            None => {
                out.push('&');
                out.push_str(part);
            }
        }
    }
    out
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_with_comments_text_and_both_quotes() {
        let root = parse("\n<?xml version='1.0'?>\n<a b='1' c=\"2\">text<!-- <x> --><d/>\n<e>]]</e></a>\n<!-- end -->")
            .unwrap();
        assert_eq!((root.name, root.attributes.len()), ("a", 2));
        assert_eq!((root.attributes[1].name, root.attributes[1].value), ("c", "2"));
        let names: Vec<&str> = root.children.iter().map(|child| child.name).collect();
        assert_eq!(names, ["d", "e"]);
    }

    #[test]
    fn what_is_not_a_tree_is_refused() {
        for text in [
            "",
            "   ",
            "text",
            "<",
            "<a",
            "<a>",
            "<a></b>",
            "</a>",
            "<a/><b/>",
            "<a/>text",
            "<a b></a>",
            "<a b=1/>",
            "<a b='1/>",
            "<a b='1' b='2'/>",
            "<!-- a",
            "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
            "<a><![CDATA[</a>",
            "< a/>",
        ] {
            assert!(parse(text).is_err(), "{text:?}");
        }
        let deep = "<a>".repeat(100_000);
        assert!(parse(&deep).is_err());
    }

    #[test]
    fn entities_are_characters() {
        assert_eq!(decode("a&amp;b&#65;&#x42;&lt;&quot;&nbsp;& &#xFFFFFFFF;"), "a&bAB<\"&nbsp;& &#xFFFFFFFF;");
    }
}
