//! Calls of the 2D engine, in any order and with any numbers.

use crate::oracle::{finite, in_time};
use crate::source::Source;
use carom2d::prelude::*;
use carom2d::{
    Character, CharacterDef, Drive, ExplosionDef, FluidDef, FluidId, FluidRegion, Gear, LockedAxes, Mouse, Outline,
    PointGravity, Prismatic, Pulley, QueryFilter, Radial, Sequential, SoftBody, SoftBodyDef, Uniform, Vortex, Weld,
    Wheel, Wind,
};

/// No more bodies, shapes and joints than this are added, so that a step has a bound.
const MOST_BODIES: usize = 40;
const MOST_SHAPES: usize = 120;
const MOST_JOINTS: usize = 60;
/// No more steps than this are made.
const MOST_STEPS: usize = 80;

/// A world under test, and the handles that were given out, also those of what is gone.
struct Subject {
    world: World,
    bodies: Vec<BodyId>,
    shapes: Vec<ShapeId>,
    joints: Vec<JointId>,
    fluids: Vec<FluidId>,
    soft: Vec<SoftBody>,
    characters: Vec<Character>,
    snapshot: Vec<u8>,
    steps: usize,
}

/// Takes bytes as calls: a byte says which, the next ones what is given. Between them the world is valid, its numbers are
/// finite, and a step takes no longer than it may.
pub(crate) fn calls(bytes: &[u8]) -> usize {
    let mut source = Source::new(bytes);
    let mut subject = Subject {
        world: World::new(WorldDef::default()),
        bodies: Vec::new(),
        shapes: Vec::new(),
        joints: Vec::new(),
        fluids: Vec::new(),
        soft: Vec::new(),
        characters: Vec::new(),
        snapshot: Vec::new(),
        steps: 0,
    };
    let ground = subject.world.add_body(BodyDef::fixed()).expect("a fixed body");
    subject.world.add_shape(ground, ShapeDef::rectangle(40.0, 1.0)).expect("a floor");
    subject.bodies.push(ground);
    while !source.is_empty() && subject.steps < MOST_STEPS {
        subject.call(&mut source);
    }
    subject.step(1.0 / 60.0);
    subject.steps
}

fn vector(source: &mut Source<'_>, reach: f32) -> Vec2 {
    let x = source.single(-reach, reach);
    vec2(x, source.single(-reach, reach))
}

fn points(source: &mut Source<'_>) -> Vec<Vec2> {
    (0..source.below(14)).map(|_| vector(source, 2.0)).collect()
}

/// Corners of a polygon that mostly does not cross itself.
fn star(source: &mut Source<'_>) -> Vec<Vec2> {
    let count = 3 + source.below(9);
    let corner = |i: usize, radius: f32| {
        let (sin, cos) = carom_core::math::sin_cos(std::f32::consts::TAU * i as f32 / count as f32);
        radius * vec2(cos, sin)
    };
    (0..count).map(|i| corner(i, source.single(0.2, 2.0))).collect()
}

fn spring(source: &mut Source<'_>) -> Spring {
    Spring::new(source.single(0.0, 30.0), source.single(0.0, 2.0))
}

fn maybe<T>(source: &mut Source<'_>, make: impl FnOnce(&mut Source<'_>) -> T) -> Option<T> {
    if source.flag() { Some(make(source)) } else { None }
}

fn limits(source: &mut Source<'_>) -> Limits {
    let lower = source.single(-3.0, 1.0);
    Limits::new(lower, lower + source.single(0.0, 4.0))
}

fn motor(source: &mut Source<'_>) -> Motor {
    Motor::new(source.single(-10.0, 10.0), source.single(0.0, 100.0))
}

fn outline(source: &mut Source<'_>) -> Outline {
    match source.below(9) {
        0 | 1 => Outline::Rectangle(source.single(0.1, 3.0), source.single(0.1, 3.0)),
        2 => Outline::Circle(source.single(0.05, 1.5)),
        3 => Outline::Capsule(vector(source, 1.0), vector(source, 1.0), source.single(0.05, 1.0)),
        4 => Outline::Segment(vector(source, 3.0), vector(source, 3.0)),
        5 => Outline::Ellipse(source.single(0.1, 2.0), source.single(0.1, 2.0)),
        6 => Outline::Convex(points(source)),
        7 => {
            let ends = match source.below(3) {
                0 => carom2d::shape::ChainEnds::Open,
                1 => carom2d::shape::ChainEnds::Ghosts(vector(source, 3.0), vector(source, 3.0)),
                _ => carom2d::shape::ChainEnds::Loop,
            };
            Outline::Chain(if source.flag() { points(source) } else { star(source) }, ends)
        }
        _ => {
            let rim = if source.flag() { points(source) } else { star(source) };
            let hole: Vec<Vec2> = rim.iter().map(|&corner| 0.3 * corner).collect();
            Outline::Concave(rim, if source.flag() { vec![hole] } else { Vec::new() })
        }
    }
}

