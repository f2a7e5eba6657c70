#include "experiments/matrix/run_listeners.h"

#include <utility>

namespace opyard::experiments {

RunListeners::RunListeners(std::vector<RunListener*> listeners)
    : listeners_(std::move(listeners)) {}

void RunListeners::Noticed(const Notice& notice) {
  for (RunListener* listener : listeners_) {
    listener->Noticed(notice);
  }
}

void RunListeners::MatrixStarted(const MatrixStart& start) {
  for (RunListener* listener : listeners_) {
    listener->MatrixStarted(start);
  }
}

void RunListeners::TrainingWentOn(const std::string& agent, const TrainingProgress& so_far) {
  for (RunListener* listener : listeners_) {
    listener->TrainingWentOn(agent, so_far);
  }
}

void RunListeners::RunStarted(const CellKey& cell) {
  for (RunListener* listener : listeners_) {
    listener->RunStarted(cell);
  }
}

void RunListeners::RunWentOn(const CellKey& cell, const RunSoFar& so_far) {
  for (RunListener* listener : listeners_) {
    listener->RunWentOn(cell, so_far);
  }
}

void RunListeners::RunFinished(const RunRecord& record) {
  for (RunListener* listener : listeners_) {
    listener->RunFinished(record);
  }
}

}  // namespace opyard::experiments
