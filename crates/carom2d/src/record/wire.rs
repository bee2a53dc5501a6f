//! Values as bytes: little-endian, one field after the other, lists and texts with their length before them.
//!
//! A value is read as it was written, to the bit; whether it is one that a call accepts is left to that call. Lengths are
//! believed only as far as there are bytes, so hostile ones cost no memory.

use crate::attach::{Outline, ShapeDef, ShapeId};
use crate::body::{BodyDef, BodyId, BodyKind, LockedAxes};
use crate::body_ref::Motion;
use crate::broad::{BroadPhaseKind, QuadtreeDef};
use crate::filter::Filter;
use crate::fluid::{FluidDef, FluidId, FluidRegion};
use crate::joint::{
    Distance, Drive, Gear, JointDef, JointId, JointKind, Limits, Motor, Mouse, Prismatic, Pulley, Revolute, Spring,
    Weld, Wheel,
};
use crate::material::{Material, Mix};
use crate::math::{Aabb, Pose, Rot, Vec2, vec2};
use crate::shape::{ChainEnds, Geometry};
use crate::snapshot::{geometry_from_bytes, geometry_to_bytes};
use crate::solver::{Correction, Sequential, Solver};
use crate::world::{Continuous, WorldDef};

/// What is left to read.
pub(super) struct Source<'b> {
    bytes: &'b [u8],
}

impl<'b> Source<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Source<'b> {
        Source { bytes }
    }

    pub(super) fn left(&self) -> usize {
        self.bytes.len()
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }
}

