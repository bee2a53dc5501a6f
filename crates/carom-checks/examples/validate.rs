//! Prints the accuracy sheet, as `carom validate` does, without building the rest of the command line.
//! `cargo run --release -p carom-checks --example validate [--markdown] [WORD..]`

use carom_checks::sheet;

fn main() {
    let (options, words): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|word| word.starts_with("--"));
    let sections = sheet::measure(&words, |_, _| {});
    let as_markdown = options.iter().any(|option| option == "--markdown");
    print!("{}", if as_markdown { sheet::markdown(&sections) } else { sheet::text(&sections) });
}
