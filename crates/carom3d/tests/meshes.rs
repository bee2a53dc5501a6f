//! Scenes with meshes, textures and scales: what they name is read, drawn, collided with, or told of.

use carom_core::Rng;
use carom3d::math::{DVec3, dvec3};
use carom3d::{Scene, SceneError, SceneOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A cube of side 1 around the origin, of four-cornered faces that look outward.
const CUBE: &str = "mtllib cube.mtl
v -0.5 -0.5 -0.5\nv -0.5 -0.5 0.5\nv -0.5 0.5 -0.5\nv -0.5 0.5 0.5
v 0.5 -0.5 -0.5\nv 0.5 -0.5 0.5\nv 0.5 0.5 -0.5\nv 0.5 0.5 0.5
vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1
usemtl sides
f 2/1 6/2 8/3 4/4\nf 5/1 1/2 3/3 7/4\nf 6/1 5/2 7/3 8/4\nf 1/1 2/2 4/3 3/4
usemtl ends
f 4/1 8/2 7/3 3/4\nf 1/1 5/2 6/3 2/4
";

const MATERIALS: &str = "newmtl sides\nKd 0.1 0.2 0.3\nmap_Kd dots.png\nnewmtl ends\nKd 1 0 0\nKs 0.5 0.5 0.5\nNs 12\n";

/// A folder that is removed with the value.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("carom3d-meshes-{}-{number}", std::process::id()));
        fs::create_dir_all(path.join("scenes/images")).unwrap();
        fs::create_dir_all(path.join("models")).unwrap();
        let folder = Folder(path);
        folder.write("models/cube.obj", CUBE.as_bytes());
        folder.write("models/cube.mtl", MATERIALS.as_bytes());
        folder.write("models/dots.png", &picture());
        folder.write("scenes/images/dots.png", &picture());
        folder
    }

    fn write(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).unwrap();
    }

    fn load(&self, body: &str) -> Result<Scene, SceneError> {
        let text = format!("{HEAD}{body}</scene>");
        self.write("scenes/test.scene", text.as_bytes());
        Scene::from_file(self.0.join("scenes/test.scene"), SceneOptions::default())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).ok();
    }
}

/// A picture of two pixels, red and blue.
fn picture() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header().unwrap().write_image_data(&[255, 0, 0, 0, 0, 255]).unwrap();
    bytes
}

/// Three lines, so that what comes is on the fourth and further.
const HEAD: &str = r#"<scene><camera><fov v=".785"/><near_clip v=".01"/><far_clip v="200"/><position x="0" y="0" z="9"/>
<orientation a="0" x="0" y="1" z="0"/></camera><background_color r="0" g="0" b="0"/><refractive_index v="1"/>
<gravity x="0" y="-9.8" z="0"/><collision_damping v="0.5"/><material name="red"/>
"#;

const MESH: &str = "<mesh name='cube' filename='models/cube.obj'/>\n";

fn place(name: &str, v: DVec3) -> String {
    format!("<{name} x='{}' y='{}' z='{}'/>", v.x, v.y, v.z)
}

fn ball(position: DVec3, radius: f64, more: &str) -> String {
    let position = place("position", position);
    format!(
        "<sphere material='red'>{position}<radius v='{radius}'/>{more}<body><id i='1'/><mass v='1'/></body></sphere>\n"
    )
}

fn notes(scene: &Scene) -> Vec<String> {
    scene.notes.iter().map(ToString::to_string).collect()
}

/// Balls fall on cubes of any size, stretched and turned about y, and come to rest on their tops.
#[test]
fn balls_rest_on_scaled_meshes() {
    let folder = Folder::new();
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let mut between = |from: f64, to: f64| from + (to - from) * rng.f64();
        let scale = dvec3(between(0.5, 4.0), between(0.5, 4.0), between(0.5, 4.0));
        let middle = dvec3(between(-5.0, 5.0), between(-5.0, 5.0), between(-5.0, 5.0));
        let (angle, radius) = (between(-3.0, 3.0), between(0.1, 0.6));
        let start = middle + dvec3(between(-0.1, 0.1), 0.5 * scale.y + radius + between(0.0, 1.0), between(-0.1, 0.1));
        let model = format!(
            "<model mesh='cube' material='red'>{}<orientation a='{angle}' x='0' y='2' z='0'/>{}</model>",
            place("position", middle),
            place("scale", scale)
        );
        let mut scene = folder.load(&format!("{MESH}{model}{}", ball(start, radius, ""))).unwrap();
        assert!(scene.notes.is_empty(), "{:?}", scene.notes);
        assert_eq!((scene.models[0].triangles.clone(), scene.triangles.len()), (0..12, 12));
        for _ in 0..1800 {
            scene.step();
        }
        let height = scene.world.body(scene.bodies().next().unwrap()).position().y;
        let expected = middle.y + 0.5 * scale.y + radius;
        assert!((height - expected).abs() < 1.0e-6, "seed {seed}: rests at {height}, not at {expected}");
    }
}

