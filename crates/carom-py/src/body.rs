//! Bodies, as Python sees them: a handle and the world it belongs to.

use crate::convert::{flag, maybe_number, number, point, whole};
use crate::error::{refused, stale};
use crate::joint::PyJoint;
use crate::keywords::{body_kind, kind_name, locked_axes, locked_names, pose};
use crate::shape::{PyShape, PyShapeDef};
use crate::vector::{PyVec2, vector};
use crate::world::PyWorld;
use carom2d::math::Vec2;
use carom2d::{BodyId, BodyMut, BodyRef, DefError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A body of a world. Made by :meth:`World.add_body`.
///
/// Two objects for the same body are equal. Once the body is removed, every use raises :class:`StaleHandle`.
///
/// >>> import carom
/// >>> world = carom.World()
/// >>> ball = world.add_body(position=(0, 4), shapes=carom.circle(0.5))
/// >>> ball.velocity = (1, 0)
/// >>> ball.position
/// Vec2(0.0, 4.0)
#[pyclass(name = "Body", module = "carom", frozen, weakref)]
pub(crate) struct PyBody {
    pub(crate) world: Py<PyWorld>,
    pub(crate) id: BodyId,
}

impl PyBody {
    fn read<R>(&self, py: Python<'_>, get: impl FnOnce(BodyRef<'_>) -> R) -> PyResult<R> {
        let world = PyWorld::look(&self.world, py)?;
        world.run.world.get_body(self.id).map(get).ok_or_else(|| stale(self.id))
    }

    fn change<R>(&self, py: Python<'_>, set: impl FnOnce(&mut BodyMut<'_>) -> Result<R, DefError>) -> PyResult<R> {
        let mut world = PyWorld::touch(&self.world, py)?;
        let mut body = world.run.world.get_body_mut(self.id).ok_or_else(|| stale(self.id))?;
        set(&mut body).map_err(refused)
    }

    fn hash_of(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.world.as_ptr() as usize, self.id.to_bits()).hash(&mut hasher);
        hasher.finish()
    }
}

#[pymethods]
impl PyBody {
    /// The handle as a number: names the same body in a copy of the world, see :meth:`World.body`.
    #[getter]
    fn id(&self) -> u64 {
        self.id.to_bits()
    }

    /// The world it belongs to.
    #[getter]
    fn world(&self, py: Python<'_>) -> Py<PyWorld> {
        self.world.clone_ref(py)
    }

    /// False once the body was removed.
    #[getter]
    fn exists(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(PyWorld::look(&self.world, py)?.run.world.contains_body(self.id))
    }

