//! The scene files: quirks that must load, mistakes that must be named, and nonsense that must do no harm.

mod shared;

use carom_core::Rng;
use carom_particles::{
    CollisionHandling, Color, ContinuousCollisions, FixedAtHalfPlane, Integrator, MAX_SCENE_BYTES, Motion, Scene,
    SceneError, SimpleCollisions, WriteError,
};
use glam::dvec2;
use shared::{files_below, shared_folder};
use std::time::{Duration, Instant};

const HEAD: &str = "<duration time='1'/><integrator type='explicit-euler' dt='0.1'/>";
const PARTICLE: &str = "<particle m='1' px='0' py='0' vx='0' vy='0' fixed='0'/>";

fn load(inside: &str) -> Result<Scene, SceneError> {
    Scene::from_xml("test.xml", format!("<scene>{HEAD}{inside}</scene>").as_bytes())
}

fn refuse(inside: &str) -> SceneError {
    load(inside).expect_err(inside)
}

#[test]
fn every_official_scene_loads() {
    let Some(shared) = shared_folder("official scenes") else { return };
    let scenes = files_below(&shared.join("fosssim/scenes"), "xml");
    for path in &scenes {
        Scene::from_file(path).unwrap_or_else(|error| panic!("{error}"));
    }
    assert_eq!(scenes.len(), 121);
}

#[test]
fn quirks_load() {
    let scene = load("<particle m=\" 1kg\"px='.9'py = '-.8' vx='0'vy='1e1' fixed=' 1' vx='7' other='x'/>").unwrap();
    assert_eq!(scene.system.positions(), [dvec2(0.9, -0.8)]);
    assert_eq!(scene.system.velocities(), [dvec2(0.0, 10.0)]);
    assert_eq!(scene.system.motions(), [Motion::Fixed]);
    assert_eq!((scene.system.masses()[0], scene.system.radii()[0]), (1.0, 0.1));

    let text = b"\xEF\xBB\xBF<?xml version='1.0'?><!DOCTYPE scene [<!ENTITY a 'b'>]>\n<!-- <scene> -->\n<other><scene/></other>
        <scene>text <![CDATA[<particle/>]]> <duration time='2'/><duration time='x'/>
        <group><particle/></group><integrator
          type='forward-backward-euler'
          dt='0.5'/><unknown a='b'>x<y/></unknown><description text='a &lt;b&gt; &amp;&#65;&#x42; &a; &unknown;'/>
        <viewport cx='1' cy='2' size='0'/></scene><scene/>";
    let scene = Scene::from_xml("quirks.xml", text).unwrap();
    assert_eq!((scene.duration, scene.dt, scene.steps()), (2.0, 0.5, 4));
    assert_eq!(scene.integrator(), Integrator::SymplecticEuler);
    assert_eq!(scene.system.particle_count(), 0);
    assert_eq!(scene.description, "a <b> &AB &a; &unknown;");
    assert_eq!(scene.viewport, None);
}

#[test]
fn defaults_are_those_of_the_specification() {
    let two = format!("{PARTICLE}{PARTICLE}");
    let scene = load(&format!(
        "{two}<edge i='0' j='1'/><halfplane px='0' py='0' nx='0' ny='0'/><springforce edge='0' k='1' l0='2'/>
         <collision type='penalty'/>"
    ))
    .unwrap();
    assert_eq!(scene.description, "No description specified.");
    assert_eq!(scene.max_frequency, 100.0);
    assert_eq!(scene.background, Color::WHITE);
    assert_eq!(scene.particle_colors, [Color::PARTICLE; 2]);
    assert_eq!((scene.edge_colors[0], scene.half_plane_colors[0]), (Color::EDGE, Color::BLACK));
    assert_eq!(scene.system.edges()[0].radius, 0.015);
    assert_eq!(scene.system.forces().springs[0].damping, 0.0);
    let CollisionHandling::Penalty(penalty) = scene.system.collisions() else { panic!() };
    assert_eq!((penalty.stiffness, penalty.thickness), (100.0, 0.01));
    let scene = load("<collision type='simple'/>").unwrap();
    let CollisionHandling::Simple(simple) = scene.system.collisions() else { panic!() };
    assert_eq!(simple.restitution, 1.0);
    assert_eq!(load("").unwrap().system.collisions(), CollisionHandling::None);
}

