"""The rules that check_layers.py applies: who includes whom, packages, pages, sizes.

docs/architecture.md shows them.
"""

from __future__ import annotations

# Layer -> the folders it may include from. A folder allows everything below it.
LAYERS: dict[str, tuple[str, ...]] = {
    "sim": ("sim",),
    "graphs": ("graphs", "sim"),
    "env": ("env", "sim"),
    # Agents never see sim/engine: plans are evaluated by env's Evaluator. Planners count kernels as
    # the problem will fuse them.
    "agents": (
        "agents",
        "env",
        "sim/base",
        "sim/graph",
        "sim/hardware",
        "sim/plan",
        "sim/cost",
        "sim/fusion",
        "sim/result",
        "sim/analysis",
    ),
    "experiments": ("experiments", "agents", "env", "graphs", "sim"),
    "bindings": ("bindings", "experiments", "agents", "env", "graphs", "sim"),
}

# The folders that those of sim/engine, and every reader of sim/io, may include.
_ENGINE = ("base", "graph", "hardware", "plan", "cost", "fusion", "result", "analysis")
_BELOW_RUN = (*_ENGINE, "engine/rules", "engine/queues")
_IO = ("base", "graph", "hardware", "plan", "io/text")

_PLANS = ("base", "planning/encoding", "planning/estimates", "planning/initial_plans")

# Layer -> folder inside it -> the other folders of that layer it may include from. A folder stands
# for the files right in it; those below it have entries of their own, and so have pairs of files
# (named without suffix) that stand elsewhere in the order than the folder they lie in. `a/*` stands
# for each folder below `a` that has no entry. Files right in the layer stand above all its folders.
ORDERS: dict[str, dict[str, tuple[str, ...]]] = {
    "sim": {
        "base": (),
        "graph": ("base",),
        # A machine's rates are given per dtype and class of op: words of the graph.
        "hardware": ("base", "graph"),
        "plan": ("base", "graph", "hardware"),
        "cost": ("base", "graph", "hardware"),
        "fusion": ("base", "graph", "hardware", "plan", "cost"),
        "result": ("base", "graph", "hardware", "plan", "cost", "fusion"),
        "analysis": ("base", "graph", "hardware", "plan", "cost", "fusion", "result"),
        "analysis/problem_bound": ("base", "graph", "hardware", "cost", "fusion"),
        "engine/rules": ("base", "hardware", "plan"),
        "engine/queues": (),
        "engine/lowering": _BELOW_RUN,
        "engine/run": (*_BELOW_RUN, "engine/lowering"),
        "engine/incremental": (*_BELOW_RUN, "engine/lowering", "engine/run"),
        "engine/report": (*_BELOW_RUN, "engine/lowering", "engine/run"),
        "engine": (  # simulator.{h,cc}
            *_ENGINE,
            "analysis/problem_bound",
            "engine/rules",
            "engine/lowering",
            "engine/run",
            "engine/incremental",
            "engine/report",
        ),
        "io/text": ("base",),
        "io/json": ("base", "io/text"),
        "io/yaml": ("base", "io/text"),
        "io/graph": (*_IO, "io/json"),
        "io/plan": (*_IO, "io/json"),
        "io/machine": (*_IO, "io/yaml"),
    },
    "graphs": {
        "common": (),
        "builder": (),
        # Steps over micro-batches, and the units in which pipelines run them.
        "microbatches": (),
        "zoo": ("common", "builder", "microbatches"),
        "random": ("common", "builder", "zoo"),
        "importers/common": ("builder",),
        "importers/doppler": ("importers/common",),
        "importers/graphml": ("importers/common", "importers/xml"),
        "importers/gxl": ("importers/common", "importers/xml"),
        "importers/hlo": ("builder", "importers/common"),
        "importers/opyard": ("importers/common",),
        "importers/stg": ("importers/common",),
        "importers/tensorflow": ("builder", "importers/common"),
        "importers/torch": ("importers/common",),
        # The common part of formats that are XML.
        "importers/xml": (),
        # The list of all formats.
        "importers": (
            "importers/common",
            "importers/doppler",
            "importers/graphml",
            "importers/gxl",
            "importers/hlo",
            "importers/opyard",
            "importers/stg",
            "importers/tensorflow",
            "importers/torch",
        ),
        "exporters": (),
    },
    "agents": {
        "base": (),
        "planning/encoding": ("base",),
        "planning/estimates": ("base", "planning/encoding"),
        "planning/initial_plans": ("base", "planning/encoding", "planning/estimates"),
        "planning/list_scheduling": _PLANS,
        "planning/partitioning": _PLANS,
        "planning/grouping": (*_PLANS, "planning/partitioning"),
        "planning/local_search": (*_PLANS, "planning/partitioning"),
        # Searches that go from level to level of coarser and finer groups.
        "planning/multilevel": (*_PLANS, "planning/partitioning", "planning/local_search"),
        # The initial plans of searches, by list scheduling and partitioning.
        "planning": ("base", "planning/*"),
        # The genetic algorithm that several agents search with.
        "genetic": ("base", "planning", "planning/*"),
        # A folder for each agent, which knows no other agent's.
        "classical/*": ("base", "planning", "planning/*"),
        "search/*": ("base", "planning", "planning/*", "genetic"),
        # Makes other agents, from entries that the registry gives it.
        "portfolio/*": ("base", "planning", "planning/*"),
        "learned/common": ("base", "planning", "planning/*"),
        # Goes on with a search from the best plan of GO.
        "learned/go_search": (
            "base",
            "planning",
            "planning/*",
            "search/*",
            "learned/common",
            "learned/go",
        ),
        "learned/go": ("base", "planning", "planning/*", "learned/common"),
        "learned/*": ("base", "planning", "planning/*", "genetic", "learned/common"),
        "learned": ("base", "learned/common", "learned/*"),
    },
    "experiments": {
        "text": (),
        "base": (),  # the version, and notices
        "explain": ("text",),
        # Agents that are not ours: in processes of their own, and in shared libraries.
        "external": ("base", "store"),
        "graphs": ("text", "base"),
        "machines": ("text", "base"),
        # Plans from schedules, their differences and changes.
        "plans": ("text", "explain"),
        # Plans in the forms of frameworks.
        "plans/layouts": ("text", "explain", "plans"),
        "config": (),
        "store": ("text",),
        "statistics": ("text", "store"),
        # No console: a server and a report drive them, too.
        "matrix": (
            "text",
            "explain",
            "base",
            "graphs",
            "machines",
            "config",
            "store",
            "statistics",
        ),
        # Stores after their runs: validation, merging, exported plans.
        "maintenance": ("text", "explain", "base", "config", "store", "statistics", "matrix"),
        "training": ("text", "base", "config", "store", "matrix"),
        "tuning": ("base", "config", "store"),
        # Progress as scalars for other programs: TensorBoard, lines of JSON.
        "tracking": ("store", "matrix", "training", "tuning"),
        "console": ("text", "base", "store", "matrix"),
        # Subcommands: a pair of files each, and what they share.
        "cli": (
            "text",
            "explain",
            "base",
            "graphs",
            "machines",
            "plans",
            "config",
            "store",
            "statistics",
            "matrix",
            "maintenance",
            "training",
            "tuning",
            "tracking",
            "console",
        ),
        # Subcommands of groups.
        "cli/graph": ("text", "base", "graphs", "machines", "matrix", "console", "cli"),
        "cli/plan": (
            "text",
            "explain",
            "base",
            "graphs",
            "plans",
            "plans/layouts",
            "console",
            "cli",
        ),
        "cli/results": ("text", "store", "statistics", "maintenance", "console", "cli"),
        "cli/bench": ("text", "machines", "config", "matrix", "console", "cli"),
        "cli/command_line": (
            "text",
            "external",
            "base",
            "console",
            "cli",
            "cli/graph",
            "cli/plan",
            "cli/results",
            "cli/bench",
        ),
    },
}

