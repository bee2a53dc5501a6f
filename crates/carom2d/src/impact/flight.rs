//! When and where the points of a contact meet within a sub-step, by the paths of its bodies in free flight.

use super::end::End;
use crate::body::BodyState;
use crate::collide::{LINEAR_SLOP, Reference};
use crate::math::{Rot, Vec2, clamp, max, min};

/// How the bodies of a contact move during a sub-step, if nothing stops them.
pub(crate) struct Flight<'a> {
    pub(crate) a: &'a End,
    pub(crate) b: &'a End,
    pub(crate) normal: Vec2,
    pub(crate) roundings: [f32; 2],
    pub(crate) reference: Reference,
    /// How far b moves against a, and how far each turns, until the moment that the anchors belong to.
    pub(crate) lead: Vec2,
    pub(crate) lead_turns: [f32; 2],
    /// Acceleration of b against a along the normal.
    pub(crate) acceleration: f32,
    pub(crate) h: f32,
}

/// Where the bodies of a contact are at a time of the sub-step. Both points of a contact look at its start and its end.
#[derive(Clone, Copy)]
struct Moment {
    t: f32,
    rotation_a: Rot,
    rotation_b: Rot,
    /// How far b has moved against a.
    moved: Vec2,
}

impl Flight<'_> {
    /// Where the bodies are at two times of the sub-step.
    fn moments(&self, times: [f32; 2]) -> [Moment; 2] {
        let (a, b, [lead_a, lead_b]) = (&self.a.state, &self.b.state, self.lead_turns);
        let (q_a, q_b) = (a.delta_rotation, b.delta_rotation);
        let turn = |state: &BodyState, t: f32, lead: f32| state.angular_velocity * t - lead;
        let [t, u] = times;
        let turns = [turn(a, t, lead_a), turn(b, t, lead_b), turn(a, u, lead_a), turn(b, u, lead_b)];
        let [a_t, b_t, a_u, b_u] = Rot::turned_all([q_a, q_b, q_a, q_b], turns);
        let moment = |t: f32, rotation_a: Rot, rotation_b: Rot| {
            let moved = b.delta_position - a.delta_position + (b.velocity - a.velocity) * t;
            Moment { t, rotation_a, rotation_b, moved }
        };
        [moment(t, a_t, b_t), moment(u, a_u, b_u)]
    }

    /// The gap at a point at some moment, and the arms to it.
    ///
    /// A corner keeps its place on its own body; where it meets the other body's edge depends on when.
    fn at(&self, (anchor_a, anchor_b): (Vec2, Vec2), base_separation: f32, moment: &Moment) -> (f32, (Vec2, Vec2)) {
        let Flight { normal, roundings, lead, lead_turns, .. } = *self;
        let Moment { t, rotation_a, rotation_b, moved } = *moment;
        let (core_a, core_b) = (anchor_a - normal * roundings[0], anchor_b + normal * roundings[1]);
        let (now_a, now_b) = (rotation_a.rotate(core_a), rotation_b.rotate(core_b));
        // The blocks turn the cores from the start of the step on, wherever the anchors belong to.
        let ahead = |core: Vec2, turn: f32| Rot::IDENTITY.turned(turn).rotate(core) - core;
        let ahead = if lead_turns == [0.0; 2] {
            Vec2::ZERO
        } else {
            ahead(core_b, lead_turns[1]) - ahead(core_a, lead_turns[0])
        };
        // Bodies in free flight follow a parabola, of which the velocity in hand is the tangent at the end.
        let left = self.h - t;
        let gap = (moved + now_b - now_a + ahead).dot(normal) + base_separation + 0.5 * self.acceleration * left * left;
        let arms = (now_a + normal * roundings[0], now_b - normal * roundings[1]);
        (gap, self.one_point(arms, anchor_a - anchor_b + moved - lead))
    }

    /// How fast b leaves a at a point.
    fn velocity(&self, (arm_a, arm_b): (Vec2, Vec2)) -> f32 {
        (self.b.state.velocity_at(arm_b) - self.a.state.velocity_at(arm_a)).dot(self.normal)
    }

    /// The rotations of both bodies at the end of the sub-step as the solver reckons them.
    fn last_rotations(&self, end: &Moment) -> [Rot; 2] {
        if self.lead_turns == [0.0; 2] {
            return [end.rotation_a, end.rotation_b];
        }
        let (a, b) = (&self.a.state, &self.b.state);
        let turns = [a.angular_velocity * self.h, b.angular_velocity * self.h];
        Rot::turned_all([a.delta_rotation, b.delta_rotation], turns)
    }

    /// The gap at the end of the sub-step as the solver reckons it. If it is negative, the solver stops the point: with the
    /// arms of the block and a straight path before the bodies move, or with the turned cores of the block after it.
    fn gap_of_solver(&self, (anchor_a, anchor_b): (Vec2, Vec2), base_separation: f32, last: [Rot; 2]) -> f32 {
        let (a, b, normal, h) = (&self.a.state, &self.b.state, self.normal, self.h);
        let (core_a, core_b) = (anchor_a - normal * self.roundings[0], anchor_b + normal * self.roundings[1]);
        let gap = |rotation_a: Rot, rotation_b: Rot| {
            let between = rotation_b.rotate(core_b) - rotation_a.rotate(core_a);
            (b.delta_position - a.delta_position + between).dot(normal) + base_separation
        };
        let before = gap(a.delta_rotation, b.delta_rotation) + self.velocity((anchor_a, anchor_b)) * h;
        let after = gap(last[0], last[1]) + (b.velocity - a.velocity).dot(normal) * h;
        min(before, after)
    }

    /// By how much turning bends the path of a point within a sub-step: `w^2 r h^2` at most.
    fn bend(&self, (anchor_a, anchor_b): (Vec2, Vec2)) -> f32 {
        let bend = |end: &End, arm: Vec2| {
            let turn = end.state.angular_velocity * self.h;
            turn * turn * (arm.x.abs() + arm.y.abs())
        };
        bend(self.a, anchor_a) + bend(self.b, anchor_b)
    }

    /// When each of the points meets the other surface within the sub-step, or since `earliest`, by Newton's method: time,
    /// velocity at the end of the sub-step, and arms. Otherwise how much farther away it stays than the solver reckons, so
    /// that nothing stops it. Both points go side by side: what takes long is to turn the bodies.
    pub(crate) fn meetings(&self, points: [Option<Anchored>; 2], earliest: f32) -> [Option<Result<Meeting, f32>>; 2] {
        let ends = self.moments([0.0, self.h]);
        let last = self.last_rotations(&ends[1]);
        let mut pursuits = points.map(|point| point.map(|point| self.pursue(point, &ends, last)));
        // From where the chord says, but from the start if the path turns round before, or if the point is late.
        self.look_again(&mut pursuits, |pursuit, seen| {
            if self.velocity(seen.1) < 0.0 {
                (pursuit.t, pursuit.seen) = (pursuit.next?, seen);
            }
            None
        });
        for pursuit in pursuits.iter_mut().flatten().flatten() {
            pursuit.next = self.next_time(pursuit, earliest, 0);
        }
        for round in 1..=MEETING_ROUNDS {
            let any = self.look_again(&mut pursuits, |pursuit, seen| {
                (pursuit.t, pursuit.seen) = (pursuit.next?, seen);
                self.next_time(pursuit, earliest, round)
            });
            if !any {
                break;
            }
        }
        let meets = |pursuit: Pursuit| {
            pursuit.met.map_or(Err(pursuit.stays_away), |(t, arms)| Ok((t, self.velocity(arms), arms)))
        };
        pursuits.map(|pursuit| pursuit.map(|pursuit| pursuit.and_then(meets)))
    }

    /// Begins to look for the time at which a point meets; how much farther away it stays if it does not.
    fn pursue(&self, point: Anchored, [start, end]: &[Moment; 2], last_rotations: [Rot; 2]) -> Result<Pursuit, f32> {
        let Anchored { anchors, base_separation } = point;
        let last = self.at(anchors, base_separation, end);
        let reckoned = self.gap_of_solver(anchors, base_separation, last_rotations);
        if min(last.0, reckoned) > 0.0 {
            return Err(0.0);
        }
        let (ends_apart, leaves) = (last.0 > 0.0, self.velocity(last.1) >= 0.0);
        // What overlaps and rests must still be carried: only a stop that can be seen is spared it.
        let is_stopped = ends_apart || self.velocity(anchors) * self.h < -TOGETHER;
        let stays_away = if is_stopped { max(0.0, max(0.0, last.0) - reckoned) } else { 0.0 };
        if ends_apart && !leaves {
            return Err(stays_away);
        }
        let first = self.at(anchors, base_separation, start);
        let chord = first.0 > 0.0 && !ends_apart;
        Ok(Pursuit {
            point,
            ends_apart,
            stays_away,
            rounds: if self.bend(anchors) < STRAIGHT { 1 } else { MEETING_ROUNDS },
            t: 0.0,
            seen: first,
            next: chord.then(|| self.h * first.0 / (first.0 - last.0)),
            // A body that was hit before in this sub-step has a path that is true from that moment on only; if it seems to
            // leave at the start, the end tells.
            met: if ends_apart || leaves { None } else { Some((self.h, last.1)) },
        })
    }

    /// Looks at the points where they are at their next times, and asks for the times after these. False if none had one.
    fn look_again(
        &self,
        pursuits: &mut [Option<Result<Pursuit, f32>>; 2],
        mut look: impl FnMut(&mut Pursuit, Seen) -> Option<f32>,
    ) -> bool {
        let next = |pursuit: &Option<Result<Pursuit, f32>>| pursuit.as_ref()?.as_ref().ok()?.next;
        let times = [next(&pursuits[0]), next(&pursuits[1])];
        if times == [None; 2] {
            return false;
        }
        let moments = self.moments(times.map(|time| time.unwrap_or(0.0)));
        for (pursuit, moment) in pursuits.iter_mut().zip(&moments) {
            if let Some(Ok(pursuit)) = pursuit
                && pursuit.next.is_some()
            {
                let Anchored { anchors, base_separation } = pursuit.point;
                pursuit.next = look(pursuit, self.at(anchors, base_separation, moment));
            }
        }
        true
    }

    /// The time of a step of Newton's method from where a point was seen last, if there is to be another one.
    fn next_time(&self, pursuit: &mut Pursuit, earliest: f32, round: u32) -> Option<f32> {
        let Pursuit { t, seen, .. } = *pursuit;
        let velocity = self.velocity(seen.1) + self.acceleration * (t - self.h);
        if velocity >= 0.0 {
            return None;
        }
        // What dips in and out again within the sub-step must have been in.
        if !pursuit.ends_apart || seen.0 <= TOGETHER {
            pursuit.met = Some((t, seen.1));
        }
        let next = clamp(t - seen.0 / velocity, earliest, self.h);
        (next != t && round < pursuit.rounds).then_some(next)
    }

    /// The same on a straight path from the start of the sub-step, where anchors belong to the start of the step: good
    /// enough where little comes back.
    pub(crate) fn meeting_straight(&self, point: Anchored, earliest: f32) -> Result<Meeting, f32> {
        let Flight { a, b, normal, roundings, .. } = *self;
        let Anchored { anchors, base_separation } = point;
        let (out_a, out_b) = (normal * roundings[0], normal * roundings[1]);
        let now_a = a.state.delta_rotation.rotate(anchors.0 - out_a);
        let now_b = b.state.delta_rotation.rotate(anchors.1 + out_b);
        let moved = b.state.delta_position - a.state.delta_position;
        let gap = (moved + now_b - now_a).dot(normal) + base_separation;
        let arms = (now_a + out_a, now_b - out_b);
        let velocity = self.velocity(arms);
        if velocity >= 0.0 || gap + velocity * self.h > 0.0 {
            return Err(0.0);
        }
        let t = clamp(-gap / velocity, earliest, self.h);
        let between = anchors.0 - anchors.1 + moved + (b.state.velocity - a.state.velocity) * t;
        let arms = self.one_point(arms, between);
        Ok((t, self.velocity(arms), arms))
    }

    /// The arms to a corner, from both bodies: it is on its own body where it is, and on the other one what lies between
    /// their centres farther. Round surfaces meet where their own arms are.
    fn one_point(&self, (arm_a, arm_b): (Vec2, Vec2), between: Vec2) -> (Vec2, Vec2) {
        match self.reference {
            Reference::A(_) => (arm_b + between, arm_b),
            Reference::B(_) => (arm_a, arm_a - between),
            Reference::None => (arm_a, arm_b),
        }
    }
}

