//! What LunarLander and BipedalWalker have in common: a world with the drop-in's rules, and numbers as Python has them.

use super::random::Random;
use crate::box2d::closing::close_open_pins;
use crate::box2d::rules::{TouchChange, Touches, body_def, box_corners, choose_solver, plain, turned, world_def};
use carom_core::math::min64;
use carom2d::math::{Pose, Vec2, vec2};
use carom2d::{
    BodyDef, BodyId, BodyKind, DefError, Filter, JointDef, JointId, JointKind, Limits, Motor, Outline, Revolute,
    ShapeDef, ShapeId, World, WorldDef,
};

/// Steps a second, and the length of one.
pub(crate) const FPS: f64 = 50.0;
const DT: f32 = (1.0 / FPS) as f32;
/// What the environments ask of `b2World.Step`.
const POSITION_ITERATIONS: u32 = 60;
/// Pixels in a metre, and the size of the picture.
pub(crate) const SCALE: f64 = 30.0;
pub(crate) const VIEWPORT: [f64; 2] = [600.0, 400.0];

/// An environment. Episodes begin and end when the caller says so.
pub(crate) trait Game: Send + Sync {
    /// How many numbers an observation has.
    fn observed(&self) -> usize;
    /// Begins an episode.
    fn reset(&mut self, observation: &mut [f32]) -> Result<(), DefError>;
    /// Makes a step. Returns the reward, and true if the episode has ended.
    fn step(&mut self, action: &[f32], observation: &mut [f32]) -> Result<(f64, bool), DefError>;
    /// The numbers that it draws.
    fn random(&mut self) -> &mut Random;
    /// How many numbers an action has, and the first that is not allowed.
    fn action_length(&self) -> usize;
    fn refused(&self, action: &[f32]) -> Option<f32>;
    /// A hash of the world's state.
    fn state_hash(&self) -> u64;
}

/// A world with the drop-in's rules.
pub(crate) struct Arena {
    pub(crate) world: World,
    touches: Touches,
    changes: Vec<(TouchChange, [ShapeId; 2])>,
    moving: usize,
    new_pins: Vec<JointId>,
    /// The body whose turns are counted, and its angle.
    hull: Option<BodyId>,
    angle: f32,
}

/// A touch of two bodies that began or ended.
pub(crate) struct Touch {
    pub(crate) begins: bool,
    pub(crate) bodies: [BodyId; 2],
}

impl Arena {
    pub(crate) fn new(gravity: f64) -> Result<Arena, DefError> {
        let world = World::try_new(WorldDef { gravity: vec2(0.0, gravity as f32), ..world_def() })?;
        Ok(Arena {
            world,
            touches: Touches::default(),
            changes: Vec::new(),
            moving: 0,
            new_pins: Vec::new(),
            hull: None,
            angle: 0.0,
        })
    }

    pub(crate) fn add_fixed(&mut self, shape: ShapeDef) -> Result<BodyId, DefError> {
        let body = self.world.add_body(body_def(BodyKind::Fixed))?;
        self.world.add_shapes(body, &[shape])?;
        Ok(body)
    }

    pub(crate) fn add_moving(&mut self, [x, y]: [f64; 2], angle: f64, shape: ShapeDef) -> Result<BodyId, DefError> {
        let def = BodyDef { position: point(x, y), angle: angle as f32, ..body_def(BodyKind::Dynamic) };
        let body = self.world.add_body(def)?;
        self.moving += 1;
        self.world.add_shapes(body, &[shape])?;
        Ok(body)
    }

    /// Counts the turns of this body from now on, which is upright.
    pub(crate) fn follow(&mut self, hull: BodyId) {
        (self.hull, self.angle) = (Some(hull), 0.0);
    }

    /// The angle of the body that is followed, as Python sees it.
    pub(crate) fn angle(&self) -> f64 {
        f64::from(self.angle)
    }

