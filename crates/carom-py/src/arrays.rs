//! What all bodies have, as arrays in the order of their handles.

use crate::convert::{array, numbers};
use crate::error::refused;
use carom2d::{BodyMut, BodyRef, DefError, World};
use pyo3::prelude::*;

/// A row of numbers for each body.
pub(crate) fn read<'py, const N: usize>(
    py: Python<'py>,
    world: &World,
    row: impl Fn(BodyRef<'_>) -> [f32; N],
) -> PyResult<Bound<'py, PyAny>> {
    let rows: Vec<[f32; N]> = world.bodies().map(|id| row(world.body(id))).collect();
    array(py, rows.into_iter())
}

/// Gives each body its row of an array. Every number is checked first, so that either all bodies get theirs or none.
pub(crate) fn write<const N: usize>(
    world: &mut World,
    name: &str,
    value: &Bound<'_, PyAny>,
    set: impl Fn(&mut BodyMut<'_>, [f32; N]) -> Result<(), DefError>,
) -> PyResult<()> {
    let count = world.body_count();
    let shape: &[usize] = if N == 1 { &[count] } else { &[count, N] };
    let values = numbers(name, value, shape)?;
    if let Some(at) = values.iter().position(|number| !number.is_finite()) {
        let (row, number) = (at / N, values[at]);
        return Err(crate::error::value_error(format!("{name}[{row}] has {number} in it; expected finite numbers")));
    }
    let bodies: Vec<_> = world.bodies().collect();
    for (id, row) in bodies.into_iter().zip(values.chunks_exact(N)) {
        let mut numbers = [0.0; N];
        numbers.copy_from_slice(row);
        set(&mut world.body_mut(id), numbers).map_err(refused)?;
    }
    Ok(())
}
