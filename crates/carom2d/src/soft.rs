//! Soft bodies: a rim of small discs on springs, around an inside that keeps its area.
//!
//! The discs have their centres at `x_i`, masses `m_i` and a common radius `r`. What they enclose is the polygon
//! through the centres and a strip of the width `r` around it,
//!
//! ```text
//! A   = 1/2 sum x_i x x_(i+1) + r sum |x_(i+1) - x_i| + pi r^2
//! g_i = dA/dx_i = 1/2 (x_(i+1) - x_(i-1)) turned to the right + r (u_(i-1) - u_i),  u_i along x_(i+1) - x_i
//! K   = sum |g_i|^2 / m_i
//! ```
//!
//! A pressure `p` pushes each disc with `p g_i`, and changes the speed `A'` of the area by `K p` per second. What
//! presses on something gives way only with that: across such a contact `m_i` counts with the mass behind it. Before
//! each step [`SoftBody::hold`] chooses the pressure that leaves `A'` where what is missing of the area comes back
//! within a step. It acts as a force throughout the step, so the sub-steps weigh it against contacts and springs. What
//! those did to `A'` in the last steps is expected again in the next: without that the area would give way in
//! proportion to the load.
//!
//! An impact takes effect only after the step in which it happened. At 60 steps per second a body of 2 m that falls from 4
//! m lacks 6 % of its area for that one step; shorter steps help in proportion.
//!
//! The pressure is internal: the `g_i` add up to nothing and have no moment, so no momentum is made.

use crate::attach::ShapeDef;
use crate::body::{BodyDef, BodyId, LockedAxes};
use crate::error::{DefError, finite2};
use crate::filter::Filter;
use crate::joint::{Distance, JointDef, JointId, JointKind, Spring};
use crate::math::{Vec2, clamp, min, right_perp, unit_and_length, vec2};
use crate::record::{BodyLoad, Call};
use crate::shape::{Circle, Concave};
use crate::world::World;
use std::collections::BTreeSet;

/// Describes a soft body to add to a world.
///
/// ```
/// use carom2d::prelude::*;
/// use carom2d::SoftBodyDef;
/// let mut world = World::new(WorldDef::default());
/// let ground = world.add_body(BodyDef::fixed())?;
/// world.add_shape(ground, ShapeDef::rectangle(20.0, 1.0))?;
/// let mut jelly = world.add_soft_body(&SoftBodyDef::disc(vec2(0.0, 3.0), 1.0, 24))?;
/// let area = jelly.rest_area();
/// for _ in 0..120 {
///     jelly.hold(&mut world, 1.0 / 60.0)?;
///     world.step(1.0 / 60.0);
/// }
/// assert!((jelly.area(&world)? / area - 1.0).abs() < 0.05);
/// # Ok::<(), DefError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct SoftBodyDef {
    /// Centres of the discs around the body at rest, in metres, clockwise or counter-clockwise: 6 to 1000 points of a
    /// polygon that does not cross itself. The nearer they are, the smoother it is, and the more it costs.
    pub rim: Vec<Vec2>,
    /// Radius of the discs in metres, above 0. A little more than half their distance leaves no gaps between them.
    pub radius: f32,
    /// Mass per area in kg/m^2 of all that is enclosed, above 0. Default 1.
    pub density: f32,
    /// Springs between neighbours: the skin. Raising it keeps the body rounder and tauter.
    /// Default 12 Hz with a damping ratio of 0.3.
    pub skin: Spring,
    /// Springs between discs that are two apart, and a quarter and half of the way around, which remember the form.
    /// Without them (0 Hz) every body becomes round. Default 5 Hz with a damping ratio of 0.3.
    pub form: Spring,
    /// See [`Material::friction`](crate::Material::friction). Default 0.6.
    pub friction: f32,
    /// See [`Material::restitution`](crate::Material::restitution). Default 0.
    pub restitution: f32,
    /// Which shapes it may meet. Default: all.
    pub filter: Filter,
    /// Velocity of all of it in m/s. Default 0.
    pub velocity: Vec2,
}

impl Default for SoftBodyDef {
    fn default() -> SoftBodyDef {
        SoftBodyDef::disc(Vec2::ZERO, 1.0, 24)
    }
}

impl SoftBodyDef {
    /// A rim through these points, with discs that reach to each other.
    pub fn new(rim: &[Vec2]) -> SoftBodyDef {
        let shape = ShapeDef::circle(1.0);
        let perimeter: f32 = (0..rim.len()).map(|i| (rim[(i + 1) % rim.len()] - rim[i]).length()).sum();
        SoftBodyDef {
            rim: rim.to_vec(),
            radius: 0.55 * perimeter / rim.len().max(1) as f32,
            density: 1.0,
            skin: Spring::new(12.0, 0.3),
            form: Spring::new(5.0, 0.3),
            friction: shape.friction,
            restitution: shape.restitution,
            filter: shape.filter,
            velocity: Vec2::ZERO,
        }
    }

