"""Everything a user's function can get wrong ends with status 2 and one line that says what."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

pytest.importorskip("torch")

from opyard.export.command import add_parser, run

PRELUDE = """
import torch
from torch import nn
class Two(nn.Module):
    def __init__(self):
        super().__init__()
        self.used, self.unused = nn.Linear(3, 2), nn.Linear(3, 2)
    def forward(self, x):
        return self.used(x)
class Peeks(nn.Module):
    def __init__(self):
        super().__init__()
        self.dense = nn.Linear(3, 2)
    def forward(self, x):
        y = self.dense(x).sum()
        return y if y.item() > 0 else -y
linear = nn.Linear(3, 2)
x = torch.ones(5, 3)
def total(y): return y.sum()
"""

CASES = {
    "returns_nothing": ("return None", "returned a NoneType, expected (module, example_inputs)"),
    "returns_four": ("return linear, x, total, 1", "returned a tuple of 4, expected (module"),
    "module_is_no_module": (
        "return total, x",
        "returned a module of type function, expected a torch",
    ),
    "inputs_are_a_number": ("return linear, 7", "example_inputs of type int, expected a tensor"),
    "loss_fn_is_a_number": ("return linear, x, 7", "returned a loss_fn of type int"),
    "raises": ("raise ValueError('two\\nlines')", "failed: ValueError: two lines"),
    "wants_arguments": ("ARGUMENT", "missing 1 required positional argument"),
    "loss_is_no_scalar": ("return linear, x", "the loss has shape [5, 2], expected one element"),
    "loss_is_no_tensor": ("return linear, x, lambda y: 1.5", "the loss is a float"),
    "loss_is_whole": (
        "return linear, x, lambda y: y.sum().long()",
        "the loss has type torch.int64, expected a floating-point type",
    ),
    "loss_is_detached": (
        "return linear, x, lambda y: y.sum().detach()",
        "the loss depends on no parameter that requires a gradient",
    ),
    "nothing_to_train": (
        "return nn.ReLU(), x, total",
        "the loss depends on no parameter that requires a gradient",
    ),
    "parameter_without_gradient": (
        "return Two(), x, total",
        "no gradient reaches unused.weight, unused.bias: let the loss use",
    ),
    "shapes_do_not_fit": ("return linear, x.T, total", "the forward pass failed: RuntimeError"),
    "loss_fn_wants_a_target": (
        "return linear, x, nn.MSELoss()",
        "loss_fn(output) failed: TypeError: MSELoss.forward() missing 1 required",
    ),
    "too_few_inputs": ("return linear, (), total", "the forward pass failed: TypeError"),
    "branches_on_values": ("return Peeks(), x", "the forward pass depends on the values of a"),
    "exits": ("raise SystemExit(0)", "failed: SystemExit: 0"),
}


def export(reference: str, out: Path) -> int:
    parser = argparse.ArgumentParser()
    add_parser(parser.add_subparsers(dest="subcommand"))
    return run(parser.parse_args(["export", "torch", reference, "--out", str(out)]))


def expect_one_line(capsys: pytest.CaptureFixture[str], expected: str) -> None:
    message = capsys.readouterr().err
    assert expected in message
    assert message.startswith("opyard export torch: ")
    assert message.count("\n") == 1


@pytest.mark.parametrize("case", sorted(CASES))
def test_broken_contract_ends_with_one_line(
    case: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    body, expected = CASES[case]
    argument, body = ("argument", "pass") if body == "ARGUMENT" else ("", body)
    module = f"user_module_{case}"
    (tmp_path / f"{module}.py").write_text(f"{PRELUDE}\ndef step({argument}):\n    {body}\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert export(f"{module}:step", tmp_path / "out.json") == 2
    expect_one_line(capsys, expected)
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("no_colon", '"no_colon" does not name a function: expected MODULE:FUNCTION'),
        (":step", "expected MODULE:FUNCTION"),
        ("no_such_module_here:step", 'cannot import "no_such_module_here": ModuleNotFoundError'),
        ("math:no_such", 'module "math" has no function "no_such"'),
        ("math:pi", '"math:pi" is a float, expected a function without arguments'),
    ],
)
def test_reference_that_names_no_function_ends_with_one_line(
    reference: str, expected: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert export(reference, tmp_path / "out.json") == 2
    expect_one_line(capsys, expected)


def test_module_with_a_syntax_error_ends_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "user_module_broken.py").write_text("def step(:\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert export("user_module_broken:step", tmp_path / "out.json") == 2
    expect_one_line(capsys, 'cannot import "user_module_broken": SyntaxError')