#[test]
fn run_lengths_follow_the_quotient_in_floating_point() {
    let steps = |time: &str, dt: &str| {
        let text = format!("<scene><duration time='{time}'/><integrator type='explicit-euler' dt='{dt}'/></scene>");
        Scene::from_xml("steps.xml", text.as_bytes()).unwrap().steps()
    };
    assert_eq!(steps("0.7", "0.1"), 7);
    assert_eq!(steps("0.25", "0.1"), 3);
    assert_eq!(steps("0", "0.1"), 0);
    assert_eq!(steps("1", "-0.1"), 0);
    assert_eq!(steps("-1", "-0.1"), 0);
    assert_eq!(steps("-1", "0.1"), 0);
}

#[test]
fn mistakes_are_named() {
    let cases = [
        ("<particle m='x' px='0' py='0' vx='0' vy='0' fixed='0'/>", "particle", "m", "finite number, found \"x\""),
        ("<particle px='0' py='0' vx='0' vy='0' fixed='0'/>", "particle", "m", "missing"),
        ("<particle m='1' px='inf' py='0' vx='0' vy='0' fixed='0'/>", "particle", "px", "finite number"),
        ("<particle m='1' px='0' py='0' vx='0' vy='0' fixed='true'/>", "particle", "fixed", "0 or 1"),
        ("<particle m='1' px='0' py='0' vx='0' vy='0' fixed='2'/>", "particle", "fixed", "0 or 1"),
        ("<edge i='0' j='1'/>", "edge", "i", "no particles"),
        ("<particle m='1' px='0' py='0' vx='0' vy='0' fixed='0'/><edge i='0' j='1'/>", "edge", "j", "0 to 0, found 1"),
        ("<springforce edge='0' k='1' l0='1'/>", "springforce", "edge", "no edges"),
        ("<springforce k='1' l0='1'/>", "springforce", "edge", "missing"),
        ("<springforce i='0' k='1' l0='1'/>", "springforce", "j", "missing"),
        ("<springforce i='0' j='0' k='1' l0='1'/>", "springforce", "i", "no particles"),
        ("<gravitationalforce i='-1' j='0' G='1'/>", "gravitationalforce", "i", "found -1"),
        ("<vortexforce i='0' j='0' kbs='1' kvc='1'/>", "vortexforce", "i", "no particles"),
        ("<particlecolor i='0' r='1' g='0' b='0'/>", "particlecolor", "i", "no particles"),
        ("<backgroundcolor r='1' g='0' b='1.01'/>", "backgroundcolor", "b", "from 0 to 1"),
        ("<halfplane px='0' py='0' nx='0'/>", "halfplane", "ny", "missing"),
        ("<halfplanecolor i='0' r='1' g='0' b='0'/>", "halfplanecolor", "i", "no half-planes"),
        ("<particlepath i='0' duration='-1' r='1' g='0' b='0'/>", "particlepath", "duration", "at least 0"),
        ("<collision type='hybrid'/>", "collision", "type", "simple, penalty"),
        ("<collision type='simple' COR=''/>", "collision", "COR", "finite number"),
        ("<simtype type='rigid-body'/>", "simtype", "type", "particle-system"),
        ("<scenetag/>", "scenetag", "tag", "missing"),
    ];
    for (inside, element, attribute, part) in cases {
        let error = refuse(inside);
        assert_eq!(error.place, format!("<{element}> attribute \"{attribute}\""), "{error}");
        assert!(error.message.contains(part), "{error}");
        assert_eq!(error.line, 1, "{error}");
    }
    let located =
        Scene::from_xml("a.xml", b"<scene>\n <duration time='1'/>\n  <integrator type='rk4' dt='1'/>\n</scene>");
    assert_eq!(
        located.unwrap_err().to_string(),
        "a.xml:3:21: <integrator> attribute \"type\": expected one of explicit-euler, symplectic-euler, \
         forward-backward-euler, implicit-euler, linearized-implicit-euler, velocity-verlet, runge-kutta-4, found \"rk4\""
    );
    let vortex = format!(
        "<scene><duration time='1'/><integrator type='implicit-euler' dt='1'/>{PARTICLE}{PARTICLE}\
         <vortexforce i='0' j='1' kbs='1' kvc='1'/></scene>"
    );
    assert!(Scene::from_xml("v", vortex.as_bytes()).unwrap_err().message.contains("vortex"));
    assert!(Scene::from_xml("v", b"<scene><duration time='1'/></scene>").unwrap_err().message.contains("<integrator>"));
}

