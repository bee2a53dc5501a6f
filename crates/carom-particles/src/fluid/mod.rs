//! A fluid of particles that keep their density.
//!
//! ```text
//! s_i = V sum_j W(x_i - x_j) + L_i          density over that at rest: particles, and what obstacles cover (kernel.rs)
//! C_i = s_i - 1 <= 0                        it may be less, at a surface or in a splash, but not more
//! C_i' = sum_j g_ij . (v_i - v_j) + sum_b L_b' n_b . (v_i - v_b),     g_ij = V W'(r) (x_i - x_j)/r
//! K_i = (|grad_i C_i|^2 + sum_j |g_ij|^2)/m + sum_b L_b'^2 w_b        with w_b what an obstacle gives way
//! P_i >= 0,  h C_i' <= -C_i                 the impulse of a constraint pushes, and only as much as is needed
//! ```
//!
//! The density constraint is that of Macklin and Mueller, "Position based fluids" (2013), solved for velocities as
//! Bodin, Lacoursiere and Servin do in "Constraint fluids" (2012): by projected Gauss-Seidel, starting from the impulses
//! of the last step, which have the pressure of deep water. A particle is also kept from passing the surface of an
//! obstacle, by a row of its own, because a lone drop has not the density that would stop it.
//!
//! Impulses act between pairs of particles along the line through both, and between a particle and an obstacle at the
//! particle, both ways: linear and angular momentum are kept to rounding. Viscosity acts along the same lines
//! (Monaghan, "Smoothed particle hydrodynamics", 2005, equation 4.19).
//!
//! At a free surface kernels are cut off, and the uppermost layers are pressed together until their density is 1: the
//! surface of calm water lies up to half a spacing below where its mass would have it.
//!
//! What it does not do: no surface tension, no air, no drag along walls. Particles in a splash are drops that fly.
//! Obstacles that are thinner than a particle are seen as thick ones. Pressure travels by some particles per
//! iteration: water deeper than [`FluidDef::iterations`] times [steps](Fluid::steps_for) layers is soft for the time
//! it needs to cross it.

mod kernel;
mod neighbors;
mod obstacles;

use crate::error::{DefError, finite2};
use crate::system::MAX_OBJECTS;
use carom_core::StateHash;
use glam::{DVec2, dvec2};
use kernel::Kernel;
use neighbors::Neighbors;
pub use obstacles::{Nearby, Obstacles};

/// What a fluid is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FluidDef {
    /// Distance of neighbours in m, above 0: a particle has the area of its square. Default 0.1. Halving it makes four
    /// times as many particles, and twice as many steps.
    pub spacing: f64,
    /// Mass per area in kg/m^2, above 0. Default 1.
    pub density: f64,
    /// Kinematic viscosity in m^2/s, at least 0. Default 0.01. More than would stop neighbours within a step acts as
    /// just that.
    pub viscosity: f64,
    /// Acceleration of all particles in m/s^2. Default 10 downwards.
    pub gravity: DVec2,
    /// Passes over all particles per step, 1 to 1000. Default 8. Raising it makes deep water harder.
    pub iterations: u32,
}

impl Default for FluidDef {
    fn default() -> FluidDef {
        FluidDef { spacing: 0.1, density: 1.0, viscosity: 0.01, gravity: dvec2(0.0, -10.0), iterations: 8 }
    }
}

impl FluidDef {
    fn validate(&self) -> Result<(), DefError> {
        positive("FluidDef.spacing", self.spacing)?;
        positive("FluidDef.density", self.density)?;
        if !(self.viscosity >= 0.0 && self.viscosity.is_finite()) {
            return refuse("FluidDef.viscosity", self.viscosity, "a finite number of at least 0");
        }
        finite2("FluidDef.gravity", self.gravity)?;
        if !(1..=1000).contains(&self.iterations) {
            return refuse("FluidDef.iterations", self.iterations.into(), "a whole number from 1 to 1000");
        }
        Ok(())
    }
}

fn positive(field: &'static str, value: f64) -> Result<(), DefError> {
    // Areas and their inverses are finite, too.
    if (1.0e-100..=1.0e100).contains(&value) { Ok(()) } else { refuse(field, value, "a number from 1e-100 to 1e100") }
}

fn refuse(field: &'static str, value: f64, expected: &'static str) -> Result<(), DefError> {
    Err(DefError::Field { field, value: format!("{value:?}"), expected })
}

