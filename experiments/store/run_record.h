// One finished cell of an experiment's matrix, as the result store keeps it.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agents/base/search_curves.h"
#include "sim/base/units.h"
#include "sim/cost/cost_models.h"

namespace opyard::experiments {

// The key of a cell: each combination is run once.
struct CellKey {
  std::string graph;     // the reference, as the experiment writes it
  std::string hardware;  // the same
  std::string agent;     // its label
  std::int64_t seed = 0;
  friend auto operator<=>(const CellKey&, const CellKey&) = default;
};

enum class RunStatus : std::uint8_t {
  kDone,  // the best plan completes
  // No plan that was tried completes, none was tried, or the agent broke; `outcome` says which.
  kFailed,
};

// The reference of a run's rewards: T_ref, and the cost of finding it, which the run's own figures
// leave out.
struct ReferenceRecord {
  double score = 0.0;
  SimTime makespan;
  double seconds = 0.0;
  std::optional<double> cpu_seconds;  // unknown of a baseline that was run by an older opyard
  friend bool operator==(const ReferenceRecord&, const ReferenceRecord&) = default;
};

struct RunRecord {
  CellKey cell;
  std::string graph_sha256;     // Fingerprint of the graph
  std::string hardware_sha256;  // Fingerprint of the machine
  std::string agent_name;       // in the registry
  std::string params;           // JSON object of the agent's parameters
  std::string settings;         // JSON object: the problem and the budget
  std::string start;  // where the search began (agents/base/search_start.h); "" if unknown
  std::string cost_model = sim::kDefaultCostModel;  // of its problem
  RunStatus status = RunStatus::kDone;
  // Outcome of the best plan: completed | out_of_memory | deadlock; or no_plan, or agent_failed.
  std::string outcome;
  std::string failure;              // why the agent broke, of agent_failed
  std::optional<SimTime> makespan;  // of the best plan; the instant at which it stopped, if it did
  std::optional<double> score;      // of the best plan, if it completes
  std::int64_t evaluations = 0;
  std::int64_t failures = 0;  // evaluations that did not complete
  double seconds = 0.0;       // wall time, the making of the agent included
  // Processor time of all threads that worked for the run; older versions did not measure it.
  std::optional<double> cpu_seconds;
  std::optional<double> seconds_to_best;
  std::int64_t threads = 1;                  // that the evaluator used
  std::string version;                       // of opyard
  std::string plan;                          // JSON text of the best plan; "" without one
  std::string reproduce;                     // the command that repeats this run
  std::optional<ReferenceRecord> reference;  // of an agent that learns
  // The training whose weights it began with (StoredTraining::id in its store), if it was made for
  // the experiment.
  std::optional<std::int64_t> training_id;
  std::optional<double> agent_bound;  // the agent proved that no plan scores less
  std::vector<agents::HistoryRow> history;
  std::vector<agents::TrainingRow> training;  // empty for an agent that does not learn
};

}  // namespace opyard::experiments
