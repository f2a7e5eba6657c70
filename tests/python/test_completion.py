"""Shells complete `opyard` by the scripts it prints, and misspelled words have a hint."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BASH = """
source <(opyard completion bash)
COMP_LINE="$1" COMP_POINT=${#1}
_opyard opyard
printf '%s\\n' "${COMPREPLY[@]}"
"""
ZSH = """
compdef() { :; }
compadd() { shift; printf '%s\\n' "$@"; }
_files() { :; }
source <(opyard completion zsh)
words=(${(z)1}); [[ $1 == *' ' ]] && words+=('')
CURRENT=$#words PREFIX=$words[-1]
_opyard
"""
FISH = "opyard completion fish | source; complete -C $argv[1]"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment where `opyard` is this interpreter's package."""
    program = tmp_path / "opyard"
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m opyard "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}


def run(words: list[str], environment: dict[str, str]) -> list[str]:
    result = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    return result.stdout.split()


@pytest.mark.parametrize(
    ("line", "candidates"),
    [
        ("opyard pl", ["place", "plan"]),
        ("opyard place --agent he", ["heft", "heft_aware"]),
        ("opyard agents show reinf", ["reinforce_lstm"]),
        ("opyard export torch m:f --opt", ["--optimizer"]),
        # bash replaces what follows the colon or the equals sign.
        ("opyard graph info random:lay", ["layered"]),
        ("opyard place --queue=f", ["fifo"]),
    ],
)
def test_bash_completes(line, candidates, environment):
    assert run(["bash", "-c", BASH, "bash", line], environment) == candidates


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed")
def test_zsh_completes(environment):
    assert run(["zsh", "-c", ZSH, "zsh", "opyard place --agent he"], environment) == [
        "heft",
        "heft_aware",
    ]
    assert run(["zsh", "-c", ZSH, "zsh", "opyard agents "], environment) == ["list", "show"]


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
def test_fish_completes(environment):
    assert run(["fish", "-c", FISH, "opyard place --agent he"], environment) == [
        "heft",
        "heft_aware",
    ]


@pytest.mark.parametrize(
    "subcommand",
    [
        ["export", "torch"],
        ["export", "jax"],
        ["export", "tensorflow"],
        ["measure"],
        ["execute"],
        ["profile", "measure"],
        ["profile", "fit-trace"],
        ["profile", "calibrate"],
        ["profile", "score"],
        ["bench", "env"],
        ["profile", "new"],
        ["profile", "import"],
        ["duel"],
        ["task", "new"],
        ["task", "score"],
    ],
    ids=" ".join,
)
def test_completion_knows_the_options_of_subcommands_in_python(subcommand, environment):
    # argparse has them from Python, completion from C++.
    known = run(["opyard", "complete", *subcommand, "--"], environment)
    usage = run(["opyard", *subcommand, "--help"], environment)
    assert {word for word in known if word != "--help"} == {
        word.strip("[],") for word in usage if word.strip("[],").startswith("--")
    } - {"--help"}


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["export", "torch", "m:f", "--optimzer", "sgd"], 'did you mean "--optimizer"?'),
        (["export", "trch", "m:f"], 'did you mean "torch"?'),
        (["graph", "convert", "m.onnx", "--trian", "sgd"], 'did you mean "--train"?'),
    ],
)
def test_misspelled_words_of_pythons_subcommands_are_answered_with_the_nearest(
    words, hint, environment
):
    result = subprocess.run(
        ["opyard", *words], env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 2
    assert hint in result.stderr
