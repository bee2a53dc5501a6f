//! How pictures and movies are asked for on the command line.

use crate::failure::{Failure, shown};
use carom_render::{Decor, Film, Format, Look, Overlay, OverlaySet, Settings, Size, Subject, Theme};
use clap::ValueEnum;
use std::num::NonZeroU32;
use std::path::Path;

/// Options of pictures and movies.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Pictures and movies")]
pub(crate) struct PictureArgs {
    /// Width and height in pixels [default: 1280x720]
    ///
    /// Each side may have 16 to 8192 pixels. Movies in MP4 need even sides, at most 3840x2160.
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub(crate) size: Option<Size>,

    /// Frames per second of simulated time [default: 60, GIF 30]
    ///
    /// Up to 240; a GIF holds at most 50.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=240), allow_negative_numbers = true)]
    pub(crate) fps: Option<u32>,

    /// Show more than bodies: some of contacts, normals, impulses, aabbs, tree, islands, colors, sleep,
    /// velocity, centers, ids, joints, collisions, with commas between them; of particles: contacts, normals, aabbs, velocity,
    /// centers, ids
    #[arg(long, value_name = "LIST", value_parser = overlays)]
    pub(crate) overlay: Option<OverlaySet>,

    /// Light or dark [default: light]
    ///
    /// Scenes of particles and in space have the colours of their files; those made for a light background
    /// change with a dark theme.
    #[arg(long, value_name = "THEME")]
    pub(crate) theme: Option<ThemeName>,

    /// Leave out grid and caption
    #[arg(long)]
    pub(crate) plain: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ThemeName {
    /// Dark lines on white
    Light,
    /// Bright lines on black
    Dark,
}

impl PictureArgs {
    pub(crate) fn look(&self) -> Look {
        Look {
            theme: match self.theme {
                None | Some(ThemeName::Light) => Theme::Light,
                Some(ThemeName::Dark) => Theme::Dark,
            },
            overlays: self.overlay.unwrap_or_default(),
            decor: if self.plain { Decor::None } else { Decor::Full },
        }
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings { size: self.size.unwrap_or(Size::HD), look: self.look(), fps: self.fps.unwrap_or(0), seconds: 0.0 }
    }

    /// The first of these options that is given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            ("--size", self.size.is_some()),
            ("--fps", self.fps.is_some()),
            ("--overlay", self.overlay.is_some()),
            ("--theme", self.theme.is_some()),
            ("--plain", self.plain),
        ];
        given.into_iter().find(|&(_, given)| given).map(|(name, _)| name)
    }

    /// Opens the picture, movie or folder that `path` asks for. `every` must not thin out its steps.
    pub(crate) fn open(&self, path: &Path, seconds: f64, every: NonZeroU32) -> Result<Film, Failure> {
        let format = Format::of(path).ok_or_else(|| Failure::Ending(path.to_owned()))?;
        if every.get() != 1 {
            return Err(Failure::Usage("--every is for CSV; movies take --fps".to_owned()));
        }
        if format == Format::Png && self.fps.is_some() {
            return Err(Failure::Usage("--fps is for movies; a PNG is one picture".to_owned()));
        }
        Ok(Film::create(path, format, &Settings { seconds, ..self.settings() })?)
    }

    /// Fails if an overlay is asked for that shows nothing of particles.
    pub(crate) fn check_for_particles(&self) -> Result<(), Failure> {
        let asked = self.overlay.unwrap_or_default();
        let empty = Overlay::ALL.into_iter().find(|&overlay| asked.contains(overlay) && !overlay.is_for_particles());
        let Some(empty) = empty else { return Ok(()) };
        let shown: Vec<&str> =
            Overlay::ALL.into_iter().filter(|overlay| overlay.is_for_particles()).map(Overlay::name).collect();
        Err(Failure::Usage(format!(
            "particle scenes have nothing to show for the overlay {}; they have {}",
            empty.name(),
            shown.join(", ")
        )))
    }

    /// Fails if an overlay is asked for: pictures of scenes in space have none.
    pub(crate) fn check_for_solids(&self) -> Result<(), Failure> {
        match self.overlay {
            Some(_) => Err(Failure::Usage("--overlay is for scenes in the plane, not for scenes in space".to_owned())),
            None => Ok(()),
        }
    }

    /// Fails if any option is given where no picture is made.
    pub(crate) fn refuse(&self, instead: &str) -> Result<(), Failure> {
        match self.given() {
            Some(name) => Err(Failure::Usage(format!(
                "{name} is for pictures and movies, not for {instead}; give an --out that ends in .png, .gif, .mp4 or /"
            ))),
            None => Ok(()),
        }
    }
}

/// Reads a size such as 1280x720.
pub(crate) fn size(text: &str) -> Result<Size, String> {
    let expected = || "expected width and height in pixels, such as 1280x720".to_owned();
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(expected)?;
    let number = |text: &str| text.parse::<u32>().map_err(|_| expected());
    Size::new(number(width)?, number(height)?).map_err(|error| error.to_string())
}

fn overlays(text: &str) -> Result<OverlaySet, String> {
    text.parse().map_err(|error: carom_render::UnknownOverlay| error.to_string())
}

/// Finishes a film and says in words what was written.
pub(crate) fn describe<'r>(film: Film, run: impl Into<Subject<'r>>, path: &Path) -> Result<String, Failure> {
    let (size, fps) = (film.size(), film.fps());
    let frames = film.finish(run)?;
    let name = shown(path);
    // The size of a folder is not that of its files.
    let bytes = std::fs::metadata(path).ok().filter(|data| data.is_file()).map(|data| data.len());
    let bytes = bytes.map_or(String::new(), |bytes| format!(", {} kB", bytes.div_ceil(1000)));
    let movie = !path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) || path.is_dir();
    Ok(if movie {
        let seconds = f64::from(frames) / f64::from(fps);
        format!("{name}: {frames} frames of {size}, {seconds:.2} s at {fps} frames per second{bytes}")
    } else {
        format!("{name}: {size}{bytes}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_sizes() {
        assert_eq!(size("320x180").unwrap().to_string(), "320x180");
        for bad in ["", "x", "320", "320x", "0x0", "-1x5", "9000x100", "320*180", "320x180x3", "99999999999x5"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }
}
