use carom_checks::validation::*;
use carom2d::prelude::*;
#[test]
fn trace() {
    for (e, mu, v) in [(1.0, 0.0, Vec2::ZERO), (0.5, 0.0, Vec2::ZERO), (0.0, 0.0, Vec2::ZERO), (0.0, 0.5, Vec2::ZERO)] {
        let mut world = plain_world();
        world.set_gravity(Vec2::ZERO).unwrap();
        let shape = |w, h| ShapeDef { restitution: e, friction: mu, ..ShapeDef::rectangle(w, h) };
        let a = add_moving(&mut world, vec2(-2.0, 0.35), vec2(5.0, 0.0), shape(1.0, 1.0));
        let b = add_moving(&mut world, vec2(1.0, -0.3), v, shape(0.6, 1.4));
        let mut last = 0.0;
        println!("e={e} mu={mu}");
        for i in 0..60 {
            let mut l = 0.0;
            for id in [a, b] {
                let body = world.body(id);
                let (m, r, v) = (f64::from(body.mass()), body.center().as_dvec2(), body.velocity().as_dvec2());
                l += m * r.perp_dot(v) + f64::from(body.inertia()) * f64::from(body.angular_velocity());
            }
            if i > 0 && (l - last as f64).abs() > 1e-5 {
                println!(
                    "step {i}: L {last} -> {l}; w {} {} v {} {} ",
                    world.body(a).angular_velocity(),
                    world.body(b).angular_velocity(),
                    world.body(a).velocity(),
                    world.body(b).velocity()
                );
                for c in world.contacts() {
                    println!(
                        "  n {} touching {} pts {:?}",
                        c.normal(),
                        c.is_touching(),
                        c.points().collect::<Vec<_>>()
                    );
                }
            }
            last = l;
            world.step(DT);
        }
    }
}
