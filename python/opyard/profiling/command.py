"""The command `opyard profile measure --out CSV`."""

from __future__ import annotations

import argparse
import contextlib
import datetime
import json
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opyard import _core
from opyard.execution.command_options import check_ranges
from opyard.execution.errors import ExecutionError
from opyard.export.arguments import Parser
from opyard.export.errors import one_line
from opyard.export.output_file import text_stream
from opyard.profiling.rows import RowFile, check_device_name

if TYPE_CHECKING:
    import torch

    from opyard.execution.devices import Device
    from opyard.profiling.rows import Case

_BAD_INPUT = 2
_NO_ANSWER = 1
_DTYPES = ("f64", "f32", "tf32", "f16", "bf16", "f8")


def make_parser() -> argparse.ArgumentParser:
    """The parser of everything behind `opyard profile`."""
    parser = Parser(
        prog="opyard profile measure",
        description="Times matrix products, convolutions, recurrent layers, attention, elementwise "
        "ops, fused pairs, copies and launches of a GPU or a CPU with PyTorch. The CSV file grows "
        "by one row at a time: an interrupted command goes on where it stopped. "
        "opyard profile calibrate fits a device file to it. docs/measure-a-device.md says more.",
        epilog="Example: opyard profile measure --out mine.csv --profile devices/mine.yaml",
    )
    parser.add_argument("--out", required=True, type=Path, metavar="CSV", help="file, which grows")
    parser.add_argument(
        "--device",
        metavar="D",
        help="cpu (all cores), cpu:CORE or cuda:INDEX; default: cuda:0 where it is, else cpu",
    )
    parser.add_argument(
        "--dtypes",
        metavar="T,T",
        help="some of f64, f32, tf32, f16, bf16, f8; default: f32, and what tensor cores take",
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=5,
        metavar="M",
        help="no kernel begins later, but those that --profile needs; default: %(default)s",
    )
    parser.add_argument("--quick", action="store_true", help="few small kernels of each kind")
    parser.add_argument(
        "--name", help="of the device in rows and profile; default: what its driver calls it"
    )
    parser.add_argument("--profile", type=Path, metavar="YAML", help="device file to write")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Runs the subcommand; `arguments` begin with "profile", "measure". Returns the status."""
    args = make_parser().parse_args(list(arguments[2:]))
    try:
        _check(args)
        import torch
    except ImportError as error:
        print(f"opyard profile measure: needs PyTorch: {one_line(error)}", file=sys.stderr)
        return _BAD_INPUT
    except ExecutionError as error:
        print(f"opyard profile measure: {error}", file=sys.stderr)
        return _BAD_INPUT
    with torch.random.fork_rng(devices=[]):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    try:
        answer, problem = _measure(args)
    except (ExecutionError, _core.Error) as error:
        print(f"opyard profile measure: {error}", file=sys.stderr)
        return _BAD_INPUT
    except OSError as error:
        print(f"opyard profile measure: {one_line(error)}", file=sys.stderr)
        return _BAD_INPUT
    text_out = text_stream(args.profile or Path())
    print(json.dumps(answer) if args.json else _text(answer), file=text_out)
    if problem:
        print(f"opyard profile measure: --profile: {problem}", file=sys.stderr)
    return _NO_ANSWER if problem else 0


def _check(args: argparse.Namespace) -> None:
    """The checks before any work is done."""
    check_ranges(args, {"minutes": (0.001, 1440)}, "minutes")
    unknown = set(args.dtypes.split(",")) - set(_DTYPES) if args.dtypes else set()
    if unknown:
        found = ", ".join(f'"{word}"' for word in sorted(unknown))
        raise ExecutionError(f"--dtypes: found {found}, expected some of {', '.join(_DTYPES)}")
    if args.name is not None:
        check_device_name(args.name)
    if args.profile and args.json and _core.is_standard_output(args.profile):
        raise ExecutionError("--profile - and --json both print on standard output: choose one")
    problem = args.profile and _core.find_output_problem(args.profile)
    if problem:
        raise ExecutionError(f"--profile: {problem}")


def _measure(args: argparse.Namespace) -> tuple[dict[str, Any], str]:
    """Measures what is missing; returns the answer, and why no profile was written."""
    from opyard.execution.hardware import hardware_name
    from opyard.profiling.copy_links import links_of
    from opyard.profiling.measurement import measure

    began = time.monotonic()
    device = _device(args.device)
    file = RowFile(args.out)
    with _taken(device) as place:
        hardware = hardware_name(place)
        name = args.name or _slug(hardware, device)
        cases, least = _cases(args, place)
        outcome = measure(name, place, cases, file, args.minutes * 60, _show, least)
    answer = {
        "csv": str(args.out),
        "device": name,
        "hardware": hardware,
        "kernels": len(cases),
        "measured": outcome.measured,
        "known": outcome.known,
        "left": outcome.left,
        "skipped": dict(outcome.skipped),
        "links": links_of(name, file.rows),
        "profile": None,
        "seconds": time.monotonic() - began,
    }
    problem = ""
    if args.profile is not None:
        problem = _write_profile(args.profile, name, device, file.rows)
        answer["profile"] = None if problem else str(args.profile)
    return answer, problem


def _device(word: str | None) -> Device:
    import torch

    from opyard.execution.devices import parse_devices

    default = "cuda:0" if torch.cuda.is_available() else "cpu"
    try:
        devices = parse_devices(word or default)
    except ExecutionError as error:
        raise ExecutionError(str(error).replace("--devices", "--device")) from error
    if len(devices) != 1:
        raise ExecutionError(f'--device: found "{word}", expected one device')
    return devices[0]


@contextlib.contextmanager
def _taken(device: Device) -> Iterator[torch.device]:
    """Makes this process one of `device` for a while: on its core with one thread, or its GPU."""
    import torch

    cores, threads = os.sched_getaffinity(0), torch.get_num_threads()
    if _is_core(device):
        os.sched_setaffinity(0, {device.index or 0})
        torch.set_num_threads(1)
    if device.kind == "cuda":
        torch.cuda.set_device(device.index or 0)
    try:
        yield torch.device(device.torch_name)
    finally:
        os.sched_setaffinity(0, cores)
        torch.set_num_threads(threads)


def _is_core(device: Device) -> bool:
    return device.kind == "cpu" and device.index is not None


def _slug(hardware: str, device: Device) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", hardware.lower()).strip("-") or device.kind
    return f"{words}-core" if _is_core(device) else words


def _cases(args: argparse.Namespace, place: torch.device) -> tuple[list[Case], int]:
    """The cases, and the number of those at their beginning that a device file needs."""
    import torch

    from opyard.execution.hardware import memory_bytes
    from opyard.profiling.cases import CPU, GPU, cases_for, needed_cases

    is_gpu = place.type == "cuda"
    limits = GPU if is_gpu else CPU
    dtypes = list(dict.fromkeys(args.dtypes.split(","))) if args.dtypes else _default_dtypes(place)
    others = [
        index for index in range(torch.cuda.device_count()) if is_gpu and index != place.index
    ]
    peers = (["host"] if is_gpu else []) + [f"cuda:{index}" for index in others]
    memory = memory_bytes(place)
    cases = cases_for(limits, dtypes, memory=memory, peers=peers, quick=args.quick)
    return cases, len(needed_cases(limits, dtypes, args.quick))


def _default_dtypes(place: torch.device) -> list[str]:
    import torch

    if place.type != "cuda":
        return ["f32"]
    major, _ = torch.cuda.get_device_capability(place)
    return ["f32", "f16"] if major < 8 else ["f32", "tf32", "f16", "bf16"]


def _write_profile(path: Path, name: str, device: Device, rows: list[dict[str, str]]) -> str:
    """Writes the device file; returns why it could not be made, or an empty text."""
    import torch

    from opyard.execution.hardware import l2_bytes, memory_bytes
    from opyard.profiling.device_values import Hardware, device_values, yaml_text

    place = torch.device(device.torch_name)
    memory = memory_bytes(place) // ((os.cpu_count() or 1) if _is_core(device) else 1)
    kind = "gpu" if device.kind == "cuda" else "cpu"
    hardware = Hardware(name, kind, memory, l2_bytes(place))
    provenance = {
        "date": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "software": f"torch {torch.__version__}",
    }
    try:
        values = device_values(hardware, rows, provenance)
    except ExecutionError as error:
        return str(error)
    _core.write_output(path, yaml_text(values).encode())
    return ""


def _show(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _text(answer: dict[str, Any]) -> str:
    lines = [
        f"{answer['csv']}: {answer['measured']} kernels of {answer['device']} measured, "
        f"{answer['known']} were there, in {answer['seconds']:.0f} s"
    ]
    if answer["left"]:
        lines.append(f"{answer['left']} kernels are left: the same command goes on with them")
    lines += [f"skipped: {count} of {reason}" for reason, count in answer["skipped"].items()]
    lines += [
        f"{link['to']}: {link['bandwidth_bytes_per_s'] / 1e9:.4g} GB/s, "
        f"{link['latency_s'] * 1e6:.3g} us"
        for link in answer["links"]
    ]
    if answer["profile"]:
        lines.append(f"{answer['profile']}: the device")
    return "\n".join(lines)
