"""Gymnasium's Box2D environments, unmodified, on this module."""

import hashlib
import subprocess
import sys
import warnings

import Box2D
import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pygame")
from gymnasium.envs.box2d.lunar_lander import heuristic  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

ALL = [
    ("LunarLander-v3", {}),
    ("LunarLander-v3", {"continuous": True}),
    ("LunarLander-v3", {"enable_wind": True}),
    ("BipedalWalker-v3", {}),
    ("BipedalWalker-v3", {"hardcore": True}),
    ("CarRacing-v3", {}),
    ("CarRacing-v3", {"continuous": False}),
]
IDS = [f"{name}-{''.join(keywords)}" for name, keywords in ALL]


def make(name, keywords, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gymnasium.make(name, **keywords, **more)


def test_the_module_is_ours():
    assert Box2D.__author__ == "carom"


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "keywords"), ALL, ids=IDS)
def test_gymnasiums_own_check(name, keywords):
    env = make(name, keywords).unwrapped
    check_env(env, skip_render_check=True)
    env.close()


@pytest.mark.parametrize(("name", "keywords"), ALL, ids=IDS)
def test_pictures_are_drawn(name, keywords):
    env = make(name, keywords, render_mode="rgb_array")
    env.reset(seed=1)
    env.action_space.seed(1)
    for _ in range(20):
        env.step(env.action_space.sample())
    picture = env.render()
    assert picture.ndim == 3 and picture.std() > 5
    env.close()


def trace(name, keywords, seed, steps=120):
    """A hash of what an environment shows and pays, for random actions; twice in the same environment."""
    env = make(name, keywords)
    hashes = []
    for _ in range(2):
        digest = hashlib.sha256()
        observation, _ = env.reset(seed=seed)
        env.action_space.seed(seed)
        for _ in range(steps):
            digest.update(np.ascontiguousarray(observation).tobytes())
            observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
            digest.update(np.float64(reward).tobytes())
            if terminated or truncated:
                break
        hashes.append(digest.hexdigest())
    env.close()
    return hashes


@pytest.mark.parametrize(("name", "keywords"), ALL[:5], ids=IDS[:5])
def test_a_seed_gives_the_same_bits_every_time(name, keywords):
    program = f"import test_gymnasium as t; [print(*t.trace({name!r}, {keywords!r}, s)) for s in range(5)]"
    here = __file__.rpartition("/")[0]
    told = subprocess.run([sys.executable, "-W", "ignore", "-c", program], cwd=here, capture_output=True, text=True)
    assert told.returncode == 0, told.stderr
    elsewhere = [line.split() for line in told.stdout.splitlines()]
    for seed in (3, 1, 4, 0, 2):
        first, second = trace(name, keywords, seed)
        assert first == second and elsewhere[seed] == [first, first]


def test_a_seed_gives_the_same_bits_on_the_road():
    first, second = trace("CarRacing-v3", {}, 5, steps=60)
    assert first == second


def land(env, seed):
    """Reward of an episode by the heuristic, and whether the lander came to rest."""
    observation, _ = env.reset(seed=seed)
    total = 0.0
    for _ in range(1000):
        observation, reward, terminated, _, _ = env.step(heuristic(env, observation))
        total += reward
        if terminated:
            break
    return total, terminated and reward == 100


@pytest.mark.parametrize(("continuous", "mean", "landings"), [(False, 243.4, 0.931), (True, 283.8, None)])
def test_the_lander_plays_the_same_game(continuous, mean, landings):
    """Over 1,000 seeds stock Box2D scores 243.4 (landing 93.1 %) and, continuous, 283.8; the bands are 12 and 3.4 points.

    Of 200 seeds the mean itself scatters: by the standard deviation of the scores over the root of 200, of which three
    are allowed for on top.
    """
    env = make("LunarLander-v3", {"continuous": continuous}).unwrapped
    results = [land(env, seed) for seed in range(200)]
    scores = np.array([score for score, _ in results])
    landed = np.mean([down for _, down in results])
    scatter = scores.std() / len(scores) ** 0.5
    assert abs(scores.mean() - mean) < 12 + 3 * scatter
    if landings is not None:
        assert abs(landed - landings) < 0.034 + 3 * (landings * (1 - landings) / len(scores)) ** 0.5


def walk(env, seed):
    """Reward of an episode of the walker's heuristic, and how many steps it took."""
    from gymnasium.envs.box2d.bipedal_walker import BipedalWalkerHeuristics

    heuristics = BipedalWalkerHeuristics()
    heuristics.a = np.zeros(4)
    observation, _ = env.reset(seed=seed)
    total = 0.0
    for step in range(1600):
        observation, reward, terminated, _, _ = env.step(heuristics.step_heuristic(observation))
        total += reward
        if terminated:
            break
    return total, step + 1


def test_the_walker_plays_the_same_game():
    """Over 250 seeds of stock Box2D nine tenths of the heuristic's scores lie above -72 and nine tenths below 309, and none
    falls within its first 100 steps, in which it gets up from the pose that its joints were closed to."""
    env = make("BipedalWalker-v3", {}).unwrapped
    scores, steps = np.array([walk(env, seed) for seed in range(20)]).T
    assert steps.min() > 100
    assert -72 < np.median(scores) < 309 and -72 < scores.mean() < 309
    assert np.mean(scores > -72) > 0.6


def test_the_walker_starts_on_folded_legs():
    """As on stock Box2D, whose walkers start between 5.6 and 5.85 m with knees that give way backwards."""
    env = make("BipedalWalker-v3", {}).unwrapped
    for seed in range(5):
        env.reset(seed=seed)
        feet = [min((leg.transform * corner)[1] for corner in leg.fixtures[0].shape.vertices) for leg in env.legs[1::2]]
        ground = 400 / 30 / 4
        assert all(abs(foot - ground) < 0.02 for foot in feet)
        assert 5.6 < env.hull.position.y < 5.85
        assert all(-1.2 < joint.angle < -0.4 for joint in env.joints[1::2])
        assert abs(env.hull.linearVelocity.x) < 0.3
        for joint in env.joints:
            assert (joint.anchorA - joint.anchorB).length < 0.01
