//! From a tree of elements to a scene.
//!
//! Elements may come in any order. What is named is read before what names it: surfaces and vertices, then spheres,
//! triangles, models and planes, then springs. Elements and attributes that are not known give notes.

use super::files::{Folders, Missing};
use super::grammar;
use super::model::LoadedMesh;
use super::texture::{self, Texture};
use super::xml::{self, Attribute, Element};
use super::{
    Camera, Color, DampingLaw, PlaneView, PointLight, Scene, SceneNote, SceneOptions, SphereView, SpinFrame, Surface,
    TriangleView, Vertex,
};
use crate::DefError;
use crate::body::{BodyDef, BodyId};
use crate::material::{ImpactLaw, Material};
use crate::math::{DVec3, Quat, dvec3};
use crate::spring::SpringDef;
use crate::world::{World, WorldDef};
use carom_core::text::{Problem, SceneError, line_and_column, shown};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// Longer files are refused.
pub const MAX_SCENE_BYTES: usize = 8 << 20;

/// Most pixels of all textures together, also of those that turn out to be broken.
const MAX_PIXELS: usize = 64 << 20;
/// Most bytes of all meshes, materials and textures together, and how often one is looked for.
const MAX_FILE_BYTES: usize = 128 << 20;
const MAX_FILES: usize = 1000;
/// Most planes: each body is near some of them, and they have no boxes by which to tell which.
const MAX_PLANES: usize = 1000;
/// Most contacts when the scene begins: so many, and so many more for every body. A thousand balls at one place have half a
/// million, and nothing that was meant.
const CONTACTS: usize = 50_000;
const CONTACTS_PER_BODY: usize = 16;
/// Most notes. Each is found a line in the file.
const MAX_NOTES: usize = 200;

/// The step that the format's scenes were made for: 20 in a frame, 30 frames a second.
const STEP_S: f64 = 1.0 / 600.0;
/// Slower than this a sphere of a scene may fall asleep, in m/s.
const SLEEP_SPEED: f64 = 1.0e-3;

pub(super) fn load_file(path: &Path, options: SceneOptions) -> Result<Scene, SceneError> {
    let name = path.display().to_string();
    let mut text = Vec::new();
    // One byte more than allowed tells that there is more.
    let read = File::open(path).and_then(|file| file.take(MAX_SCENE_BYTES as u64 + 1).read_to_end(&mut text));
    match read {
        Ok(_) => load(&name, &text, options, path.parent()),
        Err(error) => Err(Problem::at(0, format!("cannot be read: {error}")).locate(&name, &[])),
    }
}

pub(super) fn load(name: &str, text: &[u8], options: SceneOptions, folder: Option<&Path>) -> Result<Scene, SceneError> {
    let read = || {
        if text.len() > MAX_SCENE_BYTES {
            return Err(Problem::at(0, format!("the file is longer than {MAX_SCENE_BYTES} bytes")));
        }
        let text = std::str::from_utf8(text)
            .map_err(|error| Problem::at(error.valid_up_to(), "expected text in UTF-8, found other bytes"))?;
        let root = xml::parse(text)?;
        Loader::new(text, options, folder, &root)?.load(&root)
    };
    read().map_err(|problem| problem.locate(name, text))
}

// ---- elements -----------------------------------------------------------------------------------

impl<'a> Element<'a> {
    pub(super) fn problem(&self, message: impl Into<String>) -> Problem {
        Problem::at(self.offset, message).in_element(self.name)
    }

