//! Prints hashes of scenes, without all that the program `carom` needs besides.
//!
//! `hash SCENE STEPS tree|quadtree [THREADS]`: of a scene's state after some steps, as `carom run SCENE --steps STEPS
//! --broad-phase KIND --hash` does. `hash --all` and `hash --golden SCENE..`: of all scenes, or of some, after the number of
//! steps that each has for it, as `carom hash` does.

use carom_scenes::{BuildOptions, Entry, entries, find, find_entry};
use carom2d::BroadPhaseKind;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (name, steps, kind, threads) = match words.as_slice() {
        [all] if all == "--all" => return golden(entries()),
        [golden_of, names @ ..] if golden_of == "--golden" && !names.is_empty() => {
            let scenes = names.iter().map(|name| find_entry(name)).collect::<Result<Vec<Entry>, _>>()?;
            return golden(scenes.into_iter());
        }
        [name, steps, kind] => (name, steps, kind, 1),
        [name, steps, kind, threads] => (name, steps, kind, threads.parse::<u32>()?),
        _ => return Err("usage: hash SCENE STEPS tree|quadtree [THREADS], hash --golden SCENE.., hash --all".into()),
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

/// A line for each scene: name, steps, hash.
fn golden(scenes: impl Iterator<Item = Entry>) -> Result<(), Box<dyn std::error::Error>> {
    for scene in scenes {
        let golden = scene.golden()?;
        println!("{} {} {:016x}", golden.name, golden.steps, golden.hash);
    }
    Ok(())
}
