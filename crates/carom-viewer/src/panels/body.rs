//! The inspector: everything about the selected body, to read and to change.

use crate::app::App;
use crate::console::Edit;
use crate::property;
use crate::session::Command;
use carom_scenes::{Run, SceneWorld};
use carom2d::math::Vec2;
use carom2d::shape::Geometry;
use carom2d::{BodyId, BodyKind, BodyRef, JointKind, ShapeRef};
use eframe::egui::{self, CollapsingHeader, ComboBox, DragValue, Grid, RichText, Slider, Ui};
use std::fmt::Display;

const KINDS: [(BodyKind, &str); 3] =
    [(BodyKind::Dynamic, "dynamic"), (BodyKind::Kinematic, "kinematic"), (BodyKind::Fixed, "fixed")];

/// Changes that the user made in this frame.
#[derive(Default)]
struct Wishes {
    edits: Vec<Edit>,
    delete: bool,
    follow: bool,
}

impl Wishes {
    fn set(&mut self, path: impl Display, value: impl Display) {
        self.edits.push(Edit::Set { path: path.to_string(), value: value.to_string() });
    }

    fn vector(&mut self, path: impl Display, value: Vec2) {
        self.set(path, format_args!("{}, {}", value.x, value.y));
    }
}

impl App {
    pub(crate) fn show_body(&mut self, ui: &mut Ui) {
        let Some(run) = self.session.run().as_rigid() else {
            if !self.show_picked(ui) {
                ui.add_space(8.0);
                ui.label("Click a ball or a particle to see everything about it, and to change it while it moves.");
                self.show_system(ui);
            }
            return;
        };
        let Some(id) = self.selected.filter(|id| run.world.contains_body(*id)) else {
            ui.add_space(8.0);
            ui.label("Click a body to see everything about it, and to change it while it moves.");
            self.show_body_list(ui);
            return;
        };
        let mut wishes = Wishes::default();
        show(ui, self.session.run(), run, id, &mut wishes);
        if wishes.follow {
            self.stage.eye.follow = Some(id);
        }
        for edit in wishes.edits {
            self.command(Command::Edit(edit));
        }
        if wishes.delete {
            self.delete_selected();
        }
    }

    /// The first bodies of the world, to be chosen by number.
    fn show_body_list(&mut self, ui: &mut Ui) {
        const MOST: usize = 60;
        let Some(run) = self.session.run().as_rigid() else { return };
        super::heading(ui, &format!("{} bodies", run.world.body_count()));
        let mut chosen = None;
        ui.horizontal_wrapped(|ui| {
            for id in run.world.bodies().take(MOST) {
                let color = run.color(id);
                let fill = egui::Color32::from_rgb(color.r, color.g, color.b);
                let text = RichText::new(id.index().to_string()).color(contrast(fill));
                if ui.add(egui::Button::new(text).fill(fill)).clicked() {
                    chosen = Some(id);
                }
            }
            if run.world.body_count() > MOST {
                ui.weak("…");
            }
        });
        self.selected = chosen.or(self.selected);
    }
}

/// Black or white, whichever is read more easily on a colour.
fn contrast(on: egui::Color32) -> egui::Color32 {
    let [r, g, b, _] = on.to_array().map(u32::from);
    if 3 * r + 6 * g + b > 1400 { egui::Color32::BLACK } else { egui::Color32::WHITE }
}

fn show(ui: &mut Ui, whole: &Run, run: &SceneWorld, id: BodyId, wishes: &mut Wishes) {
    let body = run.world.body(id);
    let path = format!("body.{}", id.index());
    show_head(ui, run, &body, &path, wishes);
    super::heading(ui, "Surface and shape");
    let shapes: Vec<_> = body.shapes().collect();
    for (i, shape) in shapes.iter().enumerate() {
        let shape = run.world.shape(*shape);
        let title = format!("Shape {i}: {}", kind_of(shape.geometry()));
        let header = CollapsingHeader::new(title).id_salt(("shape", i)).default_open(i == 0);
        header.show(ui, |ui| show_shape(ui, whole, &shape, &format!("{path}.shape.{i}"), wishes));
    }
    show_add_shape(ui, id, wishes);
    super::heading(ui, "Motion");
    show_motion(ui, &body, &path, wishes);
    super::heading(ui, "Mass and damping");
    show_mass(ui, &body, &path, wishes);
    super::heading(ui, "Switches");
    show_flags(ui, &body, &path, wishes);
    show_joints(ui, run, id, wishes);
    super::heading(ui, "Touches");
    show_contacts(ui, run, id);
}

