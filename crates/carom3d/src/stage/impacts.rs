//! Impacts in the order of time.
//!
//! Every pair that will meet on its planned paths has a prediction in a queue. The earliest is taken out, its bodies
//! are brought to that time and collide, and they and what rests on them get new paths and new predictions. Bodies
//! that nothing happens to are not touched. Contacts that hit at the same time do so one after the other, until
//! no contact approaches any more: so momentum passes through a row of balls that touch. Where bodies are not rigid
//! (`WorldDef::contact_modulus`), balls that touch share an impact instead (`shared.rs`).

use crate::body::{Activity, Mover, NONE};
use crate::collide::impact;
use crate::collide::touch::Touch;
use crate::contact::Contact;
use crate::events::ImpactEvent;
use crate::material::ImpactLaw;
use crate::math::{DVec3, max, min};
use crate::path::Path;
use crate::shape::Shape;
use crate::world::World;
use carom_threads::Crew;
use std::cmp::Ordering;

/// Errors of a resting contact's speed that are left to the next step, as a fraction of the rest speed.
const FITS: f64 = 0.1;

/// Fewer contacts than this are not worth another thread.
const LEAST_SHARED: usize = 512;

/// Most rounds in which word of an impact passes from body to body.
const MOST_WAVES: u32 = 32;

/// Impacts of one body in a step beyond which it is frozen. A ball that bounces without loss between two walls that
/// almost touch it would else keep the step from ending. A choice: at about a microsecond for an impact, a body can make a
/// step longer by about 10 ms.
const MOST_IMPACTS: f64 = 10_000.0;

/// Impacts in a step beyond which whatever is hit is frozen: so many in any case, and more for every body that is awake.
const MOST_IN_ALL: u64 = 100_000;
const MORE_PER_BODY: u64 = 100;

/// A contact that will hit if nothing else happens to its bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prediction {
    /// Seconds since the step began.
    time_s: f64,
    contact: u32,
    /// The paths it was made on.
    serials: [u32; 2],
}

impl Ord for Prediction {
    /// The earliest is the greatest, since that is what a heap gives first.
    fn cmp(&self, other: &Prediction) -> Ordering {
        other.time_s.total_cmp(&self.time_s).then(other.contact.cmp(&self.contact))
    }
}

