// The trainings that the runs of a matrix begin with.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/matrix/matrix_cells.h"
#include "experiments/matrix/run_matrix.h"
#include "experiments/matrix/trained_agent.h"
#include "experiments/store/result_store.h"

namespace opyard::experiments {

// By the agent's label.
using Trainings = std::map<std::string, TrainedAgent>;

// Trains the agents of `missing` that are trained, keeps each training in `store`, and makes the
// cells point to what is returned. Takes all cells out of `missing` if it is interrupted. Long.
// Throws InputError if the weights are not those that stored runs of the agent began with.
[[nodiscard]] Trainings TrainFor(std::vector<Cell>& missing,
                                 ResultStore& store,
                                 const MatrixOptions& options);

}  // namespace opyard::experiments
