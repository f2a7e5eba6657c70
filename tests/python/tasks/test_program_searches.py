"""OpenEvolve and SkyDiscover search in the folders with a stand-in for the language model."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sysconfig
from pathlib import Path

import pytest
from opyard.tasks.command import run_score
from opyard.tasks.guards import guards
from stand_in_model import stand_in_model
from tiny_search import limit, make_search

# Ops of 1, 2, 3, 5 and 7 ms, none of which needs another: two processors take 9 ms at best.
MILLISECONDS = (1, 2, 3, 5, 7)
OPTIMUM = "return {'placement': [0, 1, 0, 0, 1]}"  # 1 + 3 + 5 | 2 + 7
SEED = """\
# EVOLVE-BLOCK-START
def place(graph, machine):
    return {'placement': [0, 0, 0, 0, 0]}
# EVOLVE-BLOCK-END
"""
# Each rewrites `place`; the score is 9 ms over what its plan takes.
VALID = {
    "better": (9 / 15, ["return {'placement': [1, 1, 0, 0, 0]}"]),  # 3 + 5 + 7 | 1 + 2
    "best": (9 / 11, ["return {'placement': [0, 1, 0, 1, 0]}"]),  # 1 + 3 + 7 | 2 + 5
    "worse": (9 / 18, ["return {'placement': [1, 1, 1, 1, 1]}"]),
}
# Each would win if what it does before were allowed, or were no plan at all.
FAILING = {
    "raises": ["1 / 0", OPTIMUM],
    "ends": ["import os", "os._exit(0)", OPTIMUM],
    "hangs": ["while True: pass", OPTIMUM],
    "hoards": ["hoard = [bytearray(10**6) for _ in range(10**4)]", OPTIMUM],
    "prints": ["while True: print('x' * 1000)", OPTIMUM],
    "knows no such device": ["return {'placement': [0, 1, 0, 0, 2]}"],
}
READING = {
    "reads": ["open(FOLDER + '/workloads.json').read()", OPTIMUM],
    "rewrites": ["open(FOLDER + '/evaluator.py', 'w').close()", OPTIMUM],
}
CONNECTING = {
    "connects": ["import socket", "socket.create_connection(('127.0.0.1', 9))", OPTIMUM],
    "forks": ["import os", "os.fork()", OPTIMUM],
}


def candidates(search: Path) -> dict[str, tuple[float, list[str]]]:
    """Bodies of `place` by name with their scores, in the order of the answers."""
    failing = dict(FAILING)
    if "landlock" in guards():
        folder = f"FOLDER = {str(search)!r}"
        failing |= {name: [folder, *lines] for name, lines in READING.items()}
    if "seccomp" in guards():
        failing |= CONNECTING
    scored = {name: (0.0, lines) for name, lines in failing.items()}
    better, *rest = VALID.items()
    return dict([better, *scored.items(), *rest])


def change_to(name: str, lines: list[str]) -> str:
    """An answer as both frameworks read it: whatever the parent is, this `place` comes last."""
    body = "".join(f"    {line}\n" for line in lines)
    end = "# EVOLVE-BLOCK-END\n"
    program = f"# candidate: {name}\ndef place(graph, machine):\n{body}{end}"
    return f"Try this.\n\n<<<<<<< SEARCH\n{end}=======\n{program}>>>>>>> REPLACE\n"


def name_the_model(search: Path, url: str) -> None:
    """Edits `config.yaml` as its comments say."""
    path = search / "config.yaml"
    text = path.read_text(encoding="utf-8").replace("NAME-OF-YOUR-MODEL", "stand-in")
    text = text.replace('# api_base: "http://localhost:8000/v1"', f'api_base: "{url}"')
    path.write_text(text.replace("https://api.openai.com/v1", url), encoding="utf-8")


def run_search(framework: str, search: Path, iterations: int) -> None:
    """The command of the folder's README."""
    command = [Path(sysconfig.get_path("scripts")) / f"{framework}-run"]
    command += ["initial_program.py", "evaluator.py", "--config", "config.yaml"]
    ended = subprocess.run(
        [*command, "--iterations", str(iterations), "--output", "out"],
        cwd=search,
        env=os.environ | {"OPENAI_API_KEY": "none", "NO_PROXY": "127.0.0.1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def scores_by_name(search: Path) -> dict[str, float]:
    """The score of each candidate in the last checkpoint of the framework."""
    checkpoints = (search / "out" / "checkpoints").glob("checkpoint_*")
    last = max(checkpoints, key=lambda path: int(path.name.rpartition("_")[2]))
    found = {}
    for path in (last / "programs").glob("*.json"):
        program = json.loads(path.read_text(encoding="utf-8"))
        names = re.findall("^# candidate: (.*)$", program.get("code") or program["solution"], re.M)
        if names:
            found[names[-1]] = program["metrics"]["combined_score"]
    return found


@pytest.mark.parametrize("framework", ["openevolve", "skydiscover"])
def test_a_search_ends_with_the_best_program_that_keeps_the_rules(framework, tmp_path, capsys):
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"needs {framework} (requirements/programs.txt)")
    search = make_search(tmp_path, framework, MILLISECONDS)
    limit(search, seconds=5.0, memory_bytes=2**29, output_bytes=2**20)
    (search / "initial_program.py").write_text(SEED, encoding="utf-8")
    evaluator = (search / "evaluator.py").read_bytes()
    tried = candidates(search)
    with stand_in_model([change_to(name, lines) for name, (_, lines) in tried.items()]) as model:
        name_the_model(search, model.url)
        run_search(framework, search, 20)

    assert len(model.prompts) >= len(tried)
    assert any("critical path" in prompt for prompt in model.prompts)
    assert (search / "evaluator.py").read_bytes() == evaluator
    scores = scores_by_name(search)
    assert scores == {name: pytest.approx(tried[name][0]) for name in scores}
    assert "best" in scores
    assert len(scores) > len(tried) // 2  # populations forget some that others surpass

    best = search / "out" / "best"
    info = json.loads((best / "best_program_info.json").read_text(encoding="utf-8"))
    assert info["metrics"]["combined_score"] == pytest.approx(VALID["best"][0])
    capsys.readouterr()
    words = [str(search), str(best / "best_program.py"), "--evaluations", "20", "--json"]
    assert run_score(["task", "score", *words]) == 0
    (public,) = json.loads(capsys.readouterr().out)["sets"]
    scored = {row["by"]: row["score"] for row in public["scores"]}
    assert scored["program"] == info["metrics"]["combined_score"]
