//! The reader, the schema and the description of the format must say the same.

use super::joints::{
    DISTANCE, DISTANCE_SPRING, DRIVE, FILTER_JOINT, GEAR, MOTOR, MOUSE, PRISMATIC, PULLEY, REVOLUTE, SPRING, WELD,
    WHEEL,
};
use super::media::{BELOW, BOX, POINT_GRAVITY, RADIAL, REGION, SOFT_BODY, UNIFORM, VORTEX, WIND};
use super::read::{
    CAMERA, CAPSULE, CHAIN, CIRCLE, CONCAVE, ELLIPSE, FILTER, POLYGON, QUADTREE, RECTANGLE, SCENE, SEGMENT, SEQUENTIAL,
    WORLD,
};
use super::water::{FILLED_BOX, PARTICLE_FLUID};
use super::{FORMAT, VERSION, read::BODY, write};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

const SCHEMA: &str = include_str!("../../../../docs/scene.schema.json");
const DESCRIPTION: &str = include_str!("../../../../docs/scene-format.md");

/// Each kind of object: what it is called in the description, where it is in the schema, and the fields
/// that the reader knows.
type Kind = (&'static str, &'static str, &'static [&'static [&'static str]]);

const KINDS: [Kind; 39] = [
    ("## The scene", "", SCENE),
    ("**`camera`**", "/properties/camera", CAMERA),
    ("## The world", "/$defs/world", WORLD),
    ("**`solver`** as an object", "/$defs/sequential", SEQUENTIAL),
    ("**`broad_phase`** as an object", "/$defs/quadtree", QUADTREE),
    ("## A body", "/$defs/body", BODY),
    ("**`\"circle\"`**", "/$defs/circle", CIRCLE),
    ("**`\"rectangle\"`**", "/$defs/rectangle", RECTANGLE),
    ("**`\"capsule\"`**", "/$defs/capsule", CAPSULE),
    ("**`\"segment\"`**", "/$defs/segment", SEGMENT),
    ("**`\"polygon\"`**", "/$defs/polygon", POLYGON),
    ("**`\"ellipse\"`**", "/$defs/ellipse", ELLIPSE),
    ("**`\"chain\"`**", "/$defs/chain", CHAIN),
    ("**`\"concave\"`**", "/$defs/concave", CONCAVE),
    ("**`filter`**", "/$defs/filter", FILTER),
    ("**`\"distance\"`**", "/$defs/distance_joint", DISTANCE),
    ("**`\"revolute\"`**", "/$defs/revolute_joint", REVOLUTE),
    ("**`\"prismatic\"`**", "/$defs/prismatic_joint", PRISMATIC),
    ("**`\"weld\"`**", "/$defs/weld_joint", WELD),
    ("**`\"wheel\"`**", "/$defs/wheel_joint", WHEEL),
    ("**`\"motor\"`**", "/$defs/motor_joint", DRIVE),
    ("**`\"mouse\"`**", "/$defs/mouse_joint", MOUSE),
    ("**`\"gear\"`**", "/$defs/gear_joint", GEAR),
    ("**`\"pulley\"`**", "/$defs/pulley_joint", PULLEY),
    ("**`\"filter\"`**", "/$defs/filter_joint", FILTER_JOINT),
    ("**`spring`** as an object", "/$defs/spring", SPRING),
    ("**`spring`** of a distance", "/$defs/distance_spring", DISTANCE_SPRING),
    ("**`motor`** as an object", "/$defs/motor", MOTOR),
    ("**`\"below\"`**", "/$defs/below_fluid", BELOW),
    ("**`\"box\"`**", "/$defs/box_fluid", BOX),
    ("**`\"region\"`**", "/$defs/region_fluid", REGION),
    ("**`\"uniform\"`**", "/$defs/uniform_field", UNIFORM),
    ("**`\"point_gravity\"`**", "/$defs/point_gravity_field", POINT_GRAVITY),
    ("**`\"radial\"`**", "/$defs/radial_field", RADIAL),
    ("**`\"vortex\"`**", "/$defs/vortex_field", VORTEX),
    ("**`\"wind\"`**", "/$defs/wind_field", WIND),
    ("## A soft body", "/$defs/soft_body", SOFT_BODY),
    ("## A fluid of particles", "/$defs/particle_fluid", PARTICLE_FLUID),
    ("**`boxes`** are filled", "/$defs/filled_box", FILLED_BOX),
];

/// What several kinds have in common: where it is in the description, and in the schema.
const SHAPES: (&str, &str) = ("**All shapes** also have", "/$defs/surface");
const FLUIDS: (&str, &str) = ("**All fluids** also have", "/$defs/any_fluid");
const JOINTS: (&str, &str) = ("**All joints** may have", "/$defs/any_joint");
const JOINTS_BETWEEN: (&str, &str) = ("**All joints but gears** also have", "/$defs/joint_between");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("the schema is JSON")
}

/// The fields of an object in the schema, with those it takes from another.
fn properties(schema: &Value, pointer: &str) -> BTreeMap<String, Value> {
    let node = schema.pointer(pointer).unwrap_or_else(|| panic!("no {pointer} in the schema"));
    let mut found = BTreeMap::new();
    if let Some(base) = node.get("$ref").and_then(Value::as_str) {
        found.extend(properties(schema, base.trim_start_matches('#')));
    }
    for (name, property) in node["properties"].as_object().expect("an object has properties") {
        found.insert(name.clone(), property.clone());
    }
    found
}

/// The rows of the table under a heading of the description: field and default, without their marks.
fn table(heading: &str) -> BTreeMap<String, String> {
    let start = DESCRIPTION.find(&format!("\n{heading}")).unwrap_or_else(|| panic!("no {heading} in the description"));
    // A heading without a table of its own has no fields of its own.
    let own = DESCRIPTION[start + 1..].lines().enumerate().take_while(|(i, line)| *i == 0 || !line.starts_with("**`"));
    let rows =
        own.map(|(_, line)| line).skip_while(|line| !line.starts_with("| `")).take_while(|l| l.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        assert_eq!(cells.len(), 4, "{row}");
        (cells[0].trim_matches('`').to_owned(), cells[2].to_owned())
    })
    .collect()
}

