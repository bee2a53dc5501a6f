//! Contacts that will be made within the step.
//!
//! Points are looked for where shapes are at the start of a step, as far as [`SPECULATIVE_DISTANCE`]. What moves by more
//! than that against each other in a step would meet between two looks: the shapes would overlap for a step, and what they
//! hit would be set right late. So the way of each such pair is looked at as a whole (`shape/sweep.rs`). If the shapes meet
//! at a time `T` within the step, the contact gets the points and the normal that it will have *then*.
//!
//! The solver's blocks know gaps at the start of the step, and turn the cores of the anchors (`r` less the rounding, along
//! the normal `n`) with their bodies from there on. With the gap `s` at the time `T`, until which b moves against a by `D`
//! and the cores `c_a`, `c_b` turn by `R_a`, `R_b`, the gap at the start is therefore
//!
//! ```text
//! s - n . (D + (R_b - 1) c_b - (R_a - 1) c_a)
//! ```
//!
//! so that it is `s` at `T`. The arms of the impact are those of `T` from the beginning; `restitution.rs` knows `D` and both
//! turns.
//!
//! What does not rebound is foreseen where it would overlap by the end of the step: visibly, or at a corner. A body that is
//! hit passes the impact on to its neighbours (`impact/passing.rs`).
//!
//! A meeting counts when the shapes would go deeper into each other than the skin of the one that moves, as in
//! `continuous.rs`: a box that slides over a floor of tiles lies a hair deep in it and meets the side of every next tile.

use super::StepContext;
use super::contacts::{ContactCandidate, Surroundings, View, keep_points};
use crate::body::{BodyKind, NONE};
use crate::collide::{LINEAR_SLOP, Manifold, ManifoldPoint, Pairing, Reference, SPECULATIVE_DISTANCE, collide};
use crate::contact::{Contact, ContactId, ContactPoint, Impact, contact_of, side_of};
use crate::continuous::mover::Mover;
use crate::impact::passing::{is_hard_impact, pass_on_impacts};
use crate::math::{Pose, Rot, Vec2, max, min};
use crate::motion::{Motion, Motions};
use crate::shape::{Geometry, Meeting, Sweep, time_of_impact};
use crate::world::WorldState;
use carom_core::{BitSet, Pool};

/// How near the surfaces must be at the time of a foreseen contact, in metres.
const TOUCH: f32 = 0.02 * LINEAR_SLOP;
/// Steps of Newton's method for that time.
const ROUNDS: u32 = 4;

/// The least restitution of what is foreseen: it keeps a tenth of its energy when it hits. Less is as good as nothing: what is
/// lost by looking late is little beside what the hit takes.
pub(crate) const BOUNCY: f32 = 0.32;

/// Overlaps of less than this, in metres, may be found late where surfaces do not rebound.
pub(crate) const VISIBLE: f32 = 2.0 * LINEAR_SLOP;

/// What is known of a contact before it is looked at closely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outlook {
    /// None of its points is visibly deep by the end of the step.
    Open,
    /// One of them may be.
    Closes,
    /// One that is too far away to be a point now may be.
    Swings,
}

/// Points that shapes will have at a time within the step.
struct Foreseen {
    time: f32,
    found: Manifold,
}

impl Motion {
    fn sweep(&self, dt: f32) -> Sweep {
        Sweep {
            center: self.center,
            translation: self.velocity * dt,
            rotation: self.pose.q,
            turn: self.angular_velocity * dt,
            local_center: self.local_center,
        }
    }

    fn rotation_at(&self, time: f32) -> Rot {
        self.pose.q.turned(self.angular_velocity * time)
    }
}

/// Where b will be in the frame of a. The difference of places far from the origin is exact; their sums with what is small
/// are not.
pub(crate) fn seen_at(a: &Motion, b: &Motion, time: f32) -> Pose {
    let (q_a, q_b) = (a.rotation_at(time), b.rotation_at(time));
    let centers = b.center - a.center + (b.velocity - a.velocity) * time;
    let between = centers + q_a.rotate(a.local_center) - q_b.rotate(b.local_center);
    Pose { p: q_a.inv_rotate(between), q: q_a.inv_mul(q_b) }
}

