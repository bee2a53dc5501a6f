//! A mover for characters: a capsule that walks, climbs steps, stands on what moves and slides along the rest.
//!
//! A character is no body. It is moved by casts, so it goes exactly where it is told as far as it can, keeps
//! its speed on slopes, and never rests on a corner as a body would. What it does in one call:
//!
//! 1. It is carried by the ground it stood on, wherever that has gone since the last call.
//! 2. It gets out of what has moved into it.
//! 3. On the ground it walks along it; in the air it flies, and slides along what it meets.
//! 4. It looks for ground beneath, and stays on it where that falls away by less than a step.

use crate::attach::ShapeId;
use crate::body::{BodyId, BodyKind};
use crate::collide::{LINEAR_SLOP, Reference, collide};
use crate::error::{DefError, finite2, non_negative};
use crate::math::{Aabb, Pose, Vec2, cos, max, min, right_perp, unit_and_length, vec2};
use crate::query::QueryFilter;
use crate::shape::{Geometry, MAX_EXTENT, MIN_EXTENT, geometry_cast};
use crate::world::World;

/// How often a move may change its direction.
const MAX_TURNS: usize = 8;
/// How far below its feet a character that falls finds ground, in metres.
const GROUND_GAP: f32 = 2.0 * LINEAR_SLOP;
/// How far a step must let the character advance, in metres, and how far it is tried at least.
const LEAST_ADVANCE: f32 = 1.0e-3;
const STEP_PROBE: f32 = 0.02;
/// The least upward part of the normal at a corner that is climbed, and at one that is left.
const CORNER_UP: f32 = 0.1;
const LEDGE_UP: f32 = 0.5;

/// Describes a character.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterDef {
    /// Radius of the capsule in metres, 1e-5 to 1e6. Default 0.3.
    pub radius: f32,
    /// Height of the capsule in metres, at least twice the radius. Default 1.8.
    pub height: f32,
    /// Which way is up, of any length from 1e-6 to 1e6. Default (0, 1).
    pub up: Vec2,
    /// The steepest slope that it walks on, in radians, 0 to 1.5. Default 0.8: 46 degrees. Steeper ones are
    /// walls from below and slides from above.
    pub max_slope: f32,
    /// The highest step that it climbs, and the deepest that it walks down, in metres, 0 to the height. Default 0.35.
    pub max_step: f32,
    /// The greatest force with which it pushes dynamic bodies, in N, at least 0. Default 50.
    pub push_force: f32,
    /// Which shapes stop it. Default: all but sensors.
    pub filter: QueryFilter<'static>,
    /// A body that it takes no notice of: the one that shows others where it is, if there is one. Default: none.
    pub ignore: Option<BodyId>,
}

impl Default for CharacterDef {
    fn default() -> CharacterDef {
        CharacterDef {
            radius: 0.3,
            height: 1.8,
            up: vec2(0.0, 1.0),
            max_slope: 0.8,
            max_step: 0.35,
            push_force: 50.0,
            filter: QueryFilter::default(),
            ignore: None,
        }
    }
}

/// What a character stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// The shape beneath it.
    pub shape: ShapeId,
    /// The body of that shape.
    pub body: BodyId,
    /// Where it touches it, in world coordinates.
    pub point: Vec2,
    /// Unit normal there, towards the character.
    pub normal: Vec2,
}

/// What came of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CharacterMove {
    /// The velocity that is left after walls and floors, in m/s, without that of the ground. Add gravity to it
    /// and pass it to the next call.
    pub velocity: Vec2,
    /// The velocity of the ground under its feet in m/s; zero in the air. Add it when it jumps.
    pub ground_velocity: Vec2,
}

/// A character: where it is and what it stands on.
///
/// ```
/// use carom2d::prelude::*;
/// use carom2d::{Character, CharacterDef};
/// let mut world = World::new(WorldDef::default());
/// let floor = world.add_body(BodyDef::fixed())?;
/// world.add_shape(floor, ShapeDef::segment(vec2(-50.0, 0.0), vec2(50.0, 0.0)))?;
/// let mut hero = Character::new(CharacterDef::default(), vec2(0.0, 3.0))?;
/// let (dt, mut fall) = (1.0 / 60.0, 0.0);
/// for _ in 0..120 {
///     world.step(dt);
///     fall -= 10.0 * dt;
///     fall = world.move_character(&mut hero, vec2(4.0, fall), dt)?.velocity.y;
/// }
/// assert!(hero.ground().is_some() && (hero.position() - vec2(8.0, 0.9)).length() < 0.01);
/// # Ok::<(), DefError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Character {
    def: CharacterDef,
    capsule: Geometry,
    up: Vec2,
    least_up: f32,
    position: Vec2,
    ground: Option<Ground>,
    /// Its position in the coordinates of the body it stands on.
    anchor_local: Vec2,
}

