//! Which pairs are worth a closer look.
//!
//! Handlers see pairs in one fixed order: for each particle i first the particles j > i, then the edges it is no end
//! of, then the half-planes. A pair that is too far apart changes nothing, so leaving it out changes no bit of the
//! result, as long as the rest keeps its order. The grid leaves out what it can prove to be apart.
//!
//! Grid: every particle and edge gets a box, grown a little to cover rounding. Space is cut into square cells; a
//! hash of the cell picks a bucket, and each box is listed in the buckets of all cells it reaches into. Two boxes
//! that share a point share a cell, since cells are monotone in the coordinate; a clash of hashes only adds pairs
//! that the closer look rejects. Boxes over many cells (walls, floors) are kept in a list of their own that
//! everything is tested against.

use crate::model::{Edge, Model};
use carom_core::math::{max64, min64};
use glam::DVec2;

/// How near pairs are found. The result is the same, bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BroadPhase {
    /// A hashed grid: time grows with the number of particles.
    #[default]
    Grid,
    /// Every pair: time grows with the square of the number of particles.
    AllPairs,
}

/// What is done with each pair.
pub(crate) trait Pairs {
    /// Two particles, i < j.
    fn particles(&mut self, i: usize, j: usize);
    /// A particle and an edge that does not end at it.
    fn particle_edge(&mut self, i: usize, edge: usize);
    /// A particle and a half-plane.
    fn particle_half_plane(&mut self, i: usize, half_plane: usize);
}

/// Runs through the pairs, in order, that may be nearer than the sum of their radii plus `margin`.
pub(crate) fn sweep(
    broad_phase: BroadPhase,
    model: &Model,
    positions: &[DVec2],
    margin: f64,
    grid: &mut Grid,
    pairs: &mut impl Pairs,
) {
    if broad_phase == BroadPhase::Grid {
        grid.build(model, positions, positions, margin);
    }
    visit(broad_phase, model, positions.len(), grid, pairs);
}

/// As [`sweep`], for particles on their ways from `from` to `to`.
pub(crate) fn sweep_paths(
    broad_phase: BroadPhase,
    model: &Model,
    from: &[DVec2],
    to: &[DVec2],
    margin: f64,
    grid: &mut Grid,
    pairs: &mut impl Pairs,
) {
    if broad_phase == BroadPhase::Grid {
        grid.build(model, from, to, margin);
    }
    visit(broad_phase, model, from.len(), grid, pairs);
}

fn visit(broad_phase: BroadPhase, model: &Model, count: usize, grid: &mut Grid, pairs: &mut impl Pairs) {
    for i in 0..count {
        match broad_phase {
            BroadPhase::AllPairs => {
                for j in i + 1..count {
                    pairs.particles(i, j);
                }
                for (edge, Edge { ends, .. }) in model.edges.iter().enumerate() {
                    if !ends.contains(&i) {
                        pairs.particle_edge(i, edge);
                    }
                }
            }
            BroadPhase::Grid => {
                for &object in grid.near(i) {
                    let object = object as usize;
                    if object < count {
                        pairs.particles(i, object);
                    } else if !model.edges[object - count].ends.contains(&i) {
                        pairs.particle_edge(i, object - count);
                    }
                }
            }
        }
        for half_plane in 0..model.half_planes.len() {
            pairs.particle_half_plane(i, half_plane);
        }
    }
}

/// A box over more cells than this is tested against everything.
const MAX_CELLS_PER_BOX: i64 = 64;
/// Boxes are grown by this part of their coordinates, thousands of times the rounding of the closer look.
const RELATIVE_SLACK: f64 = 1e-12;
/// And by this, below which squares of distances vanish.
const ABSOLUTE_SLACK: f64 = 1e-150;

#[derive(Clone, Copy, Debug)]
struct Rect {
    lo: DVec2,
    hi: DVec2,
}

impl Rect {
    fn around(points: &[DVec2], reach: f64) -> Rect {
        let (mut lo, mut hi) = (points[0], points[0]);
        let mut size = 0.0;
        for p in points {
            // A point that is not a number makes the whole box so, and the box is then left out.
            lo = DVec2::new(if lo.x < p.x { lo.x } else { p.x }, if lo.y < p.y { lo.y } else { p.y });
            hi = DVec2::new(if hi.x > p.x { hi.x } else { p.x }, if hi.y > p.y { hi.y } else { p.y });
            size += p.x.abs() + p.y.abs();
        }
        let reach = reach + RELATIVE_SLACK * (size + reach) + ABSOLUTE_SLACK;
        Rect { lo: lo - reach, hi: hi + reach }
    }

    fn is_nan(&self) -> bool {
        self.lo.is_nan() || self.hi.is_nan()
    }

    fn overlaps(&self, other: &Rect) -> bool {
        self.lo.x <= other.hi.x && other.lo.x <= self.hi.x && self.lo.y <= other.hi.y && other.lo.y <= self.hi.y
    }

    fn extent(&self) -> f64 {
        max64(self.hi.x - self.lo.x, self.hi.y - self.lo.y)
    }
}

/// Where a box is listed.
#[derive(Clone, Copy, Debug)]
enum Listing {
    /// In the cells from the first to the second corner.
    Cells([i64; 2], [i64; 2]),
    /// In the list of large boxes.
    Large,
    /// Nowhere: a coordinate is not a number, and comparisons with it never hold.
    Nowhere,
}

