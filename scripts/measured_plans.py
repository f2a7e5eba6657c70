#!/usr/bin/env python3
"""Measures models, runs plans of many agents on real devices, and writes the page of results.

    python scripts/measured_plans.py --out results/measured --devices cpu:0,cpu:1
    python scripts/measured_plans.py --out results/check --models mlp --plans 4 --repeat 5

All plans of a model run once in each round, so that a machine that is slower for a while slows all
of them; a plan has the median of its rounds. Every plan in every round is a cell: what stands in
OUT/rows.csv is not run again, so that an interrupted command goes on. `--page F` writes the page at
the end. Nothing else should run on the devices meanwhile.
"""

from __future__ import annotations

import argparse
import csv
import platform
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import opyard
from opyard.cli import main as opyard_command
from opyard.compare.measured import agreement_of, groups_of, read_measured
from opyard.compare.measured_command import table_rows
from opyard.compare.measured_plot import scatter_svg
from opyard.execution.command import trace_graph
from opyard.execution.devices import parse_devices
from opyard.execution.execution import Execution, Session
from opyard.execution.ordering import OrderedPlan, order_plan
from opyard.execution.partition import Schedule
from opyard.execution.real_values import source_values
from opyard.execution.rows import append_row
from opyard.execution.workers import Workers
from scipy import stats

ROOT = Path(__file__).resolve().parents[1]
MODELS = ("mlp", "conv", "transformer", "lstm")
COSTS = ("graph", "plan", "ops_s", "measured_ops_s", "sends_s", "waits_s", "transfers", "step_s")


@dataclass(frozen=True)
class PlanSpec:
    """How one plan is found."""

    agent: str
    evaluations: int = 1
    seed: int = 0
    queue: str = "program"
    group: str | int = "colocation"

    @property
    def label(self) -> str:
        """A name of its own."""
        group = "" if self.group == "colocation" else f"-groups{self.group}"
        return f"{self.agent}-{self.evaluations}-seed{self.seed}-{self.queue}{group}"


def plan_specs() -> list[PlanSpec]:
    """Plans of a model: some bad, some good, most between; more than run, since some are equal."""
    rules = ("heft", "heft_aware", "m_etf_aware", "peft_aware", "cpop_aware", "m_topo_aware")
    return [
        PlanSpec("single_device"),
        *(PlanSpec("human_expert", queue=queue) for queue in ("program", "order")),
        *(PlanSpec("metis", queue=queue) for queue in ("program", "order")),
        *(PlanSpec(rule, queue="order") for rule in rules),
        *(PlanSpec("auto", n, seed, "order") for n in (100, 1000) for seed in (0, 1)),
        *(PlanSpec("go", 200, seed, "order") for seed in (0, 1)),
        *(PlanSpec("local_search", n, seed) for n in (20, 200, 1000) for seed in (0, 1)),
        *(PlanSpec("simulated_annealing", n) for n in (20, 200)),
        *(PlanSpec("brkga", n) for n in (20, 200)),
        *(PlanSpec("random", seed=seed) for seed in range(5)),
        *(
            PlanSpec("random", seed=seed, group=group)
            for seed in range(12)
            for group in (2, 4, 8, 16)
        ),
    ]


