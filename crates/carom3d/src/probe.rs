//! What a pass over all contacts reads of the movers: a few numbers, close together in memory.
//!
//! A crowd of ten thousand spheres has eighty thousand contacts, and the movers are too large to stay in a processor's
//! cache while two of them are looked up for each. Their probes stay there, and answer for nearly all contacts that
//! the two cannot meet in this step.

use crate::body::{Mover, NONE};
use crate::contact::Link;
use crate::math::{DVec3, max};
use crate::world::World;
use carom_threads::Crew;

/// Fewer movers than this are not worth another thread.
const LEAST_SHARED: usize = 256;

/// Where a mover can get in this step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Probe {
    position: DVec3,
    /// Radius and length of the path, and how far away something may be to rest on it.
    reach: f64,
    is_active: bool,
    /// A copy of [`Mover::is_pressed`].
    pub(crate) is_pressed: bool,
    pub(crate) is_kinematic: bool,
}

impl Probe {
    fn of(mover: &Mover, step_length_s: f64) -> Probe {
        // A rest speed is never larger than this: see `World::find_rest_speed`.
        let rest_speed = max(mover.rest_speed, (mover.end.velocity - mover.state.velocity).length());
        Probe {
            position: mover.state.position,
            reach: 1.000_001 * (mover.radius + mover.reach + rest_speed * step_length_s),
            is_active: mover.is_active(),
            is_pressed: mover.is_pressed,
            is_kinematic: mover.is_kinematic(),
        }
    }
}

impl World {
    /// Brings the probes of the awake up to date, and of the others as far as there are any.
    pub(crate) fn fill_probes(&mut self, crew: &Crew<'_>) {
        let World { movers, probes, step_length_s, .. } = self;
        let (movers, step_length_s) = (&*movers, *step_length_s);
        probes.resize(movers.slot_count(), Probe::default());
        let grain = crew.grain(probes.len(), LEAST_SHARED);
        crew.for_chunks(probes, grain, |first, probes| {
            for (i, probe) in probes.iter_mut().enumerate() {
                let mover = movers.get_at((first + i) as u32);
                *probe = mover.map_or(Probe::default(), |mover| Probe::of(mover, step_length_s));
            }
        });
    }

    /// Brings the probe of one mover up to date.
    pub(crate) fn fill_probe(&mut self, mover: u32) {
        self.probes[mover as usize] = Probe::of(&self.movers[mover], self.step_length_s);
    }

    /// Whether there is such a contact and one of its bodies may move.
    #[inline]
    pub(crate) fn is_link_active(&self, link: &Link) -> bool {
        if link.mover_a == NONE {
            return false;
        }
        let is_active = |mover: u32| self.probes.get(mover as usize).is_some_and(|probe| probe.is_active);
        is_active(link.mover_a) || is_active(link.mover_b)
    }

    /// Whether two movers are too far apart to meet or to rest on each other in this step. False says nothing.
    #[inline]
    pub(crate) fn is_link_long(&self, link: &Link) -> bool {
        let Some(b) = self.probes.get(link.mover_b as usize) else { return false };
        let a = &self.probes[link.mover_a as usize];
        let near = a.reach + b.reach + self.def.restitution_speed * self.step_length_s;
        (a.position - b.position).length_squared() > near * near
    }
}