/// Support of the kernel over the spacing. At 2.8 a square lattice and a hexagonal one have the same density to 2e-5:
/// the fluid prefers neither.
const SUPPORT: f64 = 2.8;
/// What the kernel sums up to on either lattice, times the area of a particle.
const LATTICE_SUM: f64 = 1.006_66;
/// Share of a density that is too high which one step takes back. All at once would leave the speed of doing so.
const CORRECTION: f64 = 0.2;
/// How far a particle may come in a step, in spacings.
const COURANT: f64 = 0.4;
/// How far gravity alone may move a particle in a step, in spacings: what rests is pushed together by that much
/// before it is pushed apart.
const SETTLING: f64 = 0.02;
/// More steps than this are not made at once; what is faster is slowed down.
const MOST_STEPS: u32 = 32;

/// A fluid of particles. A clone goes on bit for bit like the original.
#[derive(Clone, Debug)]
pub struct Fluid {
    def: FluidDef,
    kernel: Kernel,
    positions: Vec<DVec2>,
    velocities: Vec<DVec2>,
    /// Impulse of each density constraint in the last step, over the length of that step: the pressure, times an area.
    pressures: Vec<f64>,
    scratch: Scratch,
}

/// Lists that are rebuilt in each step, kept for their memory.
#[derive(Clone, Debug, Default)]
struct Scratch {
    neighbors: Neighbors,
    /// g_ij, in the order of the neighbours.
    gradients: Vec<DVec2>,
    rows: Vec<Row>,
    walls: Vec<Wall>,
    found: Vec<Nearby>,
}

/// The density constraint of a particle.
#[derive(Clone, Copy, Debug)]
struct Row {
    gradient: DVec2,
    /// 1 / K, or 0 where nothing can be done.
    mass: f64,
    /// The most that the density may grow per second.
    target: f64,
    impulse: f64,
    /// Where the walls of the particle end; they begin where those of the last one end.
    walls_end: usize,
}

/// An obstacle near a particle, in its density and as a surface not to pass.
#[derive(Clone, Copy, Debug)]
struct Wall {
    obstacle: usize,
    normal: DVec2,
    /// What it adds to the density per metre along the normal: at most 0.
    slope: f64,
    /// Effective mass along the normal.
    mass: f64,
    /// The least speed at which to part.
    target: f64,
    impulse: f64,
}

impl Fluid {
    /// A fluid without a drop.
    pub fn new(def: FluidDef) -> Result<Fluid, DefError> {
        def.validate()?;
        Ok(Fluid {
            def,
            kernel: Kernel::new(SUPPORT * def.spacing),
            positions: Vec::new(),
            velocities: Vec::new(),
            pressures: Vec::new(),
            scratch: Scratch::default(),
        })
    }

    /// Makes it another fluid, with a position, a velocity and a pressure for each particle.
    pub(crate) fn put(
        &mut self,
        def: FluidDef,
        positions: Vec<DVec2>,
        velocities: Vec<DVec2>,
        pressures: Vec<f64>,
    ) -> Result<(), DefError> {
        def.validate()?;
        (self.def, self.kernel) = (def, Kernel::new(SUPPORT * def.spacing));
        (self.positions, self.velocities, self.pressures) = (positions, velocities, pressures);
        Ok(())
    }

    /// What the fluid is like.
    pub fn def(&self) -> &FluidDef {
        &self.def
    }

    /// Changes the acceleration of all particles.
    pub fn set_gravity(&mut self, gravity: DVec2) -> Result<(), DefError> {
        finite2("FluidDef.gravity", gravity)?;
        self.def.gravity = gravity;
        Ok(())
    }

    /// Adds a particle and returns its index.
    pub fn add_particle(&mut self, position: DVec2, velocity: DVec2) -> Result<usize, DefError> {
        finite2("position", position)?;
        finite2("velocity", velocity)?;
        if self.positions.len() >= MAX_OBJECTS {
            return Err(DefError::Full { what: "particles", limit: MAX_OBJECTS });
        }
        self.positions.push(position);
        self.velocities.push(velocity);
        self.pressures.push(0.0);
        Ok(self.positions.len() - 1)
    }

    /// Fills a box with particles at rest, as many whole squares of the spacing as fit, from its lower left corner.
    pub fn fill(&mut self, min: DVec2, max: DVec2) -> Result<(), DefError> {
        finite2("min", min)?;
        finite2("max", max)?;
        // A hair less would lose a row to rounding.
        let count = ((max - min) / self.def.spacing + 1.0e-6).floor().max(DVec2::ZERO);
        if count.x * count.y > MAX_OBJECTS as f64 {
            return Err(DefError::Full { what: "particles", limit: MAX_OBJECTS });
        }
        for row in 0..count.y as usize {
            for column in 0..count.x as usize {
                let place = dvec2(column as f64 + 0.5, row as f64 + 0.5);
                self.add_particle(min + self.def.spacing * place, DVec2::ZERO)?;
            }
        }
        Ok(())
    }

