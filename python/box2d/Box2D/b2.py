"""The names of `Box2D` without their `b2`: `from Box2D.b2 import polygonShape`."""

import Box2D as _box2d

for _name in dir(_box2d):
    if _name.startswith("b2") and len(_name) > 2:
        globals()[_name[2].lower() + _name[3:] if not _name[2:].startswith("_") else _name[3:]] = getattr(_box2d, _name)
        globals()[_name] = getattr(_box2d, _name)

pi = _box2d.b2_pi
epsilon = _box2d.b2_epsilon


def __getattr__(name: str):
    """What is not there yet, by its name."""
    if name.startswith("__"):
        raise AttributeError(name)
    return getattr(_box2d, "b2" + name[:1].upper() + name[1:])
