//! What makes a world of the engine play the game of pybox2d: settings, the solver, turns that are counted, and which
//! touches begin and end. The drop-in and `carom.gym` share it, so both give the same bits.

use carom2d::math::{Vec2, vec2};
use carom2d::{BodyDef, BodyId, BodyKind, Events, Filter, ShapeDef, ShapeId, Solver, World, WorldDef};
use std::collections::BTreeSet;

/// Approach speed in m/s below which nothing rebounds: pybox2d's `velocityThreshold`.
const REBOUND_SPEED: f32 = 1.0;
/// Speed in m/s under which a body counts as at rest: pybox2d's `linearSleepTolerance`.
const SLEEP_SPEED: f32 = 0.01;

/// Up to this many moving bodies all constraints are solved at once, in one step as Box2D makes it. Machines of few bodies
/// with strong motors on light limbs, pressed against their limits, come to rest that way; heaps would take too long.
const FEW_BODIES: usize = 64;

/// The settings of a new world.
pub(crate) fn world_def() -> WorldDef {
    WorldDef { restitution_speed: REBOUND_SPEED, ..WorldDef::default() }
}

/// A body of which nothing has been said yet.
pub(crate) fn body_def(kind: BodyKind) -> BodyDef {
    BodyDef { kind, sleep_speed: SLEEP_SPEED, ..BodyDef::dynamic() }
}

/// The default surface of a fixture.
pub(crate) fn plain(mut def: ShapeDef) -> ShapeDef {
    def.density = 0.0;
    def.friction = 0.2;
    def.restitution = 0.0;
    def.filter = Filter { category: 1, mask: 0xFFFF, group: 0 };
    def
}

/// The corners of a box, in the order of `b2PolygonShape.SetAsBox`.
pub(crate) fn box_corners(half_width: f32, half_height: f32) -> Vec<Vec2> {
    let (x, y) = (half_width, half_height);
    vec![vec2(-x, -y), vec2(x, -y), vec2(x, y), vec2(-x, y)]
}

/// Gives a world the solver that suits its number of moving bodies.
pub(crate) fn choose_solver(world: &mut World, moving: usize) {
    let (solver, substeps) = if moving <= FEW_BODIES { (Solver::Direct, 1) } else { (Solver::SoftStep, 4) };
    let def = *world.def();
    if def.solver != solver {
        // Both are in range.
        world.set_def(WorldDef { solver, substeps, ..def }).ok();
    }
}

/// The angle that is this one on the circle and nearest to another that counts turns.
pub(crate) fn unwound(wrapped: f32, near: f32) -> f32 {
    const TURN: f32 = std::f32::consts::TAU;
    wrapped + TURN * ((near - wrapped) / TURN).round()
}

/// The angle of a body after a step, if it moved, given its angle before.
pub(crate) fn turned(world: &World, id: BodyId, before: f32, dt: f32) -> Option<f32> {
    let body = world.body(id);
    body.is_awake().then(|| unwound(body.angle(), before + body.angular_velocity() * dt))
}

/// A change of a contact that is reported.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TouchChange {
    Begin,
    End,
}

/// Pairs of shapes whose begin was reported and whose end was not, the lower handle first.
#[derive(Default)]
pub(crate) struct Touches {
    now: BTreeSet<[u64; 2]>,
    /// Memory of `follow`.
    late: Vec<[ShapeId; 2]>,
}

impl Touches {
    /// Writes the changes of the last step: ends of touches that were known, begins, and ends of touches that began in
    /// the step.
    pub(crate) fn follow(&mut self, events: &Events, changes: &mut Vec<(TouchChange, [ShapeId; 2])>) {
        changes.clear();
        self.late.clear();
        let key = |pair: [ShapeId; 2]| pair.map(ShapeId::to_bits);
        let ordered = |a: ShapeId, b: ShapeId| if a <= b { [a, b] } else { [b, a] };
        let ends = (events.contact_end.iter().map(|event| ordered(event.shape_a, event.shape_b)))
            .chain(events.sensor_end.iter().map(|event| ordered(event.sensor, event.visitor)));
        let begins = (events.contact_begin.iter().map(|event| ordered(event.shape_a, event.shape_b)))
            .chain(events.sensor_begin.iter().map(|event| ordered(event.sensor, event.visitor)));
        for pair in ends {
            if self.now.remove(&key(pair)) {
                changes.push((TouchChange::End, pair));
            } else {
                self.late.push(pair);
            }
        }
        for pair in begins {
            if self.now.insert(key(pair)) {
                changes.push((TouchChange::Begin, pair));
            }
        }
        for &pair in &self.late {
            if self.now.remove(&key(pair)) {
                changes.push((TouchChange::End, pair));
            }
        }
    }

    /// Forgets the touches of some shapes, and says which they were.
    pub(crate) fn end(&mut self, shapes: &[ShapeId]) -> Vec<(TouchChange, [ShapeId; 2])> {
        let gone = |pair: &&[u64; 2]| shapes.iter().any(|shape| pair.contains(&shape.to_bits()));
        let gone: Vec<[u64; 2]> = self.now.iter().filter(gone).copied().collect();
        gone.iter().for_each(|pair| {
            self.now.remove(pair);
        });
        // The engine's own handles know which world they belong to.
        gone.into_iter().map(|pair| (TouchChange::End, pair.map(ShapeId::from_bits))).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.now.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.now.clear();
    }
}
