# The types of the C++ module of the agents that need LibTorch.
from collections.abc import Sequence

torch_version: str

def run_command_line(args: Sequence[str]) -> int: ...
