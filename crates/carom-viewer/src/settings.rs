//! What is remembered from one time to the next.

use crate::tool::NewBodies;
use carom_render::{Overlay, OverlaySet, Theme};
use eframe::egui;
use serde::{Deserialize, Serialize};

/// What is remembered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Settings {
    /// Dark or light; as the system has it unless the user chose.
    pub(crate) dark: Option<bool>,
    /// Names of what is shown besides the bodies.
    pub(crate) overlays: Vec<String>,
    /// The panel on the right, if one is open.
    pub(crate) panel: Option<Panel>,
    /// Is the list of scenes open?
    pub(crate) scenes: bool,
    pub(crate) grid: bool,
    pub(crate) new_bodies: NewBodies,
    /// The hint on how to begin is not needed any more.
    pub(crate) hint_seen: bool,
}

/// The panels on the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Panel {
    Body,
    World,
    Plots,
    Console,
    /// While a trajectory is compared.
    Comparison,
}

impl Panel {
    /// Those that are always there.
    pub(crate) const ALL: [Panel; 4] = [Panel::Body, Panel::World, Panel::Plots, Panel::Console];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Panel::Body => "Body",
            Panel::World => "World",
            Panel::Plots => "Plots",
            Panel::Console => "Console",
            Panel::Comparison => "Comparison",
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            dark: None,
            overlays: Vec::new(),
            panel: Some(Panel::Body),
            scenes: true,
            grid: true,
            new_bodies: NewBodies::default(),
            hint_seen: false,
        }
    }
}

impl Settings {
    const KEY: &'static str = "carom";

    pub(crate) fn load(storage: Option<&dyn eframe::Storage>) -> Settings {
        let mut settings: Settings =
            storage.and_then(|storage| eframe::get_value(storage, Settings::KEY)).unwrap_or_default();
        // What was compared last time is not open any more.
        settings.panel = settings.panel.filter(|panel| *panel != Panel::Comparison);
        settings
    }

    pub(crate) fn save(&self, storage: &mut dyn eframe::Storage) {
        eframe::set_value(storage, Settings::KEY, self);
    }

    pub(crate) fn overlay_set(&self) -> OverlaySet {
        let on = Overlay::ALL.into_iter().filter(|overlay| self.shows(*overlay));
        on.fold(OverlaySet::default(), OverlaySet::with)
    }

    pub(crate) fn shows(&self, overlay: Overlay) -> bool {
        self.overlays.iter().any(|name| name == overlay.name())
    }

    pub(crate) fn show(&mut self, overlay: Overlay, on: bool) {
        self.overlays.retain(|name| name != overlay.name());
        if on {
            self.overlays.push(overlay.name().to_owned());
        }
    }

    /// Makes egui follow the choice of light or dark.
    pub(crate) fn apply_theme(&self, ctx: &egui::Context) {
        ctx.set_theme(match self.dark {
            None => egui::ThemePreference::System,
            Some(true) => egui::ThemePreference::Dark,
            Some(false) => egui::ThemePreference::Light,
        });
    }
}

/// The theme of pictures that goes with the window's.
pub(crate) fn picture_theme(ctx: &egui::Context) -> Theme {
    if ctx.theme() == egui::Theme::Dark { Theme::Dark } else { Theme::Light }
}
