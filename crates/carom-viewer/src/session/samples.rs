//! Energy, momentum and times of every step, for plots and tables.

use carom_scenes::{Run, measure};
use carom2d::{BodyKind, World};
use std::collections::VecDeque;

/// How many steps are kept: ten minutes at 60 steps per second.
const MOST: usize = 36_000;

/// What is known of one step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sample {
    /// How many steps had been made.
    pub(crate) step: u32,
    /// Simulated time in s.
    pub(crate) time: f64,
    /// Kinetic energy in J.
    pub(crate) kinetic: f64,
    /// Potential energy in J; of gravity, measured from y = 0, for rigid bodies.
    pub(crate) potential: f64,
    /// Momentum along x and y in N s.
    pub(crate) momentum: [f64; 2],
    /// Angular momentum about the origin, in kg m^2/s; in space, about the z axis.
    pub(crate) spin: f64,
    /// Contacts that touch.
    pub(crate) contacts: u32,
    /// Bodies that are awake.
    pub(crate) awake: u32,
    /// What the step took on this machine, in ms.
    pub(crate) step_ms: f32,
    /// What its stages took, in ms, in the order of [`carom2d::Stage`].
    pub(crate) stage_ms: [f32; STAGES],
}

/// How many stages a step of rigid bodies has.
pub(crate) const STAGES: usize = carom2d::Stage::ALL.len();

/// The samples of a run.
#[derive(Debug)]
pub(crate) struct Samples {
    list: VecDeque<Sample>,
    /// Stage times of all steps so far, to tell those of the last.
    totals: [f64; STAGES],
}

impl Samples {
    pub(crate) fn new(run: &Run) -> Samples {
        let mut samples = Samples { list: VecDeque::new(), totals: [0.0; STAGES] };
        samples.record(run, 0.0);
        samples
    }

    /// All of them, oldest first.
    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &Sample> + ExactSizeIterator {
        self.list.iter()
    }

    /// The sample of a step, or the nearest before it.
    pub(crate) fn at(&self, step: u32) -> Option<&Sample> {
        let place = self.list.partition_point(|sample| sample.step <= step);
        self.list.get(place.checked_sub(1)?)
    }

    pub(crate) fn forget_after(&mut self, step: u32) {
        let keep = self.list.partition_point(|sample| sample.step <= step);
        self.list.truncate(keep);
    }

    /// Takes a sample of the present state.
    pub(crate) fn record(&mut self, run: &Run, seconds: f64) {
        let step = run.step_index();
        let mut sample = Sample { step, time: run.time(), step_ms: 1.0e3 * seconds as f32, ..Sample::default() };
        match run {
            Run::Rigid(rigid) => {
                self.stages(&rigid.world, &mut sample);
                rigid_body_sums(&rigid.world, &mut sample);
            }
            Run::Particles(particles) => {
                let system = &particles.scene.system;
                sample.kinetic = system.kinetic_energy();
                sample.potential = system.potential_energy();
                for ((x, v), m) in system.positions().iter().zip(system.velocities()).zip(system.masses()) {
                    sample.momentum[0] += m * v.x;
                    sample.momentum[1] += m * v.y;
                    sample.spin += m * (x.x * v.y - x.y * v.x);
                }
                sample.contacts = particles.contacts().len() as u32;
                sample.awake = system.particle_count() as u32;
            }
            Run::Solid(solid) => {
                let world = &solid.scene.world;
                sample.kinetic = world.kinetic_energy();
                sample.potential = world.potential_energy();
                let momentum = world.momentum();
                sample.momentum = [momentum.x, momentum.y];
                sample.spin = spin_about_z(world);
                sample.contacts = world.contact_count() as u32;
                sample.awake = world.awake_count() as u32;
            }
        }
        match self.list.back().map(|last| last.step) {
            Some(last) if last >= step => {
                let place = self.list.partition_point(|sample| sample.step < step);
                if let Some(known) = self.list.get_mut(place).filter(|known| known.step == step) {
                    // Played again: what it took is news, the rest is the same.
                    *known = sample;
                }
            }
            _ => {
                self.list.push_back(sample);
                if self.list.len() > MOST {
                    self.list.pop_front();
                }
            }
        }
    }

    fn stages(&mut self, world: &World, sample: &mut Sample) {
        for (i, (_, total)) in world.stage_times().enumerate().take(STAGES) {
            // The totals of a restored state are lower than those of the state before.
            sample.stage_ms[i] = (1.0e3 * (total - self.totals[i])).max(0.0) as f32;
            self.totals[i] = total;
        }
    }
}

/// Angular momentum about the z axis, in kg m^2/s.
fn spin_about_z(world: &carom3d::World) -> f64 {
    let bodies = world.bodies().map(|id| world.body(id)).filter(|body| body.kind() == carom3d::BodyKind::Dynamic);
    bodies
        .map(|body| {
            let (p, v) = (body.position(), body.velocity());
            body.mass() * (p.x * v.y - p.y * v.x) + body.spin().z
        })
        .sum()
}

fn rigid_body_sums(world: &World, sample: &mut Sample) {
    let gravity = world.gravity();
    for id in world.bodies() {
        let body = world.body(id);
        if body.kind() != BodyKind::Dynamic {
            continue;
        }
        let (mass, center, velocity) = (f64::from(body.mass()), body.center(), body.velocity());
        let (x, y) = (f64::from(center.x), f64::from(center.y));
        let (vx, vy) = (f64::from(velocity.x), f64::from(velocity.y));
        let scale = f64::from(body.gravity_scale());
        sample.kinetic += f64::from(body.kinetic_energy());
        sample.potential -= mass * scale * (f64::from(gravity.x) * x + f64::from(gravity.y) * y);
        sample.momentum[0] += mass * vx;
        sample.momentum[1] += mass * vy;
        sample.spin += mass * (x * vy - y * vx) + f64::from(body.inertia()) * f64::from(body.angular_velocity());
    }
    sample.contacts = measure::touching_contacts(world) as u32;
    sample.awake = world.awake_body_count() as u32;
}
