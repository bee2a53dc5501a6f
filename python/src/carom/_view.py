"""Opens the viewer, which is a program of its own."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import World


def view(world: World | str, *, program: str | None = None) -> subprocess.Popen[bytes]:
    """Opens a world, or the built-in scene or scene file of a name, in the viewer, and returns its process at once.

    The viewer is carom's command-line program: `program`, or `carom` on the path
    (`cargo install --path crates/carom` puts it there). It shows a copy: what it does does not come back.
    """
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        raise RuntimeError("there is no display to open a window on; world.draw() and world.record(file, seconds) need none")
    found = shutil.which(program or "carom")
    if found is None:
        raise FileNotFoundError(
            f"the viewer {program or 'carom'!r} is not on the path: cargo install --path crates/carom, or say program=..."
        )
    if isinstance(world, str):
        return subprocess.Popen([found, "view", world])
    with tempfile.NamedTemporaryFile("w", suffix=".json", prefix="carom-", delete=False) as scene:
        scene.write(world.to_json())
    # The viewer reads the scene when it starts; a process of its own removes the file after it has ended.
    script = "import subprocess, sys, os; code = subprocess.call(sys.argv[1:]); os.remove(sys.argv[-1]); sys.exit(code)"
    return subprocess.Popen([sys.executable, "-c", script, found, "view", str(pathlib.Path(scene.name))])
