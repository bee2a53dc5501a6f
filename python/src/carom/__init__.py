"""carom: a deterministic physics engine.

>>> import carom
>>> world = carom.World()
>>> ground = world.add_body("fixed", shapes=carom.rectangle(100, 1))
>>> ball = world.add_body(position=(0, 4), shapes=carom.circle(0.5))
>>> world.step(n=120)
>>> round(ball.position.y, 2)
1.0
>>> world.positions.shape
(2, 2)
"""

from ._carom import (
    BatchWorld,
    Body,
    Character,
    Contact,
    ContactView,
    Events,
    Hit,
    Joint,
    Picture,
    Run,
    Shape,
    ShapeDef,
    ShapeView,
    StaleHandle,
    Vec2,
    World,
    __version__,
    capsule,
    chain,
    circle,
    concave,
    convex,
    ellipse,
    rectangle,
    ring,
    scenes,
    segment,
)
from ._sweep import SweepError, Table, sweep
from ._view import view

__all__ = [
    "BatchWorld",
    "Body",
    "Character",
    "Contact",
    "ContactView",
    "Events",
    "Hit",
    "Joint",
    "Picture",
    "Run",
    "Shape",
    "ShapeDef",
    "ShapeView",
    "StaleHandle",
    "SweepError",
    "Table",
    "Vec2",
    "World",
    "__version__",
    "capsule",
    "chain",
    "circle",
    "concave",
    "convex",
    "ellipse",
    "rectangle",
    "ring",
    "scenes",
    "segment",
    "sweep",
    "view",
]
