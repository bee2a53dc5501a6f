//! A ball breaks a rack: what impacts do in a crowd of balls that touch, or almost. Rigid ones are compared with a
//! reference that takes one impact after the other, elastic ones with one that integrates Hertz's law in time.

#![allow(clippy::disallowed_methods)]

use carom_core::Rng;
use carom3d::Material;
use carom3d::prelude::*;

const RADIUS: f64 = 0.0285;
const MASS: f64 = 0.17;
/// `E / (1 - nu^2)` of phenolic resin, of which balls are made, in Pa.
const RESIN: f64 = 6.6e9;

/// Balls on a plane: where they are and how fast, in two dimensions.
#[derive(Clone, Debug)]
struct Balls {
    places: Vec<[f64; 2]>,
    velocities: Vec<[f64; 2]>,
}

impl Balls {
    /// A rack of five rows with gaps between the balls, and a ball that comes at it from the left.
    fn rack(gap: f64, speed: f64, offset: f64) -> Balls {
        let apart = 2.0 * RADIUS + gap;
        let mut places = vec![[-0.2, offset]];
        for row in 0..5 {
            let x = f64::from(row) * apart * 0.75_f64.sqrt();
            places.extend((0..=row).map(|i| [x, (f64::from(i) - 0.5 * f64::from(row)) * apart]));
        }
        let mut velocities = vec![[0.0; 2]; places.len()];
        velocities[0] = [speed, 0.0];
        Balls { places, velocities }
    }

    fn energy(&self) -> f64 {
        self.velocities.iter().map(|v| v[0] * v[0] + v[1] * v[1]).sum()
    }

    /// The time until two of them meet.
    fn meet(&self, i: usize, j: usize) -> Option<f64> {
        let (p, v) = (&self.places, &self.velocities);
        let r = [p[j][0] - p[i][0], p[j][1] - p[i][1]];
        let u = [v[j][0] - v[i][0], v[j][1] - v[i][1]];
        let (along, square) = (r[0] * u[0] + r[1] * u[1], u[0] * u[0] + u[1] * u[1]);
        let room = r[0] * r[0] + r[1] * r[1] - 4.0 * RADIUS * RADIUS;
        let root = along * along - square * room;
        if along >= -1.0e-12 || root < 0.0 {
            return None;
        }
        Some(if room <= 1.0e-13 { 0.0 } else { room / (root.sqrt() - along) })
    }

    fn fly(&mut self, time: f64) {
        for (place, velocity) in self.places.iter_mut().zip(&self.velocities) {
            *place = [place[0] + velocity[0] * time, place[1] + velocity[1] * time];
        }
    }

    /// Lets all impacts happen within a time, one after the other.
    fn run(&mut self, restitution: f64, time: f64) {
        let mut left = time;
        for _ in 0..100_000 {
            let pairs = (0..self.places.len()).flat_map(|i| (i + 1..self.places.len()).map(move |j| (i, j)));
            let next = pairs.filter_map(|(i, j)| Some((self.meet(i, j)?, i, j)));
            let Some((soon, i, j)) = next.min_by(|a, b| a.0.total_cmp(&b.0)).filter(|next| next.0 <= left) else {
                break;
            };
            self.fly(soon);
            left -= soon;
            let r = [self.places[j][0] - self.places[i][0], self.places[j][1] - self.places[i][1]];
            let length = (r[0] * r[0] + r[1] * r[1]).sqrt();
            let n = [r[0] / length, r[1] / length];
            let (a, b) = (self.velocities[i], self.velocities[j]);
            let push = -0.5 * (1.0 + restitution) * ((b[0] - a[0]) * n[0] + (b[1] - a[1]) * n[1]);
            self.velocities[i] = [a[0] - push * n[0], a[1] - push * n[1]];
            self.velocities[j] = [b[0] + push * n[0], b[1] + push * n[1]];
        }
        self.fly(left);
    }

