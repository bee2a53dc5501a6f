//! Scenes of SFGE: entities with components, told from carom's own by their content.

use super::{file_of_repository, read, refused};
use carom_scenes::{Run, SceneWorld, file, open};
use carom2d::prelude::*;

/// A scene with one entity of these components, on line 2.
fn entity(components: &str) -> String {
    format!("{{\"entities\": [\n{{\"components\": [{components}]}}]}}")
}

fn bodies(run: &SceneWorld) -> Vec<BodyId> {
    run.world.bodies().collect()
}

/// Pixels become metres, y down becomes y up, degrees clockwise become radians counter-clockwise.
#[test]
fn entities_become_bodies() {
    let run = read(
        r#"{"name": "two", "entities": [
            {"name": "a", "components": [
                {"type": 16, "collider_type": 1, "radius": 50, "sensor": true},
                {"type": 8, "body_type": 1, "velocity": [3, -2], "gravity_scale": 0.5, "offset": {"x": 10, "y": 20}},
                {"type": 1, "position": [640, 360], "angle": 90}]},
            {"name": "b", "components": [
                {"type": 1, "position": [100, 720]},
                {"type": 8, "mass": 2.5, "restitution": 0.8},
                {"type": 16, "collider_type": 2, "size": [200, 100]}]},
            {"components": []}]}"#,
    );
    assert_eq!((run.about().name.as_ref(), run.about().dt, run.about().steps), ("two", 0.02, 600));
    assert_eq!(run.about().summary, "an SFGE scene");
    assert_eq!(run.about().camera.center, vec2(6.4, 3.6));
    assert_eq!(run.world.gravity(), vec2(0.0, -9.81));
    let BroadPhaseKind::Quadtree(tree) = run.world.def().broad_phase else { panic!("p2 has a quadtree") };
    assert_eq!((tree.center, tree.half_extents), (vec2(6.4, 3.6), vec2(6.4, 3.6)));

    let [a, b] = bodies(&run)[..] else { panic!("an entity without a body or a shape is nothing") };
    let body = run.world.body(a);
    assert_eq!((body.kind(), body.velocity(), body.gravity_scale()), (BodyKind::Kinematic, vec2(3.0, 2.0), 0.5));
    assert!((body.position() - vec2(6.5, 3.4)).length() < 1.0e-6, "{}", body.position());
    assert!((body.angle() + std::f32::consts::FRAC_PI_2).abs() < 1.0e-6, "{}", body.angle());
    let shape = run.world.shape(body.shapes().next().unwrap()).def();
    assert!(shape.sensor);
    let circle = run.world.shape(body.shapes().next().unwrap());
    assert!((circle.aabb().half_extents() - vec2(0.5, 0.5)).length() < 1.0e-6);

    let body = run.world.body(b);
    assert_eq!((body.kind(), body.mass(), body.position()), (BodyKind::Dynamic, 2.5, vec2(1.0, 0.0)));
    let shape = run.world.shape(body.shapes().next().unwrap());
    assert_eq!((shape.material().restitution, shape.material().friction), (0.8, 0.0));
    assert!(!shape.def().sensor);
    assert!((shape.aabb().half_extents() - vec2(1.0, 0.5)).length() < 1.0e-6);
}

