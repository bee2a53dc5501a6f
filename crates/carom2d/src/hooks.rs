//! Hooks: code of the caller that a step asks about single pairs and contacts, and one-way shapes, which
//! need no code.
//!
//! Hooks decide from what they are shown and see nothing else of the world, so a step may ask in any order
//! and on any thread. It asks in the order of shape indices.

use crate::attach::{Shape, ShapeId};
use crate::body::{BodyId, BodyKind, BodyState};
use crate::collide::LINEAR_SLOP;
use crate::contact::ContactManifold;
use crate::material::Material;
use crate::math::{Pose, Vec2, clamp, max, unit_and_length};
use crate::stage::StepContext;
use crate::world::WorldState;

/// Decides about single pairs of shapes during a step. Passed to [`World::step_with`](crate::World::step_with).
///
/// Both questions have an answer by default, so implement what you need. A hook must answer the same
/// whenever it is shown the same, or the simulation is not repeatable.
///
/// ```
/// use carom2d::prelude::*;
/// use carom2d::{ContactView, Hooks};
///
/// /// Shapes marked with 7 are icy, whatever touches them.
/// struct Ice;
/// impl Hooks for Ice {
///     fn modify_contact(&self, contact: &mut ContactView) {
///         if contact.a().shape_data == 7 || contact.b().shape_data == 7 {
///             contact.friction = 0.02;
///         }
///     }
/// }
/// let mut world = World::new(WorldDef::default());
/// world.step_with(1.0 / 60.0, &Ice);
/// ```
pub trait Hooks: Sync {
    /// May these two shapes meet at all? Asked when their boxes come near each other, after filters have
    /// allowed it. A pair that is ignored is asked about again when one of them has moved on; one that meets,
    /// only after their boxes have come apart.
    fn filter_pair(&self, pair: &PairView) -> Pair {
        let _ = pair;
        Pair::Meet
    }

    /// Changes a contact for this step: its surface, or whether it acts at all. Asked in each step, before
    /// solving, about every contact whose surfaces touch or nearly do. Also asked when a fast body has met
    /// something on its way through the step; there only the [response](ContactView::response) counts.
    fn modify_contact(&self, contact: &mut ContactView) {
        let _ = contact;
    }
}

/// Whether two shapes meet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pair {
    /// They collide, or sense each other.
    #[default]
    Meet,
    /// They take no notice of each other.
    Ignore,
}

/// Whether a contact acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Response {
    /// It pushes and rubs.
    #[default]
    Push,
    /// The shapes pass through each other in this step. They do not touch: a touch that was there ends.
    Pass,
}

/// What a contact did in the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactPhase {
    /// The surfaces were not near each other.
    Begin,
    /// They were, and the contact acted.
    Persist,
    /// They were, and passed through each other ([`Response::Pass`]).
    Passing,
}

/// One of two shapes, as hooks see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeView {
    /// The shape.
    pub shape: ShapeId,
    /// What the user stored with it.
    pub shape_data: u64,
    /// Its own surface.
    pub material: Material,
    /// The body that carries it.
    pub body: BodyId,
    /// What the user stored with that.
    pub body_data: u64,
    /// What moves the body.
    pub kind: BodyKind,
    /// Where the body is.
    pub pose: Pose,
    /// Velocity of its centre of mass in m/s.
    pub velocity: Vec2,
    /// Angular velocity in rad/s.
    pub angular_velocity: f32,
}

/// Two shapes that came near each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairView {
    /// The shape with the lower index.
    pub a: ShapeView,
    /// The other shape.
    pub b: ShapeView,
    /// Is one of them a sensor?
    pub sensor: bool,
}

/// A point of a contact, as hooks see it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PointView {
    /// Where, in world coordinates.
    pub point: Vec2,
    /// Distance between the surfaces in metres; negative when they overlap.
    pub separation: f32,
    /// Velocity of b against a at the point in m/s.
    pub velocity: Vec2,
    /// Its part along the normal; negative when approaching.
    pub approach_velocity: f32,
}

