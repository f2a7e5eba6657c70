"""Hands bad arguments to every public function of opyard, for test_bad_arguments.py.

Run in a process of its own, so that a crash is an answer too:

    python bad_arguments.py ANSWERS FIRST

Writes one line of JSON per case from number FIRST on to the file ANSWERS: its name before the call,
and what came of it after.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import opyard
import xlwt
from legal_arguments import BAD, LEGAL
from opyard import _core
from opyard.envs import OneShotEnv
from opyard.moirai.problem_table import columns_of

GRAPH = "random:layered?n=12&seed=3"
MACHINE = "p100x2-pcie"
STEP = "zoo:vgg16?scale=tiny"
STUB = Path(_core.__file__).parent / "_core.pyi"

# The objects that stand in for `self`: any other object of Python, and one that has no value.
MADE_BY_NEW = "made by __new__"
BAD_SELF = {"None": None, "object": object(), MADE_BY_NEW: None}


def make_problem() -> _core.Problem:
    return _core.Problem(GRAPH, MACHINE)


def make_plan() -> _core.Plan:
    return _core.Plan([1] * 12)


def make_builder() -> _core.GraphBuilder:
    return _core.GraphBuilder("built", "")


def make_env() -> OneShotEnv:
    env = gymnasium.make("opyard/OneShot-v0", graph=GRAPH, hardware=MACHINE).unwrapped
    env.reset(seed=0)
    return env


def make_step_env() -> _core.StepEnv:
    env = _core.StepEnv([GRAPH], [MACHINE])
    env.reset()
    return env


def make_vector() -> _core.StepVectorEnv:
    vector = _core.StepVectorEnv(_core.StepEnv([GRAPH], [MACHINE]), num_envs=1, threads=1)
    vector.reset([], [])
    return vector


# A fresh object of each class; classes that Python cannot make are reached through others.
SELVES: dict[str, Callable[[], Any]] = {
    "AgentRegistry": _core.classical_agents,
    "BuiltTensor": lambda: make_builder().placeholder("x", [2, 3], "f32"),
    "Evaluator": lambda: _core.Evaluator(make_problem(), threads=1),
    "Graph": lambda: _core.load_graph(GRAPH),
    "GraphBuilder": make_builder,
    "Machine": lambda: _core.load_machine(MACHINE),
    "Op": lambda: _core.load_graph(GRAPH).op(0),
    "Plan": make_plan,
    "Problem": make_problem,
    "Scope": lambda: make_builder().scope("name", None),
    "StepEnv": make_step_env,
    "StepVectorEnv": make_vector,
    "Tensor": lambda: _core.load_graph(GRAPH).tensor(0),
    "Window": lambda: make_window(),
    "envs.OneShotEnv": make_env,
}


def make_window() -> _core.Window:
    return _core.Window(extents=[1, 1], strides=[1, 1], pads=[0, 0], dilations=[1, 1])


def graph_text() -> bytes:
    _core.write_graph(_core.load_graph(GRAPH), "made.graph.json")
    return Path("made.graph.json").read_bytes()


def moirai_file() -> str:
    """A placement problem of one task on one device."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("problem")
    for row, cells in enumerate([columns_of(1), [0, "", "", "", 2, "", 1, 3]]):
        for column, cell in enumerate(cells):
            sheet.write(row, column, cell)
    book.save("problem.xls")
    return "problem.xls"


def pipeline_file() -> str:
    Path("pipeline.csv").write_text("0F0,0B0\n", encoding="utf-8")
    return "pipeline.csv"


def schedule_file() -> str:
    ops = _core.load_graph(GRAPH).ops
    rows = [f"{op.name},gpu0,{i}\n" for i, op in enumerate(ops)]
    Path("schedule.csv").write_text("op,device,start_s\n" + "".join(rows), encoding="utf-8")
    return "schedule.csv"


MACHINE_TEXT = b"""
schema_version: 1
name: one
devices:
  - {name: gpu0, type: t, kind: gpu, memory: 1 GiB, memory_bandwidth: 1 GB/s,
     peak_flops: {f32: 1 TFLOP/s}, launch_overhead: 0 s}
links: []
"""


