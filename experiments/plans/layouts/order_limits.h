// The decisions of a plan beyond its placement that frameworks which run programs cannot express.
#pragma once

#include <string>
#include <vector>

#include "experiments/plans/layouts/layout.h"

namespace opyard::experiments {

// The number of micro-batches that the names of ops say; 1 without any.
[[nodiscard]] std::int32_t CountMicrobatches(const sim::OpGraph& graph);

// A reason where the run of the plan has kernels of several ops: `target` runs op by op.
void AddFusionLimit(const LayoutInput& input,
                    const std::string& target,
                    std::vector<Inexpressible>& reasons);

// A reason where some device starts its ops, of those that take time, in another order than the
// topological one.
void AddProgramLimit(const LayoutInput& input,
                     const std::string& target,
                     std::vector<Inexpressible>& reasons);

// A reason where the plan has priorities or orders of copies.
void AddTransferLimit(const LayoutInput& input,
                      const std::string& target,
                      std::vector<Inexpressible>& reasons);

// A reason where the step has several micro-batches: `target` runs a batch as a whole.
void AddMicrobatchLimit(const LayoutInput& input,
                        const std::string& target,
                        std::vector<Inexpressible>& reasons);

// A reason where the step has a backward pass: `target` runs the forward pass alone.
void AddInferenceLimit(const LayoutInput& input,
                       const std::string& target,
                       std::vector<Inexpressible>& reasons);

// What a target that runs one batch op by op, in the order of the program, cannot express: the four
// limits of micro-batches, order, kernels and copies.
void AddEagerLimits(const LayoutInput& input,
                    const std::string& target,
                    std::vector<Inexpressible>& reasons);

}  // namespace opyard::experiments
