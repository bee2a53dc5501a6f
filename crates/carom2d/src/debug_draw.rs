//! What the engine knows of a world, as lines that any game can draw.

use crate::attach::ShapeId;
use crate::body::{BodyId, BodyKind};
use crate::body_ref::BodyRef;
use crate::joint_ref::JointRef;
use crate::math::{Aabb, Pose, Vec2, atan2, cross, max, min, right_perp, sin_cos, vec2};
use crate::shape::{ChainEnds, Geometry};
use crate::shape_ref::ShapeRef;
use crate::world::World;
use std::f32::consts::TAU;

/// Draws lines for [`World::debug_draw`]. Only [`line`](DebugDraw::line) must be there; the others have a form made of lines.
///
/// ```
/// use carom2d::prelude::*;
/// use carom2d::{DebugDraw, DebugDrawDef, DebugItem};
///
/// #[derive(Default)]
/// struct Lines(Vec<(Vec2, Vec2, [u8; 3])>);
///
/// impl DebugDraw for Lines {
///     fn line(&mut self, a: Vec2, b: Vec2, item: DebugItem) {
///         self.0.push((a, b, item.color()));
///     }
/// }
///
/// let mut world = World::new(WorldDef::default());
/// let brick = world.add_body(BodyDef::dynamic())?;
/// world.add_shape(brick, ShapeDef::rectangle(1.0, 0.5))?;
/// let mut lines = Lines::default();
/// world.debug_draw(&DebugDrawDef::default(), &mut lines);
/// assert_eq!(lines.0.len(), 4);
/// # Ok::<(), DefError>(())
/// ```
pub trait DebugDraw {
    /// Draws a line between two points of the world.
    fn line(&mut self, a: Vec2, b: Vec2, item: DebugItem);

    /// Draws the outline of a circle. By default as 24 lines.
    fn circle(&mut self, center: Vec2, radius: f32, item: DebugItem) {
        let at = |i: u32| {
            let (s, c) = sin_cos(TAU * i as f32 / 24.0);
            center + radius * vec2(c, s)
        };
        (0..24).for_each(|i| self.line(at(i), at(i + 1), item));
    }

    /// Draws the outline of a polygon. By default as a line for each edge.
    fn polygon(&mut self, corners: &[Vec2], item: DebugItem) {
        let mut from = corners.last().copied().unwrap_or(Vec2::ZERO);
        for &corner in corners {
            self.line(from, corner, item);
            from = corner;
        }
    }

    /// Marks a point. By default as a cross, twice `reach` wide.
    fn point(&mut self, at: Vec2, reach: f32, item: DebugItem) {
        self.line(at - vec2(reach, 0.0), at + vec2(reach, 0.0), item);
        self.line(at - vec2(0.0, reach), at + vec2(0.0, reach), item);
    }
}

/// What a line of [`DebugDraw`] is of.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DebugItem {
    /// The outline of a shape.
    Shape {
        /// The shape.
        shape: ShapeId,
        /// The state of its body.
        state: DebugState,
    },
    /// The outline of a shape of a dynamic body, in the colour of its island.
    Island {
        /// The shape.
        shape: ShapeId,
        /// The number of the island.
        island: u32,
    },
    /// The box around a shape.
    Aabb(ShapeId),
    /// The larger box of a shape that the broad phase keeps.
    FatAabb(ShapeId),
    /// A point of a contact.
    Contact {
        /// Do the shapes touch, or are they only near?
        touching: bool,
    },
    /// The direction in which a contact pushes its second shape.
    Normal,
    /// The impulse of a contact in the last step, or of its friction.
    Impulse,
    /// From a body to where a joint holds it, and from there to where it holds the other one.
    Joint,
    /// The centre of mass and the axes of a body.
    Center(BodyId),
    /// The velocity of a body.
    Velocity(BodyId),
}

/// How the body of a shape is, for its colour.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebugState {
    /// Fixed.
    Fixed,
    /// Kinematic.
    Kinematic,
    /// Dynamic and awake.
    Awake,
    /// Dynamic and asleep.
    Asleep,
    /// Disabled, or frozen.
    Disabled,
    /// The shape is a sensor.
    Sensor,
}

