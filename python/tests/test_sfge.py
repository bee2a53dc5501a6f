"""Scenes of SFGE run their scripts."""

import json
import pathlib

import carom
import pytest
from carom import __main__ as command_line
from carom import sfge

SCENES = pathlib.Path(__file__).parents[2] / "scenes"


def circle(name, x, y, *, script=None, **body):
    """An entity: a circle of 50 pixels."""
    components = [
        {"type": 1, "position": [x, y]},
        {"type": 8, **body},
        {"type": 16, "collider_type": 1, "radius": 50},
    ]
    if script is not None:
        components.append({"type": 64, "script_path": script})
    return {"name": name, "components": components}


def write_scene(folder, entities, systems=(), **scripts):
    """Writes a scene and its scripts; returns the scene's path."""
    (folder / "scripts").mkdir(exist_ok=True)
    for name, text in scripts.items():
        (folder / "scripts" / f"{name}.py").write_text(f"from carom import sfge\n\n{text}")
    file = folder / "scene.json"
    file.write_text(json.dumps({"name": "test", "entities": entities, "systems": list(systems)}))
    return file


def test_points_come_back_from_pixels():
    for x, y in [(0, 0), (640, 360), (1280, 720), (-30, 1000)]:
        assert sfge.to_pixels(sfge.to_metres(x, y)) == (x, y)


def test_scripts_drive_bodies_as_the_scene_of_forces_asks(tmp_path):
    """A ball falls and is kicked by 3 N s where it is below 4.8 m, one commutes, one is not moved by any force."""
    kicker = (
        "class Kicker(sfge.Component):\n"
        "    def init(self):\n"
        "        self.kicks = 0\n"
        "    def fixed_update(self):\n"
        "        if sfge.to_pixels(self.body.position)[1] >= 480 and self.body.velocity.y < 0:\n"
        "            self.body.apply_impulse((0, 3))\n"
        "            self.kicks += 1\n"
    )
    commuter = (
        "class Commuter(sfge.Component):\n"
        "    def update(self, dt):\n"
        "        y = sfge.to_pixels(self.body.position)[1]\n"
        "        speed = abs(self.body.velocity.y)\n"
        "        if y <= 240:\n"
        "            self.body.velocity = (0, -speed)\n"
        "        elif y >= 480:\n"
        "            self.body.velocity = (0, speed)\n"
    )
    pusher = (
        "class PusherSystem(sfge.System):\n"
        "    def fixed_update(self):\n"
        "        self.scene['Fixed'].body.apply_force((100, 100))\n"
    )
    file = write_scene(
        tmp_path,
        [
            circle("Falling", 300, 200, script="scripts/kicker.py"),
            {"name": "Camera", "components": []},
            circle("Commuting", 600, 360, script="scripts/commuter.py", body_type=1, velocity=[0, -1]),
            circle("Fixed", 900, 360, body_type=0),
        ],
        [{"script_path": "scripts/pusher_system.py"}],
        kicker=kicker,
        commuter=commuter,
        pusher_system=pusher,
    )
    scene = sfge.load(file, scripts=tmp_path)
    assert [entity.name for entity in scene] == ["Falling", "Camera", "Commuting", "Fixed"]
    assert scene["Camera"].body is None
    falling, commuting, fixed = (scene[name].body for name in ("Falling", "Commuting", "Fixed"))
    assert falling.position == sfge.to_metres(300, 200)
    start, heights, last = fixed.position, [], 0.0
    for _ in range(500):
        scene.step()
        heights.append(commuting.position.y)
        last = falling.velocity.y
        assert fixed.position == start
    # Reversed one step beyond 2.4 m and 4.8 m below the upper edge, at 1 m/s: by at most 0.02 m beyond.
    assert 7.2 - 4.8 - 0.021 <= min(heights) < 7.2 - 4.7
    assert 7.2 - 2.5 < max(heights) <= 7.2 - 2.4 + 0.021
    kicker = falling and scene["Falling"].scripts[0]
    # What gravity took in ten seconds, the kicks gave back: 3 m/s each for 1 kg.
    assert kicker.kicks > 10
    assert last == pytest.approx(3 * kicker.kicks - 9.81 * 10, abs=1e-3)


def test_contacts_reach_systems_and_components(tmp_path):
    watcher = (
        "class Watcher(sfge.Component):\n"
        "    def init(self):\n"
        "        self.seen = []\n"
        "    def on_collision_enter(self, other):\n"
        "        self.seen.append(('collision enter', other.name))\n"
        "    def on_collision_exit(self, other):\n"
        "        self.seen.append(('collision exit', other.name))\n"
        "    def on_trigger_enter(self, other):\n"
        "        self.seen.append(('trigger enter', other.name))\n"
        "    def on_trigger_exit(self, other):\n"
        "        self.seen.append(('trigger exit', other.name))\n"
    )
    system = (
        "class LogSystem(sfge.System):\n"
        "    log = []\n"
        "    def on_contact(self, a, b, enter):\n"
        "        self.log.append((*sorted([a.name, b.name]), enter))\n"
    )
    gate = circle("Gate", 500, 300, body_type=0, script="scripts/watcher.py")
    gate["components"][2]["sensor"] = True
    file = write_scene(
        tmp_path,
        [
            circle("Ball", 300, 300, velocity=[4, 0], gravity_scale=0, script="scripts/watcher.py"),
            gate,
            circle("Wall", 900, 300, body_type=0, script="scripts/watcher.py"),
        ],
        [{"systemClassName": "PlanetSystem"}, {"script_path": "scripts/log_system.py"}],
        watcher=watcher,
        log_system=system,
    )
    with pytest.raises(ValueError, match="PlanetSystem"):
        sfge.load(file, scripts=tmp_path)

    started = []

    class Planets(sfge.System):
        def init(self):
            started.append(self.scene["Ball"].name)

    scene = sfge.load(file, scripts=tmp_path, systems={"PlanetSystem": Planets})
    assert started == ["Ball"]
    scene.step(200)
    # Through the sensor, to the wall, and back.
    passage, bounce = ["trigger enter", "trigger exit"], ["collision enter", "collision exit"]
    seen = {entity.name: entity.scripts[0].seen for entity in scene}
    assert [what for what, _ in seen["Ball"]] == passage + bounce + passage
    assert [other for _, other in seen["Ball"]] == ["Gate"] * 2 + ["Wall"] * 2 + ["Gate"] * 2
    assert seen["Gate"] == [(what, "Ball") for what in passage * 2]
    assert seen["Wall"] == [(what, "Ball") for what in bounce]
    log = scene.scripts[-1].log
    both = lambda name: [("Ball", name, True), ("Ball", name, False)]  # noqa: E731
    assert log == both("Gate") + both("Wall") + both("Gate")


