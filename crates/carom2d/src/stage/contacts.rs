//! Narrow phase: where the shapes of every awake contact touch.
//!
//! First all contacts are updated, each for itself: from what it was and where its bodies are, in any order. What is to
//! be done about some of them is noted, sorted by shapes, and done afterwards: one-way shapes and hooks decide which
//! contacts act; contacts whose fat boxes came apart are destroyed; contacts that become active or inactive are left to the
//! next stages.

use super::StepContext;
use super::foresee::{BOUNCY, Impacts, Outlook, settle_foreseen};
use crate::attach::{Shape, ShapeId};
use crate::body::{Body, BodyId, BodyKind, BodyState, NONE};
use crate::collide::{
    EdgeRule, Form, LINEAR_SLOP, Lease, Manifold, ManifoldPoint, Pairing, Reference, SPECULATIVE_DISTANCE, collide,
    search,
};
use crate::contact::{Contact, ContactManifold, ContactPoint, Impact, Overlap};
use crate::math::{Aabb, Pose, Rot, Vec2, clamp, left_perp, min};
use crate::motion::{Motion, Motions};
use crate::narrow::batches::Batches;
use crate::sets::SolverSets;
use crate::shape::Geometry;
use crate::world::{Continuous, WorldDef, WorldState};
use carom_core::{Pool, PoolSlot};
use carom_wide::{Width, prefetch, prefetch_at};

/// What is to be done about contacts, with their order: noted while they are updated.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    changed: Vec<(u64, u32)>,
    apart: Vec<(u64, u32)>,
    /// Contacts that one-way shapes or hooks have a say in: few, as a rule none.
    asked: Vec<(u64, u32)>,
    /// Pairs with events of tight boxes enabled, likewise.
    boxes: Vec<(u64, u32)>,
    deep: Vec<u32>,
    impacted: Vec<u32>,
    /// Contacts that do not rebound, but may have to be looked at like those that do.
    hit: Vec<u32>,
}

/// Contacts in a word of the set of awake ones.
const WORD: usize = 64;
/// Fewer words than this are not worth another thread.
const LEAST_WORDS: usize = 2;
/// So many contacts ahead are fetched.
const SOON: usize = 16;
/// What it takes to destroy a contact is fetched so many contacts ahead, and twice as many what tells where that is.
const FETCH_AHEAD: usize = 4;

/// What the narrow phase finds out for the stages after it, and its memory.
#[derive(Debug, Default)]
pub(crate) struct Narrow {
    /// Contacts that became active or inactive, with their order.
    pub(crate) changed: Vec<(u64, u32)>,
    /// Contacts that will be made within the step, and whom they strike.
    pub(crate) impacts: Impacts,
    /// Of the awake bodies, when the narrow phase began.
    pub(crate) motions: Motions,
    /// Contacts to be destroyed.
    apart: Vec<(u64, u32)>,
    notes: Vec<Notes>,
}

pub(crate) fn update_contacts(world: &mut WorldState, narrow: &mut Narrow, context: &StepContext) {
    let Narrow { changed, impacts, motions, apart, notes } = narrow;
    apart.clear();
    changed.clear();
    let mut boxes: Vec<(u64, u32)> = Vec::new();
    let mut asked: Vec<(u64, u32)> = Vec::new();
    impacts.clear();
    world.deep_contacts.clear();

    update_all(world, motions, context, notes);
    for notes in notes {
        changed.append(&mut notes.changed);
        apart.append(&mut notes.apart);
        asked.append(&mut notes.asked);
        boxes.append(&mut notes.boxes);
        world.deep_contacts.append(&mut notes.deep);
        impacts.impacted.append(&mut notes.impacted);
        notes.hit.drain(..).for_each(|index| impacts.expect(index));
    }
    settle_foreseen(world, motions, context, impacts, changed);
    asked.sort_unstable();
    for (order, index) in asked {
        world.ask_about_contact(context, index);
        let contact = &world.contacts[index];
        if (contact.manifold.count > 0) != contact.active {
            changed.push((order, index));
        }
    }

    apart.sort_unstable();
    changed.sort_unstable();
    for (place, &(_, index)) in apart.iter().enumerate() {
        fetch_ahead(world, &apart[place..]);
        world.destroy_contact(index, false);
    }
    boxes.sort_unstable();
    for (_, index) in boxes {
        world.update_boxes(index);
    }
}

