//! The surface of water that consists of particles: where their density passes a threshold.
//!
//! ```text
//! s(x) = a^2 sum_j W(x - x_j)       on the nodes of a grid; W = 4/(pi r^2) (1 - d^2/r^2)^3
//! ```
//!
//! Cells whose corners are all inside become rectangles, as long as they go; the others are cut along the straight line
//! between the two places where their edges pass the threshold (marching squares).

use carom2d::math::{Aabb, Vec2, vec2};

/// What to fill, what to line, and which particles are too lonely to be part of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Surface {
    /// Convex polygons, counter-clockwise.
    pub(crate) polygons: Vec<Vec<Vec2>>,
    /// Lines of the surface, with the water on the left.
    pub(crate) lines: Vec<(Vec2, Vec2)>,
    /// Places of lonely particles.
    pub(crate) drops: Vec<Vec2>,
}

/// Density at which there is water. Below a half, so that water reaches a little below walls and bodies, which are drawn
/// over it: at a half there would be gaps in corners.
const THRESHOLD: f32 = 0.38;
/// Reach of a particle over the spacing.
const REACH: f32 = 2.2;

/// The density on the nodes of a grid.
struct Field {
    min: Vec2,
    cell: f32,
    columns: usize,
    rows: usize,
    values: Vec<f32>,
}

/// The surface of particles of a spacing, as far as it is seen. Cells are not smaller than `finest`.
pub(crate) fn find_surface(particles: &[Vec2], spacing: f32, seen: Aabb, finest: f32) -> Surface {
    let cell = if 0.5 * spacing > finest { 0.5 * spacing } else { finest };
    // Where particles are smaller than cells they are drawn as large as these.
    let reach = REACH * if spacing > cell { spacing } else { cell };
    let Some(field) = Field::of(particles, spacing, reach, seen, cell) else { return Surface::default() };
    let mut surface = Surface::default();
    for row in 0..field.rows - 1 {
        field.fill_row(row, &mut surface);
    }
    let lonely =
        |p: &&Vec2| field.cell_of(**p).is_some_and(|(x, y)| field.at(x, y) < THRESHOLD && !field.is_full(x, y));
    surface.drops.extend(particles.iter().filter(lonely));
    surface
}

impl Field {
    /// Adds up the particles in a view; none if there are no particles in it.
    fn of(particles: &[Vec2], spacing: f32, reach: f32, seen: Aabb, cell: f32) -> Option<Field> {
        let grown = seen.grown(reach);
        let present = || particles.iter().copied().filter(|p| p.is_finite() && grown.contains_point(*p));
        let first = present().next()?;
        let (low, high) = present().fold((first, first), |(low, high), p| (low.min(p), high.max(p)));
        // Nodes lie at whole multiples of the cell, so that they stand still while the water moves.
        let min = ((low - Vec2::splat(reach)) / cell).floor() * cell;
        let size = ((high + Vec2::splat(reach) - min) / cell).ceil();
        let (columns, rows) = (size.x as usize + 2, size.y as usize + 2);
        let mut field = Field { min, cell, columns, rows, values: vec![0.0; columns * rows] };
        let weight = 4.0 * spacing * spacing / (std::f32::consts::PI * reach * reach);
        for p in present() {
            field.add(p, reach, weight);
        }
        Some(field)
    }

    fn add(&mut self, p: Vec2, reach: f32, weight: f32) {
        let first = ((p - Vec2::splat(reach) - self.min) / self.cell).ceil();
        let last = ((p + Vec2::splat(reach) - self.min) / self.cell).floor();
        for y in first.y as usize..=last.y as usize {
            for x in first.x as usize..=last.x as usize {
                let share = 1.0 - (self.node(x, y) - p).length_squared() / (reach * reach);
                if share > 0.0 {
                    self.values[y * self.columns + x] += weight * share * share * share;
                }
            }
        }
    }

    fn node(&self, x: usize, y: usize) -> Vec2 {
        self.min + self.cell * vec2(x as f32, y as f32)
    }

    fn at(&self, x: usize, y: usize) -> f32 {
        self.values[y * self.columns + x]
    }

    /// The cell a point is in.
    fn cell_of(&self, p: Vec2) -> Option<(usize, usize)> {
        let place = (p - self.min) / self.cell;
        let inside = p.is_finite() && place.x >= 0.0 && place.y >= 0.0;
        let (x, y) = (place.x as usize, place.y as usize);
        (inside && x < self.columns.saturating_sub(1) && y < self.rows.saturating_sub(1)).then_some((x, y))
    }