class ModelRun:
    """One model, measured, and its plans."""

    def __init__(self, name: str, args: argparse.Namespace) -> None:
        self.function = f"{args.model_file}:{name}"
        self.folder = args.out / name
        self._args = args
        self._rows = args.out / "rows.csv"
        self._costs = args.out / "costs.csv"
        self._devices = parse_devices(args.devices)
        words = ["measure", "--model", self.function, "--devices", args.devices, "--name", name]
        words += ["--optimizer", "adam", "--out", str(self.folder)]
        if opyard_command(words) != 0:
            sys.exit(f"{name}: not measured")
        self.graph = opyard.load_graph(str(self.folder / "model.graph.json"))
        self.machine = opyard.load_machine(str(self.folder / "machine.yaml"))

    def run(self, count: int, rounds: int) -> None:
        """Runs the first `count` plans that differ in each round in which they have no row yet."""
        plans = self._distinct(count)
        done = self._done()
        missing = [
            (number, spec, ordered)
            for number in range(rounds)
            for spec, ordered in plans
            if done[spec.label] <= number
        ]
        if not missing:
            return
        model = trace_graph(self.function, self.graph)
        values = source_values(self.function, model)
        with Workers(self._devices) as workers:
            session = Session(model.program, values, workers)
            for number, spec, ordered in missing:
                execution = session.run(ordered.schedule, self._args.repeat)
                self._write(spec, ordered, execution)
                print(
                    f"{self.graph.name} round {number + 1}/{rounds} {spec.label}: measured "
                    f"{execution.median_s * 1e3:.2f} ms, simulated {ordered.simulated_s * 1e3:.2f}",
                    file=sys.stderr,
                )

    def _distinct(self, count: int) -> list[tuple[PlanSpec, OrderedPlan]]:
        """Plans of which no two run the same ops on the same devices in the same order."""
        found: dict[tuple[tuple[int, ...], ...], tuple[PlanSpec, OrderedPlan]] = {}
        for spec in plan_specs():
            if len(found) == count:
                break
            ordered = order_plan(self.graph, self.machine, self._plan(spec), self._devices)
            found.setdefault(orders_of(ordered.schedule), (spec, ordered))
        return list(found.values())

    def _done(self) -> Counter[str]:
        """The rows of each plan."""
        if not self._rows.exists():
            return Counter()
        rows = read_rows(self._rows)
        return Counter(row["plan"] for row in rows if row["graph"] == self.graph.name)

    def _plan(self, spec: PlanSpec) -> opyard.Plan:
        """The plan of `spec`, from its file if it was found before."""
        path = self.folder / "plans" / f"{spec.label}.plan.json"
        if path.exists():
            return opyard._core.load_plan(str(path), self.graph, self.machine)
        result = opyard.place(
            self.graph,
            self.machine,
            agent=spec.agent,
            evaluations=spec.evaluations,
            seed=spec.seed,
            queue=spec.queue,
            group=spec.group,
            fusion="none",
            threads=1,
        )
        assert result.plan is not None, f"{spec.label} found no plan"
        path.parent.mkdir(parents=True, exist_ok=True)
        result.plan.save(path, self.graph, self.machine)
        return result.plan

    def _write(self, spec: PlanSpec, ordered: OrderedPlan, execution: Execution) -> None:
        append_costs(self._costs, self._costs_of(spec, ordered, execution))
        row = {
            "graph": self.graph.name,
            "hardware": self.machine.name,
            "plan": spec.label,
            "devices": self._args.devices,
            "simulated_s": ordered.simulated_s,
            "median_s": execution.median_s,
            "spread_s": execution.spread_s,
            "repetitions": len(execution.step_s),
            "matches_undivided": execution.matches_undivided,
            "difference": execution.difference.value,
            "transfers": execution.num_messages,
            "peak_memory_bytes": max(execution.peak_memory_bytes),
        }
        append_row(self._rows, row)

    def _costs_of(
        self, spec: PlanSpec, ordered: OrderedPlan, execution: Execution
    ) -> dict[str, object]:
        """What ops took beside each other, and as measured alone; what messages took."""
        ops = self.graph.ops
        alone = 0.0
        for rank, spans in enumerate(execution.spans):
            name = self._devices[rank].name
            alone += sum(ops[op].seconds[name] for op, _, _ in spans.ops)
        every = execution.spans
        return {
            "graph": self.graph.name,
            "plan": spec.label,
            "ops_s": total(span for spans in every for span in spans.ops),
            "measured_ops_s": alone,
            "sends_s": total(span for spans in every for span in spans.sends),
            "waits_s": total(span for spans in every for span in spans.waits),
            "transfers": execution.num_messages,
            "step_s": max(spans.end_ns - spans.start_ns for spans in every) / 1e9,
        }


def orders_of(schedule: Schedule) -> tuple[tuple[int, ...], ...]:
    """The ops of each device in the order in which it runs them."""
    ranks = range(len(schedule.device_names))
    return tuple(
        tuple(op for op in schedule.sequence if schedule.ranks[op] == rank) for rank in ranks
    )


def read_rows(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file by their titles."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def total(spans) -> float:  # noqa: ANN001  (an iterable of (id, start, end) in nanoseconds)
    """The sum of the lengths of spans, in seconds."""
    return sum(end - start for _, start, end in spans) / 1e9


def append_costs(path: Path, costs: dict[str, object]) -> None:
    """Appends a row to the file of what ops and messages took."""
    is_new = not path.exists()
    with path.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COSTS)
        if is_new:
            writer.writeheader()
        writer.writerow(costs)


