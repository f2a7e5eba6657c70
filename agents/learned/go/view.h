// A problem as GO sees it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "agents/base/decisions.h"
#include "agents/learned/common/group_features.h"
#include "agents/learned/common/op_graph.h"
#include "agents/learned/go/decision_rows.h"
#include "agents/learned/go/policy.h"
#include "agents/learned/go/row_capacity.h"
#include "agents/learned/go/settings.h"
#include "agents/planning/initial_plans/device_symmetry.h"
#include "env/problem.h"
#include "sim/plan/plan.h"

namespace opyard::agents::go {

// T tasks, G groups of the problem. An action of a group is that of the row that it belongs to;
// with the head kGumbel its action in scheduling is the place of that row.
struct View {
  const env::Problem* problem = nullptr;
  OpGraph graph;
  DeviceFeatures devices;
  std::vector<DecisionRows> resolutions;    // from few rows to many; never empty
  std::vector<torch::Tensor> row_of_group;  // of each resolution: int64 [G], on the CPU
  // The groups of each resolution in the order of their rows, those of a row in topological order;
  // empty without `symmetry`.
  std::vector<std::vector<std::size_t>> groups_by_row;
  std::vector<Task> tasks;  // of the problem
  PriorityHead head = PriorityHead::kLevels;
  std::shared_ptr<const OpOrder> order;   // that priorities are relative to, if they are
  std::vector<torch::Tensor> rule_order;  // of each resolution: its rows by upward ranks, else in
                                          // topological order; int64 [R], on the CPU
  double score_step = 0.0;                // between the rule's scores of one row and the next
  std::optional<sim::Plan> fixed;         // what is decided of the tasks that are not among these
  torch::Tensor num_ops_of_group;         // int64 [G], on the CPU
  double reference_score = 0.0;           // the scale of the rewards (env::FindReference)
  std::shared_ptr<const DeviceSymmetry>
      symmetry;  // of the machine; null where placement is no task
  // Capacities of each resolution, and of the groups; the former empty where each device could hold
  // all groups.
  std::vector<RowCapacity> capacities;
  RowCapacity group_capacity;
  std::int64_t num_levels = 0;  // of priorities

  [[nodiscard]] std::int64_t num_groups() const { return num_ops_of_group.size(0); }
};

// `rows` for a network that is trained over many problems: the first rows doubled until there is
// one for each accelerator, since the first plan of such a network is one of few rows.
[[nodiscard]] Rows WithARowForEachAccelerator(const env::Problem& problem, Rows rows);

// On `device`. env::FindReference evaluates rule-based plans, not counted, for a problem without a
// reference. REQUIRES: some task is to be decided; the problem outlives the view.
[[nodiscard]] View MakeView(const env::Problem& problem,
                            const Rows& rows,
                            const Sizes& sizes,
                            torch::Device device = torch::kCPU);

[[nodiscard]] PolicyInput PolicyInputOf(const View& view, std::size_t resolution);

// Which resolution plans are sampled on after this share of a budget: each has an equal part of it.
[[nodiscard]] std::size_t ResolutionAt(const View& view, double used_share);

// Actions of the rows of a resolution, int64 [K, T, R], as those of groups, int64 [K, T, G], on the
// CPU.
[[nodiscard]] torch::Tensor ActionsOfGroups(const View& view,
                                            std::size_t resolution,
                                            const torch::Tensor& actions);
// The other way, on the device of the view: of the actions of its groups that it may take, a row
// takes that of most ops; the first that it may take if there is none. Rows come in the order of
// the mean place of their ops.
[[nodiscard]] torch::Tensor ActionsOfRows(const View& view,
                                          std::size_t resolution,
                                          const torch::Tensor& actions);

// The plan of the actions of groups int64 [T, G].
[[nodiscard]] sim::Plan ToPlan(const View& view, const torch::Tensor& actions);
// The actions of groups, int64 [T, G], that come nearest to `plan`.
[[nodiscard]] torch::Tensor ActionsOfPlan(const View& view, const sim::Plan& plan);
// Actions of groups, int64 [K, T, G], with equal devices in the order of DeviceSymmetry.
[[nodiscard]] torch::Tensor CanonicalActions(const View& view, const torch::Tensor& actions);
// The same with equal devices in the order in which the rows of a resolution come to them first:
// what a policy over rows can know. In the order of their work, the names of devices whose rows
// overlap in time are a matter of chance.
[[nodiscard]] torch::Tensor CanonicalActions(const View& view,
                                             std::size_t resolution,
                                             const torch::Tensor& actions);
// The same, whatever joins the devices (DeviceSymmetry::NamedByFirstUse): plans that may take
// another time.
[[nodiscard]] torch::Tensor SimplyNamedActions(const View& view,
                                               std::size_t resolution,
                                               const torch::Tensor& actions);
// By how much each plan of actions of groups, int64 [K, T, G], asks for more of a device than it
// has, as a share of that, by GroupMemory's account; 0 where it fits. [K]
[[nodiscard]] std::vector<double> Overshoots(const View& view, const torch::Tensor& actions);

}  // namespace opyard::agents::go