/// Fetches what is needed to destroy the contacts that follow the first of these: they lie all over memory.
fn fetch_ahead(world: &WorldState, apart: &[(u64, u32)]) {
    if let Some(&(_, index)) = apart.get(2 * FETCH_AHEAD) {
        world.contacts.slot(index).inspect(|slot| prefetch(*slot));
    }
    if let Some(&(_, index)) = apart.get(FETCH_AHEAD) {
        let contact = &world.contacts[index];
        world.pairs.home(contact.shape_a, contact.shape_b).inspect(|key| prefetch(*key));
        for edge in contact.edges {
            [edge.previous, edge.next].into_iter().for_each(|key| world.fetch_edges(key));
        }
    }
}

/// Updates every awake contact, each for itself.
fn update_all(world: &mut WorldState, motions: &mut Motions, context: &StepContext, notes: &mut Vec<Notes>) {
    motions.update(world.sets.awake(), world.bodies.slot_count(), context.crew);
    let WorldState { contacts, awake_contacts, candidates, bodies, sets, shapes, forms, fat_boxes, def, .. } = world;
    let view = View::new(Surroundings { bodies, sets, shapes, forms, fat_boxes, motions }, def, context);
    let words = candidates.len().div_ceil(WORD);
    let grain = context.crew.grain(words, LEAST_WORDS) * WORD;
    context.crew.for_zipped_lists(candidates, contacts.slots_mut(), notes, grain, |start, candidates, slots, notes| {
        let mut run = Run { start, candidates, slots, notes };
        let mut batches = Batches::EMPTY;
        for index in awake_contacts.iter_words(start / WORD, (start + grain) / WORD) {
            let place = index as usize - start;
            if let Some(soon) = run.candidates.get(place + SOON) {
                prefetch_at(soon, size_of::<ContactCandidate>());
            }
            let candidate = &run.candidates[place];
            if candidate.idle && !view.hooked {
                view.put_idle(place, &mut batches, &mut run);
                continue;
            }
            if !candidate.quiet {
                prefetch(&run.slots[place]);
            }
            view.put(place, &mut batches, &mut run);
        }
        view.put_last(batches, &mut run);
    });
}

/// A run of contacts, side by side in their pool, and what is noted of them.
pub(crate) struct Run<'c> {
    /// The index of the first.
    start: usize,
    pub(crate) candidates: &'c mut [ContactCandidate],
    pub(crate) slots: &'c mut [PoolSlot<Contact>],
    notes: &'c mut Notes,
}

impl Notes {
    /// Notes what is to be done about a contact in a step of `dt` seconds. Points that are known to be shallow are not looked
    /// at.
    #[inline]
    fn note(&mut self, contact: &Contact, index: u32, verdict: Verdict, shallow: bool, dt: f32) {
        match verdict {
            Verdict::Same => {}
            Verdict::Changed => self.changed.push((contact.order(), index)),
            Verdict::Asked => self.asked.push((contact.order(), index)),
            Verdict::Apart => self.apart.push((contact.order(), index)),
        }
        if contact.aabb_events && verdict != Verdict::Apart {
            self.boxes.push((contact.order(), index));
        }
        if !shallow && contact.manifold.may_be_deep() {
            self.deep.push(index);
        }
        if contact.is_impact() {
            self.impacted.push(index);
        }
        let is_hit = contact.is_impact() || !shallow && contact.manifold.is_late(dt);
        if is_hit && contact.material.restitution == 0.0 {
            self.hit.push(index);
        }
    }
}

/// What the narrow phase must know of a contact before it looks at anything else. Contacts are visited in the order of
/// their slots, so both stream.
#[derive(Clone, Debug)]
pub(crate) struct ContactCandidate {
    pub(crate) shapes: [u32; 2],
    pub(crate) bodies: [u32; 2],
    /// For how long the search that led to the manifold holds.
    pub(crate) lease: Lease,
    /// The reference of the manifold.
    pub(crate) hint: Reference,
    /// It has no points, is not active, and no hook or event needs it: nothing happens to the contact as long as the shapes
    /// stay apart.
    pub(crate) quiet: bool,
    /// Besides, the lease is on shapes that are apart.
    pub(crate) idle: bool,
    /// The surfaces rebounded from each other when the contact was made.
    pub(crate) bouncy: bool,
    pub(crate) pairing: Pairing,
}

