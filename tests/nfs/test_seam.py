"""What the protocol believes is fresh on every mount; what it never relies on is seen to be stale here."""

import itertools
import pathlib
import unittest

from support import bench, table
from support.participant import Gone, Participant, Program

ROUNDS = 8
_numbers = itertools.count(1)


class Seam(Program):
    """A directory on one node, through src/fs."""

    def __init__(self, node, path):
        super().__init__(node, [pathlib.Path(Participant.program).parent / "nfs-seam", path])
        if self.await_line("ready", "unable").kind != "ready":
            raise Gone(f"{self}: cannot open {path}")

    def outcome(self, command):
        """The text of its answer, or "failed ERRNO"."""
        self.tell(command)
        reply = self.reply()
        return reply.text if reply.kind == "done" else f"failed {reply.text}"


class Freshness(unittest.TestCase):
    """A changes something, then B looks. B has looked before, so that its caches are warm."""

    def setUp(self):
        self.stale = {}

    def test_on_all_mounts(self):
        for mount, counts in zip(bench.FOUR, bench.on_all_mounts(self.look_on)):
            for how, stale in counts.items():
                table.row(mount, f"stale: {how}", ROUNDS, stale)
                if how.startswith("wrong"):
                    self.stale.setdefault(how, []).append(stale)
                else:
                    self.assertEqual(stale, 0, f"{mount}: {how}")
        # They need not be stale on every mount; where they are on none these tests could not see it.
        for how, counts in self.stale.items():
            self.assertGreater(sum(counts), 0, f"{how} was fresh on all mounts")

    def look_on(self, mount):
        place = bench.Place(mount)
        first, second = bench.lab.clients[:2]
        a = Seam(first, place.path(""))
        b = Seam(second, place.path(""))
        counts = {}
        for check in (self.touched, self.listed, self.removed, self.made, self.made_again, self.replaced):
            for _ in range(ROUNDS):
                for how, fresh in check(a, b).items():
                    counts[how] = counts.get(how, 0) + (not fresh)
        a.end()
        b.end()
        return counts

    def touched(self, a, b):
        name = "touched"
        a.outcome(f"link {name} record")
        before = b.ask(f"look {name}")
        # Within a tick of the server's clock a touch changes nothing, which is why a heartbeat looks whether it has.
        while a.ask(f"look {name}") == before:
            a.ask(f"touch {name}")
        plain = b.ask(f"glance {name}")
        return {"forced look at a touched marker": b.ask(f"look {name}") != before, "wrong: plain stat of it": plain != before}

    def listed(self, a, b):
        name, own = f"l{next(_numbers)}", f".o{next(_numbers)}"
        b.ask("list-held")
        b.ask("list-lasting .")
        a.ask(f"link {name} record")
        held = b.ask("list-held")
        b.ask(f"link {own} record")
        lasting, anew = b.ask("list-lasting ."), b.ask("list .")
        b.ask(f"remove {own}")
        a.ask(f"remove {name}")
        return {
            "listing after an own change": name in anew.split(),
            "listing through a kept handle after an own change": name in lasting.split(),
            "wrong: listing through a held descriptor": name in held.split(),
        }

    def removed(self, a, b):
        name = f"r{next(_numbers)}"
        a.ask(f"link {name} record")
        b.ask("look .")
        b.outcome(f"look {name}")
        a.ask(f"remove {name}")
        return {"forced look at a removed marker": b.outcome(f"look {name}") in ("failed 2", "failed 116")}

    def made(self, a, b):
        name = f"m{next(_numbers)}"
        before = b.ask("look .")
        b.outcome(f"glance {name}")
        a.ask(f"make {name}")
        plain = b.outcome(f"glance {name}")
        # Within a tick of the server's clock nothing tells an NFSv3 client that the directory has changed. Where a listing
        # has the name and a look has not, the protocol tries to make it; see made_again.
        if b.ask("look .") == before:
            b.outcome(f"make {name}")
        forced = b.outcome(f"remove-directory {name}")
        return {
            "rmdir of a name that was absent, after a forced look at its directory": forced == "",
            "wrong: plain lookup of a name that was absent": not plain.startswith("failed"),
        }

    def made_again(self, a, b):
        name = f"n{next(_numbers)}"
        b.outcome(f"glance {name}")
        a.ask(f"make {name}")
        refused = b.outcome(f"make {name}")
        found = not b.outcome(f"glance {name}").startswith("failed")
        return {"plain lookup of a name that could not be made anew": refused == "failed 17" and found}

    # Seen as long as it takes to be believed, but not listed: a cached listing would answer by itself.
    def replaced(self, a, b):
        name = f"d{next(_numbers)}"
        a.ask(f"make {name}")
        for _ in range(2):
            b.ask("look .")
            b.ask(f"look {name}")
        a.ask(f"remove-directory {name}")
        a.ask(f"make {name}")
        a.ask(f"link {name}/new record")
        return {"listing of a directory that was made anew": b.outcome(f"list {name}") == "new"}


class Answers(unittest.TestCase):
    """What the steps of the protocol are answered, the same on every mount."""

    def test_on_all_mounts(self):
        bench.on_all_mounts(self.ask_on)

    def ask_on(self, mount):
        place = bench.Place(mount)
        a, b = (Seam(node, place.path("")) for node in bench.lab.clients[:2])
        a.ask("make one")
        a.ask("link one/m record")
        a.ask("make two")
        a.ask("link two/m record")
        self.assertEqual(a.outcome("rename one writer"), "", mount)
        self.assertIn(b.outcome("rename two writer"), ("failed 39", "failed 17"), mount)
        self.assertIn(b.outcome("remove-directory writer"), ("failed 39", "failed 17"), mount)
        self.assertEqual(b.outcome("read-link writer/m"), "record", mount)
        a.ask("remove writer/m")
        self.assertEqual(b.outcome("rename two writer"), "", f"{mount}: onto an empty directory")
        record = "r" * 1024
        a.ask(f"link long {record}")
        self.assertEqual(b.outcome("read-link long"), record, f"{mount}: a whole record or none")
        a.ask(f"file filed {record}")
        self.assertEqual(b.outcome("read filed"), record, f"{mount}: a whole record or none")
        for one in (a, b):
            one.end()


class Delegations(unittest.TestCase):
    """An observer's open must not hold up the owner when the observer's node dies."""

    def test_observer_is_cut_off(self):
        place = bench.Place("v4")
        owner, _, observer = bench.lab.clients[:3]
        a, b = Seam(owner, place.path("")), Seam(observer, place.path(""))
        a.ask("file marker record")
        self.addCleanup(observer.mend)
        self.assertEqual(b.ask("read marker"), "record")
        observer.cut()
        a.ask("touch marker")  # comes back while the observer is away
        observer.mend()
        for one in (a, b):
            one.end()