#[test]
fn reader_schema_and_description_have_the_same_fields() {
    let schema = schema();
    for (heading, pointer, names) in KINDS {
        let reader: BTreeSet<String> = names.iter().flat_map(|group| group.iter()).map(|&name| name.into()).collect();
        let known: BTreeSet<String> = properties(&schema, pointer).into_keys().collect();
        assert_eq!(reader, known, "{heading}: reader and schema");
        let mut described: BTreeSet<String> = table(heading).into_keys().collect();
        if heading.starts_with("**`\"") {
            let common: &[(&str, &str)] = match pointer {
                "/$defs/gear_joint" => &[JOINTS],
                pointer if pointer.ends_with("_joint") => &[JOINTS, JOINTS_BETWEEN],
                pointer if pointer.ends_with("_fluid") => &[FLUIDS],
                pointer if pointer.ends_with("_field") => &[],
                _ => &[SHAPES],
            };
            described.extend(common.iter().flat_map(|(heading, _)| table(heading).into_keys()));
            described.insert("kind".to_owned());
        }
        assert_eq!(reader, described, "{heading}: reader and description");
    }
}

#[test]
fn schema_and_description_have_the_same_defaults() {
    let schema = schema();
    let all = KINDS.iter().map(|&(heading, pointer, _)| (heading, pointer));
    let mut compared = 0;
    for (heading, pointer) in all.chain([SHAPES, FLUIDS, JOINTS, JOINTS_BETWEEN]) {
        let node = schema.pointer(pointer).unwrap();
        let required: Vec<&str> =
            node.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = properties(&schema, pointer);
        for (name, described) in table(heading) {
            assert_eq!(required.contains(&name.as_str()), described == "*required*", "{heading} {name}");
            let default = properties[&name].get("default");
            let literal = described.strip_prefix('`').and_then(|text| text.strip_suffix('`'));
            let literal = literal.and_then(|text| serde_json::from_str::<Value>(text).ok());
            assert_eq!(default, literal.as_ref(), "{heading} {name}");
            compared += usize::from(default.is_some());
        }
    }
    assert!(compared > 80, "the tables were found: {compared}");
}

