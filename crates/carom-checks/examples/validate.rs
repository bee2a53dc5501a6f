//! Prints every measured value beside its gate and goal. `cargo run --release -p carom-checks --example validate [WORD]`

use carom_checks::validation::GROUPS;

fn main() {
    let word = std::env::args().nth(1).unwrap_or_default();
    for (name, run) in GROUPS {
        if !name.contains(&word) {
            continue;
        }
        for check in run() {
            let verdict = match (check.passes(), check.reaches_goal()) {
                (false, _) => "MISSED",
                (true, false) => "gate",
                (true, true) => "ok",
            };
            let goal = check.goal.map_or(String::new(), |goal| format!("{goal:.3e}"));
            println!("{verdict:6} {:62} {:>11.3e}  gate {:.3e} goal {goal}", check.id, check.value, check.gate);
        }
    }
}
