// Summaries of the runs of one agent on one problem.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "experiments/statistics/statistics.h"
#include "experiments/store/run_record.h"

namespace opyard::experiments {

// One line of the table. Runs without a feasible plan count in `num_failed` and nowhere else but in
// the means of evaluations and seconds.
struct AgentSummary {
  std::string graph;
  std::string hardware;
  std::string agent;
  std::size_t num_runs = 0;
  std::size_t num_failed = 0;
  std::string failure;                     // the outcome of a failed run: "out_of_memory"
  std::optional<MeanWithInterval> step_s;  // simulated step time in seconds, over feasible runs
  std::optional<double> speed_up;          // baseline's mean / own mean
  double mean_evaluations = 0.0;
  double mean_seconds = 0.0;               // wall time of a run
  std::optional<double> mean_cpu_seconds;  // processor time, if it is known of every run
};

// A graph and a machine, by their references.
using PairKey = std::pair<std::string, std::string>;

// The cost of the search of a baseline.
struct BaselineCost {
  double seconds = 0.0;
  double cpu_seconds = 0.0;
};

// The baseline of one problem: its mean step time, or why there is none.
struct Baseline {
  std::string agent;
  std::optional<double> step_s;
  std::string reason;                  // without step_s: "out_of_memory"
  std::optional<BaselineCost> search;  // that was made because no run of the matrix is of its agent

  [[nodiscard]] bool is_in_matrix() const { return !search.has_value(); }
};

// One summary per graph, machine and agent, in the order in which the runs name them first.
[[nodiscard]] std::vector<AgentSummary> Summarize(const std::vector<RunRecord>& runs);

// Fills in the speed-ups.
void Compare(std::vector<AgentSummary>& summaries, const std::map<PairKey, Baseline>& baselines);

}  // namespace opyard::experiments
