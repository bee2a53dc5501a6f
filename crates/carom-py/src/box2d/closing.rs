//! Closes joints that are made open, as Box2D 2.3 closes them.
//!
//! Gymnasium's machines are built with limbs that are half a metre away from their joints. What becomes of them in their
//! first step decides how they stand: carom's solvers look for the least motion of all bodies together, which sets a walker
//! on straight legs. Box2D goes from joint to joint and moves the two bodies of each by the whole of what it is open, shared
//! out by their masses, again and again; what has got to the ground stays there. So light limbs fold under a heavy hull,
//! and policies know that pose.
//!
//! ```text
//! limit   C = angle - bound, of which 2 degrees are left alone and no more than 8 are taken at a time
//! point   C = p_b - p_a,   P = -K^-1 C,   c_i += M_i^-1 P,   angle_i += I_i^-1 (r_i x P)
//! ```
//!
//! That is done here before the first step of a joint, to positions alone, in turns with motions of a copy of the world
//! that has no joints, gravity or friction: its contacts stop what would get into the ground. No time passes and no velocity
//! changes. Joints that open later are the solver's.

use super::rules::choose_solver;
use carom2d::math::{Rot, Vec2, cross, max, min};
use carom2d::{BodyId, BodyKind, DefError, JointId, JointKind, JointRef, Limits, Material, World, WorldDef};

/// How far a point may be open in metres, and a limit be exceeded in radians: pybox2d's `linearSlop` and `angularSlop`.
const SLOP: f32 = 0.005;
const ANGULAR_SLOP: f32 = 2.0 / 180.0 * std::f32::consts::PI;
/// Most that a limit turns bodies at a time: pybox2d's `maxAngularCorrection`.
const MOST_TURN: f32 = 8.0 / 180.0 * std::f32::consts::PI;
/// Most motions of the copy. Each leaves some 85 % of what is open where limbs are in the way of the ground, and 20 bring
/// the walker's half metre down to the slop.
const MOST_ROUNDS: usize = 40;
/// Worlds of more joints than this are left to the solver: this looks at each of them beside each other.
const MOST_JOINTS: usize = 64;
/// Length of such a motion in seconds.
const DT: f32 = 1.0 / 50.0;

/// A body of a mechanism.
struct Link {
    id: BodyId,
    center: Vec2,
    rotation: Rot,
    /// Angle since the beginning.
    turned: f32,
    inv_mass: f32,
    inv_inertia: f32,
}

impl Link {
    fn of(world: &World, id: BodyId) -> Link {
        let body = world.body(id);
        let inverse = |value: f32| if value > 0.0 { 1.0 / value } else { 0.0 };
        let moves = body.kind() == BodyKind::Dynamic;
        let [inv_mass, inv_inertia] = if moves { [inverse(body.mass()), inverse(body.inertia())] } else { [0.0; 2] };
        Link { id, center: body.center(), rotation: body.rotation(), turned: 0.0, inv_mass, inv_inertia }
    }

    fn turn(&mut self, angle: f32) {
        self.turned += angle;
        self.rotation = self.rotation.turned(angle);
    }
}

/// A pin between two links.
struct Pin {
    links: [usize; 2],
    /// From the centres of mass, in the bodies' own coordinates.
    arms: [Vec2; 2],
    limits: Option<Limits>,
    /// At the beginning.
    angle: f32,
}

impl Pin {
    /// Where each body has it, from the centres.
    fn arms(&self, links: &[Link]) -> [Vec2; 2] {
        [0, 1].map(|i| links[self.links[i]].rotation.rotate(self.arms[i]))
    }

    /// From the point on the first body to that on the second.
    fn gap(&self, links: &[Link]) -> Vec2 {
        let [a, b] = self.links;
        let [r_a, r_b] = self.arms(links);
        links[b].center + r_b - links[a].center - r_a
    }