    /// A round body that reaches as far as `radius` from its centre, with so many discs around it.
    pub fn disc(center: Vec2, radius: f32, discs: usize) -> SoftBodyDef {
        // More than are allowed are refused later, and need not be made.
        let count = discs.min(MOST_DISCS + 1);
        let turn = |i: usize| carom_core::math::sin_cos(std::f32::consts::TAU * i as f32 / count as f32);
        // Half the distance of neighbours is R sin(pi / n) on a circle of the radius R of their centres.
        let reach = 1.1 * carom_core::math::sin_cos(std::f32::consts::PI / count.max(1) as f32).0;
        let on_circle = radius / (1.0 + reach);
        let point = |i| {
            let (sin, cos) = turn(i);
            center + on_circle * vec2(cos, sin)
        };
        let rim: Vec<Vec2> = (0..count).map(point).collect();
        SoftBodyDef { radius: on_circle * reach, ..SoftBodyDef::new(&rim) }
    }

    /// A block of a width and a height in metres, about a centre, with discs at most `spacing` apart. Without springs
    /// that remember the form it would be a disc.
    pub fn block(center: Vec2, width: f32, height: f32, spacing: f32) -> SoftBodyDef {
        let radius = 0.55 * spacing;
        let (w, h) = (width - 2.0 * radius, height - 2.0 * radius);
        let corners = [vec2(-w, -h), vec2(w, -h), vec2(w, h), vec2(-w, h)].map(|corner| center + 0.5 * corner);
        let mut rim = Vec::new();
        for (i, &from) in corners.iter().enumerate() {
            let to = corners[(i + 1) % corners.len()];
            let pieces = ((to - from).length() / spacing).ceil();
            // A spacing that is no number, or far too small, ends in too many discs and is refused.
            let pieces = if pieces >= 1.0 { (pieces as usize).min(MOST_DISCS) } else { 1 };
            rim.extend((0..pieces).map(|k| from + (to - from) * (k as f32 / pieces as f32)));
        }
        SoftBodyDef { radius, ..SoftBodyDef::new(&rim) }
    }

    /// Checks every field; returns the rim counter-clockwise.
    fn validate(&self) -> Result<Vec<Vec2>, DefError> {
        if !(FEWEST_DISCS..=MOST_DISCS).contains(&self.rim.len()) {
            return Err(DefError::field("SoftBodyDef.rim", self.rim.len(), "6 to 1000 points"));
        }
        Concave::new(&self.rim, &[])?;
        ShapeDef { friction: self.friction, restitution: self.restitution, ..ShapeDef::circle(self.radius) }.build()?;
        if !(self.density > 0.0 && self.density <= 1.0e9) {
            return Err(DefError::field("SoftBodyDef.density", self.density, "a number above 0, at most 1e9 kg/m^2"));
        }
        self.skin.validate()?;
        self.form.validate()?;
        finite2("SoftBodyDef.velocity", self.velocity)?;
        let mut rim = self.rim.clone();
        if Rim::of(&rim, 0.0).area < 0.0 {
            rim.reverse();
        }
        Ok(rim)
    }
}

const FEWEST_DISCS: usize = 6;
const MOST_DISCS: usize = 1000;

/// A soft body in a world: the handles of its parts, and the pressure in it.
///
/// Its parts are ordinary bodies and joints, which collide, sleep and can be looked at and dragged like all others.
/// What keeps its area is [`SoftBody::hold`], to be called before each step, also before those of [`World::advance`]:
/// see [`World::advance_each`].
#[derive(Clone, Debug, PartialEq)]
pub struct SoftBody {
    /// The discs, counter-clockwise.
    parts: Vec<BodyId>,
    joints: Vec<JointId>,
    radius: f32,
    rest_area: f32,
    /// The speed of the area in m^2/s that the last step was to end with.
    expected: f32,
    /// What contacts and springs do to that speed in a step.
    load: f32,
    /// The pressure of the last step in N/m.
    pressure: f32,
}

/// Which part of a missing area is brought back in one step: at 2 it would swing forever.
const SHARE: f32 = 1.0;
/// Which part of a surprise is expected again.
const LEARNED: f32 = 0.8;
/// Fastest that the rim moves to bring back the area, in m/s.
const TOP_SPEED: f32 = 10.0;

/// What the fastest load adds to the speed of the rim in a step, in m/s: beyond any press, short of infinity.
const HEAVIEST: f32 = 1.0e4;

/// A rim of discs as the pressure sees it.
struct Rim {
    area: f32,
    /// How the area grows with each centre, in m.
    gradient: Vec<Vec2>,
}

