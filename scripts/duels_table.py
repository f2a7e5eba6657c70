#!/usr/bin/env python3
"""Duels of all pairs of agents, and their tables (docs/results/duels.md).

    python scripts/duels_table.py run docs/results/duels.csv --passes 3
    python scripts/duels_table.py table docs/results/duels.csv --scores results/duel-scores.csv
    python scripts/duels_table.py prune docs/results/duels.csv --scores results/duel-scores.csv
    python scripts/duels_table.py causes docs/results/duels.csv heft peft cpop
    python scripts/duels_table.py instance docs/results/duels.csv heft cpop --out heft-cpop

`run` duels each pair once per pass, one restart of the published annealing with the number of the
pass as its seed, and appends a row for each; interrupted, it goes on where it was. `opyard duel A B
--restarts 1 --seed PASS` repeats a row. `table` evaluates every agent on every instance that any
duel found, so that all pairs learn from all duels; agents that sample have the median of three
seeds there. Its evaluations are kept in `--scores`. `prune`, the last step, keeps those rows whose
instance is the worst of some pair there, and the best row of each pair. `causes` counts, over the
duels that these agents lost by half or more, the change that helps most. `instance` writes the
files of a pair's worst.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
import functools
import json
import math
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from opyard.duels import AnnealingSettings, Contest, DuelResult, duel, find_cause
from opyard.duels.compact import compact_text, instance_of_text
from opyard.duels.files import write_duel
from opyard.library_output import dropped_library_output
from opyard.search import agents

COLUMNS = ("agent", "opponent", "seed", "ratio", "instance")
SCORE_COLUMNS = ("instance", "agent", "makespan_s")
# Variants of BRKGA, and agents that follow the layers of a network, which random ops have not.
LEFT_OUT = ("brkga_5k", "brkga_tuned", "human_expert", "framework_default")
CLEAR_LOSS = 1.5
SAMPLERS_SEEDS = (0, 1, 2)
SETTINGS = AnnealingSettings(restarts=1)
MATRIX = (
    *("auto", "local_search", "simulated_annealing", "brkga", "list_search", "random"),
    *("heft", "heft_aware", "peft", "peft_aware", "cpop", "cpop_aware", "hbmct", "dps"),
    *("critical_path", "m_etf", "m_sct", "mopnr_aware", "spt_aware", "metis", "single_device"),
)


@functools.cache
def kinds() -> dict[str, str]:
    """The kinds of the agents that take part: all that place, but learned and left out ones."""
    return {
        info.name: info.kind
        for info in agents()
        if info.kind in ("classical", "search")
        and "placement" in info.tasks
        and info.name not in LEFT_OUT
    }


def names() -> list[str]:
    """The agents that take part, sorted."""
    return list(kinds())


def pairs() -> Iterator[tuple[str, str]]:
    """All ordered pairs, those of the matrix of the page first."""
    first = [name for name in MATRIX if name in names()]
    every = [*first, *(name for name in names() if name not in first)]
    for group in (first, every):
        for agent in group:
            for opponent in group:
                if agent != opponent and not (
                    group is every and agent in first and opponent in first
                ):
                    yield agent, opponent


def run(path: Path, passes: int, minutes: float) -> None:
    """Duels every pair that has no row yet."""
    done = {(row["agent"], row["opponent"], int(row["seed"])) for row in read(path)}
    end = time.monotonic() + 60 * minutes
    for seed in range(passes):
        for agent, opponent in pairs():
            if (agent, opponent, seed) in done:
                continue
            if time.monotonic() > end:
                return
            result = duel(Contest(agent, opponent, seed=seed), SETTINGS)
            row = (agent, opponent, seed, f"{result.ratio:.6f}", compact_text(result.instance))
            append(path, COLUMNS, [row])


def read(path: Path) -> list[dict[str, str]]:
    """The rows of a table; none where there is no file."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def append(path: Path, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Adds rows at the end of a table, which it makes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(columns)
        writer.writerows(rows)


