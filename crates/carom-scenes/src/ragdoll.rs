//! People made of eleven bones.

use carom2d::prelude::*;
use std::f32::consts::PI;

/// A bone: a capsule along y, pinned to another bone.
struct Bone {
    /// The bone that it is pinned to, by its place in the list, and the height of the pin in metres.
    parent: Option<(usize, f32)>,
    /// Height of the middle in metres, in a person who stands at 0.
    y: f32,
    /// Ends of the capsule, and its radius.
    from: f32,
    to: f32,
    radius: f32,
    /// Linear damping in 1/s.
    damping: f32,
    /// Limits of the pin as parts of pi.
    limits: [f32; 2],
    /// Friction of the pin, as a part of that of the person.
    friction: f32,
    /// Turn of the pin's frame on the parent, as a part of pi.
    turn: f32,
    part: Part,
}

/// Which part of a person a bone is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Hip,
    Torso,
    Head,
    Thigh,
    /// With a foot.
    Shin,
    Arm,
    Hand,
}

const fn bone(part: Part, parent: Option<(usize, f32)>, y: f32, ends: [f32; 2], radius: f32) -> Bone {
    let [from, to] = ends;
    Bone { parent, y, from, to, radius, damping: 0.0, limits: [0.0; 2], friction: 0.0, turn: 0.0, part }
}

const fn thigh() -> Bone {
    let bone = bone(Part::Thigh, Some((0, 0.9)), 0.775, [-0.125, 0.125], 0.06);
    Bone { limits: [-0.05, 0.4], friction: 1.0, ..bone }
}

const fn shin(parent: usize) -> Bone {
    let bone = bone(Part::Shin, Some((parent, 0.625)), 0.475, [-0.155, 0.125], 0.045);
    Bone { limits: [-0.5, -0.02], friction: 0.5, ..bone }
}

const fn arm() -> Bone {
    let bone = bone(Part::Arm, Some((1, 1.35)), 1.225, [-0.125, 0.125], 0.035);
    Bone { limits: [-0.1, 0.8], friction: 0.5, ..bone }
}

const fn hand(parent: usize) -> Bone {
    let bone = bone(Part::Hand, Some((parent, 1.1)), 0.975, [-0.125, 0.125], 0.03);
    Bone { limits: [-0.2, 0.3], friction: 0.1, damping: 0.1, turn: 0.25, ..bone }
}

const BONES: [Bone; 11] = [
    bone(Part::Hip, None, 0.95, [-0.02, 0.02], 0.095),
    Bone { limits: [-0.25, 0.0], friction: 0.5, ..bone(Part::Torso, Some((0, 1.0)), 1.2, [-0.135, 0.135], 0.09) },
    Bone {
        limits: [-0.3, 0.1],
        friction: 0.25,
        damping: 0.1,
        ..bone(Part::Head, Some((1, 1.4)), 1.475, [-0.038, 0.039], 0.075)
    },
    thigh(),
    shin(3),
    thigh(),
    shin(5),
    arm(),
    hand(7),
    arm(),
    hand(9),
];

/// Bones and pins of a person.
pub(crate) const BONE_COUNT: usize = BONES.len();
pub(crate) const PIN_COUNT: usize = BONES.len() - 1;

/// What one person is like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Person {
    /// Where the feet are, about.
    pub(crate) position: Vec2,
    /// People of one number, and their own bones, do not collide.
    pub(crate) group: i32,
    /// Friction of the stiffest pins in N m.
    pub(crate) friction: f32,
    /// Pulls the pins straight.
    pub(crate) spring: Spring,
    pub(crate) contact_events: bool,
}

/// Adds a person; returns the bones, each with the part that it is.
pub(crate) fn add_person(world: &mut World, person: &Person) -> Result<[(BodyId, Part); BONE_COUNT], DefError> {
    let mut added: Vec<BodyId> = Vec::with_capacity(BONE_COUNT);
    let surface = |shape: ShapeDef, friction: f32, mask: u64| ShapeDef {
        friction,
        filter: Filter { category: 2, mask, group: -person.group },
        contact_events: person.contact_events,
        ..shape
    };
    for bone in &BONES {
        let body = world.add_body(BodyDef {
            position: person.position + vec2(0.0, bone.y),
            linear_damping: bone.damping,
            sleep_speed: 0.1,
            ..BodyDef::dynamic()
        })?;
        let capsule = ShapeDef::capsule(vec2(0.0, bone.from), vec2(0.0, bone.to), bone.radius);
        world.add_shape(body, surface(capsule, 0.2, 1 | 2))?;
        if bone.part == Part::Shin {
            let corners = [vec2(-0.03, -0.185), vec2(0.11, -0.185), vec2(0.11, -0.16), vec2(-0.03, -0.14)];
            let foot = ShapeDef { rounding: 0.015, ..ShapeDef::convex(&corners) };
            // Feet meet the floor only.
            world.add_shape(body, surface(foot, 0.05, 1))?;
        }
        if let Some((parent, height)) = bone.parent {
            let pin = Revolute {
                limits: Some(Limits::new(bone.limits[0] * PI, bone.limits[1] * PI)),
                motor: Some(Motor::new(0.0, bone.friction * person.friction)),
                spring: Some(person.spring),
                target_angle: 0.0,
            };
            let at = person.position + vec2(0.0, height);
            let mut def = JointDef::new(added[parent], body, JointKind::Revolute(pin)).at(world, at)?;
            def.frame_a.q = Rot::from_angle(bone.turn * PI);
            world.add_joint(def)?;
        }
        added.push(body);
    }
    Ok(std::array::from_fn(|i| (added[i], BONES[i].part)))
}
