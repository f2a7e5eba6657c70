// Runs that begin from a remembered one, and runs with a limit, against whole runs.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "sim/plan/op_change.h"
#include "tests/sim/engine/incremental/result_or_nothing.h"
#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

constexpr std::uint64_t kFirstSeed = 700'000;
constexpr std::uint64_t kNumCases = 300;
constexpr int kMovesPerCase = 8;
constexpr SimTime kNoLimit{std::numeric_limits<std::int64_t>::max()};

CaseLimits AllRules() {
  return {.most_ops = 60, .rules = kAllRules};
}

// Up to three ops with new priorities, some of them far from those of the plan; as often as not on
// other devices of the machine, some of them not allowed.
std::vector<sim::OpChange> RandomMove(Rng& rng, const RandomCase& made) {
  const std::size_t num_devices = made.hardware.num_devices();
  const bool stays = rng.Below(2) == 0;
  std::vector<sim::OpChange> move;
  for (std::int64_t i = rng.Between(1, 3); i > 0; --i) {
    const auto op = static_cast<std::size_t>(rng.Below(made.graph->num_ops()));
    const std::size_t device =
        stays ? made.plan.placement[op].index() : static_cast<std::size_t>(rng.Below(num_devices));
    const std::int64_t scale = rng.Below(10) == 0 ? std::int64_t{1} << 40 : 1;
    move.push_back(
        {.op = OpId(op), .device = DeviceId(device), .priority = scale * rng.Between(-3, 3)});
  }
  return move;
}

// All ops of a label, in any order, to one device, now and then all but one of them; sometimes one
// op more. Nothing where the graph has no labels.
std::vector<sim::OpChange> RandomLabelMove(Rng& rng, const RandomCase& made) {
  const std::size_t num_labels = made.graph->colocation_labels().size();
  if (num_labels == 0) {
    return {};
  }
  const auto label = static_cast<std::int32_t>(rng.Below(num_labels));
  const DeviceId device(static_cast<std::size_t>(rng.Below(made.hardware.num_devices())));
  std::vector<sim::OpChange> move;
  for (std::size_t op = 0; op < made.graph->num_ops(); ++op) {
    if (made.graph->op(OpId(op)).colocation == label) {
      move.push_back({.op = OpId(op), .device = device, .priority = rng.Between(-3, 3)});
    }
  }
  rng.Shuffle(std::span(move));
  if (rng.Below(8) == 0) {
    move.pop_back();
  }
  if (rng.Below(4) == 0) {
    const std::vector<sim::OpChange> more = RandomMove(rng, made);
    move.insert(move.begin() + static_cast<std::ptrdiff_t>(rng.Below(move.size() + 1)),
                more.begin(),
                more.end());
  }
  return move;
}

bool MovesALabel(const std::vector<sim::OpChange>& move, const RandomCase& made) {
  return std::ranges::any_of(move, [&](const sim::OpChange& change) {
    return made.graph->op(change.op).colocation.has_value() &&
           made.plan.placement[change.op.index()] != change.device;
  });
}

class NeighbourRunTest : public ::testing::Test {
 protected:
  using MakeMove = std::vector<sim::OpChange> (*)(Rng&, const RandomCase&);

  // Compares neighbours of `made.plan` with whole runs of the changed plans, all under `limit`.
  void Compare(const RandomCase& made, Rng& rng, SimTime limit, MakeMove make_move = RandomMove) {
    const EngineAndReference both(made.graph, made.hardware);
    const sim::Simulator& simulator = both.simulator();
    const sim::SimResult base = simulator.Run(made.plan, workspace_);
    EXPECT_EQ(simulator.RunWithCheckpoints(made.plan, workspace_, history_), base);
    EXPECT_TRUE(history_.num_checkpoints == 0 || simulator.SupportsCheckpoints(made.plan));
    num_resumable_ += history_.num_checkpoints > 0 ? 1 : 0;
    for (int i = 0; i < kMovesPerCase; ++i) {
      const std::vector<sim::OpChange> move = make_move(rng, made);
      sim::Plan changed = made.plan;
      sim::Apply(move, changed);
      const auto whole = ResultOf([&] { return simulator.Run(changed, workspace_); });
      neighbour_workspace_.scratch.changed_plan = {};
      const auto found = ResultOf(
          [&] { return simulator.ResimulateFrom(history_, move, limit, neighbour_workspace_); });
      ExpectSame(whole, found, limit);
      const bool is_from_the_middle = neighbour_workspace_.scratch.changed_plan == sim::Plan{};
      num_labels_from_the_middle_ += is_from_the_middle && MovesALabel(move, made) ? 1 : 0;
    }
  }

