//! What a frame of the viewer's picture costs: opens a window, draws a scene as fast as it goes, and prints
//! frames per second and where the time went, in milliseconds per frame.
//!
//! ```sh
//! cargo run --release -p carom-viewer --example frame_cost                    # 3,000 boxes and circles
//! cargo run --release -p carom-viewer --example frame_cost -- --scene washer  # a built-in scene
//! ```
//!
//! `--frames N` draws so many (300), `--overlays A,B` shows more, `--zoom X` draws for a screen of another
//! density, and `--out FILE.png` writes the last frame. Without a screen: `xvfb-run -a` before it.
#![forbid(unsafe_code)]
#![allow(clippy::disallowed_methods)] // a window, not an engine

#[path = "../src/paint/mod.rs"]
mod paint;

use carom_core::Rng;
use carom_render::{DrawList, Look, OverlaySet, Picture, Poses, Rgba, Size, Theme, View, encode_png};
use carom_scenes::{About, BuildOptions, Camera, Color, SceneWorld, find};
use carom2d::prelude::*;
use eframe::egui;
use paint::MeshPainter;
use std::error::Error;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

type Anything = Box<dyn Error>;

fn main() -> Result<(), Anything> {
    let request = Request::from_arguments(std::env::args().skip(1))?;
    let size = Size::HD;
    let options = eframe::NativeOptions {
        viewport: egui::ViewportBuilder::default().with_inner_size([size.width() as f32, size.height() as f32]),
        renderer: eframe::Renderer::Glow,
        glow_options: eframe::egui_glow::GlowConfiguration { vsync: false, ..Default::default() },
        persist_window: false,
        dithering: false,
        ..Default::default()
    };
    let run = request.build()?;
    let window = |context: &egui::Context| FrameCost::new(request, run, context);
    eframe::run_native("frame cost", options, Box::new(|creation| Ok(Box::new(window(&creation.egui_ctx)))))?;
    Ok(())
}

/// What was asked for.
#[derive(Debug)]
struct Request {
    scene: Option<String>,
    frames: u32,
    overlays: OverlaySet,
    zoom: f32,
    out: Option<PathBuf>,
}

impl Request {
    fn from_arguments(mut arguments: impl Iterator<Item = String>) -> Result<Request, Anything> {
        let mut request = Request { scene: None, frames: 300, overlays: OverlaySet::default(), zoom: 1.0, out: None };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or_else(|| format!("{name} needs a value"))?;
            match name.as_str() {
                "--scene" => request.scene = Some(value),
                "--frames" => request.frames = value.parse()?,
                "--overlays" => request.overlays = value.parse()?,
                "--zoom" => request.zoom = value.parse()?,
                "--out" => request.out = Some(value.into()),
                _ => return Err(format!("there is no {name}; see the head of this example").into()),
            }
        }
        Ok(request)
    }

    fn build(&self) -> Result<SceneWorld, Anything> {
        Ok(match &self.scene {
            None => gas()?,
            Some(name) => find(name)?.build(&BuildOptions::default())?,
        })
    }
}

/// A box of 3,000 boxes and circles that fly about and lose nothing.
fn gas() -> Result<SceneWorld, DefError> {
    const COLUMNS: u32 = 75;
    const ROWS: u32 = 40;
    let mut world = World::try_new(WorldDef { gravity: Vec2::ZERO, sleeping: false, ..WorldDef::default() })?;
    let (width, height) = (COLUMNS as f32 + 1.0, ROWS as f32 + 1.0);
    for (x, y, w, h) in [
        (0.0, -0.5 * height, width + 1.0, 1.0),
        (0.0, 0.5 * height, width + 1.0, 1.0),
        (-0.5 * width, 0.0, 1.0, height + 1.0),
        (0.5 * width, 0.0, 1.0, height + 1.0),
    ] {
        let wall = world.add_body(BodyDef { position: vec2(x, y), ..BodyDef::fixed() })?;
        world.add_shape(wall, ShapeDef { restitution: 1.0, friction: 0.0, ..ShapeDef::rectangle(w, h) })?;
    }
    let mut random = Rng::new(7);
    let mut bodies = Vec::new();
    for index in 0..COLUMNS * ROWS {
        let (column, row) = ((index % COLUMNS) as f32, (index / COLUMNS) as f32);
        let body = world.add_body(BodyDef {
            position: vec2(column - 0.5 * (COLUMNS - 1) as f32, row - 0.5 * (ROWS - 1) as f32),
            velocity: vec2(random.range(-4.0, 4.0), random.range(-4.0, 4.0)),
            angular_velocity: random.range(-3.0, 3.0),
            ..BodyDef::dynamic()
        })?;
        let outline = if random.below(2) == 0 {
            ShapeDef::rectangle(random.range(0.4, 0.75), random.range(0.4, 0.75))
        } else {
            ShapeDef::circle(random.range(0.25, 0.4))
        };
        world.add_shape(body, ShapeDef { restitution: 1.0, friction: 0.1, ..outline })?;
        bodies.push(body);
    }
    let about = About {
        name: "gas".into(),
        summary: "3,000 boxes and circles that fly about".into(),
        steps: 600,
        dt: 1.0 / 60.0,
        camera: Camera { center: Vec2::ZERO, half_height: 0.5 * height + 0.6 },
    };
    let mut run = SceneWorld::new(about, world);
    for (index, body) in bodies.into_iter().enumerate() {
        run.set_color(body, Color::nth(index));
    }
    Ok(run)
}

