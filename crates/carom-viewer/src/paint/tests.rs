//! The painter against the canvas of `carom-render`, and against input that nobody should send.

use super::pen::Pen;
use super::screen::Screen;
use super::stamp::Stamps;
use super::*;
use carom_render::{Canvas, Rgba, Size, Stroke, Style};
use carom_scenes::Camera;
use carom2d::math::{Aabb, Rot, Vec2, vec2};
use eframe::egui::epaint::{ColorImage, Vertex};
use eframe::egui::{self, RawInput, TextureId, pos2};

const WIDTH: usize = 320;
const HEIGHT: usize = 240;
const RED: Rgba = Rgba::new(200, 30, 20);
const BLUE: Rgba = Rgba::new(20, 40, 160);

/// A view in which a metre is a pixel, with the origin in the middle.
fn view() -> View {
    let size = Size::new(WIDTH as u32, HEIGHT as u32).unwrap();
    let camera = Camera { center: Vec2::ZERO, half_height: 0.5 * HEIGHT as f32 };
    View { line_scale: 1.0, ..View::new(camera, size) }
}

fn list_of(add: impl Fn(&mut DrawList)) -> DrawList {
    let mut list = DrawList::default();
    list.begin(Rgba::WHITE);
    add(&mut list);
    list
}

/// The triangles of a list, without its text, on a screen of some density.
fn mesh_of(list: &DrawList, pixels_per_point: f32) -> Mesh {
    let rect = Rect::from_min_size(pos2(0.0, 0.0), egui::vec2(WIDTH as f32, HEIGHT as f32));
    let screen = Screen::new(&view(), rect, rect, pixels_per_point).unwrap();
    let mut pen = Pen::new(Stamps::new());
    pen.triangles.begin(Mesh::default(), TextureId::default(), pixels_per_point);
    pen.background(list.background().unwrap(), &screen);
    for item in list.items() {
        pen.item(item, &screen);
    }
    pen.triangles.replace(Mesh::default())
}

// ---- a graphics card ----------------------------------------------------------------------------

/// A picture: red, green, blue and opacity from 0 to 1, multiplied by opacity.
struct Raster {
    width: usize,
    height: usize,
    pixels: Vec<[f32; 4]>,
}

impl Raster {
    /// What a graphics card makes of a mesh.
    fn of(mesh: &Mesh, pixels_per_point: f32) -> Raster {
        let (width, height) =
            ((WIDTH as f32 * pixels_per_point).round() as usize, (HEIGHT as f32 * pixels_per_point).round() as usize);
        let mut raster = Raster { width, height, pixels: vec![[0.0; 4]; width * height] };
        let texture = Stamps::new().image();
        for corners in mesh.triangles() {
            let corners = corners.map(|i| mesh.vertices[i as usize]);
            raster.triangle(corners, &texture, pixels_per_point);
        }
        raster
    }

    fn triangle(&mut self, corners: [Vertex; 3], texture: &ColorImage, pixels_per_point: f32) {
        let at = corners
            .map(|corner| (f64::from(corner.pos.x * pixels_per_point), f64::from(corner.pos.y * pixels_per_point)));
        let edge = |a: (f64, f64), b: (f64, f64), p: (f64, f64)| (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0);
        let twice_area = edge(at[0], at[1], at[2]);
        if twice_area == 0.0 {
            return;
        }
        let range = |of: fn((f64, f64)) -> f64, end: usize| {
            let low = at.map(of).into_iter().fold(f64::INFINITY, f64::min);
            let high = at.map(of).into_iter().fold(f64::NEG_INFINITY, f64::max);
            (low.floor().clamp(0.0, end as f64) as usize)..(high.ceil().clamp(0.0, end as f64) as usize)
        };
        // A pixel whose middle is on an edge belongs to one of the two triangles there.
        let owns = |a: (f64, f64), b: (f64, f64)| {
            let (dx, dy) = if twice_area > 0.0 { (b.0 - a.0, b.1 - a.1) } else { (a.0 - b.0, a.1 - b.1) };
            dy < 0.0 || (dy == 0.0 && dx > 0.0)
        };
        for y in range(|p| p.1, self.height) {
            for x in range(|p| p.0, self.width) {
                let p = (x as f64 + 0.5, y as f64 + 0.5);
                let share =
                    [(1, 2), (2, 0), (0, 1)].map(|(i, j)| (edge(at[i], at[j], p) / twice_area, owns(at[i], at[j])));
                if share.iter().all(|&(share, owned)| share > 0.0 || (share == 0.0 && owned)) {
                    let share = share.map(|(share, _)| share as f32);
                    let mix = |of: &dyn Fn(&Vertex) -> f32| (0..3).map(|i| share[i] * of(&corners[i])).sum::<f32>();
                    let texel = sample(texture, mix(&|v| v.uv.x), mix(&|v| v.uv.y));
                    let source: [f32; 4] =
                        std::array::from_fn(|i| texel * mix(&|v| f32::from(v.color.to_array()[i]) / 255.0));
                    let pixel = &mut self.pixels[y * self.width + x];
                    *pixel = std::array::from_fn(|i| source[i] + pixel[i] * (1.0 - source[3]));
                }
            }
        }
    }

    fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let [r, g, b, _] = self.pixels[y * self.width + x].map(|part| (255.0 * part).round() as u8);
        [r, g, b]
    }

    /// How much of the white background is covered by black, in square pixels.
    fn blackness(&self) -> f32 {
        self.pixels.iter().map(|pixel| 1.0 - pixel[1]).sum()
    }
}

/// The opacity of the texture at a place, between the texels around it.
fn sample(texture: &ColorImage, u: f32, v: f32) -> f32 {
    let (x, y) = (u * texture.width() as f32 - 0.5, v * texture.height() as f32 - 0.5);
    let texel = |x: f32, y: f32| {
        let x = (x.max(0.0) as usize).min(texture.width() - 1);
        let y = (y.max(0.0) as usize).min(texture.height() - 1);
        f32::from(texture[(x, y)].a()) / 255.0
    };
    let (left, top) = (x.floor(), y.floor());
    let row = |y: f32| texel(left, y) + (x - left) * (texel(left + 1.0, y) - texel(left, y));
    row(top) + (y - top) * (row(top + 1.0) - row(top))
}

// ---- the same look ------------------------------------------------------------------------------

/// How far the two pictures of a list are apart.
#[derive(Debug)]
struct Difference {
    /// Mean over all pixels that are not white in both, 0 to 255.
    mean: f32,
    /// The share of those pixels that differ by more than a quarter.
    far: f32,
}

fn difference(add: impl Fn(&mut DrawList)) -> Difference {
    let list = list_of(add);
    let raster = Raster::of(&mesh_of(&list, 1.0), 1.0);
    let mut canvas = Canvas::new(Size::new(WIDTH as u32, HEIGHT as u32).unwrap());
    canvas.draw(&list, &view());
    let (mut sum, mut far, mut inked) = (0.0, 0.0, 0.0);
    for (i, pixel) in canvas.picture().rgba.chunks_exact(4).enumerate() {
        let other = raster.pixel(i % WIDTH, i / WIDTH);
        let apart = (0..3).map(|k| pixel[k].abs_diff(other[k])).max().unwrap_or(0);
        if pixel[..3] != [255; 3] || other != [255; 3] {
            inked += 1.0;
            sum += f32::from(apart);
            far += f32::from(u8::from(apart > 64));
        }
    }
    assert!(inked > 100.0, "nothing to compare");
    Difference { mean: sum / inked, far: far / inked }
}

fn assert_alike(what: &str, mean: f32, far: f32, add: impl Fn(&mut DrawList)) {
    let difference = difference(add);
    assert!(difference.mean < mean && difference.far < far, "{what}: {difference:?}");
}

fn edged(width: f32) -> Style {
    Style { fill: Some(RED), outline: Some(Stroke::solid(BLUE, width)) }
}

/// Places on a grid, with a number for each.
fn places(columns: usize, rows: usize) -> impl Iterator<Item = (f32, Vec2)> {
    let cell = vec2(WIDTH as f32 / columns as f32, HEIGHT as f32 / rows as f32);
    (0..columns * rows).map(move |i| {
        let (column, row) = ((i % columns) as f32, (i / columns) as f32);
        let corner = vec2(-0.5 * WIDTH as f32, -0.5 * HEIGHT as f32);
        (i as f32, corner + (vec2(column, row) + 0.5) * cell + vec2(0.37, 0.21) * column)
    })
}

