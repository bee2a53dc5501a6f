"""Pictures, movies, the command line."""

import subprocess
import sys

import carom
import numpy as np
import pytest


def test_a_picture_shows_the_world():
    world = carom.World()
    world.add_body("fixed", position=(0, -0.5), shapes=carom.rectangle(10, 1))
    ball = world.add_body(position=(0, 2), shapes=carom.circle(1))
    picture = world.draw((200, 100), center=(0, 0), half_height=5, grid=False)
    pixels = picture.numpy()
    assert pixels.shape == (100, 200, 3) and pixels.dtype == np.uint8
    background = pixels[2, 2]
    # Twenty pixels a metre is ten: the ball's centre is 20 pixels above the middle.
    assert (pixels[30, 100] != background).any()
    assert (pixels[5, 100] == background).all()
    ball.position = (0, 4)
    moved = world.draw((200, 100), center=(0, 0), half_height=5, grid=False).numpy()
    assert (moved[10, 100] != background).any() and (moved[30, 100] == background).all()


def test_png_bytes(tmp_path):
    world = carom.World.scene("stack")
    assert world._repr_png_().startswith(b"\x89PNG\r\n")
    picture = world.draw((320, 180), theme="dark")
    picture.save(tmp_path / "stack.png")
    assert (tmp_path / "stack.png").read_bytes() == picture.png()
    assert np.asarray(picture).shape == (180, 320, 3)


@pytest.mark.parametrize("arguments", [{"size": (0, 10)}, {"theme": "pink"}, {"half_height": -1.0}, {"center": (1, float("nan"))}])
def test_bad_settings_are_refused(arguments):
    with pytest.raises(ValueError):
        carom.World.scene("stack").draw(**arguments)


def test_a_movie_is_as_long_as_it_says(tmp_path):
    world = carom.World()
    world.add_body("fixed", shapes=carom.rectangle(10, 1))
    ball = world.add_body(position=(0, 4), shapes=carom.circle(0.5))
    twin = world.copy()
    frames = world.record(tmp_path / "fall.gif", 0.5, size=(160, 90))
    assert frames == 15 and (tmp_path / "fall.gif").read_bytes().startswith(b"GIF8")
    twin.step(n=30)
    assert world.state_hash == twin.state_hash and ball.position == twin.body(ball).position
    with pytest.raises(ValueError, match="does not end in"):
        world.record(tmp_path / "fall.txt", 1)


def test_the_command_line(tmp_path):
    def carom_says(*arguments):
        return subprocess.run([sys.executable, "-m", "carom", *arguments], capture_output=True, text=True)

    assert "stack" in carom_says("scenes").stdout
    run = carom.Run("stack")
    run.step(10)
    assert f"{run.state_hash:#018x}" in carom_says("run", "stack", "--steps", "10").stdout
    assert carom_says("draw", "cloth", str(tmp_path / "cloth.png")).returncode == 0
    assert (tmp_path / "cloth.png").exists()
    lost = carom_says("run", "stak")
    assert lost.returncode == 1 and "stack" in lost.stderr
