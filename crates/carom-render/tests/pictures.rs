//! A few scenes against stored pictures. Moments are early and scenes simple: what is compared is the
//! drawing, not the physics.
//!
//! After a change of looks that is meant: `CAROM_BLESS=1 cargo test -p carom-render --test pictures`,
//! then look at what changed under `tests/pictures/`.

use carom_particles::{CollisionError, Contact, ContactKind, Scene, StepReport};
use carom_render::{
    Canvas, Decor, DrawList, Look, Overlay, Picture, Poses, Size, Theme, View, draw_marks, draw_run, encode_png,
    snapshot,
};
use carom_scenes::{About, BuildOptions, Camera, ParticleRun, SceneWorld, find, find_entry};
use carom2d::prelude::*;
use glam::dvec2;
use std::path::PathBuf;

/// Compares a scene after some steps with `tests/pictures/<name>.png`.
fn compare(name: &str, scene: &str, steps: u32, look: Look) {
    let mut run = find_entry(scene).unwrap().build().unwrap();
    for _ in 0..steps {
        run.step();
    }
    compare_canvas(name, &snapshot(&run, Size::new(320, 180).unwrap(), &look));
}

/// Compares what was drawn with `tests/pictures/<name>.png`.
fn compare_canvas(name: &str, canvas: &Canvas) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/pictures/{name}.png"));
    if std::env::var_os("CAROM_BLESS").is_some() {
        encode_png(std::fs::File::create(&path).unwrap(), canvas.picture(), false).unwrap();
        return;
    }
    let (mean, far) = difference(&path, canvas.picture());
    if mean > 0.4 || far > 0.003 {
        let actual = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.png"));
        encode_png(std::fs::File::create(&actual).unwrap(), canvas.picture(), false).unwrap();
        panic!(
            "{name} looks different: bytes differ by {mean:.2} on average, {:.2}% of pixels are far off\n\
             expected {}\ndrawn    {}\n\
             if that is meant, run CAROM_BLESS=1 cargo test -p carom-render --test pictures",
            100.0 * far,
            path.display(),
            actual.display(),
        );
    }
}

/// Mean difference of bytes, and the share of pixels that differ by more than 40 in some channel.
fn difference(path: &PathBuf, picture: Picture<'_>) -> (f64, f64) {
    let file = std::fs::File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut reader = png::Decoder::new(std::io::BufReader::new(file)).read_info().unwrap();
    let mut expected = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut expected).unwrap();
    assert_eq!((info.width, info.height), (picture.size.width(), picture.size.height()));
    let (mut sum, mut far) = (0_u64, 0_u64);
    for (want, have) in expected.chunks_exact(3).zip(picture.rgba.chunks_exact(4)) {
        let differences = [0, 1, 2].map(|i| u64::from(want[i].abs_diff(have[i])));
        sum += differences.iter().sum::<u64>();
        far += u64::from(differences.iter().any(|&difference| difference > 40));
    }
    let pixels = f64::from(info.width * info.height);
    (sum as f64 / (3.0 * pixels), far as f64 / pixels)
}

fn dark() -> Look {
    Look { theme: Theme::Dark, ..Look::default() }
}

fn with(overlays: &str) -> Look {
    Look { overlays: overlays.parse().unwrap(), ..Look::default() }
}

#[test]
fn falling_bricks() {
    compare("falling_bricks", "falling_bricks", 40, Look::default());
}

#[test]
fn falling_bricks_on_dark() {
    compare("falling_bricks_dark", "falling_bricks", 40, dark());
}

#[test]
fn circles_with_spokes() {
    compare("elastic_gas", "elastic_gas", 0, Look { decor: Decor::None, ..Look::default() });
}

#[test]
fn sensors_and_the_quadtree() {
    compare("quadtree", "quadtree", 1, with("tree"));
}

#[test]
fn overlays() {
    compare("overlays", "stack", 10, with("contacts,normals,aabbs,centers,ids"));
}

#[test]
fn thousands_of_bodies() {
    compare("large_pyramid", "large_pyramid", 0, dark());
}

