//! The schema of scene files and their reader agree.

use super::mistakes::mistakes;
use super::mutations::{mutated, seeds};
use super::random::random_run;
use super::{file_of_repository, refused};
use carom_core::Rng;
use carom_scenes::{BuildOptions, all, file};

/// The schema, ready to be applied.
fn validator() -> jsonschema::Validator {
    let text = std::fs::read_to_string(file_of_repository("docs/scene.schema.json")).unwrap();
    let schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    jsonschema::draft202012::meta::validate(&schema).unwrap_or_else(|error| panic!("the schema is no schema: {error}"));
    jsonschema::draft202012::new(&schema).unwrap()
}

#[test]
fn what_is_written_obeys_the_schema() {
    let validator = validator();
    let check = |name: &str, text: &str| {
        let mut value: serde_json::Value = serde_json::from_str(text).unwrap();
        // The others are of the same kinds.
        value["bodies"].as_array_mut().unwrap().truncate(200);
        let errors: Vec<String> =
            validator.iter_errors(&value).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {}", errors.join("\n"));
    };
    for scene in all() {
        let mut run = scene.build(&BuildOptions::default()).unwrap();
        for _ in 0..if run.world.body_count() < 1000 { 30 } else { 2 } {
            run.step();
        }
        check(scene.name, &file::write(&run));
    }
    for seed in 0..20 {
        let mut run = random_run(seed);
        run.step();
        check("random", &file::write(&run));
    }
    for entry in std::fs::read_dir(file_of_repository("scenes")).unwrap() {
        let path = entry.unwrap().path();
        // The schema is that of carom's own format.
        if path.extension().is_some_and(|ending| ending == "json") && !path.ends_with("sfge_drop.json") {
            check(&path.display().to_string(), &std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// What only the reader can know: about the whole text, about two fields together, or about geometry.
const NOT_FOR_A_SCHEMA: [&str; 17] = [
    "above and to the right of min",
    "up to 1048576 particles; make",
    "closer to each other than the spacing",
    "min below max in x and y",
    "a whole number from 0 to 1, found 9",
    "twice in one object",
    "away from a",
    "a size between 1e-5 and 1e6 m, found [5e6",
    "not all on a line",
    "unit normal",
    "cosine and sine",
    "counted from 0",
    "another body than",
    "the lower limit, then",
    "a rotation of unit length, found [2",
    "a length of at least min",
    "which this gear is not",
];

#[test]
fn schema_and_reader_refuse_the_same() {
    let validator = validator();
    let mut compared = 0;
    for (text, ..) in mistakes() {
        let message = refused(text.as_bytes()).message;
        let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) else { continue };
        if NOT_FOR_A_SCHEMA.iter().any(|part| message.contains(part)) {
            continue;
        }
        assert!(!validator.is_valid(&value), "the schema takes what the reader refuses: {message}\n{text}");
        compared += 1;
    }
    assert!(compared > 35, "{compared}");
    // And the other way round: what the schema refuses of mutated files, the reader refuses.
    let seeds = seeds();
    let mut rng = Rng::new(7);
    for round in 0..1500 {
        let text = mutated(&seeds[round % seeds.len()], &mut rng);
        let Ok(value) = serde_json::from_slice::<serde_json::Value>(&text) else { continue };
        if !validator.is_valid(&value) {
            assert!(file::read("x.json", &text).is_err(), "{}", String::from_utf8_lossy(&text));
        }
    }
}
