//! Fluids: regions of the world in which bodies float, and are slowed down or carried along.
//!
//! By Archimedes a fluid of density `rho` pushes on the area `A` of a shape inside it with `-rho A g`, through
//! the centroid of that area. Area and centroid are exact (see `shape/boundary.rs`), so a body floats as deep
//! as its density says and rights itself as its form says. Drag is in `medium.rs`.
//!
//! Lift is a spring to the step: it is stable for `w dt < 2` with `w^2 = rho g / (rho_b height)`, `rho_b` the
//! density of the body. At 60 Hz that is a body of 1 m height 1400 times lighter than the fluid; one that is
//! thinner or lighter still jumps about, unless drag holds it.

use crate::body::BodyState;
use crate::error::{DefError, finite, finite2, non_negative};
use crate::math::{Aabb, Vec2, vec2};
use crate::medium::{Drag, Halfway, Medium, Wrench};
use crate::record::Call;
use crate::sets::FIRST_SLEEPING;
use crate::shape::boundary::{Boundary, HalfPlane};
use crate::shape::double::Double2;
use crate::shape::{Concave, MAX_COORDINATE};
use crate::stage::StepContext;
use crate::world::{World, WorldState};

carom_core::define_id! {
    /// A handle to a fluid.
    pub struct FluidId;
}

/// Where a fluid is.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FluidRegion {
    /// Everywhere below a height, in metres: a sea.
    Below(f32),
    /// In a box: a pool. Its upper edge is the surface.
    Box(Aabb),
    /// In a polygon of any form that does not cross itself, clockwise or counter-clockwise.
    Polygon(Vec<Vec2>),
}

/// Describes a fluid to add to a world.
///
/// ```
/// use carom2d::prelude::*;
/// let mut world = World::new(WorldDef::default());
/// world.add_fluid(FluidDef { density: 2.0, linear_drag: 4.0, ..FluidDef::default() })?;
/// let raft = world.add_body(BodyDef::dynamic())?;
/// world.add_shape(raft, ShapeDef { density: 0.5, ..ShapeDef::rectangle(4.0, 1.0) })?;
/// for _ in 0..600 {
///     world.step(1.0 / 60.0);
/// }
/// // A quarter as dense as the fluid: a quarter of its height is below the surface.
/// assert!((world.body(raft).position().y - 0.25).abs() < 0.001);
/// # Ok::<(), DefError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default))]
pub struct FluidDef {
    /// Where the fluid is. Default: everywhere below the height 0.
    pub region: FluidRegion,
    /// Mass per area in kg/m^2, at least 0. Default 1, as that of shapes. What is less dense floats.
    pub density: f32,
    /// Force in N per m/s and m^2 of what is inside, at least 0. Default 1. Raising it calms bodies sooner.
    pub linear_drag: f32,
    /// Coefficient of the drag that grows with the square of the speed: the force is
    /// `density / 2 * quadratic_drag * width * speed^2`, with the width of the faces that go ahead. At least 0.
    /// Default 0.
    pub quadratic_drag: f32,
    /// Velocity of the fluid in m/s, which drag carries bodies towards. Default 0.
    pub flow: Vec2,
}

impl Default for FluidDef {
    fn default() -> FluidDef {
        FluidDef {
            region: FluidRegion::Below(0.0),
            density: 1.0,
            linear_drag: 1.0,
            quadratic_drag: 0.0,
            flow: Vec2::ZERO,
        }
    }
}

/// A fluid as the step sees it.
#[derive(Clone, Debug)]
pub(crate) struct Fluid {
    pub(crate) def: FluidDef,
    /// Convex regions that do not overlap, each where all its half-planes do.
    cells: Vec<Cell>,
}

#[derive(Clone, Debug)]
struct Cell {
    planes: Vec<HalfPlane>,
    aabb: Aabb,
}

