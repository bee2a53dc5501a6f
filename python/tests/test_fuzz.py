"""Nonsense gives exceptions, never a crash: random calls with random arguments, in processes of their own."""

import random
import subprocess
import sys

import carom
import numpy as np
import pytest

NAN, INFINITY = float("nan"), float("inf")
NUMBERS = [0, 1, -1, 0.5, 1e-30, 1e30, -1e30, 1e300, NAN, INFINITY, -INFINITY, 2**31, 2**63, 2**64, -(2**63), 10**30]
ODD = [
    None, True, "text", "", b"bytes", [], (), {}, object(), [1], (1, 2, 3), [1, "2"], [[1, 2], [3]], range(3), 1j,
    np.zeros((2, 2)), np.array(1.0), np.array([NAN, 1]), np.array(["a", "b"]), np.zeros(0), np.float32(2), lambda: 1,
]  # fmt: skip
WORDS = ["fixed", "dynamic", "revolute", "distance", "gear", "mouse", "pulley", "wheel", "uniform", "wind", "stack"]
NAMES = [
    "position", "angle", "velocity", "mass", "inertia", "density", "friction", "restitution", "limits", "motor",
    "spring", "gravity", "substeps", "threads", "at", "frame_a", "length", "ratio", "target", "shapes", "kind", "locked",
    "category", "mask", "joint_a", "joint_b", "radius", "region", "acceleration", "user_data", "sleep_delay_s",
]  # fmt: skip
# These may be asked for things that are allowed and take long, or for files, or start programs.
LEFT_OUT = {"record", "save", "open", "advance", "step", "threads", "view"}


class Fuzzer:
    """Calls whatever there is with whatever there is."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.worlds = [carom.World(), carom.World.scene("stack")]
        self.things = []
        for world in self.worlds:
            self.stock(world)

    def stock(self, world):
        floor = world.add_body("fixed", shapes=carom.rectangle(10, 1))
        box = world.add_body(position=(0, 3), shapes=carom.rectangle(1, 1))
        ball = world.add_body(position=(1, 3), shapes=carom.circle(0.5))
        pin = world.add_joint("revolute", floor, box, at=(0, 3), motor=(1, 1))
        self.things += [world, floor, box, ball, pin, *floor.shapes, *ball.shapes, carom.circle(1), carom.Vec2(1, 2)]
        self.things += [carom.Character(world, (0, 8)), carom.Character(world, (3, 5), ignore=ball), carom.BatchWorld(world, 2)]
        gone = world.add_body(shapes=carom.circle(1))
        self.things += [gone, gone.shapes[0]]
        gone.remove()

    def value(self):
        pick = self.random.random()
        if pick < 0.35:
            return self.random.choice(NUMBERS)
        if pick < 0.6:
            return (self.random.choice(NUMBERS), self.random.choice(NUMBERS))
        if pick < 0.75:
            return self.random.choice(self.things)
        if pick < 0.85:
            return [(self.random.uniform(-3, 3), self.random.choice(NUMBERS[:7])) for _ in range(self.random.randrange(9))]
        return self.random.choice(ODD + WORDS)

    def keywords(self):
        return {self.random.choice(NAMES): self.value() for _ in range(self.random.choice([0, 0, 1, 2]))}

    def once(self):
        thing = self.random.choice([*self.things, carom])
        names = [name for name in dir(thing) if not name.startswith("__") and name not in LEFT_OUT]
        name = self.random.choice(names)
        try:
            if self.random.random() < 0.4 and thing is not carom:
                setattr(thing, self.random.choice(NAMES + names), self.value())
                return
            found = getattr(thing, name)
            if callable(found) and not isinstance(found, type):
                found = found(*[self.value() for _ in range(self.random.randrange(4))], **self.keywords())
            if type(found).__module__ == "carom":
                self.things.append(found)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError, OverflowError, NotImplementedError, ZeroDivisionError):
            pass

    def run(self, calls):
        for index in range(calls):
            self.once()
            if index % 50 == 0:
                for world in self.worlds:
                    # What asks for threads or a huge number of sub-steps would only take long.
                    world.set(substeps=4, threads=1)
                    world.step()
                    repr(world.bodies)
            if len(self.things) > 200:
                self.things = self.random.sample(self.things, 100)
        for world in self.worlds:
            assert np.isfinite(world.positions).all()


@pytest.mark.parametrize("seed", range(4))
def test_nonsense_gives_exceptions(seed):
    program = f"import test_fuzz; test_fuzz.Fuzzer({seed}).run(30000)"
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program],
        cwd=__file__.rpartition("/")[0],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert "panicked" not in done.stderr, done.stderr[-3000:]


@pytest.mark.parametrize("bad", [NAN, INFINITY, -INFINITY, 1e300])
def test_numbers_out_of_range_say_where(bad):
    world = carom.World()
    body = world.add_body(shapes=carom.circle(1))
    for use, named in [
        (lambda: carom.circle(bad), "radius"),
        (lambda: carom.World(gravity=(0, bad)), "gravity"),
        (lambda: world.add_body(position=(bad, 0)), "position"),
        (lambda: body.apply_force((bad, 0)), "force"),
        (lambda: setattr(body, "angle", bad), "angle"),
        (lambda: world.step(bad), "dt"),
        (lambda: world.ray_any((0, 0), (bad, 0)), "translation"),
        (lambda: world.add_joint("rope", body, world.add_body(), min=bad), "min"),
    ]:
        with pytest.raises(ValueError, match=named):
            use()
    assert world.body_count >= 1
