//! Force fields and soft bodies, by keywords.

use crate::convert::{each_keyword, number, pair, point, points};
use carom_scenes::SceneField;
use carom2d::math::{Vec2, vec2};
use carom2d::{PointGravity, Radial, SoftBodyDef, Spring, Uniform, Vortex, Wind};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A force field by its kind and its numbers.
pub(crate) fn field(kind: &str, settings: Option<&Bound<'_, PyDict>>) -> PyResult<SceneField> {
    let names: &[&str] = match kind {
        "uniform" => &["acceleration"],
        "point_gravity" => &["center", "strength", "softening"],
        "radial" | "vortex" => &["center", "radius", "acceleration"],
        "wind" => &["velocity", "density", "drag"],
        _ => {
            let expected = "uniform, point_gravity, radial, vortex or wind";
            return Err(PyValueError::new_err(format!("kind is {kind:?}; expected {expected}")));
        }
    };
    let (mut place, mut numbers) = (Vec2::ZERO, [1.0_f32; 2]);
    if kind == "point_gravity" {
        numbers[1] = 0.0;
    }
    each_keyword(&format!("a {kind} field"), names, settings, |name, value| {
        let Some(index) = names.iter().position(|known| *known == name) else { return Ok(false) };
        if index == 0 {
            place = point(name, value)?;
        } else {
            numbers[index - 1] = number(name, value)?;
        }
        Ok(true)
    })?;
    let [first, second] = numbers;
    if !(place.is_finite() && first.is_finite() && second.is_finite()) {
        return Err(PyValueError::new_err(format!("a {kind} field takes finite numbers, not {place:?}, {numbers:?}")));
    }
    Ok(match kind {
        "uniform" => SceneField::Uniform(Uniform { acceleration: place }),
        "point_gravity" => SceneField::PointGravity(PointGravity { center: place, strength: first, softening: second }),
        "radial" => SceneField::Radial(Radial { center: place, radius: first, acceleration: second }),
        "vortex" => SceneField::Vortex(Vortex { center: place, radius: first, acceleration: second }),
        _ => SceneField::Wind(Wind { velocity: place, density: first, drag: second }),
    })
}

/// A soft body by its rim and keywords.
pub(crate) fn soft_body(rim: &Bound<'_, PyAny>, settings: Option<&Bound<'_, PyDict>>) -> PyResult<SoftBodyDef> {
    let mut def = SoftBodyDef::new(&points("rim", rim)?);
    let names = ["radius", "density", "skin", "form", "friction", "restitution", "velocity"];
    let spring = |name: &str, value: &Bound<'_, PyAny>| {
        pair(name, value).map(|(hertz, damping_ratio)| Spring::new(hertz, damping_ratio))
    };
    each_keyword("a soft body", &names, settings, |name, value| {
        match name {
            "radius" => def.radius = number(name, value)?,
            "density" => def.density = number(name, value)?,
            "skin" => def.skin = spring(name, value)?,
            "form" => def.form = spring(name, value)?,
            "friction" => def.friction = number(name, value)?,
            "restitution" => def.restitution = number(name, value)?,
            "velocity" => def.velocity = point(name, value)?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    Ok(def)
}

/// The points of a circle, for soft bodies.
///
/// >>> import carom
/// >>> len(carom.ring((0, 3), 1, 24))
/// 24
#[pyfunction]
#[pyo3(signature = (center, radius, count = 24))]
pub(crate) fn ring(center: &Bound<'_, PyAny>, radius: f32, count: usize) -> PyResult<Vec<crate::vector::PyVec2>> {
    let center = point("center", center)?;
    if !(3..=100_000).contains(&count) || !radius.is_finite() || !center.is_finite() {
        return Err(PyValueError::new_err("a ring takes a finite centre and radius and 3 to 100000 points"));
    }
    let turn = |index: usize| carom2d::math::Rot::from_angle(std::f32::consts::TAU * index as f32 / count as f32);
    let at = |index: usize| center + turn(index).rotate(vec2(radius, 0.0));
    Ok((0..count).map(|index| crate::vector::vector(at(index))).collect())
}
