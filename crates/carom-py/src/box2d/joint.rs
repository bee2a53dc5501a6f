//! `b2RevoluteJoint`.

use super::body::B2Body;
use super::world::{B2World, no_body};
use crate::convert::{flag, number, point};
use crate::error::{refused, stale};
use crate::vector::PyB2Vec2;
use carom2d::math::{Pose, vec2};
use carom2d::{JointDef, JointId, JointKind, JointRef, Limits, Motor, Revolute};
use pyo3::PyTraverseError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;

/// A pin of pybox2d, with or without a motor and limits.
#[pyclass(name = "b2RevoluteJoint", module = "Box2D", dict, weakref)]
pub(crate) struct B2RevoluteJoint {
    home: Option<Py<B2World>>,
    bodies: [Option<Py<B2Body>>; 2],
    id: JointId,
    motor: Motor,
    enable_motor: bool,
    limits: Limits,
    enable_limit: bool,
    collide: bool,
}

impl B2RevoluteJoint {
    fn home(&self) -> &Py<B2World> {
        self.home.as_ref().expect("only an object in the making has no world")
    }

    pub(crate) fn id(&self) -> JointId {
        self.id
    }

    pub(crate) fn with_id(mut self, id: JointId) -> B2RevoluteJoint {
        self.id = id;
        self
    }

    fn kind(&self) -> JointKind {
        JointKind::Revolute(Revolute {
            limits: self.enable_limit.then_some(self.limits),
            motor: self.enable_motor.then_some(self.motor),
            ..Revolute::default()
        })
    }

    /// Hands changed settings to the engine, which wakes the bodies.
    fn apply(&self, py: Python<'_>) -> PyResult<()> {
        let mut world = B2World::touch(self.home(), py)?;
        let mut joint = world.world.get_joint_mut(self.id).ok_or_else(|| stale(self.id))?;
        joint.set_kind(self.kind()).map_err(refused)
    }

    #[inline]
    fn read<R>(&self, py: Python<'_>, get: impl FnOnce(JointRef<'_>) -> R) -> PyResult<R> {
        let world = B2World::look(self.home(), py)?;
        world.world.get_joint(self.id).map(get).ok_or_else(|| stale(self.id))
    }

    /// Changes the motor; keeps it as it was if the engine refuses.
    fn change_motor(&mut self, py: Python<'_>, motor: Motor) -> PyResult<()> {
        if motor == self.motor {
            // Even so the bodies wake, as pybox2d's do.
            let mut world = B2World::touch(self.home(), py)?;
            for body in self.bodies.iter().flatten() {
                let id = body.get().id;
                if world.world.get_body(id).is_some_and(|body| body.is_sleeping()) {
                    world.world.body_mut(id).wake();
                }
            }
            return Ok(());
        }
        motor.validate().map_err(refused)?;
        let before = std::mem::replace(&mut self.motor, motor);
        if !self.enable_motor {
            return Ok(());
        }
        self.apply(py).inspect_err(|_| self.motor = before)
    }

    fn change_limits(&mut self, py: Python<'_>, limits: Limits) -> PyResult<()> {
        limits.validate().map_err(refused)?;
        let before = std::mem::replace(&mut self.limits, limits);
        self.apply(py).inspect_err(|_| self.limits = before)
    }
}

/// The engine's definition of a `b2RevoluteJointDef`, and the object to be.
pub(crate) fn revolute_def(
    world: &Bound<'_, B2World>,
    def: &Bound<'_, PyAny>,
) -> PyResult<(JointDef, B2RevoluteJoint)> {
    let get = |name: &str| def.getattr(name);
    let body = |name: &str| -> PyResult<Py<B2Body>> {
        let found = get(name)?;
        let body = found.cast::<B2Body>().map_err(|_| no_body(name))?;
        if !body.get().home().is(world) {
            return Err(stale(body.get().id));
        }
        Ok(body.clone().unbind())
    };
    let get_number = |name: &str| number(name, &get(name)?);
    let bodies = [body("bodyA")?, body("bodyB")?];
    let [a, b] = bodies.each_ref().map(|body| body.get().id);
    let object = B2RevoluteJoint {
        home: Some(world.clone().unbind()),
        bodies: bodies.map(Some),
        id: JointId::from_bits(0),
        motor: Motor::new(get_number("motorSpeed")?, get_number("maxMotorTorque")?),
        enable_motor: flag("enableMotor", &get("enableMotor")?)?,
        limits: Limits::new(get_number("lowerAngle")?, get_number("upperAngle")?),
        enable_limit: flag("enableLimit", &get("enableLimit")?)?,
        collide: flag("collideConnected", &get("collideConnected")?)?,
    };
    object.motor.validate().map_err(refused)?;
    if object.enable_limit {
        object.limits.validate().map_err(refused)?;
    }
    let (anchor_a, anchor_b) =
        (point("localAnchorA", &get("localAnchorA")?)?, point("localAnchorB", &get("localAnchorB")?)?);
    let joint = JointDef {
        frame_a: Pose::new(anchor_a, get_number("referenceAngle")?),
        frame_b: Pose::at(anchor_b),
        collide_connected: object.collide,
        ..JointDef::new(a, b, object.kind())
    };
    Ok((joint, object))
}