/// Normals of stretched, turned and mirrored cubes look outward, and are those of the faces.
#[test]
fn fronts_stay_fronts() {
    let folder = Folder::new();
    for seed in 0..40 {
        let mut rng = Rng::new(seed);
        let mut between = |from: f64, to: f64| from + (to - from) * rng.f64();
        let mut scale = dvec3(between(0.5, 4.0), between(0.5, 4.0), between(0.5, 4.0));
        for axis in 0..3 {
            scale[axis] *= if between(0.0, 1.0) < 0.5 { -1.0 } else { 1.0 };
        }
        let axis = dvec3(between(-1.0, 1.0), between(-1.0, 1.0), between(0.1, 1.0));
        let (angle, middle) = (between(-3.0, 3.0), dvec3(between(-5.0, 5.0), 1.0, 2.0));
        let model = format!(
            "<model mesh='cube' material='red'>{}<orientation a='{angle}' x='{}' y='{}' z='{}'/>{}</model>",
            place("position", middle),
            axis.x,
            axis.y,
            axis.z,
            place("scale", scale)
        );
        let scene = folder.load(&format!("{MESH}{model}")).unwrap();
        let mut area = 0.0;
        for triangle in &scene.triangles {
            let [a, b, c] = triangle.vertices.map(|vertex| vertex.position);
            let front = (b - a).cross(c - a);
            area += 0.5 * front.length();
            assert!(front.dot(a - middle) > 0.0, "seed {seed}: looks inward");
            assert!((triangle.vertices[0].normal - front / front.length()).length() < 1.0e-9, "seed {seed}");
        }
        let [x, y, z] = scale.abs().to_array();
        assert!((area - 2.0 * (x * y + y * z + z * x)).abs() < 1.0e-9 * area, "seed {seed}: {area}");
    }
}

#[test]
fn materials_and_textures_are_read() {
    let folder = Folder::new();
    let body = format!(
        "<material name='dots' texture='images/dots.png'/>{MESH}<model mesh='cube' material='red'>{}</model>",
        place("position", DVec3::ZERO)
    );
    let scene = folder.load(&body).unwrap();
    assert!(scene.notes.is_empty(), "{:?}", scene.notes);
    let names: Vec<&str> = scene.surfaces.iter().map(|surface| surface.name.as_str()).collect();
    assert_eq!(names, ["red", "dots", "sides", "ends"]);
    for index in [1, 2] {
        let picture = scene.surfaces[index].picture.as_ref().unwrap();
        assert_eq!((picture.size(), picture.sample(0.25, 0.5, 0.0)), ([2, 1], [1.0, 0.0, 0.0]));
    }
    assert_eq!((scene.surfaces[3].diffuse.r, scene.surfaces[3].shininess), (1.0, 12.0));
    assert_eq!(scene.triangles[0].vertices[2].surface, 2);
    assert_eq!(scene.triangles[11].vertices[0].surface, 3);
    assert_eq!(scene.triangles[0].vertices[2].texture_coordinates, [1.0, 1.0]);
}

#[test]
fn what_is_missing_or_broken_is_told_with_its_place() {
    let folder = Folder::new();
    folder.write("scenes/images/broken.png", b"\x89PNG and no more");
    let body = "<material name='a' texture='images/broken.png'/>\n<material name='b' texture='none.png'/>\n\
        <material name='c' texture='../../secret.png'/>\n<mesh name='m' filename='models/none.obj'/>\n\
        <model mesh='m' material='a'><position x='0' y='0' z='0'/></model>\n<sky/><gravity_scale v='2'/>\n\
        <material name='d' shine='1'><refractive_index v='1.5'/></material>\n";
    let scene = folder.load(body).unwrap();
    let notes = notes(&scene);
    for (start, part) in [
        ("4:29: ", "not a PNG"),
        ("5:29: ", "not found"),
        ("6:29: ", "does not lead out"),
        ("7:26: ", "neither drawn nor collided with"),
        ("9:1: ", "<sky> inside <scene>"),
        ("9:7: ", "<gravity_scale> inside <scene>"),
        ("10:27: ", "attribute \"shine\" of <material>"),
        ("10:1: ", "drawn opaque"),
    ] {
        assert!(notes.iter().any(|note| note.starts_with(start) && note.contains(part)), "{start}{part}: {notes:#?}");
    }
    assert_eq!(notes.len(), 8, "{notes:#?}");
    assert!(scene.models[0].triangles.is_empty());
}

