//! Joints: what is seen of them in every picture, and the overlay that shows how they work.
//!
//! A plain picture has what one would see of a real machine: ropes, rods, springs, rails and pins. Lines lie
//! behind the bodies that move and pins before them, as if strings were knotted to the middle of things.
//! Whatever is too small to be told apart is left out, so that nets of thousands of pins stay readable.

use crate::color::Rgba;
use crate::list::{DrawList, Stroke, Style};
use crate::overlay::logarithm;
use crate::poses::Poses;
use crate::soft::SoftParts;
use crate::theme::Theme;
use crate::view::View;
use carom_core::math::{max, min, sin_cos};
use carom_scenes::SceneWorld;
use carom2d::math::{Aabb, Pose, Vec2, clamp, left_perp, unit_and_length, vec2};
use carom2d::{BodyId, BodyKind, Distance, JointKind, JointRef, Limits, Pulley};

/// Widths of ropes and of rods in pixels.
const ROPE: f32 = 1.75;
const ROD: f32 = 3.0;
/// Radius of a pin in pixels where there is room for it.
const PIN: f32 = 3.25;
/// Longer ropes than this hang as straight lines: their curve would leave every picture.
const LONGEST_CURVE: f32 = 1.0e5;

/// What of joints lies behind the bodies that move: ropes, rods, springs and rails. The springs in soft bodies are not
/// seen.
pub(crate) fn draw_links(
    list: &mut DrawList,
    run: &SceneWorld,
    view: &View,
    theme: Theme,
    poses: Poses<'_>,
    soft: &SoftParts,
) {
    let pen = Pen { run, view, visible: view.visible(), theme, poses };
    for seen in pen.joints().filter(|seen| !soft.has_joint(seen.joint.id())) {
        pen.link(list, &seen);
    }
}

/// What of joints lies before the bodies: pins and pulleys.
pub(crate) fn draw_pins(
    list: &mut DrawList,
    run: &SceneWorld,
    view: &View,
    theme: Theme,
    poses: Poses<'_>,
    soft: &SoftParts,
) {
    let pen = Pen { run, view, visible: view.visible(), theme, poses };
    for seen in pen.joints().filter(|seen| !soft.has_joint(seen.joint.id())) {
        pen.pins(list, &seen);
    }
}

/// The overlay: where joints hold, between which bodies, how far they go, and with what force.
pub(crate) fn draw_joints(list: &mut DrawList, run: &SceneWorld, view: &View, theme: Theme, poses: Poses<'_>) {
    let pen = Pen { run, view, visible: view.visible(), theme, poses };
    let ink = theme.pick(Rgba::new(0, 104, 122), Rgba::new(92, 222, 236));
    let force = theme.pick(Rgba::new(176, 0, 120), Rgba::new(255, 120, 214));
    for seen in pen.joints() {
        pen.anatomy(list, &seen, ink);
        pen.force(list, &seen, force);
    }
}

/// A joint with where its frames are drawn.
struct Seen<'w> {
    joint: JointRef<'w>,
    a: Pose,
    b: Pose,
}

struct Pen<'v> {
    run: &'v SceneWorld,
    view: &'v View,
    visible: Aabb,
    theme: Theme,
    poses: Poses<'v>,
}

impl<'v> Pen<'v> {
    fn joints(&self) -> impl Iterator<Item = Seen<'v>> + use<'v> {
        let (run, poses, visible) = (self.run, self.poses, self.visible);
        run.world.joints().filter_map(move |id| {
            let joint = run.world.joint(id);
            let def = joint.def();
            if !def.enabled || matches!(def.kind, JointKind::Filter) {
                return None;
            }
            let a = poses.of(&run.world.body(def.body_a)).compose(def.frame_a);
            let b = poses.of(&run.world.body(def.body_b)).compose(def.frame_b);
            let seen = Seen { joint, a, b };
            let near = seen.reach().is_some_and(|reach| reach.overlaps(&visible));
            near.then_some(seen)
        })
    }

    /// A length in pixels, in metres.
    fn metres(&self, pixels: f32) -> f32 {
        pixels * self.view.line_scale * self.view.pixel()
    }

    fn width(&self, pixels: f32) -> f32 {
        pixels * self.view.line_scale
    }

    /// The colour of lines, paler for joints whose bodies sleep.
    fn color(&self, joint: &JointRef<'_>) -> Rgba {
        let color = self.theme.joint();
        let rests = |id: BodyId| {
            let body = self.run.world.body(id);
            body.kind() == BodyKind::Fixed || !body.is_awake()
        };
        if rests(joint.body_a()) && rests(joint.body_b()) { color.mixed(self.theme.background(), 0.35) } else { color }
    }

