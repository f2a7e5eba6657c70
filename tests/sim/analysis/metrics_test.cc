// Times in comments are microseconds; links carry 1000 bytes in one.
#include "sim/analysis/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/simulated_case.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;

TEST(LinkLoadsTest, EachTransferLoadsEveryLinkOnItsWay) {
  // d0 to d1 3, d2 to d1 5, by the hub: d0-hub 3, d1-hub both, d2-hub 5.
  const SimulatedCase made(MakeGraph({TimedOp("a", 1, {}, {3000}),
                                      TimedOp("b", 1, {}, {5000}),
                                      TimedOp("c", 1, {{0, 0}, {1, 0}})}),
                           StarMachine(3),
                           PlacedOn({0, 2, 1}));
  EXPECT_THAT(sim::LinkLoads(made.step(), made.timeline()),
              ElementsAre(Microseconds(3), Microseconds(8), Microseconds(5)));
}

TEST(LinkLoadsTest, RegalTransfersLoadNoLink) {
  sim::HardwareProfile machine = StarMachine(2);
  machine.rules = sim::Rules::kRegal;
  const SimulatedCase made(
      MakeGraph({TimedOp("a", 1), TimedOp("c", 1, {{0, 0}})}), machine, PlacedOn({0, 1}));
  EXPECT_THAT(sim::LinkLoads(made.step(), made.timeline()), ElementsAre(SimTime{}, SimTime{}));
}

TEST(WaitingTransfersTest, CountsThoseOfferedAndNotStarted) {
  // Three copies of 2 each are offered at 1: two wait to 3, one to 5.
  const SimulatedCase made(MakeGraph({TimedOp("a", 1, {}, {2000, 2000, 2000}),
                                      TimedOp("b", 1, {{0, 0}, {0, 1}, {0, 2}})}),
                           MeshMachine(2),
                           PlacedOn({0, 1}));
  std::vector<std::pair<SimTime, std::int64_t>> samples;
  for (const sim::WaitingSample& sample : sim::WaitingTransfers(made.timeline())) {
    samples.emplace_back(sample.time, sample.length);
  }
  EXPECT_THAT(samples,
              ElementsAre(std::pair(Microseconds(1), 2),
                          std::pair(Microseconds(3), 1),
                          std::pair(Microseconds(5), 0)));
}

}  // namespace
}  // namespace opyard::testing
