//! Leaves out single measures against jitter, to measure what each is worth.
//!
//! Nothing here runs unless [`World::leave_out`] was called.

use crate::contact::Contact;
use crate::record::Call;
use crate::solver::ContactBlock;
use crate::world::{World, WorldState};

/// A measure against jitter of the default solver that can be left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Every sub-step starts from the impulses of the last one. Left out: from none.
    WarmStarting,
    /// Overlaps are pushed out softly. Left out: a fifth of them is taken back in every sub-step, whatever moves.
    Softness,
    /// The speed that pushing apart needs is taken away after positions have moved. Left out: it stays.
    Relaxing,
    /// Loaded contacts keep their frame while only their softness moves them.
    KeptFrames,
    /// Contacts are solved in a scattered order. Left out: in that of building.
    ScatteredOrder,
    /// Contacts have points before they touch. Left out: only when they do.
    SpeculativeMargin,
    /// Edges touch in two points. Left out: in the deeper one.
    TwoPoints,
    /// What is built at rest begins with the loads that hold it. Left out: it sinks until its contacts carry it.
    InitialLoads,
}

impl Measure {
    /// All of them.
    pub const ALL: [Measure; 8] = [
        Measure::WarmStarting,
        Measure::Softness,
        Measure::Relaxing,
        Measure::KeptFrames,
        Measure::ScatteredOrder,
        Measure::SpeculativeMargin,
        Measure::TwoPoints,
        Measure::InitialLoads,
    ];
}

/// The measures that a world does without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LeftOut(pub(crate) u8);

impl LeftOut {
    pub(crate) fn contains(self, measure: Measure) -> bool {
        self.0 & (1 << measure as u8) != 0
    }

    pub(crate) fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl World {
    /// Does without a measure against jitter from now on: for measuring what it is worth, on contacts of the default
    /// solver. Scenes in which it is left out jitter, sag or fall.
    pub fn leave_out(&mut self, measure: Measure) {
        self.state.left_out.0 |= 1 << measure as u8;
        let measures = self.state.left_out.0;
        self.note(|| Call::LeaveOut { measures });
    }
}

/// A separation in metres that no sub-step closes.
const FAR_APART: f32 = 1.0e3;

/// Takes points out of the contacts that were found: those that do not touch yet, the second of two.
pub(crate) fn thin_out(world: &mut WorldState) {
    let (margin, two) = (Measure::SpeculativeMargin, Measure::TwoPoints);
    let left_out = world.left_out;
    if !left_out.contains(margin) && !left_out.contains(two) {
        return;
    }
    for index in world.awake_contacts.iter().collect::<Vec<_>>() {
        let Contact { manifold, .. } = &mut world.contacts[index];
        let points = &mut manifold.points;
        if let [p, q] = &mut points[..]
            && left_out.contains(two)
        {
            let shallower = if p.separation <= q.separation { q } else { p };
            shallower.separation = FAR_APART;
        }
        if left_out.contains(margin) {
            for point in points.iter_mut().filter(|point| point.separation > 0.0) {
                point.separation = FAR_APART;
            }
        }
    }
}

/// Forgets the impulses of the last sub-step.
pub(crate) fn forget_impulses(blocks: &mut [ContactBlock]) {
    for block in blocks {
        for point in &mut block.points {
            (point.normal_impulse.0, point.tangent_impulse.0) = Default::default();
        }
    }
}
