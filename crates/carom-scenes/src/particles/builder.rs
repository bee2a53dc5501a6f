//! What particle scenes are made with: particles, edges and springs that have a colour from the start.

use carom_particles::forces::{Gravitation, Spring, Vortex};
use carom_particles::{
    CollisionHandling, Color, DefError, Edge, HalfPlane, Integrator, ParticleDef, ParticlePath, ParticleSystem, Scene,
    Viewport,
};
use glam::DVec2;

/// A scene in the making. What is asked of it are numbers in this crate's files, and they are valid: a slip
/// panics in the test that builds every scene.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) system: ParticleSystem,
    particle_colors: Vec<Color>,
    edge_colors: Vec<Color>,
    half_plane_colors: Vec<Color>,
    paths: Vec<ParticlePath>,
}

fn valid<T>(result: Result<T, DefError>) -> T {
    result.expect("built-in scenes are made of valid numbers")
}

/// How springs of a kind behave.
#[derive(Clone, Copy, Debug)]
pub(super) struct SpringKind {
    /// In N/m.
    pub(super) stiffness: f64,
    /// In N s/m.
    pub(super) damping: f64,
}

impl Builder {
    pub(super) fn new(integrator: Integrator, collisions: CollisionHandling) -> Builder {
        let mut system = ParticleSystem::new();
        system.set_integrator(integrator);
        system.set_collisions(collisions);
        Builder { system, ..Builder::default() }
    }

    pub(super) fn particle(&mut self, def: ParticleDef, color: Color) -> usize {
        self.particle_colors.push(color);
        valid(self.system.add_particle(def))
    }

    pub(super) fn edge(&mut self, ends: [usize; 2], radius: f64, color: Color) {
        self.edge_colors.push(color);
        valid(self.system.add_edge(Edge { ends, radius }));
    }

    /// A spring that is at rest at some length.
    pub(super) fn spring(&mut self, particles: [usize; 2], kind: SpringKind, rest_length: f64) {
        let SpringKind { stiffness, damping } = kind;
        valid(self.system.add_spring(Spring { particles, stiffness, rest_length, damping }));
    }

    /// A spring that is at rest as its particles are.
    pub(super) fn spring_at_rest(&mut self, particles: [usize; 2], kind: SpringKind) {
        let [a, b] = particles.map(|particle| self.system.positions()[particle]);
        self.spring(particles, kind, (b - a).length());
    }

    pub(super) fn half_plane(&mut self, point: DVec2, normal: DVec2, color: Color) {
        self.half_plane_colors.push(color);
        valid(self.system.add_half_plane(HalfPlane { point, normal }));
    }

    pub(super) fn gravitation(&mut self, particles: [usize; 2], constant: f64) {
        valid(self.system.add_gravitation(Gravitation { particles, constant }));
    }

    pub(super) fn vortex(&mut self, vortex: Vortex) {
        valid(self.system.add_vortex(vortex));
    }

    pub(super) fn gravity(&mut self, acceleration: DVec2) {
        valid(self.system.add_uniform_gravity(carom_particles::forces::UniformGravity { acceleration }));
    }

    pub(super) fn drag(&mut self, coefficient: f64) {
        valid(self.system.add_drag(carom_particles::forces::Drag { coefficient }));
    }

    pub(super) fn path(&mut self, particle: usize, duration: f64, color: Color) {
        self.paths.push(ParticlePath { particle, duration, color });
    }

    /// The scene, with `rate` steps per second.
    pub(super) fn scene(self, rate: f64, duration: f64, viewport: Viewport, background: Color) -> Scene {
        Scene {
            max_frequency: rate,
            viewport: Some(viewport),
            background,
            particle_colors: self.particle_colors,
            edge_colors: self.edge_colors,
            half_plane_colors: self.half_plane_colors,
            paths: self.paths,
            ..Scene::new(self.system, 1.0 / rate, duration)
        }
    }
}

/// A colour from 0xRRGGBB.
pub(super) const fn rgb(hex: u32) -> Color {
    const fn channel(hex: u32, shift: u32) -> f64 {
        ((hex >> shift) & 255) as f64 / 255.0
    }
    Color { r: channel(hex, 16), g: channel(hex, 8), b: channel(hex, 0) }
}

/// One colour with a share, 0 to 1, of another.
pub(super) fn mixed(a: Color, b: Color, share: f64) -> Color {
    let mix = |a: f64, b: f64| a + share * (b - a);
    Color { r: mix(a.r, b.r), g: mix(a.g, b.g), b: mix(a.b, b.b) }
}

/// The colour at a share, 0 to 1, of the way through some colours.
pub(super) fn gradient(stops: &[Color], share: f64) -> Color {
    let way = share.clamp(0.0, 1.0) * (stops.len() - 1) as f64;
    let before = (way as usize).min(stops.len() - 2);
    mixed(stops[before], stops[before + 1], way - before as f64)
}

/// Warm white, as pictures of other scenes have it.
pub(super) const PAPER: Color = rgb(0xFAF9F6);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gradients_pass_through_their_stops() {
        let stops = [rgb(0x000000), rgb(0xFF0000), rgb(0xFF00FF)];
        for (share, hex) in [(-1.0, 0x000000), (0.0, 0x000000), (0.5, 0xFF0000), (1.0, 0xFF00FF), (7.0, 0xFF00FF)] {
            assert_eq!(gradient(&stops, share), rgb(hex), "{share}");
        }
        assert_eq!(gradient(&stops, 0.25).r, 0.5);
    }
}
