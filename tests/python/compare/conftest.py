"""The store that most tests of `opyard compare` read; nobody changes it."""

from __future__ import annotations

from pathlib import Path

import pytest
import stores


@pytest.fixture(scope="session")
def results(tmp_path_factory) -> Path:
    """The results of 2 workloads, 4 agents and 2 seeds."""
    return stores.run_small(tmp_path_factory.mktemp("compare"))
