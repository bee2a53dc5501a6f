//! Asking the world where things are: rays, points, nearest shapes, shapes that are moved along.

use carom2d::prelude::*;

fn main() -> Result<(), DefError> {
    let mut world = World::new(WorldDef::default());
    let wall = world.add_body(BodyDef { position: vec2(5.0, 0.0), ..BodyDef::fixed() })?;
    let wall_shape = world.add_shape(wall, ShapeDef::rectangle(1.0, 4.0))?;
    let disc = world.add_body(BodyDef { position: vec2(2.0, 0.0), ..BodyDef::fixed() })?;
    let disc_shape = world.add_shape(disc, ShapeDef::circle(0.5))?;
    let all = QueryFilter::default();

    // The first thing on the way from the origin, 10 m to the right.
    let hit = world.ray_closest(Vec2::ZERO, vec2(10.0, 0.0), all)?.expect("the disc is in the way");
    assert_eq!(hit.shape, disc_shape);
    println!("ray: {:?} after {:.2} m, normal {}", hit.shape, 10.0 * hit.fraction, hit.normal);

    // Everything on that way, nearest first.
    for hit in world.ray_all(Vec2::ZERO, vec2(10.0, 0.0), all)? {
        println!("ray through everything: {:?} at {}", hit.shape, hit.point);
    }

    // What is under the mouse?
    println!("at (5, 1): {:?}", world.shapes_at(vec2(5.0, 1.0), all)?);

    // The nearest surface within 3 m.
    let nearest = world.closest_point(vec2(5.0, 4.0), 3.0, all)?.expect("the wall is 2 m below");
    assert_eq!(nearest.shape, wall_shape);
    println!("nearest to (5, 4): {:?}, {:.2} m away", nearest.shape, nearest.distance);

    // How far a box can be moved before it touches something.
    let crate_box = Geometry::rectangle(1.0, 1.0)?;
    let cast = world.cast_shape(&crate_box, Pose::at(vec2(0.0, 1.5)), vec2(10.0, 0.0), all)?;
    let cast = cast.expect("the wall is in the way");
    println!("box: stops after {:.2} m at {:?}", 10.0 * cast.fraction, cast.shape);
    Ok(())
}
