//! Where things are drawn: where they are, or between two steps.

use crate::subject::Subject;
use carom_scenes::{ParticleRun, SceneWorld, SolidRun};
use carom2d::math::{Pose, Vec2, vec2};
use carom2d::{BodyId, BodyRef, ContactPointView};
use carom3d::math::{DVec3, Quat};

/// Where everything in a run was at one moment.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// In the order of their indices.
    bodies: Vec<(BodyId, Pose)>,
    particles: Vec<Vec2>,
    /// Of the spheres of a scene in space, in its order.
    solids: Vec<Placed>,
}

/// Where a sphere is drawn, and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    pub(crate) position: DVec3,
    pub(crate) orientation: Quat,
}

impl Places {
    /// Remembers where everything is now, and forgets what it remembered.
    pub fn record<'r>(&mut self, run: impl Into<Subject<'r>>) {
        self.clear();
        match run.into() {
            Subject::Rigid(run) => {
                self.bodies.extend(run.world.bodies().map(|id| (id, run.world.body(id).pose())));
                self.particles.extend(drops(run));
            }
            Subject::Particles(run) => self.particles.extend(present(run)),
            Subject::Solid(run) => self.solids.extend(present_in_space(run)),
        }
    }

    /// Forgets everything: who was nowhere is drawn where it is.
    pub fn clear(&mut self) {
        self.bodies.clear();
        self.particles.clear();
        self.solids.clear();
    }
}

/// Where bodies and particles are drawn.
#[derive(Clone, Copy, Debug)]
pub enum Poses<'a> {
    /// Where they are.
    Now,
    /// Where [`World::advance`](carom2d::World::advance) says they are between two steps. Particles have no
    /// such clock, and are drawn where they are.
    Interpolated,
    /// Between where they were before the last step and where they are.
    Between {
        /// Where they were.
        before: &'a Places,
        /// 0 is before, 1 is now.
        alpha: f32,
    },
}

impl Poses<'_> {
    /// Where a body is drawn.
    pub fn of(&self, body: &BodyRef<'_>) -> Pose {
        match *self {
            Poses::Now => body.pose(),
            Poses::Interpolated => body.interpolated_pose(),
            Poses::Between { before: Places { bodies, .. }, alpha } => {
                let now = body.pose();
                // A body that was not there before is drawn where it is.
                match bodies.binary_search_by_key(&body.id().index(), |(id, _)| id.index()) {
                    Ok(i) if bodies[i].0 == body.id() => bodies[i].1.interpolated(now, alpha),
                    _ => now,
                }
            }
        }
    }

    /// Where each particle is drawn.
    pub(crate) fn of_particles(&self, run: &ParticleRun) -> Vec<Vec2> {
        self.between(present(run).collect())
    }

    /// Where each particle among rigid bodies is drawn, then each of a fluid.
    pub(crate) fn of_drops(&self, run: &SceneWorld) -> Vec<Vec2> {
        self.between(drops(run).collect())
    }

    fn between(&self, mut places: Vec<Vec2>) -> Vec<Vec2> {
        if let Poses::Between { before, alpha } = *self {
            for (place, &from) in places.iter_mut().zip(&before.particles) {
                *place = from + (*place - from) * alpha;
            }
        }
        places
    }

    /// Where each sphere of a scene in space is drawn, then each box and capsule.
    pub(crate) fn of_solids(&self, run: &SolidRun) -> Vec<Placed> {
        let mut places: Vec<Placed> = present_in_space(run).collect();
        if let Poses::Between { before, alpha } = *self {
            for (place, from) in places.iter_mut().zip(&before.solids) {
                *place = blend_in_space(*from, *place, f64::from(alpha));
            }
        }
        places
    }

    /// Where a contact point is drawn: it moves with the bodies it is between.
    pub(crate) fn of_contact(&self, point: &ContactPointView) -> Vec2 {
        let alpha = (1.0 + self.lag()) as f32;
        point.point + (point.point_now - point.point) * alpha
    }

    /// How far the picture is ahead of the last step, in steps: from -1 to 0.
    pub(crate) fn lag(&self) -> f64 {
        match *self {
            Poses::Now => 0.0,
            Poses::Interpolated => 0.0,
            Poses::Between { alpha, .. } => f64::from(alpha) - 1.0,
        }
    }
}

fn present(run: &ParticleRun) -> impl Iterator<Item = Vec2> {
    run.scene.system.positions().iter().map(|place| vec2(place.x as f32, place.y as f32))
}

fn drops(run: &SceneWorld) -> impl Iterator<Item = Vec2> {
    let particles = run.companions.particles.iter().flat_map(|particles| particles.system.positions());
    let fluid = run.companions.fluid.iter().flat_map(|water| water.fluid.positions());
    particles.chain(fluid).map(|place| vec2(place.x as f32, place.y as f32))
}

fn present_in_space(run: &SolidRun) -> impl Iterator<Item = Placed> {
    let world = &run.scene.world;
    let spheres = run.scene.spheres.iter().map(|sphere| match sphere.body.and_then(|id| world.get_body(id)) {
        Some(body) => Placed { position: body.position(), orientation: body.orientation() },
        None => Placed { position: sphere.position, orientation: sphere.orientation },
    });
    // One that was removed is nowhere.
    let nowhere = Placed { position: DVec3::NAN, orientation: Quat::IDENTITY };
    spheres.chain(run.scene.solids.iter().map(move |solid| match world.get_body(solid.body) {
        Some(body) => Placed { position: body.position(), orientation: body.orientation() },
        None => nowhere,
    }))
}

fn blend_in_space(from: Placed, to: Placed, alpha: f64) -> Placed {
    let position = from.position + (to.position - from.position) * alpha;
    Placed { position, orientation: from.orientation.interpolated(to.orientation, alpha) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pose_between_two_steps() {
        let from = Pose::new(vec2(0.0, 0.0), 0.0);
        let to = Pose::new(vec2(2.0, 4.0), 0.2);
        let half = from.interpolated(to, 0.5);
        assert_eq!(half.p, vec2(1.0, 2.0));
        assert!((half.q.angle() - 0.1).abs() < 1.0e-4);
        let half_turn = from.interpolated(Pose::new(Vec2::ZERO, std::f32::consts::PI), 0.5);
        assert!(half_turn.is_finite());
    }

    #[test]
    fn particles_between_two_steps() {
        use carom_particles::{ParticleDef, ParticleSystem, Scene};
        let mut system = ParticleSystem::new();
        let velocity = vec2(4.0, 0.0).as_dvec2();
        system.add_particle(ParticleDef { velocity, ..ParticleDef::default() }).unwrap();
        let mut run = ParticleRun::new("one", "moves", Scene::new(system, 0.5, 1.0));
        let mut before = Places::default();
        before.record(&run);
        run.step();
        assert_eq!(Poses::Now.of_particles(&run), [vec2(2.0, 0.0)]);
        assert_eq!(Poses::Between { before: &before, alpha: 0.25 }.of_particles(&run), [vec2(0.5, 0.0)]);
        before.clear();
        let unknown = Poses::Between { before: &before, alpha: 0.25 };
        assert_eq!(unknown.of_particles(&run), [vec2(2.0, 0.0)], "who was nowhere is drawn where it is");
    }
}