    fn link(&self, list: &mut DrawList, seen: &Seen<'_>) {
        let color = self.color(&seen.joint);
        let (a, b) = (seen.a.p, seen.b.p);
        match seen.joint.kind() {
            JointKind::Distance(distance) => self.distance(list, distance, a, b, color),
            JointKind::Prismatic(slide) => {
                self.rail(list, seen, slide.limits, color);
                if slide.spring.is_some() {
                    self.spring(list, a, b, color);
                }
            }
            JointKind::Pulley(pulley) => self.pulley(list, pulley, a, b, color),
            JointKind::Mouse(mouse) => list.line(b, mouse.target, Stroke::solid(color, self.width(ROPE))),
            JointKind::Revolute(_) | JointKind::Weld(_) => self.arms(list, seen, color),
            JointKind::Wheel(_) | JointKind::Motor(_) | JointKind::Gear(_) | JointKind::Filter => {}
        }
    }

    /// Arms to the bodies that do not reach the place where they are held.
    fn arms(&self, list: &mut DrawList, seen: &Seen<'_>, color: Rgba) {
        let def = seen.joint.def();
        for (id, frame, at) in [(def.body_a, def.frame_a.p, seen.a.p), (def.body_b, def.frame_b.p, seen.b.p)] {
            let body = self.run.world.body(id);
            let reached = body.shapes().any(|shape| self.run.world.shape(shape).geometry().contains(frame));
            if body.kind() != BodyKind::Fixed && !reached {
                let center = self.poses.of(&body).point(body.local_center());
                list.line(center, at, Stroke::solid(color, self.width(ROD)));
            }
        }
    }

    fn distance(&self, list: &mut DrawList, distance: &Distance, a: Vec2, b: Vec2, color: Rgba) {
        if distance.spring.is_some() {
            self.spring(list, a, b, color);
        } else if distance.min < distance.max {
            self.rope(list, distance.max, a, b, color);
        } else {
            list.line(a, b, Stroke::solid(color, self.width(ROD)));
        }
    }

    /// A rope, which sags where it is longer than it need be.
    fn rope(&self, list: &mut DrawList, length: f32, a: Vec2, b: Vec2, color: Rgba) {
        const PIECES: usize = 14;
        let stroke = Stroke::solid(color, self.width(ROPE));
        let distance = (b - a).length();
        let (along, _) = unit_and_length(b - a);
        let (down, pull) = unit_and_length(self.run.world.gravity());
        // Away from the straight line, to the side that is lower; a rope that hangs down bulges either way.
        let (mut aside, slope) = unit_and_length(down - along * along.dot(down));
        if slope < 1.0e-3 {
            aside = left_perp(along);
        }
        // Half the height of the triangle that the rope would make with a weight in its middle; a curve of the
        // same length hangs about 0.87 times as deep.
        let sag = 0.433 * max(length * length - distance * distance, 0.0).sqrt();
        if length > LONGEST_CURVE || pull == 0.0 || sag < self.view.pixel() {
            return list.line(a, b, stroke);
        }
        let middle = 0.5 * (a + b) + aside * (2.0 * sag);
        let point = |k: usize| {
            let t = k as f32 / PIECES as f32;
            a * ((1.0 - t) * (1.0 - t)) + middle * (2.0 * t * (1.0 - t)) + b * (t * t)
        };
        for k in 0..PIECES {
            list.line(point(k), point(k + 1), stroke);
        }
    }

    /// A zigzag, or a line where there is no room for one.
    fn spring(&self, list: &mut DrawList, a: Vec2, b: Vec2, color: Rgba) {
        const TEETH: usize = 8;
        let stroke = Stroke::solid(color, self.width(ROPE));
        let (along, length) = unit_and_length(b - a);
        let width = min(self.metres(7.0), 0.16 * length);
        if length < self.metres(14.0) {
            return list.line(a, b, stroke);
        }
        let side = left_perp(along) * width;
        // Straight ends, teeth in between.
        let point = |k: usize| {
            let swing = match k {
                _ if !(3..=2 * TEETH - 3).contains(&k) => 0.0,
                _ if k.is_multiple_of(2) => 1.0,
                _ => -1.0,
            };
            a + along * (length * k as f32 / (2 * TEETH) as f32) + side * swing
        };
        for k in 0..2 * TEETH {
            list.line(point(k), point(k + 1), stroke);
        }
    }