/// The hashed grid, with memory that is kept from step to step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    /// Particles first, then edges.
    boxes: Vec<Rect>,
    listings: Vec<Listing>,
    particle_count: usize,
    /// Objects by bucket: those of bucket b are `objects[starts[b]..starts[b + 1]]`, ascending.
    starts: Vec<u32>,
    objects: Vec<u32>,
    large: Vec<u32>,
    extents: Vec<f64>,
    /// For each object the last particle it was found for, so that it is found once.
    found_for: Vec<u32>,
    found: Vec<u32>,
}

impl Grid {
    /// Lists all particles and edges on their way from `from` to `to`.
    pub(crate) fn build(&mut self, model: &Model, from: &[DVec2], to: &[DVec2], margin: f64) {
        let half_margin = max64(margin, 0.0) / 2.0;
        self.particle_count = from.len();
        self.boxes.clear();
        for (i, &radius) in model.radii.iter().enumerate() {
            self.boxes.push(Rect::around(&[from[i], to[i]], max64(radius, 0.0) + half_margin));
        }
        for edge in &model.edges {
            let [a, b] = edge.ends;
            let corners = [from[a], to[a], from[b], to[b]];
            self.boxes.push(Rect::around(&corners, max64(edge.radius, 0.0) + half_margin));
        }

        let cell = self.cell_size();
        self.large.clear();
        self.listings.clear();
        let mut total = 0;
        for (object, bounds) in self.boxes.iter().enumerate() {
            let listing = list(bounds, cell);
            match listing {
                Listing::Cells(lo, hi) => total += ((hi[0] - lo[0] + 1) * (hi[1] - lo[1] + 1)) as usize,
                Listing::Large => self.large.push(object as u32),
                Listing::Nowhere => {}
            }
            self.listings.push(listing);
        }

        // A counting sort by bucket: count, sum up, fill from the back so that each bucket ends up ascending.
        let bucket_count = (2 * total).next_power_of_two();
        let mask = bucket_count - 1;
        self.starts.clear();
        self.starts.resize(bucket_count + 1, 0);
        for listing in &self.listings {
            for_each_cell(listing, |x, y| self.starts[bucket(x, y, mask)] += 1);
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.objects.clear();
        self.objects.resize(total, 0);
        for (object, listing) in self.listings.iter().enumerate().rev() {
            for_each_cell(listing, |x, y| {
                let start = &mut self.starts[bucket(x, y, mask)];
                *start -= 1;
                self.objects[*start as usize] = object as u32;
            });
        }
        self.found_for.clear();
        self.found_for.resize(self.boxes.len(), u32::MAX);
    }

    /// Twice the size that nine boxes in ten do not exceed.
    fn cell_size(&mut self) -> f64 {
        self.extents.clear();
        self.extents.extend(self.boxes.iter().filter(|bounds| !bounds.is_nan()).map(Rect::extent));
        if self.extents.is_empty() {
            return 1.0;
        }
        let rank = (self.extents.len() - 1) * 9 / 10;
        let (_, &mut extent, _) = self.extents.select_nth_unstable_by(rank, f64::total_cmp);
        min64(max64(2.0 * extent, 1e-30), 1e300)
    }

    /// The objects after particle `i` whose boxes meet its box, in ascending order: particles, then edges.
    pub(crate) fn near(&mut self, i: usize) -> &[u32] {
        self.found.clear();
        let mine = self.boxes[i];
        match self.listings[i] {
            Listing::Nowhere => {}
            Listing::Large => {
                let all = i as u32 + 1..self.boxes.len() as u32;
                self.found.extend(all.filter(|&object| self.boxes[object as usize].overlaps(&mine)));
            }
            ref listing @ Listing::Cells(..) => {
                let mask = self.starts.len() - 2;
                for_each_cell(listing, |x, y| {
                    let bucket = bucket(x, y, mask);
                    let objects = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
                    for &object in &self.objects[objects] {
                        let index = object as usize;
                        if index > i && self.found_for[index] != i as u32 && self.boxes[index].overlaps(&mine) {
                            self.found_for[index] = i as u32;
                            self.found.push(object);
                        }
                    }
                });
                let after = self.large.partition_point(|&object| object as usize <= i);
                let large = self.large[after..].iter().copied();
                self.found.extend(large.filter(|&object| self.boxes[object as usize].overlaps(&mine)));
                self.found.sort_unstable();
            }
        }
        &self.found
    }
}

fn list(bounds: &Rect, cell: f64) -> Listing {
    if bounds.is_nan() {
        return Listing::Nowhere;
    }
    // The casts saturate, which keeps the order of cells.
    let corner = |p: DVec2| [(p.x / cell).floor() as i64, (p.y / cell).floor() as i64];
    let (lo, hi) = (corner(bounds.lo), corner(bounds.hi));
    let span = |axis: usize| hi[axis].saturating_sub(lo[axis]).saturating_add(1);
    if span(0).saturating_mul(span(1)) > MAX_CELLS_PER_BOX { Listing::Large } else { Listing::Cells(lo, hi) }
}

fn for_each_cell(listing: &Listing, mut visit: impl FnMut(i64, i64)) {
    if let &Listing::Cells(lo, hi) = listing {
        for y in lo[1]..=hi[1] {
            for x in lo[0]..=hi[0] {
                visit(x, y);
            }
        }
    }
}

fn bucket(x: i64, y: i64, mask: usize) -> usize {
    let mixed = (x as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (y as u64).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    ((mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32) as usize & mask
}
