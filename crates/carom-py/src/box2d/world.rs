//! `b2World`.

use super::body::{B2Body, B2Transform};
use super::closing::close_open_pins;
use super::contact::B2Contact;
use super::fixture::{B2Fixture, fixture_defs};
use super::joint::{B2RevoluteJoint, revolute_def};
use super::rules::{TouchChange, Touches, body_def, choose_solver, turned, unwound, world_def};
use crate::convert::{each_keyword, flag, number, point};
use crate::error::{busy, refused, value_error};
use crate::keywords::{WORLD_NAMES, world_field};
use crate::vector::PyB2Vec2;
use carom2d::math::{Aabb, Vec2};
use carom2d::{
    BodyDef, BodyId, BodyKind, Continuous, DefError, JointId, LockedAxes, QueryFilter, ShapeDef, ShapeId, World,
    WorldDef,
};
use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, intern};

/// The world of pybox2d; subclassed by `Box2D.b2World`.
#[pyclass(name = "b2World_", module = "carom._carom", subclass, weakref)]
pub(crate) struct B2World {
    pub(crate) world: World,
    /// None in the making and when it was collected.
    kept: Option<Box<Kept>>,
    listener: Option<Py<PyAny>>,
    touches: Touches,
    /// Bodies that may turn, for counting whole turns.
    turning: Vec<BodyId>,
    /// Angle of each body at the end of the last step, counted on beyond half a turn.
    angles: Vec<f32>,
    /// True during a step and while its contacts are reported.
    locked: bool,
    /// Does the number of bodies choose the solver? Until the user does.
    chooses_solver: bool,
    /// Joints that were made since the last step.
    new_joints: Vec<JointId>,
}

/// The objects of a world, by the slots of their handles.
#[derive(Default)]
struct Kept {
    bodies: Vec<Option<Py<B2Body>>>,
    fixtures: Vec<Option<Py<B2Fixture>>>,
    joints: Vec<Option<Py<B2RevoluteJoint>>>,
}

/// Puts something in its slot.
fn keep<T>(list: &mut Vec<Option<T>>, index: u32, value: T) {
    let index = index as usize;
    if list.len() <= index {
        list.resize_with(index + 1, || None);
    }
    list[index] = Some(value);
}

fn kept<T>(list: &[Option<Py<T>>], index: u32, py: Python<'_>) -> Option<Py<T>> {
    list.get(index as usize)?.as_ref().map(|value| value.clone_ref(py))
}

