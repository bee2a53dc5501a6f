"""What stands in `python/examples` runs."""

import contextlib
import importlib.util
import io
import json
import os
import pathlib
import signal
import sys

import carom
import numpy as np
import pytest

EXAMPLES = pathlib.Path(__file__).parents[1] / "examples"


def load(name):
    """An example as a module that other processes find, too."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_the_notebook_runs_cell_by_cell():
    pytest.importorskip("gymnasium")
    notebook = json.loads((EXAMPLES / "tour.ipynb").read_text())
    assert notebook["nbformat"] == 4
    names, told = {}, io.StringIO()
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 6 and len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    for cell in cells:
        *body, last = compile_cell("".join(cell["source"]), cell["id"])
        with contextlib.redirect_stdout(told):
            for part in body:
                exec(part, names)
            shown = eval(last, names) if last is not None else None
        if shown is not None:
            assert shown._repr_png_().startswith(b"\x89PNG"), cell["id"]
    deviation = float(told.getvalue().split("largest deviation from v^2 / (2 mu g):")[1].split()[0])
    assert deviation < 0.05
    assert "episodes of chance" in told.getvalue()


def compile_cell(source, name):
    """Statements of a cell, and the expression at its end that a notebook would show."""
    import ast

    tree = ast.parse(source)
    last = None
    if isinstance(tree.body[-1], ast.Expr) and not ast.unparse(tree.body[-1]).startswith("print("):
        last = compile(ast.Expression(tree.body.pop().value), name, "eval")
    return [compile(tree, name, "exec"), last]


def test_the_heap_spreads_without_friction(tmp_path):
    heap_sweep = load("heap_sweep")
    told = io.StringIO()
    arguments = ["--side", "3", "--backend", "threads", "--journal", str(tmp_path / "journal")]
    with contextlib.redirect_stdout(told):
        table = heap_sweep.main(arguments)
        again = heap_sweep.main(arguments)
    assert len(table) == 9 and list(table) == list(again)
    width = {row["friction"]: row["width"] for row in table}
    assert width[0.05] > width[1.0]


@pytest.fixture
def cluster(monkeypatch):
    ray = pytest.importorskip("ray")
    # Workers find the example where this test found it.
    paths = os.pathsep.join([str(EXAMPLES), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {"env_vars": {"PYTHONPATH": paths}}
    monkeypatch.syspath_prepend(str(EXAMPLES))
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield ray
    ray.shutdown()


def test_training_on_ray_survives_a_killed_worker(cluster, monkeypatch, tmp_path):
    """The policy that comes out is the same to the bit: with one worker or two, and with a worker killed in the middle."""
    pytest.importorskip("gymnasium")
    ray_lander = load("ray_lander")
    alone = np.zeros(ray_lander.SIZE)
    for generation in range(3):
        seeds = [generation * 10_000 + pair for pair in range(6)]
        alone = ray_lander.improve(alone, seeds, ray_lander.rollout(alone, seeds, generation, 120))
    rollout, mark = ray_lander.rollout, tmp_path / "killed"

    def killed_once(center, seeds, seed, steps):
        played = rollout(center, seeds, seed, steps)
        if seed == 1 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return played

    monkeypatch.setattr(ray_lander, "rollout", killed_once)
    told = []
    center = ray_lander.train(3, 6, 2, 120, told=told.append)
    assert len(told) == 3 and mark.exists()
    np.testing.assert_array_equal(center, alone)
