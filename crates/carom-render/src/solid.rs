//! A scene in space as a draw list: planes, triangles, balls, boxes, capsules, springs, caption.
//!
//! Everything is projected into the picture plane of the view's eye and drawn from back to front, so that any back
//! end of the list can show it. Scenes look as their files say; a dark theme changes those with a light background.

use crate::ball::{Ball, Shade};
use crate::color::Rgba;
use crate::facets::{self, Facet};
use crate::geometry::inset;
use crate::list::{DrawList, Stroke, Style};
use crate::orbit::{Axes, Orbit};
use crate::order::{Next, Piece, Thing, back_to_front};
use crate::poses::{Placed, Poses};
use crate::scene::{Decor, Look, round_step};
use crate::theme::Theme;
use crate::view::View;
use carom_core::math::{max, max64, min64, sin_cos64};
use carom_scenes::SolidRun;
use carom2d::math::{Vec2, cross, vec2};
use carom3d::math::DVec3;
use carom3d::{BodyKind, Color, Scene, Shape, SpringId, Surface};
use std::f64::consts::TAU;

/// Draws a scene in space into `list`, replacing what was there.
pub(crate) fn draw_solid(list: &mut DrawList, run: &SolidRun, view: &View, look: &Look, poses: Poses<'_>) {
    let scene = &run.scene;
    let own = rgba(scene.background);
    let is_replaced = look.theme == Theme::Dark && own.brightness() > 0.5;
    let background = if is_replaced { look.theme.background() } else { own };
    let orbit = view.orbit.unwrap_or_else(|| Orbit::of_scene(scene));
    let eye = Eye::new(&orbit);
    let light = Lighting::new(scene, &eye, orbit.target);
    let places = poses.of_solids(run);
    list.begin(background);
    let picture = Picture { scene, view, eye, light, places: &places, background };
    picture.planes(list, &orbit, look.decor != Decor::None);
    picture.things(list);
    if look.decor == Decor::Full {
        caption(list, run, view, background, poses);
    }
}

/// What it takes to draw anything of a scene.
struct Picture<'a> {
    scene: &'a Scene,
    view: &'a View,
    eye: Eye,
    light: Lighting<'a>,
    places: &'a [Placed],
    background: Rgba,
}

// ---- from space to the picture ------------------------------------------------------------------

/// The way from space to the picture plane.
#[derive(Clone, Copy, Debug)]
struct Eye {
    at: DVec3,
    axes: Axes,
    /// Heights in the picture per tangent of an angle.
    scale: f64,
    /// What is nearer is cut off.
    near: f64,
}

impl Eye {
    fn new(orbit: &Orbit) -> Eye {
        Eye { at: orbit.eye(), axes: orbit.axes(), scale: 1.0 / orbit.half_height(), near: 1.0e-3 * orbit.distance }
    }

    /// A point in axes of the picture: to the right, up, and away from the eye.
    fn local(&self, point: DVec3) -> DVec3 {
        let offset = point - self.at;
        DVec3::new(offset.dot(self.axes.right), offset.dot(self.axes.up), -offset.dot(self.axes.back))
    }

    /// A local point before the eye in the picture.
    fn flat(&self, local: DVec3) -> Vec2 {
        let scale = self.scale / local.z;
        vec2((local.x * scale) as f32, (local.y * scale) as f32)
    }

    /// A flat convex shape in the picture, counter-clockwise; nothing if none of it is before the eye.
    fn polygon(&self, corners: impl Iterator<Item = DVec3>) -> Vec<Vec2> {
        let corners: Vec<DVec3> = corners.map(|corner| self.local(corner)).collect();
        let mut seen = Vec::with_capacity(corners.len() + 1);
        for (i, &a) in corners.iter().enumerate() {
            let b = corners[(i + 1) % corners.len()];
            let (da, db) = (a.z - self.near, b.z - self.near);
            if da >= 0.0 {
                seen.push(self.flat(a));
            }
            if (da > 0.0 && db < 0.0) || (da < 0.0 && db > 0.0) {
                seen.push(self.flat(a + (b - a) * (da / (da - db))));
            }
        }
        let count = seen.len();
        if count < 3 || !seen.iter().all(|corner| corner.is_finite()) {
            return Vec::new();
        }
        let twice_area: f32 = (0..count).map(|i| cross(seen[i], seen[(i + 1) % count])).sum();
        if twice_area < 0.0 {
            seen.reverse();
        }
        seen
    }

    /// The part of a line that is before the eye, in the picture.
    fn line(&self, a: DVec3, b: DVec3) -> Option<[Vec2; 2]> {
        let (mut a, mut b) = (self.local(a), self.local(b));
        let (da, db) = (a.z - self.near, b.z - self.near);
        if !(da > 0.0 || db > 0.0) {
            return None;
        }
        if da < 0.0 {
            a += (b - a) * (da / (da - db));
        } else if db < 0.0 {
            b += (a - b) * (db / (db - da));
        }
        let ends = [self.flat(a), self.flat(b)];
        ends.iter().all(|end| end.is_finite()).then_some(ends)
    }
}

// ---- light --------------------------------------------------------------------------------------

/// The lights of a scene, as one.
struct Lighting<'a> {
    scene: &'a Scene,
    ambient: [f32; 3],
    /// Where light comes from if the scene has none: from behind whoever looks.
    otherwise: DVec3,
    /// The light of what is flat: walls of two triangles shall look like one.
    middle: (DVec3, [f32; 3]),
}

