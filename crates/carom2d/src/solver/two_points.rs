//! Two points of one contact, solved at once.

use carom_wide::Lanes;

/// Below this the two points of a contact are as good as one.
pub(crate) const MIN_DETERMINANT: f32 = 0.05;

/// The change of normal velocity that a point needs, and its effective mass.
#[derive(Clone, Copy)]
pub(crate) struct VelocityTarget<L> {
    pub(crate) velocity: L,
    pub(crate) mass: L,
    /// The effective mass whatever the velocity, and 1 where the point is active, 0 where it is left alone.
    pub(crate) hard_mass: L,
    pub(crate) active: L,
}

impl<L: Lanes> VelocityTarget<L> {
    /// Of a point that is not there.
    #[inline(always)]
    pub(crate) fn nothing() -> VelocityTarget<L> {
        let zero = L::splat(0.0);
        VelocityTarget { velocity: zero, mass: zero, hard_mass: zero, active: zero }
    }
}

/// The impulses of two points from those before and their velocity targets.
///
/// Both points at once, so that neither side of a box comes first. Where that would have one of them pull, it has no
/// impulse, and the other one what it needs alone; where both would pull, at most one of them needs anything alone. One after
/// the other where the points are so close that the two equations are one, or where a point asks for nothing.
#[inline(always)]
pub(crate) fn solve_pair<L: Lanes>(before: [L; 2], [p, q]: [VelocityTarget<L>; 2], k12: L) -> [L; 2] {
    let (zero, one) = (L::splat(0.0), L::splat(1.0));
    let shared = p.hard_mass * q.hard_mass * k12;
    let det = one - shared * k12;
    let inv_det = L::select(det.greater(L::splat(MIN_DETERMINANT)), det, one).recip();
    let cross = shared * inv_det;
    let together = [
        before[0] + (p.hard_mass * inv_det * p.velocity - cross * q.velocity),
        before[1] + (q.hard_mass * inv_det * q.velocity - cross * p.velocity),
    ];
    let two_equations = (det * p.active * q.active).greater(L::splat(MIN_DETERMINANT));
    let push = [together[0].at_least(zero), together[1].at_least(zero)];
    let pushes = L::both(two_equations, L::both(push[0], push[1]));
    if L::COUNT == L::Narrow::COUNT && L::bits(pushes) == (1 << L::COUNT) - 1 {
        // A few contacts at rest: not to wait for what will not be chosen.
        return together;
    }
    // Without the other one.
    let only = [
        (before[0] + p.mass * (p.velocity + k12 * before[1])).max(zero),
        (before[1] + q.mass * (q.velocity + k12 * before[0])).max(zero),
    ];
    let bounded = [
        L::select(push[0], L::select(push[1], together[0], only[0]), L::select(push[1], zero, only[0])),
        L::select(push[1], L::select(push[0], together[1], only[1]), L::select(push[0], zero, only[1])),
    ];
    // One after the other.
    let first = (before[0] + p.mass * p.velocity).max(zero);
    let second = (before[1] + q.mass * q.velocity - q.mass * k12 * (first - before[0])).max(zero);
    [L::select(two_equations, bounded[0], first), L::select(two_equations, bounded[1], second)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_wide::{Task, Wide, each_part};

    /// Solves pairs in lanes and holds each against what must be so of it.
    struct Pairs {
        before: [Wide; 2],
        velocity: [Wide; 2],
        k: [Wide; 3],
    }

    impl Task for Pairs {
        type Output = [Wide; 2];

        #[inline(always)]
        fn run<L: Lanes>(self) -> [Wide; 2] {
            let mut sums = [Wide::ZERO; 2];
            for first in each_part::<L>(carom_wide::LANES) {
                let mut targets = [VelocityTarget::nothing(); 2];
                for i in 0..2 {
                    let mass = L::load(&self.k[2 * i], first).recip();
                    targets[i] = VelocityTarget {
                        velocity: L::load(&self.velocity[i], first),
                        mass,
                        hard_mass: mass,
                        active: L::splat(1.0),
                    };
                }
                let before = [L::load(&self.before[0], first), L::load(&self.before[1], first)];
                let found = solve_pair(before, targets, L::load(&self.k[1], first));
                found[0].store(&mut sums[0], first);
                found[1].store(&mut sums[1], first);
            }
            sums
        }
    }

    /// The impulses of two points push, no point approaches faster than it asks for, and none that leaves is pushed: of all
    /// cases of two points, at every width.
    #[test]
    fn pairs_complement_each_other() {
        let mut cases = [[0; 2]; 2];
        for width in carom_wide::Width::all() {
            for turn in 0..200_u16 {
                let number = |lane: usize, salt: u16| {
                    let case = u32::from(turn) * 16 + lane as u32;
                    let mixed = case.wrapping_mul(0x9e37_79b1) ^ u32::from(salt).wrapping_mul(0x85eb_ca6b);
                    (mixed.wrapping_mul(0xc2b2_ae35) >> 8) as f32 / (1 << 24) as f32
                };
                let mut task = Pairs { before: [Wide::ZERO; 2], velocity: [Wide::ZERO; 2], k: [Wide::ZERO; 3] };
                for lane in 0..carom_wide::LANES {
                    task.before[0].0[lane] = 2.0 * number(lane, 1);
                    task.before[1].0[lane] = 2.0 * number(lane, 2);
                    task.velocity[0].0[lane] = 10.0 * number(lane, 3) - 6.0;
                    task.velocity[1].0[lane] = 10.0 * number(lane, 4) - 6.0;
                    task.k[0].0[lane] = 1.0 + 4.0 * number(lane, 5);
                    task.k[2].0[lane] = 1.0 + 4.0 * number(lane, 6);
                    let most = (0.9 * task.k[0].0[lane] * task.k[2].0[lane]).sqrt();
                    task.k[1].0[lane] = most * (2.0 * number(lane, 7) - 1.0);
                }
                let Pairs { before, velocity, k } = &task;
                let given = Pairs { before: *before, velocity: *velocity, k: *k };
                let sums = width.run(given);
                for lane in 0..carom_wide::LANES {
                    let [x, y] = [0, 1].map(|i| sums[i].0[lane]);
                    let [dx, dy] = [x - before[0].0[lane], y - before[1].0[lane]];
                    let short = [
                        k[0].0[lane] * dx + k[1].0[lane] * dy - velocity[0].0[lane],
                        k[1].0[lane] * dx + k[2].0[lane] * dy - velocity[1].0[lane],
                    ];
                    for (sum, short) in [(x, short[0]), (y, short[1])] {
                        assert!(
                            sum >= 0.0 && short > -1.0e-4 && (sum == 0.0 || short < 1.0e-4),
                            "{width}: {sum}, {short}"
                        );
                    }
                    cases[usize::from(x > 0.0)][usize::from(y > 0.0)] += 1;
                }
            }
        }
        assert!(cases.as_flattened().iter().all(|&count| count > 100), "{cases:?}");
    }
}
