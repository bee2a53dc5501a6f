//! Survey: which contacts may come to matter in this step, and which of them rest when it begins.

use super::rest::OldLoad;
use crate::body::{Activity, NONE};
use crate::collide::touch::Touch;
use crate::material::ImpactLaw;
use crate::math::max;
use crate::world::World;
use carom_threads::{Crew, Parts};

/// A body that meets so many others in a step is in a crowd.
const CROWD: u32 = 4;
/// Most rounds in which sleepers are woken that others lean on, and look around themselves.
const MOST_WAKINGS: u32 = 8;
/// Fewer contacts than this are not worth another thread.
const LEAST_SHARED: usize = 512;

/// A contact that may come to matter in this step.
#[derive(Clone, Debug)]
pub(crate) struct Near {
    contact: u32,
    /// The surfaces are within the reach of rest.
    is_leaning: bool,
    /// They are within it, or will be when the step is over, and push each other or approach.
    is_meeting: bool,
    /// What is nearest is the seam between two faces, see [`World::is_hidden_by_face`].
    is_hidden: bool,
    touch: Touch,
    approach: f64,
    rest_speed: f64,
    reach: f64,
}

/// What came of a part of the contacts that are near.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    /// Those that rest; with points, those that may.
    resting: Vec<u32>,
    /// Those that rest and are on no list yet.
    unlisted: Vec<u32>,
    /// Those that have just come to rest.
    settled: Vec<u32>,
    /// What those carried that rested before.
    turned: Vec<OldLoad>,
}

impl Outcome {
    fn clear(&mut self) {
        self.resting.clear();
        self.unlisted.clear();
        self.settled.clear();
        self.turned.clear();
    }
}

impl World {
    /// Looks at all contacts whose bodies may meet in this step. Sleepers that something leans on are woken, and of every
    /// mover it becomes known how many it will meet.
    pub(crate) fn survey(&mut self, crew: &Crew<'_>) {
        for _ in 0..MOST_WAKINGS {
            self.fill_probes(crew);
            let mut near = std::mem::take(&mut self.near);
            let (world, count) = (&*self, self.links.len());
            crew.for_lists(&mut near, count, crew.grain(count, LEAST_SHARED), |range, near| {
                near.clear();
                near.extend(range.filter_map(|index| world.survey_contact(index as u32)));
            });
            let mut is_anyone_woken = false;
            for near in near.iter().flatten() {
                is_anyone_woken |= self.wake_leaned_on(near);
            }
            self.near = near;
            if !is_anyone_woken {
                break;
            }
        }
        let World { near, links, meets, movers, .. } = self;
        meets.clear();
        meets.resize(movers.slot_count(), 0);
        for near in near.iter().flatten().filter(|near| near.is_meeting) {
            let link = &links[near.contact as usize];
            for mover in [link.mover_a, link.mover_b] {
                if let Some(meets) = meets.get_mut(mover as usize) {
                    *meets += 1;
                }
            }
        }
    }

    fn survey_contact(&self, index: u32) -> Option<Near> {
        let link = &self.links[index as usize];
        if !self.is_link_active(link) || (!link.is_resting && self.is_link_long(link)) {
            return None;
        }
        let contact = &self.contacts[index];
        let rest_speed = self.find_rest_speed(contact);
        let reach = self.reach_at(contact, rest_speed);
        if !contact.is_resting && self.are_surely_apart(contact, reach) {
            return None;
        }
        let touch = self.touch_at(contact, 0.0);
        let approach = self.relative_velocity(contact).dot(touch.normal);
        let is_within = touch.gap <= reach + max(approach, 0.0) * self.step_length_s;
        // Bodies that lie side by side without a force between them, like balls in a rack, are no crowd: an impact passes
        // through them from one to the next.
        let is_pushing = contact.load.normal > 0.0 || approach > rest_speed;
        Some(Near {
            contact: index,
            is_leaning: touch.gap <= reach,
            is_meeting: touch.is_flat && is_within && is_pushing,
            is_hidden: is_within && contact.manifold.is_none() && self.is_hidden_by_face(contact, &touch, 0.0),
            touch,
            approach,
            rest_speed,
            reach,
        })
    }