impl PartialOrd for Prediction {
    fn partial_cmp(&self, other: &Prediction) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Prediction {
    fn eq(&self, other: &Prediction) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Prediction {}

pub(crate) fn resolve_impacts(world: &mut World, crew: &Crew<'_>) {
    world.predictions.clear();
    world.fill_probes(crew);
    world.predict_all(crew);
    let most = MOST_IN_ALL + MORE_PER_BODY * world.awake.len() as u64;
    let mut count = 0;
    while let Some(prediction) = world.predictions.pop() {
        if world.is_current(&prediction) {
            count += 1;
            world.limit_impacts(prediction.contact, prediction.time_s, count > most);
            world.resolve(prediction.contact, prediction.time_s);
        }
    }
}

impl World {
    fn serials(&self, contact: &Contact) -> [u32; 2] {
        [contact.mover_a, contact.mover_b].map(|mover| self.movers.get_at(mover).map_or(0, |mover| mover.serial))
    }

    fn is_current(&self, prediction: &Prediction) -> bool {
        let contact = &self.contacts[prediction.contact];
        !contact.is_resting && self.serials(contact) == prediction.serials
    }

    /// Stops movers of a contact that have hit too often in this step, or any if `all` are to be stopped. They stay where
    /// they are, other bodies collide with them until the step is over, and then they are frozen.
    fn limit_impacts(&mut self, index: u32, time_s: f64, all: bool) {
        let contact = &self.contacts[index];
        for mover in [contact.mover_a, contact.mover_b] {
            let is_over = |mover: &Mover| (all || mover.impacts >= MOST_IMPACTS) && !mover.is_kinematic();
            if self.movers.get_at(mover).is_some_and(is_over) {
                self.bring_to(mover, time_s);
                let record = &mut self.movers[mover];
                record.is_broken = true;
                record.is_path_stale = true;
                record.state.velocity = DVec3::ZERO;
                record.state.angular_velocity = DVec3::ZERO;
            }
        }
    }

    /// Whether an impact of a contact could change no motion in the rest of the step: its movers were stopped, or are
    /// kinematic. So every impact counts towards the limit of a body that is not stopped yet.
    fn is_stopped(&self, contact: &Contact) -> bool {
        let is_stopped = |mover: &Mover| mover.is_broken || mover.is_kinematic();
        is_stopped(&self.movers[contact.mover_a]) && self.movers.get_at(contact.mover_b).is_none_or(is_stopped)
    }

    /// Fills the queue with the first impact of every contact.
    fn predict_all(&mut self, crew: &Crew<'_>) {
        let mut lists = std::mem::take(&mut self.scratch.predictions);
        let (world, count) = (&*self, self.links.len());
        crew.for_lists(&mut lists, count, crew.grain(count, LEAST_SHARED), |range, list| {
            list.clear();
            list.extend(range.filter_map(|index| {
                let link = &world.links[index];
                let may_meet = !link.is_resting && world.is_link_active(link) && !world.is_link_long(link);
                if may_meet { world.predict(index as u32) } else { None }
            }));
        });
        self.predictions.extend(lists.iter().flatten());
        self.scratch.predictions = lists;
    }

    /// The next impact of a contact, if there is one in this step.
    fn predict(&self, index: u32) -> Option<Prediction> {
        let contact = &self.contacts[index];
        if contact.is_resting || self.is_stopped(contact) || self.are_surely_apart(contact, 0.0) {
            return None;
        }
        let from_s = max(self.movers[contact.mover_a].clock_s, self.clock_of(contact.mover_b));
        let left_s = self.step_length_s - from_s;
        if left_s <= 0.0 {
            return None;
        }
        let u = self.impact_on_paths(contact, from_s)?;
        Some(Prediction { time_s: from_s + u * left_s, contact: index, serials: self.serials(contact) })
    }

    fn clock_of(&self, mover: u32) -> f64 {
        self.movers.get_at(mover).map_or(0.0, |mover| mover.clock_s)
    }

    /// When the bodies meet, as a fraction of the time from `from_s` to the end of the step.
    fn impact_on_paths(&self, contact: &Contact, from_s: f64) -> Option<f64> {
        if contact.manifold.is_some() {
            return self.manifold_impact(contact, from_s);
        }
        let path = self.path_from(contact.mover_a, from_s);
        let radius = self.movers[contact.mover_a].radius;
        if contact.mover_b != NONE {
            let relative = path.minus(&self.path_from(contact.mover_b, from_s));
            return impact::with_point(&relative, radius + self.movers[contact.mover_b].radius);
        }
        let body = &self.bodies[contact.body_b];
        match body.shape {
            Shape::Sphere { radius: other } => {
                impact::with_point(&path.minus(&Path::still(body.position)), radius + other)
            }
            Shape::Plane { .. } => impact::with_plane(&path, radius, body.position, body.normal),
            Shape::Triangle { .. } => impact::with_triangle(&path, radius, &body.corners, body.normal),
            // Such a pair has a manifold.
            Shape::Cuboid { .. } | Shape::Capsule { .. } => None,
        }
    }

    /// Lets a contact hit at a time, and finds out what that changes.
    fn resolve(&mut self, index: u32, time_s: f64) {
        let contact = &self.contacts[index];
        let (a, b) = (contact.mover_a, contact.mover_b);
        let is_solid = contact.manifold.is_some();
        if !is_solid && self.is_hidden_by_face(contact, &self.touch_at(contact, time_s), time_s) {
            return;
        }
        let mut changed = std::mem::take(&mut self.scratch.struck);
        let mut hit = std::mem::take(&mut self.scratch.hit);
        changed.clear();
        hit.clear();
        hit.extend([a, b]);
        for mover in [a, b] {
            if mover != NONE {
                self.involve(mover, time_s, &mut changed);
                self.movers[mover].impacts += 1.0;
            }
        }
        self.contacts[index].rest_speed = self.find_rest_speed(&self.contacts[index]);
        if is_solid {
            self.collide_manifold(index, time_s);
        } else {
            self.contacts[index].touch = self.touch_at(&self.contacts[index], time_s);
            let contact = &self.contacts[index];
            let rebounds = self.approach_speed(contact) > contact.rest_speed;
            if rebounds && !self.share_impact(index, time_s, &mut changed, &mut hit) {
                self.collide(index, time_s);
            }
        }
        self.relax(&mut hit, time_s, &mut changed);
        self.predict_for(&changed);
        (self.scratch.struck, self.scratch.hit) = (changed, hit);
    }

    /// New boxes and predictions for movers with new paths, and for all that springs join to them.
    fn predict_for(&mut self, changed: &[u32]) {
        let mut affected = std::mem::take(&mut self.scratch.affected);
        affected.clear();
        for &mover in changed {
            match self.movers[mover].cluster {
                NONE => affected.push(mover),
                cluster => affected.extend_from_slice(&self.clusters[cluster as usize].members),
            }
        }
        affected.sort_unstable();
        affected.dedup();
        self.update_boxes(&affected, &Crew::ALONE);
        for &mover in &affected {
            self.fill_probe(mover);
        }
        for &mover in &affected {
            for i in 0..self.movers[mover].contacts.len() {
                let index = self.movers[mover].contacts[i];
                let link = &self.links[index as usize];
                if !link.is_resting && !self.is_link_long(link) {
                    let prediction = self.predict(index);
                    self.predictions.extend(prediction);
                }
            }
        }
        self.scratch.affected = affected;
    }

    /// Brings a mover to a time, waking it if need be, and notes that it needs a new path.
    pub(super) fn involve(&mut self, mover: u32, time_s: f64, changed: &mut Vec<u32>) {
        if let Activity::Asleep { group } = self.movers[mover].activity {
            for member in self.wake_group(group, time_s) {
                self.movers[member].is_path_stale = true;
                changed.push(member);
            }
            return;
        }
        self.bring_to(mover, time_s);
        self.movers[mover].is_path_stale = true;
        changed.push(mover);
    }

    /// Changes velocities at an impact: along the normal by restitution, along the surface by friction.
    fn collide(&mut self, index: u32, time_s: f64) {
        let contact = &self.contacts[index];
        let (normal, approach) = (contact.touch.normal, self.approach_speed(contact));
        let (restitution, keep) = match self.def.impact_law {
            ImpactLaw::Restitution => (contact.restitution, 1.0),
            ImpactLaw::WholeVelocity { damping } => (1.0, 1.0 - damping),
        };
        let (a, b) = (&self.movers[contact.mover_a], self.movers.get_at(contact.mover_b));
        let k = a.inv_mass + b.map_or(0.0, |b| b.inv_mass);
        let impulse = (1.0 + restitution) * approach / k;

        let (arm_a, arm_b) = (normal * a.radius, normal * -b.map_or(0.0, |b| b.radius));
        let mut rubbing = DVec3::ZERO;
        if contact.friction > 0.0 {
            let slip = a.state.velocity_at(arm_a) - b.map_or(DVec3::ZERO, |b| b.state.velocity_at(arm_b));
            let slip = slip - normal * slip.dot(normal);
            let k_t = k + a.radius * a.radius * a.inv_inertia + b.map_or(0.0, |b| b.radius * b.radius * b.inv_inertia);
            let speed = slip.length();
            if speed > 0.0 {
                rubbing = slip * (min(contact.friction * impulse, speed / k_t) / speed);
            }
        }
        let total = normal * impulse + rubbing;
        let (a, b, touch) = (contact.mover_a, contact.mover_b, contact.touch);
        self.report_impact(index, &touch, time_s, approach, impulse);
        // Of the two parts only friction turns a sphere.
        for (mover, total, angular) in [(a, -total, rubbing.cross(arm_a)), (b, total, arm_b.cross(rubbing))] {
            if let Some(mover) = self.movers.get_at_mut(mover) {
                mover.strike(total, angular);
                if !mover.is_kinematic() {
                    mover.state.velocity *= keep;
                }
            }
        }
    }

    /// Puts an impact on the list of what happened.
    pub(crate) fn report_impact(&mut self, index: u32, touch: &Touch, time_s: f64, approach_speed: f64, impulse: f64) {
        let contact = &self.contacts[index];
        if let Some(pair) = self.contact_event(contact.body_a, contact.body_b) {
            self.log.impacts.push(ImpactEvent {
                body_a: pair.body_a,
                body_b: pair.body_b,
                time_s: self.time_s + time_s,
                point: touch.point,
                normal: touch.normal,
                approach_speed,
                impulse,
            });
        }
    }

    /// Finds out which contacts of movers rest after an impact, and balances their forces where that makes a
    /// difference. Movers that feel it are added to `changed`. What rests on them, if not round, is stopped with them, and
    /// what rests on that: a falling stack is one body.
    fn relax(&mut self, hit: &mut Vec<u32>, time_s: f64, changed: &mut Vec<u32>) {
        hit.retain(|&mover| mover != NONE);
        for _ in 0..MOST_WAVES {
            self.relax_around(hit, time_s, changed);
            let known = hit.len();
            for &mover in changed.iter().filter(|&&mover| !self.movers[mover].inertia.is_round()) {
                for &index in &self.movers[mover].contacts {
                    let other = self.contacts[index].other_mover(mover);
                    if other != NONE && !hit.contains(&other) && self.is_run_into(index) {
                        hit.push(other);
                    }
                }
            }
            if hit.len() == known {
                break;
            }
        }
    }

    fn relax_around(&mut self, hit: &[u32], time_s: f64, changed: &mut Vec<u32>) {
        // The ends of paths are the starting point of the balance, which then changes them.
        self.plan_stale(changed);
        for &mover in &*changed {
            self.fill_probe(mover);
        }
        let mut resting = std::mem::take(&mut self.scratch.relaxed);
        resting.clear();
        for &mover in hit {
            for i in 0..self.movers[mover].contacts.len() {
                let index = self.movers[mover].contacts[i];
                let link = &self.links[index as usize];
                if !link.is_resting && self.is_link_long(link) {
                    continue;
                }
                self.contacts[index].rest_speed = self.find_rest_speed(&self.contacts[index]);
                if resting.contains(&index) || !self.is_rest_changed(index, time_s) {
                    continue;
                }
                let other = self.contacts[index].other_mover(mover);
                for mover in [mover, other] {
                    if mover != NONE && !changed.contains(&mover) {
                        self.involve(mover, time_s, changed);
                    }
                }
                if self.classify(index, time_s) {
                    resting.push(index);
                }
            }
        }
        self.plan_stale(changed);
        self.hold(&resting, time_s);
        self.plan_stale(changed);
        self.scratch.relaxed = resting;
    }

    /// Whether a contact begins or stops resting, or rests on a force that no longer fits.
    fn is_rest_changed(&self, index: u32, time_s: f64) -> bool {
        let contact = &self.contacts[index];
        let speed = contact.rest_speed;
        let reach = speed * self.step_length_s;
        if !contact.is_resting && self.are_surely_apart(contact, reach) {
            return false;
        }
        if contact.manifold.is_some() {
            return true;
        }
        let touch = self.touch_at(contact, time_s);
        let velocity_of = |mover: u32| {
            let mover = self.movers.get_at(mover);
            mover.map_or(DVec3::ZERO, |mover| mover.velocity_at_time(time_s, self.step_length_s))
        };
        let approach = (velocity_of(contact.mover_a) - velocity_of(contact.mover_b)).dot(touch.normal);
        let closing = if contact.is_crowded { max(approach, 0.0) * self.step_length_s } else { 0.0 };
        let rests = touch.gap <= self.rest_reach(contact) + closing && (contact.is_crowded || approach.abs() <= speed);
        if rests != contact.is_resting {
            return true;
        }
        let end_of = |mover: u32| self.movers.get_at(mover).map_or(DVec3::ZERO, |mover| mover.end.velocity);
        let excess = (end_of(contact.mover_a) - end_of(contact.mover_b)).dot(touch.normal);
        rests && (excess > FITS * speed || (excess < -FITS * speed && contact.load.normal > 0.0))
    }
}
