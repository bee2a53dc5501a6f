//! What Box2D has in its world at the end of each benchmark scene: whether the scene is the one that everybody
//! else measures.

use crate::measure::Work;

/// Name of the scene; then bodies, shapes, joints and contacts at the end of a full run.
type Counts = (&'static str, usize, usize, usize, usize);

/// As Box2D's own benchmark has them.
const COUNTS: [Counts; 10] = [
    ("compounds", 3001, 6282, 0, 26221),
    ("joint_grid", 10000, 10000, 19800, 0),
    ("junkyard", 8002, 8262, 0, 24341),
    ("large_pyramid", 5051, 5051, 0, 14950),
    ("many_pyramids", 22001, 22020, 0, 58000),
    ("rain", 11001, 15505, 10000, 20651),
    ("smash", 9601, 9601, 0, 6296),
    ("spinner", 6078, 6437, 1, 23049),
    ("tumbler", 2027, 2029, 1, 8823),
    ("washer", 8102, 8140, 0, 29669),
];

/// Where Box2D's world differs from what it should be, in words.
///
/// Bodies, shapes and joints must agree. The contacts of a heap depend on the last bit of every number before,
/// and so on the compiler: those may differ by a hundredth.
pub(super) fn differences(scene: &str, work: &Work) -> Vec<String> {
    let Some(&(_, bodies, shapes, joints, contacts)) = COUNTS.iter().find(|counts| counts.0 == scene) else {
        return Vec::new();
    };
    let checks = [
        ("bodies", work.bodies, bodies, 0),
        ("shapes", work.shapes, shapes, 0),
        ("joints", work.joints, joints, 0),
        ("contacts", work.contacts, contacts, contacts / 100),
    ];
    let differs = checks.into_iter().filter(|&(_, found, expected, tolerance)| found.abs_diff(expected) > tolerance);
    differs
        .map(|(what, found, expected, _)| format!("{scene} in Box2D has {found} {what}, expected {expected}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_count_is_told() {
        let right = Work { bodies: 2027, shapes: 2029, joints: 1, contacts: 8900, ..Work::default() };
        assert_eq!(differences("tumbler", &right), Vec::<String>::new());
        let wrong = Work { shapes: 2028, contacts: 8000, ..right };
        assert_eq!(
            differences("tumbler", &wrong),
            ["tumbler in Box2D has 2028 shapes, expected 2029", "tumbler in Box2D has 8000 contacts, expected 8823"]
        );
        assert_eq!(differences("stack", &wrong), Vec::<String>::new());
    }
}
