//! A scene in space as a draw list: planes, triangles, balls, boxes, capsules, springs, caption.
//!
//! Everything is projected into the picture plane of the view's eye and drawn from back to front, so that any back
//! end of the list can show it. Scenes look as their files say; a dark theme changes those with a light background.
//!
//! | file         | what                                            |
//! |--------------|-------------------------------------------------|
//! | `eye.rs`     | from space to the picture                       |
//! | `light.rs`   | the light of a scene, the colours of surfaces   |
//! | `floor.rs`   | planes                                          |
//! | `things.rs`  | all that stands before them, from back to front |
//! | `order.rs`   | what is behind what                             |
//! | `facets.rs`  | the flat parts of boxes and capsules            |
//! | `balls.rs`   | balls, and the bands that turn with them        |
//! | `painted.rs` | pictures on surfaces, ellipsoids               |
//! | `springs.rs` | springs                                         |
//! | `shadow.rs`  | soft shadows on planes and triangles            |

mod balls;
mod eye;
mod facets;
mod floor;
mod light;
mod order;
mod painted;
mod shadow;
mod springs;
mod things;

use crate::color::Rgba;
use crate::list::DrawList;
use crate::orbit::Orbit;
use crate::poses::{Placed, Poses};
use crate::scene::{Decor, Look};
use crate::theme::Theme;
use crate::view::View;
use carom_core::math::{max, max64};
use carom_scenes::SolidRun;
use carom2d::math::vec2;
use carom3d::math::DVec3;
use carom3d::{Scene, Shape};
use eye::Eye;
use light::{Lighting, rgba};

/// Draws a scene in space into `list`, replacing what was there.
pub(crate) fn draw_solid(list: &mut DrawList, run: &SolidRun, view: &View, look: &Look, poses: Poses<'_>) {
    let scene = &run.scene;
    let own = rgba(scene.background);
    let is_replaced = look.theme == Theme::Dark && own.brightness() > 0.5;
    let background = if is_replaced { look.theme.background() } else { own };
    let orbit = view.orbit.unwrap_or_else(|| Orbit::of_scene(scene));
    let [near, far] = scene.camera.clip;
    let eye = Eye { near: near.clamp(1.0e-6 * orbit.distance, 0.5 * orbit.distance), ..Eye::new(&orbit) };
    let light = Lighting::new(scene, &eye, orbit.target);
    let places = poses.of_solids(run);
    list.begin(background);
    let picture = Picture { scene, view, eye, far, light, places: &places, background };
    picture.planes(list, &orbit, look.decor != Decor::None);
    picture.things(list);
    if look.decor == Decor::Full {
        caption(list, run, view, background, poses);
    }
}

/// What it takes to draw anything of a scene.
struct Picture<'a> {
    scene: &'a Scene,
    view: &'a View,
    eye: Eye,
    /// What is farther away is not drawn.
    far: f64,
    light: Lighting<'a>,
    places: &'a [Placed],
    background: Rgba,
}

impl Picture<'_> {
    /// The shape of a box or capsule; none for a ball.
    fn solid_shape(&self, index: usize) -> Option<Shape> {
        let solid = self.scene.solids.get(index.checked_sub(self.scene.spheres.len())?)?;
        Some(self.scene.world.get_body(solid.body)?.shape())
    }

    /// Of a sphere that holds the body.
    fn radius(&self, index: usize) -> f64 {
        let Some(view) = self.scene.spheres.get(index) else {
            return match self.solid_shape(index) {
                Some(Shape::Cuboid { half_extents }) => half_extents.length(),
                Some(Shape::Capsule { half_length, radius }) => half_length + radius,
                Some(Shape::Sphere { radius }) => radius,
                _ => 0.0,
            };
        };
        let body = view.body.and_then(|id| self.scene.world.get_body(id));
        body.and_then(|body| body.radius()).unwrap_or(view.radius * view.scale.abs().max_element())
    }
}

/// A vector of length 1, or zero if it has no direction.
fn unit(v: DVec3) -> DVec3 {
    let length = v.length();
    if length > 0.0 && length.is_finite() { v / length } else { DVec3::ZERO }
}

/// Two directions along a plane.
fn along(normal: DVec3) -> [DVec3; 2] {
    let other = if normal.y.abs() > 0.9 { DVec3::X } else { DVec3::Y };
    let first = unit(other - normal * other.dot(normal));
    [first, normal.cross(first)]
}

fn middle(points: &[DVec3]) -> DVec3 {
    points.iter().fold(DVec3::ZERO, |sum, &point| sum + point) / points.len() as f64
}