# Prefix of an included path -> (name of the package, folders whose files may include it).
FENCES: dict[str, tuple[str, tuple[str, ...]]] = {
    "boost/graph/": ("Boost.Graph", ("sim/graph", "sim/hardware")),
    "boost/asio": ("Boost.Asio", ("env/parallel", "env/server")),
    "yaml-cpp/": ("yaml-cpp", ("sim/io",)),
    "torch/": ("LibTorch", ("agents/learned",)),
    "ATen/": ("LibTorch", ("agents/learned",)),
    "c10/": ("LibTorch", ("agents/learned",)),
    "pybind11/": ("pybind11", ("bindings",)),
    "pugixml.hpp": (
        "pugixml",
        ("graphs/importers/graphml", "graphs/importers/gxl", "graphs/importers/xml"),
    ),
    "protozero/": ("protozero", ("graphs/importers/tensorflow", "experiments/tracking")),
    "coin/": ("CLP", ("agents/classical/m_sct",)),
    "metis.h": ("METIS", ("agents/planning",)),
    "scotch/": ("Scotch", ("agents/classical/scotch",)),
    "sqlite3.h": ("SQLite", ("experiments/store",)),
    "CLI/": ("CLI11", ("experiments/cli",)),
}

# Package -> the only headers that may show it, whoever includes them; else it stays in .cc files.
SHOWN_BY: dict[str, tuple[str, ...]] = {
    "Boost.Graph": ("sim/graph/boost_graph.h", "sim/hardware/boost_graph.h"),
}

# Pages of the design, which is kept elsewhere: comments name pages that a reader has.
PAGES_ELSEWHERE = ("ARCHITECTURE", "FORMATS", "ROADMAP", "SIMULATION", "STYLE")
# Files in which people are sent to pages.
PAGED_SUFFIXES = (".h", ".cc", ".py", ".md", ".yaml", ".cmake", ".txt", ".sh")

MAX_LINES = 400
SIZED_SUFFIXES = (".h", ".cc", ".py", ".cmake", ".sh")
SIZED_NAMES = ("CMakeLists.txt", "dev", "run")
# Not our sources, wherever they are: environments and caches.
SKIPPED_FOLDERS = ("node_modules", "__pycache__")
# Not our sources at the root of the project: build products, results of experiments.
SKIPPED_ROOT_FOLDERS = ("build", "results")