/// One joint of every kind, and the three dresses of a distance: pendulums and machines side by side.
fn machines() -> SceneWorld {
    let mut world = World::new(WorldDef::default());
    let wall = world.add_body(BodyDef::fixed()).unwrap();
    let mut bob = |x: f32, y: f32| {
        let body = world.add_body(BodyDef { position: vec2(x, y), ..BodyDef::dynamic() }).unwrap();
        world.add_shape(body, ShapeDef::rectangle(0.8, 0.5)).unwrap();
        body
    };
    let bobs: Vec<BodyId> = (0..9).map(|i| bob(1.5 * i as f32 - 6.0, 0.0)).collect();
    let lower = [bob(-6.0, -2.0), bob(-4.5, -2.0)];
    let at = |x: f32, y: f32| Pose::at(vec2(x, y));
    let hung = |i: usize, kind: JointKind| JointDef {
        frame_a: at(1.5 * i as f32 - 6.0, 2.0),
        ..JointDef::new(wall, bobs[i], kind)
    };
    let limits = Some(Limits::new(-0.6, 1.0));
    for (i, distance) in
        [Distance::rod(2.0), Distance::rope(2.3), Distance::spring(1.5, Spring::default())].into_iter().enumerate()
    {
        world.add_joint(hung(i, JointKind::Distance(distance))).unwrap();
    }
    let pin = JointKind::Revolute(Revolute { limits, ..Revolute::default() });
    let arm = world.add_joint(JointDef { frame_b: at(0.0, 2.0), ..hung(3, pin) }).unwrap();
    let upright = Pose::new(vec2(0.0, 1.0), 0.5 * std::f32::consts::PI);
    let slide = Prismatic { limits: Some(Limits::new(-2.0, 1.0)), ..Prismatic::default() };
    let def = JointDef::new(wall, bobs[4], JointKind::Prismatic(slide));
    let slide =
        world.add_joint(JointDef { frame_a: upright, frame_b: Pose::new(Vec2::ZERO, upright.q.angle()), ..def });
    let gear = Gear { joint_a: arm, joint_b: slide.unwrap(), ratio: 1.0 };
    world.add_joint(JointDef::new(bobs[3], bobs[4], JointKind::Gear(gear))).unwrap();
    world.add_joint(JointDef { frame_b: at(0.0, 2.0), ..hung(5, JointKind::Weld(Weld::default())) }).unwrap();
    world.add_joint(JointDef { frame_a: at(3.0, 0.0), ..hung(6, JointKind::Wheel(Wheel::default())) }).unwrap();
    world.add_joint(hung(7, JointKind::Motor(Drive::default()))).unwrap();
    world.add_joint(JointDef::mouse(wall, bobs[8], vec2(6.5, 1.0))).unwrap();
    let pulley = Pulley { pulley_a: vec2(-6.0, -1.0), pulley_b: vec2(-4.5, -1.0), length: 2.0, ratio: 1.0 };
    world.add_joint(JointDef::new(lower[0], lower[1], JointKind::Pulley(pulley))).unwrap();
    let about = About {
        name: "machines".into(),
        summary: "a joint of every kind".into(),
        steps: 60,
        dt: 1.0 / 60.0,
        camera: Camera { center: Vec2::ZERO, half_height: 3.9 },
    };
    SceneWorld::new(about, world)
}

#[test]
fn joints() {
    let mut run = machines();
    run.step();
    let size = Size::new(640, 360).unwrap();
    compare_canvas("joints", &snapshot(&run, size, &Look::default()));
    compare_canvas("joints_dark", &snapshot(&run, size, &Look { theme: Theme::Dark, ..with("joints") }));
}

#[test]
fn overlays_change_the_picture() {
    let mut run = find("falling_bricks").unwrap().build(&BuildOptions::default()).unwrap();
    for _ in 0..75 {
        run.step();
    }
    let size = Size::new(640, 360).unwrap();
    let plain = snapshot(&run, size, &Look::default()).picture().rgba.to_vec();
    for overlay in Overlay::ALL.into_iter().filter(|&overlay| overlay != Overlay::Joints) {
        let drawn = snapshot(&run, size, &with(overlay.name()));
        assert!(drawn.picture().rgba != plain, "{} shows nothing", overlay.name());
    }
    // Bricks have no joints.
    assert!(snapshot(&run, size, &with("joints")).picture().rgba == plain);
    let run = machines();
    let plain = snapshot(&run, size, &Look::default());
    assert!(snapshot(&run, size, &with("joints")).picture().rgba != plain.picture().rgba);
}