  // The same, with all devices as large as what the plan of `made` needs at most.
  void CompareWhereMemoryIsShort(RandomCase made, Rng& rng, MakeMove make_move) {
    const sim::SimReport report =
        EngineAndReference(made.graph, made.hardware).RunEngine(made.plan, workspace_);
    made.hardware.memory.on_exceed = sim::OnExceed::kFail;
    made.hardware.memory.reserve = 0.0;
    for (sim::Device& device : made.hardware.devices) {
      device.memory = std::max(report.result.peak_memory, Bytes{1});
    }
    Compare(made, rng, kNoLimit, make_move);
  }

  void ExpectSame(const std::optional<sim::SimResult>& whole,
                  const std::optional<sim::SimResult>& found,
                  SimTime limit) {
    ASSERT_EQ(found.has_value(), whole.has_value());
    if (!whole.has_value()) {
      return;
    }
    ++num_compared_;
    if (whole->outcome == sim::Outcome::kCompleted && whole->makespan > limit) {
      EXPECT_EQ(found->outcome, sim::Outcome::kCutOff);
      EXPECT_LE(found->makespan, whole->makespan);
      return;
    }
    // A plan that runs out of memory may be given up before it does.
    if (whole->outcome == sim::Outcome::kCompleted || found->outcome != sim::Outcome::kCutOff) {
      EXPECT_EQ(*found, *whole);
    }
  }

  sim::Workspace workspace_;
  sim::Workspace neighbour_workspace_;
  sim::RunHistory history_;
  int num_resumable_ = 0;
  int num_compared_ = 0;
  int num_labels_from_the_middle_ = 0;
};

TEST_F(NeighbourRunTest, EqualsTheWholeRunUnderAllRules) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Values values = seed % 2 == 0 ? Values::kRound : Values::kContinuous;
    Rng rng(seed);
    Compare(MakeRandomCase(seed, values, AllRules()), rng, kNoLimit);
  }
  EXPECT_GT(num_resumable_, static_cast<int>(kNumCases) / 4);
  EXPECT_GT(num_compared_, static_cast<int>(kNumCases));
}

TEST_F(NeighbourRunTest, EqualsTheWholeRunWhereMemoryIsShort) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Rng rng(seed);
    CompareWhereMemoryIsShort(
        MakeRandomCase(seed, Values::kRound, {.most_ops = 60}), rng, RandomMove);
  }
}

TEST_F(NeighbourRunTest, IsCutOffExactlyWhereTheWholeRunExceedsTheLimit) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const RandomCase made = MakeRandomCase(seed, Values::kContinuous, AllRules());
    const sim::SimResult base =
        EngineAndReference(made.graph, made.hardware).simulator().Run(made.plan, workspace_);
    Rng rng(seed);
    Compare(made, rng, base.makespan);
  }
}

// Were labels not checked, those that a move splits would run, too.
TEST_F(NeighbourRunTest, OpsOfALabelThatMoveTogetherBeginInTheMiddle) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + kNumCases && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Values values = seed % 2 == 0 ? Values::kRound : Values::kContinuous;
    const RandomCase made = MakeRandomCase(seed, values, AllRules());
    const sim::SimResult base =
        EngineAndReference(made.graph, made.hardware).simulator().Run(made.plan, workspace_);
    Rng rng(seed);
    Compare(made, rng, kNoLimit, RandomLabelMove);
    Compare(made, rng, base.makespan, RandomLabelMove);
    CompareWhereMemoryIsShort(MakeRandomCase(seed, values, {.most_ops = 60}), rng, RandomLabelMove);
  }
  EXPECT_GT(num_labels_from_the_middle_, static_cast<int>(kNumCases));
}

