// Names of what a run executes, for its report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sim/engine/lowering/lowered_problem.h"
#include "sim/engine/run/workspace.h"

namespace opyard::sim {

// Looks at a problem and at the workspace of a run, which have to outlive it.
class RecordNames {
 public:
  RecordNames(const LoweredProblem& problem, const Workspace& workspace)
      : p_(problem), w_(workspace) {}

  // The first op of `kernel`, by index.
  [[nodiscard]] std::int32_t FirstOp(std::size_t kernel) const;
  [[nodiscard]] std::string OfOp(std::int32_t op) const;
  // "mm", or "mm (fused with 2 more)".
  [[nodiscard]] std::string OfKernel(std::size_t kernel) const;
  // "mm:0", by its index in the graph of kernels.
  [[nodiscard]] std::string OfTensor(std::int32_t tensor) const;

 private:
  [[nodiscard]] bool is_fused() const { return w_.prepared.fused != nullptr; }

  const LoweredProblem& p_;
  const Workspace& w_;
};

}  // namespace opyard::sim
