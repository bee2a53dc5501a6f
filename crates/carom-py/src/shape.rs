//! Shapes: definitions made by functions such as `rectangle`, and attached ones.

use crate::body::PyBody;
use crate::convert::{flag, number, point, whole};
use crate::error::{refused, stale};
use crate::keywords::{filter_field, shape_def};
use crate::vector::{PyVec2, vector};
use crate::world::PyWorld;
use carom2d::math::Vec2;
use carom2d::shape::{ChainEnds, Geometry};
use carom2d::{DefError, Filter, Outline, ShapeDef, ShapeId, ShapeMut, ShapeRef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The definition of a shape, checked: outline, surface and filter. Attach it with :meth:`Body.add` or pass it to
/// :meth:`World.add_body`, as often as you like.
#[pyclass(name = "ShapeDef", module = "carom", frozen)]
pub(crate) struct PyShapeDef {
    pub(crate) def: ShapeDef,
}

impl PyShapeDef {
    /// The geometry, in the coordinates of what it is attached to.
    pub(crate) fn geometry(&self) -> PyResult<Geometry> {
        self.def.build().map_err(refused)
    }
}

#[pymethods]
impl PyShapeDef {
    /// Mass in kg at the definition's density.
    #[getter]
    fn mass(&self) -> PyResult<f32> {
        Ok(self.geometry()?.mass(self.def.density).mass)
    }

    /// Area in m^2.
    #[getter]
    fn area(&self) -> PyResult<f32> {
        Ok(self.geometry()?.area())
    }

    /// The same shape with other settings.
    #[pyo3(signature = (**settings))]
    fn replace(&self, settings: Option<&Bound<'_, PyDict>>) -> PyResult<PyShapeDef> {
        shape_def(self.def.clone(), settings).map(|def| PyShapeDef { def })
    }

    fn __repr__(&self) -> String {
        format!("<ShapeDef {:?}, density {}, friction {}>", self.def.outline, self.def.density, self.def.friction)
    }
}

fn define(def: ShapeDef, settings: Option<&Bound<'_, PyDict>>) -> PyResult<PyShapeDef> {
    shape_def(def, settings).map(|def| PyShapeDef { def })
}

/// A rectangle of this width and height in metres.
///
/// Keywords are those of every shape: `density`, `friction`, `restitution`, `position`, `angle`, `rounding`,
/// `rolling_resistance`, `surface_speed`, `category`, `mask`, `group`, `sensor`, `one_way`, `contact_events`,
/// `aabb_events`, `user_data`.
///
/// >>> import carom
/// >>> carom.rectangle(2, 1, density=3).mass
/// 6.0
#[pyfunction]
#[pyo3(signature = (width, height, **settings))]
pub(crate) fn rectangle(
    width: &Bound<'_, PyAny>,
    height: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyShapeDef> {
    define(ShapeDef::rectangle(number("width", width)?, number("height", height)?), settings)
}

/// A circle of this radius in metres. Keywords as for :func:`rectangle`.
#[pyfunction]
#[pyo3(signature = (radius, **settings))]
pub(crate) fn circle(radius: &Bound<'_, PyAny>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<PyShapeDef> {
    define(ShapeDef::circle(number("radius", radius)?), settings)
}

/// All points within a radius of the line between two points. Keywords as for :func:`rectangle`.
#[pyfunction]
#[pyo3(signature = (a, b, radius, **settings))]
pub(crate) fn capsule(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    radius: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyShapeDef> {
    define(ShapeDef::capsule(point("a", a)?, point("b", b)?, number("radius", radius)?), settings)
}

/// A line from a to b, solid from both sides, without mass. Keywords as for :func:`rectangle`.
#[pyfunction]
#[pyo3(signature = (a, b, **settings))]
pub(crate) fn segment(
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyShapeDef> {
    define(ShapeDef::segment(point("a", a)?, point("b", b)?), settings)
}

/// The convex hull of some points. Keywords as for :func:`rectangle`.
#[pyfunction]
#[pyo3(name = "convex", signature = (points, **settings))]
pub(crate) fn convex(points: &Bound<'_, PyAny>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<PyShapeDef> {
    define(ShapeDef::convex(&crate::convert::points("points", points)?), settings)
}

/// An ellipse of this half width and half height in metres. Keywords as for :func:`rectangle`.
#[pyfunction]
#[pyo3(signature = (half_width, half_height, **settings))]
pub(crate) fn ellipse(
    half_width: &Bound<'_, PyAny>,
    half_height: &Bound<'_, PyAny>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyShapeDef> {
    define(ShapeDef::ellipse(number("half_width", half_width)?, number("half_height", half_height)?), settings)
}

/// A line through some points, solid from the right of the way it runs: a floor runs from right to left. With `loop`
/// the last point is joined to the first; `ghosts` are the points before the first and after the last. Keywords as for
/// :func:`rectangle`.
#[pyfunction]
#[pyo3(name = "chain", signature = (points, r#loop = false, ghosts = None, **settings))]
pub(crate) fn chain(
    points: &Bound<'_, PyAny>,
    r#loop: bool,
    ghosts: Option<&Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyShapeDef> {
    let corners = crate::convert::points("points", points)?;
    let ends = match ghosts.filter(|ghosts| !ghosts.is_none()) {
        Some(_) if r#loop => return Err(PyTypeError::new_err("a loop has no ends, so it takes no ghosts")),
        None => {
            if r#loop {
                ChainEnds::Loop
            } else {
                ChainEnds::Open
            }
        }
        Some(ghosts) => match crate::convert::points("ghosts", ghosts)?[..] {
            [before, after] => ChainEnds::Ghosts(before, after),
            ref other => {
                return Err(PyTypeError::new_err(format!("ghosts are {} points; expected two", other.len())));
            }
        },
    };
    define(ShapeDef::new(Outline::Chain(corners, ends)), settings)
}

/// A polygon of any form that does not cross itself, and the holes in it. Keywords as for :func:`rectangle`.
#[pyfunction]
#[pyo3(name = "concave", signature = (points, holes = None, **settings))]
pub(crate) fn concave(
    points: &Bound<'_, PyAny>,
    holes: Option<&Bound<'_, PyAny>>,
    settings: Option<&Bound<'_, PyDict>>,
) -> PyResult<PyShapeDef> {
    let outline = crate::convert::points("points", points)?;
    let mut inner = Vec::new();
    if let Some(holes) = holes.filter(|holes| !holes.is_none()) {
        for hole in holes.try_iter()? {
            inner.push(crate::convert::points("holes", &hole?)?);
        }
    }
    define(ShapeDef::with_holes(&outline, &inner), settings)
}

/// A shape attached to a body.
#[pyclass(name = "Shape", module = "carom", frozen, weakref)]
pub(crate) struct PyShape {
    pub(crate) world: Py<PyWorld>,
    pub(crate) id: ShapeId,
}

impl PyShape {
    fn read<R>(&self, py: Python<'_>, get: impl FnOnce(ShapeRef<'_>) -> R) -> PyResult<R> {
        let world = PyWorld::look(&self.world, py)?;
        world.run.world.get_shape(self.id).map(get).ok_or_else(|| stale(self.id))
    }

    fn change<R>(&self, py: Python<'_>, set: impl FnOnce(&mut ShapeMut<'_>) -> Result<R, DefError>) -> PyResult<R> {
        let mut world = PyWorld::touch(&self.world, py)?;
        let mut shape = world.run.world.get_shape_mut(self.id).ok_or_else(|| stale(self.id))?;
        set(&mut shape).map_err(refused)
    }

    fn change_material(
        &self,
        py: Python<'_>,
        name: &str,
        value: &Bound<'_, PyAny>,
        set: impl FnOnce(&mut carom2d::Material, f32),
    ) -> PyResult<()> {
        let value = number(name, value)?;
        self.change(py, |shape| {
            let mut material = shape.get().material();
            set(&mut material, value);
            shape.set_material(material)
        })
    }

    fn change_filter(&self, py: Python<'_>, name: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut filter: Filter = self.read(py, |shape| shape.filter())?;
        filter_field(&mut filter, name, value)?;
        self.change(py, |shape| {
            shape.set_filter(filter);
            Ok(())
        })
    }
}

/// What a geometry is called, and its corners in body coordinates.
pub(crate) fn geometry_kind(geometry: &Geometry) -> &'static str {
    match geometry {
        Geometry::Circle(_) => "circle",
        Geometry::Capsule(_) => "capsule",
        Geometry::Segment(_) => "segment",
        Geometry::Polygon(_) => "polygon",
        Geometry::Ellipse(_) => "ellipse",
        Geometry::Chain(_) => "chain",
        Geometry::Concave(_) => "concave",
        Geometry::Part(_) => "part",
    }
}

#[pymethods]
impl PyShape {
    /// The handle as a number.
    #[getter]
    fn id(&self) -> u64 {
        self.id.to_bits()
    }

    /// False once the shape was removed.
    #[getter]
    fn exists(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(PyWorld::look(&self.world, py)?.run.world.contains_shape(self.id))
    }

    /// The body that carries it.
    #[getter]
    fn body(&self, py: Python<'_>) -> PyResult<PyBody> {
        let id = self.read(py, |shape| shape.body())?;
        Ok(PyBody { world: self.world.clone_ref(py), id })
    }

    /// What it is: "circle", "capsule", "segment", "polygon", "ellipse", "chain" or "concave".
    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.read(py, |shape| geometry_kind(shape.geometry()))
    }

    /// Its definition, in the body's coordinates.
    #[getter]
    fn definition(&self, py: Python<'_>) -> PyResult<PyShapeDef> {
        self.read(py, |shape| PyShapeDef { def: shape.def() })
    }

    /// Area in m^2.
    #[getter]
    fn area(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |shape| shape.geometry().area())
    }

    /// Mass per area in kg/m^2.
    #[getter]
    fn density(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |shape| shape.density())
    }

    #[setter]
    fn set_density(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = number("density", value)?;
        self.change(py, |shape| shape.set_density(value))
    }

    /// Coefficient of friction.
    #[getter]
    fn friction(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |shape| shape.material().friction)
    }

    #[setter]
    fn set_friction(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change_material(py, "friction", value, |material, value| material.friction = value)
    }

    /// Rebound speed over impact speed, 0 to 1.
    #[getter]
    fn restitution(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |shape| shape.material().restitution)
    }

    #[setter]
    fn set_restitution(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change_material(py, "restitution", value, |material, value| material.restitution = value)
    }

    /// Resistance to rolling as a fraction of the rounding radius.
    #[getter]
    fn rolling_resistance(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |shape| shape.material().rolling_resistance)
    }

    #[setter]
    fn set_rolling_resistance(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change_material(py, "rolling_resistance", value, |material, value| material.rolling_resistance = value)
    }

    /// Speed of the surface along itself in m/s.
    #[getter]
    fn surface_speed(&self, py: Python<'_>) -> PyResult<f32> {
        self.read(py, |shape| shape.material().surface_speed)
    }

    #[setter]
    fn set_surface_speed(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change_material(py, "surface_speed", value, |material, value| material.surface_speed = value)
    }

    /// What this shape is: a number of bits.
    #[getter]
    fn category(&self, py: Python<'_>) -> PyResult<u64> {
        self.read(py, |shape| shape.filter().category)
    }

    #[setter]
    fn set_category(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change_filter(py, "category", value)
    }

    /// What this shape meets, as bits of categories.
    #[getter]
    fn mask(&self, py: Python<'_>) -> PyResult<u64> {
        self.read(py, |shape| shape.filter().mask)
    }

    #[setter]
    fn set_mask(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change_filter(py, "mask", value)
    }

    /// Shapes of the same group other than 0 always meet if it is positive, and never if it is negative.
    #[getter]
    fn group(&self, py: Python<'_>) -> PyResult<i32> {
        self.read(py, |shape| shape.filter().group)
    }

    #[setter]
    fn set_group(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.change_filter(py, "group", value)
    }

    /// Does it report overlaps and push nothing?
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

    /// The direction in which a one-way platform holds, or None.
    #[getter]
    fn one_way(&self, py: Python<'_>) -> PyResult<Option<PyVec2>> {
        self.read(py, |shape| shape.one_way().map(vector))
    }

    #[setter]
    fn set_one_way(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = if value.is_none() { None } else { Some(point("one_way", value)?) };
        self.change(py, |shape| shape.set_one_way(value))
    }

    /// A whole number of the user's.
    #[getter]
    fn user_data(&self, py: Python<'_>) -> PyResult<u64> {
        self.read(py, |shape| shape.user_data())
    }

    #[setter]
    fn set_user_data(&self, py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let value = whole("user_data", value)?;
        self.change(py, |shape| {
            shape.set_user_data(value);
            Ok(())
        })
    }

    /// The lowest and the highest corner of its box in the world.
    #[getter]
    fn aabb(&self, py: Python<'_>) -> PyResult<(PyVec2, PyVec2)> {
        self.read(py, |shape| (vector(shape.aabb().min), vector(shape.aabb().max)))
    }

    /// Corners of a polygon, ends of a segment or capsule, centre of a circle: in world coordinates.
    #[getter]
    fn vertices(&self, py: Python<'_>) -> PyResult<Vec<PyVec2>> {
        let world = PyWorld::look(&self.world, py)?;
        let shape = world.run.world.get_shape(self.id).ok_or_else(|| stale(self.id))?;
        let pose = world.run.world.body(shape.body()).pose();
        Ok(corners(shape.geometry()).into_iter().map(|corner| vector(pose.point(corner))).collect())
    }

    /// Is this point of the world inside?
    fn contains(&self, py: Python<'_>, at: &Bound<'_, PyAny>) -> PyResult<bool> {
        let at = point("at", at)?;
        self.read(py, |shape| shape.contains(at))
    }

    /// What a sensor overlaps.
    fn overlaps(&self, py: Python<'_>) -> PyResult<Vec<PyShape>> {
        let found = self.read(py, |shape| shape.overlaps())?;
        Ok(found.into_iter().map(|id| PyShape { world: self.world.clone_ref(py), id }).collect())
    }

    /// Gives it another outline and other settings.
    fn replace(&self, py: Python<'_>, definition: PyRef<'_, PyShapeDef>) -> PyResult<()> {
        self.change(py, |shape| shape.replace(definition.def.clone()))
    }

    /// Removes the shape from its body.
    fn remove(&self, py: Python<'_>) -> PyResult<()> {
        PyWorld::touch(&self.world, py)?.run.world.remove_shape(self.id).map_err(refused)
    }

    /// Changes several properties at once, by keywords.
    #[pyo3(signature = (**settings))]
    fn set(slf: &Bound<'_, PyShape>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        crate::world::set_attributes(slf.as_any(), settings)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyShape>().is_ok_and(|other| {
            let other = other.get();
            other.id == self.id && other.world.is(&self.world)
        })
    }

    fn __hash__(&self) -> u64 {
        self.id.to_bits() ^ (self.world.as_ptr() as u64).rotate_left(17)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        match self.read(py, |shape| geometry_kind(shape.geometry())) {
            Ok(kind) => format!("<Shape {}: {kind}>", self.id.index()),
            Err(_) => format!("<Shape {}, removed or in use>", self.id.index()),
        }
    }
}

/// The points that say where a geometry is, in body coordinates.
pub(crate) fn corners(geometry: &Geometry) -> Vec<Vec2> {
    match geometry {
        Geometry::Circle(circle) => vec![circle.center],
        Geometry::Capsule(capsule) => vec![capsule.a, capsule.b],
        Geometry::Segment(segment) => vec![segment.a, segment.b],
        Geometry::Polygon(polygon) => polygon.vertices().to_vec(),
        Geometry::Ellipse(ellipse) => vec![ellipse.center],
        Geometry::Chain(chain) => chain.points().to_vec(),
        Geometry::Concave(concave) => concave.outline().to_vec(),
        Geometry::Part(part) => part.vertices().to_vec(),
    }
}
