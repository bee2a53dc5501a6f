//! The command line as a user meets it.

mod shared;

use shared::{empty_folder, picture_size, ran};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A path for a file of one test.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn lists_scenes_one_line_each() {
    let (code, out, err) = ran(&["scenes"]);
    assert_eq!((code, err.as_str()), (0, ""));
    let column = out.lines().next().unwrap().find("six bricks").unwrap();
    for line in out.lines() {
        let (front, summary) = line.split_at(column);
        assert!(front.ends_with("  ") && front.split_whitespace().count() == 2 && !summary.starts_with(' '), "{line}");
    }
    for (name, group) in
        [("falling_bricks", "basics"), ("washer", "benchmark"), ("quadtree", "coursework"), ("cloth", "particles")]
    {
        let is_listed = |line: &str| line.split_whitespace().take(2).eq([name, group]);
        assert!(out.lines().any(is_listed), "{name}");
    }
}

#[test]
fn lists_scenes_as_json() {
    let (code, out, _) = ran(&["scenes", "--json"]);
    assert_eq!(code, 0);
    let list: serde_json::Value = serde_json::from_str(&out).unwrap();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), ran(&["scenes"]).1.lines().count());
    let washer = list.iter().find(|scene| scene["name"] == "washer").unwrap();
    assert_eq!(
        (&washer["bodies"], &washer["steps"], &washer["group"]),
        (&8102.into(), &500.into(), &"benchmark".into())
    );
    assert_eq!(washer["dt"].as_f64().unwrap(), 1.0 / 60.0);
    let cloth = list.iter().find(|scene| scene["name"] == "cloth").unwrap();
    assert_eq!((&cloth["bodies"], &cloth["group"]), (&694.into(), &"particles".into()));
    assert!(list.iter().all(|scene| scene["summary"].is_string()));
}

#[test]
fn films_falling_bricks_when_nothing_is_asked() {
    let folder = empty_folder("welcome");
    let output = Command::new(env!("CARGO_BIN_EXE_carom")).current_dir(&folder).output().unwrap();
    let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    assert_eq!((output.status.code(), err.as_str()), (Some(0), ""));
    for part in ["falling-bricks.png", "falling-bricks.mp4", "300 frames", "carom scenes", "carom --help"] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
    assert_eq!(picture_size(&folder.join("falling-bricks.png")), (1280, 720));
    assert_eq!(mp4_of(&folder.join("falling-bricks.mp4")), (1280, 720, 300, 5000));
}

/// Width, height, frames and milliseconds.
fn mp4_of(path: &Path) -> (u16, u16, u32, u128) {
    let file = std::fs::File::open(path).unwrap();
    let length = file.metadata().unwrap().len();
    let reader = mp4::Mp4Reader::read_header(std::io::BufReader::new(file), length).unwrap();
    let track = reader.tracks().values().next().unwrap();
    (track.width(), track.height(), track.sample_count(), reader.duration().as_millis())
}

/// Width, height, frames and hundredths of a second.
fn gif_of(path: &Path) -> (u16, u16, usize, u32) {
    let mut decoder = gif::DecodeOptions::new().read_info(std::fs::File::open(path).unwrap()).unwrap();
    let (mut frames, mut time) = (0, 0);
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        frames += 1;
        time += u32::from(frame.delay);
    }
    (decoder.width(), decoder.height(), frames, time)
}

#[test]
fn draws_and_films_runs() {
    let folder = empty_folder("films");
    let film = |name: &str, more: &[&str]| {
        let path = folder.join(name);
        let args = [&["run", "falling_bricks", "--size", "160x90", "--out", path.to_str().unwrap()], more].concat();
        let (code, out, err) = ran(&args);
        assert_eq!((code, err.as_str()), (0, ""), "{args:?}");
        assert!(out.starts_with("wrote ") && out.contains(name), "{out}");
        path
    };
    assert_eq!(picture_size(&film("a.png", &["--steps", "30"])), (160, 90));
    assert_eq!(mp4_of(&film("a.mp4", &["--seconds", "0.5"])), (160, 90, 30, 500));
    assert_eq!(mp4_of(&film("b.mp4", &["--steps", "60", "--fps", "25"])), (160, 90, 25, 1000));
    assert_eq!(gif_of(&film("a.gif", &["--seconds", "1"])), (160, 90, 30, 100));
    assert_eq!(gif_of(&film("b.gif", &["--seconds", "1", "--fps", "50"])), (160, 90, 50, 100));
    let frames = film("frames/", &["--seconds", "0.2"]);
    assert_eq!(std::fs::read_dir(&frames).unwrap().count(), 12);
    assert_eq!(picture_size(&frames.join("frame00012.png")), (160, 90));
}