fn polygon(count: usize, size: Vec2, turn: f32, at: Vec2) -> Vec<Vec2> {
    let corner = |k: usize| Rot::from_angle(std::f32::consts::TAU * k as f32 / count as f32).x_axis() * size;
    (0..count).map(|k| Rot::from_angle(turn).rotate(corner(k)) + at).collect()
}

fn turned_box(size: Vec2, turn: f32, at: Vec2) -> Vec<Vec2> {
    let corners = [vec2(-0.5, -0.5), vec2(0.5, -0.5), vec2(0.5, 0.5), vec2(-0.5, 0.5)];
    corners.iter().map(|&corner| Rot::from_angle(turn).rotate(corner * size) + at).collect()
}

#[test]
fn boxes_look_as_in_pictures() {
    assert_alike("small", 6.0, 0.01, |list| {
        for (i, at) in places(10, 8) {
            list.polygon(turned_box(vec2(4.0 + 0.23 * i, 22.0 - 0.2 * i), 0.1 * i, at), edged(0.6 + 0.02 * i));
        }
    });
    assert_alike("large", 2.0, 0.01, |list| {
        for (i, at) in places(3, 2) {
            list.polygon(turned_box(vec2(70.0, 40.0 + 5.0 * i), 0.3 * i, at), edged(0.8 + 0.4 * i));
        }
    });
    assert_alike("tiny", 14.0, 0.01, |list| {
        for (i, at) in places(30, 20) {
            list.polygon(turned_box(vec2(0.3 + 0.003 * i, 0.4 + 0.004 * i), 0.1 * i, at), Style::filled(BLUE));
        }
    });
    // Sharp where they lie on the pixels.
    assert_alike("straight", 0.5, 0.001, |list| {
        for (i, at) in places(8, 6) {
            let low = at.round();
            list.aabb(Aabb::new(low, low + vec2(2.0 + (0.3 * i).round(), 12.0)), Style::filled(RED));
        }
    });
}

#[test]
fn circles_look_as_in_pictures() {
    assert_alike("small", 10.0, 0.01, |list| {
        for (i, at) in places(10, 8) {
            list.circle(at, 2.0 + 0.1 * i, edged(0.5 + 0.02 * i));
        }
    });
    assert_alike("large", 4.0, 0.01, |list| {
        for (i, at) in places(3, 2) {
            list.circle(at, 34.0 + 3.0 * i, edged(0.8 + 0.3 * i));
        }
    });
    assert_alike("dots", 9.0, 0.01, |list| {
        for (i, at) in places(20, 15) {
            list.point(at, 0.3 + 0.01 * i, BLUE);
        }
    });
}

#[test]
fn capsules_look_as_in_pictures() {
    assert_alike("small", 7.0, 0.01, |list| {
        for (i, at) in places(8, 6) {
            list.capsule(at, at + Rot::from_angle(i).x_axis() * 14.0, 1.5 + 0.15 * i, edged(0.5 + 0.03 * i));
        }
    });
    assert_alike("large", 2.0, 0.01, |list| {
        list.capsule(vec2(-60.0, -20.0), vec2(50.0, 30.0), 45.0, edged(3.0));
    });
}

#[test]
fn polygons_look_as_in_pictures() {
    for count in [3, 5, 6, 9] {
        assert_alike("round", 6.5, 0.01, |list| {
            for (i, at) in places(8, 6) {
                list.polygon(polygon(count, Vec2::splat(6.0 + 0.2 * i), 0.3 * i, at), edged(0.5 + 0.02 * i));
            }
        });
        assert_alike("long", 8.0, 0.03, |list| {
            for (i, at) in places(6, 6) {
                list.polygon(polygon(count, vec2(20.0, 6.0 + 0.2 * i), 0.3 * i, at), edged(0.8));
            }
        });
        assert_alike("large", 1.5, 0.01, |list| {
            list.polygon(polygon(count, vec2(120.0, 90.0), 0.3, Vec2::ZERO), edged(4.0));
        });
    }
}