impl<'a> Lighting<'a> {
    fn new(scene: &'a Scene, eye: &Eye, target: DVec3) -> Lighting<'a> {
        // Scenes without any light from everywhere would be half black.
        const LEAST: f32 = 0.22;
        let ambient = channels(scene.ambient_light).map(|part| max(part.clamp(0.0, 1.0), LEAST));
        let over_shoulder = unit(eye.axes.back + 0.6 * eye.axes.up - 0.5 * eye.axes.right);
        let mut lighting = Lighting { scene, ambient, otherwise: over_shoulder, middle: (over_shoulder, [0.8; 3]) };
        lighting.middle = lighting.at(target);
        lighting
    }

    /// Direction and colour of the light at a point, all lights together.
    fn at(&self, point: DVec3) -> (DVec3, [f32; 3]) {
        let (mut direction, mut sum) = (DVec3::ZERO, [0.0_f32; 3]);
        for light in &self.scene.lights {
            let towards = light.position - point;
            let distance = towards.length();
            let [c, l, q] = light.attenuation;
            let weaker = c + l * distance + q * distance * distance;
            let strength = if weaker > 0.0 { min64(1.0 / weaker, 4.0) } else { 1.0 };
            let color = channels(light.color).map(|part| part.clamp(0.0, 4.0) * strength as f32);
            direction += unit(towards) * f64::from(color[0] + color[1] + color[2]);
            sum = [sum[0] + color[0], sum[1] + color[1], sum[2] + color[2]];
        }
        let direction = unit(direction);
        if direction == DVec3::ZERO || !direction.is_finite() {
            return (self.otherwise, [0.8; 3]);
        }
        (direction, sum.map(|part| part.clamp(0.0, 1.1)))
    }
}

fn unit(v: DVec3) -> DVec3 {
    let length = v.length();
    if length > 0.0 && length.is_finite() { v / length } else { DVec3::ZERO }
}

fn channels(color: Color) -> [f32; 3] {
    [color.r as f32, color.g as f32, color.b as f32].map(|part| if part.is_finite() { part } else { 0.0 })
}

fn rgba(color: Color) -> Rgba {
    // The cast keeps to 0 and 255 by itself.
    let [r, g, b] = channels(color).map(|part| (255.0 * part).round() as u8);
    Rgba::new(r, g, b)
}

/// The colour of a surface: what it scatters, and half of what it mirrors. A missing picture is a plain colour, other
/// than that of other pictures.
fn base(surface: Option<&Surface>, index: usize) -> [f32; 3] {
    let Some(surface) = surface else { return [0.7; 3] };
    let (scattered, mirrored) = (channels(surface.diffuse), channels(surface.specular));
    let most = max(max(scattered[0], scattered[1]), scattered[2]).clamp(0.0, 1.0);
    let tint = match surface.texture {
        Some(_) => Rgba::categorical(index).mixed(Rgba::WHITE, 0.35),
        None => Rgba::WHITE,
    };
    let tint = [tint.r, tint.g, tint.b].map(|part| f32::from(part) / 255.0);
    std::array::from_fn(|i| (scattered[i] * tint[i] + 0.55 * (1.0 - most) * mirrored[i]).clamp(0.0, 1.0))
}

// ---- planes -------------------------------------------------------------------------------------

/// Two directions along a plane.
fn along(normal: DVec3) -> [DVec3; 2] {
    let other = if normal.y.abs() > 0.9 { DVec3::X } else { DVec3::Y };
    let first = unit(other - normal * other.dot(normal));
    [first, normal.cross(first)]
}

impl Picture<'_> {
    /// Planes seen from their front: a hint of a floor, with lines that fade away.
    fn planes(&self, list: &mut DrawList, orbit: &Orbit, has_grid: bool) {
        let ink = if self.background.brightness() > 0.5 { Rgba::BLACK } else { Rgba::WHITE };
        for plane in &self.scene.planes {
            let Some(body) = self.scene.world.get_body(plane.body) else { continue };
            let (Shape::Plane { normal }, point) = (body.shape(), body.position()) else { continue };
            if (self.eye.at - point).dot(normal) <= 0.0 {
                continue;
            }
            let fill = self.background.mixed(ink, 0.055);
            let middle = orbit.target - normal * (orbit.target - point).dot(normal);
            let [u, v] = along(normal);
            let far = 300.0 * orbit.distance;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let floor = self.eye.polygon(corners.into_iter().map(|(x, y)| middle + (u * x + v * y) * far));
            if floor.len() > 2 {
                list.polygon(floor, Style::filled(fill));
            }
            if has_grid {
                self.grid(list, orbit, middle, [u, v], fill, fill.mixed(ink, 0.15));
            }
            for (i, place) in self.places.iter().enumerate() {
                self.shadow_of(list, i, place, point, normal, &|shadow| Some(shadow.to_vec()));
            }
        }
    }

    /// The shadow of a ball, box or capsule.
    fn shadow_of(
        &self,
        list: &mut DrawList,
        index: usize,
        place: &Placed,
        point: DVec3,
        normal: DVec3,
        cut: &dyn Fn(&[DVec3]) -> Option<Vec<DVec3>>,
    ) {
        match self.solid_shape(index) {
            None => self.shadow(list, place.position, self.radius(index), point, normal, cut),
            Some(shape) => {
                let outline = facets::outline(&shape, place.position, place.orientation);
                self.solid_shadow(list, &outline, self.radius(index), point, normal, cut);
            }
        }
    }

