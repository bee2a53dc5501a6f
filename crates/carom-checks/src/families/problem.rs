//! A problem that any engine can play, and who plays it.

use carom_peers::{CaromPeer, Peer, Settings, Unsupported};
use carom2d::prelude::*;

/// Who plays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Player {
    /// carom with the solver that the problem's settings name: its default unless the family says otherwise.
    Carom,
    /// carom with `Solver::Direct`.
    Direct,
    /// Box2D version 3.
    Box2d,
    /// Rapier.
    Rapier,
}

impl Player {
    /// In lower case, as JSON has it.
    pub fn name(self) -> &'static str {
        match self {
            Player::Carom => "carom",
            Player::Direct => "direct",
            Player::Box2d => "box2d",
            Player::Rapier => "rapier",
        }
    }

    /// Is it carom itself?
    pub fn is_own(self) -> bool {
        matches!(self, Player::Carom | Player::Direct)
    }
}

/// Bodies, shapes and joints, and the settings of a world. Bodies have numbers in the order in which they were added.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Gravity, sub-steps, sleeping, length of a step.
    pub settings: Settings,
    /// Bodies with their shapes.
    pub bodies: Vec<(BodyDef, Vec<ShapeDef>)>,
    /// Joints between the bodies of two numbers.
    pub joints: Vec<(usize, usize, JointDef)>,
}

impl Default for Problem {
    /// An empty world with the conventions of the families.
    fn default() -> Problem {
        let world = WorldDef { gravity: vec2(0.0, -10.0), sleeping: false, ..WorldDef::default() };
        let settings = Settings { world, dt: 1.0 / 60.0, threads: 1, restitution_speed: Some(0.0) };
        Problem { settings, bodies: Vec::new(), joints: Vec::new() }
    }
}

impl Problem {
    /// Steps per second and sub-steps.
    pub fn set_rate(&mut self, hertz: u32, substeps: u32) {
        self.settings.dt = 1.0 / hertz as f32;
        self.settings.world.substeps = substeps;
    }

    /// Adds a body; the result is its number.
    ///
    /// # Panics
    /// If a shape is not one: families draw valid ones.
    pub fn add(&mut self, body: BodyDef, shapes: &[ShapeDef]) -> usize {
        let geometry = |def: &ShapeDef| {
            let geometry = def.build().expect("a valid shape");
            ShapeDef { rounding: 0.0, position: Vec2::ZERO, angle: 0.0, ..def.clone() }.with_geometry(geometry)
        };
        self.bodies.push((body, shapes.iter().map(geometry).collect()));
        self.bodies.len() - 1
    }

    /// Adds a dynamic body with one shape at a place.
    pub fn add_at(&mut self, position: Vec2, shape: ShapeDef) -> usize {
        self.add(BodyDef { position, ..BodyDef::dynamic() }, &[shape])
    }

    /// Adds fixed ground whose top is at y = 0, of this width and friction; half as deep as wide, at most 10 m.
    pub fn add_floor(&mut self, width: f32, friction: f32) -> usize {
        let depth = carom_core::math::min(0.5 * width, 10.0);
        let shape = ShapeDef { friction, ..ShapeDef::rectangle(width, depth) };
        self.add(BodyDef { position: vec2(0.0, -0.5 * depth), ..BodyDef::fixed() }, &[shape])
    }

    /// Pins two bodies at a point of the world.
    pub fn pin(&mut self, a: usize, b: usize, point: Vec2) {
        self.join(a, b, Pose::at(point), JointKind::Revolute(Revolute::default()));
    }

    /// Pins two bodies at points given in their own coordinates.
    pub fn pin_local(&mut self, a: usize, b: usize, point_a: Vec2, point_b: Vec2) {
        let (frame_a, frame_b) = (Pose::at(point_a), Pose::at(point_b));
        let joint = JointDef::revolute(BodyId::from_bits(0), BodyId::from_bits(1));
        self.joints.push((a, b, JointDef { frame_a, frame_b, ..joint }));
    }

    /// Joins two bodies by a joint of any kind at a pose of the world.
    pub fn join(&mut self, a: usize, b: usize, at: Pose, kind: JointKind) {
        let frame = |body: usize| self.pose(body).inv_mul(at);
        let joint = JointDef::new(BodyId::from_bits(0), BodyId::from_bits(1), kind);
        self.joints.push((a, b, JointDef { frame_a: frame(a), frame_b: frame(b), ..joint }));
    }

    /// Where a body begins.
    pub fn pose(&self, body: usize) -> Pose {
        Pose::new(self.bodies[body].0.position, self.bodies[body].0.angle)
    }

