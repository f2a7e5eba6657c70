"""The command among other programs: pipes, devices, links, bare file names."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

_COMMAND = [sys.executable, "-m", "opyard"]
# Python's own output waits in a buffer, as it does for a user.
_ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"}
_MACHINE = "p100x2-pcie"
_GRAPH = {
    "format": "opyard-graph/1",
    "name": "toy",
    "ops": [
        {"name": "a", "type": "MatMul", "outputs": [{"bytes": 7}], "seconds": {"*": 0.002}},
        {"name": "b", "type": "Custom", "inputs": [[0, 0]], "seconds": {"*": 0.003}},
    ],
}
_PLAN = {"format": "opyard-plan/1", "graph": "toy", "placement": ["gpu0", "gpu0"]}
_EXPERIMENT = f"""schema_version: 1
name: toy
graphs: [toy.json]
hardware: [{_MACHINE}]
budget: {{evaluations: 2}}
agents: [single_device]
seeds: [0]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where toy.json, plan.json and toy.yaml lie."""
    (tmp_path / "toy.json").write_text(json.dumps(_GRAPH), encoding="utf-8")
    (tmp_path / "plan.json").write_text(json.dumps(_PLAN), encoding="utf-8")
    (tmp_path / "toy.yaml").write_text(_EXPERIMENT, encoding="utf-8")
    return tmp_path


def run(folder: Path, *words: str, **options) -> subprocess.CompletedProcess[str]:
    """Runs `opyard WORDS` in `folder`; it never takes a minute."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run(
        [*_COMMAND, *words],
        cwd=folder,
        text=True,
        check=False,
        timeout=60,
        env=_ENVIRONMENT,
        **streams,
    )


def shell(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Runs `script` in bash, where `opyard` is the command."""
    function = f'opyard() {{ "{sys.executable}" -m opyard "$@"; }}; '
    return subprocess.run(
        ["bash", "-c", function + script],
        cwd=folder,
        text=True,
        capture_output=True,
        check=False,
        timeout=60,
        env=_ENVIRONMENT,
    )


def test_an_experiment_in_the_current_folder_needs_no_slash(folder):
    result = run(folder, "run", "toy.yaml", "--quiet")
    assert result.returncode == 0, result.stderr
    assert run(folder, "validate", "results/toy").returncode == 0
    assert run(folder / "results" / "toy", "validate", "results.sqlite").returncode == 0


def test_an_experiment_on_standard_input_finds_its_files_from_here(folder):
    result = run(folder, "run", "-", "--quiet", input=_EXPERIMENT)
    assert result.returncode == 0, result.stderr
    assert run(folder / "results", "validate", "toy").returncode == 0


def test_all_inputs_may_be_process_substitutions(folder):
    machine = Path(__file__).resolve().parents[2] / "hardware_profiles/machines/p100x2-pcie.yaml"
    result = shell(
        folder,
        "opyard simulate --graph <(gzip < toy.json) --plan <(cat plan.json)"
        f" --hardware <(cat '{machine}') && opyard profile validate <(cat '{machine}')",
    )
    assert result.returncode == 0, result.stderr
    assert "completed: 5.000 ms" in result.stdout  # 2 ms and 3 ms on one device
    assert "a valid machine" in result.stdout


def test_times_and_graph_come_from_standard_input_and_the_result_goes_to_standard_output(folder):
    result = shell(
        folder,
        "printf 'op,us\\na,3\\n' | opyard graph annotate toy.json --times - --device gpu --out -"
        " | opyard graph convert /dev/stdin --out >(cat > made.json) && sleep 1",
    )
    assert result.returncode == 0, result.stderr
    ops = json.loads((folder / "made.json").read_text(encoding="utf-8"))["ops"]
    assert ops[0]["seconds"] == {"*": 0.002, "gpu": 3e-06}


def test_redirected_standard_output_holds_the_file_alone(folder):
    for name in ("-", "/dev/stdout", "/dev/fd/1"):
        with (folder / "made.json").open("w") as out:
            out.write(" ")
            out.flush()
            result = run(folder, "graph", "convert", "toy.json", "--out", name, stdout=out)
        assert result.returncode == 0, result.stderr
        text = (folder / "made.json").read_text(encoding="utf-8")
        assert text.startswith(" {"), name  # goes on where the file stands
        assert json.loads(text)["name"] == "toy"
        assert "wrote 2 ops" in result.stderr


def test_a_fifo_is_written_through_and_stays_one(folder):
    os.mkfifo(folder / "fifo")
    read = []
    reader = threading.Thread(target=lambda: read.append((folder / "fifo").read_text()))
    reader.start()
    result = run(folder, "graph", "convert", "toy.json", "--out", "fifo")
    reader.join(timeout=60)
    assert result.returncode == 0, result.stderr
    assert json.loads(read[0])["name"] == "toy"
    assert stat.S_ISFIFO((folder / "fifo").stat().st_mode)


@pytest.mark.parametrize(
    "words",
    [
        ("graph", "info", "./fifo"),
        ("simulate", "--graph", "toy.json", "--hardware", _MACHINE, "--plan", "fifo"),
        ("run", "fifo"),
        ("graph", "convert", "toy.json", "--out", "fifo"),
    ],
    ids=["graph", "plan", "experiment", "out"],
)
def test_one_interrupt_ends_the_wait_for_the_other_end_of_a_fifo(folder, words):
    os.mkfifo(folder / "fifo")
    process = subprocess.Popen(
        [*_COMMAND, *words], cwd=folder, stderr=subprocess.PIPE, text=True, env=_ENVIRONMENT
    )
    try:
        _wait_until_asleep_within_the_command(process.pid)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "interrupted" in errors.lower()
    assert "Traceback" not in errors


def _wait_until_asleep_within_the_command(process_id: int) -> None:
    """Returns once the process handles SIGINT by itself (the C++ side runs) and sleeps."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        status = Path(f"/proc/{process_id}/status").read_text(encoding="utf-8")
        fields = dict(line.split(":", 1) for line in status.splitlines())
        terminates = int(fields["SigCgt"], 16) & 1 << (signal.SIGTERM - 1)
        if terminates and fields["State"].strip().startswith("S"):
            return
        time.sleep(0.02)
    raise AssertionError("the command never waited")


@pytest.mark.parametrize(
    "words",
    [
        ("agents", "list"),
        ("graph", "list", "--json"),
        ("graph", "workloads"),
        ("--help",),
        ("export", "torch", "--help"),
        ("graph", "convert", "toy.json", "--out", "-"),
        ("place", "--graph", "toy.json", "--hardware", _MACHINE, "--agent", "heft"),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_output_that_does_not_arrive_ends_with_status_1(folder, words):
    with Path("/dev/full").open("w") as full:
        result = run(folder, *words, stdout=full)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1].startswith("standard output: cannot be written")
    assert "Traceback" not in result.stderr
    assert "Exception ignored" not in result.stderr


@pytest.mark.parametrize("words", [("graph", "workloads"), ("export", "torch", "--help")])
def test_a_closed_pipe_ends_the_command_quietly(folder, words):
    reading, writing = os.pipe()
    os.close(reading)
    result = run(folder, *words, stdout=writing)
    os.close(writing)
    assert result.returncode == 141
    assert result.stderr == ""


def test_an_endless_device_is_refused_at_the_limit(folder):
    plan = ("simulate", "--graph", "toy.json", "--plan", "plan.json", "--hardware", "/dev/zero")
    result = run(folder, *plan)
    assert result.returncode == 2
    assert result.stderr == "/dev/zero: found more than 1 MiB, expected at most that\n"
