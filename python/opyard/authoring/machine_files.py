"""Writes a machine and the device types that it brings along, once the reader has taken both."""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
from pathlib import Path

from opyard import _core
from opyard.authoring.cards import type_folders
from opyard.authoring.draft import MachineDraft
from opyard.authoring.yaml_text import device_text, machine_text
from opyard.export.output_file import check_out, write_whole

MACHINE_SUFFIXES = (".yaml", ".yml")
_MOST_BYTES = 2**20  # of a YAML file


def write_machine(draft: MachineDraft, out: Path) -> list[Path]:
    """Writes `draft` to `out` and its device types beside; returns their files, types first.

    Raises:
        InputError: a device file of that name says something else, or the machine is too large.
    """
    check_out(out, MACHINE_SUFFIXES)
    text = machine_text(draft, _schema("machine", out))
    _check_size(text, draft)
    types = {
        _type_path(each.name, out): device_text(each, _schema("device", out))
        for each in draft.types
    }
    for path in draft.copied_types:
        types[_type_path(path.stem, out)] = path.read_text(encoding="utf-8")
    _refuse_types(types, out)
    _check(draft, text, types, out)
    for path, device in types.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, device.encode())
    write_whole(out, text.encode())
    return [*types, out]


def _schema(what: str, out: Path) -> str:
    """The path of the JSON Schema: relative for the shipped files, absolute for all others."""
    folder = _core.data_root() / "hardware_profiles"
    file = f"{what}.v1.json"
    if out.absolute().parent.parent == folder:
        return f"../schema/{file}"
    return str(folder / "schema" / file)


def _check_size(text: str, draft: MachineDraft) -> None:
    if len(text.encode()) > _MOST_BYTES:
        raise _core.InputError(
            f"the machine takes {len(text.encode())} bytes with {len(draft.device_names())} "
            f"devices, {len(draft.links)} links and {len(draft.routes)} routes, expected at most "
            f"{_MOST_BYTES}: import a part of it"
        )


def _type_path(name: str, out: Path) -> Path:
    """Beside the machines, where a folder for devices is there already, else in a folder here."""
    folder = out.parent
    beside = folder.absolute().parent / "devices"
    is_shared = folder.absolute().name == "machines" and beside.is_dir()
    return (Path(os.path.relpath(beside)) if is_shared else folder / "devices") / f"{name}.yaml"


def _refuse_types(types: dict[Path, str], out: Path) -> None:
    if types and _core.is_standard_output(out):
        names = ", ".join(path.stem for path in types)
        raise _core.InputError(
            f'--out "{out}": the machine needs device files for {names}, expected a file beside '
            "which they can stand"
        )
    for path, text in types.items():
        if path.exists() and path.read_text(encoding="utf-8", errors="replace") != text:
            raise _core.InputError(
                f"{path}: is there already and says something else; move it away, or give another "
                "--name or --card"
            )


def _check(draft: MachineDraft, text: str, types: dict[Path, str], out: Path) -> None:
    """Reads what would be written, in a folder of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "machines"
        (folder / "devices").mkdir(parents=True)
        for entry in draft.devices:
            _copy_type(entry.type, folder / "devices", out)
        for path, device in types.items():
            (folder / "devices" / path.name).write_text(device, encoding="utf-8")
        machine = folder / "machine.yaml"
        machine.write_text(text, encoding="utf-8")
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                _core.load_machine(machine)
        except _core.InputError as error:
            raise _core.InputError(_at(out, machine, str(error))) from error
    for each in caught:
        draft.warnings += _at(out, machine, str(each.message)).strip().splitlines()


def _at(out: Path, machine: Path, text: str) -> str:
    """A message about the copy that was read, with the places of what will be written."""
    text = text.replace(str(machine), str(out))
    return text.replace(f"{machine.parent}/", "" if str(out.parent) == "." else f"{out.parent}/")


def _copy_type(name: str, folder: Path, out: Path) -> None:
    machine = None if _core.is_standard_output(out) else out
    for source in type_folders(machine)[: 0 if machine is None else 2]:
        if (source / f"{name}.yaml").is_file() and not (folder / f"{name}.yaml").exists():
            shutil.copyfile(source / f"{name}.yaml", folder / f"{name}.yaml")