    /// How many particles there are.
    pub fn particle_count(&self) -> usize {
        self.positions.len()
    }

    /// Centres of the particles in m.
    pub fn positions(&self) -> &[DVec2] {
        &self.positions
    }

    /// Velocities of the particles in m/s.
    pub fn velocities(&self) -> &[DVec2] {
        &self.velocities
    }

    /// What the density constraint of each particle had to do in the last step, as its impulse per second in J: the
    /// pressure times the area of the particle, at least 0. The next step starts from it.
    pub fn pressures(&self) -> &[f64] {
        &self.pressures
    }

    /// Changes from which pressure the next step starts at a particle; `pressure` is one of those that
    /// [`pressures`](Self::pressures) reports. Panics unless there is a particle of that index.
    #[track_caller]
    pub fn set_pressure(&mut self, particle: usize, pressure: f64) -> Result<(), DefError> {
        if !(pressure >= 0.0 && pressure.is_finite()) {
            return refuse("pressure", pressure, "a finite number of at least 0");
        }
        self.pressures[particle] = pressure;
        Ok(())
    }

    /// Mass of each particle in kg.
    pub fn particle_mass(&self) -> f64 {
        self.def.density * self.def.spacing * self.def.spacing
    }

    /// Changes where a particle is and how it moves. Panics unless there is one of that index.
    #[track_caller]
    pub fn set_particle(&mut self, particle: usize, position: DVec2, velocity: DVec2) {
        self.positions[particle] = position;
        self.velocities[particle] = velocity;
    }

    /// Density over that at rest, of the particles alone, at any point: 1 within the fluid, about a half at its
    /// surface. Takes time in proportion to the number of particles.
    pub fn density_at(&self, point: DVec2) -> f64 {
        let near = |p: &&DVec2| (**p - point).length_squared() < self.kernel.support() * self.kernel.support();
        let sum: f64 = self.positions.iter().filter(near).map(|p| self.kernel.value((*p - point).length())).sum();
        self.volume() * sum
    }

    /// A hash of all positions, velocities and pressures, bit by bit.
    pub fn state_hash(&self) -> u64 {
        let mut hash = StateHash::new();
        for v in self.positions.iter().chain(&self.velocities) {
            hash.write_f64(v.x);
            hash.write_f64(v.y);
        }
        for &pressure in &self.pressures {
            hash.write_f64(pressure);
        }
        hash.finish()
    }

    /// How far from an obstacle particles feel it, in m.
    pub fn reach(&self) -> f64 {
        self.kernel.support()
    }

    /// How many steps `dt` seconds should be cut into, so that no particle comes further than it may.
    pub fn steps_for(&self, dt: f64) -> u32 {
        let speeds = self.velocities.iter().filter(|v| v.is_finite()).map(|v| v.length());
        let gravity = self.def.gravity.length();
        let fastest = speeds.fold(0.0, |a: f64, b| if b > a { b } else { a }) + gravity * dt;
        let by_speed = fastest * dt / (COURANT * self.def.spacing);
        let by_weight = dt * (gravity / (SETTLING * self.def.spacing)).sqrt();
        let steps = (if by_speed > by_weight { by_speed } else { by_weight }).ceil();
        // What has no number is no number of steps either.
        if steps >= 1.0 { if steps < f64::from(MOST_STEPS) { steps as u32 } else { MOST_STEPS } } else { 1 }
    }

    /// Makes one step of `h` seconds. [`steps_for`](Self::steps_for) says how long one may be. Cannot fail: a particle
    /// that was put nowhere stays there, and the others do not see it; one whose velocity leaves the range of numbers stays
    /// where it is, at rest.
    pub fn step(&mut self, h: f64, obstacles: &mut impl Obstacles) {
        if !(h > 0.0 && h.is_finite()) {
            return;
        }
        for v in &mut self.velocities {
            *v += h * self.def.gravity;
            rest_unless_finite(v);
        }
        self.prepare(h, obstacles);
        self.apply_viscosity(h);
        self.warm_start(obstacles);
        for pass in 0..self.def.iterations {
            self.solve(pass % 2 == 1, obstacles);
        }
        self.move_on(h);
    }

