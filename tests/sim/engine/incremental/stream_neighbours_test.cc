// Runs of plans with streams that begin from a remembered one, against whole runs.
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/sim/engine/incremental/result_or_nothing.h"
#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

constexpr std::uint64_t kFirstSeed = 810'000;
constexpr std::uint64_t kNumCases = 300;
constexpr int kNeighboursPerCase = 8;
constexpr SimTime kNoLimit{std::numeric_limits<std::int64_t>::max()};

RandomCase MakeCase(std::uint64_t seed) {
  RuleChoices rules = kAllRules;
  rules.streams = true;
  const Values values = seed % 2 == 0 ? Values::kRound : Values::kContinuous;
  RandomCase made = MakeRandomCase(seed, values, {.least_ops = 5, .most_ops = 60, .rules = rules});
  if (seed % 4 != 0) {
    made.plan.transfer_order.clear();  // runs with some remember no states
  }
  return made;
}

// Takes `op` out of its stream and puts it at a random place of a random stream of `device`.
void Reinsert(Rng& rng, OpId op, DeviceId device, sim::Plan& plan) {
  for (sim::Stream& stream : plan.order[plan.placement[op.index()].index()]) {
    std::erase(stream, op);
  }
  plan.placement[op.index()] = device;
  std::vector<sim::Stream>& streams = plan.order[device.index()];
  if (streams.empty()) {
    streams.emplace_back();
  }
  sim::Stream& stream = streams[rng.Below(streams.size())];
  stream.insert(stream.begin() + static_cast<std::ptrdiff_t>(rng.Below(stream.size() + 1)), op);
}

// One or two ops elsewhere in the streams, as often as not on another device of the machine, which
// may not be allowed.
sim::Plan RandomNeighbour(Rng& rng, const RandomCase& made) {
  sim::Plan plan = made.plan;
  for (std::int64_t i = rng.Between(1, 2); i > 0; --i) {
    const OpId op(static_cast<std::size_t>(rng.Below(made.graph->num_ops())));
    const DeviceId device =
        rng.Below(2) == 0
            ? plan.placement[op.index()]
            : DeviceId(static_cast<std::size_t>(rng.Below(made.hardware.num_devices())));
    if (plan.queue == sim::QueueDiscipline::kOrder) {
      Reinsert(rng, op, device, plan);
    } else {
      plan.placement[op.index()] = device;
    }
  }
  return plan;
}

class StreamNeighboursTest : public ::testing::Test {
 protected:
  // Compares `changed` with a whole run of it.
  void Compare(const sim::Simulator& simulator, const sim::Plan& changed) {
    const auto whole = ResultOf([&] { return simulator.Run(changed, workspace_); });
    neighbour_workspace_.prepared.device_of.clear();  // a run from time 0 fills it
    const auto found = ResultOf([&] {
      return simulator.ResimulateFrom(history_, changed, kNoLimit, neighbour_workspace_);
    });
    ASSERT_EQ(found.has_value(), whole.has_value());
    if (whole.has_value()) {
      EXPECT_EQ(*found, *whole);
      num_from_the_middle_ += neighbour_workspace_.prepared.device_of.empty() ? 1 : 0;
      num_deadlocks_ += whole->outcome == sim::Outcome::kDeadlock ? 1 : 0;
    }
  }

  sim::Workspace workspace_;
  sim::Workspace neighbour_workspace_;
  sim::RunHistory history_;
  int num_from_the_middle_ = 0;
  int num_deadlocks_ = 0;
};

TEST_F(StreamNeighboursTest, EqualWholeRunsUnderAllRules) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    const RandomCase made = MakeCase(seed);
    const EngineAndReference both(made.graph, made.hardware);
    const sim::SimResult base = both.simulator().Run(made.plan, workspace_);
    EXPECT_EQ(both.simulator().RunWithCheckpoints(made.plan, workspace_, history_), base);
    for (int i = 0; i < kNeighboursPerCase; ++i) {
      Compare(both.simulator(), RandomNeighbour(rng, made));
    }
  }
  EXPECT_GT(num_from_the_middle_, static_cast<int>(kNumCases));
  EXPECT_GT(num_deadlocks_, static_cast<int>(kNumCases) / 10);
}

TEST_F(StreamNeighboursTest, ChangesOfDevicesInProgramsEqualWholeRuns) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    RandomCase made = MakeCase(seed);
    made.plan.queue = sim::QueueDiscipline::kProgram;
    made.plan.order.clear();
    made.plan.transfer_order.clear();
    const EngineAndReference both(made.graph, made.hardware);
    static_cast<void>(both.simulator().RunWithCheckpoints(made.plan, workspace_, history_));
    const sim::Plan changed = RandomNeighbour(rng, made);
    std::vector<sim::OpChange> changes;
    for (std::size_t op = 0; op < changed.placement.size(); ++op) {
      changes.push_back({.op = OpId(op), .device = changed.placement[op]});
    }
    const auto whole = ResultOf([&] { return both.simulator().Run(changed, workspace_); });
    const auto found = ResultOf([&] {
      return both.simulator().ResimulateFrom(history_, changes, kNoLimit, neighbour_workspace_);
    });
    EXPECT_EQ(found, whole);
  }
}

// The streams of the run before are forgotten.
TEST_F(StreamNeighboursTest, RunsWithoutStreamsGoOnInAWorkspaceThatHadSome) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    RandomCase made = MakeCase(seed);
    const sim::Plan with_streams = made.plan;
    made.plan.queue = sim::QueueDiscipline::kFifo;
    made.plan.order.clear();
    made.plan.transfer_order.clear();
    const EngineAndReference both(made.graph, made.hardware);
    static_cast<void>(both.simulator().RunWithCheckpoints(made.plan, workspace_, history_));
    static_cast<void>(both.simulator().Run(with_streams, neighbour_workspace_));
    Compare(both.simulator(), RandomNeighbour(rng, made));
  }
  EXPECT_GT(num_from_the_middle_, 20);
}

// a, b, c and d of 2, 3, 5 and 7 us on one device in this order: 17 us either way. The place that
// differs is that of c, which is the head when b starts at 2 us.
TEST_F(StreamNeighboursTest, ASwapAtTheEndLeavesTheBeginning) {
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3), TimedOp("c", 5), TimedOp("d", 7)});
  const EngineAndReference both(graph, MeshMachine(1));
  sim::Plan plan = PlacedOn({0, 0, 0, 0});
  plan.queue = sim::QueueDiscipline::kOrder;
  plan.order = {{{OpId(0), OpId(1), OpId(2), OpId(3)}}};
  static_cast<void>(both.simulator().RunWithCheckpoints(plan, workspace_, history_));
  sim::Plan swapped = plan;
  swapped.order = {{{OpId(0), OpId(1), OpId(3), OpId(2)}}};
  Compare(both.simulator(), swapped);
  EXPECT_EQ(num_from_the_middle_, 1);
  swapped.order = {{{OpId(1), OpId(0), OpId(2), OpId(3)}}};
  Compare(both.simulator(), swapped);
  EXPECT_EQ(num_from_the_middle_, 1);
}

}  // namespace
}  // namespace opyard::testing
