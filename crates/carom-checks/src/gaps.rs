//! Gates that are missed today. The tests print this table and fail if a value gets worse, and also
//! if a gap has closed and should be struck off.
//!
//! One gate is in no table, because no test is timed: a step with a thousand discs at one point should take
//! 50 ms. See `stage/crammed.rs` in `carom2d`.

/// A gate that is missed.
#[derive(Clone, Copy, Debug)]
pub struct KnownGap {
    /// Name of the check.
    pub id: &'static str,
    /// What the measured value may not exceed, a little above what it was when this was written.
    pub bound: f64,
    /// Why, and what would close it.
    pub why: &'static str,
}

const TILTED_PLANE: &str = "a manifold is one plane for a step of 3.3 m, over seven tiles; where it is that of the \
                            sliding body's own side, the slightest tilt is a ramp, and how high it throws the body \
                            hangs on the last bit: 0.7 to 15 m where it begins 0 to 0.1 mm higher. Shorter steps, or \
                            the tile's plane wherever both sides are as good, would close it";

/// All known gaps.
pub const KNOWN_GAPS: &[KnownGap] = &[
    KnownGap { id: "fast seams, capsule over tiles at 200 m/s, hop (m)", bound: 15.0, why: TILTED_PLANE },
    KnownGap { id: "fast seams, capsule over tiles at 200 m/s, lag (relative)", bound: 0.02, why: TILTED_PLANE },
    KnownGap { id: "fast seams, capsule over segments at 200 m/s, hop (m)", bound: 15.0, why: TILTED_PLANE },
    KnownGap { id: "fast seams, capsule over segments at 200 m/s, lag (relative)", bound: 0.02, why: TILTED_PLANE },
    KnownGap {
        id: "p2 256 circles with e=0, largest energy rise in a step (of the initial)",
        bound: 1.0e-4,
        why: "pushing circles out of an overlap leaves some of the speed behind when several are pushed at once",
    },
];
