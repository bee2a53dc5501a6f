//! LunarLander-v3 of Gymnasium, whose constants and rules these are: a lander with two legs that are pressed outwards, three
//! engines of which each shot is scattered, and wind if it is asked for. Formulas are written in the order of the original,
//! in double precision where that is: what the engine is given has the same bits.

use super::game::{Arena, FPS, Game, Pin, SCALE, VIEWPORT, box_of, edge, meets_ground, point, polygon};
use super::random::Random;
use carom_core::math::{max64, min64, sin_cos64, sin64};
use carom2d::{BodyId, DefError, Limits, Motor};

const MAIN_ENGINE_POWER: f64 = 13.0;
const SIDE_ENGINE_POWER: f64 = 0.6;
/// Of the force at the start, in N.
const INITIAL_RANDOM: f64 = 1000.0;

/// In pixels.
const LANDER: [[f64; 2]; 6] = [[-14.0, 17.0], [-17.0, 0.0], [-17.0, -10.0], [17.0, -10.0], [17.0, 0.0], [14.0, 17.0]];
const LEG_AWAY: f64 = 20.0;
const LEG_DOWN: f64 = 18.0;
const LEG_HALF: [f64; 2] = [2.0, 8.0];
const SIDE_ENGINE_AWAY: f64 = 12.0;
const SIDE_ENGINE_HEIGHT: f64 = 14.0;
/// What the original has where its height should be.
const SIDE_ENGINE_BELOW: f64 = 17.0;
const MAIN_ENGINE_BELOW: f64 = 4.0;

/// Torque in N m that presses the legs outwards, their speed, and their limits in radians.
const LEG_TORQUE: f32 = 40.0;
const LEG_SPEED: f64 = 0.3;
const LEG_LIMITS: [f64; 2] = [0.9 - 0.5, 0.9];

/// Points of the ground, and the width and height of the picture in metres.
const CHUNKS: usize = 11;
const WIDTH: f64 = VIEWPORT[0] / SCALE;
const HEIGHT: f64 = VIEWPORT[1] / SCALE;
const PAD_HEIGHT: f64 = HEIGHT / 4.0;

/// What the makers of an environment may choose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LanderDef {
    pub(crate) continuous: bool,
    pub(crate) gravity: f64,
    /// Strength of the wind and of what it turns, if there is wind.
    pub(crate) wind: Option<[f64; 2]>,
}

pub(crate) struct Lander {
    def: LanderDef,
    random: Random,
    arena: Arena,
    /// None before the first episode.
    parts: Option<Parts>,
}

/// What an episode has.
struct Parts {
    hull: BodyId,
    legs: [BodyId; 2],
    /// Legs on the ground.
    on_ground: [bool; 2],
    crashed: bool,
    shaping: Option<f64>,
    /// How far wind and turbulence have got.
    wind_at: [i64; 2],
}

impl Lander {
    pub(crate) fn new(def: LanderDef) -> Result<Lander, DefError> {
        Ok(Lander { def, random: Random::default(), arena: Arena::new(def.gravity)?, parts: None })
    }

    fn add_ground(&mut self) -> Result<(), DefError> {
        let mut height = [0.0; CHUNKS + 1];
        for height in &mut height {
            *height = self.random.uniform(0.0, HEIGHT / 2.0);
        }
        height[CHUNKS / 2 - 2..=CHUNKS / 2 + 2].fill(PAD_HEIGHT);
        // Left of the first point is the last one: Python counts from there.
        let smooth = |i: usize| {
            let left = height[i.checked_sub(1).unwrap_or(CHUNKS)];
            [WIDTH / (CHUNKS - 1) as f64 * i as f64, 0.33 * (left + height[i] + height[i + 1])]
        };
        let moon = self.arena.add_fixed(edge([0.0, 0.0], [WIDTH, 0.0]))?;
        for i in 0..CHUNKS - 1 {
            let mut piece = edge(smooth(i), smooth(i + 1));
            piece.friction = 0.1;
            self.arena.world.add_shapes(moon, &[piece])?;
        }
        Ok(())
    }

