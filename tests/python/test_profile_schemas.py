"""The shipped hardware profiles are valid under the JSON schemas that editors use."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml

PROFILES = Path(__file__).parents[2] / "hardware_profiles"
FILES = sorted([*PROFILES.glob("devices/*.yaml"), *PROFILES.glob("machines/*.yaml")])


def _validator(file: Path):
    schema_name = "device" if file.parent.name == "devices" else "machine"
    schema = json.loads((PROFILES / "schema" / f"{schema_name}.v1.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def _load(file: Path) -> dict:
    return yaml.safe_load(file.read_text())


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shipped_file_is_valid(file):
    assert [error.message for error in _validator(file).iter_errors(_load(file))] == []


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_shipped_file_names_itself_and_its_schema(file):
    first_line = file.read_text().splitlines()[0]
    relative = first_line.removeprefix("# yaml-language-server: $schema=")
    assert (file.parent / relative).is_file()
    assert _load(file)["name"] == file.stem


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_number_says_where_it_comes_from(file):
    profile = _load(file)
    covered = {key.split(".")[0] for key in profile["provenance"]}
    unnumbered = {"schema_version", "name", "kind", "switches", "rules", "provenance"}
    assert {key for key, value in profile.items() if value != []} - unnumbered <= covered


def test_there_are_devices_and_machines():
    assert {file.parent.name for file in FILES} == {"devices", "machines"}


BREAKS = {
    "bare number": lambda m: m["links"][0].update(bandwidth=10),
    "unknown unit": lambda m: m["links"][0].update(bandwidth="10 Gbps"),
    "unknown key": lambda m: m.update(swiches=[]),
    "zero count": lambda m: m["devices"][1].update(count=0),
    "full duplex bus": lambda m: m["links"][0].update(between=["gpu0", "gpu1", "plx0"]),
    "pool without a rate": lambda m: m.update(memory_pools=[{"name": "ram", "memory": "1 GiB"}]),
    "unknown rules": lambda m: m.update(rules="tbd"),
    "unknown provenance": lambda m: m["provenance"].update(link={"kind": "assumed", "source": "x"}),
    "an op type twice": lambda m: m["devices"][0].update(unsupported=["Relu", "Relu"]),
    "an op type alone": lambda m: m["devices"][0].update(unsupported="Relu"),
    "no source": lambda m: m["provenance"].update(links={"kind": "measured"}),
}


@pytest.mark.parametrize("change", BREAKS.values(), ids=BREAKS.keys())
def test_what_the_reader_refuses_the_schema_refuses(change):
    file = PROFILES / "machines" / "p100x2-pcie.yaml"
    machine = copy.deepcopy(_load(file))
    change(machine)
    assert not _validator(file).is_valid(machine)


TYPE = "p100-pcie-16gb"
FOUR = {"schema_version": 1, "name": "m", "devices": [{"name": "d", "type": TYPE, "count": 4}]}
LINK = {"name": "x", "between": ["d*"], "bandwidth": "1 GB/s"}
BOX = {"name": "n", "count": 2, "devices": [{"name": "d", "type": TYPE}]}
FIGURES = {"bandwidth": "2 GB/s", "latency": "1 us"}
# Machines of four devices whose links are these, with shorthands that the reader takes.
SHORTHANDS = {
    "pattern": [LINK | {"duplex": "half"}],
    "all-to-all": [LINK | {"topology": "all-to-all"}],
    "switch": [LINK | {"topology": "switch"}],
    "ring and bus": [LINK | {"topology": "ring"}, LINK | {"name": "y", "duplex": "half"}],
    "torus": [LINK | {"topology": "torus", "shape": [2, 2]}],
    "pcie-tree": [LINK | {"topology": "pcie-tree", "shape": [3], "uplink": FIGURES}],
    "fat-tree": [LINK | {"topology": "fat-tree", "shape": [2, 2]}],
}
# The same, which it refuses.
WRONG_SHORTHANDS = {
    "unknown": [LINK | {"topology": "mesh"}],
    "one node": [LINK | {"topology": "switch", "between": ["d0"]}],
    "torus without shape": [LINK | {"topology": "torus"}],
    "shape of a switch": [LINK | {"topology": "switch", "shape": [4]}],
    "empty shape": [LINK | {"topology": "torus", "shape": []}],
    "zero extent": [LINK | {"topology": "torus", "shape": [0, 4]}],
    "uplink of a torus": [LINK | {"topology": "torus", "shape": [4], "uplink": FIGURES}],
    "uplink without bandwidth": [
        LINK | {"topology": "fat-tree", "shape": [2, 2], "uplink": {"latency": "1 us"}}
    ],
    "doubled ring": [LINK | {"topology": "ring", "doubled": FIGURES}],
    "shape alone": [LINK | {"shape": [4], "duplex": "half"}],
}


def is_read(machine: dict, folder: Path) -> bool:
    """Whether the reader of the program takes the machine."""
    file = folder / "machine.yaml"
    file.write_text(json.dumps(machine), encoding="utf-8")
    command = [sys.executable, "-m", "opyard", "profile", "validate", str(file)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        *((links, True) for links in SHORTHANDS.values()),
        *((links, False) for links in WRONG_SHORTHANDS.values()),
    ],
    ids=[*SHORTHANDS, *WRONG_SHORTHANDS],
)
def test_shorthands_are_those_of_the_reader(links, expected, tmp_path):
    machine = FOUR | {"links": links}
    assert is_read(machine, tmp_path) == expected
    assert _validator(PROFILES / "machines" / "m.yaml").is_valid(machine) == expected


NODES = {
    "nodes": ({"nodes": [BOX]}, True),
    "nodes with links": (
        {"nodes": [BOX | {"switches": ["s"], "links": [LINK | {"between": ["d", "s"]}]}]},
        True,
    ),
    "no devices": ({"nodes": [{"name": "n"}]}, False),
    "zero nodes": ({"nodes": [BOX | {"count": 0}]}, False),
    "rules of a node": ({"nodes": [BOX | {"rules": "opyard"}]}, False),
    "neither devices nor nodes": ({}, False),
}


@pytest.mark.parametrize(("change", "expected"), NODES.values(), ids=NODES.keys())
def test_nodes_are_those_of_the_reader(change, expected, tmp_path):
    machine = {"schema_version": 1, "name": "m", "rules": "regal"} | change
    assert is_read(machine, tmp_path) == expected
    assert _validator(PROFILES / "machines" / "m.yaml").is_valid(machine) == expected


# The values that the reader takes at the ends of a range, and those that it refuses beyond them.
ENDS = {
    "fraction": ("cost: {memory_efficiency: %s}", [1e-6, 1], [9e-7, 1.01]),
    "e_max": ("cost: {gemm: {f32: {e_max: %s}}}", [1e-6, 4], [9e-7, 4.01]),
    "h_m": ("cost: {gemm: {f32: {h_m: %s}}}", [0, 1e9], [-1, 1.1e9]),
    "winograd_gain": ("cost: {conv: {f32: {forward: {winograd_gain: %s}}}}", [0, 10], [-1, 11]),
    "softmax_q": ("cost: {softmax_q: %s}", [1, 1e6], [0.9, 1.1e6]),
    "median_error": (
        "provenance: {memory: {kind: fitted, source: s, median_error: %s}}",
        [0, 1000],
        [-1, 1001],
    ),
}


@pytest.mark.parametrize(("text", "inside", "outside"), ENDS.values(), ids=ENDS.keys())
def test_ranges_are_those_of_the_reader(text, inside, outside, tmp_path):
    shipped = PROFILES / "devices" / "p100-pcie-16gb.yaml"
    file = tmp_path / "device.yaml"
    for value in [*inside, *outside]:
        device = _load(shipped) | yaml.safe_load(text % f"{value:.9f}")
        file.write_text(json.dumps(device), encoding="utf-8")
        command = [sys.executable, "-m", "opyard", "profile", "validate", str(file)]
        is_read = subprocess.run(command, capture_output=True, check=False).returncode == 0
        assert is_read == _validator(shipped).is_valid(device) == (value in inside), value
