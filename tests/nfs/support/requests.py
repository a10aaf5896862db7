"""Requests that a client has sent, by operation."""

import collections


def sent(node, mount):
    """For one mount since it was made, from /proc/self/mountstats: a Counter by operation, in capitals."""
    counts = collections.Counter()
    here = False
    for line in node.shell("cat /proc/self/mountstats").splitlines():
        words = line.split()
        if line.startswith("device "):
            here = f" mounted on /run/nfs/{mount} " in line
        elif here and len(words) > 8 and words[0].endswith(":") and words[0][:-1].isupper():
            counts[words[0][:-1]] = int(words[1])
    return counts


class Meter:
    """Reads how many were sent since it was read last, while nothing else works on that mount of that node."""

    def __init__(self, node, mount):
        self._source = node, mount
        self._before = sent(*self._source)

    def read(self):
        now = sent(*self._source)
        since, self._before = now - self._before, now
        return since


def shown(counts):
    """4 (CREATE 1, RENAME 2, …)"""
    return f"{sum(counts.values())} ({', '.join(f'{name} {n}' for name, n in sorted(counts.items()))})"
