"""The module Box2D, apart from the environments."""

import gc
import math
import weakref

import Box2D
import pytest
from Box2D import b2FixtureDef, b2PolygonShape, b2Vec2, b2World
from Box2D.b2 import (
    circleShape,
    contactListener,
    edgeShape,
    fixtureDef,
    polygonShape,
    rayCastCallback,
    revoluteJointDef,
    vec2,
)


class Diary(contactListener):
    """Writes down what it is told."""

    def __init__(self):
        contactListener.__init__(self)
        self.lines = []

    def BeginContact(self, contact):
        self.lines.append(("begin", contact.fixtureA, contact.fixtureB))

    def EndContact(self, contact):
        self.lines.append(("end", contact.fixtureA, contact.fixtureB))


def box(world, x, y, **keywords):
    return world.CreateDynamicBody(
        position=(x, y), fixtures=fixtureDef(shape=polygonShape(box=(0.5, 0.5)), density=1.0, **keywords)
    )


def floor(world):
    return world.CreateStaticBody(shapes=edgeShape(vertices=[(-20, 0), (20, 0)]))


def run(world, steps):
    for _ in range(steps):
        world.Step(1 / 50, 180, 60)


def test_names_are_where_programs_look_for_them():
    assert Box2D.b2.polygonShape is b2PolygonShape is polygonShape
    assert vec2 is b2Vec2 and Box2D.b2.rayCastCallback is Box2D.b2RayCastCallback
    space = {}
    exec("from Box2D import *\nfrom Box2D.b2 import *", space)
    assert space["b2World"] is b2World and space["world"] is b2World and space["fixtureDef"] is b2FixtureDef


def test_what_is_not_there_says_its_name():
    world = b2World()
    for use, name in [
        (lambda: Box2D.b2PrismaticJointDef, "b2PrismaticJointDef"),
        (lambda: Box2D.b2.mouseJointDef, "b2MouseJointDef"),
        (lambda: world.CreateWeldJoint(), "CreateWeldJoint"),
        (lambda: setattr(world, "contactFilter", object()), "contactFilter"),
        (lambda: floor(world).massData, "massData"),
        (lambda: setattr(floor(world), "massData", 1), "massData"),
        (lambda: edgeShape(vertices=[(0, 0)] * 4), "ghost"),
    ]:
        with pytest.raises(NotImplementedError, match=name):
            use()

    class Solves(contactListener):
        def PostSolve(self, contact, impulse):
            pass

    with pytest.raises(NotImplementedError, match="PostSolve"):
        world.contactListener = Solves()


def test_vectors():
    v = b2Vec2(3, 4)
    x, y = v
    assert (x, y, v[0], v[-1], len(v), v.length, tuple(v)) == (3, 4, 3, 4, 2, 5, (3, 4))
    assert v + (1, 1) == (4, 5) and (1, 1) - v == (-2, -3) and 2 * v == v * 2 == (6, 8) and -v == (-3, -4)
    assert v.dot((1, 2)) == 11 and v.cross((1, 2)) == 2 and v.skew == (-4, 3)
    v.x = 0
    assert v == (0, 4) and v != (0, 5)
    v.Normalize()
    assert v == (0, 1)
    body = box(b2World(), 1, 2)
    with pytest.raises(AttributeError, match="body.position"):
        body.position.x = 5


def test_a_box_falls_rests_and_sleeps():
    world = b2World()
    floor(world)
    body = box(world, 0, 3)
    world.Step(1 / 50, 8, 3)
    assert body.linearVelocity.y == pytest.approx(-0.2, rel=1e-4)
    run(world, 250)
    assert body.position.y == pytest.approx(0.5, abs=0.02)
    assert not body.awake
    body.ApplyForceToCenter((0, 1), False)
    assert not body.awake
    body.ApplyLinearImpulse((0, 2), body.worldCenter, True)
    assert body.awake and body.linearVelocity.y == pytest.approx(2, rel=1e-4)


