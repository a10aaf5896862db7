"""How a job that holds a lease can end, and when the next one gets in. By jobs/serial.sbatch and jobs/mpi-writer.sbatch.

The waiter is on another host than the holder, so nothing is proven to it about processes.
"""

import concurrent.futures
import time
import unittest

from cluster import bench, patiently
from cluster.slurm import command, sinfo

SHORT = 20  # a lease that is waited out
LONG = 400  # a lease that nobody waits for here: who gets in earlier was let in
SLACK = 40  # for a slow machine; what is asserted is the order
POLLS = 2
NOTHING_TO_DO = 1  # rwlease break


class Ending:
    """A job that holds a lease, and somebody who waits for it."""

    def __init__(self, name, script, *options, lease, **environment):
        self.name = name
        self.place = bench.Place(name.replace(" ", "-"))
        self.place.data.write_text("old\n")
        self.lease = lease
        self.job = self.place.submit(script, *options, LEASE=lease, **environment)

    def begin_to_wait(self, *options):
        self.waiter = bench.Waiter(self.place, "--write", *options, lease=SHORT)
        patiently("the waiter's claim is there", self._is_claimed)
        assert self.waiter.is_waiting(), self.waiter.wait()

    def _is_claimed(self):
        return '"waiting"' in command("rwlease", "status", "--json", str(self.place.data))

    def end_by(self, action):
        began = time.monotonic()
        action()
        code, said, over = self.waiter.wait()
        assert code == 0, said
        self.took = over - began
        bench.tell(f"{self.name}: the next one is in after {self.took:.1f} s (lease: {self.lease} s)")

    def must_be_released(self):
        """Long before the lease could have passed."""
        assert self.took < LONG / 2, f"{self.name}: {self.took}"

    def must_be_waited_out(self):
        """The last heartbeat can be an interval before the end."""
        interval = self.lease / 3
        assert self.lease - interval - 1 < self.took < self.lease + POLLS + SLACK, f"{self.name}: {self.took}"

    def must_leave_old_data(self):
        assert self.place.data.read_text() == "old\n"


def cancelled():
    ending = Ending("scancel", "serial.sbatch", "-w", "n1", lease=LONG)
    ending.place.await_holder()
    ending.begin_to_wait()
    ending.end_by(ending.job.cancel)
    ending.must_be_released()
    ending.must_leave_old_data()
    assert ending.job.wait() == ["CANCELLED"]


def time_limit():
    ending = Ending("time limit", "serial.sbatch", "-w", "n1", "--time=1", "--signal=B:TERM@10", lease=LONG)
    ending.place.await_holder()
    ending.begin_to_wait()
    ending.end_by(lambda: None)
    ending.must_be_released()
    ending.must_leave_old_data()
    assert ending.job.wait() in (["FAILED"], ["TIMEOUT"]), ending.job.states()


def does_not_listen():
    ending = Ending("killed without a word", "serial.sbatch", "-w", "n2", lease=SHORT, STUBBORN="yes")
    ending.place.await_holder()
    ending.begin_to_wait()
    ending.end_by(ending.job.cancel)
    ending.must_be_waited_out()
    ending.must_leave_old_data()


def ranks_cancelled():
    program = bench.build / "jobs/mpi_writer"
    where = ("-w", "n1,n2", "--nodes=2")
    ending = Ending("scancel of an MPI job", "mpi-writer.sbatch", *where, lease=LONG, PROGRAM=program, ROUNDS=100000)
    patiently("a round is published", lambda: ending.place.data.read_text() != "old\n")
    ending.begin_to_wait()
    ending.end_by(ending.job.cancel)
    ending.must_be_released()
    parts = {line.split()[1] for line in ending.place.data.read_text().splitlines()}
    assert len(parts) == 1, parts  # one version, whole


def node_fails():
    node = bench.lab.nodes[2]
    ending = Ending("node failure", "serial.sbatch", "-w", node.name, lease=SHORT)
    ending.place.await_holder()
    ending.begin_to_wait()
    ending.end_by(node.power_off)
    ending.must_be_waited_out()
    ending.must_leave_old_data()
    # Slurm notices, and puts the job back into its queue; what it left is not in its way.
    command("scontrol", "update", f"nodename={node.name}", "state=down", "reason=test")
    patiently("the job is requeued", lambda: ending.job.states() == ["PENDING"])
    node.start()
    patiently("the node is back", lambda: node.name in sinfo("idle"))
    command("scontrol", "update", f"jobid={ending.job.id}", "starttime=now")
    assert ending.job.wait() == ["COMPLETED"], ending.place.output()
    assert ending.place.data.read_text() == "new\n"


def node_fails_and_slurm_is_asked():
    """A long lease, but the waiter takes Slurm's word that the job is over."""
    node = bench.lab.nodes[2]
    ending = Ending("node failure, --slurm", "serial.sbatch", "-w", node.name, "--no-requeue", lease=LONG)
    ending.place.await_holder()
    ending.begin_to_wait("--slurm")

    def fail():
        node.power_off()
        command("scontrol", "update", f"nodename={node.name}", "state=down", "reason=test")

    ending.end_by(fail)
    ending.must_be_released()
    ending.must_leave_old_data()
    assert ending.job.wait() == ["NODE_FAIL"]
    node.start()
    patiently("the node is back", lambda: node.name in sinfo("idle"))


def node_fails_and_its_holder_is_removed():
    """A long lease that nobody waits for: those who look ask Slurm."""
    node = bench.lab.nodes[2]
    place = bench.Place("node-failure-break")
    place.data.write_text("old\n")
    job = place.submit("serial.sbatch", "-w", node.name, "--no-requeue", LEASE=LONG)
    place.await_holder()
    assert bench.code_of("break", "--dead", "--slurm", str(place.data)) == NOTHING_TO_DO
    node.power_off()
    command("scontrol", "update", f"nodename={node.name}", "state=down", "reason=test")
    assert bench.code_of("wait", "--slurm", "--timeout", str(LONG / 2), str(place.data)) == 0
    assert bench.code_of("break", "--dead", str(place.data)) == NOTHING_TO_DO
    assert bench.code_of("break", "--dead", "--slurm", str(place.data)) == 0
    assert bench.code_of("wait", "--timeout", "0", str(place.data)) == 0
    assert job.wait() == ["NODE_FAIL"]
    node.start()
    patiently("the node is back", lambda: node.name in sinfo("idle"))


class Endings(unittest.TestCase):
    def test_each_at_the_same_time(self):
        cases = (cancelled, time_limit, does_not_listen, ranks_cancelled, node_fails)
        with concurrent.futures.ThreadPoolExecutor(len(cases)) as pool:
            running = {case.__name__: pool.submit(case) for case in cases}
        for name, future in running.items():
            with self.subTest(name):
                future.result()

    def test_slurm_is_asked(self):
        node_fails_and_slurm_is_asked()

    def test_slurm_is_asked_by_hand(self):
        node_fails_and_its_holder_is_removed()
