//! What else can be shown of a world: where things touch, how hard, what the engine groups and skips.

use crate::color::Rgba;
use crate::joint::draw_joints;
use crate::list::{DrawList, Stroke, Style};
use crate::poses::Poses;
use crate::scene::Look;
use crate::theme::Theme;
use crate::view::View;
use carom_core::math::{max, min};
use carom_scenes::{ParticleRun, SceneWorld};
use carom2d::math::{Aabb, Vec2, left_perp, right_perp, unit_and_length, vec2};
use carom2d::{BodyKind, BroadBox, BroadPhaseKind, ContactPointView, ContactRef};
use std::fmt;
use std::str::FromStr;

/// Something to show besides the bodies, or about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// Points where shapes touch; hollow where they are only near.
    Contacts,
    /// The direction in which each contact pushes its second shape.
    Normals,
    /// How hard each contact pushed in the last step. Lengths grow with the logarithm: a body's own
    /// weight makes a short line, ten times as much one that is some three times as long.
    Impulses,
    /// The box around each shape, and dashed the larger one that the broad phase keeps.
    Aabbs,
    /// The boxes of the broad phase; deeper ones fainter.
    Tree,
    /// Bodies in the colour of their island.
    Islands,
    /// Contacts in the colour of the batch in which they are solved.
    Colors,
    /// Bodies by sleep: orange awake, blue asleep.
    Sleep,
    /// How far each body comes within 0.15 s.
    Velocity,
    /// Centres of mass.
    Centers,
    /// The index of each body.
    Ids,
    /// Where joints hold and between which bodies, how far they may go, and the force of each.
    Joints,
    /// Bodies that touch others turn red: the harder they are pushed, the more so.
    Collisions,
}

impl Overlay {
    /// All of them.
    pub const ALL: [Overlay; 13] = [
        Overlay::Contacts,
        Overlay::Normals,
        Overlay::Impulses,
        Overlay::Aabbs,
        Overlay::Tree,
        Overlay::Islands,
        Overlay::Colors,
        Overlay::Sleep,
        Overlay::Velocity,
        Overlay::Centers,
        Overlay::Ids,
        Overlay::Joints,
        Overlay::Collisions,
    ];

    /// Does it show anything of particle scenes? All show something of rigid bodies.
    pub const fn is_for_particles(self) -> bool {
        match self {
            Overlay::Contacts
            | Overlay::Normals
            | Overlay::Aabbs
            | Overlay::Velocity
            | Overlay::Centers
            | Overlay::Ids => true,
            Overlay::Impulses
            | Overlay::Tree
            | Overlay::Islands
            | Overlay::Colors
            | Overlay::Sleep
            | Overlay::Joints
            | Overlay::Collisions => false,
        }
    }

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Overlay::Contacts => "contacts",
            Overlay::Normals => "normals",
            Overlay::Impulses => "impulses",
            Overlay::Aabbs => "aabbs",
            Overlay::Tree => "tree",
            Overlay::Islands => "islands",
            Overlay::Colors => "colors",
            Overlay::Sleep => "sleep",
            Overlay::Velocity => "velocity",
            Overlay::Centers => "centers",
            Overlay::Ids => "ids",
            Overlay::Joints => "joints",
            Overlay::Collisions => "collisions",
        }
    }
}

/// Some of the overlays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OverlaySet(u16);

impl OverlaySet {
    /// Is it one of them?
    pub fn contains(self, overlay: Overlay) -> bool {
        self.0 & (1 << overlay as u16) != 0
    }

    /// With one more.
    #[must_use]
    pub fn with(self, overlay: Overlay) -> OverlaySet {
        OverlaySet(self.0 | 1 << overlay as u16)
    }

    /// With one turned on, or off if it was on.
    #[must_use]
    pub fn toggled(self, overlay: Overlay) -> OverlaySet {
        OverlaySet(self.0 ^ 1 << overlay as u16)
    }
}

/// There is no overlay of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownOverlay(pub String);

