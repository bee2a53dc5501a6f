//! Writes the inputs that a target begins with into a folder: `cargo run -p carom-fuzz --example seeds -- TARGET FOLDER`.

use std::path::Path;

fn main() -> std::io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, folder] = arguments.as_slice() else {
        eprintln!("usage: seeds TARGET FOLDER");
        std::process::exit(2);
    };
    let Some(target) = carom_fuzz::find(name) else {
        eprintln!("there is no target {name}");
        std::process::exit(2);
    };
    for (index, seed) in (target.seeds)().iter().enumerate() {
        std::fs::write(Path::new(folder).join(format!("seed-{index:02}")), seed)?;
    }
    Ok(())
}
