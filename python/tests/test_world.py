"""Worlds, what is in them, what happens in them."""

import copy
import math
import pickle
import threading

import carom
import pytest


def drop(**settings):
    """A ball above a floor."""
    world = carom.World(**settings)
    world.add_body("fixed", position=(0, -0.5), shapes=carom.rectangle(20, 1))
    ball = world.add_body(position=(0, 4), shapes=carom.circle(0.5))
    return world, ball


def test_free_fall_follows_the_parabola():
    world = carom.World(gravity=(1, -9.81))
    ball = world.add_body(velocity=(2, 3), shapes=carom.circle(0.5))
    world.step(1 / 1000, n=1000)
    assert ball.velocity.x == pytest.approx(3, abs=1e-3)
    assert ball.velocity.y == pytest.approx(3 - 9.81, abs=1e-3)
    assert ball.position.x == pytest.approx(2.5, abs=0.002)
    assert ball.position.y == pytest.approx(3 - 9.81 / 2, abs=0.01)
    assert world.time == pytest.approx(1)


def test_a_ball_comes_to_rest_on_the_floor():
    world, ball = drop()
    world.step(n=180)
    assert ball.position.y == pytest.approx(0.5, abs=0.01)
    assert not ball.awake
    ball.awake = True
    assert ball.awake


def test_settings_are_attributes():
    world = carom.World(gravity=(0, -3), substeps=8, friction_mix="min")
    assert world.gravity == (0, -3)
    assert (world.substeps, world.friction_mix, world.continuous) == (8, "min", True)
    world.substeps = 2
    world.set(gravity=(1, 2), sleeping=False)
    assert (world.substeps, world.gravity, world.sleeping) == (2, (1, 2), False)
    with pytest.raises(ValueError, match="substeps"):
        world.set(gravity=(5, 5), substeps=0)
    assert world.gravity == (1, 2)
    with pytest.raises(AttributeError):
        world.gravitas


def test_unknown_keywords_say_what_was_meant():
    with pytest.raises(TypeError, match="did you mean gravity"):
        carom.World(gravty=(0, 0))
    with pytest.raises(TypeError, match="did you mean friction"):
        carom.circle(1, frictoin=0.5)
    with pytest.raises(TypeError, match="position"):
        carom.World().add_body(positon=(0, 0))
    with pytest.raises(ValueError, match="stack"):
        carom.World.scene("stak")


def test_body_properties_round_trip():
    world, ball = drop()
    values = {
        "kind": "kinematic",
        "linear_damping": 0.25,
        "angular_damping": 0.5,
        "gravity_scale": 2.0,
        "sleep_speed": 0.125,
        "can_sleep": False,
        "bullet": True,
        "user_data": 2**63 + 1,
        "position": (1, 2),
        "angular_velocity": 3.0,
        "velocity": (4, 5),
    }
    ball.set(**values)
    for name, value in values.items():
        assert getattr(ball, name) == value, name
    ball.locked = ["x", "rotation"]
    assert ball.locked == ["x", "rotation"]
    ball.angle = 1.0
    assert ball.angle == pytest.approx(1.0)
    ball.enabled = False
    assert not ball.enabled and not ball.awake


def test_mass_follows_shapes_and_can_be_set():
    world = carom.World()
    body = world.add_body(shapes=[carom.rectangle(2, 1, density=3), carom.circle(1, density=2, position=(4, 0))])
    assert body.mass == pytest.approx(6 + 2 * math.pi, rel=1e-5)
    body.mass = 5
    assert body.mass == 5
    body.mass = None
    body.shapes[1].remove()
    assert body.mass == pytest.approx(6)
    body.shapes[0].density = 1
    assert body.mass == pytest.approx(2)


