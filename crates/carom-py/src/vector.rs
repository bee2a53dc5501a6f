//! Vectors: `Vec2`, which does not change, and `b2Vec2` of the Box2D layer, which may.

use crate::convert::{number, point};
use carom2d::math::{Vec2, vec2};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyAttributeError, PyIndexError, PyZeroDivisionError};
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyTuple};
use std::sync::atomic::{AtomicU64, Ordering};

/// A vector of two numbers: `v.x`, `v[0]`, `x, y = v`, and arithmetic with whatever else has two numbers.
///
/// >>> from carom import Vec2
/// >>> Vec2(1, 2) + (3, 4)
/// Vec2(4.0, 6.0)
/// >>> x, y = 2 * Vec2(1, 2)
/// >>> Vec2(3, 4).length
/// 5.0
#[pyclass(name = "Vec2", module = "carom", frozen, sequence, freelist = 64)]
pub(crate) struct PyVec2 {
    pub(crate) value: Vec2,
}

/// The vector of pybox2d. One that a body hands out is a copy of the body's state: to write into it is an error, because
/// the body would not notice.
#[pyclass(name = "b2Vec2", module = "Box2D", frozen, sequence, freelist = 64)]
pub(crate) struct PyB2Vec2 {
    /// Both numbers, so that a write is seen whole by other threads.
    bits: AtomicU64,
    read_only: bool,
}

impl PyB2Vec2 {
    /// A vector that is a property of a body.
    #[inline]
    pub(crate) fn of_state(value: Vec2) -> PyB2Vec2 {
        PyB2Vec2 { bits: AtomicU64::new(pack(value)), read_only: true }
    }

    /// A vector of the caller's.
    pub(crate) fn of(value: Vec2) -> PyB2Vec2 {
        PyB2Vec2 { bits: AtomicU64::new(pack(value)), read_only: false }
    }

    /// Both numbers.
    #[inline]
    pub(crate) fn value(&self) -> Vec2 {
        let bits = self.bits.load(Ordering::Relaxed);
        vec2(f32::from_bits(bits as u32), f32::from_bits((bits >> 32) as u32))
    }

    fn write(&self, value: Vec2) -> PyResult<()> {
        if self.read_only {
            return Err(PyAttributeError::new_err(
                "this vector is a copy of the body's state; assign to the body's attribute instead, as in \
                 body.position = (x, y)",
            ));
        }
        self.bits.store(pack(value), Ordering::Relaxed);
        Ok(())
    }
}

fn pack(value: Vec2) -> u64 {
    u64::from(value.y.to_bits()) << 32 | u64::from(value.x.to_bits())
}

/// A vector as Python has it.
#[inline]
pub(crate) fn vector(value: Vec2) -> PyVec2 {
    PyVec2 { value }
}

impl PyVec2 {
    fn value(&self) -> Vec2 {
        self.value
    }

    fn of(value: Vec2) -> PyVec2 {
        PyVec2 { value }
    }
}

fn compare(a: Vec2, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
    let py = other.py();
    match (point("the other vector", other), op) {
        (Ok(b), CompareOp::Eq) => Ok((a == b).into_pyobject(py)?.to_owned().into_any().unbind()),
        (Ok(b), CompareOp::Ne) => Ok((a != b).into_pyobject(py)?.to_owned().into_any().unbind()),
        _ => Ok(py.NotImplemented()),
    }
}

fn item(value: Vec2, index: isize) -> PyResult<f32> {
    match index {
        0 | -2 => Ok(value.x),
        1 | -1 => Ok(value.y),
        _ => Err(PyIndexError::new_err("a vector has two numbers")),
    }
}

fn divide(value: Vec2, by: &Bound<'_, PyAny>) -> PyResult<Vec2> {
    let by = number("the divisor", by)?;
    if by == 0.0 { Err(PyZeroDivisionError::new_err("a vector divided by zero")) } else { Ok(value / by) }
}

/// What both kinds of vector can do; `$extra` is what only one can.
macro_rules! vector_methods {
    ($class:ident, $shown:literal, { $($extra:tt)* }) => {
        #[pymethods]
        impl $class {
            /// The first number.
            #[getter]
            fn x(&self) -> f32 {
                self.value().x
            }

            /// The second number.
            #[getter]
            fn y(&self) -> f32 {
                self.value().y
            }

            /// Length of the vector.
            #[getter]
            fn length(&self) -> f32 {
                self.value().length()
            }

            /// Product of the lengths and the cosine of the angle between them.
            fn dot(&self, other: &Bound<'_, PyAny>) -> PyResult<f32> {
                Ok(self.value().dot(point("other", other)?))
            }

            fn __add__(&self, other: &Bound<'_, PyAny>) -> PyResult<$class> {
                Ok($class::of(self.value() + point("the other vector", other)?))
            }

            fn __radd__(&self, other: &Bound<'_, PyAny>) -> PyResult<$class> {
                self.__add__(other)
            }

            fn __sub__(&self, other: &Bound<'_, PyAny>) -> PyResult<$class> {
                Ok($class::of(self.value() - point("the other vector", other)?))
            }

            fn __rsub__(&self, other: &Bound<'_, PyAny>) -> PyResult<$class> {
                Ok($class::of(point("the other vector", other)? - self.value()))
            }

            fn __mul__(&self, factor: &Bound<'_, PyAny>) -> PyResult<$class> {
                Ok($class::of(self.value() * number("the factor", factor)?))
            }

            fn __rmul__(&self, factor: &Bound<'_, PyAny>) -> PyResult<$class> {
                self.__mul__(factor)
            }

            fn __truediv__(&self, divisor: &Bound<'_, PyAny>) -> PyResult<$class> {
                divide(self.value(), divisor).map($class::of)
            }

            fn __neg__(&self) -> $class {
                $class::of(-self.value())
            }

            fn __abs__(&self) -> f32 {
                self.value().length()
            }

            fn __len__(&self) -> usize {
                2
            }

            fn __getitem__(&self, index: isize) -> PyResult<f32> {
                item(self.value(), index)
            }

            fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
                let Vec2 { x, y } = self.value();
                PyTuple::new(py, [x, y])?.try_iter()
            }

            fn __richcmp__(&self, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
                compare(self.value(), other, op)
            }

            fn __repr__(&self) -> String {
                let Vec2 { x, y } = self.value();
                format!(concat!($shown, "({:?}, {:?})"), x, y)
            }

            $($extra)*
        }
    };
}