impl Cell {
    fn of_corners(corners: &[Vec2]) -> Cell {
        let plane = |i: usize| {
            let (a, b) = (Double2::from(corners[i]), Double2::from(corners[(i + 1) % corners.len()]));
            let edge = b - a;
            let normal = Double2::new(edge.y, -edge.x) / edge.length();
            HalfPlane { normal, offset: normal.dot(a) }
        };
        Cell { planes: (0..corners.len()).map(plane).collect(), aabb: Aabb::around(corners) }
    }
}

impl FluidDef {
    pub(crate) fn build(self) -> Result<Fluid, DefError> {
        if !(0.0..=1.0e9).contains(&self.density) {
            return Err(DefError::field("FluidDef.density", self.density, "a number from 0 to 1e9 kg/m^2"));
        }
        non_negative("FluidDef.linear_drag", self.linear_drag)?;
        non_negative("FluidDef.quadratic_drag", self.quadratic_drag)?;
        finite2("FluidDef.flow", self.flow)?;
        let cells = match &self.region {
            &FluidRegion::Below(level) => {
                finite("FluidRegion.level", level)?;
                let far = 4.0 * MAX_COORDINATE;
                vec![Cell {
                    planes: vec![HalfPlane { normal: Double2::new(0.0, 1.0), offset: f64::from(level) }],
                    aabb: Aabb::new(vec2(-far, f32::MIN), vec2(far, level)),
                }]
            }
            FluidRegion::Box(aabb) => {
                let size = aabb.max - aabb.min;
                if !(aabb.is_valid() && size.is_finite() && size.x > 0.0 && size.y > 0.0) {
                    let expected = "finite corners, min below max in x and y";
                    return Err(DefError::field("FluidRegion.box", aabb, expected));
                }
                let (min, max) = (aabb.min, aabb.max);
                vec![Cell::of_corners(&[min, vec2(max.x, min.y), max, vec2(min.x, max.y)])]
            }
            FluidRegion::Polygon(points) => {
                Concave::new(points, &[])?.parts().iter().map(|part| Cell::of_corners(part.vertices())).collect()
            }
        };
        Ok(Fluid { def: self, cells })
    }
}

impl World {
    /// Adds a fluid. Bodies that sleep in it wake.
    ///
    /// It acts on every shape of a dynamic body that is not a sensor. Where shapes of one body overlap each
    /// other, or fluids do, each counts.
    pub fn add_fluid(&mut self, def: FluidDef) -> Result<FluidId, DefError> {
        self.note(|| Call::AddFluid { def: def.clone() });
        let fluid = def.build()?;
        let id = self.state.fluids.insert(fluid);
        self.state.wake_in_fluid(id);
        Ok(id)
    }

    /// Changes a fluid. Bodies that sleep where it was or is wake.
    pub fn set_fluid(&mut self, id: FluidId, def: FluidDef) -> Result<(), DefError> {
        self.note(|| Call::SetFluid { id, def: def.clone() });
        self.state.check_fluid(id)?;
        let fluid = def.build()?;
        self.state.wake_in_fluid(id);
        self.state.fluids[id.index()] = fluid;
        self.state.wake_in_fluid(id);
        Ok(())
    }

    /// Removes a fluid. Bodies that sleep in it wake.
    pub fn remove_fluid(&mut self, id: FluidId) -> Result<(), DefError> {
        self.note(|| Call::RemoveFluid { id });
        self.state.check_fluid(id)?;
        self.state.wake_in_fluid(id);
        self.state.fluids.remove(id);
        Ok(())
    }

    /// The definition of a fluid, if the handle is valid.
    pub fn fluid(&self, id: FluidId) -> Option<&FluidDef> {
        self.state.fluids.get(id).map(|fluid| &fluid.def)
    }

    /// Handles of all fluids, in the order of their indices.
    pub fn fluids(&self) -> impl Iterator<Item = FluidId> + '_ {
        self.state.fluids.ids()
    }
}

impl WorldState {
    fn check_fluid(&self, id: FluidId) -> Result<(), DefError> {
        if self.fluids.contains(id) { Ok(()) } else { Err(DefError::stale(id)) }
    }