/// The name of the scene and the time.
fn caption(list: &mut DrawList, run: &SolidRun, view: &View, background: Rgba, poses: Poses<'_>) {
    let about = run.about();
    let unit = max(view.line_scale, 0.7);
    let ink = if background.brightness() > 0.5 { Theme::Light.caption() } else { Theme::Dark.ink() };
    let seconds = max64(about.seconds(run.step_index()) + poses.lag() * about.seconds(1), 0.0);
    let text = format!("{}   {seconds:.2} s", about.name);
    let corner = view.to_world(vec2(14.0 * unit, 14.0 * unit));
    list.text(corner, vec2(0.0, 1.0), &text, 15.0 * unit, ink, background.with_opacity(0.6));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canvas::Canvas;
    use crate::list::Item;
    use crate::view::Size;
    use carom_scenes::{Entry, Run, entries, open_bytes};
    use carom2d::math::Vec2;

    const ONE_BALL: &str = r#"<scene>
        <camera><fov v=".785"/> <near_clip v=".01"/> <far_clip v="200"/>
            <position x="0" y="0" z="9"/> <orientation a="0" x="0" y="1" z="0"/></camera>
        <background_color r="0.1" g="0.1" b="0.2"/> <refractive_index v="1"/>
        <material name="red"><diffuse r="1" g="0" b="0"/></material>
        <sphere material="red"><position x="0" y="0" z="0"/> <radius v="1"/>
            <body><id i="1"/><mass v="1"/><angular_velocity x="0" y="2" z="0"/></body></sphere>
        <sphere material="red"><position x="0" y="0" z="-5"/> <radius v="1"/></sphere>
    </scene>"#;

    fn drawn(run: &Run, look: &Look) -> DrawList {
        let mut list = DrawList::default();
        let view = View::of_run(run, Size::HD);
        crate::run::draw_run(&mut list, run, &view, look, Poses::Now);
        list
    }

    #[test]
    fn far_balls_come_first_and_are_smaller() {
        let run = open_bytes("one.scene", ONE_BALL.as_bytes()).unwrap();
        let list = drawn(&run, &Look::default());
        assert_eq!(list.background(), Some(Rgba::new(26, 26, 51)), "the colour of the file");
        let sizes: Vec<f32> = list
            .items()
            .filter_map(|item| match item {
                Item::Ball(ball) => Some(ball.axes[1].length()),
                _ => None,
            })
            .collect();
        assert!(sizes.len() == 2 && sizes[0] < sizes[1], "{sizes:?}");
    }

    #[test]
    fn bands_turn_with_the_ball() {
        let mut run = open_bytes("one.scene", ONE_BALL.as_bytes()).unwrap();
        let bands = |run: &Run| -> Vec<Vec2> {
            let list = drawn(run, &Look::default());
            let ends = list.items().filter_map(|item| match item {
                Item::Line { a, .. } => Some(a),
                _ => None,
            });
            ends.collect()
        };
        let before = bands(&run);
        assert!(before.len() > 40, "two bands on each of two balls: {}", before.len());
        for _ in 0..200 {
            run.step();
        }
        assert_ne!(before, bands(&run));
    }

    /// The colours of all polygons, and where they are.
    fn polygons(list: &DrawList) -> Vec<(Rgba, Vec2)> {
        let middle = |points: &[Vec2]| points.iter().fold(Vec2::ZERO, |sum, p| sum + *p) / points.len() as f32;
        let filled = list.items().filter_map(|item| match item {
            Item::Polygon { points, style } => Some((style.fill?, middle(points))),
            _ => None,
        });
        filled.collect()
    }

    /// A ball that is red on one half and blue on the other shows one of them, and the other when it has turned.
    #[test]
    fn a_picture_goes_around_a_ball() {
        let mut run = open_bytes("one.scene", ONE_BALL.as_bytes()).unwrap();
        let Run::Solid(solid) = &mut run else { panic!("it is in space") };
        let half = |i: usize| if i < 32 { [255, 0, 0] } else { [0, 0, 255] };
        let pixels = (0..64 * 32).map(|i| half(i % 64)).collect();
        solid.scene.surfaces[0].picture = Some(std::sync::Arc::new(carom3d::Texture::from_pixels(64, 32, pixels)));
        solid.scene.surfaces[0].diffuse = carom3d::Color { r: 1.0, g: 1.0, b: 1.0 };
        solid.scene.spheres.truncate(1);
        let ball = solid.scene.bodies().next().unwrap();
        let mut sides = Vec::new();
        for turn in [0.0, std::f64::consts::PI] {
            let Run::Solid(solid) = &mut run else { panic!("it is in space") };
            let orientation = carom3d::math::Quat::from_axis_angle(DVec3::Y, turn);
            solid.scene.world.body_mut(ball).set_orientation(orientation).unwrap();
            let found = polygons(&drawn(&run, &Look::default()));
            let mean_x = |of: &dyn Fn(Rgba) -> bool| {
                let xs: Vec<f32> = found.iter().filter(|(color, _)| of(*color)).map(|(_, at)| at.x).collect();
                assert!(xs.len() > 100, "{} patches", xs.len());
                xs.iter().sum::<f32>() / xs.len() as f32
            };
            sides.push(mean_x(&|color| color.r / 2 > color.b) - mean_x(&|color| color.b / 2 > color.r));
        }
        assert!(sides[0] * sides[1] < 0.0 && sides[0].abs() > 0.05, "{sides:?}");
    }

    /// A sphere that only stands there may have any scale: as high as it is scaled, as wide as it is.
    #[test]
    fn an_ellipsoid_is_drawn_in_its_proportions() {
        let egg = "<sphere material=\"red\"><position x=\"0\" y=\"0\" z=\"0\"/><scale x=\"0.5\" y=\"1.5\" z=\"0.5\"/>\
            <radius v=\"1\"/></sphere></scene>";
        let head = &ONE_BALL[..ONE_BALL.find("<sphere").unwrap()];
        let run = open_bytes("egg.scene", format!("{head}{egg}").as_bytes()).unwrap();
        let found = polygons(&drawn(&run, &Look::default()));
        let most = |of: &dyn Fn(Vec2) -> f32| found.iter().map(|(_, at)| of(*at).abs()).fold(0.0, max);
        let (wide, high) = (most(&|at| at.x), most(&|at| at.y));
        assert!((high / wide - 3.0).abs() < 0.25, "{wide} wide, {high} high");
    }

    /// A wall with a picture is cut into cells, which have the picture's colours where they are.
    #[test]
    fn a_picture_lies_on_a_wall() {
        let corner = |name: &str, x: f64, y: f64| {
            format!(
                "<vertex name='{name}' material='red'><position x='{x}' y='{y}' z='0'/><normal x='0' y='0' z='1'/>\
                 <tex_coord u='{}' v='{}'/></vertex>",
                0.5 * (x + 1.0),
                0.5 * (y + 1.0)
            )
        };
        let corners = [corner("a", -1.0, -1.0), corner("b", 1.0, -1.0), corner("c", -1.0, 1.0)].concat();
        let triangle = "<triangle><position x='0' y='0' z='0'/><vertex name='a'/><vertex name='b'/><vertex name='c'/>\
            </triangle></scene>";
        let head = &ONE_BALL[..ONE_BALL.find("<sphere").unwrap()];
        let mut run = open_bytes("wall.scene", format!("{head}{corners}{triangle}").as_bytes()).unwrap();
        let Run::Solid(solid) = &mut run else { panic!("it is in space") };
        let pixels = (0..64 * 64).map(|i| if i / 64 < 32 { [0, 255, 0] } else { [0, 0, 255] }).collect();
        solid.scene.surfaces[0].picture = Some(std::sync::Arc::new(carom3d::Texture::from_pixels(64, 64, pixels)));
        solid.scene.surfaces[0].diffuse = carom3d::Color { r: 1.0, g: 1.0, b: 1.0 };
        let found = polygons(&drawn(&run, &Look::default()));
        assert!(found.len() > 200, "{} cells", found.len());
        let is_right = |(color, at): &&(Rgba, Vec2)| (at.y > 0.0) == (color.g > color.b);
        let right = found.iter().filter(is_right).count();
        assert!(right as f64 > 0.97 * found.len() as f64, "{right} of {}", found.len());
    }

    #[test]
    fn every_scene_is_drawn_from_anywhere_without_nonsense() {
        let size = Size::new(64, 64).unwrap();
        let mut list = DrawList::default();
        for entry in entries().filter(|entry| matches!(entry, Entry::Solid(_))) {
            let run = entry.build().unwrap();
            let own = View::of_run(&run, size);
            let orbit = own.orbit.unwrap();
            for (yaw, pitch, distance) in [(0.0, 0.0, 1.0e-3), (2.0, 1.57, 0.3), (4.0, -1.5, 5.0), (f64::NAN, 0.0, 1.0)]
            {
                let orbit = Orbit { yaw: orbit.yaw + yaw, pitch, distance: orbit.distance * distance, ..orbit };
                let view = View { orbit: Some(orbit), ..own };
                crate::run::draw_run(&mut list, &run, &view, &Look::default(), Poses::Now);
                Canvas::new(size).draw(&list, &view);
            }
        }
    }
}
