//! Which pairs must wait when far too many bodies are at one place.
//!
//! A thousand discs at one point are half a million pairs, and a few dozen for each of them drive them apart
//! as well. So of new pairs between two bodies that each overlap dozens of others, only some become contacts;
//! the others are looked for again in the next step, until the crowd has thinned.
//!
//! Bodies come to overlap dozens of others without having contacts with them only where they were put: what
//! moves towards each other has a contact before it overlaps.

use crate::body::BodyKind;
use crate::math::{Vec2, min};
use crate::world::World;

/// About how many contacts a body of a crowd gets.
const ENOUGH: u32 = 48;

/// Takes pairs that must wait out of `found`, which has each pair once; returns their shapes.
pub(crate) fn take_out_crammed(world: &World, found: &mut Vec<u64>) -> Vec<u32> {
    // A crowd is found all at once.
    if found.len() < (ENOUGH * ENOUGH) as usize {
        return Vec::new();
    }
    let shapes = |pair: u64| ((pair >> 32) as u32, pair as u32);
    let most = found.iter().map(|&pair| pair as u32).max().unwrap_or(0);
    let mut discs = vec![Disc::Unknown; most as usize + 1];
    let mut counts = vec![0_u32; most as usize + 1];
    for &pair in found.iter() {
        let (a, b) = shapes(pair);
        for shape in [a, b] {
            if matches!(discs[shape as usize], Disc::Unknown) {
                discs[shape as usize] = inscribed_disc(world, shape);
            }
        }
        if discs[a as usize].overlaps(&discs[b as usize]) {
            counts[a as usize] += 1;
            counts[b as usize] += 1;
        }
    }
    for (count, shape) in counts.iter_mut().zip(0..) {
        *count = if *count < ENOUGH { 0 } else { *count + world.bodies[world.shapes[shape].body].contact_count };
    }
    let mut waits = vec![false; counts.len()];
    found.retain(|&pair| {
        let (a, b) = shapes(pair);
        let crowd = counts[a as usize].min(counts[b as usize]);
        let kept = crowd <= 2 * ENOUGH || is_drawn(a, b, crowd);
        if !kept {
            (waits[a as usize], waits[b as usize]) = (true, true);
        }
        kept
    });
    (0..=most).filter(|&shape| waits[shape as usize]).collect()
}

/// What is known of the disc inside a shape about its middle.
#[derive(Clone, Copy)]
enum Disc {
    Unknown,
    /// There is none to speak of.
    None,
    At(Vec2, f32),
}

impl Disc {
    fn overlaps(&self, other: &Disc) -> bool {
        let (&Disc::At(center_a, radius_a), &Disc::At(center_b, radius_b)) = (self, other) else { return false };
        let reach = radius_a + radius_b - 0.1 * min(radius_a, radius_b);
        center_a.distance_squared(center_b) < reach * reach
    }
}

/// The disc of a shape that is all of a dynamic body, whose centre of mass is the shape's middle then.
fn inscribed_disc(world: &World, shape: u32) -> Disc {
    let record = &world.shapes[shape];
    let body = &world.bodies[record.body];
    if record.sensor || body.kind != BodyKind::Dynamic || body.shapes.len() != 1 {
        return Disc::None;
    }
    Disc::At(world.sim(record.body).center, record.geometry.inner_extent())
}

/// Draws about [`ENOUGH`] of `crowd` pairs per body. The draw knows the difference of the indices alone:
/// bodies added elsewhere shift both.
fn is_drawn(a: u32, b: u32, crowd: u32) -> bool {
    let mixed = u64::from(b - a).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (mixed * u64::from(crowd)) >> 32 < u64::from(ENOUGH)
}