    /// The way of a slide: between its limits, or a little beyond where it is.
    fn rail(&self, list: &mut DrawList, seen: &Seen<'_>, limits: Option<Limits>, color: Rgba) {
        let axis = seen.a.q.x_axis();
        let place = (seen.b.p - seen.a.p).dot(axis);
        let beyond = self.metres(24.0);
        let own = Limits::new(min(place, 0.0) - beyond, max(place, 0.0) + beyond);
        let Limits { lower, upper } = limits.unwrap_or(own);
        // Ends that are out of sight need not be exact.
        let far =
            self.view.pixel() * (self.view.width + self.view.height) + (seen.a.p - self.visible.center()).length();
        let (from, to) = (clamp(lower, -far, far), clamp(upper, -far, far));
        let stroke = Stroke::solid(color.with_opacity(0.55), self.width(ROPE));
        list.line(seen.a.p + axis * from, seen.a.p + axis * to, stroke);
        if limits.is_some() {
            for end in [from, to] {
                let (at, side) = (seen.a.p + axis * end, left_perp(axis) * self.metres(5.0));
                list.line(at - side, at + side, stroke);
            }
        }
    }

    fn pulley(&self, list: &mut DrawList, pulley: &Pulley, a: Vec2, b: Vec2, color: Rgba) {
        let stroke = Stroke::solid(color, self.width(ROPE));
        for (from, to) in [(a, pulley.pulley_a), (pulley.pulley_a, pulley.pulley_b), (pulley.pulley_b, b)] {
            list.line(from, to, stroke);
        }
    }

    /// Radius in pixels for a pin on a body, or nothing where it would hide the body.
    fn pin_radius(&self, bodies: [BodyId; 2]) -> Option<f32> {
        let thickness = |id: BodyId| {
            let shapes = self.run.world.body(id).shapes();
            let extents = shapes.map(|shape| self.run.world.shape(shape).geometry().inner_extent());
            // A body that is not seen hides nothing behind a pin.
            extents.reduce(max).map_or(f32::INFINITY, |extent| extent / self.view.pixel())
        };
        let [a, b] = bodies.map(thickness);
        let radius = min(self.width(PIN), 0.5 * min(a, b));
        (radius >= 0.9).then_some(radius)
    }

    fn dot(&self, list: &mut DrawList, at: Vec2, radius: f32, color: Rgba) {
        list.point(at, radius, color);
        if radius > 2.0 {
            list.point(at, 0.45 * radius, self.theme.background());
        }
    }

    fn pins(&self, list: &mut DrawList, seen: &Seen<'_>) {
        let def = seen.joint.def();
        let color = self.color(&seen.joint);
        let mut pin = |at: Vec2, bodies: [BodyId; 2]| {
            if let Some(radius) = self.pin_radius(bodies) {
                self.dot(list, at, radius, color);
            }
        };
        match &def.kind {
            JointKind::Revolute(_) => pin(seen.b.p, [def.body_a, def.body_b]),
            JointKind::Wheel(_) => pin(seen.b.p, [def.body_b; 2]),
            JointKind::Prismatic(_) => pin(seen.b.p, [def.body_b; 2]),
            JointKind::Distance(_) => {
                pin(seen.a.p, [def.body_a; 2]);
                pin(seen.b.p, [def.body_b; 2]);
            }
            JointKind::Mouse(_) => pin(seen.b.p, [def.body_b; 2]),
            JointKind::Pulley(pulley) => {
                pin(seen.a.p, [def.body_a; 2]);
                pin(seen.b.p, [def.body_b; 2]);
                for at in [pulley.pulley_a, pulley.pulley_b] {
                    self.dot(list, at, self.width(2.2 * PIN), color);
                }
            }
            JointKind::Weld(_) | JointKind::Motor(_) | JointKind::Gear(_) | JointKind::Filter => {}
        }
    }

    // ---- the overlay ----------------------------------------------------------------------------