def test_shape_properties_round_trip():
    world = carom.World()
    body = world.add_body()
    shape = body.add(carom.rectangle(2, 1))
    for name, value in {
        "friction": 0.25,
        "restitution": 0.5,
        "rolling_resistance": 0.125,
        "surface_speed": -2.0,
        "category": 4,
        "mask": 2**64 - 1,
        "group": -3,
        "sensor": True,
        "one_way": (0, 1),
        "user_data": 9,
    }.items():
        setattr(shape, name, value)
        assert getattr(shape, name) == value, name
    assert shape.body == body and body.shapes == [shape]
    assert shape.kind == "polygon" and len(shape.vertices) == 4
    shape.replace(carom.circle(2))
    assert shape.kind == "circle" and shape.area == pytest.approx(4 * math.pi, rel=1e-5)


@pytest.mark.parametrize(
    "shape",
    [
        carom.rectangle(1, 1, rounding=0.1),
        carom.circle(0.5),
        carom.capsule((0, 0), (1, 0), 0.25),
        carom.convex([(0, 0), (1, 0), (0, 1)]),
        carom.ellipse(1, 0.5),
        carom.concave([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)]),
        carom.concave([(0, 0), (3, 0), (3, 3), (0, 3)], holes=[[(1, 1), (2, 1), (2, 2), (1, 2)]]),
    ],
)
def test_every_solid_shape_falls_and_lands(shape):
    world = carom.World()
    world.add_body("fixed", shapes=carom.chain([(20, 0), (-20, 0)]))
    body = world.add_body(position=(0, 3), shapes=shape)
    assert body.mass == pytest.approx(shape.mass, rel=1e-4)
    world.step(n=240)
    low, _ = body.shapes[0].aabb
    assert -0.05 < low.y < 0.05


def test_joints_of_every_kind_do_what_they_say():
    world = carom.World()
    wall = world.add_body("fixed")

    def bob(*at):
        return world.add_body(position=at, shapes=carom.circle(0.1, mask=0))

    pin = world.add_joint("revolute", wall, bob(1, 0), at=(0, 0), limits=(-0.5, 0.5))
    rod = world.add_joint("distance", wall, bob(2, 0), length=2)
    rope = world.add_joint("rope", wall, bob(3, 0), length=4)
    spring = world.add_joint("spring", wall, bob(4, 0), length=4, spring=(2, 0.5))
    slide = world.add_joint("prismatic", wall, bob(5, 0), at=(5, 0, 0), limits=(-1, 1), motor=(1, 50))
    weld = world.add_joint("weld", wall, bob(6, 0), at=(6, 0))
    wheel = world.add_joint("wheel", wall, bob(7, 0), at=(7, 0, math.pi / 2), spring=(4, 0.7), limits=(-1, 1))
    drive = world.add_joint("motor", wall, bob(8, 0), frame_a=(8, 1))
    mouse = world.add_joint("mouse", wall, bob(9, 0), target=(9, 2))
    a, b = bob(10, -1), bob(12, -1)
    pulley = world.add_joint("pulley", a, b, pulley_a=(10, 0), pulley_b=(12, 0), length=2)
    first = world.add_joint("revolute", wall, bob(14, 0), at=(14, 0), motor=(1, 100))
    second = world.add_joint("revolute", wall, bob(16, 0), at=(16, 0))
    gear = world.add_joint("gear", first.body_b, second.body_b, joint_a=first, joint_b=second, ratio=2)
    world.step(n=600)
    assert pin.angle == pytest.approx(-0.5, abs=0.02)
    assert rod.length == pytest.approx(2, abs=0.02)
    assert rope.length == pytest.approx(4, abs=0.02)
    assert 3.9 < spring.length < 4.2
    assert slide.offset.x == pytest.approx(1, abs=0.02)
    assert abs(weld.offset.y) < 0.01
    assert -0.1 < wheel.offset.x < 0.0
    assert drive.body_b.position == pytest.approx((8, 1), abs=0.2)
    assert mouse.body_b.position == pytest.approx((9, 2), abs=0.1)
    assert a.position.y + b.position.y == pytest.approx(-2, abs=0.05)
    assert first.angle + 2 * second.angle == pytest.approx(0, abs=0.05)
    assert {joint.kind for joint in world.joints} == {
        "revolute", "distance", "prismatic", "weld", "wheel", "motor", "mouse", "pulley", "gear",
    }  # fmt: skip
    gear.remove()
    assert not gear.exists


