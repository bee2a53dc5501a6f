//! Hinges, ropes, springs and motors, and what is built of them.

pub(crate) mod bridge;
pub(crate) mod car;
pub(crate) mod chain_and_bob;
pub(crate) mod double_pendulum;
pub(crate) mod footbridge;
pub(crate) mod newtons_cradle;
pub(crate) mod pinball;
pub(crate) mod pulley_and_gears;
pub(crate) mod ragdolls;
pub(crate) mod slider_crank;
pub(crate) mod windmill;

use crate::script::Unmet;
use carom2d::JointRef;
use carom2d::prelude::*;

/// A joint of the scene, unless the user removed it or one of its bodies.
fn find_joint(world: &World, id: JointId) -> Result<JointRef<'_>, Unmet> {
    world.get_joint(id).ok_or_else(|| Unmet { reason: format!("{id:?} is no longer in the world") })
}

/// The same shape, in the way of nothing.
fn ghost(shape: ShapeDef) -> ShapeDef {
    ShapeDef { filter: Filter { mask: 0, ..Filter::default() }, ..shape }
}