fn show_head(ui: &mut Ui, run: &SceneWorld, body: &BodyRef<'_>, path: &str, wishes: &mut Wishes) {
    ui.add_space(4.0);
    ui.horizontal(|ui| {
        let color = run.color(body.id());
        let mut rgb = [color.r, color.g, color.b];
        if ui.color_edit_button_srgb(&mut rgb).changed() {
            wishes.set(format_args!("{path}.color"), format_args!("#{:02x}{:02x}{:02x}", rgb[0], rgb[1], rgb[2]));
        }
        ui.label(RichText::new(format!("Body {}", body.id().index())).strong().size(17.0));
        let mut kind = body.kind();
        let text = KINDS.iter().find(|(known, _)| *known == kind).map_or("", |(_, name)| *name);
        ComboBox::from_id_salt("kind").width(86.0).selected_text(text).show_ui(ui, |ui| {
            for (choice, name) in KINDS {
                ui.selectable_value(&mut kind, choice, name);
            }
        });
        if kind != body.kind()
            && let Some((_, name)) = KINDS.iter().find(|(known, _)| *known == kind)
        {
            wishes.set(format_args!("{path}.kind"), name);
        }
    });
    ui.horizontal(|ui| {
        wishes.follow = ui.button("Follow").on_hover_text("Keep it in the middle").clicked();
        wishes.delete = ui.button("Delete").on_hover_text("Delete").clicked();
    });
}

/// A number that can be dragged or typed. Says whether it was changed.
fn number(ui: &mut Ui, name: &str, value: &mut f32, speed: f64, unit: &str) -> bool {
    ui.label(name);
    let changed = ui.add(DragValue::new(value).speed(speed).max_decimals(4).suffix(unit)).changed();
    ui.end_row();
    changed
}

/// Two numbers.
fn vector(ui: &mut Ui, name: &str, value: &mut Vec2, unit: &str) -> bool {
    ui.label(name);
    let mut changed = false;
    ui.horizontal(|ui| {
        for part in [&mut value.x, &mut value.y] {
            changed |= ui.add(DragValue::new(part).speed(0.02).max_decimals(3)).changed();
        }
        ui.weak(unit);
    });
    ui.end_row();
    changed
}

fn show_motion(ui: &mut Ui, body: &BodyRef<'_>, path: &str, wishes: &mut Wishes) {
    Grid::new("motion").num_columns(2).show(ui, |ui| {
        let mut position = body.position();
        if vector(ui, "position", &mut position, "m") {
            wishes.vector(format_args!("{path}.position"), position);
        }
        let mut degrees = body.angle().to_degrees();
        if number(ui, "angle", &mut degrees, 0.5, "°") {
            wishes.set(format_args!("{path}.angle_degrees"), degrees);
        }
        let mut velocity = body.velocity();
        if vector(ui, "velocity", &mut velocity, "m/s") {
            wishes.vector(format_args!("{path}.velocity"), velocity);
        }
        let mut spin = body.angular_velocity();
        if number(ui, "spin", &mut spin, 0.05, " rad/s") {
            wishes.set(format_args!("{path}.angular_velocity"), spin);
        }
        ui.label("energy");
        ui.monospace(format!("{:.4} J", body.kinetic_energy()));
        ui.end_row();
    });
}

fn show_mass(ui: &mut Ui, body: &BodyRef<'_>, path: &str, wishes: &mut Wishes) {
    Grid::new("mass").num_columns(2).show(ui, |ui| {
        let mut property = |name: &str, field: &str, value: f32, speed: f64, unit: &str| {
            let mut new = value;
            if number(ui, name, &mut new, speed, unit) && new != value {
                wishes.set(format_args!("{path}.{field}"), new);
            }
        };
        if body.kind() == BodyKind::Dynamic {
            property("mass", "mass", body.mass(), 0.01 * f64::from(body.mass()).max(0.01), " kg");
            property("inertia", "inertia", body.inertia(), 0.01 * f64::from(body.inertia()).max(0.01), " kg m²");
        }
        property("gravity", "gravity_scale", body.gravity_scale(), 0.01, " ×");
        property("drag", "linear_damping", body.linear_damping(), 0.01, " /s");
        property("spin drag", "angular_damping", body.angular_damping(), 0.01, " /s");
        property("sleep below", "sleep_speed", body.sleep_speed(), 0.005, " m/s");
    });
}

