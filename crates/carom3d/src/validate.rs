//! Checks of everything that must hold between two steps. For tests; slow.

use crate::body::{Activity, NONE};
use crate::world::World;

/// Panics if anything is inconsistent.
pub(crate) fn world(world: &World) {
    bodies(world);
    activities(world);
    contacts(world);
    springs(world);
    world.mover_tree.validate();
    world.fixed_tree.validate();
}

fn bodies(world: &World) {
    let mut fixed_boxes = 0;
    for (id, body) in world.bodies.iter() {
        if body.mover == NONE {
            let is_plane = world.planes.contains(&id.index());
            assert_eq!(body.fixed_proxy == NONE, is_plane, "{id:?} is in the tree or a plane");
            fixed_boxes += usize::from(!is_plane);
        } else {
            let mover = &world.movers[body.mover];
            assert_eq!(mover.body, id.index(), "the mover of {id:?}");
            assert!(mover.state.is_sound(), "{id:?} is not finite: {:?}", mover.state);
            assert!((mover.state.orientation.length() - 1.0).abs() < 1.0e-12, "orientation of {id:?}");
            assert_eq!(mover.place, NONE, "{id:?} is still on a list of the balance");
        }
    }
    assert_eq!(fixed_boxes, world.fixed_tree.len(), "boxes of fixed bodies");
    let in_tree = world.movers.iter().filter(|(_, mover)| mover.activity != Activity::Frozen).count();
    assert_eq!(in_tree, world.mover_tree.len(), "boxes of movers");
    for (id, mover) in world.movers.iter().filter(|(_, mover)| mover.activity != Activity::Frozen) {
        assert_eq!(world.mover_tree.user(mover.proxy), id.index(), "the proxy of mover {id:?}");
        assert_eq!(world.mover_tree.bounds(mover.proxy), mover.fat_aabb, "the box of mover {id:?}");
    }
}

fn activities(world: &World) {
    let mut awake = world.awake.clone();
    awake.sort_unstable();
    let expected: Vec<u32> =
        world.movers.iter().filter(|(_, mover)| mover.is_awake()).map(|(id, _)| id.index()).collect();
    assert_eq!(awake, expected, "the list of the awake");
    let mut sleepers = 0;
    for (group, members) in world.sleeping.iter().enumerate() {
        for &member in members {
            assert_eq!(world.movers[member].activity, Activity::Asleep { group: group as u32 }, "group {group}");
            sleepers += 1;
        }
    }
    let asleep = world.movers.iter().filter(|(_, mover)| matches!(mover.activity, Activity::Asleep { .. })).count();
    assert_eq!(sleepers, asleep, "each sleeping body is in one group");
}

fn contacts(world: &World) {
    assert_eq!(world.pairs.len(), world.contacts.len(), "pairs");
    let mut ends = 0;
    for (id, contact) in world.contacts.iter() {
        let index = id.index();
        let link = world.links[index as usize];
        assert_eq!((link.mover_a, link.mover_b), (contact.mover_a, contact.mover_b), "the link of {id:?}");
        assert_eq!(link.is_resting, contact.is_resting, "the link of {id:?}");
        assert_eq!(link.is_solid, contact.manifold.is_some(), "the link of {id:?}");
        assert!(!contact.is_resting || world.resting.contains(&index), "{id:?} is not on the list of those at rest");
        assert!(world.has_contact(contact.mover_a, contact.mover_b, contact.body_b), "{id:?} cannot be found");
        assert_eq!(world.bodies[contact.body_a].mover, contact.mover_a, "first body of {id:?}");
        assert_eq!(world.bodies[contact.body_b].mover, contact.mover_b, "second body of {id:?}");
        for mover in [contact.mover_a, contact.mover_b] {
            if let Some(mover) = world.movers.get_at(mover) {
                assert!(mover.contacts.contains(&index), "{id:?} is not on its mover's list");
                ends += 1;
            }
        }
    }
    let listed: usize = world.movers.iter().map(|(_, mover)| mover.contacts.len()).sum();
    assert_eq!(listed, ends, "contacts on the lists of movers");
    for (index, link) in world.links.iter().enumerate() {
        let is_there = world.contacts.get_at(index as u32).is_some();
        assert_eq!(link.mover_a != NONE, is_there, "link {index}");
    }
}

fn springs(world: &World) {
    let mut ends = 0;
    for (id, spring) in world.springs.iter() {
        for body in spring.def.bodies {
            assert!(world.bodies.contains(body), "{id:?} hangs on a body that is gone");
            assert!(world.bodies[body.index()].springs.contains(&id.index()), "{id:?} is not on its body's list");
            ends += 1;
        }
    }
    let listed: usize = world.bodies.iter().map(|(_, body)| body.springs.len()).sum();
    assert_eq!(listed, ends, "springs on the lists of bodies");
}
