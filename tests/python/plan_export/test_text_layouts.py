"""Texts of frameworks that are not installed here, read back by small readers of our own."""

from __future__ import annotations

import re
import tomllib

import pytest

pytest.importorskip("torch")

import opyard
from exported_models import GPU0, GPU1, graph_of, machine, program_on

UNITS = ["embed", "layers.0", "layers.1", "layers.2", "layers.3", "head"]
CUTS = [{"": GPU1, **dict.fromkeys(UNITS[:cut], GPU0)} for cut in range(1, len(UNITS))]


def export(devices, target):
    graph = graph_of("blocks", forward=True)
    return opyard.export_plan(program_on(graph, devices), graph, machine(), target)


def stages_of(devices):
    """The units of the two stages."""
    return [[unit for unit in UNITS if (unit in devices) == first] for first in (True, False)]


def read_megatron(layout):
    """The letters of each stage: `x*3` repeats a letter, as in Megatron's own reader."""
    plain = re.sub(r"(\w)\*(\d+)", lambda found: found[1] * int(found[2]), layout)
    return plain.replace(",", "").split("|")


@pytest.mark.parametrize("devices", CUTS)
def test_megatron(devices):
    text = export(devices, "megatron")["megatron-arguments.txt"]
    size, layout = re.fullmatch(
        r'--pipeline-model-parallel-size (\d+)\n--pipeline-model-parallel-layout "(.*)"\n', text
    ).groups()
    letters = {"embed": "E", "head": "L"}
    expected = ["".join(letters.get(unit, "t") for unit in stage) for stage in stages_of(devices)]
    assert (int(size), read_megatron(layout)) == (2, expected)


@pytest.mark.parametrize("devices", CUTS[1:-1])
def test_vllm(devices):
    texts = export(devices, "vllm")
    counts = [sum(unit.startswith("layers") for unit in stage) for stage in stages_of(devices)]
    name, _, value = texts["vllm.env"].strip().partition("=")
    assert (name, [int(count) for count in value.split(",")]) == ("VLLM_PP_LAYER_PARTITION", counts)
    assert texts["vllm-arguments.txt"] == "--pipeline-parallel-size 2\n"


@pytest.mark.parametrize("devices", CUTS)
def test_torchtitan(devices):
    settings = tomllib.loads(export(devices, "torchtitan")["parallelism.toml"])["parallelism"]
    assert settings == {
        "pipeline_parallel_degree": 2,
        "module_fqns_per_model_part": stages_of(devices),
    }


@pytest.mark.parametrize("devices", CUTS[1:-1])
def test_llama_cpp(devices):
    text = export(devices, "llama.cpp")["llama-arguments.txt"]
    arguments = dict(line.split(" ", 1) for line in text.splitlines())
    # As llama.cpp deals layers: layer i of n, the output being the last, goes to the first GPU
    # whose share, with those before it, is more than i / n.
    split = [int(share) for share in arguments["--tensor-split"].split(",")]
    layers = int(arguments["--n-gpu-layers"])
    gpus = arguments["--device"].split(",")
    ends = [sum(split[: i + 1]) / sum(split) for i in range(len(split))]
    dealt = [next(gpus[g] for g, end in enumerate(ends) if i / layers < end) for i in range(layers)]
    units = UNITS[1:]  # the embedding has an override
    assert dealt == ["CUDA0" if unit in devices else "CUDA1" for unit in units]
    assert arguments["--override-tensor"] == '"token_embd=CUDA0"'


def test_vllm_takes_the_ends_with_the_outer_blocks():
    with pytest.raises(opyard.UnsupportedError, match=r"module embed to module layers.0"):
        export(CUTS[0], "vllm")
