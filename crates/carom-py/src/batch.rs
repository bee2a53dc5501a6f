//! Many copies of a world, stepped together.

use crate::convert::{array, number, numbers, whole};
use crate::error::{busy, refused, value_error};
use crate::world::PyWorld;
use carom_threads::Team;
use carom2d::math::{Vec2, vec2};
use carom2d::{BodyId, BodyMut, BodyRef, DefError, JointId, JointKind, QueryFilter, World};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// `n` copies of a world, which step together on all cores and are read and written as arrays whose first axis is the
/// world. Bodies and joints are those of the world that was copied, in the order of its handles. Each copy goes on bit for
/// bit as it would alone.
///
/// >>> import carom, numpy as np
/// >>> world = carom.World()
/// >>> ball = world.add_body(position=(0, 10), shapes=carom.circle(0.5))
/// >>> batch = carom.BatchWorld(world, 8)
/// >>> batch.gravity = np.stack([np.zeros(8), -np.arange(8)], axis=1)
/// >>> batch.step(n=60)
/// >>> batch.positions.shape
/// (8, 1, 2)
/// >>> bool((np.diff(batch.positions[:, 0, 1]) < 0).all())
/// True
#[pyclass(name = "BatchWorld", module = "carom", weakref)]
pub(crate) struct PyBatch {
    worlds: Vec<World>,
    /// What a reset returns to.
    start: World,
    bodies: Vec<BodyId>,
    joints: Vec<JointId>,
    team: Team,
    dt: f32,
}

impl PyBatch {
    /// A row of numbers for each body of each world, as an array of shape (worlds, bodies, N).
    fn read<'py, const N: usize>(
        &self,
        py: Python<'py>,
        row: impl Fn(BodyRef<'_>) -> [f32; N],
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut rows = Vec::with_capacity(self.worlds.len() * self.bodies.len());
        for world in &self.worlds {
            // A removed body has no position.
            rows.extend(self.bodies.iter().map(|&id| world.get_body(id).map_or([f32::NAN; N], &row)));
        }
        let flat = array(py, rows.into_iter())?;
        let shape = (self.worlds.len(), self.bodies.len(), N);
        if N == 1 { flat.call_method1("reshape", (shape.0, shape.1)) } else { flat.call_method1("reshape", shape) }
    }

    /// Gives each body of each world its row of an array.
    fn write<const N: usize>(
        &mut self,
        name: &str,
        value: &Bound<'_, PyAny>,
        set: impl Fn(&mut BodyMut<'_>, [f32; N]) -> Result<(), DefError>,
    ) -> PyResult<()> {
        let (worlds, bodies) = (self.worlds.len(), self.bodies.len());
        let shape: &[usize] = if N == 1 { &[worlds, bodies] } else { &[worlds, bodies, N] };
        let values = finite(name, numbers(name, value, shape)?)?;
        let mut rows = values.chunks_exact(N);
        for world in &mut self.worlds {
            for (&id, row) in self.bodies.iter().zip(&mut rows) {
                let mut numbers = [0.0; N];
                numbers.copy_from_slice(row);
                set(&mut world.body_mut(id), numbers).map_err(refused)?;
            }
        }
        Ok(())
    }

    /// Calls a function for each world, on as many threads as there are. Each world is one thread's, so nothing depends on
    /// how many there are.
    fn each(worlds: &mut [World], team: &Team, work: impl Fn(&mut World) + Sync) {
        let crew = team.call();
        let grain = crew.grain(worlds.len(), 1);
        crew.for_chunks(worlds, grain, |_, piece| piece.iter_mut().for_each(&work));
    }
}

fn finite(name: &str, values: Vec<f32>) -> PyResult<Vec<f32>> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(bad) => Err(value_error(format!("{name} has {bad} in it; expected finite numbers"))),
        None => Ok(values),
    }
}

/// An array of bytes or words with one entry for each world.
fn flat<'py>(py: Python<'py>, bytes: &[u8], dtype: &str) -> PyResult<Bound<'py, PyAny>> {
    crate::convert::from_buffer(py, &PyByteArray::new(py, bytes), dtype)
}