    fn add_leg(&mut self, hull: BodyId, side: f64) -> Result<BodyId, DefError> {
        let mut shape = box_of(LEG_HALF[0] / SCALE, LEG_HALF[1] / SCALE);
        (shape.density, shape.filter) = (1.0, meets_ground(0x20));
        let leg = self.arena.add_moving([WIDTH / 2.0 - side * LEG_AWAY / SCALE, HEIGHT], side * 0.05, shape)?;
        let [low, high] = if side < 0.0 { LEG_LIMITS } else { [-0.9, -0.9 + 0.5] };
        let pin = Pin {
            anchors: [point(0.0, 0.0), point(side * LEG_AWAY / SCALE, LEG_DOWN / SCALE)],
            limits: Limits::new(low as f32, high as f32),
        };
        self.arena.add_pin(&pin, [hull, leg], Motor::new((LEG_SPEED * side) as f32, LEG_TORQUE))?;
        Ok(leg)
    }

    fn begin(&mut self) -> Result<Parts, DefError> {
        self.arena = Arena::new(self.def.gravity)?;
        self.add_ground()?;
        let mut shape = polygon(&LANDER);
        (shape.density, shape.friction, shape.filter) = (5.0, 0.1, meets_ground(0x10));
        let hull = self.arena.add_moving([WIDTH / 2.0, HEIGHT], 0.0, shape)?;
        self.arena.follow(hull);
        let push = [(); 2].map(|()| self.random.uniform(-INITIAL_RANDOM, INITIAL_RANDOM));
        self.arena.world.body_mut(hull).apply_force(point(push[0], push[1]))?;
        let mut wind_at = [0; 2];
        if self.def.wind.is_some() {
            wind_at = [(); 2].map(|()| self.random.integer(-9999, 9999));
        }
        let legs = [self.add_leg(hull, -1.0)?, self.add_leg(hull, 1.0)?];
        Ok(Parts { hull, legs, on_ground: [false; 2], crashed: false, shaping: None, wind_at })
    }

    /// Wind pushes what flies.
    fn blow(&mut self, parts: &mut Parts) -> Result<(), DefError> {
        let Some(powers) = self.def.wind.filter(|_| parts.on_ground == [false; 2]) else { return Ok(()) };
        let mut body = self.arena.world.body_mut(parts.hull);
        let [wind, turbulence] = [0, 1].map(|i| gust(parts.wind_at[i]) * powers[i]);
        body.apply_force(point(wind, 0.0))?;
        body.apply_torque(turbulence as f32)?;
        parts.wind_at = parts.wind_at.map(|at| at + 1);
        Ok(())
    }

    /// Powers of the main engine and the side engines, and the side: -1 is left.
    fn throttle(&self, action: &[f32]) -> (f64, f64, f64) {
        match *action {
            [main, side] => {
                let (main, side) = (clip(f64::from(main), -1.0, 1.0), clip(f64::from(side), -1.0, 1.0));
                let main_power = if main > 0.0 { (clip(main, 0.0, 1.0) + 1.0) * 0.5 } else { 0.0 };
                let side_power = if side.abs() > 0.5 { clip(side.abs(), 0.5, 1.0) } else { 0.0 };
                (main_power, side_power, side.signum())
            }
            [2.0] => (1.0, 0.0, 0.0),
            [choice @ (1.0 | 3.0)] => (0.0, 1.0, f64::from(choice) - 2.0),
            _ => (0.0, 0.0, 0.0),
        }
    }

    fn fire(&mut self, hull: BodyId, (main, side, direction): (f64, f64, f64)) -> Result<(), DefError> {
        let (sin, cos) = sin_cos64(self.arena.angle());
        let (tip, across) = ([sin, cos], [-cos, sin]);
        // Drawn whether an engine is on or not.
        let spread = [(); 2].map(|()| self.random.uniform(-1.0, 1.0) / SCALE);
        let mut body = self.arena.world.body_mut(hull);
        let place = body.get().position();
        let place = [f64::from(place.x), f64::from(place.y)];
        if main > 0.0 {
            let below = MAIN_ENGINE_BELOW / SCALE + 2.0 * spread[0];
            let away = [tip[0] * below + across[0] * spread[1], -tip[1] * below - across[1] * spread[1]];
            let at = point(place[0] + away[0], place[1] + away[1]);
            let push = away.map(|away| -away * MAIN_ENGINE_POWER * main);
            body.apply_impulse_at(point(push[0], push[1]), at)?;
        }
        if side > 0.0 {
            let beside = 3.0 * spread[1] + direction * SIDE_ENGINE_AWAY / SCALE;
            let away = [tip[0] * spread[0] + across[0] * beside, -tip[1] * spread[0] - across[1] * beside];
            let at = point(
                place[0] + away[0] - tip[0] * SIDE_ENGINE_BELOW / SCALE,
                place[1] + away[1] + tip[1] * SIDE_ENGINE_HEIGHT / SCALE,
            );
            let push = away.map(|away| -away * SIDE_ENGINE_POWER * side);
            body.apply_impulse_at(point(push[0], push[1]), at)?;
        }
        Ok(())
    }

