"""Batches of worlds."""

import carom
import numpy as np
import pytest


def machine():
    """A floor, a pile and an arm on a motor."""
    world = carom.World()
    floor = world.add_body("fixed", shapes=carom.rectangle(40, 1))
    for index in range(6):
        world.add_body(position=(0.1 * index, 1 + 1.1 * index), shapes=carom.rectangle(1, 1))
    arm = world.add_body(position=(6, 3), shapes=carom.rectangle(2, 0.2))
    world.add_joint("revolute", floor, arm, at=(5, 3), motor=(0, 100))
    return world


def test_each_world_goes_on_as_it_would_alone():
    single = machine()
    for threads in (1, 2, 5):
        batch = carom.BatchWorld(single, 7, threads=threads)
        gravity = np.stack([np.linspace(-3, 3, 7), np.full(7, -10)], axis=1)
        batch.gravity = gravity
        batch.step(n=90)
        hashes = batch.state_hashes
        assert len(set(hashes.tolist())) == 7
        for index in range(7):
            alone = single.copy()
            alone.gravity = gravity[index]
            alone.step(n=90)
            assert alone.state_hash == hashes[index] == batch.world(index).state_hash
            np.testing.assert_array_equal(alone.positions, batch.positions[index])


def test_arrays_have_the_world_as_first_axis():
    batch = carom.BatchWorld(machine(), 5)
    assert (len(batch), batch.body_count, batch.joint_count) == (5, 8, 1)
    assert batch.positions.shape == (5, 8, 2) and batch.angles.shape == (5, 8)
    velocities = np.zeros((5, 8, 2), "f4")
    velocities[:, 1, 0] = np.arange(5)
    batch.velocities = velocities
    np.testing.assert_array_equal(batch.velocities, velocities)
    with pytest.raises(ValueError, match="shape"):
        batch.positions = np.zeros((5, 8))
    with pytest.raises(ValueError, match="NaN"):
        batch.apply_forces(np.full((5, 8, 2), np.nan))
    batch.apply_torques(np.ones((5, 8)))
    batch.step()


def test_motors_turn_each_arm_at_its_own_speed():
    batch = carom.BatchWorld(machine(), 4)
    batch.set_motor_speeds(np.arange(4)[:, None])
    batch.step(n=30)
    np.testing.assert_allclose(batch.angular_velocities[:, 7], np.arange(4), atol=1e-2)


def test_resets_begin_again_bit_for_bit():
    batch = carom.BatchWorld(machine(), 6)
    start = batch.state_hashes
    batch.step(n=20)
    later = batch.state_hashes
    batch.reset([1, 4])
    expected = later.copy()
    expected[[1, 4]] = start[[1, 4]]
    np.testing.assert_array_equal(batch.state_hashes, expected)
    batch.step(n=20)
    assert batch.state_hashes[1] == later[0]
    batch.reset()
    np.testing.assert_array_equal(batch.state_hashes, start)
    with pytest.raises(ValueError, match="no world 6"):
        batch.reset([6])


def test_rays_see_their_own_world():
    batch = carom.BatchWorld(machine(), 3)
    positions = batch.positions
    positions[:, 6, 1] += [0, 1, 2]
    batch.positions = positions
    origins = np.broadcast_to(np.array([[0.5, 20], [-15, 20]]), (3, 2, 2))
    found = batch.rays(origins, np.broadcast_to(np.array([0, -20]), (3, 2, 2)))
    top = positions[:, 6, 1] + 0.5
    np.testing.assert_allclose(found[:, 0], (20 - top) / 20, atol=1e-5)
    np.testing.assert_allclose(found[:, 1], 19.5 / 20, atol=1e-5)


def test_what_is_no_world_alone_is_refused():
    world = carom.World()
    world.add_field("uniform", acceleration=(1, 0))
    with pytest.raises(ValueError, match="fields"):
        carom.BatchWorld(world, 2)
    with pytest.raises(ValueError, match="1 to"):
        carom.BatchWorld(carom.World(), 0)