def cost_rows(path: Path) -> list[list[str]]:
    """By graph: how much slower ops run in divided steps than alone, and what a message takes."""
    rows = read_rows(path)
    table = [["graph", "ops, beside each other / alone", "a send", "messages of a plan"]]
    for graph in dict.fromkeys(row["graph"] for row in rows):
        mine = [row for row in rows if row["graph"] == graph]
        factor = sum(float(row["ops_s"]) for row in mine)
        factor /= sum(float(row["measured_ops_s"]) for row in mine)
        messages = sum(int(row["transfers"]) for row in mine)
        send = sum(float(row["sends_s"]) for row in mine) / max(1, messages)
        each = f"{messages / len(mine):.0f}"
        table.append([graph, f"{factor:.2f}", f"{send * 1e6:.0f} us", each])
    return table


def repeatability_rows(path: Path) -> list[list[str]]:
    """By graph: the agreement of the first round with the last; no simulation agrees better."""
    rows = read_rows(path)
    table = [["graph", "plans", "mean difference of rounds", "tau of rounds"]]
    for graph in dict.fromkeys(row["graph"] for row in rows):
        times: dict[str, list[float]] = {}
        for row in rows:
            if row["graph"] == graph:
                times.setdefault(row["plan"], []).append(float(row["median_s"]))
        pairs = np.array([(each[0], each[-1]) for each in times.values() if len(each) > 1])
        if len(pairs) > 1:
            first, last = pairs.T
            difference = float(np.mean(np.abs(first - last) / np.minimum(first, last)))
            tau = stats.kendalltau(first, last).statistic
            table.append([graph, str(len(pairs)), f"{difference:.1%}", f"{tau:.2f}"])
    return table


def markdown(rows: list[list[str]]) -> str:
    """A table, whose first row are the titles."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]])


def page(args: argparse.Namespace, hardware: str) -> str:
    """The page of results, from what stands in OUT."""
    plans, left_out = read_measured([args.out / "rows.csv"])
    groups = groups_of(plans)
    answer = {
        "groups": [
            {"graph": key[0], "devices": key[2]} | vars(agreement_of(group))
            for key, group in groups.items()
        ]
    }
    (args.page.parent / "measured.svg").write_text(scatter_svg(groups), encoding="utf-8")
    return f"""# Plans that ran: measured beside simulated

`python scripts/measured_plans.py --out results/measured --devices {args.devices} --page
docs/results/measured.md` measured four models, had plans found for them, and ran each plan:
{args.rounds} rounds of {args.repeat} steps after a warm-up, medians, on {hardware}, with one
process per device.
Rows of steps whose results differ from the undivided step's: {left_out}. What the columns say
stands in [run-a-plan](../run-a-plan.md).

{markdown(table_rows(answer))}

![measured against simulated step times](measured.svg)

## Rounds beside each other

The same plan in the first round and in the last:

{markdown(repeatability_rows(args.out / "rows.csv"))}

## What the simulation does not know

Ops were measured alone, one device at a time. In divided steps they run beside each other and
beside the threads that send and receive:

{markdown(cost_rows(args.out / "costs.csv"))}
"""


def main() -> int:
    """Runs the command line; returns its exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of measurements and rows")
    parser.add_argument("--devices", default="cpu:0,cpu:1", help="as of opyard execute")
    parser.add_argument("--models", default=",".join(MODELS), help="some of examples/execute")
    parser.add_argument("--plans", type=int, default=41, help="of each model")
    parser.add_argument("--rounds", type=int, default=2, help="runs of each plan")
    parser.add_argument("--repeat", type=int, default=6, help="steps that are timed in a run")
    parser.add_argument("--page", type=Path, help="the page to write")
    args = parser.parse_args()
    args.model_file = ROOT / "examples" / "execute" / "models.py"
    args.out.mkdir(parents=True, exist_ok=True)
    for name in args.models.split(","):
        ModelRun(name, args).run(args.plans, args.rounds)
    plans, left_out = read_measured([args.out / "rows.csv"])
    if args.page is not None:
        args.page.write_text(page(args, platform.processor() or "this CPU"), encoding="utf-8")
    print(f"{len(plans)} plans in {args.out / 'rows.csv'}; {left_out} with wrong results")
    return 0


if __name__ == "__main__":
    sys.exit(main())
