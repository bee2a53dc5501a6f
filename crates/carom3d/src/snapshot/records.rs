//! What a snapshot has of each thing. What follows from the rest is left out: mass properties, coefficients of contacts,
//! normals and corners of what is fixed, and paths, which every step plans anew.

use crate::advance::{Clock, Load as FrameLoad};
use crate::body::{Activity, Body, BodyId, BodyState, Mover, MoverId, NONE};
use crate::collide::touch::{Touch, triangle_normal};
use crate::contact::{Contact, Load};
use crate::events::{ContactEvent, Events, ImpactEvent};
use crate::inertia::Inertia;
use crate::integrate::Integrator;
use crate::manifold::{Manifold, ManifoldPoint};
use crate::material::{ImpactLaw, Material, Mix};
use crate::math::{Aabb, DVec3, Quat, dvec3};
use crate::path::Path;
use crate::shape::Shape;
use crate::spring::{Spring, SpringDef, SpringId};
use crate::world::WorldDef;
use carom_core::{SnapshotError, SnapshotReader, SnapshotWriter, ensure, record, record_choice, record_id};

carom_core::define_record!();

record_id!(BodyId, MoverId, SpringId);
record_choice!(Integrator { RungeKutta4, VelocityVerlet, SymplecticEuler, ExplicitEuler, ImplicitEuler });
record_choice!(Mix { GeometricMean, Product, Mean, Min, Max });
record!(Quat { w, x, y, z });
record!(Aabb { min, max });
record!(Material { friction, restitution, rolling_resistance });
record!(BodyState { position, orientation, velocity, angular_velocity });
record!(Touch { normal, gap, point, is_flat });
record!(Load { normal, friction, rolling });
record!(ManifoldPoint { arms, local, gap, normal_load, friction_load, met_speed });
record!(SpringDef { bodies, offsets, rest_length, stiffness, damping });
record!(Spring { def });
record!(ContactEvent { body_a, body_b });
record!(ImpactEvent { body_a, body_b, time_s, point, normal, approach_speed, impulse });
record!(Events { impacts, contact_begin, contact_end, body_slept, body_woke, body_frozen });
record!(FrameLoad { mover, force, torque });
record!(Clock { pending_s, alpha, before, owed, frame });
record!(WorldDef {
    gravity,
    integrator,
    impact_law,
    friction_mix,
    restitution_mix,
    contact_modulus,
    restitution_speed,
    rest_iterations,
    sleeping,
    sleep_speed,
    sleep_delay_s,
    threads,
    fixed_step_s,
    max_catch_up,
});

impl Record for DVec3 {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        self.to_array().iter().for_each(|part| part.write(writer));
    }

    fn read(reader: &mut SnapshotReader<'_>) -> Result<DVec3, SnapshotError> {
        Ok(dvec3(f64::read(reader)?, f64::read(reader)?, f64::read(reader)?))
    }
}

impl Record for [BodyId; 2] {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        self.iter().for_each(|id| id.write(writer));
    }

    fn read(reader: &mut SnapshotReader<'_>) -> Result<[BodyId; 2], SnapshotError> {
        Ok([BodyId::read(reader)?, BodyId::read(reader)?])
    }
}

/// A pose before the last step.
impl Record for (MoverId, DVec3, Quat) {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        self.0.write(writer);
        self.1.write(writer);
        self.2.write(writer);
    }

    fn read(reader: &mut SnapshotReader<'_>) -> Result<Self, SnapshotError> {
        Ok((MoverId::read(reader)?, DVec3::read(reader)?, Quat::read(reader)?))
    }
}

impl Record for ImpactLaw {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        let damping = match *self {
            ImpactLaw::Restitution => None,
            ImpactLaw::WholeVelocity { damping } => Some(damping),
        };
        damping.write(writer);
    }

    fn read(reader: &mut SnapshotReader<'_>) -> Result<ImpactLaw, SnapshotError> {
        let damping = Option::read(reader)?;
        Ok(damping.map_or(ImpactLaw::Restitution, |damping| ImpactLaw::WholeVelocity { damping }))
    }
}