vector_methods!(PyVec2, "Vec2", {
    #[new]
    #[pyo3(signature = (x = None, y = None))]
    fn new(x: Option<&Bound<'_, PyAny>>, y: Option<&Bound<'_, PyAny>>) -> PyResult<PyVec2> {
        from_arguments(x, y).map(PyVec2::of)
    }

    /// The component of the cross product that is out of the plane.
    fn cross(&self, other: &Bound<'_, PyAny>) -> PyResult<f32> {
        Ok(self.value.perp_dot(point("other", other)?))
    }

    fn __hash__(&self) -> u64 {
        // Zeros of either sign are equal.
        pack(self.value + Vec2::ZERO)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (f32, f32))> {
        Ok((py.get_type::<PyVec2>().into_any(), (self.value.x, self.value.y)))
    }
});

vector_methods!(PyB2Vec2, "b2Vec2", {
    #[new]
    #[pyo3(signature = (x = None, y = None))]
    fn new(x: Option<&Bound<'_, PyAny>>, y: Option<&Bound<'_, PyAny>>) -> PyResult<PyB2Vec2> {
        from_arguments(x, y).map(PyB2Vec2::of)
    }

    #[setter]
    fn set_x(&self, x: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(vec2(number("x", x)?, self.value().y))
    }

    #[setter]
    fn set_y(&self, y: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(vec2(self.value().x, number("y", y)?))
    }

    fn __setitem__(&self, index: isize, value: &Bound<'_, PyAny>) -> PyResult<()> {
        item(self.value(), index)?;
        if index == 0 || index == -2 { self.set_x(value) } else { self.set_y(value) }
    }

    /// Square of the length.
    #[getter(lengthSquared)]
    fn length_squared(&self) -> f32 {
        self.value().length_squared()
    }

    /// The vector turned by 90 degrees counter-clockwise.
    #[getter]
    fn skew(&self) -> PyB2Vec2 {
        PyB2Vec2::of(vec2(-self.value().y, self.value().x))
    }

    /// Both numbers as a tuple.
    #[getter]
    fn tuple(&self) -> (f32, f32) {
        (self.value().x, self.value().y)
    }

    /// Are both numbers finite?
    #[getter]
    fn valid(&self) -> bool {
        self.value().is_finite()
    }

    /// The component of the cross product out of the plane; with a number, the vector `v x s`.
    fn cross<'py>(&self, py: Python<'py>, other: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(number) = other.extract::<f64>() {
            let (s, v) = (number as f32, self.value());
            return Ok(Bound::new(py, PyB2Vec2::of(vec2(s * v.y, -s * v.x)))?.into_any());
        }
        Ok(self.value().perp_dot(point("other", other)?).into_pyobject(py)?.into_any())
    }

    #[pyo3(name = "Normalize")]
    fn normalize(&self) -> PyResult<f32> {
        let (value, length) = (self.value(), self.value().length());
        if length > 0.0 {
            self.write(value / length)?;
        }
        Ok(length)
    }

    #[pyo3(name = "Set")]
    fn set(&self, x: &Bound<'_, PyAny>, y: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(vec2(number("x", x)?, number("y", y)?))
    }

    /// A copy, which may be changed.
    fn copy(&self) -> PyB2Vec2 {
        PyB2Vec2::of(self.value())
    }

    fn __copy__(&self) -> PyB2Vec2 {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> PyB2Vec2 {
        self.copy()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (f32, f32))> {
        Ok((py.get_type::<PyB2Vec2>().into_any(), self.tuple()))
    }
});

/// Two numbers, one thing with two numbers, or nothing.
fn from_arguments(x: Option<&Bound<'_, PyAny>>, y: Option<&Bound<'_, PyAny>>) -> PyResult<Vec2> {
    match (x, y) {
        (None, None) => Ok(Vec2::ZERO),
        (Some(both), None) => point("a vector", both),
        (x, y) => {
            let part = |name, value: Option<&Bound<'_, PyAny>>| value.map_or(Ok(0.0), |value| number(name, value));
            Ok(vec2(part("x", x)?, part("y", y)?))
        }
    }
}
