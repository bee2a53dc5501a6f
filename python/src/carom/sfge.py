"""Scenes of SFGE with their scripts.

The JSON scenes of SFGE name scripts: *systems*, which look after a whole scene, and *components* of single entities (their
`type` is 64). Here they are Python files with a class that derives from :class:`System` or :class:`Component` and has the
hooks that it wants; what they see is carom's own world, in metres with y up, and not SFGE's managers.

>>> from carom import sfge
>>> sfge.to_metres(640, 360), sfge.to_pixels((6.4, 3.6))
(Vec2(6.4, 3.6), (640.0, 360.0))
"""

import importlib.util
import json
import os
import pathlib
import types
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from . import Body, Shape, StaleHandle, Vec2, World

__all__ = ["Component", "Entity", "Scene", "System", "load", "to_metres", "to_pixels"]

#: Size of a metre and height of the screen in pixels.
PIXELS = 100.0
HEIGHT = 720.0
#: Types of components that make a body, and of those that are scripts.
SHAPE, BODY, SCRIPT = 4, 8, 64

ScriptKind = TypeVar("ScriptKind", bound="Script")


def to_metres(x: float, y: float) -> Vec2:
    """The point of the world that a point of SFGE's screen is."""
    return Vec2(x / PIXELS, (HEIGHT - y) / PIXELS)


def to_pixels(point: "Vec2 | tuple[float, float]") -> "tuple[float, float]":
    """The point of SFGE's screen that a point of the world is."""
    x, y = point
    return (round(x * PIXELS, 4), round(HEIGHT - y * PIXELS, 4))


class Entity:
    """An entity of a scene: its name, its body, and the components that are scripts."""

    def __init__(self, name: str, body: "Body | None") -> None:
        self.name = name
        #: None if the entity has neither a body nor a shape.
        self.body = body
        self.scripts: list[Component] = []

    def get(self, kind: "type[ScriptKind]") -> "ScriptKind | None":
        """The component of a class, or None."""
        return next((script for script in self.scripts if isinstance(script, kind)), None)

    def __repr__(self) -> str:
        return f"<Entity {self.name!r}>"


class Script:
    """What systems and components have in common. Override the hooks that you want; those of this class do nothing."""

    #: The scene that it belongs to; there from :meth:`init` on.
    scene: "Scene"

    @property
    def world(self) -> World:
        """The world of the scene."""
        return self.scene.world

    def init(self) -> None:
        """Is called once, when all of the scene is there."""

    def fixed_update(self) -> None:
        """Is called before every step. Forces that it applies act in that step."""

    def update(self, dt: float) -> None:
        """Is called after every step, and told its length in seconds."""


class System(Script):
    """A script that looks after a whole scene."""

    def on_contact(self, a: Entity, b: Entity, enter: bool) -> None:
        """Is called after a step in which two entities began (`enter`) or ceased to touch, sensors included."""


class Component(Script):
    """A script of an entity."""

    #: The entity that it belongs to; there from :meth:`init` on.
    entity: Entity

    @property
    def body(self) -> Body:
        """The body of its entity."""
        if self.entity.body is None:
            raise ValueError(f"the entity {self.entity.name!r} has no body")
        return self.entity.body

    def on_collision_enter(self, other: Entity) -> None:
        """Is called after a step in which its entity began to touch another one."""

    def on_collision_exit(self, other: Entity) -> None:
        """Is called after a step in which its entity ceased to touch another one."""

    def on_trigger_enter(self, other: Entity) -> None:
        """Like :meth:`on_collision_enter`, where one of the two is a sensor."""

    def on_trigger_exit(self, other: Entity) -> None:
        """Like :meth:`on_collision_exit`, where one of the two is a sensor."""


class Scene:
    """A world with the scripts of its scene. Made by :func:`load`."""

    def __init__(self, world: World, entities: "list[Entity]") -> None:
        self.world = world
        #: In the order of the file.
        self.entities = entities
        #: In the order in which their hooks are called: components by entity, then systems.
        self.scripts: list[Script] = []
        self._owners: dict[int, Entity] = {}
        for entity in entities:
            for shape in entity.body.shapes if entity.body is not None else []:
                self._owners[shape.id] = entity

    def __getitem__(self, name: str) -> Entity:
        """The first entity of a name."""
        found = next((entity for entity in self.entities if entity.name == name), None)
        if found is None:
            raise KeyError(f"no entity is called {name!r}")
        return found

    def __iter__(self) -> Iterator[Entity]:
        return iter(self.entities)

    def step(self, n: int = 1) -> None:
        """Makes `n` steps of the scene's own length. What a script raises comes out of it, after the step is complete."""
        for _ in range(n):
            for script in self.scripts:
                script.fixed_update()
            self.world.step()
            self._report_contacts()
            for script in self.scripts:
                script.update(self.world.dt)

    def _report_contacts(self) -> None:
        events = self.world.events
        for pairs, enter, trigger in (
            (events.contact_end, False, False),
            (events.sensor_end, False, True),
            (events.contact_begin, True, False),
            (events.sensor_begin, True, True),
        ):
            for shape_a, shape_b in pairs:
                a, b = self._entity_of(shape_a), self._entity_of(shape_b)
                hook = f"on_{'trigger' if trigger else 'collision'}_{'enter' if enter else 'exit'}"
                for own, other in ((a, b), (b, a)):
                    for component in own.scripts:
                        getattr(component, hook)(other)
                for script in self.scripts:
                    if isinstance(script, System):
                        script.on_contact(a, b, enter)

    def _entity_of(self, shape: Shape) -> Entity:
        """The entity of a shape; one without a name for what a script has added."""
        owner = self._owners.get(shape.id)
        if owner is None:
            try:
                body = shape.body
            except StaleHandle:
                return Entity("", None)
            owner = next((entity for entity in self.entities if entity.body == body), None) or Entity("", body)
            self._owners[shape.id] = owner
        return owner


