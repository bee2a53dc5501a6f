//! Holds docs/coverage.md to the repository: what it names is there.
//!
//! The last two cells of a row may have in backticks: a path from the root of the repository; a test, in Rust or in Python, as
//! the path of its file and its name; `::name` for one more test of the file before; a command. A row must show its
//! requirement by a test or a command, or say that there is none.

use carom_scenes::find_entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A row: its number in the file and its cells.
struct Row<'a> {
    line: usize,
    cells: Vec<&'a str>,
}

/// The tables of a document by their headings, without their first two lines.
fn tables(text: &str) -> BTreeMap<&str, Vec<Row<'_>>> {
    let mut tables: BTreeMap<&str, Vec<Row<'_>>> = BTreeMap::new();
    let mut heading = "";
    for (index, line) in text.lines().enumerate() {
        if let Some(title) = line.strip_prefix("## ") {
            heading = title;
        }
        let Some(inside) = line.trim().strip_prefix('|').and_then(|rest| rest.strip_suffix('|')) else { continue };
        let cells = inside.split('|').map(str::trim).collect();
        tables.entry(heading).or_default().push(Row { line: index + 1, cells });
    }
    for rows in tables.values_mut() {
        rows.drain(..2.min(rows.len()));
    }
    tables
}

/// What stands in backticks.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// Is there a test of this name in the text of a Rust file?
fn has_test(text: &str, name: &str) -> bool {
    let head = format!("fn {name}(");
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    (0..lines.len()).filter(|&i| lines[i].starts_with(&head)).any(|i| {
        let attributes = lines[..i].iter().rev().take_while(|line| line.starts_with("#["));
        attributes.into_iter().any(|line| *line == "#[test]")
    })
}

/// Why a file or folder of the repository cannot be meant, if it cannot.
fn missing_path(path: &str) -> Option<String> {
    let is_inside = !path.starts_with('/') && !path.split('/').any(|part| part == "..");
    (!is_inside || !root().join(path).exists()).then(|| format!("{path} does not exist"))
}

/// Is there a test of this name in the text of a Python file? There a test is known by its name.
fn has_python_test(text: &str, name: &str) -> bool {
    name.starts_with("test_") && text.lines().any(|line| line.starts_with(&format!("def {name}(")))
}

fn missing_test(path: &str, name: &str) -> Option<String> {
    let Ok(text) = std::fs::read_to_string(root().join(path)) else { return Some(format!("{path} does not exist")) };
    let has = if path.ends_with(".py") { has_python_test } else { has_test };
    (!has(&text, name)).then(|| format!("{path} has no test {name}"))
}