    fn play(&mut self, parts: &mut Parts, action: &[f32], observation: &mut [f32]) -> Result<(f64, bool), DefError> {
        self.blow(parts)?;
        let power = self.throttle(action);
        self.fire(parts.hull, power)?;
        self.arena.step(|touch| {
            parts.crashed |= touch.begins && touch.bodies.contains(&parts.hull);
            for (leg, on_ground) in parts.legs.iter().zip(&mut parts.on_ground) {
                if touch.bodies.contains(leg) {
                    *on_ground = touch.begins;
                }
            }
        })?;
        let body = self.arena.world.body(parts.hull);
        let (place, velocity) = (body.position(), body.velocity());
        let legs = parts.on_ground.map(|on_ground| f64::from(u8::from(on_ground)));
        let state = [
            (f64::from(place.x) - WIDTH / 2.0) / (WIDTH / 2.0),
            (f64::from(place.y) - (PAD_HEIGHT + LEG_DOWN / SCALE)) / (HEIGHT / 2.0),
            f64::from(velocity.x) * (WIDTH / 2.0) / FPS,
            f64::from(velocity.y) * (HEIGHT / 2.0) / FPS,
            self.arena.angle(),
            20.0 * f64::from(body.angular_velocity()) / FPS,
            legs[0],
            legs[1],
        ];
        let length = |x: f64, y: f64| (x * x + y * y).sqrt();
        let shaping = -100.0 * length(state[0], state[1]) - 100.0 * length(state[2], state[3]) - 100.0 * state[4].abs()
            + 10.0 * legs[0]
            + 10.0 * legs[1];
        let mut reward = parts.shaping.map_or(0.0, |before| shaping - before);
        parts.shaping = Some(shaping);
        reward -= power.0 * 0.30;
        reward -= power.1 * 0.03;
        let (is_lost, is_down) = (parts.crashed || state[0].abs() >= 1.0, !body.is_awake());
        if is_lost {
            reward = -100.0;
        }
        if is_down {
            reward = 100.0;
        }
        for (to, from) in observation.iter_mut().zip(state) {
            *to = from as f32;
        }
        Ok((reward, is_lost || is_down))
    }
}

impl Game for Lander {
    fn observed(&self) -> usize {
        8
    }

    fn reset(&mut self, observation: &mut [f32]) -> Result<(), DefError> {
        let mut parts = self.begin()?;
        let still: &[f32] = if self.def.continuous { &[0.0, 0.0] } else { &[0.0] };
        self.play(&mut parts, still, observation)?;
        self.parts = Some(parts);
        Ok(())
    }

    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<(f64, bool), DefError> {
        let Some(mut parts) = self.parts.take() else {
            self.reset(observation)?;
            return Ok((0.0, false));
        };
        let result = self.play(&mut parts, action, observation);
        self.parts = Some(parts);
        result
    }

    fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    fn action_length(&self) -> usize {
        if self.def.continuous { 2 } else { 1 }
    }

    fn refused(&self, action: &[f32]) -> Option<f32> {
        let allowed = |&value: &f32| if self.def.continuous { value.is_finite() } else { is_choice(value) };
        action.iter().copied().find(|value| !allowed(value))
    }

    fn state_hash(&self) -> u64 {
        self.arena.world.state_hash()
    }
}

fn is_choice(value: f32) -> bool {
    [0.0, 1.0, 2.0, 3.0].contains(&value)
}

fn clip(value: f64, low: f64, high: f64) -> f64 {
    min64(max64(value, low), high)
}

/// Strength of the wind at a time, in [-1, 1]: sums of sines without a common period.
fn gust(at: i64) -> f64 {
    let at = at as f64;
    tanh(sin64(0.02 * at) + sin64(std::f64::consts::PI * 0.01 * at))
}

/// The hyperbolic tangent of a number in [-2, 2], with the same bits on every machine: `1 - 2 / (e^2x + 1)`, of half the
/// argument `e^x` by its series to `x^24`, the first term left out being below 2^-52 of the sum.
fn tanh(x: f64) -> f64 {
    let half = 0.5 * x;
    let mut grown = 1.0;
    for power in (1..=24).rev() {
        grown = 1.0 + grown * half / f64::from(power);
    }
    let squared = grown * grown;
    1.0 - 2.0 / (squared * squared + 1.0)
}