# Legal arguments by name, and by function and name where a function needs another.
GOOD: dict[str, Callable[[], Any]] = {
    "action": lambda: [1] * 12,
    "actions": lambda: [[1] * 12],
    "agent": lambda: "single_device",
    "agents": lambda: [],
    "args": lambda: ["--version"],
    "command": lambda: [sys.executable],
    "files": lambda: [],
    "graph": lambda: GRAPH,
    "graphs": lambda: [GRAPH],
    "hardware": lambda: MACHINE,
    "index": lambda: 0,
    "installed": dict,
    "machines": lambda: [MACHINE],
    "memo": dict,
    "name": lambda: "name",
    "origin": lambda: "",
    "other": make_plan,
    "path": lambda: "written.plan.json",
    "placement": lambda: [1] * 12,
    "plan": make_plan,
    "plans": lambda: [make_plan()],
    "problem": make_problem,
    "reference": lambda: GRAPH,
    "registry": _core.classical_agents,
    # The arguments of environments.
    "env": lambda: _core.StepEnv([GRAPH], [MACHINE]),
    "mask": list,
    "num_envs": lambda: 1,
    "seeds": list,
    "state": lambda: _core.StepEnv([GRAPH], [MACHINE]).get_state(),
    "StepVectorEnv.step/actions": lambda: [[1]],
    "Evaluator.evaluate_placements/placement": lambda: np.ones((1, 12), int),
    # The arguments of GraphBuilder and Window.
    "shape": lambda: [2, 3],
    "dtype": lambda: "f32",
    "kind": lambda: None,
    "error": lambda: None,
    "traceback": lambda: None,
    "type": lambda: "Relu",
    "extents": lambda: [1, 1],
    "strides": lambda: [1, 1],
    "pads": lambda: [0, 0],
    "dilations": lambda: [1, 1],
    "data": lambda: b"data",
    "experiment_with_new_names/matrix": lambda: "[]",
    "experiment_with_new_names/resolved": lambda: "{}",
    "import_moirai/path": moirai_file,
    "load_machine/reference": lambda: MACHINE,
    "place": lambda: "a file",
    "read_graph/text": graph_text,
    "read_machine/text": lambda: MACHINE_TEXT,
    "read_plan/text": lambda: json.dumps(
        {"format": "opyard-plan/1", "graph": "any", "placement": ["gpu0"] * 12}
    ).encode(),
    "export_plan/names": lambda: {"gpu0": "cuda:1"},
    "export_plan/nearest": lambda: True,
    "export_plan/plan": lambda: _core.Plan([1] * 12, queue="program"),
    "export_plan/to": lambda: "python",
    "microbatch/graph": lambda: STEP,
    "microbatches": lambda: 2,
    "pipeline_units/graph": lambda: STEP,
    "plan_from_pipeline/graph": lambda: STEP,
    "plan_from_pipeline/path": pipeline_file,
    "stage_layers": lambda: [0],
    "plan_from_pipeline/devices": lambda: ["gpu0"],
    "plan_from_schedule/path": schedule_file,
    "stages": lambda: [0, 1],
    "graphml_text/graph": lambda: _core.load_graph(GRAPH),
    "read_graphml/text": lambda: _core.graphml_text(_core.load_graph(GRAPH)).encode(),
    # The values that graphs and machines are made of.
    "Graph.from_arrays/arrays": lambda: _core.load_graph(GRAPH).arrays(),
    "Graph.from_dict/values": lambda: _core.load_graph(GRAPH).to_dict(),
    "Graph.from_networkx/source": lambda: _core.load_graph(GRAPH).to_networkx(),
    "Machine.from_dict/values": lambda: _core.load_machine(MACHINE).to_dict(),
    "with_new_names/label": lambda: "label",
    "with_new_names/params": lambda: "{}",
    "write_graph/graph": SELVES["Graph"],
}


@dataclasses.dataclass(frozen=True)
class Function:
    """A function, method or property, with the parameters that it must be given and may be."""

    name: str
    needed: tuple[str, ...]
    parameters: tuple[str, ...]
    owner: str = ""  # the class of a method
    is_property: bool = False
    is_static: bool = False

    @property
    def takes_self(self) -> bool:
        """True for a method of an object."""
        return bool(self.owner) and not self.is_static and not self.name.endswith("__init__")

    def call(self, arguments: dict[str, Any]) -> Any:
        """Calls it by keywords; `self` is one of them."""
        last = self.name.rsplit(".", maxsplit=1)[-1]
        if not self.owner:
            return getattr(opyard if last in opyard.__all__ else _core, last)(**arguments)
        kind = OneShotEnv if self.owner == "envs.OneShotEnv" else getattr(_core, self.owner)
        if last == "__init__":
            return kind(**arguments)
        if self.is_static:
            return getattr(kind, last)(**arguments)
        given = arguments.pop("self")
        if self.is_property:
            return inspect.getattr_static(kind, last).fget(given)
        if last in ("__eq__", "__exit__"):  # by position only
            return getattr(kind, last)(given, *arguments.values())
        return getattr(kind, last)(given, **arguments)


def functions() -> list[Function]:
    """All public ones: of the stub of opyard._core, and those that are written in Python."""
    found = []
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            found.append(_function_of(node, ""))
        if isinstance(node, ast.ClassDef) and node.name in SELVES:
            found += [_function_of(method, node.name) for method in node.body]
    found.append(_function_of_python("place", opyard.place))
    found.append(_function_of_python("import_moirai", opyard.import_moirai))
    for method in ("__init__", "reset", "step"):
        found.append(_function_of_python(method, getattr(OneShotEnv, method), "envs.OneShotEnv"))
    for method in ("action_masks", "render"):
        found.append(Function(f"envs.OneShotEnv.{method}", (), (), "envs.OneShotEnv"))
    return found


