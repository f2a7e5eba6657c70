// A run allocates nothing once its workspace is warm, whatever the plan. This program counts all
// allocations, so it stands apart from the other tests.
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "graphs/graph_sources.h"
#include "sim/base/rng.h"
#include "sim/engine/simulator.h"
#include "tests/support/agreement.h"
#include "tests/support/small_graphs.h"

namespace {

std::atomic<std::int64_t> num_allocations{0};

}  // namespace

// GCC sees through the replaced operators and takes free for a mistake.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"
#endif

void* operator new(std::size_t size) {
  ++num_allocations;
  if (void* memory = std::malloc(size)) {
    return memory;
  }
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace opyard::testing {
namespace {

constexpr std::size_t kNumDevices = 4;
constexpr int kNumPlans = 20;

// Every op somewhere, with one of twenty priorities.
sim::Plan SamplePlan(Rng& rng, std::size_t num_ops) {
  sim::Plan plan{.placement = {}, .queue = sim::QueueDiscipline::kPriority};
  for (std::size_t op = 0; op < num_ops; ++op) {
    plan.placement.emplace_back(static_cast<std::size_t>(rng.Below(kNumDevices)));
    plan.op_priority.push_back(rng.Between(0, 19));
  }
  return plan;
}

sim::HardwareProfile Machine(sim::Sharing sharing) {
  sim::HardwareProfile machine = opyard::testing::StarMachine(kNumDevices, 1);
  machine.transfers.sharing = sharing;
  machine.memory.on_exceed = sim::OnExceed::kIgnore;
  return machine;
}

// The same with one of twenty fusion priorities.
sim::Plan SampleFusedPlan(Rng& rng, std::size_t num_ops) {
  sim::Plan plan = SamplePlan(rng, num_ops);
  for (std::size_t op = 0; op < num_ops; ++op) {
    plan.fusion_priority.push_back(static_cast<std::int32_t>(rng.Below(20)));
  }
  return plan;
}

// The number of allocations of `run` on plans that the workspace has not seen, after the first
// `num_warming`.
template <class Sample, class Run>
std::int64_t CountAllocations(std::size_t num_ops,
                              const Sample& sample,
                              const Run& run,
                              std::size_t num_warming = 1) {
  Rng rng(3);
  std::vector<sim::Plan> plans;
  for (int i = 0; i < kNumPlans; ++i) {
    plans.push_back(sample(rng, num_ops));
  }
  std::ranges::for_each(std::span(plans).first(num_warming), run);
  const std::int64_t before = num_allocations;
  for (const sim::Plan& plan : plans) {
    run(plan);
  }
  return num_allocations - before;
}

class RunAllocationsTest : public ::testing::TestWithParam<sim::Sharing> {};

TEST_P(RunAllocationsTest, ThereAreNoneOnceTheWorkspaceIsWarm) {
  const auto graph = graphs::LoadGraph("random:layered?n=500&seed=1");
  const EngineAndReference engine(graph, Machine(GetParam()));
  sim::Workspace workspace;
  const auto run = [&](const sim::Plan& plan) {
    EXPECT_EQ(engine.simulator().Run(plan, workspace).outcome, sim::Outcome::kCompleted);
  };
  EXPECT_EQ(CountAllocations(graph->num_ops(), SamplePlan, run), 0);
}

TEST_P(RunAllocationsTest, ThereAreNoneWithReleasesEither) {
  const auto graph = graphs::LoadGraph("random:layered?n=50&seed=1&jobs=10&interarrival=0.01");
  const EngineAndReference engine(graph, Machine(GetParam()));
  sim::Workspace workspace;
  const auto run = [&](const sim::Plan& plan) {
    EXPECT_EQ(engine.simulator().Run(plan, workspace).outcome, sim::Outcome::kCompleted);
  };
  EXPECT_EQ(CountAllocations(graph->num_ops(), SamplePlan, run), 0);
  EXPECT_EQ(CountAllocations(graph->num_ops(), SampleFusedPlan, run, 5), 0);
}

TEST_P(RunAllocationsTest, ThereAreNoneWithFusionEither) {
  const auto graph = graphs::LoadGraph("random:layered?n=500&seed=1");
  const EngineAndReference engine(graph, Machine(GetParam()));
  sim::Workspace workspace;
  const auto run = [&](const sim::Plan& plan) {
    EXPECT_EQ(engine.simulator().Run(plan, workspace).outcome, sim::Outcome::kCompleted);
  };
  // A workspace keeps four fused plans, and room for one that is being made.
  EXPECT_EQ(CountAllocations(graph->num_ops(), SampleFusedPlan, run, 5), 0);
}

TEST_P(RunAllocationsTest, ThereAreNoneWhereDevicesShareAMemoryEither) {
  const auto graph = graphs::LoadGraph("random:layered?n=500&seed=1");
  sim::HardwareProfile machine = Machine(GetParam());
  machine.memory_pools = {
      {.name = "ram", .memory = Bytes{1'000'000}, .bandwidth_bytes_per_s = 1e9}};
  for (sim::Device& device : machine.devices) {
    device.memory_pool = 0;
  }
  const EngineAndReference engine(graph, machine);
  sim::Workspace workspace;
  const auto run = [&](const sim::Plan& plan) {
    EXPECT_EQ(engine.simulator().Run(plan, workspace).outcome, sim::Outcome::kCompleted);
  };
  EXPECT_EQ(CountAllocations(graph->num_ops(), SamplePlan, run), 0);
  EXPECT_EQ(CountAllocations(graph->num_ops(), SampleFusedPlan, run, 5), 0);
}

TEST_P(RunAllocationsTest, TheCounterCounts) {
  const auto graph = graphs::LoadGraph("random:layered?n=50&seed=1");
  const EngineAndReference engine(graph, Machine(GetParam()));
  const auto run = [&](const sim::Plan& plan) {
    sim::Workspace cold;
    EXPECT_EQ(engine.simulator().Run(plan, cold).outcome, sim::Outcome::kCompleted);
  };
  EXPECT_GE(CountAllocations(graph->num_ops(), SamplePlan, run), kNumPlans);
}

INSTANTIATE_TEST_SUITE_P(Sharings,
                         RunAllocationsTest,
                         ::testing::Values(sim::Sharing::kSerial,
                                           sim::Sharing::kFair,
                                           sim::Sharing::kNone));

}  // namespace
}  // namespace opyard::testing
