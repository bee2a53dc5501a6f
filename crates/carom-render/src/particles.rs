//! A particle scene as a draw list: paths, edges, half-planes, particles, marks, time.
//!
//! Scenes look as their files say: colours, background, and the order from back to front. Only a dark
//! theme changes a scene that was made for a light background.

use crate::color::Rgba;
use crate::list::{DrawList, Stroke, Style};
use crate::marks::Marks;
use crate::overlay::draw_particle_overlays;
use crate::poses::Poses;
use crate::scene::{Decor, Look};
use crate::theme::Theme;
use crate::view::View;
use carom_core::math::{max, max64, min};
use carom_particles::{Color, HalfPlane, Scene, short_number};
use carom_scenes::ParticleRun;
use carom2d::math::{Aabb, Vec2, vec2};
use glam::dvec2;

/// Draws a particle scene into `list`, replacing what was there. Marks are shown as solid as their number
/// from 0 to 1 says.
pub(crate) fn draw_particles<'m>(
    list: &mut DrawList,
    run: &ParticleRun,
    view: &View,
    look: &Look,
    poses: Poses<'_>,
    marks: impl IntoIterator<Item = (&'m Marks, f32)>,
) {
    let palette = Palette::of(&run.scene, look.theme);
    let places = poses.of_particles(run);
    list.begin(palette.background);
    trails(list, run, view, &palette, &places);
    edges(list, run, view, &palette, &places);
    half_planes(list, run, view, &palette);
    discs(list, run, view, &palette, &places);
    let theme = if palette.background.brightness() > 0.5 { Theme::Light } else { Theme::Dark };
    draw_particle_overlays(list, run, view, &Look { theme, ..*look }, &places);
    for (marks, opacity) in marks {
        marks.draw(list, view, palette.background, opacity);
    }
    if look.decor == Decor::Full {
        time(list, run, view, palette.background, poses);
    }
}

/// The colours of a scene as a theme shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Palette {
    background: Rgba,
    /// Are colours meant for a light background shown on a dark one?
    lifted: bool,
}

impl Palette {
    fn of(scene: &Scene, theme: Theme) -> Palette {
        let own = rgba(scene.background);
        if theme == Theme::Dark && own.brightness() > 0.5 {
            Palette { background: theme.background(), lifted: true }
        } else {
            Palette { background: own, lifted: false }
        }
    }

    /// A colour of the scene. On a dark background where a light one was meant, what is dark gets brighter.
    fn color(&self, color: Color) -> Rgba {
        const DARK: f32 = 0.6;
        const LIGHT: Rgba = Rgba::new(196, 206, 226);
        let own = rgba(color);
        let lack = if self.lifted { max(0.0, 1.0 - own.brightness() / DARK) } else { 0.0 };
        own.mixed(LIGHT, 0.28 * lack)
    }
}

pub(crate) fn rgba(color: Color) -> Rgba {
    // The cast keeps to 0 and 255 by itself.
    let byte = |channel: f64| (255.0 * channel).round() as u8;
    Rgba::new(byte(color.r), byte(color.g), byte(color.b))
}

/// A place in single precision.
fn place(x: f64, y: f64) -> Vec2 {
    vec2(x as f32, y as f32)
}

/// Width of thin lines in pixels.
fn thin(view: &View) -> f32 {
    max(view.line_scale, 1.0)
}

// ---- paths --------------------------------------------------------------------------------------

fn trails(list: &mut DrawList, run: &ParticleRun, view: &View, palette: &Palette, places: &[Vec2]) {
    let visible = view.visible();
    // Files ask for lines of one colour; in built-in scenes what is long ago fades.
    let fades = run.built_in().is_some();
    let mut points: Vec<Vec2> = Vec::new();
    for (path, trail) in run.scene.paths.iter().zip(run.trails()) {
        let past = trail.iter().take(trail.len().saturating_sub(1)).map(|p| place(p.x, p.y));
        points.clear();
        points.extend(past);
        points.extend(places.get(path.particle));
        thin_out(&mut points, 0.75 * view.pixel());
        let color = palette.color(path.color);
        let count = points.len();
        for (i, ends) in points.windows(2).enumerate() {
            if Aabb::new(ends[0].min(ends[1]), ends[0].max(ends[1])).overlaps(&visible) {
                let age = if fades { 1.0 - (i + 1) as f32 / count as f32 } else { 0.0 };
                let faded = color.mixed(palette.background, age);
                list.line(ends[0], ends[1], Stroke::solid(faded, thin(view)));
            }
        }
    }
}

