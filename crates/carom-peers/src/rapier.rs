//! Rapier, with its usual parameters; what it calls solver iterations are sub-steps.
//!
//! Three things have no exact counterpart. Rapier tells by 32 bits who meets whom and has no groups: every
//! combination of category, mask and group in the scene gets a bit of its own. It mixes friction by the product
//! and not by its root: shapes get the root of theirs. A pin has one drive: where a scene has a spring and dry
//! friction in one, as in `rain`, the spring stays.

use crate::peer::{Peer, Settings, Unsupported, geometry, rectangle};
use crate::work::{MeanOverlap, Work};
use carom2d::Motion;
use carom2d::prelude::*;
use carom2d::shape::{ChainEnds, Polygon};
use rapier2d::prelude as rapier;

const NAME: &str = "Rapier";

/// A world of Rapier.
pub struct Rapier {
    gravity: rapier::Vector,
    sleeping: bool,
    parameters: rapier::IntegrationParameters,
    pipeline: rapier::PhysicsPipeline,
    islands: rapier::IslandManager,
    broad_phase: rapier::DefaultBroadPhase,
    narrow_phase: rapier::NarrowPhase,
    bodies: rapier::RigidBodySet,
    colliders: rapier::ColliderSet,
    impulse_joints: rapier::ImpulseJointSet,
    multibody_joints: rapier::MultibodyJointSet,
    soft_bodies: rapier::SoftBodySet,
    ccd: rapier::CCDSolver,
    handles: Vec<rapier::RigidBodyHandle>,
    /// Every filter of the scene; its place is its bit.
    filters: Vec<Filter>,
}

impl Rapier {
    /// An empty world. `shapes` are all that will ever be added.
    pub fn new<'a>(settings: &Settings, shapes: impl IntoIterator<Item = &'a ShapeDef>) -> Result<Rapier, Unsupported> {
        let mut filters: Vec<Filter> = Vec::new();
        for shape in shapes {
            if !filters.contains(&shape.filter) {
                filters.push(shape.filter);
            }
        }
        if filters.len() > 32 {
            return Err(Unsupported::new(NAME, "more than 32 different filters"));
        }
        let mut pipeline = rapier::PhysicsPipeline::new();
        pipeline
            .configure_thread_pool(settings.threads)
            .map_err(|error| Unsupported::new(NAME, format!("threads that cannot be had: {error}")))?;
        Ok(Rapier {
            gravity: vector(settings.world.gravity),
            sleeping: settings.world.sleeping,
            parameters: rapier::IntegrationParameters {
                dt: settings.dt,
                num_solver_iterations: settings.world.substeps as usize,
                ..Default::default()
            },
            pipeline,
            islands: rapier::IslandManager::new(),
            broad_phase: rapier::DefaultBroadPhase::new(),
            narrow_phase: rapier::NarrowPhase::new(),
            bodies: rapier::RigidBodySet::new(),
            colliders: rapier::ColliderSet::new(),
            impulse_joints: rapier::ImpulseJointSet::new(),
            multibody_joints: rapier::MultibodyJointSet::new(),
            soft_bodies: rapier::SoftBodySet::new(),
            ccd: rapier::CCDSolver::new(),
            handles: Vec::new(),
            filters,
        })
    }

    fn groups(&self, filter: &Filter) -> rapier::InteractionGroups {
        let (mut member, mut meets) = (0, 0);
        for (bit, other) in self.filters.iter().enumerate() {
            member |= u32::from(other == filter) << bit;
            meets |= u32::from(other.allows(filter)) << bit;
        }
        rapier::InteractionGroups::new(member.into(), meets.into(), rapier::InteractionTestMode::And)
    }

    fn collider(&self, shape: &ShapeDef) -> Result<rapier::ColliderBuilder, Unsupported> {
        let outline = match geometry(shape) {
            Some(Geometry::Circle(circle)) => {
                rapier::ColliderBuilder::ball(circle.radius).translation(vector(circle.center))
            }
            Some(Geometry::Capsule(capsule)) => {
                rapier::ColliderBuilder::capsule_from_endpoints(vector(capsule.a), vector(capsule.b), capsule.radius)
            }
            Some(Geometry::Segment(segment)) => rapier::ColliderBuilder::segment(vector(segment.a), vector(segment.b)),
            Some(Geometry::Polygon(polygon)) => convex(polygon)?,
            Some(Geometry::Chain(chain)) if chain.ends() == ChainEnds::Loop => {
                let points: Vec<rapier::Vector> = chain.points().iter().copied().map(vector).collect();
                let count = points.len() as u32;
                let links = (0..count).map(|i| [i, (i + 1) % count]).collect();
                rapier::ColliderBuilder::oriented_polyline(points, Some(links))
            }
            _ => return Err(Unsupported::new(NAME, "an ellipse, an open chain or a concave polygon")),
        };
        let events =
            if shape.contact_events { rapier::ActiveEvents::COLLISION_EVENTS } else { rapier::ActiveEvents::empty() };
        Ok(outline
            .density(shape.density)
            .friction(shape.friction.sqrt())
            .friction_combine_rule(rapier::CoefficientCombineRule::Multiply)
            .restitution(shape.restitution)
            .restitution_combine_rule(rapier::CoefficientCombineRule::Max)
            .collision_groups(self.groups(&shape.filter))
            .active_events(events)
            .sensor(shape.sensor))
    }
}

