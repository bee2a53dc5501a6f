//! Updates the manifolds of sixteen contacts of one kind at a time.
//!
//! The stage `contacts` goes through the contacts in the order of their slots and puts each into a batch; full ones are
//! handed to `side_by_side.rs`. What comes back is written to the contacts here, which are then done with one by one.

use super::side_by_side::{LookAtDiscs, LookAtEdges, LookAtIdle, LookAtLeases, Seen, SeenApart, SeenEdges};
use crate::body::NONE;
use crate::collide::{EdgeRule, Form, Lease, Pairing, Reference};
use crate::contact::Contact;
use crate::motion::Motion;
use crate::stage::contacts::{ContactCandidate, Forecast, Run, View, clear};
use carom_wide::{LANES, Wide};
use std::cell::OnceCell;

/// How the manifold of a contact is found. Contacts of one kind are updated side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
enum BatchKind {
    /// Shapes that are apart, as a rule for longer.
    Idle,
    /// By its lease.
    Leased,
    /// A circle against a circle, a segment, a polygon.
    Discs,
    DiscAndSegment,
    DiscAndPolygon,
    /// By a search among the edges of two forms.
    Edges,
    /// One by one.
    Alone,
}

impl BatchKind {
    /// Idle contacts come first: those that do not stay so are added to the others. Edges and single contacts come last:
    /// contacts whose lease has run out are added to them.
    const ALL: [BatchKind; 7] = [
        BatchKind::Idle,
        BatchKind::Leased,
        BatchKind::Discs,
        BatchKind::DiscAndSegment,
        BatchKind::DiscAndPolygon,
        BatchKind::Edges,
        BatchKind::Alone,
    ];
    const COUNT: usize = BatchKind::ALL.len();
}

/// The motions of two bodies per lane, and room for those of bodies that rest.
pub(crate) type LaneMotionRefs<'m> = [[&'m Motion; LANES]; 2];
type Rests = [[OnceCell<Motion>; LANES]; 2];

/// One for each kind.
pub(crate) struct Batches([Batch; BatchKind::COUNT]);

impl Batches {
    pub(crate) const EMPTY: Batches = Batches([const { Batch::EMPTY }; BatchKind::COUNT]);
}

/// Contacts of one kind, by their places in a run.
struct Batch {
    places: [usize; LANES],
    count: usize,
}

impl Batch {
    const EMPTY: Batch = Batch { places: [0; LANES], count: 0 };

    #[inline]
    fn add(&mut self, place: usize) {
        self.places[self.count] = place;
        self.count += 1;
    }

    #[inline]
    fn is_full(&self) -> bool {
        self.count == LANES
    }
}