/// Where a cast of the capsule ended.
struct Hit {
    shape: u32,
    fraction: f32,
    point: Vec2,
    normal: Vec2,
}

impl Character {
    /// A character with its middle at a position, in metres.
    pub fn new(def: CharacterDef, position: Vec2) -> Result<Character, DefError> {
        crate::body::position("position", position)?;
        let (up, length) = unit_and_length(def.up);
        if !(1.0e-6..=1.0e6).contains(&length) {
            return Err(DefError::field("CharacterDef.up", def.up, "a vector of a length from 1e-6 to 1e6"));
        }
        if !(MIN_EXTENT..=MAX_EXTENT).contains(&def.radius) {
            return Err(DefError::field("CharacterDef.radius", def.radius, "a number from 1e-5 to 1e6 m"));
        }
        if !(def.height >= 2.0 * def.radius && def.height <= MAX_EXTENT) {
            let expected = "at least twice the radius, at most 1e6 m";
            return Err(DefError::field("CharacterDef.height", def.height, expected));
        }
        if !(0.0..=1.5).contains(&def.max_slope) {
            return Err(DefError::field("CharacterDef.max_slope", def.max_slope, "a number from 0 to 1.5 rad"));
        }
        if !(0.0..=def.height).contains(&def.max_step) {
            return Err(DefError::field("CharacterDef.max_step", def.max_step, "a number from 0 to the height"));
        }
        non_negative("CharacterDef.push_force", def.push_force)?;
        let half = up * (0.5 * def.height - def.radius);
        let capsule = if half.length() < MIN_EXTENT {
            Geometry::circle(def.radius)?
        } else {
            Geometry::capsule(-half, half, def.radius)?
        };
        let least_up = cos(def.max_slope);
        Ok(Character { def, capsule, up, least_up, position, ground: None, anchor_local: Vec2::ZERO })
    }

    /// Its definition.
    pub fn def(&self) -> &CharacterDef {
        &self.def
    }

    /// The position of its middle in metres.
    pub fn position(&self) -> Vec2 {
        self.position
    }

    /// Puts its middle somewhere else, in the air.
    pub fn set_position(&mut self, position: Vec2) -> Result<(), DefError> {
        self.position = crate::body::position("position", position)?;
        self.ground = None;
        Ok(())
    }

    /// What it stands on; none in the air.
    pub fn ground(&self) -> Option<&Ground> {
        self.ground.as_ref()
    }

    /// Its capsule about its position, for queries and drawing.
    pub fn geometry(&self) -> &Geometry {
        &self.capsule
    }

    fn foot(&self, position: Vec2) -> Vec2 {
        position - self.up * (0.5 * self.def.height)
    }

    /// Does it take notice of a shape?
    fn notices(&self, world: &World, index: u32) -> bool {
        let body = world.state.shapes[index].body;
        let ignored = self.def.ignore.is_some_and(|id| world.contains_body(id) && id.index() == body);
        self.def.filter.sees(&world.state, index) && !ignored
    }

