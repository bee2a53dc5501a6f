//! Scenes in the `.scene` format: a world with what it takes to draw it.

mod files;
mod grammar;
mod load;
mod model;
mod obj;
mod texture;
mod xml;

pub use carom_core::text::SceneError;
pub use load::MAX_SCENE_BYTES;
pub use texture::Texture;

use crate::body::BodyId;
use crate::math::{DVec3, Quat};
use crate::spring::SpringId;
use crate::world::World;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// About which axes the angular velocities in a file are meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpinFrame {
    /// Those of the world. The default.
    #[default]
    World,
    /// Those of the body, as it is oriented at the start.
    Body,
}

/// What a file's `collision_damping` means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DampingLaw {
    /// The share of the whole velocity that an impact takes, along the surface too: what the format's scenes were made
    /// for. The default.
    #[default]
    WholeVelocity,
    /// One less the restitution: only what is along the normal is damped, and momentum is kept.
    Restitution,
}

/// How to read what files leave open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SceneOptions {
    /// About which axes bodies spin.
    pub spin_frame: SpinFrame,
    /// What damping means.
    pub damping_law: DampingLaw,
}

/// A colour; parts are usually from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Color {
    /// Red.
    pub r: f64,
    /// Green.
    pub g: f64,
    /// Blue.
    pub b: f64,
}

/// From where the scene is seen. It looks along its -z axis; +y is up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Its place in metres.
    pub position: DVec3,
    /// Its orientation.
    pub orientation: Quat,
    /// The vertical field of view in radians.
    pub field_of_view: f64,
    /// Nearest and farthest distance that is drawn, in metres.
    pub clip: [f64; 2],
}

impl Camera {
    /// The direction in which it looks.
    pub fn forward(&self) -> DVec3 {
        self.orientation.rotate(-DVec3::Z)
    }

    /// The direction that is up in the picture.
    pub fn up(&self) -> DVec3 {
        self.orientation.rotate(DVec3::Y)
    }
}

/// A light that shines in all directions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointLight {
    /// Its place in metres.
    pub position: DVec3,
    /// Its colour.
    pub color: Color,
    /// `c`, `l`, `q`: at distance d it is weaker by the factor `1 / (c + l d + q d^2)`.
    pub attenuation: [f64; 3],
}

/// How a surface looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Its name in the file.
    pub name: String,
    /// The picture on it, as named in the file.
    pub texture: Option<String>,
    /// The picture itself. See [`Scene::notes`] for those that are not there or cannot be read.
    pub picture: Option<Arc<Texture>>,
    /// Colour under light from everywhere. White if the file does not say.
    pub ambient: Color,
    /// Colour under light from somewhere. White if the file does not say.
    pub diffuse: Color,
    /// Colour of highlights. Black if the file does not say.
    pub specular: Color,
    /// How sharp highlights are.
    pub shininess: f64,
    /// Index of refraction; 0 is opaque.
    pub refractive_index: f64,
}

/// A sphere to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SphereView {
    /// The body that moves it; none if it only stands there.
    pub body: Option<BodyId>,
    /// The number of the body in the file. Files use numbers more than once.
    pub file_id: Option<i64>,
    /// Index of its surface.
    pub surface: usize,
    /// Where it is at the start, in metres.
    pub position: DVec3,
    /// Its orientation at the start.
    pub orientation: Quat,
    /// Factors along its own axes. One with a body has the same along all: bodies are round.
    pub scale: DVec3,
    /// In metres, before it is scaled.
    pub radius: f64,
}

/// A box or a capsule to draw. The format has none; scenes made in code do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidView {
    /// The body, which says what it looks like and where it is.
    pub body: BodyId,
    /// Index of its surface.
    pub surface: usize,
}

/// A corner of a triangle to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Index of its surface.
    pub surface: usize,
    /// In metres.
    pub position: DVec3,
    /// The direction it faces, of unit length.
    pub normal: DVec3,
    /// Its place on the texture.
    pub texture_coordinates: [f64; 2],
}

/// A triangle to draw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleView {
    /// The body that things collide with; none if they do not.
    pub body: Option<BodyId>,
    /// The number of the body in the file.
    pub file_id: Option<i64>,
    /// Its corners, counter-clockwise seen from the front.
    pub vertices: [Vertex; 3],
    /// Where it is drawn, in metres; collisions do not look at this.
    pub position: DVec3,
}