impl View<'_> {
    /// Adds a contact to the batch of its kind, and updates the batch when it is full.
    #[inline]
    pub(crate) fn put(&self, place: usize, batches: &mut Batches, run: &mut Run) {
        self.put_into(self.batch_kind(&run.candidates[place]), place, batches, run);
    }

    /// The same for an idle contact.
    #[inline]
    pub(crate) fn put_idle(&self, place: usize, batches: &mut Batches, run: &mut Run) {
        self.put_into(BatchKind::Idle, place, batches, run);
    }

    #[inline]
    fn put_into(&self, kind: BatchKind, place: usize, batches: &mut Batches, run: &mut Run) {
        let batch = &mut batches.0[kind as usize];
        batch.add(place);
        if batch.is_full() {
            self.update_batch(kind, batches, run);
        }
    }

    /// Looks at all that are left.
    pub(crate) fn put_last(&self, mut batches: Batches, run: &mut Run) {
        for kind in BatchKind::ALL {
            self.update_batch(kind, &mut batches, run);
        }
    }

    /// How a contact is to be looked at.
    #[inline]
    fn batch_kind(&self, candidate: &ContactCandidate) -> BatchKind {
        match candidate.pairing {
            Pairing::Discs => BatchKind::Discs,
            Pairing::DiscAndSegment => BatchKind::DiscAndSegment,
            Pairing::DiscAndPolygon => BatchKind::DiscAndPolygon,
            _ if candidate.lease.is_of_edges(candidate.hint) => BatchKind::Leased,
            _ => self.batch_kind_without_lease(candidate),
        }
    }

    /// How a contact with edges is to be looked at when its lease has run out.
    #[inline]
    fn batch_kind_without_lease(&self, candidate: &ContactCandidate) -> BatchKind {
        // Lanes know one rule only.
        if candidate.pairing == Pairing::Edges && self.rule == EdgeRule::Steady {
            BatchKind::Edges
        } else {
            BatchKind::Alone
        }
    }

    /// Gives the contacts of a batch their new manifolds, and empties it.
    fn update_batch(&self, kind: BatchKind, batches: &mut Batches, run: &mut Run) {
        let batch = &mut batches.0[kind as usize];
        if batch.count == 0 {
            return;
        }
        let (places, count) = (batch.places, std::mem::take(&mut batch.count));
        let places = &places[..count];
        match kind {
            BatchKind::Idle => self.update_idle(places, batches, run),
            BatchKind::Leased => self.update_leased(places, batches, run),
            BatchKind::Edges => self.update_edges(places, run),
            BatchKind::Discs => self.update_discs(Pairing::Discs, places, run),
            BatchKind::DiscAndSegment => self.update_discs(Pairing::DiscAndSegment, places, run),
            BatchKind::DiscAndPolygon => self.update_discs(Pairing::DiscAndPolygon, places, run),
            BatchKind::Alone => {
                for &place in places {
                    let [a, b] = run.candidates[place].bodies.map(|body| self.motion(body));
                    self.update(place, run, &a, &b);
                }
            }
        }
    }

    /// Where the bodies of some contacts are and how they move; `rests` is room for those that do not.
    #[inline]
    fn motions_of<'m>(
        &'m self,
        places: &[usize],
        candidates: &[ContactCandidate],
        rests: &'m Rests,
    ) -> LaneMotionRefs<'m> {
        let mut motions = [[&Motion::NONE; LANES]; 2];
        // Many contacts with one ground.
        let mut last = (NONE, &Motion::NONE);
        for (lane, &place) in places.iter().enumerate() {
            for (side, &body) in candidates[place].bodies.iter().enumerate() {
                motions[side][lane] = self.motions.get(body).unwrap_or_else(|| {
                    if last.0 != body {
                        last = (body, rests[side][lane].get_or_init(|| self.rest(body)));
                    }
                    last.1
                });
            }
        }
        motions
    }

    /// Idle contacts: those that do not stay so go into the batches of their kinds.
    fn update_idle(&self, places: &[usize], batches: &mut Batches, run: &mut Run) {
        let mut motions = [[&Motion::NONE; LANES]; 2];
        let mut boxes = [[&self.fat_boxes[0]; LANES]; 2];
        let mut leases = [&Lease::NONE; LANES];
        let (mut lanes, mut count, mut bouncy, mut carried) = ([0; LANES], 0, 0, 0);
        let (mut others, mut other_count) = ([0; LANES], 0);
        for &place in places {
            let candidate = &run.candidates[place];
            let [body_a, body_b] = candidate.bodies;
            let (Some(a), Some(b)) = (self.motions.get(body_a), self.motions.get(body_b)) else {
                others[other_count % LANES] = place;
                other_count += 1;
                continue;
            };
            // No batch has more; saying so spares the checks.
            let lane = count % LANES;
            let [shape_a, shape_b] = candidate.shapes;
            (motions[0][lane], motions[1][lane]) = (a, b);
            (boxes[0][lane], boxes[1][lane]) = (&self.fat_boxes[shape_a as usize], &self.fat_boxes[shape_b as usize]);
            leases[lane] = &candidate.lease;
            bouncy |= u16::from(candidate.bouncy) << lane;
            carried |= u16::from(a.carried & b.carried) << lane;
            lanes[lane] = place;
            count += 1;
        }
        let (foresees, dt) = (self.foresees, self.dt);
        let look = LookAtIdle { leases, boxes, motions: &motions, count, bouncy, carried, foresees, dt };
        let idle = self.width.run(look);
        debug_assert!(
            (0..count).all(|lane| idle.stays >> lane & 1 == 0 || self.stays_idle(&run.candidates[lanes[lane]]))
        );
        let mut rest = !idle.stays & ((1 << count) - 1);
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let (place, a, b) = (lanes[lane], motions[0][lane], motions[1][lane]);
            let candidate = &run.candidates[place];
            let stays = idle.stays_unless_met >> lane & 1 != 0 && !self.may_meet_soon(candidate, a, b);
            debug_assert_eq!(stays, self.stays_idle(candidate), "not what is found alone: {candidate:?}");
            if !stays {
                self.put(place, batches, run);
            }
        }
        for &place in &others[..other_count] {
            if !self.stays_idle(&run.candidates[place]) {
                self.put(place, batches, run);
            }
        }
    }

    /// Contacts whose leases are of edges.
    fn update_leased(&self, places: &[usize], batches: &mut Batches, run: &mut Run) {
        let rests = Rests::default();
        let motions = self.motions_of(places, run.candidates, &rests);
        let mut leases = [&Lease::NONE; LANES];
        for (lane, &place) in places.iter().enumerate() {
            leases[lane] = &run.candidates[place].lease;
        }
        let (mut seen, count, dt) = (Seen::NOTHING, places.len(), self.dt);
        let corners = self.width.run(LookAtLeases { leases, motions: &motions, count, dt, seen: &mut seen });
        for (lane, &place) in places.iter().enumerate() {
            let (a, b) = (motions[0][lane], motions[1][lane]);
            if seen.known >> lane & 1 == 0 {
                self.put_into(self.batch_kind_without_lease(&run.candidates[place]), place, batches, run);
                continue;
            }
            self.settle(place, run, [a, b], seen.forecast(lane), |contact, candidate| {
                let ids = candidate.lease.ids(corners.get(lane));
                seen.write(lane, ids, candidate.hint, self.keeps_frames, &mut contact.manifold);
            });
        }
    }

    /// Contacts of forms with edges.
    fn update_edges(&self, places: &[usize], run: &mut Run) {
        let rests = Rests::default();
        let motions = self.motions_of(places, run.candidates, &rests);
        let (mut forms, mut hints) = ([[&Form::NONE; LANES]; 2], [Wide::splat(-1.0); 2]);
        for (lane, &place) in places.iter().enumerate() {
            let candidate = &run.candidates[place];
            for (forms, shape) in forms.iter_mut().zip(candidate.shapes) {
                forms[lane] = &self.forms[shape as usize];
            }
            match candidate.hint {
                Reference::None => {}
                Reference::A(edge) => hints[0].0[lane] = f32::from(edge),
                Reference::B(edge) => hints[1].0[lane] = f32::from(edge),
            }
        }
        let (mut found, count, dt) = (SeenEdges::nothing(), places.len(), self.dt);
        self.width.run(LookAtEdges { forms, hints: &hints, motions: &motions, count, dt, found: &mut found });
        let SeenEdges { seen, apart, are_apart, edges } = &found;
        for (lane, &place) in places.iter().enumerate() {
            let (a, b) = (motions[0][lane], motions[1][lane]);
            if seen.known >> lane & 1 == 0 {
                self.update(place, run, a, b);
                continue;
            }
            if are_apart >> lane & 1 != 0 && self.stays_quiet(&run.candidates[place], a, b, seen.closes(lane)) {
                apart.write(lane, &mut run.candidates[place].lease);
                self.keep_quiet(place, run, a, b);
                continue;
            }
            self.settle(place, run, [a, b], seen.forecast(lane), |contact, candidate| {
                if seen.touches(lane) {
                    let b_in_a = apart.b_in_a(lane);
                    let ids = edges.write(lane, forms[0][lane], forms[1][lane], b_in_a, &mut candidate.lease);
                    candidate.hint = edges.reference(lane);
                    seen.write(lane, ids, candidate.hint, self.keeps_frames, &mut contact.manifold);
                } else {
                    if are_apart >> lane & 1 != 0 {
                        apart.write(lane, &mut candidate.lease);
                    } else {
                        candidate.lease.end();
                    }
                    candidate.hint = Reference::None;
                    clear(contact);
                }
            });
        }
    }

    /// Contacts of circles.
    fn update_discs(&self, pairing: Pairing, places: &[usize], run: &mut Run) {
        let rests = Rests::default();
        let motions = self.motions_of(places, run.candidates, &rests);
        let (mut discs, mut others, mut disc_first) = ([&Form::NONE; LANES], [&Form::NONE; LANES], 0);
        for (lane, &place) in places.iter().enumerate() {
            let [a, b] = run.candidates[place].shapes.map(|shape| &self.forms[shape as usize]);
            if b.is_disc() {
                (discs[lane], others[lane]) = (b, a);
            } else {
                (discs[lane], others[lane]) = (a, b);
                disc_first |= 1 << lane;
            }
        }
        let (mut seen, mut seen_apart) = (Seen::NOTHING, SeenApart::NOTHING);
        self.width.run(LookAtDiscs {
            pairing,
            discs,
            others,
            disc_first,
            motions: &motions,
            count: places.len(),
            dt: self.dt,
            seen: &mut seen,
            apart: &mut seen_apart,
        });
        for (lane, &place) in places.iter().enumerate() {
            let (a, b) = (motions[0][lane], motions[1][lane]);
            if seen.known >> lane & 1 == 0 {
                self.update(place, run, a, b);
                continue;
            }
            if !seen.touches(lane) && self.stays_quiet(&run.candidates[place], a, b, seen.closes(lane)) {
                seen_apart.write(lane, &mut run.candidates[place].lease);
                self.keep_quiet(place, run, a, b);
                continue;
            }
            self.settle(place, run, [a, b], seen.forecast(lane), |contact, candidate| {
                candidate.hint = Reference::None;
                if seen.touches(lane) {
                    candidate.lease.end();
                    seen.write(lane, [0; 2], Reference::None, false, &mut contact.manifold);
                } else {
                    seen_apart.write(lane, &mut candidate.lease);
                    clear(contact);
                }
            });
        }
    }

    /// Gives a contact what was found side by side with others.
    #[inline(always)]
    fn settle(
        &self,
        place: usize,
        run: &mut Run,
        [a, b]: [&Motion; 2],
        forecast: Forecast,
        write: impl FnOnce(&mut Contact, &mut ContactCandidate),
    ) {
        let (contact, candidate) = (run.slots[place].value_mut(), &mut run.candidates[place]);
        #[cfg(debug_assertions)]
        let alone = self.touched(contact, candidate, a, b);
        write(contact, candidate);
        // Velocities that overflow between two steps make an approach that is not a number, and equals nothing.
        #[cfg(debug_assertions)]
        if alone.points.iter().all(|point| !point.approach_velocity.is_nan()) {
            assert_eq!(contact.manifold, alone, "not what is found alone: {candidate:?}");
        }
        self.finish(place, run, [a, b], forecast);
    }

    /// True when nothing has to be done about a contact whose shapes are found apart, but for its lease.
    #[inline]
    fn stays_quiet(&self, candidate: &ContactCandidate, a: &Motion, b: &Motion, closes: bool) -> bool {
        candidate.quiet
            && !self.hooked
            && self.boxes_overlap(candidate)
            && !((candidate.bouncy || closes && self.is_near_then(a, b)) && self.is_fast_pair(candidate, a, b))
    }

    /// Leaves such a contact, which has its new lease, as it is.
    #[inline]
    fn keep_quiet(&self, place: usize, run: &mut Run, a: &Motion, b: &Motion) {
        let candidate = &mut run.candidates[place];
        candidate.idle = candidate.lease.holds_apart();
        debug_assert!(self.is_untouched(run.slots[place].value_mut(), candidate, a, b), "not quiet: {candidate:?}");
    }

    /// True when a contact that is looked at alone keeps its manifold. For debug builds.
    fn is_untouched(&self, contact: &Contact, candidate: &ContactCandidate, a: &Motion, b: &Motion) -> bool {
        self.touched(contact, candidate, a, b) == contact.manifold
    }
}