/// How far points of b move against a in a second, at most.
#[inline]
fn travel(a: &Motion, b: &Motion) -> f32 {
    (b.velocity - a.velocity).length() + turning(a, b)
}

/// How far points of one body move in a second as the other one sees it, which may turn with it: at most, but for what turning
/// bends. Of the two ways to look at it, that of the body that reaches farther. None is a body that does not move.
#[inline]
fn drift(a: Option<&Motion>, b: Option<&Motion>) -> f32 {
    match (a, b) {
        (Some(a), Some(b)) => {
            let (from, to) = if a.extent > b.extent { (a, b) } else { (b, a) };
            let slip = to.velocity - from.velocity_at(to.center - from.center);
            slip.x.abs() + slip.y.abs() + (to.angular_velocity - from.angular_velocity).abs() * to.extent
        }
        (Some(one), None) | (None, Some(one)) => {
            one.velocity.x.abs() + one.velocity.y.abs() + one.angular_velocity.abs() * one.extent
        }
        (None, None) => 0.0,
    }
}

/// How far bodies that do not rebound must move against each other in a step to overlap visibly, in metres; more where both
/// are carried.
#[inline]
pub(crate) fn least_seen(carried: bool) -> f32 {
    (if carried { 2.0 * SPECULATIVE_DISTANCE } else { SPECULATIVE_DISTANCE }) + VISIBLE
}

/// How much of that is turning.
#[inline]
fn turning(a: &Motion, b: &Motion) -> f32 {
    a.angular_velocity.abs() * a.extent + b.angular_velocity.abs() * b.extent
}

