//! Large heaps: motion and forces together, in sub-steps.
//!
//! The balance of `balance.rs` finds forces that are constant through the step, for where bodies are at its start.
//! A few bodies agree on them in a few rounds. In a heap of thousands an impulse has a long way to go, and while it
//! collapses all bodies are elsewhere before the step is over. There the step is cut into short ones, and contacts look
//! again where they are in each (Macklin et al., Small Steps in Physics Simulation, 2019). With `h` the length of a
//! sub-step, `v` the velocities at its start and `g` what forces add to them:
//!
//! 1. overlaps are undone by a part, without giving speed;
//! 2. impulses end approach and slip in `v`, and are forgotten;
//! 3. loads are corrected by what they and all other forces make of `g`: where two do not approach in `v`, they may not
//!    in `v + g`, and friction keeps slip from growing. Loads are remembered: they are the first guess of the next
//!    sub-step;
//! 4. bodies move at `v + g`.
//!
//! Impulses and loads are kept apart, because a single pass never quite stops a body. A load that also had to end what
//! approach is left would be too large from then on, throw the two apart, then be too small: with friction, such a heap
//! simmers for ever.
//!
//! Bodies that are near each other make *tiles*, and the contacts between two tiles, or within one, a *group*. Groups are
//! coloured: those of one colour share no tile, so that they may be gone through by several threads with the same
//! result. Within a group contacts keep the order of the curve through space along which they are numbered: an
//! impulse passes from neighbour to neighbour in one go, and all bodies of the group stay in a processor's cache. To colour
//! single contacts instead, so that a processor could have several of them under way at once, was slower and left deeper
//! overlaps.
//!
//! Spheres of even mass make the equations of `balance.rs` simpler. With `s = r w` the speed of the surface and
//! `r^2 / I = 5 / (2 m)`, an impulse `p` along the surface changes `s` by `5/2 p x n / m`, and `k_t = 7/2 k`.
//! Loads are kept as the impulses they come to in a sub-step.
//!
//! What comes of it is told to the rest of the step as a uniform motion to where each body got, and a jump to the
//! velocity it had there when the step is over.

use crate::balance::FIXED_PLACE;
use crate::body::NONE;
use crate::contact::Load;
use crate::math::{DVec3, Quad, max};
use carom_threads::{Crew, Parts};
use std::ops::Range;

/// Sub-steps of a step.
const SUB_STEPS: u32 = 4;
/// How much of an overlap is undone in a sub-step.
const UNDONE_PER_SUB_STEP: f64 = 0.8;
/// Overlap that is left alone, as a fraction of the radius of the first body.
pub(crate) const CROWD_SLOP: f64 = 0.002;
/// `m r^2 / I` of a sphere.
const ROUNDNESS: f64 = 2.5;
/// Bodies of a tile.
const TILE: u32 = 256;
/// Groups that find no free colour are gone through one after the other.
const COLORS: usize = 64;
/// The colour of groups in which only one tile is moved.
const FIXED_COLOR: usize = COLORS + 1;
/// Fewer bodies than this are not worth another thread.
const LEAST_SHARED: usize = 128;

/// Contacts of large islands and their movers, close together in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Crowd {
    /// By group.
    contacts: Vec<CrowdContact>,
    /// Their indices among all contacts.
    indices: Vec<u32>,
    /// Where the contacts of each group are, by colour.
    groups: Vec<Range<usize>>,
    /// Where the groups of each colour are, then those without, then those with what is fixed.
    colors: Vec<Range<usize>>,
    /// The place of each mover, [`NONE`] where it has none.
    places: Vec<u32>,
    /// Of each body, by place: where it is, and its radius. The first place stands for everything fixed.
    positions: Vec<Quad>,
    motions: Vec<Motion>,
    gains: Vec<Motion>,
    flows: Vec<Flow>,
    /// The colours of the groups of each tile.
    masks: Vec<u64>,
    added: Vec<Added>,
    /// Groups and their colours, in the order of tiles.
    colored: Vec<(usize, Range<usize>)>,
}

