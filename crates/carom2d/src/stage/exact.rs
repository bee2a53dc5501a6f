//! Which joints the default solver solves exactly.
//!
//! Passes that go from joint to joint need many sub-steps until the ends of a long chain know of each other. Until then its
//! pins stay open, heavy loads sink through bridges, and light links on long arms swing against each other faster than a
//! sub-step can follow. A mechanism of rigid joints is a system of equations without inequalities, which a sparse
//! factorisation solves at once, at a cost that grows with its size for chains and trees and little more for trusses. So
//! mechanisms that are small enough are solved by the method of the direct solver (`direct.rs`), and their contacts after
//! them, as those of any joint.
//!
//! A mechanism is what joints hold together, walls and kinematic bodies not counted. Limits, springs and gears in it, and
//! rigid joints that are asked to be soft, leave all of it to the passes.

use crate::body::BodyKind;
use crate::joint::{Distance, JointDef, JointKind, Prismatic, Revolute, Weld};
use crate::world::World;
use carom_core::HOLE;

/// Most joints of a mechanism that is solved exactly.
const MOST_JOINTS: u32 = 128;
/// Joints as stiff as this, in Hz, are as rigid as can be.
const RIGID_HERTZ: f32 = 60.0;

/// The joints that act and are solved exactly, by index in ascending order.
pub(crate) fn exact_joints(world: &World) -> Vec<u32> {
    let acting = || world.joint_colors.colors().flat_map(|(_, list)| list.iter().copied().filter(|&index| index != HOLE));
    // Bodies of one mechanism have one root.
    let mut above: Vec<u32> = (0..world.bodies.slot_count() as u32).collect();
    for index in acting() {
        if let [Some(a), Some(b)] = ends(world, index) {
            let (a, b) = (root(&mut above, a), root(&mut above, b));
            above[a.max(b) as usize] = a.min(b);
        }
    }
    let mut of_joint = |index: u32| {
        let [a, b] = ends(world, index);
        a.or(b).map(|body| root(&mut above, body) as usize)
    };
    let mut counts = vec![0u32; world.bodies.slot_count()];
    for index in acting() {
        if let Some(mechanism) = of_joint(index) {
            let some = if is_rigid(&world.joints[index].def) { 1 } else { MOST_JOINTS + 1 };
            counts[mechanism] = counts[mechanism].saturating_add(some);
        }
    }
    for &gear in &world.gears {
        let JointKind::Gear(gear) = world.joints[gear].def.kind else { continue };
        for mechanism in [gear.joint_a, gear.joint_b].iter().filter_map(|joint| of_joint(joint.index())) {
            counts[mechanism] = MOST_JOINTS + 1;
        }
    }
    let mut exact: Vec<u32> =
        acting().filter(|&index| of_joint(index).is_some_and(|mechanism| counts[mechanism] <= MOST_JOINTS)).collect();
    exact.sort_unstable();
    exact
}

/// The dynamic bodies of a joint.
fn ends(world: &World, index: u32) -> [Option<u32>; 2] {
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

/// True for joints that are nothing but equations, with a motor at most.
fn is_rigid(def: &JointDef) -> bool {
    def.hertz >= RIGID_HERTZ
        && match def.kind {
            JointKind::Revolute(Revolute { limits, spring, .. }) => limits.is_none() && spring.is_none(),
            JointKind::Prismatic(Prismatic { limits, spring, .. }) => limits.is_none() && spring.is_none(),
            JointKind::Weld(Weld { linear, angular }) => linear.is_none() && angular.is_none(),
            JointKind::Distance(Distance { min, max, spring, .. }) => min == max && spring.is_none(),
            _ => false,
        }
}