/// A point by its anchors, and its separation at the start of the step less what their cores contribute to it.
#[derive(Clone, Copy)]
pub(crate) struct Anchored {
    pub(crate) anchors: (Vec2, Vec2),
    pub(crate) base_separation: f32,
}

/// The gap at a point at some moment, and the arms to it.
type Seen = (f32, (Vec2, Vec2));

/// A point whose time of impact is looked for.
#[derive(Clone, Copy)]
struct Pursuit {
    point: Anchored,
    /// It is apart from the other surface at the end of the sub-step.
    ends_apart: bool,
    /// How much farther away it stays than the solver reckons, if it does not meet.
    stays_away: f32,
    /// Steps of Newton's method, at most.
    rounds: u32,
    /// Where it was seen last, and when.
    t: f32,
    seen: Seen,
    /// When it is looked at next.
    next: Option<f32>,
    /// The time of impact and the arms then, as far as they are known.
    met: Option<(f32, (Vec2, Vec2))>,
}

/// Time of impact, velocity at the end of the sub-step, and the arms of both bodies.
pub(crate) type Meeting = (f32, f32, (Vec2, Vec2));

/// A path that bends by less than this, in metres, is straight: one step of Newton's method finds its end.
const STRAIGHT: f32 = 1.0e-3 * LINEAR_SLOP;
/// Steps of Newton's method for the time of impact. The path along the normal bends by the turning within a sub-step only.
const MEETING_ROUNDS: u32 = 3;

/// Two points of a contact meet together if the second one has no farther to go, in metres, when the first one meets. What
/// is no farther away than this has met.
pub(crate) const TOGETHER: f32 = 0.1 * LINEAR_SLOP;
