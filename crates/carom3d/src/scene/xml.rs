//! The elements of a scene as a tree. [`carom_core::text::xml`] reads them.

use carom_core::text::Problem;
use carom_core::text::xml::{self, Rules, Tag, Tokenizer};

/// Document types are refused, so there is nothing to expand but the five entities of XML and character numbers.
const RULES: Rules = Rules { max_depth: 32, max_attributes: 32, document_types: false, repeated_attributes: false };

/// Elements and attributes in all. An element takes some 70 bytes and an attribute 40, and the shortest of them have five
/// bytes of text: without a limit a file would take twenty times its length before anything in it is looked at.
pub(super) const MAX_ELEMENTS: usize = 200_000;
pub(super) const MAX_ATTRIBUTES_IN_ALL: usize = 600_000;

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
    let mut tokenizer = Tokenizer::new(text.as_bytes(), RULES);
    let mut token = xml::Element::default();
    // The elements that are open, outermost first.
    let mut open: Vec<Element<'_>> = Vec::new();
    let (mut elements, mut attributes) = (0, 0);
    loop {
        let Some(tag) = tokenizer.next(&mut token)? else {
            let message = "expected an element such as <scene>, found the end of the file";
            return Err(Problem::at(tokenizer.offset(), message));
        };
        if tag != Tag::End {
            elements += 1;
            attributes += token.attributes.len();
            check_counts(elements, attributes).map_err(|message| Problem::at(token.offset(), message))?;
        }
        let done = match tag {
            Tag::Start => {
                open.push(element(text, &token));
                continue;
            }
            Tag::Empty => Some(element(text, &token)),
            Tag::End => open.pop(),
        };
        match (done, open.last_mut()) {
            (Some(done), Some(parent)) => parent.children.push(done),
            (Some(root), None) => {
                return match tokenizer.next(&mut token)? {
                    None => Ok(root),
                    Some(_) => Err(Problem::at(
                        token.offset(),
                        "expected nothing after the end of the scene, found an element",
                    )),
                };
            }
            (None, _) => {}
        }
    }
}

fn check_counts(elements: usize, attributes: usize) -> Result<(), String> {
    if elements > MAX_ELEMENTS {
        return Err(format!("a scene may have up to {MAX_ELEMENTS} elements; this is one more"));
    }
    if attributes > MAX_ATTRIBUTES_IN_ALL {
        return Err(format!("a scene may have up to {MAX_ATTRIBUTES_IN_ALL} attributes; here are more"));
    }
    Ok(())
}

/// An element without what is inside.
fn element<'a>(text: &'a str, token: &xml::Element) -> Element<'a> {
    // Names and values begin and end beside ASCII characters.
    let part = |range: &std::ops::Range<usize>| text.get(range.clone()).unwrap_or_default();
    let attribute = |[name, value]: &[_; 2]| Attribute { name: part(name), value: part(value), offset: value.start };
    Element {
        name: part(&token.name),
        offset: token.offset(),
        attributes: token.attributes.iter().map(attribute).collect(),
        children: Vec::new(),
    }
}

/// A value as text, with the five entities of XML and character numbers replaced and all else as it stands.
pub(super) fn decode(value: &str) -> String {
    xml::decode(value.as_bytes())
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
        let many = |inside: &str, count: usize| format!("<a>{}</a>", inside.repeat(count));
        assert!(parse(&many("<b/>", MAX_ELEMENTS - 1)).is_ok() && parse(&many("<b/>", MAX_ELEMENTS)).is_err());
        let with_ten = MAX_ATTRIBUTES_IN_ALL / 10;
        let ten = "<b a='' b='' c='' d='' e='' f='' g='' h='' i='' j=''/>";
        assert!(parse(&many(ten, with_ten)).is_ok() && parse(&many(ten, with_ten + 1)).is_err());
    }
}