/// A scene with one joint of the kind at this place in the schema, with an additional field; gears tie two
/// more.
fn scene_with_joint(pointer: &str, name: &str, value: &Value) -> Value {
    let kind = pointer.trim_start_matches("/$defs/").trim_end_matches("_joint");
    let mut joint = json!({"kind": "revolute", "body_a": 0, "body_b": 1});
    let target = match kind {
        "gear" => {
            joint = json!({"kind": "gear", "joint_a": 1, "joint_b": 2, "ratio": 1});
            ""
        }
        "spring" => {
            joint["spring"] = json!({});
            "/spring"
        }
        "distance_spring" => {
            joint["kind"] = json!("distance");
            joint["spring"] = json!({"length": 1});
            "/spring"
        }
        "motor" if !pointer.ends_with("_joint") => {
            joint["motor"] = json!({"max_force": 1});
            "/motor"
        }
        "any" | "joint_between" => "",
        _ => {
            joint["kind"] = json!(kind);
            let required = match kind {
                "mouse" => json!({"target": [0, 0]}),
                "pulley" => json!({"pulley_a": [0, 1], "pulley_b": [1, 1], "length": 2}),
                _ => json!({}),
            };
            for (field, value) in required.as_object().unwrap() {
                joint[field] = value.clone();
            }
            ""
        }
    };
    if !name.is_empty() {
        joint.pointer_mut(target).unwrap()[name] = value.clone();
    }
    let pin = |body: u32| json!({"kind": "revolute", "body_a": 0, "body_b": body});
    json!({
        "format": FORMAT, "version": VERSION, "name": "x", "camera": {"half_height": 1},
        "bodies": [{"kind": "fixed"}, {"kind": "dynamic"}, {"kind": "dynamic"}],
        "joints": [joint, pin(1), pin(2)],
    })
}

/// Something of a joint?
fn is_of_joint(pointer: &str) -> bool {
    ["joint", "spring", "motor"].iter().any(|word| pointer.contains(word))
}

/// A scene with one body that has one shape, each with an additional field.
fn scene_with(pointer: &str, name: &str, value: &Value) -> Value {
    if is_of_joint(pointer) {
        return scene_with_joint(pointer, name, value);
    }
    let mut scene = json!({
        "format": FORMAT, "version": VERSION, "name": "x", "camera": {"half_height": 1}, "world": {},
        "bodies": [{"kind": "dynamic", "shapes": []}],
    });
    let shape = match pointer {
        "/$defs/rectangle" => json!({"kind": "rectangle", "width": 1, "height": 2}),
        "/$defs/polygon" => json!({"kind": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]]}),
        "/$defs/ellipse" => json!({"kind": "ellipse", "half_width": 1, "half_height": 2}),
        "/$defs/chain" => json!({"kind": "chain", "points": [[1, 0], [0, 0]]}),
        "/$defs/concave" => json!({"kind": "concave", "points": [[0, 0], [2, 0], [1, 0.5], [1, 2]]}),
        "/$defs/filter" => json!({"kind": "circle", "radius": 1, "filter": {}}),
        _ => json!({"kind": "circle", "radius": 1}),
    };
    scene["bodies"][0]["shapes"] = json!([shape]);
    let target = match pointer {
        "" => "",
        "/properties/camera" => "/camera",
        "/$defs/world" => "/world",
        "/$defs/sequential" => {
            scene["world"]["solver"] = json!({"kind": "sequential"});
            "/world/solver"
        }
        "/$defs/quadtree" => {
            scene["world"]["broad_phase"] = json!({"kind": "quadtree"});
            "/world/broad_phase"
        }
        "/$defs/below_fluid" | "/$defs/any_fluid" => {
            scene["fluids"] = json!([{"kind": "below"}]);
            "/fluids/0"
        }
        "/$defs/box_fluid" => {
            scene["fluids"] = json!([{"kind": "box", "min": [0, 0], "max": [1, 1]}]);
            "/fluids/0"
        }
        "/$defs/region_fluid" => {
            scene["fluids"] = json!([{"kind": "region", "points": [[0, 0], [1, 0], [0, 1]]}]);
            "/fluids/0"
        }
        pointer if pointer.ends_with("_field") => {
            let kind = pointer.trim_start_matches("/$defs/").trim_end_matches("_field");
            let mut field = json!({"kind": kind});
            for (name, value) in [("strength", json!(1)), ("radius", json!(1)), ("acceleration", json!(1))] {
                let needed = match kind {
                    "point_gravity" => name == "strength",
                    "radial" | "vortex" => name != "strength",
                    _ => false,
                };
                if needed {
                    field[name] = value;
                }
            }
            if kind == "uniform" {
                field["acceleration"] = json!([1, 2]);
            }
            scene["fields"] = json!([field]);
            "/fields/0"
        }
        "/$defs/soft_body" | "/$defs/filled_box" => "",
        "/$defs/particle_fluid" => {
            scene["particle_fluid"] = json!({"spacing": 0.1});
            "/particle_fluid"
        }
        "/$defs/body" => "/bodies/0",
        "/$defs/filter" => "/bodies/0/shapes/0/filter",
        _ => "/bodies/0/shapes/0",
    };
    if !name.is_empty() {
        scene.pointer_mut(target).unwrap()[name] = value.clone();
    }
    scene
}

