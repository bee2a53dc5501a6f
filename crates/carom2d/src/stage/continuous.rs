//! Continuous collision: a body that moved so far in this step that it may have passed through something
//! is put back to where it met it.
//!
//! Contacts are looked for where bodies are at the start of a step, so a bullet that is before a wall at
//! one step and behind it at the next would never touch it. Here the way of every fast body is looked at
//! as a whole, turning included ([`crate::shape::time_of_impact`]): against fixed and kinematic bodies
//! first, then, for [bullets](crate::BodyDef::bullet) and what became fast by a bouncy hit in this step, which could not be
//! foreseen, against all others. A body that met something
//! waits there until the next step, whose contact stage finds it, a hair in front of the surface and with
//! the velocity it came with. So what the impact does is decided in one place, by the solver.
//!
//! What moves itself takes along what it meets: a body that a paddle hit stays in front of the paddle.
//!
//! A limb that waits at a stair would be left behind by the rest of the person, and joints that were pulled
//! apart pull back. So what is joined to a body that was put back goes back to the same moment with it.
//!
//! # Which meetings count
//!
//! A box that slides over a floor of tiles lies a hair deep in the floor, and in its way is the side of
//! every next tile, a hair high. To stop there would be wrong. So what is swept is the body without its
//! skin ([`Proxy::eroded`]): only what would go deeper than the skin is a meeting, and the body is then
//! put back to where its surface, not its core, came near. If its surface was near from the start, to
//! where the core is. A body that starts deeper than its skin, in a heap or where it was put, is swept
//! with smaller cores; deeper still, the contact that it surely has must do.
//!
//! # Energy
//!
//! A body in free flight that is put back by the way `D` has a velocity that belongs to the end of that
//! way. What its acceleration `a` gave it along `D` is taken back with it:
//! `|v|^2 / 2` changes by `-a . D`, so a ball that bounces forever does so with or without this stage.

use super::StepContext;
use super::finalize::{FAST, FastBody};
use super::foresee::BOUNCY;
use super::integrate::SpeedLimits;
use super::pairs::may_meet;
use crate::attach::Shape;
use crate::body::{Body, BodyKind, NONE};
use crate::broad::Kinds;
use crate::collide::{LINEAR_SLOP, Reference, SPECULATIVE_DISTANCE, collide};
use crate::contact::{Contact, ContactManifold};
use crate::hooks::{ContactPhase, Response, Touch, allow_pair, judge};
use crate::joint::JointKind;
use crate::math::{Aabb, Pose, Rot, Vec2, clamp, max, min, right_perp, unit_and_length};
use crate::shape::{Meeting, Proxy, Sweep, distance, time_of_impact};
use crate::world::World;
use carom_core::Bvh;
use std::cell::OnceCell;
use std::f32::consts::TAU;
use std::ops::Range;

/// Puts fast bodies back to where they met something. The list of fast bodies stays, for sensors.
pub(crate) fn put_back_fast_bodies(world: &mut World, context: &StepContext) {
    if world.finished.fast.is_empty() {
        return;
    }
    let mut fast = std::mem::take(&mut world.finished.fast);
    add_bodies_near_fast_kinematics(world, &mut fast);
    // By body, so that it does not matter where the bodies sit in the awake set.
    fast.sort_by_key(|fast| fast.body);
    fast.dedup_by_key(|fast| fast.body);
    for fast in &mut fast {
        fast.bullet |= is_thrown(world, fast, context.dt);
    }
    let mut sweeps = std::mem::take(&mut world.finished.sweeps);
    add_paths(world, &fast, &mut sweeps.paths);
    // What cannot be moved is where it is, whoever is put back: all may look at the same time.
    let Sweeps { paths, looks, held, .. } = &mut sweeps;
    let grain = context.crew.grain(fast.len(), LEAST_FAST);
    context.crew.for_lists(looks, fast.len(), grain, |range, look| {
        find_stops(world, context, &fast, range, paths, look);
    });
    for look in looks {
        for stop in look.stops.drain(..) {
            held.extend(put_back(world, context, &mut fast, &stop));
        }
    }
    hold_back_what_is_joined(world, &mut fast, &sweeps.held);
    sweeps.held.clear();
    // Each bullet meets the others where they have got to by now, those before it included.
    for place in 0..fast.len() {
        if fast[place].bullet && fast[place].kind == BodyKind::Dynamic {
            let Sweeps { paths, search, held, .. } = &mut sweeps;
            search.other = Other::NOBODY;
            if let Some(stop) = find_stop(world, context, &fast, place, paths, Against::Dynamic, search) {
                held.extend(put_back(world, context, &mut fast, &stop));
            }
        }
    }
    hold_back_what_is_joined(world, &mut fast, &sweeps.held);
    sweeps.held.clear();
    sweeps.paths.clear();
    world.finished.sweeps = sweeps;
    world.finished.fast = fast;
}

