"""Jobs over several nodes: the MPI writer and the self-test."""

import re
import unittest

from cluster import bench, patiently


class Mpi(unittest.TestCase):
    def test_writer_over_three_nodes(self):
        place = bench.Place("mpi")
        job = place.submit("mpi-writer.sbatch", PROGRAM=bench.build / "jobs/mpi_writer", ROUNDS=10, LEASE=30)
        patiently("the first round is published", place.data.exists)
        reader = bench.Waiter(place, "--read", command=("cat", place.data))
        self.assertEqual(job.wait(), ["COMPLETED"], place.output())
        code, said, _ = reader.wait()
        self.assertEqual(code, 0, said)
        # The communicator held all through, so the reader came in after the last round, and all ranks' parts are there.
        lines = [line for line in said.splitlines() if line.startswith("round")]
        self.assertEqual(lines, [f"round {10:8} of rank {rank:8}" for rank in range(6)], said)
        self.assertIn("10 rounds by 6 ranks", place.output())

    def test_selftest_over_three_nodes(self):
        place = bench.Place("selftest")
        job = place.submit("selftest.sbatch", "--nodes=3", "--ntasks-per-node=2", DIRECTORY=place.path, MINUTES=0.2)
        self.assertEqual(job.wait(), ["COMPLETED"], place.output())
        verdict = re.search(r"^CERTIFIED: .*6 ranks on 3 nodes.*$", place.output(), re.M)
        self.assertTrue(verdict, place.output())
        bench.tell(f"self-test by Slurm: {verdict[0].replace(str(place.path), 'DIR')}")