/// What a command names that is not there: a crate, a test file, an example, a subcommand, a scene.
fn missing_in_command(command: &str) -> Option<String> {
    let words: Vec<&str> = command.split_whitespace().collect();
    let after = |flag: &str| words.iter().position(|word| *word == flag).and_then(|at| words.get(at + 1).copied());
    if words[0] == "cargo" {
        let package = after("-p")?;
        let folder = format!("crates/{package}");
        let test = after("--test").map(|name| format!("{folder}/tests/{name}.rs"));
        let example = after("--example").map(|name| format!("{folder}/examples/{name}.rs"));
        return [Some(folder), test, example].into_iter().flatten().find_map(|path| missing_path(&path));
    }
    let subcommand = words.get(1)?;
    if let Some(missing) = missing_path(&format!("crates/carom/src/{subcommand}.rs")) {
        return Some(format!("carom has no command {subcommand}: {missing}"));
    }
    // Words in capitals and files stand for what the reader has.
    let scene =
        words.get(2).filter(|word| word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_'));
    let unknown =
        scene.filter(|_| ["run", "view", "compare"].contains(subcommand)).and_then(|name| find_entry(name).err());
    unknown.map(|error| error.to_string())
}

/// Everything that is wrong about a row.
fn faults(row: &Row<'_>) -> Vec<String> {
    let [id, requirement, place, shown] = row.cells[..] else {
        return vec![format!("expected 4 cells, found {}", row.cells.len())];
    };
    let mut faults = Vec::new();
    if [id, requirement, shown].iter().any(|cell| cell.is_empty()) {
        faults.push("a cell is empty".to_owned());
    }
    let mut is_shown = shown.contains("not done") || shown.contains("no test");
    for (cell, may_show) in [(place, false), (shown, true)] {
        let mut file = None;
        if cell.matches('`').count() % 2 != 0 {
            faults.push("a backtick has no partner".to_owned());
        }
        for name in quoted(cell) {
            let is_command = name.starts_with("carom ") || name.starts_with("cargo ");
            let is_test = name.contains("::");
            is_shown |= may_show && (is_command || is_test || name.ends_with(".mjs"));
            if is_command {
                faults.extend(missing_in_command(name));
            } else if let Some((path, test)) = name.split_once("::") {
                file = if path.is_empty() { file } else { Some(path) };
                // Of a test inside of a module only the function is looked for.
                let test = test.rsplit("::").next().unwrap_or(test);
                faults.extend(
                    file.map_or(Some(format!("{name} has no file before it")), |path| missing_test(path, test)),
                );
            } else {
                faults.extend(missing_path(name));
            }
        }
    }
    if !is_shown {
        faults.push("neither a test nor a command, nor a word that there is none".to_owned());
    }
    faults
}

#[test]
fn everything_named_is_there() {
    let text = std::fs::read_to_string(root().join("docs/coverage.md")).expect("docs/coverage.md");
    let tables = tables(&text);
    assert_eq!(tables.len(), 5, "a table for each source: {:?}", tables.keys());
    let mut wrong = Vec::new();
    for (heading, rows) in &tables {
        assert!(rows.len() >= 10, "{heading} has only {} rows", rows.len());
        let mut ids = BTreeSet::new();
        for row in rows {
            let mut found = faults(row);
            if !ids.insert(row.cells[0]) {
                found.push("this id is used twice".to_owned());
            }
            wrong.extend(found.into_iter().map(|fault| format!("line {}, {}: {fault}", row.line, row.cells[0])));
        }
        println!("{heading}: {} rows", rows.len());
    }
    assert!(wrong.is_empty(), "docs/coverage.md:\n{}", wrong.join("\n"));
}

/// The check itself notices what it is there to notice.
#[test]
fn what_is_missing_is_noticed() {
    let this = "crates/carom-checks/tests/coverage.rs";
    let fault_of = |place: &str, shown: &str| {
        let row =
            format!("## a\n| id | what | where | shown by |\n|---|---|---|---|\n| 1 | a demand | {place} | {shown} |");
        let tables = tables(&row);
        faults(&tables["a"][0]).join("; ")
    };
    let good = format!("`{this}::everything_named_is_there`, `::what_is_missing_is_noticed`");
    assert_eq!(fault_of(&format!("`{this}`"), &good), "");
    assert_eq!(fault_of("`docs`", "`python/tests/test_sfge.py::test_the_example_prints_its_contacts`"), "");
    assert_eq!(fault_of("`docs`", "not done: it is hard"), "");
    assert_eq!(fault_of("`docs`", "`carom run stack`, `cargo run -p carom-checks --example validate`"), "");
    for (place, shown, part) in [
        ("`docs/no_such.md`", &*good, "does not exist"),
        ("`../main`", &good, "does not exist"),
        ("`docs`", &format!("`{this}::no_such_test`"), "has no test"),
        ("`docs`", &format!("`{this}::has_test`"), "has no test"),
        ("`docs`", "`python/tests/test_sfge.py::test_no_such_thing`", "has no test"),
        ("`docs`", "`python/tests/test_sfge.py::write_scene`", "has no test"),
        ("`docs`", "`::what_is_missing_is_noticed`", "no file before it"),
        ("`docs`", "by reading it", "neither a test nor a command"),
        ("`docs`", "`carom fly`", "no command fly"),
        ("`docs`", "`carom run no_such_scene`", "no_such_scene"),
        ("`docs`", "`cargo test -p no-such-crate`", "does not exist"),
        ("`docs`", "`cargo test -p carom-checks --test no_such`", "does not exist"),
        ("docs`", &good, "no partner"),
        ("`docs`", "", "empty"),
    ] {
        let fault = fault_of(place, shown);
        assert!(fault.contains(part), "{place}, {shown}: {fault:?}");
    }
}