/// True for what a hit within the step has sent another way, farther than contacts reach, and may hand the blow on.
/// What it meets there is not known to `foresee.rs`, which looks at the velocities of the start of the step.
fn is_thrown(world: &World, fast: &FastBody, dt: f32) -> bool {
    let before = world.motions.get(fast.body).map_or(Vec2::ZERO, |motion| motion.velocity);
    let Some(state) = world.state(fast.body) else { return false };
    fast.kind == BodyKind::Dynamic
        && (state.velocity - before).length_squared() * dt * dt > SPECULATIVE_DISTANCE * SPECULATIVE_DISTANCE
        && world.bodies[fast.body].shapes.iter().any(|&shape| world.shapes[shape].material.restitution >= BOUNCY)
}

/// Memory of this stage.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweeps {
    /// The ways of what is fast itself and may be met: the broad phase knows only where they ended.
    paths: Bvh<Aabb>,
    /// Of each run of bodies.
    looks: Vec<Look>,
    search: Search,
    held: Vec<Held>,
}

/// What a run of bodies met.
#[derive(Clone, Debug, Default)]
struct Look {
    search: Search,
    stops: Vec<Stop>,
}

/// Fewer fast bodies than this are not worth another thread.
pub(super) const LEAST_FAST: usize = 8;

/// What is at hand while bodies look for what they met.
#[derive(Clone, Debug, Default)]
struct Search {
    targets: Vec<u32>,
    /// The last body that was found near another: most are near the same few.
    other: Other,
}

/// A body that may have been met.
#[derive(Clone, Copy, Debug)]
pub(super) struct Other {
    pub(super) body: u32,
    /// How it moved.
    pub(super) sweep: Sweep,
    /// Its rotations before and after.
    rotations: [Rot; 2],
}

impl Other {
    pub(super) const NOBODY: Other = Other {
        body: NONE,
        sweep: Sweep {
            center: Vec2::ZERO,
            translation: Vec2::ZERO,
            rotation: Rot::IDENTITY,
            turn: 0.0,
            local_center: Vec2::ZERO,
        },
        rotations: [Rot::IDENTITY; 2],
    };

    pub(super) fn new(world: &World, fast: &[FastBody], body: u32) -> Other {
        let turn = match fast.binary_search_by_key(&body, |fast| fast.body) {
            Ok(place) => fast[place].turn(world),
            Err(_) => turn_of(world, body, 0.0),
        };
        let sweep = sweep_of(world, body, turn);
        Other { body, sweep, rotations: [0.0, 1.0].map(|fraction| sweep.rotation_at(fraction)) }
    }
}

impl Default for Other {
    fn default() -> Other {
        Other::NOBODY
    }
}

/// What a body is swept against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Against {
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

/// A fast paddle may pass through a ball that rests: such balls are looked at, too.
fn add_bodies_near_fast_kinematics(world: &World, fast: &mut Vec<FastBody>) {
    for place in 0..fast.len() {
        let FastBody { body: mover, kind, .. } = fast[place];
        if kind != BodyKind::Kinematic {
            continue;
        }
        let sweep = sweep_of(world, mover, fast[place].turn(world));
        for &shape in &world.bodies[mover].shapes {
            let path = path_box(world.tight_aabb(shape), world.sim(mover).extent, &sweep);
            world.broad.query(&path, u64::MAX, Kinds::Dynamic, &mut |other| {
                let body = world.shapes[other].body;
                let Body { kind, bullet, .. } = world.bodies[body];
                if kind == BodyKind::Dynamic {
                    fast.push(FastBody {
                        body,
                        kind,
                        bullet,
                        spin: 0.0,
                        turn: None,
                        flies: false,
                        acceleration: Vec2::ZERO,
                    });
                }
                true
            });
        }
    }
}