// Two cache lines.
const _: () = assert!(size_of::<ContactCandidate>() <= 128);

impl ContactCandidate {
    /// Of no contact.
    pub(crate) const VACANT: ContactCandidate = ContactCandidate {
        shapes: [NONE; 2],
        bodies: [NONE; 2],
        lease: Lease::NONE,
        hint: Reference::None,
        quiet: false,
        idle: false,
        bouncy: false,
        pairing: Pairing::Other,
    };

    pub(crate) fn new(contact: &Contact, forms: &[Form]) -> ContactCandidate {
        let form = |shape: u32| &forms[shape as usize];
        ContactCandidate {
            shapes: [contact.shape_a, contact.shape_b],
            bodies: [contact.body_a, contact.body_b],
            lease: Lease::NONE,
            hint: contact.manifold.reference,
            quiet: false,
            idle: false,
            bouncy: contact.material.restitution >= BOUNCY,
            pairing: Pairing::of(form(contact.shape_a), form(contact.shape_b)),
        }
    }

    /// Has the next update search again.
    pub(crate) fn forget(&mut self) {
        (self.lease, self.idle) = (Lease::NONE, false);
    }

    /// Does it belong to this contact? For tests.
    pub(crate) fn is_of(&self, contact: &Contact) -> bool {
        self.shapes == [contact.shape_a, contact.shape_b]
            && self.bodies == [contact.body_a, contact.body_b]
            && self.hint == contact.manifold.reference
            && !((self.idle || self.quiet) && (contact.active || contact.manifold != ContactManifold::default()))
    }
}

/// What a contact looks at: everything here stays as it is while contacts change, so they can be updated in any order.
pub(crate) struct View<'w> {
    pub(crate) bodies: &'w Pool<Body, BodyId>,
    sets: &'w SolverSets,
    pub(crate) shapes: &'w Pool<Shape, ShapeId>,
    pub(crate) forms: &'w [Form],
    pub(crate) fat_boxes: &'w [Aabb],
    pub(crate) motions: &'w Motions,
    pub(crate) width: Width,
    pub(crate) rule: EdgeRule,
    pub(crate) dt: f32,
    /// What will meet within the step gets its points now.
    pub(crate) foresees: bool,
    /// Contacts are soft, and keep their frames as long as only that moves them.
    pub(crate) keeps_frames: bool,
    /// The caller wants to be asked about every contact.
    pub(crate) hooked: bool,
}

/// What is known of a contact with a new manifold before it is judged.
#[derive(Clone, Copy)]
pub(crate) struct Forecast {
    /// It may be one that will not be made: `View::is_ghost` decides.
    pub(crate) doubtful: bool,
    /// None of its points is deep or was found late.
    pub(crate) shallow: bool,
    pub(crate) outlook: Outlook,
}

/// What is to be done about a contact, once all are updated.
#[derive(Clone, Copy, PartialEq)]
enum Verdict {
    Same,
    /// It becomes active or inactive.
    Changed,
    /// A one-way shape or a hook has a say first.
    Asked,
    /// The fat boxes came apart.
    Apart,
}

/// The parts of the world that a [`View`] reads.
pub(crate) struct Surroundings<'w> {
    pub(crate) bodies: &'w Pool<Body, BodyId>,
    pub(crate) sets: &'w SolverSets,
    pub(crate) shapes: &'w Pool<Shape, ShapeId>,
    pub(crate) forms: &'w [Form],
    pub(crate) fat_boxes: &'w [Aabb],
    pub(crate) motions: &'w Motions,
}