fn material(source: &mut Source<'_>) -> Material {
    Material {
        friction: source.single(0.0, 2.0),
        restitution: source.single(0.0, 1.0),
        rolling_resistance: source.single(0.0, 0.2),
        surface_speed: source.single(-3.0, 3.0),
    }
}

fn filter(source: &mut Source<'_>) -> Filter {
    let bits = |source: &mut Source<'_>| u64::from(source.byte() | 1);
    Filter { category: bits(source), mask: bits(source), group: i32::from(source.byte() % 3) - 1 }
}

fn shape(source: &mut Source<'_>) -> ShapeDef {
    let mut def = ShapeDef::new(outline(source));
    if source.flag() {
        let Material { friction, restitution, rolling_resistance, surface_speed } = material(source);
        def = ShapeDef { friction, restitution, rolling_resistance, surface_speed, ..def };
        def.rounding = source.single(0.0, 0.2);
        def.position = vector(source, 1.0);
        def.angle = source.single(-4.0, 4.0);
        def.density = source.single(0.0, 5.0);
        def.sensor = source.byte() > 220;
        def.one_way = if source.byte() > 220 { Some(vector(source, 1.0)) } else { None };
        def.aabb_events = source.flag();
        def.filter = if source.flag() { filter(source) } else { Filter::ALL };
    }
    def
}

fn body(source: &mut Source<'_>) -> BodyDef {
    let kind = [BodyKind::Dynamic, BodyKind::Dynamic, BodyKind::Dynamic, BodyKind::Kinematic, BodyKind::Fixed];
    let mut def = BodyDef { kind: kind[source.below(5)], position: vector(source, 8.0), ..BodyDef::dynamic() };
    def.position.y = def.position.y.abs();
    if source.flag() {
        def.angle = source.single(-4.0, 4.0);
        def.velocity = vector(source, 20.0);
        def.angular_velocity = source.single(-20.0, 20.0);
        def.linear_damping = source.single(0.0, 2.0);
        def.angular_damping = source.single(0.0, 2.0);
        def.gravity_scale = source.single(-1.0, 2.0);
        def.mass = maybe(source, |source| source.single(0.1, 100.0));
        def.inertia = maybe(source, |source| source.single(0.1, 100.0));
        def.sleep_speed = source.single(0.0, 0.2);
        let flags = source.byte();
        def.can_sleep = flags & 1 == 0;
        def.bullet = flags & 2 != 0;
        def.awake = flags & 12 != 12;
        def.enabled = flags & 48 != 48;
        def.locked = LockedAxes { x: flags & 64 != 0, y: flags & 128 != 0, rotation: flags & 192 == 64 };
    }
    def
}

fn region(source: &mut Source<'_>) -> FluidDef {
    let region = match source.below(3) {
        0 => FluidRegion::Below(source.single(-1.0, 4.0)),
        1 => {
            let low = vector(source, 5.0);
            FluidRegion::Box(Aabb::new(low, low + vec2(source.single(0.0, 9.0), source.single(0.0, 9.0))))
        }
        _ => FluidRegion::Polygon(star(source)),
    };
    FluidDef {
        region,
        density: source.single(0.0, 3.0),
        linear_drag: source.single(0.0, 4.0),
        quadratic_drag: source.single(0.0, 2.0),
        flow: vector(source, 3.0),
    }
}