impl Record for Shape {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        match *self {
            Shape::Sphere { radius } => {
                writer.word(0);
                radius.write(writer);
            }
            Shape::Cuboid { half_extents } => {
                writer.word(1);
                half_extents.write(writer);
            }
            Shape::Capsule { half_length, radius } => {
                writer.word(2);
                half_length.write(writer);
                radius.write(writer);
            }
            Shape::Plane { normal } => {
                writer.word(3);
                normal.write(writer);
            }
            Shape::Triangle { corners } => {
                writer.word(4);
                corners.write(writer);
            }
        }
    }

    fn read(reader: &mut SnapshotReader<'_>) -> Result<Shape, SnapshotError> {
        let shape = match reader.word()? {
            0 => Shape::Sphere { radius: f64::read(reader)? },
            1 => Shape::Cuboid { half_extents: DVec3::read(reader)? },
            2 => Shape::Capsule { half_length: f64::read(reader)?, radius: f64::read(reader)? },
            3 => Shape::Plane { normal: DVec3::read(reader)? },
            4 => Shape::Triangle { corners: <[DVec3; 3]>::read(reader)? },
            _ => return Err(SnapshotError::Corrupt("the kind of a shape")),
        };
        shape.checked().map_err(|_| SnapshotError::Corrupt("a shape"))?;
        if let Shape::Plane { normal } = shape {
            ensure((normal.length() - 1.0).abs() < 1.0e-9, "the normal of a plane")?;
        }
        Ok(shape)
    }
}

impl Record for Activity {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        match *self {
            Activity::Awake => writer.word(0),
            Activity::Frozen => writer.word(1),
            Activity::Asleep { group } => writer.word(2 + u64::from(group)),
        }
    }

    fn read(reader: &mut SnapshotReader<'_>) -> Result<Activity, SnapshotError> {
        match reader.word()? {
            0 => Ok(Activity::Awake),
            1 => Ok(Activity::Frozen),
            word => {
                let group = u32::try_from(word - 2).map_err(|_| SnapshotError::Corrupt("a sleeping group"))?;
                Ok(Activity::Asleep { group })
            }
        }
    }
}

impl Record for Body {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        let Body {
            shape,
            material,
            position,
            orientation,
            normal: _,
            corners: _,
            mover,
            fixed_proxy,
            springs,
            user_data,
        } = self;
        shape.write(writer);
        material.write(writer);
        position.write(writer);
        orientation.write(writer);
        (*mover).write(writer);
        (*fixed_proxy).write(writer);
        springs.write(writer);
        user_data.write(writer);
    }

    fn read(reader: &mut SnapshotReader<'_>) -> Result<Body, SnapshotError> {
        let shape = Shape::read(reader)?;
        let mut body = Body {
            shape,
            material: Record::read(reader)?,
            position: Record::read(reader)?,
            orientation: Record::read(reader)?,
            normal: DVec3::ZERO,
            corners: [DVec3::ZERO; 3],
            mover: Record::read(reader)?,
            fixed_proxy: Record::read(reader)?,
            springs: Record::read(reader)?,
            user_data: Record::read(reader)?,
        };
        match shape {
            Shape::Sphere { .. } | Shape::Cuboid { .. } | Shape::Capsule { .. } => {}
            Shape::Plane { normal } => body.normal = normal,
            Shape::Triangle { corners } => {
                body.corners = corners.map(|corner| body.position + corner);
                body.normal = triangle_normal(&corners);
            }
        }
        Ok(body)
    }
}

