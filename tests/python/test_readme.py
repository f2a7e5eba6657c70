"""Commands and programs of the README and of pages of docs do what these say."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import opyard
import pytest
from opyard.python_agents.installed import OWN

ROOT = Path(__file__).resolve().parents[2]


def text_of(page: str) -> str:
    """The text of a page of the project."""
    return (ROOT / page).read_text(encoding="utf-8")


def commands_of(page: str) -> list[str]:
    """The first block of commands, in order: later ones read what earlier ones wrote."""
    return re.findall(r"```\n(opyard .*?)```", text_of(page), re.DOTALL)[0].splitlines()


PAGES = ("docs/environments.md", "docs/explain.md", "docs/importing.md")
COMMANDS = commands_of("README.md")
EXPLAIN_COMMANDS = commands_of("docs/explain.md")
EXCERPTS = re.findall(r"```text\n(.*?)```", text_of("docs/explain.md"), re.DOTALL)


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs this Python in `folder`, in a terminal that knows all characters."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def test_the_python_block_runs(tmp_path):
    (block,) = re.findall(r"```python\n(.*?)```", text_of("README.md"), re.DOTALL)
    result = run(["-c", block], tmp_path)
    assert result.returncode == 0, result.stderr
    searches, episode = result.stdout.splitlines()
    alone, found, bound_of_search = map(float, searches.split())
    assert alone > found >= bound_of_search > 0
    reward, makespan, bound = map(float, episode.split())
    assert reward < 0
    assert makespan >= bound > 0
    assert bound == bound_of_search  # of the same problem


@pytest.mark.parametrize(
    "block",
    [block for page in PAGES for block in re.findall(r"```python\n(.*?)```", text_of(page), re.S)],
)
def test_the_blocks_of_pages_run(block, tmp_path):
    result = run(["-c", block], tmp_path)
    assert result.returncode == 0, result.stderr
    assert result.stdout


@pytest.mark.slow
def test_the_tutorial_trains_a_policy_that_is_better_than_controls(folder):
    page = text_of("docs/train-your-own-policy.md")
    program = "\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL))
    result = run(["-c", program], folder)
    assert result.returncode == 0, result.stderr
    *rows, last = result.stdout.splitlines()
    means = {}
    for row in rows:
        name, number, _, mean, *_ = row.split()
        means[name, int(number)] = float(mean)
    assert len(means) == page.count("\n| `") + len(re.findall(r"\n\| the (untrained|policy)", page))
    assert means["policy", 16] < min(means["single_device", 3], means["random", 16])
    assert means["policy", 1] < means["untrained", 1]
    assert means["policy", 16] < means["untrained", 16]
    makespan, bound = re.findall(r"[\d.]+", last)
    assert float(makespan) >= float(bound) > 0
    (command,) = re.findall(r"```\n(opyard .*?)\n```", page)
    simulated = run(["-m", "opyard", *shlex.split(command)[1:]], folder)
    assert simulated.returncode == 0, simulated.stderr
    assert f"completed: {makespan[:-1]}" in simulated.stdout


def test_the_table_of_methods_has_every_agent():
    (table,) = re.findall(r"\| agents \| method \|.*?\n\n", text_of("README.md"), re.DOTALL)
    named = [
        name
        for row in table.strip().splitlines()
        for name in re.findall(r"`(.*?)`", row.split("|")[1])
    ]
    assert len(named) == len(set(named))
    ours = {info.name for info in opyard.agents() if info.kind != "python"} | set(OWN)
    assert set(named) == ours


def test_the_picture_is_of_the_page_that_its_command_writes(folder):
    readme = text_of("README.md")
    (caption,) = re.findall(r"<sub>(.*?)</sub>", readme, re.DOTALL)
    (command,) = re.findall(r"`(opyard simulate .*?)`", caption)
    simulate = shlex.split(command)
    plan = simulate.index("--plan") + 1
    simulate[plan] = str(ROOT / simulate[plan])
    simulated = run(["-m", "opyard", *simulate[1:]], folder)
    assert simulated.returncode == 0, simulated.stderr
    page = (folder / simulate[-1]).read_text(encoding="utf-8")
    (title,) = re.findall(r"<h1[^>]*>(.*?)</h1>", page)
    assert title == "One step takes 114.8 ms"
    assert title.split("takes ")[1] in readme.split("docs/pictures/plan-page.png")[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the commands run: experiments are named by their path from the project's root."""
    folder = tmp_path_factory.mktemp("readme")
    (folder / "experiments").symlink_to(ROOT / "experiments")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_the_commands_run(command, folder):
    result = run(["-m", "opyard", *shlex.split(command)[1:]], folder)
    assert result.returncode == 0, result.stderr
    assert "Traceback" not in result.stderr


@pytest.fixture(scope="module")
def explained(folder):
    """The results of the commands of the page on explanations."""
    return {
        command: run(["-m", "opyard", *shlex.split(command)[1:]], folder)
        for command in EXPLAIN_COMMANDS
    }


@pytest.mark.parametrize("command", EXPLAIN_COMMANDS)
def test_the_commands_of_the_page_on_explanations_run(command, explained, folder):
    result = explained[command]
    assert result.returncode == 0, result.stderr
    if "--json" in command:
        explanation = json.loads(result.stdout)["explanation"]
        parts = [part["duration_ps"] for part in explanation["critical_path"]]
        assert sum(parts) == round(json.loads(result.stdout)["makespan_s"] * 1e12)
    if "--trace" in command:
        trace = json.loads((folder / shlex.split(command)[-1]).read_text(encoding="utf-8"))
        assert {event["ph"] for event in trace["traceEvents"]} == set("MXCsf")


@pytest.mark.parametrize("excerpt", EXCERPTS, ids=lambda excerpt: excerpt.split(maxsplit=1)[0])
def test_the_page_on_explanations_quotes_what_was_printed(excerpt, explained):
    printed = "\n" + "".join(result.stdout for result in explained.values())
    for lines in re.split(r"^…\n", excerpt, flags=re.MULTILINE):
        assert "\n" + lines in printed