    /// The first thing on the way of the capsule, but for one body.
    fn cast(&self, world: &World, from: Vec2, translation: Vec2, but: Option<u32>) -> Option<Hit> {
        if translation == Vec2::ZERO {
            return None;
        }
        let start = self.capsule.aabb(Pose::at(from));
        let (half, center) = (start.half_extents(), start.center());
        let limit = |best: &Option<Hit>| best.as_ref().map_or(1.0, |hit| hit.fraction);
        world.state.search(
            None::<Hit>,
            &|best, aabb: &Aabb| {
                Aabb::new(aabb.min - half, aabb.max + half).meets_ray(center, translation, limit(best))
            },
            &|best, index| {
                let (shape, pose) = world.state.shape_and_pose(index);
                if !self.notices(world, index) || but == Some(shape.body) {
                    return true;
                }
                let (place, way) = (pose.inv_mul(Pose::at(from)), pose.q.inv_rotate(translation));
                let Some(found) = geometry_cast(&shape.geometry, &self.capsule, place, way, limit(best)) else {
                    return true;
                };
                let normal = pose.q.rotate(found.normal);
                // Out of what it is in it may always go, and through one-way shapes from behind.
                let leaves = normal != Vec2::ZERO && normal.dot(translation) >= 0.0;
                let opens = shape.one_way.is_some_and(|direction| {
                    let (direction, _) = unit_and_length(pose.q.rotate(direction));
                    normal.dot(direction) < LEDGE_UP
                });
                let sooner = best.as_ref().is_none_or(|old| (found.fraction, index) < (old.fraction, old.shape));
                if !leaves && !opens && sooner {
                    *best =
                        Some(Hit { shape: index, fraction: found.fraction, point: pose.point(found.point), normal });
                }
                true
            },
        )
    }

    /// Can it stand or walk on what a cast has met? On slopes that are not too steep, and on corners of such
    /// ground that are no higher than a step above its feet.
    fn walkable(&self, world: &World, hit: &Hit, foot: Vec2, heading: Vec2) -> bool {
        let rise = hit.normal.dot(self.up);
        if rise >= self.least_up {
            return true;
        }
        // A ledge lets go of it early, unless the next step down is near.
        let flat = |origin: Vec2, depth: f32| {
            let hits = world.ray_all(origin, self.up * -depth, self.def.filter).unwrap_or_default();
            let first = hits.iter().find(|hit| self.notices(world, hit.shape.index()));
            first.is_some_and(|hit| hit.normal.dot(self.up) >= self.least_up)
        };
        let leaves = heading.dot(hit.normal) > 0.0 && !flat(foot, self.def.max_step);
        let least = if leaves { LEDGE_UP } else { CORNER_UP };
        if rise < least || (hit.point - foot).dot(self.up) > self.def.max_step + LINEAR_SLOP {
            return false;
        }
        // The ground a little way into the corner. A slope is there what it is here: too steep.
        let (inwards, _) = unit_and_length(self.up * rise - hit.normal);
        flat(hit.point + inwards * LINEAR_SLOP + self.up * (3.0 * LINEAR_SLOP), 6.0 * LINEAR_SLOP)
    }

    /// The direction along a surface that goes on with a heading.
    fn along(&self, normal: Vec2, heading: Vec2) -> Vec2 {
        let tangent = right_perp(normal);
        if tangent.dot(heading) >= 0.0 { tangent } else { -tangent }
    }

    /// Goes where the ground has gone.
    fn follow_ground(&mut self, world: &World, dt: f32) {
        let Some(ground) = self.ground else { return };
        let (Some(body), Some(shape)) = (world.get_body(ground.body), world.get_shape(ground.shape)) else {
            self.ground = None;
            return;
        };
        let belt = right_perp(ground.normal) * (shape.material().surface_speed * dt);
        let way = body.world_point(self.anchor_local) - self.position + belt;
        if way.is_finite() && way.length() > 1.0e-7 {
            let free = self.cast(world, self.position, way, Some(ground.body.index())).map_or(1.0, |hit| hit.fraction);
            self.position += way * free;
        }
    }

    /// Gets out of everything it overlaps, as far as possible.
    fn get_out(&mut self, world: &World) {
        for _ in 0..MAX_TURNS {
            let around = self.capsule.aabb(Pose::at(self.position));
            let mut shapes = world.state.search(
                Vec::new(),
                &|_, aabb: &Aabb| aabb.overlaps(&around),
                &|shapes: &mut Vec<u32>, index| {
                    shapes.push(index);
                    true
                },
            );
            shapes.sort_unstable();
            let before = self.position;
            for index in shapes {
                let (shape, pose) = world.state.shape_and_pose(index);
                if !self.notices(world, index) || shape.one_way.is_some() {
                    continue;
                }
                let place = pose.inv_mul(Pose::at(self.position));
                let manifold = collide(&shape.geometry, &self.capsule, place, 0.0, Reference::None);
                let depth = manifold.points().iter().fold(0.0, |depth, point| max(depth, -point.separation));
                if depth > 0.0 {
                    self.position += pose.q.rotate(manifold.normal) * (depth + 0.1 * LINEAR_SLOP);
                }
            }
            if self.position == before {
                return;
            }
        }
    }

