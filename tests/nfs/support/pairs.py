"""Holders on one node and those who wait for them on another, on all four mounts and in both modes at once."""

from . import bench
from .participant import Crowd, in_parallel


class Pair:
    def __init__(self, place, mode, holder, waiter):
        self.place = place
        self.mount = place.mount
        self.mode = mode
        self.lock = f"x-{mode}"
        self.holder = holder
        self.waiter = waiter
        self.wants = "read" if mode == "write" else "write"
        self.waits = False

    def __str__(self):
        return f"{self.mount}, {self.mode} lease"

    def acquire(self):
        self.holder.ask(f"acquire {self.mode}")
        self.holder.ask("watch")

    def begin_to_wait(self):
        self.waiter.ask("tell-when-waiting")
        self.waiter.tell(f"acquire {self.wants}")
        self.waiter.await_line("waiting")
        self.waits = True

    def finish(self):
        """Both let go; what the server then sees in the lock directory."""
        for one in (self.holder, self.waiter):
            one.end()
        return self.place.listing(self.lock)


class Pairs(Crowd):
    """Holders hold when the with statement begins, and waiters wait for those who hold in one of the modes `awaited`."""

    def __init__(self, holders, waiters, terms=bench.SHORT, mounts=bench.FOUR, awaited=("read", "write")):
        super().__init__()
        self._nodes = holders, waiters
        self._terms = terms
        self._mounts = mounts
        self._awaited = awaited
        self.pairs = []

    def __enter__(self):
        places = in_parallel(bench.Place, self._mounts)
        wanted = [(place, mode) for place in places for mode in ("read", "write")]
        many = [(node, place.path(f"x-{mode}"), *self._terms) for place, mode in wanted for node in self._nodes]
        made = self.add_side_by_side(many)
        self.pairs = [Pair(*wanted[i], made[2 * i], made[2 * i + 1]) for i in range(len(wanted))]
        self.each(Pair.acquire)
        in_parallel(Pair.begin_to_wait, self.of(*self._awaited))
        return self

    def of(self, *modes):
        return [pair for pair in self.pairs if pair.mode in modes]

    def each(self, work):
        return in_parallel(work, self.pairs)
