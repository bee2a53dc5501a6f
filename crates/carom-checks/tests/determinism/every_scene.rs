//! The state hash of every built-in scene of all three engines, as `docs/hashes.md` has it.

use carom_scenes::{Entry, entries};
use std::fmt::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/hashes.md");

const HEAD: &str = "# Hashes of every scene

State hashes of all built-in scenes, each after a number of steps: every machine computes these, on any number of threads, \
with any SIMD width, in debug and release. `carom hash --all` prints the same. Written by

```sh
CAROM_BLESS=1 cargo test -p carom-checks --test determinism golden
```

| target | how | when |
|---|---|---|
| x86-64, Linux | `cargo test` | every change |
| the same, optimised without assertions | `hash --all` in `.ci/run` | every change |
| the same, every lane width; 2, 3, 8 and 16 threads | `cargo test` | every change, 15 scenes of 2D and one of 3D |
| the same, 1 to 16 threads | `cargo test -- --ignored threads` | every night, all scenes |
| 64-bit ARM, macOS; x86-64, Windows | `cargo test` | every change |
| WebAssembly with SIMD | `scripts/targets wasm`, in Node.js | every night; particles, 3D and 14 scenes in 2D with every change |
| x86, Linux | `scripts/targets i686` | every night |
| 64-bit ARM, Linux | `scripts/targets arm`, in QEMU | every night |
| s390x, Linux (big-endian) | `scripts/targets s390x`, in QEMU | every night |

";

/// The line of a scene in the table.
fn line(entry: Entry) -> String {
    let golden = entry.golden().unwrap();
    format!("| `{}` | {} | {} | `{:016x}` |", golden.name, golden.engine, golden.steps, golden.hash)
}

/// The lines of all scenes, found by as many threads as the machine has.
fn lines() -> Vec<String> {
    let scenes: Vec<Entry> = entries().collect();
    let (next, found) = (AtomicUsize::new(0), Mutex::new(vec![String::new(); scenes.len()]));
    let work = || {
        while let Some(&scene) = scenes.get(next.fetch_add(1, Ordering::Relaxed)) {
            let line = line(scene);
            let place = scenes.iter().position(|other| other.name() == scene.name()).unwrap();
            found.lock().unwrap()[place] = line;
        }
    };
    // Some targets have one thread and cannot make more.
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get());
    if threads == 1 {
        work();
    } else {
        std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    }
    found.into_inner().unwrap()
}

#[test]
fn golden_hashes_of_every_scene() {
    let lines = lines();
    if std::env::var_os("CAROM_BLESS").is_some() {
        let mut page = String::from(HEAD);
        page += "| scene | engine | steps | hash |\n|---|---|---|---|\n";
        lines.iter().for_each(|line| writeln!(page, "{line}").unwrap());
        std::fs::write(PATH, page).unwrap();
        return;
    }
    let recorded = std::fs::read_to_string(PATH).unwrap_or_default();
    let known: Vec<&str> = recorded.lines().filter(|line| line.starts_with("| `")).collect();
    let changed: Vec<&String> = lines.iter().filter(|line| !known.contains(&line.as_str())).collect();
    assert!(
        changed.is_empty() && known.len() == lines.len(),
        "{} of {} scenes have other hashes than docs/hashes.md, which has {}:\n{changed:#?}\nif the change of results is \
         intended, bless it with `CAROM_BLESS=1 cargo test -p carom-checks --test determinism golden`",
        changed.len(),
        lines.len(),
        known.len()
    );
}

/// On any number of threads from 1 to 16, every scene of every engine comes out as recorded. Takes minutes.
#[test]
#[ignore = "minutes; every night"]
fn every_number_of_threads_gives_the_hashes_of_every_scene() {
    let recorded = std::fs::read_to_string(PATH).unwrap();
    for threads in 1..=16 {
        for entry in entries() {
            let golden = entry.golden_on(threads).unwrap();
            let line = format!("| `{}` | {} | {} | `{:016x}` |", golden.name, golden.engine, golden.steps, golden.hash);
            assert!(recorded.lines().any(|known| known == line), "{threads} threads: {line}");
        }
    }
}
