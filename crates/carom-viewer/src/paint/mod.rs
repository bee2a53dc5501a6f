//! A draw list on the screen: everything but its text as one mesh. Edges of shapes fade out over a pixel,
//! by a belt of triangles around large shapes and by a texture in small ones. Every graphics card draws
//! that, and a processor without one draws thousands of shapes at a good rate.
//!
//! | file           | what                                                          |
//! |----------------|---------------------------------------------------------------|
//! | `screen.rs`    | how a view lies on the screen                                 |
//! | `pen.rs`       | the items of a list: what is seen, what is cut, what is small |
//! | `figure.rs`    | shapes by how they are drawn                                  |
//! | `rim.rs`       | corners of a convex shape, and how they move inwards          |
//! | `triangles.rs` | all of it as triangles with soft edges                        |
//! | `stamp.rs`     | the texture                                                   |
//! | `circle.rs`    | tables of circles                                             |
//! | `clip.rs`      | cuts off what is far away                                     |
//! | `dash.rs`      | paths in pieces                                               |
//! | `ink.rs`       | colours that are laid over each other                         |
//! | `text.rs`      | text, with egui's fonts                                       |
//!
//! All but `text.rs` count in pixels of the screen; egui's points appear where a vertex is written down.

mod circle;
mod clip;
mod dash;
mod figure;
mod ink;
mod pen;
mod rim;
mod screen;
mod stamp;
mod text;
mod triangles;

#[cfg(test)]
mod tests;

use carom_render::{DrawList, Item, Rgba, View};
use eframe::egui::{Context, Mesh, Painter, Rect, Shape, TextureHandle, TextureOptions};
use pen::Pen;
use screen::Screen;
use stamp::Stamps;
use std::sync::Arc;
use text::Label;

/// Paints draw lists with egui. It keeps its memory, and its texture, from one frame to the next.
pub(crate) struct MeshPainter {
    /// What the window has been cleared with, if that is known: a background of this colour is there
    /// already. To paint it once more takes a processor without a graphics card several milliseconds.
    pub(crate) cleared_with: Option<Rgba>,
    pen: Pen,
    texture: TextureHandle,
    /// What egui was given in the last frame.
    given: Vec<Arc<Mesh>>,
    /// Memory of meshes that egui is done with.
    spare: Vec<Mesh>,
}

impl MeshPainter {
    /// A painter for windows of `context`.
    pub(crate) fn new(context: &Context) -> MeshPainter {
        let stamps = Stamps::new();
        let texture = context.load_texture("stamps", stamps.image(), TextureOptions::LINEAR);
        MeshPainter { cleared_with: None, pen: Pen::new(stamps), texture, given: Vec::new(), spare: Vec::new() }
    }

    /// Paints a list that was made for `view`, which fills `rect`, in points. Pixels of the view may have
    /// any size on the screen.
    pub(crate) fn paint(&mut self, list: &DrawList, view: &View, rect: Rect, painter: &Painter) {
        let painter = painter.with_clip_rect(rect.intersect(painter.clip_rect()));
        let Some(screen) = Screen::new(view, rect, painter.clip_rect(), painter.pixels_per_point()) else { return };
        self.begin(&screen);
        if let Some(background) = list.background()
            && self.cleared_with != Some(background)
        {
            self.pen.background(background, &screen);
        }
        for item in list.items() {
            if let Item::Text { at, anchor, text, size, color, halo } = item {
                self.hand_over(&painter);
                Label { at, anchor, text, size, color, halo }.paint(&screen, &painter);
            } else {
                self.pen.item(item, &screen);
            }
        }
        self.hand_over(&painter);
    }

    /// Takes back the memory that egui is done with. The mesh used first, which is the largest, goes on
    /// top.
    fn begin(&mut self, screen: &Screen) {
        self.spare.insert(0, self.pen.triangles.replace(Mesh::default()));
        self.spare.extend(self.given.drain(..).rev().filter_map(Arc::into_inner));
        let mesh = self.spare.pop().unwrap_or_default();
        self.pen.triangles.begin(mesh, self.texture.id(), screen.pixels_per_point);
    }

    /// Gives egui what has been drawn so far.
    fn hand_over(&mut self, painter: &Painter) {
        if !self.pen.triangles.is_empty() {
            let mesh = Arc::new(self.pen.triangles.replace(self.spare.pop().unwrap_or_default()));
            painter.add(Shape::Mesh(mesh.clone()));
            self.given.push(mesh);
        }
    }
}

impl std::fmt::Debug for MeshPainter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MeshPainter").finish_non_exhaustive()
    }
}