// In a chain of 2, 3, 5, 7 us, the last two move together to a second device, and what the second
// makes follows in 1 us: 18 us. The first two are not run again.
TEST_F(NeighbourRunTest, ALabelAtTheEndOfAChainMovesWithoutItsBeginning) {
  std::vector<sim::OpSpec> ops = {TimedOp("a", 2),
                                  TimedOp("b", 3, {{0, 0}}),
                                  TimedOp("c", 5, {{1, 0}}),
                                  TimedOp("d", 7, {{2, 0}})};
  ops[2].colocation = ops[3].colocation = "pair";
  const EngineAndReference both(MakeGraph(ops), MeshMachine(2));
  (void)both.simulator().RunWithCheckpoints(PlacedOn({0, 0, 0, 0}), workspace_, history_);
  const std::vector<sim::OpChange> pair = {{.op = OpId(std::size_t{3}), .device = DeviceId(1)},
                                           {.op = OpId(std::size_t{2}), .device = DeviceId(1)}};
  const auto run = [&](std::span<const sim::OpChange> changes) {
    return both.simulator().ResimulateFrom(history_, changes, kNoLimit, neighbour_workspace_);
  };
  EXPECT_EQ(run(pair).makespan, Microseconds(18));
  EXPECT_EQ(neighbour_workspace_.scratch.changed_plan, sim::Plan{});
  EXPECT_THROW((void)run(std::span(pair).first(1)), PlanError);
}

TEST_F(NeighbourRunTest, HistoriesServePlansOfOtherProblems) {
  for (std::uint64_t seed = kFirstSeed; seed < kFirstSeed + 20; ++seed) {
    const RandomCase made =
        MakeRandomCase(seed, Values::kContinuous, {.most_ops = seed % 2 == 0 ? 60 : 5});
    Rng rng(seed);
    Compare(made, rng, kNoLimit);
  }
}

// Ops of 2, 3, 5, 7 us in a row on one device take 17 us. When the first starts, all 17 us are to
// come, so a limit of 16 us is exceeded before anything has run.
TEST(RunUntilTest, StopsAtTheFirstOpWhosePathIsTooLong) {
  const auto graph = MakeGraph({TimedOp("a", 2),
                                TimedOp("b", 3, {{0, 0}}),
                                TimedOp("c", 5, {{1, 0}}),
                                TimedOp("d", 7, {{2, 0}})});
  const EngineAndReference both(graph, MeshMachine(1));
  const sim::Plan plan = PlacedOn({0, 0, 0, 0});
  sim::Workspace workspace;
  const auto run = [&](std::int64_t limit_us) {
    return both.simulator().RunUntil(plan, Microseconds(limit_us), workspace);
  };
  EXPECT_EQ(run(17), both.simulator().Run(plan, workspace));
  EXPECT_EQ(run(16).outcome, sim::Outcome::kCutOff);
  EXPECT_EQ(run(16).makespan, SimTime{});
}

// a (2 us) feeds b (3 us) and, on the other device, c (5 us): the copy arrives at 2 + 1 us, so c
// ends at 8 us. Only when c starts at 3 us do 5 us of work show that a limit of 7 us is exceeded.
TEST(RunUntilTest, StopsWhenATransferHasMadeAnOpTooLate) {
  const auto graph =
      MakeGraph({TimedOp("a", 2), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 5, {{0, 0}}, {})});
  const EngineAndReference both(graph, MeshMachine(2));
  const sim::Plan plan = PlacedOn({0, 0, 1});
  sim::Workspace workspace;
  EXPECT_EQ(both.simulator().Run(plan, workspace).makespan, Microseconds(8));
  const sim::SimResult cut = both.simulator().RunUntil(plan, Microseconds(7), workspace);
  EXPECT_EQ(cut.outcome, sim::Outcome::kCutOff);
  EXPECT_EQ(cut.makespan, Microseconds(3));
}

}  // namespace
}  // namespace opyard::testing
