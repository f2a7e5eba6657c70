// GO at its defaults where the best plan of all is known: what is fused, and all three tasks
// together. Placement alone stands in ../exploration_test.cc, the order of ops in search_test.cc.
// They test that all plans are explored, which a network that never learns does as well; what
// learning adds is tested in learning_test.cc.
#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "agents/planning/encoding/decisions.h"
#include "env/group_placement.h"
#include "sim/engine/run/workspace.h"
#include "sim/engine/simulator.h"
#include "tests/agents/problems.h"
#include "tests/support/random_cases.h"

namespace opyard::agents::go {
namespace {

constexpr std::int64_t kEvaluations = 2000;
constexpr std::int64_t kOps = 4;

// Four ops of random fusion classes, times and edges on two devices.
std::shared_ptr<const env::Problem> FourOps(std::uint64_t seed, env::TaskSet tasks) {
  const opyard::testing::RandomCase made = opyard::testing::MakeRandomCase(
      seed,
      opyard::testing::Values::kContinuous,
      {.least_ops = kOps, .most_ops = kOps, .least_devices = 2, .most_devices = 2, .fuses = true});
  return testing::MakeProblem(made.graph, made.hardware, tasks);
}

// All lists of `count` numbers below `below`.
std::vector<std::vector<std::int32_t>> AllLists(std::size_t count, std::int32_t below) {
  std::vector<std::vector<std::int32_t>> lists = {{}};
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::vector<std::int32_t>> longer;
    for (const std::vector<std::int32_t>& list : lists) {
      for (std::int32_t value = 0; value < below; ++value) {
        longer.push_back(list);
        longer.back().push_back(value);
      }
    }
    lists = std::move(longer);
  }
  return lists;
}

std::vector<std::vector<std::int64_t>> AllOrders(std::size_t count) {
  std::vector<std::int64_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<std::int64_t>> orders;
  do {
    orders.push_back(order);
  } while (std::ranges::next_permutation(order).found);
  return orders;
}

std::vector<env::GroupPlacement> AllPlacements(const env::Problem& problem) {
  std::vector<env::GroupPlacement> placements;
  for (const std::vector<std::int32_t>& list : AllLists(NumGroups(problem), 2)) {
    env::GroupPlacement placement;
    for (std::size_t group = 0; group < list.size(); ++group) {
      const DeviceId device(list[group]);
      const auto allowed = problem.AllowedDevices(GroupId(group));
      if (std::ranges::find(allowed, device) != allowed.end()) {
        placement.push_back(device);
      }
    }
    if (placement.size() == list.size()) {
      placements.push_back(std::move(placement));
    }
  }
  return placements;
}

// The makespans of all plans, ascending, each once. The order of the fusion priorities and the
// groups that decline decide the fusion: levels of priority up to the number of groups reach all.
std::vector<SimTime> AllMakespans(const env::Problem& problem) {
  const std::size_t num_groups = NumGroups(problem);
  const env::TaskSet& tasks = problem.tasks();
  std::vector<env::GroupPlacement> placements = {{}};
  if (tasks.placement) {
    placements = AllPlacements(problem);
  }
  std::vector<std::vector<std::int64_t>> orders = {{}};
  if (tasks.scheduling) {
    orders = AllOrders(num_groups);
  }
  const auto fusions = AllLists(num_groups, static_cast<std::int32_t>(num_groups) + 1);
  sim::Workspace workspace;
  std::vector<SimTime> makespans;
  for (const env::GroupPlacement& placement : placements) {
    for (const std::vector<std::int64_t>& order : orders) {
      for (const std::vector<std::int32_t>& fusion : fusions) {
        const sim::Plan plan = agents::ToPlan(problem,
                                              {.device_of_group = placement,
                                               .priority_of_group = order,
                                               .fusion_of_group = fusion,
                                               .order = nullptr});
        makespans.push_back(problem.simulator().Run(plan, workspace).makespan);
      }
    }
  }
  std::ranges::sort(makespans);
  const auto [first, last] = std::ranges::unique(makespans);
  makespans.erase(first, last);
  return makespans;
}

// The first `count` random problems on which plans differ by as many makespans, at least.
void ExpectNineOfTen(env::TaskSet tasks, std::size_t least_makespans, int count) {
  int num_problems = 0;
  for (std::uint64_t instance = 0; num_problems < count; ++instance) {
    const auto problem = FourOps(instance, tasks);
    const std::vector<SimTime> makespans = AllMakespans(*problem);
    if (NumGroups(*problem) < kOps || makespans.size() < least_makespans) {
      continue;
    }
    SCOPED_TRACE(instance);
    ++num_problems;
    int num_reached = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      num_reached +=
          testing::Reaches(
              "go", problem, makespans.front(), {.evaluations = kEvaluations, .seed = seed})
              ? 1
              : 0;
    }
    EXPECT_GE(num_reached, 9);
  }
}

// 5^4 = 625 lists of fusion priorities.
TEST(GoOptimumTest, AtItsDefaultsItMeetsTheBestFusionFromNineOfTenSeeds) {
  ExpectNineOfTen(testing::kFusion, 3, 4);
}

// 2^4 placements × 4! orders × 625 = 240,000 plans.
TEST(GoOptimumTest, AtItsDefaultsItMeetsTheBestPlanOfAllTasksFromNineOfTenSeeds) {
  ExpectNineOfTen(testing::kAll, 20, 4);
}

}  // namespace
}  // namespace opyard::agents::go
