//! `b2Contact`.

use super::fixture::B2Fixture;
use super::world::B2World;
use crate::vector::PyB2Vec2;
use carom2d::{ContactRef, ShapeId};
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;

/// A contact of pybox2d, as contact listeners receive it.
#[pyclass(name = "b2Contact", module = "Box2D", frozen, freelist = 16)]
pub(crate) struct B2Contact {
    world: Py<B2World>,
    fixtures: [Py<B2Fixture>; 2],
    pair: [ShapeId; 2],
    touching: bool,
}

impl B2Contact {
    pub(crate) fn new(
        world: Py<B2World>,
        fixtures: [Py<B2Fixture>; 2],
        pair: [ShapeId; 2],
        touching: bool,
    ) -> B2Contact {
        B2Contact { world, fixtures, pair, touching }
    }

    /// Reads the engine's contact, if the boxes of the fixtures still overlap.
    fn read<R>(&self, py: Python<'_>, get: impl FnOnce(ContactRef<'_>) -> R) -> PyResult<Option<R>> {
        let world = B2World::look(&self.world, py)?;
        let Some(shape) = world.world.get_shape(ShapeId::from_bits(self.pair[0].to_bits())) else { return Ok(None) };
        let mut contacts = world.world.body(shape.body()).contacts();
        Ok(contacts.find(|contact| [contact.shape_a(), contact.shape_b()] == self.pair).map(get))
    }
}

#[pymethods]
#[allow(non_snake_case)]
impl B2Contact {
    #[getter]
    fn fixtureA(&self, py: Python<'_>) -> Py<B2Fixture> {
        self.fixtures[0].clone_ref(py)
    }

    #[getter]
    fn fixtureB(&self, py: Python<'_>) -> Py<B2Fixture> {
        self.fixtures[1].clone_ref(py)
    }

    #[getter]
    fn touching(&self) -> bool {
        self.touching
    }

    #[getter]
    fn enabled(&self) -> bool {
        true
    }

    #[setter]
    fn set_enabled(&self, value: bool) -> PyResult<()> {
        let _ = value;
        Err(PyNotImplementedError::new_err("b2Contact.enabled"))
    }

    #[getter]
    fn friction(&self, py: Python<'_>) -> PyResult<Option<f32>> {
        self.read(py, |contact| contact.material().friction)
    }

    #[getter]
    fn restitution(&self, py: Python<'_>) -> PyResult<Option<f32>> {
        self.read(py, |contact| contact.material().restitution)
    }

    /// Normal from fixture A to fixture B and the points of the contact, in the world.
    #[getter]
    fn worldManifold<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = self.read(py, |contact| {
            let points: Vec<(f32, f32)> = contact.points().map(|point| (point.point.x, point.point.y)).collect();
            (contact.normal(), points)
        })?;
        let (normal, points) = found.unwrap_or_default();
        super::box2d(py, "_manifold_of")?.call1((PyB2Vec2::of(normal), points))
    }
}
