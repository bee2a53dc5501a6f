//! The chain: a line of segments that things slide along without noticing the joints.

use super::cast::RayHit;
use super::part::{Part, front_of};
use super::{MIN_EXTENT, Segment, valid_extent, valid_point};
use crate::error::DefError;
use crate::math::{Aabb, Pose, Vec2, max, max2, min2};
use std::sync::Arc;

/// What comes before the first and after the last point of a [`Chain`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ChainEnds {
    /// Nothing: the chain goes on straight at both ends, as far as collisions are concerned.
    #[default]
    Open,
    /// These points, in metres: the ends collide as if the chain went on there. So chains can
    /// be laid end to end without a joint that could be felt.
    Ghosts(Vec2, Vec2),
    /// The last point is joined to the first.
    Loop,
}

/// A line of segments, solid from the right of the direction it runs in and open from the
/// left. A loop that runs clockwise holds things inside; a floor runs from right to left.
///
/// Each link knows its neighbours, so whatever slides along the chain never hits the end of
/// the next link. It has no mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    points: Vec<Vec2>,
    ends: ChainEnds,
    parts: Vec<Arc<Part>>,
}

impl Chain {
    /// A chain through some points, at least two, or three for a loop. Neighbours must be 1e-5
    /// to 1e6 m apart.
    pub fn new(points: &[Vec2], ends: ChainEnds) -> Result<Chain, DefError> {
        let needed = if ends == ChainEnds::Loop { 3 } else { 2 };
        if points.len() < needed {
            let expected = "at least two points, or three for a loop";
            return Err(DefError::field("Chain.points", format_args!("{} points", points.len()), expected));
        }
        for &point in points {
            valid_point("Chain.points", point)?;
        }
        let aabb = Aabb::around(points);
        valid_extent("Chain.points", max(aabb.max.x - aabb.min.x, aabb.max.y - aabb.min.y))?;
        let mut stops = points.to_vec();
        if ends == ChainEnds::Loop {
            stops.push(points[0]);
        }
        for (i, pair) in stops.windows(2).enumerate() {
            apart("Chain.points", i, pair[0], pair[1])?;
        }
        if let ChainEnds::Ghosts(before, after) = ends {
            valid_point("Chain.ghosts", before)?;
            valid_point("Chain.ghosts", after)?;
            apart("Chain.ghosts", 0, before, points[0])?;
            apart("Chain.ghosts", points.len() - 1, points[points.len() - 1], after)?;
        }
        let links: Vec<Segment> = stops.windows(2).map(|pair| Segment { a: pair[0], b: pair[1] }).collect();
        let fronts: Vec<Vec2> = links.iter().map(front_of).collect();
        let last = links.len() - 1;
        let (first_before, last_after) = match ends {
            ChainEnds::Open => (fronts[0], fronts[last]),
            ChainEnds::Loop => (fronts[last], fronts[0]),
            ChainEnds::Ghosts(before, after) => {
                (front_of(&Segment { a: before, b: points[0] }), front_of(&Segment { a: points[last + 1], b: after }))
            }
        };
        let part = |(i, &link): (usize, &Segment)| {
            let before = if i == 0 { first_before } else { fronts[i - 1] };
            let after = if i == last { last_after } else { fronts[i + 1] };
            Arc::new(Part::link(link, before, after))
        };
        let parts = links.iter().enumerate().map(part).collect();
        Ok(Chain { points: points.to_vec(), ends, parts })
    }

    /// The points, in metres, in order.
    pub fn points(&self) -> &[Vec2] {
        &self.points
    }

    /// What comes before the first and after the last point.
    pub fn ends(&self) -> ChainEnds {
        self.ends
    }

    /// The links, in order; of a loop the last one leads back to the first point.
    pub fn parts(&self) -> &[Arc<Part>] {
        &self.parts
    }

    pub(super) fn transformed(&self, pose: Pose) -> Chain {
        let ends = match self.ends {
            ChainEnds::Ghosts(before, after) => ChainEnds::Ghosts(pose.point(before), pose.point(after)),
            other => other,
        };
        let points: Vec<Vec2> = self.points.iter().map(|&point| pose.point(point)).collect();
        // Far from the origin points may round to the same place. The parts of such a chain
        // are turned as they are, and `validate` refuses it.
        Chain::new(&points, ends).unwrap_or_else(|_| Chain {
            points,
            ends,
            parts: self.parts.iter().map(|part| Arc::new(part.transformed(pose))).collect(),
        })
    }

    pub(super) fn validate(&self) -> Result<(), DefError> {
        Chain::new(&self.points, self.ends).map(drop)
    }

    pub(super) fn aabb(&self, pose: Pose) -> Aabb {
        let first = pose.point(self.points[0]);
        self.points[1..].iter().fold(Aabb::new(first, first), |aabb, &point| {
            let point = pose.point(point);
            Aabb::new(min2(aabb.min, point), max2(aabb.max, point))
        })
    }

    pub(super) fn ray(&self, origin: Vec2, translation: Vec2, max_fraction: f32) -> Option<RayHit> {
        RayHit::first(self.parts.iter().map(|part| part.ray(origin, translation, max_fraction)))
    }
}

/// Checks that two neighbours are apart.
fn apart(field: &'static str, index: usize, a: Vec2, b: Vec2) -> Result<(), DefError> {
    if (b - a).length() < MIN_EXTENT {
        let value = format_args!("{a:?} and {b:?}, points {index} and {}", index + 1);
        return Err(DefError::field(field, value, "neighbours at least 1e-5 m apart"));
    }
    Ok(())
}
