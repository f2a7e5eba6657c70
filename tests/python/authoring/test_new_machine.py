"""`opyard profile new`: every shape is valid, questions are asked on a terminal only."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import jsonschema
import opyard
import pytest
import yaml
from imported_profiles import Profile, import_profile, routes_of
from opyard.authoring.new_machine import INTERCONNECTS
from opyard.cli import main

SCHEMAS = Path(__file__).parents[3] / "hardware_profiles" / "schema"
FIGURES = (
    "--memory",
    "24GiB",
    "--memory-bandwidth",
    "1TB/s",
    "--peak",
    "f32=30TFLOP/s,f16=60TFLOP/s",
)


@pytest.fixture(autouse=True)
def no_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdin", open(os.devnull, encoding="utf-8"))  # noqa: PTH123, SIM115


MACHINES = sorted(path.stem for path in (SCHEMAS.parent / "machines").glob("*.yaml"))


def new_profile(tmp_path: Path, capfd, *options: str) -> Profile:
    out = tmp_path / "box.yaml"
    status = main(["profile", "new", *options, "--out", str(out)])
    printed = capfd.readouterr()
    assert status == 0, printed.err
    return Profile(out, printed.err)


def refusal_of(tmp_path: Path, capfd, *options: str) -> str:
    out = tmp_path / "box.yaml"
    assert main(["profile", "new", *options, "--out", str(out)]) == 2
    assert not out.exists()
    return capfd.readouterr().err


def check_schemas(folder: Path) -> None:
    """All files of the folder are valid under the schemas that editors use."""
    for path in folder.rglob("*.yaml"):
        name = "device" if path.parent.name == "devices" else "machine"
        schema = json.loads((SCHEMAS / f"{name}.v1.json").read_text(encoding="utf-8"))
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
        assert [
            error.message for error in jsonschema.Draft7Validator(schema).iter_errors(values)
        ] == []


@pytest.mark.parametrize("host", ["xeon-e5-2690v4", "none"])
@pytest.mark.parametrize("count", [1, 2, 5, 16])
@pytest.mark.parametrize("interconnect", INTERCONNECTS)
def test_every_shape_is_valid(interconnect, count, host, tmp_path, capfd):
    options = ("--card", "v100-sxm2-16gb", "--count", str(count), "--interconnect", interconnect)
    box = new_profile(tmp_path, capfd, *options, "--host", host)
    assert box.warnings == ""
    names = [name for name in box.machine.device_names if name.startswith("gpu")]
    assert len(names) == count
    check_schemas(tmp_path)
    assert main(["profile", "validate", str(box.path)]) == 0


def test_cards_share_a_switch_by_two(tmp_path, capfd):
    options = ("--card", "v100-sxm2-16gb", "--count", "4", "--interconnect", "pcie")
    box = new_profile(tmp_path, capfd, *options)
    routes = routes_of(box.path, capfd)
    # 12.35 GB/s of PCIe 3; 10.75 us at either card, 19.25 at the host.
    assert routes["gpu0", "gpu1"] == routes["gpu0", "gpu3"] == (12.35, 21.5)
    assert routes["gpu2", "cpu0"] == (12.35, 30.0)
    assert box.link("pcie3")[0] == ["gpu3", "plx1"]


def test_nvlinks_are_divided_among_the_other_cards(tmp_path, capfd):
    options = ("--card", "v100-sxm2-16gb", "--count", "4", "--interconnect", "nvlink")
    box = new_profile(tmp_path, capfd, *options)
    # 6 links for 3 others, of 23.9 GB/s each.
    assert box.link("nvlink.gpu0-gpu3") == (["gpu0", "gpu3"], 47.8, 10.0)


def test_more_cards_than_nvlinks_share_a_switch(tmp_path, capfd):
    options = ("--card", "v100-sxm2-16gb", "--count", "8", "--interconnect", "nvlink")
    box = new_profile(tmp_path, capfd, *options)
    assert box.link("nvswitch.gpu7") == (["gpu7", "nvswitch"], 143.4, 5.0)
    assert box.machine.device_names[:2] == ["cpu0", "cpu1"]


def test_a_card_without_a_file_gets_one(tmp_path, capfd):
    options = ("--card", "new-card", "--count", "2", "--interconnect", "pcie4", *FIGURES)
    box = new_profile(tmp_path, capfd, *options)
    device = box.machine.to_dict()["devices"][1]
    assert device["type"] == "new-card"
    assert device["memory"] == f"{24 * 2**30} B"
    assert device["peak_flops"] == {"f32": "3e+13 FLOP/s", "f16": "6e+13 FLOP/s"}
    check_schemas(tmp_path)
    assert main(["profile", "validate", str(tmp_path / "devices" / "new-card.yaml")]) == 0


def test_a_card_of_the_folder_is_known(tmp_path, capfd):
    options = ("--card", "new-card", "--count", "2", "--interconnect", "pcie4")
    new_profile(tmp_path, capfd, *options, *FIGURES)
    before = (tmp_path / "devices" / "new-card.yaml").read_bytes()
    again = new_profile(tmp_path, capfd, *options)
    assert again.machine.device_names == ["cpu0", "gpu0", "gpu1"]
    assert (tmp_path / "devices" / "new-card.yaml").read_bytes() == before


def test_the_same_command_again_changes_nothing(tmp_path, capfd):
    options = ("--card", "new-card", "--count", "2", "--interconnect", "pcie4")
    new_profile(tmp_path, capfd, *options, *FIGURES)
    path = tmp_path / "devices" / "new-card.yaml"
    before = path.read_bytes()
    new_profile(tmp_path, capfd, *options, *FIGURES)
    out = str(tmp_path / "box.yaml")
    assert main(["profile", "new", *options, "--out", out, *FIGURES, "--kind", "tpu"]) == 2
    assert "is there already and says something else" in capfd.readouterr().err
    assert path.read_bytes() == before


def test_device_files_stand_beside_a_folder_of_machines(tmp_path, capfd):
    (tmp_path / "machines").mkdir()
    (tmp_path / "devices").mkdir()
    options = ("--card", "new-card", "--count", "1", "--interconnect", "pcie4", *FIGURES)
    new_profile(tmp_path / "machines", capfd, *options)
    assert (tmp_path / "devices" / "new-card.yaml").is_file()


def test_a_device_file_that_says_something_else_is_kept(tmp_path, capfd):
    (tmp_path / "devices").mkdir()
    path = tmp_path / "devices" / "machine-host0.yaml"
    path.write_text("mine")
    out = str(tmp_path / "machine.yaml")
    source = str(Path(__file__).parent / "inputs" / "three_hosts.simgrid.xml")
    assert main(["profile", "import", source, "--out", out]) == 2
    assert "is there already and says something else" in capfd.readouterr().err
    assert path.read_text() == "mine"


def test_processors_around_one_memory(tmp_path, capfd):
    options = ("--card", "core", "--kind", "cpu", "--count", "3", "--interconnect", "shared-memory")
    box = new_profile(tmp_path, capfd, *options, "--host", "none", *FIGURES)
    assert box.machine.device_names == ["cpu0", "cpu1", "cpu2"]
    assert box.values["links"][0]["duplex"] == "half"


@pytest.mark.parametrize("name", MACHINES)
def test_a_copy_of_a_machine_is_equal_to_it(name, tmp_path, capfd):
    box = new_profile(tmp_path, capfd, "--from", name, "--name", name)
    assert box.machine == opyard.load_machine(name)
    check_schemas(tmp_path)
    assert {entry["kind"] for entry in box.values["provenance"].values()} == {"assumed"}


def test_a_copy_may_have_another_card_and_host(tmp_path, capfd):
    options = ("--from", "v100x8-dgx1", "--card", "p100-sxm2-16gb", "--host", "xeon-e5-2690v4")
    box = new_profile(tmp_path, capfd, *options)
    assert [each["type"] for each in box.values["devices"]] == [
        *("xeon-e5-2690v4", "p100-sxm2-16gb")
    ]
    assert len(box.values["links"]) == len(opyard.load_machine("v100x8-dgx1").to_dict()["links"])


def test_a_copy_may_have_a_new_card(tmp_path, capfd):
    box = new_profile(tmp_path, capfd, "--from", "p100x2-pcie", "--card", "new-card", *FIGURES)
    types = {each["name"]: each["type"] for each in box.values["devices"]}
    assert types == {"cpu0": "xeon-e5-2690v4", "gpu": "new-card"}


def test_a_pattern_with_another_count_gives_card_and_host_only(tmp_path, capfd):
    options = ("--from", "p100x2-pcie", "--count", "3", "--interconnect", "pcie")
    box = new_profile(tmp_path, capfd, *options)
    types = {each["name"]: each["type"] for each in box.values["devices"]}
    assert types == {"cpu0": "xeon-e5-2690v4", "gpu": "p100-pcie-16gb"}


def test_a_pattern_brings_its_device_files_along(tmp_path, capfd):
    source = tmp_path / "source"
    source.mkdir()
    options = ("--card", "new-card", "--count", "2", "--interconnect", "pcie4", *FIGURES)
    pattern = new_profile(source, capfd, *options)
    copy = new_profile(tmp_path, capfd, "--from", str(pattern.path), "--name", "box")
    assert copy.machine == pattern.machine


def test_a_routed_machine_is_copied_with_its_routes(tmp_path, capfd):
    source = tmp_path / "source"
    source.mkdir()
    platform = source / "pair.xml"
    platform.write_text(
        '<platform version="4.1"><zone id="z" routing="Full">'
        '<host id="a" speed="2Gf"/><host id="b" speed="2Gf"/>'
        '<link id="x" bandwidth="1GBps" latency="2us"/>'
        '<link id="y" bandwidth="1500MBps" latency="3us"/>'
        '<route src="a" dst="b" symmetrical="NO"><link_ctn id="x"/></route>'
        '<route src="b" dst="a" symmetrical="NO"><link_ctn id="y"/></route>'
        "</zone></platform>"
    )
    pattern = import_profile(platform, source, capfd)
    copy = new_profile(tmp_path, capfd, "--from", str(pattern.path), "--name", "machine")
    assert copy.machine == pattern.machine


def test_standard_output_takes_the_machine(capfd):
    options = ("--card", "v100-sxm2-16gb", "--count", "2", "--interconnect", "pcie", "--out", "-")
    assert main(["profile", "new", *options]) == 0
    printed = capfd.readouterr()
    assert yaml.safe_load(printed.out)["name"] == "machine"
    assert "wrote -" in printed.err


def test_completion_knows_the_interconnects(capfd):
    assert main(["complete", "profile", "new", "--interconnect", ""]) == 0
    assert set(capfd.readouterr().out.split()) == set(INTERCONNECTS)


def test_the_answer_as_json(tmp_path, capfd):
    options = ("--card", "v100-sxm2-16gb", "--count", "2", "--interconnect", "pcie", "--json")
    assert main(["profile", "new", *options, "--out", str(tmp_path / "box.yaml")]) == 0
    answer = json.loads(capfd.readouterr().out)
    assert answer == {
        "files": [str(tmp_path / "box.yaml")],
        "assumed": ["devices", "switches", "links"],
        "warnings": [],
    }


CARD = ("--card", "v100-sxm2-16gb")
NEW = ("--card", "new", "--count", "1", "--interconnect", "pcie")
REFUSED = {
    "nothing said": ((), ("no terminal", "--card (one of", "--count", "--interconnect")),
    "a new card without figures": (
        NEW,
        ("--memory (such as 16GiB", "--memory-bandwidth", "--peak"),
    ),
    "a card misspelt": (
        ("--card", "v100-smx2-16gb", "--count", "1", "--interconnect", "pcie"),
        ("no file describes v100-smx2-16gb", "did you mean v100-sxm2-16gb?"),
    ),
    "no cards": ((*CARD, "--count", "0", "--interconnect", "pcie"), ('--count: found "0"',)),
    "too many cards": (
        (*CARD, "--count", "1024", "--interconnect", "pcie"),
        ("more than 1024 devices",),
    ),
    "a link that does not exist": (
        (*CARD, "--count", "1", "--interconnect", "token-ring"),
        ('"token-ring"', "pcie, nvlink"),
    ),
    "links of a card that has none": (
        ("--card", "card", "--count", "2", "--interconnect", "nvlink", *FIGURES),
        ('which links "card" has is not known', "nvlink1"),
    ),
    "links of a card in a slot": (
        ("--card", "p100-pcie-16gb", "--count", "2", "--interconnect", "nvlink"),
        ('which links "p100-pcie-16gb" has is not known',),
    ),
    "a name with a slash": (
        ("--card", "a/b", "--count", "1", "--interconnect", "pcie"),
        ('--card: found "a/b"',),
    ),
    "a unit that does not exist": (
        (*NEW, "--memory", "16 GX"),
        ('the unit "GX"',),
    ),
    "a number without a unit": (
        (*NEW, "--memory", "16"),
        ('found "16"', "16 GiB"),
    ),
    "a type that does not exist": (
        (
            "--card",
            "new",
            "--count",
            "1",
            "--interconnect",
            "pcie",
            *FIGURES[:4],
            "--peak",
            "f33=1",
        ),
        ('--peak: found "f33=1"',),
    ),
    "a kind that does not exist": (
        (*NEW, "--kind", "npu", *FIGURES),
        ('--kind: found "npu"',),
    ),
    "a host that does not exist": (
        (*CARD, "--count", "1", "--interconnect", "pcie", "--host", "abacus"),
        ('--host: found "abacus"', "none"),
    ),
    "a copy without hosts": (
        ("--from", "p100x2-pcie", "--host", "none"),
        ('--host: found "none"',),
    ),
    "figures of a known card": (
        (*CARD, "--count", "1", "--interconnect", "pcie", "--memory", "16GiB"),
        ("--memory: v100-sxm2-16gb is a shipped type",),
    ),
    "a pattern that does not exist": (("--from", "nowhere"), ('"nowhere"',)),
}


@pytest.mark.parametrize(("options", "expected"), REFUSED.values(), ids=REFUSED)
def test_refused(options, expected, tmp_path, capfd):
    message = refusal_of(tmp_path, capfd, *options)
    for part in expected:
        assert part in message


def on_terminal(tmp_path: Path, answers: str, *options: str) -> tuple[int, str]:
    """Runs the command with a terminal as standard input; returns its status and its errors."""
    ours, theirs = pty.openpty()
    words = [sys.executable, "-m", "opyard", "profile", "new", *options]
    with subprocess.Popen(
        words, stdin=theirs, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path, text=True
    ) as process:
        os.write(ours, answers.encode())
        _, errors = process.communicate(timeout=60)
        status = process.returncode
    os.close(ours)
    os.close(theirs)
    return status, errors


def test_a_terminal_is_asked_for_what_is_missing(tmp_path):
    # Another count after one that is refused, the default link of the card.
    status, errors = on_terminal(
        tmp_path, "v100-sxm2-16gb\nmany\n2\n\n", "--out", "box.yaml", "--host", "none"
    )
    assert status == 0, errors
    assert '--count: found "many"' in errors
    machine = opyard.load_machine(tmp_path / "box.yaml")
    assert machine.device_names == ["gpu0", "gpu1"]
    assert [link["name"] for link in machine.to_dict()["links"]][-1] == "nvlink.gpu0-gpu1"


def test_a_terminal_is_asked_for_the_figures_of_a_new_card(tmp_path):
    answers = "my-tpu\ntpu\n16 GiB\n1.2 TB/s\nbf16=275 TFLOP/s\n1\npcie4\n"
    status, errors = on_terminal(tmp_path, answers, "--out", "box.yaml")
    assert status == 0, errors
    (device,) = opyard.load_machine(tmp_path / "box.yaml").to_dict()["devices"][1:]
    assert (device["name"], device["kind"], device["type"]) == ("tpu0", "tpu", "my-tpu")


def test_answers_that_end_write_nothing(tmp_path):
    status, errors = on_terminal(tmp_path, "\x04", "--out", "box.yaml")
    assert status == 2
    assert "the answers end before --card" in errors
    assert list(tmp_path.iterdir()) == []
