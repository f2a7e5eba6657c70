"""Writes docs/python.md, the page of the Python API, from the docstrings and the stubs.

    python scripts/make_api_page.py

tests/python/test_api_page.py fails while the page is not what this makes.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import opyard
from opyard import _core, envs, python_agents
from opyard.envs import common

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "python.md"
EXAMPLE = ROOT / "examples" / "python_agent" / "hill_climb.py"
STUB = ROOT / "python" / "opyard" / "_core.pyi"
WIDTH = 100

HEAD = """# The Python API

Made from the docstrings by `python scripts/make_api_page.py`; `help(opyard.Plan)` says the
same. Indices count from 0, times are seconds, sizes are bytes. Errors of the user's input are
subclasses of `opyard.Error`, which is a `ValueError`; an argument of a wrong type is a `TypeError`.

"""

AGENTS = """## Agents in Python

An agent is a class with a docstring, the tasks that it decides, parameters with defaults, and a
method `search`. This one is an
[example](../examples/python_agent/hill_climb.py):

```python
{example}```

It is called by where it is: `module:Class`, searched from the current folder first, or
`folder/file.py:Class`. That is its name for `opyard place --agent`, `opyard agents show`, in the
`agents` of an experiment (`{{name: "hill_climb.py:HillClimb", label: climb}}`) and for
`opyard.place`. A package gives its agents short names, which `opyard agents list` shows,
by entry points of the group `opyard.agents`:

```toml
[project.entry-points."opyard.agents"]
hill_climb = "my_package.hill_climb:HillClimb"
```

A name of opyard's own agents means that agent all the same.

- *What it says of itself* are the attributes `tasks` (some of `placement`, `scheduling`,
  `fusion`), `paper`, `deviations` and `start` (where its search begins, in the words of
  `opyard agents list`, such as `random`: comparisons name agents that begin differently), `missing`
  (what it needs and does not find here), the first paragraph of its docstring, and its parameters:
  those of `__init__`, each with a default that is a bool, an int, a float or a str.
  `Annotated[int, "meaning", (low, high)]` gives a meaning and a range, `Literal["a", "b"]` the
  legal words. Beside them every agent takes `timeout_s`, the longest silence of its process (600),
  and `memory_gib`, the most that its process may use (8).
- *What it says at the end* are two attributes that it may leave in itself: `account`, a text of one
  line, which `opyard place` prints, and `bound`, a number: it has proven that no plan scores less.
  Results keep it as `agent_bound`.
- *What it sees* is the same `Problem` that opyard evaluates: graph, machine, open tasks, objective
  and groups, `Problem.arrays` with op times, allowed devices and routes, `Problem.observation`.
- *What it is given* is a `RemoteEvaluator` and a seed, which also starts `random` and
  `numpy.random`. Every plan is evaluated, counted and stored by opyard's own process: beyond the
  budget it evaluates nothing, and to ask again ends the search. `opyard.Evaluator` has the same
  methods, so that a search is tried in a notebook by `HillClimb().search(problem,
  opyard.Evaluator(problem, evaluations=100), seed=0)`.
- *Where it runs* is a process of its own, with the interpreter of opyard. A crash, an exit, silence
  or an answer that is none is one failed run (`agent_failed`), with the reason; the other runs go
  on. Ctrl-C ends both processes; what does not stop by itself is ended 5 s after its budget is
  spent. What it prints goes to standard error. The processor time of the process is part of the
  run's `cpu_seconds`, its start part of the run's seconds.
- *The same seed gives the same history* if the agent samples from its seed alone: not from clocks,
  addresses or threads. Hashes of texts are the same in every run.

What nobody can prevent is that an agent simulates for itself: it may import opyard, call
`Problem.simulate` or an `Evaluator` of its own, and such plans are not counted. Who compares
evaluations reads the agent first, or compares `cpu_seconds`, which hold that work, too. The process
is no sandbox: it may do what its user may.

