//! Texts of small scenes, of which one part is given.

/// A scene with these fields, which end in a comma, and these bodies.
pub(super) fn scene(fields: &str, bodies: &str) -> String {
    format!("{{\"format\": \"carom-scene\", \"version\": 1,{fields} \"bodies\": [{bodies}]}}")
}

/// A scene with one body of one shape, with these fields after its kind, on line 3.
pub(super) fn shape(fields: &str) -> String {
    scene("", &format!("\n{{\"kind\": \"dynamic\", \"shapes\": [\n{{\"kind\": {fields}}}]}}"))
}

/// A scene with one body, with these fields after its kind, on line 2.
pub(super) fn body(fields: &str) -> String {
    scene("", &format!("\n{{\"kind\": \"dynamic\", {fields}}}"))
}

/// A scene with two bodies and this joint, on line 3.
pub(super) fn joint(text: &str) -> String {
    let bodies = "{\"kind\": \"fixed\"}, {\"kind\": \"dynamic\"}";
    format!("{{\"format\": \"carom-scene\", \"version\": 1, \"bodies\": [{bodies}],\n\"joints\": [\n{text}]}}")
}

/// A scene with a pin on the first body that has these fields, on line 3.
pub(super) fn pin(fields: &str) -> String {
    joint(&format!("{{\"kind\": \"revolute\", \"body_a\": 0, {fields}}}"))
}

/// A scene with two bodies and one thing in this list, on line 3.
pub(super) fn medium(list: &str, text: &str) -> String {
    let bodies = "{\"kind\": \"fixed\"}, {\"kind\": \"dynamic\"}";
    format!("{{\"format\": \"carom-scene\", \"version\": 1, \"bodies\": [{bodies}],\n\"{list}\": [\n{text}]}}")
}
