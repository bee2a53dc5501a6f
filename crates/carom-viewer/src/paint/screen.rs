//! How a view lies on the screen.

use carom_render::View;
use carom2d::math::{Vec2, vec2};
use eframe::egui::Rect;

/// The way from the world to the pixels of the screen, and the part of the screen that is seen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Screen {
    /// Top left corner of what is seen, in pixels.
    pub(super) low: Vec2,
    /// Bottom right corner of what is seen, in pixels.
    pub(super) high: Vec2,
    /// Pixels of the screen to a pixel of the view, in which widths and letters are given.
    pub(super) unit: f32,
    /// Pixels of the screen to a point of egui.
    pub(super) pixels_per_point: f32,
    /// Pixels of the screen to a metre.
    scale: f32,
    /// Where the middle of the view is in the world, and on the screen.
    center_world: Vec2,
    center: Vec2,
}

impl Screen {
    /// A view that fills `rect`, of which `seen` is not hidden. None if nothing can be seen.
    pub(super) fn new(view: &View, rect: Rect, seen: Rect, pixels_per_point: f32) -> Option<Screen> {
        let unit = rect.height() / view.height * pixels_per_point;
        let pixels = |x: f32, y: f32| vec2(x, y) * pixels_per_point;
        let screen = Screen {
            low: pixels(seen.min.x, seen.min.y),
            high: pixels(seen.max.x, seen.max.y),
            unit,
            pixels_per_point,
            scale: unit / view.pixel(),
            center_world: view.camera.center,
            center: pixels(rect.min.x, rect.min.y) + vec2(view.width, view.height) * (0.5 * unit),
        };
        let sound = screen.scale > 0.0
            && screen.unit > 0.0
            && screen.scale.is_finite()
            && screen.unit.is_finite()
            && screen.center.is_finite()
            && screen.low.is_finite()
            && screen.high.is_finite();
        (sound && seen.is_positive()).then_some(screen)
    }

    /// A point of the world in pixels of the screen.
    pub(super) fn point(&self, world: Vec2) -> Vec2 {
        let offset = (world - self.center_world) * self.scale;
        vec2(self.center.x + offset.x, self.center.y - offset.y)
    }

    /// A length of the world in pixels of the screen.
    pub(super) fn length(&self, metres: f32) -> f32 {
        metres * self.scale
    }

    /// May something between these corners be seen? Not if one of them is not a number.
    pub(super) fn sees(&self, low: Vec2, high: Vec2) -> bool {
        // A soft edge reaches half a pixel further.
        low.x < self.high.x + 1.0 && low.y < self.high.y + 1.0 && high.x > self.low.x - 1.0 && high.y > self.low.y - 1.0
    }

    /// Are these corners near enough that nothing need be cut off between them?
    pub(super) fn is_near(&self, low: Vec2, high: Vec2) -> bool {
        const NEAR: f32 = 1024.0;
        let (near_low, near_high) = self.grown(NEAR);
        low.cmpge(near_low).all() && high.cmple(near_high).all()
    }

    /// The corners of what is seen, moved apart.
    pub(super) fn grown(&self, by: f32) -> (Vec2, Vec2) {
        (self.low - Vec2::splat(by), self.high + Vec2::splat(by))
    }
}
