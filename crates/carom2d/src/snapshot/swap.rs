//! Puts a state that was read into a world, and recomputes what follows from it.

use super::Staged;
use super::settings::Settings;
use crate::attach::Shape;
use crate::body::NONE;
use crate::collide::Form;
use crate::contact::contact_of;
use crate::joint::JointKind;
use crate::math::{Aabb, Vec2};
use crate::sets::DISABLED;
use crate::world::WorldState;
use std::mem::swap;

impl Staged {
    /// Exchanges this state, which must have been read for this world, with the world's own.
    pub(super) fn swap(&mut self, world: &mut WorldState) {
        // Whatever is not named here is recomputed below, or no result depends on it.
        let WorldState {
            def,
            bodies,
            shapes,
            contacts,
            joints,
            fluids,
            sets,
            islands,
            colors,
            joint_colors,
            gears: _,
            joint_kind_changes: _,
            broad: _,
            pairs,
            moved: _,
            forms: _,
            fat_boxes: _,
            sensors: _,
            compounds,
            awake_contacts: _,
            awake_sensors: _,
            candidates: _,
            deep_contacts: _,
            pushed_apart,
            preloads,
            burdens: _,
            ramps,
            clock,
            step_count,
            rest_gravity,
            last_h,
            last_substeps,
            longest_h,
            bounces,
            left_out,
            log,
            recorder: _,
        } = &mut *world;
        let Settings {
            def: new_def,
            rest_gravity: new_rest_gravity,
            last_h: new_last_h,
            last_substeps: new_last_substeps,
            longest_h: new_longest_h,
            bounces: new_bounces,
            left_out: new_left_out,
            step_count: new_step_count,
            clock: new_clock,
        } = &mut self.settings;
        swap(def, new_def);
        swap(clock, new_clock);
        (*rest_gravity, *last_h, *last_substeps) = (*new_rest_gravity, *new_last_h, *new_last_substeps);
        (*longest_h, *bounces, *left_out, *step_count) = (*new_longest_h, *new_bounces, *new_left_out, *new_step_count);
        swap(bodies, &mut self.bodies);
        swap(shapes, &mut self.shapes);
        swap(contacts, &mut self.contacts);
        swap(joints, &mut self.joints);
        swap(fluids, &mut self.fluids);
        swap(pairs, &mut self.pairs);
        swap(islands, &mut self.islands);
        swap(compounds, &mut self.compounds);
        swap(ramps, &mut self.ramps);
        swap(preloads, &mut self.preloads);
        swap(pushed_apart, &mut self.pushed_apart);
        swap(log, &mut self.log);
        // What goes by numbers of changes must find others than it knows.
        swap(sets, &mut self.sets);
        sets.changes = sets.changes.max(self.sets.changes) + 1;
        swap(colors, &mut self.colors);
        colors.outdate(&self.colors);
        swap(joint_colors, &mut self.joint_colors);
        joint_colors.outdate(&self.joint_colors);
        world.recompute_derived(self);
    }
}

impl WorldState {
    /// Recomputes what follows from a state that was just put into the world, in place of another one.
    fn recompute_derived(&mut self, before: &Staged) {
        self.joint_kind_changes += 1;
        self.burdens.outdate();
        self.deep_contacts.clear();
        self.renew_broad_phase(before);
        self.renew_shapes();
        self.gears.clear();
        let gears = self.joints.iter().filter(|(_, joint)| matches!(joint.def.kind, JointKind::Gear(_)));
        self.gears.extend(gears.map(|(id, _)| id.index()));
        self.awake_contacts.clear();
        self.awake_sensors.clear();
        self.candidates.clear();
        // Every contact with an awake body is on the list of one.
        for place in 0..self.sets.awake().sims.len() {
            let mut key = self.bodies[self.sets.awake().sims[place].body].contact_head;
            while key != NONE {
                let index = contact_of(key);
                key = self.contacts[index].edges[crate::contact::side_of(key)].next;
                self.list_awake(index);
            }
        }
    }

    /// Brings the boxes of the broad phase where they belong now.
    fn renew_broad_phase(&mut self, before: &Staged) {
        let WorldState { broad, shapes, bodies, .. } = self;
        let kept = |old: &Shape, new: &Shape| {
            let [old_kind, new_kind] = [before.bodies[old.body].kind, bodies[new.body].kind];
            old_kind == new_kind && old.broad_filter() == new.broad_filter()
        };
        let wanted = |shape: &Shape| shape.parts.is_empty() && bodies[shape.body].set != DISABLED;
        // First what goes: its place in the broad phase may be used again.
        for (id, old) in before.shapes.iter().filter(|(_, shape)| shape.proxy != NONE) {
            let new = shapes.get_at_mut(id.index());
            match new.filter(|new| wanted(new) && kept(old, new)) {
                Some(new) => new.proxy = old.proxy,
                None => broad.remove(old.proxy),
            }
        }
        for (id, new) in shapes.iter_mut().filter(|(_, shape)| wanted(shape)) {
            let old = before.shapes.get_at(id.index());
            if new.proxy == NONE {
                new.proxy = broad.insert(id.index(), &new.fat_aabb, new.broad_filter(), bodies[new.body].kind);
            } else if old.is_some_and(|old| old.fat_aabb != new.fat_aabb) {
                broad.store_bounds(new.proxy, &new.fat_aabb);
            }
        }
        broad.refit();
        broad.forget_all();
    }

    /// Recomputes the lists of shapes.
    fn renew_shapes(&mut self) {
        let count = self.shapes.slot_count();
        self.moved.clear();
        self.sensors.clear();
        self.forms.clear();
        self.forms.resize(count, Form::NONE);
        self.fat_boxes.clear();
        self.fat_boxes.resize(count, Aabb::new(Vec2::ZERO, Vec2::ZERO));
        for (id, shape) in self.shapes.iter() {
            let index = id.index();
            self.fat_boxes[index as usize] = shape.fat_aabb;
            if shape.parts.is_empty() {
                self.forms[index as usize] = Form::new(&shape.geometry);
                if shape.sensor {
                    self.sensors.insert(index);
                }
            }
            if shape.moved {
                self.moved.push(index);
            }
        }
    }
}
