"""Placement problems of Moirai: small files of ours, damaged ones, and the samples of the paper.

The samples stand outside the project, in ../shared/data/benchmarks/moirai beside it; where they are
absent, tests on them are skipped.
"""

from __future__ import annotations

import random
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import opyard
import pytest
from opyard import cli
from opyard.moirai.problem_table import columns_of, table_of
from opyard.moirai.reading import read_problem
from opyard.moirai.sheet import read_sheet
from opyard.moirai.transfer_fit import fit_transfers

xlwt = pytest.importorskip("xlwt")

SAMPLES = Path(__file__).resolve().parents[2].parent / "shared/data/benchmarks/moirai/sample-data"

# Two devices; from device 1 to device 0 everything takes twice as long as back. Task 1 sends
# c_task 2 to task 3 (3 ms) and c_task 4 to task 5 (5 ms); both send to task 7 (4 and 2 ms). Task 0
# is the virtual source, which sends nothing.
DIAMOND = [
    [0, "", 1, 1, 0, 0, "", "", "", "", 0, 6, 8],
    [1, "2,4", "3,5", "2,4,3,5", 2, 3, "0,0", "3,5", "6,10", "0,0", 3],
    [3, 6, 7, "6,7", 5, 1, 0, 4, 8, 0, 2],
    [5, 8, 7, "8,7", 11, 13, 0, 2, "4.0", 0, 4],
    [7, "", "", "", 1, 2, "", "", "", "", 1],
]


def write(path: Path, rows: list[list[object]], titles: list[str] | None = None) -> Path:
    """Writes titles and rows as the first sheet of an Excel 97 file."""
    book = xlwt.Workbook()
    sheet = book.add_sheet("problem")
    for row, cells in enumerate([titles or columns_of(2), *rows]):
        for column, cell in enumerate(cells):
            if cell != "":
                sheet.write(row, column, cell)
    book.save(str(path))
    return path


def with_cell(row: int, column: str, value: object) -> list[list[object]]:
    """The diamond with another cell; `row` as spreadsheets count."""
    rows = [list(cells) for cells in DIAMOND]
    cells, index = rows[row - 2], columns_of(2).index(column)
    cells += [""] * (index + 1 - len(cells))
    cells[index] = value
    return rows


@pytest.fixture
def diamond(tmp_path: Path) -> tuple[opyard.Graph, opyard.Machine]:
    return opyard.import_moirai(write(tmp_path / "diamond.xls", DIAMOND))


def ms_of(diamond: tuple[opyard.Graph, opyard.Machine], placement: list[int]) -> float:
    result = opyard.simulate(*diamond, opyard.Plan(placement))
    assert result["outcome"] == "completed"
    return result["makespan_s"] * 1e3


def test_a_row_is_an_op_and_a_c_task_a_tensor(diamond):
    graph, machine = diamond
    assert graph.op_names == ["task0", "task1", "task3", "task5", "task7"]
    assert machine.device_names == ["device0", "device1"]
    assert [op.type for op in graph.ops] == ["Task"] * 5
    assert graph.op(3).seconds == {"device0": 0.011, "device1": 0.013}
    assert [tensor.producer for tensor in graph.tensors] == [1, 1, 2, 3]
    assert [tensor.consumers for tensor in graph.tensors] == [[2], [3], [4], [4]]
    assert graph.op(1).control_inputs == [0]


def test_the_makespan_is_that_of_hand_arithmetic(diamond):
    # Task 1 ends at 2, c_task 4 brings it to device 1 at 7, task 5 ends at 20, c_task 8 takes 4 ms
    # back, task 7 ends at 25; task 3 ran on device 0 from 2 to 7.
    assert ms_of(diamond, [0, 0, 0, 1, 0]) == 25
    # From device 1: task 1 ends at 3, c_task 2 takes 6 ms, task 3 ends at 14, c_task 6 brings it
    # back at 18, when task 5 has ended (3 + 13 = 16); task 7 ends at 20.
    assert ms_of(diamond, [1, 1, 0, 1, 1]) == 20


