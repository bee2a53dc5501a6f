//! When a polynomial first falls below zero.
//!
//! Polynomials are in Bernstein form on [0, 1]: `f(u) = sum c_i B_i(u)`. The curve stays between the least and the
//! greatest coefficient, which makes "never" cheap to see, and halving the interval brings the coefficients closer
//! to the curve.

/// The highest degree: the square of a cubic.
const MAX_DEGREE: usize = 6;
/// Halvings of the interval; after these a dip is too small to matter.
const MAX_HALVINGS: u32 = 48;

/// A polynomial in Bernstein form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bernstein {
    coefficients: [f64; MAX_DEGREE + 1],
    degree: usize,
}

impl Bernstein {
    pub(crate) fn cubic(coefficients: [f64; 4]) -> Bernstein {
        let mut all = [0.0; MAX_DEGREE + 1];
        all[..4].copy_from_slice(&coefficients);
        Bernstein { coefficients: all, degree: 3 }
    }

    pub(crate) fn sextic(coefficients: [f64; 7]) -> Bernstein {
        Bernstein { coefficients, degree: 6 }
    }

    fn slice(&self) -> &[f64] {
        &self.coefficients[..=self.degree]
    }

    pub(crate) fn at(&self, u: f64) -> f64 {
        let mut c = self.coefficients;
        for round in 1..=self.degree {
            for i in 0..=self.degree - round {
                c[i] += (c[i + 1] - c[i]) * u;
            }
        }
        c[0]
    }

    /// The first `u` at which the polynomial goes from above zero to below.
    ///
    /// Zero and below at the start counts as touching: from there on the start is the level that may not be crossed,
    /// and if the polynomial falls at once the answer is 0.
    pub(crate) fn first_drop(mut self) -> Option<f64> {
        let start = self.coefficients[0];
        if start <= 0.0 {
            for c in &mut self.coefficients[..=self.degree] {
                *c -= start;
            }
            while self.coefficients[0] == 0.0 {
                if self.degree == 0 {
                    return None;
                }
                self.divide_by_u();
            }
            if self.coefficients[0] < 0.0 {
                return Some(0.0);
            }
        }
        self.search(0.0, 1.0, MAX_HALVINGS)
    }

    /// Where it starts at zero, the quotient by `u` has the same other zeros.
    fn divide_by_u(&mut self) {
        let degree = self.degree as f64;
        for i in 0..self.degree {
            self.coefficients[i] = self.coefficients[i + 1] * (degree / (i + 1) as f64);
        }
        self.degree -= 1;
    }

    /// The first `u` after `from` at which the polynomial goes from above zero to below; below at first is no drop.
    pub(crate) fn next_drop(&self, from: f64) -> Option<f64> {
        if from >= 1.0 {
            return None;
        }
        let mut rest = *self;
        for round in 1..=self.degree {
            for i in 0..=self.degree - round {
                rest.coefficients[i] += (rest.coefficients[i + 1] - rest.coefficients[i]) * from;
            }
        }
        rest.search(from, 1.0, MAX_HALVINGS)
    }

    /// The first drop between `from` and `to`, over which this part of the polynomial runs.
    fn search(&self, from: f64, to: f64, halvings: u32) -> Option<f64> {
        let c = self.slice();
        if c.iter().all(|&c| c > 0.0) || c.iter().all(|&c| c <= 0.0) {
            return None;
        }
        let drops = c[0] > 0.0 && c[self.degree] <= 0.0;
        if c.windows(2).all(|pair| pair[1] <= pair[0]) {
            return drops.then(|| from + (to - from) * self.falling_root());
        }
        if halvings == 0 {
            return drops.then_some(from);
        }
        let (left, right) = self.halved();
        let middle = 0.5 * (from + to);
        left.search(from, middle, halvings - 1).or_else(|| right.search(middle, to, halvings - 1))
    }

    fn halved(&self) -> (Bernstein, Bernstein) {
        let (mut left, mut right) = (*self, *self);
        for round in 1..=self.degree {
            for i in 0..=self.degree - round {
                right.coefficients[i] = 0.5 * (right.coefficients[i] + right.coefficients[i + 1]);
            }
            left.coefficients[round] = right.coefficients[0];
        }
        (left, right)
    }

