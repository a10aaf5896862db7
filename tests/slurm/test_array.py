"""An array of 100 jobs on one lock: 99 readers and a writer, by jobs/readers-and-writer.sbatch as it is."""

import unittest

from cluster import bench

WRITER = 30  # so that readers are there before, and keep coming after


class Account:
    """What the tasks noted: who was in from when until when."""

    def __init__(self, text):
        self.stays = []
        self.torn = []
        begun = {}
        for line in text.splitlines():
            mode, task, what, when = line.split()
            if what == "in":
                begun[task] = float(when)
            elif what == "out":
                self.stays.append((begun.pop(task), float(when), mode, int(task)))
            else:
                self.torn.append(line)
        self.unfinished = begun

    def of(self, mode):
        return [stay for stay in self.stays if stay[2] == mode]

    def most_at_a_time(self):
        changes = sorted([(stay[0], 1) for stay in self.stays] + [(stay[1], -1) for stay in self.stays])
        inside = most = 0
        for _, change in changes:
            inside += change
            most = max(most, inside)
        return most


class Array(unittest.TestCase):
    def test_one_writer_among_99_readers(self):
        place = bench.Place("array")
        place.data.write_text("whole\n")
        job = place.submit("readers-and-writer.sbatch", LEASE=60, WRITER=WRITER, REBUILD=bench.WORK / "visit")
        states = job.wait()
        self.assertEqual(set(states), {"COMPLETED"}, place.output())
        account = Account((place.path / "data.account").read_text())
        self.assertEqual((len(account.of("read")), len(account.of("write"))), (99, 1), account.unfinished)
        self.assertEqual(account.torn, [])
        (begin, end, _, _), = account.of("write")
        overlapping = [stay for stay in account.of("read") if stay[0] < end and stay[1] > begin]
        self.assertEqual(overlapping, [])
        before = [stay for stay in account.of("read") if stay[0] < begin]
        after = len(account.of("read")) - len(before)
        first = min(stay[0] for stay in account.stays)
        last = max(stay[1] for stay in account.stays)
        bench.tell(
            f"array of 100 jobs: {len(before)} readers before the writer, {after} after it, at most "
            f"{account.most_at_a_time()} at a time; the writer was in {begin - first:.1f} s after the first reader, all "
            f"were done after {last - first:.1f} s"
        )
        # It need not wait until no more readers come: those that came after its claim let it go first.
        self.assertGreater(after, 0)
        self.assertGreater(account.most_at_a_time(), 1)
