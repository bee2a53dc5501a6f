//! What scenes in space are made with: balls, floors and walls that have a colour from the start.

use crate::color::Color;
use carom3d::math::{DVec3, Quat};
use carom3d::{
    BodyDef, BodyId, Camera, Color as Light, DefError, Material, PlaneView, PointLight, Scene, Shape, SolidView,
    SphereView, SpringDef, Surface, TriangleView, Vertex, World, WorldDef,
};

/// A scene in the making. What is asked of it are numbers in this crate's files, and they are valid: a slip panics in
/// the test that builds every scene.
#[derive(Debug)]
pub(super) struct Builder {
    scene: Scene,
}

fn valid<T>(result: Result<T, DefError>) -> T {
    result.expect("built-in scenes are made of valid numbers")
}

impl Builder {
    /// An empty scene with `rate` steps per second, seen from `eye` looking at `target`.
    pub(super) fn new(def: WorldDef, rate: f64, eye: DVec3, target: DVec3) -> Builder {
        let white = |x: f64| Light { r: x, g: x, b: x };
        let key =
            PointLight { position: target + key_light(eye - target), color: white(0.85), attenuation: [1.0, 0.0, 0.0] };
        Builder {
            scene: Scene {
                world: World::new(def),
                dt: 1.0 / rate,
                camera: Camera {
                    position: eye,
                    orientation: looking(target - eye),
                    field_of_view: 0.7,
                    clip: [0.01, 1000.0],
                },
                // Warm white, as pictures of other scenes have it.
                background: light(Color { r: 250, g: 249, b: 246 }),
                ambient_light: white(0.3),
                lights: vec![key],
                surfaces: Vec::new(),
                spheres: Vec::new(),
                solids: Vec::new(),
                triangles: Vec::new(),
                models: Vec::new(),
                planes: Vec::new(),
                springs: Vec::new(),
                notes: Vec::new(),
            },
        }
    }

    /// How a surface of some colour looks; `gloss` 0 is dull, 1 is polished. Returns its index.
    pub(super) fn surface(&mut self, color: Color, gloss: f64) -> usize {
        let color = light(color);
        self.scene.surfaces.push(Surface {
            name: format!("surface {}", self.scene.surfaces.len()),
            ambient: color,
            diffuse: color,
            specular: Light { r: gloss, g: gloss, b: gloss },
            shininess: 40.0,
            ..Surface::default()
        });
        self.scene.surfaces.len() - 1
    }

    /// A ball; `def` must be of a sphere.
    pub(super) fn ball(&mut self, def: BodyDef, surface: usize) -> BodyId {
        let body = valid(self.scene.world.add_body(def));
        if let Shape::Sphere { radius } = def.shape {
            self.scene.spheres.push(SphereView {
                body: Some(body),
                file_id: None,
                surface,
                position: def.position,
                orientation: def.orientation,
                scale: DVec3::ONE,
                radius,
            });
        }
        body
    }

    /// A box or a capsule.
    pub(super) fn solid(&mut self, def: BodyDef, surface: usize) -> BodyId {
        let body = valid(self.scene.world.add_body(def));
        self.scene.solids.push(SolidView { body, surface });
        body
    }

    /// A level floor through a point.
    pub(super) fn floor(&mut self, point: DVec3, material: Material) -> BodyId {
        let def = BodyDef { position: point, material, ..BodyDef::plane(DVec3::Y) };
        let body = valid(self.scene.world.add_body(def));
        self.scene.planes.push(PlaneView { body, file_id: 0 });
        body
    }

    /// A flat wall of four corners in a plane, counter-clockwise seen from the front: two triangles.
    pub(super) fn wall(&mut self, corners: [DVec3; 4], material: Material, surface: usize) {
        let [a, b, c, d] = corners;
        self.triangle([a, b, c], material, surface);
        self.triangle([a, c, d], material, surface);
    }

    /// A triangle, its corners counter-clockwise seen from the front.
    pub(super) fn triangle(&mut self, corners: [DVec3; 3], material: Material, surface: usize) {
        let [a, b, c] = corners;
        let body = valid(self.scene.world.add_body(BodyDef { material, ..BodyDef::triangle(a, b, c) }));
        let normal = (b - a).cross(c - a);
        let normal = normal / normal.length();
        let vertices = corners.map(|position| Vertex { surface, position, normal, texture_coordinates: [0.0; 2] });
        self.scene.triangles.push(TriangleView { body: Some(body), file_id: None, vertices, position: DVec3::ZERO });
    }

    pub(super) fn spring(&mut self, def: SpringDef) {
        let id = valid(self.scene.world.add_spring(def));
        self.scene.springs.push(id);
    }

    pub(super) fn scene(self) -> Scene {
        self.scene
    }
}

/// Where light comes from: over the left shoulder of who looks, from above.
fn key_light(towards_eye: DVec3) -> DVec3 {
    let right = DVec3::Y.cross(towards_eye);
    towards_eye - 0.7 * right + 1.1 * towards_eye.length() * DVec3::Y
}

/// The orientation of a camera that looks in a direction, with y up.
fn looking(direction: DVec3) -> Quat {
    let level = (direction.x * direction.x + direction.z * direction.z).sqrt();
    let yaw = carom_core::math::atan2_64(-direction.x, -direction.z);
    let pitch = carom_core::math::atan2_64(direction.y, level);
    Quat::from_axis_angle(DVec3::Y, yaw).compose(Quat::from_axis_angle(DVec3::X, pitch))
}

fn light(color: Color) -> Light {
    let part = |byte: u8| f64::from(byte) / 255.0;
    Light { r: part(color.r), g: part(color.g), b: part(color.b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom3d::math::dvec3;

    #[test]
    fn the_camera_looks_where_it_is_told() {
        for target in [dvec3(0.0, 0.0, -1.0), dvec3(3.0, -1.0, 2.0), dvec3(-1.0, 2.0, 5.0)] {
            let builder = Builder::new(WorldDef::default(), 60.0, DVec3::ZERO, target);
            let camera = builder.scene().camera;
            assert!((camera.forward() - target / target.length()).length() < 1.0e-12, "{target}");
            assert!(camera.up().y > 0.0);
        }
    }
}
