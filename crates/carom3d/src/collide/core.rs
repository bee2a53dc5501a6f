//! Convex bodies as a few points in space that are rounded by a radius: a sphere is one point, a capsule two, a
//! triangle three and a box eight.

use crate::math::{DVec3, Quat};
use crate::shape::Shape;

/// A convex body where it is in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Core {
    pub(crate) kind: CoreKind,
    pub(crate) center: DVec3,
    /// Added to the points on all sides.
    pub(crate) radius: f64,
}

/// What the points span.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CoreKind {
    Point,
    Segment { ends: [DVec3; 2] },
    Triangle { corners: [DVec3; 3], normal: DVec3 },
    Box { axes: [DVec3; 3], half: DVec3 },
}

/// Some corners of a core.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corners {
    pub(crate) points: [DVec3; 8],
    pub(crate) count: usize,
}

impl Corners {
    fn new(points: &[DVec3]) -> Corners {
        let mut corners = Corners { points: [DVec3::ZERO; 8], count: points.len() };
        corners.points[..points.len()].copy_from_slice(points);
        corners
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.points[..self.count].iter().copied()
    }
}

impl Core {
    /// The core of a shape at a pose; none for a plane, which has no centre.
    pub(crate) fn of(shape: &Shape, position: DVec3, orientation: Quat) -> Option<Core> {
        let (kind, radius) = match *shape {
            Shape::Sphere { radius } => (CoreKind::Point, radius),
            Shape::Capsule { half_length, radius } => {
                let along = orientation.rotate(DVec3::Y) * half_length;
                (CoreKind::Segment { ends: [position - along, position + along] }, radius)
            }
            Shape::Cuboid { half_extents } => {
                let axes = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| orientation.rotate(axis));
                (CoreKind::Box { axes, half: half_extents }, 0.0)
            }
            Shape::Triangle { corners } => {
                let normal = super::touch::triangle_normal(&corners);
                let corners = corners.map(|corner| position + corner);
                let center = (corners[0] + corners[1] + corners[2]) / 3.0;
                return Some(Core { kind: CoreKind::Triangle { corners, normal }, center, radius: 0.0 });
            }
            Shape::Plane { .. } => return None,
        };
        Some(Core { kind, center: position, radius })
    }

    /// All its corners.
    pub(crate) fn corners(&self) -> Corners {
        match &self.kind {
            CoreKind::Point => Corners::new(&[self.center]),
            CoreKind::Segment { ends } => Corners::new(ends),
            CoreKind::Triangle { corners, .. } => Corners::new(corners),
            CoreKind::Box { axes, half } => {
                let [x, y, z] = [axes[0] * half.x, axes[1] * half.y, axes[2] * half.z];
                let sign = |bit: usize| if bit == 0 { -1.0 } else { 1.0 };
                let corner = |i: usize| self.center + x * sign(i & 1) + y * sign(i & 2) + z * sign(i & 4);
                Corners { points: std::array::from_fn(corner), count: 8 }
            }
        }
    }

    /// The flat sides by their normals, of two opposite ones one.
    pub(crate) fn face_axes(&self) -> Corners {
        match &self.kind {
            CoreKind::Point | CoreKind::Segment { .. } => Corners::new(&[]),
            CoreKind::Triangle { normal, .. } => Corners::new(&[*normal]),
            CoreKind::Box { axes, .. } => Corners::new(axes),
        }
    }

    /// The directions of its edges.
    pub(crate) fn edge_axes(&self) -> Corners {
        match &self.kind {
            CoreKind::Point => Corners::new(&[]),
            CoreKind::Segment { ends } => Corners::new(&[ends[1] - ends[0]]),
            CoreKind::Triangle { corners: [a, b, c], .. } => Corners::new(&[*b - *a, *c - *b, *a - *c]),
            CoreKind::Box { axes, .. } => Corners::new(axes),
        }
    }

    /// The part that lies farthest in a direction: a face in order around it, or a segment, or a point. With it comes
    /// its outward normal, which is none unless it is a face.
    pub(crate) fn side(&self, direction: DVec3) -> (Corners, Option<DVec3>) {
        match &self.kind {
            CoreKind::Point | CoreKind::Segment { .. } => (self.corners(), None),
            CoreKind::Triangle { normal, .. } => {
                let outward = if normal.dot(direction) >= 0.0 { *normal } else { -*normal };
                (self.corners(), Some(outward))
            }
            CoreKind::Box { axes, half } => {
                let along = axes.map(|axis| axis.dot(direction));
                let mut i = if along[1].abs() > along[0].abs() { 1 } else { 0 };
                if along[2].abs() > along[i].abs() {
                    i = 2;
                }
                let outward = if along[i] >= 0.0 { axes[i] } else { -axes[i] };
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                let middle = self.center + outward * half[i];
                let (u, v) = (axes[j] * half[j], axes[k] * half[k]);
                (Corners::new(&[middle - u - v, middle + u - v, middle + u + v, middle - u + v]), Some(outward))
            }
        }
    }

    /// The edge that lies farthest in a direction, of those in the direction of `along`.
    pub(crate) fn edge(&self, direction: DVec3, along: DVec3) -> [DVec3; 2] {
        match &self.kind {
            CoreKind::Point => [self.center; 2],
            CoreKind::Segment { ends } => *ends,
            CoreKind::Triangle { corners, .. } => {
                let reach = corners.map(|corner| corner.dot(direction));
                let lowest = (0..3).fold(0, |lowest, i| if reach[i] < reach[lowest] { i } else { lowest });
                [corners[(lowest + 1) % 3], corners[(lowest + 2) % 3]]
            }
            CoreKind::Box { axes, half } => {
                let mut middle = self.center;
                let mut ends = [DVec3::ZERO; 2];
                for i in 0..3 {
                    if axes[i] == along {
                        ends = [-axes[i] * half[i], axes[i] * half[i]];
                    } else {
                        middle += axes[i] * if axes[i].dot(direction) >= 0.0 { half[i] } else { -half[i] };
                    }
                }
                ends.map(|end| middle + end)
            }
        }
    }
}
