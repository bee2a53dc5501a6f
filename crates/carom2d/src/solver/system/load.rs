//! What a system is made of: the rows of joints, gears and contacts.

use super::row::{Home, State, SystemRow};
use super::{Among, COMPLIANCE, Problem, Resting, Scope, System, TOLERANCE, inverse_mass, kick, motion};
use crate::body::{BodyState, NONE};
use crate::joint::constraint::{GearConstraint, JointConstraint, read};
use crate::joint::row::{Group, Row, RowList, Rule, SpringRate};
use crate::math::Vec2;
use crate::solver::{BlockExtras, ContactBlock, at, order};
use crate::stage::StepContext;
use carom_core::math::{max64, min64};

/// The same for contacts, where a heap has many more points than it needs.
const CONTACT_COMPLIANCE: f64 = 1.0e-4;
/// The same for the contacts of a load path, which are few: bodies of a mass ratio of 1e5 overlap by `M / m` times as much as
/// others, and this keeps it below half of a millimetre at 240 Hz.
const PATH_COMPLIANCE: f64 = 1.0e-6;
/// The square of the angle by which a link may swing on within a sub-step before it is steadied.
const FAST_SWING: f64 = 0.1;
/// A gap in metres as small as rounding may leave it some hundred metres from the origin.
const HAIRLINE: f64 = 1.0e-5;
/// How much of an overlap a sub-step takes away.
pub(super) const OVERLAP_RATE: f64 = 0.25;

impl System {
    /// Reads bodies, joints and contacts.
    pub(super) fn load<const BIASED: bool>(&mut self, problem: &mut Problem<'_>, context: &StepContext) {
        let states = self.states(problem);
        let sims = &problem.sims;
        std::mem::swap(&mut self.masses, &mut self.last_masses);
        self.masses.clear();
        self.masses.extend(self.places.iter().map(|&place| inverse_mass(&sims[place as usize])));
        self.kicks.clear();
        self.kicks.extend(self.places.iter().map(|&place| kick(&sims[place as usize], context)));
        self.now.clear();
        self.now.extend(states.iter().map(motion));
        std::mem::swap(&mut self.rows, &mut self.last_rows);
        self.rows.clear();
        let Problem { joints, gears, blocks, extras, .. } = &mut *problem;
        let chosen = self.scope.joints.clone();
        if BIASED {
            self.steady_light_links(&mut joints[chosen.clone()], &states, context);
        }
        for index in chosen {
            self.load_joint(index as u32, &mut joints[index], &states, context);
        }
        let (all, geared) = (self.scope.has_all(), self.scope.gears);
        for (index, gear) in (0..).zip(gears.iter_mut()).filter(|(_, gear)| all || geared && gear.is_exact) {
            self.load_gear(index, gear, &states, context);
        }
        match std::mem::take(&mut self.scope.contacts) {
            Among::None => {}
            Among::All => {
                for (index, (block, extras)) in (0..).zip(blocks.iter().zip(extras.iter())) {
                    for lane in block.lanes() {
                        self.load_contact::<BIASED>(index, (block, extras), lane, &states, context);
                    }
                }
                self.scope.contacts = Among::All;
            }
            Among::Some(path) => {
                for &(index, lane) in &path {
                    let (block, extras) = (&blocks[index as usize], &extras[index as usize]);
                    self.load_contact::<BIASED>(index, (block, extras), usize::from(lane), &states, context);
                }
                self.scope.contacts = Among::Some(path);
            }
        }
        self.link_rows::<BIASED>();
        if BIASED {
            self.note_start(&states, problem.substep, context);
        }
    }

