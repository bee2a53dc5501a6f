//! What upright stacks carry.
//!
//! Where all contacts are along gravity or across it, loads go straight down: a body hands on its own weight and what rests on
//! it. So bodies are asked from the top down. With `x` the places of the points that carry one, across gravity and from its
//! centre of mass, and with `F` and `M` what it hands on and the moment of that, the forces `p` at the points have
//!
//! ```text
//! sum p = F        sum p x = M        p >= 0
//! ```
//!
//! Of all that do, those with the least sum of squares: they are `p = a + b x` at the points where that is positive. If there are
//! none the load is beside all points, and the body tips.

use super::StepContext;
use crate::body::NONE;
use crate::contact::Contact;
use crate::math::{Vec2, cross};
use crate::prepare::fill::TOUCH;
use crate::world::WorldState;

/// Normals are along gravity or across it as far as their turns from there are less than this: what it takes to hold the
/// rest is left to friction, and is as small a share of the load.
const UPRIGHT: f32 = 1.0e-3;
/// What is left over of a moment and of a force may accelerate bodies by this share of gravity: rounding.
const LEFT_OVER: f64 = 1.0e-3;

/// What hands on more than this many times its weight is part of a column that may buckle: boxes do from about 17 on.
const COLUMN: f64 = 4.0;

/// A body that rests on others.
#[derive(Clone, Debug, Default)]
struct Stone {
    body: u32,
    /// What it hands on, along gravity, and its moment about the centre of mass.
    load: f64,
    moment: f64,
    weight: f64,
    extent: f64,
    /// How many contacts rest on it that have not handed on theirs yet.
    waits: u32,
    /// What carries it, in the order of the contacts.
    points: Vec<Support>,
}

/// A point that carries a body.
#[derive(Clone, Copy, Debug)]
struct Support {
    contact: u32,
    point: u8,
    /// The stone that it rests on; `NONE` if nothing moves that.
    below: u32,
    /// Its place across gravity from the centre of the body, and from that of the one below.
    x: f64,
    x_below: f64,
    force: f64,
}

/// Where the loads of an upright stack go.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    stones: Vec<Stone>,
    ready: Vec<u32>,
}

impl Stack {
    /// The forces at the points of an island's contacts, along their normals; false if it is no upright stack or does not stand.
    pub(super) fn find(&mut self, world: &WorldState, context: &StepContext, island: u32, contacts: &[u32]) -> bool {
        let down = context.gravity.normalize_or_zero();
        down != Vec2::ZERO
            && self.list_stones(world, context, down, island)
            && contacts.iter().all(|&index| self.list_points(&world.contacts[index], down, index))
            && self.hand_down()
    }

    /// The contacts and points that carry something, and what.
    pub(super) fn forces(&self) -> impl Iterator<Item = (u32, u8, f32)> {
        let points = self.stones.iter().flat_map(|stone| &stone.points);
        points.filter(|point| point.force > 0.0).map(|point| (point.contact, point.point, point.force as f32))
    }

    /// The contacts on which a stone rests alone, if there is a column among them.
    pub(super) fn columns(&self) -> impl Iterator<Item = u32> {
        let alone = |stone: &Stone| {
            let first = stone.points.first()?.contact;
            stone.points.iter().all(|point| point.contact == first).then_some(first)
        };
        let is_column = |stone: &Stone| stone.load > COLUMN * stone.weight && alone(stone).is_some();
        let count = if self.stones.iter().any(is_column) { self.stones.len() } else { 0 };
        self.stones[..count].iter().filter_map(alone)
    }

    /// Lists the bodies of an island with their weights. False if one is not free, or pushed sideways.
    fn list_stones(&mut self, world: &WorldState, context: &StepContext, down: Vec2, island: u32) -> bool {
        self.stones.clear();
        for &body in world.islands.nodes(island) {
            let sim = world.sim(body);
            let acceleration = sim.acceleration(context.gravity);
            let (fall, aside) = (acceleration.dot(down), cross(acceleration, down));
            let is_free = sim.inv_mass.x > 0.0 && sim.inv_mass.x == sim.inv_mass.y && sim.inv_inertia > 0.0;
            if !is_free || fall <= 0.0 || aside.abs() > UPRIGHT * fall || sim.torque != 0.0 {
                return false;
            }
            let weight = f64::from(fall) / f64::from(sim.inv_mass.x);
            let extent = f64::from(sim.extent);
            self.stones.push(Stone { body, load: weight, weight, extent, ..Stone::default() });
        }
        self.stones.sort_unstable_by_key(|stone| stone.body);
        true
    }

    fn place(&self, body: u32) -> u32 {
        self.stones.binary_search_by_key(&body, |stone| stone.body).map_or(NONE, |place| place as u32)
    }

