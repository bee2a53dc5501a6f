//! Prints `docs/jitter.md`. `cargo run --release -p carom-checks --example jitter > docs/jitter.md`

fn main() {
    print!("{}", carom_checks::jitter::page());
}
