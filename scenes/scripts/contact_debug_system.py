"""Prints which entities of a scene begin and cease to touch, and counts for each how many it touches."""

from carom import sfge


class ContactDebugSystem(sfge.System):
    def init(self):
        self.counts = {entity.name: 0 for entity in self.scene}

    def on_contact(self, a, b, enter):
        print(f"{self.world.time:5.2f} s: {a.name} {'meets' if enter else 'leaves'} {b.name}")
        for entity in (a, b):
            self.counts[entity.name] += 1 if enter else -1