def test_one_transfer_at_a_time_leaves_a_device(diamond):
    # c_task 2 takes device 0's way out from 2 to 5 and c_task 4 from 5 to 10: task 5 ends at 23,
    # task 7 at 25. Side by side c_task 4 would arrive at 7.
    assert ms_of(diamond, [0, 0, 1, 1, 1]) == 25


def test_what_fits_is_what_the_file_says_to_the_unit(diamond):
    # Device 0 has 6 units: 3 + 2 + 1 fit, 3 + 4 do not.
    assert fits(diamond, [0, 0, 0, 1, 0])
    assert not fits(diamond, [0, 0, 1, 0, 1])


def test_where_memory_is_ample_one_device_takes_the_sum_of_its_column(
    tmp_path,
):
    rows = with_cell(2, "m0", 10)
    rows[0][-1] = 12
    problem = read_problem(write(tmp_path / "ample.xls", rows))
    assert problem.unit_bytes == 1
    assert [op.param_bytes for op in problem.graph.ops] == [0, 3, 2, 4, 1]
    for device, total_ms in enumerate([2 + 5 + 11 + 1, 3 + 1 + 13 + 2]):
        assert ms_of((problem.graph, problem.machine), [device] * 5) == total_ms


def test_memory_whose_bytes_cannot_be_counted_has_units_of_a_byte(tmp_path):
    rows = with_cell(2, "m0", 2**51)
    rows[0][-1] = 2**52
    rows[1][columns_of(2).index("mi")] = 2**52  # more than device 0 has: memory can run out
    problem = read_problem(write(tmp_path / "huge.xls", rows))
    assert problem.unit_bytes == 1  # 10^9 is above 280,000,000, and 2^52 × 10^9 = 4.5e24 B
    assert problem.room_bytes == 280_000_000  # 60 + 100 + 80 + 40 MB: 6, 10, 8, 4 ms at 10 GB/s
    assert not fits((problem.graph, problem.machine), [0] * 5)


def fits(diamond: tuple[opyard.Graph, opyard.Machine], placement: list[int]) -> bool:
    return opyard.simulate(*diamond, opyard.Plan(placement))["outcome"] == "completed"


def test_rows_behind_an_empty_one_are_notes(tmp_path, diamond):
    rows = [*DIAMOND, [""], ["a note on the file"]]
    assert opyard.import_moirai(write(tmp_path / "diamond.xls", rows)) == diamond


def test_tasks_stand_in_any_order(tmp_path):
    rows = [DIAMOND[0], DIAMOND[4], *DIAMOND[1:4]]
    graph, machine = opyard.import_moirai(write(tmp_path / "mixed.xls", rows))
    assert ms_of((graph, machine), [0, 0, 0, 0, 1]) == 25  # task 7 is the second row


@pytest.mark.parametrize(
    ("row", "column", "value", "said"),
    [
        (3, "task", "x", 'row 3 column "task": found "x", expected a whole number'),
        (4, "task", 1, 'row 4 column "task": found 1, expected a number that no row above has'),
        (3, "task", 1.5, "found 1.5, expected a whole number"),
        (3, "p0", -1, 'row 3 column "p0": found -1.0, expected ms from 0'),
        (3, "p1", "", 'column "p1": found "", expected ms from 0'),
        (3, "p1", "1e999", 'found "1e999", expected ms from 0'),
        (3, "p1", "nan", 'found "nan", expected ms from 0'),
        (3, "c_task", 2, 'column "c_task": found 2.0, expected 2, one per successor'),
        (4, "c_task", 2, 'row 4 column "c_task": found 2, expected a number of its own'),
        (3, "dir_succ", "3,9", 'column "dir_succ": found 9, expected the number of a task'),
        (3, "dir_succ", "3,3", "found 3, expected each successor once"),
        (3, "dir_succ_add", "2,3", 'expected the numbers of c_task and dir_succ, "2,3,4,5"'),
        (3, "pc01", "3", 'column "pc01": found "3", expected 2 times with commas between them'),
        (3, "pc01", "3;5", 'column "pc01": found "3;5", expected 2 times'),
        (3, "pc00", "0,1", "one per c_task: 0, within a device"),
        (2, "pc01", 4, 'row 2 column "pc01": found 4.0, expected nothing: no c_task'),
        (3, "mi", -3, 'column "mi": found -3.0, expected a whole number'),
        (3, "mi", 2.0**60, "expected a whole number from 0 to 9007199254740992"),
        (3, "m0", 5, 'row 3 column "m0": found 5.0, expected nothing: capacities stand in row 2'),
        (2, "m1", "", 'row 2 column "m1": found "", expected a whole number'),
        (2, "mi", True, 'column "mi": found "a truth value: 1", expected a whole number'),
    ],
)
def test_an_error_names_sheet_row_column_found_and_expected(tmp_path, row, column, value, said):
    path = write(tmp_path / "wrong.xls", with_cell(row, column, value))
    with pytest.raises(opyard.InputError) as error:
        opyard.import_moirai(path)
    assert said in str(error.value)
    assert str(error.value).startswith(f'"{path}" sheet "problem" row ')


