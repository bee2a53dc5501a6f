//! The smoothing kernel, and how much of it a wall covers.
//!
//! ```text
//! q = r/s                                        distance over support
//! W(r)  = 7/(pi s^2) (1-q)^4 (1+4q)              Wendland's C2 kernel of the plane; its integral is 1
//! W'(r) = -140/(pi s^3) q (1-q)^3
//! w(t)  = int W(sqrt(t^2 + y^2)) dy              what a line at the distance t sees of it
//! L(d)  = int_d^s w(t) dt,  L'(d) = -w(d)        what a half-plane at the distance d covers: 1/2 at 0, 1 at -s
//! ```
//!
//! Wendland, "Piecewise polynomial, positive definite and compactly supported radial functions of minimal degree"
//! (1995): particles do not pair under it (Dehnen and Aly 2012). L is the wall weight of Harada, Koshizuka and
//! Kawaguchi, "Smoothed particle hydrodynamics in complex shapes" (2007). It has no short closed form and is tabulated.

use std::f64::consts::PI;

/// Nodes of the table from 0 to the support. Between them a cubic has the values and slopes of both ends, which is
/// exact to 1e-8.
const NODES: usize = 64;
/// Intervals of Simpson's rule across the support.
const PANELS: usize = 256;

/// The kernel of one support, with its table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Kernel {
    support: f64,
    /// `w` and `L` of a support of 1.
    table: Vec<(f64, f64)>,
}

impl Kernel {
    pub(crate) fn new(support: f64) -> Kernel {
        let node = |i: usize| i as f64 / NODES as f64;
        // From the rim inwards: each node adds what lies between it and the last.
        let mut table = vec![(0.0, 0.0); NODES + 1];
        for i in (0..NODES).rev() {
            let (t, width) = (node(i), 1.0 / NODES as f64);
            let between = (line(t) + 4.0 * line(t + 0.5 * width) + line(t + width)) * width / 6.0;
            table[i] = (line(t), table[i + 1].1 + between);
        }
        Kernel { support, table }
    }

    pub(crate) fn support(&self) -> f64 {
        self.support
    }

    /// W in 1/m^2.
    pub(crate) fn value(&self, r: f64) -> f64 {
        unit(r / self.support) / (self.support * self.support)
    }

    /// W' in 1/m^3.
    pub(crate) fn slope(&self, r: f64) -> f64 {
        let q = r / self.support;
        if q >= 1.0 {
            return 0.0;
        }
        let p = 1.0 - q;
        -140.0 / PI * q * (p * p * p) / (self.support * self.support * self.support)
    }

    /// L, and L' in 1/m.
    pub(crate) fn covered(&self, distance: f64) -> (f64, f64) {
        let d = distance / self.support;
        let (w, part) = self.outside(d.abs());
        // What is behind the wall and what is before it make one.
        (if d < 0.0 { 1.0 - part } else { part }, -w / self.support)
    }

    /// `w` and `L` of a support of 1 at a distance of at least 0.
    fn outside(&self, d: f64) -> (f64, f64) {
        if d.is_nan() || d >= 1.0 {
            return (0.0, 0.0);
        }
        let place = d * NODES as f64;
        let i = place as usize;
        let u = place - i as f64;
        let ((w0, l0), (w1, l1)) = (self.table[i], self.table[i + 1]);
        let width = 1.0 / NODES as f64;
        // Hermite's cubic with the slopes -w0 and -w1, and its derivative.
        let (s0, s1, rise) = (-w0 * width, -w1 * width, l1 - l0);
        let (b, c) = (3.0 * rise - 2.0 * s0 - s1, s0 + s1 - 2.0 * rise);
        let slope = s0 + u * (2.0 * b + 3.0 * u * c);
        (-slope / width, l0 + u * (s0 + u * (b + u * c)))
    }
}

/// W of a support of 1.
fn unit(q: f64) -> f64 {
    if q >= 1.0 {
        return 0.0;
    }
    let p = (1.0 - q) * (1.0 - q);
    7.0 / PI * p * p * (1.0 + 4.0 * q)
}

/// `w` of a support of 1, by Simpson's rule over half the line.
fn line(t: f64) -> f64 {
    if t >= 1.0 {
        return 0.0;
    }
    let half = (1.0 - t * t).sqrt();
    let step = half / PANELS as f64;
    let at = |i: usize| {
        let y = i as f64 * step;
        unit((t * t + y * y).sqrt())
    };
    let inner: f64 = (1..PANELS).map(|i| if i % 2 == 1 { 4.0 * at(i) } else { 2.0 * at(i) }).sum();
    2.0 * (at(0) + inner + at(PANELS)) * step / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_integrates_to_one() {
        let kernel = Kernel::new(0.7);
        let rings = 4000;
        let width = kernel.support() / f64::from(rings);
        let sum: f64 = (0..rings)
            .map(|i| {
                let r = (f64::from(i) + 0.5) * width;
                2.0 * PI * r * kernel.value(r) * width
            })
            .sum();
        assert!((sum - 1.0).abs() < 1.0e-6, "{sum}");
    }

    #[test]
    fn slopes_are_derivatives() {
        let kernel = Kernel::new(0.3);
        for i in 1..60 {
            let (r, e) = (0.005 * f64::from(i), 1.0e-6);
            let slope = (kernel.value(r + e) - kernel.value(r - e)) / (2.0 * e);
            assert!((slope - kernel.slope(r)).abs() < 1.0e-4 * (1.0 + slope.abs()), "{r}: {slope} {}", kernel.slope(r));
            for d in [r, -r] {
                let slope = (kernel.covered(d + e).0 - kernel.covered(d - e).0) / (2.0 * e);
                assert!((slope - kernel.covered(d).1).abs() < 1.0e-3, "{d}: {slope} {}", kernel.covered(d).1);
            }
        }
    }

    #[test]
    fn half_planes_cover_half() {
        let kernel = Kernel::new(2.0);
        assert!((kernel.covered(0.0).0 - 0.5).abs() < 1.0e-6, "{}", kernel.covered(0.0).0);
        assert_eq!(kernel.covered(2.0).0, 0.0);
        assert_eq!(kernel.covered(-2.0).0, 1.0);
        assert_eq!(kernel.covered(f64::NAN).0, 0.0);
        // A sum over a fine lattice of what lies beyond half a support.
        let (n, s) = (400, 2.0);
        let a = s / f64::from(n);
        let mut sum = 0.0;
        for i in n / 2..n {
            for j in -n..n {
                let (x, y) = ((f64::from(i) + 0.5) * a, (f64::from(j) + 0.5) * a);
                sum += a * a * kernel.value((x * x + y * y).sqrt());
            }
        }
        assert!((sum - kernel.covered(1.0).0).abs() < 1.0e-5, "{sum} {}", kernel.covered(1.0).0);
    }
}
