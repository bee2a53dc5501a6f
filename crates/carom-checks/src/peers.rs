//! What other engines made of the same problems.
//!
//! Typed in by hand from the catalogue of problems that the checks follow: measured on 2026-11-15, not by this
//! repository, on Box2D (its main branch; the revision is not known), `rapier2d-compat` 0.21.0 (WebAssembly) and
//! Chipmunk (pymunk 7.3.1, 4 sub-steps, 10 iterations), on a machine and by programs that are not known. Stated are
//! errors, in the measure of the check of the same name. `None` where no number was taken; infinite where the
//! simulation exploded. Peers of problem families are never typed in: they play in the same run (`crate::families`).

use crate::validation::direct;

/// When and by what these errors were measured.
pub const MEASURED: &str = "on 2026-11-15, by programs outside this repository";

/// Errors of other engines in one check.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Peers {
    /// Name of the check.
    pub id: &'static str,
    /// Box2D's error.
    pub box2d: Option<f64>,
    /// Rapier's error.
    pub rapier: Option<f64>,
    /// Chipmunk's error.
    pub chipmunk: Option<f64>,
}

/// The errors of other engines in the check of a name. They have one solver, which stands beside both of ours.
pub fn peers_of(id: &str) -> Option<&'static Peers> {
    let id = id.strip_suffix(direct::SUFFIX).unwrap_or(id);
    PEERS.iter().find(|peers| peers.id == id)
}

const fn peers(id: &'static str, box2d: Option<f64>, rapier: Option<f64>, chipmunk: Option<f64>) -> Peers {
    Peers { id, box2d, rapier, chipmunk }
}

/// Every check for which a number was taken. Where a range was, it is the better end of it.
pub const PEERS: &[Peers] = &[
    peers("1 free fall, |y + 5| (m)", Some(0.020830), Some(0.020831), None),
    peers("4 damped spring, period (relative)", Some(5.1e-3), None, None),
    peers("4 damped spring, decay per cycle", Some(0.1469), None, None),
    peers("6 pendulum 10 deg, period (relative)", Some(1.0e-6), None, None),
    peers("6 pendulum 90 deg, period (relative)", Some(1.3e-3), Some(0.079), Some(0.05)),
    peers("6 pendulum 90 deg, energy lost in 60 s (of mgL)", Some(0.019), Some(0.64), Some(0.44)),
    peers("6 pendulum 90 deg, joint error (m)", Some(7.5e-4), None, None),
    peers("7 double pendulum, energy gained (of 3mgL)", Some(4.0e-3), None, None),
    peers("7 double pendulum, energy lost (of 3mgL)", Some(0.111), None, None),
    peers("9 incline slide, acceleration (m/s2)", Some(4.0e-6), Some(1.9e-5), Some(0.0)),
    peers("10 rolling disc, acceleration error (relative)", Some(2.2e-4), Some(8.5e-4), Some(0.0)),
    peers("11 slip to roll, final speed error (relative)", Some(1.05e-3), Some(1.05e-3), None),
    peers("12 stopping distance error (relative)", Some(4.2e-3), Some(4.2e-3), None),
    peers("14 plank, acceleration error (relative)", Some(4.2e-5), None, None),
    peers("14 rollers, acceleration error (relative)", Some(4.6e-4), None, None),
    peers("15 e=0.9, first apex error (of height)", Some(7.4e-3), Some(7.4e-3), Some(5.0e-4)),
    peers("15 e=1, first apex error (of height)", Some(7.5e-3), Some(7.5e-3), Some(1.0e-4)),
    peers("15 e=1, worst of 5 apexes (of height)", Some(0.0226), Some(0.0226), None),
    peers("17 cradle, 1 mm gap, speed missing from the last ball (relative)", Some(0.548), Some(0.489), Some(4.1e-3)),
    peers("17 cradle, no gap, speed missing from the last ball (relative)", Some(0.548), Some(0.489), Some(4.1e-3)),
    peers("18 gas, energy lost (of 1)", Some(0.302), Some(0.241), Some(5.0e-6)),
    peers("19 cluster, momentum change (of sum |p|)", Some(2.7e-8), None, None),
    peers("20 stack of 10, sink of the top (m)", Some(0.0325), Some(0.0325), Some(0.0012)),
    peers("20 stack of 20, sink of the top (m)", Some(0.135), Some(0.135), Some(0.0069)),
    peers("20 stack of 30, sink of the top (m)", Some(0.309), Some(0.309), Some(0.018)),
    peers("21 pyramid of base 20, vertical displacement (m)", Some(0.0297), Some(0.0304), None),
    peers("22 heavy on light 10:1, deepest overlap (m)", Some(3.9e-3), Some(3.9e-3), Some(2.0e-4)),
    peers("22 heavy on light 100:1, deepest overlap (m)", Some(0.035), Some(0.036), Some(5.0e-3)),
    peers("22 heavy on light 1000:1, deepest overlap (m)", Some(1.0), Some(0.917), Some(0.96)),
    peers("23 chain with a bob of 1 links, stretch (relative)", Some(3.1e-3), Some(3.8e-3), Some(0.0)),
    peers("23 chain with a bob of 10 links, stretch (relative)", Some(5.6e-3), Some(7.0e-3), Some(1.0e-5)),
    peers("23 chain with a bob of 100 links, stretch (relative)", Some(0.0299), Some(0.039), Some(f64::INFINITY)),
    peers("23 chain with a bob of 1000 links, stretch (relative)", Some(0.405), Some(0.46), Some(f64::INFINITY)),
    peers("24 catenary, sag (relative)", Some(0.026), None, None),
    peers("24 catenary, horizontal force at the end (relative)", Some(0.03), None, None),
    peers("25 force of a hanging mass (relative)", Some(2.3e-6), None, None),
    peers("25 force under ten boxes (relative)", Some(1.0e-6), None, None),
    peers("25 force under nine boxes (relative)", Some(1.1e-6), None, None),
    peers("26 disc at 50 m/s through a fixed wall (of 64)", Some(0.0), Some(0.0), Some(31.0)),
    peers("26 disc at 100 m/s through a fixed wall (of 64)", Some(0.0), Some(0.0), Some(31.0)),
    peers("26 disc at 200 m/s through a fixed wall (of 64)", Some(0.0), Some(0.0), Some(31.0)),
    peers("26 disc at 399 m/s through a fixed wall (of 64)", Some(0.0), Some(0.0), Some(31.0)),
    peers("26 disc at 50 m/s through a dynamic wall, bullet (of 64)", Some(0.0), Some(0.0), None),
    peers("26 disc at 100 m/s through a dynamic wall, bullet (of 64)", Some(0.0), Some(0.0), None),
    peers("26 disc at 200 m/s through a dynamic wall, bullet (of 64)", Some(0.0), Some(0.0), None),
    peers("26 disc at 399 m/s through a dynamic wall, bullet (of 64)", Some(0.0), Some(0.0), None),
    peers("27 box on separate tiles at 0 deg, hop (m)", Some(0.85), Some(1.28), Some(0.0)),
    peers("28 two boxes, separation speed (m/s)", Some(0.17), None, None),
    peers("28 two boxes, apart after (s)", Some(0.517), None, None),
    peers("29 31 piles of 1024 times the mass, the same bits", Some(0.0), None, None),
];
