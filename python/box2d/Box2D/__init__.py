"""The module `Box2D` (pybox2d 2.3) on carom.

Bodies, fixtures and joints are carom's own classes; here are definitions, shapes, and what programs subclass.

>>> import Box2D
>>> world = Box2D.b2World(gravity=(0, -10))
>>> ground = world.CreateStaticBody(shapes=Box2D.b2EdgeShape(vertices=[(-10, 0), (10, 0)]))
>>> box = world.CreateDynamicBody(
...     position=(0, 1),
...     fixtures=Box2D.b2FixtureDef(shape=Box2D.b2PolygonShape(box=(0.5, 0.5)), density=1.0),
... )
>>> for _ in range(100):
...     world.Step(1 / 50, 6, 2)
>>> abs(box.position.y - 0.5) < 0.02
True
"""

import sys as _sys
from builtins import type as _type

from carom._carom import (
    b2Body,
    b2Contact,
    b2Filter,
    b2Fixture,
    b2RevoluteJoint,
    b2Transform,
    b2Vec2,
    b2World_,
)

__version__ = "2.3.10"
__author__ = "carom"
__license__ = "MIT OR Apache-2.0"

b2_pi = 3.14159265359
b2_epsilon = 1.192092896e-07
b2_linearSlop = 0.005
b2_angularSlop = 2.0 / 180.0 * b2_pi
b2_polygonRadius = 2.0 * b2_linearSlop
b2_maxPolygonVertices = 16
b2_staticBody, b2_kinematicBody, b2_dynamicBody = 0, 1, 2


# ---- shapes -------------------------------------------------------------------------------------


def _pairs(vertices):
    return [(float(vertex[0]), float(vertex[1])) for vertex in vertices]


class b2Shape:
    """What all shapes have in common."""

    _kind = -1

    def _assign(self, keywords):
        for name, value in keywords.items():
            if not isinstance(getattr(type(self), name, None), property) and name not in self._names:
                raise TypeError(f"{type(self).__name__} has no {name}")
            setattr(self, name, value)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in self._names)})"


class b2CircleShape(b2Shape):
    """A circle: `radius`, and `pos` on the body."""

    _kind = 0
    _names = ("radius", "pos")
    type = 0

    def __init__(self, radius=0.0, pos=(0.0, 0.0), **keywords):
        self.radius = radius
        self.pos = pos
        self._assign(keywords)

    @property
    def pos(self):
        return self._pos

    @pos.setter
    def pos(self, value):
        self._pos = b2Vec2(value)


class b2EdgeShape(b2Shape):
    """A line between two vertices, solid from both sides."""

    _kind = 1
    _names = ("vertices",)
    type = 1
    radius = b2_polygonRadius

    def __init__(self, vertices=None, **keywords):
        self._vertices = [(0.0, 0.0), (0.0, 0.0)]
        if vertices is not None:
            self.vertices = vertices
        self._assign(keywords)

    @property
    def vertices(self):
        return list(self._vertices)

    @vertices.setter
    def vertices(self, value):
        vertices = _pairs(value)
        if len(vertices) == 4:
            raise NotImplementedError("b2EdgeShape.vertices with ghost vertices")
        if len(vertices) != 2:
            raise ValueError(f"an edge takes 2 vertices, not {len(vertices)}")
        self._vertices = vertices

    @property
    def vertexCount(self):
        return 2


class b2PolygonShape(b2Shape):
    """The convex hull of up to 16 `vertices`, or a `box` of half width and half height, perhaps with centre and angle."""

    _kind = 2
    _names = ("vertices",)
    type = 2
    radius = b2_polygonRadius

    def __init__(self, vertices=None, box=None, **keywords):
        self._vertices = []
        if vertices is not None:
            self.vertices = vertices
        if box is not None:
            self.box = box
        self._assign(keywords)

    @property
    def vertices(self):
        return list(self._vertices)

    @vertices.setter
    def vertices(self, value):
        vertices = _pairs(value)
        if not 3 <= len(vertices) <= b2_maxPolygonVertices:
            raise ValueError(f"a polygon takes 3 to {b2_maxPolygonVertices} vertices, not {len(vertices)}")
        self._vertices = _hull(vertices)

    def _set_box(self, value):
        self.SetAsBox(*value)

    box = property(None, _set_box)

    def SetAsBox(self, hx, hy, center=(0.0, 0.0), angle=0.0):
        """Makes it a box of this half width and half height."""
        transform = b2Transform(center, float(angle))
        corners = ((-hx, -hy), (hx, -hy), (hx, hy), (-hx, hy))
        self._vertices = [tuple(transform * corner) for corner in corners]

    @property
    def vertexCount(self):
        return len(self._vertices)

    def __len__(self):
        return len(self._vertices)

    def __iter__(self):
        return iter(self._vertices)


