//! Runs of any kind of scene: rigid bodies, particles, and 3D bodies.

use crate::convert::from_buffer;
use crate::error::{refused, value_error};
use crate::picture::{PyPicture, checked_size, look};
use crate::world::PyWorld;
use carom_render::{View, snapshot_through};
use carom_scenes::{Run, entries, find_entry};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// A scene of any kind at some point of its run: rigid bodies ("rigid"), particles ("particles"), or balls, boxes and
/// springs in space ("solid"). A copy goes on bit for bit like the original.
///
/// >>> import carom
/// >>> run = carom.Run("cloth")
/// >>> run.step(n=10)
/// >>> run.kind, run.positions.shape[1]
/// ('particles', 2)
#[pyclass(name = "Run", module = "carom", weakref)]
pub(crate) struct PyRun {
    run: Run,
}

#[pymethods]
impl PyRun {
    #[new]
    fn new(name: &str) -> PyResult<PyRun> {
        let entry = find_entry(name).map_err(value_error)?;
        entry.build().map(|run| PyRun { run }).map_err(refused)
    }

    /// Opens a scene file: `.json`, `.xml` (particles) or `.scene` (space).
    #[staticmethod]
    fn open(path: std::path::PathBuf) -> PyResult<PyRun> {
        carom_scenes::open(&path).map(|run| PyRun { run }).map_err(value_error)
    }

    /// What kind of scene it is: "rigid", "particles" or "solid".
    #[getter]
    fn kind(&self) -> &'static str {
        match self.run {
            Run::Rigid(_) => "rigid",
            Run::Particles(_) => "particles",
            Run::Solid(_) => "solid",
        }
    }

    /// The scene's name.
    #[getter]
    fn name(&self) -> String {
        self.run.about().name.to_string()
    }

    /// How many steps the scene runs by default.
    #[getter]
    fn steps(&self) -> u32 {
        self.run.about().steps
    }

    /// Length of a step in seconds.
    #[getter]
    fn dt(&self) -> f64 {
        self.run.about().dt
    }

    /// How many steps have been made.
    #[getter]
    fn step_count(&self) -> u32 {
        self.run.step_index()
    }

    /// Simulated time in seconds.
    #[getter]
    fn time(&self) -> f64 {
        self.run.time()
    }

    /// A hash of the state: the same on every machine.
    #[getter]
    fn state_hash(&self) -> u64 {
        self.run.state_hash()
    }

    /// Makes `n` steps of the scene's own length. Other Python threads run meanwhile.
    #[pyo3(signature = (n = 1))]
    fn step(&mut self, py: Python<'_>, n: u32) -> PyResult<()> {
        let mut left = n;
        while left > 0 {
            let now = left.min(64);
            let run = &mut self.run;
            py.detach(|| (0..now).for_each(|_| run.step()));
            left -= now;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Positions of all bodies or particles in metres, as an array of two or, in 3D, three columns.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (columns, numbers): (usize, Vec<f64>) = match &self.run {
            Run::Rigid(run) => {
                let bodies = run.world.bodies().map(|id| run.world.body(id).position());
                (2, bodies.flat_map(|at| [f64::from(at.x), f64::from(at.y)]).collect())
            }
            Run::Particles(run) => {
                let places = run.scene.system.positions().iter();
                (2, places.flat_map(|at| [at.x, at.y]).collect())
            }
            Run::Solid(run) => {
                let world = &run.scene.world;
                let places = world.bodies().map(|id| world.body(id).position());
                (3, places.flat_map(|at| [at.x, at.y, at.z]).collect())
            }
        };
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_ne_bytes()).collect();
        let flat = from_buffer(py, &PyByteArray::new(py, &bytes), "f8")?;
        flat.call_method1("reshape", (numbers.len() / columns, columns))
    }

    /// The world, if the run is of rigid bodies; the run keeps a copy of its own.
    fn world(&self) -> PyResult<PyWorld> {
        match &self.run {
            Run::Rigid(run) => Ok(PyWorld::of_run((**run).clone())),
            _ => Err(value_error("only a run of kind \"rigid\" has a World")),
        }
    }

    /// A picture of the run as it is.
    #[pyo3(signature = (size = (960, 540), *, theme = "light"))]
    fn draw(&self, py: Python<'_>, size: (u32, u32), theme: &str) -> PyResult<PyPicture> {
        let (size, look) = (checked_size(size)?, look(theme, true)?);
        let run = &self.run;
        Ok(py.detach(|| PyPicture::of(&snapshot_through(run, &View::of_run(run, size), size, &look))))
    }

    /// A copy, which goes on bit for bit like the original.
    fn copy(&self) -> PyRun {
        PyRun { run: self.run.clone() }
    }

    fn __copy__(&self) -> PyRun {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyRun {
        self.copy()
    }

    fn __repr__(&self) -> String {
        format!("<Run {} ({}), t = {:.3} s>", self.run.about().name, self.kind(), self.run.time())
    }
}

/// The built-in scenes: name, group and one line of what each shows.
///
/// >>> import carom
/// >>> ("stack" in [name for name, group, summary in carom.scenes()])
/// True
#[pyfunction]
pub(crate) fn scenes() -> Vec<(&'static str, &'static str, &'static str)> {
    entries().map(|entry| (entry.name(), entry.group().name(), entry.summary())).collect()
}