impl DebugItem {
    /// A colour that can be told from the others on dark and on light ground: red, green and blue.
    pub fn color(self) -> [u8; 3] {
        match self {
            DebugItem::Shape { state, .. } => match state {
                DebugState::Fixed => [120, 144, 120],
                DebugState::Kinematic => [90, 120, 220],
                DebugState::Awake => [224, 140, 60],
                DebugState::Asleep => [130, 130, 160],
                DebugState::Disabled => [96, 96, 96],
                DebugState::Sensor => [200, 190, 60],
            },
            DebugItem::Island { island, .. } => hue(island),
            DebugItem::Aabb(_) => [180, 90, 220],
            DebugItem::FatAabb(_) => [120, 70, 150],
            DebugItem::Contact { touching: true } => [230, 50, 60],
            DebugItem::Contact { touching: false } => [140, 90, 90],
            DebugItem::Normal => [40, 180, 130],
            DebugItem::Impulse => [220, 60, 170],
            DebugItem::Joint => [60, 170, 220],
            DebugItem::Center(_) => [230, 60, 60],
            DebugItem::Velocity(_) => [60, 120, 230],
        }
    }
}

/// Colours of which neighbouring numbers have distant ones.
fn hue(number: u32) -> [u8; 3] {
    // The golden section of a turn, in 65536ths.
    let turn = (number.wrapping_mul(40_503) & 0xffff) as f32 / 65_536.0;
    let part = |shift: f32| {
        let away = (turn + shift).fract() * 6.0;
        let level = max(0.0, min(1.0, (away - 3.0).abs() - 1.0));
        (70.0 + 160.0 * level) as u8
    };
    [part(0.0), part(2.0 / 3.0), part(1.0 / 3.0)]
}

/// What [`World::debug_draw`] draws. Lengths are in metres.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebugDrawDef {
    /// The outlines of shapes. Default true.
    pub shapes: bool,
    /// Outlines in the colours of islands. Default false.
    pub islands: bool,
    /// Joints. Default true.
    pub joints: bool,
    /// Points of contacts. Default false.
    pub contacts: bool,
    /// Normals of contacts that touch. Default false.
    pub normals: bool,
    /// Impulses of contacts that touch. Default false.
    pub impulses: bool,
    /// The boxes around shapes. Default false.
    pub aabbs: bool,
    /// The boxes of the broad phase. Default false.
    pub fat_aabbs: bool,
    /// Centres of mass, with the axes of the body. Default false.
    pub centers: bool,
    /// Velocities, as the way of the next tenth of a second. Default false.
    pub velocities: bool,
    /// Draw bodies where they are between two steps ([`BodyRef::interpolated_pose`])? Contacts and boxes stay those of the
    /// last step. Default false.
    pub interpolated: bool,
    /// Half the width of a mark, in metres. Default 0.05.
    pub mark: f32,
    /// Length of a normal in metres. Default 0.25.
    pub normal_length: f32,
    /// Length in metres of an impulse of 1 N s. Default 0.1.
    pub impulse_scale: f32,
    /// Leaves out what lies outside this box. Default: none, so all is drawn.
    pub within: Option<Aabb>,
}

impl Default for DebugDrawDef {
    fn default() -> DebugDrawDef {
        DebugDrawDef {
            shapes: true,
            islands: false,
            joints: true,
            contacts: false,
            normals: false,
            impulses: false,
            aabbs: false,
            fat_aabbs: false,
            centers: false,
            velocities: false,
            interpolated: false,
            mark: 0.05,
            normal_length: 0.25,
            impulse_scale: 0.1,
            within: None,
        }
    }
}

impl DebugDrawDef {
    /// Everything there is to see.
    pub fn all() -> DebugDrawDef {
        DebugDrawDef {
            contacts: true,
            normals: true,
            impulses: true,
            aabbs: true,
            fat_aabbs: true,
            centers: true,
            velocities: true,
            ..DebugDrawDef::default()
        }
    }

    fn shows(&self, aabb: &Aabb) -> bool {
        self.within.is_none_or(|within| within.overlaps(aabb))
    }

    fn shows_point(&self, point: Vec2) -> bool {
        self.within.is_none_or(|within| within.contains_point(point))
    }

    fn pose(&self, body: &BodyRef<'_>) -> Pose {
        if self.interpolated { body.interpolated_pose() } else { body.pose() }
    }
}

impl World {
    /// Draws shapes, joints, contacts and boxes by lines, in the order of their handles.
    pub fn debug_draw(&self, def: &DebugDrawDef, draw: &mut dyn DebugDraw) {
        for id in self.shapes() {
            self.draw_shape(&self.shape(id), def, draw);
        }
        if def.joints {
            for id in self.joints() {
                self.draw_joint(&self.joint(id), def, draw);
            }
        }
        if def.contacts || def.normals || def.impulses {
            self.draw_contacts(def, draw);
        }
        if def.centers || def.velocities {
            for id in self.bodies() {
                draw_body(&self.body(id), def, draw);
            }
        }
    }

