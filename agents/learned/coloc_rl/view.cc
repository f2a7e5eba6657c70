#include "agents/learned/coloc_rl/view.h"

#include <span>

#include "agents/planning/decisions.h"
#include "agents/planning/simple_plans.h"
#include "env/observation.h"
#include "env/reward.h"
#include "sim/base/check.h"

namespace opyard::agents {
namespace {

constexpr std::int64_t kPriorityLevels = 20;

}  // namespace

ColocRlView View(const env::Problem& problem,
                 const GroupingOptions& groups,
                 const ColocRlSizes& sizes,
                 torch::Device device) {
  OPYARD_CHECK(problem.tasks().placement, "a placement is learned where placement is a task");
  ColocRlView view{.problem = &problem,
                   .sequence = MakeGroupSequence(problem, groups),
                   .features = {},
                   .priority_of_group = {},
                   .reference_score = env::FindReference(problem).score};
  view.features = MakeGroupFeatures(env::Observe(problem), view.sequence);
  if (!sizes.memory_features) {
    HideMemory(view.features);
  }
  view.features = ToDevice(view.features, device);
  if (problem.tasks().scheduling) {
    view.priority_of_group = LevelsByUpwardRank(problem, kPriorityLevels);
  }
  return view;
}

sim::Plan ToPlan(const ColocRlView& view, const torch::Tensor& devices) {
  const std::span<const std::int64_t> chosen(devices.data_ptr<std::int64_t>(),
                                             static_cast<std::size_t>(devices.numel()));
  return ToPlan(*view.problem,
                Decisions{.device_of_group = DeviceOfProblemGroups(view.sequence, chosen),
                          .priority_of_group = view.priority_of_group,
                          .fusion_of_group = {}});
}

}  // namespace opyard::agents
