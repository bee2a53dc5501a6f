//! The derivatives of all joints, and what impulses do to them, against finite differences.

use super::gear::Coordinate;
use super::row::{InverseMass, Jacobian, Row, RowList, Rule, push, response, solve_symmetric};
use super::*;
use crate::body::BodyState;
use crate::math::{Rot, cross, cross_sv, vec2};
use carom_core::{Id, Rng};

/// Poses of two bodies and the frames on them: six numbers that a joint's errors depend on. And where the joint acts between
/// the frames, which they do not depend on.
#[derive(Clone, Copy)]
struct Placed {
    centers: [Vec2; 2],
    angles: [f32; 2],
    locals: [Vec2; 2],
    share: f32,
}

impl Placed {
    fn random(rng: &mut Rng) -> Placed {
        let mut number = |size: f32| rng.range(-size, size);
        Placed {
            centers: [vec2(number(1.0), number(1.0)), vec2(number(1.0) + 2.0, number(1.0))],
            angles: [number(1.5), number(1.5)],
            locals: [vec2(number(0.5), number(0.5)), vec2(number(0.5), number(0.5))],
            share: 0.5 + number(0.5),
        }
    }

    /// The rate at which a row's error changes as far as `J` is to have it, given how the error itself changes.
    ///
    /// `J` has the velocity at one point between the frames, so that no torque is left over. That is the derivative for axes
    /// which turn with both bodies by their shares. Those of pins stay as they are, those of slides turn with a.
    fn seen(&self, row: &Row<2>, rate: f32, velocities: &[(Vec2, f32); 2]) -> f32 {
        let [a, b] = row.jacobian;
        let turn = cross(self.frames().d, b.linear);
        let (w_a, w_b) = (velocities[0].1, velocities[1].1);
        let mean = self.share * w_a + (1.0 - self.share) * w_b;
        let frames = self.frames();
        let is = |jacobians: [Jacobian; 2]| (a.angular, b.angular) == (jacobians[0].angular, jacobians[1].angular);
        let has_both = a.linear == -b.linear && b.linear != Vec2::ZERO;
        if has_both && [Vec2::X, Vec2::Y].contains(&b.linear) && is(frames.along(b.linear)) {
            rate - mean * turn
        } else if has_both && is(frames.along(b.linear)) && !is(frames.across(b.linear)) {
            rate + (w_a - mean) * turn
        } else {
            rate
        }
    }

    fn frames(&self) -> Frames {
        let rotations = self.angles.map(Rot::from_angle);
        let r_a = rotations[0].rotate(self.locals[0]);
        let r_b = rotations[1].rotate(self.locals[1]);
        let p_b = self.centers[1] + r_b;
        let angle = self.angles[1] - self.angles[0];
        Frames { r_a, r_b, d: p_b - self.centers[0] - r_a, share: self.share, q_a: rotations[0], angle, p_b }
    }

    /// Moved for a time `t` with the given velocities.
    fn moved(&self, velocities: &[(Vec2, f32); 2], t: f32) -> Placed {
        let mut out = *self;
        for (i, (linear, angular)) in velocities.iter().enumerate() {
            out.centers[i] += *linear * t;
            out.angles[i] += angular * t;
        }
        out
    }
}

fn every_kind() -> Vec<JointKind> {
    let spring = Some(Spring::default());
    let motor = Some(Motor::new(1.0, 5.0));
    let limits = Some(Limits::new(-0.5, 0.5));
    vec![
        JointKind::Distance(Distance::rod(1.5)),
        JointKind::Distance(Distance { min: 0.5, max: 3.0, spring: Some((Spring::default(), 1.0)), motor }),
        JointKind::Revolute(Revolute { limits, motor, spring, target_angle: 0.2 }),
        JointKind::Prismatic(Prismatic { limits, motor, spring, target: 0.3 }),
        JointKind::Weld(Weld::default()),
        JointKind::Weld(Weld { linear: spring, angular: spring }),
        JointKind::Wheel(Wheel { spring, target: 0.1, limits, motor }),
        JointKind::Motor(Drive::default()),
        JointKind::Mouse(Mouse { target: vec2(0.4, 1.3), ..Mouse::default() }),
        JointKind::Pulley(Pulley { pulley_a: vec2(-1.0, 6.0), pulley_b: vec2(3.0, 5.0), length: 9.0, ratio: 1.7 }),
    ]
}

fn rows_of(kind: &JointKind, placed: &Placed) -> Vec<(Rule, Row<2>)> {
    let mut list = RowList::new();
    kind.rows(&placed.frames(), &mut list);
    list.groups().flat_map(|(group, rows)| rows.iter().map(|row| (group.rule, *row))).collect()
}

