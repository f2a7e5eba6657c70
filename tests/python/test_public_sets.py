"""scripts/public_sets.py: sets of graphs as the experiments stg, sinnen and doppler expect them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "public_sets.py"


def lay_out(source: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), str(source), "--out", str(out)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def test_lengths_become_seconds_and_equal_bounds_a_proof(tmp_path):
    write(tmp_path / "stg/50/a.stg", "1\n0 55 0\n")
    write(
        tmp_path / "stg/optima.csv",
        "graph,processors,lower,best\n50/a.stg,2,55,55\n50/a.stg,16,1204,1205\n",
    )
    result = lay_out(tmp_path, tmp_path / "out")
    assert result.returncode == 0, result.stderr
    assert "1 graphs, 2 step times, 1 proven optimal" in result.stdout
    assert "sinnen: no optima.csv, left out" in result.stderr
    assert (tmp_path / "out/stg/50/a.stg").read_text(encoding="utf-8") == "1\n0 55 0\n"
    assert (tmp_path / "out/stg/optima.csv").read_text(encoding="utf-8") == (
        "graph,machine,makespan_s,proven\n"
        "50/a.stg,processors-2,0.055,true\n"
        "50/a.stg,processors-16,1.205,false\n"
    )


def test_graphs_of_doppler_are_copied(tmp_path):
    write(tmp_path / "doppler/compute_graph/a.txt", "1\n\n\n\n5,7\n")
    result = lay_out(tmp_path, tmp_path / "out")
    assert result.returncode == 0, result.stderr
    assert "1 graphs" in result.stdout
    assert (tmp_path / "out/doppler/a.txt").read_text(encoding="utf-8") == "1\n\n\n\n5,7\n"


def test_a_folder_without_sets_is_no_success(tmp_path):
    assert lay_out(tmp_path, tmp_path / "out").returncode == 1
