// The critical path of thousands of random steps under all rules: it covers the makespan without a
// gap or an overlap, and each part is what it says, by the spans of the report alone.
#include <cstddef>
#include <cstdint>
#include <string>

#include <gtest/gtest.h>

#include "sim/analysis/critical_path.h"
#include "tests/support/critical_path_checks.h"
#include "tests/support/random_cases.h"
#include "tests/support/simulated_case.h"

namespace opyard::testing {
namespace {

using sim::PartKind;

constexpr CaseLimits kUnderAllRules{.rules = kAllRules};

// Leaves each device a little less than the plan of `made` needs, and lets it wait: most steps
// still complete.
void TakeALittleMemory(Rng& rng, RandomCase& made) {
  const SimulatedCase wanted(made.graph, made.hardware, made.plan);
  made.hardware.memory.on_exceed = sim::OnExceed::kWait;
  for (std::size_t d = 0; d < made.hardware.num_devices(); ++d) {
    const auto peak = static_cast<double>(wanted.report().devices[d].peak_memory.count);
    const double share = rng.Below(2) == 0 ? 1.0 : 0.8 + 0.2 * rng.Uniform();
    made.hardware.devices[d].memory = Bytes{1 + static_cast<std::int64_t>(share * peak)};
  }
  for (std::size_t i = 0; i < made.hardware.memory_pools.size(); ++i) {
    const auto peak = static_cast<double>(wanted.report().memory_pools[i].peak_memory.count);
    const double share = rng.Below(2) == 0 ? 1.0 : 0.8 + 0.2 * rng.Uniform();
    made.hardware.memory_pools[i].memory = Bytes{1 + static_cast<std::int64_t>(share * peak)};
  }
}

// Like random machines under rules opyard, as far as placeto allows.
void FollowPlaceto(RandomCase& made) {
  made.hardware.rules = sim::Rules::kPlaceto;
  if (made.hardware.transfers.sharing == sim::Sharing::kFair) {
    made.hardware.transfers.sharing = sim::Sharing::kSerial;
  }
}

// Half of the cases have tight memory and wait for it; those that deadlock have no path.
KindCounts CheckPaths(std::uint64_t first,
                      std::uint64_t count,
                      const CaseLimits& limits,
                      sim::Rules rules = sim::Rules::kOpyard) {
  KindCounts seen{};
  std::uint64_t num_checked = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomCase made =
        MakeRandomCase(seed, seed % 3 == 0 ? Values::kContinuous : Values::kRound, limits);
    if (rules == sim::Rules::kPlaceto) {
      FollowPlaceto(made);
    }
    if (seed % 2 == 0) {
      Rng rng(seed);
      TakeALittleMemory(rng, made);
    }
    const SimulatedCase simulated(made.graph, made.hardware, made.plan);
    if (simulated.report().result.outcome != sim::Outcome::kCompleted) {
      continue;
    }
    ++num_checked;
    CheckCriticalPath(simulated, seen);
    if (::testing::Test::HasFailure()) {
      return seen;
    }
  }
  EXPECT_GT(num_checked, count / 2);
  return seen;
}

TEST(CriticalPathPropertyTest, EachPartIsWhatItSaysUnderAllRules) {
  const KindCounts seen = CheckPaths(700'000, 4'000, kUnderAllRules);
  for (std::size_t kind = 0; kind < seen.size(); ++kind) {
    if (static_cast<PartKind>(kind) != PartKind::kStreamHead &&
        static_cast<PartKind>(kind) != PartKind::kChannelTurn &&
        static_cast<PartKind>(kind) != PartKind::kMemoryBandwidth) {
      EXPECT_GT(seen[kind], 50) << sim::NameOf(static_cast<PartKind>(kind));
    }
  }
}

TEST(CriticalPathPropertyTest, EachPartIsWhatItSaysInStreams) {
  CaseLimits limits = kUnderAllRules;
  limits.rules.streams = true;
  const KindCounts seen = CheckPaths(730'000, 3'000, limits);
  EXPECT_GT(seen[static_cast<std::size_t>(PartKind::kStreamHead)], 50);
  limits.fuses = true;
  CheckPaths(735'000, 2'000, limits);
}

TEST(CriticalPathPropertyTest, EachPartIsWhatItSaysWhereChannelsHaveOrders) {
  const KindCounts seen = CheckPaths(740'000, 6'000, {.rules = {.streams = true}});
  EXPECT_GT(seen[static_cast<std::size_t>(PartKind::kChannelTurn)], 50);
}

TEST(CriticalPathPropertyTest, EachPartIsWhatItSaysOnPlainMachines) {
  CheckPaths(710'000, 1'000, {});
}

TEST(CriticalPathPropertyTest, EachPartIsWhatItSaysOfFusedKernels) {
  CheckPaths(725'000, 2'000, {.rules = kAllRules, .fuses = true});
}

TEST(CriticalPathPropertyTest, EachPartIsWhatItSaysWhereCopiesTakeTimeFromOps) {
  const CaseLimits limits{.rules = {.gaps = true, .per_edge = true, .copy_overheads = true},
                          .fuses = true};
  CheckPaths(730'000, 1'000, limits);
}

TEST(CriticalPathPropertyTest, EachPartIsWhatItSaysWhereDevicesShareMemories) {
  CaseLimits limits = kUnderAllRules;
  limits.rules.memory_pools = true;
  const KindCounts seen = CheckPaths(750'000, 2'000, limits);
  EXPECT_GT(seen[static_cast<std::size_t>(PartKind::kMemoryBandwidth)], 50);
  limits.rules.streams = true;
  limits.fuses = true;
  CheckPaths(755'000, 1'000, limits);
}

TEST(CriticalPathPropertyTest, EachPartIsWhatItSaysUnderPlaceto) {
  const CaseLimits limits{
      .rules = {.gaps = true, .dispatch = true, .per_output = true, .per_edge = true}};
  CheckPaths(715'000, 1'500, limits, sim::Rules::kPlaceto);
}

TEST(CriticalPathPropertyTest, EachPartIsWhatItSaysOnLargerGraphs) {
  CheckPaths(720'000, 30, {.least_ops = 200, .most_ops = 800, .rules = kAllRules});
}

}  // namespace
}  // namespace opyard::testing
