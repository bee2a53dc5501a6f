//! How tests start carom, and where they write.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs carom; returns its exit code, standard output, standard error.
#[allow(dead_code, reason = "not every test runs carom in this folder")]
pub(crate) fn ran(args: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_carom")).args(args).output().expect("carom starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("carom prints UTF-8");
    (output.status.code().expect("carom was not killed"), text(output.stdout), text(output.stderr))
}

/// An empty folder of one test.
pub(crate) fn empty_folder(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(env!("CARGO_CRATE_NAME")).join(test);
    std::fs::remove_dir_all(&path).ok();
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// A path as an argument.
#[allow(dead_code, reason = "not every test names files")]
pub(crate) fn name(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Width and height of a PNG.
#[allow(dead_code, reason = "not every test draws")]
pub(crate) fn picture_size(path: &Path) -> (u32, u32) {
    let file = std::io::BufReader::new(std::fs::File::open(path).unwrap());
    let reader = png::Decoder::new(file).read_info().unwrap();
    (reader.info().width, reader.info().height)
}

/// A ball that falls onto the ground within 25 steps, and one that stays where it is.
#[allow(dead_code, reason = "not every test runs particles")]
pub(crate) const BALL_SCENE: &str = r#"<scene>
  <description text="one ball falls"/>
  <duration time="0.25"/>
  <integrator type="symplectic-euler" dt="0.01"/>
  <collision type="simple" COR="0.5"/>
  <simplegravity fx="0.0" fy="-10.0"/>
  <particle m="2.0" px="0.0" py="0.2" vx="0.1" vy="0.0" fixed="0" radius="0.1"/>
  <particle m="1.0" px="3.0" py="1.0" vx="0.0" vy="0.0" fixed="1" radius="0.1"/>
  <halfplane px="0.0" py="0.0" nx="0.0" ny="1.0"/>
</scene>
"#;
