#include "experiments/statistics/comparison.h"

#include <algorithm>
#include <limits>
#include <span>

#include "experiments/text/number_format.h"
#include "experiments/text/table.h"

namespace opyard::experiments {
namespace {

// That of the shortest step, so that the best agents keep their digits.
TimeUnit UnitOfSteps(std::span<const AgentSummary> summaries) {
  double least = std::numeric_limits<double>::infinity();
  for (const AgentSummary& summary : summaries) {
    least = summary.step_s.has_value() ? std::min(least, summary.step_s->mean) : least;
  }
  return UnitOf(FitsInSimTime(least) ? SimTime::FromSeconds(least) : SimTime{});
}

std::string StepText(const AgentSummary& summary, TimeUnit unit) {
  if (!summary.step_s.has_value()) {
    return kNoFigure;
  }
  const std::string mean = TimeFigure(summary.step_s->mean, unit);
  const auto& half_width = summary.step_s->half_width;
  return half_width.has_value() ? mean + " ± " + TimeFigure(*half_width, unit) : mean;
}

std::string FailedText(const AgentSummary& summary) {
  const std::string share =
      std::to_string(summary.num_failed) + "/" + std::to_string(summary.num_runs);
  return summary.num_failed == 0 ? share : share + " " + summary.failure;
}

void AddAgentRow(TextTable& table, const AgentSummary& summary, TimeUnit unit) {
  table.AddRow(
      {OneLine(summary.agent),
       StepText(summary, unit),
       summary.speed_up.has_value() ? Fixed(*summary.speed_up, 3) + "x" : kNoFigure,
       Fixed(summary.mean_evaluations, 0),
       Fixed(summary.mean_seconds, 2),
       summary.mean_cpu_seconds.has_value() ? Fixed(*summary.mean_cpu_seconds, 2) : kNoFigure,
       FailedText(summary)});
}

std::string BaselineNote(const Baseline& baseline, TimeUnit unit) {
  if (!baseline.step_s.has_value()) {
    return "no speed-up: the baseline " + baseline.agent + " has no step time (" + baseline.reason +
           ")\n";
  }
  if (!baseline.is_in_matrix()) {
    return "baseline " + baseline.agent + ": " + TimeFigure(*baseline.step_s, unit) + " " +
           NameOf(unit) + ", found in " + Fixed(baseline.search->seconds, 2) + " s (" +
           Fixed(baseline.search->cpu_seconds, 2) + " CPU s)\n";
  }
  return "";
}

TextTable EmptyComparison(const std::string& baseline, TimeUnit unit) {
  return TextTable(
      {{.title = "agent"},
       {.title = std::string("step time [") + NameOf(unit) + "]", .align = Align::kRight},
       {.title = "vs " + OneLine(baseline), .align = Align::kRight},
       {.title = "evaluations", .align = Align::kRight},
       {.title = "seconds", .align = Align::kRight},
       {.title = "CPU s", .align = Align::kRight},
       {.title = "failed", .align = Align::kLeft}});
}

// The summaries of `pair` that `summaries` begins with.
std::span<const AgentSummary> RowsOf(const PairKey& pair, std::span<const AgentSummary> summaries) {
  const auto end = std::ranges::find_if(summaries, [&](const AgentSummary& summary) {
    return PairKey{summary.graph, summary.hardware} != pair;
  });
  return summaries.first(static_cast<std::size_t>(end - summaries.begin()));
}

}  // namespace

std::string ComparisonText(const std::vector<AgentSummary>& summaries,
                           const std::map<PairKey, Baseline>& baselines) {
  std::string text;
  for (std::size_t i = 0; i < summaries.size();) {
    const PairKey pair = {summaries[i].graph, summaries[i].hardware};
    const auto found = baselines.find(pair);
    const Baseline baseline = found == baselines.end() ? Baseline{} : found->second;
    const std::span<const AgentSummary> rows = RowsOf(pair, std::span(summaries).subspan(i));
    const TimeUnit unit = UnitOfSteps(rows);
    TextTable table = EmptyComparison(baseline.agent, unit);
    for (const AgentSummary& summary : rows) {
      AddAgentRow(table, summary, unit);
    }
    text += (text.empty() ? "" : "\n") + OneLine(pair.first + " on " + pair.second) + "\n" +
            table.Text() + BaselineNote(baseline, unit);
    i += rows.size();
  }
  return text;
}

}  // namespace opyard::experiments