#[test]
fn looks_of_pictures() {
    let folder = empty_folder("looks");
    let draw = |more: &[&str]| {
        let path = folder.join("a.png");
        let fixed = ["run", "falling_bricks", "--steps", "75", "--size", "160x90", "--out", path.to_str().unwrap()];
        let (code, _, err) = ran(&[&fixed, more].concat());
        assert_eq!((code, err.as_str()), (0, ""), "{more:?}");
        std::fs::read(&path).unwrap()
    };
    let plain = draw(&[]);
    assert!(plain.starts_with(b"\x89PNG"));
    assert_eq!(draw(&["--theme", "light"]), plain);
    for more in [&["--theme", "dark"][..], &["--overlay", "contacts,aabbs"], &["--plain"]] {
        assert_ne!(draw(more), plain, "{more:?}");
    }
}

#[test]
fn a_film_changes_no_result() {
    let path = scratch("hashed.gif");
    let path = path.to_str().unwrap();
    let (_, filmed, _) =
        ran(&["run", "falling_bricks", "--steps", "50", "--size", "32x32", "--fps", "7", "--out", path, "--hash"]);
    let (_, plain, _) = ran(&["run", "falling_bricks", "--steps", "50", "--hash"]);
    assert_eq!(filmed.lines().last(), plain.lines().last());
}

