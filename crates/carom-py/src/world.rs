//! The world, as Python sees it: a scene and its companions, of which the world is the larger part.

use crate::body::PyBody;
use crate::convert::{each_keyword, flag, number, pair, point, text};
use crate::error::{busy, refused, stale, value_error};
use crate::events::{PyContact, PyEvents};
use crate::hooks::PyHooks;
use crate::joint::{PyJoint, joint_def};
use crate::keywords::{WORLD_NAMES, body_def, body_kind, query_filter, read_world_field, world_def, world_field};
use crate::shape::{PyShape, PyShapeDef};
use crate::vector::{PyVec2, vector};
use carom_scenes::{About, BuildOptions, Camera, Run, SceneWorld};
use carom2d::math::{Aabb, Pose, vec2};
use carom2d::{
    BodyId, BodyKind, CastResult, ExplosionDef, FluidDef, FluidId, FluidRegion, Hooks, ShapeId, World, WorldDef,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::time::{Duration, Instant};

/// A world of rigid bodies that steps through time. Lengths are in metres, masses in kilograms, angles in radians
/// counter-clockwise; y points up.
///
/// Keywords are the engine's settings, which are attributes as well: `gravity`, `substeps`, `friction_mix`,
/// `restitution_mix`, `restitution_speed`, `hit_speed`, `contact_hertz`, `contact_damping`, `push_out_speed`,
/// `max_speed`, `continuous`, `sleeping`, `sleep_delay_s`, `solver`, `broad_phase`, `threads`, `fixed_step_s`,
/// `max_catch_up`.
///
/// >>> import carom
/// >>> world = carom.World(gravity=(0, -9.81))
/// >>> ground = world.add_body("fixed", shapes=carom.rectangle(100, 1))
/// >>> brick = world.add_body(position=(0, 4), shapes=carom.rectangle(1, 0.5, friction=0.4))
/// >>> world.step(n=120)
/// >>> abs(brick.position.y - 0.75) < 0.01
/// True
///
/// A copy (`copy.copy` or `copy.deepcopy`) goes on bit for bit like the original:
///
/// >>> import copy
/// >>> twin = copy.copy(world)
/// >>> world.step(n=10); twin.step(n=10)
/// >>> world.state_hash == twin.state_hash
/// True
#[pyclass(name = "World", module = "carom", weakref, subclass)]
pub(crate) struct PyWorld {
    pub(crate) run: SceneWorld,
    /// Simulated time in seconds.
    time: f64,
    /// Is it a world of the caller's, not a scene? Then pictures look at all there is.
    pub(crate) own: bool,
}

/// How long a call goes on before it looks whether the user interrupts it.
const PATIENCE: Duration = Duration::from_millis(100);

impl PyWorld {
    /// Borrows a world to read.
    #[inline]
    pub(crate) fn look<'py>(world: &Py<PyWorld>, py: Python<'py>) -> PyResult<PyRef<'py, PyWorld>> {
        world.bind(py).try_borrow().map_err(|_| busy())
    }

    /// Borrows a world to change.
    #[inline]
    pub(crate) fn touch<'py>(world: &Py<PyWorld>, py: Python<'py>) -> PyResult<PyRefMut<'py, PyWorld>> {
        world.bind(py).try_borrow_mut().map_err(|_| busy())
    }

    /// A world of the caller's.
    pub(crate) fn own(world: World) -> PyWorld {
        let about = About {
            name: "world".into(),
            summary: "".into(),
            steps: 600,
            dt: step_length(world.def().fixed_step_s),
            camera: Camera { center: vec2(0.0, 0.0), half_height: 5.0 },
        };
        PyWorld { run: SceneWorld::new(about, world), time: 0.0, own: true }
    }

    /// A run of a scene.
    pub(crate) fn of_run(run: SceneWorld) -> PyWorld {
        let time = run.time();
        PyWorld { run, time, own: false }
    }

    fn world(&self) -> &World {
        &self.run.world
    }

    /// Fails if more than the world decides what happens.
    fn check_alone(&self) -> PyResult<()> {
        if self.run.is_scripted() || !self.run.companions.is_empty() {
            return Err(value_error("a snapshot holds a world alone: no scripts of scenes, fields or soft bodies"));
        }
        Ok(())
    }

    /// The settings of a step, checked.
    fn step_of(&self, dt: Option<&Bound<'_, PyAny>>) -> PyResult<(f32, f64)> {
        let Some(dt) = dt.filter(|dt| !dt.is_none()) else { return Ok((self.run.dt(), self.run.about().dt)) };
        let exact: f64 = dt.extract().map_err(|_| PyTypeError::new_err("dt must be a number of seconds"))?;
        if !(1.0e-6..=1.0).contains(&exact) {
            return Err(PyValueError::new_err(format!("dt is {exact}; expected a number from 1e-6 to 1 second")));
        }
        Ok((exact as f32, exact))
    }
}