fn world_def(source: &mut Source<'_>, before: &WorldDef) -> WorldDef {
    let mut def = *before;
    match source.below(12) {
        0 => def.gravity = vector(source, 20.0),
        1 => def.substeps = u32::from(source.byte() % 18),
        2 => def.friction_mix = [Mix::GeometricMean, Mix::Product, Mix::Mean, Mix::Min, Mix::Max][source.below(5)],
        3 => def.restitution_speed = source.single(0.0, 3.0),
        4 => def.contact_hertz = source.single(1.0, 100.0),
        5 => def.contact_damping = source.single(0.1, 20.0),
        6 => def.push_out_speed = source.single(0.0, 10.0),
        7 => def.max_speed = source.single(0.1, 400.0),
        8 => def.sleeping = source.flag(),
        9 => {
            let correction = [Correction::Bias, Correction::Split, Correction::FirstImpact][source.below(3)];
            def.solver = match source.below(3) {
                0 => Solver::SoftStep,
                1 => Solver::Direct,
                _ => Solver::Sequential(Sequential { correction, ..Sequential::default() }),
            };
        }
        10 => {
            let quadtree = QuadtreeDef {
                center: vector(source, 5.0),
                half_extents: vec2(source.single(1.0, 30.0), source.single(1.0, 30.0)),
                capacity: u32::from(source.byte() % 9),
                max_depth: u32::from(source.byte() % 9),
            };
            def.broad_phase = if source.flag() { BroadPhaseKind::Quadtree(quadtree) } else { BroadPhaseKind::Tree };
        }
        _ => {
            def.fixed_step_s = source.single(0.001, 0.05);
            def.max_catch_up = u32::from(source.byte() % 4);
            def.sleep_delay_s = source.single(0.0, 1.0);
        }
    }
    def
}

impl Subject {
    fn call(&mut self, source: &mut Source<'_>) {
        match source.below(32) {
            0..=3 => self.add_body(source),
            4 | 5 => self.add_shape(source),
            6 | 7 => self.add_joint(source),
            8 => self.remove(source),
            9..=12 => self.change_body(source),
            13 | 14 => self.change_shape(source),
            15 => self.change_joint(source),
            16 => self.change_fluid(source),
            17 => {
                let def = world_def(source, self.world.def());
                self.world.set_def(def).ok();
            }
            18 => self.ask(source),
            19 => self.blow(source),
            20 => self.walk(source),
            21 => self.soften(source),
            22 => self.go_back(source),
            23 => {
                let frame = source.single(0.0, 0.1);
                let made = in_time("a frame", || self.world.advance(frame));
                self.steps += made.map_or(1, |made| made.steps as usize);
                self.check();
            }
            24 => {
                let dt = source.single(0.0, 0.1);
                self.step(dt);
            }
            _ => self.step(1.0 / 60.0),
        }
    }

    fn step(&mut self, dt: f32) {
        for body in &mut self.soft {
            body.hold(&mut self.world, dt).ok();
        }
        in_time("a 2D step", || self.world.step(dt));
        self.steps += 1;
        self.check();
    }

    fn check(&self) {
        self.world.validate();
        let both = |v: Vec2| [f64::from(v.x), f64::from(v.y)];
        for id in self.world.bodies() {
            let body = self.world.body(id);
            finite("a position", both(body.position()));
            finite("a velocity", both(body.velocity()));
            finite("an angular velocity", [f64::from(body.angular_velocity())]);
            finite("an energy", [f64::from(body.kinetic_energy())]);
            finite("a rotation", [f64::from(body.rotation().c), f64::from(body.rotation().s)]);
        }
        for hit in &self.world.events().contact_hit {
            finite("a hit", [f64::from(hit.approach_speed), f64::from(hit.impulse)]);
            finite("a point of a hit", both(hit.point).into_iter().chain(both(hit.normal)));
        }
        for point in self.world.contacts().flat_map(|contact| contact.points()) {
            finite("an impulse", [f64::from(point.normal_impulse), f64::from(point.tangent_impulse)]);
            finite("a contact point", both(point.point));
        }
    }

    fn add_body(&mut self, source: &mut Source<'_>) {
        let def = body(source);
        if self.world.body_count() >= MOST_BODIES {
            return;
        }
        if let Ok(id) = self.world.add_body(def) {
            self.bodies.push(id);
            for _ in 0..1 + source.below(2) {
                if let Ok(shape) = self.world.add_shape(id, shape(source)) {
                    self.shapes.push(shape);
                }
            }
        }
    }

    fn add_shape(&mut self, source: &mut Source<'_>) {
        let def = shape(source);
        let Some(body) = source.pick(&self.bodies) else { return };
        if self.world.shape_count() >= MOST_SHAPES {
            return;
        }
        if source.flag() {
            self.shapes.extend(self.world.add_shapes(body, &[def.clone(), def]).unwrap_or_default());
        } else {
            self.shapes.extend(self.world.add_shape(body, def));
        }
    }

