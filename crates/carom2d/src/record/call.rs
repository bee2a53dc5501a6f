//! The calls that change a world, as a recording has them.
//!
//! Only what cannot be taken apart is recorded: an explosion, a character or a soft body appear as the impulses, forces and
//! bodies that they came to. A force field is code of the caller, so the forces that it gave are recorded.

use super::wire::{Source, Wire};
use crate::ablation::LeftOut;
use crate::attach::{Outline, ShapeDef, ShapeId};
use crate::body::{BodyDef, BodyId, BodyKind, LockedAxes};
use crate::body_ref::{BodyMut, Motion};
use crate::filter::Filter;
use crate::fluid::{FluidDef, FluidId};
use crate::joint::{JointDef, JointId, JointKind};
use crate::joint_ref::JointMut;
use crate::material::Material;
use crate::math::{Pose, Vec2};
use crate::shape::Geometry;
use crate::shape_ref::ShapeMut;
use crate::world::{World, WorldDef};

/// The forces that act on a body in the next step, as they are after the call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyLoad {
    pub(crate) body: u32,
    pub(crate) force: Vec2,
    pub(crate) torque: f32,
}

impl Wire for BodyLoad {
    fn put(&self, to: &mut Vec<u8>) {
        self.body.put(to);
        self.force.put(to);
        self.torque.put(to);
    }

    fn get(from: &mut Source<'_>) -> Option<BodyLoad> {
        let (body, force) = (u32::get(from)?, Vec2::get(from)?);
        Some(BodyLoad { body, force, torque: f32::get(from)? })
    }
}

/// Something that a call names is not there, or is not as the call needs it.
pub(super) type Refused = &'static str;

fn body(world: &mut World, id: BodyId) -> Result<BodyMut<'_>, Refused> {
    world.get_body_mut(id).ok_or("a body that is not there")
}

fn shape(world: &mut World, id: ShapeId) -> Result<ShapeMut<'_>, Refused> {
    world.get_shape_mut(id).ok_or("a shape that is not there")
}

fn joint(world: &mut World, id: JointId) -> Result<JointMut<'_>, Refused> {
    world.get_joint_mut(id).ok_or("a joint that is not there")
}

/// Defines the calls: a number for the file, a name, what is given, and how it is done again. A call that was refused is
/// recorded, too, and refused again.
macro_rules! calls {
    ($($code:literal $name:ident { $($field:ident: $type:ty),* } |$world:ident| $again:expr;)*) => {
        /// A call that changes a world.
        #[derive(Debug)]
        pub(crate) enum Call {
            $( $name { $($field: $type),* }, )*
        }

        impl Call {
            /// Writes the call with its number.
            pub(super) fn put(&self, to: &mut Vec<u8>) {
                match self {
                    $( Call::$name { $($field),* } => {
                        to.push($code);
                        $( $field.put(to); )*
                    } )*
                }
            }

            /// Reads a call by its number.
            pub(super) fn get(code: u8, from: &mut Source<'_>) -> Option<Call> {
                Some(match code {
                    $( $code => {
                        $( let $field = Wire::get(from)?; )*
                        Call::$name { $($field),* }
                    } )*
                    _ => return None,
                })
            }

            /// Makes the call again.
            pub(super) fn again(self, world: &mut World) -> Result<(), Refused> {
                match self {
                    $( Call::$name { $($field),* } => {
                        let $world = world;
                        let _ = $again;
                    } )*
                }
                Ok(())
            }
        }
    };
}

