//! Prints the accuracy sheet, as `carom validate` does, without building the rest of the command line.
//! `cargo run --release -p carom-checks --example validate [WORD..]`

use carom_checks::sheet;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    print!("{}", sheet::text(&sheet::measure(&words, |_, _| {})));
}
