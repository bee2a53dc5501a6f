//! Thousands of bodies, for measuring speed.
//!
//! These are the benchmark scenes of Box2D 3, rebuilt number by number so that engines can be
//! compared: 1/60 s, gravity 10, friction 0.6, no events unless a scene says so. The first step is
//! left out of the measurement; what a script does before a step is part of it.

pub(crate) mod compounds;
pub(crate) mod joint_grid;
pub(crate) mod junkyard;
pub(crate) mod large_pyramid;
pub(crate) mod many_pyramids;
pub(crate) mod rain;
pub(crate) mod smash;
pub(crate) mod spinner;
pub(crate) mod tumbler;
pub(crate) mod washer;

use carom2d::prelude::*;

/// The same shape without contact events, which the measured scenes leave off.
fn quiet(shape: ShapeDef) -> ShapeDef {
    ShapeDef { contact_events: false, ..shape }
}

/// Attaches a rectangle of these half extents about `center`.
fn attach_box(world: &mut World, body: BodyId, center: Vec2, half: Vec2) -> Result<(), DefError> {
    let shape = ShapeDef { position: center, ..quiet(ShapeDef::rectangle(2.0 * half.x, 2.0 * half.y)) };
    world.add_shape(body, shape)?;
    Ok(())
}

/// A fixed floor and two walls of unit boxes that overlap a little: `half_width` to either side,
/// `height` up.
fn trough(world: &mut World, body: BodyId, half_width: i16, height: i16) -> Result<(), DefError> {
    for x in -half_width..=half_width {
        attach_box(world, body, vec2(x.into(), 0.0), vec2(0.55, 0.5))?;
    }
    for x in [-half_width, half_width] {
        for y in 1..=height {
            attach_box(world, body, vec2(x.into(), y.into()), vec2(0.5, 0.55))?;
        }
    }
    Ok(())
}
