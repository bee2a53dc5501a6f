//! A cloth hung at five points, and a ball that goes through it.

use super::ParticleScene;
use super::builder::{Builder, PAPER, SpringKind, gradient, rgb};
use crate::script::{Unmet, require};
use carom_core::math::max64;
use carom_particles::forces::Penalty;
use carom_particles::{CollisionHandling, Color, Integrator, Motion, ParticleDef, Scene, Viewport};
use glam::{DVec2, dvec2};

pub(super) const SCENE: ParticleScene = ParticleScene {
    name: "cloth",
    summary: "a cloth hung at five points gives way to a ball, wraps around it and falls back",
    make,
    check,
};

/// Threads across and down.
const COLUMNS: usize = 33;
const ROWS: usize = 21;
/// Distance of threads at rest, in m.
const MESH: f64 = 0.12;
/// Of a knot, in kg.
const MASS: f64 = 0.02;
/// Every eighth thread is hung up.
const HOOK_DISTANCE: usize = 8;

const THREAD: SpringKind = SpringKind { stiffness: 320.0, damping: 0.04 };
/// Keeps the meshes square.
const SHEAR: SpringKind = SpringKind { stiffness: 14.0, damping: 0.02 };

const COLORS: [Color; 4] = [rgb(0x31205E), rgb(0x8E3BD8), rgb(0xF2557A), rgb(0xFBB13C)];

fn make() -> Scene {
    let contact = Penalty { stiffness: 60.0, thickness: 0.02 };
    let mut builder = Builder::new(Integrator::SymplecticEuler, CollisionHandling::Penalty(contact));
    builder.gravity(dvec2(0.0, -6.0));
    builder.drag(0.012);
    let at = |column: usize, row: usize| row * COLUMNS + column;
    for row in 0..ROWS {
        let color = color(row);
        for column in 0..COLUMNS {
            // Narrower than it is wide, to fall into folds, and stretched about as its weight will stretch it.
            let across = (column as f64 - 0.5 * (COLUMNS - 1) as f64) * 0.9 * MESH;
            let position = dvec2(across, 1.35 - row as f64 * 1.12 * MESH);
            if row == 0 && column.is_multiple_of(HOOK_DISTANCE) {
                let hook = ParticleDef { mass: MASS, position, radius: 0.055, motion: Motion::Fixed, ..free() };
                builder.particle(hook, rgb(0x4A4458));
            } else {
                builder.particle(ParticleDef { mass: MASS, position, radius: 0.024, ..free() }, color);
            }
        }
    }
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let mut thread = |from: [usize; 2], to: [usize; 2], radius: f64, kind: SpringKind, length: f64| {
                if to[0] < COLUMNS && to[1] < ROWS {
                    let ends = [at(from[0], from[1]), at(to[0], to[1])];
                    builder.edge(ends, radius, color(row));
                    builder.spring(ends, kind, length);
                }
            };
            let (here, right, below) = ([column, row], [column + 1, row], [column, row + 1]);
            // No knot passes a diagonal, so that no mesh is turned inside out for good.
            let diagonal = DVec2::splat(MESH).length();
            thread(here, [column + 1, row + 1], 0.006, SHEAR, diagonal);
            if column + 1 < COLUMNS {
                thread(right, below, 0.006, SHEAR, diagonal);
            }
            thread(here, right, 0.018, THREAD, MESH);
            thread(here, below, 0.018, THREAD, MESH);
        }
    }
    let ball = ParticleDef {
        mass: 4.0,
        position: dvec2(-4.6, -0.75),
        velocity: dvec2(1.35, 0.0),
        radius: 0.5,
        motion: Motion::Fixed,
    };
    builder.particle(ball, rgb(0x2F8F9D));
    builder.scene(240.0, 10.0, Viewport { center: dvec2(0.0, -0.15), size: 2.1 }, PAPER)
}

fn free() -> ParticleDef {
    ParticleDef::default()
}

fn color(row: usize) -> Color {
    gradient(&COLORS, row as f64 / (ROWS - 1) as f64)
}

/// The ball is gone, and the cloth hangs as it did: no thread is overstretched.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let positions = scene.system.positions();
    let springs = &scene.system.forces().springs;
    let stretch = springs.iter().map(|spring| {
        let [a, b] = spring.particles;
        (positions[b] - positions[a]).length() / spring.rest_length
    });
    let worst = stretch.fold(0.0, max64);
    require(worst < 1.6, || format!("a thread is stretched to {worst:.2} times its length"))?;
    let ball = positions[ROWS * COLUMNS];
    require(ball.x > 4.0, || format!("the ball is still at {}", ball.x))
}