"""

# In the order in which a reader meets them; what is not named here follows.
FIRST = ("load_graph", "load_machine", "Graph", "Op", "Tensor", "Machine", "Problem", "Plan")
ENVIRONMENTS = [thing for thing in vars(envs).values() if isinstance(thing, type)]


class Stub:
    """The signatures of opyard._core."""

    def __init__(self) -> None:
        body = ast.parse(STUB.read_text(encoding="utf-8")).body
        for environment in ENVIRONMENTS:
            source = inspect.getsource(sys.modules[environment.__module__])
            body += [node for node in ast.parse(source).body if isinstance(node, ast.AnnAssign)]
        self.aliases: dict[str, str] = {}
        self.nodes: dict[str, ast.FunctionDef | ast.ClassDef] = {}
        for node in body:
            if isinstance(node, ast.AnnAssign) and node.value is not None:
                self.aliases[ast.unparse(node.target)] = ast.unparse(node.value)
            if isinstance(node, ast.ClassDef) and node.name.startswith("_"):
                self.aliases[node.name] = "dict[str, Any]"
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                self.nodes[node.name] = node

    def text_of(self, node: ast.expr) -> str:
        """A type as users write it."""
        text = ast.unparse(node)
        while names := re.findall(r"\b_[A-Z]\w*", text):
            text = text.replace(names[0], self.aliases[names[0]])
        return re.sub(r"\b(npt|np|_core)\.", "", text).replace("'", '"')

    def signature(self, name: str, function: ast.FunctionDef) -> str:
        """`name(...)` with types, on as many lines as it takes."""
        arguments = function.args
        parts: list[str] = []
        positional = [arg for arg in arguments.args if arg.arg != "self"]
        first_default = len(positional) - len(arguments.defaults)
        for i, arg in enumerate(positional):
            default = arguments.defaults[i - first_default] if i >= first_default else None
            parts.append(self._parameter(arg, default))
        if arguments.kwonlyargs:
            parts.append("*")
        for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            parts.append(self._parameter(arg, default))
        result = "" if function.returns is None else self.text_of(function.returns)
        return signature_text(name, parts, "" if function.name == "__init__" else result)

    def _parameter(self, arg: ast.arg, default: ast.expr | None) -> str:
        text = arg.arg if arg.annotation is None else f"{arg.arg}: {self.text_of(arg.annotation)}"
        return text if default is None else f"{text} = {self.text_of(default)}"


def signature_text(name: str, parts: list[str], result: str) -> str:
    """A signature as a block of code."""
    ending = f" -> {result}" if result else ""
    line = f"{name}({', '.join(parts)}){ending}"
    if len(line) > WIDTH:
        rows = "".join(f"    {part},\n" for part in parts)
        line = f"{name}(\n{rows}){ending}"
    return f"```python\n{line}\n```\n\n"


def docstring_of(thing: object) -> str:
    """The docstring without the signature that pybind11 puts first."""
    text = inspect.cleandoc(getattr(thing, "__doc__", None) or "")
    first, _, rest = text.partition("\n")
    return rest.strip() if re.match(r"\w+\(.*\) -> ", first) else text


def markdown_of(docstring: str) -> str:
    """A Google docstring as Markdown."""
    text = docstring.replace("``", "`")
    lines: list[str] = []
    for block in re.split(r"\n(?=\S[^\n]*:\n    |\n\S)", text):
        title, colon, body = block.partition(":\n    ")
        if not block.strip():
            continue
        if not colon:
            lines += [block.strip(), ""]
            continue
        body = textwrap.dedent("    " + body)
        entries = [body.strip()] if title.strip() == "Returns" else _entries(body)
        lines += [f"*{title.strip()}:*", "", *entries, ""]
    return "\n".join(lines).rstrip() + "\n\n"


def _entries(body: str) -> list[str]:
    """`name: words` with indented lines that go on, as a list."""
    entries = re.split(r"\n(?=\S)", body.strip())
    return [_item(*entry.partition(": ")[::2]) for entry in entries]


def _item(name: str, words: str) -> str:
    """One entry of a list, broken where lines end."""
    text = f"- `{name}`: {' '.join(words.split())}" if words else f"- {name}"
    return textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def core_function(stub: Stub, name: str) -> Iterator[str]:
    """A function of opyard._core."""
    node = stub.nodes[name]
    assert isinstance(node, ast.FunctionDef)
    yield f"## {name}\n\n"
    yield stub.signature(f"opyard.{name}", node)
    yield markdown_of(docstring_of(getattr(_core, name)))


def core_class(stub: Stub, name: str) -> Iterator[str]:
    """A class of opyard._core: construction, methods, properties."""
    kind = getattr(_core, name)
    yield f"## {name}\n\n"
    yield markdown_of(docstring_of(kind))
    methods = [node for node in stub.nodes[name].body if isinstance(node, ast.FunctionDef)]
    properties = []
    for method in methods:
        if any(ast.unparse(each) == "property" for each in method.decorator_list):
            properties.append(method)
        elif method.name == "__init__":
            yield stub.signature(f"opyard.{name}", method)
            yield markdown_of(docstring_of(kind.__init__))
        elif not method.name.startswith("_"):
            yield stub.signature(f"{name}.{method.name}", method)
            yield markdown_of(docstring_of(getattr(kind, method.name)))
    if properties:
        yield "Properties:\n\n"
        for node in properties:
            words = docstring_of(inspect.getattr_static(kind, node.name)).replace("``", "`")
            returns = stub.text_of(node.returns) if node.returns else ""
            yield _item(node.name, f"`{returns}`. {words}") + "\n"
        yield "\n"


def error_class(name: str) -> str:
    """One line on an error."""
    kind = getattr(_core, name)
    parent = kind.__bases__[0].__name__
    return _item(name, f"of `{parent}`. {kind.__doc__}") + "\n"


def python_function(
    stub: Stub, name: str, function: Callable[..., object], *, title: str = ""
) -> Iterator[str]:
    """A function that is written in Python."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(node, ast.FunctionDef)
    if title:
        yield f"## {title}\n\n"
    yield stub.signature(name, node)
    yield markdown_of(docstring_of(function))