impl<'w> View<'w> {
    pub(crate) fn new(of: Surroundings<'w>, def: &WorldDef, context: &StepContext) -> View<'w> {
        let Surroundings { bodies, sets, shapes, forms, fat_boxes, motions } = of;
        let hooked = context.hooks.is_some();
        View {
            bodies,
            sets,
            shapes,
            forms,
            fat_boxes,
            motions,
            width: context.width,
            rule: context.method.edge_rule,
            dt: context.dt,
            foresees: def.continuous == Continuous::On && context.method.foresees,
            keeps_frames: context.keeps_frames,
            hooked,
        }
    }
}

impl View<'_> {
    /// True when nothing has to be done about an idle contact.
    #[inline]
    pub(crate) fn stays_idle(&self, candidate: &ContactCandidate) -> bool {
        let motions = candidate.bodies.map(|body| self.motions.get(body));
        // Most need no more of their bodies than the poses.
        let pose =
            |side: usize| motions[side].map_or_else(|| self.rest(candidate.bodies[side]).pose, |motion| motion.pose);
        let b_in_a = pose(0).inv_mul(pose(1));
        let may_meet_soon = || match motions {
            [Some(a), Some(b)] => self.may_meet_soon(candidate, a, b),
            _ if !self.may_be_fast(candidate, motions) => false,
            _ => {
                let [a, b] = candidate.bodies.map(|body| self.motion(body));
                self.may_meet_soon(candidate, &a, &b)
            }
        };
        let stays = candidate.lease.holds(b_in_a) && !self.hooked && self.boxes_overlap(candidate) && !may_meet_soon();
        debug_assert!(!stays || self.search(candidate, b_in_a).0.count == 0, "a lease fails: {candidate:?} {b_in_a:?}");
        stays
    }

    #[inline]
    pub(crate) fn boxes_overlap(&self, candidate: &ContactCandidate) -> bool {
        let [a, b] = candidate.shapes;
        let fat_box = |shape: u32| &self.fat_boxes[shape as usize];
        debug_assert!([a, b].iter().all(|&shape| *fat_box(shape) == self.shapes[shape].fat_aabb), "{candidate:?}");
        fat_box(a).overlaps(fat_box(b))
    }

    /// The manifold that a contact gets when it is looked at alone. For debug builds.
    pub(crate) fn touched(
        &self,
        contact: &Contact,
        candidate: &ContactCandidate,
        a: &Motion,
        b: &Motion,
    ) -> ContactManifold {
        let mut contact = contact.clone();
        self.touch(&mut contact, &mut candidate.clone(), a, b);
        contact.manifold
    }

    /// Where a body is and how it moves.
    #[inline]
    pub(crate) fn motion(&self, body: u32) -> Motion {
        self.motions.get(body).copied().unwrap_or_else(|| self.rest(body))
    }

    /// Gives a contact its new manifold.
    pub(crate) fn update(&self, place: usize, run: &mut Run, a: &Motion, b: &Motion) {
        let (contact, candidate) = (run.slots[place].value_mut(), &mut run.candidates[place]);
        self.touch(contact, candidate, a, b);
        let outlook = self.outlook(contact, candidate, a, b);
        let forecast = Forecast { doubtful: true, shallow: false, outlook };
        self.finish(place, run, [a, b], forecast);
    }

    /// Notes what is to be done about a contact that has its new manifold. Only if it is doubtful it may be a ghost.
    #[inline]
    pub(crate) fn finish(&self, place: usize, run: &mut Run, bodies: [&Motion; 2], forecast: Forecast) {
        let contact = run.slots[place].value_mut();
        let (verdict, shallow) = self.judge(contact, &mut run.candidates[place], bodies, forecast);
        run.notes.note(contact, (run.start + place) as u32, verdict, shallow, self.dt);
    }

    /// What is to be done about a contact that has its new manifold, and whether its points are known to be shallow.
    #[inline]
    fn judge(
        &self,
        contact: &mut Contact,
        candidate: &mut ContactCandidate,
        [a, b]: [&Motion; 2],
        Forecast { doubtful, mut shallow, outlook }: Forecast,
    ) -> (Verdict, bool) {
        debug_assert!(
            doubtful || contact.manifold.count == 0 || !self.is_ghost(contact, a, b),
            "a contact of other shapes: {candidate:?}"
        );
        let before = std::mem::replace(&mut contact.impact, Impact::None);
        // What has points is near.
        if contact.manifold.count == 0 && !self.boxes_overlap(candidate) {
            return (Verdict::Apart, true);
        }
        if doubtful && contact.manifold.count > 0 && self.is_ghost(contact, a, b) {
            contact.manifold.count = 0;
        } else if !contact.asked {
            shallow &= !self.foresee(contact, candidate, a, b, outlook);
            if before != Impact::None && contact.impact == Impact::None && self.has_landed(contact, before, a, b) {
                contact.impact = Impact::Landed;
            }
        }
        debug_assert!(!(shallow && (contact.manifold.may_be_deep() || contact.manifold.is_late(self.dt))));
        contact.overlap = match contact.overlap {
            _ if shallow || !contact.manifold.may_be_deep() => Overlap::Driven,
            _ if !contact.active => Overlap::New,
            Overlap::New => Overlap::Driven,
            known => known,
        };
        let is_unobserved = !(contact.asked || contact.aabb_events || contact.active);
        // Ghosts have no points that count, but some to forget.
        candidate.quiet = is_unobserved && contact.manifold.normal == Vec2::ZERO;
        candidate.idle = candidate.quiet && candidate.lease.holds_apart();
        let verdict = if contact.asked || self.hooked {
            Verdict::Asked
        } else if (contact.manifold.count > 0) != contact.active {
            Verdict::Changed
        } else {
            Verdict::Same
        };
        (verdict, shallow)
    }