impl Rim {
    fn of(centers: &[Vec2], radius: f32) -> Rim {
        let count = centers.len();
        let mut gradient = Vec::with_capacity(count);
        // Around the first, so that nothing is lost far from the origin.
        let origin = centers.first().copied().unwrap_or(Vec2::ZERO);
        let (mut twice, mut length) = (0.0, 0.0);
        for (i, &here) in centers.iter().enumerate() {
            let (before, after) = (centers[(i + count - 1) % count], centers[(i + 1) % count]);
            let ((u_before, _), (u_after, apart)) = (unit_and_length(here - before), unit_and_length(after - here));
            twice += crate::math::cross(here - origin, after - origin);
            length += apart;
            gradient.push(0.5 * right_perp(after - before) + radius * (u_before - u_after));
        }
        let area = 0.5 * twice + radius * length + std::f32::consts::PI * radius * radius;
        Rim { area, gradient }
    }
}

impl SoftBody {
    /// Makes a soft body of discs that are in the world already, counter-clockwise, with a common radius in metres and
    /// an area at rest in m^2. The distance joints between them are its springs.
    pub fn around(world: &World, parts: &[BodyId], radius: f32, rest_area: f32) -> Result<SoftBody, DefError> {
        if !(FEWEST_DISCS..=MOST_DISCS).contains(&parts.len()) {
            return Err(DefError::field("SoftBody.parts", parts.len(), "6 to 1000 discs"));
        }
        let own: BTreeSet<BodyId> = parts.iter().copied().collect();
        if own.len() < parts.len() {
            return Err(DefError::field("SoftBody.parts", parts.len(), "each disc once"));
        }
        Circle::new(Vec2::ZERO, radius)?;
        let joints = world.joints().filter(|&id| {
            let joint = world.joint(id);
            let between = own.contains(&joint.body_a()) && own.contains(&joint.body_b());
            between && matches!(joint.kind(), JointKind::Distance(_))
        });
        let joints = joints.collect();
        let mut soft =
            SoftBody { parts: parts.to_vec(), joints, radius, rest_area, expected: 0.0, load: 0.0, pressure: 0.0 };
        soft.set_rest_area(rest_area)?;
        soft.rim(world)?;
        Ok(soft)
    }

    /// The discs around it, counter-clockwise.
    pub fn parts(&self) -> &[BodyId] {
        &self.parts
    }

    /// The springs between them.
    pub fn joints(&self) -> &[JointId] {
        &self.joints
    }

    /// Radius of the discs in metres.
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The area at rest in m^2, the discs included.
    pub fn rest_area(&self) -> f32 {
        self.rest_area
    }

    /// Changes the area that it keeps, in m^2: it swells or shrinks.
    pub fn set_rest_area(&mut self, area: f32) -> Result<(), DefError> {
        if !(area > 0.0 && area.is_finite()) {
            return Err(DefError::field("rest area", area, "a number above 0"));
        }
        self.rest_area = area;
        Ok(())
    }

    /// The pressure of the last step, in N/m: what lies on it per width, and what its skin is stretched by.
    pub fn pressure(&self) -> f32 {
        self.pressure
    }

    /// Centres of the discs, counter-clockwise. Fails if one of them was removed.
    pub fn rim(&self, world: &World) -> Result<Vec<Vec2>, DefError> {
        let center = |&id: &BodyId| world.get_body(id).map(|body| body.center()).ok_or_else(|| DefError::stale(id));
        self.parts.iter().map(center).collect()
    }

    /// The area inside its rim in m^2, the discs included. Fails if one of them was removed.
    pub fn area(&self, world: &World) -> Result<f32, DefError> {
        Ok(Rim::of(&self.rim(world)?, self.radius).area)
    }

