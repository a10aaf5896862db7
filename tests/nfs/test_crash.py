"""A machine that dies, in every phase of every process that was using a lock on it."""

import unittest

from support import bench, table
from support.participant import Crowd, in_parallel, now

# Where a process is when its machine dies: what it was told, and the point at which it stands (none: it holds).
PHASES = {
    "reader about to publish": ("read", "reader-prepared"),
    "reader published": ("read", "reader-published"),
    "reader holds": ("read", None),
    "claim without marker": ("write", "claim-made"),
    "claim prepared": ("write", "claim-prepared"),
    "claimed": ("write", "claimed"),
    "writer has its fence": ("write", "fenced"),
    "writer holds": ("write", None),
    "writer half gone": ("write", "writer-half-left"),
}
MOUNTS = {"v4": PHASES, "v3": PHASES, "v4-nocto": ("reader holds", "writer holds"), "v3-nocto": ("reader holds", "writer holds")}


class Victim:
    """A process on the node that will die, with a lock of its own."""

    def __init__(self, place, phase, node, survivor):
        mode, point = PHASES[phase]
        self.place = place
        self.phase = phase
        self.lock = phase.replace(" ", "-")
        self._mode = mode
        self._point = point
        options = (f"stop={point}",) if point else ()
        self.victim = (node, place.path(self.lock), *bench.SHORT, *options)
        self.survivor = (survivor, place.path(self.lock), *bench.SHORT)

    def __str__(self):
        return f"{self.place.mount}, {self.phase}"

    def go(self, one):
        one.tell(f"acquire {self._mode}")
        if self._point is None:
            one.answer()
        elif self._point == "writer-half-left":
            one.answer()
            one.tell("release")
        if self._point:
            one.await_line("point")


class Crash(unittest.TestCase):
    def test_in_every_phase(self):
        survivor, _, dying = bench.lab.clients[:3]
        places = dict(zip(MOUNTS, in_parallel(bench.Place, MOUNTS)))
        victims = [Victim(places[mount], phase, dying, survivor) for mount in MOUNTS for phase in MOUNTS[mount]]
        with Crowd() as crowd:
            survivors = crowd.add_side_by_side([victim.survivor for victim in victims])
            with Crowd() as doomed:
                made = doomed.add_side_by_side([victim.victim for victim in victims])
                in_parallel(lambda pair: pair[0].go(pair[1]), zip(victims, made))
                self.addCleanup(self.boot, dying)
                dying.crash()
                since = now()
            for one in survivors:
                one.tell("acquire write")
            worst = {}
            for victim, one in zip(victims, survivors):
                line = one.reply()
                self.assertEqual((line.kind, line.text), ("done", "yes"), victim)
                mount = victim.place.mount
                worst[mount] = max(worst.get(mount, 0), (line.heard - since) / 1e9)
            for mount, seconds in worst.items():
                table.row(mount, "crash of a node in every phase", len(MOUNTS[mount]), 0, seconds)
                self.assertLess(seconds, bench.SHORT_LEASE + bench.TWO_POLLS + bench.SLACK, mount)
            self.assertEqual(bench.left_beside_the_writer(victims), [])
            for victim, one in zip(victims, survivors):
                self.assertEqual(one.ask("release"), "released", victim)
            in_parallel(lambda one: one.end(), survivors)
        for victim in victims:
            self.assertEqual(victim.place.listing(victim.lock), [], victim)

    @staticmethod
    def boot(node):
        if not node.alive():
            bench.lab.boot(node)