    /// True when two shapes seem about to collide but will not.
    ///
    /// A manifold is a plane, and holds for the whole step. Where a body slides over the seam between two
    /// tiles, the next tile shows its side or its corner, and that plane says "wall" although the body
    /// will pass above. So before a fast approach is believed, the shapes are looked at again where they
    /// will be: if they hardly overlap there, and are nearer to where they were than to where the plane has them,
    /// there was no wall.
    ///
    /// Only shallow contacts are doubted, and what moves is moved by at most half its size, so that nothing can
    /// be behind the other shape by then.
    fn is_ghost(&self, contact: &Contact, a: &Motion, b: &Motion) -> bool {
        let (dt, manifold) = (self.dt, &contact.manifold);
        let points = &manifold.points[..manifold.count as usize];
        let near = points.iter().filter(|point| point.separation <= SPECULATIVE_DISTANCE);
        let expected =
            |time: f32| near.clone().map(|point| point.separation + point.approach_velocity * time).fold(f32::MAX, min);
        let now = expected(0.0);
        if now < -GRAZE || expected(dt) >= -GRAZE {
            return false;
        }
        let travel = (b.velocity - a.velocity).length()
            + a.angular_velocity.abs() * a.extent
            + b.angular_velocity.abs() * b.extent;
        let (shape_a, shape_b) = (&self.shapes[contact.shape_a], &self.shapes[contact.shape_b]);
        // Against what cannot be moved, and may have no inside, the size of the other counts.
        let (inner_a, inner_b) = (shape_a.geometry.inner_extent(), shape_b.geometry.inner_extent());
        let kind = |body: u32| self.bodies[body].kind;
        let size = match (kind(contact.body_a), kind(contact.body_b)) {
            (BodyKind::Dynamic, BodyKind::Dynamic) => min(inner_a, inner_b),
            (BodyKind::Dynamic, _) => inner_a,
            _ => inner_b,
        };
        let time = min(dt, 0.5 * size / travel);
        let expected = expected(time);
        if expected >= -GRAZE {
            return false;
        }
        // The difference of places far from the origin is exact; their sums with what is small are not.
        let [q_a, q_b] = [a, b].map(|motion| motion.pose.q.turned(motion.angular_velocity * time));
        let centers = b.center - a.center + (b.velocity - a.velocity) * time;
        let between = centers + q_a.rotate(a.local_center) - q_b.rotate(b.local_center);
        let b_in_a = Pose { p: q_a.inv_rotate(between), q: q_a.inv_mul(q_b) };
        let then = collide(&shape_a.geometry, &shape_b.geometry, b_in_a, 0.0, Reference::None);
        let then = then.points().iter().map(|point| point.separation).fold(f32::MAX, min);
        then >= -GRAZE && then > 0.5 * (now + expected) + ROUNDING
    }

    /// Gives a contact its new manifold, with the impulses of points that were there before.
    #[inline]
    fn touch(&self, contact: &mut Contact, candidate: &mut ContactCandidate, a: &Motion, b: &Motion) {
        let b_in_a = a.pose.inv_mul(b.pose);
        let found = match candidate.lease.manifold(b_in_a, SPECULATIVE_DISTANCE, candidate.hint) {
            Some(found) => {
                debug_assert_eq!(found, self.search(candidate, b_in_a).0, "a lease fails: {candidate:?} {b_in_a:?}");
                found
            }
            None => {
                let (found, lease) = self.search(candidate, b_in_a);
                candidate.lease = lease;
                found
            }
        };
        candidate.hint = found.reference;
        if found.count == 0 {
            clear(contact);
            return;
        }
        let manifold = &mut contact.manifold;
        let ids = found.points.map(|point| point.id);
        let known = keep_points(manifold, &ids[..found.count as usize]);
        manifold.reference = found.reference;
        let normal = a.pose.q.rotate(found.normal);
        let between = a.center - b.center;
        let place = |local: &ManifoldPoint| {
            let anchor_a = a.pose.q.rotate(local.point - a.local_center);
            let anchor_b = anchor_a + between;
            let approach_velocity = (b.velocity_at(anchor_b) - a.velocity_at(anchor_a)).dot(normal);
            NewPoint { anchor_a, anchor_b, separation: local.separation, approach_velocity }
        };
        if found.count == 2 {
            let points = [place(&found.points[0]), place(&found.points[1])];
            set_points(manifold, normal, &points, known && self.keeps_frames);
        } else {
            set_points(manifold, normal, &[place(&found.points[0])], false);
        }
        if found.reference == Reference::None {
            self.rock(contact, a, b);
        }
    }

