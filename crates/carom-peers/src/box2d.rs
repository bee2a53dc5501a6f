//! Box2D version 3 through its C interface.
//!
//! Every `unsafe` block below calls Box2D with handles that it gave out itself, in the world that the same value
//! owns and alone uses, and with definitions that start from Box2D's own defaults: what its functions ask for.
#![allow(unsafe_code)]

use crate::peer::{Peer, Settings, Unsupported, geometry, rectangle};
use crate::work::{MeanOverlap, Work};
use boxdd_sys::ffi;
use carom2d::Motion;
use carom2d::prelude::*;
use carom2d::shape::{ChainEnds, MAX_POLYGON_VERTICES, Polygon};
use std::sync::{Mutex, PoisonError};

const NAME: &str = "Box2D";

/// Box2D keeps its worlds in one table: only one thread at a time may add a world or take one out.
static TABLE: Mutex<()> = Mutex::new(());

/// A world of Box2D, destroyed with it.
#[derive(Debug)]
pub struct Box2d {
    world: ffi::b2WorldId,
    substeps: i32,
    /// Those that were removed are none.
    bodies: Vec<Option<(ffi::b2BodyId, BodyKind)>>,
}

impl Box2d {
    /// An empty world.
    pub fn new(settings: &Settings) -> Box2d {
        let own = &settings.world;
        let table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: see the head of the file.
        let world = unsafe {
            let mut def = ffi::b2DefaultWorldDef();
            def.gravity = vector(own.gravity);
            def.enableSleep = own.sleeping;
            def.enableContinuous = own.continuous == Continuous::On;
            def.workerCount = settings.threads as i32;
            if let Some(speed) = settings.restitution_speed {
                def.restitutionThreshold = speed;
            }
            ffi::b2CreateWorld(&def)
        };
        drop(table);
        Box2d { world, substeps: own.substeps as i32, bodies: Vec::new() }
    }

    /// The handle of a body that has not been removed.
    fn id(&self, body: usize) -> ffi::b2BodyId {
        self.bodies[body].expect("a body that was not removed").0
    }

    fn add_shape(&self, body: ffi::b2BodyId, shape: &ShapeDef) -> Result<(), Unsupported> {
        let filter = ffi::b2Filter {
            categoryBits: shape.filter.category,
            maskBits: shape.filter.mask,
            groupIndex: shape.filter.group,
        };
        // SAFETY: see the head of the file.
        let mut def = unsafe { ffi::b2DefaultShapeDef() };
        def.material.friction = shape.friction;
        def.material.restitution = shape.restitution;
        def.material.rollingResistance = shape.rolling_resistance;
        def.material.tangentSpeed = shape.surface_speed;
        def.density = shape.density;
        def.filter = filter;
        def.isSensor = shape.sensor;
        def.enableContactEvents = false;
        def.enableHitEvents = shape.contact_events;
        match geometry(shape) {
            Some(Geometry::Circle(circle)) => {
                let circle = ffi::b2Circle { center: vector(circle.center), radius: circle.radius };
                // SAFETY: see the head of the file.
                unsafe { ffi::b2CreateCircleShape(body, &def, &circle) };
            }
            Some(Geometry::Capsule(capsule)) => {
                let (center1, center2) = (vector(capsule.a), vector(capsule.b));
                let capsule = ffi::b2Capsule { center1, center2, radius: capsule.radius };
                // SAFETY: see the head of the file.
                unsafe { ffi::b2CreateCapsuleShape(body, &def, &capsule) };
            }
            Some(Geometry::Segment(segment)) => {
                let segment = ffi::b2Segment { point1: vector(segment.a), point2: vector(segment.b) };
                // SAFETY: see the head of the file.
                unsafe { ffi::b2CreateSegmentShape(body, &def, &segment) };
            }
            Some(Geometry::Polygon(polygon)) => {
                let polygon = convex(polygon)?;
                // SAFETY: see the head of the file.
                unsafe { ffi::b2CreatePolygonShape(body, &def, &polygon) };
            }
            Some(Geometry::Chain(chain)) if chain.ends() == ChainEnds::Loop => {
                let points: Vec<ffi::b2Vec2> = chain.points().iter().copied().map(vector).collect();
                // SAFETY: see the head of the file; Box2D copies points and material before it returns.
                unsafe {
                    let mut chain = ffi::b2DefaultChainDef();
                    chain.points = points.as_ptr();
                    chain.count = points.len() as i32;
                    chain.materials = &def.material;
                    chain.materialCount = 1;
                    chain.filter = filter;
                    chain.isLoop = true;
                    ffi::b2CreateChain(body, &chain);
                }
            }
            _ => return Err(Unsupported::new(NAME, "an ellipse, an open chain or a concave polygon")),
        }
        Ok(())
    }
}

impl Drop for Box2d {
    fn drop(&mut self) {
        let _table = TABLE.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: see the head of the file; nobody has the handle afterwards.
        unsafe { ffi::b2DestroyWorld(self.world) };
    }
}

