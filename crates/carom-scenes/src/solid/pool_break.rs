//! The break: a ball hits fifteen others on a table with six pockets, and the game that follows.

use super::builder::Builder;
use super::{SolidRun, SolidScene};
use crate::color::Color;
use crate::script::{Unmet, require};
use carom_core::math::min64;
use carom3d::math::{DVec3, Quat, dvec3};
use carom3d::{BodyDef, BodyId, Material, Scene, WorldDef};

pub(super) const SCENE: SolidScene = SolidScene {
    name: "pool_break",
    summary: "the white ball breaks a rack of fifteen; in the viewer aim, strike and pot them",
    seconds: 12.0,
    make,
    check,
};

const RADIUS: f64 = 0.0285;
/// Half the length and half the width of the table.
const TABLE: [f64; 2] = [1.27, 0.635];
/// Height of the cushions.
const CUSHION: f64 = 0.05;
/// Width of the rail on top of them, and of the rim around it.
const RAIL: f64 = 0.06;
const RIM: f64 = 0.045;
/// How much of each side a corner pocket takes, and half the width of a side pocket.
const CORNER: f64 = 0.088;
const SIDE: f64 = 0.066;
/// Where balls that were potted lie.
const TRAY: f64 = -0.12;
/// A ball whose centre is lower than this is potted.
const POTTED: f64 = -0.01;
/// `E / (1 - nu^2)` of phenolic resin, in Pa.
const RESIN: f64 = 6.6e9;
/// Where the white ball and the first of the rack stand.
const HEAD_SPOT: f64 = -0.75;
const FOOT_SPOT: f64 = 0.55;
/// Gaps in the rack as a share of a ball: a rack is never perfect.
const GAP: f64 = 0.001;

fn make() -> Scene {
    let def = WorldDef { contact_modulus: RESIN, ..WorldDef::default() };
    let mut builder = Builder::new(def, 600.0, dvec3(-2.1, 1.85, 2.0), dvec3(-0.08, -0.12, 0.0));
    table(&mut builder);
    let ball = Material { friction: 0.06, restitution: 0.95, rolling_resistance: 0.0 };
    let at = |position: DVec3| BodyDef { position, mass: 0.17, material: ball, ..BodyDef::sphere(RADIUS) };
    let white = builder.surface(Color { r: 244, g: 241, b: 232 }, 0.8);
    let places = rack();
    builder.ball(BodyDef { velocity: dvec3(7.0, 0.0, 0.045), ..at(places[0]) }, white);
    let black = Color { r: 34, g: 34, b: 38 };
    for (i, &place) in places[1..].iter().enumerate() {
        // The fifth is the middle one of the third row.
        let color = if i == 4 { black } else { Color::nth(i) };
        let surface = builder.surface(color, 0.8);
        builder.ball(at(place), surface);
    }
    builder.scene()
}

/// Where the white ball and then the others stand before the break: rows of a triangle, a hair apart.
fn rack() -> Vec<DVec3> {
    let (along, across) = (3.0_f64.sqrt() * RADIUS * (1.0 + GAP), 2.0 * RADIUS * (1.0 + GAP));
    let mut places = vec![dvec3(HEAD_SPOT, RADIUS, 0.0)];
    for row in 0..5 {
        let x = FOOT_SPOT + f64::from(row) * along;
        places.extend((0..=row).map(|i| dvec3(x, RADIUS, (f64::from(i) - 0.5 * f64::from(row)) * across)));
    }
    places
}

// ---- the table ----------------------------------------------------------------------------------

fn table(builder: &mut Builder) {
    let cloth = builder.surface(Color { r: 38, g: 120, b: 84 }, 0.0);
    let wood = builder.surface(Color { r: 124, g: 78, b: 46 }, 0.1);
    let dark = builder.surface(Color { r: 46, g: 42, b: 40 }, 0.0);
    let felt = Material { friction: 0.2, restitution: 0.5, rolling_resistance: 0.01 };
    let rubber = Material { friction: 0.14, restitution: 0.85, rolling_resistance: 0.0 };
    let leather = Material { friction: 0.3, restitution: 0.3, rolling_resistance: 0.05 };
    bed(builder, felt, cloth);
    for [a, b] in cushions() {
        cushion(builder, [a, b], rubber, wood);
    }
    tray(builder, leather, [dark, wood]);
}

/// The cloth: a rectangle without its corners, where the pockets are.
fn bed(builder: &mut Builder, felt: Material, cloth: usize) {
    let [x, z] = TABLE;
    let quarter = [[x, z - CORNER], [x - CORNER, z]];
    // Counter-clockwise seen from above, which is clockwise by x and z.
    let mut corners = Vec::new();
    for (signs, reversed) in [([1.0, 1.0], true), ([1.0, -1.0], false), ([-1.0, -1.0], true), ([-1.0, 1.0], false)] {
        let mut pair = quarter.map(|[x, z]| dvec3(signs[0] * x, 0.0, signs[1] * z));
        if reversed {
            pair.reverse();
        }
        corners.extend(pair);
    }
    for i in 1..corners.len() - 1 {
        builder.triangle([corners[0], corners[i], corners[i + 1]], felt, cloth);
    }
}

