//! A fluid of particles among the bodies of a scene file.
//!
//! Particles are in double precision; each is a row of its position, velocity and pressure, so that a fluid goes on
//! from a file as it would have gone on.

use super::error::Problem;
use super::json::{Kind, Value};
use super::object::{Object, count, found_instead, number64};
use super::read::read_filter;
use super::write::{Fields, digits, filter_text, list};
use carom_couple::CoupledFluid;
use carom_particles::DefError;
use carom_particles::fluid::{Fluid, FluidDef};
use carom2d::Filter;
use carom2d::math::Vec2;
use glam::{DVec2, dvec2};

/// The fields of a fluid of particles, and of a box that it fills at the start.
pub(super) const PARTICLE_FLUID: &[&[&str]] =
    &[&["spacing", "density", "viscosity", "iterations", "filter", "boxes", "particles"]];
pub(super) const FILLED_BOX: &[&[&str]] = &[&["min", "max"]];

/// The most particles of a file: a million, which take seconds per step.
const MAX_PARTICLES: usize = 1 << 20;
/// The most neighbours that all particles together may have, roughly: water at rest has 8 per particle by this count,
/// and the lists of a step take some 20 bytes each.
const MAX_NEIGHBORS: usize = 1 << 25;

/// The fluid in a world of some gravity.
pub(super) fn read(gravity: Vec2, value: Value<'_>) -> Result<CoupledFluid, Problem> {
    let object = Object::new(value, "a fluid of particles", PARTICLE_FLUID)?;
    let own = FluidDef::default();
    let number = |name: &str, default: f64| Ok(object.read(name, number64)?.unwrap_or(default));
    let def = FluidDef {
        spacing: number("spacing", own.spacing)?,
        density: number("density", own.density)?,
        viscosity: number("viscosity", own.viscosity)?,
        gravity: gravity.as_dvec2(),
        iterations: object.read("iterations", count)?.unwrap_or(own.iterations),
    };
    let mut fluid = Fluid::new(def).map_err(|error| refused(&object, value, &error))?;
    for element in elements(object.get("boxes"), "boxes, in brackets")? {
        fill(&mut fluid, element)?;
    }
    for element in elements(object.get("particles"), "particles, each an array of 2, 4 or 5 numbers")? {
        add_particle(&mut fluid, element)?;
    }
    check_crowds(&fluid, value)?;
    let mut water = CoupledFluid::new(fluid);
    water.filter = object.read("filter", read_filter)?.unwrap_or(Filter::ALL);
    Ok(water)
}

fn elements<'a>(value: Option<Value<'a>>, expected: &str) -> Result<Vec<Value<'a>>, Problem> {
    match value {
        None => Ok(Vec::new()),
        Some(value) if value.kind() == Kind::Array => Ok(value.elements().collect()),
        Some(value) => Err(found_instead(value, &format!("an array of {expected}"))),
    }
}

/// What the fluid refused, at the value that it refused.
fn refused(object: &Object<'_>, value: Value<'_>, error: &DefError) -> Problem {
    let DefError::Field { field, expected, .. } = error else { return Problem::at(value.at, error.to_string()) };
    match object.get(field.rsplit('.').next().unwrap_or(field)) {
        Some(given) => found_instead(given, expected),
        None => Problem::at(value.at, error.to_string()),
    }
}

/// Fills a box with particles at rest.
fn fill(fluid: &mut Fluid, value: Value<'_>) -> Result<(), Problem> {
    let object = Object::new(value, "a box of water", FILLED_BOX)?;
    let corner = |name: &str, expected: &str| {
        let value = object.required(name, expected)?;
        match numbers(value)?[..] {
            [x, y] => Ok((value, dvec2(x, y))),
            _ => Err(found_instead(value, "two numbers such as [1, 2.5]")),
        }
    };
    let (_, min) = corner("min", "its lower left corner, in m")?;
    let (at, max) = corner("max", "its upper right corner, in m")?;
    if !(min.x < max.x && min.y < max.y) {
        return Err(found_instead(at, "a corner above and to the right of min"));
    }
    let fits = (max - min) / fluid.def().spacing;
    // An infinite product is too many, too.
    if fits.x * fits.y > (MAX_PARTICLES - fluid.particle_count()) as f64 {
        let most = format!("a fluid may have up to {MAX_PARTICLES} particles; make the box smaller or raise spacing");
        return Err(Problem::at(value.at, most));
    }
    fluid.fill(min, max).map_err(|error| Problem::at(value.at, error.to_string()))
}