fn show_flags(ui: &mut Ui, body: &BodyRef<'_>, path: &str, wishes: &mut Wishes) {
    let locked = body.locked();
    let flags = [
        ("awake", "awake", body.is_awake()),
        ("part of the world", "enabled", body.is_enabled()),
        ("may sleep", "can_sleep", body.can_sleep()),
        ("bullet", "bullet", body.is_bullet()),
        ("x locked", "locked.x", locked.x),
        ("y locked", "locked.y", locked.y),
        ("rotation locked", "locked.rotation", locked.rotation),
    ];
    ui.horizontal_wrapped(|ui| {
        for (name, field, value) in flags {
            let mut new = value;
            if ui.checkbox(&mut new, name).changed() {
                wishes.set(format_args!("{path}.{field}"), new);
            }
        }
    });
}

fn show_shape(ui: &mut Ui, whole: &Run, shape: &ShapeRef<'_>, path: &str, wishes: &mut Wishes) {
    let material = shape.material();
    let mut slider = |ui: &mut Ui, field: &str, value: f32, most: f32| {
        let mut new = value;
        let slider = Slider::new(&mut new, 0.0..=most).clamping(egui::SliderClamping::Edits).text(field);
        if ui.add(slider).changed() {
            wishes.set(format_args!("{path}.{field}"), new);
        }
    };
    slider(ui, "friction", material.friction, 2.0);
    slider(ui, "restitution", material.restitution, 1.0);
    Grid::new((path, "surface")).num_columns(2).show(ui, |ui| {
        let mut property = |name: &str, field: &str, value: f32, unit: &str| {
            let mut new = value;
            if number(ui, name, &mut new, 0.01, unit) && new != value {
                wishes.set(format_args!("{path}.{field}"), new);
            }
        };
        property("density", "density", shape.density(), " kg/m²");
        property("rolling", "rolling_resistance", material.rolling_resistance, "");
        property("belt speed", "surface_speed", material.surface_speed, " m/s");
        if let Some(direction) = shape.one_way() {
            let mut new = direction;
            // (0, 0) would end it: that is what the box below is for.
            if vector(ui, "holds towards", &mut new, "") && new != direction && new != Vec2::ZERO {
                wishes.vector(format_args!("{path}.one_way"), new);
            }
        }
        show_geometry(ui, whole, shape.geometry(), path, wishes);
    });
    ui.horizontal(|ui| {
        let mut sensor = shape.is_sensor();
        if ui.checkbox(&mut sensor, "sensor").on_hover_text("Notices what overlaps it, and touches nothing").changed() {
            wishes.set(format_args!("{path}.sensor"), sensor);
        }
        let mut one_way = shape.one_way().is_some();
        let hint = "Holds what comes to lie on it from above, and lets pass what comes from elsewhere";
        if ui.checkbox(&mut one_way, "one-way").on_hover_text(hint).changed() {
            wishes.vector(format_args!("{path}.one_way"), if one_way { Vec2::Y } else { Vec2::ZERO });
        }
        if ui.small_button("Remove shape").clicked() {
            wishes.edits.push(Edit::Remove { path: path.to_owned() });
        }
    });
}

fn show_geometry(ui: &mut Ui, whole: &Run, geometry: &Geometry, path: &str, wishes: &mut Wishes) {
    let radius = |ui: &mut Ui, value: f32, wishes: &mut Wishes| {
        let mut new = value;
        if number(ui, "radius", &mut new, 0.01, " m") && new != value {
            wishes.set(format_args!("{path}.radius"), new);
        }
    };
    let ends = |ui: &mut Ui, a: Vec2, b: Vec2, wishes: &mut Wishes| {
        for (name, value) in [("a", a), ("b", b)] {
            let mut new = value;
            if vector(ui, name, &mut new, "m") && new != value {
                wishes.vector(format_args!("{path}.{name}"), new);
            }
        }
    };
    match geometry {
        Geometry::Circle(circle) => radius(ui, circle.radius, wishes),
        Geometry::Capsule(capsule) => {
            radius(ui, capsule.radius, wishes);
            ends(ui, capsule.a, capsule.b, wishes);
        }
        Geometry::Segment(segment) => ends(ui, segment.a, segment.b, wishes),
        Geometry::Ellipse(ellipse) => {
            ui.weak(format!("half axes {} m and {} m", ellipse.half_axes.x, ellipse.half_axes.y));
        }
        Geometry::Chain(chain) => {
            ui.weak(format!("{} points, {} links", chain.points().len(), chain.parts().len()));
        }
        Geometry::Concave(concave) => {
            let (corners, holes, pieces) = (concave.outline().len(), concave.holes().len(), concave.parts().len());
            ui.weak(format!("{corners} corners, {holes} holes, {pieces} convex pieces"));
        }
        Geometry::Part(_) => {}
        Geometry::Polygon(polygon) => {
            // Rectangles have these, other polygons do not.
            for side in ["width", "height"] {
                let path = format!("{path}.{side}");
                if let Some(value) = property::get(whole, &path).ok().and_then(|value| value.as_number()) {
                    let mut new = value as f32;
                    if number(ui, side, &mut new, 0.01, " m") {
                        wishes.set(path, new);
                    }
                }
            }
            for (i, corner) in polygon.vertices().iter().enumerate() {
                let mut new = *corner;
                if vector(ui, &format!("corner {i}"), &mut new, "m") && new != *corner {
                    wishes.vector(format_args!("{path}.vertex.{i}"), new);
                }
            }
        }
    }
}