impl fmt::Display for UnknownOverlay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no overlay {:?}; there are", self.0)?;
        for (i, overlay) in Overlay::ALL.iter().enumerate() {
            write!(f, "{} {}", if i == 0 { "" } else { "," }, overlay.name())?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownOverlay {}

impl FromStr for OverlaySet {
    type Err = UnknownOverlay;

    /// Names with commas between them.
    fn from_str(text: &str) -> Result<OverlaySet, UnknownOverlay> {
        text.split(',').map(str::trim).try_fold(OverlaySet::default(), |set, name| {
            let found = Overlay::ALL.into_iter().find(|overlay| overlay.name().eq_ignore_ascii_case(name));
            found.map(|overlay| set.with(overlay)).ok_or_else(|| UnknownOverlay(name.to_owned()))
        })
    }
}

// ---- drawing ------------------------------------------------------------------------------------

/// The colours of overlays, strong enough to be seen on any body.
struct Ink {
    contact: Rgba,
    normal: Rgba,
    impulse: Rgba,
    tight: Rgba,
    tree: Rgba,
    velocity: Rgba,
}

impl Ink {
    fn of(theme: Theme) -> Ink {
        Ink {
            contact: theme.pick(Rgba::new(200, 16, 46), Rgba::new(255, 86, 96)),
            normal: theme.pick(Rgba::new(0, 110, 84), Rgba::new(96, 230, 180)),
            impulse: theme.pick(Rgba::new(176, 0, 120), Rgba::new(255, 120, 214)),
            tight: theme.pick(Rgba::new(120, 40, 170), Rgba::new(214, 150, 255)),
            tree: theme.pick(Rgba::new(0, 96, 160), Rgba::new(96, 200, 255)),
            velocity: theme.pick(Rgba::new(14, 84, 190), Rgba::new(130, 190, 255)),
        }
    }
}

pub(crate) fn draw_overlays(list: &mut DrawList, run: &SceneWorld, view: &View, look: &Look, poses: Poses<'_>) {
    let ink = Ink::of(look.theme);
    let pen = Pen { view, visible: view.visible(), theme: look.theme };
    let on = |overlay| look.overlays.contains(overlay);
    if on(Overlay::Tree) {
        pen.tree(list, run, ink.tree);
    }
    if on(Overlay::Aabbs) {
        pen.aabbs(list, run, ink.tight);
    }
    if on(Overlay::Colors) {
        pen.batches(list, run, poses);
    }
    if on(Overlay::Joints) {
        draw_joints(list, run, view, look.theme, poses);
    }
    if on(Overlay::Normals) {
        pen.normals(list, run, poses, ink.normal);
    }
    if on(Overlay::Impulses) {
        pen.impulses(list, run, poses, ink.impulse);
    }
    if on(Overlay::Contacts) {
        pen.contacts(list, run, poses, ink.contact);
    }
    if on(Overlay::Velocity) {
        pen.velocities(list, run, poses, ink.velocity);
    }
    if on(Overlay::Centers) {
        pen.centers(list, run, poses);
    }
    if on(Overlay::Ids) {
        pen.ids(list, run, poses);
    }
}

/// Draws overlays into one view.
struct Pen<'v> {
    view: &'v View,
    visible: Aabb,
    theme: Theme,
}