/// A contact in a crowd: two cache lines.
#[derive(Clone, Copy, Debug, Default)]
struct CrowdContact {
    /// The normal, and the speed of approach at which what gap there is closes by the end of the sub-step.
    facing: Quad,
    /// The impulse of friction in a sub-step, and that along the normal.
    push: Quad,
    /// The angular impulse of rolling resistance in a sub-step, and the coefficient of friction.
    rolling: Quad,
    /// Where its bodies are on the list. Only the second can be fixed.
    places: [u32; 2],
    /// Of something fixed, its height along the normal and the radius.
    height: f64,
    /// Most angular impulse of rolling resistance per normal impulse, in m.
    rolling_arm: f64,
    allowed_overlap: f64,
}

const _: () = assert!(size_of::<CrowdContact>() == 128);

/// How a body of a crowd moves, or what forces add to that in a sub-step.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
struct Motion {
    /// Velocity and inverse mass.
    velocity: Quad,
    /// Angular velocity times the radius, and the inverse radius.
    surface: Quad,
}

/// What is needed of a mover once per sub-step.
#[derive(Clone, Copy, Debug, Default)]
struct Flow {
    /// Index of the mover.
    mover: u32,
    /// Nothing here can move it.
    is_immovable: bool,
    /// Accelerations by all but contacts, of the velocity and of the surface.
    pull: [Quad; 2],
    /// The way it went by its velocity; overlaps that were undone moved it, too.
    way: Quad,
}

/// A mover as it comes to a crowd.
pub(crate) struct Arrival {
    pub(crate) position: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    pub(crate) radius: f64,
    pub(crate) inv_mass: f64,
    /// Accelerations by all but contacts.
    pub(crate) pull: DVec3,
    pub(crate) angular_pull: DVec3,
}

/// A mover as it leaves a crowd.
pub(crate) struct Departure {
    pub(crate) position: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) angular_velocity: DVec3,
    /// The way it went by its velocity.
    pub(crate) way: DVec3,
    /// Accelerations by all but contacts.
    pub(crate) pull: DVec3,
    pub(crate) angular_pull: DVec3,
}

/// A contact as it comes to a crowd.
pub(crate) struct Meeting {
    pub(crate) normal: DVec3,
    /// Distance between the surfaces; negative where they overlap.
    pub(crate) gap: f64,
    pub(crate) load: Load,
    /// Coefficient of friction.
    pub(crate) friction: f64,
    /// Most torque of rolling resistance per normal force, in m.
    pub(crate) rolling: f64,
    pub(crate) allowed_overlap: f64,
}

/// A contact before it is sorted.
#[derive(Clone, Copy, Debug)]
struct Added {
    /// The tiles of its bodies, the lower first; the same twice if only one of them can be moved.
    tiles: [u32; 2],
    /// Only one of its bodies can be moved.
    is_against_fixed: bool,
    index: u32,
    places: [u32; 2],
}

/// The order in which the colours are solved, alternating: impulses from the end of the list reach its start at once in the
/// reverse order.
#[derive(Clone, Copy, PartialEq)]
enum Direction {
    Forth,
    Back,
}

impl Crowd {
    /// Empties the lists, for so many movers.
    pub(crate) fn clear(&mut self, movers: usize) {
        self.places.clear();
        self.places.resize(movers, NONE);
        self.added.clear();
        self.flows.clear();
        self.flows.push(Flow { is_immovable: true, ..Flow::default() });
    }

