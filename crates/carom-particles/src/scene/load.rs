//! From XML to a scene.
//!
//! The file is read in one pass. Only the direct children of the first `scene` element count; what is not known is
//! ignored. Elements may come in any order, so whatever names another by index is kept until the end.

use super::{Color, ParticlePath, Scene, Viewport, number};
use crate::DefError;
use crate::collide::{CollisionHandling, ContinuousCollisions, SimpleCollisions};
use crate::forces::{ConstantForce, Drag, Gravitation, Penalty, Spring, UniformGravity, Vortex};
use crate::integrate::Integrator;
use crate::model::{DEFAULT_EDGE_RADIUS, DEFAULT_PARTICLE_RADIUS, Edge, HalfPlane, Motion, ParticleDef};
use crate::system::ParticleSystem;
use carom_core::text::xml::{self, Element, Rules, Tag, Tokenizer};
use carom_core::text::{Problem, SceneError, shown};
use glam::DVec2;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Longer files are refused.
pub const MAX_SCENE_BYTES: usize = 8 << 20;

/// Scenes may have a document type, and repeat attributes: the first counts.
const RULES: Rules = Rules { max_depth: 100, max_attributes: 256, document_types: true, repeated_attributes: true };

pub(super) const NO_DESCRIPTION: &str = "No description specified.";

pub(super) fn load_file(path: &Path) -> Result<Scene, SceneError> {
    let name = path.display().to_string();
    let mut text = Vec::new();
    // One byte more than allowed tells that there is more.
    let read = File::open(path).and_then(|file| file.take(MAX_SCENE_BYTES as u64 + 1).read_to_end(&mut text));
    match read {
        Ok(_) => load(&name, &text),
        Err(error) => Err(Problem::at(0, format!("cannot be read: {error}")).locate(&name, &[])),
    }
}

pub(super) fn load(name: &str, text: &[u8]) -> Result<Scene, SceneError> {
    if text.len() > MAX_SCENE_BYTES {
        let message = format!("the file is longer than {MAX_SCENE_BYTES} bytes");
        return Err(Problem::at(0, message).locate(name, text));
    }
    read(text).and_then(Collected::finish).map_err(|problem| problem.locate(name, text))
}

fn read(text: &[u8]) -> Result<Collected, Problem> {
    let mut tokenizer = Tokenizer::new(text, RULES);
    let mut element = Element::default();
    let mut collected = Collected::default();
    let mut is_in_scene = false;
    while let Some(tag) = tokenizer.next(&mut element)? {
        if tag == Tag::End {
            continue;
        }
        let name = tokenizer.bytes(&element.name);
        match element.depth {
            0 => {
                is_in_scene = name == b"scene" && collected.scene_offset.is_none();
                if is_in_scene {
                    collected.scene_offset = Some(element.offset());
                }
            }
            1 if is_in_scene => {
                let name = String::from_utf8_lossy(name);
                let node = Node { tokenizer: &tokenizer, element: &element };
                collected.take(&name, &node).map_err(|problem| problem.in_element(&name))?;
            }
            _ => {}
        }
    }
    Ok(collected)
}

/// An element whose attributes are wanted.
struct Node<'a> {
    tokenizer: &'a Tokenizer<'a>,
    element: &'a Element,
}

impl<'a> Node<'a> {
    /// An attribute's value and where it stands; of several with one name, the first.
    fn find(&self, name: &str) -> Option<(&'a [u8], usize)> {
        let [_, value] =
            self.element.attributes.iter().find(|[key, _]| self.tokenizer.bytes(key) == name.as_bytes())?;
        Some((self.tokenizer.bytes(value), value.start))
    }

    fn required<T>(&self, name: &str, expected: &str, read: impl Fn(&[u8]) -> Option<T>) -> Result<T, Problem> {
        let missing = || Problem::at(self.element.offset(), format!("missing; expected {expected}")).in_attribute(name);
        let (value, offset) = self.find(name).ok_or_else(missing)?;
        read(value).ok_or_else(|| {
            Problem::at(offset, format!("expected {expected}, found {}", shown(value))).in_attribute(name)
        })
    }

    fn float(&self, name: &str) -> Result<f64, Problem> {
        self.required(name, "a finite number", number::float)
    }

    fn float_or(&self, name: &str, default: f64) -> Result<f64, Problem> {
        if self.find(name).is_some() { self.float(name) } else { Ok(default) }
    }