impl Peer for Rapier {
    fn add_body(&mut self, body: &BodyDef, shapes: &[ShapeDef]) -> Result<(), Unsupported> {
        if body.mass.is_some() || body.inertia.is_some() || body.locked != LockedAxes::default() {
            return Err(Unsupported::new(NAME, "a body with a mass or locks of its own"));
        }
        let kind = match body.kind {
            BodyKind::Fixed => rapier::RigidBodyType::Fixed,
            BodyKind::Kinematic => rapier::RigidBodyType::KinematicVelocityBased,
            BodyKind::Dynamic => rapier::RigidBodyType::Dynamic,
        };
        let handle = self.bodies.insert(
            rapier::RigidBodyBuilder::new(kind)
                .translation(vector(body.position))
                .rotation(body.angle)
                .linvel(vector(body.velocity))
                .angvel(body.angular_velocity)
                .linear_damping(body.linear_damping)
                .angular_damping(body.angular_damping)
                .gravity_scale(body.gravity_scale)
                .can_sleep(self.sleeping && body.can_sleep)
                .sleeping(!body.awake)
                .ccd_enabled(body.bullet)
                .enabled(body.enabled),
        );
        self.handles.push(handle);
        for shape in shapes {
            let collider = self.collider(shape)?;
            self.colliders.insert_with_parent(collider, handle, &mut self.bodies);
        }
        Ok(())
    }

    fn add_joint(&mut self, body_a: usize, body_b: usize, joint: &JointDef) -> Result<(), Unsupported> {
        let (pin, locked) = match joint.kind {
            JointKind::Revolute(pin) => (pin, rapier::JointAxesMask::LOCKED_REVOLUTE_AXES),
            JointKind::Prismatic(Prismatic { spring: None, limits: None, motor: None, .. }) => {
                (Revolute::default(), rapier::JointAxesMask::LOCKED_PRISMATIC_AXES)
            }
            _ => return Err(Unsupported::new(NAME, format!("a joint of the kind {}", joint.kind.name()))),
        };
        let axis = rapier::JointAxis::AngX;
        let mut def = rapier::GenericJointBuilder::new(locked)
            .local_frame1(pose(joint.frame_a))
            .local_frame2(pose(joint.frame_b))
            .contacts_enabled(joint.collide_connected);
        if let Some(limits) = pin.limits {
            def = def.limits(axis, [limits.lower, limits.upper]);
        }
        if let Some(spring) = pin.spring {
            let omega = std::f32::consts::TAU * spring.hertz;
            def = def.motor_model(axis, rapier::MotorModel::AccelerationBased).motor_position(
                axis,
                pin.target_angle,
                omega * omega,
                2.0 * spring.damping_ratio * omega,
            );
        } else if let Some(motor) = pin.motor {
            // As firm as a motor gets: nothing of the difference in speed is left after a sub-step.
            def = def
                .motor_model(axis, rapier::MotorModel::AccelerationBased)
                .motor_velocity(axis, motor.speed, 1.0e6)
                .motor_max_force(axis, motor.max_force);
        }
        self.impulse_joints.insert(self.handles[body_a], self.handles[body_b], def, true);
        Ok(())
    }

    fn remove_body(&mut self, body: usize) {
        self.bodies.remove(
            self.handles[body],
            &mut self.islands,
            &mut self.colliders,
            &mut self.impulse_joints,
            &mut self.multibody_joints,
            &mut self.soft_bodies,
            true,
        );
    }

