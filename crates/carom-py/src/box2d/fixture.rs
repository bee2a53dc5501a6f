//! `b2Fixture`, `b2Filter`, and definitions of fixtures as the engine's shapes.

use super::body::B2Body;
use super::rules::plain;
use super::world::B2World;
use crate::convert::{flag, number, point, points, whole};
use crate::error::{refused, stale};
use carom2d::shape::Geometry;
use carom2d::{DefError, Filter, Outline, ShapeDef, ShapeId, ShapeMut, ShapeRef};
use pyo3::exceptions::PyTypeError;
use pyo3::gc::PyVisit;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use pyo3::{PyTraverseError, intern};

/// A fixture of pybox2d: a shape on a body. There is one object for each.
#[pyclass(name = "b2Fixture", module = "Box2D", frozen, dict, weakref)]
pub(crate) struct B2Fixture {
    home: Option<Py<B2World>>,
    body: Option<Py<B2Body>>,
    pub(crate) id: ShapeId,
}

impl B2Fixture {
    pub(crate) fn new(world: Py<B2World>, body: Py<B2Body>, id: ShapeId) -> B2Fixture {
        B2Fixture { home: Some(world), body: Some(body), id }
    }

    fn home(&self) -> &Py<B2World> {
        self.home.as_ref().expect("only an object in the making has no world")
    }

    fn read<R>(&self, py: Python<'_>, get: impl FnOnce(ShapeRef<'_>) -> R) -> PyResult<R> {
        let world = B2World::look(self.home(), py)?;
        world.world.get_shape(self.id).map(get).ok_or_else(|| stale(self.id))
    }

    fn change<R>(&self, py: Python<'_>, set: impl FnOnce(&mut ShapeMut<'_>) -> Result<R, DefError>) -> PyResult<R> {
        let mut world = B2World::touch(self.home(), py)?;
        let mut shape = world.world.get_shape_mut(self.id).ok_or_else(|| stale(self.id))?;
        set(&mut shape).map_err(refused)
    }
}

#[pymethods]
#[allow(non_snake_case)]
impl B2Fixture {
    #[classattr]
    fn userData(py: Python<'_>) -> Py<PyAny> {
        py.None()
    }

    #[getter]
    fn body(&self, py: Python<'_>) -> Option<Py<B2Body>> {
        self.body.as_ref().map(|body| body.clone_ref(py))
    }

    /// The shape: a copy, of the class that it was made of.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let geometry = self.read(py, |shape| shape.geometry().clone())?;
        let corners: Vec<(f32, f32)> =
            crate::shape::corners(&geometry).into_iter().map(|corner| (corner.x, corner.y)).collect();
        match &geometry {
            Geometry::Circle(circle) => super::box2d(py, "_circle_of")?.call1((circle.radius, corners[0])),
            Geometry::Segment(_) => super::box2d(py, "_edge_of")?.call1((corners,)),
            _ => super::box2d(py, "_polygon_of")?.call1((corners,)),
        }
    }

    #[getter(r#type)]
    fn kind(&self, py: Python<'_>) -> PyResult<i32> {
        self.read(py, |shape| match shape.geometry() {
            Geometry::Circle(_) => 0,
            Geometry::Segment(_) => 1,
            _ => 2,
        })
    }

    #[getter]
    fn filterData(&self, py: Python<'_>) -> PyResult<B2Filter> {
        self.read(py, |shape| B2Filter { filter: shape.filter() })
    }

    #[setter]
    fn set_filterData(&self, py: Python<'_>, value: PyRef<'_, B2Filter>) -> PyResult<()> {
        let filter = value.filter;
        self.change(py, |shape| {
            shape.set_filter(filter);
            Ok(())
        })
    }

    #[getter]
    fn sensor(&self, py: Python<'_>) -> PyResult<bool> {
        self.read(py, |shape| shape.is_sensor())
    }

    #[setter]
    fn set_sensor(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = flag("sensor", value)?;
        self.change(py, |shape| {
            shape.set_sensor(value);
            Ok(())
        })
    }

    #[getter]
    fn density(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |shape| shape.density())
    }

    /// The body's mass follows at once; pybox2d waits for `ResetMassData`.
    #[setter]
    fn set_density(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("density", value)?;
        self.change(py, |shape| shape.set_density(value))
    }

    #[getter]
    fn friction(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |shape| shape.material().friction)
    }

    #[setter]
    fn set_friction(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("friction", value)?;
        self.change(py, |shape| {
            let material = carom2d::Material { friction: value, ..shape.get().material() };
            shape.set_material(material)
        })
    }

    #[getter]
    fn restitution(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |shape| shape.material().restitution)
    }

    #[setter]
    fn set_restitution(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("restitution", value)?;
        self.change(py, |shape| {
            let material = carom2d::Material { restitution: value, ..shape.get().material() };
            shape.set_material(material)
        })
    }

    /// Is this point of the world inside?
    fn TestPoint(&self, py: Python<'_>, at: &Bound<'_, PyAny>) -> PyResult<bool> {
        let at = point("p", at)?;
        self.read(py, |shape| shape.contains(at))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.read(py, |shape| crate::shape::geometry_kind(shape.geometry())) {
            Ok(kind) => format!("b2Fixture({kind})"),
            Err(_) => "b2Fixture(destroyed)".into(),
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.home)?;
        visit.call(&self.body)
    }
}

/// Which fixtures meet which.
#[pyclass(name = "b2Filter", module = "Box2D", frozen, freelist = 16)]
pub(crate) struct B2Filter {
    filter: Filter,
}