/// Leaves out points that are hardly apart; the first and the last stay.
fn thin_out(points: &mut Vec<Vec2>, least: f32) {
    let Some(&first) = points.first() else { return };
    let last = points.len() - 1;
    let (mut kept, mut index) = (first, 0);
    points.retain(|&point| {
        let keeps = index == 0 || index == last || (point - kept).length_squared() >= least * least;
        index += 1;
        if keeps {
            kept = point;
        }
        keeps
    });
}

// ---- edges, half-planes, particles --------------------------------------------------------------

fn edges(list: &mut DrawList, run: &ParticleRun, view: &View, palette: &Palette, places: &[Vec2]) {
    let visible = view.visible();
    for (edge, &color) in run.scene.system.edges().iter().zip(&run.scene.edge_colors) {
        let [a, b] = edge.ends.map(|end| places[end]);
        let radius = edge.radius as f32;
        let reach = Vec2::splat(radius.abs());
        if !Aabb::new(a.min(b) - reach, a.max(b) + reach).overlaps(&visible) {
            continue;
        }
        let color = palette.color(color);
        // What is thinner than a line is still seen.
        if 2.0 * radius < thin(view) * view.pixel() {
            list.line(a, b, Stroke::solid(color, thin(view)));
        } else {
            list.capsule(a, b, radius, Style::filled(color));
        }
    }
}

fn half_planes(list: &mut DrawList, run: &ParticleRun, view: &View, palette: &Palette) {
    for (half_plane, &color) in run.scene.system.half_planes().iter().zip(&run.scene.half_plane_colors) {
        let corners = solid_part(half_plane, view);
        if corners.len() > 2 {
            list.polygon(corners, Style::filled(palette.color(color)));
        }
    }
}

/// The part of a half-plane that is seen, a little beyond the edges of the view, in counter-clockwise
/// order. Nothing if the half-plane has no direction.
fn solid_part(half_plane: &HalfPlane, view: &View) -> Vec<Vec2> {
    let HalfPlane { point, normal } = *half_plane;
    // A length in double precision may be beyond single precision: scale first.
    let normal = normal / max64(normal.x.abs(), normal.y.abs());
    let mut seen = Vec::new();
    if !(normal.is_finite() && point.is_finite()) {
        return seen;
    }
    let Aabb { min: low, max: high } = view.visible();
    let margin = Vec2::splat(8.0 * view.line_scale * view.pixel());
    let (low, high) = ((low - margin).as_dvec2(), (high + margin).as_dvec2());
    let corners = [low, dvec2(high.x, low.y), high, dvec2(low.x, high.y)];
    let depth = corners.map(|corner| (corner - point).dot(normal));
    for i in 0..4 {
        let j = (i + 1) % 4;
        if depth[i] <= 0.0 {
            seen.push(place(corners[i].x, corners[i].y));
        }
        if (depth[i] <= 0.0) != (depth[j] <= 0.0) {
            let at = corners[i] + (corners[j] - corners[i]) * (depth[i] / (depth[i] - depth[j]));
            seen.push(place(at.x, at.y));
        }
    }
    seen
}

fn discs(list: &mut DrawList, run: &ParticleRun, view: &View, palette: &Palette, places: &[Vec2]) {
    // What is smaller than a pixel is still seen.
    let least = 0.5 * thin(view) * view.pixel();
    let visible = view.visible();
    let system = &run.scene.system;
    for ((&center, &radius), &color) in places.iter().zip(system.radii()).zip(&run.scene.particle_colors) {
        let radius = if radius > 0.0 { max(radius as f32, least) } else { continue };
        let reach = Vec2::splat(radius);
        if Aabb::new(center - reach, center + reach).overlaps(&visible) {
            list.circle(center, radius, Style::filled(palette.color(color)));
        }
    }
}