/// The step in double precision that single precision stands for: 1/60 itself.
fn step_length(dt: f32) -> f64 {
    let rate = (1.0 / f64::from(dt)).round();
    if (1.0 / rate) as f32 == dt { 1.0 / rate } else { f64::from(dt) }
}

/// Assigns attributes by keywords.
pub(crate) fn set_attributes(to: &Bound<'_, PyAny>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
    let Some(settings) = settings else { return Ok(()) };
    for (name, value) in settings {
        let name: String = name.extract()?;
        to.setattr(name.as_str(), value)?;
    }
    Ok(())
}

/// The handle of a body: a body, or the number that :attr:`Body.id` is.
fn body_id(name: &str, value: &Bound<'_, PyAny>) -> PyResult<BodyId> {
    if let Ok(body) = value.cast::<PyBody>() {
        return Ok(body.get().id);
    }
    Err(PyTypeError::new_err(format!("{name} is no Body")))
}

/// Two ends of a ray: where it starts, and how far it goes.
fn ray(
    origin: &Bound<'_, PyAny>,
    translation: &Bound<'_, PyAny>,
) -> PyResult<(carom2d::math::Vec2, carom2d::math::Vec2)> {
    Ok((point("origin", origin)?, point("translation", translation)?))
}

/// What a ray or a cast met: the shape, where, the normal there, and the fraction of the way.
#[pyclass(name = "Hit", module = "carom", frozen, get_all)]
pub(crate) struct PyHit {
    /// What was met.
    shape: Py<PyShape>,
    /// Where, in world coordinates.
    point: Py<PyVec2>,
    /// Unit normal of the shape there.
    normal: Py<PyVec2>,
    /// How far of the way, 0 to 1.
    fraction: f32,
}

#[pymethods]
impl PyHit {
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let point = self.point.get().value;
        let shape = self.shape.bind(py).repr()?;
        Ok(format!("<Hit of {shape} at ({}, {}), fraction {}>", point.x, point.y, self.fraction))
    }
}

impl PyWorld {
    fn hit(slf: &Bound<'_, PyWorld>, found: &CastResult) -> PyResult<PyHit> {
        let py = slf.py();
        Ok(PyHit {
            shape: Py::new(py, PyShape { world: slf.clone().unbind(), id: found.shape })?,
            point: Py::new(py, vector(found.point))?,
            normal: Py::new(py, vector(found.normal))?,
            fraction: found.fraction,
        })
    }

    fn shapes_of(slf: &Bound<'_, PyWorld>, ids: Vec<ShapeId>) -> Vec<PyShape> {
        ids.into_iter().map(|id| PyShape { world: slf.clone().unbind(), id }).collect()
    }

    fn borrowed<'py>(slf: &Bound<'py, PyWorld>) -> PyResult<PyRef<'py, PyWorld>> {
        slf.try_borrow().map_err(|_| busy())
    }

    fn borrowed_mut<'py>(slf: &Bound<'py, PyWorld>) -> PyResult<PyRefMut<'py, PyWorld>> {
        slf.try_borrow_mut().map_err(|_| busy())
    }
}

#[pymethods]
impl PyWorld {
    #[new]
    #[pyo3(signature = (gravity = None, **settings))]
    fn new(gravity: Option<&Bound<'_, PyAny>>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<PyWorld> {
        let mut def = world_def(settings)?;
        if let Some(gravity) = gravity {
            def.gravity = point("gravity", gravity)?;
        }
        World::try_new(def).map(PyWorld::own).map_err(refused)
    }

    // ---- making and copying ---------------------------------------------------------------------