impl Pen<'_> {
    /// A length in pixels, in metres.
    fn metres(&self, pixels: f32) -> f32 {
        pixels * self.view.line_scale * self.view.pixel()
    }

    fn width(&self, pixels: f32) -> f32 {
        pixels * self.view.line_scale
    }

    fn arrow(&self, list: &mut DrawList, from: Vec2, to: Vec2, color: Rgba, width: f32) {
        let (direction, length) = unit_and_length(to - from);
        let head = min(self.metres(4.0 + 2.0 * width), 0.6 * length);
        let neck = to - direction * head;
        list.line(from, neck, Stroke::solid(color, self.width(width)));
        let side = left_perp(direction) * (0.45 * head);
        list.polygon([to, neck + side, neck - side], Style::filled(color));
    }

    /// The boxes of the broad phase. Those of a quadtree show how many shapes each holds itself, where there is room.
    fn tree(&self, list: &mut DrawList, run: &SceneWorld, color: Rgba) {
        const TEXT: f32 = 11.0;
        let counted = matches!(run.world.def().broad_phase, BroadPhaseKind::Quadtree(_));
        for BroadBox { aabb, depth, count } in run.world.broad_phase().boxes() {
            if !aabb.overlaps(&self.visible) {
                continue;
            }
            let opacity = max(0.9 - 0.06 * depth as f32, 0.3);
            let width = max(1.6 - 0.1 * depth as f32, 0.8);
            list.aabb(aabb, Style::outlined(Stroke::solid(color.with_opacity(opacity), self.width(width))));
            let room = min(aabb.half_extents().x, aabb.half_extents().y) > self.metres(TEXT);
            if counted && room {
                // No two quads have the same middle.
                let halo = self.theme.background();
                list.text(aabb.center(), Vec2::splat(0.5), &count.to_string(), self.width(TEXT), color, halo);
            }
        }
    }

    fn aabbs(&self, list: &mut DrawList, run: &SceneWorld, color: Rgba) {
        for id in run.world.shapes() {
            let tight = run.world.shape(id).aabb();
            if !tight.overlaps(&self.visible) {
                continue;
            }
            if let Some(fat) = run.world.fat_aabb(id) {
                list.aabb(fat, Style::outlined(Stroke::dashed(color.with_opacity(0.55), self.width(1.0))));
            }
            list.aabb(tight, Style::outlined(Stroke::solid(color, self.width(1.0))));
        }
    }

    fn batches(&self, list: &mut DrawList, run: &SceneWorld, poses: Poses<'_>) {
        for contact in run.world.contacts() {
            let Some(batch) = contact.color() else { continue };
            let color = Rgba::categorical(batch.into());
            let points: Vec<Vec2> = contact.points().map(|point| poses.of_contact(&point)).collect();
            if let [a, b] = points[..] {
                list.line(a, b, Stroke::solid(color, self.width(3.5)));
            }
            for point in points {
                list.point(point, self.width(3.5), color);
            }
        }
    }

    /// The points of a contact that are seen, with where they are drawn.
    fn points<'c>(
        &self,
        contact: &ContactRef<'c>,
        poses: Poses<'c>,
    ) -> impl Iterator<Item = (ContactPointView, Vec2)> + use<'c> {
        let visible = self.visible;
        let placed = contact.points().map(move |point| (point, poses.of_contact(&point)));
        placed.filter(move |&(_, at)| visible.contains_point(at))
    }

    fn normals(&self, list: &mut DrawList, run: &SceneWorld, poses: Poses<'_>, color: Rgba) {
        for contact in run.world.contacts().filter(|contact| contact.is_touching()) {
            for (_, at) in self.points(&contact, poses) {
                self.arrow(list, at, at + contact.normal() * self.metres(18.0), color, 1.25);
            }
        }
    }

    fn impulses(&self, list: &mut DrawList, run: &SceneWorld, poses: Poses<'_>, color: Rgba) {
        let gravity = run.world.gravity().length();
        let gravity = if gravity > 0.1 { gravity } else { 10.0 };
        // What a body's weight alone adds to its speed in a step.
        let unit = gravity * run.dt();
        for contact in run.world.contacts().filter(|contact| contact.is_touching()) {
            let mass = |shape| {
                let mass = run.world.body(run.world.shape(shape).body()).mass();
                if mass > 0.0 { mass } else { f32::INFINITY }
            };
            let lighter = min(mass(contact.shape_a()), mass(contact.shape_b()));
            for (point, at) in self.points(&contact, poses) {
                let along = |direction: Vec2, impulse: f32| {
                    let length = self.metres(11.0 * logarithm(1.0 + impulse.abs() / lighter / unit));
                    at + direction * if impulse < 0.0 { -length } else { length }
                };
                let normal = contact.normal();
                let tip = along(normal, point.normal_impulse);
                if (tip - at).length() > self.metres(1.0) {
                    list.line(at, tip, Stroke::solid(color, self.width(2.25)));
                }
                // Friction is known of the last sub-step only.
                let friction = point.tangent_impulse * run.world.def().substeps as f32;
                let tip = along(right_perp(normal), friction);
                if (tip - at).length() > self.metres(1.0) {
                    list.line(at, tip, Stroke::solid(color.with_opacity(0.65), self.width(1.5)));
                }
            }
        }
    }

    fn contacts(&self, list: &mut DrawList, run: &SceneWorld, poses: Poses<'_>, color: Rgba) {
        for contact in run.world.contacts().filter(|contact| !contact.is_sensor()) {
            for (_, at) in self.points(&contact, poses) {
                list.point(at, self.width(3.5), color);
                if !contact.is_touching() {
                    list.point(at, self.width(2.2), self.theme.background());
                }
            }
        }
    }

    /// The bodies that move, with where their centres of mass are drawn.
    fn moving<'w>(&self, run: &'w SceneWorld, poses: Poses<'w>) -> impl Iterator<Item = (carom2d::BodyRef<'w>, Vec2)> {
        let visible = self.visible;
        let bodies = run.world.bodies().map(|id| run.world.body(id));
        let moving = bodies.filter(|body| body.kind() != BodyKind::Fixed);
        let centers = moving.map(move |body| (body, poses.of(&body).point(body.local_center())));
        centers.filter(move |(_, center)| visible.contains_point(*center))
    }

    fn velocities(&self, list: &mut DrawList, run: &SceneWorld, poses: Poses<'_>, color: Rgba) {
        for (body, center) in self.moving(run, poses) {
            let tip = center + body.velocity() * 0.15;
            if (tip - center).length() > self.metres(2.0) {
                self.arrow(list, center, tip, color, 1.75);
            }
        }
    }

    fn centers(&self, list: &mut DrawList, run: &SceneWorld, poses: Poses<'_>) {
        for (_, center) in self.moving(run, poses) {
            list.point(center, self.width(3.5), self.theme.ink());
            list.point(center, self.width(2.0), self.theme.background());
        }
    }

    fn ids(&self, list: &mut DrawList, run: &SceneWorld, poses: Poses<'_>) {
        let size = max(self.width(13.0), 9.0);
        for (body, center) in self.moving(run, poses) {
            let extent = body.shapes().map(|id| run.world.shape(id).geometry().extent(body.local_center()));
            // A number wider than its body says nothing.
            if extent.fold(0.0, max) / self.view.pixel() < 0.6 * size {
                continue;
            }
            let text = body.id().index().to_string();
            list.text(
                center,
                vec2(0.5, 0.5),
                &text,
                size,
                self.theme.ink(),
                self.theme.background().with_opacity(0.55),
            );
        }
    }
}