impl B2World {
    #[inline]
    pub(crate) fn look<'py>(world: &Py<B2World>, py: Python<'py>) -> PyResult<PyRef<'py, B2World>> {
        world.bind(py).try_borrow().map_err(|_| busy())
    }

    #[inline]
    pub(crate) fn touch<'py>(world: &Py<B2World>, py: Python<'py>) -> PyResult<PyRefMut<'py, B2World>> {
        world.bind(py).try_borrow_mut().map_err(|_| busy())
    }

    /// The angle of a body, counted on beyond half a turn.
    pub(crate) fn angle(&self, id: BodyId, wrapped: f32) -> f32 {
        let counted = self.angles.get(id.index() as usize).copied().unwrap_or(0.0);
        unwound(wrapped, counted)
    }

    /// Remembers an angle that was set.
    pub(crate) fn note_angle(&mut self, id: BodyId, angle: f32) {
        let index = id.index() as usize;
        if self.angles.len() <= index {
            self.angles.resize(index + 1, 0.0);
        }
        self.angles[index] = angle;
    }

    pub(crate) fn fixture(&self, py: Python<'_>, id: ShapeId) -> Option<Py<B2Fixture>> {
        kept(&self.kept.as_ref()?.fixtures, id.index(), py)
    }

    pub(crate) fn body_object(&self, py: Python<'_>, id: BodyId) -> Option<Py<B2Body>> {
        kept(&self.kept.as_ref()?.bodies, id.index(), py)
    }

    pub(crate) fn joint_object(&self, py: Python<'_>, id: JointId) -> Option<Py<B2RevoluteJoint>> {
        kept(&self.kept.as_ref()?.joints, id.index(), py)
    }

    /// The objects, to add or take some.
    fn kept(&mut self) -> &mut Kept {
        self.kept.get_or_insert_default()
    }

    /// Raises an error while the contacts of a step are reported, as pybox2d does.
    pub(crate) fn check_unlocked(&self) -> PyResult<()> {
        if self.locked {
            return Err(pyo3::exceptions::PyRuntimeError::new_err(
                "the world is locked: bodies, fixtures and joints may not come or go in a contact listener; note them and do \
                 it after Step",
            ));
        }
        Ok(())
    }

    /// Steps the engine and counts turns.
    fn step_engine(&mut self, dt: f32, position_iterations: u32) -> Result<(), DefError> {
        if self.chooses_solver {
            choose_solver(&mut self.world, self.turning.len());
        }
        let new = std::mem::take(&mut self.new_joints);
        close_open_pins(&mut self.world, &new, position_iterations)?;
        self.world.step(dt);
        for &id in &self.turning {
            let angle = &mut self.angles[id.index() as usize];
            *angle = turned(&self.world, id, *angle, dt).unwrap_or(*angle);
        }
        Ok(())
    }

    /// The changes of the last step.
    fn changes(&mut self) -> Vec<(TouchChange, [ShapeId; 2])> {
        let mut changes = Vec::new();
        self.touches.follow(self.world.events(), &mut changes);
        changes
    }

    /// Reports changes to the listener.
    fn report(slf: &Bound<'_, B2World>, changes: &[(TouchChange, [ShapeId; 2])]) -> PyResult<()> {
        let py = slf.py();
        for &(change, pair) in changes {
            let (listener, fixtures) = {
                let world = slf.try_borrow().map_err(|_| busy())?;
                let Some(listener) = &world.listener else { return Ok(()) };
                let fixtures = pair.map(|id| world.fixture(py, id));
                (listener.clone_ref(py), fixtures)
            };
            let [Some(a), Some(b)] = fixtures else { continue };
            let contact =
                Bound::new(py, B2Contact::new(slf.clone().unbind(), [a, b], pair, change == TouchChange::Begin))?;
            let name =
                if change == TouchChange::Begin { intern!(py, "BeginContact") } else { intern!(py, "EndContact") };
            listener.bind(py).call_method1(name, (contact,))?;
        }
        Ok(())
    }

    /// Reports changes to the listener with the world locked.
    fn report_locked(slf: &Bound<'_, B2World>, changes: &[(TouchChange, [ShapeId; 2])]) -> PyResult<()> {
        if changes.is_empty() {
            return Ok(());
        }
        slf.try_borrow_mut().map_err(|_| busy())?.locked = true;
        let result = B2World::report(slf, changes);
        slf.try_borrow_mut().map_err(|_| busy())?.locked = false;
        result
    }

    /// Reports the ends of all touches of some shapes, which are about to go.
    fn end_touches(slf: &Bound<'_, B2World>, shapes: &[ShapeId]) -> PyResult<()> {
        let changes = {
            let mut world = slf.try_borrow_mut().map_err(|_| busy())?;
            if world.touches.is_empty() {
                return Ok(());
            }
            world.touches.end(shapes)
        };
        B2World::report_locked(slf, &changes)
    }

    /// Attaches fixtures to a body and makes their objects.
    pub(crate) fn attach(
        slf: &Bound<'_, B2World>,
        body: &Py<B2Body>,
        id: BodyId,
        defs: &[(ShapeDef, Option<Py<PyAny>>)],
    ) -> PyResult<Vec<Py<B2Fixture>>> {
        let py = slf.py();
        let mut world = slf.try_borrow_mut().map_err(|_| busy())?;
        let shapes: Vec<ShapeDef> = defs.iter().map(|(def, _)| def.clone()).collect();
        let ids = world.world.add_shapes(id, &shapes).map_err(refused)?;
        let mut fixtures = Vec::with_capacity(ids.len());
        for (id, (_, data)) in ids.into_iter().zip(defs) {
            let fixture = Py::new(py, B2Fixture::new(slf.clone().unbind(), body.clone_ref(py), id))?;
            if let Some(data) = data {
                fixture.bind(py).setattr("userData", data)?;
            }
            keep(&mut world.kept().fixtures, id.index(), fixture.clone_ref(py));
            fixtures.push(fixture);
        }
        Ok(fixtures)
    }

    fn create(slf: &Bound<'_, B2World>, kind: BodyKind, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Py<B2Body>> {
        let py = slf.py();
        let mut asked = BodyAsked::new(kind);
        each_keyword("a body", &BODY_NAMES, keywords, |name, value| asked.take(name, value))?;
        let BodyAsked { def, fixtures, user_data, angle } = asked;
        let mut defs = Vec::new();
        for (shapes, given) in [("fixtures", &fixtures[0]), ("shapes", &fixtures[1])] {
            if let Some(given) = given {
                fixture_defs(given, shapes == "shapes", &mut defs)?;
            }
        }
        let body = {
            let mut world = slf.try_borrow_mut().map_err(|_| busy())?;
            world.check_unlocked()?;
            let id = world.world.add_body(def).map_err(refused)?;
            if def.kind != BodyKind::Fixed {
                world.turning.push(id);
            }
            world.note_angle(id, angle);
            let body = Py::new(py, B2Body::new(slf.clone().unbind(), id))?;
            keep(&mut world.kept().bodies, id.index(), body.clone_ref(py));
            body
        };
        let id = body.get().id;
        if !defs.is_empty()
            && let Err(error) = B2World::attach(slf, &body, id, &defs)
        {
            B2World::destroy(slf, id)?;
            return Err(error);
        }
        if let Some(data) = user_data {
            body.bind(py).setattr("userData", data)?;
        }
        Ok(body)
    }

    /// Removes a body with its fixtures and joints, and reports the ends of its touches first.
    fn destroy(slf: &Bound<'_, B2World>, id: BodyId) -> PyResult<()> {
        let shapes: Vec<ShapeId> = {
            let world = slf.try_borrow().map_err(|_| busy())?;
            world.check_unlocked()?;
            let body = world.world.get_body(id).ok_or_else(|| crate::error::stale(id))?;
            body.shapes().collect()
        };
        B2World::end_touches(slf, &shapes)?;
        let mut world = slf.try_borrow_mut().map_err(|_| busy())?;
        let joints: Vec<JointId> = world.world.body(id).joints().collect();
        world.world.remove_body(id).map_err(refused)?;
        // What goes is dropped after the world is free again: objects may have finalisers.
        let mut gone: Vec<Py<PyAny>> = Vec::new();
        let world = &mut *world;
        gone.extend(world.kept().bodies[id.index() as usize].take().map(|body| body.into_any()));
        for shape in shapes {
            gone.extend(world.kept().fixtures[shape.index() as usize].take().map(|fixture| fixture.into_any()));
        }
        for joint in joints {
            gone.extend(world.kept().joints[joint.index() as usize].take().map(|joint| joint.into_any()));
        }
        if let Some(at) = world.turning.iter().position(|&turning| turning == id) {
            world.turning.remove(at);
        }
        if world.world.body_count() == 0 {
            // An empty world begins again, so that what happens next does not depend on what there was.
            let def = *world.world.def();
            world.world = World::new(def);
            world.touches.clear();
            world.new_joints.clear();
        }
        Ok(())
    }
}

