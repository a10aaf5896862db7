"""The lab that all tests of one run share, and where on it they work."""

import itertools
import os
import pathlib
import time

from cluster import Lab

from . import judge
from .participant import Participant, SoftParticipant, in_parallel

# The mounts on which exclusion must hold.
FOUR = ("v4", "v3", "v4-nocto", "v3-nocto")

# Nobody dies here; a loaded machine may be slow.
PATIENT = ("interval=1000", "lease=9000", "margin=900", "poll_min=5", "poll_max=500")

# Leases that tests see out, yet long enough for a loaded machine to show life in time.
SHORT = ("interval=1000", "lease=4000", "margin=600", "poll_min=20", "poll_max=500")
SHORT_LEASE = 4.0
TWO_POLLS = 1.0

# Asserted on top of lease and polls, for a machine on which everything may take its time.
SLACK = 20.0

lab: Lab = None  # set once, by run

# Where the programs are built when nothing else is said.
BUILD = pathlib.Path(__file__).resolve().parents[3] / "build"

build: pathlib.Path = None  # set once, by run

SKIPPED = 77  # as CMakeLists.txt has it

_numbers = itertools.count(1)


class Place:
    """A fresh directory on the export, seen by every client on one kind of mount."""

    def __init__(self, mount):
        self.mount = mount
        self._name = f"t{os.getpid()}.{next(_numbers)}"  # never one that a client may remember
        lab.server.shell(f"mkdir -m 1777 {self.on_server()}")

    def path(self, name):
        """As clients name it."""
        return f"/run/nfs/{self.mount}/{self._name}/{name}"

    def on_server(self, name=""):
        return lab.on_server(f"{self._name}/{name}")

    def listing(self, lock):
        """What the server itself sees in a lock directory: all but fences and readers/ itself."""
        command = f"cd {self.on_server(lock + '.rwlease')} && find . -mindepth 1 ! -name '.f.*' ! -path ./readers"
        return sorted(lab.server.shell(command).split())


def use(directory):
    """The programs of this build run on the nodes, and judge."""
    global build
    build = directory.resolve()
    programs = build / "tests" / "bin"
    Participant.program = programs / "process-participant"
    SoftParticipant.program = programs / "softlock-participant"
    judge.program = programs / "nfs-judge"


def start(name, clients):
    """Brings up a lab that ends with this process, or takes one that is up."""
    global lab
    lab = Lab(name)
    if lab.network.exists():
        for node in lab.clients:  # programs that were built anew since
            node.shell("echo 3 >/proc/sys/vm/drop_caches")
        return False
    lab.guard()
    lab.up(clients)
    return True


def leftovers():
    """What a lab that was taken down left on this machine."""
    left = [str(lab.state)] if lab.state.exists() else []
    return left + [lab.network.name] if lab.network.exists() else left


def left_beside_the_writer(users, patience=90):
    """What is in the locks of these users, each held by a writer, besides its marker: a writer that holds clears away what
    crashes left, when it has seen that for a lease."""
    end = time.monotonic() + patience
    while users and time.monotonic() < end:
        users = [user for user in users if len(user.place.listing(user.lock)) > 2]
    return [f"{user}: {user.place.listing(user.lock)}" for user in users]


def on_all_mounts(work):
    """work(mount) for all four side by side; the results in their order."""
    return in_parallel(work, FOUR)