/// Draws overlays of a particle scene, whose particles are drawn at `places`.
pub(crate) fn draw_particle_overlays(
    list: &mut DrawList,
    run: &ParticleRun,
    view: &View,
    look: &Look,
    places: &[Vec2],
) {
    let ink = Ink::of(look.theme);
    let pen = Pen { view, visible: view.visible(), theme: look.theme };
    let on = |overlay| look.overlays.contains(overlay);
    if on(Overlay::Aabbs) {
        pen.particle_aabbs(list, run, places, ink.tight);
    }
    if on(Overlay::Normals) {
        pen.particle_normals(list, run, places, ink.normal);
    }
    if on(Overlay::Contacts) {
        pen.particle_contacts(list, run, places, ink.contact);
    }
    if on(Overlay::Velocity) {
        pen.particle_velocities(list, run, places, ink.velocity);
    }
    if on(Overlay::Centers) {
        pen.particle_centers(list, places);
    }
    if on(Overlay::Ids) {
        pen.particle_ids(list, run, places);
    }
}

impl Pen<'_> {
    /// Boxes around particles, and dashed those around edges.
    fn particle_aabbs(&self, list: &mut DrawList, run: &ParticleRun, places: &[Vec2], color: Rgba) {
        let system = &run.scene.system;
        let mut outline = |aabb: Aabb, stroke: Stroke| {
            if aabb.overlaps(&self.visible) {
                list.aabb(aabb, Style::outlined(stroke));
            }
        };
        for edge in system.edges() {
            let [a, b] = edge.ends.map(|end| places[end]);
            let reach = Vec2::splat(edge.radius as f32);
            let dashed = Stroke::dashed(color.with_opacity(0.55), self.width(1.0));
            outline(Aabb::new(a.min(b) - reach, a.max(b) + reach), dashed);
        }
        for (&center, &radius) in places.iter().zip(system.radii()) {
            let reach = Vec2::splat(radius as f32);
            outline(Aabb::new(center - reach, center + reach), Stroke::solid(color, self.width(1.0)));
        }
    }

    /// The collisions of the last step: the particle's place, and the shortest vector to what it met.
    fn particle_collisions<'a>(
        &self,
        run: &'a ParticleRun,
        places: &'a [Vec2],
    ) -> impl Iterator<Item = (Vec2, Vec2)> + 'a {
        let visible = self.visible;
        let contacts = run.contacts().iter();
        let found = contacts.filter_map(|contact| {
            let center = *places.get(contact.particle)?;
            Some((center, vec2(contact.n.x as f32, contact.n.y as f32)))
        });
        found.filter(move |(center, _)| visible.contains_point(*center))
    }

    fn particle_normals(&self, list: &mut DrawList, run: &ParticleRun, places: &[Vec2], color: Rgba) {
        for (center, n) in self.particle_collisions(run, places) {
            self.arrow(list, center, center + n, color, 1.25);
        }
    }

    fn particle_contacts(&self, list: &mut DrawList, run: &ParticleRun, places: &[Vec2], color: Rgba) {
        for (center, n) in self.particle_collisions(run, places) {
            list.point(center + n, self.width(3.5), color);
        }
    }

    fn particle_velocities(&self, list: &mut DrawList, run: &ParticleRun, places: &[Vec2], color: Rgba) {
        for (&center, velocity) in places.iter().zip(run.scene.system.velocities()) {
            let tip = center + vec2(velocity.x as f32, velocity.y as f32) * 0.15;
            if self.visible.contains_point(center) && (tip - center).length() > self.metres(2.0) {
                self.arrow(list, center, tip, color, 1.75);
            }
        }
    }

    fn particle_centers(&self, list: &mut DrawList, places: &[Vec2]) {
        for &center in places.iter().filter(|&&center| self.visible.contains_point(center)) {
            list.point(center, self.width(3.5), self.theme.ink());
            list.point(center, self.width(2.0), self.theme.background());
        }
    }

    fn particle_ids(&self, list: &mut DrawList, run: &ParticleRun, places: &[Vec2]) {
        let size = max(self.width(13.0), 9.0);
        for (i, (&center, &radius)) in places.iter().zip(run.scene.system.radii()).enumerate() {
            // A number much larger than its particle says nothing.
            let radius = radius as f32 / self.view.pixel();
            if !self.visible.contains_point(center) || radius < 0.2 * size {
                continue;
            }
            let (ink, halo) = (self.theme.ink(), self.theme.background().with_opacity(0.7));
            list.text(center, vec2(0.5, 0.5), &i.to_string(), size, ink, halo);
        }
    }
}

