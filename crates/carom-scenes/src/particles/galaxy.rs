//! Two galaxies pass each other and draw out long arms of stars.

use super::ParticleScene;
use super::builder::{Builder, gradient, mixed, rgb};
use crate::script::{Unmet, near, require};
use carom_core::Rng;
use carom_core::math::sin_cos64;
use carom_particles::{CollisionHandling, Color, Integrator, ParticleDef, Scene, Viewport};
use glam::{DVec2, dvec2};
use std::f64::consts::TAU;

const SKY: Color = rgb(0x080A14);

pub(super) const SCENE: ParticleScene = ParticleScene {
    name: "galaxy",
    summary: "two galaxies pass each other; gravitation draws long arms out of their stars",
    make,
    check,
};

/// A core, and stars that circle it in rings.
struct Galaxy {
    mass: f64,
    /// Radii of the first and the last ring in m.
    rings: [f64; 2],
    ring_count: usize,
    /// Distance of stars within a ring in m.
    spacing: f64,
    /// Of the core, and of the stars from the first ring to the last.
    colors: [Color; 4],
}

const GALAXIES: [Galaxy; 2] = [
    Galaxy {
        mass: 1.6,
        rings: [0.2, 0.85],
        ring_count: 12,
        spacing: 0.07,
        colors: [rgb(0xFFF6E0), rgb(0xFFE9C2), rgb(0xFFB155), rgb(0xFF5470)],
    },
    Galaxy {
        mass: 1.0,
        rings: [0.16, 0.65],
        ring_count: 10,
        spacing: 0.065,
        colors: [rgb(0xF0F7FF), rgb(0xC9E4FF), rgb(0x5FB0FF), rgb(0x7C5CFF)],
    },
];

/// G in N m²/kg², for masses of about a kilogram.
const GRAVITATION: f64 = 1.0;
/// Mass of a star in kg: next to nothing.
const STAR: f64 = 1.0e-7;

/// The cores go round each other on ellipses. They start on the way in; the stars circle their cores in the same
/// sense, which makes the arms long.
const NEAREST: f64 = 1.3;
const ECCENTRICITY: f64 = 0.5;
const START_DISTANCE: f64 = 3.0;
/// Direction of the nearest approach in rad.
const ORIENTATION: f64 = 0.1;

/// Where the second core is at the start, seen from the first, and how it moves.
///
/// r = p / (1 + e cos f), v_r = sqrt(G M / p) e sin f, v_t = sqrt(G M p) / r with p = q (1 + e): q the nearest
/// distance, e the eccentricity, f the angle from the nearest approach, M both masses.
fn relative_start() -> (DVec2, DVec2) {
    let total = GRAVITATION * (GALAXIES[0].mass + GALAXIES[1].mass);
    let p = NEAREST * (1.0 + ECCENTRICITY);
    let cos_f = (p / START_DISTANCE - 1.0) / ECCENTRICITY;
    // Before the nearest approach.
    let sin_f = -(1.0 - cos_f * cos_f).sqrt();
    let (sin, cos) = sin_cos64(ORIENTATION);
    let outwards = dvec2(cos * cos_f - sin * sin_f, sin * cos_f + cos * sin_f);
    let radial = (total / p).sqrt() * ECCENTRICITY * sin_f;
    let tangential = (total * p).sqrt() / START_DISTANCE;
    (START_DISTANCE * outwards, radial * outwards + tangential * outwards.perp())
}

/// Position and velocity of both cores at the start, with their centre of mass at rest in the origin.
fn core_starts() -> [(DVec2, DVec2); 2] {
    let (position, velocity) = relative_start();
    let total = GALAXIES[0].mass + GALAXIES[1].mass;
    let [first, second] = [-GALAXIES[1].mass / total, GALAXIES[0].mass / total];
    [(first * position, first * velocity), (second * position, second * velocity)]
}

fn make() -> Scene {
    let mut builder = Builder::new(Integrator::VelocityVerlet, CollisionHandling::None);
    let mut rng = Rng::new(2024);
    let cores = [0, 1];
    let starts = core_starts();
    for (galaxy, (position, velocity)) in GALAXIES.iter().zip(starts) {
        let radius = 0.03 + 0.03 * galaxy.mass;
        let core = ParticleDef { mass: galaxy.mass, position, velocity, radius, ..ParticleDef::default() };
        let core = builder.particle(core, galaxy.colors[0]);
        builder.path(core, 3.0, mixed(galaxy.colors[2], SKY, 0.55));
    }
    builder.gravitation(cores, GRAVITATION);
    for (galaxy, start) in GALAXIES.iter().zip(starts) {
        add_stars(&mut builder, galaxy, start, cores, &mut rng);
    }
    // Short steps, for stars that pass near a core.
    builder.scene(960.0, 12.0, Viewport { center: DVec2::ZERO, size: 2.5 }, SKY)
}

fn add_stars(
    builder: &mut Builder,
    galaxy: &Galaxy,
    (center, center_velocity): (DVec2, DVec2),
    cores: [usize; 2],
    rng: &mut Rng,
) {
    let [inner, outer] = galaxy.rings;
    for ring in 0..galaxy.ring_count {
        let share = ring as f64 / (galaxy.ring_count - 1) as f64;
        let ring_radius = inner + share * (outer - inner);
        let count = (TAU * ring_radius / galaxy.spacing).round() as usize;
        let turn = TAU * rng.f64();
        for star in 0..count {
            let (sin, cos) = sin_cos64(turn + TAU * (star as f64 + 0.5 * rng.f64()) / count as f64);
            let radius = ring_radius * (0.97 + 0.06 * rng.f64());
            let speed = (GRAVITATION * galaxy.mass / radius).sqrt();
            let brightness = rng.f64();
            let def = ParticleDef {
                mass: STAR,
                position: center + radius * dvec2(cos, sin),
                velocity: center_velocity + speed * dvec2(-sin, cos),
                radius: 0.010 + 0.010 * brightness * brightness,
                ..ParticleDef::default()
            };
            let color = mixed(gradient(&galaxy.colors[1..], share), rgb(0xFFFFFF), 0.3 * brightness);
            let index = builder.particle(def, color);
            for core in cores {
                builder.gravitation([core, index], GRAVITATION);
            }
        }
    }
}

/// The cores have passed each other with the energy they came with, and most stars are still with them.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let [a, b] = &GALAXIES;
    let energy = |[first, second]: [(DVec2, DVec2); 2]| {
        let kinetic = 0.5 * a.mass * first.1.length_squared() + 0.5 * b.mass * second.1.length_squared();
        kinetic - GRAVITATION * a.mass * b.mass / (second.0 - first.0).length()
    };
    let (positions, velocities) = (scene.system.positions(), scene.system.velocities());
    let (start, end) = (energy(core_starts()), energy([0, 1].map(|core| (positions[core], velocities[core]))));
    near("the energy of the cores in J", end, start, 1.0e-3)?;
    let with_core = |star: &&DVec2| [0, 1].iter().any(|&core| (**star - positions[core]).length() < 1.5);
    let share = positions.iter().filter(with_core).count() as f64 / positions.len() as f64;
    require(share > 0.6, || format!("only {:.0}% of the stars are still near a core", 100.0 * share))
}
