//! Grading a trajectory against this implementation, step by step.
//!
//! Each step starts from the *file's* previous frame, so that errors neither add up nor grow by chaos: the question is
//! whether every single step is right. Frame 0 is taken as it is.
//!
//! Per particle |dx| and |dv| are taken; their sums over all particles and steps must stay below 1e-6 each, their
//! maxima below 1e-10 each. Collisions are matched by kind and indices, in that order of the pair, whatever their
//! order in the list and however often they are named; of several with the same name the first counts. A missing one,
//! one too many, or one whose n is off by more than 1e-9 fails the run.

use crate::collide::{Contact, ContactKind};
use crate::scene::Scene;
use crate::system::ParticleSystem;
use crate::text::short_number;
use crate::trajectory::{Frame, FrameReader, TrajectoryError};
use glam::DVec2;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read, Write};

/// Sums of residuals must be less.
pub const MAX_ACCUMULATED: f64 = 1e-6;
/// The largest residuals must be less.
pub const MAX_SINGLE: f64 = 1e-10;
/// An n that is further off is wrong, in m.
pub const MAX_NORMAL_ERROR: f64 = 1e-9;
/// A particle with a larger residual in a step is marked in pictures.
pub const MARK_RESIDUAL: f64 = 1e-9;

/// How far a trajectory is off: sum and maximum of |dx| and |dv| over particles and steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residuals {
    /// Sum of |dx| in m.
    pub accumulated_x: f64,
    /// Sum of |dv| in m/s.
    pub accumulated_v: f64,
    /// Largest |dx| in m.
    pub max_x: f64,
    /// Largest |dv| in m/s.
    pub max_v: f64,
}

impl Residuals {
    /// What each is called, its value and whether it passes.
    pub fn lines(&self) -> [(&'static str, f64, bool); 4] {
        // Not a number passes nothing.
        [
            ("Accumulated position residual", self.accumulated_x, self.accumulated_x < MAX_ACCUMULATED),
            ("Accumulated velocity residual", self.accumulated_v, self.accumulated_v < MAX_ACCUMULATED),
            ("Maximum position residual", self.max_x, self.max_x < MAX_SINGLE),
            ("Maximum velocity residual", self.max_v, self.max_v < MAX_SINGLE),
        ]
    }

    /// Takes in those of another part of the trajectory.
    fn add(&mut self, other: &Residuals) {
        self.accumulated_x += other.accumulated_x;
        self.accumulated_v += other.accumulated_v;
        raise(&mut self.max_x, other.max_x);
        raise(&mut self.max_v, other.max_v);
    }
}

/// Something wrong with the collisions of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CollisionError {
    /// The file does not have it.
    Missed(Contact),
    /// The file has it and should not.
    Superfluous(Contact),
    /// The file has it with another n.
    WrongNormal {
        /// As the file has it.
        found: Contact,
        /// As it should be.
        expected: Contact,
    },
}

impl fmt::Display for CollisionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CollisionError::Missed(contact) => write!(f, "Missed collision: {}", Named(contact)),
            CollisionError::Superfluous(contact) => write!(f, "Superfluous collision: {}", Named(contact)),
            CollisionError::WrongNormal { found, expected } => {
                let expected = expected.n;
                let (x, y) = (short_number(expected.x), short_number(expected.y));
                write!(f, "Collision with wrong normal: {} should be {x} {y}", Named(found))
            }
        }
    }
}

struct Named<'a>(&'a Contact);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Contact { kind, particle, other, n, .. } = self.0;
        let kind = match kind {
            ContactKind::Particle => "Particle",
            ContactKind::Edge => "Edge",
            ContactKind::HalfPlane => "Halfplane",
        };
        let (x, y) = (short_number(n.x), short_number(n.y));
        write!(f, "Particle {particle} - {kind} {other} with normal = {x} {y}")
    }
}

/// What is wrong with one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// The step, from 1.
    pub step: u64,
    /// Missed and wrong collisions in the order of the pairs, then superfluous ones.
    pub collision_errors: Vec<CollisionError>,
    /// Indices of the particles that are off by more than [`MARK_RESIDUAL`].
    pub marked_particles: Vec<usize>,
    /// Residuals of this step alone.
    pub residuals: Residuals,
}

impl StepReport {
    /// Whether all collisions are right and no particle is marked.
    pub fn is_clean(&self) -> bool {
        self.collision_errors.is_empty() && self.marked_particles.is_empty()
    }
}

/// The result of a comparison.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// How many steps were compared.
    pub steps: u64,
    /// The steps with wrong collisions or marked particles, in the order in which they were added.
    pub bad_steps: Vec<StepReport>,
    /// Residuals of the whole run.
    pub residuals: Residuals,
    /// Whether the file goes on after the last frame. Of no consequence.
    pub has_trailing_bytes: bool,
}

impl Report {
    /// Takes in one more step.
    pub fn add(&mut self, step: StepReport) {
        self.steps += 1;
        self.residuals.add(&step.residuals);
        if !step.is_clean() {
            self.bad_steps.push(step);
        }
    }

    /// Whether all collisions are right.
    pub fn collisions_passed(&self) -> bool {
        self.bad_steps.iter().all(|step| step.collision_errors.is_empty())
    }