def _hull(points):
    """The convex hull of some points, counter-clockwise."""
    points = sorted(set(points))
    if len(points) < 3:
        raise ValueError("a polygon takes 3 vertices that differ")

    def half(ordered):
        chain = []
        for x, y in ordered:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2], chain[-1]
                if (bx - ax) * (y - by) - (by - ay) * (x - bx) > 0.0:
                    break
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    hull = half(points) + half(points[::-1])
    if len(hull) < 3:
        raise ValueError("the vertices of a polygon lie on a line")
    return hull


def _circle_of(radius, pos):
    return b2CircleShape(radius, pos)


def _edge_of(vertices):
    shape = b2EdgeShape.__new__(b2EdgeShape)
    shape._vertices = vertices
    return shape


def _polygon_of(vertices):
    shape = b2PolygonShape.__new__(b2PolygonShape)
    shape._vertices = vertices
    return shape


class b2WorldManifold:
    """Normal and points of a contact in the world."""

    def __init__(self, normal, points):
        self.normal = normal
        self.points = points


def _manifold_of(normal, points):
    return b2WorldManifold(normal, points)


# ---- definitions --------------------------------------------------------------------------------


class b2FixtureDef:
    """A fixture to be: `shape`, `density`, `friction`, `restitution`, `isSensor`, filter bits and `userData`.

    It may be changed and used again: a body copies what it says when it is made.
    """

    __slots__ = (
        "shape",
        "density",
        "friction",
        "restitution",
        "isSensor",
        "categoryBits",
        "maskBits",
        "groupIndex",
        "userData",
    )

    def __init__(
        self,
        shape=None,
        density=0.0,
        friction=0.2,
        restitution=0.0,
        isSensor=False,
        categoryBits=0x0001,
        maskBits=0xFFFF,
        groupIndex=0,
        userData=None,
        filter=None,
    ):
        self.shape = shape
        self.density = density
        self.friction = friction
        self.restitution = restitution
        self.isSensor = isSensor
        self.categoryBits = categoryBits
        self.maskBits = maskBits
        self.groupIndex = groupIndex
        self.userData = userData
        if filter is not None:
            self.filter = filter

    @property
    def filter(self):
        return b2Filter(self.categoryBits, self.maskBits, self.groupIndex)

    @filter.setter
    def filter(self, value):
        self.categoryBits, self.maskBits, self.groupIndex = value.categoryBits, value.maskBits, value.groupIndex

    def __repr__(self):
        return f"b2FixtureDef(shape={self.shape!r}, density={self.density!r}, friction={self.friction!r})"


class b2BodyDef:
    """A body to be; the keywords are those of `b2World.CreateDynamicBody`."""

    def __init__(self, **keywords):
        self.__dict__.update(keywords)

    def __repr__(self):
        return f"b2BodyDef({', '.join(f'{name}={value!r}' for name, value in vars(self).items())})"


