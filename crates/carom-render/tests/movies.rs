//! Movies as files: how many frames, how long, and what is in them.

use carom_render::{Film, Format, Look, RenderError, Settings, Size, snapshot};
use carom_scenes::{BuildOptions, Run, SceneWorld, find, find_entry};
use std::path::{Path, PathBuf};

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn small() -> Size {
    Size::new(160, 90).unwrap()
}

/// Films a scene and returns the number of frames.
fn film(scene: &str, path: &Path, fps: u32, seconds: f64) -> Result<u32, RenderError> {
    let format = Format::of(path).expect("a name with a known ending");
    let (film, run) = filmed(scene, seconds, Film::create(path, format, &settings(fps, seconds))?)?;
    film.finish(&run)
}

fn settings(fps: u32, seconds: f64) -> Settings {
    Settings { size: small(), look: Look::default(), fps, seconds }
}

/// Runs a scene for some time before a camera.
fn filmed(scene: &str, seconds: f64, mut film: Film) -> Result<(Film, Run), RenderError> {
    let mut run = find_entry(scene).unwrap().build().unwrap();
    while run.time() < seconds - 1.0e-9 {
        film.before_step(&run)?;
        run.step();
        film.after_step(&run)?;
    }
    Ok((film, run))
}

/// Plays a GIF: pictures as they appear, and when each is over, in hundredths of a second.
fn play(path: &Path) -> Vec<(Vec<u8>, u32)> {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(std::fs::File::open(path).unwrap()).unwrap();
    let width = usize::from(decoder.width());
    let mut screen = vec![0; 4 * width * usize::from(decoder.height())];
    let (mut shown, mut time) = (Vec::new(), 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        for (i, pixel) in frame.buffer.chunks_exact(4).enumerate() {
            let (x, y) = (i % usize::from(frame.width), i / usize::from(frame.width));
            let at = 4 * ((y + usize::from(frame.top)) * width + x + usize::from(frame.left));
            if pixel[3] != 0 {
                screen[at..at + 4].copy_from_slice(pixel);
            }
        }
        time += u32::from(frame.delay);
        shown.push((screen.clone(), time));
    }
    shown
}

#[test]
fn a_gif_shows_what_was_drawn() {
    let path = scratch("bricks.gif");
    assert_eq!(film("falling_bricks", &path, 30, 1.5).unwrap(), 45);
    let shown = play(&path);
    assert_eq!(shown.len(), 45);
    assert_eq!(shown[44].1, 150, "as long as the run, although no frame lasts 3.33 hundredths");
    let mut run: SceneWorld = find("falling_bricks").unwrap().build(&BuildOptions::default()).unwrap();
    for (frame, (picture, _)) in shown.iter().enumerate() {
        let drawn = snapshot(&run, small(), &Look::default());
        let worst = drawn.picture().rgba.iter().zip(picture).map(|(a, b)| a.abs_diff(*b)).max();
        assert!(worst < Some(24), "frame {frame} is off by {worst:?}");
        run.step();
        run.step();
    }
}

#[test]
fn a_gif_in_which_little_moves_has_all_its_frames() {
    let path = scratch("still.gif");
    // Ten seconds, of which the bricks sleep the last ones; only the clock goes on.
    assert_eq!(film("falling_bricks", &path, 5, 10.0).unwrap(), 50);
    assert_eq!(play(&path).len(), 50);
}

#[test]
fn a_scene_in_space_has_all_its_frames() {
    let path = scratch("cradle.gif");
    assert_eq!(film("cradle_3d", &path, 10, 0.5).unwrap(), 5);
    let shown = play(&path);
    assert_eq!((shown.len(), shown[4].1), (5, 50));
    assert_ne!(shown[0].0, shown[4].0, "the balls swing");
}

#[test]
fn an_mp4_has_every_frame() {
    let path = scratch("bricks.mp4");
    assert_eq!(film("falling_bricks", &path, 60, 1.5).unwrap(), 90);
    let file = std::fs::File::open(&path).unwrap();
    let length = file.metadata().unwrap().len();
    let mut reader = mp4::Mp4Reader::read_header(std::io::BufReader::new(file), length).unwrap();
    assert_eq!(reader.duration().as_millis(), 1500);
    let (id, track) = reader.tracks().iter().next().unwrap();
    let id = *id;
    assert_eq!((track.width(), track.height(), track.sample_count()), (160, 90, 90));
    assert!((track.frame_rate() - 60.0).abs() < 1.0e-6);
    assert!(track.sequence_parameter_set().is_ok() && track.picture_parameter_set().is_ok());
    for number in 1..=90 {
        let sample = reader.read_sample(id, number).unwrap().unwrap();
        assert!(!sample.bytes.is_empty());
        assert_eq!(sample.is_sync, number == 1, "a key frame every two seconds");
    }
}

#[test]
fn a_folder_has_numbered_frames() {
    let path = scratch("frames/");
    std::fs::remove_dir_all(&path).ok();
    assert_eq!(film("stack", &scratch("frames").join(""), 10, 1.0).unwrap(), 10);
    let mut names: Vec<String> =
        std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names.len(), 10);
    assert_eq!((names[0].as_str(), names[9].as_str()), ("frame00001.png", "frame00010.png"));
}