    /// The soft shadow of a body with these outermost points.
    fn solid_shadow(
        &self,
        list: &mut DrawList,
        outline: &[DVec3],
        radius: f64,
        point: DVec3,
        normal: DVec3,
        cut: &dyn Fn(&[DVec3]) -> Option<Vec<DVec3>>,
    ) {
        const LAYERS: usize = 6;
        const DARKEST: f32 = 0.07;
        let lowest = outline.iter().fold(f64::INFINITY, |low, &corner| min64(low, (corner - point).dot(normal)));
        let gap = max64(lowest, 0.0) / radius;
        if !(lowest > -radius && gap < 3.0) || (self.eye.at - point).dot(normal) <= 0.0 {
            return;
        }
        let [u, v] = along(normal);
        let flat = |corner: &DVec3| [(*corner - point).dot(u), (*corner - point).dot(v)];
        let hull = facets::hull(outline.iter().filter(|corner| corner.is_finite()).map(flat).collect());
        if hull.len() < 3 {
            return;
        }
        let middle = hull.iter().fold([0.0; 2], |sum, p| [sum[0] + p[0], sum[1] + p[1]]).map(|x| x / hull.len() as f64);
        let fade = (1.0 - gap as f32 / 3.0) * (1.0 - gap as f32 / 3.0);
        for layer in 0..LAYERS {
            // From a little outside to a little inside, by a distance and not by a factor: edges are equally soft.
            let out = radius * (0.05 + 0.12 * gap) * (1.5 - layer as f64);
            let shape: Vec<DVec3> = hull
                .iter()
                .map(|p| {
                    let away = [p[0] - middle[0], p[1] - middle[1]];
                    let length = max64((away[0] * away[0] + away[1] * away[1]).sqrt(), 1.0e-9);
                    let factor = max64(1.0 + out / length, 0.05);
                    point + u * (middle[0] + away[0] * factor) + v * (middle[1] + away[1] * factor)
                })
                .collect();
            let Some(shape) = cut(&shape) else { return };
            let shape = self.eye.polygon(shape.into_iter());
            if shape.len() > 2 {
                list.polygon(shape, Style::filled(Rgba::BLACK.with_opacity(DARKEST * fade)));
            }
        }
    }

    fn grid(&self, list: &mut DrawList, orbit: &Orbit, middle: DVec3, axes: [DVec3; 2], fill: Rgba, line: Rgba) {
        const LINES: i32 = 12;
        const PIECES: i32 = 8;
        let step = f64::from(round_step(0.12 * orbit.distance as f32));
        let reach = step * f64::from(LINES);
        // Lines stay where they are when the eye moves on.
        let place = |axis: DVec3| (middle.dot(axis) / step).round() * step;
        let [u, v] = axes;
        let corner = middle + u * (place(u) - middle.dot(u)) + v * (place(v) - middle.dot(v));
        let stroke = max(self.view.line_scale, 0.6);
        for (across, along) in [(u, v), (v, u)] {
            for i in -LINES..=LINES {
                let start = corner + across * (step * f64::from(i));
                for k in -PIECES..PIECES {
                    let at = |k: i32| start + along * (reach * f64::from(k) / f64::from(PIECES));
                    let (a, b) = (at(k), at(k + 1));
                    let away = (0.5 * (a + b) - middle).length() / reach;
                    let strength = (1.0 - away * away) as f32;
                    if strength > 0.03
                        && let Some([a, b]) = self.eye.line(a, b)
                    {
                        list.line(a, b, Stroke::solid(fill.mixed(line, strength), stroke));
                    }
                }
            }
        }
    }

    /// The soft shadow of a ball on something flat below it. `cut` leaves of a shape in the plane what there is to
    /// fall on.
    fn shadow(
        &self,
        list: &mut DrawList,
        center: DVec3,
        radius: f64,
        point: DVec3,
        normal: DVec3,
        cut: impl Fn(&[DVec3]) -> Option<Vec<DVec3>>,
    ) {
        const CORNERS: usize = 28;
        // What all layers together take of the light.
        const DARKEST: f32 = 0.675;
        let height = (center - point).dot(normal);
        let gap = max64(height - radius, 0.0) / radius;
        // Below the surface, or so far above that nothing is left of it.
        if !(height > 0.0 && gap < 4.0) || (self.eye.at - point).dot(normal) <= 0.0 {
            return;
        }
        let foot = center - normal * height;
        let [u, v] = along(normal);
        let fade = (1.0 - gap as f32 / 4.0) * (1.0 - gap as f32 / 4.0);
        // Where a shadow is a few pixels wide, so are its soft edges: few layers do.
        let away = max64(self.eye.local(foot).z, self.eye.near);
        let pixels = radius * self.eye.scale / (away * f64::from(self.view.pixel()));
        // The cast keeps to whole numbers that there are.
        let layers = (pixels / 4.0).clamp(5.0, 9.0) as usize;
        let opacity = fade * DARKEST / layers as f32;
        if opacity < 0.004 {
            return;
        }
        for layer in 0..layers {
            let share = 1.3 - layer as f64 / (layers - 1) as f64;
            let reach = radius * share * (1.0 + 0.25 * gap);
            let circle: Vec<DVec3> = (0..CORNERS)
                .map(|k| {
                    let (sin, cos) = sin_cos64(TAU * k as f64 / CORNERS as f64);
                    foot + (u * cos + v * sin) * reach
                })
                .collect();
            let Some(shape) = cut(&circle) else { return };
            let shape = self.eye.polygon(shape.into_iter());
            if shape.len() > 2 {
                list.polygon(shape, Style::filled(Rgba::BLACK.with_opacity(opacity)));
            }
        }
    }
}