impl View<'_> {
    /// True when two shapes move so far against each other in a step that their meeting is worth foreseeing.
    #[inline]
    pub(crate) fn is_fast_pair(&self, candidate: &ContactCandidate, a: &Motion, b: &Motion) -> bool {
        if candidate.bouncy {
            return self.foresees && travel(a, b) * self.dt > SPECULATIVE_DISTANCE;
        }
        self.foresees && self.is_seen_to_meet(Some(a), Some(b))
    }

    /// The same where bodies that are not awake, and do not move, are not at hand. Never false of a fast pair.
    #[inline]
    pub(crate) fn may_be_fast(&self, candidate: &ContactCandidate, [a, b]: [Option<&Motion>; 2]) -> bool {
        candidate.bouncy || self.is_seen_to_meet(a, b)
    }

    /// True when bodies that do not rebound move so far against each other that they would overlap visibly. What is carried
    /// moves with what carries it, and with its neighbours, and must be faster to be looked at: in heaps that are stirred,
    /// nearly everything is.
    #[inline]
    fn is_seen_to_meet(&self, a: Option<&Motion>, b: Option<&Motion>) -> bool {
        let is_carried = |motion: Option<&Motion>| motion.is_none_or(|motion| motion.carried);
        drift(a, b) * self.dt > least_seen(is_carried(a) && is_carried(b))
    }

    /// True when bodies may overlap at the end of the step, if nothing stops them, by the circles around them. Fixed bodies
    /// have none.
    #[inline]
    pub(crate) fn is_near_then(&self, a: &Motion, b: &Motion) -> bool {
        let centers = b.center - a.center + (b.velocity - a.velocity) * self.dt;
        let reach = a.extent + b.extent;
        centers.length_squared() <= reach * reach || min(a.extent, b.extent) == 0.0
    }

    /// True when shapes that are out of reach of each other may meet within the step. Where nothing rebounds, only what would
    /// overlap at its end is foreseen: see `overlap`.
    #[inline]
    pub(crate) fn may_meet_soon(&self, candidate: &ContactCandidate, a: &Motion, b: &Motion) -> bool {
        (candidate.bouncy || self.is_near_then(a, b))
            && self.is_fast_pair(candidate, a, b)
            && !(candidate.lease.holds_apart() && candidate.lease.holds(seen_at(a, b, self.dt)))
    }

    /// The outlook of a contact that was looked at alone.
    #[inline]
    pub(crate) fn outlook(&self, contact: &Contact, candidate: &ContactCandidate, a: &Motion, b: &Motion) -> Outlook {
        let manifold = &contact.manifold;
        let points = &manifold.points[..manifold.count as usize];
        let closes = |point: &ContactPoint| {
            let way = point.approach_velocity * self.dt;
            point.separation + way < -VISIBLE || point.separation + way < 0.0 && way < -SPECULATIVE_DISTANCE
        };
        if points.len() == 1 && self.swing(contact, a, b, 1.0) > SPECULATIVE_DISTANCE + VISIBLE {
            Outlook::Swings
        } else if points.is_empty() && self.is_fast_pair(candidate, a, b) || points.iter().any(closes) {
            Outlook::Closes
        } else {
            Outlook::Open
        }
    }

    /// Gives a contact the points that it will have when its shapes meet within the step, if they do and have not met yet.
    /// False if its points are those that it had.
    #[inline]
    pub(crate) fn foresee(
        &self,
        contact: &mut Contact,
        candidate: &mut ContactCandidate,
        a: &Motion,
        b: &Motion,
        outlook: Outlook,
    ) -> bool {
        let looks = (candidate.bouncy || outlook != Outlook::Open) && self.foresees;
        if looks {
            self.look(contact, candidate, a, b, outlook);
        }
        let has_one = contact.manifold.count == 1 && contact.impact == Impact::None;
        if has_one && candidate.pairing == Pairing::Discs && self.foresees && self.goes_round(contact, a, b) {
            contact.impact = Impact::Turning;
        }
        looks
    }

    #[inline(never)]
    fn look(&self, contact: &mut Contact, candidate: &mut ContactCandidate, a: &Motion, b: &Motion, outlook: Outlook) {
        let foreseen = if candidate.bouncy {
            self.foresee_rebound(contact, candidate, a, b)
        } else {
            self.foresee_stop(contact, candidate, a, b, outlook)
        };
        if let Some(foreseen) = foreseen {
            self.take(contact, &foreseen, a, b);
            candidate.hint = contact.manifold.reference;
            contact.lead_s = foreseen.time;
            if foreseen.time > 0.0 {
                contact.impact = Impact::Foreseen;
            }
        }
    }

    /// Of surfaces that rebound.
    fn foresee_rebound(
        &self,
        contact: &Contact,
        candidate: &ContactCandidate,
        a: &Motion,
        b: &Motion,
    ) -> Option<Foreseen> {
        let comes = match contact.manifold.count {
            0 => self.may_meet_soon(candidate, a, b),
            _ => self.comes_down(contact),
        };
        if comes {
            // What hangs on a body by joints would be left behind where it rebounds within a step: `continuous.rs` holds it
            // back.
            let is_free = |body: u32| !self.bodies[body].jointed;
            let stays_together = is_free(contact.body_a) && is_free(contact.body_b);
            return stays_together.then(|| self.look_ahead(contact, a, b)).flatten();
        }
        let has_corner = contact.manifold.count == 1 && contact.manifold.reference != Reference::None;
        let way = (turning(a, b) + max(0.0, -contact.manifold.points[0].approach_velocity)) * self.dt;
        if !has_corner || way <= 2.0 * SPECULATIVE_DISTANCE {
            return None;
        }
        self.both_corners(contact, a, b, way)
    }

    /// Of surfaces that do not, or hardly, and would overlap visibly by the end of the step. What hangs on them by joints is
    /// stopped together with them, by the solver.
    fn foresee_stop(
        &self,
        contact: &mut Contact,
        candidate: &ContactCandidate,
        a: &Motion,
        b: &Motion,
        outlook: Outlook,
    ) -> Option<Foreseen> {
        if contact.manifold.count == 0 {
            return self.may_meet_soon(candidate, a, b).then(|| self.look_ahead(contact, a, b)).flatten();
        }
        // What is as near as this is stopped by the solver with the points that it has, but the impact may have to be
        // passed on.
        let is_hit = !(a.carried && b.carried) && self.is_hard(contact);
        if is_hit {
            contact.impact = Impact::Near;
        }
        let has_corner = contact.manifold.count == 1 && contact.manifold.reference != Reference::None;
        if !has_corner || !is_hit && outlook != Outlook::Swings {
            return None;
        }
        // Where one corner hits, the other one comes down twice as fast at most.
        let way = self.swing(contact, a, b, if is_hit { 2.0 } else { 1.0 });
        if way <= SPECULATIVE_DISTANCE + VISIBLE {
            return None;
        }
        let both = self.both_corners(contact, a, b, way)?;
        let comes_deep = |point: &ManifoldPoint| self.comes_deep(point, &both.found, a, b);
        (is_hit || both.found.points().iter().any(comes_deep)).then_some(both)
    }

    /// How far the other corner may come down in a step where one touches: it is on an edge of both shapes.
    #[inline]
    fn swing(&self, contact: &Contact, a: &Motion, b: &Motion, falls: f32) -> f32 {
        let turns = (b.angular_velocity - a.angular_velocity).abs() * 2.0 * min(a.extent, b.extent);
        (turns + falls * max(0.0, -contact.manifold.points[0].approach_velocity)) * self.dt
    }

    /// True when a contact is open now and closed by the end of the step, and approaches fast.
    #[inline]
    fn comes_down(&self, contact: &Contact) -> bool {
        let manifold = &contact.manifold;
        let points = &manifold.points[..manifold.count as usize];
        let closes = |way: f32, gap: f32| way < -LINEAR_SLOP && gap + way < 0.0;
        contact.material.restitution >= BOUNCY
            && points.iter().all(|point| point.separation >= 0.0)
            && points.iter().any(|point| closes(point.approach_velocity * self.dt, point.separation))
    }

    /// True when a point that does not rebound will be closed within the step, or was so lately that its approach explains the
    /// depth, and the solver alone would let the impact show: see [`is_hard_impact`].
    fn is_hard(&self, contact: &Contact) -> bool {
        let manifold = &contact.manifold;
        manifold.points[..manifold.count as usize].iter().any(|point| {
            let way = point.approach_velocity * self.dt;
            point.separation + way < 0.0 && point.separation >= way && self.is_landing(contact, -way)
        })
    }

    /// True when an impact, of bodies that would come `way` metres nearer in the step, is hard or moves a corner: that is
    /// stopped when and where it lands. What lands flat does not turn, and the solver stops it as well.
    fn is_landing(&self, contact: &Contact, way: f32) -> bool {
        let is_dynamic = |body: u32| self.bodies[body].kind == BodyKind::Dynamic;
        let points = &contact.manifold.points[..contact.manifold.count as usize];
        is_hard_impact(self.bodies, contact, way)
            || way > SPECULATIVE_DISTANCE
                && !contact.rounded
                && !(is_dynamic(contact.body_a) && is_dynamic(contact.body_b))
                && is_tilted(points.iter().map(|point| point.separation))
    }

    /// True when a contact without restitution was made in one of the last steps, at a corner that turning moves visibly
    /// off the path that its lever arms of now tell: by `w^2 r dt^2 / 2` in the step.
    pub(crate) fn has_landed(&self, contact: &Contact, before: Impact, a: &Motion, b: &Motion) -> bool {
        let bend = |motion: &Motion| motion.angular_velocity * motion.angular_velocity * motion.extent;
        matches!(before, Impact::Foreseen | Impact::Near | Impact::Landed)
            && self.foresees
            && contact.material.restitution == 0.0
            && contact.manifold.count > 0
            && contact.manifold.reference != Reference::None
            && 0.5 * (bend(a) + bend(b)) * self.dt * self.dt > TOUCH
    }

    /// Both points of a contact of which one touches and another one comes down.
    fn both_corners(&self, contact: &Contact, a: &Motion, b: &Motion, way: f32) -> Option<Foreseen> {
        let (shape_a, shape_b) = (&self.shapes[contact.shape_a].geometry, &self.shapes[contact.shape_b].geometry);
        let b_in_a = a.pose.inv_mul(b.pose);
        let found = collide(shape_a, shape_b, b_in_a, SPECULATIVE_DISTANCE + way, contact.manifold.reference);
        (found.count == 2 && found.reference == contact.manifold.reference).then_some(Foreseen { time: 0.0, found })
    }

    /// True when a point would be visibly deep by the end of the step.
    fn comes_deep(&self, point: &ManifoldPoint, found: &Manifold, a: &Motion, b: &Motion) -> bool {
        let arm = a.pose.q.rotate(point.point - a.local_center);
        let velocity = b.velocity_at(arm + a.center - b.center) - a.velocity_at(arm);
        point.separation > SPECULATIVE_DISTANCE
            && point.separation + velocity.dot(a.pose.q.rotate(found.normal)) * self.dt < -VISIBLE
    }

    /// Looks for the first meeting of two shapes within the step.
    fn look_ahead(&self, contact: &Contact, a: &Motion, b: &Motion) -> Option<Foreseen> {
        let manifold = &contact.manifold;
        if manifold.count > 0 {
            let points = manifold.points[..manifold.count as usize].iter();
            let times = points.filter(|point| point.approach_velocity < 0.0);
            let time = times.map(|point| point.separation / -point.approach_velocity).fold(f32::MAX, min);
            return self.settle_on_time(contact, a, b, time);
        }
        if contact.material.restitution >= BOUNCY {
            let time = self.time_of_meeting(contact, a, b)?;
            return self.settle_on_time(contact, a, b, time);
        }
        // Of what only stops, the depth at the end of the step tells the time, as a rule. Not where the shapes are so deep in
        // each other by then that the shortest way out is another one than that by which they came.
        let (depth, time) = self.overlap(contact, a, b)?;
        let foreseen = time.and_then(|time| self.settle_on_time(contact, a, b, time));
        if depth <= VISIBLE {
            // What is round and slides comes to the next tile of its floor no deeper than it lies on the last one.
            let is_corner =
                |foreseen: &Foreseen| is_tilted(foreseen.found.points().iter().map(|point| point.separation));
            return foreseen.filter(|foreseen| !contact.rounded && is_corner(foreseen));
        }
        if foreseen.is_some() {
            return foreseen;
        }
        let time = self.time_of_meeting(contact, a, b)?;
        self.settle_on_time(contact, a, b, time)
    }

    /// What a contact will be when its shapes meet, from about when they do.
    fn settle_on_time(&self, contact: &Contact, a: &Motion, b: &Motion, time: f32) -> Option<Foreseen> {
        let manifold = &contact.manifold;
        let hint = if manifold.count == 0 { Reference::None } else { manifold.reference };
        let (shape_a, shape_b) = (&self.shapes[contact.shape_a].geometry, &self.shapes[contact.shape_b].geometry);
        let mut time = min(time, self.dt);
        let mut margin = SPECULATIVE_DISTANCE;
        // What only stops may turn the other corner down twice as fast as it came.
        let falls = if contact.material.restitution >= BOUNCY { 1.0 } else { 2.0 };
        for round in 0..ROUNDS {
            let found = collide(shape_a, shape_b, seen_at(a, b, time), margin, hint);
            let first = found.points().iter().min_by(|p, q| p.separation.total_cmp(&q.separation))?;
            let velocity = self.leaving(a, b, time, first.point, found.normal);
            if velocity >= 0.0 {
                return None;
            }
            let enough = if round + 1 == ROUNDS { LINEAR_SLOP } else { TOUCH };
            if first.separation.abs() <= enough && round > 0 {
                return Some(Foreseen { time, found });
            }
            // Where one corner hits, another may come down within the same step.
            margin = SPECULATIVE_DISTANCE + (turning(a, b) - falls * velocity) * self.dt;
            time += first.separation / -velocity;
            if !(0.0..=self.dt).contains(&time) {
                return None;
            }
        }
        None
    }

    /// By how much two shapes overlap at the end of the step, if they do, and when they began to by that depth, if that is
    /// within the step. What is through the other by then is left to `continuous.rs`.
    fn overlap(&self, contact: &Contact, a: &Motion, b: &Motion) -> Option<(f32, Option<f32>)> {
        let (shape_a, shape_b) = (&self.shapes[contact.shape_a].geometry, &self.shapes[contact.shape_b].geometry);
        let found = collide(shape_a, shape_b, seen_at(a, b, self.dt), 0.0, Reference::None);
        let deepest = found.points().iter().min_by(|p, q| p.separation.total_cmp(&q.separation))?;
        let velocity = self.leaving(a, b, self.dt, deepest.point, found.normal);
        let time = self.dt - deepest.separation / velocity;
        (deepest.separation < 0.0).then_some((-deepest.separation, (0.0..self.dt).contains(&time).then_some(time)))
    }

    /// How fast b leaves a at a time of the step, at a point and along a normal in the frame of a.
    fn leaving(&self, a: &Motion, b: &Motion, time: f32, point: Vec2, normal: Vec2) -> f32 {
        let q_a = a.rotation_at(time);
        let arm_a = q_a.rotate(point - a.local_center);
        let arm_b = arm_a - (b.center - a.center + (b.velocity - a.velocity) * time);
        (b.velocity_at(arm_b) - a.velocity_at(arm_a)).dot(q_a.rotate(normal))
    }

    /// When two shapes that are apart meet, if within the step, in seconds.
    fn time_of_meeting(&self, contact: &Contact, a: &Motion, b: &Motion) -> Option<f32> {
        let (shape_a, shape_b) = (&self.shapes[contact.shape_a], &self.shapes[contact.shape_b]);
        let moves = |body: u32| self.bodies[body].kind == BodyKind::Dynamic;
        let of_b = moves(contact.body_b);
        if of_b && moves(contact.body_a) {
            // The smallest distance of the centres on the way.
            let (start, way) = (b.center - a.center, (b.velocity - a.velocity) * self.dt);
            let share = max(0.0, min(1.0, -start.dot(way) / max(way.length_squared(), f32::MIN_POSITIVE)));
            if (start + way * share).length() > a.extent + b.extent {
                return None;
            }
        }
        let (mover, target) = if of_b { (shape_b, shape_a) } else { (shape_a, shape_b) };
        let (mover_way, target_way) =
            if of_b { (b.sweep(self.dt), a.sweep(self.dt)) } else { (a.sweep(self.dt), b.sweep(self.dt)) };
        let (mover, target) = (Mover::new(mover)?, target.geometry.swept()?);
        let Meeting::At(deep) = time_of_impact(&target, &target_way, mover.core(0), &mover_way, mover.gap, 1.0) else {
            return None;
        };
        match time_of_impact(&target, &target_way, &mover.whole, &mover_way, mover.gap, deep) {
            Meeting::At(fraction) => Some(fraction * self.dt),
            Meeting::FromStart | Meeting::Never => None,
        }
    }

    /// Gives a contact the points that it will have.
    fn take(&self, contact: &mut Contact, foreseen: &Foreseen, a: &Motion, b: &Motion) {
        let Foreseen { time, found } = foreseen;
        let manifold = &mut contact.manifold;
        let ids = found.points.map(|point| point.id);
        keep_points(manifold, &ids[..found.count as usize]);
        let q_a = a.rotation_at(*time);
        manifold.normal = q_a.rotate(found.normal);
        manifold.reference = found.reference;
        let (normal, way) = (manifold.normal, (b.velocity - a.velocity) * *time);
        let centers = b.center - a.center + way;
        let (shape_a, shape_b) = (&self.shapes[contact.shape_a].geometry, &self.shapes[contact.shape_b].geometry);
        for (point, local) in manifold.points.iter_mut().zip(found.points()) {
            let anchor_a = q_a.rotate(local.point - a.local_center);
            let anchor_b = anchor_a - centers;
            // The height of an ellipse over the contact is all rounding: see `View::rock`.
            if let Some(side) = rocking_side(shape_a, shape_b) {
                contact.roundings[side] = [anchor_a.dot(normal), -anchor_b.dot(normal)][side];
            }
            let turned =
                |core: Vec2, motion: &Motion| Rot::IDENTITY.turned(motion.angular_velocity * *time).rotate(core) - core;
            let turned_a = turned(anchor_a - normal * contact.roundings[0], a);
            let turned_b = turned(anchor_b + normal * contact.roundings[1], b);
            point.anchor_a = anchor_a;
            point.anchor_b = anchor_b;
            point.separation = local.separation - (way + turned_b - turned_a).dot(normal);
            point.approach_velocity = (b.velocity_at(anchor_b) - a.velocity_at(anchor_a)).dot(normal);
        }
    }

    /// True when a disc moves along one that contacts cannot move, so far that the normal must turn with it (`turn.rs`).
    fn goes_round(&self, contact: &Contact, a: &Motion, b: &Motion) -> bool {
        let is_dynamic = |body: u32| self.bodies[body].kind == BodyKind::Dynamic;
        let (way, normal) = ((b.velocity - a.velocity) * self.dt, contact.manifold.normal);
        let along = way - normal * way.dot(normal);
        along.length_squared() > BEND * BEND * (b.center - a.center).length_squared()
            && contact.manifold.points[0].separation <= LINEAR_SLOP
            && !(is_dynamic(contact.body_a) && is_dynamic(contact.body_b))
    }
}

