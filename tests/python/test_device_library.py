"""The shipped devices: which there are, and that their figures fit one another."""

import re
from pathlib import Path

import opyard
import pytest
import yaml

PROFILES = Path(__file__).parents[2] / "hardware_profiles"
FILES = sorted((PROFILES / "devices").glob("*.yaml"))

SHIPPED = [
    "k80-12gb",
    "k40-12gb",
    "m40-12gb",
    "p40-24gb",
    "p100-pcie-16gb",
    "p100-sxm2-16gb",
    "v100-sxm2-16gb",
    "v100-sxm2-32gb",
    "v100-pcie-16gb",
    "t4-16gb",
    "a40-48gb",
    "a100-sxm4-40gb",
    "a100-sxm4-80gb",
    "a100-pcie-80gb",
    "l4-24gb",
    "l40s-48gb",
    "rtx-2080-8gb",
    "titan-rtx-24gb",
    "rtx-3090-24gb",
    "rtx-4090-24gb",
    "rtx-pro-6000-96gb",
    "h100-sxm5-80gb",
    "h100-pcie-80gb",
    "h200-sxm-141gb",
    "gh200-96gb",
    "b200-sxm-180gb",
    "mi250x-64gb",
    "mi300x-192gb",
    "tpu-v2-8gb",
    "tpu-v3-16gb",
    "tpu-v4-32gb",
    "tpu-v5e-16gb",
    "apple-m2-max-cpu",
    "laptop-cpu",
    "epyc-7742",
    "epyc-7742-core",
    "grace-cpu",
    "xeon-e5-2690v4",
    "xeon-e5-2698v4",
]

UNITS = {"GiB": 2**30, "MiB": 2**20, "GB": 10**9, "GB/s": 1e9, "TFLOP/s": 1e12, "us": 1e-6}
# From the slowest to the fastest where a device has both.
ORDER = ["f64", "f32", "tf32", "f16", "f8", "f4"]


def _value(text: str) -> float:
    number, unit = text.split()
    return float(number) * UNITS[unit]


def _load(file: Path) -> dict:
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def _peaks(file: Path) -> dict[str, float]:
    return {dtype: _value(rate) for dtype, rate in _load(file)["peak_flops"].items()}


def test_every_device_of_the_library_is_shipped():
    assert set(SHIPPED) <= {file.stem for file in FILES}


@pytest.mark.parametrize("name", SHIPPED)
def test_readme_lists_the_device(name):
    assert f"`{name}`" in (PROFILES / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_narrower_types_are_not_slower(file):
    peaks = _peaks(file)
    rates = [peaks[dtype] for dtype in ORDER if dtype in peaks]
    assert rates == sorted(rates)
    if "f16" in peaks and "bf16" in peaks:
        assert peaks["f16"] == peaks["bf16"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_name_ends_in_the_memory(file):
    memory_of_name = re.search(r"-(\d+)gb$", file.stem)
    if memory_of_name is not None:
        # Drivers and error correction may keep a part: 46068 MiB of the 48 GiB of the L40S.
        assert 0.93 <= _value(_load(file)["memory"]) / 2**30 / int(memory_of_name[1]) <= 1


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_second_cache_level_is_faster_than_memory(file):
    device = _load(file)
    l2 = device.get("cost", {}).get("l2")
    if l2 is not None:
        bandwidth = _value(l2["bandwidth"].replace("TB/s", "GB/s")) * 1e3
        assert bandwidth > _value(device["memory_bandwidth"])
        assert device["provenance"]["cost.l2"]["kind"] in ("measured", "fitted", "assumed")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_floating_point_peaks_take_one_to_a_thousand_flop_for_each_byte(file):
    # In f32, a P40 has 34 FLOP for each byte of memory traffic, one core of a server 5; a B200 has
    # 292 in f16.
    bandwidth = _value(_load(file)["memory_bandwidth"])
    for dtype, peak in _peaks(file).items():
        if dtype in ("f32", "tf32", "f16", "bf16"):
            assert 1 <= peak / bandwidth <= 1000, dtype


def _product_seconds(name: str, dtype: str) -> float:
    """The time of a product of 8192 × 8192 matrices on the device."""
    machine = opyard.Machine.from_dict(
        {"schema_version": 1, "name": "one", "devices": [{"name": "d", "type": name}], "links": []}
    )
    extent = 8192
    size = extent * extent * (4 if dtype == "f32" else 2)
    graph = opyard.Graph.from_dict(
        {
            "format": "opyard-graph/1",
            "name": "product",
            "ops": [
                {
                    **{"name": "mm", "type": "MatMul", "dtype": dtype, "flops": 2 * extent**3},
                    **{"bytes_accessed": 3 * size, "outputs": [{"bytes": size}]},
                    "gemm": {"m": extent, "n": extent, "k": extent},
                }
            ],
        }
    )
    return opyard.simulate(graph, machine, opyard.Plan([0]))["makespan_s"]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("dtype", "names"),
    [
        ("f32", ["epyc-7742-core", "laptop-cpu", "epyc-7742", "p100-pcie-16gb", "v100-sxm2-16gb"]),
        ("f32", ["k80-12gb", "m40-12gb", "p40-24gb", "a40-48gb", "rtx-4090-24gb"]),
        ("f16", ["rtx-2080-8gb", "rtx-3090-24gb", "a100-sxm4-80gb", "h100-sxm5-80gb"]),
        ("f16", ["p100-pcie-16gb", "t4-16gb", "v100-sxm2-32gb", "a100-sxm4-40gb"]),
        ("bf16", ["l4-24gb", "a100-pcie-80gb", "h200-sxm-141gb", "b200-sxm-180gb"]),
        ("bf16", ["tpu-v2-8gb", "tpu-v3-16gb", "tpu-v5e-16gb", "tpu-v4-32gb"]),
        ("bf16", ["mi250x-64gb", "mi300x-192gb"]),
    ],
)
def test_later_and_larger_devices_multiply_faster(dtype, names):
    seconds = [_product_seconds(name, dtype) for name in names]
    assert seconds == sorted(seconds, reverse=True)
    assert len(set(seconds)) == len(seconds)