    /// Brings the angle to its limits.
    fn limit(&self, links: &mut [Link]) {
        let [a, b] = self.links;
        let stiffness = links[a].inv_inertia + links[b].inv_inertia;
        let Some(limits) = self.limits.filter(|_| stiffness > 0.0) else { return };
        let angle = self.angle + links[b].turned - links[a].turned;
        let error = if angle < limits.lower {
            max(-MOST_TURN, min(0.0, angle - limits.lower + ANGULAR_SLOP))
        } else {
            min(MOST_TURN, max(0.0, angle - limits.upper - ANGULAR_SLOP))
        };
        let impulse = -error / stiffness;
        links[a].turn(-links[a].inv_inertia * impulse);
        links[b].turn(links[b].inv_inertia * impulse);
    }

    /// Brings the points together.
    fn close(&self, links: &mut [Link]) {
        let [a, b] = self.links;
        let [r_a, r_b] = self.arms(links);
        let gap = self.gap(links);
        let (m, i_a, i_b) = (links[a].inv_mass + links[b].inv_mass, links[a].inv_inertia, links[b].inv_inertia);
        // K of both directions, and its inverse.
        let k_xx = m + i_a * r_a.y * r_a.y + i_b * r_b.y * r_b.y;
        let k_xy = -i_a * r_a.x * r_a.y - i_b * r_b.x * r_b.y;
        let k_yy = m + i_a * r_a.x * r_a.x + i_b * r_b.x * r_b.x;
        let determinant = k_xx * k_yy - k_xy * k_xy;
        if determinant <= 0.0 {
            return;
        }
        let impulse = Vec2::new(k_xy * gap.y - k_yy * gap.x, k_xy * gap.x - k_xx * gap.y) * (1.0 / determinant);
        for (link, arm, sign) in [(a, r_a, -1.0), (b, r_b, 1.0)] {
            let link = &mut links[link];
            link.center += impulse * (sign * link.inv_mass);
            link.turn(sign * link.inv_inertia * cross(arm, impulse));
        }
    }
}

/// Moves the bodies of new pins that are open, and of what is joined to them, to where all are closed, as far as what stands
/// around lets them. `iterations` is how often each joint is looked at between two motions.
pub(crate) fn close_open_pins(world: &mut World, new: &[JointId], iterations: u32) -> Result<(), DefError> {
    let is_open = |&&id: &&JointId| world.get_joint(id).is_some_and(|joint| gap(joint) > SLOP);
    let open: Vec<JointId> = new.iter().filter(is_open).copied().collect();
    if open.is_empty() || world.joint_count() > MOST_JOINTS {
        return Ok(());
    }
    let (pins, mut links) = mechanism(world, &open);
    let mut trial = trial_of(world, &links)?;
    for _ in 0..MOST_ROUNDS {
        let before: Vec<(Vec2, f32)> = links.iter().map(|link| (link.center, link.turned)).collect();
        for _ in 0..iterations.clamp(1, 1000) {
            for pin in &pins {
                pin.limit(&mut links);
                pin.close(&mut links);
            }
            if worst(&pins, &links) <= 0.1 * SLOP {
                break;
            }
        }
        for (link, (center, turned)) in links.iter().zip(&before).filter(|(link, _)| link.inv_mass > 0.0) {
            let mut body = trial.body_mut(link.id);
            body.set_velocity((link.center - *center) * (1.0 / DT))?;
            body.set_angular_velocity((link.turned - turned) * (1.0 / DT))?;
        }
        trial.step(DT);
        for link in &mut links {
            let (body, meant) = (trial.body(link.id), link.rotation);
            (link.center, link.rotation) = (body.center(), body.rotation());
            // By how much the angle is not what it was to be.
            link.turned += meant.inv_mul(link.rotation).angle();
        }
        if worst(&pins, &links) <= SLOP {
            break;
        }
    }
    for link in links.iter().filter(|link| link.inv_mass > 0.0) {
        let pose = trial.body(link.id).pose();
        world.body_mut(link.id).set_pose(pose)?;
    }
    Ok(())
}

