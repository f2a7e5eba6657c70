#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "agents/planning/estimates/running_memory.h"
#include "agents/planning/list_scheduling/earliest_start_schedule.h"
#include "sim/base/rng.h"
#include "tests/agents/problems.h"
#include "tests/support/small_graphs.h"

namespace opyard::agents {
namespace {

using opyard::testing::MakeGraph;
using opyard::testing::MeshMachine;
using opyard::testing::Microseconds;
using opyard::testing::TimedOp;
using opyard::testing::VariableOp;
using ::testing::ElementsAre;
using testing::MakeProblem;
using testing::RunAgent;

EarliestStartSchedule Schedule(const std::shared_ptr<const env::Problem>& problem) {
  return BuildEarliestStartSchedule(*problem, TransferTimes(*problem), {});
}

std::vector<std::int32_t> DevicesOf(const EarliestStartSchedule& schedule) {
  std::vector<std::int32_t> devices;
  for (const DeviceId device : schedule.device_of_group) {
    devices.push_back(static_cast<std::int32_t>(device.index()));
  }
  return devices;
}

std::vector<std::size_t> OrderOf(const EarliestStartSchedule& schedule) {
  std::vector<std::size_t> order;
  for (const OpId op : schedule.order) {
    order.push_back(op.index());
  }
  return order;
}

constexpr DeviceId kFirst{0};
constexpr DeviceId kSecond{1};

TEST(MEtfTest, TakesTheEarliestStartOfAllReadyOpsAndDevices) {
  // a and b start at 0 on d0 and d1. c reads 3000 bytes of a: from 2 on d0, from 5 on d1. d reads
  // 1000 of b: from 7 on d1, from 8 on d0. At 2 d0 takes c, until 13. d: 7 on d1, 13 on d0. e reads
  // c and waits: 13 on d0, 14 on d1.
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2, {}, {3000}),
                                              TimedOp("b", 7, {}, {1000}),
                                              TimedOp("c", 11, {{0, 0}}, {1000}),
                                              TimedOp("d", 3, {{1, 0}}),
                                              TimedOp("e", 5, {{2, 0}})}),
                                   MeshMachine(2));
  const EarliestStartSchedule schedule = Schedule(problem);
  EXPECT_THAT(OrderOf(schedule), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(DevicesOf(schedule), ElementsAre(0, 1, 0, 1, 0));
  EXPECT_EQ(schedule.makespan, Microseconds(18));
}

TEST(MEtfTest, LooksAtTheStartAndNotAtTheEnd) {
  // a occupies d0 until 2. b could end at 3 on d0 (2 + 1), but starts on d1 at 0 and takes 50.
  const auto problem = MakeProblem(
      MakeGraph({testing::UnevenOp("a", {2, 2}), testing::UnevenOp("b", {1, 50})}), MeshMachine(2));
  const EarliestStartSchedule schedule = Schedule(problem);
  EXPECT_THAT(DevicesOf(schedule), ElementsAre(0, 1));
  EXPECT_EQ(schedule.makespan, Microseconds(50));
}

TEST(MEtfTest, AVariableGoesWithTheFirstOpThatReadsIt) {
  // Were it placed by its own start, the Variable would be on d0, and with it its update, because
  // both share a label. a is on d0 and b, which reads it, on d1.
  std::vector<sim::OpSpec> ops{TimedOp("a", 5),
                               VariableOp("weights", 4000),
                               TimedOp("b", 3, {{1, 0}}),
                               TimedOp("update", 2, {{1, 0}, {2, 0}})};
  ops[1].colocation = "weights";
  ops[3].colocation = "weights";
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  // Groups: a; weights and update; b.
  EXPECT_THAT(DevicesOf(Schedule(problem)), ElementsAre(0, 1, 1));
}