/// What carom cannot do is skipped, and the summary says so.
#[test]
fn scripts_and_pictures_are_named() {
    let run = read(
        r#"{"name": "x", "layers": 3, "entities": [{"components": [
            {"type": 1, "position": [0, 0], "scale": [2, 2]}, {"type": 2, "path": "a.png"},
            {"type": 64, "script_path": "scripts/a.py"}, {"type": 32}, {"type": 4, "shape_type": 1, "radius": 10}]}],
            "systems": [{"systemClassName": "PlanetSystem"}, {"script_path": "scripts/rays.py"}]}"#,
    );
    let expected = "an SFGE scene; not run: PlanetSystem, scripts/a.py, scripts/rays.py; without effect: \
                    components of type 2, components of type 32, layers of a scene, scale of a transform";
    assert_eq!(run.about().summary, expected);
    // A picture without a body is there to be seen, and collides with nothing.
    let [picture] = bodies(&run)[..] else { panic!("one body") };
    assert_eq!(run.world.body(picture).kind(), BodyKind::Fixed);
    assert!(run.world.shape(run.world.shapes().next().unwrap()).def().sensor);
    assert!(read(r#"{"systems": [{"systemClassName": "VectorTest"}]}"#).world.body_count() == 0);
}

#[test]
fn mistakes_are_explained() {
    let body = r#"{"type": 8}, "#;
    let collider = |fields: &str| entity(&format!("{body}{{\"type\": 16, {fields}}}"));
    for (text, place, part) in [
        (r#"{"entities": {}}"#.to_owned(), "1:14 entities", "an array of entities, in brackets, found {}"),
        (r#"{"entities": [7]}"#.to_owned(), "1:15 entities[0]", "expected an entity, which is an object in braces"),
        (r#"{"entities": [], "system": []}"#.to_owned(), "1:18 system", r#"did you mean "systems"?"#),
        (r#"{"systems": [{}]}"#.to_owned(), "1:14 systems[0].script_path", "needs a systemClassName or a script_path"),
        (entity("{}"), "2:17 entities[0].components[0].type", "missing; a component needs 1 (transform)"),
        (entity(r#"{"type": "body"}"#), "2:26 entities[0].components[0].type", "a whole number"),
        (entity(r#"{"type": 1, "postion": [0, 0]}"#), "2:29 entities[0].components[0].postion", r#""position"?"#),
        (entity(r#"{"type": 1, "position": [0]}"#), "2:41 entities[0].components[0].position", "two numbers"),
        (entity(r#"{"type": 1}, {"type": 1}"#), "2:30 entities[0].components[1]", "an entity has one transform"),
        (
            entity(r#"{"type": 64}"#),
            "2:17 entities[0].components[0].script_path",
            "missing; a script needs a script_path",
        ),
        (entity(r#"{"type": 8, "body_type": 3}"#), "2:42 entities[0].components[0].body_type", "from 0 to 2, found 3"),
        (entity(r#"{"type": 8, "mass": -1}"#), "2:37 entities[0].components[0].mass", "found -1"),
        (entity(r#"{"type": 16, "collider_type": 1, "radius": 5}"#), "2:1 entities[0]", "needs a body"),
        (collider(r#""radius": 5"#), "2:30 entities[0].components[1].collider_type", "1 for a circle"),
        (
            collider(r#""collider_type": 1"#),
            "2:30 entities[0].components[1].radius",
            "missing; a collider needs a radius",
        ),
        (
            collider(r#""collider_type": 1, "radius": -4"#),
            "2:73 entities[0].components[1].radius",
            "from 1e-3 to 1e7 pixels, found -4",
        ),
        (
            collider(r#""collider_type": 2, "size": [10, 0]"#),
            "2:71 entities[0].components[1].size",
            "from 1e-3 to 1e7 pixels, found [10, 0]",
        ),
        (collider(r#""collider_type": 2, "size": [10"#), "2:74 entities[0].components[1].size[0]", "expected a comma"),
        (
            entity(r#"{"type": 8, "restitution": 2}, {"type": 16, "collider_type": 1, "radius": 5}"#),
            "2:44 entities[0].components[0].restitution",
            "found 2",
        ),
    ] {
        let error = refused(text.as_bytes());
        let found = format!("{}:{} {}", error.line, error.column, error.place);
        assert_eq!(found, place, "{error}\n{text}");
        assert!(error.message.contains(part), "{part:?} should be in: {error}");
    }
}

/// The limits are those of carom's own format, and a file that has a `format` is never taken for one of SFGE.
#[test]
fn limits_hold_and_formats_are_told_apart() {
    let deep = format!("{{\"entities\": {}{}}}", "[".repeat(70), "]".repeat(70));
    assert!(refused(deep.as_bytes()).message.contains("nested more than 64 deep"));
    let mut long = entity("").into_bytes();
    long.resize(file::MAX_BYTES + 1, b' ');
    assert!(refused(&long).message.contains("up to 67108864 bytes"));
    let error = refused(br#"{"format": "carom-scene", "version": 1, "entities": [], "bodies": []}"#);
    assert_eq!(error.place, "entities");
    assert_eq!(refused(br#"{"objects": []}"#).place, "format", "neither one nor the other");
}

/// The example: a ball bounces on the ground as its restitution says, a box comes to rest, and a scanner meets both.
#[test]
fn the_example_falls_bounces_and_scans() {
    let Run::Rigid(mut run) = open(file_of_repository("scenes/sfge_drop.json")).unwrap() else { panic!("bodies") };
    let [_, ball, cube, _] = bodies(&run)[..] else { panic!("four bodies") };
    // The ball falls from 6.2 m to 2.7 m, where it touches the ground, and comes back to 0.64^2 of the way.
    let (mut begins, mut heights) = (0, Vec::new());
    for _ in 0..run.about().steps {
        run.step();
        begins += run.world.events().sensor_begin.len();
        heights.push(run.world.body(ball).position().y);
    }
    let lowest = heights[..50].iter().copied().fold(f32::INFINITY, carom_core::math::min);
    let bounce = heights.iter().position(|&y| y == lowest).unwrap();
    let top = heights[bounce..bounce + 60].iter().copied().fold(0.0, carom_core::math::max);
    assert!((top - 2.7 - 0.64 * 0.64 * 3.5).abs() < 0.02, "comes back to {top} m");
    let square = run.world.body(cube);
    assert!((square.position().y - 2.7).abs() < 0.01 && square.velocity().length() < 1.0e-3, "{}", square.position());
    assert_eq!(begins, 3, "the scanner meets the ground, the ball and the box");
    let saved = file::write(&run);
    assert_eq!(read(&saved).world.state_hash(), run.world.state_hash(), "and can be saved in carom's own format");
}