#[pymethods]
impl PyBatch {
    #[new]
    #[pyo3(signature = (world, n, *, threads = None))]
    fn new(world: &Bound<'_, PyWorld>, n: usize, threads: Option<usize>) -> PyResult<PyBatch> {
        if !(1..=1_000_000).contains(&n) {
            return Err(value_error(format!("n is {n}; expected a whole number from 1 to 1000000")));
        }
        let run = &world.try_borrow().map_err(|_| busy())?.run;
        if run.is_scripted() || !run.companions.is_empty() {
            return Err(value_error("a batch holds worlds alone: no scripts of scenes, fields or soft bodies"));
        }
        let mut start = run.world.clone();
        let def = carom2d::WorldDef { threads: 1, ..*start.def() };
        start.set_def(def).map_err(refused)?;
        Ok(PyBatch {
            worlds: vec![start.clone(); n],
            bodies: start.bodies().collect(),
            joints: start.joints().collect(),
            start,
            team: Team::new(threads.unwrap_or_else(Team::available)),
            dt: run.dt(),
        })
    }

    fn __len__(&self) -> usize {
        self.worlds.len()
    }

    /// How many bodies each world has.
    #[getter]
    fn body_count(&self) -> usize {
        self.bodies.len()
    }

    /// How many joints each world has.
    #[getter]
    fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// Makes `n` steps of `dt` seconds in each world. Other Python threads run meanwhile.
    #[pyo3(signature = (dt = None, n = 1))]
    fn step(&mut self, py: Python<'_>, dt: Option<&Bound<'_, PyAny>>, n: u32) -> PyResult<()> {
        let dt = dt.filter(|dt| !dt.is_none()).map_or(Ok(self.dt), |dt| number("dt", dt))?;
        if !(1.0e-6..=1.0).contains(&dt) {
            return Err(value_error(format!("dt is {dt}; expected a number from 1e-6 to 1 second")));
        }
        let (worlds, team) = (&mut self.worlds, &self.team);
        py.detach(|| PyBatch::each(worlds, team, |world| (0..n).for_each(|_| world.step(dt))));
        Ok(())
    }

    /// Puts worlds back to the start: those of the given numbers, or all.
    #[pyo3(signature = (worlds = None))]
    fn reset(&mut self, py: Python<'_>, worlds: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let count = self.worlds.len();
        let mut chosen = vec![worlds.is_none(); count];
        for index in worlds.map(|worlds| worlds.try_iter()).transpose()?.into_iter().flatten() {
            let index: usize = whole("worlds", &index?)?;
            *chosen.get_mut(index).ok_or_else(|| value_error(format!("there is no world {index} of {count}")))? = true;
        }
        let (worlds, start) = (&mut self.worlds, &self.start);
        py.detach(|| {
            for (world, _) in worlds.iter_mut().zip(chosen).filter(|(_, chosen)| *chosen) {
                world.clone_from(start);
            }
        });
        Ok(())
    }

    /// One of the worlds, as a copy that goes on alone.
    fn world(&self, index: usize) -> PyResult<PyWorld> {
        let world = self.worlds.get(index).ok_or_else(|| value_error(format!("there is no world {index}")))?;
        Ok(PyWorld::own(world.clone()))
    }

