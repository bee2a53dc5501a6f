//! Dust is drawn into a whirl and settles on its rings.

use super::ParticleScene;
use super::builder::{Builder, SpringKind, gradient, rgb};
use crate::script::{Unmet, require};
use carom_core::math::sin_cos64;
use carom_particles::forces::Vortex;
use carom_particles::{CollisionHandling, Color, Integrator, Motion, ParticleDef, Scene, Viewport};
use glam::{DVec2, dvec2};
use std::f64::consts::TAU;

pub(super) const SCENE: ParticleScene = ParticleScene {
    name: "vortex",
    summary: "dust that a vortex sets spinning swings through rosettes and settles into rings",
    make,
    check,
};

/// Grains on each arm of the spiral they start in.
const GRAINS: usize = 48;
const ARMS: usize = 6;
const MASS: f64 = 0.01;

const COLORS: [Color; 5] = [rgb(0x5EF2D6), rgb(0x4AA8FF), rgb(0x8F5CFF), rgb(0xFF5FA2), rgb(0xFFB35C)];

fn make() -> Scene {
    let mut builder = Builder::new(Integrator::VelocityVerlet, CollisionHandling::None);
    let eye = ParticleDef { radius: 0.06, motion: Motion::Fixed, ..ParticleDef::default() };
    let eye = builder.particle(eye, rgb(0xF4F7FF));
    for arm in 0..ARMS {
        for grain in 0..GRAINS {
            let share = grain as f64 / (GRAINS - 1) as f64;
            let color = gradient(&COLORS, share);
            let (sin, cos) = sin_cos64(TAU * (arm as f64 / ARMS as f64 + 0.45 * share));
            let def = ParticleDef {
                mass: MASS,
                position: (0.7 + 1.5 * share) * dvec2(cos, sin),
                radius: 0.018,
                ..ParticleDef::default()
            };
            let grain = builder.particle(def, color);
            builder.vortex(Vortex { particles: [eye, grain], speed: speed(share), strength: 0.003 });
            builder.spring([eye, grain], SpringKind { stiffness: 0.5, damping: 0.0 }, ring(share));
            builder.path(grain, 0.4, color);
        }
    }
    builder.scene(240.0, 10.0, Viewport { center: DVec2::ZERO, size: 2.3 }, rgb(0x0B1020))
}

/// Length of the spring that draws a grain to the eye.
fn ring(share: f64) -> f64 {
    0.3 + 1.4 * share
}

/// The speed that a grain is to have: the inner ones are faster.
fn speed(share: f64) -> f64 {
    4.0 - share
}

/// All grains circle the eye, in the same sense, neither swallowed nor thrown out of sight.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let (positions, velocities) = (scene.system.positions(), scene.system.velocities());
    for i in 1..positions.len() {
        let distance = positions[i].length();
        require((0.2..2.3).contains(&distance), || format!("grain {i} is {distance:.2} m from the eye"))?;
        let tangential = positions[i].perp_dot(velocities[i]) / distance;
        require(tangential > 1.0, || format!("grain {i} circles at {tangential:.2} m/s"))?;
    }
    Ok(())
}
