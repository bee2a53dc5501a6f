//! Prints the hash of a scene's state after some steps: `hash SCENE STEPS tree|quadtree [THREADS]`.
//!
//! What `carom run SCENE --steps STEPS --broad-phase KIND --hash` prints, without all that the program needs
//! besides.

use carom_scenes::{BuildOptions, find};
use carom2d::BroadPhaseKind;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (name, steps, kind, threads) = match words.as_slice() {
        [name, steps, kind] => (name, steps, kind, 1),
        [name, steps, kind, threads] => (name, steps, kind, threads.parse::<u32>()?),
        _ => return Err("usage: hash SCENE STEPS tree|quadtree [THREADS]".into()),
    };
    let scene = find(name)?;
    let broad_phase = match kind.as_str() {
        "tree" => BroadPhaseKind::Tree,
        "quadtree" => BroadPhaseKind::Quadtree(scene.quadtree()),
        _ => return Err(format!("expected tree or quadtree, not {kind:?}").into()),
    };
    let options = BuildOptions { broad_phase: Some(broad_phase), threads: Some(threads), ..BuildOptions::default() };
    let mut run = scene.build(&options)?;
    for _ in 0..steps.parse::<u32>()? {
        run.step();
    }
    println!("hash {:#018x}", run.world.state_hash());
    Ok(())
}