    /// What moves it: "fixed", "kinematic" or "dynamic".
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.read(py, |body| kind_name(body.kind()))
    }

    #[setter]
    fn set_kind(&self, py: Python<'_>, kind: &Bound<'_, PyAny>) -> PyResult<()> {
        let kind = body_kind(kind)?;
        self.change(py, |body| {
            body.set_kind(kind);
            Ok(())
        })
    }

    /// Position of the body's origin in metres.
    #[getter]
    fn position(&self, py: Python<'_>) -> PyResult<PyVec2> {
        self.read(py, |body| vector(body.position()))
    }

    #[setter]
    fn set_position(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = point("position", value)?;
        self.change(py, |body| body.set_position(value))
    }

    /// Angle in radians, counter-clockwise, from -pi to pi.
    #[getter]
    fn angle(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.angle())
    }

    #[setter]
    fn set_angle(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("angle", value)?;
        self.change(py, |body| body.set_angle(value))
    }

    /// Velocity of the centre of mass in m/s.
    #[getter]
    fn velocity(&self, py: Python<'_>) -> PyResult<PyVec2> {
        self.read(py, |body| vector(body.velocity()))
    }

    #[setter]
    fn set_velocity(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = point("velocity", value)?;
        self.change(py, |body| body.set_velocity(value))
    }

    /// Angular velocity in rad/s, counter-clockwise.
    #[getter]
    fn angular_velocity(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.angular_velocity())
    }

    #[setter]
    fn set_angular_velocity(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("angular_velocity", value)?;
        self.change(py, |body| body.set_angular_velocity(value))
    }

    /// Centre of mass in world coordinates.
    #[getter]
    fn center(&self, py: Python<'_>) -> PyResult<PyVec2> {
        self.read(py, |body| vector(body.center()))
    }

    /// Mass in kg. None when set lets the shapes' densities decide again.
    #[getter]
    fn mass(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.mass())
    }

    #[setter]
    fn set_mass(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = maybe_number("mass", value)?;
        self.change(py, |body| body.set_mass(value))
    }

    /// Moment of inertia about the centre of mass in kg m^2; None as for the mass.
    #[getter]
    fn inertia(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.inertia())
    }

    #[setter]
    fn set_inertia(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = maybe_number("inertia", value)?;
        self.change(py, |body| body.set_inertia(value))
    }

    /// Kinetic energy in J.
    #[getter]
    fn kinetic_energy(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.kinetic_energy())
    }

    /// Linear damping in 1/s.
    #[getter]
    fn linear_damping(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.linear_damping())
    }

    #[setter]
    fn set_linear_damping(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("linear_damping", value)?;
        self.change(py, |body| body.set_linear_damping(value))
    }

    /// Angular damping in 1/s.
    #[getter]
    fn angular_damping(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.angular_damping())
    }

    #[setter]
    fn set_angular_damping(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("angular_damping", value)?;
        self.change(py, |body| body.set_angular_damping(value))
    }

    /// Factor on the world's gravity.
    #[getter]
    fn gravity_scale(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.gravity_scale())
    }

    #[setter]
    fn set_gravity_scale(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("gravity_scale", value)?;
        self.change(py, |body| body.set_gravity_scale(value))
    }

    /// Motions it may not make: names out of "x", "y", "rotation".
    #[getter]
    fn locked(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        self.read(py, |body| locked_names(body.locked()))
    }

    #[setter]
    fn set_locked(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = locked_axes(value)?;
        self.change(py, |body| {
            body.set_locked(value);
            Ok(())
        })
    }

    /// Speed in m/s under which it counts as at rest.
    #[getter]
    fn sleep_speed(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.sleep_speed())
    }

    #[setter]
    fn set_sleep_speed(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("sleep_speed", value)?;
        self.change(py, |body| body.set_sleep_speed(value))
    }

    /// May it fall asleep?
    #[getter]
    fn can_sleep(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |body| body.can_sleep())
    }

    #[setter]
    fn set_can_sleep(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = flag("can_sleep", value)?;
        self.change(py, |body| {
            body.set_can_sleep(value);
            Ok(())
        })
    }

    /// Must it pass through no other body, however fast it is?
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

    /// Is it awake? Set it to wake the body or put it to sleep.
    #[getter]
    fn awake(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |body| body.is_awake())
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

    /// Does it take part at all?
    #[getter]
    fn enabled(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |body| body.is_enabled())
    }

    #[setter]
    fn set_enabled(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = flag("enabled", value)?;
        self.change(py, |body| {
            body.set_enabled(value);
            Ok(())
        })
    }

    /// True if its numbers left the range of numbers, and it was put aside.
    #[getter]
    fn frozen(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |body| body.is_frozen())
    }

    /// A whole number of the user's.
    #[getter]
    fn user_data(&self, py: Python<'_>) -> PyResult<u64> {
        self.read(py, |body| body.user_data())
    }

    #[setter]
    fn set_user_data(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = whole("user_data", value)?;
        self.change(py, |body| {
            body.set_user_data(value);
            Ok(())
        })
    }

    /// Force in N that will act in the next step.
    #[getter]
    fn force(&self, py: Python<'_>) -> PyResult<PyVec2> {
        self.read(py, |body| vector(body.force()))
    }

    /// Torque in N m that will act in the next step.
    #[getter]
    fn torque(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |body| body.torque())
    }

    /// Its shapes.
    #[getter]
    fn shapes(&self, py: Python<'_>) -> PyResult<Vec<PyShape>> {
        self.read(py, |body| body.shapes().map(|id| PyShape { world: self.world.clone_ref(py), id }).collect())
    }

    /// Its joints.
    #[getter]
    fn joints(&self, py: Python<'_>) -> PyResult<Vec<PyJoint>> {
        self.read(py, |body| body.joints().map(|id| PyJoint { world: self.world.clone_ref(py), id }).collect())
    }

    /// Attaches a shape; returns it. The mass follows.
    fn add(&self, py: Python<'_>, shape: PyRef<'_, PyShapeDef>) -> PyResult<PyShape> {
        let mut world = PyWorld::touch(&self.world, py)?;
        let id = world.run.world.add_shape(self.id, shape.def.clone()).map_err(refused)?;
        Ok(PyShape { world: self.world.clone_ref(py), id })
    }

    /// Removes the body with its shapes and joints. What rested on it wakes.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        PyWorld::touch(&self.world, py)?.run.world.remove_body(self.id).map_err(refused)
    }

    /// Applies a force in N for the next step, through the centre of mass or at a point of the world.
    #[pyo3(signature = (force, at = None))]
    fn apply_force(&self, py: Python<'_>, force: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (force, at) = (point("force", force)?, maybe_point("at", at)?);
        self.change(py, |body| match at {
            Some(at) => body.apply_force_at(force, at),
            None => body.apply_force(force),
        })
    }

    /// Applies a torque in N m for the next step.
    fn apply_torque(&self, py: Python<'_>, torque: &Bound<'_, PyAny>) -> PyResult<()> {
        let torque = number("torque", torque)?;
        self.change(py, |body| body.apply_torque(torque))
    }

    /// Changes the velocity at once by an impulse in N s, through the centre of mass or at a point of the world.
    #[pyo3(signature = (impulse, at = None))]
    fn apply_impulse(&self, py: Python<'_>, impulse: &Bound<'_, PyAny>, at: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let (impulse, at) = (point("impulse", impulse)?, maybe_point("at", at)?);
        self.change(py, |body| match at {
            Some(at) => body.apply_impulse_at(impulse, at),
            None => body.apply_impulse(impulse),
        })
    }

    /// Changes the angular velocity at once by an impulse in N m s.
    fn apply_angular_impulse(&self, py: Python<'_>, impulse: &Bound<'_, PyAny>) -> PyResult<()> {
        let impulse = number("impulse", impulse)?;
        self.change(py, |body| body.apply_angular_impulse(impulse))
    }

    /// Gives a kinematic body the velocity that takes it to a pose in `dt` seconds.
    fn move_to(&self, py: Python<'_>, target: &Bound<'_, PyAny>, dt: &Bound<'_, PyAny>) -> PyResult<()> {
        let (target, dt) = (pose("target", target)?, number("dt", dt)?);
        self.change(py, |body| body.move_to(target, dt))
    }

    /// A point of the body in world coordinates.
    fn world_point(&self, py: Python<'_>, local: &Bound<'_, PyAny>) -> PyResult<PyVec2> {
        let local = point("local", local)?;
        self.read(py, |body| vector(body.world_point(local)))
    }

    /// A point of the world in the body's coordinates.
    fn local_point(&self, py: Python<'_>, world: &Bound<'_, PyAny>) -> PyResult<PyVec2> {
        let world = point("world", world)?;
        self.read(py, |body| vector(body.local_point(world)))
    }

    /// Velocity in m/s of the body at a point of the world.
    fn velocity_at(&self, py: Python<'_>, at: &Bound<'_, PyAny>) -> PyResult<PyVec2> {
        let at = point("at", at)?;
        self.read(py, |body| vector(body.velocity_at(at)))
    }

    /// Changes several properties at once, by keywords.
    #[pyo3(signature = (**settings))]
    fn set(slf: &Bound<'_, PyBody>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        crate::world::set_attributes(slf.as_any(), settings)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyBody>().is_ok_and(|other| {
            let other = other.get();
            other.id == self.id && other.world.is(&self.world)
        })
    }

    fn __hash__(&self) -> u64 {
        self.hash_of()
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.read(py, |body| (kind_name(body.kind()), body.position(), body.angle())) {
            Ok((kind, Vec2 { x, y }, angle)) => {
                format!("<{kind} Body {} at ({x}, {y}), angle {angle}>", self.id.index())
            }
            Err(_) => format!("<Body {}, removed or in use>", self.id.index()),
        }
    }
}

fn maybe_point(name: &str, value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Vec2>> {
    value.filter(|value| !value.is_none()).map(|value| point(name, value)).transpose()
}
