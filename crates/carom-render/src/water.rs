//! Water: the regions of fluids with their surface, water that flows, and the particles among bodies.

use crate::geometry::clip;
use crate::list::{DrawList, Stroke, Style};
use crate::poses::Poses;
use crate::surface::find_surface;
use crate::theme::Theme;
use crate::view::View;
use carom_core::math::max;
use carom_scenes::SceneWorld;
use carom2d::FluidRegion;
use carom2d::math::{Aabb, Vec2, right_perp, unit_and_length, vec2};
use carom2d::shape::Concave;

/// Draws the fluids over what is in them, so that it shows through, and a line where their surface is.
pub(crate) fn draw_fluids(list: &mut DrawList, run: &SceneWorld, view: &View, theme: Theme) {
    let water = theme.water();
    let fill = Style::filled(water.fill);
    let surface = Stroke::solid(water.edge, 2.0 * view.line_scale);
    let seen = view.visible().grown(8.0 * view.line_scale * view.pixel());
    let up = -run.world.gravity();
    for fluid in run.world.fluids().filter_map(|id| run.world.fluid(id)) {
        match &fluid.region {
            &FluidRegion::Below(level) => {
                let top = if level < seen.max.y { level } else { seen.max.y };
                if top > seen.min.y {
                    list.aabb(Aabb::new(seen.min, vec2(seen.max.x, top)), fill);
                    list.line(vec2(seen.min.x, level), vec2(seen.max.x, level), surface);
                }
            }
            FluidRegion::Box(aabb) => {
                let Aabb { min, max } = *aabb;
                region(list, &[min, vec2(max.x, min.y), max, vec2(min.x, max.y)], &seen, fill);
                edges_up(list, &[min, vec2(max.x, min.y), max, vec2(min.x, max.y)], up, surface);
            }
            FluidRegion::Polygon(points) => {
                let Ok(polygon) = Concave::new(points, &[]) else { continue };
                for part in polygon.parts() {
                    region(list, part.vertices(), &seen, fill);
                }
                edges_up(list, points, up, surface);
            }
        }
    }
}

/// The part of a convex polygon that is seen: huge ones would leave the range of the canvas.
fn region(list: &mut DrawList, corners: &[Vec2], seen: &Aabb, style: Style) {
    let mut part = Vec::new();
    clip(corners, seen.min, seen.max, &mut part);
    if part.len() > 2 {
        list.polygon(part, style);
    }
}

/// The edges of a polygon that look up.
fn edges_up(list: &mut DrawList, points: &[Vec2], up: Vec2, stroke: Stroke) {
    /// The cosine of how far from upright a surface may look.
    const STEEPEST: f32 = 0.7;
    let next = |i: usize| points[(i + 1) % points.len()];
    let turn: f32 = (0..points.len()).map(|i| carom2d::math::cross(points[i] - points[0], next(i) - points[0])).sum();
    let (up, strength) = unit_and_length(up);
    for (i, &a) in points.iter().enumerate() {
        let outward = unit_and_length(right_perp(next(i) - a)).0 * turn.signum();
        if strength > 0.0 && outward.dot(up) > STEEPEST {
            list.line(a, next(i), stroke);
        }
    }
}

/// Draws the particles among the bodies, a little larger than they are, so that a pool of them has no gaps.
pub(crate) fn draw_drops(list: &mut DrawList, run: &SceneWorld, view: &View, theme: Theme, poses: Poses<'_>) {
    const GROWN: f32 = 1.12;
    let Some(particles) = &run.companions.particles else { return };
    let count = particles.system.particle_count();
    let style = Style::filled(theme.drop());
    let visible = view.visible();
    // What is smaller than a pixel is still seen.
    let least = 0.5 * view.line_scale * view.pixel();
    for (&center, &radius) in poses.of_drops(run)[..count].iter().zip(particles.system.radii()) {
        let radius = if radius > 0.0 { max(GROWN * radius as f32, least) } else { continue };
        let reach = Vec2::splat(radius);
        if center.is_finite() && Aabb::new(center - reach, center + reach).overlaps(&visible) {
            list.circle(center, radius, style);
        }
    }
}

/// Draws water that flows, behind everything that is in it and around it, and a line where it meets the air.
pub(crate) fn draw_water(list: &mut DrawList, run: &SceneWorld, view: &View, theme: Theme, poses: Poses<'_>) {
    /// The least cosine between a line that is drawn and the horizontal: others are along walls and bodies.
    const STEEPEST: f32 = 0.15;
    let Some(water) = &run.companions.fluid else { return };
    let others = run.companions.particles.as_ref().map_or(0, |particles| particles.system.particle_count());
    let spacing = water.fluid.def().spacing as f32;
    let (line, pixel) = (2.0 * view.line_scale, view.pixel());
    let places = poses.of_drops(run);
    let surface = find_surface(&places[others..], spacing, view.visible(), 2.0 * pixel);
    let fill = Style::filled(theme.drop());
    for polygon in &surface.polygons {
        list.polygon(grown(polygon, 0.6 * pixel), fill);
    }
    for &center in &surface.drops {
        list.circle(center, max(0.4 * spacing, 0.5 * view.line_scale * pixel), fill);
    }
    let stroke = Stroke::solid(theme.water().edge, line);
    let (up, strength) = unit_and_length(-run.world.gravity());
    let up = if strength > 0.0 { up } else { vec2(0.0, 1.0) };
    for &(a, b) in &surface.lines {
        let (along, length) = unit_and_length(b - a);
        // The water is on the left.
        if length > 0.0 && right_perp(along).dot(up) > STEEPEST {
            list.line(a, b, stroke);
        }
    }
}

/// A convex polygon a little larger: neighbours overlap, and no seam shows between them.
fn grown(polygon: &[Vec2], by: f32) -> Vec<Vec2> {
    let middle = polygon.iter().copied().sum::<Vec2>() / polygon.len() as f32;
    polygon.iter().map(|&point| point + (point - middle).signum() * by).collect()
}
