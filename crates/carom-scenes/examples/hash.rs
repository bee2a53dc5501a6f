//! Prints the hash of a scene's state after some steps: `hash SCENE STEPS tree|quadtree`.
//!
//! What `carom run SCENE --steps STEPS --broad-phase KIND --hash` prints, without all that the program needs
//! besides.

use carom_scenes::{BuildOptions, find};
use carom2d::BroadPhaseKind;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [name, steps, kind] = words.as_slice() else { return Err("usage: hash SCENE STEPS tree|quadtree".into()) };
    let scene = find(name)?;
    let broad_phase = match kind.as_str() {
        "tree" => BroadPhaseKind::Tree,
        "quadtree" => BroadPhaseKind::Quadtree(scene.quadtree()),
        _ => return Err(format!("expected tree or quadtree, not {kind:?}").into()),
    };
    let mut run = scene.build(&BuildOptions { broad_phase: Some(broad_phase), ..BuildOptions::default() })?;
    for _ in 0..steps.parse::<u32>()? {
        run.step();
    }
    println!("hash {:#018x}", run.world.state_hash());
    Ok(())
}
