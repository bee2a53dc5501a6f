//! Where the sub-steps brought bodies, as many at a time as there are lanes: what `finalize.rs` writes to each of them.

use super::integrate::SpeedLimits;
use crate::body::{BodySim, BodyState};
use crate::math::{Rot, Vec2, max, vec2};
use crate::shape::MAX_COORDINATE;
use carom_wide::{LANES, Lanes, Task, Wide, each_part, gather_quad};

/// Where a body is after the step, and how far it came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arrival {
    pub(super) center: Vec2,
    pub(super) rotation: Rot,
    /// How far its points can still move before a shape may have left its fat box.
    pub(super) room: f32,
    /// Of the fastest of its points, or of how far it was moved, in m/s.
    pub(super) speed: f32,
    /// How far one of its points came at most, in metres.
    pub(super) motion: f32,
    /// How far the centre goes in a step as fast as it is, in metres.
    pub(super) way: f32,
}

impl Arrival {
    /// Nothing of a body whose numbers left their range.
    pub(super) fn of(sim: &BodySim, state: &BodyState, dt: f32) -> Option<Arrival> {
        let center = sim.center + state.delta_position;
        let in_range = center.x.abs() <= 2.0 * MAX_COORDINATE && center.y.abs() <= 2.0 * MAX_COORDINATE;
        if state.flags & BodyState::BROKEN != 0 || !state.is_finite() || !in_range {
            return None;
        }
        // At rest means slow, and also that the step did not move it: a body that is pushed out of
        // something has no speed but is not at rest.
        let Rot { c, s } = state.delta_rotation;
        let reach = (1.0 - c.abs()).abs() + s.abs();
        let shift = state.delta_position.length() + reach * sim.extent;
        let speed = max(state.velocity.length() + state.angular_velocity.abs() * sim.extent, 0.5 * shift / dt);
        Some(Arrival {
            center,
            rotation: state.delta_rotation.compose(sim.rotation).normalized(),
            room: sim.room - farthest_move(sim, state),
            speed,
            motion: max(speed * dt, shift),
            way: state.velocity.length() * dt,
        })
    }
}

/// How far the step moves the points of a body at most.
fn farthest_move(sim: &BodySim, state: &BodyState) -> f32 {
    let Rot { c, s } = state.delta_rotation;
    // How far the turn moves the end of a unit vector, and a little more.
    let turn = (1.0 - c).abs() + s.abs();
    state.delta_position.length() + turn * sim.extent + rounding(sim)
}

/// More than a box is off because positions and boxes are rounded.
pub(super) fn rounding(sim: &BodySim) -> f32 {
    1.0e-6 * (sim.center.x.abs() + sim.center.y.abs() + sim.extent)
}

/// The arrivals of some bodies, to the bit as [`Arrival::of`] has them.
pub(super) struct Arrivals {
    x: Wide,
    y: Wide,
    c: Wide,
    s: Wide,
    room: Wide,
    speed: Wide,
    motion: Wide,
    way: Wide,
    /// Those of which this is known, one bit each: bodies within all limits.
    known: u32,
}

impl Arrivals {
    pub(super) const NONE: Arrivals = Arrivals {
        x: Wide::ZERO,
        y: Wide::ZERO,
        c: Wide::ZERO,
        s: Wide::ZERO,
        room: Wide::ZERO,
        speed: Wide::ZERO,
        motion: Wide::ZERO,
        way: Wide::ZERO,
        known: 0,
    };

    /// The arrival of a body that has nothing unusual.
    #[inline]
    pub(super) fn get(&self, place: usize) -> Option<Arrival> {
        let of = |wide: &Wide| wide.0[place];
        (self.known >> place & 1 != 0).then(|| Arrival {
            center: vec2(of(&self.x), of(&self.y)),
            rotation: Rot { c: of(&self.c), s: of(&self.s) },
            room: of(&self.room),
            speed: of(&self.speed),
            motion: of(&self.motion),
            way: of(&self.way),
        })
    }
}

/// Finds out where bodies arrive, at most [`LANES`] of them and at least one.
pub(super) struct Arrive<'a> {
    pub(super) sims: &'a [BodySim],
    pub(super) states: &'a [BodyState],
    pub(super) limits: SpeedLimits,
    pub(super) dt: f32,
    pub(super) to: &'a mut Arrivals,
}

