//! Which colour everything has, on light and on dark.

use crate::color::Rgba;
use carom_scenes::Color;
use carom2d::BodyKind;

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Dark shapes' edges on warm white.
    #[default]
    Light,
    /// Bright edges on blue black.
    Dark,
}

/// The two colours of a filled shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) fill: Rgba,
    pub(crate) edge: Rgba,
}

impl Theme {
    /// Behind everything.
    pub fn background(self) -> Rgba {
        self.pick(Rgba::new(250, 249, 246), Rgba::new(22, 24, 30))
    }

    /// Lines of the grid, hardly there.
    pub(crate) fn grid(self) -> Rgba {
        self.pick(Rgba::new(238, 236, 230), Rgba::new(31, 34, 42))
    }

    /// Text that may be overlooked.
    pub(crate) fn caption(self) -> Rgba {
        self.pick(Rgba::new(92, 98, 108), Rgba::new(162, 170, 184))
    }

    /// Text that must be read on top of shapes.
    pub(crate) fn ink(self) -> Rgba {
        self.pick(Rgba::new(24, 26, 32), Rgba::new(244, 246, 250))
    }

    /// Walls and floors.
    pub(crate) fn fixed(self) -> Pair {
        Pair {
            fill: self.pick(Rgba::new(208, 211, 214), Rgba::new(55, 60, 70)),
            edge: self.pick(Rgba::new(142, 149, 157), Rgba::new(96, 103, 116)),
        }
    }

    /// Ropes, rods, springs and pins.
    pub(crate) fn joint(self) -> Rgba {
        self.pick(Rgba::new(74, 66, 60), Rgba::new(196, 190, 178))
    }

    /// Fluids, through which bodies are seen, and their surface.
    pub(crate) fn water(self) -> Pair {
        Pair {
            fill: self.pick(Rgba::new(74, 144, 217).with_opacity(0.26), Rgba::new(70, 140, 220).with_opacity(0.3)),
            edge: self.pick(Rgba::new(38, 104, 178).with_opacity(0.85), Rgba::new(126, 186, 246).with_opacity(0.85)),
        }
    }

    /// Particles of a fluid.
    pub(crate) fn drop(self) -> Rgba {
        self.pick(Rgba::new(104, 164, 222), Rgba::new(54, 108, 170))
    }

    /// A body in its scene's colour.
    pub(crate) fn body(self, color: Rgba) -> Pair {
        match self {
            Theme::Light => {
                Pair { fill: color.mixed(Rgba::WHITE, 0.12), edge: color.mixed(Rgba::new(20, 20, 40), 0.42) }
            }
            Theme::Dark => Pair { fill: color.mixed(self.background(), 0.22), edge: color.mixed(Rgba::WHITE, 0.32) },
        }
    }

    /// The colour of a body of some kind as its scene has it, made fit for this theme.
    pub(crate) fn of_kind(self, kind: BodyKind, color: Color) -> Pair {
        match (kind, color) {
            (BodyKind::Fixed, Color::STONE) => self.fixed(),
            // Sand on white is too pale for heaps of small bodies.
            (_, Color::SAND) => self.body(Rgba::from(color).mixed(Rgba::new(190, 130, 60), self.pick(0.38, 0.2))),
            _ => self.body(color.into()),
        }
    }

    /// The same shape asleep: paler, towards the background.
    pub(crate) fn asleep(self, pair: Pair) -> Pair {
        let pale = |color: Rgba| color.mixed(self.background(), self.pick(0.2, 0.24));
        Pair { fill: pale(pair.fill), edge: pale(pair.edge) }
    }

    /// One of two, by theme.
    pub(crate) fn pick<T>(self, light: T, dark: T) -> T {
        match self {
            Theme::Light => light,
            Theme::Dark => dark,
        }
    }
}
