//! The protocol by which every engine is timed, and what is noted beside the time.

use carom_scenes::measure;
use carom2d::{ContactRef, World};
use serde::Serialize;
use std::time::{Duration, Instant};

/// Which time counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The time that passes.
    #[default]
    Wall,
    /// The time that the process computes, whoever else wants the processor meanwhile. For one thread only:
    /// two threads that share the work compute as long as one.
    Cpu,
}

impl Clock {
    /// Time since some moment.
    fn now(self) -> Moment {
        match self {
            Clock::Wall => Moment::Wall(Instant::now()),
            Clock::Cpu => Moment::Cpu(computed()),
        }
    }

    /// How many milliseconds some work takes.
    pub(crate) fn time(self, work: impl FnOnce()) -> f64 {
        let start = self.now();
        work();
        start.elapsed().as_secs_f64() * 1.0e3
    }
}

#[derive(Clone, Copy)]
enum Moment {
    Wall(Instant),
    Cpu(Duration),
}

impl Moment {
    fn elapsed(self) -> Duration {
        match self {
            Moment::Wall(start) => start.elapsed(),
            Moment::Cpu(start) => computed().saturating_sub(start),
        }
    }
}

/// How long this process has been computing, all threads together.
#[cfg(unix)]
fn computed() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Where nobody tells how long a process has been computing, time that passes is the next best.
#[cfg(not(unix))]
fn computed() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    START.get_or_init(Instant::now).elapsed()
}

/// What an engine has in its world, and what it is doing with it, after the last step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Work {
    /// Bodies of every kind.
    pub bodies: usize,
    /// Shapes. Engines differ in whether a chain is one or many.
    pub shapes: usize,
    /// Joints.
    pub joints: usize,
    /// Pairs of shapes that are near each other, as the engine counts them.
    pub contacts: usize,
    /// Bodies that neither sleep nor are fixed.
    pub awake: usize,
    /// Pairs of shapes with contact points, those that are about to touch included.
    pub touching: usize,
    /// The deepest overlap of two shapes in metres, by the engine's own contact points.
    pub deepest_m: f32,
    /// The mean overlap in metres of all contact points that do overlap.
    pub mean_overlap_m: f32,
    /// The speed of the fastest dynamic body in m/s.
    pub fastest_m_s: f32,
}

impl Work {
    /// What a world of carom is doing.
    pub fn of(world: &World) -> Work {
        let solid = world.contacts().filter(|contact| !contact.is_sensor());
        let mut overlap = MeanOverlap::default();
        solid.flat_map(|contact| contact.points()).for_each(|point| overlap.add(point.separation));
        let has_points = |contact: &ContactRef| !contact.is_sensor() && contact.points().next().is_some();
        Work {
            bodies: world.body_count(),
            shapes: world.shape_count(),
            joints: world.joint_count(),
            contacts: world.contact_count(),
            awake: world.awake_body_count(),
            touching: world.contacts().filter(has_points).count(),
            deepest_m: measure::deepest_penetration(world),
            mean_overlap_m: overlap.get(),
            fastest_m_s: measure::top_speed(world),
        }
    }
}

/// The mean overlap of points that do overlap.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeanOverlap {
    sum: f64,
    count: u32,
}

impl MeanOverlap {
    pub(crate) fn add(&mut self, separation: f32) {
        if separation < 0.0 {
            self.sum -= f64::from(separation);
            self.count += 1;
        }
    }

    /// 0 where nothing overlaps.
    pub(crate) fn get(self) -> f32 {
        (self.sum / f64::from(self.count.max(1))) as f32
    }
}

/// A time, and the work that took it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed {
    /// Milliseconds per step.
    pub(crate) ms: f64,
    pub(crate) work: Work,
}

impl Timed {
    /// The faster of two repeats. The work is the same in both.
    pub(crate) fn or_faster(self, other: Timed) -> Timed {
        if other.ms < self.ms { other } else { self }
    }
}

/// One repeat: makes the first of `steps` steps, then times all others.
pub(crate) fn time_steps(clock: Clock, steps: u32, mut step: impl FnMut()) -> f64 {
    step();
    clock.time(|| (1..steps).for_each(|_| step())) / f64::from(steps.saturating_sub(1).max(1))
}
