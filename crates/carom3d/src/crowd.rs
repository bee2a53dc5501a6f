//! Large heaps: motion and forces together, in sub-steps.
//!
//! The balance of `balance.rs` finds forces that are constant through the step, for where everybody is at its start.
//! A few bodies agree on them in a few rounds. In a heap of thousands word of a blow has a long way to go, and while it
//! collapses everybody is elsewhere before the step is over. There the step is cut into short ones, and contacts look
//! anew where they are in each (Macklin et al., Small Steps in Physics Simulation, 2019). With `h` the length of a
//! sub-step, `v` the velocities at its start and `g` what forces add to them:
//!
//! 1. overlaps are undone by a part, without giving speed;
//! 2. impulses end approach and slip in `v`, and are forgotten;
//! 3. loads are corrected by what they and all other forces make of `g`: where two do not approach in `v`, they may not
//!    in `v + g`, and friction keeps slip from growing. Loads are remembered: they are the first guess of the next
//!    sub-step;
//! 4. bodies move at `v + g`.
//!
//! Impulses and loads are kept apart, because a single pass never quite stops anybody. A load that also had to end what
//! approach is left would be too large from then on, throw the two apart, then be too small: with friction, such a heap
//! simmers for ever.
//!
//! What comes of it is told to the rest of the step as a uniform motion to where each body got, and a jump to the
//! velocity it had there when the step is over.

use crate::balance::{FIXED_PLACE, limited};
use crate::contact::Load;
use crate::math::{DVec3, max};

/// Islands with more resting contacts than this are crowds.
pub(crate) const LEAST_CONTACTS: u32 = 256;
/// Sub-steps of a step.
const SUB_STEPS: u32 = 4;
/// How much of an overlap is undone in a sub-step.
const UNDONE_PER_SUB_STEP: f64 = 0.8;
/// Overlap that is left alone, as a fraction of the radius of the first body.
pub(crate) const CROWD_SLOP: f64 = 0.002;

/// Contacts of large islands and their movers, close together in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowd {
    pub(crate) contacts: Vec<CrowdContact>,
    /// By place, as in the balance. The first stands for everything fixed.
    pub(crate) bodies: Vec<CrowdBody>,
    gains: Vec<Gain>,
    pub(crate) flows: Vec<Flow>,
}

/// A contact in a crowd.
#[derive(Clone, Debug)]
pub(crate) struct CrowdContact {
    /// Where its bodies are on the list. Only the second can be fixed.
    pub(crate) places: [u32; 2],
    pub(crate) normal: DVec3,
    /// Distance between the surfaces; negative where they overlap. Of something fixed, its height along the normal less
    /// the radius.
    pub(crate) gap: f64,
    /// At this speed of approach what gap there is closes by the end of the sub-step.
    pub(crate) allowed_speed: f64,
    pub(crate) load: Load,
    /// Coefficient of friction.
    pub(crate) friction: f64,
    /// Most torque of rolling resistance per normal force, in m.
    pub(crate) rolling: f64,
    pub(crate) allowed_overlap: f64,
    /// Index of the contact.
    pub(crate) index: u32,
}

/// Where a mover of a crowd is and how it moves, forces of this sub-step left out.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CrowdBody {
    pub(crate) position: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    pub(crate) radius: f64,
    pub(crate) inv_mass: f64,
    pub(crate) inv_inertia: f64,
}

/// What forces add to the velocities in a sub-step.
#[derive(Clone, Copy, Debug, Default)]
struct Gain {
    velocity: DVec3,
    angular_velocity: DVec3,
}

/// What is needed of a mover once per sub-step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Flow {
    /// Index of the mover.
    pub(crate) mover: u32,
    /// Accelerations by all but contacts.
    pub(crate) pull: DVec3,
    pub(crate) angular_pull: DVec3,
    /// The angular velocity at the start of the step.
    pub(crate) angular_start: DVec3,
    /// The way it went by its velocity; overlaps that were undone moved it, too.
    pub(crate) way: DVec3,
}

impl Crowd {
    /// Empties the lists.
    pub(crate) fn clear(&mut self) {
        self.contacts.clear();
        self.bodies.clear();
        self.bodies.push(CrowdBody::default());
        self.flows.clear();
        self.flows.push(Flow::default());
    }

    /// Adds a body and returns its place.
    pub(crate) fn add_body(&mut self, body: CrowdBody, flow: Flow) -> u32 {
        self.bodies.push(body);
        self.flows.push(flow);
        self.bodies.len() as u32 - 1
    }

    /// Adds a contact whose bodies are on the list.
    pub(crate) fn add(&mut self, mut contact: CrowdContact) {
        if contact.places[1] == FIXED_PLACE {
            contact.gap += contact.normal.dot(self.bodies[contact.places[0] as usize].position);
        }
        self.contacts.push(contact);
    }