def _function_of(node: ast.FunctionDef, owner: str) -> Function:
    """The function that the stub declares."""
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    positional = [arg.arg for arg in node.args.posonlyargs + node.args.args if arg.arg != "self"]
    keywords = [arg.arg for arg in node.args.kwonlyargs]
    num_needed = len(positional) - len(node.args.defaults)
    needed = positional[:num_needed] + [
        name
        for name, default in zip(keywords, node.args.kw_defaults, strict=True)
        if default is None
    ]
    return Function(
        f"{owner}.{node.name}" if owner else node.name,
        tuple(needed),
        tuple(positional + keywords),
        owner,
        "property" in decorators,
        "staticmethod" in decorators,
    )


def _function_of_python(name: str, function: Callable[..., Any], owner: str = "") -> Function:
    """The function that Python's signature declares."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return Function(
        f"{owner}.{name}" if owner else name,
        tuple(p.name for p in parameters if p.default is p.empty),
        tuple(p.name for p in parameters),
        owner,
    )


@dataclasses.dataclass(frozen=True)
class Case:
    """One call with one bad value."""

    function: Function
    parameter: str
    bad: str

    @property
    def name(self) -> str:
        return f"{self.function.name}/{self.parameter}={self.bad}"

    @property
    def is_legal(self) -> bool:
        return self.bad in LEGAL.get(f"{self.function.name}/{self.parameter}", ())

    def run(self) -> str:
        """The outcome: "returned", or the exception and what it says."""
        try:
            arguments = self._arguments()
        except Exception as error:  # a fault of this file, which must not pass for a refusal
            return f"no legal arguments: {error!r}"
        try:
            self.function.call(arguments)
        except gymnasium.error.Error as error:  # gymnasium's own rule for seeds
            return f"ValueError: {error}"
        except Exception as error:
            kinds = [kind.__name__ for kind in type(error).__mro__]
            expected = [kind for kind in ("TypeError", "ValueError") if kind in kinds]
            return f"{(expected or kinds)[0]}: {error}"
        return "returned"

    def _arguments(self) -> dict[str, Any]:
        arguments = {}
        if self.function.takes_self:
            arguments["self"] = SELVES[self.function.owner]()
        for name in self.function.needed:
            if name != self.parameter:
                arguments[name] = _good(self.function, name, arguments)
        if self.bad == MADE_BY_NEW:
            kind = getattr(_core, self.function.owner)
            return arguments | {self.parameter: kind.__new__(kind)}
        return arguments | {self.parameter: (BAD_SELF | BAD)[self.bad]}


def _good(function: Function, name: str, arguments: dict[str, Any]) -> Any:
    """A legal value of a parameter; tensors are of the builder that is called."""
    make = GOOD.get(f"{function.name}/{name}", GOOD.get(name))
    if make is not None:
        return make()
    if function.owner == "GraphBuilder":
        return _good_of_builder(arguments["self"], name)
    raise KeyError(f"{function.name}/{name} has no legal value in this file")


def _good_of_builder(builder: Any, name: str) -> Any:
    plain = {
        "axes": [0],
        "axis": 0,
        "begin": [0, 0],
        "size": [1, 1],
        "before": [0, 0],
        "after": [1, 1],
        "count": 1,
        "keep_dims": True,
        "optimizer": "sgd",
        "permutation": [1, 0],
    }
    if name in plain:
        return plain[name]
    if name == "window":
        return make_window()
    tensor = (builder if isinstance(builder, _core.GraphBuilder) else make_builder()).placeholder(
        f"of {name}", [2, 3], "f32"
    )
    return [tensor] if name == "parts" else tensor


def cases() -> Iterator[Case]:
    """Every bad value for every parameter of every public function, `self` included."""
    for function in functions():
        # Methods in Python take what they are given.
        if function.takes_self and function.owner in vars(_core):
            yield from (Case(function, "self", bad) for bad in BAD_SELF)
        for parameter in function.parameters:
            yield from (Case(function, parameter, bad) for bad in BAD)


def main() -> None:
    """Runs the cases from the given one on, each in an empty folder."""
    warnings.simplefilter("ignore")
    with Path(sys.argv[1]).open("a", encoding="utf-8") as answers:
        for case in list(cases())[int(sys.argv[2]) :]:
            print(json.dumps({"case": case.name}), file=answers, flush=True)
            print(json.dumps({"case": case.name, "answer": case.run()}), file=answers, flush=True)
            for written in Path().iterdir():
                written.unlink()


if __name__ == "__main__":
    main()
