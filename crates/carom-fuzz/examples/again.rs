//! Hands files to a target again: `cargo run -p carom-fuzz --example again -- TARGET FILE...`. With `--smaller`, writes the
//! smallest input that still breaks a promise beside the first file, as FILE.small.

use carom_fuzz::{TARGETS, Target, check, find};
use std::panic::{AssertUnwindSafe, catch_unwind};

fn is_broken(target: &Target, bytes: &[u8]) -> bool {
    catch_unwind(AssertUnwindSafe(|| check(target, bytes))).is_err()
}

/// Leaves out ever smaller pieces, as long as the promise stays broken.
fn smaller(target: &Target, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let mut piece = bytes.len() / 2;
    while piece > 0 {
        let mut at = 0;
        while at < bytes.len() {
            let mut shorter = bytes.clone();
            shorter.drain(at..(at + piece).min(bytes.len()));
            if is_broken(target, &shorter) {
                bytes = shorter;
            } else {
                at += piece;
            }
        }
        piece /= 2;
    }
    bytes
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_smaller = arguments.first().is_some_and(|word| word == "--smaller");
    if is_smaller {
        arguments.remove(0);
    }
    let Some(target) = arguments.first().and_then(|name| find(name)) else {
        let names = TARGETS.each_ref().map(|target| target.name).join(" ");
        eprintln!("usage: again [--smaller] TARGET FILE...\ntargets: {names}");
        std::process::exit(2);
    };
    for path in &arguments[1..] {
        let bytes = std::fs::read(path).unwrap_or_else(|error| panic!("{path}: {error}"));
        if is_smaller {
            std::panic::set_hook(Box::new(|_| {}));
            let small = smaller(target, &bytes);
            println!("{path}: {} of {} bytes", small.len(), bytes.len());
            std::fs::write(format!("{path}.small"), small).unwrap_or_else(|error| panic!("{path}.small: {error}"));
        } else {
            println!("{path}: {}", check(target, &bytes));
        }
    }
}
