//! `b2Body` and `b2Transform`.

use super::fixture::{B2Fixture, fixture_defs, quick_fixture};
use super::joint::B2RevoluteJoint;
use super::world::{B2World, body_type, transform_of};
use crate::convert::{flag, number, point};
use crate::error::{refused, stale};
use crate::vector::PyB2Vec2;
use carom2d::math::{Pose, Rot, Vec2};
use carom2d::{BodyId, BodyKind, BodyMut, BodyRef, DefError, LockedAxes};
use pyo3::PyTraverseError;
use pyo3::exceptions::{PyNotImplementedError, PyTypeError};
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A body of pybox2d. There is one object for each body, which takes any attribute.
#[pyclass(name = "b2Body", module = "Box2D", frozen, dict, weakref)]
pub(crate) struct B2Body {
    home: Option<Py<B2World>>,
    pub(crate) id: BodyId,
}

impl B2Body {
    pub(crate) fn new(world: Py<B2World>, id: BodyId) -> B2Body {
        B2Body { home: Some(world), id }
    }

    /// The world it belongs to.
    #[inline]
    pub(crate) fn home(&self) -> &Py<B2World> {
        self.home.as_ref().expect("only an object in the making has no world")
    }

    #[inline]
    fn read<R>(&self, py: Python<'_>, get: impl FnOnce(BodyRef<'_>) -> R) -> PyResult<R> {
        let world = B2World::look(self.home(), py)?;
        world.world.get_body(self.id).map(get).ok_or_else(|| stale(self.id))
    }

    #[inline]
    fn change<R>(&self, py: Python<'_>, set: impl FnOnce(&mut BodyMut<'_>) -> Result<R, DefError>) -> PyResult<R> {
        let mut world = B2World::touch(self.home(), py)?;
        let mut body = world.world.get_body_mut(self.id).ok_or_else(|| stale(self.id))?;
        set(&mut body).map_err(refused)
    }

    /// Pushes the body, unless it sleeps and is not to be woken.
    fn push(
        &self,
        py: Python<'_>,
        wake: bool,
        push: impl FnOnce(&mut BodyMut<'_>) -> Result<(), DefError>,
    ) -> PyResult<()> {
        self.change(py, |body| if wake || body.get().is_awake() { push(body) } else { Ok(()) })
    }

    fn check(&self, py: Python<'_>) -> PyResult<()> {
        self.read(py, |_| ())
    }

    fn attach(slf: &Bound<'_, B2Body>, given: &Bound<'_, PyAny>, shapes: bool) -> PyResult<Vec<Py<B2Fixture>>> {
        let body = slf.get();
        body.check(slf.py())?;
        let mut defs = Vec::new();
        fixture_defs(given, shapes, &mut defs)?;
        B2World::attach(body.home().bind(slf.py()), &slf.clone().unbind(), body.id, &defs)
    }

    fn quick(
        slf: &Bound<'_, B2Body>,
        class: &str,
        own: &[&'static str],
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<B2Fixture>> {
        let body = slf.get();
        body.check(slf.py())?;
        let def = quick_fixture(slf.py(), class, own, keywords)?;
        let mut fixtures = B2World::attach(body.home().bind(slf.py()), &slf.clone().unbind(), body.id, &[def])?;
        fixtures.pop().ok_or_else(|| PyTypeError::new_err("no fixture"))
    }
}

#[pymethods]
#[allow(non_snake_case)]
impl B2Body {
    #[classattr]
    fn userData(py: Python<'_>) -> Py<PyAny> {
        py.None()
    }

    #[getter]
    fn world(&self, py: Python<'_>) -> Py<B2World> {
        self.home().clone_ref(py)
    }

    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<PyB2Vec2> {
        self.read(py, |body| PyB2Vec2::of_state(body.position()))
    }

    #[setter]
    fn set_position(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = point("position", value)?;
        self.change(py, |body| body.set_position(value))
    }

    /// The angle in radians, counted on beyond half a turn.
    #[getter]
    fn angle(&self, py: Python<'_>) -> PyResult<f32> {
        let world = B2World::look(self.home(), py)?;
        let body = world.world.get_body(self.id).ok_or_else(|| stale(self.id))?;
        Ok(world.angle(self.id, body.angle()))
    }

    #[setter]
    fn set_angle(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("angle", value)?;
        self.change(py, |body| body.set_angle(value))?;
        B2World::touch(self.home(), py)?.note_angle(self.id, value);
        Ok(())
    }

    #[getter]
    fn transform(&self, py: Python<'_>) -> PyResult<B2Transform> {
        self.check(py)?;
        Ok(transform_of(&B2World::look(self.home(), py)?.world, self.id))
    }

    #[setter]
    fn set_transform(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let (place, angle) = (point("transform", &value.get_item(0)?)?, number("transform", &value.get_item(1)?)?);
        self.change(py, |body| body.set_pose(Pose::new(place, angle)))?;
        B2World::touch(self.home(), py)?.note_angle(self.id, angle);
        Ok(())
    }

    #[getter]
    fn linearVelocity(&self, py: Python<'_>) -> PyResult<PyB2Vec2> {
        self.read(py, |body| PyB2Vec2::of_state(body.velocity()))
    }

    #[setter]
    fn set_linearVelocity(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = point("linearVelocity", value)?;
        self.change(py, |body| body.set_velocity(value))
    }

    #[getter]
    fn angularVelocity(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.angular_velocity())
    }

    #[setter]
    fn set_angularVelocity(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("angularVelocity", value)?;
        self.change(py, |body| body.set_angular_velocity(value))
    }

    #[getter]
    fn worldCenter(&self, py: Python<'_>) -> PyResult<PyB2Vec2> {
        self.read(py, |body| PyB2Vec2::of_state(body.center()))
    }

    #[getter]
    fn localCenter(&self, py: Python<'_>) -> PyResult<PyB2Vec2> {
        self.read(py, |body| PyB2Vec2::of_state(body.local_center()))
    }

    #[getter]
    fn mass(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.mass())
    }

    #[setter]
    fn set_mass(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("mass", value)?;
        self.change(py, |body| body.set_mass(Some(value)))
    }

    /// Moment of inertia about the body's origin, as pybox2d has it.
    #[getter]
    fn inertia(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.inertia() + body.mass() * body.local_center().length_squared())
    }

    /// The mass follows density at once, so nothing is left to do.
    fn ResetMassData(&self, py: Python<'_>) -> PyResult<()> {
        self.check(py)
    }

    #[getter]
    fn massData(&self) -> PyResult<()> {
        Err(not_yet("massData"))
    }

    #[setter]
    fn set_massData(&self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let _ = value;
        Err(not_yet("massData"))
    }

    #[getter]
    fn contacts(&self) -> PyResult<()> {
        Err(not_yet("contacts"))
    }

    #[getter]
    fn next(&self) -> PyResult<()> {
        Err(not_yet("next"))
    }

    fn CreateChainFixture(&self) -> PyResult<()> {
        Err(not_yet("CreateChainFixture"))
    }

    fn CreateFixturesFromShapes(&self) -> PyResult<()> {
        Err(not_yet("CreateFixturesFromShapes"))
    }

    #[getter]
    fn linearDamping(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.linear_damping())
    }

    #[setter]
    fn set_linearDamping(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("linearDamping", value)?;
        self.change(py, |body| body.set_linear_damping(value))
    }

    #[getter]
    fn angularDamping(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.angular_damping())
    }

    #[setter]
    fn set_angularDamping(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("angularDamping", value)?;
        self.change(py, |body| body.set_angular_damping(value))
    }

    #[getter]
    fn gravityScale(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.gravity_scale())
    }

    #[setter]
    fn set_gravityScale(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("gravityScale", value)?;
        self.change(py, |body| body.set_gravity_scale(value))
    }

    #[getter(r#type)]
    fn kind(&self, py: Python<'_>) -> PyResult<i32> {
        self.read(py, |body| match body.kind() {
            BodyKind::Fixed => 0,
            BodyKind::Kinematic => 1,
            BodyKind::Dynamic => 2,
        })
    }

    #[setter(r#type)]
    fn set_kind(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let kind = body_type(value)?;
        self.change(py, |body| {
            body.set_kind(kind);
            Ok(())
        })
    }

    #[getter]
    fn awake(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |body| body.is_awake() || body.kind() == BodyKind::Fixed)
    }

    #[setter]
    fn set_awake(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = flag("awake", value)?;
        self.change(py, |body| {
            if value {
                body.wake();
            } else {
                body.sleep();
            }
            Ok(())
        })
    }

    #[getter]
    fn active(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |body| body.is_enabled())
    }

    #[setter]
    fn set_active(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = flag("active", value)?;
        self.change(py, |body| {
            body.set_enabled(value);
            Ok(())
        })
    }

    #[getter]
    fn bullet(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |body| body.is_bullet())
    }

    #[setter]
    fn set_bullet(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = flag("bullet", value)?;
        self.change(py, |body| {
            body.set_bullet(value);
            Ok(())
        })
    }

    #[getter]
    fn fixedRotation(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |body| body.locked().rotation)
    }

    #[setter]
    fn set_fixedRotation(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let rotation = flag("fixedRotation", value)?;
        self.change(py, |body| {
            body.set_locked(LockedAxes { rotation, ..LockedAxes::default() });
            Ok(())
        })
    }

    #[getter]
    fn sleepingAllowed(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |body| body.can_sleep())
    }

    #[setter]
    fn set_sleepingAllowed(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = flag("sleepingAllowed", value)?;
        self.change(py, |body| {
            body.set_can_sleep(value);
            Ok(())
        })
    }

    #[getter]
    fn fixtures(&self, py: Python<'_>) -> PyResult<Vec<Py<B2Fixture>>> {
        let world = B2World::look(self.home(), py)?;
        let body = world.world.get_body(self.id).ok_or_else(|| stale(self.id))?;
        Ok(body.shapes().filter_map(|id| world.fixture(py, id)).collect())
    }

    #[getter]
    fn joints(&self, py: Python<'_>) -> PyResult<Vec<Py<B2RevoluteJoint>>> {
        let world = B2World::look(self.home(), py)?;
        let body = world.world.get_body(self.id).ok_or_else(|| stale(self.id))?;
        Ok(body.joints().filter_map(|id| world.joint_object(py, id)).collect())
    }

    #[pyo3(signature = (force, point, wake = true))]
    fn ApplyForce(
        &self,
        py: Python<'_>,
        force: &Bound<'_, PyAny>,
        point: &Bound<'_, PyAny>,
        wake: bool,
    ) -> PyResult<()> {
        let (force, at) = (crate::convert::point("force", force)?, crate::convert::point("point", point)?);
        self.push(py, wake, |body| body.apply_force_at(force, at))
    }

    #[pyo3(signature = (force, wake = true))]
    fn ApplyForceToCenter(&self, py: Python<'_>, force: &Bound<'_, PyAny>, wake: bool) -> PyResult<()> {
        let force = point("force", force)?;
        self.push(py, wake, |body| body.apply_force(force))
    }

    #[pyo3(signature = (torque, wake = true))]
    fn ApplyTorque(&self, py: Python<'_>, torque: &Bound<'_, PyAny>, wake: bool) -> PyResult<()> {
        let torque = number("torque", torque)?;
        self.push(py, wake, |body| body.apply_torque(torque))
    }

    #[pyo3(signature = (impulse, point, wake = true))]
    fn ApplyLinearImpulse(
        &self,
        py: Python<'_>,
        impulse: &Bound<'_, PyAny>,
        point: &Bound<'_, PyAny>,
        wake: bool,
    ) -> PyResult<()> {
        let (impulse, at) = (crate::convert::point("impulse", impulse)?, crate::convert::point("point", point)?);
        self.push(py, wake, |body| body.apply_impulse_at(impulse, at))
    }

    #[pyo3(signature = (impulse, wake = true))]
    fn ApplyAngularImpulse(&self, py: Python<'_>, impulse: &Bound<'_, PyAny>, wake: bool) -> PyResult<()> {
        let impulse = number("impulse", impulse)?;
        self.push(py, wake, |body| body.apply_angular_impulse(impulse))
    }

    fn GetWorldPoint(&self, py: Python<'_>, localPoint: &Bound<'_, PyAny>) -> PyResult<PyB2Vec2> {
        let local = point("localPoint", localPoint)?;
        self.read(py, |body| PyB2Vec2::of(body.world_point(local)))
    }

    fn GetLocalPoint(&self, py: Python<'_>, worldPoint: &Bound<'_, PyAny>) -> PyResult<PyB2Vec2> {
        let world = point("worldPoint", worldPoint)?;
        self.read(py, |body| PyB2Vec2::of(body.local_point(world)))
    }

    fn GetWorldVector(&self, py: Python<'_>, localVector: &Bound<'_, PyAny>) -> PyResult<PyB2Vec2> {
        let local = point("localVector", localVector)?;
        self.read(py, |body| PyB2Vec2::of(body.rotation().rotate(local)))
    }

    fn GetLocalVector(&self, py: Python<'_>, worldVector: &Bound<'_, PyAny>) -> PyResult<PyB2Vec2> {
        let world = point("worldVector", worldVector)?;
        self.read(py, |body| PyB2Vec2::of(body.rotation().inv_rotate(world)))
    }

    fn GetLinearVelocityFromWorldPoint(&self, py: Python<'_>, worldPoint: &Bound<'_, PyAny>) -> PyResult<PyB2Vec2> {
        let at = point("worldPoint", worldPoint)?;
        self.read(py, |body| PyB2Vec2::of(body.velocity_at(at)))
    }

    fn GetLinearVelocityFromLocalPoint(&self, py: Python<'_>, localPoint: &Bound<'_, PyAny>) -> PyResult<PyB2Vec2> {
        let at = point("localPoint", localPoint)?;
        self.read(py, |body| PyB2Vec2::of(body.velocity_at(body.world_point(at))))
    }

    #[pyo3(signature = (defn = None, **keywords))]
    fn CreateFixture(
        slf: &Bound<'_, B2Body>,
        defn: Option<&Bound<'_, PyAny>>,
        keywords: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<B2Fixture>> {
        let def = match defn {
            Some(def) => def.clone(),
            None => super::box2d(slf.py(), "b2FixtureDef")?.call((), keywords)?,
        };
        let mut made = B2Body::attach(slf, &def, false)?;
        made.pop().ok_or_else(|| PyTypeError::new_err("CreateFixture takes one fixture definition"))
    }

    #[pyo3(signature = (**keywords))]
    fn CreateEdgeFixture(slf: &Bound<'_, B2Body>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Py<B2Fixture>> {
        B2Body::quick(slf, "b2EdgeShape", &["vertices"], keywords)
    }

    #[pyo3(signature = (**keywords))]
    fn CreatePolygonFixture(slf: &Bound<'_, B2Body>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Py<B2Fixture>> {
        B2Body::quick(slf, "b2PolygonShape", &["vertices", "box"], keywords)
    }

    #[pyo3(signature = (**keywords))]
    fn CreateCircleFixture(slf: &Bound<'_, B2Body>, keywords: Option<&Bound<'_, PyDict>>) -> PyResult<Py<B2Fixture>> {
        B2Body::quick(slf, "b2CircleShape", &["radius", "pos"], keywords)
    }

    fn DestroyFixture(&self, py: Python<'_>, fixture: &Bound<'_, B2Fixture>) -> PyResult<()> {
        B2World::_destroy_fixture(self.home().bind(py), fixture)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.read(py, |body| body.position()) {
            Ok(Vec2 { x, y }) => format!("b2Body(position=({x}, {y}))"),
            Err(_) => "b2Body(destroyed)".into(),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.home)
    }
}

