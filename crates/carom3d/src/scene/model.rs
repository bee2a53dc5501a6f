//! Meshes of a scene: from files to triangles that are drawn and collided with.

use super::files::{Folders, Missing};
use super::load::{Loader, name_of};
use super::obj::{self, Mesh, MeshMaterial};
use super::xml::{self, Element};
use super::{ModelView, Surface, TriangleView, Vertex};
use crate::DefError;
use crate::body::BodyDef;
use crate::collide::touch::triangle_normal;
use crate::math::{DVec3, Quat};
use carom_core::text::{Problem, shown};
use std::rc::Rc;

/// Most models of a scene: each looks for all materials of its mesh.
const MAX_MODELS: usize = 10_000;

/// A mesh that was read, and the materials that it names.
#[derive(Debug)]
pub(super) struct LoadedMesh {
    /// The file, as it was found.
    path: String,
    text: String,
    mesh: Mesh,
    /// Indices of surfaces, one for each of the mesh's materials that its own libraries have.
    surfaces: Vec<Option<usize>>,
}

/// Where a model stands.
struct Stand {
    position: DVec3,
    orientation: Quat,
    scale: DVec3,
}

impl Stand {
    fn point(&self, point: DVec3) -> DVec3 {
        self.position + self.orientation.rotate(point * self.scale)
    }

    /// Normals turn the other way from points: by the inverse of the factors.
    fn normal(&self, normal: DVec3, otherwise: DVec3) -> DVec3 {
        let turned = self.orientation.rotate(normal / self.scale);
        let length = turned.length();
        if length > 0.0 && length.is_finite() { turned / length } else { otherwise }
    }

    fn is_mirrored(&self) -> bool {
        self.scale.x * self.scale.y * self.scale.z < 0.0
    }
}