impl Task for Arrive<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Arrive { sims, states, limits, dt, to } = self;
        debug_assert!(!sims.is_empty() && sims.len() <= LANES && sims.len() == states.len());
        let last = sims.len() - 1;
        let (zero, one, dt) = (L::splat(0.0), L::splat(1.0), L::splat(dt));
        for first in each_part::<L>(sims.len()) {
            let sim = |lane: usize| &sims[last.min(first + lane)];
            let state = |lane: usize| &states[last.min(first + lane)];
            let [_, x, y, c] = gather_quad::<0, L, BodySim>(sim);
            let [s, ..] = gather_quad::<4, L, BodySim>(sim);
            let [extent, _, _, room] = gather_quad::<20, L, BodySim>(sim);
            let [velocity_x, velocity_y, spin, flags] = gather_quad::<0, L, BodyState>(state);
            let [moved_x, moved_y, turn_c, turn_s] = gather_quad::<4, L, BodyState>(state);
            let (new_x, new_y) = (x + moved_x, y + moved_y);
            let moved = (moved_x * moved_x + moved_y * moved_y).sqrt();
            let speed_squared = velocity_x * velocity_x + velocity_y * velocity_y;
            let (linear_speed, angular_speed) = (speed_squared.sqrt(), absolute(spin));

            let (new_c, new_s) = (turn_c * c - turn_s * s, turn_s * c + turn_c * s);
            let length = (new_c * new_c + new_s * new_s).sqrt();
            let inv = length.recip();
            let turn = absolute(one - turn_c) + absolute(turn_s);
            let off = L::splat(1.0e-6) * (absolute(x) + absolute(y) + extent);
            let reach = absolute(one - absolute(turn_c)) + absolute(turn_s);
            let shift = moved + reach * extent;
            let speed = (linear_speed + angular_speed * extent).max((L::splat(0.5) * shift).divided_by(dt));

            new_x.store(&mut to.x, first);
            new_y.store(&mut to.y, first);
            (new_c * inv).store(&mut to.c, first);
            (new_s * inv).store(&mut to.s, first);
            (room - (moved + turn * extent + off)).store(&mut to.room, first);
            speed.store(&mut to.speed, first);
            (speed * dt).max(shift).store(&mut to.motion, first);
            (linear_speed * dt).store(&mut to.way, first);

            let [most_squared, most_angular] = limits.squared_and_angular().map(L::splat);
            let is_slow = L::bits(L::both(most_squared.at_least(speed_squared), most_angular.at_least(angular_speed)));
            let is_movable = L::bits(flags.has_bits(BodyState::MOVABLE));
            let is_broken = L::bits(flags.has_bits(BodyState::BROKEN));
            // As `BodyState::is_finite`.
            let sum = (velocity_x + velocity_y + spin + moved_x + moved_y + turn_c + turn_s) * zero;
            let far = L::splat(2.0 * MAX_COORDINATE);
            let in_range = L::both(far.at_least(absolute(new_x)), far.at_least(absolute(new_y)));
            let is_number = L::both(sum.equals(zero), length.greater(zero));
            let known = L::bits(L::both(in_range, is_number)) & (is_slow | !is_movable) & !is_broken;
            to.known |= (known & ((1 << L::COUNT) - 1)) << first;
        }
    }
}

#[inline(always)]
fn absolute<L: Lanes>(x: L) -> L {
    x.max(-x)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prelude::*;
    use carom_core::Rng;
    use carom_wide::Width;

    /// Bodies in all ways of moving: what lanes find of one is to the bit what is found of it alone, at every width and of any
    /// number of bodies; and of those beyond a limit, of which alone is known what becomes of them, lanes know nothing.
    #[test]
    fn bodies_arrive_side_by_side_as_alone() {
        let mut world = World::new(WorldDef::default());
        let mut rng = Rng::new(5);
        for _ in 0..LANES {
            let size = vec2(rng.range(0.1, 2.0), rng.range(0.1, 2.0));
            let position = vec2(rng.range(-50.0, 50.0), rng.range(-50.0, 50.0));
            let body = world.add_body(BodyDef { position, angle: rng.range(-3.0, 3.0), ..BodyDef::dynamic() }).unwrap();
            world.add_shape(body, ShapeDef::rectangle(size.x, size.y)).unwrap();
        }
        world.step(1.0 / 60.0);
        let context = crate::stage::StepContext::new(
            &world.state.def,
            Width::best(),
            1.0 / 60.0,
            0.0,
            None,
            &carom_threads::Crew::ALONE,
        );
        let (limits, dt) = (SpeedLimits::of(&context), 1.0 / 60.0);
        let awake = world.state.sets.awake();
        let (mut known, mut unknown) = (0, 0);
        for round in 0..400 {
            let count = 1 + rng.below(LANES as u32) as usize;
            let (sims, mut states) = (&awake.sims[..count], awake.states[..count].to_vec());
            for state in &mut states {
                let fast = if rng.below(20) == 0 { 1.0e4 } else { 30.0 };
                state.velocity = vec2(rng.range(-fast, fast), rng.range(-fast, fast));
                state.angular_velocity = rng.range(-fast, fast);
                state.delta_position = state.velocity * dt;
                state.delta_rotation = Rot::IDENTITY.turned(state.angular_velocity * dt);
                match rng.below(60) {
                    0 => state.velocity.x = f32::NAN,
                    1 => state.delta_position.y = f32::INFINITY,
                    2 => state.flags |= BodyState::BROKEN,
                    3 => state.delta_position.x = 3.0 * MAX_COORDINATE,
                    4 => state.flags &= !BodyState::MOVABLE,
                    _ => {}
                }
            }
            for width in Width::all() {
                let mut arrivals = Arrivals::NONE;
                width.run(Arrive { sims, states: &states, limits, dt, to: &mut arrivals });
                for (place, (sim, state)) in sims.iter().zip(&states).enumerate() {
                    let mut held = *state;
                    limits.hold(&mut held);
                    let alone = Arrival::of(sim, &held, dt);
                    match arrivals.get(place) {
                        Some(arrival) => {
                            assert_eq!(Some(arrival), alone, "round {round}, {width}: {state:?}");
                            assert_eq!(held.velocity, state.velocity);
                            known += 1;
                        }
                        None => {
                            let is_slowed =
                                held.velocity != state.velocity || held.angular_velocity != state.angular_velocity;
                            assert!(alone.is_none() || is_slowed, "round {round}, {width}: {state:?}");
                            unknown += 1;
                        }
                    }
                }
            }
        }
        assert!(known > 5 * unknown && unknown > 100, "{known} known, {unknown} not");
    }
}