    pub(crate) fn add_pin(&mut self, pin: &Pin, bodies: [BodyId; 2], motor: Motor) -> Result<JointId, DefError> {
        let id = self.world.add_joint(JointDef {
            frame_a: Pose::new(pin.anchors[0], 0.0),
            frame_b: Pose::at(pin.anchors[1]),
            ..JointDef::new(bodies[0], bodies[1], pin.kind(motor))
        })?;
        self.new_pins.push(id);
        Ok(id)
    }

    /// Makes a step, and tells of each touch that began or ended in it.
    pub(crate) fn step(&mut self, mut told: impl FnMut(Touch)) -> Result<(), DefError> {
        choose_solver(&mut self.world, self.moving);
        close_open_pins(&mut self.world, &self.new_pins, POSITION_ITERATIONS)?;
        self.new_pins.clear();
        self.world.step(DT);
        if let Some(hull) = self.hull {
            self.angle = turned(&self.world, hull, self.angle, DT).unwrap_or(self.angle);
        }
        self.touches.follow(self.world.events(), &mut self.changes);
        for &(change, pair) in &self.changes {
            if let [Some(a), Some(b)] = pair.map(|id| self.world.get_shape(id).map(|shape| shape.body())) {
                told(Touch { begins: change == TouchChange::Begin, bodies: [a, b] });
            }
        }
        Ok(())
    }
}

/// A pin between two bodies, with limits and a motor.
pub(crate) struct Pin {
    pub(crate) anchors: [Vec2; 2],
    pub(crate) limits: Limits,
}

impl Pin {
    pub(crate) fn kind(&self, motor: Motor) -> JointKind {
        JointKind::Revolute(Revolute { limits: Some(self.limits), motor: Some(motor), ..Revolute::default() })
    }
}

/// A point of single precision, as the drop-in makes it of Python's numbers.
pub(crate) fn point(x: f64, y: f64) -> Vec2 {
    vec2(x as f32, y as f32)
}

/// A convex polygon with these vertices in pixels.
pub(crate) fn polygon(pixels: &[[f64; 2]]) -> ShapeDef {
    let corners: Vec<[f64; 2]> = pixels.iter().map(|&[x, y]| [x / SCALE, y / SCALE]).collect();
    convex(corners)
}

/// The hull of some points, from the leftmost one on, as `b2PolygonShape.vertices` orders them.
pub(crate) fn convex(mut points: Vec<[f64; 2]>) -> ShapeDef {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let mut hull = half_hull(points.iter().copied());
    hull.extend(half_hull(points.iter().rev().copied()));
    plain(ShapeDef::new(Outline::Convex(hull.into_iter().map(|[x, y]| point(x, y)).collect())))
}

/// The lower half of a hull of points that come from left to right, without its last point (A. Andrew, 1979).
fn half_hull(points: impl Iterator<Item = [f64; 2]>) -> Vec<[f64; 2]> {
    let mut chain: Vec<[f64; 2]> = Vec::new();
    for [x, y] in points {
        while let [.., [a_x, a_y], [b_x, b_y]] = chain[..] {
            if (b_x - a_x) * (y - b_y) - (b_y - a_y) * (x - b_x) > 0.0 {
                break;
            }
            chain.pop();
        }
        chain.push([x, y]);
    }
    chain.pop();
    chain
}

/// A box of half sizes in metres.
pub(crate) fn box_of(half_width: f64, half_height: f64) -> ShapeDef {
    plain(ShapeDef::new(Outline::Convex(box_corners(half_width as f32, half_height as f32))))
}

/// An edge.
pub(crate) fn edge(a: [f64; 2], b: [f64; 2]) -> ShapeDef {
    plain(ShapeDef::segment(point(a[0], a[1]), point(b[0], b[1])))
}

/// The filter of what meets nothing but the ground.
pub(crate) fn meets_ground(category: u64) -> Filter {
    Filter { category, mask: 1, group: 0 }
}

/// A number as Python's `abs` and `min(.., 1)` leave it.
pub(crate) fn strength(action: f32) -> f32 {
    min64(f64::from(action.abs()), 1.0) as f32
}
