//! The list of all scenes, and finding one by name.

use crate::closest::closest;
use crate::run::entries;
use crate::scene::{Group, Scene};
use crate::{basics, benchmark, coursework, fluids, friction, impact, joints, shapes, soft, stacks};
use std::fmt;

static ALL: [Scene; 61] = [
    basics::falling_bricks::SCENE,
    basics::tile_seams::SCENE,
    basics::one_way_platforms::SCENE,
    shapes::concave_letters::SCENE,
    shapes::ellipses::SCENE,
    shapes::chain_hills::SCENE,
    shapes::teapot::SCENE,
    stacks::stack::SCENE,
    stacks::rubber_stack::SCENE,
    stacks::pyramid::SCENE,
    stacks::dominoes::SCENE,
    stacks::domino_shelves::SCENE,
    stacks::heavy_on_light::SCENE,
    stacks::card_house::SCENE,
    stacks::arch::SCENE,
    friction::incline::SCENE,
    friction::conveyor::SCENE,
    friction::belts::SCENE,
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
    fluids::boats::SCENE,
    fluids::dam_break::SCENE,
    fluids::floating_bodies::SCENE,
    fluids::particle_pool::SCENE,
    fluids::terminal_speed::SCENE,
    soft::jelly_bodies::SCENE,
    benchmark::compounds::SCENE,
    benchmark::joint_grid::SCENE,
    benchmark::junkyard::SCENE,
    benchmark::large_pyramid::SCENE,
    benchmark::many_pyramids::SCENE,
    benchmark::rain::SCENE,
    benchmark::smash::SCENE,
    benchmark::spinner::SCENE,
    benchmark::tumbler::SCENE,
    benchmark::washer::SCENE,
    coursework::vectors::SCENE,
    coursework::forces::SCENE,
    coursework::aabbs::SCENE,
    coursework::collisions::SCENE,
    coursework::quadtree::SCENE,
    coursework::pendulum::SCENE,
    coursework::restitution::SCENE,
    coursework::explosion::SCENE,
    coursework::many_circles::SCENE,
    coursework::many_rectangles::SCENE,
    coursework::bounces::SCENE,
    coursework::rays::SCENE,
    coursework::planets::SCENE,
    coursework::planets::LARGE_SCENE,
];

/// Every built-in scene of rigid bodies, by group. [`entries`](crate::entries) has those of every kind.
pub fn all() -> &'static [Scene] {
    &ALL
}

/// The scene of rigid bodies of this name, or of this former name.
pub fn find(name: &str) -> Result<&'static Scene, UnknownScene> {
    all().iter().find(|scene| scene.is_called(name)).ok_or_else(|| UnknownScene::new(name))
}

/// What names of scenes of the coursework began with once.
const FORMER_PREFIX: &str = "p2_";

impl Scene {
    /// Is this its name, or the one that it had once? Scripts and recordings may still use that.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        let is_former = |former: &str| match self.name {
            "ten_thousand_planets" => former == "ten_thousand",
            own => former == own,
        };
        name == self.name || self.group == Group::Coursework && name.strip_prefix(FORMER_PREFIX).is_some_and(is_former)
    }
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
        UnknownScene { name: name.to_owned(), suggestion: closest(name, entries().map(|entry| entry.name())) }
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
    fn former_names_still_find_their_scenes() {
        for scene in all().iter().filter(|scene| scene.group == Group::Coursework) {
            let former = format!("p2_{}", scene.name.trim_end_matches("_planets"));
            assert_eq!(find(&former).map(|found| found.name), Ok(scene.name));
        }
        assert!(find("p2_pyramid").is_err() && find("ten_thousand").is_err());
    }

    #[test]
    fn a_misspelt_name_finds_its_scene() {
        let suggestion = |name| find(name).unwrap_err().suggestion;
        assert_eq!(suggestion("falling_brick"), Some("falling_bricks"));
        assert_eq!(suggestion("Falling-Bricks"), Some("falling_bricks"));
        assert_eq!(suggestion("wahser"), Some("washer"));
        assert_eq!(suggestion("explosions"), Some("explosion"));
        assert_eq!(suggestion("xyzzy_plugh_nothing"), None);
        assert_eq!(suggestion(""), None);
        assert_eq!(suggestion(&"a".repeat(1_000_000)), None);
        assert_eq!(find("wahser").unwrap_err().to_string(), "there is no scene \"wahser\"; did you mean \"washer\"?");
    }
}
