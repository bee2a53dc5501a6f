//! Prints `docs/solvers.md`. `cargo run --release -p carom-checks --example solvers > docs/solvers.md`

fn main() {
    print!("{}", carom_checks::solvers::page());
}
