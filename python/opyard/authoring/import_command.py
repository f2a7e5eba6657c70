"""The command `opyard profile import`: a machine file from another tool's description."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from opyard import _core
from opyard.authoring.cards import known_types
from opyard.authoring.importers.formats import FORMATS, find_format
from opyard.authoring.importers.request import ImportRequest
from opyard.authoring.machine_files import write_machine
from opyard.authoring.new_devices import read_name
from opyard.export.arguments import Parser
from opyard.export.errors import ExportError
from opyard.export.output_file import text_stream

_BAD_INPUT = 2
_MOST_BYTES = 16 * 2**20
_STANDARD_INPUT = "-"


def make_parser() -> argparse.ArgumentParser:
    """The parser of everything behind `opyard profile import`."""
    parser = Parser(
        prog="opyard profile import",
        description="Writes a machine file from `nvidia-smi topo -m`, XML of hwloc's lstopo, a "
        "SimGrid platform or an InfraGraph. What is guessed is assumed in its provenance, what "
        "has no counterpart is named in a warning. docs/importing.md says what is read. The "
        "format may also stand before the file: `opyard profile import nvidia-smi topo.txt`.",
        epilog="Example: opyard profile import topo.txt --card v100-sxm2-16gb --out mine.yaml",
    )
    parser.add_argument("input", metavar="IN", help="file to read, - for standard input")
    parser.add_argument(
        "--as", dest="format", choices=FORMATS, help="what the file is (default: by its content)"
    )
    parser.add_argument("--card", metavar="TYPE", help="device type of the cards")
    parser.add_argument("--host", metavar="TYPE", help="device type of the hosts")
    parser.add_argument("--name", help="name of the machine (default: that of the file)")
    parser.add_argument("--out", required=True, type=Path, metavar="FILE", help="machine file")
    parser.add_argument("--json", action="store_true", help="one JSON object")
    return parser


def run(arguments: Sequence[str]) -> int:
    """Runs the subcommand; `arguments` begin with "profile", "import". Returns the exit status."""
    args = make_parser().parse_args(_with_format_option(arguments[2:]))
    try:
        answer = _import(args)
    except (ExportError, _core.Error) as error:
        print(f"opyard profile import: {error}", file=sys.stderr)
        return _BAD_INPUT
    except OSError as error:
        print(f"opyard profile import: {args.input}: {error.strerror}", file=sys.stderr)
        return _BAD_INPUT
    print(answer, file=text_stream(args.out))
    return 0


def _with_format_option(words: Sequence[str]) -> list[str]:
    """`words` with a format that stands before the file as the value of --as."""
    if len(words) > 1 and words[0] in FORMATS and not words[1].startswith("--"):
        return ["--as", *words]
    return list(words)


def _import(args: argparse.Namespace) -> str:
    """Reads, writes, and returns what to print."""
    request = _request(args)
    format_name = args.format or find_format(request.data, request.place)
    draft = FORMATS[format_name](request)
    files = write_machine(draft, args.out)
    for warning in draft.warnings:
        print(f"warning: {warning}", file=sys.stderr)
    paths = [str(path) for path in files]
    devices, links = len(draft.device_names()), len(draft.links)
    if args.json:
        return json.dumps(
            {"format": format_name, "files": paths, "devices": devices, "links": links}
            | {"assumed": draft.assumed_keys(), "warnings": draft.warnings}
        )
    return (
        f"{draft.name} ({format_name}): {devices} devices, {links} links; wrote {', '.join(paths)}"
    )


def _request(args: argparse.Namespace) -> ImportRequest:
    is_out = _core.is_standard_output(args.out)
    place = "standard input" if args.input == _STANDARD_INPUT else args.input
    return ImportRequest(
        data=_read(args.input, place),
        place=place,
        name=_name(args, is_out),
        types=known_types(None if is_out else args.out),
        card=args.card,
        host=args.host,
    )


def _read(path: str, place: str) -> bytes:
    """The whole file, of at most _MOST_BYTES."""
    if path == _STANDARD_INPUT:
        data = sys.stdin.buffer.read(_MOST_BYTES + 1)
    else:
        with Path(path).open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise _core.InputError(
            f"{place}: more than {_MOST_BYTES >> 20} MiB, expected a smaller file"
        )
    if b"\0" in data:
        raise _core.InputError(f"{place}: found NUL, expected a text")
    if not data.strip():
        raise _core.InputError(f"{place}: the file is empty")
    return data


def _name(args: argparse.Namespace, is_out: bool) -> str:
    if args.name is not None:
        return read_name(args.name, "--name")
    if not is_out:
        return read_name(args.out.name.partition(".")[0], "--out")
    return "machine"