// ---- everything else ----------------------------------------------------------------------------

/// A side of a box, or something painted on it.
#[derive(Clone, Copy, Debug)]
struct Side {
    normal: DVec3,
    surface: usize,
    paint: Paint,
}

/// What colour a side has.
#[derive(Clone, Copy, Debug)]
enum Paint {
    /// That of the body.
    Plain,
    /// One that shows on it: the mark by which one sees how a box turns.
    Mark,
}

/// Part of a spring.
#[derive(Clone, Copy, Debug)]
struct Segment {
    a: DVec3,
    b: DVec3,
}

impl Picture<'_> {
    /// The shape of a box or capsule; none for a ball.
    fn solid_shape(&self, index: usize) -> Option<Shape> {
        let solid = self.scene.solids.get(index.checked_sub(self.scene.spheres.len())?)?;
        Some(self.scene.world.get_body(solid.body)?.shape())
    }

    /// Of a sphere that holds the body.
    fn radius(&self, index: usize) -> f64 {
        let Some(view) = self.scene.spheres.get(index) else {
            return match self.solid_shape(index) {
                Some(Shape::Cuboid { half_extents }) => half_extents.length(),
                Some(Shape::Capsule { half_length, radius }) => half_length + radius,
                Some(Shape::Sphere { radius }) => radius,
                _ => 0.0,
            };
        };
        let body = view.body.and_then(|id| self.scene.world.get_body(id));
        body.and_then(|body| body.radius()).unwrap_or(view.radius * view.scale.abs().max_element())
    }

    fn things(&self, list: &mut DrawList) {
        let mut pieces: Vec<Piece> = self
            .scene
            .triangles
            .iter()
            .enumerate()
            .map(|(face, triangle)| Piece {
                corners: triangle.vertices.map(|vertex| vertex.position + triangle.position).to_vec(),
                face,
            })
            .filter(|piece| piece.corners.iter().all(|corner| corner.is_finite()))
            .collect();
        let mut sides: Vec<Side> = Vec::new();
        let mut slices: Vec<(usize, Vec<Facet>)> = Vec::new();
        let balls = self.scene.spheres.len();
        let mut things: Vec<Thing> = Vec::with_capacity(balls);
        for (number, solid) in self.scene.solids.iter().enumerate() {
            let Placed { position, orientation } = self.places[balls + number];
            if !position.is_finite() {
                continue;
            }
            match self.solid_shape(balls + number) {
                Some(Shape::Cuboid { half_extents }) => {
                    // What cannot turn needs no mark.
                    let is_fixed = self.scene.world.body(solid.body).kind() == BodyKind::Fixed;
                    let mark = (!is_fixed).then(|| facets::mark_of_box(half_extents, position, orientation));
                    let sides_of_box = facets::of_box(half_extents, position, orientation);
                    // The mark comes after the side it is painted on: of two in one plane the first is drawn first.
                    let painted = sides_of_box.into_iter().map(|facet| (facet, Paint::Plain));
                    for (facet, paint) in painted.chain(mark.map(|mark| (mark, Paint::Mark))) {
                        if self.faces_eye(&facet) {
                            let face = self.scene.triangles.len() + sides.len();
                            pieces.push(Piece { corners: facet.corners, face });
                            sides.push(Side { normal: facet.normal, surface: solid.surface, paint });
                        }
                    }
                }
                Some(Shape::Capsule { half_length, radius }) => {
                    for (middle, facets) in facets::of_capsule(half_length, radius, position, orientation) {
                        let nearness = (middle - self.eye.at).length_squared() - radius * radius;
                        things.push(Thing { index: balls + slices.len(), middle, nearness });
                        slices.push((solid.surface, facets));
                    }
                }
                _ => {}
            }
        }
        let others = balls + slices.len();
        for (index, place) in self.places[..balls].iter().enumerate() {
            let radius = self.radius(index);
            if place.position.is_finite() && radius > 0.0 {
                let nearness = (place.position - self.eye.at).length_squared() - radius * radius;
                things.push(Thing { index, middle: place.position, nearness });
            }
        }
        let mut segments: Vec<Segment> = Vec::new();
        for &spring in &self.scene.springs {
            self.spring(spring, &mut segments);
        }
        for (i, segment) in segments.iter().enumerate() {
            let middle = 0.5 * (segment.a + segment.b);
            things.push(Thing { index: others + i, middle, nearness: (middle - self.eye.at).length_squared() });
        }
        let wire = if self.background.brightness() > 0.5 { Rgba::new(84, 88, 98) } else { Rgba::new(196, 200, 208) };
        let stroke = Stroke::solid(wire, 1.6 * max(self.view.line_scale, 0.7));
        back_to_front(pieces, things, self.eye.at, &mut |next| match next {
            Next::Piece(piece) => match piece.face.checked_sub(self.scene.triangles.len()) {
                None => self.piece(list, piece),
                Some(side) => self.facet(list, &piece.corners, &sides[side]),
            },
            Next::Thing(index) if index < balls => self.ball(list, index),
            Next::Thing(index) if index < others => {
                let (surface, facets) = &slices[index - balls];
                // Of something convex, what faces the eye hides nothing else of it.
                for facet in facets.iter().filter(|facet| self.faces_eye(facet)) {
                    let side = Side { normal: facet.normal, surface: *surface, paint: Paint::Plain };
                    self.facet(list, &facet.corners, &side);
                }
            }
            Next::Thing(index) => {
                let Segment { a, b } = segments[index - others];
                if let Some([a, b]) = self.eye.line(a, b) {
                    list.line(a, b, stroke);
                }
            }
        });
    }

    fn faces_eye(&self, facet: &Facet) -> bool {
        (self.eye.at - facet.corners[0]).dot(facet.normal) > 0.0
    }

    /// A flat part of a box or capsule, which is lit by where it is and how it lies.
    fn facet(&self, list: &mut DrawList, corners: &[DVec3], side: &Side) {
        let &Side { normal, surface, paint } = side;
        let mut shape = self.eye.polygon(corners.iter().copied());
        if shape.len() < 3 {
            return;
        }
        let middle = corners.iter().fold(DVec3::ZERO, |sum, &corner| sum + corner) / corners.len() as f64;
        let (towards, light) = self.light.at(middle);
        let look = self.scene.surfaces.get(surface);
        let shade = Shade {
            base: base(look, surface),
            ambient: self.light.ambient,
            towards_light: [0.0, 0.0, 1.0],
            light,
            gloss: look.map_or([0.0; 3], |surface| channels(surface.specular).map(|part| 0.35 * part.clamp(0.0, 1.0))),
            sharpness: 4,
        };
        // In axes of which the third is towards the eye, and the first towards the light as far as it is not.
        let to_eye = unit(self.eye.at - middle);
        let aside = unit(towards - to_eye * towards.dot(to_eye));
        let local = |v: DVec3| [v.dot(aside) as f32, v.dot(to_eye.cross(aside)) as f32, v.dot(to_eye) as f32];
        let color = match paint {
            Paint::Plain => shade.base,
            Paint::Mark => mixed(shade.base, contrast(shade.base), 0.6),
        };
        let color = Shade { towards_light: local(towards), ..shade }.of(color, local(normal));
        // A little larger: between neighbours nothing shall shine through.
        inset(&mut shape, -0.3 * self.view.pixel());
        list.polygon(shape, Style::filled(color));
    }

    /// A piece of a triangle: from its front solid, from its back like glass.
    fn piece(&self, list: &mut DrawList, piece: &Piece) {
        let triangle = &self.scene.triangles[piece.face];
        let [a, b, c] = triangle.vertices.map(|vertex| vertex.position);
        let winding = unit((b - a).cross(c - a));
        let given = triangle.vertices.iter().fold(DVec3::ZERO, |sum, vertex| sum + vertex.normal);
        let normal = if given.dot(winding) < 0.0 { -winding } else { winding };
        let is_front = (self.eye.at - piece.corners[0]).dot(normal) > 0.0;
        let facing = if is_front { normal } else { -normal };

        let mut shape = self.eye.polygon(piece.corners.iter().copied());
        if shape.len() < 3 {
            return;
        }
        let (towards, light) = self.light.middle;
        let lit = max((facing.dot(towards) as f32 + 0.25) / 1.25, 0.0);
        let surface = triangle.vertices[0].surface;
        let base = base(self.scene.surfaces.get(surface), surface);
        let part = |i: usize| (255.0 * base[i] * (self.light.ambient[i] + light[i] * lit)).round() as u8;
        let color = Rgba::new(part(0), part(1), part(2));
        if !is_front {
            list.polygon(shape, Style::filled(color.mixed(Rgba::BLACK, 0.3).with_opacity(0.16)));
            return;
        }
        // A little larger: between neighbours nothing shall shine through.
        inset(&mut shape, -0.45 * self.view.pixel());
        list.polygon(shape, Style::filled(color));
        let middle = piece.corners.iter().fold(DVec3::ZERO, |sum, &corner| sum + corner) / piece.corners.len() as f64;
        let reach = piece.corners.iter().fold(0.0, |most, &corner| max64(most, (corner - middle).length()));
        for (i, place) in self.places.iter().enumerate() {
            // Far from the piece, no shadow falls on it: none is wider than this.
            let foot = place.position - normal * (place.position - middle).dot(normal);
            if (foot - middle).length() > reach + 2.7 * self.radius(i) {
                continue;
            }
            let cut = |shadow: &[DVec3]| common_part(shadow, &piece.corners, normal);
            self.shadow_of(list, i, place, piece.corners[0], normal, &cut);
        }
    }

    fn ball(&self, list: &mut DrawList, index: usize) {
        let Placed { position, orientation } = self.places[index];
        let radius = self.radius(index);
        let Some(seen) = Seen::of(&self.eye, position, radius) else { return };
        let visible = self.view.visible();
        let reach = Vec2::splat(seen.axes[0].length() + seen.axes[1].length());
        let (low, high) = (seen.center - reach, seen.center + reach);
        if high.x < visible.min.x || high.y < visible.min.y || low.x > visible.max.x || low.y > visible.max.y {
            return;
        }
        let surface = self.scene.spheres[index].surface;
        let look = self.scene.surfaces.get(surface);
        let (towards, light) = self.light.at(position);
        let shade = Shade {
            base: base(look, surface),
            ambient: self.light.ambient,
            towards_light: seen.local(towards),
            light,
            gloss: look.map_or([0.0; 3], |surface| channels(surface.specular).map(|part| 0.6 * part.clamp(0.0, 1.0))),
            sharpness: look.map_or(5, |surface| if surface.shininess > 60.0 { 6 } else { 5 }),
        };
        list.ball(Ball { center: seen.center, axes: seen.axes, shade });
        let pixels = seen.axes[1].length() / self.view.pixel();
        // On a smaller ball nothing could be told.
        if pixels > 3.0 {
            let bands = [orientation.rotate(DVec3::Y), orientation.rotate(DVec3::X)];
            let starts = [orientation.rotate(DVec3::X), orientation.rotate(DVec3::Y)];
            let contrast = contrast(shade.base);
            let colors = [contrast, mixed(shade.base, contrast, 0.5)];
            for i in [1, 0] {
                self.band(list, &seen, &shade, colors[i], bands[i], starts[i], pixels);
            }
        }
    }

    /// A band painted around a ball, which turns with it: what of it is on this side.
    fn band(
        &self,
        list: &mut DrawList,
        seen: &Seen,
        shade: &Shade,
        color: [f32; 3],
        axis: DVec3,
        start: DVec3,
        pixels: f32,
    ) {
        // Width of a band in radii.
        const WIDTH: f32 = 0.16;
        let pieces = match pixels {
            small if small < 9.0 => 12,
            small if small < 24.0 => 18,
            middling if middling < 60.0 => 30,
            _ => 48,
        };
        let side = axis.cross(start);
        let normal = |k: usize| {
            let (sin, cos) = sin_cos64(TAU * k as f64 / pieces as f64);
            start * cos + side * sin
        };
        let across = seen.local(axis);
        for k in 0..pieces {
            let (a, b) = (normal(k), normal(k + 1));
            if !(seen.shows(a) && seen.shows(b)) {
                continue;
            }
            let middle = unit(a + b);
            let along = seen.local(b - a);
            // Seen from the side, a band is as wide as its axis is long.
            let length = (along[0] * along[0] + along[1] * along[1]).sqrt();
            let lean = if length > 0.0 { (along[0] * across[1] - along[1] * across[0]).abs() / length } else { 1.0 };
            let width = max(WIDTH * pixels * lean, 0.8);
            let stroke = Stroke::solid(shade.of(color, seen.local(middle)), width);
            if let Some([a, b]) = self.eye.line(seen.point(a), seen.point(b)) {
                list.line(a, b, stroke);
            }
        }
    }

    /// A spring in short pieces: a zigzag, or a line if it hardly gives.
    fn spring(&self, id: SpringId, segments: &mut Vec<Segment>) {
        const STIFF: f64 = 2.0e4;
        const TEETH: usize = 12;
        let (Some(def), Some([mut a, mut b])) = (self.scene.world.spring(id), self.scene.world.spring_ends(id)) else {
            return;
        };
        let direction = unit(b - a);
        // What is inside a ball is not seen.
        for (end, body, way) in [(&mut a, def.bodies[0], direction), (&mut b, def.bodies[1], -direction)] {
            if let Some(body) = self.scene.world.get_body(body)
                && let Some(radius) = body.radius()
            {
                let out = *end - body.position();
                let (inside, ahead) = (radius * radius - out.length_squared(), out.dot(way));
                if inside > 0.0 {
                    *end += way * ((ahead * ahead + inside).sqrt() - ahead);
                }
            }
        }
        let length = (b - a).dot(direction);
        if !(length > 0.0 && length.is_finite()) {
            return;
        }
        if def.stiffness > STIFF {
            // Few pieces: where they meet, thin lines look dotted.
            let point = |k: usize| a + direction * (length * k as f64 / 3.0);
            segments.extend((0..3).map(|k| Segment { a: point(k), b: point(k + 1) }));
            return;
        }
        let side = unit(direction.cross(self.eye.at - 0.5 * (a + b))) * (0.035 * min64(def.rest_length, length));
        // Straight ends, teeth in between.
        let point = |k: usize| {
            let share = k as f64 / (2 * TEETH) as f64;
            let swing = match k {
                _ if !(4..=2 * TEETH - 4).contains(&k) => 0.0,
                _ if k.is_multiple_of(2) => 1.0,
                _ => -1.0,
            };
            a + direction * (length * share) + side * swing
        };
        segments.extend((0..2 * TEETH).map(|k| Segment { a: point(k), b: point(k + 1) }));
    }
}

