//! Scenes as XML: what is read back has the same bits.
//!
//! Two things go beyond the original's format, and its program refuses them: a `springforce` without an edge of its own
//! names its particles `i` and `j` instead, and `integrator` may be `velocity-verlet` or `runge-kutta-4`.

use super::{Color, Scene};
use crate::collide::{CollisionHandling, FixedAtHalfPlane};
use crate::model::{Edge, Motion};
use glam::DVec2;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

/// Why a scene cannot be written as XML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteError {
    /// A number is infinite or NaN: the format has finite ones only.
    NotFinite,
    /// Fixed particles are reflected by half-planes, for which the format has no word.
    FixedAtHalfPlane,
    /// Vortices are moved by an implicit integrator, which the format refuses.
    ImplicitVortex,
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            WriteError::NotFinite => "a number of the scene is not finite; the format has finite numbers only",
            WriteError::FixedAtHalfPlane => "the format cannot say that half-planes reflect fixed particles",
            WriteError::ImplicitVortex => "the format has no vortices with an implicit integrator",
        })
    }
}

impl std::error::Error for WriteError {}

pub(super) fn write(scene: &Scene) -> Result<String, WriteError> {
    let mut out = Writer { text: String::from("<scene>\n"), is_finite: true };
    head(&mut out, scene)?;
    objects(&mut out, scene);
    forces(&mut out, scene)?;
    looks(&mut out, scene);
    out.text.push_str("</scene>\n");
    if out.is_finite { Ok(out.text) } else { Err(WriteError::NotFinite) }
}

/// The text so far.
struct Writer {
    text: String,
    is_finite: bool,
}

/// The value of an attribute.
enum Value<'a> {
    Number(f64),
    Index(usize),
    Text(&'a str),
}

impl Writer {
    fn element(&mut self, name: &str, attributes: &[(&str, Value<'_>)]) {
        self.text.push_str("  <");
        self.text.push_str(name);
        for (name, value) in attributes {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push_str("=\"");
            match value {
                // The fewest digits that give back the same number. Writing to a string cannot fail.
                Value::Number(number) => write!(self.text, "{number:?}").unwrap_or(()),
                Value::Index(index) => write!(self.text, "{index}").unwrap_or(()),
                Value::Text(text) => escape(&mut self.text, text),
            }
            self.is_finite &= !matches!(value, Value::Number(number) if !number.is_finite());
            self.text.push('"');
        }
        self.text.push_str("/>\n");
    }
}

fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => write!(out, "&#{};", u32::from(c)).unwrap_or(()),
            c => out.push(c),
        }
    }
}

fn number(name: &'static str, number: f64) -> (&'static str, Value<'static>) {
    (name, Value::Number(number))
}

fn index(name: &'static str, index: usize) -> (&'static str, Value<'static>) {
    (name, Value::Index(index))
}

fn pair([i, j]: [usize; 2]) -> [(&'static str, Value<'static>); 2] {
    [index("i", i), index("j", j)]
}

