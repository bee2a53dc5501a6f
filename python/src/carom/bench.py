"""`python -m carom.bench gym`: steps per CPU second of Gymnasium's environments, beside stock Box2D and EnvPool.

Only one module Box2D fits into an environment of Python, so stock Box2D and EnvPool are run by another interpreter, which
`--stock` names: one with gymnasium, pygame, box2d and perhaps envpool. Contenders take turns, and the best of their rounds
counts.
"""

import argparse
import json
import pathlib
import subprocess
import sys

_PROGRAM = pathlib.Path(__file__).with_name("_bench_gym.py")

#: Who runs where: the name, the contender of the program, and whether the other interpreter runs it.
_CONTENDERS = [
    ("stock Box2D, unmodified", "unmodified", True),
    ("EnvPool", "envpool", True),
    ("carom's Box2D, unmodified", "unmodified", False),
    ("carom.gym", "native", False),
]


def measure(python: str, contender: str, game: str, seconds: float) -> "float | str":
    """Steps per CPU second, or why there are none."""
    command = [python, str(_PROGRAM), contender, game, str(seconds)]
    told = subprocess.run(command, capture_output=True, text=True)
    if told.returncode != 0:
        return (told.stderr.strip().splitlines() or ["it failed"])[-1]
    result = json.loads(told.stdout.strip().splitlines()[-1])
    return float(result["steps"] / result["cpu_seconds"])


def compare(game: str, stock: "str | None", seconds: float, rounds: int) -> "dict[str, float | str]":
    """Steps per CPU second of each contender."""
    best: dict[str, float | str] = {}
    for _ in range(rounds):
        for name, contender, elsewhere in _CONTENDERS:
            python = stock if elsewhere else sys.executable
            if python is None or isinstance(best.get(name), str):
                continue
            found = measure(python, contender, game, seconds)
            known = best.get(name)
            if not (isinstance(known, float) and isinstance(found, float) and found < known):
                best[name] = found
    return best


def main(arguments: "list[str] | None" = None) -> int:
    """Does what the command line says; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m carom.bench", description="Measures speed.")
    parser.add_argument("what", choices=["gym"], help="Gymnasium's environments")
    parser.add_argument("--stock", metavar="PYTHON", help="an interpreter with stock Box2D, and perhaps EnvPool")
    parser.add_argument("--seconds", type=float, default=2.0, help="CPU seconds of a round")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    whole = {game: compare(game, given.stock, given.seconds, given.rounds) for game in ("lander", "walker")}
    if given.json:
        print(json.dumps(whole))
        return 0
    for game, best in whole.items():
        base = best.get(_CONTENDERS[0][0])
        print(f"{game}: steps per CPU second")
        for name, found in best.items():
            if isinstance(found, str):
                print(f"  {name:28} -         {found}")
            else:
                ratio = f"{found / base:8.2f} x stock" if isinstance(base, float) else ""
                print(f"  {name:28} {found:9.0f} {ratio}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
