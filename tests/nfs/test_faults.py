"""Machines that stand still, cut links, servers that are away, wrong clocks: holder and waiter on different nodes."""

import time
import unittest

from support import bench, table
from support.pairs import Pair, Pairs
from support.participant import clock_offset, now

# A lease that no load of this machine makes look dead.
LONG = ("interval=1000", "lease=40000", "margin=2000", "poll_min=20", "poll_max=500")


class Faults(unittest.TestCase):
    def setUp(self):
        self.waiting, _, self.holding = bench.lab.clients[:3]
        self.server = bench.lab.server

    def disturb(self, fault, mend):
        """Mended in any case."""
        self.addCleanup(mend)
        fault()
        return now()

    def await_successors(self, pairs, since, test):
        """Every waiter is let in, within lease and two polls and what a loaded machine takes."""
        granted = {}
        for pair in pairs:
            line = pair.waiter.reply()
            self.assertEqual((line.kind, line.text), ("done", "yes"), pair)
            granted[pair] = line
        for mount in bench.FOUR:
            seconds = [(line.heard - since) / 1e9 for pair, line in granted.items() if pair.mount == mount]
            worst = max(seconds)
            table.row(mount, test, len(seconds), 0, worst)
            self.assertLess(worst, bench.SHORT_LEASE + bench.TWO_POLLS + bench.SLACK, mount)
        return granted

    def holder_has_lost(self, pair):
        self.assertEqual(pair.holder.ask("verify"), "no", pair)
        self.assertEqual(pair.holder.ask("release"), "already lost", pair)
        self.assertEqual(pair.waiter.ask("verify"), "yes", pair)
        self.assertEqual(pair.waiter.ask("release"), "released", pair)
        self.assertEqual(pair.finish(), [], pair)

    def nobody_came_in(self, pair):
        if not pair.waits:
            pair.begin_to_wait()
        self.assertIsNone(pair.waiter.hear("done", "failed"), pair)
        self.assertEqual(pair.holder.ask("verify"), "yes", pair)
        self.assertIsNone(pair.waiter.hear("done", "failed"), pair)
        self.assertEqual(pair.holder.ask("release"), "released", pair)
        self.assertEqual(pair.waiter.answer(), "yes", pair)
        self.assertEqual(pair.waiter.ask("release"), "released", pair)
        self.assertEqual(pair.finish(), [], pair)

    def test_holders_machine_stands_still(self):
        with Pairs(self.holding, self.waiting) as pairs:
            since = self.disturb(self.holding.pause, self.holding.resume)
            self.await_successors(pairs.pairs, since, "holder's machine stands still")
            for pair in pairs.pairs:
                pair.holder.tell("valid")  # it finds this when it wakes up
            self.holding.resume()
            for pair in pairs.pairs:
                self.assertEqual(pair.holder.answer(), "no", pair)
                pair.holder.await_line("lost")
            pairs.each(self.holder_has_lost)

    def test_holder_is_cut_off(self):
        with Pairs(self.holding, self.waiting) as pairs:
            offset = min(clock_offset(pair.holder) for pair in pairs.pairs)
            since = self.disturb(self.holding.cut, self.holding.mend)
            granted = self.await_successors(pairs.pairs, since, "holder is cut off")
            self.holding.mend()
            for pair in pairs.pairs:
                told = pair.holder.await_line("lost").at + offset
                self.assertLess(told, granted[pair].heard, f"{pair}: it was told after its successor came in")
                self.assertLess((told - since) / 1e9, bench.SHORT_LEASE + bench.SLACK, pair)
            pairs.each(self.holder_has_lost)

    def test_waiter_is_cut_off(self):
        with Pairs(self.holding, self.waiting) as pairs:
            self.disturb(self.waiting.cut, self.waiting.mend)
            self.let_a_lease_pass()
            self.waiting.mend()
            for pair in pairs.pairs:
                self.assertEqual(pair.holder.ask("valid"), "yes", pair)
            pairs.each(self.nobody_came_in)
            for mount in bench.FOUR:
                table.row(mount, "waiter is cut off", 2, 0)

    def test_server_stands_still_for_less_than_a_lease(self):
        with Pairs(self.holding, self.waiting, LONG) as pairs:
            self.disturb(self.server.pause, self.server.resume)
            self.let_a_lease_pass()  # a short one
            self.server.resume()
            pairs.each(self.nobody_came_in)
            for pair in pairs.pairs:
                self.assertIsNone(pair.holder.hear("lost"), pair)
            for mount in bench.FOUR:
                table.row(mount, "server stands still, less than a lease", 2, 0)

    def test_server_stands_still_for_more_than_a_lease(self):
        self.outage("server stands still, more than a lease", self.server.pause, self.server.resume)

    def test_server_is_rebooted(self):
        def boot():
            if not self.server.alive():
                bench.lab.boot(self.server)

        self.outage("server is rebooted", self.server.crash, boot)

    def outage(self, test, fault, mend):
        """Who holds is told while the mount hangs; as nobody was evicted the lease is renewed afterwards."""
        # A reader for whom a writer waits is not renewed: the writer goes first.
        with Pairs(self.holding, self.waiting, awaited=["write"]) as pairs:
            since = self.disturb(fault, mend)
            for pair in pairs.pairs:
                told = pair.holder.await_line("lost")
                self.assertEqual(told.text, "suspended", pair)
                self.assertLess((told.heard - since) / 1e9, bench.SHORT_LEASE + bench.SLACK, pair)
                self.assertEqual(pair.holder.ask("valid"), "no", pair)
            mend()
            mended = now()
            for pair in pairs.pairs:
                renewed = pair.holder.await_line("renewed")
                if pair.mode == "write":
                    table.row(pair.mount, test, 2, 0, max(0, renewed.heard - mended) / 1e9)
            pairs.each(self.nobody_came_in)

    def test_clocks_are_wrong_and_stepped(self):
        self.addCleanup(self.set_clocks_right)
        self.holding.set_clock("-3 hours")
        self.waiting.set_clock("+5 hours")
        with Pairs(self.holding, self.waiting) as pairs:
            self.waiting.set_clock("+95 seconds")
            self.waiting.set_clock("-1 day")
            self.holding.set_clock("-2 hours")
            self.let_a_lease_pass()
            for pair in pairs.pairs:
                self.assertIsNone(pair.waiter.hear("done", "failed"), pair)
            # The holder can't tell this from a machine that was paused: suspended, then renewed.
            self.holding.set_clock("+4 hours")
            since = now()
            for pair in pairs.pairs:
                self.assertEqual(pair.holder.await_line("lost").text, "suspended", pair)
            for pair in pairs.of("write"):
                pair.holder.await_line("renewed")
            # A suspended reader for whom a writer waits stays suspended and is evicted: the writer goes first.
            self.await_successors(pairs.of("read"), since, "clocks off by hours, reader's stepped")
            since = self.disturb(self.holding.pause, self.holding.resume)
            self.await_successors(pairs.of("write"), since, "clocks off by hours, writer's machine stands still")
            self.holding.resume()
            pairs.each(self.holder_has_lost)

    def set_clocks_right(self):
        for node in (self.holding, self.waiting):
            node.shell(f"date -s @{time.time():.0f} >/dev/null")

    @staticmethod
    def let_a_lease_pass():
        time.sleep(bench.SHORT_LEASE + 2 * bench.TWO_POLLS)  # nothing tells that it did