    /// Works out which rows act on each other by which bodies, and what bodies do without them.
    pub(super) fn link_rows<const BIASED: bool>(&mut self) {
        self.by_body.iter_mut().for_each(Vec::clear);
        self.by_body.resize(self.masses.len().max(self.by_body.len()), Vec::new());
        self.free.clone_from(&self.now);
        let contact_compliance = match self.scope.contacts {
            Among::Some(_) => PATH_COMPLIANCE,
            _ => CONTACT_COMPLIANCE,
        };
        for (index, row) in (0u32..).zip(&mut self.rows) {
            for slot in 0..4_u8 {
                let body = row.bodies[usize::from(slot)];
                if body != NONE && self.masses[body as usize] == [0.0; 3] {
                    // Its velocity counts, but it does not link rows: kinematic bodies touch anything.
                    continue;
                }
                if body != NONE {
                    self.by_body[body as usize].push((index, slot));
                }
            }
            let k = row.own_response(&self.masses);
            row.response = k;
            let compliance = k * if row.is_contact() { contact_compliance } else { COMPLIANCE };
            row.compliance += compliance;
            row.slack = if k > 0.0 { TOLERANCE / k } else { 0.0 };
            row.push(-row.impulse, &self.masses, &mut self.free);
        }
        let movable = |body: u32| if body != NONE && self.masses[body as usize] != [0.0; 3] { body } else { NONE };
        let links: Vec<[u32; 4]> = self.rows.iter().map(|row| row.bodies.map(movable)).collect();
        if links != self.links {
            if self.scope.rigid_only {
                // Joints are numbered from the middle of a mechanism on, as a rule: where they change all the time, the
                // last first.
                self.sequence.clear();
                self.sequence.extend((0..links.len() as u32).rev());
            } else {
                let nodes: Vec<Vec<u32>> = links.iter().map(|link| linked(link).collect()).collect();
                self.sequence = order(&nodes, self.masses.len());
            }
            self.find_mechanisms(&links);
            self.links = links;
            self.rest = 0;
        }
        for (row, &mechanism) in self.rows.iter_mut().zip(&self.row_mechanisms) {
            row.mechanism = mechanism;
        }
        self.compare_with_last();
        for row in self.rows.iter_mut().filter(|row| row.is_anchored::<BIASED>()) {
            row.move_anchor();
        }
    }

    /// Contacts are the same in all passes of a step, and what rests does not move: then the factor stays what it was.
    pub(super) fn compare_with_last(&mut self) {
        self.is_factorised = self.is_factorised
            && self.masses == self.last_masses
            && self.rows.len() == self.last_rows.len()
            && self.rows.iter().zip(&self.last_rows).all(|(row, last)| row.responds_like(last));
    }

    /// Finds which rows and bodies hang together.
    pub(super) fn find_mechanisms(&mut self, links: &[[u32; 4]]) {
        let mut above: Vec<u32> = (0..self.masses.len() as u32).collect();
        fn root(above: &mut [u32], mut body: u32) -> u32 {
            while above[body as usize] != body {
                above[body as usize] = above[above[body as usize] as usize];
                body = above[body as usize];
            }
            body
        }
        for link in links {
            for (a, b) in linked(link).zip(linked(link).skip(1)) {
                let (a, b) = (root(&mut above, a), root(&mut above, b));
                above[b.max(a) as usize] = b.min(a);
            }
        }
        self.body_mechanisms.clear();
        self.body_mechanisms.resize(self.masses.len(), NONE);
        self.mechanism_count = 0;
        let mut number_of = vec![NONE; self.masses.len()];
        self.row_mechanisms.clear();
        for link in links {
            let mut mechanism = 0;
            for body in linked(link) {
                let number = &mut number_of[root(&mut above, body) as usize];
                if *number == NONE {
                    *number = self.mechanism_count as u32;
                    self.mechanism_count += 1;
                }
                mechanism = *number;
                self.body_mechanisms[body as usize] = mechanism;
            }
            self.row_mechanisms.push(mechanism);
        }
        // Rows that can move nothing belong to the first, whatever it is.
        self.mechanism_count = self.mechanism_count.max(1);
    }

