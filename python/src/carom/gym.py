"""Gymnasium's LunarLander and BipedalWalker as vector environments that the engine plays by itself, on all cores.

>>> import carom.gym
>>> envs = carom.gym.LunarLander(8)
>>> observations, infos = envs.reset(seed=0)
>>> observations.shape
(8, 8)
>>> observations, rewards, terminated, truncated, infos = envs.step(envs.action_space.sample())
>>> rewards.dtype
dtype('float64')

Environment `i` after `reset(seed=s)` shows and pays what `gymnasium.make("LunarLander-v3")` shows and pays after
`reset(seed=s + i)` on carom's module `Box2D`. Importing this module registers `carom/LunarLander-v3`,
`carom/LunarLanderContinuous-v3`, `carom/BipedalWalker-v3` and `carom/BipedalWalkerHardcore-v3` for
`gymnasium.make_vec`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ._carom import GameBatch

__all__ = ["BipedalWalker", "LunarLander"]

_Arrays = tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]


class _Games(VectorEnv[NDArray[np.float32], NDArray[Any], NDArray[Any]]):
    """What both environments have in common."""

    def __init__(
        self,
        name: str,
        num_envs: int,
        autoreset_mode: AutoresetMode | str,
        max_episode_steps: int,
        threads: int | None,
        observations: spaces.Space[Any],
        actions: spaces.Space[Any],
        **settings: Any,
    ) -> None:
        mode = autoreset_mode if isinstance(autoreset_mode, AutoresetMode) else _mode(autoreset_mode)
        self._games = GameBatch(
            name, num_envs, most_steps=max_episode_steps, autoreset=mode.name.lower(), threads=threads, **settings
        )
        self.num_envs = num_envs
        self.metadata = {"render_modes": [], "render_fps": 50, "autoreset_mode": mode}
        self.max_episode_steps = max_episode_steps
        self.single_observation_space = observations
        self.single_action_space = actions
        self.observation_space = batch_space(observations, num_envs)
        self.action_space = batch_space(actions, num_envs)
        self._over = np.zeros(num_envs, dtype=np.bool_)
        # Without a seed the first numbers are anybody's, as Gymnasium's are.
        self._seed(np.random.SeedSequence().generate_state(num_envs, np.uint64).tolist())

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins an episode in all environments, or in those of `options={"reset_mask": mask}`.

        A number seeds environment `i` with `seed + i`, a list each with its own; None goes on with the numbers that there
        are.
        """
        chosen = _chosen(self.num_envs, options)
        if seed is not None:
            numbers = [seed + index for index in range(self.num_envs)] if isinstance(seed, int) else list(seed)
            if len(numbers) != self.num_envs:
                raise ValueError(f"seed has {len(numbers)} numbers; expected one for each of {self.num_envs} environments")
            self._seed([number if chosen is None or chosen[index] else None for index, number in enumerate(numbers)])
        if chosen is None:
            self._over[:] = False
            return self._games.reset(), {}
        self._over[chosen] = False
        return self._games.reset(np.flatnonzero(chosen).tolist()), {}

    def _seed(self, seeds: Sequence[int | None]) -> None:
        """Gives each environment the numbers that Gymnasium's draws from a seed."""
        for number in seeds:
            if number is not None and number < 0:
                raise ValueError(f"seed is {number}; expected a whole number of at least 0")
        for index, number in enumerate(seeds):
            if number is not None:
                state = np.random.PCG64(number).state["state"]
                self._games.seed(index, state["state"], state["inc"])

    def step(self, actions: NDArray[Any]) -> _Arrays:
        """Makes a step in every environment."""
        mode = self.metadata["autoreset_mode"]
        if mode is AutoresetMode.DISABLED and self._over.any():
            raise ValueError(f"the episodes of environments {np.flatnonzero(self._over).tolist()} are over: reset them first")
        observations, rewards, terminated, truncated, last = self._games.step(actions)
        infos: dict[str, Any] = {}
        self._over = terminated | truncated
        if last is not None:
            final = np.full(self.num_envs, None, dtype=object)
            for index in np.flatnonzero(self._over):
                final[index] = last[index]
            infos = {
                "final_obs": final,
                "_final_obs": self._over.copy(),
                "final_info": {},
                "_final_info": self._over.copy(),
            }
            self._over = np.zeros(self.num_envs, dtype=np.bool_)
        return observations, rewards, terminated, truncated, infos

    @property
    def state_hashes(self) -> list[int]:
        """A hash of the state of each world."""
        return self._games.state_hashes