    fn vector(&self, x: &str, y: &str) -> Result<DVec2, Problem> {
        Ok(DVec2::new(self.float(x)?, self.float(y)?))
    }

    fn text(&self, name: &str) -> Result<String, Problem> {
        self.required(name, "a text", |value| Some(xml::decode(value)))
    }

    /// An index, with where it stands for when the count is known.
    fn index(&self, name: &str) -> Result<Reference, Problem> {
        let index = self.required(name, "an index: a whole number from 0", number::integer)?;
        let offset = self.find(name).map_or(self.element.offset(), |(_, offset)| offset);
        Ok(Reference { index, offset: offset as u32 })
    }

    fn pair(&self) -> Result<[Reference; 2], Problem> {
        Ok([self.index("i")?, self.index("j")?])
    }

    fn color(&self) -> Result<Color, Problem> {
        let channel = |name| {
            let in_range = |value: &[u8]| number::float(value).filter(|channel| (0.0..=1.0).contains(channel));
            self.required(name, "a number from 0 to 1", in_range)
        };
        Ok(Color { r: channel("r")?, g: channel("g")?, b: channel("b")? })
    }
}

/// An index read from the file, not yet known to name anything.
#[derive(Clone, Copy)]
struct Reference {
    index: i32,
    /// Files are short enough for 32 bits; there may be a million of these.
    offset: u32,
}

impl Reference {
    fn resolve(&self, element: &str, attribute: &str, what: &str, count: usize) -> Result<usize, Problem> {
        match usize::try_from(self.index) {
            Ok(index) if index < count => Ok(index),
            _ => {
                let found = self.index;
                let message = match count {
                    0 => format!("found {found}, but the scene has no {what}"),
                    _ => format!("expected the index of one of the {count} {what}, 0 to {}, found {found}", count - 1),
                };
                Err(Problem::at(self.offset as usize, message).in_attribute(attribute).in_element(element))
            }
        }
    }
}

/// What a spring holds together.
#[derive(Clone, Copy)]
enum SpringEnds {
    Edge(Reference),
    Particles([Reference; 2]),
}

/// What was read so far.
#[derive(Default)]
struct Collected {
    scene_offset: Option<usize>,
    has_sim_type: bool,
    description: Option<String>,
    tag: Option<String>,
    duration: Option<f64>,
    integrator: Option<(Integrator, f64)>,
    max_frequency: Option<f64>,
    /// Inside, `None` for an automatic one.
    viewport: Option<Option<Viewport>>,
    background: Option<Color>,
    collisions: Option<CollisionHandling>,
    particles: Vec<ParticleDef>,
    particle_tags: Vec<String>,
    edges: Vec<([Reference; 2], f64)>,
    half_planes: Vec<HalfPlane>,
    springs: Vec<(SpringEnds, Spring)>,
    gravities: Vec<UniformGravity>,
    gravitations: Vec<([Reference; 2], f64)>,
    constants: Vec<ConstantForce>,
    drags: Vec<Drag>,
    vortices: Vec<([Reference; 2], [f64; 2])>,
    first_vortex_offset: usize,
    particle_colors: Vec<(Reference, Color)>,
    edge_colors: Vec<(Reference, Color)>,
    half_plane_colors: Vec<(Reference, Color)>,
    paths: Vec<(Reference, f64, Color)>,
}

