"""slurmctld and nodes with slurmd, each a set of namespaces with a host name, an address and a boot id of its own.

All of it lives below the calling process, which is process 1 of a pid namespace (see `enter`): when that ends, however
it ends, nothing is left but the state directory.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import uuid

from .slurm import patiently, sinfo

_NODE_INIT = pathlib.Path(__file__).resolve().parent.parent / "node-init"
_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "ip", "unshare", "nsenter")
_NETWORK = "10.98.0"
_CONTROLLER = f"{_NETWORK}.254"
_CPUS = 4  # so many tasks at a time on a node, whatever this machine has

_CONFIGURATION = """\
ClusterName=lab
SlurmctldHost=login({controller})
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={state}/munge/socket
CredType=cred/munge
StateSaveLocation={state}/controller
SlurmdSpoolDir={state}/spool/%n
SlurmctldPidFile={state}/slurmctld.pid
SlurmdPidFile={state}/slurmd.%n.pid
SlurmctldLogFile={state}/log/slurmctld
SlurmdLogFile={state}/log/slurmd.%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=pmix
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
ReturnToService=2
SlurmdParameters=config_overrides
PropagateResourceLimits=NONE
KillWait=3
SlurmdTimeout=10
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
MailProg=/bin/true
NodeName=n[1-{nodes}] NodeAddr={network}.[1-{nodes}] CPUs={cpus} RealMemory=2000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


class Unavailable(Exception):
    """There can be no lab here; the text says why."""


def require():
    """Raises Unavailable where there can be none."""
    if os.geteuid() != 0:
        raise Unavailable("it needs root")
    path = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
    missing = [program for program in _PROGRAMS if shutil.which(program, path=path) is None]
    if missing:
        raise Unavailable(f"not installed: {', '.join(missing)} (group slurm of jobs/packages.txt)")
    tried = subprocess.run([*_unshare("--net"), "ip", "link", "add", "br0", "type", "bridge"], capture_output=True, text=True)
    if tried.returncode != 0:
        raise Unavailable(f"no namespaces with a network can be made: {tried.stderr.strip()}")


def _unshare(*more):
    return ["unshare", "--uts", "--pid", "--mount", "--fork", "--kill-child", "--mount-proc", *more]


def enter(inside="--inside"):
    """Runs this program again as process 1 of new namespaces, with `inside` as its first argument. Does not return: who
    ends the calling process ends all of it."""
    command = [*_unshare("--net"), sys.executable, *sys.argv[:1], inside, *sys.argv[1:]]
    os.execvp(command[0], command)


def _run(*command):
    subprocess.run(command, check=True, stdin=subprocess.DEVNULL)


class Node:
    def __init__(self, state, number):
        self.name = f"n{number}"
        self._state = state
        self._number = number
        self._link = f"link{number}"
        self._process = None

    def start(self):
        log = open(self._state / "log" / self.name, "ab")
        words = [*_unshare("--net", "--ipc"), "bash", _NODE_INIT, self.name, f"{_NETWORK}.{self._number}/24", self._state]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
        self._process.stdout.readline()  # it has its namespaces
        _run("ip", "link", "add", self._link, "type", "veth", "peer", "name", "eth0", "netns", str(self._process.pid))
        _run("ip", "link", "set", self._link, "master", "br0", "up")
        self._process.stdin.write(b"the link is there\n")
        self._process.stdin.flush()

    def power_off(self):
        """At once: nobody on it has a chance to say a word."""
        _run("ip", "link", "del", self._link)
        self._process.kill()  # its init goes with it (--kill-child), and with that every process of the node
        self._process.wait()


class Lab:
    """The calling process must have entered its namespaces."""

    def __init__(self, state, nodes):
        self.state = pathlib.Path(state)
        self.scratch = self.state / "scratch"  # what all nodes share
        self.nodes = [Node(self.state, number) for number in range(1, nodes + 1)]

    def up(self):
        self._write_files()
        os.environ["SLURM_CONF"] = str(self.state / "slurm.conf")
        _run("hostname", "login")
        _run("mount", "--bind", self.state / "hosts", "/etc/hosts")
        for words in ("set lo up", "add br0 type bridge", "set br0 up"):
            _run("ip", "link", *words.split())
        _run("ip", "address", "add", f"{_CONTROLLER}/24", "dev", "br0")
        self._start_controller()
        for node in self.nodes:
            node.start()
        patiently("all nodes idle", lambda: sinfo("idle") == [node.name for node in self.nodes])

    def _write_files(self):
        for name in ("munge", "controller", "spool", "log", "scratch", "private"):
            (self.state / name).mkdir(parents=True)
        self.state.chmod(0o755)
        key = self.state / "munge" / "key"
        key.touch(0o600)
        key.write_bytes(os.urandom(128))
        names = {_CONTROLLER: "login", **{f"{_NETWORK}.{i}": node.name for i, node in enumerate(self.nodes, 1)}}
        hosts = ["127.0.0.1 localhost", *(f"{address} {name}" for address, name in names.items())]
        (self.state / "hosts").write_text("\n".join(hosts) + "\n")
        for node in self.nodes:
            (self.state / f"boot_id.{node.name}").write_text(f"{uuid.uuid4()}\n")
            (self.state / "spool" / node.name).mkdir()
        # The plug-in's default way for ranks to meet crashes or hangs now and then; its files are a node's own.
        private = self.state / "private"
        (self.state / "mpi.conf").write_text(f"PMIxCollFence=ring\nPMIxCliTmpDirBase={private}\n")
        configuration = _CONFIGURATION.format(
            state=self.state, controller=_CONTROLLER, network=_NETWORK, nodes=len(self.nodes), cpus=_CPUS
        )
        (self.state / "slurm.conf").write_text(configuration)

    def _start_controller(self):
        munge = self.state / "munge"
        _run(
            "munged", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket", f"--pid-file={munge}/pid",
            f"--log-file={munge}/log", f"--seed-file={munge}/seed", "--num-threads=2",
        )  # fmt: skip
        _run("slurmctld", "-c")