    /// Lets time pass in tiny steps with a force `4/3 E* sqrt(R*) c^(3/2)` between any two that overlap by `c`; where
    /// they part, `c` shrinks by `1 / e^2` of what the overlap does, so that the share `e^2` of the work comes back.
    fn run_elastic(&mut self, modulus: f64, restitution: f64, time: f64) {
        const STEP: f64 = 1.0e-6;
        let stiffness = 4.0 / 3.0 * (0.5 * modulus) * (0.5 * RADIUS).sqrt() / MASS;
        let count = self.places.len();
        let mut depths = vec![[0.0_f64; 2]; count * count];
        for _ in 0..(time / STEP).round() as usize {
            self.fly(STEP);
            for i in 0..count {
                for j in i + 1..count {
                    let (p, q) = (self.places[i], self.places[j]);
                    let r = [q[0] - p[0], q[1] - p[1]];
                    let square = r[0] * r[0] + r[1] * r[1];
                    let [depth, old] = &mut depths[i * count + j];
                    if square >= 4.0 * RADIUS * RADIUS {
                        [*depth, *old] = [0.0, 0.0];
                        continue;
                    }
                    let length = square.sqrt();
                    let overlap = 2.0 * RADIUS - length;
                    let change = overlap - *old;
                    let change = if change < 0.0 { change / (restitution * restitution) } else { change };
                    *depth = (*depth + change).max(0.0);
                    *old = overlap;
                    let push = stiffness * depth.powf(1.5) * STEP;
                    for axis in 0..2 {
                        self.velocities[i][axis] -= push * r[axis] / length;
                        self.velocities[j][axis] += push * r[axis] / length;
                    }
                }
            }
        }
    }

    /// How far the balls of the rack are from where they were: the root of the mean square, and the median.
    fn spread(&self, start: &Balls) -> [f64; 2] {
        let moved = |(p, q): (&[f64; 2], &[f64; 2])| (p[0] - q[0]).hypot(p[1] - q[1]);
        let mut ways: Vec<f64> = self.places.iter().zip(&start.places).skip(1).map(moved).collect();
        ways.sort_by(f64::total_cmp);
        let mean = ways.iter().map(|way| way * way).sum::<f64>() / ways.len() as f64;
        [mean.sqrt(), ways[ways.len() / 2]]
    }

    /// The same in a world, on a floor without friction, at a rate of steps.
    fn run_in_world(&self, restitution: f64, time: f64, rate: f64, contact_modulus: f64) -> Balls {
        let mut world = World::new(WorldDef { contact_modulus, ..WorldDef::default() });
        let material = |restitution| Material { friction: 0.0, restitution, rolling_resistance: 0.0 };
        world.add_body(BodyDef { material: material(0.5), ..BodyDef::plane(DVec3::Y) }).unwrap();
        let bodies = self.places.iter().zip(&self.velocities).map(|(place, velocity)| {
            let def = BodyDef {
                position: dvec3(place[0], RADIUS, place[1]),
                velocity: dvec3(velocity[0], 0.0, velocity[1]),
                mass: MASS,
                material: material(restitution),
                ..BodyDef::sphere(RADIUS)
            };
            world.add_body(def).unwrap()
        });
        let bodies: Vec<BodyId> = bodies.collect();
        for _ in 0..(time * rate).round() as usize {
            world.step(1.0 / rate);
        }
        let flat = |v: DVec3| [v.x, v.z];
        Balls {
            places: bodies.iter().map(|&body| flat(world.body(body).position())).collect(),
            velocities: bodies.iter().map(|&body| flat(world.body(body).velocity())).collect(),
        }
    }
}

