//! A few scenes against stored pictures. Moments are early and scenes simple: what is compared is the
//! drawing, not the physics.
//!
//! After a change of looks that is meant: `CAROM_BLESS=1 cargo test -p carom-render --test pictures`,
//! then look at what changed under `tests/pictures/`.

use carom_render::{Decor, Look, Picture, Size, Theme, encode_png, snapshot};
use carom_scenes::{BuildOptions, find};
use std::path::PathBuf;

/// Compares a scene after some steps with `tests/pictures/<name>.png`.
fn compare(name: &str, scene: &str, steps: u32, look: Look) {
    let mut run = find(scene).unwrap().build(&BuildOptions::default()).unwrap();
    for _ in 0..steps {
        run.step();
    }
    let canvas = snapshot(&run, Size::new(320, 180).unwrap(), &look);
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pictures/{name}.png"));
    if std::env::var_os("CAROM_BLESS").is_some() {
        encode_png(std::fs::File::create(&path).unwrap(), canvas.picture(), false).unwrap();
        return;
    }
    let (mean, far) = difference(&path, canvas.picture());
    if mean > 0.4 || far > 0.003 {
        let actual = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        encode_png(std::fs::File::create(&actual).unwrap(), canvas.picture(), false).unwrap();
        panic!(
            "{name} looks different: bytes differ by {mean:.2} on average, {:.2}% of pixels are far off\n\
             expected {}\ndrawn    {}\n\
             if that is meant, run CAROM_BLESS=1 cargo test -p carom-render --test pictures",
            100.0 * far,
            path.display(),
            actual.display(),
        );
    }
}

/// Mean difference of bytes, and the share of pixels that differ by more than 40 in some channel.
fn difference(path: &PathBuf, picture: Picture<'_>) -> (f64, f64) {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut expected = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut expected).unwrap();
    assert_eq!((info.width, info.height), (picture.size.width(), picture.size.height()));
    let (mut sum, mut far) = (0_u64, 0_u64);
    for (want, have) in expected.chunks_exact(3).zip(picture.rgba.chunks_exact(4)) {
        let differences = [0, 1, 2].map(|i| u64::from(want[i].abs_diff(have[i])));
        sum += differences.iter().sum::<u64>();
        far += u64::from(differences.iter().any(|&difference| difference > 40));
    }
    let pixels = f64::from(info.width * info.height);
    (sum as f64 / (3.0 * pixels), far as f64 / pixels)
}

fn dark() -> Look {
    Look { theme: Theme::Dark, ..Look::default() }
}

fn with(overlays: &str) -> Look {
    Look { overlays: overlays.parse().unwrap(), ..Look::default() }
}

#[test]
fn falling_bricks() {
    compare("falling_bricks", "falling_bricks", 40, Look::default());
}

#[test]
fn falling_bricks_on_dark() {
    compare("falling_bricks_dark", "falling_bricks", 40, dark());
}

#[test]
fn circles_with_spokes() {
    compare("elastic_gas", "elastic_gas", 0, Look { decor: Decor::None, ..Look::default() });
}

#[test]
fn sensors_and_the_quadtree() {
    compare("quadtree", "p2_quadtree", 1, with("tree"));
}

#[test]
fn overlays() {
    compare("overlays", "stack", 10, with("contacts,normals,aabbs,centers,ids"));
}

#[test]
fn thousands_of_bodies() {
    compare("large_pyramid", "large_pyramid", 0, dark());
}

#[test]
fn overlays_change_the_picture() {
    let mut run = find("falling_bricks").unwrap().build(&BuildOptions::default()).unwrap();
    for _ in 0..75 {
        run.step();
    }
    let size = Size::new(640, 360).unwrap();
    let plain = snapshot(&run, size, &Look::default()).picture().rgba.to_vec();
    for overlay in carom_render::Overlay::ALL {
        let drawn = snapshot(&run, size, &with(overlay.name()));
        assert!(drawn.picture().rgba != plain, "{} shows nothing", overlay.name());
    }
}
