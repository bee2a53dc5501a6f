//! A world of rigid bodies as a draw list: grid, bodies, caption.

use crate::color::Rgba;
use crate::geometry::{ellipse_rim, inset, outline_lines};
use crate::joint::{draw_links, draw_pins};
use crate::list::{DrawList, Stroke, Style};
use crate::overlay::{Overlay, OverlaySet, draw_overlays, logarithm};
use crate::poses::Poses;
use crate::soft::{SoftParts, draw_soft_bodies};
use crate::theme::{Pair, Theme};
use crate::view::View;
use crate::water::{draw_drops, draw_fluids, draw_water};
use carom_core::math::{max, min};
use carom_scenes::{Color, SceneWorld};
use carom2d::math::{Aabb, Pose, Vec2, vec2};
use carom2d::shape::{Chain, Concave, Geometry, Polygon};
use carom2d::{BodyKind, BodyRef, ShapeRef};

/// What there is besides the bodies. Particle scenes look as their files say: they have no grid, and
/// their caption is the time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decor {
    /// Nothing.
    None,
    /// A grid.
    Grid,
    /// A grid, its scale, the name of the scene and the time.
    #[default]
    Full,
}

/// How a scene is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// Light or dark.
    pub theme: Theme,
    /// What else is shown of the world.
    pub overlays: OverlaySet,
    /// What there is besides the bodies.
    pub decor: Decor,
}

/// Draws a scene of rigid bodies into `list`, replacing what was there.
pub fn draw(list: &mut DrawList, run: &SceneWorld, view: &View, look: &Look, poses: Poses<'_>) {
    list.begin(look.theme.background());
    if look.decor != Decor::None {
        grid(list, view, look.theme);
    }
    draw_water(list, run, view, look.theme, poses);
    bodies(list, run, view, look, poses);
    rays(list, run, view, look.theme);
    draw_fluids(list, run, view, look.theme);
    draw_overlays(list, run, view, look, poses);
    if look.decor == Decor::Full {
        caption(list, run, view, look.theme, poses);
    }
}

// ---- bodies -------------------------------------------------------------------------------------

/// Width of outlines in pixels where there is room for them.
const OUTLINE: f32 = 1.75;

/// The bodies, from back to front, with the joints between them.
fn bodies(list: &mut DrawList, run: &SceneWorld, view: &View, look: &Look, poses: Poses<'_>) {
    let visible = view.visible();
    let soft = SoftParts::of(run);
    let seen = |body: &BodyRef<'_>, sensors: bool, draw: &mut dyn FnMut(&ShapeRef<'_>, Pose, Pair)| {
        let pose = poses.of(body);
        if pose.is_finite() {
            let pair = colors(run, body, look);
            for shape in body.shapes().map(|id| run.world.shape(id)) {
                if shape.is_sensor() == sensors && shape.geometry().aabb(pose).overlaps(&visible) {
                    draw(&shape, pose, pair);
                }
            }
        }
    };
    let of_kind = |fixed: bool| {
        let bodies = run.world.bodies().map(|id| run.world.body(id));
        let soft = &soft;
        bodies.filter(move |body| (body.kind() == BodyKind::Fixed) == fixed && !soft.has_body(body.id()))
    };
    // Walls lie behind what moves. All their edges come first, then their insides: where walls overlap
    // they look like one.
    for part in [Part::Edge, Part::Inside] {
        for body in of_kind(true) {
            seen(&body, false, &mut |shape, pose, pair| solid(list, view, shape, pose, pair, part));
        }
    }
    draw_drops(list, run, view, look.theme, poses);
    draw_links(list, run, view, look.theme, poses, &soft);
    draw_soft_bodies(list, run, view, poses, OUTLINE, |id| colors(run, &run.world.body(id), look));
    // The shapes of one body look like one, too.
    for body in of_kind(false) {
        if body.shapes().nth(1).is_none() {
            seen(&body, false, &mut |shape, pose, pair| solid(list, view, shape, pose, pair, Part::Both));
        } else {
            for part in [Part::Edge, Part::Inside] {
                seen(&body, false, &mut |shape, pose, pair| solid(list, view, shape, pose, pair, part));
            }
        }
    }
    // Sensors are in front, since they let see through.
    for body in of_kind(true).chain(of_kind(false)) {
        seen(&body, true, &mut |shape, pose, pair| sensor(list, view, shape, pose, pair));
    }
    draw_pins(list, run, view, look.theme, poses, &soft);
}