    /// Lets everybody go through a step.
    pub(crate) fn flow(&mut self, step_length_s: f64) {
        if self.contacts.is_empty() {
            return;
        }
        let Crowd { contacts, bodies, gains, flows } = self;
        let h = step_length_s / f64::from(SUB_STEPS);
        for sub_step in 0..SUB_STEPS {
            gains.clear();
            let gain_of = |flow: &Flow| Gain { velocity: flow.pull * h, angular_velocity: flow.angular_pull * h };
            gains.extend(flows.iter().map(gain_of));
            for contact in contacts.iter_mut() {
                contact.look(bodies, h);
                contact.give(contact.load, gains, bodies, h);
                contact.stop_approach(bodies);
            }
            // The other way round: what is far down the list is heard of at once.
            for contact in contacts.iter_mut().rev() {
                contact.stop(bodies, h);
            }
            if sub_step % 2 == 0 {
                contacts.iter_mut().for_each(|contact| contact.balance(bodies, gains, h));
            } else {
                contacts.iter_mut().rev().for_each(|contact| contact.balance(bodies, gains, h));
            }
            for ((body, gain), flow) in bodies.iter_mut().zip(gains.iter()).zip(flows.iter_mut()) {
                body.velocity += gain.velocity;
                body.angular_velocity += gain.angular_velocity;
                let way = body.velocity * h;
                body.position += way;
                flow.way += way;
            }
        }
    }
}

impl CrowdContact {
    /// Finds out how the bodies face each other now, and undoes a part of their overlap.
    #[inline]
    fn look(&mut self, bodies: &mut [CrowdBody], h: f64) {
        let [a, b] = self.places.map(|place| place as usize);
        let (body_a, body_b) = (&bodies[a], &bodies[b]);
        let gap = if self.places[1] == FIXED_PLACE {
            self.gap - self.normal.dot(body_a.position)
        } else {
            let between = body_b.position - body_a.position;
            let distance = between.length();
            if distance > 0.0 {
                self.normal = between / distance;
            }
            distance - (body_a.radius + body_b.radius)
        };
        self.allowed_speed = max(gap, 0.0) / h;
        self.load = self.load.along(self.normal);
        let excess = -gap - max(self.allowed_overlap, CROWD_SLOP * body_a.radius);
        if excess > 0.0 {
            let (inverse_a, inverse_b) = (body_a.inv_mass, body_b.inv_mass);
            let way = self.normal * (UNDONE_PER_SUB_STEP * excess / (inverse_a + inverse_b));
            bodies[a].position -= way * inverse_a;
            bodies[b].position += way * inverse_b;
        }
    }

    /// Ends approach alone: news of a blow travels twice as fast for little.
    #[inline]
    fn stop_approach(&self, bodies: &mut [CrowdBody]) {
        let [a, b] = self.places.map(|place| place as usize);
        let (body_a, body_b) = (&bodies[a], &bodies[b]);
        let excess = (body_a.velocity - body_b.velocity).dot(self.normal) - self.allowed_speed;
        if excess > 0.0 {
            let impulse = self.normal * (excess / (body_a.inv_mass + body_b.inv_mass));
            bodies[a].velocity -= impulse * bodies[a].inv_mass;
            bodies[b].velocity += impulse * bodies[b].inv_mass;
        }
    }

    /// `h k`, `h k_t` and `h k_r`, speeds per load, as in `balance.rs`.
    #[inline]
    fn speeds_per_load(body_a: &CrowdBody, body_b: &CrowdBody, h: f64) -> [f64; 3] {
        let turning = |body: &CrowdBody| body.radius * body.radius * body.inv_inertia;
        let k = body_a.inv_mass + body_b.inv_mass;
        [h * k, h * (k + turning(body_a) + turning(body_b)), h * (body_a.inv_inertia + body_b.inv_inertia)]
    }

