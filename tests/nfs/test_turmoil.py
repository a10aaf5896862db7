"""Contention goes on while machines stand still, links are cut and the server is away: leases run out at any step."""

import time
import unittest

from support import bench, judge, table
from support.participant import Crowd, in_parallel, now

# Long enough for a fault to meet holders.
WORK = ("rounds write 150000", "rounds read 400000")


class Worker:
    """A participant in its rounds, and the holds it has reported."""

    def __init__(self, mount, node, one):
        self.mount = mount
        self.node = node
        self.one = one
        self.holds = []
        self.ran_out = 0

    def await_hold_after(self, since):
        while True:
            line = self.one.await_line("hold", "failed")
            if line.kind == "failed":
                raise AssertionError(f"{self.one}: {line.text}")
            self.holds.append(f"{self.node}.{self.one.pid} {line.text}")
            if int(line.text.split()[2]) > since:
                return

    def stop(self):
        self.one.signal("USR1")
        reply = self.one.reply()
        if reply.kind == "failed":
            raise AssertionError(f"{self.one}: {reply.text}")
        self.holds += self.one.holds()
        self.ran_out = len(self.one.hear_all("ran-out"))
        self.one.end()


class Turmoil(unittest.TestCase):
    def test_contention_through_faults(self):
        places = dict(zip(bench.FOUR, bench.on_all_mounts(bench.Place)))
        first, second, third = bench.lab.clients[:3]
        server = bench.lab.server
        with Crowd() as crowd:
            self.start(crowd, places)
            self.await_progress(self.workers)
            self.go_through(third.pause, third.resume, (first, second))
            self.go_through(second.cut, second.mend, (first, third))
            self.go_through(server.pause, server.resume, ())
            in_parallel(Worker.stop, self.workers)
        for mount in bench.FOUR:
            mine = [worker for worker in self.workers if worker.mount == mount]
            verdict = judge.judge([hold for worker in mine for hold in worker.holds])
            ran_out = sum(worker.ran_out for worker in mine)
            table.row(mount, f"contention through faults; {ran_out} leases ran out", verdict.holds, verdict.overlaps)
            self.assertEqual(verdict.overlaps, 0, f"{mount}: {verdict.text}")

    def start(self, crowd, places):
        plan = [(mount, node, work) for mount in bench.FOUR for node in bench.lab.clients[:3] for work in WORK]
        made = crowd.add_side_by_side(
            [(node, places[mount].path("x"), *bench.SHORT, "longest_wait=300000") for mount, node, _ in plan]
        )
        self.workers = [Worker(mount, node, one) for (mount, node, _), one in zip(plan, made)]
        for (_, _, work), one in zip(plan, made):
            one.tell(work)

    def go_through(self, fault, mend, others):
        """Those on other nodes go on during it, everybody after it."""
        self.addCleanup(mend)
        fault()
        time.sleep(bench.SHORT_LEASE + bench.TWO_POLLS)  # nothing tells that a lease has passed
        self.await_progress([worker for worker in self.workers if worker.node in others])
        mend()
        self.await_progress(self.workers)

    @staticmethod
    def await_progress(workers):
        since = now()
        in_parallel(lambda worker: worker.await_hold_after(since), workers)