    /// The verdict.
    pub fn passed(&self) -> bool {
        self.collisions_passed() && self.residuals.lines().iter().all(|&(_, _, passed)| passed)
    }

    /// How many collisions were missed, superfluous, and had a wrong normal.
    pub fn collision_error_counts(&self) -> [usize; 3] {
        let mut counts = [0; 3];
        for error in self.bad_steps.iter().flat_map(|step| &step.collision_errors) {
            match error {
                CollisionError::Missed(_) => counts[0] += 1,
                CollisionError::Superfluous(_) => counts[1] += 1,
                CollisionError::WrongNormal { .. } => counts[2] += 1,
            }
        }
        counts
    }

    /// Writes the four lines of the original's `residual.txt`: whether each residual passes, and its value.
    pub fn write_residuals(&self, out: &mut impl Write) -> io::Result<()> {
        for (_, value, passed) in self.residuals.lines() {
            writeln!(out, "{}   {}", u8::from(passed), short_number(value))?;
        }
        Ok(())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = |passed| if passed { "Passed." } else { "Failed." };
        for step in self.bad_steps.iter().filter(|step| !step.collision_errors.is_empty()) {
            writeln!(f, "Collision Detection Error: step {}", step.step)?;
            for error in &step.collision_errors {
                writeln!(f, "  {error}")?;
            }
        }
        for (name, value, passed) in self.residuals.lines() {
            writeln!(f, "{name}: {}   {}", short_number(value), verdict(passed))?;
        }
        writeln!(f, "Collisions Passed: {}", if self.collisions_passed() { "Yes." } else { "No." })?;
        write!(f, "Overall success: {}", verdict(self.passed()))
    }
}

/// Grades a trajectory of a scene. Input is read in small pieces: files want a buffer.
pub fn compare(scene: &Scene, input: impl Read) -> Result<Report, TrajectoryError> {
    compare_with(scene, input, |_, _| {})
}

/// Grades a trajectory and shows each of the file's frames after the first, with what is wrong with it, as it goes.
pub fn compare_with(
    scene: &Scene,
    input: impl Read,
    mut each: impl FnMut(&Frame, &StepReport),
) -> Result<Report, TrajectoryError> {
    let mut reader = FrameReader::new(scene, input);
    let mut grader = Grader::new(scene);
    let (mut before, mut after) = (Frame::default(), Frame::default());
    reader.read(&mut after)?;
    let mut report = Report::default();
    for step in 1..=scene.steps() {
        std::mem::swap(&mut before, &mut after);
        reader.read(&mut after)?;
        let step = grader.grade(step, &before, &after);
        each(&after, &step);
        report.add(step);
    }
    report.has_trailing_bytes = reader.has_more();
    Ok(report)
}

/// Grades single steps of a trajectory, in any order.
#[derive(Clone, Debug)]
pub struct Grader {
    system: ParticleSystem,
    dt: f64,
}

impl Grader {
    /// For trajectories of a scene.
    pub fn new(scene: &Scene) -> Grader {
        Grader { system: scene.system.clone(), dt: scene.dt }
    }

    /// Makes a step from the frame before it and says in what the frame after it differs.
    ///
    /// Panics unless both frames are of this scene: with a position and a velocity for each particle.
    #[track_caller]
    pub fn grade(&mut self, step: u64, before: &Frame, after: &Frame) -> StepReport {
        let system = &mut self.system;
        system.set_state(&before.positions, &before.velocities);
        system.step(self.dt);
        let mut report = StepReport {
            step,
            collision_errors: compare_contacts(&after.contacts, system.contacts()),
            ..StepReport::default()
        };
        for i in 0..system.particle_count() {
            let dx = (after.positions[i] - system.positions()[i]).length();
            let dv = (after.velocities[i] - system.velocities()[i]).length();
            report.residuals.add(&Residuals { accumulated_x: dx, accumulated_v: dv, max_x: dx, max_v: dv });
            if !(dx <= MARK_RESIDUAL && dv <= MARK_RESIDUAL) {
                report.marked_particles.push(i);
            }
        }
        report
    }
}

/// Keeps the larger one; not a number is larger than all.
fn raise(max: &mut f64, value: f64) {
    if value > *max || value.is_nan() {
        *max = value;
    }
}

/// Matches the collisions of a step.
pub fn compare_contacts(found: &[Contact], expected: &[Contact]) -> Vec<CollisionError> {
    let by_key = |contacts: &[Contact]| {
        let mut map: BTreeMap<(ContactKind, usize, usize), Contact> = BTreeMap::new();
        for contact in contacts {
            map.entry((contact.kind, contact.particle, contact.other)).or_insert(*contact);
        }
        map
    };
    let (found, expected) = (by_key(found), by_key(expected));
    let off = |a: DVec2, b: DVec2| (a - b).length() > MAX_NORMAL_ERROR;
    let mut errors = Vec::new();
    for (key, &expected) in &expected {
        match found.get(key) {
            None => errors.push(CollisionError::Missed(expected)),
            Some(&found) if off(found.n, expected.n) => errors.push(CollisionError::WrongNormal { found, expected }),
            Some(_) => {}
        }
    }
    let superfluous = found.iter().filter(|(key, _)| !expected.contains_key(key));
    errors.extend(superfluous.map(|(_, &contact)| CollisionError::Superfluous(contact)));
    errors
}
