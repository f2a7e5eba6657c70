"""The fast tests of the environments under the oldest gymnasium that the package declares."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Filled by `./dev`, from requirements/gymnasium-oldest.txt.
FOLDER = Path(sys.prefix) / "gymnasium-oldest"
SUITES = sorted(
    path.name
    for path in Path(__file__).parent.glob("test_*env*.py")
    if "gymnasium" in path.read_text(encoding="utf-8")
)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    """Runs this Python with the oldest gymnasium first on its path."""
    assert FOLDER.is_dir(), (
        f"{FOLDER} is missing: run ./dev setup, which installs gymnasium into it"
    )
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(FOLDER)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_it_is_the_version_that_the_package_declares():
    result = run("-c", "import gymnasium, opyard.envs; print(gymnasium.__version__)")
    declared = re.search(r'"gymnasium>=(.*?),', (ROOT / "pyproject.toml").read_text("utf-8"))
    assert declared is not None
    assert result.stdout.strip() == declared.group(1), result.stderr


def test_the_suites_are_those_of_all_environments():
    assert {"test_one_shot_env.py", "test_step_envs.py", "test_vector_envs.py"} <= set(SUITES)


@pytest.mark.parametrize("suite", SUITES)
def test_a_suite_passes(suite):
    result = run("-m", "pytest", "-q", "-m", "not slow", f"tests/python/{suite}")
    assert result.returncode == 0, result.stdout + result.stderr
