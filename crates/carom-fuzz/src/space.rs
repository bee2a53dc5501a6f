//! Calls of the 3D engine, in any order and with any numbers.

use crate::oracle::{finite, in_time};
use crate::source::Source;
use carom3d::math::Aabb;
use carom3d::prelude::*;

/// No more bodies and springs than this are added, so that a step has a bound.
const MOST_BODIES: usize = 30;
const MOST_SPRINGS: usize = 30;
/// No more steps than this are made.
const MOST_STEPS: usize = 60;

struct Subject {
    world: World,
    bodies: Vec<BodyId>,
    springs: Vec<SpringId>,
    steps: usize,
}

/// Takes bytes as calls. Between them the world is valid, its numbers are finite, and a step takes no longer than it may.
pub(crate) fn calls(bytes: &[u8]) -> usize {
    let mut source = Source::new(bytes);
    let mut world = World::new(WorldDef::default());
    let floor = world.add_body(BodyDef::plane(DVec3::Y)).expect("a floor");
    let mut subject = Subject { world, bodies: vec![floor], springs: Vec::new(), steps: 0 };
    while !source.is_empty() && subject.steps < MOST_STEPS {
        subject.call(&mut source);
    }
    subject.step(1.0 / 60.0);
    subject.steps
}

fn vector(source: &mut Source<'_>, reach: f64) -> DVec3 {
    let (x, y) = (source.number(-reach, reach), source.number(-reach, reach));
    dvec3(x, y, source.number(-reach, reach))
}

fn quaternion(source: &mut Source<'_>) -> Quat {
    let v = vector(source, 1.0);
    Quat { w: source.number(-1.0, 1.0), x: v.x, y: v.y, z: v.z }
}

fn shape(source: &mut Source<'_>) -> Shape {
    match source.below(8) {
        0..=2 => Shape::Sphere { radius: source.number(0.1, 1.5) },
        3 | 4 => Shape::Cuboid {
            half_extents: dvec3(source.number(0.1, 2.0), source.number(0.1, 2.0), source.number(0.1, 2.0)),
        },
        5 => Shape::Capsule { half_length: source.number(0.1, 1.0), radius: source.number(0.1, 1.0) },
        6 => Shape::Plane { normal: vector(source, 1.0) },
        _ => Shape::Triangle { corners: [vector(source, 5.0), vector(source, 5.0), vector(source, 5.0)] },
    }
}

fn material(source: &mut Source<'_>) -> Material {
    Material {
        friction: source.number(0.0, 2.0),
        restitution: source.number(0.0, 1.0),
        rolling_resistance: source.number(0.0, 0.2),
    }
}

fn body(source: &mut Source<'_>) -> BodyDef {
    let shape = shape(source);
    let is_wall = matches!(shape, Shape::Plane { .. } | Shape::Triangle { .. });
    let kind = match source.below(8) {
        0 => BodyKind::Fixed,
        1 => BodyKind::Kinematic,
        _ if is_wall => BodyKind::Fixed,
        _ => BodyKind::Dynamic,
    };
    let mut def = BodyDef { shape, kind, position: vector(source, 5.0), ..BodyDef::sphere(1.0) };
    if !is_wall {
        def.position.y = def.position.y.abs();
    }
    if source.flag() {
        def.orientation = quaternion(source);
        def.velocity = vector(source, 20.0);
        def.angular_velocity = vector(source, 20.0);
        def.mass = source.number(0.1, 100.0);
        def.material = material(source);
        def.linear_damping = source.number(0.0, 2.0);
        def.angular_damping = source.number(0.0, 2.0);
        def.gravity_scale = source.number(-1.0, 2.0);
        def.can_sleep = source.flag();
    }
    def
}

fn world_def(source: &mut Source<'_>, before: &WorldDef) -> WorldDef {
    let mut def = *before;
    match source.below(8) {
        0 => def.gravity = vector(source, 20.0),
        1 => def.integrator = Integrator::ALL[source.below(5)],
        2 => {
            let damping = source.number(0.0, 1.0);
            def.impact_law = if source.flag() { ImpactLaw::Restitution } else { ImpactLaw::WholeVelocity { damping } };
        }
        3 => def.contact_modulus = if source.flag() { f64::INFINITY } else { source.number(1.0e3, 1.0e9) },
        4 => def.restitution_speed = source.number(0.0, 3.0),
        5 => def.rest_iterations = u32::from(source.byte() % 30),
        6 => {
            def.sleeping = source.flag();
            def.sleep_speed = source.number(0.0, 1.0);
            def.sleep_delay_s = source.number(0.0, 1.0);
        }
        _ => {
            def.restitution_mix = [Mix::GeometricMean, Mix::Product, Mix::Mean, Mix::Min, Mix::Max][source.below(5)];
            def.fixed_step_s = source.number(0.001, 0.05);
            def.max_catch_up = u32::from(source.byte() % 4);
        }
    }
    def
}

