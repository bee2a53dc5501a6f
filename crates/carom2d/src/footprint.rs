//! How many bytes bodies and contacts take, held against what `docs/performance.md` says.

use crate::attach::Shape;
use crate::body::{Body, BodySim, BodyState};
use crate::collide::Form;
use crate::contact::Contact;
use crate::solver::ContactBlock;
use carom_wide::LANES;

/// Each record: its name, its size, and what has one.
fn records() -> [(&'static str, usize, &'static str); 7] {
    [
        ("`BodyState`", size_of::<BodyState>(), "awake body"),
        ("`BodySim`", size_of::<BodySim>(), "body"),
        ("`Body`", size_of::<Body>(), "body"),
        ("`Shape`", size_of::<Shape>(), "shape"),
        ("`Form`", size_of::<Form>(), "shape"),
        ("`Contact`", size_of::<Contact>(), "pair of shapes that are near"),
        ("`ContactBlock`, a sixteenth", size_of::<ContactBlock>() / LANES, "pair with contact points"),
    ]
}

#[test]
fn the_documentation_says_how_many_bytes_are_taken() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/performance.md");
    let page = std::fs::read_to_string(path).expect("docs/performance.md can be read");
    let mut rows: Vec<String> = Vec::new();
    for (name, bytes, owner) in records() {
        rows.push(format!("| {name} | {bytes} | {owner} |"));
    }
    let sum = |places: &[usize]| places.iter().map(|&place| records()[place].1).sum::<usize>();
    rows.push(format!("| **a body with one shape** | **{}** | |", sum(&[0, 1, 2, 3, 4])));
    rows.push(format!("| **a contact** | **{}** | |", sum(&[5, 6])));
    let table = rows.join("\n");
    assert!(page.contains(&table), "docs/performance.md is not up to date; its table of bytes should be\n{table}");
}
