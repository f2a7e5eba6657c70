"""Parts of measurements: seconds of ops, links, the store."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from opyard.execution.devices import Device
from opyard.execution.errors import ExecutionError
from opyard.execution.program import Instruction, Program, Ref, TensorSpec
from opyard.execution.requests import StepSpans
from opyard.measuring.files import link_of, overhead_of
from opyard.measuring.link_fit import fit_link
from opyard.measuring.measurement import copy_sizes
from opyard.measuring.op_seconds import seconds_by_op, typical_seconds
from opyard.measuring.store import Copy, Store

SPEC = TensorSpec((1000, 3), (3, 1), "float32")  # 12000 bytes


def call(name: str, source: int, target: str = "aten.relu.default") -> Instruction:
    made = Instruction(name, "Relu", target=target, outputs=[SPEC])
    made.inputs, made.args = [Ref(source, 0)], [Ref(source, 0)]
    return made


def make_program() -> Program:
    """Two equal ops and another one behind a source."""
    source = Instruction("x", "Placeholder", outputs=[SPEC])
    ops = [source, call("a", 0), call("b", 1), call("c", 2, "aten.exp.default")]
    return Program(ops, "none", [], {}, {}, {})


def test_an_op_takes_the_time_to_the_start_of_the_next():
    spans = StepSpans(0, 9_000, ops=[(1, 2_000, 3_000), (2, 4_000, 6_000)])
    assert seconds_by_op(spans) == pytest.approx({1: 2e-6, 2: 5e-6})


def test_equal_ops_take_the_mean_of_their_medians_and_all_add_up_to_the_step():
    # Medians of a, b, c over the steps: 2, 4, 4. Equal ops take 3; the sum of 10 is scaled to 5.
    observed = [{1: 2.0, 2: 4.0, 3: 3.0}, {1: 2.0, 2: 9.0, 3: 4.0}, {1: 1.0, 2: 4.0, 3: 5.0}]
    found = typical_seconds(make_program(), [5.0, 5.0, 7.0], observed)
    assert found == pytest.approx({1: 1.5, 2: 1.5, 3: 2.0})


def test_observation_never_makes_ops_slower():
    # The sum is 9, the unobserved step 12: no op becomes longer than it was seen to be.
    found = typical_seconds(make_program(), [12.0], [{1: 2.0, 2: 4.0, 3: 3.0}])
    assert found == pytest.approx({1: 3.0, 2: 3.0, 3: 3.0})


def test_a_link_has_the_latency_and_bandwidth_of_its_copies():
    # 20 us + bytes / 2 GB/s; one copy of three took longer, the median does not.
    copies = [(size, 20e-6 + size / 2e9) for size in (1024, 65536, 2**20) for _ in range(2)]
    fit = fit_link([*copies, (1024, 1.0), (65536, 1.0), (2**20, 1.0)])
    assert fit.latency_s == pytest.approx(20e-6)
    assert fit.bandwidth_bytes_per_s == pytest.approx(2e9)
    assert fit.median_error == pytest.approx(0, abs=1e-9)


def test_links_keep_positive_figures():
    assert fit_link([(1000, 1e-6), (2000, 5e-6)]).latency_s == 0.0
    equal = fit_link([(1000, 2e-6), (4000, 1e-6)])
    assert equal.latency_s > 0
    assert equal.bandwidth_bytes_per_s > 0


def two_devices(folder, left_kind, copies):
    """A store with `copies` in both directions, and its two devices, the second a core."""
    devices = [Device(left_kind, 0), Device("cpu", 1)]
    store = Store(folder / "s.sqlite", "one")
    left, right = (device.name for device in devices)
    store.add_copies(left, right, copies)
    store.add_copies(right, left, copies)
    return store, devices


def test_ops_of_cpus_pay_for_copies_and_links_take_the_rest(tmp_path):
    # A copy takes 100 us + bytes / 1 GB/s. Of that the sender pays 20 us + bytes / 4 GB/s, and the
    # receiver as much: 60 us + bytes / 2 GB/s are left to the link.
    copies = [
        Copy(size, 100e-6 + size / 1e9, *[20e-6 + size / 4e9] * 2) for size in (1024, 65536, 2**20)
    ]
    store, devices = two_devices(tmp_path, "cpu", copies)
    overhead = overhead_of(store, devices[0], devices)
    assert overhead.latency_s == pytest.approx(20e-6)
    assert overhead.bandwidth_bytes_per_s == pytest.approx(4e9)
    link = link_of(store, *devices, devices)
    assert link.latency_s == pytest.approx(60e-6)
    assert link.bandwidth_bytes_per_s == pytest.approx(2e9)


def test_ops_of_gpus_pay_nothing_for_copies(tmp_path):
    # 100 us + bytes / 1 GB/s, of which the CPU pays 20 us + bytes / 4 GB/s.
    copies = [
        Copy(size, 100e-6 + size / 1e9, *[20e-6 + size / 4e9] * 2) for size in (1024, 65536, 2**20)
    ]
    store, devices = two_devices(tmp_path, "cuda", copies)
    assert overhead_of(store, devices[0], devices) is None
    link = link_of(store, *devices, devices)
    assert link.latency_s == pytest.approx(80e-6)
    assert link.bandwidth_bytes_per_s == pytest.approx(4e9 / 3)


def test_links_keep_a_twentieth_of_a_copy(tmp_path):
    # Both processors pay all of the 10 us + bytes / 1 GB/s that a copy takes.
    copies = [Copy(b, *[10e-6 + b / 1e9] * 3) for b in (1024, 65536, 2**20)]
    store, devices = two_devices(tmp_path, "cpu", copies)
    link = link_of(store, *devices, devices)
    assert link.latency_s == pytest.approx(0.5e-6)
    assert link.bandwidth_bytes_per_s == pytest.approx(20e9)


def test_copies_have_sizes_up_to_the_largest_tensor():
    assert copy_sizes(make_program()) == [1024, 2048, 4096, 8192, 12000]


def test_a_store_keeps_what_it_was_given(tmp_path):
    store = Store(tmp_path / "s.sqlite", "one")
    assert store.facts("cpu0") is None
    store.set_facts("cpu0", {"launch_s": 2e-6})
    store.add_steps("cpu0", [1.0, 2.0], [{3: 0.5}, {3: 0.25}])
    copies = [Copy(1024, 1e-3, 3e-4, 2e-4), Copy(1024, 2e-3, 5e-4, 4e-4)]
    store.add_copies("cpu0", "cpu1", copies)
    again = Store(tmp_path / "s.sqlite", "one")
    assert again.facts("cpu0") == {"launch_s": 2e-6}
    assert again.steps("cpu0") == [([1.0, 2.0], [{3: 0.5}, {3: 0.25}])]
    assert again.steps("cpu1") == []
    assert again.copies("cpu0", "cpu1") == copies
    assert again.copies("cpu1", "cpu0") == []
    with pytest.raises(ExecutionError, match="measurements of another model"):
        Store(tmp_path / "s.sqlite", "two")
