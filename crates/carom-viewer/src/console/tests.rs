//! What the console answers, does, remembers and completes.

use super::*;
use crate::property::tests::{noise, particles, world};
use carom_core::Rng;

fn answers(console: &Console) -> Vec<&str> {
    console.lines().filter(|line| line.tone != Tone::Typed).map(|line| line.text.as_str()).collect()
}

/// What a line leads to, and what is said about it.
fn say(line: &str, run: &Run) -> (Action, Vec<String>) {
    let mut console = Console::new();
    let action = console.execute(line, run);
    (action, answers(&console).into_iter().map(str::to_owned).collect())
}

fn said(line: &str) -> String {
    let (action, lines) = say(line, &world());
    assert_eq!(action, Action::None, "{line}");
    lines.join("\n")
}

fn edit(line: &str) -> Edit {
    match say(line, &world()) {
        (Action::Edit(edit), lines) if lines.is_empty() => edit,
        other => panic!("{line}: {other:?}"),
    }
}

#[test]
fn lines_become_requests() {
    let parse = |line| Request::parse(line).unwrap();
    let set = |path: &str, value: &str| Request::Edit(Edit::set(path, value));
    assert_eq!(parse("get body.3.velocity"), Request::Get("body.3.velocity".into()));
    assert_eq!(parse("  GET  body.3.velocity "), Request::Get("body.3.velocity".into()));
    assert_eq!(parse("body.3.velocity"), Request::Get("body.3.velocity".into()));
    assert_eq!(parse("world"), Request::Get("world".into()));
    assert_eq!(parse("body.3."), Request::Get("body.3".into()));
    assert_eq!(parse("set body.3.velocity 1 0"), set("body.3.velocity", "1 0"));
    assert_eq!(parse("set body.3.velocity = (1, 0)"), set("body.3.velocity", "(1, 0)"));
    assert_eq!(parse("body.3.velocity = -1, 0"), set("body.3.velocity", "-1, 0"));
    assert_eq!(parse("body.3.mass=inf"), set("body.3.mass", "inf"));
    assert_eq!(parse("list"), Request::List(String::new()));
    assert_eq!(parse("list body.3"), Request::List("body.3".into()));
    assert_eq!(parse("watch world.time"), Request::Watch("world.time".into()));
    assert_eq!(parse("unwatch world.time"), Request::Unwatch(Some("world.time".into())));
    assert_eq!(parse("unwatch all"), Request::Unwatch(None));
    assert_eq!(
        parse("add body.3 circle 0.5 at 1,0"),
        Request::Edit(Edit::Add { body: 3, shape: "circle 0.5 at 1,0".into() })
    );
    assert_eq!(parse("remove body.3.shape.0"), Request::Edit(Edit::Remove { path: "body.3.shape.0".into() }));
    assert_eq!(parse("gravity 0 -9.81"), set("world.gravity", "0 -9.81"));
    assert_eq!(parse("gravity"), Request::Get("world.gravity".into()));
    assert_eq!(parse("scene stack"), Request::Scene(Some("stack".into())));
    assert_eq!(parse("scene"), Request::Scene(None));
    assert_eq!(parse("pause"), Request::Pause);
    assert_eq!(parse("resume"), Request::Resume);
    assert_eq!(parse("step"), Request::Step(1));
    assert_eq!(parse("step 25"), Request::Step(25));
    assert_eq!(parse("restart"), Request::Restart);
    assert_eq!(parse("clear"), Request::Clear);
    assert_eq!(parse("help"), Request::Help(None));
    assert_eq!(parse("help set"), Request::Help(Some("set".into())));
    assert_eq!(parse("   "), Request::Nothing);
    let spawn = |shape: &str, properties: &[(&str, &str)]| {
        let properties = properties.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect();
        Request::Edit(Edit::Spawn { shape: shape.to_owned(), properties })
    };
    assert_eq!(parse("spawn circle 0.5 at 0,5"), spawn("circle 0.5", &[("position", "0 5")]));
    assert_eq!(parse("spawn box 1 0.5 at (0,5)"), spawn("box 1 0.5", &[("position", "0 5")]));
    assert_eq!(
        parse("spawn polygon (0,0) (1,0) (0,1) friction 0.2 at 0 5 kind fixed"),
        spawn("polygon 0 0 1 0 0 1 friction 0.2", &[("position", "0 5"), ("kind", "fixed")])
    );
}

