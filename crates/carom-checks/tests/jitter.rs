//! What measures against jitter are for: with all of them heaps lie still, without some they do not.

use carom_checks::jitter::{HEAPS, Without, run};
use carom2d::Measure;

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
    let with_all = run(tower, Without::Nothing);
    // What the others do shows elsewhere: in overlaps that leave no speed, in towers that lean, in walls of thousands.
    for measure in [Measure::WarmStarting, Measure::TwoPoints, Measure::Softness] {
        let without = run(tower, Without::One(measure));
        assert!(without.jitter > 3.0 * with_all.jitter, "{measure:?}: {without:?}, with it {with_all:?}");
    }
    let one_step = run(tower, Without::SubSteps);
    assert!(one_step.overlap > 3.0 * with_all.overlap, "{one_step:?}, in four sub-steps {with_all:?}");
}
