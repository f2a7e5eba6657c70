"""`import opyard` is light, and the command passes its subcommands on."""

from __future__ import annotations

import subprocess
import sys

_WITHOUT_TORCH = "import sys; sys.modules['torch'] = None; import opyard; "


def run(code: str) -> subprocess.CompletedProcess[str]:
    """Runs `code` in a fresh interpreter."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_import_works_where_torch_cannot_be_imported():
    result = run(_WITHOUT_TORCH + "print(opyard.__version__)")
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "0.1.0"


def test_export_without_torch_says_in_one_line_what_to_install():
    code = _WITHOUT_TORCH + "from opyard.cli import main; "
    result = run(code + "sys.exit(main(['export', 'torch', 'm:f', '--out', 'g.json']))")
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert "pip install 'torch" in result.stderr
