"""Each rule of check_layers finds its violation in a small tree, and says where."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).with_name("check_layers.py")
_SPEC = importlib.util.spec_from_file_location("check_layers", _SCRIPT)
check_layers = importlib.util.module_from_spec(_SPEC)
sys.modules["check_layers"] = check_layers
_SPEC.loader.exec_module(check_layers)


def write(root: Path, **texts: str) -> None:
    """Writes files; in a key `__` stands for `/` and the last `_` for the dot."""
    for key, text in texts.items():
        stem, suffix = key.rsplit("_", 1)
        path = root / f"{stem.replace('__', '/')}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def found(root: Path) -> list[str]:
    """The violations below `root`, as printed."""
    return [str(violation) for violation in check_layers.check_all(root)]


def test_a_downward_include_is_allowed(tmp_path: Path):
    write(tmp_path, sim__base__ids_h="", env__problem_h='#include "sim/base/ids.h"\n')
    assert found(tmp_path) == []


def test_an_upward_include_is_found_at_its_line(tmp_path: Path):
    write(tmp_path, env__problem_h="", sim__base__ids_h='\n#include "env/problem.h"\n')
    (violation,) = found(tmp_path)
    assert violation.startswith('sim/base/ids.h:2: "env/problem.h" is closed to sim/')


def test_layers_side_by_side_do_not_know_each_other(tmp_path: Path):
    write(tmp_path, env__problem_h="", graphs__source_cc='#include "env/problem.h"\n')
    (violation,) = found(tmp_path)
    assert "closed to graphs/; graphs may include graphs, sim" in violation


@pytest.mark.parametrize("folder", ["engine", "io"])
def test_agents_never_see_the_engine_or_readers(tmp_path: Path, folder: str):
    header = f"sim/{folder}/thing.h"
    write(tmp_path, **{f"sim__{folder}__thing_h": ""}, agents__go_cc=f'#include "{header}"\n')
    (violation,) = found(tmp_path)
    assert violation.startswith(f'agents/go.cc:1: "{header}" is closed to agents/')


@pytest.mark.parametrize(
    "folder", ["base", "graph", "hardware", "plan", "cost", "fusion", "result", "analysis"]
)
def test_agents_see_the_rest_of_sim(tmp_path: Path, folder: str):
    include = f'#include "sim/{folder}/thing.h"\n'
    write(tmp_path, **{f"sim__{folder}__thing_h": ""}, agents__go_cc=include)
    assert found(tmp_path) == []


def test_an_angled_include_of_ours_is_evaluated_too(tmp_path: Path):
    write(
        tmp_path, sim__engine__simulator_h="", agents__go_cc="#include <sim/engine/simulator.h>\n"
    )
    assert len(found(tmp_path)) == 1


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("base", "graph"),
        ("graph", "hardware"),
        ("plan", "cost"),
        ("cost", "plan"),
        ("cost", "fusion"),
        ("fusion", "result"),
        ("result", "analysis"),
        ("analysis", "engine"),
        ("io/machine", "engine"),
        ("engine", "io/machine"),
        ("io/json", "io/yaml"),
        ("io/text", "io/graph"),
        ("engine/queues", "engine/rules"),
        ("engine/rules", "engine/queues"),
        ("engine/lowering", "engine/run"),
        ("engine/run", "engine/incremental"),
        ("engine/run", "engine/report"),
        ("engine/incremental", "engine/report"),
        ("engine/run", "engine"),
    ],
)
def test_the_order_inside_sim_is_kept(tmp_path: Path, source: str, target: str):
    include = f'#include "sim/{target}/b.h"\n'
    write(tmp_path, **{f"sim__{target}__b_h": "", f"sim__{source}__a_cc": include})
    (violation,) = found(tmp_path)
    assert f"is not below sim/{source}" in violation


def test_files_with_a_place_in_the_order_stand_apart_from_their_folder(tmp_path: Path):
    write(
        tmp_path,
        sim__engine__simulator_h="",
        sim__engine__rules_h="",
        sim__engine__rules_cc='#include "sim/engine/simulator.h"\n',
        sim__engine__run__a_cc='#include "sim/engine/rules.h"\n',
    )
    (violation,) = found(tmp_path)
    assert violation.startswith(
        'sim/engine/rules.cc:1: "sim/engine/simulator.h" is not below sim/engine/rules;'
    )


def test_a_folder_of_sim_without_a_place_in_the_order_is_found(tmp_path: Path):
    include = '#include "sim/base/ids.h"\n'
    write(tmp_path, sim__base__ids_h="", sim__novelty__a_cc=include)
    (violation,) = found(tmp_path)
    assert "sim/novelty is not in the order of sim" in violation


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("builder", "zoo"),
        ("zoo", "random"),
        ("importers/common", "importers"),
        ("importers/hlo", "importers"),
        ("importers/torch", "importers/tensorflow"),
        ("importers", "zoo"),
    ],
)
def test_the_order_inside_graphs_is_kept(tmp_path: Path, source: str, target: str):
    upper, lower = (folder.replace("/", "__") for folder in (target, source))
    include = f'#include "graphs/{target}/b.h"\n'
    write(tmp_path, **{f"graphs__{upper}__b_h": "", f"graphs__{lower}__a_cc": include})
    (violation,) = found(tmp_path)
    assert f"is not below graphs/{source};" in violation


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("text", "store"),
        ("explain", "cli"),
        ("base", "matrix"),
        ("store", "matrix"),
        ("config", "store"),
        ("statistics", "matrix"),
        ("matrix", "console"),
        ("graphs", "console"),
        ("console", "cli"),
        ("graphs", "machines"),
        ("matrix", "cli"),
        ("cli", "cli/graph"),
        ("cli/graph", "cli/results"),
        ("cli/bench", "cli/command_line"),
    ],
)
def test_the_order_inside_experiments_is_kept(tmp_path: Path, source: str, target: str):
    for folder in (source, target):
        (tmp_path / "experiments" / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / "experiments" / target / "b.h").touch()
    include = f'#include "experiments/{target}/b.h"\n'
    (tmp_path / "experiments" / source / "a.cc").write_text(include, encoding="utf-8")
    (violation,) = found(tmp_path)
    assert f"is not below experiments/{source};" in violation


def test_the_files_right_in_a_layer_stand_above_its_folders(tmp_path: Path):
    include = '#include "experiments/base/b.h"\n'
    write(tmp_path, experiments__base__b_h="", experiments__main_cc=include)
    assert found(tmp_path) == []


def test_a_folder_of_a_layer_includes_no_file_right_in_it(tmp_path: Path):
    include = '#include "agents/registry.h"\n'
    write(tmp_path, agents__registry_h="", agents__classical__heft__heft_cc=include)
    (violation,) = found(tmp_path)
    assert '"agents/registry.h" is not below agents/classical/heft;' in violation


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("base", "planning"),
        ("planning", "classical/heft"),
        ("planning", "learned/common"),
        ("classical/heft", "classical/metis"),
        ("search/brkga", "classical/random"),
        ("search/brkga", "search/annealing"),
        ("learned/common", "learned/reinforce_lstm"),
        ("learned/go", "learned/reinforce_lstm"),
        ("learned/go", "search/brkga"),
        ("learned/go", "learned"),
    ],
)
def test_an_agent_knows_no_other_agent(tmp_path: Path, source: str, target: str):
    for folder in (source, target):
        (tmp_path / "agents" / folder).mkdir(parents=True, exist_ok=True)
    (tmp_path / "agents" / target / "b.h").touch()
    include = f'#include "agents/{target}/b.h"\n'
    (tmp_path / "agents" / source / "a.cc").write_text(include, encoding="utf-8")
    (violation,) = found(tmp_path)
    assert f"is not below agents/{source};" in violation


def test_an_agent_knows_what_agents_share(tmp_path: Path):
    includes = "".join(
        f'#include "agents/{folder}/a.h"\n' for folder in ("base", "planning", "learned/common")
    )
    write(
        tmp_path,
        agents__base__a_h="",
        agents__planning__a_h="",
        agents__learned__common__a_h="",
        agents__learned__go__a_cc=includes,
    )
    assert found(tmp_path) == []


def test_an_include_relative_to_the_file_is_found(tmp_path: Path):
    write(tmp_path, sim__base__ids_h="", sim__base__rng_cc='#include "ids.h"\n')
    (violation,) = found(tmp_path)
    assert violation.endswith('write "sim/base/ids.h"')


def test_a_package_may_have_the_name_of_a_header_beside_the_file(tmp_path: Path):
    write(
        tmp_path,
        agents__planning__metis_h="",
        agents__planning__a_cc="#include <metis.h>\n",
    )
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    ("header", "package", "allowed", "refused"),
    [
        ("boost/graph/adjacency_list.hpp", "Boost.Graph", "sim/hardware", "sim/engine"),
        ("boost/asio.hpp", "Boost.Asio", "env/parallel", "agents/search"),
        ("boost/asio/thread_pool.hpp", "Boost.Asio", "env/server", "env"),
        ("yaml-cpp/yaml.h", "yaml-cpp", "sim/io", "graphs/importers"),
        ("torch/torch.h", "LibTorch", "agents/learned/go", "agents/search"),
        ("ATen/ATen.h", "LibTorch", "agents/learned", "bindings"),
        ("pybind11/pybind11.h", "pybind11", "bindings", "env"),
        ("pugixml.hpp", "pugixml", "graphs/importers/graphml", "graphs/exporters"),
        ("coin/ClpSimplex.hpp", "CLP", "agents/classical/m_sct", "agents/planning"),
        ("metis.h", "METIS", "agents/planning", "agents/search"),
        ("scotch/scotch.h", "Scotch", "agents/classical/scotch", "agents/planning"),
        ("sqlite3.h", "SQLite", "experiments/store", "experiments/matrix"),
        ("CLI/CLI.hpp", "CLI11", "experiments/cli/graph", "experiments/console"),
    ],
)
def test_packages_stay_inside_their_fences(
    tmp_path: Path, header: str, package: str, allowed: str, refused: str
):
    for folder in (allowed, refused):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "a.cc").write_text(f"#include <{header}>\n", encoding="utf-8")
    (violation,) = found(tmp_path)
    assert violation.startswith(f"{refused}/a.cc:1: <{header}>: {package} belongs in ")


def test_other_parts_of_boost_and_other_metis_headers_are_free(tmp_path: Path):
    write(tmp_path, agents__classical__metis_h="", env__a_cc="#include <boost/crc.hpp>\n")
    write(tmp_path, agents__go_cc='#include "agents/classical/metis.h"\n')
    assert found(tmp_path) == []


def test_a_fenced_package_does_not_leak_through_headers_of_headers(tmp_path: Path):
    write(
        tmp_path,
        sim__io__inner_h="#include <yaml-cpp/yaml.h>\n",
        sim__io__outer_h='#include "sim/io/inner.h"\n',
        sim__io__use_cc='#include "sim/io/outer.h"\n',
        env__problem_cc='#include "sim/io/outer.h"\n',
    )
    (violation,) = found(tmp_path)
    assert violation.startswith('env/problem.cc:1: "sim/io/outer.h" brings yaml-cpp into env/')


def test_boost_graph_is_shown_by_its_two_headers_only(tmp_path: Path):
    graph = "#include <boost/graph/graph_traits.hpp>\n"
    write(
        tmp_path,
        sim__graph__boost_graph_h=graph,
        sim__hardware__boost_graph_h=graph,
        sim__graph__algorithms_cc='#include "sim/graph/boost_graph.h"\n' + graph,
        sim__graph__algorithms_h=graph,
        sim__graph__colocation_h='\n#include "sim/graph/boost_graph.h"\n',
        sim__engine__select_cc='#include "sim/graph/boost_graph.h"\n',
    )
    assert [violation.split(";")[0] for violation in found(tmp_path)] == [
        'sim/engine/select.cc:1: "sim/graph/boost_graph.h" brings Boost.Graph, which belongs in '
        "sim/graph, sim/hardware",
        "sim/graph/algorithms.h:1: Boost.Graph is shown by no headers but "
        "sim/graph/boost_graph.h and sim/hardware/boost_graph.h",
        "sim/graph/colocation.h:2: Boost.Graph is shown by no headers but "
        "sim/graph/boost_graph.h and sim/hardware/boost_graph.h",
    ]


def test_a_circle_of_includes_is_found_once(tmp_path: Path):
    write(
        tmp_path,
        env__a_h='#include "env/b.h"\n',
        env__b_h='#include "env/c.h"\n',
        env__c_h='\n#include "env/a.h"\n',
    )
    assert found(tmp_path) == [
        "env/a.h:1: circle of includes: env/a.h -> env/b.h -> env/c.h -> env/a.h"
    ]


def test_tests_may_include_any_layer_and_package(tmp_path: Path):
    write(tmp_path, sim__engine__simulator_h="")
    text = '#include "sim/engine/simulator.h"\n#include <yaml-cpp/yaml.h>\n'
    write(tmp_path, tests__agents__go_test_cc=text)
    assert found(tmp_path) == []


@pytest.mark.parametrize(("lines", "violations"), [(400, 0), (401, 1)])
def test_the_ceiling_of_a_file_is_400_lines(tmp_path: Path, lines: int, violations: int):
    write(tmp_path, sim__base__ids_h="\n" * lines)
    assert len(found(tmp_path)) == violations


def test_data_files_may_be_long(tmp_path: Path):
    write(tmp_path, graphs__data__resnet50_json="\n" * 500)
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    "link",
    ["[a](gone.md)", "![a](gone.png)", "[a]: gone.md", "[a](b/gone.md#top)", "[a](<gone.md>)"],
)
def test_a_dead_relative_link_is_found(tmp_path: Path, link: str):
    write(tmp_path, docs__page_md=f"# Title\n\n{link}\n")
    (violation,) = found(tmp_path)
    assert violation.startswith("docs/page.md:3: link ")
    assert violation.endswith("leads nowhere")


def test_a_link_out_of_the_tree_is_found(tmp_path: Path):
    root = tmp_path / "clone"
    write(tmp_path, neighbour_md="")
    write(root, README_md="[a](../neighbour.md)\n")
    (violation,) = found(root)
    assert violation.endswith("leads out of the tree")


@pytest.mark.parametrize(
    "line",
    ["[a](page.md#part)", "[a](#part)", "[a](../docs)", "[a](mailto:a@b.c)", "`[a](gone.md)`"],
)
def test_good_links_and_code_are_left_alone(tmp_path: Path, line: str):
    write(tmp_path, docs__page_md=f"# Part\n{line}\n```\n[a](gone.md)\n```\n")
    assert found(tmp_path) == []


def test_build_folders_and_environments_are_not_looked_into(tmp_path: Path):
    text = '#include "env/problem.h"\n'
    write(tmp_path, env__problem_h="", build__dev__sim__base__a_cc=text)
    hidden = tmp_path / ".venv" / "sim" / "base"
    hidden.mkdir(parents=True)
    (hidden / "a.cc").write_text(text, encoding="utf-8")
    (tmp_path / ".venv" / "README.md").write_text("[a](gone.md)", encoding="utf-8")
    assert found(tmp_path) == []


def test_the_program_ends_with_1_and_prints_the_place(tmp_path: Path):
    write(tmp_path, env__problem_h="", sim__base__ids_h='#include "env/problem.h"\n')
    command = [sys.executable, str(_SCRIPT), str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert "sim/base/ids.h:1:" in result.stdout


def test_the_program_ends_with_0_on_a_clean_tree(tmp_path: Path):
    write(tmp_path, sim__base__ids_h="")
    command = [sys.executable, str(_SCRIPT), str(tmp_path)]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