/// A contact that is about to be solved. What a hook writes into its fields lasts for this step. Numbers out
/// of range are brought into it, and NaN changes nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactView {
    a: ShapeView,
    b: ShapeView,
    normal: Vec2,
    points: [PointView; 2],
    count: u8,
    phase: ContactPhase,
    /// Coefficient of friction, 0 to 1e6. Mixed from both shapes.
    pub friction: f32,
    /// Coefficient of restitution, 0 to 1. Mixed from both shapes.
    pub restitution: f32,
    /// Resistance to rolling in metres, 0 to 1e6.
    pub rolling_resistance: f32,
    /// Speed at which the surfaces carry b along the tangent `(n.y, -n.x)`, in m/s, -1e6 to 1e6.
    pub surface_speed: f32,
    /// Does the contact act? [One-way shapes](crate::ShapeDef::one_way) have answered already.
    pub response: Response,
}

impl ContactView {
    /// The shape with the lower index.
    pub fn a(&self) -> &ShapeView {
        &self.a
    }

    /// The other shape.
    pub fn b(&self) -> &ShapeView {
        &self.b
    }

    /// Unit normal from a to b.
    pub fn normal(&self) -> Vec2 {
        self.normal
    }

    /// The points of the contact: one or two.
    pub fn points(&self) -> &[PointView] {
        &self.points[..self.count as usize]
    }

    /// What the contact did in the last step.
    pub fn phase(&self) -> ContactPhase {
        self.phase
    }

    fn take_material(&self, mixed: Material) -> Material {
        let usable = |value: f32, old: f32, low: f32, high: f32| {
            if value.is_nan() { old } else { clamp(value, low, high) }
        };
        Material {
            friction: usable(self.friction, mixed.friction, 0.0, 1.0e6),
            restitution: usable(self.restitution, mixed.restitution, 0.0, 1.0),
            rolling_resistance: usable(self.rolling_resistance, mixed.rolling_resistance, 0.0, 1.0e6),
            surface_speed: usable(self.surface_speed, mixed.surface_speed, -1.0e6, 1.0e6),
        }
    }
}

/// A contact as it is or, for a fast body, as it would be.
pub(crate) struct Touch {
    pub(crate) shapes: [u32; 2],
    pub(crate) poses: [Pose; 2],
    pub(crate) normal: Vec2,
    pub(crate) points: [PointView; 2],
    pub(crate) count: u8,
    pub(crate) phase: ContactPhase,
    pub(crate) material: Material,
}

/// Does a hook allow two shapes to meet?
pub(crate) fn allow_pair(world: &WorldState, hooks: &dyn Hooks, a: u32, b: u32) -> bool {
    let (shape_a, shape_b) = (&world.shapes[a], &world.shapes[b]);
    let pose = |shape: &Shape| world.sim(shape.body).pose();
    let pair = PairView {
        a: shape_view(world, a, pose(shape_a)),
        b: shape_view(world, b, pose(shape_b)),
        sensor: shape_a.sensor || shape_b.sensor,
    };
    hooks.filter_pair(&pair) == Pair::Meet
}

/// What one-way shapes and hooks say to a contact.
pub(crate) fn judge(world: &WorldState, context: &StepContext, touch: &Touch) -> (Response, Material) {
    let response = one_way_response(world, context, touch);
    let Some(hooks) = context.hooks else { return (response, touch.material) };
    let Material { friction, restitution, rolling_resistance, surface_speed } = touch.material;
    let mut view = ContactView {
        a: shape_view(world, touch.shapes[0], touch.poses[0]),
        b: shape_view(world, touch.shapes[1], touch.poses[1]),
        normal: touch.normal,
        points: touch.points,
        count: touch.count,
        phase: touch.phase,
        friction,
        restitution,
        rolling_resistance,
        surface_speed,
        response,
    };
    hooks.modify_contact(&mut view);
    (view.response, view.take_material(touch.material))
}

