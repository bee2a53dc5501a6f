//! The list of all scenes, and finding one by name.

use crate::scene::Scene;
use crate::{basics, benchmark, friction, impact, joints, p2, stacks};
use std::fmt;

static ALL: [Scene; 42] = [
    basics::falling_bricks::SCENE,
    basics::tile_seams::SCENE,
    stacks::stack::SCENE,
    stacks::rubber_stack::SCENE,
    stacks::pyramid::SCENE,
    stacks::dominoes::SCENE,
    stacks::heavy_on_light::SCENE,
    stacks::card_house::SCENE,
    stacks::arch::SCENE,
    friction::incline::SCENE,
    friction::conveyor::SCENE,
    impact::bouncing_balls::SCENE,
    impact::elastic_gas::SCENE,
    joints::bridge::SCENE,
    joints::newtons_cradle::SCENE,
    joints::double_pendulum::SCENE,
    joints::chain_and_bob::SCENE,
    joints::ragdolls::SCENE,
    joints::car::SCENE,
    joints::windmill::SCENE,
    joints::pinball::SCENE,
    joints::pulley_and_gears::SCENE,
    joints::slider_crank::SCENE,
    joints::footbridge::SCENE,
    benchmark::compounds::SCENE,
    benchmark::joint_grid::SCENE,
    benchmark::junkyard::SCENE,
    benchmark::large_pyramid::SCENE,
    benchmark::many_pyramids::SCENE,
    benchmark::rain::SCENE,
    benchmark::smash::SCENE,
    benchmark::tumbler::SCENE,
    benchmark::washer::SCENE,
    p2::vectors::SCENE,
    p2::forces::SCENE,
    p2::aabbs::SCENE,
    p2::collisions::SCENE,
    p2::quadtree::SCENE,
    p2::pendulum::SCENE,
    p2::restitution::SCENE,
    p2::explosion::SCENE,
    p2::many_circles::SCENE,
];

/// Every built-in scene of rigid bodies, by group. [`entries`](crate::entries) has those of every kind.
pub fn all() -> &'static [Scene] {
    &ALL
}

/// The scene of rigid bodies of this name.
pub fn find(name: &str) -> Result<&'static Scene, UnknownScene> {
    all().iter().find(|scene| scene.name == name).ok_or_else(|| UnknownScene::new(name))
}

/// There is no scene of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownScene {
    /// What was asked for.
    pub name: String,
    /// The name that was probably meant.
    pub suggestion: Option<&'static str>,
}

impl UnknownScene {
    pub(crate) fn new(name: &str) -> UnknownScene {
        UnknownScene { name: name.to_owned(), suggestion: closest(name) }
    }
}

impl fmt::Display for UnknownScene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no scene {:?}", self.name)?;
        match self.suggestion {
            Some(name) => write!(f, "; did you mean {name:?}?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for UnknownScene {}

/// The scene name nearest to `name`, if one is near enough to be meant.
fn closest(name: &str) -> Option<&'static str> {
    // Names are short: what is longer than this resembles none of them, and need not be compared.
    const LONGEST: usize = 40;
    let wanted: Vec<char> = name.to_lowercase().replace(['-', ' '], "_").chars().take(LONGEST).collect();
    if wanted.is_empty() {
        return None;
    }
    let text: String = wanted.iter().collect();
    let scored = crate::run::entries().map(|entry| {
        let part = wanted.len() >= 3 && entry.name().contains(&text);
        (if part { 1 } else { edit_distance(&wanted, entry.name()) }, entry.name())
    });
    let (distance, name) = scored.min_by_key(|&(distance, _)| distance)?;
    (distance <= 1 + wanted.len() / 3).then_some(name)
}

/// How many letters must be put in, taken out or replaced to make one word of the other.
pub(crate) fn edit_distance(a: &[char], b: &str) -> usize {
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
    fn names_are_unique_and_well_formed() {
        for (i, scene) in all().iter().enumerate() {
            let letters = scene.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            assert!(letters && !scene.name.is_empty(), "{}", scene.name);
            assert!(all()[..i].iter().all(|other| other.name != scene.name), "{} is listed twice", scene.name);
            assert!(scene.summary.len() <= 100 && !scene.summary.contains('\n'), "{}", scene.name);
            assert_eq!(find(scene.name).unwrap().name, scene.name);
        }
    }

    #[test]
    fn a_misspelt_name_finds_its_scene() {
        let suggestion = |name| find(name).unwrap_err().suggestion;
        assert_eq!(suggestion("falling_brick"), Some("falling_bricks"));
        assert_eq!(suggestion("Falling-Bricks"), Some("falling_bricks"));
        assert_eq!(suggestion("wahser"), Some("washer"));
        assert_eq!(suggestion("explosion"), Some("p2_explosion"));
        assert_eq!(suggestion("xyzzy_plugh_nothing"), None);
        assert_eq!(suggestion(""), None);
        assert_eq!(suggestion(&"a".repeat(1_000_000)), None);
        assert_eq!(find("wahser").unwrap_err().to_string(), "there is no scene \"wahser\"; did you mean \"washer\"?");
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