    /// Moves the point at which an ellipse touches what has edges to where it will be in the middle of the step.
    ///
    /// An ellipse that turns rolls along its rim. With `h` its height over the contact and `rho` the radius of its
    /// curvature there, turning by an angle moves the point by `h - rho` times as much. Lever arms hold for the whole
    /// step: those of its beginning would give a rocking ellipse energy at every step, those of its middle are right to
    /// second order. The height of the centre over the point then changes by the arm alone, so all of it is rounding.
    fn rock(&self, contact: &mut Contact, a: &Motion, b: &Motion) {
        let (shape_a, shape_b) = (&self.shapes[contact.shape_a].geometry, &self.shapes[contact.shape_b].geometry);
        let is_round = |shape: &Geometry| matches!(shape, Geometry::Circle(_) | Geometry::Ellipse(_));
        let normal = contact.manifold.normal;
        let point = &mut contact.manifold.points[0];
        let (ellipse, motion, out, arm, turn, side) = match (shape_a, shape_b) {
            (Geometry::Ellipse(ellipse), other) if !is_round(other) => {
                (ellipse, a, normal, point.anchor_a, a.angular_velocity - b.angular_velocity, 0)
            }
            (other, Geometry::Ellipse(ellipse)) if !is_round(other) => {
                (ellipse, b, -normal, point.anchor_b, b.angular_velocity - a.angular_velocity, 1)
            }
            _ => return,
        };
        let height = arm.dot(out);
        let radius = ellipse.radius_of_curvature(motion.pose.q.inv_rotate(out));
        let along = left_perp(out);
        // No farther than the rim goes.
        let way = ellipse.half_axes.x - ellipse.half_axes.y;
        let shift = along * clamp(0.5 * (height - radius) * turn * self.dt, -way.abs(), way.abs());
        contact.roundings[side] = height;
        point.anchor_a += shift;
        point.anchor_b += shift;
        point.approach_velocity = (b.velocity_at(point.anchor_b) - a.velocity_at(point.anchor_a)).dot(normal);
    }

    /// Looks for the contact of two shapes from the beginning.
    fn search(&self, candidate: &ContactCandidate, b_in_a: Pose) -> (Manifold, Lease) {
        let [shape_a, shape_b] = candidate.shapes;
        let (a, b) = (&self.shapes[shape_a].geometry, &self.shapes[shape_b].geometry);
        let (mut found, lease) = search(a, b, b_in_a, SPECULATIVE_DISTANCE, candidate.hint, self.rule);
        if let (Geometry::Circle(circle_a), Geometry::Circle(circle_b)) = (a, b)
            && (b_in_a.point(circle_b.center) - circle_a.center).length() < 0.1 * LINEAR_SLOP
        {
            found.normal = scattered_direction(shape_b - shape_a);
        }
        (found, lease)
    }

    /// Where a body is that is not awake.
    pub(crate) fn rest(&self, body: u32) -> Motion {
        let record = &self.bodies[body];
        Motion::new(&self.sets.sets[record.set as usize].sims[record.index as usize], &BodyState::REST)
    }
}

/// Takes all points from a contact. Most that get none had none before.
#[inline]
pub(crate) fn clear(contact: &mut Contact) {
    if contact.manifold.normal != Vec2::ZERO {
        contact.manifold = ContactManifold::default();
        contact.rolling_impulse = 0.0;
    }
}

