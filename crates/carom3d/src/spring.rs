//! Springs between points of bodies.
//!
//! With attachment points `a_i = p_i + R(q_i) offset_i`, `d = a_1 - a_2` and `n = d / |d|`, the first body feels
//! `F = -(k (|d| - L) + c n . (v_1 - v_2)) n` at its attachment point and the second feels `-F` at its own, where
//! `v_i` are the velocities of the attachment points, turning included.

use crate::body::{BodyId, BodyState, NONE};
use crate::error::{DefError, finite3, non_negative};
use crate::inertia::Inertia;
use crate::integrate::Acceleration;
use crate::math::{DVec3, Quat};
use crate::world::World;
use carom_core::Pool;

carom_core::define_id! {
    /// A handle to a spring.
    pub struct SpringId;
}

/// Describes a spring to add to a world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpringDef {
    /// The bodies at its ends, two different ones. Between two fixed ones it does nothing.
    pub bodies: [BodyId; 2],
    /// Where it is attached, in coordinates of each body, in metres. On a triangle, relative to the body's position.
    /// Default: the centre.
    pub offsets: [DVec3; 2],
    /// The length at which it pulls at nothing, in metres, at least 0. Default 1.
    pub rest_length: f64,
    /// In N/m, at least 0. Default 100.
    pub stiffness: f64,
    /// Resistance to a change of length in N s/m, at least 0. Default 0.
    pub damping: f64,
}

impl SpringDef {
    /// A spring between the centres of two bodies.
    pub const fn between(a: BodyId, b: BodyId) -> SpringDef {
        SpringDef { bodies: [a, b], offsets: [DVec3::ZERO; 2], rest_length: 1.0, stiffness: 100.0, damping: 0.0 }
    }

    pub(crate) fn validate(&self) -> Result<(), DefError> {
        finite3("SpringDef.offsets", self.offsets[0])?;
        finite3("SpringDef.offsets", self.offsets[1])?;
        non_negative("SpringDef.rest_length", self.rest_length)?;
        non_negative("SpringDef.stiffness", self.stiffness)?;
        non_negative("SpringDef.damping", self.damping)?;
        Ok(())
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Spring {
    pub(crate) def: SpringDef,
}

/// One end of a spring in a cluster.
#[derive(Clone, Copy, Debug)]
enum End {
    /// A member of the cluster, by its place in the list.
    Member { place: usize, offset: DVec3 },
    /// A point that does not move.
    Anchor(DVec3),
}

/// A spring as the integrator sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClusterSpring {
    ends: [End; 2],
    rest_length: f64,
    stiffness: f64,
    damping: f64,
}

/// Movers joined by springs: their equations of motion are solved together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cluster {
    /// Indices of movers, lowest first.
    pub(crate) members: Vec<u32>,
    pub(crate) springs: Vec<ClusterSpring>,
}

impl ClusterSpring {
    /// Adds what the spring does to the accelerations of the members. `inverses` are each member's inverse mass and
    /// its inertia.
    pub(crate) fn pull(&self, states: &[BodyState], inverses: &[(f64, Inertia)], out: &mut [Acceleration]) {
        let [one, two] = self.ends.map(|end| end.resolve(states));
        let d = one.point - two.point;
        let length = d.length();
        if length == 0.0 {
            return;
        }
        let n = d / length;
        let stretch_speed = n.dot(one.velocity - two.velocity);
        let force = n * -(self.stiffness * (length - self.rest_length) + self.damping * stretch_speed);
        for (end, attachment, force) in [(self.ends[0], one, force), (self.ends[1], two, -force)] {
            if let End::Member { place, .. } = end {
                let (inv_mass, inertia) = &inverses[place];
                out[place].linear += force * *inv_mass;
                out[place].angular += inertia.respond(states[place].orientation, attachment.arm.cross(force));
            }
        }
    }

    fn energy(&self, states: &[BodyState]) -> f64 {
        let [one, two] = self.ends.map(|end| end.resolve(states).point);
        let stretch = (one - two).length() - self.rest_length;
        0.5 * self.stiffness * stretch * stretch
    }
}

#[derive(Clone, Copy)]
struct Attachment {
    arm: DVec3,
    point: DVec3,
    velocity: DVec3,
}

impl End {
    fn resolve(self, states: &[BodyState]) -> Attachment {
        match self {
            End::Member { place, offset } => {
                let state = &states[place];
                let arm = state.orientation.rotate(offset);
                Attachment { arm, point: state.position + arm, velocity: state.velocity_at(arm) }
            }
            End::Anchor(point) => Attachment { arm: DVec3::ZERO, point, velocity: DVec3::ZERO },
        }
    }
}

impl World {
    /// Adds a spring and wakes what it pulls at.
    pub fn add_spring(&mut self, def: SpringDef) -> Result<SpringId, DefError> {
        def.validate()?;
        for body in def.bodies {
            self.check_body(body)?;
        }
        if def.bodies[0] == def.bodies[1] {
            return Err(DefError::field("SpringDef.bodies", def.bodies, "two different bodies"));
        }
        let id = self.springs.insert(Spring { def });
        for body in def.bodies {
            self.bodies[body.index()].springs.push(id.index());
            self.wake_body(body.index());
        }
        self.clusters_are_stale = true;
        Ok(id)
    }