#[test]
fn frame_counts() {
    // Rates that divide the steps and rates that do not, steps of 1/60 s and 1/50 s, and no time at all.
    for (scene, fps, seconds, frames) in [
        ("falling_bricks", 60, 0.5, 30),
        ("falling_bricks", 24, 0.5, 12),
        ("falling_bricks", 120, 0.5, 60),
        ("forces", 60, 0.5, 30),
        ("forces", 7, 1.0, 7),
        ("cloth", 60, 0.25, 15),
        ("cloth", 7, 0.5, 4),
        ("falling_bricks", 60, 0.0, 1),
        ("falling_bricks", 1, 0.2, 1),
    ] {
        let path = scratch(&format!("count_{scene}_{fps}")).join("");
        std::fs::remove_dir_all(&path).ok();
        assert_eq!(film(scene, &path, fps, seconds).unwrap(), frames, "{scene} {fps} {seconds}");
        assert_eq!(std::fs::read_dir(&path).unwrap().count(), frames as usize);
    }
}

#[test]
fn movies_in_memory_are_the_same_files() {
    for (name, fps) in [("memory.gif", 10), ("memory.mp4", 24), ("memory.png", 60)] {
        let path = scratch(name);
        let format = Format::of(&path).unwrap();
        film("vortex", &path, fps, 0.5).unwrap();
        let in_memory = Film::in_memory(format, &settings(fps, 0.5)).unwrap();
        let (in_memory, run) = filmed("vortex", 0.5, in_memory).unwrap();
        let bytes = in_memory.finish_in_memory(&run).unwrap();
        assert!(bytes.len() > 500, "{name}: {} bytes", bytes.len());
        assert!(bytes == std::fs::read(&path).unwrap(), "{name} differs");
    }
    let folder = Film::in_memory(Format::Frames, &settings(10, 0.5)).unwrap_err();
    assert!(folder.to_string().contains("folder"), "{folder}");
}

#[test]
fn endless_movies_are_refused_before_anything_is_written() {
    let path = scratch("endless.gif");
    std::fs::remove_file(&path).ok();
    for seconds in [1.0e6, 1.0e300, f64::INFINITY] {
        let error = Film::create(&path, Format::Gif, &settings(50, seconds)).unwrap_err();
        assert!(matches!(&error, RenderError::Length(text) if text.contains("1000000")), "{error}");
    }
    assert!(!path.exists());
    assert!(Film::in_memory(Format::Png, &settings(60, 1.0e300)).is_ok(), "one picture has no length");
}

#[test]
fn marks_stay_for_a_while_and_go() {
    use carom_particles::StepReport;
    let mut run = find_entry("cloth").unwrap().build().unwrap();
    let mut film = Film::in_memory(Format::Gif, &settings(20, 1.0)).unwrap();
    let mut plain = Film::in_memory(Format::Gif, &settings(20, 1.0)).unwrap();
    let report = StepReport { step: 24, marked_particles: vec![500, 700], ..StepReport::default() };
    for step in 1..=240 {
        film.before_step(&run).unwrap();
        plain.before_step(&run).unwrap();
        run.step();
        if let (24, Run::Particles(run)) = (step, &run) {
            film.mark(run, &report);
        }
        film.after_step(&run).unwrap();
        plain.after_step(&run).unwrap();
    }
    let [marked, plain] = [(film, "marked.gif"), (plain, "unmarked.gif")].map(|(film, name)| {
        let path = scratch(name);
        std::fs::write(&path, film.finish_in_memory(&run).unwrap()).unwrap();
        play(&path)
    });
    let differs = |frame: usize| {
        let pairs = marked[frame].0.iter().zip(&plain[frame].0);
        pairs.filter(|(a, b)| a.abs_diff(**b) > 60).count() > 10
    };
    // The mark appears at 0.1 s, in frame 2, and is gone half a second later.
    let seen: Vec<usize> = (0..20).filter(|&frame| differs(frame)).collect();
    assert!(seen.first() == Some(&2) && seen.len() >= 6, "{seen:?}");
    assert!(seen.last() <= Some(&12), "{seen:?}");
}

#[test]
fn formats_by_name() {
    for (name, format) in [
        ("a.png", Some(Format::Png)),
        ("a.GIF", Some(Format::Gif)),
        ("b/a.mp4", Some(Format::Mp4)),
        ("some/where/", Some(Format::Frames)),
        (env!("CARGO_MANIFEST_DIR"), Some(Format::Frames)),
        ("a.avi", None),
        ("a", None),
        ("", None),
    ] {
        assert_eq!(Format::of(Path::new(name)), format, "{name}");
    }
}

#[test]
fn what_a_format_cannot_hold() {
    let size = |width, height| Size::new(width, height).unwrap();
    assert!(Format::Mp4.check(size(320, 180), 60).is_ok());
    let odd = Format::Mp4.check(size(321, 181), 60).unwrap_err().to_string();
    assert!(odd.contains("even") && odd.contains("322x182"), "{odd}");
    let large = Format::Mp4.check(size(4000, 4000), 60).unwrap_err().to_string();
    assert!(large.contains("3840x2160"), "{large}");
    assert!(Format::Gif.check(size(321, 181), 50).is_ok());
    assert!(Format::Gif.check(size(320, 180), 60).unwrap_err().to_string().contains("1 to 50"));
    assert!(Format::Png.check(size(8192, 17), 60).is_ok());
}

#[cfg(unix)]
#[test]
fn places_that_cannot_be_written() {
    for name in ["/nowhere/at/all.png", "/nowhere/at/all.gif", "/nowhere/at/all.mp4", "/dev/null/frames/"] {
        let error = film("stack", Path::new(name), 10, 0.0).unwrap_err();
        assert!(matches!(error, RenderError::Create { .. }), "{name}: {error}");
    }
}
