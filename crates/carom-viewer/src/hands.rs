//! The hand in scenes of particles and in space: picking, pulling, aiming.

use crate::session::{Command, PoolMove, Pull, Session};
use carom_particles::Motion;
use carom_render::{DrawList, Orbit, Rgba, Stroke, Style, View};
use carom_scenes::{PoolGame, Run};
use carom2d::math::{Vec2, vec2};
use carom3d::math::DVec3;
use carom3d::{BodyId, BodyKind};
use eframe::egui::{self, CursorIcon, Ui};

/// How far a ray goes, in metres.
const FAR: f64 = 1.0e4;
/// Speed of a stroke per metre that the cue is drawn back, in 1/s.
const STROKE_PER_METRE: f64 = 12.0;
/// A cue that is drawn back by less than this, in metres, does not strike.
const LEAST_DRAW: f64 = 0.03;

/// What was clicked in a scene that has no rigid bodies of the plane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Picked {
    /// By its index.
    Particle(usize),
    Body(BodyId),
}

impl Picked {
    /// Its path in the console; none if it is gone.
    pub(crate) fn path(self, run: &Run) -> Option<String> {
        match (self, run) {
            (Picked::Particle(index), Run::Particles(run)) => {
                (index < run.scene.system.particle_count()).then(|| format!("particle.{index}"))
            }
            (Picked::Body(id), Run::Solid(run)) => {
                let index = run.scene.bodies().position(|other| other == id)?;
                run.scene.world.contains_body(id).then(|| format!("body.{index}"))
            }
            _ => None,
        }
    }

    /// A ring around it.
    pub(crate) fn mark(self, list: &mut DrawList, run: &Run, view: &View, color: Rgba) {
        let style = Style::outlined(Stroke::solid(color, 3.0));
        match (self, run) {
            (Picked::Particle(index), Run::Particles(run)) => {
                let system = &run.scene.system;
                if let (Some(place), Some(radius)) = (system.positions().get(index), system.radii().get(index)) {
                    let ring = *radius as f32 + 4.0 * view.pixel();
                    list.circle(vec2(place.x as f32, place.y as f32), ring, style);
                }
            }
            (Picked::Body(id), Run::Solid(run)) => {
                let (Some(body), Some(orbit)) = (run.scene.world.get_body(id), view.orbit) else { return };
                let place = body.position();
                let Some(at) = orbit.project(place) else { return };
                // As wide as a ball there would be; boxes get one of their size.
                let radius = body.radius().unwrap_or_else(|| body.inertia().max_element().sqrt() / body.mass().sqrt());
                let side = orbit.ray(vec2(1.0, 0.0)) - orbit.ray(Vec2::ZERO);
                let rim = orbit.project(place + side * (radius / side.length()));
                let ring = rim.map_or(0.02, |rim| (rim - at).length()) + 4.0 * view.pixel();
                list.circle(at, ring, style);
            }
            _ => {}
        }
    }
}

/// The particle at a point, or the nearest one within reach.
pub(crate) fn particle_at(run: &Run, at: Vec2, reach: f32) -> Option<usize> {
    let system = &run.as_particles()?.scene.system;
    let all = system.positions().iter().zip(system.radii()).map(|(place, radius)| {
        let away = vec2(place.x as f32, place.y as f32) - at;
        away.length() - *radius as f32
    });
    let all = all.enumerate();
    all.filter(|(_, away)| *away <= reach).min_by(|a, b| a.1.total_cmp(&b.1)).map(|(index, _)| index)
}

/// Can a hand move the particle?
pub(crate) fn is_free(run: &Run, particle: usize) -> bool {
    let motions = run.as_particles().map(|run| run.scene.system.motions());
    motions.is_some_and(|motions| motions.get(particle) == Some(&Motion::Free))
}

/// The body in space that is seen at a point of the picture, and where on it.
pub(crate) fn body_at(run: &Run, orbit: &Orbit, at: Vec2) -> Option<(BodyId, DVec3)> {
    let world = &run.as_solid()?.scene.world;
    let hit = world.ray_closest(orbit.eye(), orbit.ray(at) * (FAR * orbit.distance.min(1.0))).ok().flatten()?;
    Some((hit.body, hit.point))
}