    /// Whether it is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.added.is_empty()
    }

    /// The place of a mover, which is on the list from now on.
    pub(crate) fn place_of(&mut self, mover: u32, is_immovable: bool) -> u32 {
        let place = &mut self.places[mover as usize];
        if *place == NONE {
            *place = self.flows.len() as u32;
            self.flows.push(Flow { mover, is_immovable, ..Flow::default() });
        }
        *place
    }

    /// Adds a contact whose bodies are on the list, by its index.
    pub(crate) fn add(&mut self, index: u32, places: [u32; 2]) {
        let (mut tiles, mut movable) = ([u32::MAX, 0], 0);
        for place in places {
            // What cannot be moved, by its mass or because it is fixed, may be shared.
            if !self.flows[place as usize].is_immovable {
                tiles = [tiles[0].min(place / TILE), tiles[1].max(place / TILE)];
                movable += 1;
            }
        }
        self.added.push(Added { tiles, is_against_fixed: movable < 2, index, places });
    }

    /// Asks for what is to be known of each mover.
    pub(crate) fn fill_bodies(&mut self, crew: &Crew<'_>, arrival: impl Fn(u32) -> Arrival + Sync) {
        let count = self.flows.len();
        self.positions.resize(count, Quad::default());
        self.motions.resize(count, Motion::default());
        self.gains.resize(count, Motion::default());
        let (positions, motions) = (Parts::of(&mut self.positions[1..]), Parts::of(&mut self.motions[1..]));
        crew.for_chunks(&mut self.flows[1..], crew.grain(count, LEAST_SHARED), |first, flows| {
            for (i, flow) in flows.iter_mut().enumerate() {
                let body = arrival(flow.mover);
                flow.pull = [Quad::new(body.pull, 0.0), Quad::new(body.angular_pull * body.radius, 0.0)];
                // SAFETY: the pieces of a loop are disjoint, and so are the places of their bodies.
                #[allow(unsafe_code)]
                let (position, motion) = unsafe { (positions.item(first + i), motions.item(first + i)) };
                *position = Quad::new(body.position, body.radius);
                motion.velocity = Quad::new(body.velocity, body.inv_mass);
                motion.surface = Quad::new(body.angular_velocity * body.radius, 1.0 / body.radius);
            }
        });
    }

    /// Sorts the contacts by groups, and asks for what is to be known of each. The bodies are known by then.
    pub(crate) fn fill_contacts(
        &mut self,
        step_length_s: f64,
        crew: &Crew<'_>,
        meeting: impl Fn(u32) -> Meeting + Sync,
    ) {
        let h = step_length_s / f64::from(SUB_STEPS);
        self.added.sort_by_key(|added| (added.is_against_fixed, added.tiles));
        self.color_groups();
        let (added, positions) = (&self.added, &self.positions);
        self.contacts.resize(added.len(), CrowdContact::default());
        self.indices.resize(added.len(), 0);
        let grain = crew.grain(added.len(), LEAST_SHARED);
        crew.for_zipped(&mut self.contacts, &mut self.indices, grain, |first, contacts, indices| {
            for (i, (contact, index)) in contacts.iter_mut().zip(indices).enumerate() {
                let added = &added[first + i];
                let meeting = meeting(added.index);
                let a = positions[added.places[0] as usize];
                *index = added.index;
                *contact = CrowdContact {
                    facing: Quad::new(meeting.normal, 0.0),
                    push: Quad::new(meeting.load.friction * h, meeting.load.normal * h),
                    rolling: Quad::new(meeting.load.rolling * h, meeting.friction),
                    places: added.places,
                    height: meeting.gap + meeting.normal.dot(a.xyz()),
                    rolling_arm: meeting.rolling,
                    allowed_overlap: max(meeting.allowed_overlap, CROWD_SLOP * a.w()),
                };
            }
        });
    }

    /// Finds the groups of the sorted contacts, and gives each the first colour that its tiles do not have yet. Contacts
    /// with what is fixed have groups and a colour of their own, which comes last: they have the last word, so that
    /// no body is pushed through a wall.
    fn color_groups(&mut self) {
        let Crowd { added, groups, colors, masks, colored, flows, .. } = self;
        masks.clear();
        masks.resize(flows.len() / TILE as usize + 1, 0);
        colored.clear();
        let mut start = 0;
        let is_of_group =
            |one: &Added, two: &Added| one.tiles == two.tiles && one.is_against_fixed == two.is_against_fixed;
        for group in added.chunk_by(is_of_group) {
            let [low, high] = group[0].tiles.map(|tile| tile as usize);
            let mut color = FIXED_COLOR;
            if !group[0].is_against_fixed {
                color = (!(masks[low] | masks[high])).trailing_zeros() as usize;
                if color < COLORS {
                    masks[low] |= 1 << color;
                    masks[high] |= 1 << color;
                }
            }
            colored.push((color, start..start + group.len()));
            start += group.len();
        }
        groups.clear();
        colors.clear();
        colored.sort_by_key(|&(color, _)| color);
        for color in 0..=FIXED_COLOR {
            let first = groups.len();
            let of_color = colored[first..].iter().take_while(|group| group.0 == color);
            groups.extend(of_color.map(|group| group.1.clone()));
            colors.push(first..groups.len());
        }
    }

    /// Takes all bodies through a step.
    pub(crate) fn flow(&mut self, step_length_s: f64, crew: &Crew<'_>) {
        let h = step_length_s / f64::from(SUB_STEPS);
        let grain = crew.grain(self.motions.len(), LEAST_SHARED);
        for sub_step in 0..SUB_STEPS {
            crew.for_zipped(&mut self.gains, &mut self.flows, grain, |_, gains, flows| {
                for (gain, flow) in gains.iter_mut().zip(&*flows) {
                    *gain = Motion { velocity: flow.pull[0] * h, surface: flow.pull[1] * h };
                }
            });
            self.pass(crew, Direction::Forth, |contact, bodies| {
                contact.look(bodies, h);
                contact.start(bodies);
            });
            self.pass(crew, Direction::Back, |contact, bodies| contact.stop(bodies));
            let direction = if sub_step % 2 == 0 { Direction::Forth } else { Direction::Back };
            self.pass(crew, direction, |contact, bodies| contact.balance(bodies));
            let gains = &self.gains;
            let flows = Parts::of(&mut self.flows);
            crew.for_zipped(&mut self.motions, &mut self.positions, grain, |first, motions, positions| {
                for (i, (motion, position)) in motions.iter_mut().zip(positions).enumerate() {
                    let gain = &gains[first + i];
                    motion.velocity = motion.velocity + gain.velocity;
                    motion.surface = motion.surface + gain.surface;
                    let way = motion.velocity.flat() * h;
                    *position = *position + way;
                    // SAFETY: the pieces of a loop are disjoint, and so are the flows of their bodies.
                    #[allow(unsafe_code)]
                    let flow = unsafe { flows.item(first + i) };
                    flow.way = flow.way + way;
                }
            });
        }
    }

    /// Goes through all contacts, colour by colour.
    fn pass(&mut self, crew: &Crew<'_>, direction: Direction, work: impl Fn(&mut CrowdContact, &Bodies<'_>) + Sync) {
        let Crowd { contacts, groups, colors, positions, motions, gains, .. } = self;
        let contacts = Parts::of(contacts);
        let bodies = Bodies { positions: Parts::of(positions), motions: Parts::of(motions), gains: Parts::of(gains) };
        let mut go_through = |color: usize| {
            let groups = &groups[colors[color].clone()];
            let grain = if color == COLORS { groups.len() } else { 1 };
            crew.for_ranges(groups.len(), grain, |range| {
                for group in &groups[range] {
                    // SAFETY: groups are disjoint, and each is gone through by one thread.
                    #[allow(unsafe_code)]
                    let contacts = unsafe { contacts.piece(group.clone()) };
                    match direction {
                        Direction::Forth => contacts.iter_mut().for_each(|contact| work(contact, &bodies)),
                        Direction::Back => contacts.iter_mut().rev().for_each(|contact| work(contact, &bodies)),
                    }
                }
            });
        };
        match direction {
            Direction::Forth => (0..=COLORS).for_each(&mut go_through),
            Direction::Back => (0..=COLORS).rev().for_each(&mut go_through),
        }
        go_through(FIXED_COLOR);
    }

    /// Tells the load and the normal of every contact, by its index.
    pub(crate) fn for_contacts(&self, step_length_s: f64, crew: &Crew<'_>, tell: impl Fn(u32, Load, DVec3) + Sync) {
        let per_h = f64::from(SUB_STEPS) / step_length_s;
        let count = self.contacts.len();
        crew.for_ranges(count, crew.grain(count, LEAST_SHARED), |range| {
            for (&index, contact) in self.indices[range.clone()].iter().zip(&self.contacts[range]) {
                let load = Load {
                    normal: contact.push.w() * per_h,
                    friction: contact.push.xyz() * per_h,
                    rolling: contact.rolling.xyz() * per_h,
                };
                tell(index, load, contact.facing.xyz());
            }
        });
    }

    /// Tells what became of every mover, by its index.
    pub(crate) fn for_bodies(&self, crew: &Crew<'_>, tell: impl Fn(u32, Departure) + Sync) {
        let count = self.flows.len() - 1;
        crew.for_ranges(count, crew.grain(count, LEAST_SHARED), |range| {
            for place in range.start + 1..range.end + 1 {
                let (motion, flow) = (&self.motions[place], &self.flows[place]);
                let inv_radius = motion.surface.w();
                let departure = Departure {
                    position: self.positions[place].xyz(),
                    velocity: motion.velocity.xyz(),
                    angular_velocity: motion.surface.xyz() * inv_radius,
                    way: flow.way.xyz(),
                    pull: flow.pull[0].xyz(),
                    angular_pull: flow.pull[1].xyz() * inv_radius,
                };
                tell(flow.mover, departure);
            }
        });
    }
}