def test_mass_comes_of_density_about_the_centroid():
    world = b2World()
    body = world.CreateDynamicBody(
        fixtures=fixtureDef(shape=polygonShape(vertices=[(0, 0), (3, 0), (0, 3)]), density=2.0)
    )
    assert body.mass == pytest.approx(9) and body.localCenter == pytest.approx((1, 1))
    assert body.position == (0, 0) and body.worldCenter == pytest.approx((1, 1))
    # About the corner with the right angle: density * 3^4 / 12 * 2.
    assert body.inertia == pytest.approx(2 * 3**4 / 12 * 2, rel=1e-5)
    assert world.CreateDynamicBody(shapes=circleShape(radius=1)).mass == 1


def test_definitions_may_be_changed_and_used_again():
    world = b2World()
    definition = fixtureDef(shape=edgeShape(vertices=[(0, 0), (1, 1)]), friction=2.5)
    bodies = []
    for x in range(3):
        definition.shape.vertices = [(x, 0), (x + 1, 0)]
        definition.categoryBits = 1 << x
        bodies.append(world.CreateStaticBody(fixtures=definition))
    for x, body in enumerate(bodies):
        (fixture,) = body.fixtures
        assert fixture.shape.vertices == [(x, 0), (x + 1, 0)] and type(fixture.shape) is edgeShape
        assert fixture.friction == 2.5 and fixture.filterData.categoryBits == 1 << x


def test_shapes_come_back_as_what_they_were():
    body = b2World().CreateDynamicBody(
        fixtures=[fixtureDef(shape=circleShape(radius=2, pos=(1, 0))), fixtureDef(shape=polygonShape(box=(1, 2)))]
    )
    circle, polygon = (fixture.shape for fixture in body.fixtures)
    assert type(circle) is circleShape and (circle.radius, circle.pos) == (2, (1, 0))
    assert type(polygon) is polygonShape and sorted(polygon.vertices) == [(-1, -2), (-1, 2), (1, -2), (1, 2)]
    hull = polygonShape(vertices=[(0, 1), (0, 0), (0.4, 0.4), (1, 0), (1, 1)])
    assert sorted(hull.vertices) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_transforms_take_points_to_the_world():
    body = b2World().CreateDynamicBody(position=(1, 2), angle=math.pi / 2)
    assert tuple(body.transform * (1, 0)) == pytest.approx((1, 3), abs=1e-6)
    assert tuple(body.GetWorldVector((1, 0))) == pytest.approx((0, 1), abs=1e-6)
    assert tuple(body.GetLocalPoint((1, 3))) == pytest.approx((1, 0), abs=1e-6)


def test_angles_count_turns():
    body = b2World(gravity=(0, 0)).CreateDynamicBody(
        angle=10.0, angularVelocity=20.0, fixtures=fixtureDef(shape=circleShape(radius=1), density=1)
    )
    assert body.angle == pytest.approx(10.0, rel=1e-5)
    run(body.world, 100)
    assert body.angle == pytest.approx(10.0 + 20.0 * 2, rel=1e-3)


def test_objects_are_one_for_each_thing():
    world = b2World()
    body = box(world, 0, 1)
    body.anything = 7
    body.userData = body
    (fixture,) = body.fixtures
    assert fixture.body is body and world.bodies == [body] and body.fixtures[0] is fixture
    assert body.__dict__["anything"] == 7 and body in {body} and bool(body)
    assert fixture.userData is None


def test_worlds_and_bodies_are_collected():
    class World(b2World):
        pass

    world = World()
    body = box(world, 0, 1)
    body.userData = body
    world.contactListener = Diary()
    traces = [weakref.ref(world), weakref.ref(body)]
    del world, body
    gc.collect()
    assert [trace() for trace in traces] == [None, None]


