"""Ranks on several hosts that take one lease together: the quick start's program and the self-test over two nodes."""

import json
import pathlib
import shlex
import shutil
import unittest

from support import bench, table

AGENT = pathlib.Path(__file__).resolve().parent / "mpi-agent"
NETWORK = "10.77.0.0/24"
ROUNDS = 2


def over_two_nodes(ranks_each, program):
    """Runs it under mpirun, started on the first client. A Failed has what it printed."""
    nodes = bench.lab.clients[:2]
    launch = [
        shutil.which("mpirun"), "--mca", "plm_rsh_agent", AGENT, "--mca", "orte_tmpdir_base", "/run", "--mca", "btl", "tcp,self",
        "--mca", "btl_tcp_if_include", NETWORK, "--mca", "oob_tcp_if_include", NETWORK,
        "--host", ",".join(f"{node.address}:{ranks_each}" for node in nodes), "-np", len(nodes) * ranks_each,
    ]  # fmt: skip
    environment = "cd /run; export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 TMPDIR=/run HOME=/run"
    return nodes[0].shell(f"{environment}; {shlex.join(map(str, launch + program))}", timeout=300)


class Mpi(unittest.TestCase):
    def program(self, name):
        path = bench.build / "bin" / name
        if not (path.exists() and shutil.which("mpirun")):
            self.skipTest(f"{name} or mpirun is missing")
        return path

    def test_two_nodes_write_together(self):
        demo = self.program("rwlease-demo")
        for mount in ("v4", "v3"):
            with self.subTest(mount):
                self.write_on(mount, demo)

    def write_on(self, mount, demo):
        first, second = bench.lab.clients[:2]
        place = bench.Place(mount)
        data = place.path("data")
        first.shell(f"mkdir {data}")
        over_two_nodes(1, [
            demo, "write", "--ranks", 2, "--lock", place.path("data-set"), "--data", data, "--account",
            place.path("account"), "--rounds", ROUNDS, "--size", 2, "--interval", 2, "--lease", 20,
        ])  # fmt: skip
        check = [demo, "check", "--data", data, "--account", place.path("account"), "--size", 2]
        second.shell(shlex.join(map(str, check)))
        lines = bench.lab.server.shell(f"cat {place.on_server('account')}").splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["write"] * ROUNDS + ["check"])
        self.assertTrue(all(line.endswith(" ok") for line in lines), lines)
        self.assertEqual(place.listing("data-set"), [])
        table.row(mount, "MPI, two ranks on two nodes", ROUNDS, 0)

    def test_selftest_certifies(self):
        selftest = self.program("rwlease-selftest")
        for mount in bench.FOUR:
            with self.subTest(mount):
                self.certify(mount, selftest)

    def certify(self, mount, selftest):
        first = bench.lab.clients[0]
        place = bench.Place(mount)
        report = "/run/selftest.json"
        over_two_nodes(2, [selftest, place.path(""), "--minutes", 0.2, "--lease", 3, "--json", report])
        verdict = json.loads(first.shell(f"cat {report}; rm {report}"))
        self.assertEqual(verdict["verdict"], "certified", verdict)
        table.row(mount, "self-test, two ranks on each of two nodes", 1, 0)
