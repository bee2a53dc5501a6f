"""The command line: `python -m carom scenes | run SCENE | draw SCENE FILE | record SCENE FILE`."""

import argparse
import sys

import carom
from carom import sfge


def open_run(name: str) -> "carom.Run":
    """A built-in scene, or that of a file."""
    return carom.Run.open(name) if name.endswith((".json", ".xml", ".scene")) else carom.Run(name)


def run_scripts(given: argparse.Namespace, steps: "int | None") -> "tuple[carom.World, int]":
    """The world of a scene of SFGE after so many steps with its scripts, and how many there were."""
    scene = sfge.load(given.scene, scripts=given.scripts)
    count = scene.world.steps if steps is None else steps
    scene.step(count)
    return scene.world, count


def parser() -> argparse.ArgumentParser:
    """What the command line takes."""
    whole = argparse.ArgumentParser(prog="python -m carom", description="Runs, draws and films scenes.")
    whole.add_argument("--version", action="version", version=f"carom {carom.__version__}")
    commands = whole.add_subparsers(dest="command", required=True)
    commands.add_parser("scenes", help="list the built-in scenes")
    for name, text in (("run", "run a scene and print its state's hash"), ("draw", "write a picture of a scene")):
        command = commands.add_parser(name, help=text)
        command.add_argument("scene", help="name of a scene, or a file")
        if name == "draw":
            command.add_argument("file", help="a .png file")
        command.add_argument("--steps", type=int, help="how many steps it runs first")
        command.add_argument("--scripts", metavar="FOLDER", help="execute the scripts that a scene of SFGE names, from there")
    record = commands.add_parser("record", help="film a scene of rigid bodies")
    record.add_argument("scene", help="name of a scene, or a .json file")
    record.add_argument("file", help="a .mp4 or .gif file, or a folder")
    record.add_argument("--seconds", type=float, help="how long the movie is")
    return whole


def main(arguments: "list[str] | None" = None) -> int:
    """Does what the command line says; returns the exit status."""
    given = parser().parse_args(arguments)
    try:
        if given.command == "scenes":
            for name, group, summary in carom.scenes():
                print(f"{name:20} {group:10} {summary}")
        elif given.command == "record":
            world = carom.World.open(given.scene) if given.scene.endswith(".json") else carom.World.scene(given.scene)
            frames = world.record(given.file, given.seconds or world.steps * world.dt)
            print(f"{given.file}: {frames} frames")
        else:
            steps = given.steps if given.steps is not None or given.command == "run" else 0
            run: carom.Run | carom.World
            if given.scripts is not None:
                run, steps = run_scripts(given, steps)
            else:
                run = open_run(given.scene)
                steps = run.steps if steps is None else steps
                run.step(n=steps)
            if given.command == "draw":
                run.draw().save(given.file)
            else:
                print(f"{run.name}: {steps} steps, {run.time:.3f} s, hash {run.state_hash:#018x}")
    except (ValueError, OSError) as error:
        print(f"carom: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