    fn wake_in_fluid(&mut self, id: FluidId) {
        let cells = &self.fluids[id.index()].cells;
        let asleep_inside = |index: u32, shape: &crate::attach::Shape| {
            self.bodies[shape.body].set >= FIRST_SLEEPING
                && cells.iter().any(|cell| cell.aabb.overlaps(&self.tight_aabb(index)))
        };
        let bodies: Vec<u32> = self
            .shapes
            .iter()
            .filter(|(id, shape)| asleep_inside(id.index(), shape))
            .map(|(_, shape)| shape.body)
            .collect();
        for body in bodies {
            self.wake(body);
        }
    }
}

/// A body in a fluid creeps to the depth at which it floats: it is at rest only below this part of its sleep
/// speed, or it would fall asleep on the way.
const CREEP: f32 = 0.02;

/// Buoyancy and drag become forces for this step, one fluid after the other.
pub(crate) fn apply_fluids(world: &mut WorldState, context: &StepContext) {
    if world.fluids.is_empty() {
        return;
    }
    let fluids: Vec<u32> = world.fluids.ids().map(|id| id.index()).collect();
    for fluid in fluids {
        for index in 0..world.sets.awake().sims.len() {
            let awake = world.sets.awake();
            if awake.states[index].flags & BodyState::MOVABLE == 0 {
                continue;
            }
            if let Some(wrench) = fluid_wrench(world, &world.fluids[fluid], index, context) {
                let awake = world.sets.awake_mut();
                let (sim, state) = (&mut awake.sims[index], &awake.states[index]);
                sim.push(&wrench);
                let speed = state.velocity.length() + state.angular_velocity.abs() * sim.extent;
                if speed > CREEP * world.bodies[sim.body].sleep_speed {
                    sim.sleep_time_s = 0.0;
                }
            }
        }
    }
}

/// What a fluid does to an awake body; none if they do not meet.
fn fluid_wrench(world: &WorldState, fluid: &Fluid, index: usize, context: &StepContext) -> Option<Wrench> {
    let (sim, state) = (&world.sets.awake().sims[index], &world.sets.awake().states[index]);
    let def = &fluid.def;
    // What a shape can reach until the middle of the step.
    let reach = (state.velocity.length() + state.angular_velocity.abs() * sim.extent) * context.dt;
    let body = Halfway::of(sim, state, context.gravity, context.dt);
    let mut lift = Wrench::ZERO;
    let mut inside = Vec::new();
    for &shape in &world.bodies[sim.body].shapes {
        let shape = &world.shapes[shape];
        // What has parts is seen by its parts.
        if shape.sensor || !shape.parts.is_empty() {
            continue;
        }
        let around = shape.geometry.aabb(sim.pose()).grown(reach);
        let near = |cell: &&Cell| around.overlaps(&cell.aabb);
        for cell in fluid.cells.iter().filter(near) {
            let mut boundary = Boundary::of(&shape.geometry, body.rotation, body.local_center);
            for plane in &cell.planes {
                boundary.clip(&plane.seen_from(body.center));
            }
            if boundary.is_empty() {
                continue;
            }
            let moments = boundary.moments();
            let pressure = Double2::from(context.gravity) * -f64::from(def.density);
            lift.add(pressure * moments.area, moments.first.cross(pressure));
            inside.push((boundary, moments));
        }
    }
    if inside.is_empty() {
        return None;
    }
    // Drag resists what gravity, lift and all else have done by the end of the step.
    let mut lifted = *sim;
    lifted.push(&lift);
    let body = Halfway::of(&lifted, state, context.gravity, context.dt);
    let medium = Medium {
        velocity: def.flow,
        linear: f64::from(def.linear_drag),
        quadratic: 0.5 * f64::from(def.density) * f64::from(def.quadratic_drag),
    };
    let mut drag = Drag::NONE;
    for (boundary, moments) in &inside {
        medium.add_drag(&body, boundary, moments, &mut drag);
    }
    let Wrench { force, torque } = medium.settle(&body, &drag);
    lift.add(force, torque);
    Some(lift)
}
