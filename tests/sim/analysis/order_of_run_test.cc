#include "sim/analysis/order_of_run.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/base/error.h"
#include "tests/support/agreement.h"
#include "tests/support/random_cases.h"
#include "tests/support/report_times.h"
#include "tests/support/small_graphs.h"

namespace opyard::testing {
namespace {

using ::testing::ElementsAre;

// Those that start together in an order that does not depend on their priorities.
std::vector<sim::TransferSpan> ByTime(std::vector<sim::TransferSpan> transfers) {
  std::ranges::stable_sort(transfers, {}, [](const sim::TransferSpan& span) {
    return std::tuple(span.start, span.finish, span.tensor, span.dst);
  });
  return transfers;
}

// The differences between the run of `plan` and that of the order taken from it.
std::string Difference(const RandomCase& made, sim::Workspace& workspace) {
  const EngineAndReference both(made.graph, made.hardware);
  const sim::SimReport run = both.RunEngine(made.plan, workspace);
  if (run.result.outcome != sim::Outcome::kCompleted) {
    return "not completed";
  }
  const sim::Plan ordered = sim::OrderOfRun(made.hardware, made.plan, run);
  const sim::SimReport replay = both.RunEngine(ordered, workspace);
  if (replay.groups != run.groups) {
    return "kernels";
  }
  if (replay.result.makespan != run.result.makespan) {
    return "makespan " + std::to_string(replay.result.makespan.picoseconds) + ", not " +
           std::to_string(run.result.makespan.picoseconds);
  }
  const auto differ = [](const auto& a, const auto& b) {
    return a.start != b.start || a.finish != b.finish;
  };
  for (std::size_t op = 0; op < run.ops.size(); ++op) {
    if (differ(*run.ops[op], *replay.ops[op])) {
      return "op " + std::to_string(op);
    }
  }
  const std::vector<sim::TransferSpan> moved = ByTime(run.transfers);
  const std::vector<sim::TransferSpan> replayed = ByTime(replay.transfers);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    if (differ(moved[i], replayed[i]) || moved[i].tensor != replayed[i].tensor) {
      return "transfer " + std::to_string(i);
    }
  }
  return replay.result.peak_memory == run.result.peak_memory ? "" : "peak memory";
}

// Replays `count` cases of `limits`; `change` is made to each before.
template <class Change>
void ExpectReplays(std::uint64_t first,
                   std::uint64_t count,
                   Values values,
                   const CaseLimits& limits,
                   const Change& change) {
  sim::Workspace workspace;
  std::uint64_t num_replayed = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    RandomCase made = MakeRandomCase(seed, values, limits);
    change(made, seed);
    if (!sim::CanRepeatRun(made.hardware, made.plan)) {
      made.plan.op_priority.clear();
    }
    const std::string difference = Difference(made, workspace);
    if (difference != "not completed") {
      ++num_replayed;
      ASSERT_EQ(difference, "") << "seed " << seed;
    }
  }
  EXPECT_GT(num_replayed, count / 3);
}

constexpr auto kNoChange = [](RandomCase& /*made*/, std::uint64_t /*seed*/) {};

