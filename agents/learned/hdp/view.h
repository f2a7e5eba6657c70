// A problem as HDP sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/hdp/op_features.h"
#include "agents/learned/hdp/settings.h"
#include "agents/planning/grouping/group_sequence.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents::hdp {

struct View {
  const env::Problem* problem = nullptr;      // whose groups are the units
  std::shared_ptr<const env::Problem> finer;  // the same, if it had to be made
  GroupSequence units;                        // that may not be split
  OpFeatures features;                        // on the device of the view
  std::int64_t num_accelerators = 0;
  std::vector<std::int64_t> priority_of_group;  // of the problem; empty if scheduling is no task
  double reference_score = 0.0;                 // the scale of the rewards (env::FindReference)
};

// The view of a network of `sizes` on `device`. The scale of the rewards is env::FindReference's,
// which evaluates rule-based plans, not counted, for a problem without a reference. REQUIRES:
// problem.tasks().placement; the problem outlives the view.
[[nodiscard]] View MakeView(const env::Problem& problem,
                            UnitKind units,
                            const Sizes& sizes,
                            torch::Device device = torch::kCPU);

// The paper's number of groups for so many accelerators.
[[nodiscard]] std::int64_t PublishedGroups(std::int64_t num_accelerators);

// The groups of a problem in topological order.
[[nodiscard]] GroupSequence UnitsOf(const env::Problem& problem);

// Where units go whose groups, int64 [K, U], are on `devices`, int64 [K, G]: int64 [K, U].
[[nodiscard]] torch::Tensor DevicesOfUnits(const OpFeatures& features,
                                           const torch::Tensor& groups,
                                           const torch::Tensor& devices);

// The plan of one placement of the units, int64 [U], contiguous, on the CPU.
[[nodiscard]] sim::Plan ToPlan(const View& view, const torch::Tensor& device_of_unit);

}  // namespace opyard::agents::hdp
