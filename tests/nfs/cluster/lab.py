"""The whole lab: brought up, changed and taken down."""

import os
import pathlib
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from . import network, node

_EXPORT = "/run/disk/export"
_PROGRAMS = ("linux.uml", "ip", "mkfs.ext4", "rpc.nfsd", "mount.nfs", "rpcbind", "socat", "modprobe")
_SERVER_INDEX = 10
_DISK_MIB = 512
_CLIENT_MIB = 192
_SERVER_MIB = 192
_PATIENCE = 300  # for a boot; only bounds a failure

# Mount options by the mount's name; it is at /run/nfs/NAME on every client.
MOUNTS = {
    "v4": "vers=4.2",
    "v3": "vers=3,nolock",
    "v4-nocto": "vers=4.2,nocto,actimeo=600,nosharecache",
    "v3-nocto": "vers=3,nolock,nocto,actimeo=600,nosharecache",
    "v4-soft": "vers=4.2,soft,timeo=20,retrans=1,nosharecache",
    "v3-soft": "vers=3,nolock,soft,timeo=20,retrans=1,nosharecache",
}


class Unavailable(Exception):
    """There can be no lab here; the text says why."""


class Lab:
    """A lab by its name, whether it is up or not. Several processes may use one."""

    def __init__(self, name="default"):
        self.name = name
        self.state = pathlib.Path(tempfile.gettempdir()) / f"rwlease-lab-{name}"
        self.network = network.Network(f"rwlease-{name}")
        self.server = node.Node(self.network, self.state, "server", _SERVER_INDEX)
        count = len(list(self.state.glob("n*.pid")))
        self.clients = [self._client(i) for i in range(1, count + 1)]

    def nodes(self):
        return [self.server, *self.clients]

    def node(self, name):
        for one in self.nodes():
            if one.name == name:
                return one
        raise LookupError(f"there is no node {name} in the lab {self.name}; it has {', '.join(map(str, self.nodes()))}")

    def up(self, clients):
        """Raises Unavailable, or FileExistsError when it is up already. Takes down what it began when it fails."""
        require()
        self.state.mkdir(mode=0o700)
        try:
            self._start(clients)
        except BaseException:
            self.down()
            raise

    def guard(self):
        """From now on the lab goes down when the calling process ends, however it ends."""
        owner = os.pidfd_open(os.getpid())
        child = os.fork()
        if child != 0:
            os.waitpid(child, 0)
            os.close(owner)
            return
        # Out of the reach of whoever ends the caller with all its children.
        os.setsid()
        if os.fork() == 0:
            nothing = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nothing, descriptor)
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.SIG_IGN)
            select.select([owner], [], [])
            self.down()
        os._exit(0)

    def down(self):
        """Ends all its processes, removes namespace and files. Fine on what is down already."""
        end = time.monotonic() + 60
        while left := self.network.processes():
            if time.monotonic() > end:
                raise TimeoutError(f"processes of the lab {self.name} do not end: {left}")
            _kill(left)
        self.network.remove()
        shutil.rmtree(self.state, ignore_errors=True)
        self.clients = []

    def boot(self, *nodes):
        """Starts nodes that crashed, side by side; clients get their mounts again."""
        with self.network.listen(node.READY) as ready:
            for one in nodes:
                if one is self.server:
                    one.start(_SERVER_MIB, self._disk())
                else:
                    one.start(_CLIENT_MIB)
            self._await(ready, nodes)
        for one in nodes:
            if one is not self.server:
                self.mount(one)

    def mount(self, client, names=tuple(MOUNTS)):
        for name in names:
            options = MOUNTS[name]
            source = f"{self.server.address}:{_EXPORT if 'vers=3' in options else '/'}"
            client.shell(f"mkdir -p /run/nfs/{name} && mount -t nfs -o {options} {source} /run/nfs/{name}", 180)

    @staticmethod
    def on_server(path):
        """Where the server itself sees what clients see at /run/nfs/MOUNT/path."""
        return f"{_EXPORT}/{path}"

    def _client(self, number):
        return node.Node(self.network, self.state, f"n{number}", number)

    def _disk(self):
        return self.state / "server.img"

    def _start(self, clients):
        self.clients = [self._client(i) for i in range(1, clients + 1)]
        try:
            self.network.create([one.index for one in self.nodes()])
        except OSError as error:
            raise Unavailable(f"no network namespace with links can be made here: {error}") from error
        os.makedirs("/lib/modules", exist_ok=True)  # nodes mount theirs there
        with open(self._disk(), "wb") as disk:
            disk.truncate(_DISK_MIB << 20)
        subprocess.run(["mkfs.ext4", "-q", self._disk()], check=True, stdin=subprocess.DEVNULL)
        self.boot(*self.nodes())

    def _await(self, ready, nodes):
        missing = {one.name: one for one in nodes}
        ends = {os.pidfd_open(one.pid): one for one in nodes}
        end = time.monotonic() + _PATIENCE
        try:
            while missing:
                come, _, _ = select.select([ready, *ends], [], [], max(0, end - time.monotonic()))
                ended = [one for descriptor, one in ends.items() if descriptor in come]
                if ended or not come:
                    raise RuntimeError(_why_no_boot(ended or missing.values()))
                connection, _ = ready.accept()
                with connection:
                    connection.settimeout(30)
                    missing.pop(_first_line(connection), None)
        finally:
            for descriptor in ends:
                os.close(descriptor)


def require():
    """Raises Unavailable where there can be no lab."""
    if os.geteuid() != 0:
        raise Unavailable("it needs root")
    if not os.path.exists("/dev/net/tun"):
        raise Unavailable("it needs /dev/net/tun")
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    os.environ["PATH"] = path
    missing = [program for program in _PROGRAMS if not shutil.which(program)]
    if missing:
        raise Unavailable(f"it needs {', '.join(missing)}: jobs/install-packages.sh nfs")


def _first_line(connection):
    try:
        return connection.makefile().readline().strip()
    except (socket.timeout, OSError):
        return ""


def _why_no_boot(nodes):
    logs = [f"{one}:\n{one.log.read_text(errors='replace')[-2000:]}" for one in nodes]
    return "nodes did not come up; what they said:\n" + "\n".join(logs)


def _kill(pids):
    ends = []
    for pid in pids:
        try:
            ends.append(os.pidfd_open(pid))
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    for end in ends:
        select.select([end], [], [], 10)
        os.close(end)
    for pid in pids:
        try:
            os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass  # started by another process
