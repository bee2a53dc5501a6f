//! What scenes with flowing water have in common: making it, and where its surface is.

use crate::script::{Unmet, at_most, near};
use carom_couple::CoupledFluid;
use carom_particles::fluid::{Fluid, FluidDef};
use carom2d::prelude::*;
use glam::dvec2;

/// Water at rest in a box.
pub(crate) fn pour(spacing: f64, viscosity: f64, column: Aabb) -> Result<Box<CoupledFluid>, DefError> {
    let refused = |error: carom_particles::DefError| DefError::Field {
        field: "Fluid",
        value: error.to_string(),
        expected: "a valid fluid",
    };
    let mut fluid = Fluid::new(FluidDef { spacing, viscosity, ..FluidDef::default() }).map_err(refused)?;
    fluid.fill(column.min.as_dvec2(), column.max.as_dvec2()).map_err(refused)?;
    Ok(Box::new(CoupledFluid::new(fluid)))
}

/// The height at which the density passes a half, seen from above.
pub(crate) fn surface_at(fluid: &Fluid, x: f64) -> f64 {
    let spacing = fluid.def().spacing;
    let top = fluid.positions().iter().map(|p| p.y).fold(0.0, |a, b| if b > a { b } else { a });
    let mut y = top + spacing;
    while y > 0.0 && fluid.density_at(dvec2(x, y)) < 0.5 {
        y -= 0.05 * spacing;
    }
    y
}

/// Fails unless the surface at some places has the height that the volume of the water asks for, to 2 %, and is flat
/// to the size of a particle.
pub(crate) fn is_level(fluid: &Fluid, width: f64, places: &[f64]) -> Result<(), Unmet> {
    let spacing = fluid.def().spacing;
    let expected = fluid.particle_count() as f64 * spacing * spacing / width;
    let heights: Vec<f64> = places.iter().map(|&x| surface_at(fluid, x)).collect();
    let mean = heights.iter().sum::<f64>() / heights.len() as f64;
    near("the level of the water", mean, expected, 0.02 * expected)?;
    let off = heights.iter().map(|y| (y - mean).abs()).fold(0.0, |a, b| if b > a { b } else { a });
    at_most("how far the surface is from flat, in particles", off / spacing, 1.0)
}