/// J v is the rate at which C changes, for every row of every kind, in random places and motions.
#[test]
fn jacobians_are_the_derivatives_of_the_errors() {
    let mut rng = Rng::new(3);
    for kind in every_kind() {
        for _ in 0..200 {
            let placed = Placed::random(&mut rng);
            let mut number = || rng.range(-1.0, 1.0);
            let velocities = [(vec2(number(), number()), number()), (vec2(number(), number()), number())];
            let t = 2.0e-3;
            let before = rows_of(&kind, &placed.moved(&velocities, -t));
            let after = rows_of(&kind, &placed.moved(&velocities, t));
            for (i, (rule, row)) in rows_of(&kind, &placed).iter().enumerate() {
                if matches!(rule, Rule::Drive | Rule::DriveUpTo) {
                    // A motor has no error; its row is that of the coordinate it drives.
                    continue;
                }
                if [before[i].0, after[i].0] != [*rule; 2] {
                    // Halfway between two limits: now one is nearer, now the other.
                    continue;
                }
                let rate = placed.seen(row, (after[i].1.error - before[i].1.error) / (2.0 * t), &velocities);
                let speed: f32 = row
                    .jacobian
                    .iter()
                    .zip(&velocities)
                    .map(|(part, (linear, angular))| part.linear.dot(*linear) + part.angular * angular)
                    .sum();
                assert!((rate - speed).abs() < 2.0e-3, "{} row {i}: C changes by {rate}, J v is {speed}", kind.name());
            }
        }
    }
}

/// K is the rate at which C changes after an impulse of 1, for any two rows that are solved together.
#[test]
fn responses_are_the_rates_after_an_impulse() {
    let mut rng = Rng::new(7);
    for kind in every_kind() {
        for _ in 0..100 {
            let placed = Placed::random(&mut rng);
            let masses = [(); 2].map(|()| {
                let linear = rng.range(0.2, 2.0);
                InverseMass { linear: vec2(linear, linear), angular: rng.range(0.2, 2.0) }
            });
            let mut list = RowList::new();
            kind.rows(&placed.frames(), &mut list);
            for (group, rows) in list.groups().filter(|(group, _)| !matches!(group.rule, Rule::Drive | Rule::DriveUpTo))
            {
                for pushed in rows {
                    let mut bodies = [BodyState::REST; 2];
                    push(pushed, 1.0, &masses, &mut bodies);
                    let velocities = bodies.map(|body| (body.velocity, body.angular_velocity));
                    let t = 1.0e-3;
                    let before = rows_of(&kind, &placed.moved(&velocities, -t));
                    let after = rows_of(&kind, &placed.moved(&velocities, t));
                    for (i, row) in rows.iter().enumerate() {
                        let at = usize::from(group.first) + i;
                        if [before[at].0, after[at].0] != [group.rule; 2] {
                            // Halfway between two limits: now one is nearer, now the other.
                            continue;
                        }
                        let rate = placed.seen(row, (after[at].1.error - before[at].1.error) / (2.0 * t), &velocities);
                        let k = response(row, pushed, &masses);
                        let name = kind.name();
                        assert!((rate - k).abs() < 2.0e-3 * (1.0 + k.abs()), "{name}: C changes by {rate}, K is {k}");
                    }
                }
            }
        }
    }
}

/// A motor drives the coordinate that the limits hold; that of a wheel turns it.
#[test]
fn motors_drive_the_coordinate_of_the_limits() {
    let mut rng = Rng::new(4);
    let mut driven = 0;
    for kind in every_kind() {
        let rows = rows_of(&kind, &Placed::random(&mut rng));
        let Some((_, motor)) = rows.iter().find(|(rule, _)| matches!(rule, Rule::Drive | Rule::DriveUpTo)) else {
            continue;
        };
        let is_stop = |rule: &Rule| matches!(rule, Rule::RigidAbove | Rule::RigidBelow);
        let coordinate = match kind {
            JointKind::Wheel(_) => Frames::TURN,
            _ => rows.iter().rfind(|(rule, _)| is_stop(rule)).expect("it has limits").1.jacobian,
        };
        for (p, q) in motor.jacobian.iter().zip(&coordinate) {
            assert_eq!((p.linear, p.angular), (q.linear, q.angular), "{}", kind.name());
        }
        driven += 1;
    }
    assert_eq!(driven, 4, "rods, pins, slides and wheels have motors");
}

