// Repeating a fusion gives what fusing anew gives, on random graphs and chains of random moves.
#include "sim/fusion/fusion_replay.h"

#include <cstdint>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/rng.h"
#include "sim/fusion/fuser.h"
#include "sim/hardware/device.h"
#include "tests/support/random_cases.h"

namespace opyard::testing {
namespace {

struct Fusion {
  sim::OpPlacement placement;
  sim::Kernels kernels;
  sim::FusionLog log;
};

// Whether every edge between two kernels goes forward in their order.
bool IsTopological(const sim::FusionGraph& graph, const sim::Kernels& kernels) {
  std::vector<std::size_t> place(kernels.num_kernels, kernels.num_kernels);
  for (std::size_t i = 0; i < kernels.topological_order.size(); ++i) {
    place[At(kernels.topological_order[i])] = i;
  }
  bool is_topological = kernels.topological_order.size() == kernels.num_kernels;
  for (std::int32_t op = 0; op < static_cast<std::int32_t>(graph.num_ops); ++op) {
    for (const std::int32_t next : graph.successors_of(op)) {
      is_topological = is_topological && place[At(kernels.kernel_of[At(op)])] <=
                                             place[At(kernels.kernel_of[At(next)])];
    }
  }
  return is_topological;
}

// Moves one op or a run of ops, by topological index, to a random device; ops go where they may
// not run, too: fusing does not ask.
void MoveSome(const sim::FusionGraph& graph,
              std::size_t num_devices,
              sim::OpPlacement& placement,
              Rng& rng) {
  const std::size_t most = rng.Below(3) == 0 ? std::max<std::size_t>(graph.num_ops / 6, 1) : 2;
  const std::size_t first = rng.Below(graph.num_ops);
  const std::size_t end = std::min(first + 1 + rng.Below(most), graph.num_ops);
  const DeviceId device(rng.Below(num_devices));
  for (std::size_t k = first; k < end; ++k) {
    placement[graph.op_of[k].index()] = device;
  }
}

struct Batch {
  std::uint64_t first;
  std::uint64_t count;
  std::size_t num_moves;
  CaseLimits limits;
};

struct Counts {
  std::size_t repeated = 0;
  std::size_t changed = 0;  // of them, those with other kernels
  std::size_t refused = 0;
};

// One workspace serves all, so that nothing may leak from call to call.
class FusionReplayTest : public ::testing::Test {
 protected:
  Counts ExpectAgreement(const Batch& batch) {
    Counts counts;
    for (std::uint64_t seed = batch.first; seed < batch.first + batch.count; ++seed) {
      SCOPED_TRACE(seed);
      const RandomCase made = MakeRandomCase(seed, Values::kRound, batch.limits);
      FollowMoves(made, seed, batch.num_moves, counts);
      if (HasFailure()) {
        return counts;
      }
    }
    return counts;
  }

 private:
  void FollowMoves(const RandomCase& made,
                   std::uint64_t seed,
                   std::size_t num_moves,
                   Counts& counts) {
    const sim::FusionGraph graph = sim::PrepareFusion(*made.graph, made.hardware.fusion);
    const std::vector<std::int32_t>& priority = made.plan.fusion_priority;
    const std::vector<std::int32_t>& region = made.plan.fusion_region;
    Rng rng(seed);
    Fusion past{.placement = made.plan.placement};
    FuseAnew(graph, made.plan, past.placement, past);
    for (std::size_t move = 0; move < num_moves; ++move) {
      Fusion next{.placement = past.placement};
      MoveSome(graph, made.hardware.num_devices(), next.placement, rng);
      Fusion expected;
      FuseAnew(graph, made.plan, next.placement, expected);
      if (!sim::ReplayFusion(graph,
                             {.placement = past.placement,
                              .kernels = past.kernels,
                              .log = past.log,
                              .region = region},
                             next.placement,
                             priority,
                             workspace_,
                             replay_)) {
        ++counts.refused;
        past = std::move(expected);
        past.placement = std::move(next.placement);
        continue;
      }
      ++counts.repeated;
      counts.changed += past.kernels.kernel_of != expected.kernels.kernel_of ? 1 : 0;
      next.kernels = workspace_.kernels;
      next.log = workspace_.log;
      ASSERT_EQ(next.kernels.kernel_of, expected.kernels.kernel_of);
      ASSERT_EQ(next.kernels.ops, expected.kernels.ops);
      ASSERT_EQ(next.kernels.first_op, expected.kernels.first_op);
      ASSERT_EQ(next.log.visits, expected.log.visits);
      ASSERT_EQ(next.log.absorbed, expected.log.absorbed);
      ASSERT_EQ(next.log.first_absorbed, expected.log.first_absorbed);
      ASSERT_TRUE(IsTopological(graph, next.kernels));
      past = std::move(next);
    }
  }

  // The fusion of `plan` with another placement.
  void FuseAnew(const sim::FusionGraph& graph,
                const sim::Plan& plan,
                const sim::OpPlacement& placement,
                Fusion& fusion) {
    sim::Fuse(graph, placement, plan.fusion_priority, workspace_, plan.fusion_region);
    fusion.kernels = workspace_.kernels;
    fusion.log = workspace_.log;
  }

  sim::FusionWorkspace workspace_;
  sim::ReplayWorkspace replay_;
};

TEST_F(FusionReplayTest, AgreesOnSmallGraphs) {
  const Counts counts = ExpectAgreement(
      {.first = 1,
       .count = 3000,
       .num_moves = 10,
       .limits = {.least_ops = 6, .most_ops = 24, .most_devices = 3, .fuses = true}});
  EXPECT_GT(counts.repeated, 15'000U);
  EXPECT_GT(counts.changed, 4'000U);
}

TEST_F(FusionReplayTest, AgreesInRegions) {
  const Counts counts = ExpectAgreement(
      {.first = 300'001,
       .count = 1000,
       .num_moves = 10,
       .limits = {
           .least_ops = 6, .most_ops = 24, .most_devices = 3, .fuses = true, .has_regions = true}});
  EXPECT_GT(counts.repeated, 3'000U);
  EXPECT_GT(counts.changed, 300U);
}

TEST_F(FusionReplayTest, AgreesOnMiddlingGraphs) {
  const Counts counts = ExpectAgreement(
      {.first = 100'001,
       .count = 1000,
       .num_moves = 20,
       .limits = {.least_ops = 40, .most_ops = 120, .most_devices = 3, .fuses = true}});
  EXPECT_GT(counts.repeated, 15'000U);
  EXPECT_GT(counts.changed, 4'000U);
}

TEST_F(FusionReplayTest, AgreesOnLargerGraphs) {
  const Counts counts = ExpectAgreement(
      {.first = 200'001,
       .count = 60,
       .num_moves = 40,
       .limits = {.least_ops = 300, .most_ops = 1000, .most_devices = 4, .fuses = true}});
  EXPECT_GT(counts.repeated, 1'800U);
  EXPECT_GT(counts.changed, 500U);
}

}  // namespace
}  // namespace opyard::testing
