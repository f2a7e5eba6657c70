"""The stubs say of the C++ module what is so, and mypy takes them."""

from __future__ import annotations

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import opyard
import pytest
from opyard import _core, learned

PACKAGE = Path(opyard.__file__).parent
# Names that classes have without saying so, and pickle's part of them.
OF_ALL_CLASSES = re.compile(
    r"_pybind11\w+|__(?!init__|eq__|hash__|len__|copy__|deepcopy__|enter__|exit__)\w+__"
)

GOOD = """
import copy
from pathlib import Path

import numpy as np
import opyard

graph: opyard.Graph = opyard.load_graph("random:layered?n=20&seed=0")
machine: opyard.Machine = opyard.load_machine(Path("machine.yaml"))
problem = opyard.Problem(graph, machine, tasks=("placement", "scheduling"), group=8)
plan: opyard.Plan = problem.plan([1] * len(graph), op_priority=range(20))
figures: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = graph.arrays()["tensor_bytes"]
layer: int | None = graph.ops[0].layer
shape: tuple[int, ...] = graph.tensor(0).shape
evaluator = opyard.Evaluator(problem, evaluations=10, seconds=0.5)
scores: list[float] = [found["score"] for found in evaluator.evaluate([plan, copy.copy(plan)])]
evaluator.evaluate_actions(np.zeros((1, 20), dtype=np.int64))
result: opyard.SearchResult = opyard.place(graph, machine, agent="brkga", params={"moves": 3})
names: list[str] = [agent.name for agent in opyard.agents()]
plan.save(Path("best.plan.json"), graph, machine)
env = opyard.envs.OneShotEnv(graph=Path("step.graph.json"))
"""

# Each line is one that mypy must refuse.
BAD = """
opyard.Problem(None, machine)
opyard.Evaluator(None)
opyard.Evaluator(problem, evaluations="10")
opyard.load_graph(7)
opyard.place(graph, machine, agent=3)
plan.placement = [1]
plan.save("best.plan.json", graph, None)
graph.ops[0].flop
"""


# gymnasium's own types are most of the time that mypy takes, and none of ours.
SETTINGS = """
[mypy]
strict = True
[mypy-gymnasium.*]
follow_imports = skip
"""


def run_mypy(code: str, folder: Path) -> list[str]:
    """The errors of a user's script, one line each."""
    script = folder / "script.py"
    script.write_text(code, encoding="utf-8")
    settings = folder / "mypy.ini"
    settings.write_text(SETTINGS, encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", settings, script],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode in (0, 1), result.stdout + result.stderr
    return [line for line in result.stdout.splitlines() if ": error: " in line]


def test_mypy_takes_what_is_right_and_refuses_what_is_wrong(tmp_path):
    lines = (GOOD + BAD).splitlines()
    first_bad = len(GOOD.splitlines())
    expected = [i + 1 for i, line in enumerate(lines) if line and i >= first_bad]
    errors = run_mypy(GOOD + BAD, tmp_path)
    found = [int(error.split(":")[1]) for error in errors]
    assert sorted(set(found)) == expected, "\n".join(errors)


def stub_of(module: str) -> dict[str, ast.stmt]:
    """The public names of a stub."""
    body = ast.parse((PACKAGE / f"{module}.pyi").read_text(encoding="utf-8")).body
    named = {}
    for node in body:
        if isinstance(node, ast.AnnAssign):
            named[ast.unparse(node.target)] = node
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            named[node.name] = node
    return {name: node for name, node in named.items() if not re.match(r"_[A-Z]", name)}


def parameters_of_stub(node: ast.FunctionDef) -> list[str]:
    """The names of parameters; "=" behind one that may be left out, "*" before keywords."""
    arguments = node.args
    positional = arguments.posonlyargs + arguments.args
    first_default = len(positional) - len(arguments.defaults)
    names = [arg.arg + ("=" if i >= first_default else "") for i, arg in enumerate(positional)]
    if arguments.kwonlyargs:
        names.append("*")
    for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        names.append(arg.arg + ("" if default is None else "="))
    return names


def parameters_of_module(function: object) -> list[str]:
    """The same of a function, from the signature that pybind11 puts into its docstring."""
    signature = re.match(r"\w+\((.*)\)( -> |$)", function.__doc__.splitlines()[0])[1]
    parts, depth, quote = [""], 0, ""
    for character in signature:
        if character in "'\"":
            quote = "" if character == quote else quote or character
        depth += 0 if quote else (character in "[({") - (character in "])}")
        if character == "," and depth == 0 and not quote:
            parts.append("")
        else:
            parts[-1] += character
    named = [part.strip() for part in parts if part.strip()]  # none of "()"
    return [part.split(":")[0] + ("=" if " = " in part else "") for part in named]


@pytest.mark.parametrize("module", ["_core", "_agents"])
def test_the_stub_names_what_the_module_has(module):
    if module == "_agents" and not _core.torch_version:
        pytest.skip("built without LibTorch")
    runtime = vars(_core if module == "_core" else learned.load())
    public = {name for name in runtime if not OF_ALL_CLASSES.fullmatch(name)}
    public |= {"__version__"} & set(runtime)
    assert set(stub_of(module)) == public


CLASSES = [
    name
    for name, node in stub_of("_core").items()
    if isinstance(node, ast.ClassDef) and not name.endswith("Error")
]


@pytest.mark.parametrize("name", CLASSES)
def test_the_stub_of_a_class_has_its_methods_with_their_parameters(name):
    node = stub_of("_core")[name]
    methods = {method.name: method for method in node.body if isinstance(method, ast.FunctionDef)}
    kind = getattr(_core, name)
    own = {key for key in vars(kind) if not OF_ALL_CLASSES.fullmatch(key)}
    if not kind.__init__.__doc__.startswith("__init__("):
        own.discard("__init__")  # of what Python cannot make
    if kind.__hash__ is None or "__eq__" not in own:
        own -= {"__hash__"}
    assert set(methods) == own
    for key, method in methods.items():
        found = inspect.getattr_static(kind, key)
        decorators = [ast.unparse(decorator) for decorator in method.decorator_list]
        assert isinstance(found, property) == ("property" in decorators), key
        assert isinstance(found, staticmethod) == ("staticmethod" in decorators), key
        if not isinstance(found, property) and key not in ("__eq__", "__hash__", "__exit__"):
            expected = parameters_of_module(getattr(kind, key))
            if not isinstance(found, staticmethod):
                expected = ["self", *expected[1:]]
            assert parameters_of_stub(method) == expected, key


@pytest.mark.parametrize(
    "name", [name for name, node in stub_of("_core").items() if isinstance(node, ast.FunctionDef)]
)
def test_the_stub_of_a_function_has_its_parameters(name):
    assert parameters_of_stub(stub_of("_core")[name]) == parameters_of_module(getattr(_core, name))
