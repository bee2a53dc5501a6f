//! The pull on a particle.

use super::{Hold, MOST_ACCELERATION, Spring};
use carom_particles::Motion;
use carom_scenes::ParticleRun;
use carom2d::math::Vec2;

/// How quickly the particle follows, in Hz: more than for bodies, since stiff springs hold most particles back.
const HERTZ: f64 = 20.0;

impl Hold<usize, Vec2> {
    /// Changes the velocity as the force of a damped spring does in a step. Fixed particles stay.
    pub(super) fn pull(&self, run: &mut ParticleRun) {
        let dt = run.scene.dt;
        let system = &mut run.scene.system;
        let is_free = system.motions().get(self.body) == Some(&Motion::Free);
        if !(is_free && dt > 0.0 && dt.is_finite()) {
            return;
        }
        let spring = Spring::new(HERTZ, dt);
        let mut state = system.state().clone();
        let (Some(place), Some(velocity)) = (state.positions.get(self.body), state.velocities.get_mut(self.body))
        else {
            return;
        };
        let target = [f64::from(self.target.x), f64::from(self.target.y)];
        let mut change = [0, 1].map(|axis| {
            let wrong = velocity[axis] + (place[axis] - target[axis]) * spring.rate;
            -spring.mended * wrong
        });
        let length = (change[0] * change[0] + change[1] * change[1]).sqrt();
        if length > MOST_ACCELERATION * dt {
            change = change.map(|part| part * (MOST_ACCELERATION * dt / length));
        }
        velocity[0] += change[0];
        velocity[1] += change[1];
        if velocity[0].is_finite() && velocity[1].is_finite() {
            system.set_state(&state.positions, &state.velocities);
        }
    }
}