/// A sea, a tank and a pond with a bay, and where they are as a function of the point: the oracle of their pictures.
fn waters() -> (SceneWorld, fn(Vec2) -> bool) {
    let mut world = World::new(WorldDef::default());
    let pond = [(1.0, 0.0), (5.0, 0.0), (5.0, 2.0), (4.0, 2.0), (4.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)];
    for region in [
        FluidRegion::Below(-1.5),
        FluidRegion::Box(Aabb::new(vec2(-5.0, 0.0), vec2(-2.0, 2.0))),
        FluidRegion::Polygon(pond.iter().map(|&(x, y)| vec2(x, y)).collect()),
    ] {
        world.add_fluid(FluidDef { region, ..FluidDef::default() }).unwrap();
    }
    let about = About {
        name: "waters".into(),
        summary: "a sea, a tank and a pond".into(),
        steps: 60,
        dt: 1.0 / 60.0,
        camera: Camera { center: Vec2::ZERO, half_height: 3.0 },
    };
    let is_wet = |Vec2 { x, y }: Vec2| {
        let bay = x > 2.0 && x < 4.0 && y > 1.0;
        y < -1.5 || y > 0.0 && y < 2.0 && (x > -5.0 && x < -2.0 || x > 1.0 && x < 5.0 && !bay)
    };
    (SceneWorld::new(about, world), is_wet)
}

/// Every pixel of a fluid is of one colour and every other one of the background, but for shores. Lines are where a fluid
/// ends upwards, against gravity, whichever way that is; those of the sea are level, though, as the sea is.
#[test]
fn fluids_fill_their_regions_and_show_their_surface() {
    let (mut run, is_wet) = waters();
    let look = Look { decor: Decor::None, ..Look::default() };
    let size = Size::new(640, 320).unwrap();
    let view = View::of_run(&run, size);
    let reach = 3.0 * view.pixel();
    // The tank is 3 m long and the pond 4 m; both are 2 m high, the bay 1 m. The sea is as wide as the picture.
    for (gravity, meters) in [(vec2(0.0, -10.0), 12.0 + 3.0 + 4.0), (vec2(10.0, 0.0), 12.0 + 5.0), (Vec2::ZERO, 12.0)] {
        run.world.set_gravity(gravity).unwrap();
        let canvas = snapshot(&run, size, &look);
        let rgba = canvas.picture().rgba;
        let at = |x: u32, y: u32| &rgba[4 * (y * 640 + x) as usize..][..4];
        let (dry, wet) = (at(320, 40), at(320, 300));
        assert!(wet[0] > 20 && dry[0] > wet[0], "{dry:?} {wet:?}");
        let mut lines = 0;
        for (x, y) in (4..316).flat_map(|y| (4..636).map(move |x| (x, y))) {
            let place = view.to_world(vec2(x as f32 + 0.5, y as f32 + 0.5));
            let sides = [vec2(-1.0, -1.0), vec2(1.0, -1.0), vec2(-1.0, 1.0), vec2(1.0, 1.0)];
            let around = sides.map(|side| is_wet(place + side * reach));
            if around.iter().all(|&side| side == around[0]) {
                // Where two pieces of a pond meet, both cover half of a pixel, which is hardly less than the whole.
                let expected = if around[0] { wet } else { dry };
                let differs = at(x, y).iter().zip(expected).any(|(a, b)| a.abs_diff(*b) > 3);
                assert!(!differs, "{:?} at {place}, gravity {gravity}", at(x, y));
            } else if at(x, y)[0] < wet[0] - 20 {
                let up = -gravity.normalize_or_zero() * reach;
                let is_surface = is_wet(place - up) && !is_wet(place + up);
                let is_end = sides.iter().any(|&side| is_wet(place + side * reach - up));
                assert!(
                    is_surface || is_end && up != Vec2::ZERO || place.y < -1.4,
                    "a line at {place}, gravity {gravity}"
                );
                lines += 1;
            }
        }
        // Lines are two or three pixels wide.
        let length = (meters / view.pixel()) as u32;
        assert!(lines > length * 9 / 10 && lines < 4 * length, "{lines} of {length} pixels, gravity {gravity}");
    }
}

