#include "experiments/statistics/gaps.h"

#include <algorithm>
#include <set>

#include "experiments/text/number_format.h"
#include "experiments/text/table.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

double GapPercent(SimTime makespan, SimTime optimum) {
  const auto difference = static_cast<double>((makespan - optimum).picoseconds);
  return 100.0 * difference / static_cast<double>(optimum.picoseconds);
}

AgentGap& GapOf(const std::string& agent, std::vector<AgentGap>& gaps) {
  auto gap = std::ranges::find(gaps, agent, &AgentGap::agent);
  if (gap == gaps.end()) {
    gaps.push_back({.agent = agent});
    gap = gaps.end() - 1;
  }
  return *gap;
}

// Until all runs are in, `gap.mean_gap_percent` is the sum.
void AddRun(const RunRecord& run, const Optimum& optimum, AgentGap& gap) {
  ++gap.num_runs;
  if (run.status != RunStatus::kDone || !run.makespan.has_value()) {
    ++gap.num_failed;
    return;
  }
  const double percent = GapPercent(*run.makespan, optimum.makespan);
  gap.num_reached += *run.makespan <= optimum.makespan ? 1 : 0;
  gap.mean_gap_percent = gap.mean_gap_percent.value_or(0.0) + percent;
  gap.largest_gap_percent = std::max(gap.largest_gap_percent.value_or(percent), percent);
}

void NoteIfBeaten(const RunRecord& run, const Optimum& optimum, OptimaComparison& comparison) {
  const bool is_done = run.status == RunStatus::kDone && run.makespan.has_value();
  if (is_done && *run.makespan < optimum.makespan) {
    (optimum.is_proven ? comparison.refuted : comparison.beaten)
        .push_back({.cell = run.cell, .makespan = *run.makespan, .optimum = optimum});
  }
}

std::string Times(std::size_t count, const char* what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

std::string NameOf(const PairKey& pair) {
  return OneLine(pair.first + " on " + pair.second);
}

// "agent (seed 0) on graph on machine: 54.000 ms, not 55.000 ms".
std::vector<std::string> LinesOf(const std::vector<BeatenOptimum>& beaten) {
  std::vector<std::string> lines;
  for (const auto& [cell, makespan, optimum] : beaten) {
    const TimeUnit unit = UnitOf(optimum.makespan);
    lines.push_back(OneLine(cell.agent) + " (seed " + std::to_string(cell.seed) + ") with " +
                    NameOf(PairKey{cell.graph, cell.hardware}) + ": " +
                    ExactTimeText(makespan, unit) + ", not " +
                    ExactTimeText(optimum.makespan, unit));
  }
  return lines;
}

std::string PercentFigure(const std::optional<double>& percent) {
  return percent.has_value() ? Fixed(*percent, 2) : kNoFigure;
}

std::string ShareOf(const AgentGap& gap) {
  return Fixed(100.0 * static_cast<double>(gap.num_reached) / static_cast<double>(gap.num_runs), 1);
}

std::string TitleOf(const OptimaComparison& comparison) {
  const std::size_t num_known = comparison.num_problems - comparison.unknown.size();
  return "gap to " + OneLine(comparison.table) + ": " + std::to_string(num_known) + " of " +
         Times(comparison.num_problems, "problem") + " known, " +
         std::to_string(comparison.num_proven) + " proven optimal\n";
}

std::string NotesOf(const OptimaComparison& comparison) {
  std::string text;
  if (!comparison.unknown.empty()) {
    std::vector<std::string> names;
    std::ranges::transform(comparison.unknown, std::back_inserter(names), NameOf);
    text += "not in the table, and left out: " + JoinNames(names) + "\n";
  }
  if (comparison.num_other_rows > 0) {
    text += Times(comparison.num_other_rows, "row") +
            " of the table, of other graphs or machines: not used\n";
  }
  if (!comparison.beaten.empty()) {
    text += "better than the best known: " + JoinNames(LinesOf(comparison.beaten)) + "\n";
  }
  return text;
}

}  // namespace

OptimaComparison CompareWithOptima(const std::vector<RunRecord>& runs, const KnownOptima& known) {
  OptimaComparison comparison{.table = known.table, .num_other_rows = known.num_other_rows};
  std::set<PairKey> seen;
  for (const RunRecord& run : runs) {
    const PairKey pair = {run.cell.graph, run.cell.hardware};
    const auto found = known.optima.find(pair);
    const bool is_known = found != known.optima.end();
    if (seen.insert(pair).second) {
      ++comparison.num_problems;
      comparison.num_proven += is_known && found->second.is_proven ? 1 : 0;
      if (!is_known) {
        comparison.unknown.push_back(pair);
      }
    }
    if (is_known) {
      AddRun(run, found->second, GapOf(run.cell.agent, comparison.agents));
      NoteIfBeaten(run, found->second, comparison);
    }
  }
  for (AgentGap& gap : comparison.agents) {
    if (gap.mean_gap_percent.has_value()) {
      *gap.mean_gap_percent /= static_cast<double>(gap.num_runs - gap.num_failed);
    }
  }
  return comparison;
}

std::string GapsText(const OptimaComparison& comparison) {
  TextTable table({{.title = "agent"},
                   {.title = "runs", .align = Align::kRight},
                   {.title = "reached", .align = Align::kRight},
                   {.title = "reached [%]", .align = Align::kRight},
                   {.title = "mean gap [%]", .align = Align::kRight},
                   {.title = "largest gap [%]", .align = Align::kRight},
                   {.title = "failed", .align = Align::kRight}});
  for (const AgentGap& gap : comparison.agents) {
    table.AddRow({OneLine(gap.agent),
                  std::to_string(gap.num_runs),
                  std::to_string(gap.num_reached),
                  ShareOf(gap),
                  PercentFigure(gap.mean_gap_percent),
                  PercentFigure(gap.largest_gap_percent),
                  std::to_string(gap.num_failed)});
  }
  const std::string rows = comparison.agents.empty() ? "" : table.Text();
  return TitleOf(comparison) + rows + NotesOf(comparison);
}

std::string ContradictionText(const OptimaComparison& comparison) {
  if (comparison.refuted.empty()) {
    return "";
  }
  return "CONTRADICTION: " + Times(comparison.refuted.size(), "run") +
         " shorter than a proven optimum, so the table, a reader, the machine or the simulator is "
         "wrong: " +
         JoinNames(LinesOf(comparison.refuted)) + "\n";
}

}  // namespace opyard::experiments