#[test]
fn makes_a_gallery() {
    let folder = empty_folder("gallery");
    let (code, out, err) =
        ran(&["gallery", folder.to_str().unwrap(), "--scenes", "falling_bricks,stack", "--size", "160x90"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out.lines().count(), 4, "{out}");
    for name in ["falling_bricks.png", "stack.png"] {
        assert_eq!(picture_size(&folder.join(name)), (160, 90));
    }
    let page = || std::fs::read_to_string(folder.join("index.html")).unwrap();
    let sources = |page: &str| -> Vec<String> {
        page.split("<img src=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()).collect()
    };
    assert_eq!(
        sources(&page()),
        ["falling_bricks.gif", "stack.png"],
        "each scene once, the movie in place of its picture"
    );
    assert!(page().contains("six bricks") && !page().contains("http"), "captions, and nothing from elsewhere");
    // Pictures of earlier runs stay on the page.
    ran(&["gallery", folder.to_str().unwrap(), "--scenes", "pyramid", "--size", "160x90"]);
    assert_eq!(sources(&page()).len(), 3, "{}", page());
    assert_eq!(gif_of(&folder.join("falling_bricks.gif")), (160, 90, 120, 400));
    let (code, _, err) = ran(&["gallery", folder.to_str().unwrap(), "--scenes", "stak"]);
    assert!(code == 2 && err.contains("stack"), "{err}");
}

#[test]
fn bad_pictures_are_explained() {
    let png = scratch("never.png");
    let png = png.to_str().unwrap();
    let mp4 = scratch("never.mp4");
    let mp4 = mp4.to_str().unwrap();
    let gif = scratch("never.gif");
    let gif = gif.to_str().unwrap();
    let bad: [(&[&str], &str); 16] = [
        (&["--out", png, "--size", "0x0"], "16 to 8192"),
        (&["--out", png, "--size", "100000x100"], "16 to 8192"),
        (&["--out", png, "--size", "wide"], "1280x720"),
        (&["--out", png, "--overlay", "contact"], "contacts, normals"),
        (&["--out", png, "--theme", "blue"], "dark"),
        (&["--out", png, "--fps", "30"], "--fps"),
        (&["--out", png, "--every", "2"], "--every"),
        (&["--out", mp4, "--size", "321x180"], "322x180"),
        (&["--out", mp4, "--size", "8000x8000"], "3840x2160"),
        (&["--out", mp4, "--fps", "0"], "1..=240"),
        (&["--out", gif, "--fps", "60"], "1 to 50"),
        (&["--out", gif, "--seconds", "-1"], "--seconds"),
        (&["--out", gif, "--seconds", "1", "--steps", "1"], "--steps"),
        (&["--out", "/nowhere/at/all.png"], "cannot create"),
        (&["--out", "-", "--theme", "dark"], "--theme"),
        (&["--theme", "dark"], "--out"),
    ];
    for (args, hint) in bad {
        let (code, out, err) = ran(&[&["run", "stack"], args].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.starts_with("error: ") && err.contains(hint), "{args:?}: {err}");
    }
    assert!(![png, mp4, gif].iter().any(|path| Path::new(path).exists()), "nothing was begun");
}

#[test]
fn sums_up_a_run() {
    let (code, out, err) = ran(&["run", "stack", "--steps", "30"]);
    assert_eq!((code, err.as_str()), (0, ""));
    for part in ["steps", "30 (0.50 s simulated)", "11 (10 awake)", "touching", "mm", " J", "ms per step"] {
        assert!(out.contains(part), "no {part:?} in:\n{out}");
    }
    let (_, whole, _) = ran(&["run", "stack"]);
    assert!(whole.contains("ended as it should    yes"), "{whole}");
}

#[test]
fn writes_csv() {
    let path = scratch("stack.csv");
    let (code, _, err) = ran(&["run", "stack", "--steps", "25", "--every", "10", "--out", path.to_str().unwrap()]);
    assert_eq!((code, err.as_str()), (0, ""));
    let text = std::fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("step,time,body,x,y,angle,vx,vy,omega"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    // Steps 0, 10, 20 and the last, 25, of 11 bodies.
    assert_eq!(rows.len(), 4 * 11);
    let steps: Vec<&str> = rows.iter().step_by(11).map(|row| row[0]).collect();
    assert_eq!(steps, ["0", "10", "20", "25"]);
    assert_eq!(rows[1], ["0", "0", "1", "0", "0.5", "0", "0", "0", "0"]);
    for row in &rows {
        assert_eq!(row.len(), 9);
        for number in &row[3..] {
            let value: f32 = number.parse().unwrap();
            assert_eq!(&value.to_string(), number, "shortest digits that give back the same number");
        }
    }
    // A last step that is sampled anyway appears once.
    ran(&["run", "stack", "--steps", "20", "--every", "10", "--out", path.to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(&path).unwrap().lines().count(), 1 + 3 * 11);
}

#[test]
fn writes_csv_to_standard_output() {
    let (code, out, err) = ran(&["run", "stack", "--steps", "0", "--out", "-", "--hash"]);
    assert_eq!(code, 0);
    assert_eq!(out.lines().count(), 1 + 11, "{out}");
    assert!(err.starts_with("hash 0x"), "the table stays clean: {err}");
}

#[test]
fn hashes_are_repeatable() {
    let hash = |args: &[&str]| {
        let (code, out, _) = ran(&[&["run", "falling_bricks", "--steps", "100", "--hash"], args].concat());
        assert_eq!(code, 0);
        out.lines().last().unwrap().to_owned()
    };
    let first = hash(&[]);
    let digits = first.strip_prefix("hash 0x").expect("a hash line");
    assert!(digits.len() == 16 && digits.chars().all(|c| c.is_ascii_digit() || ('a'..='f').contains(&c)), "{first}");
    assert_eq!(hash(&[]), first);
    assert_eq!(hash(&["--broad-phase", "quadtree"]), first);
    assert_eq!(hash(&["--broad-phase", "tree", "--profile"]), first);
    assert_eq!(hash(&["--gravity", "0,-10"]), first);
    assert_ne!(hash(&["--gravity", "-10,0"]), first);
}

#[test]
fn shows_where_the_time_went() {
    let (code, out, _) = ran(&["run", "pyramid", "--steps", "5", "--profile"]);
    assert_eq!(code, 0);
    for stage in ["stage", "pairs", "contacts", "solve", "total"] {
        assert!(out.lines().any(|line| line.starts_with(stage)), "no {stage} in:\n{out}");
    }
}

#[test]
fn an_unknown_scene_is_explained() {
    let (code, out, err) = ran(&["run", "faling_bricks"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("error: ") && err.contains("falling_bricks") && err.contains("carom scenes"), "{err}");
}

#[test]
fn bad_usage_is_explained() {
    let bad: [&[&str]; 14] = [
        &["run"],
        &["completions", "tcsh"],
        &["run", "stack", "--every", "-1"],
        &["dance"],
        &["run", "stack", "--threads", "0"],
        &["run", "stack", "--every", "0"],
        &["run", "stack", "--steps", "-1"],
        &["run", "stack", "--steps", "99999999999"],
        &["run", "stack", "--gravity", "down"],
        &["run", "stack", "--gravity", "nan,0"],
        &["run", "stack", "--broad-phase", "grid"],
        &["run", "stack", "--steps", "1", "--out", "picture.xyz"],
        &["run", "stack", "--steps", "1", "--out", "/nowhere/at/all.csv"],
        &["run", "stack", "--steps", "1", "--out", ""],
    ];
    for args in bad {
        let (code, out, err) = ran(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.starts_with("error: "), "{args:?}: {err}");
    }
    assert!(
        ran(&["run", "stack", "--out", "picture.xyz"]).2.contains(".png, .gif, .mp4, .csv or .json"),
        "says which endings work"
    );
}

/// What is wrong is said as it is, also where a number begins with a minus.
#[test]
fn messages_are_true() {
    let cases: [(&[&str], &str); 10] = [
        (&["run", "stack", "--steps", "-1"], "expected a whole number from 0 to"),
        (&["run", "stack", "--every", "-2"], "expected a whole number from 1 to"),
        (&["run", "stack", "--threads", "-1"], "-1 is not in 1..=64"),
        (&["run", "stack", "--fps", "-1"], "-1 is not in 1..=240"),
        (&["run", "stack", "--gravity", "0,-1e30"], "at most 1e6"),
        (&["run", "stack", "--dt", "0.01"], "--dt is for scenes in space; bodies in the plane"),
        (&["run", "cloth", "--dt", "0.01"], "and particles keep the step of their scene"),
        (&["run", "cradle_3d", "--dt", "-1"], "from 1e-9 to 1"),
        (&["compare", "stack", "x.bin"], "takes one, built in or a file that ends in .xml"),
        (&["compare", "cloth.json", "x.bin"], "cloth.json is no particle scene"),
    ];
    for (args, part) in cases {
        let (code, out, err) = ran(args);
        assert_eq!((code, out.as_str()), (2, ""), "{args:?}");
        assert!(err.contains(part), "{args:?}: {err}");
    }
    assert_eq!(ran(&["run", "stack", "--steps", "1", "--gravity", "0,-1e6"]).0, 0);
}

/// A film into a folder replaces the frames of a longer one that was there, and nothing else.
#[test]
fn old_frames_are_removed() {
    let folder = empty_folder("old-frames");
    let film = |steps: &str| {
        let out = folder.join("");
        let path = out.to_str().unwrap();
        let (code, _, err) = ran(&["run", "stack", "--steps", steps, "--size", "32x32", "--out", path]);
        assert_eq!((code, err.as_str()), (0, ""));
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    };
    assert_eq!(film("30").len(), 30);
    let others = ["frame1.png", "frame00001.txt", "my-frame00001.png"];
    for other in others {
        std::fs::write(folder.join(other), "mine").unwrap();
    }
    let names = film("3");
    assert_eq!(names.len(), 3 + others.len(), "{names:?}");
    assert!(others.iter().all(|other| names.iter().any(|name| name == other)), "{names:?}");
    assert!(["frame00001.png", "frame00003.png"].iter().all(|frame| names.iter().any(|name| name == frame)));
}

/// The help of `run` has each option under the heading of what it is for.
#[test]
fn help_groups_options() {
    let (_, out, _) = ran(&["run", "-h"]);
    let mut heading = "";
    let mut groups = std::collections::BTreeMap::new();
    for line in out.lines() {
        if let Some(title) = line.strip_suffix(':').filter(|title| !title.starts_with(' ')) {
            heading = title;
        } else if let Some((_, rest)) = line.split_once("--") {
            let name = rest.split([' ', ',']).next().unwrap();
            groups.entry(heading).or_insert_with(Vec::new).push(name);
        }
    }
    let of = |heading: &str| groups.get(heading).cloned().unwrap_or_default();
    assert_eq!(of("Options"), ["steps", "seconds", "out", "every", "hash", "profile", "threads", "help"], "{out}");
    assert_eq!(of("Bodies in the plane"), ["solver", "broad-phase", "gravity"], "{out}");
    assert_eq!(of("Scenes in space"), ["dt", "integrator", "spin-frame"], "{out}");
    assert_eq!(of("Pictures and movies"), ["size", "fps", "overlay", "theme", "plain"], "{out}");
}

/// Completions name commands and options, in the words of each shell; the shell that is here can read them.
#[test]
fn shells_learn_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let (code, out, err) = ran(&["completions", shell]);
        assert_eq!((code, err.as_str()), (0, ""), "{shell}");
        for word in ["carom", "gallery", "overlay", "fosssim"] {
            assert!(out.contains(word), "{shell}: no {word}");
        }
    }
    let path = scratch("carom.bash");
    std::fs::write(&path, ran(&["completions", "bash"]).1).unwrap();
    let ask = format!(
        "source '{}'; COMP_WORDS=(carom gal); COMP_CWORD=1; _carom carom gal carom; echo \"${{COMPREPLY[@]}}\"",
        path.display()
    );
    match Command::new("bash").args(["-c", &ask]).output() {
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "gallery"),
        Err(_) => println!("skipped: there is no bash"),
    }
}

#[test]
fn there_is_a_manual() {
    let (code, page, err) = ran(&["man"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(page.contains(".TH carom 1") && page.contains("carom\\-run(1)"), "{page}");
    let folder = empty_folder("man");
    let (code, out, err) = ran(&["man", folder.to_str().unwrap()]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out.lines().count(), std::fs::read_dir(&folder).unwrap().count());
    let run = std::fs::read_to_string(folder.join("carom-run.1")).unwrap();
    assert!(run.contains(".TH carom-run 1") && run.contains("\\-\\-gravity"), "{run}");
    assert_eq!(std::fs::read_to_string(folder.join("carom.1")).unwrap(), page);
}

#[test]
fn help_and_version_work() {
    for args in [&["--help"][..], &["run", "--help"], &["scenes", "--help"], &["gallery", "--help"], &["--version"]] {
        let (code, out, err) = ran(args);
        assert!(code == 0 && !out.is_empty() && err.is_empty(), "{args:?}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for args in [&["run", "pyramid", "--out", "-"][..], &["scenes", "--json"], &["run", "stack"]] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_carom"))
            .args(args)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(0) && err.is_empty(), "{args:?}: {err}");
    }
}

#[test]
fn validates_as_json() {
    let (code, out, err) = ran(&["validate", "integration", "--json"]);
    assert_eq!((code, err.as_str()), (0, ""), "flight passes its gates");
    let list: serde_json::Value = serde_json::from_str(&out).unwrap();
    let list = list.as_array().unwrap();
    for line in list {
        assert!(line["id"].is_string() && line["group"] == "integration", "{line}");
        assert!(["value", "error", "gate"].iter().all(|field| line[field].is_f64()), "{line}");
        assert!(["expected", "goal"].iter().all(|field| line[field].is_f64() || line[field].is_null()), "{line}");
        assert_eq!((&line["pass_gate"], line["pass_goal"].is_boolean()), (&true.into(), true), "{line}");
    }
    let fall = list.iter().find(|line| line["id"].as_str().unwrap().starts_with("1 ")).unwrap();
    assert_eq!(fall["expected"], -5.0);
    let (value, error) = (fall["value"].as_f64().unwrap(), fall["error"].as_f64().unwrap());
    assert!(((value + 5.0).abs() - error).abs() < 1e-12, "{fall}");
    assert!(fall["box2d"].is_f64() && fall["rapier"].is_f64() && fall["chipmunk"].is_null(), "{fall}");
}

#[test]
fn validates_problems_by_number_or_name() {
    let (code, by_number, _) = ran(&["validate", "2"]);
    assert_eq!(code, 0);
    assert!(by_number.contains("2 projectile, apex") && !by_number.contains("free fall"), "{by_number}");
    assert_eq!(ran(&["validate", "Projectile"]).1, by_number);
    let (code, page, _) = ran(&["validate", "projectile", "--markdown"]);
    assert_eq!(code, 0);
    assert!(page.starts_with("# Accuracy\n") && page.contains("| 2 projectile, apex error (relative) |"), "{page}");

    let (code, out, err) = ran(&["validate", "chainsaw"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("chainsaw") && err.contains("friction"), "{err}");
}

/// Without a seed a fresh one is drawn and printed; with it, the same instances come again.
#[test]
fn families_are_drawn_from_a_seed() {
    let cheap = ["validate", "--families", "D2", "--instances", "3"];
    let (code, out, err) = ran(&cheap);
    assert!([0, 1].contains(&code) && err.is_empty(), "{code}: {err}");
    let seed = out.lines().next().unwrap().rsplit("seed ").next().unwrap();
    assert!(seed.parse::<u64>().is_ok(), "{out}");
    assert_eq!(ran(&[&cheap[..], &["--seed", seed]].concat()), (code, out, err));
}

#[test]
fn families_as_json_have_an_object_each() {
    let (code, out, err) =
        ran(&["validate", "--families", "stopping", "D3", "--seed", "1", "--instances", "2", "--json"]);
    assert!([0, 1].contains(&code) && err.is_empty(), "{code}: {err}");
    let list: serde_json::Value = serde_json::from_str(&out).unwrap();
    let list = list.as_array().unwrap();
    assert_eq!(list.iter().map(|family| family["name"].as_str().unwrap()).collect::<Vec<_>>(), ["D2", "D3"]);
    for family in list {
        assert_eq!((&family["instances"], &family["seed"]), (&2.into(), &1.into()), "{family}");
        assert!(["worst", "median", "gate"].iter().all(|field| family[field].is_f64()), "{family}");
        assert!(family["goal"].is_f64() || family["goal"].is_null(), "{family}");
        let passed = family["passed"].as_u64().unwrap();
        assert_eq!(family["holds"], serde_json::Value::Bool(passed == 2), "{family}");
        assert_eq!(family["failures"].as_array().unwrap().len() as u64, 2 - passed, "{family}");
        assert!(family["measures"].as_array().unwrap().iter().all(|measure| measure["name"].is_string()), "{family}");
    }
    let holds = list.iter().all(|family| family["holds"] == true);
    assert_eq!(code, i32::from(!holds), "0 only if every gate holds");
}

/// A failing instance says how to repeat it, alone.
#[test]
fn a_single_instance_can_be_repeated() {
    let of = |args: &[&str]| {
        let (_, out, _) = ran(&[&["validate", "--families", "D2", "--seed", "5", "--json"], args].concat());
        serde_json::from_str::<serde_json::Value>(&out).unwrap()[0].clone()
    };
    let (all, only) = (of(&["--instances", "4"]), of(&["--only", "3"]));
    assert_eq!(only["instances"], 1);
    let of_the_last: Vec<_> = all["failures"].as_array().unwrap().iter().filter(|f| f["instance"] == 3).collect();
    assert_eq!(of_the_last, only["failures"].as_array().unwrap().iter().collect::<Vec<_>>());
    assert!(only["worst"].as_f64().unwrap() <= all["worst"].as_f64().unwrap());
}

#[test]
fn families_refuse_what_they_cannot_do() {
    let (code, out, err) = ran(&["validate", "--families", "chainsaw"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("chainsaw") && err.contains("A1 towers"), "{err}");
    for bad in [
        &["--seed", "1"][..],
        &["--peers"],
        &["--families", "--only", "1"],
        &["--families", "--instances", "0"],
        &["--families", "--markdown"],
        &["--families", "--seed", "-1"],
    ] {
        let (code, out, err) = ran(&[&["validate"], bad].concat());
        assert_eq!((code, out.as_str()), (2, ""), "{bad:?}");
        assert!(!err.is_empty(), "{bad:?}");
    }
    if !cfg!(feature = "peers") {
        let (code, out, err) = ran(&["validate", "--families", "D2", "--peers"]);
        assert_eq!((code, out.as_str()), (2, ""));
        assert!(err.contains("--features peers"), "{err}");
    }
}

#[test]
fn a_missed_gate_is_told_by_the_exit_code() {
    // While there is one; the last takes the least time.
    let Some(gap) = carom_checks::gaps::KNOWN_GAPS.last() else { return };
    let problem = gap.id.split(' ').next().unwrap();
    let (code, out, err) = ran(&["validate", problem]);
    assert_eq!((code, err.as_str()), (1, ""), "the sheet has said what is missed");
    assert!(out.contains("MISSED") && out.contains(gap.why), "{out}");
    let (code, out, _) = ran(&["validate", problem, "--json"]);
    assert_eq!(code, 1);
    let list: serde_json::Value = serde_json::from_str(&out).unwrap();
    let missed = list.as_array().unwrap().iter().find(|line| line["id"] == gap.id).unwrap();
    assert_eq!((&missed["pass_gate"], &missed["known_gap"]), (&false.into(), &gap.why.into()));
}

/// `--profile` tells how many shapes each quad holds where a quadtree finds pairs, and nothing of the kind elsewhere.
#[test]
fn profiles_count_what_is_in_each_quad() {
    let (code, out, _) = ran(&["run", "quadtree", "--steps", "3", "--profile"]);
    assert_eq!(code, 0);
    let table = out.split("shapes in each quad\n").nth(1).unwrap();
    let rows: Vec<Vec<u32>> = table
        .lines()
        .map(|line| line.split_whitespace().map(|word| word.parse().unwrap_or_else(|_| panic!("{line}"))).collect())
        .collect();
    assert_eq!(rows[0][..2], [0, 1], "one root:\n{table}");
    assert_eq!(rows[1][..2], [1, 4], "four quads below it:\n{table}");
    let is_level = |line: &&str| !line.starts_with(' ');
    let shapes = |line: &str| line.split_whitespace().nth(2).unwrap().parse::<u32>().unwrap();
    assert_eq!(table.lines().filter(is_level).map(shapes).sum::<u32>(), 256, "each disc is in one quad:\n{table}");
    // The counts of the four quads add up to what their level has.
    assert_eq!(rows[1][3..].iter().sum::<u32>(), rows[1][2], "{table}");
    let (_, out, _) = ran(&["run", "quadtree", "--steps", "3", "--profile", "--broad-phase", "tree"]);
    assert!(!out.contains("quad\n"), "{out}");
}

/// Names and contents of files cannot speak to the terminal: colours, titles, moved cursors.
#[cfg(unix)]
#[test]
fn control_characters_are_not_printed() {
    let folder = empty_folder("control");
    let evil = "a\u{1b}[31m\nerror: all is well\u{7}";
    let write = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let scene = r#"{"format": "carom-scene", "version": 1, "bodies": []}"#;
    let files = [
        write(&format!("{evil}.json"), "{}"),
        write(&format!("{evil}-valid.json"), scene),
        write(&format!("{evil}.xml"), "<scene><\u{1b}[31m/></scene>"),
        write(&format!("{evil}.scene"), "<scene><\u{1b}[31m/></scene>"),
        write("plain.json", "{\"\u{1b}[31m\": 1}"),
        write("plain.xml", "<scene><particle m=\"\u{9b}31m\"/></scene>"),
        folder.join(format!("{evil}-missing.json")),
        folder.join(format!("{evil}.unknown")),
    ];
    for path in &files {
        for command in ["check", "run"] {
            let (_, out, err) = ran(&[command, path.to_str().unwrap()]);
            for text in [&out, &err] {
                let raw = text.chars().find(|&c| c.is_control() && c != '\n');
                assert!(raw.is_none(), "{command} {path:?}: {text:?}");
            }
            assert!(!err.contains("\nerror: all is well") || path.extension().unwrap() != "json", "{err}");
        }
    }
}

/// A recording is played to the same bits, on any number of threads, as far as is asked; it is run, filmed and checked as a
/// scene; and where it differs, step and body are named and the exit code is 1.
#[test]
fn records_and_replays() {
    let folder = empty_folder("recordings");
    let file = folder.join("fall.rec");
    let path = file.to_str().unwrap();
    let (code, out, err) = ran(&["record", "falling_bricks", path, "--steps", "90"]);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.starts_with(&format!("{path}: 90 steps, ")), "{out}");
    let hash = out.lines().last().unwrap().to_owned();
    assert_eq!(ran(&["run", "falling_bricks", "--steps", "90", "--hash"]).1.lines().last(), Some(hash.as_str()));
    for more in [&["--verify"][..], &["--verify", "--threads", "3"], &[]] {
        let (code, out, _) = ran(&[&["replay", path], more].concat());
        assert_eq!((code, out.lines().last()), (0, Some(hash.as_str())), "{more:?}");
    }
    let (code, out, _) = ran(&["replay", path, "--until", "40"]);
    assert!(code == 0 && out.contains("40 steps played, to step 40\n"), "{out}");
    assert_eq!(ran(&["run", "falling_bricks", "--steps", "40", "--hash"]).1.lines().last(), out.lines().last());
    let (code, out, _) = ran(&["run", path, "--hash"]);
    assert_eq!((code, out.lines().last()), (0, Some(hash.as_str())));
    assert_eq!(ran(&["run", path, "--gravity", "0,1"]).0, 2);
    assert_eq!(ran(&["check", path]).0, 0);

    let bytes = std::fs::read(&file).unwrap();
    std::fs::write(&file, &bytes[..bytes.len() - 3]).unwrap();
    let (code, _, err) = ran(&["replay", path]);
    assert!(code == 2 && err.contains("no end"), "{err}");
    std::fs::write(&file, b"{}").unwrap();
    let (code, _, err) = ran(&["replay", path]);
    assert!(code == 2 && err.contains("no recording"), "{err}");
    assert_eq!(ran(&["replay", folder.join("none.rec").to_str().unwrap()]).0, 2);
    assert_eq!(ran(&["record", "cloth", path]).0, 2);
}

/// The first step and the body in it that differ are named, with exit code 1; without `--verify` differences are ignored.
#[test]
fn replays_that_differ_are_failures() {
    use carom2d::prelude::*;
    let path = scratch("differs.rec");
    let mut world = World::new(WorldDef::default());
    let bodies: Vec<BodyId> = [0.0, 5.0, 10.0]
        .map(|x| {
            let body = world.add_body(BodyDef { position: vec2(x, 0.0), ..BodyDef::dynamic() }).unwrap();
            world.add_shape(body, ShapeDef::circle(0.5)).unwrap();
            body
        })
        .to_vec();
    world.record_to(std::fs::File::create(&path).unwrap(), carom2d::RecordDef::default()).unwrap();
    let impulse = 0.123_456_78_f32;
    for step in 0..9 {
        if step == 4 {
            world.body_mut(bodies[1]).apply_impulse(vec2(impulse, 0.0)).unwrap();
        }
        world.step(1.0 / 60.0);
    }
    world.stop_recording().unwrap();
    let mut bytes = std::fs::read(&path).unwrap();
    let place = bytes.windows(4).position(|bytes| bytes == impulse.to_le_bytes()).unwrap();
    bytes[place] ^= 1;
    std::fs::write(&path, carom_fuzz::sealed_recording(&bytes)).unwrap();
    let file = path.to_str().unwrap();
    let (code, out, _) = ran(&["replay", file, "--verify"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("step 5 is the first that differs") && out.contains(&format!("{:?}", bodies[1])), "{out}");
    assert_eq!(ran(&["replay", file]).0, 0);
    assert_eq!(ran(&["replay", file, "--verify", "--until", "4"]).0, 0);
}
