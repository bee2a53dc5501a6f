//! Serialization by serde (feature `serde`).
//!
//! Definitions, materials, events and what queries answer have the names of their fields. Handles are the bits of
//! [`BodyId::to_bits`](crate::BodyId::to_bits): what is read belongs to any world. A [`World`] is the bytes of
//! [`World::save`]; one that is read goes on bit for bit, with one thread and the default broad phase. Infinite strengths are
//! written as the word `"inf"` where a format is meant to be read by people, since JSON has no such number. What is read is
//! checked as far as a type promises something; definitions are checked where they are used, as always.

use crate::shape::{Capsule, Chain, ChainEnds, Circle, Concave, Ellipse, Geometry, Polygon, Segment};
use crate::{BodyId, ContactId, DefError, FluidId, JointId, ShapeId, World, WorldDef};
use glam::Vec2;
use serde::de::{self, SeqAccess, Visitor};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::sync::Arc;

macro_rules! serialize_ids {
    ($($id:ident)*) => { $(
        impl Serialize for $id {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u64(self.to_bits())
            }
        }

        impl<'de> Deserialize<'de> for $id {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$id, D::Error> {
                u64::deserialize(deserializer).map($id::from_bits)
            }
        }
    )* };
}

serialize_ids!(BodyId ShapeId JointId FluidId ContactId);

/// A geometry as it is written: what it is made from, to the bit.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Geometry")]
enum Whole {
    Circle(Circle),
    Capsule(Capsule),
    Segment(Segment),
    Ellipse(Ellipse),
    Polygon { vertices: Vec<Vec2>, normals: Vec<Vec2>, centroid: Vec2, radius: f32 },
    Chain { points: Vec<Vec2>, ends: ChainEnds },
    Concave { outline: Vec<Vec2>, holes: Vec<Vec<Vec2>> },
}

impl Whole {
    /// None for a part, which belongs to a whole.
    fn of(geometry: &Geometry) -> Option<Whole> {
        Some(match geometry {
            Geometry::Circle(circle) => Whole::Circle(*circle),
            Geometry::Capsule(capsule) => Whole::Capsule(*capsule),
            Geometry::Segment(segment) => Whole::Segment(*segment),
            Geometry::Ellipse(ellipse) => Whole::Ellipse(*ellipse),
            Geometry::Polygon(polygon) => Whole::Polygon {
                vertices: polygon.vertices().to_vec(),
                normals: polygon.normals().to_vec(),
                centroid: polygon.centroid(),
                radius: polygon.radius(),
            },
            Geometry::Chain(chain) => Whole::Chain { points: chain.points().to_vec(), ends: chain.ends() },
            Geometry::Concave(concave) => {
                Whole::Concave { outline: concave.outline().to_vec(), holes: concave.holes().to_vec() }
            }
            Geometry::Part(_) => return None,
        })
    }

    fn build(self) -> Result<Geometry, DefError> {
        let geometry = match self {
            Whole::Circle(circle) => Geometry::Circle(circle),
            Whole::Capsule(capsule) => Geometry::Capsule(capsule),
            Whole::Segment(segment) => Geometry::Segment(segment),
            Whole::Ellipse(ellipse) => Geometry::Ellipse(ellipse),
            Whole::Polygon { vertices, normals, centroid, radius } => {
                Geometry::Polygon(Polygon::from_parts(&vertices, &normals, centroid, radius)?)
            }
            Whole::Chain { points, ends } => Geometry::Chain(Arc::new(Chain::new(&points, ends)?)),
            Whole::Concave { outline, holes } => Geometry::Concave(Arc::new(Concave::new(&outline, &holes)?)),
        };
        geometry.validate()?;
        Ok(geometry)
    }
}

impl Serialize for Geometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let part = || S::Error::custom("a part of a chain or concave polygon cannot be written without the whole");
        Whole::of(self).ok_or_else(part)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Geometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Geometry, D::Error> {
        Whole::deserialize(deserializer)?.build().map_err(de::Error::custom)
    }
}

impl Serialize for World {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::new();
        self.save(&mut bytes);
        serializer.serialize_bytes(&bytes)
    }
}

impl<'de> Deserialize<'de> for World {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<World, D::Error> {
        let bytes = deserializer.deserialize_byte_buf(Bytes)?;
        let mut world = World::new(WorldDef::default());
        world.restore(&bytes).map_err(de::Error::custom)?;
        Ok(world)
    }
}

/// Reads bytes, also where a format has them as a sequence of numbers.
struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Vec<u8>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a snapshot")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
        Ok(bytes.to_vec())
    }

    fn visit_byte_buf<E: de::Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
        Ok(bytes)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Vec<u8>, A::Error> {
        // A length that is claimed takes no memory before its bytes are there.
        let mut bytes = Vec::with_capacity(sequence.size_hint().unwrap_or(0).min(4096));
        while let Some(byte) = sequence.next_element()? {
            bytes.push(byte);
        }
        Ok(bytes)
    }
}

/// A number that may be infinite.
struct Unbounded(f32);

impl Serialize for Unbounded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() && self.0.is_infinite() {
            serializer.serialize_str(if self.0 > 0.0 { "inf" } else { "-inf" })
        } else {
            serializer.serialize_f32(self.0)
        }
    }
}

impl<'de> Deserialize<'de> for Unbounded {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Unbounded, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_any(NumberOrWord)
        } else {
            f32::deserialize(deserializer).map(Unbounded)
        }
    }
}

struct NumberOrWord;

impl Visitor<'_> for NumberOrWord {
    type Value = Unbounded;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or \"inf\"")
    }

    fn visit_f64<E>(self, value: f64) -> Result<Unbounded, E> {
        Ok(Unbounded(value as f32))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Unbounded, E> {
        Ok(Unbounded(value as f32))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Unbounded, E> {
        Ok(Unbounded(value as f32))
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Unbounded, E> {
        match word {
            "inf" => Ok(Unbounded(f32::INFINITY)),
            "-inf" => Ok(Unbounded(f32::NEG_INFINITY)),
            _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
        }
    }
}

/// For fields that may be infinite.
pub(crate) mod unbounded {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Unbounded};

    pub(crate) fn serialize<S: Serializer>(value: &f32, serializer: S) -> Result<S::Ok, S::Error> {
        Unbounded(*value).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f32, D::Error> {
        Unbounded::deserialize(deserializer).map(|number| number.0)
    }
}

/// For fields that may be missing, or infinite.
pub(crate) mod unbounded_option {
    use super::{Deserialize, Deserializer, Serialize, Serializer, Unbounded};

    pub(crate) fn serialize<S: Serializer>(value: &Option<f32>, serializer: S) -> Result<S::Ok, S::Error> {
        value.map(Unbounded).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f32>, D::Error> {
        Ok(Option::<Unbounded>::deserialize(deserializer)?.map(|number| number.0))
    }
}
