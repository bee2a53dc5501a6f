//! Which joints the default solver solves exactly.
//!
//! Passes that go from joint to joint need many sub-steps until the ends of a long chain know of each other. Until then its
//! pins stay open, heavy loads sink through bridges, and light links on long arms swing against each other faster than a
//! sub-step can follow. A mechanism of rigid joints is a system of equations without inequalities, which a sparse
//! factorisation solves at once, at a cost that grows with its size for chains and trees and little more for trusses. So
//! mechanisms that are small enough are solved by the method of the direct solver (`direct.rs`), and their contacts after
//! them, as those of any joint.
//!
//! A mechanism is what joints hold together, walls and kinematic bodies not counted. The passes keep those that are large,
//! those with rigid joints that are asked to be soft, those without anything rigid in them (soft bodies), and
//! those of pins only with limits or springs on some whose bodies are well proportioned: such people are many, their pins are
//! solved side by side, and nothing in them swings too fast.

use crate::body::BodyKind;
use crate::joint::{Distance, JointDef, JointKind, Prismatic, Revolute, Weld, Wheel};
use crate::math::{max, min};
use crate::world::WorldState;
use carom_core::HOLE;

/// Most joints of a mechanism that is solved exactly.
pub(crate) const MOST_JOINTS: u32 = 128;
/// Joints as stiff as this, in Hz, are as rigid as can be.
pub(crate) const RIGID_HERTZ: f32 = 60.0;

/// Pins on bodies whose arms have at most this `m r^2 / I` swing them no faster than sub-steps can follow. It is 3 for a rod
/// that is pinned at its ends or a box at its corners, 2 for a disc at its rim, and more for pins outside of their bodies.
const LONGEST_ARM: f32 = 4.0;
/// The same for the ratio between the heaviest and the lightest body.
const MASS_RATIO: f32 = 30.0;

/// Joints that are solved exactly, by index in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exact {
    pub(crate) joints: Vec<u32>,
    /// Those of them whose mechanism holds a spring. A spring pulls by where its bodies are, so they may not be where the
    /// rule of free flight puts them for the time of a sub-step (`integrate.rs`): what hangs still would need a speed of
    /// half of what gravity gives in a sub-step to stay there, and damping would take a part of its weight.
    pub(crate) sprung: Vec<u32>,
}

/// The joints that act and are solved exactly.
pub(crate) fn exact_joints(world: &WorldState) -> Exact {
    // Joints and bodies lie all over memory: each joint is looked at once.
    let indices = world.joint_colors.colors().flat_map(|(_, list)| list.iter().copied().filter(|&index| index != HOLE));
    let acting: Vec<Acting> = indices.map(|index| Acting::new(world, index)).collect();
    // Bodies of one mechanism have one root.
    let mut above: Vec<u32> = (0..world.bodies.slot_count() as u32).collect();
    for joint in &acting {
        if let [Some(a), Some(b)] = joint.ends {
            let (a, b) = (root(&mut above, a), root(&mut above, b));
            above[a.max(b) as usize] = a.min(b);
        }
    }
    for &gear in &world.gears {
        let tied = tied(world, gear).into_iter().flat_map(|joint| ends(world, joint)).flatten();
        tied.reduce(|a, b| {
            let (a, b) = (root(&mut above, a), root(&mut above, b));
            above[a.max(b) as usize] = a.min(b);
            a.min(b)
        });
    }
    let mut mechanism_of = |[a, b]: [Option<u32>; 2]| a.or(b).map(|body| root(&mut above, body) as usize);
    let mut made_of = vec![MadeOf::NOTHING; world.bodies.slot_count()];
    for joint in &acting {
        if let Some(mechanism) = mechanism_of(joint.ends) {
            made_of[mechanism].add(&joint.alone);
        }
    }
    for &gear in &world.gears {
        if let Some(mechanism) = tied(world, gear).into_iter().find_map(|joint| mechanism_of(ends(world, joint))) {
            made_of[mechanism].joints += 1;
            made_of[mechanism].left_out |= world.joints[gear].def.hertz < RIGID_HERTZ;
        }
    }
    let mut exact = Exact::default();
    for joint in &acting {
        if let Some(mechanism) = mechanism_of(joint.ends).map(|number| &made_of[number]).filter(|made| made.is_exact())
        {
            exact.joints.push(joint.index);
            if mechanism.springs {
                exact.sprung.push(joint.index);
            }
        }
    }
    exact.joints.sort_unstable();
    exact.sprung.sort_unstable();
    exact
}

/// A joint that acts.
struct Acting {
    index: u32,
    /// Its dynamic bodies.
    ends: [Option<u32>; 2],
    /// A mechanism of it alone.
    alone: MadeOf,
}

impl Acting {
    fn new(world: &WorldState, index: u32) -> Acting {
        Acting { index, ends: ends(world, index), alone: MadeOf::one(world, &world.joints[index].def) }
    }
}

/// The joints that a gear ties.
fn tied(world: &WorldState, gear: u32) -> Vec<u32> {
    match world.joints[gear].def.kind {
        JointKind::Gear(gear) => vec![gear.joint_a.index(), gear.joint_b.index()],
        _ => Vec::new(),
    }
}