#[test]
fn lines_that_are_not_understood() {
    let message = |line: &str| Request::parse(line).unwrap_err().to_string();
    assert_eq!(message("sett body.3"), r#"there is no command "sett"; did you mean "set"?"#);
    assert_eq!(message("xyzzy"), r#"there is no command "xyzzy"; help says which there are"#);
    assert_eq!(message("set body.3.mass"), "expected set PATH VALUE, such as set body.3.velocity 1 0");
    assert_eq!(message("body.3.mass ="), "expected set PATH VALUE, such as set body.3.velocity 1 0");
    assert_eq!(message("body.3.mass 5"), "expected set PATH VALUE, such as set body.3.velocity 1 0");
    assert_eq!(message("get"), "expected get PATH, such as get body.3.velocity");
    assert_eq!(message("get a b"), "expected get PATH, such as get body.3.velocity");
    assert_eq!(message("pause now"), "expected pause, such as pause");
    assert_eq!(message("step -3"), r#""-3" is no number of steps; expected a whole number from 1 to 100000"#);
    for line in [
        "step 0",
        "step many",
        "step 1 2",
        "step 100001",
        "watch",
        "unwatch",
        "remove",
        "add",
        "add body.3",
        "add 3 circle 1",
        "add body.x circle 1",
        "spawn",
        "spawn ball 1",
        "spawn circle",
        "spawn circle 1 at",
        "=",
        "= 3",
        ".",
        "é",
    ] {
        assert!(Request::parse(line).is_err(), "{line}");
    }
    assert_eq!(Request::parse(&"x".repeat(LONGEST_LINE + 1)), Err(ConsoleError::TooLong));
}

#[test]
fn questions_are_answered() {
    assert_eq!(said("get body.3.position"), "body.3.position = (6, 3)");
    assert_eq!(said("body.0.mass"), "body.0.mass = inf");
    assert_eq!(said("gravity"), "world.gravity = (0, -10)");
    assert_eq!(said("list body.1.locked"), "x = false\ny = false\nrotation = false");
    assert_eq!(said("list body.1.mass"), said("get body.1.mass"));
    assert_eq!(said("body.1.locked"), said("list body.1.locked"));
    assert!(said("body").starts_with("0 = fixed with 2 shapes\n1 = dynamic circle\n"));
    assert_eq!(said("get body.3.velocty"), r#"body.3 has no "velocty"; did you mean "velocity"?"#);
    assert!(said("help").lines().count() >= 15);
    assert!(said("help set").starts_with("set PATH VALUE: sets a property"));
    assert!(said("help body.1.velocity").contains("m/s; can be set to two numbers"));
    assert!(said("help world.time").ends_with("can be read, but not set"));
    assert!(said("scene").contains("falling_bricks"));
    assert_eq!(said("scene wahser"), r#"there is no scene "wahser"; did you mean "washer"?"#);
    let (_, lines) = say("list edge", &particles());
    assert_eq!(lines, ["0 = from particle 0 to 1"]);
}

#[test]
fn actions_are_handed_on() {
    let run = world();
    assert_eq!(say("pause", &run), (Action::Pause(true), vec![]));
    assert_eq!(say("resume", &run), (Action::Pause(false), vec![]));
    assert_eq!(say("step 5", &run), (Action::Step(5), vec![]));
    assert_eq!(say("restart", &run), (Action::Restart, vec![]));
    assert_eq!(say("scene stack", &run), (Action::Scene("stack".into()), vec![]));
    assert_eq!(edit("gravity 1 2"), Edit::set("world.gravity", "1 2"));

    let mut run = world();
    let mut console = Console::new();
    for (line, answer) in [
        ("set body.3.velocity 1 0", "body.3.velocity = (1, 0)"),
        ("body.3.velocity.y = -2.5", "body.3.velocity.y = -2.5"),
        ("set body.1.mass -inf", "body.1.mass: mass is -inf; expected a number between 1e-12 and 1e20, or infinity"),
        ("spawn circle 0.5 at 0,9", "body.7 added"),
        ("add body.7 box 1 1 at 0,1", "body.7.shape.1 added"),
        ("remove body.7.shape.0", "body.7.shape.0 removed"),
        ("remove body.7", "body.7 removed"),
        ("set body.7.mass 3", "there is no body.7; there is body 0 to 6"),
    ] {
        let Action::Edit(edit) = console.execute(line, &run) else { panic!("{line}") };
        console.answer(edit.apply(&mut run));
        assert_eq!(answers(&console).last(), Some(&answer), "{line}");
    }
    assert_eq!(console.execute("clear", &run), Action::None);
    assert_eq!(console.lines().count(), 0);
}

#[test]
fn watches_follow_the_run() {
    let mut run = world();
    let mut console = Console::new();
    let tell = |console: &Console, run: &Run| {
        let watched = console.watched(run).into_iter();
        watched.map(|(path, value)| format!("{path} {}", value.is_ok())).collect::<Vec<_>>()
    };
    assert_eq!(console.execute("watch world.step", &run), Action::None);
    assert_eq!(console.execute("watch body.1.shapes", &run), Action::None);
    assert_eq!(console.execute("watch world.step", &run), Action::None);
    assert_eq!(answers(&console)[0], "watching world.step = 0");
    assert_eq!(console.watches().collect::<Vec<_>>(), ["world.step", "body.1.shapes"]);
    assert_eq!(console.changes(&run).len(), 2);
    assert_eq!(console.changes(&run), []);
    run.step();
    assert_eq!(console.changes(&run), [("world.step".to_owned(), Ok(Value::Whole(1)))]);
    property::remove(&mut run, "body.1").unwrap();
    assert_eq!(tell(&console, &run), ["world.step true", "body.1.shapes false"]);
    assert_eq!(console.changes(&run).len(), 1);
    assert_eq!(console.execute("unwatch world.step", &run), Action::None);
    assert_eq!(console.execute("unwatch world.step", &run), Action::None);
    assert_eq!(answers(&console).last(), Some(&"world.step is not watched"));
    assert_eq!(console.execute("watch body.1.mass", &run), Action::None);
    assert_eq!(console.execute("watch body", &run), Action::None);
    assert_eq!(console.watches().len(), 1);
    assert_eq!(console.execute("unwatch all", &run), Action::None);
    assert_eq!(console.watches().len(), 0);
    for index in 0..2 * MOST_WATCHES {
        let body = property::list(&run, "body").unwrap()[index % 5].0.clone();
        let name = ["mass", "angle", "kind", "inertia", "speed", "contacts", "island", "torque"][index / 5 % 8];
        let _ = console.watch(&format!("body.{body}.{name}"), &run);
    }
    assert!(console.watches().len() <= MOST_WATCHES);
}

#[test]
fn the_history_goes_up_and_down() {
    let run = world();
    let mut console = Console::new();
    assert_eq!(console.older("typing"), None);
    assert_eq!(console.newer(), None);
    for line in ["pause", "pause", "  ", "nonsense", "resume"] {
        let _ = console.execute(line, &run);
    }
    assert_eq!(console.history().collect::<Vec<_>>(), ["pause", "nonsense", "resume"]);
    assert_eq!(console.older("typing"), Some("resume"));
    assert_eq!(console.older("resume"), Some("nonsense"));
    assert_eq!(console.older("nonsense"), Some("pause"));
    assert_eq!(console.older("pause"), None);
    assert_eq!(console.newer(), Some("nonsense"));
    assert_eq!(console.newer(), Some("resume"));
    assert_eq!(console.newer(), Some("typing"));
    assert_eq!(console.newer(), None);
    assert_eq!(console.older("other"), Some("resume"));
    for index in 0..2 * MOST_LINES {
        let _ = console.execute(&format!("get {index}"), &run);
    }
    assert_eq!(console.lines().len(), MOST_LINES);
    assert_eq!(console.history().len(), MOST_HISTORY);
}

#[test]
fn tab_completes() {
    let run = world();
    let mut console = Console::new();
    let _ = console.execute("watch world.step", &run);
    let complete = |line: &str| console.complete(line, line.chars().count(), &run);
    let line = |text: &str| complete(text).line;
    assert_eq!(line("ge"), "get ");
    assert_eq!(line("paus"), "pause");
    assert_eq!(complete("re").candidates, ["remove", "resume", "restart"]);
    assert_eq!(line("res"), "res");
    assert_eq!(line("rest"), "restart");
    assert_eq!(line("bo"), "body.");
    assert_eq!(line("set body.3.vel"), "set body.3.velocity");
    assert_eq!(line("get body.3.ang"), "get body.3.ang");
    assert_eq!(line("get body.3.angular_"), "get body.3.angular_");
    assert_eq!(line("get body.3.angular_v"), "get body.3.angular_velocity");
    assert_eq!(line("set world.friction_mix ge"), "set world.friction_mix geometric_mean");
    assert_eq!(line("world.friction_mix = pr"), "world.friction_mix = product");
    assert_eq!(line("world.friction_mix=pr"), "world.friction_mix=product");
    assert_eq!(line("set body.3.position "), "set body.3.position (6, 3)");
    assert_eq!(complete("set body.3.enabled ").candidates, ["true", "false"]);
    assert_eq!(line("scene falling_b"), "scene falling_bricks");
    assert_eq!(line("unwatch w"), "unwatch world.step");
    assert_eq!(line("spawn ci"), "spawn circle");
    assert_eq!(line("add body.3 pol"), "add body.3 polygon");
    assert_eq!(line("help unw"), "help unwatch ");
    assert_eq!(line("zzz"), "zzz");
    // In the middle of a line, counted in characters.
    let middle = console.complete("get body.3.vel é", 14, &run);
    assert_eq!((middle.line.as_str(), middle.cursor), ("get body.3.velocity é", 19));
    assert_eq!(console.complete("é", 100, &run).line, "é");
}

#[test]
fn noise_is_answered() {
    let mut rng = Rng::new(9);
    let mut console = Console::new();
    for start in [world(), particles()] {
        let mut run = start.clone();
        for round in 0..10_000 {
            let line = noise(&mut rng);
            let cursor = rng.below(20) as usize;
            let completion = console.complete(&line, cursor, &run);
            assert!(completion.cursor <= completion.line.chars().count());
            if let Action::Edit(edit) = console.execute(&line, &run) {
                console.answer(edit.apply(&mut run));
            }
            let _ = console.watched(&run);
            if round % 1000 == 0 {
                run = start.clone();
            }
        }
    }
}