/// Water of particles is a body with a surface, not a heap of dots: all pixels within it have one colour, all above it that
/// of the background, and a line lies between.
#[test]
fn water_of_particles_is_drawn_as_a_surface() {
    let run = find("dam_break").unwrap().build(&BuildOptions::default()).unwrap();
    let look = Look { decor: Decor::None, ..Look::default() };
    let size = Size::new(640, 360).unwrap();
    let view = View::of_run(&run, size);
    let canvas = snapshot(&run, size, &look);
    let rgba = canvas.picture().rgba;
    let at = |p: Vec2| {
        let pixel = view.to_pixels(p);
        &rgba[4 * (pixel.y as usize * 640 + pixel.x as usize)..][..4]
    };
    // The column stands at the left wall, 1 m wide and 2 m high.
    let (wet, dry) = (at(vec2(-1.5, 1.0)), at(vec2(1.0, 1.0)));
    assert!(wet[2] > wet[0] && wet != dry, "{wet:?} {dry:?}");
    for i in 0..100 {
        for k in 0..100 {
            let part = vec2(i as f32 + 0.5, k as f32 + 0.5) / 100.0;
            assert_eq!(at(vec2(-1.98, 0.02) + part * vec2(0.92, 1.92)), wet, "a gap in the water at {part}");
            assert_eq!(at(vec2(-0.9, 0.02) + part * vec2(2.8, 2.4)), dry, "something beside it at {part}");
        }
    }
    let surface = (0..40).map(|i| at(vec2(-1.5, 1.9 + 0.005 * i as f32)));
    assert!(surface.filter(|pixel| *pixel != wet && *pixel != dry && pixel[0] < wet[0]).count() > 0, "a line");
}

/// Bodies keep their colour while they fall, and change it where they collide.
#[test]
fn colliding_bodies_change_colour() {
    let mut world = World::new(WorldDef::default());
    let floor = world.add_body(BodyDef { position: vec2(0.0, -2.0), ..BodyDef::fixed() }).unwrap();
    world.add_shape(floor, ShapeDef::rectangle(10.0, 1.0)).unwrap();
    let [falling, lying] = [vec2(-1.5, 2.0), vec2(1.5, -1.0)].map(|position| {
        let body = world.add_body(BodyDef { position, ..BodyDef::dynamic() }).unwrap();
        world.add_shape(body, ShapeDef::rectangle(1.0, 1.0)).unwrap();
        body
    });
    let mut run = SceneWorld::new(waters().0.about().clone(), world);
    let size = Size::new(320, 180).unwrap();
    let view = View::of_run(&run, size);
    let color_of = |run: &SceneWorld, body: BodyId, look: &Look| -> [u8; 3] {
        let canvas = snapshot(run, size, look);
        let pixel = view.to_pixels(run.world.body(body).position());
        let first = 4 * (pixel.y as usize * 320 + pixel.x as usize);
        std::array::from_fn(|k| canvas.picture().rgba[first + k])
    };
    run.step();
    run.step();
    let (plain, look) = (Look::default(), with("collisions"));
    assert_eq!(color_of(&run, falling, &look), color_of(&run, falling, &plain), "it touches nothing");
    let (before, after) = (color_of(&run, lying, &plain), color_of(&run, lying, &look));
    assert!(after[1] + 20 < before[1] && after[0] > after[1], "redder than {before:?}: {after:?}");
    for _ in 0..90 {
        run.step();
    }
    assert_ne!(color_of(&run, falling, &look), color_of(&run, falling, &plain), "it has landed");
}

/// Fluids far larger than the picture, or elsewhere, do no harm.
#[test]
fn huge_and_distant_fluids_are_drawn() {
    for (region, wet) in [
        (FluidRegion::Below(1.0e6), true),
        (FluidRegion::Below(-1.0e6), false),
        (FluidRegion::Box(Aabb::new(vec2(-1.0e6, -1.0e6), vec2(1.0e6, 1.0e6))), true),
        (FluidRegion::Box(Aabb::new(vec2(1.0e6, 0.0), vec2(2.0e6, 1.0))), false),
        (FluidRegion::Polygon(vec![vec2(-4.0e5, -4.0e5), vec2(4.0e5, -4.0e5), vec2(0.0, 4.0e5)]), true),
    ] {
        let mut world = World::new(WorldDef::default());
        let (about, look) = (waters().0.about().clone(), Look { decor: Decor::None, ..Look::default() });
        let size = Size::new(320, 180).unwrap();
        let dry = snapshot(&SceneWorld::new(about.clone(), world.clone()), size, &look).picture().rgba.to_vec();
        world.add_fluid(FluidDef { region: region.clone(), ..FluidDef::default() }).unwrap();
        let canvas = snapshot(&SceneWorld::new(about, world), size, &look);
        let changed = canvas.picture().rgba.chunks_exact(4).zip(dry.chunks_exact(4)).filter(|(a, b)| a != b).count();
        assert_eq!(changed, if wet { 320 * 180 } else { 0 }, "{region:?}");
    }
}