/// How far a joint is open.
fn gap(joint: JointRef<'_>) -> f32 {
    (joint.frame_b().p - joint.frame_a().p).length()
}

/// The widest gap.
fn worst(pins: &[Pin], links: &[Link]) -> f32 {
    pins.iter().map(|pin| pin.gap(links).length()).fold(0.0, max)
}

/// All pins that hang together with some, in the order in which Box2D comes to them, and their bodies.
fn mechanism(world: &World, open: &[JointId]) -> (Vec<Pin>, Vec<Link>) {
    let mut links: Vec<Link> = Vec::new();
    let pins = island_order(world, open).into_iter().filter_map(|id| {
        let joint = world.joint(id);
        let JointKind::Revolute(revolute) = joint.kind() else { return None };
        let ends = [(joint.body_a(), joint.def().frame_a.p), (joint.body_b(), joint.def().frame_b.p)];
        let places = ends.map(|(body, _)| {
            links.iter().position(|link| link.id == body).unwrap_or_else(|| {
                links.push(Link::of(world, body));
                links.len() - 1
            })
        });
        let arms = ends.map(|(body, at)| at - world.body(body).local_center());
        Some(Pin { links: places, arms, limits: revolute.limits, angle: joint.angle() })
    });
    (pins.collect(), links)
}

/// Box2D gathers an island from its newest body on, depth first, and at each body from its newest joint on.
fn island_order(world: &World, open: &[JointId]) -> Vec<JointId> {
    let (mut order, mut seen): (Vec<JointId>, Vec<BodyId>) = (Vec::new(), Vec::new());
    let mut joints: Vec<JointId> = world.joints().collect();
    joints.sort_unstable_by_key(|id| std::cmp::Reverse(id.index()));
    let mut seeds: Vec<BodyId> =
        open.iter().flat_map(|&id| [world.joint(id).body_a(), world.joint(id).body_b()]).collect();
    seeds.sort_unstable_by_key(|id| std::cmp::Reverse(id.index()));
    let moves = |id: BodyId| world.body(id).kind() == BodyKind::Dynamic;
    for seed in seeds.into_iter().filter(|&seed| moves(seed)) {
        let mut stack = vec![seed];
        while let Some(body) = stack.pop() {
            if seen.contains(&body) {
                continue;
            }
            seen.push(body);
            for &id in &joints {
                let [a, b] = [world.joint(id).body_a(), world.joint(id).body_b()];
                if (a == body || b == body) && !order.contains(&id) {
                    order.push(id);
                    let other = if a == body { b } else { a };
                    // What does not move links no islands.
                    stack.extend(moves(other).then_some(other));
                }
            }
        }
    }
    order
}

/// A copy of the world in which links slide freely, and nothing else moves.
fn trial_of(world: &World, links: &[Link]) -> Result<World, DefError> {
    let mut trial = world.clone();
    let joints: Vec<JointId> = trial.joints().collect();
    for id in joints {
        trial.remove_joint(id)?;
    }
    trial.set_def(WorldDef { gravity: Vec2::ZERO, sleeping: false, ..*world.def() })?;
    choose_solver(&mut trial, links.len());
    let bodies: Vec<BodyId> = trial.bodies().collect();
    for id in bodies {
        let mut body = trial.body_mut(id);
        if body.get().kind() == BodyKind::Fixed {
            continue;
        }
        if !links.iter().any(|link| link.id == id && link.inv_mass > 0.0) {
            body.set_kind(BodyKind::Fixed);
            continue;
        }
        // Forces that were applied before the first step are for that step.
        let (force, torque) = (body.get().force(), body.get().torque());
        body.apply_force(-force)?;
        body.apply_torque(-torque)?;
        let shapes: Vec<_> = body.get().shapes().collect();
        for shape in shapes {
            let mut shape = trial.shape_mut(shape);
            let material = Material { friction: 0.0, restitution: 0.0, ..shape.get().material() };
            shape.set_material(material)?;
        }
    }
    Ok(trial)
}
