//! The picture in the middle: drawing, dragging, creating.

use crate::eye::Eye;
use crate::hands::{self, Cue, Picked};
use crate::paint::MeshPainter;
use crate::session::{Command, Pull, Session};
use crate::settings::{Settings, picture_theme};
use crate::tool::{Draft, Tool};
use carom_render::{
    Decor, DrawList, Look, Marks, Orbit, Poses, Rgba, Stroke, Style, View, draw_run, ellipse_rim, outline_lines,
};
use carom_scenes::{Run, SceneWorld};
use carom2d::math::{Aabb, Pose, Vec2, vec2};
use carom2d::shape::Geometry;
use carom2d::{BodyId, BodyKind, QueryFilter, World};
use eframe::egui::{self, CursorIcon, PointerButton, Sense, Ui};

/// How near a body a finger must come, in points.
const FINGER: f32 = 14.0;
/// How near the first corner of a polygon ends it, in points.
const CLOSE: f32 = 12.0;

/// The picture and what the pointer does in it.
pub(crate) struct Stage {
    pub(crate) eye: Eye,
    pub(crate) tool: Tool,
    pub(crate) draft: Draft,
    /// What was clicked in a scene of particles or in space.
    pub(crate) picked: Option<Picked>,
    /// The cue of a game of pool, while it is drawn back.
    pub(crate) cue: Option<Cue>,
    list: DrawList,
    painter: MeshPainter,
    /// Where it was drawn last, and how.
    last: Option<(egui::Rect, View)>,
    /// The pointer moves the view.
    panning: bool,
    /// How many bodies have been made, for their colours.
    made: usize,
}

/// What happened on the stage.
#[derive(Debug, Default)]
pub(crate) struct Happened {
    /// Something the user should be told.
    pub(crate) notes: Vec<String>,
    /// A body was clicked.
    pub(crate) clicked_body: bool,
    /// The user did something: the hint has done its work.
    pub(crate) touched: bool,
}

/// The pointer over the picture.
#[derive(Clone, Copy)]
struct Pointer<'a> {
    ui: &'a Ui,
    response: &'a egui::Response,
    /// Where it is, in metres.
    at: Vec2,
    /// How near it must come to a body, in metres.
    reach: f32,
    /// It was pressed in this frame.
    pressed: bool,
    /// It is held down.
    down: bool,
}

impl Stage {
    pub(crate) fn new(ctx: &egui::Context) -> Stage {
        Stage {
            eye: Eye::new(),
            tool: Tool::Hand,
            draft: Draft::None,
            picked: None,
            cue: None,
            list: DrawList::default(),
            painter: MeshPainter::new(ctx),
            last: None,
            panning: false,
            made: 0,
        }
    }

    /// Where the picture is in the window, and what it shows.
    pub(crate) fn last(&self) -> Option<(egui::Rect, View)> {
        self.last
    }

    /// Chooses what the pointer does.
    pub(crate) fn choose(&mut self, tool: Tool) {
        self.tool = tool;
        self.draft = Draft::None;
    }