pub(crate) fn is_dynamic(run: &Run, body: BodyId) -> bool {
    let body = run.as_solid().and_then(|run| run.scene.world.get_body(body));
    body.is_some_and(|body| body.kind() == BodyKind::Dynamic)
}

/// Pulls the body that is held in the plane through that point that is parallel to the picture.
pub(crate) fn pull_in_space(ui: &Ui, session: &mut Session, orbit: &Orbit, at: Vec2) {
    if let Some(Pull::Space(hold)) = session.pull() {
        let away = (hold.target - orbit.eye()).dot(orbit.ray(Vec2::ZERO));
        session.drag_in_space(orbit.eye() + orbit.ray(at) * away);
        ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
    }
}

// ---- the cue ------------------------------------------------------------------------------------

/// The cue while it is drawn back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cue {
    ball: BodyId,
    /// Where the hand is, on a level with the ball.
    hand: DVec3,
}

impl Cue {
    /// Takes the cue if the white ball lies there to be struck.
    pub(crate) fn take(run: &Run, body: BodyId, at: DVec3) -> Option<Cue> {
        let run = run.as_solid()?;
        let game = PoolGame::of(run)?;
        (body == game.cue_ball && game.is_at_rest(&run.scene)).then_some(Cue { ball: body, hand: at })
    }

    /// Draws the cue back to where the pointer is on a level with the ball.
    pub(crate) fn draw_back(&mut self, run: &Run, orbit: &Orbit, at: Vec2) {
        let Some(ball) = run.as_solid().and_then(|run| run.scene.world.get_body(self.ball)) else { return };
        let (eye, ray) = (orbit.eye(), orbit.ray(at));
        let away = (ball.position().y - eye.y) / ray.y;
        if away > 0.0 && away.is_finite() {
            self.hand = eye + ray * away;
        }
    }

    /// Where the ball is to go, and how fast; none if the cue is hardly drawn back.
    pub(crate) fn stroke(&self, run: &Run) -> Option<PoolMove> {
        let ball = run.as_solid()?.scene.world.get_body(self.ball)?.position();
        let back = DVec3::new(ball.x - self.hand.x, 0.0, ball.z - self.hand.z);
        let drawn = back.length();
        let speed = (STROKE_PER_METRE * drawn).min(PoolGame::FASTEST);
        (drawn > LEAST_DRAW).then(|| PoolMove::Strike { direction: back / drawn, speed })
    }

    /// Lets the cue go.
    pub(crate) fn strike(self, session: &mut Session) -> Result<(), String> {
        match self.stroke(session.run()) {
            Some(stroke) => session.command(Command::Pool(stroke)).map(|_| ()),
            None => Ok(()),
        }
    }

    /// The cue, and before the ball where it would go.
    pub(crate) fn draw(&self, list: &mut DrawList, run: &Run, orbit: &Orbit, color: Rgba) {
        let Some(PoolMove::Strike { direction, speed }) = self.stroke(run) else { return };
        let Some(ball) = run.as_solid().and_then(|run| run.scene.world.get_body(self.ball)) else { return };
        let place = ball.position();
        let line = |a: DVec3, b: DVec3| Some([orbit.project(a)?, orbit.project(b)?]);
        if let Some([a, b]) = line(place, place + direction * (0.15 * speed)) {
            list.line(a, b, Stroke::dashed(color, 2.0));
        }
        let wood = Rgba::new(176, 132, 84);
        if let Some([a, b]) = line(place - direction * 0.05, self.hand - direction * 0.4) {
            list.line(a, b, Stroke::solid(wood, 5.0));
        }
    }
}

/// How fast the ball would go, in words at the hand.
pub(crate) fn tell_speed(ui: &Ui, cue: &Cue, run: &Run) {
    if let (Some(PoolMove::Strike { speed, .. }), Some(at)) =
        (cue.stroke(run), ui.input(|input| input.pointer.hover_pos()))
    {
        let color = ui.visuals().strong_text_color();
        let font = egui::FontId::proportional(14.0);
        ui.painter().text(
            at + egui::vec2(14.0, 0.0),
            egui::Align2::LEFT_CENTER,
            format!("{speed:.1} m/s"),
            font,
            color,
        );
    }
}