/// Lets a manifold have the points with these ids. As a rule they are those of the last step, and then this is true; they
/// keep their impulses.
#[inline]
pub(crate) fn keep_points(manifold: &mut ContactManifold, ids: &[u16]) -> bool {
    let count = manifold.count as usize;
    if manifold.ids[..count] == *ids {
        return true;
    }
    let old = std::mem::take(manifold);
    manifold.count = ids.len() as u8;
    for (i, &id) in ids.iter().enumerate() {
        manifold.ids[i] = id;
        if let Some(before) = old.ids[..count].iter().position(|&known| known == id) {
            manifold.points[i] = old.points[before];
        }
    }
    false
}

/// A contact point at its present place; fields as in [`ContactPoint`].
#[derive(Clone, Copy)]
pub(crate) struct NewPoint {
    pub(crate) anchor_a: Vec2,
    pub(crate) anchor_b: Vec2,
    pub(crate) separation: f32,
    pub(crate) approach_velocity: f32,
}

/// Gives a manifold its normal and its points. Where `known` says that they are the points of the last step, and nothing
/// has moved but what the softness of contacts lets move, normal and lever arms stay as they were.
///
/// Contacts are springs, and a tower on springs buckles under its own weight: its load follows every lean. Rigid boxes do
/// not lean at all as long as both edges of a contact carry, so a lean that soft contacts allow must not turn the
/// lever arms of the load. Separations are always those of the present, so the contact still pushes back.
#[inline]
pub(crate) fn set_points(manifold: &mut ContactManifold, normal: Vec2, points: &[NewPoint], known: bool) {
    let keeps_frame = known && is_within_give(manifold, normal, points, 0.0);
    if !keeps_frame {
        manifold.normal = normal;
    }
    for (point, new) in manifold.points.iter_mut().zip(points) {
        if !keeps_frame {
            (point.anchor_a, point.anchor_b) = (new.anchor_a, new.anchor_b);
        }
        (point.separation, point.approach_velocity) = (new.separation, new.approach_velocity);
    }
}

/// The frame of a contact may be off by this many times the depth of the contact: leans add up over the contacts below.
/// Fitted to random towers (`A1` of the problem families): with 3, two of 24 fall that stand with 10, 30 and 100. Contacts
/// under little load have hardly any depth, and hardly ever an old frame.
const GIVE: f32 = 10.0;
/// It may never be turned by more than this, in radians.
const MOST_TURNED: f32 = 0.1;
/// Each of the two points must carry this share of what the other one does: where one of them opens, bodies tip.
const LEAST_SHARE: f32 = 0.1;

/// True when two points have hardly left their frame, and both carry. Besides their depth some may be pressed (`preload.rs`).
#[inline]
pub(crate) fn is_within_give(manifold: &ContactManifold, normal: Vec2, points: &[NewPoint], pressed: f32) -> bool {
    let ([p, q], &[new_p, new_q]) = (&manifold.points, points) else { return false };
    let (load_p, load_q) = (p.normal_impulse, q.normal_impulse);
    let give = GIVE * (pressed - min(new_p.separation, new_q.separation));
    let near = |old: Vec2, new: Vec2| (old - new).length_squared() <= give * give;
    let stays =
        |old: &ContactPoint, new: &NewPoint| near(old.anchor_a, new.anchor_a) & near(old.anchor_b, new.anchor_b);
    // One question: which of them is answered by no is anybody's guess.
    let carries = (load_p >= LEAST_SHARE * load_q) & (load_q >= LEAST_SHARE * load_p);
    let is_turned = (manifold.normal - normal).length_squared() > MOST_TURNED * MOST_TURNED;
    give > 0.0 && carries & !is_turned & stays(p, &new_p) & stays(q, &new_q)
}

/// Overlap in metres that counts as none.
pub(crate) const GRAZE: f32 = 0.1 * LINEAR_SLOP;

/// By how much rounding may change the distance of surfaces that rest against each other. What comes nearer by less in a
/// step does not slide over seams either.
const ROUNDING: f32 = 0.005 * LINEAR_SLOP;

/// A direction for circles with the same centre, which have none of their own. Each pair gets another
/// one: a heap of them must spread over the plane, not along a line.
/// `apart` is the difference of the shapes' indices: bodies added elsewhere shift both.
fn scattered_direction(apart: u32) -> Vec2 {
    let mixed = u64::from(apart).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let angle = mixed as f32 * (2.0 * std::f32::consts::PI / (1 << 24) as f32);
    Rot::from_angle(angle).x_axis()
}