#[test]
fn nonsense_is_refused() {
    for text in [
        "",
        " ",
        "hello",
        "<",
        "<scene",
        "<scene>",
        "<scene></scen>",
        "</scene>",
        "<scene><!-- </scene>",
        "<scene><![CDATA[ </scene>",
        "<?xml",
        "<!DOCTYPE [",
        "<scene a></scene>",
        "<scene a=></scene>",
        "<scene a=1></scene>",
        "<scene a='1></scene>",
        "<scene/>x",
        "<scene / >",
        "< scene/>",
        "<scene>\0</scene",
        "<other/>",
    ] {
        let error = Scene::from_xml("nonsense.xml", text.as_bytes()).expect_err(text);
        assert!(error.to_string().starts_with("nonsense.xml:1:"), "{error}");
    }
}

#[test]
fn hostile_files_are_answered_quickly() {
    let limit = MAX_SCENE_BYTES;
    let laughs = "<!DOCTYPE scene [<!ENTITY a 'ha'><!ENTITY b '&a;&a;&a;&a;'>]>";
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("deep", b"<scene>".repeat(limit / 7)),
        ("too long", vec![b' '; limit + 1]),
        ("blank", vec![b' '; limit]),
        ("angles", vec![b'<'; limit]),
        ("open comment", [b"<!--".to_vec(), vec![b'-'; limit - 4]].concat()),
        ("open value", [b"<scene a='".to_vec(), vec![b'x'; limit - 10]].concat()),
        ("open values", b"<scene a='1' ".repeat(limit / 13)),
        ("attributes", [b"<scene ".to_vec(), b"a='' ".repeat(limit / 5 - 2)].concat()),
        ("closings", b"</a>".repeat(limit / 4)),
        ("comments", b"<!---->".repeat(limit / 7)),
        ("brackets", [b"<!DOCTYPE ".to_vec(), vec![b'['; limit - 10]].concat()),
        ("laughs", format!("{laughs}<scene><description text='{}'/></scene>", "&b;".repeat(1000)).into_bytes()),
        ("many", [b"<scene>".to_vec(), b"<particle m='1'/>".repeat(limit / 17 - 1)].concat()),
        ("newlines", [vec![b'\n'; limit - 1], vec![b'x']].concat()),
    ];
    for (name, text) in cases {
        let start = Instant::now();
        let error = Scene::from_xml(name, &text).expect_err(name);
        let (took, message) = (start.elapsed(), error.to_string());
        assert!(took < Duration::from_secs(1), "{name}: took {took:?}");
        assert!(message.len() < 400, "{name}: {message}");
    }
    let start = Instant::now();
    let particles = PARTICLE.repeat((limit - 200) / PARTICLE.len());
    let scene = load(&particles).unwrap();
    assert!(scene.system.particle_count() > 120_000 && start.elapsed() < Duration::from_secs(1));
}

/// Real scenes with bytes changed, removed, repeated and swapped between scenes: any answer will do but a panic.
#[test]
fn mutated_scenes_never_panic() {
    let Some(shared) = shared_folder("mutated scenes") else { return };
    let scenes: Vec<Vec<u8>> = files_below(&shared.join("fosssim/scenes"), "xml")
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .filter(|text| text.len() < 5000)
        .collect();
    let mut rng = Rng::new(2024);
    let (mut loaded, mut refused) = (0, 0);
    for round in 0..40_000 {
        let mut text = scenes[rng.below(scenes.len() as u32) as usize].clone();
        for _ in 0..1 + rng.below(4) {
            mutate(&mut text, &scenes, &mut rng);
        }
        match Scene::from_xml("mutated.xml", &text) {
            Ok(scene) => {
                loaded += 1;
                // Some of what loads is run: odd numbers must not upset the engine either.
                if round % 8 == 0 {
                    let mut system = scene.system.clone();
                    for _ in 0..scene.steps().min(3) {
                        system.step(scene.dt);
                    }
                }
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().len() < 600, "{error}");
            }
        }
    }
    println!("{loaded} mutated scenes loaded, {refused} were refused");
    assert!(loaded > 1000 && refused > 1000);
}

