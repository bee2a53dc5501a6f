//! What a body meets first on its way.

use super::mover::{Late, Mover};
use super::paths::{Other, moves_far, path_box};
use crate::attach::Shape;
use crate::body::{BodyKind, NONE};
use crate::broad::Kinds;
use crate::collide::{LINEAR_SLOP, Reference, SPECULATIVE_DISTANCE, collide};
use crate::contact::{Contact, ContactManifold};
use crate::hooks::{ContactPhase, Response, Touch, allow_pair, judge};
use crate::math::{Aabb, Pose, Vec2};
use crate::shape::Sweep;
use crate::stage::StepContext;
use crate::stage::finalize::FastBody;
use crate::stage::foresee::BOUNCY;
use crate::stage::pairs::may_meet;
use crate::world::WorldState;
use carom_core::Bvh;

/// What a body is swept against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Against {
    Fixed,
    /// Fixed and kinematic bodies.
    Immovable,
    Dynamic,
}

impl Against {
    fn includes(self, kind: BodyKind) -> bool {
        match self {
            Against::Fixed => kind == BodyKind::Fixed,
            Against::Immovable => kind != BodyKind::Dynamic,
            Against::Dynamic => kind == BodyKind::Dynamic,
        }
    }
}

/// What is at hand while bodies look for what they met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Search {
    pub(crate) targets: Vec<u32>,
    /// The last body that was found near another: most are near the same few.
    pub(crate) other: Other,
}

/// What a body met first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    /// When, as a fraction of the step.
    pub(crate) fraction: f32,
    /// The body it met, and how that moved.
    pub(crate) body: u32,
    pub(crate) sweep: Sweep,
}

/// What fast bodies are swept through.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) world: &'a WorldState,
    pub(crate) context: &'a StepContext<'a>,
    /// All fast bodies, and the paths of those that others may meet.
    pub(crate) fast: &'a [FastBody],
    pub(crate) paths: &'a Bvh<Aabb>,
}

/// What a body meets first on its way, which ends at the pose `end`.
pub(crate) fn first_hit(
    &Surroundings { world, context, fast, paths }: &Surroundings<'_>,
    body: u32,
    sweep: &Sweep,
    end: Pose,
    against: Against,
    search: &mut Search,
) -> Option<Hit> {
    let mut first: Option<Hit> = None;
    let flies = fast.binary_search_by_key(&body, |fast| fast.body).is_ok_and(|place| fast[place].flies);
    // Most targets of a body are shapes of one other.
    let mut far = (NONE, false);
    for &shape in &world.bodies[body].shapes {
        let record = &world.shapes[shape];
        // What has parts moves as its parts.
        if record.sensor || !record.parts.is_empty() {
            continue;
        }
        let path = path_box(record.geometry.aabb(end), world.sim(body).extent, sweep);
        let Search { targets, other: met } = search;
        find_targets(world, record, &path, paths, against, targets);
        let mut mover = None;
        for &target in &*targets {
            let other = &world.shapes[target];
            if met.body != other.body {
                *met = Other::new(world, fast, other.body);
            }
            if far.0 != other.body {
                far = (other.body, moves_far(world, body, sweep, met));
            }
            if !far.1 {
                continue;
            }
            let other_sweep = met.sweep;
            let limit = first.map_or(1.0, |hit| hit.fraction);
            let Some(outline) = other.geometry.swept() else { continue };
            let Some(mover) = mover.get_or_insert_with(|| Mover::new(record)) else { break };
            let late = if flies && world.mix_materials(record, other).restitution < BOUNCY {
                Late::Seen
            } else {
                Late::SetRight
            };
            let is_still = other_sweep.translation == Vec2::ZERO && other_sweep.turn == 0.0;
            let at = (&outline, &other_sweep);
            if is_still && mover.surely_misses(sweep, world.sim(body).extent, at, late) {
                debug_assert!(mover.truly_misses(sweep, at, limit, late), "{sweep:?} {outline:?}");
                continue;
            }
            let Some(fraction) = mover.meets(sweep, at, limit, late) else { continue };
            if first.is_none_or(|hit| fraction < hit.fraction)
                && will_touch(world, context, (shape, sweep), (target, &other_sweep), fraction)
            {
                first = Some(Hit { fraction, body: other.body, sweep: other_sweep });
            }
        }
    }
    first
}

