"""The examples in docstrings run, the stubs say what there is, and what they say is so."""

import ast
import doctest
import inspect
import pathlib
import subprocess
import sys

import carom
import pytest


def test_examples_run():
    finder = doctest.DocTestFinder(exclude_empty=True)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    tried = 0
    for thing in [carom, *(getattr(carom, name) for name in carom.__all__ if name != "__version__")]:
        for test in finder.find(thing, globs={}, module=False):
            result = runner.run(test)
            tried += result.attempted
            assert result.failed == 0, test.name
    assert tried > 20


def test_the_example_of_the_environments_runs():
    pytest.importorskip("gymnasium")
    import carom.gym

    failed, tried = doctest.testmod(carom.gym)
    assert failed == 0 and tried > 3


def stub_names():
    """Classes and functions of the stub, with their members."""
    tree = ast.parse(pathlib.Path(carom.__file__).with_name("__init__.pyi").read_text())
    names = {}
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            members = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
            members |= {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
            names[node.name] = members
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = None
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = None
        elif isinstance(node, ast.ImportFrom) and node.module in ("_sweep", "_view"):
            names.update(dict.fromkeys(alias.name for alias in node.names))
    return names


def test_stubs_and_module_agree():
    names = stub_names()
    assert set(carom.__all__) == {name for name in names if not name.startswith("_") or name == "__version__"}
    settings = set("gravity substeps friction_mix restitution_mix restitution_speed hit_speed contact_hertz".split())
    settings |= set("contact_damping push_out_speed max_speed continuous sleeping sleep_delay_s solver".split())
    settings |= set("broad_phase threads fixed_step_s max_catch_up".split())
    of_joints = set("limits motor spring target target_angle min max rest_length linear angular max_force".split())
    of_joints |= set("max_torque ratio pulley_a pulley_b rope_length motor_speed motor_max_force".split())
    of_joints |= set("break_force break_torque collide_connected enabled user_data angular_velocity".split())
    dynamic = {"World": settings, "Joint": of_joints}
    for name, members in names.items():
        thing = getattr(carom, name)
        if members is None or not inspect.isclass(thing):
            continue
        public = {member for member in vars(thing) if not member.startswith("_")} | dynamic.get(name, set())
        assert public == {member for member in members if not member.startswith("_")}, name
        for member in public - dynamic.get(name, set()):
            assert getattr(thing, member).__doc__, f"{name}.{member} has no docstring"


def test_a_type_checker_accepts_a_typical_program(tmp_path):
    pytest.importorskip("mypy")
    program = tmp_path / "program.py"
    program.write_text(
        "import carom\n"
        "world = carom.World(gravity=(0, -9.81), substeps=8)\n"
        "body: carom.Body = world.add_body('fixed', position=(0, 1), shapes=[carom.circle(1, friction=0.5)])\n"
        "joint = world.add_joint('revolute', body, world.add_body(), at=(0, 0), motor=(1, 2))\n"
        "joint.motor = (3, 4)\n"
        "world.step(n=10)\n"
        "hit = world.ray_closest((0, 0), (1, 0))\n"
        "if hit is not None:\n"
        "    print(hit.shape.body.position.x + 1.0)\n"
        "world.positions += 1\n"
    )
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import carom\ncarom.World().add_body('fixed').positon\ncarom.circle('one')\n")
    check = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache")]
    good = subprocess.run([*check, str(program)], capture_output=True, text=True)
    assert good.returncode == 0, good.stdout
    bad = subprocess.run([*check, str(wrong)], capture_output=True, text=True)
    assert bad.stdout.count("error:") == 2, bad.stdout


def test_the_packages_own_python_passes_the_type_checker(tmp_path):
    pytest.importorskip("mypy")
    check = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--disable-error-code=import-untyped"]
    done = subprocess.run([*check, "--cache-dir", str(tmp_path), "-p", "carom"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