/// A mesh. What it is drawn with and collides with are its triangles.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelView {
    /// The file with the mesh, as named in the scene. See [`Scene::notes`] for those that are not there.
    pub file: String,
    /// Its triangles, by their places in [`Scene::triangles`]. None if the file is not there.
    pub triangles: Range<usize>,
    /// Index of its surface, where the file has no materials of its own.
    pub surface: usize,
    /// In metres.
    pub position: DVec3,
    /// Its orientation.
    pub orientation: Quat,
    /// Factors along its own axes.
    pub scale: DVec3,
}

/// An infinite plane that things collide with. The format does not draw it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlaneView {
    /// Its body.
    pub body: BodyId,
    /// The number of the body in the file.
    pub file_id: i64,
}

/// Something about a file that is no error: what is missing, not known or not drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SceneNote {
    /// The file, if it is not the scene's own but one that it names.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: usize,
    /// Column in bytes, from 1.
    pub column: usize,
    /// What it is about.
    pub message: String,
}

impl fmt::Display for SceneNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{file}:")?;
        }
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

/// A world read from a file, with what it takes to draw it.
///
/// ```
/// use carom3d::{Scene, SceneOptions};
/// let text = r#"<scene>
///     <camera>
///         <fov v=".785"/> <near_clip v=".01"/> <far_clip v="200"/>
///         <position x="0" y="0" z="9"/> <orientation a="0" x="0" y="1" z="0"/>
///     </camera>
///     <background_color r="0" g="0" b="0"/> <refractive_index v="1"/>
///     <gravity x="0" y="-9.8" z="0"/>
///     <material name="red"><diffuse r="1" g="0" b="0"/></material>
///     <sphere material="red">
///         <position x="0" y="5" z="0"/> <radius v="1"/>
///         <body><id i="1"/><mass v="1"/></body>
///     </sphere>
/// </scene>"#;
/// let mut scene = Scene::from_xml("falling.scene", text.as_bytes(), SceneOptions::default())?;
/// for _ in 0..600 {
///     scene.step();
/// }
/// let ball = scene.bodies().next().unwrap();
/// assert!((scene.world.body(ball).position().y - 0.1).abs() < 1.0e-9);
/// # Ok::<(), carom3d::SceneError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Scene {
    /// The bodies and springs.
    pub world: World,
    /// Length of a step in seconds. The format does not say; 1/600.
    pub dt: f64,
    /// From where it is seen.
    pub camera: Camera,
    /// What is behind everything.
    pub background: Color,
    /// Light from everywhere.
    pub ambient_light: Color,
    /// Lights.
    pub lights: Vec<PointLight>,
    /// How surfaces look.
    pub surfaces: Vec<Surface>,
    /// Spheres, in the order of the file.
    pub spheres: Vec<SphereView>,
    /// Boxes and capsules.
    pub solids: Vec<SolidView>,
    /// Triangles, in the order of the file, then those of the models.
    pub triangles: Vec<TriangleView>,
    /// Meshes, in the order of the file.
    pub models: Vec<ModelView>,
    /// Planes, in the order of the file.
    pub planes: Vec<PlaneView>,
    /// Springs, in the order of the file.
    pub springs: Vec<SpringId>,
    /// What was missing, not known or not drawn.
    pub notes: Vec<SceneNote>,
}

impl Scene {
    /// Reads a scene. The name stands in errors and nowhere else. Textures and meshes are not looked for.
    pub fn from_xml(name: &str, text: &[u8], options: SceneOptions) -> Result<Scene, SceneError> {
        load::load(name, text, options, None)
    }

    /// Reads a scene from a file with its textures (`.png`) and meshes (`.obj`), without reading more of them than limits
    /// allow. They are looked for in the file's folder and the one above, and nowhere else.
    pub fn from_file(path: impl AsRef<Path>, options: SceneOptions) -> Result<Scene, SceneError> {
        load::load_file(path.as_ref(), options)
    }

    /// The bodies of the spheres that have one, in the order of the file, then those of boxes and capsules.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.spheres.iter().filter_map(|sphere| sphere.body).chain(self.solids.iter().map(|solid| solid.body))
    }

    /// Makes one step of the length that the scene has.
    pub fn step(&mut self) {
        self.world.step(self.dt);
    }
}
