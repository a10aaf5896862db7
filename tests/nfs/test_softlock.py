"""Exclusion of the soft locks between hosts, by each primitive, on each kind of mount."""

import unittest

from support import bench, judge, table
from support.participant import Crowd, SoftParticipant

PROCESSES_ON_A_NODE = 4
SECONDS = 5
PRIMITIVES = ("hard_link", "directory", "exclusive_file")


def contend(place, primitive):
    """Several processes on every client take one soft lock again and again: the judge's verdict, and what went wrong."""
    options = (f"primitive={primitive}", "suffix=", "poll=0.05", "stale=60", "heartbeat=5")
    with Crowd(SoftParticipant) as crowd:
        nodes = bench.lab.clients * PROCESSES_ON_A_NODE
        crowd.add_side_by_side([(node, place.path("x"), *options) for node in nodes])
        for one in crowd.members:
            one.tell(f"contend {SECONDS * 1000}")
        replies = [one.reply(patience=SECONDS + 180) for one in crowd.members]
        wrong = [reply.text for reply in replies if reply.kind == "failed"]
        holds = [hold for one in crowd.members for hold in one.holds()]
        for one in crowd.members:
            one.end()
    return judge.judge(holds), wrong


class SoftLocks(unittest.TestCase):
    def test_one_owner_at_a_time(self):
        for mount in bench.FOUR:
            with self.subTest(mount):
                self.one_owner_at_a_time_on(mount)

    def test_dead_owner_is_waited_out_by_another_host(self):
        bench.on_all_mounts(self.dead_owner_is_waited_out_on)

    def one_owner_at_a_time_on(self, mount):
        for primitive in PRIMITIVES:
            with self.subTest(primitive=primitive):
                place = bench.Place(mount)
                verdict, wrong = contend(place, primitive)
                table.row(mount, f"soft lock, {primitive}", verdict.holds, verdict.overlaps)
                self.assertEqual(wrong, [])
                self.assertEqual(verdict.overlaps, 0, verdict.text)
                self.assertGreaterEqual(verdict.holds, PROCESSES_ON_A_NODE)
                self.assertEqual(bench.lab.server.shell(f"ls -A {place.on_server()}"), "")

    def dead_owner_is_waited_out_on(self, mount):
        for primitive in PRIMITIVES:
            place = bench.Place(mount)
            options = (f"primitive={primitive}", "suffix=", "poll=0.2", "stale=4")
            first_node, second_node = bench.lab.clients[:2]
            with Crowd(SoftParticipant) as crowd:
                owner = crowd.add(first_node, place.path("x"), *options)
                other = crowd.add(second_node, place.path("x"), *options)
                owner.ask("lock")
                self.assertEqual(other.ask("try"), "no", (mount, primitive))
                owner.signal("KILL")
                self.assertEqual(other.ask("lock"), "yes", (mount, primitive))
                self.assertEqual(other.ask("locked"), "yes", (mount, primitive))
                self.assertEqual(other.ask("unlock"), "released", (mount, primitive))
            self.assertEqual(bench.lab.server.shell(f"ls -A {place.on_server()}"), "", (mount, primitive))
