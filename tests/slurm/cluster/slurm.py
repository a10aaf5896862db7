"""What is asked of Slurm."""

import os
import re
import subprocess
import time

_UNFINISHED = {"PENDING", "CONFIGURING", "RUNNING", "SUSPENDED", "COMPLETING"}
_PATIENCE = 300  # only bounds a failure


def patiently(what, is_true, patience=_PATIENCE, pause=0.1):
    """Until is_true() says something true, which is returned."""
    end = time.monotonic() + patience
    while not (said := is_true()):
        if time.monotonic() > end:
            raise TimeoutError(f"not within {patience} s: {what}")
        time.sleep(pause)
    return said


def command(*words, check=True, env=None):
    """What it says on stdout."""
    return subprocess.run(words, check=check, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout


def sinfo(state):
    """The nodes in that state."""
    listed = subprocess.run(["sinfo", "-h", "-N", "-t", state, "-o", "%N"], capture_output=True, text=True).stdout
    return sorted(set(listed.split()))


class Job:
    """A job or an array of jobs, submitted on construction."""

    def __init__(self, script, *options, output, environment=None):
        words = ["sbatch", "--parsable", "-o", output, "-e", output, *options, script]
        # Handed over as sbatch's own: with names in --export nodes first ask for the user's login environment.
        variables = {**os.environ, **{name: str(value) for name, value in (environment or {}).items()}}
        self.id = command(*map(str, words), env=variables).strip().split(";")[0]

    def states(self):
        """Of the job, or of all tasks of the array. Empty where a busy controller did not answer."""
        return re.findall(r"\bJobState=(\w+)", command("scontrol", "--oneliner", "show", "job", self.id, check=False))

    def wait(self):
        """Until the job is over, or all tasks of the array. How they ended."""
        return patiently(f"job {self.id} is over", self._final_states)

    def _final_states(self):
        states = self.states()
        return [] if _UNFINISHED.intersection(states) else states

    def cancel(self):
        command("scancel", self.id)