    /// A built-in scene of rigid bodies at its start: see :func:`scenes`. Keywords replace settings of its own:
    /// `gravity`, `substeps`, `solver`, `broad_phase`, `threads`.
    #[staticmethod]
    #[pyo3(signature = (name, **settings))]
    fn scene(name: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<PyWorld> {
        let scene = carom_scenes::find(name).map_err(value_error)?;
        let mut options = BuildOptions::default();
        let names = ["gravity", "substeps", "solver", "broad_phase", "threads"];
        each_keyword("a scene", &names, settings, |name, value| {
            let mut def = WorldDef::default();
            if !names.contains(&name) || !world_field(&mut def, name, value)? {
                return Ok(false);
            }
            match name {
                "gravity" => options.gravity = Some(def.gravity),
                "substeps" => options.substeps = Some(def.substeps),
                "solver" => options.solver = Some(def.solver),
                "broad_phase" => options.broad_phase = Some(def.broad_phase),
                _ => options.threads = Some(def.threads),
            }
            Ok(true)
        })?;
        scene.build(&options).map(PyWorld::of_run).map_err(refused)
    }

    /// A scene of rigid bodies from a `.json` file.
    #[staticmethod]
    fn open(path: std::path::PathBuf) -> PyResult<PyWorld> {
        match carom_scenes::open(&path).map_err(value_error)? {
            Run::Rigid(run) => Ok(PyWorld::of_run(*run)),
            _ => Err(PyValueError::new_err("the file holds no rigid bodies in the plane; open it with carom.Run.open")),
        }
    }

    /// A world from the text of a `.json` scene.
    #[staticmethod]
    fn from_json(text: &str) -> PyResult<PyWorld> {
        carom_scenes::file::read("text.json", text.as_bytes()).map(PyWorld::of_run).map_err(value_error)
    }

    /// The world as the text of a `.json` scene. It says what there is, not what contacts remember: use copies to go on
    /// bit for bit.
    fn to_json(&self) -> String {
        carom_scenes::file::write(&self.run)
    }

    /// A copy, which goes on bit for bit like the original. Its bodies are those of :meth:`World.body`.
    fn copy(&self) -> PyWorld {
        PyWorld { run: self.run.clone(), time: self.time, own: self.own }
    }

    fn __copy__(&self) -> PyWorld {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyWorld {
        self.copy()
    }

    /// All that decides the world's future, as bytes: :meth:`load` makes a world of them that goes on bit for bit, also in
    /// another process, and :meth:`restore` goes back in place. Pickling does the same.
    ///
    /// Raises :class:`ValueError` for a world with force fields or soft bodies, or that follows the script of a scene.
    ///
    /// >>> import carom
    /// >>> world = carom.World()
    /// >>> ball = world.add_body(shapes=carom.circle(0.5))
    /// >>> before = world.save()
    /// >>> world.step(n=60)
    /// >>> world.restore(before)
    /// >>> ball.position
    /// Vec2(0.0, 0.0)
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.check_alone()?;
        let mut snapshot = Vec::new();
        self.run.world.save(&mut snapshot);
        snapshot.extend_from_slice(&self.time.to_le_bytes());
        Ok(PyBytes::new(py, &snapshot))
    }

    /// The world that :meth:`save` wrote. Threads are not saved: give them again by `world.threads`.
    #[staticmethod]
    fn load(bytes: &[u8]) -> PyResult<PyWorld> {
        let mut world = World::new(WorldDef::default());
        let time = restore(&mut world, bytes)?;
        Ok(PyWorld { time, ..PyWorld::own(world) })
    }

    /// Goes back, or on, to what :meth:`save` wrote. Bodies, shapes and joints that it has are valid again.
    fn restore(&mut self, bytes: &[u8]) -> PyResult<()> {
        self.check_alone()?;
        self.time = restore(&mut self.run.world, bytes)?;
        Ok(())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<PyWorld>().getattr("load")?, (self.save(py)?,)))
    }

    // ---- stepping -------------------------------------------------------------------------------

    /// Makes `n` steps of `dt` seconds each: 1/60, or the scene's own step, by default. Other Python threads
    /// run meanwhile.
    ///
    /// `filter_pair(a, b)` may forbid two shapes to meet by returning False; `modify_contact(contact)` may change the
    /// friction of a contact for the step, or whether it acts. Hooks decide by what they are shown: they may not touch
    /// the world.
    #[pyo3(signature = (dt = None, n = 1, *, filter_pair = None, modify_contact = None))]
    fn step(
        slf: &Bound<'_, PyWorld>,
        dt: Option<&Bound<'_, PyAny>>,
        n: u64,
        filter_pair: Option<Py<PyAny>>,
        modify_contact: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let py = slf.py();
        let mut world = PyWorld::borrowed_mut(slf)?;
        let (dt, exact) = world.step_of(dt)?;
        let hooks = PyHooks::new(filter_pair, modify_contact);
        let asks = hooks.asks();
        let mut left = n;
        while left > 0 {
            let run = &mut world.run;
            let hooks = &hooks;
            let made = py.detach(move || {
                let start = Instant::now();
                for made in 0..left {
                    run.step_by(dt, asks.then_some(hooks as &dyn Hooks));
                    if hooks.failed() || start.elapsed() > PATIENCE {
                        return made + 1;
                    }
                }
                left
            });
            left -= made;
            world.time += made as f64 * exact;
            hooks.take_error()?;
            py.check_signals()?;
        }
        Ok(())
    }

    /// Lets a frame's time pass in steps of `fixed_step_s`. Returns how many steps were made.
    fn advance(slf: &Bound<'_, PyWorld>, frame_time: &Bound<'_, PyAny>) -> PyResult<u32> {
        let frame_time = number("frame_time", frame_time)?;
        let mut world = PyWorld::borrowed_mut(slf)?;
        let run = &mut world.run;
        let advanced = slf.py().detach(|| run.world.advance(frame_time)).map_err(refused)?;
        let exact = step_length(world.run.world.def().fixed_step_s);
        world.time += f64::from(advanced.steps) * exact;
        Ok(advanced.steps)
    }

    /// Simulated time in seconds.
    #[getter]
    fn time(&self) -> f64 {
        self.time
    }

    /// Length of a step in seconds unless :meth:`step` is given another.
    #[getter]
    fn dt(&self) -> f64 {
        self.run.about().dt
    }

    /// How many steps the world has made.
    #[getter]
    fn step_count(&self) -> u64 {
        self.world().step_count()
    }

    /// A hash of the whole state: the same on every machine.
    #[getter]
    fn state_hash(&self) -> u64 {
        self.run.state_hash()
    }

    /// The scene's name, or "world".
    #[getter]
    fn name(&self) -> String {
        self.run.about().name.to_string()
    }

    /// One line of what the scene shows.
    #[getter]
    fn summary(&self) -> String {
        self.run.about().summary.to_string()
    }

    /// How many steps the scene runs by default.
    #[getter]
    fn steps(&self) -> u32 {
        self.run.about().steps
    }

    /// Raises an error unless what the scene promises for the end of its run holds.
    fn check(&self) -> PyResult<()> {
        self.run.check().map_err(value_error)
    }

    /// Settings of the world: see :class:`World`.
    fn __getattr__<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let word = text("name", name)?;
        if !WORLD_NAMES.contains(&word.as_str()) {
            return Err(pyo3::exceptions::PyAttributeError::new_err(format!("a World has no {word}")));
        }
        read_world_field(py, self.world().def(), &word)
    }

    fn __setattr__(slf: &Bound<'_, PyWorld>, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let word = text("name", name)?;
        if WORLD_NAMES.contains(&word.as_str()) {
            let mut world = PyWorld::borrowed_mut(slf)?;
            let mut def = *world.world().def();
            world_field(&mut def, &word, value)?;
            return world.run.world.set_def(def).map_err(refused);
        }
        set_plainly(slf.as_any(), name, value)
    }

    /// Changes settings of the world, by keywords; all of them or, if one is refused, none.
    #[pyo3(signature = (**settings))]
    fn set(&mut self, settings: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let mut def = *self.world().def();
        each_keyword("World", &WORLD_NAMES, settings, |name, value| world_field(&mut def, name, value))?;
        self.run.world.set_def(def).map_err(refused)
    }

    // ---- bodies, shapes, joints -----------------------------------------------------------------

    /// Adds a body: "dynamic", "kinematic" or "fixed", with a shape or several.
    ///
    /// Keywords are those of the engine's `BodyDef`: `position`, `angle`, `velocity`, `angular_velocity`, `mass`,
    /// `inertia`, `linear_damping`, `angular_damping`, `gravity_scale`, `locked`, `sleep_speed`, `can_sleep`, `bullet`,
    /// `awake`, `enabled`, `user_data`.
    #[pyo3(signature = (kind = None, *, shapes = None, **settings))]
    fn add_body(
        slf: &Bound<'_, PyWorld>,
        kind: Option<&Bound<'_, PyAny>>,
        shapes: Option<&Bound<'_, PyAny>>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyBody> {
        let kind = kind.map_or(Ok(BodyKind::Dynamic), body_kind)?;
        let def = body_def(kind, settings)?;
        let mut attached = Vec::new();
        match shapes {
            None => {}
            Some(one) if one.cast::<PyShapeDef>().is_ok() => attached.push(one.cast::<PyShapeDef>()?.get().def.clone()),
            Some(many) => {
                for shape in many.try_iter()? {
                    let shape = shape?;
                    let shape = shape
                        .cast::<PyShapeDef>()
                        .map_err(|_| PyTypeError::new_err("shapes takes what carom.rectangle and the like return"))?;
                    attached.push(shape.get().def.clone());
                }
            }
        }
        let mut world = PyWorld::borrowed_mut(slf)?;
        let id = world.run.world.add_body(def).map_err(refused)?;
        if let Err(error) = world.run.world.add_shapes(id, &attached) {
            world.run.world.remove_body(id).ok();
            return Err(refused(error));
        }
        Ok(PyBody { world: slf.clone().unbind(), id })
    }

    /// Adds a joint between two bodies: "revolute", "distance", "rope", "spring", "prismatic", "weld", "wheel", "motor",
    /// "mouse", "gear", "pulley" or "filter".
    ///
    /// `at` is a point of the world, or x, y and the angle of the axis. Other keywords of every joint are `frame_a`,
    /// `frame_b`, `collide_connected`, `enabled`, `hertz`, `damping_ratio`, `break_force`, `break_torque`, `user_data`; and by kind:
    /// `limits`, `motor`, `spring`, `target_angle` (revolute); `length`, `min`, `max`, `spring`, `motor` (distance, rope,
    /// spring); `limits`, `motor`, `spring`, `target` (prismatic, wheel); `linear`, `angular` (weld); `linear`, `angular`,
    /// `max_force`, `max_torque`, `velocity`, `angular_velocity` (motor); `target`, `spring`, `max_force` (mouse);
    /// `joint_a`, `joint_b`, `ratio` (gear); `pulley_a`, `pulley_b`, `length`, `ratio` (pulley).
    #[pyo3(signature = (kind, body_a, body_b, **settings))]
    fn add_joint(
        slf: &Bound<'_, PyWorld>,
        kind: &str,
        body_a: &Bound<'_, PyAny>,
        body_b: &Bound<'_, PyAny>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyJoint> {
        let bodies = [body_id("body_a", body_a)?, body_id("body_b", body_b)?];
        let def = joint_def(PyWorld::borrowed(slf)?.world(), kind, bodies, settings)?;
        let id = PyWorld::borrowed_mut(slf)?.run.world.add_joint(def).map_err(refused)?;
        Ok(PyJoint { world: slf.clone().unbind(), id })
    }

    /// The body of this world that a number (:attr:`Body.id`) names, or that corresponds to a body of the world that
    /// this one is a copy of.
    fn body(slf: &Bound<'_, PyWorld>, id: &Bound<'_, PyAny>) -> PyResult<PyBody> {
        let id = match id.cast::<PyBody>() {
            Ok(body) => body.get().id,
            Err(_) => BodyId::from_bits(crate::convert::whole("id", id)?),
        };
        let id = BodyId::from_bits(id.to_bits());
        if !PyWorld::borrowed(slf)?.world().contains_body(id) {
            return Err(stale(id));
        }
        Ok(PyBody { world: slf.clone().unbind(), id })
    }

    /// All bodies, in the order of their handles: that of the rows of :attr:`positions` and the like.
    #[getter]
    fn bodies(slf: &Bound<'_, PyWorld>) -> PyResult<Vec<PyBody>> {
        let world = PyWorld::borrowed(slf)?;
        Ok(world.world().bodies().map(|id| PyBody { world: slf.clone().unbind(), id }).collect())
    }

    /// All shapes, in the order of their handles.
    #[getter]
    fn shapes(slf: &Bound<'_, PyWorld>) -> PyResult<Vec<PyShape>> {
        let ids = PyWorld::borrowed(slf)?.world().shapes().collect();
        Ok(PyWorld::shapes_of(slf, ids))
    }

    /// All joints, in the order of their handles.
    #[getter]
    fn joints(slf: &Bound<'_, PyWorld>) -> PyResult<Vec<PyJoint>> {
        let world = PyWorld::borrowed(slf)?;
        Ok(world.world().joints().map(|id| PyJoint { world: slf.clone().unbind(), id }).collect())
    }

    /// How many bodies there are.
    #[getter]
    fn body_count(&self) -> usize {
        self.world().body_count()
    }

    /// How many bodies are awake.
    #[getter]
    fn awake_body_count(&self) -> usize {
        self.world().awake_body_count()
    }

    /// Contacts: pairs of shapes that touch or nearly do.
    #[getter]
    fn contacts(slf: &Bound<'_, PyWorld>) -> PyResult<Vec<PyContact>> {
        let world = PyWorld::borrowed(slf)?;
        world.world().contacts().map(|contact| PyContact::of(slf, contact)).collect()
    }

    /// What happened in the last step.
    #[getter]
    fn events(slf: &Bound<'_, PyWorld>) -> PyResult<PyEvents> {
        let world = PyWorld::borrowed(slf)?;
        Ok(PyEvents::of(slf, world.world().events()))
    }

    // ---- queries --------------------------------------------------------------------------------

    /// The first shape that a ray from a point meets on its way of `translation`, or None. Queries take `category`,
    /// `mask`, `group` and `sensors` as keywords.
    #[pyo3(signature = (origin, translation, **filter))]
    fn ray_closest(
        slf: &Bound<'_, PyWorld>,
        origin: &Bound<'_, PyAny>,
        translation: &Bound<'_, PyAny>,
        filter: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<PyHit>> {
        let (origin, translation) = ray(origin, translation)?;
        let found = PyWorld::borrowed(slf)?.world().ray_closest(origin, translation, query_filter(filter)?);
        found.map_err(refused)?.map(|hit| PyWorld::hit(slf, &hit)).transpose()
    }

    /// All shapes that a ray meets, nearest first.
    #[pyo3(signature = (origin, translation, **filter))]
    fn ray_all(
        slf: &Bound<'_, PyWorld>,
        origin: &Bound<'_, PyAny>,
        translation: &Bound<'_, PyAny>,
        filter: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<PyHit>> {
        let (origin, translation) = ray(origin, translation)?;
        let found = PyWorld::borrowed(slf)?.world().ray_all(origin, translation, query_filter(filter)?);
        found.map_err(refused)?.iter().map(|hit| PyWorld::hit(slf, hit)).collect()
    }

    /// Does a ray meet anything?
    #[pyo3(signature = (origin, translation, **filter))]
    fn ray_any(
        slf: &Bound<'_, PyWorld>,
        origin: &Bound<'_, PyAny>,
        translation: &Bound<'_, PyAny>,
        filter: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<bool> {
        let (origin, translation) = ray(origin, translation)?;
        PyWorld::borrowed(slf)?.world().ray_any(origin, translation, query_filter(filter)?).map_err(refused)
    }

    /// Shapes that have a point inside.
    #[pyo3(signature = (at, **filter))]
    fn shapes_at(
        slf: &Bound<'_, PyWorld>,
        at: &Bound<'_, PyAny>,
        filter: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<PyShape>> {
        let found = PyWorld::borrowed(slf)?.world().shapes_at(point("at", at)?, query_filter(filter)?);
        Ok(PyWorld::shapes_of(slf, found.map_err(refused)?))
    }

    /// Shapes whose boxes overlap a box, given by its lowest and its highest corner.
    #[pyo3(signature = (low, high, **filter))]
    fn shapes_in_box(
        slf: &Bound<'_, PyWorld>,
        low: &Bound<'_, PyAny>,
        high: &Bound<'_, PyAny>,
        filter: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<PyShape>> {
        let aabb = Aabb::new(point("low", low)?, point("high", high)?);
        let found = PyWorld::borrowed(slf)?.world().shapes_in_aabb(aabb, query_filter(filter)?);
        Ok(PyWorld::shapes_of(slf, found.map_err(refused)?))
    }

    /// Shapes that overlap a shape that is nowhere in the world, at a position and an angle.
    #[pyo3(signature = (shape, at, angle = 0.0, **filter))]
    fn shapes_overlapping(
        slf: &Bound<'_, PyWorld>,
        shape: PyRef<'_, PyShapeDef>,
        at: &Bound<'_, PyAny>,
        angle: f32,
        filter: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<PyShape>> {
        let pose = Pose::new(point("at", at)?, angle);
        let geometry = shape.geometry()?;
        let found = PyWorld::borrowed(slf)?.world().shapes_overlapping(&geometry, pose, query_filter(filter)?);
        Ok(PyWorld::shapes_of(slf, found.map_err(refused)?))
    }

    /// What a shape meets first on its way of `translation` from a position, or None.
    #[pyo3(signature = (shape, at, translation, angle = 0.0, **filter))]
    fn cast_shape(
        slf: &Bound<'_, PyWorld>,
        shape: PyRef<'_, PyShapeDef>,
        at: &Bound<'_, PyAny>,
        translation: &Bound<'_, PyAny>,
        angle: f32,
        filter: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<PyHit>> {
        let pose = Pose::new(point("at", at)?, angle);
        let (geometry, translation) = (shape.geometry()?, point("translation", translation)?);
        let found = PyWorld::borrowed(slf)?.world().cast_shape(&geometry, pose, translation, query_filter(filter)?);
        found.map_err(refused)?.map(|hit| PyWorld::hit(slf, &hit)).transpose()
    }

    /// The point of a shape that is nearest to a point, within a distance: shape, point and distance; or None.
    #[pyo3(signature = (at, max_distance, **filter))]
    fn closest_point(
        slf: &Bound<'_, PyWorld>,
        at: &Bound<'_, PyAny>,
        max_distance: &Bound<'_, PyAny>,
        filter: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Option<(PyShape, PyVec2, f32)>> {
        let (at, most) = (point("at", at)?, number("max_distance", max_distance)?);
        let found = PyWorld::borrowed(slf)?.world().closest_point(at, most, query_filter(filter)?).map_err(refused)?;
        Ok(found
            .map(|near| (PyShape { world: slf.clone().unbind(), id: near.shape }, vector(near.point), near.distance)))
    }

    /// Distance between two shapes in metres; 0 if they overlap.
    fn shape_distance(&self, a: PyRef<'_, PyShape>, b: PyRef<'_, PyShape>) -> PyResult<f32> {
        self.world().shape_distance(a.id, b.id).map_err(refused)
    }

    /// Blows bodies away from a point. Returns how many it moved. Keywords: `radius`, `falloff`, `impulse_per_length`
    /// and those of queries.
    #[pyo3(signature = (center, **settings))]
    fn explode(&mut self, center: &Bound<'_, PyAny>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<usize> {
        let mut def = ExplosionDef { center: point("center", center)?, ..ExplosionDef::default() };
        let names = ["radius", "falloff", "impulse_per_length", "category", "mask", "group", "sensors"];
        each_keyword("an explosion", &names, settings, |name, value| {
            match name {
                "radius" => def.radius = number(name, value)?,
                "falloff" => def.falloff = number(name, value)?,
                "impulse_per_length" => def.impulse_per_length = number(name, value)?,
                "sensors" => def.filter.sensors = flag(name, value)?,
                _ => return crate::keywords::filter_field(&mut def.filter.filter, name, value),
            }
            Ok(true)
        })?;
        self.run.world.explode(&def).map_err(refused)
    }

    // ---- what acts on the world -----------------------------------------------------------------

    /// Adds a fluid in which bodies float; returns its number. `region` is a height (a sea below it), two corners (a
    /// pool) or the corners of a polygon; other keywords are `density`, `linear_drag`, `quadratic_drag`, `flow`.
    #[pyo3(signature = (region = None, **settings))]
    fn add_fluid(&mut self, region: Option<&Bound<'_, PyAny>>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<u64> {
        let mut def = FluidDef::default();
        if let Some(region) = region {
            def.region = fluid_region(region)?;
        }
        let names = ["density", "linear_drag", "quadratic_drag", "flow"];
        each_keyword("a fluid", &names, settings, |name, value| {
            match name {
                "density" => def.density = number(name, value)?,
                "linear_drag" => def.linear_drag = number(name, value)?,
                "quadratic_drag" => def.quadratic_drag = number(name, value)?,
                "flow" => def.flow = point(name, value)?,
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        self.run.world.add_fluid(def).map(|id| id.to_bits()).map_err(refused)
    }

    /// Removes a fluid by its number.
    fn remove_fluid(&mut self, fluid: u64) -> PyResult<()> {
        self.run.world.remove_fluid(FluidId::from_bits(fluid)).map_err(refused)
    }

    /// Adds a force field: "uniform" (`acceleration`), "point_gravity" (`center`, `strength`, `softening`), "radial" or
    /// "vortex" (`center`, `radius`, `acceleration`), "wind" (`velocity`, `density`, `drag`).
    #[pyo3(signature = (kind, **settings))]
    fn add_field(&mut self, kind: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let field = crate::fields::field(kind, settings)?;
        self.run.companions.fields.push(field);
        Ok(())
    }

    /// Removes all force fields.
    fn clear_fields(&mut self) {
        self.run.companions.fields.clear();
    }

    /// Adds a soft body around the discs of a rim; returns its bodies. `rim` is a list of points; keywords are `radius`,
    /// `density`, `skin`, `form`, `friction`, `restitution`, `velocity`.
    #[pyo3(signature = (rim, **settings))]
    fn add_soft_body(
        slf: &Bound<'_, PyWorld>,
        rim: &Bound<'_, PyAny>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Vec<PyBody>> {
        let def = crate::fields::soft_body(rim, settings)?;
        let mut world = PyWorld::borrowed_mut(slf)?;
        let soft = world.run.world.add_soft_body(&def).map_err(refused)?;
        let parts = soft.parts().iter().map(|&id| PyBody { world: slf.clone().unbind(), id }).collect();
        world.run.companions.soft_bodies.push(soft);
        Ok(parts)
    }

    // ---- arrays ---------------------------------------------------------------------------------

    /// Positions of all bodies in metres, as an array of shape (bodies, 2), in the order of :attr:`bodies`. Assign an
    /// array of that shape to move them all.
    #[getter]
    fn positions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::arrays::read(py, self.world(), |body| body.position().to_array())
    }

    #[setter]
    fn set_positions(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        crate::arrays::write(&mut self.run.world, "positions", value, |body, [x, y]| body.set_position(vec2(x, y)))
    }

    /// Angles of all bodies in radians, as an array of shape (bodies,).
    #[getter]
    fn angles<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::arrays::read(py, self.world(), |body| [body.angle()])
    }

    #[setter]
    fn set_angles(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        crate::arrays::write(&mut self.run.world, "angles", value, |body, [angle]| body.set_angle(angle))
    }

    /// Velocities of all bodies in m/s, as an array of shape (bodies, 2).
    #[getter]
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::arrays::read(py, self.world(), |body| body.velocity().to_array())
    }

    #[setter]
    fn set_velocities(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        crate::arrays::write(&mut self.run.world, "velocities", value, |body, [x, y]| body.set_velocity(vec2(x, y)))
    }

    /// Angular velocities of all bodies in rad/s, as an array of shape (bodies,).
    #[getter]
    fn angular_velocities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::arrays::read(py, self.world(), |body| [body.angular_velocity()])
    }

    #[setter]
    fn set_angular_velocities(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        crate::arrays::write(&mut self.run.world, "angular_velocities", value, |body, [speed]| {
            body.set_angular_velocity(speed)
        })
    }

    /// Masses of all bodies in kg, as an array of shape (bodies,); 0 for fixed and kinematic ones.
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        crate::arrays::read(py, self.world(), |body| [body.mass()])
    }

    /// Applies a force to each body for the next step: an array of shape (bodies, 2), in N.
    fn apply_forces(&mut self, forces: &Bound<'_, PyAny>) -> PyResult<()> {
        crate::arrays::write(&mut self.run.world, "forces", forces, |body, [x, y]| body.apply_force(vec2(x, y)))
    }

    /// Applies a torque to each body for the next step: an array of shape (bodies,), in N m.
    fn apply_torques(&mut self, torques: &Bound<'_, PyAny>) -> PyResult<()> {
        crate::arrays::write(&mut self.run.world, "torques", torques, |body, [torque]| body.apply_torque(torque))
    }

    // ---- pictures -------------------------------------------------------------------------------

    /// A picture of the world as it is: a :class:`Picture`, which notebooks show. `size` is its width and height in
    /// pixels, `center` and `half_height` what is seen in metres, `theme` "light" or "dark".
    #[pyo3(signature = (size = (960, 540), *, center = None, half_height = None, theme = "light", grid = true))]
    fn draw(
        &self,
        py: Python<'_>,
        size: (u32, u32),
        center: Option<&Bound<'_, PyAny>>,
        half_height: Option<f32>,
        theme: &str,
        grid: bool,
    ) -> PyResult<crate::picture::PyPicture> {
        let center = center.filter(|center| !center.is_none()).map(|center| point("center", center)).transpose()?;
        crate::picture::of_world(py, self, size, center, half_height, crate::picture::look(theme, grid)?)
    }

    /// A picture for notebooks, as PNG.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyBytes>> {
        let picture = crate::picture::of_world(py, self, (960, 540), None, None, crate::picture::look("light", true)?)?;
        picture.png(py)
    }

    /// Runs the world for some seconds and writes a movie: `.mp4`, `.gif`, or a folder of pictures. Returns how many
    /// frames it has.
    #[pyo3(signature = (path, seconds, *, size = (960, 540), fps = 0, theme = "light"))]
    fn record(
        slf: &Bound<'_, PyWorld>,
        path: std::path::PathBuf,
        seconds: f64,
        size: (u32, u32),
        fps: u32,
        theme: &str,
    ) -> PyResult<u32> {
        let look = crate::picture::look(theme, true)?;
        let mut world = PyWorld::borrowed_mut(slf)?;
        let (frames, steps) = crate::picture::record(slf.py(), &mut world, &path, seconds, size, fps, look)?;
        let exact = world.run.about().dt;
        world.time += f64::from(steps) * exact;
        Ok(frames)
    }

    fn __repr__(&self) -> String {
        let world = self.world();
        format!("<World {}: {} bodies, t = {:.3} s>", self.run.about().name, world.body_count(), self.time)
    }
}

/// Assigns an attribute as objects do that have no `__setattr__` of their own.
#[allow(unsafe_code)]
fn set_plainly(to: &Bound<'_, PyAny>, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
    // SAFETY: the three are live objects, kept so by the references to them, and Python's lock is held: `Bound` says so.
    let failed = unsafe { pyo3::ffi::PyObject_GenericSetAttr(to.as_ptr(), name.as_ptr(), value.as_ptr()) } != 0;
    if failed { Err(PyErr::fetch(to.py())) } else { Ok(()) }
}

/// Puts a world into the state that was saved, and returns its time.
fn restore(world: &mut World, bytes: &[u8]) -> PyResult<f64> {
    let (snapshot, time) =
        bytes.split_last_chunk::<8>().ok_or_else(|| value_error("these bytes are too few for a world"))?;
    let time = f64::from_le_bytes(*time);
    if !(time.is_finite() && time >= 0.0) {
        return Err(value_error("the snapshot is of no world: its time is no number of seconds"));
    }
    world.restore(snapshot).map_err(value_error)?;
    Ok(time)
}

/// Where a fluid is: below a height, between two corners, or in a polygon.
fn fluid_region(region: &Bound<'_, PyAny>) -> PyResult<FluidRegion> {
    if let Ok(level) = region.extract::<f64>() {
        return Ok(FluidRegion::Below(level as f32));
    }
    if let Ok(corners) = region.cast::<PyTuple>()
        && corners.len() == 2
        && pair("region", &corners.get_item(0)?).is_ok()
    {
        let (low, high) = (point("region", &corners.get_item(0)?)?, point("region", &corners.get_item(1)?)?);
        return Ok(FluidRegion::Box(Aabb::new(low, high)));
    }
    crate::convert::points("region", region).map(FluidRegion::Polygon)
}
