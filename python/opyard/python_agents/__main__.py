"""The process of one agent: `opyard` starts it, asks what the agent is, or has it search.

    python -m opyard.python_agents

What the agent prints goes to standard error: standard output is opyard's.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import random
import resource
import signal
import socket
import sys
import traceback
from pathlib import Path
from typing import Any

import numpy as np

import opyard
from opyard.python_agents.channel import Channel
from opyard.python_agents.description import describe
from opyard.python_agents.loading import load
from opyard.python_agents.remote_evaluator import BudgetSpent, RemoteEvaluator

_SOCKET = 3  # as experiments/external/child_process.h says
_LONGEST_MESSAGE = 100_000
_SET_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


def main() -> None:
    """Answers one request of opyard."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    _end_with_parent()
    channel = Channel(_opyards_socket())
    request = channel.receive()
    try:
        answer = _answer_to(request, channel)
    except EOFError:
        sys.exit(1)  # nobody is left to hear it
    except (opyard.InputError, opyard.UnsupportedError) as error:
        answer = {"failed": _on_one_line(error)[:_LONGEST_MESSAGE]}
    except Exception as error:
        traceback.print_exc()
        answer = {"failed": _text_of(error)[:_LONGEST_MESSAGE]}
    channel.send(answer)


def _opyards_socket() -> socket.socket:
    try:
        return socket.socket(fileno=_SOCKET)
    except OSError:
        sys.exit("opyard starts this program for agents in Python; it is of no use by itself")


def _end_with_parent() -> None:
    """Has the kernel end this process as soon as opyard ends, however it does."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_SET_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)


def _answer_to(request: dict[str, Any], channel: Channel) -> dict[str, Any]:
    if request["version"] != opyard.__version__:
        raise opyard.InputError(
            f"{sys.executable} has opyard {opyard.__version__}, expected {request['version']}"
        )
    if request["do"] == "describe":
        return {"description": describe(load(request["agent"]))}
    agent = _search(request, channel)
    bound = getattr(agent, "bound", None)
    has_bound = isinstance(bound, int | float) and math.isfinite(bound)
    account = getattr(agent, "account", "")
    done = {
        "account": " ".join(account.split()) if isinstance(account, str) else "",
        "bound": float(bound) if has_bound else None,
    }
    return {"done": done}


def _search(request: dict[str, Any], channel: Channel) -> Any:
    """Runs the agent until it returns or its budget is spent, and returns it."""
    _limit_memory(request["memory_bytes"])
    problem = _problem_of(request["problem"])
    seed = request["seed"]
    # For those who sample from what all of a process shares.
    random.seed(seed)
    np.random.seed(seed % 2**32)
    agent = load(request["agent"])(**request["params"])
    evaluator = RemoteEvaluator(
        problem, channel, evaluations=request["evaluations"], seconds=request["seconds"]
    )
    with contextlib.suppress(BudgetSpent):
        agent.search(problem, evaluator, seed)
    return agent


def _limit_memory(most_bytes: int) -> None:
    """Limits the memory that the process writes: libraries reserve far more than they use."""
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if hard != resource.RLIM_INFINITY:
        most_bytes = min(most_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))


def _problem_of(asked: dict[str, Any]) -> opyard.Problem:
    """The same problem that opyard evaluates plans of."""
    return opyard.Problem(
        opyard._core.read_graph(asked["graph"].encode(), "the graph"),
        opyard._core.read_machine(asked["machine"].encode(), "the machine"),
        tasks=asked["tasks"],
        objective=asked["objective"],
        group=asked["group"],
        fusion=asked["fusion"],
        queue=asked["queue"],
        devices=asked["devices"],
        cost_model=asked["cost_model"] or "roofline",
        contiguous=bool(asked["contiguous"]),
    )


def _text_of(error: Exception) -> str:
    """The error, and its place in the agent's own code."""
    package = str(Path(__file__).parent)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not frame.filename.startswith(package)]
    where = f" ({own[-1].filename}:{own[-1].lineno}, in {own[-1].name})" if own else ""
    hint = "; its parameter memory_gib gives it more" if isinstance(error, MemoryError) else ""
    return f"{type(error).__name__}: {_on_one_line(error)}{where}{hint}"


def _on_one_line(error: Exception) -> str:
    """The lines of a message, between semicolons: results and tables keep one line."""
    return "; ".join(filter(None, (line.strip() for line in str(error).splitlines())))


if __name__ == "__main__":
    main()
