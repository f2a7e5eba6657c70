"""Whole steps beside published throughput: steps on one GPU, model memory, pipelines."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import opyard
from opyard import _core


@dataclass(frozen=True)
class Step:
    """A published step on one GPU, and how it is simulated."""

    model: str
    device: str
    batch: int
    dtype: str
    framework: str  # how the row's `framework` begins
    column: str  # how the row's `column` begins
    graph: str
    machine: str
    fusion: str
    kernels: str  # in words


_TF_2017 = "tf1 (tf_cnn_benchmarks"
_TF_2020 = "tf1 (NGC, 2020"
_TF_2023 = "tf1 (NGC, 2023"
STEPS = (
    Step(
        *("ResNet-50", "P100-SXM2-16GB", 32, "fp32", _TF_2017, ""),
        *("zoo:resnet50?batch=32", "p100x8-sxm2-dgx1", "module", "a module, a kernel"),
    ),
    Step(
        *("VGG16", "P100-SXM2-16GB", 64, "fp32", _TF_2017, ""),
        *("zoo:vgg16?batch=64", "p100x8-sxm2-dgx1", "module", "a module, a kernel"),
    ),
    Step(
        *("ResNet-50", "V100-SXM2-16GB", 128, "fp32", _TF_2020, "Throughput - FP32"),
        *("zoo:resnet50?batch=128", "v100x8-dgx1", "module", "a module, a kernel"),
    ),
    Step(
        *("ResNet-50", "V100-SXM2-16GB", 128, "fp32", _TF_2023, "Throughput - FP32 + XLA"),
        *("zoo:resnet50?batch=128", "v100x8-dgx1", "framework", "XLA: fused as far as legal"),
    ),
)


def steps_table(data: Path) -> str:
    """Measured and simulated seconds of each step of STEPS."""
    with gzip.open(data / "fidelity/open/e2e_throughput.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    lines = [
        "| model | GPU, batch, software | kernels | measured ms | simulated ms | error |",
        "|---|---|---|---:|---:|---:|",
    ]
    for step in STEPS:
        measured = min(_measured_ms(step, rows))
        simulated = _simulated_s(step.graph, step.machine, step.fusion) * 1e3
        software = step.framework.removeprefix("tf1 (").rstrip(",")
        lines.append(
            f"| {step.model} | {step.device}, {step.batch}, TensorFlow ({software}) | "
            f"{step.kernels} | {measured:.0f} | {simulated:.0f} | "
            f"{100 * (simulated / measured - 1):+.0f} % |"
        )
    return "\n".join(lines)


def _measured_ms(step: Step, rows: list[dict[str, str]]) -> list[float]:
    return [
        float(row["step_time_ms"])
        for row in rows
        if (row["model"], row["device"], row["dtype"]) == (step.model, step.device, step.dtype)
        and row["n_devices"] == "1"
        and row["batch_per_device"] == str(step.batch)
        and row["framework"].startswith(step.framework)
        and row["column"].startswith(step.column)
    ]


def _simulated_s(graph: str, machine: str, fusion: str) -> float:
    found = opyard.place(
        graph, machine, agent="single_device", tasks=["placement"], fusion=fusion, evaluations=16
    )
    return float(found.makespan_s)


def memory_table(data: Path) -> str:
    """Memory of the models of `memory_measured.csv` that the zoo has: weights and their state."""
    path = data / "fidelity/open/memory_measured.csv"
    with path.open() as file:
        rows = [row for row in csv.DictReader(file) if row["model"].startswith("AmoebaNet-D")]
    lines = [
        "| model | parameters | measured GiB | `param_bytes` GiB | error |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in rows:
        layers, filters = row["model"].split("=")[1].strip("()").split(",")
        graph = opyard.load_graph(f"zoo:amoebanet?layers={layers}&filters={filters}&batch=1")
        ours = sum(op.param_bytes for op in graph.ops) / 2**30
        measured = float(row["model_memory_GiB"])
        lines.append(
            f"| `zoo:amoebanet?layers={layers}&filters={filters}` | {row['params']} | "
            f"{measured:.2f} | {ours:.2f} | {100 * (ours / measured - 1):+.1f} % |"
        )
    return "\n".join(lines)


@dataclass(frozen=True)
class Pipeline:
    """A published pipeline: the graph of the batch, its micro-batches, first layers of stages."""

    name: str
    graph: str
    images: int  # of a micro-batch
    microbatches: int
    first_layers: tuple[int, ...]
    measured: float  # images per second
    note: str = ""


_AMOEBANET = "zoo:amoebanet?layers=18&filters=256&batch="
_RESNET_101 = "zoo:resnet50?blocks_3=23&batch="
PIPELINES = (
    Pipeline("ResNet-101, one GPU", f"{_RESNET_101}118", 118, 1, (), 95.862),
    Pipeline("AmoebaNet-D (18, 256), 7 17", f"{_AMOEBANET}96", 96, 1, (7,), 26.733, "recomputes"),
    Pipeline("AmoebaNet-D (18, 256), 9 15", f"{_AMOEBANET}256", 64, 4, (9,), 41.133, "recomputes"),
    Pipeline(
        "AmoebaNet-D (18, 256), 3 4 5 12",
        f"{_AMOEBANET}160",
        160,
        1,
        (3, 7, 12),
        26.827,
        "recomputes",
    ),
    Pipeline(
        *("AmoebaNet-D (18, 256), 3 6 7 8", f"{_AMOEBANET}1152", 36, 32, (3, 9, 16), 72.412),
        "recomputes",
    ),
    Pipeline(
        *("AmoebaNet-D (18, 256), 9 15", f"{_AMOEBANET}1280", 40, 32, (9,), 47.386),
        "recomputes",
    ),
)


def pipelines_table() -> str:
    """Measured and simulated images per second of PIPELINES, and the ranks of those in parts."""
    simulated = [throughput(pipeline) for pipeline in PIPELINES]
    parts = [index for index, pipeline in enumerate(PIPELINES) if pipeline.first_layers]
    lines = [
        "| network, layers of each stage | micro-batches | measured img/s | simulated img/s |"
        " error | rank measured, simulated |",
        "|---|---|---:|---:|---:|---|",
    ]
    for pipeline, ours in zip(PIPELINES, simulated, strict=True):
        ranks = (
            f"{1 + sum(PIPELINES[index].measured > pipeline.measured for index in parts)}, "
            f"{1 + sum(simulated[index] > ours for index in parts)}"
            if pipeline.first_layers
            else "–"
        )
        lines.append(
            f"| {pipeline.name} | {pipeline.microbatches} of {pipeline.images}"
            f"{', ' + pipeline.note if pipeline.note else ''} | {pipeline.measured:.1f} | "
            f"{ours:.1f} | {100 * (ours / pipeline.measured - 1):+.0f} % | {ranks} |"
        )
    return "\n".join(lines)


def throughput(pipeline: Pipeline) -> float:
    """Images per second of GPipe on P40 of one PCIe switch, by the simulator."""
    graph = opyard.load_graph(pipeline.graph)
    machine = p40_machine(len(pipeline.first_layers) + 1)
    if pipeline.microbatches > 1:
        graph = opyard.microbatch(graph, pipeline.microbatches)
    units = opyard.pipeline_units(graph, [0, *pipeline.first_layers])
    microbatch = units["microbatch"].tolist()
    last = pipeline.microbatches
    # GPipe: all micro-batches forward in turn, then all backward; updates at the end.
    priority = [
        0 if part < 0 else (2 * last if passed == "F" else last) - part
        for part, passed in zip(microbatch, units["passes"], strict=True)
    ]
    regions: dict[tuple[str | None, int], int] = {}
    plan = opyard.Plan(
        [int(stage) for stage in units["stage"]],
        op_priority=priority,
        fusion_priority=[1] * len(graph),
        fusion_region=[
            regions.setdefault((op.module, part), len(regions))
            for op, part in zip(graph.ops, microbatch, strict=True)
        ],
    )
    outcome = opyard.simulate(graph, machine, plan)
    return pipeline.images * pipeline.microbatches / float(outcome["makespan_s"])


def p40_machine(count: int) -> _core.Machine:
    """`count` P40 below one PCIe 3 switch; peak memory is reported, not enforced."""
    names = [f"gpu{index}" for index in range(count)]
    values: dict[str, Any] = {
        "schema_version": 1,
        "name": f"p40x{count}",
        "devices": [{"name": name, "type": "p40-24gb"} for name in names],
        "switches": ["plx"] if count > 1 else [],
        "links": [
            {
                "name": f"pcie-{name}",
                "between": [name, "plx"],
                "bandwidth": "10 GB/s",
                "latency": "10.5 us",
                "duplex": "full",
            }
            for name in names[: count if count > 1 else 0]
        ],
        "memory": {"on_exceed": "ignore"},
    }
    return _core.Machine.from_dict(values)