#[test]
fn outlines_alone_look_as_in_pictures() {
    let outline = |i: f32| Style::outlined(Stroke::solid(BLUE.with_opacity(0.7), 0.8 + 0.05 * i));
    assert_alike("boxes", 9.0, 0.01, |list| {
        for (i, at) in places(8, 6) {
            list.polygon(turned_box(vec2(10.0 + 0.5 * i, 30.0), 0.1 * i, at), outline(i));
        }
    });
    assert_alike("circles", 11.0, 0.01, |list| {
        for (i, at) in places(8, 6) {
            list.circle(at, 6.0 + 0.25 * i, outline(i));
        }
    });
    assert_alike("see-through", 5.0, 0.01, |list| {
        let style = |i| Style { fill: Some(RED.with_opacity(0.25)), ..outline(i) };
        for (i, at) in places(6, 4) {
            list.capsule(at, at + vec2(9.0, 5.0), 6.0 + 0.4 * i, style(i));
        }
    });
}

#[test]
fn lines_look_as_in_pictures() {
    assert_alike("solid", 11.0, 0.01, |list| {
        for (i, at) in places(7, 6) {
            let across = Rot::from_angle(0.4 * i).x_axis() * 18.0;
            list.line(at - across, at + across, Stroke::solid(BLUE, 0.5 + 0.1 * i));
        }
    });
    assert_alike("dashed", 11.0, 0.01, |list| {
        for (i, at) in places(6, 5) {
            let across = Rot::from_angle(0.4 * i).x_axis() * 24.0;
            list.line(at - across, at + across, Stroke::dashed(BLUE, 0.8 + 0.1 * i));
        }
    });
    assert_alike("dashes along a box", 5.0, 0.01, |list| {
        list.aabb(Aabb::new(vec2(-100.0, -80.0), vec2(90.0, 70.0)), Style::outlined(Stroke::dashed(RED, 1.5)));
    });
    // The pixels of the grid.
    assert_alike("straight", 0.5, 0.001, |list| {
        for x in -100..100 {
            let x = 1.5 * x as f32 + if x % 2 == 0 { 0.5 } else { 0.0 };
            list.line(vec2(x, -500.0), vec2(x, 500.0), Stroke::solid(RED, 1.0));
        }
    });
}

// ---- sizes --------------------------------------------------------------------------------------

#[test]
fn covers_the_area_it_should_at_any_density() {
    let black = Style::filled(Rgba::BLACK);
    for density in [1.0_f32, 1.25, 2.0, 3.0] {
        let area = |add: &dyn Fn(&mut DrawList)| {
            Raster::of(&mesh_of(&list_of(add), density), density).blackness() / (density * density)
        };
        let near = |found: f32, expected: f32, what: &str| {
            assert!((found / expected - 1.0).abs() < 0.05, "{what} at {density}: {found}, not {expected}");
        };
        for side in [4.0_f32, 9.7, 40.0] {
            let found = area(&|list| list.polygon(turned_box(Vec2::splat(side), 0.4, vec2(0.3, 0.1)), black));
            near(found, side * side, "a square");
            let found = area(&|list| list.circle(vec2(0.3, 0.1), side, black));
            near(found, std::f32::consts::PI * side * side, "a disc");
        }
        let found = area(&|list| list.line(vec2(-40.0, 3.0), vec2(40.0, 20.0), Stroke::solid(Rgba::BLACK, 1.5)));
        near(found, 1.5 * (vec2(80.0, 17.0).length() + 1.5 * std::f32::consts::FRAC_PI_4), "a line");
    }
}

#[test]
fn a_square_is_opaque_but_for_a_ramp_of_one_pixel() {
    for density in [1.0_f32, 1.5, 2.0] {
        for side in [10.0, 60.0] {
            let list = list_of(|list| {
                list.polygon(turned_box(Vec2::splat(side), 0.5, Vec2::ZERO), Style::filled(Rgba::BLACK));
            });
            let raster = Raster::of(&mesh_of(&list, density), density);
            let opaque = raster.pixels.iter().filter(|pixel| pixel[0] < 0.01).count() as f32;
            let faint = raster.pixels.iter().filter(|pixel| (0.01..0.99).contains(&pixel[0])).count() as f32;
            let side = side * density;
            assert!((opaque / ((side - 1.0) * (side - 1.0)) - 1.0).abs() < 0.06, "{density}, {side}: {opaque}");
            // A ramp one pixel wide, seen from the middles of pixels.
            assert!((faint / (4.0 * side) - 1.0).abs() < 0.2, "{density}, {side}: {faint}");
        }
    }
}