#[pymethods]
#[allow(non_snake_case)]
impl B2Filter {
    #[new]
    #[pyo3(signature = (categoryBits = 1, maskBits = 0xFFFF, groupIndex = 0))]
    fn new(categoryBits: u16, maskBits: u16, groupIndex: i16) -> B2Filter {
        let filter = Filter { category: categoryBits.into(), mask: maskBits.into(), group: groupIndex.into() };
        B2Filter { filter }
    }

    #[getter]
    fn categoryBits(&self) -> u64 {
        self.filter.category
    }

    #[getter]
    fn maskBits(&self) -> u64 {
        self.filter.mask
    }

    #[getter]
    fn groupIndex(&self) -> i32 {
        self.filter.group
    }

    fn __repr__(&self) -> String {
        let Filter { category, mask, group } = self.filter;
        format!("b2Filter(categoryBits={category}, maskBits={mask}, groupIndex={group})")
    }
}

type FixtureDef = (ShapeDef, Option<Py<PyAny>>);

/// The engine's outline of a shape of the module `Box2D`.
fn outline(shape: &Bound<'_, PyAny>) -> PyResult<ShapeDef> {
    let py = shape.py();
    let kind: u8 = shape
        .getattr(intern!(py, "_kind"))
        .and_then(|kind| kind.extract())
        .map_err(|_| PyTypeError::new_err("expected a shape: b2CircleShape, b2PolygonShape or b2EdgeShape"))?;
    if kind == 0 {
        let radius = number("radius", &shape.getattr(intern!(py, "radius"))?)?;
        let place = point("pos", &shape.getattr(intern!(py, "pos"))?)?;
        return Ok(ShapeDef { position: place, ..ShapeDef::circle(radius) });
    }
    let corners = points("vertices", &shape.getattr(intern!(py, "_vertices"))?)?;
    match (kind, &corners[..]) {
        (1, &[a, b]) => Ok(ShapeDef::segment(a, b)),
        (1, _) => Err(crate::error::value_error(format!("an edge has {} vertices; expected 2", corners.len()))),
        _ => Ok(ShapeDef::new(Outline::Convex(corners))),
    }
}

fn fixture_def<'py>(def: &Bound<'py, PyAny>) -> PyResult<FixtureDef> {
    let py = def.py();
    let get = |name: &Bound<'py, pyo3::types::PyString>| def.getattr(name);
    let shape = get(intern!(py, "shape")).map_err(|_| PyTypeError::new_err("expected a b2FixtureDef"))?;
    let mut made = plain(outline(&shape)?);
    made.density = number("density", &get(intern!(py, "density"))?)?;
    made.friction = number("friction", &get(intern!(py, "friction"))?)?;
    made.restitution = number("restitution", &get(intern!(py, "restitution"))?)?;
    made.sensor = flag("isSensor", &get(intern!(py, "isSensor"))?)?;
    made.filter = filter_of(
        &get(intern!(py, "categoryBits"))?,
        &get(intern!(py, "maskBits"))?,
        &get(intern!(py, "groupIndex"))?,
    )?;
    let data = get(intern!(py, "userData"))?;
    Ok((made, (!data.is_none()).then(|| data.unbind())))
}

fn filter_of(category: &Bound<'_, PyAny>, mask: &Bound<'_, PyAny>, group: &Bound<'_, PyAny>) -> PyResult<Filter> {
    let category: u16 = whole("categoryBits", category)?;
    let mask: u16 = whole("maskBits", mask)?;
    let group: i16 = whole("groupIndex", group)?;
    Ok(Filter { category: category.into(), mask: mask.into(), group: group.into() })
}

/// Adds the definitions of one fixture or of several, or of bare shapes.
pub(crate) fn fixture_defs(given: &Bound<'_, PyAny>, shapes: bool, defs: &mut Vec<FixtureDef>) -> PyResult<()> {
    let one = |item: &Bound<'_, PyAny>| if shapes { Ok((plain(outline(item)?), None)) } else { fixture_def(item) };
    // A definition and a shape are no lists.
    let name = if shapes { intern!(given.py(), "_kind") } else { intern!(given.py(), "shape") };
    if given.hasattr(name)? {
        defs.push(one(given)?);
        return Ok(());
    }
    let expected = if shapes { "a shape or a list of them" } else { "a b2FixtureDef or a list of them" };
    for item in given.try_iter().map_err(|_| PyTypeError::new_err(format!("expected {expected}")))? {
        defs.push(one(&item?)?);
    }
    Ok(())
}

/// The definition of a fixture from the keywords of its shape (those in `own`) and of itself.
pub(crate) fn quick_fixture(
    py: Python<'_>,
    class: &str,
    own: &[&'static str],
    keywords: Option<&Bound<'_, PyDict>>,
) -> PyResult<FixtureDef> {
    let (of_shape, of_fixture) = (PyDict::new(py), PyDict::new(py));
    for (name, value) in keywords.into_iter().flat_map(|keywords| keywords.iter()) {
        let word: String = name.extract()?;
        let to = if own.contains(&word.as_str()) { &of_shape } else { &of_fixture };
        to.set_item(name, value)?;
    }
    let shape = super::box2d(py, class)?.call((), Some(&of_shape))?;
    of_fixture.set_item("shape", shape)?;
    fixture_def(&super::box2d(py, "b2FixtureDef")?.call((), Some(&of_fixture))?)
}