#[test]
fn meshes_do_not_lead_out_of_the_folder() {
    let folder = Folder::new();
    folder.write("secret.obj", CUBE.as_bytes());
    for name in ["../../secret.obj", "/etc/passwd", "models/../../secret.obj", "C:/secret.obj"] {
        let error = folder.load(&format!("<mesh name='m' filename='{name}'/>")).unwrap_err();
        assert_eq!(
            (error.line, error.column, error.place.as_str()),
            (4, 26, "<mesh> attribute \"filename\""),
            "{error}"
        );
        assert!(error.message.contains("lead out"), "{error}");
    }
    #[cfg(unix)]
    {
        let outside = Folder::new();
        std::os::unix::fs::symlink(outside.0.join("models/cube.obj"), folder.0.join("models/link.obj")).unwrap();
        let error = folder.load("<mesh name='m' filename='models/link.obj'/>").unwrap_err();
        assert!(error.message.contains("link"), "{error}");
    }
}

#[test]
fn errors_of_a_mesh_say_its_file_line_and_column() {
    let folder = Folder::new();
    folder.write("models/cube.obj", CUBE.replace("v -0.5 0.5 0.5", "v -0.5 half 0.5").as_bytes());
    let error = folder.load(MESH).unwrap_err();
    assert!(Path::new(&error.file).ends_with("models/cube.obj"), "{error}");
    assert_eq!((error.line, error.column), (5, 8), "{error}");
    assert!(error.message.contains("expected a number, found \"half\""), "{error}");
    folder.write("models/cube.obj", b"v 0 0 \xff");
    let error = folder.load(MESH).unwrap_err();
    assert!(error.message.contains("UTF-8") && error.column == 7, "{error}");
}

/// A uniform scale makes a ball larger; one that is not is refused for bodies and drawn for what only stands there.
#[test]
fn scaled_spheres_are_round_or_refused() {
    let folder = Folder::new();
    for seed in 0..20 {
        let mut rng = Rng::new(seed);
        let (factor, radius) = (0.2 + 3.0 * rng.f64(), 0.1 + rng.f64());
        let scale = format!("<scale x='{factor}' y='-{factor}' z='{factor}'/>");
        let scene = folder.load(&ball(DVec3::ZERO, radius, &scale)).unwrap();
        let found = scene.world.body(scene.bodies().next().unwrap()).radius().unwrap();
        assert!((found - factor * radius).abs() < 1.0e-12, "{found}");
    }
    let error = folder.load(&ball(DVec3::ZERO, 1.0, "\n<scale x='1' y='2' z='1'/>")).unwrap_err();
    assert_eq!((error.line, error.column, error.place.as_str()), (5, 1, "<scale>"), "{error}");
    assert!(error.message.contains("the same factor along x, y and z"), "{error}");
    assert!(folder.load(&ball(DVec3::ZERO, 1.0, "<scale x='1' y='0' z='1'/>")).is_err());
    let egg = "<sphere material='red'><position x='0' y='0' z='0'/><radius v='1'/><scale x='1' y='2' z='1'/></sphere>";
    let scene = folder.load(egg).unwrap();
    assert_eq!((scene.spheres[0].scale, scene.spheres[0].body), (dvec3(1.0, 2.0, 1.0), None));
}

#[test]
fn mutated_meshes_never_panic() {
    let folder = Folder::new();
    let body = format!("{MESH}<model mesh='cube' material='red'>{}</model>", place("position", DVec3::ZERO));
    let (mut read, mut refused) = (0, 0);
    for seed in 0..400 {
        let mut rng = Rng::new(seed);
        let mut bytes = CUBE.as_bytes().to_vec();
        for _ in 0..1 + rng.below(4) {
            let at = rng.below(bytes.len() as u32) as usize;
            match rng.below(3) {
                0 => bytes[at] = b" 0123456789-./fvtn\n\\#\xff"[rng.below(22) as usize],
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"0123456789-/ \n"[rng.below(14) as usize]),
            }
        }
        folder.write("models/cube.obj", &bytes);
        match folder.load(&body) {
            Ok(mut scene) => {
                scene.step();
                read += 1;
            }
            Err(error) => {
                assert!(error.line > 0 && error.column > 0, "{error}");
                refused += 1;
            }
        }
    }
    assert!(read > 40 && refused > 40, "{read} read, {refused} refused");
}

/// No scene is larger for what it repeats than the limit.
#[test]
fn models_are_not_repeated_without_end() {
    let folder = Folder::new();
    let model = format!("<model mesh='cube' material='red'>{}</model>", place("position", DVec3::ZERO));
    let error = folder.load(&format!("{MESH}{}", model.repeat(20_000))).unwrap_err();
    assert!(error.message.contains("up to 10000 models"), "{error}");
}