def test_listeners_hear_of_pairs_in_order():
    world = b2World()
    ground = floor(world)
    body = box(world, 0, 1, restitution=0.9)
    world.contactListener = diary = Diary()
    run(world, 200)
    words = [word for word, *_ in diary.lines]
    assert words[:2] == ["begin", "end"] and all(a != b for a, b in zip(words, words[1:]))
    assert {diary.lines[0][1], diary.lines[0][2]} == {ground.fixtures[0], body.fixtures[0]}


def test_destroying_a_body_ends_its_touches_at_once():
    world = b2World(contactListener=Diary())
    floor(world)
    body = box(world, 0, 0.5)
    other = box(world, 0, 1.5)
    run(world, 20)
    diary = world.contactListener
    begun = len(diary.lines)
    (fixture,) = body.fixtures
    world.DestroyBody(body)
    ends = diary.lines[begun:]
    assert len(ends) == 2 and all(word == "end" and fixture in pair for word, *pair in ends)
    assert world.bodyCount == 2
    run(world, 20)
    assert [word for word, *_ in diary.lines[begun + 2 :]].count("end") == 0 and other.position.y < 1.4
    with pytest.raises(KeyError, match="names nothing"):
        body.position
    world.contactListener = None
    world.DestroyBody(other)
    assert [word for word, *_ in diary.lines].count("end") == 2


def test_nothing_comes_or_goes_while_listeners_are_told():
    class Destroyer(contactListener):
        def BeginContact(self, contact):
            contact.fixtureA.body.world.DestroyBody(contact.fixtureB.body)

    world = b2World(contactListener=Destroyer())
    floor(world)
    box(world, 0, 0.5)
    with pytest.raises(RuntimeError, match="locked"):
        run(world, 20)
    world.contactListener = None
    run(world, 20)
    assert world.bodyCount == 2


def test_sensors_report_each_pair_once():
    world = b2World(gravity=(0, 0), contactListener=Diary())
    tiles = [world.CreateStaticBody(fixtures=fixtureDef(shape=polygonShape(box=(1, 1)))) for _ in range(2)]
    for tile, x in zip(tiles, (3, 4)):
        tile.position = (x, 0)
        tile.fixtures[0].sensor = True
    wheel = world.CreateDynamicBody(
        linearVelocity=(5, 0), fixtures=fixtureDef(shape=circleShape(radius=0.25), density=1)
    )
    run(world, 100)
    assert wheel.linearVelocity == (5, 0)
    told = [(word, tiles.index(a.body if a.body in tiles else b.body)) for word, a, b in world.contactListener.lines]
    assert told == [("begin", 0), ("begin", 1), ("end", 0), ("end", 1)]


def test_a_thing_that_passes_a_sensor_within_a_step_begins_before_it_ends():
    world = b2World(gravity=(0, 0), contactListener=Diary())
    gate = world.CreateStaticBody(fixtures=fixtureDef(shape=polygonShape(box=(0.05, 1)), isSensor=True))
    gate.position = (2.5, 0)
    world.CreateDynamicBody(linearVelocity=(100, 0), fixtures=fixtureDef(shape=circleShape(radius=0.1), density=1))
    run(world, 5)
    assert [word for word, *_ in world.contactListener.lines] == ["begin", "end"]


def test_filters_keep_things_apart():
    world = b2World()
    floor(world)
    ghost = box(world, 0, 1, maskBits=0x0002)
    twins = [box(world, x, 0.5, groupIndex=-1) for x in (3, 3.5)]
    run(world, 50)
    assert ghost.position.y < -1
    assert all(twin.position.y == pytest.approx(0.5, abs=0.02) for twin in twins)
    assert twins[1].position.x - twins[0].position.x == pytest.approx(0.5, abs=0.01)


