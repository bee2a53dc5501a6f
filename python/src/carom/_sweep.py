"""Parameter studies: one function, many sets of parameters, any number of workers.

What a call returns depends on its parameters alone, and the rows of the table stand in the order of the parameters, so a
study gives the same bits on threads, processes and the workers of a Ray cluster, however many there are. Workers may die:
what they had not returned is done again, and a result counts once, whoever returned it.
"""

from __future__ import annotations

import base64
import collections
import concurrent.futures
import hashlib
import io
import itertools
import json
import multiprocessing
import os
import pickle
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from multiprocessing import connection
from typing import Any

import numpy

#: Tasks of one message to a Ray worker: the cost of a message is shared by as many, and as many are done again if it dies.
_MOST_OF_RAY = 64


class SweepError(RuntimeError):
    """A call that raised, or a task whose workers died too often; `parameters` are those of the call."""

    def __init__(self, message: str, parameters: Mapping[str, Any]) -> None:
        super().__init__(message, parameters)
        self.parameters = dict(parameters)

    def __str__(self) -> str:
        return str(self.args[0])


class Table(Sequence[dict[str, Any]]):
    """The rows of a sweep, in the order of the parameters: a row is a dict of parameters and results.

    >>> import carom
    >>> table = carom.sweep(lambda x: x * x, {"x": [1, 2, 3]}, backend="threads")
    >>> table["result"]
    array([1, 4, 9])
    >>> table[1]
    {'x': 2, 'result': 4}
    """

    def __init__(self, rows: Iterable[dict[str, Any]]) -> None:
        self._rows = list(rows)

    @property
    def columns(self) -> list[str]:
        """The names of the columns, parameters first."""
        names: dict[str, None] = {}
        for row in self._rows:
            names.update(dict.fromkeys(row))
        return list(names)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._rows)

    def __getitem__(self, key: Any) -> Any:
        """A row by its number, or a column as a NumPy array by its name."""
        if not isinstance(key, str):
            return self._rows[key]
        if key not in self.columns:
            raise KeyError(f"no column {key!r}; there are {', '.join(self.columns)}")
        return numpy.array([row.get(key) for row in self._rows])

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`."""
        import pandas

        return pandas.DataFrame(self._rows, columns=self.columns)

    def to_arrow(self) -> Any:
        """A `pyarrow.Table`."""
        import pyarrow

        return pyarrow.table({name: [row.get(name) for row in self._rows] for name in self.columns})

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows: {', '.join(self.columns)}>"


def _lay_out(parameters: Any) -> list[dict[str, Any]]:
    """Sets of parameters: all combinations of a mapping of lists, or those of a list of mappings."""
    if isinstance(parameters, Mapping):
        for name, values in parameters.items():
            if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
                raise ValueError(f"parameters: {name} must be a list of values, not {values!r}")
        names = list(parameters)
        return [dict(zip(names, values)) for values in itertools.product(*parameters.values())]
    sets = []
    for place, given in enumerate(parameters):
        if not isinstance(given, Mapping):
            raise ValueError(f"parameters[{place}] must be a mapping of names to values, not {given!r}")
        sets.append(dict(given))
    return sets


def _seeds(seed: int, count: int) -> list[int]:
    """A seed for each task, which hangs on the study's seed and the place of the task alone."""
    return [int(child.generate_state(1, numpy.uint64)[0] >> 1) for child in numpy.random.SeedSequence(seed).spawn(count)]


def _dumps(thing: Any) -> bytes:
    """Pickles what is sent to workers; by cloudpickle, which takes functions of a notebook, where that is installed."""
    try:
        import cloudpickle
    except ImportError:
        try:
            return pickle.dumps(thing)
        except Exception as error:
            raise ValueError(
                f"the function cannot be sent to other processes ({error}): define it at the top of a module, or install cloudpickle"
            ) from error
    return bytes(cloudpickle.dumps(thing))


def _call(function: Callable[..., Any], parameters: Mapping[str, Any]) -> tuple[bool, Any]:
    """What a call returned, or the text of what it raised."""
    try:
        return True, function(**parameters)
    except Exception as error:
        return False, f"{type(error).__name__}: {error}"


class _Journal:
    """The results so far, in a file: a line for each, and a first line that names the study.

    A line is whole or is not counted: the process may be killed while it writes.
    """

    def __init__(self, path: str | os.PathLike[str], name: str, tasks: Sequence[Mapping[str, Any]]) -> None:
        study = hashlib.sha256(name.encode())
        for task in tasks:
            study.update(pickle.dumps(sorted(task.items()), protocol=4))
        self.header = {"carom": "sweep", "version": 1, "function": name, "tasks": len(tasks), "study": study.hexdigest()}
        self.path = os.fspath(path)
        self.lock = threading.Lock()
        self.done: dict[int, tuple[bool, Any]] = {}
        if os.path.exists(self.path) and os.path.getsize(self.path) > 0:
            whole = self._read()
            self.file: io.TextIOWrapper = open(self.path, "r+", encoding="ascii", newline="\n")
            self.file.seek(whole)
            self.file.truncate()
        else:
            self.file = open(self.path, "w", encoding="ascii", newline="\n")
            self._write(json.dumps(self.header))

    def _read(self) -> int:
        """Reads what was done; returns where the last whole line ends."""
        with open(self.path, "rb") as file:
            data = file.read()
        lines = data.split(b"\n")
        try:
            header = json.loads(lines[0])
        except ValueError:
            header = None
        if not isinstance(header, dict) or header.get("carom") != "sweep":
            raise ValueError(f"{self.path} is not the file of a sweep: remove it, or name another one for resume")
        if header != self.header:
            raise ValueError(
                f"{self.path} is of another study ({header.get('function')}, {header.get('tasks')} tasks): "
                "the function and all parameters must be the same to go on; name another file"
            )
        end = len(lines[0]) + 1
        for line in lines[1:-1]:
            try:
                index, good, check, text = json.loads(line)
                value = base64.b64decode(text, validate=True)
                if zlib.crc32(value) != check or not 0 <= index < self.header["tasks"]:
                    break
                self.done[index] = (bool(good), pickle.loads(value))
            except Exception:
                break
            end += len(line) + 1
        return end

    def _write(self, line: str) -> None:
        self.file.write(line + "\n")
        self.file.flush()

    def add(self, index: int, good: bool, value: Any) -> None:
        data = pickle.dumps(value)
        line = json.dumps([index, good, zlib.crc32(data), base64.b64encode(data).decode()])
        with self.lock:
            self._write(line)

    def close(self) -> None:
        self.file.close()


class _Progress:
    """A line on standard error that says how far the study is; on a terminal only, unless it is asked for."""

    def __init__(self, total: int, done: int, wanted: bool | None) -> None:
        self.wanted = sys.stderr.isatty() if wanted is None else wanted
        self.total, self.before, self.done = total, done, done
        self.start, self.shown = time.monotonic(), -1.0

    def add(self) -> None:
        self.done += 1
        now = time.monotonic()
        if self.wanted and (now - self.shown > 0.2 or self.done == self.total):
            self.shown = now
            rate = (self.done - self.before) / max(now - self.start, 1.0e-9)
            left = (self.total - self.done) / rate
            filled = 30 * self.done // self.total
            bar = "#" * filled + "." * (30 - filled)
            sys.stderr.write(f"\r[{bar}] {self.done}/{self.total}, {rate:.1f}/s, {left:.0f} s left  ")
            sys.stderr.flush()

    def close(self) -> None:
        if self.wanted and self.shown >= 0.0:
            sys.stderr.write("\n")


# What a worker returned: the place of the task, whether the call went well, and its value or the text of its error.
_Answers = Iterator[tuple[int, bool, Any]]


def _on_threads(
    function: Callable[..., Any],
    tasks: Mapping[int, Mapping[str, Any]],
    workers: int,
    keep: Callable[[int, bool, Any], None],
) -> _Answers:
    """Threads of this process: `World.step` lets others run. A thread keeps its result before it takes the next task, so that
    nothing is lost if the process is killed then."""

    def work(index: int, task: Mapping[str, Any]) -> tuple[bool, Any]:
        good, value = _call(function, task)
        keep(index, good, value)
        return good, value

    pool = concurrent.futures.ThreadPoolExecutor(workers)
    try:
        futures = {pool.submit(work, index, task): index for index, task in tasks.items()}
        for future in concurrent.futures.as_completed(futures):
            yield futures[future], *future.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _serve(pipe: connection.Connection) -> None:
    """The loop of a worker process."""
    try:
        function = pickle.loads(pipe.recv_bytes())
        while True:
            task = pickle.loads(pipe.recv_bytes())
            if task is None:
                return
            good, value = _call(function, task)
            try:
                data = pickle.dumps((good, value))
            except Exception as error:
                data = pickle.dumps((False, f"what the function returned cannot be sent back: {error}"))
            pipe.send_bytes(data)
    except (EOFError, KeyboardInterrupt):
        return


class _Worker:
    """A process and the task it has."""

    def __init__(self, function: bytes) -> None:
        # Spawned, not forked: the engine's threads would not be there in a fork.
        context = multiprocessing.get_context("spawn")
        self.pipe, far = context.Pipe()
        self.process = context.Process(target=_serve, args=(far,), daemon=True)
        self.process.start()
        far.close()
        self.index = -1
        self.pipe.send_bytes(function)

    def give(self, index: int, task: Mapping[str, Any]) -> None:
        self.index = index
        self.pipe.send_bytes(_dumps(dict(task)))

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _on_processes(
    function: Callable[..., Any], tasks: Mapping[int, Mapping[str, Any]], workers: int, retries: int
) -> _Answers:
    """Processes of this machine. That which dies is replaced, and its task given to another."""
    sent = _dumps(function)
    waiting = collections.deque(tasks)
    lost: collections.Counter[int] = collections.Counter()
    crew: list[_Worker] = []
    try:
        while waiting or any(worker.index >= 0 for worker in crew):
            while len(crew) < min(workers, len(waiting) + sum(worker.index >= 0 for worker in crew)):
                crew.append(_Worker(sent))
            for worker in crew:
                if worker.index < 0 and waiting:
                    index = waiting.popleft()
                    try:
                        worker.give(index, tasks[index])
                    except OSError:
                        pass  # it died; its pipe says so below
            by_pipe = {worker.pipe: worker for worker in crew}
            for pipe in connection.wait(list(by_pipe)):
                worker = by_pipe[pipe]  # type: ignore[index]
                index, worker.index = worker.index, -1
                try:
                    answer = pickle.loads(worker.pipe.recv_bytes())
                except (EOFError, OSError):
                    worker.stop()
                    crew.remove(worker)
                    if index >= 0:
                        lost[index] += 1
                        if lost[index] > retries:
                            code = worker.process.exitcode
                            raise SweepError(f"{lost[index]} workers died (exit code {code}) over {tasks[index]}", tasks[index]) from None
                        waiting.appendleft(index)
                    elif worker.process.exitcode not in (0, None):
                        lost[-1] += 1
                        if lost[-1] > retries:
                            raise SweepError("worker processes end before they take a task: can the function be imported there?", {}) from None
                    continue
                yield index, *answer
    finally:
        for worker in crew:
            worker.stop()


def _on_ray(function: Callable[..., Any], tasks: Mapping[int, Mapping[str, Any]], workers: int | None, retries: int) -> _Answers:
    """The workers of a Ray cluster: the one that is connected, else that of `RAY_ADDRESS`, else one of this machine."""
    try:
        import ray
    except ImportError as error:
        raise ValueError("backend 'ray' needs Ray: pip install ray") from error
    mine = not ray.is_initialized()
    if mine:
        ray.init(num_cpus=workers, log_to_driver=False, include_dashboard=False)
    shared = ray.put(_dumps(function))

    @ray.remote(max_retries=0)
    def run(sent: bytes, batch: bytes) -> bytes:
        known = pickle.loads(sent)
        return _dumps([_call(known, task) for task in pickle.loads(batch)])

    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call, unused-ignore]
    slots = max(1, int(resources.get("CPU", 1)))
    slots = slots if workers is None else min(slots, workers)
    size = max(1, min(_MOST_OF_RAY, len(tasks) // (8 * slots)))
    order = list(tasks)
    waiting = collections.deque(order[first : first + size] for first in range(0, len(order), size))
    lost: collections.Counter[int] = collections.Counter()
    running: dict[Any, list[int]] = {}
    try:
        while waiting or running:
            while waiting and len(running) < 2 * slots:
                batch = waiting.popleft()
                running[run.remote(shared, _dumps([dict(tasks[index]) for index in batch]))] = batch
            ready, _ = ray.wait(list(running), num_returns=1)
            batch = running.pop(ready[0])
            try:
                answers = pickle.loads(ray.get(ready[0]))
            except (ray.exceptions.RayTaskError,) as error:
                raise SweepError(f"a task cannot be run by Ray: {error}", tasks[batch[0]]) from error
            except ray.exceptions.RayError as error:
                # A worker or its node died. One task at a time from here on, so that the one to blame shows.
                for index in batch:
                    lost[index] += 1
                    if lost[index] > retries:
                        raise SweepError(f"{lost[index]} workers died over {tasks[index]}: {error}", tasks[index]) from error
                waiting.extendleft([index] for index in reversed(batch))
                continue
            for index, (good, value) in zip(batch, answers):
                yield index, good, value
    finally:
        for reference in running:
            ray.cancel(reference, force=True)
        if mine:
            ray.shutdown()


def _cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _as_columns(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {"result": value}


def sweep(
    function: Callable[..., Any],
    parameters: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]],
    *,
    backend: str = "processes",
    workers: int | None = None,
    seed: int | None = None,
    resume: str | os.PathLike[str] | None = None,
    retries: int = 3,
    errors: str = "raise",
    progress: bool | None = None,
) -> Table:
    """Calls a function with many sets of parameters and returns a table of what it returned.

    >>> import carom
    >>> def slide(friction, speed):
    ...     world = carom.World(gravity=(0, -10))
    ...     world.add_body("fixed", shapes=carom.rectangle(100, 1, friction=friction))
    ...     box = world.add_body(position=(0, 1), velocity=(speed, 0), shapes=carom.rectangle(1, 1, friction=friction))
    ...     world.step(n=240)
    ...     return {"distance": box.position.x}
    >>> table = carom.sweep(slide, {"friction": [0.2, 0.4], "speed": [1, 2]}, backend="threads")
    >>> table.columns
    ['friction', 'speed', 'distance']
    >>> len(table)
    4

    `parameters` is a mapping of lists, of which all combinations are run, the last name fastest, or a list of mappings.
    Worlds can be parameters, too.
    `function` is called with them as keywords; of a mapping that it returns each entry becomes a column, of anything else the
    column `result`. What it returns must depend on its parameters alone: then so does the table, to the last bit.
    With `seed`, each call has one more keyword `seed`, which depends on this number and the place of the call in the study.

    `backend` is `"threads"` (functions that mostly step worlds), `"processes"`, or `"ray"`, the workers of a Ray cluster;
    `workers` is how many, by default one for each core. A worker that dies is replaced and its task is done again, at most
    `retries` times.
    `resume` names a file that keeps what is done, so that a study that was interrupted goes on where it was. It holds pickles:
    use your own files only.
    A call that raises ends the study with `SweepError`; with `errors="keep"` its row has the column `error` instead.
    `progress` is shown on terminals, unless it is said whether.
    """
    if backend not in ("threads", "processes", "ray"):
        raise ValueError(f"backend must be 'threads', 'processes' or 'ray', not {backend!r}")
    if errors not in ("raise", "keep"):
        raise ValueError(f"errors must be 'raise' or 'keep', not {errors!r}")
    if workers is not None and (isinstance(workers, bool) or not isinstance(workers, int) or workers < 1):
        raise ValueError(f"workers must be a whole number of at least 1, not {workers!r}")
    if isinstance(retries, bool) or not isinstance(retries, int) or retries < 0:
        raise ValueError(f"retries must be a whole number of at least 0, not {retries!r}")
    sets = _lay_out(parameters)
    tasks = sets
    if seed is not None:
        if any("seed" in task for task in sets):
            raise ValueError("seed: the parameters have a 'seed' of their own; give one or the other")
        tasks = [{**task, "seed": own} for task, own in zip(sets, _seeds(seed, len(sets)))]

    name = f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__qualname__)}"
    journal = _Journal(resume, name, tasks) if resume is not None else None
    known = journal.done if journal else {}
    done = {index: answer for index, answer in known.items() if answer[0] or errors == "keep"}
    left = {index: task for index, task in enumerate(tasks) if index not in done}
    shown = _Progress(len(tasks), len(done), progress)
    count = _cores() if workers is None else workers
    answers: _Answers = iter(())

    def keep(index: int, good: bool, value: Any) -> None:
        if journal and (good or errors == "keep"):
            journal.add(index, good, value)

    if left and backend == "threads":
        answers = _on_threads(function, left, count, keep)
    elif left and backend == "processes":
        answers = _on_processes(function, left, count, retries)
    elif left:
        answers = _on_ray(function, left, workers, retries)
    try:
        for index, good, value in answers:
            if index in done:
                continue
            if not good and errors == "raise":
                raise SweepError(f"{name} with {tasks[index]} raised {value}", tasks[index])
            done[index] = good, value
            if backend != "threads":
                keep(index, good, value)
            shown.add()
    finally:
        if hasattr(answers, "close"):
            answers.close()
        if journal:
            journal.close()
        shown.close()
    rows = []
    for index, task in enumerate(tasks):
        good, value = done[index]
        rows.append({**task, **(_as_columns(value) if good else {"error": value})})
    return Table(rows)
