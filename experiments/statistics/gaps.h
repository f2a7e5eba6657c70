// Gaps between the runs of an experiment and the optima of its problems.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "experiments/statistics/optima.h"
#include "experiments/store/run_record.h"

namespace opyard::experiments {

// The runs of one agent on problems whose optimum is known. A gap is makespan / optimum − 1, in %.
struct AgentGap {
  std::string agent;
  std::size_t num_runs = 0;
  std::size_t num_reached = 0;  // at the optimum or below
  std::size_t num_failed = 0;   // without a feasible plan: neither reached nor in the gaps
  std::optional<double> mean_gap_percent;
  std::optional<double> largest_gap_percent;
};

// A run that is shorter than what its problem is known for.
struct BeatenOptimum {
  CellKey cell;
  SimTime makespan;
  Optimum optimum;
};

struct OptimaComparison {
  std::string table;
  std::size_t num_problems = 0;
  std::size_t num_proven = 0;          // of the problems whose optimum is known
  std::vector<PairKey> unknown;        // problems that the table lacks, in order
  std::size_t num_other_rows = 0;      // of the table, of no problem
  std::vector<AgentGap> agents;        // in the order of their first runs
  std::vector<BeatenOptimum> beaten;   // optima that are not proven, in the order of the runs
  std::vector<BeatenOptimum> refuted;  // proven ones: a contradiction
};

[[nodiscard]] OptimaComparison CompareWithOptima(const std::vector<RunRecord>& runs,
                                                 const KnownOptima& known);

// A line per agent: its runs, how many reached the optimum and which share that is, mean and
// largest gap, failed runs. Below stand the problems without an optimum and what was beaten.
[[nodiscard]] std::string GapsText(const OptimaComparison& comparison);

// The contradictions, in one line or more; "" if there are none.
[[nodiscard]] std::string ContradictionText(const OptimaComparison& comparison);

}  // namespace opyard::experiments