/// What two convex shapes in a plane have in common.
fn common_part(shape: &[DVec3], window: &[DVec3], normal: DVec3) -> Option<Vec<DVec3>> {
    let count = window.len();
    let middle = window.iter().fold(DVec3::ZERO, |sum, &corner| sum + corner) / count as f64;
    let mut part = shape.to_vec();
    for i in 0..count {
        let (a, b) = (window[i], window[(i + 1) % count]);
        let mut inwards = normal.cross(b - a);
        if inwards.dot(middle - a) < 0.0 {
            inwards = -inwards;
        }
        let before = std::mem::take(&mut part);
        let depth = |p: DVec3| (p - a).dot(inwards);
        for (k, &p) in before.iter().enumerate() {
            let next = before[(k + 1) % before.len()];
            let (d, e) = (depth(p), depth(next));
            if d >= 0.0 {
                part.push(p);
            }
            if (d > 0.0 && e < 0.0) || (d < 0.0 && e > 0.0) {
                part.push(p + (next - p) * (d / (d - e)));
            }
        }
        if part.len() < 3 {
            return None;
        }
    }
    Some(part)
}

/// A colour that shows on another.
fn contrast(base: [f32; 3]) -> [f32; 3] {
    let brightness = 0.2126 * base[0] + 0.7152 * base[1] + 0.0722 * base[2];
    if brightness > 0.5 { mixed(base, [0.1, 0.11, 0.16], 0.72) } else { mixed(base, [1.0, 0.98, 0.94], 0.78) }
}

