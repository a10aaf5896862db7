"""Exclusion and writer preference between hosts, on each kind of mount."""

import unittest

from support import bench, judge, table
from support.participant import Crowd

PROCESSES_ON_A_NODE = 3
SECONDS = 15
WRITES_IN_100 = 25


def contend(place, milliseconds, seed=0):
    """Several processes on every client rewrite and check data under one lock. The verdict, and what went wrong."""
    data = place.path("data")
    suffix = " ask" if "nocto" in place.mount else ""
    with Crowd() as crowd:
        nodes = bench.lab.clients * PROCESSES_ON_A_NODE
        crowd.add_side_by_side([(node, place.path("x"), *bench.PATIENT) for node in nodes])
        make_first_version(place, crowd.members[0], data + suffix)
        for i, one in enumerate(crowd.members):
            one.tell(f"contend {milliseconds} {WRITES_IN_100} {seed * 1000 + i + 1} {data}{suffix}")
        wrong = []
        holds = []
        for one in crowd.members:
            reply = one.reply(patience=milliseconds / 1000 + 180)
            wrong += [f"{one}: {reply.text}"] if reply.kind == "failed" else []
            wrong += [f"{one}: data does not fit together at {line.at}: {line.text}" for line in one.hear_all("torn")]
            holds += one.holds()
        for one in crowd.members:
            one.end()
    writes = sum(" write " in hold for hold in holds)
    if not wrong and version_on_server(place) != writes + 1:
        wrong.append(f"{writes + 1} writes left version {version_on_server(place)}: one was lost")
    return judge.judge(holds), wrong


def make_first_version(place, one, data):
    bench.lab.server.shell(f"cd {place.on_server()} && touch data.0 data.1 data.2 && chmod 666 data.*")
    assert one.ask(f"contend 0 100 0 {data}") == "1"
    one.hear_all("torn")  # empty files look so
    one.hear_all("hold")


def version_on_server(place):
    return int(bench.lab.server.shell(f"od -A n -t u8 -N 8 {place.on_server('data.0')}"))


class Exclusion(unittest.TestCase):
    def test_readers_and_writers(self):
        for mount in bench.FOUR:
            with self.subTest(mount):
                self.readers_and_writers_on(mount)

    def test_writer_goes_before_late_reader(self):
        bench.on_all_mounts(self.writer_goes_before_late_reader_on)

    def readers_and_writers_on(self, mount):
        place = bench.Place(mount)
        verdict, wrong = contend(place, SECONDS * 1000)
        table.row(mount, "readers and writers", verdict.holds, verdict.overlaps)
        self.assertEqual(wrong, [])
        self.assertEqual(verdict.overlaps, 0, verdict.text)
        self.assertGreater(verdict.holds, 3 * PROCESSES_ON_A_NODE)
        self.assertGreater(verdict.shared, 0, "no two readers were ever inside together")
        self.assertEqual(place.listing("x"), [])

    def writer_goes_before_late_reader_on(self, mount):
        place = bench.Place(mount)
        first_node, second_node, third_node = bench.lab.clients[:3]
        with Crowd() as crowd:
            reader = crowd.add(first_node, place.path("x"), *bench.PATIENT)
            writer = crowd.add(second_node, place.path("x"), *bench.PATIENT, "tell=claimed")
            late = crowd.add(third_node, place.path("x"), *bench.PATIENT)
            reader.ask("acquire read")
            writer.tell("acquire write")
            writer.await_line("point")
            self.assertEqual(late.ask("try read"), "busy")
            late.tell("acquire read")
            self.assertIsNone(writer.hear("done", "failed"), "a reader is still inside")
            self.assertEqual(reader.ask("verify"), "yes")
            self.assertEqual(reader.ask("release"), "released")
            self.assertEqual(writer.answer(), "yes")
            self.assertIsNone(late.hear("done", "failed", patience=1), "a writer is inside")
            self.assertEqual(writer.ask("release"), "released")
            self.assertEqual(late.answer(), "yes")
            for one in crowd.members:
                one.end()
        self.assertEqual(place.listing("x"), [])
