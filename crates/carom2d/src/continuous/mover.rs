//! A moving shape, and when it meets another one.
//!
//! # Which meetings count
//!
//! A box that slides over a floor of tiles lies a hair deep in the floor, and in its way is the side of
//! every next tile, a hair high. To stop there would be wrong. So what is swept is the body without its
//! skin ([`Proxy::eroded`]): only what would go deeper than the skin is a meeting, and the body is then
//! put back to where its surface, not its core, came near. If its surface was near from the start, to
//! where the core is. A body that starts deeper than its skin, in a heap or where it was put, is swept
//! with smaller cores; deeper still, the contact that it surely has must do.

use crate::attach::Shape;
use crate::collide::LINEAR_SLOP;
use crate::math::{Pose, Vec2, clamp, min, right_perp, unit_and_length};
use crate::shape::{Meeting, Proxy, Sweep, distance, time_of_impact};
use std::cell::OnceCell;

/// A moving shape, whole and without its skin.
pub(crate) struct Mover {
    pub(crate) whole: Proxy,
    /// How deep in it its cores are, from the first that is tried to the last ...
    depths: [f32; 3],
    /// ... and these, computed when first needed: most shapes meet nothing with the first.
    cores: [OnceCell<Proxy>; 3],
    /// How far it is put from what it meets.
    pub(crate) gap: f32,
}

impl Mover {
    /// Thickness of the skin in metres, and at most as a fraction of the shape's inner extent.
    const SKIN: f32 = 2.0 * LINEAR_SLOP;
    const SKIN_PER_EXTENT: f32 = 0.25;
    /// How deep the second and the third core lie, as fractions of the inner extent: half way, and as near to the middle as
    /// leaves something to sweep.
    const CORES: [f32; 2] = [0.5, 0.9];
    /// How far it is put from what it meets: as a fraction of the skin, and in metres, where coordinates of a few metres in
    /// single precision tell two places apart, and where the solver counts it as touching (a tenth of the slop).
    const GAP_PER_SKIN: f32 = 0.25;
    const GAPS: [f32; 2] = [1.0e-5, 0.1 * LINEAR_SLOP];
    /// Later and later moments, as shares of the time at which it is deep inside: each leaves half of what was left.
    const STARTS: [f32; 5] = [0.0, 0.5, 0.75, 0.875, 0.9375];
    /// Relative error of a position in single precision, with some room: sixteen units in the last place.
    const ROUNDING: f32 = 1.0e-6;

    pub(crate) fn new(shape: &Shape) -> Option<Mover> {
        let whole = shape.geometry.swept()?;
        let inner = shape.geometry.inner_extent();
        let skin = min(Mover::SKIN, Mover::SKIN_PER_EXTENT * inner);
        Some(Mover {
            whole,
            depths: [skin, Mover::CORES[0] * inner, Mover::CORES[1] * inner],
            cores: Default::default(),
            gap: clamp(Mover::GAP_PER_SKIN * skin, Mover::GAPS[0], Mover::GAPS[1]),
        })
    }

    /// How far it surely stays clear of a shape at rest: along the outward normal of an edge of that shape, it is always
    /// farther out, by this much, than the gap at which they would meet. Negative where it may come nearer.
    ///
    /// A corner at `r` from the centre, which turns by `t` on the way, is nowhere lower than where it is at the lower end
    /// of the way, less `r t^2 / 8`. A core is higher than the whole by as much as it is deep.
    pub(crate) fn clearance(&self, sweep: &Sweep, extent: f32, target: &Proxy, pose: Pose) -> f32 {
        let corners = &target.points[..target.count];
        if corners.len() < 2 || sweep.turn.abs() > 1.0 {
            return f32::MIN;
        }
        // The edge that the middle of the way is farthest out of, with the target as it lies.
        let middle = pose.inv_point(sweep.center + 0.5 * sweep.translation);
        let (mut normal, mut start, mut out) = (Vec2::ZERO, Vec2::ZERO, f32::MIN);
        for (i, &corner) in corners.iter().enumerate() {
            let next = corners[if i + 1 < corners.len() { i + 1 } else { 0 }];
            let (outwards, _) = unit_and_length(right_perp(next - corner));
            let distance = outwards.dot(middle - corner);
            if distance > out {
                (normal, start, out) = (outwards, corner, distance);
            }
        }
        let (normal, start) = (pose.q.rotate(normal), pose.point(start));
        let lowest = |fraction: f32| {
            let (center, rotation) = (sweep.center + sweep.translation * fraction, sweep.rotation_at(fraction));
            let points = &self.whole.points[..self.whole.count];
            let arms = points.iter().map(|&point| rotation.rotate(point - sweep.local_center).dot(normal));
            (center - start).dot(normal) + arms.fold(f32::MAX, min)
        };
        // Between its ends an arc is off its chord by at most an eighth of `extent turn^2`.
        let sag = 0.125 * extent * sweep.turn * sweep.turn;
        let reach = self.whole.radius + target.radius + 2.0 * self.gap + sag;
        let rounding = Mover::ROUNDING * (sweep.center.x.abs() + sweep.center.y.abs() + extent);
        min(lowest(0.0), lowest(1.0)) - (reach + Mover::GAPS[1] + 4.0 * rounding)
    }