/// The bodies of a crowd, of which each group of a colour may change its own.
struct Bodies<'a> {
    positions: Parts<'a, Quad>,
    motions: Parts<'a, Motion>,
    gains: Parts<'a, Motion>,
}

/// A pair out of one of the lists, the first and the second body of a contact.
///
/// Reading and writing are only done within [`Crowd::pass`], where the groups under way share no body with an inverse mass
/// above zero, and others are never written.
#[allow(unsafe_code)]
impl Bodies<'_> {
    #[inline(always)]
    fn read<T: Copy>(list: &Parts<'_, T>, places: [u32; 2]) -> [T; 2] {
        // SAFETY: what another thread could write at the same time is in none of this one's groups.
        places.map(|place| unsafe { list.read(place as usize) })
    }

    #[inline(always)]
    fn write<T>(list: &Parts<'_, T>, places: [u32; 2], inv_masses: [f64; 2], pair: [T; 2]) {
        for ((place, inv_mass), value) in places.into_iter().zip(inv_masses).zip(pair) {
            if inv_mass > 0.0 {
                // SAFETY: a body that can be moved is in no group that another thread is at.
                *unsafe { list.item(place as usize) } = value;
            }
        }
    }
}

impl CrowdContact {
    /// Finds out how the bodies face each other now, and undoes a part of their overlap.
    #[inline(always)]
    fn look(&mut self, bodies: &Bodies<'_>, h: f64) {
        let [a, b] = Bodies::read(&bodies.positions, self.places);
        let mut normal = self.facing.flat();
        let gap = if self.places[1] == FIXED_PLACE {
            self.height - normal.dot(a)
        } else {
            let between = (b - a).flat();
            let distance = between.dot(between).sqrt();
            if distance > 0.0 {
                normal = between * (1.0 / distance);
            }
            distance - (a.w() + b.w())
        };
        self.facing = normal.with_w(max(gap, 0.0) * (1.0 / h));
        self.push = self.push - normal * self.push.dot(normal);
        let excess = -gap - self.allowed_overlap;
        if excess > 0.0 {
            let inv_masses = self.inv_masses(bodies);
            let way = normal * (UNDONE_PER_SUB_STEP * excess / (inv_masses[0] + inv_masses[1]));
            let moved = [a - way * inv_masses[0], b + way * inv_masses[1]];
            Bodies::write(&bodies.positions, self.places, inv_masses, moved);
        }
    }