    fn joint_kind(&self, source: &mut Source<'_>) -> JointKind {
        match source.below(10) {
            0 => JointKind::Distance(Distance::rod(source.single(0.0, 4.0))),
            1 => JointKind::Distance(Distance {
                min: source.single(0.0, 2.0),
                max: source.single(2.0, 4.0),
                spring: maybe(source, |source| (spring(source), source.single(0.0, 4.0))),
                motor: maybe(source, motor),
            }),
            2 | 3 => JointKind::Revolute(Revolute {
                limits: maybe(source, limits),
                motor: maybe(source, motor),
                spring: maybe(source, spring),
                target_angle: source.single(-3.0, 3.0),
            }),
            4 => JointKind::Prismatic(Prismatic {
                limits: maybe(source, limits),
                motor: maybe(source, motor),
                spring: maybe(source, spring),
                target: source.single(-2.0, 2.0),
            }),
            5 => JointKind::Weld(Weld { linear: maybe(source, spring), angular: maybe(source, spring) }),
            6 => JointKind::Wheel(Wheel {
                spring: maybe(source, spring),
                target: source.single(-1.0, 1.0),
                limits: maybe(source, limits),
                motor: maybe(source, motor),
            }),
            7 => JointKind::Motor(Drive {
                linear: maybe(source, spring),
                max_force: source.single(0.0, 100.0),
                velocity: vector(source, 5.0),
                angular: maybe(source, spring),
                max_torque: source.single(0.0, 100.0),
                angular_velocity: source.single(-5.0, 5.0),
            }),
            8 => match (source.pick(&self.joints), source.pick(&self.joints)) {
                (Some(joint_a), Some(joint_b)) => {
                    JointKind::Gear(Gear { joint_a, joint_b, ratio: source.single(-3.0, 3.0) })
                }
                _ => JointKind::Mouse(Mouse {
                    target: vector(source, 5.0),
                    spring: spring(source),
                    max_force: source.single(0.0, 1000.0),
                }),
            },
            _ => JointKind::Pulley(Pulley {
                pulley_a: vector(source, 5.0),
                pulley_b: vector(source, 5.0),
                length: source.single(1.0, 10.0),
                ratio: source.single(0.1, 3.0),
            }),
        }
    }

    fn add_joint(&mut self, source: &mut Source<'_>) {
        let kind = self.joint_kind(source);
        let (Some(a), Some(b)) = (source.pick(&self.bodies), source.pick(&self.bodies)) else { return };
        if self.world.joint_count() >= MOST_JOINTS {
            return;
        }
        let mut def = JointDef::new(a, b, kind);
        def.collide_connected = source.flag();
        if source.flag() {
            def.hertz = source.single(0.0, 120.0);
            def.damping_ratio = source.single(0.0, 5.0);
            def.break_force = source.single(0.0, 1000.0);
            def.break_torque = source.single(0.0, 1000.0);
            def.frame_a = Pose::new(vector(source, 2.0), source.single(-3.0, 3.0));
            def.frame_b = Pose::new(vector(source, 2.0), source.single(-3.0, 3.0));
        } else if let Ok(placed) = def.at(&self.world, vector(source, 5.0)) {
            def = placed;
        }
        self.joints.extend(self.world.add_joint(def));
    }

    fn remove(&mut self, source: &mut Source<'_>) {
        match source.below(3) {
            0 => drop(source.pick(&self.bodies[1..]).map(|id| self.world.remove_body(id))),
            1 => drop(source.pick(&self.shapes).map(|id| self.world.remove_shape(id))),
            _ => drop(source.pick(&self.joints).map(|id| self.world.remove_joint(id))),
        }
    }