impl Collected {
    /// Reads one element. Of those that make sense once, only the first is looked at.
    fn take(&mut self, name: &str, node: &Node<'_>) -> Result<(), Problem> {
        match name {
            "simtype" if !self.has_sim_type => {
                self.has_sim_type = true;
                let is_known = |value: &[u8]| matches!(value, b"" | b"particle-system").then_some(());
                if node.find("type").is_some() {
                    node.required("type", "\"particle-system\", the only kind supported", is_known)?;
                }
            }
            "description" if self.description.is_none() => self.description = Some(node.text("text")?),
            "scenetag" if self.tag.is_none() => self.tag = Some(node.text("tag")?),
            "duration" if self.duration.is_none() => self.duration = Some(node.float("time")?),
            "integrator" if self.integrator.is_none() => self.integrator = Some(integrator(node)?),
            "maxsimfreq" if self.max_frequency.is_none() => self.max_frequency = Some(node.float("max")?),
            "viewport" if self.viewport.is_none() => {
                let viewport = Viewport { center: node.vector("cx", "cy")?, size: node.float("size")? };
                self.viewport = Some((viewport.size > 0.0).then_some(viewport));
            }
            "backgroundcolor" if self.background.is_none() => self.background = Some(node.color()?),
            "collision" if self.collisions.is_none() => self.collisions = Some(collisions(node)?),
            "particle" => self.particle(node)?,
            "edge" => self.edges.push((node.pair()?, node.float_or("radius", DEFAULT_EDGE_RADIUS)?)),
            "halfplane" => {
                let (point, normal) = (node.vector("px", "py")?, node.vector("nx", "ny")?);
                self.half_planes.push(HalfPlane { point, normal });
            }
            "springforce" => {
                let spring = Spring {
                    particles: [0; 2],
                    stiffness: node.float("k")?,
                    rest_length: node.float("l0")?,
                    damping: node.float_or("b", 0.0)?,
                };
                // Carom's own: a spring between two particles without an edge.
                let ends = if node.find("edge").is_none() && node.find("i").is_some() {
                    SpringEnds::Particles(node.pair()?)
                } else {
                    SpringEnds::Edge(node.index("edge")?)
                };
                self.springs.push((ends, spring));
            }
            "simplegravity" => self.gravities.push(UniformGravity { acceleration: node.vector("fx", "fy")? }),
            "gravitationalforce" => self.gravitations.push((node.pair()?, node.float("G")?)),
            "constantforce" => self.constants.push(ConstantForce { force: node.vector("fx", "fy")? }),
            "dragdamping" => self.drags.push(Drag { coefficient: node.float("b")? }),
            "vortexforce" => {
                if self.vortices.is_empty() {
                    self.first_vortex_offset = node.element.offset();
                }
                self.vortices.push((node.pair()?, [node.float("kbs")?, node.float("kvc")?]));
            }
            "particlecolor" => self.particle_colors.push((node.index("i")?, node.color()?)),
            "edgecolor" => self.edge_colors.push((node.index("i")?, node.color()?)),
            "halfplanecolor" => self.half_plane_colors.push((node.index("i")?, node.color()?)),
            "particlepath" => {
                let at_least_zero = |value: &[u8]| number::float(value).filter(|&duration| duration >= 0.0);
                let duration = node.required("duration", "a number of at least 0", at_least_zero)?;
                self.paths.push((node.index("i")?, duration, node.color()?));
            }
            _ => {}
        }
        Ok(())
    }

    fn particle(&mut self, node: &Node<'_>) -> Result<(), Problem> {
        let fixed = |value: &[u8]| match number::integer(value)? {
            0 => Some(Motion::Free),
            1 => Some(Motion::Fixed),
            _ => None,
        };
        self.particles.push(ParticleDef {
            mass: node.float("m")?,
            position: node.vector("px", "py")?,
            velocity: node.vector("vx", "vy")?,
            motion: node.required("fixed", "0 or 1", fixed)?,
            radius: node.float_or("radius", DEFAULT_PARTICLE_RADIUS)?,
        });
        self.particle_tags.push(node.find("tag").map_or_else(String::new, |(value, _)| xml::decode(value)));
        Ok(())
    }

