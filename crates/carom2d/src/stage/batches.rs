//! Contacts that are looked at the same way, sixteen at a time.
//!
//! The stage `contacts` goes through the contacts in the order of their slots and puts each into a batch; full ones are
//! handed to `side_by_side.rs`. What comes back is written to the contacts here, which are then done with one by one.

use super::contacts::{Forecast, Prospect, Run, View, clear};
use super::side_by_side::{LookAtDiscs, LookAtEdges, LookAtLeases, SeenEdges};
use crate::body::NONE;
use crate::collide::{EdgeRule, Form, Lease, Pairing, Reference};
use crate::contact::Contact;
use crate::motion::Motion;
use carom_wide::{LANES, Wide};
use std::cell::OnceCell;

/// How a contact is looked at. Contacts of the same way are looked at side by side.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
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

impl Way {
    /// Edges and those alone last: what leases do not know is left to them.
    const ALL: [Way; 6] = [Way::Leased, Way::Discs, Way::DiscAndSegment, Way::DiscAndPolygon, Way::Edges, Way::Alone];
    const COUNT: usize = Way::ALL.len();
}

/// The motions of two bodies per lane, and room for those of bodies that rest.
pub(super) type LaneMotionRefs<'m> = [[&'m Motion; LANES]; 2];
type Rests = [[OnceCell<Motion>; LANES]; 2];

/// One for each way.
pub(super) struct Batches([Batch; Way::COUNT]);

impl Batches {
    pub(super) const EMPTY: Batches = Batches([const { Batch::EMPTY }; Way::COUNT]);
}