impl Subject {
    fn call(&mut self, source: &mut Source<'_>) {
        match source.below(24) {
            0..=3 => {
                let def = body(source);
                if self.world.body_count() < MOST_BODIES {
                    self.bodies.extend(self.world.add_body(def));
                }
            }
            4 | 5 => self.add_spring(source),
            6 => match source.flag() {
                true => drop(source.pick(&self.bodies).map(|id| self.world.remove_body(id))),
                false => drop(source.pick(&self.springs).map(|id| self.world.remove_spring(id))),
            },
            7..=11 => self.change_body(source),
            12 => {
                let def = world_def(source, self.world.def());
                self.world.set_def(def).ok();
            }
            13 => self.ask(source),
            14 => {
                let frame = source.number(0.0, 0.1);
                let made = in_time("a frame", || self.world.advance(frame));
                self.steps += made.map_or(1, |made| made.steps as usize);
                self.check();
            }
            15 => {
                let dt = source.number(0.0, 0.1);
                self.step(dt);
            }
            16 => {
                // A clone goes the same way.
                let mut copy = self.world.clone();
                copy.step(1.0 / 60.0);
                self.step(1.0 / 60.0);
                assert_eq!(copy.state_hash(), self.world.state_hash(), "a clone goes another way");
            }
            _ => self.step(1.0 / 60.0),
        }
    }

    fn step(&mut self, dt: f64) {
        in_time("a 3D step", || self.world.step(dt));
        self.steps += 1;
        self.check();
    }

    fn check(&self) {
        self.world.validate();
        for id in self.world.bodies() {
            let body = self.world.body(id);
            finite("a position", body.position().to_array());
            finite("a velocity", body.velocity().to_array());
            finite("an angular velocity", body.angular_velocity().to_array());
            let turn = body.orientation();
            finite("an orientation", [turn.w, turn.x, turn.y, turn.z]);
        }
        for impact in &self.world.events().impacts {
            finite("an impact", [impact.time_s, impact.approach_speed, impact.impulse]);
            finite("an impact's point", impact.point.to_array().into_iter().chain(impact.normal.to_array()));
        }
    }

    fn add_spring(&mut self, source: &mut Source<'_>) {
        let (Some(a), Some(b)) = (source.pick(&self.bodies), source.pick(&self.bodies)) else { return };
        let def = SpringDef {
            offsets: [vector(source, 1.0), vector(source, 1.0)],
            rest_length: source.number(0.0, 4.0),
            stiffness: source.number(0.0, 1000.0),
            damping: source.number(0.0, 10.0),
            ..SpringDef::between(a, b)
        };
        if self.world.spring_count() < MOST_SPRINGS {
            self.springs.extend(self.world.add_spring(def));
        }
    }

    fn change_body(&mut self, source: &mut Source<'_>) {
        let Some(id) = source.pick(&self.bodies) else { return };
        let Some(mut body) = self.world.get_body_mut(id) else { return };
        match source.below(17) {
            0 => drop(body.set_position(vector(source, 10.0))),
            1 => drop(body.set_orientation(quaternion(source))),
            2 => drop(body.set_velocity(vector(source, 50.0))),
            3 => drop(body.set_angular_velocity(vector(source, 50.0))),
            4 => drop(body.apply_force(vector(source, 500.0))),
            5 => drop(body.apply_force_at(vector(source, 500.0), vector(source, 10.0))),
            6 => drop(body.apply_torque(vector(source, 500.0))),
            7 => drop(body.apply_impulse(vector(source, 50.0))),
            8 => drop(body.apply_impulse_at(vector(source, 50.0), vector(source, 10.0))),
            9 => drop(body.set_mass(source.number(0.01, 1000.0))),
            10 => drop(body.set_material(material(source))),
            11 => drop(body.set_linear_damping(source.number(0.0, 5.0))),
            12 => drop(body.set_angular_damping(source.number(0.0, 5.0))),
            13 => drop(body.set_gravity_scale(source.number(-2.0, 2.0))),
            14 => body.set_can_sleep(source.flag()),
            15 => body.wake(),
            _ => body.set_user_data(u64::from(source.byte())),
        }
    }

    /// Questions, whose answers are finite.
    fn ask(&self, source: &mut Source<'_>) {
        let (place, way) = (vector(source, 10.0), vector(source, 20.0));
        for hit in self.world.ray_all(place, way).unwrap_or_default() {
            finite("a ray's hit", hit.point.to_array().into_iter().chain(hit.normal.to_array()).chain([hit.fraction]));
        }
        if let Ok(Some(near)) = self.world.closest_point(place, source.number(0.0, 10.0)) {
            finite("a closest point", near.point.to_array().into_iter().chain([near.distance]));
        }
        self.world.bodies_at(place).ok();
        self.world.bodies_in_aabb(Aabb { min: place, max: place + way.abs() }).ok();
        self.world.bodies_overlapping(shape(source), place, quaternion(source)).ok();
    }
}