    fn draw_shape(&self, shape: &ShapeRef<'_>, def: &DebugDrawDef, draw: &mut dyn DebugDraw) {
        let tight = shape.aabb();
        if !def.shows(&tight) {
            return;
        }
        let (id, body) = (shape.id(), self.body(shape.body()));
        if def.fat_aabbs
            && let Some(fat) = self.fat_aabb(id)
        {
            draw.polygon(&corners(&fat), DebugItem::FatAabb(id));
        }
        if def.aabbs {
            draw.polygon(&corners(&tight), DebugItem::Aabb(id));
        }
        if !(def.shapes || def.islands) {
            return;
        }
        let island = if def.islands { self.island_of(body.id()) } else { None };
        let item = match island {
            Some(island) => DebugItem::Island { shape: id, island },
            None => DebugItem::Shape { shape: id, state: state_of(shape, &body) },
        };
        draw_geometry(shape.geometry(), def.pose(&body), item, draw);
    }

    fn draw_joint(&self, joint: &JointRef<'_>, def: &DebugDrawDef, draw: &mut dyn DebugDraw) {
        let pose = |id| def.pose(&self.body(id));
        let (pose_a, pose_b) = (pose(joint.body_a()), pose(joint.body_b()));
        let (held_a, held_b) = (pose_a.point(joint.frame_a().p), pose_b.point(joint.frame_b().p));
        if !def.shows(&Aabb::around(&[pose_a.p, held_a, held_b, pose_b.p])) {
            return;
        }
        for (from, to) in [(pose_a.p, held_a), (held_a, held_b), (held_b, pose_b.p)] {
            if from != to {
                draw.line(from, to, DebugItem::Joint);
            }
        }
        draw.point(held_a, def.mark, DebugItem::Joint);
    }

    fn draw_contacts(&self, def: &DebugDrawDef, draw: &mut dyn DebugDraw) {
        for contact in self.contacts() {
            let (normal, touching) = (contact.normal(), contact.is_touching());
            for point in contact.points().filter(|point| def.shows_point(point.point_now)) {
                let at = point.point_now;
                if def.contacts {
                    draw.point(at, def.mark, DebugItem::Contact { touching });
                }
                if def.normals && touching {
                    draw.line(at, at + normal * def.normal_length, DebugItem::Normal);
                }
                let impulses = [(normal, point.normal_impulse), (right_perp(normal), point.tangent_impulse)];
                for (direction, impulse) in impulses {
                    if def.impulses && impulse != 0.0 {
                        draw.line(at, at + direction * (impulse * def.impulse_scale), DebugItem::Impulse);
                    }
                }
            }
        }
    }
}

fn draw_body(body: &BodyRef<'_>, def: &DebugDrawDef, draw: &mut dyn DebugDraw) {
    let pose = def.pose(body);
    let center = pose.point(body.local_center());
    if body.kind() == BodyKind::Fixed || !def.shows_point(center) {
        return;
    }
    if def.centers {
        for axis in [pose.q.x_axis(), pose.q.y_axis()] {
            draw.line(center - axis * def.mark, center + axis * (2.0 * def.mark), DebugItem::Center(body.id()));
        }
    }
    if def.velocities && body.velocity() != Vec2::ZERO {
        draw.line(center, center + 0.1 * body.velocity(), DebugItem::Velocity(body.id()));
    }
}

fn state_of(shape: &ShapeRef<'_>, body: &BodyRef<'_>) -> DebugState {
    if !body.is_enabled() {
        DebugState::Disabled
    } else if shape.is_sensor() {
        DebugState::Sensor
    } else {
        match body.kind() {
            BodyKind::Fixed => DebugState::Fixed,
            BodyKind::Kinematic => DebugState::Kinematic,
            BodyKind::Dynamic if body.is_sleeping() => DebugState::Asleep,
            BodyKind::Dynamic => DebugState::Awake,
        }
    }
}

fn corners(aabb: &Aabb) -> [Vec2; 4] {
    let Aabb { min, max } = *aabb;
    [min, vec2(max.x, min.y), max, vec2(min.x, max.y)]
}