fn mixed(a: [f32; 3], b: [f32; 3], share: f32) -> [f32; 3] {
    std::array::from_fn(|i| a[i] + share * (b[i] - a[i]))
}

/// A ball as an eye sees it.
///
/// A ball of radius r at (x, y, z) in axes of the picture, z away from the eye, touches rays that make an ellipse at
/// distance 1: its middle is `(x, y) z / (z^2 - r^2)`, half its width across the direction of (x, y) is
/// `r / sqrt(z^2 - r^2)`, and along it `r sqrt(x^2 + y^2 + z^2 - r^2) / (z^2 - r^2)`.
#[derive(Clone, Copy, Debug)]
struct Seen {
    position: DVec3,
    radius: f64,
    center: Vec2,
    axes: [Vec2; 2],
    /// Axes of the ball in space: along the first axis of the ellipse, along the second, to the eye.
    frame: [DVec3; 3],
    /// What faces the eye less than this is hidden by the ball itself.
    horizon: f64,
}

impl Seen {
    /// Nothing if the ball reaches beside or behind the eye.
    fn of(eye: &Eye, position: DVec3, radius: f64) -> Option<Seen> {
        let local = eye.local(position);
        if !(local.is_finite() && radius.is_finite() && local.z > radius + eye.near) {
            return None;
        }
        let across_squared = local.x * local.x + local.y * local.y;
        let across = across_squared.sqrt();
        let (ux, uy) = if across > 1.0e-9 * local.z { (local.x / across, local.y / across) } else { (1.0, 0.0) };
        let depth = (local.z - radius) * (local.z + radius);
        let long = radius * max64(across_squared + depth, 0.0).sqrt() / depth * eye.scale;
        let short = radius / depth.sqrt() * eye.scale;
        let middle = eye.scale * local.z / depth;
        let center = vec2((local.x * middle) as f32, (local.y * middle) as f32);
        let axes = [vec2((ux * long) as f32, (uy * long) as f32), vec2((-uy * short) as f32, (ux * short) as f32)];
        if !(center.is_finite() && axes[0].is_finite() && axes[1].is_finite() && long < 1.0e3) {
            return None;
        }
        let distance = (eye.at - position).length();
        let to_eye = (eye.at - position) / distance;
        let along = eye.axes.right * ux + eye.axes.up * uy;
        let along = unit(along - to_eye * along.dot(to_eye));
        let frame = [along, to_eye.cross(along), to_eye];
        Some(Seen { position, radius, center, axes, frame, horizon: radius / distance })
    }