/// The same for gears, which tie the coordinates of two joints.
#[test]
fn gears_have_the_derivatives_of_their_errors() {
    let mut rng = Rng::new(5);
    let gear = Gear { joint_a: JointId::new(0, 1, 0), joint_b: JointId::new(1, 1, 0), ratio: -1.6 };
    for pair in [[true, true], [true, false], [false, false]] {
        // What slides is geared by its derivative alone: it acts at frame b.
        let sides = [(); 2].map(|()| Placed { share: 1.0, ..Placed::random(&mut rng) });
        let mut number = || rng.range(-1.0, 1.0);
        let velocities = [(); 4].map(|()| (vec2(number(), number()), number()));
        let row_at = |t: f32| {
            let coordinates = [0, 1].map(|i| {
                let placed = sides[i].moved(&[velocities[2 * i], velocities[2 * i + 1]], t);
                let frames = placed.frames();
                if pair[i] { Coordinate::angle(&frames) } else { Coordinate::place(&frames) }
            });
            let mut list = RowList::new();
            gear.rows(0.4, coordinates, &mut list);
            *list.groups().next().expect("a gear has a row").1.first().expect("a gear has a row")
        };
        let t = 2.0e-3;
        let rate = (row_at(t).error - row_at(-t).error) / (2.0 * t);
        let speed: f32 = row_at(0.0)
            .jacobian
            .iter()
            .zip(&velocities)
            .map(|(part, (linear, angular))| part.linear.dot(*linear) + part.angular * angular)
            .sum();
        assert!((rate - speed).abs() < 2.0e-3, "C changes by {rate}, J v is {speed}");
    }
}

/// A joint between two bodies puts no force and no torque on the pair as a whole: its two parts of J
/// cancel as forces, and as torques about any point. Pulleys and mouse joints hold on to the world.
#[test]
fn joints_act_and_react() {
    let mut rng = Rng::new(6);
    for kind in every_kind() {
        if matches!(kind, JointKind::Mouse(_) | JointKind::Pulley(_)) {
            continue;
        }
        let placed = Placed::random(&mut rng);
        for (_, row) in rows_of(&kind, &placed) {
            let [a, b] = row.jacobian;
            assert!((a.linear + b.linear).length() < 1.0e-6, "{}: forces", kind.name());
            // The velocity of the pair turning rigidly about the origin changes no error.
            let turn = |i: usize| cross_sv(1.0, placed.centers[i]);
            let speed = a.linear.dot(turn(0)) + b.linear.dot(turn(1)) + a.angular + b.angular;
            assert!(speed.abs() < 1.0e-5, "{}: turning together changes C by {speed}", kind.name());
        }
    }
}

/// Where a joint acts is where a torque turns its bodies least: at a body that the joint cannot hold against turning, and
/// away from one that cannot turn.
#[test]
fn joints_act_where_they_turn_their_bodies_least() {
    let mass = |linear: f32, angular: f32| InverseMass { linear: Vec2::splat(linear), angular };
    let (wall, disc) = (mass(0.0, 0.0), mass(1.0, 800.0));
    let arm = vec2(0.6, 0.8);
    assert_eq!(share(arm, arm, &wall, &disc), 1.0);
    assert_eq!(share(arm, arm, &disc, &wall), 0.0);
    assert_eq!(share(arm, arm, &wall, &wall), 0.5);
    assert_eq!(share(Vec2::ZERO, Vec2::ZERO, &disc, &disc), 0.5);
    assert!(share(Vec2::ZERO, arm, &disc, &disc) < 0.01);
    assert!(share(arm, Vec2::ZERO, &disc, &disc) > 0.99);
}

#[test]
fn small_systems_are_solved_and_dead_directions_get_nothing() {
    let k = [[4.0, 1.0, 0.5], [1.0, 3.0, -1.0], [0.5, -1.0, 5.0]];
    let x = solve_symmetric(&k, &[1.0, 2.0, 3.0], 3);
    for (row, b) in k.iter().zip([1.0, 2.0, 3.0]) {
        let sum: f32 = row.iter().zip(&x).map(|(k, x)| k * x).sum();
        assert!((sum - b).abs() < 1.0e-5);
    }
    assert_eq!(solve_symmetric(&[[0.0; 3]; 3], &[1.0, 2.0, 3.0], 3), [0.0; 3]);
    // Two times the same equation: the second has nothing left to ask for.
    let x = solve_symmetric(&[[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0; 3]], &[1.0, 1.0, 0.0], 2);
    assert_eq!((x[0], x[1]), (0.5, 0.0));
}
