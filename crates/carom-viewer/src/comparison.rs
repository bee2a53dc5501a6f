//! What is wrong with a trajectory, step by step.
//!
//! The grade of a step depends on the two frames around it and on nothing else. So the step that is shown is graded
//! whenever it is shown, wherever the user jumps to, and the verdict on all steps grows beside it, a little in every
//! frame.

use carom_particles::{Grader, Report, StepReport, Trajectory};
use carom_render::Marks;
use carom_scenes::ParticleRun;
use std::sync::Arc;
use std::time::Duration;
use web_time::Instant;

/// How long a frame may be busy with steps that are not shown.
const GRADING_BUDGET: Duration = Duration::from_millis(8);

/// A trajectory that is shown, and its grade.
pub(crate) struct Comparison {
    name: String,
    /// The scene at its start, as it is without the trajectory.
    scene: ParticleRun,
    trajectory: Arc<Trajectory>,
    grader: Grader,
    /// Of the first steps; in the end, of all.
    report: Report,
    /// Of the step that is shown.
    shown: StepReport,
}

impl Comparison {
    /// `scene` is at its start, and the trajectory was read for it.
    pub(crate) fn new(name: String, scene: ParticleRun, trajectory: Trajectory) -> Comparison {
        let grader = Grader::new(&scene.scene);
        let report = Report { has_trailing_bytes: trajectory.has_trailing_bytes(), ..Report::default() };
        let trajectory = Arc::new(trajectory);
        Comparison { name, scene, trajectory, grader, report, shown: StepReport::default() }
    }

    /// The name of the trajectory.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The scene at its start, as it is without the trajectory.
    pub(crate) fn scene(&self) -> &ParticleRun {
        &self.scene
    }

    /// The scene at its start, along the trajectory.
    pub(crate) fn run(&self) -> ParticleRun {
        self.scene.clone().along(self.trajectory.clone())
    }

    /// Grades the step that is shown, and goes on with the others for a moment.
    pub(crate) fn go_on(&mut self, shown: u32) {
        let start = Instant::now();
        let shown = u64::from(shown);
        if shown != self.shown.step {
            // Nothing can be wrong with the start.
            self.shown = self.trajectory.grade(&mut self.grader, shown).unwrap_or_default();
        }
        while start.elapsed() < GRADING_BUDGET {
            let Some(step) = self.trajectory.grade(&mut self.grader, self.report.steps + 1) else { break };
            self.report.add(step);
        }
    }

    /// How many steps there are.
    pub(crate) fn steps(&self) -> u64 {
        self.trajectory.steps()
    }

    /// Are all steps graded?
    pub(crate) fn is_over(&self) -> bool {
        self.report.steps >= self.steps()
    }

    /// On the steps that are graded: see [`Comparison::is_over`].
    pub(crate) fn report(&self) -> &Report {
        &self.report
    }

    /// On the step that is shown.
    pub(crate) fn shown(&self) -> &StepReport {
        &self.shown
    }

    /// What to draw over the step that is shown, and how solid. While time passes, marks of the last half second fade
    /// away: those of a single step would hardly be seen.
    pub(crate) fn marks(&self, time_passes: bool) -> Vec<(Marks, f32)> {
        let shown = self.shown.step;
        let opacity = |step: u64| Marks::opacity((shown - step) as f64 * self.scene.scene.dt);
        let mut marks = Vec::new();
        if time_passes {
            let bad = &self.report.bad_steps;
            let past = bad[..bad.partition_point(|step| step.step < shown)].iter().rev();
            marks.extend(past.map(|step| (step, opacity(step.step))).take_while(|(_, opacity)| *opacity > 0.0));
            marks.reverse();
        }
        marks.push((&self.shown, 1.0));
        marks.into_iter().filter_map(|(step, opacity)| Some((self.marks_of(step)?, opacity))).collect()
    }

    fn marks_of(&self, step: &StepReport) -> Option<Marks> {
        let frame = self.trajectory.frame(step.step)?;
        Some(Marks::at(&frame.positions, self.scene.scene.system.radii(), step))
    }
}