    /// Lists the points of a contact with the body that they carry. False if it is inclined.
    fn list_points(&mut self, contact: &Contact, down: Vec2, index: u32) -> bool {
        let manifold = &contact.manifold;
        let (along, across) = (manifold.normal.dot(down), cross(manifold.normal, down));
        if along.abs() <= UPRIGHT {
            return true;
        }
        if across.abs() > UPRIGHT || contact.material.surface_speed != 0.0 {
            return false;
        }
        // Normals point from a to b.
        let a_is_above = along > 0.0;
        let (above, below) =
            if a_is_above { (contact.body_a, contact.body_b) } else { (contact.body_b, contact.body_a) };
        let (above, below) = (self.place(above), self.place(below));
        if above == NONE {
            // It hangs below what cannot be moved.
            return true;
        }
        let mut carries = false;
        for (point, at) in (0..).zip(&manifold.points[..usize::from(manifold.count)]) {
            if at.separation > TOUCH {
                continue;
            }
            let [x_a, x_b] = [at.anchor_a, at.anchor_b].map(|arm| f64::from(cross(arm, down)));
            let (x, x_below) = if a_is_above { (x_a, x_b) } else { (x_b, x_a) };
            let support = Support { contact: index, point, below, x, x_below, force: 0.0 };
            self.stones[above as usize].points.push(support);
            carries = true;
        }
        if carries && below != NONE {
            self.stones[below as usize].waits += 1;
        }
        true
    }

    /// Hands loads down, from the top. False if something does not stand.
    fn hand_down(&mut self) -> bool {
        self.ready.clear();
        self.ready.extend((0..self.stones.len() as u32).filter(|&place| self.stones[place as usize].waits == 0));
        let mut next = 0;
        while let Some(&place) = self.ready.get(next) {
            next += 1;
            if !self.stones[place as usize].carry() {
                return false;
            }
            let points = std::mem::take(&mut self.stones[place as usize].points);
            for contact in points.chunk_by(|p, q| p.contact == q.contact) {
                let Some(below) = self.stones.get_mut(contact[0].below as usize) else { continue };
                for point in contact {
                    below.load += point.force;
                    below.moment += point.force * point.x_below;
                }
                below.waits -= 1;
                if below.waits == 0 {
                    self.ready.push(contact[0].below);
                }
            }
            self.stones[place as usize].points = points;
        }
        next == self.stones.len()
    }
}

impl Stone {
    /// Shares its load out to the points that carry it. False if they cannot.
    fn carry(&mut self) -> bool {
        let (load, moment) = (self.load, self.moment);
        let mut carrying = self.points.len();
        self.points.iter_mut().for_each(|point| point.force = 1.0);
        // Each round leaves one out.
        while carrying > 0 {
            let used = || self.points.iter().filter(|point| point.force > 0.0);
            let count = carrying as f64;
            let middle = used().map(|point| point.x).sum::<f64>() / count;
            let spread: f64 = used().map(|point| (point.x - middle) * (point.x - middle)).sum();
            // About the middle of the points the mean of the forces has no moment.
            let slope = if spread > 0.0 { (moment - load * middle) / spread } else { 0.0 };
            let force = |point: &Support| load / count + slope * (point.x - middle);
            let Some(least) = used().map(force).reduce(|p, q| if q < p { q } else { p }) else { return false };
            if least >= 0.0 {
                self.points.iter_mut().filter(|point| point.force > 0.0).for_each(|point| point.force = force(point));
                break;
            }
            let left_out = self.points.iter().position(|point| point.force > 0.0 && force(point) == least);
            left_out.into_iter().for_each(|place| self.points[place].force = 0.0);
            carrying -= 1;
        }
        let sums = self.points.iter().fold((0.0, 0.0), |(f, m), point| (f + point.force, m + point.force * point.x));
        let left_over = LEFT_OVER * self.weight;
        (sums.0 - load).abs() <= left_over && (sums.1 - moment).abs() <= left_over * self.extent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_core::Rng;
    use carom_core::math::{max64, min64};

    fn stone(places: &[f64], load: f64, moment: f64) -> Stone {
        let support = |&x: &f64| Support { contact: 0, point: 0, below: NONE, x, x_below: x, force: 0.0 };
        let points = places.iter().map(support).collect();
        Stone { points, load, moment, weight: 1.0e-6, extent: 1.0, ..Stone::default() }
    }

    /// Points carry what lies between them, pushing only, and with the least sum of squares; what lies beside them tips.
    #[test]
    fn points_carry_what_lies_between_them() {
        let mut rng = Rng::new(1);
        let (mut stands, mut tips) = (0, 0);
        for _ in 0..2000 {
            let count = 1 + rng.below(6) as usize;
            let places: Vec<f64> = (0..count).map(|_| f64::from(rng.range(-1.0, 1.0))).collect();
            let at = f64::from(rng.range(-1.2, 1.2));
            let (least, most) = places.iter().fold((f64::MAX, f64::MIN), |(l, m), &x| (min64(l, x), max64(m, x)));
            let mut stone = stone(&places, 3.0, 3.0 * at);
            let carries = stone.carry();
            assert_eq!(carries, (least..=most).contains(&at), "{at} on {places:?}");
            if !carries {
                tips += 1;
                continue;
            }
            stands += 1;
            // Where forces push they are on one line, and where it is below zero there is none.
            let loaded: Vec<&Support> = stone.points.iter().filter(|point| point.force > 0.0).collect();
            let (p, q) = (loaded[0], loaded[loaded.len() - 1]);
            let slope = if p.x == q.x { 0.0 } else { (q.force - p.force) / (q.x - p.x) };
            for point in &stone.points {
                let line = p.force + slope * (point.x - p.x);
                let expected = if loaded.len() < 2 { point.force } else { max64(line, 0.0) };
                assert!((point.force - expected).abs() < 1.0e-6, "{at} on {places:?}: {:?}", stone.points);
            }
        }
        assert!(stands > 300 && tips > 300, "{stands} stand, {tips} tip");
    }
}
