//! Light bodies that carry far heavier ones.
//!
//! A soft contact under a load `P` gives way until `bias_rate s + softening P = 0`. The softening is in proportion to `1 / m` of
//! the lighter body, so under a body of mass `M` with an acceleration `a` against the contact
//!
//! ```text
//! s = (softening / bias_rate) (M / m) a h
//! ```
//!
//! And passes do not find such a load: one of them hands on about `m (v + bias)`, so it takes about `M / m` of them. A box of
//! 10 t on one of 1 kg pressed it through the floor by a quarter of a metre.
//!
//! So contacts that would give way by more than may be seen, with all others through which the load may go on until it comes
//! to what is heavy enough or cannot be moved, are taken out of the passes and solved exactly in each of them, by the method of the
//! direct solver (`direct.rs`). A load path is solved as a whole, and apart from others. Islands with too many such contacts
//! are left to the passes, and so is what carries heavy bodies that are held by joints as well.

use super::StepContext;
use crate::body::{BodyKind, NONE};
use crate::collide::LINEAR_SLOP;
use crate::contact::{Contact, contact_of, side_of};
use crate::math::{max, min};
use crate::solver::{Batch, Constraints};
use crate::world::WorldState;
use carom_core::{HOLE, OVERFLOW};

/// Bodies whose masses are in a smaller ratio than this are left to passes, which settle it within a few steps: eight passes to
/// a step, and as many passes as the ratio to hand on a load. As in `exact.rs`.
const UNEQUAL: f32 = 30.0;
/// How far a contact may give way under its load, in metres.
const GIVES_WAY: f32 = LINEAR_SLOP;
/// Most contacts of an island that are solved exactly: a few bodies on a few others, not heaps. Fitted to heaps of 30 boxes with
/// densities up to 1000 times as large (seeds 500 to 559 of `tests/ratios.rs`): with 64, and islands solved in part, a box was
/// thrown out of one of the first twelve; with 16, and whole islands, all 60 came to rest.
const MOST_CONTACTS: usize = 16;

/// Which contacts are solved exactly in this step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Burdens {
    /// All contacts with colours between two bodies of unequal mass, in their order; and whether they are known.
    unequal: Vec<u32>,
    is_known: bool,
    is_sorted: bool,
    /// The contacts of all load paths, and of each which path it is on, by contact; `NONE` for those on none.
    chosen: Vec<u32>,
    path_of: Vec<u32>,
    /// The paths in the blocks of this step: blocks and lanes.
    paths: Vec<Vec<(u32, u8)>>,
    /// How often the choice has changed.
    changes: u64,
}

/// A heavy body on a light one.
struct Burden {
    ratio: f32,
    order: u64,
    contact: u32,
    light: u32,
    mass: f32,
}

impl Burdens {
    /// No contact is solved exactly.
    pub(crate) fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The paths in the blocks of this step: blocks and lanes.
    pub(crate) fn paths(&self) -> &[Vec<(u32, u8)>] {
        if self.is_empty() { &[] } else { &self.paths }
    }

    /// How often the choice has changed.
    pub(crate) fn changes(&self) -> u64 {
        self.changes
    }

    /// The contacts that are solved exactly.
    pub(crate) fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// Is this contact solved exactly?
    pub(crate) fn has(&self, contact: u32) -> bool {
        !self.chosen.is_empty() && self.path_of.get(contact as usize).is_some_and(|&path| path != NONE)
    }

    /// A contact got a colour.
    pub(crate) fn note(&mut self, contact: u32) {
        self.unequal.push(contact);
        self.is_sorted = false;
    }

    /// Masses have changed.
    pub(crate) fn forget(&mut self) {
        self.is_known = false;
    }

    /// Everything is another one.
    pub(crate) fn outdate(&mut self) {
        *self = Burdens { changes: self.changes + 1, ..Burdens::default() };
    }

    /// Leaves out what is over, and sorts the rest.
    fn keep_up(&mut self, world: &WorldState) {
        if !self.is_known {
            let all = world.colors.colors().flat_map(|(_, list)| list.iter().copied());
            self.unequal.clear();
            self.unequal.extend(all.filter(|&index| index != HOLE));
            (self.is_known, self.is_sorted) = (true, false);
        }
        if self.unequal.is_empty() {
            return;
        }
        self.unequal.retain(|&index| world.contacts.get_at(index).is_some_and(|contact| is_unequal(world, contact)));
        if !self.is_sorted {
            self.unequal.sort_unstable_by_key(|&index| world.contacts[index].order());
            self.unequal.dedup();
            self.is_sorted = true;
        }
    }