    #[inline(always)]
    fn inv_masses(&self, bodies: &Bodies<'_>) -> [f64; 2] {
        Bodies::read(&bodies.motions, self.places).map(|motion| motion.velocity.w())
    }

    /// Lets the loads of the last sub-step act, and ends approach alone: impulses travel twice as fast at little cost.
    #[inline(always)]
    fn start(&self, bodies: &Bodies<'_>) {
        let motions = Bodies::read(&bodies.motions, self.places);
        let gains = Bodies::read(&bodies.gains, self.places);
        self.give(self.push, self.rolling.flat(), motions, gains, &bodies.gains);
        let [a, b] = motions;
        let n = self.facing.flat();
        let excess = (a.velocity - b.velocity).dot(n) - self.facing.w();
        if excess > 0.0 {
            let inv_masses = motions.map(|motion| motion.velocity.w());
            let impulse = n * (excess / (inv_masses[0] + inv_masses[1]));
            let stopped = [
                Motion { velocity: a.velocity - impulse * inv_masses[0], ..a },
                Motion { velocity: b.velocity + impulse * inv_masses[1], ..b },
            ];
            Bodies::write(&bodies.motions, self.places, inv_masses, stopped);
        }
    }

    /// Ends approach and slip as they are, apart from what forces will do. Loads and impulses share one cone of friction.
    #[inline(always)]
    fn stop(&mut self, bodies: &Bodies<'_>) {
        let motions = Bodies::read(&bodies.motions, self.places);
        let [a, b] = motions;
        let excess = (a.velocity - b.velocity).dot(self.facing.flat()) - self.facing.w();
        let per_k = 1.0 / (a.velocity.w() + b.velocity.w());
        let normal = self.push.w() + max(excess, 0.0) * per_k;
        let (push, rolling) = self.wanted(motions, motions, normal, per_k);
        self.give(push - self.push, rolling - self.rolling.flat(), motions, motions, &bodies.motions);
    }

