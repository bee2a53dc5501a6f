//! What a signal to end leaves behind: nothing.

/// From now on Ctrl-C, SIGTERM and SIGHUP remove temporary files before they end the program, as they would have ended
/// it anyway. Signals that the program was started with ignored (`nohup`) stay ignored.
#[cfg(unix)]
pub(crate) fn watch() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;

    let ignored = ignored();
    let heeded = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    // Without the handler or its thread a signal ends the program at once, and a temporary file may stay.
    let Ok(mut signals) = Signals::new(heeded) else { return };
    let wait = move || {
        for signal in signals.forever() {
            carom_render::remove_unfinished();
            emulate_default_handler(signal).ok();
        }
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(wait).ok();
}

/// The signals that are ignored, a bit for each. Known where there is a `/proc`; none elsewhere.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Elsewhere a program that is ended by force may leave a temporary file.
#[cfg(not(unix))]
pub(crate) fn watch() {}
