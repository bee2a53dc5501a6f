"""Learns to land with the rollout workers of a Ray cluster: evolution strategies (T. Salimans and others, 2017).

    python python/examples/ray_lander.py                  # sixty generations; some minutes on two cores
    python python/examples/ray_lander.py --generations 2 --pairs 4 --workers 2

Each worker plays a generation's share of policies in a `carom.gym.LunarLander`, one environment for each. Seeds, not
gradients, travel: a worker that is told a seed makes the same perturbation and plays the same episodes, on any machine. So
a task whose worker died is played again to the same score, and training gives the same bits however many workers there
are.
"""

import argparse

import numpy as np

LAYERS = (8, 16, 4)
SIZE = sum((a + 1) * b for a, b in zip(LAYERS, LAYERS[1:]))
#: Standard deviation of the perturbations, and the length of a step.
SPREAD, RATE = 0.1, 0.05


def act(policies: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """The choice of each policy (a row of weights) for its own observation."""
    values, first = observations, 0
    for layer, (a, b) in enumerate(zip(LAYERS, LAYERS[1:])):
        weights = policies[:, first : first + a * b].reshape(-1, a, b)
        first += a * b
        values = np.einsum("ni,nij->nj", values, weights) + policies[:, first : first + b]
        first += b
        if layer + 2 < len(LAYERS):
            values = np.tanh(values)
    return values.argmax(axis=1)


def perturbed(center: np.ndarray, seeds: "list[int]") -> np.ndarray:
    """A policy on either side of the centre for each seed."""
    noise = np.array([np.random.default_rng(seed).standard_normal(SIZE) for seed in seeds])
    return np.concatenate([center + SPREAD * noise, center - SPREAD * noise])


def play(policies: np.ndarray, seed: int, steps: int) -> np.ndarray:
    """The score of one episode of each policy. All meet the same terrain, so that they can be compared."""
    import carom.gym

    envs = carom.gym.LunarLander(len(policies), autoreset_mode="disabled", max_episode_steps=steps, threads=1)
    observations, _ = envs.reset(seed=[seed] * len(policies))
    scores, going = np.zeros(len(policies)), np.ones(len(policies), dtype=bool)
    while going.any():
        observations, rewards, terminated, truncated, _ = envs.step(act(policies, observations))
        scores += np.where(going, rewards, 0.0)
        over = terminated | truncated
        going &= ~over
        if over.any():
            observations, _ = envs.reset(options={"reset_mask": over})
    return scores


def rollout(center: np.ndarray, seeds: "list[int]", seed: int, steps: int) -> np.ndarray:
    """What a worker does: scores of the policies on either side, one row for each side."""
    return play(perturbed(center, seeds), seed, steps).reshape(2, -1)


def improve(center: np.ndarray, seeds: "list[int]", scores: np.ndarray) -> np.ndarray:
    """A step up the slope that ranks of scores show."""
    ranks = scores.ravel().argsort().argsort().reshape(scores.shape) / (scores.size - 1) - 0.5
    slope = np.zeros(SIZE)
    for seed, weight in zip(seeds, ranks[0] - ranks[1]):
        slope += weight * np.random.default_rng(seed).standard_normal(SIZE)
    return center + RATE / (len(seeds) * SPREAD) * slope


def train(generations: int, pairs: int, workers: int, steps: int, seed: int = 0, told=print) -> np.ndarray:
    """The centre of the last generation. Starts a cluster on this machine if there is none."""
    import ray

    if not ray.is_initialized():
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    # A task whose worker died is done again by another: it depends on its arguments alone.
    remote = ray.remote(max_retries=5)(rollout)
    center = np.zeros(SIZE)
    for generation in range(generations):
        seeds = [(seed * 1_000_000 + generation) * 10_000 + pair for pair in range(pairs)]
        shares = [seeds[first::workers] for first in range(workers)]
        tasks = [remote.remote(center, share, generation, steps) for share in shares if share]
        played = ray.get(tasks)
        scores = np.zeros((2, pairs))
        for first, result in enumerate(played):
            scores[:, first::workers] = result
        center = improve(center, seeds, scores)
        told(f"generation {generation}: mean score {scores.mean():.1f}, best {scores.max():.1f}")
    return center


def main(arguments: "list[str] | None" = None) -> np.ndarray:
    """Trains as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--generations", type=int, default=60)
    parser.add_argument("--pairs", type=int, default=64, help="policies on either side of the centre")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--steps", type=int, default=400, help="most steps of an episode")
    given = parser.parse_args(arguments)
    return train(given.generations, given.pairs, given.workers, given.steps)


if __name__ == "__main__":
    main()
