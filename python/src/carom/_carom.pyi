from typing import Any

import numpy as np
from numpy.typing import NDArray

class GameBatch:
    def __new__(
        cls,
        name: str,
        count: int,
        *,
        most_steps: int,
        autoreset: str,
        threads: int | None = None,
        continuous: bool = False,
        gravity: float = -10.0,
        wind: tuple[float, float] | None = None,
        hardcore: bool = False,
    ) -> GameBatch: ...
    def __len__(self) -> int: ...
    def seed(self, index: int, state: int, increment: int) -> None: ...
    def reset(self, chosen: list[int] | None = None) -> NDArray[np.float32]: ...
    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], NDArray[np.float32] | None]: ...
    @property
    def state_hashes(self) -> list[int]: ...
