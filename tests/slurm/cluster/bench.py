"""What the tests share: the lab, the programs of the build, and what is printed at the end."""

import os
import pathlib
import subprocess
import tempfile
import time

from .slurm import Job, patiently

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent
WORK = HERE / "work"
JOBS = ROOT / "jobs"

build = ROOT / "build"
lab = None
table = []  # lines


def use(directory):
    global build
    build = directory.resolve()
    os.environ["PATH"] = f"{build / 'bin'}:{os.environ['PATH']}:/usr/sbin:/sbin"
    os.environ["OMPI_MCA_mpi_yield_when_idle"] = "1"


def tell(line):
    print(line, flush=True)
    table.append(line)


class Place:
    """A directory on the scratch for one test, with a data set's name in it."""

    def __init__(self, name):
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=f"{name}-", dir=lab.scratch))
        self.data = self.path / "data"

    def submit(self, script, *options, **environment):
        """A script of jobs/, as it is; what is in it by default is changed by its variables."""
        everything = {"DATA": self.data, "REBUILD": WORK / "hold", "ANALYSE": WORK / "visit", **environment}
        return Job(JOBS / script, f"--chdir={self.path}", *options, output=self.path / "output", environment=everything)

    def output(self):
        return (self.path / "output").read_text()

    def await_holder(self):
        patiently("the job works under its lease", (self.path / "data.new.begun").exists)


def code_of(*words):
    """How rwlease ends with these words, on the login node."""
    return subprocess.run(["rwlease", *words], stdin=subprocess.DEVNULL, check=False).returncode


class Waiter:
    """On the login node: a command under a lease on the place's data, for which it waits."""

    def __init__(self, place, *options, lease=20, command=("true",)):
        words = ["rwlease", "run", "--lease", str(lease), *options, str(place.data), "--", *map(str, command)]
        self._process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def is_waiting(self):
        return self._process.poll() is None

    def wait(self):
        """Its exit code and what was said, and by which clock it was over."""
        said, _ = self._process.communicate(timeout=400)
        return self._process.returncode, said, time.monotonic()