    /// Removes a spring and wakes what it pulled at.
    pub fn remove_spring(&mut self, id: SpringId) -> Result<(), DefError> {
        let spring = self.springs.remove(id).ok_or_else(|| DefError::stale(id))?;
        for body in spring.def.bodies {
            self.bodies[body.index()].springs.retain(|&other| other != id.index());
            self.wake_body(body.index());
        }
        self.clusters_are_stale = true;
        Ok(())
    }

    /// The definition of a spring; none if the handle is stale.
    pub fn spring(&self, id: SpringId) -> Option<&SpringDef> {
        self.springs.get(id).map(|spring| &spring.def)
    }

    /// Handles of all springs, in the order of their indices.
    pub fn springs(&self) -> impl Iterator<Item = SpringId> + '_ {
        self.springs.ids()
    }

    /// How many springs there are.
    pub fn spring_count(&self) -> usize {
        self.springs.len()
    }

    /// The two attachment points of a spring in world coordinates; none if the handle is stale.
    pub fn spring_ends(&self, id: SpringId) -> Option<[DVec3; 2]> {
        let def = self.springs.get(id)?.def;
        Some([0, 1].map(|side| {
            let body = self.body(def.bodies[side]);
            body.position() + body.orientation().rotate(def.offsets[side])
        }))
    }

    /// The energy stored in all springs, in J.
    pub fn spring_energy(&self) -> f64 {
        let energy = |(id, _): (SpringId, &Spring)| {
            let (states, spring) = self.lone_spring(id.index());
            spring.energy(&states)
        };
        self.springs.iter().map(energy).sum()
    }

    /// A spring with the states of its two bodies as members.
    fn lone_spring(&self, spring: u32) -> ([BodyState; 2], ClusterSpring) {
        let def = self.springs[spring].def;
        let states = def.bodies.map(|body| {
            let body = self.body(body);
            BodyState { position: body.position(), orientation: body.orientation(), ..BodyState::default() }
        });
        let ends = [0, 1].map(|side| End::Member { place: side, offset: def.offsets[side] });
        let spring =
            ClusterSpring { ends, rest_length: def.rest_length, stiffness: def.stiffness, damping: def.damping };
        (states, spring)
    }

    /// Finds again which movers springs join.
    pub(crate) fn update_clusters(&mut self) {
        if !self.clusters_are_stale {
            return;
        }
        self.clusters_are_stale = false;
        self.clusters.clear();
        for (_, mover) in self.movers.iter_mut() {
            mover.cluster = NONE;
        }
        let ids: Vec<u32> = self.movers.ids().map(|id| id.index()).collect();
        for mover in ids {
            if self.movers[mover].cluster == NONE && !self.bodies[self.movers[mover].body].springs.is_empty() {
                self.gather_cluster(mover);
            }
        }
    }

    /// Makes the cluster that a mover belongs to, by searching along springs.
    fn gather_cluster(&mut self, first: u32) {
        let number = self.clusters.len() as u32;
        let mut cluster = Cluster::default();
        let mut springs = Vec::new();
        let mut to_visit = vec![first];
        self.movers[first].cluster = number;
        while let Some(mover) = to_visit.pop() {
            cluster.members.push(mover);
            for &spring in &self.bodies[self.movers[mover].body].springs {
                springs.push(spring);
                for body in self.springs[spring].def.bodies {
                    let other = self.bodies[body.index()].mover;
                    if other != NONE && self.movers[other].cluster == NONE {
                        self.movers[other].cluster = number;
                        to_visit.push(other);
                    }
                }
            }
        }
        cluster.members.sort_unstable();
        springs.sort_unstable();
        springs.dedup();
        cluster.springs = springs.iter().map(|&spring| self.cluster_spring(spring, &cluster.members)).collect();
        self.clusters.push(cluster);
    }

    fn cluster_spring(&self, spring: u32, members: &[u32]) -> ClusterSpring {
        let def = &self.springs[spring].def;
        let ends = [0, 1].map(|side| {
            let body = &self.bodies[def.bodies[side].index()];
            match members.binary_search(&body.mover) {
                Ok(place) => End::Member { place, offset: def.offsets[side] },
                Err(_) => End::Anchor(anchor(body.position, body.orientation, def.offsets[side])),
            }
        });
        ClusterSpring { ends, rest_length: def.rest_length, stiffness: def.stiffness, damping: def.damping }
    }

    /// Removes every spring of a body.
    pub(crate) fn remove_springs_of(&mut self, body: u32) {
        let springs: Vec<SpringId> =
            self.bodies[body].springs.iter().filter_map(|&spring| Pool::id_at(&self.springs, spring)).collect();
        for spring in springs {
            // Taken from the body's own list, so it is there.
            let _ = self.remove_spring(spring);
        }
    }
}

fn anchor(position: DVec3, orientation: Quat, offset: DVec3) -> DVec3 {
    position + orientation.rotate(offset)
}
