"""docs/formats.md against the program: experiments, answers and results."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")

GRAPH = """{"format": "opyard-graph/1", "name": "two", "ops": [
 {"name": "a", "type": "Custom", "outputs": [{"bytes": 3000000}], "seconds": {"*": 2e-6}},
 {"name": "b", "type": "Custom", "inputs": [[0, 0]], "outputs": [{"bytes": 2000000}],
  "seconds": {"*": 3e-6}}]}"""
PLAN = '{"format": "opyard-plan/1", "graph": "two", "placement": ["gpu0", "gpu1"]}'
MACHINE = """schema_version: 1
name: two
devices: [{{name: gpu, type: p100-pcie-16gb, count: 2, memory: {memory}}}]
links: [{{name: l, between: [gpu0, gpu1], bandwidth: 1 GB/s, latency: 0 us}}]
memory: {{on_exceed: {on_exceed}}}
"""
EXPERIMENT = """schema_version: 1
name: e
graphs: [two.graph.json]
hardware: [p100x2-pcie]
agents: [single_device]
seeds: [0]
"""


def section(heading: str) -> str:
    """The part of the page whose heading begins so."""
    begin = PAGE.index(f"\n## {heading}")
    return PAGE[begin : PAGE.index("\n## ", begin + 1) if "\n## " in PAGE[begin + 1 :] else None]


def rows(heading: str) -> dict[str, list[str]]:
    """The cells of all tables of a section, by the text between backquotes that begins the row."""
    found = {}
    for line in section(heading).splitlines():
        if match := re.match(r"\| (`[^|]+) \|", line):
            for name in re.findall(r"`([^`]+)`", match.group(1)):
                found[name] = [cell.strip() for cell in line.strip("|").split("|")]
    return found


def named(heading: str) -> set[str]:
    """The words that stand between backquotes in a section, code blocks left out."""
    text = re.sub(r"```.*?```", "", section(heading), flags=re.DOTALL)
    return {word for code in re.findall(r"`([^`]+)`", text) for word in re.findall(r"\w+", code)}


def opyard(*arguments: str, folder: Path, status: int = 0) -> subprocess.CompletedProcess[str]:
    """Runs the command in `folder`, where it has to end with `status`."""
    command = [sys.executable, "-m", "opyard", *arguments]
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert result.returncode == status, result.stderr
    return result


def problems_of(experiment: str, folder: Path) -> str:
    """The problems of an experiment that `opyard run` lists."""
    (folder / "e.yaml").write_text(experiment, encoding="utf-8")
    return opyard("run", "e.yaml", folder=folder, status=2).stderr


def test_every_key_of_an_experiment_is_named(tmp_path):
    maps = """
nobodys_key: 1
problem:
  nobodys_key: 1
  objective: {nobodys_key: 1, weighted: {nobodys_key: 1, makespan: 1}}
  defaults: {nobodys_key: 1}
budget: {nobodys_key: 1}
split: {nobodys_key: 1, train: [{graph: two.graph.json, nobodys_key: 1}]}
training: {nobodys_key: 1}
"""
    agent = "{name: single_device, nobodys_key: 1, budget: {nobodys_key: 1, seconds: 1}}"
    lists = "graphs: [two.graph.json]\nhardware: [p100x2-pcie]\n"
    pairs = "pairs: [{graph: two.graph.json, hardware: p100x2-pcie, nobodys_key: 1}]\n"
    experiment = EXPERIMENT.replace("[single_device]", f"[{agent}]").replace(lists, pairs)
    problems = problems_of(experiment + maps, tmp_path)
    lists = re.findall(r"expected one of ([\w, ]+)", problems)
    assert len(lists) == 12, problems
    keys = {key for names in lists for key in names.split(", ")}
    assert {"grid", "include", "pairs", "peak_memory"} <= keys
    assert keys <= named("Experiment")


@pytest.mark.parametrize(
    ("row", "key", "text"),
    [
        ("budget", "evaluations", "budget: {evaluations: []}"),
        ("budget", "seconds", "budget: {seconds: []}"),
        ("max_groups", "max_groups", "max_groups: []"),
        ("problem.objective", "weighted", "problem: {objective: {weighted: {makespan: x}}}"),
    ],
)
def test_the_range_of_every_number_of_an_experiment_is_stated(tmp_path, row, key, text):
    problems = problems_of(EXPERIMENT + text, tmp_path)
    (found,) = re.findall(r"expected a (?:whole )?number (from \S+ to \S+)", problems)
    assert f"`{key}`" in " ".join(rows("Experiment")[row])
    assert found in " ".join(rows("Experiment")[row])


@pytest.fixture(scope="module")
def results(tmp_path_factory) -> Iterator[sqlite3.Connection]:
    """The store of an experiment that says no more than it has to."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "two.graph.json").write_text(GRAPH, encoding="utf-8")
    (folder / "e.yaml").write_text(EXPERIMENT, encoding="utf-8")
    opyard("run", "e.yaml", "--out", "out", "--quiet", folder=folder)
    with closing(sqlite3.connect(folder / "out" / "results.sqlite")) as store:
        yield store


