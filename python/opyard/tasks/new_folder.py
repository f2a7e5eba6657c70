"""Writes the folder of a program search."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from opyard import _core
from opyard.export.output_file import write_whole
from opyard.tasks.frameworks import config_text
from opyard.tasks.sandbox import Limits
from opyard.tasks.workloads import FILE, Workload, write_workloads

_TEMPLATES = Path(__file__).parent / "folder"
_RESULTS = {
    "openevolve": "openevolve.evaluation_result",
    "skydiscover": "skydiscover.evaluation.evaluation_result",
}
_README = """\
# A program search on opyard

{command} evolves `place(graph, machine)` of `initial_program.py`. Name a model in
`config.yaml`, then

```
{command} initial_program.py evaluator.py --config config.yaml
opyard task score . PATH-OF-THE-BEST-PROGRAM --hidden
```

| file | what |
|---|---|
| `initial_program.py` | the seed, a list scheduler; its docstring says what a plan is |
| `evaluator.py` | `evaluate(program_path)` and the stages of the cascade; calls `opyard.tasks` |
| `workloads.json` | graphs, machines, best known step times, and the limits of a program |
| `config.yaml` | the framework's settings |

`combined_score` is the geometric mean of best known over found step times. A program runs in a
process of its own, limited to {seconds:g} s and {gib:g} GiB for each workload; on Linux it has no
network and no files but Python's, numpy's and its temporary folder's. That stops careless programs
and short ways to a score. It is no virtual machine: run a search that you do not trust in a
container. The last command scores on workloads that are made at that moment.

| workload | best known | by |
|---|---:|---|
{rows}
"""
_COMMANDS = {"openevolve": "openevolve-run", "skydiscover": "skydiscover-run"}


def write_folder(
    folder: Path, framework: str, workloads: Sequence[Workload], limits: Limits
) -> list[Path]:
    """Writes the files of a search to a new or empty folder; returns their paths.

    Raises:
        InputError: The folder holds something, or cannot be written.
    """
    _make_empty(folder)
    texts = {
        "config.yaml": config_text(framework, limits.seconds, len(workloads)),
        "README.md": _readme(framework, workloads, limits),
    }
    shutil.copyfile(_TEMPLATES / "initial_program.py", folder / "initial_program.py")
    evaluator = (_TEMPLATES / "evaluator.py").read_text(encoding="utf-8")
    texts["evaluator.py"] = evaluator.replace(_RESULTS["openevolve"], _RESULTS[framework])
    write_workloads(folder / FILE, workloads, limits)
    for name, text in texts.items():
        write_whole(folder / name, text.encode())
    return [folder / name for name in ("initial_program.py", FILE, *texts)]


def _make_empty(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        holds_some = any(folder.iterdir())
    except OSError as error:
        raise _core.InputError(f"{folder}: {error.strerror}, expected a folder to make") from error
    if holds_some:
        raise _core.InputError(f"{folder}: is not empty, expected a new folder")


def _readme(framework: str, workloads: Sequence[Workload], limits: Limits) -> str:
    rows = "\n".join(
        f"| {json.dumps(each.title)[1:-1]} | {each.best_known_s * 1e3:.3f} ms | {each.source} |"
        for each in workloads
    )
    return _README.format(
        command=_COMMANDS[framework],
        seconds=limits.seconds,
        gib=limits.memory_bytes / 2**30,
        rows=rows,
    )
