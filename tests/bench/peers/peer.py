#!/usr/bin/python3
"""One uncontended acquire and release by what Python programs use.

Usage: peer.py DIRECTORY SECONDS CYCLES [NAME]; CYCLES 0: as many as fit into SECONDS. Prints a line of JSON for each lock
that is installed here: its name, and median and 99th percentile of a cycle in microseconds. etcd is asked where
ETCD_ADDRESS says that one listens.
"""

import base64
import http.client
import json
import os
import sys
import time


def filelock_locks(directory):
    import filelock

    kinds = {"filelock SoftFileLock": filelock.SoftFileLock, "filelock FileLock (flock)": filelock.FileLock}
    for name, kind in kinds.items():
        lock = kind(os.path.join(directory, kind.__name__))
        yield f"{name}/write", lock.acquire, lock.release


def fasteners_locks(directory):
    import fasteners

    lock = fasteners.InterProcessReaderWriterLock(os.path.join(directory, "fasteners"))
    yield "fasteners (fcntl)/read", lock.acquire_read_lock, lock.release_read_lock
    yield "fasteners (fcntl)/write", lock.acquire_write_lock, lock.release_write_lock


class Etcd:
    """etcd's own lock service, under one lease for all cycles, over a connection that stays open."""

    def __init__(self, address):
        self._connection = http.client.HTTPConnection(address)
        self._lease = self._ask("/v3/lease/grant", {"TTL": 600})["ID"]
        self._key = None

    def _ask(self, what, body):
        self._connection.request("POST", what, json.dumps(body))
        return json.loads(self._connection.getresponse().read())

    def acquire(self):
        name = base64.b64encode(b"data").decode()
        self._key = self._ask("/v3/lock/lock", {"name": name, "lease": self._lease})["key"]

    def release(self):
        self._ask("/v3/lock/unlock", {"key": self._key})


def etcd_locks(_):
    lock = Etcd(os.environ["ETCD_ADDRESS"])
    yield "etcd on loopback/write", lock.acquire, lock.release


def cycles_of(acquire, release, seconds, cycles):
    samples = []
    end = time.perf_counter() + seconds
    while len(samples) < cycles if cycles else time.perf_counter() < end:
        begin = time.perf_counter()
        acquire()
        release()
        samples.append((time.perf_counter() - begin) * 1e6)
    return sorted(samples)


def main(directory, seconds, cycles, only=None):
    for locks in (filelock_locks, fasteners_locks, etcd_locks):
        try:
            for name, acquire, release in locks(directory):
                if only in (None, name):
                    samples = cycles_of(acquire, release, float(seconds), int(cycles))
                    p50, p99 = samples[len(samples) // 2], samples[len(samples) * 99 // 100]
                    print(json.dumps({"name": name, "p50": p50, "p99": p99}), flush=True)
        except (ImportError, KeyError) as missing:
            print(f"{locks.__name__}: left out: {missing!r}", file=sys.stderr)


main(*sys.argv[1:])