/// The rays that the scene casts, with a point where they meet something.
fn rays(list: &mut DrawList, run: &SceneWorld, view: &View, theme: Theme) {
    let color = theme.pick(Rgba::new(200, 120, 0), Rgba::new(255, 205, 96));
    for ray in run.rays() {
        list.line(ray.from, ray.to, Stroke::solid(color.with_opacity(0.75), view.line_scale));
        if ray.hit.is_some() {
            list.point(ray.to, 3.0 * view.line_scale, color);
        }
    }
}

/// What is drawn of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// All that its edge covers.
    Edge,
    /// All but its edge.
    Inside,
    /// Both.
    Both,
}

/// The colours of a body: its own, or what an overlay makes of them.
fn colors(run: &SceneWorld, body: &BodyRef<'_>, look: &Look) -> Pair {
    let theme = look.theme;
    let own = run.color(body.id());
    if body.kind() != BodyKind::Fixed {
        if look.overlays.contains(Overlay::Sleep) {
            return theme.body(if body.is_awake() { Color::ORANGE.into() } else { Rgba::new(88, 116, 158) });
        }
        if look.overlays.contains(Overlay::Islands) {
            let island = run.world.island_of(body.id());
            let color = island.map_or(Color::SAND.into(), |island| Rgba::categorical(island as usize));
            let pair = theme.body(color);
            return if body.is_awake() { pair } else { theme.asleep(pair) };
        }
        if look.overlays.contains(Overlay::Collisions)
            && let Some(push) = hardest_push(run, body)
        {
            // Touching is half the way to red; every doubling of the push goes a part of the rest.
            let share = min(0.5 + 0.1 * logarithm(1.0 + push), 1.0);
            return theme.body(Rgba::from(own).mixed(COLLIDING, share));
        }
    }
    let mut pair = theme.of_kind(body.kind(), own);
    if own == Color::SAND {
        pair.fill = shaded(pair.fill, body.id().index());
    }
    match body.kind() {
        BodyKind::Fixed => pair,
        _ if !body.is_enabled() => theme.asleep(theme.asleep(pair)),
        _ if body.is_awake() => pair,
        _ => theme.asleep(pair),
    }
}

/// The colour of bodies that were hit hard.
const COLLIDING: Rgba = Rgba::new(226, 26, 28);

/// The largest impulse at a contact of a body in the last step, over that of its weight; none if it touches nothing.
fn hardest_push(run: &SceneWorld, body: &BodyRef<'_>) -> Option<f32> {
    let gravity = run.world.gravity().length();
    let weight = body.mass() * run.dt() * if gravity > 0.1 { gravity } else { 10.0 };
    let touching = body.contacts().filter(|contact| contact.is_touching() && !contact.is_sensor());
    let hardest = touching.map(|contact| contact.points().map(|point| point.normal_impulse).fold(0.0, max));
    let hardest = hardest.reduce(max)?;
    Some(if weight > 0.0 && weight.is_finite() { hardest / weight } else { 0.0 })
}

/// Bodies without a colour of their own differ a little, so that heaps of thousands stay readable where
/// there is no room for outlines.
fn shaded(color: Rgba, index: u32) -> Rgba {
    // A multiplication by an odd number mixes the low bits into the high ones.
    let shade = (index.wrapping_mul(0x9E37_79B9) >> 24) as f32 / 255.0 - 0.5;
    if shade < 0.0 {
        color.mixed(Rgba::new(120, 78, 40), -0.42 * shade)
    } else {
        color.mixed(Rgba::new(255, 240, 210), 0.42 * shade)
    }
}

/// Width of the outline of a shape in pixels; 0 where there is no room for one. Outlines get thinner with
/// their shapes, and vanish before they are all there is.
fn outline_width(view: &View, geometry: &Geometry) -> f32 {
    let inner = match geometry {
        // Its centroid may lie outside of it: its pieces tell how thick it is.
        Geometry::Concave(concave) => {
            concave.parts().iter().filter_map(|part| part.polygon()).map(inner_size).fold(0.0, max)
        }
        _ => geometry.inner_extent(),
    };
    let thickness = 2.0 * inner / view.pixel();
    let width = min(OUTLINE * view.line_scale, 0.13 * thickness);
    if width >= 0.4 { width } else { 0.0 }
}