    /// Walks along the ground and tells what is left of the velocity.
    fn walk(&mut self, world: &mut World, ground: Ground, velocity: Vec2, dt: f32) -> Vec2 {
        let level = velocity - self.up * velocity.dot(self.up);
        let (heading, speed) = unit_and_length(level);
        let (mut left, start) = (speed * dt, self.position);
        let mut direction = self.along(ground.normal, heading);
        for _ in 0..MAX_TURNS {
            let Some(hit) = self.cast(world, self.position, direction * left, None) else {
                self.position += direction * left;
                left = 0.0;
                break;
            };
            self.position += direction * (left * hit.fraction);
            left *= 1.0 - hit.fraction;
            if self.walkable(world, &hit, self.foot(self.position), heading) {
                direction = self.along(hit.normal, heading);
                // Rounding must not let it run into the slope that it follows.
                direction += hit.normal * 1.0e-4;
            } else if self.step_up(world, heading, left) {
                left = 0.0;
                break;
            } else {
                self.push(world, &hit, level, dt);
                break;
            }
        }
        let share = if speed > 0.0 { 1.0 - left / (speed * dt) } else { 0.0 };
        // Along the slope, at the speed that it went.
        unit_and_length(self.position - start).0 * (speed * share)
    }

    /// Up, ahead and down again, if that ends on ground it can walk on, not too high.
    fn step_up(&mut self, world: &World, heading: Vec2, left: f32) -> bool {
        let (start, up) = (self.position, self.up);
        let free = |from: Vec2, way: Vec2| self.cast(world, from, way, None).map_or(1.0, |hit| hit.fraction);
        let rise = self.def.max_step * free(start, up * self.def.max_step);
        let ahead = max(left, STEP_PROBE);
        let raised = start + up * rise;
        let advance = ahead * free(raised, heading * ahead);
        if rise <= 0.0 || advance < LEAST_ADVANCE {
            return false;
        }
        let above = raised + heading * advance;
        let Some(landing) = self.cast(world, above, up * -rise, None) else { return false };
        if !self.walkable(world, &landing, self.foot(start), heading)
            || (landing.point - self.foot(start)).dot(up) > self.def.max_step + LINEAR_SLOP
        {
            return false;
        }
        self.position = above - up * (rise * landing.fraction);
        true
    }

    /// Flies, slides along what it meets, and tells what is left of the velocity.
    fn fly(&mut self, world: &mut World, velocity: Vec2, dt: f32) -> Vec2 {
        let (mut velocity, mut left) = (velocity, dt);
        let mut met: Option<Vec2> = None;
        for _ in 0..MAX_TURNS {
            let Some(hit) = self.cast(world, self.position, velocity * left, None) else {
                self.position += velocity * left;
                return velocity;
            };
            self.position += velocity * (left * hit.fraction);
            left *= 1.0 - hit.fraction;
            self.push(world, &hit, velocity, dt);
            let slid = self.slide(velocity, hit.normal);
            // Between two surfaces there is no way on in the plane.
            if hit.normal == Vec2::ZERO || met.is_some_and(|normal| slid.dot(normal) < 0.0) {
                return Vec2::ZERO;
            }
            met = Some(hit.normal);
            velocity = slid + hit.normal * (1.0e-4 * slid.length());
        }
        velocity
    }

    /// The velocity along a surface. Nothing that is too steep to walk on turns it upwards: against such a slope
    /// it only falls, no slower than before, for a caller who steers keeps that part of the velocity alone.
    fn slide(&self, velocity: Vec2, normal: Vec2) -> Vec2 {
        let slid = velocity - normal * min(velocity.dot(normal), 0.0);
        let (climb, rise) = (velocity.dot(self.up), normal.dot(self.up));
        let steep = rise > 0.0 && rise < self.least_up;
        if !steep || slid.dot(self.up) <= climb {
            slid
        } else if climb >= 0.0 {
            self.up * climb
        } else {
            let down = self.along(normal, -self.up);
            down * min(climb / down.dot(self.up), velocity.length())
        }
    }

