//! The corpus and thousands of mutations of it, from fixed seeds: what a fuzzer does for hours, in a minute and on any
//! compiler. `scripts/fuzz` searches further.

#![allow(unsafe_code)]

use carom_core::Rng;
use carom_fuzz::{Target, check, find, mutate::mutate, oracle::note_memory};
use std::alloc::{GlobalAlloc, Layout, System};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Counts the memory that the current thread has.
struct Counting;

// SAFETY: every call is handed on unchanged to the system's allocator, which keeps the promises; counting neither
// allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note_memory(layout.size() as isize);
        // SAFETY: what the caller promises is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        note_memory(-(layout.size() as isize));
        // SAFETY: what the caller promises is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        note_memory(size as isize - layout.size() as isize);
        // SAFETY: what the caller promises is passed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The corpus of a target, in the order of its names.
fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target.name);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| std::fs::read(path).unwrap()).collect()
}

/// Hands bytes over. If they break a promise, keeps them in a file and says where.
fn hold(target: &Target, bytes: &[u8]) -> usize {
    let result = catch_unwind(AssertUnwindSafe(|| check(target, bytes)));
    result.unwrap_or_else(|_| {
        let name = bytes.iter().fold(0_u64, |name, &byte| (name ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name:016x}", target.name));
        std::fs::write(&path, bytes).unwrap();
        panic!(
            "{} is broken by {path:?}; see it again with\n  cargo run -p carom-fuzz --example again -- {} {}",
            target.name,
            target.name,
            path.display()
        );
    })
}

/// Goes through the corpus and `count` mutations, or `CAROM_FUZZ` times as many with `CAROM_FUZZ_SEED`. At least one in
/// `least` must come past the first checks: otherwise the search has become one of error messages.
fn search(name: &str, count: u32, least: u32) {
    let target = find(name).unwrap();
    let mut seeds = (target.seeds)();
    seeds.extend(corpus(target));
    assert!(seeds.iter().all(|seed| seed.len() <= target.most_bytes), "{name}: inputs are cut off");
    for seed in &seeds {
        hold(target, seed);
    }
    let setting = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u32>().ok());
    let count = count * setting("CAROM_FUZZ").unwrap_or(1);
    let mut rng = Rng::new(2026 + u64::from(setting("CAROM_FUZZ_SEED").unwrap_or(0)));
    let mut taken = 0;
    for _ in 0..count {
        let bytes = mutate(&mut rng, &seeds, target.words, target.most_bytes);
        taken += u32::from(hold(target, &bytes) > 0);
    }
    println!("{name}: {} kept inputs, {count} mutations, {taken} of which were taken", seeds.len());
    assert!(taken >= count / least, "only {taken} of {count} were taken");
}

#[test]
fn json_scenes_keep_the_promises() {
    search("scene_json", 3000, 10);
}

#[test]
fn xml_scenes_keep_the_promises() {
    search("scene_xml", 10_000, 20);
}

#[test]
fn scenes_in_3d_keep_the_promises() {
    search("scene_3d", 10_000, 10);
}

#[test]
fn trajectories_keep_the_promises() {
    search("trajectory", 8000, 10);
}

#[test]
fn snapshots_keep_the_promises() {
    search("snapshot", 3000, 50);
}

#[test]
fn recordings_keep_the_promises() {
    search("recording", 3000, 50);
}

#[test]
fn calls_in_2d_keep_the_promises() {
    search("calls_2d", 4000, 2);
}

#[test]
fn calls_in_3d_keep_the_promises() {
    search("calls_3d", 4000, 2);
}

#[test]
fn calls_of_particles_keep_the_promises() {
    search("calls_particles", 4000, 2);
}