fn vector([x, y]: [&'static str; 2], vector: DVec2) -> [(&'static str, Value<'static>); 2] {
    [number(x, vector.x), number(y, vector.y)]
}

fn color(color: Color) -> [(&'static str, Value<'static>); 3] {
    [number("r", color.r), number("g", color.g), number("b", color.b)]
}

fn head(out: &mut Writer, scene: &Scene) -> Result<(), WriteError> {
    out.element("description", &[("text", Value::Text(&scene.description))]);
    if let Some(tag) = &scene.tag {
        out.element("scenetag", &[("tag", Value::Text(tag))]);
    }
    out.element("duration", &[number("time", scene.duration)]);
    out.element("integrator", &[("type", Value::Text(scene.integrator().name())), number("dt", scene.dt)]);
    out.element("maxsimfreq", &[number("max", scene.max_frequency)]);
    if let Some(viewport) = scene.viewport {
        let [x, y] = vector(["cx", "cy"], viewport.center);
        out.element("viewport", &[x, y, number("size", viewport.size)]);
    }
    out.element("backgroundcolor", &color(scene.background));
    let kind = |name| ("type", Value::Text(name));
    match scene.system.collisions() {
        CollisionHandling::None => {}
        CollisionHandling::Simple(simple) if simple.fixed_at_half_plane != FixedAtHalfPlane::default() => {
            return Err(WriteError::FixedAtHalfPlane);
        }
        CollisionHandling::Simple(simple) => {
            out.element("collision", &[kind("simple"), number("COR", simple.restitution)]);
        }
        CollisionHandling::Penalty(penalty) => {
            let (stiffness, thickness) = (number("k", penalty.stiffness), number("thickness", penalty.thickness));
            out.element("collision", &[kind("penalty"), stiffness, thickness]);
        }
        CollisionHandling::Continuous(continuous) => {
            out.element("collision", &[kind("continuous-time"), number("COR", continuous.restitution)]);
        }
    }
    Ok(())
}

fn objects(out: &mut Writer, scene: &Scene) {
    let system = &scene.system;
    for i in 0..system.particle_count() {
        let [px, py] = vector(["px", "py"], system.positions()[i]);
        let [vx, vy] = vector(["vx", "vy"], system.velocities()[i]);
        let fixed = index("fixed", usize::from(system.motions()[i] == Motion::Fixed));
        let radius = number("radius", system.radii()[i]);
        let mut attributes = vec![number("m", system.masses()[i]), px, py, vx, vy, fixed, radius];
        if let Some(tag) = scene.particle_tags.get(i).filter(|tag| !tag.is_empty()) {
            attributes.push(("tag", Value::Text(tag)));
        }
        out.element("particle", &attributes);
    }
    for Edge { ends, radius } in system.edges() {
        let [i, j] = pair(*ends);
        out.element("edge", &[i, j, number("radius", *radius)]);
    }
    for half_plane in system.half_planes() {
        let [px, py] = vector(["px", "py"], half_plane.point);
        let [nx, ny] = vector(["nx", "ny"], half_plane.normal);
        out.element("halfplane", &[px, py, nx, ny]);
    }
}

fn forces(out: &mut Writer, scene: &Scene) -> Result<(), WriteError> {
    let (system, forces) = (&scene.system, scene.system.forces());
    // Of several edges between the same ends any will do.
    let edges: BTreeMap<[usize; 2], usize> =
        system.edges().iter().enumerate().map(|(i, edge)| (edge.ends, i)).collect();
    for spring in &forces.springs {
        let mut attributes = match edges.get(&spring.particles) {
            Some(&edge) => vec![index("edge", edge)],
            None => pair(spring.particles).into(),
        };
        attributes.extend([number("k", spring.stiffness), number("l0", spring.rest_length)]);
        attributes.push(number("b", spring.damping));
        out.element("springforce", &attributes);
    }
    for gravity in &forces.uniform_gravities {
        out.element("simplegravity", &vector(["fx", "fy"], gravity.acceleration));
    }
    for gravitation in &forces.gravitations {
        let [i, j] = pair(gravitation.particles);
        out.element("gravitationalforce", &[i, j, number("G", gravitation.constant)]);
    }
    for constant in &forces.constants {
        out.element("constantforce", &vector(["fx", "fy"], constant.force));
    }
    for drag in &forces.drags {
        out.element("dragdamping", &[number("b", drag.coefficient)]);
    }
    for vortex in &forces.vortices {
        let [i, j] = pair(vortex.particles);
        out.element("vortexforce", &[i, j, number("kbs", vortex.speed), number("kvc", vortex.strength)]);
    }
    match scene.integrator().is_implicit() && !forces.vortices.is_empty() {
        true => Err(WriteError::ImplicitVortex),
        false => Ok(()),
    }
}

/// Colours that differ from their defaults, and trails.
fn looks(out: &mut Writer, scene: &Scene) {
    for (element, colors, default) in [
        ("particlecolor", &scene.particle_colors, Color::PARTICLE),
        ("edgecolor", &scene.edge_colors, Color::EDGE),
        ("halfplanecolor", &scene.half_plane_colors, Color::BLACK),
    ] {
        for (i, own) in colors.iter().enumerate().filter(|(_, own)| **own != default) {
            let [r, g, b] = color(*own);
            out.element(element, &[index("i", i), r, g, b]);
        }
    }
    for path in &scene.paths {
        let [r, g, b] = color(path.color);
        out.element("particlepath", &[index("i", path.particle), number("duration", path.duration), r, g, b]);
    }
}