/// The dynamic bodies of a joint.
fn ends(world: &WorldState, index: u32) -> [Option<u32>; 2] {
    let def = &world.joints[index].def;
    [def.body_a, def.body_b].map(|body| {
        let body = body.index();
        (world.bodies[body].kind == BodyKind::Dynamic).then_some(body)
    })
}

fn root(above: &mut [u32], mut body: u32) -> u32 {
    while above[body as usize] != body {
        above[body as usize] = above[above[body as usize] as usize];
        body = above[body as usize];
    }
    body
}

/// What a joint is to its mechanism.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// A pin with a motor at most, or with limits or a spring, too.
    PlainPin,
    OtherPin,
    /// Something else with a rigid part.
    Rigid,
    /// Nothing of it is rigid.
    Soft,
}

pub(crate) fn sort_of(kind: &JointKind) -> Sort {
    match kind {
        JointKind::Revolute(Revolute { limits: None, spring: None, .. }) => Sort::PlainPin,
        JointKind::Revolute(_) => Sort::OtherPin,
        JointKind::Distance(Distance { min, max, .. }) if *min <= 0.0 && *max == f32::INFINITY => Sort::Soft,
        JointKind::Weld(Weld { linear: Some(_), angular: Some(_) }) => Sort::Soft,
        JointKind::Motor(_) | JointKind::Mouse(_) => Sort::Soft,
        _ => Sort::Rigid,
    }
}

/// Whether something of a joint pulls by how far it is from somewhere.
fn has_spring(kind: &JointKind) -> bool {
    match kind {
        JointKind::Distance(Distance { spring, .. }) => spring.is_some(),
        JointKind::Revolute(Revolute { spring, .. })
        | JointKind::Prismatic(Prismatic { spring, .. })
        | JointKind::Wheel(Wheel { spring, .. }) => spring.is_some(),
        JointKind::Weld(Weld { linear, angular }) => linear.is_some() || angular.is_some(),
        JointKind::Motor(_) | JointKind::Mouse(_) => true,
        _ => false,
    }
}

/// What a mechanism is made of.
#[derive(Clone, Copy, Debug)]
struct MadeOf {
    joints: u32,
    motors: u32,
    rigid: u32,
    plain_pins: u32,
    other_pins: u32,
    springs: bool,
    /// The largest `m r^2 / I` of an arm, and the largest and smallest inverse mass.
    arm: f32,
    inv_masses: [f32; 2],
    /// The passes keep it.
    left_out: bool,
}

impl MadeOf {
    const NOTHING: MadeOf = MadeOf {
        joints: 0,
        motors: 0,
        rigid: 0,
        plain_pins: 0,
        other_pins: 0,
        springs: false,
        arm: 0.0,
        inv_masses: [0.0, f32::INFINITY],
        left_out: false,
    };

    /// Of one joint.
    fn one(world: &WorldState, def: &JointDef) -> MadeOf {
        let sort = sort_of(&def.kind);
        let is_driven = matches!(def.kind, JointKind::Revolute(Revolute { motor: Some(_), .. }));
        let mut made = MadeOf {
            joints: 1,
            motors: u32::from(is_driven),
            rigid: u32::from(sort != Sort::Soft),
            plain_pins: u32::from(sort == Sort::PlainPin),
            other_pins: u32::from(sort == Sort::OtherPin),
            springs: has_spring(&def.kind),
            left_out: sort != Sort::Soft && def.hertz < RIGID_HERTZ,
            ..MadeOf::NOTHING
        };
        for (body, frame) in [(def.body_a, def.frame_a), (def.body_b, def.frame_b)] {
            let sim = world.sim(body.index());
            let inv_mass = max(sim.inv_mass.x, sim.inv_mass.y);
            if inv_mass > 0.0 {
                let square = (frame.p - sim.local_center).length_squared();
                made.arm = max(made.arm, square * sim.inv_inertia / inv_mass);
                made.inv_masses = [max(made.inv_masses[0], inv_mass), min(made.inv_masses[1], inv_mass)];
            }
        }
        made
    }

    fn add(&mut self, other: &MadeOf) {
        self.joints += other.joints;
        self.motors += other.motors;
        self.rigid += other.rigid;
        self.plain_pins += other.plain_pins;
        self.other_pins += other.other_pins;
        self.springs |= other.springs;
        self.arm = max(self.arm, other.arm);
        let ([most, least], [other_most, other_least]) = (self.inv_masses, other.inv_masses);
        self.inv_masses = [max(most, other_most), min(least, other_least)];
        self.left_out |= other.left_out;
    }

    fn is_exact(&self) -> bool {
        let pins_only = self.plain_pins + self.other_pins == self.joints;
        // One pin alone is solved by a pass as well as by a system; one with a motor has no energy of its own to keep.
        let is_axle = self.joints == 1 && self.motors == 1;
        let fits = self.joints <= MOST_JOINTS && self.rigid > 0 && !is_axle;
        let well_proportioned = self.arm <= LONGEST_ARM && self.inv_masses[0] <= MASS_RATIO * self.inv_masses[1];
        fits && !self.left_out && !(pins_only && self.other_pins > 0 && well_proportioned)
    }
}
