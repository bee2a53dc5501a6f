//! Real roots of polynomials in [0, 1].
//!
//! Between two neighbouring roots of its derivative a polynomial is monotone and has at most one root, which bisection
//! finds to the last bit whatever the coefficients. The roots of the derivative come the same way, down to a straight
//! line. Slower than closed formulas, and without their cancellations.

/// At most four roots, ascending.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Roots {
    values: [f64; 4],
    count: usize,
}

impl Roots {
    fn push(&mut self, root: f64) {
        if self.count < 4 && (self.count == 0 || self.values[self.count - 1] < root) {
            self.values[self.count] = root;
            self.count += 1;
        }
    }

    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.values[..self.count]
    }
}

/// The roots in [0, 1] of c[0] + c[1] t + c[2] t² + ..., of degree four at most. Double roots count if rounding does
/// not hide them. A polynomial that is zero or not finite has none.
pub(crate) fn roots_in_unit_interval(c: &[f64]) -> Roots {
    let mut roots = Roots::default();
    debug_assert!(c.len() <= 5, "degree {} is not supported", c.len() - 1);
    let Some(degree) = c.iter().rposition(|&coefficient| coefficient != 0.0) else { return roots };
    if degree == 0 || c.iter().any(|coefficient| !coefficient.is_finite()) {
        return roots;
    }
    if degree == 1 {
        let root = -c[0] / c[1];
        if (0.0..=1.0).contains(&root) {
            roots.push(root);
        }
        return roots;
    }
    let mut slope = [0.0; 4];
    for power in 1..=degree {
        slope[power - 1] = power as f64 * c[power];
    }
    let turns = roots_in_unit_interval(&slope[..degree]);
    // A value this small may be zero but for rounding.
    let noise = 16.0 * f64::EPSILON * c.iter().map(|coefficient| coefficient.abs()).sum::<f64>();
    let mut lo = 0.0;
    let mut at_lo = value(c, lo);
    if at_lo == 0.0 {
        roots.push(lo);
    }
    for hi in turns.as_slice().iter().copied().chain([1.0]) {
        let at_hi = value(c, hi);
        if at_lo < 0.0 && at_hi > 0.0 || at_lo > 0.0 && at_hi < 0.0 {
            roots.push(bisect(lo, hi, |t| value(c, t)));
        } else if at_hi == 0.0 || hi < 1.0 && at_hi.abs() <= noise {
            roots.push(hi);
        }
        (lo, at_lo) = (hi, at_hi);
    }
    roots
}

/// The polynomial at t.
pub(crate) fn value(c: &[f64], t: f64) -> f64 {
    c.iter().rev().fold(0.0, |sum, &coefficient| sum * t + coefficient)
}

/// The last number of [lo, hi] before a function changes its sign, so that nothing has crossed yet.
pub(crate) fn bisect(mut lo: f64, mut hi: f64, f: impl Fn(f64) -> f64) -> f64 {
    let is_negative = f(lo) < 0.0;
    loop {
        let middle = 0.5 * (lo + hi);
        if middle <= lo || middle >= hi {
            return lo;
        }
        let at_middle = f(middle);
        if (at_middle < 0.0) == is_negative && at_middle != 0.0 { lo = middle } else { hi = middle }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The polynomial with the given roots.
    fn product(of: &[f64]) -> Vec<f64> {
        let mut c = vec![1.0];
        for root in of {
            let mut next = vec![0.0; c.len() + 1];
            for (power, coefficient) in c.iter().enumerate() {
                next[power + 1] += coefficient;
                next[power] -= root * coefficient;
            }
            c = next;
        }
        c
    }

    #[test]
    fn finds_all_roots_in_order() {
        for expected in [&[0.25][..], &[0.1, 0.9], &[0.0, 0.5, 1.0], &[0.125, 0.25, 0.5, 0.75]] {
            let found = roots_in_unit_interval(&product(expected));
            assert_eq!(found.as_slice().len(), expected.len(), "{expected:?}: {found:?}");
            for (a, b) in found.as_slice().iter().zip(expected) {
                assert!((a - b).abs() < 1e-14, "{expected:?}: {found:?}");
            }
        }
        assert_eq!(roots_in_unit_interval(&product(&[-0.5, 1.5, 2.0, -3.0])).as_slice(), &[0.0; 0]);
    }

    #[test]
    fn finds_double_roots_and_survives_nonsense() {
        let found = roots_in_unit_interval(&product(&[0.5, 0.5]));
        assert_eq!(found.as_slice(), &[0.5]);
        let found = roots_in_unit_interval(&product(&[0.25, 0.25, 0.75, 0.75]));
        assert_eq!(found.as_slice().len(), 2, "{found:?}");
        for c in [&[][..], &[0.0; 5], &[1.0], &[f64::NAN, 1.0], &[1.0, f64::INFINITY, 2.0]] {
            assert_eq!(roots_in_unit_interval(c).as_slice(), &[0.0; 0]);
        }
    }
}
