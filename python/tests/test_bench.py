"""`python -m carom.bench gym` runs and says what it could not run."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("gymnasium")


def test_it_measures_what_is_there_and_names_what_is_not(tmp_path):
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'no Box2D here' >&2\nexit 1\n")
    broken.chmod(0o755)
    command = [sys.executable, "-m", "carom.bench", "gym", "--seconds", "0.05", "--rounds", "1", "--json"]
    told = subprocess.run([*command, "--stock", str(broken)], capture_output=True, text=True, check=True)
    for best in json.loads(told.stdout).values():
        assert best["carom.gym"] > 100 and best["carom's Box2D, unmodified"] > 100
        assert best["EnvPool"] == "no Box2D here"