/// All numbers of an array.
fn numbers(value: Value<'_>) -> Result<Vec<f64>, Problem> {
    if value.kind() != Kind::Array {
        return Err(found_instead(value, "an array of numbers"));
    }
    value.elements().map(number64).collect()
}

fn add_particle(fluid: &mut Fluid, value: Value<'_>) -> Result<(), Problem> {
    let (position, velocity, pressure) = match numbers(value)?[..] {
        [x, y] => (dvec2(x, y), DVec2::ZERO, 0.0),
        [x, y, u, v] => (dvec2(x, y), dvec2(u, v), 0.0),
        [x, y, u, v, pressure] if pressure >= 0.0 => (dvec2(x, y), dvec2(u, v), pressure),
        _ => {
            let row = "a row [x, y], [x, y, vx, vy] or [x, y, vx, vy, pressure], the pressure at least 0";
            return Err(found_instead(value, row));
        }
    };
    if fluid.particle_count() == MAX_PARTICLES {
        return Err(Problem::at(value.at, format!("a fluid may have up to {MAX_PARTICLES} particles")));
    }
    let added = fluid.add_particle(position, velocity).and_then(|index| fluid.set_pressure(index, pressure));
    added.map_err(|error| Problem::at(value.at, error.to_string()))
}

/// Refuses particles so many of which are in one place that a step would run out of memory.
fn check_crowds(fluid: &Fluid, value: Value<'_>) -> Result<(), Problem> {
    let cell = |p: &DVec2| {
        let at = (*p / fluid.reach()).floor();
        (at.x as i64, at.y as i64)
    };
    let mut cells: Vec<(i64, i64)> = fluid.positions().iter().map(cell).collect();
    cells.sort_unstable();
    let neighbors: usize = cells.chunk_by(|a, b| a == b).map(|crowd| crowd.len() * crowd.len()).sum();
    if neighbors <= MAX_NEIGHBORS {
        return Ok(());
    }
    let message = "too many particles are closer to each other than the spacing; lower spacing or move them apart";
    Err(Problem::at(value.at, message))
}

pub(super) fn write(water: &CoupledFluid) -> String {
    let (def, own) = (water.fluid.def(), FluidDef::default());
    let mut fields = Fields::default();
    fields.add("spacing", number(def.spacing));
    for (name, value, default) in [("density", def.density, own.density), ("viscosity", def.viscosity, own.viscosity)] {
        if value.to_bits() != default.to_bits() {
            fields.add(name, number(value));
        }
    }
    fields.whole("iterations", def.iterations, own.iterations);
    if water.filter != Filter::ALL {
        fields.add("filter", filter_text(&water.filter, &Filter::default()));
    }
    let fluid = &water.fluid;
    let rows: Vec<String> = fluid
        .positions()
        .iter()
        .zip(fluid.velocities())
        .zip(fluid.pressures())
        // A particle that is nowhere takes part in nothing.
        .filter(|((p, v), pressure)| p.is_finite() && v.is_finite() && pressure.is_finite())
        .map(|((&p, &v), &pressure)| row(p, v, pressure))
        .collect();
    fields.add("particles", list(&rows, 2));
    fields.block(1)
}

fn number(value: f64) -> String {
    digits(value, value.abs())
}

/// A particle; what rests has no velocity, and what carries nothing no pressure.
fn row(position: DVec2, velocity: DVec2, pressure: f64) -> String {
    let is_zero = |value: f64| value.to_bits() == 0;
    let all = [position.x, position.y, velocity.x, velocity.y, pressure];
    let length = match (is_zero(pressure), is_zero(velocity.x) && is_zero(velocity.y)) {
        (true, true) => 2,
        (true, false) => 4,
        (false, _) => 5,
    };
    let texts: Vec<String> = all[..length].iter().map(|&value| number(value)).collect();
    format!("[{}]", texts.join(", "))
}
