//! The camera: pan, zoom, fit, follow.

use carom_render::{Orbit, Size, View};
use carom_scenes::{Camera, Run};
use carom2d::BodyId;
use carom2d::math::{Vec2, vec2};
use eframe::egui;

/// Half the height of the view, in metres: the nearest and the farthest.
const REACH: std::ops::RangeInclusive<f32> = 1.0e-3..=1.0e5;

/// Where the user looks.
#[derive(Clone, Debug)]
pub(crate) struct Eye {
    camera: Camera,
    /// In space.
    orbit: Option<Orbit>,
    /// In space, the eye itself is moved and turned, instead of going around something.
    pub(crate) first_person: bool,
    /// Everything stays in view, whatever the size of the window, until the user takes over.
    fitted: bool,
    /// A body that stays in the middle.
    pub(crate) follow: Option<BodyId>,
}

impl Eye {
    pub(crate) fn new() -> Eye {
        Eye {
            camera: Camera { center: Vec2::ZERO, half_height: 5.0 },
            orbit: None,
            first_person: false,
            fitted: true,
            follow: None,
        }
    }

    /// Shows the whole scene, and goes on doing so.
    pub(crate) fn fit(&mut self) {
        self.fitted = true;
        self.follow = None;
    }

    /// The view of a run in a part of the window, sizes in points.
    pub(crate) fn view(&mut self, run: &Run, rect: egui::Rect) -> View {
        let side = |x: f32| (x.round().max(0.0) as u32).clamp(Size::MIN, Size::MAX);
        if self.fitted
            && let Ok(size) = Size::new(side(rect.width()), side(rect.height()))
        {
            let own = View::of_run(run, size);
            (self.camera, self.orbit) = (own.camera, own.orbit);
        }
        if let (Some(id), Run::Rigid(run)) = (self.follow, run) {
            match run.world.get_body(id) {
                Some(body) if body.center().is_finite() => self.camera.center = body.center(),
                _ => self.follow = None,
            }
        }
        let (width, height) = (rect.width().max(1.0), rect.height().max(1.0));
        View { camera: self.camera, width, height, line_scale: 1.0, orbit: self.orbit }
    }

    /// Moves what is seen by a distance on the screen, in points.
    pub(crate) fn pan(&mut self, view: &View, delta: egui::Vec2) {
        if delta != egui::Vec2::ZERO && delta.x.is_finite() && delta.y.is_finite() {
            self.fitted = false;
            self.follow = None;
            if let Some(orbit) = &mut self.orbit {
                let (right, up) = shares(view, delta);
                orbit.pan(right, up);
                return;
            }
            self.camera.center -= vec2(delta.x, -delta.y) * view.pixel();
        }
    }

    /// Goes around what is looked at in space, by a distance on the screen, in points.
    pub(crate) fn turn(&mut self, view: &View, delta: egui::Vec2) {
        if let Some(orbit) = &mut self.orbit
            && delta != egui::Vec2::ZERO
        {
            self.fitted = false;
            let (right, up) = shares(view, delta);
            if self.first_person {
                orbit.look(right, up);
            } else {
                orbit.turn(right, up);
            }
        }
    }

    /// Walks through space for some seconds: ahead, to the right and up, each from -1 to 1.
    pub(crate) fn walk(&mut self, way: [f64; 3], seconds: f64) {
        // What is looked at is reached in about so many seconds.
        const PACE_S: f64 = 2.5;
        if let Some(orbit) = &mut self.orbit
            && way != [0.0; 3]
        {
            self.fitted = false;
            let step = seconds * orbit.distance / PACE_S;
            let [ahead, right, up] = way.map(|part| part * step);
            orbit.walk(ahead, right, up);
        }
    }

    /// Makes everything larger by a factor, about a point of the world that stays where it is.
    pub(crate) fn zoom(&mut self, about: Vec2, factor: f32) {
        if !(factor > 0.0 && factor.is_finite()) || factor == 1.0 || !about.is_finite() {
            return;
        }
        self.fitted = false;
        if let Some(orbit) = &mut self.orbit {
            if self.first_person {
                // The wheel goes ahead: the pace and what is looked at stay.
                let ahead = orbit.ray(Vec2::ZERO) * (0.3 * orbit.distance * f64::from(factor - 1.0));
                orbit.target += ahead;
            } else {
                orbit.zoom(factor.into());
            }
            return;
        }
        let before = self.camera.half_height;
        self.camera.half_height = (before / factor).clamp(*REACH.start(), *REACH.end());
        if self.follow.is_none() {
            let kept = self.camera.half_height / before;
            self.camera.center = about + (self.camera.center - about) * kept;
        }
    }
}

/// A way on the screen in parts of the picture's height, to the right and up.
fn shares(view: &View, delta: egui::Vec2) -> (f64, f64) {
    (f64::from(delta.x / view.height), f64::from(-delta.y / view.height))
}
