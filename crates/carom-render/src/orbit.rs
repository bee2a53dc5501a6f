//! An eye in space that goes around a point.

use carom_core::math::{atan2_64, max64, min64, sin_cos64};
use carom2d::math::{Vec2, vec2};
use carom3d::Scene;
use carom3d::math::{DVec3, dvec3};

/// From where a scene in space is seen: from a distance of a point, in a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// What is looked at, in metres.
    pub target: DVec3,
    /// How far away from it the eye is, in metres.
    pub distance: f64,
    /// The direction from the target to the eye, about the y axis, in radians: 0 is along z, a quarter turn along x.
    pub yaw: f64,
    /// How high above the horizon the eye is, in radians.
    pub pitch: f64,
    /// How far the head is tilted, in radians.
    pub roll: f64,
    /// The vertical field of view in radians.
    pub field_of_view: f64,
}

/// The axes of a picture in space, of unit length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axes {
    pub(crate) right: DVec3,
    pub(crate) up: DVec3,
    /// From the target to the eye.
    pub(crate) back: DVec3,
}

impl Orbit {
    /// The nearest and the farthest distance, in metres.
    pub const REACH: [f64; 2] = [1.0e-3, 1.0e6];

    /// The eye of a scene's own camera. What it looks at is as far away as the middle of what moves.
    pub fn of_scene(scene: &Scene) -> Orbit {
        let camera = &scene.camera;
        let (forward, up, eye) = (camera.forward(), camera.up(), finite(camera.position, DVec3::ZERO));
        let ahead = (middle(scene) - eye).dot(forward);
        let distance = if ahead > 0.1 { min64(ahead, Orbit::REACH[1]) } else { 10.0 };
        let back = -forward;
        let level = (back.x * back.x + back.z * back.z).sqrt();
        // Straight down, only what is up in the picture tells which way it is turned.
        let yaw = if level > 0.005 {
            atan2_64(back.x, back.z)
        } else {
            let side = if back.y > 0.0 { -1.0 } else { 1.0 };
            atan2_64(side * up.x, side * up.z)
        };
        let pitch = atan2_64(back.y, level);
        let field_of_view = if camera.field_of_view > 0.0 { camera.field_of_view } else { 0.785 };
        let level_head = Orbit { target: eye + forward * distance, distance, yaw, pitch, roll: 0.0, field_of_view };
        let axes = level_head.axes();
        Orbit { roll: atan2_64(-up.dot(axes.right), up.dot(axes.up)), ..level_head }
    }

    /// Where the eye is, in metres.
    pub fn eye(&self) -> DVec3 {
        self.target + self.axes().back * self.distance
    }

    pub(crate) fn axes(&self) -> Axes {
        let ((sy, cy), (sp, cp), (sr, cr)) = (sin_cos64(self.yaw), sin_cos64(self.pitch), sin_cos64(self.roll));
        let back = dvec3(sy * cp, sp, cy * cp);
        let right = dvec3(cy, 0.0, -sy);
        let up = back.cross(right);
        Axes { right: right * cr + up * sr, up: up * cr - right * sr, back }
    }

    /// The direction from the eye through a point of the picture, which is two units high and has the origin in its
    /// middle. One unit along it is one away from the eye.
    pub fn ray(&self, at: Vec2) -> DVec3 {
        let (axes, half) = (self.axes(), self.half_height());
        (axes.right * f64::from(at.x) + axes.up * f64::from(at.y)) * half - axes.back
    }

    /// Where a point in space is in the picture; none if it is not before the eye.
    pub fn project(&self, point: DVec3) -> Option<Vec2> {
        let (axes, offset) = (self.axes(), point - self.eye());
        let away = -offset.dot(axes.back);
        let scale = 1.0 / (self.half_height() * away);
        let at = vec2((offset.dot(axes.right) * scale) as f32, (offset.dot(axes.up) * scale) as f32);
        (away > 1.0e-3 * self.distance && at.is_finite()).then_some(at)
    }

    /// Half the height of the picture at a distance of 1.
    pub(crate) fn half_height(&self) -> f64 {
        let (sin, cos) = sin_cos64(0.5 * self.field_of_view.clamp(0.01, 3.0));
        sin / max64(cos, 1.0e-3)
    }

    /// Goes around the target, by a part of the picture's height to the right and up: what is seen turns with the hand.
    pub fn turn(&mut self, right: f64, up: f64) {
        const PER_HEIGHT: f64 = 3.5;
        if right.is_finite() && up.is_finite() {
            let (_, tilt) = sin_cos64(self.roll);
            self.yaw = (self.yaw - PER_HEIGHT * right * tilt.signum()) % std::f64::consts::TAU;
            // Short of straight up and down, where there is no more way to go.
            self.pitch = (self.pitch - PER_HEIGHT * up * tilt.signum()).clamp(-1.57, 1.57);
        }
    }

    /// Moves what is looked at with the hand, by parts of the picture's height.
    pub fn pan(&mut self, right: f64, up: f64) {
        if right.is_finite() && up.is_finite() {
            let (axes, height) = (self.axes(), 2.0 * self.half_height() * self.distance);
            self.target = finite(self.target - (axes.right * right + axes.up * up) * height, self.target);
        }
    }

    /// Turns the head where the eye is, by parts of the picture's height: what is seen moves with the hand.
    pub fn look(&mut self, right: f64, up: f64) {
        if right.is_finite() && up.is_finite() {
            let eye = self.eye();
            let per_height = 2.0 * self.half_height();
            let (_, tilt) = sin_cos64(self.roll);
            self.yaw = (self.yaw + per_height * right * tilt.signum()) % std::f64::consts::TAU;
            self.pitch = (self.pitch - per_height * up * tilt.signum()).clamp(-1.57, 1.57);
            self.target = finite(eye - self.axes().back * self.distance, self.target);
        }
    }

