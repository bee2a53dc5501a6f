//! Soft bodies: one smooth outline instead of the discs and springs that they are made of.

use crate::color::Rgba;
use crate::list::{DrawList, Stroke, Style};
use crate::poses::Poses;
use crate::theme::Pair;
use crate::view::View;
use carom_core::math::{max, min};
use carom_scenes::SceneWorld;
use carom2d::math::{Aabb, Vec2};
use carom2d::shape::Concave;
use carom2d::{BodyId, JointId, SoftBody};
use std::collections::BTreeSet;

/// The discs and springs that are not drawn by themselves, because the soft body they belong to is.
#[derive(Debug, Default)]
pub(crate) struct SoftParts {
    bodies: BTreeSet<BodyId>,
    joints: BTreeSet<JointId>,
}

impl SoftParts {
    /// Those of all soft bodies that are whole. One that has lost a part is drawn as what is left of it.
    pub(crate) fn of(run: &SceneWorld) -> SoftParts {
        let mut parts = SoftParts::default();
        for soft in whole(run) {
            parts.bodies.extend(soft.parts());
            parts.joints.extend(soft.joints());
        }
        parts
    }

    pub(crate) fn has_body(&self, id: BodyId) -> bool {
        self.bodies.contains(&id)
    }

    pub(crate) fn has_joint(&self, id: JointId) -> bool {
        self.joints.contains(&id)
    }
}

fn whole(run: &SceneWorld) -> impl Iterator<Item = &SoftBody> {
    run.companions.soft_bodies.iter().filter(|soft| soft.rim(&run.world).is_ok_and(|rim| rim.len() > 2))
}

/// Draws the soft bodies, each in the colours that its first disc would have.
pub(crate) fn draw_soft_bodies(
    list: &mut DrawList,
    run: &SceneWorld,
    view: &View,
    poses: Poses<'_>,
    outline_px: f32,
    colors: impl Fn(BodyId) -> Pair,
) {
    let visible = view.visible();
    for soft in whole(run) {
        let rim: Vec<Vec2> = soft.parts().iter().map(|&id| poses.of(&run.world.body(id)).p).collect();
        let near = Aabb::around(&rim).grown(soft.radius()).overlaps(&visible);
        if !near || rim.iter().any(|point| !point.is_finite()) {
            continue;
        }
        let pair = colors(soft.parts()[0]);
        let curve = smooth(&rim, pieces(&rim, view));
        let width = min(outline_px * view.line_scale * view.pixel(), 0.3 * soft.radius());
        tube(list, &curve, soft.radius(), Style::filled(pair.edge));
        inside(list, view, &rim, pair.fill);
        tube(list, &curve, soft.radius() - width, Style::filled(pair.fill));
    }
}

/// Into how many pieces the way from one disc to the next is cut: so many that no corner is seen.
fn pieces(rim: &[Vec2], view: &View) -> usize {
    let longest = (0..rim.len()).map(|i| (rim[(i + 1) % rim.len()] - rim[i]).length()).fold(0.0, max);
    (longest / (6.0 * view.pixel())).clamp(1.0, 6.0) as usize
}

/// A closed curve through all points (Catmull and Rom, "A class of local interpolating splines", 1974), with so many
/// pieces from each to the next.
fn smooth(rim: &[Vec2], pieces: usize) -> Vec<Vec2> {
    let count = rim.len();
    let mut curve = Vec::with_capacity(count * pieces);
    for i in 0..count {
        let [p0, p1, p2, p3] = [count - 1, 0, 1, 2].map(|k| rim[(i + k) % count]);
        for k in 0..pieces {
            let t = k as f32 / pieces as f32;
            let (t2, t3) = (t * t, t * t * t);
            curve.push(
                0.5 * (2.0 * p1
                    + (p2 - p0) * t
                    + (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3) * t2
                    + (3.0 * p1 - p0 - 3.0 * p2 + p3) * t3),
            );
        }
    }
    curve
}

/// Everything within a radius of a closed curve.
fn tube(list: &mut DrawList, curve: &[Vec2], radius: f32, style: Style) {
    for (i, &a) in curve.iter().enumerate() {
        list.capsule(a, curve[(i + 1) % curve.len()], radius, style);
    }
}

/// The polygon through the centres of the discs, in convex pieces. One that crosses itself, as it may for a moment
/// under a heavy impact, is filled from its middle.
fn inside(list: &mut DrawList, view: &View, rim: &[Vec2], color: Rgba) {
    let style = Style::filled(color);
    // Over the cuts, where pieces side by side would leave a hair's breadth of what is behind them.
    let stroke = Stroke::solid(color, 1.5 * view.line_scale);
    match Concave::new(rim, &[]) {
        Ok(polygon) => {
            for part in polygon.parts() {
                let vertices = part.vertices();
                list.polygon(vertices.iter().copied(), style);
                for i in (0..vertices.len()).filter(|&i| !part.is_solid(i)) {
                    list.line(vertices[i], vertices[(i + 1) % vertices.len()], stroke);
                }
            }
        }
        Err(_) => {
            let middle = rim.iter().copied().sum::<Vec2>() / rim.len() as f32;
            for (i, &a) in rim.iter().enumerate() {
                list.polygon([middle, a, rim[(i + 1) % rim.len()]], style);
                list.line(middle, a, stroke);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{Decor, Look, draw};
    use crate::view::Size;
    use carom_scenes::{BuildOptions, find};
    use carom2d::math::vec2;

    #[test]
    fn the_curve_passes_through_its_points() {
        let rim = [vec2(0.0, 0.0), vec2(2.0, 0.0), vec2(2.0, 1.0), vec2(0.0, 1.0)];
        let curve = smooth(&rim, 5);
        assert_eq!(curve.len(), 20);
        for (i, &point) in rim.iter().enumerate() {
            assert_eq!(curve[5 * i], point);
        }
    }

    #[test]
    fn discs_and_springs_are_not_drawn() {
        let mut run = find("jelly_bodies").unwrap().build(&BuildOptions::default()).unwrap();
        let springs = run.world.joint_count();
        let look = Look { decor: Decor::None, ..Look::default() };
        let count = |run: &SceneWorld| {
            let mut list = DrawList::default();
            draw(&mut list, run, &View::of_run(run, Size::HD), &look, Poses::Now);
            let lines = list.items().filter(|item| matches!(item, crate::list::Item::Line { .. })).count();
            let circles = list.items().filter(|item| matches!(item, crate::list::Item::Circle { .. })).count();
            (lines, circles)
        };
        let (lines, circles) = count(&run);
        assert!(lines < springs / 2 && circles == 0, "{lines} lines, {circles} discs, {springs} springs");
        // A jelly that has lost a part is what is left of it.
        let part = run.companions.soft_bodies[0].parts()[3];
        let left = run.companions.soft_bodies[0].parts().len() - 1;
        run.world.remove_body(part).unwrap();
        assert_eq!(count(&run).1, left);
    }
}
