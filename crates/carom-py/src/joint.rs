//! Joints, as Python sees them.

use crate::body::PyBody;
use crate::convert::{each_keyword, flag, number, text, whole};
use crate::error::{refused, stale};
use crate::keywords::{COMMON_JOINT_NAMES, JOINT_KINDS, joint_common, joint_names, joint_setting, pose};
use crate::vector::{PyVec2, vector};
use crate::world::PyWorld;
use carom2d::math::Vec2;
use carom2d::{
    BodyId, DefError, Distance, Drive, Gear, JointDef, JointId, JointKind, JointMut, JointRef, Limits, Motor, Mouse,
    Prismatic, Pulley, Revolute, Spring, Weld, Wheel, World,
};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A joint of a world. Made by :meth:`World.add_joint`.
///
/// Settings of its kind are attributes, which can be assigned: `limits` and `motor` are pairs of numbers (lowest and
/// highest; speed and strength), `spring` is a frequency in Hz and a damping ratio.
///
/// >>> import carom
/// >>> world = carom.World()
/// >>> wall = world.add_body("fixed")
/// >>> bob = world.add_body(position=(1, 0), shapes=carom.circle(0.1))
/// >>> pin = world.add_joint("revolute", wall, bob, at=(0, 0), motor=(2, 10))
/// >>> pin.motor
/// (2.0, 10.0)
#[pyclass(name = "Joint", module = "carom", frozen, weakref)]
pub(crate) struct PyJoint {
    pub(crate) world: Py<PyWorld>,
    pub(crate) id: JointId,
}

/// The settings of joints of all kinds, by name.
const SETTINGS: [&str; 19] = [
    "limits",
    "motor",
    "spring",
    "target",
    "target_angle",
    "min",
    "max",
    "rest_length",
    "linear",
    "angular",
    "max_force",
    "max_torque",
    "angular_velocity",
    "ratio",
    "pulley_a",
    "pulley_b",
    "rope_length",
    "length",
    "velocity",
];

/// A kind of joint at its default settings; gears need their joints.
fn plain_kind(word: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<JointKind> {
    let wheels = |name: &str| -> PyResult<JointId> {
        let joint = settings.map(|settings| settings.get_item(name)).transpose()?.flatten();
        let joint = joint.ok_or_else(|| PyTypeError::new_err(format!("a gear needs {name}: a Joint")))?;
        Ok(joint.cast::<PyJoint>().map_err(|_| PyTypeError::new_err(format!("{name} must be a Joint")))?.get().id)
    };
    Ok(match word {
        "revolute" => JointKind::Revolute(Revolute::default()),
        "distance" => JointKind::Distance(Distance::default()),
        "rope" => JointKind::Distance(Distance::rope(1.0)),
        "spring" => JointKind::Distance(Distance::spring(1.0, Spring::default())),
        "prismatic" => JointKind::Prismatic(Prismatic::default()),
        "weld" => JointKind::Weld(Weld::default()),
        "wheel" => JointKind::Wheel(Wheel::default()),
        "motor" => JointKind::Motor(Drive::default()),
        "mouse" => JointKind::Mouse(Mouse::default()),
        "gear" => JointKind::Gear(Gear { joint_a: wheels("joint_a")?, joint_b: wheels("joint_b")?, ratio: 1.0 }),
        "pulley" => JointKind::Pulley(Pulley { pulley_a: Vec2::ZERO, pulley_b: Vec2::ZERO, length: 1.0, ratio: 1.0 }),
        "filter" => JointKind::Filter,
        _ => {
            let known = JOINT_KINDS.join(", ");
            return Err(PyValueError::new_err(format!("kind is {word:?}; expected one of {known}")));
        }
    })
}

/// The definition of a joint, by keywords. `at` needs the world, to know where the bodies are.
pub(crate) fn joint_def(
    world: &World,
    word: &str,
    bodies: [BodyId; 2],
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<JointDef> {
    let mut def = JointDef::new(bodies[0], bodies[1], plain_kind(word, settings)?);
    let gear = matches!(def.kind, JointKind::Gear(_));
    let names: Vec<&'static str> = joint_names(&def.kind).iter().chain(&COMMON_JOINT_NAMES).copied().collect();
    let mut at = None;
    // A length is the spring's, whichever of the two comes first.
    let mut length = None;
    each_keyword(&format!("a {word} joint"), &names, settings, |name, value| match name {
        "at" => {
            at = Some(pose(name, value)?);
            Ok(true)
        }
        "joint_a" | "joint_b" if gear => Ok(true),
        "length" if matches!(def.kind, JointKind::Distance(_)) => {
            length = Some(value.clone());
            Ok(true)
        }
        _ => Ok(joint_common(&mut def, name, value)? || joint_setting(&mut def.kind, name, value)?),
    })?;
    if let Some(length) = length {
        joint_setting(&mut def.kind, "length", &length)?;
    }
    match at {
        Some(at) => def.at_pose(world, at).map_err(refused),
        None => Ok(def),
    }
}

type Shown<'py> = PyResult<Option<Bound<'py, PyAny>>>;

fn show_limits<'py>(py: Python<'py>, limits: Option<Limits>) -> PyResult<Bound<'py, PyAny>> {
    limits.map(|limits| (limits.lower, limits.upper)).into_bound_py_any(py)
}

