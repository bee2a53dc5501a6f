//! Holds the documents to the command line: each command in them that can be pasted is one, and what it names is there.

use crate::Cli;
use carom_scenes::{find_entry, is_scene_file};
use clap::Parser;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The words after `carom` of all commands in blocks for a shell, and of those in a line of text that begin with cargo.
fn commands(text: &str) -> Vec<Vec<&str>> {
    let mut commands = Vec::new();
    let mut in_block = false;
    for line in text.lines() {
        if let Some(language) = line.strip_prefix("```") {
            in_block = !in_block && language == "sh";
            continue;
        }
        let pieces: Vec<&str> = if in_block { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
        for piece in pieces {
            let of_cargo = piece.split("cargo run --release -p carom -- ").nth(1);
            if let Some(words) = of_cargo.or(piece.strip_prefix("carom ").filter(|_| in_block)) {
                let ends = |word: &&str| !matches!(*word, "#" | "|" | ">" | "&&");
                commands.push(words.split_whitespace().take_while(ends).collect());
            }
        }
    }
    commands
}

#[test]
fn commands_in_documents_can_be_pasted() {
    let folder = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let pages = folder.filter(|path| path.extension().is_some_and(|ending| ending == "md"));
    let mut count = 0;
    for page in pages.chain(["README.md", "CONTRIBUTING.md"].map(|name| root().join(name))) {
        let text = std::fs::read_to_string(&page).unwrap();
        // What one command writes another may read.
        let mut written: Vec<&str> = Vec::new();
        for command in commands(&text) {
            count += 1;
            let told = format!("{}: carom {}", page.display(), command.join(" "));
            Cli::try_parse_from(std::iter::once(&"carom").chain(&command))
                .unwrap_or_else(|error| panic!("{told}\n{error}"));
            if let ["record", _, file, ..] = command[..] {
                written.push(file);
            }
            if let Some(at) = command.iter().position(|word| *word == "--out") {
                written.push(command[at + 1]);
            }
            let scene = match command[..] {
                ["run" | "view" | "check" | "compare", scene, ..] => scene,
                ["fosssim", "-s", scene, ..] => scene,
                _ => continue,
            };
            let is_there = match is_scene_file(scene) {
                true => written.contains(&scene) || root().join(scene).exists(),
                false => find_entry(scene).is_ok(),
            };
            assert!(is_there, "{told}\nthere is no {scene}");
        }
    }
    assert!(count > 30, "only {count} commands were found");
}

/// What the other commands of documents name: packages, tests, examples, scripts and folders.
fn missing_in(line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split_whitespace().take_while(|word| *word != "#").collect();
    let after = |flag: &str| words.iter().position(|word| *word == flag).and_then(|at| words.get(at + 1).copied());
    let mut paths: Vec<String> = words
        .iter()
        .map(|word| word.trim_start_matches("../carom/").trim_start_matches("./"))
        .filter(|word| ["scripts/", "python/", ".ci/", "crates/"].iter().any(|folder| word.starts_with(folder)))
        .map(str::to_owned)
        .collect();
    if let Some(package) = after("-p").filter(|_| words[0] == "cargo") {
        let package = format!("crates/{package}");
        paths.extend(after("--test").map(|name| format!("{package}/tests/{name}.rs")));
        paths.extend(after("--example").map(|name| format!("{package}/examples/{name}.rs")));
        paths.push(package);
    }
    paths.retain(|path| !root().join(path).exists());
    paths
}

#[test]
fn other_commands_in_documents_name_what_is_there() {
    let mut count = 0;
    for page in ["README.md", "CONTRIBUTING.md", "docs/command-line.md", "docs/python.md"] {
        let text = std::fs::read_to_string(root().join(page)).unwrap();
        let mut in_block = false;
        for line in text.lines() {
            if let Some(language) = line.strip_prefix("```") {
                in_block = !in_block && language == "sh";
                continue;
            }
            let pieces: Vec<&str> = if in_block { vec![line] } else { line.split('`').skip(1).step_by(2).collect() };
            let starts = ["cargo ", "scripts/", "pip ", "python ", ".ci/"];
            for piece in pieces.into_iter().filter(|piece| starts.iter().any(|start| piece.starts_with(start))) {
                let missing = missing_in(piece);
                assert!(missing.is_empty(), "{page}: {piece}\nthere is no {}", missing.join(", "));
                count += 1;
            }
        }
    }
    assert!(count > 30, "only {count} commands were found");
    for wrong in
        ["cargo test -p carom-none", "cargo run -p carom2d --example none", "scripts/none", "pip install ./python/none"]
    {
        assert_eq!(missing_in(wrong).len(), 1, "{wrong}");
    }
}
