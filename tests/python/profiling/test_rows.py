"""The CSV file of measured kernels grows, and a killed command's file is whole."""

from __future__ import annotations

import csv

import pytest
from opyard.execution.errors import ExecutionError
from opyard.profiling.rows import COLUMNS, RowFile, check_device_name, key_of, make_case, row_of

PRODUCT = make_case("gemm", "f32", M=2, N=3, K=5, transA="N", transB="T")


def test_a_row_has_the_median_and_the_least_time():
    row = row_of("gpu", PRODUCT, [7e-6, 2e-6, 3e-6])
    assert (row["measured_time_us"], row["min_us"], row["n_runs"]) == ("3", "2", "3")
    # (3 + 5) / 2 = 4
    assert row_of("gpu", PRODUCT, [3e-6, 9e-6, 5e-6, 2e-6])["measured_time_us"] == "4"


def test_rows_are_read_back_by_name(tmp_path):
    path = tmp_path / "k.csv"
    RowFile(path).append(row_of("gpu", PRODUCT, [2e-6]))
    RowFile(path).append(row_of("gpu", make_case("add", "f16", elements=7, bytes=42), [3e-6]))
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["op"] for row in rows] == ["gemm", "add"]
    assert (rows[0]["M"], rows[0]["N"], rows[0]["K"], rows[0]["transB"]) == ("2", "3", "5", "T")
    assert [key_of(row) for row in RowFile(path).rows] == [key_of(row) for row in rows]


@pytest.mark.parametrize("kept", [3, 40, len(",".join(COLUMNS)) + 1])
def test_a_line_that_was_cut_short_is_removed(tmp_path, kept):
    path = tmp_path / "k.csv"
    RowFile(path).append(row_of("gpu", PRODUCT, [2e-6]))
    whole = path.read_bytes()
    path.write_bytes(whole[:kept])
    file = RowFile(path)
    assert file.rows == []
    file.append(row_of("gpu", PRODUCT, [2e-6]))
    assert path.read_bytes() == whole


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", ":1: found another file"),
        ("a,b", ":1: found another file"),
        (",".join(COLUMNS) + "\n1,2\n", f":2: found 2 columns, expected {len(COLUMNS)}"),
        (",".join(COLUMNS) + "\ng,f32,gemm,,nan" + "," * (len(COLUMNS) - 5) + "\n", "found nan"),
        (",".join(COLUMNS) + "\ng,f32,gemm," + "," * (len(COLUMNS) - 4) + "\n", "found nothing"),
        ("\xff\xfe", "expected a CSV file"),
    ],
    ids=["columns", "one line", "short row", "not a number", "no time", "not text"],
)
def test_other_files_are_refused_and_stay(tmp_path, text, message):
    path = tmp_path / "k.csv"
    data = text.encode("latin-1")
    path.write_bytes(data)
    with pytest.raises(ExecutionError, match=message):
        RowFile(path)
    assert path.read_bytes() == data


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ExecutionError, match="no regular file"):
        RowFile(tmp_path)


@pytest.mark.parametrize("name", ["", "a b", 'a"', "a/b", "x" * 129, "é" * 65])
def test_names_that_no_device_has_are_refused(name):
    with pytest.raises(ExecutionError, match="--name"):
        check_device_name(name)
