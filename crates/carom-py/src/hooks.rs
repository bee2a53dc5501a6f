//! Hooks of a step as Python callables.

use crate::vector::{PyVec2, vector};
use carom2d::{ContactView, Hooks, Pair, PairView, Response, ShapeView};
use pyo3::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a step asks, and the first error that an answer was.
pub(crate) struct PyHooks {
    filter_pair: Option<Py<PyAny>>,
    modify_contact: Option<Py<PyAny>>,
    error: Mutex<Option<PyErr>>,
    failed: AtomicBool,
}

impl PyHooks {
    pub(crate) fn new(filter_pair: Option<Py<PyAny>>, modify_contact: Option<Py<PyAny>>) -> PyHooks {
        PyHooks { filter_pair, modify_contact, error: Mutex::new(None), failed: AtomicBool::new(false) }
    }

    /// Is there anything to ask?
    pub(crate) fn asks(&self) -> bool {
        self.filter_pair.is_some() || self.modify_contact.is_some()
    }

    /// Did a hook raise an exception?
    pub(crate) fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// The exception that a hook raised.
    pub(crate) fn take_error(&self) -> PyResult<()> {
        let mut error = self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        error.take().map_or(Ok(()), Err)
    }

    fn fail(&self, error: PyErr) {
        self.error.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
    }
}

impl Hooks for PyHooks {
    fn filter_pair(&self, pair: &PairView) -> Pair {
        let Some(hook) = self.filter_pair.as_ref().filter(|_| !self.failed()) else { return Pair::Meet };
        let answer = Python::attach(|py| {
            let views = (PyShapeView::of(&pair.a), PyShapeView::of(&pair.b));
            let answer = hook.bind(py).call1(views)?;
            Ok(if answer.is_none() || answer.is_truthy()? { Pair::Meet } else { Pair::Ignore })
        });
        answer.unwrap_or_else(|error| {
            self.fail(error);
            Pair::Meet
        })
    }

    fn modify_contact(&self, contact: &mut ContactView) {
        let Some(hook) = self.modify_contact.as_ref().filter(|_| !self.failed()) else { return };
        let result = Python::attach(|py| {
            let view = Py::new(py, PyContactView::of(contact))?;
            hook.bind(py).call1((view.clone_ref(py),))?;
            let view = view.borrow(py);
            contact.friction = view.friction;
            contact.restitution = view.restitution;
            contact.rolling_resistance = view.rolling_resistance;
            contact.surface_speed = view.surface_speed;
            contact.response = if view.acts { Response::Push } else { Response::Pass };
            Ok(())
        });
        if let Err(error) = result {
            self.fail(error);
        }
    }
}

/// One of two shapes, as hooks see it.
#[pyclass(name = "ShapeView", module = "carom", frozen)]
pub(crate) struct PyShapeView {
    view: ShapeView,
}

impl PyShapeView {
    fn of(view: &ShapeView) -> PyShapeView {
        PyShapeView { view: *view }
    }
}

#[pymethods]
impl PyShapeView {
    /// The number of the shape: :attr:`Shape.id`.
    #[getter]
    fn shape(&self) -> u64 {
        self.view.shape.to_bits()
    }

    /// The number of the body: :attr:`Body.id`.
    #[getter]
    fn body(&self) -> u64 {
        self.view.body.to_bits()
    }

    /// What the user stored with the shape.
    #[getter]
    fn shape_data(&self) -> u64 {
        self.view.shape_data
    }

    /// What the user stored with the body.
    #[getter]
    fn body_data(&self) -> u64 {
        self.view.body_data
    }

    /// Where the body is.
    #[getter]
    fn position(&self) -> PyVec2 {
        vector(self.view.pose.p)
    }

    /// Angle of the body in radians.
    #[getter]
    fn angle(&self) -> f32 {
        self.view.pose.q.angle()
    }

    /// Velocity of its centre of mass in m/s.
    #[getter]
    fn velocity(&self) -> PyVec2 {
        vector(self.view.velocity)
    }

    /// What moves the body: "fixed", "kinematic" or "dynamic".
    #[getter]
    fn kind(&self) -> &'static str {
        crate::keywords::kind_name(self.view.kind)
    }
}

/// A contact that is about to be solved. What a hook assigns lasts for this step.
#[pyclass(name = "ContactView", module = "carom")]
pub(crate) struct PyContactView {
    a: ShapeView,
    b: ShapeView,
    normal: carom2d::math::Vec2,
    /// Coefficient of friction.
    #[pyo3(get, set)]
    friction: f32,
    /// Coefficient of restitution.
    #[pyo3(get, set)]
    restitution: f32,
    /// Resistance to rolling in metres.
    #[pyo3(get, set)]
    rolling_resistance: f32,
    /// Speed of the surfaces in m/s.
    #[pyo3(get, set)]
    surface_speed: f32,
    /// Does the contact act? If not, the shapes pass through each other in this step.
    #[pyo3(get, set)]
    acts: bool,
}

impl PyContactView {
    fn of(contact: &ContactView) -> PyContactView {
        PyContactView {
            a: *contact.a(),
            b: *contact.b(),
            normal: contact.normal(),
            friction: contact.friction,
            restitution: contact.restitution,
            rolling_resistance: contact.rolling_resistance,
            surface_speed: contact.surface_speed,
            acts: contact.response == Response::Push,
        }
    }
}

#[pymethods]
impl PyContactView {
    /// The shape with the lower handle.
    #[getter]
    fn a(&self) -> PyShapeView {
        PyShapeView::of(&self.a)
    }

    /// The other shape.
    #[getter]
    fn b(&self) -> PyShapeView {
        PyShapeView::of(&self.b)
    }

    /// Unit normal from a to b.
    #[getter]
    fn normal(&self) -> PyVec2 {
        vector(self.normal)
    }
}