def test_joint_settings_are_attributes():
    world = carom.World()
    wall, bob = world.add_body("fixed"), world.add_body(position=(1, 0), shapes=carom.circle(0.1))
    pin = world.add_joint("revolute", wall, bob, at=(0, 0))
    assert pin.motor is None and pin.limits is None
    with pytest.raises(ValueError, match="motor"):
        pin.motor_speed = 3
    pin.motor = (3, 100)
    pin.motor_speed = 4
    assert pin.motor == (4, 100) and pin.motor_speed == 4
    pin.limits = (-1, 2)
    assert pin.limits == (-1, 2)
    with pytest.raises(ValueError, match="Limits.lower"):
        pin.limits = (2, 1)
    with pytest.raises(AttributeError, match="limits, motor"):
        pin.target
    pin.motor = None
    pin.break_force = 0.01
    for _ in range(60):
        world.step()
        if world.events.joint_broke:
            break
    assert world.events.joint_broke[0][0] == pin.id and not pin.exists


def test_rotating_motor_reaches_its_speed():
    world = carom.World(gravity=(0, 0))
    wall, arm = world.add_body("fixed"), world.add_body(shapes=carom.rectangle(2, 0.2))
    pin = world.add_joint("revolute", wall, arm, motor=(3, 1000))
    world.step(n=120)
    assert pin.angular_speed == pytest.approx(3, rel=1e-3)
    assert pin.angle == pytest.approx(6, abs=0.1)


def test_events_pair_up():
    world = carom.World()
    floor = world.add_body("fixed", shapes=carom.rectangle(10, 1))
    sensor = floor.add(carom.rectangle(10, 1, position=(0, 2), sensor=True))
    ball = world.add_body(position=(0, 5), shapes=carom.circle(0.25, restitution=1.0, friction=0))
    counts = {"contact_begin": 0, "contact_end": 0, "sensor_begin": 0, "sensor_end": 0, "contact_hit": 0}
    for _ in range(400):
        world.step()
        for name in counts:
            counts[name] += len(getattr(world.events, name))
        for seen, visitor in world.events.sensor_begin:
            assert (seen, visitor) == (sensor, ball.shapes[0])
    assert counts["contact_begin"] >= 3 and counts["contact_hit"] >= 3
    assert 0 <= counts["contact_begin"] - counts["contact_end"] <= 1
    assert 0 <= counts["sensor_begin"] - counts["sensor_end"] <= 1


def test_contacts_carry_the_weight():
    world, ball = drop()
    world.step(n=60)
    (contact,) = [contact for contact in world.contacts if contact.touching]
    weight = ball.mass * 10 / 60
    assert sum(point[2] for point in contact.points) == pytest.approx(weight, rel=0.01)
    assert abs(contact.normal.y) == pytest.approx(1)


def test_queries_find_what_is_there():
    world, ball = drop()
    shape = ball.shapes[0]
    hit = world.ray_closest((-5, 4), (10, 0))
    assert hit.shape == shape and hit.fraction == pytest.approx(0.45) and hit.normal == (-1, 0)
    assert [found.shape.body.kind for found in world.ray_all((0, 10), (0, -20))] == ["dynamic", "fixed"]
    assert not world.ray_any((-5, 8), (10, 0))
    assert world.shapes_at((0.2, 4)) == [shape]
    assert world.shapes_in_box((-1, 3), (1, 5)) == [shape]
    assert world.shapes_overlapping(carom.circle(0.1), (0.55, 4)) == [shape]
    assert world.cast_shape(carom.circle(0.5), (-5, 4), (10, 0)).fraction == pytest.approx(0.4, abs=1e-3)
    found, place, distance = world.closest_point((0, 2), 10)
    assert found == shape and distance == pytest.approx(1.5) and place.y == pytest.approx(3.5)
    assert world.shape_distance(*world.shapes) == pytest.approx(3.5, abs=1e-3)
    shape.category = 8
    assert world.ray_closest((-5, 4), (10, 0), mask=1) is None
    assert world.ray_closest((-5, 4), (10, 0), mask=8).shape == shape