    fn all(&self, name: &'static str) -> impl Iterator<Item = &Element<'a>> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The only child of that name, if there is one.
    fn child(&self, name: &'static str) -> Result<Option<&Element<'a>>, Problem> {
        let mut found = self.all(name);
        let first = found.next();
        match found.next() {
            Some(second) => {
                let parent = self.name;
                Err(second.problem(format!("expected at most one <{name}> inside <{parent}>, found a second")))
            }
            None => Ok(first),
        }
    }

    pub(super) fn required(&self, name: &'static str) -> Result<&Element<'a>, Problem> {
        let missing = || self.problem(format!("expected an element <{name}> inside, found none"));
        self.child(name)?.ok_or_else(missing)
    }

    fn attribute(&self, name: &'static str) -> Option<&Attribute<'a>> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }

    pub(super) fn required_attribute(&self, name: &'static str) -> Result<&Attribute<'a>, Problem> {
        self.attribute(name).ok_or_else(|| self.problem("missing").in_attribute(name))
    }

    fn value<T: std::str::FromStr>(&self, name: &'static str, expected: &str) -> Result<T, Problem> {
        let attribute = self.required_attribute(name)?;
        attribute.value.trim().parse().map_err(|_| self.unexpected(attribute, expected))
    }

    pub(super) fn unexpected(&self, attribute: &Attribute<'_>, expected: &str) -> Problem {
        let message = format!("expected {expected}, found {}", shown(attribute.value));
        Problem::at(attribute.offset, message).in_attribute(attribute.name).in_element(self.name)
    }

    fn number(&self, name: &'static str) -> Result<f64, Problem> {
        let value: f64 = self.value(name, "a number")?;
        if value.is_finite() {
            Ok(value)
        } else {
            Err(self.unexpected(self.required_attribute(name)?, "a finite number"))
        }
    }

    fn integer(&self) -> Result<i64, Problem> {
        self.value("i", "a whole number")
    }

    fn real(&self) -> Result<f64, Problem> {
        self.number("v")
    }

    pub(super) fn vector(&self) -> Result<DVec3, Problem> {
        Ok(dvec3(self.number("x")?, self.number("y")?, self.number("z")?))
    }

    /// Factors along the axes, none of which may be zero.
    pub(super) fn factors(&self) -> Result<DVec3, Problem> {
        let factors = self.vector()?;
        let is_flat = factors.abs().min_element() == 0.0;
        if is_flat { Err(self.problem("expected factors other than 0")) } else { Ok(factors) }
    }

    fn color(&self) -> Result<Color, Problem> {
        Ok(Color { r: self.number("r")?, g: self.number("g")?, b: self.number("b")? })
    }

    pub(super) fn orientation(&self) -> Result<Quat, Problem> {
        let (angle, axis) = (self.number("a")?, self.vector()?);
        if axis == DVec3::ZERO && angle != 0.0 {
            return Err(self.problem("expected an axis with a direction, found 0 0 0"));
        }
        Ok(Quat::from_axis_angle(axis, angle))
    }

    fn direction(&self) -> Result<DVec3, Problem> {
        let vector = self.vector()?;
        let scale = vector.abs().max_element();
        if scale == 0.0 {
            return Err(self.problem("expected a direction, found 0 0 0"));
        }
        let scaled = vector / scale;
        Ok(scaled / scaled.length())
    }

    /// What `read` makes of the only child of that name; `default` if there is none.
    pub(super) fn read_or<T>(
        &self,
        name: &'static str,
        default: T,
        read: impl FnOnce(&Element<'a>) -> Result<T, Problem>,
    ) -> Result<T, Problem> {
        self.child(name)?.map_or(Ok(default), read)
    }
}

/// A name given as an attribute, and where.
pub(super) fn name_of<'a>(element: &'a Element<'_>) -> Result<(String, &'a Attribute<'a>), Problem> {
    let attribute = element.required_attribute("name")?;
    Ok((xml::decode(attribute.value), attribute))
}

// ---- the scene ----------------------------------------------------------------------------------

/// What has been read so far.
pub(super) struct Loader<'a> {
    pub(super) text: &'a str,
    options: SceneOptions,
    /// Where to look for textures and meshes.
    pub(super) folders: Folders,
    pub(super) material: Material,
    pub(super) scene: Scene,
    pub(super) surfaces: BTreeMap<String, usize>,
    pub(super) meshes: BTreeMap<String, (String, Option<Rc<LoadedMesh>>)>,
    /// Textures by name, and how many pixels they have.
    pictures: BTreeMap<String, Arc<Texture>>,
    pixels: usize,
    /// How many files have been looked for, and how many bytes they had.
    files: usize,
    file_bytes: usize,
    /// Triangles of meshes so far.
    pub(super) mesh_triangles: usize,
    vertices: BTreeMap<String, Vertex>,
    /// Bodies by their number in the file; of several with one number, the last.
    bodies: BTreeMap<i64, BodyId>,
}

impl<'a> Loader<'a> {
    fn new(
        text: &'a str,
        options: SceneOptions,
        folder: Option<&Path>,
        root: &Element<'_>,
    ) -> Result<Loader<'a>, Problem> {
        let damping = root.read_or("collision_damping", 0.0, |element| {
            let damping = element.real()?;
            let is_fraction = (0.0..=1.0).contains(&damping);
            if is_fraction { Ok(damping) } else { Err(element.problem("expected a number from 0 to 1")) }
        })?;
        let (impact_law, restitution) = match options.damping_law {
            DampingLaw::WholeVelocity => (ImpactLaw::WholeVelocity { damping }, 1.0),
            DampingLaw::Restitution => (ImpactLaw::Restitution, 1.0 - damping),
        };
        let gravity = root.read_or("gravity", DVec3::ZERO, |element| element.vector())?;
        let def = WorldDef { gravity, impact_law, sleep_speed: SLEEP_SPEED, ..WorldDef::default() };
        Ok(Loader {
            text,
            options,
            folders: Folders::of_scene(folder),
            material: Material { restitution, ..Material::default() },
            scene: Scene {
                world: World::try_new(def).map_err(|error| root.problem(error.to_string()))?,
                dt: STEP_S,
                camera: camera(root.required("camera")?)?,
                background: root.required("background_color")?.color()?,
                ambient_light: root.read_or("ambient_light", Color::default(), |element| element.color())?,
                lights: Vec::new(),
                surfaces: Vec::new(),
                spheres: Vec::new(),
                solids: Vec::new(),
                triangles: Vec::new(),
                models: Vec::new(),
                planes: Vec::new(),
                springs: Vec::new(),
                notes: Vec::new(),
            },
            surfaces: BTreeMap::new(),
            meshes: BTreeMap::new(),
            pictures: BTreeMap::new(),
            pixels: 0,
            files: 0,
            file_bytes: 0,
            mesh_triangles: 0,
            vertices: BTreeMap::new(),
            bodies: BTreeMap::new(),
        })
    }

    fn load(mut self, root: &Element<'_>) -> Result<Scene, Problem> {
        // For ray tracers: the format demands it.
        let refraction = root.required("refractive_index")?;
        if refraction.real()? != 1.0 {
            self.note(refraction.offset, "refraction is not drawn");
        }
        for (offset, what) in grammar::unknown(root) {
            self.note(offset, format!("{what} is not known and left out"));
        }
        for element in root.all("point_light") {
            self.scene.lights.push(point_light(element)?);
        }
        root.all("material").try_for_each(|element| self.surface(element))?;
        root.all("mesh").try_for_each(|element| self.mesh(element))?;
        root.all("vertex").try_for_each(|element| self.vertex(element))?;
        root.all("sphere").try_for_each(|element| self.sphere(element))?;
        root.all("triangle").try_for_each(|element| self.triangle(element))?;
        root.all("model").try_for_each(|element| self.model(element))?;
        root.all("plane_body").try_for_each(|element| self.plane(element))?;
        root.all("spring").try_for_each(|element| self.spring(element))?;
        // In the order of the file, then those of other files in theirs.
        self.scene.notes.sort_by_key(|note| (note.file.clone(), note.line, note.column));
        Ok(self.scene)
    }

    fn surface(&mut self, element: &Element<'_>) -> Result<(), Problem> {
        let (name, attribute) = name_of(element)?;
        if self.surfaces.insert(name.clone(), self.scene.surfaces.len()).is_some() {
            return Err(element.unexpected(attribute, "a name that no other material has"));
        }
        let texture = element.attribute("texture").filter(|texture| !texture.value.is_empty());
        let file = texture.map(|texture| xml::decode(texture.value));
        let (white, black) = (Color { r: 1.0, g: 1.0, b: 1.0 }, Color::default());
        let surface = Surface {
            name,
            picture: match (texture, &file) {
                (Some(texture), Some(file)) => self.picture(&self.folders.clone(), file, texture.offset, None)?,
                _ => None,
            },
            texture: file,
            ambient: element.read_or("ambient", white, |child| child.color())?,
            diffuse: element.read_or("diffuse", white, |child| child.color())?,
            specular: element.read_or("specular", black, |child| child.color())?,
            shininess: element.read_or("shininess", 0.0, |child| child.real())?,
            refractive_index: element.read_or("refractive_index", 0.0, |child| child.real())?,
        };
        if surface.refractive_index != 0.0 {
            self.note(element.offset, "what can be seen through is drawn opaque");
        }
        self.scene.surfaces.push(surface);
        Ok(())
    }

    /// Notes something about the scene's own file.
    pub(super) fn note(&mut self, offset: usize, message: impl Into<String>) {
        self.note_in(None, self.text, offset, message);
    }

    /// Notes something about a file with a text; the scene's own if it has no name.
    pub(super) fn note_in(&mut self, file: Option<&str>, text: &str, offset: usize, message: impl Into<String>) {
        if self.scene.notes.len() >= MAX_NOTES {
            return;
        }
        let (line, column) = line_and_column(text.as_bytes(), offset);
        let file = file.map(str::to_owned);
        self.scene.notes.push(SceneNote { file, line, column, message: message.into() });
    }

    /// Reads a texture that is named somewhere: in the scene, or in another file with its name and text. Without a picture
    /// the surface is drawn plain, which is noted; a name that leads elsewhere is an error.
    pub(super) fn picture(
        &mut self,
        folders: &Folders,
        name: &str,
        offset: usize,
        other: Option<(&str, &str)>,
    ) -> Result<Option<Arc<Texture>>, Problem> {
        let (file, text) = other.map_or((None, self.text), |(file, text)| (Some(file), text));
        let why = match self.read_file(folders, name, texture::MAX_BYTES) {
            Ok((path, bytes)) => {
                let key = path.display().to_string();
                if let Some(known) = self.pictures.get(&key) {
                    return Ok(Some(known.clone()));
                }
                // Counted before they are there: a small file may have many, and be broken at its end.
                let count = texture::pixels_of_png(&bytes);
                let has_room = self.pixels + count <= MAX_PIXELS;
                match if has_room { Texture::from_png(&bytes).map(Some) } else { Ok(None) } {
                    Ok(Some(texture)) => {
                        self.pixels += count;
                        let texture = Arc::new(texture);
                        self.pictures.insert(key, texture.clone());
                        return Ok(Some(texture));
                    }
                    Ok(None) => "is one too many".to_owned(),
                    Err(reason) => {
                        self.pixels += count;
                        format!("cannot be used: {reason}")
                    }
                }
            }
            Err(Missing::NotLookedFor) => "not looked for".to_owned(),
            Err(Missing::NotFound) => "not found".to_owned(),
            Err(Missing::Refused(reason)) => format!("cannot be used: {reason}"),
        };
        self.note_in(file, text, offset, format!("texture {} {why}; drawn plain", shown(name)));
        Ok(None)
    }

    /// Fails if the bodies so far have too many contacts.
    pub(super) fn check_contacts(&self, element: &Element<'_>) -> Result<(), Problem> {
        let world = &self.scene.world;
        if world.contact_count() > CONTACTS + CONTACTS_PER_BODY * world.body_count() {
            return Err(element.problem("too many bodies lie in each other; expected them side by side"));
        }
        Ok(())
    }

    /// Reads a file that is named somewhere, as long as there are not too many of them.
    pub(super) fn read_file(
        &mut self,
        folders: &Folders,
        name: &str,
        most: usize,
    ) -> Result<(PathBuf, Vec<u8>), Missing> {
        self.files += 1;
        if self.files > MAX_FILES {
            return Err(Missing::Refused(format!("a scene may name up to {MAX_FILES} files")));
        }
        let most = most.min(MAX_FILE_BYTES - self.file_bytes);
        let (path, bytes) = folders.read(name, most)?;
        self.file_bytes += bytes.len();
        Ok((path, bytes))
    }

    pub(super) fn surface_of(&self, element: &Element<'_>) -> Result<usize, Problem> {
        let attribute = element.required_attribute("material")?;
        let found = self.surfaces.get(&xml::decode(attribute.value)).copied();
        found.ok_or_else(|| element.unexpected(attribute, "the name of a <material>"))
    }

    fn vertex(&mut self, element: &Element<'_>) -> Result<(), Problem> {
        let (name, attribute) = name_of(element)?;
        let texture = element.required("tex_coord")?;
        let vertex = Vertex {
            surface: self.surface_of(element)?,
            position: element.required("position")?.vector()?,
            normal: element.required("normal")?.direction()?,
            texture_coordinates: [texture.number("u")?, texture.number("v")?],
        };
        match self.vertices.insert(name, vertex) {
            Some(_) => Err(element.unexpected(attribute, "a name that no other vertex has")),
            None => Ok(()),
        }
    }

    fn sphere(&mut self, element: &Element<'_>) -> Result<(), Problem> {
        let mut view = SphereView {
            body: None,
            file_id: None,
            surface: self.surface_of(element)?,
            position: element.required("position")?.vector()?,
            orientation: element.read_or("orientation", Quat::IDENTITY, |child| child.orientation())?,
            scale: element.read_or("scale", DVec3::ONE, |child| child.factors())?,
            radius: element.required("radius")?.real()?,
        };
        if let Some(body) = element.child("body")? {
            let [x, y, z] = view.scale.abs().to_array();
            if let Some(scale) = element.child("scale")?.filter(|_| x != y || y != z) {
                return Err(scale.problem(
                    "expected the same factor along x, y and z: a sphere with a body is round; without a body it may be \
                     an ellipsoid",
                ));
            }
            let (id, def) = self.sphere_body(body, &view)?;
            view.file_id = Some(id);
            view.body = Some(self.add_body(body, id, def)?);
        }
        self.scene.spheres.push(view);
        Ok(())
    }

    fn sphere_body(&self, body: &Element<'_>, view: &SphereView) -> Result<(i64, BodyDef), Problem> {
        let id = body.required("id")?.integer()?;
        let orientation = body.read_or("orientation", view.orientation, |child| child.orientation())?;
        let spin = body.read_or("angular_velocity", DVec3::ZERO, |child| child.vector())?;
        let radius = body.read_or("radius", view.radius * view.scale.x.abs(), |child| child.real())?;
        let def = BodyDef {
            position: body.read_or("position", view.position, |child| child.vector())?,
            orientation,
            velocity: body.read_or("velocity", DVec3::ZERO, |child| child.vector())?,
            angular_velocity: match self.options.spin_frame {
                SpinFrame::World => spin,
                SpinFrame::Body => orientation.rotate(spin),
            },
            mass: body.required("mass")?.real()?,
            material: self.material,
            ..BodyDef::sphere(radius)
        };
        Ok((id, def))
    }

    fn triangle(&mut self, element: &Element<'_>) -> Result<(), Problem> {
        let corners: Vec<&Element<'_>> = element.all("vertex").collect();
        let &[a, b, c] = &corners[..] else {
            return Err(element.problem(format!("expected three <vertex> inside, found {}", corners.len())));
        };
        let vertices = [self.corner(a)?, self.corner(b)?, self.corner(c)?];
        let position = element.required("position")?.vector()?;
        let mut view = TriangleView { body: None, file_id: None, vertices, position };
        if let Some(body) = element.child("body")? {
            let id = body.required("id")?.integer()?;
            let a = body.read_or("point_a", vertices[0].position, |child| child.vector())?;
            let b = body.read_or("point_b", vertices[1].position, |child| child.vector())?;
            let c = body.read_or("point_c", vertices[2].position, |child| child.vector())?;
            let def = BodyDef { position: a, material: self.material, ..BodyDef::triangle(DVec3::ZERO, b - a, c - a) };
            view.file_id = Some(id);
            view.body = Some(self.add_body(body, id, def)?);
        }
        self.scene.triangles.push(view);
        Ok(())
    }

    fn corner(&self, element: &Element<'_>) -> Result<Vertex, Problem> {
        let (name, attribute) = name_of(element)?;
        let found = self.vertices.get(&name).copied();
        found.ok_or_else(|| element.unexpected(attribute, "the name of a <vertex> of the scene"))
    }

    fn plane(&mut self, element: &Element<'_>) -> Result<(), Problem> {
        let id = element.required("id")?.integer()?;
        let position = element.required("position")?.vector()?;
        let normal = element.required("normal")?.direction()?;
        let def = BodyDef { position, material: self.material, ..BodyDef::plane(normal) };
        if self.scene.planes.len() == MAX_PLANES {
            return Err(element.problem(format!("a scene may have up to {MAX_PLANES} planes; this is one more")));
        }
        let body = self.add_body(element, id, def)?;
        self.scene.planes.push(PlaneView { body, file_id: id });
        Ok(())
    }

    fn add_body(&mut self, element: &Element<'_>, id: i64, def: BodyDef) -> Result<BodyId, Problem> {
        let world = &mut self.scene.world;
        let body = world.add_body(def).map_err(|error| element.problem(error.to_string()))?;
        self.check_contacts(element)?;
        self.bodies.insert(id, body);
        Ok(body)
    }

    fn spring(&mut self, element: &Element<'_>) -> Result<(), Problem> {
        let def = SpringDef {
            bodies: [self.spring_end(element, "body1")?, self.spring_end(element, "body2")?],
            offsets: [
                element.read_or("offset1", DVec3::ZERO, |child| child.vector())?,
                element.read_or("offset2", DVec3::ZERO, |child| child.vector())?,
            ],
            rest_length: element.required("equilibrium")?.real()?,
            stiffness: element.required("constant")?.real()?,
            damping: element.read_or("damping", 0.0, |child| child.real())?,
        };
        let added = self.scene.world.add_spring(def);
        let refused = |error: DefError| element.problem(error.to_string());
        self.scene.springs.push(added.map_err(refused)?);
        Ok(())
    }

    fn spring_end(&self, element: &Element<'_>, name: &'static str) -> Result<BodyId, Problem> {
        let end = element.required(name)?;
        let id = end.integer()?;
        let found = self.bodies.get(&id).copied();
        found.ok_or_else(|| end.problem(format!("expected the id of a body, found {id}, which no body has")))
    }
}

fn camera(element: &Element<'_>) -> Result<Camera, Problem> {
    let [fov, near, far] = ["fov", "near_clip", "far_clip"].map(|name| element.required(name));
    let (fov, near, far) = (fov?, near?, far?);
    let field_of_view = fov.real()?;
    if !(field_of_view > 0.0 && field_of_view < std::f64::consts::PI) {
        return Err(fov.problem("expected an angle between 0 and pi, in radians"));
    }
    let clip = [near.real()?, far.real()?];
    if !(clip[0] > 0.0 && clip[1] > clip[0]) {
        return Err(far.problem("expected 0 < near_clip < far_clip"));
    }
    Ok(Camera {
        position: element.required("position")?.vector()?,
        orientation: element.required("orientation")?.orientation()?,
        field_of_view,
        clip,
    })
}

fn point_light(element: &Element<'_>) -> Result<PointLight, Problem> {
    Ok(PointLight {
        position: element.required("position")?.vector()?,
        color: element.required("color")?.color()?,
        attenuation: [
            element.read_or("attenuation_constant", 1.0, |child| child.real())?,
            element.read_or("attenuation_linear", 0.0, |child| child.real())?,
            element.read_or("attenuation_quadratic", 0.0, |child| child.real())?,
        ],
    })
}
