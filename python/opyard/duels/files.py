"""The files of a duel: the instance, both plans and the answer."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

from opyard import _core
from opyard.authoring.yaml_text import flow
from opyard.duels.annealing import DuelResult
from opyard.duels.cause import Cause, sentence_of
from opyard.export.output_file import write_whole

GRAPH, MACHINE, ANSWER = "duel.graph.json", "machine.yaml", "duel.json"


def write_duel(result: DuelResult, cause: Cause | None, folder: Path) -> list[Path]:
    """Writes `duel.graph.json`, `machine.yaml` and `duel.json` to a folder that it makes.

    Raises:
        InputError: A file cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _core.InputError(f'--out "{folder}": {error.strerror}') from error
    texts = {
        GRAPH: json.dumps(result.instance.graph_dict(), indent=1),
        MACHINE: machine_text(result.instance.machine_dict()),
        ANSWER: json.dumps(answer_of(result, cause, folder), indent=1),
    }
    for name, text in texts.items():
        write_whole(folder / name, f"{text.rstrip()}\n".encode())
    return [folder / name for name in texts]


def machine_text(machine: dict[str, Any]) -> str:
    """A machine file: lists of devices and links with an item per line, the rest in flow style."""
    lines = []
    for key, value in machine.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            lines += [f"{key}:", *(f"  - {flow(item)}" for item in value)]
        else:
            lines.append(f"{key}: {flow(value)}")
    return "\n".join(lines) + "\n"


def answer_of(result: DuelResult, cause: Cause | None, folder: Path | None) -> dict[str, Any]:
    """The answer of `opyard duel --json`."""
    contest, score, instance = result.contest, result.score, result.instance
    return {
        "agent": contest.agent,
        "opponent": contest.opponent,
        "evaluations": contest.evaluations,
        "seed": contest.seed,
        "ratio": result.ratio,
        "start_ratio": result.start_ratio,
        "makespan_s": score.makespan_s,
        "opponent_makespan_s": score.opponent_makespan_s,
        "ops": len(instance.ops),
        "edges": len(instance.edges),
        "devices": len(instance.devices),
        "instances": result.num_instances,
        "seconds": result.seconds,
        "explanation": sentence_of(result, cause),
        "history": [
            {"restart": step.restart, "iteration": step.iteration, "ratio": step.ratio}
            for step in result.history
        ],
        "replay": replay_commands(result, folder) if folder is not None else [],
    }


def replay_commands(result: DuelResult, folder: Path) -> list[str]:
    """The commands that search both plans again."""
    contest = result.contest
    graph, machine = (shlex.quote(str(folder / name)) for name in (GRAPH, MACHINE))
    return [
        f"opyard place --graph {graph} --hardware {machine} --agent {shlex.quote(agent)} "
        f"--decide-per op --fusion none --evaluations {contest.evaluations} --seed {contest.seed}"
        for agent in dict.fromkeys((contest.agent, contest.opponent))
    ]
