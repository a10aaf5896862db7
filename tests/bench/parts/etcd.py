"""An etcd of our own on loopback, its data where the locks are measured."""

import contextlib
import os
import socket
import subprocess
import time

from parts.place import Programs


def _free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def _wait_for(port, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.05)
    raise TimeoutError(f"etcd does not listen on {port}")


@contextlib.contextmanager
def server(directory):
    """The environment that tells where it listens; just ours where there is none."""
    program = Programs.found("etcd")
    if program is None:
        yield dict(os.environ)
        return
    client, peer = _free_port(), _free_port()
    at = "http://127.0.0.1:"
    command = [program, "--data-dir", f"{directory}/etcd", "--listen-client-urls", f"{at}{client}",
               "--advertise-client-urls", f"{at}{client}", "--listen-peer-urls", f"{at}{peer}",
               "--initial-advertise-peer-urls", f"{at}{peer}", "--initial-cluster", f"default={at}{peer}"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(client)
        yield {**os.environ, "ETCD_ADDRESS": f"127.0.0.1:{client}"}
    finally:
        process.terminate()
        process.wait()
