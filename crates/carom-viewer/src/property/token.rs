//! Splitting what a person typed into words, numbers and points.

/// A piece of what was typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A word or a number.
    Item(&'a str),
    /// Two numbers in parentheses.
    Pair(&'a str, &'a str),
}

impl<'a> Token<'a> {
    /// Whether numbers, and nothing else, are in it. `inf` and `nan` count as numbers here.
    pub(super) fn is_numeric(self) -> bool {
        let numeric = |text: &str| text.parse::<f64>().is_ok();
        match self {
            Token::Item(text) => numeric(text),
            Token::Pair(x, y) => numeric(x) && numeric(y),
        }
    }

    fn parts(self) -> impl Iterator<Item = &'a str> {
        match self {
            Token::Item(text) => [Some(text), None],
            Token::Pair(x, y) => [Some(x), Some(y)],
        }
        .into_iter()
        .flatten()
    }
}

/// The tokens of a text, which spaces or single commas separate. `None` where a comma or a parenthesis stands
/// alone, or where parentheses hold anything but two items.
pub(super) fn tokens(text: &str) -> Option<Vec<Token<'_>>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let token;
        (token, rest) = match rest.strip_prefix('(') {
            Some(inside) => {
                let (inside, after) = inside.split_once(')')?;
                (pair(inside)?, after)
            }
            None => {
                let end = rest.find(|c: char| c.is_whitespace() || ",()".contains(c)).unwrap_or(rest.len());
                (Token::Item(&rest[..end]), &rest[end..])
            }
        };
        if token == Token::Item("") {
            return None;
        }
        found.push(token);
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix(',') {
            rest = after.trim_start();
            if rest.is_empty() {
                return None;
            }
        }
    }
    Some(found)
}

/// What is between two parentheses.
fn pair(inside: &str) -> Option<Token<'_>> {
    let inside = inside.trim();
    let end = inside.find(|c: char| c.is_whitespace() || c == ',')?;
    let (x, rest) = inside.split_at(end);
    let rest = rest.trim_start();
    let y = rest.strip_prefix(',').unwrap_or(rest).trim();
    let whole = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || ",(".contains(c));
    (whole(x) && whole(y)).then_some(Token::Pair(x, y))
}

/// The items of some tokens without their parentheses.
pub(super) fn flatten<'a>(tokens: &[Token<'a>]) -> Vec<&'a str> {
    tokens.iter().flat_map(|token| token.parts()).collect()
}

#[cfg(test)]
mod tests {
    use super::Token::{Item, Pair};
    use super::*;

    #[test]
    fn commas_spaces_and_parentheses() {
        assert_eq!(tokens("1,2"), Some(vec![Item("1"), Item("2")]));
        assert_eq!(tokens("  1 , 2 "), Some(vec![Item("1"), Item("2")]));
        assert_eq!(tokens("(1,2)(3 4)"), Some(vec![Pair("1", "2"), Pair("3", "4")]));
        assert_eq!(tokens("( -1 , 2e3 ), x"), Some(vec![Pair("-1", "2e3"), Item("x")]));
        assert_eq!(tokens("circle 0.5 at(1,2)"), Some(vec![Item("circle"), Item("0.5"), Item("at"), Pair("1", "2")]));
        assert_eq!(tokens(""), Some(vec![]));
        for bad in ["1,,2", ",1", "1,", "(1,2", "1,2)", "(1)", "(1,2,3)", "()", "(,)", "((1,2))", "(1,)", ","] {
            assert_eq!(tokens(bad), None, "{bad}");
        }
    }
}