    /// Corrects the loads by what velocities gain under them.
    #[inline(always)]
    fn balance(&mut self, bodies: &Bodies<'_>) {
        let motions = Bodies::read(&bodies.motions, self.places);
        let gains = Bodies::read(&bodies.gains, self.places);
        let n = self.facing.flat();
        let approach = (motions[0].velocity - motions[1].velocity).dot(n);
        let gain = (gains[0].velocity - gains[1].velocity).dot(n);
        let per_k = 1.0 / (motions[0].velocity.w() + motions[1].velocity.w());
        let excess = gain - max(self.facing.w() - approach, 0.0);
        let normal = max(self.push.w() + excess * per_k, 0.0);
        let (push, rolling) = self.wanted(motions, gains, normal, per_k);
        self.give(push - self.push, rolling - self.rolling.flat(), motions, gains, &bodies.gains);
        self.push = push;
        self.rolling = rolling.with_w(self.rolling.w());
    }

    /// What friction and rolling resistance should be under a normal impulse to end slip and turning, as far as they can.
    #[inline(always)]
    fn wanted(&self, motions: [Motion; 2], speeds: [Motion; 2], normal: f64, per_k: f64) -> (Quad, Quad) {
        let n = self.facing.flat();
        let [a, b] = speeds;
        let (mut push, mut rolling) = (self.push.flat(), self.rolling.flat());
        let friction = self.rolling.w();
        if friction > 0.0 {
            let relative = (a.velocity - b.velocity).flat();
            let slip = relative - n * relative.dot(n) + (a.surface + b.surface).cross(n);
            push = (push + slip * (per_k * (1.0 / (1.0 + ROUNDNESS)))).limited(friction * normal);
        }
        if self.rolling_arm > 0.0 {
            let [inv_a, inv_b] = motions.map(|motion| motion.surface.w());
            let turning = (a.surface * inv_a - b.surface * inv_b).flat();
            let k_r = ROUNDNESS * (motions[0].velocity.w() * inv_a * inv_a + motions[1].velocity.w() * inv_b * inv_b);
            rolling = (rolling + turning * (1.0 / k_r)).limited(self.rolling_arm * normal);
        }
        (push.with_w(normal), rolling)
    }

    /// Adds what impulses do to some speeds of the bodies.
    #[inline(always)]
    fn give(&self, push: Quad, rolling: Quad, motions: [Motion; 2], speeds: [Motion; 2], list: &Parts<'_, Motion>) {
        let n = self.facing.flat();
        let (impulse, turning) = (n * push.w() + push.flat(), push.cross(n));
        let inv_masses = motions.map(|motion| motion.velocity.w());
        let turned = |i: usize, rolling: Quad| {
            speeds[i].surface + (turning + rolling * motions[i].surface.w()) * (ROUNDNESS * inv_masses[i])
        };
        let changed = [
            Motion { velocity: speeds[0].velocity - impulse * inv_masses[0], surface: turned(0, rolling * -1.0) },
            Motion { velocity: speeds[1].velocity + impulse * inv_masses[1], surface: turned(1, rolling) },
        ];
        Bodies::write(list, self.places, inv_masses, changed);
    }
}