/// From where to where cushions go, each from left to right as seen from the middle of the table.
fn cushions() -> [[DVec3; 2]; 6] {
    let [x, z] = TABLE;
    let at = |x: f64, z: f64| dvec3(x, 0.0, z);
    [
        [at(-x + CORNER, -z), at(-SIDE, -z)],
        [at(SIDE, -z), at(x - CORNER, -z)],
        [at(x, -z + CORNER), at(x, z - CORNER)],
        [at(x - CORNER, z), at(SIDE, z)],
        [at(-SIDE, z), at(-x + CORNER, z)],
        [at(-x, z - CORNER), at(-x, -z + CORNER)],
    ]
}

/// A wall along the table with the rail on top of it, and its two ends, the jaws of the pockets.
fn cushion(builder: &mut Builder, [a, b]: [DVec3; 2], rubber: Material, wood: usize) {
    let up = CUSHION * DVec3::Y;
    let along = b - a;
    let out = along.cross(DVec3::Y) * (-RAIL / along.length());
    builder.wall([a, b, b + up, a + up], rubber, wood);
    builder.wall([a + up, b + up, b + up + out, a + up + out], rubber, wood);
    builder.wall([a + out, a, a + up, a + up + out], rubber, wood);
    builder.wall([b, b + out, b + up + out, b + up], rubber, wood);
}

/// What is under the pockets and around everything.
fn tray(builder: &mut Builder, leather: Material, [dark, wood]: [usize; 2]) {
    let corners = |grow: f64, y: f64| {
        let [x, z] = TABLE.map(|side| side + grow);
        [dvec3(-x, y, -z), dvec3(x, y, -z), dvec3(x, y, z), dvec3(-x, y, z)]
    };
    let [low, high, rim] = [corners(RAIL, TRAY), corners(RAIL, CUSHION), corners(RAIL + RIM, CUSHION)];
    let [a, b, c, d] = low;
    builder.wall([a, d, c, b], leather, dark);
    for i in 0..4 {
        let next = (i + 1) % 4;
        builder.wall([low[i], low[next], high[next], high[i]], leather, dark);
        builder.wall([high[i], high[next], rim[next], rim[i]], leather, wood);
    }
}

// ---- the game -----------------------------------------------------------------------------------

/// The game of pool in a run of `pool_break`: who is who, and what may be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolGame {
    /// The white ball.
    pub cue_ball: BodyId,
}

impl PoolGame {
    /// The fastest that a person strikes, in m/s.
    pub const FASTEST: f64 = 10.0;

    /// The game, if this is one.
    pub fn of(run: &SolidRun) -> Option<PoolGame> {
        let is_pool = run.built_in().is_some_and(|scene| scene.name == SCENE.name);
        let cue_ball = run.scene.bodies().next().filter(|_| is_pool)?;
        Some(PoolGame { cue_ball })
    }

    /// How many of the fifteen are in pockets, or have left the table.
    pub fn potted(self, scene: &Scene) -> usize {
        scene.bodies().filter(|&ball| ball != self.cue_ball && is_potted(scene, ball)).count()
    }

    /// Is the white ball in a pocket?
    pub fn is_cue_ball_potted(self, scene: &Scene) -> bool {
        is_potted(scene, self.cue_ball)
    }

    /// Does everything on the table lie still?
    pub fn is_at_rest(self, scene: &Scene) -> bool {
        /// Slower than this, in m/s, a ball on cloth stops at once.
        const SLOW: f64 = 5.0e-3;
        let is_still = |&ball: &BodyId| {
            scene.world.get_body(ball).is_none_or(|ball| !ball.is_awake() || ball.velocity().length() < SLOW)
        };
        scene.bodies().filter(|&ball| !is_potted(scene, ball)).all(|ball| is_still(&ball))
    }

    /// Strikes the white ball through its centre, level, in a direction of which x and z count. A ball that was potted is
    /// put back first. Speeds above [`PoolGame::FASTEST`] are brought down to it. False if nothing can be struck.
    pub fn strike(self, scene: &mut Scene, direction: DVec3, speed: f64) -> bool {
        let level = dvec3(direction.x, 0.0, direction.z);
        let length = level.length();
        if !(length > 0.0 && length.is_finite() && speed > 0.0 && speed.is_finite()) {
            return false;
        }
        if self.is_cue_ball_potted(scene) {
            self.put_back(scene);
        }
        let velocity = level * (min64(speed, PoolGame::FASTEST) / length);
        set(scene, self.cue_ball, None, velocity)
    }

    /// Puts the white ball to its place, or next to it if another ball is there.
    pub fn put_back(self, scene: &mut Scene) {
        let is_free = |place: DVec3| {
            let apart = |ball: BodyId| (scene.world.body(ball).position() - place).length();
            scene.bodies().filter(|&ball| ball != self.cue_ball).all(|ball| apart(ball) > 2.1 * RADIUS)
        };
        // Sixteen balls cannot cover a row of forty places.
        let places = (0..40).map(|i| dvec3(HEAD_SPOT - 0.01 * f64::from(i), RADIUS, 0.0));
        if let Some(place) = places.into_iter().find(|&place| is_free(place)) {
            set(scene, self.cue_ball, Some(place), DVec3::ZERO);
        }
    }

