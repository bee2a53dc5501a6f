//! Scene files of all three formats, and trajectories.

use crate::oracle::{finite, in_time};
use carom_particles::{Grader, Trajectory, write_trajectory};
use carom_scenes::{Run, file, open_bytes};

/// Scenes of more bodies than this are read, but not stepped: how long a step of many may take is no question of the format.
const MOST_BODIES: usize = 200;
/// How many steps a scene is made to go.
const STEPS: usize = 12;

pub(crate) const JSON_WORDS: &[&str] = &[
    "carom",
    "bodies",
    "shapes",
    "joints",
    "fluids",
    "world",
    "gravity",
    "kind",
    "fixed",
    "dynamic",
    "kinematic",
    "position",
    "angle",
    "velocity",
    "angular_velocity",
    "rectangle",
    "circle",
    "capsule",
    "segment",
    "convex",
    "concave",
    "chain",
    "ellipse",
    "holes",
    "points",
    "radius",
    "width",
    "height",
    "rounding",
    "density",
    "friction",
    "restitution",
    "sensor",
    "one_way",
    "filter",
    "revolute",
    "prismatic",
    "distance",
    "weld",
    "wheel",
    "motor",
    "mouse",
    "gear",
    "pulley",
    "limits",
    "spring",
    "solver",
    "substeps",
    "null",
    "true",
    "false",
];

pub(crate) const XML_WORDS: &[&str] = &[
    "scene",
    "particle",
    "edge",
    "halfplane",
    "springforce",
    "simplegravity",
    "gravitationalforce",
    "dragdamping",
    "vortexforce",
    "constantforce",
    "integrator",
    "collision",
    "simple",
    "penalty",
    "continuous",
    "none",
    "duration",
    "explicit-euler",
    "symplectic-euler",
    "implicit-euler",
    "linearized-implicit-euler",
    "m",
    "px",
    "py",
    "vx",
    "vy",
    "fixed",
    "radius",
    "i",
    "j",
    "k",
    "l0",
    "b",
    "type",
    "COR",
    "thickness",
    "maxsimfreq",
    "dt",
    "time",
    "nx",
    "ny",
];

pub(crate) const SCENE_3D_WORDS: &[&str] = &[
    "scene",
    "sphere",
    "plane",
    "triangle",
    "box",
    "capsule",
    "spring",
    "body",
    "body1",
    "body2",
    "id",
    "mass",
    "radius",
    "position",
    "normal",
    "vertex",
    "velocity",
    "angular_velocity",
    "orientation",
    "offset1",
    "offset2",
    "equilibrium",
    "constant",
    "damping",
    "gravity",
    "material",
    "camera",
    "fov",
    "v",
    "x",
    "y",
    "z",
    "a",
    "w",
    "i",
    "collision_damping",
];

fn about(name: &str, bytes: &[u8]) -> Option<Run> {
    let read = in_time("reading", || open_bytes(name, bytes));
    if let Err(error) = &read {
        let message = error.to_string();
        // What a file holds must not reach a terminal as it is.
        assert!(!message.contains(|c: char| c.is_control() && c != '\n'), "{message:?}");
        assert!(message.len() < 4096, "an error of {} bytes", message.len());
    }
    read.ok()
}

/// Reads a JSON scene. One that is accepted is written to what is read again, and goes on.
pub(crate) fn scene_json(bytes: &[u8]) -> usize {
    let Some(Run::Rigid(mut run)) = about("fuzz.json", bytes) else { return 0 };
    let text = file::write(&run);
    let again = file::read("again.json", text.as_bytes()).expect("what was written can be read");
    assert_eq!(file::write(&again), text, "what was written and read is written in another way");
    if run.world.body_count() > MOST_BODIES {
        return 1;
    }
    for _ in 0..STEPS {
        in_time("a step of a JSON scene", || run.step());
        run.world.validate();
        for id in run.world.bodies() {
            let body = run.world.body(id);
            let (at, velocity) = (body.position(), body.velocity());
            finite("a state", [at.x, at.y, velocity.x, velocity.y, body.angular_velocity()].map(f64::from));
        }
    }
    2
}

