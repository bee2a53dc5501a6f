//! Sizes, the camera, and the way from world to pixels and back.

use crate::error::RenderError;
use crate::orbit::Orbit;
use crate::subject::Subject;
use carom_core::math::{max, min};
use carom_scenes::{Camera, SceneWorld, SolidRun};
use carom2d::math::{Aabb, Vec2, vec2};
use std::fmt;

/// The size of a picture in pixels, within limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    width: u32,
    height: u32,
}

impl Size {
    /// The shortest side.
    pub const MIN: u32 = 16;
    /// The longest side.
    pub const MAX: u32 = 8192;
    /// 1280 by 720.
    pub const HD: Size = Size { width: 1280, height: 720 };

    /// A size; each side 16 to 8192 pixels.
    pub fn new(width: u32, height: u32) -> Result<Size, RenderError> {
        let allowed = Size::MIN..=Size::MAX;
        if allowed.contains(&width) && allowed.contains(&height) {
            Ok(Size { width, height })
        } else {
            Err(RenderError::Size(format!(
                "a picture of {width}x{height} pixels cannot be drawn; each side may be {} to {} pixels",
                Size::MIN,
                Size::MAX
            )))
        }
    }

    /// Pixels from left to right.
    pub fn width(self) -> u32 {
        self.width
    }

    /// Pixels from top to bottom.
    pub fn height(self) -> u32 {
        self.height
    }

    fn aspect(self) -> f32 {
        self.width as f32 / self.height as f32
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// What part of the world is seen, and how large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Where to look.
    pub camera: Camera,
    /// Pixels from left to right.
    pub width: f32,
    /// Pixels from top to bottom.
    pub height: f32,
    /// How many pixels a line is wide that counts as one pixel wide: 1 on a screen of ordinary density,
    /// 2 on a fine one. Texts and points grow with it.
    pub line_scale: f32,
    /// From where a scene in space is seen; its picture lies in a plane around the origin, two units high. None for
    /// scenes in the plane.
    pub orbit: Option<Orbit>,
}

impl View {
    /// A view of `camera` in a picture of some size, with lines that suit it.
    pub fn new(camera: Camera, size: Size) -> View {
        let line_scale = (size.height() as f32 / 720.0).clamp(0.5, 6.0);
        View { camera, width: size.width() as f32, height: size.height() as f32, line_scale, orbit: None }
    }

    /// The own view of a scene of rigid bodies. A picture too narrow for what the scene shows on a wide screen looks from
    /// further away.
    pub fn of_scene(run: &SceneWorld, size: Size) -> View {
        const WIDE: f32 = 16.0 / 9.0;
        const MARGIN: f32 = 1.03;
        let Camera { center, half_height } = run.about().camera;
        let mut half_width = 0.0;
        for id in run.world.shapes() {
            let aabb = run.world.shape(id).aabb();
            let reach = max((aabb.max.x - center.x).abs(), (aabb.min.x - center.x).abs());
            half_width = max(half_width, min(MARGIN * reach, WIDE * half_height));
        }
        let half_height = max(half_height, half_width / size.aspect());
        View::new(Camera { center, half_height }, size)
    }

    /// The own view of a scene of any kind. That of a particle scene is what its file says, or all particles
    /// at the start of the run.
    pub fn of_run<'r>(run: impl Into<Subject<'r>>, size: Size) -> View {
        match run.into() {
            Subject::Rigid(run) => View::of_scene(run, size),
            Subject::Particles(run) => View::new(run.camera(size.aspect().into()), size),
            Subject::Solid(run) => View::of_solid(run, size),
        }
    }

    /// The own view of a scene in space: that of its camera. A picture narrower than those the format was made for looks
    /// from further away.
    pub fn of_solid(run: &SolidRun, size: Size) -> View {
        const ORDINARY: f32 = 4.0 / 3.0;
        let mut orbit = Orbit::of_scene(&run.scene);
        orbit.distance *= f64::from(max(ORDINARY / size.aspect(), 1.0));
        View { orbit: Some(orbit), ..View::new(run.about().camera, size) }
    }

    /// How many metres a pixel is wide.
    pub fn pixel(&self) -> f32 {
        2.0 * self.camera.half_height / self.height
    }

    /// A world point in pixels from the top left corner.
    pub fn to_pixels(&self, world: Vec2) -> Vec2 {
        let offset = (world - self.camera.center) / self.pixel();
        vec2(0.5 * self.width + offset.x, 0.5 * self.height - offset.y)
    }

    /// The world point at pixels from the top left corner.
    pub fn to_world(&self, pixels: Vec2) -> Vec2 {
        let offset = vec2(pixels.x - 0.5 * self.width, 0.5 * self.height - pixels.y);
        self.camera.center + offset * self.pixel()
    }

    /// The part of the world that is seen.
    pub fn visible(&self) -> Aabb {
        let half = vec2(self.camera.half_height * self.width / self.height, self.camera.half_height);
        Aabb::new(self.camera.center - half, self.camera.center + half)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_scenes::{BuildOptions, find};

    #[test]
    fn there_and_back() {
        let camera = Camera { center: vec2(3.0, -2.0), half_height: 5.0 };
        let view = View::new(camera, Size::new(400, 200).unwrap());
        assert_eq!(view.to_pixels(vec2(3.0, -2.0)), vec2(200.0, 100.0));
        assert_eq!(view.to_pixels(vec2(3.0, 3.0)), vec2(200.0, 0.0), "up is up");
        assert_eq!(view.to_pixels(view.visible().min), vec2(0.0, 200.0));
        let point = vec2(1.25, 4.5);
        assert!((view.to_world(view.to_pixels(point)) - point).length() < 1.0e-5);
    }

    #[test]
    fn sizes_have_limits() {
        assert!(Size::new(16, 8192).is_ok());
        for (width, height) in [(0, 100), (100, 0), (15, 100), (100, 8193), (u32::MAX, u32::MAX)] {
            let text = Size::new(width, height).unwrap_err().to_string();
            assert!(text.contains(&format!("{width}x{height}")) && text.contains("16 to 8192"), "{text}");
        }
    }

    #[test]
    fn a_narrow_picture_shows_the_whole_box() {
        let run = find("falling_bricks").unwrap().build(&BuildOptions::default()).unwrap();
        let own = run.about().camera.half_height;
        let half_height = |w, h| View::of_scene(&run, Size::new(w, h).unwrap()).camera.half_height;
        assert_eq!(half_height(1280, 720), own);
        assert_eq!(half_height(720, 720), own);
        assert!((half_height(360, 720) - 2.0 * 5.2 * 1.03).abs() < 1.0e-3);
    }
}
