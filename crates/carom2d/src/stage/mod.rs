//! The stages of a step, one file each, in the order of [`Stage`].

mod arrive;
pub(crate) mod burdens;
pub(crate) mod close;
pub(crate) mod color;
pub(crate) mod contacts;
pub(crate) mod continuous;
pub(crate) mod direct;
pub(crate) mod events;
pub(crate) mod finalize;
pub(crate) mod foresee;
pub(crate) mod groups;
pub(crate) mod integrate;
pub(crate) mod islands;
pub(crate) mod joints;
pub(crate) mod kinematic;
pub(crate) mod pairs;
pub(crate) mod preload;
pub(crate) mod prepare;
pub(crate) mod recover;
pub(crate) mod restitution;
pub(crate) mod sensors;
pub(crate) mod sleep;
pub(crate) mod solve;
pub(crate) mod statics;
pub(crate) mod store_impulses;
pub(crate) mod turn;
pub(crate) mod warm_start;

pub(crate) use crate::context::StepContext;
use std::fmt;

/// The stages of a step, in order. Timers, profiles and overlays go by these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Broad phase: moved boxes give new pairs.
    Pairs,
    /// Narrow phase: manifolds of all awake contacts.
    Contacts,
    /// Wake what is touched; join and cut islands.
    Islands,
    /// Give each new constraint a colour that shares no moving body.
    Color,
    /// Masses, softness and cached impulses, in wide blocks by colour.
    Prepare,
    /// Forces and gravity change velocities.
    IntegrateVelocity,
    /// Impacts rebound.
    Restitution,
    /// Apply the impulses of the last sub-step again.
    WarmStart,
    /// Constraints with position feedback.
    Solve,
    /// Velocities change positions.
    IntegratePosition,
    /// Constraints without position feedback, and friction.
    Relax,
    /// All of it from the masses on, for small islands, group by group.
    Groups,
    /// Impulses go back to the contacts; touch and hit events.
    StoreImpulses,
    /// New poses and boxes.
    Finalize,
    /// Fast bodies back to where they met something.
    Continuous,
    /// Islands at rest fall asleep.
    Sleep,
    /// Overlaps with sensors.
    Sensors,
}

/// How many stages there are.
pub(crate) const STAGE_COUNT: usize = 17;

impl Stage {
    /// All stages, in order.
    pub const ALL: [Stage; STAGE_COUNT] = [
        Stage::Pairs,
        Stage::Contacts,
        Stage::Islands,
        Stage::Color,
        Stage::Prepare,
        Stage::IntegrateVelocity,
        Stage::Restitution,
        Stage::WarmStart,
        Stage::Solve,
        Stage::IntegratePosition,
        Stage::Relax,
        Stage::Groups,
        Stage::StoreImpulses,
        Stage::Finalize,
        Stage::Continuous,
        Stage::Sleep,
        Stage::Sensors,
    ];

    /// The stage's name, as in the documentation.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Pairs => "pairs",
            Stage::Contacts => "contacts",
            Stage::Islands => "islands",
            Stage::Color => "color",
            Stage::Prepare => "prepare",
            Stage::IntegrateVelocity => "integrate_velocity",
            Stage::WarmStart => "warm_start",
            Stage::Restitution => "restitution",
            Stage::Solve => "solve",
            Stage::IntegratePosition => "integrate_position",
            Stage::Relax => "relax",
            Stage::Groups => "groups",
            Stage::StoreImpulses => "store_impulses",
            Stage::Finalize => "finalize",
            Stage::Continuous => "continuous",
            Stage::Sleep => "sleep",
            Stage::Sensors => "sensors",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