    /// True when it surely does not meet a shape at rest, which is found without looking along the way: its first core
    /// stays clear of it, or it ends up shallow in it and has not been deep.
    pub(crate) fn surely_misses(
        &self,
        sweep: &Sweep,
        extent: f32,
        (target, target_sweep): (&Proxy, &Sweep),
        late: Late,
    ) -> bool {
        let clearance = self.clearance(sweep, extent, target, target_sweep.pose_at(0.0));
        clearance + self.depths[0] > 0.0
            || late == Late::SetRight
                && clearance + self.depths[1] > 0.0
                && self.overlaps_at_the_end(sweep, target, target_sweep)
    }

    pub(crate) fn overlaps_at_the_end(&self, sweep: &Sweep, target: &Proxy, target_sweep: &Sweep) -> bool {
        let end = target_sweep.pose_at(1.0).inv_mul(sweep.pose_at(1.0));
        distance(target, &self.whole, end).distance <= 0.0
    }

    pub(crate) fn core(&self, place: usize) -> &Proxy {
        self.cores[place].get_or_init(|| self.whole.eroded(self.depths[place]))
    }

    /// True when it overlaps a shape at some moment of the way. Shapes that come within a quarter of `gap` of each other
    /// count as well; shapes that are that near when the step begins or ends only if they overlap by more than the skin
    /// meanwhile, because they may touch in the step before or after.
    pub(crate) fn crosses(&self, sweep: &Sweep, target: &Proxy, target_sweep: &Sweep) -> bool {
        let meeting = |mover: &Proxy| time_of_impact(target, target_sweep, mover, sweep, self.gap, 1.0);
        // A core that is as deep as it keeps distance meets what the surface meets.
        let end = target_sweep.pose_at(1.0).inv_mul(sweep.pose_at(1.0));
        match meeting(&self.whole.eroded(self.gap)) {
            Meeting::Never => false,
            Meeting::At(_) if distance(target, &self.whole, end).distance > self.gap => true,
            Meeting::At(_) | Meeting::FromStart => meeting(self.core(0)) != Meeting::Never,
        }
    }

    /// True when a search finds no meeting, or gives up in the middle of nowhere: the end of a long rod sweeps so fast past any
    /// one axis that following it takes more looks than there are.
    pub(crate) fn truly_misses(&self, sweep: &Sweep, at: (&Proxy, &Sweep), limit: f32, late: Late) -> bool {
        self.meets(sweep, at, limit, late).is_none_or(|fraction| {
            let (target, target_sweep) = at;
            let pose = target_sweep.pose_at(fraction).inv_mul(sweep.pose_at(fraction));
            distance(target, &self.whole, pose).distance > 2.0 * self.gap
        })
    }

    /// When it meets a shape, if before `limit`.
    pub(crate) fn meets(
        &self,
        sweep: &Sweep,
        (target, target_sweep): (&Proxy, &Sweep),
        limit: f32,
        late: Late,
    ) -> Option<f32> {
        let meeting = |mover: &Proxy, limit: f32| time_of_impact(target, target_sweep, mover, sweep, self.gap, limit);
        let deep = (0..self.cores.len()).find_map(|place| match meeting(self.core(place), limit) {
            Meeting::FromStart => None,
            known => Some(known),
        });
        let Some(Meeting::At(deep)) = deep else { return None };
        // What ends up shallow in the target has not passed it. The next step finds it late, and sets that
        // right without any time being lost.
        if late == Late::SetRight
            && self.overlaps_at_the_end(sweep, target, target_sweep)
            && meeting(self.core(1), 1.0) == Meeting::Never
        {
            return None;
        }
        // Back to where the surfaces came near. If they were near at the start already, like those of a
        // rod that stands on one end and comes down on the other, from the first moment that they were not.
        for start in Mover::STARTS.map(|share| share * deep) {
            let (mover, still) = (sweep.between(start, deep), target_sweep.between(start, deep));
            match time_of_impact(target, &still, &self.whole, &mover, self.gap, 1.0) {
                Meeting::At(surface) => return Some(start + (deep - start) * surface),
                Meeting::Never => break,
                Meeting::FromStart => {}
            }
        }
        Some(deep)
    }
}

/// What becomes of a body that ends up shallow in what it met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Late {
    /// The next step finds it late, and sets that right without any time being lost.
    SetRight,
    /// It is put back: where nothing rebounds, time matters less than an overlap that is seen. Only for what flew through
    /// the whole step; what others press into a wall would be put back again and again.
    Seen,
}
