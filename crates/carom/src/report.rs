//! What is said of a run when it is over, whatever it is a run of.

use carom_scenes::{About, Unmet};
use carom2d::BroadBox;
use std::io::{self, Write};
use std::path::Path;
use std::time::Duration;

/// Where it is said: on standard error where a table takes standard output.
pub(crate) fn place<'o>(path: Option<&Path>, out: &'o mut dyn Write) -> Box<dyn Write + 'o> {
    if path == Some(Path::new("-")) { Box::new(io::stderr()) } else { Box::new(out) }
}

/// Energies at one moment, in J.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Energies {
    pub(crate) kinetic: f64,
    pub(crate) potential: f64,
}

impl Energies {
    /// Tells them beside those at the start. `shown` makes a text of a number.
    pub(crate) fn tell(self, out: &mut dyn Write, start: Energies, shown: impl Fn(f64) -> String) -> io::Result<()> {
        let change = |a: f64, b: f64| format!("{} J, {} J at the start", shown(b), shown(a));
        let total = |energies: Energies| energies.kinetic + energies.potential;
        writeln!(out, "  kinetic energy        {}", change(start.kinetic, self.kinetic))?;
        writeln!(out, "  potential energy      {}", change(start.potential, self.potential))?;
        writeln!(out, "  total energy          {}", change(total(start), total(self)))
    }
}

/// What a run is of, and how far it came.
pub(crate) fn heading(out: &mut dyn Write, about: &About, steps: u64, seconds: &str) -> io::Result<()> {
    writeln!(out, "{}: {}", about.name, about.summary)?;
    writeln!(out, "  steps                 {steps} ({seconds} s simulated)")
}

/// Tells how long a step took; nothing if there was none.
pub(crate) fn wall_time(out: &mut dyn Write, wall: Duration, steps: u64) -> io::Result<()> {
    match steps {
        0 => Ok(()),
        _ => writeln!(out, "  wall time             {:.3} ms per step", 1e3 * wall.as_secs_f64() / steps as f64),
    }
}

/// Tells whether a built-in scene kept its promise. `gap` says why it is known not to.
pub(crate) fn promise(out: &mut dyn Write, kept: Result<(), Unmet>, gap: Option<&str>) -> io::Result<()> {
    match (kept, gap) {
        (Ok(()), _) => writeln!(out, "  ended as it should    yes"),
        (Err(unmet), None) => writeln!(out, "  ended as it should    no: {unmet}"),
        (Err(unmet), Some(gap)) => writeln!(out, "  ended as it should    no: {unmet} (known: {gap})"),
    }
}

/// A table of how many seconds each stage took in all.
pub(crate) fn stages(out: &mut dyn Write, times: &[(&str, f64)], steps: u64) -> io::Result<()> {
    let total: f64 = times.iter().map(|(_, seconds)| seconds).sum();
    let per_step = |seconds: f64| if steps > 0 { 1e3 * seconds / steps as f64 } else { 0.0 };
    let share = |seconds: f64| if total > 0.0 { 100.0 * seconds / total } else { 0.0 };
    writeln!(out, "{:20} {:>10} {:>7}", "stage", "ms/step", "share")?;
    for &(stage, seconds) in times.iter().chain([&("total", total)]) {
        writeln!(out, "{stage:20} {:10.4} {:6.1}%", per_step(seconds), share(seconds))?;
    }
    Ok(())
}

/// How many shapes each quad of a quadtree holds itself: a block per level, its quads in the order of the tree.
pub(crate) fn quads(out: &mut dyn Write, quads: &[BroadBox]) -> io::Result<()> {
    const PER_LINE: usize = 32;
    let deepest = quads.iter().map(|quad| quad.depth).max().unwrap_or(0);
    writeln!(out, "{:<7} {:>6} {:>7}  shapes in each quad", "level", "quads", "shapes")?;
    for level in 0..=deepest {
        let counts: Vec<u32> = quads.iter().filter(|quad| quad.depth == level).map(|quad| quad.count).collect();
        let shapes: u32 = counts.iter().sum();
        for (i, line) in counts.chunks(PER_LINE).enumerate() {
            let line: Vec<String> = line.iter().map(u32::to_string).collect();
            match i {
                0 => writeln!(out, "{level:<7} {:>6} {shapes:>7}  {}", counts.len(), line.join(" "))?,
                _ => writeln!(out, "{:24}{}", "", line.join(" "))?,
            }
        }
    }
    Ok(())
}
