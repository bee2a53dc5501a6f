//! All that stands before the planes, from back to front: triangles, boxes, capsules, balls, springs.

use super::facets::{self, Facet};
use super::light::{base, contrast, gloss, mixed};
use super::order::{Next, Piece, Thing, back_to_front};
use super::shadow::Ground;
use super::{Picture, middle, unit};
use crate::color::Rgba;
use crate::geometry::inset;
use crate::list::{DrawList, Stroke, Style};
use crate::poses::Placed;
use carom_core::math::{max, max64};
use carom3d::math::DVec3;
use carom3d::{BodyKind, Shape, TriangleView};

/// What a flat piece is a piece of.
#[derive(Clone, Copy, Debug)]
enum Face {
    /// A triangle of the scene, by its index.
    Triangle(usize),
    Side(Side),
}

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

/// What is no flat piece.
#[derive(Clone, Debug)]
enum Solid {
    /// By its index among the spheres of the scene.
    Ball(usize),
    /// A slice of a capsule.
    Slice { surface: usize, facets: Vec<Facet> },
    /// Part of a spring.
    Wire { ends: [DVec3; 2] },
}

/// All that is to be sorted, with what it is.
#[derive(Debug, Default)]
struct Crowd {
    pieces: Vec<Piece>,
    /// By [`Piece::face`].
    faces: Vec<Face>,
    things: Vec<Thing>,
    /// By [`Thing::index`].
    solids: Vec<Solid>,
}

impl Crowd {
    fn add_piece(&mut self, corners: Vec<DVec3>, face: Face) {
        self.pieces.push(Piece { corners, face: self.faces.len() });
        self.faces.push(face);
    }

    fn add_thing(&mut self, middle: DVec3, nearness: f64, solid: Solid) {
        self.things.push(Thing { index: self.solids.len(), middle, nearness });
        self.solids.push(solid);
    }
}