    /// Are all corners of a cell in the water?
    fn is_full(&self, x: usize, y: usize) -> bool {
        [(0, 0), (1, 0), (0, 1), (1, 1)].iter().all(|(i, k)| self.at(x + i, y + k) >= THRESHOLD)
    }

    /// Cuts a row of cells.
    fn fill_row(&self, y: usize, surface: &mut Surface) {
        let mut x = 0;
        while x + 1 < self.columns {
            let first = x;
            while x + 1 < self.columns && self.is_full(x, y) {
                x += 1;
            }
            if x > first {
                let (min, max) = (self.node(first, y), self.node(x, y + 1));
                surface.polygons.push(vec![min, vec2(max.x, min.y), max, vec2(min.x, max.y)]);
            } else {
                self.cut(x, y, surface);
                x += 1;
            }
        }
    }

    /// Cuts a cell whose corners are not all in the water.
    fn cut(&self, x: usize, y: usize, surface: &mut Surface) {
        let corners = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)];
        let values = corners.map(|(x, y)| self.at(x, y));
        let points = corners.map(|(x, y)| self.node(x, y));
        let inside = values.map(|value| value >= THRESHOLD);
        let crossing = |i: usize| {
            let k = (i + 1) % 4;
            points[i] + (points[k] - points[i]) * ((THRESHOLD - values[i]) / (values[k] - values[i]))
        };
        // Two corners across the cell are two pieces of water.
        let saddle = inside[0] == inside[2] && inside[1] == inside[3] && inside[0] != inside[1];
        if saddle {
            for i in (0..4).filter(|&i| inside[i]) {
                let (leaves, enters) = (crossing(i), crossing((i + 3) % 4));
                surface.polygons.push(vec![points[i], leaves, enters]);
                surface.lines.push((leaves, enters));
            }
            return;
        }
        let mut polygon = Vec::new();
        let (mut leaves, mut enters) = (None, None);
        for i in 0..4 {
            if inside[i] {
                polygon.push(points[i]);
            }
            if inside[i] != inside[(i + 1) % 4] {
                let place = crossing(i);
                polygon.push(place);
                *(if inside[i] { &mut leaves } else { &mut enters }) = Some(place);
            }
        }
        if let (Some(leaves), Some(enters)) = (leaves, enters) {
            surface.polygons.push(polygon);
            surface.lines.push((leaves, enters));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom2d::math::cross;

    fn block(columns: usize, rows: usize, spacing: f32) -> Vec<Vec2> {
        let place = |k: usize| spacing * vec2((k % columns) as f32 + 0.5, (k / columns) as f32 + 0.5);
        (0..columns * rows).map(place).collect()
    }

    fn area(polygon: &[Vec2]) -> f32 {
        (1..polygon.len() - 1).map(|i| 0.5 * cross(polygon[i] - polygon[0], polygon[i + 1] - polygon[0])).sum()
    }

    #[test]
    fn a_block_has_its_area_and_one_closed_surface() {
        let seen = Aabb::new(vec2(-10.0, -10.0), vec2(20.0, 20.0));
        let surface = find_surface(&block(40, 20, 0.1), 0.1, seen, 0.001);
        let sum: f32 = surface.polygons.iter().map(|polygon| area(polygon)).sum();
        // The threshold is below a half: the surface is a little further out.
        assert!(sum > 8.0 && sum < 8.0 + 12.0 * 0.03, "{sum}");
        assert!(surface.polygons.iter().all(|polygon| area(polygon) > -1.0e-6), "counter-clockwise");
        assert!(surface.drops.is_empty());
        // Lines follow each other around the water: all that lead away from somewhere lead back to it.
        let way: Vec2 = surface.lines.iter().map(|(a, b)| *b - *a).sum();
        assert!(way.length() < 1.0e-3, "{way}");
        let around: f32 = surface.lines.iter().map(|(a, b)| 0.5 * cross(*a, *b)).sum();
        assert!((around - sum).abs() < 1.0e-3, "{around} {sum}");
    }

    #[test]
    fn lonely_particles_are_drops_and_bad_numbers_are_nothing() {
        let seen = Aabb::new(vec2(-1.0, -1.0), vec2(1.0, 1.0));
        let particles = [vec2(0.0, 0.0), vec2(0.9, 0.9), Vec2::NAN, vec2(1.0e30, 0.0), vec2(f32::INFINITY, 0.0)];
        let surface = find_surface(&particles, 0.1, seen, 0.001);
        assert_eq!(surface.drops, [vec2(0.0, 0.0), vec2(0.9, 0.9)]);
        assert_eq!(find_surface(&[Vec2::NAN], 0.1, seen, 0.001), Surface::default());
        assert_eq!(find_surface(&[], 0.1, seen, 0.001), Surface::default());
    }
}