    /// A direction in axes of the ball.
    fn local(&self, direction: DVec3) -> [f32; 3] {
        self.frame.map(|axis| direction.dot(axis) as f32)
    }

    /// Is the surface in this direction well on this side?
    fn shows(&self, normal: DVec3) -> bool {
        // Short of the edge, beyond which a wide line would reach.
        normal.dot(self.frame[2]) > self.horizon + 0.12
    }

    /// The point of the surface in a direction.
    fn point(&self, normal: DVec3) -> DVec3 {
        self.position + normal * self.radius
    }
}

// ---- caption ------------------------------------------------------------------------------------

/// The name of the scene and the time.
fn caption(list: &mut DrawList, run: &SolidRun, view: &View, background: Rgba, poses: Poses<'_>) {
    let about = run.about();
    let unit = max(view.line_scale, 0.7);
    let ink = if background.brightness() > 0.5 { Theme::Light.caption() } else { Theme::Dark.ink() };
    let seconds = max64(about.seconds(run.step_index()) + poses.lag() * about.seconds(1), 0.0);
    let text = format!("{}   {seconds:.2} s", about.name);
    let corner = view.to_world(vec2(14.0 * unit, 14.0 * unit));
    list.text(corner, vec2(0.0, 1.0), &text, 15.0 * unit, ink, background.with_opacity(0.6));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Canvas;
    use crate::list::Item;
    use crate::view::Size;
    use carom_scenes::{Entry, Run, entries, open_bytes};
    use carom3d::math::dvec3;

    fn eye() -> Eye {
        let orbit = Orbit { target: DVec3::ZERO, distance: 10.0, yaw: 0.0, pitch: 0.0, roll: 0.0, field_of_view: 0.8 };
        Eye::new(&orbit)
    }

    #[test]
    fn the_edge_of_a_ball_is_where_rays_touch_it() {
        let eye = eye();
        for (position, radius) in
            [(dvec3(0.0, 0.0, 0.0), 1.0), (dvec3(5.0, -3.0, 2.0), 1.5), (dvec3(-4.0, 4.0, -30.0), 6.0)]
        {
            let seen = Seen::of(&eye, position, radius).unwrap();
            for k in 0..16 {
                let (sin, cos) = sin_cos64(TAU * f64::from(k) / 16.0);
                let at = seen.center + seen.axes[0] * cos as f32 + seen.axes[1] * sin as f32;
                let ray = unit(
                    eye.axes.right * (f64::from(at.x) / eye.scale) + eye.axes.up * (f64::from(at.y) / eye.scale)
                        - eye.axes.back,
                );
                let offset = position - eye.at;
                let apart = (offset - ray * offset.dot(ray)).length();
                assert!((apart / radius - 1.0).abs() < 1.0e-5, "{position}: {apart} for {radius}");
            }
        }
        assert!(Seen::of(&eye, dvec3(0.0, 0.0, 10.0), 1.0).is_none(), "around the eye");
        assert!(Seen::of(&eye, dvec3(0.0, 0.0, 30.0), 1.0).is_none(), "behind the eye");
        assert!(Seen::of(&eye, DVec3::NAN, 1.0).is_none());
    }

    #[test]
    fn what_is_behind_the_eye_is_cut_off() {
        let eye = eye();
        let [a, b] = eye.line(dvec3(0.0, -1.0, 0.0), dvec3(0.0, -1.0, 100.0)).unwrap();
        assert!(a.y < 0.0 && b.y < a.y && b.is_finite());
        assert!(eye.line(dvec3(0.0, 0.0, 11.0), dvec3(0.0, 0.0, 12.0)).is_none());
        let floor = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, z)| dvec3(50.0 * x, -1.0, 50.0 * z));
        let shape = eye.polygon(floor.into_iter());
        assert!(shape.len() == 4 && shape.iter().all(|corner| corner.y < 0.0), "below the horizon: {shape:?}");
    }

    const ONE_BALL: &str = r#"<scene>
        <camera><fov v=".785"/> <near_clip v=".01"/> <far_clip v="200"/>
            <position x="0" y="0" z="9"/> <orientation a="0" x="0" y="1" z="0"/></camera>
        <background_color r="0.1" g="0.1" b="0.2"/> <refractive_index v="1"/>
        <material name="red"><diffuse r="1" g="0" b="0"/></material>
        <sphere material="red"><position x="0" y="0" z="0"/> <radius v="1"/>
            <body><id i="1"/><mass v="1"/><angular_velocity x="0" y="2" z="0"/></body></sphere>
        <sphere material="red"><position x="0" y="0" z="-5"/> <radius v="1"/></sphere>
    </scene>"#;

    fn drawn(run: &Run, look: &Look) -> DrawList {
        let mut list = DrawList::default();
        let view = View::of_run(run, Size::HD);
        crate::run::draw_run(&mut list, run, &view, look, Poses::Now);
        list
    }

    #[test]
    fn far_balls_come_first_and_are_smaller() {
        let run = open_bytes("one.scene", ONE_BALL.as_bytes()).unwrap();
        let list = drawn(&run, &Look::default());
        assert_eq!(list.background(), Some(Rgba::new(26, 26, 51)), "the colour of the file");
        let sizes: Vec<f32> = list
            .items()
            .filter_map(|item| match item {
                Item::Ball(ball) => Some(ball.axes[1].length()),
                _ => None,
            })
            .collect();
        assert!(sizes.len() == 2 && sizes[0] < sizes[1], "{sizes:?}");
    }

    #[test]
    fn bands_turn_with_the_ball() {
        let mut run = open_bytes("one.scene", ONE_BALL.as_bytes()).unwrap();
        let bands = |run: &Run| -> Vec<Vec2> {
            let list = drawn(run, &Look::default());
            let ends = list.items().filter_map(|item| match item {
                Item::Line { a, .. } => Some(a),
                _ => None,
            });
            ends.collect()
        };
        let before = bands(&run);
        assert!(before.len() > 40, "two bands on each of two balls: {}", before.len());
        for _ in 0..200 {
            run.step();
        }
        assert_ne!(before, bands(&run));
    }

    #[test]
    fn every_scene_is_drawn_from_anywhere_without_nonsense() {
        let size = Size::new(64, 64).unwrap();
        let mut list = DrawList::default();
        for entry in entries().filter(|entry| matches!(entry, Entry::Solid(_))) {
            let run = entry.build().unwrap();
            let own = View::of_run(&run, size);
            let orbit = own.orbit.unwrap();
            for (yaw, pitch, distance) in [(0.0, 0.0, 1.0e-3), (2.0, 1.57, 0.3), (4.0, -1.5, 5.0), (f64::NAN, 0.0, 1.0)]
            {
                let orbit = Orbit { yaw: orbit.yaw + yaw, pitch, distance: orbit.distance * distance, ..orbit };
                let view = View { orbit: Some(orbit), ..own };
                crate::run::draw_run(&mut list, &run, &view, &Look::default(), Poses::Now);
                Canvas::new(size).draw(&list, &view);
            }
        }
    }
}