impl Picture<'_> {
    pub(super) fn things(&self, list: &mut DrawList) {
        let mut crowd = Crowd::default();
        self.add_triangles(&mut crowd);
        self.add_boxes_and_capsules(&mut crowd);
        self.add_balls(&mut crowd);
        self.add_springs(&mut crowd);
        let wire = if self.background.brightness() > 0.5 { Rgba::new(84, 88, 98) } else { Rgba::new(196, 200, 208) };
        let stroke = Stroke::solid(wire, 1.6 * max(self.view.line_scale, 0.7));
        let Crowd { pieces, faces, things, solids } = crowd;
        back_to_front(pieces, things, self.eye.at, &mut |next| match next {
            Next::Piece(piece) => match &faces[piece.face] {
                Face::Triangle(index) => self.piece_of_triangle(list, &self.scene.triangles[*index], &piece.corners),
                Face::Side(side) => self.facet(list, &piece.corners, side),
            },
            Next::Thing(index) => match &solids[index] {
                Solid::Ball(ball) if self.is_globe(*ball) => self.globe(list, *ball),
                Solid::Ball(ball) => self.ball(list, *ball),
                Solid::Slice { surface, facets } => {
                    // Of something convex, what faces the eye hides nothing else of it.
                    for facet in facets.iter().filter(|facet| self.faces_eye(facet)) {
                        let side = Side { normal: facet.normal, surface: *surface, paint: Paint::Plain };
                        self.facet(list, &facet.corners, &side);
                    }
                }
                Solid::Wire { ends: [a, b] } => {
                    if let Some([a, b]) = self.eye.line(*a, *b) {
                        list.line(a, b, stroke);
                    }
                }
            },
        });
    }

    fn add_triangles(&self, crowd: &mut Crowd) {
        for (index, triangle) in self.scene.triangles.iter().enumerate() {
            let corners = triangle.vertices.map(|vertex| vertex.position + triangle.position);
            if corners.iter().all(|corner| corner.is_finite()) && !self.is_far(middle(&corners), radius_of(&corners)) {
                crowd.add_piece(corners.to_vec(), Face::Triangle(index));
            }
        }
    }

    fn add_boxes_and_capsules(&self, crowd: &mut Crowd) {
        let balls = self.scene.spheres.len();
        for (number, solid) in self.scene.solids.iter().enumerate() {
            let Placed { position, orientation } = self.places[balls + number];
            if !position.is_finite() {
                continue;
            }
            let surface = solid.surface;
            match self.solid_shape(balls + number) {
                Some(Shape::Cuboid { half_extents }) => {
                    // What cannot turn needs no mark.
                    let is_fixed = self.scene.world.body(solid.body).kind() == BodyKind::Fixed;
                    let mark = (!is_fixed).then(|| facets::mark_of_box(half_extents, position, orientation));
                    let sides = facets::of_box(half_extents, position, orientation);
                    // The mark comes after the side it is painted on: of two in one plane the first is drawn first.
                    let painted = sides.into_iter().map(|facet| (facet, Paint::Plain));
                    for (facet, paint) in painted.chain(mark.map(|mark| (mark, Paint::Mark))) {
                        if self.faces_eye(&facet) {
                            let side = Side { normal: facet.normal, surface, paint };
                            crowd.add_piece(facet.corners, Face::Side(side));
                        }
                    }
                }
                Some(Shape::Capsule { half_length, radius }) => {
                    for (middle, facets) in facets::of_capsule(half_length, radius, position, orientation) {
                        crowd.add_thing(middle, self.nearness(middle, radius), Solid::Slice { surface, facets });
                    }
                }
                _ => {}
            }
        }
    }

    fn add_balls(&self, crowd: &mut Crowd) {
        for index in 0..self.scene.spheres.len() {
            let (position, radius) = (self.places[index].position, self.radius(index));
            if position.is_finite() && radius > 0.0 && !self.is_far(position, radius) {
                crowd.add_thing(position, self.nearness(position, radius), Solid::Ball(index));
            }
        }
    }

    fn add_springs(&self, crowd: &mut Crowd) {
        for ends in self.scene.springs.iter().flat_map(|&spring| self.spring(spring)) {
            let middle = 0.5 * (ends[0] + ends[1]);
            crowd.add_thing(middle, self.nearness(middle, 0.0), Solid::Wire { ends });
        }
    }

    /// [`Thing::nearness`] of a ball.
    fn nearness(&self, middle: DVec3, radius: f64) -> f64 {
        (middle - self.eye.at).length_squared() - radius * radius
    }

    /// Whether all of something is farther away than what is drawn.
    fn is_far(&self, middle: DVec3, radius: f64) -> bool {
        (middle - self.eye.at).length() - radius > self.far
    }

    fn faces_eye(&self, facet: &Facet) -> bool {
        (self.eye.at - facet.corners[0]).dot(facet.normal) > 0.0
    }

    /// A flat part of a box or capsule, which is lit by where it is and how it lies.
    fn facet(&self, list: &mut DrawList, corners: &[DVec3], side: &Side) {
        let &Side { normal, surface, paint } = side;
        let mut shape = self.eye.polygon(corners);
        if shape.len() < 3 {
            return;
        }
        let look = self.scene.surfaces.get(surface);
        let base = base(look, surface);
        let color = match paint {
            Paint::Plain => base,
            Paint::Mark => mixed(base, contrast(base), 0.6),
        };
        let color = self.lit_at(middle(corners), normal, color, gloss(look, 0.35));
        // A little larger: between neighbours nothing shall shine through.
        inset(&mut shape, -0.3 * self.view.pixel());
        list.polygon(shape, Style::filled(color));
    }

    /// A piece of a triangle: from its front solid, from its back like glass.
    fn piece_of_triangle(&self, list: &mut DrawList, triangle: &TriangleView, corners: &[DVec3]) {
        let [a, b, c] = triangle.vertices.map(|vertex| vertex.position);
        let winding = unit((b - a).cross(c - a));
        let given = triangle.vertices.iter().fold(DVec3::ZERO, |sum, vertex| sum + vertex.normal);
        let normal = if given.dot(winding) < 0.0 { -winding } else { winding };
        let is_front = (self.eye.at - corners[0]).dot(normal) > 0.0;
        let facing = if is_front { normal } else { -normal };

        let mut shape = self.eye.polygon(corners);
        if shape.len() < 3 {
            return;
        }
        let surface = triangle.vertices[0].surface;
        let base = base(self.scene.surfaces.get(surface), surface);
        let lit = self.evenly_lit(facing);
        let part = |i: usize| (255.0 * base[i] * lit[i]).round() as u8;
        let color = Rgba::new(part(0), part(1), part(2));
        if !is_front {
            list.polygon(shape, Style::filled(color.mixed(Rgba::BLACK, 0.3).with_opacity(0.16)));
            return;
        }
        // A little larger: between neighbours nothing shall shine through.
        if self.is_painted(triangle) {
            let sign = if given.dot(normal) < 0.0 { -1.0 } else { 1.0 };
            self.painted_piece(list, triangle, corners, sign);
        } else {
            inset(&mut shape, -0.45 * self.view.pixel());
            list.polygon(shape, Style::filled(color));
        }
        let middle = middle(corners);
        let reach = radius_of(corners);
        for (i, place) in self.places.iter().enumerate() {
            // Far from the piece, no shadow falls on it: none is wider than this.
            let foot = place.position - normal * (place.position - middle).dot(normal);
            if (foot - middle).length() > reach + 2.7 * self.radius(i) {
                continue;
            }
            self.shadow(list, i, &Ground { point: corners[0], normal, rim: Some(corners) });
        }
    }
}

/// How far the corners of something are from their middle, at most.
fn radius_of(corners: &[DVec3]) -> f64 {
    let middle = middle(corners);
    corners.iter().fold(0.0, |most, &corner| max64(most, (corner - middle).length()))
}
