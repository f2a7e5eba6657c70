"""The worked examples of docs/modelling.md, run as they stand."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "modelling.md"
# Variants of the example's machine, in the order of the results on the page.
VARIANTS = ["", "transfers: {sharing: fair}\n", "placeto-4"]


def blocks(language: str) -> list[str]:
    examples = PAGE.read_text(encoding="utf-8").split("## 10. Worked examples")[1]
    return re.findall(rf"```{language}\n(.*?)```", examples, flags=re.DOTALL)


def simulate(folder: Path, machine: str) -> dict:
    graph, plan = blocks("json")
    (folder / "graph.json").write_text(graph, encoding="utf-8")
    (folder / "plan.json").write_text(plan, encoding="utf-8")
    arguments = ["--graph", folder / "graph.json", "--plan", folder / "plan.json"]
    command = [sys.executable, "-m", "opyard", "simulate", *arguments, "--hardware", machine]
    done = subprocess.run(
        [*map(str, command), "--ops", "--json"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("index", range(len(VARIANTS)))
def test_gives_the_times_that_the_page_derives(index: int, tmp_path: Path) -> None:
    machine = VARIANTS[index]
    if not machine.startswith("placeto"):
        path = tmp_path / "star.yaml"
        path.write_text(blocks("yaml")[0] + machine, encoding="utf-8")
        machine = str(path)
    result = simulate(tmp_path, machine)
    ops = {op["name"]: op for op in result["ops"]}
    for line in blocks("text")[index].splitlines():
        name, *times = line.split()
        if name == "makespan":
            found = [result["makespan_s"]]
        else:
            found = [ops[name]["start_s"], ops[name]["finish_s"]]
        # The page gives microseconds to six decimals: whole picoseconds.
        assert [round(seconds * 1e12) for seconds in found] == [
            round(float(time) * 1e6) for time in times
        ], name