    /// Adds friction to the joints of light bodies under great tension.
    ///
    /// A link that is pulled from both ends by a force `f` at arms `r` swings back with a stiffness of about
    /// `f r`. If it does so faster than sub-steps can follow, the links of a chain with a heavy bob start to
    /// rattle, and the chain explodes. That stiffness depends on the forces and is in no equation (it is the
    /// geometric stiffness of S. Andrews and others, 2017); here it sets a friction of the joints that takes
    /// the rattling away. Links that swing slowly enough get none.
    pub(super) fn steady_light_links(
        &mut self,
        joints: &mut [JointConstraint],
        states: &[BodyState],
        context: &StepContext,
    ) {
        // Stiffness from all joints of a body, and from the strongest: one alone swings nothing.
        self.stiffness.clear();
        self.stiffness.resize(self.masses.len(), (0.0, 0.0));
        let mut rows = RowList::new();
        for joint in joints.iter_mut() {
            let bodies = read(states, &self.bodies(&joint.bodies));
            joint.rows(&bodies, &mut rows);
            for (side, &body) in self.bodies(&joint.bodies).iter().enumerate().filter(|(_, body)| **body != NONE) {
                let mut impulse = Vec2::ZERO;
                for (group, rows) in rows.groups() {
                    for (slot, row) in (usize::from(group.slot)..).zip(rows) {
                        impulse += row.jacobian[side].linear * joint.impulses[slot];
                    }
                }
                let force = f64::from(impulse.length()) * f64::from(context.inv_h);
                let stiffness = force * joint.arm(side);
                let (sum, most) = &mut self.stiffness[body as usize];
                *sum += stiffness;
                *most = max64(*most, stiffness);
            }
        }
        let h = f64::from(context.h);
        for joint in joints {
            let mut needed = 0.0;
            let bodies = self.bodies(&joint.bodies);
            for &body in bodies.iter().filter(|&&body| body != NONE) {
                let (sum, most) = self.stiffness[body as usize];
                let stiffness = h * h * (sum - most);
                if stiffness * self.masses[body as usize][2] > FAST_SWING {
                    needed = max64(needed, stiffness);
                }
            }
            if needed > 0.0 {
                let mut row = SystemRow::new(Home::Nowhere);
                (row.bodies[0], row.bodies[1]) = (bodies[0], bodies[1]);
                (row.jacobian[0], row.jacobian[1]) = ([0.0, 0.0, -1.0], [0.0, 0.0, 1.0]);
                row.compliance = 1.0 / needed;
                self.rows.push(row);
            }
        }
    }

    pub(super) fn load_joint(
        &mut self,
        index: u32,
        joint: &mut JointConstraint,
        states: &[BodyState],
        context: &StepContext,
    ) {
        let mut rows = RowList::new();
        let bodies = read(states, &self.bodies(&joint.bodies));
        joint.rows(&bodies, &mut rows);
        for (group, rows) in rows.groups() {
            for (i, row) in rows.iter().enumerate() {
                let slot = group.slot + i as u8;
                let impulse = joint.impulses[usize::from(slot)];
                let start = joint.start_errors[usize::from(slot)];
                let home = Home::Joint { constraint: index, slot };
                let last = i + 1 == rows.len();
                let made = SystemRow::from_joint(row, &self.bodies(&joint.bodies), home);
                self.push_joint_row::<2>(made, group, row, (impulse, start), last, context);
            }
        }
    }

    pub(super) fn load_gear(
        &mut self,
        index: u32,
        gear: &mut GearConstraint,
        states: &[BodyState],
        context: &StepContext,
    ) {
        let mut rows = RowList::new();
        let bodies = read(states, &self.bodies(&gear.bodies));
        gear.rows(&bodies, &mut rows);
        for (group, rows) in rows.groups() {
            let made = SystemRow::from_joint(&rows[0], &self.bodies(&gear.bodies), Home::Gear { constraint: index });
            self.push_joint_row::<4>(made, group, &rows[0], (gear.impulse, 0.0), true, context);
        }
    }

