//! Holds ARCHITECTURE.md and README.md to the repository: files that they name exist, stages are listed in the order
//! of the step, every crate is on the map, and both stay short. Holds the code to its limits, too: functions and files of the
//! engines do not grow beyond them, and every crate says whether it is published, and as what.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The longest that ARCHITECTURE.md may be, in bytes.
const LONGEST_ARCHITECTURE: usize = 12 * 1024;
/// The most words of README.md.
const LONGEST_README: usize = 1200;

/// The crates of the engines.
const ENGINES: [&str; 7] =
    ["carom-core", "carom-wide", "carom-threads", "carom2d", "carom3d", "carom-particles", "carom-couple"];
/// The most lines of a function of theirs, and of a file.
const LONGEST_FUNCTION: usize = 80;
const LONGEST_FILE: usize = 700;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What stands in backticks.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// The lines of a section, without its heading.
fn section<'a>(text: &'a str, heading: &str) -> &'a str {
    let start = text.find(heading).unwrap_or_else(|| panic!("no {heading}")) + heading.len();
    let rest = &text[start..];
    rest.find("\n## ").map_or(rest, |end| &rest[..end])
}

/// Is this a path, as opposed to a name in code or a command?
fn is_path(word: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let ends_like_one = [".rs", ".md", ".json", ".toml"].iter().any(|end| word.ends_with(end)) || word.ends_with('/');
    word.chars().all(plain) && ends_like_one
}

/// Does a path exist, seen from the root, from `carom2d` or one of its folders, or from the folder of checks?
fn exists(path: &str) -> bool {
    let carom2d = "crates/carom2d";
    let below = |folders: &[&str]| folders.iter().any(|folder| root().join(carom2d).join(folder).join(path).exists());
    let above = ["", "crates", "crates/carom-checks/src"].iter().any(|base| root().join(base).join(path).exists());
    above || below(&["", "src", "src/shape", "tests"])
}

#[test]
fn files_that_the_documents_name_exist() {
    // The files of the imaginary shape and joint do not.
    let imaginary = ["lens.rs", "NAME.rs"];
    let real = |word: &&str| is_path(word) && !imaginary.iter().any(|name| word.ends_with(name));
    for page in ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "docs/design.md", "docs/solvers.md"] {
        let prose = read(page).replace("```", "");
        let missing: Vec<&str> = quoted(&prose).filter(real).filter(|word| !exists(word)).collect();
        assert!(missing.is_empty(), "{page} names what is not there: {missing:?}");
    }
}

#[test]
fn files_that_the_index_of_the_engine_names_exist() {
    let text = read("crates/carom2d/src/lib.rs");
    let index = text.lines().skip_while(|line| !line.starts_with("// Where to look")).skip(1);
    let lines: Vec<&str> = index.take_while(|line| line.starts_with("//")).collect();
    assert!(lines.len() > 20, "the index at the top of lib.rs is missing");
    let words = lines.iter().flat_map(|line| line.split([' ', ',', ';']));
    let missing: Vec<&str> = words.filter(|word| is_path(word) && !exists(word)).collect();
    assert!(missing.is_empty(), "lib.rs names what is not there: {missing:?}");
}

/// The body of a function at the top level of a file.
fn body_of<'a>(code: &'a str, name: &str) -> Option<&'a str> {
    let start = code.find(&format!("fn {name}("))?;
    let rest = &code[start..];
    let open = rest.find(" {\n")?;
    Some(&rest[open..rest.find("\n}")?])
}

/// The stages that a function of `step.rs` calls, in order, each once: through functions of that file.
fn add_stages<'a>(code: &'a str, function: &str, stages: &mut Vec<&'a str>) {
    let body = body_of(code, function).unwrap_or_else(|| panic!("step.rs has no function {function}"));
    for line in body.lines().map(str::trim) {
        let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(0);
        let (name, rest) = line.split_at(end);
        if !rest.starts_with('(') {
            continue;
        }
        if body_of(code, name).is_some() {
            add_stages(code, name, stages);
        } else if code.lines().any(|line| line.starts_with("use crate::") && names_in(line).any(|used| used == name))
            && !stages.contains(&name)
        {
            stages.push(name);
        }
    }
}

/// The words of a line of code.
fn names_in(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
}

