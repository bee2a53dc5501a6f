"""`carom.gym` plays the game that Gymnasium's unmodified environments play on the module Box2D."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("Box2D")

import carom.gym  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

KINDS = {
    "lander": ("LunarLander", "LunarLander-v3", {}),
    "continuous": ("LunarLander", "LunarLander-v3", {"continuous": True}),
    "wind": ("LunarLander", "LunarLander-v3", {"enable_wind": True, "wind_power": 12.0}),
    "continuous wind": ("LunarLander", "LunarLander-v3", {"continuous": True, "enable_wind": True, "gravity": -8.0}),
    "walker": ("BipedalWalker", "BipedalWalker-v3", {}),
    "hardcore": ("BipedalWalker", "BipedalWalker-v3", {"hardcore": True}),
}


def single(kind, **more):
    """Gymnasium's own environment."""
    _, name, settings = KINDS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gymnasium.make(name, disable_env_checker=True, **settings, **more).unwrapped


def batch(kind, count, **more):
    entry, _, settings = KINDS[kind]
    return getattr(carom.gym, entry)(count, **settings, **more)


@pytest.mark.parametrize("kind", KINDS)
def test_episodes_are_those_of_the_unmodified_environments(kind):
    """Observations and rewards agree to 1e-4 over whole episodes, and so do their ends."""
    count, most = 8, 1000 if "LunarLander" in KINDS[kind] else 400
    envs = batch(kind, count, autoreset_mode=AutoresetMode.DISABLED)
    envs.action_space.seed(5)
    # Seeds of a kind of their own: a fault in one terrain would not show in others.
    first = 100 * list(KINDS).index(kind)
    ours, _ = envs.reset(seed=first)
    theirs = [single(kind) for _ in range(count)]
    for index, env in enumerate(theirs):
        np.testing.assert_allclose(ours[index], env.reset(seed=first + index)[0], atol=1e-4)
    going = np.ones(count, dtype=bool)
    ended = 0
    for step in range(most):
        actions = envs.action_space.sample()
        if "lander" in kind and step % 3:
            actions[:] = 2 if actions.ndim == 1 else actions
        ours, rewards, terminated, truncated, _ = envs.step(actions)
        for index in np.flatnonzero(going):
            seen, reward, over, _, _ = theirs[index].step(actions[index])
            np.testing.assert_allclose(ours[index], seen, atol=1e-4, err_msg=f"{kind} {index} at step {step}")
            assert abs(rewards[index] - reward) < 1e-4
            assert bool(terminated[index]) == over
            if over:
                going[index], ended = False, ended + 1
        if terminated.any() or truncated.any():
            envs.reset(options={"reset_mask": terminated | truncated})
        if not going.any():
            break
    assert ended > count // 2 or "walker" in kind or kind == "hardcore"


def test_the_world_itself_is_the_same():
    """To the bit, not only what is shown of it."""
    for kind in ("lander", "walker"):
        envs = batch(kind, 3, autoreset_mode="disabled")
        envs.reset(seed=9)
        for index in range(3):
            env = single(kind)
            env.reset(seed=9 + index)
            assert env.world.state_hash == envs.state_hashes[index]


def test_an_episode_that_ended_is_followed_by_another():
    """The two modes hand out the same episodes, with the last observation in other places."""
    count, steps = 4, 400
    following, same = batch("lander", count), batch("lander", count, autoreset_mode="SameStep")
    assert following.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    told = {}
    for name, envs in (("next", following), ("same", same)):
        # Nothing but falling: an action that both modes take whenever episodes begin.
        seen, _ = envs.reset(seed=3)
        episodes = [[[row.copy()]] for row in seen]
        ends = 0
        for _ in range(steps):
            before = [episode[-1] for episode in episodes]
            seen, rewards, terminated, truncated, infos = envs.step(np.zeros(count, dtype=np.int64))
            over = terminated | truncated
            ends += over.sum()
            for index in range(count):
                if name == "same" and over[index]:
                    assert infos["_final_obs"][index]
                    before[index].append(infos["final_obs"][index])
                    episodes[index].append([seen[index]])
                elif name == "next" and len(before[index]) > 1 and before[index][-1] is None:
                    assert rewards[index] == 0 and not over[index]
                    before[index].pop()
                    episodes[index].append([seen[index]])
                else:
                    before[index].append(seen[index])
                    if name == "next" and over[index]:
                        before[index].append(None)
        assert ends >= 2 * count
        told[name] = [[np.array(part) for part in episode[:2]] for episode in episodes]
    for one, two in zip(told["next"], told["same"]):
        for first, second in zip(one, two):
            np.testing.assert_array_equal(first, second)