def test_scripts_may_change_the_scene(tmp_path):
    """Bodies that a script adds and removes do not confuse it."""
    system = (
        "import carom\n"
        "class SpawnerSystem(sfge.System):\n"
        "    def init(self):\n"
        "        self.touched = []\n"
        "        self.extra = self.world.add_body(position=(3, 5), shapes=carom.circle(0.5))\n"
        "    def on_contact(self, a, b, enter):\n"
        "        self.touched.append((a.name, b.name, enter))\n"
        "        if self.extra.exists:\n"
        "            self.extra.remove()\n"
    )
    file = write_scene(
        tmp_path,
        [circle("Floor", 300, 600, body_type=0)],
        [{"script_path": "scripts/spawner_system.py"}],
        spawner_system=system,
    )
    scene = sfge.load(file, scripts=tmp_path)
    scene.step(150)
    assert scene.world.body_count == 1
    assert [set(names) for *names, _ in scene.scripts[0].touched] == [{"Floor", ""}] * 2
    assert [enter for *_, enter in scene.scripts[0].touched] == [True, False]


def test_what_a_script_raises_comes_out_of_the_step(tmp_path):
    file = write_scene(
        tmp_path,
        [circle("Ball", 0, 0, script="scripts/broken.py")],
        broken="class Broken(sfge.Component):\n    def update(self, dt):\n        raise ArithmeticError('broken')\n",
    )
    scene = sfge.load(file, scripts=tmp_path)
    with pytest.raises(ArithmeticError, match="broken"):
        scene.step(5)
    assert scene.world.step_count == 1


def test_paths_stay_in_the_folder_and_mistakes_are_named(tmp_path):
    (tmp_path / "outside.py").write_text("raise SystemExit('executed')")
    inside = tmp_path / "inside"
    inside.mkdir()
    ball = lambda script: [circle("Ball", 0, 0, script=script)]  # noqa: E731
    for script in ("../outside.py", str(tmp_path / "outside.py"), "scripts/../../outside.py", "scripts/notes.txt"):
        with pytest.raises(ValueError, match="inside"):
            sfge.load(write_scene(inside, ball(script)), scripts=inside)
    with pytest.raises(FileNotFoundError, match="gone.py"):
        sfge.load(write_scene(inside, ball("scripts/gone.py")), scripts=inside)
    for text in ("x = 1", "class A(sfge.Component): pass\nclass B(sfge.Component): pass", "class C(sfge.System): pass"):
        with pytest.raises(ValueError, match="one class that derives from carom.sfge.Component"):
            sfge.load(write_scene(inside, ball("scripts/odd.py"), odd=text), scripts=inside)
    two = "class Helper(sfge.Component): pass\nclass TwoOfThem(sfge.Component): pass"
    scene = sfge.load(write_scene(inside, ball("scripts/two_of_them.py"), two_of_them=two), scripts=inside)
    assert type(scene["Ball"].scripts[0]).__name__ == "TwoOfThem"
    assert scene["Ball"].get(sfge.Component) is scene["Ball"].scripts[0]
    with pytest.raises(KeyError, match="Nobody"):
        scene["Nobody"]
    own = tmp_path / "own.json"
    own.write_text(carom.World().to_json())
    with pytest.raises(ValueError, match="carom.World.open"):
        sfge.load(own, scripts=inside)


def test_without_scripts_a_scene_is_that_of_world_open():
    scene = sfge.load(SCENES / "sfge_drop.json", scripts=SCENES)
    plain = carom.World.open(SCENES / "sfge_drop.json")
    scene.step(100)
    plain.step(n=100)
    assert scene.world.state_hash == plain.state_hash
    assert "not run: scripts/contact_debug_system.py" in plain.summary


def test_the_example_prints_its_contacts(capsys):
    assert command_line.main(["run", str(SCENES / "sfge_drop.json"), "--scripts", str(SCENES), "--steps", "300"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any(line.endswith("s: Ball meets Ground") or line.endswith("s: Ground meets Ball") for line in lines)
    assert lines[-1].startswith("sfge_drop: 300 steps, 6.000 s, hash 0x")
    # Without the option nothing of the folder is executed.
    assert command_line.main(["run", str(SCENES / "sfge_drop.json"), "--steps", "300"]) == 0
    assert capsys.readouterr().out.splitlines() == lines[-1:]
