//! One equation or inequality of a system.

use super::Motion;
use crate::body::NONE;
use crate::joint::row::Row;
use crate::math::Vec2;

/// Which value a row's impulse has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Free,
    Lower,
    Upper,
}

/// Where a row's impulse is kept between passes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Home {
    Joint {
        constraint: u32,
        slot: u8,
    },
    Gear {
        constraint: u32,
    },
    Normal {
        block: u32,
        lane: u8,
        point: u8,
    },
    Tangent {
        block: u32,
        lane: u8,
        point: u8,
    },
    Rolling {
        block: u32,
        lane: u8,
    },
    /// It is reset in every pass.
    Nowhere,
}

/// One equation or inequality of the system.
#[derive(Clone, Copy, Debug)]
pub(super) struct SystemRow {
    /// Places of the bodies, `NONE` where nothing moves; and their parts of `J`.
    pub(super) bodies: [u32; 4],
    pub(super) jacobian: [Motion; 4],
    pub(super) bias: f64,
    pub(super) compliance: f64,
    /// `K`.
    pub(super) response: f64,
    /// An impulse as good as none.
    pub(super) slack: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) impulse: f64,
    /// The impulse from which on the compliance of a contact gives way.
    pub(super) anchor: f64,
    pub(super) state: State,
    /// The normal rows whose impulse, times a coefficient, bounds this one.
    pub(super) normals: Option<([u32; 2], f64)>,
    /// Held where the bodies will be.
    pub(super) rigid: bool,
    /// `C` of a rigid row where the bodies are.
    pub(super) error: f64,
    /// The mechanism that it belongs to.
    pub(super) mechanism: u32,
    pub(super) home: Home,
}

impl SystemRow {
    pub(super) fn new(home: Home) -> SystemRow {
        SystemRow {
            bodies: [NONE; 4],
            jacobian: [[0.0; 3]; 4],
            bias: 0.0,
            compliance: 0.0,
            response: 0.0,
            slack: 0.0,
            lower: f64::NEG_INFINITY,
            upper: f64::INFINITY,
            impulse: 0.0,
            anchor: 0.0,
            state: State::Free,
            normals: None,
            rigid: false,
            error: 0.0,
            mechanism: 0,
            home,
        }
    }

    /// Is the impulse bounded?
    pub(super) fn is_bounded(&self) -> bool {
        self.normals.is_some() || self.lower > f64::NEG_INFINITY || self.upper < f64::INFINITY
    }

    pub(super) fn is_contact(&self) -> bool {
        !matches!(self.home, Home::Joint { .. } | Home::Gear { .. } | Home::Nowhere)
    }

    /// Has it the same part in the matrix of a system?
    pub(super) fn responds_like(&self, other: &SystemRow) -> bool {
        self.bodies == other.bodies && self.jacobian == other.jacobian && self.compliance == other.compliance
    }

    /// Does only a change of its load give way? What rests has no speed then, and what sticks does not creep. Normals
    /// are held by how far bodies overlap where that counts.
    pub(super) fn is_anchored<const BIASED: bool>(&self) -> bool {
        match self.home {
            Home::Joint { .. } | Home::Gear { .. } | Home::Nowhere => false,
            Home::Normal { .. } => !BIASED,
            Home::Tangent { .. } | Home::Rolling { .. } => true,
        }
    }

    /// Lets the compliance give way from the present impulse on.
    pub(super) fn move_anchor(&mut self) {
        self.bias -= self.compliance * (self.impulse - self.anchor);
        self.anchor = self.impulse;
    }

    /// Where the impulse is: at a bound, or between them.
    pub(super) fn nearest_state(&self) -> State {
        if self.impulse <= self.lower {
            State::Lower
        } else if self.impulse >= self.upper {
            State::Upper
        } else {
            State::Free
        }
    }

    /// `w`: the speed along the row, with what is asked of it.
    pub(super) fn residual(&self, motions: &[Motion]) -> f64 {
        self.speed(motions) + self.bias + self.compliance * self.impulse
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = (usize, &Motion)> {
        self.bodies.iter().zip(&self.jacobian).filter(|(body, _)| **body != NONE).map(|(&body, j)| (body as usize, j))
    }

    /// `J v`.
    pub(super) fn speed(&self, motions: &[Motion]) -> f64 {
        self.parts().map(|(body, j)| dot(j, &motions[body])).sum()
    }

    /// Adds what an impulse along the row does.
    pub(super) fn push(&self, impulse: f64, masses: &[Motion], motions: &mut [Motion]) {
        for (body, j) in self.parts() {
            for axis in 0..3 {
                motions[body][axis] += masses[body][axis] * j[axis] * impulse;
            }
        }
    }

    /// `K`: what a unit impulse does to the row's own speed.
    pub(super) fn own_response(&self, masses: &[Motion]) -> f64 {
        self.parts().map(|(body, j)| weighted(j, &masses[body], j)).sum()
    }

    pub(super) fn from_joint<const N: usize>(row: &Row<N>, bodies: &[u32; N], home: Home) -> SystemRow {
        let mut out = SystemRow::new(home);
        for (i, (&body, part)) in bodies.iter().zip(&row.jacobian).enumerate() {
            out.bodies[i] = body;
            out.jacobian[i] = [f64::from(part.linear.x), f64::from(part.linear.y), f64::from(part.angular)];
        }
        out
    }

    /// Along a direction from a to b, at these arms.
    pub(super) fn from_contact(bodies: [u32; 2], along: Vec2, arms: [Vec2; 2], home: Home) -> SystemRow {
        let mut row = SystemRow::new(home);
        (row.bodies[0], row.bodies[1]) = (bodies[0], bodies[1]);
        for (i, sign) in [(0, -1.0), (1, 1.0)] {
            let turn = f64::from(arms[i].x) * f64::from(along.y) - f64::from(arms[i].y) * f64::from(along.x);
            row.jacobian[i] = [sign * f64::from(along.x), sign * f64::from(along.y), sign * turn];
        }
        row
    }
}

pub(super) fn dot(a: &Motion, b: &Motion) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn weighted(a: &Motion, mass: &Motion, b: &Motion) -> f64 {
    a[0] * mass[0] * b[0] + a[1] * mass[1] * b[1] + a[2] * mass[2] * b[2]
}
