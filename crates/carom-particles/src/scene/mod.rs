//! Scenes: a particle system with what it takes to run and draw it, and the XML it is read from.

mod load;
mod number;
mod write;

pub use carom_core::text::SceneError;
pub use load::MAX_SCENE_BYTES;
pub use write::WriteError;

use crate::integrate::Integrator;
use crate::system::ParticleSystem;
use glam::DVec2;
use std::path::Path;

/// A particle system at its start, how long it runs, and how it looks.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The system at step 0, with its integrator and collision handling.
    pub system: ParticleSystem,
    /// Simulated time in s.
    pub duration: f64,
    /// Step h in s. Not zero; if negative, the scene has no steps.
    pub dt: f64,
    /// What it shows. Default "No description specified."
    pub description: String,
    /// A word for programs; no effect.
    pub tag: Option<String>,
    /// Steps per second of wall clock that a window should not exceed. Default 100.
    pub max_frequency: f64,
    /// What the camera sees; `None` for all particles.
    pub viewport: Option<Viewport>,
    /// Default white.
    pub background: Color,
    /// One for each particle. Default `#A64B00`.
    pub particle_colors: Vec<Color>,
    /// One for each edge. Default `#006363`.
    pub edge_colors: Vec<Color>,
    /// One for each half-plane. Default black.
    pub half_plane_colors: Vec<Color>,
    /// Trails to be drawn.
    pub paths: Vec<ParticlePath>,
    /// One for each particle. Default empty.
    pub particle_tags: Vec<String>,
}

/// Channels in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Color {
    /// Red.
    pub r: f64,
    /// Green.
    pub g: f64,
    /// Blue.
    pub b: f64,
}

impl Color {
    /// The background of scenes that name none.
    pub const WHITE: Color = Color { r: 1.0, g: 1.0, b: 1.0 };
    /// Half-planes of scenes that name no colour.
    pub const BLACK: Color = Color { r: 0.0, g: 0.0, b: 0.0 };
    /// Particles of scenes that name no colour.
    pub const PARTICLE: Color = Color { r: 0.650980392156863, g: 0.294117647058824, b: 0.0 };
    /// Edges of scenes that name no colour.
    pub const EDGE: Color = Color { r: 0.0, g: 0.388235294117647, b: 0.388235294117647 };
}

/// What the camera sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Its middle in m.
    pub center: DVec2,
    /// Half its height in m; half its width is this times width over height of the picture.
    pub size: f64,
}

/// The trail of a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParticlePath {
    /// Index of the particle.
    pub particle: usize,
    /// How far back it reaches, in s. At least 0.
    pub duration: f64,
    /// Its colour.
    pub color: Color,
}

impl ParticlePath {
    /// How many positions it shows, the first and the present one included. May be huge: make no room in advance.
    pub fn length(&self, dt: f64) -> usize {
        (self.duration / dt).ceil() as usize
    }
}

impl Scene {
    /// Reads a scene. The name stands in errors and nowhere else.
    pub fn from_xml(name: &str, text: &[u8]) -> Result<Scene, SceneError> {
        load::load(name, text)
    }

    /// Reads a scene from a file, without reading more of it than the limit allows.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Scene, SceneError> {
        load::load_file(path.as_ref())
    }

    /// The scene as XML, with its system as it is now. Read back it has the same bits.
    pub fn to_xml(&self) -> Result<String, WriteError> {
        write::write(self)
    }

    /// A scene around a system made in code, with default colours.
    pub fn new(system: ParticleSystem, dt: f64, duration: f64) -> Scene {
        Scene {
            duration,
            dt,
            description: load::NO_DESCRIPTION.to_owned(),
            tag: None,
            max_frequency: 100.0,
            viewport: None,
            background: Color::WHITE,
            particle_colors: vec![Color::PARTICLE; system.particle_count()],
            edge_colors: vec![Color::EDGE; system.edges().len()],
            half_plane_colors: vec![Color::BLACK; system.half_planes().len()],
            paths: Vec::new(),
            particle_tags: vec![String::new(); system.particle_count()],
            system,
        }
    }

    /// How many steps the scene has: ceil(duration/dt), and none if dt is negative.
    pub fn steps(&self) -> u64 {
        // Casts saturate: nothing below zero, and NaN is zero.
        if self.dt < 0.0 { 0 } else { (self.duration / self.dt).ceil() as u64 }
    }

    /// The integrator of its system.
    pub fn integrator(&self) -> Integrator {
        self.system.integrator()
    }

    /// What a picture shows: the scene's viewport, or a box around the centres of all particles with a fifth to spare.
    /// `aspect` is width over height.
    pub fn camera(&self, aspect: f64) -> Viewport {
        self.viewport.unwrap_or_else(|| self.extent().viewport(aspect))
    }

    /// The box around the centres of all particles as they are now.
    pub fn extent(&self) -> Extent {
        let mut centers = self.system.positions().iter().copied();
        let first = centers.next().unwrap_or(DVec2::ZERO);
        let (lo, hi) = centers.fold((first, first), |(lo, hi), x| {
            let lower = |a: f64, b: f64| if b < a { b } else { a };
            let upper = |a: f64, b: f64| if b > a { b } else { a };
            (DVec2::new(lower(lo.x, x.x), lower(lo.y, x.y)), DVec2::new(upper(hi.x, x.x), upper(hi.y, x.y)))
        });
        let half = |extent: f64| if extent == 0.0 { 1.0 } else { extent / 2.0 };
        Extent { center: (lo + hi) / 2.0, half: DVec2::new(half(hi.x - lo.x), half(hi.y - lo.y)) }
    }
}

/// The box around the centres of some particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Its middle in m.
    pub center: DVec2,
    /// Half its width and height in m; 1 where all particles lie on one line.
    pub half: DVec2,
}

impl Extent {
    /// A view of the box with a fifth to spare. `aspect` is width over height.
    pub fn viewport(&self, aspect: f64) -> Viewport {
        let (width, height) = (self.half.x / aspect, self.half.y);
        Viewport { center: self.center, size: 1.2 * if width > height { width } else { height } }
    }
}
