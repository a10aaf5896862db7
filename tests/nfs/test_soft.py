"""Soft mounts, where calls fail while the server is away instead of waiting for it."""

import unittest

from support import bench, table
from support.pairs import Pairs
from support.participant import Participant, Refused, now

SOFT = ("v4-soft", "v3-soft")


class Soft(unittest.TestCase):
    def test_server_is_away(self):
        server = bench.lab.server
        waiting, late, holding = bench.lab.clients[:3]
        with Pairs(holding, waiting, mounts=SOFT, awaited=()) as pairs:
            free = {pair: Participant(late, pair.place.path(f"free-{pair.mode}"), *bench.SHORT) for pair in pairs.pairs}
            pairs.members += free.values()
            for pair, one in free.items():
                one.ask(f"acquire {pair.mode}")
                one.ask("release")
            self.addCleanup(server.resume)
            server.pause()
            for pair, one in free.items():
                one.tell(f"acquire {pair.mode} 3000")
            for pair in pairs.pairs:
                self.assertEqual(pair.holder.await_line("lost").text, "suspended", pair)
            for pair, one in free.items():
                with self.assertRaises(Refused, msg=pair) as refusal:
                    one.answer()
                self.assertRegex(str(refusal.exception), r"(Error|Timeout)\|")
            server.resume()
            mended = now()
            for pair in pairs.pairs:
                renewed = pair.holder.await_line("renewed")
                if pair.mode == "write":
                    table.row(pair.mount, "soft mount, server is away", 2, 0, (renewed.heard - mended) / 1e9)
                self.assertEqual(pair.holder.ask("verify"), "yes", pair)
                self.assertEqual(pair.holder.ask("release"), "released", pair)
            for pair, one in free.items():  # nothing that was carried out late is in the way
                one.ask(f"acquire {pair.mode}")
                one.ask("release")
                one.end()
            # What the server carried out late under a hidden name counts for nobody, and a writer clears it away.
            for pair in pairs.pairs:
                pair.waiter.ask("acquire write")
            self.assertEqual(bench.left_beside_the_writer(pairs.pairs), [])
            for pair in pairs.pairs:
                self.assertEqual(pair.waiter.ask("release"), "released", pair)
                self.assertEqual(pair.finish(), [], pair)