    /// Adds a row of a joint by the rule of its group.
    pub(super) fn push_joint_row<const N: usize>(
        &mut self,
        mut made: SystemRow,
        group: &Group,
        row: &Row<N>,
        (impulse, start_error): (f32, f32),
        last: bool,
        context: &StepContext,
    ) {
        made.impulse = f64::from(impulse);
        let inv_h = f64::from(context.inv_h);
        let most = f64::from(group.max_force) * f64::from(context.h);
        match group.rule {
            Rule::Rigid | Rule::RigidAbove | Rule::RigidBelow => {
                made.rigid = true;
                let error = f64::from(row.error);
                made.error = error;
                let side = if last { f64::from(group.rule.free_side()) } else { 0.0 };
                if side != 0.0 {
                    made.rigid = error * side <= 0.0;
                    if !made.rigid {
                        made.bias = error * inv_h;
                    }
                    if side > 0.0 {
                        made.lower = 0.0
                    } else {
                        made.upper = 0.0
                    }
                    made.state = match made.impulse * side > 0.0 {
                        true => State::Free,
                        false if side > 0.0 => State::Lower,
                        false => State::Upper,
                    };
                }
            }
            Rule::Drive | Rule::DriveUpTo => {
                let up_to = group.rule == Rule::DriveUpTo;
                made.bias = -f64::from(if up_to { row.speed_up_to_limit(context.inv_h) } else { row.speed });
                (made.lower, made.upper) = (-most, most);
            }
            Rule::Spring { hertz, damping_ratio } => {
                // The spring's law as compliance: J v + x / g = bias, with x = -(pull C + drag J v) / K / keep.
                let rate = SpringRate::new(hertz, damping_ratio, context.h);
                let k = made.own_response(&self.masses);
                let (pull, drag) = (f64::from(rate.pull / rate.keep), f64::from(rate.drag / rate.keep));
                if k <= 0.0 {
                    return;
                }
                if drag < 1.0e-6 {
                    // Nothing of it depends on the velocity: an impulse like any force.
                    let impulse = max64(-most, min64(most, -pull * f64::from(start_error) / k));
                    (made.lower, made.upper, made.impulse) = (impulse, impulse, f64::from(made.impulse as f32));
                    made.state = State::Lower;
                } else {
                    made.compliance = k / drag;
                    made.bias = pull * f64::from(start_error) / drag - f64::from(row.speed);
                    (made.lower, made.upper) = (-most, most);
                }
            }
        }
        if made.rigid || !self.scope.rigid_only {
            self.rows.push(made);
        }
    }