#[test]
fn what_is_larger_than_the_screen_fills_it() {
    let far = Vec2::splat(1.0e9);
    let style = edged(4.0);
    let lists: [&dyn Fn(&mut DrawList); 6] = [
        &|list| list.aabb(Aabb::new(-far, far), style),
        &|list| list.circle(vec2(0.0, -1.0e6), 1.0e6 + 300.0, style),
        &|list| list.circle(vec2(1.0, 2.0), 1.0e6, style),
        &|list| list.circle(vec2(9000.0, 5000.0), 11_000.0, style),
        &|list| list.capsule(vec2(-1.0e7, 0.0), vec2(1.0e7, 0.0), 1.0e5, style),
        &|list| list.polygon(polygon(5, Vec2::splat(1.0e7), 0.3, Vec2::ZERO), style),
    ];
    for (i, add) in lists.into_iter().enumerate() {
        let raster = Raster::of(&mesh_of(&list_of(add), 1.0), 1.0);
        for (x, y) in [(0, 0), (WIDTH - 1, 0), (WIDTH / 2, HEIGHT / 2), (0, HEIGHT - 1), (WIDTH - 1, HEIGHT - 1)] {
            assert_eq!(raster.pixel(x, y), [RED.r, RED.g, RED.b], "list {i} at {x}, {y}");
        }
    }
}

#[test]
fn the_edge_of_a_huge_circle_is_where_it_belongs() {
    for radius in [700.0, 9000.0, 2.0e5] {
        let list = list_of(|list| list.circle(vec2(0.0, -radius), radius, Style::filled(Rgba::BLACK)));
        let raster = Raster::of(&mesh_of(&list, 1.0), 1.0);
        for x in [10, 100, 200, 300] {
            let off = x as f32 + 0.5 - 0.5 * WIDTH as f32;
            let sagitta = off * off / (radius + (radius * radius - off * off).sqrt());
            let expected = 0.5 * HEIGHT as f32 - sagitta;
            let column: f32 = (0..HEIGHT).map(|y| 1.0 - raster.pixels[y * WIDTH + x][1]).sum();
            assert!((column - expected).abs() < 0.2, "{radius}: {column}, not {expected}");
        }
    }
}

// ---- input that nobody should send --------------------------------------------------------------

fn assert_sound(mesh: &Mesh) {
    assert!(mesh.is_valid(), "an index without a vertex");
    assert_eq!(mesh.indices.len() % 3, 0);
    for vertex in &mesh.vertices {
        let Vertex { pos, uv, .. } = vertex;
        assert!(pos.x.abs() < 1.0e4 && pos.y.abs() < 1.0e4, "{vertex:?}");
        assert!((0.0..=1.0).contains(&uv.x) && (0.0..=1.0).contains(&uv.y), "{vertex:?}");
    }
}

#[test]
fn any_number_makes_a_sound_mesh() {
    let numbers = [
        0.0,
        -0.0,
        1.0e-30,
        -1.0e-30,
        0.3,
        1.0,
        -7.0,
        33.0,
        1500.0,
        -1.0e6,
        1.0e6,
        1.0e20,
        -3.0e38,
        3.0e38,
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
    ];
    let styles = |width: f32| {
        let translucent = RED.with_opacity(0.3);
        [
            Style::filled(RED),
            edged(width),
            Style { fill: Some(translucent), outline: Some(Stroke::solid(BLUE, width)) },
            Style { fill: Some(translucent), outline: Some(Stroke::dashed(BLUE, width)) },
            Style::default(),
        ]
    };
    for x in numbers {
        for y in numbers {
            let list = list_of(|list| {
                for z in numbers {
                    for style in styles(y) {
                        list.circle(vec2(x, z), y, style);
                        list.circle(vec2(x, 0.0), z, style);
                        list.capsule(vec2(x, y), vec2(z, 5.0), 3.0, style);
                        list.capsule(vec2(0.0, y), vec2(z, x), x, style);
                        list.aabb(Aabb { min: vec2(x, y), max: vec2(z, z) }, style);
                        list.polygon([vec2(x, y), vec2(z, y), vec2(y, z)], style);
                        list.polygon([vec2(x, y), vec2(x, y), vec2(z, z), vec2(1.0, 1.0), vec2(x, 0.0)], style);
                    }
                    list.line(vec2(x, y), vec2(z, x), Stroke::solid(RED, 1.0));
                    list.line(vec2(x, 0.0), vec2(z, 0.0), Stroke::solid(RED, y));
                    list.line(vec2(x, 0.0), vec2(z, 0.0), Stroke::dashed(RED, y));
                    list.point(vec2(x, y), z, RED);
                }
            });
            assert_sound(&mesh_of(&list, 1.5));
        }
    }
}