const BODY_NAMES: [&str; 19] = [
    "type",
    "position",
    "angle",
    "linearVelocity",
    "angularVelocity",
    "linearDamping",
    "angularDamping",
    "allowSleep",
    "awake",
    "fixedRotation",
    "bullet",
    "active",
    "gravityScale",
    "userData",
    "fixtures",
    "shapes",
    "shapeFixture",
    "inertiaScale",
    "massData",
];

/// What the keywords of a body ask for.
struct BodyAsked<'py> {
    def: BodyDef,
    angle: f32,
    /// `fixtures` and `shapes`.
    fixtures: [Option<Bound<'py, PyAny>>; 2],
    user_data: Option<Bound<'py, PyAny>>,
}

impl<'py> BodyAsked<'py> {
    fn new(kind: BodyKind) -> BodyAsked<'py> {
        BodyAsked { def: body_def(kind), angle: 0.0, fixtures: [None, None], user_data: None }
    }

    fn take(&mut self, name: &str, value: &Bound<'py, PyAny>) -> PyResult<bool> {
        let def = &mut self.def;
        match name {
            "type" => def.kind = body_type(value)?,
            "position" => def.position = point(name, value)?,
            "angle" => {
                self.angle = number(name, value)?;
                def.angle = self.angle;
            }
            "linearVelocity" => def.velocity = point(name, value)?,
            "angularVelocity" => def.angular_velocity = number(name, value)?,
            "linearDamping" => def.linear_damping = number(name, value)?,
            "angularDamping" => def.angular_damping = number(name, value)?,
            "allowSleep" => def.can_sleep = flag(name, value)?,
            "awake" => def.awake = flag(name, value)?,
            "fixedRotation" => {
                def.locked = LockedAxes { rotation: flag(name, value)?, ..LockedAxes::default() };
            }
            "bullet" => def.bullet = flag(name, value)?,
            "active" => def.enabled = flag(name, value)?,
            "gravityScale" => def.gravity_scale = number(name, value)?,
            "userData" => self.user_data = Some(value.clone()),
            "fixtures" => self.fixtures[0] = Some(value.clone()).filter(|value| !value.is_none()),
            "shapes" => self.fixtures[1] = Some(value.clone()).filter(|value| !value.is_none()),
            "shapeFixture" | "inertiaScale" | "massData" => {
                return Err(PyNotImplementedError::new_err(format!("b2BodyDef.{name}")));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// pybox2d's numbers for kinds of bodies.
pub(crate) fn body_type(value: &Bound<'_, PyAny>) -> PyResult<BodyKind> {
    match value.extract::<i64>() {
        Ok(0) => Ok(BodyKind::Fixed),
        Ok(1) => Ok(BodyKind::Kinematic),
        Ok(2) => Ok(BodyKind::Dynamic),
        _ => Err(value_error("type is none of b2_staticBody, b2_kinematicBody and b2_dynamicBody")),
    }
}

/// A ray's filter: all fixtures, sensors too, as in Box2D 2.3.
const EVERYTHING: QueryFilter<'static> = QueryFilter {
    filter: carom2d::Filter { category: u64::MAX, mask: u64::MAX, group: 0 },
    sensors: true,
    exclude_bodies: &[],
    exclude_shapes: &[],
    predicate: None,
};

#[pymethods]
impl B2World {
    #[new]
    #[pyo3(signature = (*_arguments, **_keywords))]
    fn new(_arguments: &Bound<'_, pyo3::types::PyTuple>, _keywords: Option<&Bound<'_, PyDict>>) -> PyResult<B2World> {
        Ok(B2World {
            world: World::try_new(world_def()).map_err(refused)?,
            kept: Some(Box::default()),
            listener: None,
            touches: Touches::default(),
            turning: Vec::new(),
            angles: Vec::new(),
            locked: false,
            chooses_solver: true,
            new_joints: Vec::new(),
        })
    }

    #[pyo3(signature = (**keywords))]
    #[pyo3(name = "CreateStaticBody")]
    fn create_static(slf: &Bound<'_, B2World>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Py<B2Body>> {
        B2World::create(slf, BodyKind::Fixed, keywords)
    }

    #[pyo3(signature = (**keywords))]
    #[pyo3(name = "CreateDynamicBody")]
    fn create_dynamic(slf: &Bound<'_, B2World>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Py<B2Body>> {
        B2World::create(slf, BodyKind::Dynamic, keywords)
    }

    #[pyo3(signature = (**keywords))]
    #[pyo3(name = "CreateKinematicBody")]
    fn create_kinematic(slf: &Bound<'_, B2World>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Py<B2Body>> {
        B2World::create(slf, BodyKind::Kinematic, keywords)
    }

    #[pyo3(name = "DestroyBody")]
    fn destroy_body(slf: &Bound<'_, B2World>, body: &Bound<'_, B2Body>) -> PyResult<()> {
        let body = body.get();
        if !body.home().is(slf) {
            return Err(crate::error::stale(body.id));
        }
        B2World::destroy(slf, body.id)
    }

    #[pyo3(name = "_create_revolute")]
    fn create_revolute(slf: &Bound<'_, B2World>, def: &Bound<'_, PyAny>) -> PyResult<Py<B2RevoluteJoint>> {
        let py = slf.py();
        let (joint, object) = revolute_def(slf, def)?;
        let mut world = slf.try_borrow_mut().map_err(|_| busy())?;
        world.check_unlocked()?;
        let id = world.world.add_joint(joint).map_err(refused)?;
        world.new_joints.push(id);
        let object = Py::new(py, object.with_id(id))?;
        keep(&mut world.kept().joints, id.index(), object.clone_ref(py));
        drop(world);
        let data = def.getattr("userData")?;
        if !data.is_none() {
            object.bind(py).setattr("userData", data)?;
        }
        Ok(object)
    }

    #[pyo3(name = "DestroyJoint")]
    fn destroy_joint(slf: &Bound<'_, B2World>, joint: &Bound<'_, B2RevoluteJoint>) -> PyResult<()> {
        let id = joint.try_borrow().map_err(|_| busy())?.id();
        let mut world = slf.try_borrow_mut().map_err(|_| busy())?;
        world.check_unlocked()?;
        world.world.remove_joint(id).map_err(refused)?;
        let gone = world.kept().joints[id.index() as usize].take();
        drop(world);
        drop(gone);
        Ok(())
    }

    /// Destroys a fixture: what `b2Body.DestroyFixture` does.
    pub(crate) fn _destroy_fixture(slf: &Bound<'_, B2World>, fixture: &Bound<'_, B2Fixture>) -> PyResult<()> {
        let id = fixture.get().id;
        slf.try_borrow().map_err(|_| busy())?.check_unlocked()?;
        B2World::end_touches(slf, &[id])?;
        let mut world = slf.try_borrow_mut().map_err(|_| busy())?;
        world.world.remove_shape(id).map_err(refused)?;
        let gone = world.kept().fixtures[id.index() as usize].take();
        drop(world);
        drop(gone);
        Ok(())
    }

    /// Steps the world by `timeStep` seconds and reports to the contact listener what began and ended. `positionIterations`
    /// decides how joints that were made open are closed; velocities need no iterations.
    #[pyo3(name = "Step", signature = (timeStep, velocityIterations = 8, positionIterations = 3))]
    #[allow(non_snake_case)]
    fn step(
        slf: &Bound<'_, B2World>,
        timeStep: &Bound<'_, PyAny>,
        velocityIterations: i64,
        positionIterations: i64,
    ) -> PyResult<()> {
        let _ = velocityIterations;
        let rounds = positionIterations.clamp(0, 1000) as u32;
        let dt = number("timeStep", timeStep)?;
        if !(0.0..=1.0).contains(&dt) {
            return Err(value_error(format!("timeStep is {dt}; expected a number from 0 to 1 second")));
        }
        let changes = {
            let mut world = slf.try_borrow_mut().map_err(|_| busy())?;
            world.check_unlocked()?;
            // A few bodies take less time than giving Python's lock away and back.
            if world.world.awake_body_count() > 64 {
                let world = &mut *world;
                slf.py().detach(|| world.step_engine(dt, rounds)).map_err(refused)?;
            } else {
                world.step_engine(dt, rounds).map_err(refused)?;
            }
            world.changes()
        };
        B2World::report_locked(slf, &changes)
    }

    /// Takes away forces that were applied since the last step; a step does so itself.
    #[pyo3(name = "ClearForces")]
    fn clear_forces(&mut self) -> PyResult<()> {
        for &id in &self.turning {
            let mut body = self.world.body_mut(id);
            let (force, torque) = (body.get().force(), body.get().torque());
            if force != Vec2::ZERO || torque != 0.0 {
                body.apply_force(-force).map_err(refused)?;
                body.apply_torque(-torque).map_err(refused)?;
            }
        }
        Ok(())
    }

    /// Calls `callback.ReportFixture(fixture, point, normal, fraction)` for the fixtures that a ray meets, nearest first,
    /// and heeds what it returns: -1 ignores, 0 stops, a fraction cuts the ray there, 1 goes on.
    #[pyo3(name = "RayCast")]
    fn ray_cast(
        slf: &Bound<'_, B2World>,
        callback: &Bound<'_, PyAny>,
        point1: &Bound<'_, PyAny>,
        point2: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let py = slf.py();
        let (a, b) = (point("point1", point1)?, point("point2", point2)?);
        let hits = slf.try_borrow().map_err(|_| busy())?.world.ray_all(a, b - a, EVERYTHING).map_err(refused)?;
        let mut end = 1.0_f32;
        for hit in hits {
            // Box2D does not report what the ray starts in.
            if hit.fraction > end || (hit.fraction == 0.0 && hit.normal == Vec2::ZERO) {
                continue;
            }
            let Some(fixture) = slf.try_borrow().map_err(|_| busy())?.fixture(py, hit.shape) else { continue };
            let arguments = (fixture, PyB2Vec2::of(hit.point), PyB2Vec2::of(hit.normal), hit.fraction);
            let answer = callback.call_method1(intern!(py, "ReportFixture"), arguments)?;
            let answer = number("what ReportFixture returns", &answer)?;
            if answer == 0.0 {
                break;
            }
            if answer > 0.0 && answer < end {
                end = answer;
            }
        }
        Ok(())
    }

    /// Calls `callback.ReportFixture(fixture)` for the fixtures whose boxes overlap a box, until it returns False.
    #[pyo3(name = "_query_box")]
    fn query_box(
        slf: &Bound<'_, B2World>,
        callback: &Bound<'_, PyAny>,
        low: &Bound<'_, PyAny>,
        high: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let aabb = Aabb::new(point("lowerBound", low)?, point("upperBound", high)?);
        let found = slf.try_borrow().map_err(|_| busy())?.world.shapes_in_aabb(aabb, EVERYTHING).map_err(refused)?;
        for id in found {
            let Some(fixture) = slf.try_borrow().map_err(|_| busy())?.fixture(slf.py(), id) else { continue };
            if !callback.call_method1(intern!(slf.py(), "ReportFixture"), (fixture,))?.is_truthy()? {
                break;
            }
        }
        Ok(())
    }

    #[getter(_listener)]
    fn listener(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.listener.as_ref().map(|listener| listener.clone_ref(py))
    }

    #[setter(_listener)]
    fn set_listener(slf: &Bound<'_, B2World>, listener: Option<Py<PyAny>>) -> PyResult<()> {
        let before = std::mem::replace(&mut slf.try_borrow_mut().map_err(|_| busy())?.listener, listener);
        drop(before);
        Ok(())
    }

    #[getter]
    fn gravity(&self) -> PyB2Vec2 {
        PyB2Vec2::of_state(self.world.gravity())
    }

    #[setter]
    fn set_gravity(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.world.set_gravity(point("gravity", value)?).map_err(refused)
    }

    #[getter(allowSleeping)]
    fn allow_sleeping(&self) -> bool {
        self.world.def().sleeping
    }

    #[setter(allowSleeping)]
    fn set_allow_sleeping(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let def = WorldDef { sleeping: flag("allowSleeping", value)?, ..*self.world.def() };
        self.world.set_def(def).map_err(refused)
    }

    #[getter(continuousPhysics)]
    fn continuous(&self) -> bool {
        self.world.def().continuous == Continuous::On
    }

    #[setter(continuousPhysics)]
    fn set_continuous(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let continuous = if flag("continuousPhysics", value)? { Continuous::On } else { Continuous::Off };
        self.world.set_def(WorldDef { continuous, ..*self.world.def() }).map_err(refused)
    }

    #[getter]
    fn locked(&self) -> bool {
        self.locked
    }

    #[getter]
    fn bodies(&self, py: Python<'_>) -> Vec<Py<B2Body>> {
        self.world.bodies().filter_map(|id| self.body_object(py, id)).collect()
    }

    #[getter]
    fn joints(&self, py: Python<'_>) -> Vec<Py<B2RevoluteJoint>> {
        self.world.joints().filter_map(|id| self.joint_object(py, id)).collect()
    }

    #[getter]
    fn contacts(slf: &Bound<'_, B2World>) -> PyResult<Vec<B2Contact>> {
        let py = slf.py();
        let world = slf.try_borrow().map_err(|_| busy())?;
        let contacts = world.world.contacts().filter_map(|contact| {
            let pair = [contact.shape_a(), contact.shape_b()];
            let [Some(a), Some(b)] = pair.map(|id| world.fixture(py, id)) else { return None };
            Some(B2Contact::new(slf.clone().unbind(), [a, b], pair, contact.is_touching()))
        });
        Ok(contacts.collect())
    }

    #[getter(bodyCount)]
    fn body_count(&self) -> usize {
        self.world.body_count()
    }

    #[getter(jointCount)]
    fn joint_count(&self) -> usize {
        self.world.joint_count()
    }

    #[getter(contactCount)]
    fn contact_count(&self) -> usize {
        self.world.contact_count()
    }

    /// Changes the engine's own settings, which pybox2d has not: those of `carom.World`, by keywords.
    #[pyo3(signature = (**settings))]
    fn carom_settings(&mut self, settings: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let mut def = *self.world.def();
        let mut chosen = false;
        each_keyword("World", &WORLD_NAMES, settings, |name, value| {
            chosen |= name == "solver" || name == "substeps";
            world_field(&mut def, name, value)
        })?;
        self.world.set_def(def).map_err(refused)?;
        self.chooses_solver &= !chosen;
        Ok(())
    }

    /// A hash of the whole state, which pybox2d has not: the same on every machine.
    #[getter]
    fn state_hash(&self) -> u64 {
        self.world.state_hash()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        if let Some(kept) = &self.kept {
            for body in kept.bodies.iter().flatten() {
                visit.call(body)?;
            }
            for fixture in kept.fixtures.iter().flatten() {
                visit.call(fixture)?;
            }
            for joint in kept.joints.iter().flatten() {
                visit.call(joint)?;
            }
        }
        visit.call(&self.listener)
    }

    fn __clear__(&mut self) {
        self.kept = None;
        self.listener = None;
    }
}

/// The transform of a body.
pub(crate) fn transform_of(world: &World, id: BodyId) -> B2Transform {
    B2Transform { pose: world.body(id).pose() }
}

/// An error for what is no body of this module.
pub(crate) fn no_body(name: &str) -> PyErr {
    PyTypeError::new_err(format!("{name} is no b2Body"))
}