class b2RevoluteJointDef:
    """A pin to be."""

    __slots__ = (
        "bodyA",
        "bodyB",
        "localAnchorA",
        "localAnchorB",
        "referenceAngle",
        "enableLimit",
        "lowerAngle",
        "upperAngle",
        "enableMotor",
        "motorSpeed",
        "maxMotorTorque",
        "collideConnected",
        "userData",
    )

    def __init__(
        self,
        bodyA=None,
        bodyB=None,
        localAnchorA=(0.0, 0.0),
        localAnchorB=(0.0, 0.0),
        referenceAngle=0.0,
        enableLimit=False,
        lowerAngle=0.0,
        upperAngle=0.0,
        enableMotor=False,
        motorSpeed=0.0,
        maxMotorTorque=0.0,
        collideConnected=False,
        userData=None,
        anchor=None,
    ):
        self.bodyA = bodyA
        self.bodyB = bodyB
        self.localAnchorA = localAnchorA
        self.localAnchorB = localAnchorB
        self.referenceAngle = referenceAngle
        self.enableLimit = enableLimit
        self.lowerAngle = lowerAngle
        self.upperAngle = upperAngle
        self.enableMotor = enableMotor
        self.motorSpeed = motorSpeed
        self.maxMotorTorque = maxMotorTorque
        self.collideConnected = collideConnected
        self.userData = userData
        if anchor is not None:
            self.Initialize(bodyA, bodyB, anchor)

    def Initialize(self, bodyA, bodyB, anchor):
        """Puts the pin at a point of the world, with the bodies as they are."""
        self.bodyA = bodyA
        self.bodyB = bodyB
        self.localAnchorA = bodyA.GetLocalPoint(anchor)
        self.localAnchorB = bodyB.GetLocalPoint(anchor)
        self.referenceAngle = bodyB.angle - bodyA.angle


# ---- listeners ----------------------------------------------------------------------------------


class b2ContactListener:
    """Receives the contacts of the world whose `contactListener` it is: subclass it."""

    def __init__(self):
        pass

    def BeginContact(self, contact):
        """Two fixtures begin to touch."""

    def EndContact(self, contact):
        """Two fixtures cease to touch."""

    def PreSolve(self, contact, oldManifold):
        """Not called: a world refuses a listener that has one of its own."""

    def PostSolve(self, contact, impulse):
        """Not called: a world refuses a listener that has one of its own."""


class b2RayCastCallback:
    """Asked about the fixtures on a ray: subclass it."""

    def __init__(self, **keywords):
        for name, value in keywords.items():
            setattr(self, name, value)

    def ReportFixture(self, fixture, point, normal, fraction):
        """What to do next: -1 ignores the fixture, 0 stops, a fraction cuts the ray there, 1 goes on."""
        raise NotImplementedError("b2RayCastCallback.ReportFixture: subclass b2RayCastCallback and define it")


class b2QueryCallback:
    """Asked about the fixtures in a box: subclass it."""

    def __init__(self):
        pass

    def ReportFixture(self, fixture):
        """True to go on, False to stop."""
        raise NotImplementedError("b2QueryCallback.ReportFixture: subclass b2QueryCallback and define it")


class b2AABB:
    """A box between `lowerBound` and `upperBound`."""

    def __init__(self, lowerBound=(0.0, 0.0), upperBound=(0.0, 0.0)):
        self.lowerBound = b2Vec2(lowerBound)
        self.upperBound = b2Vec2(upperBound)


# ---- the world ----------------------------------------------------------------------------------

_CREATE = {b2_staticBody: "CreateStaticBody", b2_kinematicBody: "CreateKinematicBody", b2_dynamicBody: "CreateDynamicBody"}


