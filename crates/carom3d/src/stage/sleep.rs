//! Sleep: what is at rest falls asleep, together with all that it touches or that springs join it to.

use crate::body::{Activity, Mover, NONE};
use crate::math::DVec3;
use crate::world::World;
use carom_threads::Crew;

pub(crate) fn let_sleep(world: &mut World, crew: &Crew<'_>) {
    if !world.def.sleeping {
        return;
    }
    let (limit, dt, delay) = (world.def.sleep_speed, world.step_length_s, world.def.sleep_delay_s);
    world.for_awake(crew, |mover| mover.update_sleep_time(limit, dt));
    if world.awake.iter().any(|&mover| world.movers[mover].sleep_time_s >= delay) {
        world.put_groups_to_sleep();
    }
}

impl Mover {
    /// Counts how long it has been slower than a limit.
    fn update_sleep_time(&mut self, limit: f64, dt: f64) {
        let surface_speed = self.state.velocity.length() + self.state.angular_velocity.length() * self.radius;
        let is_slow = self.can_sleep && surface_speed <= limit;
        self.sleep_time_s = if is_slow { self.sleep_time_s + dt } else { 0.0 };
    }
}

impl World {
    /// Groups awake movers that touch or are joined, and puts those groups to sleep in which all are sleep candidates.
    fn put_groups_to_sleep(&mut self) {
        let mut groups = std::mem::take(&mut self.scratch.groups);
        let mut is_restless = std::mem::take(&mut self.scratch.restless);
        let mut members = std::mem::take(&mut self.scratch.sleepers);
        groups.clear(self.movers.slot_count());
        for &index in &self.resting {
            // Those of bodies that were frozen in this step are gone.
            let Some(contact) = self.contacts.get_at(index).filter(|contact| contact.is_resting) else { continue };
            if contact.mover_b != NONE {
                let (a, b) = (&self.movers[contact.mover_a], &self.movers[contact.mover_b]);
                if !a.is_kinematic() && !b.is_kinematic() {
                    groups.join(contact.mover_a, contact.mover_b);
                }
            }
        }
        for cluster in &self.clusters {
            for pair in cluster.members.windows(2) {
                groups.join(pair[0], pair[1]);
            }
        }
        is_restless.clear();
        is_restless.resize(self.movers.slot_count(), false);
        for &mover in &self.awake {
            if self.movers[mover].sleep_time_s < self.def.sleep_delay_s {
                is_restless[groups.root(mover) as usize] = true;
            }
        }
        members.clear();
        for &mover in &self.awake {
            let root = groups.root(mover);
            if !is_restless[root as usize] {
                members.push((root, mover));
            }
        }
        members.sort_unstable();
        for group in members.chunk_by(|a, b| a.0 == b.0) {
            let movers: Vec<u32> = group.iter().map(|&(_, mover)| mover).collect();
            self.put_to_sleep(movers);
        }
        let movers = &self.movers;
        self.awake.retain(|&mover| movers[mover].is_awake());
        (self.scratch.groups, self.scratch.restless, self.scratch.sleepers) = (groups, is_restless, members);
    }

    /// Puts movers to sleep as one group, but leaves them on the list of the awake.
    fn put_to_sleep(&mut self, movers: Vec<u32>) {
        let group = self.free_groups.pop().unwrap_or(self.sleeping.len() as u32);
        if group as usize == self.sleeping.len() {
            self.sleeping.push(Vec::new());
        }
        for &mover in &movers {
            let record = &mut self.movers[mover];
            record.activity = Activity::Asleep { group };
            record.state.velocity = DVec3::ZERO;
            record.state.angular_velocity = DVec3::ZERO;
            record.end = record.state;
            self.log.body_slept.extend(self.bodies.id_at(record.body));
        }
        self.sleeping[group as usize] = movers;
    }

    /// Wakes a mover with its group, between steps, and resets its sleep time.
    pub(crate) fn wake(&mut self, mover: u32) {
        match self.movers[mover].activity {
            Activity::Asleep { group } => {
                self.wake_group(group, 0.0);
            }
            Activity::Awake => self.movers[mover].sleep_time_s = 0.0,
            Activity::Frozen => {}
        }
    }

    pub(crate) fn wake_body(&mut self, body: u32) {
        let mover = self.bodies[body].mover;
        if mover != NONE {
            self.wake(mover);
        }
    }

    pub(crate) fn wake_all(&mut self) {
        for group in 0..self.sleeping.len() {
            self.wake_group(group as u32, 0.0);
        }
        for i in 0..self.awake.len() {
            let mover = self.awake[i];
            self.movers[mover].sleep_time_s = 0.0;
        }
    }

    /// Wakes a group at a time of the step, and returns its members.
    pub(crate) fn wake_group(&mut self, group: u32, time_s: f64) -> Vec<u32> {
        let members = std::mem::take(&mut self.sleeping[group as usize]);
        if !members.is_empty() {
            self.free_groups.push(group);
        }
        for &member in &members {
            let record = &mut self.movers[member];
            record.activity = Activity::Awake;
            record.clock_s = time_s;
            record.sleep_time_s = 0.0;
            self.log.body_woke.extend(self.bodies.id_at(record.body));
        }
        self.awake.extend_from_slice(&members);
        for &member in &members {
            self.update_rest_speeds(member);
        }
        members
    }
}
