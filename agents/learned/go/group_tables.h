// Logits that GO learns of the groups of one problem and of nothing else.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "agents/learned/common/sparse_edges.h"
#include "agents/learned/go/settings.h"
#include "agents/learned/go/task.h"

namespace opyard::agents::go {

// A logit for each action of each group, for each task, that the network's are added to; 0 at
// first. A row has the mean of its groups', so that what was learnt of a row is known of all rows
// that it is cut into. Not in GO: a network alone needs many updates to treat ops with like
// features differently (decision 0025).
class GroupTables : public torch::nn::Module {
 public:
  struct Sizes {
    std::int64_t num_groups = 0;
    std::int64_t num_devices = 0;
    std::int64_t num_levels = 0;
    PriorityHead head = PriorityHead::kLevels;  // with kGumbel a group has one score
  };
  GroupTables(const Sizes& sizes, const std::vector<Task>& tasks, torch::Device device);

  // `groups`: those of each row → [R, choices]. REQUIRES: `task` is one of the tasks.
  [[nodiscard]] torch::Tensor Of(Task task, const SparseEdges& groups) const;

 private:
  std::vector<torch::Tensor> tables_;  // by Task: [G, choices]; undefined where it is no task
};

}  // namespace opyard::agents::go