/// A value that can be written, and read again if the bytes are of one.
pub(super) trait Wire: Sized {
    fn put(&self, to: &mut Vec<u8>);
    fn get(from: &mut Source<'_>) -> Option<Self>;
}

macro_rules! wire_numbers {
    ($($type:ty)*) => { $(
        impl Wire for $type {
            #[inline]
            fn put(&self, to: &mut Vec<u8>) {
                to.extend_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn get(from: &mut Source<'_>) -> Option<Self> {
                from.take(size_of::<$type>())?.try_into().ok().map(<$type>::from_le_bytes)
            }
        }
    )* };
}

wire_numbers!(u8 u16 u32 u64 i32);

impl Wire for f32 {
    #[inline]
    fn put(&self, to: &mut Vec<u8>) {
        self.to_bits().put(to);
    }

    #[inline]
    fn get(from: &mut Source<'_>) -> Option<f32> {
        u32::get(from).map(f32::from_bits)
    }
}

impl Wire for bool {
    fn put(&self, to: &mut Vec<u8>) {
        to.push(u8::from(*self));
    }

    fn get(from: &mut Source<'_>) -> Option<bool> {
        match u8::get(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

impl Wire for Vec2 {
    fn put(&self, to: &mut Vec<u8>) {
        self.x.put(to);
        self.y.put(to);
    }

    fn get(from: &mut Source<'_>) -> Option<Vec2> {
        let x = f32::get(from)?;
        Some(vec2(x, f32::get(from)?))
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, to: &mut Vec<u8>) {
        self.is_some().put(to);
        if let Some(value) = self {
            value.put(to);
        }
    }

    fn get(from: &mut Source<'_>) -> Option<Option<T>> {
        match bool::get(from)? {
            true => T::get(from).map(Some),
            false => Some(None),
        }
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, to: &mut Vec<u8>) {
        (self.len() as u64).put(to);
        self.iter().for_each(|value| value.put(to));
    }

    fn get(from: &mut Source<'_>) -> Option<Vec<T>> {
        let count = u64::get(from)?;
        let mut values = Vec::new();
        // Every value has a byte at least; the list grows as they are read.
        if count > from.left() as u64 {
            return None;
        }
        for _ in 0..count {
            values.push(T::get(from)?);
        }
        Some(values)
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn put(&self, to: &mut Vec<u8>) {
        self.0.put(to);
        self.1.put(to);
    }

    fn get(from: &mut Source<'_>) -> Option<(A, B)> {
        let a = A::get(from)?;
        Some((a, B::get(from)?))
    }
}

/// A struct, field by field.
macro_rules! wire_struct {
    ($type:ident { $($field:ident),* $(,)? }) => {
        impl Wire for $type {
            fn put(&self, to: &mut Vec<u8>) {
                let $type { $($field),* } = self;
                $( $field.put(to); )*
            }

            fn get(from: &mut Source<'_>) -> Option<$type> {
                $( let $field = Wire::get(from)?; )*
                Some($type { $($field),* })
            }
        }
    };
}

/// An enum: a number for the variant, and its fields.
macro_rules! wire_enum {
    ($type:ident { $($code:literal $variant:ident $(( $($field:ident),* ))? ),* $(,)? }) => {
        impl Wire for $type {
            fn put(&self, to: &mut Vec<u8>) {
                match self {
                    $( $type::$variant $(( $($field),* ))? => {
                        to.push($code);
                        $( $( $field.put(to); )* )?
                    } )*
                }
            }

            fn get(from: &mut Source<'_>) -> Option<$type> {
                Some(match u8::get(from)? {
                    $( $code => {
                        $( $( let $field = Wire::get(from)?; )* )?
                        $type::$variant $(( $($field),* ))?
                    } )*
                    _ => return None,
                })
            }
        }
    };
}

/// A handle, as bits.
macro_rules! wire_ids {
    ($($type:ident)*) => { $(
        impl Wire for $type {
            fn put(&self, to: &mut Vec<u8>) {
                self.to_bits().put(to);
            }

            fn get(from: &mut Source<'_>) -> Option<$type> {
                u64::get(from).map($type::from_bits)
            }
        }
    )* };
}

wire_ids!(BodyId ShapeId JointId FluidId);

wire_struct!(Rot { c, s });
wire_struct!(Pose { p, q });
wire_struct!(Aabb { min, max });
wire_struct!(Motion { center, rotation, velocity, angular_velocity });
wire_struct!(LockedAxes { x, y, rotation });
wire_struct!(Filter { category, mask, group });
wire_struct!(Material { friction, restitution, rolling_resistance, surface_speed });
wire_struct!(Spring { hertz, damping_ratio });
wire_struct!(Limits { lower, upper });
wire_struct!(Motor { speed, max_force });
wire_struct!(Distance { min, max, spring, motor });
wire_struct!(Revolute { limits, motor, spring, target_angle });
wire_struct!(Prismatic { limits, motor, spring, target });
wire_struct!(Weld { linear, angular });
wire_struct!(Wheel { spring, target, limits, motor });
wire_struct!(Drive { linear, max_force, velocity, angular, max_torque, angular_velocity });
wire_struct!(Mouse { target, spring, max_force });
wire_struct!(Gear { joint_a, joint_b, ratio });
wire_struct!(Pulley { pulley_a, pulley_b, length, ratio });
wire_struct!(FluidDef { region, density, linear_drag, quadratic_drag, flow });
wire_struct!(QuadtreeDef { center, half_extents, capacity, max_depth });
wire_struct!(Sequential { iterations, slop, push, correction, edge_weight, edge_handicap });
wire_struct!(JointDef {
    body_a,
    body_b,
    kind,
    frame_a,
    frame_b,
    collide_connected,
    enabled,
    hertz,
    damping_ratio,
    break_force,
    break_torque,
    user_data,
});
wire_struct!(BodyDef {
    kind,
    position,
    angle,
    velocity,
    angular_velocity,
    mass,
    inertia,
    linear_damping,
    angular_damping,
    gravity_scale,
    locked,
    sleep_speed,
    can_sleep,
    bullet,
    awake,
    enabled,
    user_data,
});
wire_struct!(ShapeDef {
    outline,
    rounding,
    position,
    angle,
    density,
    friction,
    restitution,
    rolling_resistance,
    surface_speed,
    filter,
    sensor,
    one_way,
    contact_events,
    aabb_events,
    user_data,
});
wire_struct!(WorldDef {
    gravity,
    substeps,
    friction_mix,
    restitution_mix,
    restitution_speed,
    hit_speed,
    contact_hertz,
    contact_damping,
    push_out_speed,
    max_speed,
    continuous,
    sleeping,
    sleep_delay_s,
    solver,
    broad_phase,
    threads,
    fixed_step_s,
    max_catch_up,
});

wire_enum!(BodyKind { 0 Fixed, 1 Kinematic, 2 Dynamic });
wire_enum!(Mix { 0 GeometricMean, 1 Product, 2 Mean, 3 Min, 4 Max });
wire_enum!(Continuous { 0 Off, 1 On });
wire_enum!(Correction { 0 Bias, 1 Split, 2 FirstImpact });
wire_enum!(Solver { 0 SoftStep, 1 Direct, 2 Sequential(settings) });
wire_enum!(BroadPhaseKind { 0 Tree, 1 Quadtree(def) });
wire_enum!(FluidRegion { 0 Below(level), 1 Box(aabb), 2 Polygon(points) });
wire_enum!(ChainEnds { 0 Open, 1 Ghosts(before, after), 2 Loop });
wire_enum!(JointKind {
    0 Distance(joint),
    1 Revolute(joint),
    2 Prismatic(joint),
    3 Weld(joint),
    4 Wheel(joint),
    5 Motor(joint),
    6 Mouse(joint),
    7 Gear(joint),
    8 Pulley(joint),
    9 Filter,
});
wire_enum!(Outline {
    0 Rectangle(width, height),
    1 Circle(radius),
    2 Capsule(a, b, radius),
    3 Segment(a, b),
    4 Convex(points),
    5 Ellipse(half_width, half_height),
    6 Chain(points, ends),
    7 Concave(points, holes),
    8 Geometry(geometry),
});

/// As snapshots have it. Only geometries that can be attached are written: calls with others are refused anyway, and not
/// recorded.
impl Wire for Geometry {
    fn put(&self, to: &mut Vec<u8>) {
        geometry_to_bytes(self).put(to);
    }

    fn get(from: &mut Source<'_>) -> Option<Geometry> {
        let count = u64::get(from)?;
        geometry_from_bytes(from.take(usize::try_from(count).ok()?)?)
    }
}

impl Wire for Box<Geometry> {
    fn put(&self, to: &mut Vec<u8>) {
        (**self).put(to);
    }

    fn get(from: &mut Source<'_>) -> Option<Box<Geometry>> {
        Geometry::get(from).map(Box::new)
    }
}
