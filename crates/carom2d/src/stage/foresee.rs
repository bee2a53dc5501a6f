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
//! Only what rebounds well is foreseen: its energy depends on where and when it meets. Where everything is dull, the looking
//! ahead of thousands of fast bodies would cost half a step, and save an overlap of one step.
//!
//! A meeting counts when the shapes would go deeper into each other than the skin of the one that moves, as in
//! `continuous.rs`: a box that slides over a floor of tiles lies a hair deep in it and meets the side of every next tile.

use super::StepContext;
use super::contacts::{Prospect, View, keep_points};
use super::continuous::Mover;
use crate::body::{BodyKind, NONE};
use crate::collide::{LINEAR_SLOP, Manifold, Pairing, Reference, SPECULATIVE_DISTANCE, collide};
use crate::contact::{Contact, ContactId, Course, contact_of, side_of};
use crate::math::{Pose, Rot, Vec2, max, min};
use crate::motion::Motion;
use crate::shape::{Geometry, Meeting, Sweep, time_of_impact};
use crate::world::World;
use carom_core::Pool;

/// How near the surfaces must be at the time of a foreseen contact, in metres.
const TOUCH: f32 = 0.02 * LINEAR_SLOP;
/// Steps of Newton's method for that time.
const ROUNDS: u32 = 4;