    /// Wakes sleepers at the start of the step. True if there were any.
    fn wake_leaned_on(&mut self, near: &Near) -> bool {
        if !near.is_leaning || self.awake.len() == self.movers.len() {
            return false;
        }
        let link = self.links[near.contact as usize];
        let mut is_anyone_woken = false;
        for mover in [link.mover_a, link.mover_b] {
            if let Some(Activity::Asleep { group }) = self.movers.get_at(mover).map(|mover| mover.activity) {
                is_anyone_woken = true;
                for member in self.wake_group(group, 0.0) {
                    self.plan(member);
                }
            }
        }
        is_anyone_woken
    }

    /// Finds out which of the contacts that are near rest, in the order of their indices, and brings what they carry up to
    /// date. Their bodies are yet to be told of that: the second list has what was carried before.
    ///
    /// If both bodies of a contact meet many others in this step, and lose something in impacts, it is crowded. Impacts in
    /// a crowd follow each other without end: they are left to the balance of forces. Edges and corners do not count: on
    /// a floor of many triangles a ball is near many without ever meeting them.
    pub(crate) fn classify_near(&mut self, crew: &Crew<'_>) -> (Vec<u32>, Vec<OldLoad>) {
        let mut outcomes = std::mem::take(&mut self.scratch.outcomes);
        let near = std::mem::take(&mut self.near);
        let has_losses = self.def.impact_law == ImpactLaw::Restitution;
        let World { contacts, links, probes, meets, step_length_s, .. } = self;
        let (contacts, links) = (Parts::of(contacts.slots_mut()), Parts::of(links));
        let is_busy = |mover: u32| mover == NONE || meets[mover as usize] >= CROWD || probes[mover as usize].is_pressed;
        crew.for_lists(&mut outcomes, near.len(), 1, |range, outcome| {
            outcome.clear();
            for near in near[range].iter().flatten() {
                // SAFETY: every contact is near once.
                #[allow(unsafe_code)]
                let (contact, link) = unsafe {
                    let index = near.contact as usize;
                    (contacts.item(index).value_mut(), links.item(index))
                };
                contact.rest_speed = near.rest_speed;
                contact.is_crowded = near.touch.is_flat
                    && has_losses
                    && contact.restitution < 1.0
                    && is_busy(contact.mover_a)
                    && is_busy(contact.mover_b);
                if contact.manifold.is_some() {
                    outcome.resting.push(near.contact);
                    continue;
                }
                if contact.is_resting {
                    let (load, normal) = (contact.load, contact.touch.normal);
                    outcome.turned.push(OldLoad { contact: near.contact, load, normal });
                }
                let rests = contact.face(near.touch, near.approach, near.reach, *step_length_s, near.is_hidden);
                if rests {
                    outcome.resting.push(near.contact);
                    if !contact.is_resting {
                        outcome.settled.push(near.contact);
                    }
                    if !contact.is_listed {
                        contact.is_listed = true;
                        outcome.unlisted.push(near.contact);
                    }
                }
                contact.is_resting = rests;
                link.is_resting = rests;
            }
        });
        self.near = near;
        let mut resting = std::mem::take(&mut self.scratch.resting);
        let mut turned = std::mem::take(&mut self.scratch.turned);
        resting.clear();
        turned.clear();
        for outcome in &outcomes {
            self.resting.extend_from_slice(&outcome.unlisted);
            outcome.settled.iter().for_each(|&contact| self.settle(contact));
            turned.extend_from_slice(&outcome.turned);
            resting.extend_from_slice(&outcome.resting);
        }
        self.scratch.outcomes = outcomes;
        resting.retain(|&index| !self.links[index as usize].is_solid || self.classify(index, 0.0));
        (resting, turned)
    }
}
