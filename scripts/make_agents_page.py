"""Writes docs/agents.md, the page of the agents, from what each says of itself.

    python scripts/make_agents_page.py

It is what `opyard agents show` prints. tests/python/test_agents_page.py fails while the page is not
what this makes.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import opyard
from opyard.python_agents.installed import OWN

PAGE = Path(__file__).resolve().parents[1] / "docs" / "agents.md"
WIDTH = 100
LEAST_SHARED = 10  # parameters; shorter tables are easier to read whole
MISSING = " Not available here: "  # follows the summary where LibTorch is not there

HEAD = """# The agents

Made by `python scripts/make_agents_page.py` from what `opyard agents show NAME` prints. A
parameter is given by `--param NAME=VALUE` to `opyard place`, by `params:` in an
[experiment](formats.md), and by `params` to `opyard.place`. *Paper* is the published value, where
one is known. Where the search of an agent *begins* is set by its parameter `start`, and the same
words mean the same to all that have it: `rules`, plans of heuristics; `simple`, all on one device
and contiguous splits; `single_device`, the first of these alone; `random`; `network`, what a
network samples. An agent takes only what it can begin at. [How to add an
agent](../agents/README.md).

| agent | kind | decides | begins at |
|---|---|---|---|
"""


def text_of(value: bool | int | float | str) -> str:
    """A value as the command line takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def code_of(value: bool | int | float | str) -> str:
    """A value as code, nothing for an empty text."""
    return f"`{text_of(value)}`" if text_of(value) else ""


def legal_of(option: opyard.AgentOption) -> str:
    """The legal values, as text."""
    if option.range is not None:
        return f"{text_of(option.range[0])} to {text_of(option.range[1])}"
    return ", ".join(code_of(word) for word in option.allowed) or "any text"


def model_of(agent: opyard.AgentInfo, earlier: list[opyard.AgentInfo]) -> opyard.AgentInfo | None:
    """The first of `earlier` whose parameters the agent has, at least LEAST_SHARED alike."""
    names = {option.name for option in agent.options}
    for other in earlier:
        shared = len(set(other.options) & set(agent.options))
        is_subset = names >= {option.name for option in other.options}
        if is_subset and shared >= LEAST_SHARED and 2 * shared > len(agent.options):
            return other
    return None


def options_table(agent: opyard.AgentInfo, earlier: list[opyard.AgentInfo]) -> Iterator[str]:
    """The parameters, a row each; those that an agent of `earlier` has stand there alone."""
    if not agent.options:
        yield "No parameters.\n"
        return
    options = agent.options
    if model := model_of(agent, earlier):
        options = tuple(option for option in options if option not in model.options)
        yield f"Parameters: those of [{model.name}](#{model.name})"
        yield " but for these:\n\n" if options else ".\n"
    if options:
        yield "| parameter | default | legal | paper | meaning |\n|---|---|---|---|---|\n"
    for option in options:
        cells = [
            f"`{option.name}`",
            code_of(option.default),
            legal_of(option),
            option.paper,
            option.meaning,
        ]
        yield "| " + " | ".join(cells) + " |\n"


def section(agent: opyard.AgentInfo, earlier: list[opyard.AgentInfo]) -> Iterator[str]:
    """All that is known of one agent, whose section follows those of `earlier`."""
    summary = agent.summary.partition(MISSING)[0]
    yield f"\n## {agent.name}\n\n"
    yield textwrap.fill(summary, WIDTH, break_on_hyphens=False) + "\n\n"
    yield f"- Kind: {agent.kind}. Decides: {', '.join(agent.tasks)}.\n"
    if agent.paper:
        yield f"- Paper: {agent.paper}.\n"
    for deviation in agent.deviations:
        text = f"- Deviation: {deviation}"
        yield textwrap.fill(text, WIDTH, subsequent_indent="  ", break_on_hyphens=False) + "\n"
    yield "\n"
    yield from options_table(agent, earlier)


def page() -> str:
    """The whole page."""
    # Ours: what packages of this environment offer says so elsewhere.
    agents = [agent for agent in opyard.agents() if agent.kind != "python" or agent.name in OWN]
    parts = [HEAD]
    for agent in agents:
        tasks = ", ".join(agent.tasks)
        start = f"`{agent.start}`" if agent.start else ""
        parts.append(f"| [{agent.name}](#{agent.name}) | {agent.kind} | {tasks} | {start} |\n")
    for i, agent in enumerate(agents):
        parts.extend(section(agent, agents[:i]))
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE}: {len(page().splitlines())} lines")