    fn anatomy(&self, list: &mut DrawList, seen: &Seen<'_>, ink: Rgba) {
        let def = seen.joint.def();
        let thin = Stroke::solid(ink.with_opacity(0.7), self.width(1.25));
        if let JointKind::Gear(gear) = def.kind {
            // A gear is where its joints are.
            let place = |id| {
                let def = self.run.world.get_joint(id)?.def();
                Some(self.poses.of(&self.run.world.body(def.body_b)).compose(def.frame_b).p)
            };
            if let (Some(a), Some(b)) = (place(gear.joint_a), place(gear.joint_b)) {
                list.line(a, b, Stroke::dashed(ink, self.width(1.75)));
            }
            return;
        }
        for (frame, id) in [(seen.a, def.body_a), (seen.b, def.body_b)] {
            let body = self.run.world.body(id);
            if body.kind() != BodyKind::Fixed {
                list.line(self.poses.of(&body).point(body.local_center()), frame.p, thin);
            }
        }
        if let JointKind::Weld(_) | JointKind::Motor(_) = def.kind {
            list.line(seen.a.p, seen.b.p, Stroke::dashed(ink, self.width(1.75)));
        }
        // The axes of the first frame: the long one is that of slides and wheels.
        for (axis, pixels) in [(seen.a.q.x_axis(), 16.0), (seen.a.q.y_axis(), 8.0)] {
            list.line(seen.a.p, seen.a.p + axis * self.metres(pixels), Stroke::solid(ink, self.width(1.75)));
        }
        match def.kind {
            JointKind::Revolute(pin) => self.turn(list, seen, pin.limits, ink),
            JointKind::Wheel(wheel) => {
                if let Some(limits) = wheel.limits {
                    self.rail(list, seen, Some(limits), ink);
                }
            }
            _ => {}
        }
        list.point(seen.b.p, self.width(2.5), ink);
    }

    /// The angle of a pin as a hand, between the limits as an arc.
    fn turn(&self, list: &mut DrawList, seen: &Seen<'_>, limits: Option<Limits>, ink: Rgba) {
        const PIECES: usize = 12;
        let radius = self.metres(14.0);
        let stroke = Stroke::solid(ink, self.width(1.75));
        list.line(seen.a.p, seen.a.p + seen.b.q.x_axis() * radius, stroke);
        let Some(Limits { lower, upper }) = limits else { return };
        // Beyond a full turn an arc is a circle.
        let turn = 2.0 * std::f32::consts::PI;
        let upper = min(upper, lower + turn);
        let point = |k: usize| {
            let (sine, cosine) = sin_cos(lower + (upper - lower) * k as f32 / PIECES as f32);
            seen.a.p + seen.a.q.rotate(vec2(cosine, sine)) * radius
        };
        for end in [0, PIECES] {
            list.line(seen.a.p, point(end), Stroke::solid(ink.with_opacity(0.5), self.width(1.0)));
        }
        for k in 0..PIECES {
            list.line(point(k), point(k + 1), stroke);
        }
    }

    /// The force on the second body. As with impulses, lengths grow with the logarithm.
    fn force(&self, list: &mut DrawList, seen: &Seen<'_>, color: Rgba) {
        let world = &self.run.world;
        let gravity = max(world.gravity().length(), 0.1);
        let masses = [seen.joint.body_a(), seen.joint.body_b()].map(|id| world.body(id).mass());
        let lighter = masses.into_iter().filter(|&mass| mass > 0.0).reduce(min).unwrap_or(1.0);
        let (direction, size) = unit_and_length(seen.joint.force());
        let length = self.metres(11.0 * logarithm(1.0 + size / (lighter * gravity)));
        if length.is_finite() && length > self.metres(1.5) {
            let tip = seen.b.p + direction * length;
            list.line(seen.b.p, tip, Stroke::solid(color, self.width(2.0)));
            list.polygon(
                [left_perp(direction), direction * 2.0, -left_perp(direction)].map(|way| tip + way * self.metres(2.5)),
                Style::filled(color),
            );
        }
    }
}

impl Seen<'_> {
    /// A box around all that may be drawn of it; none if its numbers are lost.
    fn reach(&self) -> Option<Aabb> {
        if !(self.a.is_finite() && self.b.is_finite()) {
            return None;
        }
        let around = |points: &[Vec2], margin: f32| Some(Aabb::around(points).grown(margin));
        let (a, b) = (self.a.p, self.b.p);
        match self.joint.kind() {
            JointKind::Distance(rope) if rope.spring.is_none() => around(&[a, b], min(rope.max, LONGEST_CURVE)),
            JointKind::Prismatic(_) => around(&[a, b], carom2d::shape::MAX_COORDINATE),
            JointKind::Pulley(pulley) => around(&[a, b, pulley.pulley_a, pulley.pulley_b], 0.0),
            JointKind::Mouse(mouse) => around(&[b, mouse.target], 0.0),
            // As wide as the overlay draws around them in pixels is not known here; a little is enough, for what
            // holds two bodies is seen with them.
            _ => around(&[a, b], 1.0),
        }
    }
}
