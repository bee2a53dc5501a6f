//! Contacts in the order of space: what is near in space is near in memory.
//!
//! A pass over the contacts of a crowd looks up two bodies for each. If it goes through space from neighbour to
//! neighbour, most of them have been looked up just before and are still in the processor's cache. Contacts come and go,
//! so the order decays, and is rebuilt when many have been added since the last time.

use crate::body::NONE;
use crate::broad::Curve;
use crate::world::World;
use carom_core::{Bounds, Pool};

/// Fewer contacts are in the cache anyway.
const LEAST_CONTACTS: usize = 1024;
/// The order is rebuilt when one in so many contacts is not in it.
const NEW_SHARE: usize = 1;

impl World {
    /// Renumbers the contacts along a curve through space, if many were made since the last time. Between stages
    /// only the lists seen here refer to contacts by number.
    pub(crate) fn order_contacts(&mut self) {
        if self.contacts.len() < LEAST_CONTACTS || self.new_contacts * NEW_SHARE < self.contacts.len() {
            return;
        }
        self.new_contacts = 0;
        let of_all = self.movers.iter().map(|(_, mover)| mover.fat_aabb).reduce(|all, aabb| all.union(&aabb));
        let Some(of_all) = of_all else { return };
        let curve = Curve::over(&of_all);
        let mut movers: Vec<(u64, u32)> =
            self.movers.iter().map(|(id, mover)| (curve.place(mover.fat_aabb.center()), id.index())).collect();
        movers.sort_unstable();

        // Each contact comes with its first body.
        let mut order = Vec::with_capacity(self.contacts.len());
        for &(_, mover) in &movers {
            let contacts = &self.movers[mover].contacts;
            order.extend(contacts.iter().filter(|&&index| self.links[index as usize].mover_a == mover));
        }
        for &(_, mover) in &movers {
            self.movers[mover].contacts.clear();
        }
        let mut contacts = std::mem::replace(&mut self.contacts, Pool::new());
        let links = std::mem::take(&mut self.links);
        self.resting.clear();
        for old in order {
            let Some(contact) = contacts.remove_at(old) else { continue };
            let (mover_a, mover_b, is_listed) = (contact.mover_a, contact.mover_b, contact.is_listed);
            let index = self.contacts.insert(contact).index();
            self.links.push(links[old as usize]);
            self.movers[mover_a].contacts.push(index);
            if mover_b != NONE {
                self.movers[mover_b].contacts.push(index);
            }
            if is_listed {
                self.resting.push(index);
            }
        }
    }
}
