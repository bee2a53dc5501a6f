//! `carom view` in a real window, on a display that exists in memory only.
//!
//! Needs `xvfb-run` (`scripts/setup` installs it). Without it the tests say that they are skipped, or fail if
//! CAROM_WINDOW is set.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longer than any window should need, even drawn without a graphics card on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// Whether there is a display to be had.
fn display() -> bool {
    let found = Command::new("xvfb-run").arg("--help").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        assert!(std::env::var_os("CAROM_WINDOW").is_none(), "xvfb-run is missing: scripts/setup installs it");
        eprintln!("skipped: xvfb-run is missing");
    }
    found
}

/// Held while there is a display: two that start at once may choose the same number.
static DISPLAY: Mutex<()> = Mutex::new(());

/// Exit code and standard error of `carom` with a display of 1280 by 800.
///
/// The code goes through a file: that of `xvfb-run` is another where the display is still writing to its folder while that
/// is being removed.
fn carom(args: &[&str]) -> (Option<i32>, String) {
    with_display(&[&[env!("CARGO_BIN_EXE_carom")], args].concat())
}

/// The same of any command.
fn with_display(command: &[&str]) -> (Option<i32>, String) {
    const KEEP_CODE: &str = r#"file=$0; "$@"; echo $? > "$file""#;
    let _held = DISPLAY.lock().unwrap_or_else(PoisonError::into_inner);
    let file = scratch("code");
    std::fs::create_dir_all(scratch("")).unwrap();
    std::fs::remove_file(&file).ok();
    let child = Command::new("xvfb-run")
        .args(["-a", "-s", "-screen 0 1280x800x24", "sh", "-c", KEEP_CODE])
        .arg(&file)
        .args(command)
        .env_remove("WAYLAND_DISPLAY")
        // What the window remembers must not come from, or go to, whoever runs the tests.
        .env("XDG_DATA_HOME", scratch("data"))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (code, error) = finished(child, command);
    let kept = std::fs::read_to_string(&file).ok().and_then(|text| text.trim().parse().ok());
    (kept.or(code), error)
}

fn finished(mut child: Child, args: &[&str]) -> (Option<i32>, String) {
    let start = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if start.elapsed() > PATIENCE => {
                child.kill().ok();
                panic!("the window of {args:?} does not close");
            }
            None => std::thread::sleep(Duration::from_millis(50)),
        }
    };
    let mut error = String::new();
    child.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    (status.code(), error)
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("window").join(name)
}

/// A picture's size, how often each colour occurs, and how bright it is on average, from 0 to 1.
struct Picture {
    size: (u32, u32),
    colors: BTreeMap<[u8; 3], u32>,
    brightness: f64,
}

impl Picture {
    /// Those columns of a picture that it has.
    fn read(path: &Path, columns: Range<usize>) -> Picture {
        let mut decoder = png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap()));
        decoder.set_transformations(png::Transformations::normalize_to_color8());
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut bytes).unwrap();
        let samples = info.color_type.samples();
        assert!(samples >= 3, "{path:?} has no colours");
        let mut colors = BTreeMap::new();
        let mut sum = 0.0;
        let pixels = bytes[..info.buffer_size()].chunks_exact(samples).enumerate();
        for (_, pixel) in pixels.filter(|(i, _)| columns.contains(&(i % info.width as usize))) {
            *colors.entry([pixel[0], pixel[1], pixel[2]]).or_insert(0) += 1;
            sum += pixel[..3].iter().map(|&value| f64::from(value)).sum::<f64>();
        }
        let size = (info.width.min(columns.len() as u32), info.height);
        Picture { size, colors, brightness: sum / (765.0 * f64::from(size.0 * size.1)) }
    }

    /// How much of the picture is within a distance of a colour.
    fn share(&self, color: [u8; 3], distance: u8) -> f64 {
        let near = |other: &[u8; 3]| color.iter().zip(other).all(|(a, b)| a.abs_diff(*b) <= distance);
        let count: u32 = self.colors.iter().filter(|(other, _)| near(other)).map(|(_, count)| count).sum();
        f64::from(count) / f64::from(self.size.0 * self.size.1)
    }
}

/// The picture that a window shows after two seconds.
fn shown(name: &str, args: &[&str]) -> Picture {
    Picture::read(&shown_of("falling_bricks", name, &[&["--after", "2"], args].concat()), 0..usize::MAX)
}

/// The same where no scene is named.
fn shown_of_none(name: &str, args: &[&str]) -> Picture {
    Picture::read(&screenshot(name, &[&["view", "--after", "2"], args].concat()), 0..usize::MAX)
}

/// Where the picture is that a window shows of a scene.
fn shown_of(scene: &str, name: &str, args: &[&str]) -> PathBuf {
    screenshot(name, &[&["view", scene], args].concat())
}

