"""A Slurm of its own with two nodes of two slots each on this machine, until a command has ended.

python tests/python/executors/throwaway_slurm.py [--usual-pace] COMMAND...

With --usual-pace it starts jobs as often as Slurm does by default, and else more often.
Needs the Debian packages slurmctld, slurmd and slurm-client, no configuration, no root, no munge
and no control groups: its daemons trust whoever reaches their ports, which listen for as long as
the command runs.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PROGRAMS = ("slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "scancel", "sinfo")
MOST_IN_ARRAY = 100  # the largest number of a job in an array
_QUICK = "SchedulerParameters=batch_sched_delay=0,sched_interval=2"
_NODES = ("here1", "here2")
_SECONDS_TO_START = 30.0
_SECONDS_TO_END = 10.0

# A requeued job waits for `cred_expire` seconds, 5 at least. The daemons' own user runs all jobs.
_CONFIGURATION = """\
ClusterName=throwaway
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/none
AuthInfo=cred_expire=5
CredType=cred/none
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
{pace}
ReturnToService=2
KillWait=5
MaxArraySize={most_plus_one}
{nodes}
PartitionName=short Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
_NODE = "NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=2 State=UNKNOWN"


class NoSlurmError(Exception):
    """No Slurm starts here; the text says why."""


@contextlib.contextmanager
def running_slurm(pace: str = _QUICK) -> Iterator[dict[str, str]]:
    """Yields the variables of the environment by which the commands of Slurm find it.

    Args:
        pace: A line of slurm.conf, or "".

    Raises:
        NoSlurmError: Its programs are not installed, or its nodes do not come up.
    """
    path = os.pathsep.join((os.environ.get("PATH", ""), "/usr/sbin"))  # of the daemons
    lacking = [program for program in PROGRAMS if shutil.which(program, path=path) is None]
    if lacking:
        raise NoSlurmError(f"not installed: {', '.join(lacking)} (slurmctld, slurmd, slurm-client)")
    with tempfile.TemporaryDirectory(prefix="slurm-") as name:
        folder = Path(name)
        variables = {"SLURM_CONF": str(folder / "slurm.conf"), "PATH": path}
        _write_configuration(folder, pace)
        commands = [["slurmctld", "-D"], *(["slurmd", "-D", "-N", node] for node in _NODES)]
        with contextlib.ExitStack() as daemons:
            for command in commands:
                daemons.enter_context(_running(command, folder, variables))
            _wait_for_nodes(folder, variables)
            try:
                yield variables
            finally:
                _cancel_all(variables)


def _write_configuration(folder: Path, pace: str) -> None:
    ports = _free_ports(1 + len(_NODES))
    host = socket.gethostname().partition(".")[0]
    nodes = [
        _NODE.format(name=node, host=host, port=port)
        for node, port in zip(_NODES, ports[1:], strict=True)
    ]
    user = subprocess.run(["id", "-un"], capture_output=True, text=True, check=True).stdout.strip()
    text = _CONFIGURATION.format(
        host=host,
        ports=ports,
        user=user,
        folder=folder,
        pace=pace,
        most_plus_one=MOST_IN_ARRAY + 1,
        nodes="\n".join(nodes),
    )
    (folder / "slurm.conf").write_text(text)
    # Nothing of ours uses control groups; with this plugin slurmd starts where there are none, too.
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n")
    for made in ("state", *(f"spool-{node}" for node in _NODES)):
        (folder / made).mkdir()


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


@contextlib.contextmanager
def _running(command: list[str], folder: Path, variables: dict[str, str]) -> Iterator[None]:
    """A daemon in the foreground, in a group of processes of its own, which ends with the block."""
    with (folder / "output.log").open("ab") as log:
        process = subprocess.Popen(
            command,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(_SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_for_nodes(folder: Path, variables: dict[str, str]) -> None:
    give_up = time.monotonic() + _SECONDS_TO_START
    while _ask(variables, "sinfo", "--noheader", "--format=%T %D").strip() != f"idle {len(_NODES)}":
        if time.monotonic() > give_up:
            lines = [
                line
                for log in sorted(folder.glob("*.log"))
                for line in log.read_text(errors="replace").splitlines()
                if "error" in line or "fatal" in line
            ]
            raise NoSlurmError("\n".join(["its nodes did not come up:", *lines[-10:]]))
        time.sleep(0.1)


def _cancel_all(variables: dict[str, str]) -> None:
    """Ends all jobs, and waits until the nodes are rid of them."""
    user = f"--user={os.getuid()}"
    give_up = time.monotonic() + _SECONDS_TO_END
    while _ask(variables, "squeue", "--noheader", user) and time.monotonic() < give_up:
        _ask(variables, "scancel", user)
        time.sleep(0.2)


def _ask(variables: dict[str, str], *words: str) -> str:
    ended = subprocess.run(
        words,
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return ended.stdout


def main() -> int:
    """Runs the command of the command line; returns its exit status."""
    words = sys.argv[1:]
    pace = _QUICK
    if words[:1] == ["--usual-pace"]:
        words, pace = words[1:], ""
    if not words:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        with running_slurm(pace) as variables:
            ended = subprocess.run(words, env={**os.environ, **variables}, check=False)
            return ended.returncode
    except NoSlurmError as error:
        print(f"no Slurm: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