fn draw_geometry(geometry: &Geometry, pose: Pose, item: DebugItem, draw: &mut dyn DebugDraw) {
    let mut ring = |points: &[Vec2]| {
        let placed: Vec<Vec2> = points.iter().map(|&point| pose.point(point)).collect();
        draw.polygon(&placed, item);
    };
    match geometry {
        Geometry::Circle(circle) => {
            let center = pose.point(circle.center);
            draw.circle(center, circle.radius, item);
            // A radius shows how it turns.
            draw.line(center, center + circle.radius * pose.q.x_axis(), item);
        }
        Geometry::Segment(segment) => draw.line(pose.point(segment.a), pose.point(segment.b), item),
        Geometry::Capsule(capsule) => ring(&rounded(&[capsule.a, capsule.b], capsule.radius)),
        Geometry::Polygon(polygon) if polygon.radius() > 0.0 => ring(&rounded(polygon.vertices(), polygon.radius())),
        Geometry::Polygon(polygon) => ring(polygon.vertices()),
        Geometry::Ellipse(ellipse) => ring(&rim(ellipse)),
        Geometry::Part(part) => ring(part.vertices()),
        Geometry::Concave(concave) => {
            ring(concave.outline());
            concave.holes().iter().for_each(|hole| ring(hole));
        }
        Geometry::Chain(chain) => {
            let points = chain.points();
            let closing = usize::from(chain.ends() == ChainEnds::Loop);
            for i in 1..points.len() + closing {
                draw.line(pose.point(points[i - 1]), pose.point(points[i % points.len()]), item);
            }
        }
    }
}

fn rim(ellipse: &crate::shape::Ellipse) -> Vec<Vec2> {
    let on_rim = |i: u32| {
        let (s, c) = sin_cos(TAU * i as f32 / 32.0);
        ellipse.center + ellipse.rotation.rotate(vec2(c * ellipse.half_axes.x, s * ellipse.half_axes.y))
    };
    (0..32).map(on_rim).collect()
}