/// The least cosine between a one-way direction and the normal of what it holds: 60 degrees.
const FACING: f32 = 0.5;

/// A one-way shape holds what came to lie on its open side, and nothing else.
///
/// What is on its way through, by the memory of the contact, stays so until it is out on the open side: a
/// box that turns round halfway falls back, it is not thrown out.
fn one_way_response(world: &WorldState, context: &StepContext, touch: &Touch) -> Response {
    let points = &touch.points[..touch.count as usize];
    let depth = points.iter().fold(f32::MIN, |depth, point| max(depth, -point.separation));
    let approach = points.iter().fold(0.0, |approach, point| max(approach, -point.approach_velocity));
    let holds = |side: usize, outwards: Vec2| {
        let Some(direction) = world.shapes[touch.shapes[side]].one_way else { return true };
        let (direction, _) = unit_and_length(touch.poses[side].q.rotate(direction));
        let deepest = match touch.phase {
            ContactPhase::Persist => f32::INFINITY,
            ContactPhase::Passing => LINEAR_SLOP,
            // It may have been found late: no deeper than its speed explains.
            ContactPhase::Begin => LINEAR_SLOP + approach * context.dt,
        };
        outwards.dot(direction) >= FACING && depth <= deepest
    };
    if holds(0, touch.normal) && holds(1, -touch.normal) { Response::Push } else { Response::Pass }
}

fn shape_view(world: &WorldState, index: u32, pose: Pose) -> ShapeView {
    let shape = &world.shapes[index];
    let body = &world.bodies[shape.body];
    let state = world.state(shape.body).unwrap_or(&BodyState::REST);
    ShapeView {
        shape: world.shapes.id_at(index).expect("a shape that is asked about exists"),
        shape_data: shape.user_data,
        material: shape.material,
        body: world.bodies.id_at(shape.body).expect("a shape's body exists"),
        body_data: body.user_data,
        kind: body.kind,
        pose,
        velocity: state.velocity,
        angular_velocity: state.angular_velocity,
    }
}

impl WorldState {
    /// Asks one-way shapes and hooks about a contact whose manifold is new, and does what they say.
    pub(crate) fn ask_about_contact(&mut self, context: &StepContext, index: u32) {
        if self.contacts[index].modified {
            self.remix(index);
        }
        let contact = &self.contacts[index];
        let manifold = &contact.manifold;
        if manifold.count == 0 {
            self.contacts[index].set_answer(false, false);
            return;
        }
        let (sim_a, sim_b) = (self.sim(contact.body_a), self.sim(contact.body_b));
        let touch = Touch {
            shapes: [contact.shape_a, contact.shape_b],
            poses: [sim_a.pose(), sim_b.pose()],
            normal: manifold.normal,
            points: self.point_views([contact.body_a, contact.body_b], sim_a.center, manifold),
            count: manifold.count,
            phase: contact.phase(),
            material: contact.material,
        };
        let (response, material) = judge(self, context, &touch);
        let contact = &mut self.contacts[index];
        contact.set_answer(material != contact.material, response == Response::Pass);
        contact.material = material;
        if contact.passing {
            contact.manifold.count = 0;
            contact.rolling_impulse = 0.0;
        }
    }

    /// The points of a manifold for hooks; `center_a` is where the anchors of body a start.
    pub(crate) fn point_views(&self, bodies: [u32; 2], center_a: Vec2, manifold: &ContactManifold) -> [PointView; 2] {
        let [state_a, state_b] = bodies.map(|body| self.state(body).unwrap_or(&BodyState::REST));
        manifold.points.map(|point| {
            let velocity = state_b.velocity_at(point.anchor_b) - state_a.velocity_at(point.anchor_a);
            PointView {
                point: center_a + point.anchor_a,
                separation: point.separation,
                velocity,
                approach_velocity: velocity.dot(manifold.normal),
            }
        })
    }
}