/// Adds the ways of what is fast itself and may be met.
fn add_paths(world: &World, fast: &[FastBody], paths: &mut Bvh<Aabb>) {
    let bullets = fast.iter().any(|fast| fast.bullet);
    for fast in fast {
        if fast.kind == BodyKind::Kinematic || bullets {
            let sweep = sweep_of(world, fast.body, fast.turn(world));
            for &shape in &world.bodies[fast.body].shapes {
                let record = &world.shapes[shape];
                let path = path_box(world.tight_aabb(shape), world.sim(fast.body).extent, &sweep);
                paths.insert(path, record.broad_filter().category, shape);
            }
        }
    }
}

impl FastBody {
    /// By how much it turned, in radians, full turns counted.
    pub(super) fn turn(&self, world: &World) -> f32 {
        self.turn.unwrap_or_else(|| turn_of(world, self.body, self.spin))
    }
}

/// The angle by which a body turned in this step, about `spin` radians: full turns count.
fn turn_of(world: &World, body: u32, spin: f32) -> f32 {
    let sim = world.sim(body);
    let rotation = sim.rotation_before.inv_mul(sim.rotation);
    let still = sim.rotation == sim.rotation_before || rotation == Rot::IDENTITY;
    let angle = if still { 0.0 } else { rotation.angle() };
    // Below half a turn there is nothing to doubt, and a blow may have changed the spin.
    if spin.abs() <= 3.0 { angle } else { angle + TAU * ((spin - angle) / TAU).round() }
}

