// The contents of a device's memory at its peak. Times in comments are microseconds, sizes bytes.
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

using Entries = std::vector<std::pair<std::string, std::int64_t>>;

std::vector<Entries> PeakResidents(const EngineAndReference& both, const sim::Plan& plan) {
  sim::Workspace workspace;
  std::vector<Entries> devices;
  for (const auto& residents : both.simulator().PeakResidents(plan, workspace)) {
    Entries& entries = devices.emplace_back();
    for (const sim::Resident& resident : residents) {
      entries.emplace_back(resident.name, resident.bytes.count);
    }
  }
  return devices;
}

TEST(PeakResidentsTest, NamesWhatIsHeldWhenMostIs) {
  // On d0, a 0–2 makes 300 for b and c. Beside it b 2–5 makes 500 with 40 of workspace: the peak,
  // 840 and 70 of parameters. Then c 5–6 makes 20. On d1: the copy of b:0 (500) and d's output.
  sim::OpSpec b = TimedOp("b", 3, {{0, 0}}, {500});
  b.workspace_bytes = Bytes{40};
  b.param_bytes = Bytes{70};
  const EngineAndReference both(MakeGraph({TimedOp("a", 2, {}, {300}),
                                           b,
                                           TimedOp("c", 1, {{0, 0}}, {20}),
                                           TimedOp("d", 1, {{1, 0}}, {9})}),
                                MeshMachine(2));
  EXPECT_THAT(PeakResidents(both, PlacedOn({0, 0, 0, 1})),
              ElementsAre(ElementsAre(Pair("b:0", 500),
                                      Pair("a:0", 300),
                                      Pair("parameters of b", 70),
                                      Pair("workspace of b", 40)),
                          ElementsAre(Pair("copy of b:0", 500), Pair("d:0", 9))));
}

TEST(PeakResidentsTest, OfAFailureNamesWhatWasHeldThen) {
  const EngineAndReference both(
      MakeGraph({TimedOp("a", 2, {}, {600'000}), TimedOp("b", 1, {{0, 0}}, {600'000})}),
      MeshMachine(1));
  EXPECT_THAT(PeakResidents(both, PlacedOn({0, 0})),
              ElementsAre(ElementsAre(Pair("a:0", 600'000))));
}

// Where all of them are listed, they are all that the device holds.
TEST(PeakResidentsTest, AddUpToThePeak) {
  CaseLimits limits{.most_ops = 12,
                    .rules = {.gaps = true, .per_output = true, .per_edge = true, .fair = true}};
  std::int64_t num_compared = 0;
  for (std::uint64_t seed = 740'000; seed < 740'300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    limits.fuses = seed % 3 == 0;
    const RandomCase made = MakeRandomCase(seed, Values::kRound, limits);
    const EngineAndReference both(made.graph, made.hardware);
    sim::Workspace workspace;
    const sim::SimReport report = both.RunEngine(made.plan, workspace);
    const std::vector<Entries> residents = PeakResidents(both, made.plan);
    for (std::size_t d = 0; d < residents.size(); ++d) {
      if (residents[d].size() == 10) {
        continue;
      }
      const std::int64_t sum = std::accumulate(
          residents[d].begin(), residents[d].end(), std::int64_t{0}, [](auto total, auto& entry) {
            return total + entry.second;
          });
      ASSERT_EQ(sum, report.devices[d].peak_memory.count) << "device " << d;
      num_compared += sum > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(num_compared, 200);
}

}  // namespace
}  // namespace opyard::testing
