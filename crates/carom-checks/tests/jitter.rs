//! What measures against jitter are for: with all of them heaps lie still, without some they do not.

use carom_checks::jitter::{HEAPS, Without, page, run};
use carom2d::Measure;

#[test]
fn the_page_is_up_to_date() {
    const REGENERATE: &str =
        "write docs/jitter.md again with CAROM_BLESS=1 cargo test -p carom-checks --test jitter page";
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/jitter.md");
    let now = page();
    if std::env::var_os("CAROM_BLESS").is_some() {
        std::fs::write(path, &now).expect("the page can be written");
    }
    let written = std::fs::read_to_string(path).expect("the page can be read").replace("\r\n", "\n");
    for (line, (written, now)) in written.lines().zip(now.lines()).enumerate() {
        assert_eq!(written, now, "docs/jitter.md, line {}: {REGENERATE}", line + 1);
    }
    assert_eq!(written.lines().count(), now.lines().count(), "{REGENERATE}");
}

#[test]
fn heaps_lie_still_with_all_measures() {
    for heap in &HEAPS {
        let outcome = run(heap, Without::Nothing);
        println!("{}: {outcome:?}", heap.name);
        assert!(outcome.jitter < 1.0e-3, "{}: {outcome:?}", heap.name);
    }
}

#[test]
fn heaps_are_worse_without_the_measures_that_carry_them() {
    let tower = HEAPS.iter().find(|heap| heap.name == "tower").unwrap();
    let with_all = run(tower, Without::One(Measure::InitialLoads));
    // What the others do shows elsewhere: in overlaps that leave no speed, in towers that lean, in walls of thousands.
    for measure in [Measure::WarmStarting, Measure::TwoPoints, Measure::Softness] {
        let without = run(tower, Without::One(measure));
        assert!(without.jitter > 3.0 * with_all.jitter, "{measure:?}: {without:?}, with it {with_all:?}");
    }
    let one_step = run(tower, Without::SubSteps);
    assert!(one_step.overlap > 3.0 * with_all.overlap, "{one_step:?}, in four sub-steps {with_all:?}");
}
