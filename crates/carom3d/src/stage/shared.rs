//! Impacts that balls share with those they touch: see `compliant.rs`.

use crate::body::{Activity, NONE};
use crate::collide::touch::Touch;
use crate::compliant::{self, Part, Press};
use crate::material::ImpactLaw;
use crate::math::DVec3;
use crate::world::World;

/// Most contacts that share one impact. What lies beyond is hit later.
const MOST_CONTACTS: usize = 512;

/// A contact that shares an impact.
#[derive(Clone, Debug)]
struct Sharing {
    contact: u32,
    touch: Touch,
    press: Press,
}

/// All that share an impact.
#[derive(Clone, Debug, Default)]
pub(crate) struct Circle {
    /// Beside `parts`: `NONE` for what is fixed, which is the first.
    movers: Vec<u32>,
    contacts: Vec<Sharing>,
}

impl Circle {
    fn place_of(&mut self, mover: u32) -> usize {
        if mover == NONE {
            return 0;
        }
        self.movers.iter().position(|&other| other == mover).unwrap_or_else(|| {
            self.movers.push(mover);
            self.movers.len() - 1
        })
    }
}

impl World {
    /// Lets a contact hit together with those that its bodies press against. Movers that felt it take the place of those in
    /// `hit`, after they were brought to that time and noted in `changed`. False, and nothing happens, if the two touch nothing
    /// else.
    pub(super) fn share_impact(&mut self, index: u32, time_s: f64, changed: &mut Vec<u32>, hit: &mut Vec<u32>) -> bool {
        let modulus = self.def.contact_modulus;
        if !modulus.is_finite() || self.def.impact_law != ImpactLaw::Restitution {
            return false;
        }
        let speed = self.approach_speed(&self.contacts[index]);
        let mut circle = std::mem::take(&mut self.scratch.circle);
        self.fill_circle(&mut circle, index, time_s, speed);
        let is_shared = self.is_anyone_else_pushed(&circle, index);
        if is_shared {
            self.press_circle(&circle, time_s, speed, changed);
            hit.clear();
            hit.extend(circle.movers.iter().filter(|&&mover| mover != NONE));
        }
        self.scratch.circle = circle;
        is_shared
    }

    /// Gives all that share an impact the velocities after it.
    fn press_circle(&mut self, circle: &Circle, time_s: f64, speed: f64, changed: &mut Vec<u32>) {
        for &mover in circle.movers.iter().filter(|&&mover| mover != NONE) {
            if !changed.contains(&mover) {
                self.involve(mover, time_s, changed);
                self.movers[mover].impacts += 1.0;
            }
        }
        let mut parts = std::mem::take(&mut self.scratch.parts);
        let mut presses = std::mem::take(&mut self.scratch.presses);
        parts.clear();
        parts.extend(circle.movers.iter().map(|&mover| self.part(mover)));
        presses.clear();
        presses.extend(circle.contacts.iter().map(|sharing| sharing.press));
        compliant::press_all(&mut parts, &mut presses, speed);
        for (&mover, part) in circle.movers.iter().zip(&parts) {
            if let Some(mover) = self.movers.get_at_mut(mover).filter(|mover| !mover.is_kinematic()) {
                mover.state.velocity = part.velocity;
                mover.state.angular_velocity = part.angular_velocity;
            }
        }
        for (sharing, press) in circle.contacts.iter().zip(&presses).filter(|(_, press)| press.impulse > 0.0) {
            self.report_impact(sharing.contact, &sharing.touch, time_s, press.approach, press.impulse);
        }
        (self.scratch.parts, self.scratch.presses) = (parts, presses);
    }

    /// Finds all contacts that the impact of one may reach: those from ball to ball that are nearer than that one is
    /// compressed.
    fn fill_circle(&self, circle: &mut Circle, index: u32, time_s: f64, speed: f64) {
        circle.movers.clear();
        circle.movers.push(NONE);
        circle.contacts.clear();
        let first = &self.contacts[index];
        let press = self.press_of(index, &first.touch, circle);
        let inverse = self.inverse_mass(first.mover_a) + self.inverse_mass(first.mover_b);
        let reach = compliant::greatest_compression(press.stiffness, inverse, speed);
        circle.contacts.push(Sharing {
            contact: index,
            touch: first.touch,
            press: Press { compression: 0.0, ..press },
        });
        let mut next = 1;
        while next < circle.movers.len() && circle.contacts.len() < MOST_CONTACTS {
            let mover = circle.movers[next];
            next += 1;
            if self.movers[mover].is_kinematic() {
                continue;
            }
            for &other in &self.movers[mover].contacts {
                self.join_circle(circle, other, time_s, reach);
            }
        }
    }

    fn join_circle(&self, circle: &mut Circle, index: u32, time_s: f64, reach: f64) {
        let contact = &self.contacts[index];
        let is_known = circle.contacts.iter().any(|sharing| sharing.contact == index);
        if is_known || contact.manifold.is_some() {
            return;
        }
        let touch = self.touch_at(contact, time_s);
        if touch.gap > reach || self.is_hidden_by_face(contact, &touch, time_s) {
            return;
        }
        let press = self.press_of(index, &touch, circle);
        circle.contacts.push(Sharing { contact: index, touch, press });
    }

    fn press_of(&self, index: u32, touch: &Touch, circle: &mut Circle) -> Press {
        let contact = &self.contacts[index];
        let radius = |mover: u32| self.movers.get_at(mover).map_or(f64::INFINITY, |mover| mover.radius);
        Press {
            parts: [contact.mover_a, contact.mover_b].map(|mover| circle.place_of(mover)),
            normal: touch.normal,
            compression: crate::math::min(-touch.gap, 0.0),
            stiffness: compliant::stiffness(self.def.contact_modulus, radius(contact.mover_a), radius(contact.mover_b)),
            restitution: contact.restitution,
            friction: contact.friction,
            impulse: 0.0,
            approach: 0.0,
        }
    }

    /// Whether the impact drives one of its two bodies into another contact.
    fn is_anyone_else_pushed(&self, circle: &Circle, index: u32) -> bool {
        /// Normals are not known better than this.
        const SQUARE: f64 = 1.0e-6;
        let first = &self.contacts[index];
        circle.contacts.iter().skip(1).any(|sharing| {
            let contact = &self.contacts[sharing.contact];
            let away = |mover: u32| if mover == contact.mover_a { sharing.touch.normal } else { -sharing.touch.normal };
            let is_end = |mover: u32| mover != NONE && (mover == contact.mover_a || mover == contact.mover_b);
            (is_end(first.mover_a) && away(first.mover_a).dot(-first.touch.normal) > SQUARE)
                || (is_end(first.mover_b) && away(first.mover_b).dot(first.touch.normal) > SQUARE)
        })
    }

    fn inverse_mass(&self, mover: u32) -> f64 {
        self.movers.get_at(mover).map_or(0.0, |mover| mover.inv_mass)
    }

    fn part(&self, mover: u32) -> Part {
        let Some(mover) = self.movers.get_at(mover) else { return Part::FIXED };
        debug_assert!(mover.activity == Activity::Awake || mover.state.velocity == DVec3::ZERO);
        Part {
            velocity: mover.state.velocity,
            angular_velocity: mover.state.angular_velocity,
            inv_mass: mover.inv_mass,
            inv_inertia: mover.inv_inertia,
            radius: mover.radius,
        }
    }
}
