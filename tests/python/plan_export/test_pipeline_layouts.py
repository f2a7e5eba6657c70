"""Split points and schedules that PyTorch's pipelining takes."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("torch")

import opyard
from exported_models import GPU0, GPU1, blocks, graph_of, machine, program_on
from torch.distributed.pipelining import SplitPoint, pipeline
from torch.distributed.pipelining.schedules import (
    PipelineScheduleMulti,
    _Action,
    _PipelineScheduleRuntime,
)

# Stages of embed and layers.0; the rest.
DEVICES = {"": GPU1, "embed": GPU0, "layers.0": GPU0}
# Four stages that two ranks take in turn.
LOOPED = {"": GPU1, "embed": GPU0, "layers.0": GPU0, "layers.2": GPU0}


def export(devices, **options):
    graph = graph_of("blocks")
    plan = program_on(graph, devices)
    return opyard.export_plan(plan, graph, machine(), "torch-pipelining", **options)


def loaded(kind, path, *, ranks, stages, microbatches):
    """A schedule of PyTorch that has loaded the file, without the processes that would run it."""
    schedule = object.__new__(kind)
    schedule._stages = []
    schedule._num_stages = stages
    schedule._n_microbatches = microbatches
    schedule.pp_group_size = ranks
    schedule.pipeline_order = {}
    schedule._defer_pp_recv = False
    schedule._load_csv(path)
    return schedule


def test_the_split_points_cut_the_model_into_the_stages():
    (module, device), *others = json.loads(export(DEVICES)["split_points.json"])[
        "split_points"
    ].items()
    assert (module, device, others) == ("layers.1", "BEGINNING", [])
    model, inputs, _ = blocks()
    cut = pipeline(model, (inputs,), split_spec={module: SplitPoint[device]})
    assert cut.num_stages == 2
    names = [
        {name.partition(".")[0] for name, _ in cut.get_stage_module(s).named_parameters()}
        for s in range(2)
    ]
    assert names == [{"embed", "layers"}, {"layers", "head"}]


@pytest.mark.parametrize("schedule", ["1f1b", "gpipe"])
@pytest.mark.parametrize(("devices", "stages"), [(DEVICES, 2), (LOOPED, 4)])
def test_pytorch_loads_the_schedule(tmp_path, schedule, devices, stages):
    text = export(devices, schedule=schedule, microbatches=2)["schedule.csv"]
    path = tmp_path / "schedule.csv"
    path.write_text(text, encoding="utf-8")
    sizes = {"ranks": 2, "stages": stages, "microbatches": 2}
    multi = loaded(PipelineScheduleMulti, path, **sizes)
    assert multi.stage_index_to_group_rank == {s: s % 2 for s in range(stages)}
    runtime = loaded(_PipelineScheduleRuntime, path, **sizes)
    assert len(runtime.pipeline_order_with_comms[0]) > len(runtime.pipeline_order[0])


def test_each_action_is_what_pytorch_prints():
    text = export(DEVICES, microbatches=2)["schedule.csv"]
    cells = [cell for line in text.splitlines() for cell in line.split(",")]
    assert [str(_Action.from_str(cell)) for cell in cells] == cells