def load(
    path: "str | os.PathLike[str]",
    scripts: "str | os.PathLike[str]",
    *,
    systems: "Mapping[str, type[System] | None] | None" = None,
) -> Scene:
    """Opens a scene of SFGE and runs its scripts, which lie in the folder `scripts` at the paths that the scene names.

    This executes the Python code of that folder: name one that you trust. Paths that lead out of it are refused. `systems`
    says what stands in for systems that SFGE has in C++, by their names: a class, or None to do without.
    """
    world = World.open(path)
    folder = pathlib.Path(scripts).resolve()
    root = json.loads(pathlib.Path(path).read_text("utf-8-sig"))
    if not isinstance(root, dict) or "format" in root:
        raise ValueError(f"{path}: not a scene of SFGE; use carom.World.open for carom's own")
    bodies = iter(world.bodies)
    entities: list[Entity] = []
    wanted: list[tuple[Entity, str]] = []
    for given in root.get("entities", []):
        parts = given.get("components", [])
        has_body = any(part["type"] in (SHAPE, BODY) for part in parts)
        entity = Entity(given.get("name", ""), next(bodies) if has_body else None)
        entities.append(entity)
        for part in parts:
            if part["type"] == SCRIPT:
                if not isinstance(part.get("script_path"), str):
                    raise ValueError(f"{path}: a script of the entity {entity.name!r} has no script_path")
                wanted.append((entity, part["script_path"]))
    scene = Scene(world, entities)
    modules: dict[pathlib.Path, types.ModuleType] = {}
    for owner, script_path in wanted:
        component = _class_in(_module_at(folder, script_path, modules), Component)()
        component.entity = owner
        owner.scripts.append(component)
        scene.scripts.append(component)
    for given in root.get("systems", []):
        name = given.get("systemClassName")
        kind: type[System] | None
        if name is None:
            kind = _class_in(_module_at(folder, given["script_path"], modules), System)
        elif systems is not None and name in systems:
            kind = systems[name]
        else:
            raise ValueError(f"{path}: the system {name} is C++ in SFGE; give systems={{{name!r}: a class, or None}}")
        if kind is not None:
            scene.scripts.append(kind())
    for script in scene.scripts:
        script.scene = scene
    for script in scene.scripts:
        script.init()
    return scene


def _module_at(folder: pathlib.Path, script_path: str, modules: "dict[pathlib.Path, types.ModuleType]") -> types.ModuleType:
    """Executes a script, once for all entities that have it."""
    file = (folder / script_path).resolve()
    if not file.is_relative_to(folder) or file.suffix != ".py":
        raise ValueError(f"{script_path}: expected the path of a .py file inside {folder}")
    if file not in modules:
        if not file.is_file():
            raise FileNotFoundError(f"{script_path}: no such script in {folder}")
        spec = importlib.util.spec_from_file_location(f"carom_sfge_{file.stem}", file)
        assert spec is not None and spec.loader is not None, "a .py file has a loader"
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        modules[file] = module
    return modules[file]


def _class_in(module: types.ModuleType, base: "type[ScriptKind]") -> "type[ScriptKind]":
    """The class that a script defines: the only one of its kind, or that which is called like the file."""
    own: list[Any] = [
        thing
        for thing in vars(module).values()
        if isinstance(thing, type) and issubclass(thing, base) and thing.__module__ == module.__name__
    ]
    file = pathlib.Path(str(module.__file__))
    if len(own) > 1:
        called = file.stem.replace("_", "").lower()
        own = [thing for thing in own if thing.__name__.lower() == called]
    if len(own) != 1:
        raise ValueError(f"{file}: expected one class that derives from carom.sfge.{base.__name__}")
    return own[0]  # type: ignore[no-any-return]
