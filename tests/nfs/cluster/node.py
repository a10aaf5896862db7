"""One node: a User Mode Linux kernel that runs as processes of the host."""

import os
import pathlib
import select
import signal
import socket
import subprocess
import time

from . import network

COMMANDS = 2222  # where a node takes commands
READY = 9000  # where the host hears that a node is up
INIT = pathlib.Path(__file__).resolve().parent.parent / "node-init"

_END = "__END__"


class CommandFailed(Exception):
    """A command on a node did not end with 0; `status` is None when it did not end in time."""

    def __init__(self, node, command, status, output):
        said = "did not end in time" if status is None else f"ended with {status}"
        super().__init__(f"{node}: {command!r} {said}: {output.strip()}")
        self.status = status
        self.output = output


class Node:
    """What is known of it is in files below `state`, so that one process can start it and another drive it."""

    def __init__(self, net, state, name, index):
        self.name = name
        self.index = index
        self._network = net
        self._state = state
        self._pid_file = state / f"{name}.pid"
        self.log = state / f"{name}.log"

    def __str__(self):
        return self.name

    @property
    def address(self):
        return network.address(self.index)

    @property
    def pid(self):
        return int(self._pid_file.read_text())

    def start(self, memory, disk=None):
        """Returns at once; the node announces itself at READY. Children of a dead parent go on."""
        kernel = [
            "linux.uml", f"mem={memory}M", "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "ro", "con=null",
            "con0=fd:0,fd:1", "quiet", "panic=1", f"uml_dir={self._state}/uml", f"umid={self.name}",
            f"eth0=tuntap,{network.Network.link(self.index)},,", f"init={INIT}", f"NODE={self.name}",
            f"ADDRESS={self.address}", f"HOST={network.HOST}", f"COMMANDS={COMMANDS}", f"READY={READY}",
        ]  # fmt: skip
        if disk:
            kernel.append(f"ubda={disk}")
        with open(self.log, "ab") as log:
            process = subprocess.Popen(
                self._network.command(*kernel), stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        self._pid_file.write_text(str(process.pid))

    def alive(self):
        try:
            return pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
        except OSError:
            return False

    def crash(self):
        """No time to say anything to anybody."""
        process = os.pidfd_open(self.pid)
        os.killpg(self.pid, signal.SIGKILL)
        select.select([process], [], [], 30)
        os.close(process)
        _reap(self.pid)

    def pause(self):
        """The machine stands still: no instruction, no packet, until resume()."""
        self._signal_kernel(signal.SIGSTOP)

    def resume(self):
        self._signal_kernel(signal.SIGCONT)

    def cut(self):
        self._network.set_link(self.index, "down")

    def mend(self):
        self._network.set_link(self.index, "up")

    def set_clock(self, shift):
        """As for date -d: "+3 hours", "-90 seconds"."""
        self.shell(f"date -s '{shift}' >/dev/null")

    def connect(self, timeout=30):
        """A connection to a shell of its own."""
        return self._network.connect(self.index, COMMANDS, timeout)

    def shell(self, command, timeout=120):
        """What the command prints; raises CommandFailed."""
        end = time.monotonic() + timeout
        output = ""
        with self.connect(timeout) as connection:
            connection.sendall(f"exec 2>&1; ( {command}\n) </dev/null; status=$?; echo; echo {_END} $status; exit\n".encode())
            lines = connection.makefile("r", errors="replace")
            while True:
                connection.settimeout(max(0.01, end - time.monotonic()))
                try:
                    line = lines.readline()
                except (socket.timeout, OSError):
                    line = ""
                if not line:
                    raise CommandFailed(self, command, None, output)
                if line.startswith(_END):
                    break
                output += line
        status = int(line.split()[1])
        output = output[:-1]
        if status != 0:
            raise CommandFailed(self, command, status, output)
        return output

    def _signal_kernel(self, number):
        # Programs of the node are processes that its kernel traces: they stand still when it does.
        for pid in _group(self.pid):
            os.kill(pid, number)


def _group(leader):
    """The processes of that group that nobody traces."""
    found = []
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            if os.getpgid(int(entry)) != leader:
                continue
            status = pathlib.Path(f"/proc/{entry}/status").read_text()
        except OSError:
            continue
        if "TracerPid:\t0\n" in status:
            found.append(int(entry))
    return found


def _reap(pid):
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        pass  # another process started it
