//! Characters: capsules that walk, and are no bodies.

use crate::body::PyBody;
use crate::convert::{each_keyword, number, point};
use crate::error::{refused, stale, value_error};
use crate::keywords::filter_field;
use crate::shape::PyShape;
use crate::vector::{PyVec2, vector};
use crate::world::PyWorld;
use carom2d::{Character, CharacterDef};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A capsule that walks, climbs steps, stands on what moves and slides along the rest. It is no body: it goes exactly where
/// it is told as far as it can.
///
/// Keywords are those of the engine's definition: `radius`, `height`, `up`, `max_slope`, `max_step`, `push_force`, `ignore`
/// (a body), and `category`, `mask`, `group` of what stops it. A copy of the world does not have it.
///
/// >>> import carom
/// >>> world = carom.World()
/// >>> floor = world.add_body("fixed", shapes=carom.segment((-50, 0), (50, 0)))
/// >>> hero = carom.Character(world, (0, 3))
/// >>> fall = 0.0
/// >>> for _ in range(120):
/// ...     world.step()
/// ...     fall = hero.move((4, fall - 10 / 60)).y
/// >>> round(hero.position.x), round(hero.position.y, 1), hero.ground.body == floor
/// (8, 0.9, True)
#[pyclass(name = "Character", module = "carom", weakref)]
pub(crate) struct PyCharacter {
    world: Py<PyWorld>,
    character: Character,
}

const NAMES: [&str; 10] =
    ["radius", "height", "up", "max_slope", "max_step", "push_force", "ignore", "category", "mask", "group"];

#[pymethods]
impl PyCharacter {
    #[new]
    #[pyo3(signature = (world, position, **settings))]
    fn new(
        world: &Bound<'_, PyWorld>,
        position: &Bound<'_, PyAny>,
        settings: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<PyCharacter> {
        let mut def = CharacterDef::default();
        each_keyword("a character", &NAMES, settings, |name, value| {
            match name {
                "radius" => def.radius = number(name, value)?,
                "height" => def.height = number(name, value)?,
                "up" => def.up = point(name, value)?,
                "max_slope" => def.max_slope = number(name, value)?,
                "max_step" => def.max_step = number(name, value)?,
                "push_force" => def.push_force = number(name, value)?,
                "ignore" => {
                    let body = value.cast::<PyBody>().map_err(|_| PyTypeError::new_err("ignore is no Body"))?.get();
                    if !body.world.is(world) {
                        return Err(stale(body.id));
                    }
                    def.ignore = Some(body.id);
                }
                _ => return filter_field(&mut def.filter.filter, name, value),
            }
            Ok(true)
        })?;
        let character = Character::new(def, point("position", position)?).map_err(refused)?;
        Ok(PyCharacter { world: world.clone().unbind(), character })
    }

    /// Moves for `dt` seconds, a step of the world if not given, at a velocity in m/s, as far as the world lets it. Returns
    /// the velocity that is left: add gravity to it and pass it to the next call. Call it once per step, after the step.
    ///
    /// On the ground only the level part of the velocity counts; one upwards is a jump.
    #[pyo3(name = "move", signature = (velocity, dt = None))]
    fn go(&mut self, py: Python<'_>, velocity: &Bound<'_, PyAny>, dt: Option<&Bound<'_, PyAny>>) -> PyResult<PyVec2> {
        let velocity = point("velocity", velocity)?;
        let mut world = PyWorld::touch(&self.world, py)?;
        let dt = match dt.filter(|dt| !dt.is_none()) {
            Some(dt) => number("dt", dt)?,
            None => world.run.dt(),
        };
        world
            .run
            .world
            .move_character(&mut self.character, velocity, dt)
            .map_err(refused)
            .map(|done| vector(done.velocity))
    }

    /// The position of its middle in metres.
    #[getter]
    fn position(&self) -> PyVec2 {
        vector(self.character.position())
    }

    #[setter]
    fn set_position(&mut self, position: &Bound<'_, PyAny>) -> PyResult<()> {
        self.character.set_position(point("position", position)?).map_err(refused)
    }

    /// The shape that it stands on; None in the air.
    #[getter]
    fn ground(&self, py: Python<'_>) -> Option<PyShape> {
        self.character.ground().map(|ground| PyShape { world: self.world.clone_ref(py), id: ground.shape })
    }

    /// The normal of the ground, towards it; None in the air.
    #[getter]
    fn ground_normal(&self) -> Option<PyVec2> {
        self.character.ground().map(|ground| vector(ground.normal))
    }

    /// The velocity in m/s of what it stands on, at the place where it stands; zero in the air. Add it to a jump.
    #[getter]
    fn ground_velocity(&self, py: Python<'_>) -> PyResult<PyVec2> {
        let world = PyWorld::look(&self.world, py)?;
        let velocity = (self.character.ground())
            .and_then(|ground| Some(world.run.world.get_body(ground.body)?.velocity_at(ground.point)))
            .unwrap_or_default();
        Ok(vector(velocity))
    }

    /// The world it walks in.
    #[getter]
    fn world(&self, py: Python<'_>) -> Py<PyWorld> {
        self.world.clone_ref(py)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(value_error("a character is not pickled; pickle its world, and make it again at its position"))
    }

    fn __repr__(&self) -> String {
        let place = self.character.position();
        format!("<Character at ({:.3}, {:.3})>", place.x, place.y)
    }
}
