#include "experiments/statistics/summary.h"

#include <algorithm>

namespace opyard::experiments {
namespace {

using Group = std::vector<const RunRecord*>;

AgentSummary SummaryOf(const Group& group) {
  const CellKey& cell = group.front()->cell;
  AgentSummary summary{.graph = cell.graph, .hardware = cell.hardware, .agent = cell.agent};
  std::vector<double> steps;
  double cpu_seconds = 0.0;
  for (const RunRecord* run : group) {
    summary.mean_evaluations += static_cast<double>(run->evaluations);
    summary.mean_seconds += run->seconds;
    cpu_seconds += run->cpu_seconds.value_or(0.0);
    if (run->status == RunStatus::kDone && run->makespan.has_value()) {
      steps.push_back(run->makespan->seconds());
    } else {
      ++summary.num_failed;
      summary.failure = run->outcome;
    }
  }
  summary.num_runs = group.size();
  summary.mean_evaluations /= static_cast<double>(group.size());
  summary.mean_seconds /= static_cast<double>(group.size());
  if (std::ranges::all_of(group, [](const auto* run) { return run->cpu_seconds.has_value(); })) {
    summary.mean_cpu_seconds = cpu_seconds / static_cast<double>(group.size());
  }
  summary.step_s = MeanOf(steps);
  return summary;
}

}  // namespace

std::vector<AgentSummary> Summarize(const std::vector<RunRecord>& runs) {
  std::vector<Group> groups;
  std::map<std::pair<PairKey, std::string>, std::size_t> index;
  for (const RunRecord& run : runs) {
    const auto [at, is_new] =
        index.try_emplace({{run.cell.graph, run.cell.hardware}, run.cell.agent}, groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    groups[at->second].push_back(&run);
  }
  std::vector<AgentSummary> summaries;
  summaries.reserve(groups.size());
  std::ranges::transform(groups, std::back_inserter(summaries), SummaryOf);
  return summaries;
}

void Compare(std::vector<AgentSummary>& summaries, const std::map<PairKey, Baseline>& baselines) {
  for (AgentSummary& summary : summaries) {
    const auto found = baselines.find({summary.graph, summary.hardware});
    const bool has_both = found != baselines.end() && found->second.step_s.has_value() &&
                          summary.step_s.has_value() && summary.step_s->mean > 0.0;
    if (has_both) {
      summary.speed_up = *found->second.step_s / summary.step_s->mean;
    }
  }
}

}  // namespace opyard::experiments