def test_episodes_are_cut_after_their_time():
    envs = batch("lander", 2, max_episode_steps=5)
    envs.reset(seed=1)
    for step in range(5):
        *_, terminated, truncated, _ = envs.step(np.array([0, 0]))
        assert not terminated.any() and truncated.all() == (step == 4)
    *_, truncated, _ = envs.step(np.array([0, 0]))
    assert not truncated.any()


@pytest.mark.parametrize("kind", ["wind", "walker"])
def test_threads_and_processes_change_no_bit(kind):
    def run(threads):
        envs = batch(kind, 9, threads=threads)
        envs.action_space.seed(1)
        envs.reset(seed=40)
        for _ in range(60):
            envs.step(envs.action_space.sample())
        return envs.state_hashes

    hashes = run(1)
    assert hashes == run(3) == run(None) and len(set(hashes)) == 9
    program = f"import test_gym as t; e = t.batch({kind!r}, 9); e.action_space.seed(1); e.reset(seed=40)\n"
    program += "for _ in range(60): e.step(e.action_space.sample())\nprint(e.state_hashes)"
    told = subprocess.run(
        [sys.executable, "-c", program], cwd=os.path.dirname(__file__), capture_output=True, text=True, check=True
    )
    assert told.stdout.strip() == str(hashes)


def test_numbers_are_those_of_numpy():
    """Terrain, wind and starts: a reset goes on with the numbers that were left, as Gymnasium's does."""
    for kind in ("hardcore", "wind"):
        envs, env = batch(kind, 1), single(kind)
        for seed in (7, None, None, 123456789012345678901234567890):
            ours, _ = envs.reset(seed=seed)
            theirs, _ = env.reset(seed=seed)
            np.testing.assert_allclose(ours[0], theirs, atol=1e-4)


def test_bad_use_is_refused():
    with pytest.raises(ValueError, match="num_envs"):
        batch("lander", 0)
    with pytest.raises(ValueError, match="gravity"):
        carom.gym.LunarLander(1, gravity=3.0)
    with pytest.raises(ValueError, match="autoreset_mode"):
        batch("lander", 1, autoreset_mode="never")
    with pytest.raises(ValueError, match="pictures"):
        batch("walker", 1, render_mode="human")
    envs = batch("lander", 2, autoreset_mode="disabled", max_episode_steps=1)
    with pytest.raises(ValueError, match="seed"):
        envs.reset(seed=[1])
    with pytest.raises(ValueError, match="seed"):
        envs.reset(seed=-1)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="shape"):
        envs.step(np.zeros(3, dtype=int))
    with pytest.raises(ValueError, match=r"actions\[1\] has 4"):
        envs.step(np.array([0, 4]))
    envs.step(np.array([0, 0]))
    with pytest.raises(ValueError, match="over"):
        envs.step(np.array([0, 0]))
    with pytest.raises(ValueError, match="reset_mask"):
        envs.reset(options={"reset_mask": [True, False]})
    walkers = batch("walker", 1)
    walkers.reset(seed=1)
    with pytest.raises(ValueError, match="finite"):
        walkers.step(np.full((1, 4), np.nan, dtype=np.float32))


@pytest.mark.parametrize("name", ["LunarLander-v3", "LunarLanderContinuous-v3", "BipedalWalker-v3"])
def test_gymnasium_makes_them(name):
    envs = gymnasium.make_vec(f"carom/{name}", num_envs=3)
    seen, _ = envs.reset(seed=2)
    assert envs.observation_space.contains(np.asarray(seen)) and envs.num_envs == 3
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(envs)
    envs.reset(seed=2)
    for _ in range(3):
        seen, rewards, *_ = envs.step(envs.action_space.sample())
    assert seen.shape == envs.observation_space.shape and rewards.shape == (3,)
    envs.close()


def test_arrays_go_elsewhere_without_a_copy():
    envs = batch("walker", 2)
    seen, _ = envs.reset(seed=1)
    assert np.shares_memory(np.from_dlpack(seen), seen)
    # What was handed out before stays as it was.
    before = seen.copy()
    envs.step(envs.action_space.sample())
    np.testing.assert_array_equal(seen, before)
