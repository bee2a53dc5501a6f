"""Parameter studies: the same table from every backend, whatever dies on the way."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import threading

import carom
import numpy
import pytest


def drop(angle, friction, seed=0):
    """A small heap whose state after a second hangs on every bit of its parameters."""
    random = numpy.random.default_rng(seed)
    world = carom.World(gravity=(0, -10))
    world.add_body("fixed", shapes=carom.rectangle(40, 1))
    for place in range(6):
        at = (0.3 * float(random.uniform(-1, 1)), 1.0 + 1.1 * place)
        world.add_body(position=at, angle=angle, shapes=carom.rectangle(1, 0.6, friction=friction))
    world.step(n=60)
    return {"hash": world.state_hash, "height": float(world.positions[:, 1].max())}


def die_once(x, mark):
    """Kills its process the first time that it is called for the third set of parameters."""
    if x == 3 and not os.path.exists(mark):
        pathlib.Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return x * x


def die(x):
    os.kill(os.getpid(), signal.SIGKILL)


def fail_at(x, bad):
    if x == bad:
        raise ValueError(f"{x} is bad")
    return x


def slow(x, folder):
    """Notes that it was called."""
    with open(os.path.join(folder, f"{x}"), "a") as file:
        file.write("called\n")
    return x / 3


GRID = {"angle": [0.0, 0.1, 0.7], "friction": [0.1, 0.6]}


@pytest.fixture(scope="module")
def expected():
    return list(carom.sweep(drop, GRID, backend="threads", workers=1, seed=5))


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray")
    # The workers must find this module.
    folder = os.path.dirname(os.path.abspath(__file__))
    environment = {"env_vars": {"PYTHONPATH": folder}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield ray
    ray.shutdown()


@pytest.mark.parametrize(("backend", "workers"), [("threads", 3), ("processes", 1), ("processes", 3)])
def test_backends_agree_to_the_bit(expected, backend, workers):
    assert list(carom.sweep(drop, GRID, backend=backend, workers=workers, seed=5)) == expected
    assert len({row["hash"] for row in expected}) == len(expected)


def test_ray_agrees_to_the_bit(expected, cluster):
    assert list(carom.sweep(drop, GRID, backend="ray", seed=5)) == expected


@pytest.mark.parametrize("backend", ["processes", "ray"])
def test_a_worker_that_is_killed_loses_nothing(backend, tmp_path, request):
    if backend == "ray":
        request.getfixturevalue("cluster")
    mark = str(tmp_path / "mark")
    table = carom.sweep(die_once, [{"x": x, "mark": mark} for x in range(40)], backend=backend, workers=2)
    assert os.path.exists(mark)
    assert table["result"].tolist() == [x * x for x in range(40)]


@pytest.mark.parametrize("backend", ["processes", "ray"])
def test_a_task_that_kills_every_worker_is_named(backend, request):
    if backend == "ray":
        request.getfixturevalue("cluster")
    with pytest.raises(carom.SweepError, match="workers died") as caught:
        carom.sweep(die, {"x": [7]}, backend=backend, workers=2, retries=1)
    assert caught.value.parameters == {"x": 7}


def test_errors_end_the_study_or_are_kept():
    with pytest.raises(carom.SweepError, match="ValueError: 2 is bad") as caught:
        carom.sweep(fail_at, {"x": [1, 2, 3], "bad": [2]}, backend="processes", workers=2)
    assert caught.value.parameters == {"x": 2, "bad": 2}
    table = carom.sweep(fail_at, {"x": [1, 2, 3], "bad": [2]}, backend="threads", errors="keep")
    assert table[1] == {"x": 2, "bad": 2, "error": "ValueError: 2 is bad"}
    assert table[2]["result"] == 3


def calls(folder):
    return {name.name: len(name.read_text().splitlines()) for name in folder.iterdir()}


def test_a_study_goes_on_where_it_was(tmp_path):
    folder, file = tmp_path / "calls", tmp_path / "study.jsonl"
    folder.mkdir()
    grid = {"x": list(range(10)), "folder": [str(folder)]}
    whole = carom.sweep(slow, grid, backend="threads", resume=file)
    assert whole["result"].tolist() == [x / 3 for x in range(10)]
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 11
    # Killed after six results, while it wrote the seventh.
    file.write_bytes(b"".join(lines[:7]) + lines[7][:20])
    again = carom.sweep(slow, grid, backend="threads", resume=file)
    assert list(again) == list(whole)
    assert sorted(calls(folder).values()) == [1] * 6 + [2] * 4
    assert list(carom.sweep(slow, grid, backend="processes", resume=file)) == list(whole)
    assert sum(calls(folder).values()) == 14, "what is done was done again"


def test_a_program_that_is_killed_goes_on_where_it_was(tmp_path):
    folder, file, program = tmp_path / "calls", tmp_path / "study.jsonl", tmp_path / "program.py"
    folder.mkdir()
    program.write_text(
        "import os, signal, carom\n"
        "def work(x):\n"
        f"    with open(os.path.join({str(folder)!r}, str(x)), 'a') as file:\n"
        "        file.write('called\\n')\n"
        f"    if x == 5 and not os.path.exists({str(tmp_path / 'killed')!r}):\n"
        f"        open({str(tmp_path / 'killed')!r}, 'w').close()\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return x / 3\n"
        f"table = carom.sweep(work, {{'x': range(9)}}, backend='threads', workers=1, resume={str(file)!r})\n"
        "print(table['result'].tolist())\n"
    )
    first = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert first.returncode == -signal.SIGKILL
    second = subprocess.run([sys.executable, str(program)], capture_output=True, text=True)
    assert json.loads(second.stdout) == [x / 3 for x in range(9)], second.stderr
    assert calls(folder) == {str(x): 2 if x == 5 else 1 for x in range(9)}


def test_the_file_of_another_study_is_refused(tmp_path):
    file = tmp_path / "study.jsonl"
    carom.sweep(fail_at, {"x": [1], "bad": [0]}, backend="threads", resume=file)
    with pytest.raises(ValueError, match="another study"):
        carom.sweep(fail_at, {"x": [2], "bad": [0]}, backend="threads", resume=file)
    file.write_text("hello\n")
    with pytest.raises(ValueError, match="not the file of a sweep"):
        carom.sweep(fail_at, {"x": [1], "bad": [0]}, backend="threads", resume=file)
    assert file.read_text() == "hello\n"


def test_failed_calls_are_tried_again_when_a_study_goes_on(tmp_path):
    file = tmp_path / "study.jsonl"
    state = {"bad": True}

    def work(x):
        if state["bad"] and x == 1:
            raise OSError("no")
        return x

    kept = carom.sweep(work, {"x": [0, 1]}, backend="threads", errors="keep", resume=file)
    assert kept[1]["error"] == "OSError: no"
    state["bad"] = False
    assert carom.sweep(work, {"x": [0, 1]}, backend="threads", resume=file)["result"].tolist() == [0, 1]


def height(world, n):
    world.step(n=n)
    return float(world.positions[-1, 1])


def test_worlds_are_parameters():
    world = carom.World(gravity=(0, -10))
    world.add_body(position=(0, 3), shapes=carom.circle(0.5))
    before = world.state_hash
    table = carom.sweep(height, [{"world": world, "n": n} for n in (0, 6, 12)], backend="processes", workers=2)
    assert table["result"][0] == 3.0 > table["result"][1] > table["result"][2]
    assert world.state_hash == before


def test_tables_and_seeds():
    table = carom.sweep(drop, {"angle": [0.0], "friction": [0.5, 0.6]}, backend="threads", seed=1)
    assert table.columns == ["angle", "friction", "seed", "hash", "height"]
    assert len(set(table["seed"])) == 2
    with pytest.raises(KeyError, match="no column 'depth'"):
        table["depth"]
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    assert table.to_pandas()["height"].tolist() == table["height"].tolist()
    assert table.to_arrow().column("hash").to_pylist() == table["hash"].tolist()
    assert isinstance(table.to_pandas(), pandas.DataFrame) and isinstance(table.to_arrow(), pyarrow.Table)
    assert len(carom.sweep(drop, [], backend="threads")) == 0
    assert len(carom.sweep(drop, {"angle": [], "friction": [1]})) == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"backend": "gpu"}, "backend must be"),
        ({"workers": 0}, "workers must be"),
        ({"workers": 1.5}, "workers must be"),
        ({"retries": -1}, "retries must be"),
        ({"errors": "no"}, "errors must be"),
        ({"parameters": {"x": 3}}, "parameters: x must be a list"),
        ({"parameters": {"x": "abc"}}, "parameters: x must be a list"),
        ({"parameters": [3]}, r"parameters\[0\] must be a mapping"),
        ({"parameters": {"seed": [3]}, "seed": 1}, "seed of their own|'seed' of their own"),
    ],
)
def test_mistakes_are_named(given, words):
    given = {"parameters": {"x": [1]}, "backend": "threads", **given}
    with pytest.raises(ValueError, match=words):
        carom.sweep(fail_at, **given)


def test_functions_that_cannot_be_sent_are_refused():
    lock = threading.Lock()
    with pytest.raises((ValueError, TypeError), match="cannot be sent|pickle"):
        carom.sweep(lambda x: lock.locked(), {"x": [1]}, backend="processes")


def test_progress_says_how_far_it_is(capsys):
    carom.sweep(fail_at, {"x": [1, 2], "bad": [0]}, backend="threads", progress=True)
    shown = capsys.readouterr().err
    assert "2/2" in shown and shown.endswith("\n")
    carom.sweep(fail_at, {"x": [1, 2], "bad": [0]}, backend="threads")
    assert capsys.readouterr().err == ""