    /// The burdens, from the greatest ratio on.
    fn list(&self, world: &WorldState, context: &StepContext) -> Vec<Burden> {
        let softness = context.softness(1.0, 1.0);
        let give = softness.softening / softness.bias_rate * context.h;
        let mut burdens: Vec<Burden> = self
            .unequal
            .iter()
            .filter_map(|&index| {
                let contact = &world.contacts[index];
                let [a, b] = [contact.body_a, contact.body_b].map(|body| inverse_mass(world, body));
                let (heavy, light, normal) = match a < b {
                    true => (contact.body_a, contact.body_b, contact.manifold.normal),
                    false => (contact.body_b, contact.body_a, -contact.manifold.normal),
                };
                let ratio = max(a, b) / min(a, b);
                if world.bodies[heavy].jointed {
                    // It hangs on them, for all that contacts know.
                    return None;
                }
                let pull = world.sim(heavy).acceleration(context.gravity);
                let pressing = pull.dot(normal);
                let counts = give * ratio * pressing > GIVES_WAY;
                let mass = 1.0 / min(a, b);
                counts.then_some(Burden { ratio, order: contact.order(), contact: index, light, mass })
            })
            .collect();
        burdens.sort_unstable_by(|p, q| q.ratio.total_cmp(&p.ratio).then(p.order.cmp(&q.order)));
        burdens
    }

    /// Chooses the contacts of all load paths.
    fn choose(&mut self, world: &WorldState, context: &StepContext) {
        let before = std::mem::take(&mut self.chosen);
        for &index in &before {
            self.path_of[index as usize] = NONE;
        }
        if !self.unequal.is_empty() {
            self.path_of.resize(world.contacts.slot_count().max(self.path_of.len()), NONE);
            let mut spent: Vec<(u32, usize)> = Vec::new();
            for burden in self.list(world, context) {
                let path = self.path_below(world, &burden);
                let island = world.islands.island_of(burden.light).unwrap_or(NONE);
                let place = spent.iter().position(|&(other, _)| other == island).unwrap_or(spent.len());
                if place == spent.len() {
                    spent.push((island, 0));
                }
                spent[place].1 += path.len();
                for &index in &path {
                    self.path_of[index as usize] = index;
                }
                self.chosen.extend(path);
            }
            self.drop_crowds(world, &spent);
            self.chosen.sort_unstable_by_key(|&index| world.contacts[index].order());
            self.join_paths(world);
        }
        self.changes += u64::from(self.chosen != before);
    }

    /// Leaves islands to the passes whose paths have too many contacts: all of an island, since what is solved exactly on one
    /// side of a body and by passes on the other shakes it.
    fn drop_crowds(&mut self, world: &WorldState, spent: &[(u32, usize)]) {
        let Burdens { chosen, path_of, .. } = self;
        let is_crowded = |index: u32| {
            let contact = &world.contacts[index];
            let island = [contact.body_a, contact.body_b].into_iter().find_map(|body| world.islands.island_of(body));
            spent.iter().any(|&(other, count)| Some(other) == island && count > MOST_CONTACTS)
        };
        chosen.retain(|&index| {
            let stays = !is_crowded(index);
            if !stays {
                path_of[index as usize] = NONE;
            }
            stays
        });
    }

    /// The contacts that may bear a burden and are on no path yet: from the light body on through all that is light beside the
    /// burden. Not only downwards: what is squeezed pushes to its sides as well, and whatever is not told of it in the same
    /// system is pushed through. One more than the most at most.
    fn path_below(&self, world: &WorldState, burden: &Burden) -> Vec<u32> {
        let is_new = |index: u32, path: &[u32]| self.path_of[index as usize] == NONE && !path.contains(&index);
        let mut path: Vec<u32> = Vec::new();
        if is_new(burden.contact, &path) {
            path.push(burden.contact);
        }
        let mut bodies = vec![burden.light];
        let mut next = 0;
        while let Some(&body) = bodies.get(next) {
            next += 1;
            for (index, contact) in contacts_of(world, body) {
                if contact.slot.is_none_or(|slot| slot.color() == OVERFLOW) {
                    continue;
                }
                if is_new(index, &path) {
                    path.push(index);
                }
                if path.len() > MOST_CONTACTS {
                    return path;
                }
                let other = contact.other_body(body);
                if inverse_mass(world, other) * burden.mass > UNEQUAL && !bodies.contains(&other) {
                    bodies.push(other);
                }
            }
        }
        path
    }

