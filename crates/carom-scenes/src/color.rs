//! The colours of bodies.

use carom2d::BodyKind;

/// A colour in sRGB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color {
    /// Red.
    pub r: u8,
    /// Green.
    pub g: u8,
    /// Blue.
    pub b: u8,
}

impl Color {
    const fn new(r: u8, g: u8, b: u8) -> Color {
        Color { r, g, b }
    }

    /// Walls and floors.
    pub const STONE: Color = Color::new(108, 117, 125);
    /// What moves by its own rule: drums, pushers, markers.
    pub const BRASS: Color = Color::new(201, 162, 39);
    /// What has no colour of its own.
    pub const SAND: Color = Color::new(222, 200, 164);
    /// Red.
    pub const RED: Color = Color::new(217, 72, 65);
    /// Orange.
    pub const ORANGE: Color = Color::new(240, 140, 46);
    /// Yellow.
    pub const YELLOW: Color = Color::new(242, 201, 76);
    /// Green.
    pub const GREEN: Color = Color::new(84, 160, 92);
    /// Blue.
    pub const BLUE: Color = Color::new(66, 125, 196);
    /// Violet.
    pub const VIOLET: Color = Color::new(142, 94, 178);

    /// Six colours that are easy to tell apart.
    pub const PALETTE: [Color; 6] =
        [Color::RED, Color::ORANGE, Color::YELLOW, Color::GREEN, Color::BLUE, Color::VIOLET];

    /// Number `index` of the palette, which repeats.
    pub const fn nth(index: usize) -> Color {
        Color::PALETTE[index % Color::PALETTE.len()]
    }

    /// The colour of a body for which a scene chose none.
    pub const fn of_kind(kind: BodyKind) -> Color {
        match kind {
            BodyKind::Fixed => Color::STONE,
            BodyKind::Kinematic => Color::BRASS,
            BodyKind::Dynamic => Color::SAND,
        }
    }
}