    /// Racks all balls, the white one at rest.
    pub fn rack(self, scene: &mut Scene) {
        let balls: Vec<BodyId> = scene.bodies().collect();
        for (ball, place) in balls.into_iter().zip(rack()) {
            set(scene, ball, Some(place), DVec3::ZERO);
        }
    }
}

/// Gives a ball a place and a velocity, without spin. False if there is no such ball.
fn set(scene: &mut Scene, ball: BodyId, place: Option<DVec3>, velocity: DVec3) -> bool {
    let Some(mut body) = scene.world.get_body_mut(ball) else { return false };
    let placed =
        place.is_none_or(|place| body.set_position(place).is_ok() && body.set_orientation(Quat::IDENTITY).is_ok());
    placed && body.set_velocity(velocity).is_ok() && body.set_angular_velocity(DVec3::ZERO).is_ok()
}

fn is_potted(scene: &Scene, ball: BodyId) -> bool {
    scene.world.get_body(ball).is_none_or(|ball| ball.position().y < POTTED)
}

/// The rack is broken: most balls have left their places, and all are on the table or in the tray.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let places: Vec<DVec3> = scene.bodies().map(|id| scene.world.body(id).position()).collect();
    let [x, z] = TABLE.map(|side| side + RAIL);
    let is_inside = |place: &&DVec3| place.x.abs() < x && place.z.abs() < z && place.y > TRAY;
    let inside = places.iter().filter(is_inside).count();
    require(inside >= 15, || format!("only {inside} of 16 balls are in the table"))?;
    let moved = |(place, start): &(&DVec3, &DVec3)| (**place - **start).length() > 0.08;
    let scattered = places.iter().zip(&rack()).skip(1).filter(moved).count();
    require(scattered >= 12, || format!("only {scattered} of 15 balls left their places"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn play(run: &mut SolidRun, seconds: f64) {
        for _ in 0..(seconds / run.about().dt) as u32 {
            run.step();
        }
    }

    /// A ball that is struck towards a pocket falls into it, and comes to rest below; the white one is put back.
    #[test]
    fn balls_fall_into_pockets() {
        for (target, speed) in [
            (dvec3(TABLE[0], 0.0, TABLE[1]), 1.5),
            (dvec3(-TABLE[0], 0.0, TABLE[1]), 1.0),
            (dvec3(-TABLE[0], 0.0, -TABLE[1]), 3.0),
            (dvec3(0.0, 0.0, TABLE[1]), 1.2),
            (dvec3(0.0, 0.0, -TABLE[1]), 2.0),
        ] {
            let mut run = SCENE_FOR_TESTS.build();
            let game = PoolGame::of(&run).unwrap();
            // Alone on the table, from the middle of its left half.
            for ball in run.scene.bodies().skip(1).collect::<Vec<_>>() {
                run.scene.world.remove_body(ball).unwrap();
            }
            run.scene.spheres.truncate(1);
            let from = dvec3(-0.4, RADIUS, 0.0);
            assert!(set(&mut run.scene, game.cue_ball, Some(from), DVec3::ZERO));
            assert!(game.strike(&mut run.scene, target - from, speed));
            play(&mut run, 5.0);
            assert!(game.is_cue_ball_potted(&run.scene), "missed {target}");
            let place = run.scene.world.body(game.cue_ball).position();
            assert!((place.y - TRAY - RADIUS).abs() < 1.0e-3 && game.is_at_rest(&run.scene), "{place}");
            assert!(game.strike(&mut run.scene, DVec3::X, 1.0e-2) && !game.is_cue_ball_potted(&run.scene));
        }
    }

    #[test]
    fn a_rack_stays_until_it_is_struck() {
        let mut run = SCENE_FOR_TESTS.build();
        let game = PoolGame::of(&run).unwrap();
        play(&mut run, 0.5);
        assert!(!game.is_at_rest(&run.scene));
        game.rack(&mut run.scene);
        play(&mut run, 2.0);
        assert!(game.is_at_rest(&run.scene) && run.scene.world.awake_count() == 0);
        for (ball, place) in run.scene.bodies().zip(rack()) {
            assert!((run.scene.world.body(ball).position() - place).length() < 1.0e-4);
        }
        for bad in [DVec3::Y, DVec3::ZERO, dvec3(f64::NAN, 0.0, 1.0)] {
            assert!(!game.strike(&mut run.scene, bad, 1.0));
        }
        assert!(!game.strike(&mut run.scene, DVec3::X, f64::NAN) && !game.strike(&mut run.scene, DVec3::X, -1.0));
        assert!(game.strike(&mut run.scene, dvec3(1.0, 0.3, 0.01), 99.0));
        let speed = run.scene.world.body(game.cue_ball).velocity().length();
        assert!((speed - PoolGame::FASTEST).abs() < 1.0e-9);
    }

    static SCENE_FOR_TESTS: SolidScene = SCENE;
}