fn show_motor<'py>(py: Python<'py>, motor: Option<Motor>) -> PyResult<Bound<'py, PyAny>> {
    motor.map(|motor| (motor.speed, motor.max_force)).into_bound_py_any(py)
}

fn show_spring<'py>(py: Python<'py>, spring: Option<Spring>) -> PyResult<Bound<'py, PyAny>> {
    spring.map(|spring| (spring.hertz, spring.damping_ratio)).into_bound_py_any(py)
}

/// A setting of a kind of joint as Python reads it; None if the kind has none of this name.
fn show_setting<'py>(py: Python<'py>, kind: &JointKind, name: &str) -> Shown<'py> {
    Ok(Some(match (kind, name) {
        (JointKind::Distance(joint), "min") => joint.min.into_bound_py_any(py)?,
        (JointKind::Distance(joint), "max") => joint.max.into_bound_py_any(py)?,
        (JointKind::Distance(joint), "spring") => show_spring(py, joint.spring.map(|(spring, _)| spring))?,
        (JointKind::Distance(joint), "rest_length") => joint.spring.map(|(_, rest)| rest).into_bound_py_any(py)?,
        (JointKind::Distance(joint), "motor") => show_motor(py, joint.motor)?,
        (JointKind::Revolute(joint), "limits") => show_limits(py, joint.limits)?,
        (JointKind::Revolute(joint), "motor") => show_motor(py, joint.motor)?,
        (JointKind::Revolute(joint), "spring") => show_spring(py, joint.spring)?,
        (JointKind::Revolute(joint), "target_angle") => joint.target_angle.into_bound_py_any(py)?,
        (JointKind::Prismatic(joint), "limits") => show_limits(py, joint.limits)?,
        (JointKind::Prismatic(joint), "motor") => show_motor(py, joint.motor)?,
        (JointKind::Prismatic(joint), "spring") => show_spring(py, joint.spring)?,
        (JointKind::Prismatic(joint), "target") => joint.target.into_bound_py_any(py)?,
        (JointKind::Weld(joint), "linear") => show_spring(py, joint.linear)?,
        (JointKind::Weld(joint), "angular") => show_spring(py, joint.angular)?,
        (JointKind::Wheel(joint), "spring") => show_spring(py, joint.spring)?,
        (JointKind::Wheel(joint), "target") => joint.target.into_bound_py_any(py)?,
        (JointKind::Wheel(joint), "limits") => show_limits(py, joint.limits)?,
        (JointKind::Wheel(joint), "motor") => show_motor(py, joint.motor)?,
        (JointKind::Motor(joint), "linear") => show_spring(py, joint.linear)?,
        (JointKind::Motor(joint), "angular") => show_spring(py, joint.angular)?,
        (JointKind::Motor(joint), "max_force") => joint.max_force.into_bound_py_any(py)?,
        (JointKind::Motor(joint), "max_torque") => joint.max_torque.into_bound_py_any(py)?,
        (JointKind::Motor(joint), "angular_velocity") => joint.angular_velocity.into_bound_py_any(py)?,
        (JointKind::Mouse(joint), "target") => vector(joint.target).into_bound_py_any(py)?,
        (JointKind::Mouse(joint), "spring") => show_spring(py, Some(joint.spring))?,
        (JointKind::Mouse(joint), "max_force") => joint.max_force.into_bound_py_any(py)?,
        (JointKind::Gear(joint), "ratio") => joint.ratio.into_bound_py_any(py)?,
        (JointKind::Pulley(joint), "pulley_a") => vector(joint.pulley_a).into_bound_py_any(py)?,
        (JointKind::Pulley(joint), "pulley_b") => vector(joint.pulley_b).into_bound_py_any(py)?,
        (JointKind::Pulley(joint), "rope_length") => joint.length.into_bound_py_any(py)?,
        (JointKind::Pulley(joint), "ratio") => joint.ratio.into_bound_py_any(py)?,
        _ => return Ok(None),
    }))
}

