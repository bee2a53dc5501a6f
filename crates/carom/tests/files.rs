//! Scene files on the command line: run, check, write.

mod shared;

use shared::{empty_folder, name, ran};
use std::fs;
use std::path::{Path, PathBuf};

fn example(scene: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../scenes").join(scene);
    name(&path).to_owned()
}

#[test]
fn runs_files_like_built_in_scenes() {
    let file = example("balance.json");
    let (code, out, err) = ran(&["run", &file, "--steps", "30"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for part in ["balance: a plank", "30 (0.50 s simulated)", "bodies                7", "touching", "ms per step"] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
    let (_, whole, _) = ran(&["run", &file]);
    assert!(whole.contains("720 (12.00 s simulated)") && !whole.contains("ended as it should"), "{whole}");
    let (_, profile, _) = ran(&["run", &file, "--seconds", "0.1", "--profile"]);
    assert!(profile.contains("6 (0.10 s simulated)") && profile.contains("solve"), "{profile}");

    let hash = |more: &[&str]| {
        let (code, out, err) = ran(&[&["run", &file, "--steps", "100", "--hash"], more].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{more:?}");
        out.lines().last().unwrap().to_owned()
    };
    let plain = hash(&[]);
    assert!(plain.starts_with("hash 0x"));
    assert_eq!(hash(&["--broad-phase", "quadtree"]), plain);
    assert_eq!(hash(&["--gravity", "0,-9.81"]), plain);
    assert_ne!(hash(&["--gravity", "0,-1.6"]), plain);

    let folder = empty_folder("outputs");
    for (file_name, start) in [("a.csv", &b"step,time"[..]), ("a.png", b"\x89PNG"), ("a.gif", b"GIF89a")] {
        let path = folder.join(file_name);
        let mut args = vec!["run", &file, "--steps", "6", "--out", name(&path)];
        if file_name != "a.csv" {
            args.extend(["--size", "64x36"]);
        }
        let (code, out, err) = ran(&args);
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(out.starts_with("wrote "), "{out}");
        assert!(fs::read(&path).unwrap().starts_with(start), "{file_name}");
    }
}

#[test]
fn writes_the_end_of_a_run_and_goes_on_from_it() {
    let folder = empty_folder("write");
    let file = folder.join("bricks.json");
    let (code, out, err) = ran(&["run", "falling_bricks", "--steps", "40", "--out", name(&file), "--hash"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let mut lines = out.lines();
    assert!(lines.next().unwrap().ends_with("bricks.json: 10 bodies, 3 kB"), "{out}");
    let hash = lines.next().unwrap();
    assert_eq!(lines.next(), None, "nothing to note about this scene");
    // The state is the same to the bit, and the scene still knows its name and length.
    let (_, again, _) = ran(&["run", name(&file), "--steps", "0", "--hash"]);
    assert_eq!(again.lines().last(), Some(hash));
    assert!(again.starts_with("falling_bricks: six bricks"), "{again}");
    let (_, whole, _) = ran(&["run", name(&file)]);
    assert!(whole.contains("300 (5.00 s simulated)"), "{whole}");
    // A file may take the place of the one it comes from, and of a longer one.
    let first = fs::read_to_string(&file).unwrap();
    fs::write(&file, first.clone() + &" ".repeat(5000)).unwrap();
    assert_eq!(ran(&["run", name(&file), "--steps", "0", "--out", name(&file)]).0, 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), first);
}

#[test]
fn says_when_a_scene_loses_what_it_does_by_itself() {
    let folder = empty_folder("scripted");
    let file = folder.join("belt.json");
    let (code, out, err) = ran(&["run", "forces", "--steps", "1", "--out", name(&file)]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("note: this scene also moves or makes bodies by itself"), "{out}");
    let (_, out, _) = ran(&["run", "stack", "--steps", "1", "--out", name(&file)]);
    assert!(!out.contains("note"), "{out}");
}

#[test]
fn checks_files() {
    let file = example("marble_run.json");
    let (code, out, err) = ran(&["check", &file]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out, format!("{file}: valid (bodies 17, shapes 34, steps 1800 of 0.0166667 s)\n"));
}

#[test]
fn bad_files_are_explained() {
    let folder = empty_folder("bad");
    let deep = "[".repeat(1_000_000);
    let head = "{\"format\": \"carom-scene\", \"version\": 1, \"bodies\": [";
    let bad: [(&str, &[u8], &str); 9] = [
        ("empty.json", b"", ":1:1: the file is empty"),
        ("rubbish.json", b"\x7fELF\x02\x01\x01\x00\xff", ":1:"),
        ("picture.json", b"\x89PNG\r\n", ":1:1: expected text in UTF-8"),
        ("deep.json", deep.as_bytes(), "nested more than 64 deep"),
        ("xml.json", b"<scene></scene>", ":1:1: expected a value, found <"),
        ("other.json", b"{\"name\": \"package\"}", ":1:1: format: missing"),
        ("cut.json", head.as_bytes(), "the file ends here; the [ of line 1 is still open"),
        ("radius.json", b"", ":2:59: bodies[0].shapes[0].radius: expected a size between 1e-5 and 1e6 m, found -1"),
        ("typo.json", b"", ":2:19: bodies[0].angel: a body has no such field; did you mean \"angle\"?"),
    ];
    for (file_name, bytes, part) in bad {
        let file = folder.join(file_name);
        let text = match file_name {
            "radius.json" => {
                format!("{head}\n{{\"kind\": \"fixed\", \"shapes\": [{{\"kind\": \"circle\", \"radius\": -1}}]}}]}}")
            }
            "typo.json" => format!("{head}\n{{\"kind\": \"fixed\", \"angel\": 1}}]}}"),
            _ => String::new(),
        };
        fs::write(&file, if text.is_empty() { bytes } else { text.as_bytes() }).unwrap();
        for command in ["check", "run"] {
            let (code, out, err) = ran(&[command, name(&file)]);
            assert_eq!((code, out.as_str()), (2, ""), "{command} {file_name}");
            assert!(err.starts_with("error: ") && err.contains(part), "{command} {file_name}: {err}");
            assert!(err.len() < 1000 && err.lines().count() <= 2, "{err}");
        }
    }
    assert!(ran(&["check", name(&folder.join("radius.json"))]).2.contains(&format!("error: {}", folder.display())));
}

#[test]
fn files_that_are_not_there_are_explained() {
    let folder = empty_folder("absent");
    let missing = folder.join("missing.json");
    let directory = folder.join("folder.json");
    fs::create_dir(&directory).unwrap();
    let plain = folder.join("plain");
    fs::write(&plain, "{}").unwrap();
    for (path, hint) in [
        (&missing, "check its name"),
        (&directory, "name a file in this folder"),
        (&plain, ".json, .xml or .scene"),
        (&folder, ".json, .xml or .scene"),
    ] {
        for command in ["run", "check"] {
            let (code, out, err) = ran(&[command, name(path)]);
            assert_eq!((code, out.as_str()), (2, ""), "{path:?}");
            assert!(err.starts_with("error: ") && err.contains(hint) && err.contains(name(path)), "{command}: {err}");
        }
    }
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let folder = empty_folder("usage");
    let target = folder.join("never.json");
    let target = name(&target);
    let bad: [(&[&str], &str); 5] = [
        (&["run", "stack", "--out", target, "--every", "2"], "--every is for CSV"),
        (&["run", "stack", "--out", target, "--theme", "dark"], "--theme is for pictures"),
        (&["run", "stack", "--out", "/nowhere/at/all.json"], "cannot create /nowhere/at/all.json"),
        (&["run", "stack", "--out", "picture.xyz"], ".png, .gif, .mp4, .csv or .json"),
        (&["run", "stack", "--gravity", "nan,0", "--out", target], "--gravity"),
    ];
    for (args, hint) in bad {
        let (code, out, err) = ran(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.starts_with("error: ") && err.contains(hint), "{args:?}: {err}");
    }
    assert!(!Path::new(target).exists(), "nothing was begun");
}

/// A scene of SFGE is told by its content, checked, run and drawn; what is wrong with one has its place.
#[test]
fn scenes_of_sfge_are_taken_like_others() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes/sfge_drop.json");
    let (code, out, err) = ran(&["check", file]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("valid (bodies 4, shapes 4, steps 600 of 0.02 s)"), "{out}");
    let (code, out, _) = ran(&["run", file, "--steps", "100"]);
    assert_eq!(code, 0);
    assert!(out.contains("sfge_drop: an SFGE scene; not run: scripts/contact_debug_system.py"), "{out}");
    let folder = empty_folder("sfge");
    let (own, bad) = (folder.join("own.json"), folder.join("bad.json"));
    assert_eq!(ran(&["run", file, "--steps", "10", "--out", own.to_str().unwrap()]).0, 0);
    assert!(std::fs::read_to_string(&own).unwrap().contains("carom-scene"));
    std::fs::write(&bad, "{\"entities\": [\n{\"components\": [{\"type\": 8, \"mass\": \"heavy\"}]}]}").unwrap();
    let (code, _, err) = ran(&["check", bad.to_str().unwrap()]);
    assert_eq!(code, 2);
    assert!(err.contains("bad.json:2:37: entities[0].components[0].mass: expected a number, found \"heavy\""), "{err}");
}