/// The outline of everything within a radius of a convex polygon or a segment, with six lines to a half turn.
fn rounded(core: &[Vec2], radius: f32) -> Vec<Vec2> {
    /// Lines for a half turn.
    const LINES: f32 = 6.0;
    let outwards = |i: usize| {
        let edge = core[(i + 1) % core.len()] - core[i % core.len()];
        right_perp(edge.normalize_or_zero())
    };
    let mut outline = Vec::new();
    for (i, &corner) in core.iter().enumerate() {
        let (before, after) = (outwards(i + core.len() - 1), outwards(i));
        let turn = atan2(max(cross(before, after), 0.0), before.dot(after));
        let lines = (LINES * turn / (0.5 * TAU)).ceil();
        for k in 0..=lines as u32 {
            let (s, c) = sin_cos(if lines > 0.0 { turn * k as f32 / lines } else { 0.0 });
            let normal = vec2(c * before.x - s * before.y, s * before.x + c * before.y);
            outline.push(corner + radius * normal);
        }
    }
    outline
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyDef, DefError, JointDef, JointKind, Outline, Revolute, ShapeDef, WorldDef};

    /// Lines with what they are of.
    #[derive(Default)]
    struct Lines(Vec<(Vec2, Vec2, DebugItem)>);

    impl DebugDraw for Lines {
        fn line(&mut self, a: Vec2, b: Vec2, item: DebugItem) {
            assert!(a.is_finite() && b.is_finite(), "{item:?} from {a} to {b}");
            self.0.push((a, b, item));
        }
    }

    impl Lines {
        fn of(world: &World, def: &DebugDrawDef) -> Lines {
            let mut lines = Lines::default();
            world.debug_draw(def, &mut lines);
            lines
        }

        fn count(&self, which: impl Fn(&DebugItem) -> bool) -> usize {
            self.0.iter().filter(|(_, _, item)| which(item)).count()
        }
    }

    /// A body of every geometry, each with its outline in a box of its own.
    fn geometries() -> Result<Vec<Geometry>, DefError> {
        let arrow = [vec2(0.0, 0.0), vec2(2.0, -1.0), vec2(0.5, 0.0), vec2(2.0, 1.0)];
        Ok(vec![
            Geometry::circle(0.5)?,
            Geometry::capsule(vec2(-1.0, 0.0), vec2(1.0, 0.5), 0.3)?,
            Geometry::segment(vec2(-1.0, 0.0), vec2(1.0, 0.0))?,
            Geometry::rectangle(2.0, 1.0)?,
            Geometry::rounded(&[vec2(-1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0)], 0.2)?,
            Geometry::ellipse(1.0, 0.5)?,
            Geometry::chain(&[vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(2.0, 1.0), vec2(0.0, 2.0)], ChainEnds::Loop)?,
            Geometry::concave(&arrow)?,
        ])
    }

    #[test]
    fn outlines_span_the_boxes_of_their_shapes() -> Result<(), DefError> {
        for geometry in geometries()? {
            for angle in [0.0, 0.7, -2.1] {
                let mut world = World::new(WorldDef::default());
                let body = world.add_body(BodyDef { position: vec2(3.0, -2.0), angle, ..BodyDef::fixed() })?;
                let shape = world.add_shape(body, ShapeDef::new(Outline::Geometry(Box::new(geometry.clone()))))?;
                let lines = Lines::of(&world, &DebugDrawDef::default());
                let drawn = Aabb::around(&lines.0.iter().flat_map(|&(a, b, _)| [a, b]).collect::<Vec<_>>());
                let tight = world.shape(shape).aabb();
                // Arcs of six lines to a half turn fall short of the circle by 1 - cos(15 degrees).
                let short = 0.035 * tight.half_extents().length();
                let off = max((drawn.min - tight.min).length(), (drawn.max - tight.max).length());
                assert!(off <= short, "{geometry:?} at {angle}: drawn {drawn:?} of {tight:?}");
            }
        }
        Ok(())
    }

    #[test]
    fn all_that_is_asked_for_is_drawn_and_nothing_else() -> Result<(), DefError> {
        let mut world = World::new(WorldDef::default());
        let ground = world.add_body(BodyDef::fixed())?;
        world.add_shape(ground, ShapeDef::rectangle(20.0, 1.0))?;
        let box_at = |world: &mut World, x: f32| -> Result<BodyId, DefError> {
            let body = world.add_body(BodyDef { position: vec2(x, 1.0), ..BodyDef::dynamic() })?;
            world.add_shape(body, ShapeDef::rectangle(1.0, 1.0))?;
            Ok(body)
        };
        let (left, right) = (box_at(&mut world, -2.0)?, box_at(&mut world, 2.0)?);
        let pin = JointKind::Revolute(Revolute::default());
        let pin = JointDef::new(left, right, pin).at(&world, vec2(0.0, 1.0))?;
        world.add_joint(pin)?;
        world.step(1.0 / 60.0);

        let all = Lines::of(&world, &DebugDrawDef::all());
        assert_eq!(all.count(|item| matches!(item, DebugItem::Shape { .. })), 12);
        assert_eq!(all.count(|item| matches!(item, DebugItem::Aabb(_))), 12);
        assert_eq!(all.count(|item| matches!(item, DebugItem::FatAabb(_))), 12);
        assert_eq!(all.count(|item| matches!(item, DebugItem::Contact { touching: true })), 8, "two crosses a box");
        assert_eq!(all.count(|item| matches!(item, DebugItem::Normal)), 4);
        assert!(all.count(|item| matches!(item, DebugItem::Impulse)) >= 4);
        assert!(all.count(|item| matches!(item, DebugItem::Joint)) >= 4);
        assert_eq!(all.count(|item| matches!(item, DebugItem::Center(_))), 4);

        let plain = Lines::of(&world, &DebugDrawDef { joints: false, ..DebugDrawDef::default() });
        assert_eq!(plain.0.len(), 12);
        let islands = Lines::of(&world, &DebugDrawDef { islands: true, ..DebugDrawDef::default() });
        assert_eq!(islands.count(|item| matches!(item, DebugItem::Island { .. })), 8);
        let within = Some(Aabb { min: vec2(1.0, 0.6), max: vec2(3.0, 2.0) });
        let part = Lines::of(&world, &DebugDrawDef { within, joints: false, ..DebugDrawDef::default() });
        assert_eq!(part.0.len(), 4, "only the right box");
        Ok(())
    }

    #[test]
    fn states_have_colours_of_their_own() -> Result<(), DefError> {
        let mut world = World::new(WorldDef::default());
        for def in [BodyDef::fixed(), BodyDef::kinematic(), BodyDef::dynamic()] {
            let body = world.add_body(def)?;
            world.add_shape(body, ShapeDef::rectangle(1.0, 1.0))?;
            world.add_shape(body, ShapeDef { sensor: true, ..ShapeDef::circle(1.0) })?;
        }
        let asleep = world.add_body(BodyDef { position: vec2(50.0, 0.0), awake: false, ..BodyDef::dynamic() })?;
        world.add_shape(asleep, ShapeDef::rectangle(1.0, 1.0))?;
        let disabled = world.add_body(BodyDef { enabled: false, ..BodyDef::dynamic() })?;
        world.add_shape(disabled, ShapeDef::rectangle(1.0, 1.0))?;
        let lines = Lines::of(&world, &DebugDrawDef::default());
        let mut colors: Vec<[u8; 3]> = lines.0.iter().map(|(_, _, item)| item.color()).collect();
        colors.sort_unstable();
        colors.dedup();
        assert_eq!(colors.len(), 6);
        Ok(())
    }
}