    fn change_body(&mut self, source: &mut Source<'_>) {
        let Some(id) = source.pick(&self.bodies) else { return };
        let Some(mut body) = self.world.get_body_mut(id) else { return };
        match source.below(26) {
            0 => body.set_kind([BodyKind::Fixed, BodyKind::Kinematic, BodyKind::Dynamic][source.below(3)]),
            1 => drop(body.set_position(vector(source, 10.0))),
            2 => drop(body.set_angle(source.single(-9.0, 9.0))),
            3 => drop(body.set_pose(Pose::new(vector(source, 10.0), source.single(-9.0, 9.0)))),
            4 => drop(body.set_velocity(vector(source, 50.0))),
            5 => drop(body.set_angular_velocity(source.single(-50.0, 50.0))),
            6 => {
                drop(body.move_to(Pose::new(vector(source, 10.0), source.single(-9.0, 9.0)), source.single(0.001, 0.1)))
            }
            7 => drop(body.apply_force(vector(source, 500.0))),
            8 => drop(body.apply_force_at(vector(source, 500.0), vector(source, 10.0))),
            9 => drop(body.apply_torque(source.single(-500.0, 500.0))),
            10 => drop(body.apply_impulse(vector(source, 50.0))),
            11 => drop(body.apply_impulse_at(vector(source, 50.0), vector(source, 10.0))),
            12 => drop(body.apply_angular_impulse(source.single(-50.0, 50.0))),
            13 => drop(body.set_mass(maybe(source, |source| source.single(0.01, 1000.0)))),
            14 => drop(body.set_inertia(maybe(source, |source| source.single(0.01, 1000.0)))),
            15 => drop(body.set_linear_damping(source.single(0.0, 5.0))),
            16 => drop(body.set_angular_damping(source.single(0.0, 5.0))),
            17 => drop(body.set_gravity_scale(source.single(-2.0, 2.0))),
            18 => {
                let flags = source.byte();
                body.set_locked(LockedAxes { x: flags & 1 != 0, y: flags & 2 != 0, rotation: flags & 4 != 0 });
            }
            19 => drop(body.set_sleep_speed(source.single(0.0, 1.0))),
            20 => body.set_can_sleep(source.flag()),
            21 => body.set_bullet(source.flag()),
            22 => body.wake(),
            23 => body.sleep(),
            24 => body.set_enabled(source.flag()),
            _ => {
                let mut motion = body.get().motion();
                motion.velocity = vector(source, 20.0);
                motion.center = vector(source, 10.0);
                body.set_motion(motion).ok();
            }
        }
    }

    fn change_shape(&mut self, source: &mut Source<'_>) {
        let Some(id) = source.pick(&self.shapes) else { return };
        let Some(mut edited) = self.world.get_shape_mut(id) else { return };
        match source.below(8) {
            0 => drop(edited.replace(shape(source))),
            1 => drop(edited.add_vertex(vector(source, 2.0))),
            2 => drop(edited.set_radius(source.single(0.0, 1.0))),
            3 => edited.set_filter(filter(source)),
            4 => edited.set_sensor(source.flag()),
            5 => drop(edited.set_one_way(maybe(source, |source| vector(source, 1.0)))),
            6 => drop(edited.set_material(material(source))),
            _ => drop(edited.set_density(source.single(0.0, 10.0))),
        }
    }

    fn change_joint(&mut self, source: &mut Source<'_>) {
        let kind = self.joint_kind(source);
        let Some(id) = source.pick(&self.joints) else { return };
        let Some(mut joint) = self.world.get_joint_mut(id) else { return };
        match source.below(9) {
            0 => drop(joint.set_kind(kind)),
            1 => drop(joint.set_motor_speed(source.single(-20.0, 20.0))),
            2 => drop(joint.set_motor_max_force(source.single(0.0, 500.0))),
            3 => drop(joint.set_target(vector(source, 10.0))),
            4 => drop(joint.set_stiffness(source.single(0.0, 120.0), source.single(0.0, 5.0))),
            5 => drop(joint.set_break(source.single(0.0, 500.0), source.single(0.0, 500.0))),
            6 => {
                let frame = Pose::new(vector(source, 2.0), source.single(-3.0, 3.0));
                joint.set_frames(frame, Pose::new(vector(source, 2.0), source.single(-3.0, 3.0))).ok();
            }
            7 => drop(joint.set_turns(i32::from(source.byte()) - 128)),
            _ => joint.set_collide_connected(source.flag()),
        }
    }

    fn change_fluid(&mut self, source: &mut Source<'_>) {
        let def = region(source);
        match source.below(3) {
            0 if self.fluids.len() < 8 => self.fluids.extend(self.world.add_fluid(def)),
            1 => drop(source.pick(&self.fluids).map(|id| self.world.set_fluid(id, def))),
            _ => drop(source.pick(&self.fluids).map(|id| self.world.remove_fluid(id))),
        }
    }

