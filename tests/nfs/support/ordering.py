"""The clock that all nodes share, outside every file system: see process/participant/order.hpp."""

import socket
import threading
import time

from cluster import network

PORT = 9999
SERVICE = f"{network.HOST}:{PORT}"


def start(net):
    """Answers for as long as this process lives."""
    listener = net.listen(PORT)
    threading.Thread(target=_accept, args=(listener,), daemon=True).start()


def _accept(listener):
    while True:
        connection, _ = listener.accept()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=_answer, args=(connection,), daemon=True).start()


def _answer(connection):
    with connection:
        try:
            while connection.recv(1):
                connection.sendall(b"%d\n" % time.monotonic_ns())
        except OSError:
            pass  # a node that crashed
