// The fast fuser and the literal one agree on random graphs, and the kernels have an order.
#include <cstdint>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "sim/fusion/fuser.h"
#include "tests/support/random_cases.h"
#include "tests/support/reference_fuser.h"

namespace opyard::testing {
namespace {

std::vector<OpSet> AsSets(const sim::OpGraph& graph, const sim::Kernels& kernels) {
  std::vector<OpSet> sets(kernels.num_kernels);
  for (std::size_t i = 0; i < kernels.num_kernels; ++i) {
    for (const std::int32_t op : kernels.ops_of(i)) {
      sets[i].insert(graph.topological_order()[At(op)]);
    }
  }
  return sets;
}

struct Batch {
  std::uint64_t first;
  std::uint64_t count;
  Values values;
  CaseLimits limits;
};

// One workspace serves all, so that nothing may leak from call to call.
void ExpectAgreement(const Batch& batch) {
  sim::FusionWorkspace workspace;
  std::size_t num_merged = 0;
  for (std::uint64_t seed = batch.first; seed < batch.first + batch.count; ++seed) {
    const RandomCase made = MakeRandomCase(seed, batch.values, batch.limits);
    const sim::FusionGraph graph = sim::PrepareFusion(*made.graph, made.hardware.fusion);
    sim::Fuse(
        graph, made.plan.placement, made.plan.fusion_priority, workspace, made.plan.fusion_region);
    const std::vector<OpSet> expected = FuseSlowly(*made.graph,
                                                   made.hardware.fusion,
                                                   made.plan.placement,
                                                   made.plan.fusion_priority,
                                                   made.plan.fusion_region);
    ASSERT_EQ(AsSets(*made.graph, workspace.kernels), expected) << "seed " << seed;
    num_merged += made.graph->num_ops() - expected.size();
  }
  EXPECT_GT(num_merged, batch.count);  // the cases are about something
}

TEST(FuserAgreementTest, HoldsOnSmallGraphs) {
  ExpectAgreement({.first = 1,
                   .count = 4000,
                   .values = Values::kRound,
                   .limits = {.most_ops = 14, .most_devices = 2, .fuses = true}});
}

TEST(FuserAgreementTest, HoldsOnOneDevice) {
  ExpectAgreement({.first = 100'001,
                   .count = 1500,
                   .values = Values::kRound,
                   .limits = {.most_ops = 30, .most_devices = 1, .fuses = true}});
}

TEST(FuserAgreementTest, HoldsOnMiddlingGraphs) {
  ExpectAgreement({.first = 200'001,
                   .count = 300,
                   .values = Values::kContinuous,
                   .limits = {.least_ops = 40, .most_ops = 80, .most_devices = 3, .fuses = true}});
}

TEST(FuserAgreementTest, HoldsInRegions) {
  ExpectAgreement({.first = 400'001,
                   .count = 600,
                   .values = Values::kRound,
                   .limits = {.least_ops = 30,
                              .most_ops = 60,
                              .most_devices = 1,
                              .fuses = true,
                              .has_regions = true}});
}

TEST(FuserAgreementTest, KernelsHoldOpsOfOneRegion) {
  sim::FusionWorkspace workspace;
  std::size_t num_merged = 0;
  for (std::uint64_t seed = 500'001; seed <= 500'200; ++seed) {
    const RandomCase made = MakeRandomCase(
        seed,
        Values::kRound,
        {.least_ops = 50, .most_ops = 200, .most_devices = 1, .fuses = true, .has_regions = true});
    const sim::FusionGraph graph = sim::PrepareFusion(*made.graph, made.hardware.fusion);
    const std::vector<std::int32_t>& region = made.plan.fusion_region;
    sim::Fuse(graph, made.plan.placement, made.plan.fusion_priority, workspace, region);
    for (const OpSet& ops : AsSets(*made.graph, workspace.kernels)) {
      for (const OpId op : ops) {
        ASSERT_EQ(region[op.index()], region[ops.begin()->index()]) << "seed " << seed;
      }
      num_merged += ops.size() - 1;
    }
  }
  EXPECT_GT(num_merged, 200U);
}

TEST(FuserAgreementTest, KernelsHaveATopologicalOrder) {
  sim::FusionWorkspace workspace;
  for (std::uint64_t seed = 300'001; seed <= 300'200; ++seed) {
    const RandomCase made =
        MakeRandomCase(seed,
                       Values::kRound,
                       {.least_ops = 100, .most_ops = 400, .most_devices = 2, .fuses = true});
    const sim::FusionGraph graph = sim::PrepareFusion(*made.graph, made.hardware.fusion);
    sim::Fuse(graph, made.plan.placement, made.plan.fusion_priority, workspace);
    const sim::Kernels& kernels = workspace.kernels;
    std::vector<std::size_t> place(kernels.num_kernels, kernels.num_kernels);
    for (std::size_t i = 0; i < kernels.topological_order.size(); ++i) {
      place[At(kernels.topological_order[i])] = i;
    }
    ASSERT_EQ(kernels.topological_order.size(), kernels.num_kernels);
    for (std::int32_t op = 0; op < static_cast<std::int32_t>(graph.num_ops); ++op) {
      for (const std::int32_t next : graph.successors_of(op)) {
        ASSERT_LE(place[At(kernels.kernel_of[At(op)])], place[At(kernels.kernel_of[At(next)])])
            << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace opyard::testing
