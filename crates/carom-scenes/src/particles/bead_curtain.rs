//! A curtain of beads in a valley, and a ball that goes through it and comes back.

use super::ParticleScene;
use super::builder::{Builder, PAPER, SpringKind, gradient, rgb};
use crate::script::{Unmet, require};
use carom_core::math::{max64, sin64};
use carom_particles::forces::Penalty;
use carom_particles::{CollisionHandling, Color, Integrator, Motion, ParticleDef, Scene, Viewport};
use glam::{DVec2, dvec2};

pub(super) const SCENE: ParticleScene = ParticleScene {
    name: "bead_curtain",
    summary: "a ball rolls through a curtain of beads, up the far slope, and back through it",
    make,
    check,
};

const STRANDS: usize = 17;
/// Beads on a strand.
const BEADS: usize = 18;
/// Distance of strands, and of beads on a strand, in m.
const STRAND_DISTANCE: f64 = 0.2;
const BEAD_DISTANCE: f64 = 0.15;
const RAIL_HEIGHT: f64 = 1.75;
const FLOOR_HEIGHT: f64 = -1.5;

/// Half the width of the valley's floor in m.
const VALLEY: f64 = 2.6;
/// Normal of the slope on the left; the other is its mirror image.
const SLOPE: DVec2 = dvec2(0.6, 0.8);
const BALL_RADIUS: f64 = 0.45;
/// Distance at which things push each other, in m.
const THICKNESS: f64 = 0.01;

const STRING: SpringKind = SpringKind { stiffness: 3000.0, damping: 0.8 };

const COLORS: [Color; 5] = [rgb(0x264653), rgb(0x2A9D8F), rgb(0xE9C46A), rgb(0xF4A261), rgb(0xE76F51)];
const WOOD: Color = rgb(0x7A5C43);

fn make() -> Scene {
    let contact = Penalty { stiffness: 8000.0, thickness: THICKNESS };
    let mut builder = Builder::new(Integrator::SymplecticEuler, CollisionHandling::Penalty(contact));
    builder.gravity(dvec2(0.0, -9.8));
    builder.drag(0.012);
    for strand in 0..STRANDS {
        add_strand(&mut builder, strand);
    }
    let half_rail = 0.5 * STRAND_DISTANCE * STRANDS as f64 + 0.1;
    let rail = [-half_rail, half_rail].map(|x| {
        let position = dvec2(x, RAIL_HEIGHT);
        let end = ParticleDef { position, radius: 0.06, motion: Motion::Fixed, ..ParticleDef::default() };
        builder.particle(end, WOOD)
    });
    builder.edge(rail, 0.045, WOOD);
    // The ball rests on the left slope, and is let go.
    let up_slope = dvec2(-SLOPE.y, SLOPE.x);
    let ball = ParticleDef {
        mass: 12.0,
        position: dvec2(-VALLEY, FLOOR_HEIGHT) + 1.3 * up_slope + (BALL_RADIUS + THICKNESS) * SLOPE,
        radius: BALL_RADIUS,
        ..ParticleDef::default()
    };
    builder.particle(ball, rgb(0xC1121F));
    let ground = rgb(0x3D3A4B);
    builder.half_plane(dvec2(-VALLEY, FLOOR_HEIGHT), SLOPE, ground);
    builder.half_plane(dvec2(VALLEY, FLOOR_HEIGHT), dvec2(-SLOPE.x, SLOPE.y), ground);
    builder.half_plane(dvec2(0.0, FLOOR_HEIGHT), dvec2(0.0, 1.0), ground);
    builder.scene(960.0, 10.0, Viewport { center: dvec2(0.0, 0.1), size: 2.1 }, PAPER)
}

fn add_strand(builder: &mut Builder, strand: usize) {
    let x = (strand as f64 - 0.5 * (STRANDS - 1) as f64) * STRAND_DISTANCE;
    let top = dvec2(x, RAIL_HEIGHT);
    let knot = ParticleDef { position: top, radius: 0.03, motion: Motion::Fixed, ..ParticleDef::default() };
    let mut above = builder.particle(knot, WOOD);
    for bead in 0..BEADS {
        let is_large = bead % 2 == 0;
        let position = top - dvec2(0.0, BEAD_DISTANCE * (bead + 1) as f64);
        let def = ParticleDef {
            mass: if is_large { 0.05 } else { 0.03 },
            position,
            radius: if is_large { 0.055 } else { 0.038 },
            ..ParticleDef::default()
        };
        // A wave that runs across the curtain.
        let share = 0.5 + 0.5 * sin64(0.6 * bead as f64 + 1.2 * sin64(0.55 * strand as f64));
        let index = builder.particle(def, gradient(&COLORS, share));
        builder.edge([above, index], 0.008, rgb(0x8A7A66));
        builder.spring_at_rest([above, index], STRING);
        above = index;
    }
}

/// Every bead still hangs on its string, above the floor and between the slopes.
fn check(scene: &Scene) -> Result<(), Unmet> {
    let positions = scene.system.positions();
    let stretch = scene.system.forces().springs.iter().map(|spring| {
        let [a, b] = spring.particles;
        (positions[b] - positions[a]).length() / spring.rest_length
    });
    let worst = stretch.fold(0.0, max64);
    require(worst < 1.25, || format!("a string is stretched to {worst:.2} times its length"))?;
    let lowest = positions.iter().fold(f64::MAX, |low, p: &DVec2| if p.y < low { p.y } else { low });
    require(lowest > FLOOR_HEIGHT, || format!("a bead is at {lowest:.2} m, below the floor"))
}