/// Times of all frames, by what they were spent on.
#[derive(Debug, Default)]
struct Costs {
    step: Duration,
    list: Duration,
    mesh: Duration,
    /// From the start of a frame to the start of the next.
    frames: Vec<Duration>,
    /// Of the last frame.
    vertices: usize,
    triangles: usize,
}

impl Costs {
    fn report(&mut self, name: &str, bodies: usize, size: Size) -> String {
        let count = self.frames.len().max(1) as f64;
        let mean = |time: Duration| 1.0e3 * time.as_secs_f64() / count;
        let whole = mean(self.frames.iter().sum());
        let (step, list, mesh) = (mean(self.step), mean(self.list), mean(self.mesh));
        self.frames.sort();
        let median = self.frames.get(self.frames.len() / 2).map_or(f64::INFINITY, Duration::as_secs_f64);
        format!(
            "{name}: {bodies} bodies at {size}, {} frames: {:.1} fps mean, {:.1} fps median; a frame {whole:.2} ms = \
             step {step:.2} + draw list {list:.2} + mesh {mesh:.2} + rest {:.2}; {} vertices, {} triangles",
            self.frames.len(),
            1.0e3 / whole,
            1.0 / median,
            whole - step - list - mesh,
            self.vertices,
            self.triangles,
        )
    }
}

/// The window.
struct FrameCost {
    request: Request,
    run: SceneWorld,
    list: DrawList,
    painter: MeshPainter,
    costs: Costs,
    begun: Option<Instant>,
    frame: u32,
    picture: Arc<Mutex<Option<Arc<egui::ColorImage>>>>,
}

/// Frames at the start that do not count: fonts are read, memory grows.
const WARM_UP: u32 = 20;

impl FrameCost {
    fn new(request: Request, run: SceneWorld, context: &egui::Context) -> FrameCost {
        let mut painter = MeshPainter::new(context);
        painter.cleared_with = Some(Theme::Light.background());
        FrameCost {
            request,
            run,
            list: DrawList::default(),
            painter,
            costs: Costs::default(),
            begun: None,
            frame: 0,
            picture: Arc::default(),
        }
    }

    fn draw(&mut self, ui: &egui::Ui) {
        let rect = ui.max_rect();
        let density = ui.ctx().pixels_per_point();
        let pixels = rect.size() * density;
        let Ok(size) = Size::new(pixels.x.round() as u32, pixels.y.round() as u32) else { return };
        let view = View::of_scene(&self.run, size);
        let look = Look { overlays: self.request.overlays, ..Look::default() };
        let times = [Instant::now(), self.step(), self.list(&view, &look), self.mesh(&view, rect, ui.painter())];
        if self.frame >= WARM_UP {
            self.costs.step += times[1] - times[0];
            self.costs.list += times[2] - times[1];
            self.costs.mesh += times[3] - times[2];
        }
    }

    fn step(&mut self) -> Instant {
        self.run.step();
        Instant::now()
    }

    fn list(&mut self, view: &View, look: &Look) -> Instant {
        carom_render::draw(&mut self.list, &self.run, view, look, Poses::Now);
        Instant::now()
    }

    fn mesh(&mut self, view: &View, rect: egui::Rect, painter: &egui::Painter) -> Instant {
        self.painter.paint(&self.list, view, rect, painter);
        Instant::now()
    }

    fn count(&mut self, painter: &egui::Painter) {
        (self.costs.vertices, self.costs.triangles) = (0, 0);
        painter.for_each_shape(|clipped| {
            if let egui::Shape::Mesh(mesh) = &clipped.shape {
                self.costs.vertices += mesh.vertices.len();
                self.costs.triangles += mesh.indices.len() / 3;
            }
        });
    }

    fn finish(&mut self, size: Size) {
        let bodies = self.run.world.bodies().count();
        println!("{}", self.costs.report(&self.run.about().name.clone(), bodies, size));
        if let (Some(path), Some(image)) = (&self.request.out, self.picture.lock().ok().and_then(|mut p| p.take()))
            && let Err(error) = write_png(path, &image)
        {
            eprintln!("{}: {error}", path.display());
        }
    }
}

fn write_png(path: &PathBuf, image: &egui::ColorImage) -> Result<(), Anything> {
    let size = Size::new(image.width() as u32, image.height() as u32)?;
    let rgba: Vec<u8> = image.pixels.iter().flat_map(|pixel| pixel.to_array()).collect();
    Ok(encode_png(std::fs::File::create(path)?, Picture { size, rgba: &rgba }, false)?)
}

impl eframe::App for FrameCost {
    fn clear_color(&self, _visuals: &egui::Visuals) -> [f32; 4] {
        let Rgba { r, g, b, .. } = Theme::Light.background();
        egui::Color32::from_rgb(r, g, b).to_normalized_gamma_f32()
    }

    fn ui(&mut self, ui: &mut egui::Ui, _frame: &mut eframe::Frame) {
        let now = Instant::now();
        if let Some(before) = self.begun.replace(now)
            && self.frame > WARM_UP
            && self.frame <= WARM_UP + self.request.frames
        {
            self.costs.frames.push(now - before);
        }
        if self.frame == 0 {
            ui.ctx().set_pixels_per_point(self.request.zoom);
        }
        self.draw(ui);
        self.frame += 1;
        if self.frame == WARM_UP + self.request.frames {
            self.count(ui.painter());
            let picture = self.picture.clone();
            ui.ctx().request_screenshot(move |image| *picture.lock().unwrap_or_else(|e| e.into_inner()) = Some(image));
        }
        if self.frame == WARM_UP + self.request.frames + 3 {
            self.finish(Size::HD);
            ui.ctx().send_viewport_cmd(egui::ViewportCommand::Close);
        }
        ui.ctx().request_repaint();
    }
}
