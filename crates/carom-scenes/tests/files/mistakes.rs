//! What is wrong is explained, with its place.

use super::refused;
use super::texts::{body, joint, medium, pin, scene, shape};
use carom_scenes::file::{self, MAX_BYTES};

/// A text, where it is wrong (line, column and path), and a part of the message.
pub(super) type Mistake = (String, &'static str, &'static str);

/// Some of every kind.
pub(super) fn mistakes() -> Vec<Mistake> {
    let kinds: [fn() -> Vec<Mistake>; 7] =
        [of_scenes, of_worlds, of_bodies, of_shapes, of_joints, of_what_acts_from_outside, of_texts_that_are_no_json];
    kinds.iter().flat_map(|kind| kind()).collect()
}

fn of_scenes() -> Vec<Mistake> {
    vec![
        (String::new(), "1:1", "the file is empty"),
        (" \n\t\n".into(), "1:1", r#"the smallest scene is {"format""#),
        ("[1, 2]".into(), "1:1", "expected a scene, which is an object in braces, found [1, 2]"),
        ("{}".into(), "1:1 format", r#"missing; a scene starts with "format": "carom-scene""#),
        (r#"{"format": "tiled"}"#.into(), "1:12 format", r#"expected "carom-scene", found "tiled""#),
        (r#"{"format": "carom-scene"}"#.into(), "1:1 version", "missing"),
        (
            "{\"version\": 2,\n \"format\": \"carom-scene\", \"joints\": []}".into(),
            "1:13 version",
            "expected version 1, found 2; another carom wrote it",
        ),
        (r#"{"format": "carom-scene", "version": 1}"#.into(), "1:1 bodies", "missing; a scene needs an array"),
        (scene(r#""boddies": 1,"#, ""), "1:40 boddies", r#"a scene has no such field; did you mean "bodies"?"#),
        (scene(r#""wheels": 4,"#, ""), "1:40 wheels", "a scene may have $schema, format, version, name"),
        (scene(r#""steps": 1, "steps": 2,"#, ""), "1:52 steps", "twice in one object"),
        (scene(r#""steps": -1,"#, ""), "1:49 steps", "a whole number from 0 to 4294967295, found -1"),
        (scene(r#""steps": 1.5,"#, ""), "1:49 steps", "a whole number"),
        (scene("\"name\": \"a\\nb\",", ""), "1:48 name", "a text of at most 100 characters on one line"),
        (scene(r#""dt": "60","#, ""), "1:46 dt", r#"seconds from 1e-6 to 1, or a text such as "1/60""#),
        (scene(r#""dt": 0,"#, ""), "1:46 dt", "seconds from 1e-6 to 1"),
        (scene(r#""camera": {},"#, ""), "1:50 camera.half_height", "missing; a camera needs half the height"),
        (scene(r#""camera": {"half_height": 0},"#, ""), "1:66 camera.half_height", "from 1e-6 to 1e8, found 0"),
    ]
}

/// A total that is exceeded is reported at the first element beyond it, before any is read.
#[test]
fn totals_are_limited() {
    let many = |count: usize, one: &str| vec![one; count].join(",");
    let bodies = |count: usize| scene("", &many(count, "{}"));
    let chain = format!(r#"{{"kind": "chain", "points": [{}]}}"#, many(50_000, "[0, 0]"));
    let fixed = |shapes: &str| scene("", &format!(r#"{{"kind": "fixed", "shapes": [{shapes}]}}"#));
    let holes = format!(r#"{{"kind": "concave", "points": [], "holes": [{}]}}"#, many(100_001, "[[0, 0], [1, 0]]"));
    for (text, path, message) in [
        (bodies(100_001), "bodies[100000]", "up to 100000 bodies"),
        (scene(&format!("\"joints\": [{}],", many(200_001, "{}")), ""), "joints[200000]", "up to 200000 joints"),
        (fixed(&many(200_001, "{}")), "bodies[0].shapes[200000]", "up to 200000 shapes"),
        (fixed(&many(5, &chain)), "bodies[0].shapes[4].points[0]", "up to 200000 points"),
        (fixed(&holes), "bodies[0].shapes[0].holes[100000][0]", "up to 200000 points"),
        (format!(r#"{{"entities": [{}]}}"#, many(100_001, "{}")), "entities[100000]", "up to 100000 entities"),
    ] {
        let error = file::read("large.json", text.as_bytes()).expect_err("too much");
        assert_eq!(error.place, path, "{error}");
        assert!(error.message.contains(message), "{error}");
    }
    // As much as is allowed is looked at.
    let error = file::read("large.json", bodies(100_000).as_bytes()).expect_err("no bodies");
    assert_eq!(error.place, "bodies[0].kind", "{error}");
    // An error in the last of many bodies is reported with its place.
    let disc = r#"{"kind": "dynamic", "shapes": [{"kind": "circle", "radius": 1}]}"#;
    let error = file::read("large.json", scene("", &format!("{}, {{\"kind\": 1}}", many(20_000, disc))).as_bytes());
    assert_eq!(error.expect_err("one is wrong").place, "bodies[20000].kind");
}

fn of_worlds() -> Vec<Mistake> {
    vec![
        (
            scene("\"world\": {\n \"gravity\": [0]},", ""),
            "2:13 world.gravity",
            "two numbers such as [1, 2.5], found [0]",
        ),
        (scene(r#""world": {"gravity": [0, null]},"#, ""), "1:65 world.gravity[1]", "expected a number, found null"),
        (scene(r#""world": {"substeps": 65},"#, ""), "1:62 world.substeps", "a whole number from 1 to 64, found 65"),
        (
            scene(r#""world": {"friction_mix": "avg"},"#, ""),
            "1:66 world.friction_mix",
            "geometric_mean, product, mean, min or max",
        ),
        (scene(r#""world": {"sleeping": 1},"#, ""), "1:62 world.sleeping", "true or false, found 1"),
        (
            scene(r#""world": {"broad_phase": {"kind": "quadtree", "max_depth": 25}},"#, ""),
            "1:99 world.broad_phase.max_depth",
            "a whole number of at most 24, found 25",
        ),
    ]
}

fn of_bodies() -> Vec<Mistake> {
    vec![
        (scene("", "7"), "1:52 bodies[0]", "expected a body, which is an object in braces, found 7"),
        (scene("", "{}"), "1:52 bodies[0].kind", r#"missing; a body needs "fixed", "kinematic" or "dynamic""#),
        (
            scene("", "{\"kind\": \"fixed\"},\n{\"kind\": \"dinamic\"}"),
            "2:10 bodies[1].kind",
            r#"expected fixed, kinematic or dynamic, found "dinamic"; did you mean "dynamic"?"#,
        ),
        (
            body(r#""postion": [0, 0]"#),
            "2:21 bodies[0].postion",
            r#"a body has no such field; did you mean "position"?"#,
        ),
        (
            body(r#""position": [1e8, 0]"#),
            "2:33 bodies[0].position",
            "coordinates between -1e7 and 1e7 m, found [1e8, 0]",
        ),
        (body(r#""position": [1e39, 0]"#), "2:34 bodies[0].position[0]", "between -3.4e38 and 3.4e38, found 1e39"),
        (body(r#""position": [0, 0], "center": [0, 0]"#), "2:51 bodies[0].center", r#""position" says the same"#),
        (body(r#""rotation": [1, 1]"#), "2:33 bodies[0].rotation", "cosine and sine of an angle"),
        (body(r#""angle": "inf""#), "2:30 bodies[0].angle", r#"expected a number, found "inf""#),
        (body(r#""mass": -1"#), "2:29 bodies[0].mass", "between 1e-12 and 1e20, or infinity, found -1"),
        (body(r#""mass": "infinite""#), "2:29 bodies[0].mass", r#"a number or "inf", found "infinite""#),
        (body(r#""locked": ["z"]"#), "2:32 bodies[0].locked[0]", r#"expected x, y or rotation, found "z""#),
        (body(r#""color": "red""#), "2:30 bodies[0].color", "a colour such as \"#d94841\""),
        (body(r#""user_data": "0x1ffffffffffffffff""#), "2:34 bodies[0].user_data", "up to 16 hexadecimal digits"),
        (body(r#""sleep_speed": -1"#), "2:36 bodies[0].sleep_speed", "a finite number of at least 0, found -1"),
    ]
}

fn of_shapes() -> Vec<Mistake> {
    vec![
        (
            shape(r#""blob""#),
            "3:10 bodies[0].shapes[0].kind",
            r#"circle, rectangle, capsule, segment, polygon, ellipse, chain or concave, found "blob""#,
        ),
        (scene("", r#"{"kind": "fixed", "shapes": [{}]}"#), "1:81 bodies[0].shapes[0].kind", "missing; a shape needs"),
        (shape(r#""circle""#), "3:1 bodies[0].shapes[0].radius", "missing; a circle needs a radius in metres"),
        (
            shape(r#""circle", "radius": -1"#),
            "3:30 bodies[0].shapes[0].radius",
            "a size between 1e-5 and 1e6 m, found -1",
        ),
        (shape(r#""circle", "radius": "1""#), "3:30 bodies[0].shapes[0].radius", r#"expected a number, found "1""#),
        (
            shape(r#""circle", "radius": 1, "width": 1"#),
            "3:33 bodies[0].shapes[0].width",
            "a circle may have kind, center, radius",
        ),
        (
            shape(r#""circle", "radius": 1, "friction": -0.1"#),
            "3:45 bodies[0].shapes[0].friction",
            "a number from 0 to 1e6, found -0.1",
        ),
        (
            shape(r#""circle", "radius": 1, "restitution": 1.5"#),
            "3:48 bodies[0].shapes[0].restitution",
            "a number from 0 to 1, found 1.5",
        ),
        (
            shape(r#""circle", "radius": 1, "density": 1e10"#),
            "3:44 bodies[0].shapes[0].density",
            r#"use a body of the kind "fixed""#,
        ),
        (shape(r#""rectangle", "width": 0, "height": 1"#), "3:32 bodies[0].shapes[0].width", "a size between"),
        (
            shape(r#""rectangle", "width": 1, "height": 1, "rounding": -1"#),
            "3:60 bodies[0].shapes[0].rounding",
            "at least 0, found -1",
        ),
        (
            shape(r#""capsule", "a": [0, 0], "b": [0, 0], "radius": 1"#),
            "3:39 bodies[0].shapes[0].b",
            "away from a; a capsule without length is a circle",
        ),
        (shape(r#""segment", "a": [0, 0], "b": [5e6, 0]"#), "3:39 bodies[0].shapes[0].b", "a size between"),
        (
            shape(r#""polygon", "vertices": [[0, 0], [1, 1], [2, 2]]"#),
            "3:33 bodies[0].shapes[0].vertices",
            "not all on a line",
        ),
        (shape(r#""polygon", "vertices": [[0, 0], [1]]"#), "3:42 bodies[0].shapes[0].vertices[1]", "two numbers"),
        (
            shape(
                r#""polygon", "vertices": [[0, 0], [1, 0], [0, 1]], "normals": [[0, 1], [1, 0], [0, 1]], "centroid": [0.3, 0.3]"#,
            ),
            "3:70 bodies[0].shapes[0].normals",
            "for each corner the unit normal of the edge to the next",
        ),
        (
            shape(r#""polygon", "vertices": [[0, 0], [1, 0], [0, 1]], "centroid": [0, 0]"#),
            "3:71 bodies[0].shapes[0].centroid",
            "only together with normals",
        ),
        (
            shape(r#""circle", "radius": 1, "filter": {"group": 3e9}"#),
            "3:53 bodies[0].shapes[0].filter.group",
            "from -2147483648 to 2147483647",
        ),
    ]
}

fn of_joints() -> Vec<Mistake> {
    vec![
        (scene(r#""joints": {},"#, ""), "1:50 joints", "expected an array of joints, in brackets, found {}"),
        (joint("7"), "3:1 joints[0]", "expected a joint, which is an object in braces, found 7"),
        (joint("{}"), "3:1 joints[0].kind", r#"missing; a joint needs one of "distance", "revolute""#),
        (
            joint(r#"{"kind": "hinge"}"#),
            "3:10 joints[0].kind",
            r#"distance, revolute, prismatic, weld, wheel, motor, mouse, gear, pulley or filter, found "hinge""#,
        ),
        (joint(r#"{"kind": "weld", "body_b": 1}"#), "3:1 joints[0].body_a", "missing; a weld joint needs two bodies"),
        (pin(r#""body_b": 2"#), "3:45 joints[0].body_b", "one of the bodies, counted from 0 to 1, found 2"),
        (pin(r#""body_b": 0"#), "3:45 joints[0].body_b", "another body than body_a, found 0"),
        (
            pin(r#""body_b": 1, "limit": 3"#),
            "3:48 joints[0].limit",
            r#"a revolute joint has no such field; did you mean "limits"?"#,
        ),
        (pin(r#""body_b": 1, "limits": [1, -1]"#), "3:58 joints[0].limits", "the lower limit, then the upper one"),
        (
            pin(r#""body_b": 1, "spring": {"hertz": -1}"#),
            "3:68 joints[0].spring.hertz",
            "a number from 0 to 1e4 Hz, found -1",
        ),
        (pin(r#""body_b": 1, "spring": 3"#), "3:58 joints[0].spring", r#"or "none", found 3"#),
        (pin(r#""body_b": 1, "motor": {}"#), "3:57 joints[0].motor.max_force", "missing; a motor needs a most force"),
        (pin(r#""body_b": 1, "hertz": 0"#), "3:57 joints[0].hertz", "a number from 1 to 1e4 Hz, found 0"),
        (pin(r#""body_b": 1, "turns": 1e7"#), "3:57 joints[0].turns", "from -1000000 to 1000000, found 1e7"),
        (pin(r#""body_b": 1, "angle": 1"#), "3:57 joints[0].angle", "only together with at"),
        (
            pin(r#""body_b": 1, "at": [0, 0], "angle_b": 1"#),
            "3:73 joints[0].angle_b",
            r#""at" says the same in another way"#,
        ),
        (pin(r#""body_b": 1, "at": [1e9, 0]"#), "3:54 joints[0].at", "a place within 1e7 m"),
        (
            pin(r#""body_b": 1, "rotation_a": [2, 0]"#),
            "3:62 joints[0].rotation_a",
            "a rotation of unit length, found [2, 0]",
        ),
        (
            joint(r#"{"kind": "distance", "body_a": 0, "body_b": 1, "min": 2, "max": 1}"#),
            "3:65 joints[0].max",
            "a length of at least min, or infinity, found 1",
        ),
        (
            joint(r#"{"kind": "gear", "joint_a": 0, "joint_b": 1, "ratio": 1}"#),
            "3:29 joints[0].joint_a",
            "a revolute or prismatic joint, which this gear is not",
        ),
        (
            joint(r#"{"kind": "mouse", "body_a": 0, "body_b": 1}"#),
            "3:1 joints[0].target",
            "missing; a mouse joint needs a target in the world",
        ),
    ]
}

/// A scene with a fluid of particles that has these fields.
fn water(fields: &str) -> String {
    format!("{{\"format\": \"carom-scene\", \"version\": 1, \"bodies\": [], \"particle_fluid\":\n{{{fields}}}}}")
}

fn of_what_acts_from_outside() -> Vec<Mistake> {
    vec![
        (medium("fluids", r#"{"level": 1}"#), "3:1 fluids[0].kind", r#"missing; a fluid needs one of "below", "box""#),
        (
            medium("fluids", r#"{"kind": "sea"}"#),
            "3:10 fluids[0].kind",
            r#"expected below, box or region, found "sea""#,
        ),
        (medium("fluids", r#"{"kind": "box", "min": [0, 0]}"#), "3:1 fluids[0].max", "missing; a fluid in a box needs"),
        (
            medium("fluids", r#"{"kind": "box", "min": [0, 0], "max": [0, 1]}"#),
            "3:39 fluids[0].max",
            "expected finite corners, min below max in x and y, found [0, 1]",
        ),
        (
            medium("fluids", r#"{"kind": "below", "density": -1}"#),
            "3:30 fluids[0].density",
            "from 0 to 1e9 kg/m^2, found -1",
        ),
        (
            medium("fluids", r#"{"kind": "below", "points": []}"#),
            "3:19 fluids[0].points",
            "a fluid below a height has no such field",
        ),
        (medium("fluids", r#"{"kind": "region", "points": [[0, 0], [1, 0]]}"#), "3:30 fluids[0].points", "expected"),
        (medium("fluids", "7"), "3:1 fluids[0]", "expected a fluid, which is an object in braces, found 7"),
        (water(r#""spacing": 0"#), "2:13 particle_fluid.spacing", "expected a number from 1e-100 to 1e100, found 0"),
        (water(r#""viscosity": -1"#), "2:15 particle_fluid.viscosity", "a finite number of at least 0, found -1"),
        (water(r#""iterations": 0"#), "2:16 particle_fluid.iterations", "a whole number from 1 to 1000, found 0"),
        (water(r#""boxes": {}"#), "2:11 particle_fluid.boxes", "expected an array of boxes"),
        (water(r#""boxes": [{"min": [0, 0]}]"#), "2:12 particle_fluid.boxes[0].max", "missing; a box of water needs"),
        (
            water(r#""boxes": [{"min": [0, 0], "max": [1, 0]}]"#),
            "2:35 particle_fluid.boxes[0].max",
            "a corner above and to the right of min, found [1, 0]",
        ),
        (
            water(r#""boxes": [{"min": [0, 0], "max": [1e9, 1e9]}]"#),
            "2:12 particle_fluid.boxes[0]",
            "a fluid may have up to 1048576 particles",
        ),
        (water(r#""particles": [[1, 2, 3]]"#), "2:16 particle_fluid.particles[0]", "expected a row [x, y], [x, y, vx"),
        (
            water(r#""particles": [[1, 2, 3, 4, -5]]"#),
            "2:16 particle_fluid.particles[0]",
            "the pressure at least 0, found",
        ),
        (water(r#""particles": [[1, "x"]]"#), "2:20 particle_fluid.particles[0][1]", "expected a number, found \"x\""),
        (
            water(&format!(r#""particles": [{}[0, 0]]"#, "[0, 0], ".repeat(6000))),
            "2:1 particle_fluid",
            "closer to each other than the spacing",
        ),
        (
            medium("fields", r#"{"kind": "wind", "drag": -2}"#),
            "3:26 fields[0].drag",
            "a number of at least 0, found -2",
        ),
        (
            medium("fields", r#"{"kind": "vortex", "radius": 0, "acceleration": 1}"#),
            "3:30 fields[0].radius",
            "a length above 0 m, found 0",
        ),
        (
            medium("fields", r#"{"kind": "radial", "radius": 1}"#),
            "3:1 fields[0].acceleration",
            "missing; a radial field needs",
        ),
        (medium("fields", r#"{"kind": "uniform", "acceleration": 3}"#), "3:37 fields[0].acceleration", "two numbers"),
        (
            medium("soft_bodies", r#"{"radius": 1, "area": 1}"#),
            "3:1 soft_bodies[0].parts",
            "missing; a soft body needs its discs",
        ),
        (
            medium("soft_bodies", r#"{"parts": [0, 1, 9], "radius": 1, "area": 1}"#),
            "3:18 soft_bodies[0].parts[2]",
            "a whole number from 0 to 1, found 9",
        ),
        (
            medium("soft_bodies", r#"{"parts": [0, 1], "radius": 1, "area": 1}"#),
            "3:11 soft_bodies[0].parts",
            "expected 6 to 1000 discs",
        ),
    ]
}

fn of_texts_that_are_no_json() -> Vec<Mistake> {
    vec![
        (r#"{"format": "carom-scene",}"#.into(), "1:26", "remove the comma"),
        (scene(r#""steps": 1 "dt": 1,"#, ""), "1:51 steps", r#"expected a comma or }, found ""#),
        (scene("// a comment\n", ""), "1:40", "JSON has no comments"),
        (scene("", "{'kind': 'fixed'}"), "1:53 bodies[0]", "double quotes"),
        (body(r#""angle": NaN"#), "2:30 bodies[0].angle", "expected a value, found NaN; numbers are written as"),
        (body(r#""angle": 01"#), "2:30 bodies[0].angle", "starts with a zero too many"),
        (body(r#""angle": .5"#), "2:30 bodies[0].angle", "expected a value, found ."),
        (scene("", "1,"), "1:54 bodies[1]", "remove the comma"),
        ("{\"format\":\n\"carom".into(), "2:1 format", "a text starts here and is never closed"),
        ("{\"format\": \"carom-scene\",\n\"bodies\": [\n".into(), "3:1 bodies[0]", "the [ of line 2 is still open"),
        ("{\"summary\": \"\u{e9}\u{1f600}\", \"x\" 1}".into(), "1:23", "a colon after the name of a field, found 1"),
        (scene("", "") + "x", "1:54", "expected the end of the file, found x"),
    ]
}

#[test]
fn mistakes_are_explained() {
    for (text, place, part) in mistakes() {
        let error = refused(text.as_bytes());
        let found = format!("{}:{} {}", error.line, error.column, error.place);
        assert_eq!(found.trim_end(), place, "{error}\n{}", &text[..text.len().min(300)]);
        assert!(error.message.contains(part), "{part:?} should be in: {error}");
        assert!(error.to_string().starts_with(&format!("test.json:{}:{}: ", error.line, error.column)), "{error}");
        assert!(error.to_string().len() < 600 && !error.message.contains('\n'), "{error}");
    }
}

#[test]
fn what_is_nested_too_deep_is_explained() {
    let error = refused("[".repeat(100_000).as_bytes());
    assert_eq!((error.line, error.column), (1, 65));
    assert_eq!(error.place, "[0]".repeat(34) + "...", "as far as a path is shown");
    assert!(error.message.contains("nested more than 64 deep") && error.to_string().len() < 600, "{error}");
}

#[test]
fn rubbish_is_explained() {
    let error = refused(b"\x89PNG\r\n\x1a\n\x00\x00");
    assert_eq!((error.line, error.column), (1, 1));
    assert!(error.message.contains("expected text in UTF-8, found the byte 0x89"), "{error}");
    let error = refused(b"{\n \"name\": \"\xff\"}");
    assert_eq!((error.line, error.column, error.place.as_str()), (2, 11, "name"));
    assert!(refused(b"\xff\xfe{\x00}\x00").message.contains("UTF-16"));
    assert!(refused(b"\x00\x01\x02").message.contains("the character 0x00"));
    let mut long = scene("", "").into_bytes();
    long.resize(MAX_BYTES + 1, b' ');
    assert!(refused(&long).message.contains("up to 67108864 bytes"));
    long.truncate(MAX_BYTES);
    assert!(file::read("x.json", &long).is_ok(), "as long as allowed");
}
