"""The lab's network: a namespace of its own with a bridge in it, and one link for each node."""

import contextlib
import ctypes
import os
import socket
import subprocess

HOST = "10.77.0.254"

_CLONE_NEWNET = 0x40000000
_libc = ctypes.CDLL(None, use_errno=True)


def address(index):
    return f"10.77.0.{index}"


def _ip(*arguments):
    done = subprocess.run(["ip", *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        raise OSError(f"ip {' '.join(arguments)}: {done.stderr.strip()}")
    return done.stdout


def _enter(descriptor):
    if _libc.setns(descriptor, _CLONE_NEWNET) == -1:
        error = ctypes.get_errno()
        raise OSError(error, f"entering a network namespace: {os.strerror(error)}")


class Network:
    """All addresses are of this namespace, so that labs side by side do not see each other."""

    def __init__(self, name):
        self.name = name
        self._path = f"/run/netns/{name}"

    def create(self, links):
        _ip("netns", "add", self.name)
        self._inside("link", "set", "lo", "up")
        self._inside("link", "add", "br0", "type", "bridge")
        self._inside("address", "add", HOST + "/24", "dev", "br0")
        self._inside("link", "set", "br0", "up")
        for index in links:
            self._inside("tuntap", "add", "dev", self.link(index), "mode", "tap")
            self._inside("link", "set", self.link(index), "master", "br0", "up")

    def exists(self):
        return os.path.exists(self._path)

    def remove(self):
        if self.exists():
            _ip("netns", "delete", self.name)

    def processes(self):
        return [int(pid) for pid in _ip("netns", "pids", self.name).split()] if self.exists() else []

    def command(self, *words):
        """The command that runs `words` in the namespace."""
        return ["ip", "netns", "exec", self.name, *words]

    @staticmethod
    def link(index):
        return f"tap{index}"

    def set_link(self, index, state):
        self._inside("link", "set", self.link(index), state)

    def connect(self, index, port, timeout):
        with self._entered():
            connection = socket.create_connection((address(index), port), timeout)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection

    def listen(self, port):
        with self._entered():
            return socket.create_server((HOST, port), backlog=256)

    def _inside(self, *arguments):
        _ip("-n", self.name, *arguments)

    @contextlib.contextmanager
    def _entered(self):
        """A socket belongs to the namespace in which it was made. Only this thread is there meanwhile."""
        home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        there = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            _enter(there)
            yield
        finally:
            _enter(home)
            os.close(there)
            os.close(home)