    /// Draws the run into all the room there is, and does what the pointer asks for.
    pub(crate) fn show(
        &mut self,
        ui: &mut Ui,
        session: &mut Session,
        selected: &mut Option<BodyId>,
        settings: &Settings,
        marks: &[(Marks, f32)],
    ) -> Happened {
        let (rect, response) = ui.allocate_exact_size(ui.available_size(), Sense::click_and_drag());
        response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::Canvas, true, "stage"));
        let view = self.eye.view(session.run(), rect);
        self.move_view(ui, &response, rect, &view, session.pull().is_some() || self.cue.is_some());
        let happened = self.point(ui, &response, session, selected, settings, (rect, &view));
        // What the pointer did shows at once.
        let view = self.eye.view(session.run(), rect);
        self.last = Some((rect, view));
        self.draw(ui, session, *selected, settings, marks, (rect, &view));
        happened
    }

    // ---- looking around -------------------------------------------------------------------------

    fn move_view(&mut self, ui: &Ui, response: &egui::Response, rect: egui::Rect, view: &View, is_held: bool) {
        let to_world = |at: egui::Pos2| view.to_world(vec2(at.x - rect.left(), at.y - rect.top()));
        if let Some(touch) = ui.ctx().multi_touch()
            && rect.contains(touch.center_pos)
        {
            self.eye.pan(view, touch.translation_delta);
            self.eye.zoom(to_world(touch.center_pos), touch.zoom_delta);
            return;
        }
        if let Some(at) = response.hover_pos() {
            let (scroll, zoom) = ui.input(|input| (input.smooth_scroll_delta(), input.zoom_delta()));
            let factor = zoom * (0.004 * scroll.y).exp();
            self.eye.zoom(to_world(at), factor);
            self.eye.pan(view, egui::vec2(scroll.x, 0.0));
        }
        let other_button = response.dragged_by(PointerButton::Middle) || response.dragged_by(PointerButton::Secondary);
        if other_button || (self.panning && response.dragged()) {
            self.eye.pan(view, response.drag_delta());
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        } else if view.orbit.is_some() && !is_held && response.dragged_by(PointerButton::Primary) {
            self.eye.turn(view, response.drag_delta());
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        }
    }

    // ---- the pointer ----------------------------------------------------------------------------

    fn point(
        &mut self,
        ui: &Ui,
        response: &egui::Response,
        session: &mut Session,
        selected: &mut Option<BodyId>,
        settings: &Settings,
        (rect, view): (egui::Rect, &View),
    ) -> Happened {
        let mut happened = Happened::default();
        let two_fingers = ui.ctx().multi_touch().is_some();
        let (pressed, down) = ui.input(|input| (input.pointer.primary_pressed(), input.pointer.primary_down()));
        // Browsers tell of a finger twice, as a pointer and as a touch: what is held already is not grabbed again.
        let pressed = pressed && response.is_pointer_button_down_on() && session.pull().is_none();
        // By the end of a slow frame the pointer is not where it was pressed.
        let origin = ui.input(|input| input.pointer.press_origin()).filter(|_| pressed);
        let at = origin.or(response.interact_pointer_pos()).or(response.hover_pos());
        let at = at.map(|at| view.to_world(vec2(at.x - rect.left(), at.y - rect.top())));
        happened.touched |= pressed || response.clicked();
        if two_fingers || !down {
            session.release();
            self.panning = false;
            if let Some(cue) = self.cue.take().filter(|_| !two_fingers) {
                note(&mut happened, cue.strike(session));
            }
        }
        if two_fingers {
            self.draft = Draft::None;
            return happened;
        }
        let Some(at) = at else { return happened };
        let reach = if ui.input(|input| input.any_touches()) { FINGER } else { 3.0 } * view.pixel();
        let pointer = Pointer { ui, response, at, reach, pressed, down };
        if let Some(orbit) = view.orbit {
            self.hand_in_space(session, &orbit, pointer, &mut happened);
            return happened;
        }
        if session.run().as_particles().is_some() {
            self.hand_on_particles(session, pointer, &mut happened);
            return happened;
        }
        match self.tool {
            Tool::Hand => self.hand(session, selected, pointer, &mut happened),
            Tool::Circle | Tool::Box => self.drag_out(session, settings, pointer, &mut happened),
            Tool::Polygon => self.corners(session, settings, pointer, view, &mut happened),
            Tool::Erase => {
                ui.ctx().set_cursor_icon(CursorIcon::Crosshair);
                if response.clicked()
                    && let Some(body) = pick(session.run(), at, reach)
                {
                    note(&mut happened, session.command(Command::Delete(body)));
                }
                self.panning |= pressed && pick(session.run(), at, reach).is_none();
            }
            Tool::Explode => {
                ui.ctx().set_cursor_icon(CursorIcon::Crosshair);
                if response.clicked() && session.run().as_rigid().is_some() {
                    note(&mut happened, session.command(Command::Explode(at)));
                }
                self.panning |= pressed;
            }
        }
        happened
    }

    /// In space: bodies are pulled, clicked and, in a game of pool, struck.
    fn hand_in_space(&mut self, session: &mut Session, orbit: &Orbit, pointer: Pointer<'_>, happened: &mut Happened) {
        let Pointer { ui, response, at, pressed, .. } = pointer;
        if let Some(cue) = &mut self.cue {
            cue.draw_back(session.run(), orbit, at);
            return;
        }
        if session.pull().is_some() {
            hands::pull_in_space(ui, session, orbit, at);
        } else {
            let hit = hands::body_at(session.run(), orbit, at).filter(|hit| hands::is_dynamic(session.run(), hit.0));
            if let (Some((body, point)), true) = (hit, pressed) {
                self.cue = Cue::take(session.run(), body, point);
                if self.cue.is_none() {
                    session.grab_in_space(body, point);
                }
            } else if hit.is_some() && response.hovered() {
                ui.ctx().set_cursor_icon(CursorIcon::Grab);
            }
        }
        if response.double_clicked() {
            self.eye.fit();
        } else if response.clicked() {
            self.picked = hands::body_at(session.run(), orbit, at).map(|(body, _)| Picked::Body(body));
            self.picked = self.picked.filter(|picked| picked.path(session.run()).is_some());
            happened.clicked_body = self.picked.is_some();
        }
    }

    /// Particles are pulled and clicked.
    fn hand_on_particles(&mut self, session: &mut Session, pointer: Pointer<'_>, happened: &mut Happened) {
        let Pointer { ui, response, at, reach, pressed, .. } = pointer;
        let particle = hands::particle_at(session.run(), at, reach);
        let movable = particle.filter(|&index| hands::is_free(session.run(), index));
        if pressed {
            match movable {
                Some(index) => session.grab_particle(index, at),
                None => self.panning = true,
            }
        }
        if session.pull().is_some() {
            session.drag_particle(at);
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        } else if response.hovered() && movable.is_some() {
            ui.ctx().set_cursor_icon(CursorIcon::Grab);
        }
        if response.double_clicked() {
            self.eye.fit();
        } else if response.clicked() {
            self.picked = particle.map(Picked::Particle);
            happened.clicked_body = particle.is_some();
        }
    }

    fn hand(
        &mut self,
        session: &mut Session,
        selected: &mut Option<BodyId>,
        pointer: Pointer<'_>,
        happened: &mut Happened,
    ) {
        let Pointer { ui, response, at, reach, pressed, .. } = pointer;
        let body = pick(session.run(), at, reach);
        let is_dynamic = |id: BodyId| is_movable(session.run(), id);
        if pressed {
            match body.filter(|id| is_dynamic(*id)) {
                Some(id) => session.grab(id, at),
                None => self.panning = true,
            }
        }
        if session.pull().is_some() {
            session.drag(at);
            ui.ctx().set_cursor_icon(CursorIcon::Grabbing);
        } else if response.hovered() && body.is_some_and(|id| is_movable(session.run(), id)) {
            ui.ctx().set_cursor_icon(CursorIcon::Grab);
        }
        if response.double_clicked() {
            match body {
                Some(id) => self.eye.follow = Some(id),
                None => self.eye.fit(),
            }
        } else if response.clicked() {
            *selected = body;
            happened.clicked_body = body.is_some();
        }
    }

    fn drag_out(&mut self, session: &mut Session, settings: &Settings, pointer: Pointer<'_>, happened: &mut Happened) {
        let Pointer { response, at, pressed, down, .. } = pointer;
        if pressed {
            self.draft = Draft::Drag { from: at, to: at };
        }
        if let Draft::Drag { to, .. } = &mut self.draft
            && response.contains_pointer()
        {
            *to = at;
        }
        if !down {
            self.finish(session, settings, happened);
        }
    }

    fn corners(
        &mut self,
        session: &mut Session,
        settings: &Settings,
        pointer: Pointer<'_>,
        view: &View,
        happened: &mut Happened,
    ) {
        let Pointer { response, at, .. } = pointer;
        if !response.clicked() {
            return;
        }
        let Draft::Corners(corners) = &mut self.draft else {
            self.draft = Draft::Corners(vec![at]);
            return;
        };
        let closes = corners.len() >= 3 && (corners[0] - at).length() < CLOSE * view.pixel();
        if !closes && !response.double_clicked() {
            corners.push(at);
        }
        if closes || response.double_clicked() {
            self.finish(session, settings, happened);
        }
    }

    /// Makes a body of the draft, if it is one.
    pub(crate) fn finish(&mut self, session: &mut Session, settings: &Settings, happened: &mut Happened) {
        let draft = std::mem::take(&mut self.draft);
        if let Some((position, shape)) = draft.shape(self.tool, None) {
            let (body, shape, color) = settings.new_bodies.make(position, shape, self.made);
            self.made += 1;
            note(happened, session.command(Command::create(body, shape, color)));
        }
    }

    // ---- drawing --------------------------------------------------------------------------------

    fn draw(
        &mut self,
        ui: &Ui,
        session: &Session,
        selected: Option<BodyId>,
        settings: &Settings,
        marks: &[(Marks, f32)],
        (rect, view): (egui::Rect, &View),
    ) {
        let look = Look {
            theme: picture_theme(ui.ctx()),
            overlays: settings.overlay_set(),
            decor: if settings.grid { Decor::Grid } else { Decor::None },
        };
        let (before, alpha) = session.between();
        let poses = if alpha < 1.0 { Poses::Between { before, alpha } } else { Poses::Now };
        draw_run(&mut self.list, session.run(), view, &look, poses);
        let background = self.list.background().unwrap_or(Rgba::WHITE);
        for (marks, opacity) in marks {
            marks.draw(&mut self.list, view, background, *opacity);
        }
        let color = rgba(ui.visuals().hyperlink_color);
        if let Some(picked) = self.picked {
            picked.mark(&mut self.list, session.run(), view, color);
        }
        if let (Some(cue), Some(orbit)) = (&self.cue, &view.orbit) {
            cue.draw(&mut self.list, session.run(), orbit, color);
        }
        if let Run::Rigid(run) = session.run() {
            mark_selected(&mut self.list, run, selected, poses, ui);
        }
        if let Some([held, hand]) = hand_in_picture(session, view, poses) {
            let color = rgba(ui.visuals().hyperlink_color);
            self.list.line(held, hand, Stroke::solid(color, 2.0));
            self.list.point(held, 4.0, color);
        }
        self.draw_draft(ui, rect, view);
        self.painter.paint(&self.list, view, rect, &ui.painter_at(rect));
        if let Some(cue) = &self.cue {
            hands::tell_speed(ui, cue, session.run());
        }
    }

    fn draw_draft(&mut self, ui: &Ui, rect: egui::Rect, view: &View) {
        let pointer = ui.input(|input| input.pointer.hover_pos()).filter(|at| rect.contains(*at));
        let next = pointer.map(|at| view.to_world(vec2(at.x - rect.left(), at.y - rect.top())));
        let color = rgba(ui.visuals().hyperlink_color);
        if let Some((position, shape)) = self.draft.shape(self.tool, next)
            && let Ok(geometry) = shape.build()
        {
            let style = Style { fill: Some(color.with_opacity(0.25)), outline: Some(Stroke::solid(color, 2.0)) };
            outline(&mut self.list, &geometry, Pose::new(position, 0.0), style);
        }
        if let Draft::Corners(corners) = &self.draft {
            for corner in corners {
                self.list.point(*corner, 4.0, color);
            }
            if let (Some(last), Some(next)) = (corners.last(), next) {
                self.list.line(*last, next, Stroke::dashed(color, 1.5));
            }
        }
    }
}