fn show_add_shape(ui: &mut Ui, body: BodyId, wishes: &mut Wishes) {
    ui.menu_button("Add a shape", |ui| {
        let kinds = [
            ("Circle", "circle 0.5"),
            ("Box", "rectangle 1 0.5"),
            ("Triangle", "polygon (-0.5, -0.4) (0.5, -0.4) (0, 0.5)"),
            ("Capsule", "capsule (-0.5, 0) (0.5, 0) 0.2"),
        ];
        for (name, shape) in kinds {
            if ui.button(name).clicked() {
                wishes.edits.push(Edit::Add { body: body.index(), shape: shape.to_owned() });
            }
        }
    });
}

/// The joints of a body: what they are, where they stand and what they carry.
fn show_joints(ui: &mut Ui, run: &SceneWorld, id: BodyId, wishes: &mut Wishes) {
    const MOST: usize = 12;
    let joints: Vec<_> = property::joints(run, id).collect();
    if joints.is_empty() {
        return;
    }
    super::heading(ui, "Joints");
    for joint in joints.iter().take(MOST) {
        let (def, path) = (joint.def(), format!("joint.{}", joint.id().index()));
        let other = if def.body_a == id { def.body_b } else { def.body_a };
        let title = format!("Joint {}: {} with body {}", joint.id().index(), joint.kind().name(), other.index());
        CollapsingHeader::new(title).id_salt(("joint", joint.id().index())).default_open(joints.len() < 3).show(
            ui,
            |ui| {
                Grid::new((&path, "joint")).num_columns(2).show(ui, |ui| {
                    let mut shown = |name: &str, text: String| {
                        ui.label(name);
                        ui.monospace(text);
                        ui.end_row();
                    };
                    shown("angle", format!("{:.2}°", joint.angle().to_degrees()));
                    shown("length", format!("{:.3} m", joint.length()));
                    shown("force", format!("{:.2} N", joint.force().length()));
                    shown("torque", format!("{:.2} N m", joint.torque()));
                    let motor = match joint.kind() {
                        JointKind::Distance(joint) => joint.motor,
                        JointKind::Revolute(joint) => joint.motor,
                        JointKind::Prismatic(joint) => joint.motor,
                        JointKind::Wheel(joint) => joint.motor,
                        _ => None,
                    };
                    if let Some(motor) = motor {
                        let mut speed = motor.speed;
                        if number(ui, "motor speed", &mut speed, 0.05, "") && speed != motor.speed {
                            wishes.set(format_args!("{path}.motor_speed"), speed);
                        }
                    }
                });
                if ui.small_button("Remove joint").clicked() {
                    wishes.edits.push(Edit::Remove { path: path.clone() });
                }
            },
        );
    }
    if joints.len() > MOST {
        ui.weak(format!("and {} more", joints.len() - MOST));
    }
}

fn show_contacts(ui: &mut Ui, run: &SceneWorld, id: BodyId) {
    let mut none = true;
    Grid::new("contacts").num_columns(3).striped(true).show(ui, |ui| {
        for contact in run.world.body(id).contacts().filter(|contact| contact.is_touching()).take(12) {
            none = false;
            let bodies = [contact.shape_a(), contact.shape_b()].map(|shape| run.world.shape(shape).body());
            let other = if bodies[0] == id { bodies[1] } else { bodies[0] };
            let impulse: f32 = contact.points().map(|point| point.normal_impulse).sum();
            ui.label(format!("body {}", other.index()));
            ui.monospace(format!("{:.2} N", impulse / run.dt()));
            ui.weak(format!("{} points", contact.points().count()));
            ui.end_row();
        }
    });
    if none {
        ui.weak("nothing");
    }
}

fn kind_of(geometry: &Geometry) -> &'static str {
    match geometry {
        Geometry::Circle(_) => "circle",
        Geometry::Capsule(_) => "capsule",
        Geometry::Segment(_) => "segment",
        Geometry::Polygon(_) => "polygon",
        Geometry::Ellipse(_) => "ellipse",
        Geometry::Chain(_) => "chain",
        Geometry::Concave(_) => "concave polygon",
        Geometry::Part(_) => "part",
    }
}
