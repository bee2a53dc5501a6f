//! Files that were changed at random are read or refused, never more than that.

use super::comes_back::round_trip;
use super::random::{add_random_joint, random_run};
use carom_core::Rng;
use carom_couple::CoupledFluid;
use carom_particles::fluid::{Fluid, FluidDef};
use carom_scenes::BuildOptions;
use carom_scenes::file;
use carom2d::prelude::*;
use glam::dvec2;

/// Files with some of everything.
pub(super) fn seeds() -> Vec<String> {
    let mut seeds: Vec<String> = ["falling_bricks", "collisions", "conveyor", "boats"]
        .iter()
        .map(|name| file::write(&carom_scenes::find(name).unwrap().build(&BuildOptions::default()).unwrap()))
        .collect();
    let mut run = random_run(3);
    let many: Vec<BodyId> = run.world.bodies().skip(8).collect();
    for id in many {
        run.world.remove_body(id).unwrap();
    }
    run.step();
    seeds.push(file::write(&run));
    // Two bodies and every kind of joint between them.
    let mut run = random_run(4);
    let two: Vec<BodyId> = run.world.bodies().collect();
    for &id in &two[2..] {
        run.world.remove_body(id).unwrap();
    }
    let mut rng = Rng::new(5);
    for _ in 0..40 {
        add_random_joint(&mut run.world, &two[..2], &mut rng);
    }
    seeds.push(file::write(&run));
    // A little water, of which every number is there.
    let mut run = carom_scenes::find("falling_bricks").unwrap().build(&BuildOptions::default()).unwrap();
    let mut water =
        Fluid::new(FluidDef { spacing: 0.2, viscosity: 0.02, iterations: 4, ..FluidDef::default() }).unwrap();
    water.fill(dvec2(-0.5, 1.0), dvec2(0.5, 1.6)).unwrap();
    run.companions.fluid = Some(Box::new(CoupledFluid::new(water)));
    run.step();
    run.step();
    seeds.push(file::write(&run));
    seeds
}

/// Changes a text in a few places: bytes, words, numbers and parts of it.
pub(super) fn mutated(text: &str, rng: &mut Rng) -> Vec<u8> {
    const WORDS: [&str; 24] = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"",
        "\\u12",
        "null",
        "true",
        "-1",
        "1e39",
        "1e-30",
        "99999999999999999999",
        "0",
        "\"inf\"",
        "[0, 0]",
        "{}",
        "[]",
        "\"kind\"",
        "\"circle\"",
        "\"polygon\"",
        "[[0, 0], [1, 0], [0, 1]]",
        "\u{e9}",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + rng.below(3) {
        let at = rng.below(bytes.len() as u32 + 1) as usize;
        let end = (at + rng.below(12) as usize).min(bytes.len());
        match rng.below(9) {
            0 => bytes.insert(at, rng.next_u32() as u8),
            1 => drop(bytes.drain(at..end)),
            2 => {
                let word = WORDS[rng.below(24) as usize];
                drop(bytes.splice(at..at, word.bytes()));
            }
            3 => {
                // A whole number or word gives way to another.
                let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
                let start = (at..bytes.len()).find(|&i| is_part(&bytes[i])).unwrap_or(at);
                let end = (start..bytes.len()).find(|&i| !is_part(&bytes[i])).unwrap_or(bytes.len());
                let word = WORDS[rng.below(24) as usize];
                drop(bytes.splice(start..end, word.bytes()));
            }
            4 => {
                let piece = bytes[at..end].to_vec();
                let to = rng.below(bytes.len() as u32 + 1) as usize;
                drop(bytes.splice(to..to, piece));
            }
            5 => bytes.truncate(at.max(1)),
            _ => {
                // Another digit, which leaves most files valid.
                if let Some(i) = (at..bytes.len()).find(|&i| bytes[i].is_ascii_digit()) {
                    bytes[i] = b'0' + rng.below(10) as u8;
                }
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

#[test]
fn no_file_makes_it_panic() {
    let seeds = seeds();
    let mut rng = Rng::new(20);
    let (mut good, mut bad) = (0, 0);
    for round in 0..6000 {
        let text = mutated(&seeds[round % seeds.len()], &mut rng);
        match file::read("x.json", &text) {
            Ok(mut run) => {
                good += 1;
                round_trip(&run);
                run.step();
                run.step();
                round_trip(&run);
            }
            Err(error) => {
                bad += 1;
                assert!(error.line >= 1 && error.column >= 1 && !error.message.is_empty());
                assert!(error.to_string().len() < 1000, "{error}");
            }
        }
    }
    assert!(good > 300 && bad > 3000, "both happen: {good} {bad}");
}