    pub(super) fn load_contact<const BIASED: bool>(
        &mut self,
        index: u32,
        (block, extras): (&ContactBlock, &BlockExtras),
        lane: usize,
        states: &[BodyState],
        context: &StepContext,
    ) {
        let bodies = self.bodies(&block.bodies(lane));
        let [a, b] = bodies.map(|body| if body == NONE { BodyState::REST } else { states[body as usize] });
        let normal = at(&block.normal, lane);
        let tangent = crate::math::right_perp(normal);
        let inv_h = f64::from(context.inv_h);
        let lane8 = lane as u8;
        let mut normals = [NONE; 2];
        let mut points = 0;
        for (point8, point) in (0u8..).zip(&block.points) {
            if point.normal_mass.0[lane] == 0.0 {
                continue;
            }
            let arms = [at(&point.anchor_a, lane), at(&point.anchor_b, lane)];
            let core_a = a.delta_rotation.rotate(arms[0] - normal * extras.rounding_a.0[lane]);
            let core_b = b.delta_rotation.rotate(arms[1] + normal * extras.rounding_b.0[lane]);
            let moved = b.delta_position - a.delta_position;
            let separation = f64::from((moved + core_b - core_a).dot(normal) + point.base_separation.0[lane]);
            let mut row = SystemRow::from_contact(
                bodies,
                normal,
                arms,
                Home::Normal { block: index, lane: lane8, point: point8 },
            );
            row.impulse = f64::from(point.normal_impulse.0[lane]);
            row.lower = 0.0;
            row.state = if row.impulse > 0.0 { State::Free } else { State::Lower };
            if !BIASED && separation > 0.0 && separation < HAIRLINE && row.impulse > 0.0 {
                // It carries, and hovers by rounding alone.
            } else if separation > 0.0 {
                row.bias = separation * inv_h;
                if !BIASED {
                    // A gap is the next sub-step's business, where the approach may turn out to be an impact
                    // that rebounds: here it is not slowed down, only pushed less.
                    row.upper = row.impulse;
                }
            } else if BIASED {
                let push_out = max64(f64::from(block.common(extras, lane).push_out), -self.scope.most_push);
                row.bias = max64(OVERLAP_RATE * separation * inv_h, push_out);
            }
            normals[points] = self.rows.len() as u32;
            points += 1;
            self.rows.push(row);

            let mut row = SystemRow::from_contact(
                bodies,
                tangent,
                arms,
                Home::Tangent { block: index, lane: lane8, point: point8 },
            );
            row.impulse = f64::from(point.tangent_impulse.0[lane]);
            row.bias = -f64::from(extras.surface_speed.0[lane]);
            row.normals = Some(([self.rows.len() as u32 - 1, NONE], f64::from(block.common(extras, lane).friction)));
            self.rows.push(row);
        }
        if extras.rolling_resistance.0[lane] > 0.0 {
            let mut row = SystemRow::new(Home::Rolling { block: index, lane: lane8 });
            (row.bodies[0], row.bodies[1]) = (bodies[0], bodies[1]);
            (row.jacobian[0], row.jacobian[1]) = ([0.0, 0.0, -1.0], [0.0, 0.0, 1.0]);
            row.impulse = f64::from(extras.rolling_impulse.0[lane]);
            row.normals = Some((normals, f64::from(extras.rolling_resistance.0[lane])));
            self.rows.push(row);
        }
    }

    /// Reads contacts that have no blocks yet, and their bodies after a sub-step without them.
    pub(super) fn load_rest(&mut self, resting: &Resting<'_>, context: &StepContext, contacts: &[u32]) {
        self.scope = Scope { contacts: Among::All, ..Scope::default() };
        (self.rest, self.is_factorised) = (0, false);
        self.masses.clear();
        self.now.clear();
        for &place in &self.places {
            let (sim, state) = (&resting.sims[place as usize], &resting.states[place as usize]);
            self.masses.push(inverse_mass(sim));
            let (now, kick) = (motion(state), kick(sim, context));
            self.now.push(std::array::from_fn(|axis| now[axis] + kick[axis]));
        }
        self.rows.clear();
        for &index in contacts {
            let contact = &resting.contacts[index];
            let bodies = self.bodies(&[contact.body_a, contact.body_b].map(|body| resting.places[body as usize]));
            let (normal, material) = (contact.manifold.normal, &contact.material);
            let points = &contact.manifold.points[..contact.manifold.count as usize];
            for (number, point) in (0..).zip(points) {
                let arms = [point.anchor_a, point.anchor_b];
                let home = Home::Normal { block: index, lane: 0, point: number };
                let mut row = SystemRow::from_contact(bodies, normal, arms, home);
                (row.lower, row.state) = (0.0, State::Lower);
                row.bias = max64(f64::from(point.separation), 0.0) * f64::from(context.inv_h);
                self.rows.push(row);
                let home = Home::Tangent { block: index, lane: 0, point: number };
                let mut row = SystemRow::from_contact(bodies, crate::math::right_perp(normal), arms, home);
                row.bias = -f64::from(material.surface_speed);
                row.normals = Some(([self.rows.len() as u32 - 1, NONE], f64::from(material.friction)));
                self.rows.push(row);
            }
        }
        self.link_rows::<false>();
    }
}

/// The bodies that a row links, without the gaps.
fn linked(link: &[u32; 4]) -> impl Iterator<Item = u32> {
    link.iter().copied().filter(|&body| body != NONE)
}
