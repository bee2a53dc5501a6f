//! Explosions: impulses away from a point, by how much of each shape faces it.

use crate::attach::ShapeId;
use crate::body::BodyKind;
use crate::error::{DefError, finite, non_negative};
use crate::math::{Aabb, Vec2, unit_and_length};
use crate::medium::Wrench;
use crate::query::QueryFilter;
use crate::shape::Geometry;
use crate::shape::boundary::Boundary;
use crate::shape::double::Double2;
use crate::world::{World, WorldState};
use std::collections::BTreeMap;

/// Describes an explosion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExplosionDef {
    /// The centre, in metres. Default: the world's origin.
    pub center: Vec2,
    /// How far the full impulse reaches, in metres, at least 0. Default 1.
    pub radius: f32,
    /// Over which distance beyond the radius it fades to nothing, in metres, at least 0. Default 1.
    pub falloff: f32,
    /// Impulse in N s per metre of the rim of a shape that looks towards the centre, by its width as seen from
    /// there; negative pulls. Default 1.
    pub impulse_per_length: f32,
    /// Which shapes it moves. Default: all but sensors.
    pub filter: QueryFilter<'static>,
}

impl Default for ExplosionDef {
    fn default() -> ExplosionDef {
        ExplosionDef {
            center: Vec2::ZERO,
            radius: 1.0,
            falloff: 1.0,
            impulse_per_length: 1.0,
            filter: QueryFilter::default(),
        }
    }
}

impl ExplosionDef {
    fn validate(&self) -> Result<(), DefError> {
        crate::body::position("ExplosionDef.center", self.center)?;
        non_negative("ExplosionDef.radius", self.radius)?;
        non_negative("ExplosionDef.falloff", self.falloff)?;
        finite("ExplosionDef.impulse_per_length", self.impulse_per_length)?;
        Ok(())
    }

    /// The fraction of the impulse at a distance.
    fn share(&self, distance: f64) -> f64 {
        let (radius, falloff) = (f64::from(self.radius), f64::from(self.falloff));
        if distance <= radius {
            1.0
        } else if distance < radius + falloff {
            1.0 - (distance - radius) / falloff
        } else {
            0.0
        }
    }
}

impl World {
    /// Pushes dynamic bodies away from a point, and wakes them. Returns how many were moved.
    ///
    /// Each face of a shape gets the impulse that it sees, at its place and straight away from the centre, so
    /// that bodies also turn. Nothing gives cover. A shape around the centre is pushed as a whole, the way its
    /// own centre lies. An impulse beyond the range of numbers leaves a body as it was.
    ///
    /// ```
    /// use carom2d::ExplosionDef;
    /// use carom2d::prelude::*;
    /// let mut world = World::new(WorldDef::default());
    /// let crate_ = world.add_body(BodyDef { position: vec2(2.0, 0.0), ..BodyDef::dynamic() })?;
    /// world.add_shape(crate_, ShapeDef::rectangle(1.0, 1.0))?;
    /// world.explode(&ExplosionDef { radius: 3.0, impulse_per_length: 5.0, ..ExplosionDef::default() })?;
    /// assert!(world.body(crate_).velocity().x > 4.0);
    /// # Ok::<(), DefError>(())
    /// ```
    pub fn explode(&mut self, def: &ExplosionDef) -> Result<usize, DefError> {
        def.validate()?;
        let around = Aabb::new(def.center, def.center).grown(def.radius + def.falloff);
        if !around.is_valid() {
            return Err(DefError::field("ExplosionDef.radius", def.radius, "a radius in the range of numbers"));
        }
        let mut wrenches: BTreeMap<u32, Wrench> = BTreeMap::new();
        for shape in self.shapes_in_aabb(around, def.filter)? {
            let body = self.state.shapes[shape.index()].body;
            if self.state.bodies[body].kind == BodyKind::Dynamic {
                self.state.add_wrench(def, shape, wrenches.entry(body).or_insert(Wrench::ZERO));
            }
        }
        let mut moved = 0;
        for (body, wrench) in wrenches {
            let id = self.state.bodies.id_at(body).expect("the body of a shape exists");
            let mut body = self.body_mut(id);
            if wrench.force != Double2::ZERO
                && body.apply_impulse(wrench.force.single()).is_ok()
                && body.apply_angular_impulse(wrench.torque as f32).is_ok()
            {
                moved += 1;
            }
        }
        Ok(moved)
    }
}

impl WorldState {
    fn add_wrench(&self, def: &ExplosionDef, shape: ShapeId, wrench: &mut Wrench) {
        let shape = &self.shapes[shape.index()];
        let sim = self.sim(shape.body);
        let strength = f64::from(def.impulse_per_length);
        let source = Double2::from(def.center) - Double2::from(sim.center);
        let inside = shape.geometry.contains(sim.pose().inv_point(def.center));
        let outward = Double2::from(unit_and_length(sim.pose().point(shape.geometry.centroid()) - def.center).0);
        shape.geometry.each_part(&mut |part: &Geometry| {
            let boundary = Boundary::of(part, sim.rotation, sim.local_center);
            if inside {
                boundary.each_face(outward, &mut |arm, normal| {
                    let width = normal.dot(outward);
                    if width > 0.0 {
                        wrench.add_at(outward * (strength * width), arm);
                    }
                });
                return;
            }
            let towards = Double2::from(sim.rotation.rotate(part.centroid() - sim.local_center)) - source;
            boundary.each_face(towards, &mut |arm, normal| {
                let ray = arm - source;
                let distance = ray.length();
                let seen = -normal.dot(ray);
                if seen > 0.0 {
                    let impulse = strength * def.share(distance) * seen / (distance * distance);
                    wrench.add_at(ray * impulse, arm);
                }
            });
        });
    }
}
