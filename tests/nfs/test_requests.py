"""How many requests each step costs, exactly, from the client's own counters."""

import collections
import unittest

from support import bench, requests, table
from support.participant import Crowd

CYCLES = 3
HEARTBEATS = 6
# No heartbeat comes between, and nothing is waited for.
QUIET = ("interval=20000", "lease=60000", "stand_back=0")

# v3 says MKDIR, RMDIR and READDIRPLUS where v4 says CREATE, REMOVE and READDIR.
V4_NAMES = {"MKDIR": "CREATE", "RMDIR": "REMOVE", "READDIRPLUS": "READDIR"}
# The v4 client's own sign of life to the server.
BACKGROUND = "SEQUENCE"

READ = {"SYMLINK": 1, "RENAME": 1, "READDIR": 1}
READ_RELEASE = {"REMOVE": 1}
# ACCESS: for the claim's directory, which is new.
WRITE = {"CREATE": 1, "ACCESS": 1, "SYMLINK": 1, "RENAME": 2, "READDIR": 1}
# The time of readers/, for the fence: v3 has it from the reply to the listing, v4 asks.
WRITE_ON_V4 = {**WRITE, "GETATTR": 1}
# After a heartbeat.
WRITE_RELEASE = {"REMOVE": 2}
# Nothing was asked in the directory since its rename: ACCESS, and LOOKUP where the server's clock has ticked between
# the creation of the marker and that rename, so that the directory's times differ.
SHORT_WRITE_RELEASES = ({"ACCESS": 1, "REMOVE": 2}, {"ACCESS": 1, "LOOKUP": 1, "REMOVE": 2})


def in_v4_names(counts):
    renamed = collections.Counter()
    for name, count in counts.items():
        if name != BACKGROUND:
            renamed[V4_NAMES.get(name, name)] += count
    return dict(renamed)


class Meter(requests.Meter):
    def read(self):
        return in_v4_names(super().read())


class Requests(unittest.TestCase):
    def setUp(self):
        self.client, self.other = bench.lab.clients[:2]

    def test_uncontended(self):
        bench.on_all_mounts(self.uncontended_on)

    def uncontended_on(self, mount):
        place = bench.Place(mount)
        with Crowd() as crowd:
            one = crowd.add(self.client, place.path("x"), *QUIET)
            for mode in ("read", "write"):  # the first of each makes directories, probes and lists
                one.ask(f"acquire {mode}")
                one.ask("release")
            meter = Meter(self.client, mount)
            for _ in range(CYCLES):
                self.assertEqual(self.counted(one, meter, "acquire read"), READ)
                self.assertEqual(self.counted(one, meter, "release"), READ_RELEASE)
                self.assertEqual(self.counted(one, meter, "acquire write"), WRITE_ON_V4 if "v4" in mount else WRITE)
                self.assertIn(self.counted(one, meter, "release"), SHORT_WRITE_RELEASES)
            one.end()
        table.row(mount, f"requests: read 3 and 1, write {7 if 'v4' in mount else 6} and 3 or 4", 2 * CYCLES)

    def test_heartbeat(self):
        bench.on_all_mounts(self.heartbeat_on)

    def heartbeat_on(self, mount):
        for mode in ("read", "write"):
            with Crowd() as crowd:
                options = ("interval=1000", "lease=60000", "tell=beat")
                one = crowd.add(self.client, bench.Place(mount).path("x"), *options)
                one.ask(f"acquire {mode}")
                for _ in range(2):  # the first looks where the marker is; a writer clears away after it
                    one.await_line("point")
                meter = Meter(self.client, mount)
                one.hear_all("point")
                for _ in range(HEARTBEATS):
                    one.await_line("point")
                counts = meter.read()
                heard = HEARTBEATS + len(one.hear_all("point"))
                # The two directories on the way, once their attributes are as old as the mount allows: 30 s by default.
                self.assertLessEqual(counts.pop("GETATTR", 0), 0 if "nocto" in mount else 2)
                self.assertEqual(list(counts), ["SETATTR"], f"heartbeats of a {mode} lease")
                # One may come between the counter and the last line heard, at either end.
                self.assertLessEqual(abs(counts["SETATTR"] - heard), 1)
                one.end()
        table.row(mount, "requests: heartbeat 1", 2 * HEARTBEATS)

    def test_poll(self):
        bench.on_all_mounts(self.poll_on)

    def poll_on(self, mount):
        for held, wanted in (("write", "read"), ("write", "write"), ("read", "write")):
            place = bench.Place(mount)
            with Crowd() as crowd:
                holder = crowd.add(self.other, place.path("x"), *QUIET)
                # The first ones are for the lock directory and for what it meets there.
                waiter = crowd.add(self.client, place.path("x"), *QUIET, "poll_max=200", "stop_each=looked:12")
                holder.ask(f"acquire {held}")
                waiter.tell(f"acquire {wanted}")
                counts = self.between_stops(waiter, mount)
                self.assertEqual(counts, {"GETATTR": 12}, f"polls of one who wants to {wanted} and waits for a {held} lease")
                waiter.kill()
                holder.end()
        table.row(mount, "requests: poll 1", 3 * 12)

    def test_release_after_a_heartbeat(self):
        bench.on_all_mounts(self.release_after_a_heartbeat_on)

    def release_after_a_heartbeat_on(self, mount):
        place = bench.Place(mount)
        with Crowd() as crowd:
            one = crowd.add(self.client, place.path("x"), "interval=1000", "lease=30000", "tell=beat")
            one.ask("acquire write")
            one.await_line("point")
            one.await_line("point")
            meter = Meter(self.client, mount)
            one.ask("release")
            counts = meter.read()
            counts.pop("SETATTR", None)  # a third heartbeat may have come
            self.assertEqual(counts, WRITE_RELEASE)
            one.end()
        table.row(mount, "requests: write release 2", 1)

    @staticmethod
    def counted(one, meter, command):
        one.ask(command)
        return meter.read()

    def between_stops(self, one, mount):
        """What it sends from one stop to the next."""
        one.await_line("point")
        meter = Meter(self.client, mount)
        one.signal("CONT")
        one.await_line("point")
        return meter.read()
