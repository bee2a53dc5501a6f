//! What Box2D has in its world at the end of each benchmark scene: whether the scene is the one that everybody
//! else measures.

use carom_peers::Work;

/// Name of the scene; then bodies, shapes, joints and contacts at the end of a full run.
type Counts = (&'static str, usize, usize, usize, Contacts);

/// How many contacts there must be.
#[derive(Clone, Copy)]
enum Contacts {
    /// Nothing in the scene tumbles: exactly as many.
    Exactly(usize),
    /// A heap: its contacts depend on the last bit of every number before, and so on the compiler and on the
    /// revision of Box2D, of which the numbers below come from another one (617d32ab). Up to a tenth more or less.
    About(usize),
}

/// As Box2D's own benchmark has them.
const COUNTS: [Counts; 10] = [
    ("compounds", 3001, 6282, 0, Contacts::About(26221)),
    ("joint_grid", 10000, 10000, 19800, Contacts::Exactly(0)),
    ("junkyard", 8002, 8262, 0, Contacts::About(24341)),
    ("large_pyramid", 5051, 5051, 0, Contacts::Exactly(14950)),
    ("many_pyramids", 22001, 22020, 0, Contacts::Exactly(58000)),
    ("rain", 11001, 15505, 10000, Contacts::About(20651)),
    ("smash", 9601, 9601, 0, Contacts::About(6296)),
    ("spinner", 6078, 6437, 1, Contacts::About(23049)),
    ("tumbler", 2027, 2029, 1, Contacts::About(8823)),
    ("washer", 8102, 8140, 0, Contacts::About(29669)),
];

/// Where Box2D's world differs from what it should be, in words.
pub(super) fn differences(scene: &str, work: &Work) -> Vec<String> {
    let Some(&(_, bodies, shapes, joints, contacts)) = COUNTS.iter().find(|counts| counts.0 == scene) else {
        return Vec::new();
    };
    let (contacts, tolerance) = match contacts {
        Contacts::Exactly(count) => (count, 0),
        Contacts::About(count) => (count, count / 10),
    };
    let checks = [
        ("bodies", work.bodies, bodies, 0),
        ("shapes", work.shapes, shapes, 0),
        ("joints", work.joints, joints, 0),
        ("contacts", work.contacts, contacts, tolerance),
    ];
    let differs = checks.into_iter().filter(|&(_, found, expected, tolerance)| found.abs_diff(expected) > tolerance);
    let tell = |(what, found, expected, _)| format!("{scene} in Box2D has {found} {what}, expected {expected}");
    differs.map(tell).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_count_is_told() {
        let right = Work { bodies: 2027, shapes: 2029, joints: 1, contacts: 8900, ..Work::default() };
        assert_eq!(differences("tumbler", &right), Vec::<String>::new());
        let wrong = Work { shapes: 2028, contacts: 7000, ..right };
        assert_eq!(
            differences("tumbler", &wrong),
            ["tumbler in Box2D has 2028 shapes, expected 2029", "tumbler in Box2D has 7000 contacts, expected 8823"]
        );
        let short = Work { bodies: 22001, shapes: 22020, contacts: 57999, ..Work::default() };
        let told = differences("many_pyramids", &short);
        assert_eq!(told, ["many_pyramids in Box2D has 57999 contacts, expected 58000"]);
        assert_eq!(differences("stack", &wrong), Vec::<String>::new());
    }
}
