//! E: what may change nothing.

use super::problem::{Player, Problem};
use super::{Family, Holds, Measure, Outcome, Standing, larger};
use carom_core::Rng;
use carom_core::math::sin_cos64;
use carom_peers::Unsupported;
use carom2d::prelude::*;
use glam::DVec2;

/// The families.
pub(super) const FAMILIES: &[Family] = &[Family {
    name: "E",
    title: "invariance",
    instances: 31,
    standing: Standing::NotAsked,
    measures: &[
        Measure::gate("moved by 1024 m, apart after 5 s (m)", 5.0e-3),
        Measure { gate: Some(1.2e-3), goal: None, holds: Holds::Median, name: "moved by 1024 m, median (m)" },
        Measure::gate("turned by any angle, apart after 5 s (m)", 5.0e-3),
        Measure { gate: Some(1.2e-3), goal: None, holds: Holds::Median, name: "turned by any angle, median (m)" },
        Measure::gate("mirrored, apart after 5 s (m)", 5.0e-3),
        Measure::gate("built in reverse order, apart after 5 s (m)", 5.0e-3),
        Measure::goal("scaled by 2 or 1/2 with gravity, apart after 5 s (m)", 5.0e-3),
        Measure::goal("in units of 1/100 m, apart after 5 s (m)", 5.0e-3),
        Measure::goal("in units of 100 m, apart after 5 s (m)", 5.0e-3),
    ],
    own: &[Player::Carom],
    peers: true,
    play: play_pile,
}];

/// What is done to a pile before it falls.
#[derive(Clone, Copy)]
struct Setting {
    shift: f64,
    turn: f64,
    mirrored: bool,
    reversed: bool,
    scale: f64,
}

const PLAIN: Setting = Setting { shift: 0.0, turn: 0.0, mirrored: false, reversed: false, scale: 1.0 };

impl Setting {
    fn rotated(&self, v: DVec2, angle: f64) -> DVec2 {
        let (sin, cos) = if angle == 0.0 { (0.0, 1.0) } else { sin_cos64(angle) };
        glam::dvec2(cos * v.x - sin * v.y, sin * v.x + cos * v.y)
    }

    fn direction(&self, v: DVec2) -> DVec2 {
        self.rotated(if self.mirrored { glam::dvec2(-v.x, v.y) } else { v }, self.turn) * self.scale
    }

    fn place(&self, v: DVec2) -> Vec2 {
        (self.direction(v) + glam::dvec2(self.shift, 0.0)).as_vec2()
    }

    fn back(&self, v: Vec2) -> DVec2 {
        let v = self.rotated(v.as_dvec2() - glam::dvec2(self.shift, 0.0), -self.turn) / self.scale;
        if self.mirrored { glam::dvec2(-v.x, v.y) } else { v }
    }
}

/// E: fifty boxes, ten abreast, fall upon each other, none square above another; where their centres are after 5 s
/// against where they are if all is moved, turned with gravity, mirrored, built in reverse order, or scaled with
/// gravity.
fn play_pile(rng: &mut Rng, player: Player) -> Result<Outcome, Unsupported> {
    // In units of 2^-10 m, so that a shift of 2^10 m rounds no place.
    let mut grid = |low: u32, high: u32| f64::from(low + rng.below(high - low)) / 1024.0;
    let boxes: Vec<(DVec2, DVec2)> = (0..50)
        .map(|i| {
            let place = glam::dvec2(f64::from(i % 10) - 4.5 + grid(0, 100), 0.5 + 1.0625 * f64::from(i / 10));
            (place, glam::dvec2(grid(800, 900), grid(900, 1000)))
        })
        .collect();
    let turn = f64::from(rng.range(-3.0, 3.0));
    let scale = if rng.below(2) == 0 { 0.5 } else { 2.0 };
    let plain = fall(&boxes, PLAIN, player)?;
    let apart = |setting: Setting| -> Result<Option<f64>, Unsupported> {
        let ways = fall(&boxes, setting, player)?.into_iter().zip(&plain).map(|(a, b)| a.distance(*b));
        Ok(Some(ways.fold(0.0, larger)))
    };
    let moved = apart(Setting { shift: 1024.0, ..PLAIN })?;
    let turned = apart(Setting { turn, ..PLAIN })?;
    let values = vec![
        moved,
        moved,
        turned,
        turned,
        apart(Setting { mirrored: true, ..PLAIN })?,
        apart(Setting { reversed: true, ..PLAIN })?,
        apart(Setting { scale, ..PLAIN })?,
        apart(Setting { scale: 100.0, ..PLAIN })?,
        apart(Setting { scale: 0.01, ..PLAIN })?,
    ];
    Ok(Outcome { values, stands: true, note: format!("pile, turned by {turn:.3} rad") })
}

/// Centres of the boxes after 5 s, seen as in the plain setting.
fn fall(boxes: &[(DVec2, DVec2)], setting: Setting, player: Player) -> Result<Vec<DVec2>, Unsupported> {
    let mut problem = Problem::default();
    problem.settings.world.gravity = setting.direction(glam::dvec2(0.0, -10.0)).as_vec2();
    let body =
        |place: DVec2, def: BodyDef| BodyDef { position: setting.place(place), angle: setting.turn as f32, ..def };
    let shape = |size: DVec2| ShapeDef::rectangle((size.x * setting.scale) as f32, (size.y * setting.scale) as f32);
    problem.add(body(glam::dvec2(0.0, -1.0), BodyDef::fixed()), &[shape(glam::dvec2(100.0, 2.0))]);
    let mut order: Vec<usize> = (0..boxes.len()).collect();
    if setting.reversed {
        order.reverse();
    }
    let mut numbers = vec![0; boxes.len()];
    for i in order {
        let (place, size) = boxes[i];
        numbers[i] = problem.add(body(place, BodyDef::dynamic()), &[shape(size)]);
    }
    let mut peer = problem.start(player)?;
    (0..300).for_each(|_| peer.step(problem.settings.dt));
    Ok(numbers.into_iter().map(|number| setting.back(peer.motion(number).center)).collect())
}