def _mode(name: str) -> AutoresetMode:
    """The mode of a name: `NextStep` or `next_step`."""
    for mode in AutoresetMode:
        if name in (mode.value, mode.name, mode.name.lower()):
            return mode
    raise ValueError(f"autoreset_mode is {name!r}; expected one of {', '.join(mode.value for mode in AutoresetMode)}")


def _chosen(count: int, options: dict[str, Any] | None) -> NDArray[np.bool_] | None:
    """The mask of a reset."""
    if not options or "reset_mask" not in options:
        return None
    mask = options["reset_mask"]
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (count,):
        raise ValueError(f"options['reset_mask'] must be an array of {count} booleans")
    if not mask.any():
        raise ValueError("options['reset_mask'] chooses no environment")
    return mask


class LunarLander(_Games):
    """`LunarLander-v3` of Gymnasium, `num_envs` at a time: the same keywords, observations and rewards.

    `autoreset_mode` is one of Gymnasium's; `threads` how many threads share the work, all cores if not given.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        continuous: bool = False,
        gravity: float = -10.0,
        enable_wind: bool = False,
        wind_power: float = 15.0,
        turbulence_power: float = 1.5,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int = 1000,
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        _refuse_pictures(render_mode)
        if not -12.0 < gravity < 0.0:
            raise ValueError(f"gravity is {gravity}; expected a number between -12 and 0")
        if not (math.isfinite(wind_power) and math.isfinite(turbulence_power)):
            raise ValueError("wind_power and turbulence_power must be finite")
        high = np.array([2.5, 2.5, 10.0, 10.0, 2 * math.pi, 10.0, 1.0, 1.0], dtype=np.float32)
        low = np.array([*-high[:6], -0.0, -0.0], dtype=np.float32)
        super().__init__(
            "lander",
            num_envs,
            autoreset_mode,
            max_episode_steps,
            threads,
            spaces.Box(low, high),
            spaces.Box(-1, 1, (2,), dtype=np.float32) if continuous else spaces.Discrete(4),
            continuous=continuous,
            gravity=gravity,
            wind=(wind_power, turbulence_power) if enable_wind else None,
        )


class BipedalWalker(_Games):
    """`BipedalWalker-v3` of Gymnasium, `num_envs` at a time: the same keywords, observations and rewards.

    `autoreset_mode` is one of Gymnasium's; `threads` how many threads share the work, all cores if not given.
    `max_episode_steps` is 1600 if not given, hardcore 2000.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        hardcore: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: int | None = None,
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        _refuse_pictures(render_mode)
        leg = [math.pi, 5.0, math.pi, 5.0, 5.0]
        high = np.array([math.pi, 5.0, 5.0, 5.0, *leg, *leg, *[1.0] * 10], dtype=np.float32)
        low = -high
        low[[8, 13]] = -0.0
        super().__init__(
            "walker",
            num_envs,
            autoreset_mode,
            max_episode_steps or (2000 if hardcore else 1600),
            threads,
            spaces.Box(low, high),
            spaces.Box(-1, 1, (4,), dtype=np.float32),
            hardcore=hardcore,
        )


def _refuse_pictures(render_mode: str | None) -> None:
    if render_mode is not None:
        raise ValueError("carom.gym draws no pictures; use gymnasium.make with the module Box2D of carom-box2d for them")


def _register() -> None:
    ids: dict[str, tuple[str, int, dict[str, Any]]] = {
        "LunarLander-v3": ("LunarLander", 1000, {}),
        "LunarLanderContinuous-v3": ("LunarLander", 1000, {"continuous": True}),
        "BipedalWalker-v3": ("BipedalWalker", 1600, {}),
        "BipedalWalkerHardcore-v3": ("BipedalWalker", 2000, {"hardcore": True}),
    }
    for name, (entry, steps, settings) in ids.items():
        if f"carom/{name}" not in gymnasium.registry:
            gymnasium.register(
                f"carom/{name}",
                vector_entry_point=f"carom.gym:{entry}",
                max_episode_steps=steps,
                kwargs=settings,
            )


_register()
