"""NumPy arrays of what all bodies have."""

import carom
import numpy as np
import pytest


def crowd(count):
    world = carom.World(gravity=(0, 0))
    for index in range(count):
        world.add_body(position=(2 * index, index), angle=0.01 * index, shapes=carom.circle(0.5))
    return world


def test_rows_follow_the_handles():
    world = crowd(50)
    world.bodies[7].remove()
    world.add_body(position=(-1, -2), shapes=carom.circle(0.5))
    assert world.positions.shape == (50, 2) and world.positions.dtype == np.float32
    for row, angle, body in zip(world.positions, world.angles, world.bodies):
        assert tuple(row) == body.position and angle == body.angle
    assert world.masses == pytest.approx(np.full(50, np.pi / 4), rel=1e-5)


def test_what_is_written_is_read():
    world = crowd(20)
    random = np.random.default_rng(1)
    positions = random.uniform(-50, 50, (20, 2))
    velocities = random.uniform(-5, 5, (20, 2)).tolist()
    world.positions, world.velocities = positions, velocities
    world.angular_velocities = np.arange(20)
    world.angles = np.linspace(-3, 3, 20)
    np.testing.assert_array_equal(world.positions, positions.astype("f4"))
    np.testing.assert_array_equal(world.velocities, np.asarray(velocities, "f4"))
    np.testing.assert_array_equal(world.angular_velocities, np.arange(20))
    np.testing.assert_allclose(world.angles, np.linspace(-3, 3, 20), atol=1e-6)


def test_forces_accelerate():
    world = crowd(10)
    forces = np.stack([np.arange(10), np.zeros(10)], axis=1)
    world.apply_forces(forces)
    world.apply_torques(np.ones(10))
    world.step(0.01)
    expected = 0.01 * np.arange(10) / world.masses
    np.testing.assert_allclose(world.velocities[:, 0], expected, rtol=1e-4)
    assert (world.angular_velocities > 0).all()


def test_an_array_is_a_copy_that_may_be_written():
    world = crowd(3)
    positions = world.positions
    positions += 1
    assert world.positions[0, 0] == 0
    world.positions = positions
    assert world.positions[0, 0] == 1


@pytest.mark.parametrize(
    "bad", [np.zeros((3, 3)), np.zeros(6), np.zeros((2, 2)), [[1, 2]], "text", None, [[1], [2, 3]], np.zeros((3, 2), "c8")]
)
def test_wrong_shapes_are_refused(bad):
    world = crowd(3)
    before = world.positions
    with pytest.raises((ValueError, TypeError)):
        world.positions = bad
    np.testing.assert_array_equal(world.positions, before)


def test_nan_changes_nothing():
    world = crowd(3)
    before = world.positions
    bad = before + 1
    bad[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"positions\[2\]"):
        world.positions = bad
    np.testing.assert_array_equal(world.positions, before)


def test_numpy_scalars_are_numbers():
    world = crowd(1)
    body = world.bodies[0]
    body.position = np.array([3, 4])
    body.angle = np.float32(0.5)
    body.velocity = (np.float64(1), np.int32(2))
    assert body.position == (3, 4) and body.angle == 0.5 and body.velocity == (1, 2)
