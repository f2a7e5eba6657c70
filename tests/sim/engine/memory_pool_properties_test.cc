// Properties of runs on machines whose devices share memories, on random cases.
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/reference_kernels.h"

namespace opyard::testing {
namespace {

constexpr std::uint64_t kFirstSeed = 560'000;
constexpr std::uint64_t kNumCases = 300;

RandomCase PooledCase(std::uint64_t seed, bool fuses) {
  CaseLimits limits{.least_devices = 2, .rules = kAllRules, .fuses = fuses};
  limits.rules.regal = false;
  limits.rules.memory_pools = true;
  return MakeRandomCase(seed, seed % 2 == 0 ? Values::kRound : Values::kContinuous, limits);
}

sim::SimReport RunOn(const RandomCase& made, const sim::HardwareProfile& machine) {
  sim::Workspace workspace;
  return EngineAndReference(made.graph, machine).RunEngine(made.plan, workspace);
}

// The same devices, each with a memory of its own.
sim::HardwareProfile WithoutPools(sim::HardwareProfile machine) {
  machine.memory_pools.clear();
  for (sim::Device& device : machine.devices) {
    device.memory_pool = sim::Device::kNoMemoryPool;
  }
  return machine;
}

TEST(MemoryPoolPropertyTest, WithBandwidthForAllNothingChanges) {
  for (const bool fuses : {false, true}) {
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      RandomCase made = PooledCase(seed, fuses);
      for (sim::MemoryPool& pool : made.hardware.memory_pools) {
        pool.bandwidth_bytes_per_s = 1e15;
      }
      const sim::SimReport shared = RunOn(made, made.hardware);
      const sim::SimReport own = RunOn(made, WithoutPools(made.hardware));
      ASSERT_EQ(shared.ops, own.ops);
      ASSERT_EQ(shared.transfers, own.transfers);
      ASSERT_EQ(shared.result, own.result);
    }
  }
}

TEST(MemoryPoolPropertyTest, NoKernelIsFasterThanAlone) {
  std::size_t num_slowed = 0;
  for (const bool fuses : {false, true}) {
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const RandomCase made = PooledCase(seed, fuses);
      const EngineAndReference both(made.graph, made.hardware);
      sim::Workspace workspace;
      const sim::SimReport report = both.RunEngine(made.plan, workspace);
      const ReferenceKernels kernels(*made.graph, made.hardware, both.costs(), made.plan);
      for (std::size_t op = 0; op < made.graph->num_ops(); ++op) {
        const SimTime took = report.ops[op]->finish - report.ops[op]->start;
        const SimTime alone = kernels[kernels.Of(OpId(op))].duration;
        ASSERT_GE(report.bandwidth_waits[op], SimTime{});
        ASSERT_EQ(took, alone + report.bandwidth_waits[op]);
        num_slowed += took > alone ? 1 : 0;
      }
    }
  }
  EXPECT_GT(num_slowed, 1000);
}

TEST(MemoryPoolPropertyTest, MakespanIsAtLeastItsBounds) {
  for (const bool fuses : {false, true}) {
    for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      RandomCase made = PooledCase(seed, fuses);
      for (sim::MemoryPool& pool : made.hardware.memory_pools) {
        pool.bandwidth_bytes_per_s *= seed % 3 == 0 ? 0.2 : 1.0;
      }
      const sim::SimReport report = RunOn(made, made.hardware);
      ASSERT_GE(report.result.makespan, report.plan_bound);
      ASSERT_GE(report.plan_bound, report.problem_bound);
    }
  }
}

// In a fixed order, and with transfers that do not meet, whatever takes longer ends later.
// (Elsewhere a slower kernel may leave its device to a better one, as Graham's anomalies do.)
TEST(MemoryPoolPropertyTest, InAFixedOrderSharingOnlyDelays) {
  std::size_t num_delayed = 0;
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCase made = PooledCase(seed, false);
    made.plan.queue = sim::QueueDiscipline::kProgram;
    made.plan.op_priority.clear();
    made.hardware.transfers.sharing = sim::Sharing::kNone;
    const SimTime shared = RunOn(made, made.hardware).result.makespan;
    const SimTime own = RunOn(made, WithoutPools(made.hardware)).result.makespan;
    ASSERT_GE(shared, own);
    num_delayed += shared > own ? 1 : 0;
  }
  EXPECT_GT(num_delayed, kNumCases / 10);
}

}  // namespace
}  // namespace opyard::testing
