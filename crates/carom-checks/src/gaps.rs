//! Gates that are missed today. The tests print this table and fail if a value gets worse, and also
//! if a gap has closed and should be struck off.

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

/// All known gaps.
pub const KNOWN_GAPS: &[KnownGap] = &[KnownGap {
    id: "28 thousand discs at a point, speed (m/s)",
    bound: 9.0,
    why: "a heap that deep is pushed apart faster than the 4 m/s of the gate; a slower push would leave it \
          overlapping after 2 s, which the gate forbids too",
}];