fn solid(list: &mut DrawList, view: &View, shape: &ShapeRef<'_>, pose: Pose, pair: Pair, part: Part) {
    let geometry = shape.geometry();
    let width = outline_width(view, geometry);
    match part {
        Part::Both if width > 0.0 => {
            let style = Style { fill: Some(pair.fill), outline: Some(Stroke::solid(pair.edge, width)) };
            outline(list, view, geometry, pose, style, 0.0);
        }
        Part::Edge if width > 0.0 => outline(list, view, geometry, pose, Style::filled(pair.edge), 0.0),
        Part::Edge => {}
        Part::Inside | Part::Both => {
            // What has no edge is a little darker, or brighter, instead.
            let color = if width > 0.0 { pair.fill } else { pair.fill.mixed(pair.edge, 0.3) };
            outline(list, view, geometry, pose, Style::filled(color), width * view.pixel());
        }
    }
    match geometry {
        // A spoke tells how a circle turns.
        Geometry::Circle(circle) if width > 0.0 && part != Part::Edge && circle.radius > 4.0 * view.pixel() => {
            let center = pose.point(circle.center);
            let reach = circle.radius - 0.5 * width * view.pixel();
            list.line(center, center + pose.q.x_axis() * reach, Stroke::solid(pair.edge, width));
        }
        Geometry::Ellipse(ellipse) if width > 0.0 && part != Part::Edge && ellipse.half_axes.x > 4.0 * view.pixel() => {
            let center = pose.point(ellipse.center);
            let reach = ellipse.half_axes.x - 0.5 * width * view.pixel();
            let axis = pose.q.rotate(ellipse.rotation.x_axis());
            list.line(center, center + axis * reach, Stroke::solid(pair.edge, width));
        }
        Geometry::Chain(chain) if part != Part::Inside => {
            draw_chain(list, view, chain, pose, Stroke::solid(pair.edge, 2.0 * view.line_scale));
        }
        Geometry::Concave(concave) if part != Part::Edge => {
            let color = if width > 0.0 { pair.fill } else { pair.fill.mixed(pair.edge, 0.3) };
            hide_cuts(list, concave, pose, Stroke::solid(color, 1.5));
            if width > 0.0 {
                for (a, b) in outline_lines(geometry) {
                    list.line(pose.point(a), pose.point(b), Stroke::solid(pair.edge, width));
                }
            }
        }
        Geometry::Segment(segment) if part != Part::Inside => {
            let stroke = Stroke::solid(pair.edge, 2.0 * view.line_scale);
            list.line(pose.point(segment.a), pose.point(segment.b), stroke);
        }
        _ => {}
    }
}

fn sensor(list: &mut DrawList, view: &View, shape: &ShapeRef<'_>, pose: Pose, pair: Pair) {
    let width = max(outline_width(view, shape.geometry()), 0.75);
    // A small one has no room for dashes.
    let dashed = shape.geometry().inner_extent() > 14.0 * width * view.pixel();
    let stroke = Stroke { color: pair.edge.with_opacity(0.8), width, dashed };
    let style = Style { fill: Some(pair.fill.with_opacity(0.25)), outline: Some(stroke) };
    outline(list, view, shape.geometry(), pose, style, 0.0);
    if let Geometry::Segment(segment) = shape.geometry() {
        list.line(pose.point(segment.a), pose.point(segment.b), stroke);
    }
    for (a, b) in outline_lines(shape.geometry()) {
        list.line(pose.point(a), pose.point(b), stroke);
    }
}

/// How far it is at least from the middle of a polygon to its rim.
fn inner_size(polygon: &Polygon) -> f32 {
    Geometry::Polygon(*polygon).inner_extent()
}

/// A line through the points, with ticks on the solid side.
fn draw_chain(list: &mut DrawList, view: &View, chain: &Chain, pose: Pose, stroke: Stroke) {
    let (apart, length) = (28.0 * view.line_scale * view.pixel(), 6.0 * view.line_scale * view.pixel());
    let tick = Stroke { width: 0.5 * stroke.width, ..stroke };
    // Half the way to the first, then one whenever the way since is long enough.
    let mut way = 0.5 * apart;
    for link in chain.parts() {
        let &[a, b] = link.vertices() else { continue };
        let (a, b) = (pose.point(a), pose.point(b));
        list.line(a, b, stroke);
        let (along, normal) = (b - a, pose.q.rotate(link.normals()[0]));
        let span = along.length();
        while way <= span && apart > 0.0 {
            let foot = a + along * (way / span);
            list.line(foot, foot + normal * length, tick);
            way += max(apart, 1.0e-3 * span);
        }
        way -= span;
    }
}