def test_rays_report_and_heed_the_answer():
    class Ray(rayCastCallback):
        def __init__(self, answer):
            rayCastCallback.__init__(self)
            self.answer, self.seen = answer, []

        def ReportFixture(self, fixture, point, normal, fraction):
            self.seen.append((fixture, tuple(point), tuple(normal), fraction))
            return self.answer(fixture, fraction)

    world = b2World()
    walls = [
        world.CreateStaticBody(fixtures=fixtureDef(shape=edgeShape(vertices=[(x, -1), (x, 1)]), categoryBits=bit))
        for x, bit in ((2, 2), (4, 1), (6, 1))
    ]
    inside = box(world, 0, 0)

    def cast(answer):
        ray = Ray(answer)
        world.RayCast(ray, inside.position, (8, 0))
        return [fixture.body for fixture, *_ in ray.seen]

    assert set(cast(lambda fixture, fraction: 1)) == set(walls)
    assert len(cast(lambda fixture, fraction: 0)) == 1
    seen = cast(lambda fixture, fraction: fraction if fixture.filterData.categoryBits & 1 else -1)
    assert walls[1] in seen and seen[-1] is walls[1]
    ray = Ray(lambda fixture, fraction: fraction)
    world.RayCast(ray, (0, 0), (8, 0))
    assert ray.seen[-1][1:] == (pytest.approx((2, 0)), pytest.approx((-1, 0)), pytest.approx(0.25))
    world.RayCast(ray, (8, 0), (5, 0))
    assert ray.seen[-1][2] == pytest.approx((1, 0))


def test_pins_turn_stop_and_follow_their_motor():
    world = b2World(gravity=(0, 0))
    base, arm = box(world, 0, 0), box(world, 2, 0)
    base.type = Box2D.b2_staticBody
    pin = world.CreateJoint(
        revoluteJointDef(
            bodyA=base,
            bodyB=arm,
            localAnchorA=(1, 0),
            localAnchorB=(-1, 0),
            enableMotor=True,
            enableLimit=True,
            maxMotorTorque=50,
            motorSpeed=2,
            lowerAngle=-0.5,
            upperAngle=0.75,
        )
    )
    run(world, 10)
    assert pin.speed == pytest.approx(2, rel=1e-3)
    run(world, 50)
    assert pin.angle == pytest.approx(0.75, abs=0.01) and arm.angle == pytest.approx(0.75, abs=0.01)
    pin.motorSpeed = -1
    assert pin.motorSpeed == -1 and arm.awake
    run(world, 100)
    assert pin.angle == pytest.approx(-0.5, abs=0.01)
    pin.limitEnabled = False
    pin.maxMotorTorque = 0
    arm.angularVelocity = 0
    assert world.joints == [pin] and pin.bodyA is base and arm.joints == [pin]
    world.DestroyBody(arm)
    assert world.joints == [] and world.jointCount == 0
    with pytest.raises(KeyError):
        pin.angle


def test_an_empty_world_begins_again():
    world = b2World()
    hashes = []
    for _ in range(3):
        bodies = [floor(world), *(box(world, 0.1 * x, 1.1 * x + 0.5) for x in range(5))]
        run(world, 60)
        hashes.append(world.state_hash)
        for body in reversed(bodies) if len(hashes) == 1 else bodies:
            world.DestroyBody(body)
    assert len(set(hashes)) == 1


