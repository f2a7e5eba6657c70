// The input that a caller may give a search beside the problem and its budget.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agents/base/training_point.h"
#include "sim/plan/plan.h"

namespace opyard::agents {

struct SearchContext {
  // Where a search agent begins: it is evaluated first, in place of the plans that the option
  // `start` names. The other agents take no notice.
  std::optional<sim::Plan> start;
  // Placements of other good plans, [num_ops] each, which a search may take parts from.
  std::vector<sim::OpPlacement> elites;
  // The caller's estimate of how likely a device is for a group, [groups · devices], a row per
  // group, in [0, 1]; empty: not estimated. Agents that move single groups sample by it.
  std::vector<double> device_affinity;
  TrainingListener listener;
  // Called at the end by an agent that lets others search: what it did, in one line.
  std::function<void(const std::string&)> report;
  // Called at the end by an agent that has proven a bound: no plan of those that it is about scores
  // less. Empty: nobody keeps it.
  std::function<void(double score)> prove;
  // Called at the end, or before it fails, by an agent that other processes worked for: the seconds
  // of processor time that they took. Empty: nobody counts.
  std::function<void(double seconds)> add_cpu_seconds;
};

}  // namespace opyard::agents