// Codes below 16 belong to the file itself: see `mod.rs`.
calls! {
    16 AddBody { def: BodyDef } |world| world.add_body(def);
    17 RemoveBody { id: BodyId } |world| world.remove_body(id);
    18 AddShape { body: BodyId, def: ShapeDef } |world| world.add_shape(body, def);
    19 AddShapes { body: BodyId, defs: Vec<ShapeDef> } |world| world.add_shapes(body, &defs);
    20 RemoveShape { id: ShapeId } |world| world.remove_shape(id);
    21 AddJoint { def: JointDef } |world| world.add_joint(def);
    22 RemoveJoint { id: JointId } |world| world.remove_joint(id);
    23 AddFluid { def: FluidDef } |world| world.add_fluid(def);
    24 SetFluid { id: FluidId, def: FluidDef } |world| world.set_fluid(id, def);
    25 RemoveFluid { id: FluidId } |world| world.remove_fluid(id);
    26 SetGravity { gravity: Vec2 } |world| world.set_gravity(gravity);
    // Threads and broad phase are those of the replay: no result depends on them.
    27 SetDef { def: WorldDef } |world| {
        let WorldDef { threads, broad_phase, .. } = world.state.def;
        world.set_def(WorldDef { threads, broad_phase, ..def })
    };
    28 Restore { snapshot: Vec<u8> } |world| world.restore(&snapshot).map_err(|_| "a snapshot that is none")?;
    29 LeaveOut { measures: u8 } |world| world.state.left_out = LeftOut(measures);
    30 Loads { loads: Vec<BodyLoad> } |world| set_loads(world, &loads)?;

    40 SetKind { id: BodyId, kind: BodyKind } |world| body(world, id)?.set_kind(kind);
    41 SetPosition { id: BodyId, value: Vec2 } |world| body(world, id)?.set_position(value);
    42 SetAngle { id: BodyId, value: f32 } |world| body(world, id)?.set_angle(value);
    43 SetPose { id: BodyId, value: Pose } |world| body(world, id)?.set_pose(value);
    44 SetMotion { id: BodyId, value: Motion } |world| body(world, id)?.set_motion(value);
    45 SetVelocity { id: BodyId, value: Vec2 } |world| body(world, id)?.set_velocity(value);
    46 SetAngularVelocity { id: BodyId, value: f32 } |world| body(world, id)?.set_angular_velocity(value);
    47 MoveTo { id: BodyId, target: Pose, dt: f32 } |world| body(world, id)?.move_to(target, dt);
    48 ApplyForce { id: BodyId, force: Vec2 } |world| body(world, id)?.apply_force(force);
    49 ApplyForceAt { id: BodyId, force: Vec2, point: Vec2 } |world| body(world, id)?.apply_force_at(force, point);
    50 ApplyTorque { id: BodyId, torque: f32 } |world| body(world, id)?.apply_torque(torque);
    51 ApplyImpulse { id: BodyId, impulse: Vec2 } |world| body(world, id)?.apply_impulse(impulse);
    52 ApplyImpulseAt { id: BodyId, impulse: Vec2, point: Vec2 } |world| body(world, id)?.apply_impulse_at(impulse, point);
    53 ApplyAngularImpulse { id: BodyId, impulse: f32 } |world| body(world, id)?.apply_angular_impulse(impulse);
    54 SetMass { id: BodyId, value: Option<f32> } |world| body(world, id)?.set_mass(value);
    55 SetInertia { id: BodyId, value: Option<f32> } |world| body(world, id)?.set_inertia(value);
    56 SetLinearDamping { id: BodyId, value: f32 } |world| body(world, id)?.set_linear_damping(value);
    57 SetAngularDamping { id: BodyId, value: f32 } |world| body(world, id)?.set_angular_damping(value);
    58 SetGravityScale { id: BodyId, value: f32 } |world| body(world, id)?.set_gravity_scale(value);
    59 SetLocked { id: BodyId, value: LockedAxes } |world| body(world, id)?.set_locked(value);
    60 SetSleepSpeed { id: BodyId, value: f32 } |world| body(world, id)?.set_sleep_speed(value);
    61 SetCanSleep { id: BodyId, value: bool } |world| body(world, id)?.set_can_sleep(value);
    62 SetBullet { id: BodyId, value: bool } |world| body(world, id)?.set_bullet(value);
    63 Wake { id: BodyId } |world| body(world, id)?.wake();
    64 Sleep { id: BodyId } |world| body(world, id)?.sleep();
    65 SetEnabled { id: BodyId, value: bool } |world| body(world, id)?.set_enabled(value);
    66 SetBodyData { id: BodyId, value: u64 } |world| body(world, id)?.set_user_data(value);

    80 Replace { id: ShapeId, def: ShapeDef } |world| shape(world, id)?.replace(def);
    81 SetGeometry { id: ShapeId, geometry: Geometry } |world| shape(world, id)?.set_geometry(geometry);
    82 SetFilter { id: ShapeId, filter: Filter } |world| shape(world, id)?.set_filter(filter);
    83 SetSensor { id: ShapeId, sensor: bool } |world| shape(world, id)?.set_sensor(sensor);
    84 SetOneWay { id: ShapeId, direction: Option<Vec2> } |world| shape(world, id)?.set_one_way(direction);
    85 SetMaterial { id: ShapeId, material: Material } |world| shape(world, id)?.set_material(material);
    86 SetDensity { id: ShapeId, value: f32 } |world| shape(world, id)?.set_density(value);
    87 SetShapeData { id: ShapeId, value: u64 } |world| shape(world, id)?.set_user_data(value);

    100 SetJointKind { id: JointId, kind: JointKind } |world| joint(world, id)?.set_kind(kind);
    101 SetStiffness { id: JointId, hertz: f32, ratio: f32 } |world| joint(world, id)?.set_stiffness(hertz, ratio);
    102 SetBreak { id: JointId, force: f32, torque: f32 } |world| joint(world, id)?.set_break(force, torque);
    103 SetFrames { id: JointId, frame_a: Pose, frame_b: Pose } |world| joint(world, id)?.set_frames(frame_a, frame_b);
    104 SetTurns { id: JointId, turns: i32 } |world| joint(world, id)?.set_turns(turns);
    105 SetCollideConnected { id: JointId, collide: bool } |world| joint(world, id)?.set_collide_connected(collide);
    107 SetJointEnabled { id: JointId, enabled: bool } |world| joint(world, id)?.set_enabled(enabled);
    106 SetJointData { id: JointId, value: u64 } |world| joint(world, id)?.set_user_data(value);
}

/// Gives awake bodies the forces that they had.
fn set_loads(world: &mut World, loads: &[BodyLoad]) -> Result<(), Refused> {
    for load in loads {
        if world.state.bodies.get_at(load.body).is_none() || !world.state.is_awake(load.body) {
            return Err("a force on a body that is not awake");
        }
        let sim = world.state.sim_mut(load.body);
        (sim.force, sim.torque) = (load.force, load.torque);
    }
    Ok(())
}

/// Whether the outline of a definition can be written: see the `Wire` of [`Geometry`].
pub(crate) fn can_be_written(def: &ShapeDef) -> bool {
    match &def.outline {
        Outline::Geometry(geometry) => is_whole(geometry),
        _ => true,
    }
}

/// Whether a geometry can be attached to a body.
pub(crate) fn is_whole(geometry: &Geometry) -> bool {
    !matches!(geometry, Geometry::Part(_)) && geometry.validate().is_ok()
}