def scores(rows: Sequence[dict[str, str]], path: Path) -> dict[str, dict[str, float]]:
    """The makespan of every agent on every instance: instance, agent, seconds."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for row in read(path):
        found[row["instance"]][row["agent"]] = float(row["makespan_s"])
    for text in dict.fromkeys(row["instance"] for row in rows):
        missing = [name for name in names() if name not in found[text]]
        new = [(text, name, makespan_of(name, text)) for name in missing]
        found[text] |= {name: makespan for _, name, makespan in new}
        if new:
            append(path, SCORE_COLUMNS, new)
    return found


def makespan_of(agent: str, text: str) -> float:
    """The makespan of an agent on an instance; infinite where it completes no plan."""
    instance = instance_of_text(text)
    found = []
    for seed in SAMPLERS_SEEDS if samples(agent) else (0,):
        score = Contest(agent, agent, seed=seed).score(instance)
        found.append(math.inf if score is None else score.makespan_s)
    return statistics.median(found)


def samples(agent: str) -> bool:
    """Whether the agent is a search or the control that samples."""
    return agent == "random" or kinds()[agent] == "search"


def prune(path: Path, worst: dict[tuple[str, str], Worst]) -> None:
    """Drops the rows that no pair needs."""
    rows = read(path)
    needed = {entry.instance for entry in worst.values()}
    best: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        pair = row["agent"], row["opponent"]
        if pair not in best or float(row["ratio"]) > float(best[pair]["ratio"]):
            best[pair] = row
    kept = [r for r in rows if r["instance"] in needed or best[r["agent"], r["opponent"]] is r]
    path.unlink()
    append(path, COLUMNS, [[row[name] for name in COLUMNS] for row in kept])


@dataclasses.dataclass(frozen=True)
class Worst:
    """The worst instance of a pair among all that were found."""

    ratio: float
    instance: str


def worst_of(found: dict[str, dict[str, float]]) -> dict[tuple[str, str], Worst]:
    """The worst instance of every pair of agents that completes on it."""
    worst: dict[tuple[str, str], Worst] = {}
    for text, makespans in found.items():
        for agent, own in makespans.items():
            for opponent, other in makespans.items():
                if agent == opponent or math.isinf(own) or math.isinf(other):
                    continue
                known = worst.get((agent, opponent))
                if known is None or own / other > known.ratio:
                    worst[agent, opponent] = Worst(own / other, text)
    return worst


def overview(worst: dict[tuple[str, str], Worst], rows: Sequence[dict[str, str]]) -> str:
    """How many pairs have an instance where the first is behind, and what is gained by sharing."""
    ratios = [entry.ratio for entry in worst.values()]
    behind, twice, five = (sum(ratio >= least for ratio in ratios) for least in (1.0001, 2, 5))
    own: dict[tuple[str, str], float] = defaultdict(float)
    for row in rows:
        pair = row["agent"], row["opponent"]
        own[pair] = max(own[pair], float(row["ratio"]))
    gain = statistics.geometric_mean(worst[pair].ratio / ratio for pair, ratio in own.items())
    return (
        f"{len(rows)} rows. Of {len(ratios)} pairs the first is behind in {behind}, twice in "
        f"{twice}, five times in {five}. {gain:.2f} times the ratio of a pair's own duels."
    )


def summary(worst: dict[tuple[str, str], Worst]) -> str:
    """A row per agent: the worst ratio, whom it lost to, the mean, and what it inflicted."""
    lines = [
        "| agent | worst ratio | against | geometric mean of its worst | its best win | over |"
    ]
    lines.append("|---|---:|---|---:|---:|---|")
    entries = []
    for agent in names():
        lost = {o: w.ratio for (a, o), w in worst.items() if a == agent}
        won = {a: w.ratio for (a, o), w in worst.items() if o == agent}
        if lost and won:
            entries.append((max(lost.values()), agent, lost, won))
    for most, agent, lost, won in sorted(entries, key=lambda entry: entry[:2]):
        mean = statistics.geometric_mean(lost.values())
        against, over = max(lost, key=lost.__getitem__), max(won, key=won.__getitem__)
        lines.append(
            f"| `{agent}` | {most:.2f} | `{against}` | {mean:.2f} | {won[over]:.2f} | `{over}` |"
        )
    return "\n".join(lines)


def matrix(worst: dict[tuple[str, str], Worst]) -> str:
    """The worst ratios of the agents of `MATRIX`: a row's makespan over a column's."""
    lines = ["| | " + " | ".join(f"`{name}`" for name in MATRIX) + " |"]
    lines.append("|---|" + "---:|" * len(MATRIX))
    for agent in MATRIX:
        cells = [
            f"{worst[agent, opponent].ratio:.2f}" if (agent, opponent) in worst else "–"
            for opponent in MATRIX
        ]
        lines.append(f"| `{agent}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def causes(rows: Sequence[dict[str, str]], losers: Sequence[str]) -> str:
    """The kinds of changes that help the losers most, and how often they are not behind then."""
    worst: dict[tuple[str, str], dict[str, str]] = {}
    for row in rows:
        pair = row["agent"], row["opponent"]
        if row["agent"] in losers and float(row["ratio"]) >= CLEAR_LOSS:
            known = worst.setdefault(pair, row)
            worst[pair] = max(known, row, key=lambda each: float(each["ratio"]))
    kinds_of_causes: Counter[str] = Counter()
    helped = 0
    for row in worst.values():
        cause = find_cause(result_of(row))
        if cause is not None:
            first, _, kind, *_ = cause.change.split()
            kinds_of_causes[f"{first} {kind}"] += 1
            helped += cause.ratio <= 1
    return f"{len(worst)} duels, not behind then in {helped}: {dict(kinds_of_causes)}"


def result_of(row: dict[str, str]) -> DuelResult:
    """The result of a row, evaluated again."""
    contest = Contest(row["agent"], row["opponent"], seed=int(row["seed"]))
    instance = instance_of_text(row["instance"])
    score = contest.score(instance)
    assert score is not None
    return DuelResult(contest, instance, score, score.ratio, (), 1, 0.0)


def write_instance(rows: Sequence[dict[str, str]], agent: str, opponent: str, out: Path) -> None:
    """Writes the files of the worst instance that a duel of this pair found."""
    own = [row for row in rows if (row["agent"], row["opponent"]) == (agent, opponent)]
    if not own:
        sys.exit(f"found no duel of {agent} and {opponent}, expected a row")
    result = result_of(max(own, key=lambda each: float(each["ratio"])))
    cause = find_cause(result)
    write_duel(result, cause, out)
    print(json.dumps({"ratio": result.ratio, "cause": cause and cause.change}))


def main() -> None:
    """Does what the arguments ask for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("do", choices=("run", "table", "prune", "causes", "instance"))
    parser.add_argument("csv", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--passes", type=int, default=1)
    parser.add_argument("--minutes", type=float, default=1e6)
    parser.add_argument("--scores", type=Path, default=Path("results/duel-scores.csv"))
    parser.add_argument("--out", type=Path, default=Path("duel"))
    args = parser.parse_args()
    if args.do == "run":
        run(args.csv, args.passes, args.minutes)
        return
    rows = read(args.csv)
    if args.do == "causes":
        with dropped_library_output():
            text = causes(rows, args.names)
        print(text)
        return
    if args.do == "instance":
        write_instance(rows, *args.names, args.out)
        return
    with dropped_library_output():
        worst = worst_of(scores(rows, args.scores))
    if args.do == "prune":
        prune(args.csv, worst)
        return
    print(f"{overview(worst, rows)}\n\n{summary(worst)}\n\n{matrix(worst)}")


if __name__ == "__main__":
    main()
