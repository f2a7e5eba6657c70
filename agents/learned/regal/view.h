// A problem as REGAL's network sees it.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "agents/learned/common/group_features.h"
#include "agents/learned/common/op_graph.h"
#include "agents/learned/common/sparse_edges.h"
#include "agents/learned/regal/settings.h"
#include "env/problem.h"

namespace opyard::agents::regal {

// N ops, G groups of the problem, D devices. No gradients.
//
// A proposal is a sequence of decisions, each a bin: for each group, for each of its C columns, a
// mean and then a variance. Columns are the devices, if the network proposes placements, then the
// priority, if it proposes those. The elite bias, if it proposes that, is one decision more.
struct View {
  const env::Problem* problem = nullptr;
  OpGraph graph;
  torch::Tensor order;        // int64 [N]: ops in topological order
  SparseEdges ops_of_groups;  // a row per group
  DeviceFeatures devices;
  torch::Tensor has_choice;  // bool [decisions]: a decision without one counts nowhere
  std::int64_t num_groups = 0;
  bool proposes_devices = false;
  bool proposes_priorities = false;

  [[nodiscard]] std::int64_t num_devices() const { return devices.x.size(0); }
  [[nodiscard]] std::int64_t num_columns() const {
    return (proposes_devices ? num_devices() : 0) + (proposes_priorities ? 1 : 0);
  }
};

// On `device`. What is no task of the problem is not proposed. REQUIRES: the problem outlives the
// view.
[[nodiscard]] View MakeView(const env::Problem& problem,
                            const Sizes& sizes,
                            torch::Device device = torch::kCPU);

}  // namespace opyard::agents::regal
