// Fused plans that a workspace remembers, against workspaces that know nothing.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"

namespace opyard::testing {
namespace {

constexpr std::uint64_t kFirstSeed = 810'000;
constexpr std::uint64_t kNumCases = 60;

// Plans of one problem: one, and neighbours of it that differ in the priorities, in the device or
// in the fusion priority of an op.
std::vector<sim::Plan> Neighbourhood(Rng& rng, const RandomCase& made) {
  std::vector<sim::Plan> plans = {made.plan};
  for (int i = 0; i < 7; ++i) {
    sim::Plan plan = made.plan;
    const auto op = static_cast<std::size_t>(rng.Below(made.graph->num_ops()));
    const sim::Plan other = RandomPlan(rng, *made.graph, made.hardware);
    switch (rng.Below(4)) {
      case 0:
        plan.queue = other.queue;
        plan.op_priority = other.op_priority;
        break;
      case 1:
        plan.placement = other.placement;
        break;
      case 2:
        plan.placement[op] = other.placement[op];
        break;
      default:
        if (!plan.fusion_priority.empty()) {
          plan.fusion_priority[op] = static_cast<std::int32_t>(rng.Below(3));
        }
        break;
    }
    plans.push_back(plan);
  }
  return plans;
}

// Some of them split what has to stay together: they are refused, and leave no trace.
bool Fits(const EngineAndReference& both, const sim::Plan& plan) {
  sim::Workspace fresh;
  try {
    static_cast<void>(both.simulator().Run(plan, fresh));
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

TEST(ContractionTest, RememberedPlansAreThoseOfAFreshWorkspace) {
  sim::Workspace shared;  // over all problems, too
  int num_fused = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomCase made = MakeRandomCase(
        seed, Values::kContinuous, {.most_ops = 30, .rules = kAllRules, .fuses = true});
    const EngineAndReference both(made.graph, made.hardware);
    Rng rng(seed);
    const std::vector<sim::Plan> plans = Neighbourhood(rng, made);
    for (int i = 0; i < 30; ++i) {
      const sim::Plan& plan = plans[rng.Below(plans.size())];
      if (!Fits(both, plan)) {
        EXPECT_ANY_THROW(static_cast<void>(both.simulator().Run(plan, shared)));
        continue;
      }
      sim::Workspace fresh;
      const sim::SimReport expected = both.RunEngine(plan, fresh);
      const sim::SimReport found = both.RunEngine(plan, shared);
      ASSERT_EQ(found.result, expected.result);
      ASSERT_EQ(found.groups, expected.groups);
      ASSERT_EQ(both.simulator().Run(plan, shared), expected.result);
      std::vector<std::int32_t> groups = found.groups;
      std::ranges::sort(groups);
      num_fused += std::ranges::adjacent_find(groups) != groups.end() ? 1 : 0;
    }
  }
  EXPECT_GT(num_fused, 200);
}

// A run of ops, by topological index, on another device, where all of them may run there; more
// often a short one.
void MoveSome(Rng& rng, const RandomCase& made, sim::Plan& plan) {
  const std::size_t num_ops = made.graph->num_ops();
  const std::size_t most = rng.Below(3) == 0 ? std::max<std::size_t>(num_ops / 6, 1) : 2;
  const std::size_t first = rng.Below(num_ops);
  const std::size_t end = std::min(first + 1 + rng.Below(most), num_ops);
  const DeviceId device(rng.Below(made.hardware.num_devices()));
  for (std::size_t k = first; k < end; ++k) {
    plan.placement[made.graph->topological_order()[k].index()] = device;
  }
}

// Where every other plan is a neighbour of the last, fusions are repeated rather than made anew.
TEST(ContractionTest, PlansOnAWalkAreThoseOfAFreshWorkspace) {
  constexpr std::uint64_t kNumWalks = 150;
  sim::Workspace shared;
  int num_compared = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumWalks; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomCase made = MakeRandomCase(
        seed,
        Values::kContinuous,
        {.least_ops = 20, .most_ops = 120, .most_devices = 3, .rules = kAllRules, .fuses = true});
    const EngineAndReference both(made.graph, made.hardware);
    Rng rng(seed);
    sim::Plan plan = made.plan;
    for (int i = 0; i < 20; ++i) {
      sim::Plan next = plan;
      MoveSome(rng, made, next);
      if (!Fits(both, next)) {
        continue;
      }
      sim::Workspace fresh;
      const sim::SimReport expected = both.RunEngine(next, fresh);
      const sim::SimReport found = both.RunEngine(next, shared);
      ASSERT_EQ(found.result, expected.result);
      ASSERT_EQ(found.groups, expected.groups);
      ASSERT_EQ(found.plan_bound, expected.plan_bound);
      ASSERT_EQ(both.simulator().Run(next, shared), expected.result);
      ++num_compared;
      if (rng.Below(2) == 0) {
        plan = next;
      }
    }
  }
  EXPECT_GT(num_compared, 500);
}

}  // namespace
}  // namespace opyard::testing