#[test]
fn boats_on_the_water() {
    compare("boats", "boats", 0, Look::default());
    compare("boats_dark", "boats", 0, dark());
}

/// A scene with one of everything: bars that meet on a slope, a path, colours.
const PARTICLES: &str = r#"<scene>
  <duration time="1"/><integrator type="symplectic-euler" dt="0.01"/>
  <viewport cx="0" cy="0" size="2"/>
  <collision type="simple" COR="0.5"/>
  <simplegravity fx="0" fy="-4"/>
  <particle m="1" px="-2" py="0.4" vx="2" vy="0" fixed="0" radius="0.2"/>
  <particle m="1" px="-2" py="1.4" vx="2" vy="0.5" fixed="0" radius="0.2"/>
  <particle m="1" px="0.6" py="0.3" vx="0" vy="0" fixed="1" radius="0.15"/>
  <particle m="1" px="1.8" py="1.2" vx="0" vy="0" fixed="1" radius="0.15"/>
  <edge i="0" j="1" radius="0.12"/><edge i="2" j="3"/>
  <halfplane px="0" py="-1" nx="0.2" ny="1"/>
  <halfplane px="2" py="0" nx="-1" ny="0.3"/>
  <edgecolor i="1" r="0.7" g="0.5" b="0.1"/>
  <particlecolor i="2" r="0.1" g="0.3" b="0.8"/>
  <halfplanecolor i="1" r="0.3" g="0.35" b="0.3"/>
  <particlepath i="1" duration="0.6" r="0.8" g="0.1" b="0.5"/>
</scene>"#;

fn particles(steps: u32) -> ParticleRun {
    let mut run = ParticleRun::new("bars", "two bars", Scene::from_xml("bars", PARTICLES.as_bytes()).unwrap());
    for _ in 0..steps {
        run.step();
    }
    run
}

#[test]
fn a_particle_scene_in_the_colours_of_its_file() {
    compare_canvas("particles", &snapshot(&particles(60), Size::new(320, 180).unwrap(), &Look::default()));
}

#[test]
fn marks_of_a_comparison() {
    let run = particles(60);
    let contact = |particle, x, y| Contact { kind: ContactKind::Edge, particle, other: 1, n: dvec2(x, y), time: 0.0 };
    let report = StepReport {
        step: 60,
        collision_errors: vec![
            CollisionError::Missed(contact(0, 0.5, 0.1)),
            CollisionError::Superfluous(contact(3, -0.4, 0.4)),
            CollisionError::WrongNormal { found: contact(2, -0.6, 0.0), expected: contact(2, -0.5, 0.3) },
        ],
        marked_particles: vec![1],
        ..StepReport::default()
    };
    for (name, look) in [("marks", Look::default()), ("marks_dark", dark())] {
        let size = Size::new(320, 180).unwrap();
        let view = View::of_run(&run, size);
        let mut list = DrawList::default();
        draw_run(&mut list, &run, &view, &look, Poses::Now);
        draw_marks(&mut list, &run, &report, &view);
        let mut canvas = Canvas::new(size);
        canvas.draw(&list, &view);
        compare_canvas(name, &canvas);
    }
}

#[test]
fn a_built_in_particle_scene() {
    compare("bead_curtain", "bead_curtain", 0, Look::default());
    compare("cloth_dark", "cloth", 0, dark());
}

#[test]
fn overlays_of_particles_change_the_picture() {
    // While the first bar touches the ground.
    let mut run = particles(0);
    while run.scene.system.contacts().is_empty() && run.step_index() < 200 {
        run.step();
    }
    assert!(!run.scene.system.contacts().is_empty(), "something touches");
    let size = Size::new(640, 360).unwrap();
    let plain = snapshot(&run, size, &Look::default()).picture().rgba.to_vec();
    for overlay in Overlay::ALL {
        let changed = snapshot(&run, size, &with(overlay.name())).picture().rgba != plain;
        assert_eq!(changed, overlay.is_for_particles(), "{}", overlay.name());
    }
}

#[test]
fn a_scene_in_space() {
    compare("cradle_3d", "cradle_3d", 0, Look::default());
    compare("pool_break_dark", "pool_break", 0, dark());
}
