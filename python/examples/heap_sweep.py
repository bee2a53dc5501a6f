"""How friction and stiffness decide how high a heap stands: a study of 10,000 worlds on a Ray cluster.

    python python/examples/heap_sweep.py                     # 100 x 100 worlds on this machine's cluster
    python python/examples/heap_sweep.py --side 10 --backend processes

An interrupted study goes on where it was: what is done stands in heap_sweep.journal.
"""

import argparse

import carom
import numpy as np


def heap(friction: float, stiffness: float) -> dict[str, float]:
    """Pours thirty balls and boxes into a heap; returns its height and width, in metres."""
    world = carom.World(contact_hertz=stiffness)
    world.add_body("fixed", shapes=carom.rectangle(60, 1, friction=friction))
    for index in range(30):
        shape = carom.circle if index % 3 == 0 else lambda size, **more: carom.rectangle(2 * size, size, **more)
        world.add_body(
            position=(0.15 * (index % 5 - 2), 1.5 + 0.9 * index), angle=0.4 * index, shapes=shape(0.4, friction=friction)
        )
    world.step(n=600)
    positions = world.positions[1:]
    return {"height": float(positions[:, 1].max()), "width": float(np.ptp(positions[:, 0]))}


def main(arguments: "list[str] | None" = None) -> carom.Table:
    """Runs the study of the command line and prints what friction does."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=100, help="how many values of each")
    parser.add_argument("--backend", choices=["threads", "processes", "ray"], default="ray")
    parser.add_argument("--workers", type=int)
    parser.add_argument("--journal", default="heap_sweep.journal", help="keeps what is done")
    given = parser.parse_args(arguments)
    parameters = {
        "friction": np.linspace(0.05, 1.0, given.side).tolist(),
        "stiffness": np.geomspace(10.0, 60.0, given.side).tolist(),
    }
    table = carom.sweep(heap, parameters, backend=given.backend, workers=given.workers, resume=given.journal)
    heights, frictions = table["height"], table["friction"]
    for low, high in ((0.0, 0.3), (0.3, 0.6), (0.6, 1.01)):
        among = (low <= frictions) & (frictions < high)
        if among.any():
            print(f"friction {low:.1f} to {high:.1f}: {among.sum()} heaps, {heights[among].mean():.2f} m high on average")
    return table


if __name__ == "__main__":
    main()
