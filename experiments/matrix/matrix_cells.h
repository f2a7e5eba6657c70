// The runs of an experiment's matrix: graphs × hardware × agents × seeds.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "experiments/matrix/prepared_experiment.h"
#include "experiments/matrix/references.h"
#include "experiments/matrix/resume_check.h"
#include "experiments/matrix/trained_agent.h"
#include "experiments/store/expected_matrix.h"
#include "experiments/store/run_record.h"
#include "experiments/store/shard.h"

namespace opyard::experiments {

// One run to make.
struct Cell {
  CellKey key;
  const PreparedProblem* problem = nullptr;
  const AgentConfig* agent = nullptr;
  const std::string* agent_place = nullptr;
  const ReferencedProblem* reference = nullptr;  // of rewards, if it is given some
  const TrainedAgent* training = nullptr;        // whose weights it begins with, if any
};

// True if the agent samples nothing: it runs with the first seed only.
[[nodiscard]] bool RunsOnce(const AgentConfig& agent, const agents::AgentRegistry& registry);

// The whole matrix. An agent that samples nothing has the first seed and those that `stored` runs
// of it have, which an older opyard made once a seed.
[[nodiscard]] ExpectedMatrix MatrixOf(const PreparedExperiment& experiment,
                                      const agents::AgentRegistry& registry,
                                      const StoredRuns& stored);

// The cells of the piece `shard` of `matrix`, in its order. They point into `experiment`. REQUIRES:
// `matrix` is of `experiment`.
[[nodiscard]] std::vector<Cell> CellsOf(const PreparedExperiment& experiment,
                                        const ExpectedMatrix& matrix,
                                        const Shard& shard);

}  // namespace opyard::experiments