    /// Pushes a dynamic body that is in the way, up to the character's own speed.
    fn push(&self, world: &mut World, hit: &Hit, velocity: Vec2, dt: f32) {
        let body = world.state.shapes[hit.shape].body;
        if world.state.bodies[body].kind != BodyKind::Dynamic {
            return;
        }
        let Some(id) = world.state.bodies.id_at(body) else { return };
        let mut body = world.body_mut(id);
        let approach = (body.get().velocity_at(hit.point) - velocity).dot(hit.normal);
        if approach > 0.0 {
            let impulse = min(approach * body.get().mass(), self.def.push_force * dt);
            // An impulse that is no number, of a body as heavy as can be, moves nothing.
            let _ = body.apply_impulse_at(hit.normal * -impulse, hit.point);
        }
    }

    /// Looks for ground within a distance below, and goes down to it.
    fn find_ground(&mut self, world: &World, distance: f32, heading: Vec2) {
        self.ground = None;
        let way = self.up * -distance;
        let Some(hit) = self.cast(world, self.position, way, None) else { return };
        let landing = self.position + way * hit.fraction;
        if !self.walkable(world, &hit, self.foot(landing), heading) {
            return;
        }
        let body = world.state.shapes[hit.shape].body;
        let Some(body) = world.state.bodies.id_at(body) else { return };
        self.position = landing;
        self.anchor_local = world.body(body).local_point(landing);
        self.ground =
            Some(Ground { shape: world.state.owner_id(hit.shape), body, point: hit.point, normal: hit.normal });
    }
}

impl World {
    /// Moves a character for `dt` seconds at a velocity in m/s, as far as the world lets it.
    ///
    /// On the ground only the level part of the velocity counts: the character walks at that speed along the
    /// slope it is on. A velocity upwards makes it jump. In the air all of it counts; the caller adds gravity.
    /// Dynamic bodies in its way are pushed; apart from that the world stays as it is. Call it once per step,
    /// after the step.
    pub fn move_character(
        &mut self,
        character: &mut Character,
        velocity: Vec2,
        dt: f32,
    ) -> Result<CharacterMove, DefError> {
        finite2("velocity", velocity)?;
        if !(dt > 0.0 && dt <= 1.0) {
            return Err(DefError::field("dt", dt, "a number above 0, at most 1 s"));
        }
        let limit = self.state.def.max_speed;
        if velocity.length().is_nan() || velocity.length() > limit {
            return Err(DefError::field("velocity", velocity, "no faster than WorldDef.max_speed"));
        }
        let before = character.position;
        character.follow_ground(self, dt);
        character.get_out(self);
        let heading = velocity - character.up * velocity.dot(character.up);
        let jumps = velocity.dot(character.up) > 0.0;
        let (velocity, reach) = match character.ground {
            Some(ground) if !jumps => {
                (character.walk(self, ground, velocity, dt), max(character.def.max_step, GROUND_GAP))
            }
            _ => (character.fly(self, velocity, dt), GROUND_GAP),
        };
        if crate::body::position("position", character.position).is_err() {
            // At the end of the world.
            character.position = before;
            character.ground = None;
            return Ok(CharacterMove { velocity: Vec2::ZERO, ground_velocity: Vec2::ZERO });
        }
        if jumps && velocity.dot(character.up) > 0.0 {
            character.ground = None;
        } else {
            character.find_ground(self, reach, heading);
        }
        let ground_velocity = character.ground.map_or(Vec2::ZERO, |ground| {
            let body = self.body(ground.body);
            if body.kind() == BodyKind::Fixed { Vec2::ZERO } else { body.velocity_at(ground.point) }
        });
        Ok(CharacterMove { velocity, ground_velocity })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::left_perp;

    #[test]
    fn a_steep_slope_turns_nothing_upwards() {
        let character = Character::new(CharacterDef::default(), Vec2::ZERO).unwrap();
        let steep = left_perp(unit_and_length(vec2(1.0, 2.0)).0);
        let slid = character.slide(vec2(5.0, -1.0), steep);
        assert!(slid.y <= 0.0 && slid.dot(steep).abs() < 1.0e-6, "{slid}");
        let gentle = left_perp(unit_and_length(vec2(2.0, 1.0)).0);
        assert!(character.slide(vec2(5.0, -1.0), gentle).y > 0.0);
    }
}
