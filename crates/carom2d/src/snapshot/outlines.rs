//! Geometries. Most are those of the shape before, which takes a single word.
//!
//! Chains and concave polygons are written as the points they were made from. They are rebuilt only where neither the
//! world nor the last restore has them already, since cutting a polygon into pieces takes long.

use super::rows::{Reader, Writer};
use super::{SnapshotError, ensure};
use crate::math::{Rot, Vec2, vec2};
use crate::shape::{
    Capsule, Chain, ChainEnds, Circle, Concave, Ellipse, Geometry, MAX_POLYGON_VERTICES, Polygon, Segment,
};

/// Geometries that one may turn out to be.
pub(super) struct Outlines<'g> {
    pub(super) last: Option<&'g Geometry>,
    pub(super) here: [Option<&'g Geometry>; 2],
}

/// The same bits; zeros of both signs differ.
fn is_same(a: &Geometry, b: &Geometry) -> bool {
    match (a, b) {
        // Corners are never equal to those of another sign but equal bits otherwise in what is computed from them.
        (Geometry::Polygon(a), Geometry::Polygon(b)) => {
            let same =
                |a: &[Vec2], b: &[Vec2]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits_of(*a) == bits_of(*b));
            same(a.vertices(), b.vertices())
                && same(a.normals(), b.normals())
                && bits_of(a.centroid()) == bits_of(b.centroid())
                && a.radius().to_bits() == b.radius().to_bits()
        }
        (Geometry::Circle(a), Geometry::Circle(b)) => {
            bits_of(a.center) == bits_of(b.center) && a.radius.to_bits() == b.radius.to_bits()
        }
        _ => false,
    }
}

fn bits_of(v: Vec2) -> [u32; 2] {
    [v.x.to_bits(), v.y.to_bits()]
}

fn write_points(points: &[Vec2], expected: &mut [u32; 2], writer: &mut Writer<'_>) {
    points.iter().for_each(|point| writer.row(&bits_of(*point), expected));
}

fn read_points(count: usize, expected: &mut [u32; 2], reader: &mut Reader<'_>) -> Vec<Vec2> {
    (0..count).map(|_| read_point(expected, reader)).collect()
}

fn read_point(expected: &mut [u32; 2], reader: &mut Reader<'_>) -> Vec2 {
    let [x, y] = reader.row(expected);
    vec2(f32::from_bits(x), f32::from_bits(y))
}

/// A geometry that is no part, by itself.
pub(crate) fn geometry_to_bytes(geometry: &Geometry) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut writer = Writer::new(&mut bytes);
    write_outline(geometry, None, &mut writer);
    writer.finish();
    bytes
}

/// The geometry that [`geometry_to_bytes`] wrote, if the bytes are of one.
pub(crate) fn geometry_from_bytes(bytes: &[u8]) -> Option<Geometry> {
    let mut reader = Reader::new(bytes);
    let geometry = read_outline(Outlines { last: None, here: [None, None] }, &mut reader).ok()?;
    reader.finish().ok().map(|()| geometry)
}

/// Writes a geometry that is no part.
pub(super) fn write_outline(geometry: &Geometry, last: Option<&Geometry>, writer: &mut Writer<'_>) {
    if last.is_some_and(|last| is_same(geometry, last)) {
        return writer.word(0);
    }
    let near = &mut [0; 2];
    match geometry {
        Geometry::Circle(Circle { center, radius }) => {
            writer.word(1);
            write_points(&[*center], near, writer);
            writer.word(radius.to_bits());
        }
        Geometry::Capsule(Capsule { a, b, radius }) => {
            writer.word(2);
            write_points(&[*a, *b], near, writer);
            writer.word(radius.to_bits());
        }
        Geometry::Segment(Segment { a, b }) => {
            writer.word(3);
            write_points(&[*a, *b], near, writer);
        }
        Geometry::Polygon(polygon) => {
            writer.word(4);
            writer.count(polygon.vertices().len());
            write_points(polygon.vertices(), near, writer);
            write_points(polygon.normals(), &mut [0; 2], writer);
            write_points(&[polygon.centroid()], &mut [0; 2], writer);
            writer.word(polygon.radius().to_bits());
        }
        Geometry::Ellipse(Ellipse { center, half_axes, rotation }) => {
            writer.word(5);
            write_points(&[*center, *half_axes, vec2(rotation.c, rotation.s)], near, writer);
        }
        Geometry::Chain(chain) => {
            writer.word(6);
            let (tag, ghosts) = match chain.ends() {
                ChainEnds::Open => (0, None),
                ChainEnds::Loop => (1, None),
                ChainEnds::Ghosts(before, after) => (2, Some([before, after])),
            };
            writer.word(tag);
            writer.count(chain.points().len());
            write_points(chain.points(), near, writer);
            ghosts.into_iter().for_each(|ghosts| write_points(&ghosts, near, writer));
        }
        Geometry::Concave(concave) => {
            writer.word(7);
            writer.count(concave.holes().len() + 1);
            for ring in std::iter::once(concave.outline()).chain(concave.holes().iter().map(Vec::as_slice)) {
                writer.count(ring.len());
                write_points(ring, near, writer);
            }
        }
        Geometry::Part(_) => unreachable!("parts are not written"),
    }
}