fn mutate(text: &mut Vec<u8>, scenes: &[Vec<u8>], rng: &mut Rng) {
    const WORDS: [&[u8]; 16] = [
        b"<",
        b">",
        b"/>",
        b"\"",
        b"'",
        b"=",
        b"<!--",
        b"]]>",
        b"-1",
        b"1e308",
        b"-1e308",
        b"0",
        b"99999999",
        b"nan",
        b"<particle m=\"0\" px=\"0\" py=\"0\" vx=\"1\" vy=\"0\" fixed=\"0\" radius=\"-1\"/>",
        b"\0\xFF",
    ];
    if text.is_empty() {
        return;
    }
    let at = rng.below(text.len() as u32) as usize;
    let end = (at + 1 + rng.below(60) as usize).min(text.len());
    match rng.below(7) {
        0 => text[at] = rng.below(256) as u8,
        1 => {
            text.drain(at..end);
        }
        2 => {
            let copy = text[at..end].to_vec();
            let to = rng.below(text.len() as u32) as usize;
            text.splice(to..to, copy);
        }
        3 => text.truncate(at),
        4 => {
            let word = WORDS[rng.below(WORDS.len() as u32) as usize];
            text.splice(at..at, word.iter().copied());
        }
        5 => {
            // A line of another scene.
            let other = &scenes[rng.below(scenes.len() as u32) as usize];
            let lines: Vec<&[u8]> = other.split_inclusive(|&byte| byte == b'\n').collect();
            let line = lines[rng.below(lines.len() as u32) as usize].to_vec();
            let to = text[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1);
            text.splice(to..to, line);
        }
        _ => {
            // A number replaced by another.
            let digits: Vec<usize> = (0..text.len()).filter(|&i| text[i].is_ascii_digit()).collect();
            if let Some(&digit) = digits.get(rng.below(digits.len().max(1) as u32) as usize) {
                let word = WORDS[8 + rng.below(5) as usize];
                text.splice(digit..=digit, word.iter().copied());
            }
        }
    }
}

/// Texts with everything that XML takes for itself come back, tags too; every way of handling collisions does.
#[test]
fn what_is_written_is_read_back() {
    let mut scene = Scene::from_xml("a.xml", format!(
        "<scene><description text='a &amp; b &lt;c&gt; &quot;d&quot; e&#10;f'/><scenetag tag='x&apos;y'/><duration time='1e-3'/>\
         <integrator type='runge-kutta-4' dt='0.1'/>{PARTICLE}{PARTICLE}<springforce i='0' j='1' k='2' l0='3'/>\
         <constantforce fx='1' fy='-0.0'/><edge i='1' j='0'/><springforce edge='0' k='4' l0='5' b='6'/></scene>"
    ).as_bytes()).unwrap();
    assert_eq!(scene.description, "a & b <c> \"d\" e\nf");
    assert_eq!(scene.system.forces().springs[0].particles, [0, 1]);
    scene.particle_tags[1] = "<tag>".to_owned();
    for collisions in [
        CollisionHandling::None,
        CollisionHandling::Simple(SimpleCollisions { restitution: 0.3, ..SimpleCollisions::default() }),
        CollisionHandling::Penalty(carom_particles::forces::Penalty { stiffness: 1.0 / 3.0, thickness: 1e-300 }),
        CollisionHandling::Continuous(ContinuousCollisions { restitution: 0.1 }),
    ] {
        scene.system.set_collisions(collisions);
        let text = scene.to_xml().unwrap();
        let again = Scene::from_xml("again.xml", text.as_bytes()).unwrap();
        assert_eq!(again.to_xml().unwrap(), text);
        assert_eq!((&again.description, &again.tag), (&scene.description, &scene.tag));
        assert_eq!((&again.particle_tags, again.integrator()), (&scene.particle_tags, scene.integrator()));
        assert_eq!((again.system.forces(), again.system.edges()), (scene.system.forces(), scene.system.edges()));
        assert_eq!((again.system.collisions(), again.system.state()), (collisions, scene.system.state()));
    }
    let reflecting = SimpleCollisions { fixed_at_half_plane: FixedAtHalfPlane::Reflect, ..SimpleCollisions::default() };
    scene.system.set_collisions(CollisionHandling::Simple(reflecting));
    assert_eq!(scene.to_xml(), Err(WriteError::FixedAtHalfPlane));
    scene.system.set_collisions(CollisionHandling::None);
    scene.duration = f64::INFINITY;
    assert_eq!(scene.to_xml(), Err(WriteError::NotFinite));
}

/// Found by fuzzing: names of elements and attributes stood in messages as they are, control characters too.
#[test]
fn messages_have_no_control_characters() {
    for text in
        ["<scene><spr\u{1}ing\u{9b}force l0.1\u{7f}/></scene>", "<scene><particle p\u{1b}x\u{85}=\"0\"/></sc\u{2}ene>"]
    {
        let error = Scene::from_xml("names.xml", text.as_bytes()).unwrap_err();
        let message = error.to_string();
        assert!(!message.contains(char::is_control), "{message:?}");
    }
}
