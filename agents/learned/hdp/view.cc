#include "agents/learned/hdp/view.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "agents/planning/encoding/decisions.h"
#include "agents/planning/initial_plans/simple_plans.h"
#include "env/reward.h"
#include "sim/base/check.h"

namespace opyard::agents::hdp {
namespace {

// As published.
constexpr std::int64_t kMostGroups = 256;
constexpr std::int64_t kGroupsPerAccelerator = 20;

// The same problem, with a group per op; null if it is that already, or one of modules, which are
// not divided.
std::shared_ptr<const env::Problem> PerOp(const env::Problem& problem) {
  if (problem.settings().decide_per != env::DecidePer::kGroup) {
    return nullptr;
  }
  env::ProblemSpec spec = problem.spec();
  spec.settings.decide_per = env::DecidePer::kOp;
  return std::make_shared<const env::Problem>(std::move(spec));
}

// About as many units as groups.
GroupSequence StagesOf(const env::Problem& problem, std::int64_t num_groups) {
  return MakeGroupSequence(
      problem,
      {.rule = GroupingRule::kStages, .max_groups = static_cast<std::int32_t>(num_groups)});
}

}  // namespace

std::int64_t PublishedGroups(std::int64_t num_accelerators) {
  return std::min(kMostGroups, kGroupsPerAccelerator * num_accelerators);
}

GroupSequence UnitsOf(const env::Problem& problem) {
  return MakeGroupSequence(
      problem,
      {.rule = GroupingRule::kProblem, .max_groups = std::numeric_limits<std::int32_t>::max()});
}

View MakeView(const env::Problem& problem,
              UnitKind units,
              const Sizes& sizes,
              torch::Device device) {
  OPYARD_CHECK(problem.tasks().placement, "a placement is learned where placement is a task");
  View view{.problem = &problem,
            .finer = units == UnitKind::kOp ? PerOp(problem) : nullptr,
            .units = {},
            .features = {},
            .num_accelerators = std::ssize(MainDevices(problem)),
            .priority_of_group = {},
            .reference_score = env::FindReference(problem).score};
  if (view.finer != nullptr) {
    view.problem = view.finer.get();
  }
  if (units == UnitKind::kStages) {
    view.units = StagesOf(
        problem, sizes.num_groups > 0 ? sizes.num_groups : PublishedGroups(view.num_accelerators));
  } else {
    view.units = UnitsOf(*view.problem);
  }
  view.features = ToDevice(MakeOpFeatures(*view.problem, view.units, sizes.faithful), device);
  if (problem.tasks().scheduling) {
    view.priority_of_group = LevelsByUpwardRank(*view.problem, kDefaultLevels);
  }
  return view;
}

torch::Tensor DevicesOfUnits(const OpFeatures& features,
                             const torch::Tensor& groups,
                             const torch::Tensor& devices) {
  const torch::Tensor wanted = devices.gather(1, groups);  // [K, U]
  return features.legal.unsqueeze(0)
      .expand({groups.size(0), -1, -1})
      .gather(2, wanted.unsqueeze(2))
      .squeeze(2);
}

sim::Plan ToPlan(const View& view, const torch::Tensor& device_of_unit) {
  const std::span<const std::int64_t> chosen(device_of_unit.data_ptr<std::int64_t>(),
                                             static_cast<std::size_t>(device_of_unit.numel()));
  return ToPlan(*view.problem,
                Decisions{.device_of_group = DeviceOfProblemGroups(view.units, chosen),
                          .priority_of_group = view.priority_of_group,
                          .fusion_of_group = {}});
}

}  // namespace opyard::agents::hdp
