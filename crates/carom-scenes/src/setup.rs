//! Helpers that fill a world.

use crate::color::Color;
use crate::companions::Companions;
use carom2d::prelude::*;
use carom2d::{SoftBody, SoftBodyDef};
use std::collections::BTreeMap;

/// A world under construction.
pub(crate) struct Setup<'a> {
    pub(crate) world: &'a mut World,
    pub(crate) colors: &'a mut BTreeMap<BodyId, Color>,
    pub(crate) companions: &'a mut Companions,
}

impl Setup<'_> {
    /// Adds a body with one shape, in the colour of its kind.
    pub(crate) fn add(&mut self, body: BodyDef, shape: ShapeDef) -> Result<BodyId, DefError> {
        let id = self.world.add_body(body)?;
        self.world.add_shape(id, shape)?;
        Ok(id)
    }

    /// Adds a body with one shape, in a colour of its own.
    pub(crate) fn add_colored(&mut self, body: BodyDef, shape: ShapeDef, color: Color) -> Result<BodyId, DefError> {
        let id = self.add(body, shape)?;
        self.colors.insert(id, color);
        Ok(id)
    }

    /// Adds a soft body in a colour of its own, and what keeps its area.
    pub(crate) fn soft_body(&mut self, def: &SoftBodyDef, color: Color) -> Result<SoftBody, DefError> {
        let soft = self.world.add_soft_body(def)?;
        self.colors.extend(soft.parts().iter().map(|&id| (id, color)));
        self.companions.soft_bodies.push(soft.clone());
        Ok(soft)
    }

    /// Adds a fixed rectangle about `center`.
    pub(crate) fn block(&mut self, center: Vec2, width: f32, height: f32) -> Result<BodyId, DefError> {
        self.add(fixed_at(center), ShapeDef::rectangle(width, height))
    }

    /// Adds four fixed walls around `inside`. All of them reach over the corners, so that there is no
    /// seam in which something could get stuck.
    pub(crate) fn room(&mut self, inside: Aabb, thickness: f32, surface: Material) -> Result<[BodyId; 4], DefError> {
        let (center, half) = (inside.center(), inside.half_extents());
        let out = half + Vec2::splat(0.5 * thickness);
        let full = 2.0 * (half + Vec2::splat(thickness));
        let mut wall = |offset: Vec2, width: f32, height: f32| {
            let shape = ShapeDef::rectangle(width, height);
            self.add(fixed_at(center + offset), with_surface(shape, surface))
        };
        Ok([
            wall(vec2(0.0, -out.y), full.x, thickness)?,
            wall(vec2(out.x, 0.0), thickness, full.y)?,
            wall(vec2(0.0, out.y), full.x, thickness)?,
            wall(vec2(-out.x, 0.0), thickness, full.y)?,
        ])
    }
}

impl Setup<'_> {
    /// Pins two bodies together at a point of the world.
    pub(crate) fn pin(&mut self, a: BodyId, b: BodyId, at: Vec2) -> Result<JointId, DefError> {
        self.pin_with(a, b, at, Revolute::default())
    }

    /// Pins two bodies together at a point of the world, with limits, a motor or a spring.
    pub(crate) fn pin_with(&mut self, a: BodyId, b: BodyId, at: Vec2, pin: Revolute) -> Result<JointId, DefError> {
        let def = JointDef::new(a, b, JointKind::Revolute(pin)).at(self.world, at)?;
        self.world.add_joint(def)
    }

    /// A body without shapes, for joints that hold on to the world itself.
    pub(crate) fn frame(&mut self) -> Result<BodyId, DefError> {
        self.world.add_body(BodyDef::fixed())
    }
}

/// A dynamic body at a position.
pub(crate) fn dynamic_at(position: Vec2) -> BodyDef {
    BodyDef { position, ..BodyDef::dynamic() }
}

/// A fixed body at a position.
pub(crate) fn fixed_at(position: Vec2) -> BodyDef {
    BodyDef { position, ..BodyDef::fixed() }
}

/// A kinematic body at a position.
pub(crate) fn kinematic_at(position: Vec2) -> BodyDef {
    BodyDef { position, ..BodyDef::kinematic() }
}

/// The same shape with another surface.
pub(crate) fn with_surface(shape: ShapeDef, surface: Material) -> ShapeDef {
    ShapeDef {
        friction: surface.friction,
        restitution: surface.restitution,
        rolling_resistance: surface.rolling_resistance,
        surface_speed: surface.surface_speed,
        ..shape
    }
}

/// No friction, no loss.
pub(crate) const FRICTIONLESS_ELASTIC: Material =
    Material { friction: 0.0, restitution: 1.0, rolling_resistance: 0.0, surface_speed: 0.0 };

/// A world without gravity in which nothing sleeps.
pub(crate) fn weightless() -> WorldDef {
    WorldDef { gravity: Vec2::ZERO, sleeping: false, ..WorldDef::default() }
}

/// Where bodies were put, to tell later how far they strayed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(Vec<(BodyId, Vec2)>);

impl Places {
    pub(crate) fn remember(&mut self, id: BodyId, position: Vec2) {
        self.0.push((id, position));
    }

    /// The largest change of x and of y since, either way; infinite if a body is gone.
    pub(crate) fn largest_shift(&self, world: &World) -> Vec2 {
        let shift = |&(id, start): &(BodyId, Vec2)| {
            world.get_body(id).map_or(Vec2::INFINITY, |body| (body.position() - start).abs())
        };
        self.0.iter().map(shift).fold(Vec2::ZERO, carom2d::math::max2)
    }
}