impl Peer for Box2d {
    fn add_body(&mut self, body: &BodyDef, shapes: &[ShapeDef]) -> Result<(), Unsupported> {
        if body.mass.is_some() || body.inertia.is_some() || body.locked != LockedAxes::default() {
            return Err(Unsupported::new(NAME, "a body with a mass or locks of its own"));
        }
        // SAFETY: see the head of the file.
        let id = unsafe {
            let mut def = ffi::b2DefaultBodyDef();
            def.type_ = match body.kind {
                BodyKind::Fixed => ffi::b2BodyType_b2_staticBody,
                BodyKind::Kinematic => ffi::b2BodyType_b2_kinematicBody,
                BodyKind::Dynamic => ffi::b2BodyType_b2_dynamicBody,
            };
            def.position = vector(body.position);
            def.rotation = rotation(Rot::from_angle(body.angle));
            def.linearVelocity = vector(body.velocity);
            def.angularVelocity = body.angular_velocity;
            def.linearDamping = body.linear_damping;
            def.angularDamping = body.angular_damping;
            def.gravityScale = body.gravity_scale;
            def.sleepThreshold = body.sleep_speed;
            def.enableSleep = body.can_sleep;
            def.isAwake = body.awake;
            def.isBullet = body.bullet;
            def.isEnabled = body.enabled;
            ffi::b2CreateBody(self.world, &def)
        };
        self.bodies.push(Some((id, body.kind)));
        shapes.iter().try_for_each(|shape| self.add_shape(id, shape))
    }

    fn add_joint(&mut self, body_a: usize, body_b: usize, joint: &JointDef) -> Result<(), Unsupported> {
        let (Some((a, _)), Some((b, _))) = (self.bodies[body_a], self.bodies[body_b]) else { return Ok(()) };
        let pin = match joint.kind {
            JointKind::Revolute(pin) => pin,
            JointKind::Prismatic(Prismatic { spring: None, limits: None, motor: None, .. }) => {
                // SAFETY: see the head of the file.
                unsafe {
                    let mut def = ffi::b2DefaultPrismaticJointDef();
                    connect(&mut def.base, a, b, joint);
                    ffi::b2CreatePrismaticJoint(self.world, &def);
                }
                return Ok(());
            }
            _ => return Err(Unsupported::new(NAME, format!("a joint of the kind {}", joint.kind.name()))),
        };
        // SAFETY: see the head of the file.
        unsafe {
            let mut def = ffi::b2DefaultRevoluteJointDef();
            connect(&mut def.base, a, b, joint);
            def.targetAngle = pin.target_angle;
            if let Some(spring) = pin.spring {
                def.enableSpring = true;
                def.hertz = spring.hertz;
                def.dampingRatio = spring.damping_ratio;
            }
            if let Some(limits) = pin.limits {
                def.enableLimit = true;
                def.lowerAngle = limits.lower;
                def.upperAngle = limits.upper;
            }
            if let Some(motor) = pin.motor {
                def.enableMotor = true;
                def.motorSpeed = motor.speed;
                def.maxMotorTorque = motor.max_force;
            }
            ffi::b2CreateRevoluteJoint(self.world, &def);
        }
        Ok(())
    }

    fn remove_body(&mut self, body: usize) {
        if let Some((id, _)) = self.bodies[body].take() {
            // SAFETY: see the head of the file; the handle has been forgotten.
            unsafe { ffi::b2DestroyBody(id) };
        }
    }

    fn set_velocity(&mut self, body: usize, velocity: Vec2, angular_velocity: f32) {
        if let Some((id, _)) = self.bodies[body] {
            // SAFETY: see the head of the file.
            unsafe {
                ffi::b2Body_SetAwake(id, true);
                ffi::b2Body_SetLinearVelocity(id, vector(velocity));
                ffi::b2Body_SetAngularVelocity(id, angular_velocity);
            }
        }
    }

    fn set_gravity(&mut self, gravity: Vec2) {
        // SAFETY: see the head of the file.
        unsafe { ffi::b2World_SetGravity(self.world, vector(gravity)) };
        for &(id, _) in self.bodies.iter().flatten() {
            // SAFETY: see the head of the file.
            unsafe { ffi::b2Body_SetAwake(id, true) };
        }
    }

    fn step(&mut self, dt: f32) {
        // SAFETY: see the head of the file.
        unsafe { ffi::b2World_Step(self.world, dt, self.substeps) };
    }