/// Reads a particle scene. One that is accepted goes on, and is written to what is read again if it can be written.
pub(crate) fn scene_xml(bytes: &[u8]) -> usize {
    let Some(Run::Particles(mut run)) = about("fuzz.xml", bytes) else { return 0 };
    if let Ok(text) = run.scene.to_xml() {
        carom_particles::Scene::from_xml("again.xml", text.as_bytes()).expect("what was written can be read");
    }
    if run.scene.system.particle_count() > MOST_BODIES {
        return 1;
    }
    for _ in 0..STEPS {
        in_time("a step of an XML scene", || run.step());
        let system = &run.scene.system;
        finite("a position", system.positions().iter().flat_map(|v| v.to_array()));
        finite("a velocity", system.velocities().iter().flat_map(|v| v.to_array()));
    }
    2
}

/// Reads a 3D scene. One that is accepted goes on.
pub(crate) fn scene_3d(bytes: &[u8]) -> usize {
    let Some(Run::Solid(mut run)) = about("fuzz.scene", bytes) else { return 0 };
    if run.scene.world.body_count() > MOST_BODIES {
        return 1;
    }
    for _ in 0..STEPS {
        in_time("a step of a .scene", || run.scene.step());
        run.scene.world.validate();
        for id in run.scene.world.bodies() {
            let body = run.scene.world.body(id);
            finite("a position", body.position().to_array());
            finite("a velocity", body.velocity().to_array());
            finite("an angular velocity", body.angular_velocity().to_array());
        }
    }
    2
}

/// The scenes that trajectories are of, one with collisions and one without.
fn trajectory_scene(collisions: bool) -> carom_particles::Scene {
    let handling = if collisions { "<collision type=\"simple\" COR=\"0.9\"/>" } else { "" };
    let text = format!(
        "<scene>{handling}<simplegravity fx=\"0\" fy=\"-9.8\"/><duration time=\"0.1\"/>\
         <integrator type=\"symplectic-euler\" dt=\"0.02\"/>\
         <particle m=\"1\" px=\"0\" py=\"0.05\" vx=\"1\" vy=\"0\" fixed=\"0\" radius=\"0.1\"/>\
         <particle m=\"1\" px=\"0.15\" py=\"0.05\" vx=\"-1\" vy=\"0\" fixed=\"0\" radius=\"0.1\"/>\
         <halfplane px=\"0\" py=\"0\" nx=\"0\" ny=\"1\"/></scene>"
    );
    carom_particles::Scene::from_xml("trajectory.xml", text.as_bytes()).expect("a scene")
}

/// Reads a trajectory, as if it belonged to a scene, and grades it. The first byte says which scene.
pub(crate) fn trajectory(bytes: &[u8]) -> usize {
    let Some((&which, bytes)) = bytes.split_first() else { return 0 };
    let scene = trajectory_scene(which % 2 == 0);
    carom_particles::compare(&scene, bytes).ok();
    let Ok(trajectory) = in_time("reading", || Trajectory::read(&scene, bytes)) else { return 0 };
    let mut grader = Grader::new(&scene);
    for step in 0..=trajectory.steps() {
        trajectory.grade(&mut grader, step);
    }
    // Numbers that a file may hold are taken as they are; a run that follows them must not mind.
    let mut run = carom_scenes::ParticleRun::new("fuzz", "", scene).along(std::sync::Arc::new(trajectory));
    for _ in 0..STEPS {
        in_time("following a trajectory", || run.step());
    }
    1
}

pub(crate) fn trajectory_seeds() -> Vec<Vec<u8>> {
    [true, false]
        .map(|collisions| {
            let scene = trajectory_scene(collisions);
            let mut bytes = vec![u8::from(!collisions)];
            write_trajectory(&scene, scene.steps(), &mut bytes).expect("memory");
            bytes
        })
        .to_vec()
}

pub(crate) fn json_seeds() -> Vec<Vec<u8>> {
    let built_in = ["falling_bricks", "incline", "one_way_platforms", "floating_bodies", "ellipses", "bridge"];
    let built = built_in.iter().filter_map(|name| {
        let run = carom_scenes::find(name).ok()?.build(&carom_scenes::BuildOptions::default()).ok()?;
        Some(file::write(&run).into_bytes())
    });
    // Scenes that say little: their defaults are left out.
    let short = built.filter(|text| text.len() < 7000);
    short.chain(JSON_FILES.map(|text| text.as_bytes().to_vec())).collect()
}