/// Where the hand holds a body, and where the hand is.
fn hand_in_picture(session: &Session, view: &View, poses: Poses<'_>) -> Option<[Vec2; 2]> {
    match (session.pull()?, session.run()) {
        (Pull::Plane(hold), Run::Rigid(run)) => {
            let body = run.world.get_body(hold.body)?;
            let pose = poses_of(poses, &run.world, hold.body).unwrap_or(body.pose());
            Some([pose.point(hold.local), hold.target])
        }
        (Pull::Particle(hold), Run::Particles(run)) => {
            let place = run.scene.system.positions().get(hold.body)?;
            Some([vec2(place.x as f32, place.y as f32), hold.target])
        }
        (Pull::Space(hold), Run::Solid(run)) => {
            let (body, orbit) = (run.scene.world.get_body(hold.body)?, view.orbit?);
            Some([orbit.project(body.world_point(hold.local))?, orbit.project(hold.target)?])
        }
        _ => None,
    }
}

fn note<T>(happened: &mut Happened, result: Result<T, String>) {
    if let Err(error) = result {
        happened.notes.push(error);
    }
}

/// Can a hand move it?
fn is_movable(run: &Run, id: BodyId) -> bool {
    let body = run.as_rigid().and_then(|run| run.world.get_body(id));
    body.is_some_and(|body| body.kind() == BodyKind::Dynamic)
}