/// Lines in the colour of the inside over the cuts of a polygon, where its pieces are drawn side by side and
/// would leave a hair's breadth of what is behind them.
fn hide_cuts(list: &mut DrawList, concave: &Concave, pose: Pose, stroke: Stroke) {
    for part in concave.parts() {
        let vertices = part.vertices();
        for i in (0..vertices.len()).filter(|&i| !part.is_solid(i)) {
            let (a, b) = (vertices[i], vertices[(i + 1) % vertices.len()]);
            // Each cut has two sides; one line is enough.
            if (a.x, a.y) < (b.x, b.y) {
                list.line(pose.point(a), pose.point(b), stroke);
            }
        }
    }
}

/// Draws a geometry that has an area, smaller by `less` metres on all sides.
fn outline(list: &mut DrawList, view: &View, geometry: &Geometry, pose: Pose, style: Style, less: f32) {
    match geometry {
        Geometry::Segment(_) | Geometry::Chain(_) | Geometry::Part(_) => {}
        Geometry::Ellipse(ellipse) => {
            let size = max(ellipse.half_axes.x, ellipse.half_axes.y) / view.pixel();
            let count = (4.0 * size.sqrt()).clamp(16.0, 160.0) as usize;
            list.polygon(ellipse_rim(ellipse, less, count).map(|p| pose.point(p)), style);
        }
        // Its edge is drawn around all of it, not around the pieces.
        Geometry::Concave(concave) => {
            for part in concave.parts().iter().filter(|_| style.fill.is_some()) {
                let style = Style { outline: None, ..style };
                list.polygon(part.vertices().iter().map(|&p| pose.point(p)), style);
            }
        }
        Geometry::Circle(circle) => list.circle(pose.point(circle.center), circle.radius - less, style),
        Geometry::Capsule(capsule) => {
            list.capsule(pose.point(capsule.a), pose.point(capsule.b), capsule.radius - less, style);
        }
        Geometry::Polygon(polygon) if polygon.radius() > less => {
            list.polygon(rounded(polygon, polygon.radius() - less, view).map(|p| pose.point(p)), style);
        }
        Geometry::Polygon(polygon) => {
            let mut corners: Vec<Vec2> = polygon.vertices().to_vec();
            if less <= polygon.radius() || inset(&mut corners, less - polygon.radius()) {
                list.polygon(corners.into_iter().map(|p| pose.point(p)), style);
            }
        }
    }
}

/// The outline of a polygon grown by `radius`, each corner an arc.
fn rounded<'p>(polygon: &'p Polygon, radius: f32, view: &View) -> impl Iterator<Item = Vec2> + use<'p> {
    let count = polygon.vertices().len();
    let pieces = (2.0 * (radius / view.pixel()).sqrt()).clamp(1.0, 12.0).ceil() as usize;
    (0..count).flat_map(move |i| {
        let (from, to) = (polygon.normals()[(i + count - 1) % count], polygon.normals()[i]);
        (0..=pieces).map(move |k| {
            let normal = from + (to - from) * (k as f32 / pieces as f32);
            polygon.vertices()[i] + normal.normalize_or_zero() * radius
        })
    })
}

// ---- grid and caption ---------------------------------------------------------------------------

/// The smallest of 1, 2, 5, 10, 20, ... and 0.5, 0.2, ... that is at least `least`.
pub(crate) fn round_step(least: f32) -> f32 {
    let mut step = 1.0e-6;
    for factor in [2.0, 2.5, 2.0].into_iter().cycle().take(60) {
        if step >= least * (1.0 - 1.0e-3) {
            break;
        }
        step *= factor;
    }
    step
}

/// Distance of grid lines in metres.
fn grid_step(view: &View) -> f32 {
    round_step(64.0 * view.line_scale * view.pixel())
}

fn grid(list: &mut DrawList, view: &View, theme: Theme) {
    let step = grid_step(view);
    let Aabb { min, max } = view.visible();
    let width = view.line_scale.round().clamp(1.0, 8.0);
    let stroke = Stroke::solid(theme.grid(), width);
    // In the middle of pixels, where lines are sharp.
    let sharp = |x: f32| (x - 0.5 * width).round() + 0.5 * width;
    let mut k = (min.x / step).ceil();
    while k * step <= max.x && step > 0.0 {
        let x = sharp(view.to_pixels(vec2(k * step, 0.0)).x);
        list.line(view.to_world(vec2(x, 0.0)), view.to_world(vec2(x, view.height)), stroke);
        k += 1.0;
    }
    let mut k = (min.y / step).ceil();
    while k * step <= max.y && step > 0.0 {
        let y = sharp(view.to_pixels(vec2(0.0, k * step)).y);
        list.line(view.to_world(vec2(0.0, y)), view.to_world(vec2(view.width, y)), stroke);
        k += 1.0;
    }
}