TEST(MEtfTest, AnOpWithoutRoomWaitsForTheDeviceThatHasIt) {
  std::vector<sim::OpSpec> ops{
      TimedOp("a", 9, {}, {}), TimedOp("b", 2, {}, {}), TimedOp("c", 3, {}, {})};
  ops[0].param_bytes = Bytes{200'000};
  ops[1].param_bytes = Bytes{700'000};
  ops[2].param_bytes = Bytes{700'000};
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(2));
  // By start alone c goes to d1 at 2. But with b it would hold 1400 kB of 1000 there, so that it
  // waits for a, until 9 + 3.
  const EarliestStartSchedule schedule = Schedule(problem);
  EXPECT_THAT(DevicesOf(schedule), ElementsAre(0, 1, 0));
  EXPECT_EQ(schedule.makespan, Microseconds(12));
}

TEST(MEtfTest, MemoryThatIsFreedIsUsedAgain) {
  // A chain on one device: each output takes 400 kB of 1 MB, so that the third fits only because
  // the first was freed after the second op.
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2, {}, {400'000}),
                                              TimedOp("b", 3, {{0, 0}}, {400'000}),
                                              TimedOp("c", 5, {{1, 0}}, {400'000})}),
                                   MeshMachine(1));
  RunningMemory memory(*problem, 1.0);
  memory.Run(OpId(std::int32_t{0}), kFirst);
  EXPECT_EQ(memory.RoomLeft(kFirst), Bytes{600'000});
  memory.Run(OpId(std::int32_t{1}), kFirst);
  EXPECT_EQ(memory.RoomLeft(kFirst), Bytes{600'000});
  // c has no reader: its output is freed when it ends.
  memory.Run(OpId(std::int32_t{2}), kFirst);
  EXPECT_EQ(memory.RoomLeft(kFirst), Bytes{1'000'000});
}

TEST(MEtfTest, ACopyTakesRoomUntilTheLastReaderRan) {
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 2, {}, {3000}),
                                              TimedOp("b", 3, {{0, 0}}, {}),
                                              TimedOp("c", 5, {{0, 0}}, {})}),
                                   MeshMachine(2));
  RunningMemory memory(*problem, 1.0);
  memory.Run(OpId(std::int32_t{0}), kFirst);
  EXPECT_EQ(memory.NeedOfRun(OpId(std::int32_t{1}), kFirst), Bytes{0});
  EXPECT_EQ(memory.NeedOfRun(OpId(std::int32_t{1}), kSecond), Bytes{3000});
  memory.Run(OpId(std::int32_t{1}), kSecond);
  EXPECT_EQ(memory.RoomLeft(kSecond), Bytes{997'000});
  EXPECT_EQ(memory.NeedOfRun(OpId(std::int32_t{2}), kSecond), Bytes{0});
  memory.Run(OpId(std::int32_t{2}), kSecond);
  EXPECT_EQ(memory.RoomLeft(kFirst), Bytes{1'000'000});
  EXPECT_EQ(memory.RoomLeft(kSecond), Bytes{1'000'000});
}

TEST(MEtfTest, ItsOrderBecomesThePrioritiesWhereSchedulingIsATask) {
  // One device and no edges: the order is that of the indices.
  const auto problem = MakeProblem(MakeGraph({TimedOp("a", 5), TimedOp("b", 2), TimedOp("c", 3)}),
                                   MeshMachine(1),
                                   testing::kScheduling);
  std::vector<sim::Plan> evaluated;
  env::Evaluator evaluator(problem, {.on_evaluation = [&](const sim::Plan& plan, const auto&) {
                             evaluated.push_back(plan);
                           }});
  Rng rng(1);
  testing::AgentsUnderTest().Make("m_etf", {})->Search(*problem, evaluator, rng, {});
  ASSERT_EQ(evaluated.size(), 2U);
  EXPECT_THAT(evaluated[0].op_priority, ElementsAre(2, 1, 0));
  EXPECT_TRUE(evaluated[1].op_priority.empty());
}

TEST(MEtfTest, CoplacedOpsGoWithTheirConsumer) {
  // p and s start at 0 on d0 and d1, t at 2 on d0, before r, which could start then, too, but is
  // behind it. On d1 r, which reads p alone, starts at 9; with p on d0 at 22.
  const auto problem = MakeProblem(
      MakeGraph({TimedOp("p", 2), TimedOp("s", 9), TimedOp("t", 20), TimedOp("r", 1, {{0, 0}})}),
      MeshMachine(2));
  const auto makespan = [&](bool coplaces) {
    return RunAgent("m_etf", problem, {.options = Options({{"coplacement", coplaces}})})
        .best->evaluation.result.makespan;
  };
  EXPECT_EQ(makespan(false), Microseconds(22));
  EXPECT_EQ(makespan(true), Microseconds(23));
  EXPECT_EQ(RunAgent("m_etf", problem, {}).best->evaluation.result.makespan, Microseconds(23));
}

TEST(MEtfTest, AsPublishedItEvaluatesOneScheduleEvenIfThatFails) {
  // 1200 kB on a device of 1 MB.
  std::vector<sim::OpSpec> ops{TimedOp("a", 2), TimedOp("b", 3)};
  ops[0].param_bytes = Bytes{600'000};
  ops[1].param_bytes = Bytes{600'000};
  const auto problem = MakeProblem(MakeGraph(ops), MeshMachine(1));
  for (const char* agent : {"m_etf", "m_sct"}) {
    const testing::Outcome outcome = RunAgent(agent, problem, {});
    EXPECT_EQ(outcome.num_evaluations, 1);
    EXPECT_EQ(outcome.num_failures, 1);
  }
}

// Four chains of two, whose first ops make `output_bytes`; the parameters take most of the memory.
std::shared_ptr<const sim::OpGraph> RandomChains(std::int64_t output_bytes, Rng& rng) {
  std::vector<sim::OpSpec> ops;
  for (std::int64_t k = 0; k < 4; ++k) {
    ops.push_back(TimedOp("first" + std::to_string(k), rng.Between(1, 9), {}, {output_bytes}));
    ops.back().param_bytes = Bytes{rng.Between(100, 450) * 1000};
    ops.push_back(TimedOp("second" + std::to_string(k), rng.Between(1, 9), {{2 * k, 0}}, {}));
    ops.back().param_bytes = Bytes{rng.Between(20, 100) * 1000};
  }
  return MakeGraph(std::move(ops));
}

// Runs m_etf_aware on devices of 1 MB for each of 100 graphs that some placement fits on such
// devices less `reserve`, and checks that its plan completes. Returns how many there were.
std::size_t CheckThatItFits(std::int64_t output_bytes, double reserve) {
  Rng rng(21);
  std::size_t num_checked = 0;
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    const auto graph = RandomChains(output_bytes, rng);
    sim::HardwareProfile smaller = MeshMachine(2);
    smaller.memory.reserve = reserve;
    if (testing::SomePlacementFits(MakeProblem(graph, std::move(smaller)))) {
      ++num_checked;
      const testing::Outcome outcome =
          RunAgent("m_etf_aware", MakeProblem(graph, MeshMachine(2)), {});
      EXPECT_TRUE(outcome.best->evaluation.is_feasible());
    }
  }
  return num_checked;
}

TEST(MEtfTest, FitsParametersWhereAFitExists) {
  EXPECT_GT(CheckThatItFits(1000, 0.0), 50U);
}

// A fit to the byte is a matter of packing, which no rule does for sure.
TEST(MEtfTest, FitsLargeOutputsWhereAFitExistsWithATenthOfTheMemoryLess) {
  EXPECT_GT(CheckThatItFits(100'000, 0.1), 10U);
}

}  // namespace
}  // namespace opyard::agents
