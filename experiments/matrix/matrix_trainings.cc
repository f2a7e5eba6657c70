#include "experiments/matrix/matrix_trainings.h"

#include <algorithm>

#include "sim/base/check.h"
#include "sim/base/error.h"

namespace opyard::experiments {
namespace {

// Stored runs began with other weights: runs that are added to them must not.
void CheckSame(const TrainedAgent& trained, ResultStore& store) {
  for (const StoredTraining& stored : store.Trainings()) {
    if (stored.agent == trained.record.agent &&
        stored.weights_sha256 != trained.record.weights_sha256) {
      throw InputError(store.place() + ": agent " + stored.agent +
                       ": its stored runs began with weights of SHA-256 " +
                       stored.weights_sha256.substr(0, 12) + ", " + trained.weights.string() +
                       " holds others (" + trained.record.weights_sha256.substr(0, 12) +
                       "); put the old file back, or give this experiment another folder with "
                       "--out");
    }
  }
}

// The cost of a training stands in the store from the first time on: whoever lost the weights and
// makes them again does not pay for them twice in tables.
TrainedAgent Keep(TrainedAgent trained, ResultStore& store) {
  for (const StoredTraining& stored : store.Trainings()) {
    if (stored.agent == trained.record.agent) {
      trained.record = stored;
      return trained;
    }
  }
  trained.record.id = store.Keep(trained.record);
  return trained;
}

}  // namespace

Trainings TrainFor(std::vector<Cell>& missing, ResultStore& store, const MatrixOptions& options) {
  Trainings trainings;
  for (Cell& cell : missing) {
    if (!cell.agent->is_trained) {
      continue;
    }
    auto known = trainings.find(cell.key.agent);
    if (known == trainings.end()) {
      OPYARD_CHECK(options.train != nullptr, "whoever runs agents that are trained trains them");
      TrainedAgent trained = options.train(*cell.agent);
      if (trained.was_interrupted) {
        missing.clear();
        return trainings;
      }
      CheckSame(trained, store);
      known = trainings.emplace(cell.key.agent, Keep(std::move(trained), store)).first;
    }
    cell.training = &known->second;
  }
  return trainings;
}

}  // namespace opyard::experiments
