//! Where the scenes and references are, and how to read the latter.

use carom3d::math::{DVec3, Quat, dvec3};
use carom3d::{Scene, SceneOptions};
use std::path::{Path, PathBuf};

/// The shared folder: `CAROM_SHARED`, or `shared` beside this crate's workspace. Says so when there is none.
pub(crate) fn shared_folder(test: &str) -> Option<PathBuf> {
    let named = std::env::var_os("CAROM_SHARED").map(PathBuf::from);
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("shared"));
    let found = named.into_iter().chain(beside).find(|folder| folder.join("p5/scenes").is_dir());
    if found.is_none() {
        eprintln!("SKIPPED {test}: no shared folder; set CAROM_SHARED to the one that holds p5/");
    }
    found
}

/// A scene of the shared folder, if that is there.
#[allow(dead_code, reason = "not every test loads scenes this way")]
pub(crate) fn load(name: &str, options: SceneOptions) -> Option<Scene> {
    let folder = shared_folder(name)?;
    Some(Scene::from_file(folder.join(format!("p5/scenes/{name}.scene")), options).unwrap())
}

/// One body at one time of a reference trajectory.
#[allow(dead_code, reason = "not every test looks at everything")]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) time_s: f64,
    pub(crate) body: usize,
    pub(crate) position: DVec3,
    pub(crate) velocity: DVec3,
    pub(crate) orientation: Option<Quat>,
    pub(crate) angular_velocity: Option<DVec3>,
    pub(crate) total_energy: Option<f64>,
}

/// A reference trajectory, in the order of time.
#[allow(dead_code, reason = "not every test reads references")]
pub(crate) fn reference(name: &str) -> Vec<Row> {
    let path = shared_folder(name).unwrap().join(format!("p5/reference/{name}.csv"));
    let text = std::fs::read_to_string(path).unwrap();
    let row = |line: &str| {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        let vector = |at: usize| dvec3(cells[at], cells[at + 1], cells[at + 2]);
        let turns = cells.len() >= 16;
        Row {
            time_s: cells[0],
            body: cells[1] as usize,
            position: vector(3),
            velocity: vector(6),
            orientation: turns.then(|| Quat { w: cells[9], x: cells[10], y: cells[11], z: cells[12] }),
            angular_velocity: turns.then(|| vector(13)),
            total_energy: cells.get(16).copied(),
        }
    };
    text.lines().skip(1).map(row).collect()
}
