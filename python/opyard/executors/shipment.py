"""The files of an experiment as bytes, for machines that do not see this one's folders."""

from __future__ import annotations

import io
import json
import subprocess
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from opyard.executors.described import Experiment, absolute, dry_run
from opyard.executors.errors import CommandFailedError, ExecutorError
from opyard.executors.request import Request

MOST_BYTES = 256 << 20  # of all files
_EXPERIMENT = ".opyard-sent.yaml"  # beside the experiment's own file
_ELSEWHERE = "; expected --executor slurm, with the files in a folder that all machines see"


def make_shipment(experiment: Experiment, folder: Path) -> bytes:
    """Packs the experiment, resolved, and the files that it names.

    They keep their places: an absolute path P is ROOT/P wherever the shipment is unpacked as ROOT,
    so that references between them, and those of the results, stay as they are.

    Args:
        experiment: What is sent.
        folder: The current folder, where references are tried first.

    Returns:
        A tar file, packed by gzip.

    Raises:
        ExecutorError: A reference is absolute, or the files are too large.
    """
    files = sorted(set(_files(experiment, folder)))
    total = sum(file.stat().st_size for file in files)
    if total > MOST_BYTES:
        raise ExecutorError(
            f"--executor ray: the experiment's files are {total} bytes, at most {MOST_BYTES} are "
            f"sent{_ELSEWHERE}"
        )
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as shipment:
        for file in files:
            shipment.add(file, arcname=_within(file))
        _add_text(shipment, experiment_path(experiment), json.dumps(experiment.resolved))
    return packed.getvalue()


def experiment_path(experiment: Experiment) -> str:
    """The path of the experiment from the root of an unpacked shipment."""
    return _within(experiment.folder / _EXPERIMENT)


def unpack(shipment: bytes, root: Path) -> None:
    """Unpacks a shipment into `root`; nothing of it leads out of there.

    Raises:
        tarfile.TarError: It is damaged, or has a member that leads elsewhere.
    """
    with tarfile.open(fileobj=io.BytesIO(shipment), mode="r:gz") as files:
        files.extractall(root, filter="data")


def check_shipment(shipment: bytes, experiment: Experiment, request: Request) -> None:
    """Reads the experiment from the shipment alone, which has to come to the same.

    Raises:
        ExecutorError: A file is not among those that were found, or something else differs.
    """
    with tempfile.TemporaryDirectory(prefix="opyard-") as root:
        unpack(shipment, Path(root))
        folder = Path(root, _within(request.folder))
        folder.mkdir(parents=True, exist_ok=True)
        words = ["run", str(Path(root, experiment_path(experiment)))]
        words += ["--no-training"] if request.is_matrix and request.options.no_training else []
        try:
            sent = dry_run(words, folder, errors=subprocess.PIPE)
        except CommandFailedError as failed:
            raise ExecutorError(
                "--executor ray: the experiment does not read without this machine's folders: "
                f"{failed.errors.strip().replace(root, '')}{_ELSEWHERE}"
            ) from failed
    for what, there, here in (
        ("the experiment", sent.resolved, experiment.resolved),
        ("a graph or machine", sent.inputs, experiment.inputs),
        ("the number of runs", sent.num_runs, experiment.num_runs),
    ):
        if there != here:
            raise ExecutorError(
                f"--executor ray: {what} is another one without this machine's folders{_ELSEWHERE}"
            )


def _within(path: Path) -> str:
    """An absolute path as one from the root of a shipment."""
    return str(absolute(path)).lstrip("/")


def _add_text(shipment: tarfile.TarFile, name: str, text: str) -> None:
    data = text.encode()
    member = tarfile.TarInfo(name)
    member.size = len(data)
    shipment.addfile(member, io.BytesIO(data))


def _files(experiment: Experiment, folder: Path) -> Iterator[Path]:
    """Every file that a reference of the experiment may mean, device files of machines included."""
    for reference in _references(experiment.resolved):
        if Path(reference).is_absolute():
            raise ExecutorError(
                f'--executor ray: found the absolute path "{reference}", which would be another '
                "one elsewhere; expected one from the experiment's folder or the current one"
            )
        for base in (folder, experiment.folder):
            file = absolute(base / reference)
            if file.is_file():
                yield file
                yield from _device_files(file)


def _device_files(machine: Path) -> Iterable[Path]:
    """The files among which the devices of a machine file are sought (docs/formats.md)."""
    if machine.suffix not in {".yaml", ".yml"}:
        return
    for folder in (machine.parent / "devices", machine.parent.parent / "devices"):
        if folder.is_dir():
            yield from (file for file in sorted(folder.glob("*.yaml")) if file.is_file())


def _references(resolved: dict[str, Any]) -> Iterator[str]:
    pairs = resolved.get("pairs", [])
    yield from resolved.get("hardware", [])
    yield from (pair["hardware"] for pair in pairs)
    for graph in [*resolved.get("graphs", []), *(pair["graph"] for pair in pairs)]:
        yield from _names_in(graph)
    for family in resolved.get("split", {}).get("train", []):
        yield from family.get("hardware", [])
        for member in range(family.get("count", 1)):
            yield from _names_in(family["graph"].replace("{i}", str(member)))
    if "optima" in resolved:
        yield resolved["optima"]
    for agent in resolved["agents"]:
        _refuse_file_agents(agent["name"])
        yield from (value for value in agent.get("params", {}).values() if isinstance(value, str))


def _names_in(graph: str) -> Iterator[str]:
    """A reference, and the one within it: `variant:SEED:REFERENCE`."""
    yield graph
    if graph.startswith("variant:"):
        yield graph.split(":", 2)[-1]


def _refuse_file_agents(name: str) -> None:
    file = name.rpartition(":")[0]
    if file.endswith(".py"):
        raise ExecutorError(
            f"--executor ray: agent {name} is a file of this machine, which is not sent; expected "
            "an agent of an installed package, or --executor slurm"
        )