    /// Moves the eye with what it looks at: ahead along the ground, to the right, and up, in metres.
    pub fn walk(&mut self, ahead: f64, right: f64, up: f64) {
        let (sin, cos) = sin_cos64(self.yaw);
        let way = dvec3(-sin, 0.0, -cos) * ahead + dvec3(cos, 0.0, -sin) * right + DVec3::Y * up;
        self.target = finite(self.target + way, self.target);
    }

    /// Comes nearer by a factor.
    pub fn zoom(&mut self, factor: f64) {
        if factor > 0.0 && factor.is_finite() {
            self.distance = (self.distance / factor).clamp(Orbit::REACH[0], Orbit::REACH[1]);
        }
    }
}

fn finite(v: DVec3, otherwise: DVec3) -> DVec3 {
    if v.is_finite() { v } else { otherwise }
}

/// The middle of the bodies; of the triangles if there are none.
fn middle(scene: &Scene) -> DVec3 {
    let solids = scene.solids.iter().filter_map(|solid| scene.world.get_body(solid.body)).map(|body| body.position());
    let bodies: Vec<DVec3> =
        scene.spheres.iter().map(|sphere| sphere.position).chain(solids).filter(|p| p.is_finite()).collect();
    let corners = || scene.triangles.iter().flat_map(|t| t.vertices.map(|vertex| vertex.position + t.position));
    let points = if bodies.is_empty() { corners().collect() } else { bodies };
    let sum = points.iter().fold(DVec3::ZERO, |sum, &point| sum + point);
    finite(sum / max64(points.len() as f64, 1.0), DVec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;
    use carom_scenes::{Run, find_entry};
    use carom3d::math::Quat;

    fn scene() -> Scene {
        let Run::Solid(run) = find_entry("cradle_3d").unwrap().build().unwrap() else { panic!("it is in space") };
        run.scene
    }

    #[test]
    fn a_ray_goes_through_what_is_seen_there() {
        let orbit = Orbit { yaw: 0.7, pitch: 0.4, ..Orbit::of_scene(&scene()) };
        for at in [vec2(0.0, 0.0), vec2(0.7, -0.3), vec2(-1.2, 0.9)] {
            let seen = orbit.project(orbit.eye() + orbit.ray(at) * 3.0).unwrap();
            assert!((seen - at).length() < 1.0e-5, "{at} and {seen}");
        }
        assert_eq!(orbit.project(orbit.eye() - orbit.ray(vec2(0.0, 0.0))), None, "behind the eye");
    }

    #[test]
    fn sees_what_the_camera_sees() {
        let mut scene = scene();
        let turns = [
            (0.0, DVec3::Y),
            (1.1, DVec3::Y),
            (2.0, dvec3(1.0, 2.0, 0.5)),
            (std::f64::consts::PI - 0.0016, dvec3(0.0, 1.0, 1.0)),
        ];
        for (angle, axis) in turns {
            scene.camera.orientation = Quat::from_axis_angle(axis, angle);
            let orbit = Orbit::of_scene(&scene);
            let axes = orbit.axes();
            assert!((orbit.eye() - scene.camera.position).length() < 0.02, "{angle}");
            assert!((axes.back + scene.camera.forward()).length() < 2.0e-3, "{angle}");
            assert!((axes.up - scene.camera.up()).length() < 2.0e-3, "{angle}: {} {}", axes.up, scene.camera.up());
        }
    }

    #[test]
    fn walks_and_looks_around_in_the_first_person() {
        let mut orbit = Orbit { yaw: 0.0, pitch: 0.2, roll: 0.0, ..Orbit::of_scene(&scene()) };
        let eye = orbit.eye();
        orbit.look(0.3, 0.1);
        assert!((orbit.eye() - eye).length() < 1.0e-9, "the eye stays");
        // What was in the middle has moved with the hand.
        let before = orbit.project(orbit.target).unwrap();
        let middle = orbit.target;
        orbit.look(0.1, 0.0);
        let after = orbit.project(middle).unwrap();
        assert!((after.x - before.x - 0.2).abs() < 0.02, "{before} {after}");
        let (eye, pitch) = (orbit.eye(), orbit.pitch);
        orbit.walk(1.0, 0.0, 0.0);
        let way = orbit.eye() - eye;
        assert!((way.length() - 1.0).abs() < 1.0e-9 && way.y == 0.0 && way.dot(orbit.ray(vec2(0.0, 0.0))) > 0.5);
        orbit.walk(0.0, 2.0, 3.0);
        let way = orbit.eye() - eye - way;
        assert!((way.y - 3.0).abs() < 1.0e-9 && (way.dot(orbit.axes().right) - 2.0).abs() < 1.0e-9);
        assert_eq!(orbit.pitch, pitch);
    }

    #[test]
    fn turns_pans_and_zooms_within_reach() {
        let start = Orbit::of_scene(&scene());
        let mut orbit = start;
        orbit.turn(0.2, 0.1);
        assert!(orbit.target == start.target && (orbit.eye() - start.eye()).length() > 0.1);
        assert!(((orbit.eye() - orbit.target).length() - start.distance).abs() < 1.0e-9);
        orbit.turn(0.0, -100.0);
        assert!(orbit.pitch < 1.6);
        orbit.pan(0.0, 1.0);
        assert!((orbit.target - start.target).length() > 0.1);
        orbit.zoom(1.0e30);
        assert_eq!(orbit.distance, Orbit::REACH[0]);
        let before = orbit;
        orbit.turn(f64::NAN, 0.0);
        orbit.pan(f64::INFINITY, 0.0);
        orbit.zoom(f64::NAN);
        assert_eq!(orbit, before);
    }
}