    /// Questions, whose answers are finite.
    fn ask(&self, source: &mut Source<'_>) {
        let all = QueryFilter::default();
        let (place, way) = (vector(source, 10.0), vector(source, 20.0));
        let both = |v: Vec2| [f64::from(v.x), f64::from(v.y)];
        for hit in self.world.ray_all(place, way, all).unwrap_or_default() {
            finite("a ray's hit", both(hit.point).into_iter().chain(both(hit.normal)).chain([f64::from(hit.fraction)]));
        }
        if let Ok(Some(near)) = self.world.closest_point(place, source.single(0.0, 10.0), all) {
            finite("a closest point", both(near.point).into_iter().chain([f64::from(near.distance)]));
        }
        self.world.shapes_at(place, all).ok();
        self.world.shapes_in_aabb(Aabb::new(place, place + way.abs()), all).ok();
        if let Ok(geometry) = shape(source).build() {
            let pose = Pose::new(place, source.single(-3.0, 3.0));
            self.world.shapes_overlapping(&geometry, pose, all).ok();
            if let Ok(Some(hit)) = self.world.cast_shape(&geometry, pose, way, all) {
                finite("a cast's hit", both(hit.point).into_iter().chain(both(hit.normal)));
            }
        }
        if let (Some(a), Some(b)) = (source.pick(&self.shapes), source.pick(&self.shapes))
            && let Ok(distance) = self.world.shape_distance(a, b)
        {
            finite("a distance", [f64::from(distance)]);
        }
    }

    /// Explosions and fields.
    fn blow(&mut self, source: &mut Source<'_>) {
        let center = vector(source, 8.0);
        let (radius, strength) = (source.single(0.1, 8.0), source.single(-20.0, 20.0));
        let dt = 1.0 / 60.0;
        match source.below(6) {
            0 => {
                let falloff = source.single(0.0, 4.0);
                let def = ExplosionDef { center, radius, falloff, impulse_per_length: strength, ..Default::default() };
                self.world.explode(&def).ok();
            }
            1 => drop(self.world.apply_field(&Uniform { acceleration: center }, dt)),
            2 => drop(self.world.apply_field(&PointGravity { center, strength, softening: radius }, dt)),
            3 => drop(self.world.apply_field(&Radial { center, radius, acceleration: strength }, dt)),
            4 => drop(self.world.apply_field(&Vortex { center, radius, acceleration: strength }, dt)),
            _ => drop(self.world.apply_field(&Wind { velocity: center, density: radius, drag: strength }, dt)),
        }
    }

    fn walk(&mut self, source: &mut Source<'_>) {
        if self.characters.len() < 3 && source.flag() {
            let def = CharacterDef {
                radius: source.single(0.1, 0.5),
                height: source.single(0.5, 2.0),
                max_slope: source.single(0.0, 1.5),
                max_step: source.single(0.0, 0.5),
                push_force: source.single(0.0, 100.0),
                ..CharacterDef::default()
            };
            self.characters.extend(Character::new(def, vector(source, 8.0)));
        }
        let (velocity, dt) = (vector(source, 10.0), source.single(0.001, 0.05));
        for character in &mut self.characters {
            in_time("a walk", || self.world.move_character(character, velocity, dt)).ok();
            let at = character.position();
            finite("a character's position", [f64::from(at.x), f64::from(at.y)]);
        }
    }

    fn soften(&mut self, source: &mut Source<'_>) {
        if self.soft.len() < 2 && self.world.body_count() + 14 < MOST_BODIES && source.flag() {
            let mut def = SoftBodyDef::disc(vector(source, 8.0), source.single(0.3, 2.0), 5 + source.below(10));
            def.skin = spring(source);
            def.form = spring(source);
            def.velocity = vector(source, 10.0);
            if let Ok(body) = self.world.add_soft_body(&def) {
                self.bodies.extend_from_slice(body.parts());
                self.soft.push(body);
            }
        } else if let Some(body) = self.soft.first_mut() {
            body.set_rest_area(source.single(0.1, 10.0)).ok();
        }
    }

    /// Snapshots, clones, and going back.
    fn go_back(&mut self, source: &mut Source<'_>) {
        match source.below(3) {
            0 => self.world.save(&mut self.snapshot),
            1 if !self.snapshot.is_empty() => {
                self.world.restore(&self.snapshot).expect("a world takes its own snapshot");
                let mut again = Vec::new();
                self.world.save(&mut again);
                assert!(again == self.snapshot, "a restored world saves other bytes");
            }
            _ => {
                // A copy from a snapshot goes the same way.
                let mut bytes = Vec::new();
                self.world.save(&mut bytes);
                let mut copy = World::new(WorldDef::default());
                copy.restore(&bytes).expect("a world takes its own snapshot");
                copy.step(1.0 / 60.0);
                self.step(1.0 / 60.0);
                if self.soft.is_empty() {
                    assert_eq!(copy.state_hash(), self.world.state_hash(), "a copy goes another way");
                }
            }
        }
    }
}