    /// The one zero of a polynomial that falls from start to end: false position, halving where it stalls.
    fn falling_root(&self) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        let (mut f_low, mut f_high) = (self.coefficients[0], self.coefficients[self.degree]);
        for round in 0..80 {
            let guess =
                if round % 3 == 2 { 0.5 * (low + high) } else { low + (high - low) * (f_low / (f_low - f_high)) };
            if !(guess > low && guess < high) {
                break;
            }
            let f = self.at(guess);
            if f > 0.0 {
                (low, f_low) = (guess, f);
            } else {
                (high, f_high) = (guess, f);
            }
            if f == 0.0 {
                break;
            }
        }
        if f_low < -f_high { low } else { high }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `(u - r)(u - s)(u - t)` in Bernstein form, by its blossom.
    fn with_zeros(r: f64, s: f64, t: f64) -> Bernstein {
        let blossom = |a: f64, b: f64, c: f64| {
            let sum = |x: f64, y: f64, z: f64| (x - r) * (y - s) * (z - t);
            (sum(a, b, c) + sum(a, c, b) + sum(b, a, c) + sum(b, c, a) + sum(c, a, b) + sum(c, b, a)) / 6.0
        };
        Bernstein::cubic([
            blossom(0.0, 0.0, 0.0),
            blossom(0.0, 0.0, 1.0),
            blossom(0.0, 1.0, 1.0),
            blossom(1.0, 1.0, 1.0),
        ])
    }

    #[test]
    fn finds_the_first_fall() {
        // Rises at -0.5, falls at 0.3, rises at 0.8.
        let u = with_zeros(-0.5, 0.3, 0.8).first_drop().unwrap();
        assert!((u - 0.3).abs() < 1.0e-15, "{u}");
        // Falls at 0.999999 only.
        let u = with_zeros(-1.0, 0.999_999, 3.0).first_drop().unwrap();
        assert!((u - 0.999_999).abs() < 1.0e-14, "{u}");
        assert_eq!(with_zeros(-3.0, -2.0, -1.0).first_drop(), None, "above throughout");
        assert_eq!(with_zeros(-1.0, 1.1, 2.0).first_drop(), None, "falls too late");
        assert_eq!(with_zeros(-1.0, 0.25, 3.0).first_drop(), Some(0.25), "where the interval is halved");
    }

    #[test]
    fn a_later_fall_can_be_asked_for() {
        // Falls at 0.1, rises at 0.5, and the other way round.
        let down_up = with_zeros(-1.0, 0.1, 0.5);
        assert!((down_up.next_drop(0.0).unwrap() - 0.1).abs() < 1.0e-15);
        assert_eq!(down_up.next_drop(0.2), None);
        let up_down = with_zeros(0.1, 0.5, 2.0);
        assert!((up_down.next_drop(0.0).unwrap() - 0.5).abs() < 1.0e-15, "starts below");
    }

    #[test]
    fn a_start_at_or_below_zero_is_the_new_level() {
        assert_eq!(Bernstein::cubic([0.0, -1.0, 0.0, 0.0]).first_drop(), Some(0.0));
        assert_eq!(Bernstein::cubic([-1.0, -1.0, -2.0, -1.0]).first_drop(), Some(0.0), "falls with zero speed");
        assert_eq!(Bernstein::cubic([-1.0, 0.0, 1.0, 2.0]).first_drop(), None);
        assert_eq!(Bernstein::cubic([0.0; 4]).first_drop(), None);
        // 3u(1-u)(1-2u) rises from zero and falls through it at 1/2.
        let u = Bernstein::cubic([0.0, 1.0, -1.0, 0.0]).first_drop().unwrap();
        assert!((u - 0.5).abs() < 1.0e-15, "{u}");
    }

    #[test]
    fn a_grazing_touch_is_no_crossing() {
        let mut above = with_zeros(-1.0, 0.5, 0.5);
        above.coefficients.iter_mut().for_each(|c| *c += 1.0e-12);
        assert_eq!(above.first_drop(), None);
        assert!(with_zeros(-1.0, 0.5 - 1.0e-6, 0.5 + 1.0e-6).first_drop().is_some());
    }
}
