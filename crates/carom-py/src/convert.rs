//! Python values to numbers, points and arrays, and back. Errors name the value they are about.

use crate::vector::{PyB2Vec2, PyVec2};
use carom2d::math::{Vec2, vec2};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes, PyDict, PyFloat, PyTuple};

/// What a value is called in messages: its type.
fn type_name(value: &Bound<'_, PyAny>) -> String {
    value.get_type().name().map_or_else(|_| "?".into(), |name| name.to_string())
}

fn wrong(name: &str, value: &Bound<'_, PyAny>, expected: &str) -> PyErr {
    PyTypeError::new_err(format!("{name} is {}; expected {expected}", type_name(value)))
}

/// A number, of Python's or NumPy's. Too large ones become infinite, which the engine refuses where it has to.
#[inline]
pub(crate) fn number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<f32> {
    if let Ok(float) = value.cast_exact::<PyFloat>() {
        return Ok(float.value() as f32);
    }
    value.extract::<f64>().map(|number| number as f32).map_err(|_| wrong(name, value, "a number"))
}

/// A number or None.
pub(crate) fn maybe_number(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Option<f32>> {
    if value.is_none() { Ok(None) } else { number(name, value).map(Some) }
}

/// True or false.
pub(crate) fn flag(name: &str, value: &Bound<'_, PyAny>) -> PyResult<bool> {
    value.is_truthy().map_err(|_| wrong(name, value, "True or False"))
}

/// A whole number within the range of its type.
pub(crate) fn whole<'py, T: for<'a> FromPyObject<'a, 'py>>(name: &str, value: &Bound<'py, PyAny>) -> PyResult<T> {
    value.extract::<T>().map_err(|_| {
        let shown = value.repr().map_or_else(|_| "?".into(), |text| text.to_string());
        PyValueError::new_err(format!("{name} is {shown}; expected a whole number in its range"))
    })
}

/// A text.
pub(crate) fn text(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    value.extract::<String>().map_err(|_| wrong(name, value, "a text"))
}

/// A point or vector: anything with two numbers.
#[inline]
pub(crate) fn point(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec2> {
    if let Ok(pair) = value.cast_exact::<PyTuple>()
        && pair.len() == 2
    {
        return Ok(vec2(number(name, &pair.get_item(0)?)?, number(name, &pair.get_item(1)?)?));
    }
    if let Ok(vector) = value.cast::<PyB2Vec2>() {
        return Ok(vector.get().value());
    }
    if let Ok(vector) = value.cast::<PyVec2>() {
        return Ok(vector.get().value);
    }
    let expected = "two numbers";
    if value.len().map_err(|_| wrong(name, value, expected))? != 2 {
        return Err(PyValueError::new_err(format!("{name} has {} numbers; expected two", value.len()?)));
    }
    let item = |index: usize| value.get_item(index).map_err(|_| wrong(name, value, expected));
    Ok(vec2(number(name, &item(0)?)?, number(name, &item(1)?)?))
}

/// A list of points, or an array of two columns.
pub(crate) fn points(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<Vec2>> {
    let items = value.try_iter().map_err(|_| wrong(name, value, "a list of points"))?;
    items.map(|item| point(name, &item?)).collect()
}

/// A pair of numbers, such as a motor's speed and strength.
pub(crate) fn pair(name: &str, value: &Bound<'_, PyAny>) -> PyResult<(f32, f32)> {
    point(name, value).map(|pair| (pair.x, pair.y))
}

/// NumPy itself.
pub(crate) fn numpy(py: Python<'_>) -> PyResult<&Bound<'_, PyAny>> {
    static NUMPY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let module = NUMPY.get_or_try_init(py, || py.import("numpy").map(|module| module.into_any().unbind()))?;
    Ok(module.bind(py))
}

/// An array of single precision with these rows, each of `N` numbers; of one axis if `N` is 1.
pub(crate) fn array<'py, const N: usize>(
    py: Python<'py>,
    rows: impl ExactSizeIterator<Item = [f32; N]>,
) -> PyResult<Bound<'py, PyAny>> {
    let count = rows.len();
    let bytes = PyByteArray::new_with(py, count * N * 4, |bytes| {
        for (row, into) in rows.zip(bytes.chunks_exact_mut(N * 4)) {
            for (number, into) in row.iter().zip(into.chunks_exact_mut(4)) {
                into.copy_from_slice(&number.to_ne_bytes());
            }
        }
        Ok(())
    })?;
    let flat = from_buffer(py, &bytes, "f4")?;
    if N == 1 { Ok(flat) } else { flat.call_method1("reshape", (count, N)) }
}

/// An array over memory that nothing else holds.
pub(crate) fn from_buffer<'py>(
    py: Python<'py>,
    bytes: &Bound<'py, PyByteArray>,
    dtype: &str,
) -> PyResult<Bound<'py, PyAny>> {
    numpy(py)?.call_method1("frombuffer", (bytes, dtype))
}

/// The numbers of anything NumPy takes for an array of this shape.
pub(crate) fn numbers(name: &str, value: &Bound<'_, PyAny>, shape: &[usize]) -> PyResult<Vec<f32>> {
    let py = value.py();
    let settings = PyDict::new(py);
    settings.set_item("casting", "same_kind")?;
    settings.set_item("copy", false)?;
    let array = numpy(py)?
        .call_method1("asarray", (value,))
        .and_then(|array| array.call_method("astype", ("f4",), Some(&settings)))
        .map_err(|_| wrong(name, value, "an array of numbers"))?;
    let found: Vec<usize> = array.getattr("shape")?.extract()?;
    if found != shape {
        return Err(PyValueError::new_err(format!("{name} has the shape {found:?}; expected {shape:?}")));
    }
    let bytes = array.call_method0("tobytes")?;
    let bytes = bytes.cast::<PyBytes>()?.as_bytes();
    Ok(bytes.chunks_exact(4).map(|four| f32::from_ne_bytes([four[0], four[1], four[2], four[3]])).collect())
}

/// Goes through keyword arguments. `take` returns whether it knows the name; an unknown one is an error that
/// says which was meant.
pub(crate) fn each_keyword<'py>(
    what: &str,
    names: &[&'static str],
    keywords: Option<&Bound<'py, PyDict>>,
    mut take: impl FnMut(&str, &Bound<'py, PyAny>) -> PyResult<bool>,
) -> PyResult<()> {
    let Some(keywords) = keywords else { return Ok(()) };
    for (name, value) in keywords {
        let name: String = name.extract()?;
        if !take(&name, &value)? {
            let hint = match carom_scenes::closest(&name, names.iter().copied()) {
                Some(meant) => format!("did you mean {meant}?"),
                None => format!("it has {}", names.join(", ")),
            };
            return Err(PyTypeError::new_err(format!("{what} has no {name}; {hint}")));
        }
    }
    Ok(())
}
