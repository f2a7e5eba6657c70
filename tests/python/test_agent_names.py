"""An agent in Python whose name holds whatever separates names in a table."""

from __future__ import annotations

import csv
import shutil
import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/python_agent/hill_climb.py"
GRAPH = "random:layered?n=30&seed=3"
MACHINE = "p100x2-pcie"


def opyard_command(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command as users do."""
    command = [sys.executable, "-m", "opyard", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_best_known_plans_are_kept_and_read_again(tmp_path):
    folder = tmp_path / "my 50% agents, and:more"
    folder.mkdir()
    shutil.copy(EXAMPLE, folder)
    name = f"{folder}/hill_climb.py:HillClimb"
    (tmp_path / "experiment.yaml").write_text(
        "schema_version: 1\n"
        "name: own\n"
        f"graphs: ['{GRAPH}']\n"
        f"hardware: [{MACHINE}]\n"
        "budget: {evaluations: 30}\n"
        f"agents: ['{name}', brkga]\n"
        "seeds: [3]\n"
    )
    assert (
        opyard_command("run", "experiment.yaml", "--out", "results", cwd=tmp_path).returncode == 0
    )
    for _ in range(2):  # the second reads what the first wrote
        found = opyard_command("results", "best-known", "results", "--out", "best", cwd=tmp_path)
        assert found.returncode == 0, found.stderr
    with (tmp_path / "best" / "best_known.csv").open(newline="") as table:
        (row,) = csv.DictReader(table)
    escaped = name.replace("%", "%25").replace(" ", "%20")
    assert row["searches"].split(" ") == [f"{escaped}:3:30", "brkga:3:30"]
    assert (row["agents"], row["seeds"]) == ("2", "1")
    assert opyard_command("validate", "best", cwd=tmp_path).returncode == 0
    compared = opyard_command("compare", "results", "--best-known", "best", "--json", cwd=tmp_path)
    assert compared.returncode == 0, compared.stderr
