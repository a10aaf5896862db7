"""A process on a node that uses a lock: process/participant, driven over the network as C++ tests drive it by pipes."""

import collections
import threading
import time

from cluster import CommandFailed

from . import ordering

# For what must come, on a loaded machine, after an outage. It only bounds a failure.
PATIENCE = 180

# When it was said by the node's clock, and heard by the host's, in nanoseconds.
Line = collections.namedtuple("Line", "at kind text heard")


class Gone(Exception):
    """It ended, or did not say in time what it had to."""


class Refused(Exception):
    """The library refused: TYPE|errno|message."""


class Program:
    """Any program on a node that takes commands as lines and answers with lines "STAMP KIND TEXT"."""

    def __init__(self, node, words):
        self.node = node
        self._heard = []
        self._transcript = collections.deque(maxlen=50)
        self._changed = threading.Condition()  # guards what is above
        self._ended = False
        self._connection = node.connect()
        self._connection.settimeout(None)
        self.tell("echo 0 pid $$; exec " + " ".join(map(str, words)) + " 2>&1")
        threading.Thread(target=self._listen, daemon=True).start()
        self.pid = int(self.await_line("pid").text)

    def tell(self, command):
        self._connection.sendall(command.encode() + b"\n")

    def await_line(self, *kinds, patience=PATIENCE):
        """The next line of one of these kinds; others stay to be awaited later."""
        line = self.hear(*kinds, patience=patience)
        if line is None:
            with self._changed:
                heard = "\n".join(self._transcript)
            raise Gone(f"{self}: awaiting {'/'.join(kinds)}; heard:\n{heard}")
        return line

    def hear(self, *kinds, patience=0):
        """Such a line if it has come or comes in time."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended or self._find(kinds) is not None, patience)
            found = self._find(kinds)
            return None if found is None else self._heard.pop(found)

    def hear_all(self, kind):
        lines = []
        while line := self.hear(kind):
            lines.append(line)
        return lines

    def reply(self, patience=PATIENCE):
        return self.await_line("done", "failed", patience=patience)

    def ask(self, command):
        """Its answer, for a command that must not fail."""
        self.tell(command)
        return self.answer()

    def answer(self, patience=PATIENCE):
        reply = self.reply(patience)
        if reply.kind == "failed":
            raise Refused(f"{self}: {reply.text}")
        return reply.text

    def signal(self, name):
        self.node.shell(f"kill -{name} {self.pid}")

    def kill(self):
        try:
            self.signal("KILL")
        except (CommandFailed, OSError):
            pass  # it is gone, or its node is

    def end(self):
        """Ends its input: it gives back what it holds and ends."""
        try:
            self._connection.shutdown(1)
        except OSError:
            return
        with self._changed:
            self._changed.wait_for(lambda: self._ended, PATIENCE)
        self.drop()

    def drop(self):
        """Lets go of one whose node crashed, or that is to end by itself."""
        self._connection.close()

    def __str__(self):
        return f"process {getattr(self, 'pid', '?')} on {self.node}"

    def _find(self, kinds):
        return next((i for i, line in enumerate(self._heard) if line.kind in kinds), None)

    def _listen(self):
        try:
            for text in self._connection.makefile("r", errors="replace"):
                self._take(text.rstrip("\n"))
        except (OSError, ValueError):
            pass  # dropped
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _take(self, text):
        stamp, _, rest = text.partition(" ")
        kind, _, rest = rest.partition(" ")
        with self._changed:
            self._transcript.append(text)
            if stamp.isdigit():
                self._heard.append(Line(int(stamp), kind, rest, now()))
            self._changed.notify_all()


class Participant(Program):
    program = None  # set once, by run

    def __init__(self, node, lock, *options):
        super().__init__(node, [self.program, lock, f"order={ordering.SERVICE}", *options])
        first = self.await_line("ready", "unable")
        if first.kind == "unable":
            raise Gone(f"{self}: {first.text}")

    def holds(self):
        """What it reported until now, as the judge takes it."""
        who = f"{self.node}.{self.pid}"
        return [f"{who} {line.text}" for line in self.hear_all("hold")]


class SoftParticipant(Participant):
    """The same for soft locks: tests/softlock/participant."""

    program = None  # set once, by run


class Crowd:
    """Participants that work side by side and are all ended at the end of a with statement."""

    def __init__(self, kind=Participant):
        self._kind = kind
        self.members = []

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is not None:  # what is left of a test that failed must not disturb the next
            in_parallel(Program.kill, self.members)
        for one in self.members:
            one.drop()

    def add(self, *arguments):
        self.members.append(self._kind(*arguments))
        return self.members[-1]

    def add_side_by_side(self, many):
        """Many of them, given by their arguments, in that order."""
        made = in_parallel(lambda arguments: self._kind(*arguments), many)
        self.members += made
        return made


def clock_offset(one):
    """The host's clock minus that of the participant's node, in nanoseconds; at most a reply's way too much."""
    lines = []
    for _ in range(5):
        one.tell("status")
        lines.append(one.reply())
    return min(line.heard - line.at for line in lines)


def in_parallel(work, items):
    """work(item) for all at once; the results in order, or the first exception."""
    items = list(items)
    results = [None] * len(items)
    errors = []

    def do(i):
        try:
            results[i] = work(items[i])
        except BaseException as error:  # handed on below
            errors.append(error)

    threads = [threading.Thread(target=do, args=(i,)) for i in range(len(items))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


def now():
    """What the ordering service would say."""
    return time.monotonic_ns()
