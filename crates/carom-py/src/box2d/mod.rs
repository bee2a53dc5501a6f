//! What the drop-in for pybox2d stands on: worlds, bodies, fixtures and joints with pybox2d's names. The module `Box2D`
//! (`python/box2d`) adds definitions, shapes and what has to be subclassed.
//!
//! Every body, fixture and joint is one Python object for its whole life, so identity, equality and attributes of the
//! user's own work as one expects. The world keeps them, and they keep the world; Python's collector undoes the circle.
//!
//! pybox2d reports contacts during a step. Here they are reported right after it, ends before begins unless a touch began
//! and ended within the step; `Touches` pairs them, so that a listener never receives an end without its begin.

//!
//! Python may collect garbage while it makes an object, before there is anything in it but zeros, and asks the object what
//! it refers to. So what `__traverse__` reads is an `Option`, of which zeros are `None`.

mod body;
pub(crate) mod closing;
mod contact;
mod fixture;
mod joint;
pub(crate) mod rules;
mod world;

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

/// The module `Box2D`, which has the classes that fixtures and joints are asked for.
static BOX2D: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// A class or function of the module `Box2D`.
fn box2d<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    BOX2D.get_or_try_init(py, || py.import("Box2D").map(|module| module.into_any().unbind()))?.bind(py).getattr(name)
}

/// Adds the classes to the module.
pub(crate) fn add_to(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<crate::vector::PyB2Vec2>()?;
    module.add_class::<world::B2World>()?;
    module.add_class::<body::B2Body>()?;
    module.add_class::<body::B2Transform>()?;
    module.add_class::<fixture::B2Fixture>()?;
    module.add_class::<fixture::B2Filter>()?;
    module.add_class::<joint::B2RevoluteJoint>()?;
    module.add_class::<contact::B2Contact>()
}