/// The error for what pybox2d has here and this layer has not.
fn not_yet(name: &str) -> PyErr {
    PyNotImplementedError::new_err(format!("b2Body.{name}"))
}

/// Where a body is and how it is turned; `transform * point` is the point in the world.
#[pyclass(name = "b2Transform", module = "Box2D", frozen, freelist = 16)]
pub(crate) struct B2Transform {
    pub(crate) pose: Pose,
}

#[pymethods]
impl B2Transform {
    #[new]
    #[pyo3(signature = (position = None, angle = 0.0))]
    fn new(position: Option<&Bound<'_, PyAny>>, angle: f32) -> PyResult<B2Transform> {
        let place = position.map_or(Ok(Vec2::ZERO), |value| point("position", value))?;
        Ok(B2Transform { pose: Pose { p: place, q: Rot::from_angle(angle) } })
    }

    #[getter]
    fn position(&self) -> PyB2Vec2 {
        PyB2Vec2::of_state(self.pose.p)
    }

    #[getter]
    fn angle(&self) -> f32 {
        self.pose.q.angle()
    }

    fn __mul__(&self, local: &Bound<'_, PyAny>) -> PyResult<PyB2Vec2> {
        Ok(PyB2Vec2::of(self.pose.point(point("a point", local)?)))
    }

    fn __repr__(&self) -> String {
        format!("b2Transform(position=({}, {}), angle={})", self.pose.p.x, self.pose.p.y, self.pose.q.angle())
    }
}
