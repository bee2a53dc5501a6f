//! `carom gallery`: a picture of each scene, a movie of the first, and a page that shows them.

use crate::failure::Failure;
use crate::picture::{PictureArgs, ThemeName, describe, size};
use crate::progress::Progress;
use carom_render::{Film, Format, Settings, Size, write_whole};
use carom_scenes::{Entry, Group, Run, entries, find_entry};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder; it is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Only these scenes, with commas between their names [default: all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    scenes: Vec<String>,

    /// Width and height of the pictures in pixels
    #[arg(long, value_name = "WxH", default_value = "640x360", value_parser = size)]
    size: Size,

    /// Light or dark [default: light]
    #[arg(long, value_name = "THEME")]
    theme: Option<ThemeName>,
}

/// The scene that gets a movie, too.
const FILMED: &str = "falling_bricks";

/// How many seconds of it.
const FILMED_SECONDS: f64 = 4.0;

pub(crate) fn execute(args: &Args, out: &mut dyn Write) -> Result<(), Failure> {
    let scenes: Vec<Entry> = if args.scenes.is_empty() {
        entries().collect()
    } else {
        args.scenes.iter().map(|name| find_entry(name.trim())).collect::<Result<_, _>>()?
    };
    let folder = &args.folder;
    std::fs::create_dir_all(folder).map_err(|error| Failure::Create { path: folder.clone(), error })?;
    let look = PictureArgs { size: Some(args.size), theme: args.theme, ..PictureArgs::default() };
    for entry in scenes {
        let settings = Settings { seconds: 0.0, ..look.settings() };
        let path = folder.join(format!("{}.png", entry.name()));
        let run = entry.build()?;
        let moment = moment(entry, run.about().steps);
        let filmed_steps = (FILMED_SECONDS / run.about().seconds(1)).round() as u32;
        let note = film(run, moment, &path, Format::Png, &settings)?;
        writeln!(out, "{note}")?;
        if entry.name() == FILMED {
            let settings = Settings { seconds: FILMED_SECONDS, ..settings };
            let path = folder.join(format!("{}.gif", entry.name()));
            let note = film(entry.build()?, filmed_steps, &path, Format::Gif, &settings)?;
            writeln!(out, "{note}")?;
        }
        out.flush()?;
    }
    let path = folder.join("index.html");
    write_whole(&path, page(folder).as_bytes()).map_err(|error| Failure::Write { path: path.clone(), error })?;
    writeln!(out, "{}: a page of all pictures in this folder", path.display())?;
    Ok(())
}

/// What every page has before its pictures. Nothing is loaded from elsewhere.
const PAGE_HEAD: &str = r#"<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>carom: every scene</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.4 system-ui, sans-serif; margin: 1.5rem; }
  main { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); }
  figure { margin: 0; }
  img { width: 100%; height: auto; border: 1px solid #8884; border-radius: 4px; }
  code { font-weight: 600; }
</style>
</head>
<body>
<h1>carom</h1>
<p>Each scene opens with <code>carom view NAME</code>.</p>
"#;

/// The page: by group, each scene whose picture is in the folder, those of earlier runs too.
fn page(folder: &Path) -> String {
    let mut text = PAGE_HEAD.to_owned();
    let is_there = |entry: &Entry, ending: &str| folder.join(format!("{}.{ending}", entry.name())).is_file();
    let mut group = None;
    for entry in entries().filter(|entry| is_there(entry, "png")) {
        if group != Some(entry.group()) {
            text.push_str(if group.is_some() { "</main>\n" } else { "" });
            text.push_str(&format!("<h2>{}</h2>\n<main>\n", in_html(entry.group().name())));
            group = Some(entry.group());
        }
        let name = in_html(entry.name());
        let ending = if is_there(&entry, "gif") { "gif" } else { "png" };
        let summary = in_html(entry.summary());
        text.push_str(&format!(
            "<figure><a href=\"{name}.{ending}\"><img src=\"{name}.{ending}\" alt=\"{summary}\" loading=\"lazy\"></a>\n\
             <figcaption><code>{name}</code>: {summary}</figcaption></figure>\n"
        ));
    }
    text.push_str(if group.is_some() { "</main>\n" } else { "" });
    text.push_str("</body>\n</html>\n");
    text
}

/// Text as HTML has it.
fn in_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The step at which a scene of some length shows best what it is about: while things still move.
fn moment(entry: Entry, steps: u32) -> u32 {
    match entry.group() {
        // Benchmarks are long, and begin with thousands of bodies in rows.
        Group::Benchmark => steps / 2,
        Group::Particles => 2 * steps / 5,
        _ => steps / 4,
    }
}

/// Carries a run on for some steps and keeps the picture or movie. Says in words what was written.
pub(crate) fn film(
    mut run: Run,
    steps: u32,
    path: &Path,
    format: Format,
    settings: &Settings,
) -> Result<String, Failure> {
    let mut film = Film::create(path, format, settings)?;
    let mut progress = Progress::new(steps);
    for step in 1..=steps {
        film.before_step(&run)?;
        run.step();
        film.after_step(&run)?;
        progress.at(step);
    }
    describe(film, &run, path)
}