#[pymethods]
#[allow(non_snake_case)]
impl B2RevoluteJoint {
    #[classattr]
    fn userData(py: Python<'_>) -> Py<PyAny> {
        py.None()
    }

    #[getter]
    fn bodyA(&self, py: Python<'_>) -> Option<Py<B2Body>> {
        self.bodies[0].as_ref().map(|body| body.clone_ref(py))
    }

    #[getter]
    fn bodyB(&self, py: Python<'_>) -> Option<Py<B2Body>> {
        self.bodies[1].as_ref().map(|body| body.clone_ref(py))
    }

    #[getter]
    fn anchorA(&self, py: Python<'_>) -> PyResult<PyB2Vec2> {
        self.read(py, |joint| PyB2Vec2::of_state(joint.frame_a().p))
    }

    #[getter]
    fn anchorB(&self, py: Python<'_>) -> PyResult<PyB2Vec2> {
        self.read(py, |joint| PyB2Vec2::of_state(joint.frame_b().p))
    }

    #[getter]
    fn angle(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |joint| joint.angle())
    }

    #[getter]
    fn speed(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |joint| joint.angular_speed())
    }

    #[getter]
    fn collideConnected(&self) -> bool {
        self.collide
    }

    #[getter]
    fn active(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |_| true)
    }

    #[getter]
    fn motorSpeed(&self) -> f32 {
        self.motor.speed
    }

    #[setter]
    fn set_motorSpeed(&mut self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let speed = number("motorSpeed", value)?;
        self.change_motor(py, Motor { speed, ..self.motor })
    }

    #[getter]
    fn maxMotorTorque(&self) -> f32 {
        self.motor.max_force
    }

    #[setter]
    fn set_maxMotorTorque(&mut self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let max_force = number("maxMotorTorque", value)?;
        self.change_motor(py, Motor { max_force, ..self.motor })
    }

    #[getter]
    fn motorEnabled(&self) -> bool {
        self.enable_motor
    }

    #[setter]
    fn set_motorEnabled(&mut self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.enable_motor = flag("motorEnabled", value)?;
        self.apply(py)
    }

    #[getter]
    fn limitEnabled(&self) -> bool {
        self.enable_limit
    }

    #[setter]
    fn set_limitEnabled(&mut self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = flag("limitEnabled", value)?;
        if value {
            self.limits.validate().map_err(refused)?;
        }
        self.enable_limit = value;
        self.apply(py)
    }

    #[getter]
    fn lowerLimit(&self) -> f32 {
        self.limits.lower
    }

    #[setter]
    fn set_lowerLimit(&mut self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let lower = number("lowerLimit", value)?;
        self.change_limits(py, Limits { lower, ..self.limits })
    }

    #[getter]
    fn upperLimit(&self) -> f32 {
        self.limits.upper
    }

    #[setter]
    fn set_upperLimit(&mut self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let upper = number("upperLimit", value)?;
        self.change_limits(py, Limits { upper, ..self.limits })
    }

    #[getter]
    fn limits(&self) -> (f32, f32) {
        (self.limits.lower, self.limits.upper)
    }

    #[setter]
    fn set_limits(&mut self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let both = point("limits", value)?;
        self.change_limits(py, Limits::new(both.x, both.y))
    }

    /// Torque in N m that the joint put on body B over the last step.
    fn GetMotorTorque(&self, py: Python<'_>, invDt: f32) -> PyResult<f32> {
        let _ = invDt;
        self.read(py, |joint| joint.torque())
    }

    /// Force in N that the joint put on body B over the last step.
    fn GetReactionForce(&self, py: Python<'_>, invDt: f32) -> PyResult<PyB2Vec2> {
        let _ = invDt;
        self.read(py, |joint| PyB2Vec2::of(joint.force() + vec2(0.0, 0.0)))
    }

    /// Torque in N m that the joint put on body B over the last step.
    fn GetReactionTorque(&self, py: Python<'_>, invDt: f32) -> PyResult<f32> {
        self.GetMotorTorque(py, invDt)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.read(py, |joint| joint.angle()) {
            Ok(angle) => format!("b2RevoluteJoint(angle={angle})"),
            Err(_) => "b2RevoluteJoint(destroyed)".into(),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.home)?;
        visit.call(&self.bodies[0])?;
        visit.call(&self.bodies[1])
    }
}
