//! The soft pull of a hand on a body, in the plane and in space, and on a particle.

mod particle;
mod plane;
mod space;

use carom_scenes::Run;
use carom2d::math::Vec2;
use carom3d::math::DVec3;

/// A body held at a point and pulled to another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Hold<Id, Point> {
    pub(crate) body: Id,
    /// Where it is held, in its own coordinates.
    pub(crate) local: Point,
    /// Where the hand is, in the world.
    pub(crate) target: Point,
}

/// What a hand holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Pull {
    Plane(Hold<carom2d::BodyId, Vec2>),
    Space(Hold<carom3d::BodyId, DVec3>),
    /// By its index; it is held in its middle.
    Particle(Hold<usize, Vec2>),
}

impl Pull {
    /// Pulls for the step that `run` makes next.
    pub(crate) fn apply(&self, run: &mut Run) {
        match (self, run) {
            (Pull::Plane(hold), Run::Rigid(run)) => {
                run.leave_recording();
                let dt = run.dt();
                hold.pull(&mut run.world, dt);
            }
            (Pull::Space(hold), Run::Solid(run)) => {
                let dt = run.about().dt;
                hold.pull(&mut run.scene.world, dt);
            }
            (Pull::Particle(hold), Run::Particles(run)) => hold.pull(run),
            // What was held is no more.
            _ => {}
        }
    }
}

/// No swinging about the hand, hardly a lag.
const DAMPING_RATIO: f64 = 0.9;
/// The strongest pull, as an acceleration of the body in m/s^2: 250 times ordinary gravity.
const MOST_ACCELERATION: f64 = 2500.0;
/// The share of its turning that a held body loses, per second.
const TURN_LOSS: f64 = 3.0;

/// An implicit step of a damped spring, which is stable for any mass and any step: the held point is to move at
/// `-rate` times its distance from the hand, in 1/s, and gets the share `mended` of what it lacks.
struct Spring {
    rate: f64,
    mended: f64,
}

impl Spring {
    /// A spring that swings at `hertz`, for one step of `dt` seconds.
    fn new(hertz: f64, dt: f64) -> Spring {
        let omega = std::f64::consts::TAU * hertz;
        let a1 = 2.0 * DAMPING_RATIO + dt * omega;
        let a2 = dt * omega * a1;
        Spring { rate: omega / a1, mended: a2 / (1.0 + a2) }
    }
}