def test_the_defaults_of_an_experiment_are_those_of_the_page(results):
    (settings,) = results.execute("SELECT settings FROM runs").fetchone()
    found = json.loads(settings)
    problem = found["problem"]
    defaults = {name: row[-1] for name, row in rows("Experiment").items()}
    assert defaults["problem.tasks"] == f"`[{', '.join(problem['tasks'])}]`"
    assert defaults["problem.objective"] == f"`{problem['objective']}`"
    queue, fusion = problem["defaults"]["queue"], problem["defaults"]["fusion"]
    assert defaults["problem.defaults"].startswith(f"`{queue}`, `{fusion}`")
    assert defaults["decide_per"] == f"`{found['decide_per']}`"
    assert defaults["max_groups"] == f"{found['max_groups']}"
    assert found["budget"] == {"evaluations": 2000}
    assert defaults["budget"].startswith("2000 evaluations")


def test_every_table_and_column_of_results_is_named(results):
    tables = {name for (name,) in results.execute("SELECT name FROM sqlite_master WHERE sql <> ''")}
    described = rows("Results")
    assert tables == set(described)
    for table in tables:
        columns = {row[1] for row in results.execute(f"PRAGMA table_info({table})")}
        assert columns <= set(re.findall(r"\w+", " ".join(described[table]))), table
    (version,) = results.execute("PRAGMA user_version").fetchone()
    assert f"the version of these tables, now {version}." in section("Results")


def keys_of(answer: Any) -> set[str]:
    """The keys of all objects in an answer."""
    if isinstance(answer, list):
        return {key for item in answer for key in keys_of(item)}
    if not isinstance(answer, dict):
        return set()
    return set(answer) | {key for value in answer.values() for key in keys_of(value)}


OUT = "out.graph.json"
PROBLEM = "--graph two.graph.json --hardware p100x2-pcie"
FORWARD = "--graph forward.graph.json --hardware p100x2-pcie"
# Two ops of the CPU; the shape of one is known.
TRACE = json.dumps(
    [
        {"ph": "X", "name": "aten::topk", "ts": 1, "dur": 2},
        {
            **{"ph": "X", "name": "aten::relu", "ts": 4, "dur": 3},
            "args": {"Input Dims": [[7]], "Input type": ["float"]},
        },
    ]
)
DIFFERENT = "profile diff p100x2-pcie p100x4-pcie"  # ends with status 1
VERBS = [
    "place --graph two.graph.json --hardware p100x2-pcie --agent heft --evaluations 8",
    "run e.yaml --out results --quiet",
    "validate results",
    "compare results",
    "duel heft cpop --restarts 1 --iterations 2",
    "task new search --for openevolve --graph two.graph.json --hardware p100x2-pcie",
    "task score search search/initial_program.py --evaluations 9",
    "results list results",
    "results show results",
    "results best results --per run --out plans",
    "results merge results --out joined",
    "results best-known results --out best",
    "graph info two.graph.json --hardware p100x2-pcie",
    "graph diff two.graph.json two.graph.json",
    f"graph convert two.graph.json --out {OUT}",
    f"graph coarsen two.graph.json --max-groups 1 --out {OUT}",
    f"graph microbatch two.graph.json --microbatches 1 --out {OUT}",
    f"graph annotate two.graph.json --times times.csv --device gpu --out {OUT}",
    "graph list",
    f"plan show two.plan.json {PROBLEM}",
    f"plan diff two.plan.json two.plan.json {PROBLEM}",
    f"plan edit two.plan.json {PROBLEM} --place a=gpu1 --out new.plan.json",
    f"plan to-order two.plan.json {PROBLEM} --out order.plan.json",
    f"plan from-schedule starts.csv {PROBLEM} --out new.plan.json",
    f"plan from-pipeline ranks.csv {FORWARD} --out new.plan.json",
    f"plan export two.plan.json {PROBLEM} --to accelerate --nearest",
    "profile list",
    "profile validate p100x2-pcie",
    f"profile fit-trace trace.json --device laptop-cpu --out {OUT}",
    DIFFERENT,
    "agents list",
    "doctor",
]