#[test]
fn lists_of_nothing_make_only_the_background() {
    let list = list_of(|list| {
        list.polygon([], edged(1.0));
        list.polygon([Vec2::ZERO], edged(1.0));
        list.polygon([Vec2::ZERO, vec2(9.0, 9.0)], edged(1.0));
        list.circle(Vec2::ZERO, -3.0, edged(1.0));
        list.line(Vec2::ZERO, vec2(9.0, 9.0), Stroke::solid(RED, 0.0));
        list.circle(vec2(1000.0, 0.0), 30.0, edged(1.0));
        list.line(vec2(-900.0, 0.0), vec2(-400.0, 90.0), Stroke::solid(RED, 3.0));
    });
    assert_eq!(mesh_of(&list, 1.0).vertices.len(), 4);
}

#[test]
fn screens_that_cannot_be_are_none() {
    let rect = Rect::from_min_size(pos2(0.0, 0.0), egui::vec2(100.0, 50.0));
    let nowhere = Rect::from_min_size(pos2(0.0, 0.0), egui::vec2(0.0, 50.0));
    assert!(Screen::new(&view(), rect, rect, 1.0).is_some());
    assert!(Screen::new(&view(), rect, nowhere, 1.0).is_none());
    assert!(Screen::new(&view(), Rect::NAN, Rect::NAN, 1.0).is_none());
    assert!(Screen::new(&view(), Rect::EVERYTHING, Rect::EVERYTHING, 1.0).is_none());
    for bad in [0.0, f32::NAN, f32::INFINITY, -1.0] {
        assert!(Screen::new(&View { height: bad, ..view() }, rect, rect, 1.0).is_none());
        let camera = Camera { half_height: bad, ..view().camera };
        assert!(Screen::new(&View { camera, ..view() }, rect, rect, 1.0).is_none());
        let camera = Camera { center: vec2(f32::NAN, bad), ..view().camera };
        assert!(mesh_of_view(&View { camera, ..view() }).vertices.iter().all(|v| v.pos.x.is_finite()));
    }
}

fn mesh_of_view(view: &View) -> Mesh {
    let rect = Rect::from_min_size(pos2(0.0, 0.0), egui::vec2(WIDTH as f32, HEIGHT as f32));
    let mut pen = Pen::new(Stamps::new());
    if let Some(screen) = Screen::new(view, rect, rect, 1.0) {
        for item in list_of(|list| list.circle(Vec2::ZERO, 5.0, edged(1.0))).items() {
            pen.item(item, &screen);
        }
    }
    pen.triangles.replace(Mesh::default())
}

// ---- with egui ----------------------------------------------------------------------------------

/// Paints a list in frames of a window that nobody sees, and hands out the shapes of the last one.
fn painted(
    list: &DrawList,
    frames: usize,
    painter: impl Fn(&Context) -> MeshPainter,
) -> Vec<egui::epaint::ClippedShape> {
    let context = Context::default();
    let mut painter = painter(&context);
    let rect = Rect::from_min_size(pos2(10.0, 20.0), egui::vec2(WIDTH as f32, HEIGHT as f32));
    let mut shapes = Vec::new();
    for _ in 0..frames {
        shapes.clear();
        let input = RawInput {
            screen_rect: Some(Rect::from_min_max(pos2(0.0, 0.0), pos2(640.0, 480.0))),
            ..Default::default()
        };
        let mut output = context.run_ui(input, |ui| painter.paint(list, &view(), rect, ui.painter()));
        output.textures_delta.clear();
        shapes = output.shapes;
    }
    shapes.retain(|clipped| matches!(clipped.shape, Shape::Mesh(_) | Shape::Text(_)));
    shapes
}

