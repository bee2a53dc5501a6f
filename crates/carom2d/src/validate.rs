//! Checks of everything that must hold between two steps. For tests; slow.

use crate::body::{BodyKind, NONE};
use crate::collide::Form;
use crate::contact::{contact_of, side_of};
use crate::joint::JointKind;
use crate::sets::{AWAKE, DISABLED, FIXED};
use crate::stage::pairs::may_meet;
use crate::world::WorldState;

/// Panics if anything is inconsistent.
pub(crate) fn world(world: &WorldState) {
    bodies(world);
    shapes(world);
    contacts(world);
    joints(world);
    world.islands.validate();
    world.broad.validate();
}

fn bodies(world: &WorldState) {
    let mut placed = 0;
    for (number, set) in world.sets.sets.iter().enumerate() {
        let expected = if number as u32 == AWAKE { set.sims.len() } else { 0 };
        assert_eq!(set.states.len(), expected, "states of set {number}");
        for (index, sim) in set.sims.iter().enumerate() {
            let body = &world.bodies[sim.body];
            assert_eq!((body.set as usize, body.index as usize), (number, index), "place of body {}", sim.body);
            let place = if number as u32 == AWAKE { body.index } else { NONE };
            assert_eq!(world.sets.places[sim.body as usize], place, "awake place of body {}", sim.body);
            assert!(sim.pose().is_finite(), "body {} is not finite", sim.body);
            placed += 1;
        }
    }
    assert_eq!(placed, world.bodies.len(), "bodies in sets");
    for (id, body) in world.bodies.iter() {
        match body.kind {
            BodyKind::Fixed => assert!(body.set == FIXED || body.set == DISABLED, "{id:?} is fixed"),
            _ => assert_ne!(body.set, FIXED, "{id:?} is not fixed"),
        }
        assert_eq!(world.islands.has_node(id.index()), body.kind == BodyKind::Dynamic, "island of {id:?}");
        let mut count = 0;
        let (mut key, mut before) = (body.contact_head, NONE);
        while key != NONE {
            let contact = &world.contacts[contact_of(key)];
            let owner = if side_of(key) == 0 { contact.body_a } else { contact.body_b };
            assert_eq!(owner, id.index(), "contact list of {id:?}");
            assert_eq!(contact.edges[side_of(key)].previous, before, "contact list of {id:?}");
            before = key;
            key = contact.edges[side_of(key)].next;
            count += 1;
        }
        assert_eq!(count, body.contact_count, "contacts of {id:?}");
    }
}

fn shapes(world: &WorldState) {
    let mut with_proxy = 0;
    let mut parts = 0;
    for (id, shape) in world.shapes.iter() {
        let body = &world.bodies[shape.body];
        assert!(body.shapes.contains(&id.index()), "{id:?} is not on its body's list");
        let whole = !shape.geometry.is_compound();
        assert_eq!(shape.proxy != NONE, whole && body.set != DISABLED, "box of {id:?}");
        assert_eq!(shape.parts.len(), shape.geometry.parts().len(), "parts of {id:?}");
        for &part in &shape.parts {
            assert_eq!((world.shapes[part].owner, world.shapes[part].body), (id.index(), shape.body), "part of {id:?}");
        }
        if shape.owner != NONE {
            assert!(world.shapes[shape.owner].parts.contains(&id.index()), "{id:?} is on its owner's list");
            parts += 1;
        }
        // The list may also have places of shapes that are gone.
        assert!(!shape.moved || world.moved.contains(&id.index()), "{id:?} is not on the moved list");
        if shape.proxy != NONE {
            with_proxy += 1;
            assert!(shape.fat_aabb.contains(&world.tight_aabb(id.index())), "{id:?} left its box");
            assert_eq!(world.fat_boxes[id.index() as usize], shape.fat_aabb, "fat box of {id:?}");
        }
    }
    let sensors = world.shapes.iter().filter(|(id, shape)| {
        let listed = world.sensors.contains(id.index());
        assert_eq!(listed, shape.sensor && shape.parts.is_empty(), "{id:?} among the sensors");
        listed
    });
    assert_eq!(sensors.count(), world.sensors.len(), "sensors");
    assert_eq!(with_proxy, world.broad.shape_count(), "shapes in the broad phase");
    assert_eq!(parts, world.compounds.part_count(), "parts");
}

