"""`carom.view` starts the viewer with what it is to show."""

import json
import os
import stat
import sys

import carom
import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="a script stands in for the viewer")


@pytest.fixture
def viewer(tmp_path, monkeypatch):
    """A program that keeps what it was asked to show."""
    program, shown = tmp_path / "carom", tmp_path / "shown"
    program.write_text(f'#!/bin/sh\necho "$@" > {shown}\n[ -f "$2" ] && cp "$2" {shown}.json\nexit 0\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("DISPLAY", ":0")
    return shown


def test_a_world_is_shown(viewer):
    world = carom.World.scene("stack")
    process = carom.view(world)
    assert process.wait(30) == 0
    command, scene = viewer.read_text().split()
    assert command == "view" and scene.endswith(".json") and not os.path.exists(scene)
    told = viewer.with_suffix(".json").read_text()
    assert carom.World.from_json(told).positions.shape == world.positions.shape and json.loads(told)


def test_a_scene_is_shown_by_its_name(viewer):
    assert carom.view("stack").wait(30) == 0
    assert viewer.read_text().split() == ["view", "stack"]


def test_what_is_missing_is_named(viewer, monkeypatch):
    with pytest.raises(FileNotFoundError, match="no-such-viewer"):
        carom.view("stack", program="no-such-viewer")
    monkeypatch.delenv("DISPLAY")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    with pytest.raises(RuntimeError, match="no display"):
        carom.view("stack")
