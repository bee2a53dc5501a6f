//! Numbers that say how a world is doing: energy, momentum, overlap, counts.
//!
//! Sums run over the bodies in the order of their indices and in `f64`, so they are the same
//! everywhere and lose nothing in worlds of thousands of bodies.

use carom2d::prelude::*;

/// Kinetic energy of all dynamic bodies, in J.
pub fn kinetic_energy(world: &World) -> f64 {
    world.bodies().map(|id| f64::from(world.body(id).kinetic_energy())).sum()
}

/// Linear momentum of all dynamic bodies along x and y, in N s.
pub fn momentum(world: &World) -> [f64; 2] {
    let mut sum = [0.0; 2];
    for id in world.bodies() {
        let body = world.body(id);
        if body.kind() == BodyKind::Dynamic {
            let (mass, velocity) = (f64::from(body.mass()), body.velocity());
            sum[0] += mass * f64::from(velocity.x);
            sum[1] += mass * f64::from(velocity.y);
        }
    }
    sum
}

/// Speed of the fastest dynamic body, in m/s.
pub fn top_speed(world: &World) -> f32 {
    let speeds = dynamic_bodies(world).map(|id| world.body(id).velocity().length());
    speeds.fold(0.0, carom_core::math::max)
}

/// How deep shapes overlap at the worst contact point, in metres, as of the start of the last step.
/// Sensors do not count. 0 when nothing overlaps.
pub fn deepest_penetration(world: &World) -> f32 {
    let solid = world.contacts().filter(|contact| !contact.is_sensor());
    let depths = solid.flat_map(|contact| contact.points()).map(|point| -point.separation);
    depths.fold(0.0, carom_core::math::max)
}

/// How many contacts touch, sensors left out. [`World::contact_count`] counts near ones, too.
pub fn touching_contacts(world: &World) -> usize {
    world.contacts().filter(|contact| contact.is_touching() && !contact.is_sensor()).count()
}

/// How far apart the two points of the worst pin are, in metres. 0 when there are no pins.
pub fn widest_gap(world: &World) -> f32 {
    let pins = world.joints().map(|id| world.joint(id)).filter(|joint| matches!(joint.kind(), JointKind::Revolute(_)));
    pins.map(|joint| joint.length()).fold(0.0, carom_core::math::max)
}

/// How far the worst pin is turned beyond its limits, in radians. 0 when all are within.
pub fn worst_overturn(world: &World) -> f32 {
    let mut worst = 0.0;
    for joint in world.joints().map(|id| world.joint(id)) {
        if let JointKind::Revolute(Revolute { limits: Some(limits), .. }) = joint.kind() {
            let angle = joint.angle();
            let beyond = carom_core::math::max(limits.lower - angle, angle - limits.upper);
            worst = carom_core::math::max(beyond, worst);
        }
    }
    worst
}

/// Potential energy of all dynamic bodies in the world's gravity, in J, 0 at the origin.
pub fn potential_energy(world: &World) -> f64 {
    let gravity = world.gravity();
    let of_body = |id: BodyId| {
        let body = world.body(id);
        let (mass, center) = (f64::from(body.mass()), body.center());
        let height = f64::from(gravity.x) * f64::from(center.x) + f64::from(gravity.y) * f64::from(center.y);
        -mass * f64::from(body.gravity_scale()) * height
    };
    dynamic_bodies(world).map(of_body).sum()
}

/// Handles of the dynamic bodies, in the order of their indices.
pub fn dynamic_bodies(world: &World) -> impl Iterator<Item = BodyId> + '_ {
    world.bodies().filter(|&id| world.body(id).kind() == BodyKind::Dynamic)
}