    /// The area that counts in densities: that of a particle, so that lattices have a density of 1.
    fn volume(&self) -> f64 {
        self.def.spacing * self.def.spacing / LATTICE_SUM
    }

    /// Finds which particles are near each other, and the constraints.
    fn prepare(&mut self, h: f64, obstacles: &impl Obstacles) {
        let volume = self.volume();
        let inv_mass = 1.0 / self.particle_mass();
        let (support, radius) = (self.kernel.support(), 0.5 * self.def.spacing);
        let Scratch { neighbors, gradients, rows, walls, found } = &mut self.scratch;
        neighbors.find(&self.positions, support);
        gradients.clear();
        rows.clear();
        walls.clear();
        for (i, &p) in self.positions.iter().enumerate() {
            let (mut density, mut gradient, mut squares) = (volume * self.kernel.value(0.0), DVec2::ZERO, 0.0);
            for &j in &neighbors.all()[neighbors.range(i)] {
                let (away, r) = direction(p - self.positions[j as usize], i < j as usize);
                density += volume * self.kernel.value(r);
                let g = volume * self.kernel.slope(r) * away;
                gradient += g;
                squares += g.length_squared();
                gradients.push(g);
            }
            found.clear();
            if p.is_finite() {
                obstacles.find(i, p, support, found);
                keep_visible(p, found);
            }
            let mut resistance = 0.0;
            for (k, near) in found.iter().enumerate() {
                let (covered, slope) = self.kernel.covered(near.distance);
                // Where two walls meet, what is behind both counts once.
                let others: f64 = (0..found.len())
                    .filter(|&l| l != k)
                    .map(|l| 1.0 - self.kernel.covered(found[l].distance).0)
                    .product();
                let before: f64 = found[..k].iter().map(|l| 1.0 - self.kernel.covered(l.distance).0).product();
                density += covered * before;
                let slope = slope * others;
                let give = obstacles.give(near.obstacle, p, near.normal);
                gradient += slope * near.normal;
                resistance += slope * slope * give;
                let gap = near.distance - radius;
                walls.push(Wall {
                    obstacle: near.obstacle,
                    normal: near.normal,
                    slope,
                    mass: 1.0 / (inv_mass + give),
                    target: if gap > 0.0 { -gap / h } else { -CORRECTION * gap / h },
                    impulse: 0.0,
                });
            }
            let k = inv_mass * (gradient.length_squared() + squares) + resistance;
            let error = density - 1.0;
            rows.push(Row {
                gradient,
                mass: if k * radius * radius > 1.0e-9 * inv_mass { 1.0 / k } else { 0.0 },
                target: -(if error > 0.0 { CORRECTION * error } else { error }) / h,
                impulse: self.pressures[i] * h,
                walls_end: walls.len(),
            });
        }
    }

    /// Lets neighbours slow each other down along the line between them.
    fn apply_viscosity(&mut self, h: f64) {
        // Half of the speed at which two part is all that may be taken within a step, shared by some twenty neighbours.
        let strength = 8.0 * self.def.viscosity * h;
        let Scratch { neighbors, gradients, .. } = &self.scratch;
        for i in 0..self.positions.len() {
            for at in neighbors.range(i) {
                let j = neighbors.all()[at] as usize;
                if j < i {
                    continue;
                }
                let (away, r) = direction(self.positions[i] - self.positions[j], true);
                let share = strength * gradients[at].length() / (r + 0.01 * self.kernel.support());
                let share = if share < 0.05 { share } else { 0.05 };
                let parting = (self.velocities[i] - self.velocities[j]).dot(away);
                self.velocities[i] -= share * parting * away;
                self.velocities[j] += share * parting * away;
            }
        }
    }

    /// Starts from the impulses of the last step.
    fn warm_start(&mut self, obstacles: &mut impl Obstacles) {
        for i in 0..self.positions.len() {
            let impulse = self.scratch.rows[i].impulse;
            if self.scratch.rows[i].mass == 0.0 {
                self.scratch.rows[i].impulse = 0.0;
            } else if impulse != 0.0 {
                self.apply(i, impulse, obstacles);
            }
        }
    }

    /// One pass over all constraints, from the first to the last or back.
    fn solve(&mut self, backwards: bool, obstacles: &mut impl Obstacles) {
        let count = self.positions.len();
        for k in 0..count {
            let i = if backwards { count - 1 - k } else { k };
            self.solve_density(i, obstacles);
            self.solve_walls(i, obstacles);
        }
    }

