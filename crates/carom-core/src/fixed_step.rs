//! Steps of one length out of frames of any length.
//!
//! A clock adds the time of each frame to what is pending and makes steps while one is due:
//!
//! ```
//! # use carom_core::FixedStep;
//! let step = FixedStep { length_s: 0.02, tolerance: 1.0e-9 };
//! let mut pending_s = 0.05;
//! while step.is_due(pending_s) {
//!     pending_s -= step.length_s;
//! }
//! assert!((step.alpha(pending_s) - 0.5).abs() < 1.0e-9);
//! ```

/// A length of step, and how nearly it must be reached.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FixedStep {
    /// In seconds, positive.
    pub length_s: f64,
    /// The share of the length that may be missing: two frames of half a step make a step, whatever rounding did to them. A
    /// little above the relative precision of frame times.
    pub tolerance: f64,
}

impl FixedStep {
    /// True if so much pending time makes a step.
    pub fn is_due(&self, pending_s: f64) -> bool {
        pending_s >= self.length_s * (1.0 - self.tolerance)
    }

    /// Drops the whole steps that are pending, where more are due than can be made. Returns how much time that was.
    pub fn drop_due(&self, pending_s: &mut f64) -> f64 {
        let kept = *pending_s % self.length_s;
        let dropped_s = *pending_s - kept;
        *pending_s = kept;
        dropped_s
    }

    /// How far the time is between the last step and the next: 0 to about 1.
    pub fn alpha(&self, pending_s: f64) -> f64 {
        let alpha = pending_s / self.length_s;
        if alpha > 0.0 { alpha } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_make_a_step_and_whole_ones_are_dropped() {
        let step = FixedStep { length_s: 1.0 / 60.0, tolerance: 1.0e-9 };
        let half = 0.5 * step.length_s;
        assert!(!step.is_due(half) && step.is_due(half + half - 1.0e-12));
        let mut pending_s = 7.25 * step.length_s;
        let dropped_s = step.drop_due(&mut pending_s);
        assert!((dropped_s - 7.0 * step.length_s).abs() < 1.0e-12);
        assert!((step.alpha(pending_s) - 0.25).abs() < 1.0e-9);
        assert_eq!(step.alpha(-1.0e-12), 0.0);
    }
}