def test_every_column_of_best_known_plans_is_named(tmp_path):
    (tmp_path / "two.graph.json").write_text(GRAPH, encoding="utf-8")
    (tmp_path / "e.yaml").write_text(EXPERIMENT, encoding="utf-8")
    opyard("run", "e.yaml", "--out", "out", "--quiet", folder=tmp_path)
    opyard("results", "best-known", "out", "--out", "best", folder=tmp_path)
    titles = (tmp_path / "best" / "best_known.csv").read_text(encoding="utf-8").splitlines()[0]
    assert set(titles.split(",")) == set(rows("Best known plans"))


def test_every_key_of_the_answers_of_other_subcommands_is_named(tmp_path):
    files = {
        "two.graph.json": GRAPH,
        "e.yaml": EXPERIMENT + "optima: optima.csv\n",
        "optima.csv": "graph,machine,makespan_s,proven\ntwo.graph.json,p100x2-pcie,1,false\n",
        "times.csv": "op,us\na,2\nb,3\n",
        "two.plan.json": PLAN,
        "forward.graph.json": GRAPH.replace('"Custom"', '"Custom", "phase": "forward"'),
        "starts.csv": "op,device,start_s\na,gpu0,0\nb,gpu0,2e-6\n",
        "ranks.csv": "0F0\n",
        "trace.json": TRACE,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    described = rows("What other subcommands answer")
    for subcommand in VERBS:
        status = 1 if subcommand == DIFFERENT else 0
        ended = opyard(*subcommand.split(), "--json", folder=tmp_path, status=status)
        answer = json.loads(ended.stdout)
        (row,) = {
            " ".join(described[name])
            for name in described
            if f"{subcommand} ".startswith(f"{name} ")
        }
        said = set(re.findall(r"`(\w+)`", row))
        assert keys_of(answer) - {"unknown"} <= said, subcommand  # a phase


@pytest.mark.parametrize(
    ("memory", "on_exceed", "outcome", "key"),
    [
        ("1 GiB", "fail", "completed", "savings"),
        ("4 MB", "fail", "out_of_memory", "largest_residents"),  # b needs its input, 3 MB, and 2
        ("4 MB", "wait", "deadlock", "num_waits"),
    ],
)
def test_every_key_of_the_answers_of_simulate_is_named(tmp_path, memory, on_exceed, outcome, key):
    machine = MACHINE.format(memory=memory, on_exceed=on_exceed)
    for name, text in [("two.graph.json", GRAPH), ("m.yaml", machine), ("p.plan.json", PLAN)]:
        (tmp_path / name).write_text(text, encoding="utf-8")
    files = ["--graph", "two.graph.json", "--hardware", "./m.yaml", "--plan", "p.plan.json"]
    status = 0 if outcome == "completed" else 1
    ended = opyard(
        "simulate", *files, "--json", "--ops", "--explain", folder=tmp_path, status=status
    )
    answer = json.loads(ended.stdout)
    assert answer["outcome"] == outcome
    assert key in keys_of(answer)
    assert keys_of(answer) - named("Answers") == set()