impl PyJoint {
    fn read<R>(&self, py: Python<'_>, get: impl FnOnce(JointRef<'_>) -> R) -> PyResult<R> {
        let world = PyWorld::look(&self.world, py)?;
        world.run.world.get_joint(self.id).map(get).ok_or_else(|| stale(self.id))
    }

    fn change<R>(&self, py: Python<'_>, set: impl FnOnce(&mut JointMut<'_>) -> Result<R, DefError>) -> PyResult<R> {
        let mut world = PyWorld::touch(&self.world, py)?;
        let mut joint = world.run.world.get_joint_mut(self.id).ok_or_else(|| stale(self.id))?;
        set(&mut joint).map_err(refused)
    }

    fn get_setting(&self, py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
        let kind = self.read(py, |joint| *joint.kind())?;
        match show_setting(py, &kind, name)? {
            Some(value) => Ok(value.unbind()),
            None => Err(missing(&kind, name)),
        }
    }

    fn set_setting(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut kind = self.read(py, |joint| *joint.kind())?;
        if !joint_setting(&mut kind, name, value)? {
            return Err(missing(&kind, name));
        }
        self.change(py, |joint| joint.set_kind(kind))
    }
}

impl PyJoint {
    fn motor_speed(&self, py: Python<'_>) -> PyResult<f32> {
        let motor = self.get_setting(py, "motor")?;
        motor.extract::<Option<(f32, f32)>>(py)?.map(|(speed, _)| speed).ok_or_else(no_motor)
    }

    fn motor_max_force(&self, py: Python<'_>) -> PyResult<f32> {
        let motor = self.get_setting(py, "motor")?;
        motor.extract::<Option<(f32, f32)>>(py)?.map(|(_, force)| force).ok_or_else(no_motor)
    }

    fn set_motor_speed(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("motor_speed", value)?;
        self.change(py, |joint| joint.set_motor_speed(value))
    }

    fn set_motor_max_force(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("motor_max_force", value)?;
        self.change(py, |joint| joint.set_motor_max_force(value))
    }

    fn set_collide_connected(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = flag("collide_connected", value)?;
        self.change(py, |joint| {
            joint.set_collide_connected(value);
            Ok(())
        })
    }

    fn set_enabled(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = flag("enabled", value)?;
        self.change(py, |joint| {
            joint.set_enabled(value);
            Ok(())
        })
    }

    fn set_break_force(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("break_force", value)?;
        self.change(py, |joint| {
            let torque = joint.get().def().break_torque;
            joint.set_break(value, torque)
        })
    }

    fn set_break_torque(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("break_torque", value)?;
        self.change(py, |joint| {
            let force = joint.get().def().break_force;
            joint.set_break(force, value)
        })
    }

    fn set_user_data(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = whole("user_data", value)?;
        self.change(py, |joint| {
            joint.set_user_data(value);
            Ok(())
        })
    }
}

fn missing(kind: &JointKind, name: &str) -> PyErr {
    pyo3::exceptions::PyAttributeError::new_err(format!(
        "a {} joint has no {name}; it has {}",
        kind.name(),
        joint_names(kind).join(", ")
    ))
}

#[pymethods]
impl PyJoint {
    /// The handle as a number.
    #[getter]
    fn id(&self) -> u64 {
        self.id.to_bits()
    }

    /// False once the joint was removed or broke.
    #[getter]
    fn exists(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(PyWorld::look(&self.world, py)?.run.world.contains_joint(self.id))
    }

