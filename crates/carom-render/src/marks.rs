//! Marks on a trajectory that is being graded: what is wrong with a step, where it happened.

use crate::color::Rgba;
use crate::list::{DrawList, Stroke, Style};
use crate::view::View;
use carom_core::math::max;
use carom_particles::{CollisionError, Contact, ContactKind, StepReport};
use carom_scenes::ParticleRun;
use carom2d::math::{Vec2, vec2};
use glam::DVec2;
use std::collections::BTreeSet;

/// How long a mark stays while time passes, in seconds; one of a single step would hardly be seen.
const MARK_SECONDS: f64 = 0.5;

/// What is wrong with one step, as it is drawn: a red ring about each particle that is off; the shortest
/// vector n of each collision that was missed in green, of each superfluous one in red, and of each wrong
/// one in red beside the right one in green.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Marks {
    lines: Vec<Line>,
    rings: Vec<(Vec2, f32)>,
}

/// The n of a collision, from the particle's centre.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    from: Vec2,
    to: Vec2,
    verdict: Verdict,
    /// Where one that says otherwise about the same collision has its end there.
    other: Option<Vec2>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    /// As it should be.
    Right,
    /// As it should not be.
    Wrong,
}

impl Line {
    /// How far it is drawn from its place: two that end within a few pixels of each other would hide each other, and
    /// lie side by side. A pixel of a thin line is so many metres.
    fn aside(&self, pixel: f32) -> Vec2 {
        const NEAR: f32 = 4.0;
        const APART: f32 = 1.25;
        if self.other.is_none_or(|other| (other - self.to).length() > NEAR * pixel) {
            return Vec2::ZERO;
        }
        let along = self.to - self.from;
        // The same side whichever way the line is drawn.
        let is_forward = along.x > 0.0 || (along.x == 0.0 && along.y > 0.0);
        let sign = if (self.verdict == Verdict::Right) == is_forward { APART } else { -APART };
        along.perp().normalize_or_zero() * sign * pixel
    }
}

/// The particles of a collision between two that one side has and the other has not.
fn pair_of(error: &CollisionError) -> Option<[usize; 2]> {
    match error {
        CollisionError::Missed(contact) | CollisionError::Superfluous(contact) => {
            (contact.kind == ContactKind::Particle).then_some([contact.particle, contact.other])
        }
        CollisionError::WrongNormal { .. } => None,
    }
}

impl Marks {
    /// The marks of a step, at the places that the particles have in `run`: those of the graded trajectory
    /// after that step.
    pub fn of(run: &ParticleRun, report: &StepReport) -> Marks {
        let system = &run.scene.system;
        Marks::at(system.positions(), system.radii(), report)
    }

    /// The marks of a step, at the places that the particles had after it, in m.
    pub fn at(positions: &[DVec2], radii: &[f64], report: &StepReport) -> Marks {
        let center = |particle: usize| positions.get(particle).map(|p| vec2(p.x as f32, p.y as f32));
        let mut marks = Marks::default();
        // Two particles in the wrong order are missed one way and superfluous the other way round.
        let pairs: BTreeSet<[usize; 2]> = report.collision_errors.iter().filter_map(pair_of).collect();
        let turned = |contact: &Contact| {
            let Contact { kind, particle, other, .. } = *contact;
            let is_turned = kind == ContactKind::Particle && particle != other && pairs.contains(&[other, particle]);
            center(other).filter(|_| is_turned)
        };
        for error in &report.collision_errors {
            // A file may name particles that do not exist: there is no place for their marks.
            let tip = |from: Vec2, contact: &Contact| from + vec2(contact.n.x as f32, contact.n.y as f32);
            let mut mark = |contact: &Contact, verdict, other: Option<Vec2>| {
                if let Some(from) = center(contact.particle) {
                    marks.lines.push(Line { from, to: tip(from, contact), verdict, other });
                }
            };
            match error {
                CollisionError::Missed(expected) => mark(expected, Verdict::Right, turned(expected)),
                CollisionError::Superfluous(found) => mark(found, Verdict::Wrong, turned(found)),
                CollisionError::WrongNormal { found, expected } => {
                    let from = center(found.particle);
                    mark(found, Verdict::Wrong, from.map(|from| tip(from, expected)));
                    mark(expected, Verdict::Right, from.map(|from| tip(from, found)));
                }
            }
        }
        for &particle in &report.marked_particles {
            if let (Some(center), Some(&radius)) = (center(particle), radii.get(particle)) {
                marks.rings.push((center, 2.0 * radius as f32));
            }
        }
        marks
    }

    /// How solid marks are so many seconds after their step, from 1 to 0 where they are gone: they fade once half
    /// of their time is over.
    pub fn opacity(age_s: f64) -> f32 {
        (2.0 * (1.0 - age_s / MARK_SECONDS)).clamp(0.0, 1.0) as f32
    }

    /// Is there nothing to mark?
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.rings.is_empty()
    }

    /// Draws the marks over what is in the list, on a background of some colour, as solid as `opacity`
    /// from 0 to 1 says.
    pub fn draw(&self, list: &mut DrawList, view: &View, background: Rgba, opacity: f32) {
        // A rim in the colour of the background keeps lines apart from the particles they start in.
        let rim = background.with_opacity(0.85 * opacity);
        self.layer(list, view, 4.0, [rim, rim]);
        let is_light = background.brightness() > 0.5;
        let red = if is_light { Rgba::new(225, 0, 30) } else { Rgba::new(255, 80, 90) };
        let green = if is_light { Rgba::new(0, 170, 50) } else { Rgba::new(70, 235, 110) };
        self.layer(list, view, 1.75, [red.with_opacity(opacity), green.with_opacity(opacity)]);
    }

    /// All marks in lines of one width, in pixels, and two colours.
    fn layer(&self, list: &mut DrawList, view: &View, width: f32, [wrong, right]: [Rgba; 2]) {
        let scale = max(view.line_scale, 1.0);
        let stroke = |color| Stroke::solid(color, width * scale);
        for &(center, radius) in &self.rings {
            // A ring about next to nothing is still seen. Outlines lie within their circle: grow it by half.
            let radius = max(radius, 5.0 * scale * view.pixel()) + 0.5 * width * scale * view.pixel();
            list.circle(center, radius, Style::outlined(stroke(wrong)));
        }
        for line in &self.lines {
            let color = if line.verdict == Verdict::Right { right } else { wrong };
            let aside = line.aside(scale * view.pixel());
            list.line(line.from + aside, line.to + aside, stroke(color));
        }
    }
}

