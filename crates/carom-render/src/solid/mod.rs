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
//! | `springs.rs` | springs                                         |
//! | `shadow.rs`  | soft shadows on planes and triangles            |

mod balls;
mod eye;
mod facets;
mod floor;
mod light;
mod order;
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
    let eye = Eye::new(&orbit);
    let light = Lighting::new(scene, &eye, orbit.target);
    let places = poses.of_solids(run);
    list.begin(background);
    let picture = Picture { scene, view, eye, light, places: &places, background };
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