class b2World(b2World_):
    """A world: `b2World(gravity=(0, -10), doSleep=True, contactListener=None)`."""

    def __init__(self, gravity=(0.0, -10.0), doSleep=True, contactListener=None, **keywords):
        self.gravity = gravity
        if not doSleep:
            self.allowSleeping = False
        # A second bool in place of a listener is the continuousPhysics of old.
        if isinstance(contactListener, bool):
            self.continuousPhysics = contactListener
        elif contactListener is not None:
            self.contactListener = contactListener
        for name, value in keywords.items():
            if not hasattr(type(self), name):
                raise TypeError(f"b2World has no {name}")
            setattr(self, name, value)

    @property
    def contactListener(self):
        """Receives what begins and ends to touch; None for no listener."""
        return self._listener

    @contactListener.setter
    def contactListener(self, listener):
        if listener is not None:
            for name in ("PreSolve", "PostSolve"):
                if getattr(type(listener), name, None) not in (None, getattr(b2ContactListener, name)):
                    raise NotImplementedError(f"b2ContactListener.{name}")
        self._listener = listener

    def CreateBody(self, defn=None, **keywords):
        """Creates a body of the `type` that the definition or the keywords say."""
        merged = dict(vars(defn)) if defn is not None else {}
        merged.update(keywords)
        return getattr(self, _CREATE[merged.pop("type", b2_staticBody)])(**merged)

    def CreateJoint(self, defn=None, type=None, **keywords):
        """Creates a joint."""
        if defn is None or isinstance(defn, _type):
            kind = defn or type
            if kind in (b2RevoluteJoint, b2RevoluteJointDef):
                defn = b2RevoluteJointDef(**keywords)
            else:
                raise NotImplementedError(f"CreateJoint of {getattr(kind, '__name__', kind)}")
        if not isinstance(defn, b2RevoluteJointDef):
            raise NotImplementedError(f"CreateJoint of {defn.__class__.__name__}")
        return self._create_revolute(defn)

    def CreateRevoluteJoint(self, **keywords):
        """Creates a pin from the keywords of `b2RevoluteJointDef`."""
        return self._create_revolute(b2RevoluteJointDef(**keywords))

    def QueryAABB(self, callback, aabb):
        """Asks the callback about the fixtures whose boxes overlap a box."""
        self._query_box(callback, aabb.lowerBound, aabb.upperBound)

    def __iter__(self):
        return iter(self.bodies)

    def __getattr__(self, name):
        if name in _NOT_YET["b2World"]:
            raise NotImplementedError(f"b2World.{name}")
        raise AttributeError(f"b2World has no {name}")

    def __setattr__(self, name, value):
        if name in _NOT_YET["b2World"]:
            if value is None or (name == "warmStarting" and value) or (name == "autoClearForces" and value):
                return
            raise NotImplementedError(f"b2World.{name}")
        super().__setattr__(name, value)


# What pybox2d has and this module has not, by class.
_NOT_YET = {
    "b2World": {
        "destructionListener",
        "contactFilter",
        "contactManager",
        "debugDraw",
        "renderer",
        "DrawDebugData",
        "warmStarting",
        "subStepping",
        "autoClearForces",
        "proxyCount",
        "CreateDistanceJoint",
        "CreateFrictionJoint",
        "CreateGearJoint",
        "CreateMouseJoint",
        "CreatePrismaticJoint",
        "CreatePulleyJoint",
        "CreateRopeJoint",
        "CreateWeldJoint",
        "CreateWheelJoint",
    },
    "module": {
        "b2ChainShape",
        "b2LoopShape",
        "b2ContactFilter",
        "b2DestructionListener",
        "b2Draw",
        "b2DrawExtended",
        "b2Joint",
        "b2JointDef",
        "b2DistanceJoint",
        "b2DistanceJointDef",
        "b2FrictionJoint",
        "b2FrictionJointDef",
        "b2GearJoint",
        "b2GearJointDef",
        "b2MouseJoint",
        "b2MouseJointDef",
        "b2PrismaticJoint",
        "b2PrismaticJointDef",
        "b2PulleyJoint",
        "b2PulleyJointDef",
        "b2RopeJoint",
        "b2RopeJointDef",
        "b2WeldJoint",
        "b2WeldJointDef",
        "b2WheelJoint",
        "b2WheelJointDef",
        "b2Distance",
        "b2TimeOfImpact",
        "b2CollideCircles",
        "b2CollidePolygons",
        "b2Mat22",
        "b2Mat33",
        "b2Vec3",
        "b2Sweep",
        "b2Color",
        "b2MassData",
        "b2Manifold",
        "b2ContactImpulse",
        "b2TestOverlap",
    },
}


def __getattr__(name):
    """What is not there yet raises an error with its name, when it is used."""
    if name in _NOT_YET["module"]:
        raise NotImplementedError(f"Box2D.{name}")
    raise AttributeError(f"module Box2D has no {name}")


from . import b2  # noqa: E402  (b2 reads the names above)

__all__ = [name for name in dir(_sys.modules[__name__]) if name.startswith("b2")]