def test_all_errors_are_said_at_once(tmp_path):
    rows = with_cell(3, "p0", "slow")
    rows[3][columns_of(2).index("mi")] = "much"
    with pytest.raises(opyard.InputError) as error:
        opyard.import_moirai(write(tmp_path / "wrong.xls", rows))
    assert len(str(error.value).splitlines()) == 2


def test_more_errors_than_one_reads_are_counted(tmp_path):
    rows = [*DIAMOND, *([number] for number in range(8, 108))]
    with pytest.raises(opyard.InputError) as error:
        opyard.import_moirai(write(tmp_path / "wrong.xls", rows))
    # 100 rows without p0, p1 and mi.
    assert str(error.value).endswith("… and 280 more errors")


def test_a_cycle_is_refused(tmp_path):
    rows = with_cell(5, "dir_succ", 1)
    rows[3][columns_of(2).index("dir_succ_add")] = "8,1"
    with pytest.raises(opyard.InputError, match="cycle"):
        opyard.import_moirai(write(tmp_path / "cycle.xls", rows))


def test_titles_say_what_a_column_holds(tmp_path):
    titles = columns_of(2)
    titles[1] = "comm"
    with pytest.raises(opyard.InputError, match='found "comm", expected the title "c_task"'):
        opyard.import_moirai(write(tmp_path / "wrong.xls", DIAMOND, titles))
    with pytest.raises(opyard.InputError, match='found "", expected the title "task"'):
        opyard.import_moirai(write(tmp_path / "empty.xls", [], [""]))
    with pytest.raises(opyard.InputError, match='found "nothing", expected a row per task'):
        opyard.import_moirai(write(tmp_path / "titles.xls", []))


def test_times_that_no_bandwidths_give_are_refused_with_the_tolerance_that_allows_them(tmp_path):
    # c_task 6 takes 4 ms there and 9 back, the others twice as long back.
    path = write(tmp_path / "bent.xls", with_cell(4, "pc10", 9))
    with pytest.raises(opyard.InputError) as error:
        opyard.import_moirai(path)
    assert 'row 4 column "pc10": found "9 ms", expected at most 5e-09 s from 8.' in str(error.value)
    tolerance_s = float(str(error.value).splitlines()[0].split("tolerance_s ")[1].split()[0])
    problem = read_problem(path, tolerance_s)
    assert 0 < problem.error_s <= tolerance_s < 0.5e-3
    with pytest.raises(opyard.InputError):
        opyard.import_moirai(path, tolerance_s=tolerance_s * 0.999)


def test_the_fit_has_the_least_greatest_error():
    assert fit_transfers(np.array([[2.0, 3.0]])).seconds == pytest.approx(np.array([[2.0, 3.0]]))
    # With times a and b and the ratio r of the pairs, the best size is off by |b - r a| / (1 + r)
    # on both; the best ratio is found by trying 4001 of them.
    seconds = np.array([[1.0, 2.0], [1.0, 1.0], [2.0, 3.0]])
    ratio = np.geomspace(0.5, 4, 4001)
    tried = [np.abs(b - ratio * a) / (1 + ratio) for a, b in seconds]
    error_s = np.abs(fit_transfers(seconds).seconds - seconds).max()
    assert error_s == pytest.approx(np.max(tried, axis=0).min(), abs=1e-3)


