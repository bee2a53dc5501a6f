//! Two blocks of jelly that bounce on half-planes and come to rest in their own shape.

use super::ParticleScene;
use super::builder::{Builder, PAPER, SpringKind, gradient, mixed, rgb};
use crate::script::{Unmet, require};
use carom_core::math::{max64, sin_cos64};
use carom_particles::forces::Penalty;
use carom_particles::{CollisionHandling, Color, Integrator, ParticleDef, Scene, Viewport};
use glam::{DVec2, dvec2};

pub(super) const SCENE: ParticleScene = ParticleScene {
    name: "jelly",
    summary: "two blocks of jelly tumble into a valley, wobble, and find their shape again",
    make,
    check,
};

/// A block of jelly at its start.
struct Block {
    columns: usize,
    rows: usize,
    center: DVec2,
    velocity: DVec2,
    angle: f64,
    colors: [Color; 2],
}

const BLOCKS: [Block; 2] = [
    Block {
        columns: 9,
        rows: 7,
        center: dvec2(-1.35, 1.35),
        velocity: dvec2(0.6, 0.0),
        angle: 0.6,
        colors: [rgb(0xB5174B), rgb(0xFF9EB5)],
    },
    Block {
        columns: 6,
        rows: 6,
        center: dvec2(1.3, 1.6),
        velocity: dvec2(-0.6, 0.0),
        angle: -0.35,
        colors: [rgb(0x2B9348), rgb(0xC5EC9A)],
    },
];

const FLOOR_HEIGHT: f64 = -1.35;

/// Distance of neighbours in m.
const SPACING: f64 = 0.2;
/// Neighbours touch when they come a tenth nearer, so that nothing turns inside out.
const RADIUS: f64 = 0.085;
const MASS: f64 = 0.05;
const ALONG: SpringKind = SpringKind { stiffness: 110.0, damping: 0.06 };
const ACROSS: SpringKind = SpringKind { stiffness: 66.0, damping: 0.06 };

fn make() -> Scene {
    // Stiff enough to stop a whole block on one corner before that comes behind the surface.
    let contact = CollisionHandling::Penalty(Penalty { stiffness: 16_000.0, thickness: 0.01 });
    let mut builder = Builder::new(Integrator::SymplecticEuler, contact);
    builder.gravity(dvec2(0.0, -9.8));
    builder.drag(0.004);
    for block in &BLOCKS {
        add(&mut builder, block);
    }
    let ground = rgb(0x3D405B);
    builder.half_plane(dvec2(-1.7, FLOOR_HEIGHT), dvec2(0.55, 0.84), ground);
    builder.half_plane(dvec2(1.7, FLOOR_HEIGHT), dvec2(-0.55, 0.84), ground);
    builder.half_plane(dvec2(0.0, FLOOR_HEIGHT), dvec2(0.0, 1.0), ground);
    builder.scene(960.0, 8.0, Viewport { center: dvec2(0.0, 0.35), size: 2.05 }, PAPER)
}

fn add(builder: &mut Builder, block: &Block) {
    let Block { columns, rows, center, velocity, angle, colors } = *block;
    let (sin, cos) = sin_cos64(angle);
    let first = builder.system.particle_count();
    let at = |column: usize, row: usize| first + row * columns + column;
    let shade = |column: usize, row: usize| gradient(&colors, (column + row) as f64 / (columns + rows - 2) as f64);
    for row in 0..rows {
        for column in 0..columns {
            let local = dvec2(column as f64 - 0.5 * (columns - 1) as f64, row as f64 - 0.5 * (rows - 1) as f64);
            let turned = dvec2(cos * local.x - sin * local.y, sin * local.x + cos * local.y);
            let position = center + SPACING * turned;
            let def = ParticleDef { mass: MASS, position, velocity, radius: RADIUS, ..ParticleDef::default() };
            builder.particle(def, shade(column, row));
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let from = at(column, row);
            let color = mixed(shade(column, row), PAPER, 0.3);
            let mut join = |right: usize, up: usize, kind: SpringKind, radius: Option<f64>| {
                if column + right < columns && row + up < rows {
                    let ends = [from, at(column + right, row + up)];
                    builder.spring_at_rest(ends, kind);
                    if let Some(radius) = radius {
                        builder.edge(ends, radius, color);
                    }
                }
            };
            join(1, 0, ALONG, Some(0.7 * RADIUS));
            join(0, 1, ALONG, Some(0.7 * RADIUS));
            join(1, 1, ACROSS, None);
            if column > 0 && row + 1 < rows {
                builder.spring_at_rest([from, at(column - 1, row + 1)], ACROSS);
            }
        }
    }
}

/// Every spring is near its length again, and nothing fell through the ground.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let positions = scene.system.positions();
    let strain = scene.system.forces().springs.iter().map(|spring| {
        let [a, b] = spring.particles;
        ((positions[b] - positions[a]).length() / spring.rest_length - 1.0).abs()
    });
    let worst = strain.fold(0.0, max64);
    require(worst < 0.2, || format!("a spring is off its length by {:.0}%", 100.0 * worst))?;
    let lowest = positions.iter().fold(f64::MAX, |low, p| if p.y < low { p.y } else { low });
    require(lowest > FLOOR_HEIGHT, || format!("a particle fell to {lowest:.2} m, through the ground"))
}
