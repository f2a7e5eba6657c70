// Several listeners as one.
#pragma once

#include <string>
#include <vector>

#include "experiments/matrix/run_listener.h"

namespace opyard::experiments {

// Reports all to each, in their order. As thread-safe as they are.
class RunListeners final : public RunListener {
 public:
  // They outlive this.
  explicit RunListeners(std::vector<RunListener*> listeners);

  void Noticed(const Notice& notice) override;
  void MatrixStarted(const MatrixStart& start) override;
  void TrainingWentOn(const std::string& agent, const TrainingProgress& so_far) override;
  void RunStarted(const CellKey& cell) override;
  void RunWentOn(const CellKey& cell, const RunSoFar& so_far) override;
  void RunFinished(const RunRecord& record) override;

 private:
  std::vector<RunListener*> listeners_;
};

}  // namespace opyard::experiments
