//! Each force against finite differences: of its potential, and of itself for the derivatives.

use super::*;
use carom_core::Rng;

const MASSES: [f64; 3] = [1.5, 0.7, 2.2];

fn random_state(rng: &mut Rng) -> State {
    let mut vectors = || (0..3).map(|_| DVec2::new(4.0 * rng.f64() - 2.0, 4.0 * rng.f64() - 2.0)).collect();
    State { positions: vectors(), velocities: vectors() }
}

fn force(of: &dyn Force, state: &State) -> Vec<DVec2> {
    let mut out = vec![DVec2::ZERO; 3];
    of.add_force(&MASSES, state, &mut out);
    out
}

fn moved(of: &[DVec2], index: usize, axis: usize, by: f64) -> Vec<DVec2> {
    let mut vectors = of.to_vec();
    vectors[index][axis] += by;
    vectors
}

fn check(of: &dyn Force, name: &str) {
    let mut rng = Rng::new(5);
    let step = 1e-6;
    for _ in 0..50 {
        let state = random_state(&mut rng);
        let mut kx = [[Mat2::ZERO; 3]; 3];
        let mut kv = kx;
        of.add_derivatives(&MASSES, &state, &mut |block| {
            kx[block.row][block.column] = kx[block.row][block.column] + block.kx;
            kv[block.row][block.column] = kv[block.row][block.column] + block.kv;
        });
        let close = |a: f64, b: f64, what: &str| {
            assert!((a - b).abs() <= 1e-5 * (1.0 + a.abs()), "{name}, {what}: {a} but differences say {b}");
        };
        let at_rest = State { velocities: vec![DVec2::ZERO; 3], ..state.clone() };
        let here = force(of, &at_rest);
        for particle in 0..3 {
            for axis in 0..2 {
                let difference = |f: &dyn Fn(f64) -> Vec<DVec2>| -> Vec<DVec2> {
                    f(step).iter().zip(f(-step)).map(|(a, b)| (*a - b) / (2.0 * step)).collect()
                };
                let by_x = difference(&|by| {
                    force(of, &State { positions: moved(&state.positions, particle, axis, by), ..state.clone() })
                });
                let by_v = difference(&|by| {
                    force(of, &State { velocities: moved(&state.velocities, particle, axis, by), ..state.clone() })
                });
                for row in 0..3 {
                    for row_axis in 0..2 {
                        close(kx[row][particle].rows[row_axis][axis], -by_x[row][row_axis], "Kx");
                        close(kv[row][particle].rows[row_axis][axis], -by_v[row][row_axis], "Kv");
                    }
                }
                let energy = |by| of.potential(&MASSES, &moved(&state.positions, particle, axis, by));
                if energy(0.0) != 0.0 {
                    close(here[particle][axis], -(energy(step) - energy(-step)) / (2.0 * step), "force");
                }
            }
        }
    }
}

#[test]
fn derivatives_agree_with_finite_differences() {
    let particles = [0, 2];
    let spring = Spring { particles, stiffness: 3.0, rest_length: 1.2, damping: 0.0 };
    check(&spring, "spring");
    check(&Spring { damping: 0.8, ..spring }, "damped spring");
    check(&UniformGravity { acceleration: DVec2::new(0.3, -9.8) }, "uniform gravity");
    check(&ConstantForce { force: DVec2::new(0.3, -9.8) }, "constant force");
    check(&Gravitation { particles, constant: 0.2 }, "gravitation");
    check(&Drag { coefficient: 0.4 }, "drag");
    check(&Vortex { particles, speed: 0.8, strength: 0.3 }, "vortex");
}