    /// Puts everything together, now that all indices can be checked.
    fn finish(self) -> Result<Scene, Problem> {
        let Some(offset) = self.scene_offset else {
            return Err(Problem::at(0, "expected an element <scene>, found none"));
        };
        let required = |name: &str| {
            Problem::at(offset, format!("expected an element <{name}> inside, found none")).in_element("scene")
        };
        let duration = self.duration.ok_or_else(|| required("duration"))?;
        let (integrator, dt) = self.integrator.ok_or_else(|| required("integrator"))?;
        if integrator.is_implicit() && !self.vortices.is_empty() {
            let message = format!("expected another integrator: a vortex cannot be used with {}", integrator.name());
            return Err(Problem::at(self.first_vortex_offset, message).in_element("vortexforce"));
        }

        let mut system = ParticleSystem::new();
        system.set_integrator(integrator);
        system.set_collisions(self.collisions.unwrap_or_default());
        // What is added was checked when it was read; a refusal here could only be for want of room.
        let refused = |error: DefError| Problem::at(offset, error.to_string()).in_element("scene");
        for particle in self.particles {
            system.add_particle(particle).map_err(refused)?;
        }
        let count = system.particle_count();
        let pair = |element: &str, pair: [Reference; 2]| -> Result<[usize; 2], Problem> {
            let [i, j] = pair;
            Ok([i.resolve(element, "i", "particles", count)?, j.resolve(element, "j", "particles", count)?])
        };
        for (ends, radius) in self.edges {
            system.add_edge(Edge { ends: pair("edge", ends)?, radius }).map_err(refused)?;
        }
        for half_plane in self.half_planes {
            system.add_half_plane(half_plane).map_err(refused)?;
        }
        for (ends, spring) in self.springs {
            let particles = match ends {
                SpringEnds::Edge(edge) => {
                    let edge = edge.resolve("springforce", "edge", "edges", system.edges().len())?;
                    system.edges()[edge].ends
                }
                SpringEnds::Particles(ends) => pair("springforce", ends)?,
            };
            system.add_spring(Spring { particles, ..spring }).map_err(refused)?;
        }
        for gravity in self.gravities {
            system.add_uniform_gravity(gravity).map_err(refused)?;
        }
        for (particles, constant) in self.gravitations {
            let particles = pair("gravitationalforce", particles)?;
            system.add_gravitation(Gravitation { particles, constant }).map_err(refused)?;
        }
        for constant in self.constants {
            system.add_constant_force(constant).map_err(refused)?;
        }
        for drag in self.drags {
            system.add_drag(drag).map_err(refused)?;
        }
        for (particles, [speed, strength]) in self.vortices {
            let particles = pair("vortexforce", particles)?;
            system.add_vortex(Vortex { particles, speed, strength }).map_err(refused)?;
        }

        let mut scene = Scene::new(system, dt, duration);
        scene.description = self.description.unwrap_or(scene.description);
        scene.tag = self.tag;
        scene.max_frequency = self.max_frequency.unwrap_or(scene.max_frequency);
        scene.viewport = self.viewport.flatten();
        scene.background = self.background.unwrap_or(scene.background);
        scene.particle_tags = self.particle_tags;
        paint(&mut scene.particle_colors, &self.particle_colors, "particlecolor", "particles")?;
        paint(&mut scene.edge_colors, &self.edge_colors, "edgecolor", "edges")?;
        paint(&mut scene.half_plane_colors, &self.half_plane_colors, "halfplanecolor", "half-planes")?;
        for (particle, duration, color) in self.paths {
            let particle = particle.resolve("particlepath", "i", "particles", count)?;
            scene.paths.push(ParticlePath { particle, duration, color });
        }
        Ok(scene)
    }
}

fn paint(colors: &mut [Color], given: &[(Reference, Color)], element: &str, what: &str) -> Result<(), Problem> {
    for (reference, color) in given {
        let index = reference.resolve(element, "i", what, colors.len())?;
        colors[index] = *color;
    }
    Ok(())
}

fn integrator(node: &Node<'_>) -> Result<(Integrator, f64), Problem> {
    // The last two names are carom's own.
    let known = &Integrator::NAMES;
    let expected = format!("one of {}", known.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "));
    let integrator = node.required("type", &expected, |value| {
        known.iter().find(|(name, _)| name.as_bytes() == value).map(|&(_, integrator)| integrator)
    })?;
    let not_zero = |value: &[u8]| number::float(value).filter(|&dt| dt != 0.0);
    Ok((integrator, node.required("dt", "a finite number other than 0", not_zero)?))
}

fn collisions(node: &Node<'_>) -> Result<CollisionHandling, Problem> {
    let restitution = node.float_or("COR", 1.0)?;
    let default = Penalty::default();
    let stiffness = node.float_or("k", default.stiffness)?;
    let thickness = node.float_or("thickness", default.thickness)?;
    node.required("type", "one of none, simple, penalty, continuous-time", |value| match value {
        b"none" => Some(CollisionHandling::None),
        b"simple" => Some(CollisionHandling::Simple(SimpleCollisions { restitution, ..SimpleCollisions::default() })),
        b"penalty" => Some(CollisionHandling::Penalty(Penalty { stiffness, thickness })),
        b"continuous-time" => Some(CollisionHandling::Continuous(ContinuousCollisions { restitution })),
        _ => None,
    })
}
