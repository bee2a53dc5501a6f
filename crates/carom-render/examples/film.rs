//! Films a built-in scene: `cargo run -p carom-render --example film -- cloth cloth.gif 10`, the last number
//! being the frames per second. The ending of the file chooses the format; a name that ends in `/` is a folder.

use carom_render::{Film, Format, Look, Settings, Size};
use carom_scenes::find_entry;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let name = args.next().unwrap_or_else(|| "cloth".to_owned());
    let path = PathBuf::from(args.next().unwrap_or_else(|| format!("{name}.gif")));
    let fps = args.next().map_or(Ok(0), |text| text.parse())?;

    let mut run = find_entry(&name)?.build()?;
    let (steps, seconds) = (run.about().steps, run.about().seconds(run.about().steps));
    let format = Format::of(&path).ok_or("the file must end in .png, .gif, .mp4 or /")?;
    let settings = Settings { size: Size::new(640, 360)?, look: Look::default(), fps, seconds };
    let mut film = Film::create(&path, format, &settings)?;
    for _ in 0..steps {
        film.before_step(&run)?;
        run.step();
        film.after_step(&run)?;
    }
    println!("{}: {} frames", path.display(), film.finish(&run)?);
    Ok(())
}