    /// What it does, as a word.
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.read(py, |joint| joint.kind().name())
    }

    /// The first body.
    #[getter]
    fn body_a(&self, py: Python<'_>) -> PyResult<PyBody> {
        let id = self.read(py, |joint| joint.body_a())?;
        Ok(PyBody { world: self.world.clone_ref(py), id })
    }

    /// The second body.
    #[getter]
    fn body_b(&self, py: Python<'_>) -> PyResult<PyBody> {
        let id = self.read(py, |joint| joint.body_b())?;
        Ok(PyBody { world: self.world.clone_ref(py), id })
    }

    /// Angle of frame b against frame a in radians, counted on beyond half a turn.
    #[getter]
    fn angle(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |joint| joint.angle())
    }

    /// Place of frame b in frame a, in metres.
    #[getter]
    fn offset(&self, py: Python<'_>) -> PyResult<PyVec2> {
        self.read(py, |joint| vector(joint.offset()))
    }

    /// Distance between the frames in metres. Setting it changes the length of a rod, a rope or a pulley's rope.
    #[getter]
    fn length(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |joint| joint.length())
    }

    /// Angular velocity of b against a in rad/s.
    #[getter]
    fn angular_speed(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |joint| joint.angular_speed())
    }

    /// Velocity of frame b in frame a in m/s. Setting it changes that of a motor joint.
    #[getter]
    fn velocity(&self, py: Python<'_>) -> PyResult<PyVec2> {
        self.read(py, |joint| vector(joint.velocity()))
    }

    /// Force in N that the joint put on the second body over the last step.
    #[getter]
    fn force(&self, py: Python<'_>) -> PyResult<PyVec2> {
        self.read(py, |joint| vector(joint.force()))
    }

    /// Torque in N m that the joint put on the second body over the last step.
    #[getter]
    fn torque(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |joint| joint.torque())
    }

    /// Settings of the joint: see :meth:`World.add_joint`.
    fn __getattr__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let word = text("name", name)?;
        match word.as_str() {
            "motor_speed" => self.motor_speed(py)?.into_py_any(py),
            "motor_max_force" => self.motor_max_force(py)?.into_py_any(py),
            "collide_connected" => self.read(py, |joint| joint.def().collide_connected)?.into_py_any(py),
            "enabled" => self.read(py, |joint| joint.def().enabled)?.into_py_any(py),
            "break_force" => self.read(py, |joint| joint.def().break_force)?.into_py_any(py),
            "break_torque" => self.read(py, |joint| joint.def().break_torque)?.into_py_any(py),
            "user_data" => self.read(py, |joint| joint.user_data())?.into_py_any(py),
            // What is asked for otherwise, such as `__dict__`, is no matter of the world.
            _ if !SETTINGS.contains(&word.as_str()) => {
                Err(pyo3::exceptions::PyAttributeError::new_err(format!("a Joint has no {word}")))
            }
            _ => self.get_setting(py, &word),
        }
    }

    fn __setattr__(&self, py: Python<'_>, name: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        match text("name", name)?.as_str() {
            "motor_speed" => self.set_motor_speed(py, value),
            "motor_max_force" => self.set_motor_max_force(py, value),
            "collide_connected" => self.set_collide_connected(py, value),
            "enabled" => self.set_enabled(py, value),
            "break_force" => self.set_break_force(py, value),
            "break_torque" => self.set_break_torque(py, value),
            "user_data" => self.set_user_data(py, value),
            setting => self.set_setting(py, setting, value),
        }
    }

    /// Removes the joint.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        PyWorld::touch(&self.world, py)?.run.world.remove_joint(self.id).map_err(refused)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyJoint>().is_ok_and(|other| {
            let other = other.get();
            other.id == self.id && other.world.is(&self.world)
        })
    }

    fn __hash__(&self) -> u64 {
        self.id.to_bits() ^ (self.world.as_ptr() as u64).rotate_left(29)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.read(py, |joint| joint.kind().name()) {
            Ok(kind) => format!("<{kind} Joint {}>", self.id.index()),
            Err(_) => format!("<Joint {}, removed or in use>", self.id.index()),
        }
    }
}

fn no_motor() -> PyErr {
    PyValueError::new_err("the joint has no motor; give it one: joint.motor = (speed, max_force)")
}