/// Discs that move around each other by less than this angle in radians in a step keep their normal.
const BEND: f32 = 1.0e-3;

/// Takes points away that bodies will not reach because another contact turns them aside before.
///
/// A ball that comes down on a floor of tiles would, without the tile that it hits, go on into the side of the next one. So
/// where a body that meets a wall has a contact with another wall that is made earlier, its way is looked at again with the
/// velocity that this one leaves it. (Bodies that give way turn nothing aside for long.)
pub(crate) fn settle_foreseen(
    world: &mut WorldState,
    motions: &Motions,
    context: &StepContext,
    impacts: &mut Impacts,
    changed: &mut Vec<(u64, u32)>,
) {
    let Impacts { impacted, shadowed, .. } = impacts;
    if impacted.is_empty() {
        return;
    }
    impacted.sort_unstable_by_key(|&index| world.contacts[index].order());
    let WorldState { bodies, sets, shapes, forms, fat_boxes, def, .. } = &*world;
    let view = View::new(Surroundings { bodies, sets, shapes, forms, fat_boxes, motions }, def, context);
    shadowed.clear();
    shadowed.extend(impacted.iter().copied().filter(|&index| view.is_shadowed(&world.contacts, index)));
    for &index in &*shadowed {
        let contact = &mut world.contacts[index];
        (contact.manifold.count, contact.impact) = (0, Impact::None);
    }
    if !shadowed.is_empty() {
        changed.retain(|&(_, index)| !shadowed.contains(&index));
        let ceased = shadowed.iter().filter(|&&index| world.contacts[index].active);
        changed.extend(ceased.map(|&index| (world.contacts[index].order(), index)));
    }
    pass_on_impacts(world, context.dt, impacts);
}