/// Racks with gaps from nothing to a millimetre keep as much energy as one impact after the other leaves them, and pass
/// all momentum on. With gaps every ball gets the velocity of the reference.
#[test]
fn a_break_is_a_row_of_impacts() {
    for seed in 0..60 {
        let mut rng = Rng::new(seed);
        let gap = [0.0, 10.0_f64.powf(-3.0 - 4.0 * rng.f64())][seed as usize % 2];
        let (speed, offset) = (1.0 + 9.0 * rng.f64(), 1.0e-3 + 0.02 * rng.f64());
        let (restitution, rate) = ([0.9, 0.95, 1.0][rng.below(3) as usize], [240.0, 600.0][rng.below(2) as usize]);
        let time = ((0.2 / speed + 0.01) * rate).ceil() / rate;
        let start = Balls::rack(gap, speed, offset);
        let mut expected = start.clone();
        expected.run(restitution, time);
        let found = start.run_in_world(restitution, time, rate, f64::INFINITY);
        let case = format!("seed {seed}: gap {gap:e}, {speed} m/s, offset {offset}, e {restitution}, {rate} Hz");
        let share = [expected.energy(), found.energy()].map(|energy| energy / start.energy());
        let tolerance = if gap > 0.0 { 2.0e-3 } else { 2.0e-2 };
        assert!((share[1] - share[0]).abs() < tolerance, "{case}: keeps {} of its energy, not {}", share[1], share[0]);
        let momentum = [0, 1].map(|axis| found.velocities.iter().map(|v| v[axis]).sum::<f64>());
        assert!((momentum[0] - speed).abs() + momentum[1].abs() < 1.0e-9 * speed, "{case}: momentum {momentum:?}");
        if gap > 0.0 {
            for (is, be) in found.velocities.iter().zip(&expected.velocities) {
                let off = ((is[0] - be[0]).powi(2) + (is[1] - be[1]).powi(2)).sqrt();
                assert!(off < 0.02 * speed, "{case}: {is:?} instead of {be:?}");
            }
        }
    }
}

/// Balls of resin share a break as elastic bodies do: beside tiny steps of Hertz's law.
#[test]
fn a_break_of_elastic_balls_follows_hertz() {
    for seed in 0..24 {
        let mut rng = Rng::new(seed);
        let gap = [0.0, 1.0e-4 * rng.f64()][seed as usize % 2];
        let (speed, offset) = (1.0 + 9.0 * rng.f64(), 0.02 * (2.0 * rng.f64() - 1.0));
        let restitution = [0.9, 0.95, 1.0][rng.below(3) as usize];
        let mut start = Balls::rack(gap, speed, offset);
        // A tenth of a millimetre before it meets the first ball.
        start.places[0][0] = -((4.0 * RADIUS * RADIUS - offset * offset).sqrt() + 1.0e-4);
        let time = 0.2 / speed;
        let rate = (600.0 * time).ceil() / time;
        let mut expected = start.clone();
        expected.run_elastic(RESIN, restitution, time);
        let found = start.run_in_world(restitution, time, rate, RESIN);
        let case = format!("seed {seed}: gap {gap:e}, {speed} m/s, offset {offset}, e {restitution}");
        let momentum = [0, 1].map(|axis| found.velocities.iter().map(|v| v[axis]).sum::<f64>());
        assert!((momentum[0] - speed).abs() + momentum[1].abs() < 1.0e-12 * speed, "{case}: momentum {momentum:?}");
        let share = [expected.energy(), found.energy()].map(|energy| energy / start.energy());
        assert!((share[1] - share[0]).abs() < 5.0e-3, "{case}: keeps {} of its energy, not {}", share[1], share[0]);
        if restitution == 1.0 {
            assert!((share[1] - 1.0).abs() < 2.0e-6, "{case}: keeps {} of its energy", share[1]);
        }
        // While balls press, they move by a hundredth of their size, and the lines between them turn by as much.
        for (is, be) in found.velocities.iter().zip(&expected.velocities) {
            let off = (is[0] - be[0]).hypot(is[1] - be[1]);
            assert!(off < 0.03 * speed, "{case}: {is:?} instead of {be:?}");
        }
        // In a world an impact takes no time: balls are ahead by less than a millisecond of their way.
        let spreads = [found.spread(&start), expected.spread(&start)];
        for (is, be) in spreads[0].into_iter().zip(spreads[1]) {
            assert!((is / be - 1.0).abs() < 0.05, "{case}: spread by {is} m, not {be} m");
        }
    }
}
