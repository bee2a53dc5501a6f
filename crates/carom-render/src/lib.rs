//! Pictures and movies of carom scenes, without a window.
//!
//! A scene becomes a [`DrawList`]: filled and outlined shapes, lines, points and text in world
//! coordinates, for one [`View`]. The list knows nothing of pixels' colours in memory or of files, so
//! any back end can draw it. The one in this crate, [`Canvas`], makes an antialiased picture of it;
//! a [`Film`] turns a run of a scene into such pictures at a steady rate and writes them to a file, or
//! keeps them in memory. Runs may be of any kind: [`draw_run`] draws rigid bodies and particles.
//!
//! ```
//! use carom_render::{Canvas, DrawList, Look, Poses, Size, View, draw_run};
//! use carom_scenes::find_entry;
//!
//! let run = find_entry("cloth")?.build()?;
//! let size = Size::new(320, 180)?;
//! let view = View::of_run(&run, size);
//! let mut list = DrawList::default();
//! draw_run(&mut list, &run, &view, &Look::default(), Poses::Now);
//! let mut canvas = Canvas::new(size);
//! canvas.draw(&list, &view);
//! assert_eq!(canvas.picture().rgba.len(), 320 * 180 * 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | file         | what                                                        |
//! |--------------|-------------------------------------------------------------|
//! | `color.rs`   | colours and how they mix                                    |
//! | `theme.rs`   | which colour everything has, on light and dark              |
//! | `view.rs`    | sizes, the camera, world to pixels and back                 |
//! | `list.rs`    | the draw list                                               |
//! | `subject.rs` | what is drawn: a run of any kind                            |
//! | `poses.rs`   | where things are drawn: where they are, or between steps    |
//! | `run.rs`     | a run of any kind as a draw list                            |
//! | `scene.rs`   | a world as a draw list: grid, bodies, caption               |
//! | `joint.rs`   | ropes, springs and pins, and the overlay of joints          |
//! | `soft.rs`    | soft bodies: one smooth outline                             |
//! | `water.rs`   | fluids with their surface, and particles among bodies       |
//! | `particles.rs`| a particle scene as a draw list: paths, edges, discs, time |
//! | `solid/`     | a scene in space as a draw list: planes, triangles, balls   |
//! | `ball.rs`    | a lit ball, and how bright it is where                      |
//! | `orbit.rs`   | an eye in space that goes around a point                    |
//! | `overlay.rs` | what else can be shown: contacts, boxes, islands, ...       |
//! | `marks.rs`   | what is wrong with a step of a graded trajectory            |
//! | `font.rs`    | outlines of letters                                         |
//! | `geometry.rs`| convex polygons and lines, made smaller or cut              |
//! | `canvas.rs`  | the back end: a draw list as pixels                         |
//! | `svg.rs`     | the other back end: a draw list as vector graphics          |
//! | `film.rs`    | which moments of a run become frames                        |
//! | `output/`    | PNG, GIF, H.264 in MP4, numbered frames; whole files        |
//!
//! Invariants: nothing before `canvas.rs` names a pixel format or a drawing library; drawing never
//! changes a world; the same world, view and look give the same list.
#![forbid(unsafe_code)]

mod ball;
mod canvas;
mod color;
mod error;
mod film;
mod font;
mod geometry;
mod joint;
mod list;
mod marks;
mod orbit;
mod output;
mod overlay;
mod particles;
mod poses;
mod run;
mod scene;
mod soft;
mod solid;
mod subject;
mod surface;
mod svg;
mod theme;
mod view;
mod water;

pub use ball::{Ball, Shade};
pub use canvas::{Canvas, Picture};
pub use color::Rgba;
pub use error::RenderError;
pub use film::{Film, Settings, snapshot, snapshot_through};
pub use geometry::{ellipse_rim, outline_lines};
pub use list::{DrawList, Item, Stroke, Style};
pub use marks::{Marks, draw_marks};
pub use orbit::Orbit;
pub use output::{Format, encode_png};
#[cfg(not(target_arch = "wasm32"))]
pub use output::{WholeFile, remove_unfinished, write_whole};
pub use overlay::{Overlay, OverlaySet, UnknownOverlay};
pub use poses::{Places, Poses};
pub use run::draw_run;
pub use scene::{Decor, Look, draw};
pub use subject::Subject;
pub use svg::write_svg;
pub use theme::Theme;
pub use view::{Size, View};
