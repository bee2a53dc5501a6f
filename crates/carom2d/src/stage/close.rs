//! Closes what an impact tore open.
//!
//! A pass goes from joint to joint and then over the contacts. A limb that hits the floor at 6 m/s stops in the pass in which
//! it does so, and what is pinned to it goes on for that sub-step, by 25 mm at 240 Hz; the next joint learns of it one pass
//! later. Softness closes such pins within some steps, but until then people are seen to fall apart. So after the last
//! sub-step mechanisms with limits whose pins are open, or beyond their limits, by more than may be seen are moved to where
//! they are not, all pins of one mechanism at once and without leaving any velocity, as the direct solver does it
//! (`direct.rs`). That costs as much as some passes, and most mechanisms do not need it in most steps.
//!
//! Mechanisms without limits are solved exactly (`exact.rs`) unless they are too large, and then are too large here as well.

use super::StepContext;
use super::joints::{list_joints, unlist_joints};
use crate::body::BodyKind;
use crate::collide::LINEAR_SLOP;
use crate::joint::JointKind;
use crate::joint::constraint::{JointConstraints, JointInput};
use crate::joint::exact::{MOST_JOINTS, RIGID_HERTZ};
use crate::motion::Motions;
use crate::solver::BodyMass;
use crate::solver::system::{Problem, System};
use crate::world::WorldState;

/// How far pins may be open in metres, and beyond their limits in radians.
pub(crate) const OPEN: f32 = LINEAR_SLOP;
pub(crate) const BEYOND: f32 = 1.0 / 64.0;

/// What is left of both.
const LEFT: f64 = 1.0e-3;

pub(crate) fn close_joints(
    world: &mut WorldState,
    solved: &mut JointConstraints,
    closing: &mut System,
    (masses, motions): (&[BodyMass], &Motions),
    context: &StepContext,
) {
    solved.closed.clear();
    let states = &world.sets.awake().states;
    let JointConstraints { hinges, joints, exact, .. } = &mut *solved;
    let mut open: Vec<u32> = hinges.iter().flat_map(|hinge| hinge.open_joints()).collect();
    open.extend(joints[..exact.start].iter_mut().filter_map(|joint| joint.is_open(states)));
    if open.is_empty() {
        return;
    }
    let mut is_found = vec![false; world.joints.slot_count()];
    for joint in open {
        if !is_found[joint as usize] {
            let mut mechanism = mechanism_of(world, joint, &mut is_found);
            if is_closable(world, &mechanism) {
                mechanism.sort_unstable();
                // One at a time: some need more rounds than others.
                let input = JointInput { world, masses, motions, context, warmth: 0.0 };
                let listed = list_joints(&input, solved, &mechanism);
                let awake = world.sets.awake_mut();
                let mut problem = Problem {
                    sims: &awake.sims,
                    states: &mut awake.states,
                    bodies: &world.bodies,
                    joints: &mut solved.joints,
                    gears: &mut [],
                    blocks: &mut [],
                    extras: &mut [],
                    substep: context.substeps,
                };
                closing.close(&mut problem, context, listed.clone(), LEFT);
                unlist_joints(solved, &awake.states, context, listed);
            }
        }
    }
}

/// The joints that hang together with one, one more than the most at most, each marked.
fn mechanism_of(world: &WorldState, joint: u32, is_found: &mut [bool]) -> Vec<u32> {
    let mut found = vec![joint];
    is_found[joint as usize] = true;
    let mut next = 0;
    while let Some(&joint) = found.get(next) {
        next += 1;
        let def = &world.joints[joint].def;
        for body in [def.body_a.index(), def.body_b.index()] {
            if world.bodies[body].kind != BodyKind::Dynamic {
                continue;
            }
            for &other in &world.bodies[body].joints {
                if !is_found[other as usize] && found.len() <= MOST_JOINTS as usize {
                    is_found[other as usize] = true;
                    found.push(other);
                }
            }
        }
    }
    found
}

/// Whether a mechanism is small enough, and nothing in it is meant to give way.
fn is_closable(world: &WorldState, mechanism: &[u32]) -> bool {
    let is_rigid_pin = |&joint: &u32| {
        let joint = &world.joints[joint];
        matches!(joint.def.kind, JointKind::Revolute(_)) && joint.def.hertz >= RIGID_HERTZ && joint.slot.is_some()
    };
    mechanism.len() <= MOST_JOINTS as usize && mechanism.iter().all(is_rigid_pin)
}