def test_hooks_decide_about_pairs_and_contacts():
    world, ball = drop()
    ball.shapes[0].user_data = 7
    world.step(n=120, filter_pair=lambda a, b: 7 not in (a.shape_data, b.shape_data))
    assert ball.position.y < -1

    world = carom.World()
    floor = world.add_body("fixed", angle=-0.3, shapes=carom.rectangle(40, 1, friction=1))
    box = world.add_body(position=(0, 1.2), angle=-0.3, shapes=carom.rectangle(1, 1, friction=1))
    icy = world.copy()

    def ice(contact):
        assert {contact.a.kind, contact.b.kind} == {"fixed", "dynamic"}
        contact.friction = 0.0

    world.step(n=60)
    icy.step(n=60, modify_contact=ice)
    assert abs(box.velocity.x) < 0.05 < 1 < icy.body(box).velocity.x
    assert floor.exists


def test_an_exception_in_a_hook_comes_out_of_the_step():
    world, _ = drop()

    def broken(a, b):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        world.step(n=120, filter_pair=broken)

    def touches_the_world(a, b):
        return bool(world.positions.size)

    world, _ = drop()
    with pytest.raises(RuntimeError, match="borrowed|being stepped"):
        world.step(n=120, filter_pair=touches_the_world)
    world.step()


def test_copies_go_on_bit_for_bit():
    world = carom.World.scene("stack")
    world.step(n=50)
    twins = [copy.copy(world), copy.deepcopy(world), world.copy()]
    world.step(n=50)
    for twin in twins:
        assert twin.step_count == 50
        twin.step(n=50)
        assert twin.state_hash == world.state_hash
    body = world.bodies[1]
    assert twins[0].body(body).position == body.position
    assert twins[0].body(body.id) != body


def test_saved_worlds_go_on_bit_for_bit():
    world = carom.World.from_json(carom.World.scene("junkyard").to_json())
    world.step(n=40)
    saved = world.save()
    world.step(n=40)
    for twin in (carom.World.load(saved), pickle.loads(pickle.dumps(carom.World.load(saved)))):
        twin.step(n=40)
        assert twin.state_hash == world.state_hash
        assert twin.time == world.time


def test_restoring_in_place_keeps_bodies_valid():
    world = carom.World()
    world.add_body("fixed", shapes=carom.rectangle(100, 1))
    ball = world.add_body(position=(0, 4), shapes=carom.circle(0.5))
    saved = world.save()
    world.step(n=60)
    fallen = world.state_hash
    ball.remove()
    world.restore(saved)
    assert ball.position == (0, 4)
    assert world.time == 0
    world.step(n=60)
    assert world.state_hash == fallen


def test_bytes_of_no_world_are_refused():
    world = carom.World()
    body = world.add_body(shapes=carom.circle(0.5))
    saved = world.save()
    before = world.state_hash
    for bad in (b"", b"carom", saved[:-1], saved[:20], saved + b"x", bytes(len(saved)), saved[:30] + b"\xff" + saved[31:]):
        with pytest.raises(ValueError):
            carom.World.load(bad)
        with pytest.raises(ValueError):
            world.restore(bad)
    assert world.state_hash == before and body.position == (0, 0)


def test_threads_of_the_world_change_no_bit():
    hashes = set()
    for threads in (1, 2):
        world = carom.World.scene("junkyard", threads=threads)
        world.step(n=20)
        hashes.add(world.state_hash)
    assert len(hashes) == 1


def test_other_threads_run_while_a_world_steps():
    world = carom.World.scene("junkyard")
    counted = 0
    done = threading.Event()

    def step():
        world.step(n=60)
        done.set()

    thread = threading.Thread(target=step)
    thread.start()
    while not done.is_set():
        counted += 1
    thread.join()
    assert counted > 100