    /// Adds the forces that keep the area during the next step, which should be `dt` seconds long. A body that sleeps
    /// goes on sleeping. Fails, and does nothing, if one of the discs was removed.
    pub fn hold(&mut self, world: &mut World, dt: f32) -> Result<(), DefError> {
        if !(dt > 0.0 && dt.is_finite()) {
            return Err(DefError::field("dt", dt, "a number above 0"));
        }
        let rim = self.rim(world)?;
        let Rim { area, gradient } = Rim::of(&rim, self.radius);
        let (mut rate, mut mobility, mut length) = (0.0, 0.0, 0.0);
        for (i, &id) in self.parts.iter().enumerate() {
            if let Some(state) = world.state.state(id.index()) {
                rate += gradient[i].dot(state.velocity);
                mobility += mobility_along(world, id, gradient[i]);
                length += gradient[i].length();
            }
        }
        // Asleep, held by the caller, or shrunk to a point: there is nothing to push.
        if !(mobility > 0.0 && mobility.is_finite() && area.is_finite() && rate.is_finite()) {
            self.expected = 0.0;
            return Ok(());
        }
        let fastest = TOP_SPEED * length;
        let heaviest = HEAVIEST * length;
        self.load = clamp(self.load + LEARNED * (rate - self.expected), -heaviest, heaviest);
        let wanted = clamp(-SHARE * (area - self.rest_area) / dt, -fastest, fastest);
        self.pressure = (wanted - rate - self.load) / (mobility * dt);
        self.expected = wanted;
        let (is_recording, mut loads) = (world.is_recording(), Vec::new());
        for (id, gradient) in self.parts.iter().zip(gradient) {
            let body = id.index();
            let force = self.pressure * gradient;
            // Straight to the sum of forces: what comes to rest under pressure may fall asleep.
            if world.state.state(body).is_some() && force.is_finite() {
                let sim = world.state.sim_mut(body);
                sim.force += force;
                if is_recording {
                    loads.push(BodyLoad { body, force: sim.force, torque: sim.torque });
                }
            }
        }
        world.note(|| Call::Loads { loads });
        Ok(())
    }

    /// Removes its discs and springs from the world, those that are still there.
    pub fn remove(self, world: &mut World) {
        for id in self.parts {
            world.remove_body(id).ok();
        }
    }
}

/// How much a force `gradient` on a disc accelerates it along `gradient`, in 1/kg per m^2: the less, the more it presses
/// on something, and not at all against something fixed.
fn mobility_along(world: &World, id: BodyId, gradient: Vec2) -> f32 {
    let inv_mass = world.state.sim(id.index()).inv_mass;
    let free = (gradient * gradient).dot(inv_mass);
    let mut least = free;
    for contact in world.body(id).contacts().filter(|contact| contact.is_touching() && !contact.is_sensor()) {
        let [body_a, body_b] = [contact.shape_a(), contact.shape_b()].map(|shape| world.shape(shape).body());
        let is_a = body_a == id;
        let other = if is_a { body_b } else { body_a };
        let into = if is_a { contact.normal() } else { -contact.normal() };
        let pressed = gradient.dot(into);
        if pressed <= 0.0 {
            continue;
        }
        let behind = world.state.sim(other.index()).inv_mass;
        let (own, behind) = ((into * into).dot(inv_mass), (into * into).dot(behind));
        // 1 / (m + M) instead of 1 / m.
        let together = if behind > 0.0 && own > 0.0 { own * behind / (own + behind) } else { 0.0 };
        let along = gradient - pressed * into;
        least = min(least, (along * along).dot(inv_mass) + pressed * pressed * together);
    }
    least
}

impl World {
    /// Adds a soft body: its discs and the springs between them.
    pub fn add_soft_body(&mut self, def: &SoftBodyDef) -> Result<SoftBody, DefError> {
        let rim = def.validate()?;
        let count = rim.len();
        let rest_area = Rim::of(&rim, def.radius).area;
        let body = |position: Vec2| BodyDef {
            position,
            velocity: def.velocity,
            mass: Some(def.density * rest_area / count as f32),
            // Discs that turned would be ball bearings under the skin.
            locked: LockedAxes { rotation: true, ..LockedAxes::default() },
            ..BodyDef::dynamic()
        };
        let shape = ShapeDef {
            friction: def.friction,
            restitution: def.restitution,
            filter: def.filter,
            ..ShapeDef::circle(def.radius)
        };
        for &position in &rim {
            body(position).validate()?;
        }
        let mut soft = SoftBody {
            parts: Vec::with_capacity(count),
            joints: Vec::new(),
            radius: def.radius,
            rest_area,
            expected: 0.0,
            load: 0.0,
            pressure: 0.0,
        };
        for &position in &rim {
            let id = self.add_body(body(position))?;
            soft.parts.push(id);
            self.add_shape(id, shape.clone())?;
        }
        // From each disc to the next, the next but one, and a quarter and half of the way around; each pair once. Those
        // far apart may meet: a body that is pressed flat must not pass through itself.
        let (quarter, half) = (count / 4, count / 2);
        for reach in [1, 2, quarter, half] {
            if reach == quarter && quarter <= 2 {
                continue;
            }
            let spring = if reach == 1 { def.skin } else { def.form };
            let each_once = if 2 * reach == count { half } else { count };
            for i in 0..each_once {
                let (a, b) = (i, (i + reach) % count);
                let length = (rim[b] - rim[a]).length();
                let kind = JointKind::Distance(Distance::spring(length, spring));
                let joint = JointDef::new(soft.parts[a], soft.parts[b], kind);
                soft.joints.push(self.add_joint(JointDef { collide_connected: reach > 2, ..joint })?);
            }
        }
        Ok(soft)
    }
}