impl Record for Mover {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        let Mover {
            body,
            mass,
            linear_damping,
            angular_damping,
            gravity_scale,
            force,
            torque,
            contact_force,
            contact_torque,
            state,
            flows,
            is_pressed,
            is_broken,
            rest_speed,
            impacts,
            allowed_impacts,
            proxy,
            fat_aabb,
            contacts,
            activity,
            can_sleep,
            sleep_time_s,
            // Of the shape and the mass, or of the step that was made.
            radius: _,
            inv_mass: _,
            inv_inertia: _,
            inertia: _,
            end: _,
            jump: _,
            path: _,
            reach: _,
            clock_s: _,
            serial: _,
            is_path_stale: _,
            place: _,
            cluster: _,
        } = self;
        body.write(writer);
        mass.write(writer);
        [*linear_damping, *angular_damping, *gravity_scale].write(writer);
        [*force, *torque, *contact_force, *contact_torque].write(writer);
        state.write(writer);
        flows.write(writer);
        is_pressed.write(writer);
        is_broken.write(writer);
        [*rest_speed, *impacts, *allowed_impacts].write(writer);
        proxy.write(writer);
        fat_aabb.write(writer);
        contacts.write(writer);
        activity.write(writer);
        can_sleep.write(writer);
        sleep_time_s.write(writer);
    }

    /// Mass properties and radius are left to [`Mover::complete`].
    fn read(reader: &mut SnapshotReader<'_>) -> Result<Mover, SnapshotError> {
        let body = Record::read(reader)?;
        let mass = Record::read(reader)?;
        let [linear_damping, angular_damping, gravity_scale] = Record::read(reader)?;
        let [force, torque, contact_force, contact_torque] = Record::read(reader)?;
        let state = BodyState::read(reader)?;
        let (flows, is_pressed, is_broken) = (bool::read(reader)?, bool::read(reader)?, bool::read(reader)?);
        let [rest_speed, impacts, allowed_impacts] = Record::read(reader)?;
        Ok(Mover {
            body,
            mass,
            linear_damping,
            angular_damping,
            gravity_scale,
            force,
            torque,
            contact_force,
            contact_torque,
            state,
            flows,
            is_pressed,
            is_broken,
            rest_speed,
            impacts,
            allowed_impacts,
            proxy: Record::read(reader)?,
            fat_aabb: Record::read(reader)?,
            contacts: Record::read(reader)?,
            activity: Record::read(reader)?,
            can_sleep: Record::read(reader)?,
            sleep_time_s: Record::read(reader)?,
            radius: 0.0,
            inv_mass: 0.0,
            inv_inertia: 0.0,
            inertia: Inertia::Round { moment: f64::INFINITY, inverse: 0.0 },
            end: state,
            jump: DVec3::ZERO,
            path: Path::still(state.position),
            reach: 0.0,
            clock_s: 0.0,
            serial: 0,
            is_path_stale: false,
            place: NONE,
            cluster: NONE,
        })
    }
}

impl Mover {
    /// Finds what follows from mass and shape.
    pub(super) fn complete(&mut self, shape: &Shape) {
        self.radius = shape.reach();
        if self.mass.is_finite() {
            self.set_mass(shape, self.mass);
        } else {
            self.inertia = Inertia::of(shape, 1.0);
            self.set_immovable();
        }
        if self.activity == Activity::Frozen {
            self.set_immovable();
        }
    }
}

impl Record for Manifold {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        self.normal.write(writer);
        writer.list(self.points().iter(), |writer, point| point.write(writer));
    }

    fn read(reader: &mut SnapshotReader<'_>) -> Result<Manifold, SnapshotError> {
        let mut manifold = Manifold { normal: Record::read(reader)?, ..Manifold::default() };
        let points = Vec::<ManifoldPoint>::read(reader)?;
        let kept = manifold.points.get_mut(..points.len()).ok_or(SnapshotError::Corrupt("the points of a contact"))?;
        kept.copy_from_slice(&points);
        manifold.count = points.len();
        Ok(manifold)
    }
}

impl Record for Contact {
    fn write(&self, writer: &mut SnapshotWriter<'_>) {
        let Contact {
            body_a,
            body_b,
            mover_a: _,
            mover_b: _,
            // Of the materials.
            friction: _,
            restitution: _,
            rolling: _,
            is_resting,
            is_listed,
            rest_speed,
            is_crowded,
            met_speed,
            was_resting,
            touch,
            load,
            manifold,
            allowed_overlap,
        } = self;
        body_a.write(writer);
        body_b.write(writer);
        is_resting.write(writer);
        is_listed.write(writer);
        rest_speed.write(writer);
        is_crowded.write(writer);
        met_speed.write(writer);
        was_resting.write(writer);
        touch.write(writer);
        load.write(writer);
        manifold.write(writer);
        allowed_overlap.write(writer);
    }

    /// The movers and the coefficients are found when the bodies are there.
    fn read(reader: &mut SnapshotReader<'_>) -> Result<Contact, SnapshotError> {
        Ok(Contact {
            body_a: Record::read(reader)?,
            body_b: Record::read(reader)?,
            mover_a: NONE,
            mover_b: NONE,
            friction: 0.0,
            restitution: 0.0,
            rolling: 0.0,
            is_resting: Record::read(reader)?,
            is_listed: Record::read(reader)?,
            rest_speed: Record::read(reader)?,
            is_crowded: Record::read(reader)?,
            met_speed: Record::read(reader)?,
            was_resting: Record::read(reader)?,
            touch: Record::read(reader)?,
            load: Record::read(reader)?,
            manifold: Record::read(reader)?,
            allowed_overlap: Record::read(reader)?,
        })
    }
}