    /// A hash of the state of each world.
    #[getter]
    fn state_hashes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bytes: Vec<u8> = self.worlds.iter().flat_map(|world| world.state_hash().to_ne_bytes()).collect();
        flat(py, &bytes, "u8")
    }

    /// Gravity of each world in m/s^2, as an array of shape (worlds, 2).
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        array(py, self.worlds.iter().map(|world| world.gravity().to_array()))
    }

    #[setter]
    fn set_gravity(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let values = finite("gravity", numbers("gravity", value, &[self.worlds.len(), 2])?)?;
        for (world, row) in self.worlds.iter_mut().zip(values.chunks_exact(2)) {
            world.set_gravity(vec2(row[0], row[1])).map_err(refused)?;
        }
        Ok(())
    }

    /// Positions in metres, as an array of shape (worlds, bodies, 2).
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, |body| body.position().to_array())
    }

    #[setter]
    fn set_positions(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write("positions", value, |body, [x, y]| body.set_position(vec2(x, y)))
    }

    /// Angles in radians, as an array of shape (worlds, bodies).
    #[getter]
    fn angles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, |body| [body.angle()])
    }

    #[setter]
    fn set_angles(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write("angles", value, |body, [angle]| body.set_angle(angle))
    }

    /// Velocities in m/s, as an array of shape (worlds, bodies, 2).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, |body| body.velocity().to_array())
    }

    #[setter]
    fn set_velocities(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write("velocities", value, |body, [x, y]| body.set_velocity(vec2(x, y)))
    }

    /// Angular velocities in rad/s, as an array of shape (worlds, bodies).
    #[getter]
    fn angular_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.read(py, |body| [body.angular_velocity()])
    }

    #[setter]
    fn set_angular_velocities(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write("angular_velocities", value, |body, [speed]| body.set_angular_velocity(speed))
    }

    /// Applies a force to each body for the next step: an array of shape (worlds, bodies, 2), in N.
    fn apply_forces(&mut self, forces: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write("forces", forces, |body, [x, y]| body.apply_force(vec2(x, y)))
    }

    /// Applies a torque to each body for the next step: an array of shape (worlds, bodies), in N m.
    fn apply_torques(&mut self, torques: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write("torques", torques, |body, [torque]| body.apply_torque(torque))
    }

    /// Sets the speeds of motors: an array of shape (worlds, joints). Joints without a motor take no notice.
    fn set_motor_speeds(&mut self, speeds: &Bound<'_, PyAny>) -> PyResult<()> {
        let shape = [self.worlds.len(), self.joints.len()];
        let values = finite("speeds", numbers("speeds", speeds, &shape)?)?;
        let mut values = values.into_iter();
        for world in &mut self.worlds {
            for (&id, speed) in self.joints.iter().zip(&mut values) {
                if let Some(mut joint) = world.get_joint_mut(id).filter(|joint| has_motor(joint.get().kind())) {
                    joint.set_motor_speed(speed).map_err(refused)?;
                }
            }
        }
        Ok(())
    }

    /// Casts rays in each world: origins and translations of shape (worlds, rays, 2). Returns the fraction of the way at
    /// which each met something, 1 for nothing, as an array of shape (worlds, rays). `mask` is what they see.
    #[pyo3(signature = (origins, translations, *, mask = u64::MAX))]
    fn rays<'py>(
        &self,
        py: Python<'py>,
        origins: &Bound<'py, PyAny>,
        translations: &Bound<'py, PyAny>,
        mask: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        let count = origins.getattr("shape").and_then(|shape| shape.get_item(1)?.extract::<usize>());
        let count = count.map_err(|_| value_error("origins takes an array of shape (worlds, rays, 2)"))?;
        let shape = [self.worlds.len(), count, 2];
        let origins = finite("origins", numbers("origins", origins, &shape)?)?;
        let ways = finite("translations", numbers("translations", translations, &shape)?)?;
        let mut filter = QueryFilter::default();
        filter.filter.mask = mask;
        let found = py.detach(|| -> Result<Vec<[f32; 1]>, DefError> {
            let mut fractions = Vec::with_capacity(self.worlds.len() * count);
            let rays = origins.chunks_exact(2).zip(ways.chunks_exact(2));
            for (index, (from, way)) in rays.enumerate() {
                let (from, way): (Vec2, Vec2) = (vec2(from[0], from[1]), vec2(way[0], way[1]));
                let hit = self.worlds[index / count].ray_closest(from, way, filter)?;
                fractions.push([hit.map_or(1.0, |hit| hit.fraction)]);
            }
            Ok(fractions)
        });
        let flat = array(py, found.map_err(refused)?.into_iter())?;
        flat.call_method1("reshape", (self.worlds.len(), count))
    }

    fn __repr__(&self) -> String {
        format!("<BatchWorld of {} worlds, {} bodies each>", self.worlds.len(), self.bodies.len())
    }
}

fn has_motor(kind: &JointKind) -> bool {
    match kind {
        JointKind::Distance(joint) => joint.motor.is_some(),
        JointKind::Revolute(joint) => joint.motor.is_some(),
        JointKind::Prismatic(joint) => joint.motor.is_some(),
        JointKind::Wheel(joint) => joint.motor.is_some(),
        _ => false,
    }
}
