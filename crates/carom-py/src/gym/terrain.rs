//! The ground of BipedalWalker: grass that goes up and down, and, hardcore, stumps, stairs and pits.

use super::game::{SCALE, VIEWPORT};
use super::random::Random;
use carom2d::DefError;

/// Length of a piece, in metres.
pub(crate) const STEP: f64 = 14.0 / SCALE;
/// Pieces of the whole.
const LENGTH: usize = 200;
pub(crate) const HEIGHT: f64 = VIEWPORT[1] / SCALE / 4.0;
/// How many pieces grass has at most between obstacles, and at the start.
const GRASS: i64 = 10;
pub(crate) const START_PAD: i64 = 20;
pub(crate) const FRICTION: f32 = 2.5;
/// Where the walker has arrived.
pub(crate) const END: f64 = (LENGTH as i64 - GRASS) as f64 * STEP;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ground {
    Grass,
    Stump,
    Stairs,
    Pit,
}

/// Adds an obstacle, given its corners.
type AddBlock<'a> = dyn FnMut(Vec<[f64; 2]>) -> Result<(), DefError> + 'a;

/// Stairs of some steps.
#[derive(Default)]
struct Stairs {
    steps: i64,
    width: i64,
    /// Up or down.
    height: i64,
}

/// The heights of the ground at all ends of pieces; obstacles are handed to `add_block`.
pub(crate) fn generate(
    hardcore: bool,
    random: &mut Random,
    add_block: &mut AddBlock<'_>,
) -> Result<Vec<f64>, DefError> {
    let mut ground = Ground::Grass;
    let (mut y, mut slope, mut before) = (HEIGHT, 0.0, 0.0);
    let mut left = START_PAD;
    let mut begins = false;
    let mut stairs = Stairs::default();
    let mut heights = Vec::with_capacity(LENGTH);
    for i in 0..LENGTH {
        let x = i as f64 * STEP;
        match (ground, begins) {
            (Ground::Grass, false) => {
                slope = 0.8 * slope + 0.01 * sign(HEIGHT - y);
                if i as i64 > START_PAD {
                    slope += random.uniform(-1.0, 1.0) / SCALE;
                }
                y += slope;
            }
            (Ground::Pit, true) => {
                left = random.integer(3, 5);
                let across = STEP * left as f64;
                for shift in [0.0, across] {
                    let (from, to, low) = (x + shift, x + STEP + shift, y - 4.0 * STEP);
                    add_block(vec![[from, y], [to, y], [to, low], [from, low]])?;
                }
                left += 2;
                before = y;
            }
            (Ground::Pit, false) => {
                y = before;
                if left > 1 {
                    y -= 4.0 * STEP;
                }
            }
            (Ground::Stump, true) => {
                left = random.integer(1, 3);
                let (to, high) = (x + left as f64 * STEP, y + left as f64 * STEP);
                add_block(vec![[x, y], [to, y], [to, high], [x, high]])?;
            }
            (Ground::Stairs, true) => {
                stairs.height = if random.unit() > 0.5 { 1 } else { -1 };
                stairs.width = random.integer(4, 5);
                stairs.steps = random.integer(3, 5);
                before = y;
                add_stairs(&stairs, [x, y], add_block)?;
                left = stairs.steps * stairs.width;
            }
            (Ground::Stairs, false) => {
                let climbed = stairs.steps * stairs.width - left - stairs.height;
                let step = climbed as f64 / stairs.width as f64;
                y = before + (step * stairs.height as f64) * STEP;
            }
            (Ground::Grass, true) | (Ground::Stump, false) => {}
        }
        begins = false;
        heights.push(y);
        left -= 1;
        if left == 0 {
            left = random.integer(GRASS / 2, GRASS);
            begins = true;
            ground = match (ground, hardcore) {
                (Ground::Grass, true) => match random.integer(1, 4) {
                    1 => Ground::Stump,
                    2 => Ground::Stairs,
                    _ => Ground::Pit,
                },
                _ => Ground::Grass,
            };
        }
    }
    Ok(heights)
}

fn add_stairs(stairs: &Stairs, [x, y]: [f64; 2], add_block: &mut AddBlock<'_>) -> Result<(), DefError> {
    for step in 0..stairs.steps {
        let at = |along: i64, up: i64| {
            [x + (along * stairs.width) as f64 * STEP, y + (up + step * stairs.height) as f64 * STEP]
        };
        add_block(vec![at(step, 0), at(1 + step, 0), at(1 + step, -1), at(step, -1)])?;
    }
    Ok(())
}

/// Draws what the clouds would be made of.
pub(crate) fn skip_clouds(random: &mut Random) {
    for _ in 0..LENGTH / 20 * (1 + 2 * 5) {
        random.unit();
    }
}

/// -1, 0 or 1, as NumPy has it.
fn sign(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value.signum() }
}
