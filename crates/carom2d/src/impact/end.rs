//! One end of an impact: what an impulse does to a free body, and to one that is pinned to something fixed.

use crate::body::{Body, BodyId, BodyKind, BodySim, BodyState, NONE};
use crate::joint::exact::{RIGID_HERTZ, Sort, sort_of};
use crate::joint::{Joint, JointId};
use crate::math::{Rot, Vec2, cross, cross_sv, vec2};
use carom_core::Pool;
use carom_wide::Rows;

/// Where bodies are pinned to what does not move.
#[derive(Clone, Copy)]
pub(crate) struct Hinges<'a> {
    pub(crate) bodies: &'a Pool<Body, BodyId>,
    pub(crate) joints: &'a Pool<Joint, JointId>,
    pub(crate) sims: &'a [BodySim],
}

impl Hinges<'_> {
    /// From the centre of mass of an awake body to the pin about which alone it can move, if it is held by one.
    fn pivot(&self, index: u32, state: &BodyState) -> Option<Vec2> {
        let sim = self.sims.get(index as usize)?;
        let mut held =
            self.bodies[sim.body].joints.iter().map(|&joint| &self.joints[joint]).filter(|joint| joint.is_on());
        let (Some(joint), None) = (held.next(), held.next()) else { return None };
        let def = &joint.def;
        let is_b = def.body_b.index() == sim.body;
        let (other, frame) = if is_b { (def.body_a, def.frame_b) } else { (def.body_b, def.frame_a) };
        // A pin that may break has to take the impulse.
        let holds = sort_of(&def.kind) == Sort::PlainPin
            && def.hertz >= RIGID_HERTZ
            && def.break_force == f32::INFINITY
            && def.break_torque == f32::INFINITY
            && self.bodies[other.index()].kind == BodyKind::Fixed;
        holds.then(|| state.delta_rotation.rotate(sim.rotation.rotate(frame.p - sim.local_center)))
    }
}

/// One end of a contact: the body's state and what impulses do to it.
pub(crate) struct End {
    pub(crate) state: BodyState,
    pub(crate) inv_mass: Vec2,
    pub(crate) inv_inertia: f32,
    /// From the centre of mass to the point about which it turns, if it is pinned there. It has no inverse mass then.
    pub(crate) pivot: Vec2,
    /// How much spin a velocity across the arm of the pin becomes.
    pub(crate) swing: f32,
    /// By how much it is to be turned back.
    pub(crate) turn: f32,
}

impl End {
    pub(crate) fn read(states: &Rows<'_, BodyState>, index: u32, (inv_mass, inv_inertia): (Vec2, f32)) -> End {
        let state = if index == NONE { BodyState::REST } else { states.get(index) };
        End { state, inv_mass, inv_inertia, pivot: Vec2::ZERO, swing: 0.0, turn: 0.0 }
    }

    /// What is pinned turns about its pin.
    pub(crate) fn hang(&mut self, index: u32, hinges: Option<Hinges<'_>>) {
        if self.state.flags & BodyState::JOINTED == 0 || self.inv_mass.x != self.inv_mass.y || self.inv_mass.x <= 0.0 {
            return;
        }
        if let Some(pivot) = hinges.and_then(|hinges| hinges.pivot(index, &self.state)) {
            // With w = 1 / m and i = 1 / I: 1 / (I + m p^2), also of what cannot turn by itself.
            let (w, i) = (self.inv_mass.x, self.inv_inertia);
            let share = 1.0 / (w + i * pivot.length_squared());
            (self.inv_mass, self.inv_inertia, self.pivot, self.swing) = (Vec2::ZERO, i * w * share, pivot, i * share);
        }
    }

    /// What a change of velocity of the free body does to a point at an arm, at time `t` of the sub-step: what a pin leaves
    /// of it. The time matters, because the sub-step goes on as if the body had been on its way from the impact all along:
    /// what hits at its lowest point has gained nothing, and gains nothing after it.
    pub(crate) fn kicked(&self, kick: Vec2, arm: Vec2, t: f32) -> Vec2 {
        if self.pivot == Vec2::ZERO {
            return kick;
        }
        let pivot = Rot::IDENTITY.turned(self.state.angular_velocity * t).rotate(self.pivot);
        cross_sv(-cross(pivot, kick) * self.swing, arm - pivot)
    }

    /// Slows its spin down to `limit`; the energy that this takes, in joules. What is pinned cannot fly instead, and is
    /// left to `SpeedLimits`.
    pub(crate) fn cut_spin(&mut self, limit: f32) -> f32 {
        let spin = self.state.angular_velocity;
        if spin.abs() <= limit || self.inv_inertia <= 0.0 || self.pivot != Vec2::ZERO {
            return 0.0;
        }
        self.state.angular_velocity = limit.copysign(spin);
        0.5 * (spin * spin - limit * limit) / self.inv_inertia
    }

    /// Applies an impulse that acts at time `t` of the sub-step.
    pub(crate) fn push(&mut self, arm: Vec2, impulse: Vec2, t: f32) {
        let dw = self.inv_inertia * cross(arm - self.pivot, impulse);
        self.state.angular_velocity += dw;
        if self.pivot == Vec2::ZERO {
            let dv = vec2(self.inv_mass.x * impulse.x, self.inv_mass.y * impulse.y);
            self.state.velocity += dv;
            self.state.delta_position -= dv * t;
            self.turn -= dw * t;
        } else {
            // On the circle about the pin: along its tangent the pin would open, and be closed with a jerk.
            self.state.velocity -= cross_sv(dw, self.pivot);
            let pivot_at = |turn: f32| Rot::IDENTITY.turned(turn).rotate(self.pivot);
            self.state.delta_position += pivot_at(self.turn) - pivot_at(self.turn - dw * t);
            self.turn -= dw * t;
        }
    }
}

/// Writes the states of both ends, turned back.
pub(crate) fn write_ends(ends: [&End; 2], states: &mut Rows<'_, BodyState>, indices: [u32; 2]) {
    let rotations = Rot::turned_all(ends.map(|end| end.state.delta_rotation), ends.map(|end| end.turn));
    for ((end, index), delta_rotation) in ends.into_iter().zip(indices).zip(rotations) {
        if index != NONE && end.state.flags & BodyState::MOVABLE != 0 {
            states.set(index, BodyState { delta_rotation, ..end.state });
        }
    }
}
