"""One uncontended acquire and release: median, 99th percentile, system calls, and the ratio to the bare calls."""

import collections
import json
import os
import statistics
import subprocess
import tempfile

from parts import etcd
from parts.place import PEERS, Programs, places, scratch, skip

_ROUNDS = 7
_SECONDS = 0.15  # for each lock in a round
_REFERENCE = {"read": "bare calls/read", "write": "bare calls/write"}
_PEERS = {"peer.py": "/usr/bin/python3", "peer.pl": "perl", "peer.js": "node"}  # what runs them


def _own(programs, directory, seconds, cycles, only=None):
    """bench-cycle's command; its figures come as Google Benchmark's JSON."""
    command = [programs.bench("cycle"), directory, str(cycles),
               "--benchmark_format=json", f"--benchmark_min_time={seconds}"]
    return command if only is None else [*command, f"--benchmark_filter=^{only}(/iterations|$)"]


def _own_figures(output):
    for each in json.loads(output)["benchmarks"]:
        if each.get("error_occurred"):
            skip(each["name"], each["error_message"])
        else:
            yield {"name": each["name"].split("/iterations")[0], "p50": each["p50"], "p99": each["p99"]}


def _peer(program, directory, seconds, cycles, only=None):
    command = [str(PEERS / program), directory, str(seconds), str(cycles)]
    return command if only is None else [*command, only]


def _peer_figures(output):
    return map(json.loads, output.splitlines())


def _contestants(programs):
    """For each program that there is: how to call it, and how to read what it prints."""
    yield lambda *rest: _own(programs, *rest), _own_figures
    for program, interpreter in _PEERS.items():
        if Programs.found(interpreter):
            yield lambda *rest, program=program: _peer(program, *rest), _peer_figures


def _run(command, environment, tell):
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=None if tell else subprocess.DEVNULL,
                          text=True, check=False)
    if done.returncode != 0 and tell:
        skip(command[0], f"it ended with {done.returncode}")
    return done.stdout if done.returncode == 0 else ""


def _calls_in(command, environment):
    """All system calls of a program and its children."""
    with tempfile.NamedTemporaryFile("r") as counts:
        subprocess.run(["strace", "-f", "-c", "-U", "calls", "-o", counts.name, *command], env=environment,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        lines = [line.split() for line in counts.read().splitlines()]
    return next(int(line[0]) for line in lines if line[1:] == ["total"])


def _calls_per_cycle(command, parent, name, environment):
    """What more cycles add, so that start and end don't count."""
    few, many = 20, 120
    counted = []
    for cycles in (few, many):
        with scratch(parent) as directory:
            counted.append(_calls_in(command(directory, 0, cycles, name), environment))
    return round((counted[1] - counted[0]) / (many - few), 1)


def _with_ratios(rounds):
    """The median of all rounds, of figures and of ratios within a round."""
    figures = {}
    for name in rounds[0]:
        seen = [each for each in rounds if name in each]
        reference = _REFERENCE[name.rsplit("/", 1)[1].split()[0]]
        figures[name] = {
            "p50": statistics.median(each[name]["p50"] for each in seen),
            "p99": statistics.median(each[name]["p99"] for each in seen),
            "ratio": statistics.median(each[name]["p50"] / each[reference]["p50"] for each in seen),
        }
    return figures


def _measure_in(programs, parent):
    contestants = list(_contestants(programs))
    rounds = collections.defaultdict(dict)
    callers = {}
    with scratch(parent) as data, etcd.server(data) as environment:
        environment["NODE_PATH"] = os.pathsep.join(filter(None, [environment.get("NODE_PATH"), "/usr/share/nodejs"]))
        for turn in range(_ROUNDS):
            for command, read in contestants:
                with scratch(parent) as directory:
                    output = _run(command(directory, _SECONDS, 0), environment, tell=turn == 0)
                for each in read(output) if output else []:
                    rounds[turn][each["name"]] = each
                    callers[each["name"]] = command
        figures = _with_ratios(list(rounds.values()))
        if Programs.found("strace"):
            for name, command in callers.items():
                figures[name]["calls"] = _calls_per_cycle(command, parent, name, environment)
    return figures


def measure(programs, directories):
    return {name: _measure_in(programs, directory) for name, directory in places(directories).items()}