/// False when a body surely passed nothing that cannot be moved, by a circle around it. True for few, as a rule.
fn is_near_immovable(world: &World, body: u32, paths: &Bvh<Aabb>) -> bool {
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

/// How a body moved in this step.
pub(super) fn sweep_of(world: &World, body: u32, turn: f32) -> Sweep {
    let sim = world.sim(body);
    Sweep {
        center: sim.center_before,
        translation: sim.center - sim.center_before,
        rotation: sim.rotation_before,
        turn,
        local_center: sim.local_center,
    }
}

/// A box around everything that a shape passes over on its way to `end`, its box there, with a body that
/// reaches `extent` far from its centre.
pub(super) fn path_box(end: Aabb, extent: f32, sweep: &Sweep) -> Aabb {
    let shifted = Aabb::new(end.min - sweep.translation, end.max - sweep.translation);
    // Turning takes no point farther than along its arc.
    end.union(&shifted).grown(extent * min(2.0, sweep.turn.abs()))
}

/// A moving shape, whole and without its skin.
pub(super) struct Mover {
    pub(super) whole: Proxy,
    /// How deep in it its cores are, from the first that is tried to the last ...
    depths: [f32; 3],
    /// ... and these, once somebody asks: most never meet anything with the first.
    cores: [OnceCell<Proxy>; 3],
    /// How far it is put from what it meets.
    pub(super) gap: f32,
}

impl Mover {
    /// Thickness of the skin in metres, and at most as a fraction of the shape's inner extent.
    const SKIN: f32 = 2.0 * LINEAR_SLOP;
    const SKIN_PER_EXTENT: f32 = 0.25;

    pub(super) fn new(shape: &Shape) -> Option<Mover> {
        let whole = shape.geometry.swept()?;
        let inner = shape.geometry.inner_extent();
        let skin = min(Mover::SKIN, Mover::SKIN_PER_EXTENT * inner);
        Some(Mover {
            whole,
            depths: [skin, 0.5 * inner, 0.9 * inner],
            cores: Default::default(),
            gap: clamp(0.25 * skin, 1.0e-5, 0.1 * LINEAR_SLOP),
        })
    }

    /// How far it surely stays clear of a shape at rest: along the outward normal of an edge of that shape, it is always
    /// farther out, by this much, than the gap at which they would meet. Negative where it may come nearer.
    ///
    /// A corner at `r` from the centre, which turns by `t` on the way, is nowhere lower than where it is at the lower end
    /// of the way, less `r t^2 / 8`. A core is higher than the whole by as much as it is deep.
    fn clearance(&self, sweep: &Sweep, extent: f32, target: &Proxy, pose: Pose) -> f32 {
        let corners = &target.points[..target.count];
        if corners.len() < 2 || sweep.turn.abs() > 1.0 {
            return f32::MIN;
        }
        // The edge that the middle of the way is farthest out of, with the target as it lies.
        let middle = pose.inv_point(sweep.center + 0.5 * sweep.translation);
        let (mut normal, mut start, mut out) = (Vec2::ZERO, Vec2::ZERO, f32::MIN);
        for (i, &corner) in corners.iter().enumerate() {
            let next = corners[if i + 1 < corners.len() { i + 1 } else { 0 }];
            let (outwards, _) = unit_and_length(right_perp(next - corner));
            let distance = outwards.dot(middle - corner);
            if distance > out {
                (normal, start, out) = (outwards, corner, distance);
            }
        }
        let (normal, start) = (pose.q.rotate(normal), pose.point(start));
        let lowest = |fraction: f32| {
            let (center, rotation) = (sweep.center + sweep.translation * fraction, sweep.rotation_at(fraction));
            let points = &self.whole.points[..self.whole.count];
            let arms = points.iter().map(|&point| rotation.rotate(point - sweep.local_center).dot(normal));
            (center - start).dot(normal) + arms.fold(f32::MAX, min)
        };
        let sag = 0.125 * extent * sweep.turn * sweep.turn;
        let reach = self.whole.radius + target.radius + 2.0 * self.gap + sag;
        let rounding = 1.0e-6 * (sweep.center.x.abs() + sweep.center.y.abs() + extent);
        min(lowest(0.0), lowest(1.0)) - (reach + 0.1 * LINEAR_SLOP + 4.0 * rounding)
    }

    /// True when it surely does not meet a shape at rest, which is found without looking along the way: its first core
    /// stays clear of it, or it ends up shallow in it and has not been deep.
    fn surely_misses(&self, sweep: &Sweep, extent: f32, (target, target_sweep): (&Proxy, &Sweep), late: Late) -> bool {
        let clearance = self.clearance(sweep, extent, target, target_sweep.pose_at(0.0));
        clearance + self.depths[0] > 0.0
            || late == Late::SetRight
                && clearance + self.depths[1] > 0.0
                && self.overlaps_at_the_end(sweep, target, target_sweep)
    }

    fn overlaps_at_the_end(&self, sweep: &Sweep, target: &Proxy, target_sweep: &Sweep) -> bool {
        let end = target_sweep.pose_at(1.0).inv_mul(sweep.pose_at(1.0));
        distance(target, &self.whole, end).distance <= 0.0
    }

    pub(super) fn core(&self, place: usize) -> &Proxy {
        self.cores[place].get_or_init(|| self.whole.eroded(self.depths[place]))
    }

    /// True when it overlaps a shape at some moment of the way. Shapes that come within a quarter of `gap` of each other
    /// count as well; shapes that are that near when the step begins or ends only if they overlap by more than the skin
    /// meanwhile, because they may touch in the step before or after.
    pub(super) fn crosses(&self, sweep: &Sweep, target: &Proxy, target_sweep: &Sweep) -> bool {
        let meeting = |mover: &Proxy| time_of_impact(target, target_sweep, mover, sweep, self.gap, 1.0);
        // A core that is as deep as it keeps distance meets what the surface meets.
        let end = target_sweep.pose_at(1.0).inv_mul(sweep.pose_at(1.0));
        match meeting(&self.whole.eroded(self.gap)) {
            Meeting::Never => false,
            Meeting::At(_) if distance(target, &self.whole, end).distance > self.gap => true,
            Meeting::At(_) | Meeting::FromStart => meeting(self.core(0)) != Meeting::Never,
        }
    }

    /// When it meets a shape, if before `limit`.
    fn meets(&self, sweep: &Sweep, (target, target_sweep): (&Proxy, &Sweep), limit: f32, late: Late) -> Option<f32> {
        let meeting = |mover: &Proxy, limit: f32| time_of_impact(target, target_sweep, mover, sweep, self.gap, limit);
        let deep = (0..self.cores.len()).find_map(|place| match meeting(self.core(place), limit) {
            Meeting::FromStart => None,
            known => Some(known),
        });
        let Some(Meeting::At(deep)) = deep else { return None };
        // What ends up shallow in the target has not passed it. The next step finds it late, and sets that
        // right without any time being lost.
        if late == Late::SetRight
            && self.overlaps_at_the_end(sweep, target, target_sweep)
            && meeting(self.core(1), 1.0) == Meeting::Never
        {
            return None;
        }
        // Back to where the surfaces came near. If they were near at the start already, like those of a
        // rod that stands on one end and comes down on the other, from the first moment that they were not.
        for start in [0.0, 0.5, 0.75, 0.875, 0.9375].map(|share| share * deep) {
            let (mover, still) = (sweep.between(start, deep), target_sweep.between(start, deep));
            match time_of_impact(target, &still, &self.whole, &mover, self.gap, 1.0) {
                Meeting::At(surface) => return Some(start + (deep - start) * surface),
                Meeting::Never => break,
                Meeting::FromStart => {}
            }
        }
        Some(deep)
    }
}

/// What becomes of a body that ends up shallow in what it met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Late {
    /// The next step finds it late, and sets that right without any time being lost.
    SetRight,
    /// It is put back: where nothing rebounds, time matters less than an overlap that is seen. Only for what flew through
    /// the whole step; what others press into a wall would be put back again and again.
    Seen,
}