// ---- time ---------------------------------------------------------------------------------------

/// The simulated time in the top left corner, in the inverse of the background's colour.
fn time(list: &mut DrawList, run: &ParticleRun, view: &View, background: Rgba, poses: Poses<'_>) {
    let unit = max(view.line_scale, min(view.height / 512.0, 1.0));
    let dt = run.about().dt;
    let at_step = f64::from(run.step_index()) * dt;
    let text = if poses.lag() == 0.0 {
        short_number(at_step)
    } else {
        // Between two steps, digits that cannot be read in a movie are left out.
        short_number((1.0e3 * max64(at_step + poses.lag() * dt, 0.0)).round() / 1.0e3)
    };
    let ink = Rgba { r: 255 - background.r, g: 255 - background.g, b: 255 - background.b, a: 255 };
    let corner = view.to_world(vec2(4.0 * unit, 20.0 * unit));
    list.text(corner, Vec2::ZERO, &text, 18.0 * unit, ink, background.with_opacity(0.6));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::Item;
    use crate::view::Size;
    use glam::DVec2;

    const XML: &str = r#"<scene>
      <duration time="1"/><integrator type="symplectic-euler" dt="0.1"/>
      <viewport cx="0" cy="0" size="2"/>
      <backgroundcolor r="1" g="0.8" b="0.6"/>
      <particle m="1" px="-1" py="0" vx="1" vy="0" fixed="0" radius="0.2"/>
      <particle m="1" px="1" py="0" vx="1" vy="0" fixed="0" radius="0"/>
      <edge i="0" j="1" radius="0.05"/><edge i="0" j="1" radius="0.0001"/>
      <halfplane px="0" py="-1" nx="0" ny="3"/>
      <particlecolor i="0" r="1" g="0" b="0"/>
      <particlepath i="0" duration="0.5" r="0" g="1" b="0"/>
    </scene>"#;

    fn run_of(xml: &str) -> ParticleRun {
        ParticleRun::new("test", "a test", Scene::from_xml("test", xml.as_bytes()).unwrap())
    }

    fn drawn(run: &ParticleRun, look: &Look, poses: Poses<'_>) -> DrawList {
        let mut list = DrawList::default();
        draw_particles(&mut list, run, &View::of_run(run, Size::new(512, 512).unwrap()), look, poses, []);
        list
    }

    #[test]
    fn draws_from_back_to_front() {
        let mut run = run_of(XML);
        for _ in 0..3 {
            run.step();
        }
        let list = drawn(&run, &Look::default(), Poses::Now);
        assert_eq!(list.background(), Some(Rgba::new(255, 204, 153)));
        let kinds: Vec<&str> = list
            .items()
            .map(|item| match item {
                Item::Line { stroke, .. } if stroke.color == Rgba::new(0, 255, 0) => "path",
                Item::Line { .. } => "thin edge",
                Item::Capsule { .. } => "edge",
                Item::Polygon { .. } => "half-plane",
                Item::Circle { .. } => "particle",
                Item::Text { text: "0.3", color, .. } => {
                    assert_eq!(color, Rgba::new(0, 51, 102), "the inverse of the background");
                    "time"
                }
                _ => "something else",
            })
            .collect();
        // A particle without a radius is not seen.
        assert_eq!(kinds, ["path", "path", "path", "edge", "thin edge", "half-plane", "particle", "time"]);
        let plain = drawn(&run, &Look { decor: Decor::None, ..Look::default() }, Poses::Now);
        assert_eq!(plain.len(), kinds.len() - 1, "without the time");
    }

    #[test]
    fn a_picture_between_two_steps() {
        let mut run = run_of(XML);
        run.step();
        let mut before = crate::poses::Places::default();
        before.record(&run);
        run.step();
        let list = drawn(&run, &Look::default(), Poses::Between { before: &before, alpha: 0.5 });
        let disc = list.items().find_map(|item| match item {
            Item::Circle { center, .. } => Some(center),
            _ => None,
        });
        assert!((disc.unwrap() - vec2(-0.85, 0.0)).length() < 1.0e-6);
        let path_end = list.items().filter_map(|item| match item {
            Item::Line { b, stroke, .. } if stroke.color.g == 255 => Some(b),
            _ => None,
        });
        assert!((path_end.last().unwrap() - disc.unwrap()).length() < 1.0e-6, "the path ends at its particle");
        assert!(list.items().any(|item| matches!(item, Item::Text { text: "0.15", .. })));
    }

    #[test]
    fn half_planes_fill_what_is_seen_of_them() {
        let view = View::new(carom_scenes::Camera { center: Vec2::ZERO, half_height: 1.0 }, Size::HD);
        let area = |point: DVec2, normal: DVec2| {
            let corners = solid_part(&HalfPlane { point, normal }, &view);
            let next = corners.iter().cycle().skip(1);
            0.5 * corners.iter().zip(next).map(|(a, b)| a.x * b.y - a.y * b.x).sum::<f32>()
        };
        let all = area(dvec2(0.0, 10.0), DVec2::Y);
        assert!(all > 4.0 * 16.0 / 9.0, "all of the view, and a little more: {all}");
        assert_eq!(area(dvec2(0.0, -10.0), DVec2::Y), 0.0, "out of sight");
        for normal in [DVec2::Y, dvec2(1.0, 1.0), dvec2(-1.0e-200, 3.0e-200), dvec2(1.0e200, 1.0e199)] {
            let half = area(DVec2::ZERO, normal);
            assert!((half / all - 0.5).abs() < 1.0e-3, "{normal}: {half}");
        }
        for (point, normal) in [(DVec2::ZERO, DVec2::ZERO), (DVec2::NAN, DVec2::Y), (DVec2::ZERO, DVec2::INFINITY)] {
            assert_eq!(area(point, normal), 0.0, "{point} {normal}");
        }
    }

    #[test]
    fn a_dark_theme_changes_light_scenes_only() {
        let dark = Look { theme: Theme::Dark, ..Look::default() };
        let own = Scene::from_xml("test", XML.as_bytes()).unwrap();
        let light = Palette::of(&own, Theme::Light);
        assert_eq!(light.color(Color::BLACK), Rgba::BLACK, "the colours of the file");
        let changed = Palette::of(&own, dark.theme);
        assert_eq!(changed.background, Theme::Dark.background());
        assert!(changed.color(Color::BLACK).brightness() > changed.background.brightness() + 0.1);
        let night = Scene { background: Color { r: 0.0, g: 0.0, b: 0.2 }, ..own };
        assert_eq!(Palette::of(&night, Theme::Dark), Palette::of(&night, Theme::Light));
    }

    #[test]
    fn paths_keep_their_ends() {
        let mut points: Vec<Vec2> = (0..=1000).map(|i| vec2(0.001 * i as f32, 0.0)).collect();
        thin_out(&mut points, 0.1);
        assert!((10..=12).contains(&points.len()), "{}", points.len());
        assert_eq!((points[0], points[points.len() - 1]), (vec2(0.0, 0.0), vec2(1.0, 0.0)));
        let mut none: Vec<Vec2> = Vec::new();
        thin_out(&mut none, 1.0);
        let mut one = vec![vec2(1.0, 1.0)];
        thin_out(&mut one, 1.0);
        assert_eq!((none.len(), one.len()), (0, 1));
    }

    #[test]
    fn odd_numbers_draw_no_nonsense() {
        let huge = XML.replace("px=\"-1\"", "px=\"1e300\"").replace("<viewport cx=\"0\" cy=\"0\" size=\"2\"/>", "");
        let mut run = run_of(&huge);
        for _ in 0..3 {
            run.step();
            let view = View::of_run(&run, Size::new(64, 64).unwrap());
            assert!(view.camera.center.is_finite() && view.camera.half_height > 0.0);
            let mut list = DrawList::default();
            draw_particles(&mut list, &run, &view, &Look::default(), Poses::Now, []);
            crate::canvas::Canvas::new(Size::new(64, 64).unwrap()).draw(&list, &view);
        }
    }
}