fn screenshot(name: &str, args: &[&str]) -> PathBuf {
    let path = scratch(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::remove_file(&path).ok();
    let all = [args, &["--screenshot", path.to_str().unwrap()]].concat();
    let (code, error) = carom(&all);
    assert_eq!(code, Some(0), "{all:?}\n{error}");
    assert!(!error.contains("panicked"), "{error}");
    path
}

/// The red, yellow and blue bricks, as either theme shows them awake or asleep, cover something.
fn shows_bricks(picture: &Picture) {
    for color in [[217, 72, 65], [242, 201, 76], [66, 125, 196]] {
        assert!(picture.share(color, 70) > 0.002, "no {color:?}: {}", picture.share(color, 70));
    }
    let most = picture.colors.values().max().copied().unwrap_or(0);
    assert!(picture.colors.len() > 60, "only {} colours", picture.colors.len());
    assert!(f64::from(most) < 0.9 * f64::from(picture.size.0 * picture.size.1), "nearly blank");
}

#[test]
fn a_window_opens_draws_and_closes_in_both_themes() {
    if !display() {
        return;
    }
    let light = shown("light.png", &["--theme", "light"]);
    let dark = shown_of_none("dark.png", &["--theme", "dark"]);
    for picture in [&light, &dark] {
        assert!(picture.size.0 >= 640 && picture.size.1 >= 400, "{:?}", picture.size);
        shows_bricks(picture);
    }
    assert!(light.brightness > 0.75 && dark.brightness < 0.35, "{} and {}", light.brightness, dark.brightness);
}

#[test]
fn falling_bricks_fills_the_window() {
    if !display() {
        return;
    }
    shows_bricks(&shown_of_none("play.png", &["--theme", "light", "--play"]));
}

/// Two fixed balls that overlap and approach: they collide in every step.
const COLLIDING: &str = r#"<scene><duration time="0.1"/><integrator type="symplectic-euler" dt="0.01"/>
  <collision type="simple"/><viewport cx="0" cy="0" size="0.5"/>
  <particle m="1" px="-0.2" py="0" vx="0.01" vy="0" fixed="1" radius="0.3"/>
  <particle m="1" px="0.2" py="0" vx="-0.01" vy="0" fixed="1" radius="0.3"/></scene>"#;

#[test]
fn a_comparison_marks_the_step_that_is_shown() {
    if !display() {
        return;
    }
    std::fs::create_dir_all(scratch("")).unwrap();
    let (scene, file) = (scratch("colliding.xml"), scratch("wrong.bin"));
    std::fs::write(&scene, COLLIDING).unwrap();
    let (scene, path) = (scene.to_str().unwrap(), file.to_str().unwrap());
    let made = Command::new(env!("CARGO_BIN_EXE_carom")).args(["run", scene, "--out", path]).status();
    assert!(made.unwrap().success());
    let mut bytes = std::fs::read(&file).unwrap();
    // Step 5 loses its collision: all that follows a frame's four vectors of two floats each and its count.
    let (start, frame) = (2 * 32 + 4, 2 * 32 + 4 + 36);
    let at = start + 4 * frame;
    bytes.drain(at + start..at + frame);
    bytes[at + start - 4..at + start].fill(0);
    std::fs::write(&file, bytes).unwrap();

    let green = |theme: &str, after: &str| {
        let args = ["--compare", path, "--theme", theme, "--after", after];
        let path = shown_of(scene, &format!("compare-{theme}-{after}.png"), &args);
        let color = if theme == "light" { [0, 170, 50] } else { [70, 235, 110] };
        // Between the list of scenes and the panel, which has green words.
        Picture::read(&path, 300..900).share(color, 70)
    };
    for theme in ["light", "dark"] {
        let (before, there) = (green(theme, "0.04"), green(theme, "0.05"));
        assert!(before == 0.0 && there > 2.0e-4, "{theme}: {before} of the picture, then {there}");
    }
    // There is nothing after the end, and nothing to wait for.
    assert_eq!(green("light", "1000"), 0.0);
}

#[test]
fn a_picture_that_cannot_be_written_is_a_failure() {
    if !display() {
        return;
    }
    let (code, error) = carom(&["view", "falling_bricks", "--screenshot", "/no/such/folder/x.png", "--after", "0"]);
    assert!(matches!(code, Some(1 | 2)), "{code:?}\n{error}");
    assert!(error.contains("/no/such/folder/x.png"), "{error}");
}

#[test]
fn without_a_display_it_says_so() {
    let child = Command::new(env!("CARGO_BIN_EXE_carom"))
        .args(["view", "falling_bricks"])
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .env_remove("WAYLAND_SOCKET")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let (code, error) = finished(child, &[]);
    assert!(matches!(code, Some(1 | 2)), "{code:?}\n{error}");
    assert!(error.contains("display") && !error.contains("panicked"), "{error}");
}

/// `carom fosssim` with a display runs the scene, then shows it until somebody closes the window. Nobody does: `timeout`
/// ends it, which shows in the exit code.
#[test]
fn fosssim_shows_its_scene_in_a_window() {
    if !display() {
        return;
    }
    std::fs::create_dir_all(scratch("")).unwrap();
    let (scene, out) = (scratch("shown.xml"), scratch("shown.bin"));
    std::fs::write(&scene, COLLIDING).unwrap();
    std::fs::remove_file(&out).ok();
    let (carom, scene, file) = (env!("CARGO_BIN_EXE_carom"), scene.to_str().unwrap(), out.to_str().unwrap());
    for paused in ["0", "1"] {
        let (code, error) =
            with_display(&["timeout", "10", carom, "fosssim", "-d", "1", "-p", paused, "-s", scene, "-o", file]);
        assert!(!error.contains("panicked") && !error.contains("error:"), "{error}");
        assert_eq!(code, Some(124), "the window stayed open until it was ended: {error}");
        // Eleven frames of two particles, with a count and a collision in all but the first.
        assert_eq!(std::fs::metadata(&out).unwrap().len(), 11 * (8 * 8 + 4) + 10 * 36);
    }
}