#[test]
fn text_keeps_its_place_among_the_rest() {
    let list = list_of(|list| {
        list.circle(Vec2::ZERO, 10.0, edged(1.0));
        list.text(Vec2::ZERO, vec2(0.5, 0.5), "between", 14.0, RED, Rgba::WHITE);
        list.circle(vec2(5.0, 0.0), 10.0, edged(1.0));
    });
    let shapes = painted(&list, 1, MeshPainter::new);
    let kinds: String = shapes.iter().map(|s| if matches!(s.shape, Shape::Mesh(_)) { 'm' } else { 't' }).collect();
    assert!(kinds.starts_with("mt") && kinds.ends_with("tm") && kinds.matches('m').count() == 2, "{kinds}");
    for clipped in &shapes {
        assert_eq!(clipped.clip_rect, Rect::from_min_size(pos2(10.0, 20.0), egui::vec2(WIDTH as f32, HEIGHT as f32)));
    }
}

#[test]
fn text_is_where_it_should_be() {
    for (anchor, inside) in [
        (vec2(0.0, 0.0), pos2(180.0, 135.0)),
        (vec2(1.0, 0.0), pos2(160.0, 135.0)),
        (vec2(0.0, 1.0), pos2(180.0, 145.0)),
        (vec2(0.5, 0.5), pos2(170.0, 140.0)),
    ] {
        let list = list_of(|list| list.text(Vec2::ZERO, anchor, "HHHH", 20.0, RED, Rgba::WHITE.with_opacity(0.0)));
        let shapes = painted(&list, 1, MeshPainter::new);
        let Some(Shape::Text(text)) = shapes.iter().map(|s| &s.shape).find(|s| matches!(s, Shape::Text(_))) else {
            panic!("no text")
        };
        let letters = text.galley.rows[0].visuals.mesh_bounds.translate(text.pos.to_vec2());
        assert!(letters.contains(inside), "{anchor}: {letters}");
        let middle = pos2(170.0, 140.0) + egui::vec2(0.5 - anchor.x, anchor.y - 0.5) * letters.size();
        assert!((letters.center() - middle).length() < 3.0, "{anchor}: {} and {middle}", letters.center());
    }
}

#[test]
fn hostile_text_is_no_trouble() {
    let list = list_of(|list| {
        for bad in [f32::NAN, f32::INFINITY, 1.0e30, -1.0e30, 0.0] {
            for text in ["", "x", "\n", "\u{10FFFF}\u{0}", "zwei\nZeilen"] {
                list.text(vec2(bad, 0.0), Vec2::ZERO, text, 12.0, RED, BLUE);
                list.text(Vec2::ZERO, vec2(bad, bad), text, 12.0, RED, BLUE);
                list.text(Vec2::ZERO, Vec2::ZERO, text, bad, RED, BLUE);
            }
        }
    });
    for clipped in painted(&list, 2, MeshPainter::new) {
        if let Shape::Text(text) = clipped.shape {
            assert!(text.pos.x.is_finite() && text.pos.y.is_finite());
        }
    }
}

#[test]
fn memory_is_used_again() {
    let list = list_of(|list| (0..500).for_each(|i| list.circle(vec2(i as f32 / 9.0, 0.0), 3.0, edged(1.0))));
    let context = Context::default();
    let mut painter = MeshPainter::new(&context);
    let mut places = Vec::new();
    for _ in 0..6 {
        let rect = Rect::from_min_size(pos2(0.0, 0.0), egui::vec2(WIDTH as f32, HEIGHT as f32));
        let mut output = context.run_ui(RawInput::default(), |ui| painter.paint(&list, &view(), rect, ui.painter()));
        output.textures_delta.clear();
        places.extend(output.shapes.iter().filter_map(|clipped| match &clipped.shape {
            Shape::Mesh(mesh) => Some(mesh.vertices.as_ptr()),
            _ => None,
        }));
    }
    assert_eq!(places.len(), 6);
    assert!(places[2..].iter().all(|place| places[..2].contains(place)), "{places:?}");
    assert!(painter.given.len() + painter.spare.len() <= 3);
}

#[test]
fn a_background_that_is_there_is_not_painted_again() {
    let list = list_of(|list| list.circle(Vec2::ZERO, 10.0, Style::filled(RED)));
    let vertices = |cleared_with: Option<Rgba>| {
        let shapes = painted(&list, 1, |context| {
            let mut painter = MeshPainter::new(context);
            painter.cleared_with = cleared_with;
            painter
        });
        let Shape::Mesh(mesh) = &shapes[0].shape else { panic!("no mesh") };
        mesh.vertices.len()
    };
    assert_eq!((vertices(None), vertices(Some(Rgba::BLACK)), vertices(Some(Rgba::WHITE))), (8, 8, 4));
}