/// The least restitution of what is foreseen: it keeps a tenth of its energy when it hits. Less is as good as nothing: what is
/// lost by looking late is little beside what the hit takes.
pub(crate) const BOUNCY: f32 = 0.32;

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
pub(super) fn seen_at(a: &Motion, b: &Motion, time: f32) -> Pose {
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

/// How much of that is turning.
#[inline]
fn turning(a: &Motion, b: &Motion) -> f32 {
    a.angular_velocity.abs() * a.extent + b.angular_velocity.abs() * b.extent
}

impl View<'_> {
    /// True when two shapes move so far against each other in a step that their meeting is worth foreseeing.
    #[inline]
    pub(super) fn is_fast_pair(&self, prospect: &Prospect, a: &Motion, b: &Motion) -> bool {
        self.foresees && prospect.bouncy && travel(a, b) * self.dt > SPECULATIVE_DISTANCE
    }

    /// True when shapes that are out of reach of each other may meet within the step.
    #[inline]
    pub(super) fn may_meet_soon(&self, prospect: &Prospect, a: &Motion, b: &Motion) -> bool {
        self.is_fast_pair(prospect, a, b)
            && !(prospect.lease.holds_apart() && prospect.lease.holds(seen_at(a, b, self.dt)))
    }

    /// Gives a contact the points that it will have when its shapes meet within the step, if they do and have not met yet.
    #[inline]
    pub(super) fn foresee(&self, contact: &mut Contact, prospect: &mut Prospect, a: &Motion, b: &Motion) {
        let comes = match contact.manifold.count {
            0 => self.may_meet_soon(prospect, a, b),
            _ => self.comes_down(contact),
        };
        // What hangs on a body by joints would be left behind where it stops within a step: `continuous.rs` holds it back.
        let is_jointed = |body: u32| !self.bodies[body].joints.is_empty();
        let foreseen = if comes {
            let stays_together = !is_jointed(contact.body_a) && !is_jointed(contact.body_b);
            stays_together.then(|| self.look_ahead(contact, a, b)).flatten()
        } else if prospect.bouncy
            && contact.manifold.count == 1
            && contact.manifold.reference != Reference::None
            && self.foresees
        {
            self.second_point(contact, a, b)
        } else {
            None
        };
        if let Some(foreseen) = foreseen {
            self.take(contact, &foreseen, a, b);
            prospect.hint = contact.manifold.reference;
            contact.lead_s = foreseen.time;
            if foreseen.time > 0.0 {
                contact.course = Course::Foreseen;
            }
        } else if prospect.pairing == Pairing::Discs
            && contact.manifold.count == 1
            && self.foresees
            && self.goes_round(contact, a, b)
        {
            contact.course = Course::Turning;
        }
    }

    /// True when a contact is open now and closed by the end of the step, and approaches fast.
    #[inline]
    fn comes_down(&self, contact: &Contact) -> bool {
        let manifold = &contact.manifold;
        let points = &manifold.points[..manifold.count as usize];
        let closes = |way: f32, gap: f32| way < -LINEAR_SLOP && gap + way < 0.0;
        self.foresees
            && contact.material.restitution >= BOUNCY
            && points.iter().all(|point| point.separation >= 0.0)
            && points.iter().any(|point| closes(point.approach_velocity * self.dt, point.separation))
    }

    /// Where one corner touches and another one comes down fast, both get points.
    fn second_point(&self, contact: &Contact, a: &Motion, b: &Motion) -> Option<Foreseen> {
        let way = (turning(a, b) + max(0.0, -contact.manifold.points[0].approach_velocity)) * self.dt;
        if way <= 2.0 * SPECULATIVE_DISTANCE {
            return None;
        }
        let (shape_a, shape_b) = (&self.shapes[contact.shape_a].geometry, &self.shapes[contact.shape_b].geometry);
        let b_in_a = a.pose.inv_mul(b.pose);
        let found = collide(shape_a, shape_b, b_in_a, SPECULATIVE_DISTANCE + way, contact.manifold.reference);
        (found.count == 2 && found.reference == contact.manifold.reference).then_some(Foreseen { time: 0.0, found })
    }

    /// Looks for the first meeting of two shapes within the step.
    fn look_ahead(&self, contact: &Contact, a: &Motion, b: &Motion) -> Option<Foreseen> {
        let manifold = &contact.manifold;
        let time = if manifold.count == 0 {
            self.time_of_meeting(contact, a, b)?
        } else {
            let points = manifold.points[..manifold.count as usize].iter();
            let times = points.filter(|point| point.approach_velocity < 0.0);
            times.map(|point| point.separation / -point.approach_velocity).fold(f32::MAX, min)
        };
        let hint = if manifold.count == 0 { Reference::None } else { manifold.reference };
        let (shape_a, shape_b) = (&self.shapes[contact.shape_a].geometry, &self.shapes[contact.shape_b].geometry);
        let mut time = min(time, self.dt);
        let mut margin = SPECULATIVE_DISTANCE;
        for round in 0..ROUNDS {
            let found = collide(shape_a, shape_b, seen_at(a, b, time), margin, hint);
            let first = found.points().iter().min_by(|p, q| p.separation.total_cmp(&q.separation))?;
            let q_a = a.rotation_at(time);
            let arm_a = q_a.rotate(first.point - a.local_center);
            let arm_b = arm_a - (b.center - a.center + (b.velocity - a.velocity) * time);
            let velocity = (b.velocity_at(arm_b) - a.velocity_at(arm_a)).dot(q_a.rotate(found.normal));
            if velocity >= 0.0 {
                return None;
            }
            let enough = if round + 1 == ROUNDS { LINEAR_SLOP } else { TOUCH };
            if first.separation.abs() <= enough && round > 0 {
                return Some(Foreseen { time, found });
            }
            // Where one corner hits, another may come down within the same step.
            margin = SPECULATIVE_DISTANCE + (turning(a, b) - velocity) * self.dt;
            time += first.separation / -velocity;
            if !(0.0..=self.dt).contains(&time) {
                return None;
            }
        }
        None
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
pub(super) fn settle_foreseen(
    world: &mut World,
    context: &StepContext,
    foreseen: &mut [u32],
    changed: &mut Vec<(u64, u32)>,
) {
    if foreseen.is_empty() {
        return;
    }
    foreseen.sort_unstable_by_key(|&index| world.contacts[index].order());
    let World { bodies, sets, shapes, forms, fat_boxes, motions, def, .. } = &*world;
    let view = View::new(bodies, sets, shapes, forms, fat_boxes, motions, def, context);
    let shadowed: Vec<u32> =
        foreseen.iter().copied().filter(|&index| view.is_shadowed(&world.contacts, index)).collect();
    for &index in &shadowed {
        let contact = &mut world.contacts[index];
        (contact.manifold.count, contact.course) = (0, Course::Steady);
    }
    if !shadowed.is_empty() {
        changed.retain(|&(_, index)| !shadowed.contains(&index));
        let ceased = shadowed.iter().filter(|&&index| world.contacts[index].active);
        changed.extend(ceased.map(|&index| (world.contacts[index].order(), index)));
    }
}

/// Contacts whose normals differ by less than this, as a cosine, do not turn a body aside from each other.
const SAME_DIRECTION: f32 = 0.95;

impl View<'_> {
    /// True when a foreseen contact will not be made because another one turns one of its bodies aside before.
    fn is_shadowed(&self, contacts: &Pool<Contact, ContactId>, index: u32) -> bool {
        let contact = &contacts[index];
        if contact.lead_s <= 0.0 {
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

/// Which of two shapes is an ellipse on something with edges: 0 for a, 1 for b.
fn rocking_side(a: &Geometry, b: &Geometry) -> Option<usize> {
    let is_round = |shape: &Geometry| matches!(shape, Geometry::Circle(_) | Geometry::Ellipse(_));
    match (a, b) {
        (Geometry::Ellipse(_), other) if !is_round(other) => Some(0),
        (other, Geometry::Ellipse(_)) if !is_round(other) => Some(1),
        _ => None,
    }
}
