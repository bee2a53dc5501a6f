//! What happened in a step, and contacts as they are.

use crate::body::PyBody;
use crate::shape::PyShape;
use crate::vector::{PyVec2, vector};
use crate::world::PyWorld;
use carom2d::{BodyId, ContactEvent, ContactRef, Events, SensorEvent, ShapeId};
use pyo3::prelude::*;

/// What happened in the last step, as lists. Shapes in them may be gone already.
///
/// >>> import carom
/// >>> world = carom.World()
/// >>> floor = world.add_body("fixed", shapes=carom.rectangle(10, 1))
/// >>> ball = world.add_body(position=(0, 1.1), shapes=carom.circle(0.5))
/// >>> while not world.events.contact_begin:
/// ...     world.step()
/// >>> [shape.kind for shape in world.events.contact_begin[0]]
/// ['polygon', 'circle']
#[pyclass(name = "Events", module = "carom", frozen)]
pub(crate) struct PyEvents {
    world: Py<PyWorld>,
    events: Events,
}

type ShapePair = (PyShape, PyShape);
type HitTuple = (PyShape, PyShape, PyVec2, PyVec2, f32, f32);

impl PyEvents {
    pub(crate) fn of(world: &Bound<'_, PyWorld>, events: &Events) -> PyEvents {
        PyEvents { world: world.clone().unbind(), events: events.clone() }
    }

    fn shape(&self, py: Python<'_>, id: ShapeId) -> PyShape {
        PyShape { world: self.world.clone_ref(py), id }
    }

    fn pairs(&self, py: Python<'_>, list: &[ContactEvent]) -> Vec<ShapePair> {
        list.iter().map(|event| (self.shape(py, event.shape_a), self.shape(py, event.shape_b))).collect()
    }

    fn sensed(&self, py: Python<'_>, list: &[SensorEvent]) -> Vec<ShapePair> {
        list.iter().map(|event| (self.shape(py, event.sensor), self.shape(py, event.visitor))).collect()
    }

    fn bodies(&self, py: Python<'_>, list: &[BodyId]) -> Vec<PyBody> {
        list.iter().map(|&id| PyBody { world: self.world.clone_ref(py), id }).collect()
    }
}

#[pymethods]
impl PyEvents {
    /// Pairs of shapes that began to touch.
    #[getter]
    fn contact_begin(&self, py: Python<'_>) -> Vec<ShapePair> {
        self.pairs(py, &self.events.contact_begin)
    }

    /// Pairs of shapes that ceased to touch.
    #[getter]
    fn contact_end(&self, py: Python<'_>) -> Vec<ShapePair> {
        self.pairs(py, &self.events.contact_end)
    }

    /// Hard hits: shape a, shape b, point, normal from a to b, approach speed in m/s, impulse in N s.
    #[getter]
    fn contact_hit(&self, py: Python<'_>) -> Vec<HitTuple> {
        let hits = self.events.contact_hit.iter();
        hits.map(|hit| {
            let (a, b) = (self.shape(py, hit.shape_a), self.shape(py, hit.shape_b));
            (a, b, vector(hit.point), vector(hit.normal), hit.approach_speed, hit.impulse)
        })
        .collect()
    }

    /// Pairs of a sensor and what came into it.
    #[getter]
    fn sensor_begin(&self, py: Python<'_>) -> Vec<ShapePair> {
        self.sensed(py, &self.events.sensor_begin)
    }

    /// Pairs of a sensor and what left it.
    #[getter]
    fn sensor_end(&self, py: Python<'_>) -> Vec<ShapePair> {
        self.sensed(py, &self.events.sensor_end)
    }

    /// Pairs of shapes with `aabb_events` whose boxes began to overlap.
    #[getter]
    fn aabb_begin(&self, py: Python<'_>) -> Vec<ShapePair> {
        self.pairs(py, &self.events.aabb_begin)
    }

    /// Pairs of shapes with `aabb_events` whose boxes ceased to overlap.
    #[getter]
    fn aabb_end(&self, py: Python<'_>) -> Vec<ShapePair> {
        self.pairs(py, &self.events.aabb_end)
    }

    /// Bodies that fell asleep.
    #[getter]
    fn body_slept(&self, py: Python<'_>) -> Vec<PyBody> {
        self.bodies(py, &self.events.body_slept)
    }

    /// Bodies that woke up.
    #[getter]
    fn body_woke(&self, py: Python<'_>) -> Vec<PyBody> {
        self.bodies(py, &self.events.body_woke)
    }

    /// Bodies whose numbers left the range of numbers, and which were put aside.
    #[getter]
    fn body_frozen(&self, py: Python<'_>) -> Vec<PyBody> {
        self.bodies(py, &self.events.body_frozen)
    }

    /// Joints that broke: the number of the joint, which is gone; the force in N, the torque in N m, and its user data.
    #[getter]
    fn joint_broke(&self) -> Vec<(u64, PyVec2, f32, u64)> {
        let broke = self.events.joint_broke.iter();
        broke.map(|event| (event.joint.to_bits(), vector(event.force), event.torque, event.user_data)).collect()
    }

    fn __bool__(&self) -> bool {
        !self.events.is_empty()
    }

    fn __repr__(&self) -> String {
        let e = &self.events;
        format!("<Events: {} contacts begin, {} end>", e.contact_begin.len(), e.contact_end.len())
    }
}

/// A contact as it was when it was asked for.
#[pyclass(name = "Contact", module = "carom", frozen)]
pub(crate) struct PyContact {
    world: Py<PyWorld>,
    shapes: [ShapeId; 2],
    /// Do the surfaces touch?
    #[pyo3(get)]
    touching: bool,
    /// Is one of the shapes a sensor?
    #[pyo3(get)]
    sensor: bool,
    /// Unit normal from a to b.
    #[pyo3(get)]
    normal: Py<PyVec2>,
    /// Mixed coefficient of friction.
    #[pyo3(get)]
    friction: f32,
    /// Mixed coefficient of restitution.
    #[pyo3(get)]
    restitution: f32,
    /// Points: place, separation in metres, and impulses along the normal and the tangent over the step in N s.
    #[pyo3(get)]
    points: Vec<(Py<PyVec2>, f32, f32, f32)>,
}

impl PyContact {
    pub(crate) fn of(world: &Bound<'_, PyWorld>, contact: ContactRef<'_>) -> PyResult<PyContact> {
        let py = world.py();
        let material = contact.material();
        let points = contact.points().map(|point| {
            Ok((Py::new(py, vector(point.point))?, point.separation, point.normal_impulse, point.tangent_impulse))
        });
        Ok(PyContact {
            world: world.clone().unbind(),
            shapes: [contact.shape_a(), contact.shape_b()],
            touching: contact.is_touching(),
            sensor: contact.is_sensor(),
            normal: Py::new(py, vector(contact.normal()))?,
            friction: material.friction,
            restitution: material.restitution,
            points: points.collect::<PyResult<_>>()?,
        })
    }
}

#[pymethods]
impl PyContact {
    /// The shape with the lower handle.
    #[getter]
    fn shape_a(&self, py: Python<'_>) -> PyShape {
        PyShape { world: self.world.clone_ref(py), id: self.shapes[0] }
    }

    /// The other shape.
    #[getter]
    fn shape_b(&self, py: Python<'_>) -> PyShape {
        PyShape { world: self.world.clone_ref(py), id: self.shapes[1] }
    }

    fn __repr__(&self) -> String {
        let touching = if self.touching { "touching" } else { "near" };
        format!("<Contact of shapes {} and {}, {touching}>", self.shapes[0].index(), self.shapes[1].index())
    }
}
