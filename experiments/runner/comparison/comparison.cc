#include "experiments/runner/comparison/comparison.h"

#include "experiments/text/figures.h"
#include "experiments/text/table.h"

namespace opyard::experiments {
namespace {

constexpr const char* kNoFigure = "—";

std::string StepText(const AgentSummary& summary) {
  if (!summary.step_s.has_value()) {
    return kNoFigure;
  }
  const std::string mean = Fixed(summary.step_s->mean * 1e3, 3);
  const auto& half_width = summary.step_s->half_width;
  return half_width.has_value() ? mean + " ± " + Fixed(*half_width * 1e3, 3) : mean;
}

std::string FailedText(const AgentSummary& summary) {
  const std::string share =
      std::to_string(summary.num_failed) + "/" + std::to_string(summary.num_runs);
  return summary.num_failed == 0 ? share : share + " " + summary.failure;
}

void AddAgentRow(TextTable& table, const AgentSummary& summary) {
  table.AddRow({OneLine(summary.agent),
                StepText(summary),
                summary.speed_up.has_value() ? Fixed(*summary.speed_up, 3) + "x" : kNoFigure,
                Fixed(summary.mean_evaluations, 0),
                Fixed(summary.mean_seconds, 2),
                FailedText(summary)});
}

std::string BaselineNote(const Baseline& baseline) {
  if (!baseline.step_s.has_value()) {
    return "no speed-up: the baseline " + baseline.agent + " has no step time (" + baseline.reason +
           ")\n";
  }
  if (!baseline.is_in_matrix) {
    return "baseline " + baseline.agent + ": " + Fixed(*baseline.step_s * 1e3, 3) + " ms\n";
  }
  return "";
}

TextTable EmptyComparison(const std::string& baseline) {
  return TextTable({{.title = "agent"},
                    {.title = "step time [ms]", .align = Align::kRight},
                    {.title = "vs " + OneLine(baseline), .align = Align::kRight},
                    {.title = "evaluations", .align = Align::kRight},
                    {.title = "seconds", .align = Align::kRight},
                    {.title = "failed", .align = Align::kLeft}});
}

}  // namespace

std::string ComparisonText(const std::vector<AgentSummary>& summaries,
                           const std::map<PairKey, Baseline>& baselines) {
  std::string text;
  for (std::size_t i = 0; i < summaries.size();) {
    const PairKey pair = {summaries[i].graph, summaries[i].hardware};
    const auto found = baselines.find(pair);
    const Baseline baseline = found == baselines.end() ? Baseline{} : found->second;
    TextTable table = EmptyComparison(baseline.agent);
    for (; i < summaries.size() && PairKey{summaries[i].graph, summaries[i].hardware} == pair;
         ++i) {
      AddAgentRow(table, summaries[i]);
    }
    text += (text.empty() ? "" : "\n") + OneLine(pair.first + " on " + pair.second) + "\n" +
            table.Text() + BaselineNote(baseline);
  }
  return text;
}

}  // namespace opyard::experiments