    fn walls_of(&self, i: usize) -> std::ops::Range<usize> {
        let rows = &self.scratch.rows;
        (if i == 0 { 0 } else { rows[i - 1].walls_end })..rows[i].walls_end
    }

    fn solve_density(&mut self, i: usize, obstacles: &mut impl Obstacles) {
        let row = self.scratch.rows[i];
        if row.mass == 0.0 {
            return;
        }
        let Scratch { neighbors, gradients, walls, .. } = &self.scratch;
        let mut rate = row.gradient.dot(self.velocities[i]);
        for at in neighbors.range(i) {
            rate -= gradients[at].dot(self.velocities[neighbors.all()[at] as usize]);
        }
        for wall in &walls[self.walls_of(i)] {
            rate -= wall.slope * wall.normal.dot(obstacles.velocity_at(wall.obstacle, self.positions[i]));
        }
        let impulse = row.impulse + row.mass * (rate - row.target);
        // Not a number becomes 0, too.
        let impulse = if impulse > 0.0 { impulse } else { 0.0 };
        let change = impulse - row.impulse;
        if change != 0.0 && change.is_finite() {
            self.scratch.rows[i].impulse = impulse;
            self.apply(i, change, obstacles);
        }
    }

    /// Applies an impulse of the density constraint of a particle to all that it is about.
    fn apply(&mut self, i: usize, impulse: f64, obstacles: &mut impl Obstacles) {
        let change = impulse / self.particle_mass();
        let walls = self.walls_of(i);
        let Scratch { neighbors, gradients, rows, walls: all, .. } = &self.scratch;
        self.velocities[i] -= change * rows[i].gradient;
        for at in neighbors.range(i) {
            self.velocities[neighbors.all()[at] as usize] += change * gradients[at];
        }
        for wall in &all[walls] {
            obstacles.push(wall.obstacle, self.positions[i], impulse * wall.slope * wall.normal);
        }
    }

    /// Keeps a particle from passing the surfaces near it.
    fn solve_walls(&mut self, i: usize, obstacles: &mut impl Obstacles) {
        let inv_mass = 1.0 / self.particle_mass();
        for k in self.walls_of(i) {
            let p = self.positions[i];
            let wall = &mut self.scratch.walls[k];
            let parting = wall.normal.dot(self.velocities[i] - obstacles.velocity_at(wall.obstacle, p));
            let impulse = wall.impulse + wall.mass * (wall.target - parting);
            let impulse = if impulse > 0.0 { impulse } else { 0.0 };
            let change = impulse - wall.impulse;
            if change != 0.0 && change.is_finite() {
                wall.impulse = impulse;
                self.velocities[i] += inv_mass * change * wall.normal;
                obstacles.push(wall.obstacle, p, -change * wall.normal);
            }
        }
    }

    /// Moves all particles, and remembers their pressures.
    fn move_on(&mut self, h: f64) {
        let fastest = self.def.spacing / h;
        for (i, v) in self.velocities.iter_mut().enumerate() {
            rest_unless_finite(v);
            let speed = v.length();
            if speed > fastest {
                *v *= fastest / speed;
            }
            self.positions[i] += h * *v;
            let pressure = self.scratch.rows[i].impulse / h;
            self.pressures[i] = if pressure.is_finite() { pressure } else { 0.0 };
        }
    }
}

/// A particle that is pushed out of the range of numbers stays where it is, at rest.
fn rest_unless_finite(velocity: &mut DVec2) {
    if !velocity.is_finite() {
        *velocity = DVec2::ZERO;
    }
}

/// The direction of a vector and its length. Particles in one place part along the same line, each to its side.
fn direction(v: DVec2, first: bool) -> (DVec2, f64) {
    let r = v.length();
    if r > 1.0e-150 { (v / r, r) } else { (if first { DVec2::X } else { DVec2::NEG_X }, 0.0) }
}

/// Of obstacles that lie behind the surface of a nearer one, such as the next tile of a floor, nothing is seen.
fn keep_visible(position: DVec2, found: &mut Vec<Nearby>) {
    found.sort_by(|a, b| a.distance.total_cmp(&b.distance));
    let foot = |near: &Nearby| position - near.distance * near.normal;
    let mut kept = 0;
    for k in 0..found.len() {
        let near = found[k];
        let hidden = found[..kept].iter().any(|front| {
            let behind = (foot(&near) - foot(front)).dot(front.normal);
            // Rounding of surfaces that are flush, in single precision.
            behind < 1.0e-4 * (1.0 + position.length())
        });
        if !hidden {
            found[kept] = near;
            kept += 1;
        }
    }
    found.truncate(kept);
}