/// The body at a point, or the nearest one within reach. What moves goes before what does not.
fn pick(run: &Run, at: Vec2, reach: f32) -> Option<BodyId> {
    let world = &run.as_rigid()?.world;
    let filter = QueryFilter { sensors: true, ..QueryFilter::default() };
    let rank = |id: &BodyId| match world.body(*id).kind() {
        BodyKind::Dynamic => 2,
        BodyKind::Kinematic => 1,
        BodyKind::Fixed => 0,
    };
    let body_of = |shape| world.shape(shape).body();
    // Later bodies are drawn in front.
    let inside = world.shapes_at(at, filter).ok()?.into_iter().map(body_of).max_by_key(rank);
    let movable = |id: &BodyId| rank(id) == 2;
    inside.filter(movable).or_else(|| near(world, at, reach).filter(movable)).or(inside)
}

/// The nearest body that moves, within reach.
fn near(world: &World, at: Vec2, reach: f32) -> Option<BodyId> {
    let around = Aabb::new(at, at).grown(reach);
    let shapes = world.shapes_in_aabb(around, QueryFilter::default()).ok()?;
    let distance = |shape| {
        let shape = world.shape(shape);
        let pose = world.body(shape.body()).pose();
        (pose.point(shape.geometry().closest_point(pose.inv_point(at))) - at).length()
    };
    let moving = shapes.into_iter().filter(|shape| world.body(world.shape(*shape).body()).kind() == BodyKind::Dynamic);
    let nearest = moving.map(|shape| (distance(shape), shape)).filter(|(distance, _)| *distance <= reach);
    nearest.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, shape)| world.shape(shape).body())
}