/// The shapes that one may have met, in the order of their indices.
fn find_targets(
    world: &WorldState,
    shape: &Shape,
    path: &Aabb,
    paths: &Bvh<Aabb>,
    against: Against,
    targets: &mut Vec<u32>,
) {
    targets.clear();
    let mask = if shape.filter.group == 0 { shape.filter.mask } else { u64::MAX };
    let mut look_at = |target: u32| {
        let other = &world.shapes[target];
        if against.includes(world.bodies[other.body].kind) && !other.sensor && may_meet(world, shape, other) {
            targets.push(target);
        }
        true
    };
    let kinds = if against == Against::Dynamic { Kinds::Dynamic } else { Kinds::Immovable };
    world.broad.query(path, mask, kinds, &mut look_at);
    paths.query(path, mask, &mut look_at);
    targets.sort_unstable();
    targets.dedup();
}

/// True when two shapes that have met will have a contact there that acts. Where they have none, nothing
/// would ever move the body on.
fn will_touch(
    world: &WorldState,
    context: &StepContext,
    mover: (u32, &Sweep),
    target: (u32, &Sweep),
    fraction: f32,
) -> bool {
    let (a, b) = if mover.0 < target.0 { (mover, target) } else { (target, mover) };
    let (shape_a, shape_b) = (&world.shapes[a.0], &world.shapes[b.0]);
    let poses = [a.1.pose_at(fraction), b.1.pose_at(fraction)];
    let found = collide(
        &shape_a.geometry,
        &shape_b.geometry,
        poses[0].inv_mul(poses[1]),
        SPECULATIVE_DISTANCE,
        Reference::None,
    );
    if found.count == 0 {
        return false;
    }
    if context.hooks.is_none() && shape_a.one_way.is_none() && shape_b.one_way.is_none() {
        return true;
    }
    let contact = world.pairs.get(a.0, b.0).map(|index| &world.contacts[index]);
    if contact.is_none() && context.hooks.is_some_and(|hooks| !allow_pair(world, hooks, a.0, b.0)) {
        return false;
    }
    let centers = [poses[0].point(a.1.local_center), poses[1].point(b.1.local_center)];
    let mut manifold =
        ContactManifold { normal: poses[0].q.rotate(found.normal), count: found.count, ..ContactManifold::default() };
    for (point, local) in manifold.points.iter_mut().zip(found.points()) {
        let place = poses[0].point(local.point);
        point.anchor_a = place - centers[0];
        point.anchor_b = place - centers[1];
        point.separation = local.separation;
    }
    let touch = Touch {
        shapes: [a.0, b.0],
        poses,
        normal: manifold.normal,
        points: world.point_views([shape_a.body, shape_b.body], centers[0], &manifold),
        count: manifold.count,
        phase: contact.map_or(ContactPhase::Begin, Contact::phase),
        material: world.mix_materials(shape_a, shape_b),
    };
    judge(world, context, &touch).0 == Response::Push
}

/// False when a body surely passed nothing that cannot be moved, by a circle around it. True for few, as a rule.
pub(crate) fn is_near_immovable(world: &WorldState, body: u32, paths: &Bvh<Aabb>) -> bool {
    let sim = world.sim(body);
    let way = Aabb::around(&[sim.center_before, sim.center]).grown(sim.extent + LINEAR_SLOP);
    let mut found = false;
    let mut stop = |_| {
        found = true;
        false
    };
    world.broad.query(&way, u64::MAX, Kinds::Immovable, &mut stop);
    paths.query(&way, u64::MAX, &mut stop);
    found
}