fn written(scene: &Value) -> String {
    write(&super::read("x.json", scene.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}\n{scene}")))
}

#[test]
fn the_schema_has_the_defaults_of_the_engine() {
    let schema = schema();
    let mut compared = 0;
    let pointers = KINDS.iter().map(|&(_, pointer, _)| pointer).chain([SHAPES.1, FLUIDS.1, JOINTS.1, JOINTS_BETWEEN.1]);
    for pointer in pointers {
        let without = written(&scene_with(pointer, "", &Value::Null));
        for (name, property) in properties(&schema, pointer) {
            // A body's own shapes and a scene's own bodies are there already.
            let Some(default) = property.get("default").filter(|_| name != "shapes") else { continue };
            assert_eq!(written(&scene_with(pointer, &name, default)), without, "{pointer} {name} = {default}");
            compared += 1;
        }
    }
    assert!(compared > 150, "defaults were found: {compared}");
}

#[test]
fn the_example_is_valid_and_runs() {
    let start = DESCRIPTION.find("```json\n").expect("the description has an example") + "```json\n".len();
    let length = DESCRIPTION[start..].find("```").expect("the example ends");
    let mut run = super::read("example.json", &DESCRIPTION.as_bytes()[start..start + length]).unwrap();
    assert_eq!(run.about().name, "first_steps");
    let ball = run.world.bodies().nth(1).unwrap();
    let tower = run.world.bodies().nth(3).unwrap();
    let before = run.world.body(tower).position();
    for _ in 0..run.about().steps {
        run.step();
    }
    run.check().unwrap();
    assert!(run.world.body(ball).position().x > 0.0, "the ball rolled down");
    assert!((run.world.body(tower).position() - before).length() > 0.3, "and struck the boxes");
}

#[test]
fn the_errors_of_the_description_are_those_of_the_reader() {
    let error = |text: &str| super::read("scene.json", text.as_bytes()).map(|_| ()).unwrap_err();
    let head = format!("{{\"format\": \"{FORMAT}\", \"version\": {VERSION}, \"bodies\": [");
    let radius =
        error(&format!("{head}{{\"kind\": \"fixed\", \"shapes\": [{{\"kind\": \"circle\", \"radius\": -1}}]}}]}}"));
    let field = error(&format!("{head}{{\"kind\": \"fixed\", \"postion\": [0, 0]}}]}}"));
    let end = error(&format!("{head}{{\"kind\": \"fixed\"}}"));
    for message in [radius.message, field.message] {
        assert!(DESCRIPTION.contains(&message), "{message}");
    }
    assert!(end.message.starts_with("expected a comma or ], but the file ends here; the [ of line"), "{}", end.message);
}