def test_a_world_in_use_refuses_other_threads():
    world = carom.World.scene("junkyard")
    refused = []

    def look():
        while not done.is_set():
            try:
                world.bodies[0].position
            except RuntimeError as error:
                refused.append(str(error))

    done = threading.Event()
    thread = threading.Thread(target=look)
    thread.start()
    world.step(n=60)
    done.set()
    thread.join()
    assert all("stepped" in text or "borrowed" in text for text in refused)


def test_worlds_of_two_threads_step_at_once():
    worlds = [carom.World.scene("stack") for _ in range(2)]
    threads = [threading.Thread(target=world.step, kwargs={"n": 200}) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert worlds[0].state_hash == worlds[1].state_hash


def test_removed_things_are_stale():
    world, ball = drop()
    shape = ball.shapes[0]
    ball.remove()
    for use in (lambda: ball.position, lambda: shape.friction, ball.remove, lambda: ball.add(carom.circle(1))):
        with pytest.raises(carom.StaleHandle, match="names nothing"):
            use()
    assert issubclass(carom.StaleHandle, KeyError)
    assert not ball.exists and "removed" in repr(ball)


def test_worlds_refuse_each_other():
    world, ball = drop()
    other, stranger = drop()
    with pytest.raises(carom.StaleHandle):
        world.add_joint("weld", ball, stranger)
    with pytest.raises(carom.StaleHandle):
        world.shape_distance(ball.shapes[0], stranger.shapes[0])
    assert world.joints == [] and ball != stranger


def test_fluids_fields_soft_bodies_and_blows():
    world = carom.World()
    sea = world.add_fluid(0.0, density=2.0, linear_drag=4.0)
    raft = world.add_body(shapes=carom.rectangle(4, 1, density=0.5))
    world.step(n=600)
    assert raft.position.y == pytest.approx(0.25, abs=0.005)
    world.remove_fluid(sea)
    world.add_field("uniform", acceleration=(0, 20))
    raft.awake = True
    raft.velocity = (0, 0)
    world.step(n=60)
    assert raft.velocity.y == pytest.approx(10, rel=0.05)
    world.clear_fields()

    world = carom.World()
    world.add_body("fixed", shapes=carom.rectangle(20, 1))
    parts = world.add_soft_body(carom.ring((0, 3), 1, 24))
    world.step(n=180)
    height = max(part.position.y for part in parts) - min(part.position.y for part in parts)
    assert 1.2 < height < 2.1
    assert world.explode((0, 0.5), radius=1, impulse_per_length=5) > 0
    assert max(part.velocity.y for part in parts) > 0.5


def test_scenes_keep_their_promises():
    names = [name for name, group, _ in carom.scenes() if group == "basics"]
    assert names
    for name in names:
        world = carom.World.scene(name)
        world.step(n=world.steps)
        world.check()


def test_scenes_of_every_kind_run(tmp_path):
    for name, columns in (("stack", 2), ("cloth", 2), ("newtons_cradle", 2)):
        if name not in [entry[0] for entry in carom.scenes()]:
            continue
        run = carom.Run(name)
        twin = run.copy()
        run.step(20)
        twin.step(20)
        assert run.state_hash == twin.state_hash
        assert run.positions.shape[1] == columns
    solid = next(name for name, group, _ in carom.scenes() if group == "solid")
    run = carom.Run(solid)
    run.step(2)
    assert run.kind == "solid" and run.positions.shape[1] == 3
    with pytest.raises(ValueError, match="rigid"):
        run.world()
    with pytest.raises(ValueError, match="cannot read"):
        carom.Run.open(tmp_path / "nothing.json")


def test_json_says_what_there_is():
    world, ball = drop()
    again = carom.World.from_json(world.to_json())
    assert again.body_count == 2 and again.bodies[1].position == ball.position
    with pytest.raises(ValueError):
        carom.World.from_json("{")