/// Lists of contacts with impacts, of one step. They are kept for their memory.
#[derive(Debug, Default)]
pub(crate) struct Impacts {
    /// Contacts with an impact that was foreseen or has just happened.
    pub(crate) impacted: Vec<u32>,
    /// Those of them that another contact prevents.
    shadowed: Vec<u32>,
    /// Bodies that take an impact, and its direction.
    pub(crate) reached: Vec<(u32, Vec2)>,
    /// Contacts that pass an impact on.
    pub(crate) next: Vec<u32>,
    /// Contacts that do not rebound, but may have to be looked at like those that do (`restitution.rs`), as far as is known
    /// before their blocks are filled. They are filled into the same blocks, so that few blocks have to be looked at.
    pub(crate) expected: BitSet,
}

impl Impacts {
    /// Forgets those of the last step.
    pub(crate) fn clear(&mut self) {
        self.impacted.clear();
        self.expected.clear();
    }

    /// Has a contact be looked at like those that rebound, probably.
    pub(crate) fn expect(&mut self, contact: u32) {
        self.expected.insert(contact);
    }

    /// The contacts that will be.
    pub(crate) fn expected(&self) -> &BitSet {
        &self.expected
    }
}

impl Clone for Impacts {
    /// Nothing of it outlives a step.
    fn clone(&self) -> Impacts {
        Impacts::default()
    }
}