    /// Paths that share a body that can be moved are one: each has the name of its first contact.
    fn join_paths(&mut self, world: &WorldState) {
        let mut last: Vec<(u32, u32)> = Vec::new();
        for &index in &self.chosen {
            self.path_of[index as usize] = index;
            let contact = &world.contacts[index];
            for body in [contact.body_a, contact.body_b] {
                if world.bodies[body].kind == BodyKind::Dynamic {
                    last.push((body, index));
                }
            }
        }
        last.sort_unstable();
        let rank = |index: u32| world.contacts[index].order();
        for pair in last.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            let (p, q) = (root(&self.path_of, pair[0].1), root(&self.path_of, pair[1].1));
            let (first, other) = if rank(p) <= rank(q) { (p, q) } else { (q, p) };
            self.path_of[other as usize] = first;
        }
        for &index in &self.chosen {
            self.path_of[index as usize] = root(&self.path_of, index);
        }
    }

    /// Notes where the contacts of the paths are, in the blocks from `first` on.
    pub(crate) fn find_blocks(&mut self, constraints: &Constraints, first: usize) {
        self.paths.clear();
        let mut lanes: Vec<(u32, u32, (u32, u8))> = Vec::new();
        for (block, extras) in (first..).zip(&constraints.extras[first..]) {
            for (lane, &index) in (0..).zip(extras.contact.iter().take_while(|&&index| index != NONE)) {
                lanes.push((self.path_of[index as usize], index, (block as u32, lane)));
            }
        }
        let place = |index: u32| self.chosen.iter().position(|&other| other == index);
        lanes.sort_unstable_by_key(|&(path, index, _)| (place(path), place(index)));
        for path in lanes.chunk_by(|p, q| p.0 == q.0) {
            self.paths.push(path.iter().map(|&(_, _, at)| at).collect());
        }
    }
}

fn root(above: &[u32], mut index: u32) -> u32 {
    while above[index as usize] != index {
        index = above[index as usize];
    }
    index
}

/// Of a body that can be moved freely; 0 for others.
fn inverse_mass(world: &WorldState, body: u32) -> f32 {
    if world.bodies[body].kind != BodyKind::Dynamic {
        return 0.0;
    }
    let inverse = world.sim(body).inv_mass;
    min(inverse.x, inverse.y)
}

/// Does a contact that has a colour hold bodies of unequal masses apart?
pub(crate) fn is_unequal(world: &WorldState, contact: &Contact) -> bool {
    let [a, b] = [contact.body_a, contact.body_b].map(|body| inverse_mass(world, body));
    let (least, most) = (min(a, b), max(a, b));
    least > 0.0 && most > UNEQUAL * least && contact.slot.is_some_and(|slot| slot.color() != OVERFLOW)
}

fn contacts_of(world: &WorldState, body: u32) -> impl Iterator<Item = (u32, &Contact)> {
    let mut next = world.bodies[body].contact_head;
    std::iter::from_fn(move || {
        let index = (next != NONE).then(|| contact_of(next))?;
        let contact = &world.contacts[index];
        next = contact.edges[side_of(next)].next;
        Some((index, contact))
    })
}

pub(crate) fn choose_burdens(world: &mut WorldState, context: &StepContext) {
    let mut burdens = std::mem::take(&mut world.burdens);
    burdens.keep_up(world);
    if !burdens.unequal.is_empty() || !burdens.is_empty() {
        burdens.choose(world, context);
    }
    world.burdens = burdens;
}

/// Solves the contacts of all load paths, one path after the other.
pub(crate) fn solve_burdens<const BIASED: bool>(batch: &mut Batch<'_>, context: &StepContext) {
    for path in batch.coupled.as_ref().map_or(&[][..], |coupled| coupled.paths) {
        batch.solve_exactly(|system, problem| system.solve_path::<BIASED>(problem, context, path));
    }
}
