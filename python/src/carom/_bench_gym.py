"""One contender of `python -m carom.bench gym`, in a process of its own: prints steps and CPU seconds as JSON.

This file imports nothing of carom unless it is asked to, so that an interpreter with stock Box2D or EnvPool can run it.
"""

import json
import sys
import time
import warnings
from typing import Any

import numpy as np

NAMES = {"lander": "LunarLander", "walker": "BipedalWalker"}


def actions_of(name: str, count: int) -> Any:
    """Random actions, drawn before the clock starts."""
    random = np.random.default_rng(1)
    if name == "lander":
        return random.integers(0, 4, size=(512, count))
    return random.uniform(-1, 1, size=(512, count, 4)).astype(np.float32)


def unmodified(name: str, seconds: float) -> "tuple[int, float]":
    """Gymnasium's own environment on the module Box2D of this interpreter."""
    import gymnasium

    env = gymnasium.make(f"{NAMES[name]}-v3", disable_env_checker=True).unwrapped
    drawn = actions_of(name, 1)[:, 0]
    env.reset(seed=1)
    steps, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        for action in drawn:
            *_, terminated, _, _ = env.step(action)
            if terminated:
                env.reset()
        steps += len(drawn)
    return steps, time.process_time() - start


def batch(envs: Any, name: str, count: int, seconds: float) -> "tuple[int, float]":
    """A vector environment."""
    drawn = actions_of(name, count)
    envs.reset()
    steps, start = 0, time.process_time()
    while time.process_time() - start < seconds:
        for action in drawn[:64]:
            envs.step(action)
        steps += 64 * count
    return steps, time.process_time() - start


def native(name: str, seconds: float, count: int = 64) -> "tuple[int, float]":
    """`carom.gym`, on one thread."""
    import carom.gym

    return batch(getattr(carom.gym, NAMES[name])(count, threads=1), name, count, seconds)


def envpool(name: str, seconds: float, count: int = 64) -> "tuple[int, float]":
    """EnvPool, on one thread."""
    import envpool as pool

    # EnvPool has the second version of the lander, or the third by now.
    known = sorted(task for task in pool.list_all_envs() if task.startswith(f"{NAMES[name]}-v"))
    envs = pool.make_gymnasium(known[-1], num_envs=count, num_threads=1, seed=1)
    return batch(envs, name, count, seconds)


def main() -> None:
    """Runs the contender of the command line for so many CPU seconds."""
    warnings.simplefilter("ignore")
    contender, name, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    steps, spent = {"unmodified": unmodified, "native": native, "envpool": envpool}[contender](name, seconds)
    print(json.dumps({"steps": steps, "cpu_seconds": spent}))


if __name__ == "__main__":
    main()