fn poses_of(poses: Poses<'_>, world: &World, id: BodyId) -> Option<Pose> {
    world.get_body(id).map(|body| poses.of(&body))
}

fn mark_selected(list: &mut DrawList, run: &SceneWorld, selected: Option<BodyId>, poses: Poses<'_>, ui: &Ui) {
    let Some(body) = selected.and_then(|id| run.world.get_body(id)) else { return };
    let pose = poses.of(&body);
    if !pose.is_finite() {
        return;
    }
    let color = rgba(ui.visuals().hyperlink_color);
    let style = Style::outlined(Stroke::solid(color, 3.0));
    for shape in body.shapes() {
        outline(list, run.world.shape(shape).geometry(), pose, style);
    }
    list.point(pose.point(body.local_center()), 3.5, color);
}

/// The outline of a shape, in the world.
fn outline(list: &mut DrawList, geometry: &Geometry, pose: Pose, style: Style) {
    match geometry {
        Geometry::Circle(circle) => list.circle(pose.point(circle.center), circle.radius, style),
        Geometry::Capsule(capsule) => list.capsule(pose.point(capsule.a), pose.point(capsule.b), capsule.radius, style),
        Geometry::Segment(segment) => {
            if let Some(stroke) = style.outline {
                list.line(pose.point(segment.a), pose.point(segment.b), stroke);
            }
        }
        Geometry::Polygon(polygon) => list.polygon(polygon.vertices().iter().map(|v| pose.point(*v)), style),
        Geometry::Ellipse(ellipse) => list.polygon(ellipse_rim(ellipse, 0.0, 64).map(|p| pose.point(p)), style),
        Geometry::Chain(_) | Geometry::Concave(_) | Geometry::Part(_) => {
            if let Some(stroke) = style.outline {
                for (a, b) in outline_lines(geometry) {
                    list.line(pose.point(a), pose.point(b), stroke);
                }
            }
        }
    }
}

fn rgba(color: egui::Color32) -> Rgba {
    let [r, g, b, _] = color.to_array();
    Rgba::new(r, g, b)
}
