# The types of the C++ module of the agents that need LibTorch.
from collections.abc import Sequence

from opyard._core import AgentRegistry

torch_version: str

def agents(python: AgentRegistry | None = None) -> AgentRegistry: ...
def run_command_line(args: Sequence[str], python: AgentRegistry | None = None) -> int: ...
