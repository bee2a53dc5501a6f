//! Sensors: which shapes overlap a sensor at the end of the step.
//!
//! Overlap is exact, without any margin; boxes and shapes are looked at in their final poses.

use super::StepContext;
use crate::body::BodyKind;
use crate::shape::overlap;
use crate::world::World;

pub(crate) fn update_sensors(world: &mut World, _: &StepContext) {
    let mut changed = std::mem::take(&mut world.constraints.changed);
    let mut apart = std::mem::take(&mut world.constraints.apart);
    changed.clear();
    apart.clear();
    for index in world.awake_sensors.iter() {
        let contact = &world.contacts[index];
        let (a, b) = (&world.shapes[contact.shape_a], &world.shapes[contact.shape_b]);
        if !a.fat_aabb.overlaps(&b.fat_aabb) {
            apart.push((contact.order(), index));
            continue;
        }
        let touching = world.tight_aabb(contact.shape_a).overlaps(&world.tight_aabb(contact.shape_b))
            && overlap(&a.geometry, world.sim(contact.body_a).pose(), &b.geometry, world.sim(contact.body_b).pose());
        if touching != contact.touching || a.aabb_events || b.aabb_events {
            changed.push((contact.order(), index));
            world.contacts[index].active = touching;
        }
    }
    apart.sort_unstable();
    changed.sort_unstable();
    for &(_, index) in &changed {
        world.update_boxes(index);
        let touching = world.contacts[index].active;
        world.set_touching(index, touching);
    }
    for &(_, index) in &apart {
        world.destroy_contact(index, false);
    }
    world.constraints.changed = changed;
    world.constraints.apart = apart;
    debug_assert!(world.awake_sensors.iter().all(|index| {
        let contact = &world.contacts[index];
        let fixed = |body: u32| world.bodies[body].kind == BodyKind::Fixed;
        contact.sensor && !(fixed(contact.body_a) && fixed(contact.body_b))
    }));
}
