//! BipedalWalker-v3 of Gymnasium, whose constants and rules these are: a hull on two legs with a hip and a knee each, and
//! ten rays that look at the ground ahead. Formulas are written in the order of the original, in double precision where
//! that is: what the engine is given has the same bits.

use super::game::{
    Arena, FPS, Game, Pin, SCALE, VIEWPORT, box_of, convex, edge, meets_ground, point, polygon, strength,
};
use super::random::Random;
use super::terrain::{self, STEP};
use carom_core::math::{cos64, sin64};
use carom2d::math::{Vec2, vec2};
use carom2d::{BodyId, DefError, Filter, JointId, Limits, Motor, QueryFilter};

/// In N m, and in rad/s.
const MOTOR_TORQUE: f32 = 80.0;
const SPEED_HIP: f32 = 4.0;
const SPEED_KNEE: f32 = 6.0;
const LIDAR_RANGE: f64 = 160.0 / SCALE;
const RAYS: usize = 10;
/// Of the force at the start, in N.
const INITIAL_RANDOM: f64 = 5.0;

/// In pixels.
const HULL: [[f64; 2]; 5] = [[-30.0, 9.0], [6.0, 9.0], [34.0, 1.0], [34.0, -8.0], [-30.0, -8.0]];
/// In metres.
const LEG_DOWN: f64 = -8.0 / SCALE;
const LEG: [f64; 2] = [8.0 / SCALE, 34.0 / SCALE];
const HIP_LIMITS: [f32; 2] = [-0.8, 1.1];
const KNEE_LIMITS: [f32; 2] = [-1.6, -0.1];
/// Motors drive the joints at these speeds until they are told otherwise.
const FIRST_SPEEDS: [f32; 4] = [-1.0, 1.0, 1.0, 1.0];

const WIDTH: f64 = VIEWPORT[0] / SCALE;
const HEIGHT: f64 = VIEWPORT[1] / SCALE;

/// What a ray of the lidar sees: the ground.
const GROUND: QueryFilter<'static> = QueryFilter {
    filter: Filter { category: u64::MAX, mask: 1, group: 0 },
    sensors: true,
    exclude_bodies: &[],
    exclude_shapes: &[],
    predicate: None,
};

pub(crate) struct Walker {
    hardcore: bool,
    random: Random,
    arena: Arena,
    /// None before the first episode.
    parts: Option<Parts>,
}

/// What an episode has.
struct Parts {
    hull: BodyId,
    /// Hip and knee of one leg, then of the other, with the limbs below them.
    joints: [Joint; 4],
    limbs: [BodyId; 4],
    /// Lower limbs on the ground.
    on_ground: [bool; 2],
    crashed: bool,
    shaping: Option<f64>,
}

struct Joint {
    id: JointId,
    pin: Pin,
    motor: Motor,
    bodies: [BodyId; 2],
}

impl Walker {
    pub(crate) fn new(hardcore: bool) -> Result<Walker, DefError> {
        Ok(Walker { hardcore, random: Random::default(), arena: Arena::new(-10.0)?, parts: None })
    }

    fn add_terrain(&mut self) -> Result<(), DefError> {
        let arena = &mut self.arena;
        let heights = terrain::generate(self.hardcore, &mut self.random, &mut |corners| {
            let mut block = convex(corners);
            block.friction = terrain::FRICTION;
            arena.add_fixed(block).map(|_| ())
        })?;
        for (i, pair) in heights.windows(2).enumerate() {
            let mut piece = edge([i as f64 * STEP, pair[0]], [(i + 1) as f64 * STEP, pair[1]]);
            piece.friction = terrain::FRICTION;
            arena.add_fixed(piece)?;
        }
        terrain::skip_clouds(&mut self.random);
        Ok(())
    }

    /// A limb of this width, hung on a body.
    fn add_limb(&mut self, place: usize, above: BodyId, y: f64, side: f64) -> Result<(BodyId, Joint), DefError> {
        let is_knee = place % 2 == 1;
        let width = if is_knee { 0.8 * LEG[0] } else { LEG[0] };
        let mut shape = box_of(width / 2.0, LEG[1] / 2.0);
        (shape.density, shape.filter) = (1.0, meets_ground(0x20));
        let limb = self.arena.add_moving([STEP * terrain::START_PAD as f64 / 2.0, y], side * 0.05, shape)?;
        let anchor = if is_knee { -LEG[1] / 2.0 } else { LEG_DOWN };
        let [low, high] = if is_knee { KNEE_LIMITS } else { HIP_LIMITS };
        let pin = Pin { anchors: [point(0.0, anchor), point(0.0, LEG[1] / 2.0)], limits: Limits::new(low, high) };
        let motor = Motor::new(FIRST_SPEEDS[place], MOTOR_TORQUE);
        let id = self.arena.add_pin(&pin, [above, limb], motor)?;
        Ok((limb, Joint { id, pin, motor, bodies: [above, limb] }))
    }

    fn begin(&mut self) -> Result<Parts, DefError> {
        self.arena = Arena::new(-10.0)?;
        self.add_terrain()?;
        let y = terrain::HEIGHT + 2.0 * LEG[1];
        let mut shape = polygon(&HULL);
        (shape.density, shape.friction, shape.filter) = (5.0, 0.1, meets_ground(0x20));
        let hull = self.arena.add_moving([STEP * terrain::START_PAD as f64 / 2.0, y], 0.0, shape)?;
        self.arena.follow(hull);
        let push = self.random.uniform(-INITIAL_RANDOM, INITIAL_RANDOM);
        self.arena.world.body_mut(hull).apply_force(point(push, 0.0))?;
        let mut leg = |first: usize, side: f64| -> Result<_, DefError> {
            let upper = self.add_limb(first, hull, y - LEG[1] / 2.0 - LEG_DOWN, side)?;
            let lower = self.add_limb(first + 1, upper.0, y - LEG[1] * 3.0 / 2.0 - LEG_DOWN, side)?;
            Ok((upper, lower))
        };
        let (a, b) = (leg(0, -1.0)?, leg(2, 1.0)?);
        Ok(Parts {
            hull,
            limbs: [a.0.0, a.1.0, b.0.0, b.1.0],
            joints: [a.0.1, a.1.1, b.0.1, b.1.1],
            on_ground: [false; 2],
            crashed: false,
            shaping: None,
        })
    }

