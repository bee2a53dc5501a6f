//! What `stage/restitution.rs` works with: the queue of blocks that may rebound, the contacts in them that do, the paths of
//! their bodies up to the impact, and what an impulse does to each of them.

pub(crate) mod candidates;
pub(crate) mod end;
pub(crate) mod flight;
pub(crate) mod landed;
pub(crate) mod passing;
pub(crate) mod queue;
