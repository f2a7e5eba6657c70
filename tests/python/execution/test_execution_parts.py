"""Parts of executions: names of devices, memory, tensors as bytes, rows."""

from __future__ import annotations

import os

import pytest

torch = pytest.importorskip("torch")

from opyard.execution.devices import parse_devices  # noqa: E402
from opyard.execution.errors import ExecutionError  # noqa: E402
from opyard.execution.memory import MemoryMeter  # noqa: E402
from opyard.execution.program import TensorSpec  # noqa: E402
from opyard.execution.rows import COLUMNS, append_row  # noqa: E402
from opyard.execution.wire import make_buffer, pack, unpack  # noqa: E402

CORE = min(os.sched_getaffinity(0))


def test_devices_have_names_of_their_own_in_machines():
    devices = parse_devices(f"cpu:{CORE},cpu")
    assert [device.name for device in devices] == [f"cpu{CORE}", "cpu"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gpu:0", 'found "gpu:0", expected cpu:CORE'),
        ("cpu,cpu", "found cpu twice"),
        ("cpu:99999", "there is no cpu:99999 here"),
        ("cuda:99", "there is no cuda:99 here"),
        ("", 'found ""'),
    ],
)
def test_what_names_no_device_is_refused(text, message):
    with pytest.raises(ExecutionError, match=message):
        parse_devices(text)


def test_memory_counts_a_storage_once():
    meter = MemoryMeter()
    tensor = torch.zeros(6)  # 24 bytes
    meter.hold(tensor)
    meter.hold(tensor[2:])
    assert meter.peak_bytes == 24
    meter.release(tensor)
    other = torch.zeros(5)  # 20 bytes, beside the view of the first
    meter.hold(other)
    assert meter.peak_bytes == 44
    meter.release(tensor[2:])
    meter.hold(torch.zeros(1))
    assert meter.peak_bytes == 44


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(6.0).reshape(2, 3),
        torch.arange(6.0).reshape(2, 3).t(),
        torch.arange(12.0).reshape(3, 4)[:, ::2],
        torch.arange(3).expand(2, 3),
        torch.tensor(2.5, dtype=torch.float64),
        torch.tensor([True, False, True]),
        torch.tensor([1 + 2j, 3 - 1j]),
        torch.zeros(0, 3),
        torch.arange(4, dtype=torch.bfloat16),
    ],
)
def test_tensors_arrive_as_they_were(tensor):
    spec = TensorSpec(tuple(tensor.shape), tensor.stride(), str(tensor.dtype)[6:])
    buffer = make_buffer(spec, torch.device("cpu"), pinned=False)
    buffer.copy_(pack(tensor, spec))
    arrived = unpack(buffer, spec)
    assert torch.equal(arrived, tensor)
    assert arrived.dtype == tensor.dtype
    if tensor.t().is_contiguous() if tensor.dim() == 2 else False:
        assert arrived.stride() == tensor.stride()


def test_a_file_of_rows_grows_and_keeps_its_columns(tmp_path):
    row = dict.fromkeys(COLUMNS, 1)
    append_row(tmp_path / "rows.csv", row)
    append_row(tmp_path / "rows.csv", row)
    lines = (tmp_path / "rows.csv").read_text().splitlines()
    assert lines[0].split(",") == list(COLUMNS)
    assert len(lines) == 3
    (tmp_path / "other.csv").write_text("a,b\n")
    with pytest.raises(ExecutionError, match="has the columns a, b"):
        append_row(tmp_path / "other.csv", row)
