//! Steps a scene with or without recording it, to be compared by what it costs:
//! `record_cost SCENE STEPS [CHECK_EVERY]`; without the last it is not recorded. See docs/recordings.md.

use carom_scenes::{BuildOptions, find};
use carom2d::RecordDef;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (name, steps, check_every) = match words.as_slice() {
        [name, steps] => (name, steps, None),
        [name, steps, check_every] => (name, steps, Some(check_every.parse()?)),
        _ => return Err("usage: record_cost SCENE STEPS [CHECK_EVERY]".into()),
    };
    let mut run = find(name)?.build(&BuildOptions::default())?;
    if let Some(check_every) = check_every {
        run.world.record_to(std::io::sink(), RecordDef { check_every })?;
    }
    for _ in 0..steps.parse::<u32>()? {
        run.step();
    }
    run.world.stop_recording()?;
    println!("hash {:#018x}", run.world.state_hash());
    Ok(())
}
