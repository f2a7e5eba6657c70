"""`opyard profile import`: where it reads from, what it writes and answers."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import jsonschema
import opyard
import pytest
import yaml
from imported_profiles import INPUTS, import_profile
from opyard.authoring.importers.formats import find_format
from opyard.cli import main

V100 = ("--card", "v100-sxm2-16gb")
SCHEMAS = INPUTS.parents[3] / "hardware_profiles" / "schema"
FILES = sorted(path.name for path in INPUTS.iterdir())


@pytest.mark.parametrize("name", FILES)
def test_what_is_written_is_valid(name, tmp_path, capfd):
    box = import_profile(name, tmp_path, capfd, *V100)
    assert main(["profile", "validate", str(box.path)]) == 0
    for path in tmp_path.rglob("*.yaml"):
        what = "device" if path.parent.name == "devices" else "machine"
        schema = json.loads((SCHEMAS / f"{what}.v1.json").read_text(encoding="utf-8"))
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
        errors = jsonschema.Draft7Validator(schema).iter_errors(values)
        assert [error.message for error in errors] == []


@pytest.mark.parametrize("name", FILES)
def test_a_second_import_writes_the_same(name, tmp_path, capfd):
    first = import_profile(name, tmp_path, capfd, *V100).path.read_bytes()
    assert import_profile(name, tmp_path, capfd, *V100).path.read_bytes() == first


@pytest.mark.parametrize("name", FILES)
def test_the_format_is_found_by_the_content(name):
    found = find_format((INPUTS / name).read_bytes(), name)
    expected = next(
        each
        for part, each in {
            "topo": "nvidia-smi",
            "hwloc": "hwloc",
            "simgrid": "simgrid",
            "infragraph": "infragraph",
        }.items()
        if f".{part}" in name
    )
    assert found == expected


@pytest.mark.parametrize("name", FILES)
def test_machines_survive_a_copy(name, tmp_path, capfd):
    box = import_profile(name, tmp_path, capfd, *V100)
    copy = tmp_path / "copy.yaml"
    assert (
        main(["profile", "new", "--from", str(box.path), "--name", "machine", "--out", str(copy)])
        == 0
    )
    assert opyard.load_machine(copy) == box.machine


def test_standard_input_is_read(tmp_path, capfd, monkeypatch):
    data = (INPUTS / "quad_mesh.topo.txt").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    out = tmp_path / "machine.yaml"
    assert main(["profile", "import", "-", *V100, "--out", str(out)]) == 0
    assert opyard.load_machine(out).num_devices == 6
    assert "nvidia-smi" in capfd.readouterr().out


def test_a_pipe_through_the_command(tmp_path):
    words = [sys.executable, "-m", "opyard", "profile", "import", "-", *V100, "--out", "-"]
    data = (INPUTS / "nvswitch.topo.txt").read_bytes()
    ended = subprocess.run(words, input=data, capture_output=True, cwd=tmp_path, check=False)
    assert ended.returncode == 0, ended.stderr
    assert yaml.safe_load(ended.stdout)["name"] == "machine"
    assert b"5 devices" in ended.stderr
    assert list(tmp_path.iterdir()) == []


def test_standard_output_takes_no_device_files(capfd):
    source = str(INPUTS / "three_hosts.simgrid.xml")
    assert main(["profile", "import", source, "--out", "-"]) == 2
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "the machine needs device files for machine-host0" in printed.err


def test_the_answer_as_json(tmp_path, capfd):
    out = str(tmp_path / "mine.yaml")
    source = str(INPUTS / "nvswitch.topo.txt")
    assert main(["profile", "import", source, *V100, "--out", out, "--json"]) == 0
    answer = json.loads(capfd.readouterr().out)
    assert answer["warnings"] == ["the hosts are not named; xeon-e5-2698v4 is assumed"]
    del answer["warnings"]
    # 2 sockets and 3 GPUs; 3 slots, 2 memories, the link of sockets, 3 NVLinks.
    assert answer == {
        "format": "nvidia-smi",
        "files": [out],
        "devices": 5,
        "links": 9,
        "assumed": ["devices", "switches", "links"],
    }


def test_the_name_is_that_of_the_file_or_of_the_option(tmp_path, capfd):
    source = str(INPUTS / "nvswitch.topo.txt")
    for more, name in (((), "mine"), (("--name", "other"), "other")):
        out = tmp_path / "mine.v2.yaml"
        assert main(["profile", "import", source, *V100, *more, "--out", str(out)]) == 0
        assert yaml.safe_load(out.read_text(encoding="utf-8"))["name"] == name


def test_a_folder_that_is_absent_is_named(tmp_path, capfd):
    source = str(INPUTS / "nvswitch.topo.txt")
    out = str(tmp_path / "none" / "mine.yaml")
    assert main(["profile", "import", source, *V100, "--out", out]) == 2
    assert "the folder" in capfd.readouterr().err


def test_a_suffix_of_another_kind_is_refused(tmp_path, capfd):
    source = str(INPUTS / "nvswitch.topo.txt")
    assert main(["profile", "import", source, *V100, "--out", str(tmp_path / "mine.txt")]) == 2
    assert ".yaml" in capfd.readouterr().err