/// Reads a geometry.
pub(super) fn read_outline(known: Outlines<'_>, reader: &mut Reader<'_>) -> Result<Geometry, SnapshotError> {
    let wrong = SnapshotError::Corrupt("the geometry of a shape");
    let near = &mut [0; 2];
    let geometry = match reader.word() {
        // What was checked before needs no check.
        0 => return known.last.cloned().ok_or(wrong),
        1 => {
            let center = read_point(near, reader);
            Geometry::Circle(Circle { center, radius: f32::from_bits(reader.word()) })
        }
        2 => {
            let (a, b) = (read_point(near, reader), read_point(near, reader));
            Geometry::Capsule(Capsule { a, b, radius: f32::from_bits(reader.word()) })
        }
        3 => Geometry::Segment(Segment { a: read_point(near, reader), b: read_point(near, reader) }),
        4 => {
            let count = reader.count(4)?;
            ensure(count <= MAX_POLYGON_VERTICES, "the corners of a polygon")?;
            let mut corners = [[Vec2::ZERO; MAX_POLYGON_VERTICES]; 2];
            for list in &mut corners {
                let near = &mut [0; 2];
                list[..count].iter_mut().for_each(|point| *point = read_point(near, reader));
            }
            let [vertices, normals] = corners.each_ref().map(|list| &list[..count]);
            let centroid = read_point(&mut [0; 2], reader);
            let radius = f32::from_bits(reader.word());
            let polygon = Polygon::from_parts(vertices, normals, centroid, radius);
            return polygon.map(Geometry::Polygon).map_err(|_| wrong);
        }
        5 => {
            let [center, half_axes, turn] = std::array::from_fn(|_| read_point(near, reader));
            Geometry::Ellipse(Ellipse { center, half_axes, rotation: Rot { c: turn.x, s: turn.y } })
        }
        6 => return read_chain(&known, reader),
        7 => return read_concave(&known, reader),
        _ => return Err(wrong),
    };
    geometry.validate().map_err(|_| wrong)?;
    Ok(geometry)
}

fn read_chain(known: &Outlines<'_>, reader: &mut Reader<'_>) -> Result<Geometry, SnapshotError> {
    let near = &mut [0; 2];
    let tag = reader.word();
    let count = reader.count(2)?;
    let points = read_points(count, near, reader);
    let ends = match tag {
        0 => ChainEnds::Open,
        1 => ChainEnds::Loop,
        2 => ChainEnds::Ghosts(read_point(near, reader), read_point(near, reader)),
        _ => return Err(SnapshotError::Corrupt("the ends of a chain")),
    };
    let is_it = |geometry: &&Geometry| match geometry {
        Geometry::Chain(chain) => chain.ends() == ends && same_bits(chain.points(), &points),
        _ => false,
    };
    if let Some(chain) = known.here.into_iter().flatten().find(is_it) {
        return Ok(chain.clone());
    }
    Chain::new(&points, ends).map(Geometry::from).map_err(|_| SnapshotError::Corrupt("the points of a chain"))
}

fn read_concave(known: &Outlines<'_>, reader: &mut Reader<'_>) -> Result<Geometry, SnapshotError> {
    let near = &mut [0; 2];
    let ring_count = reader.count(1)?;
    ensure(ring_count > 0, "the outline of a polygon")?;
    let mut rings = Vec::new();
    for _ in 0..ring_count {
        let count = reader.count(2)?;
        rings.push(read_points(count, near, reader));
    }
    let (outline, holes) = (&rings[0], &rings[1..]);
    let is_it = |geometry: &&Geometry| match geometry {
        Geometry::Concave(concave) => {
            same_bits(concave.outline(), outline)
                && concave.holes().len() == holes.len()
                && concave.holes().iter().zip(holes).all(|(a, b)| same_bits(a, b))
        }
        _ => false,
    };
    if let Some(concave) = known.here.into_iter().flatten().find(is_it) {
        return Ok(concave.clone());
    }
    Concave::new(outline, holes).map(Geometry::from).map_err(|_| SnapshotError::Corrupt("the points of a polygon"))
}

fn same_bits(a: &[Vec2], b: &[Vec2]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| bits_of(*a) == bits_of(*b))
}