def data_class(stub: Stub, name: str) -> Iterator[str]:
    """A dataclass; what stands below a field says what it is."""
    kind = getattr(opyard, name)
    yield f"## {name}\n\n{markdown_of(docstring_of(kind))}"
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(kind))).body
    assert isinstance(node, ast.ClassDef)
    for field, words in zip(node.body, node.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(words, ast.Expr):
            meaning = " ".join(str(ast.literal_eval(words.value)).split()).replace("``", "`")
            kind_of_field = stub.text_of(field.annotation)
            yield _item(ast.unparse(field.target), f"`{kind_of_field}`. {meaning}") + "\n"
    yield "\n"


def environment(stub: Stub, kind: type) -> Iterator[str]:
    """A gymnasium environment; the docstring of its module begins with its id."""
    yield f"## envs.{kind.__name__}\n\n"
    yield markdown_of(docstring_of(sys.modules[kind.__module__]).splitlines()[0])
    yield markdown_of(docstring_of(kind))
    methods = dict(vars(kind))
    if kind.__base__ is common.ProblemEnv:  # what they share stands with the class right below it
        methods |= {
            name: each for name, each in vars(common.ProblemEnv).items() if name == "render"
        }
    for name, method in methods.items():
        if name == "__init__":
            yield from python_function(stub, f"opyard.envs.{kind.__name__}", method)
        elif inspect.isfunction(method) and not name.startswith("_"):
            yield from python_function(stub, f"{kind.__name__}.{name}", method)


def agents(stub: Stub) -> Iterator[str]:
    """The section on agents in Python, and on the evaluator that they are given."""
    yield AGENTS.format(example=EXAMPLE.read_text(encoding="utf-8"))
    kind = python_agents.RemoteEvaluator
    yield f"## python_agents.{kind.__name__}\n\n{markdown_of(docstring_of(kind))}"
    for name, method in vars(kind).items():
        if inspect.isfunction(method) and not name.startswith("_"):
            yield from python_function(stub, f"{kind.__name__}.{name}", method)
    yield "Attributes:\n\n"
    (init,) = ast.parse(textwrap.dedent(inspect.getsource(kind.__init__))).body
    assert isinstance(init, ast.FunctionDef)
    for field, words in zip(init.body, init.body[1:], strict=False):
        if isinstance(words, ast.Expr) and isinstance(field, ast.Assign | ast.AnnAssign):
            target = field.targets[0] if isinstance(field, ast.Assign) else field.target
            yield _item(ast.unparse(target).removeprefix("self."), ast.literal_eval(words.value))
            yield "\n"
    yield "\n"


def page() -> str:
    """The whole page."""
    stub = Stub()
    text = [HEAD]
    rest: Iterable[str] = (name for name in opyard.__all__ if name not in FIRST)
    for name in (*FIRST, *sorted(rest, key=str.lower)):
        thing = getattr(opyard, name)
        if name in ("envs", "__version__") or name.endswith("Error"):
            continue
        if dataclasses.is_dataclass(thing):
            text += data_class(stub, name)
        elif name not in stub.nodes:
            text += python_function(stub, f"opyard.{name}", thing, title=name)
        elif isinstance(thing, type):
            text += core_class(stub, name)
        else:
            text += core_function(stub, name)
    for kind in ENVIRONMENTS:
        text += environment(stub, kind)
    text += agents(stub)
    text.append("## Errors\n\n")
    text += [error_class(name) for name in opyard.__all__ if name.endswith("Error")]
    return "".join(text)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
