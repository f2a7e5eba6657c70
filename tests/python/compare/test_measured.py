"""`opyard compare --measured`: figures derived by hand, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from opyard.cli import main
from opyard.compare.measured import MeasuredPlan, agreement_of

TITLE = "graph,hardware,plan,devices,simulated_s,median_s,spread_s,repetitions,matches_undivided"


def row(plan: str, simulated: float, measured: float, matches: str = "True") -> str:
    return f'g,m,{plan},"cpu:0,cpu:1",{simulated},{measured},0,3,{matches}'


def write(folder: Path, *rows: str) -> Path:
    path = folder / "rows.csv"
    path.write_text("\n".join([TITLE, *rows]) + "\n")
    return path


def plans(*times: tuple[float, float]) -> list[MeasuredPlan]:
    return [MeasuredPlan("g", "m", "d", str(i), *pair) for i, pair in enumerate(times)]


def test_errors_orders_and_regret():
    # Errors: (2 - 4) / 4 = -1/2, (3 - 3) / 3 = 0, (6 - 5) / 5 = +1/5. Of three pairs the
    # first is in the other order: (2 - 1) / 3. The first simulates fastest: 4 / 3 - 1.
    found = agreement_of(plans((2, 4), (3, 3), (6, 5)))
    assert found.mape == pytest.approx(0.7 / 3)
    assert found.bias == pytest.approx(-0.3 / 3)
    assert found.kendall_tau == pytest.approx(1 / 3)
    assert found.top1_regret == pytest.approx(1 / 3)
    assert found.spread == pytest.approx(5 / 3)


def test_regret_of_equal_simulations_is_their_mean():
    # Both simulate 2; they measure 3 and 6, so 4.5 / 3 - 1.
    assert agreement_of(plans((2, 3), (2, 6))).top1_regret == pytest.approx(0.5)
    assert agreement_of(plans((2, 3), (2, 6))).kendall_tau is None


def test_the_command_takes_medians_and_leaves_out_wrong_results(tmp_path, capsys):
    file = write(
        tmp_path,
        row("a", 2, 4),
        row("a", 2, 5),
        row("a", 2, 9),
        row("b", 3, 6),
        row("c", 1, 1, "False"),
    )
    assert main(["compare", "--measured", str(file), "--json", "--out", str(tmp_path / "o")]) == 0
    answer = json.loads(capsys.readouterr().out)
    (group,) = answer["groups"]
    assert group["num_plans"] == 2
    assert group["spread"] == pytest.approx(6 / 5)  # a measures 5
    assert answer["left_out"] == 1
    assert "<svg" in (tmp_path / "o" / "measured.svg").read_text()
    assert len((tmp_path / "o" / "measured.csv").read_text().splitlines()) == 2
    assert main(["compare", "--measured", str(file)]) == 0
    assert "55.0%" in capsys.readouterr().out  # (|2 - 5| / 5 + |3 - 6| / 6) / 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n", "no column graph"),
        (f"{TITLE}\n" + row("a", -1, 2), 'simulated_s is "-1"'),
        (f"{TITLE}\n" + row("a", 1, 2, "False"), "no row of a step with right results"),
    ],
)
def test_what_is_no_row_is_refused(tmp_path, capsys, text, message):
    (tmp_path / "rows.csv").write_text(text)
    assert main(["compare", "--measured", str(tmp_path / "rows.csv")]) == 2
    assert message in capsys.readouterr().err


def test_a_missing_file_is_refused(tmp_path, capsys):
    assert main(["compare", "--measured", str(tmp_path / "none.csv")]) == 2
    assert "No such file" in capsys.readouterr().err