/// What a body met first.
#[derive(Clone, Copy, Debug)]
struct Hit {
    /// When, as a fraction of the step.
    fraction: f32,
    /// The body it met, and how that moved.
    body: u32,
    sweep: Sweep,
}

/// What a body meets first on its way; `end_box` says where the boxes of its shapes are at the end of it.
fn first_hit(
    world: &World,
    context: &StepContext,
    fast: &[FastBody],
    body: u32,
    sweep: &Sweep,
    end_box: &dyn Fn(&Shape) -> Aabb,
    paths: &Bvh<Aabb>,
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
        let path = path_box(end_box(record), world.sim(body).extent, sweep);
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
                debug_assert_eq!(mover.meets(sweep, at, limit, late), None, "{sweep:?} {outline:?}");
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
    world: &World,
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

/// True when a body may have passed through something that moves as `other` does: what moves with it, like
/// clothes in a drum, cannot have.
pub(super) fn moves_far(world: &World, body: u32, sweep: &Sweep, other: &Other) -> bool {
    let sim = world.sim(body);
    let Other { sweep: other, rotations: [before, after], .. } = other;
    let arm = sweep.center - other.center;
    let seen_before = before.inv_rotate(arm);
    let seen_after = after.inv_rotate(arm + (sweep.translation - other.translation));
    let motion = (seen_after - seen_before).length() + (sweep.turn - other.turn).abs() * sim.extent;
    // Where both turn far, the ends alone say little.
    other.turn.abs() > 1.0 || motion > max(FAST * sim.thickness, 0.5 * SPECULATIVE_DISTANCE)
}

/// True when two shapes that have met will have a contact there that acts. Where they have none, nothing
/// would ever move the body on.
fn will_touch(
    world: &World,
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

/// A body that waits where it met something.
#[derive(Clone, Copy, Debug)]
struct Held {
    body: u32,
    /// How much of its way it went.
    fraction: f32,
}

/// Where a body is put back to, and why.
#[derive(Clone, Copy, Debug)]
struct Stop {
    /// Its place among the fast bodies.
    place: usize,
    /// How it gets there.
    way: Sweep,
    hit: Hit,
}

/// Finds out which bodies of a range met something that cannot be moved.
fn find_stops(
    world: &World,
    context: &StepContext,
    fast: &[FastBody],
    range: Range<usize>,
    paths: &Bvh<Aabb>,
    Look { search, stops }: &mut Look,
) {
    search.other = Other::NOBODY;
    for place in range {
        let FastBody { body, kind, .. } = fast[place];
        if kind == BodyKind::Dynamic && is_near_immovable(world, body, paths) {
            stops.extend(find_stop(world, context, fast, place, paths, Against::Immovable, search));
        }
    }
}

/// Finds out where a body met something.
fn find_stop(
    world: &World,
    context: &StepContext,
    fast: &[FastBody],
    place: usize,
    paths: &Bvh<Aabb>,
    against: Against,
    search: &mut Search,
) -> Option<Stop> {
    let body = fast[place].body;
    let sweep = sweep_of(world, body, fast[place].turn(world));
    let pose = world.sim(body).pose();
    let end_box = |shape: &Shape| shape.geometry.aabb(pose);
    let hit = first_hit(world, context, fast, body, &sweep, &end_box, paths, against, search)?;
    let mut way = Sweep { translation: sweep.translation * hit.fraction, turn: sweep.turn * hit.fraction, ..sweep };
    let carries = hit.sweep.translation != Vec2::ZERO || hit.sweep.turn != 0.0;
    if carries {
        // From there on it goes with what it met, but not through a wall.
        let met = sweep.pose_at(hit.fraction);
        let seen = hit.sweep.pose_at(hit.fraction).inv_mul(met);
        let center = met.point(sweep.local_center);
        let carried = Sweep {
            center,
            translation: hit.sweep.pose_at(1.0).compose(seen).point(sweep.local_center) - center,
            rotation: met.q,
            turn: hit.sweep.turn * (1.0 - hit.fraction),
            local_center: sweep.local_center,
        };
        let end_box = |shape: &Shape| shape.geometry.aabb(carried.pose_at(1.0));
        let wall = first_hit(world, context, fast, body, &carried, &end_box, paths, Against::Fixed, search);
        let share = wall.map_or(1.0, |wall| wall.fraction);
        way.translation = (center - sweep.center) + carried.translation * share;
        way.turn += carried.turn * share;
    }
    Some(Stop { place, way, hit })
}

/// Puts a body back to where it met something. Returns it if it waits there.
fn put_back(world: &mut World, context: &StepContext, fast: &mut [FastBody], stop: &Stop) -> Option<Held> {
    let Stop { place, way, hit } = stop;
    let FastBody { body, acceleration, .. } = fast[*place];
    fast[*place].turn = Some(way.turn);
    world.wake(body);
    let taken_back = world.sim(body).center - (way.center + way.translation);
    put(world, body, way);
    if world.bodies[hit.body].kind != BodyKind::Kinematic
        && let Some(state) = world.state_mut(body)
    {
        state.velocity = slowed(state.velocity, acceleration, taken_back, (1.0 - hit.fraction) * context.dt);
        // What rises was faster before.
        SpeedLimits::of(context).hold(state);
    }
    let carried = hit.sweep.translation != Vec2::ZERO || hit.sweep.turn != 0.0;
    (!carried).then_some(Held { body, fraction: hit.fraction })
}

/// Puts a body where its way ends.
fn put(world: &mut World, body: u32, way: &Sweep) {
    let sim = world.sim_mut(body);
    sim.center = way.center + way.translation;
    sim.rotation = way.rotation_at(1.0).normalized();
    move_boxes(world, body);
}

/// Tells the broad phase where the shapes of a body are now.
fn move_boxes(world: &mut World, body: u32) {
    let pose = world.sim(body).pose();
    for slot in 0..world.bodies[body].shapes.len() {
        let shape = world.bodies[body].shapes[slot];
        world.refresh_proxy(shape, pose, false);
    }
}

/// Most bodies that are held back together. The rest of a longer chain is left to its joints.
const MAX_JOINED: usize = 64;

/// Puts what is joined to bodies that wait back to the moment at which the first of them began to.
fn hold_back_what_is_joined(world: &mut World, fast: &mut [FastBody], held: &[Held]) {
    let mut seen: Vec<u32> = Vec::new();
    for first in held {
        if world.bodies[first.body].joints.is_empty() || seen.contains(&first.body) {
            continue;
        }
        let group = joined_bodies(world, first.body);
        let fraction_of = |body: u32| held.iter().find(|held| held.body == body).map_or(1.0, |held| held.fraction);
        let fraction = group.iter().fold(1.0, |least, &body| min(least, fraction_of(body)));
        for &body in &group {
            let place = fast.binary_search_by_key(&body, |fast| fast.body);
            let turn = place.map_or_else(|_| turn_of(world, body, 0.0), |place| fast[place].turn(world));
            let way = sweep_of(world, body, turn);
            // Some have been put back before, by less or as much.
            let (own, more) = (fraction_of(body), fraction < fraction_of(body));
            if more {
                let share = fraction / own;
                let way = Sweep { translation: way.translation * share, turn: way.turn * share, ..way };
                put(world, body, &way);
                if let Ok(place) = place {
                    fast[place].turn = Some(way.turn);
                }
            }
        }
        if fraction < 1.0 {
            let root = held.iter().find(|held| held.fraction == fraction && group.contains(&held.body));
            close_pins(world, &group, root.map_or(first.body, |held| held.body));
        }
        seen.extend(group);
    }
}

/// Closes the pins of bodies that went back to one moment, from the body on that met something.
///
/// On the way from one pose to the next the centre of a body is taken to move along a line, and its pin moves along a curve
/// that is `r t^2 / 8` away from that of the other body, at most, for an arm `r` and a turn `t`: 12 mm for a hand that swings
/// at 40 rad/s. What hangs on something fixed is left as it is.
fn close_pins(world: &mut World, group: &[u32], root: u32) {
    let is_held = |&joint: &u32, body: u32| {
        let other = world.joined_body(joint, body);
        world.bodies[other].kind != BodyKind::Dynamic
    };
    if group.iter().any(|&body| world.bodies[body].joints.iter().any(|joint| is_held(joint, body))) {
        return;
    }
    let mut placed = vec![root];
    let mut next = 0;
    while let Some(&body) = placed.get(next) {
        next += 1;
        for slot in 0..world.bodies[body].joints.len() {
            let joint = world.bodies[body].joints[slot];
            let def = &world.joints[joint].def;
            let other = world.joined_body(joint, body);
            if !matches!(def.kind, JointKind::Revolute(_)) || placed.contains(&other) || !group.contains(&other) {
                continue;
            }
            let [own, others] =
                if def.body_a.index() == body { [def.frame_a, def.frame_b] } else { [def.frame_b, def.frame_a] };
            let open = world.sim(body).pose().point(own.p) - world.sim(other).pose().point(others.p);
            world.sim_mut(other).center += open;
            move_boxes(world, other);
            placed.push(other);
        }
    }
}

/// A body and what joints hold to it, directly or not, as far as they go through bodies that can move.
fn joined_bodies(world: &World, body: u32) -> Vec<u32> {
    let mut group = vec![body];
    let mut next = 0;
    while next < group.len() && group.len() < MAX_JOINED {
        let body = group[next];
        next += 1;
        for &joint in &world.bodies[body].joints {
            let other = world.joined_body(joint, body);
            let moves = world.bodies[other].kind == BodyKind::Dynamic && world.is_awake(other);
            if moves && holds_together(&world.joints[joint].def.kind) && !group.contains(&other) {
                group.push(other);
            }
        }
    }
    group
}

/// True for joints that would be pulled apart. Drives and the pointer give way, and so do the others by their
/// springs, but nothing is lost where they did not have to.
fn holds_together(kind: &JointKind) -> bool {
    !matches!(kind, JointKind::Motor(_) | JointKind::Mouse(_) | JointKind::Pulley(_) | JointKind::Gear(_))
}

/// The velocity of a body in free flight before the last part of its way, which took `time` seconds.
///
/// `v - a t` with the `t` for which `|v|^2 / 2` changes by `-a . way`, the root of
/// `|a|^2 t^2 / 2 - (a . v) t + a . way = 0`. It is the time but for the difference between the curve and its
/// chord.
fn slowed(velocity: Vec2, acceleration: Vec2, way: Vec2, time: f32) -> Vec2 {
    let (along, work) = (acceleration.dot(velocity), acceleration.dot(way));
    let discriminant = along * along - 2.0 * acceleration.length_squared() * work;
    // Of two forms of the same root, the one without a difference of equals.
    let root = 2.0 * work / (along + discriminant.sqrt().copysign(along));
    // Near the top of its flight there may be no such time; NaN fails.
    let known = (root - time).abs() <= 0.5 * time;
    velocity - acceleration * if known { root } else { time }
}