pub(crate) fn xml_seeds() -> Vec<Vec<u8>> {
    vec![
        include_bytes!("../../../scenes/beads.xml").to_vec(),
        br#"<scene><simplegravity fx="0" fy="-9.8"/><duration time="1"/><integrator type="implicit-euler" dt="0.01"/>
<collision type="penalty" k="100" thickness="0.01"/>
<particle m="1" px="0" py="1" vx="0" vy="0" fixed="0" radius="0.1"/>
<particle m="2" px="1" py="1" vx="0.5" vy="0" fixed="1" radius="0.2"/>
<particle m="1" px="0.5" py="2" vx="0" vy="-1" fixed="0"/>
<edge i="0" j="1" radius="0.02"/><springforce edge="0" k="50" l0="0.8" b="0.1"/>
<halfplane px="0" py="0" nx="0" ny="1"/><gravitationalforce i="0" j="2" G="0.1"/>
<dragdamping b="0.2"/><vortexforce i="1" j="2" kbs="1" kvc="0.5"/></scene>"#
            .to_vec(),
        br#"<scene><duration time="0.5"/><integrator type="symplectic-euler" dt="0.01"/>
<collision type="continuous" COR="0.5"/>
<particle m="1" px="0" py="1" vx="0" vy="-9" fixed="0" radius="0.1"/>
<particle m="1" px="-1" py="0" vx="0" vy="0" fixed="0" radius="0.1"/>
<particle m="1" px="1" py="0" vx="0" vy="0" fixed="0" radius="0.1"/>
<edge i="1" j="2" radius="0.05"/><particlecolor i="0" r="1" g="0" b="0"/></scene>"#
            .to_vec(),
    ]
}

pub(crate) fn scene_3d_seeds() -> Vec<Vec<u8>> {
    let scene = |rest: &str| {
        format!(
            "<scene><camera><fov v=\".785\"/><near_clip v=\".01\"/><far_clip v=\"200\"/><position x=\"0\" y=\"0\" z=\"9\"/>\
             <orientation a=\"0\" x=\"0\" y=\"1\" z=\"0\"/></camera><background_color r=\"0\" g=\"0\" b=\"0\"/>\
             <refractive_index v=\"1\"/><gravity x=\"0\" y=\"-9.8\" z=\"0\"/><collision_damping v=\"0.1\"/>\
             <material name=\"red\"><diffuse r=\"1\" g=\"0\" b=\"0\"/></material>{rest}</scene>"
        )
        .into_bytes()
    };
    let ball = |id: u32, x: f64| {
        format!(
            "<sphere material=\"red\"><position x=\"{x}\" y=\"1\" z=\"0\"/><radius v=\"1\"/><body><id i=\"{id}\"/>\
             <mass v=\"2\"/><velocity x=\"1\" y=\"0\" z=\"0\"/></body></sphere>"
        )
    };
    let plane = "<plane material=\"red\"><position x=\"0\" y=\"0\" z=\"0\"/><normal x=\"0\" y=\"1\" z=\"0\"/></plane>";
    let spring = "<spring><constant v=\"10\"/><equilibrium v=\"2\"/><damping v=\"0.1\"/><body1><id i=\"1\"/>\
                  <offset x=\"0\" y=\"1\" z=\"0\"/></body1><body2><id i=\"2\"/><offset x=\"0\" y=\"0\" z=\"0\"/></body2></spring>";
    let mut seeds = vec![include_bytes!("../../../scenes/triangle.scene").to_vec()];
    seeds.push(scene(&format!("{}{plane}", ball(1, 0.0))));
    seeds.push(scene(&format!("{}{}{plane}{spring}", ball(1, -2.0), ball(2, 2.0))));
    seeds
}

/// Scenes of the repository in JSON: in the format of this engine, and in that of SFGE.
const JSON_FILES: [&str; 4] = [
    include_str!("../../../scenes/playground.json"),
    include_str!("../../../scenes/balance.json"),
    include_str!("../../../scenes/marble_run.json"),
    include_str!("../../../scenes/sfge_drop.json"),
];
