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
use crate::world::WorldState;

/// About how many contacts a body of a crowd gets.
const ENOUGH: u32 = 48;

/// Takes pairs that must wait out of `found`, which has each pair once; returns their shapes.
pub(crate) fn take_out_crammed(world: &WorldState, found: &mut Vec<u64>) -> Vec<u32> {
    // A crowd is found all at once.
    if found.len() < (ENOUGH * ENOUGH) as usize {
        return Vec::new();
    }
    let shapes = |pair: u64| ((pair >> 32) as u32, pair as u32);
    let most = found.iter().map(|&pair| pair as u32).max().unwrap_or(0);
    let mut members = vec![Member::UNKNOWN; most as usize + 1];
    for &pair in found.iter() {
        let (a, b) = shapes(pair);
        for shape in [a, b] {
            if members[shape as usize].radius < 0.0 {
                members[shape as usize] = inscribed_disc(world, shape);
            }
        }
        let overlap = u32::from(members[a as usize].overlaps(&members[b as usize]));
        members[a as usize].crowd += overlap;
        members[b as usize].crowd += overlap;
    }
    let mut crowds: Vec<u32> = members.iter().map(|member| member.crowd).collect();
    for (crowd, shape) in crowds.iter_mut().zip(0..) {
        *crowd = if *crowd < ENOUGH { 0 } else { *crowd + world.bodies[world.shapes[shape].body].contact_count };
    }
    let mut waits = vec![false; crowds.len()];
    found.retain(|&pair| {
        let (a, b) = shapes(pair);
        let crowd = crowds[a as usize].min(crowds[b as usize]);
        let kept = crowd <= 2 * ENOUGH || is_drawn(a, b, crowd);
        if !kept {
            (waits[a as usize], waits[b as usize]) = (true, true);
        }
        kept
    });
    (0..=most).filter(|&shape| waits[shape as usize]).collect()
}

/// The disc inside a shape about its middle, and how many such discs it overlaps.
#[derive(Clone, Copy)]
struct Member {
    center: Vec2,
    /// Below 0 until it is computed; NaN if there is none.
    radius: f32,
    crowd: u32,
}

impl Member {
    const UNKNOWN: Member = Member { center: Vec2::ZERO, radius: -1.0, crowd: 0 };
    /// Overlaps nothing: what is computed of it is not a number.
    const NONE: Member = Member { center: Vec2::ZERO, radius: f32::NAN, crowd: 0 };

    #[inline]
    fn overlaps(&self, other: &Member) -> bool {
        let reach = self.radius + other.radius - 0.1 * min(self.radius, other.radius);
        self.center.distance_squared(other.center) < reach * reach
    }
}

/// The disc of a shape that is all of a dynamic body, whose centre of mass is the shape's middle then.
fn inscribed_disc(world: &WorldState, shape: u32) -> Member {
    let record = &world.shapes[shape];
    let body = &world.bodies[record.body];
    if record.sensor || body.kind != BodyKind::Dynamic || body.shapes.len() != 1 {
        return Member::NONE;
    }
    Member { center: world.sim(record.body).center, radius: record.geometry.inner_extent(), crowd: 0 }
}

/// Draws about [`ENOUGH`] of `crowd` pairs per body. The draw knows the difference of the indices alone:
/// bodies added elsewhere shift both.
fn is_drawn(a: u32, b: u32, crowd: u32) -> bool {
    let mixed = u64::from(b - a).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    (mixed * u64::from(crowd)) >> 32 < u64::from(ENOUGH)
}