    /// Ends approach and slip as they are, apart from what forces will do. Loads and impulses share one cone of friction.
    #[inline]
    fn stop(&mut self, bodies: &mut [CrowdBody], h: f64) {
        let [body_a, body_b] = self.places.map(|place| &bodies[place as usize]);
        let (n, [hk, hk_t, hk_r]) = (self.normal, CrowdContact::speeds_per_load(body_a, body_b, h));
        let relative = body_a.velocity - body_b.velocity;
        let approach = relative.dot(n);
        let mut blow = Load { normal: max(approach - self.allowed_speed, 0.0) / hk, ..Load::default() };
        let normal = self.load.normal + blow.normal;
        if self.friction > 0.0 {
            let turning = body_a.angular_velocity * body_a.radius + body_b.angular_velocity * body_b.radius;
            let slip = relative - n * approach + turning.cross(n);
            blow.friction = limited(self.load.friction + slip / hk_t, self.friction * normal) - self.load.friction;
        }
        if self.rolling > 0.0 {
            let turning = body_a.angular_velocity - body_b.angular_velocity;
            blow.rolling = limited(self.load.rolling + turning / hk_r, self.rolling * normal) - self.load.rolling;
        }
        let (impulse, turning) = ((n * blow.normal + blow.friction) * h, blow.friction.cross(n) * h);
        let rolling = blow.rolling * h;
        for (place, impulse, rolling) in [(self.places[0], -impulse, -rolling), (self.places[1], impulse, rolling)] {
            let body = &mut bodies[place as usize];
            body.velocity += impulse * body.inv_mass;
            body.angular_velocity += (turning * body.radius + rolling) * body.inv_inertia;
        }
    }

    /// Corrects the loads by what velocities gain under them.
    #[inline]
    fn balance(&mut self, bodies: &[CrowdBody], gains: &mut [Gain], h: f64) {
        let [a, b] = self.places.map(|place| place as usize);
        let (body_a, body_b, gain_a, gain_b) = (&bodies[a], &bodies[b], &gains[a], &gains[b]);
        let (n, [hk, hk_t, hk_r]) = (self.normal, CrowdContact::speeds_per_load(body_a, body_b, h));
        let approach = (body_a.velocity - body_b.velocity).dot(n);
        let gain = gain_a.velocity - gain_b.velocity;
        let gain_of_approach = gain.dot(n);
        let allowed_gain = max(self.allowed_speed - approach, 0.0);
        let mut wanted = self.load;
        wanted.normal = max(self.load.normal + (gain_of_approach - allowed_gain) / hk, 0.0);
        if self.friction > 0.0 {
            let turning = gain_a.angular_velocity * body_a.radius + gain_b.angular_velocity * body_b.radius;
            let slip = gain - n * gain_of_approach + turning.cross(n);
            wanted.friction = limited(self.load.friction + slip / hk_t, self.friction * wanted.normal);
        }
        if self.rolling > 0.0 {
            let turning = gain_a.angular_velocity - gain_b.angular_velocity;
            wanted.rolling = limited(self.load.rolling + turning / hk_r, self.rolling * wanted.normal);
        }
        let change = wanted - self.load;
        self.load = wanted;
        self.give(change, gains, bodies, h);
    }

    /// Adds what a load does in a sub-step to the gains.
    #[inline]
    fn give(&self, load: Load, gains: &mut [Gain], bodies: &[CrowdBody], h: f64) {
        let (impulse, turning) =
            ((self.normal * load.normal + load.friction) * h, load.friction.cross(self.normal) * h);
        let rolling = load.rolling * h;
        for (place, impulse, rolling) in [(self.places[0], -impulse, -rolling), (self.places[1], impulse, rolling)] {
            let (body, gain) = (&bodies[place as usize], &mut gains[place as usize]);
            gain.velocity += impulse * body.inv_mass;
            gain.angular_velocity += (turning * body.radius + rolling) * body.inv_inertia;
        }
    }
}

/// Which movers hang together by resting contacts.
#[derive(Clone, Debug, Default)]
pub(crate) struct RestIslands {
    parents: Vec<u32>,
    /// Resting contacts of an island, by its root.
    counts: Vec<u32>,
}

impl RestIslands {
    /// Makes every mover an island of its own.
    pub(crate) fn clear(&mut self, movers: usize) {
        self.parents.clear();
        self.parents.extend(0..movers as u32);
        self.counts.clear();
        self.counts.resize(movers, 0);
    }

    fn root(&mut self, mut mover: u32) -> u32 {
        while self.parents[mover as usize] != mover {
            let above = self.parents[mover as usize];
            self.parents[mover as usize] = self.parents[above as usize];
            mover = above;
        }
        mover
    }

    /// Makes one island of two.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }

    /// Counts a contact of a mover, after all were joined.
    pub(crate) fn count(&mut self, mover: u32) {
        let root = self.root(mover) as usize;
        self.counts[root] = self.counts[root].saturating_add(1);
    }

    /// Leaves the island of a mover to the balance, after all contacts were counted.
    pub(crate) fn exclude(&mut self, mover: u32) {
        let root = self.root(mover) as usize;
        self.counts[root] = 0;
    }

    /// Whether the island of a mover is a crowd.
    pub(crate) fn is_crowd(&mut self, mover: u32) -> bool {
        let root = self.root(mover) as usize;
        self.counts[root] > LEAST_CONTACTS
    }
}