/// The logarithm to base 2 of a number of at least 1, with straight lines between powers of two: the
/// same on every machine.
pub(crate) fn logarithm(x: f32) -> f32 {
    let mut power = 0.0;
    let mut rest = x;
    while rest >= 2.0 && power < 64.0 {
        rest *= 0.5;
        power += 1.0;
    }
    power + (rest - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names() {
        let set: OverlaySet = "contacts, AABBS,ids".parse().unwrap();
        for overlay in Overlay::ALL {
            let expected = matches!(overlay, Overlay::Contacts | Overlay::Aabbs | Overlay::Ids);
            assert_eq!(set.contains(overlay), expected, "{}", overlay.name());
        }
        assert!(!set.toggled(Overlay::Ids).contains(Overlay::Ids));
        for bad in ["", "contact", "ids,", ",", "ids;tree"] {
            let error = bad.parse::<OverlaySet>().unwrap_err().to_string();
            assert!(error.contains("contacts, normals") && error.contains("ids"), "{error}");
        }
    }

    #[test]
    fn logarithms() {
        for (x, y) in [(1.0, 0.0), (2.0, 1.0), (4.0, 2.0), (3.0, 1.5), (1024.0, 10.0)] {
            assert_eq!(logarithm(x), y);
        }
        assert!(logarithm(f32::INFINITY).is_infinite() || logarithm(f32::INFINITY) > 60.0);
    }
}