    fn work(&self) -> Work {
        // SAFETY: see the head of the file.
        let (counters, awake) =
            unsafe { (ffi::b2World_GetCounters(self.world), ffi::b2World_GetAwakeBodyCount(self.world)) };
        let mut work = Work {
            bodies: counters.bodyCount as usize,
            shapes: counters.shapeCount as usize,
            joints: counters.jointCount as usize,
            contacts: counters.contactCount as usize,
            awake: awake as usize,
            ..Work::default()
        };
        let mut overlap = MeanOverlap::default();
        let mut contacts: Vec<ffi::b2ContactData> = Vec::new();
        for &(id, kind) in self.bodies.iter().flatten() {
            if kind == BodyKind::Dynamic {
                // SAFETY: see the head of the file.
                let velocity = unsafe { ffi::b2Body_GetLinearVelocity(id) };
                work.fastest_m_s = carom2d::math::max(work.fastest_m_s, vec2(velocity.x, velocity.y).length());
            }
            // SAFETY: see the head of the file. Box2D writes at most as many as there is room for and says how
            // many; the records are plain numbers.
            unsafe {
                let capacity = ffi::b2Body_GetContactCapacity(id).max(0);
                contacts.reserve(capacity as usize);
                let count = ffi::b2Body_GetContactData(id, contacts.as_mut_ptr(), capacity);
                contacts.set_len(count.clamp(0, capacity) as usize);
            }
            for contact in contacts.drain(..) {
                // Both bodies list a contact; it is counted with the first. SAFETY: see the head of the file.
                let owner = unsafe { ffi::b2Shape_GetBody(contact.shapeIdA) };
                if (owner.index1, owner.generation) != (id.index1, id.generation) {
                    continue;
                }
                work.touching += 1;
                let points = &contact.manifold.points[..contact.manifold.pointCount.clamp(0, 2) as usize];
                for point in points {
                    work.deepest_m = carom2d::math::max(work.deepest_m, -point.separation);
                    overlap.add(point.separation);
                }
            }
        }
        work.mean_overlap_m = overlap.get();
        work
    }

    fn pose(&self, body: usize) -> Pose {
        // SAFETY: see the head of the file.
        let (p, q) = unsafe { (ffi::b2Body_GetPosition(self.id(body)), ffi::b2Body_GetRotation(self.id(body))) };
        Pose { p: vec2(p.x, p.y), q: Rot { c: q.c, s: q.s } }
    }

    fn motion(&self, body: usize) -> Motion {
        let id = self.id(body);
        // SAFETY: see the head of the file.
        let (center, q) = unsafe { (ffi::b2Body_GetWorldCenter(id), ffi::b2Body_GetRotation(id)) };
        // SAFETY: see the head of the file.
        let (v, spin) = unsafe { (ffi::b2Body_GetLinearVelocity(id), ffi::b2Body_GetAngularVelocity(id)) };
        Motion {
            center: vec2(center.x, center.y),
            rotation: Rot { c: q.c, s: q.s },
            velocity: vec2(v.x, v.y),
            angular_velocity: spin,
        }
    }

    fn mass(&self, body: usize) -> (f32, f32) {
        // SAFETY: see the head of the file.
        unsafe { (ffi::b2Body_GetMass(self.id(body)), ffi::b2Body_GetRotationalInertia(self.id(body))) }
    }

    fn is_sleeping(&self, body: usize) -> bool {
        // SAFETY: see the head of the file.
        unsafe { !ffi::b2Body_IsAwake(self.id(body)) }
    }

    fn penetration(&self) -> f32 {
        self.work().deepest_m
    }
}

/// What all kinds of joints have.
fn connect(base: &mut ffi::b2JointDef, a: ffi::b2BodyId, b: ffi::b2BodyId, joint: &JointDef) {
    base.bodyIdA = a;
    base.bodyIdB = b;
    base.localFrameA = pose(joint.frame_a);
    base.localFrameB = pose(joint.frame_b);
    base.collideConnected = joint.collide_connected;
    base.constraintHertz = joint.hertz;
    base.constraintDampingRatio = joint.damping_ratio;
}

fn vector(v: Vec2) -> ffi::b2Vec2 {
    ffi::b2Vec2 { x: v.x, y: v.y }
}

fn rotation(q: Rot) -> ffi::b2Rot {
    ffi::b2Rot { c: q.c, s: q.s }
}

fn pose(pose: Pose) -> ffi::b2Transform {
    ffi::b2Transform { p: vector(pose.p), q: rotation(pose.q) }
}

fn convex(polygon: &Polygon) -> Result<ffi::b2Polygon, Unsupported> {
    if let Some((center, half)) = rectangle(polygon.vertices()) {
        let (center, upright) = (vector(center), rotation(Rot::IDENTITY));
        // SAFETY: see the head of the file.
        return Ok(unsafe { ffi::b2MakeOffsetRoundedBox(half.x, half.y, center, upright, polygon.radius()) });
    }
    let points: Vec<ffi::b2Vec2> = polygon.vertices().iter().copied().map(vector).collect();
    if points.len() > 8 {
        let most = MAX_POLYGON_VERTICES;
        return Err(Unsupported::new(NAME, format!("a polygon of more than 8 corners, of up to {most}")));
    }
    // SAFETY: see the head of the file; Box2D reads `count` points.
    unsafe {
        let hull = ffi::b2ComputeHull(points.as_ptr(), points.len() as i32);
        if hull.count == 0 {
            return Err(Unsupported::new(NAME, "a polygon that is too small"));
        }
        Ok(ffi::b2MakePolygon(&hull, polygon.radius()))
    }
}