#[test]
fn stages_are_listed_in_the_order_of_the_step() {
    let code = read("crates/carom2d/src/step.rs");
    let mut called: Vec<&str> = Vec::new();
    add_stages(&code, "soft_step", &mut called);
    called.push("hand_out_events");
    assert!(body_of(&code, "step").is_some_and(|body| body.ends_with("hand_out_events(world);")));
    assert!(called.len() > 25, "too few stages were found in step.rs: {called:?}");
    let text = read("ARCHITECTURE.md");
    let rows = section(&text, "## The step").lines().filter(|line| line.starts_with("| ") && line.contains('`'));
    let listed: Vec<&str> = rows.flat_map(|row| quoted(row.split('|').nth(1).expect("a row has cells"))).collect();
    let order = |names: &[&str]| names.iter().filter(|name| !is_in_the_loop(name)).map(ToString::to_string).collect();
    let (called_order, listed_order): (Vec<String>, Vec<String>) = (order(&called), order(&listed));
    assert_eq!(called_order, listed_order, "the table of ARCHITECTURE.md is not the order of step.rs");
    let all = |names: &[&str]| names.iter().map(ToString::to_string).collect::<BTreeSet<_>>();
    assert_eq!(all(&called), all(&listed), "the table of ARCHITECTURE.md misses a stage, or has one too many");
}

/// Stages that an experiment runs in another order.
fn is_in_the_loop(name: &str) -> bool {
    ["solve_biased", "integrate_positions", "solve_relaxed"].contains(&name)
}

#[test]
fn every_crate_is_on_the_map() {
    let text = read("ARCHITECTURE.md");
    let map = section(&text, "## Code map");
    for entry in std::fs::read_dir(root().join("crates")).expect("crates/ can be listed") {
        let name = entry.expect("an entry can be read").file_name().into_string().expect("names are ASCII");
        assert!(map.contains(&format!("  {name}/")), "ARCHITECTURE.md does not name crates/{name}");
    }
}

#[test]
fn the_first_pages_are_short() {
    let bytes = read("ARCHITECTURE.md").len();
    assert!(bytes <= LONGEST_ARCHITECTURE, "ARCHITECTURE.md has {bytes} bytes; reasons belong into docs/design.md");
    let words = read("README.md").split_whitespace().count();
    assert!(words <= LONGEST_README, "README.md has {words} words; details belong into docs/");
}

/// All Rust files below a folder.
fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            files.push(path);
        }
    }
}

/// Name and length of each function of a formatted file, without those of its tests.
fn functions(code: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = code.lines().take_while(|line| *line != "#[cfg(test)]").collect();
    let mut found = Vec::new();
    for (start, line) in lines.iter().enumerate() {
        let text = line.trim_start();
        let words = ["pub", "pub(crate)", "pub(super)", "const", "unsafe", "extern", "\"C\""];
        let mut rest = text.split(' ').skip_while(|word| words.contains(word));
        if rest.next() != Some("fn") || line.trim_end().ends_with([';', '}']) {
            continue;
        }
        let name = rest.next().unwrap_or_default().split(['(', '<']).next().unwrap_or_default();
        let indent = &line[..line.len() - text.len()];
        // A declaration without a body ends before the next line that is indented like it.
        let ends = |line: &&str| {
            line.strip_prefix(indent).is_some_and(|rest| rest == "}" || rest.ends_with(';') && !rest.starts_with(' '))
        };
        let length = lines[start..].iter().position(ends).unwrap_or_else(|| panic!("{name} has no end")) + 1;
        found.push((name, length));
    }
    found
}

#[test]
fn functions_and_files_of_the_engines_are_short() {
    let (mut long, mut count) = (Vec::new(), 0);
    for name in ENGINES {
        let mut files = Vec::new();
        rust_files(&root().join("crates").join(name).join("src"), &mut files);
        for path in files {
            let code = std::fs::read_to_string(&path).expect("code is text");
            let path = path.strip_prefix(root()).unwrap_or(&path).display().to_string();
            if code.lines().count() > LONGEST_FILE {
                long.push(format!("{path} has {} lines: divide it by nouns", code.lines().count()));
            }
            if path.contains("test") {
                continue;
            }
            for (name, length) in functions(&code) {
                count += 1;
                if length > LONGEST_FUNCTION {
                    long.push(format!("{path}: {name} has {length} lines: give its parts names"));
                }
            }
        }
    }
    assert!(count > 2000, "only {count} functions were found");
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn every_crate_says_whether_it_is_published() {
    for entry in std::fs::read_dir(root().join("crates")).expect("crates/ can be listed") {
        let path = entry.expect("an entry can be read").path().join("Cargo.toml");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if text.contains("publish = false") {
            continue;
        }
        for needed in
            ["description", "license", "repository", "keywords", "categories", "readme", "[package.metadata.docs.rs]"]
        {
            assert!(text.contains(needed), "{} is published and has no {needed}", path.display());
        }
    }
}