    fn set_velocity(&mut self, body: usize, velocity: Vec2, angular_velocity: f32) {
        if let Some(body) = self.bodies.get_mut(self.handles[body]) {
            body.set_linvel(vector(velocity), true);
            body.set_angvel(angular_velocity, true);
        }
    }

    fn set_gravity(&mut self, gravity: Vec2) {
        self.gravity = vector(gravity);
        for (_, body) in self.bodies.iter_mut() {
            body.wake_up(true);
        }
    }

    fn step(&mut self, dt: f32) {
        self.parameters.dt = dt;
        self.pipeline.step(
            self.gravity,
            &self.parameters,
            &mut self.islands,
            &mut self.broad_phase,
            &mut self.narrow_phase,
            &mut self.bodies,
            &mut self.colliders,
            &mut self.impulse_joints,
            &mut self.multibody_joints,
            &mut self.soft_bodies,
            &mut self.ccd,
            &(),
            &(),
        );
    }

    fn work(&self) -> Work {
        let mut work = Work {
            bodies: self.bodies.len(),
            shapes: self.colliders.len(),
            joints: self.impulse_joints.len(),
            contacts: self.narrow_phase.contact_pairs().count(),
            ..Work::default()
        };
        for (_, body) in self.bodies.iter() {
            work.awake += usize::from(!body.is_fixed() && !body.is_sleeping());
            if body.is_dynamic() {
                work.fastest_m_s = carom2d::math::max(work.fastest_m_s, body.linvel().length());
            }
        }
        let mut overlap = MeanOverlap::default();
        for pair in self.narrow_phase.contact_pairs() {
            work.touching += usize::from(pair.has_any_active_contact());
            for point in pair.manifolds().iter().flat_map(|manifold| &manifold.points) {
                work.deepest_m = carom2d::math::max(work.deepest_m, -point.dist);
                overlap.add(point.dist);
            }
        }
        work.mean_overlap_m = overlap.get();
        work
    }

    fn pose(&self, body: usize) -> Pose {
        let body = &self.bodies[self.handles[body]];
        let (p, q) = (body.translation(), body.rotation());
        Pose { p: vec2(p.x, p.y), q: Rot { c: q.cos(), s: q.sin() } }
    }

    fn motion(&self, body: usize) -> Motion {
        let body = &self.bodies[self.handles[body]];
        let (center, q, v) = (body.center_of_mass(), body.rotation(), body.linvel());
        Motion {
            center: vec2(center.x, center.y),
            rotation: Rot { c: q.cos(), s: q.sin() },
            velocity: vec2(v.x, v.y),
            angular_velocity: body.angvel(),
        }
    }

    fn mass(&self, body: usize) -> (f32, f32) {
        let body = &self.bodies[self.handles[body]];
        (body.mass(), body.mass_properties().local_mprops.principal_inertia())
    }

    fn is_sleeping(&self, body: usize) -> bool {
        self.bodies[self.handles[body]].is_sleeping()
    }

    fn penetration(&self) -> f32 {
        let pairs = self.narrow_phase.contact_pairs();
        let points = pairs.flat_map(|pair| pair.manifolds()).flat_map(|manifold| &manifold.points);
        points.fold(0.0, |deepest, point| carom2d::math::max(deepest, -point.dist))
    }
}

fn vector(v: Vec2) -> rapier::Vector {
    rapier::Vector::new(v.x, v.y)
}

fn pose(pose: Pose) -> rapier::Pose {
    rapier::Pose::new(vector(pose.p), pose.q.angle())
}

/// A rectangle along the axes of its body as such, which is what Rapier is fastest with; all others as polygons.
fn convex(polygon: &Polygon) -> Result<rapier::ColliderBuilder, Unsupported> {
    let (vertices, radius) = (polygon.vertices(), polygon.radius());
    if let Some((center, half)) = rectangle(vertices) {
        let builder = if radius > 0.0 {
            rapier::ColliderBuilder::round_cuboid(half.x, half.y, radius)
        } else {
            rapier::ColliderBuilder::cuboid(half.x, half.y)
        };
        return Ok(builder.translation(vector(center)));
    }
    let points = vertices.iter().copied().map(vector).collect();
    let builder = if radius > 0.0 {
        rapier::ColliderBuilder::round_convex_polyline(points, radius)
    } else {
        rapier::ColliderBuilder::convex_polyline(points)
    };
    builder.ok_or_else(|| Unsupported::new(NAME, "a polygon that is too small"))
}