/// Draws what is wrong with one step over a picture of it; see [`Marks`]. `run` is at the graded state, and
/// the list has its background.
pub fn draw_marks(list: &mut DrawList, run: &ParticleRun, report: &StepReport, view: &View) {
    let background = list.background().unwrap_or(Rgba::WHITE);
    Marks::of(run, report).draw(list, view, background, 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::Item;
    use crate::view::Size;
    use carom_particles::{ParticleDef, ParticleSystem, Scene};
    use glam::dvec2;

    fn run() -> ParticleRun {
        let mut system = ParticleSystem::new();
        for x in [0.0, 3.0] {
            let def = ParticleDef { position: dvec2(x, 1.0), radius: 0.25, ..ParticleDef::default() };
            system.add_particle(def).unwrap();
        }
        ParticleRun::new("two", "stand", Scene::new(system, 0.01, 1.0))
    }

    fn contact(particle: usize, n: DVec2) -> Contact {
        Contact { kind: ContactKind::Particle, particle, other: 1, n, time: 0.0 }
    }

    #[test]
    fn each_error_has_its_mark() {
        let report = StepReport {
            step: 1,
            collision_errors: vec![
                CollisionError::Missed(contact(0, dvec2(1.0, 0.0))),
                CollisionError::WrongNormal {
                    found: contact(1, dvec2(0.0, 2.0)),
                    expected: contact(1, dvec2(0.0, 1.0)),
                },
                CollisionError::Superfluous(contact(1, dvec2(-1.0, 0.0))),
                CollisionError::Superfluous(contact(77, dvec2(-1.0, 0.0))),
            ],
            marked_particles: vec![1, 99],
            ..StepReport::default()
        };
        let marks = Marks::of(&run(), &report);
        let line = |from, to, verdict| Line { from, to, verdict, other: None };
        let pair = |from, to, verdict, other| Line { other: Some(other), ..line(from, to, verdict) };
        assert_eq!(
            marks.lines,
            [
                line(vec2(0.0, 1.0), vec2(1.0, 1.0), Verdict::Right),
                pair(vec2(3.0, 1.0), vec2(3.0, 3.0), Verdict::Wrong, vec2(3.0, 2.0)),
                pair(vec2(3.0, 1.0), vec2(3.0, 2.0), Verdict::Right, vec2(3.0, 3.0)),
                line(vec2(3.0, 1.0), vec2(2.0, 1.0), Verdict::Wrong),
            ],
            "a particle that does not exist has no mark"
        );
        assert_eq!(marks.rings, [(vec2(3.0, 1.0), 0.5)], "twice the radius");
    }

    #[test]
    fn two_that_are_almost_the_same_lie_side_by_side() {
        let run = run();
        let view = View::of_run(&run, Size::HD);
        let wrong = |off: f64| {
            let found = contact(0, dvec2(1.0 + off, 0.0));
            vec![CollisionError::WrongNormal { found, expected: contact(0, dvec2(1.0, 0.0)) }]
        };
        // The two particles the wrong way round; what was missed goes the other way than what is superfluous.
        let turned = vec![
            CollisionError::Superfluous(Contact { other: 0, ..contact(1, dvec2(-3.0, 0.0)) }),
            CollisionError::Missed(contact(0, dvec2(3.0, 0.0))),
        ];
        for (collision_errors, apart) in [(wrong(1.0e-6), true), (wrong(1.0), false), (turned, true)] {
            let report = StepReport { collision_errors, ..StepReport::default() };
            let mut list = DrawList::default();
            draw_marks(&mut list, &run, &report, &view);
            let starts: Vec<Vec2> = list
                .items()
                .filter_map(|item| match item {
                    Item::Line { a, .. } => Some(a),
                    _ => None,
                })
                .collect();
            let [wrong, right] = [starts[2], starts[3]];
            assert_eq!((wrong.y - right.y).abs() > 2.0 * view.pixel(), apart, "{wrong} and {right}");
        }
    }

    #[test]
    fn right_is_green_and_wrong_is_red() {
        let error =
            CollisionError::WrongNormal { found: contact(0, dvec2(2.0, 0.0)), expected: contact(0, dvec2(1.0, 0.0)) };
        let report = StepReport { collision_errors: vec![error], ..StepReport::default() };
        let run = run();
        let view = View::of_run(&run, Size::HD);
        for background in [Rgba::WHITE, Rgba::BLACK] {
            let mut list = DrawList::default();
            list.begin(background);
            draw_marks(&mut list, &run, &report, &view);
            let color_of = |tip: f32| {
                let lines = list.items().filter_map(|item| match item {
                    Item::Line { b, stroke, .. } if b == vec2(tip, 1.0) => Some(stroke.color),
                    _ => None,
                });
                lines.last().unwrap()
            };
            assert!(color_of(2.0).r > color_of(2.0).g, "found: red");
            assert!(color_of(1.0).g > color_of(1.0).r, "expected: green");
        }
    }
}