/// Contacts that are looked at the same way, by their places in a run.
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
    /// Puts a contact to those that are looked at the same way, and looks at them when there are enough.
    #[inline]
    pub(super) fn put(&self, place: usize, batches: &mut Batches, run: &mut Run) {
        self.put_into(self.way(&run.prospects[place]), place, batches, run);
    }

    #[inline]
    fn put_into(&self, way: Way, place: usize, batches: &mut Batches, run: &mut Run) {
        let batch = &mut batches.0[way as usize];
        batch.add(place);
        if batch.is_full() {
            self.update_batch(way, batches, run);
        }
    }

    /// Looks at all that are left.
    pub(super) fn put_last(&self, mut batches: Batches, run: &mut Run) {
        for way in Way::ALL {
            self.update_batch(way, &mut batches, run);
        }
    }

    /// How a contact is to be looked at.
    #[inline]
    fn way(&self, prospect: &Prospect) -> Way {
        match prospect.pairing {
            Pairing::Discs => Way::Discs,
            Pairing::DiscAndSegment => Way::DiscAndSegment,
            Pairing::DiscAndPolygon => Way::DiscAndPolygon,
            _ if prospect.lease.is_of_edges(prospect.hint) => Way::Leased,
            _ => self.way_without_lease(prospect),
        }
    }

    /// How a contact with edges is to be looked at when its lease has run out.
    #[inline]
    fn way_without_lease(&self, prospect: &Prospect) -> Way {
        // Lanes know one rule only.
        if prospect.pairing == Pairing::Edges && self.rule == EdgeRule::Steady { Way::Edges } else { Way::Alone }
    }

    /// Gives the contacts of a batch their new manifolds, and empties it.
    fn update_batch(&self, way: Way, batches: &mut Batches, run: &mut Run) {
        let batch = &mut batches.0[way as usize];
        if batch.count == 0 {
            return;
        }
        let Batch { places, count } = std::mem::replace(batch, Batch::EMPTY);
        let places = &places[..count];
        match way {
            Way::Leased => self.update_leased(places, batches, run),
            Way::Edges => self.update_edges(places, run),
            Way::Discs => self.update_discs(Pairing::Discs, places, run),
            Way::DiscAndSegment => self.update_discs(Pairing::DiscAndSegment, places, run),
            Way::DiscAndPolygon => self.update_discs(Pairing::DiscAndPolygon, places, run),
            Way::Alone => {
                for &place in places {
                    let [a, b] = run.prospects[place].bodies.map(|body| self.motion(body));
                    self.update(place, run, &a, &b);
                }
            }
        }
    }

    /// Where the bodies of some contacts are and how they move; `rests` is room for those that do not.
    #[inline]
    fn motions_of<'m>(&'m self, places: &[usize], prospects: &[Prospect], rests: &'m Rests) -> LaneMotionRefs<'m> {
        let mut motions = [[&Motion::NONE; LANES]; 2];
        // Many contacts with one ground.
        let mut last = (NONE, &Motion::NONE);
        for (lane, &place) in places.iter().enumerate() {
            for (side, &body) in prospects[place].bodies.iter().enumerate() {
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

    /// Contacts whose leases are of edges.
    fn update_leased(&self, places: &[usize], batches: &mut Batches, run: &mut Run) {
        let rests = Rests::default();
        let motions = self.motions_of(places, run.prospects, &rests);
        let mut leases = [&Lease::NONE; LANES];
        for (lane, &place) in places.iter().enumerate() {
            leases[lane] = &run.prospects[place].lease;
        }
        let (seen, corners) =
            self.width.run(LookAtLeases { leases, motions: &motions, count: places.len(), dt: self.dt });
        for (lane, &place) in places.iter().enumerate() {
            let (a, b) = (motions[0][lane], motions[1][lane]);
            if seen.known >> lane & 1 == 0 {
                self.put_into(self.way_without_lease(&run.prospects[place]), place, batches, run);
                continue;
            }
            self.settle(place, run, [a, b], seen.forecast(lane), |contact, prospect| {
                let ids = prospect.lease.ids(corners.get(lane));
                seen.write(lane, ids, prospect.hint, self.keeps_frames, &mut contact.manifold);
            });
        }
    }

    /// Contacts of forms with edges.
    fn update_edges(&self, places: &[usize], run: &mut Run) {
        let rests = Rests::default();
        let motions = self.motions_of(places, run.prospects, &rests);
        let (mut forms, mut hints) = ([[&Form::NONE; LANES]; 2], [Wide::splat(-1.0); 2]);
        for (lane, &place) in places.iter().enumerate() {
            let prospect = &run.prospects[place];
            for (forms, shape) in forms.iter_mut().zip(prospect.shapes) {
                forms[lane] = &self.forms[shape as usize];
            }
            match prospect.hint {
                Reference::None => {}
                Reference::A(edge) => hints[0].0[lane] = f32::from(edge),
                Reference::B(edge) => hints[1].0[lane] = f32::from(edge),
            }
        }
        let look = LookAtEdges { forms, hints: &hints, motions: &motions, count: places.len(), dt: self.dt };
        let SeenEdges { seen, apart, are_apart, edges } = self.width.run(look);
        for (lane, &place) in places.iter().enumerate() {
            let (a, b) = (motions[0][lane], motions[1][lane]);
            if seen.known >> lane & 1 == 0 {
                self.update(place, run, a, b);
                continue;
            }
            if are_apart >> lane & 1 != 0 && self.stays_quiet(&run.prospects[place], a, b, seen.closes(lane)) {
                apart.write(lane, &mut run.prospects[place].lease);
                self.keep_quiet(place, run, a, b);
                continue;
            }
            self.settle(place, run, [a, b], seen.forecast(lane), |contact, prospect| {
                if seen.touches(lane) {
                    let b_in_a = apart.b_in_a(lane);
                    let ids = edges.write(lane, forms[0][lane], forms[1][lane], b_in_a, &mut prospect.lease);
                    prospect.hint = edges.reference(lane);
                    seen.write(lane, ids, prospect.hint, self.keeps_frames, &mut contact.manifold);
                } else {
                    if are_apart >> lane & 1 != 0 {
                        apart.write(lane, &mut prospect.lease);
                    } else {
                        prospect.lease.end();
                    }
                    prospect.hint = Reference::None;
                    clear(contact);
                }
            });
        }
    }

    /// Contacts of circles.
    fn update_discs(&self, pairing: Pairing, places: &[usize], run: &mut Run) {
        let rests = Rests::default();
        let motions = self.motions_of(places, run.prospects, &rests);
        let (mut discs, mut others, mut disc_first) = ([&Form::NONE; LANES], [&Form::NONE; LANES], 0);
        for (lane, &place) in places.iter().enumerate() {
            let [a, b] = run.prospects[place].shapes.map(|shape| &self.forms[shape as usize]);
            if b.is_disc() {
                (discs[lane], others[lane]) = (b, a);
            } else {
                (discs[lane], others[lane]) = (a, b);
                disc_first |= 1 << lane;
            }
        }
        let look =
            LookAtDiscs { pairing, discs, others, disc_first, motions: &motions, count: places.len(), dt: self.dt };
        let (seen, seen_apart) = self.width.run(look);
        for (lane, &place) in places.iter().enumerate() {
            let (a, b) = (motions[0][lane], motions[1][lane]);
            if seen.known >> lane & 1 == 0 {
                self.update(place, run, a, b);
                continue;
            }
            if !seen.touches(lane) && self.stays_quiet(&run.prospects[place], a, b, seen.closes(lane)) {
                seen_apart.write(lane, &mut run.prospects[place].lease);
                self.keep_quiet(place, run, a, b);
                continue;
            }
            self.settle(place, run, [a, b], seen.forecast(lane), |contact, prospect| {
                prospect.hint = Reference::None;
                if seen.touches(lane) {
                    prospect.lease.end();
                    seen.write(lane, [0; 2], Reference::None, false, &mut contact.manifold);
                } else {
                    seen_apart.write(lane, &mut prospect.lease);
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
        write: impl FnOnce(&mut Contact, &mut Prospect),
    ) {
        let (contact, prospect) = (run.slots[place].value_mut(), &mut run.prospects[place]);
        #[cfg(debug_assertions)]
        let alone = self.touched(contact, prospect, a, b);
        write(contact, prospect);
        #[cfg(debug_assertions)]
        assert_eq!(contact.manifold, alone, "not what is found alone: {prospect:?}");
        self.finish(place, run, [a, b], forecast);
    }

    /// True when nothing has to be done about a contact whose shapes are found apart, but for its lease.
    #[inline]
    fn stays_quiet(&self, prospect: &Prospect, a: &Motion, b: &Motion, closes: bool) -> bool {
        prospect.quiet
            && !self.hooked
            && self.boxes_overlap(prospect)
            && !((prospect.bouncy || closes) && self.is_fast_pair(prospect, a, b))
    }

    /// Leaves such a contact, which has its new lease, as it is.
    #[inline]
    fn keep_quiet(&self, place: usize, run: &mut Run, a: &Motion, b: &Motion) {
        let prospect = &mut run.prospects[place];
        prospect.idle = prospect.lease.holds_apart();
        debug_assert!(self.is_untouched(run.slots[place].value_mut(), prospect, a, b), "not quiet: {prospect:?}");
    }

    /// True when a contact that is looked at alone keeps its manifold. For debug builds.
    fn is_untouched(&self, contact: &Contact, prospect: &Prospect, a: &Motion, b: &Motion) -> bool {
        self.touched(contact, prospect, a, b) == contact.manifold
    }
}