def test_transfers_that_take_no_time_have_no_bytes(tmp_path):
    rows = with_cell(4, "pc01", 0)
    rows[2][columns_of(2).index("pc10")] = 0
    graph, machine = opyard.import_moirai(write(tmp_path / "zero.xls", rows))
    assert graph.tensor(2).bytes == 0
    assert ms_of((graph, machine), [1, 1, 0, 1, 1]) == 3 + 13 + 2  # task 5 ends last


@pytest.mark.parametrize(
    "content", [b"", b"no spreadsheet", b"PK\x03\x04", b"\xd0\xcf\x11\xe0" * 300]
)
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other.xls"
    path.write_bytes(content)
    with pytest.raises(opyard.InputError, match=r"cannot be read as an \.xls file"):
        opyard.import_moirai(path)


def test_what_is_no_file_is_refused(tmp_path):
    with pytest.raises(opyard.InputError, match="cannot be read: No such file"):
        opyard.import_moirai(tmp_path / "absent.xls")
    with pytest.raises(opyard.InputError, match="found no regular file"):
        opyard.import_moirai(tmp_path)


def test_a_file_beyond_the_limit_is_refused(tmp_path):
    path = tmp_path / "large.xls"
    with path.open("wb") as file:
        file.truncate(2**30)  # a hole, which takes no room
    with pytest.raises(opyard.InputError, match="found more than 33554432 bytes"):
        opyard.import_moirai(path)


def test_a_text_that_many_cells_share_counts_each_time(tmp_path):
    # 600 cells with one text of 32,000 characters: 19.2 million, in a file of 100 kB.
    rows = [["1," * 16000] * 12 for _ in range(50)]
    path = write(tmp_path / "shared.xls", rows)
    assert path.stat().st_size < 200_000
    with pytest.raises(opyard.InputError, match=r"found 19200\d* characters"):
        opyard.import_moirai(path)