    /// Builds the problem in an engine.
    pub fn start(&self, player: Player) -> Result<Box<dyn Peer>, Unsupported> {
        let mut peer = self.world_of(player)?;
        for (body, shapes) in &self.bodies {
            peer.add_body(body, shapes)?;
        }
        for (a, b, joint) in &self.joints {
            peer.add_joint(*a, *b, joint)?;
        }
        Ok(peer)
    }

    /// The problem in a world of carom, for what only carom can tell.
    pub fn start_carom(&self, player: Player) -> Result<CaromPeer, Unsupported> {
        let mut peer = CaromPeer::new(self.carom_def(player))?;
        for (body, shapes) in &self.bodies {
            peer.add_body(body, shapes)?;
        }
        for (a, b, joint) in &self.joints {
            peer.add_joint(*a, *b, joint)?;
        }
        Ok(peer)
    }

    fn carom_def(&self, player: Player) -> WorldDef {
        let own = self.settings.world;
        let solver = if player == Player::Direct { Solver::Direct } else { own.solver };
        WorldDef { solver, restitution_speed: self.settings.restitution_speed.unwrap_or(own.restitution_speed), ..own }
    }

    #[cfg(feature = "peers")]
    fn world_of(&self, player: Player) -> Result<Box<dyn Peer>, Unsupported> {
        Ok(match player {
            Player::Carom | Player::Direct => Box::new(CaromPeer::new(self.carom_def(player))?),
            Player::Box2d => Box::new(carom_peers::Box2d::new(&self.settings)),
            Player::Rapier => {
                let shapes = self.bodies.iter().flat_map(|(_, shapes)| shapes);
                Box::new(carom_peers::Rapier::new(&self.settings, shapes)?)
            }
        })
    }

    #[cfg(not(feature = "peers"))]
    fn world_of(&self, player: Player) -> Result<Box<dyn Peer>, Unsupported> {
        match player {
            Player::Carom | Player::Direct => Ok(Box::new(CaromPeer::new(self.carom_def(player))?)),
            Player::Box2d => Err(Unsupported { engine: "Box2D", what: "not been built in".to_string() }),
            Player::Rapier => Err(Unsupported { engine: "Rapier", what: "not been built in".to_string() }),
        }
    }
}

/// The same definition with another outline.
trait WithGeometry {
    fn with_geometry(self, geometry: Geometry) -> ShapeDef;
}

impl WithGeometry for ShapeDef {
    fn with_geometry(self, geometry: Geometry) -> ShapeDef {
        ShapeDef { outline: ShapeDef::geometry(geometry).outline, ..self }
    }
}

/// Kinetic energy of some bodies, and their potential energy in gravity that points down, in J.
pub(super) fn energy(peer: &dyn Peer, bodies: &[usize], gravity: f64) -> f64 {
    let mut sum = 0.0;
    for &body in bodies {
        let (motion, (mass, inertia)) = (peer.motion(body), peer.mass(body));
        let v = motion.velocity.as_dvec2();
        let (mass, inertia, spin) = (f64::from(mass), f64::from(inertia), f64::from(motion.angular_velocity));
        sum += 0.5 * (mass * v.length_squared() + inertia * spin * spin);
        sum += mass * gravity * f64::from(motion.center.y);
    }
    sum
}

/// How far a joint is open, in metres: the distance between the two ends of a pin, or what a slide has across its axis.
pub(super) fn joint_gap(peer: &dyn Peer, (a, b, joint): &(usize, usize, JointDef)) -> f64 {
    let frame = |body: usize, local: Pose| {
        let pose = peer.pose(body);
        let (p, r) = (pose.p.as_dvec2(), local.p.as_dvec2());
        let (c, s) = (f64::from(pose.q.c), f64::from(pose.q.s));
        p + glam::dvec2(c * r.x - s * r.y, s * r.x + c * r.y)
    };
    let apart = frame(*b, joint.frame_b) - frame(*a, joint.frame_a);
    match joint.kind {
        JointKind::Prismatic(_) => {
            let axis = peer.pose(*a).q.rotate(joint.frame_a.q.x_axis()).as_dvec2();
            axis.perp_dot(apart).abs()
        }
        _ => apart.length(),
    }
}

/// Speed of the fastest of some bodies, in m/s; infinite if one is not a number.
pub(super) fn top_speed(peer: &dyn Peer, bodies: &[usize]) -> f64 {
    bodies.iter().fold(0.0, |top, &body| super::larger(top, f64::from(peer.motion(body).velocity.length())))
}