def test_nonsense_is_refused():
    world, other = b2World(), b2World()
    body = box(world, 0, 0)
    nan = float("nan")
    for use in (
        lambda: b2World(gravity=(0, nan)),
        lambda: world.CreateDynamicBody(position=(nan, 0)),
        lambda: world.CreateDynamicBody(fixtures=fixtureDef(shape=circleShape(radius=nan))),
        lambda: world.CreateDynamicBody(fixtures=fixtureDef(shape=circleShape(radius=1), density=-1)),
        lambda: world.CreateDynamicBody(fixtures=fixtureDef(shape=circleShape(radius=1), maskBits=-1)),
        lambda: polygonShape(vertices=[(0, 0), (1, 1), (2, 2)]),
        lambda: polygonShape(vertices=[(0, 0)]),
        lambda: body.ApplyTorque(nan, True),
        lambda: setattr(body, "position", (nan, 0)),
        lambda: world.Step(nan, 1, 1),
        lambda: world.Step(-1, 1, 1),
    ):
        with pytest.raises(ValueError):
            use()
    for use in (
        lambda: other.DestroyBody(body),
        lambda: other.CreateJoint(revoluteJointDef(bodyA=body, bodyB=box(other, 0, 0))),
    ):
        with pytest.raises(KeyError):
            use()
    for use in (
        lambda: world.CreateDynamicBody(fixtures=3),
        lambda: world.CreateDynamicBody(shapes=fixtureDef()),
        lambda: world.CreateDynamicBody(positon=(0, 0)),
        lambda: world.CreateJoint(revoluteJointDef()),
        lambda: world.DestroyBody(None),
        lambda: body.ApplyForceToCenter("up", True),
    ):
        with pytest.raises(TypeError):
            use()
    assert world.bodyCount == 1
    run(world, 5)


def two_boxes(world, **more):
    """A heavy and a light box that hang on a pin from which they are half a metre away."""
    shape = Box2D.b2PolygonShape(box=(0.5, 0.5))
    heavy, light = (
        world.CreateDynamicBody(position=(x, 3), fixtures=Box2D.b2FixtureDef(shape=shape, density=density))
        for x, density in ((0, 9.0), (1.5, 1.0))
    )
    pin = world.CreateRevoluteJoint(bodyA=heavy, bodyB=light, localAnchorA=(0.5, 0), localAnchorB=(-0.5, 0), **more)
    return heavy, light, pin


def test_joints_that_are_made_open_close_by_mass_and_leave_no_velocity():
    world = Box2D.b2World(gravity=(0, 0))
    heavy, light, pin = two_boxes(world)
    world.Step(1 / 50, 6, 60)
    assert (pin.anchorA - pin.anchorB).length < 0.005
    assert heavy.position.x == pytest.approx(0.05, abs=1e-3) and light.position.x == pytest.approx(1.05, abs=6e-3)
    for body in (heavy, light):
        assert body.linearVelocity.length < 1e-3 and abs(body.angularVelocity) < 1e-3


def test_joints_that_are_made_open_respect_limits_and_the_ground():
    world = Box2D.b2World(gravity=(0, -10))
    world.CreateStaticBody(shapes=Box2D.b2EdgeShape(vertices=[(-20, 2.4), (20, 2.4)]))
    heavy, light, pin = two_boxes(world, enableLimit=True, lowerAngle=0.3, upperAngle=0.6)
    world.Step(1 / 50, 6, 60)
    assert 0.3 - 0.07 < pin.angle < 0.6
    for body in (heavy, light):
        assert min((body.transform * corner)[1] for corner in body.fixtures[0].shape.vertices) > 2.38


def test_only_new_joints_are_closed_that_way():
    """What hangs on older joints is left to the solver, also while others come."""

    def fall(more):
        world = Box2D.b2World(gravity=(0, -10))
        world.CreateStaticBody(shapes=Box2D.b2EdgeShape(vertices=[(-20, 0), (20, 0)]))
        heavy, light, _ = two_boxes(world)
        for step in range(60):
            if step == 30 and more:
                ball = b2FixtureDef(shape=Box2D.b2CircleShape(radius=1))
                one, other = (world.CreateDynamicBody(position=(x, 50), fixtures=ball) for x in (50, 52.5))
                world.CreateRevoluteJoint(bodyA=one, bodyB=other, localAnchorA=(1, 0), localAnchorB=(-1, 0))
            world.Step(1 / 50, 6, 60)
        return [*heavy.position, *light.position]

    assert fall(True) == pytest.approx(fall(False), abs=1e-4)