/// Contacts whose normals differ by less than this, as a cosine, do not turn a body aside from each other.
const SAME_DIRECTION: f32 = 0.95;

impl View<'_> {
    /// True when a foreseen contact will not be made because another one turns one of its bodies aside before.
    fn is_shadowed(&self, contacts: &Pool<Contact, ContactId>, index: u32) -> bool {
        let contact = &contacts[index];
        if contact.impact != Impact::Foreseen || contact.lead_s <= 0.0 {
            return false;
        }
        let is_dynamic = |body: u32| self.bodies[body].kind == BodyKind::Dynamic;
        let [a, b] = [contact.body_a, contact.body_b].map(|body| self.motion(body));
        for (side, body) in [contact.body_a, contact.body_b].into_iter().enumerate() {
            if !is_dynamic(body) || is_dynamic(contact.other_body(body)) {
                continue;
            }
            let own_normal = if side == 0 { -contact.manifold.normal } else { contact.manifold.normal };
            let mut edge = self.bodies[body].contact_head;
            while edge != NONE {
                let (earlier, at) = (&contacts[contact_of(edge)], side_of(edge));
                edge = earlier.edges[at].next;
                let time = if earlier.is_foreseen() { earlier.lead_s } else { 0.0 };
                let normal = if at == 0 { -earlier.manifold.normal } else { earlier.manifold.normal };
                let is_later = earlier.manifold.count == 0 || time >= contact.lead_s;
                if is_later || normal.dot(own_normal) > SAME_DIRECTION || is_dynamic(earlier.other_body(body)) {
                    continue;
                }
                // As it moves once nothing of it goes into what it meets first.
                let (motion, other) = (if side == 0 { &a } else { &b }, self.motion(earlier.other_body(body)));
                let into = min(0.0, (motion.velocity - other.velocity).dot(normal));
                if into * self.dt > -TOUCH {
                    continue;
                }
                let velocity = motion.velocity - normal * into;
                let center = motion.center + (motion.velocity - velocity) * time;
                let mut aside = *motion;
                (aside.velocity, aside.center) = (velocity, center);
                let meets = if side == 0 {
                    self.time_of_meeting(contact, &aside, &b)
                } else {
                    self.time_of_meeting(contact, &a, &aside)
                };
                if meets.is_none() {
                    return true;
                }
            }
        }
        false
    }
}

/// True when a contact by these separations is one of a corner.
fn is_tilted(mut separations: impl Iterator<Item = f32>) -> bool {
    match (separations.next(), separations.next()) {
        (Some(first), Some(second)) => (first - second).abs() > LINEAR_SLOP,
        _ => true,
    }
}

/// Which of two shapes is an ellipse on something with edges: 0 for a, 1 for b.
fn rocking_side(a: &Geometry, b: &Geometry) -> Option<usize> {
    let is_round = |shape: &Geometry| matches!(shape, Geometry::Circle(_) | Geometry::Ellipse(_));
    match (a, b) {
        (Geometry::Ellipse(_), other) if !is_round(other) => Some(0),
        (other, Geometry::Ellipse(_)) if !is_round(other) => Some(1),
        _ => None,
    }
}