/// Name and time in the top left corner, the scale of the grid in the bottom right one.
fn caption(list: &mut DrawList, run: &SceneWorld, view: &View, theme: Theme, poses: Poses<'_>) {
    let scene = run.about();
    let unit = max(view.line_scale, 0.7);
    let (size, margin) = (15.0 * unit, 14.0 * unit);
    let (color, halo) = (theme.caption(), theme.background().with_opacity(0.6));
    let seconds = scene.seconds(run.step_index()) + poses.lag() * scene.seconds(1);
    let text = format!("{}   {:.2} s", scene.name, carom_core::math::max64(seconds, 0.0));
    let top_left = view.to_world(vec2(margin, margin));
    list.text(top_left, vec2(0.0, 1.0), &text, size, color, halo);

    let step = grid_step(view);
    let right = vec2(view.width - margin, view.height - margin);
    let left = right - vec2(step / view.pixel(), 0.0);
    let tick = vec2(0.0, 4.0 * unit);
    for (width, color) in [(4.0, halo), (1.25, color)] {
        let stroke = Stroke::solid(color, width * unit);
        for (a, b) in [(left, right), (left - tick, left), (right - tick, right)] {
            list.line(view.to_world(a), view.to_world(b), stroke);
        }
    }
    let middle = view.to_world(0.5 * (left + right) - vec2(0.0, 5.0 * unit));
    let text = if step > 0.99 { format!("{} m", step.round()) } else { format!("{} mm", (1.0e3 * step).round()) };
    list.text(middle, vec2(0.5, 0.0), &text, 12.0 * unit, color, halo);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::Item;
    use crate::view::Size;
    use carom_scenes::{BuildOptions, Camera, find};

    #[test]
    fn grid_steps_are_round() {
        for (least, step) in [(0.9, 1.0), (1.0, 1.0), (1.1, 2.0), (3.0, 5.0), (7.0, 10.0), (0.03, 0.05), (180.0, 200.0)]
        {
            assert!((round_step(least) / step - 1.0).abs() < 1.0e-4, "{least}: {}", round_step(least));
        }
    }

    fn list_of(name: &str, look: Look) -> DrawList {
        let run = find(name).unwrap().build(&BuildOptions::default()).unwrap();
        let view = View::of_scene(&run, Size::HD);
        let mut list = DrawList::default();
        draw(&mut list, &run, &view, &look, Poses::Now);
        list
    }

    #[test]
    fn draws_every_shape_that_is_seen() {
        let look = Look { decor: Decor::None, ..Look::default() };
        // Walls have an edge and an inside.
        assert_eq!(list_of("falling_bricks", look).len(), 6 + 2 * 4);
    }

    #[test]
    fn what_is_outside_is_left_out() {
        let run = find("falling_bricks").unwrap().build(&BuildOptions::default()).unwrap();
        let camera = Camera { center: vec2(1000.0, 0.0), half_height: 5.0 };
        let mut list = DrawList::default();
        let look = Look { decor: Decor::None, ..Look::default() };
        draw(&mut list, &run, &View::new(camera, Size::HD), &look, Poses::Now);
        assert!(list.is_empty());
    }

    #[test]
    fn rounded_corners_keep_their_distance() {
        let square = Polygon::rectangle(2.0, 2.0).unwrap().with_radius(0.5).unwrap();
        let view = View::new(Camera { center: Vec2::ZERO, half_height: 2.0 }, Size::HD);
        let points: Vec<Vec2> = rounded(&square, 0.5, &view).collect();
        assert!(points.len() > 40);
        for p in points {
            let nearest = vec2(p.x.clamp(-1.0, 1.0), p.y.clamp(-1.0, 1.0));
            assert!(((p - nearest).length() - 0.5).abs() < 1.0e-4, "{p}");
        }
    }

    #[test]
    fn lines_are_as_wide_at_any_zoom() {
        let run = find("falling_bricks").unwrap().build(&BuildOptions::default()).unwrap();
        let width = |half_height| {
            let camera = Camera { center: Vec2::ZERO, half_height };
            let mut list = DrawList::default();
            let look = Look { decor: Decor::None, ..Look::default() };
            draw(&mut list, &run, &View::new(camera, Size::HD), &look, Poses::Now);
            let widths = list.items().filter_map(|item| match item {
                Item::Polygon { style, .. } => style.outline.map(|stroke| stroke.width),
                _ => None,
            });
            widths.fold(0.0, max)
        };
        assert_eq!((width(5.5), width(2.0)), (OUTLINE, OUTLINE));
        assert_eq!(width(2000.0), 0.0, "no room for outlines");
    }
}