def damaged(whole: bytes, sampler: random.Random) -> bytes:
    """A file that is cut short or has other bytes: any ones, or lengths as large as they can be."""
    some = bytearray(whole[: sampler.choice([len(whole), 1 + sampler.randrange(len(whole))])])
    for _ in range(sampler.randrange(8)):
        at = sampler.randrange(len(some))
        worst = sampler.choice([b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", sampler.randbytes(4)])
        some[at : at + 4] = worst[: len(some) - at]
    return bytes(some)


@pytest.mark.timeout(120)
def test_damaged_files_are_read_or_refused_in_little_memory(tmp_path):
    whole = write(tmp_path / "whole.xls", DIAMOND).read_bytes()
    sampler, path, refused = random.Random(0), tmp_path / "damaged.xls", 0
    tracemalloc.start()
    for _ in range(100):
        path.write_bytes(damaged(whole, sampler))
        try:
            opyard.import_moirai(path)
        except opyard.InputError:
            refused += 1
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert refused > 30
    assert peak_bytes < 64 * 2**20  # the whole file has 6 kB


@pytest.mark.parametrize("path", [3, None, ["text"], object()])
def test_a_path_is_text_or_a_path(path):
    with pytest.raises(TypeError, match="path: found"):
        opyard.import_moirai(path)


def test_without_xlrd_the_extra_is_named(tmp_path, monkeypatch, capsys):
    path = write(tmp_path / "diamond.xls", DIAMOND)
    monkeypatch.setitem(sys.modules, "xlrd", None)
    with pytest.raises(ImportError, match=r"pip install 'opyard\[moirai\]'"):
        opyard.import_moirai(path)
    outs = ["--out", str(tmp_path / "o.json"), "--hardware-out", str(tmp_path / "m.yaml")]
    assert cli.main(["graph", "convert", str(path), *outs]) == 2
    assert "xlrd" in capsys.readouterr().err


@pytest.mark.parametrize("tolerance_s", [-1.0, float("nan"), float("inf"), "1", None, True])
def test_a_tolerance_is_a_number_from_0(tmp_path, tolerance_s):
    path = write(tmp_path / "diamond.xls", DIAMOND)
    with pytest.raises((TypeError, opyard.InputError), match="tolerance_s"):
        opyard.import_moirai(path, tolerance_s=tolerance_s)


def test_the_command_writes_what_python_reads(tmp_path, diamond, capsys):
    path = str(write(tmp_path / "diamond.xls", DIAMOND))
    graph, machine = str(tmp_path / "out.graph.json"), str(tmp_path / "out.yaml")
    words = ["graph", "convert", path, "--out", graph, "--hardware-out", machine]
    assert cli.main(words) == 0
    assert opyard.load_graph(graph) == diamond[0]
    assert opyard.load_machine(machine) == diamond[1]
    assert "wrote 5 ops, 4 data and 1 control edges" in capsys.readouterr().out
    words = ["place", "--graph", graph, "--hardware", machine, "--evaluations", "50"]
    assert cli.main(words) == 0


def test_the_command_answers_wrong_input_with_status_2(tmp_path, capsys):
    path = str(write(tmp_path / "wrong.xls", with_cell(3, "p0", "slow")))
    outs = ["--out", str(tmp_path / "o.json"), "--hardware-out", str(tmp_path / "m.yaml")]
    assert cli.main(["graph", "convert", path, *outs]) == 2
    assert 'row 3 column "p0"' in capsys.readouterr().err
    assert cli.main(["graph", "convert", path, *outs, "--option", "dim=3"]) == 2
    assert 'Moirai has no option "dim"' in capsys.readouterr().err
    assert cli.main(["graph", "convert", path, *outs, "--option", "tolerance_s=much"]) == 2
    assert 'found "much"' in capsys.readouterr().err
    assert cli.main(["graph", "convert", path, *outs[:2]]) == 2
    assert "--hardware-out" in capsys.readouterr().err
    assert list(tmp_path.glob("*.json")) == []


# Rows, c_tasks and edges without one, counted in the files; ms of each column p, added up in them.
COUNTS = {
    "GoogLeNet": (141, 166, 1, [2.336, 5.476, 5.547, 2.884]),
    "inceptionv4": (491, 544, 1, [13.752, 33.83, 531.606, 15.157]),
    "transformer": (1374, 1816, 4, [29.626, 76.439, 584.47, 22.695]),
    "yolov5x": (419, 460, 1, [37.673, 105.185, 702.857, 24.169]),
}


def sample(name: str) -> Path:
    if not SAMPLES.is_dir():
        pytest.skip(f"needs {SAMPLES}")
    return SAMPLES / f"{name}.xls"


@pytest.mark.parametrize("name", COUNTS)
def test_samples_are_read_to_the_rounding_of_their_times(name):
    num_ops, num_transfers, num_waits, sums_ms = COUNTS[name]
    problem = read_problem(sample(name))
    graph = problem.graph
    assert (graph.num_ops, graph.num_data_edges, graph.num_control_edges) == (
        num_ops,
        num_transfers,
        num_waits,
    )
    assert problem.error_s < 5e-9
    for device, total_ms in enumerate(sums_ms):
        result = opyard.simulate(graph, problem.machine, opyard.Plan([device] * num_ops))
        assert round(result["makespan_s"] * 1e12) == round(total_ms * 1e9)


def test_a_transfer_of_a_sample_takes_the_time_of_its_cell():
    # GoogLeNet's row 3: c_task 2 takes 0.25926 ms from device 0 to device 1. Task 1 takes 0.014 ms
    # on device 0; the column p1 without task 1 (0.044) is 5.476 - 0.044 = 5.432 ms.
    graph, machine = opyard.import_moirai(sample("GoogLeNet"))
    result = opyard.simulate(graph, machine, opyard.Plan([0, 0] + [1] * 139))
    assert result["makespan_s"] * 1e3 == pytest.approx(0.014 + 0.25926 + 5.432, abs=5e-6)


def test_the_sample_whose_times_are_no_products_is_refused_and_its_table_is_read():
    path = sample("example-1")
    table = table_of(read_sheet(path), str(path))
    assert (len(table.ids), len(table.transfers), len(table.waits)) == (14, 13, 6)
    assert table.capacities == [14, 14, 16]
    assert [sum(column) for column in zip(*table.task_ms, strict=True)] == [65, 70, 70]
    with pytest.raises(
        opyard.InputError, match='sheet "instances" row 3 column "pc02": found "4 ms"'
    ):
        opyard.import_moirai(path)
    assert opyard.import_moirai(path, tolerance_s=1.51e-3)[0].num_ops == 14
