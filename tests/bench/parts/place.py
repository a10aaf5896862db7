"""Where it is measured, and with what."""

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PEERS = pathlib.Path(__file__).resolve().parents[1] / "peers"


def skip(what, why):
    print(f"{what}: left out: {why}", file=sys.stderr, flush=True)


class Programs:
    """Those of the build, and of this machine."""

    def __init__(self, build):
        self._build = build

    def bench(self, name):
        return str(self._build / "tests" / "bin" / f"bench-{name}")

    def command(self, name):
        return str(self._build / "bin" / name)

    @staticmethod
    def found(name):
        """Of the machine; None after a line that says so where it is missing."""
        path = shutil.which(name)
        if path is None:
            skip(name, "it is not installed")
        return path


def json_lines(command, **more):
    """What a program prints, a figure on each line; nothing, after a line that says so, where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, **more)
    if done.returncode != 0:
        skip(command[0], f"it ended with {done.returncode}")
        return []
    return [json.loads(line) for line in done.stdout.splitlines()]


def file_system(directory):
    command = ["stat", "--file-system", "--format=%T", directory]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip().replace("ext2/ext3", "ext4")


def places(directories):
    """Where there is memory, where there is a disk, and what was asked for: name and directory."""
    found = {}
    for directory in ["/dev/shm", os.environ.get("TMPDIR", "/tmp"), "/var/tmp"]:
        if os.access(directory, os.W_OK):
            found.setdefault(file_system(directory), directory)
    found.update({f"{file_system(each)} {each}": str(each) for each in directories})
    return found


@contextlib.contextmanager
def scratch(directory):
    with tempfile.TemporaryDirectory(prefix="rwlease-bench-", dir=directory) as path:
        yield path