impl Loader<'_> {
    /// Reads the file of a `<mesh>`. One that is not there is noted.
    pub(super) fn mesh(&mut self, element: &Element<'_>) -> Result<(), Problem> {
        let (name, attribute) = name_of(element)?;
        let named = element.required_attribute("filename")?;
        let file = xml::decode(named.value);
        let folders = self.folders.clone();
        let loaded = match self.read_file(&folders, &file, obj::MAX_BYTES) {
            Ok((path, bytes)) => {
                let folders = self.folders.beside(&path);
                Some(Rc::new(self.load_mesh(&folders, path.display().to_string(), bytes)?))
            }
            Err(Missing::Refused(reason)) => {
                let problem = Problem::at(named.offset, format!("mesh {} cannot be used: {reason}", shown(&file)));
                return Err(problem.in_attribute("filename").in_element(element.name));
            }
            Err(missing) => {
                let why = if missing == Missing::NotFound { "not found" } else { "not looked for" };
                let message = format!("mesh {} {why}; its models are neither drawn nor collided with", shown(&file));
                self.note(named.offset, message);
                None
            }
        };
        match self.meshes.insert(name, (file, loaded)) {
            Some(_) => Err(element.unexpected(attribute, "a name that no other mesh has")),
            None => Ok(()),
        }
    }

    fn load_mesh(&mut self, folders: &Folders, path: String, bytes: Vec<u8>) -> Result<LoadedMesh, Problem> {
        let text = text_of(&path, bytes)?;
        let mut mesh =
            obj::parse(&text).map_err(|problem| Problem::elsewhere(problem.locate(&path, text.as_bytes())))?;
        for note in std::mem::take(&mut mesh.notes) {
            self.scene.notes.push(super::SceneNote { file: Some(path.clone()), ..note });
        }
        let mut materials = Vec::new();
        for (name, offset) in &mesh.libraries {
            match self.read_file(folders, name, obj::MAX_BYTES) {
                Ok((path, bytes)) => self.add_library(folders, path.display().to_string(), bytes, &mut materials)?,
                Err(Missing::Refused(reason)) => {
                    let message = format!("materials {} cannot be used: {reason}", shown(name));
                    self.note_in(Some(&path), &text, *offset, message);
                }
                Err(_) => self.note_in(Some(&path), &text, *offset, format!("materials {} not found", shown(name))),
            }
        }
        let find = |(name, _): &(String, usize)| {
            materials.iter().rev().find(|(other, _): &&(String, usize)| other == name).map(|(_, surface)| *surface)
        };
        let surfaces: Vec<Option<usize>> = mesh.materials.iter().map(find).collect();
        for ((name, offset), surface) in mesh.materials.iter().zip(&surfaces) {
            if surface.is_none() && !self.surfaces.contains_key(name) {
                let message = format!("material {} not found; the model's own is used", shown(name));
                self.note_in(Some(&path), &text, *offset, message);
            }
        }
        Ok(LoadedMesh { path, text, mesh, surfaces })
    }

    /// Adds the surfaces of a file of materials.
    fn add_library(
        &mut self,
        folders: &Folders,
        path: String,
        bytes: Vec<u8>,
        materials: &mut Vec<(String, usize)>,
    ) -> Result<(), Problem> {
        let text = text_of(&path, bytes)?;
        let parsed = obj::parse_materials(&text);
        let (found, notes) = parsed.map_err(|problem| Problem::elsewhere(problem.locate(&path, text.as_bytes())))?;
        for note in notes {
            self.scene.notes.push(super::SceneNote { file: Some(path.clone()), ..note });
        }
        for material in found {
            let MeshMaterial { name, ambient, diffuse, specular, shininess, texture } = material;
            let picture = match &texture {
                Some((file, offset)) => self.picture(folders, file, *offset, Some((&path, &text)))?,
                None => None,
            };
            let white = super::Color { r: 1.0, g: 1.0, b: 1.0 };
            let diffuse = diffuse.unwrap_or(white);
            materials.push((name.clone(), self.scene.surfaces.len()));
            self.scene.surfaces.push(Surface {
                name,
                texture: texture.map(|(file, _)| file),
                picture,
                ambient: ambient.unwrap_or(diffuse),
                diffuse,
                specular: specular.unwrap_or_default(),
                shininess: shininess.unwrap_or_default(),
                refractive_index: 0.0,
            });
        }
        Ok(())
    }

    /// Makes a fixed triangle of each of a mesh.
    pub(super) fn model(&mut self, element: &Element<'_>) -> Result<(), Problem> {
        let named = element.required_attribute("mesh")?;
        let mesh = self.meshes.get(&xml::decode(named.value)).cloned();
        let (file, mesh) = mesh.ok_or_else(|| element.unexpected(named, "the name of a <mesh>"))?;
        let surface = self.surface_of(element)?;
        let stand = Stand {
            position: element.required("position")?.vector()?,
            orientation: element.read_or("orientation", Quat::IDENTITY, |child| child.orientation())?,
            scale: element.read_or("scale", DVec3::ONE, |child| child.factors())?,
        };
        let first = self.scene.triangles.len();
        if self.scene.models.len() == MAX_MODELS {
            return Err(element.problem(format!("a scene may have up to {MAX_MODELS} models; this is one more")));
        }
        if let Some(mesh) = mesh {
            self.add_triangles(element, &mesh, &stand, surface)?;
        }
        let Stand { position, orientation, scale } = stand;
        let triangles = first..self.scene.triangles.len();
        self.scene.models.push(ModelView { file, triangles, surface, position, orientation, scale });
        Ok(())
    }

    fn add_triangles(
        &mut self,
        element: &Element<'_>,
        loaded: &LoadedMesh,
        stand: &Stand,
        surface: usize,
    ) -> Result<(), Problem> {
        let LoadedMesh { path, text, mesh, surfaces } = loaded;
        // Also those without area, which are looked at and left out.
        self.mesh_triangles += mesh.triangles.len();
        if self.mesh_triangles > obj::MAX_TRIANGLES {
            let most = obj::MAX_TRIANGLES;
            return Err(element.problem(format!("expected no more than {most} triangles in all models together")));
        }
        let own: Vec<usize> = surfaces
            .iter()
            .zip(&mesh.materials)
            .map(|(own, (name, _))| own.or(self.surfaces.get(name).copied()).unwrap_or(surface))
            .collect();
        let mut flat = 0;
        for triangle in &mesh.triangles {
            let mut corners = triangle.corners;
            if stand.is_mirrored() {
                corners.swap(1, 2);
            }
            let points = corners.map(|corner| stand.point(mesh.positions[corner.position]));
            let [a, b, c] = points;
            let def = BodyDef { position: a, material: self.material, ..BodyDef::triangle(DVec3::ZERO, b - a, c - a) };
            let body = match self.scene.world.add_body(def) {
                Ok(body) => body,
                Err(DefError::Field { field: "Shape::Triangle.corners", expected, .. })
                    if expected.contains("in a line") =>
                {
                    flat += 1;
                    continue;
                }
                Err(error) => return Err(element.problem(error.to_string())),
            };
            self.check_contacts(element)?;
            let front = triangle_normal(&points);
            let surface = triangle.material.and_then(|place| own.get(place).copied()).unwrap_or(surface);
            let vertices = std::array::from_fn(|i| Vertex {
                surface,
                position: points[i],
                normal: corners[i].normal.map_or(front, |place| stand.normal(mesh.normals[place], front)),
                texture_coordinates: corners[i].texture.map_or([0.0; 2], |place| mesh.textures[place]),
            });
            self.scene.triangles.push(TriangleView {
                body: Some(body),
                file_id: None,
                vertices,
                position: DVec3::ZERO,
            });
        }
        if flat > 0 {
            self.note_in(Some(path), text, 0, format!("{flat} triangles without area are left out"));
        }
        Ok(())
    }
}

/// The text of a file, or where it is none.
fn text_of(path: &str, bytes: Vec<u8>) -> Result<String, Problem> {
    String::from_utf8(bytes).map_err(|error| {
        let problem = Problem::at(error.utf8_error().valid_up_to(), "expected text in UTF-8, found other bytes");
        Problem::elsewhere(problem.locate(path, error.as_bytes()))
    })
}