    /// Gives a joint another motor, as the drop-in does: even the same one wakes its bodies.
    fn drive(&mut self, joint: &mut Joint, motor: Motor) -> Result<(), DefError> {
        let world = &mut self.arena.world;
        if motor != joint.motor {
            joint.motor = motor;
            return world.joint_mut(joint.id).set_kind(joint.pin.kind(motor));
        }
        for body in joint.bodies {
            if world.body(body).is_sleeping() {
                world.body_mut(body).wake();
            }
        }
        Ok(())
    }

    /// How far each ray of the lidar gets, as a fraction of its range.
    fn look(&self, from: Vec2, seen: &mut [f32]) -> Result<(), DefError> {
        let (x, y) = (f64::from(from.x), f64::from(from.y));
        for (i, seen) in seen.iter_mut().enumerate() {
            let angle = 1.5 * i as f64 / 10.0;
            let to = vec2((x + sin64(angle) * LIDAR_RANGE) as f32, (y - cos64(angle) * LIDAR_RANGE) as f32);
            let world = &self.arena.world;
            let mut hit = world.ray_closest(from, to - from, GROUND)?;
            // Box2D does not report what the ray starts in.
            let starts_inside = |fraction: f32, normal: Vec2| fraction == 0.0 && normal == Vec2::ZERO;
            if hit.is_some_and(|hit| starts_inside(hit.fraction, hit.normal)) {
                let all = world.ray_all(from, to - from, GROUND)?;
                hit = all.into_iter().find(|hit| !starts_inside(hit.fraction, hit.normal));
            }
            *seen = hit.map_or(1.0, |hit| hit.fraction);
        }
        Ok(())
    }

    fn play(&mut self, parts: &mut Parts, action: &[f32], observation: &mut [f32]) -> Result<(f64, bool), DefError> {
        for (i, (joint, &action)) in parts.joints.iter_mut().zip(action).enumerate() {
            let fastest = if i % 2 == 1 { SPEED_KNEE } else { SPEED_HIP };
            let direction = if action == 0.0 { 0.0 } else { action.signum() };
            let speed = Motor { speed: fastest * direction, ..joint.motor };
            self.drive(joint, speed)?;
            let torque = Motor { max_force: MOTOR_TORQUE * strength(action), ..joint.motor };
            self.drive(joint, torque)?;
        }
        self.arena.step(|touch| {
            parts.crashed |= touch.begins && touch.bodies.contains(&parts.hull);
            for (on_ground, limb) in parts.on_ground.iter_mut().zip([parts.limbs[1], parts.limbs[3]]) {
                if touch.bodies.contains(&limb) {
                    *on_ground = touch.begins;
                }
            }
        })?;
        let body = self.arena.world.body(parts.hull);
        let (place, velocity, spin) = (body.position(), body.velocity(), body.angular_velocity());
        let angle = self.arena.angle();
        let (head, lidar) = observation.split_at_mut(24 - RAYS);
        self.look(place, lidar)?;
        let moved = |speed: f32, size: f64| 0.3 * f64::from(speed) * size / FPS;
        let hull = [angle, 2.0 * f64::from(spin) / FPS, moved(velocity.x, WIDTH), moved(velocity.y, HEIGHT)];
        for (to, from) in head.iter_mut().zip(hull) {
            *to = from as f32;
        }
        for (leg, to) in head[4..].chunks_exact_mut(5).enumerate() {
            let [hip, knee] = [0, 1].map(|i| self.arena.world.joint(parts.joints[2 * leg + i].id));
            to[0] = hip.angle();
            to[1] = (f64::from(hip.angular_speed()) / f64::from(SPEED_HIP)) as f32;
            to[2] = (f64::from(knee.angle()) + 1.0) as f32;
            to[3] = (f64::from(knee.angular_speed()) / f64::from(SPEED_KNEE)) as f32;
            to[4] = f32::from(u8::from(parts.on_ground[leg]));
        }
        let shaping = 130.0 * f64::from(place.x) / SCALE - 5.0 * angle.abs();
        let mut reward = parts.shaping.map_or(0.0, |before| shaping - before);
        parts.shaping = Some(shaping);
        for &action in action {
            reward -= 0.00035 * f64::from(MOTOR_TORQUE) * f64::from(strength(action));
        }
        let is_lost = parts.crashed || place.x < 0.0;
        if is_lost {
            reward = -100.0;
        }
        Ok((reward, is_lost || f64::from(place.x) > terrain::END))
    }
}

impl Game for Walker {
    fn observed(&self) -> usize {
        14 + RAYS
    }

    fn reset(&mut self, observation: &mut [f32]) -> Result<(), DefError> {
        let mut parts = self.begin()?;
        self.play(&mut parts, &[0.0; 4], observation)?;
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
        4
    }

    fn refused(&self, action: &[f32]) -> Option<f32> {
        action.iter().copied().find(|value| !value.is_finite())
    }

    fn state_hash(&self) -> u64 {
        self.arena.world.state_hash()
    }
}
