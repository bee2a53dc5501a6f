//! Which name was probably meant by one that is not there.

/// The one of `names`, which are in lower case, that was probably meant: one that has what was typed in it, or can be
/// made of it by changing few letters.
pub fn closest<'n>(typed: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    // Names are short: what is longer than this resembles none of them, and need not be compared.
    const LONGEST: usize = 40;
    let wanted: Vec<char> = typed.to_lowercase().replace(['-', ' '], "_").chars().take(LONGEST).collect();
    let text: String = wanted.iter().collect();
    let scored = names.map(|name| {
        let is_part = wanted.len() >= 3 && name.contains(&text);
        (if is_part { 1 } else { edit_distance(&wanted, name) }, name)
    });
    let (distance, name) = scored.min_by_key(|&(distance, _)| distance)?;
    // As many changes as letters make anything of anything.
    (distance <= 1 + wanted.len() / 3 && distance < wanted.len()).then_some(name)
}

/// How many letters must be put in, taken out or replaced to make one word of the other.
fn edit_distance(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (i, letter) in b.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..a.len() {
            let replaced = diagonal + usize::from(a[j] != letter);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[a.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misspelt_names_find_theirs() {
        let names = ["velocity", "angular_velocity", "mass", "position", "locked.x"];
        let closest = |typed: &str| closest(typed, names.into_iter());
        assert_eq!(closest("velocty"), Some("velocity"));
        assert_eq!(closest("Mass"), Some("mass"));
        assert_eq!(closest("angular-velocity"), Some("angular_velocity"));
        assert_eq!(closest("angular velocity"), Some("angular_velocity"));
        assert_eq!(closest("pos"), Some("position"));
        assert_eq!(closest("q"), None);
        assert_eq!(closest(""), None);
        assert_eq!(closest(&"a".repeat(1_000_000)), None);
    }

    #[test]
    fn distances_between_words() {
        let distance = |a: &str, b| edit_distance(&a.chars().collect::<Vec<_>>(), b);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("same", "same"), 0);
    }
}