TEST(OrderOfRunPropertyTest, ReplaysUnderEveryRule) {
  ExpectReplays(80'001, 600, Values::kRound, {.rules = kAllRules}, kNoChange);
  ExpectReplays(81'001, 300, Values::kContinuous, {.rules = kAllRules}, kNoChange);
}

TEST(OrderOfRunPropertyTest, ReplaysPlansThatFuse) {
  ExpectReplays(
      82'001, 400, Values::kRound, {.most_ops = 30, .rules = kAllRules, .fuses = true}, kNoChange);
}

TEST(OrderOfRunPropertyTest, ReplaysWaitsForMemory) {
  const auto wait = [](RandomCase& made, std::uint64_t seed) {
    Rng rng(seed);
    TightenMemory(rng, sim::OnExceed::kWait, made);
  };
  ExpectReplays(83'001, 400, Values::kRound, {.rules = kAllRules}, wait);
}

TEST(OrderOfRunPropertyTest, ReplaysTheRulesOfPlaceto) {
  const auto placeto = [](RandomCase& made, std::uint64_t /*seed*/) {
    made.hardware.rules = sim::Rules::kPlaceto;
    made.hardware.transfers.one_per = sim::OnePer::kOutput;
  };
  ExpectReplays(84'001, 400, Values::kRound, {.rules = {.gaps = true}}, placeto);
}

// Times in microseconds: d0 runs a 0–1 and c 1–4, the copy of a is at d1 from 1 to 2, b 2–5.
TEST(OrderOfRunTest, WritesStreamsAndThePrioritiesOfTransfers) {
  const auto graph =
      MakeGraph({TimedOp("a", 1), TimedOp("b", 3, {{0, 0}}), TimedOp("c", 3, {{0, 0}})});
  const sim::HardwareProfile machine = MeshMachine(2);
  const sim::Plan plan = PlacedWithPriorities({0, 1, 0}, {1, 7, 3});
  const sim::SimReport report = Simulate(graph, machine, plan);
  const sim::Plan ordered = sim::OrderOfRun(machine, plan, report);
  EXPECT_EQ(ordered.queue, sim::QueueDiscipline::kOrder);
  EXPECT_TRUE(ordered.op_priority.empty());
  EXPECT_THAT(ordered.order[0], ElementsAre(ElementsAre(OpId(0), OpId(2))));
  EXPECT_THAT(ordered.order[1], ElementsAre(ElementsAre(OpId(1))));
  EXPECT_THAT(ordered.transfer_priority,
              ElementsAre(sim::TransferPriority{TensorId(0), DeviceId(1), 7}));
  EXPECT_THAT(StartsInUs(Simulate(graph, machine, ordered)), ElementsAre(0, 2, 1));
}

// d0 runs a 0–2; b runs on d1 0–4, its copy is there at 5, c 5–8.
TEST(OrderOfRunTest, WritesTheStreamOfAProgram) {
  const auto graph = MakeGraph({TimedOp("a", 2), TimedOp("c", 3, {{.op = 2}}), TimedOp("b", 4)});
  const sim::HardwareProfile machine = MeshMachine(2);
  sim::Plan plan = PlacedOn({0, 0, 1});
  plan.queue = sim::QueueDiscipline::kProgram;
  const sim::SimReport run = Simulate(graph, machine, plan);
  const sim::Plan ordered = sim::OrderOfRun(machine, plan, run);
  EXPECT_EQ(ordered.queue, sim::QueueDiscipline::kOrder);
  EXPECT_THAT(ordered.order[0], ElementsAre(ElementsAre(OpId(0), OpId(1))));
  EXPECT_THAT(ordered.order[1], ElementsAre(ElementsAre(OpId(2))));
  EXPECT_EQ(StartsInUs(Simulate(graph, machine, ordered)), StartsInUs(run));
}

TEST(OrderOfRunTest, NeedsARunThatCompletes) {
  const auto graph = MakeGraph({TimedOp("a", 1)});
  const sim::HardwareProfile machine = MeshMachine(1);
  sim::SimReport report = Simulate(graph, machine, PlacedOn({0}));
  report.result.outcome = sim::Outcome::kOutOfMemory;
  EXPECT_THROW((void)sim::OrderOfRun(machine, PlacedOn({0}), report), PlanError);
}

TEST(OrderOfRunTest, RefusesEdgesWithPrioritiesOfTheirOwn) {
  const auto graph = MakeGraph({TimedOp("a", 1)});
  sim::HardwareProfile machine = MeshMachine(1);
  machine.transfers.one_per = sim::OnePer::kEdge;
  const sim::Plan plan = PlacedWithPriorities({0}, {1});
  const sim::SimReport report = Simulate(graph, machine, plan);
  EXPECT_THROW((void)sim::OrderOfRun(machine, plan, report), UnsupportedError);
  machine.transfers.sharing = sim::Sharing::kNone;
  EXPECT_EQ(sim::OrderOfRun(machine, plan, report).queue, sim::QueueDiscipline::kOrder);
}

}  // namespace
}  // namespace opyard::testing
