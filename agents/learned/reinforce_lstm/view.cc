#include "agents/learned/reinforce_lstm/view.h"

#include <span>

#include "agents/learned/common/output_shapes.h"
#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "env/observation.h"
#include "env/reward.h"
#include "sim/base/check.h"

namespace opyard::agents::reinforce_lstm {
namespace {

constexpr std::int64_t kPriorityLevels = 20;

// The mean output shapes of the ops of each group, 0 where there is no dimension: [G, kShapeWidth].
torch::Tensor MeanShapes(const env::Problem& problem, const GroupSequence& sequence) {
  const torch::Tensor group_of_op = torch::tensor(sequence.group_of_op, torch::kLong);  // [N]
  const torch::Tensor sizes =                                                           // [G, 1]
      torch::bincount(group_of_op, {}, sequence.num_groups).to(torch::kFloat).unsqueeze(1);
  return torch::zeros({sequence.num_groups, kShapeWidth})
             .index_add_(0, group_of_op, OutputShapes(problem.graph(), 0.0F)) /
         sizes;
}

}  // namespace

View MakeView(const env::Problem& problem,
              const GroupingOptions& groups,
              const Sizes& sizes,
              torch::Device device) {
  OPYARD_CHECK(problem.tasks().placement, "a placement is learned where placement is a task");
  View view{.problem = &problem,
            .sequence = MakeGroupSequence(problem, groups),
            .features = {},
            .priority_of_group = {},
            .reference_score = env::FindReference(problem).score};
  view.features = MakeGroupFeatures(env::Observe(problem), view.sequence);
  if (sizes.faithful) {
    view.features.x = MeanShapes(problem, view.sequence);
  } else if (!sizes.memory_features) {
    HideMemory(view.features);
  }
  view.features = ToDevice(view.features, device);
  if (problem.tasks().scheduling) {
    view.priority_of_group = LevelsByUpwardRank(problem, kPriorityLevels);
  }
  return view;
}

sim::Plan ToPlan(const View& view, const torch::Tensor& devices) {
  const std::span<const std::int64_t> chosen(devices.data_ptr<std::int64_t>(),
                                             static_cast<std::size_t>(devices.numel()));
  return ToPlan(*view.problem,
                Decisions{.device_of_group = DeviceOfProblemGroups(view.sequence, chosen),
                          .priority_of_group = view.priority_of_group,
                          .fusion_of_group = {}});
}

}  // namespace opyard::agents::reinforce_lstm