fn contacts(world: &WorldState) {
    let mut listed = 0;
    for (id, contact) in world.contacts.iter() {
        let (a, b) = (&world.shapes[contact.shape_a], &world.shapes[contact.shape_b]);
        assert!(contact.shape_a < contact.shape_b, "order of {id:?}");
        assert_eq!((a.body, b.body), (contact.body_a, contact.body_b), "bodies of {id:?}");
        assert!(may_meet(world, a, b), "{id:?} joins shapes that may not meet");
        assert_eq!(world.pairs.get(contact.shape_a, contact.shape_b), Some(id.index()), "pair of {id:?}");
        let awake = world.is_awake(contact.body_a) || world.is_awake(contact.body_b);
        let set = if contact.sensor { &world.awake_sensors } else { &world.awake_contacts };
        assert_eq!(set.contains(id.index()), awake, "{id:?} among the awake");
        if awake {
            assert!(contact.sensor || world.candidates[id.index() as usize].is_of(contact), "candidate of {id:?}");
            for shape in [contact.shape_a, contact.shape_b] {
                let form = Form::new(&world.shapes[shape].geometry);
                assert_eq!(world.forms[shape as usize], form, "form of a shape of {id:?}");
            }
            listed += 1;
        }
        let movable = |body: u32| world.bodies[body].kind == BodyKind::Dynamic;
        let pushes = contact.active && !contact.sensor;
        assert_eq!(contact.slot.is_some(), pushes && awake, "colour of {id:?}");
        let linked = pushes && movable(contact.body_a) && movable(contact.body_b);
        assert_eq!(contact.island_edge != NONE, linked, "island edge of {id:?}");
        if linked {
            let islands = (world.islands.island_of(contact.body_a), world.islands.island_of(contact.body_b));
            assert_eq!(islands.0, islands.1, "{id:?} joins two islands");
            assert_eq!(world.bodies[contact.body_a].set, world.bodies[contact.body_b].set, "{id:?} half asleep");
        }
    }
    assert_eq!(world.pairs.len(), world.contacts.len(), "pairs and contacts");
    assert_eq!(listed, world.awake_contacts.len() + world.awake_sensors.len(), "awake contacts");
    let colored = world.contacts.iter().filter(|(_, contact)| contact.slot.is_some()).count();
    assert_eq!(colored, world.colors.constraint_count(), "coloured contacts");
}

fn joints(world: &WorldState) {
    let mut ends = 0;
    for (id, joint) in world.joints.iter() {
        let bodies = [joint.def.body_a, joint.def.body_b];
        for body in bodies {
            assert!(world.bodies.contains(body), "{id:?} names a body that is gone");
            assert!(world.bodies[body.index()].joints.contains(&id.index()), "{id:?} is not on its body's list");
        }
        let [a, b] = bodies.map(|body| &world.bodies[body.index()]);
        let acts = joint.is_on() && a.set != DISABLED && b.set != DISABLED;
        let dynamic = a.kind == BodyKind::Dynamic && b.kind == BodyKind::Dynamic;
        assert_eq!(joint.island_edge != NONE, acts && dynamic, "island edge of {id:?}");
        if joint.island_edge != NONE {
            assert_eq!(a.set, b.set, "{id:?} half asleep");
        }
        let gear = matches!(joint.def.kind, JointKind::Gear(_));
        assert_eq!(world.gears.contains(&id.index()), gear, "{id:?} among the gears");
        assert_eq!(joint.slot.is_some(), acts && !gear && world.joint_moves(id.index()), "colour of {id:?}");
        ends += 2;
    }
    for (id, body) in world.bodies.iter() {
        let jointed = body.joints.iter().any(|&joint| world.joints[joint].is_on());
        assert_eq!(body.jointed, jointed, "joints of {id:?}");
    }
    let listed: usize = world.bodies.iter().map(|(_, body)| body.joints.len()).sum();
    assert_eq!(listed, ends, "joints on the lists of bodies");
    let colored = world.joints.iter().filter(|(_, joint)| joint.slot.is_some()).count();
    assert_eq!(colored, world.joint_colors.constraint_count(), "coloured joints");
}
